"""What an operation may say: its shape, and what the scheme allows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from django.db.models import CharField, IntegerField, QuerySet
from django.db.models.functions import Length

from annotations.marking import MOST_PARTS, BadMark, mark, within
from annotations.models import Category, Coding, Level, Markable, Text
from annotations.models.coding import ENTITY_LENGTH, NAME_LENGTH
from annotations.models.pyramid import COMMENT_LENGTH, LABEL_LENGTH
from annotations.prepared import Several, prepared

LONGEST_NOTE = 10_000
# Antecedents or indices in one operation; a batch of them can still be looked up by one query.
MOST_NAMES = 50
FIELDS = ("markable", "category", "pointers", "indices", "note", "name", "head", "unsure", "optional")


class Refused(Exception):
    """An operation that breaks a rule. `position` is its place in the batch, from 0, or None for the batch."""

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
        """As it stands in the log and goes to the browser."""
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
class Clearing:
    """The judgement of a markable is taken away."""

    markable: str


@dataclass(frozen=True, slots=True)
class Unmarking:
    """A markable of the coder's own is deleted, with the pointers to it."""

    markable: str


@dataclass(frozen=True, slots=True)
class Moving:
    """A markable of the coder's own gets other edges, and so another key; its judgement and pointers go along."""

    markable: str
    to: str


@dataclass(frozen=True, slots=True)
class Description:
    """All that is said of an SCU; where that is nothing, only its contributors keep it there."""

    scu: str
    label: str = ""
    comment: str = ""

    def payload(self) -> dict[str, Any]:
        """As it stands in the log and goes to the browser."""
        return {"scu": self.scu, "label": self.label, "comment": self.comment}


type OfMarkable = Decision | Clearing | Unmarking | Moving
type Said = OfMarkable | Description


def read(kind: str, payload: Mapping[str, Any]) -> Said:
    """What an operation says. Raises Refused on a payload of another shape."""
    if kind == "describe":
        return _description(payload)
    key = _key(payload, "markable")
    match kind:
        case "judge":
            return _decision(key, payload)
        case "clear":
            _only(payload, ("markable",))
            return Clearing(key)
        case "unmark":
            _only(payload, ("markable",))
            return Unmarking(key)
        case "move":
            _only(payload, ("markable", "to"))
            return Moving(key, _key(payload, "to"))
    raise Refused("unknown_kind", f"There is no operation {kind!r} here.")


def _description(payload: Mapping[str, Any]) -> Description:
    _only(payload, ("scu", "label", "comment"))
    key = payload.get("scu")
    if not _storable(key) or not 0 < len(key) <= ENTITY_LENGTH:
        raise Refused("bad_payload", f"scu is a key of 1 to {ENTITY_LENGTH} characters.")
    label, comment = _words(payload, "label"), _words(payload, "comment")
    if len(label) > LABEL_LENGTH or len(comment) > COMMENT_LENGTH:
        raise Refused(
            "description_too_long",
            f"A label has at most {LABEL_LENGTH} characters, a comment at most {COMMENT_LENGTH}.",
        )
    return Description(key, label, comment)


def _decision(key: str, payload: Mapping[str, Any]) -> Decision:
    _only(payload, FIELDS)
    category = payload.get("category")
    if not (category is None or isinstance(category, str)):
        raise Refused("bad_payload", "category is a key or null.")
    return Decision(
        key,
        category,
        _names(payload, "pointers"),
        _names(payload, "indices"),
        _words(payload, "note"),
        _words(payload, "name"),
        _head(payload),
        _flag(payload, "unsure"),
        _flag(payload, "optional"),
    )


def _key(payload: Mapping[str, Any], field: str) -> str:
    key = payload.get(field)
    if not _storable(key):
        raise Refused("bad_payload", f"The payload names no {field if field == 'markable' else 'place to move to'}.")
    return key


def _only(payload: Mapping[str, Any], allowed: Sequence[str]) -> None:
    unknown = sorted(set(payload) - set(allowed))
    if unknown:
        raise Refused("bad_payload", f"The payload has an unknown field {unknown[0]!r}.")


def _words(payload: Mapping[str, Any], name: str) -> str:
    value = payload.get(name, "")
    if not _storable(value):
        raise Refused("bad_payload", f"{name} is a text without NUL or lone surrogates.")
    return value


def _names(payload: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = payload.get(name, [])
    if not isinstance(value, list) or len(value) > MOST_NAMES or not all(_storable(entry) for entry in value):
        raise Refused("bad_payload", f"{name} is a list of at most {MOST_NAMES} texts.")
    return tuple(value)


def _head(payload: Mapping[str, Any]) -> tuple[tuple[int, int], ...]:
    value = payload.get("head", [])
    if not isinstance(value, list) or len(value) > MOST_PARTS or not all(_is_span(part) for part in value):
        raise Refused("bad_payload", f"head is a list of at most {MOST_PARTS} pairs [start, end].")
    return tuple((start, end) for start, end in value)


def _is_span(part: object) -> bool:
    return isinstance(part, list) and len(part) == 2 and all(type(edge) is int for edge in part)


def _storable(value: object) -> TypeGuard[str]:
    """Whether the value is a text that both databases can hold."""
    if not isinstance(value, str) or "\x00" in value:
        return False
    return not any("\ud800" <= character <= "\udfff" for character in value)


def _flag(payload: Mapping[str, Any], name: str) -> bool:
    value = payload.get(name, False)
    if not isinstance(value, bool):
        raise Refused("bad_payload", f"{name} is true or false.")
    return value


@dataclass(frozen=True, slots=True)
class Rules:
    """What the scheme allows in one coding, for the markables that some operations name.

    `markables` are those that the coder sees; `new` are those that come to be because the coder names them; `wrong`
    says why others cannot.
    """

    answers: str
    categories: Mapping[str, Category]
    markables: Mapping[str, Markable]
    new: Mapping[str, Markable] = field(default_factory=dict)
    wrong: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, coding: Coding, keys: Iterable[str]) -> Rules:
        """The rules of the coding's project. Where coders mark themselves, a well-formed key is enough to mark."""
        project, named = coding.text.project, set(keys)
        levels = {level.pk: level for level in levels_of(project.pk)}
        markables = {one.key: one for one in _seen(coding.pk, coding.text_id, named)}
        for markable in markables.values():
            markable.level = levels[markable.level_id]
        categories = {category.key: category for category in categories_of(project.pk)}
        lacking = named - set(markables)
        new, wrong = _marked(coding, lacking) if lacking else ({}, {})
        return cls(project.answers, categories, markables, new, wrong)

    @property
    def by_index(self) -> bool:
        """Whether judgements may have indices."""
        return self.answers in ("indices", "scus")

    def check(self, decision: Decision) -> None:
        """Raise Refused where the scheme does not allow the decision."""
        markable = self.markable(decision.markable)
        if not markable.level.coded:
            raise Refused("not_coded", f"Markables of level {markable.level.key} are not judged, only pointed at.")
        category = None
        if decision.category is not None:
            category = self.categories.get(decision.category)
            if category is None:
                raise Refused("unknown_category", f"The scheme has no category {decision.category!r}.")
        self._check_pointers(decision, markable, category)
        self._check_indices(decision, category)
        if decision.head:
            check_head(decision, markable)
        if len(decision.note) > LONGEST_NOTE:
            raise Refused("note_too_long", f"A note has at most {LONGEST_NOTE} characters.")
        if len(decision.name) > NAME_LENGTH:
            raise Refused("name_too_long", f"A name has at most {NAME_LENGTH} characters.")

    def markable(self, key: str) -> Markable:
        """The markable of that key, there already or new. Raises Refused."""
        markable = self.markables.get(key) or self.new.get(key)
        if key in self.wrong:
            raise Refused("bad_markable", self.wrong[key])
        if markable is None:
            raise Refused("unknown_markable", f"The text has no markable {key!r}.")
        return markable

    def _check_pointers(self, decision: Decision, markable: Markable, category: Category | None) -> None:
        if not decision.pointers:
            return
        if category is None or category.points_to is None:
            raise Refused("no_pointer_here", f"The category {decision.category!r} takes no antecedent.")
        if len(set(decision.pointers)) < len(decision.pointers):
            raise Refused("double_pointer", "An antecedent is named twice.")
        if category.max_pointers is not None and len(decision.pointers) > category.max_pointers:
            raise Refused("too_many_pointers", f"{category.key} takes at most {category.max_pointers} antecedents.")
        for key in decision.pointers:
            target = self.markable(key)
            if target.key == markable.key:
                raise Refused("points_at_itself", f"{key!r} cannot be its own antecedent.")
            if target.level_id != category.points_to_id:
                raise Refused(
                    "wrong_level", f"{category.key} points at level {category.points_to.key}, not at {key!r}."
                )
            if not category.allow_later and text_order(target) > text_order(markable):
                raise Refused("points_later", f"{key!r} comes later in the text than {decision.markable!r}.")

    def _check_indices(self, decision: Decision, category: Category | None) -> None:
        if not decision.indices:
            return
        if not self.by_index or category is None or not category.takes_index:
            raise Refused("no_index_here", f"The category {decision.category!r} takes no index.")
        if len(set(decision.indices)) < len(decision.indices):
            raise Refused("double_index", "An index is named twice.")
        if any(not index or len(index) > ENTITY_LENGTH for index in decision.indices):
            raise Refused("bad_index", f"An index has 1 to {ENTITY_LENGTH} characters.")


@prepared(IntegerField(), IntegerField(), Several(CharField()))
def _seen(coding: int, text: int, keys: Collection[str]) -> QuerySet[Markable]:
    return Markable.objects.seen_in(coding, text).filter(key__in=keys).order_by()


@prepared(IntegerField())
def levels_of(project: int) -> QuerySet[Level]:
    """The levels of a project in the order in which they are shown."""
    return Level.objects.filter(project=project)


@prepared(IntegerField())
def categories_of(project: int) -> QuerySet[Category]:
    """The categories of a project in the order in which they are shown, with the levels that they point to."""
    return Category.objects.filter(project=project).select_related("points_to")


def check_head(decision: Decision, markable: Markable) -> None:
    """Raise Refused unless the head is made of words of the markable."""
    if any(start >= end for start, end in decision.head) or not within(decision.head, markable.parts):
        raise Refused("bad_head", f"The head of {markable.key!r} is not made of its own words.")


def text_order(markable: Markable) -> tuple[int, int]:
    """Earlier starts first; of two that start together the longer, so a turn comes before what it holds."""
    return (markable.start, -markable.end)


def _marked(coding: Coding, keys: Iterable[str]) -> tuple[dict[str, Markable], dict[str, str]]:
    """The unsaved markables that the keys name where coders mark themselves, and what is wrong with other keys."""
    levels = {level.key: level for level in levels_of(coding.text.project_id) if level.coders_mark}
    if not levels:
        return {}, {}
    # The database counts, so that a long text is not read for each answer.
    length = Text.objects.filter(pk=coding.text_id).values_list(Length("content"), flat=True).get()
    new, wrong = {}, {}
    for key in keys:
        try:
            new[key] = mark(key, levels, length)
        except BadMark as error:
            wrong[key] = str(error)
    return new, wrong
