"""The distances that coders have beside those of chance, of letters by hand and of chains by their means."""

from collections import Counter
from itertools import combinations, permutations

import pytest

from agreement.data.reading import read_answers
from agreement.reports.overall import compute_report
from agreement.reports.parameters import Parameters
from agreement.results.agreement import distribute_distances
from tests.agreement.reports.overall.test_basis import THREE, sorted_out
from tests.shared.agreeing import WALK, answer, coded_project

pytestmark = pytest.mark.django_db


def plain(answers, coders=("alice", "bob", "carol")):
    """Return the shares of different letters among pairs on an item, weighted by item, and among all pairs."""
    rows = [
        [given[coder][place] for coder in coders if given[coder][place : place + 1] not in ("", ".")]
        for given in answers.values()
        for place in range(max(map(len, given.values())))
    ]
    rows = [row for row in rows if len(row) > 1]
    weights: Counter[bool] = Counter()
    for row in rows:
        for a, b in combinations(row, 2):
            weights[a != b] += 2 / (len(row) - 1)
    pool = [letter for row in rows for letter in row]
    differ = [a != b for a, b in permutations(pool, 2)]
    return weights[True] / weights.total(), sum(differ) / len(differ)


@pytest.mark.parametrize("asked", [{}, {"texts": "text-2,text-3"}, {"coders": "alice,carol"}, {"rounds": ""}])
def test_letters_are_equal_or_not_by_the_definitions_whatever_is_selected(asked):
    project = sorted_out(THREE)
    distribute_distances(read_answers(project), Parameters())  # what is kept of texts
    chosen = {text: THREE[text] for text in asked.get("texts", ",".join(THREE)).split(",")}
    observed, expected = plain(chosen, asked.get("coders", "alice,bob,carol").split(","))
    equal, apart = distribute_distances(read_answers(project), Parameters(**asked))
    assert (equal.low, equal.high, apart.low, apart.high) == (0, 0, 1, 1)
    assert (apart.observed, apart.expected) == (pytest.approx(observed), pytest.approx(expected))
    assert (equal.observed, equal.expected) == (pytest.approx(1 - observed), pytest.approx(1 - expected))


@pytest.mark.parametrize("asked", [{}, {"exclude_unit": "both"}, {"exclude_unit": "observed", "thirds": "rounded"}])
def test_of_chains_the_means_are_what_alpha_observes_and_expects(asked):
    project = answer(coded_project("walk", "poesio-artstein-2005", WALK, WALK + ".", coders=("alice", "bob", "carol")))
    parameters = Parameters(distance="passonneau", chains="full", top="chain", **asked)
    bins = distribute_distances(read_answers(project), parameters)
    result = compute_report(read_answers(project), parameters).result
    assert len(bins) == 4
    assert sum(one.high * one.observed for one in bins) == pytest.approx(result.observed)
    assert sum(one.high * one.expected for one in bins) == pytest.approx(result.expected)


def test_a_kappa_has_the_nominal_distance_and_others_have_tenths():
    project = answer(coded_project("walk", "poesio-artstein-2005", WALK))
    kappa = distribute_distances(read_answers(project), Parameters(coefficient="fleiss_kappa", distance="masi"))
    assert [one.low for one in kappa] == [0, 1]
    masi = distribute_distances(read_answers(project), Parameters(distance="masi"))
    assert [(one.low, one.high) for one in masi[:3]] == [(0, 0), (0, 0.1), (0.1, 0.2)]
    for which in ("observed", "expected"):
        assert sum(getattr(one, which) for one in masi) == pytest.approx(1)


def test_where_no_two_coders_judged_an_item_there_is_nothing():
    assert distribute_distances(read_answers(sorted_out({"text-1": {"alice": "p.", "bob": ".g"}})), Parameters()) == []
