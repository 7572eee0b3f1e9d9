"""What every format offers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from annotations.formats.document import Document, FormatError
from annotations.formats.losses import Feature

LONGEST_SHOWN = 50


@dataclass(frozen=True, slots=True)
class Bundle:
    """The files that are read together. `main` is the one after which text and messages are named."""

    main: str
    files: Mapping[str, bytes]

    @classmethod
    def of(cls, name: str, data: bytes) -> "Bundle":
        """A file that is read alone."""
        return cls(name, {name: data})

    @property
    def data(self) -> bytes:
        return self.files[self.main]


@dataclass(frozen=True, slots=True)
class Option:
    """Something that the files do not say themselves. The first of the choices holds where nothing is said."""

    key: str
    label: str
    choices: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class File:
    """A file that a writer made: its path in the export, with `/`, and what it holds."""

    path: str
    data: bytes


def alone(names: Iterable[str], suffixes: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Every file with one of the suffixes is a bundle of its own."""
    return [(name,) for name in names if name.lower().endswith(suffixes)]


@dataclass(frozen=True, slots=True)
class Format:
    """A file format.

    suffixes: those of its files, in small letters; the first is the writer's.
    read: `read(bundle, **options) -> documents`; raises FormatError and nothing else on bad input.
    bundles: which of the files are read together, the main one first; what no bundle has is not read.
    write: `write(documents, **options) -> files` of one coder's documents, each of them able to hold no more than
    `carries` says; None where the format is only read. names_coders: the files say themselves who coded; then `write`
    takes the documents of all coders at once. apart: each document's files are made of it alone, so that it may be
    written as soon as it is there, and by another process.
    options, options_written: what `read` and `write` take as keywords.
    carries: what it can hold of a document; `losses` reports the rest and takes it out before `write` sees it.
    """

    key: str
    label: str
    suffixes: tuple[str, ...]
    read: Callable[..., list[Document]]
    bundles: Callable[[Iterable[str], tuple[str, ...]], list[tuple[str, ...]]] = alone
    write: Callable[..., list[File]] | None = None
    carries: frozenset[Feature] = frozenset()
    options: tuple[Option, ...] = ()
    options_written: tuple[Option, ...] = ()
    names_coders: bool = False
    apart: bool = False


@dataclass(frozen=True, slots=True)
class PyramidFormat:
    """A format of pyramids and peer summaries, which are no documents: what is asked of it besides its files."""

    key: str
    label: str
    suffixes: tuple[str, ...]
    bundles: Callable[[Iterable[str], tuple[str, ...]], list[tuple[str, ...]]] = alone
    options: tuple[Option, ...] = ()
    options_written: tuple[Option, ...] = ()
    names_coders: bool = False


def stem(file: str) -> str:
    """The name of a file without folders and suffix."""
    return PurePosixPath(file.replace("\\", "/")).stem


def names_in(file: str, called: Sequence[tuple[str, int]]) -> list[str]:
    """The names of the documents of a file: its own where it holds one, else what each is called, else numbers.

    called: what each is called in the file, or nothing, and the line where it begins. Raises FormatError where two
    have one name.
    """
    if len(called) == 1:
        return [stem(file)]
    lines: dict[str, int] = {}
    for number, (said, line) in enumerate(called, start=1):
        name = said or f"{stem(file)} {number}"
        if name in lines:
            message = f"the document {name[:LONGEST_SHOWN]} stands twice (also in line {lines[name]})"
            raise FormatError(message, file, line)
        lines[name] = line
    return list(lines)


def one_each(documents: Sequence[Document], suffix: str, write: Callable[[Document], bytes]) -> list[File]:
    """A file for each document, named after it."""
    return [File(f"{document.name}{suffix}", write(document)) for document in documents]
