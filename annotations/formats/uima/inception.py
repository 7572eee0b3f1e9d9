"""Project exports of INCEpTION and WebAnno: zips that hold a zip for each text and coder.

    exportedproject1.json
    annotation/walk.txt/anna.zip            anna.xmi with TypeSystem.xml, or the one file of another format
    annotation/walk.txt/INITIAL_CAS.zip     the text before anybody coded it
    annotation_ser/walk.txt/anna.ser
    curation/walk.txt/CURATION_USER.zip
    source/walk.txt

The files of coders under `annotation` are unpacked and become `annotation/anna/walk.xmi`, so that the folder names the
coder and the file the text, as in other uploads. All other files are ignored: INITIAL_CAS is no coder, and the
curation is not independent of the other codings.
"""

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import IO

from annotations.formats.syntax.archive import Package, list_entries, unpack

MAX_DEPTH = 5
PROJECT = re.compile(r"(?P<root>(?:[^/]+/){0,5})exportedproject[^/]*\.json")
CODED = re.compile(r"(?P<root>(?:[^/]+/){0,5}?)annotation/(?P<text>[^/]+)/(?P<coder>[^/]+)(?P<suffix>\.[^./]+)")
NO_CODERS = ("INITIAL_CAS", "CURATION_USER")
SOURCE = re.compile(r"(?P<name>.+)\.(?:txt|tsv|xmi|xml|json|conll|conllu|html?|pdf|docx?)", re.IGNORECASE)


def open_package(data: bytes | IO[bytes], file: str, *, most_files: int, most_bytes: int) -> Package:
    """Return the files of the zip `file`; for a project export of INCEpTION or WebAnno, the files of its coders.

    The bounds apply to everything that is unpacked, also from inner zips. Raises FormatError that names the faulty zip.
    """
    entries = list_entries(data, file, most_files=most_files, most_bytes=most_bytes)
    roots = _find_roots(entry.path for entry in entries)
    if not roots:
        return Package([(entry.path, entry) for entry in entries])
    most_files -= len(entries)
    most_bytes -= sum(map(len, entries))
    matches = {entry.path: CODED.fullmatch(entry.path) for entry in entries}
    coded = {name: match for name, match in matches.items() if match and match["root"] in roots}
    texts = _name_texts({match["text"] for match in coded.values()})
    files: dict[str, bytes] = {}
    ignored: list[str] = []
    for entry in entries:
        name = entry.path
        match = coded.get(name)
        if match is None or match["coder"] in NO_CODERS:
            folders = [folder.end() for folder in re.finditer("/", name)]
            if any(name[:end] in roots for end in (0, *folders[:MAX_DEPTH])):
                ignored.append(name)
            else:
                files[name] = entry.read()
            continue
        members = [(name, entry.read())]
        if match["suffix"].lower() == ".zip":
            members = unpack(members[0][1], f"{file}/{name}", most_files=most_files, most_bytes=most_bytes)
            most_files -= len(members)
            most_bytes -= sum(len(content) for _, content in members)
        for member, content in members:
            path = PurePosixPath(member)
            # A type system is named after the file that it describes.
            is_type_system = path.suffix.lower() == ".xml" and "typesystem" in path.name.lower()
            ending = "-typesystem.xml" if is_type_system else path.suffix
            arranged = f"{match['root']}annotation/{match['coder']}/{texts[match['text']]}{ending}"
            if arranged in files:
                ignored.append(f"{name}/{member}")
            else:
                files[arranged] = content
    return Package(list(files.items()), ignored)


def _find_roots(names: Iterable[str]) -> set[str]:
    """Return the folders of project exports, found by their description or by zips under `annotation`."""
    roots = set[str]()
    for name in names:
        description, coded = PROJECT.fullmatch(name), CODED.fullmatch(name)
        if description:
            roots.add(description["root"])
        elif coded and coded["suffix"].lower() == ".zip":
            roots.add(coded["root"])
    return roots


def _name_texts(names: Iterable[str]) -> dict[str, str]:
    """Return the names of texts by source file: without its suffix, or with it if two names would be equal."""
    short = {name: match["name"] if (match := SOURCE.fullmatch(name)) else name for name in names}
    often = Counter(short.values())
    return {name: short_name if often[short_name] == 1 else name for name, short_name in short.items()}
