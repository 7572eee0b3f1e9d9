"""What became gold: how far it is, what drafts were made of, how it was decided, and how often it overrules coders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agreement.data.gold import GOLD
from agreement.data.project_answers import ProjectAnswers
from agreement.reports.coders.profiles import Profile, compute_profiles
from agreement.reports.gold.report import GoldReport
from agreement.reports.request.parameters import Parameters, default_parameters
from annotations.adjudication.decisions.items import gold_decisions
from annotations.adjudication.drafts import gold_of_rounds
from annotations.adjudication.error_estimate import ErrorEstimate, estimate_errors
from annotations.adjudication.states import State
from annotations.coding.log.payloads import Reason, Source
from annotations.models import Project, Round

# The method of gold that nobody drafted.
NO_DRAFT = ""


@dataclass(frozen=True, slots=True)
class GoldOfRound:
    """The gold of the texts of a round: how many are in which state, contested items, and the methods of drafts."""

    name: str
    kind: str
    n_texts: int
    states: Mapping[str, int]
    n_contested: int
    n_decided: int
    methods: Mapping[str, int]

    @property
    def is_result(self) -> bool:
        """Whether it is gold of the corpus: that of training teaches."""
        return self.kind != Round.Kind.TRAINING

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that the API and the command give."""
        return {
            "round": self.name,
            "kind": self.kind,
            "n_texts": self.n_texts,
            **{str(state): self.states.get(state, 0) for state in State},
            "n_contested": self.n_contested,
            "n_decided": self.n_decided,
            "methods": dict(self.methods),
        }


@dataclass(frozen=True, slots=True)
class Adjudication:
    """The gold of a project. `comparison` is of coders with gold that is closed, and `closed` what that consists of.

    `sources` and `reasons` count decisions: from where the answer is (draft, coder, own), and why coders differed.
    `error_estimates` are those of spot checks, by round, where drafts accepted something unseen.
    """

    rounds: tuple[GoldOfRound, ...]
    comparison: GoldReport | None = None
    closed: Profile | None = None
    sources: Mapping[str, int] = field(default_factory=dict)
    reasons: Mapping[str, int] = field(default_factory=dict)
    error_estimates: Mapping[str, ErrorEstimate] = field(default_factory=dict)

    @property
    def overruled(self) -> tuple[int, int]:
        """In how many answers of coders to contested items gold has another value, and of how many."""
        shares = [one.overruled for one in self.comparison.coders] if self.comparison else []
        return sum(one.found for one in shares), sum(one.total for one in shares)

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that the API and the command give."""
        report, (found, total) = self.comparison, self.overruled
        return {
            "rounds": [one.as_dict() for one in self.rounds],
            "n_texts_compared": report.n_texts if report else 0,
            "n_items": report.n_items if report else 0,
            "n_contested": report.n_contested if report else 0,
            "n_chains": count_chains(self.closed) if self.closed else None,
            "overruled": {"found": found, "total": total, "value": found / total if total else None},
            "sources": dict(self.sources),
            "reasons": dict(self.reasons),
            "error_estimates": [
                {
                    "round": name,
                    "checked": one.checked,
                    "wrong": one.wrong,
                    "unseen": one.unseen,
                    "unreached": one.unreached,
                    "value": one.share,
                    "low": one.low,
                    "high": one.high,
                }
                for name, one in self.error_estimates.items()
            ],
        }


def count_chains(profile: Profile) -> int:
    """Return the number of chains of two members or more."""
    return sum(n for length, n in profile.chain_lengths.items() if length > 1)


def measure_adjudication(
    project: Project, rounds: Sequence[Round], with_gold: ProjectAnswers, comparison: GoldReport | None
) -> Adjudication:
    """Return the gold of a project's rounds. The number of queries is fixed."""
    texts = gold_of_rounds(project, rounds)
    codings = [one.gold.coding for one in texts if one.gold is not None and one.round.kind != Round.Kind.TRAINING]
    estimates, decisions = estimate_errors(codings), gold_decisions(codings)
    decided = [decision for of_coding in decisions.values() for decision in of_coding]
    sources, reasons = Counter(one.source for one in decided), Counter(one.reason for one in decided)
    found = []
    for round_ in rounds:
        of_round = [one for one in texts if one.round.pk == round_.pk]
        gold = [one.gold for one in of_round if one.gold is not None]
        if gold:
            found.append(
                GoldOfRound(
                    round_.name,
                    round_.kind,
                    len(of_round),
                    Counter(one.state for one in gold),
                    sum(len(one.contested) for one in gold),
                    sum(one.n_decided for one in gold),
                    Counter(sorted(one.draft.method if one.draft else NO_DRAFT for one in gold)),
                )
            )
    return Adjudication(
        tuple(found),
        comparison,
        _profile_gold(project, with_gold),
        {str(source): sources[source] for source in Source},
        {str(reason): reasons[reason] for reason in Reason},
        {
            one.name: estimate
            for one in rounds
            if (estimate := estimates.get(one.pk)) is not None and (estimate.checked or estimate.unseen)
        },
    )


def _profile_gold(project: Project, with_gold: ProjectAnswers) -> Profile | None:
    """Return what the gold that counts consists of; None where there is none."""
    if GOLD not in with_gold.known_coders:
        return None
    defaults = default_parameters(project.preset, with_gold.answers)
    own = Parameters(chains=defaults.chains, question=with_gold.question.key if with_gold.question else "", coders=GOLD)
    return next(iter(compute_profiles(with_gold, own)), None)
