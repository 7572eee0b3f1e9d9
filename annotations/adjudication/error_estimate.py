"""How much of what drafts of gold accept unseen is wrong, by what was checked of a random sample of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from agreement.measures import binomial_interval
from annotations.adjudication.decisions.changes import changes_since
from annotations.adjudication.decisions.log import GoldLog, LoggedDecision, read_logs, renaming
from annotations.adjudication.proposal import Item
from annotations.adjudication.queue import SAMPLE_SIZE, sample_units
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
        return self.checked + self.unseen


@dataclass(frozen=True, slots=True)
class ErrorEstimate:
    """The share of wrong units, with its interval of 95 %, among those that drafts accepted unseen."""

    # unreached: how many of the unseen units are of texts of which nothing was checked: the share is of the others.

    checked: int
    wrong: int
    unseen: int
    unreached: int
    share: float | None = None
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        if self.share is None:
            return f"none of {self.unseen} checked"
        bounds = f"{100 * (self.low or 0):.1f} % to {100 * (self.high or 0):.1f} %"
        elsewhere = f", {self.unreached} of them in texts without a check" if self.unreached else ""
        return (
            f"{self.wrong} of {self.checked} checked wrong, which makes {100 * self.share:.1f} % of all, "
            f"95 % interval {bounds}; {self.unseen} not checked{elsewhere}"
        )


def combine_samples(samples: Sequence[CheckedSample]) -> ErrorEstimate:
    """Return the estimate for the texts of the samples, each counting for the units that its draft accepted."""
    # The interval is the exact binomial one, of as many cases as the sample is worth with these weights (Kish 1965),
    # and within what the unchecked units leave possible.
    reached = [sample for sample in samples if sample.checked]
    checked, wrong = sum(sample.checked for sample in reached), sum(sample.wrong for sample in reached)
    unseen = sum(sample.unseen for sample in samples)
    unreached = sum(sample.unseen for sample in samples if not sample.checked)
    if not reached:
        return ErrorEstimate(checked, wrong, unseen, unreached)
    total = sum(sample.total for sample in reached)
    share = float(sum(Fraction(sample.total * sample.wrong, sample.checked) for sample in reached) / total)
    worth = float(Fraction(total**2) / sum(Fraction(sample.total**2, sample.checked) for sample in reached))
    interval = binomial_interval(share * worth, worth)
    low, high = interval.low, interval.high
    if low is not None and high is not None:
        low, high = max(low, wrong / total), min(high, (wrong + unseen - unreached) / total)
    return ErrorEstimate(checked, wrong, unseen, unreached, share, low, high)


def estimate_errors(gold: Sequence[Coding]) -> dict[int, ErrorEstimate]:
    """Return the estimate of each round of the gold codings, by primary key. Four queries at most."""
    # A unit is right where gold has the answers of the draft. Units count that were checked without a gap from the
    # start of the sample's order: others are no random cases.
    keys = [one.pk for one in gold]
    logs, samples = read_logs(keys, details=True), _read_samples(keys)
    checked = {one.pk: _checked(logs[one.pk], samples.get(one.pk, ())) for one in gold}
    bases = {
        pk: (pk, log.draft.sequence) for pk, log in logs.items() if log.draft and any(map(_is_own_answer, checked[pk]))
    }
    changes = changes_since(bases.values())
    altered = {pk: {item.markable for item in changes[base]} for pk, base in bases.items()}
    found: dict[int, list[CheckedSample]] = defaultdict(list)
    for one in gold:
        sample, decisions = samples.get(one.pk, ()), checked[one.pk]
        wrong = sum(
            key in altered[one.pk] if _is_own_answer(decision) else decision.entry.decide().source != Source.DRAFT
            for key, decision in zip(sample, decisions, strict=False)
        )
        found[one.round_id].append(CheckedSample(len(decisions), wrong, len(sample) - len(decisions)))
    return {round_: combine_samples(of_round) for round_, of_round in found.items()}


def _checked(log: GoldLog, sample: Sequence[str]) -> list[LoggedDecision]:
    """Return the decisions on checked units, in order. Answers in the text count once SAMPLE_SIZE are decided."""
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


def _read_samples(gold: Sequence[int]) -> dict[int, list[str]]:
    """Return the sample of each last draft, in its order, by the keys of today. One query."""
    samples: dict[int, list[str]] = {}
    log = Operation.objects.filter(coding__in=gold, kind__in=KINDS).order_by("coding", "sequence")
    for coding, uuid, kind, payload in log.values_list("coding", "uuid", "kind", "payload"):
        if kind == Operation.Kind.DRAFT:
            samples[coding] = sample_units(uuid, payload)
        elif (rename := renaming(kind, payload)) is not None and coding in samples:
            samples[coding] = [key for old in samples[coding] if (key := rename(old)) is not None]
    return samples
