"""A whole project by the client against a live server, and which operations of the API the client has."""

from __future__ import annotations

import json
import zipfile
from datetime import date

import pytest

from coindex.client import ApiError, Client, Conflict, clear, judge, new_uuid

TEA = "#title: Tea\nPut [the kettle](a) on [the stove](b). Is [it](c) hot? [It](d) will be.\n"
SOUP = "[The soup](a) is hot. [It](b) burns.\n"
SCHEME = "poesio-artstein-2005"

# What has no method of its own, and why. All of it is there by `get`, `rows` and `request`.
REASONS = {
    "docsets of summaries are set up on their page, with files": """
    docsets_list docsets_create docsets_retrieve docsets_agreed_create docsets_agreed_update
    docsets_assignments_create docsets_peers_list docsets_peers_create docsets_pyramids_list
    texts_agreed_codings_retrieve texts_agreed_codings_partial_update texts_agreed_codings_destroy
    """,
    "training is run on its pages; `coding` and `save` work on its texts": """
    rounds_training_list rounds_training_decisions_create rounds_training_next_create
    texts_coding_feedback_retrieve
    """,
    "the queue is for who decides at a page": """
    texts_agreed_queue_retrieve texts_gold_queue_retrieve rounds_gold_hand_on_create
    """,
    "gold beside one's own answers is read on its page": "gold_own_list",
    "`items` says which are flagged": "agreement_items_flag_retrieve",
    "a remark is taken back on its page": "agreement_items_remarks_destroy",
    "merges are undone on the page that shows them": "scheme_versions_undo_create",
}
NOT_COVERED = {f"projects_{name}": reason for reason, names in REASONS.items() for name in names.split()}
# Reports of pyramids, which a project of texts answers 400 or 404; `report` asks for them by name.
OF_PYRAMIDS = {f"projects_agreement_{name}_retrieve": name for name in ("peers", "scores", "scus", "study")}
# The agreed pyramid of a docset is a coding like others: what the client sends for one it sends for all.
ENDS_OF_AGREED = ("retrieve", "partial_update", "operations_list", "operations_create")
OF_AGREED = {f"projects_texts_agreed_coding_{end}" for end in ENDS_OF_AGREED}


@pytest.mark.parametrize("site", ["https://host.example", "https://host.example/tools/coindex"])
@pytest.mark.parametrize("end", ["", "/", "/api/v1", "/api/v1/"])
def test_client_accepts_address_of_site_or_api(site, end):
    with Client(f"{site}{end}", "key") as client:
        assert client.http.base_url == f"{site}/api/v1/"


@pytest.mark.slow
def test_client_runs_whole_project_with_every_operation(connect, record, live_server, tmp_path):
    manager = connect("charlie")
    alice, bob = (connect(name, "annotate") for name in ("alice", "bob"))
    make(manager, tmp_path)
    code(alice, bob)
    read_codings(manager, alice)
    read_results(manager, tmp_path)
    code_as_model(manager, live_server.url)
    export_and_restore(manager, tmp_path)
    ask_and_answer(manager, alice)
    decide_gold(manager)
    work_in_rounds(manager, connect("alice"))
    change_scheme(manager, tmp_path)
    clean_up(manager)

    left = record.operations.keys() - record.used
    assert left == NOT_COVERED.keys() | OF_AGREED
    assert not record.used & NOT_COVERED.keys()
    # What is done once however often it is sent is sent with a key, and with none where the key means nothing.
    for name, request in record.requests:
        takes = {row["name"] for row in record.operations[name].get("parameters", ()) if row["in"] == "header"}
        sent = {header for header in ("Idempotency-Key", "If-Match") if header in request.headers}
        assert sent == takes, name


def make(manager, tmp_path):
    """Make a project, bring texts in, and give them to coders."""
    with pytest.raises(ApiError, match=SCHEME):  # a wrong choice lists the choices
        manager.create_project("kitchen", "Kitchen", "poesio")
    made = manager.create_project("kitchen", "Kitchen", SCHEME, guidelines="# Rules")
    assert (made["slug"], made["answers"], made["role"]) == ("kitchen", "pointers", "manager")
    states: list[str] = []
    imported = manager.import_texts(
        "kitchen", {"tea": TEA, "soup": SOUP}, format="plain", progress=lambda seen: states.append(seen["state"])
    )
    assert (imported["state"], states[-1]) == ("done", "done")
    (tmp_path / "bread.txt").write_text("The bread [is](a) warm.\n")
    manager.import_files("kitchen", [tmp_path / "bread.txt"], whose="nobody")
    assert [text["slug"] for text in manager.texts("kitchen")] == ["bread", "soup", "tea"]
    for name in ("alice", "bob"):
        assert manager.add_member("kitchen", name, "coder")["role"] == "coder"
    assert manager.assign("kitchen", ["tea", "soup"], ["alice"]) == 2
    assert manager.add_model("kitchen", "rules", version="1", date="2026-11-01")["group"] == "model"
    assert [row["name"] for row in manager.models("kitchen")] == ["rules"]
    assert manager.model("kitchen", "rules")["date"] == "2026-11-01"
    plan = {"coders": ["alice", "bob"]}
    assert len(manager.plan("kitchen", "all", **plan)["assignments"]) == 3
    assert manager.plan("kitchen", "all", apply=True, **plan)["connected"]
    assert [row["design"] for row in manager.plans("kitchen")] == ["all"]


def code_as_model(manager, url):
    """Code as a model, with the key that a manager makes and ends."""
    key = manager.make_model_key("kitchen", "rules", days=1)["key"]
    assert manager.assign("kitchen", ["tea"], ["rules"]) == 1
    with Client(url, key) as model:
        coding = model.coding("kitchen", "tea")
        model.save(coding, [judge(row["key"], "none") for row in coding.state["markables"]])
        manager.end_model_key("kitchen", "rules")
        with pytest.raises(ApiError):
            model.coding("kitchen", "tea")


def code(alice, bob):
    """Code as oneself: Bob differs from Alice in one answer, and both submit."""
    for client, last in ((alice, "phrase"), (bob, "none")):
        for text in ("tea", "soup"):
            coding = client.coding("kitchen", text)
            coded = [row["key"] for row in coding.state["markables"]]
            step = new_uuid()
            operations = [judge(coded[0], "place"), clear(coded[0]), *(judge(key, "none") for key in coded[:-1])]
            answer = judge(coded[-1], last, pointers=[coded[0]] if last == "phrase" else None, note="Why?")
            operations.append(answer | {"step": step})
            assert client.save(coding, operations) == len(operations) == coding.version
            assert client.save(coding, operations) == coding.version  # sent again, they are done once
            assert [row["step"] for row in client.log(coding, since=coding.version - 1)] == [step]
            client.submit(coding)
            assert coding.state["coding"]["status"] == "submitted"
    stale = alice.coding("kitchen", "tea")
    alice.reopen(stale)
    other = alice.coding("kitchen", "tea")
    key = other.state["markables"][0]["key"]
    alice.save(other, [judge(key, "none", unsure=True)])
    with pytest.raises(Conflict) as refused:
        alice.save(stale, [judge(key, "place")])
    assert (refused.value.version, refused.value.missed[-1]["kind"]) == (other.version, "judge")
    with pytest.raises(Conflict):
        alice.submit(stale)
    alice.submit(other)


def read_codings(manager, alice):
    """Read projects, texts, markables, judgements and operations as DataFrames."""
    projects = manager.projects(archived=False).frame()
    assert projects["slug"].tolist() == ["kitchen"]
    assert manager.texts("kitchen").frame().shape == (3, 8)
    assert manager.markables("kitchen", text="soup").frame()["words"].tolist() == ["The soup", "It"]
    judgements = manager.judgements("kitchen").frame()
    assert judgements.groupby("coder").size().to_dict() == {"alice": 6, "bob": 6}
    assert judgements["category"].value_counts().to_dict() == {"none": 10, "phrase": 2}
    assert judgements.loc[judgements["category"] == "phrase", "pointers"].map(len).tolist() == [1, 1]
    assert manager.judgements("kitchen", coder="nobody").frame().empty
    states = {(row["text"], row["coder"]): row["state"] for row in manager.codings("kitchen")}
    assert states["tea", "alice"] == states["soup", "bob"] == "submitted"
    assert states["bread", "bob"] == "assigned"
    assert {row["user"] for row in manager.operations("kitchen", kind="judge")} == {"alice", "bob"}
    assert manager.hours("kitchen")["days"]
    with pytest.raises(ApiError) as refused:
        list(alice.judgements("kitchen"))
    assert (refused.value.status, refused.value.code) == (403, "permission_denied")
    with pytest.raises(ApiError, match=r"This is no filter here; there are .*coder.*"):
        list(manager.judgements("kitchen", codr="alice"))


def read_results(manager, tmp_path):
    """Read agreement, items, tables and other reports."""
    agreement = manager.agreement("kitchen", distance="nominal", chains="none")
    assert agreement["n_units"] == 6
    assert agreement["value"] is not None
    assert [row["slug"] for row in agreement["texts"]] == ["bread", "soup", "tea"]
    matrix = manager.matrix("kitchen", distance="nominal", chains="none")
    assert matrix.columns.tolist() == ["text", "unit", "alice", "bob"]
    assert matrix["bob"].dropna().tolist() == ["none"] * 6
    assert manager.agreement("kitchen", interval="bootstrap")["bootstrap"]
    scores = manager.report("kitchen", "coreference", first="alice", second="bob")
    assert len(scores["texts"]) == 2
    assert manager.grid("kitchen")
    worst = manager.items("kitchen").frame().iloc[0]
    assert {row["coder"] for row in manager.item("kitchen", worst["text"], worst["key"])["values"]} == {"alice", "bob"}
    manager.flag("kitchen", worst["text"], worst["key"])
    assert manager.items("kitchen", flag="set").frame()["key"].tolist() == [worst["key"]]
    manager.unflag("kitchen", worst["text"], worst["key"])
    manager.remark("kitchen", worst["text"], worst["key"], "See the rules.")
    assert [row["body"] for row in manager.remarks("kitchen", worst["text"], worst["key"])] == ["See the rules."]
    manager.save_mapping("kitchen", "any", {"phrase": "old", "segment": "old"})
    assert [row["name"] for row in manager.mappings("kitchen")] == ["any"]
    assert "coders" in [row["page"] for row in manager.pages_of_results("kitchen")]
    assert "matrix" in [row["key"] for row in manager.tables("kitchen", "coders")]
    table = manager.table("kitchen", "coders", "matrix").set_index("coder")
    assert table.loc["alice", "bob"] == pytest.approx(manager.agreement("kitchen")["value"])
    saved = manager.save_table("kitchen", "coders", "matrix", tmp_path / "matrix.csv")
    assert saved.read_text().startswith("coder,")
    assert manager.datasheet("kitchen")
    assert manager.tasks("kitchen")[0]["state"] == "done"
    assert "groups" in manager.report("kitchen", "groups")
    assert "note" in manager.report("kitchen", "planning", margin=0.1)
    assert "coders" in manager.report("kitchen", "repeats")
    with pytest.raises(ApiError) as refused:
        manager.report("kitchen", "compare", by="round", first="main", second="pilot")
    assert refused.value.status == 400
    with pytest.raises(ApiError, match="no model has answers"):
        manager.report("kitchen", "models")
    for name in OF_PYRAMIDS.values():
        with pytest.raises(ApiError) as refused:
            manager.report("kitchen", name)
        assert refused.value.status in (400, 404)


def export_and_restore(manager, tmp_path):
    """Export codings and the archive, and restore the archive as another project."""
    with pytest.raises(ApiError, match="conll2012"):  # a wrong choice lists the choices
        manager.export("kitchen", "conll", tmp_path / "none.zip")
    exported = manager.export("kitchen", "conll2012", tmp_path / "out.zip", coders=["alice"], unfinished=True)
    assert [name for name in zipfile.ZipFile(exported).namelist() if "bob" in name] == []
    archive = manager.export("kitchen", "project", tmp_path / "kitchen.zip")
    assert manager.restore(archive, project="again")["project"] == "again"
    assert len(manager.judgements("again").frame()) == 12
    assert sorted(tmp_path.glob("*.part")) == []
    checked = manager.wait(manager.order_export("again", "conll2012")["id"])
    with pytest.raises(ApiError) as refused:
        manager.cancel_transfer(checked["id"])
    assert refused.value.code == "not_at_work"
    manager.forget_transfer(checked["id"])
    assert checked["id"] not in [row["id"] for row in manager.transfers("again")]


def ask_and_answer(manager, alice):
    """Ask a question about a text, and answer it."""
    question = alice.ask("kitchen", "bread", "Is *is* a phrase?")
    answered = manager.reply("kitchen", question["id"], "No.", resolve=True)
    assert [row["body"] for row in answered["replies"]] == ["No."]
    assert alice.question("kitchen", question["id"])["resolved_by"] == "charlie"
    assert [row["id"] for row in alice.questions("kitchen", resolved=True)] == [question["id"]]


def decide_gold(manager):
    """Draft the gold of texts, decide it and close it."""
    drafted = manager.draft_gold("kitchen", "most", texts=["tea"], adjudicator="charlie")
    assert drafted["drafted"] == ["tea"]
    assert [row["text"] for row in manager.gold_states("kitchen") if row["state"]] == ["tea"]
    manager.open_gold("kitchen", "soup", "main")
    gold = manager.coding("kitchen", "soup", round="main", of="gold")
    manager.save(gold, [judge(row["key"], "none") for row in gold.state["markables"]])
    assert [row["kind"] for row in manager.log(gold)] == ["judge", "judge"]
    manager.submit(gold)
    assert manager.report("kitchen", "gold")["coders"]
    assert list(manager.gold_decisions("kitchen")) == []


def work_in_rounds(manager, alice):
    """Work in rounds, from pools, on somebody else's coding, and on the texts themselves."""
    manager.create_round("kitchen", "second", kind="main")
    assert manager.change_round_texts("kitchen", "second", add=["soup"]) == {"added": 1, "removed": 0}
    today = date(2026, 1, 1).isoformat()
    assert manager.change_round("kitchen", "second", starts_on=today)["starts_on"] == today
    assert manager.round("kitchen", "second")["kind"] == "main"
    assert [(row["name"], row["texts"]) for row in manager.rounds("kitchen")] == [("main", 3), ("second", 1)]
    manager.plan("kitchen", "all", apply=True, round="second", pool=True, k=1)
    assert alice.pools("kitchen") == [{"round": "second", "free": True}]
    assert alice.take_text("kitchen")["text"] == "soup"
    assert manager.coding_of("kitchen", "soup", "alice", round="main")["coding"]["status"] == "submitted"
    manager.reopen_coding_of("kitchen", "soup", "alice", reason="See the rules.", round="main")
    manager.unassign("kitchen", "bread", "bob")
    manager.unassign("kitchen", "soup", "alice", round="second")
    manager.change_round_texts("kitchen", "second", remove=["soup"])
    manager.delete_round("kitchen", "second")
    assert manager.repeat("kitchen", number=1, days=0)["coders"]
    text = manager.text("kitchen", "bread")
    assert manager.correct_text("kitchen", "bread", text["content"] + " Good.", preview=True)["edits"]
    assert manager.change_text("kitchen", "bread", position=1)["slug"] == "bread"
    manager.delete_text("kitchen", "bread")


def change_scheme(manager, tmp_path):
    """Change what is asked, by fields and by files."""
    scheme = manager.scheme("kitchen")
    scheme["categories"][2]["label"] = "A place"
    assert manager.preview_scheme("kitchen", scheme)["changes"]
    assert manager.change_scheme("kitchen", scheme)["categories"][2]["label"] == "A place"
    assert manager.let_coders_mark("kitchen", ["phrase"])["levels"][0]["coders_mark"]
    versions = list(manager.scheme_versions("kitchen"))
    assert versions == []
    assert manager.scheme_version("kitchen", 1)["answers"] == "pointers"
    file = manager.export_scheme("kitchen", tmp_path / "scheme.json")
    assert json.loads(file.read_text())["format"] == "coindex-scheme"
    assert manager.read_scheme("kitchen", file)["losses"] == []


def clean_up(manager):
    """Change people and the project itself, and delete it."""
    assert manager.change_member("kitchen", "bob", group="experts")["group"] == "experts"
    assert manager.member("kitchen", "bob")["group"] == "experts"
    assert [row["username"] for row in manager.members("kitchen", group="experts")] == ["bob"]
    invitation = manager.invite("kitchen", "coder", whom="Ann")
    assert invitation["link"]
    assert [row["whom"] for row in manager.invitations("kitchen")] == ["Ann"]
    manager.withdraw_invitation("kitchen", invitation["id"])
    manager.remove_member("kitchen", "bob")
    assert manager.change_project("kitchen", licence="CC0")["licence"] == "CC0"
    assert [row["number"] for row in manager.guidelines("kitchen")] == [1]
    assert manager.clone_project("kitchen", "pantry", "Pantry", texts=True)["slug"] == "pantry"
    assert manager.archive_project("pantry")["archived_at"]
    with pytest.raises(ApiError) as refused:
        manager.change_project("pantry", title="Larder")
    assert (refused.value.status, refused.value.code) == (423, "archived")
    assert manager.open_project("pantry")["archived_at"] is None
    manager.delete_project("pantry", "Pantry")
    with pytest.raises(ApiError, match="404 not_found"):
        manager.project("pantry")
