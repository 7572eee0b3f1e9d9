"""What the baseline links in small texts, and whole runs of it against a live server."""

from __future__ import annotations

import re

import pytest

from coindex.client import judge
from examples.assignments import CannotCode, Mention, categories_of
from examples.baseline_coder import find_antecedents, head_of, main


def mentions_in(marked, speakers=""):
    """Return the mentions of a text in which they are in brackets; `speakers` has who says each, a letter a mention."""
    opened, found, content = [], [], ""
    for piece in re.split(r"([\[\]])", marked):
        if piece == "[":
            opened.append(len(content))
        elif piece == "]":
            found.append((opened.pop(), len(content)))
        else:
            content += piece
    found.sort(key=lambda span: (span[0], -span[1]))
    return [
        Mention(str(number), content[start:end], ((start, end),), speaker=speakers[number - 1 : number])
        for number, (start, end) in enumerate(found, 1)
    ]


def links(mentions):
    return {key: antecedent for key, antecedent in find_antecedents(mentions).items() if antecedent}


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("[The kettle] is on [the stove]. [It] is hot.", {"3": "2"}),
        ("[The old kettle] sings. [A KETTLE]!", {"2": "1"}),
        ("[The kettle on the stove] and [the stove]", {}),
        ("[The king] left. [The king's] men and [the King’s]", {"2": "1", "3": "2"}),
        ("[[His] mother] called. [She] waits for [him].", {"3": "1", "4": "2"}),
        ("[The queen] met [the king]. [She] left.", {"3": "1"}),
        ("[The boys] saw [a cat]. [They] ran, and [it] ran.", {"3": "1", "4": "2"}),
        ("[Tom and Ann] met [the bus]. [They] waved.", {"3": "1"}),
        ("[I] lost [my] hat. [You] found it for [me].", {"2": "1", "4": "2"}),
        ("[Those] who came saw [who]. [Who] knows?", {}),
        ("[It] rains.", {}),
        ("[The] and [the]", {"2": "1"}),
        ("[...] and [...]", {}),
    ],
)
def test_baseline_links_heads_and_pronouns(marked, expected):
    assert links(mentions_in(marked)) == expected


def test_dialogue_links_first_and_second_person_within_speaker():
    assert links(mentions_in("[I] see [you]. [I] see. [You] do. [Mine]!", "AABBA")) == {"5": "1"}


def test_head_given_by_text_is_used():
    assert head_of(Mention("1", "Queen Anne the Great", ((0, 20),), head="Anne")) == "anne"


@pytest.mark.parametrize(
    ("scheme", "answers"),
    [
        ("muc-ident", [("none", [], []), ("none", [], []), ("ident", ["b"], []), ("ident", ["b"], [])]),
        (
            "passonneau-2004",
            [("refers", [], ["1"]), ("refers", [], ["2"]), ("refers", [], ["2"]), ("refers", [], ["2"])],
        ),
    ],
)
def test_baseline_codes_and_submits_text_once(coder, capsys, scheme, answers):
    client = coder(scheme)
    assert main(["--submit"]) == 0
    assert capsys.readouterr().out == "kitchen/soup (main): 4 judged; submitted\n"
    state = client.coding("kitchen", "soup").state
    labels = {markable["key"]: markable["label"] for markable in state["markables"]}
    found = {
        labels[key]: (judgement["category"], [labels[target] for target in judgement["pointers"]], judgement["indices"])
        for key, judgement in state["judgements"].items()
    }
    assert found == dict(zip("abcd", answers, strict=True))
    assert state["coding"]["status"] == "submitted"
    assert main([]) == 0
    assert capsys.readouterr().out == ""


def test_baseline_keeps_judgements_and_judges_rest(coder, capsys):
    client = coder("muc-ident")
    coding = client.coding("kitchen", "soup")
    key = coding.state["markables"][3]["key"]
    client.save(coding, [judge(key, "none")])
    assert main(["--project", "kitchen", "--text", "soup"]) == 0
    assert capsys.readouterr().out == "kitchen/soup (main): 3 judged\n"
    state = client.coding("kitchen", "soup").state
    assert (state["judgements"][key]["category"], state["coding"]["status"]) == ("none", "open")


def test_baseline_ignores_texts_of_other_coders(coder, connect, monkeypatch, capsys):
    coder("muc-ident")
    monkeypatch.setenv("COINDEX_KEY", connect("charlie").http.headers["Authorization"].removeprefix("Bearer "))
    assert main([]) == 0
    assert capsys.readouterr().out == ""


def test_baseline_refuses_scheme_without_chains(coder, capsys):
    coder("sortal-classes")
    assert main([]) == 1
    assert "The scheme asks for categories alone: this program codes chains" in capsys.readouterr().err


def test_error_names_missing_key(monkeypatch, capsys):
    monkeypatch.delenv("COINDEX_KEY", raising=False)
    monkeypatch.setenv("COINDEX_URL", "http://127.0.0.1:9")
    assert main([]) == 2
    assert "Set COINDEX_KEY" in capsys.readouterr().err


def test_categories_of_refuses_pyramids_and_ambiguous_new_category():
    with pytest.raises(CannotCode, match="pyramids"):
        categories_of({"answers": "scus"})
    category = {"levels": ["phrase"], "identity": None, "takes_index": False, "retired": False}
    relation = {"to_levels": ["phrase"], "retired": False}
    scheme = {
        "answers": "pointers",
        "levels": [{"key": "phrase", "coded": True}],
        "constraints": {
            "categories": {"old": category | {"identity": "old"}, "first": category, "only": category},
            "relations": {"old": relation},
        },
    }
    with pytest.raises(CannotCode, match=r"Say by --new .*: first, only"):
        categories_of(scheme)
    assert categories_of(scheme, "only").new == "only"
