"""The questions of a scheme to coders, as files hold them."""

from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from enum import StrEnum
from typing import Any

# The key of the first question of every judgement; no attribute or relation may have it.
CATEGORY = "category"
# The ways to express identity: by pointers, by indices, or not at all.
POINTERS, INDICES, CATEGORIES = "pointers", "indices", "categories"


class Subject(StrEnum):
    MARKABLE = "markable"
    ENTITY = "entity"  # once for each chain
    RELATION = "relation"


class AnswerKind(StrEnum):
    ONE = "one"
    SEVERAL = "several"
    TEXT = "text"
    NUMBER = "number"


# The answer to an attribute: the key of a value, a text, a number, or the keys of several values.
type AnswerValue = str | int | float | tuple[str, ...]

LISTED_KINDS = (AnswerKind.ONE, AnswerKind.SEVERAL)


@dataclass(frozen=True, slots=True)
class Condition:
    """The condition of a question: another question has one of these values, or a relation is set."""

    question: str = ""  # CATEGORY or the key of an attribute; empty if a relation is named
    values: tuple[str, ...] = ()
    relation: str = ""

    def state(self) -> dict[str, Any]:
        if self.relation:
            return {"relation": self.relation}
        return {"question": self.question, "values": list(self.values)}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> "Condition":
        return cls(state.get("question", ""), tuple(state.get("values", ())), state.get("relation", ""))


@dataclass(frozen=True, slots=True)
class LevelSpec:
    """A level. coders_mark: coders create markables on it, in addition to the imported ones."""

    key: str
    label: str
    coded: bool = True
    coders_mark: bool = False


@dataclass(frozen=True, slots=True)
class CategorySpec:
    """A category."""

    key: str
    label: str
    # The next three fields repeat its identity relation, for formats without other relations.
    points_to: str = ""
    max_pointers: int | None = None
    allow_later: bool = False
    takes_index: bool = False
    takes_optional: bool = False
    singleton: bool = False
    level: str = ""  # the only level that offers it; empty for every coded level
    help: str = ""
    colour: str = ""
    retired: bool = False  # no longer offered


@dataclass(frozen=True, slots=True)
class RelationSpec:
    """A relation between markables."""

    key: str
    label: str
    _: KW_ONLY
    help: str = ""
    from_levels: tuple[str, ...] = ()  # empty for every coded level
    to_levels: tuple[str, ...] = ()  # empty if the relation is no longer offered
    identity: bool = False  # its pointers make chains
    max_targets: int | None = None
    joint: bool = False  # targets may be meant together
    later: bool = False  # targets may come later in the text
    asked_if: Condition | None = None
    retired: bool = False


@dataclass(frozen=True, slots=True)
class ValueSpec:
    key: str
    label: str
    help: str = ""
    colour: str = ""
    retired: bool = False


@dataclass(frozen=True, slots=True)
class AttributeSpec:
    """A question other than the category and relations."""

    key: str
    label: str
    _: KW_ONLY
    help: str = ""
    of: Subject = Subject.MARKABLE
    relation: str = ""  # the key of the relation that it is about, if any
    levels: tuple[str, ...] = ()  # empty for every coded level
    kind: AnswerKind = AnswerKind.ONE
    required: bool = False
    asked_if: Condition | None = None
    primary_of: str = ""  # the attribute to which this one asks for a second choice
    values: tuple[ValueSpec, ...] = ()
    retired: bool = False


@dataclass(frozen=True, slots=True)
class SchemeSpec:
    """The questions to the coders of a project, in display order."""

    levels: tuple[LevelSpec, ...]
    categories: tuple[CategorySpec, ...]
    relations: tuple[RelationSpec, ...] = ()
    attributes: tuple[AttributeSpec, ...] = ()

    @property
    def main_level(self) -> str:
        """The key of the first coded level, the default for markables whose file names no level."""
        return next((level.key for level in self.levels if level.coded), "")

    @property
    def coded_levels(self) -> tuple[str, ...]:
        return tuple(level.key for level in self.levels if level.coded)

    def identity_by_category(self) -> dict[str, list[RelationSpec]]:
        """Return the identity relations by category; a valid scheme has at most one per category."""
        found: dict[str, list[RelationSpec]] = {}
        for relation in self.relations:
            condition = relation.asked_if
            if relation.identity and condition is not None and condition.question == CATEGORY:
                for category in dict.fromkeys(condition.values):
                    found.setdefault(category, []).append(relation)
        return found

    def identity_relation(self, category: str) -> RelationSpec | None:
        """Return the identity relation of a category, if any. For many categories, use `identity_by_category`."""
        return next(iter(self.identity_by_category().get(category, ())), None)

    def with_pointing(self) -> "SchemeSpec":
        """Return the scheme with the pointing fields of its categories set from their identity relations."""
        identity = self.identity_by_category()
        categories = []
        for category in self.categories:
            relation = next(iter(identity.get(category.key, ())), None)
            if relation is None or not relation.to_levels:
                categories.append(replace(category, points_to="", max_pointers=None, allow_later=False))
            else:
                points_to, most = relation.to_levels[0], relation.max_targets
                categories.append(replace(category, points_to=points_to, max_pointers=most, allow_later=relation.later))
        return replace(self, categories=tuple(categories))


def identity_relations(categories: Iterable[CategorySpec]) -> tuple[RelationSpec, ...]:
    return tuple(
        RelationSpec(
            category.key,
            category.label,
            to_levels=(category.points_to,),
            identity=True,
            max_targets=category.max_pointers,
            later=category.allow_later,
            asked_if=Condition(CATEGORY, (category.key,)),
        )
        for category in categories
        if category.points_to
    )


@dataclass(frozen=True, slots=True)
class ReadyMadeScheme:
    """A ready-made scheme. `agreement` names the default conventions of its agreement page."""

    key: str
    label: str
    description: str
    answers: str
    levels: tuple[LevelSpec, ...]
    categories: tuple[CategorySpec, ...]
    agreement: str
    unmarked: str = "missing"
    relations: tuple[RelationSpec, ...] = ()
    attributes: tuple[AttributeSpec, ...] = ()

    @property
    def spec(self) -> SchemeSpec:
        """The questions of the scheme, with an identity relation added for each pointing category without one."""
        spec = SchemeSpec(self.levels, self.categories, self.relations, self.attributes)
        without = (category for category in self.categories if spec.identity_relation(category.key) is None)
        return replace(spec, relations=(*identity_relations(without), *self.relations))
