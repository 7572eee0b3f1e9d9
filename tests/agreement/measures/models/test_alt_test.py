"""May a candidate code in the place of a human?"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import stdtr
from scipy.stats import false_discovery_control, ttest_1samp

from agreement.measures import ReliabilityData, alt_test
from agreement.measures.models.alt_test import adjust_p_values, sign_flip_p_value, student_p_value
from tests.agreement.measures import exact
from tests.agreement.measures.strategies import data_of, number_tables, tables
from tests.reference import alt_test as slow
from tests.shared.cases import examples

HUMANS = ("Ann", "Bob", "Cid")


def table_of(table, names):
    """Return {unit: {coder: value}} without what is missing."""
    return {
        unit: {name: value for name, value in zip(names, row, strict=True) if value is not None}
        for unit, row in table.items()
    }


def of_texts(rows, n, *, times=1):
    """Return data with the same rows in each of n texts."""
    texts = [number // (len(rows) * times) for number in range(len(rows) * times * n)]
    return ReliabilityData.from_values(range(len(texts)), ["model", *HUMANS], rows * times * n, texts)


@examples(60)
@given(tables(readings=True), st.sampled_from(["nominal", "passonneau", "jaccard", "dice", "masi", "masi-product"]))
def test_figures_equal_exact_reference(drawn, name):
    table, documents = drawn
    names = "ABCDEFGH"[: len(next(iter(table.values()), []))]
    assume(len(names) >= 3)
    epsilon = Fraction(1, 8)
    found = alt_test(data_of(table, documents), "A", distance=name, epsilon=float(epsilon))
    answers = table_of(table, names)
    reached = {}
    for row in found.rows:
        of_units = slow.scores(answers, "A", names[1:], row.human, lambda a, b: exact.distance(a, b, name))
        differences = slow.text_differences(of_units, documents)
        expected = slow.sign_flip_p_value(differences, epsilon)
        assert (row.n_units, row.n_texts) == (len(of_units), len(differences))
        assert row.p_value == (None if expected is None else pytest.approx(float(expected)))
        if differences:
            assert row.difference == pytest.approx(float(sum(differences) / len(differences)), abs=1e-12)
            wins = [candidate >= human for candidate, human in of_units.values()]
            assert row.advantage_probability == sum(wins) / len(wins)
        if expected is not None:
            reached[row.human] = expected
        student = slow.student_t(slow.indicators(of_units), epsilon)
        if student is not None:
            statistic, n = student
            assert row.published_p_value == pytest.approx(float(stdtr(n - 1, statistic)))
    levels = dict(zip(reached, slow.adjusted(list(reached.values())), strict=True))
    for row in found.rows:
        assert row.adjusted == (pytest.approx(float(levels[row.human])) if row.human in levels else None)
    assert found.winning_rate == (sum(p <= Fraction(1, 20) for p in levels.values()) / len(levels) if levels else None)


@examples(30)
@given(tables())
def test_excluded_unit_is_removed_before_comparison(drawn):
    table, documents = drawn
    names = "ABCDEFGH"[: len(next(iter(table.values()), []))]
    assume(len(names) >= 3)
    found = alt_test(data_of(table, documents), "A", distance="jaccard", exclude_unit="observed")
    answers = {
        unit: {coder: exact.without(value, unit) for coder, value in row.items()}
        for unit, row in table_of(table, names).items()
    }
    for row in found.rows:
        of_units = slow.scores(answers, "A", names[1:], row.human, lambda a, b: exact.distance(a, b, "jaccard"))
        differences = slow.text_differences(of_units, documents)
        if differences:
            assert row.difference == pytest.approx(float(sum(differences) / len(differences)), abs=1e-12)


@examples(30)
@given(number_tables())
def test_callable_and_named_interval_distance_agree(drawn):
    table, documents = drawn
    assume(len(next(iter(table.values()), [])) >= 3)
    data = data_of(table, documents)
    by_name, by_call = (alt_test(data, "A", distance=d) for d in ("interval", lambda a, b: (a - b) ** 2))
    for row, other in zip(by_name.rows, by_call.rows, strict=True):
        assert row.p_value == other.p_value
        assert row.difference == (None if other.difference is None else pytest.approx(other.difference, abs=1e-12))


@pytest.mark.parametrize("n", [15, 40])
def test_p_value_of_random_signs_is_reproducible_and_near_student(n):
    differences = np.random.default_rng(n).normal(0.2, 1, n)
    drawn = sign_flip_p_value(differences, 20_000, 1)
    assert drawn == pytest.approx(sign_flip_p_value(differences, 20_000, 2), abs=0.015)
    assert drawn == pytest.approx(student_p_value(differences), abs=0.03)
    assert drawn == sign_flip_p_value(differences, 20_000, 1)


def test_result_ignores_order_of_units():
    random = np.random.default_rng(4)
    rows = [[int(value) for value in row] for row in random.integers(0, 3, (120, 4))]
    texts, coders = [number % 20 for number in range(120)], ["model", "Ann", "Bob", "Cid"]
    found = [
        alt_test(
            ReliabilityData.from_values(order, coders, [rows[unit] for unit in order], [texts[unit] for unit in order]),
            "model",
        )
        for order in (range(120), random.permutation(120).tolist())
    ]
    assert found[0].rows == found[1].rows


def test_alt_test_is_exact_if_each_human_shares_few_texts():
    rows = [["a", "a", "b", None, None]] * 10 + [["a", None, None, "a", "b"]] * 10
    data = ReliabilityData.from_values(range(20), ["model", "Ann", "Bob", "Cid", "Dan"], rows, range(20))
    found = alt_test(data, "model")
    assert ({row.n_texts for row in found.rows}, found.n_texts, found.exact) == ({10}, 20, True)
    assert not alt_test(of_texts([["a"] * 4], 15), "model").exact


def test_p_value_is_exact_up_to_fourteen_texts():
    differences = np.arange(1.0, 15)
    assert sign_flip_p_value(differences, 1, 0) == 2.0**-14
    assert sign_flip_p_value(-differences, 1, 0) == 1
    assert sign_flip_p_value(np.arange(1.0, 16), 99, 0) == 0.01  # of more, the data count as one of a hundred


@examples(40)
@given(st.lists(st.fractions(0, 1), max_size=8))
def test_adjusted_p_values_equal_scipy_and_definition(p_values):
    found = adjust_p_values(np.array(p_values, dtype=np.float64))
    assert found.tolist() == pytest.approx([float(p) for p in slow.adjusted(p_values)])
    if p_values:
        assert found == pytest.approx(false_discovery_control([float(p) for p in p_values], method="by"))


@examples(20)
@given(st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=2, max_size=40))
def test_student_p_value_equals_scipy(values):
    assume(len(set(values)) > 1)
    expected = ttest_1samp(values, 0.2, alternative="less").pvalue
    assert student_p_value(0.2 - np.array(values)) == pytest.approx(expected)


def test_student_p_value_without_spread_is_0_or_1():
    assert student_p_value(np.full(5, 0.1)) == 0
    assert student_p_value(np.full(5, -0.1)) == student_p_value(np.zeros(5)) == 1


def test_agreeing_candidate_wins_and_deviating_candidate_loses():
    agreeing, apart = ["a", "a", "a", "a"], ["b", "a", "a", "a"]
    good = alt_test(of_texts([agreeing, ["b", "b", "b", "a"], ["c", "c", "b", "c"]], 8), "model", epsilon=0.05)
    bad = alt_test(of_texts([apart, apart, agreeing], 8), "model")
    assert (good.winning_rate, good.passed, good.published_passed) == (1, True, True)
    assert (bad.winning_rate, bad.passed, bad.published_passed) == (0, False, False)
    assert bad.advantage_probability == pytest.approx(1 / 3)


def test_epsilon_is_tolerated_deficit_of_candidate():
    data = of_texts([["b", "a", "a", "a"], *[["a"] * 4] * 9], 8)
    assert [row.difference for row in alt_test(data, "model").rows] == pytest.approx([-0.1] * 3)
    assert alt_test(data, "model", epsilon=0.05).winning_rate == 0
    assert alt_test(data, "model", epsilon=0.15).winning_rate == 1


def test_texts_have_equal_weight_in_difference():
    won, lost = ["a", "b", "a", "a"], ["b", "a", "a", "a"]
    rows = [won] * 30 + [lost] + [lost]
    data = ReliabilityData.from_values(range(32), ["model", *HUMANS], rows, ["long"] * 30 + ["short", "brief"])
    ann = alt_test(data, "model").rows[0]
    assert ann.difference == pytest.approx(-1 / 3)
    assert (ann.candidate_score, ann.human_score) == (pytest.approx(1 / 3), pytest.approx(2 / 3))
    assert ann.advantage_probability == 30 / 32


def test_units_without_answers_are_excluded_and_counted():
    rows = [["a", "a", "a", None], ["a", "a", None, None], [None, "a", "a", "a"], ["a", "b", "a", "a"]]
    found = alt_test(of_texts(rows, 6), "model")
    assert found.left_out == {"not coded by the candidate": 6, "coded by fewer than two humans": 6}
    assert (found.n_units, [row.n_units for row in found.rows]) == (12, [12, 12, 6])
    assert found.to_dict()["left_out"] == found.left_out


def test_human_with_one_shared_text_is_excluded():
    rows = [["a", "a", "a", None]] * 5 + [["a", "a", "a", "b"]]
    data = ReliabilityData.from_values(range(6), ["model", *HUMANS], rows, range(6))
    found = alt_test(data, "model")
    cid = found.rows[2]
    assert (cid.n_texts, cid.p_value, cid.adjusted, cid.won) == (1, None, None, False)
    assert found.winning_rate == 1
    assert "not compared with Cid: fewer than two texts in common" in found.note


def test_single_text_has_note_instead_of_result():
    found = alt_test(of_texts([["a"] * 4] * 3, 1), "model")
    assert (found.winning_rate, found.passed, found.value) == (None, None, None)
    assert found.note == "no test over texts: it takes two texts that the candidate and two humans coded"
    assert "undefined" in f"{found:.2f}"


@pytest.mark.parametrize(
    ("rows", "n", "options", "note"),
    [
        ([["a"] * 4], 4, {}, "4 texts are too few for any p-value up to 0.05"),
        ([["a"] * 4], 6, {}, "the published test takes 30 units of each human"),
        ([["a", "a", "b", "b"]], 20, {"resamples": 30}, "30 resamples are too few for any p-value up to 0.05"),
    ],
)
def test_note_names_limits_of_test(rows, n, options, note):
    assert note in alt_test(of_texts(rows, n), "model", **options).note


def test_sufficient_data_have_no_note():
    assert alt_test(of_texts([["a"] * 4] * 5, 6), "model").note == ""
    assert "too few" not in alt_test(of_texts([["a", "a", "b", "b"]], 20), "model", resamples=40).note


def test_note_mentions_two_humans():
    found = alt_test(of_texts([["a"] * 4] * 5, 6), "model", humans=["Ann", "Bob"])
    assert [row.human for row in found.rows] == ["Ann", "Bob"]
    assert found.note.startswith("two humans: each is compared with one other only")


def test_coders_that_are_not_named_are_ignored():
    data = of_texts([["a", "a", "b", "a"], ["b", "a", "b", "b"]], 6)
    wide = ReliabilityData.from_values(
        data.units,
        [*data.coders, "second model"],
        [[*data.to_frame().iloc[row].tolist(), 7] for row in range(12)],
        [data.documents[number] for number in data.document_of_unit.tolist()],
    )
    alone, among = alt_test(data, "model"), alt_test(wide, "model", humans=HUMANS)
    assert [row.p_value for row in alone.rows] == [row.p_value for row in among.rows]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"candidate": "Zoe"}, "there is no coder 'Zoe'"),
        ({"humans": ["Ann", "Zoe"]}, "there is no coder 'Zoe'"),
        ({"humans": ["Ann", "model"]}, "'model' is the candidate, and among the humans"),
        ({"humans": ["Ann", "Ann"]}, "named twice"),
        ({"humans": ["Ann"]}, "it takes two humans, better three, and there is 1"),
        ({"humans": "AnnBob"}, "humans is a string, 'AnnBob': name coders in a list"),
        ({"epsilon": -0.1}, "epsilon is -0.1"),
        ({"epsilon": float("nan")}, "epsilon is nan"),
        ({"epsilon": float("inf")}, "epsilon is inf"),
        ({"q": 0}, "q is 0"),
        ({"resamples": 0}, "resamples is 0"),
        ({"distance": "euclid"}, "distance is 'euclid'"),
    ],
)
def test_alt_test_refuses_wrong_options(options, message):
    with pytest.raises(ValueError, match=message):
        alt_test(of_texts([["a"] * 4], 3), **{"candidate": "model", **options})
    with pytest.raises(ValueError, match="counts"):
        alt_test(ReliabilityData.from_counts([[2, 1], [0, 3]], ["a", "b"]), 0)


def test_result_has_html_points_and_latex():
    found = alt_test(of_texts([["a", "a", "b", "a"]] * 5, 6), "model")
    assert "in the place of Bob" in found._repr_html_()
    assert [point.name for point in found._points()] == [f"in the place of {human}" for human in HUMANS]
    assert found.to_dict()["rows"][1]["human"] == "Bob"
    assert found.to_latex().startswith("\\begin{tabular}")
