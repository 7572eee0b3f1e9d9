"""Reopening a coding."""

from annotations.coding.log.replay import log_mismatches
from annotations.coding.status import submit_coding

URL = "/projects/tea/texts/tea/codings/{}/reopen/"


def test_manager_reopens_coding_and_log_names_manager(signed_in, alice, charlie, codings):
    client, submitted = signed_in(charlie), codings["alice"]
    submit_coding(submitted, alice)
    question = client.post(URL.format("alice")).content.decode()
    assert "Reopen “Tea” for alice?" in question
    assert "0 answers" in question
    submitted.refresh_from_db()
    assert submitted.status == "submitted"
    confirmed = {"confirmed": "1", "reason": "See guideline 3."}
    assert client.post(URL.format("alice"), confirmed).url == "/projects/tea/"
    submitted.refresh_from_db()
    assert submitted.status == "open"
    last = submitted.operations.last()
    assert (last.kind, last.user, last.sequence) == ("reopen", charlie, 2)
    assert last.payload == {"reason": "See guideline 3."}
    assert not list(log_mismatches(submitted))
    assert "for alice" in client.get("/projects/tea/").content.decode()
    assert (
        "Reopened: See guideline 3." in signed_in(submitted.coder).get("/projects/tea/texts/tea/code/").content.decode()
    )


def test_reopening_open_or_missing_coding_changes_nothing(signed_in, charlie, codings):
    client = signed_in(charlie)
    assert client.post(URL.format("bob"), {"confirmed": "1"}).status_code == 302
    assert codings["bob"].operations.count() == 0
    for name in ("nobody", "charlie", "a%00b", "%ED%A0%80"):
        assert client.post(URL.format(name)).status_code == 404
