"""A document to import, with the coder whose work it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotations.core.spool import Spool
from annotations.formats import Document
from annotations.formats.model.document import MOST_IN_MEMORY, weigh


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
