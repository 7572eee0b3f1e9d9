"""A document to import, with the coder whose work it is."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from annotations.core.spool import Spool
from annotations.formats import Document, Finding
from annotations.formats.model.document import MOST_IN_MEMORY, weigh

MOST_NAMES, LONGEST_NAME = 3, 60


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


type Documents = Sequence[SourceDocument] | Spool[SourceDocument]


def spool_documents() -> Spool[SourceDocument]:
    """Return an empty sequence of documents, of which only the first are in memory."""
    return Spool(lambda source: weigh(source.document), MOST_IN_MEMORY)


def in_memory(documents: Documents) -> Documents:
    """Return the documents as a list if all of them are in memory, else as they are."""
    listed = documents.as_list() if isinstance(documents, Spool) else None
    return documents if listed is None else listed


def find_same_words(documents: Iterable[SourceDocument]) -> list[Finding]:
    """Return a finding for each text that comes under several names, to judge by its characters without white space."""
    first_of: dict[bytes, str] = {}  # of most texts there is one name
    names: dict[bytes, dict[str, str]] = {}
    for source in documents:
        document = source.document
        if document.without_text:
            continue
        words = unicodedata.normalize("NFC", "".join(document.content.split()))
        digest = blake2b(words.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        first = first_of.setdefault(digest, document.name)
        if first != document.name:
            names.setdefault(digest, {first: ""}).setdefault(document.name, document.file)
    return [_same_words([*files], next(file for file in files.values() if file)) for files in names.values()]


def _same_words(names: Sequence[str], file: str) -> Finding:
    shown = [name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…" for name in names[:MOST_NAMES]]
    further = [f"{len(names) - MOST_NAMES} more"] if len(names) > MOST_NAMES else []
    *before, last = [*shown, *further]
    message = f"{', '.join(before)} and {last} have the same words"
    fix = "they are different texts: for one text of several coders give the files one name, each in a coder's folder"
    return Finding("same-words", message, file, fix=f"{fix}, or say what parts text and coder in their names")
