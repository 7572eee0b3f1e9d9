"""What the log says of requests."""

import json
import logging
import sys
from typing import Any

import pytest
from django.conf import settings as configured

from annotations.mail.delivery import Delivery
from annotations.mail.queue import MAX_ERRORS
from config.monitoring.logs import (
    PERSONAL_PARAMETERS,
    ErrorMailHandler,
    JSONLinesFormatter,
    RefusalFilter,
    RequestIdFilter,
    request_id,
)
from tests.access.role_matrix import OF_AGREED, PARAMETERS


def line(record: logging.LogRecord) -> dict[str, object]:
    written = JSONLinesFormatter().format(record)
    assert "\n" not in written
    said: dict[str, object] = json.loads(written)
    return said


@pytest.fixture
def heard(caplog) -> pytest.LogCaptureFixture:
    caplog.handler.addFilter(RequestIdFilter())
    caplog.set_level(logging.INFO, logger="coindex.requests")
    return caplog


def test_every_answer_has_the_id_that_stands_in_the_log(client, alice, heard):
    client.force_login(alice)
    reply = client.get("/?secret=1")
    [record] = [one for one in heard.records if one.name == "coindex.requests"]
    said = line(record)
    assert record.request_id == reply["X-Request-ID"]
    assert (said["method"], said["path"], said["status"], said["user"]) == ("GET", "/", 200, alice.pk)
    assert "secret" not in json.dumps(said)
    assert "alice" not in json.dumps(said)
    assert request_id.get() == ""


@pytest.mark.parametrize(
    ("given", "kept"), [("abc-123_x.y", True), ("", False), ("a b", False), ("a" * 65, False), ("a\u00e9", False)]
)
def test_the_id_of_a_proxy_is_kept_where_it_is_one(client, given, kept, db):
    found = client.get("/healthz", headers={"X-Request-ID": given})["X-Request-ID"]
    assert (found == given) is kept
    assert found


def test_two_requests_have_two_ids(client, db):
    assert client.get("/healthz")["X-Request-ID"] != client.get("/healthz")["X-Request-ID"]


def test_an_error_is_one_line_with_its_trace():
    try:
        raise ValueError("line one\nline two")
    except ValueError:
        record = logging.LogRecord("x", logging.ERROR, __file__, 1, "failed %s", ("so",), sys.exc_info())
    RequestIdFilter().filter(record)
    said = line(record)
    assert (said["level"], said["message"]) == ("error", "failed so")
    assert "ValueError: line one\nline two" in str(said["error"])


@pytest.fixture
def written(caplog) -> pytest.LogCaptureFixture:
    """Return what the log holds, through the filters of the handler."""
    handlers: Any = configured.LOGGING["handlers"]
    assert handlers["console"]["filters"] == ["request_id", "refusals"]
    for one in (RequestIdFilter(), RefusalFilter()):
        caplog.handler.addFilter(one)
    return caplog


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({"path": "/sign-in/", "headers": {"host": "evil.example"}}, 400),
        ({"path": "/ghost/"}, 404),
        ({"path": "/sign-in/", "method": "POST", "data": b"x", "content_type": "multipart/form-data"}, 400),
        (
            {
                "path": "/sign-in/",
                "method": "POST",
                "data": b"x" * (configured.DATA_UPLOAD_MAX_MEMORY_SIZE + 1),
                "content_type": "application/x-www-form-urlencoded",
            },
            413,
        ),
    ],
)
def test_what_strangers_send_wrong_is_a_warning_without_a_trace(client, db, written, sent, status):
    assert client.generic(sent.pop("method", "GET"), **sent).status_code == status
    told = [line(record) for record in written.records if record.name.startswith("django")]
    assert told
    assert all(one["level"] == "warning" and "error" not in one for one in told), told


def test_a_failure_of_ours_keeps_its_trace(written):
    try:
        raise ValueError("ours")
    except ValueError:
        logging.getLogger("django.request").error("failed", exc_info=True, extra={"status_code": 500})
    [record] = written.records
    assert (line(record)["level"], "ours" in str(line(record)["error"])) == ("error", True)


def test_whose_address_it_is_the_log_does_not_say(signed_in, charlie, codings, heard):
    """Neither our line nor Django's own, of an address that names people."""
    client = signed_in(charlie)
    for address in (
        "/projects/tea/agreement/coders/alice/bob/",
        "/projects/tea/agreement/coders/alice/ghost/",
        "/api/v1/projects/tea/members/alice/",
        "/api/v1/projects/tea/members/ghost/",
    ):
        client.get(address)
    client.post("/projects/tea/texts/tea/codings/alice/reopen/")
    told = [json.dumps(line(record)) for record in heard.records]
    assert len(told) >= 5
    assert any("/coders/.../.../" in one for one in told)
    assert not [one for one in told if "alice" in one or "ghost" in one]


def test_every_parameter_that_names_somebody_is_known():
    named = {name for name, thing in (PARAMETERS | OF_AGREED).items() if thing.endswith(".username")}
    assert named == set(PERSONAL_PARAMETERS)


def test_who_fails_to_sign_in_is_in_the_log_by_address_alone(client, db, settings, written):
    settings.AXES_ENABLED = True
    client.post("/sign-in/", {"username": "my secret passphrase", "password": "x"})
    told = [record.getMessage() for record in written.records if record.name.startswith("axes")]
    assert any("127.0.0.1" in one for one in told)
    assert not [one for one in told if "passphrase" in one]


@pytest.mark.django_db
def test_an_error_is_told_to_the_staff_by_mail_without_what_it_was_about(mail_server, mailoutbox):
    mail_server.ADMINS = ["root@example.org"]
    logger, handler = logging.Logger("errors"), ErrorMailHandler()
    handler.addFilter(RequestIdFilter())
    logger.addHandler(handler)
    for _ in range(MAX_ERRORS + 2):
        try:
            raise LookupError("the answer of alice")
        except LookupError:
            logger.exception("Internal Server Error: %s", "/invitations/secret-words/")
    assert Delivery().send_due() == len(mailoutbox) == MAX_ERRORS
    assert mailoutbox[0].subject == "Error on the server: LookupError"
    assert "/invitations/.../" in mailoutbox[0].body
    assert "alice" not in mailoutbox[0].body
