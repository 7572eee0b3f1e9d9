"""Rounds by the API."""

from annotations.coding.status import submit_coding
from annotations.models import Coding
from annotations.planning.rounds import change_round, create_round
from annotations.planning.work.assignments import assign_texts
from tests.shared.coding import judge

URL = "/api/v1/projects/tea/"
ROUNDS = f"{URL}rounds/"


def send(client, method, address, data, **headers):
    return getattr(client, method)(address, data, content_type="application/json", headers=headers)


def changed(client, address, **fields):
    return send(client, "patch", address, fields, **{"If-Match": client.get(address)["ETag"]})


def test_rounds_are_listed_in_order_with_counts_of_codings(manager, project, codings, keys):
    judge(codings["alice"], keys["a"], "none")
    submit_coding(codings["bob"], codings["bob"].coder)
    create_round(project, "a-pilot", kind="pilot")
    first, second = manager.get(ROUNDS).json()["results"]
    assert first == {
        "name": "main", "kind": "main", "starts_on": None, "ends_on": None, "guidelines_version": None,
        "scheme_version": 1, "closed_at": None, "texts": 1, "codings": {"assigned": 0, "begun": 1, "submitted": 1},
        "pass_measure": "", "pass_mark": None, "attempts": None, "required_round": None, "feedback": "submission",
    }  # fmt: skip
    assert (second["name"], second["texts"], second["scheme_version"]) == ("a-pilot", 0, None)


def test_manager_sets_pass_rule_and_required_round(manager, project):
    create_round(project, "training", kind="training")
    answer = changed(manager, f"{ROUNDS}training/", pass_measure="masi", pass_mark=0.8, attempts=3)
    assert (answer.json()["pass_measure"], answer.json()["pass_mark"], answer.json()["attempts"]) == ("masi", 0.8, 3)
    assert changed(manager, f"{ROUNDS}main/", required_round="training").json()["required_round"] == "training"
    assert "there are" in changed(manager, f"{ROUNDS}main/", required_round="ghost").content.decode()
    assert changed(manager, f"{ROUNDS}main/", required_round=None).json()["required_round"] is None


def test_coding_manager_sees_no_counts_of_codings(signed_in, people, codings):
    [row] = signed_in(people["manager-coder"]).get(ROUNDS).json()["results"]
    assert row["codings"] is None
    assert signed_in(people["coder"]).get(ROUNDS).status_code == 403


def test_round_is_created_changed_closed_and_deleted(manager, project, text):
    made = send(manager, "post", ROUNDS, {"name": "pilot", "copy_of": "main", "starts_on": "2026-03-01"})
    assert (made.status_code, made.json()["kind"]) == (201, "main")
    pilot = f"{ROUNDS}pilot/"
    assert changed(manager, pilot, name="first", kind="pilot", place=1).json()["kind"] == "pilot"
    assert [row["name"] for row in manager.get(ROUNDS).json()["results"]] == ["first", "main"]
    first = f"{ROUNDS}first/"
    assert changed(manager, first, closed=True).json()["closed_at"] is not None
    assert changed(manager, first, closed=False, starts_on=None).json()["starts_on"] is None
    assert send(manager, "patch", first, {"kind": "main"}, **{"If-Match": '"old"'}).status_code == 412
    assert send(manager, "patch", first, {"kind": "main"}).status_code == 428
    assert manager.delete(first, headers={"If-Match": "*"}).status_code == 204
    assert manager.get(first).status_code == 404
    kept = manager.delete(f"{ROUNDS}main/", headers={"If-Match": "*"})
    assert (kept.status_code, "has codings" in str(kept.json())) == (400, True)


def test_wrong_rounds_and_empty_changes_are_refused(manager, project):
    for fields, wrong in (
        ({"name": "main"}, "name"),
        ({"name": "r", "copy_of": "ghost"}, "non_field_errors"),
        ({"name": "r", "closed": True}, "closed"),
    ):
        refused = send(manager, "post", ROUNDS, fields)
        assert (refused.status_code, list(refused.json()["errors"])) == (400, [wrong])
    assert project.rounds.count() == 1
    assert send(manager, "patch", f"{ROUNDS}main/", {}, **{"If-Match": "*"}).status_code == 400
    assert send(manager, "post", f"{ROUNDS}main/texts/", {}).status_code == 400


def test_texts_are_added_to_round_and_removed(manager, project, text):
    create_round(project, "pilot")
    texts = f"{ROUNDS}pilot/texts/"
    assert send(manager, "post", texts, {"add": ["tea"]}).json() == {"added": 1, "removed": 0}
    assert send(manager, "post", texts, {"add": ["tea"]}).json() == {"added": 0, "removed": 0}
    [row] = manager.get(f"{URL}texts/", {"round": "pilot"}).json()["results"]
    assert (row["round"], row["rounds"]) == ("pilot", ["main", "pilot"])
    assert manager.get(f"{URL}texts/tea/").json()["rounds"] == ["main", "pilot"]
    refused = send(manager, "patch", f"{URL}texts/tea/", {"round": "other"}, **{"If-Match": "*"})
    assert "in several rounds: main, pilot" in refused.json()["errors"]["round"][0]
    kept = send(manager, "post", f"{ROUNDS}main/texts/", {"add": ["ghost"], "remove": ["tea"]})
    assert (kept.status_code, list(kept.json()["errors"])) == (400, ["add"])
    assert send(manager, "post", texts, {"remove": ["tea"]}).json() == {"added": 0, "removed": 1}


def test_texts_sort_by_order_of_rounds(manager, project, text):
    change_round(create_round(project, "z-first"), place=1)
    other = project.texts.create(slug="milk", title="Milk", content="Milk.")
    send(manager, "post", f"{ROUNDS}z-first/texts/", {"add": [other.slug]})
    for ordering, slugs in (("round", ["milk", "tea"]), ("-round", ["tea", "milk"])):
        rows = manager.get(f"{URL}texts/", {"ordering": ordering}).json()["results"]
        assert [row["slug"] for row in rows] == slugs


def test_texts_are_assigned_in_round_and_codings_name_it(manager, project, text, alice, bob, codings):
    create_round(project, "pilot")
    given = {"texts": ["tea"], "coders": ["alice"], "round": "pilot"}
    assert send(manager, "post", f"{URL}codings/", given).json() == {"new": 1}
    assert send(manager, "post", f"{URL}codings/", given | {"round": "ghost"}).status_code == 400
    rows = manager.get(f"{URL}codings/").json()["results"]
    assert [(row["coder"], row["round"], row["occasion"]) for row in rows] == [
        ("alice", "main", 1),
        ("alice", "pilot", 1),
        ("bob", "main", 1),
    ]
    [row] = manager.get(f"{URL}codings/", {"round": "pilot"}).json()["results"]
    assert row["coder"] == "alice"


def judged(key):
    """Return the body of a request that judges the markable."""
    payload = {"markable": key, "category": "none", "pointers": []}
    uuid = "6f1b1b6e-7f5e-4d0b-9a53-0c1a3b6f5d11"
    return {"version": 0, "operations": [{"uuid": uuid, "kind": "judge", "payload": payload}]}


def test_own_coding_is_of_latest_or_named_round(signed_in, project, text, alice, codings, keys):
    judge(codings["alice"], keys["a"], "none")
    client, own = signed_in(alice), f"{URL}texts/tea/coding/"
    assert client.get(own).json()["coding"]["version"] == 1
    assign_texts(project, [text], [alice], create_round(project, "pilot"))
    assert client.get(own).json()["coding"]["version"] == 0
    assert client.get(own, {"round": "main"}).json()["coding"]["version"] == 1
    assert client.get(own, {"round": "ghost"}).status_code == 404
    assert len(client.get(f"{own}operations/", {"round": "main"}).json()["results"]) == 1


def test_coding_is_selected_by_round_and_occasion(manager, project, text, alice, codings, keys):
    main = project.rounds.get()
    again = Coding.objects.create(text=text, coder=alice, round=main, occasion=2)
    judge(codings["alice"], keys["a"], "none")
    judge(again, keys["a"], "none")
    judge(again, keys["b"], "none")
    address = f"{URL}texts/tea/codings/alice/"

    def version(**query):
        return manager.get(address, query).json()["coding"]["version"]

    assert (version(), version(round="main", occasion=1), version(occasion=2)) == (2, 1, 2)
    assert manager.get(address, {"occasion": 3}).status_code == 404
    assert manager.get(address, {"occasion": "x"}).status_code == 400
    assert manager.delete(f"{address}?occasion=2", headers={"If-Match": "*"}).status_code == 400  # begun


def test_coder_sees_only_last_occasion_of_repeated_text(signed_in, project, text, alice, codings, keys):
    judge(codings["alice"], keys["a"], "none", note="said before")
    submit_coding(codings["alice"], alice)
    client, own = signed_in(alice), f"{URL}texts/tea/coding/"
    before = client.get(own).content
    Coding.objects.create(text=text, coder=alice, round=project.rounds.get(), occasion=2)
    addresses = [own, f"{own}?round=main", f"{URL}texts/tea/codings/alice/", f"{own}operations/", f"{URL}codings/"]
    pages = ["/projects/tea/", "/projects/tea/texts/tea/code/", "/projects/tea/texts/tea/code/?round=main"]
    for address in (*addresses, *pages):
        shown = client.get(address)
        assert shown.status_code == 200
        assert b"said before" not in shown.content
    # Which occasion it is, an address does not tell either.
    detail = f"{URL}texts/tea/codings/alice/"
    assert client.get(detail, {"occasion": 1}).content == client.get(detail).content
    assert client.get(detail, {"occasion": 2}).status_code == 404
    assert client.get(own).content != before
    [row] = client.get(f"{URL}codings/").json()["results"]
    assert (row["status"], row["occasion"]) == ("open", 1)


def test_open_page_keeps_saving_to_its_coding(signed_in, project, text, alice, codings, keys):
    client = signed_in(alice)
    page = client.get("/projects/tea/texts/tea/code/")
    token = page.context["token"]
    assert f'data-coding="{token}"'.encode() in page.content
    assert b"data-former" in page.content
    assign_texts(project, [text], [alice], create_round(project, "pilot"))
    operations, body = f"{URL}texts/tea/coding/operations/", judged(keys["a"])
    assert send(client, "post", operations, body, **{"X-Coding": token}).json() == {"version": 1}
    assert [(coding.round.name, coding.version) for coding in Coding.objects.of_people().filter(coder=alice)] == [
        ("main", 1),
        ("pilot", 0),
    ]
    client.post("/projects/tea/texts/tea/submit/", {"coding": token})
    assert Coding.objects.of_people().get(coder=alice, round__name="main").status == "submitted"
    later = client.get("/projects/tea/texts/tea/code/")
    assert b"data-former" not in later.content
    assert later.context["token"] != token
    assert send(client, "post", operations, body, **{"X-Coding": "ghost"}).status_code == 404


def test_closed_round_refuses_operations_and_submission(signed_in, project, alice, codings, keys):
    change_round(project.rounds.get(), closed=True)
    client = signed_in(alice)
    refused = send(client, "post", f"{URL}texts/tea/coding/operations/", judged(keys["a"]))
    assert (refused.status_code, refused.json()["code"]) == (400, "round_closed")
    page = client.get("/projects/tea/texts/tea/code/")
    assert "The round main is closed: this coding can only be read." in page.content.decode()
    assert page.context["coding_state"]["coding"]["status"] == "archived"
    refused = send(client, "patch", f"{URL}texts/tea/coding/", {"status": "submitted"}, **{"If-Match": "*"})
    assert refused.status_code == 400
