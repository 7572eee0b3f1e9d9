"""The base class of result pages, and their computation: at once, or by a worker if it takes long."""

import hashlib
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any, Self

from django.core.paginator import Page, Paginator
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpResponse, QueryDict
from django.tasks import task
from django.utils import timezone
from rest_framework.exceptions import APIException
from rest_framework.serializers import Field

from agreement.data.pyramids import require_pyramids
from agreement.data.reading import LongReading, refuse_long_reading, store_answers
from agreement.models import Computation
from agreement.reports.basis import pick_texts
from agreement.reports.fields import as_json
from agreement.reports.methods import program_name
from agreement.reports.parameters import InvalidParameter, check_choice
from agreement.reports.request import TABLE_PAGE, AnalysisRequest, parse_query
from agreement.reports.wording import describe_versions, label_model
from agreement.results.figures.charts import Chart, shorten
from agreement.results.tables import TABLE_FORMATS, Column, FileForm, Linked, Table, cell_value
from annotations.core.processes.progress import Cancelled, progress_recorder
from annotations.core.processes.queue import LONG_PRIORITY, LONG_QUEUE, is_abandoned
from annotations.models import Project
from annotations.models.people.rights import Person, Right
from annotations.models.project import may, may_see_models
from annotations.projects.navigation import Group
from annotations.projects.viewing import results_for, results_with_models_for

# The largest cost, in judgements times passes over them, that a page computes at once: about a second.
MAX_IMMEDIATE_COST = 600_000
# Stored results per project; the oldest are deleted.
MAX_STORED = 100
# A result this recent is shown although answers have changed since: during coding they always do.
FRESH = timedelta(minutes=1)
# Results of another version of the program may have another form or other figures.
VERSION_MARK = hashlib.sha256(program_name().encode()).hexdigest()[:4]

# The kind of computation that has no result, but reads and stores the answers.
STORING = "answers"
NOTHING: Mapping[str, str] = MappingProxyType({})
RETRY_AFTER = 5
# Columns whose cells name one or several coders.
OF_CODERS = frozenset({"coder", "coders", "human", "first", "second", "who", "part", "name"})
SIGN = r"[\w.@+-]"  # a character of an account's name


@dataclass(frozen=True, slots=True)
class PageSections:
    """Tables and charts of a page or of a part of it."""

    tables: Sequence[Table] = ()
    charts: Sequence[Chart] = ()
    waiting: Computation | None = None  # the unfinished computation of further sections
    as_of: datetime | None = None  # time of the computation, if answers have changed since
    context: Mapping[str, Any] = field(default_factory=dict)  # further variables of the template

    def as_json(self) -> dict[str, Any]:
        """Return tables and charts as plain data for `from_json`."""
        return {"tables": [asdict(table) for table in self.tables], "charts": [asdict(chart) for chart in self.charts]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the tables and charts that `as_json` wrote."""
        tables = []
        for table in data["tables"]:
            columns = [Column(**column) for column in table["columns"]]
            rows = [[Linked(**cell) if isinstance(cell, dict) else cell for cell in row] for row in table["rows"]]
            tables.append(Table(**table | {"columns": columns, "rows": rows}))
        return cls(tables, [Chart(**chart) for chart in data["charts"]])

    def extended(self, tables: Sequence[Table] = (), charts: Sequence[Chart] = (), **context: Any) -> Self:
        """Return a copy with tables, charts and template variables added at the end."""
        return replace(
            self, tables=[*self.tables, *tables], charts=[*self.charts, *charts], context={**self.context, **context}
        )

    def with_sections(self, more: Self) -> Self:
        """Return a copy with other sections added; `waiting` and `as_of` come from whichever has them."""
        waiting, as_of = self.waiting or more.waiting, self.as_of or more.as_of
        return replace(self.extended(more.tables, more.charts, **more.context), waiting=waiting, as_of=as_of)


def paginate[T](request: AnalysisRequest, rows: Sequence[T], size: int) -> tuple[Page[T], list[T]]:
    """Return the requested page, and the rows of the table: all rows if `request.page` is None."""
    page = Paginator(rows, size).get_page(request.page)
    return page, list(rows if request.page is None else page)


class StillComputing(APIException):
    """The error for an unfinished result; `waiting` is its computation, if a page has nothing else to show."""

    status_code, default_code, wait = 503, "still_computing", RETRY_AFTER
    default_detail = "Still computing; try again soon."

    def __init__(self, waiting: Computation | None = None) -> None:
        super().__init__()
        self.waiting = waiting


def write_table(request: AnalysisRequest, sections: PageSections, format_name: str, key: str) -> HttpResponse:
    """Return the table with that key as a file, in one of TABLE_FORMATS. Raises StillComputing or InvalidParameter."""
    tables = {table.key: table for table in sections.tables}
    if sections.waiting and key not in tables:
        raise StillComputing
    if request.error:
        raise request.error
    check_choice("as", format_name, TABLE_FORMATS)
    table_format = TABLE_FORMATS[format_name]
    if key not in tables:
        names = ", ".join(tables) or "none on this page"
        raise InvalidParameter("table", f"unknown table; available: {names}.")
    headers = {}
    if table_format.suffix in ("csv", "json"):
        name = f"{request.project.slug}-{key}.{table_format.suffix}"
        headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return HttpResponse(table_format.write(tables[key]), content_type=table_format.content_type, headers=headers)


def label_models(sections: PageSections, models: Collection[str]) -> PageSections:
    """Return the sections with each name of a model labelled as a model."""
    if not models:
        return sections
    names = "|".join(re.escape(name) for name in sorted(models, key=len, reverse=True))
    pattern = re.compile(f"(?<!{SIGN})({names})(?!{SIGN})")
    alone = {shown: label_model(shown) for name in models for shown in (name, shorten(name))}

    def label(words: str) -> str:
        return pattern.sub(lambda found: label_model(found[0]), words)

    def label_column(table: Table, place: int, column: Column) -> Column:
        if column.label in models:
            column = replace(column, label=label_model(column.label))
        if column.name not in OF_CODERS:
            return column
        values = {value for row in table.rows if isinstance(value := cell_value(row[place]), str)}
        labels = {value: labelled for value in values if (labelled := label(value)) != value}
        return replace(column, labels={**labels, **column.labels})

    def label_figure(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: label_figure(value) for key, value in part.items()}
        if isinstance(part, list):
            return list(map(label_figure, part))
        return alone.get(part, part) if isinstance(part, str) else part

    tables = [
        replace(table, columns=[label_column(table, *placed) for placed in enumerate(table.columns)])
        for table in sections.tables
    ]
    charts = [
        replace(chart, figure=label_figure(chart.figure), alternative=label(chart.alternative))
        for chart in sections.charts
    ]
    return replace(sections, tables=tables, charts=charts)


class ResultPage[R]:
    """A page of results: subclasses override `show`, or `compute`, `tables` and `charts` if a worker may compute it."""

    name: str  # key of the result in the database, and value of the command's `--report`
    report_name = ""  # value of `--report`, if it is not `name`
    title = ""
    template = ""  # empty: no page, but a part of pages or for the API alone
    path = ""  # below the project; by default agreement/NAME/
    route = ""  # name of the URL pattern; by default `name`
    position = 0  # order in lists of pages, which show the docstring; 0: not listed
    tab = 0  # order among the tabs; 0: no tab
    group: Group = "results"
    answers: tuple[str, ...] = tuple(Project.Answers.values)  # kinds of answers whose projects have the tab
    right = Right.SEE_RESULTS  # right to see the page
    draws_charts = True
    is_kept = False  # cached: depends on answers, members, texts, scheme, fields of the project and `kept_state` alone
    api = ""  # description of the API's response; empty: no endpoint
    gives: Any = None  # the dataclass that `fields` returns, or a list of one
    api_operation = ""  # operation id in the schema, if the default one is taken
    api_path = ""  # by default `path`
    api_route = ""  # by default `api-` and `route`
    forms: Mapping[str, FileForm[AnalysisRequest]] = {}  # file formats of the API
    takes: Mapping[str, Field[Any, Any, Any, Any]] = {}  # options of API and command beside the parameters
    options: tuple[str, ...] = ()  # options of the page's URL; by default those of the API
    address: tuple[str, ...] = ()  # names of the arguments in the path
    uses_answers = True  # computed from the coders' answers, not from pyramids
    about_models = False  # only for readers who may see models
    chooses_coders = False  # the report selects coders before the parameters have to fit the answers
    work = 0  # passes over each judgement, such as resampling, permutation, comparison with gold
    rows: str | None = None  # field that the API paginates; empty: the whole response is a list

    def __init__(self) -> None:
        self.api_names = tuple(name for name in self.takes if name != "form")  # options of API and command
        self.options = self.options or self.api_names
        self.about = " ".join((type(self).__doc__ or "").split())
        self.path = self.path or f"agreement/{self.name}/"
        self.route = self.route or self.name
        self.api_path = self.api_path or self.path
        self.api_route = self.api_route or f"api-{self.route}"

    def compute(self, request: AnalysisRequest) -> R:
        """Return the report, or the sections of a page that is shown at once. Raises InvalidParameter."""
        return self.show(request)  # type: ignore[return-value]

    def tables(self, request: AnalysisRequest, report: R) -> Sequence[Table]:
        """Return the tables of a report."""
        return []

    def charts(self, request: AnalysisRequest, report: R) -> Sequence[Chart]:
        """Return the charts of a report."""
        return []

    def show(self, request: AnalysisRequest) -> PageSections:
        """Return the sections of the page. Raises InvalidParameter and Http404."""
        return self.sections(request)

    def shown(self, request: AnalysisRequest) -> PageSections:
        """Return the sections with models labelled; invalid options fall back to the project's parameters."""
        try:
            sections = self.show(request)
        except InvalidParameter as error:
            request.fall_back(error)
            sections = self.show(request)
        return label_models(sections, request.models)

    def printed(self, request: AnalysisRequest) -> Sequence[Table]:
        """Return the tables that the command prints: of the report if it selects coders, else of the page."""
        return self.tables(request, self.compute(request)) if self.chooses_coders else self.show(request).tables

    def preface(self, report: Any) -> str:
        """Return the text that the command prints before the tables: the versions of the scheme that count."""
        n_others: int | None = getattr(report, "judgements_of_other_versions", None)
        return "" if n_others is None else describe_versions(report.parameters.scheme_versions, n_others)

    def fields(self, request: AnalysisRequest, report: R) -> Any:
        """Return the response of the API and the JSON of the command: the report, or plain data."""
        return report

    def describe_rows(self, request: AnalysisRequest, report: R, rows: Sequence[Any]) -> Sequence[Any]:
        """Return rows of the paginated field in full."""
        return rows

    def whole_fields(self, request: AnalysisRequest, report: R) -> Any:
        """Return the fields as plain data, with all rows in full."""
        fields = as_json(self.fields(request, report))
        if self.rows == "":
            return as_json(self.describe_rows(request, report, fields))
        if self.rows is not None and self.rows in fields:
            fields[self.rows] = as_json(self.describe_rows(request, report, fields[self.rows]))
        return fields

    def cost(self, request: AnalysisRequest) -> int:
        """Estimate the judgements processed, over all passes; above MAX_IMMEDIATE_COST a worker computes the page."""
        return self.work and self.work * count_judgements(request)

    def state(self, request: AnalysisRequest) -> list[Any]:
        """Return further inputs of the result, beside the selected answers and the names of categories."""
        return []

    def kept_state(self, project: Project) -> Any:
        """Return further inputs of a cached page, beside those listed at `is_kept`."""
        return None

    def project_for(self, user: Person, slug: str) -> Project:
        """Return the project for a user who may see the page. Raises the errors of `results_for`."""
        project = results_with_models_for(user, slug) if self.about_models else results_for(user, slug, self.right)
        if not self.uses_answers:
            require_pyramids(project)
        return project

    def is_in(self, project: Project) -> bool:
        """Return whether the project has the page and its reader may see it."""
        pyramids = project.answers == Project.Answers.SCUS
        if self.about_models and (not may_see_models(project) or pyramids):
            return False
        return may(project, self.right) and (self.uses_answers or pyramids)

    def option_names(self, project: Project) -> Collection[str]:
        """Return the options that the reader of the project may use."""
        return self.options

    def read_fields(self, project: Project, query: QueryDict) -> QueryDict:
        """Return the query with the fields of the page's own form converted to options."""
        return query

    def begin(self, project: Project, reader: str, address: Mapping[str, str]) -> AnalysisRequest:
        """Return a request without parameters; `reader` is the name of its user."""
        return AnalysisRequest(
            project, uses_answers=self.uses_answers, reader=reader, about_models=self.about_models, address=address
        )

    def asked(
        self, project: Project, values: Mapping[str, str], reader: str = "", address: Mapping[str, str] = NOTHING
    ) -> AnalysisRequest:
        """Return the request of the API or the command. Raises InvalidParameter."""
        options = [name for name in self.option_names(project) if name in self.api_names]
        return self.begin(project, reader, address).read_values(values, options, resolves=not self.chooses_coders)

    def request(
        self, project: Project, query: QueryDict, reader: str, address: Mapping[str, str], *, whole_tables: bool
    ) -> AnalysisRequest:
        """Return the request of a URL; an invalid one has its error and the project's own parameters."""
        request, values = self.begin(project, reader, address), parse_query(self.read_fields(project, query))
        request.page = None if whole_tables else values.get("page", "1")
        # options of every page: pages of long tables, and the format and key of a download
        for name in [key for key in values if key in ("page", "as", "table") or key.startswith(TABLE_PAGE)]:
            del values[name]
        try:
            request.read_values(values, self.option_names(project))
        except InvalidParameter as error:
            request.fall_back(error)
        return request

    def build(self, request: AnalysisRequest) -> PageSections:
        report = self.compute(request)
        if isinstance(report, PageSections):
            return report
        return PageSections(self.tables(request, report), self.charts(request, report))

    def sections(self, request: AnalysisRequest) -> PageSections:
        """Return the tables and charts: computed at once if that is quick, else what a worker has stored."""
        if request.waits or self.cost(request) <= MAX_IMMEDIATE_COST:
            return self.build(request)
        return _load_or_enqueue(self, request)


RESULTS: dict[str, ResultPage[Any]] = {}


def register[T: type[ResultPage[Any]]](cls: T) -> T:
    """Register a result by its name."""
    RESULTS[cls.name] = cls()
    return cls


@contextmanager
def leave_long_reading() -> Iterator[None]:
    """Leave answers that take long to read to a worker, and raise StillComputing."""
    try:
        with refuse_long_reading():
            yield
    except LongReading as reading:
        project, arguments = reading.args
        project.computations.filter(kind=STORING, error="").exclude(finished_at=None).delete()
        request = AnalysisRequest(project, options=arguments)
        raise StillComputing(_enqueue(request, STORING, "")) from reading


def count_judgements(request: AnalysisRequest) -> int:
    """Return the number of selected judgements."""
    return request.extract.restrict(pick_texts(request.extract, request.parameters)).n_judgements


def _load_or_enqueue(result: ResultPage[Any], request: AnalysisRequest) -> PageSections:
    kind, state = result.name, _data_state(result, request)
    found = _load_result(request, kind, state)
    if found is not None:
        return found
    finished = _matching(request, kind).filter(finished_at__isnull=False, error="", state__endswith=VERSION_MARK)
    latest = finished.order_by("-finished_at").first()
    as_of = latest.finished_at if latest else None
    before = PageSections.from_json(latest.result) if latest and latest.result else None
    if before and as_of and abs(timezone.now() - as_of) < FRESH:  # the clock may have been set back since
        return replace(before, as_of=as_of)
    computation = _enqueue(request, kind, state)
    if computation.finished_at and not computation.error:  # by a quick worker, or in this process
        return _load_result(request, kind, computation.state) or PageSections()
    return replace(before, waiting=computation, as_of=as_of) if before else PageSections(waiting=computation)


def _data_state(result: ResultPage[Any], request: AnalysisRequest) -> str:
    """Return a digest of the inputs of a result, the version of the program included."""
    about = [request.extract.state, sorted(request.extract.labels.items()), *result.state(request)]
    digest = hashlib.sha256(json.dumps(about).encode()).hexdigest()
    return digest[: 16 - len(VERSION_MARK)] + VERSION_MARK


def _load_result(request: AnalysisRequest, kind: str, state: str) -> PageSections | None:
    finished = _matching(request, kind).filter(state=state, finished_at__isnull=False, error="")
    data = finished.values_list("result", flat=True).first()
    return PageSections.from_json(data) if data else None


def _matching(request: AnalysisRequest, kind: str) -> QuerySet[Computation]:
    return request.project.computations.filter(kind=kind, parameters=request.parameters.query(), own=request.options)


def _enqueue(request: AnalysisRequest, kind: str, state: str) -> Computation:
    current = _matching(request, kind).filter(Q(finished_at=None) | ~Q(error="")).defer("result").first()
    if current is not None:
        lost = is_lost(current)
        if current.error or lost:  # an error is shown once; the next view tries again
            Computation.objects.filter(pk=current.pk).delete()
        if not lost:
            return current
    project = request.project
    with transaction.atomic():
        computation = Computation.objects.create(
            project=project, kind=kind, state=state, parameters=request.parameters.query(), own=request.options
        )
        old = Computation.objects.filter(project=project).order_by("-pk").values_list("pk", flat=True)[MAX_STORED:]
        Computation.objects.filter(pk__in=list(old)).delete()
        compute.enqueue(computation.pk)
    computation.refresh_from_db()
    return computation


def is_lost(computation: Computation) -> bool:
    """Return whether no worker computes the row any more, or ever will."""
    if computation.finished_at:
        return False
    return is_abandoned(compute.module_path, computation.pk, computation.heartbeat_at, is_begun=bool(computation.total))


@task(queue_name=LONG_QUEUE, priority=LONG_PRIORITY)
def compute(pk: int) -> None:
    """Run an enqueued computation on the current answers. The page reports a failure, and the log its cause."""
    computation = Computation.objects.select_related("project").filter(pk=pk).first()
    if computation is None:
        return
    row = Computation.objects.filter(pk=pk)
    progress, content, state = progress_recorder(row), PageSections(), ""
    try:
        if computation.kind == STORING:
            store_answers(computation.project, **computation.own, progress=progress)
        else:
            request = AnalysisRequest.from_stored(computation.project, computation.parameters, computation.own)
            request.progress, page = progress, RESULTS[computation.kind]
            content, state = page.build(request), _data_state(page, request)
        result = content.as_json()
    except Cancelled:  # its row was deleted
        return
    except BaseException:  # also if the worker is told to stop
        row.update(error="It could not be computed.", finished_at=timezone.now())
        raise
    row.update(result=result, state=state, finished_at=timezone.now())
