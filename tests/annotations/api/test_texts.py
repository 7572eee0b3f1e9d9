"""GET /api/v1/projects/SLUG/texts/ and one text."""

import pytest

from annotations.models import Project, Text

URL = "/api/v1/projects/tea/texts/"


@pytest.fixture
def second(project):
    """Make a text without assignments."""
    return Text.objects.create(project=project, slug="rest", title="Rest", content="héllo 🫖")


def test_coders_see_assigned_texts_and_other_roles_all(signed_in, people, second):
    for role in ("manager", "adjudicator", "viewer", "coder"):
        slugs, status = (["tea"], 404) if role == "coder" else (["rest", "tea"], 200)
        client = signed_in(people[role])
        assert [text["slug"] for text in client.get(URL).json()["results"]] == slugs
        assert client.get(f"{URL}rest/").status_code == status


def test_listed_text_has_no_content(signed_in, bob, text):
    [row] = signed_in(bob).get(URL).json()["results"]
    assert row == {
        "slug": "tea", "title": "Tea", "language": "en", "direction": "ltr", "round": "main", "rounds": ["main"],
        "role": "source", "docset": None,
    }  # fmt: skip


def test_text_has_content_and_segments_in_code_points(signed_in, bob, text):
    found = signed_in(bob).get(f"{URL}tea/").json()
    assert found["content"].startswith("put the kettle on the stove\n")
    assert [(segment["label"], segment["speaker"]) for segment in found["segments"]] == list(
        zip("1234", "MSMS", strict=True)
    )
    first = found["segments"][0]
    assert found["content"][first["start"] : first["end"]] == "put the kettle on the stove"


def test_open_results_show_all_texts_to_coders(signed_in, bob, second):
    Project.objects.update(results_open=True)
    assert signed_in(bob).get(f"{URL}rest/").json()["content"] == "héllo 🫖"


def test_manager_moves_text_to_round(signed_in, charlie, project, text, second):
    client = signed_in(charlie)
    seen = client.get(f"{URL}tea/")["ETag"]
    done = client.patch(f"{URL}tea/", {"round": "pilot"}, content_type="application/json", headers={"If-Match": seen})
    assert done.status_code == 200
    assert [row["slug"] for row in client.get(URL, {"round": "pilot"}).json()["results"]] == ["tea"]
    wrong = client.patch(f"{URL}tea/", {"round": "no slug"}, content_type="application/json", headers={"If-Match": "*"})
    assert list(wrong.json()["errors"]) == ["round"]
