"""The questions of a scheme, and the differences between two schemes, in words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

from annotations.formats.model.scheme import (
    CATEGORY,
    AnswerKind,
    AttributeSpec,
    CategorySpec,
    Condition,
    RelationSpec,
    SchemeSpec,
    Subject,
)
from annotations.schemes.consistency import BOUNDS

MAX_NAMED = 10
ANSWERS: dict[str, str] = {AnswerKind.SEVERAL: "several values", AnswerKind.TEXT: "text", AnswerKind.NUMBER: "a number"}
# The names of fields in sentences; fields not listed keep their names.
FIELDS = {
    "help": "the help",
    "colour": "the colour",
    "level": "the level",
    "levels": "the levels",
    "from_levels": "the levels it is asked on",
    "to_levels": "the levels it points to",
    "max_targets": "the number of targets",
    "joint": "whether several targets are meant together",
    "later": "whether targets may stand later",
    "identity": "whether it makes chains",
    "coded": "whether it is coded",
    "coders_mark": "whether coders create markables",
    "takes_index": "whether it takes an index",
    "takes_optional": "whether an answer can be called optional",
    "singleton": "whether it is a singleton",
    "of": "what it is asked of",
    "relation": "the relation it is asked of",
    "kind": "the kind of answer",
    "required": "whether it is required",
    "asked_if": "when it is asked",
    "primary_of": "the question to which it is a second choice",
}
# The fields of categories that follow from their relation.
IMPLIED = {"points_to", "max_pointers", "allow_later"}
MAX_VALUES = 5


def join_words(words: Sequence[str], last: str = "or") -> str:
    """Return words as a sentence lists them: "a, b or c"."""
    return " ".join(filter(None, [", ".join(words[:-1]), last if len(words) > 1 else "", *words[-1:]]))


@dataclass(frozen=True)
class SchemeWording:
    """The wording of the questions of a scheme."""

    spec: SchemeSpec

    def label(self, question: str) -> str:
        """Return the label of a relation or attribute, or its key without one."""
        labels = {attribute.key: attribute.label for attribute in self.spec.attributes}
        labels |= {relation.key: relation.label for relation in self.spec.relations}
        return labels.get(question) or question

    def levels(self, keys: Sequence[str]) -> str:
        """Return the labels of levels; "every coded level" for none."""
        labels = {level.key: level.label for level in self.spec.levels}
        return join_words([labels.get(key, key) for key in keys], "and") or "every coded level"

    def condition(self, condition: Condition | None) -> str:
        """Return the condition of a question in words, or "always"."""
        if condition is None:
            return "always"
        if condition.relation:
            return f"if {self.label(condition.relation)} is set"
        name, labels = "the category", {category.key: category.label for category in self.spec.categories}
        if condition.question != CATEGORY:
            attributes = [attribute for attribute in self.spec.attributes if attribute.key == condition.question]
            name = self.label(condition.question)
            labels = {value.key: value.label for attribute in attributes for value in attribute.values}
        named = name_first([labels.get(value, value) for value in condition.values], MAX_NAMED)
        return f"if {name} is {join_words(named) or 'nothing'}"

    def asked(self, question: RelationSpec | AttributeSpec) -> str:
        """Return the condition of a question in words; an attribute of a relation is asked when the relation is set."""
        if question.asked_if is None and isinstance(question, AttributeSpec) and question.of == Subject.RELATION:
            return f"if {self.label(question.relation)} is set"
        return self.condition(question.asked_if)

    def targets(self, relation: RelationSpec) -> str:
        """Return the level and number of a relation's targets."""
        if not relation.to_levels:
            return "no longer offered"
        return self._pointing(relation, "any number of targets", "target")

    def antecedents(self, category: CategorySpec) -> str:
        """Return the level and number of a category's antecedents; empty if it takes none."""
        relation = self.spec.identity_relation(category.key)
        if relation is None or not relation.to_levels:
            return ""
        return self._pointing(relation, "1 antecedent, several if ambiguous", "antecedent")

    def _pointing(self, relation: RelationSpec, any_number: str, noun: str) -> str:
        count = {None: any_number, 1: f"1 {noun}"}.get(relation.max_targets, f"up to {relation.max_targets} {noun}s")
        options = {
            f"{count} (level: {self.levels(relation.to_levels)})": True,
            "several meant together": relation.joint,
            "also later in the text": relation.later,
        }
        return ", ".join(option for option, is_offered in options.items() if is_offered)

    def subject(self, attribute: AttributeSpec) -> str:
        match attribute.of:
            case Subject.ENTITY:
                return "each entity, once"
            case Subject.RELATION:
                return f"the relation {self.label(attribute.relation)}"
        return self.levels(attribute.levels)

    def answer(self, attribute: AttributeSpec) -> str:
        return ANSWERS.get(attribute.kind, "one value")


def name_first(labels: Sequence[str], most: int) -> list[str]:
    """Return the labels; if there are more than `most`, the first ones and the number of the others."""
    if len(labels) <= most:
        return list(labels)
    return [*labels[: most - 1], f"{len(labels) - most + 1} others"]


def describe_differences(before: SchemeSpec, after: SchemeSpec) -> list[str]:
    """Return what is added, removed and changed, by question; empty if the schemes are equal."""
    return [sentence for kind, (name, _) in BOUNDS.items() for sentence in _of_kind(kind, name, before, after)]


def _of_kind(kind: str, name: str, before: SchemeSpec, after: SchemeSpec) -> Iterator[str]:
    old = {question.key: question for question in getattr(before, name)}
    new = {question.key: question for question in getattr(after, name)}
    if kind == "relation":
        # An identity relation comes and goes with its category.
        old, new = (
            _drop_followers(own, spec, other) for own, spec, other in ((old, before, after), (new, after, before))
        )
    for key, question in new.items():
        if key not in old:
            yield f"New {kind}: {question.label}{_when(question, after)}."
    for key, question in old.items():
        if key not in new:
            yield f"Removed {kind}: {question.label}."
    for key, question in new.items():
        if key in old:
            yield from _changes(kind, old[key], question, after)
    common = [key for key in old if key in new]
    if common != [key for key in new if key in old]:
        yield f"Another order of the {name}."


def _drop_followers(relations: dict[str, RelationSpec], spec: SchemeSpec, other: SchemeSpec) -> dict[str, RelationSpec]:
    categories, identity = {category.key for category in other.categories}, spec.identity_by_category()
    followers = {
        relation.key for own in spec.categories if own.key not in categories for relation in identity.get(own.key, ())
    }
    return {key: relation for key, relation in relations.items() if key not in followers}


def _when(question: Any, spec: SchemeSpec) -> str:
    if not isinstance(question, (RelationSpec, AttributeSpec)) or question.asked_if is None:
        return ""
    return f", asked {SchemeWording(spec).condition(question.asked_if)}"


def _changes(kind: str, old: Any, new: Any, spec: SchemeSpec) -> Iterator[str]:
    name = f"{kind.capitalize()} {old.label}"
    if old.label != new.label:
        yield f"{name} is called {new.label}."
    differing = [
        row.name
        for row in fields(old)
        if row.name not in {"key", "label", "values", *IMPLIED} and getattr(old, row.name) != getattr(new, row.name)
    ]
    if "asked_if" in differing:
        differing.remove("asked_if")
        yield f"{name} is asked {SchemeWording(spec).condition(new.asked_if)}."
    if "retired" in differing:
        differing.remove("retired")
        yield f"{name} is {'retired' if new.retired else 'offered again'}."
    if differing:
        yield f"{name}: {join_words([FIELDS[key] for key in differing], 'and')} changed."
    if isinstance(new, AttributeSpec):
        yield from _value_changes(name, old, new)


def _value_changes(name: str, old: AttributeSpec, new: AttributeSpec) -> Iterator[str]:
    before, after = ({value.key: value for value in attribute.values} for attribute in (old, new))
    kept = [(value, after[key]) for key, value in before.items() if key in after]

    def named(labels: Sequence[str]) -> str:
        return join_words(name_first(labels, MAX_VALUES), "and")

    for verb, labels in (
        ("has new values:", [value.label for key, value in after.items() if key not in before]),
        ("has no longer these values:", [value.label for key, value in before.items() if key not in after]),
        (
            "calls these values otherwise:",
            [f"{value.label} (now {now.label})" for value, now in kept if now.label != value.label],
        ),
    ):
        if labels:
            yield f"{name} {verb} {named(labels)}."
    if any((value.help, value.colour) != (now.help, now.colour) for value, now in kept):
        yield f"{name}: help or colours of values changed."
    for verb, retired in (("retired", True), ("offered again", False)):
        labels = [now.label for value, now in kept if value.retired != now.retired == retired]
        if labels:
            yield f"{name}: {named(labels)} {'is' if len(labels) == 1 else 'are'} {verb}."
    if [value.key for value, _ in kept] != [key for key in after if key in before]:
        yield f"{name}: another order of its values."
