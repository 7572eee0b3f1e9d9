"""Characters that no text may hold, and the longest names and language tags."""

import re

# Databases hold no NUL and no half of a surrogate pair. (The application has the same rule in `core/text.py`.)
UNSTORABLE = re.compile("[\0\ud800-\udfff]")
# The longest names of entities, of markables and turns, and of speakers.
MAX_INDEX_LENGTH = 200
MAX_LABEL_LENGTH = 50
MAX_SPEAKER_LENGTH = 100
LANGUAGE_TAG = re.compile(r"[A-Za-z0-9_-]{1,35}")


def is_storable(text: str) -> bool:
    """Return whether databases can hold the text."""
    return UNSTORABLE.search(text) is None
