"""The figure with which a project's overview opens."""

import pytest

from agreement.extract import extract
from agreement.parameters import opening
from agreement.reports import overall
from annotations import actions
from tests.conftest import judge

URL = "/projects/tea/agreement/headline/"


def test_the_headline_has_the_value_of_the_report_to_the_last_digit(signed_in, charlie, codings, keys, project):
    for name, category in (("alice", "place"), ("bob", "none")):
        judge(codings[name], keys["a"], category)
        judge(codings[name], keys["b"], "place")
        judge(codings[name], keys["c"], "phrase", keys["a"])
    report = overall.report(extract(project), opening(project.preset, project.answers))
    page = signed_in(charlie).get(URL).content.decode()
    assert f'<data value="{report.result.value!r}">' in page
    assert "3 units of 2 coders" in page
    assert "<html" not in page


def test_without_answers_the_headline_says_what_is_missing_and_shows_no_number(signed_in, charlie, project):
    page = signed_in(charlie).get(URL).content.decode()
    assert "Nobody has answered anything yet." in page
    assert 'class="value"' not in page


@pytest.mark.parametrize(
    ("role", "expected"),
    [("manager", 200), ("adjudicator", 200), ("viewer", 200), ("coder", 403), ("outsider", 404)],
)
def test_who_sees_results_sees_it(signed_in, people, role, expected):
    assert signed_in(people[role]).get(URL).status_code == expected


def test_what_is_asked_in_the_address_does_not_change_it(signed_in, charlie, alice, codings):
    actions.submit(codings["alice"], alice)
    client = signed_in(charlie)
    assert client.get(URL, {"distance": "ghost"}).content == client.get(URL).content
