"""The constraints of a scheme as one table, which the server checks and the page receives as JSON.

It alone defines the possible answers to each question. Levels are listed explicitly, and relations and attributes have
their conditions. Retired answers cannot be given again, but stay where they were given.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict

from django.core.validators import slug_re

from annotations.formats.model.scheme import CATEGORY, AnswerValue, SchemeSpec, Subject

# The maximum of antecedents or indices of an operation, and of values of attributes, so that one query can look up the
# antecedents of a batch.
MAX_KEYS = 50
MAX_TEXT_LENGTH = 1000
MAX_NUMBER = 10**15  # larger whole numbers are not exact in every database and browser


class CategoryConstraints(TypedDict):
    """The constraints of a category: its levels, its identity relation, and whether it takes indices."""

    levels: list[str]
    identity: str | None
    takes_index: bool
    retired: bool


class RelationConstraints(TypedDict):
    """The constraints of a relation: levels of source and target, number of targets, joint and later targets."""

    label: str
    identity: bool
    from_levels: list[str]
    to_levels: list[str]
    max_targets: int | None
    joint: bool
    later: bool
    asked_if: Mapping[str, Any] | None
    retired: bool


class AttributeConstraints(TypedDict):
    """The constraints of an attribute: its subject, levels and values; values are empty for texts and numbers."""

    label: str
    of: str
    relation: str | None
    levels: list[str]
    kind: str
    required: bool
    asked_if: Mapping[str, Any] | None
    values: list[str]
    retired: bool
    retired_values: list[str]


class Constraints(TypedDict):
    """The whole table."""

    max_keys: int
    max_text_length: int
    max_number: int
    categories: dict[str, CategoryConstraints]
    relations: dict[str, RelationConstraints]
    attributes: dict[str, AttributeConstraints]


def constraints_of(spec: SchemeSpec) -> Constraints:
    """Return the table of a scheme."""
    coded, identity = list(spec.coded_levels), spec.identity_by_category()
    return {
        "max_keys": MAX_KEYS,
        "max_text_length": MAX_TEXT_LENGTH,
        "max_number": MAX_NUMBER,
        "categories": {
            category.key: {
                "levels": [category.level] if category.level else coded,
                "identity": identity[category.key][0].key if category.key in identity else None,
                "takes_index": category.takes_index,
                "retired": category.retired,
            }
            for category in spec.categories
        },
        "relations": {
            relation.key: {
                "label": relation.label,
                "identity": relation.identity,
                "from_levels": list(relation.from_levels) or coded,
                "to_levels": list(relation.to_levels),
                "max_targets": relation.max_targets,
                "joint": relation.joint,
                "later": relation.later,
                "asked_if": relation.asked_if.state() if relation.asked_if else None,
                "retired": relation.retired,
            }
            for relation in spec.relations
        },
        "attributes": {
            attribute.key: {
                "label": attribute.label,
                "of": str(attribute.of),
                "relation": attribute.relation or None,
                "levels": list(attribute.levels) or coded,
                "kind": str(attribute.kind),
                "required": attribute.required,
                "asked_if": attribute.asked_if.state() if attribute.asked_if else None,
                "values": [value.key for value in attribute.values],
                "retired": attribute.retired,
                "retired_values": [value.key for value in attribute.values if value.retired],
            }
            for attribute in spec.attributes
        },
    }


def is_condition(state: object) -> bool:
    """Return whether the value has the shape of a condition, or is None. Values are keys, without quotation marks."""
    match state:
        case None:
            return True
        case {"relation": str(), **others}:
            return not others
        case {"question": str(), "values": list(values), **others}:
            return not others and all(isinstance(value, str) and slug_re.fullmatch(value) for value in values)
    return False


@dataclass(frozen=True, slots=True)
class GivenAnswers:
    """The answers of a judgement so far: category, attributes by key, and keys of relations with targets."""

    level: str
    category: str | None = None
    attributes: Mapping[str, AnswerValue] = field(default_factory=dict)
    relations: Collection[str] = ()


def is_asked(question: RelationConstraints | AttributeConstraints, given: GivenAnswers) -> bool:
    """Return whether the answers meet the condition of the question; levels are not checked."""
    # An attribute that is not asked has no answer, so chains of conditions need not be followed.
    relation = question.get("relation")
    if isinstance(relation, str) and relation not in given.relations:
        return False
    condition = question["asked_if"]
    if condition is None:
        return True
    if "relation" in condition:
        return condition["relation"] in given.relations
    if condition["question"] == CATEGORY:
        return given.category in condition["values"]
    answer = given.attributes.get(condition["question"])
    return any(value in condition["values"] for value in (answer if isinstance(answer, tuple) else (answer,)))


def missing_attributes(constraints: Constraints, given: GivenAnswers) -> Iterator[str]:
    """Yield the keys of the attributes that are required, asked and not answered.

    Attributes of entities are left out, as any markable of a chain may answer them.
    """
    for key, attribute in constraints["attributes"].items():
        if (
            attribute["required"]
            and not attribute["retired"]
            and attribute["of"] != Subject.ENTITY
            and given.level in attribute["levels"]
            and key not in given.attributes
            and is_asked(attribute, given)
        ):
            yield key


def required_of_entities(constraints: Constraints) -> list[str]:
    """Return the keys of the required attributes of entities, which a chain has to answer if a member asks for them."""
    return [
        key
        for key, attribute in constraints["attributes"].items()
        if attribute["required"] and not attribute["retired"] and attribute["of"] == Subject.ENTITY
    ]


def categories_on(constraints: Constraints, level: str) -> Sequence[str]:
    """Return the keys of the categories that are offered on a level; without any, only attributes are asked."""
    return [
        key
        for key, category in constraints["categories"].items()
        if level in category["levels"] and not category["retired"]
    ]


def lacks_category(constraints: Constraints, given: GivenAnswers, *, has_index: bool) -> bool:
    """Return whether a judgement lacks a category where there are some, or the category's pointers or index."""
    if given.category is None:
        return bool(categories_on(constraints, given.level))
    category = constraints["categories"].get(given.category)
    if category is None or (category["takes_index"] and not has_index):
        return True
    identity = category["identity"]
    relation = constraints["relations"][identity] if identity is not None else None
    asks_targets = relation is not None and bool(relation["to_levels"]) and not relation["retired"]
    return asks_targets and identity not in given.relations


def is_complete(constraints: Constraints, given: GivenAnswers, *, has_index: bool) -> bool:
    """Return whether a judgement has all required answers, as in `annotations.models.coding.complete`."""
    return (
        (given.category is not None or bool(given.attributes))
        and not lacks_category(constraints, given, has_index=has_index)
        and not any(missing_attributes(constraints, given))
    )
