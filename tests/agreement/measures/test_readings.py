"""Values with several readings: their distance, and every coefficient with it, against the definitions in fractions."""

from functools import partial
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.measures import (
    SET_DISTANCES,
    Readings,
    ReliabilityData,
    alpha,
    alphas,
    beta,
    bootstrap,
    chain_labels,
    combine,
    contributions,
    distance,
    document_sums,
    fleiss_kappa,
    gwet_ac1,
    interval,
    interval_sums,
    jackknife,
    leave_one_out,
    multi_kappa,
    observed_agreement,
    pairwise,
    permutation_test,
    relation,
    relation_counts,
    split_components,
)
from agreement.measures.data.subsets import select_units
from agreement.measures.distances import match_readings
from tests.agreement.measures import exact
from tests.agreement.measures.exact import Several
from tests.agreement.measures.laws.test_exact import OPTIONS, close
from tests.agreement.measures.strategies import as_given, data_of, one_document, tables
from tests.shared.cases import examples

CONVENTIONS = st.fixed_dictionaries(
    {"empty": st.sampled_from(["subset", "disjoint"]), "thirds": st.sampled_from(["exact", "rounded"])}
)
SETS = st.frozensets(st.sampled_from("abcd"))
SEVERAL = st.frozensets(SETS, min_size=2, max_size=4).map(Several)
VALUES = SETS | SEVERAL | SEVERAL | st.just("place")
NAMES = st.sampled_from(SET_DISTANCES)


@examples(100)
@given(VALUES, VALUES, NAMES, CONVENTIONS)
def test_the_distance_of_readings_is_what_their_best_matching_gives(a, b, name, conventions):
    found = distance(as_given(a), as_given(b), name, **conventions)
    assert close(found, exact.distance(a, b, name, **conventions))
    assert found == distance(as_given(b), as_given(a), name, **conventions)
    assert 0 <= found <= 1
    assert (found == 0) == (a == b)


@examples(100)
@given(SETS, SETS, NAMES, CONVENTIONS)
def test_the_distance_of_one_reading_is_that_of_the_sets(a, b, name, conventions):
    assert distance(a, b, name, **conventions) == pytest.approx(float(exact.set_distance(a, b, name, **conventions)))


@examples(40)
@given(st.lists(SETS, min_size=2, max_size=4, unique=True), SEVERAL, NAMES)
def test_the_order_of_readings_changes_no_digit(sets, other, name):
    found = {distance(Readings(some), as_given(other), name) for some in permutations(sets)}
    assert len(found) == 1


def test_readings_without_a_member_in_common_are_at_one_and_one_shared_of_two_is_half():
    both, first, apart = Readings(["DF", "EF"]), frozenset("DF"), Readings(["AB", "C"])
    for name in SET_DISTANCES:
        assert distance(both, apart, name) == 1
        assert distance(both, Readings(["FE", "FD"]), name) == 0
        assert distance(both, "place", name) == 1
    assert distance(both, first, "nominal") == 0.5
    assert distance(both, first, "masi") == 0.5
    assert distance(both, frozenset("DEF"), "jaccard") == pytest.approx(1 - (2 / 3) / 2)


@pytest.mark.parametrize("n", [5, 6, 50])
def test_many_readings_are_matched_as_well_as_can_be(n):
    first = Readings({i, i + 100} for i in range(n))
    second = Readings({i, i + 200} for i in range(n))
    assert distance(first, second, "jaccard") == pytest.approx(2 / 3)
    assert distance(first, Readings([{0, 100}, {1, 100}]), "nominal") == pytest.approx(1 - 1 / n)
    rows = {0: [first, second], 1: [frozenset({0, 100}), first]}
    assert alpha(one_document(rows), "jaccard").observed == pytest.approx((2 / 3 + 1 - 1 / n) / 2)


@examples(20)
@given(st.lists(st.lists(st.sampled_from([0, 0.25, 0.5, 1]), min_size=6, max_size=6), min_size=2, max_size=6))
def test_the_best_matching_is_the_best_of_all(table):
    distances = np.array([table], dtype=np.float64)
    best = max(
        sum(1 - row[c] for row, c in zip(table, some, strict=True)) for some in permutations(range(6), len(table))
    )
    assert match_readings(distances).tolist() == [pytest.approx(1 - best / 6)]
    assert match_readings(distances.transpose(0, 2, 1)).tolist() == match_readings(distances).tolist()


def test_more_readings_than_bits_are_refused():
    with pytest.raises(ValueError, match="63 readings of one unit, and there may be 62"):
        one_document([[Readings({i} for i in range(63)), None]])


def test_one_set_is_no_readings():
    with pytest.raises(ValueError, match="several readings are two different sets or more"):
        Readings([{"A", "B"}, ["B", "A"]])


def test_members_of_readings_in_a_frame_are_units_of_the_same_document():
    index = pd.MultiIndex.from_product([["one", "two"], ["D", "E"]], names=["document", "unit"])
    frame = pd.DataFrame({"Ann": [Readings(["D", "DE"]), {"E"}, None, Readings(["E", "ED"])]}, index=index)
    data = ReliabilityData.from_frame(frame)
    first = frozenset([("one", "D")])
    assert data.value(int(data.codes[0, 0])) == Readings([first, first | {("one", "E")}])
    assert data.n_values == 3


def test_readings_of_labels_are_refused():
    with pytest.raises(ValueError, match="unit 'A', coder 'Ann': readings have units as members, not labels"):
        ReliabilityData.from_values(["A"], ["Ann"], [[Readings(["p", "q"])]], ["text"], members="labels")


@examples(100)
@given(tables(readings=True), NAMES, OPTIONS)
def test_alpha_with_readings_is_what_its_definition_gives(drawn, name, options):
    table, documents = drawn
    value, do, de = exact.alpha(table, name, **options)
    data = data_of(table, documents)
    result = alpha(data, name, **options)
    assert close(result.value, value)
    assert close(result.observed, do)
    assert close(result.expected, de)
    assert bool(result.note) == (result.value is None)
    if table:
        assert combine(reversed(document_sums(data, name, **options))) == result
    parts = contributions(data, name, **options)
    assert sum(part.observed for part in parts) == pytest.approx(result.observed or 0.0)
    conventions = {"empty": options["empty"], "thirds": options["thirds"]}

    def called(a, b):
        return distance(a, b, name, **conventions)

    slow = alpha(data, called, **options)
    assert close(slow.value, value)
    for count in ("n_units", "n_coders", "n_values", "n_judgements", "left_out"):
        assert getattr(slow, count) == getattr(result, count)


@examples(100)
@given(tables(readings=True), NAMES, CONVENTIONS, st.sampled_from(["drop", "available"]))
def test_beta_with_readings_is_what_its_definition_gives(drawn, name, conventions, missing):
    table, documents = drawn
    value, ao, ae = exact.kappa("beta", table, missing, exact.similarity(name, **conventions))
    result = beta(data_of(table, documents), name, missing=missing, **conventions)
    assert close(result.value, value)
    assert close(result.observed, None if ao is None else 1 - ao)
    assert close(result.expected, None if ae is None else 1 - ae)


@examples(80)
@given(tables(readings=True), st.sampled_from(["drop", "available"]))
def test_where_values_are_equal_or_not_readings_are_one_value(drawn, missing):
    table, documents = drawn
    data = data_of(table, documents)

    whole = {u: [None if v is None else (v,) for v in row] for u, row in table.items()}
    coefficients = {"Ao": observed_agreement, "K": fleiss_kappa, "multi-kappa": multi_kappa, "AC1": gwet_ac1}
    for name, coefficient in coefficients.items():
        assert close(coefficient(data, missing=missing).value, exact.kappa(name, whole, missing)[0])


@examples(80)
@given(tables(readings=True), NAMES, OPTIONS)
def test_alpha_with_readings_without_each_document_is_that_of_the_rest(drawn, name, options):
    table, documents = drawn
    data = data_of(table, documents)
    found = jackknife(data, partial(alpha, distance=name, **options))
    if found.by == "document":
        expected = exact.without_each(table, documents, lambda rest: exact.alpha(rest, name, **options)[0])
        assert dict(zip(found.groups, found.values, strict=True)) == {
            text: None if value is None else pytest.approx(float(value), abs=1e-12) for text, value in expected.items()
        }
    whole = interval(data, alpha, name, **options)
    if whole.by == "document":
        kept = interval_sums(document_sums(data, name, **options))
        assert (kept.low, kept.high, kept.note) == (whole.low, whole.high, whole.note)
    left = leave_one_out(data, alpha, name, by="document", **options)
    for part in left.parts:
        rest = {u: row for u, row in table.items() if documents[u] != part.name}
        assert close(part.result.value, exact.alpha(rest, name, **options)[0])


@examples(60)
@given(tables(readings=True), NAMES, OPTIONS)
def test_alpha_with_readings_of_units_drawn_is_that_of_their_judgements(drawn, name, options):
    table, documents = drawn
    data = data_of(table, documents)
    found = jackknife(data, alpha, name, by="unit", **options)
    for left, value in zip(found.groups, found.values, strict=True):
        rest = {unit: row for unit, row in table.items() if unit != left}
        assert close(value, exact.alpha(rest, name, **options)[0])


@examples(60)
@given(tables(readings=True), NAMES)
def test_beta_with_readings_without_each_unit_is_that_of_the_rest(drawn, name):
    table, documents = drawn
    found = jackknife(data_of(table, documents), beta, name, by="unit")
    for left, value in zip(found.groups, found.values, strict=True):
        rest = {unit: row for unit, row in table.items() if unit != left}
        assert close(value, exact.kappa("beta", rest, "available", exact.similarity(name))[0])


@examples(60)
@given(tables(readings=True), NAMES, OPTIONS)
def test_components_of_readings_are_those_of_all_their_members(drawn, name, options):
    table, documents = drawn
    data = data_of(table, documents)
    parts = split_components(data)
    number = exact.components(table)
    grouped = {}
    for unit, document in zip(data.units, parts.document_of_unit.tolist(), strict=True):
        grouped.setdefault(number[unit], set()).add(document)
    assert all(len(found) == 1 for found in grouped.values())
    assert len(grouped) == len(set(parts.document_of_unit.tolist()))
    one, other = alpha(data, name, **options), alpha(parts, name, **options)
    assert (one.value is None) == (other.value is None)
    assert one.value is None or one.value == pytest.approx(other.value, abs=1e-12)


@examples(60)
@given(tables(readings=True), st.permutations(range(4)), st.randoms(use_true_random=False), NAMES, OPTIONS)
def test_order_and_names_change_no_digit_of_alpha_with_readings(drawn, order, random, name, options):
    table, documents = drawn
    units = list(table)
    random.shuffle(units)

    def renamed(value):
        if isinstance(value, Several):
            return Several(frozenset(frozenset(("new", m) for m in one) for one in value.sets))
        return frozenset(("new", m) for m in value) if isinstance(value, frozenset) else value

    other = {("new", u): [renamed(table[u][i]) for i in order if i < len(table[u])] for u in units}
    where = {("new", u): d for u, d in documents.items()}
    assert alpha(data_of(other, where), name, **options) == alpha(data_of(table, documents), name, **options)


@examples(60)
@given(tables(readings=True), NAMES, st.data())
def test_parts_of_data_with_readings_keep_their_values(drawn, name, data):
    table, documents = drawn
    whole = data_of(table, documents)
    n_coders = len(whole.coders)
    assert [[None if c < 0 else whole.value(c) for c in row] for row in whole.codes.tolist()] == [
        [as_given(value) for value in row] for row in table.values()
    ]
    assert len(set(whole.values)) == whole.n_values
    selected = np.array([data.draw(st.booleans()) for _ in table], dtype=np.bool_)
    some = select_units(whole, selected)
    rows = {u: row for (u, row), one in zip(table.items(), selected.tolist(), strict=True) if one}
    assert close(alpha(some, name).value, exact.alpha(rows, name)[0])
    assert set(some.values) <= set(whole.values)
    if n_coders > 2:
        for (a, b), result in pairwise(whole, alpha, name).results.items():
            columns = [whole.coders.index(a), whole.coders.index(b)]
            pair = {u: [row[c] for c in columns] for u, row in table.items()}
            assert close(result.value, exact.alpha(pair, name)[0])
    for document in whole.documents:
        part = whole.of_documents([document])
        rows = {u: row for u, row in table.items() if documents[u] == document}
        assert close(alpha(part, name).value, exact.alpha(rows, name)[0])


@examples(60)
@given(tables(readings=True))
def test_readings_are_related_as_all_their_members_are(drawn):
    table, documents = drawn
    data = data_of(table, documents)
    for unit, row, counts in zip(table, table.values(), relation_counts(data).tolist(), strict=True):
        values = [as_given(value) for value in row if value is not None]
        pairs = [relation(a, b, unit) for i, a in enumerate(values) for b in values[:i]]
        names = ("identity", "subsumption", "intersection", "disjunction", "category")
        assert counts == [pairs.count(name) for name in names]


def test_clusters_take_the_members_of_all_readings():
    data = one_document({"D": [frozenset("DF")], "F": [Readings(["DF", "EF"])], "E": [frozenset("DEF")]})
    assert data.clusters("A") == {"text": [frozenset("DF"), frozenset("DEF")]}


def test_rounds_with_readings_can_be_compared():
    both, first = Readings(["AB", "AC"]), frozenset("AB")
    rounds = []
    for second in (first, both):
        rows = {(d, u): [both, second] if u == "A" else [frozenset(u)] * 2 for d in range(4) for u in "AB"}
        table = {
            unit: [value if value is None else map_to(unit[0], value) for value in row] for unit, row in rows.items()
        }
        rounds.append(ReliabilityData.from_values(list(table), "XY", list(table.values()), [u[0] for u in table]))
    result = permutation_test(*rounds, alpha, "jaccard", n=100)
    assert result.difference < 0
    assert bootstrap(rounds[0], alpha, "jaccard", n=20).low is not None


def map_to(document, value):
    if isinstance(value, Readings):
        return Readings([(document, member) for member in one] for one in value.sets)
    return frozenset((document, member) for member in value)


def test_an_ambiguous_markable_that_one_coder_decided_is_half_way():
    # Poesio & Artstein 2005, section 6: "it" is engine E2 or the boxcar; some coders marked both, some one of them
    order = ["engine", "boxcar", "it"]
    marked = [{"engine", "boxcar"}, {"engine"}, {"boxcar"}]
    values = [
        chain_labels(order, dict.fromkeys(order, "phrase"), {"it": targets}, readings="matched")["it"]
        for targets in marked
    ]
    both, engine, boxcar = values
    assert both == Readings([["engine", "it"], ["boxcar", "it"]])
    assert distance(both, engine, "passonneau") == 0.5
    assert distance(both, boxcar, "passonneau") == 0.5
    assert distance(engine, boxcar, "passonneau") == pytest.approx(2 / 3)


def test_alphas_has_every_set_distance_at_once():
    data = one_document({"F": [Readings(["DF", "EF"]), frozenset("DF")], "D": [frozenset("D"), frozenset("DF")]})
    assert alphas(data) == {name: alpha(data, name) for name in SET_DISTANCES}
