"""A page of results: from its class follow its address and tab, its downloads, its endpoint of the API, its report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from agreement.data.pyramids.pyramids import require_pyramids
from agreement.reports.request.parameters import InvalidParameter
from agreement.reports.request.request import AnalysisRequest
from agreement.results.computations import NOTHING, Result
from agreement.results.content import PageSections
from agreement.results.labels import label_models
from agreement.results.tables import Table
from annotations.models import Project
from annotations.models.people.rights import Person, Right
from annotations.models.project import may, may_see_models
from annotations.projects.navigation import Group
from annotations.projects.viewing import results_for, results_with_models_for


@dataclass(frozen=True, slots=True)
class FileForm:
    """A form in which the API gives a report as a file: how it is written, its type, and the file's ending."""

    write: Callable[[AnalysisRequest], bytes]
    content_type: str
    suffix: str


class ResultPage[R](Result[R]):
    """A page of results. It overrides `show`, or where a worker may compute it `compute`, with `tables` and `charts`.

    `path` is its address below the project and `route` the name of that; where `api` says what the API gives, the same
    with `api-` before, unless they are named. The docstring is what lists of pages say of it, `position` its place in
    these, and `tab` that among the tabs; 0: it is in none. `answers` are the kinds of projects with a tab.
    `right` is that to see the page. One that is `about_models` is there for who may know of them. One that does not use
    the coders' answers (`uses_answers` is false) is of pyramids. `forms` are those of files that the API gives. Without
    a `template` there is no page, but the API's answer alone. One that `is_kept` shows nothing but what follows from
    answers, members, texts, scheme, the project's own fields and its `kept_state`: until these change it is shown as it
    was rendered.

    The schema of the API has `gives`, the dataclass that `fields` returns, or a list of such. `api_operation` is the
    operation's name in it, where it would be that of another one.
    """

    title = ""
    template = ""
    path = ""
    route = ""
    position = 0
    tab = 0
    group: Group = "results"
    answers: tuple[str, ...] = tuple(Project.Answers.values)
    right = Right.SEE_RESULTS
    draws_charts = True
    is_kept = False
    api = ""
    gives: Any = None
    api_operation = ""
    api_path = ""
    api_route = ""
    forms: Mapping[str, FileForm] = {}

    def __init__(self) -> None:
        super().__init__()
        self.about = " ".join((type(self).__doc__ or "").split())
        self.path = self.path or f"agreement/{self.name}/"
        self.route = self.route or self.name
        self.api_path = self.api_path or self.path
        self.api_route = self.api_route or f"api-{self.route}"

    def compute(self, request: AnalysisRequest) -> R:
        """Return the report; of a page that is shown at once, what it shows."""
        return self.show(request)  # type: ignore[return-value]

    def printed(self, request: AnalysisRequest) -> Sequence[Table]:
        """Return the tables of the page; of coders who have to be chosen, those of their report."""
        return super().printed(request) if self.chooses_coders else self.show(request).tables

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

    def kept_state(self, project: Project) -> Any:
        """Return what the page depends on besides, where it is kept."""
        return None

    def read_fields(self, project: Project, query: QueryDict) -> QueryDict:
        """Return the query with the fields of the page's own form as its options."""
        return query

    def request(
        self,
        project: Project,
        query: QueryDict,
        reader: str,
        address: Mapping[str, str] = NOTHING,
        *,
        whole_tables: bool,
    ) -> AnalysisRequest:
        """Return what an address asks of the page; `reader` is the name of who asks."""
        query, options = self.read_fields(project, query), self.option_names(project)
        return self.begin(project, reader, address).read_query(query, options, whole_tables=whole_tables)
