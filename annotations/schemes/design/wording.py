"""What a scheme asks, in words: for pages on which it is read, and for the list of what changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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

MOST_NAMED = 10
ANSWERS: dict[str, str] = {
    AnswerKind.SEVERAL: "several values",
    AnswerKind.TEXT: "text",
    AnswerKind.NUMBER: "a number",
}


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
        """Return of what an attribute is asked."""
        match attribute.of:
            case Subject.ENTITY:
                return "each entity, once"
            case Subject.RELATION:
                return f"the relation {self.label(attribute.relation)}"
        return self.levels(attribute.levels)

    def answer(self, attribute: AttributeSpec) -> str:
        """Return how an attribute is answered."""
        return ANSWERS.get(attribute.kind, "one value")


def name_first(labels: Sequence[str], most: int) -> list[str]:
    """Return the labels; of more than are named the first ones, and how many others there are."""
    if len(labels) <= most:
        return list(labels)
    return [*labels[: most - 1], f"{len(labels) - most + 1} others"]
