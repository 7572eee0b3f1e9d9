"""Middleware of our own."""

from __future__ import annotations

from collections.abc import Callable

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.http import ConditionalGetMiddleware

from annotations.core.http.requests import request_method

API_PREFIX = "/api/"


class APIConditionalGetMiddleware(ConditionalGetMiddleware):
    """Answer `If-None-Match` with 304 in the API alone: a page has a new token each time, so none is ever the same."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        return super().process_response(request, response) if request.path.startswith(API_PREFIX) else response


class RequestMethodMiddleware:
    """Let rights know whether the request may change something (`annotations/projects/permissions.py`)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with request_method(request.method):
            return self.get_response(request)


class UncachedPagesMiddleware:
    """Let nobody store a page: what is on it is of one person and of one moment. The Back button asks for it again."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if response.headers.get("Content-Type", "").startswith("text/html") and "Cache-Control" not in response:
            response["Cache-Control"] = "private, no-store"
        return response


class NulCharacterMiddleware:
    """Answer 404 where the path has a NUL character, which PostgreSQL takes in no comparison.

    Parameters and bodies are checked by forms and serializers, whose errors name the field.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "\0" in request.path_info:
            raise Http404("Not found.")
        return self.get_response(request)
