"""What every report rests on: sums that are kept, intervals, and the choice of data."""

from contextlib import suppress
from dataclasses import replace
from itertools import product

import pytest

from agreement.data.reading import read_answers
from agreement.data.reliability import reliability_data
from agreement.measures import ReliabilityData, alpha, augmented_kappa, beta, cohen_kappa, interval
from agreement.reports import basis, overall
from agreement.reports.items import compute_items
from agreement.reports.parameters import COEFFICIENTS, InvalidParameter, Parameters
from agreement.reports.request import resolve, resolve_choices
from annotations.coding.status import reopen_coding
from annotations.models import Coding, Markable
from annotations.planning.rounds import move_to_round
from tests.shared.agreeing import WALK, answer, coded_project, coding_of, hand_in
from tests.shared.coding import judge
from tests.shared.letters import LONG, THREE, same, sorted_out, table_of

TWO, ALL = ("alice", "bob"), ("alice", "bob", "carol")
CHAINED = [
    Parameters(distance="masi"),
    Parameters(distance="jaccard", exclude_unit="observed", empty="disjoint"),
    Parameters(distance="passonneau", exclude_unit="both", thirds="rounded"),
]


def chosen(found, coefficient="alpha", **asked):
    """Return what the parameters select of the extracted data, and the parameters as resolved for it."""
    return resolve(found, Parameters(coefficient, **asked))


def of_coders(answers, coders):
    return {text: {coder: given[coder] for coder in coders} for text, given in answers.items()}


@pytest.mark.parametrize("name", [name for name, one in COEFFICIENTS.items() if one.for_two])
def test_coefficient_of_two_coders_is_refused_for_three(three, name):
    with pytest.raises(InvalidParameter, match="is of two coders, and here are 3: choose two,"):
        chosen(read_answers(three), name)
    found = basis.compute_result(*chosen(read_answers(three), name, coders="alice,bob"))
    same(found, COEFFICIENTS[name].compute(table_of(of_coders(THREE, TWO), TWO)))


def test_coefficient_of_two_is_there_where_two_have_coded(three):
    Coding.objects.of_people().filter(text__slug="text-3", coder__username="carol").delete()
    extracted, parameters = chosen(read_answers(three), "cohen_kappa", texts="text-3")
    assert (extracted.coders, parameters.coders) == (TWO, "alice,bob")
    same(basis.compute_result(extracted, parameters), cohen_kappa(table_of({"text-3": THREE["text-3"]}, TWO)))


def test_beta_takes_the_distance_and_leaves_the_unit_in_its_sets(db):
    found = read_answers(answer(coded_project("tea", "poesio-artstein-2005", WALK, f"{WALK} 2", f"{WALK} 3")))
    data = reliability_data(found, chains="full", top="category", unmarked=found.unmarked)
    for name, asked in product(("beta", "weighted_kappa"), CHAINED):
        options = {"distance": asked.distance, "empty": asked.empty, "thirds": asked.thirds}
        parameters = replace(asked, coefficient=name)
        same(basis.compute_interval(*resolve(found, parameters)), interval(data, beta, **options))
        observed = compute_items(found, parameters).observed_of(...).sum()
        assert observed == pytest.approx(beta(data, **options).observed)


def test_augmented_kappa_is_of_antecedents_where_no_chain_is_made(project, codings, keys):
    for label, alice, bob in (("b", "a", "a"), ("c", "ab", "a"), ("d", "ab", "bc"), ("e", "abc", "c")):
        judge(codings["alice"], keys[label], "phrase", *(keys[one] for one in alice))
        judge(codings["bob"], keys[label], "phrase", *(keys[one] for one in bob))
    found = read_answers(hand_in(project))
    with pytest.raises(InvalidParameter, match="chains=none"):
        chosen(found, "augmented_kappa")
    parameters = chosen(found, "augmented_kappa", chains="none")
    rows = [[frozenset(value) for value in row] for row in (("a", "a"), ("ab", "a"), ("ab", "bc"), ("abc", "c"))]
    expected = augmented_kappa(ReliabilityData.from_values(range(4), TWO, rows, ["text"] * 4))
    same(basis.compute_result(*parameters), replace(expected, left_out={"coded by no coder": 2}))
    # by hand: agreements 1, 1/2, 1/4, 1/3
    assert expected.observed == pytest.approx((1 + 1 / 2 + 1 / 4 + 1 / 3) / 4)
    items = compute_items(*parameters)
    assert sorted(items.observed_of(...) * 4) == pytest.approx([0, 1 / 2, 2 / 3, 3 / 4])


@pytest.mark.parametrize("scheme", ["passonneau-2004", "pyramid"])
def test_augmented_kappa_of_indices_is_refused(scheme):
    with pytest.raises(InvalidParameter, match="it needs categories, or pointers"):
        resolve_choices(Parameters("augmented_kappa"), "indices", "words" if scheme == "pyramid" else "", "label")


def values_of(data):
    return [[data.value(code) if code >= 0 else None for code in row] for row in data.codes.tolist()]


def coefficients_of(coders):
    """Return the coefficients that are compared for so many coders: those of two for two alone."""
    return [name for name, coefficient in COEFFICIENTS.items() if coefficient.for_two == (coders == TWO)]


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_interval_is_that_of_the_library_over_texts(three, name):
    options = {} if name == "alpha" else {"missing": "drop"}
    coders = TWO if COEFFICIENTS[name].for_two else ALL
    expected = interval(table_of(of_coders(THREE, coders), coders), COEFFICIENTS[name].compute, **options)
    found = basis.compute_interval(*chosen(read_answers(three), name, coders=",".join(coders), **options))
    same(found, expected)
    same(found.result, expected.result)
    # carol judged nothing of the third, so that dropping leaves two, which are too few
    enough = name == "alpha" or "carol" not in coders
    assert (found.by, found.n_groups) == ("document", 3 if enough else 2)
    assert (found.low is None) == bool(found.note) == (not enough)


@pytest.mark.parametrize("coders", [TWO, ALL])
@pytest.mark.parametrize(("letters", "n_groups"), [("ppgl pgg. plgl", 4), (LONG, 12)])
def test_one_chosen_text_has_its_interval_over_components(db, coders, letters, n_groups):
    alone = {"text-1": dict(zip(coders, letters.split(), strict=False))}
    extracted = read_answers(sorted_out(alone | of_coders({"text-2": THREE["text-2"]}, coders)))
    # bob left the last of four to the others: of two coders three are left
    n_groups -= n_groups == 4 and coders == TWO
    for name in coefficients_of(coders):
        found = basis.compute_interval(*chosen(extracted, name, texts="text-1"))
        same(found, interval(table_of(alone, coders), COEFFICIENTS[name].compute))
        assert (found.by, found.n_groups) == ("component", n_groups), name
        assert (found.low is None) == bool(found.note) == (n_groups < 8), name


def test_text_without_which_there_is_no_value_is_named_by_its_address(db):
    answers = {"text-1": {"alice": "pg", "bob": "pp"}} | {f"text-{n}": {"alice": "pp", "bob": "pp"} for n in (2, 3)}
    found = basis.compute_interval(*chosen(read_answers(sorted_out(answers))))
    assert found.note == "no interval: the coefficient is undefined without text 'text-1'"


def test_one_answered_text_of_several_has_an_interval_with_width(db):
    answers = {"text-1": {"alice": "ppgglplp", "bob": "pgggplpl"}, "text-2": {"alice": "...", "bob": "..."}}
    extracted = read_answers(sorted_out(answers))
    for name, coefficient in COEFFICIENTS.items():
        found = basis.compute_interval(*chosen(extracted, name))
        same(found, interval(table_of({"text-1": answers["text-1"]}, TWO), coefficient.compute))
        assert (found.by, found.n_groups) == ("component", 8), name
        assert found.low < found.value < found.high, name


@pytest.mark.parametrize(
    ("selection", "texts", "coders"),
    [
        ({}, ["text-1", "text-2", "text-3"], ["alice", "bob", "carol"]),
        ({"coders": "carol,alice"}, ["text-1", "text-2", "text-3"], ["alice", "carol"]),
        ({"texts": "text-3, text-1"}, ["text-1", "text-3"], ["alice", "bob", "carol"]),
        ({"rounds": "pilot"}, ["text-1", "text-2"], ["alice", "bob", "carol"]),
        ({"rounds": "pilot,main", "texts": "text-2", "coders": "bob"}, ["text-2"], ["bob"]),
    ],
)
def test_selection_chooses_what_it_names(three, selection, texts, coders):
    move_to_round(three, three.texts.filter(slug__in=["text-1", "text-2"]), "pilot")
    move_to_round(three, three.texts.filter(slug="text-3"), "main")
    found, asked = chosen(read_answers(three), **selection)
    data = basis.select_data(found, asked)
    assert list(data.coders) == coders
    assert [text.slug for text in basis.pick_texts(found, asked)] == texts
    expected = table_of({text: THREE[text] for text in texts}, coders)
    assert values_of(data) == values_of(expected)
    same(basis.compute_result(found, asked), alpha(expected))


@pytest.mark.parametrize("field", ["coders", "texts", "rounds", "without", "include"])
def test_name_that_is_not_there_is_a_wrong_parameter_of_its_field(three, field):
    with pytest.raises(InvalidParameter, match="'ghost'") as wrong:
        resolve(read_answers(three), Parameters(**{field: "ghost"}))
    assert wrong.value.field == field


def test_somebody_who_has_only_begun_cannot_be_chosen(db):
    project = sorted_out({"text-1": {"alice": "pp", "bob": "..", "carol": "pg"}})
    begun = coding_of("text-1", "bob", text__project=project)
    reopen_coding(begun, begun.coder)
    found, parameters = resolve(read_answers(project), Parameters(coders="carol"))
    assert (found.coders, parameters.coders) == (("carol",), "carol")
    with pytest.raises(InvalidParameter) as wrong:
        resolve(read_answers(project), Parameters(coders="bob"))
    assert wrong.value.field == "coders"


def test_units_that_more_than_half_give_a_category_are_left_out(three):
    # text-1: p 3 of 3, then p g l, g 3 of 3, l 2 of 2; text-2: g 3 of 3, p 2 of 3, p 2 of 3; text-3: l, p, then 1 of 2
    found = read_answers(three)
    without = {"text-1": [1, 2, 3], "text-2": [0], "text-3": [0, 2]}
    rest = {
        text: {coder: "".join(letters[n] for n in without[text]) for coder, letters in given.items()}
        for text, given in THREE.items()
    }
    for name, coefficient in COEFFICIENTS.items():
        if not coefficient.for_two:
            same(basis.compute_result(*chosen(found, name, without="person")), coefficient.compute(table_of(rest)))
    assert len(basis.select_categories(*chosen(found, without="person")).units) == 6
    same(basis.compute_interval(*chosen(found, without="person")), interval(table_of(rest), alpha))


def test_two_categories_that_make_half_only_together_leave_the_unit_in(three):
    found = read_answers(three)
    units = basis.select_data(*chosen(found, without="person,group")).units
    # p g l: 2 of 3 give one of the two, but no two the same; 1 of 2 p and 1 of 2 g
    assert len(units) == 4


def test_unit_that_is_left_out_stays_in_the_chains_of_others(project, codings, keys):
    for coding in codings.values():
        judge(coding, keys["a"], "none")
        judge(coding, keys["c"], "phrase", keys["a"])
    judge(codings["alice"], keys["d"], "phrase", keys["a"])
    judge(codings["bob"], keys["d"], "none")
    label = dict(Markable.objects.values_list("pk", "label"))
    data = basis.select_data(*chosen(read_answers(hand_in(project)), without="none"))
    of_unit = dict(zip((label[unit] for unit in data.units), values_of(data), strict=True))
    assert set(of_unit) == {"b", "c", "d", "e", "f"}
    assert [{label[one] for one in value} for value in of_unit["c"]] == [{"a", "c", "d"}, {"a", "c"}]
    assert of_unit["d"][1] == "none"


def test_without_texts_everything_is_there_but_the_value(db):
    extracted = read_answers(coded_project("tea", "sortal-classes"))
    for name in COEFFICIENTS:
        found = basis.compute_interval(*chosen(extracted, name))
        assert (found.value, found.low, found.high) == (None, None, None)
        assert found.result.note


@pytest.mark.parametrize("distance", ["masi", "jaccard"])
def test_distance_of_sets_between_categories_is_no_error(three, distance):
    with suppress(InvalidParameter):
        value = overall.compute_report(read_answers(three), Parameters(distance=distance)).result.value
        assert value == pytest.approx(alpha(table_of(THREE)).value)
