"""Where coders disagree: the units by their share of the observed disagreement, and each pair of coders on one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from types import EllipsisType
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from agreement.data.documents import NEXT_DOCUMENT, Document
from agreement.data.given_answers import CoderMarks
from agreement.data.keys import read_keys
from agreement.data.project_answers import ProjectAnswers
from agreement.measures import RELATIONS, ReliabilityData, distance, relation, relation_counts
from agreement.measures.coefficients.augmented import unit_agreements
from agreement.measures.models.camps import count_camps, split_into_camps
from agreement.measures.sums.overlaps import PairableUnits
from agreement.measures.sums.tables import unit_disagreements
from agreement.measures.sums.totals import exact_sum
from agreement.measures.values import Bools, Floats, Ints, Readings, Value, remove_unit
from agreement.reports.coefficients import COEFFICIENTS
from agreement.reports.request.basis import (
    cached,
    comparison,
    count_names,
    distances_of,
    pairable_units,
    pick_texts,
    remembered,
    select_categories,
    select_data,
)
from agreement.reports.request.parameters import InvalidParameter, Parameters
from agreement.reports.request.resolution import resolve

# What a model of coders says of an item on which they differ.
VERDICTS = ("ambiguous", "slip")
AMBIGUITY = ("explicit", "implicit", "either", *VERDICTS)
SORTS = ("share", "values", "links", "text", "ambiguity")
MARKS = ("flag", "note", "unsure")
# A row, some, or all.
type Rows = int | Ints | EllipsisType
# Shares that differ by less are equal: they were summed in another order.
SHARE_DIGITS = 12


@dataclass(frozen=True)
class ItemMarks:
    """The markables that somebody flagged, and the units of which a coder wrote a note, or was unsure.

    What coders marked is read when it is asked for.
    """

    flag: frozenset[int] = frozenset()
    read_coder_marks: Callable[[], CoderMarks] = CoderMarks

    @cached_property
    def _of_coders(self) -> CoderMarks:
        return self.read_coder_marks()

    @property
    def note(self) -> frozenset[int]:
        return self._of_coders.note

    @property
    def unsure(self) -> frozenset[int]:
        return self._of_coders.unsure


@dataclass(frozen=True, eq=False)
class RankedReadings:
    """What a model says of each item: the probability of two readings, -1 where there is none, and the verdict.

    `reason` says why it says nothing.
    """

    posterior: Floats
    verdict: NDArray[np.str_]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ItemFilters:
    """Which items are shown, and in which order. Empty: all. Raises InvalidParameter."""

    relation: str = ""
    level: str = ""
    category: str = ""
    ambiguity: str = ""
    text: str = ""
    flag: str = ""
    note: str = ""
    unsure: str = ""
    sort: str = "share"

    def __post_init__(self) -> None:
        allowed = {"relation": RELATIONS, "ambiguity": AMBIGUITY, "sort": SORTS} | dict.fromkeys(MARKS, ("set",))
        for name, choices in allowed.items():
            value = getattr(self, name)
            if value not in choices and (value or name == "sort"):
                raise InvalidParameter(name, f"{value!r} is not one of {', '.join(choices)}.")

    def read_ranked(self, ranked: RankedReadings | None) -> RankedReadings:
        """Return what the model says, as filters or order need it. Raises InvalidParameter if it says nothing."""
        if ranked is None or ranked.reason:
            name = "ambiguity" if self.ambiguity in VERDICTS else "sort"
            raise InvalidParameter(name, ranked.reason if ranked else "the items are not ranked by a model here.")
        return ranked

    def query(self) -> dict[str, str]:
        """Return the filters that are set, for an address."""
        values = {name: getattr(self, name) for name in ("relation", "level", "category", "ambiguity", "text", *MARKS)}
        values["sort"] = "" if self.sort == "share" else self.sort
        return {name: value for name, value in values.items() if value}


@dataclass(frozen=True, eq=False)
class Items:
    """The units that two coders or more judged, a row of each array for a unit, in the order of the data.

    Each column is computed when it is first asked for: a list of few items needs few of them. A camp has one value in
    common and is two coders or more, and at least a quarter of those who judged the unit. Where fewer than four judged
    it there are none.
    """

    answers: ProjectAnswers
    parameters: Parameters
    texts: Sequence[Document]
    data: ReliabilityData
    pairable: PairableUnits
    orders: dict[str, Ints] = field(default_factory=dict, repr=False)

    @property
    def names(self) -> Sequence[str]:
        """The names of the categories that are counted."""
        return self.answers.countable

    @property
    def text(self) -> Ints:
        """The place of the text of each unit."""
        return self.pairable.documents

    @cached_property
    def unit(self) -> Ints:
        """The key of each unit."""
        return np.array(self.data.units, dtype=np.int64)[self.pairable.rows]

    @cached_property
    def term(self) -> Floats:
        """What each unit adds to the sum of observed distances."""
        if COEFFICIENTS[self.parameters.coefficient].of_labels:
            terms: Floats = 1 - unit_agreements(self.data, missing=self.parameters.missing)
            return terms
        terms = unit_disagreements(self.pairable, comparison(self.parameters))
        # a unit counts alike in a kappa, however many judged it
        return terms if self.parameters.is_alpha else terms / self.n_coders

    @cached_property
    def total(self) -> float:
        """The sum of all terms."""
        return exact_sum(self.term)

    @property
    def observed_divisor(self) -> int:
        """What divides a term, to be its part of the observed disagreement."""
        return int(self.n_coders.sum()) if self.parameters.is_alpha else len(self.n_coders)

    @property
    def distance_divisor(self) -> Ints | int:
        """What divides the term of each unit, to be the mean distance of two coders there."""
        return self.n_coders if self.parameters.is_alpha else 1

    @property
    def n_coders(self) -> Ints:
        """How many coders judged each unit."""
        return self.pairable.coders

    @cached_property
    def n_values(self) -> Ints:
        """How many different values each unit has."""
        return count_camps(self.pairable.codes)[0]

    @cached_property
    def relations(self) -> Ints:
        """How many pairs of coders are in each of RELATIONS: (units, RELATIONS)."""
        return relation_counts(self.data)[self.pairable.rows]

    @cached_property
    def explicit(self) -> Ints:
        """How many coders marked several readings or indices."""
        return self._of_columns(_count_ambiguous)

    @cached_property
    def camps(self) -> Bools:
        """Where coders split into camps and none of them marked any ambiguity."""
        camps: Bools = (self.explicit == 0) & split_into_camps(self.pairable.codes)
        return camps

    @cached_property
    def pointers(self) -> Ints:
        """How many pointers of all coders lead to each unit."""
        return self._of_columns(_count_pointers)

    @cached_property
    def chain(self) -> Ints:
        """The size of the largest chain of each unit, whole, however values are made."""
        pointing = self.answers.kind == "pointers"
        whole = replace(self.parameters, chains="full", top="chain") if pointing else self.parameters
        return _chain_sizes(select_data(self.answers, whole, self.texts))[self.pairable.rows]

    @cached_property
    def categories(self) -> Ints:
        """How many coders gave each category to each unit: (units, `names`)."""
        data = select_categories(self.answers, self.parameters, self.texts)
        return count_names(data, self.names)[self.pairable.rows]

    @cached_property
    def _levels(self) -> tuple[list[str], Ints]:
        return _unit_levels(self.answers, self._of_columns(lambda answers: answers.columns.units["level"]))

    @property
    def level_names(self) -> Sequence[str]:
        """The names of the levels that units have."""
        return self._levels[0]

    @property
    def level(self) -> Ints:
        """The place of the level of each unit among these."""
        return self._levels[1]

    def _of_columns(self, count: Callable[[ProjectAnswers], Ints]) -> Ints:
        """Return of each unit what is counted of all units of the texts."""
        answers = self.answers.restrict(self.texts)
        return count(answers)[_find_units(answers, self.unit)]

    def share_of(self, rows: Rows) -> Floats:
        """Return the shares of some units, or of one, in the observed disagreement of all."""
        shares: Floats = self.term[rows] / (self.total or 1.0)
        return shares

    def observed_of(self, rows: Rows) -> Floats:
        """Return what some units, or one, add to the observed disagreement."""
        observed: Floats = self.term[rows] / (self.observed_divisor or 1)
        return observed

    def distance_of(self, rows: Rows) -> Floats:
        """Return the mean distance of two coders' values of some units, or of one; of a kappa, how often two differ."""
        divisor = self.distance_divisor
        distances: Floats = self.term[rows] / (divisor if isinstance(divisor, int) else divisor[rows])
        return distances

    def highest(self, n: int) -> Ints:
        """Return the first n rows of `select` without filters."""
        return self.order(np.arange(len(self.term)), n)

    def select(
        self, filters: ItemFilters, marks: ItemMarks | None = None, ranked: RankedReadings | None = None
    ) -> Ints:
        """Return the rows that the filters let through, in their order. Raises InvalidParameter for unknown names."""
        rows = self.choose(filters, marks, ranked)
        return self.order(rows, len(rows), filters, ranked)

    def choose(
        self, filters: ItemFilters, marks: ItemMarks | None = None, ranked: RankedReadings | None = None
    ) -> Ints:
        """Return the rows that the filters let through, ascending. Raises InvalidParameter for unknown names."""
        return np.flatnonzero(self._let_through(filters, marks, ranked))

    def order(
        self, rows: Ints, n: int, filters: ItemFilters | None = None, ranked: RankedReadings | None = None
    ) -> Ints:
        """Return the first n of these rows, which are ascending, in the order of the filters.

        Of items with the same share (or number of values) the one on which more links hang comes first, then the one
        that is first in the texts. Raises InvalidParameter where a model does not rank the items.
        """
        sort = filters.sort if filters else "share"
        if sort == "share" and 0 < n < len(rows):  # of many items those alone that can be among the first are ordered
            shares = self.share_of(rows).round(SHARE_DIGITS)
            among = np.flatnonzero(shares >= np.partition(shares, len(shares) - n)[len(shares) - n])
            rows, shares = rows[among], shares[among]
            return rows[order_by_share(shares, self.pointers[rows], self.chain[rows])][:n]
        order = self._order(sort)
        if filters and sort == "ambiguity":
            order = order[np.argsort(-filters.read_ranked(ranked).posterior[order], kind="stable")]
        if len(rows) < len(order):
            chosen = np.zeros(len(order), dtype=np.bool_)
            chosen[rows] = True
            order = order[chosen[order]]
        return order[:n]

    def count(self, filters: ItemFilters, marks: ItemMarks | None = None, ranked: RankedReadings | None = None) -> int:
        """Return how many rows the filters let through. Raises InvalidParameter for unknown names."""
        [*chosen] = filters.query().items()
        if len(chosen) == 1 and chosen[0] in self._counts:
            return self._counts[chosen[0]]
        return int(np.count_nonzero(self._let_through(filters, marks, ranked)))

    @cached_property
    def _counts(self) -> dict[tuple[str, str], int]:
        """How many rows one filter alone lets through, as an address has it, but for those by marks or model.

        All are counted in a few passes over the rows.
        """
        explicit = self.explicit > 0
        levels = np.bincount(self.level, minlength=len(self.level_names))
        of_fields: dict[str, tuple[Sequence[str], Iterable[int]]] = {
            "relation": (RELATIONS, map(np.count_nonzero, self.relations.T)),
            "category": (self.names, map(np.count_nonzero, self.categories.T)),
            "level": (self.level_names, levels),
            "ambiguity": (
                ("explicit", "implicit", "either"),
                map(np.count_nonzero, (explicit, self.camps, explicit | self.camps)),
            ),
        }
        return {
            (field, name): int(count)
            for field, (names, counts) in of_fields.items()
            for name, count in zip(names, counts, strict=True)
        }

    def _let_through(self, filters: ItemFilters, marks: ItemMarks | None, ranked: RankedReadings | None) -> Bools:
        mask = np.ones(len(self.unit), dtype=np.bool_)
        if filters.relation:
            mask &= self.relations[:, RELATIONS.index(filters.relation)] > 0
        if filters.level:
            if filters.level not in self.level_names:
                raise InvalidParameter("level", f"there is no item of a level {filters.level!r}.")
            mask &= self.level == list(self.level_names).index(filters.level)
        if filters.category:
            if filters.category not in self.names:
                raise InvalidParameter("category", f"{filters.category!r} is not one of {', '.join(self.names)}.")
            mask &= self.categories[:, list(self.names).index(filters.category)] > 0
        if filters.ambiguity in VERDICTS:
            mask &= filters.read_ranked(ranked).verdict == filters.ambiguity
        elif filters.ambiguity:
            explicit = self.explicit > 0
            mask &= {"explicit": explicit, "implicit": self.camps, "either": explicit | self.camps}[filters.ambiguity]
        if filters.text:
            slugs = [text.slug for text in self.texts]
            if filters.text not in slugs:
                raise InvalidParameter("text", f"there is no text {filters.text!r} among those compared.")
            mask &= np.isin(self.text, [place for place, slug in enumerate(slugs) if slug == filters.text])
        for name in MARKS:
            if getattr(filters, name):
                units = self.unit.astype(np.int64) % NEXT_DOCUMENT if name == "flag" else self.unit
                mask &= np.isin(units, list(getattr(marks or ItemMarks(), name)))
        return mask

    def _order(self, sort: str) -> Ints:
        """Return all rows in an order, which is found once."""
        if sort in self.orders:
            return self.orders[sort]
        links = (-self.chain, -self.pointers)  # of lexsort the last key is the first, as in `order_by_share`
        orders = {
            "share": (*links, -self.share_of(...).round(SHARE_DIGITS)),
            "values": (*links, -self.n_values),
            "links": links,
            "text": (np.arange(len(self.unit)),),
        }
        orders["ambiguity"] = orders["share"]  # of equal probabilities
        return self.orders.setdefault(sort, np.lexsort(orders[sort]))


@dataclass(frozen=True, slots=True)
class CoderPair:
    """Two coders on one unit."""

    component: ClassVar = "Pair"

    first: str
    second: str
    relation: str
    distances: dict[str, float]


@dataclass(frozen=True, slots=True)
class ItemReport:
    """One unit: every coder's value, and every pair of coders; `units` are those of its text."""

    text: Document
    unit: int
    key: str
    values: dict[str, Value | None]
    pairs: tuple[CoderPair, ...]
    describe: Callable[[Hashable], str]
    units: frozenset[int]
    of_units: bool = True

    @property
    def chains(self) -> dict[str, frozenset[Hashable]]:
        """The sets of units of the coders who have one; of several readings the members of all."""
        if not self.of_units:
            return {}
        return {
            coder: value.members if isinstance(value, Readings) else value
            for coder, value in self.values.items()
            if isinstance(value, frozenset | Readings)
        }


def order_by_share(shares: Floats, pointers: Ints, chain: Ints) -> Ints:
    """Return the order of items: by rounded share, the highest first, then by the links that hang on them."""
    return np.lexsort((-chain, -pointers, -shares))  # of lexsort the last key is the first


def compute_items(extract: ProjectAnswers, parameters: Parameters) -> Items:
    """Return the units that two coders or more judged. Raises InvalidParameter."""
    extract, parameters = resolve(extract, parameters)
    return cached(extract, ("items", parameters), lambda: _combine_items(extract, parameters))


def _combine_items(answers: ProjectAnswers, parameters: Parameters) -> Items:
    """Return the items of all chosen texts."""
    texts = pick_texts(answers, parameters)
    data = select_data(answers, parameters, texts)
    return Items(answers, parameters, texts, data, pairable_units(data, parameters))


def _count_ambiguous(answers: ProjectAnswers) -> Ints:
    """Return how many coders gave each unit several readings or indices."""
    columns = answers.columns
    is_ambiguous = columns.is_judgement & (columns.n_readings > 1)
    is_ambiguous &= answers.column_of_coding[columns.coding_of_mark] >= 0
    return np.bincount(columns.unit_of_mark[is_ambiguous], minlength=len(columns.units))


def _count_pointers(answers: ProjectAnswers) -> Ints:
    """Return how many pointers of the coders lead to each unit; none where coders do not point."""
    columns = answers.columns
    if answers.kind not in ("pointers", "targets"):
        return np.zeros(len(columns.units), dtype=np.int64)
    document = columns.document_of_coding[columns.coding_of_link]
    leads = columns.links["to"] < columns.documents["units"][document]
    leads &= answers.column_of_coding[columns.coding_of_link] >= 0
    target = columns.first_unit[document[leads]] + columns.links["to"][leads]
    return np.bincount(target, minlength=len(columns.units))


def _find_units(answers: ProjectAnswers, units: Ints) -> Ints:
    """Return the place of each unit among those of all texts."""
    keys = answers.columns.units["key"]
    order = np.argsort(keys)
    return order[np.searchsorted(keys, units, sorter=order)]


def _chain_sizes(data: ReliabilityData) -> Ints:
    """Return for each unit the members of the largest set that a coder gave it; 0 where all gave labels."""
    n_labels = len(data.labels)
    sizes = np.concatenate([np.zeros(n_labels + 1, dtype=np.int64), np.diff(data.cells.starts)])
    # one place more, so that a missing value, which is -1, has size 0
    return sizes[data.codes + 1].max(axis=1, initial=0)


def _unit_levels(answers: ProjectAnswers, levels: Ints) -> tuple[list[str], Ints]:
    """Return the names of the levels that units have, and the place of that of each unit among them."""
    distinct, place = np.unique(levels, return_inverse=True)
    names = [answers.levels[number] for number in distinct.tolist()]
    ordered = sorted(names)
    return ordered, np.array([ordered.index(name) for name in names], dtype=np.int64)[place]


def report_item(
    extract: ProjectAnswers, parameters: Parameters, text_slug: str, key: str, round_name: str = ""
) -> ItemReport | None:
    """Return one unit with every coder's value; None where the text or the unit is not there. Raises InvalidParameter.

    Of a text in several rounds it is that of the named one, or of the latest.

    The relation of two values and, unless `exclude_unit` is "none", their distances are without the unit.
    """
    extract, parameters = resolve(extract, parameters)
    text = extract.text(text_slug, round_name)
    if text is None:
        return None
    units, keys = set(extract.units_in(text)), read_keys([text])
    unit = next((one for one, name in keys.items() if name == key and one in units), None)
    if unit is None:
        return None
    data = select_data(extract, replace(parameters, without=""), [text])
    codes = dict(zip(data.coders, data.codes[list(data.units).index(unit)].tolist(), strict=True))
    [own] = extract.rows_by_text([text])
    values = {
        coder: data.value(codes[coder]) if codes.get(coder, -1) >= 0 else None
        for coder, _ in sorted(own)
        if coder in codes
    }
    judged = [(coder, value) for coder, value in values.items() if value is not None]
    pairs = tuple(
        CoderPair(first, second, relation(a, b, unit), _distances(extract, a, b, unit, parameters))
        for (first, a), (second, b) in combinations(judged, 2)
    )
    return ItemReport(text, unit, key, values, pairs, extract.describe, frozenset(units), data.members == "units")


def _distances(extract: ProjectAnswers, a: Value, b: Value, unit: int, parameters: Parameters) -> dict[str, float]:
    """Return the distances of two values; the ordinal one, which depends on all values, is not among them."""
    if parameters.exclude_unit != "none" and extract.has_chains:
        a, b = remove_unit(a, unit), remove_unit(b, unit)
    names = [name for name in distances_of(extract) if name != "ordinal"]
    return {name: distance(a, b, name, empty=parameters.empty, thirds=parameters.thirds) for name in names}


def nonzero_relations(relations: Sequence[int]) -> Mapping[str, int]:
    """Return how many pairs of coders stand in each relation, without those that none does."""
    return {name: count for name, count in zip(RELATIONS, relations, strict=True) if count}


# So many items are listed at most.
MOST = 5


@dataclass(frozen=True, slots=True)
class HighItem:
    """An item: the text and unit, its share of the observed disagreement, and pairs of coders by relation."""

    text: Document
    unit: int
    share: float
    relations: tuple[int, ...]


def find_highest(answers: ProjectAnswers, parameters: Parameters) -> list[HighItem]:
    """Return the items with the highest share, as `Items.highest` orders them; none with a share of 0.

    Raises InvalidParameter.
    """
    answers, parameters = resolve(answers, parameters)
    return remembered(answers, ("highest items", parameters), lambda: _find_highest(answers, parameters))


def _find_highest(answers: ProjectAnswers, parameters: Parameters) -> list[HighItem]:
    items = compute_items(answers, parameters)
    rows = items.highest(MOST)
    shares = items.share_of(rows)
    return [
        HighItem(items.texts[items.text[row]], int(items.unit[row]), float(share), tuple(items.relations[row].tolist()))
        for row, share in zip(rows.tolist(), shares.tolist(), strict=True)
        if round(share, SHARE_DIGITS) > 0
    ]
