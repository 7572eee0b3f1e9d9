"""Reading of a project's answers from the database, with a store by document and a cache by process."""

from collections import OrderedDict
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from itertools import batched
from threading import Lock
from typing import Any

import numpy as np
from django.core.cache import caches
from django.db import IntegrityError, transaction

from agreement.data.categories import Categories, read_categories
from agreement.data.coders import GOLD
from agreement.data.codings import CodedDocument, Codings, DocumentKey, Reading, Stamp, list_codings, read_stamp
from agreement.data.columns import AnswerColumns
from agreement.data.documents import NEXT_DOCUMENT, shift_of
from agreement.data.judgements import MAX_TEXTS_IN_QUERY, read_judgements, read_words
from agreement.data.project_answers import IS_GOLD, REASONS, CodingLeftOut, ProjectAnswers
from agreement.data.questions import list_questions, read_question
from agreement.data.reliability import with_sets
from agreement.models import StoredAnswers
from annotations.core.database.locks import DatabaseBusy, refuse_busy_database, sqlite_write_lock
from annotations.core.database.queries import read_snapshot
from annotations.core.processes.progress import Progress
from annotations.models import Project
from annotations.models.project import may_see_gold
from annotations.schemes.project_scheme import read_scheme

READ_AT_ONCE = 500  # documents
MIN_STORED = 50  # documents, below which stored answers are no faster
MAX_READ_IN_REQUEST = 2000  # codings without stored answers
# The limits of a process's cache: entries (one for each project and reading) and bytes.
MAX_KEPT, MAX_BYTES = 8, 200_000_000


def answer_kind(project: Project) -> str:
    """Return the kind of a project's values, one of `Project.Answers`; pyramids have indices."""
    return Project.Answers.INDICES.value if project.answers == Project.Answers.SCUS else project.answers


def counted_units(project: Project, units: str = "") -> str:
    """Return the units of a pyramid project, "words" unless `units` names others; empty for other projects."""
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
    """Return the answers of all coders, read in one snapshot; `ProjectAnswers.select` keeps the answers that count.

    units: the units of pyramids, "words" or "spans"; empty: words. question: the key of an attribute or relation;
    otherwise categories and chains are read, or, if it is empty and there are no categories, the first question.
    unasked: "label" if not being asked is a value. scheme_versions: only judgements last given under these versions;
    empty: all. gold: only texts with gold that counts, with `GOLD` as a coder. models: models are coders, too.
    """
    reading = Reading(project, counted_units(project, units), scheme_versions, gold, models)
    with read_snapshot():
        answers, read_now = _read_all(reading, question, unasked)
    _store(read_now)
    return answers


def read_state(project: Project) -> str:
    """Return a key that changes with the answers, members, texts, scheme and own fields of a project."""
    categories, scheme_version = read_categories(project)
    # new questions make a new version of the scheme, new wording does not
    scheme = read_scheme(project.pk).spec if categories.asks_more else None
    own = [getattr(project, field.attname) for field in project._meta.concrete_fields]
    return repr((read_stamp(project)[0], scheme_version, categories.labels, scheme, own))


class LongReading(Exception):
    """A refusal to read more than MAX_READ_IN_REQUEST codings in a request, with the arguments of `store_answers`."""


_in_request = ContextVar("in_request", default=False)


@contextmanager
def refuse_long_reading() -> Iterator[None]:
    """Raise LongReading in the block if a reading would take long."""
    token = _in_request.set(True)
    try:
        yield
    finally:
        _in_request.reset(token)


def store_answers(project: Project, units: str, *, gold: bool, models: bool, progress: Progress) -> None:
    """Store the answers of all documents in batches, each read in its own snapshot."""
    reading = Reading(project, units, frozenset(), gold, models)
    n_left = 1
    while n_left:
        with read_snapshot():
            categories, scheme_version = read_categories(project)
            _, rows = read_stamp(project)
            codings = list_codings(reading, rows, scheme_version)
            n_documents, stored = len(codings.documents), _read_stored(reading, codings.documents)
            missing = [coded for coded in codings.documents if coded.key not in stored]
            read_now = _read_missing(reading, categories, missing[:READ_AT_ONCE])
        with sqlite_write_lock():
            _write(read_now)
        n_left = len(missing) - len(read_now)
        progress(n_documents - n_left, n_documents)


@dataclass(frozen=True, slots=True)
class _Known:
    """The answers of the last reading of a project, with their stamp and scheme version."""

    stamp: Stamp
    scheme_version: Hashable
    codings: Codings
    columns: AnswerColumns
    names: tuple[str, ...]


_answers: OrderedDict[Hashable, _Known] = OrderedDict()
_lock = Lock()


def _remember(key: Hashable, known: _Known) -> None:
    """Cache these answers; evict the oldest answers above MAX_KEPT or MAX_BYTES."""
    with _lock:
        _answers[key] = known
        _answers.move_to_end(key)
        sizes = {name: sum(table.nbytes for table in kept.columns.tables) for name, kept in _answers.items()}
        while len(_answers) > 1 and (len(_answers) > MAX_KEPT or sum(sizes.values()) > MAX_BYTES):
            oldest, _ = _answers.popitem(last=False)
            del sizes[oldest]


def forget_answers() -> None:
    """Clear the answers and figures that this process caches."""
    with _lock:
        _answers.clear()
    for name in ("figures", "pages"):
        caches[name].clear()


def _read_all(reading: Reading, question: str, unasked: str) -> tuple[ProjectAnswers, list[StoredAnswers]]:
    """Return the answers, and the rows of them that are not stored yet."""
    project = reading.project
    categories, scheme_version = read_categories(project)
    with _lock:
        known = _answers.get(reading.key)
    stamp, rows = read_stamp(project)
    read_now = list[StoredAnswers]()
    if known is None or (known.stamp, known.scheme_version) != (stamp, scheme_version):
        before = known if known and known.stamp.origin == stamp.origin else None
        codings = list_codings(reading, rows, scheme_version, stamp.origin, before.codings if before else None)
        columns, read_now = _read_documents(reading, categories, codings, before)
        known = _Known(stamp, scheme_version, codings, *_fill_in(columns, codings))
        _remember(reading.key, known)
    codings = known.codings
    scheme = read_scheme(project.pk) if categories.asks_more and not reading.units else None
    questions = list_questions(scheme) if scheme else ()
    # a user who may not see gold must not learn its amount
    gold = () if reading.gold or reading.units or not may_see_gold(project) else codings.gold
    answers = ProjectAnswers.of_columns(
        replace(known.columns),  # a copy, whose cached properties are freed after the request
        known.names,
        kind=answer_kind(project),
        unmarked=project.unmarked,
        categories=categories.keys,
        texts=tuple(coded.document for coded in codings.documents),
        units=reading.units,
        singletons=categories.singletons,
        levels=tuple(level.key for level in categories.levels),
        labels=categories.labels,
        managers=codings.managers,
        questions=questions,
        categories_asked=bool(categories.keys),
        versions=reading.versions,
        state_name=repr((stamp, scheme_version, categories.labels, project.unmarked, reading.key, bool(gold))),
        gold_left_out=dict(codings.gold_left_out),
        left_out=tuple(CodingLeftOut(text, GOLD, IS_GOLD, round_) for text, round_ in gold),
    )
    if questions and not categories.keys and not question:
        question = questions[0].key
    asked = next((one for one in questions if one.key == question), None)
    if scheme and asked:
        answers = read_question(project, scheme, asked, unasked, answers)
    return answers, read_now


def _read_documents(
    reading: Reading, categories: Categories, codings: Codings, known: _Known | None
) -> tuple[AnswerColumns, list[StoredAnswers]]:
    """Return the answers in all documents, reusing known and stored ones, and the rows that are not stored yet."""
    documents, before = codings.documents, known.codings.documents if known else ()
    place_of = {coded.key: (0, place) for place, coded in enumerate(before)}
    changed = [coded for coded in documents if coded.key not in place_of]
    is_stored = not reading.versions and len(documents) >= MIN_STORED
    parts = _read_stored(reading, changed, "content", "names") if is_stored else {}
    missing = [coded for coded in changed if coded.key not in parts]
    if is_stored and _in_request.get() and sum(len(coded.rows) for coded in missing) > MAX_READ_IN_REQUEST:
        arguments = {"units": reading.units, "gold": reading.gold, "models": reading.models}
        raise LongReading(reading.project, arguments)
    read_now = [row for some in batched(missing, READ_AT_ONCE) for row in _read_missing(reading, categories, some)]
    parts |= {coded.key: (row.content, row.names) for coded, row in zip(missing, read_now, strict=True)}
    columns = AnswerColumns.from_bytes([parts[coded.key] for coded in changed])
    if known and len(changed) < len(documents):
        place_of |= {coded.key: (1, place) for place, coded in enumerate(changed)}
        columns = AnswerColumns.merge([known.columns, columns], [place_of[coded.key] for coded in documents])
    return columns, read_now if is_stored else []


def _read_stored(
    reading: Reading, documents: Sequence[CodedDocument], *columns: str
) -> dict[DocumentKey, tuple[Any, ...]]:
    """Return these columns of the stored rows of documents, by document key. One query."""
    keys = {coded.key for coded in documents}
    rows, texts = StoredAnswers.objects.filter(reading=reading.name), {coded.key[0] for coded in documents}
    # few texts are found by their index alone: SQLite would otherwise scan all rows of the project
    rows = rows.filter(text__in=texts) if len(texts) <= MAX_TEXTS_IN_QUERY else rows.filter(project=reading.project)
    found = rows.values_list("text_id", "round_id", "occasion", "version", *columns).iterator(READ_AT_ONCE)
    by_key = (((text, round_, occasion, bytes(version)), row) for text, round_, occasion, version, *row in found)
    return {key: tuple(row) for key, row in by_key if key in keys}


def _read_missing(reading: Reading, categories: Categories, documents: Sequence[CodedDocument]) -> list[StoredAnswers]:
    """Read the documents and return the rows to store."""
    if reading.units == "words":
        columns = read_words(reading.project, categories, documents)
    else:
        all_marks = reading.gold or reading.models
        columns = read_judgements(reading.project, categories, documents, reading.versions, all_marks=all_marks)
    stored = with_sets(answer_kind(reading.project), categories, columns).to_bytes()
    key_fields = "text_id", "round_id", "occasion", "version"
    return [
        StoredAnswers(
            project=reading.project,
            reading=reading.name,
            content=content,
            names=names,
            **dict(zip(key_fields, coded.key, strict=True)),
        )
        for coded, (content, names) in zip(documents, stored, strict=True)
    ]


def _fill_in(columns: AnswerColumns, codings: Codings) -> tuple[AnswerColumns, tuple[str, ...]]:
    """Return the columns with coders, reasons and the keys of further documents, and the names of the coders."""
    rows = [row for coded in codings.documents for row in coded.rows]
    names = tuple(sorted({row.coder for row in rows}))
    number, number_of_reason = ({name: place for place, name in enumerate(one)} for one in (names, REASONS))
    filled, members = columns.codings.copy(), columns.members.copy()
    filled["coder"] = [number[row.coder] for row in rows]
    filled["reason"] = [number_of_reason[row.reason] for row in rows]
    shifts = np.array([shift_of(coded.document.pk) for coded in codings.documents], dtype=np.int64)
    members["key"] = members["key"] % NEXT_DOCUMENT + np.repeat(shifts, columns.n_members)
    return replace(columns, codings=filled, members=members), names


def _store(read_now: Sequence[StoredAnswers]) -> None:
    """Store the rows without waiting; if SQLite is busy, leave them to the next reading."""
    if read_now:
        with suppress(DatabaseBusy), sqlite_write_lock(wait=False) as is_free, refuse_busy_database():
            if is_free:
                _write(read_now)


def _write(read_now: Sequence[StoredAnswers]) -> None:
    with suppress(IntegrityError), transaction.atomic():  # a text or round may be deleted meanwhile
        StoredAnswers.objects.bulk_create(
            read_now,
            batch_size=READ_AT_ONCE,
            update_conflicts=True,
            unique_fields=["text", "round", "occasion", "reading"],
            update_fields=["version", "content", "names"],
        )
