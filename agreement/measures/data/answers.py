"""Reliability data from the answers of several coders in many documents, computed in arrays.

What a value is, `chain_labels` and `index_labels` say. An answer belongs to one or more classes (the tops of its chain,
or its indices), and its value is the union of what belongs to them.
"""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ..options import check_option
from ..values import Bools, Ints, Label
from .arrays import (
    SetRows,
    factorize_integers,
    find_classes,
    first_positions,
    group,
    reach,
    row_starts,
    run_offsets,
    sorted_unique,
)
from .cells import MISSING, Cells, ReadingBits, keep_others, pack_readings
from .reliability_data import ReliabilityData, check_members
from .subsets import drop_unused

MODES = ("full", "partial", "none")
TOPS = ("category", "chain")
READINGS = ("union", "matched")
PLURALS = ("targets", "entity")
UNMARKED = ("singleton", "label", "missing")
UNMARKED_LABEL = "unmarked"


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers of coders, in integers.

    A unit, coder, label and document is its place in the sequence of that name; units stand in text order. `unit`,
    `coder` and `label` have one entry per judgement, at most one for a unit and coder; the label -1 is an answer that
    has no value. `link_of` and `link_to` have one entry per link: the judgement, and what it links to. Where coders
    point, that is a unit, or len(units) + the place in `others` of what is not coded itself. Where they index, it
    is a number that stands for an index; the same number of two coders or of two documents is two indices. `reading`
    has the reading of each link: links of one judgement with equal numbers are meant together, others are alternatives.
    Without it each link is a reading of its own; where coders index it is of no use.
    `handed_in` (documents, coders) says whose silence on a unit means something.
    """

    units: Sequence[Hashable]
    others: Sequence[Hashable]
    coders: Sequence[Hashable]
    documents: Sequence[Hashable]
    labels: Sequence[Label]
    document_of_unit: Ints
    unit: Ints
    coder: Ints
    label: Ints
    link_of: Ints
    link_to: Ints
    handed_in: Bools
    reading: Ints | None = None

    @property
    def n_readings(self) -> Ints:
        """The number of readings of each judgement: one with two or more is ambiguous."""
        if self.reading is None:
            return np.bincount(self.link_of, minlength=len(self.unit))
        readings = sorted_unique(self.link_of * self._width + self.reading)
        return np.bincount(readings // self._width, minlength=len(self.unit))

    @property
    def plural(self) -> Bools:
        """Which links are of a plural reading: one of several targets."""
        plural = np.zeros(len(self.link_of), dtype=np.bool_)
        if self.reading is None:
            return plural
        number = self.link_of * self._width + self.reading
        if len(self.unit) * self._width > 8 * len(number) + 1024:
            number = np.unique(number, return_inverse=True)[1]
        together = np.flatnonzero(np.bincount(number, minlength=1)[number] > 1)
        width = int(self.link_to.max(initial=0)) + 1
        readings = sorted_unique(number[together] * width + self.link_to[together]) // width
        plural[together] = np.isin(number[together], readings[1:][readings[1:] == readings[:-1]])
        return plural

    @property
    def _width(self) -> int:
        return 0 if self.reading is None else int(self.reading.max(initial=0)) + 1


@dataclass(frozen=True, eq=False)
class _Links:
    """The links as pairs of nodes; a node is a member as one coder sees it, coder * width + member."""

    width: int
    node: Ints
    source: Ints
    target: Ints
    plural: Bools

    @classmethod
    def from_answers(cls, answers: Answers) -> "_Links":
        width = len(answers.units) + len(answers.others)
        node = answers.coder * width + answers.unit
        target = answers.coder[answers.link_of] * width + answers.link_to
        return cls(width, node, node[answers.link_of], target, answers.plural)


def pointed_values(
    answers: Answers,
    *,
    mode: str = "full",
    top: str = "category",
    unmarked: str = "missing",
    readings: str = "union",
    plural: str = "targets",
) -> ReliabilityData:
    """Return the data of coders who pointed: the values of `chain_labels`, with its options and ValueErrors for them.

    Linear in judgements, but for answers with several pointers, which are followed one by one.

    >>> one = np.zeros(3, dtype=np.int64)
    >>> answers = Answers("abc", "", ["Ann"], ["text"], ["place", "phrase"], one, np.arange(3), one,
    ...     np.array([0, 1, 1]), np.array([1, 2]), np.array([0, 1]), np.ones((1, 1), dtype=np.bool_))
    >>> [sorted(value) if isinstance(value, frozenset) else value for value in pointed_values(answers).values]
    [['a', 'b', 'c'], 'place']
    """
    check_option("mode", mode, MODES)
    check_option("top", top, TOPS)
    check_option("readings", readings, READINGS)
    check_option("plural", plural, PLURALS)
    links = _Links.from_answers(answers)
    pointing = np.zeros(len(links.node), dtype=np.bool_)
    pointing[answers.link_of] = True
    own = pointing | np.isin(links.node, links.target) if top == "chain" else pointing
    chosen = np.flatnonzero(own)
    if mode == "none":
        sets, set_of = SetRows.from_pairs(answers.link_of, answers.link_to, len(links.node), links.width), chosen
    else:
        sets, set_of = _unite_chains(links, chosen, plural)
        if mode == "partial":
            sets, set_of = _select_preceding(sets, set_of, answers.unit[chosen], len(answers.units))
    data = _build_data(answers, sets, chosen, set_of, unmarked)
    return _split_readings(data, answers, links, mode, plural) if readings == "matched" else data


def indexed_values(
    answers: Answers, *, unmarked: str = "missing", singletons: Collection[Label] | None = None, readings: str = "union"
) -> ReliabilityData:
    """Return the data of coders who indexed: the values of `index_labels`. `readings` is as there.

    An answer without an index is the set of its unit alone if its label is among `singletons`, and else the label.
    None: all labels are, so that every answer that has a value is a set.

    >>> one = np.zeros(2, dtype=np.int64)
    >>> answers = Answers("ab", "", ["Ann"], ["text"], ["refers"], one, np.arange(2), one, one,
    ...     np.array([0, 1]), np.array([7, 7]), np.ones((1, 1), dtype=np.bool_))
    >>> [sorted(value) for value in indexed_values(answers).values]
    [['a', 'b']]
    """
    check_option("readings", readings, READINGS)
    width = len(answers.units)
    n_judgements, n_indices = len(answers.unit), int(answers.link_to.max(initial=-1)) + 1
    of_judgement = answers.document_of_unit[answers.unit] * len(answers.coders) + answers.coder
    index = of_judgement[answers.link_of] * n_indices + answers.link_to
    indexed = np.zeros(n_judgements, dtype=np.bool_)
    indexed[answers.link_of] = True
    valued = answers.label != MISSING
    is_singleton = np.array([singletons is None or label in singletons for label in answers.labels], dtype=np.bool_)
    is_alone = ~indexed & valued
    is_alone[is_alone] = is_singleton[answers.label[is_alone]]
    alone = np.flatnonzero(is_alone)
    _, number = np.unique(index, return_inverse=True)
    n_classes = int(number.max(initial=-1)) + 1
    classes = SetRows.from_pairs(
        np.concatenate((answers.link_of, alone)),
        np.concatenate((number, n_classes + np.arange(len(alone)))),
        n_judgements,
        n_classes + len(alone),
    )
    chosen = np.flatnonzero(indexed | is_alone)
    sets, set_of = _unite_classes(classes, answers.unit, width, chosen)
    data = _build_data(answers, sets, chosen, set_of, unmarked)
    if readings == "union":
        return data
    of_class = SetRows.from_pairs(number, answers.unit[answers.link_of], n_classes, width)
    members = [part.tolist() for part in np.split(of_class.members, of_class.starts[1:-1])]
    indices = _group_links(answers, number, answers.link_to)
    return _with_readings(data, answers, {j: [members[c] for (c,) in own] for j, own in indices.items()})


def labelled_values(answers: Answers, *, unmarked: str = "missing", second: bool = False) -> ReliabilityData:
    """Return the data of the labels alone, without links. `unmarked` is as in `chain_labels`, without "singleton".

    second: what a judgement links to is a label, its second choice, by its place among the labels, and the value is
    then the pair of both, as in `augmented_kappa`.

    >>> one = np.zeros(2, dtype=np.int64)
    >>> answers = Answers("ab", "", ["Ann"], ["text"], ["place", "none"], one, np.arange(2), one, one + 1,
    ...     one[:0], one[:0], np.ones((1, 1), dtype=np.bool_))
    >>> labelled_values(answers).values
    ('none',)
    """
    check_option("unmarked", unmarked, ("missing", "label"))
    pairs: list[Label] = []
    label = answers.label
    if second and len(answers.link_of):
        both = label[answers.link_of] * len(answers.labels) + answers.link_to
        distinct, place = np.unique(both, return_inverse=True)
        label = label.copy()
        label[answers.link_of] = len(answers.labels) + 1 + place
        pairs = [
            (answers.labels[first], answers.labels[other])
            for first, other in zip(*(part.tolist() for part in np.divmod(distinct, len(answers.labels))), strict=True)
        ]
    return _data_of_labels(answers, label, pairs, unmarked)


def label_sets(answers: Answers, *, empty: Label = None, unmarked: str = "missing") -> ReliabilityData:
    """Return the data of coders who gave several labels: a value is the set of labels to which a judgement links.

    What a judgement links to is a place among the labels. Without links it has its label, or the empty set where that
    is `empty`. `unmarked` is as in `labelled_values`. The sets are of labels, which mean the same in every document.

    >>> one = np.zeros(2, dtype=np.int64)
    >>> answers = Answers("ab", "", ["Ann"], ["text"], ["joy", "fear"], one, np.arange(2), one, one,
    ...     np.array([0, 0, 1]), np.array([0, 1, 0]), np.ones((1, 1), dtype=np.bool_))
    >>> [sorted(value) for value in label_sets(answers).values]
    [['fear', 'joy'], ['joy']]
    """
    check_option("unmarked", unmarked, ("missing", "label"))
    has_label = np.zeros((len(answers.unit), len(answers.labels)), dtype=np.bool_)
    has_label[answers.link_of, answers.link_to] = True
    linked = np.zeros(len(answers.unit), dtype=np.bool_)
    linked[answers.link_of] = True
    if empty in answers.labels:
        linked |= answers.label == list(answers.labels).index(empty)
    distinct, place = np.unique(np.packbits(has_label[linked], axis=1), axis=0, return_inverse=True)
    chosen = np.unpackbits(distinct, axis=1, count=len(answers.labels)) if len(distinct) else distinct
    sets = [frozenset(answers.labels[column] for column in np.flatnonzero(row).tolist()) for row in chosen]
    label = answers.label.copy()
    label[linked & (label != MISSING)] = (len(answers.labels) + 1 + place.ravel())[label[linked] != MISSING]
    return _data_of_labels(answers, label, sets, unmarked)


def _data_of_labels(answers: Answers, label: Ints, more: Sequence[Label], unmarked: str) -> ReliabilityData:
    """Return the data of judgements without sets; more labels are numbered after that of what is unmarked."""
    nothing = label[:0]
    labelled = replace(answers, label=label)
    return _build_data(labelled, SetRows(row_starts(nothing), nothing), nothing, nothing, unmarked, more=more)


def _unite_chains(links: _Links, chosen: Ints, plural: str) -> tuple[SetRows, Ints]:
    """Return sets, and the index of the chain of each chosen judgement.

    A chain is the union of what reaches, by links that are a reading alone, the tops of such links that a judgement
    reaches by all links; where what is plural is an entity of its own, by such links only.
    """
    nodes, place = np.unique(np.concatenate((links.source, links.target)), return_inverse=True)
    n, source, target = len(nodes), place[: len(links.source)], place[len(links.source) :]
    if links.plural.any():
        alone = ~links.plural
        classes = reached = find_classes(source[alone], target[alone], n)
        if plural == "targets":
            tops = sorted_unique(classes.members)
            reached = find_classes(np.concatenate((source, tops)), np.concatenate((target, n + tops)), 2 * n)
            reached = reached.select(np.arange(n))
            reached = SetRows(reached.starts, reached.members - n)
    else:
        classes = reached = find_classes(source, target, n)
    member, rows = nodes % max(links.width, 1), np.searchsorted(nodes, links.node[chosen])
    return _unite_classes(classes, member, links.width, rows, reached)


def _split_readings(data: ReliabilityData, answers: Answers, links: _Links, mode: str, plural: str) -> ReliabilityData:
    targets = _group_links(answers, links.target, answers.link_to if answers.reading is None else answers.reading)
    if not targets:
        return data
    work = answers.document_of_unit[answers.unit] * len(answers.coders) + answers.coder
    near = np.isin(work[answers.link_of], work[list(targets)])
    alone = near & ~links.plural
    followed = near if plural == "targets" else alone
    up = group(links.source[followed], links.target[followed])
    down = group(links.target[alone], links.source[alone])
    n_units, width = len(answers.units), links.width

    def members(node: int, reading: list[int]) -> list[int]:
        """Return the members of a reading: all nodes that it reaches without the node, and all that reach these."""
        chain: Iterable[int] = reading
        if mode != "none":
            first = reading if plural == "targets" or len(set(reading)) == 1 else ()
            chain = reach(reach(first, up, {node}), down)
        numbers = [member % width for member in chain]
        return [n for n in numbers if n < node % width or n >= n_units] if mode == "partial" else numbers

    nodes = links.node.tolist()
    readings = {judgement: [members(nodes[judgement], given) for given in own] for judgement, own in targets.items()}
    return _with_readings(data, answers, readings)


def _group_links(answers: Answers, targets: Ints, readings: Ints) -> dict[int, list[list[int]]]:
    """Return the targets of each reading, for each ambiguous judgement with a value."""
    ambiguous = (answers.n_readings > 1) & (answers.label != MISSING)
    own = np.flatnonzero(ambiguous[answers.link_of])
    places: dict[int, dict[int, list[int]]] = {judgement: {} for judgement in np.flatnonzero(ambiguous).tolist()}
    for judgement, reading, target in zip(
        answers.link_of[own].tolist(), readings[own].tolist(), targets[own].tolist(), strict=True
    ):
        places[judgement].setdefault(reading, []).append(target)
    return {judgement: list(of_judgement.values()) for judgement, of_judgement in places.items()}


def _with_readings(
    data: ReliabilityData, answers: Answers, readings: Mapping[int, Sequence[Sequence[int]]]
) -> ReliabilityData:
    """Return the data with these readings as values of some judgements; members are unit numbers, then other ids."""
    cells, n_units = data.cells, len(answers.units)
    used = {other: n_units + place for place, other in enumerate(cells.others)}
    number = [*range(n_units), *(used.get(other, MISSING) for other in answers.others)]
    codes = cells.codes.copy()
    known: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
    counts: list[int] = []
    begin = len(cells.labels) + len(cells.starts) - 1
    for judgement, of_judgement in readings.items():
        count, union, bits = pack_readings([number[member] for member in reading] for reading in of_judgement)
        if count > 1:
            code = known.setdefault((tuple(union), tuple(bits)), begin + len(known))
            codes[answers.unit[judgement], answers.coder[judgement]] = code
            if len(counts) < len(known):
                counts.append(count)
    sizes = np.array([len(union) for union, _ in known], dtype=np.int64)
    content = replace(
        cells,
        codes=codes,
        starts=np.concatenate((cells.starts, cells.starts[-1] + np.cumsum(sizes))),
        members=np.concatenate((cells.members, np.array([n for union, _ in known for n in union], dtype=np.int64))),
        readings=ReadingBits(
            np.concatenate((np.ones(len(cells.starts) - 1, dtype=np.int64), np.array(counts, dtype=np.int64))),
            np.concatenate((np.ones_like(cells.members), np.array([bit for _, own in known for bit in own], np.int64))),
        ),
    )
    return replace(data, content=drop_unused(content))


def _unite_classes(
    classes: SetRows, member: Ints, width: int, rows: Ints, reached: SetRows | None = None
) -> tuple[SetRows, Ints]:
    """Return sets, and the index of the value of each row: the union of its classes.

    `classes` has the classes of each row, `member` the member that each row is. `reached` has the classes of which the
    value of each row is made, where they are not those that it is in. Rows of the same classes share a set.
    """
    reached = classes if reached is None else reached
    n_classes = int(classes.members.max(initial=-1)) + 1
    row = np.repeat(np.arange(len(classes.starts) - 1), classes.sizes)
    belonging = SetRows.from_pairs(classes.members, member[row], n_classes, width)
    sizes = reached.sizes[rows]
    set_of = np.zeros(len(rows), dtype=np.int64)
    alone = sizes == 1
    set_of[alone] = reached.members[reached.starts[rows[alone]]]
    combinations: dict[bytes, int] = {}
    first = []
    for place in np.flatnonzero(~alone).tolist():
        at = reached.starts[rows[place]]
        combination = reached.members[at : at + sizes[place]].tobytes()
        if combination not in combinations:
            combinations[combination] = n_classes + len(combinations)
            first.append(place)
        set_of[place] = combinations[combination]
    several = reached.select(rows[np.array(first, dtype=np.int64)])
    together = belonging.select(several.members)
    union = np.repeat(np.repeat(np.arange(len(first)), several.sizes), together.sizes)
    return belonging.concatenate(SetRows.from_pairs(union, together.members, len(first), width)), set_of


def _select_preceding(sets: SetRows, set_of: Ints, unit: Ints, n_units: int) -> tuple[SetRows, Ints]:
    """Return for each unit the members of its set that precede it in the text or are no units."""
    set_of_member = np.repeat(np.arange(len(sets.starts) - 1), sets.sizes)
    width = n_units + 1
    key = set_of_member * width + np.minimum(sets.members, n_units)
    begin = sets.starts[set_of]
    before = np.searchsorted(key, set_of * width + unit) - begin
    units = np.searchsorted(key, set_of * width + n_units) - begin
    others = sets.sizes[set_of] - units
    prefix = sets.select(set_of, before)
    tail = np.repeat(begin + units, others) + run_offsets(others)
    rows = np.arange(len(set_of))
    members = np.concatenate((prefix.members, sets.members[tail]))
    order = np.argsort(np.concatenate((np.repeat(rows, before), np.repeat(rows, others))), kind="stable")
    return SetRows(row_starts(before + others), members[order]), rows


def values_of_sets(
    answers: Answers, starts: Ints, members: Ints, set_of: Ints, *, unmarked: str = "missing"
) -> ReliabilityData:
    """Return the data of judgements with given sets, without links. `unmarked` is as in `chain_labels`.

    `members[starts[s]:starts[s + 1]]` are those of a set, ascending: units by their numbers, then the others. No two
    sets are equal, and each has members of one document. `set_of` has the set of each judgement, or -1 where its value
    is its label.
    """
    judgements = np.flatnonzero(set_of >= 0)
    return _build_data(answers, SetRows(starts, members), judgements, set_of[judgements], unmarked, distinct=True)


def _build_data(
    answers: Answers,
    sets: SetRows,
    judgements: Ints,
    set_of: Ints,
    unmarked: str,
    *,
    distinct: bool = False,
    more: Sequence[Label] = (),
) -> ReliabilityData:
    """Return the data with sets as values of some judgements; `distinct` promises different sets of one document."""
    check_option("unmarked", unmarked, UNMARKED)
    labels = [*answers.labels, UNMARKED_LABEL, *more]
    codes = np.full((len(answers.units), len(answers.coders)), MISSING, dtype=np.int64)
    judged = np.zeros(codes.shape, dtype=np.bool_)
    judged[answers.unit, answers.coder] = True
    codes[answers.unit, answers.coder] = answers.label
    valued = answers.label[judgements] != MISSING
    judgements, set_of = judgements[valued], set_of[valued]
    is_used = np.bincount(set_of, minlength=len(sets.starts) - 1) > 0
    used, place = np.flatnonzero(is_used), (np.cumsum(is_used) - 1)[set_of]
    sets = sets.select(used)
    codes[answers.unit[judgements], answers.coder[judgements]] = len(labels) + place
    if unmarked != "missing":
        silent = np.nonzero(~judged & answers.handed_in[answers.document_of_unit])
    if unmarked == "label":
        codes[silent] = len(answers.labels)
    elif unmarked == "singleton":
        place = np.full(len(answers.units), MISSING, dtype=np.int64)  # of the set that is a unit alone
        alone = np.flatnonzero(sets.sizes == 1)
        alone = alone[sets.members[sets.starts[alone]] < len(place)]
        place[sets.members[sets.starts[alone]]] = alone
        new = sorted_unique(silent[0][place[silent[0]] == MISSING])
        place[new] = len(used) + np.arange(len(new))
        codes[silent] = len(labels) + place[silent[0]]
        sets = sets.concatenate(SetRows(np.arange(len(new) + 1), new))
    content = _build_cells(codes, labels, sets, tuple(answers.others), distinct=distinct)
    data = ReliabilityData(answers.units, answers.coders, answers.documents, answers.document_of_unit, content)
    if not distinct:
        check_members(data)
    return data


def _build_cells(
    codes: Ints, labels: Sequence[Label], sets: SetRows, others: tuple[Label, ...], *, distinct: bool = False
) -> Cells:
    """Return cells with each label and each set in use once, labels in the order of their appearance."""
    set_number = np.arange(len(sets.starts) - 1)
    if not distinct:
        same: dict[bytes, int] = {}
        whole, size = sets.members.astype(np.int64).tobytes(), 8
        numbers = [same.setdefault(whole[size * a : size * b], len(same)) for a, b in pairwise(sets.starts.tolist())]
        set_number = np.array(numbers, dtype=np.int64)
        sets = sets.select(first_positions(set_number, len(same)))
    kinds: dict[Label, int] = {}
    label_number = np.array([kinds.setdefault(label, len(kinds)) for label in labels], dtype=np.int64)
    is_label = (codes >= 0) & (codes < len(labels))
    order, _ = factorize_integers(label_number[codes[is_label]])
    new = np.full(len(kinds), MISSING, dtype=np.int64)
    new[order] = np.arange(len(order))
    names = list(kinds)
    number = np.concatenate((new[label_number], len(order) + set_number, [MISSING]))
    members, others = keep_others(sets.members, others, len(codes))
    return Cells(number[codes], tuple(names[i] for i in order), sets.starts, members, others)
