"""The one bridge: rows of the database -> the answers of a project.

What was read of a document is stored under the versions of its codings, and read again once somebody has changed it.
A process keeps the answers of the projects that were looked at last, until the stamp of a project is another one.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import batched
from threading import Lock

import numpy as np
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
from agreement.data.stamps import Stamp, read_stamp
from agreement.models import StoredAnswers
from annotations.core.database.locks import DatabaseBusy, refuse_busy_database, try_sqlite_write_lock
from annotations.core.database.snapshots import read_snapshot
from annotations.models import Project
from annotations.models.project import may_see_gold
from annotations.schemes.project_scheme import read_scheme

# To be raised where columns take another form, or the same rows come to be read in another way.
FORM = 1
# Documents are read so many at a time.
READ_AT_ONCE = 500
# Fewer documents are read as quickly as what is stored of them.
MIN_STORED = 50
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
    """Forget the answers that this process keeps, as one that has just begun."""
    with _lock:
        _answers.clear()


def _read_all(reading: _Reading, question: str, unasked: str) -> tuple[ProjectAnswers, list[StoredAnswers]]:
    """Return the answers, and what was not stored of them."""
    project = reading.project
    categories, scheme_version = read_categories(project)
    with _lock:
        known = _answers.get(reading.key)
    stamp, rows, is_as_before = read_stamp(project, known.stamp if known else None)
    read_now = list[StoredAnswers]()
    if known is None or not is_as_before or known.scheme_version != scheme_version:
        codings = list_codings(rows, gold=reading.gold, models=reading.models)
        version = f"{FORM} {rows.refreshed} {scheme_version}"
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
        state_name=repr((known.stamp, scheme_version, categories.labels, project.unmarked, reading.key, bool(gold))),
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


def _read_documents(
    reading: _Reading, categories: Categories, version: str, codings: Codings
) -> tuple[AnswerColumns, list[StoredAnswers]]:
    """Return the answers in all documents, stored ones as they are stored, and those that were not stored."""
    documents = [CodedDocument(*pair) for pair in zip(codings.documents, codings.rows, strict=True)]
    keys, versions, is_stored = codings.keys, codings.versions(version), not reading.versions
    is_stored &= len(documents) >= MIN_STORED
    of_reading, read_now = {"project": reading.project, "reading": reading.name}, list[StoredAnswers]()
    columns = "text_id", "round_id", "occasion", "version", "content", "names"
    rows = StoredAnswers.objects.filter(**of_reading).values_list(*columns).iterator(500) if is_stored else ()
    stored = {tuple(row[:3]): (bytes(row[3]), bytes(row[4]), row[5]) for row in rows}
    found = [stored.get(key, (b"", b"", "")) for key in keys]
    missing = [place for place, version in enumerate(versions) if found[place][0] != version]
    for batch in batched(missing, READ_AT_ONCE):
        columns_read = reading.read(categories, [documents[place] for place in batch])
        for place, (content, names) in zip(batch, columns_read.to_bytes(), strict=True):
            found[place] = (versions[place], content, names)
            key = dict(zip(("text_id", "round_id", "occasion"), keys[place], strict=True))
            read_now.append(StoredAnswers(**of_reading, **key, version=versions[place], content=content, names=names))
    return AnswerColumns.from_bytes([part[1:] for part in found]), read_now if is_stored else []


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
        with try_sqlite_write_lock() as is_free:
            if is_free:
                with refuse_busy_database(), transaction.atomic():
                    StoredAnswers.objects.bulk_create(
                        read_now,
                        batch_size=READ_AT_ONCE,
                        update_conflicts=True,
                        unique_fields=["text", "round", "occasion", "reading"],
                        update_fields=["version", "content", "names"],
                    )
    except (DatabaseBusy, IntegrityError):  # a text or round was deleted meanwhile
        return
