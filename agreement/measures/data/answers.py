"""From what several coders marked in many documents to reliability data, all at once, in arrays.

The values are those of `chain_labels` and `index_labels`, which say coder by coder and document by document what a
value is. Here an answer belongs to one or more classes (the tops of its chain, or its indices), and its value is the
union of what belongs to them.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from agreement.measures.cells import MISSING, Cells, first_rows, offsets
from agreement.measures.chains import MODES, TOPS, UNMARKED, UNMARKED_LABEL, tops_of
from agreement.measures.data import ReliabilityData
from agreement.measures.options import check
from agreement.measures.values import Bools, Ints, Label, each_once


@dataclass(frozen=True, eq=False)
class Answers:
    """What coders answered, in integers.

    A unit, coder, label and document is its place in the sequence of that name; units stand in text order. `unit`,
    `coder` and `label` have one entry per judgement, at most one for a unit and coder; the label -1 is an answer that
    has no value. `link_of` and `link_to` have one entry per link: the judgement, and what it links to. Where coders
    point, that is a unit, or len(units) + the place in `others` of what is not coded itself. Where they index, it
    is a number that stands for an index; the same number of two coders or of two documents is two indices.
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


@dataclass(frozen=True, eq=False)
class _Sets:
    """Sets of members in compressed rows, ascending within each."""

    starts: Ints
    members: Ints

    @property
    def sizes(self) -> Ints:
        return np.diff(self.starts)

    def taken(self, chosen: Ints, sizes: Ints | None = None) -> "_Sets":
        """The chosen sets, or as many of the first members of each as `sizes` says."""
        sizes = self.sizes[chosen] if sizes is None else sizes
        return _Sets(_starts(sizes), self.members[np.repeat(self.starts[chosen], sizes) + offsets(sizes)])

    @classmethod
    def of_pairs(cls, sets: Ints, members: Ints, n: int, width: int) -> "_Sets":
        """The sets 0..n-1 from pairs of a set and a member below `width`; a pair that comes twice counts once."""
        sets, members = np.divmod(each_once(sets * width + members), max(width, 1))
        return cls(_starts(np.bincount(sets, minlength=n)), members)

    def and_then(self, more: "_Sets") -> "_Sets":
        """These sets and then the others."""
        starts = np.concatenate((self.starts, more.starts[1:] + self.starts[-1]))
        return _Sets(starts, np.concatenate((self.members, more.members)))


@dataclass(frozen=True, eq=False)
class _Given:
    """Sets, and the judgements that have one of them as their value."""

    sets: _Sets
    judgements: Ints
    set_of: Ints


def pointed_values(
    answers: Answers, *, mode: str = "full", top: str = "category", unmarked: str = "missing"
) -> ReliabilityData:
    """The data of coders who pointed: the values of `chain_labels`, with its options and ValueErrors for them.

    Linear in judgements, but for answers with several pointers, which are followed one by one.

    >>> one = np.zeros(3, dtype=np.int64)
    >>> answers = Answers("abc", "", ["Ann"], ["text"], ["place", "phrase"], one, np.arange(3), one,
    ...     np.array([0, 1, 1]), np.array([1, 2]), np.array([0, 1]), np.ones((1, 1), dtype=np.bool_))
    >>> [sorted(value) if isinstance(value, frozenset) else value for value in pointed_values(answers).values]
    [['a', 'b', 'c'], 'place']
    """
    check("mode", mode, MODES)
    check("top", top, TOPS)
    width = len(answers.units) + len(answers.others)
    node = answers.coder * width + answers.unit  # of each judgement: what a coder says of a member
    pointing = np.zeros(len(node), dtype=np.bool_)
    pointing[answers.link_of] = True
    source = node[answers.link_of]
    target = answers.coder[answers.link_of] * width + answers.link_to
    own = pointing | np.isin(node, target) if top == "chain" else pointing
    chosen = np.flatnonzero(own)
    if mode == "none":
        sets = _Sets.of_pairs(answers.link_of, answers.link_to, len(node), width)
        return _data(answers, _Given(sets, chosen, chosen), unmarked)
    nodes, place = np.unique(np.concatenate((source, target)), return_inverse=True)
    classes = _classes(place[: len(source)], place[len(source) :], len(nodes))
    given = _unions(classes, nodes % max(width, 1), width, np.searchsorted(nodes, node[chosen]), chosen)
    if mode == "partial":
        given = _before(given, answers.unit[chosen], len(answers.units))
    return _data(answers, given, unmarked)


def indexed_values(answers: Answers, *, unmarked: str = "missing") -> ReliabilityData:
    """The data of coders who indexed: the values of `index_labels`. Every answer that has a value is a set.

    >>> one = np.zeros(2, dtype=np.int64)
    >>> answers = Answers("ab", "", ["Ann"], ["text"], ["refers"], one, np.arange(2), one, one,
    ...     np.array([0, 1]), np.array([7, 7]), np.ones((1, 1), dtype=np.bool_))
    >>> [sorted(value) for value in indexed_values(answers).values]
    [['a', 'b']]
    """
    width = len(answers.units)
    n_judgements, n_indices = len(answers.unit), int(answers.link_to.max(initial=-1)) + 1
    of_judgement = answers.document_of_unit[answers.unit] * len(answers.coders) + answers.coder
    index = of_judgement[answers.link_of] * n_indices + answers.link_to
    # an answer without any index is a class of its own
    indexed = np.zeros(n_judgements, dtype=np.bool_)
    indexed[answers.link_of] = True
    alone = np.flatnonzero(~indexed & (answers.label != MISSING))
    _, number = np.unique(index, return_inverse=True)
    n_classes = int(number.max(initial=-1)) + 1
    classes = _Sets.of_pairs(
        np.concatenate((answers.link_of, alone)),
        np.concatenate((number, n_classes + np.arange(len(alone)))),
        n_judgements,
        n_classes + len(alone),
    )
    chosen = np.flatnonzero(indexed | (answers.label != MISSING))
    return _data(answers, _unions(classes, answers.unit, width, chosen, chosen), unmarked)


def labelled_values(answers: Answers) -> ReliabilityData:
    """The data of the labels alone, whatever is linked; what nobody judged is missing.

    >>> one = np.zeros(2, dtype=np.int64)
    >>> answers = Answers("ab", "", ["Ann"], ["text"], ["place", "none"], one, np.arange(2), one, one + 1,
    ...     one[:0], one[:0], np.ones((1, 1), dtype=np.bool_))
    >>> labelled_values(answers).values
    ('none',)
    """
    codes = np.full((len(answers.units), len(answers.coders)), MISSING, dtype=np.int64)
    codes[answers.unit, answers.coder] = answers.label
    content = _cells(codes, answers.labels, _Sets(_starts(answers.unit[:0]), answers.unit[:0]), ())
    return ReliabilityData(answers.units, answers.coders, answers.documents, answers.document_of_unit, content)


def _classes(source: Ints, target: Ints, n: int) -> _Sets:
    """For each of n nodes the tops that it reaches by pointers; a cycle that nothing leaves is one top."""
    degree = np.bincount(source, minlength=n)
    parent = np.arange(n)
    single = degree[source] == 1
    parent[source[single]] = target[single]
    step = parent
    for _ in range(max(n, 2).bit_length()):
        parent = parent[parent]
    # what has several pointers, or goes round in a cycle, is followed on what is left
    last = step[parent] == parent
    branching = np.flatnonzero((degree > 1) | ~last)
    followed = np.isin(source, branching)
    reduced: dict[int, list[int]] = {}
    round_ = ~last
    for node, to in zip(source[followed].tolist(), target[followed].tolist(), strict=True):
        reduced.setdefault(node, []).append(to if round_[to] else int(parent[to]))
    tops = tops_of(reduced)
    root = np.where(last, parent, np.arange(n))
    several = np.array([node for node in tops if degree[node]], dtype=np.int64)
    reached = [sorted(tops[node]) for node in several.tolist()]
    sizes = np.array([len(one) for one in reached], dtype=np.int64)
    rows = np.zeros(n, dtype=np.int64)
    rows[several] = np.arange(len(several))
    is_several = np.zeros(n, dtype=np.bool_)
    is_several[several] = True
    through = is_several[root]
    ends = _Sets(_starts(sizes), np.array([top for one in reached for top in one], dtype=np.int64))
    nodes = np.flatnonzero(through)
    more = ends.taken(rows[root[nodes]])
    plain = np.flatnonzero(~through)
    return _Sets.of_pairs(
        np.concatenate((plain, np.repeat(nodes, more.sizes))), np.concatenate((root[plain], more.members)), n, n
    )


def _unions(classes: _Sets, member: Ints, width: int, rows: Ints, judgements: Ints) -> _Given:
    """The value of each of the rows, the union of its classes.

    `classes` has the classes of each row, `member` the member that each row is, `judgements` the judgement of each
    of `rows`. Rows of the same classes share a set.
    """
    n_classes = int(classes.members.max(initial=-1)) + 1
    row = np.repeat(np.arange(len(classes.starts) - 1), classes.sizes)
    belonging = _Sets.of_pairs(classes.members, member[row], n_classes, width)
    sizes = classes.sizes[rows]
    set_of = np.zeros(len(rows), dtype=np.int64)
    alone = sizes == 1
    set_of[alone] = classes.members[classes.starts[rows[alone]]]
    combinations: dict[bytes, int] = {}
    first = []
    for place in np.flatnonzero(~alone).tolist():
        at = classes.starts[rows[place]]
        combination = classes.members[at : at + sizes[place]].tobytes()
        if combination not in combinations:
            combinations[combination] = n_classes + len(combinations)
            first.append(place)
        set_of[place] = combinations[combination]
    several = classes.taken(rows[first]) if first else _Sets(_starts(sizes[:0]), classes.members[:0])
    together = belonging.taken(several.members)
    union = np.repeat(np.repeat(np.arange(len(first)), several.sizes), together.sizes)
    unions = _Sets.of_pairs(union, together.members, len(first), width)
    return _Given(belonging.and_then(unions), judgements, set_of)


def _before(given: _Given, unit: Ints, n_units: int) -> _Given:
    """Of each value the members before its unit in the text, and those that are no units; never the unit itself."""
    sets = given.sets
    set_of_member = np.repeat(np.arange(len(sets.starts) - 1), sets.sizes)
    width = n_units + 1
    key = set_of_member * width + np.minimum(sets.members, n_units)
    begin = sets.starts[given.set_of]
    before = np.searchsorted(key, given.set_of * width + unit) - begin
    units = np.searchsorted(key, given.set_of * width + n_units) - begin
    others = sets.sizes[given.set_of] - units
    prefix = sets.taken(given.set_of, before)
    tail = np.repeat(begin + units, others) + offsets(others)
    n = len(given.set_of)
    rows = np.concatenate((np.repeat(np.arange(n), before), np.repeat(np.arange(n), others)))
    members = np.concatenate((prefix.members, sets.members[tail]))
    order = np.argsort(rows, kind="stable")  # units come first in each, as their numbers do
    return _Given(_Sets(_starts(before + others), members[order]), given.judgements, np.arange(n))


def _data(answers: Answers, given: _Given, unmarked: str) -> ReliabilityData:
    check("unmarked", unmarked, UNMARKED)
    n_labels = len(answers.labels)
    codes = np.full((len(answers.units), len(answers.coders)), MISSING, dtype=np.int64)
    judged = np.zeros(codes.shape, dtype=np.bool_)
    judged[answers.unit, answers.coder] = True
    codes[answers.unit, answers.coder] = answers.label
    valued = answers.label[given.judgements] != MISSING
    judgements, set_of = given.judgements[valued], given.set_of[valued]
    used, place = np.unique(set_of, return_inverse=True)
    sets = given.sets.taken(used)
    codes[answers.unit[judgements], answers.coder[judgements]] = n_labels + 1 + place
    silent = np.nonzero(~judged & answers.handed_in[answers.document_of_unit])
    if unmarked == "label":
        codes[silent] = n_labels
    elif unmarked == "singleton":
        units, number = np.unique(silent[0], return_inverse=True)
        codes[silent] = n_labels + 1 + len(used) + number
        sets = sets.and_then(_Sets(np.arange(len(units) + 1), units))
    content = _cells(codes, [*answers.labels, UNMARKED_LABEL], sets, tuple(answers.others))
    return ReliabilityData(answers.units, answers.coders, answers.documents, answers.document_of_unit, content)


def _cells(codes: Ints, labels: Sequence[Label], sets: _Sets, others: tuple[Label, ...]) -> Cells:
    """Cells with each label and each set once, those that are used, labels in the order of their appearance."""
    same: dict[bytes, int] = {}
    ends = sets.starts.tolist()
    whole, size = sets.members.astype(np.int64).tobytes(), 8
    set_number = np.array(
        [same.setdefault(whole[size * a : size * b], len(same)) for a, b in pairwise(ends)],
        dtype=np.int64,
    )
    distinct = first_rows(set_number, len(same))
    kinds: dict[Label, int] = {}
    label_number = np.array([kinds.setdefault(label, len(kinds)) for label in labels], dtype=np.int64)
    flat = codes.ravel()
    is_label = (flat >= 0) & (flat < len(labels))
    appeared = label_number[flat[is_label]]
    begins = first_rows(appeared, len(kinds))
    order = np.argsort(begins)
    order = order[begins[order] < len(appeared)]
    new = np.full(len(kinds), MISSING, dtype=np.int64)
    new[order] = np.arange(len(order))
    names = list(kinds)
    number = np.concatenate((new[label_number], len(order) + set_number, [MISSING]))
    kept = sets.taken(distinct)
    used = each_once(kept.members[kept.members >= len(codes)]) - len(codes)
    members = kept.members
    if len(used) < len(others):
        place = np.zeros(len(others), dtype=np.int64)
        place[used] = np.arange(len(used))
        outside = members >= len(codes)
        members = members.copy()
        members[outside] = len(codes) + place[members[outside] - len(codes)]
    return Cells(
        codes=number[codes],
        labels=tuple(names[i] for i in order.tolist()),
        starts=kept.starts,
        members=members,
        others=tuple(others[i] for i in used.tolist()),
    )


def _starts(sizes: Ints) -> Ints:
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(sizes, dtype=np.int64)))
