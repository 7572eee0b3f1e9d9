"""Which units are truly ambiguous, and where somebody only slipped?"""

import tracemalloc
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from agreement.measures import Readings, ReliabilityData, ambiguity
from agreement.measures.models.reading_groups import (
    SHARES,
    count_camps,
    fit_two_readings,
    group_readings,
    split_into_camps,
)
from tests.agreement.measures.strategies import data_of, one_document, tables
from tests.reference.two_readings import posterior
from tests.shared.cases import examples

CLEAR = [["a"] * 6, ["b"] * 6, ["c"] * 6]


@st.composite
def group_tables(draw):
    """Draw the groups of a few units, numbered by their frequency, as coders give them, and the alternatives."""
    n_coders = draw(st.integers(2, 5))
    cells = st.one_of(st.none(), *[st.sampled_from("abcd")] * 4)
    rows = draw(st.lists(st.lists(cells, min_size=n_coders, max_size=n_coders), min_size=1, max_size=6))
    rows = [row for row in rows if sum(cell is not None for cell in row) >= 2]
    assume(rows)
    return group_readings(one_document(rows)).groups, draw(st.integers(4, 6))


@examples(40)
@given(group_tables())
def test_posteriors_equal_enumeration_of_all_readings(drawn):
    groups, alternatives = drawn
    fitted = fit_two_readings(groups, alternatives)
    skills = [Fraction(skill) for skill in fitted.skill.tolist()]
    shares = [Fraction(str(share)) for share in SHARES.tolist()]
    for number, row in enumerate(groups.tolist()):
        given_groups = [None if group < 0 else group for group in row]
        two, of_groups = posterior(given_groups, skills, Fraction(fitted.prevalence), alternatives, shares)
        assert fitted.posterior[number] == pytest.approx(float(two))
        assert fitted.of_group[number][: len(of_groups)].tolist() == pytest.approx(list(map(float, of_groups)))


@examples(40)
@given(group_tables())
def test_fitting_never_decreases_likelihood(drawn):
    groups, alternatives = drawn
    fitted = fit_two_readings(groups, alternatives)
    assert fitted.converged
    assert min(np.diff(fitted.objectives), default=0) >= -1e-9
    assert ((fitted.skill > 0) & (fitted.skill < 1)).all()


@examples(60)
@given(tables(readings=True), st.randoms(use_true_random=False))
def test_probabilities_ignore_order_of_coders(drawn, random):
    table, documents = drawn
    n_coders = len(next(iter(table.values()), []))
    assume(n_coders >= 2)
    order = random.sample(range(n_coders), n_coders)
    moved = {unit: [row[place] for place in order] for unit, row in table.items()}
    before, after = (ambiguity(data_of(rows, documents)) for rows in (table, moved))
    assert [unit.posterior for unit in before.units] == pytest.approx([unit.posterior for unit in after.units])


@pytest.mark.parametrize("order", [*permutations(range(3))])
def test_ties_between_coders_do_not_depend_on_order(order):
    """The second set is as near to the first as to the third, which have nothing in common."""
    values = [frozenset("uabcdef"), frozenset("uabcghiz"), frozenset("ughijkl")]
    data = ReliabilityData.from_values(["u"], [*"xyz"], [[values[place] for place in order]], ["text"])
    [groups] = group_readings(data).groups.tolist()
    of_value = dict(zip(order, groups, strict=True))
    assert of_value[0] == of_value[1] != of_value[2]


@examples(30)
@given(tables(readings=True), st.randoms())
def test_probabilities_ignore_order_of_units_and_names_of_values(drawn, random):
    table, documents = drawn
    assume(len(next(iter(table.values()), [])) >= 2)
    renamed = {"place": "x", "none": "y", "new": "z"}
    shuffled = list(table)
    random.shuffle(shuffled)
    other = {unit: [renamed.get(v, v) if isinstance(v, str) else v for v in table[unit]] for unit in shuffled}
    first, second = ambiguity(data_of(table, documents)), ambiguity(data_of(other, documents))
    expected = {unit.unit: unit.posterior for unit in second.units}
    assert {unit.unit: unit.posterior for unit in first.units} == pytest.approx(expected, abs=1e-6)
    assert len(first.units) + sum(first.left_out.values()) == len(table)


def test_split_is_ambiguous_and_single_deviation_is_slip():
    split, slip = list("aaabbb"), list("aaaaab")
    found = ambiguity([*CLEAR, slip, split] * 5)
    verdicts = {unit.unit % 5: unit.verdict for unit in found.units}
    assert verdicts == {0: "", 1: "", 2: "", 3: "slip", 4: "ambiguous"}
    assert [unit.unit for unit in found.units[:5]] == [4, 9, 14, 19, 24]
    assert [unit.camps for unit in found.units] == [True] * 5 + [False] * 20
    assert sorted(found.skills, key=found.skills.get)[0] == 5
    assert (found.model, found.alternatives, found.converged) == ("dawid-skene", 3, True)
    assert found.units[0].groups == ((0, 1, 2), (3, 4, 5))
    assert min(found.units[0].probabilities) > 0.8 > max(found.units[-1].probabilities[1:], default=0)


def test_split_by_careful_coders_is_more_likely_ambiguous():
    # two against two: those who part from the others elsewhere too, or those who never do
    careless, careful = ["a", "a", "b", "b", "a"], ["b", "b", "a", "a", "a"]
    noise = [["a", "a", "a", "b", "c"], ["b", "b", "b", "c", "a"], ["c", "c", "c", "a", "b"]]
    found = ambiguity([*noise * 8, ["a", "b", "a", "a", "a"], ["a", "a", "a", "b", "a"], careless, careful])
    by_unit = {unit.unit: unit.posterior for unit in found.units}
    assert by_unit[24] > 2 * by_unit[25]


def test_slip_elsewhere_in_chain_adds_no_reading():
    ids = np.zeros((8, 4), dtype=int)
    ids[7] = [0, 0, 1, 1]  # the last one is split, and so the chains of all others differ
    data = ReliabilityData.from_chain_ids(ids, ["text"] * 8)
    found = ambiguity(data)
    assert data.n_values == 3
    assert [len(unit.groups) for unit in found.units] == [2] + [1] * 7
    assert (found.units[0].unit, found.units[0].groups, found.model) == (7, ((0, 1), (2, 3)), "mention-pair")
    assert split_into_camps(data.codes).sum() == 8
    assert sum(unit.camps for unit in found.units) == 1


def groups_of_u(table):
    return next(unit.groups for unit in ambiguity(one_document(table)).units if unit.unit == "u")


def test_dissimilar_sets_and_singletons_are_separate_readings():
    near = [{"u", *"abcd"}, {"u", *"abcde"}, {"u", *"wxyz"}, {"u", *"wxyzd"}]
    assert groups_of_u({"u": near, **{unit: ["x"] * 4 for unit in "abcdewxyz"}}) == (("A", "B"), ("C", "D"))
    alone = {"u": [{"u"}, {"u"}, {"u", "v"}, "place"], "v": ["place"] * 4}
    assert groups_of_u(alone) == (("A", "B"), ("C",), ("D",))


def test_coders_with_several_readings_are_counted_and_ungrouped():
    several = Readings([{"u", "v"}, {"u", "w"}])
    found = ambiguity(one_document({"u": [several, {"u", "v"}, {"u", "v"}], "v": [several, "x", None], "w": ["x"] * 3}))
    rows = {unit.unit: unit for unit in found.units}
    assert rows["u"].explicit == 1
    assert rows["u"].groups == (("B", "C"),)
    assert found.left_out == {"coded by fewer than two coders": 1}


def test_note_mentions_few_coders_or_no_shared_units():
    assert "of two or three coders" in ambiguity([["a", "b", "a"], ["a", "a", "a"]]).note
    assert ambiguity([["a", "b", "a", "a"]]).note == ""
    found = ambiguity([["a", None], [None, "b"]])
    assert (found.units, found.prevalence, found.value) == ((), None, None)
    assert found.note == "no unit is coded by two coders"


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        ([["a"], ["b"]], {}, "there is 1 coder: it takes two"),
        ([[], []], {}, "there are no coders: it takes two"),
        ([["a", "b"]], {"alternatives": 1}, "alternatives is 1"),
        ([["a", "b"]], {"alternatives": float("nan")}, "alternatives is nan"),
        ([["a", "b"]], {"alternatives": float("inf")}, "alternatives is inf"),
        (ReliabilityData.from_counts([[2, 1], [0, 3]], ["a", "b"]), {}, "counts"),
    ],
)
def test_ambiguity_refuses_wrong_data_and_options(data, options, message):
    with pytest.raises(ValueError, match=message):
        ambiguity(data, **options)


def test_units_may_have_more_readings_than_alternatives():
    found = ambiguity([list("abcdefghijkl"), list("aabbccddeeff")], alternatives=2)
    assert len(found.units[0].groups) in (6, 12)
    assert all(0 <= unit.posterior <= 1 for unit in found.units)


def test_second_value_of_two_coders_makes_camps():
    codes = np.array([[0, 0, 1, 1], [0, 0, 0, 1], [0, 1, 1, -1], [-1, -1, -1, -1]])
    assert split_into_camps(codes).tolist() == [True, False, False, False]
    distinct, second = count_camps(codes)
    assert (distinct.tolist(), second.tolist()) == ([2, 2, 2, 0], [2, 1, 1, 0])


def test_result_has_html_points_and_dictionary():
    found = ambiguity([*CLEAR, list("aaabbb")] * 3)
    assert repr(found) == "<12 units: 3 likely ambiguous, 0 likely slips>"
    assert "likely ambiguous" in found._repr_html_()
    assert [point.name for point in found._points()] == list("012345")
    plain = found.to_dict()
    assert plain["units"][0] | {"posterior": None, "probabilities": None} == {
        "unit": 3,
        "document": None,
        "posterior": None,
        "groups": [[0, 1, 2], [3, 4, 5]],
        "probabilities": None,
        "camps": True,
        "explicit": 0,
        "verdict": "ambiguous",
    }


@examples(50)
@given(tables(readings=True), st.integers(1, 20))
def test_coders_without_answers_do_not_change_groups(drawn, n_further):
    table, documents = drawn
    assume(table)
    alone = group_readings(data_of(table, documents)).groups
    n_coders = alone.shape[1]
    wider = {unit: [*row, *[None] * n_further] for unit, row in table.items()}
    among = group_readings(data_of(wider, documents, range(n_coders + n_further))).groups
    assert among[:, :n_coders].tolist() == alone.tolist()
    assert (among[:, n_coders:] == -1).all()


def test_memory_grows_with_answers_not_with_pairs_of_coders():
    """Of 2,000 units by 3 of 400 coders: units x coders x coders would be 320 MB of truth values."""
    rows = [[None] * 400 for _ in range(2000)]
    for unit, row in enumerate(rows):
        for coder in range(3):
            row[(unit + 7 * coder) % 400] = {unit, unit // 4 * 4 + coder}
    data = one_document(rows, range(400))
    tracemalloc.start()
    groups = group_readings(data).groups
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (groups != -1).sum() == 6000
    assert peak < 100_000_000
