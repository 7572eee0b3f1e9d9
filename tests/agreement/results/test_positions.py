"""Where in a text coders part, by hand."""

from itertools import combinations

import pytest
from django.http import QueryDict

from agreement.results.agreement import Texts
from agreement.results.figures import sections as positions
from agreement.results.items.items import ItemsPage
from annotations.models import User
from annotations.projects.viewing import results_for
from tests.agreement.reports.overall.test_basis import LETTERS, THREE, sorted_out

pytestmark = pytest.mark.django_db


def plain(given):
    """Return for each markable that two coders judged how often two of them differ."""
    rows = [
        [letters[place] for letters in given.values() if letters[place] != "."]
        for place in range(max(map(len, given.values())))
    ]
    pairs = [list(combinations(row, 2)) for row in rows if len(row) > 1]
    return [sum(a != b for a, b in of_item) / len(of_item) for of_item in pairs]


def parts(page, project, query, key):
    seen = results_for(User.objects.get(username="charlie"), project.slug)
    sections = page.show(page.request(seen, QueryDict(query), "charlie", {}, whole_tables=False))
    return [next((one for one in side if one.key == key), None) for side in (sections.tables, sections.charts)]


@pytest.mark.parametrize(
    "query", ["text=text-1", "texts=text-1", "text=text-1&coefficient=fleiss_kappa&missing=available"]
)
def test_each_item_of_a_text_has_its_disagreement_at_its_place_and_leads_to_the_item(query):
    table, chart = parts(ItemsPage(), sorted_out(THREE), query, "positions")
    expected = plain(THREE["text-1"])
    assert [row[0] for row in table.rows] == [str(place) for place in range(1, len(expected) + 1)]
    assert [row[3] for row in table.rows] == [row[4] for row in table.rows] == pytest.approx(expected)
    [trace] = chart.figure["data"]
    assert (trace["x"], trace["y"]) == ([1, 2, 3, 4], pytest.approx(expected))
    assert trace["meta"]["addresses"] == [row[1].address for row in table.rows]
    assert all("/agreement/items/text-1/" in row[1].address for row in table.rows)
    most = expected.index(max(expected))
    assert chart.alternative == f"4 items; most at {most + 1}, “w{most}”, {max(expected):.3f}."


def test_of_a_long_text_a_bar_is_several_items_and_leads_to_that_with_most(monkeypatch):
    monkeypatch.setattr(positions, "MOST_STEPS", 3)
    letters = {"alice": "pppppppp", "bob": "ppppgppg"}
    table, chart = parts(ItemsPage(), sorted_out({"text-1": letters}), "", "positions")
    assert [tuple(row[:1]) + tuple(row[2:]) for row in table.rows] == [
        ("1 to 3", 3, 0.0, 0.0),
        ("4 to 6", 3, pytest.approx(1 / 3), 1.0),
        ("7 to 8", 2, 0.5, 1.0),
    ]
    assert [row[1].value for row in table.rows][1:] == ["w4", "w7"]
    assert chart.figure["data"][0]["width"] == [3, 3, 2]


def test_filters_leave_gaps_and_several_texts_have_no_strip():
    project = sorted_out(THREE)
    table, _ = parts(ItemsPage(), project, f"text=text-1&category={LETTERS['l']}", "positions")
    shown = [place for place in range(4) if any(letters[place] == "l" for letters in THREE["text-1"].values())]
    assert [row[0] for row in table.rows] == [str(place + 1) for place in shown]
    assert parts(ItemsPage(), project, "", "positions") == [None, None]


def test_each_text_has_the_means_of_its_tenths():
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


def test_where_nobody_has_answered_there_is_nothing():
    project = sorted_out({"text-1": {"alice": "..", "bob": ".."}})
    assert parts(ItemsPage(), project, "", "positions") == [None, None]
    assert parts(Texts(), project, "", "tenths") == [None, None]
