"""Rows of the database -> the answers of coders, in few queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from django.db.models import Exists, OuterRef, QuerySet, StringAgg, Subquery, TextField, Value
from django.db.models.functions import Cast, Concat

from agreement.data.answers import CoderAnswers, TextAnswers
from agreement.data.scu_words import scus_by_word
from agreement.measures.data.arrays import run_offsets
from agreement.measures.values import Bools, Ints
from annotations.models import Category, Coding, Index, Judgement, Markable, Operation, Pointer, Project
from annotations.models.coding import INDEPENDENT_KINDS

# Above so many changed texts all of the project are read: databases bound the parameters of a query.
MAX_TEXTS_IN_QUERY = 500


@dataclass(frozen=True, slots=True)
class Categories:
    """The categories by key, and what each asks for."""

    keys: tuple[str, ...]
    number: Mapping[int, int]
    points: Bools
    indexes: Bools


@dataclass(frozen=True, slots=True)
class CodingRow:
    """A coding as it is now."""

    pk: int
    text: int
    coder: str
    submitted: bool
    version: Hashable


@dataclass(frozen=True, slots=True)
class CodingTable:
    """The texts that are coded, in the order of their addresses, and the codings of each, by the names of the coders.

    `headings` has the address, title and round of each text.
    """

    headings: dict[int, tuple[str, str, str]]
    rows: dict[int, list[CodingRow]]


def read_codings(project: Project) -> CodingTable:
    """Return the codings of which agreement is computed."""
    # the last operation besides its number: a restored database may count on from an older state
    last = Operation.objects.filter(coding=OuterRef("pk"), sequence=OuterRef("version")).values("uuid")
    names = ("text_id", "text__slug", "text__title", "text__round", "coder__username")
    headings: dict[int, tuple[str, str, str]] = {}
    rows: dict[int, list[CodingRow]] = defaultdict(list)
    codings = Coding.objects.filter(text__project=project, kind__in=INDEPENDENT_KINDS).order_by()
    for pk, text, slug, title, round_, coder, status, version, uuid in codings.values_list(
        "pk", *names, "status", "version", Subquery(last)
    ):
        headings[text] = (slug, title, round_)
        rows[text].append(
            CodingRow(pk, text, coder, status == Coding.Status.SUBMITTED, (pk, coder, status, version, uuid))
        )
    # ordered here: databases differ in how they order names
    order = sorted(headings, key=lambda text: headings[text][0])
    return CodingTable(
        {text: headings[text] for text in order},
        {text: sorted(rows[text], key=lambda row: row.coder) for text in order},
    )


def read_categories(project: Project) -> tuple[Categories, Hashable]:
    """Return the categories, and what in the scheme the reading of answers depends on."""
    categories = Category.objects.filter(project=project).order_by()
    # ordered here: databases differ in how they order names
    rows = sorted(categories.values_list("pk", "key", "points_to_id", "takes_index"), key=lambda row: row[1])
    coded = tuple(project.levels.order_by("pk").values_list("pk", "coded"))
    indexed = Categories(
        keys=tuple(key for _, key, *_ in rows),
        number={pk: number for number, (pk, *_) in enumerate(rows)},
        points=np.array([level is not None for *_, level, _ in rows], dtype=np.bool_),
        indexes=np.array([index for *_, index in rows], dtype=np.bool_),
    )
    return indexed, (project.answers, tuple(rows), coded)


def read_answers(
    project: Project, categories: Categories, rows: list[CodingRow], texts: list[int]
) -> dict[int, TextAnswers]:
    """Return the answers of some texts.

    Three queries, whatever the size: a row of theirs is a whole coding.
    """
    members = _read_members(project, texts)
    index = _MemberIndex.of(members.values())
    coding = {row.pk: place for place, row in enumerate(rows)}
    indexing = project.answers in (Project.Answers.INDICES, Project.Answers.SCUS)
    selection = {f"coding__{name}": value for name, value in _select_texts(project, texts).items()}
    link_selection = {f"judgement__{name}": value for name, value in selection.items()}
    judgements = Judgement.objects.filter(category__isnull=False, **selection).values_list("coding_id")
    judged = _read_pairs(judgements, coding, "markable_id", "category_id")
    unit, category = index.of_markables(judged.first), _look_up(judged.second, categories.number)
    order = np.lexsort((unit, judged.coding))
    coding_of, unit, category = judged.coding[order], unit[order], category[order]
    indices: list[list[str]] = [[] for _ in rows]
    if indexing:
        entities = Index.objects.filter(judgement__category__isnull=False, **link_selection)
        links = _read_indices(entities, coding, indices)
    else:
        pointers = Pointer.objects.filter(judgement__category__isnull=False, **link_selection)
        links = _read_pairs(pointers.values_list("judgement__coding_id"), coding, "judgement__markable_id", "target_id")
    linked_unit = links.coding * index.width + index.of_markables(links.first)
    link_of = np.searchsorted(coding_of * index.width + unit, linked_unit)
    link_to = links.second if indexing else index.of_markables(links.second)
    order = np.lexsort((link_to, link_of))
    link_of, link_to = link_of[order], link_to[order]
    linked = np.zeros(len(unit), dtype=np.bool_)
    linked[link_of] = True
    required, impossible = categories.points, categories.indexes
    if indexing:
        required, impossible = impossible, required
    complete = (linked | ~required[category]) & ~impossible[category]
    begins = np.searchsorted(coding_of, np.arange(len(rows) + 1))
    cuts = zip(begins.tolist(), np.searchsorted(link_of, begins).tolist(), strict=True)
    answers: dict[int, list[CoderAnswers]] = defaultdict(list)
    for row, names, ((a, c), (b, d)) in zip(rows, indices, pairwise(cuts), strict=True):
        arrays = unit[a:b], category[a:b], complete[a:b], link_of[c:d] - a, link_to[c:d]
        answers[row.text].append(CoderAnswers(row.coder, row.submitted, *arrays, tuple(names)))
    return {text: TextAnswers(text, *members[text], categories.keys, tuple(answers[text])) for text in texts}


def read_word_answers(
    project: Project, categories: Categories, rows: list[CodingRow], texts: list[int]
) -> dict[int, TextAnswers]:
    """Return the answers of pyramids whose units are the words of the summaries, with the SCUs of their contributors.

    Two queries. Who codes only part of the words has said of the others that they are in no SCU once it is handed in.
    """
    selection = _select_texts(project, texts)
    words: dict[int, list[tuple[int, int, int, str]]] = {text: [] for text in texts}
    markables = Markable.objects.filter(level__coded=False, **selection).order_by("start")
    for text, pk, key, start, end in markables.values_list("text_id", "pk", "key", "start", "end"):
        if text in words:
            words[text].append((start, end, pk, key))
    link_selection = {f"judgement__coding__{name}": value for name, value in selection.items()}
    contributors: dict[int, list[tuple[Any, str]]] = defaultdict(list)
    entities = Index.objects.filter(judgement__category__isnull=False, **link_selection).order_by("pk")
    for coding, parts, scu in entities.values_list("judgement__coding_id", "judgement__markable__parts", "entity"):
        contributors[coding].append((parts, scu))
    indexing = int(np.flatnonzero(categories.indexes)[0])
    answers: dict[int, list[CoderAnswers]] = defaultdict(list)
    for row in rows:
        scus = scus_by_word([(start, end) for start, end, *_ in words[row.text]], contributors[row.pk])
        unit = np.array(sorted(scus), dtype=np.int64)
        names = tuple(sorted({scu for of_word in scus.values() for scu in of_word}))
        place = {scu: number for number, scu in enumerate(names)}
        links = [(at, place[scu]) for at, word in enumerate(unit.tolist()) for scu in sorted(scus[word])]
        pairs = np.array(links, dtype=np.int64).reshape(-1, 2)
        category, complete = np.full(len(unit), indexing), np.ones(len(unit), dtype=np.bool_)
        answers[row.text].append(
            CoderAnswers(row.coder, row.submitted, unit, category, complete, pairs[:, 0], pairs[:, 1], names)
        )
    return {
        text: TextAnswers(
            text, tuple(pk for *_, pk, _ in of), (), tuple(key for *_, key in of), categories.keys, tuple(answers[text])
        )
        for text, of in words.items()
    }


type _MemberKeys = tuple[tuple[int, ...], tuple[int, ...], tuple[str, ...]]


def _select_texts(project: Project, texts: list[int]) -> dict[str, Any]:
    """Return the filter of what is of some texts; of many texts all of the project is read."""
    return {"text__project": project} if len(texts) > MAX_TEXTS_IN_QUERY else {"text__in": texts}


def _read_members(project: Project, texts: list[int]) -> dict[int, _MemberKeys]:
    """Return the units of each text in text order, its other members, and the keys of both."""
    rows: dict[int, list[tuple[bool, int, int, str, int]]] = {text: [] for text in texts}
    markables = Markable.objects.in_use().filter(**_select_texts(project, texts)).order_by()
    if project.answers == Project.Answers.SCUS:
        # What only an adjudicator marked, for the agreed pyramid, is no unit of the coders.
        of_coders = Judgement.objects.filter(markable=OuterRef("pk"), coding__kind__in=INDEPENDENT_KINDS)
        markables = markables.filter(Exists(of_coders), level__coded=True)
    for text, pk, key, start, end, coded in markables.values_list(
        "text_id", "pk", "key", "start", "end", "level__coded"
    ):
        if text in rows:
            rows[text].append((not coded, start, -end, key, pk))
    members = {}
    for text, of_text in rows.items():
        of_text.sort()
        units = tuple(pk for other, *_, pk in of_text if not other)
        others = tuple(pk for other, *_, pk in of_text if other)
        members[text] = (units, others, tuple(key for *_, key, _ in of_text))
    return members


@dataclass(frozen=True, slots=True)
class _MemberIndex:
    """Markables as places among the members of their text, of which there are less than `width`."""

    markables: Ints
    places: Ints
    width: int

    @classmethod
    def of(cls, texts: Iterable[_MemberKeys]) -> _MemberIndex:
        members = [units + others for units, others, _ in texts]
        markables = np.array([pk for text in members for pk in text], dtype=np.int64)
        places = run_offsets(np.array([len(text) for text in members], dtype=np.int64))
        order = np.argsort(markables)
        return cls(markables[order], places[order], max(map(len, members), default=0) + 1)

    def of_markables(self, markables: Ints) -> Ints:
        """Return the place of each."""
        return self.places[np.searchsorted(self.markables, markables)]


@dataclass(frozen=True, slots=True)
class _LinkedRows:
    """Two columns of numbers, each row of a coding."""

    coding: Ints
    first: Ints
    second: Ints


def _read_pairs(rows: QuerySet[Any, Any], coding: Mapping[int, int], first: str, second: str) -> _LinkedRows:
    """Return two columns of the rows. They come grouped by coding: a long string is faster to read than many rows."""
    both = Concat(Cast(first, TextField()), Value(" "), Cast(second, TextField()), output_field=TextField())
    grouped = rows.annotate(pairs=StringAgg(both, Value(" "), output_field=TextField())).order_by()
    return _parse_rows([(coding[pk], text) for pk, text in grouped if pk in coding])


def _read_indices(rows: QuerySet[Index], coding: Mapping[int, int], names: list[list[str]]) -> _LinkedRows:
    """Return the markables of each index, and the number of the index in its coding; `names` are filled in."""
    markables = Cast("judgement__markable_id", TextField())
    grouped = (
        rows.values_list("judgement__coding_id", "entity")
        .annotate(markables=StringAgg(markables, Value(" "), output_field=TextField()))
        .order_by()
    )
    parts = []
    for pk, entity, text in sorted(grouped):
        if pk in coding:
            of_coding = names[coding[pk]]
            parts.append((coding[pk], text.replace(" ", f" {len(of_coding)} ") + f" {len(of_coding)}"))
            of_coding.append(entity)
    return _parse_rows(parts)


def _parse_rows(parts: list[tuple[int, str]]) -> _LinkedRows:
    numbers = np.fromstring(" ".join(text for _, text in parts), dtype=np.int64, sep=" ").reshape(-1, 2)
    sizes = np.array([(text.count(" ") + 1) // 2 for _, text in parts], dtype=np.int64)
    codings = np.array([number for number, _ in parts], dtype=np.int64)
    return _LinkedRows(np.repeat(codings, sizes), numbers[:, 0], numbers[:, 1])


def _look_up(keys: Ints, number: Mapping[int, int]) -> Ints:
    distinct, place = np.unique(keys, return_inverse=True)
    return np.array([number[key] for key in distinct.tolist()], dtype=np.int64)[place]
