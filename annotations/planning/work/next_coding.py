"""The choice of a coder's next coding, and what locks other codings."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from annotations.models import Coding, Level, Project, Round, User
from annotations.planning.training import NextStep, TrainingResult, is_to_pass, required_training, training_result


class Progress(Protocol):
    """A coding with its numbers of markables and of decided markables."""

    pk: int
    round_id: int
    status: str
    is_begun: bool
    decided: int
    to_decide: int
    asks_of_entities: bool


def next_coding[Row: Progress](
    codings: Iterable[Row], *, coders_mark: bool, locked: Collection[int] = (), training: Collection[int] = ()
) -> Row | None:
    """Return the next of a coder's codings that are not `locked`; None if there is nothing to do."""
    # The order: codings of training not passed, started ones, unstarted ones, complete ones. A coding without markables
    # is skipped, unless coders mark.

    def rank(coding: Row) -> tuple[bool, bool, bool]:
        is_open_ended = coders_mark or coding.asks_of_entities
        is_started = coding.is_begun if is_open_ended else 0 < coding.decided < coding.to_decide
        is_complete = not is_open_ended and coding.decided == coding.to_decide
        return coding.round_id not in training, not is_started, is_complete

    open_codings = [
        coding
        for coding in codings
        if coding.status == "open" and coding.pk not in locked and (coders_mark or coding.to_decide)
    ]
    return min(open_codings, key=rank, default=None)


@dataclass(frozen=True, slots=True)
class OwnWork:
    """A coder's next coding, and training not passed. locked: codings that wait for training, by key."""

    next: Coding | None
    locked: dict[int, TrainingResult]
    trainings: Sequence[TrainingResult]
    coders_mark: bool

    @property
    def is_done(self) -> bool:
        """Whether there is nothing to code, neither now nor after training."""
        return self.next is None and not self.locked and not self.trainings


def read_own_work(project: Project, coder: User, codings: Iterable[Coding], required: Collection[int] = ()) -> OwnWork:
    """Return the work of a coder in open rounds, from the coder's codings `with_progress`."""
    # required: further training rounds to pass. One query, and at most 17 for each training round.
    codings = [coding for coding in codings if not coding.round.is_closed]
    open_codings = [coding for coding in codings if coding.status == Coding.Status.OPEN]
    waiting = {coding.pk: key for coding in open_codings if (key := required_training(coding)) is not None}
    required = {*waiting.values(), *required}
    own = {coding.round_id for coding in codings if coding.round.kind == Round.Kind.TRAINING}
    training_rounds = Round.objects.filter(pk__in=own | required, kind=Round.Kind.TRAINING).select_related("project")
    results = [training_result(round_, coder) for round_ in training_rounds]
    trainings = {
        training.round.pk: training
        for training in results
        if training.next_step != NextStep.PASSED and not _is_over(training, required)
    }
    locked = {pk: trainings[key] for pk, key in waiting.items() if key in trainings}
    coders_mark = bool(open_codings) and Level.objects.filter(project=project, coders_mark=True).exists()
    rows: Iterable[Any] = open_codings
    following = next_coding(rows, coders_mark=coders_mark, locked=locked, training=trainings)
    return OwnWork(following, locked, list(trainings.values()), coders_mark)


def work_after(project: Project, coder: User, coding: Coding) -> OwnWork:
    """Return the work of the coder after this coding, in open rounds."""
    own = Coding.objects.of_coders().visible_to(coder).filter(text__project=project, coder=coder)
    open_codings = own.filter(status=Coding.Status.OPEN, round__closed_at=None).exclude(pk=coding.pk)
    rows = open_codings.in_order_of_rounds().with_progress().select_related("text", "round").defer("text__content")
    return read_own_work(project, coder, rows)


def _is_over(training: TrainingResult, required: Collection[int]) -> bool:
    """Return whether an optional practice round is over, because the coder has submitted everything."""
    is_required = training.round.pk in required or is_to_pass(training.round)
    return not is_required and training.next_step == NextStep.ASK
