"""The interval that stands beside every coefficient: against the definition, and where there is none."""

from functools import partial
from html import escape
from math import exp, sqrt

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from agreement import measures
from agreement.measures import (
    ORDERED_DISTANCES,
    SET_DISTANCES,
    alpha,
    alphas,
    fleiss_kappa,
    gwet_ac1,
    interval,
    multi_kappa,
)
from tests.agreement.measures import exact
from tests.agreement.measures.checks import values_of
from tests.agreement.measures.strategies import OPTIONS, data_of, number_tables, one_document, rename, tables
from tests.shared.cases import examples

few = examples(40)


def bounds(value, without, level=0.95):
    """Return the interval that section 10 of the contract defines, of fractions."""
    disagreement, g = 1 - value, len(without)
    reach = stats.t.ppf((1 + level) / 2, g - 1) * sqrt(exact.jackknife_variance(without)) / float(disagreement)
    return 1 - float(disagreement) * exp(reach), 1 - float(disagreement) * exp(-reach)


def expected_of(table, group_of_unit, least, coefficient):
    """Return (low, high), or None where there is to be no interval."""
    value = coefficient(table)
    without = exact.without_each(table, group_of_unit, coefficient)
    if value is None or value == 1 or len(without) < least or None in without.values():
        return None
    if len(set(without.values())) == 1:
        return None
    return bounds(value, list(without.values()))


def assert_interval(found, expected):
    if expected is None:
        assert (found.low, found.high) == (None, None)
        assert found.note
        return
    assert found.note == ""
    assert found.high == pytest.approx(expected[1], abs=1e-9)
    assert found.low == pytest.approx(expected[0], rel=1e-9, abs=1e-9)
    assert found.low <= found.value <= found.high <= 1


def groups_of(table, documents):
    """Return (by, {unit: group}, least): documents with pairable units, or components where they are in one."""
    texts = {documents[unit] for unit in exact.judgements(table)}
    return ("component", exact.components(table), 8) if len(texts) == 1 else ("document", documents, 3)


def pair_up(documents):
    """Return a function from each document to the first of the two that it is in: copies of one text."""
    names = list(dict.fromkeys(documents.values()))
    first = {name: names[place - place % 2] for place, name in enumerate(names)}
    return lambda name: first.get(name, name)


@pytest.mark.parametrize("make_original", [None, pair_up], ids=["documents", "copies of texts"])
@examples(100)
@given(tables(), st.sampled_from(SET_DISTANCES), OPTIONS)
def test_interval_of_alpha_equals_exact_definition(make_original, drawn, name, options):
    table, documents = drawn
    original = make_original and make_original(documents)
    texts = {unit: original(document) for unit, document in documents.items()} if original else documents
    by, group_of_unit, least = groups_of(table, texts)
    data = data_of(table, documents)
    found = interval(data, alpha, name, original=original, **options)
    assert (found.by, found.method) == (by, "jackknife-log")
    assert found.n_groups == len({group_of_unit[unit] for unit in exact.judgements(table)})
    assert_interval(found, expected_of(table, group_of_unit, least, lambda rest: exact.alpha(rest, name, **options)[0]))
    if by == "document":
        of_sums = measures.interval_sums(measures.document_sums(data, name, **options), original=original)
        assert (of_sums.low, of_sums.high, of_sums.n_groups) == (found.low, found.high, found.n_groups)


@st.composite
def one_text(draw):
    """Draw a table of one text that falls into some ten components: pairs and triples of units, turns and labels."""
    table = {}
    for c in range(draw(st.integers(6, 12))):
        units = [f"{c}.{i}" for i in range(draw(st.integers(1, 3)))]
        some = st.frozensets(st.sampled_from([*units, f"turn {c}"]))
        for unit in units:
            table[unit] = [draw(st.one_of(some, some, st.sampled_from(["place", None]))) for _ in range(3)]
    return table


@examples(15)
@given(one_text(), st.sampled_from(SET_DISTANCES), OPTIONS)
def test_interval_of_one_text_leaves_out_components(table, name, options):
    data = one_document(table)
    components = exact.components(table)
    expected = expected_of(table, components, 8, lambda rest: exact.alpha(rest, name, **options)[0])
    assert_interval(interval(data, alpha, name, **options), expected)
    sums = measures.document_sums(measures.split_components(data), name, **options)
    assert_interval(measures.interval_sums(sums, by="component"), expected)


@examples(60)
@given(tables(), OPTIONS)
def test_splitting_into_components_changes_no_figure(drawn, options):
    table, documents = drawn
    data = data_of(table, documents)
    parts = measures.split_components(data)
    found = dict(zip(parts.units, parts.document_of_unit.tolist(), strict=True))
    expected = exact.components(table)
    assert all((found[a] == found[b]) == (expected[a] == expected[b]) for a in table for b in table)
    for name, result in alphas(data, **options).items():
        assert_same_result(alpha(parts, name, **options), result)
        if not callable(name):
            value, *_ = exact.alpha(table, name, **options)
            assert (result.value is None) == (value is None)
    for coefficient in (
        fleiss_kappa,
        multi_kappa,
        partial(measures.beta, distance="masi"),
        gwet_ac1,
        measures.observed_agreement,
    ):
        assert_same_result(coefficient(parts), coefficient(data))


def assert_same_result(found, expected):
    for part in ("value", "observed", "expected"):
        figure, other = getattr(found, part), getattr(expected, part)
        assert figure is other is None or figure == pytest.approx(other, abs=1e-14, rel=1e-14)
    for part in ("n_units", "n_coders", "n_values", "n_judgements", "left_out", "parameters", "note"):
        assert getattr(found, part) == getattr(expected, part)


@few
@given(st.lists(st.lists(st.integers(-1, 5), min_size=3, max_size=3), min_size=1, max_size=12), OPTIONS)
def test_chain_ids_have_same_components_as_their_sets(rows, options):
    data = measures.ReliabilityData.from_chain_ids(rows, ["text"] * len(rows))
    parts, slow = measures.split_components(data), measures.split_components(one_document(values_of(data)))
    assert parts.document_of_unit.tolist() == slow.document_of_unit.tolist()
    for name, result in alphas(parts, **options).items():
        assert_same_result(result, alpha(data, name, **options))


def test_turn_joins_units_that_point_to_it():
    turn = frozenset(["turn"])
    data = one_document([[turn, "place"], ["place", turn], ["place", "place"], [frozenset(), "new"], [frozenset()] * 2])
    assert measures.split_components(data).document_of_unit.tolist() == [0, 0, 1, 2, 3]


@few
@given(number_tables(), st.sampled_from(ORDERED_DISTANCES))
def test_interval_of_numbers_equals_exact_definition(drawn, name):
    table, documents = drawn

    def coefficient(rest):
        return exact.alpha(rest, exact.ordered_distance(name, rest))[0]

    by, group_of_unit, least = groups_of(table, documents)
    data = data_of(table, documents)
    expected = expected_of(table, group_of_unit, least, coefficient)
    assert_interval(interval(data, alpha, name), expected)
    if by == "document":
        assert_interval(measures.interval_sums(measures.document_sums(data, name)), expected)


KAPPAS = {
    "K": (fleiss_kappa, {}),
    "multi-kappa": (multi_kappa, {}),
    "Ao": (measures.observed_agreement, {}),
    "masi": (partial(measures.beta, distance="masi"), {"similar": exact.similarity("masi")}),
}


@few
@given(tables(), st.sampled_from(sorted(KAPPAS)), st.sampled_from(["available", "drop"]))
def test_interval_of_kappa_equals_exact_definition(drawn, name, missing):
    table, documents = drawn
    coefficient, how = KAPPAS[name]
    used = [unit for unit, row in table.items() if missing == "available" or None not in row]
    assume(len({documents[unit] for unit in exact.judgements({unit: table[unit] for unit in used})}) != 1)
    kept = {unit: table[unit] for unit in used}
    expected = expected_of(
        kept, documents, 3, lambda rest: exact.kappa("beta" if name == "masi" else name, rest, missing, **how)[0]
    )
    found = interval(data_of(table, documents), coefficient, missing=missing)
    if found.by == "document":
        assert_interval(found, expected)


TEXTS_ROWS = [["xx", "xy", "yy", "zz"], ["yy", "xx", "zz"], ["xy", "yx", "zz", "xx"], ["xx", "yz", "zz"]]
TEXTS = {f"{text}{i}": list(row) for text, rows in zip("abcd", TEXTS_ROWS, strict=True) for i, row in enumerate(rows)}
FOUR = data_of(TEXTS, {unit: unit[0] for unit in TEXTS})


@pytest.mark.parametrize(
    "coefficient",
    [
        partial(gwet_ac1, categories="xyz"),
        partial(measures.augmented_kappa, p=0.6),
        lambda data: alpha(data, lambda a, b: float(a != b)),
        lambda data: fleiss_kappa(data),
    ],
)
def test_other_coefficients_are_recomputed_without_each_text(coefficient):
    without = []
    for text in "abcd":
        rest = {unit: row for unit, row in TEXTS.items() if unit[0] != text}
        without.append(coefficient(data_of(rest, {unit: unit[0] for unit in rest})).value)
    found = interval(FOUR, coefficient, level=0.9)
    assert (found.low, found.high) == pytest.approx(bounds(found.value, without, 0.9))
    assert (found.level, found.n_groups) == (0.9, 4)


def test_callable_distance_gets_names_of_members():
    heads = {"a1": "ship", "a2": "ship", "b1": "crew", "b2": "it", "c1": "port", "c2": "harbour"}

    def share_a_head(a, b):
        return 0.0 if {heads[m] for m in a} & {heads[m] for m in b} else 1.0

    table = {unit: [frozenset({unit[0] + "1"}), frozenset({unit})] for unit in heads}
    assert interval(data_of(table, {unit: unit[0] for unit in table}), alpha, share_a_head).low is not None


def test_interval_of_count_alpha_equals_interval_of_count_dice():
    rows = [[1, 1], [2, 1], [0, 0], [0, 1], [3, 1], [1, 0], [0, 0], [2, 2]]
    data = data_of(dict(enumerate(rows)), dict(enumerate("ppqqrrss")))
    fast, slow = interval(data, measures.count_alpha), interval(data, alpha, measures.count_dice)
    assert (fast.low, fast.high) == pytest.approx((slow.low, slow.high))


def test_one_call_computes_intervals_of_several_coefficients():
    data = measures.ReliabilityData.from_chain_ids([[1, 1], [1, 2], [1, 1], [2, 1], [1, 1], [1, 1]], list("aabbcc"))
    together = interval(data, alphas)
    assert list(together) == list(SET_DISTANCES)
    assert all(found == interval(data, alpha, name) for name, found in together.items())
    assert measures.interval_sums(measures.documents_sums(data)) == together
    assert measures.interval_sums({}) == {}


def coders_of(rows, n=3):
    return data_of(
        {f"{t}{i}": list(row) for t, text in zip("abcde", rows, strict=False) for i, row in enumerate(text)},
        {f"{t}{i}": t for t, text in zip("abcde", rows, strict=False) for i, _ in enumerate(text)},
        "ABCD"[:n],
    )


FOUR_CODERS = coders_of([["xxxx", "xyxx"], ["yyyy", "zzzy"], ["xxyx", "zzzz"]], 4)


def test_sample_of_coders_leaves_out_each_coder():
    rows = values_of(FOUR_CODERS).values()
    without = [alpha(one_document([[v for i, v in enumerate(row) if i != c] for row in rows])).value for c in range(4)]
    found = interval(FOUR_CODERS, alpha, sample="coders")
    assert (found.low, found.high) == pytest.approx(bounds(found.value, without))
    assert (found.by, found.n_groups) == ("coder", 4)
    assert repr(found).endswith("(jackknife, log scale, over 4 coders)>")


def test_sample_of_both_adds_variances_and_combines_freedom():
    parts = [interval(FOUR_CODERS, alpha, sample=sample).standard_error ** 2 for sample in ("groups", "coders")]
    found = interval(FOUR_CODERS, alpha, sample="both")
    assert found.standard_error**2 == pytest.approx(sum(parts))
    freedom = sum(parts) ** 2 / (parts[0] ** 2 / 2 + parts[1] ** 2 / 3)
    reach = stats.t.ppf(0.975, freedom) * found.standard_error / (1 - found.value)
    assert found.high == pytest.approx(1 - (1 - found.value) * exp(-reach))
    assert (found.by, found.n_groups) == ("both", 3)
    assert "over 3 groups of units and 4 coders" in repr(found)


def test_coder_without_shared_units_is_not_sampled():
    rows = {"a": ["x", "x", "y", None], "b": ["y", "y", "y", None], "c": [None] * 3 + ["x"], "d": ["x", "y", "x", None]}
    assert interval(one_document(rows), alpha, sample="coders").n_groups == 3


WITHOUT = [
    ([["xx", "xy"], ["yy", "xy"]], {}, "no interval: it takes 3 documents, and there are 2"),
    ([["xx", "xy", "yy", "zz", "zz", "xx", "yx"]], {}, "no interval: it takes 8 components, and there are 7"),
    ([["xx"], ["yy"], ["xx"]], {}, "no interval: no disagreement was observed"),
    ([["xy", "xx"], ["xx"], ["xx"]], {}, "no interval: the coefficient is undefined without document 'a'"),
    ([["xy", "xx"]] * 3, {}, "no interval: the coefficient is the same without each document"),
    ([["xx"], ["xx"], ["xx"]], {}, "only one value is used, so that chance would agree as well"),
    (TEXTS_ROWS, {"sample": "coders"}, "no interval: it takes 3 coders, and there are 2"),
    (TEXTS_ROWS, {"sample": "both"}, "no interval: it takes 3 coders, and there are 2"),
    ([["xxx", "xxy"], ["yyy", "xyx"]], {"sample": "both"}, "no interval: it takes 3 documents, and there are 2"),
]


@pytest.mark.parametrize(("rows", "how", "note"), WITHOUT)
def test_note_explains_missing_interval(rows, how, note):
    data = coders_of(rows, len(rows[0][0]))
    found = interval(data, alpha, **how)
    assert (found.low, found.high, found.standard_error, found.note) == (None, None, None, note)
    assert found.value == alpha(data).value
    assert note in repr(found)
    assert escape(note) in found._repr_html_()


def test_groups_are_documents_with_pairable_units_or_components():
    table = dict(TEXTS) | {"e0": ["x", None], "f0": [None, None]}
    data = data_of(table, {unit: unit[0] for unit in table})
    for coefficient in (alpha, fleiss_kappa, lambda given: alpha(given)):
        assert interval(data, coefficient).n_groups == 4
    table = {f"a{i}": row for i, row in enumerate([["x", "x"], ["y", "x"]] * 5)} | {"b0": ["x", None]}
    found = interval(data_of(table, {unit: unit[0] for unit in table}), alpha)
    assert (found.by, found.n_groups) == ("component", 10)
    assert interval(FOUR, alpha, by="component").n_groups == len(TEXTS)


def test_lower_bound_may_be_below_minus_1_and_upper_stays_below_1():
    found = interval(coders_of([["xx", "xx"], ["xy", "yx"], ["yy", "xy"]], 2), alpha)
    assert found.low < -1
    assert found.value < found.high < 1


def test_values_outside_scale_have_no_interval():
    values = iter([0.5, -1e6, 0.4, 0.5])

    def odd(value):
        return measures.Result("odd", value, None, None, 1, 2, 2, 2)

    found = interval(coders_of([["xx"], ["xy"], ["yy"]], 2), lambda _: odd(next(values)))
    assert (found.low, found.note) == (None, "no interval: it is wider than numbers reach")
    assert interval(FOUR, lambda _: odd(1.5)).note == "no interval: the value is above 1"


def test_bootstrap_and_jackknife_name_their_method():
    assert measures.bootstrap(FOUR, alpha, n=10).method == "percentile"
    assert measures.jackknife(FOUR, alpha).method == "jackknife"


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"by": "unit"}, "by is 'unit'; it must be one of 'document', 'component'"),
        ({"sample": "texts"}, "sample is 'texts'; it must be one of 'groups', 'coders', 'both'"),
        ({"level": 95}, "level is 95; it must be between 0 and 1"),
    ],
)
def test_error_names_unknown_choice(how, message):
    with pytest.raises(ValueError, match=message):
        interval(FOUR, alpha, **how)


def test_sums_of_one_document_have_no_interval():
    found = measures.interval_sums(measures.document_sums(one_document([["x", "y"], ["x", "x"]])))
    assert (found.low, found.note) == (None, "no interval: it takes 3 documents, and there is 1")
    assert np.isclose(found.value, alpha(one_document([["x", "y"], ["x", "x"]])).value)


@few
@given(tables(), st.sampled_from([fleiss_kappa, gwet_ac1, multi_kappa, measures.beta]))
def test_kappa_intervals_leave_out_rounds_of_text_together(drawn, coefficient):
    table, documents = drawn
    original = pair_up(documents)
    merged = data_of(table, {unit: original(document) for unit, document in documents.items()})
    found = interval(data_of(table, documents), coefficient, original=original)
    expected = interval(merged, coefficient)
    assert (found.n_groups, found.by, found.note) == (expected.n_groups, expected.by, expected.note)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


@examples(15)
@given(one_text(), one_text(), st.sampled_from(SET_DISTANCES))
def test_copies_of_unit_are_in_one_component(first, second, name):
    """One text in two rounds: units of the second have a star."""
    star = {unit: [rename(value, "*") for value in row] for unit, row in second.items()}
    table = first | {f"{unit}*": row for unit, row in star.items()}
    together = {unit: first.get(unit, []) + second.get(unit, []) for unit in first | second}
    joined = exact.components(together)
    groups = {unit: joined[unit.removesuffix("*")] for unit in table}
    documents = {unit: "again" if unit.endswith("*") else "text" for unit in table}
    found = interval(
        data_of(table, documents),
        alpha,
        name,
        original=lambda name: "text" if name == "again" else str(name).removesuffix("*"),
    )
    assert found.by == "component"
    assert_interval(found, expected_of(table, groups, 8, lambda rest: exact.alpha(rest, name)[0]))
