"""Correcting a text: preview and confirmation."""

from annotations.models import Operation
from tests.shared.coding import judge

URL = "/projects/tea/texts/tea/correct/"


def fields_of(reply):
    """Return the fields that a browser sends."""
    form = reply.context["form"]
    return {name: form[name].value() or "" for name in form.fields}


def previewed(client, content):
    return client.post(URL, fields_of(client.get(URL)) | {"content": content.replace("\n", "\r\n")})


def test_text_is_corrected_once_preview_is_confirmed(manager, text, codings, keys):
    judge(codings["alice"], keys["c"], "phrase", keys["a"])
    content = text.content.replace("kettle", "teapot")
    reply = previewed(manager, content)
    page = reply.content.decode()
    assert reply.status_code == 200
    assert "<del>kettle</del><ins>teapot</ins>" in page
    assert "2 codings, 0 submitted" in page
    text.refresh_from_db()
    assert "kettle" in text.content
    assert not Operation.objects.filter(kind="correct").exists()
    reply = manager.post(URL, fields_of(reply) | {"confirmed": "1"}, follow=True)
    assert "Corrected “Tea”: 1 place." in reply.content.decode()
    text.refresh_from_db()
    assert text.content == content
    assert Operation.objects.filter(kind="correct", user__username="charlie").count() == 2


def test_long_text_in_any_script_is_sent_whole(manager, text):
    text.content = "\U00020000字" * 480_000
    text.save()
    reply = manager.get(URL)
    assert '<form class="form" method="post" enctype="multipart/form-data"' in reply.content.decode()
    reply = manager.post(URL, fields_of(reply) | {"content": f"{text.content}字"})  # by parts
    assert "<ins>字</ins>" in reply.content.decode()


def test_correction_with_obstacles_is_refused(manager, text, codings):
    reply = previewed(manager, text.content.replace("the stove", ""))
    page = reply.content.decode()
    assert "nothing is corrected" in page
    assert "Correct the text" not in page
    reply = manager.post(URL, fields_of(reply) | {"confirmed": "1"})
    assert "nothing is corrected" in reply.content.decode()
    text.refresh_from_db()
    assert "the stove" in text.content


def test_outdated_correction_keeps_newer_text(manager, text):
    fields = fields_of(manager.get(URL))
    text.content = text.content.replace("hot", "cold")
    text.save()
    reply = manager.post(URL, fields | {"content": fields["content"].replace("kettle", "pot")})
    assert "Somebody else has changed this" in reply.content.decode()
    text.refresh_from_db()
    assert "cold" in text.content


def test_changed_correction_is_previewed_again(manager, text, codings):
    fields = fields_of(previewed(manager, text.content.replace("kettle", "pot")))
    changed = fields | {"confirmed": "1", "content": fields["content"].replace("pot", "jug")}
    assert "<ins>jug</ins>" in manager.post(URL, changed).content.decode()
    text.refresh_from_db()
    assert "kettle" in text.content
