"""Rows of the database -> the answers of coders as columns, in few queries."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Coalesce

from agreement.data.categories import Categories
from agreement.data.codings import CodingRow
from agreement.data.columns import (
    CODING,
    DOCUMENT,
    LINK,
    MARK,
    MEMBER,
    NO_CATEGORY,
    NO_SET,
    AnswerColumns,
    Rows,
    starts_of,
)
from agreement.data.documents import Document
from agreement.data.links import number_classes, tidy_readings
from agreement.measures.data.arrays import run_offsets
from agreement.measures.values import Bools, Ints
from annotations.models import Index, Judgement, Markable, Operation, Pointer, Project
from annotations.models.coding import INDEPENDENT_KINDS

# Above so many changed texts all of the project are read: databases bound the parameters of a query.
MAX_TEXTS_IN_QUERY = 500
# In place of the key of a category, where a markable has none.
NO_KEY = 0


class CodedDocument(NamedTuple):
    """A document and its codings."""

    document: Document
    rows: tuple[CodingRow, ...]


def read_judgements(
    project: Project,
    categories: Categories,
    documents: Sequence[CodedDocument],
    versions: frozenset[int] = frozenset(),
    *,
    all_marks: bool = False,
) -> AnswerColumns:
    """Return the answers in some documents; `versions`: only those last given under one of these of the scheme.

    all_marks: codings of gold or of models are among the rows, and what they alone have marked is a unit, too. Keys of
    members are those of their rows; coders and reasons are not filled in. Three queries, with `versions` four.
    """
    members = read_members(project, categories, documents, all_marks=all_marks)
    codings = CodingIndex.of(documents)
    selection = {f"coding__{name}": value for name, value in select_texts(project, documents).items()}
    link_selection = {f"judgement__{name}": value for name, value in selection.items()}
    if versions:
        link_selection["judgement__scheme_version__in"] = versions
    judgements = Judgement.objects.filter(**selection).annotate(category_key=Coalesce("category_id", NO_KEY))
    coding, unit, category, version = codings.read(
        judgements, "coding_id", "markable_id", "category_key", "scheme_version"
    )
    unit = members.find(unit)
    # what is marked on a level that is not coded any more is no unit
    is_unit = unit < members.n_units[codings.document[coding]]
    coding, unit, category, version = (column[is_unit] for column in (coding, unit, category, version))
    order = np.lexsort((unit, coding))
    coding, unit, category, version = (column[order] for column in (coding, unit, category, version))
    is_other = ~np.isin(version, list(versions)) if versions else np.zeros(len(unit), dtype=np.bool_)
    category = look_up(category, {NO_KEY: NO_CATEGORY, **categories.number})
    category[is_other] = NO_CATEGORY
    place_of = _MarkIndex(coding, unit, members.width)
    indexing, indices = project.answers in (Project.Answers.INDICES, Project.Answers.SCUS), list[tuple[str, ...]]()
    if indexing:
        rows = Index.objects.filter(judgement__category__isnull=False, **link_selection)
        link_of, link_to, indices = _read_indices(rows, codings, members, place_of)
        links = tidy_readings(link_of, link_to, link_to)  # two indices are alternatives
    else:
        pointers = Pointer.objects.filter(judgement__category__isnull=False, **link_selection)
        if categories.other_relations:
            pointers = pointers.exclude(relation__in=categories.other_relations)
        columns = ("judgement__coding_id", "judgement__markable_id", "target_id", "reading")
        of_coding, source, target, reading = codings.read(pointers, *columns)
        link_of = place_of.find(of_coding, members.find(source))
        known = link_of >= 0
        links = tidy_readings(link_of[known], members.find(target[known]), reading[known])
    is_linked = np.zeros(len(unit), dtype=np.bool_)
    is_linked[links[0]] = True
    required, impossible = categories.points, categories.indexes
    if indexing:
        required, impossible = impossible, required
    complete = category != NO_CATEGORY
    judged = category[complete]
    complete[complete] = (is_linked[complete] | ~required[judged]) & ~impossible[judged]
    submitted = np.array([row.submitted for row in codings.rows], dtype=np.bool_)
    if versions:
        n_marks, n_of_versions = (np.bincount(marks, minlength=len(submitted)) for marks in (coding, coding[~is_other]))
        submitted &= (n_of_versions > 0) | _are_empty_of(versions, codings.rows, n_marks)
    return build_columns(
        members, codings, submitted, (coding, unit, category, complete, is_other), links, indices
    ).with_digests(categories.keys)


def _are_empty_of(versions: frozenset[int], rows: Sequence[CodingRow], n_marks: Ints) -> Bools:
    """Return which codings have nothing marked and were submitted so under one of these versions of the scheme."""
    empty = [row.pk for row, n in zip(rows, n_marks.tolist(), strict=True) if row.submitted and not n]
    submissions = Operation.objects.filter(coding__in=empty, kind=Operation.Kind.SUBMIT).order_by("sequence")
    version_of = dict(submissions.values_list("coding_id", "scheme_version"))
    return np.array([version_of.get(row.pk) in versions for row in rows], dtype=np.bool_)


def build_columns(
    members: Members,
    codings: CodingIndex,
    submitted: Bools,
    marks: tuple[Ints, Ints, Ints, Bools, Bools],
    links: tuple[Ints, Ints, Ints],
    indices: Sequence[tuple[str, ...]] = (),
) -> AnswerColumns:
    """Return columns of these marks, ordered by coding and unit, and links, ordered by mark."""
    coding_of_mark, *of_marks = marks
    of, to, reading = links
    coding_table = np.zeros(len(codings.rows), CODING)
    coding_table["key"] = [row.pk for row in codings.rows]
    coding_table["submitted"] = submitted
    coding_table["marks"] = np.bincount(coding_of_mark, minlength=len(codings.rows))
    coding_table["links"] = np.bincount(coding_of_mark[of], minlength=len(codings.rows))
    mark_table, link_table = np.zeros(len(coding_of_mark), MARK), np.zeros(len(of), LINK)
    mark_table["set"] = NO_SET
    for name, column in zip(("unit", "category", "complete", "other_version"), of_marks, strict=True):
        mark_table[name] = column
    link_table["of"] = of - starts_of(coding_table["marks"])[coding_of_mark[of]]
    link_table["to"], link_table["reading"] = to, reading
    documents = members.documents.copy()
    documents["codings"] = np.bincount(codings.document, minlength=len(documents))
    return AnswerColumns(documents, members.table, coding_table, mark_table, link_table, indices=tuple(indices))


def select_texts(project: Project, documents: Sequence[CodedDocument]) -> dict[str, Any]:
    """Return the filter of what is of some documents; of many all of the project is read."""
    keys = {coded.document.text_pk for coded in documents}
    return {"text__project": project} if len(keys) > MAX_TEXTS_IN_QUERY else {"text__in": keys}


def read_numbers(rows: QuerySet[Any, Any], *columns: str) -> Ints:
    """Return columns of whole numbers of the rows: (columns, rows). One query."""
    flat = np.fromiter(chain.from_iterable(rows.order_by().values_list(*columns).iterator(10_000)), np.int64)
    return flat.reshape(-1, len(columns)).T


@dataclass(frozen=True, slots=True)
class CodingIndex:
    """The codings of some documents: their rows, the place of the document of each, and their keys in order."""

    rows: tuple[CodingRow, ...]
    document: Ints
    keys: Ints
    order: Ints

    @classmethod
    def of(cls, documents: Sequence[CodedDocument]) -> CodingIndex:
        """Return the codings of these documents."""
        rows = tuple(row for coded in documents for row in coded.rows)
        keys = np.array([row.pk for row in rows], dtype=np.int64)
        order = np.argsort(keys)
        document = np.repeat(np.arange(len(documents)), [len(coded.rows) for coded in documents])
        return cls(rows, document, keys[order], order)

    def find(self, keys: Ints) -> Ints:
        """Return the place of each coding; -1 of those that are not there."""
        return find_sorted(self.keys, keys, self.order)

    def read(self, rows: QuerySet[Any, Any], coding: str, *columns: str) -> tuple[Ints, ...]:
        """Return the place of the coding of each row, and further columns; rows of other codings are left out."""
        keys, *further = read_numbers(rows, coding, *columns)
        places = self.find(keys)
        known = places >= 0
        return tuple(column[known] for column in (places, *further))


class _MarkIndex:
    """Marks in the order of codings and units."""

    def __init__(self, coding: Ints, unit: Ints, width: int) -> None:
        self.width = width
        self.keys = coding * width + unit

    def find(self, coding: Ints, unit: Ints) -> Ints:
        """Return the place of each mark; -1 of those that are not there."""
        return find_sorted(self.keys, coding * self.width + unit)


def find_sorted(ascending: Ints, wanted: Ints, places: Ints | None = None) -> Ints:
    """Return where each number stands among ascending ones, or its entry in `places` there; -1 of those that do not."""
    found = np.searchsorted(ascending, wanted)
    known = found < len(ascending)
    known[known] = ascending[found[known]] == wanted[known]
    result = np.full(len(wanted), -1, dtype=np.int64)
    result[known] = found[known] if places is None else places[found[known]]
    return result


@dataclass(frozen=True, slots=True)
class Members:
    """The markables of documents: tables of the types DOCUMENT and MEMBER, and an index of their keys."""

    documents: Rows
    table: Rows
    keys: Ints
    places: Ints
    width: int

    @classmethod
    def of(cls, documents: Rows, table: Rows) -> Members:
        """Return the members, with their index. Documents of one text have the same members at the same places."""
        sizes = documents["units"].astype(np.int64) + documents["others"]
        order = np.argsort(table["key"])
        return cls(documents, table, table["key"][order], run_offsets(sizes)[order], int(sizes.max(initial=0)) + 1)

    @property
    def n_units(self) -> Ints:
        """How many units each document has."""
        return self.documents["units"].astype(np.int64)

    def find(self, keys: Ints) -> Ints:
        """Return the place of each markable in its document."""
        return self.places[np.searchsorted(self.keys, keys)] if len(self.keys) else np.zeros(len(keys), dtype=np.int64)


def read_members(
    project: Project, categories: Categories, documents: Sequence[CodedDocument], *, all_marks: bool = False
) -> Members:
    """Return the members of documents, in the order of `Markable`; or also what gold or models alone have marked."""
    markables = Markable.objects.all() if all_marks else Markable.objects.in_use()
    markables = markables.filter(**select_texts(project, documents)).order_by()
    if project.answers == Project.Answers.SCUS:
        # What only an adjudicator marked, for the agreed pyramid, is no unit of the coders.
        of_coders = Judgement.objects.filter(markable=OuterRef("pk"), coding__kind__in=INDEPENDENT_KINDS)
        of_coders = of_coders if all_marks else of_coders.filter(coding__by_model=False)
        markables = markables.filter(Exists(of_coders), level__coded=True)
    coded = {level.pk: level.coded for level in categories.levels}
    by_text = defaultdict[int, list[tuple[bool, int, int, str, int, int, bool]]](list)
    columns = ("text_id", "level_id", "start", "end", "key", "pk", "predefined")
    for text, level, start, end, key, pk, given in markables.values_list(*columns).iterator(10_000):
        by_text[text].append((not coded[level], start, -end, key, pk, level, given))
    return collect_members(categories, documents, {text: sorted(rows) for text, rows in by_text.items()})


def collect_members(
    categories: Categories,
    documents: Sequence[CodedDocument],
    by_text: Mapping[int, Sequence[tuple[bool, int, int, str, int, int, bool]]],
) -> Members:
    """Return the members of documents, of whose texts these are: those that are no units, and keys, are in each row."""
    numbers = {level.pk: place for place, level in enumerate(categories.levels)}
    table, rows = np.zeros(len(documents), DOCUMENT), []
    for place, one in enumerate(documents):
        members = by_text.get(one.document.text_pk, ())
        others = sum(is_other for is_other, *_ in members)
        digest = hashlib.sha256("\n".join([key for _, _, _, key, *_ in members]).encode()).digest()
        table[place] = (len(members) - others, others, 0, 0, digest)
        rows += [(pk, numbers[level], given and not is_other) for is_other, _, _, _, pk, level, given in members]
    return Members.of(table, np.array(rows, MEMBER))


def _read_indices(
    rows: QuerySet[Index], codings: CodingIndex, members: Members, marks: _MarkIndex
) -> tuple[Ints, Ints, list[tuple[str, ...]]]:
    """Return the mark of each link and the number of its class, and the names of the classes of each coding."""
    found = list(rows.order_by().values_list("judgement__coding_id", "judgement__markable_id", "entity"))
    coding = codings.find(np.array([row[0] for row in found], dtype=np.int64))
    found, coding = [found[row] for row in np.flatnonzero(coding >= 0).tolist()], coding[coding >= 0]
    of = marks.find(coding, members.find(np.array([row[1] for row in found], dtype=np.int64)))
    known = np.flatnonzero(of >= 0)
    named = [(int(coding[row]), found[row][2]) for row in known.tolist()]
    classes = sorted(set(named))
    number = {one: place for place, one in enumerate(classes)}
    class_of = np.array([number[pair] for pair in named], dtype=np.int64)
    numbers = number_classes(np.array([one for one, _ in classes], dtype=np.int64), of[known], class_of)
    indices: list[list[str]] = [[] for _ in codings.rows]
    for (coding_of, name), _ in sorted(
        zip(classes, numbers.tolist(), strict=True), key=lambda one: (one[0][0], one[1])
    ):
        indices[coding_of].append(name)
    return of[known], numbers[class_of], [tuple(names) for names in indices]


def look_up(keys: Ints, number: Mapping[int, int]) -> Ints:
    """Return the number of each key."""
    distinct, place = np.unique(keys, return_inverse=True)
    return np.array([number[key] for key in distinct.tolist()], dtype=np.int64)[place]
