"""What an import did, or would do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from annotations.formats import Finding


@dataclass(frozen=True, slots=True)
class Failure:
    """A file that was not imported, and why; the message names it, with the line where there is one."""

    file: str
    message: str

    def __str__(self) -> str:
        return self.message


@dataclass(slots=True)
class Report:
    """What an import did, or what it would do where it was a trial.

    documents: those that were not refused. unchanged: codings that the project has already, as they are in the files.
    """

    documents: int = 0
    texts: int = 0
    markables: int = 0
    codings: int = 0
    judgements: int = 0
    unchanged: int = 0
    new_coders: list[str] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        """Whether no document came in, nor was there already."""
        return not self.documents

    def odd(self) -> list[str]:
        """The findings in short: of each kind how many there are, and the first of them."""
        return in_short(self.findings)

    def __str__(self) -> str:
        parts = [
            number(self.texts, "new text"),
            number(self.markables, "new markable"),
            number(self.codings, "coding"),
            number(self.judgements, "judgement"),
        ]
        if self.unchanged:
            parts.append(f"{number(self.unchanged, 'coding')} there already")
        if self.failures:
            parts.append(f"{number(len(self.failures), 'file')} refused")
        return ", ".join(parts)


def by_kind(findings: Iterable[Finding]) -> list[list[Finding]]:
    """The findings, those of a kind together."""
    kinds: dict[str, list[Finding]] = {}
    for finding in findings:
        kinds.setdefault(finding.code, []).append(finding)
    return list(kinds.values())


def in_short(findings: Iterable[Finding]) -> list[str]:
    """Of each kind the first, and how many more there are."""
    return [
        str(found[0]) if len(found) == 1 else f"{found[0]} (and {len(found) - 1} more of this kind)"
        for found in by_kind(findings)
    ]


def number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
