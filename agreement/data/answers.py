"""The answers of coders as integers: what reliability data are made of."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from agreement.measures.values import Bools, Ints

# Why a coding does not count unless it is included by this name; the first that fits holds.
REASONS_LEFT_OUT = ("gold", "practice", "repeats", "open")


@dataclass(frozen=True, slots=True)
class CoderAnswers:
    """What one coder answered in one text, in integers.

    `unit` has the places of the judged units, ascending, `category` that of each one's category in the scheme, and
    `complete` says whether the answer has all that its category asks for. `link_of` is a place in `unit`, `link_to`
    that of a target among the text's members, or of an index among `indices`. `marked` has the places of all units that
    the coding has, also of those without a category. `reason` is one of REASONS_LEFT_OUT, or empty where the coding
    counts.
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

    def with_first_links(self) -> CoderAnswers:
        """Return the answers with the first link of each judgement alone."""
        _, first = np.unique(self.link_of, return_index=True)
        return replace(self, link_of=self.link_of[first], link_to=self.link_to[first])


@dataclass(frozen=True, eq=False)
class TextAnswers:
    """What the coders said of one text: its units in text order, what is only pointed at, and each coder's work.

    `given` says of each unit whether every coder is given it; the others are marked by some coder. `cache` holds what
    was computed of this text alone. A text that changes is another object.
    """

    pk: int
    units: tuple[int, ...]
    others: tuple[int, ...]
    keys: tuple[str, ...]
    categories: tuple[str, ...]
    given: Bools
    coder_answers: tuple[CoderAnswers, ...]
    cache: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    def select(self, coder_answers: Iterable[CoderAnswers]) -> TextAnswers:
        """Return the text with only these of its coders' answers. Of equal selections there is one object."""
        selected = tuple(coder_answers)
        if len(selected) == len(self.coder_answers):
            return self
        key = ("selection", tuple((one.coder, one.reason) for one in selected))
        found: TextAnswers | None = self.cache.get(key)
        return found or self.cache.setdefault(key, replace(self, coder_answers=selected, cache={}))

    def with_first_links(self) -> TextAnswers:
        """Return the text with the first antecedent or index of each judgement alone."""
        return replace(self, coder_answers=tuple(one.with_first_links() for one in self.coder_answers), cache={})

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
            # what every coder is given needs no mark
            marked = np.setdiff1d(one.marked[~self.given[one.marked]], one.unit)
            if len(marked):
                digest.update(marked.astype("<i8").tobytes())
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


@dataclass(frozen=True, slots=True)
class CodingLeftOut:
    """A coding with judgements that does not count, and why: one of REASONS_LEFT_OUT."""

    text: str
    coder: str
    reason: str


@dataclass(frozen=True, eq=False)
class Extract:
    """The answers of a project, or of a selection. `coders` are those who answered anything, by name.

    Texts are in the order of their addresses. `known_coders` are the coders of the whole project, and `left_out` the
    codings that a selection leaves out although their coders are selected. `kind` is how values are made, as one of
    the answers of `Project`: pyramids index. `singletons` are the categories whose units refer to themselves alone,
    where coders index. `units` is what is counted of pyramids, empty for markables as they are judged. `labels` are
    what categories are called on pages, by key. `managers` are coders who manage the project, too. `cache` holds what
    was computed of these answers: an extract of others is another object.
    """

    kind: str
    unmarked: str
    categories: tuple[str, ...]
    coders: tuple[str, ...]
    texts: tuple[TextEntry, ...]
    known_coders: tuple[str, ...]
    units: str = ""
    singletons: tuple[str, ...] = ()
    left_out: tuple[CodingLeftOut, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    managers: tuple[str, ...] = ()
    cache: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    def label(self, category: str) -> str:
        """Return what a category is called on pages; what is no key of one is its own label."""
        return self.labels.get(category, category)

    def select(self, included: Iterable[str] = (), coders: Iterable[str] = ()) -> Extract:
        """Return the answers that count: submitted codings of coders, and those that `included` adds by reason.

        coders: only theirs; empty: of all. A coding without judgements counts nowhere. All texts stay.
        """
        chosen, counted = frozenset(coders), frozenset(["", *included])
        key = ("selection", chosen, counted)
        found: Extract | None = self.cache.get(key)
        return found or self.cache.setdefault(key, self._select(chosen, counted))

    def _select(self, chosen: frozenset[str], counted: frozenset[str]) -> Extract:
        left_out = [one for one in self.left_out if not chosen or one.coder in chosen]
        texts = []
        for text in self.texts:
            of_chosen = [one for one in text.answers.coder_answers if not chosen or one.coder in chosen]
            left_out += [
                CodingLeftOut(text.slug, one.coder, one.reason)
                for one in of_chosen
                if one.reason not in counted and len(one.unit)
            ]
            selected = text.answers.select(one for one in of_chosen if one.reason in counted and len(one.unit))
            texts.append(replace(text, answers=selected))
        return replace(self, texts=tuple(texts), coders=_coders_of(texts), left_out=tuple(left_out), cache={})

    @cached_property
    def reasons_left_out(self) -> tuple[str, ...]:
        """Why codings with judgements do not count, where they are not included."""
        reasons = {one.reason for text in self.texts for one in text.answers.coder_answers if len(one.unit)}
        return tuple(reason for reason in REASONS_LEFT_OUT if reason in reasons)

    def count_left_out(self, texts: Iterable[TextEntry]) -> dict[str, int]:
        """Return how many codings of these texts are left out, by reason."""
        slugs = {text.slug for text in texts}
        counts = Counter(one.reason for one in self.left_out if one.text in slugs)
        return {reason: counts[reason] for reason in REASONS_LEFT_OUT}

    @classmethod
    def of_texts(
        cls,
        kind: str,
        unmarked: str,
        categories: tuple[str, ...],
        texts: tuple[TextEntry, ...],
        units: str = "",
        singletons: tuple[str, ...] = (),
        labels: Mapping[str, str] | None = None,
        managers: tuple[str, ...] = (),
    ) -> Extract:
        """Return all answers of these texts."""
        coders = _coders_of(texts)
        return cls(
            kind, unmarked, categories, coders, texts, coders, units, singletons, labels=labels or {}, managers=managers
        )

    @cached_property
    def fingerprint(self) -> str:
        """A short name for exactly these answers: equal for equal data, whatever the database."""
        about: list[Any] = [self.kind, self.unmarked]
        about += [self.units] if self.units else []
        about += [list(self.singletons)] if self.singletons and not self.units else []
        digest = hashlib.sha256(json.dumps(about).encode())
        for text in self.texts:
            digest.update(json.dumps(text.slug).encode())
            digest.update(text.answers.digest)
        return digest.hexdigest()[:16]

    def text(self, slug: str) -> TextEntry | None:
        """Return the text with that address."""
        return next((text for text in self.texts if text.slug == slug), None)


def _coders_of(texts: Iterable[TextEntry]) -> tuple[str, ...]:
    """Return those who answered anything in the texts, by name."""
    return tuple(sorted({one.coder for text in texts for one in text.answers.coder_answers if len(one.unit)}))
