"""Slips in files: they refuse the file, or the mention or document with the slip is left out."""

from dataclasses import dataclass, field

from annotations.formats.model.findings import Finding, FormatError

LEAVE_OUT = "leave-out"
WAY = "; slips=leave-out leaves out "
MAX_LISTED = 1000


@dataclass(slots=True)
class Slips:
    """The slips of a file. are_left_out: leave out mentions and documents with slips. errors: of omitted documents."""

    file: str
    are_left_out: bool
    several: bool = False
    findings: list[Finding] = field(default_factory=list)
    errors: list[FormatError] = field(default_factory=list)
    number: int = 0

    def in_mention(self, error: FormatError, findings: list[Finding]) -> None:
        """Add a finding that a mention or its link is left out. Raise the error if slips refuse the file."""
        self.leave_out(error, "the mention", findings)

    def in_document(self, error: FormatError) -> None:
        """Add a finding that a document is left out. Raise the error if slips refuse the file."""
        self.leave_out(error, "the document" if self.several or self.are_left_out else "", self.findings)
        self.errors.append(error)

    def leave_out(self, error: FormatError, what: str, findings: list[Finding]) -> None:
        """Add a finding that `what` is left out. Raise the error if slips refuse the file."""
        if not self.are_left_out:
            message = f"{error.message}{WAY}{what}" if what else error.message
            raise FormatError(message, error.file, error.line, error.column)
        self.number += 1
        if self.number <= MAX_LISTED:
            fix = f"{what} is left out"
            findings.append(Finding("slip", error.message, error.file, error.line, fix, left_out=True))

    def finish(self, n_documents: int) -> list[Finding]:
        """Return the findings of the file. Raise the first error if no document is left."""
        if not n_documents and self.errors:
            raise self.errors[0]
        if self.number > MAX_LISTED:
            message = f"there are {self.number - MAX_LISTED} more slips than are listed"
            self.findings.append(Finding("slip", message, self.file, fix="left out", left_out=True))
        return self.findings
