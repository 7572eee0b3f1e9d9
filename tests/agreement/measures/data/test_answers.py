"""What is found for many coders and documents at once is what is found one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.measures import (
    RELATIONS,
    Answers,
    Readings,
    ReliabilityData,
    alphas,
    chain_labels,
    index_labels,
    indexed_values,
    pointed_values,
    relation,
    relation_counts,
)
from agreement.measures.data.answers import MODES, PLURALS, READINGS, TOPS, UNMARKED
from tests.agreement.measures.checks import values_of
from tests.agreement.measures.strategies import data_of, tables
from tests.shared.cases import examples
from tests.shared.growth import assert_grows_with_input

CODERS = ("Ann", "Bob", "Cid")
DOCUMENTS = {"tea": ("abcde", ("turn 1", "turn 2")), "walk": ("pqr", ()), "blank": ("", ("turn 3",))}
LABELS = ("phrase", "none", "place")


@st.composite
def draw_answers(draw, targets, readings=False):
    """Draw the answers as {(document, coder): ({unit: (label, links, has a value)}, submitted)}.

    With readings the links are tuples of sets of targets.
    """
    found = {}
    for document, (units, turns) in DOCUMENTS.items():
        for coder in CODERS:
            answered = draw(st.lists(st.sampled_from(units), unique=True)) if units else []
            links = st.sets(st.sampled_from(targets or [*units, *turns]), max_size=3)
            if readings:
                links = st.frozensets(links.filter(bool).map(frozenset), max_size=3).map(tuple)
            answers = {unit: (draw(st.sampled_from(LABELS)), draw(links)) for unit in answered}
            valued = {unit: bool(links) or draw(st.integers(0, 5)) > 0 for unit, (_, links) in answers.items()}
            found[document, coder] = (
                {unit: (label, links, valued[unit]) for unit, (label, links) in answers.items()},
                draw(st.booleans()),
            )
    return found


def answers_of(work, numbers):
    """Return the answers as arrays; `numbers` maps each target of a link to its number."""
    units = [unit for order, _ in DOCUMENTS.values() for unit in order]
    columns = [[] for _ in range(5)]
    unit, coder, label, link_of, link_to = columns
    reading = []
    handed_in = np.zeros((len(DOCUMENTS), len(CODERS)), dtype=np.bool_)
    for (document, name), (answers, done) in work.items():
        handed_in[list(DOCUMENTS).index(document), CODERS.index(name)] = done
        for markable, (category, links, valued) in answers.items():
            if isinstance(links, tuple):
                pairs = sorted((target, 3 * number) for number, targets in enumerate(links) for target in targets)
                reading.extend(number for _, number in pairs)
                links = [target for target, _ in pairs]
            link_of.extend([len(unit)] * len(links))
            link_to.extend(numbers[link] for link in sorted(links))
            unit.append(units.index(markable))
            coder.append(CODERS.index(name))
            label.append(LABELS.index(category) if valued else -1)
    return Answers(
        units,
        [turn for _, turns in DOCUMENTS.values() for turn in turns],
        CODERS,
        list(DOCUMENTS),
        LABELS,
        np.repeat(np.arange(len(DOCUMENTS)), [len(order) for order, _ in DOCUMENTS.values()]),
        *(np.array(column, dtype=np.int64) for column in columns),
        handed_in,
        np.array(reading, dtype=np.int64) if reading else None,
    )


def data_by_coder(work, values_of, unmarked):
    """Return the same data from the functions that take one coder and document."""
    units, documents, rows = [], [], []
    columns = {}
    for (document, coder), (answers, done) in work.items():
        order, turns = DOCUMENTS[document]
        whole = {unit: answer for unit, answer in answers.items() if answer[2]}
        values = values_of(order, turns, whole, unmarked if done else "missing")
        columns[document, coder] = {
            unit: value for unit, value in values.items() if unit in whole or unit not in answers
        }
    for document, (order, _) in DOCUMENTS.items():
        for unit in order:
            units.append(unit)
            documents.append(document)
            rows.append([columns[document, coder].get(unit) for coder in CODERS])
    return ReliabilityData.from_values(units, CODERS, rows, documents)


def assert_same(found, expected):
    assert found.values == expected.values
    assert found.labels == expected.labels
    assert found.to_frame().equals(expected.to_frame())
    assert found.cells.others == tuple(sorted(set(expected.cells.others), key=found.cells.others.index))
    assert alphas(found) == alphas(expected)


@examples(100)
@given(
    draw_answers(None) | draw_answers(None, readings=True),
    st.sampled_from(MODES),
    st.sampled_from(TOPS),
    st.sampled_from(UNMARKED),
    st.sampled_from(READINGS),
    st.sampled_from(PLURALS),
)
def test_values_of_pointers_equal_values_of_each_coder_and_document(work, mode, top, unmarked, readings, plural):
    units = [unit for order, _ in DOCUMENTS.values() for unit in order]
    turns = [turn for _, turns in DOCUMENTS.values() for turn in turns]
    numbers = {name: number for number, name in enumerate([*units, *turns])}

    def values_of(order, turns, whole, unmarked):
        categories = {unit: label for unit, (label, *_) in whole.items()}
        pointers = {unit: links for unit, (_, links, _) in whole.items() if links}
        options = {"unmarked": unmarked, "readings": readings, "plural": plural}
        return chain_labels(order, categories, pointers, turns, mode, top, **options)

    answers = answers_of(work, numbers)
    found = pointed_values(answers, mode=mode, top=top, unmarked=unmarked, readings=readings, plural=plural)
    assert_same(found, data_by_coder(work, values_of, unmarked))
    assert answers.n_readings.tolist() == [len(links) for own, _ in work.values() for _, links, _ in own.values()]


@pytest.mark.slow
def test_time_of_matched_readings_is_linear_in_documents():
    def work(n):
        # of six markables in each document the fourth is ambiguous, and the last is plural
        none, place = np.zeros(6 * n, dtype=np.int64), np.arange(6 * n)
        of = np.tile([1, 3, 3, 4, 5, 5], n) + np.repeat(6 * np.arange(n), 6)
        to = np.tile([0, 1, 2, 3, 0, 3], n) + np.repeat(6 * np.arange(n), 6)
        answers = Answers(
            range(6 * n), [], ["Ann"], range(n), ["phrase"], place // 6, place, none, none, of, to,
            np.ones((n, 1), dtype=np.bool_), np.tile([0, 0, 1, 0, 0, 0], n),
        )  # fmt: skip
        return pointed_values(answers, readings="matched")

    assert sum(isinstance(value, Readings) for value in work(2).values) == 2
    assert_grows_with_input(work, 20_000)


@examples(100)
@given(
    draw_answers("xyz"),
    st.sampled_from(UNMARKED),
    st.none() | st.sets(st.sampled_from(LABELS)),
    st.sampled_from(READINGS),
)
def test_values_of_indices_equal_values_of_each_coder_and_document(work, unmarked, singletons, readings):
    def values_of(order, _, whole, unmarked):
        indices = {unit: links for unit, (_, links, _) in whole.items()}
        others = {unit: label for unit, (label, *_) in whole.items() if label not in (singletons or ())}
        named = None if singletons is None else others
        return index_labels(order, indices, unmarked, categories=named, readings=readings)

    answers = answers_of(work, {"x": 3, "y": 0, "z": 1})
    found = indexed_values(answers, unmarked=unmarked, singletons=singletons, readings=readings)
    assert_same(found, data_by_coder(work, values_of, unmarked))


@pytest.mark.parametrize("cycle", [2, 3, 4, 7, 8])
def test_cycle_of_pointers_is_one_chain(cycle):
    n = cycle + 1
    to = [*((i + 1) % cycle for i in range(cycle)), 0]
    none = np.zeros(n, dtype=np.int64)
    answers = Answers(
        range(n), [], ["Ann"], ["text"], LABELS, none, np.arange(n), none, none, np.arange(n), np.array(to),
        np.ones((1, 1), dtype=np.bool_),
    )  # fmt: skip
    assert pointed_values(answers).values == (frozenset(range(n)),)


@pytest.mark.parametrize("option", ["mode", "top", "unmarked", "readings", "plural"])
def test_error_names_unknown_option(option):
    with pytest.raises(ValueError, match=option):
        pointed_values(answers_of({}, {}), **{option: "half"})


@examples(160)
@given(tables() | tables(readings=True))
def test_relation_counts_equal_relations_of_pairs(drawn):
    table, documents = drawn
    data = data_of(table, documents)
    expected = []
    for unit, row in values_of(data).items():
        values = [value for value in row if value is not None]
        pairs = [relation(a, b, unit) for i, a in enumerate(values) for b in values[:i]]
        expected.append([pairs.count(name) for name in RELATIONS])
    assert relation_counts(data).tolist() == expected
