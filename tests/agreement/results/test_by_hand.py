"""Tables and charts of confusion, positions and distances, against counts by hand."""

from collections import Counter
from itertools import combinations, permutations

import pytest
from django.http import QueryDict

from agreement.data.reading import read_answers
from agreement.reports.coders.profiles import compute_text_distances
from agreement.reports.overall import compute_report
from agreement.reports.parameters import Parameters
from agreement.results.agreement import Texts, distribute_distances
from agreement.results.categories import Categories
from agreement.results.coders import coders
from agreement.results.coders.coders import Coders
from agreement.results.coders.pair import Pair
from agreement.results.figures import sections as positions
from agreement.results.items.items import ItemsPage
from annotations.models import User
from annotations.projects.viewing import results_for
from tests.shared.agreeing import WALK, answer, coded_project
from tests.shared.letters import LETTERS, THREE, sorted_out

pytestmark = pytest.mark.django_db
PERSON, GROUP = LETTERS["p"], LETTERS["g"]


@pytest.fixture
def project():
    return sorted_out({"text-1": {"alice": "pgglp", "bob": "ppglg"}})


def parts(page, project, query, key, *, whole=False, **address):
    """Return the table and the chart of this key on a page, or None."""
    seen = results_for(User.objects.get(username="charlie"), project.slug)
    sections = page.show(page.request(seen, QueryDict(query), "charlie", address, whole_tables=whole))
    return [next((part for part in side if part.key == key), None) for side in (sections.tables, sections.charts)]


def confusion(page, project, **address):
    return parts(page, project, "", "confusion", **address)


def test_confusion_of_all_coders_counts_pairs_in_both_orders(project):
    table, chart = confusion(Categories(), project)
    counts = {
        row[0]: dict(zip([column.name for column in table.columns[1:]], row[1:], strict=True)) for row in table.rows
    }
    assert (counts[PERSON][PERSON], counts[PERSON][GROUP], counts[GROUP][PERSON]) == (2, 2, 2)
    assert chart.figure["data"][0]["z"] == [list(row[1:]) for row in table.rows]
    assert chart.alternative.startswith("The same category in 6 of 10. Different ones most often: ")
    assert chart.alternative.endswith(" 2.")
    assert chart.title == "Category confusion, pairs of judgements"


def test_confusion_of_pair_has_first_coder_in_rows(project):
    table, chart = confusion(Pair(), project, first="alice", second="bob")
    assert sum(sum(row[1:]) for row in table.rows) == 5
    assert chart.alternative.startswith("The same category in 3 of 5. Different ones most often: ")
    assert [chart.figure["layout"][axis]["title"]["text"] for axis in ("yaxis", "xaxis")] == ["alice", "bob"]


def places_by_hand(given):
    """Return the share of differing pairs of coders for each markable of two or more."""
    rows = [
        [letters[place] for letters in given.values() if letters[place] != "."]
        for place in range(max(map(len, given.values())))
    ]
    pairs = [list(combinations(row, 2)) for row in rows if len(row) > 1]
    return [sum(a != b for a, b in of_item) / len(of_item) for of_item in pairs]


@pytest.mark.parametrize(
    "query", ["text=text-1", "texts=text-1", "text=text-1&coefficient=fleiss_kappa&missing=available"]
)
def test_positions_show_disagreement_of_each_item(three, query):
    table, chart = parts(ItemsPage(), three, query, "positions")
    expected = places_by_hand(THREE["text-1"])
    assert [row[0] for row in table.rows] == [str(place) for place in range(1, len(expected) + 1)]
    assert [row[3] for row in table.rows] == [row[4] for row in table.rows] == pytest.approx(expected)
    [trace] = chart.figure["data"]
    assert (trace["x"], trace["y"]) == ([1, 2, 3, 4], pytest.approx(expected))
    assert trace["meta"]["addresses"] == [row[1].address for row in table.rows]
    assert all("/agreement/items/text-1/" in row[1].address for row in table.rows)
    most = expected.index(max(expected))
    assert chart.alternative == f"4 items; most at {most + 1}, “w{most}”, {max(expected):.3f}."


def test_bar_of_long_text_joins_items_and_links_to_worst(monkeypatch):
    monkeypatch.setattr(positions, "MAX_STEPS", 3)
    letters = {"alice": "pppppppp", "bob": "ppppgppg"}
    table, chart = parts(ItemsPage(), sorted_out({"text-1": letters}), "", "positions")
    assert [tuple(row[:1]) + tuple(row[2:]) for row in table.rows] == [
        ("1 to 3", 3, 0.0, 0.0),
        ("4 to 6", 3, pytest.approx(1 / 3), 1.0),
        ("7 to 8", 2, 0.5, 1.0),
    ]
    assert [row[1].value for row in table.rows][1:] == ["w4", "w7"]
    assert chart.figure["data"][0]["width"] == [3, 3, 2]


def test_positions_obey_filters_and_need_one_text(three):
    table, _ = parts(ItemsPage(), three, f"text=text-1&category={LETTERS['l']}", "positions")
    shown = [place for place in range(4) if any(letters[place] == "l" for letters in THREE["text-1"].values())]
    assert [row[0] for row in table.rows] == [str(place + 1) for place in shown]
    assert parts(ItemsPage(), three, "", "positions") == [None, None]


def test_tenths_have_mean_disagreement_of_each_text():
    letters = {"alice": "p" * 20, "bob": "p" * 15 + "g" * 5}
    project = sorted_out({"text-1": letters, "text-2": {"alice": "pp", "bob": "pg"}})
    table, chart = parts(Texts(), project, "", "tenths")
    assert [list(row[1:]) for row in table.rows] == [
        [0, 0, 0, 0, 0, 0, 0, 0.5, 1, 1],
        [0, None, None, None, None, 1, None, None, None, None],
    ]
    [trace] = chart.figure["data"]
    assert trace["z"] == [list(row[1:]) for row in table.rows]
    assert trace["meta"]["addresses"] == [[row[0].address] * 10 for row in table.rows]
    assert chart.alternative.startswith("Most in tenth ")


def test_charts_are_absent_without_common_items():
    project = sorted_out({"text-1": {"alice": "p.", "bob": ".g"}})
    assert confusion(Categories(), project)[1] is None
    assert parts(ItemsPage(), project, "", "positions") == [None, None]
    assert parts(Texts(), project, "", "tenths") == [None, None]
    assert distribute_distances(read_answers(project), Parameters()) == []


NAMES = ("alice", "bob", "carol")


def distances_by_hand(given, coders=NAMES):
    """Return the share of differing pairs of each coder and of all coders."""
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
def test_text_distances_equal_hand_count(three, asked):
    found = read_answers(three)
    compute_text_distances(found, Parameters())  # what is kept of texts
    coders = asked.get("coders", ",".join(NAMES)).split(",")
    texts = compute_text_distances(found, Parameters(**asked))
    assert [row.text.slug for row in texts] == asked.get("texts", ",".join(THREE)).split(",")
    for row in texts:
        assert (row.coders, row.mean) == distances_by_hand(THREE[row.text.slug], coders)


def test_kappa_with_drop_uses_items_of_all_coders():
    given = {"text-1": {"alice": "ppg", "bob": "pgg", "carol": "p.l"}}
    parameters = Parameters(coefficient="fleiss_kappa", missing="drop")
    [row] = compute_text_distances(read_answers(sorted_out(given)), parameters)
    assert (row.coders, row.mean) == distances_by_hand(
        {coder: letters[::2] for coder, letters in given["text-1"].items()}
    )


def test_texts_are_sorted_by_disagreement(three, monkeypatch):
    monkeypatch.setattr(coders, "MAX_TEXTS", 2)
    by_mean = sorted(compute_text_distances(read_answers(three), Parameters()), key=lambda text: -(text.mean or 0))
    table, chart = parts(Coders(), three, "", "by_text")
    assert [row[0].value for row in table.rows] == [text.text.title for text in by_mean[:2]]
    assert "The 2 of 3 texts with most" in table.note
    [trace] = chart.figure["data"]
    assert trace["z"] == [list(row[2:]) for row in table.rows]
    assert trace["meta"]["addresses"] == [row[0].address for row in table.rows]
    table, chart = parts(Coders(), three, "", "by_text", whole=True)
    assert [row[0].value for row in table.rows] == [text.text.title for text in by_mean]
    assert len(chart.figure["data"][0]["z"]) == 2
    assert f"Most disagreement in {by_mean[0].text.title}, {by_mean[0].mean:.3f}" in chart.alternative


def shares_by_hand(answers, coders=("alice", "bob", "carol")):
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
def test_nominal_distribution_equals_definition(three, asked):
    distribute_distances(read_answers(three), Parameters())  # what is kept of texts
    chosen = {text: THREE[text] for text in asked.get("texts", ",".join(THREE)).split(",")}
    observed, expected = shares_by_hand(chosen, asked.get("coders", "alice,bob,carol").split(","))
    equal, apart = distribute_distances(read_answers(three), Parameters(**asked))
    assert (equal.low, equal.high, apart.low, apart.high) == (0, 0, 1, 1)
    assert (apart.observed, apart.expected) == (pytest.approx(observed), pytest.approx(expected))
    assert (equal.observed, equal.expected) == (pytest.approx(1 - observed), pytest.approx(1 - expected))


@pytest.mark.parametrize("asked", [{}, {"exclude_unit": "both"}, {"exclude_unit": "observed", "thirds": "rounded"}])
def test_distribution_means_equal_observed_and_expected(asked):
    project = answer(coded_project("walk", "poesio-artstein-2005", WALK, WALK + ".", coders=("alice", "bob", "carol")))
    parameters = Parameters(distance="passonneau", chains="full", top="chain", **asked)
    bins = distribute_distances(read_answers(project), parameters)
    result = compute_report(read_answers(project), parameters).result
    assert len(bins) == 4
    assert sum(bar.high * bar.observed for bar in bins) == pytest.approx(result.observed)
    assert sum(bar.high * bar.expected for bar in bins) == pytest.approx(result.expected)


def test_distribution_has_two_bars_for_kappa_and_tenths_for_masi():
    project = answer(coded_project("walk", "poesio-artstein-2005", WALK))
    kappa = distribute_distances(read_answers(project), Parameters(coefficient="fleiss_kappa", distance="masi"))
    assert [bar.low for bar in kappa] == [0, 1]
    masi = distribute_distances(read_answers(project), Parameters(distance="masi"))
    assert [(bar.low, bar.high) for bar in masi[:3]] == [(0, 0), (0, 0.1), (0.1, 0.2)]
    for which in ("observed", "expected"):
        assert sum(getattr(bar, which) for bar in masi) == pytest.approx(1)
