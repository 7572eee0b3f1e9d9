"""Middleware of our own."""

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
    """Take PATH_PREFIX from the path of a request, where the proxy has left it there."""

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
    """Answer `If-None-Match` with 304 in the API alone: a page has a new token each time, so none is ever the same."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        is_of_api = request.path_info.startswith(API_PREFIX)
        return super().process_response(request, response) if is_of_api else response


class RequestMethodMiddleware:
    """Let rights know whether the request may change something (`annotations/projects/permissions.py`)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with request_method(request.method):
            return self.get_response(request)


class UncachedPagesMiddleware(MiddlewareMixin):
    """Let nobody store a page: what is on it is of one person and of one moment. The Back button asks for it again."""

    def process_response(self, _: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if response.headers.get("Content-Type", "").startswith("text/html") and "Cache-Control" not in response:
            response["Cache-Control"] = "private, no-store"
        return response


class NulCharacterMiddleware(MiddlewareMixin):
    """Answer 404 where the path has a NUL character, which PostgreSQL takes in no comparison."""

    def process_request(self, request: HttpRequest) -> None:
        if "\0" in request.path_info:
            raise Http404("Not found.")
