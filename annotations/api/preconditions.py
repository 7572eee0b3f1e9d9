"""Changes to a thing that somebody has seen: `ETag` says what they saw, `If-Match` that it still is so (RFC 9110).

The tag is made of what the API shows of the thing, so it tells nothing that its reader does not see.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse
from django.utils.http import parse_etags, quote_etag
from drf_spectacular.utils import OpenApiParameter
from rest_framework import status
from rest_framework.exceptions import APIException
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

# For the schema of what asks for it.
IF_MATCH = OpenApiParameter(
    "If-Match", str, OpenApiParameter.HEADER, required=True, description="The ETag of what you have seen, or *."
)


class PreconditionRequired(APIException):
    status_code = status.HTTP_428_PRECONDITION_REQUIRED
    default_code = "precondition_required"
    default_detail = "Send the ETag of what you have seen as If-Match, so that you undo nobody's change."


class PreconditionFailed(APIException):
    status_code = status.HTTP_412_PRECONDITION_FAILED
    default_code = "changed_meanwhile"
    default_detail = "This is not what you have seen any more: read it again."


def tagged(shown: Mapping[str, Any]) -> HttpResponse:
    """The answer that shows it, with its tag. `If-None-Match` is answered by Django's ConditionalGetMiddleware."""
    content = JSONRenderer().render(shown)
    return HttpResponse(content, content_type="application/json", headers={"ETag": _tag(content)})


def require_match(request: Request, shown: Mapping[str, Any]) -> None:
    """Raise where the sender has not seen what is there now. Call it in the transaction that changes it."""
    given = request.headers.get("If-Match")
    if given is None:
        raise PreconditionRequired
    known = parse_etags(given)
    if "*" not in known and tag_of(shown) not in known:
        raise PreconditionFailed


def tag_of(shown: Mapping[str, Any]) -> str:
    return _tag(JSONRenderer().render(shown))


def _tag(content: bytes) -> str:
    return quote_etag(hashlib.sha256(content).hexdigest()[:32])
