"""What coders tell apart and what not: agreement by category, unit by unit, and with categories merged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from agreement.data.extract.extract import Extract
from agreement.measures import KappaResult, ReliabilityData, collapse, fleiss_kappa, interval
from agreement.measures.results import CategoryKappa
from agreement.measures.uncertainty.intervals import Interval
from agreement.measures.values import Floats, Ints, Label
from agreement.reports.request.basis import cached, codes_with, count_names, select_categories
from agreement.reports.request.parameters import InvalidParameter, Parameters
from agreement.reports.request.resolution import resolve

LONGEST_NAME = 50


@dataclass(frozen=True, slots=True)
class CategoryAgreement:
    """One category: how often it is used, K of it against all others, and specific agreement.

    `specific` says: if one coder gives it to a unit, how often another does.
    """

    name: str
    n_judgements: int
    share: float
    kappa: float | None
    specific: float | None


@dataclass(frozen=True, eq=False)
class AgreementTable:
    """Units x categories: how many coders gave each, and S, the share of the pairs of coders that agree on the unit.

    Of sets of labels these agree where the sets are equal, and a coder may have given several labels. `coders` says how
    many judged the unit.
    Rows are the units that two coders or more judged, or all where others are dropped, in text order; `documents` are
    the texts they are in.
    """

    names: tuple[str, ...]
    units: Sequence[int]
    documents: Ints
    counts: Ints
    coders: Ints
    agreement: Floats


@dataclass(frozen=True, slots=True)
class MergeComparison:
    """K with the categories as they are and as merged, and the number of categories in use in each."""

    mapping: Mapping[str, str]
    before: Interval
    after: Interval
    n_before: int
    n_after: int


def compute_category_kappa(extract: Extract, parameters: Parameters) -> KappaResult:
    """Return K of the categories, whatever is linked to what. Raises InvalidParameter."""
    extract, parameters = resolve(extract, parameters)
    return cached(
        extract,
        ("category kappa", parameters),
        lambda: fleiss_kappa(select_categories(extract, parameters), missing=parameters.missing),
    )


def compute_by_category(extract: Extract, parameters: Parameters) -> list[CategoryAgreement]:
    """Return each category that is used, by name. Raises InvalidParameter."""
    extract, parameters = resolve(extract, parameters)
    return cached(extract, ("by category", parameters), lambda: _compare_with_others(extract, parameters))


def _compare_with_others(extract: Extract, parameters: Parameters) -> list[CategoryAgreement]:
    table = compute_agreement_table(extract, parameters)
    kappas = _kappa_of_each(extract, parameters)
    counts_by_name = {name: one.n_judgements for name, one in kappas.items()}
    if not kappas:  # K is undefined where all say the same; the category is used nonetheless
        counts_by_name = dict(zip(table.names, table.counts.sum(axis=0).tolist(), strict=True))
    coders = table.coders
    n_judgements = int(coders.sum()) if extract.kind == "labels" else sum(counts_by_name.values())
    agreements = []
    for column, name in enumerate(table.names):
        if counts_by_name.get(name):
            counts = table.counts[:, column]
            with_it = float((counts * (coders - 1)).sum())
            specific = float((counts * (counts - 1)).sum()) / with_it if with_it else None
            value = kappas[name].value if kappas else None
            agreements.append(
                CategoryAgreement(name, counts_by_name[name], counts_by_name[name] / n_judgements, value, specific)
            )
    return agreements


def _kappa_of_each(extract: Extract, parameters: Parameters) -> dict[str, CategoryKappa]:
    """Return K of each category against all others; of sets of labels, of having the label or not."""
    if extract.kind != "labels":
        return {str(one.category): one for one in compute_category_kappa(extract, parameters).categories}
    data, found = select_categories(extract, parameters), dict[str, CategoryKappa]()
    for name in extract.countable:
        with_it = codes_with(data.labels, name)
        if with_it:
            merged = collapse(data, {label: place in with_it for place, label in enumerate(data.labels)})
            kappas = {one.category: one for one in fleiss_kappa(merged, missing=parameters.missing).categories}
            if True in kappas:
                found[name] = kappas[True]
    return found


def compute_agreement_table(extract: Extract, parameters: Parameters) -> AgreementTable:
    """Return the agreement table. Raises InvalidParameter."""
    extract, parameters = resolve(extract, parameters)
    return cached(
        extract,
        ("table", parameters),
        lambda: _count_categories(extract, select_categories(extract, parameters), parameters.missing),
    )


def _count_categories(extract: Extract, data: ReliabilityData, missing: str) -> AgreementTable:
    counts, coders = count_names(data, extract.countable), (data.codes >= 0).sum(axis=1)
    rows = np.flatnonzero(coders >= (max(len(data.coders), 2) if missing == "drop" else 2))
    codes, counts, coders = data.codes[rows], counts[rows], coders[rows]
    row, column = np.nonzero(codes >= 0)
    value, alike = np.unique(row * (data.n_values + 1) + codes[row, column], return_counts=True)
    equal = np.bincount(value // (data.n_values + 1), weights=alike * (alike - 1), minlength=len(rows))
    agreement = equal / (coders * (coders - 1))
    units = [data.units[row] for row in rows.tolist()]
    return AgreementTable(extract.countable, units, data.document_of_unit[rows], counts, coders, agreement)  # type: ignore[arg-type]


def parse_mapping(text: str, names: Sequence[str]) -> dict[str, str]:
    """Return a mapping as an address has it, "lake:water,river:water". Raises InvalidParameter."""
    mapping: dict[str, str] = {}
    for one in filter(None, text.split(",")):
        old, colon, new = one.partition(":")
        if not colon or not old.strip() or not new.strip():
            raise InvalidParameter("merge", f"{one!r} is not CATEGORY:NEW NAME.")
        if "\x00" in new or len(new.strip()) > LONGEST_NAME:
            raise InvalidParameter("merge", f"a name has at most {LONGEST_NAME} characters that can be printed.")
        if old.strip() not in names:
            raise InvalidParameter("merge", f"{old.strip()!r} is not one of {', '.join(names)}.")
        mapping[old.strip()] = new.strip()
    return mapping


def _merge(label: Label, mapping: Mapping[str, str]) -> Label:
    """Return a category as it is called after merging, or the set of the merged labels."""
    if isinstance(label, frozenset):
        return frozenset(mapping.get(str(one), str(one)) for one in label)
    return mapping.get(str(label), label)


def format_mapping(mapping: Mapping[str, str]) -> str:
    """Return the mapping as an address has it; what keeps its name is not in it."""
    return ",".join(f"{old}:{new}" for old, new in sorted(mapping.items()) if old != new)


def compare_merged(extract: Extract, parameters: Parameters, mapping: Mapping[str, str]) -> MergeComparison:
    """Return K before and after the mapping. Raises InvalidParameter."""
    extract, parameters = resolve(extract, parameters)
    key = ("merged", parameters, tuple(sorted(mapping.items())))
    return cached(extract, key, lambda: _compare_merged(extract, parameters, mapping))


def _compare_merged(extract: Extract, parameters: Parameters, mapping: Mapping[str, str]) -> MergeComparison:
    data = select_categories(extract, parameters)
    used: dict[Label, Label] = {label: _merge(label, mapping) for label in data.labels}
    used = {old: new for old, new in used.items() if old != new}
    merged = collapse(data, used) if used else data
    before = interval(data, fleiss_kappa, missing=parameters.missing)
    after = interval(merged, fleiss_kappa, missing=parameters.missing) if used else before
    return MergeComparison(mapping, before, after, len(data.labels), len(merged.labels))
