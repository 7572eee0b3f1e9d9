"""The figure with which a project's overview opens."""

from datetime import timedelta

from django.utils import timezone

from agreement.data.reading import read_answers
from agreement.reports import overall
from agreement.reports.parameters import default_preset
from annotations.coding.status import submit_coding
from annotations.models import Operation
from tests.conftest import judge
from tests.shared.agreeing import hand_in

URL = "/projects/tea/agreement/headline/"


def test_the_headline_has_the_value_of_the_report_to_the_last_digit(signed_in, charlie, codings, keys, project):
    for name, category in (("alice", "place"), ("bob", "none")):
        judge(codings[name], keys["a"], category)
        judge(codings[name], keys["b"], "place")
        judge(codings[name], keys["c"], "phrase", keys["a"])
    hand_in(project)
    report = overall.compute_report(read_answers(project), default_preset(project.preset, project.answers).parameters)
    page = signed_in(charlie).get(URL).content.decode()
    assert f'<data value="{report.result.value!r}">' in page
    assert "3 units of 2 coders" in page


def test_what_is_asked_in_the_address_does_not_change_it(signed_in, charlie, alice, codings):
    submit_coding(codings["alice"], alice)
    client = signed_in(charlie)
    assert client.get(URL, {"distance": "ghost"}).content == client.get(URL).content


def test_it_says_what_is_left_and_at_the_present_pace_when_it_is_done(signed_in, charlie, codings, keys, project):
    client = signed_in(charlie)
    assert 'id="pace"' in client.get(URL).content.decode()
    assert "2 codings are not submitted. 12 markables are left to decide." in client.get(URL).content.decode()
    for name in ("alice", "bob"):
        for label in "abc":
            judge(codings[name], keys[label], "none")
    assert "At the present pace" not in client.get(URL).content.decode()  # all on one day
    yesterday = timezone.now() - timedelta(days=1)
    Operation.objects.filter(coding=codings["alice"]).update(applied_at=yesterday)
    page = client.get(URL).content.decode()
    finish = timezone.localdate() + timedelta(days=2)  # six in two days, six are left
    assert f'<time datetime="{finish.isoformat()}">' in page
    assert "6 markables are left to decide. 6 judged from" in page
    assert page.count('aria-label="3 judgements in 28 days"') == 2
    hand_in(project)
    page = client.get(URL).content.decode()
    assert "No coding is left to submit." in page
    assert "At the present pace" not in page
