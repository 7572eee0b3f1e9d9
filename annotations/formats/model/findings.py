"""Errors and findings about files."""

from dataclasses import KW_ONLY, dataclass, field


class FormatError(ValueError):
    """Bad input, with the file and, if known, the line and column (both from 1)."""

    def __init__(self, message: str, file: str, line: int | None = None, column: int | None = None) -> None:
        place = ":".join(str(part) for part in (file, line, column) if part is not None)
        super().__init__(f"{place}: {message}")
        self.message, self.file, self.line, self.column = message, file, line, column


@dataclass(frozen=True, slots=True)
class Finding:
    """An oddity of a file that does not prevent reading."""

    code: str
    message: str
    file: str
    line: int | None = None
    fix: str = ""  # what was or can be done
    left_out: bool = False  # whether a part of the coder's work was not read

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.message}{f' ({self.fix})' if self.fix else ''}"


@dataclass(slots=True)
class Findings:
    """The findings of a file. most: the maximum that is listed. code: the default code of a finding."""

    file: str
    _: KW_ONLY
    most: int = 500
    code: str = "more-findings"
    noun: str = "findings"
    findings: list[Finding] = field(default_factory=list)
    n_unlisted: int = 0

    def add(
        self,
        message: str,
        line: int | None = None,
        fix: str = "",
        *,
        code: str = "",
        file: str = "",
        left_out: bool = False,
    ) -> None:
        """Add a finding, or only count it if too many are listed."""
        if len(self.findings) < self.most:
            self.findings.append(Finding(code or self.code, message, file or self.file, line, fix, left_out))
        else:
            self.n_unlisted += 1

    def listed(self) -> tuple[Finding, ...]:
        """Return the listed findings and, if some are not listed, a last finding that counts them."""
        more = Finding(self.code, f"{self.n_unlisted} more {self.noun} are not listed", self.file)
        return (*self.findings, *([more] if self.n_unlisted else []))
