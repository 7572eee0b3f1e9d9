"""Create, change, order, copy, close and delete rounds, and choose their texts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.db import transaction
from django.db.models import Count, F, Q

from annotations.models import Coding, Plan, Project, Round, RoundText, Text
from annotations.models.people.rights import Right
from annotations.models.project import is_blind_manager, may
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

MAX_ROUNDS = 200
# The requirements of a training round, and the training that a round requires.
TRAINING_FIELDS = ("pass_measure", "pass_mark", "attempts", "feedback", "required_round")
MAX_NAMED = 3  # texts named in a message


@dataclass(frozen=True, slots=True)
class RoundFigures:
    """The number of texts of a round, and of codings: all, begun but not submitted, and submitted."""

    texts: int = 0
    codings: int = 0
    begun: int = 0
    submitted: int = 0

    @property
    def assigned(self) -> int:
        """The number of codings that have not begun."""
        return self.codings - self.begun - self.submitted


def figures_of_rounds(project: Project) -> Mapping[int, RoundFigures]:
    """Return the figures of each round of the project. Two queries."""
    memberships = RoundText.objects.filter(round__project=project).order_by()
    texts = dict(memberships.values_list("round").annotate(number=Count("pk")))
    submitted = Q(status=Coding.Status.SUBMITTED)
    codings = Coding.objects.of_people().filter(round__project=project, occasion=1).order_by().values_list("round")
    begun = ~submitted & Q(version__gt=F("corrections"))
    numbers = {"codings": Count("pk"), "begun": Count("pk", filter=begun), "submitted": Count("pk", filter=submitted)}
    counts = {key: counted for key, *counted in codings.annotate(**numbers)}
    return {
        key: RoundFigures(texts.get(key, 0), *counts.get(key, ()))
        for key in Round.objects.filter(project=project).values_list("pk", flat=True)
    }


@transaction.atomic
def create_round(project: Project, name: str, copied: Round | None = None, **fields: Any) -> Round:
    """Create a round after all others, with the texts of `copied` but none of its codings. Raise ValidationError."""
    lock_project(project.pk)
    if Round.objects.filter(project=project).count() >= MAX_ROUNDS:
        raise ValidationError(f"A project has {MAX_ROUNDS} rounds at most.")
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
    """Change fields of the round, close or open it, or move it to a place from 1. Raise ValidationError by field."""
    lock_project(round_.project_id)
    round_ = Round.objects.select_related("project").get(pk=round_.pk)
    kind = round_.kind
    for name, value in fields.items():
        setattr(round_, name, value)
    if fields:
        _refuse_counting(round_, kind)
        _check(round_)
        round_.save(update_fields=list(fields))
    if closed is not None:
        close_round(round_, closed=closed)
    if place is not None:
        _place(round_, place)
    return round_


def _check(round_: Round) -> None:
    """Raise ValidationError by field if the round is inconsistent."""
    if round_.starts_on and round_.ends_on and round_.ends_on < round_.starts_on:
        raise ValidationError({"ends_on": "It ends before it starts."})
    if Round.objects.filter(project=round_.project_id, name=round_.name).exclude(pk=round_.pk).exists():
        raise ValidationError({"name": f"There is a round {round_.name} already."})
    if not _is_practice(round_) and (round_.pass_measure or round_.attempts is not None):
        raise ValidationError({"kind": "Only a training round has a pass rule and attempts: empty these fields."})
    if not _is_practice(round_) and round_.feedback != Round.Feedback.SUBMISSION:
        raise ValidationError({"feedback": "Only a training round has feedback after each judgement."})
    if round_.pass_mark is not None and not isfinite(round_.pass_mark):
        raise ValidationError({"pass_mark": "This is no number from 0 to 1."})
    if bool(round_.pass_measure) != (round_.pass_mark is not None):
        raise ValidationError({"pass_mark": "A pass rule has a measure and a mark from 0 to 1, or neither."})
    _check_required(round_)
    round_.full_clean(validate_constraints=False)


def refuse_own_training(project: Project, round_: Round, fields: Mapping[str, Any]) -> None:
    """Raise ValidationError if a coding manager would change the requirements of training."""
    if may(project, Right.DECIDE_TRAINING):
        return
    for name in (*TRAINING_FIELDS, "kind"):
        changes = name in fields and fields[name] != getattr(round_, name)
        if changes and (name != "kind" or Round.Kind.TRAINING in (fields["kind"], round_.kind)):
            raise ValidationError({name: "You code here yourself: a manager who does not code changes this."})


def _refuse_counting(round_: Round, before: str) -> None:
    """Raise ValidationError if practice would become work that counts, as its coders may have seen the gold."""
    if before != Round.Kind.TRAINING or _is_practice(round_):
        return
    if round_.has_begun:
        message = "Coders have trained in it, and practice does not become work that counts: copy the round instead."
        raise ValidationError({"kind": message})
    _refuse_required(round_, "kind")


def _is_practice(round_: Round) -> bool:
    return round_.kind == Round.Kind.TRAINING


def _refuse_required(round_: Round, field: str) -> None:
    """Raise ValidationError if another round requires this training."""
    if requiring := Round.objects.filter(required_round=round_).values_list("name", flat=True):
        raise ValidationError({field: f"Texts of {', '.join(requiring)} require this training: change that first."})


def _check_required(round_: Round) -> None:
    """Raise ValidationError if the required training cannot be passed before the round."""
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
    """Move the round to a place from 1; older rounds may have equal positions."""
    rounds = list(Round.objects.filter(project=round_.project_id).exclude(pk=round_.pk))
    rounds.insert(max(place - 1, 0), round_)
    for position, moved in enumerate(rounds):
        moved.position = position
    Round.objects.bulk_update(rounds, ["position"])


@transaction.atomic
def delete_round(round_: Round) -> None:
    """Delete a round without codings of coders, with its gold. Raise ValidationError."""
    lock_project(round_.project_id)
    refuse_deletion(round_)
    Coding.objects.filter(round=round_).delete()
    round_.delete()


def refuse_deletion(round_: Round) -> None:
    """Raise ValidationError if the round has codings or a text in no other round, or if another round requires it."""
    if Coding.objects.of_coders().filter(round=round_).exists():
        raise ValidationError(f"The round {round_} has codings; only an empty one is deleted.")
    _refuse_only_round(round_, round_.texts.defer("content"))
    _refuse_required(round_, NON_FIELD_ERRORS)


@transaction.atomic
def add_texts(round_: Round, texts: Iterable[Text]) -> int:
    """Add texts of the project to the round, and return the number of new ones. Raise ValidationError."""
    lock_project(round_.project_id)
    round_.refresh_from_db()
    refuse_closed(round_)
    present = set(round_.texts.values_list("pk", flat=True))
    new = [text for text in texts if text.pk not in present]
    for text in new:
        if text.project_id != round_.project_id:
            raise ValidationError(f"{text} is not a text of this project.")
        if text.docset_id is not None:
            raise ValidationError(f"{text} is a summary, which is in one round alone: move it.")
    put_into_round(round_, new)
    return len(new)


@transaction.atomic
def remove_texts(round_: Round, texts: Iterable[Text]) -> int:
    """Remove texts from the round, and return the number removed. Raise ValidationError."""
    # Their gold in the round stays, and is valid again if they return.
    lock_project(round_.project_id)
    round_.refresh_from_db()
    refuse_closed(round_)
    texts = [text for text in texts if text.project_id == round_.project_id]
    codings = Coding.objects.of_coders().filter(round=round_, text__in=[text.pk for text in texts])
    if names := _names(Text.objects.filter(pk__in=codings.values("text")).defer("content")):
        raise ValidationError(f"{names}: there are codings in the round {round_}. Unassign them first.")
    _refuse_only_round(round_, texts)
    return RoundText.objects.filter(round=round_, text__in=texts).delete()[0]


def refuse_pool(project: Project, round_: Round) -> None:
    """Raise ValidationError if a coding manager removes texts from a pool, which discloses what others took."""
    if is_blind_manager(project) and Plan.objects.filter(round=round_, pool=True).exists():
        raise ValidationError(
            f"The round {round_} has a pool, and you are blind to what others take from it: ask a manager who does not "
            "code to take texts out."
        )


def _refuse_only_round(round_: Round, texts: Iterable[Text]) -> None:
    """Raise ValidationError for texts that are in no other round, as each text is in at least one."""
    known = rounds_by_text(round_.project)
    if alone := [text for text in texts if known.get(text.pk) == [round_]]:
        raise ValidationError(f"{_names(alone)}: in no other round than {round_}. Move it to another, or delete it.")


def _names(texts: Iterable[Text]) -> str:
    titles = [f"“{text}”" for text in texts]
    more = f" and {len(titles) - MAX_NAMED} more" if len(titles) > MAX_NAMED else ""
    return ", ".join(titles[:MAX_NAMED]) + more


@transaction.atomic
def move_to_round(project: Project, texts: Iterable[Text], name: str) -> int:
    """Move texts with their codings to the named round; return their number. Raise ValidationError."""
    # name: created if unknown; empty: `main`. Gold moves with its text, but neither into nor out of training, nor where
    # gold exists. Rejected: texts in several rounds, closed rounds, moves between practice and counted work.
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
            names = ", ".join(round_.name for round_ in own)
            raise ValidationError(f"“{text}” is in several rounds: {names}. Change these on the page Rounds.")
        left |= {round_.pk: round_ for round_ in own}
    for round_ in (*left.values(), *([target] if moving else [])):
        refuse_closed(round_)
    keys = [text.pk for text in moving]
    codings = Coding.objects.of_coders().filter(text__in=keys)
    crossing = [round_.pk for round_ in left.values() if _is_practice(round_) != _is_practice(target)]
    if names := _names(Text.objects.filter(pk__in=codings.filter(round__in=crossing).values("text")).defer("content")):
        raise ValidationError(
            f"{names}: practice does not become work that counts, nor the reverse. Add it to a round."
        )
    gold = Coding.objects.filter(text__in=keys, kind=Coding.Kind.GOLD)
    with_gold = list(gold.filter(round=target).values_list("text", flat=True))
    gold.exclude(round__in=crossing).exclude(text__in=with_gold).update(round=target)
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
    return [(round_, figures.get(round_.pk, RoundFigures())) for round_ in rounds_of(project)]
