"""Correcting a text: a preview of what moves, and a confirmation."""

import pytest

from annotations.models import Membership, Operation
from annotations.projects.people.members import add_member
from tests.conftest import judge
from tests.shared.pyramids import docset, models_of, pyramid_project

URL = "/projects/tea/texts/tea/correct/"


@pytest.fixture
def client(signed_in, charlie, project):
    return signed_in(charlie)


def fields_of(reply):
    """Return what a browser sends of the form."""
    form = reply.context["form"]
    return {name: form[name].value() or "" for name in form.fields}


def previewed(client, content):
    return client.post(URL, fields_of(client.get(URL)) | {"content": content.replace("\n", "\r\n")})


def test_a_text_is_corrected_once_the_preview_is_confirmed(client, text, codings, keys):
    judge(codings["alice"], keys["c"], "phrase", keys["a"])
    content = text.content.replace("kettle", "teapot")
    reply = previewed(client, content)
    page = reply.content.decode()
    assert reply.status_code == 200
    assert "<del>kettle</del><ins>teapot</ins>" in page
    assert "2 codings, 0 submitted" in page
    text.refresh_from_db()
    assert "kettle" in text.content
    assert not Operation.objects.filter(kind="correct").exists()
    reply = client.post(URL, fields_of(reply) | {"confirmed": "1"}, follow=True)
    assert "Corrected “Tea”: 1 place." in reply.content.decode()
    text.refresh_from_db()
    assert text.content == content
    assert Operation.objects.filter(kind="correct", user__username="charlie").count() == 2


def test_a_long_text_in_any_script_is_sent_whole(client, text):
    text.content = "\U00020000字" * 480_000
    text.save()
    reply = client.get(URL)
    assert '<form class="form" method="post" enctype="multipart/form-data"' in reply.content.decode()
    reply = client.post(URL, fields_of(reply) | {"content": f"{text.content}字"})  # by parts
    assert "<ins>字</ins>" in reply.content.decode()


def test_obstacles_are_named_and_cannot_be_confirmed(client, text, codings):
    reply = previewed(client, text.content.replace("the stove", ""))
    page = reply.content.decode()
    assert "nothing is corrected" in page
    assert "Correct the text" not in page
    reply = client.post(URL, fields_of(reply) | {"confirmed": "1"})
    assert "nothing is corrected" in reply.content.decode()
    text.refresh_from_db()
    assert "the stove" in text.content


@pytest.mark.parametrize("content", ["", "x\0y", None])
def test_what_no_text_can_be_is_told(client, text, content):
    reply = previewed(client, text.content if content is None else content)
    assert reply.status_code == 400
    assert "errorlist" in reply.content.decode()


def test_what_another_corrected_meanwhile_is_not_taken_back(client, text):
    fields = fields_of(client.get(URL))
    text.content = text.content.replace("hot", "cold")
    text.save()
    reply = client.post(URL, fields | {"content": fields["content"].replace("kettle", "pot")})
    assert "Somebody else has changed this" in reply.content.decode()
    text.refresh_from_db()
    assert "cold" in text.content


def test_other_words_than_were_previewed_are_previewed_first(client, text, codings):
    fields = fields_of(previewed(client, text.content.replace("kettle", "pot")))
    changed = fields | {"confirmed": "1", "content": fields["content"].replace("pot", "jug")}
    assert "<ins>jug</ins>" in client.post(URL, changed).content.decode()
    text.refresh_from_db()
    assert "kettle" in text.content


def test_the_page_of_a_docset_leads_to_the_correction_of_its_summaries(signed_in, charlie, alice):

    project = pyramid_project()
    text = models_of(docset(project, alice))
    add_member(project, charlie, Membership.Role.MANAGER)
    client = signed_in(charlie)
    address = f"/projects/ferry/texts/{text.slug}/correct/"
    assert address in client.get("/projects/ferry/docsets/sinking/").content.decode()
    fields = fields_of(client.get(address))
    reply = client.post(address, fields | {"content": fields["content"].replace("ferry sank", "ferri sank")})
    reply = client.post(address, fields_of(reply) | {"confirmed": "1"}, follow=True)
    assert "Corrected “The sinking”" in reply.content.decode()
