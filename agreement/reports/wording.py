"""What units and their values are called: markables and chains, or the words and content units of pyramids."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import partial

from agreement.data.project_answers import ProjectAnswers
from agreement.measures.results import pluralize

# What codings are that do not count, by reason.
CODINGS_LEFT_OUT = {
    "gold": "of gold",
    "adjudicators": "by adjudicators",
    "practice": "for practice",
    "repeats": "that repeat an earlier one",
    "open": "begun and not submitted",
}
BY_MODELS = "by models"
# What gold is that does not count, by reason.
GOLD_LEFT_OUT = {"practice": "in training rounds", "open": "that is not decided", "uncoded": "that no coder has coded"}
# What docsets are of which nothing is compared with an agreed pyramid, by reason.
DOCSETS_LEFT_OUT = {
    "missing": "without an agreed pyramid",
    "practice": "of a training round",
    "open": "whose agreed pyramid is not submitted",
    "uncoded": "of which no coder has a pyramid that counts",
}


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


def _list_reasons(counts: Mapping[str, int], reasons: Mapping[str, str], noun: str, of: str = "") -> str:
    """Return how many of something do not count and why, in words; empty where all count."""
    parts = [f"{of}{pluralize(n, noun)} {words}" for reason, words in reasons.items() if (n := counts.get(reason))]
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


list_codings_left_out = partial(_list_reasons, reasons=CODINGS_LEFT_OUT, noun="coding")
list_gold_left_out = partial(_list_reasons, reasons=GOLD_LEFT_OUT, noun="text", of="gold of ")
list_docsets_left_out = partial(_list_reasons, reasons=DOCSETS_LEFT_OUT, noun="docset")
