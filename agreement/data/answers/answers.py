"""The answers of coders in a text as integers: what reliability data are made of."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from agreement.data.answers.links import count_readings, find_first_classes, plural_readings
from agreement.data.answers.summaries import AnswerSummary, CodingSummary
from agreement.measures.data.arrays import run_starts
from agreement.measures.values import Bools, Ints

# No places.
NOWHERE = np.zeros(0, dtype=np.int64)
# What stands in place of a value. No key of a value is like the first two; relations have no others than the last two.
NOT_ASKED, NO_LABEL = "not asked", "no label"
NOT_SET, SET = "not set", "set"


@dataclass(frozen=True, slots=True)
class CoderAnswers:
    """What one coder answered in one text, in integers.

    `unit` has the places of the judged units, ascending, `category` that of each one's category in the scheme, and
    `complete` says whether the answer has all that its category asks for. `link_of` is a place in `unit`, `link_to`
    that of a target among the text's members, or of an index among `indices`, which stand in the order of their members
    in the text. `marked` has the places of all units that
    the coding has, also of those without a category. `reason` is one of REASONS_LEFT_OUT, or empty where the coding
    counts. `reading` has the reading of each link, within its judgement: what is of one reading is meant together.
    Without it each link is a reading of its own.

    Answers to a question besides the category have values in place of the categories. Of `n_unasked` judgements the
    question was not asked, and `n_unanswered` have no answer to it. `coding` is the primary key of the coding.

    Where only judgements of some versions of the scheme were read, `other_versions` has the places of the units that
    the coder judged under another one, ascending: they are missing, whatever silence means. `submitted` is then false
    where no judgement is of those versions, nor, of a coding without a judgement, its submission: the silence of that
    coding is of none of them.
    """

    coder: str
    submitted: bool
    reason: str
    marked: Ints
    unit: Ints
    category: Ints
    complete: Bools
    link_of: Ints
    link_to: Ints
    indices: tuple[str, ...]
    reading: Ints | None = None
    n_unasked: int = 0
    n_unanswered: int = 0
    coding: int = 0
    other_versions: Ints = field(default_factory=lambda: NOWHERE)

    @property
    def is_answer(self) -> bool:
        """Whether the coder has answered: to submit a text without a judgement is an answer, too."""
        return len(self.unit) > 0 or self.submitted

    @property
    def is_ambiguous(self) -> Bools:
        """Which judgements have two readings or more."""
        return count_readings(self.link_of, self.reading, len(self.unit)) > 1

    def with_first_readings(self) -> CoderAnswers:
        """Return the answers with the first reading of each judgement alone, or its first class (`first_class`)."""
        if self.reading is None:
            first = find_first_classes(self.link_of, self.link_to) if self.indices else run_starts(self.link_of)
            return replace(self, link_of=self.link_of[first], link_to=self.link_to[first])
        first = np.flatnonzero(self.reading == 0)
        link_of, link_to, reading = (one[first] for one in (self.link_of, self.link_to, self.reading))
        return replace(self, link_of=link_of, link_to=link_to, reading=plural_readings(link_of, reading))


@dataclass(frozen=True, eq=False)
class TextAnswers:
    """What the coders said of one document: its units in text order, what is only pointed at, and each coder's work.

    Keys are as in `agreement.data.codings.documents`. `given` says of each unit whether every coder is given it; the
    others are marked by some coder. `cache` holds what was computed of this document
    alone. One that changes is another object.
    """

    pk: int
    units: tuple[int, ...]
    others: tuple[int, ...]
    keys: tuple[str, ...]
    categories: tuple[str, ...]
    given: Bools
    coder_answers: tuple[CoderAnswers, ...]
    cache: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def empty(cls, pk: int, categories: tuple[str, ...]) -> TextAnswers:
        """Return the answers in a document that somebody has deleted."""
        return cls(pk, (), (), (), categories, np.zeros(0, dtype=np.bool_), ())

    def select(self, coder_answers: Iterable[CoderAnswers]) -> TextAnswers:
        """Return the text with only these of its coders' answers. Of equal selections there is one object."""
        selected = tuple(coder_answers)
        if len(selected) == len(self.coder_answers):
            return self
        key = ("selection", tuple((one.coder, one.reason) for one in selected))
        found: TextAnswers | None = self.cache.get(key)
        return found or self.cache.setdefault(key, replace(self, coder_answers=selected, cache={}))

    def with_first_readings(self) -> TextAnswers:
        """Return the text with the first reading or index of each judgement alone."""
        return replace(self, coder_answers=tuple(one.with_first_readings() for one in self.coder_answers), cache={})

    @property
    def n_judgements(self) -> int:
        return sum(len(one.unit) for one in self.coder_answers)

    @property
    def digest_of_keys(self) -> bytes:
        """Equal for equal keys of the members."""
        return hashlib.sha256("\n".join(self.keys).encode()).digest()

    def digest_of(self, one: CoderAnswers) -> bytes:
        """Return what is equal for equal answers of a coder to equal members, whatever the keys of the rows.

        Neither the coder nor entities are named in it.
        """
        used = np.bincount(one.category, minlength=len(self.categories)) > 0
        category = (np.cumsum(used) - 1)[one.category]
        names = [self.categories[number] for number in np.flatnonzero(used).tolist()]
        head = [one.submitted, len(self.units), names, len(one.unit), len(one.link_of)]
        digest = hashlib.sha256(json.dumps(head, ensure_ascii=False).encode())
        arrays = (one.unit, category, one.complete, one.link_of, one.link_to)
        for array in arrays if one.reading is None else (*arrays, one.reading):
            digest.update(array.astype("<i8").tobytes())
        # what every coder is given needs no mark
        marked = np.setdiff1d(one.marked[~self.given[one.marked]], one.unit)
        if len(marked):
            digest.update(marked.astype("<i8").tobytes())
        if len(one.other_versions):
            digest.update(b"other versions" + one.other_versions.astype("<i8").tobytes())
        return digest.digest()

    def summarize(self) -> AnswerSummary:
        """Return what is known of each coding without its answers."""
        codings = [
            CodingSummary(
                work.coder,
                work.submitted,
                work.reason,
                work.coding,
                len(work.unit),
                len(work.other_versions),
                self.digest_of(work),
            )
            for work in self.coder_answers
        ]
        return AnswerSummary.of(codings, self.digest_of_keys)
