"""The answers of coders as integers: what reliability data are made of."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from agreement.measures.values import Bools, Ints


@dataclass(frozen=True, slots=True)
class CoderAnswers:
    """What one coder answered in one text, in integers.

    `unit` has the places of the judged units, ascending, `category` that of each one's category in the scheme, and
    `complete` says whether the answer has all that its category asks for. `link_of` is a place in `unit`, `link_to`
    that of a target among the text's members, or of an index among `indices`.
    """

    coder: str
    submitted: bool
    unit: Ints
    category: Ints
    complete: Bools
    link_of: Ints
    link_to: Ints
    indices: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class TextAnswers:
    """What the coders said of one text: its units in text order, what is only pointed at, and each coder's work.

    `cache` holds what was computed of this text alone. A text that changes is another object.
    """

    pk: int
    units: tuple[int, ...]
    others: tuple[int, ...]
    keys: tuple[str, ...]
    categories: tuple[str, ...]
    coder_answers: tuple[CoderAnswers, ...]
    cache: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    @property
    def n_judgements(self) -> int:
        return sum(len(one.unit) for one in self.coder_answers)

    @cached_property
    def digest(self) -> bytes:
        """Equal for equal answers, whatever the keys of the rows."""
        digest = hashlib.sha256("\n".join(self.keys).encode())
        for one in self.coder_answers:
            used = np.bincount(one.category, minlength=len(self.categories)) > 0
            category = (np.cumsum(used) - 1)[one.category]
            names = [self.categories[number] for number in np.flatnonzero(used).tolist()]
            head = [one.coder, one.submitted, len(self.units), names, one.indices, len(one.unit), len(one.link_of)]
            digest.update(json.dumps(head, ensure_ascii=False).encode())
            for array in (one.unit, category, one.complete, one.link_of, one.link_to):
                digest.update(array.astype("<i8").tobytes())
        return digest.digest()


@dataclass(frozen=True, slots=True)
class TextEntry:
    """A text of a project: its address, title and round, and what was answered there."""

    slug: str
    title: str
    round: str
    answers: TextAnswers

    @property
    def pk(self) -> int:
        return self.answers.pk


@dataclass(frozen=True, eq=False)
class Extract:
    """All answers of a project. `coders` are those who answered anything, by name; texts in that of their addresses.

    `kind` is how its values are made, as one of the answers of `Project`: pyramids index. `units` is what is counted of
    pyramids, empty for markables as they are judged. `cache` holds what was computed of these answers: an extract of
    others is another object.
    """

    kind: str
    unmarked: str
    categories: tuple[str, ...]
    coders: tuple[str, ...]
    texts: tuple[TextEntry, ...]
    units: str = ""
    cache: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    @cached_property
    def fingerprint(self) -> str:
        """A short name for exactly these answers: equal for equal data, whatever the database."""
        about = [self.kind, self.unmarked, *([self.units] if self.units else [])]
        digest = hashlib.sha256(json.dumps(about).encode())
        for text in self.texts:
            digest.update(json.dumps(text.slug).encode())
            digest.update(text.answers.digest)
        return digest.hexdigest()[:16]

    def text(self, slug: str) -> TextEntry | None:
        """Return the text with that address."""
        return next((text for text in self.texts if text.slug == slug), None)
