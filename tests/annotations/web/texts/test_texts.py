"""The list of texts: rows, search, order and pages."""

import re

import pytest

from annotations.coding.status import submit_coding
from annotations.models import Text
from annotations.planning.rounds import add_texts, change_round, create_round
from annotations.planning.work.assignments import assign_texts
from annotations.texts import listing
from tests.shared.coding import judge

URL = "/projects/tea/texts/"


@pytest.fixture
def corpus(project, codings, keys):
    """Make four more texts, the second one in an earlier round."""
    main = project.rounds.get()
    rounds = {"main": main, "pilot": change_round(create_round(project, "pilot"), place=1)}
    for slug, title, content, name in [
        ("b-ten", "Part 10", "one two\n\n three  four", "main"),
        ("c-two", "Part 2", "one", "pilot"),
        ("d-ark", "Ark", "one\ttwo", "main"),
        ("e-100", "50% off", "a b c d e f", "main"),
    ]:
        add_texts(rounds[name], [Text.objects.create(project=project, slug=slug, title=title, content=content)])
    return project


@pytest.fixture
def listed(signed_in, charlie, corpus):
    """Return a function that returns the page at an address."""
    client = signed_in(charlie)
    return lambda query="": client.get(f"{URL}{query}").content.decode()


def slugs(page):
    return re.findall(r'<th scope="row"><a href="/projects/tea/texts/([^/]+)/">', page)


def cells(page, slug):
    row = page.partition(f"/texts/{slug}/")[2].partition("</tr>")[0]
    return [" ".join(re.sub("<[^>]*>", " ", cell).split()) for cell in re.findall("<td.*?</td>", row, re.DOTALL)]


def test_row_shows_round_sizes_and_progress_of_coders(listed, codings, keys, alice):
    judge(codings["bob"], keys["a"], "none")
    submit_coding(codings["alice"], alice)
    assert cells(listed(), "tea")[:4] == ["main", "19", "6", "alice 0/6 submitted to complete bob 1/6"]
    assert cells(listed(), "b-ten")[:4] == ["main", "4", "0", "not assigned"]
    assert 'href="/projects/tea/texts/tea/?coder=bob"' in listed()


def test_address_searches_and_sorts_texts(listed):
    for query, order in (
        ("", ["b-ten", "c-two", "d-ark", "e-100", "tea"]),
        ("?sort=title", ["e-100", "d-ark", "b-ten", "c-two", "tea"]),
        ("?sort=-words", ["tea", "e-100", "b-ten", "d-ark", "c-two"]),
        ("?sort=markables", ["b-ten", "c-two", "d-ark", "e-100", "tea"]),
        ("?sort=round", ["c-two", "b-ten", "d-ark", "e-100", "tea"]),
        ("?q=part", ["b-ten", "c-two"]),
        ("?q=PART+2", ["c-two"]),
        ("?q=%25", ["e-100"]),
        ("?q=_", []),
        ("?round=main&sort=-slug", ["tea", "e-100", "d-ark", "b-ten"]),
        ("?round=ghost&sort=ghost&page=ghost", ["b-ten", "c-two", "d-ark", "e-100", "tea"]),
    ):
        assert slugs(listed(query)) == order, query
    found = listed("?q=part&sort=words")
    assert "?q=part&amp;sort=-words" in found
    assert 'aria-sort="ascending"' in found
    assert "?q=part&amp;sort=title" in found


def test_positions_order_before_slugs(listed, corpus):
    corpus.texts.filter(slug="tea").update(position=1)
    corpus.texts.filter(slug="b-ten").update(position=2)
    assert slugs(listed()) == ["c-two", "d-ark", "e-100", "tea", "b-ten"]


def test_long_list_has_pages(listed, monkeypatch):
    monkeypatch.setattr(listing, "PAGE_SIZE", 2)
    pages = [slugs(listed(f"?page={number}")) for number in (1, 2, 3)]
    assert pages == [["b-ten", "c-two"], ["d-ark", "e-100"], ["tea"]]
    assert "sort=title&amp;page=2" in listed("?sort=title")


def test_page_takes_fixed_number_of_queries(manager, alice, bob, corpus, django_assert_max_num_queries):
    with django_assert_max_num_queries(9) as before:
        assert manager.get(URL).status_code == 200
    assign_texts(corpus, corpus.texts.all(), [alice, bob])
    with django_assert_max_num_queries(len(before)):
        manager.get(URL)


def test_list_names_first_coders_and_text_pages_versions(listed, signed_in, charlie, monkeypatch):
    monkeypatch.setattr("annotations.texts.listing.MAX_CODERS", 1)
    assert cells(listed(), "tea")[-2] == "alice 0/6 and 1 more"
    monkeypatch.setattr("annotations.web.shared.PAGE_SIZE", 1)
    client = signed_in(charlie)
    shown = {}
    for query in ("", "?versions=2", "?coder=bob"):
        page = client.get(f"{URL}tea/{query}").content.decode()
        shown[query] = re.findall(r'<span class="texts-version[^>]*><a href="[^"]*"[^>]*>(\w+)</a>', page)
        assert page.count(">Unassign</button>") == 1
    assert shown == {"": ["alice"], "?versions=2": ["bob"], "?coder=bob": ["bob"]}
