"""A model beside people: agreement, the alternative annotator test, what it wins and loses, and the items it misses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from rest_framework.serializers import CharField, Field, FloatField

from agreement.data.documents import Document
from agreement.data.given_answers import GivenAnswer
from agreement.data.model_codings import read_model_names
from agreement.data.texts.snippets import Snippet, read_snippets_and_texts
from agreement.reports.coders.alt_test import EPSILON, AltTestReport, Q, compute_alt_test, read_levels
from agreement.reports.coders.models import (
    CategoryOfModel,
    ComparedItems,
    MissedItem,
    ModelReport,
    choose_candidate,
    choose_people,
    compare_items,
    compare_model,
    select_compared,
)
from agreement.reports.fields import as_json
from agreement.reports.request.parameters import Parameters
from agreement.reports.request.request import AnalysisRequest
from agreement.results.computations import Result, register
from agreement.results.content import PageSections, paginate
from agreement.results.figures.charts import Chart, describe_dots, dots_chart
from agreement.results.figures.plots import Dot, dot_plot
from agreement.results.items.items import given_answers, group_answers
from agreement.results.labels.labels import item_address, selection_of
from agreement.results.page import ResultPage
from agreement.results.tables import ENDS, Cell, Column, Composed, Linked, Table, figure_columns, with_ends
from annotations.core.text import pluralize
from annotations.projects.navigation import NO_PYRAMIDS

PAGE_SIZE = 50
AMONG = "people with each other"
NO_MAJORITY = "no most frequent answer"
# Of more categories a chart has those in which the model and people differ most.
MOST_DOTS = 20

OPTIONS: Mapping[str, Field[Any, Any, Any, Any]] = {
    "candidate": CharField(required=False, help_text="The model; without it the first that has answers."),
    "epsilon": FloatField(required=False, help_text="How much worse its score may be: 0.1 where left out."),
    "q": FloatField(required=False, help_text="The level of the tests: 0.05 where left out."),
}


@register
class Models(ResultPage[ModelReport]):
    """One model beside the people who are chosen: agreement, the alternative annotator test, what it wins and loses."""

    name, title, route = "models", "Models", "agreement-models"
    template = "agreement/coders/models.html"
    position, tab, answers = 100, 122, NO_PYRAMIDS
    about_models = True
    gives = ModelReport
    takes = OPTIONS
    api_operation = "projects_agreement_models"
    api = """\
One model beside the people who are chosen: agreement, the alternative annotator test, what it wins and loses.

`items` are those on which all people agree and it does not, in pages. For who codes there is no such address."""
    chooses_coders = True
    rows = "items"
    work = 60

    def state(self, request: AnalysisRequest) -> list[Any]:
        """Return the state of the answers of all: the coders who are chosen are people."""
        return [request.project_answers.select(request.parameters.selection("include")).state]

    def compute(self, request: AnalysisRequest) -> ModelReport:
        models = read_model_names(request.project)
        return compare_model(request.project_answers, request.parameters, models, request.options, request.progress)

    def fields(self, request: AnalysisRequest, report: ModelReport) -> dict[str, Any]:
        return {**as_json(report), "items": report.compared.missed.tolist()}

    def describe_rows(self, request: AnalysisRequest, report: ModelReport, rows: Sequence[int]) -> list[MissedItem]:
        return _list_items(request, report, rows)

    def tables(self, request: AnalysisRequest, report: ModelReport) -> list[Table]:
        [humans] = build_tables(report.test)
        note = "Scores are means over texts of how near an answer is to those of the other people."
        tables = [_agreement_table(report), _verdict_table(report), replace(humans, note=note)]
        tables.append(_texts_table(request, report, report.compared.by_text()))
        return [*tables, *([_categories_table(report, report.categories)] if report.compared.names else [])]

    def charts(self, request: AnalysisRequest, report: ModelReport) -> list[Chart]:
        charts = [_agreement_chart(report), _humans_chart(report)]
        return [*charts, *([_categories_chart(report, report.categories)] if report.compared.names else [])]

    def printed(self, request: AnalysisRequest) -> list[Table]:
        report = self.compute(request)
        rows = report.compared.missed.tolist()
        missed = _items_table(request, report.parameters, report.compared, rows, report.candidate)
        return [*self.tables(request, report), missed]

    def show(self, request: AnalysisRequest) -> PageSections:
        """Return one model beside people; nothing where no model, or nobody to compare it with, has answers."""
        answers, parameters, models = request.project_answers, request.parameters, request.models
        read_levels(request.options.get("epsilon", ""), request.options.get("q", ""))
        candidate = choose_candidate(answers, parameters, models, request.options.get("candidate", ""))
        counted = answers.select(parameters.selection("include"))
        people = choose_people(answers, parameters, models)
        context: dict[str, Any] = {
            "candidate": candidate,
            "candidates": [name for name in counted.coders if name in models],
            "has_models": bool(models),
            "n_people": len(people),
            "epsilon": request.options.get("epsilon", ""),
            "q": request.options.get("q", ""),
            "defaults": {"epsilon": EPSILON, "q": Q},
            "report_query": parameters.query(),
            "not_counted": request.not_counted,
        }
        if not candidate or len(people) < 2:
            return PageSections(context=context)
        # what a worker stores is found by them again
        request.options = {**request.options, "candidate": candidate}
        _, own = select_compared(answers, parameters, models, request.options)
        items = compare_items(answers, own, candidate)
        missed = items.missed
        shown, rows = paginate(request, missed.tolist(), PAGE_SIZE)
        sections = self.sections(request)
        table = _items_table(request, own, items, rows, candidate)
        return sections.extended([table], **context, shown=shown, n_missed=len(missed), n_agreed=int(items.agree.sum()))


def _items_table(
    request: AnalysisRequest, parameters: Parameters, items: ComparedItems, rows: list[int], candidate: str
) -> Table:
    """Return the items in these rows, with what people and the model answered."""
    units = [int(items.unit[row]) for row in rows]
    snippets, contents = read_snippets_and_texts(units)
    selected = request.project_answers.select(parameters.selection("include"), parameters.selection("coders"))
    answers = given_answers(selected, units, contents)
    query = urlencode(parameters.query())
    return Table(
        "items",
        f"Items where people agree and {candidate} does not",
        [
            Column("context", "In context"),
            Column("title", "Title"),
            Column("people_say", "People", explanation="answers"),
            Column("model_says", "Model"),
            Column("distance", "Distance", "figure", explanation="distance_to_people"),
            Column("n_people", "People", "count", place="file"),
            Column("words", "Words", place="file"),
            Column("text", "Text", place="file"),
            Column("key", "Key", place="file"),
        ],
        [
            _item_cells(request, items, row, snippets[unit], answers.get(unit, []), candidate, query)
            for row, unit in zip(rows, units, strict=True)
        ],
        "The item on which it is farthest from people comes first, then the one that most people coded.",
    )


def _item_cells(
    request: AnalysisRequest,
    items: ComparedItems,
    row: int,
    snippet: Snippet,
    answers: list[GivenAnswer],
    candidate: str,
    query: str,
) -> list[Cell]:
    text = items.texts[items.text[row]]
    address = item_address(request.project.slug, text, snippet.key, query)
    own = [one for one in answers if one.coder == candidate]
    of_people = [one for one in answers if one.coder != candidate]
    keyword = {"keyword": snippet.keyword, "address": address}
    return [
        Composed(str(snippet.keyword), "agreement/parts/items/item_keyword.html", keyword),
        text.label,
        _answers(of_people, named=True),
        _answers(own, named=False),
        1 - float(items.candidate[row]),
        int(items.n_people[row]),
        snippet.words,
        text.name,
        snippet.key,
    ]


def _answers(answers: list[GivenAnswer], *, named: bool) -> Composed:
    """Return answers in words, with who gave them, or alone."""
    words = "; ".join(f"{one.coder}: {one}" if named else str(one) for one in answers)
    groups = [one if named else replace(one, who="") for one in group_answers(answers)]
    return Composed(words, "agreement/parts/items/item_answers.html", groups)


def _list_items(request: AnalysisRequest, report: ModelReport, rows: Sequence[int]) -> list[MissedItem]:
    """Return the items in these rows as the API gives them."""
    items, included = report.compared, report.parameters.selection("include")
    units = [int(items.unit[row]) for row in rows]
    snippets, contents = read_snippets_and_texts(units)
    selected = request.project_answers.select(included, (*report.people, report.candidate))
    given = given_answers(selected, units, contents)
    listed = []
    for row, unit in zip(rows, units, strict=True):
        said = {one.coder: str(one) for one in given.get(unit, ())}
        text, model = items.texts[items.text[row]], said.pop(report.candidate, "")
        listed.append(
            MissedItem(
                text=text.slug,
                round=text.round,
                key=snippets[unit].key,
                words=snippets[unit].words,
                people="; ".join(f"{coder}: {words}" for coder, words in said.items()),
                model=model,
                distance=1 - float(items.candidate[row]),
                n_people=int(items.n_people[row]),
            )
        )
    return listed


def _agreement_table(report: ModelReport) -> Table:
    more = f" {pluralize(report.n_more_people, 'person')} more are left out here." if report.n_more_people else ""
    return Table.of(
        "agreement",
        f"{report.candidate} with people, and people with each other",
        [
            Column("coder", "Coder", cell=lambda row: row.coder or AMONG),
            *figure_columns(Column("value", "Alpha", "figure", explanation="alpha_with_people"), "interval"),
            Column("units", "Units", "count", cell="interval.n_units"),
            Column("note", "Notes", cell="interval.note"),
        ],
        (report.among_people, *report.agreements),
        "Of one coder: each judgement against each of the people, but for their own, with the distance of this page"
        f" (cross-replication alpha). People with each other: alpha. 95% CI over texts.{more}",
    )


def _verdict_table(report: ModelReport) -> Table:
    test = report.alt_test.figures
    tested = [row for row in test.rows if row.adjusted is not None]
    published = [row for row in test.rows if row.published_adjusted is not None]
    rows: list[list[Cell]] = [
        ["over texts", sum(row.won for row in tested), len(tested), test.winning_rate, _passes(test.passed)],
        [
            "as published, of items",
            sum(row.published_won for row in published),
            len(published),
            test.published_winning_rate,
            _passes(test.published_passed),
        ],
    ]
    probability = test.advantage_probability
    advantage = (
        f" Advantage probability: {probability:.3f}, the mean of those below." if probability is not None else ""
    )
    return Table(
        "verdict",
        f"May {report.candidate} code in the place of a person?",
        [
            Column("test", "Test", explanation="alt_test"),
            Column("wins", "Wins", "count", explanation="won"),
            Column("people", "People compared", "count", explanation="people_compared"),
            Column("winning_rate", "Winning rate", "figure"),
            Column("passes", "Passes", explanation="passes"),
        ],
        rows,
        f"Alternative annotator test (Calderon et al. 2025): {report.test.describe(rates=False)} A winning rate is a"
        f" share of tests, each with its p, and has no interval.{advantage}",
    )


def _passes(passed: bool | None) -> str | None:
    return None if passed is None else "yes" if passed else "no"


def _part_columns(first: Column, candidate: str) -> list[Column]:
    return [
        first,
        Column("items", "Items", "count", cell="n_items"),
        Column("texts", "Texts", "count", cell="n_texts"),
        Column("candidate_score", candidate, "figure"),
        Column("people_score", "People", "figure"),
        Column("difference", "Difference", "figure", explanation="score_difference"),
        *ENDS,
        Column("note", "Notes"),
    ]


def _categories_table(report: ModelReport, parts: Sequence[CategoryOfModel]) -> Table:
    first = Column(
        "category", "Most people say", explanation="majority_category", cell=lambda part: part.name or NO_MAJORITY
    )
    return Table.of(
        "categories",
        f"Answers of people on which {report.candidate} is worse or better",
        _part_columns(first, report.candidate),
        parts,
        "The answer on which it is farthest behind comes first. Scores are means over texts of how near an answer is to"
        " those of people: 1 less the distance, of a person to the others.",
    )


def _texts_table(
    request: AnalysisRequest, report: ModelReport, parts: Sequence[tuple[Document, CategoryOfModel]]
) -> Table:
    columns = _part_columns(Column("text", "Text"), report.candidate)
    left_out = {"texts", "low", "high", "note"}
    rows: list[list[Cell]] = []
    for text, part in parts:
        query = urlencode(request.parameters.query() | request.options | selection_of(text))
        cells = [part.n_items, part.candidate_score, part.people_score, part.difference]
        rows.append([Linked(text.label, f"?{query}"), *cells])
    return Table(
        "texts",
        f"Texts in which {report.candidate} is worse or better",
        [column for column in columns if column.name not in left_out],
        rows,
        "The text in which it is farthest behind comes first.",
    )


def _agreement_chart(report: ModelReport) -> Chart:
    rows = (report.among_people, *report.agreements)
    dots = [Dot(one.coder or AMONG, *with_ends(one.interval)) for one in rows]
    return dots_chart("agreement", "Alpha with people, with 95% CI", dots, "alpha")


def _humans_chart(report: ModelReport) -> Chart:
    test = report.alt_test.figures
    dots = [Dot(row.human, row.difference, row.low, row.high) for row in test.rows]
    return Chart(
        "humans",
        f"Score of {report.candidate} less that of the person in whose place it codes, with 95% CI",
        dot_plot(dots, "difference of scores", (0, -test.epsilon)),
        f"{describe_dots(dots)} Lines are at 0 and at −epsilon, −{test.epsilon:g}.",
        "alt_test",
    )


def _categories_chart(report: ModelReport, parts: Sequence[CategoryOfModel]) -> Chart:
    shown = sorted(sorted(parts, key=lambda part: -abs(part.difference))[:MOST_DOTS], key=parts.index)
    dots = [Dot(part.name or NO_MAJORITY, part.difference, part.low, part.high) for part in shown]
    title = f"Score of {report.candidate} less that of people, by what most people say, with 95% CI"
    return dots_chart("categories", title, dots, "difference of scores", (0,))


@register
class AltTest(Result[AltTestReport]):
    """Whether a candidate may code in the place of the other coders who are chosen."""

    name = "alt-test"
    takes = OPTIONS
    chooses_coders = True

    def compute(self, request: AnalysisRequest) -> AltTestReport:
        candidate, epsilon, q = (request.options.get(name, "") for name in self.options)
        return compute_alt_test(request.project_answers, request.parameters, candidate, epsilon, q)

    def tables(self, request: AnalysisRequest, report: AltTestReport) -> list[Table]:
        return build_tables(report)

    def preface(self, report: AltTestReport) -> str:
        return "\n".join(filter(None, [report.describe(), super().preface(report)]))


def build_tables(report: AltTestReport) -> list[Table]:
    """Return the candidate in the place of each human."""
    return [
        Table.of(
            "alt_test",
            f"{report.candidate} in the place of each other coder",
            [
                Column("human", "Coder", explanation="coder"),
                Column("candidate_score", "Score of the candidate", "figure"),
                Column("human_score", "Score of the coder", "figure"),
                Column("difference", "Difference", "figure", explanation="score_difference"),
                *ENDS,
                Column("p_value", "p", "probability", explanation="alt_p_value"),
                Column("adjusted", "p, adjusted", "probability", explanation="alt_p_value"),
                Column("won", "Wins", cell=lambda row: "yes" if row.won else "no"),
                Column("advantage_probability", "Advantage probability", "figure"),
                Column("advantage_low", "from", "figure", explanation="low"),
                Column("advantage_high", "to", "figure", explanation="high"),
                Column("published_adjusted", "p, published test, adjusted", "probability", explanation="alt_p_value"),
                Column(
                    "published_won",
                    "Wins, published test",
                    explanation="won",
                    cell=lambda row: "yes" if row.published_won else "no",
                ),
                Column("units", "Units", "count", cell="n_units"),
                Column("texts", "Texts", "count", cell="n_texts"),
                Column("note", "Notes"),
            ],
            report.test.rows,
            report.describe(),
        )
    ]
