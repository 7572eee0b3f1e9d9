"""Training rounds, and how far coders agree with themselves: of both what says nothing of a single coder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agreement.measures import Interval
from agreement.reports.coders.repeats import CodedAgain
from annotations.models import Round
from annotations.planning.training import training_results

# Of so many training rounds, the latest, the results are read.
MOST_TRAININGS = 5


@dataclass(frozen=True, slots=True)
class Training:
    """A training round: who took part, how many passed, some by decision, and the scores of their best attempts."""

    name: str
    measure: str
    mark: float | None
    n_coders: int
    n_passed: int
    n_by_decision: int
    scores: tuple[float, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that the API and the command give."""
        return {
            "round": self.name,
            "measure": self.measure,
            "mark": self.mark,
            "n_coders": self.n_coders,
            "n_passed": self.n_passed,
            "n_by_decision": self.n_by_decision,
            "n_scores": len(self.scores),
            "lowest": self.scores[0] if self.scores else None,
            "highest": self.scores[-1] if self.scores else None,
        }


def measure_training(rounds: Sequence[Round]) -> tuple[Training, ...]:
    """Return the results of the latest training rounds. Sixteen queries at most for each."""
    found = []
    for round_ in [one for one in rounds if one.kind == Round.Kind.TRAINING][-MOST_TRAININGS:]:
        results = training_results(round_)
        scores = tuple(sorted(one.best for one in results if one.best is not None))
        passed = [one for one in results if one.passed]
        decided = sum(one.decision is not None for one in passed)
        n_coders = sum(bool(one.attempts) for one in results)
        rule = round_.pass_measure, round_.pass_mark
        found.append(Training(round_.name, *rule, n_coders, len(passed), decided, scores))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class CodedTwice:
    """The agreement of coders with themselves in what they coded twice: of all together, or of the only one."""

    n_coders: int
    n_codings: int
    n_texts: int
    interval: Interval | None
    between: float | None
    note: str

    @classmethod
    def of(cls, part: CodedAgain) -> CodedTwice | None:
        """Return it without names; None where nobody was shown a text again."""
        whole = part.together or next((one for one in part.coders if one.texts), next(iter(part.coders), None))
        if whole is None:
            return None
        n_coders = sum(one.texts > 0 for one in part.coders)
        between = whole.between.value if whole.between else None
        return cls(n_coders, whole.codings, whole.texts, whole.interval, between, whole.note)

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that the API and the command give."""
        one = self.interval
        return {
            "n_coders": self.n_coders,
            "n_codings": self.n_codings,
            "n_texts": self.n_texts,
            "value": one.value if one else None,
            "low": one.low if one else None,
            "high": one.high if one else None,
            "between": self.between,
            "note": self.note,
        }
