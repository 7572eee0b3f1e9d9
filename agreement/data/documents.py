"""Documents: texts in a round, as coders saw them on one occasion.

Documents and units have whole numbers as keys. The first document of a text has the primary key of the text, and its
units have the primary keys of their markables. Further documents of a text add multiples of NEXT_DOCUMENT.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field

NEXT_DOCUMENT = 1 << 44  # all primary keys are smaller; its multiples number the documents of a text


@dataclass(frozen=True, slots=True)
class Document:
    """A text in a round."""

    pk: int
    slug: str
    title: str
    round: str
    place: int = 0  # the position of the round in the project
    occasion: int = 1  # above 1 if coders saw the text again within the round
    reason: str = ""  # one of REASONS_LEFT_OUT if the document is practice or a repeat
    is_one_of_several: bool = False  # whether the text has other documents, too
    version: str = field(default="", compare=False, repr=False)  # changes with its answers, notes and log

    @property
    def text_pk(self) -> int:
        return row_key(self.pk)

    @property
    def name(self) -> str:
        """The slug of the text, followed by the round if the text has several documents."""
        return self.slug + self._distinction

    @property
    def label(self) -> str:
        """The title of the text, followed by the round if the text has several documents."""
        return self.title + self._distinction

    @property
    def _distinction(self) -> str:
        if not self.is_one_of_several:
            return ""
        return f" ({self.round}, occasion {self.occasion})" if self.occasion > 1 else f" ({self.round})"


def row_key(key: int) -> int:
    """Return the primary key of the text of a document, or of the markable of a unit."""
    return key % NEXT_DOCUMENT


def original_of(key: Hashable) -> Hashable:
    """Return the primary key shared by all copies of a text or markable, which are not independent; else the key."""
    return row_key(key) if isinstance(key, int) else key


def shift_of(key: int) -> int:
    """Return the offset of the keys of a document and its units from the primary keys of their rows."""
    return key - row_key(key)
