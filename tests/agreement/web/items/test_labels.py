"""Pages show labels of categories, and files their keys."""

import re

import pytest

from agreement.data.categories import name_categories
from agreement.data.reading import read_answers
from tests.shared.agreeing import hand_in
from tests.shared.coding import judge

PAGES = (
    "",
    "grid/?without=place",
    "difference/?by=category&first=place&second=none",
    "methods/?without=place",
    "data/",
    "coders/",
    "coders/alice/bob/",
    "categories/?merge=place:none",
    "items/",
)
LABELS = {"phrase": "Noun phrase", "segment": "Stretch of talk", "place": "Whereabouts", "none": "Nothing before"}


@pytest.fixture
def renamed(codings, keys, project):
    """Return a project of two coders with labels that differ from the keys."""
    for key, label in LABELS.items():
        assert project.categories.filter(key=key).update(label=label) == 1
    for coding in codings.values():
        judge(coding, keys["a"], "none")
        judge(coding, keys["f"], "place")
    judge(codings["alice"], keys["c"], "phrase", keys["a"])
    judge(codings["bob"], keys["c"], "place")
    return hand_in(project)


def test_pages_show_labels_instead_of_keys(signed_in, charlie, renamed, keys):
    client = signed_in(charlie)
    for rest in (*PAGES, f"items/tea/{keys['c']}/"):
        page = client.get(f"/projects/tea/agreement/{rest}").content.decode()
        # without scripts, whose data are drawn, attributes and the tabs above
        text = re.sub(r"<script.*?</script>|<[^>]*>", " ", page.partition('id="explorer"')[2] or page, flags=re.DOTALL)
        assert not re.search(r"\b(place|segment)\b", text), rest
        assert "Whereabouts" in page, rest


def test_files_keep_keys(signed_in, charlie, renamed):
    client = signed_in(charlie)
    lines = client.get("/projects/tea/agreement/categories/?as=csv&table=categories").content.decode()
    assert re.search("^place,", lines, re.MULTILINE)
    assert "Whereabouts" not in lines
    markdown = client.get("/projects/tea/agreement/categories/?as=markdown&table=categories").content.decode()
    assert "| Whereabouts |" in markdown


def test_renamed_category_shows_new_label_at_once(renamed):
    assert read_answers(renamed).label("place") == "Whereabouts"
    before = read_answers(renamed)
    renamed.categories.filter(key="place").update(label="Somewhere")
    assert read_answers(renamed).label("place") == "Somewhere"
    assert read_answers(renamed).fingerprint == before.fingerprint


def test_equal_labels_are_followed_by_keys():
    labels = {"a": "Person", "b": "Person", "c": "Place"}
    assert name_categories(labels) == {"a": "Person (a)", "b": "Person (b)", "c": "Place"}
