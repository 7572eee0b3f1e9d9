"""The SCUs of two coders beside each other: which are the same, and how others differ (Passonneau 2006, 3.3, 3.4)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from operator import itemgetter
from typing import Annotated, ClassVar

from rest_framework.serializers import ChoiceField

from agreement.data.pyramids.pyramids import DocsetInfo, PyramidAnnotation, Pyramids, read_summary_words
from agreement.measures import Overlap, ReliabilityData, Result, cohen_kappa, fleiss_kappa, match_sets
from agreement.reports.fields import PageOnly
from agreement.reports.request.parameters import InvalidParameter, check_choice
from annotations.coding.pyramids.pyramid_rules import Span, summary_index

# How two SCUs that are matched are related, and the two ways in which one may have no partner.
KINDS = ("identity", "subsumption", "intersection", "unmatched", "disjunction")
SORTS = ("size", "distance", "weight", "label")
SUBSUMPTION = ("subsumption", "identity")


@dataclass(frozen=True, slots=True)
class TextRun:
    """A run of a contributor's words; `unshared`: the other coder's SCU has none of them."""

    words: str
    unshared: bool


type ContributorText = tuple[TextRun, ...]


@dataclass(frozen=True, slots=True)
class ScuSide:
    """An SCU of one coder: what its contributors say in each summary, by its place."""

    component: ClassVar = "Scu"

    key: str
    label: str
    weight: int
    texts: PageOnly[Mapping[int, tuple[ContributorText, ...]]]


@dataclass(frozen=True, slots=True)
class ScuPair:
    """Two SCUs that are matched, or one without a partner.

    `others` are the labels of what the one without a partner shares words with, which is matched with another.
    """

    kind: Annotated[str, ChoiceField(KINDS)]
    first: ScuSide | None
    second: ScuSide | None
    shared: Annotated[int, "words of both"]
    only_first: int
    only_second: int
    distance: Annotated[float, "Jaccard"]
    others: PageOnly[tuple[str, ...]] = ()

    @property
    def size(self) -> int:
        """How many words only one coder has."""
        return self.only_first + self.only_second

    @property
    def summaries(self) -> list[int]:
        """The places of the summaries that either has a contributor in."""
        return sorted({place for side in (self.first, self.second) if side for place in side.texts})


@dataclass(frozen=True, slots=True)
class RelatedScus:
    """Two SCUs that share words, by their labels."""

    component: ClassVar = "Overlap"

    first: str
    second: str
    relation: str
    shared: int
    jaccard: float
    matched: bool


@dataclass(frozen=True, slots=True)
class SubsumptionRow:
    """A row of the subsumption table (Figure 6): two SCUs, one of which has all words of the other, and a summary."""

    component: ClassVar = "Subsumed"

    first: str
    second: str
    larger: Annotated[str, "whose SCU has all words of the other; empty: both"]
    summary: str
    in_first: bool
    in_second: bool


@dataclass(frozen=True, eq=False)
class ScusReport:
    """Two pyramids of one docset: matched SCUs, all that share words, and the subsumption table with its kappas."""

    component: ClassVar = "Scus"

    docset: str
    first: str
    second: str
    counts: Annotated[Mapping[str, int], "pairs by kind"]
    pairs: tuple[ScuPair, ...]
    overlaps: tuple[RelatedScus, ...]
    subsumption: tuple[SubsumptionRow, ...]
    kappa: Annotated[float | None, "K of the subsumption table; it overstates"]
    cohen_kappa: float | None
    in_text_order: PageOnly[tuple[ScuPair, ...]]
    pyramids: PageOnly[tuple[PyramidAnnotation, PyramidAnnotation]]
    kappas: PageOnly[tuple[Result, Result]]

    def select(self, kind: str = "", sort: str = "size") -> list[ScuPair]:
        """Return the pairs of a kind, or all, in an order. Raises InvalidParameter."""
        if kind:
            check_choice("kind", kind, KINDS)
        check_choice("sort", sort, SORTS)
        by = {
            "size": lambda one: -one.size,
            "distance": lambda one: -one.distance,
            "weight": lambda one: -max(side.weight for side in (one.first, one.second) if side),
            "label": lambda one: (one.first or one.second).label.casefold(),
        }[sort]
        return sorted((one for one in self.in_text_order if not kind or one.kind == kind), key=by)


def check_docset(pyramids: Pyramids, docset: str) -> None:
    """Raise InvalidParameter for a docset that is not there."""
    if docset and docset not in {one.slug for one in pyramids.docsets}:
        raise InvalidParameter("docset", f"there is no docset {docset!r} in this project.")


def list_coder_pairs(pyramids: Pyramids) -> list[tuple[DocsetInfo, str, str]]:
    """Return every two coders with pyramids of one docset, by docset and name."""
    of: dict[DocsetInfo, list[str]] = {}
    for one in pyramids.own:
        of.setdefault(one.docset, []).append(one.coder)
    return [(docset, *pair) for docset, coders in of.items() for pair in combinations(sorted(coders), 2)]


def report_scus(pyramids: Pyramids, docset: str = "", first: str = "", second: str = "") -> ScusReport | None:
    """Return the SCUs of two coders: those named, else the first two with submitted pyramids of a docset.

    Without such, the first two; None where no docset has two pyramids. Two queries. Raises InvalidParameter.
    """
    check_docset(pyramids, docset)
    annotations = {(one.docset.slug, one.coder): one for one in pyramids.own}
    possible = [(about.slug, *pair) for about, *pair in list_coder_pairs(pyramids) if docset in ("", about.slug)]
    if first or second:
        of_docset = {coder for slug, coder in annotations if docset in ("", slug)}
        for field, name in (("first", first), ("second", second)):
            if name and name not in of_docset:
                raise InvalidParameter(field, f"{name!r} has made no pyramid here.")
        if first == second:
            raise InvalidParameter("second", "select two coders.")
        possible = [one for one in possible if {first, second} - {""} <= {*one[1:]}]
    if not possible:
        return None
    slug, a, b = min(possible, key=lambda one: not all(annotations[one[0], coder].submitted for coder in one[1:]))
    if first == b or second == a:
        a, b = b, a
    return _compare_pyramids(annotations[slug, a], annotations[slug, b])


def _compare_pyramids(first: PyramidAnnotation, second: PyramidAnnotation) -> ScusReport:
    words, content = read_summary_words(first.docset)
    sides = first.word_places(words), second.word_places(words)
    overlaps = match_sets({**sides[0]}, {**sides[1]})
    subsumed = tuple(_subsumption_rows(first, second, overlaps))
    kappas = _subsumption_data(first, second, subsumed)
    pairs = tuple(_pair_scus(first, second, sides, overlaps, words, content))
    kappa, cohen = fleiss_kappa(kappas), cohen_kappa(kappas)
    return ScusReport(
        docset=first.docset.slug,
        first=first.coder,
        second=second.coder,
        counts={kind: sum(one.kind == kind for one in pairs) for kind in KINDS},
        pairs=tuple(sorted(pairs, key=lambda one: -one.size)),
        in_text_order=pairs,
        overlaps=tuple(
            RelatedScus(
                first.labels[str(one.first)],
                second.labels[str(one.second)],
                one.relation,
                one.shared,
                one.jaccard,
                one.matched,
            )
            for one in overlaps
        ),
        subsumption=subsumed,
        kappa=kappa.value,
        cohen_kappa=cohen.value,
        pyramids=(first, second),
        kappas=(kappa, cohen),
    )


def _pair_scus(
    first: PyramidAnnotation,
    second: PyramidAnnotation,
    sides: tuple[dict[str, set[int]], dict[str, set[int]]],
    overlaps: Sequence[Overlap],
    words: list[Span],
    content: str,
) -> Iterable[ScuPair]:
    """Return the matched pairs, then the SCUs of the first and of the second that have no partner."""
    a, b = sides

    def side(built: PyramidAnnotation, key: str, others: set[int]) -> ScuSide:
        weight = built.pyramid.weights[key]
        return ScuSide(key, built.labels[key], weight, _contributor_texts(built, key, others, words, content))

    for one in overlaps:
        if one.matched:
            x, y = str(one.first), str(one.second)
            yield ScuPair(
                one.relation,
                side(first, x, b[y]),
                side(second, y, a[x]),
                one.shared,
                one.only_first,
                one.only_second,
                1 - one.jaccard,
            )
    for key in a:
        sharing = [one for one in overlaps if one.first == key]
        if not any(one.matched for one in sharing):
            labels = tuple(second.labels[str(one.second)] for one in sharing)
            kind = "unmatched" if sharing else "disjunction"
            neighbours = set().union(*(b[str(one.second)] for one in sharing))
            yield ScuPair(
                kind,
                side(first, key, neighbours),
                None,
                len(a[key] & neighbours),
                len(a[key] - neighbours),
                0,
                1.0,
                labels,
            )
    for key in b:
        sharing = [one for one in overlaps if one.second == key]
        if not any(one.matched for one in sharing):
            labels = tuple(first.labels[str(one.first)] for one in sharing)
            kind = "unmatched" if sharing else "disjunction"
            neighbours = set().union(*(a[str(one.first)] for one in sharing))
            yield ScuPair(
                kind,
                None,
                side(second, key, neighbours),
                len(b[key] & neighbours),
                0,
                len(b[key] - neighbours),
                1.0,
                labels,
            )


def _contributor_texts(
    annotation: PyramidAnnotation, key: str, other: set[int], words: list[Span], content: str
) -> dict[int, tuple[ContributorText, ...]]:
    """Return the contributors of an SCU by summary, the words that are not among the other's marked."""
    by_summary: dict[int, list[ContributorText]] = {}
    for one in annotation.contributors:
        if key in one.scus:
            place = summary_index(one.parts, annotation.docset.stretches)
            by_summary.setdefault(-1 if place is None else place, []).append(
                _split_text(one.parts, other, words, content)
            )
    return {place: tuple(said) for place, said in by_summary.items()}


def _split_text(parts: Iterable[Sequence[int]], other: set[int], words: list[Span], content: str) -> ContributorText:
    """Return the words of a contributor in runs: what stands between two of a run belongs to it."""
    pieces: list[TextRun] = []
    for number, (first, last) in enumerate(parts):
        if number:
            pieces.append(TextRun(" … ", False))
        runs: list[tuple[bool, int, int]] = []
        places = range(bisect_right(words, first, key=itemgetter(1)), bisect_left(words, last, key=itemgetter(0)))
        for place in places:
            alone, start, end = place not in other, max(words[place][0], first), min(words[place][1], last)
            if runs and runs[-1][0] == alone:
                runs[-1] = (alone, runs[-1][1], end)
            else:
                runs.append((alone, start, end))
        if not runs:
            runs = [(False, first, last)]
        before = first
        for alone, start, end in runs:
            if before < start:
                pieces.append(TextRun(content[before:start], False))
            pieces.append(TextRun(content[start:end], alone))
            before = end
        if before < last:
            pieces.append(TextRun(content[before:last], False))
    return tuple(pieces)


def _subsumption_rows(
    first: PyramidAnnotation, second: PyramidAnnotation, overlaps: Sequence[Overlap]
) -> Iterable[SubsumptionRow]:
    for one in overlaps:
        if one.relation in SUBSUMPTION:
            x, y = str(one.first), str(one.second)
            larger = "" if one.relation == "identity" else second.coder if one.only_second else first.coder
            for place, name in enumerate(first.docset.summaries):
                inside = place in first.summaries_of[x], place in second.summaries_of[y]
                yield SubsumptionRow(first.labels[x], second.labels[y], larger, name, *inside)


def _subsumption_data(
    first: PyramidAnnotation, second: PyramidAnnotation, rows: Sequence[SubsumptionRow]
) -> ReliabilityData:
    """Return the subsumption table as reliability data: each row a unit, the coders' cells 1 or 0."""
    cells = [[int(one.in_first), int(one.in_second)] for one in rows]
    return ReliabilityData.from_values(range(len(rows)), [first.coder, second.coder], cells, [0] * len(rows))
