"""Entity tags (RFC 9110)."""

import hashlib
from collections.abc import Mapping
from typing import Any

from django.utils.http import quote_etag
from rest_framework.renderers import JSONRenderer


def etag_of(representation: Mapping[str, Any] | bytes) -> str:
    """Return the entity tag of a representation, given as data or bytes."""
    content = representation if isinstance(representation, bytes) else JSONRenderer().render(representation)
    return quote_etag(hashlib.sha256(content).hexdigest()[:32])
