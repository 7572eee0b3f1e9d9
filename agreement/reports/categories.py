"""What coders tell apart and what not: agreement by category, unit by unit, and with categories merged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from agreement.extract import Extract
from agreement.measures import KappaResult, ReliabilityData, bootstrap, collapse, fleiss_kappa
from agreement.measures.intervals import Interval
from agreement.measures.values import Floats, Ints, Label
from agreement.parameters import Parameters, WrongParameter
from agreement.reports.basis import REPLICATES, categories_of, effective, kept

LONGEST_NAME = 50


@dataclass(frozen=True, slots=True)
class OfCategory:
    """One category: how often it is used, K of it against all others, and specific agreement.

    `specific` says: if one coder gives it to a unit, how often another does.
    """

    name: str
    n_judgements: int
    share: float
    kappa: float | None
    specific: float | None


@dataclass(frozen=True, eq=False)
class Table:
    """Units x categories: how many coders gave each, and S, the share of the pairs of coders that agree on the unit.

    Rows are the units that two coders or more judged, or all where others are dropped, in text order; `documents` are
    the texts they are in.
    """

    names: tuple[str, ...]
    units: Sequence[int]
    documents: Ints
    counts: Ints
    agreement: Floats


@dataclass(frozen=True, slots=True)
class Collapsed:
    """K with the categories as they are and as merged, and the number of categories in use in each."""

    mapping: Mapping[str, str]
    before: Interval
    after: Interval
    n_before: int
    n_after: int


def kappa(extract: Extract, parameters: Parameters) -> KappaResult:
    """K of the categories, whatever is linked to what. Raises WrongParameter."""
    parameters = effective(extract, parameters)
    return fleiss_kappa(categories_of(extract, parameters), missing=parameters.missing)


def by_category(extract: Extract, parameters: Parameters) -> list[OfCategory]:
    """Each category that is used, by name. Raises WrongParameter."""
    parameters = effective(extract, parameters)
    met = table(extract, parameters)
    kappas = {str(one.category): one for one in kappa(extract, parameters).categories}
    number = {name: one.n_judgements for name, one in kappas.items()}
    if not kappas:  # K is undefined where all say the same; the category is used nonetheless
        number = dict(zip(met.names, met.counts.sum(axis=0).tolist(), strict=True))
    coders = met.counts.sum(axis=1)
    found = []
    for column, name in enumerate(met.names):
        if number.get(name):
            counts = met.counts[:, column]
            with_it = float((counts * (coders - 1)).sum())
            specific = float((counts * (counts - 1)).sum()) / with_it if with_it else None
            value = kappas[name].value if kappas else None
            found.append(OfCategory(name, number[name], number[name] / sum(number.values()), value, specific))
    return found


def table(extract: Extract, parameters: Parameters) -> Table:
    """The agreement table. Raises WrongParameter."""
    parameters = effective(extract, parameters)
    return kept(
        extract, ("table", parameters), lambda: _table(extract, categories_of(extract, parameters), parameters.missing)
    )


def _table(extract: Extract, data: ReliabilityData, missing: str) -> Table:
    counts = np.zeros((len(data.units), len(extract.categories)), dtype=np.int64)
    for code, label in enumerate(data.labels):
        counts[:, extract.categories.index(str(label))] = (data.codes == code).sum(axis=1)
    coders = counts.sum(axis=1)
    rows = np.flatnonzero(coders >= (max(len(data.coders), 2) if missing == "drop" else 2))
    counts, coders = counts[rows], coders[rows]
    agreement = (counts * (counts - 1)).sum(axis=1) / (coders * (coders - 1))
    units = [data.units[row] for row in rows.tolist()]
    return Table(extract.categories, units, data.document_of_unit[rows], counts, agreement)  # type: ignore[arg-type]


def read_mapping(text: str, names: Sequence[str]) -> dict[str, str]:
    """A mapping as an address has it, "lake:water,river:water". Raises WrongParameter."""
    mapping: dict[str, str] = {}
    for one in filter(None, text.split(",")):
        old, colon, new = one.partition(":")
        if not colon or not old.strip() or not new.strip():
            raise WrongParameter("merge", f"{one!r} is not CATEGORY:NEW NAME.")
        if "\x00" in new or len(new.strip()) > LONGEST_NAME:
            raise WrongParameter("merge", f"a name has at most {LONGEST_NAME} characters that can be printed.")
        if old.strip() not in names:
            raise WrongParameter("merge", f"{old.strip()!r} is not one of {', '.join(names)}.")
        mapping[old.strip()] = new.strip()
    return mapping


def written_mapping(mapping: Mapping[str, str]) -> str:
    """The mapping as an address has it; what keeps its name is not in it."""
    return ",".join(f"{old}:{new}" for old, new in sorted(mapping.items()) if old != new)


def collapsed(extract: Extract, parameters: Parameters, mapping: Mapping[str, str]) -> Collapsed:
    """K before and after the mapping. Raises WrongParameter."""
    parameters = effective(extract, parameters)
    data = categories_of(extract, parameters)
    used: dict[Label, Label] = {old: new for old, new in mapping.items() if old in data.labels}
    merged = collapse(data, used) if used else data
    before, after = (bootstrap(one, fleiss_kappa, missing=parameters.missing, n=REPLICATES) for one in (data, merged))
    return Collapsed(mapping, before, after, len(data.labels), len(merged.labels))
