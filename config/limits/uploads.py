"""The addresses that accept files, and their limits. Needs no application, so that servers can read it early."""

from __future__ import annotations

import re

from django.conf import settings

# The addresses that accept files (the same in deploy/nginx.conf); others accept the size of forms and operations.
TAKES_ARCHIVES = re.compile(r"/(projects/new/archive|api/v1/archives)/")
TAKES_IMPORTS = re.compile(r"/(projects/[^/]+/(import|docsets(/[^/]+/peers)?)|api/v1/projects/[^/]+/imports)/")


def most_bytes(path: str) -> int:
    """Return the largest body that the address accepts from signed-in users: a file, and the rest of its form."""
    maximum: int = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    if TAKES_ARCHIVES.fullmatch(path):
        maximum += settings.ARCHIVE_MAX_BYTES
    elif TAKES_IMPORTS.fullmatch(path):
        maximum += settings.IMPORT_MAX_BYTES
    return maximum
