"""The documents of a CoNLL file while its lines come in."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from annotations.formats.model.document import Document
from annotations.formats.model.findings import Finding, FormatError
from annotations.formats.model.format import stem
from annotations.formats.model.slips import Slips


@dataclass(slots=True)
class DocumentDraft:
    """A document while its lines come in. line: where it begins. shown: what messages call it."""

    file: str
    line: int
    name: str
    shown: str
    slips: Slips
    findings: list[Finding] = field(default_factory=list)

    def error(self, message: str, number: int) -> FormatError:
        return FormatError(message, self.file, number)

    def slip(self, message: str, number: int) -> None:
        """Leave out a mention. Raise FormatError where the file is refused."""
        self.slips.in_mention(self.error(message, number), self.findings)


@dataclass(slots=True)
class DocumentReader[Draft: DocumentDraft, Line]:
    """What goes on from line to line, and the documents so far. skips: the lines are of a document that is left out."""

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
        """Leave out the document that is open. Raise the error where the file is refused."""
        self.slips.in_document(error)
        if self.draft is not None:
            self.drafts.pop()
        self.draft, self.skips = None, True

    def named_drafts(self, *, holds_one: bool) -> dict[str, Draft]:
        """Return the documents by their names: that of the file where it holds one, else their names in it."""
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
        """Return the documents with what was left out. Raise the first error if there is none."""
        findings = self.slips.finish(len(documents))
        return [replace(documents[0], findings=[*findings, *documents[0].findings]), *documents[1:]]
