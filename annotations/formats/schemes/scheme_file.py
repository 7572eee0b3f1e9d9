"""What every kind of scheme file offers, and what their readers share."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from annotations.formats.mmax2.scheme import make_key
from annotations.formats.model import scheme as specs
from annotations.formats.model.encodings import decode
from annotations.formats.model.findings import Finding, Findings, FormatError
from annotations.formats.model.format import File
from annotations.formats.syntax.archive import unpack
from annotations.formats.syntax.xml import parse

if TYPE_CHECKING:
    from lxml import etree

# A scheme file is small; a zip may hold those of a whole corpus, of which few are read.
MOST_BYTES = 2_000_000
MOST_FILES = 20_000
MOST_UNPACKED_BYTES = 50_000_000
LONGEST_LABEL = 100
LONGEST_HELP = 1000
MOST_LOSSES = 200

POINTERS, INDICES, CATEGORIES = "pointers", "indices", "categories"


@dataclass(frozen=True, slots=True)
class SchemeFile:
    """A scheme that was read: how its coders answer, and what the file says besides that a scheme here cannot say."""

    spec: specs.SchemeSpec
    answers: str
    losses: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class SchemeFormat:
    """A kind of scheme file."""

    key: str
    label: str
    # `read(files, name)` of the files of an upload called `name`, by their paths; raises FormatError and nothing else.
    read: Callable[[Mapping[str, bytes], str], SchemeFile]
    # `write(spec, answers)` returns the files and what they cannot say.
    write: Callable[[specs.SchemeSpec, str], tuple[list[File], list[str]]] | None = None


class SchemeReader(Findings):
    """A file while it becomes a scheme, with what a scheme here cannot say. used: the keys of its questions."""

    def __init__(self, file: str) -> None:
        super().__init__(file, most=MOST_LOSSES, code="scheme-loss", noun="things")
        self.used = {specs.CATEGORY}

    def make_key(self, name: str) -> str:
        """Return a key for a question that is made of the name and not used yet."""
        return make_keys([name], self.used)[name]

    def identity_categories(self, name: str, label: str, to: str, level: str = "") -> tuple[specs.CategorySpec, ...]:
        """Return the categories of a scheme that asks for identity alone: what points to a level, and what does not."""
        key = self.make_key(name)
        pointing = specs.CategorySpec(key, fit_label(label, key), points_to=to, allow_later=True, level=level)
        none = specs.CategorySpec("none" if key != "none" else "no-antecedent", "none", level=level)
        self.used.add(none.key)
        return pointing, none

    def scheme_file(
        self,
        levels: Iterable[specs.LevelSpec],
        categories: Collection[specs.CategorySpec],
        relations: Iterable[specs.RelationSpec],
        attributes: Iterable[specs.AttributeSpec],
        answers: str,
    ) -> SchemeFile:
        every_relation = (*specs.identity_relations(categories), *relations)
        spec = specs.SchemeSpec(tuple(levels), tuple(categories), every_relation, tuple(attributes))
        return SchemeFile(spec, answers, self.listed())


def make_keys(names: Iterable[str], used: set[str] | None = None) -> dict[str, str]:
    """Return a key for each name, no two alike and none among those that are used, to which they are added."""
    used = set() if used is None else used
    keys: dict[str, str] = {}
    for name in dict.fromkeys(names):
        keys[name] = make_key(name, used)
        used.add(keys[name])
    return keys


def fit_label(text: str, other: str = "") -> str:
    """Return the text as a label: on one line, cut where it is too long, and `other` where it is empty."""
    label = " ".join(text.split()) or " ".join(other.split())
    return label if len(label) <= LONGEST_LABEL else f"{label[: LONGEST_LABEL - 1]}…"


def fit_help(text: str) -> str:
    text = text.strip()
    return text if len(text) <= LONGEST_HELP else f"{text[: LONGEST_HELP - 1]}…"


def files_of(data: bytes, name: str) -> dict[str, bytes]:
    """Return the files of an upload by their paths: those of a zip, or the one. Raise FormatError on too large ones."""
    if name.lower().endswith(".zip") or data.startswith(b"PK\x03\x04"):
        return dict(unpack(data, name, most_files=MOST_FILES, most_bytes=MOST_UNPACKED_BYTES))
    return {name: _bounded({name: data}, name)}


def text_of(files: Mapping[str, bytes], path: str) -> str:
    """Return the text of a scheme file. Raise FormatError where it is too long, or no text."""
    return decode(_bounded(files, path), path)


def xml_of(files: Mapping[str, bytes], path: str) -> etree._Element:
    return parse(_bounded(files, path), path)


def json_of(files: Mapping[str, bytes], path: str) -> Any:
    text = text_of(files, path)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise FormatError(f"this is not JSON: {error.msg}", path, error.lineno, error.colno) from None
    except (RecursionError, ValueError) as error:
        raise FormatError(f"this JSON cannot be read: {error}", path) from None


def _bounded(files: Mapping[str, bytes], path: str) -> bytes:
    if len(files[path]) > MOST_BYTES:
        raise FormatError(f"a scheme file has at most {MOST_BYTES // 1_000_000} MB", path)
    return files[path]


def base_name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


def find_by_name(files: Collection[str], name: str) -> str | None:
    """Return the path of the file of that name, in any case, that lies in the fewest folders."""
    found = [path for path in files if base_name(path).lower() == name.lower()]
    return min(found, key=lambda path: (path.count("/"), path), default=None)
