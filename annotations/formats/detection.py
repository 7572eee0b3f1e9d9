"""Guess the format of files from their names and first bytes. People confirm the guess, and reading decides."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePosixPath

from annotations.formats import FORMATS, PYRAMID_FORMATS, Format, PyramidFormat
from annotations.formats.syntax.table import SEPARATOR_LINE

HEAD_BYTES = 4096
MAX_FILES = 50

_FORMATS: list[Format | PyramidFormat] = [*FORMATS.values(), *PYRAMID_FORMATS.values()]
_COUNTS = Counter(suffix for format_ in _FORMATS for suffix in format_.suffixes)
BY_SUFFIX = {suffix: format_.key for format_ in _FORMATS for suffix in format_.suffixes if _COUNTS[suffix] == 1}
# Suffixes of companion files by format: texts of brat, type systems of CAS, words of MMAX2.
COMPANIONS = {"brat": (".txt",), "xmi": (".xml", ".txt"), "mmax2": (".xml", ".txt", ".dtd"), "webanno": (".txt",)}
INCEPTION = "exportedproject.json"
PLAIN = ("text", "plain")
# Signs of plain text with markables that prose lacks: one of our headers, or a name after a bracket.
MARKED = re.compile(r"\A#(title|language|direction|turns):|\][(][^()|\s/]*[)]")
# Contents that identify a format whatever the name of the file; the first match counts.
SIGNS = {
    "webanno": re.compile(r"\A#FORMAT=WebAnno"),
    "conll2012": re.compile(r"^#begin document", re.MULTILINE),
    "conllu": re.compile(r"^# (newdoc|global\.(Entity|columns)|sent_id)", re.MULTILINE),
    "brat": re.compile(r"^T\d+\t\S+ \d+ \d+", re.MULTILINE),
    "xmi": re.compile(r"<xmi:XMI\b"),
    "mmax2": re.compile(r"<(mmax_project|markables|words)\b"),
    "ducview": re.compile(r"<(pyramid|peerAnnotation)\b"),
    "muc": re.compile(r"<COREF\b", re.IGNORECASE),
}
SACR = re.compile(r'^#(COLOR|textmetadata):|\{[-\w]+:\w+="', re.MULTILINE)
# Formats that are not read here: a pattern, and advice to the user.
UNREAD = {
    "SACR": (SACR, "export CoNLL from it"),
    "Label Studio": (re.compile(r'"(completed_by|from_name|to_name)"\s*:'), "turn it into brat standoff"),
    "HTML": (re.compile(r"<!DOCTYPE html|<html\b|<body\b", re.IGNORECASE), "save it as plain text (.txt)"),
    "RTF": (re.compile(r"\A\{\\rtf"), "save it as plain text (.txt)"),
    "TEI": (re.compile(r"<TEI\b|www\.tei-c\.org"), "turn it into brat standoff or CoNLL-U"),
}
WRITTEN = re.compile(r"\.(docx?|odt|rtf|pdf)\Z")
LABELS = re.compile(r"\b(item|unit|id|coder|annotator|rater|worker|label|category)\b")


@dataclass(frozen=True, slots=True)
class Kind:
    """The apparent kind of a file: the key of a format, or the name of an unread format and advice (`way`)."""

    format: str = ""
    name: str = ""
    way: str = ""


# A JSON object, or a list of objects, with a key of words or chains (RuCoCo's `entities` are lists of lists).
CLUSTERS = re.compile(
    r'\s*\[?\s*\{.*"(?:(?:sentences|cased_words|clusters|mention_clusters)"\s*:\s*\[|entities"\s*:\s*\[\s*\[\s*\[)',
    re.DOTALL,
)


def detect_format(files: Iterable[tuple[str, bytes]]) -> str:
    """Return the key of the most frequent format of files, given as (name, first bytes); empty if none is known."""
    found: Counter[str] = Counter()
    files = list(islice(files, MAX_FILES))
    if any(PurePosixPath(name).name == INCEPTION for name, _ in files):
        # The source texts of a project do not tell the format of its annotations.
        files = [(name, head) for name, head in files if PurePosixPath(name).suffix.lower() in (".tsv", ".xmi")]
    for name, head in files:
        if key := _detect(name, head):
            found[key] += 1
    for key, suffixes in COMPANIONS.items():
        if found[key] and set(found) <= {key, *(PLAIN if ".txt" in suffixes else ())}:
            return key
    return found.most_common(1)[0][0] if found else ""


def recognise(name: str, head: bytes) -> Kind | None:
    """Return the kind that the first bytes of a file suggest, or else its suffix; None if neither suggests any."""
    text = head[:HEAD_BYTES].decode("utf-8-sig", errors="replace")
    if text.lstrip()[:1] in ("{", "[") and (key := _detect_json(text)):
        return Kind(key)
    for other, (sign, way) in UNREAD.items():
        if sign.search(text) and not SIGNS["xmi"].search(text):  # XMI may embed the source of its text
            return Kind(name=other, way=way)
    for key, sign in SIGNS.items():
        if sign.search(text):
            return Kind(key)
    if WRITTEN.search(name.lower()):
        return Kind(name="a document of a word processor", way="save it as plain text (.txt)")
    if name.lower().endswith((".csv", ".tsv")):
        if key := _detect_table(text):
            return Kind(key)
        if LABELS.search(text.partition("\n")[0].lower()):
            return Kind(name="a table of labels", way="name its columns text, unit, coder and label (judgements-csv)")
    return Kind("plain") if MARKED.search(text) else None


def _detect(name: str, head: bytes) -> str:
    suffix = PurePosixPath(name).suffix.lower()
    text = head[:HEAD_BYTES].decode("utf-8-sig", errors="replace")
    if suffix == ".conll" or name.lower().endswith("_conll"):
        return "conllu" if SIGNS["conllu"].search(text) else "conll2012"
    if suffix in BY_SUFFIX:
        return BY_SUFFIX[suffix]
    if suffix == ".txt":
        return "" if SACR.search(text) else "plain" if MARKED.search(text) else "text"
    if suffix == ".json":
        return _detect_json(text)
    if suffix in (".csv", ".tsv"):
        return "webanno" if text.startswith("#FORMAT=WebAnno") else _detect_table(text)
    return ""


def _detect_json(text: str) -> str:
    if re.search(r'"%(TYPES|FEATURE_STRUCTURES|VIEWS)"', text):
        return "casjson"
    if re.match(r"\s*\[", text) and '"unit"' in text:
        return "matrix-json" if '"values"' in text else "judgements-json"
    return "jsonlines" if CLUSTERS.match(text) else ""


def _detect_table(text: str) -> str:
    header = SEPARATOR_LINE.sub("", text).lstrip().partition("\n")[0]
    names = {name.strip('" ') for name in re.split(r"[,;\t]", header.strip().lower())}
    if not names & {"text", "document"} or "unit" not in names:
        return ""
    return "judgements-csv" if "coder" in names else "matrix-csv"
