"""The pages of the coefficient, of all conditions and of what each choice does have the figures of the reports."""

from dataclasses import replace
from html import unescape

import pytest

from agreement.data.reading import read_answers
from agreement.reports import overall
from agreement.reports.basis import compute_interval
from agreement.reports.parameters import default_preset, presets_for
from agreement.reports.request import resolve
from agreement.results import grid
from tests.shared.agreeing import WALK, answer, coded_project, digits, figures, links, table

URL = "/projects/walk/agreement/"
CONVENTION = default_preset("poesio-artstein-2005", "pointers").parameters


@pytest.fixture
def show(signed_in, charlie):
    return lambda path="", **asked: signed_in(charlie).get(f"{URL}{path}", asked).content.decode()


@pytest.mark.parametrize("n_texts", [1, 3])
def test_value_stands_beside_its_interval_and_every_distance(show, charlie, n_texts):
    texts = [f"{WALK} {number}" for number in range(n_texts)]
    found = read_answers(answer(coded_project("walk", "poesio-artstein-2005", *texts)))
    page, report = show(), overall.compute_report(found, CONVENTION)
    card, interval = page.partition('id="value"')[2].partition("</div>")[0], report.interval
    for value in digits(interval.value, interval.low, interval.high):
        assert f'<data value="{value}">' in card
    assert (interval.describe_method() if n_texts == 3 else interval.note) in unescape(card)
    assert (interval.low is None) == (n_texts == 1)
    assert report.fingerprint in page
    assert figures(page, "distances") == [
        digits(one.value, one.low, one.high, one.result.observed, one.result.expected)
        for _, one in overall.compare_distances(found, report.parameters)
    ]


def cells(rows):
    return [digits(*(cell.value for cell in cells)) for _, cells in rows]


def test_grid_has_the_values_of_the_report_with_and_without_a_category(show, walk):
    asked = {"thirds": "rounded", "texts": "text-1", "without": "none"}
    page, found = show("grid/", **asked), read_answers(walk)
    whole, rest = (replace(CONVENTION, **asked | {"without": name}) for name in ("", "none"))
    rows = grid.compute_grid(found, whole)
    assert figures(page, "grid") == cells(rows) != cells(grid.compute_grid(found, rest))
    assert figures(page, "grid-without") == cells(grid.compute_grid(found, rest))
    assert [row[0] for row in table(page, "grid")] == [label for label, _ in rows]
    antecedents = [[cell.value for cell in grid.compare_antecedents(found, one)] for one in (whole, rest)]
    assert figures(page, "antecedents") == [digits(k, alpha, alpha - k) for k, alpha in antecedents]
    assert "table-grid-without" not in show("grid/")


def test_value_of_the_grid_leads_to_the_number_that_it_is(show, walk):
    page = show("grid/", texts="text-1")
    row = page.partition('id="table-grid"')[2].partition("exclusive, +top")[2].partition("</tr>")[0]
    for address, value in zip(links(row), figures(page, "grid")[5], strict=True):
        assert f'id="value"><data value="{value}">' in show(address[3:])


@pytest.mark.parametrize("asked", [{"distance": "dice"}, {"coefficient": "gwet_ac1", "missing": "drop"}])
def test_every_choice_has_the_figures_of_the_report(show, walk, asked):
    page = show("compare/", **asked)
    changes = grid.vary_choices(read_answers(walk), replace(CONVENTION, **asked))
    assert figures(page, "compare") == [
        digits(one.interval.value, one.interval.low, one.interval.high, one.moved) for one in changes
    ]
    assert len(changes) > 5
    assert table(page, "compare")[0][0] == "current"


def test_every_convention_has_its_value_and_what_its_paper_prints(show, walk):
    page, found, presets = show("compare/"), read_answers(walk), presets_for("pointers")
    intervals = [compute_interval(*resolve(found, preset.parameters)) for preset in presets]
    assert figures(page, "presets") == [digits(one.value, one.low, one.high) for one in intervals]
    for row, preset in zip(table(page, "presets"), presets, strict=True):
        assert (row[0], row[4], row[5]) == (preset.label, preset.published, preset.where)


def test_choice_leads_to_the_number_that_it_makes(show, walk):
    page = show("compare/", thirds="rounded")
    for row, line in zip(figures(page, "compare"), page.split('id="table-compare"')[1].split("<tr>")[2:], strict=False):
        [address] = links(line, "../")
        assert f'id="value"><data value="{row[0]}">' in show(address[3:])
