"""The judgement of a markable: the fields that files, operations, rows and archives have in common."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields

from annotations.formats.model.scheme import AnswerValue

# Targets of one reading are meant together, like the two people of "they"; several readings are alternatives.
type Reading[Target] = tuple[Target, ...]
type Readings[Target] = tuple[Reading[Target], ...]


# Judgements are never changed. The class is not frozen, since that makes creation four times as slow, and an export
# creates a million of them.
@dataclass(slots=True, unsafe_hash=True, kw_only=True)
class JudgementData[Target]:
    """The judgement of a markable without category and antecedents, whose form differs by source."""

    indices: tuple[str, ...] = ()  # the entities that it belongs to
    note: str = ""
    name: str = ""  # what the coder calls the chain
    unsure: bool = False
    optional: bool = False
    relations: tuple[tuple[str, Readings[Target]], ...] = ()  # other than identity, in the order of their keys
    attributes: tuple[tuple[str, AnswerValue], ...] = ()  # in the order of their keys


# Fields with a single value, in files and in rows.
VALUE_FIELDS = tuple(field.name for field in fields(JudgementData) if field.type in ("str", "bool"))


def targets_of[Target](readings: Readings[Target]) -> Iterator[Target]:
    """Yield the targets of all readings, with repetitions."""
    for reading in readings:
        yield from reading
