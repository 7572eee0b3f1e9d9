"""The items on which coders disagree, by their share of the observed disagreement and by relations of pairs."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from math import fsum
from types import EllipsisType
from typing import NamedTuple, cast

import numpy as np

from agreement.data.documents import NEXT_DOCUMENT, Document
from agreement.data.given_answers import CoderMarks
from agreement.data.project_answers import ProjectAnswers
from agreement.data.reliability import chain_sizes, given_categories
from agreement.measures import RELATIONS, ReliabilityData, UnitReadings, ambiguity
from agreement.measures.coefficients.alpha import count_relations
from agreement.measures.coefficients.augmented import unit_agreements
from agreement.measures.data.arrays import sorted_unique
from agreement.measures.models.reading_groups import MIN_IN_CAMPS, are_camps, count_camps
from agreement.measures.results import pluralize
from agreement.measures.sums.overlaps import PairableUnits
from agreement.measures.sums.tables import unit_disagreements
from agreement.measures.values import Bools, Floats, Ints
from agreement.reports import basis
from agreement.reports.parameters import COEFFICIENTS, InvalidParameter, Parameters, check_choice
from agreement.reports.request import cached_report, remembered_report
from agreement.reports.wording import LABELS

# The verdicts of a model of coders on an item on which coders differ.
VERDICTS = {"ambiguous": "likely ambiguous", "slip": "likely a slip"}
AMBIGUITY = {"explicit": "marked ambiguous", "implicit": "split, not marked ambiguous", "either": "either", **VERDICTS}
SORTS = LABELS["item_orders"]
MARKS = ("flag", "note", "unsure")
type Rows = int | Ints | EllipsisType  # one row, some rows or all rows
SHARE_DIGITS = 12  # smaller differences between shares are rounding errors
MOST = 5  # the number of listed items with the highest share
# The most items, and items x coders, for which a page fits the model, which then takes about a second.
MAX_RANKED, MAX_RANKED_CELLS = 20_000, 1_000_000


@dataclass(frozen=True)
class ItemMarks:
    """The flagged markables, and the markables with notes or doubts of coders, which are read on demand."""

    flag: frozenset[int] = frozenset()
    read_coder_marks: Callable[[], CoderMarks] = CoderMarks

    def find(self, name: str, units: Ints) -> Bools:
        """Return which of these units have the mark `name`, one of MARKS."""
        if name == "flag":
            return np.isin(units % NEXT_DOCUMENT, list(self.flag))
        return np.isin(units, list(getattr(self.read_coder_marks(), name)))


NO_MARKS = ItemMarks()


@dataclass(frozen=True, eq=False)
class ItemReadings:
    """A model's readings of units, its name and a note on its limits, or the reason why there are no readings."""

    units: Mapping[int, UnitReadings] = field(default_factory=dict)
    model: str = ""
    note: str = ""
    reason: str = ""

    def verdict(self, unit: int) -> str:
        """Return the verdict on a unit with four or more coders who differ, one of VERDICTS, else an empty text."""
        one = self.units.get(unit)
        return one.verdict if one and sum(map(len, one.groups)) >= MIN_IN_CAMPS else ""

    def posterior(self, unit: int) -> float | None:
        """Return the probability that the unit has two readings; None with values of fewer than two coders."""
        return self.units[unit].posterior if unit in self.units else None

    def require(self, field: str) -> None:
        """Raise InvalidParameter for a field that needs the model, if there are no readings."""
        if self.reason:
            raise InvalidParameter(field, self.reason)


NO_READINGS = ItemReadings(reason="the items are not ranked by a model here.")


@dataclass(frozen=True, slots=True)
class ItemFilters:
    """The filters and the order of items; an empty filter keeps all items. Raises InvalidParameter."""

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
        allowed: dict[str, Collection[str]] = {"relation": RELATIONS, "ambiguity": AMBIGUITY, "sort": SORTS}
        for name, choices in (allowed | dict.fromkeys(MARKS, ("set",))).items():
            if (value := getattr(self, name)) or name == "sort":
                check_choice(name, value, choices)


@dataclass(frozen=True, eq=False)
class Items:
    """The units of some texts that two or more coders judged, as arrays with one row for each unit."""

    levels: Sequence[str]  # the keys of the project's levels
    countable: Sequence[str]  # the categories with counts
    parameters: Parameters
    texts: Sequence[Document]
    unit: Ints  # the keys of the units
    text: Ints  # the positions of their texts
    n_coders: Ints  # the number of coders who judged each unit
    term: Floats  # the contribution of each unit to the sum of observed distances
    n_values: Ints  # the number of distinct values of each unit
    relations: Ints  # the number of pairs of coders in each relation: (units, RELATIONS)
    explicit: Ints  # the number of coders who marked several readings or indices
    camps: Bools  # whether coders split into camps without any mark of ambiguity
    pointers: Ints  # the number of pointers of all coders to each unit; 0 if coders do not point
    chain: Ints  # the size of the largest whole chain of each unit, whatever the values; 0 if all gave labels
    categories: Bools  # whether some coder gave each category: (units, countable categories)
    level: Ints  # the position of each unit's level in `levels`

    @cached_property
    def total(self) -> float:
        return fsum(self.term.tolist())

    @cached_property
    def level_names(self) -> list[str]:
        return sorted(self.levels[number] for number in np.unique(self.level).tolist())

    def share_of(self, rows: Rows) -> Floats:
        """Return the shares of some units, or of one, in the total observed disagreement."""
        return self.term[rows] / (self.total or 1.0)

    def observed_of(self, rows: Rows) -> Floats:
        """Return the contributions of some units, or of one, to the observed disagreement."""
        n_terms = int(self.n_coders.sum()) if self.parameters.is_alpha else len(self.n_coders)
        return self.term[rows] / (n_terms or 1)

    def distance_of(self, rows: Rows) -> Floats:
        """Return the mean distance of two coders on some units, or on one; of a kappa, the share of differing pairs."""
        return self.term[rows] / (self.n_coders[rows] if self.parameters.is_alpha else 1)

    def select(self, filters: ItemFilters, marks: ItemMarks = NO_MARKS, readings: ItemReadings = NO_READINGS) -> Ints:
        """Return the rows that pass the filters, in the filters' order. Raises InvalidParameter for unknown names."""
        return self.order(self.choose(filters, marks, readings), None, filters.sort, readings)

    def order(self, rows: Ints, n: int | None, sort: str = "share", readings: ItemReadings = NO_READINGS) -> Ints:
        """Return the first n of these ascending rows, or all, in one of SORTS; ties by pointers, then chains."""
        if sort == "text":
            return rows[:n]
        shares = self.share_of(rows).round(SHARE_DIGITS)
        if sort == "share" and n and n < len(rows):  # only rows that can be among the first n are sorted
            among = np.flatnonzero(shares >= np.partition(shares, len(shares) - n)[len(shares) - n])
            rows, shares = rows[among], shares[among]
        keys: list[Ints | Floats] = [-self.chain[rows], -self.pointers[rows]]  # the last key of lexsort has priority
        if sort == "values":
            keys.append(-self.n_values[rows])
        elif sort != "links":
            keys.append(-shares)
        if sort == "ambiguity":
            readings.require("sort")
            posteriors = [readings.posterior(unit) for unit in self.unit[rows].tolist()]
            keys.append(np.array([1 if one is None else -one for one in posteriors]))
        return rows[np.lexsort(keys)][:n]

    def choose(self, filters: ItemFilters, marks: ItemMarks = NO_MARKS, readings: ItemReadings = NO_READINGS) -> Ints:
        """Return the rows that pass the filters, ascending. Raises InvalidParameter for unknown names."""
        mask = np.ones(len(self.unit), dtype=np.bool_)
        if filters.relation:
            mask &= self.relations[:, RELATIONS.index(filters.relation)] > 0
        if filters.level:
            if filters.level not in self.level_names:
                raise InvalidParameter("level", f"there is no item of a level {filters.level!r}.")
            mask &= self.level == self.levels.index(filters.level)
        if filters.category:
            check_choice("category", filters.category, self.countable)
            mask &= self.categories[:, self.countable.index(filters.category)]
        if filters.ambiguity in VERDICTS:
            readings.require("ambiguity")
            mask &= np.array([readings.verdict(unit) == filters.ambiguity for unit in self.unit.tolist()], np.bool_)
        elif filters.ambiguity:
            explicit = self.explicit > 0
            mask &= {"explicit": explicit, "implicit": self.camps, "either": explicit | self.camps}[filters.ambiguity]
        if filters.text:
            is_text = np.array([text.slug == filters.text for text in self.texts], dtype=np.bool_)
            if not is_text.any():
                raise InvalidParameter("text", f"there is no text {filters.text!r} among those compared.")
            mask &= is_text[self.text]
        for name in MARKS:
            if getattr(filters, name):
                mask &= marks.find(name, self.unit)
        return np.flatnonzero(mask)


@cached_report
def compute_items(answers: ProjectAnswers, parameters: Parameters) -> Items:
    """Return the units that two or more coders judged."""
    parts = basis.compute_by_parts(answers, parameters, "items", _compute_columns)
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    texts = basis.pick_texts(answers, parameters)
    columns["text"] = np.repeat(np.arange(len(texts)), columns.pop("n_units"))
    return Items(answers.levels, answers.countable, parameters, texts, **columns)


def _compute_columns(
    parameters: Parameters, answers: ProjectAnswers, texts: Sequence[Document]
) -> dict[str, Ints | Floats | Bools]:
    """Return the arrays of `Items`, and the number of units of each text."""
    data = basis.select_data(answers, parameters, texts)
    pairable, of_texts = basis.pairable_units(data, parameters), answers.restrict(texts)
    places = np.flatnonzero(basis.choose_units(of_texts, parameters))[pairable.rows]
    units = of_texts.columns.units[places]
    n_values, second = count_camps(pairable.codes)
    explicit = _count_explicit(of_texts)[places]
    counts = {
        "n_coders": pairable.coders,
        "n_values": n_values,
        "relations": count_relations(pairable),
        "explicit": explicit,
        "pointers": _count_pointers(of_texts)[places],
        "chain": _largest_chains(of_texts, pairable, places),
        "level": units["level"],
        "n_units": np.bincount(pairable.documents, minlength=len(texts)),
    }
    return {
        "unit": units["key"],
        "term": _compute_terms(parameters, data, pairable),
        "camps": (explicit == 0) & are_camps(pairable.coders, second),
        "categories": _find_categories(of_texts)[places],
        # in the smallest signed type that holds the largest number
        **{name: column.astype(np.min_scalar_type(-1 - int(column.max(initial=0)))) for name, column in counts.items()},
    }


def _compute_terms(parameters: Parameters, data: ReliabilityData, pairable: PairableUnits) -> Floats:
    """Return the contribution of each unit to the sum of observed distances."""
    if COEFFICIENTS[parameters.coefficient].of_labels:
        return 1 - unit_agreements(data, missing=parameters.missing)
    terms = unit_disagreements(pairable, basis.comparison(parameters))
    # in a kappa, all units have the same weight, whatever their number of coders
    return terms if parameters.is_alpha else terms / pairable.coders


def _largest_chains(answers: ProjectAnswers, pairable: PairableUnits, places: Ints) -> Ints:
    """Return the size of the largest whole chain of each unit; 0 if all coders gave labels."""
    largest: Ints = pairable.set_sizes().max(axis=1, initial=0)
    return np.maximum(largest, chain_sizes(answers)[places]) if answers.kind == "pointers" else largest


def _find_categories(answers: ProjectAnswers) -> Bools:
    """Return whether some coder gave each countable category to each unit: (units, countable categories)."""
    given = np.zeros((len(answers.columns.units), len(answers.countable)), dtype=np.bool_)
    if answers.countable:
        marks, categories = given_categories(answers)
        given[answers.columns.unit_of_mark[marks], categories] = True
    return given


def _count_explicit(answers: ProjectAnswers) -> Ints:
    """Return the number of coders who marked several readings or indices of each unit."""
    columns = answers.columns
    is_ambiguous = columns.is_judgement & (columns.n_readings > 1) & (answers.coder_of_mark >= 0)
    return np.bincount(columns.unit_of_mark[is_ambiguous], minlength=len(columns.units))


def _count_pointers(answers: ProjectAnswers) -> Ints:
    """Return the number of pointers of all coders to each unit; 0 if coders do not point."""
    columns = answers.columns
    if answers.kind not in ("pointers", "targets"):
        return np.zeros(len(columns.units), dtype=np.int64)
    document = columns.document_of_coding[columns.coding_of_link]
    leads = columns.links["to"] < columns.documents["units"][document]
    leads &= answers.column_of_coding[columns.coding_of_link] >= 0
    target = columns.first_unit[document[leads]] + columns.links["to"][leads]
    return np.bincount(target, minlength=len(columns.units))


@remembered_report
def count_by_filter(answers: ProjectAnswers, parameters: Parameters) -> dict[tuple[str, str], int]:
    """Return the number of items that pass each single filter, by name and value, except filters by marks or model."""
    items = compute_items(answers, parameters)
    names = {
        "relation": RELATIONS,
        "category": answers.countable,
        "level": items.level_names,
        "ambiguity": [name for name in AMBIGUITY if name not in VERDICTS],
    }
    return {
        (name, value): len(items.choose(ItemFilters(**{name: value})))
        for name, values in names.items()
        for value in values
    }


def nonzero_relations(relations: Sequence[int]) -> Mapping[str, int]:
    """Return the number of pairs of coders in each relation, without relations of no pair."""
    return {name: count for name, count in zip(RELATIONS, relations, strict=True) if count}


class HighItem(NamedTuple):
    """An item: its text and unit, its share of the observed disagreement, and its pairs of coders by relation."""

    text: Document
    unit: int
    share: float
    relations: tuple[int, ...]


@remembered_report
def find_highest(answers: ProjectAnswers, parameters: Parameters) -> list[HighItem]:
    """Return the items with the highest shares, in the order of `Items.order`, without shares of 0."""
    items = compute_items(answers, parameters)
    rows = items.order(np.arange(len(items.term)), MOST)
    rows = rows[items.share_of(rows).round(SHARE_DIGITS) > 0]
    figures = zip(rows.tolist(), items.share_of(rows).tolist(), items.relations[rows].tolist(), strict=True)
    return [
        HighItem(items.texts[items.text[row]], int(items.unit[row]), share, tuple(relations))
        for row, share, relations in figures
    ]


class AmbiguityCounts(NamedTuple):
    """The numbers of units and judgements marked as ambiguous: in total, of a category, or of a coder."""

    kind: str  # "all", "category" (units that some coder gave the category) or "coder" (units that the coder judged)
    name: str  # of the category or coder
    n_ambiguous_units: int  # the units that at least one coder marked as ambiguous
    n_units: int
    n_ambiguous_judgements: int
    n_judgements: int

    @property
    def share_of_units(self) -> float | None:
        return self.n_ambiguous_units / self.n_units if self.n_units else None

    @property
    def share_of_judgements(self) -> float | None:
        return self.n_ambiguous_judgements / self.n_judgements if self.n_judgements else None


@remembered_report
def summarize_ambiguity(answers: ProjectAnswers, parameters: Parameters) -> list[AmbiguityCounts]:
    """Return the counts of marked ambiguity: total, by category, by coder (Poesio & Artstein 2005, section 5.2)."""
    counts = np.sum(basis.compute_by_parts(answers, parameters, "ambiguity", _count_ambiguous), axis=0)
    names = [("all", ""), *product(["category"], answers.categories), *product(["coder"], answers.coders)]
    return [AmbiguityCounts(*name, *row) for name, row in zip(names, counts.tolist(), strict=True)]


def _count_ambiguous(parameters: Parameters, answers: ProjectAnswers, texts: Sequence[Document]) -> Ints:
    """Return the four numbers of AmbiguityCounts, as one row for the total, each category and each coder."""
    chosen = answers.restrict(texts)
    columns, coder = chosen.columns, chosen.coder_of_mark
    is_counted = columns.is_judgement & (coder >= 0)
    is_counted &= basis.choose_units(chosen, parameters)[columns.unit_of_mark]
    unit, is_ambiguous = columns.unit_of_mark[is_counted], columns.n_readings[is_counted] > 1
    category = columns.marks["category"][is_counted].astype(np.int64)
    groups = (np.zeros_like(unit), 1), (category, len(answers.categories)), (coder[is_counted], len(answers.coders))
    counts = []
    for group, n_groups in groups:
        key = group * (len(columns.units) + 1) + unit
        of_units = [sorted_unique(keys) // (len(columns.units) + 1) for keys in (key[is_ambiguous], key)]
        counted = (*of_units, group[is_ambiguous], group)
        counts.append(np.stack([np.bincount(numbers, minlength=n_groups) for numbers in counted], axis=1))
    return np.concatenate(counts)


@cached_report
def read_readings(answers: ProjectAnswers, parameters: Parameters, items: Items) -> ItemReadings:
    """Return the model's readings of the items, or a reason if there are none or too many items."""
    n_items, most = len(items.unit), min(MAX_RANKED, MAX_RANKED_CELLS // max(len(answers.coders), 1))
    if n_items > most:
        return ItemReadings(reason=f"There are {n_items:,} items: choose texts or rounds with {most:,} at most.")
    if not n_items:
        return ItemReadings(reason="There are no items.")
    found = ambiguity(basis.select_data(answers, parameters))
    note = "" if found.converged else f"after {pluralize(found.rounds, 'round')} fitting had not come to an end"
    return ItemReadings({cast(int, one.unit): one for one in found.units}, found.model, note)
