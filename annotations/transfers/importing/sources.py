"""Files -> documents with the names of their coders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from django.conf import settings

from annotations.bulk import seldom_collecting
from annotations.formats import FORMATS, Bundle, Document, Format, FormatError
from annotations.formats.format import alone
from annotations.formats.inception import opened
from annotations.formats.losses import LOSSES_FILE
from annotations.importing.report import Failure
from annotations.processes import halved


@dataclass(frozen=True, slots=True)
class Source:
    """A file as it comes in: its name with its folders, and what it holds.

    found: it was found in a folder or zip, so its name tells whether the format reads it; else somebody named it.
    aside: it belongs to an export, of another tool or our own, but is no coder's work: the report names it and it is
    not read.
    """

    name: str
    data: bytes
    found: bool = False
    aside: bool = False


def sources_of(files: Iterable[tuple[str, bytes]]) -> list[Source]:
    """The files by name, zips opened, within the bounds of the settings. Raises FormatError."""
    sources: list[Source] = []
    left = settings.IMPORT_MAX_BYTES
    for name, data in files:
        if name.lower().endswith(".zip"):
            held = opened(data, name, most_files=settings.IMPORT_MAX_FILES - len(sources), most_bytes=left)
            sources += [Source(inner, content, found=True, aside=inner == LOSSES_FILE) for inner, content in held.files]
            sources += [Source(inner, b"", found=True, aside=True) for inner in held.aside]
            left -= sum(len(content) for _, content in held.files)
        else:
            sources.append(Source(name, data))
            left -= len(data)
        if left < 0:
            raise FormatError(f"all files together have more than {settings.IMPORT_MAX_BYTES // 2**20} MB", name)
    return sources


@dataclass(frozen=True, slots=True)
class Coded:
    """A document and the name of its coder; None: it brings a text, not a coding.

    source: the file that stands or falls with it; empty: that of the document.
    """

    document: Document
    coder: str | None
    source: str = ""

    @property
    def file(self) -> str:
        return self.source or self.document.file


@dataclass(slots=True)
class Brought:
    """What files brought: documents, files that could not be read, and files that the format does not know."""

    coded: list[Coded] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


@seldom_collecting()
def read_sources(
    format_key: str, sources: Sequence[Source], coder_from: str, options: Mapping[str, str] | None = None
) -> Brought:
    """Read the files. A file that cannot be read does not keep the others from it.

    coder_from says where a coder's name stands. parent: the folder that holds the file. name: the last dotted part
    before the suffix (`walk.anna.conll`). nobody: the files bring texts only. `=NAME`: all files are NAME's. It does
    not matter where the files name their coders themselves.
    """
    format_ = FORMATS[format_key]
    brought = Brought(left_out=[source.name for source in sources if source.aside])
    sources = [source for source in sources if not source.aside]
    files = {source.name: source.data for source in sources}
    for name in _twice(sources):
        del files[name]
        brought.failures.append(Failure(name, f"{name}: two files have this name"))
    bundles = _bundles(format_, sources, files)

    def read(names: Sequence[str]) -> list[Coded] | Failure:
        bundle = Bundle(names[0], {name: files[name] for name in names})
        try:
            documents = format_.read(bundle, **(options or {}))
            return [_coded(document, bundle.main, coder_from) for document in documents]
        except FormatError as error:
            return Failure(bundle.main, str(error))

    with closing(halved(read, bundles)) as results:
        for result in results:
            if isinstance(result, Failure):
                brought.failures.append(result)
            else:
                brought.coded += result
    known = {name for names in bundles for name in names}
    brought.left_out += [name for name in files if name not in known]
    return brought


def _bundles(format_: Format, sources: Sequence[Source], files: Mapping[str, bytes]) -> list[tuple[str, ...]]:
    """Which files are read together. A file that somebody named is read whatever its name, where it is read alone."""
    if format_.bundles is not alone:
        return format_.bundles(list(files), format_.suffixes)
    found = set(alone([source.name for source in sources if source.found], format_.suffixes))
    return [
        (source.name,) for source in sources if source.name in files and (not source.found or (source.name,) in found)
    ]


def _twice(sources: Sequence[Source]) -> list[str]:
    return [name for name, count in Counter(source.name for source in sources).items() if count > 1]


def _coded(document: Document, main: str, coder_from: str) -> Coded:
    if document.coder:
        return Coded(document, document.coder, main)
    name, coder = name_and_coder(document.file, coder_from)
    stem = PurePosixPath(document.file).stem
    # Texts without names of their own are named after the file, here without its coder.
    if document.name.startswith(stem):
        document = replace(document, name=name + document.name.removeprefix(stem))
    return Coded(document, coder, main)


def name_and_coder(file: str, coder_from: str) -> tuple[str, str | None]:
    """The file's name without suffix and coder, and its coder. Raises FormatError where it names none."""
    path = PurePosixPath(file)
    if coder_from.startswith("="):
        return path.stem, coder_from[1:]
    if coder_from == "parent":
        if not path.parent.name:
            raise FormatError("the file lies in no folder, so no coder can be named after it", file)
        return path.stem, path.parent.name
    if coder_from == "name":
        name, dot, coder = path.stem.rpartition(".")
        if not dot or not name or not coder:
            raise FormatError(f"the name has no coder in it; it should be TEXT.CODER{path.suffix}", file)
        return name, coder
    return path.stem, None
