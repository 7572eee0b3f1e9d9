"""The schema of the API, as the program describes it."""

from __future__ import annotations

import json
from functools import cache
from io import StringIO
from typing import Any

from django.core.management import call_command


@cache
def schema_of_api() -> dict[str, Any]:
    """Return the schema, which takes seconds to make and is not to be changed."""
    out = StringIO()
    call_command("spectacular", "--format", "openapi-json", stdout=out)
    found: dict[str, Any] = json.loads(out.getvalue())
    return found
