"""How distances are distributed: the same as pair by pair, in exact fractions."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.measures import SET_DISTANCES, alpha
from agreement.measures.options import EMPTY, Options
from agreement.measures.sums.overlaps import PairableUnits
from agreement.measures.sums.pairs import BINS, STEPS, count_distances, pair_distances
from tests.agreement.measures import exact
from tests.agreement.measures.data.test_inputs import label_tables, labelled
from tests.agreement.measures.strategies import OPTIONS, data_of, one_document, tables
from tests.shared.cases import examples
from tests.shared.growth import assert_grows_with_input


def step(distance):
    """Return the bin of an exact distance."""
    return STEPS + 1 if distance == 1 else ceil(distance * STEPS)


def plain(table, options):
    """Return observed and expected pairs by bin, from the definitions."""

    def between(a, b):
        return exact.distance(a, b, options.distance, options.empty, options.thirds)

    judged = exact.judgements(table)
    observed: Counter[int] = Counter()
    for unit, row in judged.items():
        values = row if options.exclude_unit == "none" else [exact.without(value, unit) for value in row]
        for a, b in permutations(values, 2):
            observed[step(between(a, b))] += Fraction(1, len(row) - 1)
    pool = [exact.without(v, u) if options.exclude_unit == "both" else v for u, row in judged.items() for v in row]
    expected = Counter(step(between(a, b)) for a, b in permutations(pool, 2))
    return [float(observed[place]) for place in range(BINS)], [expected[place] for place in range(BINS)]


def counted(data, options):
    counts = count_distances(PairableUnits.from_data(data), options)
    return counts.observed.tolist(), counts.expected.tolist()


@examples(100)
@given(tables() | tables(readings=True), st.sampled_from(SET_DISTANCES), OPTIONS)
def test_counts_by_distance_equal_exact_definition(drawn, name, conventions):
    (table, documents), options = drawn, Options(name, **conventions)
    observed, expected = plain(table, options)
    assert counted(data_of(table, documents), options) == (pytest.approx(observed), expected)


@examples(60)
@given(label_tables(), st.builds(Options, st.sampled_from(SET_DISTANCES), empty=st.sampled_from(EMPTY)))
def test_counts_of_label_sets_equal_exact_definition(drawn, options):
    table, documents = drawn
    observed, expected = plain(table, options)
    assert counted(labelled(table, documents), options) == (pytest.approx(observed), expected)


@examples(80)
@given(tables(readings=True), st.sampled_from(SET_DISTANCES))
def test_pair_distances_equal_distances_of_values(drawn, name):
    table, documents = drawn
    pairable = PairableUnits.from_data(data_of(table, documents))
    found = pair_distances(pairable, Options(name))
    rows = [row for row in table.values() if sum(value is not None for value in row) > 1]
    expected = [
        (unit, a, b, pytest.approx(float(exact.distance(row[a], row[b], name))))
        for unit, row in enumerate(rows)
        for a, b in combinations(range(len(row)), 2)
        if row[a] is not None and row[b] is not None
    ]
    columns = (found.units, found.first, found.second, found.distances)
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == expected


def test_shares_at_distance_1_equal_disagreement_of_alpha():
    rows = [["p", "p", "g"], ["g", "g", None], ["p", "g", "l"]]
    result = alpha(one_document(rows))
    observed, expected = counted(one_document(rows), Options("nominal"))
    assert observed[-1] / sum(observed) == pytest.approx(result.observed)
    assert expected[-1] / sum(expected) == pytest.approx(result.expected)
    assert set(observed[1:-1]) == set(expected[1:-1]) == {0}


def test_time_grows_with_judgements_not_with_pairs_of_coders():
    def work(n_coders):
        rows = [[None] * n_coders for _ in range(200)]
        for number, row in enumerate(rows):
            for coder in range(3):
                row[(7 * number + coder) % n_coders] = frozenset({number, coder})
        data = data_of(dict(enumerate(rows)), dict.fromkeys(range(200), "text"), range(n_coders))
        alpha(data, "masi")
        pair_distances(PairableUnits.from_data(data), Options("masi"))

    assert_grows_with_input(work, 480)
