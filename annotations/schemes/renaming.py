"""Categories whose keys change: questions that are asked by them follow."""

from __future__ import annotations

from annotations.formats.model.scheme import CATEGORY
from annotations.models import Attribute, Project, Relation


def follow_category(project: Project, old: str, new: str) -> None:
    """Let questions that name the category by its old key name it by the new one, and its identity relation have it."""
    questions: list[Relation | Attribute] = [*project.relations.all(), *project.attributes.all()]
    keys = {question.key for question in questions}
    for question in questions:
        condition = question.asked_if or {}
        if condition.get("question") != CATEGORY or old not in condition["values"]:
            continue
        question.asked_if = condition | {"values": [new if value == old else value for value in condition["values"]]}
        if isinstance(question, Relation) and question.identity and question.key == old and new not in keys:
            question.key = new
        question.save(update_fields=["key", "asked_if"])


def forget_category(project: Project, key: str) -> None:
    """Delete the identity relation of a category that is deleted, unless answers have it."""
    for relation in project.relations.filter(identity=True, asked_if={"question": CATEGORY, "values": [key]}):
        if not relation.pointers.exists() and not relation.attributes.exists():
            relation.delete()
