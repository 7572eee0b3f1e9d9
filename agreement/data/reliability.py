"""The answers of a project -> reliability data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from agreement.data.columns import NO_CATEGORY, NO_LABEL, NOT_ASKED, starts_of
from agreement.data.project_answers import ProjectAnswers
from agreement.measures import Answers, ReliabilityData, indexed_values, labelled_values, pointed_values
from agreement.measures.data.answers import label_sets
from agreement.measures.data.subsets import select_units
from agreement.measures.values import Bools, Label
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
    """Return the matrix of units x coders: units are markables, documents are texts.

    chains, top and plural: as in `chain_labels`, where the scheme asks for pointers; readings: as there. unmarked: what
    a markable means that a coder left out of a submitted text. second: a judgement with a second choice has both as its
    value, as a pair. An answer that lacks the antecedent or index its category asks for is an error of the data and has
    no value. A markable that none of the coders was given or marked is no unit.
    """
    found = collect_answers(answers)
    if answers.question and answers.kind != "targets":
        data = _values_of_question(answers, found, unmarked, second)
    elif answers.kind == Project.Answers.INDICES:
        data = indexed_values(found, unmarked=unmarked, singletons=answers.singletons, readings=readings)
    else:
        data = pointed_values(found, mode=chains, top=top, unmarked=unmarked, readings=readings, plural=plural)
    return select_units(data, units_of_anybody(answers))


def _values_of_question(extracted: ProjectAnswers, answers: Answers, unmarked: str, second: bool) -> ReliabilityData:
    """Return the data of labels, of sets of them, or of numbers."""
    if extracted.kind == "labels":
        return label_sets(answers, empty=NO_LABEL, unmarked=unmarked)
    if extracted.kind == "numbers":
        answers = replace(answers, labels=[_number(name) for name in extracted.categories])
    return labelled_values(answers, unmarked=unmarked, second=second)


def _number(name: str) -> Label:
    """Return the number of a value; what stands in place of one has none."""
    return name if name == NOT_ASKED else float(name)


def category_data(answers: ProjectAnswers) -> ReliabilityData:
    """Return the categories alone, complete or not, as a matrix of units x coders; what nobody answered is missing.

    Of a question with several labels these are the sets of labels, and of numbers their names.

    Units are those of `reliability_data`.
    """
    found = collect_answers(answers, complete_only=False)
    data = label_sets(found, empty=NO_LABEL) if answers.kind == "labels" else labelled_values(found)
    return select_units(data, units_of_anybody(answers))


def units_of_anybody(answers: ProjectAnswers) -> Bools:
    """Return which markables every coder was given, or some of the coders have marked."""
    columns = answers.columns
    found: Bools = columns.units["given"].copy()
    found[columns.unit_of_mark[answers.column_of_coding[columns.coding_of_mark] >= 0]] = True
    return found


def units_of_coders(answers: ProjectAnswers) -> Bools:
    """Return which markables each of the coders was given or has marked: (markables, coders).

    Markables that every coder is given have True for all, also where nobody was chosen.
    """
    columns = answers.columns
    found = np.repeat(columns.units["given"][:, np.newaxis], max(len(answers.coders), 1), axis=1)
    coder = answers.column_of_coding[columns.coding_of_mark]
    found[columns.unit_of_mark[coder >= 0], coder[coder >= 0]] = True
    return found


def collect_answers(answers: ProjectAnswers, *, complete_only: bool = True) -> Answers:
    """Return the answers of the coders as the library takes them."""
    columns = answers.columns
    coder_of_coding, category = answers.column_of_coding, columns.marks["category"].astype(np.int64)
    coder = coder_of_coding[columns.coding_of_mark]
    judged = (category != NO_CATEGORY) & (coder >= 0)
    # an answer of another version is one without a value, so that it is no silence; these stand at the end
    others = np.flatnonzero(columns.marks["other_version"] & (coder >= 0))
    is_link = judged[columns.mark_of_link] if len(columns.links) else np.zeros(0, dtype=np.bool_)
    links, link_of = columns.links[is_link], (np.cumsum(judged) - 1)[columns.mark_of_link[is_link]]
    link_to = links["to"].astype(np.int64)
    if answers.kind in ("pointers", "targets"):
        document = columns.document_of_coding[columns.coding_of_link[is_link]]
        units, n_others = (columns.documents[name].astype(np.int64) for name in ("units", "others"))
        other = link_to - units[document]
        of_others = units.sum() + starts_of(n_others)[document] + other
        link_to = np.where(other < 0, columns.first_unit[document] + link_to, of_others)
    label = np.where(columns.marks["complete"], category, -1) if complete_only else category
    handed_in = np.zeros((len(answers.texts), len(answers.coders)), dtype=np.bool_)
    submitted = np.flatnonzero(columns.codings["submitted"] & (coder_of_coding >= 0))
    handed_in[columns.document_of_coding[submitted], coder_of_coding[submitted]] = True
    readings = columns.readings
    return Answers(
        units=columns.units["key"].tolist(),
        others=columns.others["key"].tolist(),
        coders=answers.coders,
        documents=[text.pk for text in answers.texts],
        labels=answers.categories,
        document_of_unit=columns.document_of_unit,
        unit=np.concatenate((columns.unit_of_mark[judged], columns.unit_of_mark[others])),
        coder=np.concatenate((coder[judged], coder[others])),
        label=np.concatenate((label[judged], np.full(len(others), -1))),
        link_of=link_of,
        link_to=link_to,
        handed_in=handed_in,
        reading=None if readings is None else readings[is_link],
    )
