"""ETag, If-Match and If-None-Match."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotations.models import Coding, Project
from tests.shared.coding import judge, judge_rest

URL = "/api/v1/projects/tea/"
JSON = {"content_type": "application/json"}
# What is changed, with a change to it.
CHANGES = {
    URL: {"title": "Milk"},
    f"{URL}scheme/": {"coders_mark": ["phrase"]},
    f"{URL}members/bob/": {"role": "coder"},
    f"{URL}texts/tea/": {"round": "pilot"},
    f"{URL}texts/tea/codings/alice/": {"status": "open"},
}


@pytest.mark.parametrize("address", CHANGES)
def test_changes_require_matching_etag(signed_in, charlie, codings, address):
    client = signed_in(charlie)
    answer = client.patch(address, CHANGES[address], **JSON)
    assert (answer.status_code, answer.json()["code"]) == (428, "precondition_required")
    answer = client.patch(address, CHANGES[address], headers={"If-Match": '"ghost"'}, **JSON)
    assert (answer.status_code, answer.json()["code"]) == (412, "changed_meanwhile")
    seen = client.get(address)["ETag"]
    answer = client.patch(address, CHANGES[address], headers={"If-Match": f'"ghost", {seen}'}, **JSON)
    assert answer.status_code == 200
    assert answer["ETag"] == client.get(address)["ETag"]


def test_second_change_with_same_etag_is_refused(signed_in, charlie, project):
    seen = {"If-Match": signed_in(charlie).get(URL)["ETag"]}
    assert signed_in(charlie).patch(URL, {"title": "First"}, headers=seen, **JSON).status_code == 200
    assert signed_in(charlie).patch(URL, {"title": "Second"}, headers=seen, **JSON).status_code == 412
    assert Project.objects.get().title == "First"


def test_unchanged_coding_answers_not_modified(signed_in, alice, codings, keys):
    address, client = f"{URL}texts/tea/coding/", signed_in(alice)
    seen = client.get(address)["ETag"]
    again = client.get(address, headers={"If-None-Match": seen})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", seen)
    judge(codings["alice"], keys["a"], "none")
    assert client.get(address, headers={"If-None-Match": seen}).status_code == 200


def test_etag_of_coding_ignores_work_of_others(signed_in, bob, codings, keys):
    before = signed_in(bob).get(f"{URL}texts/tea/coding/")["ETag"]
    judge(codings["alice"], keys["a"], "none")
    assert signed_in(bob).get(f"{URL}texts/tea/coding/")["ETag"] == before


def test_submission_returns_etag_with_counted_time(signed_in, alice, codings):
    address, client = f"{URL}texts/tea/coding/", signed_in(alice)
    judge_rest(codings["alice"])
    Coding.objects.filter(pk=codings["alice"].pk).update(last_active=timezone.now() - timedelta(minutes=2))
    seen = client.get(address)["ETag"]
    answer = client.patch(address, {"status": "submitted"}, headers={"If-Match": seen}, **JSON)
    assert (answer.status_code, answer["ETag"]) == (200, client.get(address)["ETag"])
