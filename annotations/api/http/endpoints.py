"""Methods of the API: their project, idempotent requests and conditional changes.

A POST repeated with the same `Idempotency-Key` has no further effect and returns the first response. `ETag` names the
state that a client has seen, and `If-Match` requires that state (RFC 9110). The tag is computed from the
representation, so it reveals nothing that its reader does not see.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import wraps
from typing import Any, cast
from uuid import UUID

from django.db import transaction
from django.http import HttpResponse
from django.utils import timezone
from django.utils.http import parse_etags
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.core.http.etags import etag_of
from annotations.models import IdempotencyRecord, User
from annotations.models.people.rights import Right
from annotations.projects.permissions import project_for

HEADER = "Idempotency-Key"
REPLAYED = "Idempotent-Replayed"
MAX_AGE = timedelta(days=1)
IF_MATCH = OpenApiParameter(
    "If-Match", str, OpenApiParameter.HEADER, required=True, description="The ETag of what you have seen, or *."
)

type Method = Callable[..., HttpResponse]


def endpoint(
    right: Right = Right.VIEW_PROJECT,
    *,
    archived: bool = False,
    once: bool = False,
    secret_fields: tuple[str, ...] = (),
    seen: bool = False,
    parameters: Sequence[Any] = (),
    **schema: Any,
) -> Callable[[Method], Method]:
    """Pass a method of an API view the project of its address (see `project_for`), and describe it in the schema."""
    # `once`: idempotent; `seen`: a transaction that calls `require_match`; `schema`: arguments of `extend_schema`.

    def decorate(method: Method) -> Method:
        @wraps(method)
        def wrapped(view: APIView, request: Request, slug: str, **address: Any) -> HttpResponse:
            return method(view, request, project_for(request.user, slug, right, archived=archived), **address)

        decorated: Method = wrapped
        if seen:
            decorated = transaction.atomic(decorated)
        if once:
            decorated = idempotent(right, secret_fields=secret_fields, archived=archived)(decorated)
        return extend_schema(parameters=[*([IF_MATCH] if seen else []), *parameters], **schema)(decorated)

    return decorate


class IdempotencyKeyReused(APIException):
    status_code = status.HTTP_422_UNPROCESSABLE_ENTITY
    default_code = "key_used"
    default_detail = f"This {HEADER} was sent with something else before: take a new one."


def idempotent(
    right: Right | None = None, *, secret_fields: tuple[str, ...] = (), archived: bool = False
) -> Callable[[Method], Method]:
    """Make the `post` of an API view idempotent; it must have no effects outside the database."""
    # `right` is checked again, so that a user who has lost it gets no recorded response; `archived` admits archived
    # projects. `secret_fields` are returned only once. Response and effect are committed together.

    def decorate(post: Method) -> Method:
        @extend_schema(
            parameters=[
                OpenApiParameter(
                    HEADER,
                    UUID,
                    OpenApiParameter.HEADER,
                    description="One of your own: sent again within a day, the same request is answered once.",
                )
            ]
        )
        @wraps(post)
        def post_once(view: APIView, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:
            key = _key_of(request)
            if key is None:
                return post(view, request, *args, **kwargs)
            if right is not None:
                project_for(request.user, kwargs["slug"], right, archived=archived)
            user = cast(User, request.user)
            content = json.dumps([request.method, request.get_full_path(), request.data], sort_keys=True)
            digest = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
            with transaction.atomic():
                # A concurrent request with the same key waits here, and finds the record below. The lock still lets
                # others write rows that refer to the user, for which this request may have to wait.
                User.objects.select_for_update(no_key=True).get(pk=user.pk)
                record = IdempotencyRecord.objects.filter(user=user, key=key).first()
                if record is not None and record.digest != digest:
                    raise IdempotencyKeyReused
                if record is not None:
                    return Response(record.body, status=record.status, headers={REPLAYED: "true"})
                response = cast(Response, post(view, request, *args, **kwargs))
                body = response.data | dict.fromkeys(secret_fields) if secret_fields else response.data
                IdempotencyRecord.objects.create(
                    user=user, key=key, digest=digest, status=response.status_code, body=body
                )
            IdempotencyRecord.objects.filter(created_at__lt=timezone.now() - MAX_AGE).delete()
            return response

        return cast(Method, post_once)

    return decorate


def _key_of(request: Request) -> UUID | None:
    value = request.headers.get(HEADER)
    if value is None:
        return None
    try:
        return UUID(value)
    except ValueError:
        raise ValidationError({HEADER: ["Send a UUID."]}) from None


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
    """Raise unless the client has seen the current state. Call it in the transaction that changes the state."""
    header = request.headers.get("If-Match")
    if header is None:
        raise PreconditionRequired
    tags = parse_etags(header)
    if "*" not in tags and etag_of(representation) not in tags:
        raise PreconditionFailed
