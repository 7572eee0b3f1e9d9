"""Connected components of reliability data: the units that one merge or split of a chain can change."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace

import numpy as np

from ..values import Bools, Ints, Value, map_members
from .arrays import factorize, factorize_integers, sorted_unique
from .cells import MISSING, Partition
from .inputs import Data, as_data
from .reliability_data import ReliabilityData

# What a document, a unit or another member is a copy of.
type Original = Callable[[Hashable], Hashable]


def split_components(data: Data, original: Original | None = None) -> ReliabilityData:
    """Return the data with their connected components as documents, named by numbers from 0.

    A unit is joined with every member of every set that a coder gave it as its value, units or not, and so with what
    these are joined with; a unit that has labels only, or the empty set, is a component of its own. Components share no
    member, and labels mean the same in all of them, so that each coefficient has the value that it had (in the last
    digit up to rounding). `original` returns what a unit or member is a copy of: copies of one are in one component.

    >>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 2], [2, 3], [3, 3], [4, 4]], ["text"] * 5)
    >>> split_components(data).document_of_unit.tolist()
    [0, 0, 1, 1, 2]
    """
    data = as_data(data)
    return move_to_documents(data, component_of_unit(data, original))


def merge_documents(data: ReliabilityData, original: Original) -> ReliabilityData:
    """Return the data with copies of a document merged into one, by the name of the original."""
    names, places = factorize([original(document) for document in data.documents])
    return move_to_documents(data, places[data.document_of_unit], names)


def split_shared_components(
    first: ReliabilityData, second: ReliabilityData, original: Original | None = None
) -> tuple[ReliabilityData, ReliabilityData]:
    """Return both data with common components as documents; `original` maps a copied unit or member to its source."""
    name = original or _itself
    of_members = name if first.members == "units" else _itself
    given: dict[Hashable, list[Value | None]] = {}
    for data in (first, second):
        values = [map_members(data.value(code), of_members) for code in range(data.n_values)]
        for unit, codes in zip(data.units, data.codes.tolist(), strict=True):
            given.setdefault(name(unit), []).extend(values[code] for code in codes if code != MISSING)
    width = max(map(len, given.values()), default=0)
    rows = [[*values, *[None] * (width - len(values))] for values in given.values()]
    units, documents = list(given), [None] * len(given)
    together = ReliabilityData.from_values(units, range(width), rows, documents, members=first.members)
    number = dict(zip(given, component_of_unit(together).tolist(), strict=True))
    first, second = (
        move_to_documents(data, np.array([number[name(unit)] for unit in data.units], dtype=np.int64))
        for data in (first, second)
    )
    return first, second


def _itself(name: Hashable) -> Hashable:
    return name


def move_to_documents(
    data: ReliabilityData, document_of_unit: Ints, names: Sequence[Hashable] | None = None
) -> ReliabilityData:
    """Return the data with their units in other documents, which cut no set; their names are numbers unless given."""
    content = data.content
    if isinstance(content, Partition):
        content = content.move_to_documents(document_of_unit)
    if names is None:
        names = range(int(document_of_unit.max(initial=-1)) + 1)
    return replace(data, documents=names, document_of_unit=document_of_unit, content=content)


def component_of_unit(data: ReliabilityData, original: Original | None = None) -> Ints:
    """Return for each unit the number of its connected component, in the order of first appearance."""
    n_units = len(data.units)
    edges = _chain_edges(data.content) if isinstance(data.content, Partition) else _set_edges(data)
    if original is not None:
        names = [*data.units, *([] if isinstance(data.content, Partition) else data.cells.others)]
        end = max([len(names) - 1, *(int(pairs.max(initial=0)) for pairs in edges)]) + 1
        places: dict[Hashable, int] = {}
        copies = [places.setdefault(original(name), len(places)) for name in names]
        edges.append(np.stack((np.arange(len(names)), end + np.array(copies, dtype=np.int64))))
    first, second = np.concatenate(edges, axis=1) if edges else np.zeros((2, 0), dtype=np.int64)
    if not len(first):
        return np.arange(n_units)
    from scipy import sparse
    from scipy.sparse.csgraph import connected_components

    n = max(n_units, int(max(first.max(), second.max())) + 1)
    graph = sparse.coo_array((np.ones(len(first), dtype=np.int8), (first, second)), shape=(n, n))
    return factorize_integers(connected_components(graph, directed=False)[1][:n_units])[1]


def find_pairable_documents(data: ReliabilityData) -> Ints:
    """Return the numbers of the documents with a unit that two coders coded."""
    return sorted_unique(data.document_of_unit[find_pairable_units(data)])


def name_pairable_documents(data: ReliabilityData) -> list[Hashable]:
    """Return the documents with a unit that two coders coded."""
    return [data.documents[document] for document in find_pairable_documents(data).tolist()]


def find_pairable_units(data: ReliabilityData) -> Bools:
    """Return which units two coders or more coded."""
    content = data.content
    coders = content.coders if isinstance(content, Partition) else (data.codes != MISSING).sum(axis=1)
    pairable: Bools = coders >= 2
    return pairable


def _chain_edges(content: Partition) -> list[Ints]:
    """Return pairs of a unit and its chain; the chains of all coders are numbered after the units."""
    edges, end = [], content.chains.shape[1]
    for chains, sizes in zip(content.chains, content.sizes, strict=True):
        units = np.flatnonzero(chains != MISSING)
        edges.append(np.stack((units, end + chains[units])))
        end += len(sizes)
    return edges


def _set_edges(data: ReliabilityData) -> list[Ints]:
    """Return pairs of a member and a set that contains it or is its value; sets are numbered after all members."""
    cells = data.cells
    begin = len(data.units) + len(cells.others)
    filled = np.diff(cells.starts) > 0
    units, columns = np.nonzero(cells.codes >= len(cells.labels))
    sets = cells.codes[units, columns] - len(cells.labels)
    some = filled[sets]
    given = np.stack((units[some], begin + sets[some]))
    used = np.zeros(len(filled), dtype=np.bool_)
    used[sets] = True
    inside = used[cells.set_of_member]
    return [given, np.stack((cells.members[inside], begin + cells.set_of_member[inside]))]
