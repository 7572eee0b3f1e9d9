"""Content negotiation of the API."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rest_framework.exceptions import NotAcceptable
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request


class PermissiveContentNegotiation(DefaultContentNegotiation):
    """Never answer 406: CSV and files are written by views, errors are always JSON."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[Any, str]:
        renderers = list(renderers)
        try:
            selected: tuple[Any, str] = super().select_renderer(request, renderers, format_suffix)
            return selected
        except NotAcceptable:
            return renderers[0], str(renderers[0].media_type)
