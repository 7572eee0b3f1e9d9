"""What the choices are called on pages, with the names of their values, and addresses that several tables lead to."""

from urllib.parse import urlencode

from django.urls import reverse

from agreement.data.documents import Document
from agreement.reports.coefficients import COEFFICIENTS
from agreement.reports.overall.overall import DISTANCE_NAMES
from agreement.reports.request.parameters import PRIMARY_WEIGHTS

FIELD_LABELS = {
    "coefficient": "Coefficient",
    "distance": "Distance",
    "chains": "Value of an item",
    "top": "Chain-initial markable",
    "readings": "Ambiguous items",
    "exclude_unit": "Exclude the item from its own set",
    "empty": "Empty set counts as",
    "thirds": "Passonneau weights",
    "missing": "Items with missing coders (kappa)",
    "unmarked": "Unannotated markables",
    "units": "Units",
    "unasked": "Not asked",
    "primary_weight": "Weight of a first choice",
    "question": "Question",
    "coders": "Coders",
    "texts": "Texts",
    "rounds": "Rounds",
    "without": "Exclude markables that are mostly",
    "include": "Also count codings",
    "versions": "Versions of the scheme",
}
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
# One short sentence below each control.
FIELD_HELP = {
    "preset": "A paper’s convention sets all of them at once.",
    "coefficient": "Alpha, beta and weighted kappa use the distance; to the others, values are equal or not.",
    "distance": "How far two values are apart.",
    "chains": "What is compared: the antecedents, the chain so far, or the whole chain.",
    "top": "The value of the first member of a chain.",
    "readings": "The value of an item with several readings.",
    "exclude_unit": "Whether an item counts as a member of its own set.",
    "empty": "How far the empty set is from others.",
    "thirds": "Rounded as printed in 2004.",
    "missing": "Items that not all coders judged.",
    "unmarked": "The value of a markable that a coder left out of a submitted text.",
    "unasked": "Judgements of which the question was not asked.",
    "primary_weight": "Where a second choice was given, it has the rest.",
    "question": "Whose answers are compared.",
    "units": "Each word of the summaries, or each contributor as somebody marked it.",
    "coders": "Only these coders.",
    "texts": "Only these texts.",
    "rounds": "Only texts of these rounds.",
    "without": "Left out: what most of the coders who gave it a category put in one of these.",
    "include": "Besides those that coders submitted.",
    "versions": "Only judgements last given under these; those of others are missing.",
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
PYRAMID_FIELD_LABELS = {"unmarked": "Words in no SCU", "texts": "Docsets"}
PYRAMID_FIELD_HELP = {
    "unmarked": "The value of a word that is in no SCU of a submitted pyramid.",
    "texts": "Only these docsets.",
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
    return (PYRAMID_FIELD_LABELS if pyramids else {}).get(name, FIELD_LABELS[name])


def field_help(name: str, *, pyramids: bool = False) -> str:
    """Return the sentence below a control."""
    return (PYRAMID_FIELD_HELP if pyramids else {}).get(name, FIELD_HELP[name])


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
