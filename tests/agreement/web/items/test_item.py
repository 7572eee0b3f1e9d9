"""The page of one item."""

import re
from html import unescape

import pytest

from tests.conftest import judge
from tests.shared.agreeing import hand_in

URL = "/projects/tea/agreement/items/tea/{}/"


@pytest.fixture
def judged(project, codings, keys):
    """Make items; their order by share is c (a clash of categories), d (intersection), a (no disagreement)."""
    alice, bob = codings["alice"], codings["bob"]
    for coding in (alice, bob):
        judge(coding, keys["a"], "none")
    judge(alice, keys["c"], "phrase", keys["a"])
    judge(bob, keys["c"], "place", unsure=True, note="a <b>hob</b>")
    judge(alice, keys["d"], "phrase", keys["a"])
    judge(bob, keys["d"], "phrase", keys["a"], keys["b"])
    judge(alice, keys["f"], "segment", keys["2"])
    hand_in(project)


@pytest.fixture
def show(signed_in, charlie, judged, keys):
    def show(label, **asked):
        return signed_in(charlie).get(URL.format(keys[label]), asked)

    return show


def words(html):
    return unescape(" ".join(re.sub(r"<[^>]*>", " ", html).split()).replace(" ,", ","))


def rows(page, caption):
    body = page.partition(caption)[2].partition("</table>")[0]
    return [words(row) for row in re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL)[1:]]


def test_each_coders_answer_is_shown(show):
    page = show("c").content.decode()
    assert rows(page, "What each coder answered") == [
        "1 alice phrase the kettle",
        "2 bob place unsure – Note: a <b>hob</b>",
    ]
    assert rows(page, "<caption>Chains") == ["1 alice { the kettle, it, it }"]


def test_several_antecedents_of_a_coder_are_alternatives(show):
    found = rows(show("d").content.decode(), "What each coder answered")
    assert found == ["1 alice phrase the kettle", "2 bob phrase the kettle or the stove ambiguous"]


def test_a_coder_who_named_no_antecedent_is_in_the_text_too(show):
    page = show("c").content.decode()
    assert re.findall(r'data-coder="(\d)"', page) == ["1", "2"]
    overlay = page.partition('id="overlay"')[2].partition("</section>")[0]
    assert re.findall(r'is-current[^>]*>it</span><sup[^>]*data-of="1">1</sup><sup[^>]*data-of="2">2</sup>', overlay)
    columns = show("c", view="columns").content.decode()
    assert [words(one) for one in re.findall(r"<h3>(.*?)</h3>", columns, re.DOTALL)] == ["1 alice", "2 bob place"]


def test_a_turn_in_a_chain_is_shown_by_its_words(show):
    page = show("f").content.decode()
    assert rows(page, "What each coder answered") == ["1 alice segment is it hot?", "2 bob no answer –"]
    assert rows(page, "<caption>Chains") == ["1 alice { is it hot?, that }"]


def test_every_pair_has_its_relation(show):
    for label, relation in (("c", "different category"), ("d", "overlap"), ("a", "identical")):
        [pair] = rows(show(label).content.decode(), "Every pair of coders")
        assert pair.startswith(f"alice – bob {relation} ")


def test_one_can_walk_from_item_to_item_by_share(show, keys):
    def neighbours(label):
        page = show(label).content.decode()
        links = dict(re.findall(r'rel="(prev|next)" href="[^"]*/items/tea/([^/]*)/', page))
        return links.get("prev"), links.get("next")

    assert neighbours("c") == (None, keys["d"])
    assert neighbours("d") == (keys["c"], keys["a"])
    assert neighbours("a") == (keys["d"], None)
    assert neighbours("f") == (None, None)


def test_the_place_of_the_item_is_told(show):
    assert "item 2 of 3" in show("d").content.decode()
    assert "judged by fewer than two coders" in show("f").content.decode()


def test_parameters_are_kept_on_the_way(show):
    page = show("d", distance="dice").content.decode()
    assert "distance=dice" in re.search(r'rel="next" href="([^"]*)"', page)[1]


@pytest.mark.parametrize("address", ["tea/phrase:900-901/", "ghost/phrase:4-14/", "tea/turn:0-27/", "tea/%00/"])
def test_an_unknown_unit_is_not_there(signed_in, charlie, judged, address):
    assert signed_in(charlie).get(f"/projects/tea/agreement/items/{address}").status_code == 404


def test_previous_and_next_keep_filters_and_order(show, keys):
    asked = {"relation": "category", "sort": "text", "distance": "dice"}
    page = show("c", **asked).content.decode()
    assert "item 1 of 1" in page
    assert not re.search(r'rel="(prev|next)"', page)
    page = show("c", sort="text", distance="dice").content.decode()
    found = dict(re.findall(r'rel="(prev|next)" href="([^"]*)"', page))
    assert keys["a"] in found["prev"]
    assert keys["d"] in found["next"]
    for address in found.values():
        assert "sort=text" in address
        assert "distance=dice" in address
    back = re.search(r'href="([^"]*)">Items</a></li>', page)[1]
    assert "sort=text" in back


def test_an_item_that_the_filters_leave_out_has_no_neighbours(show):
    page = show("a", relation="category").content.decode()
    assert "not among the items chosen" in page
    assert not re.search(r'rel="(prev|next)"', page)


def test_a_wrong_filter_gets_400_and_its_name(show):
    for name in ("relation", "ambiguity", "sort", "category", "level", "flag"):
        reply = show("d", **{name: "<b>"})
        assert reply.status_code == 400
        assert f"<p>{name}: " in reply.content.decode()
        assert "item 2 of 3" in reply.content.decode()


def test_side_by_side_each_coder_has_the_text_with_their_own_chain(show):
    page = show("d", view="columns").content.decode()
    columns = page.split('<section class="card" aria-label="The chain of ')[1:]
    marked = [re.findall(r'class="markable[^"]*"[^>]*>([^<]*)<', column) for column in columns]
    assert [column.partition('"')[0] for column in columns] == ["alice", "bob"]
    assert marked == [["the kettle", "it", "it"], ["the kettle", "the stove", "it"]]
    assert 'id="overlay"' not in page
    assert "view=columns" in re.search(r'rel="(?:prev|next)" href="([^"]*)"', page)[1]


def test_a_view_that_is_not_there_is_named(show):
    answer = show("d", view="ghost")
    assert answer.status_code == 400
    assert "view: " in answer.content.decode()
