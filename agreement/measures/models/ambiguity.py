"""Rank units by the probability that a disagreement is real ambiguity and not a slip."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..data.inputs import Data, as_data
from ..data.reliability_data import check_known_coders
from ..results import TOO_FEW_CODERS, Figure, Point, format_defined, pluralize
from ..values import Ints
from .reading_groups import MIN_IN_CAMPS, fit_two_readings, group_readings, split_into_camps

# So many readings, all alike, a markable could have that is or may be in a chain: a slip gives any of them.
READINGS_OF_CHAINS = 5.0
MAX_ALTERNATIVES = 1e9


@dataclass(frozen=True)
class UnitReadings:
    """The readings of a unit, and the probability that it has two.

    `posterior` is the probability that it has. `groups` are the coders who give the same reading, those of most coders
    first, and `probabilities` says of each group how probable its reading is one that is meant. `camps` is the rule of
    camps on these groups. `explicit` counts the coders who gave several readings themselves; they are in no group.
    """

    unit: Hashable
    document: Hashable
    posterior: float
    groups: tuple[tuple[Hashable, ...], ...]
    probabilities: tuple[float, ...]
    camps: bool
    explicit: int

    @property
    def verdict(self) -> str:
        """The likely cause of a disagreement: "ambiguous" or "slip"; empty where coders agree."""
        if len(self.groups) < 2:
            return ""
        return "ambiguous" if self.posterior >= 0.5 else "slip"

    def to_dict(self) -> dict[str, object]:
        """Return the fields and the verdict."""
        groups, probabilities = [list(coders) for coders in self.groups], list(self.probabilities)
        return {**vars(self), "groups": groups, "probabilities": probabilities, "verdict": self.verdict}


@dataclass(frozen=True, repr=False)
class Ambiguity(Figure):
    """The units, most probably ambiguous first, equal ones in the order of the data.

    `prevalence` is the share of ambiguous units, and `skills` says of each coder how often the answer is a reading that
    is meant; both are estimates, and None, with a note, where no unit was judged by two coders. `model` is
    "dawid-skene" of labels and "mention-pair" where values are sets. `converged` says whether fitting came to an end.
    """

    units: tuple[UnitReadings, ...]
    prevalence: float | None
    skills: Mapping[Hashable, float]
    model: str
    alternatives: float
    rounds: int
    converged: bool
    left_out: Mapping[str, int] = field(default_factory=dict)
    note: str = ""
    axis = "answers that are meant"

    @property
    def value(self) -> float | None:
        """The share of ambiguous units."""
        return self.prevalence

    def to_dict(self) -> dict[str, object]:
        """Return the fields, the units as dictionaries."""
        return {**super().to_dict(), "units": [unit.to_dict() for unit in self.units]}

    def __repr__(self) -> str:
        text = f"{pluralize(len(self.units), 'unit')}: {self._count('ambiguous')} likely ambiguous"
        return f"<{text}, {self._count('slip')} likely slips{f'; {self.note}' if self.note else ''}>"

    def _count(self, verdict: str) -> int:
        return sum(unit.verdict == verdict for unit in self.units)

    def _rows(self) -> Mapping[str, object]:
        return {
            "units": len(self.units),
            "likely ambiguous": self._count("ambiguous"),
            "likely slips": self._count("slip"),
            "share of ambiguous units": format_defined(self.prevalence),
            **{f"skill of {coder}": format_defined(skill) for coder, skill in self.skills.items()},
            **{f"units {reason}": count for reason, count in self.left_out.items()},
            "note": self.note,
        }

    def _points(self) -> Sequence[Point]:
        return [Point(str(coder), skill) for coder, skill in self.skills.items()]


def ambiguity(data: Data, *, alternatives: float | None = None) -> Ambiguity:
    """Return the units by their probability of ambiguity, from a model of the skills of coders.

    Coders who mean the same by a unit are one group: who give the same label, or sets that are near by the distance of
    Jaccard without the unit. A unit has one reading or, with a probability that is estimated, two; of an ambiguous one
    each coder takes the one or the other (.3, .5 or .7 of them the first). A coder gives the reading taken with the own
    skill, and else any other of the `alternatives`, which are the categories, or 5 where values are sets. Skills and
    the share of ambiguous units are fitted by EM, with priors worth ten answers (eight right) and a hundred units (ten
    ambiguous); the posterior of a unit is the probability of two readings. With one reading it is the model of Dawid &
    Skene 1979 with one parameter a coder, and of chains that of mention pairs (Paun et al. 2018): a reading is a
    mention with those that it is in a chain with, sensitivity is skill, and specificity is 1 - (1 - skill) /
    (alternatives - 1) for each pair alike.

    With simulated coders of differing skill it ranks ambiguous units better than the rule of camps, by the area under
    the curve, of labels and of chains and with 3, 6 and 18 coders (docs/benchmarks-models.md). Where some categories
    are confused with each other it flags too much, and the order is still the better one. Of two or three coders it
    knows little more than whether they differ.

    Units that fewer than two coders judged are left out; who gives several readings is counted, and in no group.
    Raises ValueError for counts, a single coder, and fewer than two alternatives or more than a billion.

    >>> split, slip = ["a", "a", "a", "b", "b", "b"], ["a", "a", "a", "a", "a", "b"]
    >>> found = ambiguity([["a"] * 6, ["b"] * 6, ["c"] * 6, slip, split] * 5)
    >>> found
    <25 units: 5 likely ambiguous, 5 likely slips>
    >>> found.units[0].unit, found.units[0].groups, found.units[0].verdict
    (4, ((0, 1, 2), (3, 4, 5)), 'ambiguous')
    """
    data = as_data(data)
    check_known_coders(data)
    if len(data.coders) < 2:
        there = "there is 1 coder" if data.coders else "there are no coders"
        raise ValueError(f"{there}: it takes two who may differ, better four")
    if alternatives is None:
        alternatives = READINGS_OF_CHAINS if data.has_sets else float(max(len(data.labels), 2))
    if not 2 <= alternatives <= MAX_ALTERNATIVES:
        raise ValueError(f"alternatives is {alternatives}: a unit has two possible readings or more, up to a billion")
    readings = group_readings(data)
    left_out = len(data.units) - len(readings.rows)
    fitted = fit_two_readings(readings.groups, alternatives)
    camps, judged = split_into_camps(readings.groups), np.flatnonzero((readings.groups >= 0).any(axis=0))
    order = np.argsort(-fitted.posterior, kind="stable")
    n_groups = (readings.groups.max(axis=1, initial=-1) + 1).tolist()
    return Ambiguity(
        units=tuple(
            UnitReadings(
                unit=data.units[readings.rows[place]],
                document=data.documents[data.document_of_unit[readings.rows[place]]],
                posterior=float(fitted.posterior[place]),
                groups=tuple(
                    tuple(data.coders[coder] for coder in np.flatnonzero(readings.groups[place] == group).tolist())
                    for group in range(n_groups[place])
                ),
                # the smallest of very many groups are no readings
                probabilities=(*fitted.of_group[place].tolist(), *[0.0] * n_groups[place])[: n_groups[place]],
                camps=bool(camps[place]),
                explicit=int(readings.explicit[place]),
            )
            for place in order.tolist()
        ),
        prevalence=fitted.prevalence if len(readings.rows) else None,
        skills={data.coders[column]: float(fitted.skill[column]) for column in judged.tolist()},
        model="mention-pair" if data.has_sets else "dawid-skene",
        alternatives=float(alternatives),
        rounds=len(fitted.objectives) - 1,
        converged=fitted.converged,
        left_out={TOO_FEW_CODERS: left_out} if left_out else {},
        note=_note(readings.groups, fitted.converged),
    )


def _note(groups: Ints, converged: bool) -> str:
    if not len(groups):
        return "no unit is coded by two coders"
    notes = []
    if (groups >= 0).sum(axis=1).max() < MIN_IN_CAMPS:
        notes.append("of two or three coders who differ nobody can tell whether the unit is ambiguous")
    if not converged:
        notes.append("fitting did not come to an end")
    return "; ".join(notes)
