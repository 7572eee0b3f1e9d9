"""Values of markables from the answers of one coder.

Pointers: Poesio & Artstein 2005, section 4.3. Indices: Passonneau 2004.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np

from ..values import Label, Value
from .answers import Answers, indexed_values, pointed_values
from .cells import MISSING
from .reliability_data import ReliabilityData

# of each source a set of targets, each a reading, or a list of readings, each a target or a set of targets together
type Pointers[M] = Mapping[M, Collection[M | Set[M]]]
# the label of a markable without index, which is no category
_ALONE = object()


def chain_labels[M: Hashable](
    order: Sequence[M],
    categories: Mapping[M, Label],
    pointers: Pointers[M],
    discourse: Iterable[M] = (),
    mode: str = "full",
    top: str = "category",
    *,
    unmarked: str = "missing",
    readings: str = "union",
    plural: str = "targets",
) -> dict[M, Value]:
    """Return the value of each markable that the coder coded (the keys of `categories`), for one coder and text.

    `order` is the markables in text order. `pointers[m]` has the targets of m: markables of `order`, or members of
    `discourse` (turns). A set of targets are alternatives: each is a reading. A list or tuple is of readings, each a
    target or a set of targets; a reading of several targets is plural, for they are meant together (they = John and
    Mary). A markable with two readings or more is ambiguous, whatever their targets.

    The chain of m is all that m reaches by pointers and then all that reaches those by pointers that are a reading
    alone. So nothing is followed up again from what was reached downwards, and an ambiguous markable joins the chains
    of its targets in its own value only; and no plural reading is followed downwards, so that a plural markable, and
    what points to it, has the chains of its targets in its value, and they do not have it in theirs. Two markables with
    the same plural reading are not joined by it: let the second point to the first.

    mode "full": the chain. "partial": the members of the chain before m in the text, and every discourse
    member, but not m. "none": the targets themselves.
    top "category": a markable without pointers keeps its category. "chain": where something points to it, alone or
    together with others, it has the set that the mode gives it.
    unmarked: what a markable of `order` that is neither coded nor discourse gets: no value ("missing"),
    itself alone ("singleton") or the label "unmarked" ("label").
    readings "union": the value of an ambiguous markable is that of all its pointers. "matched": it is its `Readings`,
    each what the value were with that reading alone, all else unchanged; where these are equal, that set.
    plural "targets": as above. "entity": a plural reading is not followed at all, so that what is plural is an entity
    of its own beside those of its targets, as scores and formats of clusters have it; the mode "none" has its targets.

    Raises ValueError for an unknown option, a markable that comes twice in `order`, a source without a
    category, a reading without targets, and a markable or target that is neither in `order` nor in `discourse`; it
    names the offender.

    >>> values = chain_labels("DEF", dict.fromkeys("DEF", "none"), {"F": {"D", "E"}}, top="chain")
    >>> {markable: "".join(sorted(value)) for markable, value in values.items()}
    {'D': 'DF', 'E': 'EF', 'F': 'DEF'}
    >>> values = chain_labels("DEF", dict.fromkeys("DEF", "none"), {"F": [{"D", "E"}]}, top="chain")
    >>> {markable: "".join(sorted(value)) for markable, value in values.items()}
    {'D': 'D', 'E': 'E', 'F': 'DEF'}
    """
    turns = frozenset(discourse)
    _check_order(order, categories)
    units = [m for m in order if m not in turns or m in categories]
    others = [turn for turn in turns if turn not in categories]
    number = {member: place for place, member in enumerate((*units, *others))}
    links: list[tuple[M, int, int]] = []
    for source, targets in pointers.items():
        if source not in categories:
            raise ValueError(f"markable {source!r} has pointers but no category")
        for reading, together in enumerate(_list_readings(source, targets)):
            for target in together:
                if target not in number:
                    raise ValueError(f"target {target!r} of {source!r} is neither in the text order nor discourse")
                links.append((source, number[target], reading))
    data = pointed_values(
        _as_answers(units, others, categories, links),
        mode=mode,
        top=top,
        unmarked=unmarked,
        readings=readings,
        plural=plural,
    )
    return _list_values(data, units, categories)


def index_labels[M: Hashable, I: Hashable](
    order: Sequence[M],
    indices: Mapping[M, Collection[I]],
    unmarked: str = "singleton",
    *,
    categories: Mapping[M, Label] | None = None,
    readings: str = "union",
) -> dict[M, Value]:
    """Return the value of each markable for a coder who indexed: the union of the classes of its indices.

    `indices[m]` is the indices of m. Where it has none at all (NIL), m has its label in `categories` as its value; if
    there is none, m is a class of its own (Passonneau 2004). A markable with two indices is in both classes and does
    not merge them; with readings="matched" its value is the classes as its `Readings`. `unmarked` is as in
    `chain_labels`, for the markables of `order` that are not in `indices`. Raises ValueError for an unknown option, a
    markable that comes twice in `order`, and an indexed one that is not in it.

    >>> values = index_labels("ABCD", {"A": {1}, "B": {1, 2}, "C": {2}, "D": set()})
    >>> {markable: "".join(sorted(value)) for markable, value in values.items()}
    {'A': 'AB', 'B': 'ABC', 'C': 'BC', 'D': 'D'}
    >>> index_labels("AB", {"A": set(), "B": set()}, categories={"A": "none"})
    {'A': 'none', 'B': frozenset({'B'})}
    """
    _check_order(order, indices)
    number: dict[I, int] = {}
    links = [
        (m, number.setdefault(name, len(number)), place)
        for m, names in indices.items()
        for place, name in enumerate(names)
    ]
    labels = {m: (categories or {}).get(m, _ALONE) for m in indices}
    answers = _as_answers(order, (), labels, links)
    data = indexed_values(answers, unmarked=unmarked, singletons=[_ALONE], readings=readings)
    return _list_values(data, order, indices)


def _check_order(order: Sequence[Hashable], coded: Iterable[Hashable]) -> None:
    counts = Counter(order)
    for markable, n in counts.items():
        if n > 1:
            raise ValueError(f"markable {markable!r} comes twice in the text order")
    for markable in coded:
        if markable not in counts:
            raise ValueError(f"markable {markable!r} is not in the text order")


def _list_readings[M: Hashable](source: M, targets: Collection[M | Set[M]]) -> Collection[frozenset[Any]]:
    readings = dict.fromkeys(
        frozenset(target)
        if isinstance(targets, list | tuple) and isinstance(target, Set | list)
        else frozenset([target])
        for target in targets
    )
    if not all(readings):
        raise ValueError(f"a reading of {source!r} has no target")
    return readings


def _as_answers[M: Hashable](
    units: Sequence[M], others: Sequence[M], labels: Mapping[M, Label], links: Sequence[tuple[M, int, int]]
) -> Answers:
    """Return what one coder answered in one text. A link has a markable, and the numbers of its target and reading."""
    place, row = ({m: number for number, m in enumerate(names)} for names in (labels, units))
    code = {label: number for number, label in enumerate(dict.fromkeys(labels.values()))}
    link_of, link_to, reading = (
        np.array([(place[m], target, number) for m, target, number in links], dtype=np.int64).reshape(-1, 3).T
    )
    return Answers(
        units=units,
        others=others,
        coders=[None],
        documents=[None],
        labels=list(code),
        document_of_unit=np.zeros(len(units), dtype=np.int64),
        unit=np.array([row[m] for m in labels], dtype=np.int64),
        coder=np.zeros(len(labels), dtype=np.int64),
        label=np.array([code[label] for label in labels.values()], dtype=np.int64),
        link_of=link_of,
        link_to=link_to,
        handed_in=np.ones((1, 1), dtype=np.bool_),
        reading=reading,
    )


def _list_values[M: Hashable](data: ReliabilityData, units: Sequence[M], coded: Iterable[M]) -> dict[M, Value]:
    """Return the values of the only coder, first the values of coded markables."""
    values = [data.value(code) for code in range(data.n_values)]
    codes = dict(zip(units, data.codes[:, 0].tolist(), strict=True))
    return {m: values[codes[m]] for m in dict.fromkeys((*coded, *units)) if codes[m] != MISSING}
