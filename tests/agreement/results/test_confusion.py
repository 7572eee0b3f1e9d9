"""Which categories coders confuse, by hand: of five items two coders agree on three, and mix up two categories."""

import pytest
from django.http import QueryDict

from agreement.results.categories import Categories
from agreement.results.coders.pair import Pair
from tests.agreement.reports.overall.test_basis import LETTERS, sorted_out

pytestmark = pytest.mark.django_db
PERSON, GROUP = LETTERS["p"], LETTERS["g"]


@pytest.fixture
def project():
    return sorted_out({"text-1": {"alice": "pgglp", "bob": "ppglg"}})


def confusion(page, project, **address):
    sections = page.show(page.request(project, QueryDict(), "charlie", address, whole_tables=False))
    [table] = [one for one in sections.tables if one.key == "confusion"]
    [chart] = [one for one in sections.charts if one.key == "confusion"]
    return table, chart


def test_of_all_coders_each_pair_counts_in_either_order_and_the_chart_says_so_in_words(project):
    table, chart = confusion(Categories(), project)
    counts = {
        row[0]: dict(zip([column.name for column in table.columns[1:]], row[1:], strict=True)) for row in table.rows
    }
    assert (counts[PERSON][PERSON], counts[PERSON][GROUP], counts[GROUP][PERSON]) == (2, 2, 2)
    assert chart.figure["data"][0]["z"] == [list(row[1:]) for row in table.rows]
    assert chart.alternative.startswith("The same category in 6 of 10. Different ones most often: ")
    assert chart.alternative.endswith(" 2.")
    assert chart.title == "Category confusion, pairs of judgements"


def test_of_two_coders_rows_are_those_of_the_first(project):
    table, chart = confusion(Pair(), project, first="alice", second="bob")
    assert sum(sum(row[1:]) for row in table.rows) == 5
    assert chart.alternative.startswith("The same category in 3 of 5. Different ones most often: ")
    assert [chart.figure["layout"][axis]["title"]["text"] for axis in ("yaxis", "xaxis")] == ["alice", "bob"]


def test_where_nobody_has_answered_there_is_no_chart():
    project = sorted_out({"text-1": {"alice": "p.", "bob": ".g"}})
    sections = Categories().show(Categories().request(project, QueryDict(), "charlie", {}, whole_tables=False))
    assert [one.key for one in sections.charts if one.key == "confusion"] == []
