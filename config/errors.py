"""Errors outside the API's and pages' views: a page for people, problem details for programs."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views import defaults

from annotations.api.problems import CONTENT_TYPE, problem_body
from config.middleware import API_PREFIX


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 404."""
    if request.path.startswith(API_PREFIX):
        return _problem(404, "not_found", "There is nothing at this address.")
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 500. The log has the error under the id of the request."""
    if request.path.startswith(API_PREFIX):
        return _problem(500, "server_error", "The server failed; its log has more under X-Request-ID.")
    return defaults.server_error(request)


def _problem(status: int, code: str, detail: str) -> HttpResponse:
    return JsonResponse(problem_body(status, code, detail), status=status, content_type=CONTENT_TYPE)
