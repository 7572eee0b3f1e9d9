"""The pages of help."""

import pytest


def test_manuals_and_pictures_are_public_and_take_no_queries(client, db, django_assert_num_queries):
    with django_assert_num_queries(0):
        page = client.get("/help/coding/").content.decode()
        picture = client.get("/help/images/coding.png/")
        drawing = client.get("/help/images/design.svg/")
    assert "<h1" in page
    assert 'aria-current="page">' in page
    assert "/help/images/" in page
    assert picture["Content-Type"] == "image/png"
    assert b"".join(picture.streaming_content).startswith(b"\x89PNG")
    assert drawing["Content-Type"] == "image/svg+xml"
    assert b"".join(drawing.streaming_content).startswith(b"<svg")


def test_search_marks_words_in_sections(client, db):
    page = client.get("/help/", {"q": "MASI"}).content.decode()
    assert '/help/glossary/#masi">MASI</a>' in page
    assert "<mark>MASI</mark>" in page


@pytest.mark.parametrize(
    "address", ["ghost/", "README/", "images/ghost.png/", "images/film.gif/", "images/..%2F..%2Fmanage.py/"]
)
def test_unknown_manuals_and_pictures_are_not_found(client, db, address):
    assert client.get(f"/help/{address}").status_code == 404
