"""Project exports of INCEpTION and WebAnno: zips that hold a zip for each text and coder.

    exportedproject1.json
    annotation/walk.txt/anna.zip            anna.xmi with TypeSystem.xml, or the one file of another format
    annotation/walk.txt/INITIAL_CAS.zip     the text before anybody coded it
    annotation_ser/walk.txt/anna.ser
    curation/walk.txt/CURATION_USER.zip
    source/walk.txt

What lies under `annotation` is a coder's and is opened. It becomes `annotation/anna/walk.xmi`, so that, as elsewhere,
the folder names the coder and the file the text, whatever it was called in its zip. A file that was not worth a zip
(`annotation/walk.txt/anna.tsv`) is renamed in the same way. The text's suffix goes where no other text needs it.
INITIAL_CAS is no coder, and the curation is no judgement that is independent of the others: both are put aside, as is
the rest of such an export.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from annotations.formats.archive import unpack

# An export lies in at most five folders.
PROJECT = re.compile(r"(?P<root>(?:[^/]+/){0,5})exportedproject[^/]*\.json")
CODED = re.compile(r"(?P<root>(?:[^/]+/){0,5}?)annotation/(?P<text>[^/]+)/(?P<coder>[^/]+)(?P<suffix>\.[^./]+)")
NO_CODERS = ("INITIAL_CAS", "CURATION_USER")
SOURCE = re.compile(r"(?P<name>.+)\.(?:txt|tsv|xmi|xml|json|conll|conllu|html?|pdf|docx?)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Opened:
    """The files of a zip, as (name, data), and the names of those that belong to no coder of a project export."""

    files: list[tuple[str, bytes]] = field(default_factory=list)
    aside: list[str] = field(default_factory=list)


def opened(data: bytes, file: str, *, most_files: int, most_bytes: int) -> Opened:
    """What a zip holds; in a project export, what the coders' zips in it hold. No other zip in a zip is opened.

    The bounds are for all that is unpacked, the zips in the zip and what comes out of them. Raises FormatError, naming
    the zip that is at fault.
    """
    entries = unpack(data, file, most_files=most_files, most_bytes=most_bytes)
    roots = set(_roots(name for name, _ in entries))
    coded = {name: found for name, _ in entries if (found := CODED.fullmatch(name)) and found["root"] in roots}
    texts = _texts({found["text"] for found in coded.values()})
    files: dict[str, bytes] = {}
    aside: list[str] = []
    files_left, bytes_left = most_files - len(entries), most_bytes - sum(len(content) for _, content in entries)
    for name, content in entries:
        found = coded.get(name)
        if found is None or found["coder"] in NO_CODERS:
            if not roots.isdisjoint(_above(name)):
                aside.append(name)
            else:
                files[name] = content
            continue
        held = [(name, content)]
        if found["suffix"].lower() == ".zip":
            held = unpack(content, f"{file}/{name}", most_files=files_left, most_bytes=bytes_left)
            files_left -= len(held)
            bytes_left -= sum(len(each) for _, each in held)
        for member, each in held:
            path = f"{found['root']}annotation/{found['coder']}/{texts[found['text']]}{_ending(member)}"
            if path in files:
                aside.append(f"{name}/{member}")
            else:
                files[path] = each
    return Opened(list(files.items()), aside)


def _roots(names: Iterable[str]) -> Iterator[str]:
    """The folders in which project exports lie. Where the description is missing, zips under `annotation` tell it."""
    for name in names:
        described, coded = PROJECT.fullmatch(name), CODED.fullmatch(name)
        if described:
            yield described["root"]
        elif coded and coded["suffix"].lower() == ".zip":
            yield coded["root"]


def _above(name: str) -> Iterator[str]:
    """The folders above a file in which an export may lie, each with its last `/`."""
    folders = name.split("/")[:-1]
    return ("".join(f"{folder}/" for folder in folders[:depth]) for depth in range(min(len(folders), 5) + 1))


def _texts(names: Iterable[str]) -> dict[str, str]:
    """What the texts are called: as their source files without suffix, with it where two would be called the same."""
    short = {name: found["name"] if (found := SOURCE.fullmatch(name)) else name for name in names}
    often = Counter(short.values())
    return {name: called if often[called] == 1 else name for name, called in short.items()}


def _ending(member: str) -> str:
    """How the file of a text and coder ends. A type system is called after the file that it describes."""
    path = PurePosixPath(member)
    described = path.suffix.lower() == ".xml" and "typesystem" in path.name.lower()
    return "-typesystem.xml" if described else path.suffix
