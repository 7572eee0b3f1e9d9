"""The interface of formats: their files, options and functions."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath
from types import MappingProxyType

from annotations.formats.model.document import Document
from annotations.formats.model.encodings import ENCODINGS
from annotations.formats.model.features import Feature
from annotations.formats.model.findings import FormatError
from annotations.formats.model.slips import LEAVE_OUT

MAX_SHOWN_LENGTH = 50


@dataclass(frozen=True, slots=True)
class Bundle:
    """Files that are read together. The file `main` gives the text its name and appears in messages."""

    main: str
    files: Mapping[str, bytes]

    @classmethod
    def of(cls, name: str, data: bytes) -> "Bundle":
        """Return the bundle of a file that is read alone."""
        return cls(name, {name: data})

    @property
    def data(self) -> bytes:
        return self.files[self.main]


@dataclass(frozen=True, slots=True)
class Option:
    """A fact that files do not state. The first choice is the default; without choices any text is valid."""

    key: str
    label: str
    choices: tuple[tuple[str, str], ...] = ()
    example: str = ""


# Options that many formats share.
LEVEL = Option("level", "Levels of the files that are called otherwise here", example="coref or coref:mention,chunk:")
CATEGORY = Option("category", "Categories of the files that are called otherwise here", example="PER:person,*:")
QUESTION = Option(
    "question", "Attributes and relations of the files that are called otherwise here", example="genus:gender,number:"
)
EMPTY = Option(
    "empty",
    "A file in which nothing is coded",
    (("refuse", "is refused"), ("take", "is a coding: its coder marked nothing")),
)
SLIPS = Option(
    "slips",
    "A slip in a file",
    (("refuse", "its file is refused"), (LEAVE_OUT, "the mention that holds it is left out, else the document")),
)
ALIGN = Option(
    "align",
    "A copy of a text with other characters",
    (("exact", "is refused"), ("near", "is aligned if few differ, without the markables that these touch")),
)
NEAR = ALIGN.choices[1][0]
LANGUAGE = Option("language", "Language of new texts that name none", example="de")
SEPARATOR = Option(
    "separator",
    "Between text and coder, where files are named after both",
    ((".", "a dot (walk.anna)"), ("_", "an underscore (walk_anna)"), ("-", "a hyphen (walk-anna)")),
)
ENCODING = Option(
    "encoding", "Encoding of the files", (("", "UTF-8"), *((name, label) for name, label in ENCODINGS.items()))
)


@dataclass(frozen=True, slots=True, eq=False)
class File:
    """A file of an export: its path, with `/`, and its content, or a function that makes the content when needed."""

    path: str
    content: bytes | Callable[[], bytes]

    @property
    def data(self) -> bytes:
        return self.content if isinstance(self.content, bytes) else self.content()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, File) and (self.path, self.data) == (other.path, other.data)

    def __hash__(self) -> int:
        return hash(self.path)


def one_file_bundles(names: Iterable[str], suffixes: tuple[str, ...]) -> list[tuple[str, ...]]:
    return [(name,) for name in names if name.lower().endswith(suffixes)]


@dataclass(frozen=True, slots=True)
class Format:
    """A file format."""

    key: str
    label: str
    suffixes: tuple[str, ...]  # in small letters; the writer uses the first
    # `read(bundle, **options) -> documents`; raises FormatError and nothing else on bad input.
    read: Callable[..., list[Document]]
    # `bundles(names, suffixes)` returns the files to read together, the main file first; other files are not read.
    bundles: Callable[[Iterable[str], tuple[str, ...]], list[tuple[str, ...]]] = one_file_bundles
    # `write(documents, **options) -> files`, for one coder, or for all coders at once if the format names coders.
    write: Callable[..., list[File]] | None = None
    # The features that it can hold: `losses.reduction` reports and removes all others before `write`.
    supported_features: frozenset[Feature] = frozenset()
    options: tuple[Option, ...] = ()  # what `read` takes as keywords
    options_written: tuple[Option, ...] = ()  # what `write` takes
    names_coders: bool = False  # the files name the coders
    in_words: bool = False  # it is written word by word
    writes_each: bool = False  # `write` makes one file per document
    binary: bool = False  # the files declare their encoding, as XML does
    names_levels: bool = False  # the files have levels of their own
    names_categories: bool = False
    names_questions: bool = False  # attributes and relations
    # The options that help if the scheme lacks a `level` or `category`, or if the column of `words` is not found.
    ways: Mapping[str, str] = MappingProxyType({})
    texts_only: bool = False  # its files hold texts without annotations
    # Returns the name of the file with the text of a file, if the text may be elsewhere or in the project.
    text_of: Callable[[str], str] | None = None
    # `read_each(name, lines, **options)` yields the documents of a file that may hold very many; each line, in bytes,
    # holds one document.
    read_each: Callable[..., Iterable[Document]] | None = None

    @property
    def options_read(self) -> tuple[Option, ...]:
        """All options of an import: the format's own options, and the shared options that apply to it."""
        common = {
            LEVEL: self.names_levels,
            CATEGORY: self.names_categories,
            QUESTION: self.names_questions,
            EMPTY: not self.names_coders and not self.texts_only,
            ALIGN: not self.names_coders,
            ENCODING: not self.binary,
            SEPARATOR: not self.names_coders and not self.texts_only,
            LANGUAGE: not self.names_coders,
        }
        return (*self.options, *(option for option, has in common.items() if has))


@dataclass(frozen=True, slots=True)
class PyramidFormat:
    """A format of pyramids and peer summaries, which are not documents; it has no functions to read or write."""

    key: str
    label: str
    suffixes: tuple[str, ...]
    bundles: Callable[[Iterable[str], tuple[str, ...]], list[tuple[str, ...]]] = one_file_bundles
    options_read: tuple[Option, ...] = ()
    options_written: tuple[Option, ...] = ()
    names_coders: bool = False


def stem(file: str) -> str:
    """Return the name of a file without folders and suffix."""
    return PurePosixPath(file.replace("\\", "/")).stem


def name_documents(file: str, names_and_lines: Sequence[tuple[str, int]]) -> list[str]:
    """Return the file's name for one document, else the given names or numbers. Raises FormatError on equal names."""
    if len(names_and_lines) == 1:
        return [stem(file)]
    lines: dict[str, int] = {}
    for number, (own_name, line) in enumerate(names_and_lines, start=1):
        name = own_name or f"{stem(file)} {number}"
        if name in lines:
            message = f"the document {name[:MAX_SHOWN_LENGTH]} appears twice (also in line {lines[name]})"
            raise FormatError(message, file, line)
        lines[name] = line
    return list(lines)


def write_each(documents: Sequence[Document], suffix: str, write: Callable[[Document], bytes]) -> list[File]:
    """Return a file for each document, named after the document; its content is made when needed."""

    def content(number: int) -> bytes:
        return write(documents[number])

    return [File(f"{document.name}{suffix}", partial(content, number)) for number, document in enumerate(documents)]
