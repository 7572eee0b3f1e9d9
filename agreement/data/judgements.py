"""Reading of the answers of coders from the database into columns, in few queries."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Coalesce

from agreement.data.categories import Categories
from agreement.data.codings import CodedDocument
from agreement.data.columns import CODING, DOCUMENT, MEMBER, NO_CATEGORY, AnswerColumns, KeyIndex
from agreement.data.documents import NEXT_DOCUMENT, Document
from agreement.data.links import number_indices, tidy_readings
from agreement.measures.data.arrays import run_offsets
from agreement.measures.values import Bools, Ints
from annotations.coding.markables.markables import Parts
from annotations.coding.pyramids.pyramid_rules import Span, held_words
from annotations.models import Index, Judgement, Markable, Operation, Pointer, Project
from annotations.models.coding import INDEPENDENT_KINDS

# With more texts, a query selects the whole project: databases limit the parameters of a query.
MAX_TEXTS_IN_QUERY = 500
NO_KEY = 0  # of the category, in a judgement without one

# A markable: whether it is no unit; start, negative end, key, primary key and level; whether every coder is given it.
type MemberRow = tuple[bool, int, int, str, int, int, bool]


def read_judgements(
    project: Project,
    categories: Categories,
    documents: Sequence[CodedDocument],
    versions: frozenset[int] = frozenset(),
    *,
    all_marks: bool = False,
) -> AnswerColumns:
    """Return the answers in some documents, without coders and reasons. Three queries, four with `versions`.

    versions: only judgements last given under these versions of the scheme. all_marks: markables that only gold or
    models have marked are units, too. The keys of members are primary keys.
    """
    columns = collect_members(categories, documents, _read_members(project, categories, documents, all_marks=all_marks))
    selection = select_texts(project, (coded.document for coded in documents), "coding__")
    judgements = Judgement.objects.filter(**selection).annotate(category_key=Coalesce("category_id", NO_KEY))
    index = RowIndex(columns)
    fields = "coding_id", "markable_id", "category_key", "scheme_version"
    coding, unit, category, version = read_numbers(judgements, *fields)
    coding, unit = index.codings.find(coding), index.members.find(unit)
    # a markable on a level that is no longer coded is no unit
    is_unit = (coding >= 0) & (unit >= 0) & (unit < columns.documents["units"][columns.document_of_coding[coding]])
    rows = np.stack((coding, unit, category, version))[:, is_unit]
    coding, unit, category, version = rows[:, np.lexsort((rows[1], rows[0]))]
    is_other = ~np.isin(version, list(versions)) if versions else np.zeros(len(unit), dtype=np.bool_)
    category = look_up(category, {NO_KEY: NO_CATEGORY, **categories.number})
    category[is_other] = NO_CATEGORY
    columns = columns.with_marks(coding, unit=unit, category=category, other_version=is_other)
    index = RowIndex(columns)
    further = {"category__isnull": False} | ({"scheme_version__in": versions} if versions else {})
    link_selection = {f"judgement__{name}": value for name, value in (selection | further).items()}
    indexing, indices = project.answers in (Project.Answers.INDICES, Project.Answers.SCUS), list[tuple[str, ...]]()
    if indexing:
        found = list(Index.objects.filter(**link_selection).order_by().values_list(*OF_JUDGEMENT, "entity"))
        marks = index.find(np.array([row[0] for row in found], np.int64), np.array([row[1] for row in found], np.int64))
        members = defaultdict[tuple[int, str], list[int]](list)
        for mark, (_, _, name) in zip(marks.tolist(), found, strict=True):
            if mark >= 0:
                members[int(coding[mark]), name].append(mark)
        of, to, indices = number_indices(members, len(columns.codings))
        links = tidy_readings(of, to, to)  # two indices of a judgement are alternatives
    else:
        pointers = Pointer.objects.filter(**link_selection)
        if categories.other_relations:
            pointers = pointers.exclude(relation__in=categories.other_relations)
        of, target, reading = index.read(pointers, "target_id", "reading")
        links = tidy_readings(of, index.members.find(target), reading)
    is_linked = np.bincount(links[0], minlength=len(unit)) > 0
    points, indexes = categories.points, categories.indexes
    required, impossible = (indexes, points) if indexing else (points, indexes)
    complete = category != NO_CATEGORY
    judged = category[complete]
    complete[complete] = (is_linked[complete] | ~required[judged]) & ~impossible[judged]
    columns.marks["complete"] = complete
    if versions:
        n_of_versions = np.bincount(coding[~is_other], minlength=len(columns.codings))
        columns.codings["submitted"] &= (n_of_versions > 0) | _are_empty_of(versions, columns)
    return replace(columns.with_links(*links), indices=tuple(indices)).with_digests(categories.keys)


def _are_empty_of(versions: frozenset[int], columns: AnswerColumns) -> Bools:
    """Return which codings were submitted without marks under one of these versions of the scheme."""
    keys, is_empty = columns.codings["key"], columns.codings["submitted"] & (columns.codings["marks"] == 0)
    submissions = Operation.objects.filter(coding__in=keys[is_empty].tolist(), kind=Operation.Kind.SUBMIT)
    version_of = dict(submissions.order_by("sequence").values_list("coding_id", "scheme_version"))
    return np.array([version_of.get(key) in versions for key in keys.tolist()], dtype=np.bool_)


def select_texts(project: Project, documents: Iterable[Document], path: str = "") -> dict[str, Any]:
    """Return filter arguments for rows of these documents, with the text at `path`; by project if texts are many."""
    keys = {document.text_pk for document in documents}
    if len(keys) > MAX_TEXTS_IN_QUERY:
        return {f"{path}text__project": project}
    return {f"{path}text__in": keys}


def read_numbers(rows: QuerySet[Any, Any], *columns: str) -> Ints:
    """Return integer columns of the rows: (columns, rows). One query."""
    flat = np.fromiter(chain.from_iterable(rows.order_by().values_list(*columns).iterator(10_000)), np.int64)
    return flat.reshape(-1, len(columns)).T


OF_JUDGEMENT = ("judgement__coding_id", "judgement__markable_id")


class RowIndex:
    """An index from primary keys to positions: of codings, of marks, and of members in their documents."""

    def __init__(self, columns: AnswerColumns) -> None:
        self.codings = KeyIndex(columns.codings["key"])
        self.members = KeyIndex(columns.members["key"] % NEXT_DOCUMENT, run_offsets(columns.n_members))
        self._width = int(columns.n_members.max(initial=0)) + 1  # the position -1 of an unknown member matches no mark
        self._marks = KeyIndex(columns.coding_of_mark * self._width + columns.marks["unit"])

    def find(self, codings: Ints, markables: Ints) -> Ints:
        """Return the position of the mark of each coding and markable, -1 if there is none."""
        return self._marks.find(self.codings.find(codings) * self._width + self.members.find(markables))

    def read(self, rows: QuerySet[Any, Any], *columns: str) -> Ints:
        """Return the position of each row's mark and further integer columns; rows without a mark are dropped."""
        coding, markable, *further = read_numbers(rows, *OF_JUDGEMENT, *columns)
        found = np.stack((self.find(coding, markable), *further))
        return found[:, found[0] >= 0]


def _read_members(
    project: Project, categories: Categories, documents: Sequence[CodedDocument], *, all_marks: bool
) -> Mapping[int, Sequence[MemberRow]]:
    """Return the members of texts in the order of `Markable`; `all_marks` includes marks of gold or models alone."""
    markables = Markable.objects.all() if all_marks else Markable.objects.in_use()
    markables = markables.filter(**select_texts(project, (coded.document for coded in documents))).order_by()
    if project.answers == Project.Answers.SCUS:
        # A span that only an adjudicator marked, for the agreed pyramid, is no unit of the coders.
        of_coders = Judgement.objects.filter(markable=OuterRef("pk"), coding__kind__in=INDEPENDENT_KINDS)
        of_coders = of_coders if all_marks else of_coders.filter(coding__by_model=False)
        markables = markables.filter(Exists(of_coders), level__coded=True)
    coded = {level.pk: level.coded for level in categories.levels}
    by_text = defaultdict[int, list[MemberRow]](list)
    columns = ("text_id", "level_id", "start", "end", "key", "pk", "predefined")
    for text, level, start, end, key, pk, given in markables.values_list(*columns).iterator(10_000):
        by_text[text].append((not coded[level], start, -end, key, pk, level, given))
    return {text: sorted(rows) for text, rows in by_text.items()}


def collect_members(
    categories: Categories, documents: Sequence[CodedDocument], by_text: Mapping[int, Sequence[MemberRow]]
) -> AnswerColumns:
    """Return documents with their codings and the members of their texts, without marks."""
    numbers = {level.pk: place for place, level in enumerate(categories.levels)}
    table, rows = np.zeros(len(documents), DOCUMENT), []
    for place, coded in enumerate(documents):
        members = by_text.get(coded.document.text_pk, ())
        others = sum(is_other for is_other, *_ in members)
        digest = hashlib.sha256("\n".join([key for _, _, _, key, *_ in members]).encode()).digest()
        table[place] = (len(members) - others, others, len(coded.rows), 0, digest)
        rows += [(pk, numbers[level], given and not is_other) for is_other, _, _, _, pk, level, given in members]
    of_documents = [row for coded in documents for row in coded.rows]
    codings = np.zeros(len(of_documents), CODING)
    codings["key"], codings["submitted"] = [row.pk for row in of_documents], [row.submitted for row in of_documents]
    return AnswerColumns(table, np.array(rows, MEMBER), codings)


def look_up(keys: Ints, number: Mapping[int, int]) -> Ints:
    """Return the number of each key."""
    distinct, place = np.unique(keys, return_inverse=True)
    return np.array([number[key] for key in distinct.tolist()], dtype=np.int64)[place]


def read_words(project: Project, categories: Categories, documents: Sequence[CodedDocument]) -> AnswerColumns:
    """Return the answers of pyramids whose units are words, with the SCUs of their contributors. Two queries."""
    # in a submitted pyramid, a word without a contributor is in no SCU
    selection = select_texts(project, (coded.document for coded in documents))
    words = defaultdict[int, list[MemberRow]](list)
    markables = Markable.objects.filter(level__coded=False, **selection).order_by("start")
    for text, pk, key, start, end, level in markables.values_list("text_id", "pk", "key", "start", "end", "level_id"):
        words[text].append((False, start, -end, key, pk, level, True))
    selection = select_texts(project, (coded.document for coded in documents), "judgement__coding__")
    contributors = defaultdict[int, list[tuple[Any, str]]](list)
    entities = Index.objects.filter(judgement__category__isnull=False, **selection).order_by("pk")
    for of_coding, parts, scu in entities.values_list("judgement__coding_id", "judgement__markable__parts", "entity"):
        contributors[of_coding].append((parts, scu))
    columns, places = collect_members(categories, documents, words), list[tuple[int, int]]()
    marks_of = defaultdict[tuple[int, str], list[int]](list)
    codings = [(coded.document, row.pk) for coded in documents for row in coded.rows]
    for coding, (document, pk) in enumerate(codings):
        spans = [(start, -end) for _, start, end, *_ in words[document.text_pk]]
        for word, scus in sorted(scus_by_word(spans, contributors[pk]).items()):
            for scu in scus:
                marks_of[coding, scu].append(len(places))
            places.append((coding, word))
    coding_of, unit = np.array(places, dtype=np.int64).reshape(-1, 2).T
    of, to, indices = number_indices(marks_of, len(codings))
    indexing = int(np.flatnonzero(categories.indexes)[0])
    columns = columns.with_marks(coding_of, unit=unit, category=np.full(len(unit), indexing), complete=unit >= 0)
    columns = columns.with_links(*tidy_readings(of, to, to))
    return replace(columns, indices=tuple(indices)).with_digests(categories.keys)


def scus_by_word(words: Sequence[Span], contributors: Iterable[tuple[Parts, str]]) -> dict[int, set[str]]:
    """Return the SCUs of each word that has any, by position; `words` are in text order and do not overlap."""
    scus_of_word = defaultdict[int, set[str]](set)
    for parts, scu in contributors:
        for place in held_words(words, parts):
            scus_of_word[place].add(scu)
    return scus_of_word
