"""The gold of texts: what was decided, which a coder sees beside their own work once it is submitted."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.db import transaction

from annotations.models import Coding, Project, Round, Text, User
from annotations.projects.locks import lock_project
from annotations.projects.rounds import find_round, refuse_closed


def gold_beside(coding: Coding) -> Coding | None:
    """Return the gold that the coder of a coding may see: of training, once both are submitted. A query of training."""
    shown = coding.kind == Coding.Kind.TEXT and coding.status == Coding.Status.SUBMITTED
    if not shown or coding.round.kind != Round.Kind.TRAINING:
        return None
    gold = Coding.with_gold.filter(text=coding.text_id, round=coding.round_id, kind=Coding.Kind.GOLD)
    return gold.filter(status=Coding.Status.SUBMITTED).select_related("text").first()


def gold_of_round(round_: Round) -> list[tuple[Text, Coding | None]]:
    """Return the texts of a round, each with its gold. Two queries."""
    rows = Coding.with_gold.filter(round=round_, kind=Coding.Kind.GOLD).select_related("coder")
    gold = {coding.text_id: coding for coding in rows}
    return [(text, gold.get(text.pk)) for text in round_.texts.defer("content")]


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
