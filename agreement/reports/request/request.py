"""What a page or a program asks for: the parameters of its query, and the options that only this page has."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

from django.db.models import Q
from django.http import QueryDict
from django.utils.http import urlencode

from agreement.data.groups import read_groups
from agreement.data.model_codings import count_codings_of_models, read_model_names
from agreement.data.project_answers import ProjectAnswers
from agreement.data.reading import answer_kind, counted_units, read_answers
from agreement.reports.request.basis import count_left_out
from agreement.reports.request.parameters import (
    GROUPS,
    MODELS,
    QUESTION,
    SELECTIONS,
    VERSIONS,
    InvalidParameter,
    Parameters,
    default_parameters,
    parse_parameters,
)
from agreement.reports.request.resolution import resolve, resolve_choices
from agreement.reports.wording import list_codings_left_out
from annotations.core.processes.progress import Progress
from annotations.models import ModelCoder, Project
from annotations.models.project import may_see_models

# Before the key of a table, where the page of the site has several: the number of its page.
TABLE_PAGE = "page-"


@dataclass
class AnalysisRequest:
    """The parameters of a query, the options of the page itself, and the answers that both are about.

    An invalid query leaves its `error`, with the project's own parameters and no options. `page` is the number of the
    page of a long table as the query has it; None asks for the whole table. A page that is computed of other data than
    the coders' answers (`uses_answers` is false) reads none: selections of coders, texts, rounds and categories are
    handed on as they are. `reader` is the name of who asks; a page is the same for all with the same rights, but for
    the comparison with gold. A page that is about models (`about_models`) includes their codings, asked or not.
    `address` has what the path names, such as two coders. For a request that `waits` no worker is asked; one that a
    worker computes has its `progress`.
    """

    project: Project
    parameters: Parameters = field(default_factory=Parameters)
    options: dict[str, str] = field(default_factory=dict)
    error: InvalidParameter | None = None
    page: str | None = None
    uses_answers: bool = True
    reader: str = ""
    about_models: bool = False
    address: Mapping[str, str] = field(default_factory=dict)
    waits: bool = False
    progress: Progress | None = None

    @classmethod
    def from_stored(cls, project: Project, parameters: Mapping[str, str], options: Mapping[str, str]) -> Self:
        """Return a request that was stored, of the answers as they are now. Raises InvalidParameter."""
        request = cls(project, options=dict(options))
        known = Parameters(**parameters)
        request._resolve(read_asked(project, known), known)
        return request

    def read_query(self, query: QueryDict, options: Collection[str] = (), *, whole_tables: bool = False) -> Self:
        """Read the address of a page, and return this request; `options` are what it takes besides the parameters."""
        values = parse_query(query)
        self.page = None if whole_tables else values.get("page", "1")
        # of every page: the page of a long table, and the format and key of a table that is downloaded
        for name in [one for one in values if one in ("page", "as", "table") or one.startswith(TABLE_PAGE)]:
            del values[name]
        try:
            return self.read_values(values, options)
        except InvalidParameter as error:
            self.fall_back(error)
            return self

    def read_values(self, values: Mapping[str, str], options: Collection[str] = (), *, resolves: bool = True) -> Self:
        """Read what API or command are asked, and return this request. Raises InvalidParameter.

        Where it does not resolve (`resolves`), the report chooses coders first, and parameters have to fit these.
        """
        values = dict(values)
        if self.about_models:
            values["include"] = include_models(values.get("include", ""))
        self.options = {name: value for name in options if (value := values.pop(name, ""))}
        if not self.uses_answers:
            parameters = parse_parameters(values, self.project.preset, self.project.answers)
            select_versions(self.project, parameters)
            self._resolve(None, parameters)
        elif resolves:
            self._resolve(*parse_asked(self.project, values))
        else:
            self.project_answers, self.parameters = parse_asked(self.project, values)
        return self

    @cached_property
    def extract(self) -> ProjectAnswers:
        include, coders = (self.parameters.selection(name) for name in ("include", "coders"))
        return self.project_answers.select(include, coders)

    @cached_property
    def project_answers(self) -> ProjectAnswers:
        return read_asked(self.project, self.parameters)

    @cached_property
    def answers_with_gold(self) -> ProjectAnswers:
        """All answers of the project in texts that have gold that counts, with that."""
        return read_with_gold(self.project, self.project_answers, self.parameters)

    @cached_property
    def n_codings_of_models(self) -> int:
        """How many codings of models there are in the chosen texts and rounds, for who may know of them."""
        texts, rounds = (self.parameters.selection(name) for name in ("texts", "rounds"))
        return count_codings_of_models(self.project, texts, rounds)

    @cached_property
    def models(self) -> frozenset[str]:
        """The names of the models among the coders, where they are included and the reader may know of them."""
        is_included = MODELS in self.parameters.selection("include")
        return read_model_names(self.project) if is_included else frozenset()

    @property
    def not_counted(self) -> str:
        """The codings of the chosen texts that do not count, in words; empty where all do."""
        return list_codings_left_out(count_left_out(self.extract, self.parameters))

    @property
    def query(self) -> str:
        """The parameters for the address of another page."""
        return urlencode(self.parameters.query())

    @property
    def full_query(self) -> str:
        """The parameters and options for an address of the same page."""
        return urlencode(self.parameters.query() | self.options)

    def address_with(self, **options: str) -> str:
        """Return the address of this page with some of its options changed."""
        changed = {name: value for name, value in (self.options | options).items() if value}
        return f"?{urlencode(self.parameters.query() | changed)}"

    def _resolve(self, answers: ProjectAnswers | None, parameters: Parameters) -> None:
        if answers is not None:
            self.project_answers = answers
            self.extract, self.parameters = resolve(answers, parameters)
        else:
            units = counted_units(self.project, parameters.units)
            self.parameters = resolve_choices(parameters, answer_kind(self.project), units, self.project.unmarked)

    def fall_back(self, error: InvalidParameter) -> None:
        """Keep the error, with the project's own parameters; of the question that was asked, if there is such."""
        self.error, self.options = error, {}
        if not self.uses_answers:
            self._resolve(None, default_parameters(self.project.preset, self.project.answers))
            return
        asked = self.project_answers.question if "project_answers" in vars(self) else None
        own = {QUESTION: asked.key if asked else "", "include": MODELS if self.about_models else ""}
        self._resolve(*parse_asked(self.project, own))


def read_asked(project: Project, parameters: Parameters) -> ProjectAnswers:
    """Return all answers of the project to the question of the parameters, counted as they say."""
    versions = select_versions(project, parameters)
    models = MODELS in parameters.selection("include") and may_see_models(project)
    return read_answers(project, parameters.units, parameters.question, parameters.unasked, versions, models=models)


def read_with_gold(
    project: Project, answers: ProjectAnswers, parameters: Parameters, question: str | None = None
) -> ProjectAnswers:
    """Return answers to the question that these are of, or to another one, in texts that have gold, with that."""
    asked = question if question is not None else answers.question.key if answers.question else ""
    models = MODELS in parameters.selection("include") and may_see_models(project)
    return read_answers(project, "", asked, parameters.unasked, answers.versions, gold=True, models=models)


def select_versions(project: Project, parameters: Parameters) -> frozenset[int]:
    """Return the versions of the scheme whose judgements the parameters select; empty: all.

    Raises InvalidParameter for one that the project does not have.
    """
    versions = parameters.scheme_versions
    if versions and project.answers == Project.Answers.SCUS:
        raise InvalidParameter(VERSIONS, "pyramids have no versions of a scheme: leave it out.")
    latest = project.scheme_version
    for version in sorted(versions):
        if version > latest:
            there = f"there are 1 to {latest}" if latest > 1 else "there is only version 1"
            raise InvalidParameter(VERSIONS, f"there is no version {version} of the scheme of {project.slug}; {there}.")
    return versions


def parse_asked(project: Project, values: Mapping[str, str]) -> tuple[ProjectAnswers, Parameters]:
    """Return all answers of the project that the values of a query ask for, and its parameters.

    Raises InvalidParameter; a question that is not there is refused where the parameters are resolved.
    """
    values = dict(values)
    groups = _names(values.pop(GROUPS, ""))
    _include_models(project, values, groups)
    answers = read_asked(project, parse_parameters(values, project.preset, project.answers))
    if groups:
        values["coders"] = ",".join([*_names(values.get("coders", "")), *_coders_of(project, groups, answers)])
    return answers, parse_parameters(values, project.preset, answers.answers)


def include_models(included: str) -> str:
    """Return what is included, with the codings of models."""
    return ",".join(dict.fromkeys([*_names(included), MODELS]))


def _names(value: str) -> list[str]:
    return [name for one in value.split(",") if (name := one.strip())]


def _include_models(project: Project, values: dict[str, str], groups: Sequence[str]) -> None:
    """Include the codings of models where one of them is named, or a group that has one.

    Who codes does not know of any: for them there are none, and what is asked for them is as in a project without.
    """
    included = _names(values.get("include", ""))
    if not may_see_models(project):
        if MODELS in included:
            values["include"] = ",".join(one for one in included if one != MODELS)
    elif MODELS not in included and (groups or values.get("coders")):
        models = ModelCoder.objects.filter(membership__project=project)
        named = Q(membership__user__username__in=_names(values.get("coders", "")))
        if models.filter(named | Q(membership__group__in=groups)).exists():
            values["include"] = include_models(values.get("include", ""))


def _coders_of(project: Project, names: Sequence[str], answers: ProjectAnswers) -> list[str]:
    groups, coders = read_groups(project), list[str]()
    for name in names:
        if name not in groups:
            raise InvalidParameter(
                GROUPS, f"there is no group {name!r} of coders; there are: {', '.join(groups) or 'none'}."
            )
        of_group = [coder for coder in groups[name] if coder in answers.known_coders]
        if not of_group:
            raise InvalidParameter(GROUPS, f"nobody of the group {name!r} has coded.")
        coders += of_group
    return coders


def parse_query(query: QueryDict) -> dict[str, str]:
    """Return the values of an address, several names of one selection joined by commas."""
    return {
        name: ",".join(query.getlist(name)) if name in (*SELECTIONS, GROUPS) else str(query[name]) for name in query
    }
