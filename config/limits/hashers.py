"""The hashing of passwords, which takes memory on purpose: 100 MB each."""

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
# Further requests wait for these, in threads that then answer nobody else; more are sent away. Of the eight threads of
# a process (config/gunicorn.py) half are left for whoever codes.
MOST_WAITING = 2
SECONDS_TO_RETRY = 5

_hashes = BoundedSemaphore(HASHES_AT_ONCE)
_room = BoundedSemaphore(HASHES_AT_ONCE + MOST_WAITING)


class BoundedArgon2PasswordHasher(Argon2PasswordHasher):
    """Argon2 as Django has it, of which a process calculates two at a time."""

    def encode(self, password: str, salt: str) -> str:
        with _hashes:
            return super().encode(password, salt)

    def verify(self, password: str, encoded: str) -> bool:
        with _hashes:
            return super().verify(password, encoded)


def refuse_crowd(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Let few requests that send a password wait for each other, and ask more of them to come again: status 429."""

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
