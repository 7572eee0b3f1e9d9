"""The reported losses of an export equal the differences after import."""

from collections import defaultdict
from dataclasses import replace
from operator import attrgetter

import pytest
from hypothesis import HealthCheck, assume, given

from annotations.coding.decisions import Decision
from annotations.coding.readings import sort_readings
from annotations.formats import Document, Format, FormatError, Links
from annotations.formats.losses.reduction import reduce_document
from annotations.formats.model.features import Feature
from annotations.formats.model.keys import markable_key
from annotations.formats.model.scheme import SchemeSpec
from annotations.models import Project
from annotations.transfers.importing.checking import ImportScheme, KnownMarkables, check
from annotations.transfers.importing.files.source_document import SourceDocument
from annotations.transfers.importing.schemes.naming import Naming
from tests.annotations.formats.laws.test_laws import WRITTEN, every_written, read_all, written
from tests.shared.cases import examples
from tests.shared.documents import documents

SLOW = examples(20, HealthCheck.too_slow, HealthCheck.filter_too_much)
# What is said of one markable, so that each that loses it is counted once, or once for each question.
OF_QUESTIONS = (Feature.RELATIONS, Feature.ATTRIBUTES)
OF_ANSWERS = (Feature.OPTIONAL, Feature.UNSURE, Feature.NOTES, Feature.NAMES)
OF_MARKABLES = (*OF_QUESTIONS, Feature.UNCODED, Feature.UNLINKED, Feature.HEADS, *OF_ANSWERS)
LOST = [
    (format_, feature) for format_ in WRITTEN for feature in OF_MARKABLES if feature not in format_.supported_features
]


def lenient(spec: SchemeSpec) -> SchemeSpec:
    """Return the scheme without restrictions, to accept all answers of random documents."""
    categories = tuple(
        replace(category, takes_optional=True, allow_later=bool(category.points_to)) for category in spec.categories
    )
    free = [replace(relation, joint=True, later=True, max_targets=None) for relation in spec.relations]
    relations = tuple(
        relation if relation.identity else replace(relation, to_levels=(spec.main_level,)) for relation in free
    )
    return replace(spec, categories=categories, relations=relations)


def answers_of(spec: SchemeSpec) -> str:
    if any(category.takes_index for category in spec.categories):
        return Project.Answers.INDICES
    pointing = any(category.points_to for category in spec.categories)
    return Project.Answers.POINTERS if pointing else Project.Answers.CATEGORIES


def imported(document: Document, spec: SchemeSpec, content: str) -> dict[str, Decision]:
    """Return the imported decisions by markable. Entities are named by their markables."""
    scheme = ImportScheme.from_files(Project(), spec, answers_of(spec))
    categories = scheme.constraints["categories"]
    naming = Naming.from_options({}, {}, scheme.levels, categories, scheme.questions, spec.main_level)
    renamed = naming.rename(replace(document, content=content, without_text=False), scheme.levels)
    checked = check(SourceDocument(renamed, "ann"), scheme, KnownMarkables(), False, naming)
    members = defaultdict(list)
    for decision in checked.decisions:
        for index in decision.indices:
            members[index].append(decision.markable)
    predefined = {key: Decision(key, head=mark.head) for key, mark in checked.predefined.items()}
    return predefined | {
        decision.markable: replace(
            decision,
            indices=tuple(sorted(" ".join(sorted(members[index])) for index in decision.indices)),
            pointers=sort_readings(decision.pointers),
            relations=tuple(sorted((key, sort_readings(readings)) for key, readings in decision.relations)),
        )
        for decision in checked.decisions
    }


def is_taken(format_: Format, document: Document) -> bool:
    """Return whether the scheme of the document accepts the links of the format."""
    return document.links != Links.NONE or Feature.CATEGORIES in format_.supported_features


def exported_and_imported(format_: Format, kept: Document, spec: SchemeSpec) -> dict[str, Decision]:
    found = read_all(format_, written(format_, kept))
    return imported(found[0], spec, kept.content) if found else {}


def differences(before: dict[str, Decision], after: dict[str, Decision], feature: Feature) -> int:
    """Return the number of different answers, counted by question for relations and attributes."""
    if feature in OF_QUESTIONS:
        answers = attrgetter(feature.name.lower())
        return sum(len({*answers(said)} - {*answers(after.get(key, Decision(key)))}) for key, said in before.items())
    return sum(after.get(key) != said for key, said in before.items())


def other_categories(document: Document, spec: SchemeSpec, after: dict[str, Decision]) -> int:
    """Return the number of categories that differ after import."""
    main = spec.main_level
    return sum(
        mark.answer.category != after[markable_key(mark.level or main, mark.parts)].category
        for mark in document.marks
        if mark.answer and mark.answer.category
    )


@pytest.mark.parametrize(("format_", "feature"), LOST, ids=lambda each: getattr(each, "key", each))
@SLOW
@given(document=documents())
def test_losses_of_markables_are_counted(format_, feature, document):
    assume(is_taken(format_, document))
    spec = lenient(document.scheme)
    document = replace(document, scheme=spec)
    before, _ = reduce_document(document, format_.supported_features | {feature})
    kept, losses = reduce_document(before, format_.supported_features)
    try:
        first = imported(before, spec, before.content)
    except FormatError:
        assume(False)
    again = exported_and_imported(format_, kept, spec)
    assert differences(first, again, feature) == sum(loss.count for loss in losses if loss.feature == feature)


@pytest.mark.parametrize(
    "format_",
    [each for each in WRITTEN if Feature.LINKED_CATEGORIES not in each.supported_features],
    ids=lambda format_: format_.key,
)
@SLOW
@given(document=documents())
def test_lost_categories_are_counted(format_, document):
    assume(is_taken(format_, document))
    spec = lenient(document.scheme)
    named = format_.supported_features | {Feature.CATEGORIES, Feature.LINKED_CATEGORIES}
    before, _ = reduce_document(replace(document, scheme=spec), named)
    kept, losses = reduce_document(before, format_.supported_features)
    again = exported_and_imported(format_, kept, spec)
    assert other_categories(before, spec, again) == sum(loss.count for loss in losses)


@every_written
@SLOW
@given(document=documents())
def test_export_without_losses_is_imported_unchanged(format_, document):
    assume(is_taken(format_, document))
    spec = lenient(document.scheme)
    document = replace(document, scheme=spec)
    kept, _ = reduce_document(document, format_.supported_features)
    assert reduce_document(kept, format_.supported_features)[1] == []
    try:
        first = imported(kept, spec, kept.content)
    except FormatError:
        assume(False)
    assert exported_and_imported(format_, kept, spec) == first
