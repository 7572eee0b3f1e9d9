"""Training: compare coders' work with gold, and tell who has passed a round and who waits for gold or a decision."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from django.core.exceptions import ValidationError
from django.core.paginator import Page, Paginator
from django.db import transaction
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.urls import reverse

from annotations.coding.decisions import OperationRejected
from annotations.coding.gold import gold_at_once, gold_beside
from annotations.mail.queue import is_enabled, notify
from annotations.models import Coding, Membership, ModelCoder, Operation, Project, Round, Text, TrainingDecision, User
from annotations.planning.plans.comparison import Comparer, Describer, Item, Share, compare_checked, read_answers
from annotations.projects.locks import lock_project
from annotations.projects.people.members import members_in_roles
from annotations.projects.rounds import refuse_closed
from annotations.schemes.project_scheme import read_scheme

CODERS_ON_A_PAGE = 50
TEXTS_ON_A_PAGE = 20
DIGITS = 3  # scores are rounded before comparison with the pass mark, so that the score shown decides

type Score = tuple[float | None, Sequence[Share]]  # the rounded score, and the shares of equal answers


@dataclass(frozen=True, slots=True)
class Attempt:
    """A coder's work on a text of a training round."""

    coding: Coding
    has_gold: bool
    score: float | None  # the mean over the judgements of the gold, from 0 to 1; None without one
    passed: bool
    counts: bool  # whether it is within the round's number of attempts
    shares: Sequence[Share] = ()
    number: int = 1  # the number of the coder's attempt, from 1
    is_reopened: bool = False  # its gold was submitted and is open again

    @property
    def state(self) -> str:
        """The state in words; empty if there is a score and no pass rule."""
        if self.coding.status != Coding.Status.SUBMITTED:
            return "open"
        if not self.has_gold:
            return "waits for gold"
        if not self.counts:
            return "beyond the attempts"
        if self.score is None or not self.coding.round.pass_measure:
            return ""
        return "passed" if self.passed else "not passed"


class NextStep(StrEnum):
    """The next step of a coder in training: a text, its gold, another text, a manager's decision, or nothing."""

    CODE = "code"
    WAIT = "wait"
    TRY = "try"
    ASK = "ask"
    PASSED = "passed"
    FAILED = "failed"


@dataclass(slots=True)
class TrainingResult:
    """A coder's attempts in a training round, and a manager's decisions. `ready` counts further texts with gold."""

    round: Round
    coder: User
    attempts: list[Attempt] = field(default_factory=list)
    decisions: list[TrainingDecision] = field(default_factory=list)
    ready: int = 0

    @property
    def decision(self) -> TrainingDecision | None:
        """Return the manager's decision in force; None if the pass rule decides."""
        latest = self.decisions[-1] if self.decisions else None
        return latest if latest is not None and latest.outcome != TrainingDecision.Outcome.RULE else None

    @property
    def passed(self) -> bool:
        if self.decision is not None:
            return bool(self.decision.outcome == TrainingDecision.Outcome.PASSED)
        return any(attempt.passed for attempt in self.attempts)

    @property
    def best(self) -> float | None:
        """Return the highest score; None without one."""
        return max((row.score for row in self.attempts if row.score is not None and row.counts), default=None)

    @property
    def has_attempts_left(self) -> bool:
        """Whether a further text would count."""
        return self.round.attempts is None or len(self.attempts) < self.round.attempts

    @property
    def may_try(self) -> bool:
        """Whether the coder may take a further text of the round: not after a manager's decision."""
        is_done = all(attempt.coding.status == Coding.Status.SUBMITTED for attempt in self.attempts)
        is_over = self.passed or self.decision is not None or self.round.is_closed
        return bool(self.attempts and is_done and self.has_attempts_left and self.ready and not is_over)

    @property
    def obstacle(self) -> str:
        """Why no text is left for the coder to pass with; empty for a coder without a text of the round."""
        if not self.attempts:
            return ""
        if self.round.is_closed:
            return "the round is closed"
        if not self.round.pass_measure:
            return "it has no pass rule"
        return "no further text of it has gold" if self.has_attempts_left else "no further text counts"

    @property
    def has_reopened_gold(self) -> bool:
        """Whether the coder waits for gold that was submitted and is open again."""
        return any(attempt.is_reopened for attempt in self.attempts)

    @property
    def next_step(self) -> NextStep:
        """The next step; a manager decides if no text is left for the coder to pass with."""
        if self.passed or self.decision is not None:
            return NextStep.PASSED if self.passed else NextStep.FAILED
        has_rule, attempts = self.round.pass_measure, [attempt for attempt in self.attempts if attempt.counts]
        if not self.round.is_closed and any(attempt.coding.status != Coding.Status.SUBMITTED for attempt in attempts):
            return NextStep.CODE
        if has_rule and not self.round.is_closed and any(not attempt.has_gold for attempt in attempts):
            return NextStep.WAIT
        return NextStep.TRY if has_rule and self.may_try else NextStep.ASK


def training_results(round_: Round, coders: Collection[int] | None = None) -> list[TrainingResult]:
    """Return the results of a training round by name, of all coders or of `coders`. At most sixteen queries."""
    log = Operation.objects.filter(coding=OuterRef("pk")).values("applied_at")
    submissions, checks = log.filter(kind=Operation.Kind.SUBMIT), log.filter(kind=Operation.Kind.CHECK)
    codings = Coding.objects.first_occasions(round_).annotate(
        submitted_at=Subquery(submissions.order_by("-sequence")[:1]),
        checked_at=Subquery(checks.order_by("sequence")[:1]),
    )
    decisions = TrainingDecision.objects.filter(round=round_).select_related("coder", "decided_by")
    if coders is not None:
        codings, decisions = codings.filter(coder__in=coders), decisions.filter(coder__in=coders)
    rows = list(codings.select_related("text", "coder", "round").defer("text__content"))
    gold = {coding.text_id: coding for coding in _submitted_gold(round_)}
    scores = _scores(round_, rows, gold)
    reopened = _texts_with_reopened_gold([row for row in rows if row.text_id not in gold])
    results: dict[int | None, TrainingResult] = {}
    # in the order of submission or first comparison; codings without either come last
    for row in sorted(rows, key=_order_of_attempts):
        result = results.setdefault(row.coder_id, TrainingResult(round_, row.coder))
        counts = result.has_attempts_left
        score, shares = scores.get(row.pk, (None, ()))
        mark = None if round_.pass_mark is None else round(round_.pass_mark, DIGITS)
        passed = counts and score is not None and mark is not None and score >= mark
        number = len(result.attempts) + 1
        is_reopened = row.text_id in reopened
        result.attempts.append(Attempt(row, row.text_id in gold, score, passed, counts, shares, number, is_reopened))
    for decision in decisions:
        results.setdefault(decision.coder_id, TrainingResult(round_, decision.coder)).decisions.append(decision)
    for result in results.values():
        result.ready = len(gold.keys() - {attempt.coding.text_id for attempt in result.attempts})
    return sorted(results.values(), key=lambda result: result.coder.get_username())


def training_result(round_: Round, coder: User) -> TrainingResult:
    return next(iter(training_results(round_, [coder.pk])), TrainingResult(round_, coder))


def trainings_to_decide(project: Project) -> list[TrainingResult]:
    """Return the coders who have not passed and have no text left to pass with, for a manager's decision."""
    undecided = []
    for round_ in Round.objects.filter(project=project, kind=Round.Kind.TRAINING).select_related("project"):
        if not is_to_pass(round_):
            continue
        requiring = Round.objects.open().filter(required_round=round_)
        work = Coding.objects.of_people().filter(kind=Coding.Kind.TEXT, coder__memberships__project=project)
        continuing = work.begun().filter(round__in=requiring).order_by()
        waiting = work.filter(Q(round=round_) | Q(round__in=requiring, status=Coding.Status.OPEN))
        waiting = waiting.exclude(coder__in=continuing.values("coder")).order_by()
        coders = User.objects.filter(pk__in=waiting.values("coder")).order_by("username")
        results = {result.coder.pk: result for result in training_results(round_, [coder.pk for coder in coders])}
        undecided += [
            result
            for coder in coders
            if (result := results.get(coder.pk) or TrainingResult(round_, coder)).next_step == NextStep.ASK
        ]
    return undecided


@dataclass(frozen=True, slots=True)
class GoldMissing:
    """The texts of a training round that coders have without submitted gold, and how many coders submitted one."""

    round: Round
    texts: Sequence[Text]
    n_coders: int


def training_without_gold(project: Project) -> list[GoldMissing]:
    """Return the open training rounds where coders have texts without submitted gold. One query if there is none."""
    rounds = []
    for round_ in Round.objects.open().filter(project=project, kind=Round.Kind.TRAINING):
        codings = Coding.objects.of_people().filter(round=round_, kind=Coding.Kind.TEXT).order_by()
        codings = codings.exclude(text__in=_submitted_gold(round_).order_by().values("text"))
        texts = list(project.texts.filter(codings__in=codings).distinct().defer("content"))
        if texts:
            submitted = codings.filter(status=Coding.Status.SUBMITTED)
            rounds.append(GoldMissing(round_, texts, submitted.values("coder").distinct().count()))
    return rounds


def is_to_pass(round_: Round) -> bool:
    """Return whether passing the training matters: an open round requires it, or it is open and has a pass rule."""
    requiring = Round.objects.open().filter(required_round=round_)
    return bool((round_.pass_measure and not round_.is_closed) or requiring.exists())


def tell_managers(*, coding: int, **_: object) -> None:
    """Mail managers if the submission of a text or its gold leaves a coder without a text to pass with."""
    codings = Coding.objects.filter(pk=coding, round__kind=Round.Kind.TRAINING)
    submitted = codings.select_related("round__project", "text", "coder").first() if is_enabled() else None
    if submitted is None:
        return
    round_, is_gold = submitted.round, submitted.kind == Coding.Kind.GOLD
    if not is_to_pass(round_):
        return
    waiting = [
        result
        for result in training_results(round_, None if is_gold else [submitted.coder.pk])
        if result.next_step == NextStep.ASK
        and any(attempt.coding.text_id == submitted.text_id for attempt in result.attempts)
    ]
    if waiting:
        path = reverse("training", args=[round_.project.slug, round_.name])
        for manager in members_in_roles(round_.project, [Membership.Role.MANAGER]):
            notify(manager, "training", round_.project, [submitted.text], path=path)


@dataclass(frozen=True, slots=True)
class ResultsMatrix:
    """A page of the results of a round for a page of the texts; a cell is an attempt or None."""

    page: Page[TrainingResult]
    texts: Page[Text]
    rows: Sequence[tuple[TrainingResult, Sequence[Attempt | None]]]


def arrange_results(results: Sequence[TrainingResult], page: str | None, texts_page: str | None) -> ResultsMatrix:
    """Return a page of the results as a matrix, with a page of the coders' texts in their order."""
    shown = Paginator(results, CODERS_ON_A_PAGE).get_page(page)
    texts = {attempt.coding.text_id: attempt.coding.text for result in shown for attempt in result.attempts}
    in_order = sorted(texts.values(), key=lambda text: (text.position, text.slug))
    texts_shown = Paginator(in_order, TEXTS_ON_A_PAGE).get_page(texts_page)
    rows = []
    for result in shown:
        attempts = {attempt.coding.text_id: attempt for attempt in result.attempts}
        rows.append((result, [attempts.get(text.pk) for text in texts_shown]))
    return ResultsMatrix(shown, texts_shown, rows)


def _order_of_attempts(coding: Any) -> tuple[bool, Any, int, int]:
    submitted = coding.submitted_at if coding.status == Coding.Status.SUBMITTED else None
    moment = min((time for time in (submitted, coding.checked_at) if time is not None), default=None)
    return moment is None, moment or 0, coding.place, coding.pk


def _submitted_gold(round_: Round) -> QuerySet[Coding]:
    gold: QuerySet[Coding] = Coding.objects.filter(
        round=round_, kind=Coding.Kind.GOLD, status=Coding.Status.SUBMITTED, text__rounds=round_
    )
    return gold.order_by("text__position", "text__slug").select_related("text").defer("text__content")


def _texts_with_reopened_gold(codings: Sequence[Coding]) -> set[int]:
    """Return the texts of the codings whose gold was submitted and is open again."""
    waiting = [coding for coding in codings if coding.status == Coding.Status.SUBMITTED]
    if not waiting:
        return set()
    gold = Coding.objects.filter(round=waiting[0].round_id, kind=Coding.Kind.GOLD, status=Coding.Status.OPEN)
    gold = gold.filter(text__in=[coding.text_id for coding in waiting], operations__kind=Operation.Kind.REOPEN)
    return set(gold.order_by().values_list("text", flat=True))


def _scores(round_: Round, codings: Iterable[Coding], gold: Mapping[int, Coding]) -> dict[int, Score]:
    """Return score and shares of each submitted coding whose text has gold."""
    compared = [coding for coding in codings if coding.status == Coding.Status.SUBMITTED and coding.text_id in gold]
    if not compared:
        return {}
    scheme = read_scheme(round_.project_id)
    keys = {coding.pk for coding in compared} | {gold[coding.text_id].pk for coding in compared}
    answers = read_answers(round_.project, scheme, keys)
    comparer = Comparer(scheme, round_.project.answers, round_.pass_measure)
    scores: dict[int, Score] = {}
    for coding in compared:
        own, decided = answers[coding.pk], answers[gold[coding.text_id].pk]
        mean = comparer.mean(own, decided)
        scores[coding.pk] = None if mean is None else round(mean, DIGITS), comparer.shares(own, decided)
    return scores


@dataclass(frozen=True, slots=True)
class Feedback:
    """The gold that a coder in training sees: all of it after submission, before that the compared judgements."""

    is_whole: bool
    items: Sequence[Item]

    @property
    def n_as_gold(self) -> int:
        return sum(item.is_as_gold for item in self.items)

    @property
    def has_explanations(self) -> bool:
        return any(item.explanation for item in self.items)


def feedback_on(coding: Coding) -> Feedback | None:
    """Return the gold that the coder may see beside the coding; None: nothing. At most thirteen queries."""
    beside, at_once = gold_beside(coding), gold_at_once(coding)
    gold = beside or at_once
    if gold is None:
        return None
    project = coding.round.project
    scheme = read_scheme(project.pk)
    answers = read_answers(project, scheme, [coding.pk, gold.pk])
    describer = Describer(Comparer(scheme, project.answers, coding.round.pass_measure), gold.text.content)
    own, decided = answers[coding.pk], answers[gold.pk]
    if beside is None:
        return Feedback(False, compare_checked(describer, own, decided))
    items = [describer.item(key, own, decided) for key in decided.decisions]
    return Feedback(True, [item for item in items if item.is_judged])


@transaction.atomic
def decide_on_coder(round_: Round, coder: User, outcome: str, reason: str, by: User) -> TrainingDecision:
    """Record a manager's decision on a coder, which overrides the pass rule. Raise ValidationError by field."""
    lock_project(round_.project_id)
    if round_.kind != Round.Kind.TRAINING:
        raise ValidationError(f"{round_} is no training round.")
    if not round_.project.memberships.filter(user=coder).exists():
        raise ValidationError({"coder": f"{coder} is not a member of the project."})
    if coder.pk == by.pk:
        raise ValidationError({"coder": "Another manager decides about you."})
    decision = TrainingDecision(round=round_, coder=coder, outcome=outcome, reason=reason.strip(), decided_by=by)
    decision.full_clean()
    decision.save()
    return decision


@transaction.atomic
def take_next_attempt(round_: Round, user: User) -> Coding:
    """Assign the coder the next text with gold of a training round. Raise ValidationError."""
    lock_project(round_.project_id)
    round_ = Round.objects.select_related("project").get(pk=round_.pk)
    refuse_closed(round_)
    if ModelCoder.objects.filter(membership__project=round_.project, membership__user=user).exists():
        raise ValidationError("Training is for people.")
    result = training_result(round_, user)
    if not result.may_try:
        raise ValidationError(f"There is no further text of the round {round_} for you.")
    tried = {attempt.coding.text_id for attempt in result.attempts}
    text = next(gold.text for gold in _submitted_gold(round_) if gold.text_id not in tried)
    place = max(attempt.coding.place for attempt in result.attempts) + 1
    return Coding.objects.create(text=text, coder=user, round=round_, place=place)


def has_passed(round_: Round, coder: User) -> bool:
    return training_result(round_, coder).passed


def required_training(coding: Coding) -> int | None:
    """Return the key of the training round to pass before this work may begin; None without one."""
    is_bound = coding.kind == Coding.Kind.TEXT and not (coding.is_begun or coding.by_model)
    return coding.round.required_round_id if is_bound else None


def refuse_untrained(coding: Coding) -> None:
    """Raise OperationRejected if the coder has to pass training before this work may begin."""
    required = required_training(coding)
    if required is None:
        return
    round_ = Round.objects.select_related("project").get(pk=required)
    if not has_passed(round_, coding.coder):
        raise OperationRejected("training_required", f"This text opens once you have passed the round {round_}.")
