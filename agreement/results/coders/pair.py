"""Two coders: every measure of them, how they differ, and their chains in one text aligned one to one."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.http import Http404
from django.urls import reverse
from django.utils.http import urlencode
from rest_framework.serializers import CharField

from agreement.data.documents import Document
from agreement.data.project_answers import ProjectAnswers
from agreement.data.texts.muc import marked_texts_reader
from agreement.data.texts.snippets import Snippet, read_snippets
from agreement.measures import RELATIONS, match_sets
from agreement.reports.coders import coders as reports
from agreement.reports.items.items import compute_items
from agreement.reports.links.coreference import clusters_in, common_texts, find_clusters, select_pair
from agreement.reports.request.basis import cached, pick_texts
from agreement.reports.request.parameters import InvalidParameter, Parameters
from agreement.reports.request.request import AnalysisRequest
from agreement.reports.request.resolution import resolve
from agreement.results.coders.coders import MEASURES
from agreement.results.computations import register
from agreement.results.content import PageSections, TablesAndCharts
from agreement.results.figures.charts import Chart, dots_chart
from agreement.results.figures.confusion import build_confusion
from agreement.results.figures.plots import Dot, Figure, heat_map
from agreement.results.labels.labels import RELATION_LABELS
from agreement.results.page import ResultPage
from agreement.results.tables import ENDS, Cell, Column, Linked, Table, with_ends
from annotations.core.text import pluralize

type Chain = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ChainPair:
    """Chains of the two coders, by their places: with `shared` markables; `aligned` says whether CEAF aligns them.

    `similarity` is phi 4 of CEAF. A chain that shares no markable with one of the other coder stands alone.
    """

    first: int | None
    second: int | None
    shared: int
    similarity: float
    aligned: bool


@dataclass(frozen=True, slots=True)
class ChainAlignment:
    """The chains of two coders in a text, the largest first, each in text order; what is only pointed at comes last.

    `pairs`: the aligned ones first, those with most in common before others; then others that share a markable; last
    chains alone.
    """

    text: Document
    first: tuple[Chain, ...]
    second: tuple[Chain, ...]
    pairs: tuple[ChainPair, ...]

    @property
    def aligned(self) -> list[ChainPair]:
        return [one for one in self.pairs if one.aligned]


def texts_of_pair(extract: ProjectAnswers, parameters: Parameters, first: str, second: str) -> list[Document]:
    """Return the chosen texts that both coders have coded.

    There are none where coders make no chains of markables, or nothing of one of the two counts.
    """
    if not extract.has_chains or extract.units:
        return []
    selected, parameters = resolve(extract, replace(parameters, coders=f"{first},{second}"))
    if not {first, second} <= set(selected.coders):
        return []
    return common_texts(selected, pick_texts(selected, parameters), first, second)


def align_chains(
    extract: ProjectAnswers, parameters: Parameters, first: str, second: str, text: str
) -> ChainAlignment | None:
    """Return the chains of two coders in a text, or where `text` is empty in the first in which one has any.

    None where neither has any. Chains are those of the coreference scores, of the same markables: they are not
    matched by the rules of MUC-6. Raises InvalidParameter.
    """
    texts = texts_of_pair(extract, parameters, first, second)
    if text and text not in {one.name for one in texts}:
        raise InvalidParameter("text", f"there is no text {text!r} that both have coded.")
    if not texts:
        return None
    selected, parameters = select_pair(extract, parameters, first, second)
    return cached(
        selected,
        ("alignment", parameters, first, second, text),
        lambda: _align_texts(selected, [one for one in texts if text in ("", one.name)], first, second),
    )


def _align_texts(extract: ProjectAnswers, texts: list[Document], first: str, second: str) -> ChainAlignment | None:
    clusters = find_clusters(extract, texts)
    key, response = clusters_in(clusters, first, texts), clusters_in(clusters, second, texts)
    text = next((one for one in texts if key[one.pk] or response[one.pk]), None)
    if text is None:
        return None
    members = extract.restrict([text]).columns.members["key"].tolist()
    place = {unit: number for number, unit in enumerate(members)}

    def ordered(of_text: list[frozenset[Hashable]]) -> tuple[Chain, ...]:
        chains = [tuple(sorted((int(str(one)) for one in chain), key=place.__getitem__)) for chain in of_text]
        return tuple(sorted(chains, key=lambda chain: (-len(chain), place[chain[0]])))

    sides = ordered(key[text.pk]), ordered(response[text.pk])
    return ChainAlignment(text, *sides, tuple(_pair_chains(*sides)))


def _pair_chains(first: tuple[Chain, ...], second: tuple[Chain, ...]) -> list[ChainPair]:
    overlaps = match_sets(dict(enumerate(first)), dict(enumerate(second)), "dice")
    pairs = [
        ChainPair(int(str(one.first)), int(str(one.second)), one.shared, one.dice, one.matched) for one in overlaps
    ]
    pairs.sort(key=lambda one: (not one.aligned, -one.shared, -one.similarity, one.first, one.second))
    alone = [set(range(len(side))) for side in (first, second)]
    for pair in pairs:
        for places, place in zip(alone, (pair.first, pair.second), strict=True):
            places.discard(place if place is not None else -1)
    pairs += [ChainPair(place, None, 0, 0.0, aligned=False) for place in sorted(alone[0])]
    return pairs + [ChainPair(None, place, 0, 0.0, aligned=False) for place in sorted(alone[1])]


MOST_CHAINS = 15  # of each coder in the matrix
MOST_ROWS = 60  # of the table on the page; its file has all
MOST_MEMBERS = 3  # whose words stand for a chain
LONGEST_NAME = 22


@register
class Pair(ResultPage[PageSections]):
    """Two coders: every measure of them, how they differ, on which categories, and their chains in a text aligned."""

    name, route = "pair", "coder-pair"
    template = "agreement/coders/pair.html"
    path = "agreement/coders/<str:first>/<str:second>/"
    position = 80
    takes = {"text": CharField()}
    address = ("first", "second")

    def show(self, request: AnalysisRequest) -> PageSections:
        """Return every measure of two coders, how they differ, and on which categories. Raises Http404."""
        first, second = (request.address[name] for name in self.address)
        counted = request.project_answers.select(request.parameters.selection("include"))
        if first == second or not {first, second} <= set(counted.known_coders):
            raise Http404("Unknown pair of coders.")
        alignment, choices = _build_alignment(request, first, second)
        read_marked = marked_texts_reader(request.project)
        measures = reports.measure_pair(request.project_answers, request.parameters, first, second, read_marked)
        parameters = replace(request.parameters, coders=f"{first},{second}")
        tables = [
            _measures_table(measures, first, second, by_muc6=read_marked is not None),
            _relations_table(request, parameters),
        ]
        charts: list[Chart] = []
        if not request.extract.units and {first, second} <= set(counted.coders):
            confusion = build_confusion(request, parameters, (first, second))
            tables += confusion.tables
            charts += confusion.charts
        tables += alignment.tables
        charts += alignment.charts
        dots = [Dot(MEASURES[one.measure], *with_ends(one)) for one in measures]
        chart = dots_chart("measures", f"{first} and {second} by every measure", dots, "value")
        return PageSections(
            tables,
            [chart, *charts],
            context={"first": first, "second": second, "has_chains": request.extract.has_chains, **choices},
        )


def _measures_table(measures: Sequence[reports.PairFigure], first: str, second: str, *, by_muc6: bool) -> Table:
    key = f" Scores match markables by the rules of MUC-6, with {first} as the key; the matrix has their mean"
    measure = Column("measure", "Measure", cell=lambda row: MEASURES[row.measure])
    return Table.of(
        "measures",
        f"{first} and {second}",
        [measure, Column("value", "Value", "figure"), *ENDS, Column("note", "Notes")],
        measures,
        "95% CI over the texts, or over the connected components of a single text."
        + (f"{key} with either as the key." if by_muc6 else ""),
    )


def _relations_table(request: AnalysisRequest, parameters: Parameters) -> Table:
    """Return how the values of the two coders of the parameters are related; a relation leads to its items."""
    relations = compute_items(request.project_answers, parameters).relations.sum(axis=0).tolist()
    address = reverse("items", args=[request.project.slug]) + f"?{urlencode(parameters.query())}"
    return Table(
        "relations",
        "Relations of their values",
        [
            Column("relation", "Relation", labels=RELATION_LABELS),
            Column("items", "Items", "count"),
            Column("share", "Share", "percent", explanation="share_of_relation"),
        ],
        [
            (Linked(name, f"{address}&relation={name}"), count, count / max(sum(relations), 1))
            for name, count in zip(RELATIONS, relations, strict=True)
        ],
    )


def _build_alignment(request: AnalysisRequest, first: str, second: str) -> tuple[TablesAndCharts, dict[str, Any]]:
    """Return the aligned chains of the text that the options name, and what the template needs to choose another."""
    text = request.options.get("text", "")
    found = align_chains(request.project_answers, request.parameters, first, second, text)
    texts = texts_of_pair(request.project_answers, request.parameters, first, second)
    if not texts:
        return TablesAndCharts([], []), {}
    shown = found.text.name if found else text
    read = found.text if found else next((one for one in texts if one.name == shown), texts[0])
    sides = {"coder": first, "beside": second}
    if read.is_one_of_several:
        sides |= {"round": read.round, "beside_round": read.round}
    choices = {
        "chains_of_text": found is not None,
        "text_choices": [(text.name, text.label) for text in texts],
        "text_chosen": found.text.name if found else shown,
        "kept": list(request.parameters.query().items()),
        "side_by_side": f"{reverse('text', args=[request.project.slug, read.slug])}?{urlencode(sides)}",
    }
    return (_align(request, found, first, second) if found else TablesAndCharts([], [])), choices


def _align(request: AnalysisRequest, found: ChainAlignment, first: str, second: str) -> TablesAndCharts:
    shown = found.pairs[:MOST_ROWS] if request.page is not None else found.pairs
    rows, columns = _ordered_places(found)
    snippets = read_snippets(_units_to_name(found, shown, rows, columns))
    table = _alignment_table(found, first, second, shown, snippets)
    return TablesAndCharts([table], [_alignment_chart(found, first, second, (rows, columns), snippets)])


def _ordered_places(found: ChainAlignment) -> tuple[list[int], list[int]]:
    """Return the places of the largest chains of each coder; aligned ones in the same order, to lie on a diagonal."""
    aligned = [one for one in found.aligned if one.first is not None and one.second is not None]
    sides = []
    for side, places in (
        (found.first, [one.first for one in aligned]),
        (found.second, [one.second for one in aligned]),
    ):
        largest = set(range(min(len(side), MOST_CHAINS)))  # chains stand by their size
        ordered = [place for place in places if place in largest]
        sides.append(ordered + sorted(largest.difference(ordered)))
    return sides[0], sides[1]


def _units_to_name(
    found: ChainAlignment, shown: Sequence[ChainPair], rows: Sequence[int], columns: Sequence[int]
) -> set[int]:
    firsts = {*rows, *(one.first for one in shown)}
    seconds = {*columns, *(one.second for one in shown)}
    chains = [
        *(found.first[place] for place in firsts if place is not None),
        *(found.second[place] for place in seconds if place is not None),
    ]
    return {unit for chain in chains for unit in chain[:MOST_MEMBERS]}


def _words(chain: Chain, snippets: Mapping[int, Snippet]) -> str:
    """Return a chain by its first members; those that are left out are counted."""
    named = ", ".join(snippets[unit].keyword.words for unit in chain[:MOST_MEMBERS])
    more = len(chain) - MOST_MEMBERS
    return f"{named}, and {more} more" if more > 0 else named


def _name(chain: Chain, snippets: Mapping[int, Snippet]) -> str:
    """Return what a row or column of the matrix is called: the first words, and the number of members."""
    words = snippets[chain[0]].keyword.words
    words = words if len(words) <= LONGEST_NAME else f"{words[: LONGEST_NAME - 1].rstrip()}…"
    return f"{words} ({len(chain)})"


def _alignment_table(
    found: ChainAlignment, first: str, second: str, shown: Sequence[ChainPair], snippets: Mapping[int, Snippet]
) -> Table:
    def side(chains: tuple[Chain, ...], place: int | None) -> list[Cell]:
        return ["" if place is None else _words(chains[place], snippets), None if place is None else len(chains[place])]

    rest = f" {len(shown)} of {len(found.pairs)} rows; files have all." if len(shown) < len(found.pairs) else ""
    return Table(
        "alignment",
        f"Chains in {found.text.label}",
        [
            Column("first", f"Chain of {first}", explanation="chain_of_first"),
            Column("first_members", "Members", "count", explanation="members"),
            Column("second", f"Chain of {second}", explanation="chain_of_second"),
            Column("second_members", "Members", "count", explanation="members"),
            Column("shared", "Shared", "count", explanation="shared_markables"),
            Column("similarity", "Similarity", "figure", explanation="phi_4"),
            Column("aligned", "Aligned"),
        ],
        [
            (
                *side(found.first, one.first),
                *side(found.second, one.second),
                one.shared,
                one.similarity,
                "aligned" if one.aligned else "",
            )
            for one in shown
        ],
        "Each chain is aligned with one at most, so that the sum of similarities is largest, as in CEAF of entities."
        + rest,
    )


def _alignment_chart(
    found: ChainAlignment, first: str, second: str, places: tuple[list[int], list[int]], snippets: Mapping[int, Snippet]
) -> Chart:
    rows, columns = places
    n_first, n_second = len(found.first), len(found.second)
    shared = {(one.first, one.second): one.shared for one in found.pairs}
    counts = [[shared.get((row, column)) for column in columns] for row in rows]
    title = f"Chains in {found.text.label}: shared markables, aligned chains framed"
    largest = f" The {MOST_CHAINS} largest of each coder are drawn." if max(n_first, n_second) > MOST_CHAINS else ""
    aligned = found.aligned
    words = (
        f"{pluralize(n_first, 'chain')} of {first} and {pluralize(n_second, 'chain')} of {second}: {len(aligned)} are"
        f" aligned and share {pluralize(sum(one.shared for one in aligned), 'markable')}.{largest}"
    )
    figure = heat_map(
        [_name(found.first[row], snippets) for row in rows],
        [_name(found.second[column], snippets) for column in columns],
        counts,
        "shared",
        (first, second),
    )
    _frame(
        figure,
        [
            (rows.index(one.first), columns.index(one.second))
            for one in aligned
            if one.first in rows and one.second in columns
        ],
    )
    return Chart("alignment", title, figure, words, "alignment")


def _frame(figure: Figure, cells: Sequence[tuple[int, int]]) -> None:
    """Draw a frame around cells of a heat map."""
    figure["layout"]["shapes"] = [
        {"type": "rect", "x0": column - 0.5, "x1": column + 0.5, "y0": row - 0.5, "y1": row + 0.5, "line": {"width": 3}}
        for row, column in cells
    ]
