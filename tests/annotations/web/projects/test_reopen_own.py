"""A coder reopens the own submission until somebody has viewed it, and asks the managers after that."""

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


def test_what_nobody_has_viewed_is_reopened_at_once_and_the_log_tells_who(signed_in, alice, submitted):
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


def test_a_second_tab_changes_nothing_more(signed_in, alice, submitted):
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


def test_who_is_late_is_told_so_and_asks(signed_in, alice, charlie, submitted):
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


def test_to_see_that_it_is_submitted_is_not_to_view_it(signed_in, alice, charlie, submitted):
    manager = signed_in(charlie)
    assert [manager.get(address).status_code for address in OTHERS] == [200] * len(OTHERS)
    signed_in(alice).post(URL)
    assert status(submitted) == "open"


def test_the_coders_own_looks_do_not_count(signed_in, alice, submitted):
    Membership.objects.filter(user=alice).update(role="adjudicator")  # sees the results anyway
    for address in VIEWS:
        assert signed_in(alice).get(address).status_code != 403
    signed_in(alice).post(URL)
    assert status(submitted) == "open"


@pytest.mark.parametrize("by", ["page", "api"])
def test_who_saw_open_results_reopens_nothing_alone(signed_in, alice, charlie, submitted, by):
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


def test_an_export_is_a_view_once_its_file_is_written(project, charlie, submitted):
    order = orders.order_export(
        project, charlie, "jsonlines", {"coders": [], "texts": [], "unfinished": False, "options": {}}
    )
    assert Coding.objects.of_people().filter(viewed_at=None).count() == 2
    orders.carry_out(order, charlie)
    assert not Coding.objects.of_people().filter(viewed_at=None).exists()


def test_what_is_submitted_again_has_not_been_viewed(signed_in, alice, charlie, submitted):
    signed_in(charlie).get("/projects/tea/agreement/")
    signed_in(charlie).post("/projects/tea/texts/tea/codings/alice/reopen/", {"confirmed": "1"})
    submit_coding(submitted, alice)
    signed_in(alice).post(URL)
    assert status(submitted) == "open"


def test_managers_see_a_request_and_reopen_or_decline_it(signed_in, alice, charlie, submitted):
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


def test_other_members_do_not_read_requests(signed_in, bob, submitted):
    Coding.objects.of_people().filter(pk=submitted.pk).update(reopen_request="Secret reason")
    add_member(submitted.text.project, person("vera"), "viewer")
    for user in (bob, person("vera")):
        assert "Secret reason" not in page(signed_in(user), "/projects/tea/")
