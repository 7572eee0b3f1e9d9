"""The order of texts."""

import pytest

from annotations.formats import plain
from annotations.models import Coding, Text
from annotations.planning.work.assignments import assign_texts
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument

URL = "/projects/tea/text-order/"


@pytest.fixture
def client(signed_in, charlie, project):
    for slug, title in (("a", "Part 10"), ("b", "part 2")):
        Text.objects.create(project=project, slug=slug, title=title, content="x")
    return signed_in(charlie)


def order(project):
    return list(project.texts.values_list("slug", flat=True))


def test_texts_move_by_one_place_and_sort_by_title(client, project):
    for text, move, slugs in (
        ("a", "up", ["a", "b", "tea"]),
        ("tea", "down", ["a", "b", "tea"]),
        ("b", "ghost", ["a", "b", "tea"]),
        ("b", "up", ["b", "a", "tea"]),
        ("a", "down", ["b", "tea", "a"]),
        ("a", "up", ["b", "a", "tea"]),
    ):
        assert client.post(URL, {"text": text, "move": move}).url == "/projects/tea/texts/"
        assert order(project) == slugs
    client.post(URL, {"by": "title"})
    assert order(project) == ["b", "a", "tea"]
    for fields in ({}, {"text": "ghost", "move": "up"}, {"text": "\x00", "move": "up"}):
        assert client.post(URL, fields).status_code == 404


def test_coders_get_texts_in_order_with_new_texts_last(client, project, alice):
    client.post(URL, {"text": "tea", "move": "up"})
    import_documents(project, [SourceDocument(plain.parse("New.", "aa.txt"), None)])
    assert order(project) == ["a", "tea", "b", "aa"]
    assign_texts(project, project.texts.all(), [alice])
    codings = Coding.objects.of_people().filter(coder=alice)
    assert [coding.text.slug for coding in codings.select_related("text")] == ["a", "tea", "b", "aa"]
