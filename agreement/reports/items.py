"""Where coders disagree: the units by their share of the observed disagreement, and each pair of coders on one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

import numpy as np

from agreement.extract import Extract, Place
from agreement.measures import (
    RELATIONS,
    SET_DISTANCES,
    distance,
    relation,
    relation_counts,
)
from agreement.measures.options import Options
from agreement.measures.overlaps import Pairable
from agreement.measures.tables import unit_terms
from agreement.measures.values import Bools, Floats, Ints, Value, without
from agreement.parameters import Parameters, WrongParameter
from agreement.reports.basis import (
    categories_of,
    coders_of,
    conventions_of,
    data_of,
    distance_of,
    effective,
    keep,
    kept,
    texts_of,
)

AMBIGUITY = ("explicit", "implicit", "either")
SORTS = ("share", "values", "text")


@dataclass(frozen=True, slots=True)
class Filters:
    """Which items are shown, and in which order. Empty: all. Raises WrongParameter."""

    relation: str = ""
    level: str = ""
    category: str = ""
    ambiguity: str = ""
    flag: str = ""
    sort: str = "share"

    def __post_init__(self) -> None:
        allowed = {"relation": RELATIONS, "ambiguity": AMBIGUITY, "flag": ("set",), "sort": SORTS}
        for name, choices in allowed.items():
            value = getattr(self, name)
            if value not in choices and (value or name == "sort"):
                raise WrongParameter(name, f"{value!r} is not one of {', '.join(choices)}.")

    def query(self) -> dict[str, str]:
        """Those that are set, for an address."""
        found = {name: getattr(self, name) for name in ("relation", "level", "category", "ambiguity", "flag")}
        found["sort"] = "" if self.sort == "share" else self.sort
        return {name: value for name, value in found.items() if value}


@dataclass(frozen=True, eq=False)
class Items:
    """The units that two coders or more judged, a row of each array for a unit, in the order of the data.

    `relations` (units, RELATIONS) counts pairs of coders. `explicit` is the number of coders who marked several
    antecedents or indices; `camps` says where coders split into camps and none of them marked any ambiguity.
    `categories` (units, categories of the scheme) says who gave what.
    """

    texts: Sequence[Place]
    text: Ints
    unit: Ints
    share: Floats
    observed: Floats
    n_coders: Ints
    n_values: Ints
    relations: Ints
    explicit: Ints
    camps: Bools
    categories: Ints
    level: Sequence[str]
    names: Sequence[str]

    def chosen(self, filters: Filters, flagged: frozenset[int] = frozenset()) -> Ints:
        """The rows that the filters let through, in their order. Raises WrongParameter for names that are not there."""
        keep = np.ones(len(self.unit), dtype=np.bool_)
        if filters.relation:
            keep &= self.relations[:, RELATIONS.index(filters.relation)] > 0
        if filters.level:
            if filters.level not in self.level:
                raise WrongParameter("level", f"there is no item of a level {filters.level!r}.")
            keep &= np.array([level == filters.level for level in self.level], dtype=np.bool_)
        if filters.category:
            if filters.category not in self.names:
                raise WrongParameter("category", f"{filters.category!r} is not one of {', '.join(self.names)}.")
            keep &= self.categories[:, list(self.names).index(filters.category)] > 0
        if filters.ambiguity:
            explicit = self.explicit > 0
            keep &= {"explicit": explicit, "implicit": self.camps, "either": explicit | self.camps}[filters.ambiguity]
        if filters.flag:
            keep &= np.isin(self.unit, list(flagged))
        rows = np.flatnonzero(keep)
        by = {"share": -self.share, "values": -self.n_values, "text": np.arange(len(self.unit))}[filters.sort]
        return rows[np.argsort(by[rows], kind="stable")]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two coders on one unit."""

    first: str
    second: str
    relation: str
    distances: dict[str, float]


@dataclass(frozen=True, slots=True)
class ItemReport:
    """One unit: every coder's value, and every pair of coders."""

    text: Place
    unit: int
    key: str
    values: dict[str, Value | None]
    pairs: tuple[Pair, ...]


def items(extract: Extract, parameters: Parameters) -> Items:
    """The units that two coders or more judged. Raises WrongParameter."""
    parameters = effective(extract, parameters)
    return kept(extract, ("items", parameters), lambda: _items(extract, parameters))


def _items(extract: Extract, parameters: Parameters) -> Items:
    """The items of all texts together; those of a text are found once for its answers."""
    texts = texts_of(extract, parameters)
    key = ("items", replace(parameters, texts="", rounds=""), coders_of(extract, parameters), extract.coders)
    there: dict[int, _OfText] = {text.pk: text.answers.kept[key] for text in texts if key in text.answers.kept}
    missing = [text for text in texts if text.pk not in there]
    for text, found in zip(missing, _of_texts(extract, parameters, missing) if missing else [], strict=True):
        there[text.pk] = keep(text.answers, key, found)
    parts = [there[text.pk] for text in texts]
    terms = np.concatenate([np.zeros(0), *(one.term for one in parts)])
    coders = _joined([one.n_coders for one in parts])
    total, n = sum(terms.tolist()), int(coders.sum()) if parameters.is_alpha else len(coders)
    return Items(
        texts=texts,
        text=np.repeat(np.arange(len(texts)), [len(one.unit) for one in parts]),
        unit=_joined([one.unit for one in parts]),
        share=terms / total if total else np.zeros(len(terms)),
        observed=terms / n if n else terms,
        n_coders=coders,
        n_values=_joined([one.n_values for one in parts]),
        relations=np.concatenate([np.zeros((0, len(RELATIONS)), dtype=np.int64), *(one.relations for one in parts)]),
        explicit=_joined([one.explicit for one in parts]),
        camps=np.concatenate([np.zeros(0, dtype=np.bool_), *(one.camps for one in parts)]),
        categories=np.concatenate(
            [np.zeros((0, len(extract.categories)), dtype=np.int64), *(one.categories for one in parts)]
        ),
        level=[level for one in parts for level in one.level],
        names=extract.categories,
    )


@dataclass(frozen=True, slots=True)
class _OfText:
    """The items of one text; `term` is what each adds to the sum of observed distances."""

    unit: Ints
    term: Floats
    n_coders: Ints
    n_values: Ints
    relations: Ints
    explicit: Ints
    camps: Bools
    categories: Ints
    level: list[str]


def _of_texts(extract: Extract, parameters: Parameters, texts: Sequence[Place]) -> list[_OfText]:
    data = data_of(extract, parameters, texts)
    drop = not parameters.is_alpha and parameters.missing == "drop"
    pairable = Pairable.of(data, max(len(data.coders), 2) if drop else 2)
    rows, judged = pairable.rows, pairable.coders
    terms = np.array(unit_terms(pairable, Options(distance_of(parameters), **conventions_of(parameters))))
    if not parameters.is_alpha:  # a unit counts alike in a kappa, however many judged it
        terms = terms / judged
    categories = categories_of(extract, parameters, texts)
    given = _given(categories.codes, [extract.categories.index(name) for name in categories.labels], extract.categories)
    explicit = _several(texts, data.units, data.coders)[rows]
    distinct, second = _camps(pairable.codes)
    camps = (explicit == 0) & (second >= np.where(judged < 4, 1, np.maximum(2, judged / 4)))
    units = np.array([data.units[row] for row in rows.tolist()], dtype=np.int64)
    relations, level = relation_counts(data)[rows], _levels(texts, data.units, rows)
    cuts = np.searchsorted(pairable.documents, np.arange(len(texts) + 1)).tolist()
    return [
        _OfText(
            units[a:b],
            terms[a:b],
            judged[a:b],
            distinct[a:b],
            relations[a:b],
            explicit[a:b],
            camps[a:b],
            given[rows[a:b]],
            level[a:b],
        )
        for a, b in pairwise(cuts)
    ]


def _joined(arrays: list[Ints]) -> Ints:
    return np.concatenate([np.zeros(0, dtype=np.int64), *arrays])


def _given(codes: Ints, number: list[int], names: Sequence[str]) -> Ints:
    """How many coders gave each category of the scheme to each unit."""
    counts = np.zeros((len(codes), len(names)), dtype=np.int64)
    for code, column in enumerate(number):
        counts[:, column] = (codes == code).sum(axis=1)
    return counts


def _several(texts: Sequence[Place], units: Sequence[object], coders: Sequence[object]) -> Ints:
    """How many coders gave each unit several antecedents or indices."""
    counted: dict[object, int] = {}
    for text in texts:
        for work in text.answers.work:
            if work.coder in coders and len(work.link_of):
                for place in work.unit[np.flatnonzero(np.bincount(work.link_of) > 1)].tolist():
                    unit = text.answers.units[place]
                    counted[unit] = counted.get(unit, 0) + 1
    return np.array([counted.get(unit, 0) for unit in units], dtype=np.int64)


def _camps(codes: Ints) -> tuple[Ints, Ints]:
    """For each unit the number of distinct values, and how many coders hold the second most frequent."""
    n = len(codes)
    rows, columns = np.nonzero(codes >= 0)
    width = int(codes.max(initial=0)) + 1
    kinds, counts = np.unique(rows * width + codes[rows, columns], return_counts=True)
    row = kinds // width
    order = np.lexsort((-counts, row))
    row, counts = row[order], counts[order]
    distinct = np.bincount(row, minlength=n)
    begins = np.cumsum(distinct) - distinct
    second = np.zeros(n, dtype=np.int64)
    several = distinct > 1
    second[several] = counts[begins[several] + 1]
    return distinct, second


def _levels(texts: Sequence[Place], units: Sequence[object], rows: Ints) -> list[str]:
    """The level of each unit, with which its key begins."""
    level: dict[object, str] = {
        unit: key.partition(":")[0]
        for text in texts
        for unit, key in zip(text.answers.units, text.answers.keys, strict=False)
    }
    return [level[units[row]] for row in rows.tolist()]


def item(extract: Extract, parameters: Parameters, text_slug: str, key: str) -> ItemReport | None:
    """One unit with every coder's value; None where the text or the unit is not there. Raises WrongParameter.

    The relation of two values and, unless `exclude_unit` is "none", their distances are without the unit.
    """
    parameters = effective(extract, parameters)
    text = extract.place(text_slug)
    keys = text.answers.keys[: len(text.answers.units)] if text else ()
    if text is None or key not in keys:
        return None
    unit = text.answers.units[keys.index(key)]
    data = data_of(extract, replace(parameters, without=""), [text])
    codes = dict(zip(data.coders, data.codes[list(data.units).index(unit)].tolist(), strict=True))
    values = {
        work.coder: data.value(codes[work.coder]) if codes.get(work.coder, -1) >= 0 else None
        for work in sorted(text.answers.work, key=lambda work: work.coder)
        if work.coder in codes or work.coder not in extract.coders
    }
    judged = [(coder, value) for coder, value in values.items() if value is not None]
    pairs = tuple(
        Pair(first, second, relation(a, b, unit), _distances(a, b, unit, parameters))
        for (first, a), (second, b) in combinations(judged, 2)
    )
    return ItemReport(text, unit, key, values, pairs)


def _distances(a: Value, b: Value, unit: int, parameters: Parameters) -> dict[str, float]:
    if parameters.exclude_unit != "none":
        a, b = without(a, unit), without(b, unit)
    return {name: distance(a, b, name, empty=parameters.empty, thirds=parameters.thirds) for name in SET_DISTANCES}


def counted(relations: Sequence[int]) -> Mapping[str, int]:
    """How many pairs of coders stand in each relation, without those that none does."""
    return {name: count for name, count in zip(RELATIONS, relations, strict=True) if count}
