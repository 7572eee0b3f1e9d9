"""The files of an MMAX2 project: their grouping, the words, and the markables as written."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

from annotations.formats.mmax2.elements import LEVEL_FILE, SCHEME_FILE
from annotations.formats.mmax2.scheme import UNSET, Link, Question, make_key
from annotations.formats.model.findings import FormatError
from annotations.formats.model.format import Bundle, stem
from annotations.formats.model.slips import Slips
from annotations.formats.model.spans import merge_spans
from annotations.formats.syntax.xml import local_name, parse

if TYPE_CHECKING:
    from lxml import etree

# Names of the levels that show the layout of a text; the first name that a project has is used.
LAYOUTS = {
    "turn": ("turn", "turns"),
    "sentence": ("sentence", "sentences", "utterance", "utterances"),
    "paragraph": ("paragraph", "paragraphs"),
    "header": ("header", "headers"),
    "line": ("line", "lines"),
}
# The layouts that show line ends; the first layout that a project has is used.
LINES = ("sentence", "turn", "line")
LAYOUT_NAMES = frozenset(name for names in LAYOUTS.values() for name in names)
WORDS_FILE = re.compile(r"[._]words\.xml$", re.IGNORECASE)
MARKABLE = re.compile(rb"<markable\s")
MAX_LEVELS = 50
MAX_SHARED = 1000
MAX_FOLDER_DEPTH = 50
MAX_NAME_LENGTH = 500

Runs = tuple[tuple[int, int], ...]


def bundle_projects(names: Iterable[str], suffixes: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return each .mmax file with its possible XML files; without .mmax files, each words file with these.

    An XML file belongs to the nearest folder above it with a .mmax file. Otherwise it belongs to all such folders
    whose parent folder contains it. If it is named after a .mmax file there, it belongs to that file only.
    """
    shown = [name for name in dict.fromkeys(names) if not posixpath.basename(name).startswith(".")]
    mains = [name for name in shown if name.lower().endswith(suffixes)] or list(filter(WORDS_FILE.search, shown))
    # Names of texts by the folder of the .mmax file, and by the parent of that folder.
    under, beside = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for main in mains:
        folder = posixpath.dirname(main)
        under[folder].add(name_text(main))
        beside[posixpath.dirname(folder)].add(name_text(main))
    # Keyed by folder, whether the folder has a .mmax file, and the stem that begins the file's name.
    by_stem = defaultdict[tuple[str, bool, str], list[str]](list)
    for name in shown:
        above = _folders_above(name) if name.lower().endswith(".xml") else []
        home = next((folder for folder in above if folder in under), None)
        for folder in [folder for folder in above if folder in beside] if home is None else [home]:
            stems = beside[folder] if home is None else under[folder]
            by_stem[folder, home is not None, _owning_stem(name, stems)].append(name)
    bundles = []
    for main in mains:
        folder, main_stem = posixpath.dirname(main), name_text(main)
        keys = [(folder, True)] + ([(posixpath.dirname(folder), False)] if folder else [])
        own = [name for key in keys for name in by_stem[*key, main_stem]]
        shared = [name for key in keys for name in by_stem[*key, ""][:MAX_SHARED]]
        bundles.append((main, *own, *shared))
    return bundles


def name_text(main: str) -> str:
    """Return the name of a text from its .mmax file or its words file."""
    return WORDS_FILE.sub("", posixpath.basename(main)) if WORDS_FILE.search(main) else stem(main)


def _folders_above(name: str) -> list[str]:
    """Return the folders above a file, nearest first; empty if more than MAX_FOLDER_DEPTH."""
    folders = name.split("/")[:-1]
    depths = range(len(folders), -1, -1) if len(folders) <= MAX_FOLDER_DEPTH else ()
    return ["/".join(folders[:depth]) for depth in depths]


def _owning_stem(name: str, stems: set[str]) -> str:
    """Return the longest stem that begins the file's name; empty if none does."""
    base = posixpath.basename(name)[:MAX_NAME_LENGTH]
    # walk_turn_level.xml is the level turn of walk, even if a text is called walk_turn.
    ends = [number for number, character in enumerate(base) if character in "._" and base[number:] != LEVEL_FILE]
    return next((base[:end] for end in reversed(ends) if base[:end] in stems), "")


@dataclass(slots=True)
class Level:
    """A level of a project."""

    name: str
    key: str
    layout: str = ""  # the layout that it shows, or empty
    scheme: str | None = None  # its scheme file
    files: dict[str, str] = field(default_factory=dict)  # the markables file of each folder
    rows: dict[str, list[Row]] = field(default_factory=dict)  # the markables of each of these files
    question: Question = field(default_factory=Question)

    def all_rows(self) -> Iterator[Row]:
        return chain.from_iterable(self.rows.values())

    def links(self) -> tuple[Link, ...]:
        return (*self.question.links, *self.question.relations)


@dataclass(frozen=True, slots=True)
class Project:
    """A text with its name, words and levels, and the declared folder of its markables."""

    name: str
    words: Words
    levels: tuple[Level, ...]
    markables: str
    unnamed: Mapping[str, int]  # the number of markables in each file of the text that belongs to no level


def read_project(bundle: Bundle) -> Project:
    """Return a text with the levels that its .mmax file or common_paths.xml names. Raises FormatError."""
    where = _Files(bundle)
    root = parse(bundle.data, bundle.main)
    common = where.find("", "common_paths.xml")
    paths = parse(bundle.files[common], common) if common else root
    file = posixpath.basename(bundle.main) if local_name(root.tag) == "words" else _element_text(root, "words")
    if not file:
        raise FormatError("the .mmax file names no words file in <words>", bundle.main, root.sourceline)
    path = where.find(_element_text(paths, "basedata_path"), file)
    if path is None:
        raise FormatError(f"the words file {file[:200]!r} is not here", bundle.main, root.sourceline)
    name = name_text(bundle.main)
    prefixes = (name, WORDS_FILE.sub("", posixpath.basename(file.replace("\\", "/"))))
    source = (common, paths) if common and next(paths.iter("{*}level"), None) is not None else (bundle.main, root)
    levels = _read_levels(*source, _element_text(paths, "scheme_path"), prefixes, where) or _guess_levels(
        prefixes, where
    )
    by_name = {level.name.lower(): level for level in reversed(levels)} | {level.name: level for level in levels}
    for layout, names in LAYOUTS.items():
        level_of_layout = next((by_name[name] for name in names if name in by_name), None)
        if level_of_layout:
            level_of_layout.layout = layout
    markables = _element_text(paths, "markable_path").replace("\\", "/")
    named = {path for level in levels for path in level.files.values()}
    unnamed = {
        other: number
        for other in where.paths
        if other not in named
        and posixpath.basename(other).startswith(prefixes)
        and (number := len(MARKABLE.findall(bundle.files[other])))
    }
    folder = posixpath.normpath(posixpath.join(where.folder, markables))
    return Project(name, _read_words(bundle.files[path], path), tuple(levels), folder, unnamed)


class _Files:
    """An index of the files of a bundle by path, or else by name."""

    def __init__(self, bundle: Bundle) -> None:
        self.main = bundle.main
        self.folder = posixpath.dirname(bundle.main)
        self.paths = sorted(bundle.files)
        self.by_base = defaultdict[str, list[str]](list)
        for path in self.paths:
            self.by_base[posixpath.basename(path).lower()].append(path)

    def find(self, folder: str, name: str) -> str | None:
        path = posixpath.normpath(posixpath.join(self.folder, folder.replace("\\", "/"), name.replace("\\", "/")))
        paths = self.with_name(path)
        return path if path in paths else next(iter(paths), None)

    def with_name(self, path: str) -> list[str]:
        """Return the files in any folder with this name, or else with this name in other capital letters."""
        name = posixpath.basename(path)
        paths = self.by_base[name.lower()]
        return [path for path in paths if posixpath.basename(path) == name] or paths


def _element_text(root: etree._Element, name: str) -> str:
    return (root.findtext(f".//{{*}}{name}") or "").strip()


def _read_levels(file: str, root: etree._Element, schemes: str, prefixes: Sequence[str], where: _Files) -> list[Level]:
    """Return the levels that a file declares, each with its files."""
    levels: list[Level] = []
    for element in root.iter("{*}level"):
        name = element.get("name", "").strip()
        if not name or len(levels) == MAX_LEVELS:
            message = f"there are more than {MAX_LEVELS} levels" if name else "a level has no name"
            raise FormatError(message, file, element.sourceline)
        level = Level(name, make_key(name, [other.key for other in levels]))
        level.scheme = where.find(schemes, element.get("schemefile", "").strip() or f"{name}{SCHEME_FILE}")
        pattern = (element.text or "").strip().replace("\\", "/") or f"$_{name}{LEVEL_FILE}"
        for prefix in dict.fromkeys(prefixes):
            for path in where.with_name(pattern.replace("$", prefix)):
                level.files.setdefault(posixpath.dirname(path), path)
        levels.append(level)
    return levels


def _guess_levels(prefixes: Sequence[str], where: _Files) -> list[Level]:
    """Return the levels guessed from file names, for a project that declares none."""
    levels: dict[str, Level] = {}
    for path in where.paths:
        base = posixpath.basename(path)
        if not base.lower().endswith(LEVEL_FILE):
            continue
        named = base[: -len(LEVEL_FILE)]
        name = next((named.removeprefix(f"{start}_") for start in prefixes if named.startswith(f"{start}_")), "")
        if not name:
            continue
        if name not in levels:
            if len(levels) == MAX_LEVELS:
                raise FormatError(f"there are more than {MAX_LEVELS} levels", where.main)
            levels[name] = Level(name, make_key(name, [other.key for other in levels.values()]))
            levels[name].scheme = where.find("", f"{name}{SCHEME_FILE}")
        levels[name].files.setdefault(posixpath.dirname(path), path)
    return list(levels.values())


@dataclass(frozen=True, slots=True)
class Words:
    """The non-empty words of a text, and the range `[start, end)` in them of each word id."""

    texts: tuple[str, ...]
    ids: Mapping[str, tuple[int, int]]

    def runs(self, span: str) -> Runs:
        """Return the runs of a span (first and last word) in text order, touching runs joined. Raises ValueError."""
        spans: list[tuple[int, int]] = []
        for piece in span.split(","):
            first, _, last = piece.strip().partition("..")
            start, stop = self._word(first.strip()), self._word(last.strip() or first.strip())
            if start[0] > stop[0]:
                raise ValueError(f"the span {piece.strip()[:100]!r} ends before it begins")
            if start[0] < stop[1]:
                spans.append((start[0], stop[1] - 1))
        return tuple(merge_spans(spans, gap=1))

    def _word(self, name: str) -> tuple[int, int]:
        if name not in self.ids:
            raise ValueError(f"the word {name[:100]!r} is not in the text" if name else "a word is missing in the span")
        return self.ids[name]


def _read_words(data: bytes, file: str) -> Words:
    root = parse(data, file)
    texts: list[str] = []
    ids: dict[str, tuple[int, int]] = {}
    for element in root.iter("{*}word"):
        name = element.get("id", "").strip()
        if not name or name in ids:
            message = f"the word {name[:100]!r} appears twice" if name else "a word has no id"
            raise FormatError(message, file, element.sourceline)
        text = " ".join("".join(element.itertext()).split())
        before = len(texts)
        if text:
            texts.append(text)
        ids[name] = (before, len(texts))
    if not texts:
        raise FormatError("there is no word in this file", file, root.sourceline)
    return Words(tuple(texts), ids)


@dataclass(frozen=True, slots=True)
class Row:
    """A markable as written in its file, with attribute names in small letters."""

    id: str
    runs: Runs
    attributes: Mapping[str, str]
    file: str
    line: int

    def label(self, other: str) -> str:
        return (self.attributes.get("label") or self.attributes.get(other) or "").strip()

    def check_length(self, text: str, limit: int, what: str) -> str:
        if len(text) > limit:
            raise FormatError(f"a {what} has more than {limit} characters", self.file, self.line)
        return text

    def has(self, name: str) -> bool:
        return self.attributes.get(name, "").strip().lower() not in UNSET


def read_rows(data: bytes, file: str, words: Words, slips: Slips) -> Iterator[Row]:
    root = parse(data, file)
    if local_name(root.tag) != "markables":
        raise FormatError(f"a markables file holds <markables>, not <{local_name(root.tag)}>", file, root.sourceline)
    lines: dict[str, int] = {}
    for element in root.iter("{*}markable"):
        line = element.sourceline or 0
        attributes = {local_name(name).lower(): str(value) for name, value in element.attrib.items()}
        name = attributes.get("id", "").strip()
        runs: Runs = ()
        error = ""
        if not name:
            error = "a markable has no id"
        elif name in lines:
            error = f"the id {name[:100]!r} is given twice (also in line {lines[name]})"
        else:
            try:
                runs = words.runs(attributes.get("span", ""))
            except ValueError as wrong:
                error = f"{name[:100]}: {wrong}"
        if error:
            slips.in_mention(FormatError(error, file, line), slips.findings)
            continue
        lines[name] = line
        yield Row(name, runs, attributes, file, line)
