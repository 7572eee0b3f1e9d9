"""On which items coders disagree."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from django.urls import reverse

from agreement.data.snippets import Snippet, read_snippets
from agreement.measures import RELATIONS
from agreement.measures.values import Ints
from agreement.models import Flag
from agreement.reports.items.ambiguity import summarize_ambiguity
from agreement.reports.items.items import AMBIGUITY, SORTS, ItemFilters, Items, compute_items
from agreement.reports.parameters import Parameters
from agreement.reports.request import AnalysisRequest
from agreement.sections.charts import Chart, strip_plot
from agreement.sections.content import PageSections, paginate
from agreement.sections.labels import RELATION_LABELS
from agreement.sections.tables import Column, Linked, Table
from annotations.models import Project
from annotations.models.project import may
from annotations.models.rights import Right

PAGE_SIZE = 100
STRIP_SIZE = 200
OPTIONS = ("relation", "level", "category", "ambiguity", "flag", "sort")
AMBIGUITY_LABELS = {"explicit": "marked ambiguous", "implicit": "split, not marked ambiguous", "either": "either"}

# The filters of one kind: label, address, number of items, whether it is on.
type Chips = list[tuple[str, str, int, bool]]


def item_options(project: Project) -> Collection[str]:
    """Return the options of the address of items: flags are for those who discuss."""
    return OPTIONS if may(project, Right.DISCUSS) else tuple(name for name in OPTIONS if name != "flag")


def read_flags(project: Project) -> frozenset[int] | None:
    """Return the flagged markables; None for those who do not discuss."""
    if not may(project, Right.DISCUSS):
        return None
    return frozenset(Flag.objects.filter(markable__text__project=project).values_list("markable_id", flat=True))


def build(request: AnalysisRequest) -> PageSections:
    """Return the units by their share of the observed disagreement, filtered by how coders differ."""
    flags = read_flags(request.project)

    def compute(parameters: Parameters, options: dict[str, str]) -> tuple[Items, Ints]:
        items = compute_items(request.extract, parameters)
        return items, items.select(ItemFilters(**options), flags or frozenset())

    items, selected = request.compute(compute)
    shown, rows = paginate(request, selected.tolist(), PAGE_SIZE)
    first = sorted(selected.tolist(), key=lambda row: -items.share[row])[:STRIP_SIZE]
    snippets = read_snippets({int(items.unit[row]) for row in [*rows, *first]})
    current = request.options.get("sort") or "share"
    ambiguity = _ambiguity_table(request)
    return PageSections(
        tables=[_items_table(request, items, rows, snippets, flags), *([ambiguity] if ambiguity else [])],
        charts=[_share_chart(items, first, snippets, len(selected))] if len(first) > 1 else [],
        context={
            "shown": shown,
            "total": len(items.unit),
            "filters": _filters(request, items, flags or frozenset()),
            "sorts": [(name, request.address_with(sort=name), name == current) for name in SORTS],
        },
    )


def _share_chart(items: Items, first: Sequence[int], snippets: dict[int, Snippet], total: int) -> Chart:
    shares = [float(items.share[row]) for row in first]
    many = f", the first ten together {sum(shares[:10]):.0%}" if len(shares) > 10 else ""
    return Chart(
        "items",
        "Share of the observed disagreement, by item",
        strip_plot([snippets[int(items.unit[row])].words for row in first], shares, "share"),
        f"{total} items; the first carries {shares[0]:.0%}{many} of the disagreement.",
        "items",
    )


def _items_table(
    request: AnalysisRequest,
    items: Items,
    rows: Sequence[int],
    snippets: dict[int, Snippet],
    flags: frozenset[int] | None,
) -> Table:
    """Return the items in these rows; without the column of flags where `flags` is None."""
    columns = [
        Column("words", "Words"),
        *([Column("context", "In context")] if request.extract.units == "words" else []),
        Column("text", "Text"),
        Column("share", "Share", "percent"),
        Column("values", "Values", "count"),
        Column("coders", "Coders", "count"),
        *(Column(name, RELATION_LABELS[name].capitalize(), "count") for name in RELATIONS),
        Column("ambiguity", "Ambiguity"),
        *([] if flags is None else [Column("flag", "Flag")]),
        Column("observed", "Disagreement", "figure"),
        Column("key", "Key"),
    ]
    cells = []
    for row in rows:
        snippet, text = snippets[int(items.unit[row])], items.texts[items.text[row]]
        address = reverse("item", args=[request.project.slug, text.slug, snippet.key])
        explicit = int(items.explicit[row])
        cells.append(
            (
                Linked(snippet.words, f"{address}?{request.full_query}"),
                *([snippet.context] if request.extract.units == "words" else []),
                text.slug,
                float(items.share[row]),
                int(items.n_values[row]),
                int(items.n_coders[row]),
                *items.relations[row].tolist(),
                f"marked by {explicit}" if explicit else "split" if items.camps[row] else "",
                *([] if flags is None else ["flagged" if snippet.pk in flags else ""]),
                float(items.observed[row]),
                snippet.key,
            )
        )
    return Table("items", "Items by share of observed disagreement", columns, cells)


def _ambiguity_table(request: AnalysisRequest) -> Table | None:
    """Return how often ambiguity is marked; None where the scheme has none, or no coder has marked any."""
    if request.extract.kind == "categories" or request.extract.units:
        return None
    counts = summarize_ambiguity(request.extract, request.parameters)
    if not counts[0].n_ambiguous_judgements:
        return None
    return Table(
        "ambiguity",
        "Marked as ambiguous",
        [
            Column("kind", "By"),
            Column("name", "Category or coder", labels=request.extract.labels),
            Column("items", "Items", "count"),
            Column("of_items", "of", "count"),
            Column("share_of_items", "Share", "percent"),
            Column("judgements", "Judgements", "count"),
            Column("of_judgements", "of", "count"),
            Column("share_of_judgements", "Share", "percent"),
        ],
        [
            (
                one.kind,
                one.name,
                one.n_ambiguous_units,
                one.n_units,
                one.share_of_units,
                one.n_ambiguous_judgements,
                one.n_judgements,
                one.share_of_judgements,
            )
            for one in counts
            if one.n_judgements
        ],
        "Judgements with several antecedents or indices; items that at least one coder marked so, of those that some"
        " coder judged, gave the category, or that the coder judged.",
    )


def _filters(request: AnalysisRequest, items: Items, flags: frozenset[int]) -> list[tuple[str, Chips]]:
    """Return the filters as chips, under a label each; those that let nothing through are left out."""
    levels = sorted(set(items.level))
    ambiguity = AMBIGUITY_LABELS | ({"explicit": "in several SCUs"} if request.extract.units else {})
    groups: list[tuple[str, str, list[tuple[str, str]]]] = [
        ("relation", "Relation", [(name, RELATION_LABELS[name]) for name in RELATIONS]),
        ("ambiguity", "Ambiguity", [(name, ambiguity[name]) for name in AMBIGUITY]),
        (
            "category",
            "Category",
            [] if request.extract.units else [(name, request.extract.label(name)) for name in items.names],
        ),
        ("level", "Level", [(name, name) for name in levels] if len(levels) > 1 else []),
        ("flag", "Guidelines", [("set", "flagged")] if flags else []),
    ]
    filters = []
    for name, label, choices in groups:
        chips: Chips = []
        for value, words in choices:
            on = request.options.get(name) == value
            number = len(items.select(ItemFilters(**{name: value}), flags))
            if number or on:
                chips.append((words, request.address_with(**{name: "" if on else value}), number, on))
        if chips:
            filters.append((label, chips))
    return filters
