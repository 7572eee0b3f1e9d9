"""A POST that is sent again with the same `Idempotency-Key` does nothing a second time and gets the first answer."""

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

from annotations.models import Answered, User
from annotations.permissions import Right, project_for

HEADER = "Idempotency-Key"
REPLAYED = "Idempotent-Replayed"
KEPT = timedelta(days=1)

type Post = Callable[..., Response]


class KeyUsed(APIException):
    status_code = status.HTTP_422_UNPROCESSABLE_ENTITY
    default_code = "key_used"
    default_detail = f"This {HEADER} was sent with something else before: take a new one."


def idempotent(right: Right | None = None, *, but: tuple[str, ...] = ()) -> Callable[[Post], Post]:
    """For the `post` of an API view that writes to the database alone.

    right: what the view asks for, so that who has lost it gets no old answer either. but: fields that are shown once.
    Answer and effect are committed together, so that neither is there without the other.
    """

    def decorate(post: Post) -> Post:
        @extend_schema(
            parameters=[
                OpenApiParameter(
                    HEADER,
                    UUID,
                    OpenApiParameter.HEADER,
                    description="One of your own: sent again within a day, the same request is carried out once.",
                )
            ]
        )
        @wraps(post)
        def once(view: APIView, request: Request, *args: Any, **kwargs: Any) -> Response:
            key = _key_of(request)
            if key is None:
                return post(view, request, *args, **kwargs)
            if right is not None:
                project_for(request.user, kwargs["slug"], right)
            user, digest = cast(User, request.user), _digest_of(request)
            with transaction.atomic():
                # Who sends the same at this moment waits here, and finds the answer below. Others may write rows that
                # name the person: they may hold what is waited for next.
                User.objects.select_for_update(no_key=True).get(pk=user.pk)
                before = Answered.objects.filter(user=user, key=key).first()
                if before is not None:
                    return _again(before, digest)
                answer = post(view, request, *args, **kwargs)
                body = _kept(answer.data, but)
                Answered.objects.create(user=user, key=key, digest=digest, status=answer.status_code, body=body)
            Answered.objects.filter(created_at__lt=timezone.now() - KEPT).delete()
            return answer

        return cast(Post, once)

    return decorate


def _key_of(request: Request) -> UUID | None:
    given = request.headers.get(HEADER)
    if given is None:
        return None
    try:
        return UUID(given)
    except ValueError:
        raise ValidationError({HEADER: ["Send a UUID."]}) from None


def _digest_of(request: Request) -> str:
    sent = json.dumps([request.method, request.get_full_path(), request.data], sort_keys=True)
    return hashlib.sha256(sent.encode("utf-8", "surrogatepass")).hexdigest()


def _kept(body: Any, but: tuple[str, ...]) -> Any:
    """What of an answer is kept for who sends the same again."""
    return body | dict.fromkeys(but) if but else body


def _again(before: Answered, digest: str) -> Response:
    if before.digest != digest:
        raise KeyUsed
    return Response(before.body, status=before.status, headers={REPLAYED: "true"})
