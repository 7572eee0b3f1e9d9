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
INITIAL_CAS is no coder, and the curation is no judgement that is independent of the others: both are left out, as is
the rest of such an export.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from annotations.formats.syntax.archive import Package, unpack

# An export lies in at most five folders.
DEEPEST = 5
PROJECT = re.compile(r"(?P<root>(?:[^/]+/){0,5})exportedproject[^/]*\.json")
CODED = re.compile(r"(?P<root>(?:[^/]+/){0,5}?)annotation/(?P<text>[^/]+)/(?P<coder>[^/]+)(?P<suffix>\.[^./]+)")
NO_CODERS = ("INITIAL_CAS", "CURATION_USER")
SOURCE = re.compile(r"(?P<name>.+)\.(?:txt|tsv|xmi|xml|json|conll|conllu|html?|pdf|docx?)", re.IGNORECASE)


def is_export(names: Iterable[str]) -> bool:
    """Return whether there is a project export among the files of those names."""
    return bool(_find_roots(names))


def arrange(entries: Sequence[tuple[str, bytes]], file: str, *, most_files: int, most_bytes: int) -> Package:
    """Return the files of a zip, and in place of each project export in it the files of its coders.

    entries: what the zip `file` holds. most_files, most_bytes: the bounds for what comes out of the coders' zips; no
    other zip in a zip is opened. Raises FormatError, naming the zip that is at fault.
    """
    roots = _find_roots(name for name, _ in entries)
    coded = {name: match for name, _ in entries if (match := CODED.fullmatch(name)) and match["root"] in roots}
    texts = _name_texts({match["text"] for match in coded.values()})
    files: dict[str, bytes] = {}
    ignored: list[str] = []
    for name, content in entries:
        match = coded.get(name)
        if match is None or match["coder"] in NO_CODERS:
            folders = [folder.end() for folder in re.finditer("/", name)]
            if any(name[:end] in roots for end in (0, *folders[:DEEPEST])):
                ignored.append(name)
            else:
                files[name] = content
            continue
        members = [(name, content)]
        if match["suffix"].lower() == ".zip":
            members = unpack(content, f"{file}/{name}", most_files=most_files, most_bytes=most_bytes)
            most_files -= len(members)
            most_bytes -= sum(len(each) for _, each in members)
        for member, each in members:
            path = PurePosixPath(member)
            # A type system is called after the file that it describes.
            is_type_system = path.suffix.lower() == ".xml" and "typesystem" in path.name.lower()
            ending = "-typesystem.xml" if is_type_system else path.suffix
            arranged = f"{match['root']}annotation/{match['coder']}/{texts[match['text']]}{ending}"
            if arranged in files:
                ignored.append(f"{name}/{member}")
            else:
                files[arranged] = each
    return Package(list(files.items()), ignored)


def _find_roots(names: Iterable[str]) -> set[str]:
    """Return the folders of project exports; where the description is missing, zips under `annotation` tell them."""
    roots = set[str]()
    for name in names:
        description, coded = PROJECT.fullmatch(name), CODED.fullmatch(name)
        if description:
            roots.add(description["root"])
        elif coded and coded["suffix"].lower() == ".zip":
            roots.add(coded["root"])
    return roots


def _name_texts(names: Iterable[str]) -> dict[str, str]:
    """Return what the texts are called: as their source files without suffix, with it where two would be alike."""
    short = {name: match["name"] if (match := SOURCE.fullmatch(name)) else name for name in names}
    often = Counter(short.values())
    return {name: short_name if often[short_name] == 1 else name for name, short_name in short.items()}
