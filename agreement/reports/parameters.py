"""How agreement is to be computed: the coefficients, the choices, their names and the conventions of the papers."""

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
    """How a coefficient is computed."""

    compute: Callable[..., measures.Result]
    options: tuple[str, ...] = ("missing",)  # parameters that it takes besides the data
    for_two: bool = False  # it is of two coders
    of_labels: bool = False  # it takes categories, or immediate antecedents as alternatives, and no chains


WEIGHTED = ("distance", "empty", "thirds", "missing")
COEFFICIENTS = {
    "alpha": Coefficient(measures.alpha, ("distance", *CONVENTIONS)),
    "fleiss_kappa": Coefficient(measures.fleiss_kappa),
    "multi_kappa": Coefficient(measures.multi_kappa),
    "gwet_ac1": Coefficient(measures.gwet_ac1),
    "beta": Coefficient(measures.beta, WEIGHTED),
    "scott_pi": Coefficient(measures.scott_pi, for_two=True),
    "cohen_kappa": Coefficient(measures.cohen_kappa, for_two=True),
    # of two coders beta is the weighted kappa whose weights are 1 less the distance
    "weighted_kappa": Coefficient(measures.beta, WEIGHTED, for_two=True),
    "bennett_s": Coefficient(measures.bennett_s),
    "augmented_kappa": Coefficient(measures.augmented_kappa, of_labels=True),
}

# How far two values can be apart, by how values are made.
DISTANCES_OF = {"categories": ("nominal",), "numbers": ("nominal", *options.ORDERED_DISTANCES)}
# Choices that only answers to a question have.
OF_QUESTIONS = ("unasked", "primary_weight")
# The question whose answers are compared; empty: the category, with its chains.
QUESTION = "question"
# Judgements by the version of the scheme under which they were last given: numbers from 1.
VERSIONS = "versions"
# Choices of the data, as names with commas between; empty: all of them, and of codings those that count by default.
SELECTIONS = ("coders", "texts", "rounds", "without", "include", VERSIONS)
# The codings of models, which are read only where they are included.
MODELS = "models"
GOLD_IS_NO_CODING = (
    "gold is no coder’s coding: the page Gold compares coders with it; adjudicators counts what adjudicators coded."
)
# Coders by their groups: names of groups with commas between, which stand for `coders`.
GROUPS = "groups"


@dataclass(frozen=True, slots=True)
class Setting:
    """The words on a setting or selection, as `settings.toml` has them."""

    label: str
    sentence: str
    help: str = ""
    of_pyramids: Sequence[str] = ()
    choices: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    methods: Mapping[str, str] = field(default_factory=dict)


def load_words(name: str) -> dict[str, Any]:
    """Return what a file in TOML beside this module says of each of its names."""
    return tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8"))


SETTINGS = {name: Setting(**words) for name, words in load_words("settings").items()}
CHOICES = {name: tuple(setting.choices) for name, setting in SETTINGS.items() if setting.choices}
CHOICES["missing"] = options.MISSING_RULES  # pages have them in another order
# What API and command say of each.
HELP = {name: setting.help or setting.sentence for name, setting in SETTINGS.items()}
COEFFICIENT_LABELS = SETTINGS["coefficient"].choices
HELP["coefficient"] = f"{'; '.join(map(': '.join, COEFFICIENT_LABELS.items()))}. {HELP['coefficient']}"
NAMES = (*CHOICES, QUESTION, *SELECTIONS)


class InvalidParameter(ValueError):
    """A parameter that is unknown or has a value that it cannot have; `field` is its name."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message


def check_choice(field: str, value: str, choices: Collection[str]) -> None:
    """Raise InvalidParameter for a value that is none of the choices."""
    if value not in choices:
        raise InvalidParameter(field, f"{value!r} is not one of {', '.join(choices)}.")


def split_names(value: str) -> list[str]:
    """Return names that have commas between them."""
    return [name for part in value.split(",") if (name := part.strip())]


@dataclass(frozen=True, slots=True)
class Parameters:
    """One way to compute agreement: one of CHOICES in each field of theirs, and SELECTIONS of the data."""

    coefficient: str = "alpha"
    distance: str = "nominal"
    chains: str = "full"
    top: str = "category"
    readings: str = "union"
    exclude_unit: str = "none"
    empty: str = "subset"
    thirds: str = "exact"
    missing: str = "available"
    unmarked: str = ""  # the project's own
    units: str = ""  # words, where there are pyramids
    unasked: str = "missing"
    primary_weight: str = "0.5"
    question: str = ""
    coders: str = ""  # names with commas between, as of each selection; empty: all
    texts: str = ""
    rounds: str = ""
    without: str = ""
    include: str = ""
    versions: str = ""

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            if getattr(self, name) or name not in ("unmarked", "units"):  # which may be left to the project
                check_choice(name, getattr(self, name), choices)
        for name in SELECTIONS:  # in one order, so that equal selections have equal addresses
            object.__setattr__(self, name, ",".join(sorted(self.selection(name))))
        if IS_GOLD in self.selection("include"):
            raise InvalidParameter("include", GOLD_IS_NO_CODING)
        for name in sorted(self.selection("include")):
            check_choice("include", name, (MODELS, *REASONS_LEFT_OUT))
        for name in sorted(self.selection(VERSIONS)):
            if not re.fullmatch("[1-9][0-9]{0,8}", name):
                raise InvalidParameter(VERSIONS, f"{name!r} is not the number of a version of the scheme.")

    def selection(self, name: str) -> frozenset[str]:
        """Return the names in one of SELECTIONS; none at all stands for all."""
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
        """Whether the coefficient takes values to be apart in part; it then is made of disagreements."""
        return "distance" in COEFFICIENTS[self.coefficient].options

    def with_convention(self, convention: "Parameters") -> "Parameters":
        """Return the convention's way to compute, of the data that these parameters select."""
        return replace(convention, **{name: getattr(self, name) for name in (QUESTION, "unasked", *SELECTIONS)})

    def query(self) -> dict[str, str]:
        """Return all parameters as text, for an address or answer; those of questions stand with a question alone."""
        left_out = () if self.question else OF_QUESTIONS
        return {name: value for name, value in asdict(self).items() if value and name not in left_out}


@dataclass(frozen=True, slots=True)
class Preset:
    """A paper's convention, as `presets.toml` has it."""

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
    """Return the distances between two values that are made in this way, as in `ProjectAnswers`."""
    return DISTANCES_OF.get(kind, options.SET_DISTANCES)


def presets_for(answers: str) -> list[Preset]:
    """Return the conventions that make sense for that kind of answers, as in `ProjectAnswers`."""
    return [preset for preset in PRESETS.values() if answers in preset.answers]


def default_preset(preset: str, answers: str) -> Preset:
    """Return the preset that a project's pages open with: its own, or the first that fits."""
    fitting = presets_for(answers)
    first = "alpha-nominal" if answers == "values" else fitting[0].key
    return next((found for name in (preset, first) for found in fitting if found.key == name), fitting[0])


def parse_parameters(query: Mapping[str, str], preset: str, answers: str) -> Parameters:
    """Return the parameters of a query: a convention, and what it names instead. Raises InvalidParameter."""
    values = {name: value for name, value in query.items() if value != ""}
    preset_name = values.pop("preset", None)
    if preset_name is not None:
        check_choice("preset", preset_name, PRESETS)
    for name in values:
        if name not in NAMES:
            available = ", ".join(("preset", *NAMES))
            raise InvalidParameter(name.replace("\x00", ""), f"unknown parameter; available: {available}.")
    if "distance" in values:  # alone it asks for alpha, whatever the convention's coefficient
        values.setdefault("coefficient", "alpha")
    convention = PRESETS[preset_name].parameters if preset_name else default_preset(preset, answers).parameters
    return replace(convention, **values)
