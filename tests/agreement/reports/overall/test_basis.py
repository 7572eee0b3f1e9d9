"""What every report rests on: sums that are kept, intervals, and the choice of data."""

from contextlib import suppress
from dataclasses import replace

import pytest

from agreement.data.reading import read_answers
from agreement.data.reliability import reliability_data
from agreement.measures import ReliabilityData, alpha, augmented_kappa, beta, cohen_kappa, interval
from agreement.reports import basis, overall
from agreement.reports.items import compute_items
from agreement.reports.parameters import COEFFICIENTS, InvalidParameter, Parameters
from agreement.reports.request import resolve, resolve_choices
from annotations.coding import operations
from annotations.coding.status import reopen_coding, submit_coding
from annotations.models import Coding, Markable
from annotations.planning.rounds import move_to_round
from tests.shared.agreeing import WALK, answer, coded_project, hand_in
from tests.shared.coding import change, judge

LETTERS = {"p": "person", "g": "group", "l": "loc"}
# by text and coder a letter for each markable; a point is no answer
THREE = {
    "text-1": {"alice": "ppgl", "bob": "pgg.", "carol": "plgl"},
    "text-2": {"alice": "gpl", "bob": "gpp", "carol": "ggp"},
    "text-3": {"alice": "lpp", "bob": "lpg", "carol": "..."},
}
# twelve markables of one text by alice, bob and carol
LONG = "ppgglplpgglp pgggplplgglg ppgglplpgglg"
CHAINED = [
    Parameters(distance="masi"),
    Parameters(distance="jaccard", exclude_unit="observed", empty="disjoint"),
    Parameters(distance="passonneau", exclude_unit="both", thirds="rounded"),
]


def sorted_out(answers, slug="tea", *, handed_in=True):
    """Make a project of sortal classes in which these coders have these texts, gave these answers, and submitted."""
    coders = tuple(dict.fromkeys(coder for given in answers.values() for coder in given))
    marked = [" ".join(f"[w{n}](m{n})" for n in range(max(map(len, given.values())))) for given in answers.values()]
    project = coded_project(slug, "sortal-classes", *marked, coders=coders)
    for (text, given), number in zip(answers.items(), range(len(answers)), strict=True):
        assert text == f"text-{number + 1}"
        Coding.objects.of_people().filter(text__project=project, text__slug=text).exclude(
            coder__username__in=given
        ).delete()
        for coder, letters in given.items():
            answer_with(project, text, coder, letters)
    return hand_in(project) if handed_in else project


def answer_with(project, text, coder, letters):
    """Let the coder give each markable of the text the category of its letter; what was submitted is so again."""
    coding = (
        Coding.objects.of_people()
        .select_related("coder")
        .get(text__project=project, text__slug=text, coder__username=coder)
    )
    handed_in = coding.status == Coding.Status.SUBMITTED
    if handed_in:
        reopen_coding(coding, coding.coder)
        coding.refresh_from_db()
    keys = coding.text.markables.order_by("start").values_list("key", flat=True)
    batch = [
        change(markable=key, category=LETTERS[letter], pointers=[])
        for key, letter in zip(keys, letters, strict=False)
        if letter != "."
    ]
    operations.apply(coding, coding.coder, coding.version, batch)
    if handed_in:
        submit_coding(coding, coding.coder)


def table_of(answers, coders=("alice", "bob", "carol")):
    """Return the same answers as the library takes them, without the database."""
    units, rows, documents = [], [], []
    for text, given in answers.items():
        for n in range(max(map(len, given.values()))):
            units.append((text, n))
            rows.append([LETTERS.get(given.get(coder, "")[n : n + 1]) for coder in coders])
            documents.append(text)
    return ReliabilityData.from_values(units, list(coders), rows, documents)


def chosen(found, coefficient="alpha", **asked):
    """Return what the parameters select of the extracted data, and the parameters as resolved for it."""
    return resolve(found, Parameters(coefficient, **asked))


def same(found, expected):
    """Assert that two results, or two intervals, are equal except for the last digits."""
    for name in ("value", "low", "high", "observed", "expected"):
        if hasattr(expected, name):
            assert getattr(found, name) == pytest.approx(getattr(expected, name), abs=1e-12), name
    for name in ("n_units", "n_coders", "n_judgements", "left_out", "method", "by", "n_groups", "level"):
        if hasattr(expected, name):
            assert getattr(found, name) == getattr(expected, name), name
    # reports call the documents of the library texts
    assert getattr(found, "note", "") == getattr(expected, "note", "").replace("document", "text")


@pytest.fixture
def three(db):
    return sorted_out(THREE)


def coders_for(name):
    """Return coders of whom there are enough for the coefficient, and not too many."""
    return ("alice", "bob") if COEFFICIENTS[name].for_two else ("alice", "bob", "carol")


def of_coders(answers, coders):
    return {text: {coder: given[coder] for coder in coders} for text, given in answers.items()}


@pytest.mark.parametrize("name", [name for name, one in COEFFICIENTS.items() if one.for_two])
def test_coefficient_of_two_coders_is_refused_for_three(three, name):
    with pytest.raises(InvalidParameter, match="is of two coders, and here are 3: choose two,"):
        chosen(read_answers(three), name)
    found = basis.compute_result(*chosen(read_answers(three), name, coders="alice,bob"))
    same(found, COEFFICIENTS[name].compute(table_of(of_coders(THREE, ("alice", "bob")), ("alice", "bob"))))


def test_coefficient_of_two_is_there_where_two_have_coded(three):
    Coding.objects.of_people().filter(text__slug="text-3", coder__username="carol").delete()
    extracted, parameters = chosen(read_answers(three), "cohen_kappa", texts="text-3")
    assert (extracted.coders, parameters.coders) == (("alice", "bob"), "alice,bob")
    data = table_of(of_coders({"text-3": THREE["text-3"]}, ("alice", "bob")), ("alice", "bob"))
    same(basis.compute_result(extracted, parameters), cohen_kappa(data))


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["beta", "weighted_kappa"])
@pytest.mark.parametrize("asked", CHAINED)
def test_beta_takes_the_distance_and_leaves_the_unit_in_its_sets(name, asked):
    found = read_answers(answer(coded_project("tea", "poesio-artstein-2005", WALK, f"{WALK} 2", f"{WALK} 3")))
    data = reliability_data(found, chains="full", top="category", unmarked=found.unmarked)
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
    rows = [["a", "a"], [frozenset("ab"), "a"], [frozenset("ab"), frozenset("bc")], [frozenset("abc"), "c"]]
    rows = [[value if isinstance(value, frozenset) else frozenset(value) for value in row] for row in rows]
    expected = augmented_kappa(ReliabilityData.from_values(range(4), ["alice", "bob"], rows, ["text"] * 4))
    found = basis.compute_result(*parameters)
    same(found, replace(expected, left_out={"coded by no coder": 2}))
    # by hand: agreements 1, 1/2, 1/4, 1/3
    assert expected.observed == pytest.approx((1 + 1 / 2 + 1 / 4 + 1 / 3) / 4)
    items = compute_items(*parameters)
    assert sorted(items.observed_of(...) * 4) == pytest.approx([0, 1 / 2, 2 / 3, 3 / 4])


@pytest.mark.parametrize("scheme", ["passonneau-2004", "pyramid"])
def test_augmented_kappa_of_indices_is_refused(scheme):
    with pytest.raises(InvalidParameter, match="it needs categories, or pointers"):
        resolve_choices(Parameters("augmented_kappa"), "indices", "words" if scheme == "pyramid" else "", "label")


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_interval_is_that_of_the_library_over_texts(three, name):
    options = {} if name == "alpha" else {"missing": "drop"}
    coders = coders_for(name)
    expected = interval(table_of(of_coders(THREE, coders), coders), COEFFICIENTS[name].compute, **options)
    found = basis.compute_interval(*chosen(read_answers(three), name, coders=",".join(coders), **options))
    same(found, expected)
    same(found.result, expected.result)
    # carol judged nothing of the third, so that dropping leaves two, which are too few
    enough = name == "alpha" or "carol" not in coders
    assert (found.by, found.n_groups) == ("document", 3 if enough else 2)
    assert (found.low is None) == bool(found.note) == (not enough)


@pytest.mark.parametrize("name", COEFFICIENTS)
@pytest.mark.parametrize(("letters", "n_groups"), [("ppgl pgg. plgl", 4), (LONG, 12)])
def test_one_chosen_text_has_its_interval_over_components(db, name, letters, n_groups):
    coders = coders_for(name)
    alone = {"text-1": dict(zip(coders, letters.split(), strict=False))}
    extracted = read_answers(sorted_out(alone | of_coders({"text-2": THREE["text-2"]}, coders)))
    found = basis.compute_interval(*chosen(extracted, name, texts="text-1"))
    same(found, interval(table_of(alone, coders), COEFFICIENTS[name].compute))
    # bob left the last of four to the others: of two coders three are left
    n_groups -= n_groups == 4 and "carol" not in coders
    assert (found.by, found.n_groups) == ("component", n_groups)
    assert (found.low is None) == bool(found.note) == (n_groups < 8)


def test_text_without_which_there_is_no_value_is_named_by_its_address(db):
    answers = {"text-1": {"alice": "pg", "bob": "pp"}} | {f"text-{n}": {"alice": "pp", "bob": "pp"} for n in (2, 3)}
    found = basis.compute_interval(*chosen(read_answers(sorted_out(answers))))
    assert found.note == "no interval: the coefficient is undefined without text 'text-1'"


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_where_one_text_of_several_has_answers_interval_is_not_of_no_width(db, name):
    answers = {"text-1": {"alice": "ppgglplp", "bob": "pgggplpl"}, "text-2": {"alice": "...", "bob": "..."}}
    found = basis.compute_interval(*chosen(read_answers(sorted_out(answers)), name))
    same(found, interval(table_of({"text-1": answers["text-1"]}, ("alice", "bob")), COEFFICIENTS[name].compute))
    assert (found.by, found.n_groups) == ("component", 8)
    assert found.low < found.value < found.high


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
    values = [[data.value(code) if code >= 0 else None for code in row] for row in data.codes.tolist()]
    assert values == [[expected.value(c) if c >= 0 else None for c in row] for row in expected.codes.tolist()]
    same(basis.compute_result(found, asked), alpha(expected))


@pytest.mark.parametrize("field", ["coders", "texts", "rounds", "without", "include"])
def test_name_that_is_not_there_is_a_wrong_parameter_of_its_field(three, field):
    with pytest.raises(InvalidParameter, match="'ghost'") as wrong:
        resolve(read_answers(three), Parameters(**{field: "ghost"}))
    assert wrong.value.field == field


def test_somebody_who_has_only_begun_cannot_be_chosen(db):
    project = sorted_out({"text-1": {"alice": "pp", "bob": "..", "carol": "pg"}})
    begun = Coding.objects.of_people().get(coder__username="bob")
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
    values = [[data.value(code) if code >= 0 else None for code in row] for row in data.codes.tolist()]
    of_unit = dict(zip((label[unit] for unit in data.units), values, strict=True))
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
