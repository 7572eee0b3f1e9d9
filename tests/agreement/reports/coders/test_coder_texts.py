"""How far each coder is from the others in each text, by hand."""

from itertools import combinations

import pytest
from django.http import QueryDict

from agreement.data.reading import read_answers
from agreement.reports.coders.profiles import compute_text_distances
from agreement.reports.parameters import Parameters
from agreement.results.coders import coders
from agreement.results.coders.coders import Coders
from tests.agreement.reports.overall.test_basis import THREE, sorted_out

pytestmark = pytest.mark.django_db
NAMES = ("alice", "bob", "carol")


def plain(given, coders=NAMES):
    """Return how often each coder, and all of them, differ from another on an item that both judged."""
    pairs = [
        (first, second, given[first][place] != given[second][place])
        for place in range(max(map(len, given.values())))
        for first, second in combinations(coders, 2)
        if "." not in (given[first][place], given[second][place])
    ]

    def mean(of_pairs):
        return pytest.approx(sum(differ for *_, differ in of_pairs) / len(of_pairs)) if of_pairs else None

    return tuple(mean([pair for pair in pairs if coder in pair[:2]]) for coder in coders), mean(pairs)


@pytest.mark.parametrize("asked", [{}, {"texts": "text-1,text-3"}, {"coders": "alice,carol"}])
def test_the_distances_are_those_of_the_pairs_in_the_text(asked):
    found = read_answers(sorted_out(THREE))
    compute_text_distances(found, Parameters())  # what is kept of texts
    coders = asked.get("coders", ",".join(NAMES)).split(",")
    texts = compute_text_distances(found, Parameters(**asked))
    assert [one.text.slug for one in texts] == asked.get("texts", ",".join(THREE)).split(",")
    for one in texts:
        assert (one.coders, one.mean) == plain(THREE[one.text.slug], coders)


def test_a_kappa_without_items_of_some_coders_has_those_that_all_judged():
    given = {"text-1": {"alice": "ppg", "bob": "pgg", "carol": "p.l"}}
    parameters = Parameters(coefficient="fleiss_kappa", missing="drop")
    [one] = compute_text_distances(read_answers(sorted_out(given)), parameters)
    assert (one.coders, one.mean) == plain({coder: letters[::2] for coder, letters in given["text-1"].items()})


def test_texts_with_most_disagreement_come_first_and_of_many_the_page_shows_some(monkeypatch):
    project = sorted_out(THREE)
    monkeypatch.setattr(coders, "MOST_TEXTS", 2)
    by_mean = sorted(compute_text_distances(read_answers(project), Parameters()), key=lambda one: -(one.mean or 0))

    def build(*, whole):
        sections = Coders().show(Coders().request(project, QueryDict(), "charlie", {}, whole_tables=whole))
        return (next(one for one in side if one.key == "by_text") for side in (sections.tables, sections.charts))

    table, chart = build(whole=False)
    assert [row[0].value for row in table.rows] == [one.text.title for one in by_mean[:2]]
    assert "The 2 of 3 texts with most" in table.note
    [trace] = chart.figure["data"]
    assert trace["z"] == [list(row[2:]) for row in table.rows]
    assert trace["meta"]["addresses"] == [row[0].address for row in table.rows]
    table, chart = build(whole=True)
    assert [row[0].value for row in table.rows] == [one.text.title for one in by_mean]
    assert len(chart.figure["data"][0]["z"]) == 2
    assert f"Most disagreement in {by_mean[0].text.title}, {by_mean[0].mean:.3f}" in chart.alternative
