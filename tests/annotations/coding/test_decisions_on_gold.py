"""Operations that decide items of gold: logging and refusals."""

from uuid import uuid4

import pytest

from annotations.adjudication.drafts import DraftRequest, draft_gold
from annotations.adjudication.proposal import Method
from annotations.coding import operations
from annotations.coding.decisions import OperationRejected, parse_operation
from annotations.coding.judgements import judgements_of
from annotations.coding.log.replay import log_mismatches
from annotations.coding.status import submit_coding
from annotations.models import Coding
from tests.shared.coding import change, judge


@pytest.fixture
def gold(project, codings, alice, charlie) -> Coding:
    """Return gold owned by Charlie and drafted from Alice's coding."""
    judge(codings["alice"], "phrase:4-14", "place")
    submit_coding(codings["alice"], alice)
    draft_gold(project, DraftRequest(Method.MOST, adjudicator="charlie"))
    return Coding.objects.select_related("text__project", "coder", "round").get(kind="gold")


def send(coding: Coding, *changes: operations.Change) -> int:
    coding.refresh_from_db(fields=["version"])
    return operations.apply(coding, coding.coder, coding.version, list(changes))


def draft_source_of(gold: Coding) -> str:
    [uuid] = gold.operations.get(kind="draft").payload["codings"]
    return uuid


ITEM = ["phrase:4-14", "category"]


def test_decision_is_logged_and_changes_no_judgement(gold):
    before = judgements_of(gold)
    send(gold, change("decide", items=[ITEM], source="draft"))
    said = {"reason": "guideline", "section": "Places", "note": "See 3.2."}
    send(gold, change("decide", items=[ITEM], source="coder", codings=[draft_source_of(gold)], **said))
    send(gold, change("decide", items=[["phrase:0-1", "category"]], source="own"))  # a removed one is decided, too
    assert judgements_of(gold) == before
    assert list(log_mismatches(Coding.objects.get(pk=gold.pk))) == []
    assert list(gold.operations.values_list("kind", flat=True)) == ["draft", "decide", "decide", "decide"]


def test_fifty_decisions_take_at_most_twenty_queries(gold, django_assert_max_num_queries):
    many = [change("decide", items=[ITEM], source="coder", codings=[draft_source_of(gold)]) for _ in range(50)]
    gold.refresh_from_db(fields=["version"])
    with django_assert_max_num_queries(20):
        operations.apply(gold, gold.coder, gold.version, many)


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        ({"items": [["phrase:4-14", "moon"]]}, "unknown_question"),
        ({"items": [["phrase:4-14", "phrase"]]}, "unknown_question"),  # the relation of identity: its answer is a chain
        ({"items": [["phrase:4-9999", "category"]]}, "bad_markable"),
        ({"items": [["moon:4-14", "category"]]}, "bad_markable"),
        ({"items": [["turn:0-27", "category"]]}, "bad_markable"),
        ({"items": [ITEM], "source": "coder", "codings": [str(uuid4())]}, "unknown_coding"),
    ],
)
def test_wrong_decision_is_refused_with_its_position(gold, payload, code):
    with pytest.raises(OperationRejected) as refused:
        send(gold, change(markable="phrase:4-14", category="none"), change("decide", **{"source": "own"} | payload))
    assert (refused.value.code, refused.value.position) == (code, 1)
    assert gold.operations.count() == 1


@pytest.mark.parametrize(
    "payload",
    [
        {"items": [["phrase:4-14", "cate\0gory"]]},
        {"items": [ITEM], "source": "coder"},
        {"items": [ITEM], "codings": [str(uuid4())]},
        {"items": [ITEM], "note": "\ud800"},
        {"items": [ITEM], "markable": "phrase:4-14"},
    ],
)
def test_malformed_payloads_are_refused(payload):
    with pytest.raises(OperationRejected) as refused:
        parse_operation("decide", {"source": "own"} | payload)
    assert refused.value.code == "bad_payload"


def test_decision_on_coders_coding_is_refused(codings):
    with pytest.raises(OperationRejected) as refused:
        send(codings["alice"], change("decide", items=[ITEM], source="own"))
    assert refused.value.code == "not_gold"
    assert not codings["alice"].operations.exists()


def test_payload_omits_empty_fields(gold):
    payload = {"items": [ITEM], "source": "own", "reason": "scheme"}
    assert parse_operation("decide", payload | {"note": "", "section": "", "codings": []}).payload() == payload
