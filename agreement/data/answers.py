"""The answers of coders as integers: what reliability data are made of."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from agreement.data.documents import row_key
from agreement.data.links import count_readings, plural_readings
from agreement.measures.data.arrays import run_starts
from agreement.measures.values import Bools, Ints

# Why a coding does not count unless it is included by this name; the first that fits holds.
REASONS_LEFT_OUT = ("gold", "practice", "repeats", "open")
# How values are made of which chains are the sets.
CHAINED = ("pointers", "indices")
# A question with more different answers, in words or numbers, has no table with a column for each.
MOST_VALUES = 60
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
    that of a target among the text's members, or of an index among `indices`. `marked` has the places of all units that
    the coding has, also of those without a category. `reason` is one of REASONS_LEFT_OUT, or empty where the coding
    counts. `reading` has the reading of each link, within its judgement: what is of one reading is meant together.
    Without it each link is a reading of its own.

    Answers to a question besides the category have values in place of the categories. Of `n_unasked` judgements the
    question was not asked, and `n_unanswered` have no answer to it. `coding` is the primary key of the coding.

    Where only judgements of some versions of the scheme were read, `other_versions` has the places of the units that
    the coder judged under another one, ascending: they are missing, whatever silence means. `submitted` is then false
    where no judgement is of those versions: the silence of that coding is of none of them.
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
    def is_ambiguous(self) -> Bools:
        """Which judgements have two readings or more."""
        return count_readings(self.link_of, self.reading, len(self.unit)) > 1

    def with_first_readings(self) -> CoderAnswers:
        """Return the answers with the first reading of each judgement alone."""
        if self.reading is None:
            first = run_starts(self.link_of)
            return replace(self, link_of=self.link_of[first], link_to=self.link_to[first])
        first = np.flatnonzero(self.reading == 0)
        link_of, link_to, reading = (one[first] for one in (self.link_of, self.link_to, self.reading))
        return replace(self, link_of=link_of, link_to=link_to, reading=plural_readings(link_of, reading))


def name_value(value: Hashable) -> str:
    """Return what a value is called: of numbers 3 and not 3.0."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


@dataclass(frozen=True, slots=True)
class Question:
    """A question besides the category whose answers can be compared.

    `kind` says how its values are made: "categories", "labels" (sets of such), "numbers", or "targets" (sets of what a
    relation points to). `second` is the key of the attribute that asks for a second choice. `to_levels` are those of
    the targets of a relation, which may stand later in the text where `later` says so.
    """

    key: str
    label: str
    kind: str
    second: str = ""
    to_levels: tuple[str, ...] = ()
    later: bool = False


@dataclass(frozen=True, eq=False)
class TextAnswers:
    """What the coders said of one document: its units in text order, what is only pointed at, and each coder's work.

    Keys are as in `agreement.data.documents`. `given` says of each unit whether every coder is given it; the others are
    marked by some coder. `cache` holds what was computed of this document alone. One that changes is another object.
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

    def with_first_readings(self) -> TextAnswers:
        """Return the text with the first reading or index of each judgement alone."""
        return replace(self, coder_answers=tuple(one.with_first_readings() for one in self.coder_answers), cache={})

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


@dataclass(frozen=True, slots=True)
class TextEntry:
    """A document of a project: a text in a round, and what was answered there.

    `place` is that of the round among those of the project, and `occasion` above 1 where coders saw the text again
    within the round. `reason` is one of REASONS_LEFT_OUT where all of it is practice or repeats. `is_one_of_several`
    says whether the text has other documents, too.
    """

    slug: str
    title: str
    round: str
    answers: TextAnswers
    place: int = 0
    occasion: int = 1
    reason: str = ""
    is_one_of_several: bool = False

    @property
    def pk(self) -> int:
        """The key of the document, which of the first of its text is the primary key of that."""
        return self.answers.pk

    @property
    def text_pk(self) -> int:
        """The primary key of the text."""
        return row_key(self.answers.pk)

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


@dataclass(frozen=True, slots=True)
class CodingLeftOut:
    """A coding with judgements that does not count, and why: one of REASONS_LEFT_OUT."""

    text: str
    coder: str
    reason: str
    round: str = ""


@dataclass(frozen=True, slots=True)
class OtherVersions:
    """A coding that counts but for its judgements: all `n` are of versions of the scheme that were not read."""

    text: str
    coder: str
    n: int
    round: str = ""


@dataclass(frozen=True, eq=False)
class Extract:
    """The answers of a project, or of a selection. `coders` are those who answered anything, by name.

    Texts are documents, in the order of their addresses, those of one text in that of their rounds. `known_coders` are
    the coders of the whole project, and `left_out` the codings that a selection leaves out although their coders are
    selected. `kind` is how values are made, as one of the answers of `Project`: pyramids index. `singletons` are the
    categories whose units refer to themselves alone, where coders index. `units` is what is counted of pyramids, empty
    for markables as they are judged. `labels` are what categories are called on pages, by key. `managers` are coders
    who manage the project, too. `questions` are those that the scheme asks besides; where the answers are to one of
    them (`question`), `kind` is as there and its values are in place of the categories; `categories_asked` says whether
    there are such. `versions` are those of the scheme whose judgements were read, empty for all; `other_versions` are
    codings that a selection leaves out because all their judgements are of others. `gold_left_out` has how much gold
    does not count, by reason, where gold is among the answers. `cache` holds what was computed of
    these answers: an extract of others is another object.
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
    question: Question | None = None
    questions: tuple[Question, ...] = ()
    categories_asked: bool = True
    versions: frozenset[int] = frozenset()
    other_versions: tuple[OtherVersions, ...] = ()
    gold_left_out: Mapping[str, int] = field(default_factory=dict)
    cache: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    @property
    def answers(self) -> str:
        """What conventions are for: the answers of `Project`, or the kind of the question, "values" of single ones."""
        if self.question and self.kind == "categories":
            return "values"
        return "scus" if self.units else self.kind

    @property
    def has_chains(self) -> bool:
        """Whether coders make chains, whatever of them is compared."""
        return self.kind in CHAINED

    @property
    def countable(self) -> tuple[str, ...]:
        """The categories or values that tables have a column for; none where there are too many, as of free words."""
        return self.categories if len(self.categories) <= MOST_VALUES or not self.question else ()

    def label(self, category: str) -> str:
        """Return what a category is called on pages; what is no key of one is its own label."""
        return self.labels.get(category, category)

    def describe(self, label: Hashable) -> str:
        """Return what a label is called on pages; a set of labels by all of their names."""
        if isinstance(label, frozenset):
            return ", ".join(sorted(self.label(str(one)) for one in label)) or NO_LABEL
        return self.label(name_value(label))

    def select(self, included: Iterable[str] = (), coders: Iterable[str] = ()) -> Extract:
        """Return the answers that count: submitted codings of coders, and those that `included` adds by reason.

        coders: only theirs; empty: of all. A coding without judgements counts nowhere. All texts stay, but for
        documents that are practice or repeats.
        """
        chosen, counted = frozenset(coders), frozenset(["", *included])
        key = ("selection", chosen, counted)
        found: Extract | None = self.cache.get(key)
        return found or self.cache.setdefault(key, self._select(chosen, counted))

    def _select(self, chosen: frozenset[str], counted: frozenset[str]) -> Extract:
        left_out = [one for one in self.left_out if not chosen or one.coder in chosen]
        other_versions = [one for one in self.other_versions if not chosen or one.coder in chosen]
        texts = []
        for text in self.texts:
            of_chosen = [one for one in text.answers.coder_answers if not chosen or one.coder in chosen]
            left_out += [
                CodingLeftOut(text.slug, one.coder, one.reason, text.round)
                for one in of_chosen
                if one.reason not in counted and len(one.unit)
            ]
            if text.reason in counted:
                of_counted = [one for one in of_chosen if one.reason in counted]
                other_versions += [
                    OtherVersions(text.slug, one.coder, len(one.other_versions), text.round)
                    for one in of_counted
                    if len(one.other_versions) and not len(one.unit)
                ]
                selected = text.answers.select(one for one in of_counted if len(one.unit))
                texts.append(replace(text, answers=selected))
        return replace(
            self,
            texts=tuple(texts),
            coders=_coders_of(texts),
            left_out=tuple(left_out),
            other_versions=tuple(other_versions),
            cache={},
        )

    @cached_property
    def reasons_left_out(self) -> tuple[str, ...]:
        """Why codings with judgements do not count, where they are not included."""
        reasons = {one.reason for text in self.texts for one in text.answers.coder_answers if len(one.unit)}
        return tuple(reason for reason in REASONS_LEFT_OUT if reason in reasons)

    def count_left_out(self, texts: Collection[str] = (), rounds: Collection[str] = ()) -> dict[str, int]:
        """Return how many codings are left out, by reason: of all texts and rounds, or of some."""
        counts = Counter(
            one.reason
            for one in self.left_out
            if (not texts or one.text in texts) and (not rounds or one.round in rounds)
        )
        return {reason: counts[reason] for reason in REASONS_LEFT_OUT}

    def count_other_versions(self, texts: Collection[str] = (), rounds: Collection[str] = ()) -> int:
        """Return how many judgements are missing as of other versions: of all texts and rounds, or of some."""
        of_codings = [
            OtherVersions(text.slug, one.coder, len(one.other_versions), text.round)
            for text in self.texts
            for one in text.answers.coder_answers
        ]
        return sum(
            one.n
            for one in (*of_codings, *self.other_versions)
            if (not texts or one.text in texts) and (not rounds or one.round in rounds)
        )

    @cached_property
    def rounds(self) -> tuple[str, ...]:
        """The names of the rounds that texts are coded in, in their order."""
        places = {text.round: text.place for text in self.texts}
        return tuple(sorted(places, key=lambda name: (places[name], name)))

    @classmethod
    def of_texts(
        cls, kind: str, unmarked: str, categories: tuple[str, ...], texts: tuple[TextEntry, ...], **more: Any
    ) -> Extract:
        """Return all answers of these texts; `more` are further fields."""
        coders = _coders_of(texts)
        # whoever judged nothing under the versions that were read is a coder of the project all the same
        others = {one.coder for text in texts for one in text.answers.coder_answers if len(one.other_versions)}
        return cls(kind, unmarked, categories, coders, texts, tuple(sorted({*coders, *others})), **more)

    def with_questions(self, questions: tuple[Question, ...]) -> Extract:
        """Return the extract with the questions that the scheme asks besides. Of the same there is one object."""
        found: Extract | None = self.cache.get(("questions", questions))
        return found or self.cache.setdefault(
            ("questions", questions),
            replace(self, questions=questions, categories_asked=bool(self.categories), cache={}),
        )

    def with_question(self, question: Question, values: Mapping[str, str], texts: Sequence[TextAnswers]) -> Extract:
        """Return the answers to a question in the same texts: values by key, with what each is called."""
        entries = tuple(replace(text, answers=one) for text, one in zip(self.texts, texts, strict=True))
        answers = Extract.of_texts(
            question.kind,
            "missing",
            tuple(values),
            entries,
            labels=values,
            managers=self.managers,
            question=question,
            questions=self.questions,
            categories_asked=self.categories_asked,
            versions=self.versions,
            gold_left_out=self.gold_left_out,
        )
        # Whoever gave no answer to this question is a coder all the same; without categories all answers are these.
        return replace(answers, known_coders=tuple(sorted({*self.known_coders, *answers.known_coders})))

    @cached_property
    def fingerprint(self) -> str:
        """A short name for exactly these answers: equal for equal data, whatever the database."""
        about: list[Any] = [self.kind, self.unmarked]
        about += [self.units] if self.units else []
        about += [list(self.singletons)] if self.singletons and not self.units else []
        about += [self.question.key] if self.question else []
        digest = hashlib.sha256(json.dumps(about).encode())
        for text in self.texts:
            # of a project with one round the name is nothing that answers depend on
            document = [text.slug, text.round, text.occasion] if len(self.rounds) > 1 else text.slug
            digest.update(json.dumps(document).encode())
            digest.update(text.answers.digest)
        return digest.hexdigest()[:16]

    def text(self, slug: str, round_name: str = "") -> TextEntry | None:
        """Return the text with that address: its document in the round of that name, or in its latest."""
        return next(
            (text for text in reversed(self.texts) if text.slug == slug and round_name in ("", text.round)), None
        )


def _coders_of(texts: Iterable[TextEntry]) -> tuple[str, ...]:
    """Return those who answered anything in the texts, by name."""
    return tuple(sorted({one.coder for text in texts for one in text.answers.coder_answers if len(one.unit)}))
