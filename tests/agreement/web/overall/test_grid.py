"""The page of all conditions: every chain construction by every distance."""

from dataclasses import replace

import pytest

from agreement.data.reading import read_answers
from agreement.reports.parameters import default_preset
from agreement.results import grid
from tests.shared.agreeing import WALK, answer, coded_project, digits, figures, links, table

URL = "/projects/walk/agreement/grid/"
CONVENTION = default_preset("poesio-artstein-2005", "pointers").parameters


@pytest.fixture
def walk(charlie):
    return answer(coded_project("walk", "poesio-artstein-2005", WALK, WALK + "."))


def expected(rows):
    return [digits(*(cell.value for cell in cells)) for _, cells in rows]


@pytest.mark.parametrize("asked", [{}, {"empty": "disjoint"}, {"thirds": "rounded", "texts": "text-1"}])
def test_every_value_is_that_of_the_report_to_the_last_digit(signed_in, charlie, walk, asked):
    page = signed_in(charlie).get(URL, asked).content.decode()
    rows = grid.compute_grid(read_answers(walk), replace(CONVENTION, **asked))
    assert figures(page, "grid") == expected(rows)
    assert [row[0] for row in table(page, "grid")] == [label for label, _ in rows]
    assert len(figures(page, "grid")) == 6


def test_the_same_stands_there_without_the_markables_of_a_category(signed_in, charlie, walk):
    page = signed_in(charlie).get(URL, {"without": "none"}).content.decode()
    both = [grid.compute_grid(read_answers(walk), replace(CONVENTION, without=name)) for name in ("", "none")]
    assert [figures(page, key) for key in ("grid", "grid-without")] == [expected(rows) for rows in both]
    assert expected(both[0]) != expected(both[1])
    assert "table-grid-without" not in signed_in(charlie).get(URL).content.decode()


def test_k_stands_beside_alpha_on_antecedents(signed_in, charlie, walk):
    page = signed_in(charlie).get(URL, {"without": "none"}).content.decode()
    rows = []
    for name in ("", "none"):
        cells = grid.compare_antecedents(read_answers(walk), replace(CONVENTION, without=name))
        k, alpha = (cell.value for cell in cells)
        rows.append(digits(k, alpha, alpha - k))
    assert figures(page, "antecedents") == rows


def test_a_value_leads_to_the_number_that_it_is(signed_in, charlie, walk):
    client = signed_in(charlie)
    page = client.get(URL, {"texts": "text-1"}).content.decode()
    row = page.partition('id="table-grid"')[2].partition("exclusive, +top")[2].partition("</tr>")[0]
    for address, [value] in zip(links(row), ([one] for one in figures(page, "grid")[5]), strict=True):
        assert "texts=text-1" in address
        assert f'id="value"><data value="{value}">' in client.get(URL.replace("grid/", address[3:])).content.decode()


def test_the_condition_asked_for_is_marked(signed_in, charlie, walk):
    page = signed_in(charlie).get(URL, {"distance": "dice", "chains": "none"}).content.decode()
    marked = [row for row in page.split("<tr>") if 'aria-current="true"' in row and "<td" in row]
    assert len(marked) == 1
    assert "no chain" in marked[0]


def test_links_keep_the_parameters(signed_in, charlie, walk):
    page = signed_in(charlie).get(URL, {"thirds": "rounded"}).content.decode()
    for target in ("agreement/?", "compare/?", "methods/?", "items/?", "&as=csv", "&as=latex"):
        assert links(page, target)
        assert all("thirds=rounded" in one for one in links(page, target))


def test_constructions_have_no_meaning_where_coders_index(signed_in, charlie):
    coded_project("walk", "passonneau-2004", WALK)
    answer = signed_in(charlie).get(URL, {"chains": "none"})
    assert answer.status_code == 400
    assert "<p>chains: " in answer.content.decode()
