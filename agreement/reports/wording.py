"""Wording of pages: nouns for units and values, exclusions, choices, settings and names of models."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from django.urls import reverse
from django.utils.http import urlencode

from agreement.data.documents import Document
from agreement.data.project_answers import ProjectAnswers, Question
from agreement.measures.results import pluralize
from agreement.reports.basis import count_unanswered
from agreement.reports.parameters import (
    COEFFICIENTS,
    MODELS,
    SELECTIONS,
    SETTINGS,
    VERSIONS,
    InvalidParameter,
    Parameters,
    Preset,
    default_preset,
    load_words,
    presets_for,
)
from agreement.reports.request import AnalysisRequest, read_asked, relevant_settings, resolve, resolve_choices

LABELS: Mapping[str, Mapping[str, str]] = load_words("labels")
CODINGS_LEFT_OUT, SCORE_LABELS, RELATION_LABELS = (LABELS[of] for of in ("codings_left_out", "scores", "relations"))
BY_MODELS = "by models"
MAX_NAMES = 3  # the most names of a selection on a chip
IN_SIGHT = ("distance",)  # settings that are visible without a chip
# The plural and the singular noun for the values of a question.
TERMS = {"categories": "category", "values": "value", "labels": "label"}


@dataclass(frozen=True, slots=True)
class Nouns:
    """The nouns for a unit and for the set that is its value."""

    unit: str
    chain: str

    @property
    def units(self) -> str:
        return f"{self.unit}s"

    @property
    def chains(self) -> str:
        return f"{self.chain}s"


NOUNS = {
    "": Nouns("markable", "chain"),
    "words": Nouns("word", "SCU"),
    "spans": Nouns("contributor", "SCU"),
    "labels": Nouns("markable", "label set"),
    "targets": Nouns("markable", "target set"),
}


def nouns_for(extract: ProjectAnswers) -> Nouns:
    """Return the nouns for the units and values of the extract."""
    return NOUNS[extract.units or (extract.kind if extract.kind in NOUNS else "")]


def name_components(extract: ProjectAnswers) -> str:
    """Return the name of the independent parts of one text: units, or units that share no set."""
    nouns = nouns_for(extract)
    of_units = extract.has_chains or extract.kind == "targets"
    return f"{nouns.units} that share no {nouns.chain}" if of_units else nouns.units


def be(count: int) -> str:
    return "is" if count == 1 else "are"


def name_versions(versions: Collection[int]) -> str:
    """Return versions of the scheme in words, in ascending order."""
    *most, last = map(str, sorted(versions))
    return f"versions {', '.join(most)} and {last}" if most else f"version {last}"


def describe_versions(versions: Collection[int], n_others: int | None) -> str:
    """Return a sentence on the scheme versions that count and on other judgements; empty if all versions count."""
    if n_others is None:
        return ""
    others = f"{pluralize(n_others, 'judgement')} of other versions {be(n_others)} missing"
    return f"Judgements under {name_versions(versions)} of the scheme; {others}."


def describe_models_left_out(n: int) -> str:
    """Return a sentence with the number of codings of models left out; empty if there are none."""
    return f"{pluralize(n, 'coding')} {BY_MODELS} {be(n)} left out of these figures of people." if n else ""


def list_left_out(
    counts: Mapping[str, int], reasons: Mapping[str, str] = CODINGS_LEFT_OUT, noun: str = "coding", of: str = ""
) -> str:
    """Return a phrase that counts the excluded items by reason; empty if none is excluded."""
    parts = [f"{of}{pluralize(n, noun)} {words}" for reason, words in reasons.items() if (n := counts.get(reason))]
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def field_texts(name: str, *, pyramids: bool = False) -> tuple[str, str]:
    """Return the label of a control and the sentence below it; `pyramids`: in the wording for pyramids."""
    setting = SETTINGS[name]
    label, sentence = setting.of_pyramids if pyramids and setting.of_pyramids else (setting.label, setting.sentence)
    return label, sentence


def choice_label(name: str, choice: str) -> str:
    """Return the label of a choice in the controls."""
    return SETTINGS[name].choices.get(choice, choice.replace(",", ", "))


def item_address(project: str, text: Document, key: str, query: str) -> str:
    """Return the URL of an item, with the round if the text has several documents."""
    of_round = urlencode({"round": text.round}) if text.is_one_of_several else ""
    return f"{reverse('item', args=[project, text.slug, key])}?{'&'.join(filter(None, (query, of_round)))}"


def selection_of(text: Document) -> dict[str, str]:
    """Return the parameters that choose the document: the text, and the round if the text has several documents."""
    return {"texts": text.slug} | ({"rounds": text.round} if text.is_one_of_several else {})


@dataclass(frozen=True, slots=True)
class Difference:
    """A parameter that differs from the project's, in words, and the URL of the page without it."""

    name: str
    words: str
    address: str


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a page: its preset, and the parameters that differ from the project's preset."""

    preset: Preset | None  # None if the settings match no preset
    own: Preset  # the preset of the project
    differences: tuple[Difference, ...]
    facts: Mapping[str, tuple[str, str]]  # in words: relevant settings, and selections in use

    @property
    def n_folded(self) -> int:
        """The number of hidden settings that differ."""
        folded = {change.name for change in self.differences} - {*IN_SIGHT, *SELECTIONS}
        return len(folded) if self.preset is None else 0

    @property
    def shown(self) -> tuple[Difference, ...]:
        """The differences shown as chips; with a preset only selections, since the preset implies its settings."""
        return tuple(change for change in self.differences if self.preset is None or change.name in SELECTIONS)

    @property
    def sentence(self) -> str:
        """The preset, or the changes to the project's preset, in words."""
        if self.preset:
            return f"Preset: {self.preset.label}{', the project default' if self.preset == self.own else ''}."
        changed = ", ".join(change.words for change in self.differences if change.name not in SELECTIONS)
        return f"Custom: {self.own.label}, but for {changed}."


def read_settings(request: AnalysisRequest) -> Settings:
    """Return the settings of the request's page; the project's preset has priority over other matching presets."""
    parameters, answers = request.parameters, request.extract
    own = default_preset(request.project.preset, answers.answers)
    names = relevant_settings(answers.kind, parameters)
    selections = [name for name in SELECTIONS if getattr(parameters, name)]
    facts = {name: _in_words(request, name) for name in (*names, *selections)}

    def differing(preset: Preset) -> dict[str, str]:
        """Return the settings that differ from the preset, with the preset's values."""
        units = parameters.units and (preset.parameters.units or "words")
        theirs = resolve_choices(preset.parameters, answers.kind, units, answers.unmarked)
        return {name: getattr(theirs, name) for name in names if getattr(parameters, name) != getattr(theirs, name)}

    values = differing(own) | dict.fromkeys(selections, "")
    differences = tuple(
        Difference(name, ": ".join(facts[name]), _address_without(request, name, value))
        for name, value in values.items()
    )
    preset = next((preset for preset in (own, *presets_for(answers.answers)) if not differing(preset)), None)
    return Settings(preset, own, differences, facts)


def describe_unanswered(answers: ProjectAnswers, parameters: Parameters) -> str:
    """Return the numbers of judgements not asked the question, and without an answer to it, in words."""
    unasked, unanswered = count_unanswered(answers, parameters)
    counted = "" if parameters.unasked == "missing" else ", which is a value"
    parts = [f"not asked of {pluralize(unasked, 'judgement')}{counted}"] if unasked else []
    parts += [f"{pluralize(unanswered, 'judgement')} without an answer"] if unanswered else []
    return "; ".join(parts)


def name_terms(question: Question | None) -> str:
    """Return the plural noun for the values of a question."""
    if question is None:
        return "categories"
    return "labels" if question.kind == "labels" else "values"


def _in_words(request: AnalysisRequest, name: str) -> tuple[str, str]:
    extract, value = request.extract, getattr(request.parameters, name)
    label, _ = field_texts(name, pyramids=bool(extract.units))
    if name not in SELECTIONS:
        return label, choice_label(name, value)
    labels: dict[str, Mapping[str, str]] = {
        "without": extract.labels,
        "texts": {text.slug: text.title for text in extract.texts} if name == "texts" else {},
        "include": {MODELS: BY_MODELS, **CODINGS_LEFT_OUT},
    }
    chosen = [labels.get(name, {}).get(key, key) for key in sorted(request.parameters.selection(name))]
    more = f" and {len(chosen) - MAX_NAMES} more" if len(chosen) > MAX_NAMES else ""
    return label, ", ".join(chosen[:MAX_NAMES]) + more


def _address_without(request: AnalysisRequest, name: str, value: str) -> str:
    """Return the URL with one parameter reset to `value`; parameters that become invalid are reset to the preset's."""
    changed, answers = replace(request.parameters, **{name: value}), request.project_answers
    # coders, negative numbers or many readings in the answers may exclude a setting
    for_two, distance, readings = COEFFICIENTS[changed.coefficient].for_two, changed.distance, changed.readings
    if name == "units" or (name == VERSIONS and (for_two or distance == "ratio" or readings == "matched")):
        answers = read_asked(request.project, changed)
    own = default_preset(request.project.preset, request.extract.answers).parameters
    for _ in SETTINGS:
        try:
            resolve(answers, changed)
        except InvalidParameter as error:
            changed = replace(changed, **{error.field: getattr(own, error.field)})
        else:
            break
    return f"?{urlencode(changed.query() | request.options)}"


def label_model(name: str) -> str:
    """Return the name of a model, marked as a model."""
    return f"{name} (model)"


def label_coder(name: str, models: Collection[str]) -> str:
    """Return the name of a coder; a model is marked as a model."""
    return label_model(name) if name in models else name
