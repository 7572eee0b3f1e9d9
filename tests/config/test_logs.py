"""What the log says of requests."""

import json
import logging
import sys

import pytest

from config.logs import JSONLinesFormatter, RequestIdFilter, request_id


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
    ("given", "kept"),
    [("abc-123_x.y", True), ("", False), ("a b", False), ("a" * 65, False), ("a\u00e9", False)],
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
