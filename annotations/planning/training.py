"""Training: how the work of coders compares with gold, who has passed a round, and who waits for it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import OuterRef, QuerySet, Subquery

from agreement.measures import Readings, distance
from annotations.coding.chains import chains_by_indices, chains_by_pointers, members_of
from annotations.coding.decisions import OperationRejected
from annotations.coding.judgements import group_targets
from annotations.models import Coding, Index, Judgement, Operation, Pointer, Project, Round, TrainingDecision, User
from annotations.projects.locks import lock_project
from annotations.projects.rounds import refuse_closed


@dataclass(frozen=True, slots=True)
class Item:
    """A judgement of the gold beside what the coder answered: categories by key, and chains as lists of words.

    `score` is what it adds to the mean, from 0 to 1. `category` is None where the coder has no judgement.
    """

    markable: str
    words: str
    gold_category: str
    category: str | None
    gold_chain: Sequence[str]
    chain: Sequence[str]
    explanation: str
    score: float

    @property
    def is_as_gold(self) -> bool:
        """Whether category and chain are those of the gold."""
        return self.category == self.gold_category and set(self.chain) == set(self.gold_chain)


@dataclass(frozen=True, slots=True)
class Attempt:
    """A coder's work on a text of a training round.

    score: the mean over the judgements of the gold, from 0 to 1; None where coding or gold is not submitted, or the
    gold judges nothing. `counts` says whether it is among as many as the round allows.
    """

    coding: Coding
    has_gold: bool
    score: float | None
    passed: bool
    counts: bool


@dataclass(slots=True)
class TrainingResult:
    """What a coder did in a training round, and what a manager decided. `ready` texts are left with gold."""

    coder: User
    attempts: list[Attempt] = field(default_factory=list)
    decisions: list[TrainingDecision] = field(default_factory=list)
    ready: int = 0

    @property
    def decision(self) -> TrainingDecision | None:
        """Return the manager's decision that holds; None where the pass rule does."""
        latest = self.decisions[-1] if self.decisions else None
        return latest if latest is not None and latest.outcome != TrainingDecision.Outcome.RULE else None

    @property
    def passed(self) -> bool:
        """Whether the coder has passed the round."""
        if self.decision is not None:
            return bool(self.decision.outcome == TrainingDecision.Outcome.PASSED)
        return any(attempt.passed for attempt in self.attempts)

    @property
    def best(self) -> float | None:
        """Return the highest score; None without one."""
        return max((one.score for one in self.attempts if one.score is not None and one.counts), default=None)

    def may_try(self, round_: Round) -> bool:
        """Return whether the coder may take a further text of the round."""
        is_done = all(one.coding.status == Coding.Status.SUBMITTED for one in self.attempts)
        is_left = round_.attempts is None or len(self.attempts) < round_.attempts
        return bool(self.attempts and is_done and is_left and self.ready and not self.passed and not round_.is_closed)


def training_results(round_: Round, coder: User | None = None) -> list[TrainingResult]:
    """Return the results of a training round by the names of its coders, or those of one. At most nine queries."""
    submitted_at = Operation.objects.filter(coding=OuterRef("pk"), kind=Operation.Kind.SUBMIT).order_by("-sequence")
    codings = Coding.objects.filter(round=round_, kind=Coding.Kind.TEXT, occasion=1)
    codings = codings.annotate(submitted_at=Subquery(submitted_at.values("applied_at")[:1]))
    decisions = TrainingDecision.objects.filter(round=round_).select_related("coder", "decided_by")
    if coder is not None:
        codings, decisions = codings.filter(coder=coder), decisions.filter(coder=coder)
    rows = list(codings.select_related("text", "coder", "round").defer("text__content"))
    gold = {one.text_id: one for one in _submitted_gold(round_)}
    scores = _scores(round_, rows, gold)
    results: dict[int, TrainingResult] = {}
    # in the order of submission, what is open at last
    for row in sorted(rows, key=_order_of_attempts):
        result = results.setdefault(row.coder_id, TrainingResult(row.coder))
        counts, score = round_.attempts is None or len(result.attempts) < round_.attempts, scores.get(row.pk)
        passed = counts and score is not None and round_.pass_mark is not None and score >= round_.pass_mark
        result.attempts.append(Attempt(row, row.text_id in gold, score, passed, counts))
    for decision in decisions:
        results.setdefault(decision.coder_id, TrainingResult(decision.coder)).decisions.append(decision)
    for result in results.values():
        result.ready = len(gold.keys() - {one.coding.text_id for one in result.attempts})
    return sorted(results.values(), key=lambda result: result.coder.get_username())


def _order_of_attempts(coding: Any) -> tuple[bool, Any, int, int]:
    is_open = coding.status != Coding.Status.SUBMITTED or coding.submitted_at is None
    return is_open, 0 if is_open else coding.submitted_at, coding.place, coding.pk


def _submitted_gold(round_: Round) -> QuerySet[Coding]:
    gold: QuerySet[Coding] = Coding.with_gold.filter(
        round=round_, kind=Coding.Kind.GOLD, status=Coding.Status.SUBMITTED, text__rounds=round_
    )
    return gold.order_by("text__position", "text__slug").select_related("text").defer("text__content")


def _scores(round_: Round, codings: Iterable[Coding], gold: Mapping[int, Coding]) -> dict[int, float]:
    """Return the score of each submitted coding whose text has gold."""
    compared = [one for one in codings if one.status == Coding.Status.SUBMITTED and one.text_id in gold]
    if not compared:
        return {}
    answers = _read_answers(round_.project, [*(one.pk for one in compared), *(one.pk for one in gold.values())])
    found = {}
    for one in compared:
        scores = [score for _, score in _compare(answers[one.pk], answers[gold[one.text_id].pk], round_.pass_measure)]
        if scores:
            # rounded, so that a mark such as .8 is reached by 4 of 5
            found[one.pk] = round(sum(scores) / len(scores), 9)
    return found


@dataclass(slots=True)
class _Answers:
    """The categories of a coding by markable, and the chains that each markable is in."""

    categories: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    chains: dict[str, list[frozenset[str]]] = field(default_factory=dict)

    def chain(self, key: str) -> frozenset[str] | Readings:
        """Return the chain of a markable, which is alone where nothing links it; several where it is ambiguous."""
        chains = self.chains.get(key) or [frozenset({key})]
        return chains[0] if len(chains) == 1 else Readings(chains)

    def members(self, key: str) -> frozenset[str]:
        """Return whatever is in a chain with the markable."""
        return frozenset().union(*self.chains.get(key, ()), {key})


def _compare(answers: _Answers, gold: _Answers, measure: str) -> list[tuple[str, float]]:
    """Return the markables with a category in the gold, each with the score of the answer, from 0 to 1."""
    scores = []
    for key, category in gold.categories.items():
        score = float(answers.categories.get(key) == category)
        if score and measure == Round.PassMeasure.MASI:
            score = 1.0 - distance(answers.chain(key), gold.chain(key), "masi")
        scores.append((key, score))
    return scores


def _read_answers(project: Project, codings: Collection[int]) -> dict[int, _Answers]:
    """Return what codings answer. Three queries, whatever their number."""
    answers: dict[int, _Answers] = defaultdict(_Answers)
    order: dict[int, dict[str, None]] = defaultdict(dict)
    targets: dict[int, dict[str, list[tuple[int, str]]]] = defaultdict(lambda: defaultdict(list))
    indices: dict[int, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    places: dict[str, tuple[int, int, str]] = {}
    judgements = Judgement.objects.filter(coding__in=codings)
    place = ("markable__start", "markable__end", "markable__key")
    for coding, category, note, start, end, key in judgements.values_list("coding", "category__key", "note", *place):
        places[key] = start, -end, key
        order[coding][key] = None
        if category is not None:
            answers[coding].categories[key] = category
        answers[coding].notes[key] = note
    if project.answers == Project.Answers.INDICES:
        rows = Index.objects.filter(judgement__coding__in=codings).order_by("pk")
        for coding, key, entity in rows.values_list("judgement__coding", "judgement__markable__key", "entity"):
            indices[coding][key].append(entity)
    else:
        pointers = Pointer.objects.filter(judgement__coding__in=codings, relation__identity=True)
        columns = ("judgement__coding", "judgement__markable__key", "reading")
        target = ("target__key", "target__start", "target__end")
        for coding, key, reading, to, start, end in pointers.order_by(
            "target__start", "-target__end", "pk"
        ).values_list(*columns, *target):
            places[to] = start, -end, to
            order[coding][to] = None
            targets[coding][key].append((reading, to))
    for coding, keys in order.items():
        in_order = sorted(keys, key=places.__getitem__)
        if project.answers == Project.Answers.INDICES:
            chains = chains_by_indices(in_order, indices[coding])
        else:
            chains = chains_by_pointers(in_order, {key: group_targets(found) for key, found in targets[coding].items()})
        members = members_of(chains)
        of_coding = answers[coding]
        of_coding.categories = {key: of_coding.categories[key] for key in in_order if key in of_coding.categories}
        of_coding.chains = {key: [frozenset(members[name]) for name in names] for key, names in chains.items()}
    return answers


def compare_with_gold(coding: Coding, gold: Coding) -> list[Item]:
    """Return the judgements of the gold beside those of a coding of the same text, in text order. Six queries."""
    answers = _read_answers(coding.round.project, [coding.pk, gold.pk])
    own, decided = answers[coding.pk], answers[gold.pk]
    spans = dict(gold.text.markables.filter(judgements__coding__in=[coding.pk, gold.pk]).values_list("key", "parts"))
    targets = Pointer.objects.filter(judgement__coding__in=[coding.pk, gold.pk])
    spans |= dict(targets.values_list("target__key", "target__parts"))
    labels = dict(coding.round.project.categories.values_list("key", "label"))

    def words(key: str) -> str:
        return " … ".join(gold.text.content[start:end] for start, end in spans.get(key, ()))

    def chain(found: _Answers, key: str) -> list[str]:
        return [words(one) for one in sorted(found.members(key), key=lambda one: (spans.get(one, [[0, 0]]), one))]

    return [
        Item(
            markable=key,
            words=words(key),
            gold_category=labels[decided.categories[key]],
            category=labels.get(own.categories.get(key, "")),
            gold_chain=chain(decided, key),
            chain=chain(own, key) if key in own.categories else [],
            explanation=decided.notes.get(key, ""),
            score=score,
        )
        for key, score in _compare(own, decided, coding.round.pass_measure)
    ]


@transaction.atomic
def decide_on_coder(round_: Round, coder: User, outcome: str, reason: str, by: User) -> TrainingDecision:
    """Record a manager's decision on a coder, whatever the pass rule says. Raise ValidationError by field."""
    lock_project(round_.project_id)
    if round_.kind != Round.Kind.TRAINING:
        raise ValidationError(f"{round_} is no training round.")
    if not round_.project.memberships.filter(user=coder).exists():
        raise ValidationError({"coder": f"{coder} is not a member of the project."})
    decision = TrainingDecision(round=round_, coder=coder, outcome=outcome, reason=reason.strip(), decided_by=by)
    decision.full_clean()
    decision.save()
    return decision


@transaction.atomic
def take_next_attempt(round_: Round, user: User) -> Coding:
    """Assign the coder the next text of a training round that has gold, and return the coding.

    Raise ValidationError for a closed round, and where the coder has passed, has work to submit or nothing to try.
    """
    lock_project(round_.project_id)
    round_ = Round.objects.select_related("project").get(pk=round_.pk)
    refuse_closed(round_)
    result = next(iter(training_results(round_, user)), None)
    if result is None or not result.may_try(round_):
        raise ValidationError(f"There is no further text of the round {round_} for you.")
    tried = {attempt.coding.text_id for attempt in result.attempts}
    text = next(gold.text for gold in _submitted_gold(round_) if gold.text_id not in tried)
    place = max(attempt.coding.place for attempt in result.attempts) + 1
    return Coding.objects.create(text=text, coder=user, round=round_, place=place)


def has_passed(round_: Round, coder: User) -> bool:
    """Return whether the coder has passed a training round."""
    return any(result.passed for result in training_results(round_, coder))


def refuse_untrained(coding: Coding) -> None:
    """Raise OperationRejected where the coder has yet to pass training before this work may begin.

    What has begun goes on. Nothing is asked of the database where the round requires no training.
    """
    required = coding.round.required_round_id
    if required is None or coding.is_begun or coding.kind != Coding.Kind.TEXT:
        return
    round_ = Round.objects.select_related("project").get(pk=required)
    if not has_passed(round_, coding.coder):
        raise OperationRejected("training_required", f"This text opens once you have passed the round {round_}.")
