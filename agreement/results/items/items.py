"""The page of items on which coders disagree."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Annotated, Any, NamedTuple, Self

import numpy as np
from rest_framework.serializers import CharField, ChoiceField

from agreement.data.documents import Document, row_key
from agreement.data.given_answers import CoderMarks, GivenAnswer, read_given_answers, read_marks
from agreement.data.project_answers import CHAINED
from agreement.data.texts import Snippet, read_snippets_and_texts
from agreement.discussion import open_flags
from agreement.measures import RELATIONS
from agreement.measures.models.reading_groups import MIN_IN_CAMPS
from agreement.measures.results import pluralize
from agreement.reports import items as reports
from agreement.reports.basis import pick_texts
from agreement.reports.fields import PageOnly, copy_fields
from agreement.reports.request import AnalysisRequest
from agreement.reports.wording import RELATION_LABELS, TERMS, item_address, name_terms
from agreement.results.computations import PageSections, ResultPage, paginate, register
from agreement.results.figures.charts import Chart, strip_plot
from agreement.results.figures.sections import bin_positions, build_positions
from agreement.results.tables import Column, Composed, Table
from annotations.core.http.fields import MAX_CHOICES
from annotations.models import Project
from annotations.models.people.rights import Right
from annotations.models.project import may
from annotations.texts.keywords import Keyword

PAGE_SIZE = 100
STRIP_SIZE = 200
OPTIONS = ("relation", "level", "category", "ambiguity", "text", *reports.MARKS, "sort")
# Filters by the rule of camps: hidden unless selected if the model, which ranks items better, has results.
BY_CAMPS = ("implicit", "either")
MODELS = {"dawid-skene": "of coders (Dawid and Skene 1979)", "mention-pair": "of mention pairs (Paun et al. 2018)"}
MAX_NAMED = 3  # coders who are named with their answers; more are counted


@dataclass(frozen=True, slots=True)
class AnswerFields:
    """The answer of a coder. Pyramids have none: their items are words, which nobody judges."""

    coder: str
    category: Annotated[str | None, "its key"]
    category_label: str | None
    antecedents: Annotated[tuple[str, ...], "words, ' + ' between those that are meant together; or names of indices"]
    targets: Annotated[tuple[str, ...], "keys of the antecedents"]
    unsure: bool
    note: str

    @classmethod
    def of(cls, one: GivenAnswer) -> Self:
        """Return an answer as the API gives it."""
        return copy_fields(cls, one, category=one.category or None, category_label=one.label or None)


@dataclass(frozen=True, slots=True)
class Context:
    """A markable in its context."""

    before: str
    words: str
    after: str


@dataclass(frozen=True, slots=True)
class Item:
    """A unit, and the disagreement of coders on it."""

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
        " and where more than 20,000 items are chosen, fewer of more than 50 coders",
    ]
    verdict: Annotated[
        str, ChoiceField(["", *reports.VERDICTS], help_text="what is likely where four coders or more differ")
    ]
    title: Annotated[str, "of the text"]
    in_context: Context
    n_pointers: Annotated[int, "pointers of all coders to it"]
    chain_size: Annotated[int, "of its largest chain; 0 where all coders gave labels"]
    flagged: Annotated[bool | None, "null for those who do not discuss items"]
    answers: tuple[AnswerFields, ...]
    document: PageOnly[Document]
    snippet: PageOnly[Snippet]
    given: PageOnly[Sequence[GivenAnswer]]

    @property
    def n_notes(self) -> int:
        return sum(bool(one.note) for one in self.given)

    @property
    def n_unsure(self) -> int:
        return sum(one.unsure for one in self.given)

    @property
    def marks(self) -> str:
        """The marks of the item in words: flag, notes, unsure coders, and marked or likely ambiguity."""
        ambiguity = ""
        if self.n_ambiguous:
            ambiguity = f"{self.n_ambiguous} ambiguous"
        elif self.posterior is None:  # the model says nothing
            ambiguity = "split" if self.camps else ""
        elif self.verdict == "ambiguous":
            ambiguity = f"likely ambiguous ({self.posterior:.2f})"
        flag, notes = "flagged" if self.flagged else "", pluralize(self.n_notes, "note") if self.n_notes else ""
        return ", ".join(filter(None, [flag, notes, f"{self.n_unsure} unsure" if self.n_unsure else "", ambiguity]))


class ItemsReport(NamedTuple):
    """The items, their marks, and their readings by a model of coders."""

    items: reports.Items
    marks: reports.ItemMarks
    readings: reports.ItemReadings


def read_items(request: AnalysisRequest) -> ItemsReport:
    """Return the items with their marks; flags are empty for readers who may not discuss items."""
    project, answers = request.project, request.extract
    items = reports.compute_items(answers, request.parameters)
    flags = open_flags(project).values_list("markable_id", flat=True)
    flagged = frozenset(flags if may(project, Right.DISCUSS) else ())

    def read_coder_marks() -> CoderMarks:
        return read_marks(project, answers.restrict(pick_texts(answers, request.parameters)))

    # in pyramids coders mark contributors, which are not items
    marks = reports.ItemMarks(flagged, CoderMarks if answers.units else cache(read_coder_marks))
    return ItemsReport(items, marks, reports.read_readings(answers, request.parameters, items))


def describe_items(
    request: AnalysisRequest,
    report: ItemsReport,
    rows: Sequence[int],
    snippets: Mapping[int, Snippet],
    contents: Mapping[int, str],
) -> list[Item]:
    """Return the items in these rows; `snippets` and `contents` cover at least their units and texts."""
    items, marks, readings = report
    answers = read_given_answers(request.extract, [int(items.unit[row]) for row in rows], contents)
    discusses, described = may(request.project, Right.DISCUSS), []
    for row in rows:
        snippet, text = snippets[int(items.unit[row])], items.texts[items.text[row]]
        given = answers.get(snippet.unit, ())
        item = copy_fields(
            Item,
            snippet,
            text,
            text=text.slug,
            share=float(items.share_of(row)),
            observed=float(items.observed_of(row)),
            n_coders=int(items.n_coders[row]),
            n_values=int(items.n_values[row]),
            relations=reports.nonzero_relations(items.relations[row].tolist()),
            n_ambiguous=int(items.explicit[row]),
            camps=bool(items.camps[row]),
            posterior=readings.posterior(snippet.unit),
            verdict=readings.verdict(snippet.unit),
            in_context=copy_fields(Context, snippet.keyword),
            n_pointers=int(items.pointers[row]),
            chain_size=int(items.chain[row]),
            flagged=row_key(snippet.unit) in marks.flag if discusses else None,
            answers=tuple(map(AnswerFields.of, given)),
            document=text,
            snippet=snippet,
            given=given,
        )
        described.append(item)
    return described


class OfItems[R](ResultPage[R]):
    """A page with filters of items among its options; only readers who may discuss items filter by flag."""

    def option_names(self, project: Project) -> Collection[str]:
        return self.options if may(project, Right.DISCUSS) else [name for name in self.options if name != "flag"]


@register
class ItemsPage(OfItems[ItemsReport]):
    """The units by their share of the observed disagreement, with filters."""

    name, title = "items", "Items"
    template = "agreement/items/items.html"
    is_kept = True
    position, tab = 150, 110
    gives = list[Item]
    takes = {
        "relation": ChoiceField(RELATIONS, required=False, help_text="Some pair of coders."),
        "level": CharField(required=False),
        "category": CharField(required=False, help_text="Some coder gave it."),
        "ambiguity": ChoiceField(list(reports.AMBIGUITY), required=False),
        "text": CharField(required=False, help_text="The address of a text."),
        "flag": ChoiceField(["set"], required=False, help_text="For managers and adjudicators."),
        "note": ChoiceField(["set"], required=False, help_text="A coder wrote one."),
        "unsure": ChoiceField(["set"], required=False, help_text="A coder was."),
        "sort": ChoiceField(list(reports.SORTS), required=False),
    }
    api = "The units by their share of the observed disagreement, the largest first, in pages."
    rows = ""

    def kept_state(self, project: Project) -> list[int]:
        """Return the primary keys of markables with an open flag."""
        return sorted(open_flags(project).values_list("markable_id", flat=True))

    def compute(self, request: AnalysisRequest) -> ItemsReport:
        return read_items(request)

    def fields(self, request: AnalysisRequest, report: ItemsReport) -> Any:
        """Return the rows of the items that match the filters."""
        return report.items.select(reports.ItemFilters(**request.options), *report[1:]).tolist()

    def describe_rows(self, request: AnalysisRequest, report: ItemsReport, rows: Sequence[int]) -> list[Item]:
        snippets, contents = read_snippets_and_texts([int(report.items.unit[row]) for row in rows])
        return describe_items(request, report, rows, snippets, contents)

    def show(self, request: AnalysisRequest) -> PageSections:
        report, filters = read_items(request), reports.ItemFilters(**request.options)
        items, marks, readings = report
        if filters.sort == "ambiguity":
            readings.require("sort")
        selected = items.choose(filters, marks, readings)
        shown, places = paginate(request, range(len(selected)), PAGE_SIZE)
        begin, end = (places[0], places[-1] + 1) if places else (0, 0)
        rows = items.order(selected, end, filters.sort, readings)[begin:].tolist()
        first = items.order(selected, STRIP_SIZE).tolist()
        bins = bin_positions(items, selected)
        units = {int(items.unit[row]) for row in (*rows, *first, *(one.highest for one in bins))}
        snippets, contents = read_snippets_and_texts(units)
        positions = build_positions(request, items, bins, snippets)
        described = describe_items(request, report, rows, snippets, contents)
        return PageSections(
            [_items_table(request, report, described), *_ambiguity_tables(request), *positions.tables],
            [*_share_charts(items, first, snippets, len(selected)), *positions.charts],
            context={
                "shown": shown,
                "total": len(items.unit),
                "discusses": may(request.project, Right.DISCUSS),
                "filters": _filters(request, report),
                "shows_texts": _shows_texts(request, items),
                "text_choices": _text_choices(request, items),
                "all_texts": request.address_with(text=""),
                "kept": [pair for pair in (request.parameters.query() | request.options).items() if pair[0] != "text"],
                "sorts": [
                    (label, request.address_with(sort=name), name == filters.sort)
                    for name, label in reports.SORTS.items()
                    if name != "ambiguity" or readings.units
                ],
            },
        )


def _share_charts(
    items: reports.Items, first: Sequence[int], snippets: Mapping[int, Snippet], total: int
) -> list[Chart]:
    if len(first) < 2:
        return []
    shares = [float(items.share_of(row)) for row in first]
    figure = strip_plot([snippets[int(items.unit[row])].words for row in first], shares, "share")
    many = f", the first ten together {sum(shares[:10]):.0%}" if len(shares) > 10 else ""
    words = f"{total} items; the first carries {shares[0]:.0%}{many} of the disagreement."
    return [Chart("items", "Share of the observed disagreement, by item", figure, words, "items")]


def group_answers(answers: Sequence[GivenAnswer]) -> list[dict[str, Any]]:
    """Return groups of equal answers, the largest first; up to MAX_NAMED coders are named, more are counted."""
    alike: dict[tuple[str, tuple[str, ...], tuple[str, ...]], list[GivenAnswer]] = defaultdict(list)
    for one in answers:
        alike[one.category, one.targets, one.antecedents].append(one)
    return [
        {
            "who": f"{', '.join(one.coder for one in group)}:" if len(answers) <= MAX_NAMED else str(len(group)),
            "answer": group[0],
            "unsure": any(one.unsure for one in group),
            "note": any(one.note for one in group),
        }
        for group in sorted(alike.values(), key=len, reverse=True)
    ]


def answers_cell(words: str, groups: Sequence[Mapping[str, Any]]) -> Composed:
    """Return a cell with groups of answers; files have `words`."""
    return Composed(words, "agreement/parts/items/item_answers.html", groups)


def keyword_cell(keyword: Keyword, address: str) -> Composed:
    """Return a cell with an item in its context, linked to its page."""
    return Composed(str(keyword), "agreement/parts/items/item_keyword.html", {"keyword": keyword, "address": address})


def _shows_texts(request: AnalysisRequest, items: reports.Items) -> bool:
    return len(items.texts) > 1 and not request.options.get("text")


def _items_table(request: AnalysisRequest, report: ItemsReport, described: Sequence[Item]) -> Table:
    """Return the table of items; files have more columns than the page."""
    judged, titled = not request.extract.units, _shows_texts(request, report.items)

    def in_context(row: Item) -> Composed:
        keyword = row.snippet.keyword if judged else row.snippet.keyword.on_its_line()
        return keyword_cell(keyword, item_address(request.project.slug, row.document, row.key, request.full_query))

    def answers(row: Item) -> Composed:
        words = "; ".join(f"{one.coder}: {one}{' (unsure)' if one.unsure else ''}" for one in row.given)
        return answers_cell(words, group_answers(row.given))

    def ambiguity(row: Item) -> str:
        return f"marked by {row.n_ambiguous}" if row.n_ambiguous else "split" if row.camps else ""

    def flag(row: Item) -> str:
        return "flagged" if row.flagged else ""

    def count(relation: str) -> Callable[[Item], int]:
        return lambda row: row.relations.get(relation, 0)

    def marks(row: Item) -> Composed:
        return Composed(row.marks, "agreement/parts/items/item_marks.html", row.marks)

    title = [Column("title", "Title", place="both" if titled else "file", cell="document.label")]
    columns = [
        Column("context", "In context", cell=in_context),
        *(title if titled else []),
        *([Column("answers", "Answers", cell=answers)] if judged else []),
        Column("share", "Share", "percent", explanation="share_of_disagreement"),
        Column("marks", "Marks", place="page", cell=marks),
        Column("words", "Words", place="file"),
        Column("text", "Text", place="file", cell="document.name"),
        *([] if titled else title),
        Column("values", "Values", "count", "file" if judged else "both"),
        Column("coders", "Coders", "count", "file"),
        *(Column(name, RELATION_LABELS[name].capitalize(), "count", "file", cell=count(name)) for name in RELATIONS),
        Column("ambiguity", "Ambiguity", place="file", cell=ambiguity),
        Column("two_readings", "Probability of two readings", "probability", "file", cell="posterior"),
        Column("verdict", "Likely", place="file"),
        *([Column("notes", "Notes", "count", "file")] if judged else []),
        *([Column("unsure", "Unsure", "count", "file")] if judged else []),
        *([Column("flag", "Flag", place="file", cell=flag)] if may(request.project, Right.DISCUSS) else []),
        Column("pointers", "Pointers", "count", "file"),
        *([] if request.extract.question else [Column("chain", "Largest chain", "count", "file", cell="chain_size")]),
        Column("observed", "Disagreement", "figure", "file"),
        Column("key", "Key", place="file"),
    ]
    by_model = request.options.get("sort") == "ambiguity"
    order = "probability of two readings" if by_model else "share of observed disagreement"
    return Table.of("items", f"Items by {order}", columns, described, _readings_note(report.items, report.readings))


def _readings_note(items: reports.Items, readings: reports.ItemReadings) -> str:
    if items.n_coders.max(initial=0) < MIN_IN_CAMPS:
        return "Of fewer than four coders who differ nobody can tell whether an item is ambiguous."
    if not readings.units:
        return f"Split: by the rule of camps. {readings.reason} A model of coders says then what is likely ambiguous."
    limits = f"; {readings.note}" if readings.note else ""
    return (
        f"Likely ambiguous: two readings are more probable than a slip, by a model {MODELS[readings.model]}, which"
        f" ranks items better than the rule of camps{limits}. Of items with fewer than four coders it says nothing."
    )


def _ambiguity_tables(request: AnalysisRequest) -> list[Table]:
    """Return how often coders marked ambiguity; empty if the scheme has none or no coder marked any."""
    if request.extract.kind not in (*CHAINED, "targets") or request.extract.units:
        return []
    counts = reports.summarize_ambiguity(request.extract, request.parameters)
    columns = [
        Column("kind", "By"),
        Column("name", "Category or coder", labels=request.extract.labels),
        Column("items", "Items", "count", cell="n_ambiguous_units"),
        Column("of_items", "of", "count", explanation="of", cell="n_units"),
        Column("share_of_items", "Share", "percent", explanation="share", cell="share_of_units"),
        Column("judgements", "Judgements", "count", cell="n_ambiguous_judgements"),
        Column("of_judgements", "of", "count", explanation="of", cell="n_judgements"),
        Column("share_of_judgements", "Share", "percent", explanation="share"),
    ]
    note = "Judgements with several antecedents or indices; items that at least one coder marked so, of those that some"
    note += " coder judged, gave the category, or that the coder judged."
    table = Table.of("ambiguity", "Marked as ambiguous", columns, [one for one in counts if one.n_judgements], note)
    return [table] if counts[0].n_ambiguous_judgements else []


def _filters(request: AnalysisRequest, report: ItemsReport) -> list[tuple[str, list[tuple[str, str, int, bool]]]]:
    """Return the filters that match items or are on, by group: label, address, number of items, whether on."""
    counts = reports.count_by_filter(request.extract, request.parameters)
    levels = [value for name, value in counts if name == "level"]
    hidden = {*(BY_CAMPS if report.readings.units else reports.VERDICTS)} - {request.options.get("ambiguity")}
    ambiguity = reports.AMBIGUITY | ({"explicit": "in several SCUs"} if request.extract.units else {})
    categories = [] if request.extract.units else request.extract.countable
    terms = TERMS[name_terms(request.extract.question)].capitalize()
    flag = [("flag", "set", "flagged")] if may(request.project, Right.DISCUSS) else []
    groups: list[tuple[str, list[tuple[str, str, str]]]] = [
        ("Relation", [("relation", name, RELATION_LABELS[name]) for name in RELATIONS]),
        ("Ambiguity", [("ambiguity", *one) for one in ambiguity.items() if one[0] not in hidden]),
        ("Marks", [*flag, ("note", "set", "with a note"), ("unsure", "set", "a coder unsure")]),
        (terms, [("category", name, request.extract.label(name)) for name in categories]),
        ("Level", [("level", name, name) for name in levels] if len(levels) > 1 else []),
    ]
    filters = []
    for label, choices in groups:
        chips = []
        for name, value, words in choices:
            on = request.options.get(name) == value
            number = counts.get((name, value))
            if number is None:  # filters by marks or by the model
                number = len(report.items.choose(reports.ItemFilters(**{name: value}), report.marks, report.readings))
            if number or on:
                chips.append((words, request.address_with(**{name: "" if on else value}), number, on))
        if chips:
            filters.append((label, chips))
    return filters


def _text_choices(request: AnalysisRequest, items: reports.Items) -> list[tuple[str, str]]:
    """Return slug and label of each text with items; the first MAX_CHOICES labels are title and number of items."""
    slugs, chosen = [text.slug for text in items.texts], request.options.get("text")
    if len(set(slugs)) < 2:
        return []
    titles, of_text = {text.slug: text.title for text in items.texts}, Counter[str]()  # in all rounds of a text
    counts = np.bincount(items.text, minlength=len(slugs)).tolist()
    for slug, count in zip(slugs, counts, strict=True):
        of_text[slug] += count
    listed = dict.fromkeys(slug for slug, count in zip(slugs, counts, strict=True) if count or slug == chosen)
    named = {slug: f"{titles[slug]} ({of_text[slug]})" for slug in islice(listed, MAX_CHOICES)}
    return [(slug, named.get(slug, slug)) for slug in listed]
