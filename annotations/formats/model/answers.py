"""Answers to attributes in files: values as words, and names of questions that files allow."""

import re
from collections.abc import Collection, Iterable, Sequence
from math import isfinite

from annotations.formats.model.document import Document
from annotations.formats.model.scheme import AnswerKind, AnswerValue, SchemeSpec

# Separates several values in one cell or attribute of a file. No key of a value contains it.
SEPARATOR = "|"
NUMBER = re.compile(r"[+-]?[0-9]{1,20}(?:\.[0-9]{1,20})?(?:[eE][+-]?[0-9]{1,2})?", re.ASCII)
PREFIX = "attribute_"
# Keys that files may spell alike are named with their number among these keys, from 1: `attribute_2_a_b`.
NUMBERED = re.compile(rf"{PREFIX}([1-9][0-9]?)_(.+)", re.ASCII)
OTHER_SIGNS = re.compile(r"[^a-z0-9]+")


def format_value(value: AnswerValue) -> str:
    if isinstance(value, tuple):
        return SEPARATOR.join(value)
    return value if isinstance(value, str) else repr(value)


def parse_value(value: AnswerValue, kind: AnswerKind) -> AnswerValue:
    """Return a value of a file as an answer of the kind. Raise ValueError if it is not an answer of that kind."""
    match kind:
        case AnswerKind.SEVERAL:
            words = value if isinstance(value, tuple) else format_value(value).split(SEPARATOR)
            return tuple(word for word in words if word)
        case AnswerKind.NUMBER:
            return parse_number(value)
    return format_value(value)


def parse_number(value: AnswerValue) -> int | float:
    """Return a value of a file as a number. Raise ValueError if it is not a finite number."""
    if not isinstance(value, (int, float)):
        words = format_value(value).strip()
        if not NUMBER.fullmatch(words):
            raise ValueError(words)
        value = int(words) if words.lstrip("+-").isdecimal() else float(words)
    if not isfinite(value):
        raise ValueError(value)
    return int(value) if value == int(value) else value


def fold_name(name: str) -> str:
    """Return the normalised form of a name, equal for all spellings of the name in files."""
    return OTHER_SIGNS.sub("_", name.lower())


def _stem(key: str) -> str:
    """Return the normalised form of a key, equal for keys that files may spell alike."""
    return re.sub(f"^(?:{PREFIX})+", "", fold_name(key))


def _group_alike(keys: Iterable[str]) -> dict[str, list[str]]:
    """Return the sorted keys, grouped by the normalised form of keys that files may spell alike."""
    alike: dict[str, list[str]] = {}
    for key in sorted(set(keys)):
        alike.setdefault(_stem(key), []).append(key)
    return alike


def name_in_files(
    keys: Iterable[str], reserved: Collection[str] = (), scheme: SchemeSpec | None = None, *, hyphen: str = "-"
) -> dict[str, str]:
    """Return the name of each question in files, by key; it begins with a letter and has `hyphen` for hyphens.

    Reserved and used names get a prefix; keys that files may spell alike get numbers, which `KeysByName` resolves.
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
    """Return the names from `name_in_files` of all attributes with answers in the documents, by key."""
    answers = (mark.answer for document in documents for mark in document.marks if mark.answer)
    keys = sorted({key for answer in answers for key, _ in answer.attributes})
    return name_in_files(keys, reserved, next((document.scheme for document in documents), None), hyphen=hyphen)


class KeysByName:
    """A lookup of the keys of questions by their names in files, also the numbered names of `name_in_files`."""

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
