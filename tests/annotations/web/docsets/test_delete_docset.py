"""Deletion of docsets, model summaries and peers."""

import re

import pytest

from annotations.docsets.creation import add_peer
from annotations.models import SCU, Coding, Docset, Text
from tests.annotations.docsets.test_creation import SINKING
from tests.shared.pyramids import SUMMARIES, build, pyramid_project
from tests.shared.pyramids import docset as make_docset

URL = "/projects/ferry/docsets/sinking/delete/"


@pytest.fixture
def docset(alice, bob, charlie):
    project = pyramid_project()
    project.memberships.create(user=charlie, role="manager")
    made = make_docset(project, alice, bob)
    add_peer(made, "swimmers", "Swimmers", "The ferry sank.", system="s1")
    return made


@pytest.fixture
def client(signed_in, charlie, docset):
    return signed_in(charlie)


def test_docset_is_deleted_with_texts_and_pyramids(client, docset, alice):
    build(Coding.objects.of_people().select_related("text", "coder").get(coder=alice), SINKING)
    page = client.get(URL)
    assert {"2 texts", "1 submitted coding", "1 empty assignment"} <= set(page.context["figures"].lines)
    seen = page.context["form"]["seen"].value()
    assert client.post(URL, {"seen": seen}).status_code == 400
    assert client.post(URL, {"seen": seen, "title": "The sinking"}).url == "/projects/ferry/docsets/"
    assert not any(model.objects.exists() for model in (Docset, Text, Coding, SCU))


def test_peer_is_deleted_alone(client, docset):
    url = "/projects/ferry/texts/swimmers/delete/"
    assert url in client.get("/projects/ferry/docsets/sinking/").content.decode()
    seen = client.get(url).context["form"]["seen"].value()
    assert client.post(url, {"seen": seen}).url == "/projects/ferry/docsets/sinking/"
    assert list(docset.texts.values_list("role", flat=True)) == ["models"]
    assert Coding.objects.of_people().count() == 2


SUMMARY = "/projects/ferry/docsets/sinking/summaries/delete/"


def test_summary_is_deleted_while_nobody_has_begun(client, docset):
    assert f"{SUMMARY}?name=two" in client.get("/projects/ferry/docsets/sinking/").content.decode()
    assert "Delete the summary “two”" in client.get(SUMMARY, {"name": "two"}).content.decode()
    client.post(SUMMARY, {"name": "two"})
    text = docset.texts.get(role="models")
    others = [content for name, content in SUMMARIES if name != "two"]
    segments = [text.content[segment.start : segment.end] for segment in text.segments.all()]
    assert [segment.strip() for segment in segments] == others
    words = {text.content[markable.start : markable.end] for markable in text.markables.all()}
    assert words == set(re.findall(r"\w+", " ".join(others)))
    assert text.codings.of_people().count() == 2
    assert SUMMARY not in client.get("/projects/ferry/docsets/sinking/").content.decode()
    page = client.post(SUMMARY, {"name": "one"}, follow=True).content.decode()
    assert "two or more model summaries" in page
    assert "has no summary" in client.post(SUMMARY, {"name": "ghost"}, follow=True).content.decode()


def test_summary_stays_once_coding_has_begun(client, docset, alice):
    build(Coding.objects.of_people().select_related("text", "coder").get(coder=alice), SINKING, hand_in=False)
    before = docset.texts.get(role="models").content
    assert SUMMARY not in client.get("/projects/ferry/docsets/sinking/").content.decode()
    assert "its summaries stay" in client.post(SUMMARY, {"name": "two"}, follow=True).content.decode()
    assert docset.texts.get(role="models").content == before
