"""Kappa of labels, two of which a coder may give to a unit (Rosenberg & Binkowski 2004)."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..data.arrays import run_offsets, sorted_unique
from ..data.cells import MISSING
from ..data.inputs import Data, as_data
from ..data.reliability_data import ReliabilityData
from ..results import KappaResult
from ..sums.sufficient_statistics import Matrix, SufficientStatistics, hstack_sums, register_statistics, sparse_sums
from ..values import Bools, Floats, Ints, Label
from .chance import ChanceCorrected


@dataclass(frozen=True, eq=False)
class _Votes:
    """The votes, an entry for each label that a judgement of a unit in use gives a share to; members follow labels."""

    unit: Ints
    coder: Ints
    label: Ints
    share: Floats
    n_labels: int
    n_members: int


@dataclass(frozen=True, eq=False)
class _AugmentedKappa(ChanceCorrected):
    p: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.5 <= self.p <= 1:
            raise ValueError(f"p is {self.p!r}; it must be from 0.5 to 1")

    @cached_property
    def votes(self) -> _Votes:
        cells, codes = self.data.cells, self.used_units.codes
        names: dict[Label, int] = {}
        parts = [_split_label(value, self.p, names) for value in self.data.labels]
        sizes = np.diff(cells.starts)
        # the empty set is a label: an answer that gives nothing
        empty = len(names)
        members = np.split(cells.members + empty + 1, cells.starts[1:-1]) if len(sizes) else []
        labels = [np.array([label for label, _ in part], dtype=np.int64) for part in parts]
        labels += [own if len(own) else np.array([empty], dtype=np.int64) for own in members]
        shares = [np.array([share for _, share in part]) for part in parts]
        shares += [np.full(max(size, 1), 1 / max(size, 1)) for size in sizes.tolist()]
        n_parts = np.array([len(own) for own in labels], dtype=np.int64)
        starts = np.cumsum(n_parts) - n_parts
        unit, coder = np.nonzero(codes != MISSING)
        value = codes[unit, coder]
        entry = np.repeat(starts[value], n_parts[value]) + run_offsets(n_parts[value])
        return _Votes(
            unit=np.repeat(unit, n_parts[value]),
            coder=np.repeat(coder, n_parts[value]),
            label=np.concatenate([np.zeros(0, dtype=np.int64), *labels])[entry],
            share=np.concatenate([np.zeros(0), *shares])[entry],
            n_labels=empty + 1,
            n_members=len(self.data.units) + len(cells.others),
        )

    @cached_property
    def agreements(self) -> Floats:
        votes, m = self.votes, self.used_units.coders
        width = votes.n_labels + votes.n_members
        keys, place = np.unique(votes.unit * width + votes.label, return_inverse=True)
        sums = np.bincount(place, weights=votes.share, minlength=len(keys))
        squares = np.bincount(place, weights=votes.share**2, minlength=len(keys))
        together = np.bincount(keys // width, weights=sums**2 - squares, minlength=len(m))
        agreements = np.full(len(m), np.nan)
        paired = m >= 2
        agreements[paired] = together[paired] / (m[paired] * (m[paired] - 1))
        return agreements

    def chance(self, by: str) -> tuple[Matrix, Callable[[Floats], Floats]]:
        """Return by document the judgements of each coder, the votes for labels, and the shared members of sets."""
        used, votes, n = self.used_units, self.votes, len(self.data.coders)
        documents, names = used.group_by(by)
        n_groups = len(names)
        rows, columns = np.nonzero(used.codes != MISSING)
        judged = sparse_sums(documents[rows], columns, np.ones(len(rows)), (n_groups, n))
        of_label = votes.label < votes.n_labels
        shared = sparse_sums(
            documents[votes.unit[of_label]],
            votes.coder[of_label] * votes.n_labels + votes.label[of_label],
            votes.share[of_label],
            (n_groups, n * votes.n_labels),
        )
        return hstack_sums(judged, shared, self._common_members(~of_label)), self._expected

    def _common_members(self, chosen: Bools) -> Floats:
        """Return for each document the overlap of the votes of each two coders for members of sets."""
        votes, n = self.votes, len(self.data.coders)
        keys, place = np.unique(votes.label[chosen], return_inverse=True)
        common = np.zeros((len(self.data.documents), n, n))
        if len(keys):
            from scipy import sparse

            table = sparse.csr_array(
                sparse.coo_array((votes.share[chosen], (place, votes.coder[chosen])), shape=(len(keys), n))
            )
            document = np.zeros(len(keys), dtype=np.int64)
            document[place] = self.used_units.documents[votes.unit[chosen]]
            for number in sorted_unique(document).tolist():
                of_document = table[np.flatnonzero(document == number)]
                common[number] = (of_document.T @ of_document).toarray()
        return common.reshape(len(common), n * n)

    def _expected(self, sums: Floats) -> Floats:
        n, n_labels = len(self.data.coders), self.votes.n_labels
        judged = sums[:, :n]
        shared = sums[:, n : n + n * n_labels].reshape(len(sums), n, n_labels)
        common = shared @ shared.transpose(0, 2, 1) + sums[:, n + n * n_labels :].reshape(len(sums), n, n)
        first, second = np.triu_indices(n, 1)
        room = judged[:, first] * judged[:, second]
        both = room > 0  # a coder without judgements has no votes
        agreed = np.divide(common[:, first, second], room, out=np.zeros_like(room), where=both)
        expected: Floats = agreed.sum(axis=1) / both.sum(axis=1)
        return expected

    def compute(self) -> KappaResult:
        observed = expected = None
        if (self.used_units.coders >= 2).any():
            total = np.asarray(self.statistics("document").sums.sum(axis=0)).reshape(1, -1)
            observed, expected = float(total[0, 0] / total[0, 1]), float(self._expected(total[:, 2:])[0])
        fields = self.result_of(observed, expected, len(sorted_unique(self.votes.label[self.votes.share > 0])))
        note = fields["note"].replace("by all coders", "by two coders")
        return KappaResult(**fields | {"parameters": {"p": str(self.p), "missing": self.missing}, "note": note})


def _augmented_statistics(
    data: ReliabilityData, by: str, p: float = 0.5, *, missing: str = "available"
) -> SufficientStatistics | None:
    if by != "document":  # units share members
        return None
    return _AugmentedKappa("augmented kappa", data, missing, p).statistics(by)


@register_statistics(_augmented_statistics)
def augmented_kappa(data: Data, p: float = 0.5, *, missing: str = "available") -> KappaResult:
    """Return the kappa of coders who may give a unit two labels, a primary and a secondary one.

    A value is a label, or a pair `(primary, secondary)`. A judgement is one vote: all of it goes to a single label, or
    `p` of it to the primary and 1 - p to the secondary one. A set stands for alternatives of which none is the first:
    each of its members has the same share of the vote, whatever p is. Two coders agree on a unit by the sum over
    labels of the product of their votes, and by chance by the same sum of their mean votes; of several coders it is
    the mean over pairs (Rosenberg & Binkowski 2004, there for two coders and two labels). With p = 1 it is
    `cohen_kappa`, or `multi_kappa`, of the primary labels. With p below 1 two coders who give the same two labels do
    not agree wholly: a vote that is split is split for both.

    `missing` is as in `multi_kappa`. Raises ValueError for p outside 0.5 to 1 and for a tuple that is no pair of two
    different labels. The value is None, with a note, where no unit has two coders and where chance would agree as well.

    >>> rows = [[("a", "b"), "a"], ["b", "b"], ["a", ("b", "a")]]
    >>> data = ReliabilityData.from_values(range(3), ["Ann", "Bob"], rows, ["text"] * 3)
    >>> round(augmented_kappa(data, p=0.6).value, 4)
    0.3363
    """
    return _AugmentedKappa("augmented kappa", as_data(data), missing, p).compute()


def unit_agreements(data: ReliabilityData, p: float = 0.5, *, missing: str = "available") -> Floats:
    """Return the agreement on each unit that two coders coded (with "drop": all coders)."""
    kappa = _AugmentedKappa("augmented kappa", data, missing, p)
    return kappa.agreements[kappa.used_units.coders >= 2]


def _split_label(value: Label, p: float, names: dict[Label, int]) -> list[tuple[int, float]]:
    """Return the labels of a value, by their numbers in `names`, each with its share of the vote."""
    parts: list[tuple[Label, float]] = [(value, 1.0)]
    if isinstance(value, tuple):
        if len(value) != 2 or value[0] == value[1]:
            raise ValueError(f"{value!r} is not a pair of a primary label and another, secondary one")
        parts = [(value[0], p), (value[1], 1 - p)]
    return [(names.setdefault(label, len(names)), share) for label, share in parts]
