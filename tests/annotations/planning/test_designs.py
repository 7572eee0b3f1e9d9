"""Designs of plans: properties of every plan, and refusals."""

import hashlib
import json
from collections import Counter
from dataclasses import replace
from itertools import combinations, pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from annotations.planning.plans.designs.draws import draw_texts
from annotations.planning.plans.designs.proposing import propose
from annotations.planning.plans.designs.terms import (
    Assignment,
    Design,
    PlanCoder,
    PlanParameters,
    PlanRefused,
    PlanText,
)
from tests.shared.cases import examples
from tests.shared.growth import assert_grows_with_input


def texts_of(works, strata=("",)):
    return [PlanText(f"text-{i:03}", work, strata[i % len(strata)]) for i, work in enumerate(works)]


def coders_of(n, **fields):
    return [PlanCoder(f"coder-{i:02}", **fields) for i in range(n)]


def sizes(proposal):
    return [len(coders) for coders in proposal.assignments.values()]


def spread(numbers):
    return max(numbers) - min(numbers)


def shared_numbers(proposal):
    return [number for _, _, number in proposal.pairs]


def shared_texts(proposal):
    return [name for name, members in proposal.assignments.items() if len(members) > 1]


def is_one_part(proposal):
    """Return whether shared texts connect all coders with texts, by merging sets."""
    parts = [{load.coder} for load in proposal.loads if load.texts]
    for coders in proposal.assignments.values():
        touched = [part for part in parts if part & set(coders)]
        parts = [part for part in parts if part not in touched] + ([set().union(*touched)] if touched else [])
    return len(parts) <= 1


def missing_places(needed, maxima):
    """Return the number of places that nobody can take, by the theorem of Gale and Ryser."""
    rows = sorted(needed, reverse=True)
    return max(sum(rows[:m]) - sum(min(maximum, m) for maximum in maxima) for m in range(len(rows) + 1))


def works_of(n_texts, largest):
    return st.lists(st.integers(1, largest), min_size=1, max_size=n_texts)


works = works_of(40, 400)


@st.composite
def worlds(draw):
    texts = texts_of(draw(works), draw(st.sampled_from([("",), ("a", "b"), ("a", "b", "c")])))
    coders = coders_of(draw(st.integers(1, 10)))
    k = draw(st.integers(1, len(coders)))
    design, share, seed = draw(st.sampled_from(Design)), draw(st.floats(0, 1)), draw(st.integers(0, 2**32))
    calibration = draw(st.integers(0, min(3, len(texts))))
    return texts, coders, PlanParameters(design, k, share, calibration=calibration, seed=seed, allow_unconnected=True)


@given(worlds())
@examples(40)
def test_each_text_gets_number_of_coders_of_design(world):
    texts, coders, parameters = world
    proposal = propose(texts, coders, parameters)
    n, everybody = len(texts), len(coders)
    assert list(proposal.assignments) == sorted(text.name for text in texts)
    assert all(list(names) == sorted(set(names)) for names in proposal.assignments.values())
    assert len(proposal.calibration) == parameters.calibration
    assert all(len(proposal.assignments[name]) == everybody for name in proposal.calibration)
    others = sizes(proposal)
    if parameters.design == Design.ALL:
        assert set(others) == {everybody}
    elif parameters.design == Design.SHARE:
        n_shared = max(parameters.calibration, -int(-round(n * parameters.share, 6) // 1))
        expected = [everybody] * parameters.calibration + [parameters.k] * (n_shared - parameters.calibration)
        assert sorted(others) == sorted([*expected, *[1] * (n - n_shared)])
    else:
        expected = [everybody] * parameters.calibration + [parameters.k] * (n - parameters.calibration)
        assert sorted(others) == sorted(expected)


@given(worlds())
@examples(40)
def test_loads_and_pairs_match_assignments(world):
    texts, coders, parameters = world
    proposal = propose(texts, coders, parameters)
    for load in proposal.loads:
        own = [text for text in texts if load.coder in proposal.assignments[text.name]]
        assert (load.texts, load.work) == (len(own), sum(text.work for text in own))
        assert sorted(proposal.orders[load.coder]) == sorted(text.name for text in own)
    assert [load.coder for load in proposal.loads] == sorted(coder.name for coder in coders)
    for a, b, number in proposal.pairs:
        assert number == sum({a, b} <= set(names) for names in proposal.assignments.values())
    assert len(proposal.pairs) == len(coders) * (len(coders) - 1) // 2
    assert proposal.connected == is_one_part(proposal)


@given(works, st.integers(1, 10), st.data())
@examples(40)
def test_work_of_each_coder_is_within_one_text_of_fair_share(work, n, data):
    k = data.draw(st.integers(1, n))
    parameters = PlanParameters(k=k, seed=data.draw(st.integers(0, 99)), allow_unconnected=True)
    loads = [load.work for load in propose(texts_of(work), coders_of(n), parameters).loads]
    assert max(abs(load - sum(work) * k / n) for load in loads) <= max(work)


@pytest.mark.parametrize(
    ("work", "n", "k", "seed"),
    [
        ([7, 7, 1, 1], 10, 6, 25),
        ([3, 1, 3, 7, 1, 1, 7], 7, 4, 34),
        ([7, 3, 7, 3, 1, 7, 1], 7, 4, 78),
        ([7, 7, 1, 6, 7, 3, 7, 7, 7, 1], 10, 5, 80),
    ],
)
def test_equal_work_comes_before_equal_pairs(work, n, k, seed):
    parameters = PlanParameters(k=k, seed=seed, allow_unconnected=True)
    loads = [load.work for load in propose(texts_of(work), coders_of(n), parameters).loads]
    assert max(abs(load - sum(work) * k / n) for load in loads) <= max(work)


@given(st.integers(2, 10), st.data())
@examples(40)
def test_pairs_of_coders_share_nearly_equal_numbers_of_texts(n, data):
    work = data.draw(st.lists(st.integers(1, 400), min_size=n, max_size=40))
    parameters = PlanParameters(k=data.draw(st.integers(2, n)), seed=data.draw(st.integers(0, 99)))
    assert spread(shared_numbers(propose(texts_of(work), coders_of(n), parameters))) <= 2


@pytest.mark.parametrize(("n_texts", "n_coders", "k"), [(14, 8, 6), (17, 10, 8), (35, 6, 4)])
def test_pairs_are_even_if_sums_of_powers_are_not_enough(n_texts, n_coders, k):
    for seed in range(3):
        proposal = propose(texts_of([1] * n_texts), coders_of(n_coders), PlanParameters(k=k, seed=seed))
        assert spread(shared_numbers(proposal)) <= 2


def test_small_texts_balance_work_beside_large_one():
    texts = texts_of([20_000, *[1] * 400, *[39] * 900])
    existing = [Assignment(text.name, "coder-00", begun=True) for text in texts if text.work == 1]
    proposal = propose(texts, coders_of(2), PlanParameters(k=1, allow_unconnected=True), existing)
    assert abs(proposal.loads[0].work - proposal.loads[1].work) <= 39


@given(works, st.integers(2, 10), st.floats(0, 1), st.data())
@examples(40)
def test_coders_are_connected_if_texts_suffice(work, n, share, data):
    parameters = PlanParameters(Design.SHARE, k=data.draw(st.integers(1, n)), share=share, allow_unconnected=True)
    proposal = propose(texts_of(work), coders_of(n), parameters)
    # A tree of n coders needs n - 1 edges, and a text by k coders gives k - 1 of them.
    links, active = sum(size - 1 for size in sizes(proposal)), sum(load.texts > 0 for load in proposal.loads)
    assert proposal.connected == (links >= active - 1)


@given(worlds(), st.randoms())
@examples(25)
def test_plan_does_not_depend_on_order_of_input(world, random):
    texts, coders, parameters = world
    proposal = propose(texts, coders, parameters)
    random.shuffle(texts)
    random.shuffle(coders)
    assert propose(iter(texts), iter(coders), parameters) == proposal


def test_plan_matches_stored_digest():
    works = [20 + 7 * i % 61 for i in range(60)]
    parameters = PlanParameters(Design.SHARE, k=3, share=0.4, calibration=4, seed=7)
    proposal = propose(texts_of(works, ("a", "b")), coders_of(7), parameters)
    content = json.dumps([proposal.assignments, proposal.orders])
    assert hashlib.sha256(content.encode()).hexdigest()[:16] == "796790ff92ef5d15"


def test_seeds_give_different_plans():
    plans = (propose(texts_of([9] * 30), coders_of(5), PlanParameters(seed=seed)) for seed in range(5))
    assert len({json.dumps(plan.assignments) for plan in plans}) == 5


@given(works_of(20, 50), st.lists(st.integers(0, 20), min_size=1, max_size=6), st.data())
@examples(40)
@example([5, 5, 5], [3, 1, 1], None)
def test_maxima_hold_and_are_refused_only_if_impossible(work, maxima, data):
    k = data.draw(st.integers(1, len(maxima))) if data else 2
    coders = [PlanCoder(f"coder-{i}", maximum=maximum) for i, maximum in enumerate(maxima)]
    missing = missing_places([k] * len(work), maxima)
    parameters = PlanParameters(k=k, allow_unconnected=True)
    if missing:
        with pytest.raises(PlanRefused, match=f"{missing} of {k * len(work)} assignments have nobody"):
            propose(texts_of(work), coders, parameters)
    else:
        loads = propose(texts_of(work), coders, parameters).loads
        assert all(load.texts <= maximum for load, maximum in zip(loads, maxima, strict=True))


def test_work_is_proportional_to_weights():
    coders = [PlanCoder("full"), PlanCoder("half", weight=0.5), PlanCoder("double", weight=2)]
    loads = propose(texts_of([10] * 70), coders, PlanParameters(k=1, allow_unconnected=True)).loads
    assert {load.coder: load.work for load in loads} == {"full": 200, "half": 100, "double": 400}


def test_work_beyond_maximum_is_shared_equally():
    coders = [PlanCoder("a"), PlanCoder("b"), PlanCoder("c", maximum=4), PlanCoder("d")]
    proposal = propose(texts_of([10] * 20), coders, PlanParameters(k=2))
    assert {load.coder: load.texts for load in proposal.loads} == {"a": 12, "b": 12, "c": 4, "d": 12}


def test_blocks_have_equal_work_and_connected_coders():
    works = [10 + i % 17 for i in range(120)]
    proposal = propose(texts_of(works), coders_of(6), PlanParameters(Design.BLOCKS, k=2, seed=1))
    blocks = Counter()
    for text in texts_of(works):
        blocks[proposal.assignments[text.name]] += text.work
    assert len(blocks) == 6
    assert spread(blocks.values()) <= max(works)
    assert set(Counter(coder for coders in blocks for coder in coders).values()) == {2}
    assert proposal.connected


def test_blocks_of_seven_coders_by_three_form_fano_plane():
    blocks = set(propose(texts_of([5] * 70), coders_of(7), PlanParameters(Design.BLOCKS, k=3)).assignments.values())
    assert len(blocks) == 7
    assert all(len(set(a) & set(b)) == 1 for a, b in combinations(blocks, 2))


@given(st.integers(0, 99))
@examples(5)
def test_strata_are_spread_evenly_over_coders_and_shared_texts(seed):
    texts = texts_of([10] * 90, ("news", "news", "talk"))
    proposal = propose(texts, coders_of(6), PlanParameters(Design.SHARE, k=2, share=0.4, calibration=6, seed=seed))
    stratum = {text.name: text.stratum for text in texts}
    assert Counter(stratum[name] for name in proposal.calibration) == {"news": 4, "talk": 2}
    assert Counter(stratum[name] for name in shared_texts(proposal)) == {"news": 24, "talk": 12}
    talks = [sum(stratum[name] == "talk" for name in proposal.orders[coder.name]) for coder in coders_of(6)]
    assert spread(talks) <= 2


@pytest.mark.parametrize("parameters", [{"k": 1}, {"design": Design.BLOCKS, "blocks": 4, "k": 1}])
def test_strata_are_spread_evenly_without_shared_texts(parameters):
    texts = texts_of(range(100, 180), "abcd")
    proposal = propose(texts, coders_of(4), PlanParameters(allow_unconnected=True, **parameters))
    stratum = {text.name: text.stratum for text in texts}
    counts = Counter((name, stratum[text]) for text, names in proposal.assignments.items() for name in names)
    assert len(counts) == 16
    assert spread(counts.values()) <= 2


@given(st.integers(0, 99))
@examples(5)
def test_shared_texts_are_spread_over_order_of_each_coder(seed):
    proposal = propose(texts_of([10] * 100), coders_of(5), PlanParameters(Design.SHARE, k=2, share=0.25, seed=seed))
    shared = set(shared_texts(proposal))
    for order in proposal.orders.values():
        places = [i for i, name in enumerate(order) if name in shared]
        every = len(order) / len(places)
        assert all(b - a <= 2 * every + 1 for a, b in pairwise([-1, *places, len(order)]))
    assert len({order[:3] for order in proposal.orders.values()}) == 5


def assignments_of(proposal, begun=lambda text, coder: False):
    return [
        Assignment(text, coder, begun(text, coder), proposal.orders[coder].index(text))
        for text, coders in proposal.assignments.items()
        for coder in coders
    ]


@given(worlds())
@examples(25)
def test_applied_plan_proposes_no_changes(world):
    texts, coders, parameters = world
    first = propose(texts, coders, parameters)
    again = propose(texts, coders, parameters, assignments_of(first))
    assert (again.assignments, again.orders, again.calibration) == (first.assignments, first.orders, first.calibration)
    assert (again.new, again.removed) == ((), ())


@given(worlds(), st.lists(st.integers(1, 400), max_size=10), st.integers(0, 3), st.booleans(), st.randoms())
@examples(40)
def test_new_texts_and_coders_keep_begun_assignments(world, new_works, new_coders, move, random):
    texts, coders, parameters = world
    first = propose(texts, coders, parameters)
    existing = assignments_of(first, lambda text, coder: random.random() < 0.3)
    texts = texts_of([*[text.work for text in texts], *new_works])
    parameters = replace(parameters, calibration_texts=first.calibration, move=move)
    second = propose(texts, coders_of(len(coders) + new_coders), parameters, existing)
    places = {(text, coder) for text, names in second.assignments.items() for coder in names}
    begun = {(assignment.text, assignment.coder) for assignment in existing if assignment.begun}
    assert begun <= places
    if not move:
        assert {(assignment.text, assignment.coder) for assignment in existing} <= places
        for coder, order in first.orders.items():
            assert second.orders[coder][: len(order)] == order
    assert set(second.removed) == {(assignment.text, assignment.coder) for assignment in existing} - places
    assert set(second.new) == places - {(assignment.text, assignment.coder) for assignment in existing}
    assert set(first.calibration) == set(second.calibration)
    if parameters.design in (Design.K, Design.BLOCKS):
        everybody = len(coders) + new_coders
        for name, names in second.assignments.items():
            assert len(names) >= (everybody if name in second.calibration else parameters.k)


def test_new_coder_gets_new_texts_until_loads_are_equal():
    first = propose(texts_of([10] * 30), coders_of(3), PlanParameters(k=2))
    second = propose(texts_of([10] * 60), coders_of(4), PlanParameters(k=2), assignments_of(first))
    assert [load.texts for load in second.loads] == [30, 30, 30, 30]


def test_option_move_gives_unbegun_texts_to_new_coder():
    first = propose(texts_of([10] * 30), coders_of(3), PlanParameters(k=2))
    existing = assignments_of(first, lambda text, coder: text < "text-010")
    still = propose(texts_of([10] * 30), coders_of(4), PlanParameters(k=2, allow_unconnected=True), existing)
    assert still.loads[-1].texts == 0
    moved = propose(texts_of([10] * 30), coders_of(4), PlanParameters(k=2, move=True), existing)
    assert [load.texts for load in moved.loads] == [15, 15, 15, 15]


def test_former_coder_keeps_places_of_begun_texts():
    existing = [Assignment("text-000", "gone", begun=True), Assignment("text-001", "gone")]
    proposal = propose(texts_of([10] * 4), coders_of(3), PlanParameters(k=2), existing)
    assert sizes(proposal) == [1, 2, 2, 2]


def test_calibration_texts_are_random_and_stay_when_more_are_drawn():
    texts = texts_of([1] * 100)
    drawn = draw_texts(texts, 10, 7, "calibration")
    assert len(set(drawn)) == 10
    assert drawn != draw_texts(texts, 10, 8, "calibration")
    assert set(drawn) < set(draw_texts([*texts, *texts_of([1] * 150)[100:]], 20, 7, "calibration", drawn))
    counts = Counter(name for seed in range(400) for name in draw_texts(texts, 10, seed, "calibration"))
    assert len(counts) == 100
    assert max(counts.values()) < 80  # 40 are expected, with a standard deviation of 6


@pytest.mark.parametrize(
    ("n_texts", "n_coders", "parameters", "reason"),
    [
        (0, 3, {}, "no texts"),
        (3, 0, {}, "has no coders"),
        (3, 2, {"k": 3}, "k is 3, but 2 people code here"),
        (3, 1, {"k": 2}, "k is 2, but one person codes here"),
        (3, 2, {"k": 0}, "k is 0"),
        (3, 2, {"design": Design.SHARE, "share": 1.5}, "lies between 0 and 1"),
        (3, 2, {"calibration": 4}, "has 4 texts, but there are 3"),
        (3, 2, {"design": Design.BLOCKS, "blocks": 4}, "4 blocks cannot be made of 3 texts"),
        (9, 4, {"k": 1}, "coder-.. shares no text with the others: to connect 4 coders takes 3 shared places"),
        (4, 4, {"design": Design.BLOCKS, "blocks": 2}, "share no text with the others.*calibration set"),
        (30_000, 3, {}, "too large"),
    ],
)  # fmt: skip
def test_impossible_plan_is_refused_with_reason(n_texts, n_coders, parameters, reason):
    with pytest.raises(PlanRefused, match=reason):
        propose(texts_of([5] * n_texts), coders_of(n_coders), PlanParameters(**parameters))


@pytest.mark.parametrize(
    ("fields", "reason"),
    [({"weight": 0}, "The weight of coder-00 is 0"), ({"maximum": -1}, "The maximum of coder-00 is -1")],
)
def test_wrong_weights_and_maxima_are_refused(fields, reason):
    with pytest.raises(PlanRefused, match=reason):
        propose(texts_of([5] * 4), coders_of(2, **fields), PlanParameters())


def test_plan_names_coder_who_can_share_no_text():
    coders = [*coders_of(4), PlanCoder("zoe", maximum=1)]
    existing = [Assignment("text-000", "zoe", begun=True), Assignment("text-000", "gone", begun=True)]
    with pytest.raises(PlanRefused, match="zoe shares no text with the others"):
        propose(texts_of([5] * 40), coders, PlanParameters(k=2), existing)


@pytest.mark.slow
def test_planning_takes_linear_time():
    def plan(n):
        propose(texts_of([5 + i % 40 for i in range(n)]), coders_of(8), PlanParameters(k=2))

    assert_grows_with_input(plan, 1600)
