"""Drafts of gold: content, log, export and decisions."""

import zipfile
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command

from agreement.data.reading import read_answers
from agreement.reports import overall
from agreement.reports.parameters import Parameters
from annotations.adjudication.drafts import DraftRequest, draft_gold, gold_of_rounds
from annotations.adjudication.ownership import open_gold
from annotations.adjudication.proposal import Item, Method
from annotations.adjudication.states import State, gold_states
from annotations.coding import operations
from annotations.coding.chains import chains_of, members_of
from annotations.coding.judgements import decisions_of, judgements_of
from annotations.coding.log.replay import log_mismatches
from annotations.coding.operations import Change
from annotations.coding.status import submit_coding
from annotations.models import Coding, Operation, Project, User
from tests.shared.coding import judge, judge_rest
from tests.shared.projects import person


def run(*arguments: str, **options: object) -> None:
    call_command("draft_gold", *arguments, **options)


def gold_of(project: Project) -> list[Coding]:
    return list(Coding.objects.filter(text__project=project, kind="gold").select_related("text").order_by("pk"))


def entities(coding: Coding) -> set[frozenset[str]]:
    decisions = {decision.markable: decision for decision in decisions_of(coding)}
    order = list(decisions)
    return set(map(frozenset, members_of(chains_of(coding.text.project.answers, order, decisions)).values()))


@pytest.fixture
def passages(db, samples) -> Project:
    folder = samples / "ezcoref" / "brat"
    call_command("import_codings", "brat", str(folder), "--project=tales", "--coder-from=parent", "--create")
    return Project.objects.get(slug="tales")


def figures(project: Project) -> tuple[object, ...]:
    result = overall.compute_report(read_answers(project), Parameters(distance="masi")).result
    return result.value, result.n_units, result.n_coders, result.n_judgements


@pytest.mark.parametrize("method", list(Method))
def test_passages_of_five_coders_are_drafted_once_and_change_no_figure(passages, method, capsys):
    before = figures(passages)
    coder = ["--coder", "coder2"] if method is Method.CODER else []
    run("tales", "--method", str(method), *coder)
    assert "8 drafts of gold; 0 texts left out" in capsys.readouterr().out
    assert figures(passages) == before
    drafted = {gold.pk: judgements_of(gold) for gold in gold_of(passages)}
    for gold in gold_of(passages):
        assert list(log_mismatches(gold)) == []
        assert (gold.coder_id, gold.version, gold.status) == (None, 1, "open")
        [operation] = gold.operations.all()
        assert (operation.kind, operation.user_id, operation.payload["method"]) == ("draft", None, method)
        bases = Coding.objects.of_people().filter(operations__uuid__in=operation.payload["codings"])
        assert sorted(bases.values_list("coder__username", flat=True)) == [f"coder{n}" for n in range(1, 6)]
        if method is Method.CODER:
            theirs = Coding.objects.of_people().get(text=gold.text, coder__username="coder2")
            assert operation.payload["coder"] == str(theirs.operations.get(sequence=theirs.version).uuid)
            assert entities(gold) == entities(theirs)
    run("tales", "--method", str(method), *coder)
    assert "0 drafts of gold; 8 texts left out, whose gold has been begun" in capsys.readouterr().out
    assert {gold.pk: judgements_of(gold) for gold in gold_of(passages)} == drafted


@pytest.mark.slow
@pytest.mark.parametrize("format_key", ["brat", "conll2012"])
def test_silver_export_of_drafts_is_imported_unchanged(passages, tmp_path, capsys, format_key):
    charlie = person("charlie")
    passages.memberships.create(user=charlie, role="manager")
    run("tales", "--method", "most")
    out = str(tmp_path / "out.zip")
    call_command("export_codings", format_key, out, "--project=tales", "--gold")
    told = capsys.readouterr()
    assert "0 codings of 0 texts" in told.out
    assert "8 × texts whose gold is not decided" in told.err
    call_command("export_codings", format_key, out, "--project=tales", "--silver")
    assert {name.partition("/")[0] for name in zipfile.ZipFile(out).namelist() if "/" in name} == {"silver"}
    chains = {gold.text.slug: {e for e in entities(gold) if len(e) > 1} for gold in gold_of(passages)}
    Coding.objects.filter(kind="gold").delete()
    call_command("import_codings", format_key, out, "--project=tales", "--coder=charlie", "--gold")
    back = gold_of(passages)
    assert {gold.text.slug: {e for e in entities(gold) if len(e) > 1} for gold in back} == chains
    assert {state.state for state in gold_states(back)} == {State.CLOSED}
    call_command("export_codings", format_key, out, "--project=tales", "--gold")
    assert {name.partition("/")[0] for name in zipfile.ZipFile(out).namelist() if "/" in name} == {"gold"}
    assert "8 codings of 8 texts" in capsys.readouterr().out


def test_gold_export_refuses_coder_option_and_member_called_silver(passages, tmp_path):
    out = str(tmp_path / "out.zip")
    with pytest.raises(CommandError, match="of no coder"):
        call_command("export_codings", "brat", out, "--project=tales", "--gold", "--coder=coder1")
    passages.memberships.create(user=person("Silver"), role="coder")
    with pytest.raises(CommandError, match="is called 'silver'"):
        call_command("export_codings", "brat", out, "--project=tales", "--silver")


@pytest.fixture
def marked(project, text):
    return list(text.markables.filter(level__coded=True).order_by("start").values_list("key", flat=True))


@pytest.fixture
def drafted(project, text, codings, marked, alice, bob, charlie) -> Coding:
    """Return gold drafted from the codings of Alice and Bob, which differ on the second markable."""
    first, second, *_ = marked
    for coder, category in ((alice, "place"), (bob, "none")):
        judge(codings[coder.username], first, "place")
        judge(codings[coder.username], second, category)
        judge_rest(codings[coder.username])
        submit_coding(codings[coder.username], coder)
    draft_gold(project, DraftRequest(Method.MOST, adjudicator="charlie"))
    [gold] = Coding.objects.filter(kind="gold").select_related("text__project", "coder", "round")
    assert (gold.coder, gold.operations.get().user) == (charlie, charlie)
    return gold


def test_answer_decides_item_until_undone(drafted, marked, django_assert_num_queries):
    second = Item(marked[1], "category")
    with django_assert_num_queries(7):
        [state] = gold_states([drafted])
    assert (state.state, state.n_open, [item.item for item in state.contested]) == (State.OPEN, 1, [second])
    judge(drafted, marked[0], "none")
    assert [item.decided for item in gold_states([drafted])[0].contested] == [False]
    done, undone = uuid4(), uuid4()
    answer = {"markable": second.markable, "category": "none"}
    send(drafted, Change(uuid4(), "judge", answer, step=done))
    assert gold_states([drafted])[0].state is State.DECIDED
    send(drafted, Change(uuid4(), "clear", {"markable": second.markable}, step=undone, undoes=done))
    assert gold_states([drafted])[0].state is State.OPEN
    send(drafted, Change(uuid4(), "judge", answer, step=uuid4(), undoes=undone))  # done again
    assert gold_states([drafted])[0].state is State.DECIDED
    submit_coding(drafted, drafted.coder)
    drafted.refresh_from_db()
    assert gold_states([drafted])[0].state is State.CLOSED
    assert list(log_mismatches(drafted)) == []


def send(gold: Coding, *changes: Change) -> None:
    gold.refresh_from_db()
    operations.apply(gold, gold.coder, gold.version, list(changes))


def test_note_decides_nothing(drafted, marked):
    judge(drafted, marked[1], None, note="Ask.")
    assert [item.decided for item in gold_states([drafted])[0].contested] == [False]


def test_first_adjudicator_to_open_gold_owns_it(project, text, codings, marked, alice, charlie):
    judge(codings["alice"], marked[0], "place")
    submit_coding(codings["alice"], alice)
    [row] = gold_of_rounds(project, list(text.rounds.all()))
    assert (row.submissions.submitted, row.submissions.assigned, row.gold) == (1, 2, None)
    draft_gold(project, DraftRequest(Method.AGREED))
    gold = open_gold(project, text, text.rounds.get().name, charlie)
    assert (gold.coder, gold.version) == (charlie, 1)
    assert Operation.objects.get(coding=gold).user is None


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (DraftRequest(Method.CODER), "Name a coder"),
        (DraftRequest(Method.MOST, coder="alice"), "Name a coder"),
        (DraftRequest(Method.CODER, coder="charlie"), "has submitted no coding"),
        (DraftRequest(Method.MOST, texts=("moon",)), "no text 'moon'"),
        (DraftRequest(Method.MOST, texts=("tea",), round_name="moon"), "no round 'moon'"),
        (DraftRequest(Method.MOST, adjudicator="alice"), "gold is of managers and adjudicators"),
    ],
)
def test_wrong_draft_request_is_refused_with_reason(drafted, project, request_, message):
    with pytest.raises(ValidationError, match=message):
        draft_gold(project, request_)
    assert Coding.objects.filter(kind="gold").count() == 1


def test_draft_is_refused_in_closed_round_or_without_submissions(project, text, codings, alice, marked):
    with pytest.raises(ValidationError, match="Nobody has submitted"):
        draft_gold(project, DraftRequest(Method.MOST, texts=(text.slug,)))
    judge(codings["alice"], marked[0], "place")
    submit_coding(codings["alice"], alice)
    text.rounds.update(closed_at="2026-01-01T00:00Z")
    with pytest.raises(ValidationError, match="is closed"):
        draft_gold(project, DraftRequest(Method.MOST))
    assert not Coding.objects.filter(kind="gold").exists()


def test_log_of_draft_names_no_coder(drafted):
    written = str(drafted.operations.get().payload)
    assert not any(name in written for name in User.objects.values_list("username", flat=True))
