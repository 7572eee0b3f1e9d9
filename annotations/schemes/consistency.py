"""Checks of schemes: one sentence for each problem, with its question."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from annotations.core.text import is_storable
from annotations.formats.model.scheme import (
    CATEGORY,
    LISTED_KINDS,
    AttributeSpec,
    CategorySpec,
    LevelSpec,
    RelationSpec,
    SchemeSpec,
    Subject,
    ValueSpec,
)

MAX_LEVELS = 50
MAX_CATEGORIES = 500
MAX_RELATIONS = 50
MAX_ATTRIBUTES = 50
MAX_VALUES = 200
# The parts of a scheme, with their plural and their maximum number.
BOUNDS = {
    "level": ("levels", MAX_LEVELS),
    "category": ("categories", MAX_CATEGORIES),
    "relation": ("relations", MAX_RELATIONS),
    "attribute": ("attributes", MAX_ATTRIBUTES),
}
MAX_TARGETS = 32_767
MAX_KEY_LENGTH = 50
MAX_LABEL_LENGTH = 100
MAX_HELP_LENGTH = 1000
KEY = re.compile(rf"[-a-zA-Z0-9_]{{1,{MAX_KEY_LENGTH}}}")
COLOUR = re.compile(r"#[0-9a-f]{6}")

type Labelled = CategorySpec | RelationSpec | AttributeSpec | ValueSpec
type Messages = Iterator[str]  # the problems of one question, each a sentence


@dataclass(frozen=True, slots=True)
class SchemeProblem:
    """A problem of a level, category, relation or attribute, which is named by its kind and key."""

    kind: str
    question: str
    message: str

    def __str__(self) -> str:
        return f"{self.question}: {self.message}"


type Problems = Iterator[SchemeProblem]


def check_scheme(spec: SchemeSpec) -> list[SchemeProblem]:
    """Return the problems of the scheme by question; empty if it can be used."""
    return [*_problems(spec), *find_leftovers(spec)]


def _problems(spec: SchemeSpec) -> Problems:
    yield from _key_problems(spec)
    yield from _bound_problems(spec)
    levels, identity = {level.key for level in spec.levels}, spec.identity_by_category()
    for level in spec.levels:
        yield from _of("level", level, _level_messages(level))
    for category in spec.categories:
        yield from _of("category", category, _category_messages(category, identity.get(category.key, ()), levels))
    for relation in spec.relations:
        yield from _of("relation", relation, _relation_messages(relation, spec, levels))
    for number, attribute in enumerate(spec.attributes):
        yield from _of("attribute", attribute, _attribute_messages(attribute, spec.attributes[:number], spec, levels))
    yield from _circle_problems(spec)


def _of(kind: str, asked: LevelSpec | Labelled, messages: Messages) -> Problems:
    return (SchemeProblem(kind, asked.key, message) for message in messages)


def _key_problems(spec: SchemeSpec) -> Problems:
    """Yield duplicate keys. An identity relation may have the key of its category."""
    for kind, (kinds, _) in BOUNDS.items():
        for key in _doubles(getattr(spec, kinds)):
            yield SchemeProblem(kind, key, f"Another {kind} has the key {key!r}.")
    categories, relations = ({q.key for q in questions} for questions in (spec.categories, spec.relations))
    for asked in _questions(spec):
        if isinstance(asked, RelationSpec) and asked.identity:
            continue  # it may have the key of its category; its other keys are checked elsewhere
        if asked.key == CATEGORY:
            message = f"No relation or attribute can have the key {CATEGORY!r}: it is that of the first question."
            yield SchemeProblem(_kind_of(asked), asked.key, message)
        elif asked.key in categories:
            yield SchemeProblem(_kind_of(asked), asked.key, f"A category has the key {asked.key!r}.")
        elif isinstance(asked, AttributeSpec) and asked.key in relations:
            yield SchemeProblem("attribute", asked.key, f"A relation has the key {asked.key!r}.")


def _doubles(keyed: Iterable[LevelSpec | Labelled]) -> list[str]:
    return [key for key, count in Counter(spec.key for spec in keyed).items() if count > 1]


def _kind_of(question: RelationSpec | AttributeSpec) -> str:
    return "relation" if isinstance(question, RelationSpec) else "attribute"


def _questions(spec: SchemeSpec) -> list[RelationSpec | AttributeSpec]:
    return [*spec.relations, *spec.attributes]


def _bound_problems(spec: SchemeSpec) -> Problems:
    for kind, (kinds, bound) in BOUNDS.items():
        questions = [q for q in getattr(spec, kinds) if not (isinstance(q, RelationSpec) and q.identity)]
        if len(questions) > bound:
            yield SchemeProblem(kind, questions[bound].key, f"A scheme has at most {bound} {kinds}.")


def _level_messages(level: LevelSpec) -> Messages:
    yield from _label_messages(level)
    if level.coders_mark and not level.coded:
        yield "Coders mark only levels that they code."


def _category_messages(category: CategorySpec, relations: Sequence[RelationSpec], levels: Collection[str]) -> Messages:
    yield from _label_messages(category)
    yield from _unknown_levels([category.level] if category.level else [], levels)
    if category.singleton and category.takes_index:
        yield "A category that is a singleton takes no index."
    if len(relations) > 1:
        names = " and ".join(relation.key for relation in relations)
        yield f"One relation at most says identity for a category; {names} do."


def _relation_messages(relation: RelationSpec, spec: SchemeSpec, levels: Collection[str]) -> Messages:
    yield from _label_messages(relation)
    yield from _unknown_levels((*relation.from_levels, *relation.to_levels), levels)
    if relation.max_targets is not None and relation.max_targets < 1:
        yield "The number of targets is at least 1."
    if relation.max_targets is not None and relation.max_targets > MAX_TARGETS:
        yield f"The number of targets is at most {MAX_TARGETS}."
    yield from _condition_messages(relation, spec.attributes, spec)
    condition, categories = relation.asked_if, {category.key for category in spec.categories}
    if not relation.identity:
        return
    if condition is None or condition.question != CATEGORY or len(condition.values) != 1:
        yield "A relation of identity is asked of one category."
    elif relation.key in categories and relation.key not in condition.values:
        yield f"A category has the key {relation.key!r}, and it is asked of another."


def _attribute_messages(
    attribute: AttributeSpec, earlier: Sequence[AttributeSpec], spec: SchemeSpec, levels: Collection[str]
) -> Messages:
    yield from _label_messages(attribute)
    yield from _unknown_levels(attribute.levels, levels)
    yield from _value_messages(attribute)
    if (attribute.of == Subject.RELATION) != bool(attribute.relation):
        yield "An attribute of a relation names the relation, and no other does."
    elif attribute.relation and attribute.relation not in {relation.key for relation in spec.relations}:
        yield f"There is no relation {attribute.relation!r}."
    yield from _condition_messages(attribute, earlier, spec)
    if attribute.primary_of:
        first = next((other for other in earlier if other.key == attribute.primary_of), None)
        if first is None:
            yield f"There is no earlier attribute {attribute.primary_of!r} to which it asks for a second choice."
        elif (first.kind, first.of) != (attribute.kind, attribute.of):
            yield f"A second choice is of the kind of the first, {first.key}."


def _value_messages(attribute: AttributeSpec) -> Messages:
    values = attribute.values
    if attribute.kind in LISTED_KINDS and not values:
        yield "It has no values."
    if attribute.kind not in LISTED_KINDS and values:
        yield f"An attribute whose answer is a {attribute.kind} has no values."
    if len(values) > MAX_VALUES:
        yield f"An attribute has at most {MAX_VALUES} values."
    for value in _doubles(values):
        yield f"Another value has the key {value!r}."
    for spec in values:
        yield from (f"{spec.key}: {message}" for message in _label_messages(spec))


def _label_messages(spec: LevelSpec | Labelled) -> Messages:
    """Yield the problems of a key, a label, a help text and a colour that tables cannot store."""
    if not KEY.fullmatch(spec.key):
        yield f"A key is 1 to {MAX_KEY_LENGTH} letters without accents, digits, hyphens and underscores."
    help_text = "" if isinstance(spec, LevelSpec) else spec.help
    for name, text, length in (("label", spec.label, MAX_LABEL_LENGTH), ("help", help_text, MAX_HELP_LENGTH)):
        if len(text) > length:
            yield f"The {name} has at most {length} characters."
        if not is_storable(text):
            yield f"The {name} holds a NUL or half of a surrogate pair."
    if not spec.label.strip():
        yield "The label is empty."
    if isinstance(spec, CategorySpec | ValueSpec) and spec.colour and not COLOUR.fullmatch(spec.colour):
        yield f"{spec.colour!r} is no colour such as #1f77b4."


def _unknown_levels(named: Iterable[str], levels: Collection[str]) -> Messages:
    return (f"There is no level {level!r}." for level in named if level not in levels)


def _condition_messages(
    asked: RelationSpec | AttributeSpec, earlier: Iterable[AttributeSpec], spec: SchemeSpec
) -> Messages:
    """Yield problems of a question's condition, which refers to the category, a relation or an `earlier` attribute."""
    condition = asked.asked_if
    if condition is None:
        return
    if bool(condition.question) == bool(condition.relation) or bool(condition.relation) == bool(condition.values):
        yield "It is asked if a question has one of some values, or if a relation is set."
    elif condition.relation:
        if condition.relation == asked.key or condition.relation not in {relation.key for relation in spec.relations}:
            yield f"It is asked if {condition.relation!r} is set, and there is no other relation of that key."
    elif _values_of(condition.question, earlier, spec) is None:
        yield f"It is asked by the answer to {condition.question!r}, which is no earlier question with values."


def _values_of(question: str, earlier: Iterable[AttributeSpec], spec: SchemeSpec) -> set[str] | None:
    """Return the possible answers of a question in a condition; None if it lists no values."""
    if question == CATEGORY:
        return {category.key for category in spec.categories}
    for attribute in earlier:
        if attribute.key == question and attribute.kind in LISTED_KINDS and attribute.of != Subject.ENTITY:
            return {value.key for value in attribute.values}
    return None


def _circle_problems(spec: SchemeSpec) -> Problems:
    """Yield questions that depend on themselves: attributes refer to earlier ones, but relations to any."""
    questions, asked_by = _questions(spec), dict[str, set[str]]()
    for q in questions:
        named = {q.asked_if.question, q.asked_if.relation} if q.asked_if else set()
        asked_by[q.key] = (named | {q.relation} if isinstance(q, AttributeSpec) else named) - {"", CATEGORY}
    for question in questions:
        key, named = question.key, asked_by[question.key]
        reached, pending = set[str](), list(named)
        while pending:
            current = pending.pop()
            if current not in reached:
                reached.add(current)
                pending += asked_by.get(current, ())
        if key in reached and key not in named:
            yield SchemeProblem(_kind_of(question), key, "It is asked by its own answer.")


def find_leftovers(spec: SchemeSpec) -> Problems:
    """Yield the problems that arise when staff change levels or categories that other questions refer to.

    Such a scheme is still used: a question whose condition no longer exists is not asked.
    """
    uncoded = {level.key for level in spec.levels} - set(spec.coded_levels)
    relations = spec.identity_by_category()
    for category in spec.categories:
        identity = next(iter(relations.get(category.key, ())), None)
        points = identity is not None and bool(identity.to_levels)
        for is_wrong, message in (
            (category.level in uncoded, f"The level {category.level!r} is not coded."),
            (points and category.takes_index, "A category points or takes an index, not both."),
            (points and category.singleton, "A category that is a singleton points to nothing."),
        ):
            if is_wrong:
                yield SchemeProblem("category", category.key, message)
    for question in _questions(spec):
        for level in question.from_levels if isinstance(question, RelationSpec) else question.levels:
            if level in uncoded:
                yield SchemeProblem(_kind_of(question), question.key, f"The level {level!r} is not coded.")
        if question.asked_if is not None and question.asked_if.question:
            values = _values_of(question.asked_if.question, spec.attributes, spec)
            for value in question.asked_if.values:
                if values is not None and value not in values:
                    message = f"It is asked if {question.asked_if.question} is {value!r}, which is none of its values."
                    yield SchemeProblem(_kind_of(question), question.key, message)
