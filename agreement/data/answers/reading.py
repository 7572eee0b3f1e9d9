"""Rows of the database -> the answers of coders, in few queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from django.db.models import BigIntegerField, Exists, F, IntegerField, OuterRef, QuerySet, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Coalesce

from agreement.data.answers.answers import CoderAnswers, TextAnswers
from agreement.data.answers.categories import Categories
from agreement.data.answers.links import number_classes, share_reading, tidy_readings
from agreement.data.codings.documents import NEXT_DOCUMENT, row_key, shift_of
from agreement.data.codings.table import CodingRow
from agreement.data.joined import count_numbers, joined, parse_numbers
from agreement.measures.data.arrays import run_offsets
from agreement.measures.values import Bools, Ints
from annotations.models import Index, Judgement, Markable, Operation, Pointer, Project
from annotations.models.coding import INDEPENDENT_KINDS

# Above so many changed texts all of the project are read: databases bound the parameters of a query.
MAX_TEXTS_IN_QUERY = 500
# In place of the key of a category, where a markable has none.
NO_CATEGORY = 0
# Targets come as key + reading * this, so that the first reading of a judgement, mostly the only one, costs nothing.
NEXT_READING = 1 << 44
# PostgreSQL would take an integer without a field for one of four bytes.
TARGET_AND_READING = F("target_id") + Cast("reading", BigIntegerField()) * Value(
    NEXT_READING, output_field=BigIntegerField()
)


def read_answers(
    project: Project,
    categories: Categories,
    rows: list[CodingRow],
    texts: list[int],
    versions: frozenset[int] = frozenset(),
    *,
    all_marks: bool = False,
) -> dict[int, TextAnswers]:
    """Return the answers of some texts; `versions`: only those last given under one of these versions of the scheme.

    all_marks: codings of gold or of models are among the rows, and what they alone have marked is a unit, too.

    Three queries, with `versions` five, whatever the size: a row of theirs is a whole coding.
    """
    members = _read_members(project, [*{row_key(text) for text in texts}], all_marks=all_marks)
    index = MemberIndex.of(members.values())
    coding = {row.pk: place for place, row in enumerate(rows)}
    indexing = project.answers in (Project.Answers.INDICES, Project.Answers.SCUS)
    selection = {f"coding__{name}": value for name, value in select_texts(project, texts).items()}
    link_selection = {f"judgement__{name}": value for name, value in selection.items()}
    judgements = Judgement.objects.filter(**selection).values_list("coding_id")
    # a markable may have no category: it is marked, not judged
    marks = read_pairs(judgements, coding, "markable_id", Coalesce("category_id", NO_CATEGORY))
    marked = index.of_markables(marks.first)
    order = np.lexsort((marked, marks.coding))
    marking, marked, category = marks.coding[order], marked[order], marks.second[order]
    kept = np.ones(len(marked), dtype=np.bool_)
    if versions:
        rows_of_others = judgements.exclude(scheme_version__in=versions)
        others = read_pairs(rows_of_others, coding, "markable_id", "scheme_version")
        other = others.coding * index.width + index.of_markables(others.first)
        kept = ~np.isin(marking * index.width + marked, other)
        link_selection["judgement__scheme_version__in"] = versions
    is_of_versions = np.bincount(marking[kept], minlength=len(rows)).astype(np.bool_) | (not versions)
    if versions:
        is_of_versions |= _are_empty_of(versions, rows, np.bincount(marking, minlength=len(rows)))
    judged = kept & (category != NO_CATEGORY)
    coding_of, unit, category = marking[judged], marked[judged], look_up(category[judged], categories.number)
    indices: list[list[str]] = [[] for _ in rows]
    if indexing:
        entities = Index.objects.filter(judgement__category__isnull=False, **link_selection)
        links, entity_of_class, coding_of_class = _read_indices(entities, coding)
    else:
        pointers = Pointer.objects.filter(judgement__category__isnull=False, **link_selection)
        if categories.other_relations:
            pointers = pointers.exclude(relation__in=categories.other_relations)
        rows_of_pointers = pointers.values_list("judgement__coding_id")
        links = read_pairs(rows_of_pointers, coding, "judgement__markable_id", TARGET_AND_READING)
    linked_unit = links.coding * index.width + index.of_markables(links.first)
    link_of = np.searchsorted(coding_of * index.width + unit, linked_unit)
    reading, second = np.divmod(links.second, NEXT_READING)
    link_to = second if indexing else index.of_markables(second)
    if indexing:
        numbers = number_classes(coding_of_class, link_of, link_to)
        for place in np.lexsort((numbers, coding_of_class)).tolist():
            indices[coding_of_class[place]].append(entity_of_class[place])
        link_to = numbers[link_to]
    # two indices are alternatives
    link_of, link_to, reading = tidy_readings(link_of, link_to, link_to if indexing else reading)
    linked = np.zeros(len(unit), dtype=np.bool_)
    linked[link_of] = True
    required, impossible = categories.points, categories.indexes
    if indexing:
        required, impossible = impossible, required
    complete = (linked | ~required[category]) & ~impossible[category]
    begins = np.searchsorted(coding_of, np.arange(len(rows) + 1))
    begins_of_links = np.searchsorted(link_of, begins)
    begins_of_marks = np.searchsorted(marking, np.arange(len(rows) + 1)).tolist()
    cuts = zip(begins.tolist(), begins_of_links.tolist(), begins_of_marks, strict=True)
    is_plural = np.diff(np.searchsorted(np.flatnonzero(share_reading(link_of, reading)), begins_of_links)) > 0
    answers: dict[int, list[CoderAnswers]] = defaultdict(list)
    for row, names, counts, plural, ((a, c, e), (b, d, f)) in zip(
        rows, indices, is_of_versions.tolist(), is_plural.tolist(), pairwise(cuts), strict=True
    ):
        n_units = len(members[row_key(row.text)].units)
        own = marked[e:f]
        answers[row.text].append(
            CoderAnswers(
                coder=row.coder,
                submitted=row.submitted and counts,
                reason=row.reason,
                marked=own[own < n_units],
                unit=unit[a:b],
                category=category[a:b],
                complete=complete[a:b],
                link_of=link_of[c:d] - a,
                link_to=link_to[c:d],
                indices=tuple(names),
                reading=reading[c:d] if plural else None,
                coding=row.pk,
                other_versions=own[~kept[e:f] & (own < n_units)],
            )
        )
    return {text: _text_answers(text, members[row_key(text)], categories, answers[text]) for text in texts}


def _are_empty_of(versions: frozenset[int], rows: Sequence[CodingRow], n_marks: Ints) -> Bools:
    """Return which codings have nothing marked and were submitted so under one of these versions of the scheme."""
    empty = [row.pk for row, n in zip(rows, n_marks.tolist(), strict=True) if row.submitted and not n]
    submissions = Operation.objects.filter(coding__in=empty, kind=Operation.Kind.SUBMIT).order_by("sequence")
    version_of = dict(submissions.values_list("coding_id", "scheme_version"))
    return np.array([version_of.get(row.pk) in versions for row in rows], dtype=np.bool_)


def _text_answers(key: int, members: _Members, categories: Categories, answers: Sequence[CoderAnswers]) -> TextAnswers:
    """Return the answers of a document, whose units and other members have keys of their own."""
    shift = shift_of(key)
    return TextAnswers(
        pk=key,
        units=tuple(pk + shift for pk in members.units) if shift else members.units,
        others=tuple(pk + shift for pk in members.others) if shift else members.others,
        keys=members.keys,
        categories=categories.keys,
        given=members.given,
        coder_answers=tuple(answers),
    )


@dataclass(frozen=True, slots=True)
class _Members:
    """The markables of a text, as in TextAnswers."""

    units: tuple[int, ...]
    others: tuple[int, ...]
    keys: tuple[str, ...]
    given: Bools


def select_texts(project: Project, texts: list[int]) -> dict[str, Any]:
    """Return the filter of what is of some documents; of many all of the project is read."""
    keys = {row_key(text) for text in texts}
    return {"text__project": project} if len(keys) > MAX_TEXTS_IN_QUERY else {"text__in": keys}


def _read_members(project: Project, texts: list[int], *, all_marks: bool = False) -> dict[int, _Members]:
    """Return the members of each text, in the order of `Markable`; or also what gold or models alone have marked."""
    markables = Markable.objects.all() if all_marks else Markable.objects.in_use()
    markables = markables.filter(**select_texts(project, texts)).order_by()
    if project.answers == Project.Answers.SCUS:
        # What only an adjudicator marked, for the agreed pyramid, is no unit of the coders.
        of_coders = Judgement.objects.filter(markable=OuterRef("pk"), coding__kind__in=INDEPENDENT_KINDS)
        of_coders = of_coders if all_marks else of_coders.filter(coding__by_model=False)
        markables = markables.filter(Exists(of_coders), level__coded=True)
    grouped = markables.values_list("text_id").annotate(
        markable_keys=joined("key"),
        pks=joined("pk"),
        starts=joined("start"),
        ends=joined("end"),
        coded=joined(Cast("level__coded", IntegerField())),
        given=joined(Cast("predefined", IntegerField())),
    )
    members = {text: _Members((), (), (), np.zeros(0, dtype=np.bool_)) for text in texts}
    rows = [row for row in grouped if row[0] in members]
    # no key has a blank: a level's is a slug
    keys = [key for _, of_text, *_ in rows for key in of_text.split()]
    pk, start, end, coded, given = (parse_numbers([row[column] for row in rows]) for column in range(2, 7))
    sizes = count_numbers([row[2] for row in rows])
    text = np.repeat(np.arange(len(rows)), sizes)
    order = _order_members(keys, (-end, start, 1 - coded, text))
    pks, keys, is_given = pk[order].tolist(), [keys[place] for place in order.tolist()], given[order].astype(np.bool_)
    stops = np.cumsum(sizes)
    n_units = np.bincount(text[coded == 1], minlength=len(rows))
    cuts = np.column_stack((stops - sizes, stops - sizes + n_units, stops)).tolist()
    for (of_text, *_), (begin, others, stop) in zip(rows, cuts, strict=True):
        members[of_text] = _Members(
            units=tuple(pks[begin:others]),
            others=tuple(pks[others:stop]),
            keys=tuple(keys[begin:stop]),
            given=is_given[begin:others],
        )
    return members


def _order_members(keys: Sequence[str], columns: Sequence[Ints]) -> Ints:
    """Return the order of markables by columns, of which the last comes first; what is equal in all is by key."""
    order = np.lexsort(columns)
    equal = np.flatnonzero(np.all([np.diff(column[order]) == 0 for column in columns], axis=0))
    tied = order[np.union1d(equal, equal + 1)].tolist()
    rank = np.zeros(len(keys), dtype=np.int64)
    rank[sorted(tied, key=keys.__getitem__)] = np.arange(len(tied))
    return np.lexsort((rank, *columns)) if tied else order


@dataclass(frozen=True, slots=True)
class MemberIndex:
    """Markables as places among the members of their text, of which there are less than `width`."""

    markables: Ints
    places: Ints
    width: int

    @classmethod
    def of(cls, texts: Iterable[_Members | TextAnswers]) -> MemberIndex:
        """Return the index of the members of some texts."""
        members = [text.units + text.others for text in texts]
        # documents of one text have the same members at the same places
        markables = np.array([pk for text in members for pk in text], dtype=np.int64) % NEXT_DOCUMENT
        places = run_offsets(np.array([len(text) for text in members], dtype=np.int64))
        order = np.argsort(markables)
        return cls(markables[order], places[order], max(map(len, members), default=0) + 1)

    def of_markables(self, markables: Ints) -> Ints:
        """Return the place of each."""
        return self.places[np.searchsorted(self.markables, markables)]


@dataclass(frozen=True, slots=True)
class LinkedRows:
    """Two columns of numbers, each row of a coding."""

    coding: Ints
    first: Ints
    second: Ints


def read_pairs(rows: QuerySet[Any, Any], coding: Mapping[int, int], first: str, second: str | Combinable) -> LinkedRows:
    """Return two columns of the rows. They come grouped by coding: long strings are faster to read than many rows."""
    grouped = rows.annotate(firsts=joined(first), seconds=joined(second)).order_by()
    found = [(coding[pk], *columns) for pk, *columns in grouped if pk in coding]
    firsts, seconds = [one for _, one, _ in found], [one for *_, one in found]
    codings = np.array([number for number, *_ in found], dtype=np.int64)
    of_row = np.repeat(codings, count_numbers(firsts))
    return LinkedRows(of_row, parse_numbers(firsts), parse_numbers(seconds))


def _read_indices(rows: QuerySet[Index], coding: Mapping[int, int]) -> tuple[LinkedRows, list[str], Ints]:
    """Return the markables of each index, with the number of the index; of each its name and its coding, ascending."""
    grouped = (
        rows.values_list("judgement__coding_id", "entity")
        .annotate(markables=joined("judgement__markable_id"))
        .order_by()
    )
    found = sorted((coding[pk], entity, markables) for pk, entity, markables in grouped if pk in coding)
    codings = np.array([number for number, *_ in found], dtype=np.int64)
    columns = [markables for *_, markables in found]
    index = np.repeat(np.arange(len(found)), count_numbers(columns))
    links = LinkedRows(codings[index], parse_numbers(columns), index)
    return links, [entity for _, entity, _ in found], codings


def look_up(keys: Ints, number: Mapping[int, int]) -> Ints:
    distinct, place = np.unique(keys, return_inverse=True)
    return np.array([number[key] for key in distinct.tolist()], dtype=np.int64)[place]
