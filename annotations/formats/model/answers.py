"""Answers to further questions as files hold them: as words, and under names that a file allows."""

import re
from collections.abc import Collection, Iterable, Sequence
from math import isfinite

from annotations.formats.model.document import Document
from annotations.formats.model.scheme import AnswerKind, AnswerValue, SchemeSpec

# Parts several values where a file has one cell or attribute for them. No key of a value has it.
SEPARATOR = "|"
NUMBER = re.compile(r"[+-]?[0-9]{1,20}(?:\.[0-9]{1,20})?(?:[eE][+-]?[0-9]{1,2})?", re.ASCII)
PREFIX = "attribute_"
# Of keys that files may spell alike each is named with its number among them, from 1: `attribute_2_a_b`.
NUMBERED = re.compile(rf"{PREFIX}([1-9][0-9]?)_(.+)", re.ASCII)
OTHER_SIGNS = re.compile(r"[^a-z0-9]+")


def format_value(value: AnswerValue) -> str:
    if isinstance(value, tuple):
        return SEPARATOR.join(value)
    return value if isinstance(value, str) else repr(value)


def parse_value(value: AnswerValue, kind: AnswerKind) -> AnswerValue:
    """Return what a file says as an answer of the kind. Raise ValueError where it is none."""
    match kind:
        case AnswerKind.SEVERAL:
            words = value if isinstance(value, tuple) else format_value(value).split(SEPARATOR)
            return tuple(word for word in words if word)
        case AnswerKind.NUMBER:
            return parse_number(value)
    return format_value(value)


def parse_number(value: AnswerValue) -> int | float:
    """Return the number that a file says. Raise ValueError where it says none."""
    if not isinstance(value, (int, float)):
        words = format_value(value).strip()
        if not NUMBER.fullmatch(words):
            raise ValueError(words)
        value = int(words) if words.lstrip("+-").isdecimal() else float(words)
    if not isfinite(value):
        raise ValueError(value)
    return int(value) if value == int(value) else value


def fold_name(name: str) -> str:
    """Return what names have in common that files may spell in different ways."""
    return OTHER_SIGNS.sub("_", name.lower())


def _stem(key: str) -> str:
    """Return what keys have in common that files may spell in the same way."""
    return re.sub(f"^(?:{PREFIX})+", "", fold_name(key))


def _group_alike(keys: Iterable[str]) -> dict[str, list[str]]:
    """Return the keys, in order, by what is common to those that files may spell in the same way."""
    alike: dict[str, list[str]] = {}
    for key in sorted(set(keys)):
        alike.setdefault(_stem(key), []).append(key)
    return alike


def name_in_files(
    keys: Iterable[str], reserved: Collection[str] = (), scheme: SchemeSpec | None = None, *, hyphen: str = "-"
) -> dict[str, str]:
    """Return for each key of a question a name that begins with a letter, with `hyphen` for hyphens.

    Reserved and used names get a prefix; keys that files may spell alike get numbers, by which `KeysByName` finds them.
    """
    keys = list(keys)
    relations = [relation.key for relation in scheme.relations if not relation.identity] if scheme else []
    attributes = [attribute.key for attribute in scheme.attributes] if scheme else []
    alike = _group_alike([*keys, *relations, *attributes])
    names: dict[str, str] = {}
    used = set(map(fold_name, reserved))
    for key in keys:
        group = alike[_stem(key)]
        if len(group) > 1:
            names[key] = f"{PREFIX}{group.index(key) + 1}_{_stem(key)}"
            continue
        name = key.replace("-", hyphen)
        if fold_name(name).startswith(PREFIX):
            name = f"{PREFIX}{name}"
        while not name[0].isalpha() or fold_name(name) in used:
            name = f"{PREFIX}{name}"
        used.add(fold_name(name))
        names[key] = name
    return names


def name_attributes(documents: Sequence[Document], reserved: Collection[str], *, hyphen: str = "-") -> dict[str, str]:
    """Return the names of the attributes that documents have answers to, as `name_in_files` makes them, by key."""
    answers = (mark.answer for document in documents for mark in document.marks if mark.answer)
    keys = sorted({key for answer in answers for key, _ in answer.attributes})
    return name_in_files(keys, reserved, next((document.scheme for document in documents), None), hyphen=hyphen)


class KeysByName:
    """The keys of questions by the names, or numbers as `name_in_files` has them, that files have for them."""

    def __init__(self, keys: Iterable[str]) -> None:
        self.keys = set(keys)
        self.alike = _group_alike(self.keys)
        folded: dict[str, list[str]] = {}
        for key in self.keys:
            folded.setdefault(fold_name(key), []).append(key)
        self.folded = {name: alike[0] for name, alike in folded.items() if len(alike) == 1}

    def find(self, name: str) -> str | None:
        if name in self.keys:
            return name
        folded = fold_name(name)
        if numbered := NUMBERED.fullmatch(folded):
            group = self.alike.get(numbered[2], [])
            if 1 < len(group) >= int(numbered[1]):
                return group[int(numbered[1]) - 1]
        return self.folded.get(folded.removeprefix(PREFIX) or "_") or self.folded.get(folded)
