"""Pyramids of Summary Content Units: scores of peer summaries, and data for their reliability.

Sources: Nenkova & Passonneau 2004; Passonneau 2006.
"""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import permutations
from math import floor, inf

import numpy as np

from .data.chains import index_labels
from .distances import LARGEST
from .options import check_option
from .results import Display, Figure, Point, format_defined, format_equality
from .values import Floats, Value

MEANS = ("round", "interpolate")
COEFFICIENTS = ("pearson", "kendall", "spearman")
# The orders of so many peers are counted one by one: 5,040.
MAX_ORDERED = 7


@dataclass(frozen=True)
class Pyramid:
    """The SCUs of the model summaries of one docset: for each SCU the summaries that contribute to it.

    >>> pyramid = Pyramid({"fire": ["A", "B", "C"], "rescue": ["A", "B", "B"], "rain": ["C"]})
    >>> pyramid.weights, pyramid.mean_scus
    ({'fire': 3, 'rescue': 2, 'rain': 1}, 2.0)
    """

    contributors: Mapping[Hashable, Iterable[Hashable]]
    models: Collection[Hashable] = ()

    @cached_property
    def weights(self) -> dict[Hashable, int]:
        """The weight of each SCU: the number of distinct summaries that contribute to it."""
        return {scu: len(set(models)) for scu, models in self.contributors.items()}

    @cached_property
    def mean_scus(self) -> float:
        """The mean number of SCUs of the model summaries: of `models`, or of all that contribute to any SCU."""
        models = set(self.models) | {model for of_scu in self.contributors.values() for model in of_scu}
        return sum(self.weights.values()) / len(models) if models else 0.0

    def best(self, n: float) -> float:
        """Return the largest weight of n SCUs: the n heaviest, and a share of the next for a fraction."""
        heaviest = sorted(self.weights.values(), reverse=True)
        whole = floor(n)
        rest = (n - whole) * heaviest[whole] if whole < len(heaviest) else 0
        return sum(heaviest[:whole]) + rest


@dataclass(frozen=True)
class PeerScore(Figure):
    """A score of a peer summary: the weight of its SCUs over the best possible weight."""

    name: str
    value: float | None
    found: float
    best: float
    n_scus: float
    note: str = ""

    def __repr__(self) -> str:
        parts = f"{self.name} {format_equality(self.value)}: {self.found:g} of {self.best:g} with {self.n_scus:g} SCUs"
        return f"<{parts}{f'; {self.note}' if self.note else ''}>"

    def _rows(self) -> Mapping[str, object]:
        rows = {"weight found": f"{self.found:g}", "best weight": f"{self.best:g}", "SCUs": f"{self.n_scus:g}"}
        return {self.name: format_defined(self.value), **rows, "note": self.note}

    def _points(self) -> Sequence[Point]:
        return [Point(self.name, self.value)]


@dataclass(frozen=True)
class Correlation(Display):
    """The correlation of two rankings of the same peers; None where undefined, with the reason in `note`.

    `pearson` is of the scores, `kendall` (tau-b) and `spearman` are of their ranks. The p-value of each is the
    probability of one as far from 0, on either side, if there were none: by Student's distribution for Pearson and
    Spearman, exact for Kendall and Spearman of few peers.
    """

    pearson: float | None
    kendall: float | None
    spearman: float | None
    n: int
    note: str = ""
    pearson_p: float | None = None
    kendall_p: float | None = None
    spearman_p: float | None = None

    def to_dict(self) -> dict[str, object]:
        """Return the fields as a dictionary."""
        return asdict(self)

    def __repr__(self) -> str:
        parts = ", ".join(f"{name} {self._describe(name)}" for name in COEFFICIENTS)
        return f"<{parts}, of {self.n} peers{f'; {self.note}' if self.note else ''}>"

    def _describe(self, name: str) -> str:
        p = getattr(self, f"{name}_p")
        return f"{format_defined(getattr(self, name))}{'' if p is None else f' (p = {p:.4f})'}"

    def _rows(self) -> Mapping[str, object]:
        rows = {name.title(): self._describe(name) for name in COEFFICIENTS}
        return rows | {"n": self.n, "note": self.note}

    def _points(self) -> Sequence[Point]:
        return [Point(name.title(), getattr(self, name)) for name in COEFFICIENTS]


def original(pyramid: Pyramid, scus: Iterable[Hashable], outside: int = 0) -> PeerScore:
    """Return the weight of the peer's SCUs over the best weight with as many SCUs as the peer has.

    The source is Nenkova & Passonneau 2004.

    `scus` are the SCUs of the pyramid that the peer expresses, each counted once; `outside` is the number of its
    content units that are not in the pyramid. It rewards precision. Raises ValueError for an SCU that is not in the
    pyramid and for a negative `outside`. None, with a note, where the best weight is 0.

    >>> pyramid = Pyramid({"fire": ["A", "B", "C"], "rescue": ["A", "B"], "rain": ["C"]})
    >>> original(pyramid, ["fire", "rain"], outside=1)
    <original = 0.6667: 4 of 6 with 3 SCUs>
    """
    if not 0 <= outside < inf:
        raise ValueError(f"outside is {outside}; it is a number of SCUs")
    expressed = _check_scus(pyramid, scus)
    return _score_peer("original", pyramid, expressed, len(expressed) + outside)


def modified(pyramid: Pyramid, scus: Iterable[Hashable], *, mean: str = "round") -> PeerScore:
    """Return the weight of the peer's SCUs over the best weight with the mean number of SCUs of the models.

    The source is Passonneau et al. 2005 (DUC).

    It rewards recall, and what the peer has outside the pyramid does not matter. A mean that is not whole is rounded
    (`mean="round"`, halves up) or the best weight is interpolated ("interpolate"). Errors and None as in `original`.

    >>> pyramid = Pyramid({"fire": ["A", "B", "C"], "rescue": ["A", "B"], "rain": ["C"]})
    >>> modified(pyramid, ["fire", "rain"])
    <modified = 0.8000: 4 of 5 with 2 SCUs>
    """
    check_option("mean", mean, MEANS)
    n = pyramid.mean_scus
    return _score_peer("modified", pyramid, _check_scus(pyramid, scus), floor(n + 0.5) if mean == "round" else n)


def comprehensive(pyramid: Pyramid, scus: Iterable[Hashable], outside: int = 0, *, mean: str = "round") -> PeerScore:
    """Return the harmonic mean of `original` and `modified`, with their arguments, errors and None.

    >>> pyramid = Pyramid({"fire": ["A", "B", "C"], "rescue": ["A", "B"], "rain": ["C"]})
    >>> comprehensive(pyramid, ["fire", "rain"], outside=1)
    <comprehensive = 0.7273: 4 of 5.5 with 2.5 SCUs>
    """
    scus = list(scus)
    parts = original(pyramid, scus, outside), modified(pyramid, scus, mean=mean)
    note = next((part.note for part in parts if part.note), "")
    weight = parts[0].found
    # the harmonic mean of found/a and found/b is found over the mean of a and b
    best, n = (parts[0].best + parts[1].best) / 2, (parts[0].n_scus + parts[1].n_scus) / 2
    return PeerScore("comprehensive", None if note else weight / best, weight, best, n, note)


def score_correlation(
    first: Mapping[Hashable, float] | Sequence[float], second: Mapping[Hashable, float] | Sequence[float]
) -> Correlation:
    """Return how two pyramids agree in the scores that they give to the same peers (Passonneau 2006).

    Parameters
    ----------
    first, second : mapping from peers to float, or sequence of float
        The scores; those of sequences are of the same peers in the same order.

    Returns
    -------
    Correlation
        Its figures are None, and the note says why, for fewer than two peers and where one pyramid gives all the same
        score.

    Raises
    ------
    ValueError
        For a peer that only one of them has, and for a score that is no number.

    Examples
    --------
    >>> score_correlation({"p": 0.2, "q": 0.5, "r": 0.9}, {"r": 0.8, "q": 0.6, "p": 0.1})
    <pearson 0.9477 (p = 0.2068), kendall 1.0000 (p = 0.3333), spearman 1.0000 (p = 0.3333), of 3 peers>
    """
    a, b = (scores_by_peer(side) for side in (first, second))
    for peer in [*a, *b]:
        if peer not in a or peer not in b:
            raise ValueError(f"peer {peer!r} has one score only")
    x, y = check_scores(a), check_scores({peer: b[peer] for peer in a})
    if len(x) < 2:
        return Correlation(None, None, None, len(x), "there are fewer than two peers")
    if len(set(x.tolist())) == 1 or len(set(y.tolist())) == 1:
        return Correlation(None, None, None, len(x), "one pyramid gives all peers the same score")
    from scipy import stats

    pearson, kendall, spearman = (correlate(x, y) for correlate in (stats.pearsonr, stats.kendalltau, stats.spearmanr))
    return Correlation(
        pearson=float(pearson.statistic),
        kendall=float(kendall.statistic),
        spearman=float(spearman.statistic),
        n=len(x),
        pearson_p=float(pearson.pvalue) if len(x) > 2 else None,  # two points are always on a line
        kendall_p=float(kendall.pvalue),
        spearman_p=_spearman_p(stats.rankdata(x), stats.rankdata(y), float(spearman.pvalue)),
    )


def _spearman_p(first: Floats, second: Floats, asymptotic: float) -> float:
    """Return the share of all orders whose ranks correlate as far from 0, or that of Student's distribution."""
    if len(first) > MAX_ORDERED:
        return asymptotic
    orders = np.array(list(permutations(range(len(first)))))
    products = np.abs(second[orders] @ (first - first.mean()))
    return float(np.mean(products >= products[0] - 1e-9))  # the first order is the one at hand


def scu_labels[W: Hashable](words: Sequence[W], scus: Mapping[Hashable, Iterable[W]]) -> dict[W, Value]:
    """Return the value of each word (or span) for one annotator: the words of its SCU, or of all its SCUs together.

    A word in no SCU is alone. These are the values on which the reliability of two pyramids is measured; see
    `index_labels`. Raises ValueError for a word of an SCU that is not among `words`.

    >>> values = scu_labels("abcd", {1: "ab", 2: "bc"})
    >>> {word: "".join(sorted(value)) for word, value in values.items()}
    {'a': 'ab', 'b': 'abc', 'c': 'bc', 'd': 'd'}
    """
    indices: dict[W, set[Hashable]] = {word: set() for word in words}
    for scu, members in scus.items():
        for word in members:
            if word not in indices:
                raise ValueError(f"word {word!r} of SCU {scu!r} is not among the words")
            indices[word].add(scu)
    return index_labels(words, indices)


def scores_by_peer(scores: Mapping[Hashable, float] | Sequence[float]) -> Mapping[Hashable, float]:
    """Return scores by peer, or by index if given in order."""
    return scores if isinstance(scores, Mapping) else dict(enumerate(scores))


def check_scores(scores: Mapping[Hashable, float]) -> Floats:
    """Return the scores as an array. Raises ValueError for a score that is no number or too large to square."""
    for peer, score in scores.items():
        if not abs(score) < LARGEST:
            raise ValueError(f"the score of peer {peer!r} is {score}: scores are numbers up to {LARGEST:g}")
    return np.array(list(scores.values()), dtype=np.float64)


def _check_scus(pyramid: Pyramid, scus: Iterable[Hashable]) -> set[Hashable]:
    expressed = set(scus)
    for scu in sorted(expressed - pyramid.weights.keys(), key=repr):
        raise ValueError(f"SCU {scu!r} is not in the pyramid; count it in `outside`")
    return expressed


def _score_peer(name: str, pyramid: Pyramid, expressed: set[Hashable], n: float) -> PeerScore:
    weight, best = sum(pyramid.weights[scu] for scu in expressed), pyramid.best(n)
    note = "there is no SCU to compare with" if pyramid.weights else "the pyramid is empty"
    return PeerScore(name, weight / best if best else None, weight, best, n, "" if best else note)
