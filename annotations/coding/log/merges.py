"""Merges of answers in the log of a coding, after values of the scheme were merged. Pure.

Each change names the question with the old and the new answer. So the log is replayed without the scheme, and the
opposite changes undo a merge.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from annotations.coding.decisions import Decision, OperationRejected
from annotations.core.text import is_storable
from annotations.formats.model.scheme import CATEGORY
from annotations.schemes.constraints import MAX_KEYS

type ListedAnswer = str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AnswerChange:
    """The change of one judgement's answer to a question with listed values: its category or an attribute."""

    markable: str
    question: str
    old: ListedAnswer
    new: ListedAnswer

    def payload(self) -> list[Any]:
        answers = (list(answer) if isinstance(answer, tuple) else answer for answer in (self.old, self.new))
        return [self.markable, self.question, *answers]

    @property
    def opposite(self) -> AnswerChange:
        return AnswerChange(self.markable, self.question, self.new, self.old)

    def is_of(self, decision: Decision | None) -> bool:
        """Return whether the decision has the old answer."""
        if decision is None:
            return False
        answer = decision.category if self.question == CATEGORY else dict(decision.attributes).get(self.question)
        return answer == self.old

    def apply(self, decision: Decision) -> Decision:
        if self.question == CATEGORY and isinstance(self.new, str):
            return replace(decision, category=self.new)
        attributes = dict(decision.attributes) | {self.question: self.new}
        return replace(decision, attributes=tuple(sorted(attributes.items())))


def merge_payload(changes: Iterable[AnswerChange]) -> dict[str, Any]:
    return {"changes": [change.payload() for change in changes]}


def parse_merge(payload: Mapping[str, Any]) -> tuple[AnswerChange, ...]:
    """Return the changes in a payload of the log. Raise OperationRejected if the payload has another shape."""
    changes = payload.get("changes")
    if payload.keys() != {"changes"} or not isinstance(changes, list) or not changes:
        raise OperationRejected("bad_payload", "a merge has changes of answers.")
    return tuple(_parse_change(change) for change in changes)


def _parse_change(value: Any) -> AnswerChange:
    match value:
        case [str(markable), str(question), old, new] if (
            is_storable(markable) and is_storable(question) and _is_answer(old, question) and _is_answer(new, question)
        ):
            old, new = (tuple(answer) if isinstance(answer, list) else answer for answer in (old, new))
            return AnswerChange(markable, question, old, new)
    raise OperationRejected("bad_payload", "a change of a merge has a markable, a question, and answers to it.")


def _is_answer(value: object, question: str) -> bool:
    if isinstance(value, list):
        values = value if question != CATEGORY else []
        return 0 < len(values) <= MAX_KEYS and all(isinstance(answer, str) and is_storable(answer) for answer in values)
    return isinstance(value, str) and value != "" and is_storable(value)
