"""Keys of the API: made, told again, and what each may do."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta
from typing import TYPE_CHECKING

from django.db.models import CharField, QuerySet
from django.utils import timezone
from rest_framework import exceptions
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from annotations.models import Token, User
from annotations.prepared import prepared

if TYPE_CHECKING:  # the views ask for these classes while they are read
    from rest_framework.views import APIView

BEGIN = "coindex_"
KEYWORD = "Bearer"
SHOWN = len(BEGIN) + 4
LONGEST_DAYS = 366
# The last use is kept to the hour: a key that is used all the time does not write all the time.
USE_IS_KEPT = timedelta(hours=1)


def make_token(user: User, name: str, scope: str, days: int) -> tuple[Token, str]:
    """A key that ends after so many days, with what it is made of, which nobody can find out again."""
    secret = BEGIN + secrets.token_urlsafe(32)
    token = Token(
        user=user,
        name=name,
        scope=scope,
        digest=digest_of(secret),
        begins=secret[:SHOWN],
        expires_at=timezone.now() + timedelta(days=min(days, LONGEST_DAYS)),
    )
    token.full_clean()
    token.save()
    return token, secret


def token_of(secret: str) -> Token | None:
    """The key that is made of this, where there is one that has not ended and whose owner may sign in."""
    token = next(iter(_tokens(digest_of(secret))), None)
    now = timezone.now()
    if token is None or token.expires_at <= now or not token.user.is_active:
        return None
    if token.last_used_at is None or now - token.last_used_at >= USE_IS_KEPT:
        Token.objects.filter(pk=token.pk).update(last_used_at=now)
    return token


@prepared(CharField())
def _tokens(digest: str) -> QuerySet[Token]:
    return Token.objects.select_related("user").filter(digest=digest)


def digest_of(secret: str) -> str:
    """No salt and no slow hash are needed: 256 bits by chance cannot be guessed."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer KEY`."""

    def authenticate(self, request: Request) -> tuple[User, Token] | None:
        keyword, _, secret = request.headers.get("Authorization", "").partition(" ")
        if keyword.casefold() != KEYWORD.casefold():
            return None
        token = token_of(secret.strip())
        if token is None:
            raise exceptions.AuthenticationFailed("There is no such key, or it has ended.", code="bad_token")
        return token.user, token

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002 - the same for all
        return KEYWORD


class WithinScope(BasePermission):
    """A key reads; one that annotates also writes to its owner's codings; one that manages does all its owner may."""

    message = "This key is not for that; make one of a wider scope."
    code = "token_scope"

    def has_permission(self, request: Request, view: APIView) -> bool:
        token = request.auth
        if not isinstance(token, Token) or request.method in SAFE_METHODS or token.scope == Token.Scope.MANAGE:
            return True
        return token.scope == Token.Scope.ANNOTATE and getattr(view, "annotates", False)
