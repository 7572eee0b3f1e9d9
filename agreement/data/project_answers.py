"""The answers of a project, or of the codings that count."""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress, islice
from typing import Any

import numpy as np

from agreement.data.coders import GOLD
from agreement.data.columns import NO_LABEL, AnswerColumns, CodingAnswers
from agreement.data.documents import Document
from agreement.measures.values import Bools, Floats, Ints

# How values are made of which chains are the sets.
CHAINED = ("pointers", "indices")
# Why a coding does not count unless it is included by this name; the first that fits holds.
REASONS_LEFT_OUT = ("adjudicators", "practice", "repeats", "open")
# Why a coding does not count whatever is included: gold is no coder's coding.
IS_GOLD = "gold"
# The reasons by number, as codings have them.
REASONS = ("", *REASONS_LEFT_OUT)
# All judgements of the coding are of versions of the scheme that were not read.
OTHER_VERSIONS = "other versions"
# A question with more different answers, in words or numbers, has no table with a column for each.
MAX_VALUES = 60


def name_value(value: Hashable) -> str:
    """Return what a value is called: of numbers 3 and not 3.0."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


@dataclass(frozen=True, slots=True)
class Question:
    """A question besides the category whose answers can be compared."""

    key: str
    label: str
    kind: str  # how values are made: "categories", "labels" (sets), "numbers", "targets" (sets of what is pointed to)
    second: str = ""  # the key of the attribute that asks for a second choice
    to_levels: tuple[str, ...] = ()  # those of the targets of a relation
    later: bool = False  # whether these may stand later in the text


@dataclass(frozen=True, slots=True)
class CodingLeftOut:
    """A coding that does not count; empty ones that are open are none."""

    text: str
    coder: str
    reason: str  # one of REASONS_LEFT_OUT, IS_GOLD or OTHER_VERSIONS
    round: str = ""
    n: int = 0  # judgements of versions of the scheme that were not read


@dataclass(frozen=True, eq=False)
class ProjectAnswers:
    """The answers of a project, or of a selection."""

    kind: str  # how values are made, one of the answers of `Project` or of a question; pyramids index
    unmarked: str  # what a markable means that a coder left out, by default
    categories: tuple[str, ...]  # the keys of the categories, or the values of the question
    texts: tuple[Document, ...]  # the documents, by the addresses of their texts and then by round
    columns: AnswerColumns  # the answers in the documents
    names: tuple[str, ...]  # the coders, by their number in `columns`
    coders: tuple[str, ...]  # the coders who have answered, by name
    known_coders: tuple[str, ...]  # the coders of the whole project
    units: str = ""  # what is counted of pyramids, "words" or "spans"; empty for markables
    singletons: tuple[str, ...] = ()  # categories whose units refer to themselves alone, where coders index
    levels: tuple[str, ...] = ()  # the keys of the levels of markables, by number
    left_out: tuple[CodingLeftOut, ...] = ()  # codings of the selected coders that do not count
    labels: Mapping[str, str] = field(default_factory=dict)  # the names of categories on pages, by key
    managers: tuple[str, ...] = ()  # members who manage and code
    question: Question | None = None  # the question that was asked in place of the category
    questions: tuple[Question, ...] = ()  # all questions of the scheme besides the category
    categories_asked: bool = True  # whether the scheme has categories
    versions: frozenset[int] = frozenset()  # the versions of the scheme whose judgements were read; empty for all
    gold_left_out: Mapping[str, int] = field(default_factory=dict)  # how much gold does not count, by reason
    selected: tuple[frozenset[str], frozenset[str]] | None = None  # the coders (none: all) and reasons of a selection
    state_name: str = ""  # changes with all that was read, names too, and the selection; empty: nothing is kept
    cache: dict[Hashable, Any] = field(default_factory=dict, repr=False)  # what was computed in one request

    @classmethod
    def of_columns(cls, columns: AnswerColumns, names: tuple[str, ...], **fields: Any) -> "ProjectAnswers":
        """Return all answers in these columns; `fields` are the others."""
        # whoever judged nothing under the versions that were read is a coder of the project all the same
        coders = name_coders(columns, names, columns.is_answer)
        known = name_coders(columns, names, columns.is_answer | (columns.n_other_versions > 0))
        return cls(columns=columns, names=names, coders=coders, known_coders=known, **fields)

    @property
    def answers(self) -> str:
        """What conventions are for: the answers of `Project`, or the kind of the question, "values" of single ones."""
        if self.question and self.kind == "categories":
            return "values"
        return "scus" if self.units else self.kind

    @property
    def has_chains(self) -> bool:
        return self.kind in CHAINED

    @property
    def countable(self) -> tuple[str, ...]:
        """The categories or values that tables have a column for; none where there are too many, as of free words."""
        return self.categories if len(self.categories) <= MAX_VALUES or not self.question else ()

    def label(self, category: str) -> str:
        """Return what a category is called on pages; what is no key of one is its own label."""
        return self.labels.get(category, category)

    def describe(self, label: Hashable) -> str:
        """Return what a label is called on pages; a set of labels by all of their names."""
        if isinstance(label, frozenset):
            return ", ".join(sorted(self.label(str(name)) for name in label)) or NO_LABEL
        return self.label(name_value(label))

    def select(self, included: Iterable[str] = (), coders: Iterable[str] = ()) -> "ProjectAnswers":
        """Return the answers that count: submitted codings of coders, and those that `included` adds by reason.

        coders: only theirs; empty: of all. A submitted coding counts without a judgement, too; an open one does not.
        All texts stay, but for documents that are practice or repeats.
        """
        selection = frozenset(coders), frozenset(["", *included])
        if self.selected == selection:
            return self
        key = ("selection", *selection)
        if key not in self.cache:
            self.cache[key] = self._select(*selection)
        selected: ProjectAnswers = self.cache[key]
        return selected

    def _select(self, chosen: frozenset[str], counted: frozenset[str]) -> "ProjectAnswers":
        columns, codings = self.columns, self.columns.codings
        numbers = [number for number, name in enumerate(self.names) if not chosen or name in chosen]
        is_chosen = np.isin(codings["coder"], numbers)
        is_counted = np.array([reason in counted for reason in REASONS])[codings["reason"]]
        is_text_counted = np.array([text.reason in counted for text in self.texts], dtype=np.bool_)
        remaining = is_chosen & is_counted & is_text_counted[columns.document_of_coding]
        is_left_out = is_chosen & ~is_counted & columns.is_answer
        is_other = remaining & ~columns.is_answer & (columns.n_other_versions > 0)
        left_out = [one for one in self.left_out if not chosen or one.coder in chosen or one.coder == GOLD]
        left_out += [self._left_out(place) for place in np.flatnonzero(is_left_out).tolist()]
        left_out += [self._left_out(place, OTHER_VERSIONS) for place in np.flatnonzero(is_other).tolist()]
        kept = remaining & columns.is_answer
        if not kept.all() or not is_text_counted.all():
            columns = columns.select(np.flatnonzero(is_text_counted), kept)
        return replace(
            self,
            texts=tuple(compress(self.texts, is_text_counted.tolist())),
            columns=columns,
            coders=name_coders(columns, self.names, columns.is_answer),
            left_out=tuple(left_out),
            selected=(chosen, counted),
            state_name=self.state_name and f"{self.state_name} {sorted(chosen)} {sorted(counted)}",
            cache={},
        )

    def _left_out(self, place: int, reason: str = "") -> CodingLeftOut:
        """Return a coding as one that is left out, for this reason or its own."""
        coding, text = self.columns.codings[place], self.texts[self.columns.document_of_coding[place]]
        n, reason = int(self.columns.n_other_versions[place]), reason or REASONS[coding["reason"]]
        return CodingLeftOut(text.slug, self.names[coding["coder"]], reason, text.round, n)

    def restrict(self, texts: Sequence[Document]) -> "ProjectAnswers":
        """Return the answers of the same coders in some of the texts."""
        if texts is self.texts:
            return self
        columns = self.columns.select(self.find_places(texts))
        return replace(self, texts=tuple(texts), columns=columns, state_name="", cache={})

    @cached_property
    def places(self) -> dict[int, int]:
        return {text.pk: place for place, text in enumerate(self.texts)}

    def find_places(self, texts: Sequence[Document]) -> Ints:
        return np.array([self.places[text.pk] for text in texts], dtype=np.int64)

    def units_in(self, text: Document) -> list[int]:
        """Return the keys of the units of a text, in text order."""
        return list(self.restrict([text]).columns.units["key"].tolist())

    @cached_property
    def column_of_coding(self) -> Ints:
        """The place of the coder of each coding among `coders`; -1 of those who are none of them."""
        column = {name: place for place, name in enumerate(self.coders)}
        columns = np.array([*(column.get(name, -1) for name in self.names), -1], dtype=np.int64)
        of_codings: Ints = columns[self.columns.codings["coder"]]
        return of_codings

    @cached_property
    def coder_of_mark(self) -> Ints:
        return self.column_of_coding[self.columns.coding_of_mark]

    @cached_property
    def counted_marks(self) -> Ints:
        """The places of the judgements of `coders`, and behind them those of other versions.

        An answer of another version counts as one without a value: its unit was not left out by the coder.
        """
        columns, is_of_coders = self.columns, self.coder_of_mark >= 0
        chosen = (columns.is_judgement & is_of_coders, columns.marks["other_version"] & is_of_coders)
        return np.concatenate([np.flatnonzero(one) for one in chosen])

    def codings_in(self, texts: Sequence[Document]) -> Iterator[tuple[Document, str, CodingAnswers]]:
        """Return the answers of each coding of some texts, with its text and the name of its coder."""
        for coding in self.columns.each_coding(self.find_places(texts)):
            yield self.texts[coding.document], self.names[coding.coding["coder"]], coding

    def rows_by_text(self, texts: Sequence[Document] | None = None) -> list[list[tuple[str, int]]]:
        """Return the coders of the codings of each text, by name, each with the primary key of the coding."""
        codings = (self if texts is None else self.restrict(texts)).columns
        names = (self.names[coder] for coder in codings.codings["coder"].tolist())
        rows = zip(names, codings.codings["key"].tolist(), strict=True)
        return [list(islice(rows, size)) for size in codings.documents["codings"].tolist()]

    def sum_by_coder(self, of_codings: Ints | Floats) -> Floats:
        """Return the sums of what each coding has: (texts, coders). Codings of others than `coders` are left out."""
        shape = len(self.texts), len(self.coders)
        chosen = self.column_of_coding >= 0
        places = self.columns.document_of_coding[chosen] * shape[1] + self.column_of_coding[chosen]
        return np.bincount(places, of_codings[chosen], shape[0] * shape[1]).reshape(shape)

    @cached_property
    def has_answered(self) -> Bools:
        """Whether each of the coders has answered in each text: (texts, coders)."""
        return self.sum_by_coder(self.columns.is_answer.astype(np.int64)) > 0

    @property
    def n_judgements(self) -> int:
        return int(np.count_nonzero(self.columns.is_judgement))

    @property
    def reasons_left_out(self) -> tuple[str, ...]:
        """Why codings that are answers do not count, where they are not included."""
        there = set(self.columns.codings["reason"][self.columns.is_answer].tolist())
        return tuple(reason for reason in REASONS_LEFT_OUT if REASONS.index(reason) in there)

    def count_left_out(self, texts: Collection[str] = (), rounds: Collection[str] = ()) -> dict[str, int]:
        """Return how many codings are left out, by reason: of all texts and rounds, or of some."""
        counts = Counter(coding.reason for coding in self.left_out if _is_of(coding, texts, rounds))
        return {reason: counts[reason] for reason in (IS_GOLD, *REASONS_LEFT_OUT)}

    def count_other_versions(self, texts: Collection[str] = (), rounds: Collection[str] = ()) -> int:
        """Return how many judgements are missing as of other versions: of all texts and rounds, or of some."""
        codings = [self._left_out(place) for place in np.flatnonzero(self.columns.n_other_versions).tolist()]
        codings += [coding for coding in self.left_out if coding.reason == OTHER_VERSIONS]
        return sum(coding.n for coding in codings if _is_of(coding, texts, rounds))

    @cached_property
    def rounds(self) -> tuple[str, ...]:
        places = {text.round: text.place for text in self.texts}
        return tuple(sorted(places, key=lambda name: (places[name], name)))

    @cached_property
    def fingerprint(self) -> str:
        """A short name for exactly these answers: equal for equal data, whatever the database and all names in it.

        It is made of what each text holds, which of these are of one coder, and of the names of rounds, where there are
        several, and whose answers are gold; not of what coders, texts, entities and markables are called.
        """
        about: list[Any] = [self.kind, self.unmarked]
        about += [self.units] if self.units else [list(self.singletons)] if self.singletons else []
        about += [self.question.key] if self.question else []
        digest = hashlib.sha256(json.dumps(about).encode())
        # of a project with one round the name is nothing that answers depend on
        kinds = {(text.round, text.occasion) for text in self.texts}
        place_of = {kind: json.dumps(kind if len(self.rounds) > 1 else []).encode() for kind in kinds}
        # gold is no coder like the others: which answers are its own matters
        marks = [b"gold" if name == GOLD else b"" for name in self.names]
        texts, coders = defaultdict[int, list[bytes]](list), defaultdict[int, list[bytes]](list)
        documents, codings = self.columns.documents, self.columns.codings
        rows = zip(codings["coder"].tolist(), codings["digest"].tolist(), strict=True)
        sizes = zip(self.texts, documents["digest"].tolist(), documents["codings"].tolist(), strict=True)
        for text, keys, n_codings in sizes:
            own = list(islice(rows, n_codings))
            answers = b"".join(sorted(answers for _, answers in own))
            whole = hashlib.sha256(place_of[text.round, text.occasion] + keys + answers).digest()
            texts[text.text_pk].append(whole)
            for coder, answers in own:
                coders[coder].append(hashlib.sha256(whole + answers + marks[coder]).digest())
        for parts in (texts, coders):
            of_each = (hashlib.sha256(b"".join(sorted(own))).digest() for own in parts.values())
            digest.update(b"".join(sorted(of_each)))
        return digest.hexdigest()[:16]

    @property
    def state(self) -> str:
        """What is equal for equal answers of the same coders in the same texts: for what is kept with names in it."""
        columns, codings = self.columns, self.columns.codings
        headings = [(text.slug, text.title, text.round, text.place, text.occasion, text.reason) for text in self.texts]
        coders = [self.names[coder] for coder in codings["coder"].tolist()]
        question = self.question.key if self.question else ""
        about = [self.kind, self.unmarked, self.units, self.singletons, question, headings, coders]
        digest = hashlib.sha256(json.dumps(about).encode())
        for array in (columns.documents["digest"], columns.documents["codings"], codings["digest"], columns.units):
            digest.update(array.tobytes())
        return digest.hexdigest()


def name_coders(columns: AnswerColumns, names: Sequence[str], chosen: Bools) -> tuple[str, ...]:
    """Return whose codings some of these are, by name."""
    return tuple(sorted(names[number] for number in set(columns.codings["coder"][chosen].tolist())))


def _is_of(coding: CodingLeftOut, texts: Collection[str], rounds: Collection[str]) -> bool:
    return (not texts or coding.text in texts) and (not rounds or coding.round in rounds)
