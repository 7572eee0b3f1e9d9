"""The pages of the coefficient, of all conditions and of each choice."""

from html import unescape

import pytest

from agreement.data.reading import read_answers
from agreement.reports import overall
from agreement.reports.parameters import default_preset
from tests.shared.agreeing import WALK, answer, coded_project, digits, figures, links

URL = "/projects/walk/agreement/"


@pytest.fixture
def show(signed_in, charlie):
    return lambda path="", **asked: signed_in(charlie).get(f"{URL}{path}", asked).content.decode()


@pytest.mark.parametrize("n_texts", [1, 3])
def test_page_shows_value_with_interval(signed_in, charlie, n_texts):
    texts = [f"{WALK} {number}" for number in range(n_texts)]
    found = read_answers(answer(coded_project("value", "poesio-artstein-2005", *texts)))
    page = signed_in(charlie).get(URL.replace("walk", "value")).content.decode()
    report = overall.compute_report(found, default_preset("poesio-artstein-2005", "pointers").parameters)
    card, interval = page.partition('id="value"')[2].partition("</div>")[0], report.interval
    for value in digits(interval.value, interval.low, interval.high):
        assert f'<data value="{value}">' in card
    assert (interval.describe_method() if n_texts == 3 else interval.note) in unescape(card)
    assert (interval.low is None) == (n_texts == 1)
    assert report.fingerprint in page


def test_grid_value_links_to_page_with_same_value(show, walk):
    page = show("grid/", texts="text-1")
    row = page.partition('id="table-grid"')[2].partition("exclusive, +top")[2].partition("</tr>")[0]
    for address, value in zip(links(row), figures(page, "grid")[5], strict=True):
        assert f'id="value"><data value="{value}">' in show(address[3:])


def test_choice_links_to_page_with_its_value(show, walk):
    page = show("compare/", thirds="rounded")
    for row, line in zip(figures(page, "compare"), page.split('id="table-compare"')[1].split("<tr>")[2:], strict=False):
        [address] = links(line, "../")
        assert f'id="value"><data value="{row[0]}">' in show(address[3:])
