"""Coders reopen their own submissions until somebody views them, and then ask managers."""

import pytest
from django.utils import timezone

from annotations.coding.log.replay import log_mismatches
from annotations.coding.status import submit_coding
from annotations.models import Coding, Membership, Project
from annotations.projects.people.members import add_member
from annotations.transfers import orders
from tests.shared.coding import judge
from tests.shared.projects import person

URL = "/projects/tea/texts/tea/reopen/"


@pytest.fixture
def submitted(codings, keys):
    """Let both coders answer and submit."""
    for coding in codings.values():
        judge(coding, keys["a"], "none")
        submit_coding(coding, coding.coder)
    return codings["alice"]


def status(coding):
    coding.refresh_from_db()
    return coding.status


def page(client, address):
    answer = client.get(address)
    assert answer.status_code == 200, address
    return answer.content.decode()


def test_coder_reopens_unviewed_submission_and_log_names_coder(signed_in, alice, submitted):
    client = signed_in(alice)
    assert URL in page(client, "/projects/tea/")
    assert URL in page(client, "/projects/tea/texts/tea/code/")
    assert "No one else has viewed your submission" in page(client, URL)
    assert client.post(URL).url == "/projects/tea/texts/tea/code/"
    assert status(submitted) == "open"
    assert list(submitted.operations.values_list("kind", "user__username")) == [
        ("judge", "alice"), ("submit", "alice"), ("reopen", "alice")
    ]  # fmt: skip
    assert not list(log_mismatches(submitted))


def test_second_reopening_changes_nothing(signed_in, alice, submitted):
    client = signed_in(alice)
    assert client.post(URL).status_code == client.post(URL).status_code == 302
    assert client.get(URL).status_code == 302
    assert submitted.operations.filter(kind="reopen").count() == 1


# What shows answers of Alice, or figures or files of them.
VIEWS = [
    "/projects/tea/agreement/",
    "/projects/tea/agreement/headline/",
    "/projects/tea/agreement/items/",
    "/projects/tea/agreement/coders/?as=csv&table=coders",
    "/projects/tea/texts/tea/?coder=alice",
    "/projects/tea/texts/tea/?coder=bob&beside=alice",
    "/api/v1/projects/tea/agreement/",
    "/api/v1/projects/tea/judgements/",
    "/api/v1/projects/tea/markables/",
    "/api/v1/projects/tea/operations/",
    "/api/v1/projects/tea/texts/tea/codings/alice/",
]
# What shows that she has submitted, and no more.
OTHERS = [
    "/projects/tea/",
    "/projects/tea/texts/",
    "/projects/tea/texts/tea/",
    "/projects/tea/texts/tea/?coder=bob",
    "/projects/tea/export/",
    "/projects/tea/members/",
    "/api/v1/projects/tea/codings/",
]


def test_coder_cannot_reopen_viewed_submission(signed_in, alice, charlie, submitted):
    client, manager = signed_in(alice), signed_in(charlie)
    for address in VIEWS:
        Coding.objects.of_people().update(viewed_at=None)
        assert "No one else has viewed" in page(client, URL)
        manager.get(address)
        assert client.post(URL).url == URL, address
        late = page(client, URL)
        assert "Somebody has viewed this submission" in late
        assert "Ask to reopen" in late
        assert status(submitted) == "submitted"
    assert submitted.operations.filter(kind="reopen").count() == 0


def test_pages_without_answers_do_not_count_as_views(signed_in, alice, charlie, submitted):
    manager = signed_in(charlie)
    assert [manager.get(address).status_code for address in OTHERS] == [200] * len(OTHERS)
    signed_in(alice).post(URL)
    assert status(submitted) == "open"


def test_views_by_coder_do_not_count(signed_in, alice, submitted):
    Membership.objects.filter(user=alice).update(role="adjudicator")  # sees the results anyway
    for address in VIEWS:
        assert signed_in(alice).get(address).status_code != 403
    signed_in(alice).post(URL)
    assert status(submitted) == "open"


@pytest.mark.parametrize("by", ["page", "api"])
def test_coder_cannot_reopen_after_seeing_open_results(signed_in, alice, charlie, submitted, by):
    Project.objects.update(results_open=True)
    assert signed_in(alice).get("/projects/tea/texts/tea/?coder=bob").status_code == 200
    signed_in(alice).post(URL)
    assert status(submitted) == "submitted"
    assert "The results are open to all coders" in page(signed_in(alice), URL)
    if by == "page":
        signed_in(charlie).post("/projects/tea/scheme/", {"about": "1", "title": "Tea"})
    else:
        changes = {"results_open": False}
        signed_in(charlie).patch("/api/v1/projects/tea/", changes, "application/json", headers={"If-Match": "*"})
    assert not Project.objects.get().results_open
    signed_in(alice).post(URL)
    assert status(submitted) == "submitted"


def test_export_counts_as_view_once_file_is_written(project, charlie, submitted):
    order = orders.order_export(
        project, charlie, "jsonlines", {"coders": [], "texts": [], "unfinished": False, "options": {}}
    )
    assert Coding.objects.of_people().filter(viewed_at=None).count() == 2
    orders.carry_out(order, charlie)
    assert not Coding.objects.of_people().filter(viewed_at=None).exists()


def test_resubmission_counts_as_unviewed(signed_in, alice, charlie, submitted):
    signed_in(charlie).get("/projects/tea/agreement/")
    signed_in(charlie).post("/projects/tea/texts/tea/codings/alice/reopen/", {"confirmed": "1"})
    submit_coding(submitted, alice)
    signed_in(alice).post(URL)
    assert status(submitted) == "open"


def test_managers_see_request_and_reopen_or_decline(signed_in, alice, charlie, submitted):
    client, manager = signed_in(alice), signed_in(charlie)
    Coding.objects.of_people().update(viewed_at=timezone.now())
    assert client.post(URL, {"ask": "1"}).status_code == 400
    assert client.post(URL, {"ask": "1", "reason": "x" * 501}).status_code == 400
    for reason in ("A slip in <line 2>.", "Two slips."):
        assert client.post(URL, {"ask": "1", "reason": reason}).url == "/projects/tea/"
    assert "asked to reopen" in page(client, "/projects/tea/")
    assert "alice asks to reopen “Tea”: Two slips." in page(manager, "/projects/tea/")
    of_alice = "/projects/tea/texts/tea/codings/alice/reopen/"
    assert "alice asks for it: Two slips." in manager.post(of_alice).content.decode()
    manager.post(of_alice, {"decline": "1"})
    assert "asks to reopen" not in page(manager, "/projects/tea/")
    assert status(submitted) == "submitted"
    client.post(URL, {"ask": "1", "reason": "Please."})
    manager.post(of_alice, {"confirmed": "1", "reason": "Line 2 alone."})
    assert (status(submitted), submitted.reopen_request) == ("open", "")
    manager.post(of_alice, {"decline": "1"})  # in another tab
    assert status(submitted) == "open"


def test_other_members_see_no_requests(signed_in, bob, submitted):
    Coding.objects.of_people().filter(pk=submitted.pk).update(reopen_request="Secret reason")
    add_member(submitted.text.project, person("vera"), "viewer")
    for user in (bob, person("vera")):
        assert "Secret reason" not in page(signed_in(user), "/projects/tea/")
