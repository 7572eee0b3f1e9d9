"""What people read: units and values, what does not count, choices and the settings of a page, and models as such."""

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
MAX_NAMES = 3  # of a selection that stand on a chip
IN_SIGHT = ("distance",)  # what is in sight besides the chips
# What the values of a question are called, and one of them.
TERMS = {"categories": "category", "values": "value", "labels": "label"}


@dataclass(frozen=True, slots=True)
class Nouns:
    """A unit, and the set that is its value."""

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
    """Return the nouns of what is counted and compared."""
    return NOUNS[extract.units or (extract.kind if extract.kind in NOUNS else "")]


def name_components(extract: ProjectAnswers) -> str:
    """Return what is independent of each other in one text: markables, where there are sets those that share none."""
    nouns = nouns_for(extract)
    of_units = extract.has_chains or extract.kind == "targets"
    return f"{nouns.units} that share no {nouns.chain}" if of_units else nouns.units


def be(count: int) -> str:
    return "is" if count == 1 else "are"


def name_versions(versions: Collection[int]) -> str:
    """Return versions of the scheme in words, in their order."""
    *most, last = map(str, sorted(versions))
    return f"versions {', '.join(most)} and {last}" if most else f"version {last}"


def describe_versions(versions: Collection[int], n_others: int | None) -> str:
    """Return of which versions of the scheme judgements count, and how many of others do not; empty where all do."""
    if n_others is None:
        return ""
    others = f"{pluralize(n_others, 'judgement')} of other versions {be(n_others)} missing"
    return f"Judgements under {name_versions(versions)} of the scheme; {others}."


def describe_models_left_out(n: int) -> str:
    """Return how many codings of models are in no figure; empty where there are none."""
    return f"{pluralize(n, 'coding')} {BY_MODELS} {be(n)} left out of these figures of people." if n else ""


def list_left_out(
    counts: Mapping[str, int], reasons: Mapping[str, str] = CODINGS_LEFT_OUT, noun: str = "coding", of: str = ""
) -> str:
    """Return how many codings, or nouns of something, do not count and why, in words; empty where all count."""
    parts = [f"{of}{pluralize(n, noun)} {words}" for reason, words in reasons.items() if (n := counts.get(reason))]
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def field_texts(name: str, *, pyramids: bool = False) -> tuple[str, str]:
    """Return what a control is called and the sentence below it; `pyramids`: where pyramids are compared."""
    setting = SETTINGS[name]
    label, sentence = setting.of_pyramids if pyramids and setting.of_pyramids else (setting.label, setting.sentence)
    return label, sentence


def choice_label(name: str, choice: str) -> str:
    """Return a choice as the controls call it."""
    return SETTINGS[name].choices.get(choice, choice.replace(",", ", "))


def item_address(project: str, text: Document, key: str, query: str) -> str:
    """Return the address of an item, with the round where the text has several documents."""
    of_round = urlencode({"round": text.round}) if text.is_one_of_several else ""
    return f"{reverse('item', args=[project, text.slug, key])}?{'&'.join(filter(None, (query, of_round)))}"


def selection_of(text: Document) -> dict[str, str]:
    """Return the parameters that choose the document: the text, with the round where it has several documents."""
    return {"texts": text.slug} | ({"rounds": text.round} if text.is_one_of_several else {})


@dataclass(frozen=True, slots=True)
class Difference:
    """A parameter that is not as in the project, in words, and the address of the page without it."""

    name: str
    words: str
    address: str


@dataclass(frozen=True, slots=True)
class Settings:
    """How a page is computed."""

    preset: Preset | None  # None where the settings are those of none
    own: Preset  # that of the project
    differences: tuple[Difference, ...]
    facts: Mapping[str, tuple[str, str]]  # in words: settings that matter, and selections that leave something out

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
    def sentence(self) -> str:
        """The preset, or what was chosen instead of it."""
        if self.preset:
            return f"Preset: {self.preset.label}{', the project default' if self.preset == self.own else ''}."
        changed = ", ".join(one.words for one in self.differences if one.name not in SELECTIONS)
        return f"Custom: {self.own.label}, but for {changed}."


def read_settings(request: AnalysisRequest) -> Settings:
    """Return how the page of the request is computed: by its own preset before others, or by none of them."""
    parameters, answers = request.parameters, request.extract
    own = default_preset(request.project.preset, answers.answers)
    names = relevant_settings(answers.kind, parameters)
    selections = [name for name in SELECTIONS if getattr(parameters, name)]
    facts = {name: _in_words(request, name) for name in (*names, *selections)}

    def differing(preset: Preset) -> dict[str, str]:
        """Return the settings that differ from the preset, with the value that each has there."""
        units = parameters.units and (preset.parameters.units or "words")
        theirs = resolve_choices(preset.parameters, answers.kind, units, answers.unmarked)
        return {name: getattr(theirs, name) for name in names if getattr(parameters, name) != getattr(theirs, name)}

    values = differing(own) | dict.fromkeys(selections, "")
    differences = tuple(
        Difference(name, ": ".join(facts[name]), _address_without(request, name, value))
        for name, value in values.items()
    )
    preset = next((one for one in (own, *presets_for(answers.answers)) if not differing(one)), None)
    return Settings(preset, own, differences, facts)


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
    """Return the address with one parameter as the project has it; what then cannot be is so, too."""
    changed, answers = replace(request.parameters, **{name: value}), request.project_answers
    # by who coded, negative numbers or many readings the answers themselves may exclude a setting
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
    """Return the name of a model with what it is."""
    return f"{name} (model)"


def label_coder(name: str, models: Collection[str]) -> str:
    """Return the name of a coder, of a model with what it is."""
    return label_model(name) if name in models else name
