"""The API and pages of training: results, decisions, gold and feedback."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotations.adjudication.ownership import open_gold
from annotations.coding.status import submit_coding
from annotations.models import Coding, Membership, Project
from annotations.planning.rounds import add_texts, create_round
from annotations.planning.work.assignments import assign_texts
from tests.annotations.web.transfers.test_import import CONLL
from tests.shared.coding import change, close_gold, judge
from tests.shared.projects import make_project

ROUND = "/api/v1/projects/tea/rounds/training/"
OWN = "/api/v1/projects/tea/texts/tea/coding/"


@pytest.fixture
def trained(project, text, alice, bob, charlie, keys):
    """Return Alice's submitted coding of a training round with submitted gold; Bob has not begun."""
    round_ = create_round(project, "training", kind="training", pass_measure="category", pass_mark=1)
    add_texts(round_, [text])
    assign_texts(project, [text], [alice, bob], round_)
    gold = open_gold(project, text, "training", charlie)
    judge(gold, keys["a"], "place", note="Said where.")
    judge(gold, keys["b"], "place")
    close_gold(gold)
    coding = (
        Coding.objects.of_people()
        .select_related("text__project", "coder", "round__project")
        .get(coder=alice, round=round_)
    )
    judge(coding, keys["a"], "place")
    submit_coding(coding, alice)
    return coding


def test_coders_see_own_results_and_managers_all(trained, signed_in, alice, bob, charlie):
    [own] = signed_in(alice).get(f"{ROUND}training/").json()["results"]
    assert (own["coder"], own["passed"], own["best"], own["may_try"]) == ("alice", False, 0.5, False)
    assert own["attempts"] == [
        {
            "text": "tea", "number": 1, "status": "submitted", "has_gold": True, "score": 0.5,
            "shares": [
                {"question": "category", "label": "Category", "equal": 1, "total": 2},
                {"question": "category.chain", "label": "Chain", "equal": 1, "total": 2},
            ],
            "passed": False, "counts": True,
        }
    ]  # fmt: skip
    [bobs] = signed_in(bob).get(f"{ROUND}training/").json()["results"]
    assert (bobs["coder"], bobs["attempts"][0]["has_gold"], bobs["attempts"][0]["score"]) == ("bob", False, None)
    assert [row["coder"] for row in signed_in(charlie).get(f"{ROUND}training/").json()["results"]] == ["alice", "bob"]


def test_manager_decides_with_reason(trained, signed_in, charlie, alice):
    client, said = signed_in(charlie), {"coder": "alice", "outcome": "passed", "reason": "The text was hard."}
    answer = client.post(f"{ROUND}training/decisions/", said, "application/json")
    assert (answer.status_code, answer.json()["decided_by"]) == (201, "charlie")
    [own] = signed_in(alice).get(f"{ROUND}training/").json()["results"]
    assert (own["passed"], own["decisions"][0]["reason"]) == (True, "The text was hard.")
    assert client.post(f"{ROUND}training/decisions/", said | {"reason": " "}, "application/json").status_code == 400
    assert client.post(f"{ROUND}training/decisions/", said | {"coder": "x"}, "application/json").status_code == 400


def test_feedback_has_all_gold_after_submission(trained, signed_in, alice, bob, keys):
    feedback = signed_in(alice).get(f"{OWN}feedback/?round=training").json()
    assert feedback["is_whole"]
    assert [(item["markable"], item["is_as_gold"], item["explanation"]) for item in feedback["items"]] == [
        (keys["a"], True, "Said where."),
        (keys["b"], False, ""),
    ]
    assert signed_in(bob).get(f"{OWN}feedback/?round=training").status_code == 404
    assert signed_in(alice).get(f"{OWN}feedback/?round=main").status_code == 404


def test_immediate_feedback_has_only_checked_items(trained, signed_in, bob, keys, charlie):
    answer = signed_in(charlie).patch(ROUND, {"feedback": "judgement"}, "application/json", headers={"If-Match": "*"})
    assert answer.json()["feedback"] == "judgement"
    client, address = signed_in(bob), f"{OWN}operations/?round=training"

    def send(version, kind, **payload):
        made = change(kind, **payload)
        operation = {"uuid": str(made.uuid), "kind": kind, "payload": payload}
        return client.post(address, {"version": version, "operations": [operation]}, "application/json")

    assert send(0, "check", markable=keys["b"]).json()["code"] == "incomplete"
    assert client.get(f"{OWN}feedback/?round=training").json() == {"is_whole": False, "items": []}
    send(0, "judge", markable=keys["b"], category="none")
    assert send(1, "check", markable=keys["b"]).status_code == 200
    [item] = client.get(f"{OWN}feedback/?round=training").json()["items"]
    assert (item["is_as_gold"], item["category"], item["gold_category"]) == (False, "none", "place")


def test_api_opens_and_lists_gold(trained, signed_in, charlie, alice):
    client = signed_in(charlie)
    [row] = client.get("/api/v1/projects/tea/gold/?round=training").json()["results"]
    assert (row["text"], row["state"], row["adjudicator"]) == ("tea", "closed", "charlie")
    address = "/api/v1/projects/tea/rounds/main/gold/"
    assert client.post(address, {"text": "tea"}, "application/json").json()["code"] == "early"
    made = client.post(address, {"text": "tea", "early": True}, "application/json")
    assert (made.status_code, made.json()["status"]) == (201, "open")
    assert signed_in(alice).post(f"{ROUND}gold/", {"text": "tea"}, "application/json").status_code == 403


@pytest.mark.parametrize("role", ["coder", "manager-coder", "viewer"])
def test_open_results_hide_training_of_others(trained, signed_in, mallory, project, role):
    Membership.objects.create(project=project, user=mallory, role=role)
    Project.objects.update(results_open=True)
    client = signed_in(mallory)
    for address in (f"{ROUND}training/", "/projects/tea/rounds/training/training/"):
        assert client.get(address).status_code == 404
    assert client.get("/projects/tea/rounds/training/training/tea/alice/").status_code == 403
    decision = {"coder": "alice", "outcome": "passed", "reason": "Known."}
    assert client.post(f"{ROUND}training/decisions/", decision, "application/json").status_code == 403


def test_manager_sees_matrix_of_training_and_comparison_with_gold(trained, signed_in, charlie):
    page = signed_in(charlie).get("/projects/tea/rounds/training/training/").content.decode()
    assert "Coders and texts" in page
    assert 'aria-label="alice, Tea: 0.500"' in page
    beside = signed_in(charlie).get("/projects/tea/rounds/training/training/tea/alice/").content.decode()
    assert "1 of 2 equals gold in all answers" in beside
    assert "Said where." in beside
    assert signed_in(charlie).get("/projects/tea/rounds/training/training/tea/bob/").status_code == 404


def gold_import(client, **fields):
    file = SimpleUploadedFile("walk.conll", CONLL.encode())
    order = {"format": "conll2012", "files": file, "whose": "one", "coder": "charlie", "round": "training"}
    return client.post("/api/v1/projects/walk/imports/", order | {"gold": "true"} | fields)


def test_gold_import_is_hidden_from_coding_managers(signed_in, charlie, mallory):
    project = make_project("walk", "passonneau-2004", "[Anna](a) took [her](b) dog")
    for person, role in ((charlie, "manager"), (mallory, "manager-coder")):
        Membership.objects.create(project=project, user=person, role=role)
    project.texts.update(slug="walk")
    add_texts(create_round(project, "training", kind="training"), project.texts.all())
    Project.objects.update(results_open=True)
    client, blind = signed_in(charlie), signed_in(mallory)
    ordered = gold_import(client)
    assert ordered.status_code == 201, ordered.content
    pk = ordered.json()["id"]
    assert client.post(f"/api/v1/transfers/{pk}/carry-out/").json()["state"] == "done"
    [gold] = Coding.objects.filter(kind="gold")
    assert (gold.round.name, gold.status, gold.coder) == ("training", "submitted", charlie)
    for address in (f"/api/v1/transfers/{pk}/", f"/api/v1/transfers/{pk}/file/", f"/transfers/{pk}/"):
        assert client.get(address).status_code == 200
        assert blind.get(address).status_code == 404
    assert f"/transfers/{pk}/" not in blind.get("/projects/walk/transfers/").content.decode()
    assert blind.get("/api/v1/projects/walk/transfers/").json()["results"] == []
    assert "managers who do not code" in gold_import(blind).content.decode()
    assert "choose whose" in gold_import(client, whose="nobody").content.decode()
    assert 'name="gold"' in client.get("/projects/walk/import/").content.decode()
    assert 'name="gold"' not in blind.get("/projects/walk/import/").content.decode()
