"""What figures call a document: a text in a round, as its coders saw it on one occasion.

Documents and units have whole numbers as keys. Those of the first document of a text are the primary keys of its row
and of its markables; each further document of the text has others, from which these are found again.
"""

from __future__ import annotations

from collections.abc import Hashable

# Primary keys are below it; what stands above is the number of the document among those of its text.
NEXT_DOCUMENT = 1 << 44


def document_key(text: int, number: int) -> int:
    """Return the key of a document of the text, which count from 0."""
    return text + number * NEXT_DOCUMENT


def row_key(key: int) -> int:
    """Return the primary key of the text that a document is of, or of the markable that a unit is."""
    return key % NEXT_DOCUMENT


def original_of(key: Hashable) -> Hashable:
    """Return the text that a document is of, or the markable that a unit is: copies of one are not independent."""
    return row_key(key) if isinstance(key, int) else key


def shift_of(key: int) -> int:
    """Return what the keys of a document and its units have more than the primary keys of their rows."""
    return key - row_key(key)
