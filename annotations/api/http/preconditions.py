"""Conditional changes (RFC 9110): `ETag` names the state that a client has seen, `If-Match` requires that state.

The tag is computed from what the API shows, so it reveals nothing that its reader does not see.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse
from django.utils.http import parse_etags
from drf_spectacular.utils import OpenApiParameter
from rest_framework import status
from rest_framework.exceptions import APIException
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from annotations.core.http.etags import etag_of

# For the schema of views that require it.
IF_MATCH = OpenApiParameter(
    "If-Match", str, OpenApiParameter.HEADER, required=True, description="The ETag of what you have seen, or *."
)


class PreconditionRequired(APIException):
    status_code = status.HTTP_428_PRECONDITION_REQUIRED
    default_code = "precondition_required"
    default_detail = "Send the ETag of what you have seen as If-Match, so that you do not undo somebody else's change."


class PreconditionFailed(APIException):
    status_code = status.HTTP_412_PRECONDITION_FAILED
    default_code = "changed_meanwhile"
    default_detail = "This is not what you have seen any more: read it again."


def etag_response(representation: Mapping[str, Any]) -> HttpResponse:
    """Return a response with the representation and its tag. `ConditionalGetMiddleware` answers `If-None-Match`."""
    content = JSONRenderer().render(representation)
    return HttpResponse(content, content_type="application/json", headers={"ETag": etag_of(content)})


def require_match(request: Request, representation: Mapping[str, Any]) -> None:
    """Raise unless the client has seen the present state. Call it in the transaction that changes it."""
    header = request.headers.get("If-Match")
    if header is None:
        raise PreconditionRequired
    tags = parse_etags(header)
    if "*" not in tags and etag_of(representation) not in tags:
        raise PreconditionFailed
