"""Pointers that make the entities of a draft."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.measures import Readings, ReliabilityData, antecedents, chain_labels, consensus
from tests.shared.cases import examples

ORDER = "ABCDEFG"
TURN = "turn"


@st.composite
def draw_pointers(draw):
    """Draw the pointers of some coders: one target, two alternatives, or two together; also forwards, or a turn."""
    coders = []
    for _ in range(draw(st.integers(1, 4))):
        pointers = {}
        for unit in ORDER:
            targets = draw(st.lists(st.sampled_from([*ORDER, TURN]), max_size=2, unique=True))
            targets = [target for target in targets if target != unit]
            together = len(targets) == 2 and draw(st.booleans())
            if targets:
                pointers[unit] = [frozenset(targets)] if together else [frozenset({target}) for target in targets]
        coders.append(pointers)
    return coders


def values_of(pointers, units=ORDER):
    return chain_labels(
        ORDER,
        dict.fromkeys(units, "new"),
        pointers,
        [TURN],
        top="chain",
        readings="matched",
        plural="entity",
    )


def draft_of(coders):
    columns = [values_of(pointers) for pointers in coders]
    rows = [[values[unit] for values in columns] for unit in ORDER]
    return consensus(ReliabilityData.from_values(ORDER, range(len(coders)), rows, ["text"] * len(ORDER)))


def without_singletons(values):
    return {unit: value for unit, value in values.items() if value not in ("new", None, frozenset({unit}))}


@examples(300)
@given(draw_pointers())
def test_pointers_reproduce_entities_of_draft(coders):
    draft = draft_of(coders)
    pointers = antecedents(draft, coders)
    made = values_of(pointers, draft.values)
    assert without_singletons(made) == without_singletons(draft.values)


@examples(100)
@given(st.dictionaries(st.sampled_from(range(1, 7)), st.integers(0, 5)), st.integers(1, 3))
def test_unanimous_pointers_are_kept(drawn, n_coders):
    pointers = {ORDER[unit]: [frozenset(ORDER[target])] for unit, target in drawn.items() if target < unit}
    coders = [pointers] * n_coders
    assert antecedents(draft_of(coders), coders) == pointers


def draft_of_chain_ids(ids):
    return consensus(ReliabilityData.from_chain_ids([[number] for number in ids], ["text"] * len(ids)))


@pytest.mark.parametrize(
    ("coders", "expected"),
    [
        ([{1: {0}, 2: {0}}, {1: {0}, 2: {1}}, {2: {0}}], {1: {0}, 2: {0}}),
        ([{1: {0}, 2: {0}}, {1: {0}, 2: {1}}], {1: {0}, 2: {1}}),
        ([{0: {1}, 2: {1}}], {0: {1}, 2: {1}}),
        ([{0: {1}, 1: {0}}], {0: {1}, 2: {1}}),
        ([], {1: {0}, 2: {1}}),
        ([{2: {0}}], {1: {0}, 2: {0}}),
    ],
)
def test_majority_or_nearest_preceding_unit_is_antecedent(coders, expected):
    found = antecedents(draft_of_chain_ids([1, 1, 1]), coders)
    assert found == {unit: [frozenset(targets)] for unit, targets in expected.items()}


def test_plural_reading_of_majority_keeps_its_targets():
    coders = [{"C": [{"A", "B"}], "D": {"C"}}, {"C": [{"A", "B"}], "D": {"C"}}, {"C": {"A"}, "D": {"C"}}]
    assert antecedents(draft_of(coders), coders) == {"C": [frozenset("AB")], "D": [frozenset("C")]}


def test_ambiguous_unit_points_into_each_entity():
    coders = [{"B": {"A"}, "D": {"C"}, "E": {"B", "D"}}] * 2
    draft = draft_of(coders)
    assert isinstance(draft.values["E"], Readings)
    assert antecedents(draft, coders)["E"] == [frozenset("B"), frozenset("D")]


def test_pointers_of_entity_with_turn_end_at_turn():
    coders = [{"B": {TURN}, "C": {"B"}}, {"B": {TURN}, "C": {TURN}}]
    assert antecedents(draft_of(coders), coders) == {"B": [frozenset({TURN})], "C": [frozenset("B")]}
