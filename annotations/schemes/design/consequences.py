"""What follows from a scheme: formats that keep its answers, and what applications above this one have to say."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from annotations.formats import FORMATS
from annotations.formats.model.features import Feature
from annotations.formats.model.scheme import SchemeSpec
from annotations.models import Project


@dataclass(frozen=True, slots=True)
class Consequence:
    """Something that can be had with a scheme or not, under a topic such as measures, and why or what to mind."""

    topic: str
    name: str
    allowed: bool | None  # None: it is to be minded of the scheme itself, and its name is a sentence
    why: str


# A scheme and the kind of its answers (as in Project) to what follows.
type Source = Callable[[SchemeSpec, str], Sequence[Consequence]]

_sources: list[Source] = []


def register_consequences(source: Source) -> None:
    """Add what an application has to say of schemes."""
    if source not in _sources:
        _sources.append(source)


def consequences_of(spec: SchemeSpec, answers: str) -> list[Consequence]:
    """Return what follows from a scheme: what applications say, in the order of their registration, then formats."""
    return [one for source in (*_sources, formats_kept) for one in source(spec, answers)]


TOPIC = "Exports that keep all answers"


def formats_kept(spec: SchemeSpec, answers: str) -> list[Consequence]:
    """Return for each format that is written whether it can hold all answers of a scheme, and what it loses."""
    # What depends on what coders do, such as markables that cross, is named by each export.
    needed, kept = needed_features(spec, answers), []
    for format_ in FORMATS.values():
        if format_.write is not None and not format_.texts_only:
            lost = "; ".join(one.value for one in Feature if one in needed - format_.supported_features)
            kept.append(Consequence(TOPIC, format_.label, not lost, f"It loses {lost}." if lost else ""))
    return kept


def needed_features(spec: SchemeSpec, answers: str) -> frozenset[Feature]:
    """Return the features that any answers to the questions of a scheme need."""
    identity = [one for one in spec.relations if one.identity and one.to_levels]
    others = [one for one in spec.relations if not one.identity and one.to_levels]
    pointing = answers == Project.Answers.POINTERS and bool(identity)
    linked = len(identity) if pointing else sum(one.takes_index for one in spec.categories)
    found = {
        Feature.LEVELS: len(spec.coded_levels) > 1 or any(set(one.to_levels) - {spec.main_level} for one in identity),
        Feature.RELATIONS: bool(others),
        Feature.ATTRIBUTES: bool(spec.attributes),
        Feature.POINTERS: pointing,
        Feature.PLURAL: pointing and any(one.joint for one in identity),
        Feature.AMBIGUITY: pointing and any(one.max_targets != 1 for one in identity),
        Feature.LATER: pointing and any(one.later for one in identity),
        Feature.SEVERAL_CHAINS: answers == Project.Answers.INDICES,
        Feature.CATEGORIES: len(spec.categories) - linked > 1,
        Feature.LINKED_CATEGORIES: linked > 1,
        Feature.OPTIONAL: any(one.takes_optional for one in spec.categories),
    }
    return frozenset(feature for feature, is_needed in found.items() if is_needed)
