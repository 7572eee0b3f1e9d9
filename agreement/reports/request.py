"""Requests of pages and programs: the parameters and options of a query, and their resolution for the answers."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from itertools import compress
from typing import Any, Concatenate, Self

import numpy as np
from django.db.models import Q
from django.http import QueryDict
from django.utils.http import urlencode

from agreement.data.coders import count_codings_of_models, read_groups, read_model_names
from agreement.data.project_answers import CHAINED, ProjectAnswers
from agreement.data.reading import answer_kind, counted_units, read_answers
from agreement.measures.data.cells import MAX_READINGS
from agreement.reports.basis import cached, distances_of, pick_texts, remembered
from agreement.reports.parameters import (
    CHOICES,
    COEFFICIENTS,
    GROUPS,
    MODELS,
    QUESTION,
    SELECTIONS,
    SETTINGS,
    VERSIONS,
    InvalidParameter,
    Parameters,
    distances_for,
    parse_parameters,
    split_names,
)
from annotations.core.processes.progress import Progress
from annotations.models import ModelCoder, Project
from annotations.models.project import may_see_models

# The prefix of the option for a table's page number, before the table's key: a page may have several tables.
TABLE_PAGE = "page-"


def resolve_choices(parameters: Parameters, kind: str, units: str, unmarked: str) -> Parameters:
    """Return the parameters, completed from the project. Raises InvalidParameter for impossible combinations."""
    if kind == "indices" and parameters.chains != "full":
        why = "coders of this project index instead of pointing: its values are whole chains."
        raise InvalidParameter("chains", why)
    if parameters.units and not units:
        raise InvalidParameter("units", "only pyramids are counted by words or spans; here a unit is a markable.")
    if kind == "targets" and parameters.chains != "none":
        raise InvalidParameter("chains", "this relation makes no chains: its targets are compared, chains=none.")
    if parameters.distance not in distances_for(kind):
        reasons = {
            "categories": "a category has no parts, two are equal or not: the distance is nominal.",
            "numbers": f"numbers are no sets: the distance is one of {', '.join(distances_for(kind))}.",
        }
        why = reasons.get(kind, "values are no numbers: the distance is nominal or one between sets.")
        raise InvalidParameter("distance", why)
    if why := refuse_coefficient(kind, parameters):
        raise InvalidParameter("coefficient", why)
    for name in ("unmarked", "unasked") if kind == "numbers" else ():
        if getattr(parameters, name) == "label":
            raise InvalidParameter(name, "numbers can only be compared with numbers: what has none is missing.")
    if parameters.question and parameters.unmarked == "singleton":
        why = "only chains have singletons: the answers to a question are label or missing."
        raise InvalidParameter("unmarked", why)
    return replace(parameters, unmarked=parameters.unmarked or unmarked, units=units)


def refuse_coefficient(kind: str, parameters: Parameters, n_coders: int = 2) -> str:
    """Return why the coefficient does not fit this kind of values or number of coders; empty if it fits."""
    coefficient = COEFFICIENTS[parameters.coefficient]
    has_labels = kind in ("categories", "targets") or (kind == "pointers" and parameters.chains == "none")
    if coefficient.of_labels and not has_labels:
        return "augmented kappa is of alternatives, not of chains: it needs categories, or pointers with chains=none."
    if kind == "numbers" and parameters.takes_distance and not parameters.is_alpha:
        return "the distances of numbers are those of alpha."
    if coefficient.for_two and n_coders > 2:
        name = SETTINGS["coefficient"].names[parameters.coefficient]
        return f"{name} is of two coders, and here are {n_coders}: choose two, or beta or multi_kappa."
    return ""


def coders_in(extract: ProjectAnswers, parameters: Parameters) -> list[str]:
    """Return the coders who have answered in the chosen texts."""
    texts = pick_texts(extract, parameters)
    if texts is extract.texts:
        return list(extract.coders)
    answered = extract.has_answered[extract.find_places(texts)].any(axis=0)
    return sorted(compress(extract.coders, answered.tolist()))


def resolve(extract: ProjectAnswers, parameters: Parameters) -> tuple[ProjectAnswers, Parameters]:
    """Return the answers that the parameters select, and the resolved parameters. Raises InvalidParameter."""
    asked = extract.question.key if extract.question else ""
    if parameters.question and parameters.question != asked:
        known_questions = ", ".join(question.key for question in extract.questions) or "none"
        raise InvalidParameter("question", f"{parameters.question!r} is not one of {known_questions}.")
    parameters = replace(parameters, question=asked)
    resolved = resolve_choices(parameters, extract.kind, extract.units, extract.unmarked)
    if resolved.distance == "ratio" and "ratio" not in distances_of(extract):
        raise InvalidParameter("distance", "ratio is of numbers from 0, and some are less.")
    if extract.units and parameters.units not in ("", extract.units):
        raise InvalidParameter("units", f"the answers were read by {extract.units}.")
    if parameters.scheme_versions not in (frozenset(), extract.versions):
        raise InvalidParameter(VERSIONS, "the answers were read of other versions of the scheme.")
    known: dict[str, Iterable[str]] = {
        "coders": extract.known_coders,
        "texts": (text.slug for text in extract.texts),
        # a selection has already lost the texts of rounds that do not count
        "rounds": extract.rounds if extract.selected is None else parameters.selection("rounds"),
        "without": extract.categories,
    }
    for selection, names in known.items():
        chosen = parameters.selection(selection)
        for name in sorted(chosen.difference(names)) if chosen else ():
            raise InvalidParameter(selection, f"there is no {name!r} in this project.")
    selected = extract.select(resolved.selection("include"), resolved.selection("coders"))
    if resolved.readings == "matched":
        _check_number_of_readings(selected.restrict(pick_texts(selected, resolved)))
    if COEFFICIENTS[parameters.coefficient].for_two:
        coders = coders_in(selected, resolved)
        if why := refuse_coefficient(extract.kind, resolved, len(coders)):
            raise InvalidParameter("coefficient", why)
        if len(selected.coders) > 2:  # only two of them have coded the chosen texts
            resolved = replace(resolved, coders=",".join(coders))
            selected = extract.select(resolved.selection("include"), resolved.selection("coders"))
    return selected, resolved


type Report[**P, R] = Callable[Concatenate[ProjectAnswers, Parameters, P], R]


def cached_report[**P, R](compute: Report[P, R], keep: Callable[..., Any] = cached) -> Report[P, R]:
    """Decorate a report to resolve its parameters and be computed once in a request. Raises InvalidParameter."""

    @wraps(compute)
    def report(answers: ProjectAnswers, parameters: Parameters, /, *args: P.args, **kwargs: P.kwargs) -> R:
        answers, parameters = resolve(answers, parameters)
        key = (f"{compute.__module__}.{compute.__qualname__}", parameters, *args, *kwargs.values())
        found: R = keep(answers, key, lambda: compute(answers, parameters, *args, **kwargs))
        return found

    return report


def remembered_report[**P, R](compute: Report[P, R]) -> Report[P, R]:
    """Decorate a report to resolve its parameters and be cached between requests. Raises InvalidParameter."""
    return cached_report(compute, remembered)


def _check_number_of_readings(answers: ProjectAnswers) -> None:
    columns = answers.columns
    for mark in np.flatnonzero(columns.is_judgement & (columns.n_readings > MAX_READINGS))[:1].tolist():
        coding = columns.coding_of_mark[mark]
        coder = answers.names[columns.codings["coder"][coding]]
        text = answers.texts[columns.document_of_coding[coding]]
        raise InvalidParameter(
            "readings",
            f"{coder} gives {int(columns.n_readings[columns.coding_of_mark == coding].max())} readings of one unit in"
            f" {text.slug}, and {MAX_READINGS} at most are matched: choose union.",
        )


def relevant_settings(kind: str, parameters: Parameters) -> tuple[str, ...]:
    """Return the settings that can change a figure of values of this kind, in the order of CHOICES."""
    coefficient, question = COEFFICIENTS[parameters.coefficient], bool(parameters.question)
    options, is_number = coefficient.options, kind == "numbers"
    by_distance = len(distances_for(kind)) > 1 and parameters.takes_distance
    is_relevant = {
        "coefficient": True,
        "distance": by_distance,
        "chains": kind == "pointers",
        "top": kind == "pointers",
        "readings": kind in (*CHAINED, "targets"),
        "exclude_unit": kind in CHAINED and "exclude_unit" in options,
        "empty": by_distance and "empty" in options and parameters.distance in ("passonneau", "masi-product"),
        "thirds": by_distance and "thirds" in options and parameters.distance in ("passonneau", "masi", "masi-product"),
        "missing": "missing" in options,
        "unmarked": not is_number,
        "units": bool(parameters.units),
        "unasked": question and not is_number,
        "primary_weight": question and coefficient.of_labels and kind == "categories",
    }
    return tuple(name for name in CHOICES if is_relevant[name])


def choices_of(name: str, kind: str, parameters: Parameters) -> tuple[str, ...]:
    """Return the choices of a setting for this kind of values."""
    if name == "distance":
        return distances_for(kind)
    if name == "unmarked" and parameters.question:
        return tuple(choice for choice in CHOICES[name] if choice != "singleton")
    return CHOICES[name]


@dataclass
class AnalysisRequest:
    """The parameters of a query, the options of its page, and the answers that they select."""

    project: Project
    parameters: Parameters = field(default_factory=Parameters)
    options: dict[str, str] = field(default_factory=dict)
    error: InvalidParameter | None = None  # of an invalid query, which gets the project's parameters without options
    page: str | None = None  # the page number of a long table; None: the whole table
    uses_answers: bool = True  # if false, no answers are read and selections are not checked
    reader: str = ""  # the name of the user who asks
    about_models: bool = False  # codings of models are included, even if not asked for
    address: Mapping[str, str] = field(default_factory=dict)  # the arguments in the path, such as two coders
    waits: bool = False  # compute at once, without a worker
    progress: Progress | None = None  # of a worker's computation

    @classmethod
    def from_stored(cls, project: Project, parameters: Mapping[str, str], options: Mapping[str, str]) -> Self:
        """Return a stored request, resolved for the current answers. Raises InvalidParameter."""
        request = cls(project, Parameters(**parameters), dict(options))
        request.extract, request.parameters = resolve(request.project_answers, request.parameters)
        return request

    def read_values(self, values: Mapping[str, str], options: Collection[str] = (), *, resolves: bool = True) -> Self:
        """Read the parameters and `options` from the values, and return this request. Raises InvalidParameter.

        resolves: false if the report chooses coders first, since parameters are then resolved for these coders.
        """
        values = dict(values)
        if self.about_models:
            values["include"] = f"{values.get('include', '')},{MODELS}"
        self.options = {name: value for name in options if (value := values.pop(name, ""))}
        if not self.uses_answers:
            parameters = parse_parameters(values, self.project.preset, self.project.answers)
            select_versions(self.project, parameters)
            units = counted_units(self.project, parameters.units)
            self.parameters = resolve_choices(parameters, answer_kind(self.project), units, self.project.unmarked)
            return self
        self.project_answers, self.parameters = parse_asked(self.project, values)
        if resolves:
            self.extract, self.parameters = resolve(self.project_answers, self.parameters)
        return self

    def fall_back(self, error: InvalidParameter) -> None:
        """Keep the error, with the project's own parameters for the question that was asked, if it exists."""
        asked = self.project_answers.question if "project_answers" in vars(self) else None
        self.read_values({QUESTION: asked.key if asked else ""})
        self.error = error

    @cached_property
    def extract(self) -> ProjectAnswers:
        include, coders = (self.parameters.selection(name) for name in ("include", "coders"))
        return self.project_answers.select(include, coders)

    @cached_property
    def project_answers(self) -> ProjectAnswers:
        return read_asked(self.project, self.parameters)

    @cached_property
    def answers_with_gold(self) -> ProjectAnswers:
        """All answers of the project in texts with gold that counts, including this gold."""
        return read_with_gold(self.project, self.project_answers, self.parameters)

    @cached_property
    def n_codings_of_models(self) -> int:
        """The number of codings of models in the chosen texts and rounds; 0 if the user may not see them."""
        texts, rounds = (self.parameters.selection(name) for name in ("texts", "rounds"))
        return count_codings_of_models(self.project, texts, rounds)

    @cached_property
    def models(self) -> frozenset[str]:
        """The names of the models among the coders; empty unless models are included and the user may see them."""
        is_included = MODELS in self.parameters.selection("include")
        return read_model_names(self.project) if is_included else frozenset()

    @property
    def query(self) -> str:
        """The parameters as a query string, for the URL of another page."""
        return urlencode(self.parameters.query())

    @property
    def full_query(self) -> str:
        """The parameters and options as a query string, for a URL of the same page."""
        return urlencode(self.parameters.query() | self.options)

    def asked(self, *names: str) -> list[str]:
        """Return the values of the options with these names; empty if not given."""
        return [self.options.get(name, "") for name in names]

    def address_with(self, **options: str) -> str:
        """Return the URL of this page with some of its options changed."""
        changed = {name: value for name, value in (self.options | options).items() if value}
        return f"?{urlencode(self.parameters.query() | changed)}"


def read_asked(project: Project, parameters: Parameters) -> ProjectAnswers:
    """Return all answers of the project by the question, units, scheme versions and models of the parameters."""
    versions = select_versions(project, parameters)
    models = MODELS in parameters.selection("include") and may_see_models(project)
    return read_answers(project, parameters.units, parameters.question, parameters.unasked, versions, models=models)


def read_with_gold(
    project: Project, answers: ProjectAnswers, parameters: Parameters, question: str | None = None
) -> ProjectAnswers:
    """Return the answers in texts with gold, including gold, to `question` or else to the question of `answers`."""
    asked = question if question is not None else answers.question.key if answers.question else ""
    models = MODELS in parameters.selection("include") and may_see_models(project)
    return read_answers(project, "", asked, parameters.unasked, answers.versions, gold=True, models=models)


def select_versions(project: Project, parameters: Parameters) -> frozenset[int]:
    """Return the versions of the scheme that the parameters select; empty: all. Raises InvalidParameter."""
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
    """Return all answers of the project that a query asks for, and its parameters. Raises InvalidParameter."""
    values = dict(values)
    groups, coders, included = (split_names(values.pop(name, "")) for name in (GROUPS, "coders", "include"))
    if not may_see_models(project):  # to coders, the project must look as if it had no models
        included = [name for name in included if name != MODELS]
    elif groups or coders:  # one of these coders may be a model
        models = ModelCoder.objects.filter(membership__project=project)
        named = Q(membership__user__username__in=coders) | Q(membership__group__in=groups)
        included += [MODELS] if MODELS not in included and models.filter(named).exists() else []
    values |= {"coders": ",".join(coders), "include": ",".join(included)}
    answers = read_asked(project, parse_parameters(values, project.preset, project.answers))
    if groups:
        values["coders"] = ",".join([*coders, *_coders_of(project, groups, answers)])
    return answers, parse_parameters(values, project.preset, answers.answers)


def _coders_of(project: Project, names: Sequence[str], answers: ProjectAnswers) -> list[str]:
    groups, coders = read_groups(project), list[str]()
    for name in names:
        if name not in groups:
            known = ", ".join(groups) or "none"
            raise InvalidParameter(GROUPS, f"there is no group {name!r} of coders; there are: {known}.")
        of_group = [coder for coder in groups[name] if coder in answers.known_coders]
        if not of_group:
            raise InvalidParameter(GROUPS, f"nobody of the group {name!r} has coded.")
        coders += of_group
    return coders


def parse_query(query: QueryDict) -> dict[str, str]:
    """Return the values of a query string, with repeated values of a selection joined by commas."""
    return {key: ",".join(query.getlist(key)) if key in (*SELECTIONS, GROUPS) else str(query[key]) for key in query}
