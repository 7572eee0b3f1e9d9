"""Make, change, order, copy, close and delete rounds, and say which texts are in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Count, F, Q

from annotations.core.text import pluralize
from annotations.models import Coding, Project, Round, RoundText, Text
from annotations.models.round import MAIN
from annotations.projects.locks import lock_project
from annotations.projects.rounds import (
    close_round,
    next_position,
    put_into_round,
    refuse_closed,
    rounds_by_text,
    rounds_of,
)

MOST_ROUNDS = 200
# So many texts are named in a message.
MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class RoundFigures:
    """How many texts a round has, and codings: all of them, those begun and not submitted, and those submitted.

    What coders are shown again within a round counts once.
    """

    texts: int = 0
    codings: int = 0
    begun: int = 0
    submitted: int = 0

    @property
    def assigned(self) -> int:
        """How many codings nobody has begun."""
        return self.codings - self.begun - self.submitted


def figures_of_rounds(project: Project) -> Mapping[int, RoundFigures]:
    """Return the figures of each round of the project. Two queries."""
    memberships = RoundText.objects.filter(round__project=project).order_by()
    texts = dict(memberships.values_list("round").annotate(number=Count("pk")))
    submitted = Q(status=Coding.Status.SUBMITTED)
    codings = Coding.objects.filter(round__project=project, occasion=1).order_by().values_list("round")
    counts = {
        key: numbers
        for key, *numbers in codings.annotate(
            codings=Count("pk"),
            begun=Count("pk", filter=~submitted & Q(version__gt=F("corrections"))),
            submitted=Count("pk", filter=submitted),
        )
    }
    return {
        key: RoundFigures(texts.get(key, 0), *counts.get(key, ()))
        for key in Round.objects.filter(project=project).values_list("pk", flat=True)
    }


@transaction.atomic
def create_round(project: Project, name: str, copied: Round | None = None, **fields: Any) -> Round:
    """Create a round after all others, with the texts of the one that is `copied`, and none of its codings.

    fields: its kind and dates. Raise ValidationError by field.
    """
    lock_project(project.pk)
    if Round.objects.filter(project=project).count() >= MOST_ROUNDS:
        raise ValidationError(f"A project has {MOST_ROUNDS} rounds at most.")
    if copied is not None and project.docsets.exists():
        raise ValidationError("Summaries are coded in one round alone.")
    round_ = Round(project=project, name=name, position=next_position(project), **fields)
    if copied is not None and "kind" not in fields:
        round_.kind = copied.kind
    _check(round_)
    round_.save()
    if copied is not None:
        put_into_round(round_, copied.texts.all())
    return round_


@transaction.atomic
def change_round(round_: Round, *, closed: bool | None = None, place: int | None = None, **fields: Any) -> Round:
    """Change what is given of the round, and return it. Raise ValidationError by field.

    fields: its name, kind and dates. closed: close it, or open it again. place: where it is to stand among the rounds,
    from 1.
    """
    lock_project(round_.project_id)
    round_ = Round.objects.select_related("project").get(pk=round_.pk)
    for name, value in fields.items():
        setattr(round_, name, value)
    if fields:
        _check(round_)
        round_.save(update_fields=list(fields))
    if closed is not None:
        close_round(round_, closed=closed)
    if place is not None:
        _place(round_, place)
    return round_


def _check(round_: Round) -> None:
    """Raise ValidationError by field."""
    if round_.starts_on and round_.ends_on and round_.ends_on < round_.starts_on:
        raise ValidationError({"ends_on": "It ends before it starts."})
    others = Round.objects.filter(project=round_.project_id, name=round_.name).exclude(pk=round_.pk)
    if others.exists():
        raise ValidationError({"name": f"There is a round {round_.name} already."})
    if round_.kind != Round.Kind.TRAINING and (round_.pass_measure or round_.attempts is not None):
        raise ValidationError({"kind": "Only a training round has a pass rule and attempts: empty these fields."})
    if bool(round_.pass_measure) != (round_.pass_mark is not None):
        raise ValidationError({"pass_mark": "A pass rule has a measure and a mark from 0 to 1, or neither."})
    _check_required(round_)
    round_.full_clean(validate_constraints=False)


def _check_required(round_: Round) -> None:
    """Raise ValidationError where what the round requires cannot be passed before it."""
    required = round_.required_round
    if required is None:
        return
    if required.project_id != round_.project_id or required.kind != Round.Kind.TRAINING or required.pk == round_.pk:
        raise ValidationError({"required_round": "Choose another round, of kind training."})
    seen = {round_.pk}
    while required is not None:
        if required.pk in seen:
            raise ValidationError({"required_round": f"{required} requires this round itself."})
        seen.add(required.pk)
        required = required.required_round


def _place(round_: Round, place: int) -> None:
    """Let the round be the first, second and so on; rounds from before may have equal places."""
    others = list(Round.objects.filter(project=round_.project_id).exclude(pk=round_.pk))
    others.insert(max(place - 1, 0), round_)
    for position, one in enumerate(others):
        one.position = position
    Round.objects.bulk_update(others, ["position"])


@transaction.atomic
def delete_round(round_: Round) -> None:
    """Delete a round without codings. Raise ValidationError if it has any, or a text that is in no other round."""
    lock_project(round_.project_id)
    number = Coding.with_gold.filter(round=round_).count()
    if number:
        raise ValidationError(f"The round {round_} has {pluralize(number, 'coding')}; only an empty one is deleted.")
    _refuse_only_round(round_, round_.texts.defer("content"))
    round_.delete()


@transaction.atomic
def add_texts(round_: Round, texts: Iterable[Text]) -> int:
    """Let texts of the project be in the round, too; return how many are new there. Raise ValidationError."""
    lock_project(round_.project_id)
    round_.refresh_from_db()
    refuse_closed(round_)
    here = set(round_.texts.values_list("pk", flat=True))
    new = [text for text in texts if text.pk not in here]
    for text in new:
        if text.project_id != round_.project_id:
            raise ValidationError(f"{text} is not a text of this project.")
        if text.docset_id is not None:
            raise ValidationError(f"{text} is a summary, which is in one round alone: move it.")
    put_into_round(round_, new)
    return len(new)


@transaction.atomic
def remove_texts(round_: Round, texts: Iterable[Text]) -> int:
    """Take texts out of the round, and return how many were there.

    Raise ValidationError where one has codings in it, or is in no other round, and for a closed round.
    """
    lock_project(round_.project_id)
    round_.refresh_from_db()
    refuse_closed(round_)
    texts = [text for text in texts if text.project_id == round_.project_id]
    coded = Text.objects.filter(codings__round=round_, pk__in=[text.pk for text in texts]).distinct()
    if names := _names(coded.defer("content")):
        raise ValidationError(f"{names}: there are codings in the round {round_}. Unassign them first.")
    _refuse_only_round(round_, texts)
    return RoundText.objects.filter(round=round_, text__in=texts).delete()[0]


def _refuse_only_round(round_: Round, texts: Iterable[Text]) -> None:
    """Raise ValidationError for texts that are in this round alone: each is in one at least."""
    known = rounds_by_text(round_.project)
    alone = [text for text in texts if known.get(text.pk) == [round_]]
    if alone:
        raise ValidationError(f"{_names(alone)}: in no other round than {round_}. Move it to another, or delete it.")


def _names(texts: Iterable[Text]) -> str:
    titles = [f"“{text}”" for text in texts]
    more = f" and {len(titles) - MOST_NAMED} more" if len(titles) > MOST_NAMED else ""
    return ", ".join(titles[:MOST_NAMED]) + more


@transaction.atomic
def move_to_round(project: Project, texts: Iterable[Text], name: str) -> int:
    """Move texts of the project with their codings to the round of that name, and return the number of texts.

    An empty name stands for `main`; a round that is not there is made, after all others. Raise ValidationError where a
    text is in several rounds, and for closed rounds.
    """
    lock_project(project.pk)
    name = name or MAIN
    texts = list(texts)
    if not texts:
        return 0
    target = Round.objects.filter(project=project, name=name).first() or create_round(project, name)
    known = rounds_by_text(project)
    moving = [text for text in texts if text.project_id == project.pk and known.get(text.pk) != [target]]
    left: dict[int, Round] = {}
    for text in moving:
        own: Sequence[Round] = known.get(text.pk, ())
        if len(own) > 1:
            names = ", ".join(one.name for one in own)
            raise ValidationError(f"“{text}” is in several rounds: {names}. Change these on the page Rounds.")
        left |= {one.pk: one for one in own}
    for one in (*left.values(), *([target] if moving else [])):
        refuse_closed(one)
    keys = [text.pk for text in moving]
    codings = Coding.with_gold.filter(text__in=keys)
    first = Round.objects.filter(codings__in=codings.begun(), scheme_version__isnull=False).first()
    if first is not None and not target.has_begun:
        target.guidelines_version, target.scheme_version = first.guidelines_version, first.scheme_version
        target.save(update_fields=["guidelines_version", "scheme_version"])
    codings.update(round=target)
    RoundText.objects.filter(text__in=keys).delete()
    put_into_round(target, moving)
    return sum(text.project_id == project.pk for text in texts)


def describe_rounds(project: Project) -> list[tuple[Round, RoundFigures]]:
    """Return the rounds of the project in their order, each with its figures. Three queries."""
    figures = figures_of_rounds(project)
    return [(one, figures.get(one.pk, RoundFigures())) for one in rounds_of(project)]
