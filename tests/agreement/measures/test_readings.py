"""Values with several readings: their distance, and every coefficient with it, against the definitions in fractions."""

from functools import partial
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement import measures
from agreement.measures import SET_DISTANCES, Readings, ReliabilityData, alpha, alphas, distance, jackknife
from agreement.measures.data.subsets import select_units
from agreement.measures.distances import match_readings
from tests.agreement.measures import exact
from tests.agreement.measures.checks import close, values_of
from tests.agreement.measures.exact import Several
from tests.agreement.measures.strategies import OPTIONS, as_given, data_of, map_members, one_document, tables
from tests.shared.cases import examples

SETS = st.frozensets(st.sampled_from("abcd"))
SEVERAL = st.frozensets(SETS, min_size=2, max_size=4).map(Several)
NAMES = st.sampled_from(SET_DISTANCES)


@examples(40)
@given(st.lists(SETS, min_size=2, max_size=4, unique=True), SEVERAL, NAMES)
def test_distance_ignores_order_of_readings(sets, other, name):
    assert len({distance(Readings(ordered), as_given(other), name) for ordered in permutations(sets)}) == 1


def test_readings_without_common_members_are_at_distance_1():
    both, first, apart = Readings(["DF", "EF"]), frozenset("DF"), Readings(["AB", "C"])
    for name in SET_DISTANCES:
        assert distance(both, apart, name) == 1
        assert distance(both, Readings(["FE", "FD"]), name) == 0
        assert distance(both, "place", name) == 1
    assert distance(both, first, "nominal") == distance(both, first, "masi") == 0.5
    assert distance(both, frozenset("DEF"), "jaccard") == pytest.approx(1 - (2 / 3) / 2)


@pytest.mark.parametrize("n", [5, 6, 50])
def test_many_readings_are_matched_optimally(n):
    first = Readings({i, i + 100} for i in range(n))
    second = Readings({i, i + 200} for i in range(n))
    assert distance(first, second, "jaccard") == pytest.approx(2 / 3)
    assert distance(first, Readings([{0, 100}, {1, 100}]), "nominal") == pytest.approx(1 - 1 / n)
    rows = {0: [first, second], 1: [frozenset({0, 100}), first]}
    assert alpha(one_document(rows), "jaccard").observed == pytest.approx((2 / 3 + 1 - 1 / n) / 2)


@examples(20)
@given(st.lists(st.lists(st.sampled_from([0, 0.25, 0.5, 1]), min_size=6, max_size=6), min_size=2, max_size=6))
def test_matching_of_readings_is_optimal(table):
    distances = np.array([table], dtype=np.float64)
    best = max(
        sum(1 - row[c] for row, c in zip(table, columns, strict=True)) for columns in permutations(range(6), len(table))
    )
    assert match_readings(distances).tolist() == [pytest.approx(1 - best / 6)]
    assert match_readings(distances.transpose(0, 2, 1)).tolist() == match_readings(distances).tolist()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: one_document([[Readings({i} for i in range(63)), None]]),
            "63 readings of one unit, and there may be 62",
        ),
        (lambda: Readings([{"A", "B"}, ["B", "A"]]), "several readings are two different sets or more"),
        (
            lambda: ReliabilityData.from_values(["A"], ["Ann"], [[Readings(["p", "q"])]], ["text"], members="labels"),
            "unit 'A', coder 'Ann': readings have units as members, not labels",
        ),
    ],
)
def test_wrong_readings_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_frame_readings_have_units_of_their_document_as_members():
    index = pd.MultiIndex.from_product([["one", "two"], ["D", "E"]], names=["document", "unit"])
    frame = pd.DataFrame({"Ann": [Readings(["D", "DE"]), {"E"}, None, Readings(["E", "ED"])]}, index=index)
    data = ReliabilityData.from_frame(frame)
    first = frozenset([("one", "D")])
    assert values_of(data)["one", "D"] == [Readings([first, first | {("one", "E")}])]
    assert data.n_values == 3


@examples(80)
@given(tables(readings=True), st.sampled_from(["drop", "available"]))
def test_nominal_coefficients_take_readings_as_one_value(drawn, missing):
    table, documents = drawn
    data = data_of(table, documents)
    whole = {u: [None if v is None else (v,) for v in row] for u, row in table.items()}
    coefficients = {
        "Ao": measures.observed_agreement,
        "K": measures.fleiss_kappa,
        "multi-kappa": measures.multi_kappa,
        "AC1": measures.gwet_ac1,
    }
    for name, coefficient in coefficients.items():
        assert close(coefficient(data, missing=missing).value, exact.kappa(name, whole, missing)[0])


@examples(80)
@given(tables(readings=True), NAMES, OPTIONS)
def test_alpha_without_each_document_equals_alpha_of_rest(drawn, name, options):
    table, documents = drawn
    data = data_of(table, documents)
    found = jackknife(data, partial(alpha, distance=name, **options))
    if found.by == "document":
        expected = exact.without_each(table, documents, lambda rest: exact.alpha(rest, name, **options)[0])
        assert dict(zip(found.groups, found.values, strict=True)) == {
            text: None if value is None else pytest.approx(float(value), abs=1e-12) for text, value in expected.items()
        }
    whole = measures.interval(data, alpha, name, **options)
    if whole.by == "document":
        kept = measures.interval_sums(measures.document_sums(data, name, **options))
        assert (kept.low, kept.high, kept.note) == (whole.low, whole.high, whole.note)
    left = measures.leave_one_out(data, alpha, name, by="document", **options)
    for part in left.parts:
        rest = {u: row for u, row in table.items() if documents[u] != part.name}
        assert close(part.result.value, exact.alpha(rest, name, **options)[0])


@examples(60)
@given(tables(readings=True), NAMES, OPTIONS)
def test_alpha_and_beta_without_each_unit_equal_figures_of_rest(drawn, name, options):
    table, documents = drawn
    data = data_of(table, documents)
    of_alpha = jackknife(data, alpha, name, by="unit", **options)
    of_beta = jackknife(data, measures.beta, name, by="unit")
    for found, coefficient in (
        (of_alpha, lambda rest: exact.alpha(rest, name, **options)),
        (of_beta, lambda rest: exact.kappa("beta", rest, "available", exact.similarity(name))),
    ):
        for left, value in zip(found.groups, found.values, strict=True):
            assert close(value, coefficient({unit: row for unit, row in table.items() if unit != left})[0])


@examples(60)
@given(tables(readings=True), NAMES, OPTIONS)
def test_components_join_all_members_of_readings(drawn, name, options):
    table, documents = drawn
    data = data_of(table, documents)
    parts = measures.split_components(data)
    number = exact.components(table)
    pairs = {(number[unit], part) for unit, part in zip(data.units, parts.document_of_unit.tolist(), strict=True)}
    assert len(pairs) == len({component for component, _ in pairs}) == len({part for _, part in pairs})
    whole, split = alpha(data, name, **options), alpha(parts, name, **options)
    assert (whole.value is None) == (split.value is None)
    assert whole.value is None or whole.value == pytest.approx(split.value, abs=1e-12)


@examples(60)
@given(tables(readings=True), NAMES, st.data())
def test_selections_of_data_with_readings_keep_values(drawn, name, data):
    table, documents = drawn
    whole = data_of(table, documents)
    assert values_of(whole) == {unit: [as_given(value) for value in row] for unit, row in table.items()}
    assert len(set(whole.values)) == whole.n_values
    selected = np.array([data.draw(st.booleans()) for _ in table], dtype=np.bool_)
    some = select_units(whole, selected)
    rows = {u: row for (u, row), is_kept in zip(table.items(), selected.tolist(), strict=True) if is_kept}
    assert close(alpha(some, name).value, exact.alpha(rows, name)[0])
    assert set(some.values) <= set(whole.values)
    if len(whole.coders) > 2:
        for pair, result in measures.pairwise(whole, alpha, name).results.items():
            columns = [whole.coders.index(coder) for coder in pair]
            own = {u: [row[column] for column in columns] for u, row in table.items()}
            assert close(result.value, exact.alpha(own, name)[0])
    for document in whole.documents:
        rows = {u: row for u, row in table.items() if documents[u] == document}
        assert close(alpha(whole.of_documents([document]), name).value, exact.alpha(rows, name)[0])


def test_clusters_include_readings_and_alphas_every_distance():
    data = one_document({"D": [frozenset("DF")], "F": [Readings(["DF", "EF"])], "E": [frozenset("DEF")]})
    assert data.clusters("A") == {"text": [frozenset("DF"), frozenset("DEF")]}
    data = one_document({"F": [Readings(["DF", "EF"]), frozenset("DF")], "D": [frozenset("D"), frozenset("DF")]})
    assert alphas(data) == {name: alpha(data, name) for name in SET_DISTANCES}


def test_rounds_with_readings_can_be_compared():
    both, first = Several(frozenset([frozenset("AB"), frozenset("AC")])), frozenset("AB")
    rounds = []
    for second in (first, both):
        table = {
            (d, u): [
                map_members(v, lambda m, d=d: (d, m)) for v in ([both, second] if u == "A" else [frozenset(u)] * 2)
            ]
            for d in range(4)
            for u in "AB"
        }
        rounds.append(data_of(table, {unit: unit[0] for unit in table}))
    assert measures.permutation_test(*rounds, alpha, "jaccard", n=100).difference < 0
    assert measures.bootstrap(rounds[0], alpha, "jaccard", n=20).low is not None


def test_ambiguous_and_decided_markable_are_at_distance_one_half():
    # Poesio & Artstein 2005, section 6: "it" is engine E2 or the boxcar; some coders marked both, some one of them
    order = ["engine", "boxcar", "it"]
    both, engine, boxcar = (
        measures.chain_labels(order, dict.fromkeys(order, "phrase"), {"it": targets}, readings="matched")["it"]
        for targets in ({"engine", "boxcar"}, {"engine"}, {"boxcar"})
    )
    assert both == Readings([["engine", "it"], ["boxcar", "it"]])
    assert distance(both, engine, "passonneau") == distance(both, boxcar, "passonneau") == 0.5
    assert distance(engine, boxcar, "passonneau") == pytest.approx(2 / 3)
