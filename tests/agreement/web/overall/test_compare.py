"""The page of what each choice does to the number."""

from dataclasses import replace

import pytest

from agreement.data.reading import read_answers
from agreement.reports.basis import compute_interval
from agreement.reports.parameters import default_preset, presets_for
from agreement.reports.request import resolve
from agreement.results import grid
from tests.shared.agreeing import WALK, answer, coded_project, digits, figures, links, table

URL = "/projects/walk/agreement/compare/"
CONVENTION = default_preset("poesio-artstein-2005", "pointers").parameters


@pytest.fixture
def walk(charlie):
    return answer(coded_project("walk", "poesio-artstein-2005", WALK, WALK + "."))


def expected(changes):
    return [digits(one.interval.value, one.interval.low, one.interval.high, one.moved) for one in changes]


@pytest.mark.parametrize("asked", [{}, {"distance": "dice"}, {"coefficient": "gwet_ac1", "missing": "drop"}])
def test_every_choice_has_the_figures_of_the_report_to_the_last_digit(signed_in, charlie, walk, asked):
    page = signed_in(charlie).get(URL, asked).content.decode()
    changes = grid.vary_choices(read_answers(walk), replace(CONVENTION, **asked))
    assert figures(page, "compare") == expected(changes)
    assert len(changes) > 5
    assert table(page, "compare")[0][0] == "current"


def test_every_convention_has_its_value_and_what_its_paper_prints(signed_in, charlie, walk):
    page = signed_in(charlie).get(URL).content.decode()
    found = read_answers(walk)
    presets = presets_for("pointers")
    intervals = [compute_interval(*resolve(found, preset.parameters)) for preset in presets]
    assert figures(page, "presets") == [digits(one.value, one.low, one.high) for one in intervals]
    for row, preset in zip(table(page, "presets"), presets, strict=True):
        assert (row[0], row[4], row[5]) == (preset.label, preset.published, preset.where)


def test_a_choice_leads_to_the_number_that_it_makes(signed_in, charlie, walk):
    client = signed_in(charlie)
    page = client.get(URL, {"thirds": "rounded"}).content.decode()
    for row, line in zip(figures(page, "compare"), page.split('id="table-compare"')[1].split("<tr>")[2:], strict=False):
        [address] = links(line, "../")
        seen = client.get(URL.replace("compare/", address[3:])).content.decode()
        assert f'id="value"><data value="{row[0]}">' in seen


def test_links_keep_the_parameters(signed_in, charlie, walk):
    page = signed_in(charlie).get(URL, {"texts": "text-2"}).content.decode()
    for target in ("agreement/?", "grid/?", "methods/?", "coders/?", "&as=latex"):
        assert links(page, target)
        assert all("texts=text-2" in one for one in links(page, target))
