"""Reports of imports."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from annotations.core.text import pluralize
from annotations.formats import Finding
from annotations.transfers.importing.found import Found

# What differs between messages of one kind: quoted words, code points, numbers, names of files.
PARTICULARS = re.compile(r"'[^']*'|“[^”]*”|\"[^\"]*\"|U\+[0-9A-F]+|\S*/\S*|[0-9]+")


@dataclass(frozen=True, slots=True)
class Failure:
    """A file that was not imported. The message gives the reason, and names the file and the line if there is one."""

    file: str
    message: str

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True, slots=True)
class TextPreview:
    """A text that an import brings or adds to, for people to look at: how long it is, and how it begins."""

    slug: str
    title: str
    is_new: bool
    words: int
    markables: int
    sample: str


@dataclass(slots=True)
class Report:
    """The result of an import, or for a trial what it would be.

    `documents` counts those that were not refused; `unchanged` the codings that the project has already, just as in the
    files. `previews` are the first of the texts. `reason` says why none of the files could be read, where that is.
    `found` has the names that the files have, of a trial; `new_scheme` the scheme that was made from them, as JSON.
    `names` are those of the files and of the scheme for them, by option.
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
    previews: list[TextPreview] = field(default_factory=list)
    reason: str = ""
    found: Found | None = None
    new_scheme: dict[str, Any] | None = None
    names: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        """Whether no document was imported or in the project already."""
        return not self.documents

    def warnings(self) -> list[str]:
        """Return a line for each kind of finding: the first one, and how many more there are."""
        return summaries(self.findings)

    def refusals(self) -> list[str]:
        """Return a line for each kind of refusal: the first one, and how many more files there are."""
        return [
            str(group[0]) if len(group) == 1 else f"{group[0]} (and {pluralize(len(group) - 1, 'file')} more like this)"
            for group in group_failures(self.failures)
        ]

    def __str__(self) -> str:
        parts = [
            pluralize(self.texts, "new text"),
            pluralize(self.markables, "new markable"),
            pluralize(self.codings, "coding"),
            pluralize(self.judgements, "judgement"),
        ]
        if self.unchanged:
            parts.append(f"{pluralize(self.unchanged, 'coding')} already imported")
        if self.failures:
            parts.append(f"{pluralize(len(self.failures), 'file')} refused")
        return ", ".join(parts)


def group_by_kind(findings: Iterable[Finding]) -> list[list[Finding]]:
    """Return the findings, grouped by kind."""
    kinds: dict[str, list[Finding]] = {}
    for finding in findings:
        kinds.setdefault(finding.code, []).append(finding)
    return list(kinds.values())


def group_failures(failures: Iterable[Failure]) -> list[list[Failure]]:
    """Return the refusals, grouped by what they say besides names, numbers and words of the files."""
    kinds: dict[str, list[Failure]] = {}
    for failure in failures:
        kinds.setdefault(PARTICULARS.sub("", failure.message.replace(failure.file, "")), []).append(failure)
    return list(kinds.values())


def summaries(findings: Iterable[Finding]) -> list[str]:
    """Return a line for each kind of finding: the first one, and how many more there are."""
    return [
        str(group[0]) if len(group) == 1 else f"{group[0]} (and {len(group) - 1} more like this)"
        for group in group_by_kind(findings)
    ]


class ImportFailed(Exception):
    """The reason why nothing could be imported at all, ready to be shown."""
