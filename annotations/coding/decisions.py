"""Operations as payloads: their meaning and their required shape."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, asdict, dataclass
from operator import attrgetter
from typing import Any

from annotations.coding.log.payloads import (
    PAYLOADS,
    Reason,
    Source,
    bad_payload,
    is_span,
    parse_attributes,
    parse_payload,
    readings_by_key,
)
from annotations.coding.log.payloads import OperationRejected as OperationRejected
from annotations.coding.readings import Readings, is_readings, parse_readings, readings_payload
from annotations.formats.model.judgement import VALUE_FIELDS, JudgementData, targets_of
from annotations.formats.model.scheme import AnswerValue
from annotations.schemes.constraints import MAX_KEYS

# Fields that a payload omits when empty.
FURTHER_FIELDS = ("relations", "attributes")
# Fields that every payload has.
DECISION_FIELDS = tuple(name for name in PAYLOADS["judge"] if name not in FURTHER_FIELDS)
# Fields that are columns of `Judgement`, under the same names.
ROW_FIELDS = tuple(name for name in DECISION_FIELDS if name in ("head", *VALUE_FIELDS))


@dataclass(slots=True, unsafe_hash=True)
class Decision(JudgementData[str]):
    """The whole judgement of one markable, by keys. `pointers` are the readings of the identity relation."""

    markable: str
    _: KW_ONLY
    category: str | None = None
    pointers: Readings = ()
    head: tuple[tuple[int, int], ...] = ()

    def targets(self) -> Iterator[str]:
        """Yield the keys of all targets, repeated as often as they are named."""
        yield from targets_of(self.pointers)
        for _, readings in self.relations:
            yield from targets_of(readings)

    def payload(self) -> dict[str, Any]:
        payload: dict[str, Any] = {name: getattr(self, name) for name in DECISION_FIELDS}
        payload["pointers"] = readings_payload(self.pointers)
        payload["indices"] = list(self.indices)
        payload["head"] = [list(part) for part in self.head]
        if self.relations or self.attributes:
            payload |= further_payload(self.relations, self.attributes)
        return payload


# The values of ROW_FIELDS of a decision.
row_values = attrgetter(*ROW_FIELDS)


def fields_of_row(values: Iterable[Any]) -> dict[str, Any]:
    """Return the fields of a decision from the values of ROW_FIELDS in a row, payload or archive."""
    fields = dict(zip(ROW_FIELDS, values, strict=True))
    fields["head"] = tuple((start, end) for start, end in fields["head"])
    return fields


def further_payload(
    relations: Iterable[tuple[str, Readings]], attributes: Iterable[tuple[str, AnswerValue]]
) -> dict[str, Any]:
    """Return the optional fields of a payload, for further relations and attributes; without those that are empty."""
    payload: dict[str, Any] = {}
    if relations:
        payload["relations"] = {key: readings_payload(readings) for key, readings in relations}
    if attributes:
        payload["attributes"] = {key: list(value) if isinstance(value, tuple) else value for key, value in attributes}
    return payload


@dataclass(frozen=True, slots=True)
class ClearJudgement:
    """The removal of the judgement of a markable."""

    markable: str


@dataclass(frozen=True, slots=True)
class DeleteMarkable:
    """The deletion of a coder's own markable, with the pointers to it."""

    markable: str


@dataclass(frozen=True, slots=True)
class MoveMarkable:
    """The change of the boundaries, and therefore the key, of a coder's own markable; judgement and pointers follow."""

    markable: str
    to: str


@dataclass(frozen=True, slots=True)
class CheckJudgement:
    """The comparison of the judgement of a markable with the gold, in training."""

    markable: str


@dataclass(frozen=True, slots=True)
class DecideItems:
    """The decision on items of gold, each a markable and a question, with its reason. It changes no judgement."""

    # codings: the last operations of the codings whose answer was taken. section: a heading of the guidelines.

    items: tuple[tuple[str, str], ...]
    source: Source
    codings: tuple[str, ...] = ()
    reason: Reason = Reason.NONE
    section: str = ""
    note: str = ""

    def payload(self) -> dict[str, Any]:
        """Return the payload as the log has it, without empty fields."""
        fields = {"items": [list(item) for item in self.items], "codings": list(self.codings)}
        payload = asdict(self) | fields | {"source": str(self.source), "reason": str(self.reason)}
        return {name: value for name, value in payload.items() if value}


@dataclass(frozen=True, slots=True)
class Description:
    """The label and comment of an SCU. An SCU with neither exists only as long as it has contributors."""

    scu: str
    label: str = ""
    comment: str = ""

    def payload(self) -> dict[str, Any]:
        return asdict(self)


type MarkableOperation = Decision | ClearJudgement | DeleteMarkable | MoveMarkable
# Operations that write to other tables than the log, or depend on them.
type WritingOperation = MarkableOperation | CheckJudgement | Description
type OperationPayload = WritingOperation | DecideItems
# The operation classes, by the kinds of PAYLOADS.
OPERATIONS: dict[str, Callable[..., OperationPayload]] = {
    "judge": Decision,
    "clear": ClearJudgement,
    "unmark": DeleteMarkable,
    "move": MoveMarkable,
    "describe": Description,
    "check": CheckJudgement,
    "decide": DecideItems,
}


def parse_operation(kind: str, payload: Mapping[str, Any]) -> OperationPayload:
    """Return the operation that a payload describes. Raise OperationRejected if the payload has another shape."""
    fields = parse_payload(kind, payload)
    operation = OPERATIONS[kind](**fields)
    if isinstance(operation, Decision) and operation.relations and sum(1 for _ in operation.targets()) > MAX_KEYS:
        raise bad_payload(f"pointers and relations name at most {MAX_KEYS} targets.")
    if isinstance(operation, DecideItems) and bool(operation.codings) != (operation.source == Source.CODER):
        raise bad_payload("codings names whose answer was taken where the source is coder.")
    return operation


def import_decision(payload: Mapping[str, Any]) -> Decision:
    """Return the decision of an import in the log; it may have more targets than a coder's operation."""
    return Decision(
        payload["markable"],
        category=payload["category"],
        pointers=parse_readings(payload["pointers"]),
        indices=tuple(payload["indices"]),
        **fields_of_row(payload[name] for name in ROW_FIELDS),
        relations=readings_by_key(payload.get("relations", {})),
        attributes=parse_attributes(payload.get("attributes", {})),
    )


def check_descriptions(scus: object) -> None:
    """Raise OperationRejected unless the value is a list of descriptions of SCUs, as imports have it."""
    if not isinstance(scus, list) or not all(isinstance(description, dict) for description in scus):
        raise bad_payload("its SCUs are no list.")
    for description in scus:
        parse_operation("describe", description)


def is_import_decision(payload: object) -> bool:
    """Return whether the value is the payload of an imported decision, which may have more targets than a coder's."""
    if not isinstance(payload, dict) or payload.keys() - FURTHER_FIELDS != set(DECISION_FIELDS):
        return False
    relations, indices, head = payload.get("relations", {}), payload["indices"], payload["head"]

    def is_text(value: object) -> bool:
        return isinstance(value, str)

    try:
        parse_operation("judge", payload | {"pointers": [], "indices": [], "head": [], "relations": {}})
    except OperationRejected:
        return False
    return (
        isinstance(relations, dict)
        and all(is_readings(readings, is_text) for readings in (payload["pointers"], *relations.values()))
        and isinstance(indices, list)
        and all(map(is_text, indices))
        and isinstance(head, list)
        and all(map(is_span, head))
    )
