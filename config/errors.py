"""Errors that no view answers: a page for people, problem details for programs."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views import defaults

from annotations.problems import CONTENT_TYPE, described

API = "/api/"


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """There is nothing at the address."""
    if request.path.startswith(API):
        return _problem(404, "not_found", "There is nothing at this address.")
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """The program failed; the log says how, under the id of the request."""
    if request.path.startswith(API):
        return _problem(500, "server_error", "The server failed; its log has more under X-Request-ID.")
    return defaults.server_error(request)


def _problem(status: int, code: str, detail: str) -> HttpResponse:
    return JsonResponse(described(status, code, detail), status=status, content_type=CONTENT_TYPE)
