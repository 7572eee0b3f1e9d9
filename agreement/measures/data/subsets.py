"""Parts of reliability data: some coders, some units, fewer labels."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Real

import numpy as np

from ..values import Bools, Label, is_number, map_members, parse_number
from .arrays import row_starts, run_offsets, sorted_unique
from .cells import MISSING, Cells, keep_others
from .inputs import Data, as_data
from .reliability_data import ReliabilityData, check_known_coders


def collapse(data: Data, mapping: Mapping[Label, Label]) -> ReliabilityData:
    """Return the data with some labels merged: each label of `mapping` becomes what it maps to.

    All other values stay. Of sets whose members are labels (`members="labels"`) the members are merged.

    A label of `mapping` that nobody used changes nothing, so that a whole scheme can be mapped. Raises ValueError where
    no label of it is used at all.

    >>> data = ReliabilityData.from_values("AB", ["Ann", "Bob"], [["cat", "dog"], ["car", "cat"]], ["text"] * 2)
    >>> collapse(data, {"cat": "animal", "dog": "animal"}).labels
    ('animal', 'car')
    """
    data = as_data(data)
    parts = [(label, *sorted(label, key=repr)) if isinstance(label, frozenset) else (label,) for label in data.labels]
    used = list(dict.fromkeys(part for of_label in parts for part in of_label))
    if mapping and not any(label in mapping for label in used):
        raise ValueError(f"no label of {list(mapping)} is used; the labels are {used}")
    merged = [mapping.get(label, map_members(label, lambda name: mapping.get(name, name))) for label in data.labels]
    return _replace_labels(data, merged)


def number_labels(data: ReliabilityData, purpose: str) -> ReliabilityData:
    """Return the data with numeric labels as numbers. Raises ValueError for other labels, naming what needs numbers."""
    if all(isinstance(label, Real) for label in data.labels):
        return data
    if "numbers" not in data.cache:
        used = replace(data, content=drop_unused(data.cells))
        text = next((code for code, label in enumerate(used.labels) if not is_number(label)), None)
        if text is not None:
            label = used.labels[text]
            row, column = np.argwhere(used.codes == text)[0].tolist()
            cell = f"unit {data.units[row]!r}, coder {data.coders[column]!r}"
            raise ValueError(f"{data.label_places.get(label, cell)}: {label!r} is no number, and {purpose}")
        data.cache["numbers"] = _replace_labels(used, list(map(parse_number, used.labels)))
    numbered: ReliabilityData = data.cache["numbers"]
    return numbered


def _replace_labels(data: ReliabilityData, labels: Sequence[Label]) -> ReliabilityData:
    """Return the data with new labels in place of its labels; equal new labels are merged."""
    place: dict[Label, int] = {}
    new = [place.setdefault(label, len(place)) for label in labels]
    cells = data.cells
    n_sets = len(cells.starts) - 1
    number = np.array([*new, *range(len(place), len(place) + n_sets), MISSING], dtype=np.int64)
    return replace(data, content=replace(cells, codes=number[cells.codes], labels=tuple(place)))


def select_coders(data: ReliabilityData, columns: list[int]) -> ReliabilityData:
    """Return the data of some of the coders, by their numbers. Raises ValueError for counts, which name no coder."""
    check_known_coders(data)
    coders = tuple(data.coders[c] for c in columns)
    return replace(data, coders=coders, content=data.content.select_coders(columns))


def without_coder(data: ReliabilityData, column: int) -> ReliabilityData:
    """Return the data without one coder. Raises ValueError as `select_coders`."""
    return select_coders(data, [other for other in range(len(data.coders)) if other != column])


def select_units(data: ReliabilityData, selected: Bools) -> ReliabilityData:
    """Return the data of the units that are true in `selected`; other units remain as members of values."""
    if len(selected) != len(data.units):
        raise ValueError(f"{len(selected)} entries for {len(data.units)} units")
    if selected.all():
        return data
    cells, n_units = data.cells, len(data.units)
    removed = np.flatnonzero(~selected)
    n_selected = n_units - len(removed)
    number = np.concatenate((np.cumsum(selected) - 1, np.arange(len(cells.others)) + n_units))
    number[removed] = n_selected + np.arange(len(removed))
    members = number[cells.members]
    order = np.lexsort((members, cells.set_of_member))
    names = [data.units[row] for row in removed.tolist()]
    content = Cells(
        codes=cells.codes[selected],
        labels=cells.labels,
        starts=cells.starts,
        members=members[order],
        others=(*names, *cells.others),
        readings=cells.readings_of(np.arange(len(cells.starts) - 1), order),
    )
    units = [data.units[row] for row in np.flatnonzero(selected).tolist()]
    return replace(data, units=units, document_of_unit=data.document_of_unit[selected], content=drop_unused(content))


def drop_unused(cells: Cells) -> Cells:
    """Return the cells without unused labels and sets."""
    n_labels = len(cells.labels)
    used = sorted_unique(cells.codes[cells.codes >= 0])
    number = np.full(n_labels + len(cells.starts), MISSING, dtype=np.int64)
    number[used] = np.arange(len(used))
    sets = used[used >= n_labels] - n_labels
    sizes = np.diff(cells.starts)[sets]
    entries = np.repeat(cells.starts[sets], sizes) + run_offsets(sizes)
    members, others = keep_others(cells.members[entries], cells.others, len(cells.codes))
    return Cells(
        codes=number[cells.codes],
        labels=tuple(cells.labels[label] for label in used[used < n_labels].tolist()),
        starts=row_starts(sizes),
        members=members,
        others=others,
        readings=cells.readings_of(sets, entries),
    )


def remove_label(data: ReliabilityData, label: int) -> ReliabilityData:
    """Return the data with the judgements that gave a label, by its code, missing."""
    cells = data.cells
    return replace(data, content=replace(cells, codes=np.where(cells.codes == label, MISSING, cells.codes)))
