"""Authentication by API key, scopes, rate limits and content negotiation of the API."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

from django.conf import settings
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework import exceptions
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import NotAcceptable
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from annotations.core.http.limits import Limit
from annotations.models import Token, User
from annotations.projects.people.tokens import find_token
from annotations.transfers.orders import ORDERS

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
    """The scopes of keys: `read`; `annotate` also writes the owner's codings; `manage` does all that the owner may."""

    message = "This key is not for that; make one of a wider scope."
    code = "token_scope"

    def has_permission(self, request: Request, view: "APIView") -> bool:
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


class LimitThrottle(BaseThrottle):
    """A throttle by a limit; a setting holds the number of requests."""

    limit: Limit
    setting: str

    def allow_request(self, request: Request, view: "APIView") -> bool:  # noqa: ARG002 - DRF's signature
        client = request.user.pk or self.get_ident(request)
        return self.limit.use(client) <= int(getattr(settings, self.setting))

    def wait(self) -> float:
        return self.limit.seconds_left()


class RequestThrottle(LimitThrottle):
    """The limit of all requests."""

    limit, setting = Limit("requests", seconds=60, step=60), "API_REQUESTS_A_MINUTE"


class TransferThrottle(LimitThrottle):
    """The limit of requests that start long jobs: imports, exports and archives."""

    limit, setting = ORDERS, "API_ORDERS_AN_HOUR"

    def allow_request(self, request: Request, view: "APIView") -> bool:
        return request.method != "POST" or super().allow_request(request, view)


class PermissiveContentNegotiation(DefaultContentNegotiation):
    """Content negotiation without 406: views write CSV and files themselves, errors are always JSON."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[Any, str]:
        renderers = list(renderers)
        try:
            return cast(tuple[Any, str], super().select_renderer(request, renderers, format_suffix))
        except NotAcceptable:
            return renderers[0], str(renderers[0].media_type)
