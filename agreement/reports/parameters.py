"""The parameters of agreement: coefficients, choices, their names and the conventions of papers."""

import re
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from agreement import measures
from agreement.data.project_answers import IS_GOLD, REASONS_LEFT_OUT
from agreement.measures import options

CONVENTIONS = ("exclude_unit", "empty", "thirds")


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient: its function, its options and its limits."""

    compute: Callable[..., measures.Result]
    options: tuple[str, ...] = ("missing",)  # parameters that it takes in addition to the data
    for_two: bool = False  # whether it is defined for two coders only
    of_labels: bool = False  # whether it takes categories, or immediate antecedents as alternatives, but no chains


WEIGHTED = ("distance", "empty", "thirds", "missing")
COEFFICIENTS = {
    "alpha": Coefficient(measures.alpha, ("distance", *CONVENTIONS)),
    "fleiss_kappa": Coefficient(measures.fleiss_kappa),
    "multi_kappa": Coefficient(measures.multi_kappa),
    "gwet_ac1": Coefficient(measures.gwet_ac1),
    "beta": Coefficient(measures.beta, WEIGHTED),
    "scott_pi": Coefficient(measures.scott_pi, for_two=True),
    "cohen_kappa": Coefficient(measures.cohen_kappa, for_two=True),
    # for two coders, beta is the weighted kappa with weights of 1 - distance
    "weighted_kappa": Coefficient(measures.beta, WEIGHTED, for_two=True),
    "bennett_s": Coefficient(measures.bennett_s),
    "augmented_kappa": Coefficient(measures.augmented_kappa, of_labels=True),
}

# The distances between two values, by the kind of values.
DISTANCES_OF = {"categories": ("nominal",), "numbers": ("nominal", *options.ORDERED_DISTANCES)}
# The settings that only questions have.
OF_QUESTIONS = ("unasked", "primary_weight")
# The question whose answers are compared; empty: the category, with its chains.
QUESTION = "question"
# The selection of judgements by the scheme version under which they were last given: numbers from 1.
VERSIONS = "versions"
# Selections of the data, as comma-separated names; empty: all data, with the codings that count by default.
SELECTIONS = ("coders", "texts", "rounds", "without", "include", VERSIONS)
# The name in `include` for the codings of models, which are otherwise not read.
MODELS = "models"
GOLD_IS_NO_CODING = (
    "gold is no coder’s coding: the page Gold compares coders with it; adjudicators counts what adjudicators coded."
)
# Coders by group: comma-separated names of groups, whose members are added to `coders`.
GROUPS = "groups"


@dataclass(frozen=True, slots=True)
class Setting:
    """The wording of a setting or selection, from `settings.toml`."""

    label: str
    sentence: str
    help: str = ""
    of_pyramids: Sequence[str] = ()
    choices: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    methods: Mapping[str, str] = field(default_factory=dict)


def load_words(name: str) -> dict[str, Any]:
    """Return the content of a TOML file in the folder of this module, by name."""
    return tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8"))


SETTINGS = {name: Setting(**words) for name, words in load_words("settings").items()}
CHOICES = {name: tuple(setting.choices) for name, setting in SETTINGS.items() if setting.choices}
CHOICES["missing"] = options.MISSING_RULES  # pages list them in another order
# The help texts of API and command.
HELP = {name: setting.help or setting.sentence for name, setting in SETTINGS.items()}
COEFFICIENT_LABELS = SETTINGS["coefficient"].choices
HELP["coefficient"] = f"{'; '.join(map(': '.join, COEFFICIENT_LABELS.items()))}. {HELP['coefficient']}"
NAMES = (*CHOICES, QUESTION, *SELECTIONS)


class InvalidParameter(ValueError):
    """An unknown parameter or an invalid value; `field` is the name of the parameter."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message


def check_choice(field: str, value: str, choices: Collection[str]) -> None:
    """Raise InvalidParameter for a value that is not one of the choices."""
    if value not in choices:
        raise InvalidParameter(field, f"{value!r} is not one of {', '.join(choices)}.")


def split_names(value: str) -> list[str]:
    """Return the names in a comma-separated text."""
    return [name for part in value.split(",") if (name := part.strip())]


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of a computation: a choice for each setting of CHOICES, the question, and SELECTIONS of data."""

    coefficient: str = "alpha"
    distance: str = "nominal"
    chains: str = "full"
    top: str = "category"
    readings: str = "union"
    exclude_unit: str = "none"
    empty: str = "subset"
    thirds: str = "exact"
    missing: str = "available"
    unmarked: str = ""  # empty: the setting of the project
    units: str = ""  # empty: words, in pyramid projects
    unasked: str = "missing"
    primary_weight: str = "0.5"
    question: str = ""
    coders: str = ""  # comma-separated names, as in each selection; empty: all
    texts: str = ""
    rounds: str = ""
    without: str = ""
    include: str = ""
    versions: str = ""

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            if getattr(self, name) or name not in ("unmarked", "units"):  # these may be left to the project
                check_choice(name, getattr(self, name), choices)
        for name in SELECTIONS:  # sorted, so that equal selections have equal URLs
            object.__setattr__(self, name, ",".join(sorted(self.selection(name))))
        if IS_GOLD in self.selection("include"):
            raise InvalidParameter("include", GOLD_IS_NO_CODING)
        for name in sorted(self.selection("include")):
            check_choice("include", name, (MODELS, *REASONS_LEFT_OUT))
        for name in sorted(self.selection(VERSIONS)):
            if not re.fullmatch("[1-9][0-9]{0,8}", name):
                raise InvalidParameter(VERSIONS, f"{name!r} is not the number of a version of the scheme.")

    def selection(self, name: str) -> frozenset[str]:
        """Return the names in one of SELECTIONS; an empty set means all."""
        return frozenset(split_names(getattr(self, name)))

    @property
    def scheme_versions(self) -> frozenset[int]:
        """The versions of the scheme whose judgements count; empty: all."""
        return frozenset(map(int, self.selection(VERSIONS)))

    @property
    def is_alpha(self) -> bool:
        return self.coefficient == "alpha"

    @property
    def takes_distance(self) -> bool:
        """Whether the coefficient takes distances between values, and is therefore computed from disagreements."""
        return "distance" in COEFFICIENTS[self.coefficient].options

    def with_convention(self, convention: "Parameters") -> "Parameters":
        """Return the settings of the convention, with the question and selections of these parameters."""
        return replace(convention, **{name: getattr(self, name) for name in (QUESTION, "unasked", *SELECTIONS)})

    def query(self) -> dict[str, str]:
        """Return all parameters as text, for a URL or a response; settings of questions only if there is a question."""
        left_out = () if self.question else OF_QUESTIONS
        return {name: value for name, value in asdict(self).items() if value and name not in left_out}


@dataclass(frozen=True, slots=True)
class Preset:
    """The convention of a paper, from `presets.toml`."""

    key: str
    label: str
    answers: Sequence[str]
    parameters: Parameters
    published: str = ""
    where: str = ""


PRESETS = {
    key: Preset(key, **(about | {"parameters": Parameters(**about["parameters"])}))
    for key, about in load_words("presets").items()
}


def distances_for(kind: str) -> tuple[str, ...]:
    """Return the distances between two values of this kind (`ProjectAnswers.kind`)."""
    return DISTANCES_OF.get(kind, options.SET_DISTANCES)


def presets_for(answers: str) -> list[Preset]:
    """Return the conventions that fit this kind of answers (`ProjectAnswers.answers`)."""
    return [preset for preset in PRESETS.values() if answers in preset.answers]


def default_preset(preset: str, answers: str) -> Preset:
    """Return the default preset of a project's pages: its own preset, or the first that fits."""
    fitting = presets_for(answers)
    first = "alpha-nominal" if answers == "values" else fitting[0].key
    return next((found for name in (preset, first) for found in fitting if found.key == name), fitting[0])


def parse_parameters(query: Mapping[str, str], preset: str, answers: str) -> Parameters:
    """Return the parameters of a query: a convention with the query's own values. Raises InvalidParameter."""
    values = {name: value for name, value in query.items() if value != ""}
    preset_name = values.pop("preset", None)
    if preset_name is not None:
        check_choice("preset", preset_name, PRESETS)
    for name in values:
        if name not in NAMES:
            available = ", ".join(("preset", *NAMES))
            raise InvalidParameter(name.replace("\x00", ""), f"unknown parameter; available: {available}.")
    if "distance" in values:  # without a coefficient it implies alpha, whatever the convention's coefficient
        values.setdefault("coefficient", "alpha")
    convention = PRESETS[preset_name].parameters if preset_name else default_preset(preset, answers).parameters
    return replace(convention, **values)
