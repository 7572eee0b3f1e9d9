"""Correcting a text by the API."""

import pytest

from tests.conftest import judge

URL = "/api/v1/projects/tea/texts/tea/"


@pytest.fixture
def client(signed_in, charlie, project):
    return signed_in(charlie)


def send(client, tag="*", **fields):
    return client.post(f"{URL}corrections/", fields, content_type="application/json", headers={"If-Match": tag})


def test_a_preview_says_what_a_correction_then_does(client, text, codings, keys, alice):
    judge(codings["alice"], keys["c"], "phrase", keys["a"])
    content = text.content.replace("kettle", "teapot")
    tag = client.get(URL).headers["ETag"]
    preview = send(client, tag, content=content, preview=True).json()
    assert preview["edits"] == [{"start": text.content.index("kettle"), "old": "kettle", "new": "teapot"}]
    assert {"level": "phrase", "old": "the kettle", "new": "the teapot"} in preview["changes"]
    assert (preview["codings"], preview["submitted"], preview["obstacles"]) == (2, 0, [])
    assert client.get(URL).json()["content"] == text.content
    assert send(client, tag, content=content).json() == preview
    assert client.get(URL).json()["content"] == content
    assert send(client, tag, content=text.content).status_code == 412


def test_what_cannot_be_corrected_is_told_and_nothing_changes(client, text, codings):
    content = text.content.replace("the stove", "")
    [obstacle] = send(client, content=content, preview=True).json()["obstacles"]
    assert obstacle["words"] == "the stove"
    reply = send(client, content=content)
    assert reply.status_code == 400
    assert "the stove" in reply.json()["errors"]["non_field_errors"][0]
    assert send(client, content=text.content).json()["errors"] == {"non_field_errors": ["Nothing has changed."]}
    assert client.get(URL).json()["content"] == text.content


def test_a_coder_reads_in_the_own_log_what_was_corrected(client, signed_in, alice, text, codings):
    send(client, content=text.content.replace("kettle", "teapot"))
    [logged] = signed_in(alice).get(f"{URL}coding/operations/").json()["results"]
    assert logged["kind"] == "correct"
    assert logged["payload"]["edits"][0]["new"] == "teapot"
