"""Errors outside the views of API and pages: a page for people, problem details for programs."""

import math
from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.views import defaults

from annotations.api.http.problems import CONTENT_TYPE, problem_body
from config.middleware import API_PREFIX


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if request.path_info.startswith(API_PREFIX):
        return _problem(404, "not_found", "Not found.")
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 500. The log has the error with the request's id."""
    if request.path_info.startswith(API_PREFIX):
        return _problem(500, "server_error", "Server error. Its log has details under X-Request-ID.")
    return defaults.server_error(request)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Answer 403 to a form without the page's token or from an untrusted origin; the page names that origin."""
    context = {}
    if reason.startswith(("Origin checking failed", "Referer checking failed")):
        sent = urlsplit(request.headers.get("Origin") or request.headers.get("Referer", ""))
        # An Origin may be "null", and a Referer empty.
        origin = f"{sent.scheme}://{sent.netloc}" if sent.netloc else ""
        context = {"is_foreign": True, "origin": origin, "own": f"{request.scheme}://{request.get_host()}"}
    return HttpResponse(render_to_string("403_csrf.html", context, request), status=403)


def content_too_large(request: HttpRequest, maximum: int) -> HttpResponse:
    """Answer 413 to a body of more than `maximum` bytes."""
    detail = f"The request may have at most {maximum} bytes."
    if request.path_info.startswith(API_PREFIX):
        return _problem(413, "too_large", detail)
    return HttpResponse(render_to_string("413.html", {"detail": detail}, request), status=413)


def too_many_requests(request: HttpRequest, seconds: float) -> HttpResponse:
    """Answer 429 with the seconds to wait."""
    if request.path_info.startswith(API_PREFIX):
        response = _problem(429, "throttled", f"Try again in {math.ceil(seconds)} seconds.")
    else:
        response = HttpResponse(render_to_string("429.html", request=request), status=429)
    response["Retry-After"] = str(math.ceil(seconds))
    return response


def _problem(status: int, code: str, detail: str) -> HttpResponse:
    return JsonResponse(problem_body(status, code, detail), status=status, content_type=CONTENT_TYPE)
