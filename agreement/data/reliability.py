"""Reliability data from the answers of a project."""

from dataclasses import replace
from typing import Any

import numpy as np

from agreement.data.categories import Categories
from agreement.data.columns import ELEMENT, MARK_SET, NO_LABEL, NO_SET, NOT_ASKED, AnswerColumns, ranges, starts_of
from agreement.data.project_answers import ProjectAnswers
from agreement.measures import Answers, ReliabilityData, indexed_values, labelled_values, pointed_values
from agreement.measures.data.answers import label_sets, values_of_sets
from agreement.measures.data.arrays import run_offsets
from agreement.measures.data.subsets import select_units
from agreement.measures.values import Bools, Ints
from annotations.models import Project


def reliability_data(
    answers: ProjectAnswers,
    *,
    chains: str,
    top: str,
    unmarked: str,
    readings: str = "union",
    plural: str = "targets",
    second: bool = False,
) -> ReliabilityData:
    """Return the matrix of units x coders, with texts as documents; units are markables given to or marked by coders.

    chains, top, plural and readings: as in `chain_labels`. unmarked: the meaning of a markable that a coder left out of
    a submitted text. second: the value of a judgement with a second choice is the pair of both. An answer without the
    antecedent or index that its category requires is an error of the data and has no value.
    """
    columns = answers.columns
    indexing = answers.kind == Project.Answers.INDICES
    known = columns.has_sets and readings == "union" and plural == "targets"
    known &= indexing or chains == "full" or not len(columns.links)
    found = collect_answers(answers, with_links=not known)
    if answers.kind == "labels":
        data = label_sets(found, empty=NO_LABEL, unmarked=unmarked)
    elif answers.question and answers.kind != "targets":
        if answers.kind == "numbers":  # the placeholder of a number is no number
            found = replace(found, labels=[name if name == NOT_ASKED else float(name) for name in answers.categories])
        data = labelled_values(found, unmarked=unmarked, second=second)
    elif known:
        data = _values_of_sets(answers, found, unmarked, linked=not indexing and top == "category")
    elif indexing:
        data = indexed_values(found, unmarked=unmarked, singletons=answers.singletons, readings=readings)
    else:
        data = pointed_values(found, mode=chains, top=top, unmarked=unmarked, readings=readings, plural=plural)
    return select_units(data, units_of_anybody(answers))


def _values_of_sets(answers: ProjectAnswers, found: Answers, unmarked: str, *, linked: bool) -> ReliabilityData:
    """Return the data of marks with stored sets; if `linked`, the value of a mark without links is its label."""
    columns = answers.columns
    has_set = (columns.marks["set"] != NO_SET) & columns.is_judgement
    if linked:
        has_set &= np.bincount(columns.mark_of_link, minlength=len(columns.marks)) > 0
    n_sets, sizes = columns.documents["sets"], columns.sets["size"]
    set_of = np.where(has_set, starts_of(n_sets)[columns.document_of_mark] + columns.marks["set"], NO_SET)
    of_element = np.repeat(np.repeat(np.arange(len(n_sets)), n_sets), sizes)
    members = columns.number_members(of_element, columns.elements["member"].astype(np.int64))
    starts = np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))
    return values_of_sets(found, starts, members, set_of[answers.counted_marks], unmarked=unmarked)


def with_sets(kind: str, categories: Categories, columns: AnswerColumns) -> AnswerColumns:
    """Return the answers with the set of each mark: its whole chain, or the union of its classes."""
    numbered = columns.codings.copy()  # each document numbers its own coders: sets do not depend on who they are
    numbered["coder"] = run_offsets(columns.documents["codings"])
    names = tuple(map(str, range(columns.documents["codings"].max(initial=0))))
    fields: dict[str, Any] = {"kind": kind, "unmarked": "missing", "categories": categories.keys, "texts": ()}
    answers = ProjectAnswers.of_columns(replace(columns, codings=numbered), names, **fields)
    found = collect_answers(answers)
    found = replace(found, others=range(len(found.others)), documents=range(len(columns.documents)))
    if kind == Project.Answers.INDICES:
        cells = indexed_values(found, singletons=categories.singletons).cells
    else:
        cells = pointed_values(found, top="chain").cells
    coder, document = answers.coder_of_mark, columns.document_of_mark
    of_mark = np.full(len(coder), NO_SET, dtype=np.int64)
    is_known = coder >= 0
    of_mark[is_known] = cells.codes[columns.unit_of_mark[is_known], coder[is_known]] - len(cells.labels)
    is_set = of_mark >= 0
    of_set = np.zeros(len(cells.starts) - 1, dtype=np.int64)
    of_set[of_mark[is_set]] = document[is_set]
    order = np.argsort(of_set, kind="stable")
    sizes = np.diff(cells.starts)[order]
    documents, marks = columns.documents.copy(), columns.marks.copy()
    sets, elements = np.zeros(len(order), MARK_SET), np.zeros(int(sizes.sum()), ELEMENT)
    documents["sets"] = np.bincount(of_set, minlength=len(documents))
    number = np.empty(len(order), dtype=np.int64)
    number[order] = run_offsets(documents["sets"])
    marks["set"] = NO_SET
    marks["set"][is_set] = number[of_mark[is_set]]
    sets["size"] = sizes
    of_element = np.repeat(of_set[order], sizes)
    members, n_units = cells.members[ranges(cells.starts[order], sizes)], len(columns.units)
    others = np.array([*cells.others, 0], dtype=np.int64)[np.maximum(members - n_units, -1)]
    elements["member"] = np.where(
        members < n_units,
        members - columns.first_unit[of_element],
        documents["units"][of_element] + others - starts_of(documents["others"])[of_element],
    )
    return replace(columns, documents=documents, marks=marks, sets=sets, elements=elements, has_sets=True)


def category_data(answers: ProjectAnswers) -> ReliabilityData:
    """Return the categories, complete or not, on the units of `reliability_data`; several labels make a set."""
    found = collect_answers(answers, complete_only=False)
    data = label_sets(found, empty=NO_LABEL) if answers.kind == "labels" else labelled_values(found)
    return select_units(data, units_of_anybody(answers))


def chain_sizes(answers: ProjectAnswers) -> Ints:
    """Return the size of the largest set among the marks of each unit, 0 if there is none."""
    columns = answers.columns
    marks = np.flatnonzero((columns.marks["set"] != NO_SET) & (answers.coder_of_mark >= 0))
    sets = starts_of(columns.documents["sets"])[columns.document_of_mark[marks]] + columns.marks["set"][marks]
    sizes = np.zeros(len(columns.units), dtype=np.int64)
    np.maximum.at(sizes, columns.unit_of_mark[marks], columns.sets["size"][sets].astype(np.int64))
    return sizes


def given_categories(answers: ProjectAnswers) -> tuple[Ints, Ints]:
    """Return the mark and the category of each judgement of the coders; a set of labels has a pair for each label."""
    columns = answers.columns
    is_counted = columns.is_judgement & (answers.coder_of_mark >= 0)
    if answers.kind != "labels":
        marks = np.flatnonzero(is_counted)
        return marks, columns.marks["category"][marks].astype(np.int64)
    of_link = columns.mark_of_link
    is_link, is_whole = is_counted[of_link], is_counted.copy()  # whole: judgements without labels
    is_whole[of_link] = False
    marks, whole = of_link[is_link], np.flatnonzero(is_whole)
    given = np.concatenate((columns.links["to"][is_link], columns.marks["category"][whole]))
    return np.concatenate((marks, whole)), given.astype(np.int64)


def units_of_anybody(answers: ProjectAnswers) -> Bools:
    """Return which markables every coder was given or at least one coder has marked."""
    columns = answers.columns
    found: Bools = columns.units["given"].copy()
    found[columns.unit_of_mark[answers.coder_of_mark >= 0]] = True
    return found


def units_of_coders(answers: ProjectAnswers) -> Bools:
    """Return which markables each coder was given or has marked: (markables, coders), at least one column."""
    columns, coder = answers.columns, answers.coder_of_mark
    found = np.repeat(columns.units["given"][:, np.newaxis], max(len(answers.coders), 1), axis=1)
    found[columns.unit_of_mark[coder >= 0], coder[coder >= 0]] = True
    return found


def collect_answers(answers: ProjectAnswers, *, complete_only: bool = True, with_links: bool = True) -> Answers:
    """Return the answers of the coders for the library; `with_links` is false if values need no links."""
    columns, order = answers.columns, answers.counted_marks
    place = np.full(len(columns.marks), -1, dtype=np.int64)
    place[order] = np.arange(len(order))
    is_link = np.zeros(len(columns.links), dtype=np.bool_)
    if with_links and len(is_link):
        is_link = (place[columns.mark_of_link] >= 0) & columns.is_judgement[columns.mark_of_link]
    link_to = columns.links["to"][is_link].astype(np.int64)
    if answers.kind in ("pointers", "targets"):
        link_to = columns.number_members(columns.document_of_coding[columns.coding_of_link[is_link]], link_to)
    category = columns.marks["category"].astype(np.int64)
    label = np.where(columns.marks["complete"], category, -1) if complete_only else category
    handed_in = np.zeros((len(columns.documents), len(answers.coders)), dtype=np.bool_)
    submitted = np.flatnonzero(columns.codings["submitted"] & (answers.column_of_coding >= 0))
    handed_in[columns.document_of_coding[submitted], answers.column_of_coding[submitted]] = True
    readings = columns.readings if with_links else None
    return Answers(
        units=columns.units["key"].tolist(),
        others=columns.others["key"].tolist(),
        coders=answers.coders,
        documents=[text.pk for text in answers.texts],
        labels=answers.categories,
        document_of_unit=columns.document_of_unit,
        unit=columns.unit_of_mark[order],
        coder=answers.coder_of_mark[order],
        label=label[order],
        link_of=place[columns.mark_of_link[is_link]],
        link_to=link_to,
        handed_in=handed_in,
        reading=None if readings is None else readings[is_link],
    )
