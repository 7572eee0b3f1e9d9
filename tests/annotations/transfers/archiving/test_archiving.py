"""Archive and restore projects."""

import hashlib
import io
import json
import random
import resource
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection, models, transaction
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from agreement.data.reading import read_answers
from agreement.discussion import add_remark, resolve_flag, save_mapping, set_flag
from agreement.models import Remark
from annotations.adjudication.drafts import DraftRequest, draft_gold
from annotations.adjudication.ownership import open_gold
from annotations.adjudication.proposal import Method
from annotations.coding import operations
from annotations.coding.decisions import Decision
from annotations.coding.judgements import judgements_of
from annotations.coding.pyramids import scus
from annotations.coding.status import reopen_coding, submit_coding
from annotations.docsets.agreed_pyramid import start_agreed_pyramid
from annotations.docsets.creation import add_peer, create_docset
from annotations.formats import Document, FormatError, plain
from annotations.formats.project import VERSION, Kind
from annotations.models import (
    Category,
    Coding,
    Markable,
    Membership,
    ModelCoder,
    Operation,
    Project,
    RepeatPlan,
    Reply,
    User,
)
from annotations.planning.plans.designs.terms import PlanParameters
from annotations.planning.plans.plans import PlanRequest, apply_plan
from annotations.planning.rounds import add_texts, change_round, create_round, move_to_round
from annotations.planning.training import decide_on_coder
from annotations.planning.work.assignments import assign_peers, assign_texts
from annotations.projects.creation import create_project
from annotations.projects.guidelines import record_guidelines, record_reading
from annotations.projects.people.members import add_member, set_group
from annotations.projects.people.model_coders import add_model, find_model, make_key
from annotations.revision.saving import save_scheme
from annotations.schemes.changes import Merge
from annotations.schemes.project_scheme import read_scheme
from annotations.schemes.ready_made import SCHEMES
from annotations.texts.questions import ask, publish, reply_to, resolve_question
from annotations.transfers.archiving import RestoreReport, archive_project, judging, restore_project
from annotations.transfers.archiving.tables import LEFT_OUT, TABLES, archived_fields, shape_of
from annotations.transfers.exporting.dispatch import export_files
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument
from annotations.transfers.importing.options import ImportOptions
from annotations.transfers.importing.report import ImportFailed
from tests.annotations.docsets.test_creation import SINKING
from tests.annotations.formats.test_project import files, rezipped
from tests.annotations.transfers.importing.test_importing import all_rows
from tests.shared.agreeing import of_size
from tests.shared.cases import examples
from tests.shared.coding import change, close_gold, in_another_connection, judge
from tests.shared.documents import INDEXING, documents, spoiled
from tests.shared.exports import documents_of
from tests.shared.projects import make_project, person
from tests.shared.pyramids import build, codings_of, contributor, docset, models_of, pyramid_project, says, send
from tests.shared.schemes import RICH, change_rows

pytestmark = pytest.mark.slow

OURS = ("annotations", "agreement")

# A file in which nothing is coded is a coding.
TAKE_EMPTY = {"empty": "take"}


def apply(coding: Coding, *changes: operations.Change) -> None:
    coding.refresh_from_db()
    operations.apply(coding, coding.coder, coding.version, list(changes))


@pytest.fixture
def tea(db) -> Project:
    return make_tea()


@pytest.fixture(scope="module")
def archive_of(django_db_setup, django_db_blocker) -> Callable[[Callable[[], Project]], bytes]:
    """Return a function that makes a project and returns its archive; the project no longer exists."""

    def make_and_forget(make: Callable[[], Project]) -> bytes:
        with django_db_blocker.unblock(), transaction.atomic():
            data = archived(make())
            transaction.set_rollback(True)
        return data

    return make_and_forget


@pytest.fixture(scope="module")
def tea_archive(archive_of) -> bytes:
    return archive_of(make_tea)


@pytest.fixture(scope="module")
def sea_archive(archive_of) -> bytes:
    return archive_of(make_sea)


@pytest.fixture(scope="module")
def model_archive(archive_of) -> bytes:
    return archive_of(lambda: add_gpt(make_tea()))


def make_tea() -> Project:
    """Make a project with everything possible: all kinds of operations, undone and redone, and texts of managers."""
    project = create_project("tea", "Tea", RICH, guidelines="*Read* it\u2028twice \\u0000", coders_mark=True)
    marked = "#turns: turn\n1 M: put [the kettle](a) on [the stove](b)\n2 S: is [it](c) hot? 😀 it is, it is\n"
    import_documents(project, [SourceDocument(plain.parse(marked, "tea.txt"), None)])
    text = project.texts.get()
    move_to_round(project, [text], "pilot")
    for name, role in (
        ("Alice", "coder"),
        ("bob", "coder"),
        ("charlie", "manager"),
        ("Ära", "adjudicator"),
        ("v", "viewer"),
    ):
        add_member(project, person(name), role)
    set_group(project, project.memberships.filter(user__username="Alice").values_list("pk", flat=True), "expert")
    alice, bob, charlie = (User.objects.get(username=name) for name in ("Alice", "bob", "charlie"))
    assign_texts(project, [text], [alice, bob])
    due_on = date(2026, 12, 24)
    apply_plan(project, PlanRequest(PlanParameters(seed=-7), weights={"Alice": 0.5}, maxima={"bob": 3}, due_on=due_on))
    order = {"share": 0.25, "days": 7, "seed": -7, "automatic": True, "applied_at": datetime.now(UTC)}
    RepeatPlan.objects.create(round=text.rounds.get(), **order).coders.add(alice)
    Coding.objects.of_people().filter(coder=bob).update(
        reserved_until=datetime.now(UTC), released_at=datetime.now(UTC), place=2
    )
    keys = dict(text.markables.values_list("label", "key"))
    coding = Coding.objects.of_people().get(coder=alice)
    said = {"gender": "n", "kinds": ["c", "a"], "count": 1.5, "gloss": "é\u2028", "animacy": "yes"}
    judge(coding, keys["a"], "place", note="why?\n\x01", name="kettle", unsure=True, head=[[8, 14]], attributes=said)
    bridging = {"relations": {"bridging": [[keys["b"]], [keys["a"], keys["b"]]]}, "attributes": {"part": "whole"}}
    judge(coding, keys["c"], "phrase", keys["b"], keys["a"], optional=True, **bridging)
    judge(coding, keys["b"], "none")
    apply(coding, change("clear", markable=keys["b"]))
    first, second = text.content.index("it is"), text.content.rindex("it is")
    own, longer, other = f"phrase:{first}-{first + 2}", f"phrase:{first}-{first + 5}", f"phrase:{second}-{second + 2}"
    judge(coding, own, "phrase", keys["a"])
    judge(coding, other, "phrase", own, keys["c"])
    done, undone = uuid4(), uuid4()
    there, back = {"markable": own, "to": longer}, {"markable": longer, "to": own}
    apply(coding, operations.Change(uuid4(), "move", there, datetime.now(UTC), done))
    apply(coding, operations.Change(uuid4(), "move", back, None, undone, undoes=done))
    apply(coding, operations.Change(uuid4(), "move", there, None, uuid4(), undoes=undone))
    apply(coding, change("unmark", markable=other))
    submit_coding(coding, alice)
    reopen_coding(coding, charlie)
    submit_coding(coding, alice)
    marks = "Tom saw [her](x) [dog](y), and [it](z) ran"
    import_documents(
        project, [SourceDocument(plain.parse(marks, "dog.txt"), "bob")], ImportOptions(of_format=TAKE_EMPTY)
    )
    import_documents(
        project,
        [SourceDocument(plain.parse(marks, "dog.txt"), "dora")],
        ImportOptions(create=True, of_format=TAKE_EMPTY),
    )
    import_documents(
        project, [SourceDocument(plain.parse("a [zebra](x)", "zoo.txt"), "bob")], ImportOptions(of_format=TAKE_EMPTY)
    )
    draft_gold(project, DraftRequest(Method.MOST, texts=["zoo"], adjudicator="charlie"))
    drafted = Coding.objects.select_related("coder").get(kind="gold")
    zebra, [basis] = Markable.objects.get(text__slug="zoo").key, drafted.operations.get().payload["codings"]
    items = [[zebra, "category"], [zebra, "kinds"]]
    apply(drafted, change("decide", items=items, source="coder", codings=[basis], reason="slip", note="é\u2028"))
    training = create_round(project, "training", kind="training", pass_measure="masi", pass_mark=0.8, attempts=2)
    change_round(training, feedback="judgement")
    add_texts(training, [text])
    gold = open_gold(project, text, "training", charlie)
    judge(gold, keys["a"], "place", note="Said.")
    close_gold(gold)
    assign_texts(project, [text], [User.objects.get(username="dora")], training)
    practice = Coding.objects.of_people().select_related("coder", "text", "round").get(round=training)
    judge(practice, keys["a"], "none")
    apply(practice, change("check", markable=keys["a"]))
    decide_on_coder(training, alice, "passed", "Known.", charlie)
    change_round(project.rounds.get(name="pilot"), required_round=training)
    item = Markable.objects.get(text=text, label="a")
    Markable.objects.filter(pk=item.pk).update(head=[[8, 14]])
    for body in ("see the guidelines", "and again", "and again"):
        add_remark(item, charlie, body)
    Remark.objects.update(created_at=datetime(2026, 1, 1, tzinfo=UTC))
    set_flag(item, charlie, True)
    settled = Markable.objects.get(text=text, label="b")
    set_flag(settled, charlie, True, "Which one?")
    resolve_flag(settled, alice)
    asked = ask(text, alice, "Is *it* the kettle?", keys["c"])
    reply_to(asked, charlie, "Yes.", resolve=True)
    reply_to(asked, alice, "And here?")
    for _ in range(2):
        Reply.objects.create(question=asked, author=charlie, body="Again.", created_at=datetime(2026, 1, 1, tzinfo=UTC))
    publish(asked, "Is it the kettle?", "Yes.")
    resolve_question(ask(text, bob, "What is this text?"), bob)
    ask(text, bob, "And this one?", keys["a"])
    record_reading(project, bob, 1)
    project.guidelines += " again"
    project.save()
    record_guidelines(project, charlie)
    save_mapping(project, "mine", {"place": "other", "none": "other"}, charlie)
    save_mapping(project, "empty", {}, charlie)
    told = {"licence": "CC BY 4.0", "citation": "@misc{tea}", "contact": "tea@example.com"}
    told |= {"description": "Two kettles.\u2028", "source": "Dialogues | overheard"}
    Project.objects.filter(pk=project.pk).update(results_open=True, preset="passonneau-2004", **told)
    change_rows(project.relations.filter(key="phrase"), max_targets=3, later=True)
    spec = read_scheme(project.pk).spec
    fewer = replace(spec.attributes[2], values=spec.attributes[2].values[:2])
    spec = replace(spec, attributes=(*spec.attributes[:2], fewer, *spec.attributes[3:]))
    save_scheme(project, spec, charlie, merges=[Merge("kinds", "c", "b")])
    return Project.objects.get(pk=project.pk)


@pytest.fixture
def tales(db) -> Project:
    """Make a project of indices."""
    project = create_project("tales", "Tales", SCHEMES["clusters"])
    walks = [
        SourceDocument(plain.parse("[Anna](=1|z) took [[her](=z|1) dog](=2) out", "walk.txt"), name) for name in "ab"
    ]
    import_documents(project, walks, ImportOptions(create=True))
    return project


def make_sea() -> Project:
    """Make a project of pyramids: two docsets, two coders' pyramids, an agreed pyramid, and peers of both."""
    project = pyramid_project("sea", words_exclusive=False)
    anna, ben, eve = person("anna"), person("ben"), person("eve")
    made = docset(project, anna, ben)
    create_docset(project, "other", "Other", [("a", "It is\u2028so."), ("b", "So it is.")])
    add_member(project, eve, Membership.Role.ADJUDICATOR)
    codings = codings_of(models_of(made))
    build(codings["ben"], SINKING)
    pyramid = codings["anna"]
    send(pyramid, change("describe", scu="z", label="Last", comment="of all"))
    send(pyramid, change("describe", scu="gone", label="Gone"), change("describe", scu="gone"))
    send(pyramid, says(contributor(pyramid.text, "The ferry", "at dawn"), "z", "a", note="two parts"))
    send(pyramid, change("describe", scu="a", label="First"))
    submit_coding(pyramid, anna)
    pyramid.refresh_from_db()
    agreed = start_agreed_pyramid(made, eve, pyramid)
    send(agreed, change("describe", scu="a", label="Otherwise"))
    submit_coding(agreed, eve)
    peers = [add_peer(made, name, name.title(), "A ferry sank. Prices rose.", system=name) for name in ("p1", "p2")]
    assign_peers(made, peers, [anna, ben], agreed=False)
    assign_peers(made, peers, [anna, eve], agreed=True)
    for coding in Coding.objects.of_people().filter(text=peers[0], coder=anna).select_related("text", "coder"):
        send(coding, says(contributor(coding.text, "A ferry"), "z"), says(contributor(coding.text, "Prices rose")))
    submit_coding(Coding.objects.of_people().get(text=peers[0], coder=anna, kind="peer"), anna)
    return Project.objects.get(pk=project.pk)


def archived(project: Project) -> bytes:
    out = io.BytesIO()
    archive_project(project, out)
    return out.getvalue()


def renamed(data: bytes, slug: str) -> dict[str, bytes]:
    """Return the files of an archive with another address of the project."""
    of = files(data)
    row = json.loads(of["project.jsonl"])
    return of | {"project.jsonl": json.dumps(row | {"slug": slug}).encode()}


def lines(data: bytes, table: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in files(data)[f"{table}.jsonl"].decode().split("\n")[:-1]]


def changed(data: bytes, table: str, row: int, **fields: Any) -> bytes:
    """Return the archive with other values in one row."""
    rows = lines(data, table)
    rows[row] |= fields
    return with_rows(data, **{table: rows})


def with_rows(data: bytes, **tables: list[dict[str, Any]]) -> bytes:
    of = files(data)
    manifest = json.loads(of["manifest.json"])
    for table, rows in tables.items():
        of[f"{table}.jsonl"] = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
        manifest["rows"][table] = len(rows)
    return rezipped(of | {"manifest.json": json.dumps(manifest).encode()})


def content(project: Project) -> dict[str, Counter[str]]:
    """Return all values of all rows, except for the keys of rows, the address and the stamp of the scheme."""
    found = {}
    for table in TABLES:
        names = [
            field.name
            for field in table.model._meta.concrete_fields
            if not field.primary_key and not field.is_relation and field.name not in ("slug", "scheme_stamp")
        ]
        rows = table.model._base_manager.filter(**{table.project_lookup: project.pk}).values_list("pk", *names)
        found[table.name] = Counter(json.dumps(row[1:], sort_keys=True, default=str) for row in rows)
    return found


def refused(data: bytes, **options: Any) -> str:
    """Return the error of an archive that cannot be restored, and assert that nothing changed."""
    before = all_rows()
    with pytest.raises((FormatError, ImportFailed)) as caught:
        restore_project(data, **{"slug": "copy", **options})
    assert all_rows() == before
    return str(caught.value)


def assert_restores_equal(project: Project) -> RestoreReport:
    data = archived(project)
    # A model is of one project: the copy makes another account, and can have its name only if that is free.
    of_models = ModelCoder.objects.filter(membership__project=project)
    here = {model.membership.user: model.membership.user.username for model in of_models}
    for user, name in here.items():
        User.objects.filter(pk=user.pk).update(username=f"{name}-before")
    restored = restore_project(data, slug="copy")
    copy = restored.project
    assert copy is not None
    assert copy.pk != project.pk
    assert renamed(archived(copy), project.slug) == renamed(data, project.slug)
    assert content(copy) == content(project)
    for coding in Coding.objects.filter(text__project=project).select_related("text", "coder", "round"):
        of_copy = Coding.objects.get(
            text__project=copy,
            text__slug=coding.text.slug,
            coder__username=here.get(coding.coder, coding.coder.username),
            kind=coding.kind,
            round__name=coding.round.name,
            occasion=coding.occasion,
        )
        assert judgements_of(of_copy) == judgements_of(coding)
        assert scus.scu_descriptions(of_copy) == scus.scu_descriptions(coding)
    if project.answers == Project.Answers.SCUS:
        assert export_ducview(copy) == export_ducview(project)
    else:
        assert list(documents_of(copy, unfinished=True)) == list(documents_of(project, unfinished=True))
    assert read_answers(copy).fingerprint == read_answers(project).fingerprint
    return restored


def export_ducview(project: Project) -> dict[str, bytes]:
    out = io.BytesIO()
    export_files(project, "ducview", out, unfinished=True)
    return files(out.getvalue())


def test_restore_returns_equal_pyramids(db):
    sea = make_sea()
    restored = assert_restores_equal(sea)
    assert not restored.findings
    assert set(Coding.objects.of_people().filter(text__project=sea).values_list("kind", flat=True)) == {
        "pyramid",
        "agreed",
        "peer",
        "peer-agreed",
    }
    rows = archive_project(sea, io.BytesIO()).rows
    assert (rows["docsets"], rows["scus"], rows["codings"]) == (2, 7, 11)


@pytest.mark.parametrize(
    ("table", "row", "fields", "message"),
    [
        ("scus", 0, {"label": "", "comment": ""}, "the database refuses these rows"),
        ("scus", 0, {"key": ""}, "cannot be blank"),
        ("texts", 0, {"role": "models", "docset": None}, "texts.jsonl:1: a text whose role is models has no docset"),
        ("codings", 0, {"kind": "ghost"}, "is not a valid choice"),
        ("codings", 0, {"kind": "pyramid"}, "the same text and coder and kind"),
    ],
)
def test_restore_refuses_invalid_pyramid(db, sea_archive, table, row, fields, message):
    if fields == {"kind": "pyramid"}:
        codings = lines(sea_archive, "codings")
        kinds = [(line["text"], line["coder"]) for line in codings]
        row = next(number for number, kind in enumerate(kinds) if kinds.count(kind) > 1)
        fields = {"kind": codings[row + 1]["kind"]}
    assert message in refused(changed(sea_archive, table, row, **fields))


def first(rows: list[dict[str, Any]], **fields: Any) -> int:
    return next(place for place, row in enumerate(rows) if fields.items() <= row.items())


@pytest.mark.parametrize(
    ("kind", "other"),
    [
        ("pyramid", "text"),
        ("pyramid", "peer"),
        ("agreed", "peer-agreed"),
        ("peer", "pyramid"),
        ("peer-agreed", "agreed"),
        ("text", "pyramid"),
    ],
)
def test_restore_refuses_coding_kind_that_does_not_fit_text(db, sea_archive, tea_archive, kind, other):
    data = tea_archive if kind == "text" else sea_archive
    row = first(lines(data, "codings"), kind=kind)
    assert refused(changed(data, "codings", row, kind=other)).startswith(f"codings.jsonl:{row + 1}: kind is {other}")


def test_restore_refuses_second_agreed_pyramid(db, sea_archive):
    data = sea_archive
    row = first(lines(data, "codings"), kind="agreed")
    mine = first(lines(data, "codings"), kind="pyramid")
    later, earlier = max(row, mine) + 1, min(row, mine) + 1
    said = f"codings.jsonl:{later}: line {earlier} is the agreed pyramid of this text already"
    assert refused(changed(data, "codings", mine, kind="agreed")).startswith(said)


def test_restore_requires_one_text_of_models_per_docset(db, sea_archive):
    data = sea_archive
    texts = lines(data, "texts")
    alone, other = (first(texts, slug=slug) for slug in ("other", "sinking"))
    both = changed(data, "texts", alone, docset=texts[other]["docset"])
    assert "holds the model summaries of its docset already" in refused(both)
    said = refused(changed(data, "texts", alone, role="peer"))
    assert said.startswith(f"docsets.jsonl:{texts[alone]['docset']}: it has no text whose role is models")
    assert "has a docset" in refused(changed(data, "texts", alone, role="source"))


@pytest.mark.parametrize("answers", ["pointers", "indices", "categories"])
def test_restore_refuses_docsets_outside_pyramid_projects(db, sea_archive, answers):
    assert refused(changed(sea_archive, "project", 0, answers=answers)).startswith("docsets.jsonl:1: only a project")


def test_restore_refuses_peers_and_summaries_outside_pyramid_projects(db, tea_archive):
    said = refused(changed(tea_archive, "texts", 0, role="peer"))
    assert said.startswith("texts.jsonl:1: role is peer; only a project whose answers are scus")
    said = refused(changed(tea_archive, "segments", 0, kind="summary"))
    assert said.startswith("segments.jsonl:1: a text whose role is source has no summaries")


def test_restore_refuses_missing_or_overlapping_summaries(db, sea_archive):
    data = sea_archive
    segments, texts = lines(data, "segments"), lines(data, "texts")
    row = first(texts, slug="other")
    without = [segment for segment in segments if segment["text"] != row + 1]
    assert refused(with_rows(data, segments=without)).startswith(f"texts.jsonl:{row + 1}: its role is models")
    first_segment, second = (number for number, segment in enumerate(segments) if segment["text"] == row + 1)
    overlapping = changed(data, "segments", second, start=segments[first_segment]["start"] + 1)
    said = f"segments.jsonl:{second + 1}: it shares characters with the summary of line {first_segment + 1}"
    assert refused(overlapping).startswith(said)
    for start, end in ((-1, 5), (0, 10_000)):
        outside = changed(data, "segments", first_segment, start=start, end=end)
        assert refused(outside).startswith(f"segments.jsonl:{first_segment + 1}: ")


@pytest.mark.parametrize(
    ("kind", "payload", "message"),
    [
        ("import", {"judgements": [], "scus": {}}, "payload"),
        ("import", {"judgements": [], "scus": ["z"]}, "payload"),
        ("import", {"judgements": [], "scus": [{"scu": "", "label": "x"}]}, "payload"),
        ("import", {"judgements": [], "scus": [{"scu": "z", "weight": 2}]}, "payload"),
        ("import", {"judgements": [], "more": []}, "payload"),
        ("describe", {"scu": ""}, "scu is a key"),
    ],
)
def test_restore_checks_scus_of_operations(db, sea_archive, kind, payload, message):
    row = first(lines(sea_archive, "operations"), kind=kind)
    assert message in refused(changed(sea_archive, "operations", row, payload=payload))


def test_restored_project_equals_archived_project(tea):
    restored = assert_restores_equal(tea)
    assert not restored.new_people
    assert not restored.findings


def test_example_project_has_rows_of_every_kind(tea):
    elsewhere = {"describe", "correct", "assign"}  # archives of these have tests of their own
    assert set(Operation.objects.values_list("kind", flat=True)) == set(Operation.Kind.values) - elsewhere
    empty = {name for name, count in archive_project(tea, io.BytesIO()).rows.items() if not count}
    assert empty == {"indices", "docsets", "scus", "models"}


def test_restore_keeps_order_of_indices(tales):
    assert_restores_equal(tales)
    orders = {tuple(judged["indices"]) for judged in judgements_of(Coding.objects.of_people().first()).values()}
    assert orders == {("1", "z"), ("z", "1"), ("2",)}


def test_archive_bytes_do_not_depend_on_row_order(db, tea_archive):
    of = files(tea_archive)
    for table in ("operations", "flags", "members", "mappings", "segments"):
        of[f"{table}.jsonl"] = b"".join(reversed(of[f"{table}.jsonl"].splitlines(keepends=True)))
    for data in (tea_archive, rezipped(of)):
        copy = restore_project(data).project
        assert copy is not None
        assert copy.slug == "tea"
        assert archived(copy) == archived(copy) == tea_archive
        Project.objects.filter(pk=copy.pk).update(slug=f"old-{copy.pk}")


@examples(25, HealthCheck.function_scoped_fixture)
@given(given_documents=st.lists(documents(), min_size=1, max_size=3), open_again=st.booleans())
def test_generated_projects_are_restored_equal(db, given_documents, open_again):
    with transaction.atomic():
        project = create_project("walks", "Walks", _scheme(given_documents[0]))
        for number, document in enumerate(given_documents):
            import_documents(project, [SourceDocument(document, f"coder{number}")], ImportOptions(create=True))
        if open_again:
            for coding in Coding.objects.of_people().all():
                reopen_coding(coding, coding.coder)
        assert_restores_equal(project)
        transaction.set_rollback(True)


def _scheme(document: Document):
    return SCHEMES["clusters" if document.scheme is INDEXING else "poesio-artstein-2005"]


def test_every_project_table_is_archived_or_left_out_with_reason():
    held = {table.model._meta.label for table in TABLES}
    lead_to_project = {
        model._meta.label for app in OURS for model in _models(app) if model is Project or _belongs_to_project(model)
    }
    assert lead_to_project == held | LEFT_OUT.keys()
    assert not held & LEFT_OUT.keys()
    assert all(LEFT_OUT.values())


def _models(app: str) -> Iterator[type[models.Model]]:
    return apps.get_app_config(app).get_models(include_auto_created=True)


def _belongs_to_project(model: type[models.Model], seen: frozenset[Any] = frozenset()) -> bool:
    to = {field.related_model for field in model._meta.concrete_fields if field.related_model} - seen
    return Project in to or any(_belongs_to_project(other, seen | {model}) for other in to)


def test_archive_holds_every_field_except_keys_and_counts():
    before: set[str] = set()
    for table in TABLES:
        fields, shape = table.model._meta.concrete_fields, shape_of(table)
        kept = {field.name for field in fields if field.related_model is not Project} - {"id", *table.counted}
        assert {field.name for field in shape.fields} == kept
        assert {field.to for field in shape.fields if field.to} <= before | {table.name}
        assert {field.name for field in shape.fields if field.kind is Kind.JSON} == table.json.keys()
        assert {name.lstrip("-") for name in table.order} <= archived_fields(table).keys()
        before.add(table.name)


def downgrade(of: dict[str, bytes], version: int) -> None:
    """Take the tables and fields of later versions out of the files of an archive."""
    manifest = json.loads(of["manifest.json"])
    for archived_table in TABLES:
        name = f"{archived_table.name}.jsonl"
        if archived_table.table_since > version:
            del of[name], manifest["rows"][archived_table.name]
            continue
        later = {field for field, since in archived_table.since.items() if since > version}
        rows = [json.loads(line) for line in of[name].splitlines()]
        kept = [{field: value for field, value in row.items() if field not in later} for row in rows]
        of[name] = "".join(json.dumps(row) + "\n" for row in kept).encode()
    of["manifest.json"] = json.dumps({**manifest, "version": version}).encode()


def test_restore_refuses_archives_before_0_2_0(db, tea_archive):
    of = files(tea_archive)
    of["manifest.json"] = json.dumps(json.loads(of["manifest.json"]) | {"version": 13}).encode()
    assert "this archive has version 13; versions 14 to 15 are read" in refused(rezipped(of))


def test_changed_tables_need_new_archive_version():
    """If this fails, the archive has changed: raise VERSION and add its hash here."""
    shapes = repr([shape_of(table) for table in TABLES])
    known = {15: "53d8fc5c1d396a19"}
    assert known[VERSION] == hashlib.sha256(shapes.encode()).hexdigest()[:16]


def test_archive_holds_only_names_and_roles_of_members(tea):
    User.objects.filter(username="Alice").update(
        email="alice@example.org", first_name="Alicia", last_name="Secret", password="hash", is_staff=True
    )
    data = archived(tea)
    assert not any(word in b"".join(files(data).values()) for word in (b"example.org", b"Alicia", b"Secret", b"hash"))
    assert {row["user"]: row["role"] for row in lines(data, "members")} == {
        "Alice": "coder", "bob": "coder", "charlie": "manager", "dora": "coder", "v": "viewer", "Ära": "adjudicator"
    }  # fmt: skip


def test_restore_creates_missing_users_without_password_or_rights(db, tea_archive):
    User.objects.create_user("BOB", is_staff=True)
    restored = restore_project(tea_archive, slug="copy")
    assert restored.new_people == ["Alice", "charlie", "dora", "v", "Ära"]
    for user in User.objects.filter(username__in=restored.new_people):
        assert not user.has_usable_password()
        assert (user.is_staff, user.is_superuser, user.email) == (False, False, "")
    assert User.objects.count() == 1 + 5
    codings = Coding.objects.of_people().filter(text__project=restored.project)
    assert set(codings.values_list("coder__username", flat=True)) == {"Alice", "BOB", "dora"}
    assert str(restored).endswith(", 5 new accounts")


def test_restore_limits_number_of_new_accounts(db, tea_archive, settings):
    settings.ACCOUNTS_OF_PROJECT = 5
    with pytest.raises(ImportFailed, match=r"6 people of the archive have no account here. At most 5 accounts can"):
        restore_project(tea_archive, slug="copy")
    assert not User.objects.exists()
    settings.ACCOUNTS_OF_PROJECT = 6
    assert len(restore_project(tea_archive, slug="copy").new_people) == 6


def test_restoring_user_becomes_manager(db, tea_archive):
    for number, name in enumerate(("charlie", "Ära", "v", "mallory")):
        user = person(name)
        copy = restore_project(tea_archive, slug=f"copy-{number}", by=user).project
        assert copy is not None
        assert copy.memberships.get(user=user).role == Membership.Role.MANAGER
        assert copy.memberships.count() == 6 + (name == "mallory")


def test_coder_may_not_restore_project_they_code(db, tea_archive):
    alice = person("Alice")
    assert "Alice codes texts of this project and must stay blind" in refused(tea_archive, by=alice)
    members = [row for row in lines(tea_archive, "members") if row["user"] != "Alice"]
    assert "must stay blind" in refused(with_rows(tea_archive, members=members), by=alice)


def add_gpt(project: Project) -> Project:
    """Assign a text to a model."""
    model = add_model(project, "gpt", version="4.1", hash="0123", date=date(2026, 11, 1))
    assign_texts(project, project.texts.filter(slug="tea"), [model.membership.user])
    make_key(model, 1)
    return project


def test_restored_model_gets_new_name_if_name_is_taken(tea):
    data = archived(add_gpt(tea))
    restored = restore_project(data, slug="beside").project
    model = find_model(restored, "gpt-2")
    assert (model.version, model.hash, model.date) == ("4.1", "0123", date(2026, 11, 1))
    [coding] = Coding.objects.of_coders().filter(text__project=restored, by_model=True)
    assert coding.coder == model.membership.user
    assert not model.membership.user.tokens.exists()
    User.objects.create_user("gpt-3", password="lavender-9-canoe")  # a person is no model by an archive
    assert find_model(restore_project(data, slug="again").project, "gpt-4")


def test_archive_of_version_14_has_no_models(db, tea_archive):
    of = files(tea_archive)
    downgrade(of, 14)
    restored = restore_project(rezipped(of), slug="copy").project
    assert not ModelCoder.objects.filter(membership__project=restored).exists()
    assert not Coding.objects.filter(text__project=restored, by_model=True).exists()


@pytest.mark.parametrize(
    ("table", "of", "fields", "said"),
    [
        ("codings", "gpt", {"by_model": False}, "by_model is False, but gpt is a model"),
        ("codings", "bob", {"by_model": True}, "by_model is True, but bob is no model"),
        ("members", "gpt", {"role": "manager"}, "gpt is a model, and its role is manager; it can only be coder"),
    ],
)
def test_restore_refuses_people_as_models_and_models_as_people(db, model_archive, table, of, fields, said):
    row = first(lines(model_archive, table), **{"user" if table == "members" else "coder": of})
    assert said in refused(changed(model_archive, table, row, **fields))


def test_trial_reports_restore_and_changes_nothing(db, tea_archive):
    before = all_rows()
    tried = restore_project(tea_archive, slug="copy", trial=True)
    assert all_rows() == before
    done = restore_project(tea_archive, slug="copy")
    assert tried.project is None
    assert (tried.slug, str(tried), tried.new_people) == (done.slug, str(done), done.new_people)
    assert done.new_people == ["Alice", "bob", "charlie", "dora", "v", "Ära"]


def test_restore_warns_of_missing_member_and_changed_scheme(tea):
    """Staff can make such changes in the admin at any time."""
    Membership.objects.filter(user__username="Alice").delete()
    change_rows(tea.relations.filter(key="phrase"), max_targets=1)
    Category.objects.filter(key="place").update(key="spot")
    change_rows(tea.levels.filter(key="phrase"), key="np")
    restored = assert_restores_equal(tea)
    assert [line.partition(": ")[2] for line in restored.warnings()] == [
        "bridging: It is asked if category is 'place', which is none of its values. (and 1 more like this)",
        f"{Markable.objects.filter(level__key='np').order_by('text__slug', 'start').first().key} is of level np "
        f"(and {Markable.objects.filter(level__key='np', text__project=tea).count() - 1} more like this)",
        "gender is asked only where category is phrase or place.",
        "phrase takes at most 1 antecedents.",
        "not what its log says: Alice, tea (text): phrase:4-14: spot animacy=yes count=1.5 gender=n gloss=é\u2028 "
        "kinds=a|b, by its log place animacy=yes count=1.5 gender=n gloss=é\u2028 kinds=a|b (and 1 more like this)",
        "Alice codes and is no member",
    ]


@pytest.mark.parametrize("role", ["viewer", "manager", "adjudicator"])
def test_restore_warns_if_coder_has_role_that_sees_codings(db, tea_archive, role):
    place = [row["user"] for row in lines(tea_archive, "members")].index("Alice")
    restored = restore_project(changed(tea_archive, "members", place, role=role), slug="copy")
    assert f"Alice has coded texts and is {role} here, who sees what others code" in restored.warnings()[-1]


@pytest.mark.parametrize(
    ("table", "row", "fields", "said"),
    [
        ("judgements", 0, {"category": 1}, "bob, dog (text): phrase:8-11: phrase, by its log "),
        ("codings", 0, {"status": "open"}, "bob, dog (text): it is open, by its log submitted"),
    ],
)
def test_restore_reports_coding_that_differs_from_log(db, tea_archive, table, row, fields, said):
    assert not any("not what its log says" in line for line in restore_project(tea_archive, slug="tea").warnings())
    restored = restore_project(changed(tea_archive, table, row, **fields), slug="copy")
    assert any(f"not what its log says: {said}" in line for line in restored.warnings())


def test_restore_reports_log_that_is_too_long_to_replay(db, tea_archive, monkeypatch):
    monkeypatch.setattr(judging, "MAX_REPLAYED", 1)
    restored = restore_project(tea_archive, slug="copy")
    assert any("the log is too long to be compared here" in line for line in restored.warnings())


def test_restore_refuses_taken_or_invalid_address(db, tea_archive):
    make_project()
    assert "There is a project 'tea' already" in refused(tea_archive, slug=None)
    assert "There is a project 'tea' already" in refused(tea_archive, slug="tea")
    assert "'new' is taken by a page" in refused(tea_archive, slug="new")
    assert "'no slug' is none" in refused(tea_archive, slug="no slug")
    assert "'' is none" in refused(tea_archive, slug="")
    wrong = changed(tea_archive, "project", 0, slug="no slug")
    assert refused(wrong, slug=None).startswith("project.jsonl:1: slug: ")


def test_archive_and_restore_take_fixed_number_of_queries(db):
    costs = []
    for slug, size in (("small", 2), ("large", 4)):
        project = of_size(slug, size)
        with CaptureQueriesContext(connection) as reading:
            data = archived(project)
        User.objects.filter(username="alice").update(username=f"alice-{slug}")
        with CaptureQueriesContext(connection) as writing:
            restore_project(data, slug=f"{slug}-copy", by=User.objects.get(username="charlie"))
        costs.append((len(reading), len(writing)))
    assert costs[0] == costs[1]
    assert costs[0][0] == len(TABLES)
    assert costs[0][1] < 60


@pytest.mark.django_db(transaction=True)
def test_archive_ignores_changes_during_writing():
    """A coder can save while the tables are read; the archive does not hold the change."""
    project = make_project()
    before = archived(project)
    seen = []

    class Slow(io.BytesIO):
        def write(self, data: Any) -> int:
            if not seen:
                seen.append(in_another_connection(lambda: Project.objects.update(title="Other", preset="x")))
                seen.append(in_another_connection(lambda: project.texts.update(title="Other")))
            return super().write(data)

    out = Slow()
    archive_project(project, out)
    assert seen == [1, 1]
    assert out.getvalue() == before
    assert archived(Project.objects.get()) != before


DRAFTED = {"method": "most", "codings": [], "contested": [], "judgements": []}
JUDGED = Decision("phrase:8-18").payload()


@pytest.mark.parametrize(
    ("table", "row", "fields", "said"),
    [
        ("project", 0, {"answers": "songs"}, "project.jsonl:1: answers: Value 'songs' is not a valid choice."),
        ("project", 0, {"title": ""}, "project.jsonl:1: title: This field cannot be blank."),
        ("project", 0, {"title": "x" * 201}, "project.jsonl:1: title: Ensure this value has at most 200"),
        ("levels", 0, {"key": "two words"}, "levels.jsonl:1: key: Enter a valid “slug”"),
        ("levels", 1, {"key": "phrase"}, "levels.jsonl:2: line 1 has the same key"),
        ("levels", 1, {"position": -1}, "levels.jsonl:2: position: Ensure this value is greater"),
        ("levels", 1, {"coders_mark": True}, "levels.jsonl:2: turn: Coders mark only levels that they code."),
        ("relations", 0, {"max_targets": 0}, "relations.jsonl:1: phrase: The number of targets is at least 1."),
        ("relations", 0, {"asked_if": {"question": 1}}, "relations.jsonl:1: asked_if is not of the shape"),
        ("relations", 0, {"asked_if": None}, "relations.jsonl:1: phrase: A relation of identity is asked of one"),
        ("relations", 1, {"key": "phrase"}, "relations.jsonl:2: line 1 has the same key"),
        ("relation_targets", 0, {"level": 3}, "relation_targets.jsonl:1: level is line 3 of levels, which has 2"),
        ("categories", 0, {"colour": "red"}, "categories.jsonl:1: phrase: 'red' is no colour such as #1f77b4."),
        ("categories", 0, {"level": 3}, "categories.jsonl:1: level is line 3 of levels, which has 2"),
        ("attributes", 0, {"asked_if": {"relation": "ghost"}}, "attributes.jsonl:1: gender: It is asked if 'ghost'"),
        ("attributes", 0, {"asked_if": {"question": "gender-2", "values": ["f"]}}, "attributes.jsonl:1: gender: It is"),
        ("attributes", 1, {"primary_of": 9}, "attributes.jsonl:2: primary_of is line 9 of attributes, which has 7"),
        ("attributes", 0, {"primary_of": 2}, "attributes.jsonl:1: gender: There is no earlier attribute 'gender-2'"),
        ("attributes", 0, {"kind": "song"}, "attributes.jsonl:1: kind: "),
        ("attribute_answers", 0, {"attribute": 1}, "attribute_answers.jsonl:1: "),
        ("attribute_answers", 0, {"value": None, "text": ""}, "attribute_answers.jsonl"),
        ("attribute_answers", 0, {"value": None, "number": 1e16}, "attribute_answers.jsonl:1: number is greater than"),
        ("attribute_answers", 1, {"text": "x", "number": None}, "attribute_answers.jsonl:2: an answer to count is"),
        ("attribute_answers", 3, {"text": "x" * 1001}, "attribute_answers.jsonl:4: text has more than"),
        ("attribute_answers", 4, {"value": None, "text": "x"}, "attribute_answers.jsonl:5: an answer to kinds is"),
        ("attributes", 0, {"asked_if": {"question": "category", "values": ['a"none']}}, "attributes.jsonl:1: "),
        ("relation_targets", 1, {"relation": 1, "level": 1}, "relation_targets.jsonl:2: line 1 has the same"),
        ("members", 0, {"role": "king"}, "members.jsonl:1: role: Value 'king' is not a valid choice."),
        ("members", 0, {"group": "a,b"}, "members.jsonl:1: group: A group has no comma in its name"),
        ("members", 0, {"user": "bob"}, "members.jsonl:2: line 1 has the same user"),
        ("members", 0, {"user": "BOB"}, "members.jsonl:2: 'bob' and 'BOB' are the same name here"),
        ("members", 0, {"user": "two words"}, "members.jsonl:1: 'two words' cannot be a person's name: "),
        ("members", 0, {"user": ""}, "members.jsonl:1: '' cannot be a person's name: "),
        ("members", 0, {"user": "x" * 151}, "members.jsonl:1: "),
        ("texts", 0, {"content": ""}, "texts.jsonl:1: content: This field cannot be blank."),
        ("texts", 0, {"content": "Tom"}, "markables.jsonl:1: The text has 3 characters; the markable ends at "),
        ("texts", 1, {"content": "x"}, "segments.jsonl:1: "),
        ("texts", 1, {"slug": "dog"}, "texts.jsonl:2: line 1 has the same slug"),
        ("texts", 0, {"direction": "up"}, "texts.jsonl:1: direction: "),
        ("segments", 0, {"end": 0}, "segments.jsonl:1: 0-0 is no stretch of its text"),
        ("segments", 0, {"kind": "verse"}, "segments.jsonl:1: kind: "),
        ("markables", 0, {"parts": []}, "markables.jsonl:1: parts has no part"),
        ("markables", 0, {"parts": [[0, 1, 2]]}, "markables.jsonl:1: parts is not of the shape"),
        ("markables", 0, {"parts": [[False, True]]}, "markables.jsonl:1: parts is not of the shape"),
        ("markables", 0, {"parts": [[1.0, 2]]}, "markables.jsonl:1: parts is not of the shape"),
        ("markables", 0, {"parts": [["1", 2]]}, "markables.jsonl:1: parts is not of the shape"),
        ("markables", 0, {"parts": [1]}, "markables.jsonl:1: parts is not of the shape"),
        ("markables", 0, {"parts": None}, "markables.jsonl:1: parts is not JSON"),
        ("markables", 0, {"parts": [[-1, 2]]}, "markables.jsonl:1: parts has no part"),
        ("markables", 0, {"parts": [[2, 1]]}, "markables.jsonl:1: The parts of a markable are not empty"),
        ("markables", 0, {"parts": [[0, 1], [1, 2]]}, "markables.jsonl:1: The parts of a markable are not empty"),
        ("markables", 0, {"start": 1}, "markables.jsonl:1: start and end are not those of its parts"),
        ("markables", 0, {"key": "phrase:1-2"}, "markables.jsonl:1: its key should be phrase:8-11"),
        ("markables", 0, {"head": [[0, 10**10]]}, "markables.jsonl:1: head is not made of words of the text"),
        ("markables", 0, {"head": {}}, "markables.jsonl:1: head is not of the shape"),
        ("codings", 0, {"status": "lost"}, "codings.jsonl:1: status: "),
        ("questions", 0, {"key": "phrase:0-9999"}, "questions.jsonl:1: its text has no place for a markable"),
        ("codings", 0, {"version": 3}, "codings.jsonl:1: version is 3; its log has 2 operations"),
        ("codings", 0, {"text": 2}, "codings.jsonl:4: line 1 has the same text and coder"),
        ("judgements", 0, {"coding": 3}, "judgements.jsonl:1: markable is of another text than the coding"),
        ("judgements", 1, {"markable": 1}, "judgements.jsonl:2: line 1 has the same coding and markable"),
        ("judgements", 0, {"category": 9}, "judgements.jsonl:1: category is line 9 of categories, which has 4"),
        ("judgements", 0, {"note": "x" * 10_001}, "judgements.jsonl:1: A note has at most 10000 characters."),
        ("judgements", 0, {"name": "x" * 201}, "judgements.jsonl:1: name: Ensure this value has at most 200"),
        ("judgements", 0, {"head": [[0, 1]]}, "judgements.jsonl:1: The head of 'phrase:8-11' is not made of its own"),
        ("judgements", 0, {"head": [[9, 9]]}, "judgements.jsonl:1: The head of 'phrase:8-11' is not made of its own"),
        ("pointers", 0, {"target": 1}, "pointers.jsonl:1: target is of another text than the judgement"),
        ("pointers", 0, {"reading": 32768}, "pointers.jsonl:1: reading: Ensure this value is less than"),
        ("levels", 1, {"position": 32768}, "levels.jsonl:2: position: Ensure this value is less than"),
        ("codings", 0, {"round": 1}, "codings.jsonl:1: its text is not in the round of line 1"),
        ("codings", 0, {"round": 9}, "codings.jsonl:1: round is line 9 of rounds"),
        ("codings", 0, {"occasion": 0}, "codings.jsonl:1: occasion"),
        ("rounds", 0, {"starts_on": "2026-02-30"}, "rounds.jsonl:1: starts_on is not a day"),
        ("rounds", 0, {"starts_on": "2026-03-02", "ends_on": "2026-03-01"}, "rounds.jsonl:1: it ends before it starts"),
        ("rounds", 1, {"scheme_version": 7}, "rounds.jsonl:2: scheme_version is 7; the scheme has 2"),
        ("rounds", 1, {"guidelines_version": 3}, "rounds.jsonl:2: guidelines_version is 3"),
        ("rounds", 0, {"kind": "ghost"}, "rounds.jsonl:1: kind: "),
        ("rounds", 1, {"name": "main"}, "rounds.jsonl:2: line 1 has the same name"),
        ("rounds", 0, {"position": 2**31 - 1}, "rounds.jsonl:1: position is 2147483647; it is from 0 to 1000000000"),
        ("repeat_plans", 0, {"share": 2}, "repeat_plans.jsonl:1: share is 2; it is from 0 to 1"),
        ("guidelines_versions", 0, {"number": 9}, "guidelines_versions.jsonl:1: number is 9; there are 2 rows"),
        ("guidelines_readings", 0, {"number": 9}, "guidelines_readings.jsonl:1: number is 9; "),
        ("project", 0, {"scheme_version": 2**31 - 1}, "project.jsonl:1: scheme_version is 2147483647; scheme_versions"),
        ("operations", 0, {"sequence": 2}, "operations.jsonl:2: line 1 has the same coding and sequence"),
        ("operations", 0, {"sequence": 3}, "operations.jsonl:2: sequence is 2; the log of its coding comes to 1 here"),
        ("operations", 0, {"kind": "sing"}, "operations.jsonl:1: kind: "),
        ("operations", 0, {"payload": []}, "operations.jsonl:1: payload is not of the shape"),
        ("operations", 0, {"payload": {}}, "operations.jsonl:1: payload: an import says judgements,"),
        ("operations", 0, {"payload": {"judgements": [{}]}}, "operations.jsonl:1: payload: one of its judgements"),
        ("operations", 0, {"payload": {"judgements": [JUDGED | {"pointers": [1]}]}}, "operations.jsonl:1: payload"),
        ("operations", 0, {"payload": {"judgements": [JUDGED | {"head": [1]}]}}, "operations.jsonl:1: payload: one"),
        ("operations", 0, {"payload": {"judgements": [JUDGED | {"note": 1}]}}, "operations.jsonl:1: payload: one"),
        ("operations", 1, {"payload": {"a": 1}}, "operations.jsonl:2: payload: submit says nothing."),
        ("operations", 0, {"user": None}, "operations.jsonl:1: only drafts are by nobody, and this is of kind import"),
        ("operations", 0, {"kind": "draft"}, "operations.jsonl:1: only gold is drafted and decided"),
        ("operations", 0, {"kind": "decide"}, "operations.jsonl:1: only gold is drafted and decided"),
        ("operations", -1, {"payload": {"items": []}}, "operations.jsonl:26: payload: items is a list of 1 to 500"),
        ("operations", -2, {"payload": {"judgements": []}}, "operations.jsonl:25: payload: a draft says method,"),
        ("operations", -2, {"payload": DRAFTED | {"codings": ["x"]}}, "operations.jsonl:25: payload: the codings of a"),
        ("operations", -2, {"payload": DRAFTED | {"contested": ["x"]}}, "operations.jsonl:25: payload: what is cont"),
        ("operations", -2, {"payload": DRAFTED | {"judgements": [1]}}, "operations.jsonl:25: payload: one of its"),
        ("codings", 0, {"coder": None}, "codings.jsonl:1: only gold has no coder, and this is of kind text"),
        ("operations", 4, {"payload": {"a": 1}}, "operations.jsonl:5: payload: "),
        ("operations", 4, {"payload": JUDGED | {"song": 1}}, "operations.jsonl:5: payload: The payload has an unknown"),
        ("remarks", 0, {"body": ""}, "remarks.jsonl:1: body: This field cannot be blank."),
        ("flags", 0, {"markable": 99}, "flags.jsonl:1: markable is line 99 of markables"),
        ("mappings", 0, {"name": "mine"}, "mappings.jsonl:2: line 1 has the same name"),
        ("mappings", 0, {"classes": {"place": 1}}, "mappings.jsonl:1: classes is not of the shape"),
    ],
)  # fmt: skip
def test_restore_refuses_invalid_row_with_file_and_line(db, tea_archive, table, row, fields, said):
    assert refused(changed(tea_archive, table, row, **fields)).startswith(said)


def test_restore_refuses_antecedent_that_coder_does_not_see(db, tea_archive):
    data = tea_archive
    pointers, judgements, markables = (lines(data, table) for table in ("pointers", "judgements", "markables"))
    judgement = judgements[pointers[0]["judgement"] - 1]
    assert "cannot be its own antecedent" in refused(changed(data, "pointers", 0, target=judgement["markable"]))
    seen = {judged["markable"] for judged in judgements if judged["coding"] == judgement["coding"]}
    text = markables[judgement["markable"] - 1]["text"]
    [unseen, *_] = [
        line
        for line, markable in enumerate(markables, start=1)
        if markable["text"] == text and not markable["predefined"] and line not in seen
    ]
    assert "The text has no markable" in refused(changed(data, "pointers", 0, target=unseen))


def test_restore_refuses_archive_without_exactly_one_project(db, tea_archive):
    data = tea_archive
    [row] = lines(data, "project")
    two = with_rows(data, project=[row, row | {"slug": "other"}])
    assert "an archive is of one project, this one of 2" in refused(two)
    assert "an archive is of one project, this one of 0" in refused(with_rows(data, project=[]))


NASTY: list[Any] = [
    None, True, -1, 0, 1, 2, 10**17, 1.5, "", "x", "bob", "two words", "😀" * 300, [], [[0, 1]], [[5, 2]], [[1]],
    {}, {"judgements": []}, {"a": "b"}, "2026-01-31T12:00:00+00:00", str(uuid4()),
]  # fmt: skip


def test_trial_restores_or_refuses_damaged_archives(db, tea_archive):
    chance, data, before = random.Random(7), tea_archive, all_rows()
    of = files(data)
    tables = {table.name: rows for table in TABLES if (rows := lines(data, table.name))}
    outcomes: Counter[str] = Counter()
    for _ in range(400):
        if chance.random() < 0.2:
            damaged = spoiled(data, chance)
        elif chance.random() < 0.2:
            name = chance.choice(list(of))
            damaged = rezipped(of | {name: spoiled(of[name], chance)})
        else:
            table = chance.choice(list(tables))
            row = chance.randrange(len(tables[table]))
            damaged = changed(data, table, row, **{chance.choice(list(tables[table][row])): chance.choice(NASTY)})
        try:
            restore_project(damaged, slug="copy", trial=True)
        except (FormatError, ImportFailed) as error:
            outcomes[type(error).__name__] += 1
        else:
            outcomes["restored"] += 1
    assert all_rows() == before
    assert outcomes["FormatError"] > 200
    assert outcomes["restored"] > 20


@contextmanager
def bounded_memory(n_bytes: int) -> Iterator[None]:
    """Limit the further memory of this process, so that a list of 2^31 numbers raises MemoryError at once."""
    free = resource.getrlimit(resource.RLIMIT_AS)
    [pages, *_] = Path("/proc/self/statm").read_text().split()
    resource.setrlimit(resource.RLIMIT_AS, (int(pages) * resource.getpagesize() + n_bytes, free[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, free)


def paths_of_numbers(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of each number in a row: names of fields and places in lists."""
    if type(value) in (int, float):
        yield path
    elif isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from paths_of_numbers(item, (*path, key))


def with_number(value: Any, path: tuple[str | int, ...], number: str) -> str:
    """Return the row as JSON, with these digits in the place of the number."""
    row = inner = json.loads(json.dumps(value))
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = "@"
    return json.dumps(row).replace('"@"', number)


@pytest.mark.parametrize("number", ["2147483647", f"{2**53}", "1" + "0" * 400, "-1", "32767"])
def test_extreme_numbers_are_refused_with_line_or_restored(db, tea_archive, client, number):
    """Restored projects can be read and changed."""
    root = User.objects.create_superuser("root")
    client.force_login(root)
    of, tried, unplaced = files(tea_archive), set(), []
    for file, content_of_file in of.items():
        rows = content_of_file.decode().split("\n")[:-1]
        for place, row in enumerate(rows):
            for path in paths_of_numbers(json.loads(row)):
                field = (file, *(name for name in path if isinstance(name, str)))
                if field in tried:
                    continue
                tried.add(field)
                changed_rows = [*rows[:place], with_number(json.loads(row), path, number), *rows[place + 1 :], ""]
                data = rezipped(of | {file: "\n".join(changed_rows).encode()})
                with bounded_memory(500_000_000), transaction.atomic():
                    try:
                        restore_project(data, slug="copy", by=root)
                    except FormatError as error:
                        unplaced += [] if error.line or error.file == "manifest.json" else [str(error)]
                    else:
                        assert client.get("/projects/copy/agreement/").status_code == HTTPStatus.OK
                        assert client.get("/projects/copy/rounds/pilot/repeats/").status_code == HTTPStatus.OK
                        for address, body in CHANGES_AFTERWARDS:
                            changing = client.post(f"/api/v1/projects/copy/{address}/", body, "application/json")
                            assert changing.status_code in {HTTPStatus.OK, HTTPStatus.CREATED}, (
                                field,
                                changing.content,
                            )
                    transaction.set_rollback(True)
    assert not unplaced
    assert len(tried) > 100


CHANGES_AFTERWARDS = [("rounds", {"name": "next"}), ("plans", {"round": "pilot", "design": "all", "apply": True})]


@pytest.mark.parametrize("required", [(1, None), (2, 1)])
def test_restore_refuses_round_that_requires_itself(db, tea_archive, required):
    rounds = lines(tea_archive, "rounds")
    for row, line in enumerate(required):
        rounds[row]["required_round"] = line
    assert "required_round is this round, or one that requires it" in refused(with_rows(tea_archive, rounds=rounds))


def test_restore_limits_unpacked_size(db, tea_archive, settings):
    settings.ARCHIVE_MAX_BYTES = 1000
    assert "the zip holds more than 0 MB" in refused(tea_archive)


def command(name: str, *arguments: str, capsys) -> tuple[str, str]:
    call_command(name, *arguments)
    captured = capsys.readouterr()
    return captured.out, captured.err


def test_commands_export_and_import_project(tea, tmp_path, capsys):
    path = tmp_path / "tea.zip"
    out, err = command("export_project", "tea", str(path), capsys=capsys)
    assert out.startswith("tea: 3 texts, ")
    assert not err
    assert path.read_bytes() == archived(tea)
    User.objects.filter(username="v").update(username="w")
    before = all_rows()
    out, err = command("import_project", str(path), "--slug", "copy", "--trial", capsys=capsys)
    assert out.startswith("copy: would be 3 texts, ")
    assert err == "made without password: v\n"
    assert all_rows() == before
    out, _ = command("import_project", str(path), "--slug", "copy", capsys=capsys)
    assert out.startswith("copy: 3 texts, ")
    assert renamed(archived(Project.objects.get(slug="copy")), "tea") == renamed(path.read_bytes(), "tea")


def test_commands_report_errors(tea, tmp_path):
    path = tmp_path / "tea.zip"
    with pytest.raises(CommandError, match="There is no project 'coffee'"):
        call_command("export_project", "coffee", str(path))
    with pytest.raises(CommandError, match=r"no/tea.zip: No such file or directory. Nothing was written."):
        call_command("export_project", "tea", str(tmp_path / "no" / "tea.zip"))
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(CommandError, match=r"tea.zip: No such file or directory"):
        call_command("import_project", str(path))
    call_command("export_project", "tea", str(path))
    assert [file.name for file in tmp_path.iterdir()] == ["tea.zip"]
    with pytest.raises(CommandError, match=r"There is a project 'tea' already(.|\n)*Nothing was imported."):
        call_command("import_project", str(path))
    Path(path).write_bytes(b"no zip")
    with pytest.raises(CommandError, match=r"tea.zip: this zip cannot be read"):
        call_command("import_project", str(path))
