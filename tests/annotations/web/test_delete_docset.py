"""Deleting a docset, or a peer of it."""

import pytest

from annotations.docsets.creation import add_peer
from annotations.models import SCU, Coding, Docset, Text
from tests.annotations.docsets.test_creation import SINKING
from tests.shared.pyramids import build, pyramid_project
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


def test_a_docset_goes_with_summaries_peers_and_pyramids(client, docset, alice):
    build(Coding.objects.select_related("text", "coder").get(coder=alice), SINKING)
    page = client.get(URL)
    assert {"2 texts", "1 submitted coding", "1 empty assignment"} <= set(page.context["figures"].lines)
    seen = page.context["form"]["seen"].value()
    assert client.post(URL, {"seen": seen}).status_code == 400
    assert client.post(URL, {"seen": seen, "title": "The sinking"}).url == "/projects/ferry/docsets/"
    assert not any(model.objects.exists() for model in (Docset, Text, Coding, SCU))


def test_a_peer_goes_alone(client, docset):
    url = "/projects/ferry/texts/swimmers/delete/"
    assert url in client.get("/projects/ferry/docsets/sinking/").content.decode()
    seen = client.get(url).context["form"]["seen"].value()
    assert client.post(url, {"seen": seen}).url == "/projects/ferry/docsets/sinking/"
    assert list(docset.texts.values_list("role", flat=True)) == ["models"]
    assert Coding.objects.count() == 2
