"""From pointers and indices to values."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.measures import Readings, chain_labels, index_labels
from tests.agreement.measures import exact
from tests.agreement.measures.strategies import as_given
from tests.shared.cases import examples
from tests.shared.growth import assert_grows_with_input

MARKABLES, TURNS = "abcdefg", ("turn 1", "turn 2")


@st.composite
def draw_pointers(draw):
    order = draw(st.permutations(MARKABLES))
    coded = draw(st.lists(st.sampled_from(MARKABLES), unique=True))
    categories = {m: draw(st.sampled_from(["phrase", "none"])) for m in coded}
    target = st.sampled_from([*MARKABLES, *TURNS])
    alternatives = st.sets(target, max_size=3)
    readings = st.lists(target | st.sets(target, min_size=1, max_size=3), max_size=3)
    return list(order), categories, {m: draw(alternatives | readings) for m in coded}


@examples(100)
@given(
    draw_pointers(),
    st.sampled_from(["full", "partial", "none"]),
    st.sampled_from(["category", "chain"]),
    st.sampled_from(["union", "matched"]),
    st.sampled_from(["targets", "entity"]),
)
def test_chain_labels_equal_exact_definition(drawn, mode, top, readings, plural):
    order, categories, pointers = drawn
    found = chain_labels(order, categories, pointers, TURNS, mode, top, readings=readings, plural=plural)
    expected = exact.chain_labels(order, categories, pointers, TURNS, mode, top, readings, plural)
    assert found == {m: as_given(value) for m, value in expected.items()}
    assert list(found) == list(categories)


def members(values):
    return {m: "".join(sorted(value)) for m, value in values.items()}


def test_plural_has_all_targets_or_own_entity():
    labels = partial(chain_labels, "DEFG", dict.fromkeys("DEFG", "phrase"), top="chain")
    together, apart = [{"D", "E"}], {"D", "E"}
    assert labels({"F": together}) == {"D": {"D"}, "E": {"E"}, "F": set("DEF"), "G": "phrase"}
    assert members(labels({"F": together, "G": {"F"}})) == {"D": "D", "E": "E", "F": "DEFG", "G": "DEFG"}
    assert members(labels({"F": apart, "G": {"F"}})) == {"D": "DFG", "E": "EFG", "F": "DEFG", "G": "DEFG"}
    own = partial(labels, plural="entity")
    assert members(own({"F": together, "G": {"F"}})) == {"D": "D", "E": "E", "F": "FG", "G": "FG"}
    assert own({"F": [{"D", "E"}, "D"]}, readings="matched")["F"] == Readings(["F", "DF"])


def test_alternatives_may_be_sets_lists_or_tuples():
    arguments = "DEF", dict.fromkeys("DEF", "phrase")
    given = ({"D", "E"}, frozenset("DE"), ["D", "E"], ("E", "D"), [{"D"}, {"E"}], [["E"], frozenset("D")])
    assert len({tuple(chain_labels(*arguments, {"F": pointers}).items()) for pointers in given}) == 1


def test_partial_chains_have_preceding_members_and_turns():
    pointers = {"A": {"D"}, "B": {"A"}, "C": {"B", "turn 1"}}
    values = chain_labels("ABCD", dict.fromkeys("ABCD", "phrase"), pointers, ["turn 1"], mode="partial", top="chain")
    assert values == {"A": set(), "B": {"A"}, "C": {"A", "B", "turn 1"}, "D": set("ABC")}


def test_uncoded_markable_has_no_value_unless_asked():
    arguments = ("ABC", {"A": "none", "B": "phrase"}, {"B": {"A"}})
    assert "C" not in chain_labels(*arguments)
    assert chain_labels(*arguments, unmarked="singleton")["C"] == frozenset("C")
    assert chain_labels(*arguments, unmarked="label")["C"] == "unmarked"
    assert chain_labels(["turn 1", "A"], {"A": "none"}, {}, ["turn 1"], unmarked="singleton") == {"A": "none"}


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("AA", {}, {}), "'A' comes twice"),
        (("A", {"B": "none"}, {}), "'B' is not in the text order"),
        (("AB", {}, {"B": {"A"}}), "'B' has pointers but no category"),
        (("A", {"A": "phrase"}, {"A": {"Z"}}), "target 'Z' of 'A' is neither"),
        (("AB", {"A": "phrase"}, {"A": [{"B", "Z"}]}), "target 'Z' of 'A' is neither"),
        (("AB", {"A": "phrase"}, {"A": [{"B"}, set()]}), "a reading of 'A' has no target"),
    ],
)
def test_error_names_markable_that_does_not_fit_text(arguments, why):
    with pytest.raises(ValueError, match=why):
        chain_labels(*arguments)


@pytest.mark.parametrize("option", ["mode", "top", "unmarked", "readings", "plural"])
def test_error_names_unknown_option(option):
    with pytest.raises(ValueError, match=f"{option} is 'all'; it must be one of"):
        chain_labels("A", {}, {}, **{option: "all"})


@pytest.mark.slow
def test_time_of_plural_readings_is_linear():
    def labels(n):
        pointers = {m: [{m - 1, m - 2}, m - 3] for m in range(3, n, 4)}
        return chain_labels(range(n), dict.fromkeys(range(n), "phrase"), pointers, readings="matched")

    assert_grows_with_input(labels, 50_000)


@pytest.mark.slow
def test_long_chains_share_one_set_in_linear_time():
    def labels(n):
        return chain_labels(range(n), dict.fromkeys(range(n), "phrase"), {m: {m - 1} for m in range(1, n)})

    assert_grows_with_input(labels, 200_000)
    n = 20_000
    values = labels(n)
    assert values[1] == frozenset(range(n))
    assert len({id(values[m]) for m in range(1, n)}) == 1


@pytest.mark.parametrize(
    ("indices", "options", "expected"),
    [
        ({"A": {1}, "B": {2}, "C": {1}, "D": ()}, {}, {"A": {"A", "C"}, "B": {"B"}, "C": {"A", "C"}, "D": {"D"}}),
        (
            {"A": {1}, "B": (), "C": (), "D": ()},
            {"categories": {"A": "refers", "B": "none", "C": "none"}},
            {"A": {"A"}, "B": "none", "C": "none", "D": {"D"}},
        ),
        ({"A": {1}, "B": {1, 2}, "C": {2}}, {"unmarked": "missing"}, {"A": set("AB"), "B": set("ABC"), "C": set("BC")}),
        (
            {"A": {1}, "B": {1, 2}, "C": {2}, "D": ()},
            {"readings": "matched"},
            {"A": {"A", "B"}, "B": Readings(["AB", "BC"]), "C": {"B", "C"}, "D": {"D"}},
        ),
        ({"A": {1, 2}}, {"readings": "matched", "unmarked": "missing"}, {"A": {"A"}}),
        ({"A": {1}}, {"unmarked": "singleton"}, {"A": {"A"}, "B": {"B"}, "C": {"C"}, "D": {"D"}}),
        ({"A": {1}}, {"unmarked": "label"}, {"A": {"A"}, "B": "unmarked", "C": "unmarked", "D": "unmarked"}),
        ({"A": {1}}, {"unmarked": "missing"}, {"A": {"A"}}),
    ],
)
def test_index_labels_are_classes_or_categories(indices, options, expected):
    assert index_labels("ABCD", indices, **options) == expected


def test_error_names_index_on_unknown_markable():
    with pytest.raises(ValueError, match="'Z' is not in the text order"):
        index_labels("AB", {"Z": {1}})
