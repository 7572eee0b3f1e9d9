"""What no text of a document may hold, and what its language may be called."""

import re

# Databases hold no NUL and no half of a surrogate pair. (The application has the same rule in `core/text.py`.)
UNSTORABLE = re.compile("[\0\ud800-\udfff]")
LANGUAGE_TAG = re.compile(r"[A-Za-z0-9_-]{1,35}")


def is_storable(text: str) -> bool:
    return UNSTORABLE.search(text) is None
