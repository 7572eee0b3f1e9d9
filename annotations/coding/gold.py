"""The gold of texts: what was decided, which a coder sees beside their own work once it is submitted."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.db import transaction

from annotations.coding.decisions import OperationRejected
from annotations.models import Coding, Operation, Project, Round, Text, User
from annotations.models.coding import complete
from annotations.projects.locks import lock_project
from annotations.projects.rounds import find_round, refuse_closed


def gold_beside(coding: Coding) -> Coding | None:
    """Return the gold that the coder of a coding may see: of training, once both are submitted. A query of training."""
    return _submitted_gold(coding) if _is_submitted_training(coding) else None


def _is_submitted_training(coding: Coding) -> bool:
    is_submitted = coding.kind == Coding.Kind.TEXT and coding.status == Coding.Status.SUBMITTED
    return is_submitted and coding.round.kind == Round.Kind.TRAINING


def gold_at_once(coding: Coding) -> Coding | None:
    """Return the gold with which the coder of an open coding may compare judgements one by one. A query of training."""
    round_ = coding.round
    if coding.kind != Coding.Kind.TEXT or coding.status != Coding.Status.OPEN:
        return None
    if round_.kind != Round.Kind.TRAINING or round_.feedback != Round.Feedback.JUDGEMENT:
        return None
    return _submitted_gold(coding)


def _submitted_gold(coding: Coding) -> Coding | None:
    gold = Coding.with_gold.filter(text=coding.text_id, round=coding.round_id, kind=Coding.Kind.GOLD)
    return gold.filter(status=Coding.Status.SUBMITTED).select_related("text").first()


def was_gold_shown(coding: Coding) -> bool:
    """Return whether the coder could see the gold at some time since the submission, be it taken back by now.

    A query of training where there is gold, and another one where it is taken back.
    """
    if not _is_submitted_training(coding):
        return False
    gold = Coding.with_gold.filter(text=coding.text_id, round=coding.round_id, kind=Coding.Kind.GOLD).first()
    if gold is None or gold.status == Coding.Status.SUBMITTED:
        return gold is not None
    submissions = coding.operations.filter(kind=Operation.Kind.SUBMIT).order_by("-sequence")
    taken_back = gold.operations.filter(kind=Operation.Kind.REOPEN)
    return taken_back.filter(applied_at__gte=submissions.values("applied_at")[:1]).exists()


def check_judgement(coding: Coding, key: str) -> None:
    """Refuse the comparison of a judgement with the gold where there is none yet, or something is still to answer.

    The log then says that the coder has seen it: what they said before is what counts. Raise OperationRejected.
    """
    if gold_at_once(coding) is None:
        raise OperationRejected("no_gold", "There is no gold to see here before the text is submitted.")
    if not coding.judgements.filter(complete(), markable__key=key).exists():
        raise OperationRejected("incomplete", f"Answer first what is asked of {key!r}.")


@transaction.atomic
def open_gold(project: Project, text: Text, round_name: str, user: User) -> Coding:
    """Return the gold of a text in a round for the user to work on, made where there is none.

    What somebody else has begun becomes the user's, with its log. Raise ValidationError for summaries, a closed round
    and one that the text is not in.
    """
    lock_project(project.pk)
    round_ = find_round(project, round_name)
    refuse_closed(round_)
    if text.docset_id is not None:
        raise ValidationError("What is decided about summaries is the agreed pyramid of their docset.")
    if not round_.texts.filter(pk=text.pk).exists():
        raise ValidationError(f"“{text}” is not in the round {round_}.")
    codings = Coding.with_gold.filter(text=text, round=round_, kind=Coding.Kind.GOLD)
    gold = codings.select_for_update(of=("self",)).first()
    if gold is None:
        return Coding.with_gold.create(text=text, round=round_, kind=Coding.Kind.GOLD, coder=user)
    if gold.coder_id != user.pk:
        gold.coder = user
        gold.save(update_fields=["coder"])
    return gold
