"""What is odd in files, within bounds."""

from dataclasses import dataclass, field

from annotations.formats.model.document import Finding


@dataclass(slots=True)
class Findings:
    """What is odd in a file. most: how many findings are listed. code: of findings that name none."""

    file: str
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
        """Add a finding, or count it where there are too many."""
        if len(self.findings) < self.most:
            self.findings.append(Finding(code or self.code, message, file or self.file, line, fix, left_out))
        else:
            self.n_unlisted += 1

    def listed(self) -> tuple[Finding, ...]:
        """Return the findings, with a last one that counts those that are not listed."""
        more = Finding(self.code, f"{self.n_unlisted} more {self.noun} are not listed", self.file)
        return (*self.findings, *([more] if self.n_unlisted else []))
