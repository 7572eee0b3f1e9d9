"""Coindex's own middleware."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.http import ConditionalGetMiddleware
from django.utils.deprecation import MiddlewareMixin

from annotations.core.http.requests import request_method

API_PREFIX = "/api/"


class PathPrefixMiddleware(MiddlewareMixin):
    """Remove PATH_PREFIX from the path of a request if the proxy has left it there."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        if not settings.PATH_PREFIX:
            raise MiddlewareNotUsed
        super().__init__(get_response)

    def process_request(self, request: HttpRequest) -> None:
        prefix = settings.PATH_PREFIX
        if f"{request.path_info}/".startswith(f"{prefix}/"):
            request.path_info = request.path_info.removeprefix(prefix) or "/"
            request.path = f"{prefix}{request.path_info}"


class APIConditionalGetMiddleware(ConditionalGetMiddleware):
    """Answer `If-None-Match` with 304 only in the API: pages have a new token each time, so they never match."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        is_of_api = request.path_info.startswith(API_PREFIX)
        return super().process_response(request, response) if is_of_api else response


class RequestMethodMiddleware:
    """Tell permissions whether the request may write (`annotations/projects/permissions.py`)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with request_method(request.method):
            return self.get_response(request)


class UncachedPagesMiddleware(MiddlewareMixin):
    """Forbid storing pages, which belong to one person and one moment; the Back button requests them again."""

    def process_response(self, _: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if response.headers.get("Content-Type", "").startswith("text/html") and "Cache-Control" not in response:
            response["Cache-Control"] = "private, no-store"
        return response


class NulCharacterMiddleware(MiddlewareMixin):
    """Answer 404 to a path with a NUL character, which PostgreSQL cannot compare."""

    def process_request(self, request: HttpRequest) -> None:
        if "\0" in request.path_info:
            raise Http404("Not found.")
