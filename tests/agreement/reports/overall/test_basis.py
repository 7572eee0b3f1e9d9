"""Results, intervals and selection of data, which every report uses."""

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


def resolved(found, coefficient="alpha", **asked):
    """Return the selected answers and the resolved parameters."""
    return resolve(found, Parameters(coefficient, **asked))


def of_coders(answers, coders):
    return {text: {coder: given[coder] for coder in coders} for text, given in answers.items()}


@pytest.mark.parametrize("name", [name for name, coefficient in COEFFICIENTS.items() if coefficient.for_two])
def test_coefficient_of_two_coders_refuses_three(three, name):
    with pytest.raises(InvalidParameter, match="is of two coders, and here are 3: choose two,"):
        resolved(read_answers(three), name)
    found = basis.compute_result(*resolved(read_answers(three), name, coders="alice,bob"))
    same(found, COEFFICIENTS[name].compute(table_of(of_coders(THREE, TWO), TWO)))


def test_coefficient_of_two_accepts_texts_of_two_coders(three):
    Coding.objects.of_people().filter(text__slug="text-3", coder__username="carol").delete()
    extracted, parameters = resolved(read_answers(three), "cohen_kappa", texts="text-3")
    assert (extracted.coders, parameters.coders) == (TWO, "alice,bob")
    same(basis.compute_result(extracted, parameters), cohen_kappa(table_of({"text-3": THREE["text-3"]}, TWO)))


def test_beta_uses_distance_and_ignores_exclude_unit(db):
    found = read_answers(answer(coded_project("tea", "poesio-artstein-2005", WALK, f"{WALK} 2", f"{WALK} 3")))
    data = reliability_data(found, chains="full", top="category", unmarked=found.unmarked)
    for name, asked in product(("beta", "weighted_kappa"), CHAINED):
        options = {"distance": asked.distance, "empty": asked.empty, "thirds": asked.thirds}
        parameters = replace(asked, coefficient=name)
        same(basis.compute_interval(*resolve(found, parameters)), interval(data, beta, **options))
        observed = compute_items(found, parameters).observed_of(...).sum()
        assert observed == pytest.approx(beta(data, **options).observed)


def test_augmented_kappa_compares_antecedents_without_chains(project, codings, keys):
    for label, alice, bob in (("b", "a", "a"), ("c", "ab", "a"), ("d", "ab", "bc"), ("e", "abc", "c")):
        judge(codings["alice"], keys[label], "phrase", *(keys[target] for target in alice))
        judge(codings["bob"], keys[label], "phrase", *(keys[target] for target in bob))
    found = read_answers(hand_in(project))
    with pytest.raises(InvalidParameter, match="chains=none"):
        resolved(found, "augmented_kappa")
    parameters = resolved(found, "augmented_kappa", chains="none")
    rows = [[frozenset(value) for value in row] for row in (("a", "a"), ("ab", "a"), ("ab", "bc"), ("abc", "c"))]
    expected = augmented_kappa(ReliabilityData.from_values(range(4), TWO, rows, ["text"] * 4))
    same(basis.compute_result(*parameters), replace(expected, left_out={"coded by no coder": 2}))
    # by hand: agreements 1, 1/2, 1/4, 1/3
    assert expected.observed == pytest.approx((1 + 1 / 2 + 1 / 4 + 1 / 3) / 4)
    items = compute_items(*parameters)
    assert sorted(items.observed_of(...) * 4) == pytest.approx([0, 1 / 2, 2 / 3, 3 / 4])


@pytest.mark.parametrize("scheme", ["passonneau-2004", "pyramid"])
def test_augmented_kappa_refuses_indices(scheme):
    with pytest.raises(InvalidParameter, match="it needs categories, or pointers"):
        resolve_choices(Parameters("augmented_kappa"), "indices", "words" if scheme == "pyramid" else "", "label")


def values_of(data):
    return [[data.value(code) if code >= 0 else None for code in row] for row in data.codes.tolist()]


def coefficients_of(coders):
    """Return the coefficients for two coders, or those for more."""
    return [name for name, coefficient in COEFFICIENTS.items() if coefficient.for_two == (coders == TWO)]


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_interval_over_texts_equals_library(three, name):
    options = {} if name == "alpha" else {"missing": "drop"}
    coders = TWO if COEFFICIENTS[name].for_two else ALL
    expected = interval(table_of(of_coders(THREE, coders), coders), COEFFICIENTS[name].compute, **options)
    found = basis.compute_interval(*resolved(read_answers(three), name, coders=",".join(coders), **options))
    same(found, expected)
    same(found.result, expected.result)
    # carol judged nothing of the third, so that dropping leaves two, which are too few
    enough = name == "alpha" or "carol" not in coders
    assert (found.by, found.n_groups) == ("document", 3 if enough else 2)
    assert (found.low is None) == bool(found.note) == (not enough)


@pytest.mark.parametrize("coders", [TWO, ALL])
@pytest.mark.parametrize(("letters", "n_groups"), [("ppgl pgg. plgl", 4), (LONG, 12)])
def test_interval_of_single_text_is_over_components(db, coders, letters, n_groups):
    alone = {"text-1": dict(zip(coders, letters.split(), strict=False))}
    extracted = read_answers(sorted_out(alone | of_coders({"text-2": THREE["text-2"]}, coders)))
    # bob left the last of four to the others: of two coders three are left
    n_groups -= n_groups == 4 and coders == TWO
    for name in coefficients_of(coders):
        found = basis.compute_interval(*resolved(extracted, name, texts="text-1"))
        same(found, interval(table_of(alone, coders), COEFFICIENTS[name].compute))
        assert (found.by, found.n_groups) == ("component", n_groups), name
        assert (found.low is None) == bool(found.note) == (n_groups < 8), name


def test_note_names_text_without_which_value_is_undefined(db):
    answers = {"text-1": {"alice": "pg", "bob": "pp"}} | {f"text-{n}": {"alice": "pp", "bob": "pp"} for n in (2, 3)}
    found = basis.compute_interval(*resolved(read_answers(sorted_out(answers))))
    assert found.note == "no interval: the coefficient is undefined without text 'text-1'"


def test_single_answered_text_has_interval_over_components(db):
    answers = {"text-1": {"alice": "ppgglplp", "bob": "pgggplpl"}, "text-2": {"alice": "...", "bob": "..."}}
    extracted = read_answers(sorted_out(answers))
    for name, coefficient in COEFFICIENTS.items():
        found = basis.compute_interval(*resolved(extracted, name))
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
def test_selection_limits_texts_and_coders(three, selection, texts, coders):
    move_to_round(three, three.texts.filter(slug__in=["text-1", "text-2"]), "pilot")
    move_to_round(three, three.texts.filter(slug="text-3"), "main")
    found, asked = resolved(read_answers(three), **selection)
    data = basis.select_data(found, asked)
    assert list(data.coders) == coders
    assert [text.slug for text in basis.pick_texts(found, asked)] == texts
    expected = table_of({text: THREE[text] for text in texts}, coders)
    assert values_of(data) == values_of(expected)
    same(basis.compute_result(found, asked), alpha(expected))


@pytest.mark.parametrize("field", ["coders", "texts", "rounds", "without", "include"])
def test_error_names_field_of_unknown_name(three, field):
    with pytest.raises(InvalidParameter, match="'ghost'") as wrong:
        resolve(read_answers(three), Parameters(**{field: "ghost"}))
    assert wrong.value.field == field


def test_coder_without_submission_cannot_be_selected(db):
    project = sorted_out({"text-1": {"alice": "pp", "bob": "..", "carol": "pg"}})
    begun = coding_of("text-1", "bob", text__project=project)
    reopen_coding(begun, begun.coder)
    found, parameters = resolve(read_answers(project), Parameters(coders="carol"))
    assert (found.coders, parameters.coders) == (("carol",), "carol")
    with pytest.raises(InvalidParameter) as wrong:
        resolve(read_answers(project), Parameters(coders="bob"))
    assert wrong.value.field == "coders"


def test_units_with_majority_for_excluded_category_are_left_out(three):
    # text-1: p 3 of 3, then p g l, g 3 of 3, l 2 of 2; text-2: g 3 of 3, p 2 of 3, p 2 of 3; text-3: l, p, then 1 of 2
    found = read_answers(three)
    without = {"text-1": [1, 2, 3], "text-2": [0], "text-3": [0, 2]}
    rest = {
        text: {coder: "".join(letters[n] for n in without[text]) for coder, letters in given.items()}
        for text, given in THREE.items()
    }
    for name, coefficient in COEFFICIENTS.items():
        if not coefficient.for_two:
            same(basis.compute_result(*resolved(found, name, without="person")), coefficient.compute(table_of(rest)))
    assert len(basis.select_categories(*resolved(found, without="person")).units) == 6
    same(basis.compute_interval(*resolved(found, without="person")), interval(table_of(rest), alpha))


def test_majority_is_counted_for_each_excluded_category(three):
    found = read_answers(three)
    units = basis.select_data(*resolved(found, without="person,group")).units
    # p g l: 2 of 3 give one of the two, but no two the same; 1 of 2 p and 1 of 2 g
    assert len(units) == 4


def test_omitted_unit_stays_in_chains_of_others(project, codings, keys):
    for coding in codings.values():
        judge(coding, keys["a"], "none")
        judge(coding, keys["c"], "phrase", keys["a"])
    judge(codings["alice"], keys["d"], "phrase", keys["a"])
    judge(codings["bob"], keys["d"], "none")
    label = dict(Markable.objects.values_list("pk", "label"))
    data = basis.select_data(*resolved(read_answers(hand_in(project)), without="none"))
    of_unit = dict(zip((label[unit] for unit in data.units), values_of(data), strict=True))
    assert set(of_unit) == {"b", "c", "d", "e", "f"}
    assert [{label[unit] for unit in value} for value in of_unit["c"]] == [{"a", "c", "d"}, {"a", "c"}]
    assert of_unit["d"][1] == "none"


def test_project_without_texts_has_note_instead_of_value(db):
    extracted = read_answers(coded_project("tea", "sortal-classes"))
    for name in COEFFICIENTS:
        found = basis.compute_interval(*resolved(extracted, name))
        assert (found.value, found.low, found.high) == (None, None, None)
        assert found.result.note


@pytest.mark.parametrize("distance", ["masi", "jaccard"])
def test_set_distance_of_categories_is_refused(three, distance):
    with pytest.raises(InvalidParameter, match="a category has no parts"):
        overall.compute_report(read_answers(three), Parameters(distance=distance))
