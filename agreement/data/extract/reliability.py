"""The answers of a project -> reliability data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from agreement.data.answers.answers import NO_LABEL, NOT_ASKED, CoderAnswers, TextAnswers
from agreement.data.answers.contents import TextEntry, load_answers
from agreement.data.answers.links import number_alternatives
from agreement.data.extract.extract import Extract
from agreement.measures import Answers, ReliabilityData, indexed_values, labelled_values, pointed_values
from agreement.measures.data.answers import label_sets
from agreement.measures.data.subsets import select_units
from agreement.measures.values import Bools, Ints, Label
from annotations.models import Project


def reliability_data(
    extracted: Extract,
    *,
    chains: str,
    top: str,
    unmarked: str,
    readings: str = "union",
    plural: str = "targets",
    second: bool = False,
    texts: Sequence[TextEntry] | None = None,
) -> ReliabilityData:
    """Return the matrix of units x coders of the texts: units are markables, documents are texts.

    chains, top and plural: as in `chain_labels`, where the scheme asks for pointers; readings: as there. unmarked: what
    a markable means that a coder left out of a submitted text. second: a judgement with a second choice has both as its
    value, as a pair. An answer that lacks the antecedent or index its category asks for is an error of the data and has
    no value. `texts` restricts the data to some of them. A markable that none of the extract's coders was given or
    marked is no unit.
    """
    texts = extracted.texts if texts is None else texts
    load_answers(texts)
    answers = _concatenate([text.answers for text in texts], extracted)
    if extracted.question and extracted.kind != "targets":
        data = _values_of_question(extracted, answers, unmarked, second)
    elif extracted.kind == Project.Answers.INDICES:
        data = indexed_values(answers, unmarked=unmarked, singletons=extracted.singletons, readings=readings)
    else:
        data = pointed_values(answers, mode=chains, top=top, unmarked=unmarked, readings=readings, plural=plural)
    return select_units(data, units_of_coders(extracted, texts).any(axis=1))


def _values_of_question(extracted: Extract, answers: Answers, unmarked: str, second: bool) -> ReliabilityData:
    """Return the data of labels, of sets of them, or of numbers."""
    if extracted.kind == "labels":
        return label_sets(answers, empty=NO_LABEL, unmarked=unmarked)
    if extracted.kind == "numbers":
        answers = replace(answers, labels=[_number(name) for name in extracted.categories])
    return labelled_values(answers, unmarked=unmarked, second=second)


def _number(name: str) -> Label:
    """Return the number of a value; what stands in place of one has none."""
    return name if name == NOT_ASKED else float(name)


def category_data(extracted: Extract, texts: Sequence[TextEntry]) -> ReliabilityData:
    """Return the categories alone, complete or not, as a matrix of units x coders; what nobody answered is missing.

    Of a question with several labels these are the sets of labels, and of numbers their names.

    Units are those of `reliability_data`.
    """
    load_answers(texts)
    answers = _concatenate([text.answers for text in texts], extracted, complete_only=False)
    data = label_sets(answers, empty=NO_LABEL) if extracted.kind == "labels" else labelled_values(answers)
    return select_units(data, units_of_coders(extracted, texts).any(axis=1))


def units_of_coders(extracted: Extract, texts: Sequence[TextEntry]) -> Bools:
    """Return which markables of the texts each of the extract's coders was given or has marked: (markables, coders).

    Markables that every coder is given have True for all, also where nobody was chosen.
    """
    load_answers(texts)
    column = {coder: number for number, coder in enumerate(extracted.coders)}
    parts = []
    for text in texts:
        of_text = np.repeat(text.answers.given[:, np.newaxis], max(len(column), 1), axis=1)
        for one in text.answers.coder_answers:
            if one.coder in column:
                of_text[one.marked, column[one.coder]] = True
        parts.append(of_text)
    return np.concatenate([np.zeros((0, max(len(column), 1)), dtype=np.bool_), *parts])


def _concatenate(texts: Sequence[TextAnswers], extracted: Extract, *, complete_only: bool = True) -> Answers:
    """Return the answers of the extract's coders in some of the texts, one after the other."""
    coders = extracted.coders
    column = {coder: number for number, coder in enumerate(coders)}
    sizes = np.array([(len(text.units), len(text.others)) for text in texts], dtype=np.int64).reshape(-1, 2)
    first_unit, first_other = np.cumsum(sizes, axis=0).T - sizes.T
    n_units = int(sizes[:, 0].sum())
    parts = [(t, one) for t, text in enumerate(texts) for one in text.coder_answers if one.coder in column]
    text_of = np.array([t for t, _ in parts], dtype=np.int64)
    coder_of = np.array([column[one.coder] for _, one in parts], dtype=np.int64)
    judged = np.array([len(one.unit) for _, one in parts], dtype=np.int64)
    linked = np.array([len(one.link_of) for _, one in parts], dtype=np.int64)
    # an answer of another version is one without a value, so that it is no silence; these stand at the end
    others = np.array([len(one.other_versions) for _, one in parts], dtype=np.int64)
    handed_in = np.zeros((len(texts), len(coders)), dtype=np.bool_)
    handed_in[text_of, coder_of] = [one.submitted for _, one in parts]
    link_to = _join([one.link_to for _, one in parts])
    if extracted.kind in ("pointers", "targets"):
        text = np.repeat(text_of, linked)
        other = link_to - sizes[text, 0]
        link_to = np.where(other < 0, first_unit[text] + link_to, n_units + first_other[text] + other)
    category = _join([one.category for _, one in parts])
    complete = np.concatenate([np.zeros(0, dtype=np.bool_), *(one.complete for _, one in parts)])
    return Answers(
        units=[pk for text in texts for pk in text.units],
        others=[pk for text in texts for pk in text.others],
        coders=coders,
        documents=[text.pk for text in texts],
        labels=extracted.categories,
        document_of_unit=np.repeat(np.arange(len(texts)), sizes[:, 0]),
        unit=_join([*(one.unit for _, one in parts), *(one.other_versions for _, one in parts)])
        + np.concatenate((np.repeat(first_unit[text_of], judged), np.repeat(first_unit[text_of], others))),
        coder=np.concatenate((np.repeat(coder_of, judged), np.repeat(coder_of, others))),
        label=np.concatenate(
            (np.where(complete, category, -1) if complete_only else category, np.full(others.sum(), -1))
        ),
        link_of=_join([one.link_of for _, one in parts]) + np.repeat(np.cumsum(judged) - judged, linked),
        link_to=link_to,
        handed_in=handed_in,
        reading=_join_readings([one for _, one in parts]),
    )


def _join_readings(parts: list[CoderAnswers]) -> Ints | None:
    """Return the reading of each link; None where each is a reading of its own."""
    if all(one.reading is None for one in parts):
        return None
    return _join([number_alternatives(one.link_of) if one.reading is None else one.reading for one in parts])


def _join(arrays: list[Ints]) -> Ints:
    return np.concatenate([np.zeros(0, dtype=np.int64), *arrays])
