"""Plans and pools by the API."""

import pytest

from annotations.models import Coding, Plan
from annotations.planning.plans.plans import apply_plan
from annotations.projects.people.members import add_member
from tests.shared.plans import make_large_project, plan_request
from tests.shared.projects import person

PLAN = {"design": "k", "k": 2, "seed": 7}


@pytest.fixture
def large(db):
    return make_large_project()


@pytest.fixture
def manager(large, signed_in):
    return signed_in(person("charlie"))


def post(client, address, body, **headers):
    return client.post(f"/api/v1/projects/large/{address}/", body, content_type="application/json", headers=headers)


def test_preview_and_applied_plan_are_identical(manager):
    shown = post(manager, "plans", PLAN)
    assert shown.status_code == 200
    assert not Coding.objects.of_people().exists()
    applied = post(manager, "plans", {**PLAN, "apply": True})
    assert applied.content == shown.content == post(manager, "plans", PLAN).content
    plan = applied.json()
    assert {(row["text"], name) for row in plan["assignments"] for name in row["coders"]} == set(
        Coding.objects.of_people().values_list("text__slug", "coder__username")
    )
    assert (plan["design"], plan["k"], plan["seed"], plan["round"], plan["connected"]) == ("k", 2, 7, "main", True)


def test_plans_are_listed_with_their_coders(manager, django_assert_max_num_queries):
    post(manager, "plans", {**PLAN, "weights": {"ann": 0.5}, "coders": ["ann", "ben"], "apply": True})
    with django_assert_max_num_queries(8):
        [plan] = manager.get("/api/v1/projects/large/plans/").json()["results"]
    assert plan == {
        "round": "main", "design": "k", "k": 2, "share": None, "blocks": None, "calibration": 0, "seed": 7,
        "pool": False, "due_on": None,
        "coders": [
            {"coder": "ann", "weight": 0.5, "maximum": None}, {"coder": "ben", "weight": 1.0, "maximum": None},
        ],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"design": "k", "round": "ghost"}, "There is no round 'ghost'"),
        ({"design": "k", "weights": {"ann": 0}}, "greater than or equal"),
    ],
)
def test_wrong_plans_are_refused_with_reason(manager, body, reason):
    answer = post(manager, "plans", {**body, "apply": True})
    assert answer.status_code == 400
    assert reason in answer.content.decode()
    assert not Plan.objects.exists()


def test_coding_manager_cannot_move_work_of_others(large, signed_in):
    add_member(large, person("maya"), "manager-coder")
    client = signed_in(person("maya"))
    assert post(client, "plans", {**PLAN, "apply": True}).status_code == 200
    assert "does not move" in post(client, "plans", {**PLAN, "move": True}).content.decode()


def test_coder_takes_texts_from_pool(large, signed_in):
    apply_plan(large, plan_request(pool=True))
    client = signed_in(person("ann"))
    assert client.get("/api/v1/projects/large/pool/").json() == [{"round": "main", "free": True}]
    taken = post(client, "pool", {})
    assert taken.status_code == 201
    coding = Coding.objects.of_people().get()
    assert taken.json()["text"] == coding.text.slug
    assert coding.coder == person("ann")
    assert "no pool" in post(client, "pool", {"round": "ghost"}).content.decode()
