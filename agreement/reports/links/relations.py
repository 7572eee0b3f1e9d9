"""Whether two coders link the same markables by a relation: kappa over all links that there could be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from agreement.data.columns import NO_CATEGORY, NOT_ASKED, CodingAnswers
from agreement.data.documents import Document
from agreement.data.keys import read_keys
from agreement.data.project_answers import ProjectAnswers
from agreement.data.question import Question
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


def compute_link_kappas(extract: ProjectAnswers, parameters: Parameters) -> list[LinkKappa]:
    """Return the kappa of links of each two coders; nothing where no relation is asked for. Raises InvalidParameter.

    Possible targets of a markable are those of the levels that the relation leads to, but for itself, and those before
    it in the text unless later ones may be meant.
    """
    extract, parameters = resolve(extract, parameters)
    question = extract.question
    if question is None or extract.kind != "targets":
        return []
    return cached(extract, ("links", parameters), lambda: _compute(extract, parameters, question))


def _compute(answers: ProjectAnswers, parameters: Parameters, question: Question) -> list[LinkKappa]:
    units = np.array(select_data(answers, parameters).units, dtype=np.int64)
    counts: dict[tuple[str, str], Ints] = {}
    texts = pick_texts(answers, parameters)
    targets = _count_targets(answers, texts, question)
    not_asked = answers.categories.index(NOT_ASKED) if NOT_ASKED in answers.categories else NO_CATEGORY
    for text, possible in zip(texts, targets, strict=True):
        codings = sorted(answers.codings_in([text]), key=lambda one: one[1])
        asked = [_find_asked(coding, units, len(possible), not_asked) for _, _, coding in codings]
        for (a, first), (b, second) in combinations(enumerate(codings), 2):
            found = _compare(first[2], second[2], asked[a] & asked[b], possible)
            pair = first[1], second[1]
            counts[pair] = counts.get(pair, np.zeros_like(found)) + found
    return [LinkKappa(*pair, *map(int, found)) for pair, found in sorted(counts.items()) if found[0]]


def _find_asked(coding: CodingAnswers, units: Ints, n: int, not_asked: int) -> Bools:
    """Return of which units of a document the question was asked, among those that are compared."""
    asked = np.zeros(n, dtype=np.bool_)
    category = coding.marks["category"]
    asked[coding.marks["unit"][(category != NO_CATEGORY) & (category != not_asked)]] = True
    asked &= np.isin(coding.members["key"][:n], units)
    return asked


def _compare(a: CodingAnswers, b: CodingAnswers, asked: Bools, possible: Ints) -> Ints:
    """Return the numbers of units, of possible links, of those of both, of the first alone and of the second alone."""
    given, width = [], len(a.members)
    for one in (a, b):
        unit = one.marks["unit"][one.links["of"]].astype(np.int64)
        links = np.unique(unit * width + one.links["to"])
        given.append(links[asked[links // width]])
    both = int(np.isin(given[0], given[1]).sum())
    # what was given counts as possible, also where the scheme has changed since
    of_unit = np.bincount(np.union1d(*given) // width, minlength=len(asked))
    n_links = int(np.maximum(possible, of_unit)[asked].sum())
    return np.array([asked.sum(), n_links, both, len(given[0]) - both, len(given[1]) - both], dtype=np.int64)


def _count_targets(answers: ProjectAnswers, texts: Sequence[Document], question: Question) -> list[Ints]:
    """Return how many possible targets each unit of each text has."""
    chosen, keys = answers.restrict(texts).columns, read_keys(texts)
    levels = [place for place, level in enumerate(answers.levels) if level in question.to_levels]
    ends, counts = np.cumsum(chosen.n_members).tolist(), []
    for end, size, n_units in zip(ends, chosen.n_members.tolist(), chosen.documents["units"].tolist(), strict=True):
        members = chosen.members[end - size : end]
        target = np.isin(members["level"], levels)
        own = target[:n_units].astype(np.int64)
        if question.later:
            counts.append(target.sum() - own)
            continue
        order = np.array([_text_place(keys[key]) for key in members["key"].tolist()], dtype=np.int64)
        counts.append(np.searchsorted(np.sort(order[target]), order[:n_units], side="right") - own)
    return counts


def _text_place(key: str) -> int:
    """Return a number that is greater for what stands later in the text; what is longer stands before what it holds."""
    place = parse_key(key)
    if place is None:
        raise ValueError(f"{key!r} is no key of a markable")
    return (place.parts[0][0] << 32) - place.parts[-1][1]
