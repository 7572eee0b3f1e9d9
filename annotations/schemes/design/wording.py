"""What a scheme asks, and what a change makes of it, in words."""

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

MOST_NAMED = 10
ANSWERS: dict[str, str] = {
    AnswerKind.SEVERAL: "several values",
    AnswerKind.TEXT: "text",
    AnswerKind.NUMBER: "a number",
}
# What a field is called in a sentence; the others are named as they are.
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
# Those of categories that their relation says.
IMPLIED = {"points_to", "max_pointers", "allow_later"}
MOST_VALUES_NAMED = 5


def join_words(words: Sequence[str], last: str = "or") -> str:
    """Return words as a sentence has them: "a, b or c"."""
    return " ".join(filter(None, [", ".join(words[:-1]), last if len(words) > 1 else "", *words[-1:]]))


@dataclass(frozen=True)
class SchemeWording:
    """The words for the questions of a scheme."""

    spec: SchemeSpec

    def label(self, question: str) -> str:
        """Return the label of a relation or attribute, or its key where there is none of it."""
        labels = {one.key: one.label for one in self.spec.attributes}
        labels |= {one.key: one.label for one in self.spec.relations}
        return labels.get(question) or question

    def levels(self, keys: Sequence[str]) -> str:
        """Return the labels of levels; "every coded level" for none."""
        labels = {level.key: level.label for level in self.spec.levels}
        return join_words([labels.get(key, key) for key in keys], "and") or "every coded level"

    def condition(self, condition: Condition | None) -> str:
        """Return when a question is asked: "always", or by which answers."""
        if condition is None:
            return "always"
        if condition.relation:
            return f"if {self.label(condition.relation)} is set"
        name, labels = "the category", {one.key: one.label for one in self.spec.categories}
        if condition.question != CATEGORY:
            attributes = [one for one in self.spec.attributes if one.key == condition.question]
            name = self.label(condition.question)
            labels = {value.key: value.label for one in attributes for value in one.values}
        named = name_first([labels.get(value, value) for value in condition.values], MOST_NAMED)
        return f"if {name} is {join_words(named) or 'nothing'}"

    def asked(self, question: RelationSpec | AttributeSpec) -> str:
        """Return when a question is asked; one of a relation is asked for each that is set."""
        if question.asked_if is None and isinstance(question, AttributeSpec) and question.of == Subject.RELATION:
            return f"if {self.label(question.relation)} is set"
        return self.condition(question.asked_if)

    def targets(self, relation: RelationSpec) -> str:
        """Return to what a relation points, and how often."""
        if not relation.to_levels:
            return "no longer offered"
        return self._pointing(relation, "any number of targets", "target")

    def antecedents(self, category: CategorySpec) -> str:
        """Return to what a category points; nothing where it does not."""
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
    """Return the labels; of more than are named the first ones, and how many others there are."""
    if len(labels) <= most:
        return list(labels)
    return [*labels[: most - 1], f"{len(labels) - most + 1} others"]


def describe_differences(before: SchemeSpec, after: SchemeSpec) -> list[str]:
    """Return what is added, removed and changed, question by question; nothing where the schemes are equal."""
    return [sentence for kind, (name, _) in BOUNDS.items() for sentence in _of_kind(kind, name, before, after)]


def _of_kind(kind: str, name: str, before: SchemeSpec, after: SchemeSpec) -> Iterator[str]:
    old = {one.key: one for one in getattr(before, name)}
    new = {one.key: one for one in getattr(after, name)}
    if kind == "relation":
        # The relation by whose pointers a category says identity comes and goes with the category.
        old, new = (
            _without_followers(one, spec, other) for one, spec, other in ((old, before, after), (new, after, before))
        )
    for key, one in new.items():
        if key not in old:
            yield f"New {kind}: {one.label}{_when(one, after)}."
    for key, one in old.items():
        if key not in new:
            yield f"Removed {kind}: {one.label}."
    for key, one in new.items():
        if key in old:
            yield from _changes(kind, old[key], one, after)
    common = [key for key in old if key in new]
    if common != [key for key in new if key in old]:
        yield f"Another order of the {name}."


def _without_followers(
    relations: dict[str, RelationSpec], spec: SchemeSpec, other: SchemeSpec
) -> dict[str, RelationSpec]:
    categories, identity = {one.key for one in other.categories}, spec.identity_by_category()
    followers = {
        relation.key for one in spec.categories if one.key not in categories for relation in identity.get(one.key, ())
    }
    return {key: one for key, one in relations.items() if key not in followers}


def _when(question: Any, spec: SchemeSpec) -> str:
    if not isinstance(question, (RelationSpec, AttributeSpec)) or question.asked_if is None:
        return ""
    return f", asked {SchemeWording(spec).condition(question.asked_if)}"


def _changes(kind: str, old: Any, new: Any, spec: SchemeSpec) -> Iterator[str]:
    name = f"{kind.capitalize()} {old.label}"
    if old.label != new.label:
        yield f"{name} is called {new.label}."
    differing = [
        one.name
        for one in fields(old)
        if one.name not in {"key", "label", "values", *IMPLIED} and getattr(old, one.name) != getattr(new, one.name)
    ]
    if "asked_if" in differing:
        differing.remove("asked_if")
        yield f"{name} is asked {SchemeWording(spec).condition(new.asked_if)}."
    if "retired" in differing:
        differing.remove("retired")
        yield f"{name} is {'retired' if new.retired else 'offered again'}."
    if differing:
        yield f"{name}: {join_words([FIELDS[one] for one in differing], 'and')} changed."
    if isinstance(new, AttributeSpec):
        yield from _value_changes(name, old, new)


def _value_changes(name: str, old: AttributeSpec, new: AttributeSpec) -> Iterator[str]:
    before, after = ({one.key: one for one in attribute.values} for attribute in (old, new))
    kept = [(one, after[key]) for key, one in before.items() if key in after]

    def named(labels: Sequence[str]) -> str:
        return join_words(name_first(labels, MOST_VALUES_NAMED), "and")

    for verb, labels in (
        ("has new values:", [one.label for key, one in after.items() if key not in before]),
        ("has no longer these values:", [one.label for key, one in before.items() if key not in after]),
        (
            "calls these values otherwise:",
            [f"{one.label} (now {now.label})" for one, now in kept if now.label != one.label],
        ),
    ):
        if labels:
            yield f"{name} {verb} {named(labels)}."
    if any((one.help, one.colour) != (now.help, now.colour) for one, now in kept):
        yield f"{name}: help or colours of values changed."
    for verb, retired in (("retired", True), ("offered again", False)):
        labels = [now.label for one, now in kept if one.retired != now.retired == retired]
        if labels:
            yield f"{name}: {named(labels)} {'is' if len(labels) == 1 else 'are'} {verb}."
    if [one.key for one, _ in kept] != [key for key in after if key in before]:
        yield f"{name}: another order of its values."
