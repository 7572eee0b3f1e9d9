"""Categories are called by their labels on pages, and by their keys where a program reads them."""

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
    """Return a project with two coders' answers, whose labels are not like their keys."""
    for key, label in LABELS.items():
        assert project.categories.filter(key=key).update(label=label) == 1
    for coding in codings.values():
        judge(coding, keys["a"], "none")
        judge(coding, keys["f"], "place")
    judge(codings["alice"], keys["c"], "phrase", keys["a"])
    judge(codings["bob"], keys["c"], "place")
    return hand_in(project)


def test_no_page_shows_a_key_where_a_label_belongs(signed_in, charlie, renamed, keys):
    client = signed_in(charlie)
    for rest in (*PAGES, f"items/tea/{keys['c']}/"):
        page = client.get(f"/projects/tea/agreement/{rest}").content.decode()
        # without scripts, whose data are drawn, attributes and the tabs above
        text = re.sub(r"<script.*?</script>|<[^>]*>", " ", page.partition('id="explorer"')[2] or page, flags=re.DOTALL)
        assert not re.search(r"\b(place|segment)\b", text), rest
        assert "Whereabouts" in page, rest


def test_files_keep_the_keys(signed_in, charlie, renamed):
    client = signed_in(charlie)
    lines = client.get("/projects/tea/agreement/categories/?as=csv&table=categories").content.decode()
    assert re.search("^place,", lines, re.MULTILINE)
    assert "Whereabouts" not in lines
    markdown = client.get("/projects/tea/agreement/categories/?as=markdown&table=categories").content.decode()
    assert "| Whereabouts |" in markdown


def test_category_that_is_renamed_is_called_so_at_once(renamed):
    assert read_answers(renamed).label("place") == "Whereabouts"
    before = read_answers(renamed)
    renamed.categories.filter(key="place").update(label="Somewhere")
    assert read_answers(renamed).label("place") == "Somewhere"
    assert read_answers(renamed).fingerprint == before.fingerprint


def test_two_categories_with_one_label_have_their_keys_behind_it():
    labels = {"a": "Person", "b": "Person", "c": "Place"}
    assert name_categories(labels) == {"a": "Person (a)", "b": "Person (b)", "c": "Place"}
