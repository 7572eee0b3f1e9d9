"""Base classes for reading the documents of a CoNLL file line by line."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from annotations.formats.model.document import Document
from annotations.formats.model.findings import Finding, FormatError
from annotations.formats.model.format import stem
from annotations.formats.model.slips import Slips


@dataclass(slots=True)
class DocumentDraft:
    """A document that is built line by line. line: its first line. shown: its name in messages."""

    file: str
    line: int
    name: str
    shown: str
    slips: Slips
    findings: list[Finding] = field(default_factory=list)

    def error(self, message: str, number: int) -> FormatError:
        return FormatError(message, self.file, number)

    def slip(self, message: str, number: int) -> None:
        """Leave out a mention. Raise FormatError if slips refuse the file."""
        self.slips.in_mention(self.error(message, number), self.findings)


@dataclass(slots=True)
class DocumentReader[Draft: DocumentDraft, Line]:
    """A reader of lines, and the documents so far. skips: whether the current document is left out."""

    file: str
    slips: Slips
    drafts: list[Draft] = field(default_factory=list)
    draft: Draft | None = None
    skips: bool = False

    def read_line(self, number: int, line: Line) -> None:
        raise NotImplementedError

    def end_file(self) -> None:
        raise NotImplementedError

    def read_lines(self, lines: Iterable[tuple[int, Line]]) -> None:
        for number, line in lines:
            try:
                self.read_line(number, line)
            except FormatError as error:
                self.leave_out(error)
        try:
            self.end_file()
        except FormatError as error:
            self.leave_out(error)

    def leave_out(self, error: FormatError) -> None:
        """Leave out the open document. Raise the error if slips refuse the file."""
        self.slips.in_document(error)
        if self.draft is not None:
            self.drafts.pop()
        self.draft, self.skips = None, True

    def named_drafts(self, *, holds_one: bool) -> dict[str, Draft]:
        """Return the drafts by name: the name of the file if it holds one document, else their own names."""
        if holds_one:
            return {stem(self.file): draft for draft in self.drafts}
        first: dict[str, Draft] = {}
        for draft in self.drafts:
            before = first.setdefault(draft.name, draft)
            if before is not draft:
                message = f"{draft.shown} appears twice (also in line {before.line})"
                self.slips.in_document(FormatError(message, self.file, draft.line))
        return first

    def add_findings(self, documents: Sequence[Document]) -> list[Document]:
        """Return the documents with the findings on slips. Raise the first error if there are no documents."""
        findings = self.slips.finish(len(documents))
        return [replace(documents[0], findings=[*findings, *documents[0].findings]), *documents[1:]]
