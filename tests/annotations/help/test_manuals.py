"""Manuals as pages: their sections, links and pictures."""

import re
from html import unescape

import pytest
from django.urls import resolve

from annotations.help.manuals import GROUPS, NAMES, docs_folder, manual, neighbours, slug_of_heading

LINK = re.compile(r'<a href="([^"]*)"')
every_manual = pytest.mark.parametrize("name", NAMES)


def test_every_user_document_is_one_manual():
    others = {"README", *(path.stem for path in docs_folder().glob("benchmarks*.md"))}
    assert sorted(NAMES) == sorted({path.stem for path in docs_folder().glob("*.md")} - others)
    assert sum(len(names) for _, names in GROUPS) == len(NAMES)


@every_manual
def test_links_lead_to_existing_manuals_and_headings(name):
    for address in LINK.findall(manual(name).html):
        path, _, anchor = unescape(address).partition("#")
        if "://" in path:
            continue
        target = resolve(path).kwargs["name"] if path else name
        assert not anchor or anchor in [section.anchor for section in manual(target).sections], address


@every_manual
def test_headings_have_unique_anchors_and_pictures_have_files(name):
    shown = manual(name)
    anchors = re.findall(r'<h\d id="([^"]+)"', shown.html)
    assert anchors == [section.anchor for section in shown.sections]
    assert len(set(anchors)) == len(anchors)
    for picture in re.findall(r'<img src="([^"]+)"', shown.html):
        assert (docs_folder() / "images" / resolve(picture).kwargs["name"]).is_file()


def test_glossary_explains_every_term():
    terms = [section for section in manual("glossary").sections if section.level == 3]
    assert len(terms) > 40
    assert all(len(term.text.split()) > 3 for term in terms)


def test_manuals_have_previous_and_next_manual():
    before, after = neighbours(NAMES[1])
    assert before
    assert after
    assert (before.name, after.name) == (NAMES[0], NAMES[2])
    assert neighbours(NAMES[0])[0] is None
    assert neighbours(NAMES[-1])[1] is None


def test_unknown_manual_raises_error():
    with pytest.raises(KeyError):
        manual("../README")


@pytest.mark.parametrize(
    ("title", "anchor"), [("3. People", "3-people"), ("What's new?", "whats-new"), ("Key `Tab`", "key-tab")]
)
def test_headings_become_anchors(title, anchor):
    assert slug_of_heading(title) == anchor
