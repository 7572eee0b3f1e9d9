"""GET /api/v1/projects/SLUG/agreement/items/ and one item."""

import pytest

from agreement.data.extract import extract
from agreement.reports.items import items
from agreement.reports.parameters import PRESETS
from tests.conftest import judge
from tests.shared.agreeing import hand_in

URL = "/api/v1/projects/tea/agreement/items/"


@pytest.fixture
def judged(project, codings, keys):
    """Let Alice and Bob differ on c by category and on d by one more antecedent, and agree on a."""
    alice, bob = codings["alice"], codings["bob"]
    for coding in (alice, bob):
        judge(coding, keys["a"], "none")
        judge(coding, keys["b"], "none")
    judge(alice, keys["c"], "phrase", keys["a"])
    judge(bob, keys["c"], "place")
    judge(alice, keys["d"], "phrase", keys["a"])
    judge(bob, keys["d"], "phrase", keys["a"], keys["b"])
    judge(alice, keys["e"], "none")
    hand_in(project)


def test_items_are_those_of_the_report_the_largest_share_first(signed_in, charlie, project, judged):
    found = signed_in(charlie).get(URL).json()
    expected = items.compute_items(extract(project), PRESETS["poesio-artstein-2005"].parameters)
    pks = dict(project.texts.get().markables.values_list("key", "pk"))
    rows = expected.select(items.ItemFilters())
    assert [(pks[item["key"]], item["share"]) for item in found] == [
        (int(expected.unit[row]), float(expected.share[row])) for row in rows
    ]
    shares = [item["share"] for item in found]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1)


def test_an_item_tells_words_values_and_relations(signed_in, charlie, judged, keys):
    found = {item["label"]: item for item in signed_in(charlie).get(URL).json()}
    assert set(found) == set("abcd")
    assert found["c"] == {
        "text": "tea",
        "key": keys["c"],
        "words": "it",
        "label": "c",
        "share": found["c"]["share"],
        "observed": found["c"]["observed"],
        "n_coders": 2,
        "n_values": 2,
        "relations": {"category": 1},
        "n_ambiguous": 0,
        "camps": False,
    }
    assert (found["d"]["n_ambiguous"], found["d"]["camps"]) == (1, False)
    assert found["d"]["relations"] == {"subsumption": 1} or found["d"]["relations"] == {"intersection": 1}
    assert found["a"]["relations"] == {"identity": 1}


def test_one_item_shows_every_coders_value_and_every_pair(signed_in, charlie, judged, keys):
    found = signed_in(charlie).get(f"{URL}tea/{keys['c']}/").json()
    assert (found["text"], found["key"]) == ("tea", keys["c"])
    assert found["values"] == [
        {"coder": "alice", "category": None, "chain": [keys["a"], keys["c"], keys["d"]]},
        {"coder": "bob", "category": "place", "chain": None},
    ]
    [pair] = found["pairs"]
    assert (pair["first"], pair["second"], pair["relation"]) == ("alice", "bob", "category")
    assert set(pair["distances"].values()) == {1.0}


def test_a_chain_of_one_coder_names_its_members_in_text_order(signed_in, charlie, judged, keys):
    found = signed_in(charlie).get(f"{URL}tea/{keys['d']}/").json()
    assert found["values"][1]["chain"] == [keys["a"], keys["b"], keys["d"]]


def test_an_item_that_one_coder_judged_has_no_pair(signed_in, charlie, judged, keys):
    found = signed_in(charlie).get(f"{URL}tea/{keys['e']}/").json()
    assert [value["coder"] for value in found["values"]] == ["alice"]
    assert found["pairs"] == []


@pytest.mark.parametrize("address", ["tea/phrase:900-901/", "ghost/phrase:4-14/", "tea/turn:0-27/", "tea/x%00/"])
def test_an_unknown_unit_is_not_there(signed_in, charlie, judged, address):
    answer = signed_in(charlie).get(URL + address)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_the_anonymous_are_refused(client, project):
    assert client.get(URL).status_code in (401, 403)
