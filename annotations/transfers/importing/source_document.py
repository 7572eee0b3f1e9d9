"""A document to import, with the coder whose work it is."""

from __future__ import annotations

from dataclasses import dataclass

from annotations.formats import Document


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
