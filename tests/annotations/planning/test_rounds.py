"""Rounds: creation, changes, copies, closing, deletion and refusals."""

from datetime import date

import pytest
from django.core.exceptions import ValidationError

from annotations.coding import operations
from annotations.coding.decisions import OperationRejected
from annotations.coding.status import reopen_coding, submit_coding
from annotations.docsets.creation import add_peer, create_docset
from annotations.formats import plain
from annotations.models import Coding, Round, Text
from annotations.planning import rounds
from annotations.planning.work.assignments import assign_texts, unassign
from annotations.projects.creation import create_project
from annotations.projects.rounds import current_round
from annotations.schemes.ready_made import SCHEMES
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument
from annotations.transfers.importing.options import ImportOptions
from annotations.transfers.importing.report import ImportFailed
from tests.shared.coding import change, judge
from tests.shared.pyramids import SUMMARIES


@pytest.fixture
def main(project) -> Round:
    return project.rounds.get()


def names(project):
    return [round_.name for round_ in Round.objects.filter(project=project)]


def bring(project, name, **options):
    document = plain.parse("#title: Cup\n[a cup](a) and [it](b)\n", f"{name}.txt")
    import_documents(project, [SourceDocument(document, None)], ImportOptions(**options))
    return project.texts.get(slug=name)


def test_first_text_of_project_joins_round_main(main, codings):
    assert (main.name, main.kind, main.is_closed) == ("main", "main", False)
    assert {coding.round for coding in codings.values()} == {main}


def test_new_texts_join_last_open_round_that_counts(project, main):
    second = rounds.create_round(project, "main-2")
    for name, kind in (("practice", "training"), ("again", "recheck")):
        rounds.create_round(project, name, kind=kind)
    assert bring(project, "cup").round_names == ["main-2"]
    rounds.change_round(second, closed=True)
    assert bring(project, "saucer").round_names == ["main"]
    assert bring(project, "spoon", round_name="practice").round_names == ["practice"]
    rounds.change_round(main, closed=True)
    with pytest.raises(ImportFailed, match="No round is open"):
        bring(project, "fork")
    with pytest.raises(ImportFailed, match="There is no round 'ghost'; there are main, main-2, practice, again"):
        bring(project, "fork", round_name="ghost")
    with pytest.raises(ImportFailed, match="The round main-2 is closed"):
        bring(project, "fork", round_name="main-2")


def test_round_keeps_versions_of_its_first_work(project, main, codings, keys, charlie):
    assert (main.scheme_version, main.guidelines_version) == (None, None)
    project.guidelines_versions.create(number=1, body="Point.", created_at=project.created_at)
    judge(codings["alice"], keys["a"], "none")
    project.guidelines_versions.create(number=2, body="Point!", created_at=project.created_at)
    type(project).objects.update(scheme_version=4)
    judge(codings["bob"], keys["a"], "none")
    main.refresh_from_db()
    assert (main.scheme_version, main.guidelines_version) == (1, 1)


def test_copy_of_round_has_texts_without_codings(project, main, text, codings, keys):
    judge(codings["alice"], keys["a"], "none")
    again = rounds.create_round(project, "again", copied=main, kind="recheck")
    assert (list(again.texts.all()), again.codings.of_people().count(), again.has_begun) == ([text], 0, False)
    assert text.round_names == ["main", "again"]
    assert assign_texts(project, [text], [codings["alice"].coder]) == 0  # a recheck has to be named
    assert [assign_texts(project, [text], [codings["alice"].coder], again) for _ in range(2)] == [1, 0]
    assert again.codings.of_people().get().coder == codings["alice"].coder


def test_assignment_adds_text_to_round(project, main, text, alice):
    pilot = rounds.create_round(project, "pilot", kind="pilot")
    assert assign_texts(project, [text], [alice], pilot) == 1
    assert list(pilot.texts.all()) == [text]
    rounds.change_round(pilot, closed=True)
    with pytest.raises(ValidationError, match="The round pilot is closed"):
        assign_texts(project, [text], [alice], pilot)


def test_managers_decide_order_of_rounds(project, main):
    for name in ("b", "a", "c"):
        rounds.create_round(project, name)
    assert names(project) == ["main", "b", "a", "c"]
    rounds.change_round(project.rounds.get(name="c"), place=1)
    assert names(project) == ["c", "main", "b", "a"]
    rounds.change_round(project.rounds.get(name="c"), place=100)
    assert names(project) == ["main", "b", "a", "c"]


@pytest.mark.parametrize(
    ("fields", "field", "message"),
    [
        ({"name": "main"}, "name", "There is a round main already."),
        ({"name": "a b"}, "name", "valid"),
        ({"name": ""}, "name", "blank"),
        ({"name": "r", "kind": "ghost"}, "kind", "not a valid choice"),
        ({"name": "r", "starts_on": date(2026, 2, 1), "ends_on": date(2026, 1, 1)}, "ends_on", "before it starts"),
    ],
)
def test_bad_round_is_refused_by_field(project, main, fields, field, message):
    with pytest.raises(ValidationError) as refused:
        rounds.create_round(project, **fields)
    assert message in " ".join(refused.value.message_dict[field])
    other = rounds.create_round(project, "other")
    with pytest.raises(ValidationError) as refused:
        rounds.change_round(other, **fields)
    assert message in " ".join(refused.value.message_dict[field])
    assert names(project) == ["main", "other"]


def test_number_of_rounds_is_limited(project, main, monkeypatch):
    monkeypatch.setattr(rounds, "MAX_ROUNDS", 1)
    with pytest.raises(ValidationError, match="1 rounds at most"):
        rounds.create_round(project, "other")


def test_closed_round_refuses_coding_submission_and_reopening(project, main, codings, keys, charlie):
    judge(codings["alice"], keys["a"], "none")
    submit_coding(codings["bob"], codings["bob"].coder)
    known = change(markable=keys["b"], category="none", pointers=[])
    coding = Coding.objects.of_people().get(pk=codings["alice"].pk)
    operations.apply(coding, coding.coder, 1, [known])
    rounds.change_round(main, closed=True)
    for attempt in (
        lambda: judge(codings["alice"], keys["c"], "none"),
        lambda: submit_coding(codings["alice"], codings["alice"].coder),
        lambda: reopen_coding(codings["bob"], charlie, "again"),
    ):
        with pytest.raises(OperationRejected, match="The round main is closed") as refused:
            attempt()
        assert refused.value.code == "round_closed"
    assert operations.apply(coding, coding.coder, 1, [known]) == 2  # what is in the log already is acknowledged
    rounds.change_round(main, closed=False)
    assert judge(codings["alice"], keys["c"], "none") == 3


def test_only_an_empty_round_is_deleted(project, main, text, alice):
    other = rounds.create_round(project, "other", copied=main)
    with pytest.raises(ValidationError, match="The round main has codings"):
        rounds.delete_round(main)
    rounds.delete_round(other)
    unassign(text, "alice")
    unassign(text, "bob")
    with pytest.raises(ValidationError, match="in no other round than main"):
        rounds.delete_round(main)
    assert names(project) == ["main"]


def test_texts_are_added_to_and_removed_from_rounds(project, main, text, alice):
    pilot = rounds.create_round(project, "pilot")
    assert (rounds.add_texts(pilot, [text]), rounds.add_texts(pilot, [text])) == (1, 0)
    with pytest.raises(ValidationError, match="there are codings in the round main"):
        rounds.remove_texts(main, [text])
    assert rounds.remove_texts(pilot, [text]) == 1
    for name in ("alice", "bob"):
        unassign(text, name)
    with pytest.raises(ValidationError, match="in no other round"):
        rounds.remove_texts(main, [text])
    rounds.change_round(pilot, closed=True)
    for attempt in (rounds.add_texts, rounds.remove_texts):
        with pytest.raises(ValidationError, match="closed"):
            attempt(pilot, [text])


def test_text_moves_with_its_codings(project, main, text, codings, keys):
    judge(codings["alice"], keys["a"], "none")
    assert rounds.move_to_round(project, [text], "pilot") == 1
    pilot = project.rounds.get(name="pilot")
    assert {coding.round for coding in text.codings.of_people()} == {pilot}
    assert (text.round_names, pilot.scheme_version, pilot.kind) == (["pilot"], 1, "main")
    assert rounds.move_to_round(project, [text], "") == 1
    assert text.round_names == ["main"]
    rounds.add_texts(pilot, [text])
    with pytest.raises(ValidationError, match="in several rounds: main, pilot"):
        rounds.move_to_round(project, [text], "other")
    rounds.remove_texts(pilot, [text])
    rounds.change_round(pilot, closed=True)
    with pytest.raises(ValidationError, match="The round pilot is closed"):
        rounds.move_to_round(project, [text], "pilot")
    assert (text.round_names, names(project)) == (["main"], ["main", "pilot"])


def test_figures_of_rounds_count_codings_by_their_state(project, main, text, codings, keys):
    rounds.create_round(project, "pilot", copied=main)
    judge(codings["alice"], keys["a"], "none")
    submit_coding(codings["bob"], codings["bob"].coder)
    [(_, first), (_, second)] = rounds.describe_rounds(project)
    assert (first.texts, first.codings, first.assigned, first.begun, first.submitted) == (1, 2, 0, 1, 1)
    assert (second.texts, second.codings, second.assigned) == (1, 0, 0)


def test_summaries_of_docset_stay_in_one_round(db):
    project = create_project("ferry", "Ferry", SCHEMES["pyramid"])
    docset = create_docset(project, "sinking", "Sinking", SUMMARIES)
    second = rounds.create_round(project, "second")
    peer = add_peer(docset, "peer-a", "A", "It sank.")
    assert peer.round_names == docset.texts.get(role=Text.Role.MODELS).round_names == ["main"]
    with pytest.raises(ValidationError, match="in one round alone"):
        rounds.add_texts(second, [peer])
    with pytest.raises(ValidationError, match="in one round alone"):
        rounds.create_round(project, "third", copied=second)
    assert current_round(project) == second
