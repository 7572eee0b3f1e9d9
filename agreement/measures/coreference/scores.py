"""Coreference scores between a key and a response, or between two codings.

A side is the clusters of one text, any iterable of iterables of mentions, or a mapping from texts to such clusters; the
counts of several texts are added up before they are divided, as the shared tasks do. Mentions that only one side has
(twinless) stay where they are and count as not found. 0/0 is 0.

Every score takes three options. `singletons`: "keep", or "drop" clusters of one mention from both sides.
`duplicates`: what to do with a mention that a side has in two clusters of a text: "first" keeps it in one, "error"
raises ValueError and names it. A mention that comes twice in one cluster counts once.

`order`: the mentions in text order, a sequence, or a mapping from texts to such. With it the first cluster of a mention
is that whose other mentions come first in the text (`first_class`), so that neither names nor the order of clusters
change a score. Without it the text order is not known, and the first cluster is the first that is given, as in the
shared tasks' scorer.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import comb
from typing import Any

import numpy as np

from ..data.arrays import factorize, group
from ..options import check_option
from ..results import Display, KappaResult, Point, format_value
from ..values import Floats
from .matching import DUPLICATES, Cluster, Order, Side, pair_clusters

BOUNDARIES = ("symmetric", "key")
NOTHING_TO_COUNT = "neither side has anything to count"
WITHOUT_MUC = "the mean without MUC: neither side has a link"
# what a mean is of that has coreferent links alone, and other links alone
ONE_KIND_OF_LINK = (
    "of coreferent links alone: there are no others",
    "of links that do not corefer: there are no others",
)

type Ratio = tuple[float, float]  # found, of how much


@dataclass(frozen=True)
class Score(Display):
    """Recall, precision and their harmonic mean, F1; from 0 to 1.

    `note` says of a mean what it is of, where a part is left out because neither side has anything that it counts.

    >>> Score.from_ratios((1, 2), (1, 1))
    <recall 0.5000, precision 1.0000, F1 0.6667>
    """

    recall: float
    precision: float
    f1: float
    note: str = ""

    @classmethod
    def from_ratios(cls, recall: Ratio, precision: Ratio) -> "Score":
        """Return the score of recall and precision, each a numerator and a denominator."""
        r, p = _divide(recall), _divide(precision)
        return cls(r, p, _divide((2 * r * p, r + p)))

    def to_dict(self) -> dict[str, object]:
        """Return the three figures and the note by name."""
        return asdict(self)

    def __repr__(self) -> str:
        note = f"; {self.note}" if self.note else ""
        return f"<recall {self.recall:z.4f}, precision {self.precision:z.4f}, F1 {self.f1:z.4f}{note}>"

    def _rows(self) -> Mapping[str, object]:
        return {point.name: format_value(point.value) for point in self._points()} | {"note": self.note}

    def _points(self) -> Sequence[Point]:
        return [Point("recall", self.recall), Point("precision", self.precision), Point("F1", self.f1)]


@dataclass(frozen=True)
class Scorer:
    """How a score counts one text, given clusters of key and response, and how it combines the counts of all texts."""

    count: Callable[[list[Cluster], list[Cluster]], Sequence[float]]
    finish: Callable[[Floats], Score]


@dataclass(frozen=True)
class TextCounts:
    """The counts of each text, (texts, counts), and the score of their sum over all texts or some."""

    texts: Sequence[Hashable]
    counts: Floats
    finish: Callable[[Floats], Score]

    @property
    def score(self) -> Score:
        """The score of all texts."""
        return self.finish(self.counts.sum(axis=0))

    def merge(self, original: Callable[[Hashable], Hashable]) -> "TextCounts":
        """Return the counts with copies of a text merged into one text, by the name of the original."""
        names, places = factorize([original(text) for text in self.texts])
        counts = np.zeros((len(names), self.counts.shape[1]))
        np.add.at(counts, places, self.counts)
        return TextCounts(names, counts, self.finish)


def muc(
    key: Side, response: Side, *, singletons: str = "keep", duplicates: str = "first", order: Order | None = None
) -> Score:
    """Return the MUC score: the correct links of the fewest links that make the clusters (Vilain et al. 1995).

    Recall is the sum over key clusters S of |S| - |p(S)| over the sum of |S| - 1, where p(S) are the parts that the
    response cuts S into; precision is the same the other way round. Singletons have no links and do not count.

    `key` and `response` are sides: the clusters of one text, each an iterable of mentions, or a mapping from texts to
    such clusters. `singletons`, `duplicates` and `order` are described in the module, and 0/0 is 0. Raises ValueError
    for an unknown option, for a mapping against clusters of one text, with duplicates="error" for a mention in two
    clusters, and for a mention that is not in `order`.

    >>> muc([{"C", "H", "J", "K"}], [{"C", "H"}, {"J", "K"}])
    <recall 0.6667, precision 1.0000, F1 0.8000>
    """
    return count_texts(muc, key, response, singletons=singletons, duplicates=duplicates, order=order).score


def b_cubed(
    key: Side, response: Side, *, singletons: str = "keep", duplicates: str = "first", order: Order | None = None
) -> Score:
    """Return B-cubed: the mean over mentions of the share of a mention's cluster that is with it.

    Recall is the sum over clusters K and R of |K & R|^2 / |K| over the number of mentions in the key; precision is the
    same the other way round (Bagga & Baldwin 1998). Sides, options, errors and 0/0 are those of `muc`.

    >>> b_cubed(["ABC"], ["AB", "C"])
    <recall 0.5556, precision 1.0000, F1 0.7143>
    """
    return count_texts(b_cubed, key, response, singletons=singletons, duplicates=duplicates, order=order).score


def ceaf_m(
    key: Side, response: Side, *, singletons: str = "keep", duplicates: str = "first", order: Order | None = None
) -> Score:
    """Return mention-based CEAF: the mentions in common of optimally matched clusters, over all (Luo 2005, phi 3).

    Recall is over the mentions of the key, precision over those of the response; each cluster is matched with one at
    most. Sides, options, errors and 0/0 are those of `muc`.

    >>> ceaf_m(["ABC"], ["AB", "C"])
    <recall 0.6667, precision 0.6667, F1 0.6667>
    """
    return count_texts(ceaf_m, key, response, singletons=singletons, duplicates=duplicates, order=order).score


def ceaf_e(
    key: Side, response: Side, *, singletons: str = "keep", duplicates: str = "first", order: Order | None = None
) -> Score:
    """Return entity-based CEAF: the similarity of optimally matched clusters, over their number (Luo 2005, phi 4).

    The similarity of two clusters is 2 |K & R| / (|K| + |R|); each cluster is matched with one at most.
    Sides, options, errors and 0/0 are those of `muc`.

    >>> ceaf_e(["ABC"], ["AB", "C"])
    <recall 0.8000, precision 0.4000, F1 0.5333>
    """
    return count_texts(ceaf_e, key, response, singletons=singletons, duplicates=duplicates, order=order).score


def lea(
    key: Side, response: Side, *, singletons: str = "keep", duplicates: str = "first", order: Order | None = None
) -> Score:
    """Return LEA: the share of each cluster's links in the other side, weighted by its size (Moosavi & Strube 2016).

    Recall is the sum over key clusters K of |K| times the share of its links that a response cluster has, over the sum
    of |K|; precision is the same the other way round. A singleton is resolved if its mention is a singleton on the
    other side too. Sides, options, errors and 0/0 are those of `muc`.

    >>> lea(["ABC"], ["AB", "C"])
    <recall 0.3333, precision 0.6667, F1 0.4444>
    """
    return count_texts(lea, key, response, singletons=singletons, duplicates=duplicates, order=order).score


def blanc(
    key: Side,
    response: Side,
    *,
    boundary: str = "symmetric",
    singletons: str = "keep",
    duplicates: str = "first",
    order: Order | None = None,
) -> Score:
    """Return BLANC: the mean of the scores of coreferent and of other links.

    A link is any two mentions of one side. Recall and precision are the means over the two kinds of link, and F1 is the
    mean of the two F1. `boundary` says what happens where a kind of link does not exist: "symmetric" leaves it out only
    if neither side has one, as fits two coders of whom none is the key; "key" leaves it out if the key has none,
    as the shared tasks' scorer does (Recasens & Hovy 2011; Luo et al. 2014). Sides, options, errors and 0/0 are those
    of `muc`.

    >>> blanc(["AB", "C"], ["ABC"])
    <recall 0.5000, precision 0.1667, F1 0.2500>
    """
    return count_texts(
        blanc, key, response, boundary=boundary, singletons=singletons, duplicates=duplicates, order=order
    ).score


def conll_average(
    key: Side, response: Side, *, singletons: str = "keep", duplicates: str = "first", order: Order | None = None
) -> Score:
    """Return the means of the recalls, precisions and F1s of MUC, B-cubed and entity-based CEAF.

    It is the score of the CoNLL shared tasks (Pradhan et al. 2011). Sides, options, errors and 0/0 are those of `muc`.
    Where neither side has a link, MUC has nothing to count, and the means are of the other two, as `note` says; the
    scorer of the shared tasks counts MUC as 0 there.

    >>> round(conll_average(["ABC"], ["AB", "C"]).f1, 4)
    0.6381
    >>> conll_average(["A", "B"], ["A", "B"])
    <recall 1.0000, precision 1.0000, F1 1.0000; the mean without MUC: neither side has a link>
    """
    return count_texts(conll_average, key, response, singletons=singletons, duplicates=duplicates, order=order).score


def link_kappa(
    first: Side,
    second: Side,
    *,
    units: Iterable[Hashable] | Mapping[Hashable, Iterable[Hashable]] | None = None,
    duplicates: str = "error",
    order: Order | None = None,
) -> KappaResult:
    """Return Cohen's kappa of two coders over all pairs of units of a text, each decided as coreferent or not.

    It is the adjusted Rand index of the two partitions (Hubert & Arabie 1985), and needs no key. `units` are all units
    that the coders judged, an iterable, or a mapping from texts to such; those in no cluster are alone. Without it they
    are the units that either side has. The "EQ kappa" of Passonneau 2004, Table 3, answers the same question from the
    counts of the MUC score, in a way that is not published; it is not this number. `duplicates` and `order` are those
    of the scores.

    `n_units` of the result counts units and `n_judgements` pairs of coder and pair of units. Raises ValueError for a
    cluster with a unit that is not among `units`. The value is None, with a note, where no text has two units and where
    both coders decided all pairs alike.

    >>> round(link_kappa(["ABC", "D"], ["AB", "CD"]).value, 4)
    0.0
    """
    check_option("duplicates", duplicates, DUPLICATES)
    n_units, links = 0, np.zeros(4, dtype=np.int64)
    for text, (a, b) in pair_clusters(first, second, "keep", duplicates, order):
        known = frozenset().union(*a, *b)
        if units is not None:
            everything = frozenset(units.get(text, ()) if isinstance(units, Mapping) else units)
            for unit in sorted(known - everything, key=repr):
                raise ValueError(f"unit {unit!r} is in a cluster and not among the units")
            known = everything
        n_units += len(known)
        shared = sum(comb(n, 2) for *_, n in _count_overlaps(a, b))
        of_first, of_second = _count_links(a)[0], _count_links(b)[0]
        links += shared, of_first - shared, of_second - shared, comb(len(known), 2) - of_first - of_second + shared
    both, only_first, only_second, neither = links.tolist()
    n, apart = sum(links.tolist()), only_first + only_second
    value = observed = expected = None
    note = "" if n else "no text has two units"
    if n:
        linked = (both + only_first) / n, (both + only_second) / n
        observed, expected = (both + neither) / n, linked[0] * linked[1] + (1 - linked[0]) * (1 - linked[1])
        if both + apart and neither + apart:
            # in whole numbers, so that two partitions that are equal have exactly 1
            chance = (both + only_first) * (only_first + neither) + (both + only_second) * (only_second + neither)
            value = 1 - n * apart / chance
        else:
            note = "all pairs are decided alike, so that chance would agree as well"
    return KappaResult(
        coefficient="link kappa",
        value=value,
        observed=observed,
        expected=expected,
        n_units=n_units,
        n_coders=2,
        n_values=(both + apart > 0) + (neither + apart > 0),
        n_judgements=2 * n,
        parameters={},
        note=note,
    )


def _muc(clusters: list[Cluster], others: list[Cluster]) -> Ratio:
    place: dict[Hashable, Hashable] = dict(_map_mentions(others))
    correct = total = 0
    for cluster in clusters:
        parts = {place.get(mention, (mention,)) for mention in cluster}
        correct += len(cluster) - len(parts)
        total += len(cluster) - 1
    return correct, total


def _b_cubed(clusters: list[Cluster], others: list[Cluster]) -> Ratio:
    correct = sum(shared**2 / len(clusters[k]) for k, _, shared in _count_overlaps(clusters, others))
    return correct, sum(map(len, clusters))


def _lea(clusters: list[Cluster], others: list[Cluster]) -> Ratio:
    correct = 0.0
    for k, r, shared in _count_overlaps(clusters, others):
        size = len(clusters[k])
        if size > 1:
            correct += size * comb(shared, 2) / comb(size, 2)
        elif len(others[r]) == 1:
            correct += 1
    return correct, sum(map(len, clusters))


def count_texts(
    score: Callable[..., Score],
    key: Side,
    response: Side,
    *,
    singletons: str = "keep",
    duplicates: str = "first",
    order: Order | None = None,
    **options: Any,
) -> TextCounts:
    """Return the counts of each text for one of the scores of this module, with its options and errors.

    Raises ValueError for another function.

    >>> count_texts(muc, {"a": ["AB"], "b": ["CDE"]}, {"a": ["AB"], "b": ["CD", "E"]}).counts.tolist()
    [[1.0, 1.0, 1.0, 1.0], [1.0, 2.0, 1.0, 1.0]]
    """
    if score not in _SCORERS:
        names = ", ".join(sorted(scorer.__name__ for scorer in _SCORERS))
        raise ValueError(f"{getattr(score, '__name__', score)!r} is not a score that is added up over texts: {names}")
    scorer = _SCORERS[score](**options)
    named = list(pair_clusters(key, response, singletons, duplicates, order))
    counts = [scorer.count(*sides) for _, sides in named]
    width = len(scorer.count([], []))
    return TextCounts(
        [text for text, _ in named], np.array(counts, dtype=np.float64).reshape(len(named), width), scorer.finish
    )


def _finish_both_directions(counts: Floats) -> Score:
    found, of_key, also_found, of_response = counts
    return Score.from_ratios((found, of_key), (also_found, of_response))


def _both_directions(part: Callable[[list[Cluster], list[Cluster]], Ratio]) -> Scorer:
    return Scorer(lambda keys, responses: (*part(keys, responses), *part(responses, keys)), _finish_both_directions)


def _ceaf(similarity_of: Callable[[int, int, int], float], own: Callable[[Cluster], int]) -> Scorer:
    def count(keys: list[Cluster], responses: list[Cluster]) -> Sequence[float]:
        overlaps = _count_overlaps(keys, responses)
        found = _best_matching({(k, r): similarity_of(len(keys[k]), len(responses[r]), n) for k, r, n in overlaps})
        return found, sum(map(own, keys)), found, sum(map(own, responses))

    return Scorer(count, _finish_both_directions)


def _blanc(boundary: str = "symmetric") -> Scorer:
    """Return the scorer of `blanc`: links that corefer and that do not, of the key, of the response, and right."""
    check_option("boundary", boundary, BOUNDARIES)

    def count(keys: list[Cluster], responses: list[Cluster]) -> Sequence[float]:
        common = frozenset().union(*keys) & frozenset().union(*responses)
        coreferent = sum(comb(shared, 2) for *_, shared in _count_overlaps(keys, responses))
        together = [sum(comb(len(cluster & common), 2) for cluster in side) for side in (keys, responses)]
        right = coreferent, comb(len(common), 2) - sum(together) + coreferent
        return *_count_links(keys), *_count_links(responses), *right

    def finish(counts: Floats) -> Score:
        of_key, of_response, right = counts.reshape(3, 2)
        exists = (of_key + (of_response if boundary == "symmetric" else 0)) > 0
        links = [Score.from_ratios((right[i], of_key[i]), (right[i], of_response[i])) for i in np.flatnonzero(exists)]
        return _mean_score(links, "" if exists.all() else ONE_KIND_OF_LINK[int(exists[1])])

    return Scorer(count, finish)


def _conll_average() -> Scorer:
    parts = [_SCORERS[score]() for score in (muc, b_cubed, ceaf_e)]

    def count(keys: list[Cluster], responses: list[Cluster]) -> Sequence[float]:
        return [number for part in parts for number in part.count(keys, responses)]

    def finish(counts: Floats) -> Score:
        of_parts = counts.reshape(len(parts), -1)
        scores = [part.finish(own) for part, own in zip(parts, of_parts, strict=True) if own.any()]
        return _mean_score(scores, "" if len(scores) == len(parts) else WITHOUT_MUC)

    return Scorer(count, finish)


def _mean_score(scores: Sequence[Score], note: str) -> Score:
    """Return the means of recalls, precisions and F1s, with a note of what is left out; all 0 where there are none."""
    if not scores:
        return Score(0.0, 0.0, 0.0, NOTHING_TO_COUNT)
    recall, precision, f1 = np.mean([(score.recall, score.precision, score.f1) for score in scores], axis=0).tolist()
    return Score(recall, precision, f1, note)


_SCORERS: dict[Callable[..., Score], Callable[..., Scorer]] = {
    muc: lambda: _both_directions(_muc),
    b_cubed: lambda: _both_directions(_b_cubed),
    lea: lambda: _both_directions(_lea),
    ceaf_m: lambda: _ceaf(lambda k, r, shared: float(shared), len),  # noqa: ARG005
    ceaf_e: lambda: _ceaf(lambda k, r, shared: 2 * shared / (k + r), lambda _: 1),
    blanc: _blanc,
    conll_average: _conll_average,
}


def _best_matching(pairs: Mapping[tuple[int, int], float]) -> float:
    """Return the largest sum of similarities with each cluster in one pair at most, component by component."""
    if not pairs:
        return 0.0
    from scipy.optimize import linear_sum_assignment
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    k, r = np.array(list(pairs), dtype=np.int64).T
    n = int(k.max()) + 1
    graph = coo_array((np.ones(len(k), dtype=np.int8), (k, n + r)), shape=(n + int(r.max()) + 1,) * 2)
    component = connected_components(graph, directed=False)[1][k]
    similarities, total = np.array(list(pairs.values())), 0.0
    for chosen in group(component, np.arange(len(k))).values():
        (rows, row), (columns, column) = (np.unique(side[chosen], return_inverse=True) for side in (k, r))
        table: Floats = np.zeros((len(rows), len(columns)))
        table[row, column] = similarities[chosen]
        total += float(table[linear_sum_assignment(table, maximize=True)].sum())
    return total


def _count_overlaps(clusters: list[Cluster], others: list[Cluster]) -> Iterator[tuple[int, int, int]]:
    """Yield the pairs of clusters that share mentions: their places, and how many they share."""
    place = _map_mentions(others)
    for k, cluster in enumerate(clusters):
        for r, shared in Counter(place[mention] for mention in cluster if mention in place).items():
            yield k, r, shared


def _map_mentions(clusters: list[Cluster]) -> dict[Hashable, int]:
    return {mention: place for place, cluster in enumerate(clusters) for mention in cluster}


def _count_links(clusters: list[Cluster]) -> tuple[int, int]:
    """Return the number of pairs of mentions of one side that corefer, and that do not."""
    coreferent = sum(comb(len(cluster), 2) for cluster in clusters)
    return coreferent, comb(sum(map(len, clusters)), 2) - coreferent


def _divide(part: Ratio) -> float:
    numerator, denominator = part
    return float(numerator / denominator) if denominator else 0.0
