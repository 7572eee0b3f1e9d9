"""The answers of a project, or of its codings that count."""

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

CHAINED = ("pointers", "indices")  # kinds of answers
# Reasons why a coding does not count unless it is included by this name; the first match wins.
REASONS_LEFT_OUT = ("adjudicators", "practice", "repeats", "open")
IS_GOLD = "gold"  # no coder's coding; it cannot be included
REASONS = ("", *REASONS_LEFT_OUT)  # by their number in codings
OTHER_VERSIONS = "other versions"  # all judgements of the coding are of scheme versions that were not read
# A question with more distinct answers, in words or numbers, has no table with a column for each answer.
MAX_VALUES = 60


def name_value(value: Hashable) -> str:
    """Return the name of a value; a whole number has no decimals (3, not 3.0)."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


@dataclass(frozen=True, slots=True)
class Question:
    """A question other than the category, whose answers can be compared."""

    key: str
    label: str
    kind: str  # the kind of its values: "categories", "labels" (sets), "numbers", "targets" (sets of markables)
    second: str = ""  # the key of the attribute that asks for a second choice
    to_levels: tuple[str, ...] = ()  # the levels of the targets of a relation
    later: bool = False  # whether targets may come later in the text


@dataclass(frozen=True, slots=True)
class CodingLeftOut:
    """A coding that does not count; open codings without judgements are not listed."""

    text: str
    coder: str
    reason: str  # one of REASONS_LEFT_OUT, IS_GOLD or OTHER_VERSIONS
    round: str = ""
    n: int = 0  # the number of its judgements under scheme versions that were not read


@dataclass(frozen=True, eq=False)
class ProjectAnswers:
    """The answers of a project, or of a selection of its codings."""

    kind: str  # the kind of values, one of `Project.Answers` or of a question; pyramids have indices
    unmarked: str  # the default meaning of a markable that a coder left out
    categories: tuple[str, ...]  # the keys of the categories, or the values of the question
    texts: tuple[Document, ...]  # the documents, by the slugs of their texts and then by round
    columns: AnswerColumns  # the answers in the documents
    names: tuple[str, ...]  # the coders, by their number in `columns`
    coders: tuple[str, ...]  # the coders who have answered, by name
    known_coders: tuple[str, ...]  # the coders of the whole project
    units: str = ""  # the units of pyramids, "words" or "spans"; empty for markables
    singletons: tuple[str, ...] = ()  # categories whose units refer only to themselves, if coders index
    levels: tuple[str, ...] = ()  # the keys of the levels of markables, by number
    left_out: tuple[CodingLeftOut, ...] = ()  # codings of the selected coders that do not count
    labels: Mapping[str, str] = field(default_factory=dict)  # the names of categories on pages, by key
    managers: tuple[str, ...] = ()  # members who manage and code
    question: Question | None = None  # the question that replaces the category
    questions: tuple[Question, ...] = ()  # all questions of the scheme except the category
    categories_asked: bool = True  # whether the scheme has categories
    versions: frozenset[int] = frozenset()  # the versions of the scheme whose judgements were read; empty for all
    gold_left_out: Mapping[str, int] = field(default_factory=dict)  # gold codings that do not count, by reason
    selected: tuple[frozenset[str], frozenset[str]] | None = None  # the coders (empty: all) and reasons of a selection
    state_name: str = ""  # a cache key of the rows read, their names and the selection; empty: no caching
    cache: dict[Hashable, Any] = field(default_factory=dict, repr=False)  # results computed during one request

    @classmethod
    def of_columns(cls, columns: AnswerColumns, names: tuple[str, ...], **fields: Any) -> "ProjectAnswers":
        """Return all answers in these columns; `fields` are the other fields."""
        # a coder without judgements under the versions read is still a coder of the project
        coders = name_coders(columns, names, columns.is_answer)
        known = name_coders(columns, names, columns.is_answer | (columns.n_other_versions > 0))
        return cls(columns=columns, names=names, coders=coders, known_coders=known, **fields)

    @property
    def answers(self) -> str:
        """The kind of answers for conventions: `kind`, "values" for a question with one value, "scus" for pyramids."""
        if self.question and self.kind == "categories":
            return "values"
        return "scus" if self.units else self.kind

    @property
    def has_chains(self) -> bool:
        return self.kind in CHAINED

    @property
    def countable(self) -> tuple[str, ...]:
        """The categories or values with a column in tables; empty for a question with more than MAX_VALUES."""
        return self.categories if len(self.categories) <= MAX_VALUES or not self.question else ()

    def label(self, category: str) -> str:
        """Return the label of a category on pages; an unknown key is its own label."""
        return self.labels.get(category, category)

    def describe(self, label: Hashable) -> str:
        """Return the name of a label on pages; for a set, the names of all of its labels."""
        if isinstance(label, frozenset):
            return ", ".join(sorted(self.label(str(name)) for name in label)) or NO_LABEL
        return self.label(name_value(label))

    def select(self, included: Iterable[str] = (), coders: Iterable[str] = ()) -> "ProjectAnswers":
        """Return the answers that count: submitted codings of coders, and codings that `included` adds by reason.

        coders: the coders to keep; empty: all. A submitted coding counts even without judgements, an open one does not.
        All texts stay, except documents that are practice or repeats.
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
        """Return the record of a coding that is left out, with this reason or its own."""
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
        """The position of each coding's coder in `coders`; -1 for other people."""
        column = {name: place for place, name in enumerate(self.coders)}
        columns = np.array([*(column.get(name, -1) for name in self.names), -1], dtype=np.int64)
        of_codings: Ints = columns[self.columns.codings["coder"]]
        return of_codings

    @cached_property
    def coder_of_mark(self) -> Ints:
        return self.column_of_coding[self.columns.coding_of_mark]

    @cached_property
    def counted_marks(self) -> Ints:
        """The positions of the judgements of `coders`, followed by their marks under other scheme versions.

        An answer under another version has no value but counts as given: the coder did not leave out its unit.
        """
        columns, is_of_coders = self.columns, self.coder_of_mark >= 0
        chosen = (columns.is_judgement & is_of_coders, columns.marks["other_version"] & is_of_coders)
        return np.concatenate([np.flatnonzero(one) for one in chosen])

    def codings_in(self, texts: Sequence[Document]) -> Iterator[tuple[Document, str, CodingAnswers]]:
        """Yield the answers of each coding of some texts, with its text and the name of its coder."""
        for coding in self.columns.each_coding(self.find_places(texts)):
            yield self.texts[coding.document], self.names[coding.coding["coder"]], coding

    def rows_by_text(self, texts: Sequence[Document] | None = None) -> list[list[tuple[str, int]]]:
        """Return the coder's name and the primary key of each coding, by text."""
        codings = (self if texts is None else self.restrict(texts)).columns
        names = (self.names[coder] for coder in codings.codings["coder"].tolist())
        rows = zip(names, codings.codings["key"].tolist(), strict=True)
        return [list(islice(rows, size)) for size in codings.documents["codings"].tolist()]

    def sum_by_coder(self, of_codings: Ints | Floats) -> Floats:
        """Return the sums of a figure of each coding: (texts, coders). Only codings of `coders` are summed."""
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
        """The reasons why codings with answers do not count unless they are included."""
        there = set(self.columns.codings["reason"][self.columns.is_answer].tolist())
        return tuple(reason for reason in REASONS_LEFT_OUT if REASONS.index(reason) in there)

    def count_left_out(self, texts: Collection[str] = (), rounds: Collection[str] = ()) -> dict[str, int]:
        """Return the number of codings left out, by reason, in these texts and rounds (empty: all)."""
        counts = Counter(coding.reason for coding in self.left_out if _is_of(coding, texts, rounds))
        return {reason: counts[reason] for reason in (IS_GOLD, *REASONS_LEFT_OUT)}

    def count_other_versions(self, texts: Collection[str] = (), rounds: Collection[str] = ()) -> int:
        """Return the number of judgements under other scheme versions, in these texts and rounds (empty: all)."""
        codings = [self._left_out(place) for place in np.flatnonzero(self.columns.n_other_versions).tolist()]
        codings += [coding for coding in self.left_out if coding.reason == OTHER_VERSIONS]
        return sum(coding.n for coding in codings if _is_of(coding, texts, rounds))

    @cached_property
    def rounds(self) -> tuple[str, ...]:
        places = {text.round: text.place for text in self.texts}
        return tuple(sorted(places, key=lambda name: (places[name], name)))

    @cached_property
    def fingerprint(self) -> str:
        """A short digest of these answers, equal for equal data in any database and under any names.

        It covers the answers in each text, which of them share a coder, which are gold, and the names of rounds if
        there are several. The names of coders, texts, entities and markables have no effect.
        """
        about: list[Any] = [self.kind, self.unmarked]
        about += [self.units] if self.units else [list(self.singletons)] if self.singletons else []
        about += [self.question.key] if self.question else []
        digest = hashlib.sha256(json.dumps(about).encode())
        # in a project with one round, answers do not depend on its name
        kinds = {(text.round, text.occasion) for text in self.texts}
        place_of = {kind: json.dumps(kind if len(self.rounds) > 1 else []).encode() for kind in kinds}
        # gold is no ordinary coder: it matters which answers are gold
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
        """A cache key, equal for equal answers of the same coders in the same texts, for results with names."""
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
    """Return the sorted names of the coders of the chosen codings."""
    return tuple(sorted(names[number] for number in set(columns.codings["coder"][chosen].tolist())))


def _is_of(coding: CodingLeftOut, texts: Collection[str], rounds: Collection[str]) -> bool:
    return (not texts or coding.text in texts) and (not rounds or coding.round in rounds)
