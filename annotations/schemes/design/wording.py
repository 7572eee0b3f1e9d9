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
        if condition.question == CATEGORY:
            labels = {one.key: one.label for one in self.spec.categories}
            return f"if the category is {_named(condition.values, labels)}"
        labels = {}
        for one in self.spec.attributes:
            if one.key == condition.question:
                labels = {value.key: value.label for value in one.values}
        return f"if {self.label(condition.question)} is {_named(condition.values, labels)}"

    def asked(self, question: RelationSpec | AttributeSpec) -> str:
        """Return when a question is asked; one of a relation is asked for each that is set."""
        if question.asked_if is None and isinstance(question, AttributeSpec) and question.of == Subject.RELATION:
            return f"if {self.label(question.relation)} is set"
        return self.condition(question.asked_if)

    def targets(self, relation: RelationSpec) -> str:
        """Return to what a relation points, and how often."""
        if not relation.to_levels:
            return "no longer offered"
        count = {None: "any number of targets", 1: "1 target"}.get(
            relation.max_targets, f"up to {relation.max_targets} targets"
        )
        options = [f"{count} (level: {self.levels(relation.to_levels)})"]
        if relation.joint:
            options.append("several meant together")
        if relation.later:
            options.append("also later in the text")
        return ", ".join(options)

    def antecedents(self, category: CategorySpec) -> str:
        """Return to what a category points; nothing where it does not."""
        relation = self.spec.identity_relation(category.key)
        if relation is None or not relation.to_levels:
            return ""
        count = {None: "1 antecedent, several if ambiguous", 1: "1 antecedent"}.get(
            relation.max_targets, f"up to {relation.max_targets} antecedents"
        )
        options = [f"{count} (level: {self.levels(relation.to_levels)})"]
        if relation.joint:
            options.append("several meant together")
        if relation.later:
            options.append("also later in the text")
        return ", ".join(options)

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
        match attribute.kind:
            case AnswerKind.TEXT:
                return "text"
            case AnswerKind.NUMBER:
                return "a number"
            case AnswerKind.SEVERAL:
                return "several values"
        return "one value"


def _named(values: Sequence[str], labels: dict[str, str]) -> str:
    names = [labels.get(value, value) for value in values]
    if len(names) > MOST_NAMED:
        names = [*names[: MOST_NAMED - 1], f"{len(names) - MOST_NAMED + 1} others"]
    return join_words(names) or "nothing"
