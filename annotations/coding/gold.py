"""The gold of texts, and when coders see it beside their own submitted work."""

from __future__ import annotations

from collections.abc import Mapping

from django.db.models import QuerySet
from django.db.models.functions import Length

from annotations.coding.decisions import DecideItems, OperationRejected
from annotations.coding.markables.markables import InvalidMarkable, new_markable
from annotations.formats.model.scheme import CATEGORY
from annotations.models import Coding, Operation, Round, Text
from annotations.models.coding import DECIDED_KINDS, complete
from annotations.schemes.project_scheme import ProjectScheme, read_scheme


def gold_beside(coding: Coding) -> Coding | None:
    """Return the gold of a training text if both it and the coding are submitted. One query, in training only."""
    return _submitted_gold(coding) if _is_training(coding, Coding.Status.SUBMITTED) else None


def _is_training(coding: Coding, *statuses: Coding.Status) -> bool:
    has_status = coding.kind == Coding.Kind.TEXT and coding.status in statuses
    return has_status and coding.round.kind == Round.Kind.TRAINING


def shows_gold_once_submitted(coding: Coding) -> bool:
    """Return whether the coder sees the gold as soon as the coding is submitted. One query, in training only."""
    return _is_training(coding, *Coding.Status) and _submitted_gold(coding) is not None


def gold_at_once(coding: Coding) -> Coding | None:
    """Return the gold if single judgements of the open coding may be compared with it. One query, in training only."""
    is_compared = _is_training(coding, Coding.Status.OPEN) and coding.round.feedback == Round.Feedback.JUDGEMENT
    return _submitted_gold(coding) if is_compared else None


def _gold_of(coding: Coding) -> QuerySet[Coding]:
    return Coding.objects.filter(text=coding.text_id, round=coding.round_id, kind=Coding.Kind.GOLD)


def _submitted_gold(coding: Coding) -> Coding | None:
    return _gold_of(coding).filter(status=Coding.Status.SUBMITTED).select_related("text").first()


def was_gold_shown(coding: Coding) -> bool:
    """Return whether the coder could see the gold at any time since the submission, even if it was reopened later."""
    if not _is_training(coding, Coding.Status.SUBMITTED):
        return False
    gold = _gold_of(coding).first()
    if gold is None or gold.status == Coding.Status.SUBMITTED:
        return gold is not None
    submissions = coding.operations.filter(kind=Operation.Kind.SUBMIT).order_by("-sequence")
    taken_back = gold.operations.filter(kind=Operation.Kind.REOPEN)
    return taken_back.filter(applied_at__gte=submissions.values("applied_at")[:1]).exists()


def check_judgement(coding: Coding, key: str) -> None:
    """Check that a judgement can be compared with the gold: gold is submitted and the judgement is complete.

    Raise OperationRejected otherwise. After the comparison, which the log records, the earlier answer counts.
    """
    if gold_at_once(coding) is None:
        raise OperationRejected("no_gold", "There is no gold to see here before the text is submitted.")
    if not coding.judgements.filter(complete(), markable__key=key).exists():
        raise OperationRejected("incomplete", f"Answer first what is asked of {key!r}.")


def check_decides(coding: Coding, decides: Mapping[int, DecideItems]) -> int:
    """Check the decisions on items of gold in a batch, by position, and return the version of the scheme.

    Raise OperationRejected for a coding that is neither gold nor an agreed pyramid, unknown questions, invalid
    markables, and codings that no draft used. A deleted markable is allowed: its removal is a decision, too.
    """
    if coding.kind not in DECIDED_KINDS:
        message = "Only on gold and agreed pyramids it is said what holds of items, and why."
        raise OperationRejected("not_gold", message, min(decides))
    scheme = read_scheme(coding.text.project_id)
    [length] = Text.objects.filter(pk=coding.text_id).values_list(Length("content"), flat=True)
    drafted: set[str] = set()
    if any(decide.codings for decide in decides.values()):
        drafts = coding.operations.filter(kind=Operation.Kind.DRAFT).order_by()
        drafted = {uuid for codings in drafts.values_list("payload__codings", flat=True) for uuid in codings}
    for position, decide in decides.items():
        for key, question in decide.items:
            _check_item(scheme, length, key, question, position)
        for uuid in decide.codings:
            if uuid not in drafted:
                raise OperationRejected("unknown_coding", f"No draft of this gold rests on {uuid}.", position)
    return scheme.keys.version


def _check_item(scheme: ProjectScheme, length: int, key: str, question: str, position: int) -> None:
    relation = scheme.constraints["relations"].get(question)
    is_asked = question == CATEGORY or question in scheme.constraints["attributes"]
    if not is_asked and (relation is None or relation["identity"]):
        raise OperationRejected("unknown_question", f"The scheme has no question {question!r}.", position)
    try:
        new_markable(key, {level.key: level for level in scheme.levels if level.coded}, length)
    except InvalidMarkable as error:
        raise OperationRejected("bad_markable", str(error), position) from None
