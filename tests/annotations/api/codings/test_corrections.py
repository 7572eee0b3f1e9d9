"""Correcting a text by the API."""

from tests.shared.coding import judge

URL = "/api/v1/projects/tea/texts/tea/"


def send(client, tag="*", **fields):
    return client.post(f"{URL}corrections/", fields, content_type="application/json", headers={"If-Match": tag})


def test_correction_does_what_preview_shows(manager, text, codings, keys, alice):
    judge(codings["alice"], keys["c"], "phrase", keys["a"])
    content = text.content.replace("kettle", "teapot")
    tag = manager.get(URL).headers["ETag"]
    preview = send(manager, tag, content=content, preview=True).json()
    assert preview["edits"] == [{"start": text.content.index("kettle"), "old": "kettle", "new": "teapot"}]
    assert {"level": "phrase", "old": "the kettle", "new": "the teapot"} in preview["changes"]
    assert (preview["codings"], preview["submitted"], preview["obstacles"]) == (2, 0, [])
    assert manager.get(URL).json()["content"] == text.content
    assert send(manager, tag, content=content).json() == preview
    assert manager.get(URL).json()["content"] == content
    assert send(manager, tag, content=text.content).status_code == 412


def test_correction_with_obstacles_changes_nothing(manager, text, codings):
    content = text.content.replace("the stove", "")
    [obstacle] = send(manager, content=content, preview=True).json()["obstacles"]
    assert obstacle["words"] == "the stove"
    reply = send(manager, content=content)
    assert reply.status_code == 400
    assert "the stove" in reply.json()["errors"]["non_field_errors"][0]
    assert send(manager, content=text.content).json()["errors"] == {"non_field_errors": ["Nothing has changed."]}
    assert manager.get(URL).json()["content"] == text.content


def test_log_of_coder_lists_corrections(manager, signed_in, alice, text, codings):
    send(manager, content=text.content.replace("kettle", "teapot"))
    [logged] = signed_in(alice).get(f"{URL}coding/operations/").json()["results"]
    assert logged["kind"] == "correct"
    assert logged["payload"]["edits"][0]["new"] == "teapot"
