import pytest

from annotations.coding.chains import chain_classes, chains_by_pointers, chains_of, members_of, number_chains
from annotations.coding.decisions import Decision


@pytest.mark.parametrize(
    ("pointers", "chains"),
    [
        ({}, {"A": "A", "B": "B", "C": "C", "D": "D"}),
        ({"B": "A", "C": "B"}, {"A": "A", "B": "A", "C": "A", "D": "D"}),
        ({"C": "AB"}, {"A": "A", "B": "B", "C": "AB", "D": "D"}),
        # What points to an ambiguous markable is in both chains too.
        ({"C": "AB", "D": "C"}, {"A": "A", "B": "B", "C": "AB", "D": "AB"}),
        # A circle ends at its earliest member, unless something leads out of it.
        ({"B": "C", "C": "B"}, {"A": "A", "B": "B", "C": "B", "D": "D"}),
        ({"B": "C", "C": "BA"}, {"A": "A", "B": "A", "C": "A", "D": "D"}),
        ({"A": "D", "B": "A"}, {"A": "D", "B": "D", "C": "C", "D": "D"}),
        ({"B": "Z"}, {"A": "A", "B": "B", "C": "C", "D": "D"}),
        # What points to several together is an entity of its own, and so is what points to that.
        ({"C": ["AB"], "D": "C"}, {"A": "A", "B": "B", "C": "C", "D": "C"}),
        ({"C": ["AB", "B"], "D": "C"}, {"A": "A", "B": "B", "C": "BC", "D": "BC"}),
        ({"C": ["AB", "D"], "D": "C"}, {"A": "A", "B": "B", "C": "C", "D": "C"}),
    ],
)
def test_pointers_lead_to_first_members_of_chains(pointers, chains):
    assert chains_by_pointers("ABCD", pointers) == {key: tuple(names) for key, names in chains.items()}


def test_long_chain_needs_no_recursion():
    order = [str(number) for number in range(50_000)]
    pointers = {key: [(order[number - 1],)] for number, key in enumerate(order) if number}
    assert set(chains_by_pointers(order, pointers).values()) == {("0",)}


def test_chains_of_two_or_more_members_are_numbered_in_text_order():
    members = members_of(chains_by_pointers("ABCDE", {"D": "A", "E": "C"}))
    assert number_chains(members) == {"A": 1, "C": 2}


def test_entity_is_numbered_by_its_index_if_free():
    decisions = {key: Decision(key, indices=(index,)) for key, index in zip("ABCDEF", "77xx11", strict=True)}
    members = members_of(chains_of("indices", "ABCDEF", decisions))
    assert number_chains(members) == {"#7": 7, "#x": 1, "#1": 2}


def test_markable_is_in_the_chains_of_all_its_indices():
    assert chains_of("indices", "AB", {"A": Decision("A", indices=("7", "x"))}) == {"A": ("#7", "#x"), "B": ()}


def test_chain_takes_number_of_most_similar_chain():
    first = members_of(chains_by_pointers("ABCDEF", {"B": "A", "D": "C", "E": "C"}))
    second = members_of(chains_by_pointers("ABCDEF", {"D": "B", "E": "D", "F": "A"}))
    numbers = number_chains(first)
    assert numbers == {"A": 1, "C": 2}
    assert number_chains(second, first, numbers) == {"B": 2, "A": 1}


def test_chain_classes_repeat_after_thirty_chains():
    assert len({chain_classes(number) for number in range(1, 31)}) == 30
    assert chain_classes(31) == chain_classes(1)
