"""Drafts of gold: what they say, that they are one operation of the log, and that they change no figure."""

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
    decisions = {one.markable: one for one in decisions_of(coding)}
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
    drafted = {one.pk: judgements_of(one) for one in gold_of(passages)}
    for one in gold_of(passages):
        assert list(log_mismatches(one)) == []
        assert (one.coder_id, one.version, one.status) == (None, 1, "open")
        [operation] = one.operations.all()
        assert (operation.kind, operation.user_id, operation.payload["method"]) == ("draft", None, method)
        bases = Coding.objects.of_people().filter(operations__uuid__in=operation.payload["codings"])
        assert sorted(bases.values_list("coder__username", flat=True)) == [f"coder{n}" for n in range(1, 6)]
        if method is Method.CODER:
            theirs = Coding.objects.of_people().get(text=one.text, coder__username="coder2")
            assert operation.payload["coder"] == str(theirs.operations.get(sequence=theirs.version).uuid)
            assert entities(one) == entities(theirs)
    run("tales", "--method", str(method), *coder)
    assert "0 drafts of gold; 8 texts left out, whose gold has been begun" in capsys.readouterr().out
    assert {one.pk: judgements_of(one) for one in gold_of(passages)} == drafted


@pytest.mark.slow
@pytest.mark.parametrize("format_key", ["brat", "conll2012"])
def test_drafts_are_exported_as_silver_and_come_back_equal(passages, tmp_path, capsys, format_key):
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
    chains = {one.text.slug: {e for e in entities(one) if len(e) > 1} for one in gold_of(passages)}
    Coding.objects.filter(kind="gold").delete()
    call_command("import_codings", format_key, out, "--project=tales", "--coder=charlie", "--gold")
    back = gold_of(passages)
    assert {one.text.slug: {e for e in entities(one) if len(e) > 1} for one in back} == chains
    assert {state.state for state in gold_states(back)} == {State.CLOSED}
    call_command("export_codings", format_key, out, "--project=tales", "--gold")
    assert {name.partition("/")[0] for name in zipfile.ZipFile(out).namelist() if "/" in name} == {"gold"}
    assert "8 codings of 8 texts" in capsys.readouterr().out


def test_an_export_of_gold_names_no_coders_and_no_member_is_called_so(passages, tmp_path):
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
    """Return gold drafted of what Alice and Bob have submitted, who disagree on the second markable."""
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


def test_an_item_is_decided_by_an_answer_until_that_is_undone(drafted, marked, django_assert_num_queries):
    second = Item(marked[1], "category")
    with django_assert_num_queries(7):
        [state] = gold_states([drafted])
    assert (state.state, state.n_open, [one.item for one in state.contested]) == (State.OPEN, 1, [second])
    judge(drafted, marked[0], "none")
    assert [one.decided for one in gold_states([drafted])[0].contested] == [False]
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


def test_a_note_decides_nothing(drafted, marked):
    judge(drafted, marked[1], None, note="Ask.")
    assert [one.decided for one in gold_states([drafted])[0].contested] == [False]


def test_who_opens_gold_first_has_it_in_hands(project, text, codings, marked, alice, charlie):
    judge(codings["alice"], marked[0], "place")
    submit_coding(codings["alice"], alice)
    [one] = gold_of_rounds(project, list(text.rounds.all()))
    assert (one.submissions.submitted, one.submissions.assigned, one.gold) == (1, 2, None)
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
def test_what_cannot_be_drafted_is_refused_with_the_reason(drafted, project, request_, message):
    with pytest.raises(ValidationError, match=message):
        draft_gold(project, request_)
    assert Coding.objects.filter(kind="gold").count() == 1


def test_a_closed_round_and_what_nobody_submitted_are_refused(project, text, codings, alice, marked):
    with pytest.raises(ValidationError, match="Nobody has submitted"):
        draft_gold(project, DraftRequest(Method.MOST, texts=(text.slug,)))
    judge(codings["alice"], marked[0], "place")
    submit_coding(codings["alice"], alice)
    text.rounds.update(closed_at="2026-01-01T00:00Z")
    with pytest.raises(ValidationError, match="is closed"):
        draft_gold(project, DraftRequest(Method.MOST))
    assert not Coding.objects.filter(kind="gold").exists()


def test_no_coder_is_named_in_the_log(drafted):
    written = str(drafted.operations.get().payload)
    assert not any(name in written for name in User.objects.values_list("username", flat=True))
