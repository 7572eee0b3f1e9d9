"""The page of coefficients."""

import re
from dataclasses import replace
from html import unescape

import pytest

from agreement.data.reading import read_answers
from agreement.reports import overall
from agreement.reports.parameters import PRESETS, default_preset, presets_for
from tests.conftest import judge
from tests.shared.agreeing import WALK, answer, coded_project, digits, hand_in

URL = "/projects/tea/agreement/"
CONVENTION = default_preset("poesio-artstein-2005", "pointers").parameters


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
    return read_answers(hand_in(project))


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
    report = overall.compute_report(judged, replace(CONVENTION, **asked))
    page = signed_in(charlie).get(URL, asked).content.decode()
    value = re.search(r'id="value">\s*<data value="([^"]*)">', page)[1]
    assert float(value) == report.result.value
    assert value == repr(report.result.value)
    assert report.fingerprint in page


@pytest.mark.parametrize("n_texts", [1, 3])
def test_the_value_stands_beside_its_interval_or_why_there_is_none_and_every_distance(signed_in, charlie, n_texts):
    texts = [f"{WALK} {number}" for number in range(n_texts)]
    found = read_answers(answer(coded_project("walk", "poesio-artstein-2005", *texts)))
    page = signed_in(charlie).get("/projects/walk/agreement/").content.decode()
    report = overall.compute_report(found, CONVENTION)
    card = page.partition('id="value"')[2].partition("</div>")[0]
    interval = report.interval
    assert figures(card) == digits(interval.value, interval.low, interval.high)
    assert (interval.describe_method() if n_texts == 3 else interval.note) in unescape(card)
    assert (interval.low is None) == (n_texts == 1)
    expected = []
    for _, one in overall.compare_distances(found, report.parameters):
        expected += digits(one.value, one.low, one.high, one.result.observed, one.result.expected)
    assert figures(page.partition('id="table-distances"')[2].partition("</table>")[0]) == expected


@pytest.mark.parametrize("preset", [preset.key for preset in presets_for("pointers")])
def test_a_preset_in_the_address_is_taken(signed_in, charlie, judged, preset):
    page = signed_in(charlie).get(URL, {"preset": preset}).content.decode()
    expected = overall.compute_report(judged, PRESETS[preset].parameters).result.value
    assert f'id="value"><data value="{expected!r}">' in page


def test_where_nothing_can_be_computed_the_page_says_so(signed_in, charlie, project):
    answer = signed_in(charlie).get(URL)
    assert answer.status_code == 200
    assert "undefined" in answer.content.decode()
