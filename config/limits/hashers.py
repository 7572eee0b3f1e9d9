"""Password hashing, which takes 100 MB each time on purpose."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from threading import BoundedSemaphore
from typing import Any

from django.contrib.auth.hashers import Argon2PasswordHasher
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render

HASHES_AT_ONCE = 2
# Further requests wait in threads that are then blocked; more are rejected. Half of a process's eight threads
# (config/gunicorn.py) remain for coders.
MAX_WAITING = 2
SECONDS_TO_RETRY = 5

_hashes = BoundedSemaphore(HASHES_AT_ONCE)
_room = BoundedSemaphore(HASHES_AT_ONCE + MAX_WAITING)


class BoundedArgon2PasswordHasher(Argon2PasswordHasher):
    """Django's Argon2 hasher, limited to two hashes at a time in a process."""

    def encode(self, password: str, salt: str) -> str:
        with _hashes:
            return super().encode(password, salt)

    def verify(self, password: str, encoded: str) -> bool:
        with _hashes:
            return super().verify(password, encoded)


def refuse_crowd(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Let few requests with a password wait, and answer 429 to more of them."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.method != "POST":
            return view(request, *args, **kwargs)
        if not _room.acquire(blocking=False):
            response = render(request, "registration/busy.html", status=429)
            response["Retry-After"] = str(SECONDS_TO_RETRY)
            return response
        try:
            return view(request, *args, **kwargs)
        finally:
            _room.release()

    return wrapped
