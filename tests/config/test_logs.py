"""The log of requests."""

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
def request_log(caplog) -> pytest.LogCaptureFixture:
    caplog.handler.addFilter(RequestIdFilter())
    caplog.set_level(logging.INFO, logger="coindex.requests")
    return caplog


def test_log_and_answer_share_request_id(client, alice, request_log):
    client.force_login(alice)
    reply = client.get("/?secret=1")
    [record] = [record for record in request_log.records if record.name == "coindex.requests"]
    said = line(record)
    assert record.request_id == reply["X-Request-ID"]
    assert (said["method"], said["path"], said["status"], said["user"]) == ("GET", "/", 200, alice.pk)
    assert "secret" not in json.dumps(said)
    assert "alice" not in json.dumps(said)
    assert request_id.get() == ""


@pytest.mark.parametrize(
    ("given", "kept"), [("abc-123_x.y", True), ("", False), ("a b", False), ("a" * 65, False), ("a\u00e9", False)]
)
def test_valid_request_id_of_proxy_is_kept(client, given, kept, db):
    found = client.get("/healthz", headers={"X-Request-ID": given})["X-Request-ID"]
    assert (found == given) is kept
    assert found


def test_request_ids_differ(client, db):
    assert client.get("/healthz")["X-Request-ID"] != client.get("/healthz")["X-Request-ID"]


def test_error_is_logged_as_one_line_with_traceback():
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
    for filter_ in (RequestIdFilter(), RefusalFilter()):
        caplog.handler.addFilter(filter_)
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
def test_bad_requests_are_logged_without_traceback(client, db, written, sent, status):
    assert client.generic(sent.pop("method", "GET"), **sent).status_code == status
    told = [line(record) for record in written.records if record.name.startswith("django")]
    assert told
    assert all(entry["level"] == "warning" and "error" not in entry for entry in told), told


def test_server_errors_keep_traceback(written):
    try:
        raise ValueError("ours")
    except ValueError:
        logging.getLogger("django.request").error("failed", exc_info=True, extra={"status_code": 500})
    [record] = written.records
    assert (line(record)["level"], "ours" in str(line(record)["error"])) == ("error", True)


def test_log_hides_names_in_addresses(signed_in, charlie, codings, request_log):
    """Neither our lines nor Django's contain names of people."""
    client = signed_in(charlie)
    for address in (
        "/projects/tea/agreement/coders/alice/bob/",
        "/projects/tea/agreement/coders/alice/ghost/",
        "/api/v1/projects/tea/members/alice/",
        "/api/v1/projects/tea/members/ghost/",
    ):
        client.get(address)
    client.post("/projects/tea/texts/tea/codings/alice/reopen/")
    told = [json.dumps(line(record)) for record in request_log.records]
    assert len(told) >= 5
    assert any("/coders/.../.../" in entry for entry in told)
    assert not [entry for entry in told if "alice" in entry or "ghost" in entry]


def test_personal_parameters_are_complete():
    named = {name for name, thing in (PARAMETERS | OF_AGREED).items() if thing.endswith(".username")}
    assert named == set(PERSONAL_PARAMETERS)


def test_log_of_failed_sign_in_hides_user_name(client, db, settings, written):
    settings.AXES_ENABLED = True
    client.post("/sign-in/", {"username": "my secret passphrase", "password": "x"})
    told = [record.getMessage() for record in written.records if record.name.startswith("axes")]
    assert any("127.0.0.1" in message for message in told)
    assert not [message for message in told if "passphrase" in message]


@pytest.mark.django_db
def test_error_mails_are_limited_and_hide_names(mail_server, mailoutbox):
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
