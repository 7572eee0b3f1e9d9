"""Whether two coders link the same markables by a relation: kappa over all links that there could be."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from agreement.data.answers.answers import NOT_ASKED, CoderAnswers
from agreement.data.answers.contents import TextEntry
from agreement.data.answers.question import Question
from agreement.data.extract.extract import Extract
from agreement.measures.values import Bools, Ints
from agreement.reports.request.basis import cached, pick_texts, select_data
from agreement.reports.request.parameters import Parameters
from agreement.reports.request.resolution import resolve
from annotations.formats.model.keys import parse_key


@dataclass(frozen=True, slots=True)
class LinkKappa:
    """Cohen's kappa of two coders, each link of a markable to a possible target decided as given or not.

    `n_units` markables were asked of both; of `n_links` possible links of theirs `both` gave some, others one alone.
    """

    first: str
    second: str
    n_units: int
    n_links: int
    both: int
    only_first: int
    only_second: int

    @property
    def value(self) -> float | None:
        """Kappa; None where both decide all links alike, so that chance would agree as well."""
        neither = self.n_links - self.both - self.only_first - self.only_second
        apart = self.only_first + self.only_second
        chance = (self.both + self.only_first) * (self.only_first + neither)
        chance += (self.both + self.only_second) * (self.only_second + neither)
        return 1 - self.n_links * apart / chance if chance else None

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that the API and the command give."""
        return {**asdict(self), "value": self.value}


def compute_link_kappas(extract: Extract, parameters: Parameters) -> list[LinkKappa]:
    """Return the kappa of links of each two coders; nothing where no relation is asked for. Raises InvalidParameter.

    Possible targets of a markable are those of the levels that the relation leads to, but for itself, and those before
    it in the text unless later ones may be meant.
    """
    extract, parameters = resolve(extract, parameters)
    question = extract.question
    if question is None or extract.kind != "targets":
        return []
    return cached(extract, ("links", parameters), lambda: _compute(extract, parameters, question))


def _compute(extract: Extract, parameters: Parameters, question: Question) -> list[LinkKappa]:
    units = np.array(select_data(extract, parameters).units, dtype=np.int64)
    counts: dict[tuple[str, str], Ints] = {}
    for text in pick_texts(extract, parameters):
        answers = text.answers
        possible = _count_targets(text, question)
        chosen = np.isin(np.array(answers.units, dtype=np.int64), units)
        not_asked = extract.categories.index(NOT_ASKED) if NOT_ASKED in extract.categories else -1
        for a, b in combinations(sorted(answers.coder_answers, key=lambda one: one.coder), 2):
            asked = chosen & _asked(a, len(chosen), not_asked) & _asked(b, len(chosen), not_asked)
            found = _compare(a, b, asked, possible, len(answers.keys))
            counts[a.coder, b.coder] = counts.get((a.coder, b.coder), np.zeros_like(found)) + found
    return [LinkKappa(*pair, *map(int, found)) for pair, found in sorted(counts.items()) if found[0]]


def _asked(one: CoderAnswers, n: int, not_asked: int) -> Bools:
    asked = np.zeros(n, dtype=np.bool_)
    asked[one.unit[one.category != not_asked]] = True
    return asked


def _compare(a: CoderAnswers, b: CoderAnswers, asked: Bools, possible: Ints, width: int) -> Ints:
    """Return the numbers of units, of possible links, of those of both, of the first alone and of the second alone."""
    given = []
    for one in (a, b):
        unit = one.unit[one.link_of]
        links = np.unique(unit * width + one.link_to)
        given.append(links[asked[links // width]])
    both = int(np.isin(given[0], given[1]).sum())
    # what was given counts as possible, also where the scheme has changed since
    of_unit = np.bincount(np.union1d(*given) // width, minlength=len(asked))
    n_links = int(np.maximum(possible, of_unit)[asked].sum())
    return np.array([asked.sum(), n_links, both, len(given[0]) - both, len(given[1]) - both], dtype=np.int64)


def _count_targets(text: TextEntry, question: Question) -> Ints:
    """Return how many possible targets each unit has. They are counted once for a text."""
    answers = text.answers

    def compute() -> Ints:
        order = np.array([_text_place(key) for key in answers.keys], dtype=np.int64)
        target = np.array([key.partition(":")[0] in question.to_levels for key in answers.keys], dtype=np.bool_)
        own, n_units = target[: len(answers.units)].astype(np.int64), len(answers.units)
        if question.later:
            return target.sum() - own
        return np.searchsorted(np.sort(order[target]), order[:n_units], side="right") - own

    return cached(text.content, ("targets", question), compute)


def _text_place(key: str) -> int:
    """Return a number that is greater for what stands later in the text; what is longer stands before what it holds."""
    place = parse_key(key)
    if place is None:
        raise ValueError(f"{key!r} is no key of a markable")
    return (place.parts[0][0] << 32) - place.parts[-1][1]
