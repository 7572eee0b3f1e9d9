"""How often coders call something ambiguous."""

import pytest

from agreement.data.reading import read_answers
from agreement.reports.items import AmbiguityCounts, summarize_ambiguity
from agreement.reports.parameters import Parameters
from tests.conftest import judge
from tests.shared.agreeing import WALK, answer, coded_project, hand_in, table


@pytest.fixture
def marked(project, codings, keys):
    """Let Alice mark two of her four answers as ambiguous, and Bob one of three."""
    alice, bob = codings["alice"], codings["bob"]
    judge(alice, keys["a"], "place")
    judge(alice, keys["b"], "phrase", keys["a"])
    judge(alice, keys["c"], "phrase", keys["a"], keys["b"])
    judge(alice, keys["d"], "phrase", keys["a"], keys["b"], keys["c"])
    judge(bob, keys["a"], "place")
    judge(bob, keys["c"], "phrase", keys["a"], keys["b"])
    judge(bob, keys["d"], "none")
    return hand_in(project)


def test_items_and_judgements_are_counted_in_all_by_category_and_by_coder(marked):
    found = summarize_ambiguity(read_answers(marked), Parameters())
    counted = {(one.kind, one.name): one for one in found}
    assert found[0] == AmbiguityCounts("all", "", 2, 4, 3, 7)
    assert counted["category", "phrase"] == AmbiguityCounts("category", "phrase", 2, 3, 3, 4)
    assert counted["category", "place"] == AmbiguityCounts("category", "place", 0, 1, 0, 2)
    assert counted["category", "segment"].share_of_units is None
    assert counted["coder", "alice"] == AmbiguityCounts("coder", "alice", 2, 4, 2, 4)
    assert counted["coder", "bob"] == AmbiguityCounts("coder", "bob", 1, 3, 1, 3)
    assert counted["coder", "bob"].share_of_judgements == 1 / 3


def test_what_is_left_out_does_not_count(marked):
    alone = summarize_ambiguity(read_answers(marked), Parameters(coders="bob"))
    assert [one.name for one in alone if one.kind == "coder"] == ["bob"]
    assert alone[0] == AmbiguityCounts("all", "", 1, 3, 1, 3)
    without = summarize_ambiguity(read_answers(marked), Parameters(without="place"))
    assert without[0] == AmbiguityCounts("all", "", 2, 3, 3, 5)


def test_the_page_of_items_has_it_where_somebody_marked_something(signed_in, charlie, marked):
    client = signed_in(charlie)
    rows = table(client.get("/projects/tea/agreement/items/").content.decode(), "ambiguity")
    assert rows[0] == ["all", "", "2", "4", "50%", "3", "7", "43%"]
    assert [row[1] for row in rows] == ["", "none", "phrase", "place", "alice", "bob"]
    coded_project("walk", "sortal-classes", WALK)
    answer(coded_project("plain", "poesio-artstein-2005", WALK))
    for slug in ("walk", "plain"):
        page = client.get(f"/projects/{slug}/agreement/items/").content.decode()
        assert 'id="table-ambiguity"' not in page
