"""The difference of two rounds, with its interval and how unlikely it is."""

from functools import partial
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

from agreement import measures
from agreement.measures import alpha, difference, fleiss_kappa, gwet_ac1, interval, permutation_test
from agreement.measures.data.subsets import select_coders
from tests.agreement.measures import exact
from tests.agreement.measures.strategies import data_of, one_document, rename, tables
from tests.shared.cases import examples

FIRST = {"a": ["xx", "yy", "xy"], "b": ["xx", "yx", "yy"], "c": ["xx", "yy", "zz"], "d": ["zz", "xy", "xx"]}
SECOND = {"a": ["xy", "yy", "xy"], "b": ["xx", "yx", "xy"], "c": ["xx", "yz", "zz"], "d": ["zy", "xy", "xx"]}


def round_of(texts, prefix=""):
    table = {f"{text}{i}": list(row) for text, rows in texts.items() for i, row in enumerate(rows)}
    return data_of(table, {unit: prefix + unit[0] for unit in table})


def without(texts, left):
    return {text: rows for text, rows in texts.items() if text != left}


def test_difference_on_same_texts_is_paired():
    found = difference(round_of(FIRST), round_of(SECOND))
    apart = [alpha(round_of(without(FIRST, t))).value - alpha(round_of(without(SECOND, t))).value for t in "abcd"]
    whole = alpha(round_of(FIRST)).value - alpha(round_of(SECOND)).value
    error = sqrt(3 / 4 * sum((d - np.mean(apart)) ** 2 for d in apart))
    reach = stats.t.ppf(0.975, 3) * error
    assert (found.low, found.high) == pytest.approx((whole - reach, whole + reach))
    assert (found.difference, found.standard_error) == pytest.approx((whole, error))
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(whole) / error, 3))
    assert (found.paired, found.by, found.n_groups, found.note) == (True, "document", 4, "")
    assert "paired, 4 documents" in repr(found)
    assert float(found) == found.value == found.difference
    assert found._repr_html_().count("<tr>") == 7


def test_unpaired_difference_uses_welch_degrees_of_freedom():
    first, second = round_of(FIRST), round_of(SECOND | {"e": ["xx", "xz"]}, "other ")
    errors = [interval(data, fleiss_kappa).standard_error for data in (first, second)]
    found = difference(first, second, fleiss_kappa, level=0.9)
    freedom = (errors[0] ** 2 + errors[1] ** 2) ** 2 / (errors[0] ** 4 / 3 + errors[1] ** 4 / 4)
    reach = stats.t.ppf(0.95, freedom) * sqrt(errors[0] ** 2 + errors[1] ** 2)
    assert found.high - found.difference == pytest.approx(reach)
    assert found.difference - found.low == pytest.approx(reach)
    assert (found.paired, found.n_groups) == (False, (4, 5))
    assert "not paired, 4 and 5 documents" in repr(found)


def test_difference_on_one_text_leaves_out_components():
    pairs = [frozenset({2 * i, 2 * i + 1}) for i in range(9)]
    first = {unit: [pairs[unit // 2], frozenset({unit}) if unit in (3, 8) else pairs[unit // 2]] for unit in range(18)}
    second = {unit: [pairs[unit // 2], frozenset({unit}) if unit % 5 else pairs[unit // 2]] for unit in range(18)}
    found = difference(one_document(first), one_document(second), alpha, "jaccard")
    apart = []
    for left in range(9):
        rest = [{u: row for u, row in table.items() if u // 2 != left} for table in (first, second)]
        values = [exact.alpha(table, "jaccard")[0] for table in rest]
        apart.append(values[0] - values[1])
    assert (found.paired, found.by, found.n_groups) == (True, "component", 9)
    assert found.standard_error == pytest.approx(sqrt(exact.jackknife_variance(apart)))


@examples(25)
@given(tables())
def test_exchanging_rounds_negates_difference(drawn):
    table, documents = drawn
    first = data_of(table, documents)
    second = data_of({u: row[::-1][:1] + row[1:] for u, row in table.items()}, documents)
    forward, back = difference(first, second), difference(second, first)
    assert (forward.note == "") == (back.note == "")
    if forward.difference is not None:
        assert forward.difference == -back.difference
    if forward.low is not None:
        assert (forward.low, forward.p_value) == pytest.approx((-back.high, back.p_value))


def groups_of_coders(first, second, texts):
    """Return the data of two groups of two coders: all texts are in both, and each group judged those it has."""
    units = [(text, i) for text in texts for i in range(3)]
    rows = [
        [*(first[text][i] if text in first else [None] * 2), *(second[text][i] if text in second else [None] * 2)]
        for text, i in units
    ]
    data = measures.ReliabilityData.from_values(units, "abcd", rows, [text for text, _ in units])
    return select_coders(data, [0, 1]), select_coders(data, [2, 3])


def test_groups_with_different_texts_are_not_paired():
    other = {f"{text}2": rows for text, rows in SECOND.items()}
    a, b = groups_of_coders(FIRST, other, [*FIRST, *other])
    assert set(a.documents) == set(b.documents)
    found, alone = difference(a, b), difference(round_of(FIRST), round_of(SECOND, "other "))
    assert (found.paired, found.n_groups) == (False, (4, 4))
    assert (found.low, found.high, found.p_value) == pytest.approx((alone.low, alone.high, alone.p_value))
    permuted = permutation_test(a, b, n=200)
    assert not permuted.paired
    assert permuted.p_value == permutation_test(round_of(FIRST), round_of(SECOND, "other "), n=200).p_value


def test_group_with_too_few_texts_has_no_interval():
    few = {text: FIRST[text] for text in "ab"}
    other = {f"{text}2": rows for text, rows in SECOND.items()}
    found = difference(*groups_of_coders(few, other, [*few, *other]))
    assert (found.low, found.note) == (None, "no interval: it takes 3 documents, and there are 2")


@pytest.mark.parametrize("coefficient", [measures.bennett_s, gwet_ac1])
def test_permutations_use_categories_of_both_rounds(coefficient):
    two = {text: ["xx", "yy", "xx"] for text in "abcdef"} | {"a": ["xy", "yx", "xx"]}
    six = {text: ["xx", "uu", "vv"] for text in "abcdef"} | {"a": ["xu", "vw", "zy"]}
    # with the categories of both, the data at hand are an assignment like every other
    together = partial(coefficient, categories=tuple("uvwxyz"))
    expected = permutation_test(round_of(two), round_of(six), together, n=500)
    assert permutation_test(round_of(two), round_of(six), coefficient, n=500).p_value == expected.p_value


def test_large_difference_is_significant_by_permutation():
    agreed = {t: ["xx", "yy", "zz", "xx", "yy"] for t in "abcdefgh"} | {"a": ["xx", "yy", "zz", "xy", "yy"]}
    split = {t: ["xy", "yx", "zz", "xz", "yy"] for t in "abcdefgh"} | {"a": ["xx", "yy", "zy", "xy", "yx"]}
    found = difference(round_of(agreed), round_of(split))
    assert found.p_value < 0.001
    assert found.low > 0.5
    assert permutation_test(round_of(agreed), round_of(split), n=999).p_value < 0.02


@pytest.mark.parametrize(
    ("first", "second", "note"),
    [
        (FIRST, {text: ["xx"] for text in FIRST}, "the coefficient of the second is undefined: only one value is used"),
        ({"a": FIRST["a"], "b": FIRST["b"]}, SECOND, "no interval: it takes 3 documents, and there are 2"),
        (FIRST, FIRST, "no interval: the difference is the same without each document"),
        (FIRST, {"a": ["xy", "xx"], "b": ["xx"], "c": ["xx"]}, "no interval: the coefficient is undefined without"),
        ({"a": FIRST["a"]}, {"a": SECOND["a"]}, "no interval: it takes 8 components, and there are 3"),
    ],
)
def test_note_explains_missing_interval(first, second, note):
    found = difference(round_of(first), round_of(second))
    assert (found.low, found.p_value) == (None, None)
    assert found.note.startswith(note)
    assert note.split("'")[0] in repr(found)


def test_rounds_are_paired_by_original_text():
    later = round_of(SECOND, "later ")
    found = difference(round_of(FIRST), later, original=lambda name: str(name).removeprefix("later "))
    assert not difference(round_of(FIRST), later).paired
    assert found == difference(round_of(FIRST), round_of(SECOND))


def test_rounds_of_one_text_are_paired_by_components():
    first = {f"{c}.{i}": [frozenset({f"{c}.0", f"{c}.1"}), frozenset({f"{c}.{i}"})] for c in range(9) for i in (0, 1)}
    first |= {"9.0": ["x", "x"], "9.1": ["x", "y"]}
    second = {unit: [row[0], row[unit[0] in "357"]] for unit, row in first.items()}
    renamed = {f"{unit}*": [rename(value, "*") for value in row] for unit, row in second.items()}
    found = difference(
        one_document(first),
        data_of(renamed, dict.fromkeys(renamed, "again")),
        original=lambda name: "text" if name == "again" else str(name).removesuffix("*"),
    )
    expected = difference(one_document(first), one_document(second))
    assert (found.by, found.n_groups, found.note) == ("component", 11, "")
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
