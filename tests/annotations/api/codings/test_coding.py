"""GET /api/v1/projects/SLUG/texts/TEXT/coding/."""

from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotations.coding.status import submit_coding
from annotations.models import Coding, Judgement, Membership
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.members import add_member
from tests.shared.coding import judge
from tests.shared.projects import make_project

URL = "/api/v1/projects/tea/texts/tea/coding/"


def test_the_state_has_all_that_the_coding_page_needs(signed_in, alice, codings, keys):
    judge(codings["alice"], keys["c"], "phrase", keys["a"], note="hm")
    state = signed_in(alice).get(URL).json()
    assert set(state) == {"project", "user", "text", "scheme", "markables", "coding", "judgements"}
    assert state["project"] == {"slug": "tea", "title": "Tea"}
    assert state["user"] == "alice"
    assert state["coding"] == {"status": "open", "version": 1, "seconds": 0}
    assert state["scheme"]["levels"] == [
        {"key": "phrase", "label": "phrase", "coded": True, "coders_mark": False},
        {"key": "turn", "label": "turn", "coded": False, "coders_mark": False},
    ]
    assert [(c["key"], c["points_to"]) for c in state["scheme"]["categories"]] == [
        ("phrase", "phrase"),
        ("segment", "turn"),
        ("place", None),
        ("none", None),
    ]
    assert state["judgements"] == {
        keys["c"]: {
            "markable": keys["c"],
            "category": "phrase",
            "pointers": [keys["a"]],
            "indices": [],
            "note": "hm",
            "name": "",
            "head": [],
            "unsure": False,
            "optional": False,
        }
    }


def test_markables_come_in_text_order_a_turn_before_what_it_holds(signed_in, alice, text):
    state = signed_in(alice).get(URL).json()
    assert [markable["label"] for markable in state["markables"]] == list("1ab2c3de4f")
    a = state["markables"][1]
    assert set(a) == {"key", "level", "label", "parts", "head", "own"}
    [[start, end]] = a["parts"]
    assert state["text"]["content"][start:end] == "the kettle"


def test_only_the_coder_who_made_a_mark_sees_it(signed_in, alice, bob, codings, text):
    level = text.project.levels.get(key="phrase")
    mark = text.markables.create(level=level, key="phrase:0-3", parts=[[0, 3]], start=0, end=3, predefined=False)
    Judgement.objects.create(coding=codings["alice"], markable=mark)
    seen = {
        person.username: {markable["key"] for markable in signed_in(person).get(URL).json()["markables"]}
        for person in (alice, bob)
    }
    assert seen["alice"] - seen["bob"] == {"phrase:0-3"}


def test_the_state_of_a_coding_handed_in_can_be_read(signed_in, alice, codings):
    submit_coding(codings["alice"], alice)
    assert signed_in(alice).get(URL).json()["coding"] == {"status": "submitted", "version": 1, "seconds": 0}


def test_the_state_costs_the_same_queries_at_any_size(signed_in, alice):
    def cost(slug, size):
        project = make_project(slug, marked=" ".join(f"[w{number}](m{number})" for number in range(size)))
        add_member(project, alice, Membership.Role.CODER)
        assign_texts(project, project.texts.all(), [alice])
        coding = Coding.objects.of_people().get(text__project=project)
        first, *others = project.texts.get().markables.values_list("key", flat=True)
        for key in others:
            judge(coding, key, "phrase", first)
        client = signed_in(alice)
        with CaptureQueriesContext(connection) as queries:
            answer = client.get(f"/api/v1/projects/{slug}/texts/tea/coding/")
        assert len(answer.json()["judgements"]) == size - 1
        return len(queries)

    assert cost("small", 2) == cost("large", 30) <= 14
