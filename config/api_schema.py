"""The description of the API: equal for all users, so a process generates it once."""

from __future__ import annotations

from typing import Any

from django.core.cache import caches
from django.http import HttpResponse
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SCHEMA_KWARGS, SpectacularAPIView
from rest_framework.request import Request


class SchemaView(SpectacularAPIView):
    """The description of the API in the form of OpenAPI: YAML or JSON, as `Accept` says."""

    @extend_schema(**SCHEMA_KWARGS)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:  # noqa: ARG002 - Django's signature
        renderer = request.accepted_renderer
        generator: Any = SchemaGenerator

        def write() -> str | bytes:
            return renderer.render(generator().get_schema(request=None, public=True))

        document = caches["process"].get_or_set(f"schema:{renderer.format}", write, timeout=None)
        content_type = "; ".join([renderer.media_type, *([f"charset={renderer.charset}"] if renderer.charset else [])])
        response = HttpResponse(document, content_type=content_type)
        response["Content-Disposition"] = f'inline; filename="Coindex.{renderer.format}"'
        return response
