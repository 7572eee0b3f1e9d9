"""The page of coefficients."""

import re
from html import escape

import pytest
from django.utils.http import urlencode

from agreement.data.extract import extract
from agreement.reports import overall
from agreement.reports.parameters import PRESETS, Parameters, default_parameters, presets_for
from tests.conftest import judge

URL = "/projects/tea/agreement/"


@pytest.fixture
def judged(codings, keys, project):
    """Let two coders agree, differ in part and clash."""
    for coding in codings.values():
        judge(coding, keys["a"], "none")
        judge(coding, keys["c"], "phrase", keys["a"])
    judge(codings["alice"], keys["d"], "phrase", keys["a"])
    judge(codings["bob"], keys["d"], "phrase", keys["a"], keys["b"])
    judge(codings["alice"], keys["f"], "segment", keys["3"])
    judge(codings["bob"], keys["f"], "place")
    return extract(project)


def figures(page):
    return re.findall(r'<data value="([^"]*)">', page)


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"distance": "masi"},
        {"distance": "dice", "chains": "none"},
        {"coefficient": "fleiss_kappa"},
        {"distance": "passonneau", "top": "chain", "exclude_unit": "both", "empty": "disjoint", "thirds": "rounded"},
    ],
)
def test_the_value_is_that_of_the_report_to_the_last_digit(signed_in, charlie, judged, asked):
    report = overall.compute_report(
        judged, Parameters(**asked) if asked else default_parameters("poesio-artstein-2005", "pointers")
    )
    page = signed_in(charlie).get(URL, asked).content.decode()
    value = re.search(r'id="value">\s*<data value="([^"]*)">', page)[1]
    assert float(value) == report.result.value
    assert value == repr(report.result.value)
    assert report.fingerprint in page


def test_the_value_stands_beside_its_interval_and_every_distance(signed_in, charlie, judged):
    page = signed_in(charlie).get(URL).content.decode()
    report = overall.compute_report(judged, default_parameters("poesio-artstein-2005", "pointers"))
    card = page.partition('id="value"')[2].partition("</div>")[0]
    interval = report.interval
    assert figures(card) == [repr(number) for number in (interval.value, interval.low, interval.high)]
    table = figures(page.partition('id="table-distances"')[2].partition("</table>")[0])
    expected = []
    for _, interval in overall.compare_distances(judged, report.parameters):
        numbers = (interval.value, interval.low, interval.high, interval.result.observed, interval.result.expected)
        expected += [repr(number) for number in numbers]
    assert table == expected


def test_each_convention_of_a_paper_is_a_click_away(signed_in, charlie, judged):
    page = signed_in(charlie).get(URL).content.decode()
    for preset in presets_for("pointers"):
        address = escape(urlencode(preset.parameters.query()))
        assert f'href="?{address}"' in page
        assert escape(preset.label) in page


@pytest.mark.parametrize("preset", [preset.key for preset in presets_for("pointers")])
def test_a_preset_in_the_address_is_taken(signed_in, charlie, judged, preset):
    page = signed_in(charlie).get(URL, {"preset": preset}).content.decode()
    expected = overall.compute_report(judged, PRESETS[preset].parameters).result.value
    assert f'id="value"><data value="{expected!r}">' in page


def test_where_nothing_can_be_computed_the_page_says_so(signed_in, charlie, project):
    answer = signed_in(charlie).get(URL)
    assert answer.status_code == 200
    assert "undefined" in answer.content.decode()
