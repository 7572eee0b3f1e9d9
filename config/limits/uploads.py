"""Which addresses take files, and how large. It needs no application, so that a server can ask before all is loaded."""

from __future__ import annotations

import re

from django.conf import settings

# The addresses that take files (the same in deploy/nginx.conf); all others take what a form or an operation needs.
TAKES_ARCHIVES = re.compile(r"/(projects/new/archive|api/v1/archives)/")
TAKES_IMPORTS = re.compile(r"/(projects/[^/]+/(import|docsets(/[^/]+/peers)?)|api/v1/projects/[^/]+/imports)/")


def most_bytes(path: str) -> int:
    """Return how large a body the address takes from who has signed in: a file, and what a form adds to it."""
    most: int = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    if TAKES_ARCHIVES.fullmatch(path):
        most += settings.ARCHIVE_MAX_BYTES
    elif TAKES_IMPORTS.fullmatch(path):
        most += settings.IMPORT_MAX_BYTES
    return most
