"""The page of one item."""

import re
from html import unescape

import pytest

from annotations.models import Coding, Project
from tests.shared.agreeing import hand_in
from tests.shared.coding import judge
from tests.shared.projects import make_shared_project

URL = "/projects/tea/agreement/items/tea/{}/"


@pytest.fixture(scope="module")
def judged_rows(module_rows) -> int:
    """Make items; their order by share is c (different category), d (intersection), a (no disagreement)."""
    project = make_shared_project()
    keys = dict(project.texts.get().markables.values_list("label", "key"))
    alice, bob = Coding.objects.of_people().filter(text__project=project).order_by("coder__username")
    for coding in (alice, bob):
        judge(coding, keys["a"], "none")
    judge(alice, keys["c"], "phrase", keys["a"])
    judge(bob, keys["c"], "place", unsure=True, note="a <b>hob</b>")
    judge(alice, keys["d"], "phrase", keys["a"])
    judge(bob, keys["d"], "phrase", keys["a"], keys["b"])
    judge(alice, keys["f"], "segment", keys["2"])
    return hand_in(project).pk


@pytest.fixture
def project(judged_rows, charlie):
    return Project.objects.get(pk=judged_rows)


@pytest.fixture
def show(signed_in, charlie, keys):
    client = signed_in(charlie)
    return lambda label, **asked: client.get(URL.format(keys[label]), asked)


def words(html):
    return unescape(" ".join(re.sub(r"<[^>]*>", " ", html).split()).replace(" ,", ","))


def rows(page, caption):
    body = page.partition(caption)[2].partition("</table>")[0]
    return [words(row) for row in re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL)[1:]]


@pytest.mark.parametrize(
    ("label", "answers", "chains", "relation"),
    [
        ("a", ["1 alice none –", "2 bob none –"], None, "identical"),
        (
            "c",
            ["1 alice phrase the kettle", "2 bob place unsure – Note: a <b>hob</b>"],
            ["1 alice { the kettle, it, it }"],
            "different category",
        ),
        ("d", ["1 alice phrase the kettle", "2 bob phrase the kettle or the stove ambiguous"], None, "overlap"),
        ("f", ["1 alice segment is it hot?", "2 bob no answer –"], ["1 alice { is it hot?, that }"], None),
    ],
)
def test_item_page_has_answers_chains_and_relation(show, label, answers, chains, relation):
    page = show(label).content.decode()
    assert rows(page, "What each coder answered") == answers
    assert chains in (None, rows(page, "<caption>Chains"))
    pairs = rows(page, "Every pair of coders")
    assert [row.startswith(f"alice – bob {relation} ") for row in pairs] == [True] * bool(relation)


def test_text_shows_coder_without_antecedent(show):
    page = show("c").content.decode()
    assert re.findall(r'data-coder="(\d)"', page) == ["1", "2"]
    overlay = page.partition('id="overlay"')[2].partition("</section>")[0]
    assert re.findall(r'is-current[^>]*>it</span><sup[^>]*data-of="1">1</sup><sup[^>]*data-of="2">2</sup>', overlay)
    columns = show("c", view="columns").content.decode()
    assert [words(title) for title in re.findall(r"<h3>(.*?)</h3>", columns, re.DOTALL)] == ["1 alice", "2 bob place"]


def test_item_page_links_to_neighbours(show, keys):
    def neighbours(label, **asked):
        page = show(label, **asked).content.decode()
        links = dict(re.findall(r'rel="(prev|next)" href="([^"]*)', page))
        assert all(f"{name}={value}" in address for address in links.values() for name, value in asked.items())
        place = re.search(r"item \d of \d|not among the items chosen", page)
        found = [
            next((key for key in keys.values() if f"/{key}/" in links.get(to, "")), None) for to in ("prev", "next")
        ]
        return place[0], *found

    assert neighbours("c") == ("item 1 of 3", None, keys["d"])
    assert neighbours("d", distance="dice") == ("item 2 of 3", keys["c"], keys["a"])
    assert neighbours("a") == ("item 3 of 3", keys["d"], None)
    assert neighbours("f") == ("not among the items chosen", None, None)
    assert "judged by fewer than two coders" in show("f").content.decode()
    assert neighbours("c", relation="category", sort="text") == ("item 1 of 1", None, None)
    assert neighbours("c", sort="text", distance="dice") == ("item 2 of 3", keys["a"], keys["d"])
    assert neighbours("a", relation="category") == ("not among the items chosen", None, None)
    back = re.search(r'href="([^"]*)">Items</a></li>', show("c", sort="text").content.decode())[1]
    assert "sort=text" in back


def test_columns_show_text_with_chain_of_each_coder(show):
    page = show("d", view="columns").content.decode()
    columns = page.split('<section class="card" aria-label="The chain of ')[1:]
    marked = [re.findall(r'class="markable[^"]*"[^>]*>([^<]*)<', column) for column in columns]
    assert [column.partition('"')[0] for column in columns] == ["alice", "bob"]
    assert marked == [["the kettle", "it", "it"], ["the kettle", "the stove", "it"]]
    assert 'id="overlay"' not in page
    assert "view=columns" in re.search(r'rel="(?:prev|next)" href="([^"]*)"', page)[1]
