"""Which format files are in, by their names and how they begin. A guess, for people to confirm: reading decides."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from pathlib import PurePosixPath

# So many bytes of a file are looked at, and so many files.
HEAD_BYTES = 4096
MOST_FILES = 50

# Suffixes that one format has.
BY_SUFFIX = {
    ".ann": "brat",
    ".mmax": "mmax2",
    ".xmi": "xmi",
    ".conllu": "conllu",
    ".jsonlines": "jsonlines",
    ".jsonl": "jsonlines",
    ".sgm": "muc",
    ".sgml": "muc",
    ".muc": "muc",
    ".pyr": "ducview",
    ".pan": "ducview",
}
# Files of these suffixes lie beside others that say what they are: texts of brat, type systems of CAS, MMAX2's words.
COMPANIONS = {"brat": (".txt",), "xmi": (".xml", ".txt"), "mmax2": (".xml", ".txt", ".dtd"), "webanno": (".txt",)}
# The file that project exports of INCEpTION and WebAnno have.
INCEPTION = "exportedproject.json"
PLAIN = ("text", "plain")
# What plain text with markables has and prose has not: a header of ours, or a name after a bracket.
MARKED = re.compile(r"\A#(title|language|direction|turns):|\][(][^()|\s]*[)]")

# An object, or a list of some, with a key of words or of chains (RuCoCo's `entities` are lists of lists).
CLUSTERS = re.compile(
    r'\s*\[?\s*\{.*"(?:(?:sentences|cased_words|clusters|mention_clusters)"\s*:\s*\[|entities"\s*:\s*\[\s*\[\s*\[)',
    re.DOTALL,
)


def detect_format(files: Iterable[tuple[str, bytes]]) -> str:
    """Return the key of the format of most of the files, each a name and how it begins; empty if it is none known."""
    found: Counter[str] = Counter()
    files = list(islice(files, MOST_FILES))
    if any(PurePosixPath(name).name == INCEPTION for name, _ in files):
        # Its texts lie beside the annotations, and say nothing of their format.
        files = [(name, head) for name, head in files if PurePosixPath(name).suffix.lower() in (".tsv", ".xmi")]
    for name, head in files:
        if key := _detect(name, head):
            found[key] += 1
    for key, suffixes in COMPANIONS.items():
        if found[key] and set(found) <= {key, *(PLAIN if ".txt" in suffixes else ())}:
            return key
    return found.most_common(1)[0][0] if found else ""


def _detect(name: str, head: bytes) -> str:
    suffix = PurePosixPath(name).suffix.lower()
    if suffix in BY_SUFFIX:
        return BY_SUFFIX[suffix]
    text = head[:HEAD_BYTES].decode("utf-8-sig", errors="replace")
    if suffix == ".conll" or name.lower().endswith("_conll"):
        return "conllu" if re.search(r"^# (newdoc|global\.Entity|sent_id)", text, re.MULTILINE) else "conll2012"
    if suffix == ".txt":
        return "plain" if MARKED.search(text) else "text"
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
    if CLUSTERS.match(text):
        return "jsonlines"
    return ""


def _detect_table(text: str) -> str:
    names = {name.strip('" ') for name in re.split(r"[,;\t]", text.partition("\n")[0].strip().lower())}
    if not names & {"text", "document"} or "unit" not in names:
        return ""
    return "judgements-csv" if "coder" in names else "matrix-csv"
