"""The page of coefficients."""

import re
from html import escape

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils.http import urlencode

from agreement.extract import extract
from agreement.parameters import PRESETS, Parameters, opening, presets_for
from agreement.reports import overall
from annotations import actions
from annotations.models import Coding, Membership
from tests.conftest import judge, make_project

URL = "/projects/tea/agreement/"


@pytest.fixture
def judged(codings, keys, project):
    """Two coders with a bit of everything between them."""
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
    report = overall.report(judged, Parameters(**asked) if asked else opening("poesio-artstein-2005", "pointers"))
    page = signed_in(charlie).get(URL, asked).content.decode()
    value = re.search(r'id="value">\s*<data value="([^"]*)">', page)[1]
    assert float(value) == report.result.value
    assert value == repr(report.result.value)
    assert report.fingerprint in page


def test_the_value_stands_beside_its_interval_and_every_distance(signed_in, charlie, judged):
    page = signed_in(charlie).get(URL).content.decode()
    report = overall.report(judged, opening("poesio-artstein-2005", "pointers"))
    card = page.partition('id="value"')[2].partition("</div>")[0]
    interval = report.interval
    assert figures(card) == [repr(number) for number in (interval.value, interval.low, interval.high)]
    table = figures(page.partition('id="table-distances"')[2].partition("</table>")[0])
    expected = []
    for _, interval in overall.distances(judged, report.parameters):
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
    expected = overall.report(judged, PRESETS[preset].parameters).result.value
    assert f'id="value"><data value="{expected!r}">' in page


@pytest.mark.parametrize(
    ("name", "value"), [("distance", "ghost"), ("ghost", "1"), ("preset", "x"), ("top", "<b>"), ("unmarked", "\x00")]
)
@pytest.mark.parametrize("rest", ["", "items/", "items/tea/phrase:4-14/"])
def test_a_wrong_parameter_gets_400_a_message_and_the_projects_convention(
    signed_in, charlie, judged, rest, name, value
):
    answer = signed_in(charlie).get(URL + rest, {name: value})
    assert answer.status_code == 400
    content = answer.content.decode()
    assert f"<p>{name}: " in content
    assert "<b>&#x27;" not in content
    assert "&#x27;&lt;b&gt;&#x27;" in content or value != "<b>"


def test_where_nothing_can_be_computed_the_page_says_so(signed_in, charlie, project):
    answer = signed_in(charlie).get(URL)
    assert answer.status_code == 200
    assert "undefined" in answer.content.decode()


@pytest.mark.parametrize("scheme", ["passonneau-2004", "clusters", "sortal-classes", "muc-ident"])
def test_every_kind_of_scheme_has_its_page(signed_in, alice, bob, charlie, scheme):
    project = make_project("tea", scheme, "[Anna](a) took [her](b) dog")
    actions.add_member(project, charlie, Membership.Role.MANAGER)
    for coder in (alice, bob):
        actions.add_member(project, coder, Membership.Role.CODER)
    actions.assign(project, project.texts.all(), [alice, bob])
    category = project.categories.filter(takes_index=False, points_to=None).first().key
    for coding in Coding.objects.all():
        for key in coding.text.markables.values_list("key", flat=True):
            judge(coding, key, category)
    for rest in ("", "items/", "headline/"):
        assert signed_in(charlie).get(URL + rest).status_code == 200


def test_the_page_costs_the_same_queries_at_any_size(signed_in, alice, bob, charlie):
    def cost(slug, size):
        project = make_project(slug, marked=" ".join(f"[w{number}](m{number})" for number in range(size)))
        actions.add_member(project, charlie, Membership.Role.MANAGER)
        for coder in (alice, bob):
            actions.add_member(project, coder, Membership.Role.CODER)
        actions.assign(project, project.texts.all(), [alice, bob])
        first, *others = project.texts.get().markables.values_list("key", flat=True)
        for coding in Coding.objects.filter(text__project=project):
            for key in others:
                judge(coding, key, "phrase", first)
        client = signed_in(charlie)
        with CaptureQueriesContext(connection) as queries:
            client.get(f"/projects/{slug}/agreement/")
        return len(queries)

    assert cost("small", 2) == cost("large", 8) <= 10
