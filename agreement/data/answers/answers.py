"""The answers of coders as integers: what reliability data are made of."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import chain
from operator import attrgetter
from typing import Any, NamedTuple, Protocol

import numpy as np

from agreement.data.answers.links import count_readings, plural_readings
from agreement.data.codings.documents import row_key
from agreement.data.storage.tables import TextTables
from agreement.measures.data.arrays import run_starts
from agreement.measures.values import Bools, Ints

# Why a coding does not count unless it is included by this name; the first that fits holds.
REASONS_LEFT_OUT = ("gold", "practice", "repeats", "open")
# How values are made of which chains are the sets.
CHAINED = ("pointers", "indices")
# A question with more different answers, in words or numbers, has no table with a column for each.
MOST_VALUES = 60
# So many sets of names are shared by texts.
MOST_SETS = 1_024
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

    Keys are as in `agreement.data.codings.documents`. `given` says of each unit whether every coder is given it; the
    others are marked by some coder. `cache` holds what was computed of this document alone. One that changes is another object.
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
        """Return what is equal for equal answers of a coder to equal members, whatever the keys of the rows."""
        used = np.bincount(one.category, minlength=len(self.categories)) > 0
        category = (np.cumsum(used) - 1)[one.category]
        names = [self.categories[number] for number in np.flatnonzero(used).tolist()]
        head = [one.coder, one.submitted, len(self.units), names, one.indices, len(one.unit), len(one.link_of)]
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

    def summarize(self) -> tuple[CodingSummary, ...]:
        """Return what is known of each coding without its answers."""
        return tuple(
            CodingSummary(
                one.coder, one.reason, one.coding, len(one.unit), len(one.other_versions), self.digest_of(one)
            )
            for one in self.coder_answers
        )


class CodingSummary(NamedTuple):
    """What is known of a coding without its answers: how many there are, and what is equal for equal ones.

    `reason` and `coding` are as in `CoderAnswers`, and `n_other_versions` is the length of its `other_versions`.
    """

    coder: str
    reason: str
    coding: int
    n_judgements: int
    n_other_versions: int
    digest: bytes


class AnswerSource(Protocol):
    """What reads the answers of documents."""

    def load(self, contents: Sequence[TextContent]) -> None:
        """Give these documents their answers."""

    def load_all(self, content: TextContent) -> None:
        """Give a document, and all of the project that have none yet, their answers."""


class TextContent:
    """What was answered in a document: a summary of each coding, and the answers, which are read when they are needed.

    `version` names the state of the codings and of the scheme in two numbers; None where nothing is stored of such
    answers. `cache` has what was computed of this document alone; a document that changes has another content.
    `is_outdated` says that somebody has changed the document before its answers were read: they are newer than the
    version says, and nothing that is made of them is stored.
    """

    __slots__ = (
        "_answers",
        "_digest",
        "cache",
        "coders",
        "coders_of_other_versions",
        "codings",
        "digest_of_keys",
        "is_outdated",
        "n_judgements",
        "pk",
        "reasons",
        "source",
        "version",
    )

    def __init__(
        self,
        pk: int,
        codings: tuple[CodingSummary, ...],
        digest_of_keys: bytes,
        version: tuple[int, int] | None = None,
        source: AnswerSource | None = None,
    ) -> None:
        self.pk, self.codings, self.digest_of_keys, self.version, self.source = (
            pk,
            codings,
            digest_of_keys,
            version,
            source,
        )
        self.cache: dict[Hashable, Any] = {}
        self.is_outdated = False
        self.n_judgements = sum(one.n_judgements for one in codings)
        self.coders = _set_of(tuple([one.coder for one in codings if one.n_judgements]))
        self.reasons = _set_of(tuple([one.reason for one in codings if one.n_judgements]))
        self.coders_of_other_versions = _set_of(tuple([one.coder for one in codings if one.n_other_versions]))
        self._answers: TextAnswers | None = None
        self._digest: bytes | None = None

    @classmethod
    def of(
        cls, answers: TextAnswers, version: tuple[int, int] | None = None, source: AnswerSource | None = None
    ) -> TextContent:
        """Return the content that has these answers. Of the same answers there is one object."""
        found: TextContent | None = answers.cache.get("content")
        if found is None:
            found = cls(answers.pk, answers.summarize(), answers.digest_of_keys, version, source)
            found._answers = answers
            answers.cache["content"] = found
        return found

    @property
    def is_loaded(self) -> bool:
        """Whether the answers were read."""
        return self._answers is not None

    @property
    def answers(self) -> TextAnswers:
        """The answers. Where they were not read, those of all documents of the project are, at once."""
        if self._answers is None and self.source is not None:
            self.source.load_all(self)
        if self._answers is None:
            raise LookupError(f"the answers of document {self.pk} have no source")
        return self._answers

    def take(self, answers: TextAnswers, *, is_outdated: bool = False) -> None:
        """Take answers that were read. Where these are newer than the version says, that is remembered."""
        self._answers, self.is_outdated = answers, is_outdated

    def drop(self) -> None:
        """Forget the answers, which can be read again."""
        if self.source is not None:
            self._answers = None

    def select(self, codings: Sequence[CodingSummary]) -> TextContent:
        """Return the content with only these of its codings. Of equal selections there is one object."""
        if len(codings) == len(self.codings):
            return self
        key = ("selection", tuple((one.coder, one.reason) for one in codings))
        found: TextContent | None = self.cache.get(key)
        if found is None:
            found = self.cache.setdefault(key, SelectedContent(self, tuple(codings)))
        return found

    @property
    def root(self) -> TextContent:
        """The content of all codings of the document."""
        return self

    @property
    def digest(self) -> bytes:
        """Equal for equal answers, whatever the keys of the rows."""
        if self._digest is None:
            self._digest = hashlib.sha256(
                b"".join([self.digest_of_keys, *(one.digest for one in self.codings)])
            ).digest()
        return self._digest


@lru_cache(MOST_SETS)
def _set_of(names: tuple[str, ...]) -> frozenset[str]:
    """Return the names as a set, of equal names mostly the same one: texts are many."""
    return frozenset(names)


class SelectedContent(TextContent):
    """Some of the codings of a document."""

    __slots__ = ("_of",)

    def __init__(self, of: TextContent, codings: tuple[CodingSummary, ...]) -> None:
        super().__init__(of.pk, codings, of.digest_of_keys, of.version)
        self._of = of

    @property
    def root(self) -> TextContent:
        """The content of all codings of the document."""
        return self._of

    @property
    def is_loaded(self) -> bool:
        """Whether the answers of the document were read."""
        return self._of.is_loaded

    @property
    def answers(self) -> TextAnswers:
        """The answers in these codings."""
        coders = {one.coder for one in self.codings}
        return self._of.answers.select(one for one in self._of.answers.coder_answers if one.coder in coders)


def load_answers(texts: Iterable[TextEntry]) -> None:
    """Read the answers of these documents that were not read yet, together."""
    missing: dict[int, tuple[AnswerSource, list[TextContent]]] = {}
    for text in texts:
        root = text.content.root
        if not root.is_loaded and root.source is not None:
            missing.setdefault(id(root.source), (root.source, []))[1].append(root)
    for source, contents in missing.values():
        source.load(contents)


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
    content: TextContent
    place: int = 0
    occasion: int = 1
    reason: str = ""
    is_one_of_several: bool = False

    @property
    def answers(self) -> TextAnswers:
        """What was answered. Where that was not read, it is now, of all documents: see `load_answers`."""
        return self.content.answers

    @property
    def pk(self) -> int:
        """The key of the document, which of the first of its text is the primary key of that."""
        return self.content.pk

    @property
    def text_pk(self) -> int:
        """The primary key of the text."""
        return row_key(self.content.pk)

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
    does not count, by reason, where gold is among the answers. `selected` says of a selection of which coders it is,
    all where it names none, and which reasons are included. `tables` are those of all selections, and outlive the
    answers; `cache` holds what was computed of these answers: an extract of others is another object.
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
    selected: tuple[frozenset[str], frozenset[str]] | None = None
    tables: TextTables = field(default_factory=TextTables, repr=False)
    cache: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    @property
    def is_standard(self) -> bool:
        """Whether these are all codings that count without being included: what is computed of them is stored."""
        return self.selected == _STANDARD[1:]

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
        if self.selected == (chosen, counted):
            return self
        key = ("selection", chosen, counted)
        found: Extract | None = self.cache.get(key)
        return found or self.cache.setdefault(key, self._select(chosen, counted))

    def _select(self, chosen: frozenset[str], counted: frozenset[str]) -> Extract:
        return self._of_parts([_select_codings(text, chosen, counted) for text in self.texts], chosen, counted)

    def _of_parts(
        self,
        parts: list[_Selection],
        chosen: frozenset[str],
        counted: frozenset[str],
        texts: tuple[TextEntry, ...] | None = None,
        coders: Counter[str] | None = None,
    ) -> Extract:
        """Return the selection that has these parts of the documents: `texts`; `coders` as in `_count_coders`."""
        if texts is None:
            texts = tuple(chain.from_iterable(map(_ENTRY, parts)))
        counts = _count_coders(texts) if coders is None else coders
        other_versions = chain.from_iterable(map(_OTHER_VERSIONS, parts)) if self.versions else ()
        selected = replace(
            self,
            texts=texts,
            coders=tuple(sorted(counts)),
            left_out=_of_chosen(self.left_out, chosen) + tuple(chain.from_iterable(map(_LEFT_OUT, parts))),
            other_versions=_of_chosen(self.other_versions, chosen) + tuple(other_versions),
            selected=(chosen, counted),
            cache={},
        )
        selected.cache["parts"], selected.cache["coders"] = parts, counts
        return selected

    def with_texts(self, changed: Mapping[int, TextEntry]) -> Extract:
        """Return all answers of the project where some of its documents have changed, and the others are the same.

        The codings that count are selected of those, too: of each document that has changed alone.
        """
        places = self._places
        old = {places[pk]: self.texts[places[pk]] for pk in changed}
        texts, counts, reasons = list(self.texts), self._coder_counts.copy(), self._reason_counts.copy()
        for place, entry in old.items():
            counts.subtract(entry.content.coders)
            reasons.subtract(entry.content.reasons)
            texts[place] = changed[entry.pk]
            counts.update(texts[place].content.coders)
            reasons.update(texts[place].content.reasons)
        coders = tuple(sorted(+counts))
        known = tuple(sorted({*coders}.union(*(_others_of(texts) if self.versions else ()))))
        found = replace(self, texts=tuple(texts), coders=coders, known_coders=known, cache={})
        found.cache.update({"places": places, "coders": +counts, "reasons": +reasons})
        if "names and digests" in self.cache:
            found.cache["names and digests"] = self._replace_names(found.texts, list(old))
        if all(_is_alike(entry, changed[entry.pk]) for entry in old.values()) and "rounds" in self.__dict__:
            found.__dict__["rounds"] = self.rounds
        if (standard := self.cache.get(_STANDARD)) is not None and "parts" in standard.cache:
            found.cache[_STANDARD] = found._select_again(standard, list(old))
        for key, asked in list(self.cache.items()):
            if isinstance(key, tuple) and key[0] == "questions":
                found.cache[key] = asked.with_texts(changed)
        return found

    def has(self, documents: Iterable[int]) -> bool:
        """Return whether all of these documents are there."""
        return all(map(self._places.__contains__, documents))

    def _select_again(self, before: Extract, places: Sequence[int]) -> Extract:
        """Return the codings that count. At these places alone the texts are others than those that `before` is of."""
        _, chosen, counted = _STANDARD
        parts, counts = list(before.cache["parts"]), before._coder_counts.copy()
        texts = list(before.texts) if len(before.texts) == len(parts) else None
        for place in places:
            for entry in parts[place].entry:
                counts.subtract(entry.content.coders)
            parts[place] = _select_codings(self.texts[place], chosen, counted)
            for entry in parts[place].entry:
                counts.update(entry.content.coders)
            if texts and parts[place].entry:
                [texts[place]] = parts[place].entry
            else:
                texts = None
        found = self._of_parts(parts, chosen, counted, tuple(texts) if texts else None, +counts)
        if len(found.texts) == len(before.texts) and all(len(parts[place].entry) for place in places):
            if "rounds" in before.__dict__ and "rounds" in self.__dict__:
                found.__dict__["rounds"] = before.rounds
            if "names and digests" in before.cache and len(found.texts) == len(parts):
                found.cache["names and digests"] = before._replace_names(found.texts, places)
        return found

    @property
    def _places(self) -> dict[int, int]:
        """The place of each document among the texts."""
        known: dict[int, int] | None = self.cache.get("places")
        if known is None:
            known = self.cache["places"] = {text.pk: place for place, text in enumerate(self.texts)}
        return known

    @property
    def _coder_counts(self) -> Counter[str]:
        """In how many documents each coder answered anything."""
        known: Counter[str] | None = self.cache.get("coders")
        if known is None:
            known = self.cache["coders"] = _count_coders(self.texts)
        return known

    @property
    def _reason_counts(self) -> Counter[str]:
        """In how many documents codings with judgements do not count, by reason."""
        known: Counter[str] | None = self.cache.get("reasons")
        if known is None:
            known = self.cache["reasons"] = Counter(chain.from_iterable(map(_REASONS, map(_CONTENT, self.texts))))
        return known

    @property
    def reasons_left_out(self) -> tuple[str, ...]:
        """Why codings with judgements do not count, where they are not included."""
        return tuple(reason for reason in REASONS_LEFT_OUT if reason in self._reason_counts)

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
            OtherVersions(text.slug, one.coder, one.n_other_versions, text.round)
            for text in self.texts
            for one in text.content.codings
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
        coders = tuple(sorted(_count_coders(texts)))
        # whoever judged nothing under the versions that were read is a coder of the project all the same
        others = set[str]().union(*_others_of(texts))
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
        entries = tuple(replace(text, content=TextContent.of(one)) for text, one in zip(self.texts, texts, strict=True))
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
        # of a project with one round the name is nothing that answers depend on
        several = len(self.rounds) > 1
        known = self.cache.get("names and digests")
        if known is None or known[0] != several:
            names = [_name_and_digest(text, with_round=several) for text in self.texts]
            known = self.cache["names and digests"] = several, names
        digest.update(b"".join(known[1]))
        return digest.hexdigest()[:16]

    def _replace_names(self, texts: Sequence[TextEntry], places: Sequence[int]) -> tuple[bool, list[bytes]]:
        """Return what the fingerprint is of where some of the texts are others."""
        several, names = self.cache["names and digests"]
        names = list(names)
        for place in places:
            names[place] = _name_and_digest(texts[place], with_round=several)
        return several, names

    def text(self, slug: str, round_name: str = "") -> TextEntry | None:
        """Return the text with that address: its document in the round of that name, or in its latest."""
        return next(
            (text for text in reversed(self.texts) if text.slug == slug and round_name in ("", text.round)), None
        )


def _name_and_digest(text: TextEntry, *, with_round: bool) -> bytes:
    """Return which document it is, with what is equal for equal answers. It is found once for the document."""
    key = ("name and digest", text.slug, with_round, text.round, text.occasion)
    known: bytes | None = text.content.cache.get(key)
    if known is None:
        document = [text.slug, text.round, text.occasion] if with_round else text.slug
        known = text.content.cache[key] = json.dumps(document).encode() + text.content.digest
    return known


class _Selection(NamedTuple):
    """What a selection has of a document: the document, unless all of it is left out, and the codings left out."""

    of: TextEntry
    entry: tuple[TextEntry, ...]
    left_out: tuple[CodingLeftOut, ...] = ()
    other_versions: tuple[OtherVersions, ...] = ()


def _select_codings(text: TextEntry, chosen: frozenset[str], counted: frozenset[str]) -> _Selection:
    """Return what the codings of these coders that count have of a document. A part of it is found once."""
    codings = text.content.codings
    if not chosen and text.reason in counted and all(one.n_judgements and one.reason in counted for one in codings):
        return _Selection(text, (text,))
    key = ("codings", chosen, counted)
    known: _Selection | None = text.content.cache.get(key)
    if known is not None and known.of is text:
        return known
    of_chosen = [one for one in codings if not chosen or one.coder in chosen]
    left_out = tuple(
        CodingLeftOut(text.slug, one.coder, one.reason, text.round)
        for one in of_chosen
        if one.reason not in counted and one.n_judgements
    )
    entry, other_versions = tuple[TextEntry, ...](), tuple[OtherVersions, ...]()
    if text.reason in counted:
        of_counted = [one for one in of_chosen if one.reason in counted]
        other_versions = tuple(
            OtherVersions(text.slug, one.coder, one.n_other_versions, text.round)
            for one in of_counted
            if one.n_other_versions and not one.n_judgements
        )
        selected = text.content.select([one for one in of_counted if one.n_judgements])
        entry = (text if selected is text.content else replace(text, content=selected),)
    found = text.content.cache[key] = _Selection(text, entry, left_out, other_versions)
    return found


def _count_coders(texts: Iterable[TextEntry]) -> Counter[str]:
    """Return in how many of the texts each coder answered anything; those who did not are not there."""
    return Counter(chain.from_iterable(map(_CODERS, map(_CONTENT, texts))))


def _others_of(texts: Iterable[TextEntry]) -> list[frozenset[str]]:
    """Return who judged under other versions of the scheme than were read, in each of the texts."""
    return list(map(_OTHERS, map(_CONTENT, texts)))


def _of_chosen[One: (CodingLeftOut, OtherVersions)](found: tuple[One, ...], chosen: frozenset[str]) -> tuple[One, ...]:
    return tuple(one for one in found if one.coder in chosen) if chosen else found


def _is_alike(one: TextEntry, other: TextEntry) -> bool:
    """Return whether two states of a document are of the same round, at the same place."""
    return (one.round, one.place) == (other.round, other.place)


# The key of the codings that count without being included, of all coders.
_STANDARD = ("selection", frozenset[str](), frozenset([""]))
# Of very many texts and parts these are faster than what asks each of them in Python.
_CONTENT, _CODERS, _OTHERS, _REASONS = map(attrgetter, ("content", "coders", "coders_of_other_versions", "reasons"))
_ENTRY, _LEFT_OUT, _OTHER_VERSIONS = map(attrgetter, ("entry", "left_out", "other_versions"))
