"""A model compared with people: agreement, alternative annotator test, gains and losses, and missed items."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from rest_framework.serializers import CharField, Field, FloatField

from agreement.data.coders import read_model_names
from agreement.data.given_answers import read_given_answers
from agreement.data.texts import read_snippets_and_texts
from agreement.reports.coders import models as reports
from agreement.reports.fields import as_json
from agreement.reports.parameters import Parameters
from agreement.reports.request import AnalysisRequest
from agreement.reports.wording import item_address, selection_of
from agreement.results.computations import PageSections, ResultPage, paginate, register
from agreement.results.figures.charts import Chart, Dot, describe_dots, dot_plot, dots_chart
from agreement.results.items.items import answers_cell, group_answers, keyword_cell
from agreement.results.tables import ENDS, Cell, Column, Composed, Linked, Table, columns_of, figure_columns, with_ends
from annotations.core.text import pluralize
from annotations.projects.navigation import NO_PYRAMIDS

PAGE_SIZE = 50
AMONG = "people with each other"
NO_MAJORITY = "no most frequent answer"
MAX_DOTS = 20  # categories in a chart: those in which the model and people differ most
YES = {True: "yes", False: "no", None: None}

OPTIONS: Mapping[str, Field[Any, Any, Any, Any]] = {
    "candidate": CharField(required=False, help_text="The model; without it the first that has answers."),
    "epsilon": FloatField(required=False, help_text="How much worse its score may be: 0.1 where left out."),
    "q": FloatField(required=False, help_text="The level of the tests: 0.05 where left out."),
}


@register
class Models(ResultPage[reports.ModelReport]):
    """One model compared with the selected people: agreement, alternative annotator test, gains and losses."""

    name, title, route = "models", "Models", "agreement-models"
    template = "agreement/coders/models.html"
    position, tab, answers = 100, 122, NO_PYRAMIDS
    about_models = True
    gives = reports.ModelReport
    takes = OPTIONS
    api_operation = "projects_agreement_models"
    api = """\
One model beside the people who are chosen: agreement, the alternative annotator test, what it wins and loses.

`items` are those on which all people agree and it does not, in pages. For who codes there is no such address."""
    chooses_coders = True
    rows = "items"
    work = 60

    def state(self, request: AnalysisRequest) -> list[Any]:
        """Return the state of all coders' answers: the selected coders are people, without the model."""
        return [request.project_answers.select(request.parameters.selection("include")).state]

    def compute(self, request: AnalysisRequest) -> reports.ModelReport:
        models = read_model_names(request.project)
        return reports.compare_model(
            request.project_answers, request.parameters, models, request.options, request.progress
        )

    def fields(self, request: AnalysisRequest, report: reports.ModelReport) -> dict[str, Any]:
        return {**as_json(report), "items": report.compared.missed.tolist()}

    def describe_rows(
        self, request: AnalysisRequest, report: reports.ModelReport, rows: Sequence[int]
    ) -> list[reports.MissedItem]:
        return _describe_items(request, report.parameters, report.compared, rows, report.candidate)

    def tables(self, request: AnalysisRequest, report: reports.ModelReport) -> list[Table]:
        note = "Scores are means over texts of how near an answer is to those of the other people."
        humans = _humans_table(report.candidate, report.alt_test.figures, note)
        tables = [_agreement_table(report), _verdict_table(report), humans, _texts_table(request, report)]
        return [*tables, *([_categories_table(report)] if report.compared.names else [])]

    def charts(self, request: AnalysisRequest, report: reports.ModelReport) -> list[Chart]:
        rows = (report.among_people, *report.agreements)
        agreed = [Dot(row.coder or AMONG, *with_ends(row.interval)) for row in rows]
        test, candidate = report.alt_test.figures, report.candidate
        scores = [Dot(row.human, row.difference, row.low, row.high) for row in test.rows]
        title = f"Score of {candidate} less that of the person in whose place it codes, with 95% CI"
        figure = dot_plot(scores, "difference of scores", (0, -test.epsilon))
        words = f"{describe_dots(scores)} Lines are at 0 and at −epsilon, −{test.epsilon:g}."
        charts = [
            dots_chart("agreement", "Alpha with people, with 95% CI", agreed, "alpha"),
            Chart("humans", title, figure, words, "alt_test"),
        ]
        if report.compared.names:
            most = sorted(report.categories, key=lambda part: -abs(part.difference))[:MAX_DOTS]
            parts = [part for part in report.categories if part in most]
            dots = [Dot(part.name or NO_MAJORITY, part.difference, part.low, part.high) for part in parts]
            title = f"Score of {candidate} less that of people, by what most people say, with 95% CI"
            charts.append(dots_chart("categories", title, dots, "difference of scores", (0,)))
        return charts

    def printed(self, request: AnalysisRequest) -> list[Table]:
        report = self.compute(request)
        rows = report.compared.missed.tolist()
        missed = _items_table(request, report.parameters, report.compared, rows, report.candidate)
        return [*self.tables(request, report), missed]

    def show(self, request: AnalysisRequest) -> PageSections:
        """Return one model compared with people; only the context without a model or with fewer than two people."""
        answers, parameters = request.project_answers, request.parameters
        for name in reports.DEFAULTS:
            reports.read_level(name, request.options.get(name, ""))
        asked = request.options.get("candidate", "")
        compared = reports.choose_compared(answers, parameters, request.models, asked)
        context: dict[str, Any] = {
            "candidate": compared.candidate,
            "candidates": compared.models,
            "n_people": len(compared.people),
            "defaults": reports.DEFAULTS,
        }
        if not compared.candidate or len(compared.people) < 2:
            return PageSections(context=context)
        # the options are part of the key of a stored result
        request.options = {**request.options, "candidate": compared.candidate}
        own = compared.select(parameters)
        items = reports.compare_items(answers, own, compared.candidate)
        missed = items.missed.tolist()
        shown, rows = paginate(request, missed, PAGE_SIZE)
        context |= {"shown": shown, "n_missed": len(missed), "n_agreed": int(items.agree.sum())}
        return self.sections(request).extended([_items_table(request, own, items, rows, compared.candidate)], **context)


def _describe_items(
    request: AnalysisRequest, parameters: Parameters, items: reports.ComparedItems, rows: Sequence[int], candidate: str
) -> list[reports.MissedItem]:
    units = [int(items.unit[row]) for row in rows]
    snippets, contents = read_snippets_and_texts(units)
    selected = request.project_answers.select(parameters.selection("include"), parameters.selection("coders"))
    answers = read_given_answers(selected, units, contents)
    described = []
    for row, unit in zip(rows, units, strict=True):
        text, snippet, given = items.texts[items.text[row]], snippets[unit], answers.get(unit, ())
        item = reports.MissedItem(
            text=text.slug,
            round=text.round,
            key=snippet.key,
            words=snippet.words,
            people="; ".join(f"{answer.coder}: {answer}" for answer in given if answer.coder != candidate),
            model="; ".join(str(answer) for answer in given if answer.coder == candidate),
            distance=1 - float(items.candidate[row]),
            n_people=int(items.n_people[row]),
            document=text,
            snippet=snippet,
            given=given,
        )
        described.append(item)
    return described


def _items_table(
    request: AnalysisRequest, parameters: Parameters, items: reports.ComparedItems, rows: Sequence[int], candidate: str
) -> Table:
    query = urlencode(parameters.query())

    def in_context(row: reports.MissedItem) -> Composed:
        return keyword_cell(row.snippet.keyword, item_address(request.project.slug, row.document, row.key, query))

    def people(row: reports.MissedItem) -> Composed:
        return answers_cell(row.people, group_answers([answer for answer in row.given if answer.coder != candidate]))

    def model(row: reports.MissedItem) -> Composed:
        groups = group_answers([answer for answer in row.given if answer.coder == candidate])
        return answers_cell(row.model, [group | {"who": ""} for group in groups])

    columns = [
        Column("context", "In context", cell=in_context),
        Column("title", "Title", cell="document.label"),
        Column("people_say", "People", explanation="answers", cell=people),
        Column("model_says", "Model", cell=model),
        Column("distance", "Distance", "figure", explanation="distance_to_people"),
        Column("n_people", "People", "count", place="file"),
        Column("words", "Words", place="file"),
        Column("text", "Text", place="file", cell="document.name"),
        Column("key", "Key", place="file"),
    ]
    described = _describe_items(request, parameters, items, rows, candidate)
    note = "The item on which it is farthest from people comes first, then the one that most people coded."
    return Table.of("items", f"Items where people agree and {candidate} does not", columns, described, note)


def _agreement_table(report: reports.ModelReport) -> Table:
    more = f" {pluralize(report.n_more_people, 'person')} more are left out here." if report.n_more_people else ""
    columns = [
        Column("coder", "Coder", cell=lambda row: row.coder or AMONG),
        *figure_columns(Column("value", "Alpha", "figure", explanation="alpha_with_people"), "interval"),
        Column("units", "Units", "count", cell="interval.n_units"),
        Column("note", "Notes", cell="interval.note"),
    ]
    note = "Of one coder: each judgement against each of the people, but for their own, with the distance of this page"
    note += f" (cross-replication alpha). People with each other: alpha. 95% CI over texts.{more}"
    caption = f"{report.candidate} with people, and people with each other"
    return Table.of("agreement", caption, columns, (report.among_people, *report.agreements), note)


def _verdict_table(report: reports.ModelReport) -> Table:
    test, probability = report.alt_test.figures, report.alt_test.figures.advantage_probability
    tested = [row.won for row in test.rows if row.adjusted is not None]
    published = [row.published_won for row in test.rows if row.published_adjusted is not None]
    over_items = len(published), test.published_winning_rate, YES[test.published_passed]
    advantage = "" if probability is None else f" Advantage probability: {probability:.3f}, the mean of those below."
    columns = [
        Column("test", "Test", explanation="alt_test"),
        *columns_of("count", wins=("Wins", "won"), people=("People compared", "people_compared")),
        Column("winning_rate", "Winning rate", "figure"),
        Column("passes", "Passes", explanation="passes"),
    ]
    rows = [
        ("over texts", sum(tested), len(tested), test.winning_rate, YES[test.passed]),
        ("as published, of items", sum(published), *over_items),
    ]
    note = f"Alternative annotator test (Calderon et al. 2025): {test.describe(rates=False)} A winning rate is a share"
    note += f" of tests, each with its p, and has no interval.{advantage}"
    return Table("verdict", f"May {report.candidate} code in the place of a person?", columns, rows, note)


def _score_columns(candidate: str) -> list[Column]:
    scores = [Column("candidate_score", candidate, "figure"), Column("people_score", "People", "figure")]
    return [*scores, Column("difference", "Difference", "figure", explanation="score_difference")]


def _categories_table(report: reports.ModelReport) -> Table:
    columns = [
        Column(
            "category", "Most people say", explanation="majority_category", cell=lambda row: row.name or NO_MAJORITY
        ),
        *columns_of("count", items="Items", texts="Texts"),
        *_score_columns(report.candidate),
        *ENDS,
        Column("note", "Notes"),
    ]
    note = "The answer on which it is farthest behind comes first. Scores are means over texts of how near an answer is"
    note += " to those of people: 1 less the distance, of a person to the others."
    caption = f"Answers of people on which {report.candidate} is worse or better"
    return Table.of("categories", caption, columns, report.categories, note)


def _texts_table(request: AnalysisRequest, report: reports.ModelReport) -> Table:
    query = request.parameters.query() | request.options
    rows: list[list[Cell]] = []
    for text, part in report.compared.by_text():
        link = Linked(text.label, f"?{urlencode(query | selection_of(text))}")
        rows.append([link, part.n_items, part.candidate_score, part.people_score, part.difference])
    columns = [Column("text", "Text"), Column("items", "Items", "count"), *_score_columns(report.candidate)]
    note = "The text in which it is farthest behind comes first."
    return Table("texts", f"Texts in which {report.candidate} is worse or better", columns, rows, note)


@register
class AltTest(ResultPage[reports.AltTestReport]):
    """The alternative annotator test: whether a candidate may replace any of the other selected coders."""

    name = "alt-test"
    takes = OPTIONS
    chooses_coders = True

    def compute(self, request: AnalysisRequest) -> reports.AltTestReport:
        candidate, epsilon, q = request.asked(*self.options)
        return reports.compute_alt_test(request.project_answers, request.parameters, candidate, epsilon, q)

    def tables(self, request: AnalysisRequest, report: reports.AltTestReport) -> list[Table]:
        return [_humans_table(report.candidate, report.test, report.test.describe())]

    def preface(self, report: reports.AltTestReport) -> str:
        return "\n".join(filter(None, [report.test.describe(), super().preface(report)]))


def _humans_table(candidate: str, test: reports.AltTestFigures, note: str) -> Table:
    columns = [
        Column("human", "Coder", explanation="coder"),
        *columns_of("figure", candidate_score="Score of the candidate", human_score="Score of the coder"),
        Column("difference", "Difference", "figure", explanation="score_difference"),
        *ENDS,
        *columns_of("probability", p_value=("p", "alt_p_value"), adjusted=("p, adjusted", "alt_p_value")),
        Column("won", "Wins", cell=lambda row: YES[row.won]),
        *columns_of("figure", advantage_probability="Advantage probability", advantage_low=("from", "low")),
        Column("advantage_high", "to", "figure", explanation="high"),
        Column("published_adjusted", "p, published test, adjusted", "probability", explanation="alt_p_value"),
        Column("published_won", "Wins, published test", explanation="won", cell=lambda row: YES[row.published_won]),
        *columns_of("count", units="Units", texts="Texts"),
        Column("note", "Notes"),
    ]
    return Table.of("alt_test", f"{candidate} in the place of each other coder", columns, test.rows, note)
