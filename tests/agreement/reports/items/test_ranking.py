"""Order of items, camps of coders, and counts of ambiguity."""

from itertools import combinations

import pytest

from agreement.data.reading import read_answers
from agreement.reports.items import AmbiguityCounts, ItemFilters, compute_items, summarize_ambiguity
from agreement.reports.parameters import Parameters
from annotations.models import Judgement, Markable, Pointer
from tests.shared.agreeing import WALK, answer, coded_project, hand_in, table
from tests.shared.coding import judge

pytestmark = pytest.mark.django_db

MARKED = " ".join(f"[w{number}](m{number})" for number in range(8))


def make_project(*coders):
    """Make a project of one text without judgements, and return it with its keys."""
    project = coded_project("walk", "poesio-artstein-2005", MARKED, coders=coders)
    return project, list(project.texts.get().markables.order_by("start").values_list("key", flat=True))


def ranked(project, sort="share"):
    found = compute_items(read_answers(hand_in(project)), Parameters())
    label = dict(Markable.objects.values_list("pk", "key"))
    return [(label[int(found.unit[row])], row) for row in found.select(ItemFilters(sort=sort)).tolist()], found


@pytest.fixture
def tied():
    """Make two coders differ on four items; the last is the target of a pointer."""
    project, keys = make_project("alice", "bob")
    for coding in project.texts.get().codings.of_people().select_related("coder"):
        mine = coding.coder.username == "alice"
        for key in keys[:3]:
            judge(coding, key, "place" if mine else "none")
        judge(coding, keys[4], "place" if mine else "none")
        if mine:
            judge(coding, keys[5], "phrase", keys[4])
    return project, keys


def test_ties_are_sorted_by_number_of_links(tied):
    project, keys = tied
    order, found = ranked(project)
    assert len({round(float(found.share_of(row)), 9) for _, row in order[:4]}) == 1
    assert [key for key, _ in order[:4]] == [keys[4], *keys[:3]]
    for unit, pointers in zip(found.unit.tolist(), found.pointers.tolist(), strict=True):
        assert pointers == Pointer.objects.filter(target=unit).count()
    assert found.pointers.tolist() == [0, 0, 0, 1]
    assert found.chain.tolist() == [0, 0, 0, 2]


@pytest.mark.parametrize(("coders", "split"), [("ab", False), ("abc", False), ("abcd", True), ("abcde", True)])
def test_camps_need_four_coders(coders, split):
    project, keys = make_project(*coders)
    for number, coding in enumerate(
        project.texts.get().codings.of_people().select_related("coder").order_by("coder__username")
    ):
        judge(coding, keys[0], "place" if number < len(coders) // 2 else "none")
    [(_, row)], found = ranked(project)
    answers = list(Judgement.objects.values_list("category__key", flat=True))
    assert any(a != b for a, b in combinations(answers, 2))
    assert bool(found.camps[row]) is split


@pytest.fixture
def marked(project, codings, keys):
    """Make two of Alice's four answers and one of Bob's three ambiguous."""
    alice, bob = codings["alice"], codings["bob"]
    judge(alice, keys["a"], "place")
    judge(alice, keys["b"], "phrase", keys["a"])
    judge(alice, keys["c"], "phrase", keys["a"], keys["b"])
    judge(alice, keys["d"], "phrase", keys["a"], keys["b"], keys["c"])
    judge(bob, keys["a"], "place")
    judge(bob, keys["c"], "phrase", keys["a"], keys["b"])
    judge(bob, keys["d"], "none")
    return hand_in(project)


def test_ambiguity_is_counted_by_category_and_coder(marked):
    found = summarize_ambiguity(read_answers(marked), Parameters())
    counted = {(row.kind, row.name): row for row in found}
    assert found[0] == AmbiguityCounts("all", "", 2, 4, 3, 7)
    assert counted["category", "phrase"] == AmbiguityCounts("category", "phrase", 2, 3, 3, 4)
    assert counted["category", "place"] == AmbiguityCounts("category", "place", 0, 1, 0, 2)
    assert counted["category", "segment"].share_of_units is None
    assert counted["coder", "alice"] == AmbiguityCounts("coder", "alice", 2, 4, 2, 4)
    assert counted["coder", "bob"] == AmbiguityCounts("coder", "bob", 1, 3, 1, 3)
    assert counted["coder", "bob"].share_of_judgements == 1 / 3


def test_ambiguity_counts_obey_selection(marked):
    alone = summarize_ambiguity(read_answers(marked), Parameters(coders="bob"))
    assert [row.name for row in alone if row.kind == "coder"] == ["bob"]
    assert alone[0] == AmbiguityCounts("all", "", 1, 3, 1, 3)
    without = summarize_ambiguity(read_answers(marked), Parameters(without="place"))
    assert without[0] == AmbiguityCounts("all", "", 2, 3, 3, 5)


def test_items_page_shows_ambiguity_table_only_if_used(signed_in, charlie, marked):
    client = signed_in(charlie)
    rows = table(client.get("/projects/tea/agreement/items/").content.decode(), "ambiguity")
    assert rows[0] == ["all", "", "2", "4", "50%", "3", "7", "43%"]
    assert [row[1] for row in rows] == ["", "none", "phrase", "place", "alice", "bob"]
    coded_project("walk", "sortal-classes", WALK)
    answer(coded_project("plain", "poesio-artstein-2005", WALK))
    for slug in ("walk", "plain"):
        page = client.get(f"/projects/{slug}/agreement/items/").content.decode()
        assert 'id="table-ambiguity"' not in page
