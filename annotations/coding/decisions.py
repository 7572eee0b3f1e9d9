"""Operations as payloads: their shape, and the rules of the scheme that they must keep."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import CharField, IntegerField, QuerySet
from django.db.models.functions import Length

from annotations.coding.markables import MAX_PARTS, InvalidMarkable, lies_within, new_markable
from annotations.core.compiled_queries import ListParameter, compiled_query
from annotations.core.text import is_storable
from annotations.models import Category, Coding, Markable, Text
from annotations.models.coding import ENTITY_LENGTH, NAME_LENGTH
from annotations.models.docset import COMMENT_LENGTH, LABEL_LENGTH
from annotations.schemes.project_scheme import categories_of, levels_of

MAX_NOTE_LENGTH = 10_000
# Antecedents or indices of one operation: few enough that one query can look up those of a whole batch.
MAX_KEYS = 50
DECISION_FIELDS = ("markable", "category", "pointers", "indices", "note", "name", "head", "unsure", "optional")


class OperationRejected(Exception):
    """An operation that breaks a rule. `position` is its index in the batch, from 0; None if it concerns the batch."""

    def __init__(self, code: str, message: str, position: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.position = position


@dataclass(frozen=True, slots=True)
class Decision:
    """The whole judgement of one markable."""

    markable: str
    category: str | None = None
    pointers: tuple[str, ...] = ()
    indices: tuple[str, ...] = ()
    note: str = ""
    name: str = ""
    head: tuple[tuple[int, int], ...] = ()
    unsure: bool = False
    optional: bool = False

    def payload(self) -> dict[str, Any]:
        """Return the payload as it is written to the log and sent to the browser."""
        return {
            "markable": self.markable,
            "category": self.category,
            "pointers": list(self.pointers),
            "indices": list(self.indices),
            "note": self.note,
            "name": self.name,
            "head": [list(part) for part in self.head],
            "unsure": self.unsure,
            "optional": self.optional,
        }


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
    """The change of the boundaries of a coder's own markable, and so of its key; judgement and pointers follow."""

    markable: str
    to: str


@dataclass(frozen=True, slots=True)
class Description:
    """The label and comment of an SCU. An SCU with neither exists only as long as it has contributors."""

    scu: str
    label: str = ""
    comment: str = ""

    def payload(self) -> dict[str, Any]:
        """Return the payload as it is written to the log and sent to the browser."""
        return {"scu": self.scu, "label": self.label, "comment": self.comment}


type MarkableOperation = Decision | ClearJudgement | DeleteMarkable | MoveMarkable
type OperationPayload = MarkableOperation | Description


def parse_operation(kind: str, payload: Mapping[str, Any]) -> OperationPayload:
    """Return the operation that a payload describes. Raise OperationRejected if the payload has another shape."""
    if kind == "describe":
        return _parse_description(payload)
    key = _parse_key(payload, "markable")
    match kind:
        case "judge":
            return _parse_decision(key, payload)
        case "clear":
            _refuse_unknown_fields(payload, ("markable",))
            return ClearJudgement(key)
        case "unmark":
            _refuse_unknown_fields(payload, ("markable",))
            return DeleteMarkable(key)
        case "move":
            _refuse_unknown_fields(payload, ("markable", "to"))
            return MoveMarkable(key, _parse_key(payload, "to"))
    raise OperationRejected("unknown_kind", f"There is no operation {kind!r} here.")


def _parse_description(payload: Mapping[str, Any]) -> Description:
    _refuse_unknown_fields(payload, ("scu", "label", "comment"))
    key = payload.get("scu")
    if not is_storable(key) or not 0 < len(key) <= ENTITY_LENGTH:
        raise OperationRejected("bad_payload", f"scu is a key of 1 to {ENTITY_LENGTH} characters.")
    label, comment = _parse_text(payload, "label"), _parse_text(payload, "comment")
    if len(label) > LABEL_LENGTH or len(comment) > COMMENT_LENGTH:
        raise OperationRejected(
            "description_too_long",
            f"A label has at most {LABEL_LENGTH} characters, a comment at most {COMMENT_LENGTH}.",
        )
    return Description(key, label, comment)


def _parse_decision(key: str, payload: Mapping[str, Any]) -> Decision:
    _refuse_unknown_fields(payload, DECISION_FIELDS)
    category = payload.get("category")
    if not (category is None or isinstance(category, str)):
        raise OperationRejected("bad_payload", "category is a key or null.")
    return Decision(
        key,
        category,
        _parse_keys(payload, "pointers"),
        _parse_keys(payload, "indices"),
        _parse_text(payload, "note"),
        _parse_text(payload, "name"),
        _parse_head(payload),
        _parse_flag(payload, "unsure"),
        _parse_flag(payload, "optional"),
    )


def _parse_key(payload: Mapping[str, Any], field: str) -> str:
    key = payload.get(field)
    if not is_storable(key):
        raise OperationRejected(
            "bad_payload", f"The payload names no {field if field == 'markable' else 'place to move to'}."
        )
    return key


def _refuse_unknown_fields(payload: Mapping[str, Any], allowed: Sequence[str]) -> None:
    unknown = sorted(set(payload) - set(allowed))
    if unknown:
        raise OperationRejected("bad_payload", f"The payload has an unknown field {unknown[0]!r}.")


def _parse_text(payload: Mapping[str, Any], name: str) -> str:
    value = payload.get(name, "")
    if not is_storable(value):
        raise OperationRejected("bad_payload", f"{name} is a text without NUL or lone surrogates.")
    return value


def _parse_keys(payload: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = payload.get(name, [])
    if not isinstance(value, list) or len(value) > MAX_KEYS or not all(is_storable(entry) for entry in value):
        raise OperationRejected("bad_payload", f"{name} is a list of at most {MAX_KEYS} texts.")
    return tuple(value)


def _parse_head(payload: Mapping[str, Any]) -> tuple[tuple[int, int], ...]:
    value = payload.get("head", [])
    if not isinstance(value, list) or len(value) > MAX_PARTS or not all(_is_span(part) for part in value):
        raise OperationRejected("bad_payload", f"head is a list of at most {MAX_PARTS} pairs [start, end].")
    return tuple((start, end) for start, end in value)


def _is_span(part: object) -> bool:
    return isinstance(part, list) and len(part) == 2 and all(type(edge) is int for edge in part)


def _parse_flag(payload: Mapping[str, Any], name: str) -> bool:
    value = payload.get(name, False)
    if not isinstance(value, bool):
        raise OperationRejected("bad_payload", f"{name} is true or false.")
    return value


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of the scheme for one coding and the markables that some operations name.

    `markables` are those that the coder sees, by key; `new` are the unsaved ones that come into being because the
    coder names them; `invalid` maps each key that cannot be a markable to the reason.
    """

    answers: str
    categories: Mapping[str, Category]
    markables: Mapping[str, Markable]
    new: Mapping[str, Markable] = field(default_factory=dict)
    invalid: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def for_coding(cls, coding: Coding, keys: Iterable[str]) -> Rules:
        """Return the rules for these keys. Where coders mark themselves, every well-formed key names a markable."""
        project, keys = coding.text.project, set(keys)
        levels = {level.pk: level for level in levels_of(project.pk)}
        markables = {markable.key: markable for markable in _visible_markables(coding.pk, coding.text_id, keys)}
        for markable in markables.values():
            markable.level = levels[markable.level_id]
        categories = {category.key: category for category in categories_of(project.pk)}
        missing = keys - set(markables)
        new, invalid = _new_markables(coding, missing) if missing else ({}, {})
        return cls(project.answers, categories, markables, new, invalid)

    @property
    def uses_indices(self) -> bool:
        """Whether judgements may have indices."""
        return self.answers in ("indices", "scus")

    def check(self, decision: Decision) -> None:
        """Raise OperationRejected if the scheme does not allow the decision."""
        markable = self.markable(decision.markable)
        if not markable.level.coded:
            raise OperationRejected(
                "not_coded", f"Markables of level {markable.level.key} are only targets of pointers."
            )
        category = None
        if decision.category is not None:
            category = self.categories.get(decision.category)
            if category is None:
                raise OperationRejected("unknown_category", f"The scheme has no category {decision.category!r}.")
        self._check_pointers(decision, markable, category)
        self._check_indices(decision, category)
        if decision.head:
            check_head(decision, markable)
        if len(decision.note) > MAX_NOTE_LENGTH:
            raise OperationRejected("note_too_long", f"A note has at most {MAX_NOTE_LENGTH} characters.")
        if len(decision.name) > NAME_LENGTH:
            raise OperationRejected("name_too_long", f"A name has at most {NAME_LENGTH} characters.")

    def markable(self, key: str) -> Markable:
        """Return the markable of that key, saved or new. Raise OperationRejected if there is none."""
        markable = self.markables.get(key) or self.new.get(key)
        if key in self.invalid:
            raise OperationRejected("bad_markable", self.invalid[key])
        if markable is None:
            raise OperationRejected("unknown_markable", f"The text has no markable {key!r}.")
        return markable

    def _check_pointers(self, decision: Decision, markable: Markable, category: Category | None) -> None:
        if not decision.pointers:
            return
        if category is None or category.points_to is None:
            raise OperationRejected("no_pointer_here", f"The category {decision.category!r} takes no antecedent.")
        if len(set(decision.pointers)) < len(decision.pointers):
            raise OperationRejected("double_pointer", "An antecedent is named twice.")
        if category.max_pointers is not None and len(decision.pointers) > category.max_pointers:
            raise OperationRejected(
                "too_many_pointers", f"{category.key} takes at most {category.max_pointers} antecedents."
            )
        for key in decision.pointers:
            target = self.markable(key)
            if target.key == markable.key:
                raise OperationRejected("points_at_itself", f"{key!r} cannot be its own antecedent.")
            if target.level_id != category.points_to_id:
                raise OperationRejected(
                    "wrong_level", f"{category.key} points at level {category.points_to.key}, not at {key!r}."
                )
            if not category.allow_later and text_order(target) > text_order(markable):
                raise OperationRejected("points_later", f"{key!r} comes later in the text than {decision.markable!r}.")

    def _check_indices(self, decision: Decision, category: Category | None) -> None:
        if not decision.indices:
            return
        if not self.uses_indices or category is None or not category.takes_index:
            raise OperationRejected("no_index_here", f"The category {decision.category!r} takes no index.")
        if len(set(decision.indices)) < len(decision.indices):
            raise OperationRejected("double_index", "An index is named twice.")
        if any(not index or len(index) > ENTITY_LENGTH for index in decision.indices):
            raise OperationRejected("bad_index", f"An index has 1 to {ENTITY_LENGTH} characters.")


@compiled_query(IntegerField(), IntegerField(), ListParameter(CharField()))
def _visible_markables(coding: int, text: int, keys: Collection[str]) -> QuerySet[Markable]:
    return Markable.objects.seen_in(coding, text).filter(key__in=keys).order_by()


def check_head(decision: Decision, markable: Markable) -> None:
    """Raise OperationRejected unless the head lies within the markable."""
    if any(start >= end for start, end in decision.head) or not lies_within(decision.head, markable.parts):
        raise OperationRejected("bad_head", f"The head of {markable.key!r} is not made of its own words.")


def text_order(markable: Markable) -> tuple[int, int]:
    """Return a sort key: earlier starts first; of equal starts the longer first, so that a turn precedes its parts."""
    return (markable.start, -markable.end)


def _new_markables(coding: Coding, keys: Iterable[str]) -> tuple[dict[str, Markable], dict[str, str]]:
    """Return the unsaved markables of the keys where coders mark themselves, and the reason for each invalid key."""
    levels = {level.key: level for level in levels_of(coding.text.project_id) if level.coders_mark}
    if not levels:
        return {}, {}
    # The database computes the length, so that a long text is not read for each judgement.
    length = Text.objects.filter(pk=coding.text_id).values_list(Length("content"), flat=True).get()
    new, invalid = {}, {}
    for key in keys:
        try:
            new[key] = new_markable(key, levels, length)
        except InvalidMarkable as error:
            invalid[key] = str(error)
    return new, invalid
