"""Reports of imports."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Self

from annotations.core.text import common_length, pluralize
from annotations.formats import Finding

# The maximum number of listed findings of a kind, and of texts in the preview; further findings are counted.
MAX_FINDINGS, MAX_PREVIEWS = 1000, 50
MAX_PLACES = 200
NOTHING: Mapping[str, int] = MappingProxyType({})
# The differences between messages of one kind: quoted words, names in advice, code points, numbers, file names.
PARTICULARS = re.compile(r"'[^']*'|“[^”]*”|\"[^\"]*\"|\b(?:level|category)=.*?(?= reads|:)|U\+[0-9A-F]+|\S*/\S*|[0-9]+")
# A finding with a count: the number, and the things counted.
COUNTED = re.compile(r"(?:the )?(?P<number>[0-9]+) (?P<what>.+)", re.DOTALL)
MAX_NAMES = 20


@dataclass(frozen=True, slots=True)
class Failure:
    """A file that was not imported. The message gives the reason, the file, and the line if known."""

    file: str
    message: str

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True, slots=True)
class TextPreview:
    """A preview of a text that an import creates or extends: its length and its first lines."""

    slug: str
    title: str
    is_new: bool
    words: int
    markables: int
    sample: str


COUNTS = (
    *("documents", "texts", "markables", "codings", "judgements", "unchanged"),
    *("n_answers_left_out", "n_links_left_out"),
)


@dataclass(slots=True)
class Report:
    """The result of an import or a trial."""

    documents: int = 0  # documents that were not refused
    texts: int = 0
    markables: int = 0
    codings: int = 0
    judgements: int = 0
    unchanged: int = 0  # codings that the project already has as in the files
    new_coders: list[str] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    previews: list[TextPreview] = field(default_factory=list)  # at most MAX_PREVIEWS texts
    reason: str = ""  # why no file could be read
    found: dict[str, Any] | None = None  # the names in the files, in a trial
    new_scheme: dict[str, Any] | None = None  # as JSON
    names: dict[str, dict[str, str]] = field(default_factory=dict)  # names in the project, by option and name in files
    unlisted: Counter[str] = field(default_factory=Counter)  # findings beyond MAX_FINDINGS of a kind
    n_answers_left_out: int = 0  # answered markables whose answers an import of texts only leaves out
    n_links_left_out: int = 0  # the linked ones of these

    def add(self, other: Self) -> None:
        """Add the report of further documents."""
        for count in COUNTS:
            setattr(self, count, getattr(self, count) + getattr(other, count))
        self.new_coders = sorted({*self.new_coders, *other.new_coders})
        self.failures += other.failures
        kept = Counter(finding.code for finding in self.findings)
        for finding in other.findings:
            kept[finding.code] += 1
            if kept[finding.code] <= MAX_FINDINGS:
                self.findings.append(finding)
            else:
                self.unlisted[finding.code] += 1
        self.previews = [*self.previews, *other.previews][:MAX_PREVIEWS]
        self.new_scheme = self.new_scheme or other.new_scheme
        self.names = self.names or other.names

    @property
    def empty(self) -> bool:
        """Whether no document was accepted."""
        return not self.documents

    @property
    def left_out_answers(self) -> str:
        """A phrase about the answers that an import of texts only leaves out; empty if there are none."""
        if self.n_links_left_out:
            return f"the files say which {pluralize(self.n_links_left_out, 'markable')} belong together"
        if self.n_answers_left_out:
            return f"the files say what {pluralize(self.n_answers_left_out, 'markable')} are"
        return ""

    def warnings(self) -> list[str]:
        """Return a line for each kind of finding: the first finding and the number of others."""
        return summaries(self.findings, self.unlisted)

    def refusals(self) -> list[str]:
        """Return a line for each kind of refusal: the first refusal and the number of other files."""
        return [
            str(group[0]) if len(group) == 1 else f"{group[0]} (and {pluralize(len(group) - 1, 'file')} more like this)"
            for group in group_failures(self.failures)
        ]

    def as_json(self) -> dict[str, Any]:
        """Return the report as JSON for pages and the API."""
        shown = asdict(self)
        del shown["findings"], shown["names"], shown["unlisted"]
        refused = [
            {"count": len(group), "places": [str(failure) for failure in group[:MAX_PLACES]]}
            for group in group_failures(self.failures)
        ]
        odd = describe_findings(self.findings, self.unlisted)
        about = {"summary": str(self), "left_out_answers": self.left_out_answers}
        return about | shown | {"refused": refused, "odd": odd}

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


def group_failures(failures: Iterable[Failure]) -> list[list[Failure]]:
    """Return the refusals, grouped by message without names, numbers and words of the files."""
    return _group(failures, lambda failure: PARTICULARS.sub("", failure.message.replace(failure.file, "")))


def _group[Item](items: Iterable[Item], kind_of: Callable[[Item], str]) -> list[list[Item]]:
    kinds: dict[str, list[Item]] = {}
    for item in items:
        kinds.setdefault(kind_of(item), []).append(item)
    return list(kinds.values())


def summaries(findings: Iterable[Finding], unlisted: Mapping[str, int] = NOTHING) -> list[str]:
    """Return a line for each kind of finding with the number of others, including unlisted findings."""
    return [summarize(group, unlisted.get(group[0].code, 0)) for group in _group(findings, attrgetter("code"))]


def describe_findings(findings: Iterable[Finding], unlisted: Mapping[str, int] = NOTHING) -> list[dict[str, Any]]:
    """Return the number and places of the findings of each kind; `unlisted` counts further findings."""
    described = []
    for group in _group(findings, attrgetter("code")):
        n_unlisted = unlisted.get(group[0].code, 0)
        line = summarize(group, n_unlisted) if len(count_by_name(group)) > 1 else str(group[0])
        places = [str(finding) for finding in group[:MAX_PLACES]]
        described.append({"count": len(group) + n_unlisted, "line": line, "places": places})
    return described


def summarize(group: Sequence[Finding], n_unlisted: int = 0) -> str:
    """Return a line for findings of one kind: the first finding, or the largest count by name with all names.

    n_unlisted: the number of further findings.
    """
    counts = count_by_name(group)
    if len(counts) > 1:
        names = [f"{number:,} × {name}" for name, number in counts.most_common(MAX_NAMES)]
        names += [f"{len(counts) - MAX_NAMES} more names"] * (len(counts) > MAX_NAMES)
        largest = max(group, key=lambda finding: _number_and_phrase(finding)[0])
        return f"{largest} – in all {', '.join(names)}{' and more' * (n_unlisted > 0)}"
    more = len(group) - 1 + n_unlisted
    return str(group[0]) + (f" (and {more} more like this)" if more else "")


def count_by_name(group: Iterable[Finding]) -> Counter[str]:
    """Return the sum for each name of findings whose messages begin with a number and differ only in a name.

    Other findings have no names. "3 answers to 'genus', which …" and "1 answer to 'number', which …" have two names.
    """
    counts: Counter[tuple[str, ...]] = Counter()
    for finding in group:
        number, phrase = _number_and_phrase(finding)
        if not phrase:
            return Counter()
        counts[phrase] += number
    before = common_length(*counts)
    after = common_length(*(phrase[before:][::-1] for phrase in counts))
    if not before:
        return Counter()
    return Counter({" ".join(phrase[before : len(phrase) - after]).strip("',"): counts[phrase] for phrase in counts})


def _number_and_phrase(finding: Finding) -> tuple[int, tuple[str, ...]]:
    """Return the count in a finding and the words after it, the first in the singular; (0, ()) without a count."""
    match = COUNTED.fullmatch(finding.message)
    if match is None:
        return 0, ()
    noun, *words = match["what"].split(" ")
    return int(match["number"]), (noun.removesuffix("s"), *words)


class ImportFailed(Exception):
    """The reason why nothing could be imported at all, ready to be shown."""


class ProjectChanged(ImportFailed):
    """Others changed the project between the check and the writing of files; nothing was written."""
