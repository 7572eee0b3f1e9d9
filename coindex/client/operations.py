"""The operations that change a coding. Each has its own uuid: sent again, it is applied once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict
from uuid import uuid4

from coindex.client.connection import without_none

# Keys of markables: alternatives, or lists of markables that are meant together.
type Readings = Sequence[str | Sequence[str]]
type AttributeValue = str | float | Sequence[str]


class Operation(TypedDict):
    """An operation to send. Operations of one `step` are undone together; `undoes` names the undone step."""

    uuid: str
    kind: str
    payload: dict[str, Any]
    made_at: NotRequired[str | None]
    step: NotRequired[str | None]
    undoes: NotRequired[str | None]


def new_uuid() -> str:
    """Return a new uuid for an operation or a step."""
    return str(uuid4())


def _operation(kind: str, **payload: Any) -> Operation:
    return {"uuid": new_uuid(), "kind": kind, "payload": without_none(payload)}


def judge(
    markable: str,
    category: str | None = None,
    *,
    pointers: Readings | None = None,
    indices: Sequence[str] | None = None,
    relations: Mapping[str, Readings] | None = None,
    attributes: Mapping[str, AttributeValue] | None = None,
    note: str | None = None,
    name: str | None = None,
    head: Sequence[Sequence[int]] | None = None,
    unsure: bool | None = None,
    optional: bool | None = None,
) -> Operation:
    """Set the whole judgement of a markable; omitted parts become empty."""
    return _operation(
        "judge",
        markable=markable,
        category=category,
        pointers=pointers,
        indices=indices,
        relations=relations,
        attributes=attributes,
        note=note,
        name=name,
        head=head,
        unsure=unsure,
        optional=optional,
    )


def clear(markable: str) -> Operation:
    """Remove the judgement of a markable."""
    return _operation("clear", markable=markable)


def unmark(markable: str) -> Operation:
    """Delete a markable of your own, with the pointers to it."""
    return _operation("unmark", markable=markable)


def move(markable: str, to: str) -> Operation:
    """Change the boundaries, and so the key, of a markable of your own."""
    return _operation("move", markable=markable, to=to)


def describe(scu: str, label: str = "", comment: str = "") -> Operation:
    """Set the label and the comment of an SCU."""
    return _operation("describe", scu=scu, label=label, comment=comment)


def check(markable: str) -> Operation:
    """Compare the judgement of a markable with the gold, in training."""
    return _operation("check", markable=markable)


def decide(
    items: Sequence[tuple[str, str]],
    source: str,
    *,
    codings: Sequence[str] | None = None,
    reason: str | None = None,
    section: str | None = None,
    note: str | None = None,
) -> Operation:
    """Decide items of gold, each a markable and a question, with a reason."""
    return _operation(
        "decide",
        items=[list(item) for item in items],
        source=source,
        codings=codings,
        reason=reason,
        section=section,
        note=note,
    )
