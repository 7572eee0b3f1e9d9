"""Read files into documents with the names of their coders."""

import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import IO

from django.conf import settings

from annotations.core.processes.progress import Progress, reported
from annotations.formats import FORMATS, PYRAMID_FORMATS, Bundle, Document, Finding, Format, FormatError, PyramidFormat
from annotations.formats.detection import PLAIN, Kind, recognise
from annotations.formats.losses.reduction import LOSSES_FILE
from annotations.formats.model.encodings import is_utf_8_all_the_same, recode
from annotations.formats.model.format import ENCODING, SEPARATOR, one_file_bundles
from annotations.formats.syntax.archive import Entry, TooMuch
from annotations.formats.uima.inception import open_package
from annotations.models import Project
from annotations.transfers.importing.files.addresses import coder_of, compose
from annotations.transfers.importing.files.folders import KnownTexts, name_by_folder, names_in_folders, text_folder
from annotations.transfers.importing.files.source_document import SourceDocument
from annotations.transfers.importing.report import Failure

MAX_SUFFIXES = 5
NOT_OPENED = {".zip": " (a zip in a zip is not opened)", ".gz": " (unpack it, or give a zip)"}
SEPARATORS = [key for key, _ in SEPARATOR.choices]
MAX_LINES_OF_HEAD = 50


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file that is read on demand, with its size: a path on disk or an open file."""

    file: Path | IO[bytes]
    size: int

    def __len__(self) -> int:
        return self.size

    def read(self) -> bytes:
        """Return the content. Raise FormatError."""
        with self._opened() as opened:
            return opened.read()

    def lines(self) -> Iterator[bytes]:
        """Yield the lines with their ends. Raise FormatError."""
        with self._opened() as opened:
            # Iteration over a Django file reads it into memory and splits lines at carriage returns.
            while line := opened.readline():
                yield line

    @contextmanager
    def _opened(self) -> Iterator[IO[bytes]]:
        try:
            with self.file.open("rb") if isinstance(self.file, Path) else nullcontext(self.file) as opened:
                opened.seek(0)
                yield opened
        except OSError as error:
            raise FormatError(str(error.strerror), str(self.file)) from error


@dataclass(frozen=True, slots=True)
class Source:
    """A file to import: its name with folders, and its content, which may be read on demand."""

    name: str
    content: bytes | Entry | StoredFile
    in_folder: bool = False  # from a folder or zip, where its suffix decides if it is read; otherwise a user named it
    ignored: bool = False  # part of an export without codings; the report names it

    @property
    def data(self) -> bytes:
        """The content, read if it has to be. Raise FormatError."""
        return self.content if isinstance(self.content, bytes) else self.content.read()

    def lines(self) -> Iterator[bytes]:
        """Return the lines of the content with their ends, read one by one. Raise FormatError."""
        return io.BytesIO(self.content) if isinstance(self.content, bytes) else self.content.lines()


def open_sources(files: Iterable[tuple[str, bytes | Entry | IO[bytes]]]) -> list[Source]:
    """Return the files and the files in zips, which must stay open. Raise FormatError beyond the limits."""
    sources: list[Source] = []
    left = settings.IMPORT_MAX_BYTES
    for name, content in files:
        try:
            if name.lower().endswith(".zip"):
                data = content.read() if isinstance(content, Entry) else content
                package = open_package(data, name, most_files=settings.IMPORT_MAX_FILES - len(sources), most_bytes=left)
                sources += [
                    Source(compose(inner), data, in_folder=True, ignored=inner == LOSSES_FILE)
                    for inner, data in package.files
                ]
                sources += [Source(compose(inner), b"", in_folder=True, ignored=True) for inner in package.ignored]
                left -= sum(len(data) for _, data in package.files)
            else:
                whole = content if isinstance(content, bytes | Entry) else StoredFile(content, content.seek(0, 2))
                sources.append(Source(compose(name), whole))
                left -= len(whole)
            if left < 0:
                raise TooMuch(f"all files together have more than {settings.IMPORT_MAX_BYTES // 2**20} MB", name)
        except TooMuch as error:
            message = f"{error.message}; the server's settings IMPORT_MAX_FILES and IMPORT_MAX_BYTES bound that"
            raise FormatError(message, error.file) from error
    return sources


@dataclass(slots=True)
class ReadResult[Read]:
    """The documents that were read, files that could not be read, and files of other formats."""

    documents: list[Read] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    reason: str = ""  # why no file was read, if none is of the format


def read_sources(
    format_key: str,
    sources: Sequence[Source],
    coder_from: str,
    options: Mapping[str, str] | None = None,
    project: Project | None = None,
    progress: Progress | None = None,
) -> ReadResult[SourceDocument]:
    """Read the files; a file that cannot be read becomes a failure, and the others are read.

    `coder_from`: parent (the folder), name (after the last separator in the name), nobody (texts only) or `=NAME`.
    Coders named in the files take precedence. `project` has the texts of files that lack them.
    """
    format_ = FORMATS[format_key]
    result = ReadResult[SourceDocument](left_out=[source.name for source in sources if source.ignored])
    sources = [source for source in sources if not source.ignored]
    files = {source.name: source for source in sources}
    for name, count in Counter(source.name for source in sources).items():
        if count > 1:
            del files[name]
            result.failures.append(Failure(name, f"{name}: two files have this name"))
    own_options = {option.key for option in format_.options}
    options = options or {}
    arguments = {key: value for key, value in options.items() if key in own_options}
    separator = options.get(SEPARATOR.key) or "."
    bundles = _bundles_of(format_, sources, files)
    texts = _texts_of_project(format_, bundles, coder_from, separator, project) if project is not None else {}
    documents = list[SourceDocument]()
    for names in reported(bundles, progress):
        main = names[0]
        try:
            of_bundle = [files[name] for name in names]
            read = _read_bundle(format_, of_bundle, texts.get(main), options.get(ENCODING.key, ""), arguments)
            documents += [_source_document(document, main, coder_from, separator) for document in read]
        except FormatError as error:
            result.failures.append(Failure(main, f"{error}{_look(files[main], format_key)}"))
    bundled = {name for names in bundles for name in names}
    result.left_out += [name for name in files if name not in bundled]
    if not bundles and not result.failures:
        result.reason = why_nothing(format_, result.left_out)
    result.documents, refused = name_by_folder(documents, coder_from, project)
    result.failures += refused
    return result


def _read_bundle(
    format_: Format, sources: Sequence[Source], text: str | None, encoding: str, arguments: Mapping[str, str]
) -> Iterator[Document]:
    """Yield the documents of files read together, of which the first is the main one. text: the project's text."""
    main = sources[0]
    if format_.read_each is not None and not encoding:
        yield from format_.read_each(main.name, main.lines(), **arguments)
        return
    recoded = {source.name: _in_utf_8(source.data, source.name, encoding) for source in sources}
    data = {name: data for name, (data, _) in recoded.items()}
    if text is not None and format_.text_of is not None:
        data[format_.text_of(main.name)] = text.encode()
    bundle = Bundle(main.name, data)
    findings = [finding for _, found in recoded.values() for finding in found]
    if format_.key in PLAIN and (look := _look(main, format_.key)):
        # A plain text would otherwise take all content as words.
        message = f"the file is read as {format_.label}{look}"
        findings.append(Finding("other-format", message, main.name, left_out=True))
    for document in format_.read(bundle, **arguments):
        if text is not None and document.content == text:
            document = replace(document, content=text)  # one string for all files of a text
        yield replace(document, findings=[*findings, *document.findings]) if findings else document
        findings = []  # reported with the first document


def _in_utf_8(data: bytes, file: str, encoding: str) -> tuple[bytes, list[Finding]]:
    """Return the data recoded to UTF-8 if an encoding is given, and a finding if it already is UTF-8."""
    if not encoding:
        return data, []
    if is_utf_8_all_the_same(data, encoding):
        return data, [Finding("utf-8", f"it is not in {encoding} but in UTF-8", file, fix="read as UTF-8")]
    return recode(data, file, encoding), []


def _texts_of_project(
    format_: Format, bundles: Sequence[Sequence[str]], coder_from: str, separator: str, project: Project
) -> dict[str, str]:
    """Return the project's texts, by main file, for files whose text file is missing."""
    if format_.text_of is None:
        return {}
    known = KnownTexts(project)
    slugs: dict[str, str] = {}
    for main in (names[0] for names in bundles if len(names) == 1 and format_.text_of(names[0]) != names[0]):
        try:
            name, _ = name_and_coder(main, coder_from, separator)
        except FormatError:  # reading the file reports this error
            continue
        names = [*reversed(names_in_folders(text_folder(main, coder_from), name)), name]
        if slug := next(filter(None, map(known.find, names)), ""):
            slugs[main] = slug
    known.load(slugs.values())
    return {main: known.contents[slug] for main, slug in slugs.items()}


def _look(source: Source, format_key: str) -> str:
    """Return an addition to a refusal if the file looks like another format."""
    try:
        kind = recognise(source.name, b"".join(islice(source.lines(), MAX_LINES_OF_HEAD)))
    except FormatError:
        return ""
    return f"; it looks like {describe(kind)}" if kind is not None and kind.format != format_key else ""


def describe(kind: Kind) -> str:
    """Return the kind that a file looks like, with advice: another format or program."""
    if not kind.format:
        return f"{kind.name}, which is not read: {kind.way}"
    return f"{(FORMATS | PYRAMID_FORMATS)[kind.format].label}: choose the format {kind.format}"


def why_nothing(format_: Format | PyramidFormat, names: Sequence[str]) -> str:
    """Return why no file is read: the suffixes of the format, and the suffixes found instead."""
    message = f"No file ends in {' or '.join(format_.suffixes)}, as those of {format_.label} do"
    if not names:
        return f"{message}; there are no files"
    counts = Counter(PurePosixPath(name).suffix.lower() for name in names)
    kinds = []
    for suffix, count in counts.most_common(MAX_SUFFIXES):
        others: list[Format | PyramidFormat] = [*FORMATS.values(), *PYRAMID_FORMATS.values()]
        of = [other.key for other in others if suffix in other.suffixes]
        hint = f" (which may be {' or '.join(of)})" if of else NOT_OPENED.get(suffix, "")
        kinds.append(f"{count} × {suffix or 'without a suffix'}{hint}")
    return f"{message}; there are {', '.join(kinds)}"


def _bundles_of(format_: Format, sources: Sequence[Source], files: Mapping[str, Source]) -> list[tuple[str, ...]]:
    """Return the groups of files that are read together. Files that a user named are read with any suffix."""
    if format_.bundles is not one_file_bundles:
        return format_.bundles(list(files), format_.suffixes)
    bundles = set(one_file_bundles([source.name for source in sources if source.in_folder], format_.suffixes))
    return [
        (source.name,)
        for source in sources
        if source.name in files and (not source.in_folder or (source.name,) in bundles)
    ]


def _source_document(document: Document, main: str, coder_from: str, separator: str) -> SourceDocument:
    if document.coder:
        return SourceDocument(document, document.coder, main)
    name, coder = name_and_coder(document.file, coder_from, separator)
    stem = PurePosixPath(compose(document.file)).stem
    own_name = compose(document.name)
    # Texts named after the file lose the coder's name.
    if own_name.startswith(stem):
        own_name = name + own_name.removeprefix(stem)
    document = replace(document, name=own_name)
    return SourceDocument(document, None if document.is_uncoded else coder, main)


def name_and_coder(file: str, coder_from: str, separator: str = ".") -> tuple[str, str | None]:
    """Return the file's name without suffix and coder, and its coder. Raise FormatError if it names none."""
    path = PurePosixPath(compose(file))
    if coder_from.startswith("="):
        return path.stem, coder_from[1:]
    if coder_from == "parent":
        if not path.parent.name:
            raise FormatError("the file is in no folder, so its coder is unknown; try texts only", file)
        return path.stem, coder_of(path.parent.name)
    if coder_from == "name":
        name, _, coder = path.stem.rpartition(separator)
        if not name or not coder:
            others = [sign for sign in SEPARATORS if sign != separator and all(path.stem.rpartition(sign)[::2])]
            way = f", or say what parts them: separator={others[0]}" if others else ""
            message = f"the name has no coder in it; it should be TEXT{separator}CODER{path.suffix}{way}"
            raise FormatError(message, file)
        return name, coder
    return path.stem, None
