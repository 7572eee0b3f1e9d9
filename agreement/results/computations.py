"""A page of results, from whose class all of it follows, and its computation, by a worker where it takes long."""

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

# Judgements, times the ways in which each is computed, that a page waits for: about a second.
MAX_IMMEDIATE_COST = 600_000
# Results of one project that are stored; the oldest go.
MAX_STORED = 100
# A result this recent is shown although somebody has changed an answer since: coders always do.
FRESH = timedelta(minutes=1)
# The result of another version of the program may have another form, or other figures.
VERSION_MARK = hashlib.sha256(program_name().encode()).hexdigest()[:4]

# The kind of the computation that shows nothing, but stores the answers as they are read.
STORING = "answers"
NOTHING: Mapping[str, str] = MappingProxyType({})
RETRY_AFTER = 5
# Columns whose cells have coders by name, one or several.
OF_CODERS = frozenset({"coder", "coders", "human", "first", "second", "who", "part", "name"})
SIGN = r"[\w.@+-]"  # what a name of an account may have


@dataclass(frozen=True, slots=True)
class PageSections:
    """Tables and charts, as of a part of a page or of all of it."""

    tables: Sequence[Table] = ()
    charts: Sequence[Chart] = ()
    waiting: Computation | None = None  # the computation of more, where a worker has not finished
    as_of: datetime | None = None  # when what is shown was computed, if answers have changed since
    context: Mapping[str, Any] = field(default_factory=dict)  # what the template needs besides

    def as_json(self) -> dict[str, Any]:
        """Return tables and charts as plain data, from which `from_json` makes the same."""
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
        """Return the same with more tables and charts after these, and more for the template."""
        return replace(
            self, tables=[*self.tables, *tables], charts=[*self.charts, *charts], context={**self.context, **context}
        )

    def with_sections(self, more: Self) -> Self:
        """Return the same with the tables and charts of other sections, whichever of them a worker has not finished."""
        waiting, as_of = self.waiting or more.waiting, self.as_of or more.as_of
        return replace(self.extended(more.tables, more.charts, **more.context), waiting=waiting, as_of=as_of)


def paginate[T](request: AnalysisRequest, rows: Sequence[T], size: int) -> tuple[Page[T], list[T]]:
    """Return the page of the rows that is asked for, and the rows of the table: all of them, if the whole is."""
    page = Paginator(rows, size).get_page(request.page)
    return page, list(rows if request.page is None else page)


class StillComputing(APIException):
    """A worker has not finished what was asked for; `waiting` is its computation, where a page has nothing else."""

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
    """Return what a page shows with each name of a model followed by what it is."""
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
    """A page of results. It overrides `show`, or where a worker may compute it `compute`, `tables` and `charts`."""

    name: str  # of the result in the database, and of the command's `--report`
    report_name = ""  # of `--report`, if it is another one
    title = ""
    template = ""  # without one it is no page, but a part of some, or what the API answers alone
    path = ""  # below the project, if it is not agreement/NAME/
    route = ""  # the name of the path, if it is not that of the page
    position = 0  # in lists of pages, which say its docstring; 0: it is in none
    tab = 0  # the place among the tabs; 0: it is in none
    group: Group = "results"
    answers: tuple[str, ...] = tuple(Project.Answers.values)  # the kinds of projects with a tab
    right = Right.SEE_RESULTS  # to see the page
    draws_charts = True
    is_kept = False  # it follows from answers, members, texts, scheme, the project's own fields and `kept_state` alone
    api = ""  # what the API gives, in words; empty: nothing
    gives: Any = None  # the dataclass that `fields` returns, or a list of such
    api_operation = ""  # the operation's name in the schema, where it would be that of another one
    api_path = ""  # if it is not `path`
    api_route = ""  # if it is not `route` with `api-` before
    forms: Mapping[str, FileForm[AnalysisRequest]] = {}  # of files that the API gives
    takes: Mapping[str, Field[Any, Any, Any, Any]] = {}  # what API and command take besides the parameters
    options: tuple[str, ...] = ()  # what an address of the page takes, where that is more
    address: tuple[str, ...] = ()  # what the path names
    uses_answers = True  # it is of the coders' answers, not of pyramids
    about_models = False  # it is there for who may know of them
    chooses_coders = False  # before the parameters have to fit the answers
    work = 0  # how often each judgement is gone through: drawn with its text, permuted, compared with gold
    rows: str | None = None  # the field of which the API gives a page; empty: the answer is a list itself

    def __init__(self) -> None:
        self.api_names = tuple(name for name in self.takes if name != "form")  # what API and command take
        self.options = self.options or self.api_names
        self.about = " ".join((type(self).__doc__ or "").split())
        self.path = self.path or f"agreement/{self.name}/"
        self.route = self.route or self.name
        self.api_path = self.api_path or self.path
        self.api_route = self.api_route or f"api-{self.route}"

    def compute(self, request: AnalysisRequest) -> R:
        """Return the report; of a page that is shown at once, what it shows. Raises InvalidParameter."""
        return self.show(request)  # type: ignore[return-value]

    def tables(self, request: AnalysisRequest, report: R) -> Sequence[Table]:
        """Return the tables of a report."""
        return []

    def charts(self, request: AnalysisRequest, report: R) -> Sequence[Chart]:
        """Return the charts of a report."""
        return []

    def show(self, request: AnalysisRequest) -> PageSections:
        """Return all that the page shows. Raises InvalidParameter, and Http404."""
        return self.sections(request)

    def shown(self, request: AnalysisRequest) -> PageSections:
        """Return all that the page shows, models labelled as such; of wrong options, with the project's parameters."""
        try:
            sections = self.show(request)
        except InvalidParameter as error:
            request.fall_back(error)
            sections = self.show(request)
        return label_models(sections, request.models)

    def printed(self, request: AnalysisRequest) -> Sequence[Table]:
        """Return the tables that the command prints: of the page, or of the report on coders who have to be chosen."""
        return self.tables(request, self.compute(request)) if self.chooses_coders else self.show(request).tables

    def preface(self, report: Any) -> str:
        """Return what the command says before the tables: of which versions of the scheme judgements count."""
        n_others: int | None = getattr(report, "judgements_of_other_versions", None)
        return "" if n_others is None else describe_versions(report.parameters.scheme_versions, n_others)

    def fields(self, request: AnalysisRequest, report: R) -> Any:
        """Return what the API gives, and the command as JSON: the report, or plain data."""
        return report

    def describe_rows(self, request: AnalysisRequest, report: R, rows: Sequence[Any]) -> Sequence[Any]:
        """Return rows of the fields, of which the API gives a page, in full."""
        return rows

    def whole_fields(self, request: AnalysisRequest, report: R) -> Any:
        """Return the fields as plain data, with all of their rows in full."""
        fields = as_json(self.fields(request, report))
        if self.rows == "":
            return as_json(self.describe_rows(request, report, fields))
        if self.rows is not None and self.rows in fields:
            fields[self.rows] = as_json(self.describe_rows(request, report, fields[self.rows]))
        return fields

    def cost(self, request: AnalysisRequest) -> int:
        """Return about how many judgements are gone through: above MAX_IMMEDIATE_COST a worker does."""
        return self.work and self.work * count_judgements(request)

    def state(self, request: AnalysisRequest) -> list[Any]:
        """Return what the result depends on besides the answers that are chosen and the names of categories."""
        return []

    def kept_state(self, project: Project) -> Any:
        """Return what the page depends on besides, where it is kept."""
        return None

    def project_for(self, user: Person, slug: str) -> Project:
        """Return the project for somebody to whom the page is shown; raise as `results_for`."""
        project = results_with_models_for(user, slug) if self.about_models else results_for(user, slug, self.right)
        if not self.uses_answers:
            require_pyramids(project)
        return project

    def is_in(self, project: Project) -> bool:
        """Return whether the project has the page, for the one who reads it."""
        pyramids = project.answers == Project.Answers.SCUS
        if self.about_models and (not may_see_models(project) or pyramids):
            return False
        return may(project, self.right) and (self.uses_answers or pyramids)

    def option_names(self, project: Project) -> Collection[str]:
        """Return the options that the reader of the project may use."""
        return self.options

    def read_fields(self, project: Project, query: QueryDict) -> QueryDict:
        """Return the query with the fields of the page's own form as its options."""
        return query

    def begin(self, project: Project, reader: str, address: Mapping[str, str]) -> AnalysisRequest:
        """Return a request of which nothing is read yet; `reader` is the name of who asks."""
        return AnalysisRequest(
            project, uses_answers=self.uses_answers, reader=reader, about_models=self.about_models, address=address
        )

    def asked(
        self, project: Project, values: Mapping[str, str], reader: str = "", address: Mapping[str, str] = NOTHING
    ) -> AnalysisRequest:
        """Return what API or command are asked. Raises InvalidParameter."""
        options = [name for name in self.option_names(project) if name in self.api_names]
        return self.begin(project, reader, address).read_values(values, options, resolves=not self.chooses_coders)

    def request(
        self, project: Project, query: QueryDict, reader: str, address: Mapping[str, str], *, whole_tables: bool
    ) -> AnalysisRequest:
        """Return what an address asks of the page; of a wrong one the error, with the project's own parameters."""
        request, values = self.begin(project, reader, address), parse_query(self.read_fields(project, query))
        request.page = None if whole_tables else values.get("page", "1")
        # of every page: the page of a long table, and the format and key of a table that is downloaded
        for name in [one for one in values if one in ("page", "as", "table") or one.startswith(TABLE_PAGE)]:
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
        """Return the tables and charts: computed now where that is quick, else what a worker has of them."""
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
    """Let a worker store the answers where the block would take long to read them, and raise StillComputing."""
    try:
        with refuse_long_reading():
            yield
    except LongReading as reading:
        project, arguments = reading.args
        project.computations.filter(kind=STORING, error="").exclude(finished_at=None).delete()
        request = AnalysisRequest(project, options=arguments)
        raise StillComputing(_enqueue(request, STORING, "")) from reading


def count_judgements(request: AnalysisRequest) -> int:
    """Return how many judgements are chosen."""
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
    if computation.finished_at and not computation.error:  # a worker that is quick, or the same process
        return _load_result(request, kind, computation.state) or PageSections()
    return replace(before, waiting=computation, as_of=as_of) if before else PageSections(waiting=computation)


def _data_state(result: ResultPage[Any], request: AnalysisRequest) -> str:
    """Return a digest of what a result depends on, also the version of the program."""
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
        if current.error or lost:  # an error is shown once; who looks again tries again
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
    """Return whether no worker computes it any more, nor will."""
    if computation.finished_at:
        return False
    return is_abandoned(compute.module_path, computation.pk, computation.heartbeat_at, is_begun=bool(computation.total))


@task(queue_name=LONG_QUEUE, priority=LONG_PRIORITY)
def compute(pk: int) -> None:
    """Compute what was enqueued, of the answers as they are now. Where it fails the page says so, and the log why."""
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
    except BaseException:  # also where the worker is told to end
        row.update(error="It could not be computed.", finished_at=timezone.now())
        raise
    row.update(result=result, state=state, finished_at=timezone.now())
