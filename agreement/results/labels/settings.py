"""The settings of a page in words: the preset they are, and what differs from that of the project, to take away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.utils.http import urlencode

from agreement.data.project_answers import ProjectAnswers
from agreement.data.question import Question
from agreement.measures.results import pluralize
from agreement.reports.coefficients import COEFFICIENTS
from agreement.reports.overall.overall import count_unanswered
from agreement.reports.request.parameters import (
    MODELS,
    NAMES,
    SELECTIONS,
    VERSIONS,
    InvalidParameter,
    Parameters,
    Preset,
    default_parameters,
    default_preset,
)
from agreement.reports.request.request import AnalysisRequest, read_asked
from agreement.reports.request.resolution import differing_settings, find_preset, relevant_settings, resolve
from agreement.reports.wording import BY_MODELS, CODINGS_LEFT_OUT
from agreement.results.labels.labels import choice_label, field_label

# So many names of a selection stand on a chip.
MOST_NAMES = 3
# What is in sight besides the chips.
IN_SIGHT = ("distance",)
# What the values of a question are called, and one of them.
TERMS = {"categories": "category", "values": "value", "labels": "label"}


@dataclass(frozen=True, slots=True)
class Difference:
    """A parameter that is not as in the project, in words, and the address of the page without it."""

    name: str
    words: str
    address: str


@dataclass(frozen=True, slots=True)
class Settings:
    """How a page is computed. `preset` is None where the settings are those of none, `own` is that of the project."""

    preset: Preset | None
    own: Preset
    differences: tuple[Difference, ...]

    @property
    def n_folded(self) -> int:
        """How many settings out of sight differ."""
        folded = {one.name for one in self.differences} - {*IN_SIGHT, *SELECTIONS}
        return len(folded) if self.preset is None else 0

    @property
    def shown(self) -> tuple[Difference, ...]:
        """What stands as a chip: of a preset only what is selected, for its settings are its own."""
        return tuple(one for one in self.differences if self.preset is None or one.name in SELECTIONS)

    @property
    def is_default(self) -> bool:
        """Whether all is as the project has it."""
        return not self.differences

    @property
    def sentence(self) -> str:
        """The preset, or what was chosen instead of it."""
        if self.preset:
            return f"Preset: {self.preset.label}{', the project default' if self.preset == self.own else ''}."
        changed = ", ".join(one.words for one in self.differences if one.name not in SELECTIONS)
        return f"Custom: {self.own.label}, but for {changed}."


def read_settings(request: AnalysisRequest) -> Settings:
    """Return how the page of the request is computed."""
    project, parameters, answers = request.project, request.parameters, request.extract
    own = default_preset(project.preset, answers.answers)
    changed = differing_settings(answers.kind, parameters, own.parameters, answers.unmarked)
    values = changed | {name: "" for name in SELECTIONS if getattr(parameters, name)}
    return Settings(
        find_preset(parameters, project.preset, answers.answers, answers.kind, answers.unmarked),
        own,
        tuple(
            Difference(name, ": ".join(_in_words(request, name)), _address_without(request, name, value))
            for name, value in values.items()
        ),
    )


def list_settings(request: AnalysisRequest) -> list[tuple[str, str]]:
    """Return in words every setting that matters, and every selection that leaves something out."""
    selections = (name for name in SELECTIONS if getattr(request.parameters, name))
    names = (*relevant_settings(request.extract.kind, request.parameters), *selections)
    return [_in_words(request, name) for name in names]


def describe_unanswered(answers: ProjectAnswers, parameters: Parameters) -> str:
    """Return of how many judgements the question was not asked and how many have no answer to it, in words."""
    unasked, unanswered = count_unanswered(answers, parameters)
    counted = "" if parameters.unasked == "missing" else ", which is a value"
    parts = [f"not asked of {pluralize(unasked, 'judgement')}{counted}"] if unasked else []
    parts += [f"{pluralize(unanswered, 'judgement')} without an answer"] if unanswered else []
    return "; ".join(parts)


def name_terms(question: Question | None) -> str:
    """Return what the values of a question are called."""
    if question is None:
        return "categories"
    return "labels" if question.kind == "labels" else "values"


def _in_words(request: AnalysisRequest, name: str) -> tuple[str, str]:
    """Return a parameter and its value as the controls call them."""
    extract, value = request.extract, getattr(request.parameters, name)
    label = field_label(name, pyramids=bool(extract.units))
    if name not in SELECTIONS:
        return label, choice_label(name, value)
    labels: Mapping[str, str] = {}
    if name == "without":
        labels = extract.labels
    elif name == "texts":
        labels = {text.slug: text.title for text in extract.texts}
    elif name == "include":
        labels = {MODELS: BY_MODELS, **CODINGS_LEFT_OUT}
    chosen = [labels.get(one, one) for one in sorted(request.parameters.selection(name))]
    more = f" and {len(chosen) - MOST_NAMES} more" if len(chosen) > MOST_NAMES else ""
    return label, ", ".join(chosen[:MOST_NAMES]) + more


def _address_without(request: AnalysisRequest, name: str, value: str) -> str:
    """Return the address with one parameter as the project has it; what then cannot be is so, too."""
    changed, answers = replace(request.parameters, **{name: value}), request.project_answers
    # by who coded, negative numbers or many readings the answers themselves may exclude a setting
    exclusive = (
        COEFFICIENTS[changed.coefficient].for_two or changed.distance == "ratio" or changed.readings == "matched"
    )
    if name == "units" or (name == VERSIONS and exclusive):
        answers = read_asked(request.project, changed)
    own = default_parameters(request.project.preset, request.extract.answers)
    for _ in NAMES:
        try:
            resolve(answers, changed)
        except InvalidParameter as error:
            changed = replace(changed, **{error.field: getattr(own, error.field)})
        else:
            break
    return f"?{urlencode(changed.query() | request.options)}"
