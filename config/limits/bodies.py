"""The size of the bodies of requests."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.utils.deprecation import MiddlewareMixin
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from annotations.api.http.access import KEYWORD, TokenAuthentication
from config.errors import content_too_large
from config.limits.uploads import most_bytes


class BodySizeMiddleware(MiddlewareMixin):
    """Answer 413 to a body that is too large, unread; only signed-in users may send files."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        try:
            size = int(request.headers.get("Content-Length") or 0)
        except ValueError:
            size = 0  # then Django reads nothing
        maximum = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        if size > maximum:
            maximum = most_bytes(request.path_info) if is_signed_in(request) else maximum
        return content_too_large(request, maximum) if size > maximum else None


@login_not_required
@never_cache
@require_safe
def signed_in(request: HttpRequest) -> HttpResponse:
    """Answer 204 to signed-in users and 401 to others: a proxy asks this before it reads a large body."""
    if is_signed_in(request):
        return HttpResponse(status=204)
    return HttpResponse(status=401, headers={"WWW-Authenticate": KEYWORD})


def is_signed_in(request: HttpRequest) -> bool:
    """Return whether the request is authenticated by a session or a key."""
    if request.user.is_authenticated:
        return True
    try:
        return TokenAuthentication().authenticate(Request(request)) is not None
    except AuthenticationFailed:
        return False
