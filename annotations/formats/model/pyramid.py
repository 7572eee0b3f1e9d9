"""Pyramids: content units (SCUs), their contributors in the model summaries, and those in a peer summary."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count

from annotations.formats.boundary import LONGEST_MATCH, NotUnderstood, matches
from annotations.formats.document import Finding

# The uid under which a peer's contributors stand that express no SCU of the pyramid.
NOT_IN_PYRAMID = 0

BOX = re.compile(r"-{3,}\s*")
DASHES = re.compile(r"-{3,}")
# A header's expression has a step for each character, and `boundary` takes so many steps only.
LONGEST_HEADER = 50
# What `joined` marks headers with where dashes would be too many, and the part of a header that names nothing.
NUMBERED = re.compile(r"---(\d+)", re.ASCII)
NUMBERED_HEADER = re.compile(r"---\d+--- (?=\S)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Summary:
    """A model summary: the stretch `[start, end)` of the pyramid's text, without its header and white space around."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, order=True)
class Part:
    """A stretch `[start, end)` of a text, in code points."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Contributor:
    """Words that express an SCU. parts: in any order, as the coder chose them; they may overlap those of others."""

    parts: tuple[Part, ...]
    label: str = ""
    comment: str = ""


@dataclass(frozen=True, slots=True)
class SCU:
    uid: int
    label: str
    contributors: tuple[Contributor, ...] = ()
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Pyramid:
    """The SCUs of one docset as one coder sees them.

    text: all model summaries with their headers. boundary: the regular expression that finds the headers; empty
    where the file has none. It is text from a stranger: nothing but `boundary.matches` may run it.
    """

    text: str
    boundary: str
    summaries: tuple[Summary, ...]
    scus: tuple[SCU, ...] = ()
    findings: tuple[Finding, ...] = field(default=(), compare=False)
    file: str = field(default="", compare=False)

    def content(self, summary: Summary) -> str:
        return self.text[summary.start : summary.end]

    def summary_at(self, offset: int) -> Summary | None:
        """The summary in which the offset lies, or None where it lies in a header or before the first."""
        number = bisect_right(self.summaries, offset, key=lambda summary: summary.start) - 1
        return self.summaries[number] if number >= 0 and offset < self.summaries[number].end else None

    def summary_of(self, contributor: Contributor) -> Summary | None:
        """The summary in which the contributor's earliest part begins."""
        return self.summary_at(min(contributor.parts).start) if contributor.parts else None

    def weight(self, scu: SCU) -> int:
        """How many of the summaries contribute to the SCU, each counted once."""
        return len({self.summary_of(contributor) for contributor in scu.contributors} - {None})


@dataclass(frozen=True, slots=True)
class PeerAnnotation:
    """Which SCUs of a pyramid a peer summary expresses, and where.

    marks: the contributors by the uid of their SCU, or by NOT_IN_PYRAMID; an SCU that the peer does not express has
    no entry. comments: what the coder says of some of these uids.
    """

    pyramid: Pyramid
    text: str
    marks: Mapping[int, tuple[Contributor, ...]]
    comments: Mapping[int, str] = field(default_factory=dict)
    findings: tuple[Finding, ...] = field(default=(), compare=False)
    file: str = field(default="", compare=False)


def joined(contents: Iterable[tuple[str, str]]) -> Pyramid:
    """A pyramid without SCUs of summaries given as (name, content), with headers that stand nowhere else.

    White space around a content stays in the text, but is no part of its summary. The expression of the pyramid finds
    just its headers; a text that is too long for `boundary` keeps it for DUCView.
    """
    named = [(" ".join(name.split()) or f"summary {number}", text) for number, (name, text) in enumerate(contents, 1)]
    mark = _mark([part for one in named for part in one])
    headers = [f"{mark} {name}" for name, _ in named]
    text = "\n".join(f"{header}\n{content}" for header, (_, content) in zip(headers, named, strict=True))
    summaries, place = [], 0
    for header, name, (_, content) in zip(headers, _names(headers), named, strict=True):
        place += len(header)
        summaries.append(_summary(name, text, place, place + 1 + len(content)))
        place += len(content) + 2
    # A header that is longer than what `boundary` takes for a match would be an error to it.
    found = all(len(header) <= LONGEST_MATCH for header in headers)
    return Pyramid(text, f"^{mark} .+$" if found else "", tuple(summaries))


def _mark(texts: Sequence[str]) -> str:
    """What begins headers and stands in none of the texts: more dashes than they have, else dashes and a number."""
    longest = max((len(dashes) for text in texts for dashes in DASHES.findall(text)), default=2)
    if longest < LONGEST_HEADER:
        return "-" * (longest + 1)
    taken = {number for text in texts for number in NUMBERED.findall(text)}
    return next(f"---{number}---" for number in count(1) if str(number) not in taken)


def summaries_of(text: str, boundary: str) -> tuple[tuple[Summary, ...], str]:
    """The summaries of a text whose headers a regular expression finds, and what was wrong with that; empty: nothing.

    Where there is no expression, or none that is understood and finds something, lines that begin with three dashes
    are headers; and where there are none, the text is one summary.
    """
    try:
        headers = matches(boundary, text) if boundary else []
        wrong = "" if headers else "finds nothing" if boundary else "is missing"
    except NotUnderstood as error:
        headers, wrong = [], f"is not run: {error}"
    headers = headers or list(_dashed(text))
    if not headers:
        return (_summary("summary 1", text, 0, len(text)),), f"{wrong}; the text is read as one summary"
    ends = [start for start, _ in headers[1:]] + [len(text)]
    names = _names(text[start:end] for start, end in headers)
    found = [_summary(name, text, start, end) for name, (_, start), end in zip(names, headers, ends, strict=True)]
    return tuple(found), wrong and f"{wrong}; lines that begin with --- are read as headers"


def _dashed(text: str) -> Iterator[tuple[int, int]]:
    """The lines that begin with three dashes; a line between two of dashes alone is one header with them."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    number = 0
    while number < len(lines):
        height = 1
        if BOX.fullmatch(lines[number]) and number + 2 < len(lines) and BOX.fullmatch(lines[number + 2]):
            height = 3
        if lines[number].startswith("---"):
            yield starts[number], starts[number + height] - 1
        number += height


def _summary(name: str, text: str, start: int, end: int) -> Summary:
    content = text[start:end]
    bare = content.strip()
    start += len(content) - len(content.lstrip()) if bare else 0
    return Summary(name, start, start + len(bare))


def _names(headers: Iterable[str]) -> Iterator[str]:
    """What the headers say besides dashes, each once."""
    seen = set[str]()
    for number, header in enumerate(headers, start=1):
        lines = [line.strip() for line in header.split("\n") if not BOX.fullmatch(line.strip())]
        name = " ".join(" ".join(lines).split())
        if name.startswith("---"):
            numbered = NUMBERED_HEADER.match(name)
            name = name[numbered.end() :] if numbered else BOX.sub("", name, count=1)
        name = name or f"summary {number}"
        while name in seen:
            name += f" ({number})"
        seen.add(name)
        yield name
