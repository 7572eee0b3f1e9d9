"""Authentication with API keys, and the scopes of keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework import exceptions
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from annotations.models import Token, User
from annotations.projects.people.tokens import find_token

if TYPE_CHECKING:  # the module of views imports these classes
    from rest_framework.views import APIView

KEYWORD = "Bearer"


class TokenAuthentication(BaseAuthentication):
    """Authentication by the header `Authorization: Bearer KEY`."""

    def authenticate(self, request: Request) -> tuple[User, Token] | None:
        keyword, _, secret = request.headers.get("Authorization", "").partition(" ")
        if keyword.casefold() != KEYWORD.casefold():
            return None
        token = find_token(secret.strip())
        if token is None:
            raise exceptions.AuthenticationFailed("There is no such key, or it has ended.", code="bad_token")
        return token.user, token

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002 - the same for all
        return KEYWORD


class WithinScope(BasePermission):
    """The scopes of keys: read; annotate, which adds writing to the owner's codings; manage, all that the owner may."""

    message = "This key is not for that; make one of a wider scope."
    code = "token_scope"

    def has_permission(self, request: Request, view: APIView) -> bool:
        token = request.auth
        if not isinstance(token, Token) or request.method in SAFE_METHODS or token.scope == Token.Scope.MANAGE:
            return True
        return token.scope == Token.Scope.ANNOTATE and getattr(view, "annotates", False)


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """`Authorization: Bearer KEY`."""

    target_class = TokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:  # noqa: ARG002 - the same for all
        return {"type": "http", "scheme": "bearer"}
