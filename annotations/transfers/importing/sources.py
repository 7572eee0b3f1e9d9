"""Read files into documents with the names of their coders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from django.conf import settings

from annotations.formats import FORMATS, Bundle, Document, Format, FormatError
from annotations.formats.losses.reduction import LOSSES_FILE
from annotations.formats.model.format import one_file_bundles
from annotations.formats.packages import open_package
from annotations.transfers.importing.report import Failure


@dataclass(frozen=True, slots=True)
class Source:
    """A file to import: its name with folders, and its content.

    `in_folder`: it is from a folder or zip, so its name decides whether the format reads it; otherwise a user named it.
    `ignored`: it is part of an export, but no coder's work: the report names it and it is not read.
    """

    name: str
    data: bytes
    in_folder: bool = False
    ignored: bool = False


def open_sources(files: Iterable[tuple[str, bytes]]) -> list[Source]:
    """Return the files, with zips unpacked, within the limits of the settings. Raise FormatError beyond them."""
    sources: list[Source] = []
    left = settings.IMPORT_MAX_BYTES
    for name, data in files:
        if name.lower().endswith(".zip"):
            package = open_package(data, name, most_files=settings.IMPORT_MAX_FILES - len(sources), most_bytes=left)
            sources += [
                Source(inner, content, in_folder=True, ignored=inner == LOSSES_FILE) for inner, content in package.files
            ]
            sources += [Source(inner, b"", in_folder=True, ignored=True) for inner in package.ignored]
            left -= sum(len(content) for _, content in package.files)
        else:
            sources.append(Source(name, data))
            left -= len(data)
        if left < 0:
            raise FormatError(f"all files together have more than {settings.IMPORT_MAX_BYTES // 2**20} MB", name)
    return sources


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """A document and the name of its coder; None if it has a text but no coding.

    `source` is the file that is imported or refused with it; empty if it is that of the document.
    """

    document: Document
    coder: str | None
    source: str = ""

    @property
    def file(self) -> str:
        """The file that is imported or refused with the document."""
        return self.source or self.document.file


@dataclass(slots=True)
class ReadResult:
    """The documents that were read, files that could not be read, and files that are not of the format."""

    documents: list[SourceDocument] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def read_sources(
    format_key: str, sources: Sequence[Source], coder_from: str, options: Mapping[str, str] | None = None
) -> ReadResult:
    """Read the files. A file that cannot be read does not prevent the others from being read.

    `coder_from` says where the name of the coder is. parent: the folder that contains the file. name: the last dotted
    part before the suffix (`walk.anna.conll`). nobody: the files contain texts only. `=NAME`: all files are NAME's. It
    is not used where the files name their coders themselves.
    """
    format_ = FORMATS[format_key]
    result = ReadResult(left_out=[source.name for source in sources if source.ignored])
    sources = [source for source in sources if not source.ignored]
    files = {source.name: source.data for source in sources}
    for name in _duplicate_names(sources):
        del files[name]
        result.failures.append(Failure(name, f"{name}: two files have this name"))
    bundles = _bundles_of(format_, sources, files)

    for names in bundles:
        bundle = Bundle(names[0], {name: files[name] for name in names})
        try:
            documents = format_.read(bundle, **(options or {}))
            result.documents += [_source_document(document, bundle.main, coder_from) for document in documents]
        except FormatError as error:
            result.failures.append(Failure(bundle.main, str(error)))
    bundled = {name for names in bundles for name in names}
    result.left_out += [name for name in files if name not in bundled]
    return result


def _bundles_of(format_: Format, sources: Sequence[Source], files: Mapping[str, bytes]) -> list[tuple[str, ...]]:
    """Return the groups of files that are read together. A file that a user named is read whatever its suffix."""
    if format_.bundles is not one_file_bundles:
        return format_.bundles(list(files), format_.suffixes)
    bundles = set(one_file_bundles([source.name for source in sources if source.in_folder], format_.suffixes))
    return [
        (source.name,)
        for source in sources
        if source.name in files and (not source.in_folder or (source.name,) in bundles)
    ]


def _duplicate_names(sources: Sequence[Source]) -> list[str]:
    return [name for name, count in Counter(source.name for source in sources).items() if count > 1]


def _source_document(document: Document, main: str, coder_from: str) -> SourceDocument:
    if document.coder:
        return SourceDocument(document, document.coder, main)
    name, coder = name_and_coder(document.file, coder_from)
    stem = PurePosixPath(document.file).stem
    # Texts without a name of their own are named after the file, without its coder.
    if document.name.startswith(stem):
        document = replace(document, name=name + document.name.removeprefix(stem))
    return SourceDocument(document, coder, main)


def name_and_coder(file: str, coder_from: str) -> tuple[str, str | None]:
    """Return the file's name without suffix and coder, and its coder. Raise FormatError if it names none."""
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
