"""Whether a scheme can be asked: one sentence for each problem, at its question."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from annotations.formats.model.scheme import (
    CATEGORY,
    LISTED_KINDS,
    AttributeSpec,
    CategorySpec,
    Condition,
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
MAX_TARGETS = 32_767
MAX_KEY_LENGTH = 50
MAX_LABEL_LENGTH = 100
MAX_HELP_LENGTH = 1000
KEY = re.compile(rf"[-a-zA-Z0-9_]{{1,{MAX_KEY_LENGTH}}}")
# A NUL, and half of a surrogate pair, have no place in the tables.
UNSTORABLE = re.compile(r"[\0\ud800-\udfff]")
COLOUR = re.compile(r"#[0-9a-f]{6}")


@dataclass(frozen=True, slots=True)
class SchemeProblem:
    """What is wrong with a level, category, relation or attribute, which is named by its kind and key."""

    kind: str
    question: str
    message: str

    def __str__(self) -> str:
        return f"{self.question}: {self.message}"


def check_scheme(spec: SchemeSpec) -> list[SchemeProblem]:
    """Return what is wrong with the scheme, question by question; nothing where it can be asked."""
    return [*(SchemeProblem(*problem) for problem in _problems(spec)), *find_leftovers(spec)]


def find_leftovers(spec: SchemeSpec) -> list[SchemeProblem]:
    """Return those problems that staff leave who change levels or categories, to which other questions refer.

    Such a scheme is asked all the same: what depends on an answer that is no longer there is not asked.
    """
    return [SchemeProblem(*problem) for problem in _leftovers(spec)]


# Keys and messages, and before them the kind of what has the key where that is not the same for all.
type Problems = Iterator[tuple[str, str]]
type KindProblems = Iterator[tuple[str, str, str]]


def _of(kind: str, problems: Problems) -> KindProblems:
    return ((kind, key, message) for key, message in problems)


def _problems(spec: SchemeSpec) -> KindProblems:
    yield from _key_problems(spec)
    yield from _bound_problems(spec)
    levels = {level.key for level in spec.levels}
    for level in spec.levels:
        yield from _of("level", _text_problems(level.key, level))
        if level.coders_mark and not level.coded:
            yield "level", level.key, "Coders mark only levels that they code."
    identity = spec.identity_by_category()
    for category in spec.categories:
        yield from _of("category", _category_problems(category, identity.get(category.key, ()), levels))
    for relation in spec.relations:
        yield from _of("relation", _relation_problems(relation, spec, levels))
    for number, attribute in enumerate(spec.attributes):
        yield from _of("attribute", _attribute_problems(attribute, spec.attributes[:number], spec, levels))
    yield from _circle_problems(spec)


def _key_problems(spec: SchemeSpec) -> KindProblems:
    """Yield equal keys. The relation by whose pointers a category says identity may be called like the category."""
    for kind, keys in (
        ("level", [level.key for level in spec.levels]),
        ("category", [category.key for category in spec.categories]),
        ("relation", [relation.key for relation in spec.relations]),
        ("attribute", [attribute.key for attribute in spec.attributes]),
    ):
        for key, count in Counter(keys).items():
            if count > 1:
                yield kind, key, f"Another {kind} has the key {key!r}."
    categories, relations = ({one.key for one in questions} for questions in (spec.categories, spec.relations))
    for one in _questions(spec):
        if isinstance(one, RelationSpec) and one.identity:
            continue  # it may have the key of its category; that it is its own is checked with it
        if one.key == CATEGORY:
            message = f"No relation or attribute can have the key {CATEGORY!r}: it is that of the first question."
            yield _kind_of(one), one.key, message
        elif one.key in categories:
            yield _kind_of(one), one.key, f"A category has the key {one.key!r}."
        elif isinstance(one, AttributeSpec) and one.key in relations:
            yield "attribute", one.key, f"A relation has the key {one.key!r}."


def _kind_of(question: RelationSpec | AttributeSpec) -> str:
    return "relation" if isinstance(question, RelationSpec) else "attribute"


def _questions(spec: SchemeSpec) -> list[RelationSpec | AttributeSpec]:
    return [*spec.relations, *spec.attributes]


def _bound_problems(spec: SchemeSpec) -> KindProblems:
    if len(spec.levels) > MAX_LEVELS:
        yield "level", spec.levels[MAX_LEVELS].key, f"A scheme has at most {MAX_LEVELS} levels."
    if len(spec.categories) > MAX_CATEGORIES:
        yield "category", spec.categories[MAX_CATEGORIES].key, f"A scheme has at most {MAX_CATEGORIES} categories."
    relations = [relation for relation in spec.relations if not relation.identity]
    if len(relations) > MAX_RELATIONS:
        yield "relation", relations[MAX_RELATIONS].key, f"A scheme has at most {MAX_RELATIONS} relations."
    if len(spec.attributes) > MAX_ATTRIBUTES:
        yield "attribute", spec.attributes[MAX_ATTRIBUTES].key, f"A scheme has at most {MAX_ATTRIBUTES} attributes."


def _category_problems(category: CategorySpec, relations: Sequence[RelationSpec], levels: Iterable[str]) -> Problems:
    yield from _label_problems(category.key, category)
    if category.level:
        yield from _level_problems(category.key, [category.level], levels)
    if category.singleton and category.takes_index:
        yield category.key, "A category that is a singleton takes no index."
    if len(relations) > 1:
        names = " and ".join(relation.key for relation in relations)
        yield category.key, f"One relation at most says identity for a category; {names} do."


def _relation_problems(relation: RelationSpec, spec: SchemeSpec, levels: Iterable[str]) -> Problems:
    yield from _label_problems(relation.key, relation)
    yield from _level_problems(relation.key, (*relation.from_levels, *relation.to_levels), levels)
    if relation.max_targets is not None and relation.max_targets < 1:
        yield relation.key, "The number of targets is at least 1."
    if relation.max_targets is not None and relation.max_targets > MAX_TARGETS:
        yield relation.key, f"The number of targets is at most {MAX_TARGETS}."
    yield from _condition_problems(relation.key, relation.asked_if, spec.attributes, spec)
    condition, categories = relation.asked_if, {category.key for category in spec.categories}
    if not relation.identity:
        return
    if condition is None or condition.question != CATEGORY or len(condition.values) != 1:
        yield relation.key, "A relation of identity is asked of one category."
    elif relation.key in categories and relation.key not in condition.values:
        yield relation.key, f"A category has the key {relation.key!r}, and it is asked of another."


def _attribute_problems(
    attribute: AttributeSpec, earlier: Sequence[AttributeSpec], spec: SchemeSpec, levels: Iterable[str]
) -> Problems:
    key = attribute.key
    yield from _label_problems(key, attribute)
    yield from _level_problems(key, attribute.levels, levels)
    yield from _value_problems(attribute)
    if (attribute.of == Subject.RELATION) != bool(attribute.relation):
        yield key, "An attribute of a relation names the relation, and no other does."
    elif attribute.relation and attribute.relation not in {relation.key for relation in spec.relations}:
        yield key, f"There is no relation {attribute.relation!r}."
    yield from _condition_problems(key, attribute.asked_if, earlier, spec)
    if attribute.primary_of:
        first = next((one for one in earlier if one.key == attribute.primary_of), None)
        if first is None:
            yield key, f"There is no earlier attribute {attribute.primary_of!r} to which it asks for a second choice."
        elif (first.kind, first.of) != (attribute.kind, attribute.of):
            yield key, f"A second choice is of the kind of the first, {first.key}."


def _value_problems(attribute: AttributeSpec) -> Problems:
    key, values = attribute.key, attribute.values
    if attribute.kind in LISTED_KINDS and not values:
        yield key, "It has no values."
    if attribute.kind not in LISTED_KINDS and values:
        yield key, f"An attribute whose answer is a {attribute.kind} has no values."
    if len(values) > MAX_VALUES:
        yield key, f"An attribute has at most {MAX_VALUES} values."
    for value, count in Counter(one.key for one in values).items():
        if count > 1:
            yield key, f"Another value has the key {value!r}."
    for one in values:
        for _, message in _label_problems(key, one):
            yield key, f"{one.key}: {message}"


type Labelled = CategorySpec | RelationSpec | AttributeSpec | ValueSpec


def _label_problems(key: str, labelled: Labelled) -> Problems:
    yield from _text_problems(key, labelled)
    if not labelled.label.strip():
        yield key, "The label is empty."
    colour = labelled.colour if isinstance(labelled, CategorySpec | ValueSpec) else ""
    if colour and not COLOUR.fullmatch(colour):
        yield key, f"{colour!r} is no colour such as #1f77b4."


def _text_problems(key: str, one: LevelSpec | Labelled) -> Problems:
    """Yield what the tables cannot hold of a key, a label and a help text."""
    if not KEY.fullmatch(one.key):
        yield key, f"A key is 1 to {MAX_KEY_LENGTH} letters without accents, digits, hyphens and underscores."
    help_text = "" if isinstance(one, LevelSpec) else one.help
    for name, text, length in (("label", one.label, MAX_LABEL_LENGTH), ("help", help_text, MAX_HELP_LENGTH)):
        if len(text) > length:
            yield key, f"The {name} has at most {length} characters."
        if UNSTORABLE.search(text):
            yield key, f"The {name} holds a NUL or half of a surrogate pair."


def _level_problems(key: str, named: Iterable[str], levels: Iterable[str]) -> Problems:
    for level in named:
        if level not in levels:
            yield key, f"There is no level {level!r}."


def _condition_problems(
    key: str, condition: Condition | None, earlier: Iterable[AttributeSpec], spec: SchemeSpec
) -> Problems:
    """Yield what is wrong with when a question is asked: it follows from the category, a relation or `earlier` ones."""
    if condition is None:
        return
    if bool(condition.question) == bool(condition.relation) or bool(condition.relation) == bool(condition.values):
        yield key, "It is asked if a question has one of some values, or if a relation is set."
    elif condition.relation:
        if condition.relation == key or condition.relation not in {relation.key for relation in spec.relations}:
            yield key, f"It is asked if {condition.relation!r} is set, and there is no other relation of that key."
    elif _values_of(condition.question, earlier, spec) is None:
        yield key, f"It is asked by the answer to {condition.question!r}, which is no earlier question with values."


def _values_of(question: str, earlier: Iterable[AttributeSpec], spec: SchemeSpec) -> set[str] | None:
    """Return the answers to a question by whose answer another is asked; None where it lists none."""
    if question == CATEGORY:
        return {category.key for category in spec.categories}
    for attribute in earlier:
        if attribute.key == question and attribute.kind in LISTED_KINDS and attribute.of != Subject.ENTITY:
            return {value.key for value in attribute.values}
    return None


def _circle_problems(spec: SchemeSpec) -> KindProblems:
    """Yield questions that are asked by themselves in the end: attributes name earlier ones, relations any of them."""
    asked_by: dict[str, set[str]] = {}
    for one in _questions(spec):
        named = {one.asked_if.question, one.asked_if.relation} if one.asked_if else set()
        if isinstance(one, AttributeSpec):
            named.add(one.relation)
        asked_by[one.key] = named - {"", CATEGORY}
    for one in _questions(spec):
        key, named = one.key, asked_by[one.key]
        reached, left = set[str](), list(named)
        while left:
            other = left.pop()
            if other not in reached:
                reached.add(other)
                left += asked_by.get(other, ())
        if key in reached and key not in named:
            yield _kind_of(one), key, "It is asked by its own answer."


def _leftovers(spec: SchemeSpec) -> KindProblems:
    uncoded = {level.key for level in spec.levels} - set(spec.coded_levels)
    relations = spec.identity_by_category()
    for category in spec.categories:
        if category.level in uncoded:
            yield "category", category.key, f"The level {category.level!r} is not coded."
        identity = next(iter(relations.get(category.key, ())), None)
        if identity is not None and identity.to_levels and category.takes_index:
            yield "category", category.key, "A category points or takes an index, not both."
        if identity is not None and identity.to_levels and category.singleton:
            yield "category", category.key, "A category that is a singleton points to nothing."
    for one in _questions(spec):
        for level in one.from_levels if isinstance(one, RelationSpec) else one.levels:
            if level in uncoded:
                yield _kind_of(one), one.key, f"The level {level!r} is not coded."
        if one.asked_if is not None and one.asked_if.question:
            values = _values_of(one.asked_if.question, spec.attributes, spec)
            for value in one.asked_if.values:
                if values is not None and value not in values:
                    message = f"It is asked if {one.asked_if.question} is {value!r}, which is none of its values."
                    yield _kind_of(one), one.key, message
