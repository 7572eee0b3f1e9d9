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
def pointings(draw):
    order = draw(st.permutations(MARKABLES))
    coded = draw(st.lists(st.sampled_from(MARKABLES), unique=True))
    categories = {m: draw(st.sampled_from(["phrase", "none"])) for m in coded}
    target = st.sampled_from([*MARKABLES, *TURNS])
    alternatives = st.sets(target, max_size=3)
    readings = st.lists(target | st.sets(target, min_size=1, max_size=3), max_size=3)
    return list(order), categories, {m: draw(alternatives | readings) for m in coded}


@examples(100)
@given(
    pointings(),
    st.sampled_from(["full", "partial", "none"]),
    st.sampled_from(["category", "chain"]),
    st.sampled_from(["union", "matched"]),
    st.sampled_from(["targets", "entity"]),
)
def test_values_are_what_following_the_pointers_gives(drawn, mode, top, readings, plural):
    order, categories, pointers = drawn
    found = chain_labels(order, categories, pointers, TURNS, mode, top, readings=readings, plural=plural)
    expected = exact.chain_labels(order, categories, pointers, TURNS, mode, top, readings, plural)
    assert found == {m: as_given(value) for m, value in expected.items()}
    assert list(found) == list(categories)


def members(values):
    return {m: "".join(sorted(value)) for m, value in values.items()}


def test_a_plural_markable_has_the_chains_of_its_targets_and_they_do_not_have_its():
    labels = partial(chain_labels, "DEFG", dict.fromkeys("DEFG", "phrase"), top="chain")
    together, apart = [{"D", "E"}], {"D", "E"}
    assert labels({"F": together}) == {"D": {"D"}, "E": {"E"}, "F": set("DEF"), "G": "phrase"}
    assert members(labels({"F": together, "G": {"F"}})) == {"D": "D", "E": "E", "F": "DEFG", "G": "DEFG"}
    assert members(labels({"F": apart, "G": {"F"}})) == {"D": "DFG", "E": "EFG", "F": "DEFG", "G": "DEFG"}


def test_what_is_plural_may_be_an_entity_of_its_own():
    labels = partial(chain_labels, "DEFG", dict.fromkeys("DEFG", "phrase"), top="chain", plural="entity")
    assert members(labels({"F": [{"D", "E"}], "G": {"F"}})) == {"D": "D", "E": "E", "F": "FG", "G": "FG"}
    assert labels({"F": {"D", "E"}}) == {"D": {"D", "F"}, "E": {"E", "F"}, "F": set("DEF"), "G": "phrase"}
    assert labels({"F": [{"D", "E"}, "D"]}, readings="matched")["F"] == Readings(["F", "DF"])
    assert labels({"F": [{"D", "E"}]}, mode="none")["F"] == frozenset("DE")


def test_alternatives_are_the_same_however_they_are_given():
    arguments = "DEF", dict.fromkeys("DEF", "phrase")
    given = ({"D", "E"}, frozenset("DE"), ["D", "E"], ("E", "D"), [{"D"}, {"E"}], [["E"], frozenset("D")])
    assert len({tuple(chain_labels(*arguments, {"F": pointers}).items()) for pointers in given}) == 1


def test_two_ways_to_name_plural_antecedents_give_one_value():
    # "they" is John and Mary; one coder points to the names, the other to pronouns that point to them
    order = ["John", "Mary", "he", "she", "they"]
    pointers = {"he": {"John"}, "she": {"Mary"}}
    first, second = (
        chain_labels(order, dict.fromkeys(order, "phrase"), pointers | {"they": [both]}, top="chain")
        for both in ({"John", "Mary"}, {"he", "she"})
    )
    assert first == second
    assert first["they"] == frozenset(order)
    assert first["John"] == frozenset(["John", "he"])


def test_a_target_of_a_plural_reading_is_pointed_at():
    arguments = ("AB", {"A": "place", "B": "phrase"}, {"B": [{"A", "turn 1"}]}, ["turn 1"])
    assert chain_labels(*arguments) == {"A": "place", "B": frozenset(["A", "B", "turn 1"])}
    assert chain_labels(*arguments, top="chain")["A"] == frozenset("A")
    assert chain_labels(*arguments, mode="none", top="chain")["A"] == frozenset()


def test_of_readings_apart_each_is_the_chain_with_it_alone():
    labels = partial(chain_labels, "DEFG", dict.fromkeys("DEFG", "phrase"), readings="matched")
    assert labels({"F": {"D", "E"}, "G": {"F"}}) == {
        "D": "phrase", "E": "phrase", "F": Readings(["DFG", "EFG"]), "G": frozenset("DEFG")
    }  # fmt: skip
    assert labels({"F": ["D", {"D", "E"}]})["F"] == Readings(["DF", "DEF"])
    assert labels({"F": {"D", "E"}}, mode="none")["F"] == Readings(["D", "E"])
    assert labels({"F": {"D", "E"}, "E": {"F"}})["F"] == Readings(["DEF", "EF"])


def test_readings_that_give_one_chain_are_one_value():
    values = chain_labels("DEF", dict.fromkeys("DEF", "phrase"), {"E": {"D"}, "F": {"D", "E"}}, readings="matched")
    assert values["F"] == frozenset("DEF")


def test_partial_chains_have_what_precedes_and_every_turn():
    categories = dict.fromkeys("ABCD", "phrase")
    pointers = {"A": {"D"}, "B": {"A"}, "C": {"B", "turn 1"}}
    values = chain_labels("ABCD", categories, pointers, ["turn 1"], mode="partial", top="chain")
    assert values == {
        "A": frozenset(),
        "B": frozenset("A"),
        "C": frozenset(["A", "B", "turn 1"]),
        "D": frozenset("ABC"),
    }


def test_a_top_keeps_its_category_unless_it_is_given_its_chain():
    arguments = ("ABC", {"A": "place", "B": "phrase", "C": "none"}, {"B": {"A"}})
    keeps: dict[str, object] = {"A": "place", "B": frozenset("AB"), "C": "none"}
    assert chain_labels(*arguments) == keeps
    assert chain_labels(*arguments, top="chain") == keeps | {"A": frozenset("AB")}


def test_a_cycle_is_one_chain():
    pointers = {"A": {"C"}, "B": {"A"}, "C": {"B"}, "D": {"B"}}
    values = chain_labels("ABCD", dict.fromkeys("ABCD", "phrase"), pointers)
    assert values == dict.fromkeys("ABCD", frozenset("ABCD"))


def test_a_markable_that_the_coder_did_not_code_has_no_value_unless_asked():
    arguments = ("ABC", {"A": "none", "B": "phrase"}, {"B": {"A"}})
    assert "C" not in chain_labels(*arguments)
    assert chain_labels(*arguments, unmarked="singleton")["C"] == frozenset("C")
    assert chain_labels(*arguments, unmarked="label")["C"] == "unmarked"


def test_a_turn_in_the_text_order_is_not_an_unmarked_markable():
    values = chain_labels(["turn 1", "A"], {"A": "none"}, {}, ["turn 1"], unmarked="singleton")
    assert values == {"A": "none"}


def test_an_uncoded_target_is_a_member():
    assert chain_labels("AB", {"B": "phrase"}, {"B": {"A"}}) == {"B": frozenset("AB")}


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
def test_what_does_not_fit_the_text_is_named(arguments, why):
    with pytest.raises(ValueError, match=why):
        chain_labels(*arguments)


@pytest.mark.parametrize("option", ["mode", "top", "unmarked", "readings", "plural"])
def test_an_unknown_option_is_named(option):
    with pytest.raises(ValueError, match=f"{option} is 'all'; it must be one of"):
        chain_labels("A", {}, {}, **{option: "all"})


@pytest.mark.slow
def test_plural_readings_take_no_square_of_the_length_of_their_chains():
    def labels(n):
        pointers = {m: [{m - 1, m - 2}, m - 3] for m in range(3, n, 4)}
        return chain_labels(range(n), dict.fromkeys(range(n), "phrase"), pointers, readings="matched")

    assert_grows_with_input(labels, 50_000)


@pytest.mark.slow
def test_long_chains_share_one_set_and_take_no_square_of_their_length():
    def labels(n):
        return chain_labels(range(n), dict.fromkeys(range(n), "phrase"), {m: {m - 1} for m in range(1, n)})

    assert_grows_with_input(labels, 200_000)
    n = 20_000
    values = labels(n)
    assert values[1] == frozenset(range(n))
    assert len({id(values[m]) for m in range(1, n)}) == 1


def test_equal_indices_are_one_class_and_none_is_a_class_of_its_own():
    values = index_labels("ABCD", {"A": {1}, "B": {2}, "C": {1}, "D": ()})
    assert values == {"A": frozenset("AC"), "B": frozenset("B"), "C": frozenset("AC"), "D": frozenset("D")}


def test_a_markable_without_index_has_its_category_as_its_value_where_one_is_given():
    values = index_labels(
        "ABCD", {"A": {1}, "B": (), "C": (), "D": ()}, categories={"A": "refers", "B": "none", "C": "none"}
    )
    assert values == {"A": frozenset("A"), "B": "none", "C": "none", "D": frozenset("D")}


def test_a_markable_with_two_indices_does_not_merge_the_classes_of_others():
    values = index_labels("ABC", {"A": {1}, "B": {1, 2}, "C": {2}})
    assert values == {"A": frozenset("AB"), "B": frozenset("ABC"), "C": frozenset("BC")}


def test_the_classes_of_two_indices_are_readings_where_they_are_matched():
    indices = {"A": {1}, "B": {1, 2}, "C": {2}, "D": ()}
    values = index_labels("ABCD", indices, readings="matched")
    assert values == {"A": frozenset("AB"), "B": Readings(["AB", "BC"]), "C": frozenset("BC"), "D": frozenset("D")}
    assert index_labels("A", {"A": {1, 2}}, readings="matched") == {"A": frozenset("A")}


@pytest.mark.parametrize(
    ("unmarked", "expected"),
    [("singleton", {"B": frozenset("B")}), ("label", {"B": "unmarked"}), ("missing", {})],
)
def test_a_markable_without_an_entry_is_unmarked(unmarked, expected):
    assert index_labels("AB", {"A": {1}}, unmarked=unmarked) == {"A": frozenset("A")} | expected


def test_an_index_on_what_is_not_in_the_text_is_named():
    with pytest.raises(ValueError, match="'Z' is not in the text order"):
        index_labels("AB", {"Z": {1}})
