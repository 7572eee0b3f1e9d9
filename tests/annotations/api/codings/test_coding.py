"""GET /api/v1/projects/SLUG/texts/TEXT/coding/."""

from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotations.models import Coding, Membership
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.members import add_member
from tests.shared.coding import judge, judge_all, judgement
from tests.shared.projects import make_project

URL = "/api/v1/projects/tea/texts/tea/coding/"


def test_state_has_fields_of_coding_page(signed_in, alice, codings, keys):
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
            "markable": keys["c"], "category": "phrase", "pointers": [keys["a"]], "indices": [], "note": "hm",
            "name": "", "head": [], "unsure": False, "optional": False,
        }
    }  # fmt: skip


def test_markables_are_in_text_order_with_turns_first(signed_in, alice, text):
    state = signed_in(alice).get(URL).json()
    assert [markable["label"] for markable in state["markables"]] == list("1ab2c3de4f")
    a = state["markables"][1]
    assert set(a) == {"key", "level", "label", "parts", "head", "own"}
    [[start, end]] = a["parts"]
    assert state["text"]["content"][start:end] == "the kettle"


def test_state_takes_fixed_number_of_queries(signed_in, alice):
    def cost(slug, size):
        project = make_project(slug, marked=" ".join(f"[w{number}](m{number})" for number in range(size)))
        add_member(project, alice, Membership.Role.CODER)
        assign_texts(project, project.texts.all(), [alice])
        coding = Coding.objects.of_people().get(text__project=project)
        first, *others = project.texts.get().markables.values_list("key", flat=True)
        judge_all(coding, [judgement(key, "phrase", first) for key in others])
        client = signed_in(alice)
        with CaptureQueriesContext(connection) as queries:
            answer = client.get(f"/api/v1/projects/{slug}/texts/tea/coding/")
        assert len(answer.json()["judgements"]) == size - 1
        return len(queries)

    assert cost("small", 2) == cost("large", 30) <= 14
