"""The REST API of what managers learn."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from django.http import Http404, HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, PolymorphicProxySerializer, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from agreement.api.serializers.agreed import AgreedReportSerializer
from agreement.api.serializers.agreement import (
    AnalysisQuerySerializer,
    CoderPairSerializer,
    ComparisonQuerySerializer,
    CoreferenceSerializer,
    DifferenceSerializer,
    GridCellSerializer,
    GroupsSerializer,
    IntervalQuerySerializer,
    MatrixFormatSerializer,
    MatrixRowSerializer,
    RepeatsSerializer,
    ReportSerializer,
)
from agreement.api.serializers.gold import GoldReportSerializer
from agreement.api.serializers.items import ItemQuerySerializer, ItemReportSerializer, ItemSerializer
from agreement.api.serializers.planning import PlanningQuerySerializer, PlanningSerializer
from agreement.api.tables import still_computing
from agreement.data.answers.given_answers import GivenAnswer
from agreement.data.answers.question import name_value
from agreement.data.codings.documents import row_key
from agreement.data.codings.groups import read_groups
from agreement.data.extract.extract import Extract
from agreement.data.texts.muc import marked_texts_reader
from agreement.data.texts.snippets import Snippet, read_snippets_and_texts
from agreement.measures.values import Readings
from agreement.reports import planning
from agreement.reports.coders.differences import compare_parts
from agreement.reports.coders.groups import compare_groups
from agreement.reports.coders.repeats import compare_occasions
from agreement.reports.data.matrix import reliability_matrix
from agreement.reports.gold.readers import Reader
from agreement.reports.gold.report import compare_with_gold, read_gold_source
from agreement.reports.items import items
from agreement.reports.items.readings import ItemReadings, read_readings
from agreement.reports.links.coreference import compare_chains
from agreement.reports.overall import overall
from agreement.reports.overall.bootstrap import BOOTSTRAP, OPTION, asks_for_bootstrap
from agreement.reports.pyramids.agreed import compare_with_agreed, read_agreed_source
from agreement.reports.request.parameters import InvalidParameter, Parameters
from agreement.reports.request.request import AnalysisRequest, parse_asked, parse_query, read_asked
from agreement.reports.request.resolution import resolve
from agreement.sections.computations import compute_or_enqueue
from agreement.sections.pages.items.items import OPTIONS, given_answers, item_options, read_item_marks
from annotations.api.lists import PAGE_PARAMETERS, PageQuerySerializer, ReportPages, SequencePages
from annotations.formats.tables.matrix import Matrix, write_csv, write_json
from annotations.models import Project
from annotations.models.people.rights import Right
from annotations.models.project import may
from annotations.projects.viewing import results_for


class AgreementView(APIView):
    """What the agreement views share: who may look, and what is asked for."""

    right = Right.SEE_RESULTS

    def parsed(self, request: Request, slug: str, own: Collection[str] = ()) -> tuple[Project, Extract, Parameters]:
        """Return the project, all its answers and the parameters of the query; `own` are those of the view itself."""
        project = results_for(request.user, slug, self.right)
        values = {name: value for name, value in parse_query(request.query_params).items() if name not in own}
        try:
            return project, *parse_asked(project, values)
        except InvalidParameter as error:
            raise ValidationError({error.field: [error.message]}) from error

    def asked(self, request: Request, slug: str) -> tuple[Project, Extract, Parameters]:
        """Return the project, the answers that the query selects, and its parameters as they work on them."""
        return self.resolved(*self.parsed(request, slug))

    def resolved(
        self, project: Project, answers: Extract, parameters: Parameters
    ) -> tuple[Project, Extract, Parameters]:
        """Return the same with the answers that the parameters select."""
        try:
            return project, *resolve(answers, parameters)
        except InvalidParameter as error:
            raise ValidationError({error.field: [error.message]}) from error


class Agreement(AgreementView):
    """The agreement of a project, over all texts and in each, computed now. `texts` come in pages."""

    @extend_schema(
        parameters=[AnalysisQuerySerializer, IntervalQuerySerializer, PageQuerySerializer], responses=ReportSerializer
    )
    def get(self, request: Request, slug: str) -> HttpResponse:
        """Return the report, with `interval=bootstrap` also that: 503 with `Retry-After` while a worker computes it."""
        project, extracted, parameters = self.resolved(*self.parsed(request, slug, [OPTION, *PAGE_PARAMETERS]))
        try:
            is_drawn = asks_for_bootstrap(request.query_params.get(OPTION, ""))
        except InvalidParameter as error:
            raise ValidationError({error.field: [error.message]}) from error
        fields = overall.compute_report(extracted, parameters).as_dict()
        if is_drawn:
            analysis = AnalysisRequest.from_stored(project, parameters.query(), {OPTION: BOOTSTRAP})
            sections = compute_or_enqueue(analysis, "bootstrap")
            if sections.waiting:
                return still_computing()
            [table] = sections.tables
            fields["bootstrap"] = dict(zip((column.name for column in table.columns), table.rows[0], strict=True))
        return Response(ReportPages().cut(fields, "texts", request))


# How the matrix is written, its type, and its file's ending.
MATRICES: dict[str, tuple[Callable[[Matrix], bytes], str, str]] = {
    "json": (write_json, "application/json", "json"),
    "csv": (write_csv, "text/csv; charset=utf-8", "csv"),
    "raw": (partial(write_csv, raw=True), "text/csv; charset=utf-8", "csv"),
}


class Data(AgreementView):
    """The reliability data with which the agreement is computed: a row a unit, a value for each coder.

    Values are labels or sets of units, as the parameters ask for. CSV is read by `ReliabilityData.from_matrix`; in
    csv an apostrophe keeps spreadsheets from computing cells, in raw it does not.
    """

    @extend_schema(
        parameters=[AnalysisQuerySerializer, MatrixFormatSerializer],
        responses={
            (200, "application/json"): MatrixRowSerializer(many=True),
            (200, "text/csv"): OpenApiTypes.STR,
        },
    )
    def get(self, request: Request, slug: str) -> HttpResponse:
        project, extracted, parameters = self.resolved(*self.parsed(request, slug, ["form"]))
        form = MATRICES.get(request.query_params.get("form", "json"))
        if form is None:
            raise ValidationError({"form": [f"Choose one of {', '.join(MATRICES)}."]})
        write, content_type, suffix = form
        answer = HttpResponse(write(reliability_matrix(extracted, parameters)), content_type=content_type)
        answer["Content-Disposition"] = f'attachment; filename="{project.slug}-data.{suffix}"'
        return answer


class Coreference(AgreementView):
    """Coreference scores of two coders: the second against the first, over all texts and in each, in pages."""

    @extend_schema(
        parameters=[AnalysisQuerySerializer, CoderPairSerializer, PageQuerySerializer], responses=CoreferenceSerializer
    )
    def get(self, request: Request, slug: str) -> Response:
        project, extracted, parameters = self.parsed(request, slug, ["first", "second", *PAGE_PARAMETERS])
        first, second = (request.query_params.get(name, "") for name in ("first", "second"))
        try:
            report = compare_chains(extracted, parameters, first, second, marked_texts_reader(project))
        except InvalidParameter as error:
            raise ValidationError({error.field: [error.message]}) from error
        return Response(ReportPages().cut(report.as_dict(), "texts", request))


class Compare(AgreementView):
    """How two rounds, groups of coders, categories or projects differ: the first less the second."""

    @extend_schema(parameters=[AnalysisQuerySerializer, ComparisonQuerySerializer], responses=DifferenceSerializer)
    def get(self, request: Request, slug: str) -> Response:
        project, extracted, parameters = self.parsed(request, slug, ["by", "first", "second"])
        by, first, second = (request.query_params.get(name, "") for name in ("by", "first", "second"))

        def answers_of(other: str) -> Extract:
            if "\0" in other:  # PostgreSQL takes it in no comparison
                raise Http404("Project not found.")
            return read_asked(results_for(request.user, other), parameters)

        try:
            report = compare_parts(extracted, parameters, by, first, second, answers_of, read_groups(project))
        except InvalidParameter as error:
            raise ValidationError({error.field: [error.message]}) from error
        return Response(report.as_dict())


class Groups(AgreementView):
    """Agreement within each group of coders and between each two, and how what they agree within differs."""

    @extend_schema(parameters=[AnalysisQuerySerializer], responses=GroupsSerializer)
    def get(self, request: Request, slug: str) -> Response:
        project, extracted, parameters = self.parsed(request, slug)
        try:
            report = compare_groups(extracted, parameters, read_groups(project))
        except InvalidParameter as error:
            raise ValidationError({error.field: [error.message]}) from error
        return Response(report.as_dict())


class Gold(AgreementView):
    """Each coder, group and imported system against gold, and what coders agree in the same texts.

    Of pyramids each coder and group against the agreed ones. Managers are given names, others letters in place of all
    names but their own; who codes, of the texts that they have submitted. `docsets` come in pages.
    """

    right = Right.COMPARE_WITH_GOLD

    @extend_schema(
        parameters=[AnalysisQuerySerializer, PageQuerySerializer],
        responses=PolymorphicProxySerializer(
            "GoldOrAgreedReport", [GoldReportSerializer, AgreedReportSerializer], resource_type_field_name=None
        ),
    )
    def get(self, request: Request, slug: str) -> Response:
        project, extracted, parameters = self.parsed(request, slug, PAGE_PARAMETERS)
        reader = Reader.of(project, request.user.get_username())
        try:
            reader.check(parameters)
            if project.answers == Project.Answers.SCUS:
                agreed = _compare_with_agreed(project, extracted, parameters, reader)
                return Response(ReportPages().cut(agreed, "docsets", request))
            source = read_gold_source(project, extracted, parameters, documents=reader.documents(extracted))
            report = compare_with_gold(source, parameters)
        except InvalidParameter as error:
            raise ValidationError({error.field: [error.message]}) from error
        return Response(report.as_dict(reader.name_coders(project, extracted.known_coders), in_full=not reader.codes))


def _compare_with_agreed(project: Project, answers: Extract, parameters: Parameters, reader: Reader) -> dict[str, Any]:
    report = compare_with_agreed(read_agreed_source(project, answers, reader.documents(answers)), parameters)
    called = reader.name_coders(project, answers.known_coders)
    return report.as_dict(called, in_full=not reader.codes, names=reader.sees_names)


class Repeats(AgreementView):
    """How far each coder agrees with themself, in texts that they were shown again within a round."""

    @extend_schema(parameters=[AnalysisQuerySerializer], responses=RepeatsSerializer)
    def get(self, request: Request, slug: str) -> Response:
        _, extracted, parameters = self.parsed(request, slug)
        try:
            report = compare_occasions(extracted, parameters)
        except InvalidParameter as error:
            raise ValidationError({error.field: [error.message]}) from error
        return Response(report.as_dict())


class Planning(AgreementView):
    """How many texts are enough: the interval of other numbers of texts, foretold from those that are coded."""

    @extend_schema(parameters=[AnalysisQuerySerializer, PlanningQuerySerializer], responses=PlanningSerializer)
    def get(self, request: Request, slug: str) -> Response:
        _, extracted, parameters = self.parsed(request, slug, planning.OPTIONS)
        options = {name: request.query_params.get(name, "") for name in planning.OPTIONS}
        try:
            report = planning.plan_size(extracted, parameters, planning.Targets.from_options(options))
        except InvalidParameter as error:
            raise ValidationError({error.field: [error.message]}) from error
        return Response(report.as_dict())


class Grid(AgreementView):
    """Alpha for every distance x chain construction, and K for each construction."""

    @extend_schema(parameters=[AnalysisQuerySerializer], responses=GridCellSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        _, extracted, parameters = self.asked(request, slug)
        cells = [
            {
                "construction": label,
                "parameters": cell.parameters.query(),
                "value": cell.result.value,
                "note": cell.result.note,
            }
            for label, row in overall.compute_grid(extracted, parameters)
            for cell in row
        ]
        return Response(cells)


class Items(AgreementView):
    """The units by their share of the observed disagreement, the largest first, in pages."""

    pagination_class = SequencePages

    @extend_schema(parameters=[AnalysisQuerySerializer, ItemQuerySerializer], responses=ItemSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        project, extracted, parameters = self.resolved(*self.parsed(request, slug, [*OPTIONS, *PAGE_PARAMETERS]))
        options = {name: value for name in OPTIONS if (value := request.query_params.get(name, ""))}
        if "flag" in options and "flag" not in item_options(project):
            raise ValidationError({"flag": ["This is a filter for those who discuss items."]})
        ranking = items.compute_items(extracted, parameters)
        marks = read_item_marks(project, extracted)
        try:
            readings = read_readings(extracted, parameters, ranking)
            selected = ranking.select(items.ItemFilters(**options), marks, readings.ranked).tolist()
        except InvalidParameter as error:
            raise ValidationError({error.field: [error.message]}) from error
        pages = self.pagination_class()
        rows = pages.paginate_sequence(selected, request)
        units = [int(ranking.unit[row]) for row in rows]
        snippets, contents = read_snippets_and_texts(units)
        answers = given_answers(extracted, units, contents)
        flagged = marks.flag if may(project, Right.DISCUSS) else None
        return pages.get_paginated_response([_item(ranking, row, snippets, answers, flagged, readings) for row in rows])


class Item(AgreementView):
    """One unit: what every coder answered, and the relation of every pair of coders."""

    @extend_schema(
        parameters=[
            AnalysisQuerySerializer,
            OpenApiParameter("round", str, description="Of a text in several rounds this one, not the latest."),
        ],
        responses=ItemReportSerializer,
    )
    def get(self, request: Request, slug: str, text: str, key: str) -> Response:
        _, extracted, parameters = self.resolved(*self.parsed(request, slug, ["round"]))
        round_name = request.query_params.get("round", "")
        report = items.report_item(extracted, parameters, text, key, round_name)
        if report is None:
            raise Http404("Item not found.")
        answers = report.text.answers
        keys = dict(zip((*answers.units, *answers.others), answers.keys, strict=True))
        contents = read_snippets_and_texts([report.unit])[1]
        given = given_answers(extracted, [report.unit], contents)
        return Response(
            {
                "text": text,
                "round": report.text.round,
                "key": key,
                "values": [
                    _value(coder, value, keys, of_units=report.of_units)
                    for coder, value in report.values.items()
                    if value is not None
                ],
                "answers": [_answer(one) for one in given.get(report.unit, ())],
                "pairs": [asdict(pair) for pair in report.pairs],
            }
        )


def _item(
    ranking: items.Items,
    row: int,
    snippets: Mapping[int, Snippet],
    answers: Mapping[int, Sequence[GivenAnswer]],
    flagged: frozenset[int] | None,
    readings: ItemReadings,
) -> dict[str, Any]:
    snippet, text = snippets[int(ranking.unit[row])], ranking.texts[ranking.text[row]]
    return {
        "text": text.slug,
        "round": text.round,
        "key": snippet.key,
        "words": snippet.words,
        "label": snippet.label,
        "share": float(ranking.share_of(row)),
        "observed": float(ranking.observed_of(row)),
        "n_coders": int(ranking.n_coders[row]),
        "n_values": int(ranking.n_values[row]),
        "relations": items.nonzero_relations(ranking.relations[row].tolist()),
        "n_ambiguous": int(ranking.explicit[row]),
        "camps": bool(ranking.camps[row]),
        "posterior": readings.posterior(snippet.unit),
        "verdict": readings.verdict(snippet.unit),
        "title": text.title,
        "in_context": asdict(snippet.keyword),
        "n_pointers": int(ranking.pointers[row]),
        "chain_size": int(ranking.chain[row]),
        "flagged": None if flagged is None else row_key(snippet.unit) in flagged,
        "answers": [_answer(one) for one in answers.get(snippet.unit, ())],
    }


def _answer(one: GivenAnswer) -> dict[str, Any]:
    return {
        "coder": one.coder,
        "category": one.category or None,
        "category_label": one.label or None,
        "antecedents": one.antecedents,
        "targets": one.targets,
        "unsure": one.unsure,
        "note": one.note,
    }


def _value(coder: str, value: object, keys: dict[int, str], *, of_units: bool) -> dict[str, Any]:
    if isinstance(value, Readings):
        sets = sorted([key for unit, key in keys.items() if unit in one] for one in value.sets)
        chain = [key for unit, key in keys.items() if unit in value.members]
        return {"coder": coder, "category": None, "chain": chain, "readings": sets}
    if isinstance(value, frozenset) and not of_units:
        return {"coder": coder, "category": None, "chain": None, "labels": sorted(map(str, value))}
    if isinstance(value, frozenset):
        chain = [key for unit, key in keys.items() if unit in value]
        return {"coder": coder, "category": None, "chain": chain}
    return {"coder": coder, "category": name_value(value), "chain": None}
