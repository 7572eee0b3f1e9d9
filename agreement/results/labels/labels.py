"""What the choices are called on pages, with the names of their values, and addresses that several tables lead to."""

from urllib.parse import urlencode

from django.urls import reverse

from agreement.data.documents import Document
from agreement.reports.coefficients import COEFFICIENTS
from agreement.reports.overall.overall import DISTANCE_NAMES
from agreement.reports.request.parameters import PRIMARY_WEIGHTS

# What each control is called, and the short sentence below it.
FIELDS = {
    "preset": ("Preset", "A paper’s convention sets all of them at once."),
    "coefficient": (
        "Coefficient",
        "Alpha, beta and weighted kappa use the distance; to the others, values are equal or not.",
    ),
    "distance": ("Distance", "How far two values are apart."),
    "chains": ("Value of an item", "What is compared: the antecedents, the chain so far, or the whole chain."),
    "top": ("Chain-initial markable", "The value of the first member of a chain."),
    "readings": ("Ambiguous items", "The value of an item with several readings."),
    "exclude_unit": ("Exclude the item from its own set", "Whether an item counts as a member of its own set."),
    "empty": ("Empty set counts as", "How far the empty set is from others."),
    "thirds": ("Passonneau weights", "Rounded as printed in 2004."),
    "missing": ("Items with missing coders (kappa)", "Items that not all coders judged."),
    "unmarked": ("Unannotated markables", "The value of a markable that a coder left out of a submitted text."),
    "units": ("Units", "Each word of the summaries, or each contributor as somebody marked it."),
    "unasked": ("Not asked", "Judgements of which the question was not asked."),
    "primary_weight": ("Weight of a first choice", "Where a second choice was given, it has the rest."),
    "question": ("Question", "Whose answers are compared."),
    "coders": ("Coders", "Only these coders."),
    "texts": ("Texts", "Only these texts."),
    "rounds": ("Rounds", "Only texts of these rounds."),
    "without": (
        "Exclude markables that are mostly",
        "Left out: what most of the coders who gave it a category put in one of these.",
    ),
    "include": ("Also count codings", "Besides those that coders submitted."),
    "versions": ("Versions of the scheme", "Only judgements last given under these; those of others are missing."),
}
FIELD_HELP = {name: words for name, (_, words) in FIELDS.items()}
CHOICE_LABELS = {
    "coefficient": {key: coefficient.label for key, coefficient in COEFFICIENTS.items()},
    "distance": DISTANCE_NAMES,
    "chains": {"none": "antecedent", "partial": "preceding chain", "full": "full chain"},
    "top": {"category": "category (-top)", "chain": "chain (+top)"},
    "readings": {"union": "union of their readings", "matched": "readings, matched"},
    "exclude_unit": {"none": "no", "observed": "observed only", "both": "observed and expected"},
    "empty": {"subset": "subset of all sets", "disjoint": "disjoint from all sets"},
    "thirds": {"exact": "exact (1/3, 2/3)", "rounded": "rounded (.33, .67)"},
    "missing": {"available": "use available pairs", "drop": "drop the item"},
    "unmarked": {"singleton": "singleton", "label": "own label", "missing": "missing"},
    "units": {"words": "words", "spans": "contributors"},
    "unasked": {"missing": "left out", "label": "a value of its own"},
    "primary_weight": {one: one for one in PRIMARY_WEIGHTS},
}
HELP_FOR_NAMES = "Names with commas between."
# Coreference scores.
SCORE_LABELS = {
    "muc": "MUC",
    "b_cubed": "B-cubed",
    "ceaf_m": "CEAF of mentions",
    "ceaf_e": "CEAF of entities",
    "lea": "LEA",
    "blanc": "BLANC",
    "conll_average": "CoNLL average",
}
# What is called otherwise where pyramids are compared.
PYRAMID_FIELDS = {
    "unmarked": ("Words in no SCU", "The value of a word that is in no SCU of a submitted pyramid."),
    "texts": ("Docsets", "Only these docsets."),
}
# How the values of two coders are related. The key is that of addresses and the API, and the term of the literature.
RELATION_LABELS = {
    "identity": "identical",
    "subsumption": "subset",
    "intersection": "overlap",
    "disjunction": "disjoint",
    "category": "different category",
}


def field_label(name: str, *, pyramids: bool = False) -> str:
    """Return a parameter as the controls call it; `pyramids`: where pyramids are compared."""
    return (FIELDS | PYRAMID_FIELDS if pyramids else FIELDS)[name][0]


def field_help(name: str, *, pyramids: bool = False) -> str:
    """Return the sentence below a control."""
    return (FIELDS | PYRAMID_FIELDS if pyramids else FIELDS)[name][1]


def choice_label(name: str, choice: str) -> str:
    """Return a choice as the controls call it."""
    return CHOICE_LABELS.get(name, {}).get(choice, choice.replace(",", ", "))


def item_address(project: str, text: Document, key: str, query: str) -> str:
    """Return the address of an item, with the round where the text has several documents."""
    of_round = urlencode({"round": text.round}) if text.is_one_of_several else ""
    return f"{reverse('item', args=[project, text.slug, key])}?{'&'.join(filter(None, (query, of_round)))}"


def selection_of(text: Document) -> dict[str, str]:
    """Return the parameters that choose the document: the text, with the round where it has several documents."""
    return {"texts": text.slug} | ({"rounds": text.round} if text.is_one_of_several else {})
