"""The command verify_log: comparison of tables and log."""

import random

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from annotations.coding import operations
from annotations.coding.decisions import OperationRejected
from annotations.coding.log.replay import log_mismatches, replay
from annotations.coding.status import reopen_coding
from annotations.models import SCU, Coding, Index, Judgement, Operation, Pointer
from annotations.schemes.project_scheme import set_coder_marked_levels
from tests.annotations.coding.test_page_and_server import any_change
from tests.shared.cases import cases
from tests.shared.coding import change, judge
from tests.shared.pyramids import build, codings_of, contributor, docset, models_of, pyramid_project, says, send


@pytest.mark.parametrize("seed", cases(range(2), full=range(2, 12)))
def test_log_of_random_operations_matches_tables(project, codings, alice, seed):
    set_coder_marked_levels(project, project.levels.filter(coded=True))
    coding, draw, taken = codings["alice"], random.Random(seed), set()
    given = list(coding.text.markables.values_list("key", flat=True))
    version = 0
    for _ in range(200):
        drawn = any_change(draw, given)
        try:
            version = operations.apply(coding, alice, version, [drawn])
        except OperationRejected:
            continue
        taken.add(drawn.kind)
    assert taken == {"judge", "clear", "unmark", "move"}
    coding.refresh_from_db()
    assert list(log_mismatches(coding)) == []


@pytest.fixture
def pyramid(alice) -> Coding:
    text = models_of(docset(pyramid_project(), alice))
    coding = build(codings_of(text)["alice"], {"s": ["The ferry sank", "a ferry went down"], "t": ["at dawn"]})
    reopen_coding(coding, alice)
    send(coding, change("unmark", markable=contributor(text, "at dawn")), change("describe", scu="t"))
    send(coding, change("move", markable=contributor(text, "a ferry went down"), to=contributor(text, "a ferry")))
    send(coding, says(contributor(text, "Boats"), "t"), change("describe", scu="s", label="Other", comment="c"))
    coding.refresh_from_db()
    return coding


def test_log_of_pyramid_matches_tables(pyramid):
    assert list(log_mismatches(pyramid)) == []
    log = list(pyramid.operations.values_list("kind", "payload"))
    found = replay(log, set())
    assert {key: scu.label for key, scu in found.descriptions.items() if scu.label} == {"s": "Other"}


@pytest.mark.slow
def test_logs_of_demo_match_tables(db, settings, capsys):
    settings.LOCAL = True
    call_command("load_demo", verbosity=0)
    capsys.readouterr()
    call_command("verify_log")
    assert capsys.readouterr().out == f"{Coding.objects.count()} codings are what their logs say.\n"
    call_command("verify_log", "news", "links")
    assert capsys.readouterr().out == "5 codings are what their logs say.\n"


def delete_operation(coding):
    coding.operations.filter(sequence=1).delete()


def delete_judgement(coding):
    Judgement.objects.filter(coding=coding).first().delete()


def delete_pointer(coding):
    Pointer.objects.filter(judgement__coding=coding).delete()


def submit_without_log(coding):
    coding.status = "submitted"
    coding.save()


def rewrite_log(coding):
    operation = coding.operations.get(sequence=1)
    Operation.objects.filter(pk=operation.pk).update(payload={**operation.payload, "category": "place"})


@pytest.mark.parametrize(
    ("tamper", "fault"),
    [
        (delete_operation, "its log does not count from 1"),
        (delete_judgement, "nothing, by its log none"),
        (delete_pointer, "phrase, by its log phrase phrase:"),
        (submit_without_log, "it is submitted, by its log open"),
        (rewrite_log, "none, by its log place"),
    ],
)
def test_verify_log_finds_changes_outside_log(codings, keys, capsys, tamper, fault):
    judge(codings["alice"], keys["a"], "none")
    judge(codings["alice"], keys["c"], "phrase", keys["a"])
    tamper(codings["alice"])
    with pytest.raises(CommandError, match="1 of 2 codings are not what their logs say"):
        call_command("verify_log", "tea")
    said = capsys.readouterr().err
    assert said.startswith("Tea by alice (text): ")
    assert fault in said


@pytest.mark.parametrize("table", [SCU, Index])
def test_changed_scus_do_not_match_log(pyramid, table):
    (table.objects.filter(coding=pyramid) if table is SCU else table.objects.all()).delete()
    assert list(log_mismatches(pyramid))
