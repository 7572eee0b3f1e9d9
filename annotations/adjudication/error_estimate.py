"""How much of what drafts of gold accept unseen is wrong, by what was checked of a random sample of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any
from uuid import UUID

from django.db.models import Q

from agreement.measures import binomial_interval
from annotations.adjudication.decisions.changes import differences
from annotations.adjudication.decisions.log import GoldLog, LoggedDecision, read_logs
from annotations.adjudication.proposal import Item
from annotations.adjudication.queue import replay_until
from annotations.adjudication.spot_check import SAMPLE_SIZE, follow_keys, sample_units
from annotations.coding.log.payloads import Source
from annotations.formats.model.scheme import CATEGORY
from annotations.models import Coding, Operation

# What of a log says which units are in a sample, and what their keys are today.
KINDS = (Operation.Kind.DRAFT, Operation.Kind.MOVE, Operation.Kind.CORRECT)


@dataclass(frozen=True, slots=True)
class CheckedSample:
    """What of the units that the draft of a text accepted unseen was checked, was wrong, and was not checked."""

    checked: int
    wrong: int
    unseen: int

    @property
    def total(self) -> int:
        """How many units the draft accepted unseen."""
        return self.checked + self.unseen


@dataclass(frozen=True, slots=True)
class ErrorEstimate:
    """How much of what the drafts of some texts accepted unseen is wrong, estimated of a random sample of each text.

    A text counts for as many units as its draft accepted unseen, however few of them were checked: of a long text the
    share that is checked is smaller than of a short one. Nothing is said of texts of which nothing was checked.
    """

    samples: tuple[CheckedSample, ...] = ()

    @property
    def checked(self) -> int:
        """How many units were checked."""
        return sum(one.checked for one in self.samples)

    @property
    def wrong(self) -> int:
        """How many of the checked units were wrong."""
        return sum(one.wrong for one in self.samples)

    @property
    def unseen(self) -> int:
        """How many units were not checked."""
        return sum(one.unseen for one in self.samples)

    @property
    def unreached(self) -> int:
        """How many of the unseen units are of texts of which nothing was checked."""
        return sum(one.unseen for one in self.samples if not one.checked)

    @property
    def share(self) -> float | None:
        """The estimated share of wrong ones in all that was accepted unseen, of the texts in which some was checked."""
        reached = self._reached
        share = sum(Fraction(one.total * one.wrong, one.checked) for one in reached)
        return float(share / sum(one.total for one in reached)) if reached else None

    def __str__(self) -> str:
        if self.share is None:
            return f"none of {self.unseen} checked"
        bounds = f"{100 * (self.low or 0):.1f} % to {100 * (self.high or 0):.1f} %"
        elsewhere = f", {self.unreached} of them in texts without a check" if self.unreached else ""
        return (
            f"{self.wrong} of {self.checked} checked wrong, which makes {100 * self.share:.1f} % of all, "
            f"95 % interval {bounds}; {self.unseen} not checked{elsewhere}"
        )

    @property
    def low(self) -> float | None:
        """The lower end of the interval of 95 % of the share; None where nothing was checked."""
        ends = self._ends
        return ends[0] if ends else None

    @property
    def high(self) -> float | None:
        """The upper end of the interval of 95 % of the share; None where nothing was checked."""
        ends = self._ends
        return ends[1] if ends else None

    @property
    def _reached(self) -> list[CheckedSample]:
        return [one for one in self.samples if one.checked]

    @property
    def _ends(self) -> tuple[float, float] | None:
        """The exact binomial interval, of as many cases as the sample is worth with its weights (Kish 1965).

        For equal shares of each text these are as many as were checked. What was checked is known: no end is beyond
        what the others leave possible.
        """
        reached, share = self._reached, self.share
        if share is None:
            return None
        total = sum(one.total for one in reached)
        worth = float(Fraction(total**2) / sum(Fraction(one.total**2, one.checked) for one in reached))
        found = binomial_interval(share * worth, worth)
        if found.low is None or found.high is None:
            return None
        wrong, unseen = sum(one.wrong for one in reached), sum(one.unseen for one in reached)
        return max(found.low, wrong / total), min(found.high, (wrong + unseen) / total)


def estimate_errors(gold: Sequence[Coding]) -> dict[int, ErrorEstimate]:
    """Return the estimate of each round that the gold codings are of, by primary key. Four queries at most.

    Of the random order of a draft's sample those count that were checked without a gap from its beginning: what is
    changed elsewhere, because somebody came upon it, is no random case. A unit is right where gold has the answers of
    the draft.
    """
    keys = [one.pk for one in gold]
    logs, samples = read_logs(keys, details=True), _read_samples(keys)
    checked = {one.pk: _checked(logs[one.pk], samples.get(one.pk, ())) for one in gold}
    altered = _altered_units(
        {pk: log.draft.sequence for pk, log in logs.items() if log.draft and any(map(_is_own_answer, checked[pk]))}
    )
    found: dict[int, list[CheckedSample]] = defaultdict(list)
    for one in gold:
        sample, decisions = samples.get(one.pk, ()), checked[one.pk]
        wrong = sum(
            key in altered[one.pk] if _is_own_answer(decision) else decision.entry.decide().source != Source.DRAFT
            for key, decision in zip(sample, decisions, strict=False)
        )
        found[one.round_id].append(CheckedSample(len(decisions), wrong, len(sample) - len(decisions)))
    return {round_: ErrorEstimate(tuple(of_round)) for round_, of_round in found.items()}


def _checked(log: GoldLog, sample: Sequence[str]) -> list[LoggedDecision]:
    """Return what decided the units that were checked, in the order of the sample.

    Answers in the text at its end count where as many are decided as are shown at a time; else whoever gave them may
    have come upon them.
    """
    found: list[LoggedDecision] = []
    for key in sample:
        decision = log.decision_of(Item(key, CATEGORY))
        if decision is None or decision.draft is None:
            break
        found.append(decision)
    certain = next((place for place in range(len(found), 0, -1) if not _is_own_answer(found[place - 1])), 0)
    shown = min(SAMPLE_SIZE, len(sample))
    return found[: max(certain, shown) if len(found) >= shown else certain]


def _is_own_answer(decision: LoggedDecision) -> bool:
    """Return whether it is an answer in the text, and does not say itself whether the draft was right."""
    return decision.entry.kind != Operation.Kind.DECIDE


def _altered_units(drafts: Mapping[int, int]) -> dict[int, set[str]]:
    """Return which units gold answers otherwise than its draft did, by primary key. `drafts` has their sequences.

    One query where there is any.
    """
    logs: dict[int, list[tuple[int, str, Mapping[str, Any]]]] = defaultdict(list)
    if drafts:
        rows = Operation.objects.filter(coding__in=list(drafts)).order_by("coding", "sequence")
        for coding, *entry in rows.values_list("coding", "sequence", "kind", "payload"):
            sequence, kind, payload = entry
            logs[coding].append((sequence, kind, payload))
    found = {}
    for coding, log in logs.items():
        before, after = (replay_until(log, last).decisions for last in (drafts[coding], log[-1][0]))
        found[coding] = {item.markable for item in differences(before, after)}
    return found


def _read_samples(gold: Sequence[int]) -> dict[int, list[str]]:
    """Return the sample of each last draft, in its order, by the keys of today. One query."""
    drafts: dict[int, tuple[UUID, Mapping[str, Any]]] = {}
    later: dict[int, list[tuple[str, Mapping[str, Any]]]] = defaultdict(list)
    log = Operation.objects.filter(Q(coding__in=gold), kind__in=KINDS).order_by("coding", "sequence")
    for coding, uuid, kind, payload in log.values_list("coding", "uuid", "kind", "payload"):
        if kind == Operation.Kind.DRAFT:
            drafts[coding] = uuid, payload
            later[coding] = []
        else:
            later[coding].append((kind, payload))
    return {
        coding: [key for key in follow_keys(sample_units(uuid, payload), later[coding]) if key is not None]
        for coding, (uuid, payload) in drafts.items()
    }
