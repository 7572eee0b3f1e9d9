"""Export and import of gold: formats, texts left out, rights."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

from annotations.adjudication.drafts import DraftRequest, draft_gold
from annotations.adjudication.ownership import open_gold
from annotations.adjudication.proposal import Method
from annotations.coding.chains import chains_of, members_of
from annotations.coding.decisions import Decision
from annotations.coding.judgements import decisions_of
from annotations.coding.status import submit_coding
from annotations.formats import FORMATS, plain
from annotations.formats.model.features import Feature
from annotations.models import Coding, Membership, Project, Transfer
from annotations.planning.rounds import add_texts, create_round
from annotations.projects.creation import create_project
from annotations.projects.people.members import add_member
from annotations.schemes.ready_made import SCHEMES
from annotations.transfers.exporting.dispatch import export_files
from annotations.transfers.exporting.gold import (
    DECIDED,
    GOLD,
    NOT_CLOSED,
    SILVER,
    UNDECIDED,
    WITHOUT_DRAFT,
    WITHOUT_GOLD,
)
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument
from annotations.transfers.importing.options import ImportOptions
from tests.shared.coding import judge, judge_rest
from tests.shared.projects import person

WALK = "Anna took her dog for a walk. She liked it ."
# What each coder says: two of three join her to Anna, and one of three leaves it out.
ANSWERS = {
    "ann": "[Anna](=1) took [[her](=1) dog](=2) for a walk. [She](=1) liked [it](=2) .",
    "ben": "[Anna](=1) took [[her](=1) dog](=2) for a walk. [She](=1) liked [it](=3) .",
    "cem": "[Anna](=1) took [[her](=4) dog](=2) for a walk. [She](=1) liked it .",
}
WRITTEN = sorted(key for key, format_ in FORMATS.items() if format_.write)


def project_with_texts(slug: str, *texts: str) -> Project:
    """Make a project of these texts that Charlie manages."""
    project = create_project(slug, slug.title(), SCHEMES["clusters"])
    import_documents(project, [SourceDocument(plain.parse(WALK, f"{text}.txt"), None) for text in texts])
    add_member(project, person("charlie"), Membership.Role.MANAGER)
    return project


@pytest.fixture
def walks(db) -> Project:
    """Make a project in which three coders have submitted two texts."""
    project = project_with_texts("walks")
    coded = [
        SourceDocument(plain.parse(answers, f"{text}.txt"), coder)
        for text in ("walk", "run")
        for coder, answers in ANSWERS.items()
    ]
    import_documents(project, coded, ImportOptions(create=True, join=True))
    return project


def decide(project: Project, text: str, round_name: str = "main") -> None:
    """Let Charlie close the gold of a text as it is."""
    charlie = person("charlie")
    gold = open_gold(project, project.texts.get(slug=text), round_name, charlie)
    submit_coding(gold, charlie)


def exported(project: Project, format_key: str, gold: str = GOLD, **which: Any) -> tuple[dict[str, bytes], Any]:
    out = io.BytesIO()
    report = export_files(project, format_key, out, gold=gold, **which)
    with zipfile.ZipFile(out) as archive:
        return {name: archive.read(name) for name in archive.namelist() if name != "LOSSES.txt"}, report


def left_out(report: Any) -> dict[str, tuple[str, ...]]:
    assert all(loss.count == len(loss.examples) for loss in report.left_out)
    return {loss.what: loss.examples for loss in report.left_out}


def entities(project: Project, text: str, *, alone: bool) -> set[frozenset[str]]:
    """Return the entities of the gold of a text; entities of one markable only if `alone`."""
    coding = Coding.objects.get(text__project=project, text__slug=text, kind="gold")
    decisions = {decision.markable: decision for decision in decisions_of(coding)}
    found = members_of(chains_of(project.answers, list(decisions), decisions)).values()
    return {frozenset(keys) for keys in found if alone or len(keys) > 1}


@pytest.mark.parametrize("format_key", WRITTEN)
def test_gold_in_every_format_is_imported_equal(walks, format_key, tmp_path):
    draft_gold(walks, DraftRequest(Method.MOST, adjudicator="charlie"))
    decide(walks, "walk")
    path = tmp_path / "gold.zip"
    call_command("export_codings", format_key, str(path), "--project=walks", "--gold")
    texts_of_tables = ("walk",) if FORMATS[format_key].names_coders else ()
    fresh = project_with_texts("fresh", *texts_of_tables)
    call_command("import_codings", format_key, str(path), "--project=fresh", "--coder=charlie", "--gold")
    alone = Feature.UNLINKED in FORMATS[format_key].supported_features
    assert entities(fresh, "walk", alone=alone) == entities(walks, "walk", alone=alone) != set()
    assert exported(fresh, format_key)[0] == exported(walks, format_key)[0]


def test_gold_of_pointers_is_imported_equal_with_notes(codings, keys, project, alice, charlie, tmp_path):
    judge(codings["alice"], keys["a"], "place")
    judge(codings["alice"], keys["c"], "phrase", keys["a"])
    submit_coding(codings["alice"], alice)
    draft_gold(project, DraftRequest(Method.MOST, adjudicator="charlie"))
    gold = open_gold(project, project.texts.get(), "main", charlie)
    judge(gold, keys["c"], "phrase", keys["b"], note="It is the stove.")
    judge_rest(gold, "none")
    submit_coding(gold, charlie)
    path = tmp_path / "gold.zip"
    call_command("export_codings", "judgements-csv", str(path), "--project=tea", "--gold")
    decided = [
        Decision(keys["a"], category="place"),
        Decision(keys["b"], category="none"),
        Decision(keys["c"], category="phrase", pointers=((keys["b"],),), note="It is the stove."),
        *(Decision(keys[label], category="none") for label in "def"),
    ]
    assert [decision for decision in decisions_of(gold) if decision.category] == decided
    Coding.objects.filter(kind="gold").delete()
    call_command("import_codings", "judgements-csv", str(path), "--project=tea", "--coder=charlie", "--gold")
    back = Coding.objects.get(kind="gold")
    assert [decision for decision in decisions_of(back) if decision.category] == decided


def test_command_requires_manager_or_adjudicator_as_owner_of_gold(drafted, tmp_path, capsys):
    path = tmp_path / "gold.zip"
    call_command("export_codings", "judgements-csv", str(path), "--project=walks", "--gold")
    assert f"left out: 1 × {UNDECIDED}: run" in capsys.readouterr().err
    Coding.objects.filter(kind="gold").delete()
    arguments = ["import_codings", "judgements-csv", str(path), "--project=walks"]
    with pytest.raises(CommandError, match="name the manager or adjudicator by --coder"):
        call_command(*arguments, "--gold")
    with pytest.raises(CommandError, match="ann is coder of walks: gold is of managers and adjudicators"):
        call_command(*arguments, "--gold", "--coder=ann")
    with pytest.raises(CommandError, match="name their coders themselves"):
        call_command(*arguments, "--coder=ann")
    assert not Coding.objects.filter(kind="gold").exists()


# Which texts are left out.


def test_texts_are_gold_or_silver_or_left_out_with_reason(walks):
    import_documents(walks, [SourceDocument(plain.parse(WALK, f"{text}.txt"), None) for text in ("new", "own")])
    assert left_out(exported(walks, "brat")[1]) == {WITHOUT_GOLD: ("new", "own", "run", "walk")}
    draft_gold(walks, DraftRequest(Method.MOST))
    open_gold(walks, walks.texts.get(slug="own"), "main", person("charlie"))
    decide(walks, "walk")
    files, report = exported(walks, "brat")
    assert {name.partition("/")[0] for name in files} == {"gold"}
    assert (report.texts, left_out(report)) == (1, {WITHOUT_GOLD: ("new",), NOT_CLOSED: ("own",), UNDECIDED: ("run",)})
    files, report = exported(walks, "brat", SILVER)
    assert {name for name in files if name.endswith(".ann")} == {"silver/run.ann"}
    assert left_out(report) == {WITHOUT_GOLD: ("new",), WITHOUT_DRAFT: ("own",), DECIDED: ("walk",)}
    # gold that is decided stays what an export has, until that of a later round is decided too
    add_texts(create_round(walks, "later", kind="main"), walks.texts.filter(slug="walk"))
    draft_gold(walks, DraftRequest(Method.EMPTY, texts=("walk",), round_name="later"))  # of nobody's coding
    [(name, before)] = exported(walks, "conll2012", texts=["walk"])[0].items()
    decided = SourceDocument(plain.parse(WALK.replace("Anna", "[Anna](=1)"), "walk.txt"), "charlie")
    Coding.objects.filter(round__name="later").delete()
    import_documents(walks, [decided], ImportOptions(gold=True, round_name="later"))
    assert exported(walks, "conll2012", texts=["walk"])[0][name] != before
    assert exported(walks, "conll2012", texts=["walk"], rounds=["main"])[0] == {name: before}


def test_gold_of_text_removed_from_round_is_not_exported(drafted):
    drafted.texts.get(slug="walk").rounds.clear()
    assert left_out(exported(drafted, "brat")[1]) == {UNDECIDED: ("run",)}


# On the page and by the API.


@pytest.fixture
def drafted(walks) -> Project:
    """Draft the gold of both texts, and let Charlie close one."""
    draft_gold(walks, DraftRequest(Method.MOST))
    decide(walks, "walk")
    return walks


@pytest.fixture
def manager(signed_in, walks) -> Client:
    return signed_in(person("charlie"))


def ordered(client: Client, **fields: Any) -> Any:
    body = json.dumps({"format": "brat", **fields})
    return client.post("/api/v1/projects/walks/exports/", body, content_type="application/json")


def test_page_and_api_export_gold_and_list_texts_left_out(drafted, manager):
    assert "Gold: closed" in manager.get("/projects/walks/export/").content.decode()
    page = manager.post("/projects/walks/export/", {"format": "brat", "gold": "gold"}).url
    manager.post(f"{page}carry-out/")
    answer = manager.get(f"{page}file/")
    assert answer["Content-Disposition"] == 'attachment; filename="walks-gold-brat.zip"'
    with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as archive:
        on_page = {name: archive.read(name) for name in archive.namelist()}
    assert f"1 × {UNDECIDED}: run\n" in on_page.pop("LOSSES.txt").decode()
    assert on_page == exported(drafted, "brat")[0]
    shown = manager.get(page).content.decode()
    assert "Texts left out" in shown
    assert f'<th scope="row">{UNDECIDED}</th><td class="num">1</td><td>run</td>' in shown
    order = ordered(manager, gold="gold").json()
    assert order["choices"]["gold"] == "gold"
    assert order["report"]["left_out"] == [{"what": UNDECIDED, "count": 1, "examples": ["run"]}]
    assert 'brat standoff <span class="chip">gold</span>' in manager.get("/projects/walks/transfers/").content.decode()


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"gold": "bronze"}, "gold"),
        ({"gold": "gold", "coders": ["ann"]}, "coders"),
        ({"gold": "silver", "unfinished": True}, "unfinished"),
    ],
)
def test_invalid_export_of_gold_is_refused_at_field(walks, manager, fields, wrong):
    answer = ordered(manager, **fields)
    assert (answer.status_code, list(answer.json()["errors"])) == (400, [wrong])
    assert not Transfer.objects.exists()


def test_export_of_gold_is_refused_if_member_is_named_gold(walks, manager):
    walks.memberships.create(user=person("Gold"), role="coder")
    assert "is called 'gold'" in ordered(manager, gold="gold").json()["errors"]["gold"][0]


@pytest.mark.parametrize("results_open", [False, True])
@pytest.mark.parametrize("role", ["viewer", "coder", "manager-coder"])
def test_members_without_right_to_gold_cannot_export_it(walks, manager, signed_in, role, results_open):
    draft_gold(walks, DraftRequest(Method.MOST))
    made = ordered(manager, gold="gold").json()["id"]
    manager.post(f"/api/v1/transfers/{made}/carry-out/")
    add_member(walks, person("other"), role)
    Project.objects.filter(pk=walks.pk).update(results_open=results_open)
    client = signed_in(person("other"))
    sees_results = results_open or role == "viewer"
    for gold in (GOLD, SILVER):
        refused = ordered(client, gold=gold)
        assert refused.status_code == (400 if sees_results else 403)
        assert list(refused.json().get("errors", {})) == (["gold"] if sees_results else [])
    page = client.get("/projects/walks/export/")
    assert page.status_code == (200 if sees_results else 403)
    assert 'name="gold"' not in page.content.decode()
    for rest in ("", "file/", "carry-out/", "cancel/"):
        ask = client.get if rest in ("", "file/") else client.post
        for prefix in ("", "/api/v1"):
            seen, ghost = ask(f"{prefix}/transfers/{made}/{rest}"), ask(f"{prefix}/transfers/{made + 1}/{rest}")
            assert (seen.status_code, ghost.status_code) == (404, 404)
    if sees_results:
        assert client.get("/api/v1/projects/walks/transfers/").json()["results"] == []
    assert Transfer.objects.filter(pk=made).exists()


def test_adjudicator_exports_gold_and_importer_owns_it(walks, signed_in):
    add_member(walks, person("adam"), Membership.Role.ADJUDICATOR)
    draft_gold(walks, DraftRequest(Method.MOST))
    decide(walks, "walk")
    adam, manager = (signed_in(person(name)) for name in ("adam", "charlie"))
    made = f"/api/v1/transfers/{ordered(adam, gold='gold', format='judgements-csv').json()['id']}/"
    adam.post(f"{made}carry-out/")
    upload = SimpleUploadedFile("gold.zip", b"".join(adam.get(f"{made}file/").streaming_content))
    before = entities(walks, "walk", alone=True)
    Coding.objects.filter(kind="gold").delete()
    fields = {"format": "judgements-csv", "files": [upload], "gold": "on"}
    order = manager.post("/api/v1/projects/walks/imports/", fields).json()
    assert order["state"] == "checked", order
    manager.post(f"/api/v1/transfers/{order['id']}/carry-out/")
    gold = Coding.objects.get(kind="gold")
    assert (gold.coder.username, gold.status) == ("charlie", "submitted")
    assert entities(walks, "walk", alone=True) == before
