"""Coders who choose among the readings of a unit, of which one is right, or two: fitted by EM."""

from dataclasses import dataclass
from math import log

import numpy as np

from ..data.cells import MISSING
from ..values import Floats, Ints

# An ambiguous unit is read in the first way by one of these shares of coders, in the second by the rest.
SHARES = np.array([0.3, 0.5, 0.7])
# Only the largest groups of a unit may be what it means.
MOST_GROUPS = 8
# What is known before, as answers and units: eight of ten answers are right, and a tenth of the units is ambiguous.
RIGHT, WRONG = 8.0, 2.0
AMBIGUOUS, CLEAR = 10.0, 90.0
# Fitting ends where no parameter moves by more than this, or after so many rounds.
TOLERANCE, MOST_ROUNDS = 1e-5, 200


@dataclass(frozen=True, eq=False)
class Fit:
    """What was fitted.

    `posterior` is the probability of each unit to have two readings, `of_group` that of each of its first groups to be
    one, (units, groups). `skill` is how often each coder gives a reading that is meant, `prevalence` the share of
    ambiguous units, and `objectives` the logarithm of what was made as large as could be, before each round.
    """

    posterior: Floats
    of_group: Floats
    skill: Floats
    prevalence: float
    objectives: tuple[float, ...]
    converged: bool


@dataclass(frozen=True, eq=False)
class _Expected:
    """The probabilities of what the units mean, given the parameters, and the log probability of all answers.

    `one` is of a group as the only reading, (units, groups); `shared` of it as one of two that is read in each of
    SHARES, (units, groups, shares).
    """

    one: Floats
    shared: Floats
    posterior: Floats
    log_probability: float


def fit_two_readings(groups: Ints, alternatives: float) -> Fit:
    """Fit the skill of each coder and the share of ambiguous units.

    `groups` has that of each judgement, (units, coders), numbered in each unit from 0, -1 where it is missing. A unit
    has `alternatives` possible readings, of which one is meant, or two, all alike. A coder takes one of those meant (of
    two the first in one of SHARES), and gives it with the own skill, else any other alike.
    """
    # of coders there are few ways to differ, however many units there are: equal rows mean the same
    patterns, place, weights = np.unique(groups, axis=0, return_inverse=True, return_counts=True)
    state = _Model(patterns, weights, alternatives)
    skill = np.full(groups.shape[1], RIGHT / (RIGHT + WRONG))
    prevalence = AMBIGUOUS / (AMBIGUOUS + CLEAR)
    judged = (groups != MISSING).sum(axis=0)
    objectives: list[float] = []
    moved = np.inf
    while True:
        expected = state.expect(skill, prevalence)
        objectives.append(expected.log_probability + _log_prior(skill, prevalence))
        if moved <= TOLERANCE or len(objectives) > MOST_ROUNDS:
            break
        updated = (state.count_right(expected, skill) + RIGHT) / (judged + RIGHT + WRONG)
        share = float(expected.posterior @ weights + AMBIGUOUS) / (len(groups) + AMBIGUOUS + CLEAR)
        moved = max(float(np.abs(updated - skill).max(initial=0)), abs(share - prevalence))
        skill, prevalence = updated, share
    of_group = expected.one + expected.shared.sum(axis=2)
    posterior, of_group = expected.posterior[place], of_group[place]
    return Fit(posterior, of_group, skill, prevalence, tuple(objectives), moved <= TOLERANCE)


class _Model:
    """The answers, as groups of coders, and what they say of each possible meaning of a unit.

    `weights` says how many units have each row of the groups.
    """

    def __init__(self, groups: Ints, weights: Ints, alternatives: float) -> None:
        self.weights = weights
        self.n_coders = groups.shape[1]
        self.n_groups = min(int(groups.max(initial=0)) + 1, MOST_GROUPS)
        # the judgements that may be a reading: which unit, coder and group
        self.unit, self.coder = np.nonzero((groups != MISSING) & (groups < self.n_groups))
        self.group = groups[self.unit, self.coder]
        self.shape = (len(groups), self.n_groups)
        self.given = groups != MISSING
        there = np.zeros(self.shape, dtype=np.bool_)
        there[self.unit, self.group] = True
        self.absent = np.where(there, 0.0, -np.inf)
        seen = there.sum(axis=1)
        self.alternatives = alternatives
        many = np.maximum(alternatives, seen)
        unseen, pairs = many - seen, many * (many - 1) / 2
        self.log_one = -np.log(many)
        self.log_two = -np.log(pairs * len(SHARES))
        with np.errstate(divide="ignore"):  # where all alternatives were given, none is unseen
            self.log_unseen = np.log(unseen)
            # what nobody gave is meant alone, or two such: all answers are slips
            self.log_unseen_alone = np.log(unseen / many)
            self.log_unseen_both = np.log(np.maximum(unseen * (unseen - 1) / 2, 0) / pairs)
        self.first, self.second = np.triu_indices(self.n_groups, 1)

    def expect(self, skill: Floats, prevalence: float) -> _Expected:
        """Return what the units mean."""
        slip = (1 - skill) / (self.alternatives - 1)
        base = self.given @ np.log(slip)
        one = self._sum_groups(np.log(skill / slip)) + self.absent
        # (units, groups, shares): the same where this share of coders take the group
        shared = np.stack([self._sum_groups(np.log(self._mix(share, skill) / slip)) for share in SHARES], axis=2)
        shared += self.absent[:, :, None]
        one += (self.log_one + log(1 - prevalence))[:, None]
        prior = (self.log_two + log(prevalence))[:, None, None]
        two = shared[:, self.first] + shared[:, self.second, ::-1] + prior
        unseen = shared + prior + self.log_unseen[:, None, None]
        slips = self.log_unseen_alone + log(1 - prevalence), self.log_unseen_both + log(prevalence)
        largest = np.concatenate([one, unseen.max(axis=2), two.max(axis=2), np.stack(slips, axis=1)], axis=1)
        top = largest.max(axis=1)
        one, two, unseen = (np.exp(part - top.reshape(-1, *[1] * (part.ndim - 1))) for part in (one, two, unseen))
        alone, both = (np.exp(part - top) for part in slips)
        posterior = two.sum(axis=(1, 2)) + unseen.sum(axis=(1, 2)) + both
        total = one.sum(axis=1) + alone + posterior
        for pair, (a, b) in enumerate(zip(self.first.tolist(), self.second.tolist(), strict=True)):
            unseen[:, a] += two[:, pair]
            unseen[:, b] += two[:, pair, ::-1]
        return _Expected(
            one / total[:, None],
            unseen / total[:, None, None],
            posterior / total,
            float((base + top + np.log(total)) @ self.weights),
        )

    def count_right(self, expected: _Expected, skill: Floats) -> Floats:
        """Return how many answers of each coder are what the coder took a unit to mean."""
        right = expected.one[self.unit, self.group]
        own = skill[self.coder]
        for number, share in enumerate(SHARES):
            right += expected.shared[self.unit, self.group, number] * share * own / self._mix(share, skill)[self.coder]
        return np.bincount(self.coder, weights=right * self.weights[self.unit], minlength=self.n_coders)

    def _mix(self, share: float, skill: Floats) -> Floats:
        """Return how probable it is to give a reading that is taken by this share: by skill, or by a slip."""
        mixed: Floats = share * skill + (1 - share) * (1 - skill) / (self.alternatives - 1)
        return mixed

    def _sum_groups(self, weights: Floats) -> Floats:
        """Return the sum of the coders' weights in each group of each unit."""
        places = self.unit * self.n_groups + self.group
        sums = np.bincount(places, weights=weights[self.coder], minlength=self.shape[0] * self.n_groups)
        return sums.reshape(self.shape).astype(np.float64)  # of no judgements they are integers


def _log_prior(skill: Floats, prevalence: float) -> float:
    """Return the logarithm of what is known of the parameters before, but for a constant."""
    of_skill = RIGHT * np.log(skill) + WRONG * np.log(1 - skill)
    return float(of_skill.sum()) + AMBIGUOUS * log(prevalence) + CLEAR * log(1 - prevalence)
