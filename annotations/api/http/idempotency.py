"""Idempotent POST requests: a request sent again with its `Idempotency-Key` has no effect and gets the first answer."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Any, cast
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.models import IdempotencyRecord, User
from annotations.models.people.rights import Right
from annotations.projects.permissions import project_for

HEADER = "Idempotency-Key"
REPLAYED = "Idempotent-Replayed"
MAX_AGE = timedelta(days=1)

type Post = Callable[..., Response]


class IdempotencyKeyReused(APIException):
    status_code = status.HTTP_422_UNPROCESSABLE_ENTITY
    default_code = "key_used"
    default_detail = f"This {HEADER} was sent with something else before: take a new one."


def idempotent(
    right: Right | None = None, *, secret_fields: tuple[str, ...] = (), archived: bool = False
) -> Callable[[Post], Post]:
    """Make the `post` of an API view idempotent, if it has no effects outside the database.

    `right` is the one that the view requires, so that a user who has lost it gets no old answer either, and `archived`
    says whether it takes archived projects. `secret_fields` are answered once only. Answer and effect are committed
    together, so that neither is stored without the other.
    """

    def decorate(post: Post) -> Post:
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
        def post_once(view: APIView, request: Request, *args: Any, **kwargs: Any) -> Response:
            key = _key_of(request)
            if key is None:
                return post(view, request, *args, **kwargs)
            if right is not None:
                project_for(request.user, kwargs["slug"], right, archived=archived)
            user = cast(User, request.user)
            content = json.dumps([request.method, request.get_full_path(), request.data], sort_keys=True)
            digest = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
            with transaction.atomic():
                # A concurrent request with the same key waits here, and finds the answer below. The lock still lets
                # others write rows that refer to the user, for which this request may have to wait.
                User.objects.select_for_update(no_key=True).get(pk=user.pk)
                record = IdempotencyRecord.objects.filter(user=user, key=key).first()
                if record is not None and record.digest != digest:
                    raise IdempotencyKeyReused
                if record is not None:
                    return Response(record.body, status=record.status, headers={REPLAYED: "true"})
                response = post(view, request, *args, **kwargs)
                body = response.data | dict.fromkeys(secret_fields) if secret_fields else response.data
                IdempotencyRecord.objects.create(
                    user=user, key=key, digest=digest, status=response.status_code, body=body
                )
            IdempotencyRecord.objects.filter(created_at__lt=timezone.now() - MAX_AGE).delete()
            return response

        return cast(Post, post_once)

    return decorate


def _key_of(request: Request) -> UUID | None:
    value = request.headers.get(HEADER)
    if value is None:
        return None
    try:
        return UUID(value)
    except ValueError:
        raise ValidationError({HEADER: ["Send a UUID."]}) from None
