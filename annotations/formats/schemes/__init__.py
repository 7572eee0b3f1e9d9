"""Scheme files without texts: detect their kind, and read and write each kind."""

import json
from collections.abc import Mapping

from annotations.formats.model.findings import FormatError
from annotations.formats.model.format import File
from annotations.formats.model.scheme import SchemeSpec
from annotations.formats.model.scheme_json import SCHEME_FILE, SchemeShapeError, scheme_from_json, scheme_to_json
from annotations.formats.schemes import brat, mmax2_reading, mmax2_writing, uima
from annotations.formats.schemes.files import base_name, files_of, find_by_name, json_of
from annotations.formats.schemes.scheme_file import SchemeFile, SchemeFormat

MAX_NAMED = 10
KINDS = (
    "a scheme exported here (JSON), annotation schemes of MMAX2 (XML, or a zip with common_paths.xml), "
    "annotation.conf of brat (or a zip with visual.conf), "
    "or layers of INCEpTION or WebAnno (JSON, a type system, or an exported project)"
)


def read_own(files: Mapping[str, bytes], name: str) -> SchemeFile:
    """Return the scheme of a JSON file of this program. Raise FormatError with the paths of its problems."""
    file = find_by_name(files, base_name(name)) or next(iter(files))
    try:
        return SchemeFile(*scheme_from_json(json_of(files, file)))
    except SchemeShapeError as error:
        named = [str(problem) for problem in error.problems[:MAX_NAMED]]
        more = len(error.problems) - len(named)
        raise FormatError(" ".join([*named, f"And {more} more."] if more else named), file) from None


def write_own(spec: SchemeSpec, answers: str) -> tuple[list[File], list[str]]:
    """Return the file of a scheme, and an empty list of losses."""
    data = {**SCHEME_FILE, **scheme_to_json(spec, answers)}
    return [File("scheme.json", f"{json.dumps(data, indent=2, ensure_ascii=False)}\n".encode())], []


SCHEME_FORMATS: dict[str, SchemeFormat] = {
    format_.key: format_
    for format_ in (
        SchemeFormat("json", "Coindex (JSON)", read_own, write_own),
        SchemeFormat("mmax2", "MMAX2 annotation schemes", mmax2_reading.read, mmax2_writing.write),
        SchemeFormat("brat", "brat configuration", brat.read),
        SchemeFormat("uima", "INCEpTION or WebAnno layers, UIMA type system", uima.read),
    )
}


def read_scheme(data: bytes, name: str) -> SchemeFile:
    """Return the scheme of an uploaded file of any kind. Raise FormatError with file and line."""
    files = files_of(data, name)
    return SCHEME_FORMATS[_detect(files, name)].read(files, name)


def _detect(files: Mapping[str, bytes], name: str) -> str:
    """Return the kind of the files, by their names or the content of a single file. Raise FormatError if unknown."""
    names = {base_name(path).lower() for path in files}
    if any(name.endswith(".conf") for name in names):
        return "brat"
    if any(name.startswith("exportedproject") for name in names):
        return "uima"
    if any(name == "common_paths.xml" or name.endswith("_scheme.xml") for name in names):
        return "mmax2"
    if any("typesystem" in name for name in names):
        return "uima"
    if len(files) == 1:
        [data] = files.values()
        head = data[:4096]
        if b"<annotationscheme" in head:
            return "mmax2"
        if b"typeSystemDescription" in head:
            return "uima"
        if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")):
            return "json" if b'"coindex-scheme"' in data or b'"levels"' in data else "uima"
        if b"[entities]" in data:
            return "brat"
    raise FormatError(f"no scheme was found in it; one is {KINDS}", name)
