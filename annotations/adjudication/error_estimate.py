"""The estimated errors among units that drafts of gold accept unseen, from checks of a random sample."""

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

# The operations that determine the units of a sample and their current keys.
KINDS = (Operation.Kind.DRAFT, Operation.Kind.MOVE, Operation.Kind.CORRECT)


@dataclass(frozen=True, slots=True)
class CheckedSample:
    """The units that the draft of a text accepted unseen: number checked, wrong among them, and not checked."""

    checked: int
    wrong: int
    unseen: int

    @property
    def total(self) -> int:
        return self.checked + self.unseen


@dataclass(frozen=True, slots=True)
class ErrorEstimate:
    """The share of wrong units, with its 95 % interval, among the units that drafts accepted unseen."""

    # unreached: the unseen units of texts without a check; the share is about the other texts.

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
    """Return the estimate for the texts of the samples, weighted by the units that their drafts accepted."""
    # The interval is the exact binomial one for the effective sample size under these weights (Kish 1965), within the
    # bounds that the unchecked units leave.
    reached = [sample for sample in samples if sample.checked]
    checked, wrong = sum(sample.checked for sample in reached), sum(sample.wrong for sample in reached)
    unseen = sum(sample.unseen for sample in samples)
    unreached = sum(sample.unseen for sample in samples if not sample.checked)
    if not reached:
        return ErrorEstimate(checked, wrong, unseen, unreached)
    total = sum(sample.total for sample in reached)
    share = float(sum(Fraction(sample.total * sample.wrong, sample.checked) for sample in reached) / total)
    effective = float(Fraction(total**2) / sum(Fraction(sample.total**2, sample.checked) for sample in reached))
    interval = binomial_interval(share * effective, effective)
    low, high = interval.low, interval.high
    if low is not None and high is not None:
        low, high = max(low, wrong / total), min(high, (wrong + unseen - unreached) / total)
    return ErrorEstimate(checked, wrong, unseen, unreached, share, low, high)


def estimate_errors(gold: Sequence[Coding]) -> dict[int, ErrorEstimate]:
    """Return the estimate for each round of the gold codings, by primary key. At most four queries."""
    # A unit is right if gold has the answers of the draft. Only units checked without a gap from the start of the
    # random order count; later ones are no random sample.
    keys = [coding.pk for coding in gold]
    logs, samples = read_logs(keys, details=True), _read_samples(keys)
    checked = {coding.pk: _checked(logs[coding.pk], samples.get(coding.pk, ())) for coding in gold}
    bases = {
        pk: (pk, log.draft.sequence) for pk, log in logs.items() if log.draft and any(map(_is_own_answer, checked[pk]))
    }
    changes = changes_since(bases.values())
    altered = {pk: {item.markable for item in changes[base]} for pk, base in bases.items()}
    samples_of: dict[int, list[CheckedSample]] = defaultdict(list)
    for coding in gold:
        sample, decisions = samples.get(coding.pk, ()), checked[coding.pk]
        wrong = sum(
            key in altered[coding.pk] if _is_own_answer(decision) else decision.entry.decide().source != Source.DRAFT
            for key, decision in zip(sample, decisions, strict=False)
        )
        samples_of[coding.round_id].append(CheckedSample(len(decisions), wrong, len(sample) - len(decisions)))
    return {round_: combine_samples(round_samples) for round_, round_samples in samples_of.items()}


def _checked(log: GoldLog, sample: Sequence[str]) -> list[LoggedDecision]:
    """Return the decisions on checked units, in order. Answers in the text count once SAMPLE_SIZE are decided."""
    decisions: list[LoggedDecision] = []
    for key in sample:
        decision = log.decision_of(Item(key, CATEGORY))
        if decision is None or decision.draft is None:
            break
        decisions.append(decision)
    certain = next((n for n in range(len(decisions), 0, -1) if not _is_own_answer(decisions[n - 1])), 0)
    shown = min(SAMPLE_SIZE, len(sample))
    return decisions[: max(certain, shown) if len(decisions) >= shown else certain]


def _is_own_answer(decision: LoggedDecision) -> bool:
    """Return whether the decision is an answer in the text, which does not say if the draft was right."""
    return decision.entry.kind != Operation.Kind.DECIDE


def _read_samples(gold: Sequence[int]) -> dict[int, list[str]]:
    """Return the sample of each last draft, in its order, with current keys. One query."""
    samples: dict[int, list[str]] = {}
    log = Operation.objects.filter(coding__in=gold, kind__in=KINDS).order_by("coding", "sequence")
    for coding, uuid, kind, payload in log.values_list("coding", "uuid", "kind", "payload"):
        if kind == Operation.Kind.DRAFT:
            samples[coding] = sample_units(uuid, payload)
        elif (rename := renaming(kind, payload)) is not None and coding in samples:
            samples[coding] = [key for old in samples[coding] if (key := rename(old)) is not None]
    return samples
