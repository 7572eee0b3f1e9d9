"""The consequences of a scheme: formats that keep its answers, and messages of other applications."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from annotations.formats import FORMATS
from annotations.formats.model.features import Feature
from annotations.formats.model.scheme import SchemeSpec
from annotations.models import Project


@dataclass(frozen=True, slots=True)
class Consequence:
    """A feature under a topic such as measures, whether a scheme allows it, and the reason or a caveat."""

    topic: str
    name: str
    allowed: bool | None  # None: a remark on the scheme, whose name is a sentence
    why: str


# A function of a scheme and its kind of answers (as in Project).
type Source = Callable[[SchemeSpec, str], Sequence[Consequence]]

_sources: list[Source] = []


def register_consequences(source: Source) -> None:
    """Register a source of consequences."""
    if source not in _sources:
        _sources.append(source)


def consequences_of(spec: SchemeSpec, answers: str) -> list[Consequence]:
    """Return the consequences of a scheme: of applications in the order of registration, then of formats."""
    return [consequence for source in (*_sources, formats_kept) for consequence in source(spec, answers)]


TOPIC = "Exports that keep all answers"


def formats_kept(spec: SchemeSpec, answers: str) -> list[Consequence]:
    """Return for each writable format whether it can hold all answers of a scheme, and what it loses."""
    # Losses that depend on coders, such as crossing markables, are listed by each export.
    needed, kept = needed_features(spec, answers), []
    for format_ in FORMATS.values():
        if format_.write is not None and not format_.texts_only:
            lost = "; ".join(feature.value for feature in Feature if feature in needed - format_.supported_features)
            kept.append(Consequence(TOPIC, format_.label, not lost, f"It loses {lost}." if lost else ""))
    return kept


def needed_features(spec: SchemeSpec, answers: str) -> frozenset[Feature]:
    """Return the features that any answers to the questions of a scheme need."""
    identity = [relation for relation in spec.relations if relation.identity and relation.to_levels]
    others = [relation for relation in spec.relations if not relation.identity and relation.to_levels]
    pointing = answers == Project.Answers.POINTERS and bool(identity)
    linked = len(identity) if pointing else sum(category.takes_index for category in spec.categories)
    needed = {
        Feature.LEVELS: len(spec.coded_levels) > 1 or any(set(r.to_levels) - {spec.main_level} for r in identity),
        Feature.RELATIONS: bool(others),
        Feature.ATTRIBUTES: bool(spec.attributes),
        Feature.POINTERS: pointing,
        Feature.PLURAL: pointing and any(relation.joint for relation in identity),
        Feature.AMBIGUITY: pointing and any(relation.max_targets != 1 for relation in identity),
        Feature.LATER: pointing and any(relation.later for relation in identity),
        Feature.SEVERAL_CHAINS: answers == Project.Answers.INDICES,
        Feature.CATEGORIES: len(spec.categories) - linked > 1,
        Feature.LINKED_CATEGORIES: linked > 1,
        Feature.OPTIONAL: any(category.takes_optional for category in spec.categories),
    }
    return frozenset(feature for feature, is_needed in needed.items() if is_needed)
