"""How agreement is to be computed: the coefficients, the choices, their names and the conventions of the papers."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, replace

from agreement import measures
from agreement.data.project_answers import IS_GOLD, REASONS_LEFT_OUT
from agreement.measures import options
from agreement.measures.data.answers import MODES, READINGS, TOPS, UNMARKED

CONVENTIONS = ("exclude_unit", "empty", "thirds")


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient: `label` in the controls, `name` above a figure, `cited_as` in a methods text, if otherwise.

    `options` are the parameters that it takes besides the data. `for_two`: it is of two coders. `of_labels`: it takes
    categories, or immediate antecedents as alternatives, and no chains.
    """

    compute: Callable[..., measures.Result]
    label: str
    name: str
    cited_as: str = ""
    options: tuple[str, ...] = ("missing",)
    for_two: bool = False
    of_labels: bool = False


WEIGHTED = ("distance", "empty", "thirds", "missing")
COEFFICIENTS = {
    "alpha": Coefficient(
        measures.alpha, "Krippendorff's alpha", "Krippendorff’s alpha", options=("distance", *CONVENTIONS)
    ),
    "fleiss_kappa": Coefficient(
        measures.fleiss_kappa, "K (Siegel & Castellan)", "K of Siegel & Castellan", "Siegel and Castellan’s K"
    ),
    "multi_kappa": Coefficient(
        measures.multi_kappa,
        "multi-kappa (Davies & Fleiss)",
        "Multi-kappa of Davies & Fleiss",
        "the multi-rater kappa of Davies and Fleiss",
    ),
    "gwet_ac1": Coefficient(measures.gwet_ac1, "AC1 (Gwet)", "Gwet’s AC1"),
    "beta": Coefficient(
        measures.beta,
        "beta (Artstein & Poesio)",
        "Beta of Artstein & Poesio",
        "Artstein and Poesio’s beta, a weighted kappa of several coders",
        WEIGHTED,
    ),
    "scott_pi": Coefficient(measures.scott_pi, "pi of two coders (Scott)", "Scott’s pi", for_two=True),
    "cohen_kappa": Coefficient(measures.cohen_kappa, "kappa of two coders (Cohen)", "Cohen’s kappa", for_two=True),
    # of two coders beta is the weighted kappa whose weights are 1 less the distance
    "weighted_kappa": Coefficient(
        measures.beta, "weighted kappa of two coders (Cohen)", "Cohen’s weighted kappa", options=WEIGHTED, for_two=True
    ),
    "bennett_s": Coefficient(
        measures.bennett_s,
        "S (Bennett, Alpert & Goldstein)",
        "S of Bennett, Alpert & Goldstein",
        "the S of Bennett, Alpert and Goldstein, of the values in use",
    ),
    "augmented_kappa": Coefficient(
        measures.augmented_kappa,
        "augmented kappa (Rosenberg & Binkowski)",
        "Augmented kappa of Rosenberg & Binkowski",
        "Rosenberg and Binkowski’s augmented kappa, in which alternatives share a judgement’s vote",
        of_labels=True,
    ),
}

# What is counted of a pyramid: its words, or the stretches that coders made contributors.
UNITS = ("words", "spans")
# The weight of a first choice beside a second one.
PRIMARY_WEIGHTS = ("0.5", "0.6", "0.7", "0.8", "0.9", "1")
# How far two values can be apart, by how values are made.
DISTANCES_OF = {"categories": ("nominal",), "numbers": ("nominal", *options.ORDERED_DISTANCES)}
CHOICES: dict[str, tuple[str, ...]] = {
    "coefficient": tuple(COEFFICIENTS),
    "distance": options.DISTANCES,
    "chains": tuple(reversed(MODES)),
    "top": TOPS,
    "readings": READINGS,
    "exclude_unit": options.EXCLUDE_UNIT,
    "empty": options.EMPTY,
    "thirds": options.THIRDS,
    "missing": options.MISSING_RULES,
    "unmarked": UNMARKED,
    "units": UNITS,
    "unasked": ("missing", "label"),
    "primary_weight": PRIMARY_WEIGHTS,
}
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
HELP = {
    "coefficient": "; ".join(f"{key}: {one.label}" for key, one in COEFFICIENTS.items())
    + ". Alpha, beta and weighted kappa use the distance; to the others, values are equal or not.",
    "distance": "How far two values are apart.",
    "chains": "What a pointer scheme compares: immediate antecedents, the chain so far, or the whole chain.",
    "top": "What the first member of a chain has as its value: its category, or the chain.",
    "readings": "What an ambiguous unit has as its value: the union of its readings, or all of them, matched in pairs.",
    "exclude_unit": "Take the unit out of its own sets: never, in observed disagreement, or in expected too.",
    "empty": "The empty set is a subset of every set, or disjoint from all.",
    "thirds": "1/3 and 2/3 exactly, or .33 and .67 as printed in 2004.",
    "missing": "K of units that not all coders judged: use what there is (Gwet 2014), or drop them.",
    "unmarked": "What it means that a coder left a markable out of a submitted text.",
    "units": "What is counted of a pyramid: each word of the summaries, or each contributor as somebody marked it.",
    "unasked": "What it means that a question was not asked of a judgement: nothing, or a value of its own.",
    "primary_weight": "Augmented kappa: the weight of a first choice, where a second one was given.",
    "question": "The attribute or relation whose answers are compared, by its key; none: the category with its chains.",
    "coders": "Only these coders: names with commas between.",
    "groups": "Only coders of these groups, with commas between, and those that coders names.",
    "texts": "Only these texts: their addresses with commas between.",
    "rounds": "Only texts of these rounds of annotation, with commas between.",
    "without": "Leave out the markables that most coders give one of these categories, with commas between.",
    "include": "Count codings besides those submitted by coders: models (no people), adjudicators (who have"
    " seen the work of others), practice, repeats, open (not submitted), with commas between.",
    "versions": "Only judgements last given under these versions of the scheme, by number, with commas between; others"
    " are missing.",
}
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
    """One way to compute agreement: one of CHOICES in each field of theirs, and SELECTIONS of the data.

    `unmarked` is empty for the project's own and `units` for words, where there are pyramids; a selection is names with
    commas between, or empty for all.
    """

    coefficient: str = "alpha"
    distance: str = "nominal"
    chains: str = "full"
    top: str = "category"
    readings: str = "union"
    exclude_unit: str = "none"
    empty: str = "subset"
    thirds: str = "exact"
    missing: str = "available"
    unmarked: str = ""
    units: str = ""
    unasked: str = "missing"
    primary_weight: str = "0.5"
    question: str = ""
    coders: str = ""
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
    """A paper's convention. `published` is what the paper prints for its own data, `where` says for which."""

    key: str
    label: str
    answers: tuple[str, ...]
    parameters: Parameters
    published: str = ""
    where: str = ""


PASSONNEAU_2004 = Parameters(distance="passonneau", exclude_unit="both", thirds="rounded")
MASI_2006 = Parameters(distance="masi-product", exclude_unit="observed", thirds="rounded")
MASI_OF_WORDS, MASI_OF_SPANS = (replace(MASI_2006, units=units) for units in UNITS)
NOMINAL_OF_WORDS = Parameters(exclude_unit="observed", units="words")
JACCARD_OF_WORDS, JACCARD_OF_SPANS = (replace(NOMINAL_OF_WORDS, distance="jaccard", units=units) for units in UNITS)
POESIO_ARTSTEIN = Parameters(distance="passonneau", chains="full", top="category")
EXCLUSIVE = replace(POESIO_ARTSTEIN, top="chain", exclude_unit="observed")
ANTECEDENTS = replace(POESIO_ARTSTEIN, chains="none")
K_OF_ANTECEDENTS = Parameters(coefficient="fleiss_kappa", chains="none")
SPANS, DOCSET, DIALOGUE = "Table 1, spans", "Table 2, docset 31038", "first half of dialogue 3.2"

# By preset the figure that the paper prints for its own data, and for which.
PUBLISHED = {
    "passonneau-2004": (".74", "Table 2"),
    "passonneau-2004-nominal": (".45", "Table 2"),
    "passonneau-2006": (".14", SPANS),
    "passonneau-2006-words": (".71", DOCSET),
    "passonneau-2006-jaccard": (".40", DOCSET),
    "passonneau-2006-nominal": (".09", DOCSET),
    "passonneau-2006-spans": (".14", SPANS),
    "passonneau-2006-spans-jaccard": ("-.44", SPANS),
    "poesio-artstein-2005": (".65380", f"Table 4, {DIALOGUE}"),
    "poesio-artstein-2005-exclusive": (".57440", f"Table 4, {DIALOGUE}"),
    "poesio-artstein-2005-antecedents": (".65615", f"Table 3, {DIALOGUE}"),
    "poesio-artstein-2005-k": (".62773", f"Table 3, {DIALOGUE}"),
    "kappa": (".5174", "Strube's slides, ten sortal classes"),
}

PRESETS: dict[str, Preset] = {
    key: Preset(key, label, tuple(answers.split()), parameters, *PUBLISHED.get(key, ()))
    for key, label, answers, parameters in (
        ("passonneau-2004", "Passonneau 2004: four steps, the unit removed", "indices", PASSONNEAU_2004),
        ("passonneau-2004-nominal", "Passonneau 2004: nominal", "indices", Parameters()),
        ("masi", "MASI, whole chains", "indices", Parameters(distance="masi")),
        ("passonneau-2006", "Passonneau 2006: MASI as in her Table 1", "indices", MASI_2006),
        ("passonneau-2006-words", "Passonneau 2006: MASI of words", "scus", MASI_OF_WORDS),
        ("passonneau-2006-jaccard", "Passonneau 2006: Jaccard of words", "scus", JACCARD_OF_WORDS),
        ("passonneau-2006-nominal", "Passonneau 2006: nominal, of words", "scus", NOMINAL_OF_WORDS),
        ("passonneau-2006-spans", "Passonneau 2006: MASI of spans", "scus", MASI_OF_SPANS),
        ("passonneau-2006-spans-jaccard", "Passonneau 2006: Jaccard of spans", "scus", JACCARD_OF_SPANS),
        ("masi-words", "MASI of words, inclusive", "scus", Parameters(distance="masi", units="words")),
        ("poesio-artstein-2005", "Poesio & Artstein 2005: whole chain, inclusive, -top", "pointers", POESIO_ARTSTEIN),
        (
            "poesio-artstein-2005-exclusive",
            "Poesio & Artstein 2005: whole chain, exclusive, +top",
            "pointers",
            EXCLUSIVE,
        ),
        ("poesio-artstein-2005-antecedents", "Poesio & Artstein 2005: antecedents only", "pointers", ANTECEDENTS),
        ("poesio-artstein-2005-k", "Poesio & Artstein 2005: K of antecedents", "pointers", K_OF_ANTECEDENTS),
        ("kappa", "K of Siegel & Castellan", "categories values", Parameters(coefficient="fleiss_kappa")),
        ("masi-labels", "MASI of sets of labels", "labels", Parameters(distance="masi")),
        ("jaccard-labels", "Jaccard of sets of labels", "labels", Parameters(distance="jaccard")),
        ("interval", "Krippendorff's alpha, interval", "numbers", Parameters(distance="interval")),
        ("ordinal", "Krippendorff's alpha, ordinal", "numbers", Parameters(distance="ordinal")),
        ("targets", "Targets of a relation, Passonneau's distance", "targets", ANTECEDENTS),
        ("targets-k", "K of targets of a relation", "targets", K_OF_ANTECEDENTS),
        ("alpha-nominal", "Krippendorff's alpha, nominal", "categories pointers values labels numbers", Parameters()),
    )
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
    """Return the parameters that an address or a command asks for: a convention, and what the query names instead.

    The convention is that of the preset that the query names, else that of the project's `preset`. A distance alone
    asks for alpha, whatever the convention's coefficient. Raises InvalidParameter.
    """
    values = {name: value for name, value in query.items() if value != ""}
    preset_name = values.pop("preset", None)
    if preset_name is not None:
        check_choice("preset", preset_name, PRESETS)
    for name in values:
        if name not in NAMES:
            raise InvalidParameter(
                name.replace("\x00", ""), f"unknown parameter; available: {', '.join(('preset', *NAMES))}."
            )
    if "distance" in values:
        values.setdefault("coefficient", "alpha")
    convention = PRESETS[preset_name].parameters if preset_name else default_preset(preset, answers).parameters
    return replace(convention, **values)
