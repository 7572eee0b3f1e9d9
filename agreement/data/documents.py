"""What figures call a document: a text in a round, as its coders saw it on one occasion.

Documents and units have whole numbers as keys. Those of the first document of a text are the primary keys of its row
and of its markables; each further document of the text has others, from which these are found again.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field

# Primary keys are below it; what stands above is the number of the document among those of its text.
NEXT_DOCUMENT = 1 << 44


@dataclass(frozen=True, slots=True)
class Document:
    """A text in a round."""

    pk: int
    slug: str
    title: str
    round: str
    place: int = 0  # of the round among those of the project
    occasion: int = 1  # above 1 where coders saw the text again within the round
    reason: str = ""  # one of REASONS_LEFT_OUT where all of it is practice or repeats
    is_one_of_several: bool = False  # whether the text has other documents, too
    version: str = field(default="", compare=False, repr=False)  # changes with its answers, notes and log

    @property
    def text_pk(self) -> int:
        return row_key(self.pk)

    @property
    def name(self) -> str:
        """The address of the text, with the round where there are several documents of it."""
        return self.slug + self._distinction

    @property
    def label(self) -> str:
        """The title of the text, with the round where there are several documents of it."""
        return self.title + self._distinction

    @property
    def _distinction(self) -> str:
        if not self.is_one_of_several:
            return ""
        return f" ({self.round}, occasion {self.occasion})" if self.occasion > 1 else f" ({self.round})"


def row_key(key: int) -> int:
    """Return the primary key of the text that a document is of, or of the markable that a unit is."""
    return key % NEXT_DOCUMENT


def original_of(key: Hashable) -> Hashable:
    """Return the text that a document is of, or the markable that a unit is: copies of one are not independent."""
    return row_key(key) if isinstance(key, int) else key


def shift_of(key: int) -> int:
    """Return what the keys of a document and its units have more than the primary keys of their rows."""
    return key - row_key(key)
