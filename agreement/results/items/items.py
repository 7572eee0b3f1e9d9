"""On which items coders disagree."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
from rest_framework.serializers import CharField, ChoiceField

from agreement.data.documents import row_key
from agreement.data.given_answers import GivenAnswer, read_given_answers, read_marks
from agreement.data.project_answers import CHAINED, ProjectAnswers
from agreement.data.texts.snippets import Snippet, read_snippets_and_texts
from agreement.discussion import open_flags
from agreement.measures import RELATIONS
from agreement.measures.models.camps import LEAST_IN_CAMPS
from agreement.measures.results import pluralize
from agreement.reports.items.ambiguity import ItemReadings, read_readings, summarize_ambiguity
from agreement.reports.items.items import (
    AMBIGUITY,
    MARKS,
    SORTS,
    VERDICTS,
    ItemFilters,
    ItemMarks,
    Items,
    compute_items,
    nonzero_relations,
)
from agreement.reports.request.request import AnalysisRequest
from agreement.results.computations import register
from agreement.results.content import PageSections, paginate
from agreement.results.figures.charts import Chart
from agreement.results.figures.plots import strip_plot
from agreement.results.figures.positions import bin_positions, build_positions
from agreement.results.labels.labels import RELATION_LABELS, item_address
from agreement.results.labels.settings import name_terms
from agreement.results.page import ResultPage
from agreement.results.tables import Cell, Column, Composed, Table
from annotations.core.http.fields import MOST_CHOICES
from annotations.models import Project
from annotations.models.people.rights import Right
from annotations.models.project import may

PAGE_SIZE = 100
STRIP_SIZE = 200
OPTIONS = ("relation", "level", "category", "ambiguity", "text", *MARKS, "sort")
AMBIGUITY_LABELS = {
    "explicit": "marked ambiguous",
    "implicit": "split, not marked ambiguous",
    "either": "either",
    "ambiguous": "likely ambiguous",
    "slip": "likely a slip",
}
SORT_LABELS = {
    "share": "share",
    "values": "number of values",
    "links": "links",
    "text": "text order",
    "ambiguity": "likely ambiguous first",
}
# By the rule of camps: where the model ranks the items, which does it better, only who asks for them is shown these.
BY_CAMPS = ("implicit", "either")
MODELS = {"dawid-skene": "of coders (Dawid and Skene 1979)", "mention-pair": "of mention pairs (Paun et al. 2018)"}
# The answers of so many coders are shown with their names, those of more with their number.
MOST_NAMED = 3

# The filters of one kind: label, address, number of items, whether it is on.
type Chips = list[tuple[str, str, int, bool]]


@dataclass(frozen=True, slots=True)
class AnswerFields:
    """What a coder answered. Of pyramids there are none: words are compared, which nobody answers on."""

    component: ClassVar = "GivenAnswer"

    coder: str
    category: Annotated[str | None, "its key"]
    category_label: str | None
    antecedents: Annotated[tuple[str, ...], "words, ' + ' between those that are meant together; or names of indices"]
    targets: Annotated[tuple[str, ...], "keys of the antecedents"]
    unsure: bool
    note: str

    @classmethod
    def of(cls, one: GivenAnswer) -> AnswerFields:
        """Return an answer as the API gives it."""
        category, label = one.category or None, one.label or None
        return cls(one.coder, category, label, one.antecedents, one.targets, one.unsure, one.note)


@dataclass(frozen=True, slots=True)
class Context:
    """A markable in its context."""

    before: str
    words: str
    after: str


@dataclass(frozen=True, slots=True)
class Item:
    """A unit, and how coders disagree on it."""

    text: str
    round: str
    key: str
    words: str
    label: str
    share: Annotated[float, "of the observed disagreement; all shares sum to 1"]
    observed: Annotated[float, "what it adds to observed disagreement"]
    n_coders: int
    n_values: int
    relations: Annotated[Mapping[str, int], "pairs of coders by relation"]
    n_ambiguous: Annotated[int, "coders who marked several readings or indices"]
    camps: Annotated[bool, "four coders or more split into camps, and none marked any ambiguity"]
    posterior: Annotated[
        float | None,
        "probability of two readings, by a model of coders; null where fewer than two gave one reading,"
        " and where more than 20,000 items are chosen",
    ]
    verdict: Annotated[str, ChoiceField(["", *VERDICTS], help_text="what is likely where four coders or more differ")]
    title: Annotated[str, "of the text"]
    in_context: Context
    n_pointers: Annotated[int, "pointers of all coders to it"]
    chain_size: Annotated[int, "of its largest chain; 0 where all coders gave labels"]
    flagged: Annotated[bool | None, "null for those who do not discuss items"]
    answers: tuple[AnswerFields, ...]


def read_item_marks(project: Project, extract: ProjectAnswers) -> ItemMarks:
    """Return the marks of the items: what the reader may not know of is not among them."""
    flags = open_flags(project).values_list("markable_id", flat=True)
    flagged = frozenset(flags if may(project, Right.DISCUSS) else ())
    if extract.units:  # coders mark contributors, which are no items
        return ItemMarks(flag=flagged)
    return ItemMarks(flagged, partial(read_marks, project, extract))


def given_answers(
    extract: ProjectAnswers, units: Collection[int], contents: Mapping[int, str]
) -> dict[int, list[GivenAnswer]]:
    """Return what coders answered on each of these markables; of pyramids nothing, whose words nobody answers on."""
    if extract.units:
        return {}
    return read_given_answers(extract, extract.labels, units, contents)


class ItemsReport(NamedTuple):
    """The items, their marks, and by which model they are likely ambiguous."""

    items: Items
    marks: ItemMarks
    readings: ItemReadings


class OfItems[R](ResultPage[R]):
    """A page with the filters of items among its options: flags are for those who discuss."""

    def option_names(self, project: Project) -> Collection[str]:
        return self.options if may(project, Right.DISCUSS) else [name for name in self.options if name != "flag"]


@register
class ItemsPage(OfItems[ItemsReport]):
    """The units by their share of the observed disagreement, filtered by how coders differ."""

    name, title = "items", "Items"
    template = "agreement/items/items.html"
    position, tab = 150, 110
    gives = list[Item]
    takes = {
        "relation": ChoiceField(RELATIONS, required=False, help_text="Some pair of coders."),
        "level": CharField(required=False),
        "category": CharField(required=False, help_text="Some coder gave it."),
        "ambiguity": ChoiceField(AMBIGUITY, required=False),
        "text": CharField(required=False, help_text="The address of a text."),
        "flag": ChoiceField(["set"], required=False, help_text="For managers and adjudicators."),
        "note": ChoiceField(["set"], required=False, help_text="A coder wrote one."),
        "unsure": ChoiceField(["set"], required=False, help_text="A coder was."),
        "sort": ChoiceField(SORTS, required=False),
    }
    api = "The units by their share of the observed disagreement, the largest first, in pages."
    rows = ""

    def compute(self, request: AnalysisRequest) -> ItemsReport:
        return _read(request)

    def fields(self, request: AnalysisRequest, report: ItemsReport) -> list[int]:
        """Return the rows of the items that the filters let through."""
        items, marks, readings = report
        rows: list[int] = items.select(ItemFilters(**request.options), marks, readings.ranked).tolist()
        return rows

    def describe_rows(self, request: AnalysisRequest, report: ItemsReport, rows: Sequence[int]) -> list[Item]:
        units = [int(report.items.unit[row]) for row in rows]
        snippets, contents = read_snippets_and_texts(units)
        answers = given_answers(request.extract, units, contents)
        flagged = report.marks.flag if may(request.project, Right.DISCUSS) else None
        return [_describe_item(report, row, snippets, answers, flagged) for row in rows]

    def show(self, request: AnalysisRequest) -> PageSections:
        items, marks, readings = _read(request)
        filters = ItemFilters(**request.options)
        if filters.sort == "ambiguity":
            filters.read_ranked(readings.ranked)
        selected = items.choose(filters, marks, readings.ranked)
        shown, places = paginate(request, range(len(selected)), PAGE_SIZE)
        n_first = places[-1] + 1 if places else 0
        rows = items.order(selected, n_first, filters, readings.ranked)[places[0] if places else 0 :].tolist()
        first = items.order(selected, STRIP_SIZE).tolist()
        units = [int(items.unit[row]) for row in rows]
        bins = bin_positions(items, selected)
        further = (*first, *(one.highest for one in bins))
        snippets, contents = read_snippets_and_texts({*units, *(int(items.unit[row]) for row in further)})
        positions = build_positions(request, items, bins, snippets)
        answers = given_answers(request.extract, units, contents)
        current = request.options.get("sort") or "share"
        ambiguity = _ambiguity_table(request)
        return PageSections(
            tables=[
                _items_table(request, items, rows, snippets, answers, marks, readings),
                *([ambiguity] if ambiguity else []),
                *positions.tables,
            ],
            charts=[
                *([_share_chart(items, first, snippets, len(selected))] if len(first) > 1 else []),
                *positions.charts,
            ],
            context={
                "shown": shown,
                "total": len(items.unit),
                "discusses": may(request.project, Right.DISCUSS),
                "filters": _filters(request, items, marks, readings),
                "shows_texts": _shows_texts(request, items),
                "text_choices": _text_choices(request, items),
                "text_chosen": request.options.get("text", ""),
                "all_texts": request.address_with(text=""),
                "kept": [pair for pair in (request.parameters.query() | request.options).items() if pair[0] != "text"],
                "sorts": [
                    (SORT_LABELS[name], request.address_with(sort=name), name == current)
                    for name in SORTS
                    if name != "ambiguity" or readings.units
                ],
            },
        )


def _read(request: AnalysisRequest) -> ItemsReport:
    items = compute_items(request.extract, request.parameters)
    marks = read_item_marks(request.project, request.extract)
    return ItemsReport(items, marks, read_readings(request.extract, request.parameters, items))


def _describe_item(
    report: ItemsReport,
    row: int,
    snippets: Mapping[int, Snippet],
    answers: Mapping[int, Sequence[GivenAnswer]],
    flagged: frozenset[int] | None,
) -> Item:
    ranking, readings = report.items, report.readings
    snippet, text = snippets[int(ranking.unit[row])], ranking.texts[ranking.text[row]]
    return Item(
        text=text.slug,
        round=text.round,
        key=snippet.key,
        words=snippet.words,
        label=snippet.label,
        share=float(ranking.share_of(row)),
        observed=float(ranking.observed_of(row)),
        n_coders=int(ranking.n_coders[row]),
        n_values=int(ranking.n_values[row]),
        relations=nonzero_relations(ranking.relations[row].tolist()),
        n_ambiguous=int(ranking.explicit[row]),
        camps=bool(ranking.camps[row]),
        posterior=readings.posterior(snippet.unit),
        verdict=readings.verdict(snippet.unit),
        title=text.title,
        in_context=Context(snippet.keyword.before, snippet.keyword.words, snippet.keyword.after),
        n_pointers=int(ranking.pointers[row]),
        chain_size=int(ranking.chain[row]),
        flagged=None if flagged is None else row_key(snippet.unit) in flagged,
        answers=tuple(map(AnswerFields.of, answers.get(snippet.unit, ()))),
    )


def _share_chart(items: Items, first: Sequence[int], snippets: Mapping[int, Snippet], total: int) -> Chart:
    shares = [float(items.share_of(row)) for row in first]
    many = f", the first ten together {sum(shares[:10]):.0%}" if len(shares) > 10 else ""
    return Chart(
        "items",
        "Share of the observed disagreement, by item",
        strip_plot([snippets[int(items.unit[row])].words for row in first], shares, "share"),
        f"{total} items; the first carries {shares[0]:.0%}{many} of the disagreement.",
        "items",
    )


@dataclass(frozen=True, slots=True)
class AnswerGroup:
    """The coders who gave the same answer, and whether some of them were unsure or wrote a note."""

    who: str
    answer: GivenAnswer
    unsure: bool
    note: bool


def group_answers(answers: Sequence[GivenAnswer]) -> list[AnswerGroup]:
    """Return equal answers together, those of most coders first: few coders are named, many counted."""
    alike: dict[tuple[str, tuple[str, ...], tuple[str, ...]], list[GivenAnswer]] = defaultdict(list)
    for one in answers:
        alike[one.category, one.targets, one.antecedents].append(one)
    groups = sorted(alike.values(), key=lambda group: -len(group))
    return [
        AnswerGroup(
            f"{', '.join(one.coder for one in group)}:" if len(answers) <= MOST_NAMED else str(len(group)),
            group[0],
            any(one.unsure for one in group),
            any(one.note for one in group),
        )
        for group in groups
    ]


def _shows_texts(request: AnalysisRequest, items: Items) -> bool:
    """Return whether the items may be of several texts."""
    return len(items.texts) > 1 and not request.options.get("text")


def _list_answers(answers: Sequence[GivenAnswer]) -> str:
    """Return who answered what in one line."""
    return "; ".join(f"{one.coder}: {one}{' (unsure)' if one.unsure else ''}" for one in answers)


def _items_table(
    request: AnalysisRequest,
    items: Items,
    rows: Sequence[int],
    snippets: Mapping[int, Snippet],
    answers: Mapping[int, Sequence[GivenAnswer]],
    marks: ItemMarks,
    readings: ItemReadings,
) -> Table:
    """Return the items in these rows; the page has fewer columns than the file, which has each figure."""
    discusses, judged = may(request.project, Right.DISCUSS), not request.extract.units
    titled = _shows_texts(request, items)
    title = [Column("title", "Title", place="both" if titled else "file")]
    columns = [
        Column("context", "In context"),
        *(title if titled else []),
        *([Column("answers", "Answers")] if judged else []),
        Column("share", "Share", "percent", explanation="share_of_disagreement"),
        Column("marks", "Marks", place="page"),
        Column("words", "Words", place="file"),
        Column("text", "Text", place="file"),
        *([] if titled else title),
        Column("values", "Values", "count", "both" if request.extract.units else "file"),
        Column("coders", "Coders", "count", "file"),
        *(Column(name, RELATION_LABELS[name].capitalize(), "count", "file") for name in RELATIONS),
        Column("ambiguity", "Ambiguity", place="file"),
        Column("two_readings", "Probability of two readings", "probability", "file"),
        Column("verdict", "Likely", place="file"),
        *([Column("notes", "Notes", "count", "file"), Column("unsure", "Unsure", "count", "file")] if judged else []),
        *([Column("flag", "Flag", place="file")] if discusses else []),
        Column("pointers", "Pointers", "count", "file"),
        *([] if request.extract.question else [Column("chain", "Largest chain", "count", "file")]),
        Column("observed", "Disagreement", "figure", "file"),
        Column("key", "Key", place="file"),
    ]
    cells: list[list[Cell]] = []
    for row in rows:
        snippet, text = snippets[int(items.unit[row])], items.texts[items.text[row]]
        address = item_address(request.project.slug, text, snippet.key, request.full_query)
        keyword = snippet.keyword.on_its_line() if request.extract.units else snippet.keyword
        given = answers.get(snippet.unit, ())
        explicit, camps = int(items.explicit[row]), bool(items.camps[row])
        notes, unsure = sum(bool(one.note) for one in given), sum(one.unsure for one in given)
        flagged = row_key(snippet.unit) in marks.flag
        verdict, posterior = readings.verdict(snippet.unit), readings.posterior(snippet.unit)
        seen = _mark_words(flagged, notes, unsure, _ambiguity_words(explicit, camps, posterior, verdict))
        in_context = {"keyword": keyword, "address": address}
        said: dict[str, Cell] = {
            "context": Composed(str(keyword), "agreement/parts/items/item_keyword.html", in_context),
            "title": text.label,
            "answers": Composed(_list_answers(given), "agreement/parts/items/item_answers.html", group_answers(given)),
            "share": float(items.share_of(row)),
            "marks": Composed(seen, "agreement/parts/items/item_marks.html", seen),
            "words": snippet.words,
            "text": text.name,
            "values": int(items.n_values[row]),
            "coders": int(items.n_coders[row]),
            **dict(zip(RELATIONS, items.relations[row].tolist(), strict=True)),
            "ambiguity": f"marked by {explicit}" if explicit else "split" if camps else "",
            "two_readings": posterior,
            "verdict": verdict,
            "notes": notes,
            "unsure": unsure,
            "flag": "flagged" if flagged else "",
            "pointers": int(items.pointers[row]),
            "chain": int(items.chain[row]),
            "observed": float(items.observed_of(row)),
            "key": snippet.key,
        }
        cells.append([said[column.name] for column in columns])
    by_model = request.options.get("sort") == "ambiguity"
    order = "probability of two readings" if by_model else "share of observed disagreement"
    return Table("items", f"Items by {order}", columns, cells, _readings_note(items, readings))


def _readings_note(items: Items, readings: ItemReadings) -> str:
    """Return by which rule items are said to be ambiguous, and what limits it."""
    if items.n_coders.max(initial=0) < LEAST_IN_CAMPS:
        return "Of fewer than four coders who differ nobody can tell whether an item is ambiguous."
    if not readings.units:
        reason = readings.ranked.reason
        return f"Split: by the rule of camps. {reason} A model of coders says then what is likely ambiguous."
    limits = f"; {readings.note}" if readings.note else ""
    return (
        f"Likely ambiguous: two readings are more probable than a slip, by a model {MODELS[readings.model]}, which"
        f" ranks items better than the rule of camps{limits}. Of items with fewer than four coders it says nothing."
    )


def _ambiguity_words(explicit: int, camps: bool, posterior: float | None, verdict: str) -> str:
    """Return who marked an ambiguity, or whether one is likely; where the model says nothing, by the rule of camps."""
    if explicit:
        return f"{explicit} ambiguous"
    if posterior is None:
        return "split" if camps else ""
    return f"likely ambiguous ({posterior:.2f})" if verdict == "ambiguous" else ""


def _mark_words(flagged: bool, notes: int, unsure: int, ambiguity: str) -> str:
    """Return what stands out of an item: a flag, notes, coders who were unsure or saw an ambiguity."""
    words = [
        "flagged" if flagged else "",
        pluralize(notes, "note") if notes else "",
        f"{unsure} unsure" if unsure else "",
        ambiguity,
    ]
    return ", ".join(filter(None, words))


def _ambiguity_table(request: AnalysisRequest) -> Table | None:
    """Return how often ambiguity is marked; None where the scheme has none, or no coder has marked any."""
    if request.extract.kind not in (*CHAINED, "targets") or request.extract.units:
        return None
    counts = summarize_ambiguity(request.extract, request.parameters)
    if not counts[0].n_ambiguous_judgements:
        return None
    return Table.of(
        "ambiguity",
        "Marked as ambiguous",
        [
            Column("kind", "By"),
            Column("name", "Category or coder", labels=request.extract.labels),
            Column("items", "Items", "count", cell="n_ambiguous_units"),
            Column("of_items", "of", "count", explanation="of", cell="n_units"),
            Column("share_of_items", "Share", "percent", explanation="share", cell="share_of_units"),
            Column("judgements", "Judgements", "count", cell="n_ambiguous_judgements"),
            Column("of_judgements", "of", "count", explanation="of", cell="n_judgements"),
            Column("share_of_judgements", "Share", "percent", explanation="share"),
        ],
        [one for one in counts if one.n_judgements],
        "Judgements with several antecedents or indices; items that at least one coder marked so, of those that some"
        " coder judged, gave the category, or that the coder judged.",
    )


def _filters(
    request: AnalysisRequest, items: Items, marks: ItemMarks, readings: ItemReadings
) -> list[tuple[str, Chips]]:
    """Return the filters as chips, under a label each; those that let nothing through are left out."""
    levels, ranked = items.level_names, readings.ranked
    hidden = BY_CAMPS if readings.units else VERDICTS
    ambiguities = [name for name in AMBIGUITY if name not in hidden or name == request.options.get("ambiguity")]
    ambiguity = AMBIGUITY_LABELS | ({"explicit": "in several SCUs"} if request.extract.units else {})
    groups: list[tuple[str, list[tuple[str, str, str]]]] = [
        ("Relation", [("relation", name, RELATION_LABELS[name]) for name in RELATIONS]),
        ("Ambiguity", [("ambiguity", name, ambiguity[name]) for name in ambiguities]),
        (
            "Marks",
            [
                *([("flag", "set", "flagged")] if may(request.project, Right.DISCUSS) else []),
                ("note", "set", "with a note"),
                ("unsure", "set", "a coder unsure"),
            ],
        ),
        (
            {"categories": "Category", "labels": "Label", "values": "Value"}[name_terms(request.extract.question)],
            [] if request.extract.units else [("category", name, request.extract.label(name)) for name in items.names],
        ),
        ("Level", [("level", name, name) for name in levels] if len(levels) > 1 else []),
    ]
    filters = []
    for label, choices in groups:
        chips: Chips = []
        for name, value, words in choices:
            on = request.options.get(name) == value
            number = items.count(ItemFilters(**{name: value}), marks, ranked)
            if number or on:
                chips.append((words, request.address_with(**{name: "" if on else value}), number, on))
        if chips:
            filters.append((label, chips))
    return filters


def _text_choices(request: AnalysisRequest, items: Items) -> list[tuple[str, str]]:
    """Return the texts that have items: their addresses, and titles with the numbers of items.

    Of many the first MOST_CHOICES alone have titles: others are not shown.
    """
    slugs, chosen = [text.slug for text in items.texts], request.options.get("text")
    if len(set(slugs)) < 2:
        return []
    counts = np.bincount(items.text, minlength=len(slugs)).tolist()
    listed = dict.fromkeys(slug for slug, count in zip(slugs, counts, strict=True) if count or slug == chosen)
    titles = dict.fromkeys(islice(listed, MOST_CHOICES), "")
    of_text = Counter[str]()  # in all of its rounds
    for text, count in zip(items.texts, counts, strict=True):
        if text.slug in titles:
            titles[text.slug] = text.title
            of_text[text.slug] += count
    return [(slug, f"{titles[slug]} ({of_text[slug]})" if slug in titles else slug) for slug in listed]
