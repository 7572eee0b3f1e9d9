"""The one bridge: rows of the database -> the answers of a project.

What was read of a document is stored under the versions of its codings, and read again once somebody has changed it.
A process keeps the answers of the projects that were looked at last, until the stamp of a project is another one.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from itertools import batched
from threading import Lock
from typing import Any, Self

import numpy as np
from django.core.cache import caches
from django.db import IntegrityError, transaction

from agreement.data.categories import Categories, read_categories
from agreement.data.codings import Codings, list_codings
from agreement.data.columns import AnswerColumns
from agreement.data.documents import shift_of
from agreement.data.gold import GOLD
from agreement.data.judgements import CodedDocument, read_judgements
from agreement.data.project_answers import IS_GOLD, REASONS, CodingLeftOut, ProjectAnswers
from agreement.data.pyramids.words import read_words
from agreement.data.questions import list_questions, read_question
from agreement.data.reliability import with_sets
from agreement.data.stamps import Stamp, read_rows, read_stamp
from agreement.models import StoredAnswers
from annotations.core.database.locks import DatabaseBusy, refuse_busy_database, sqlite_write_lock, try_sqlite_write_lock
from annotations.core.database.snapshots import read_snapshot
from annotations.core.processes.progress import Progress
from annotations.models import Project
from annotations.models.project import may_see_gold
from annotations.schemes.project_scheme import read_scheme

# To be raised where columns take another form, or the same rows come to be read in another way.
FORM = 1
# Documents are read so many at a time.
READ_AT_ONCE = 500
# Fewer documents are read as quickly as what is stored of them.
MIN_STORED = 50
# Of more codings that are not stored a request does not read the answers.
MAX_READ_IN_REQUEST = 2000
# What is stored of a document.
COLUMNS = ("version", "content", "names")
# The answers that a process keeps: of so many projects and readings, in so many bytes.
MAX_KEPT, MAX_BYTES = 8, 200_000_000


def answer_kind(project: Project) -> str:
    """Return how the values of a project are made, as one of the answers of `Project`: pyramids index."""
    return Project.Answers.INDICES.value if project.answers == Project.Answers.SCUS else project.answers


def counted_units(project: Project, units: str = "") -> str:
    """Return what is counted of a project: of pyramids "words" unless `units` says "spans", else nothing."""
    return (units or "words") if project.answers == Project.Answers.SCUS else ""


def read_answers(
    project: Project,
    units: str = "",
    question: str = "",
    unasked: str = "missing",
    scheme_versions: frozenset[int] = frozenset(),
    *,
    gold: bool = False,
    models: bool = False,
) -> ProjectAnswers:
    """Return the answers of every coder of the project.

    units: what is counted of pyramids, "words" or "spans"; empty: words. Agreed pyramids and peers are left out; which
    of the other codings count is for `ProjectAnswers.select` to say. question: the key of an attribute or relation,
    whose answers are returned then; empty: categories and chains, or the first attribute of a scheme without
    categories. An unknown one is as if none was asked for. unasked: "label" where it is a value that it was not asked.
    scheme_versions: only judgements that were last given under one of these versions of the scheme, with their
    pointers, count; empty: all of them. Of pyramids there are none. gold: only texts with gold that counts, which is
    among the answers as if `GOLD` were a coder. models: those of models, too.

    All is read in one snapshot, so that the answers fit together although coders go on saving.
    """
    reading = _Reading(project, counted_units(project, units), scheme_versions, gold, models)
    with read_snapshot():
        answers, read_now = _read_all(reading, question, unasked)
    _store(read_now)
    return answers


def read_state(project: Project) -> str:
    """Return what changes with the answers of a project, its members, texts and scheme, and with its own fields."""
    categories, scheme_version = read_categories(project)
    # a version of the scheme is made where it asks otherwise, and not of other words
    scheme = read_scheme(project.pk).spec if categories.asks_more else None
    own = [getattr(project, field.attname) for field in project._meta.concrete_fields]
    return repr((read_stamp(project), scheme_version, categories.labels, scheme, own))


class LongReading(Exception):
    """A request would read more codings of a project than MAX_READ_IN_REQUEST.

    A worker may `store_answers` of the project by these arguments.
    """

    def __init__(self, project: Project, arguments: Mapping[str, Any]) -> None:
        super().__init__("Reading takes long.")
        self.project, self.arguments = project, arguments


_in_request = ContextVar("in_request", default=False)


@contextmanager
def refuse_long_reading() -> Iterator[None]:
    """Let everything that the block reads raise LongReading where it takes long."""
    token = _in_request.set(True)
    try:
        yield
    finally:
        _in_request.reset(token)


def store_answers(project: Project, units: str, *, gold: bool, models: bool, progress: Progress | None = None) -> None:
    """Store the answers of all documents, some at a time, each time in a snapshot of its own."""
    reading = _Reading(project, units, frozenset(), gold, models)
    n_left = 1
    while n_left:
        with read_snapshot():
            categories, scheme_version = read_categories(project)
            rows = read_rows(project)
            codings = list_codings(rows, gold=reading.gold, models=reading.models)
            version = f"{FORM} {rows.refreshed or 0} {scheme_version}"
            parts = _StoredParts.of(reading, codings, version, columns=("version",))
            n_left = max(len(parts.missing) - READ_AT_ONCE, 0)
            parts.read(categories, READ_AT_ONCE)
        with sqlite_write_lock():
            _write(parts.read_now)
        if progress:
            progress(len(codings.documents) - n_left, len(codings.documents))


@dataclass(frozen=True, slots=True)
class _Reading:
    """What is read of a project: what is counted, of which versions of the scheme (all where empty), and of whom."""

    project: Project
    units: str
    versions: frozenset[int]
    gold: bool
    models: bool

    @property
    def key(self) -> Hashable:
        return self.project.pk, self.units, self.versions, self.gold, self.models

    @property
    def name(self) -> str:
        """The name under which answers are stored."""
        return " ".join(filter(None, [self.units, "gold" if self.gold else "", "models" if self.models else ""]))

    @property
    def stored(self) -> dict[str, Any]:
        """The fields of its stored answers."""
        return {"project": self.project, "reading": self.name}

    @property
    def arguments(self) -> dict[str, Any]:
        """What `store_answers` is given."""
        return {"units": self.units, "gold": self.gold, "models": self.models}

    def read(self, categories: Categories, documents: Sequence[CodedDocument]) -> AnswerColumns:
        """Return the answers in some documents, with sets."""
        if self.units == "words":
            columns = read_words(self.project, categories, documents)
        else:
            all_marks = self.gold or self.models
            columns = read_judgements(self.project, categories, documents, self.versions, all_marks=all_marks)
        return with_sets(answer_kind(self.project), categories, columns)


@dataclass(frozen=True, slots=True)
class _Known:
    """The answers of a project as they were read last, with the stamp and the scheme that they are of."""

    stamp: Stamp
    scheme_version: Hashable
    codings: Codings
    columns: AnswerColumns
    names: tuple[str, ...]


_answers: OrderedDict[Hashable, _Known] = OrderedDict()
_lock = Lock()


def _remember(key: Hashable, known: _Known) -> None:
    """Keep these answers; those that were read longest ago go where there are many."""
    with _lock:
        _answers[key] = known
        _answers.move_to_end(key)
        sizes = {one: sum(table.nbytes for table in each.columns.tables) for one, each in _answers.items()}
        while len(_answers) > 1 and (len(_answers) > MAX_KEPT or sum(sizes.values()) > MAX_BYTES):
            del sizes[_answers.popitem(last=False)[0]]


def forget_answers() -> None:
    """Forget the answers that this process keeps and the figures of them, as one that has just begun."""
    with _lock:
        _answers.clear()
    for name in ("figures", "pages"):
        caches[name].clear()


def _read_all(reading: _Reading, question: str, unasked: str) -> tuple[ProjectAnswers, list[StoredAnswers]]:
    """Return the answers, and what was not stored of them."""
    project = reading.project
    categories, scheme_version = read_categories(project)
    with _lock:
        known = _answers.get(reading.key)
    stamp = read_stamp(project)
    read_now = list[StoredAnswers]()
    if known is None or (known.stamp, known.scheme_version) != (stamp, scheme_version):
        rows = read_rows(project)
        codings = list_codings(rows, gold=reading.gold, models=reading.models)
        version = f"{FORM} {rows.refreshed or 0} {scheme_version}"
        columns, read_now = _read_documents(reading, categories, version, codings)
        known = _Known(stamp, scheme_version, codings, *_fill_in(columns, codings))
        _remember(reading.key, known)
    codings = known.codings
    # who may not see gold does not learn how much there is
    gold = () if reading.gold or reading.units or not may_see_gold(project) else codings.gold
    answers = ProjectAnswers.of_texts(
        answer_kind(project),
        project.unmarked,
        categories.keys,
        codings.documents,
        replace(known.columns),  # another object, so that what is found out of its tables goes with the request
        known.names,
        units=reading.units,
        singletons=categories.singletons,
        levels=tuple(level.key for level in categories.levels),
        labels=categories.labels,
        managers=codings.managers,
        versions=reading.versions,
        state_name=repr((stamp, scheme_version, categories.labels, project.unmarked, reading.key, bool(gold))),
        gold_left_out=dict(codings.gold_left_out),
        left_out=tuple(CodingLeftOut(text, GOLD, IS_GOLD, round_) for text, round_ in gold),
    )
    if categories.asks_more and not reading.units:
        scheme = read_scheme(project.pk)
        questions = list_questions(scheme)
        answers = replace(answers, questions=questions, categories_asked=bool(categories.keys), cache={})
        asked = {found.key: found for found in questions}.get(question)
        if asked is None and not categories.keys and not question:
            asked = next(iter(questions), None)
        if asked is not None:
            answers = read_question(project, scheme, asked, unasked, answers)
    return answers, read_now


@dataclass(slots=True)
class _StoredParts:
    """What is stored of each document, under its version: content and names; `missing` are the places of others."""

    reading: _Reading
    codings: Codings
    versions: Sequence[bytes]
    found: list[tuple[bytes, str]]
    missing: list[int]
    read_now: list[StoredAnswers] = field(default_factory=list)

    @classmethod
    def of(cls, reading: _Reading, codings: Codings, version: str, columns: Sequence[str] = COLUMNS) -> Self:
        """Find what is stored: all of it, or its versions alone; without columns nothing. One query."""
        rows = StoredAnswers.objects.filter(**reading.stored).values_list("text_id", "round_id", "occasion", *columns)
        stored = {tuple(row[:3]): row[3:] for row in rows.iterator(500)} if columns else {}
        found, versions = [stored.get(key, (b"", b"", "")) for key in codings.keys], codings.versions(version)
        missing = [place for place, one in enumerate(versions) if bytes(found[place][0]) != one]
        parts = [(bytes(one[1]), one[2]) if len(one) == len(COLUMNS) else (b"", "") for one in found]
        return cls(reading, codings, versions, parts, missing)

    def read(self, categories: Categories, most: int | None = None) -> None:
        """Read what is missing, or so much of it."""
        for batch in batched(self.missing[:most], READ_AT_ONCE):
            documents = [CodedDocument(self.codings.documents[place], self.codings.rows[place]) for place in batch]
            for place, part in zip(batch, self.reading.read(categories, documents).to_bytes(), strict=True):
                self.found[place] = part
                key = dict(zip(("text_id", "round_id", "occasion"), self.codings.keys[place], strict=True))
                row = StoredAnswers(**self.reading.stored, **key, version=self.versions[place])
                row.content, row.names = part
                self.read_now.append(row)


def _read_documents(
    reading: _Reading, categories: Categories, version: str, codings: Codings
) -> tuple[AnswerColumns, list[StoredAnswers]]:
    """Return the answers in all documents, stored ones as they are stored, and those that were not stored."""
    is_stored = not reading.versions and len(codings.documents) >= MIN_STORED
    parts = _StoredParts.of(reading, codings, version, COLUMNS if is_stored else ())
    n_missing = sum(len(codings.rows[place]) for place in parts.missing)
    if is_stored and _in_request.get() and n_missing > MAX_READ_IN_REQUEST:
        raise LongReading(reading.project, reading.arguments)
    parts.read(categories)
    return AnswerColumns.from_bytes(parts.found), parts.read_now if is_stored else []


def _fill_in(columns: AnswerColumns, codings: Codings) -> tuple[AnswerColumns, tuple[str, ...]]:
    """Return the columns with coders and reasons, and the keys of further documents of a text; the names of coders."""
    rows = [row for of_document in codings.rows for row in of_document]
    names = tuple(sorted({row.coder for row in rows}))
    number, number_of_reason = ({name: place for place, name in enumerate(one)} for one in (names, REASONS))
    filled, members = columns.codings.copy(), columns.members.copy()
    filled["coder"] = [number[row.coder] for row in rows]
    filled["reason"] = [number_of_reason[row.reason] for row in rows]
    shifts = np.array([shift_of(document.pk) for document in codings.documents], dtype=np.int64)
    members["key"] += np.repeat(shifts, columns.n_members)
    return replace(columns, codings=filled, members=members), names


def _store(read_now: Sequence[StoredAnswers]) -> None:
    """Store what was read; nobody waits for it: where somebody else writes to SQLite it is left for the next look."""
    if not read_now:
        return
    try:
        with try_sqlite_write_lock() as is_free, refuse_busy_database():
            if is_free:
                _write(read_now)
    except DatabaseBusy:
        return


def _write(read_now: Sequence[StoredAnswers]) -> None:
    try:
        with transaction.atomic():
            StoredAnswers.objects.bulk_create(
                read_now,
                batch_size=READ_AT_ONCE,
                update_conflicts=True,
                unique_fields=["text", "round", "occasion", "reading"],
                update_fields=["version", "content", "names"],
            )
    except IntegrityError:  # a text or round was deleted meanwhile
        return
