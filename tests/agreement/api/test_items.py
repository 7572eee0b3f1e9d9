"""GET /api/v1/projects/SLUG/agreement/items/ and one item."""

import pytest

from agreement.discussion import set_flag
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
    judge(bob, keys["c"], "place", unsure=True, note=" or the stove ")
    judge(alice, keys["d"], "phrase", keys["a"])
    judge(bob, keys["d"], "phrase", keys["a"], keys["b"])
    judge(alice, keys["e"], "none")
    hand_in(project)


def test_an_item_tells_words_values_and_relations(signed_in, charlie, judged, keys):
    found = {item["label"]: item for item in signed_in(charlie).get(URL).json()["results"]}
    assert set(found) == set("abcd")
    assert found["c"] == {
        "text": "tea", "title": "Tea", "round": "main", "key": keys["c"], "words": "it", "label": "c",
        "n_coders": 2, "n_values": 2, "relations": {"category": 1}, "n_ambiguous": 0, "camps": False, "verdict": "",
        "n_pointers": 0, "chain_size": 3, "flagged": False,
        **{name: found["c"][name] for name in ("share", "observed", "posterior")},
        "in_context": {
            "before": "put the kettle on the stove / is ", "words": "it",
            "after": " hot? / it will be, give it a minute / that is fine",
        },
        "answers": [
            {"coder": "alice", "category": "phrase", "category_label": "phrase", "antecedents": ["the kettle"],
             "targets": [keys["a"]], "unsure": False, "note": ""},
            {"coder": "bob", "category": "place", "category_label": "place", "antecedents": [], "targets": [],
             "unsure": True, "note": "or the stove"},
        ],
    }  # fmt: skip
    # two coders who differ: nobody can tell
    assert 0 < found["a"]["posterior"] < found["c"]["posterior"] < 0.5
    assert 0 < found["d"]["posterior"] < 0.5
    assert [found[label]["n_pointers"] for label in "abcd"] == [3, 1, 0, 0]
    assert [found[label]["chain_size"] for label in "abcd"] == [3, 2, 3, 3]
    assert (found["d"]["n_ambiguous"], found["d"]["camps"]) == (1, False)
    assert found["d"]["relations"] == {"subsumption": 1} or found["d"]["relations"] == {"intersection": 1}
    assert found["a"]["relations"] == {"identity": 1}


def test_items_come_in_pages_that_lead_to_each_other(signed_in, charlie, judged):
    client = signed_in(charlie)
    whole = [item["key"] for item in client.get(URL).json()["results"]]
    first = client.get(URL, {"page_size": 3, "sort": "text"}).json()
    second = client.get(first["next"]).json()
    assert [item["label"] for item in first["results"] + second["results"]] == ["a", "b", "c", "d"]
    assert (first["previous"], second["next"]) == (None, None)
    assert client.get(second["previous"]).json()["results"] == first["results"]
    assert len(whole) == 4
    assert len(client.get(URL, {"page_size": 10**9}).json()["results"]) == 4
    assert client.get(URL, {"cursor": "ghost"}).status_code == 404


def test_who_does_not_discuss_learns_nothing_of_flags(signed_in, people, judged, text, keys):
    set_flag(text.markables.get(key=keys["a"]), people["manager"], True)
    seen = {
        role: {item["label"]: item["flagged"] for item in signed_in(people[role]).get(URL).json()["results"]}
        for role in ("manager", "viewer")
    }
    assert seen["manager"] == {"a": True, "b": False, "c": False, "d": False}
    assert set(seen["viewer"].values()) == {None}
    assert signed_in(people["viewer"]).get(URL, {"flag": "set"}).status_code == 400
    assert len(signed_in(people["manager"]).get(URL, {"flag": "set"}).json()["results"]) == 1


def test_one_item_shows_every_coders_value_and_every_pair(signed_in, charlie, judged, keys):
    found = signed_in(charlie).get(f"{URL}tea/{keys['c']}/").json()
    assert (found["text"], found["key"]) == ("tea", keys["c"])
    assert found["values"] == [
        {"coder": "alice", "category": None, "chain": [keys["a"], keys["c"], keys["d"]]},
        {"coder": "bob", "category": "place", "chain": None},
    ]
    assert [(one["coder"], one["category"], one["note"]) for one in found["answers"]] == [
        ("alice", "phrase", ""),
        ("bob", "place", "or the stove"),
    ]
    [pair] = found["pairs"]
    assert (pair["first"], pair["second"], pair["relation"]) == ("alice", "bob", "category")
    assert set(pair["distances"].values()) == {1.0}
    of_two = signed_in(charlie).get(f"{URL}tea/{keys['d']}/").json()["values"]
    assert of_two[1]["chain"] == [keys["a"], keys["b"], keys["d"]]  # in the order of the text
    alone = signed_in(charlie).get(f"{URL}tea/{keys['e']}/").json()
    assert ([value["coder"] for value in alone["values"]], alone["pairs"]) == (["alice"], [])
