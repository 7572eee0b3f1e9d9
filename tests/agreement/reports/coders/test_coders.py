"""Pair matrix, confusion and profiles of coders."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations, permutations, product
from typing import Any

import pytest

from agreement.data.reading import read_answers
from agreement.measures import (
    alpha,
    b_cubed,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    interval,
    link_kappa,
    muc,
    multi_kappa,
    observed_agreement,
    score_interval,
)
from agreement.reports.basis import select_data
from agreement.reports.coders import coders
from agreement.reports.coders.profiles import compute_profiles
from agreement.reports.coreference import find_clusters
from agreement.reports.parameters import InvalidParameter, Parameters
from agreement.reports.request import resolve
from annotations.coding.status import submit_coding
from tests.shared.agreeing import WALK, answer, answer_indices, coded_project, coding_of, hand_in
from tests.shared.coding import judge
from tests.shared.letters import LETTERS, THREE, sorted_out, table_of

CODERS = ("alice", "bob", "carol")
PAIRS = list(combinations(CODERS, 2))
TEXTS = [(text, n) for text, given in THREE.items() for n in range(max(map(len, given.values())))]


def letter(text, n, coder):
    return THREE[text].get(coder, "")[n : n + 1].replace(".", "")


@pytest.fixture
def three(three):
    return read_answers(three)


@pytest.fixture
def pointed(project, codings, keys):
    """Judge for Alice one chain of a, c and d and two pointers from e, and for Bob two chains."""
    for coder, answers in {
        "alice": {"a": "", "c": "a", "d": "c", "e": "ab", "f": "3"},
        "bob": {"a": "", "b": "", "c": "b", "d": "a", "e": "d"},
    }.items():
        for label, targets in answers.items():
            category = "segment" if targets == "3" else "phrase" if targets else "none"
            judge(codings[coder], keys[label], category, *(keys[target] for target in targets))
    return read_answers(hand_in(project))


OF_TWO: list[tuple[str, Callable[..., Any]]] = [
    ("coefficient", measure) for measure in (alpha, fleiss_kappa, multi_kappa, gwet_ac1)
]
OF_TWO += [("cohen_kappa", cohen_kappa), ("observed_agreement", observed_agreement)]


@pytest.mark.parametrize("missing", ["available", "drop"])
@pytest.mark.parametrize(("measure", "coefficient"), OF_TWO)
def test_pair_measure_equals_library_on_two_coders(three, measure, coefficient, missing):
    name = coefficient.__name__ if measure == "coefficient" else "alpha"
    found = coders.compute_pair_matrix(three, Parameters(name, missing=missing), measure)
    options = {} if coefficient is alpha else {"missing": missing}
    for pair in PAIRS:
        expected = coefficient(table_of(THREE, pair), **options).value
        assert found.value(*pair) == found.value(*reversed(pair)) == pytest.approx(expected, abs=1e-12)
    assert found.value("alice", "alice") is None


def test_coders_without_common_text_have_no_value(db):
    answers = {"text-1": {"alice": "pgl", "bob": "pgg"}, "text-2": {"bob": "pgl", "carol": "pgg"}}
    found = coders.compute_pair_matrix(read_answers(sorted_out(answers)), Parameters())
    assert found.value("alice", "carol") is None
    assert found.against_rest("alice") == found.value("alice", "bob") is not None
    assert found.coders == CODERS


@pytest.mark.parametrize(("measure", "score"), [("muc", muc), ("b_cubed", b_cubed), ("link_kappa", link_kappa)])
@pytest.mark.parametrize("asked", [{}, {"chains": "none", "distance": "masi"}])
def test_scores_always_use_whole_chains(pointed, asked, measure, score):
    # Alice's e may be in the chains of a or of b, and counts in the first; b and c are a chain of Bob's alone
    alice, bob = ({"tea": [frozenset(chain) for chain in chains.split()]} for chains in ("acde f3", "ade bc"))
    expected = score(alice, bob)
    found = coders.compute_pair_matrix(pointed, Parameters(**asked), measure).value("alice", "bob")
    assert found == pytest.approx(expected.value if measure == "link_kappa" else expected.f1)
    if measure == "muc":  # recall 2 of 4 links, d and e on a; precision 2 of 3
        assert found == pytest.approx(4 / 7)


@pytest.mark.parametrize("measure", ["muc", "link_kappa", "ghost", ""])
def test_measure_unfit_for_scheme_is_wrong_parameter(three, measure):
    with pytest.raises(InvalidParameter) as wrong:
        coders.compute_pair_matrix(three, Parameters(), measure)
    assert wrong.value.field == "measure"


def test_matrix_puts_agreeing_coders_side_by_side(db):
    # two camps, dealt in turns
    answers = {"a": "ppppggggll", "b": "llggggpppp", "c": "ppppgggglp", "d": "llggggpppg", "e": "ppppggggpl"}
    found = coders.compute_pair_matrix(read_answers(sorted_out({"text-1": answers})), Parameters())
    assert sorted(found.coders) == list(answers)
    camps = "".join("1" if coder in "ace" else "2" for coder in found.coders)
    assert camps in {"11122", "22111"}


def test_profile_counts_judgements_chains_and_link_distances(pointed):
    alice, bob = compute_profiles(pointed, Parameters())
    assert (alice.coder, alice.n_judgements, bob.n_judgements) == ("alice", 5, 5)
    assert alice.categories == {"none": 1, "phrase": 3, "place": 0, "segment": 1}
    assert bob.categories == {"none": 2, "phrase": 3, "place": 0, "segment": 0}
    # units in text order: a b c d e f; a link to a turn goes back no number of units
    assert alice.link_distances == {1: 1, 2: 1, 3: 1, 4: 1}
    assert (bob.link_distances, bob.mean_link) == ({1: 2, 3: 1}, pytest.approx(5 / 3))
    assert (alice.n_ambiguous, bob.n_ambiguous) == (1, 0)
    assert (bob.chain_lengths, bob.mean_chain) == ({2: 1, 3: 1}, 2.5)


def test_profile_of_categories_has_no_chains_and_obeys_selection(three):
    alice, bob, carol = compute_profiles(three, Parameters(texts="text-1,text-3"))
    assert [profile.n_judgements for profile in (alice, bob, carol)] == [7, 6, 4]
    assert {name: bob.categories[name] for name in LETTERS.values()} == {"person": 2, "group": 3, "loc": 1}
    assert (alice.chain_lengths, alice.link_distances, alice.mean_chain, alice.mean_link) == ({}, {}, None, None)
    assert [profile.coder for profile in compute_profiles(three, Parameters(coders="bob"))] == ["bob"]


def test_chains_of_several_texts_are_counted_together(db):
    project = coded_project("tea", "passonneau-2004", WALK, f"{WALK} 2")
    for slug in ("text-1", "text-2"):
        answer_indices(coding_of(slug, "alice", text__project=project), "abcde", "1 1 2 0 1")
    alice, bob = compute_profiles(read_answers(hand_in(project)), Parameters())
    assert bob.n_judgements == 0
    # {a, b, e} and {c}, {d} in each
    assert alice.chain_lengths == {1: 4, 3: 2}
    assert alice.mean_chain == pytest.approx(10 / 6)


def test_confusion_has_first_coder_in_rows_or_both_orders(three):
    names = three.categories
    matrices = {pair: coders.confusion_matrix(three, Parameters(), pair) for pair in permutations(CODERS, 2)}
    for pair, found in matrices.items():
        judged = Counter((letter(*unit, pair[0]), letter(*unit, pair[1])) for unit in TEXTS)
        for (a, first), (b, second) in product(LETTERS.items(), repeat=2):
            assert found[names.index(first), names.index(second)] == judged[a, b]
    assert (coders.confusion_matrix(three, Parameters()) == sum(matrices.values())).all()


def test_units_are_counted_by_number_of_agreeing_coders(three):
    found = {(row.category, row.n_coders): row for row in coders.count_agreeing_coders(three, Parameters())}
    judged = [[value for value in (letter(*unit, coder) for coder in CODERS) if value] for unit in TEXTS]
    for n in (2, 3):
        rows = [row for row in judged if len(row) == n]
        assert rows
        for sign, name in LETTERS.items():
            assert found[name, n].units == tuple(sum(row.count(sign) == k for row in rows) for k in range(n + 1))
        most = [max(map(row.count, row)) for row in rows]
        assert found["", n].units == tuple(most.count(k) for k in range(n + 1))
    # written out: ppp pgl ggg; ggg ppg lpp
    assert (found["person", 3].units, found["state", 3].units) == ((2, 1, 2, 1), (6, 0, 0, 0))
    assert [found["person", 3].at_least(k) for k in (3, 2, 1)] == [1, 3, 4]
    assert found["", 3].at_least(2) == 5


def test_omitted_markable_is_miss_and_unassigned_text_is_not(db):
    project = coded_project("tea", "passonneau-2004", "[a](a) [b](b) [c](c)", "[d](d) [e](e)", "[f](f) [g](g) [h](h)")
    coding_of("text-2", "bob", text__project=project).delete()
    for slug, coder, units in (
        ("text-1", "alice", "abc"), ("text-1", "bob", "abc"), ("text-2", "alice", "de"),
        ("text-3", "alice", "fgh"), ("text-3", "bob", "fg"),
    ):  # fmt: skip
        answer_indices(coding_of(slug, coder, text__project=project), units, "1 1 1")
    extracted = read_answers(hand_in(project))
    alice, bob = {"text-1": ["abc"], "text-3": ["fgh"]}, {"text-1": ["abc"], "text-3": ["fg"]}
    for measure, score in coders.SCORES.items():
        found = coders.compute_pair_matrix(extracted, Parameters(), measure).value("alice", "bob")
        assert found == pytest.approx(score(alice, bob).f1), measure
    found = coders.compute_pair_matrix(extracted, Parameters(), "link_kappa").value("alice", "bob")
    assert found == pytest.approx(link_kappa(alice, bob).value)


@pytest.fixture
def four_texts(db):
    texts = [f"{WALK} {n}" for n in range(4)]
    return read_answers(answer(coded_project("tea", "poesio-artstein-2005", *texts, coders=CODERS)))


def test_pair_figures_have_intervals_of_library(four_texts):
    parameters = Parameters(distance="masi")
    found = {row.measure: row for row in coders.measure_pair(four_texts, parameters, "bob", "alice")}
    assert list(found) == list(coders.MEASURES)
    data = select_data(*resolve(four_texts, replace(parameters, coders="alice,bob")))
    expected = {"coefficient": interval(data, alpha, "masi"), "cohen_kappa": interval(data, cohen_kappa)}
    clusters = find_clusters(four_texts, four_texts.texts)
    for name, score in coders.SCORES.items():
        sides = clusters["alice"], clusters["bob"]
        of_score = score_interval(*sides, score).f1
        expected[name] = replace(of_score, note="; ".join(filter(None, [score(*sides).note, of_score.note])))
    for name, ends in expected.items():
        measured = found[name]
        assert (measured.value, measured.low, measured.high) == (ends.value, ends.low, ends.high), name
        assert measured.note == ends.note
    assert found["link_kappa"].note == coders.NO_INTERVAL_OF_LINKS


def test_pair_without_counted_coding_has_no_figures(project, codings, keys):
    for coding in codings.values():
        judge(coding, keys["a"], "none")
    submit_coding(codings["alice"], codings["alice"].coder)
    found = coders.measure_pair(read_answers(project), Parameters(), "alice", "bob")
    assert {(row.value, row.note) for row in found} == {(None, coders.NO_PAIR)}


def test_leave_one_out_interval_equals_library(four_texts):
    parameters = Parameters(distance="masi")
    found = coders.intervals_without_each_coder(four_texts, parameters)
    for left in CODERS:
        rest = ",".join(name for name in CODERS if name != left)
        data = select_data(*resolve(four_texts, replace(parameters, coders=rest)))
        expected = interval(data, alpha, "masi")
        assert (found[left].low, found[left].high) == (expected.low, expected.high)
