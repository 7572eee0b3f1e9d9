"""Pyramids: content units (SCUs) with their contributors in model summaries and peer summaries."""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field

from annotations.formats.model.findings import Finding

# The uid of a peer's contributors that express no SCU of the pyramid.
NOT_IN_PYRAMID = 0


@dataclass(frozen=True, slots=True)
class Summary:
    """A model summary: the stretch `[start, end)` of the pyramid's text, without header and outer white space."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, order=True)
class ContributorPart:
    """A stretch `[start, end)` of a text, in code points."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Contributor:
    """Words that express an SCU. parts: in the coder's order; they may overlap parts of other contributors."""

    parts: tuple[ContributorPart, ...]
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
    """The SCUs of one docset, as one coder defines them."""

    text: str  # all model summaries with their headers
    # The regular expression that finds the headers. It is untrusted: only `syntax.expressions` may run it.
    boundary: str
    summaries: tuple[Summary, ...]
    scus: tuple[SCU, ...] = ()
    findings: tuple[Finding, ...] = field(default=(), compare=False)
    file: str = field(default="", compare=False)

    def content(self, summary: Summary) -> str:
        return self.text[summary.start : summary.end]

    def summary_at(self, offset: int) -> Summary | None:
        """Return the summary that contains the offset; None if no summary does, as in a header."""
        number = bisect_right(self.summaries, offset, key=lambda summary: summary.start) - 1
        return self.summaries[number] if number >= 0 and offset < self.summaries[number].end else None

    def summary_of(self, contributor: Contributor) -> Summary | None:
        """Return the summary in which the contributor's earliest part begins."""
        return self.summary_at(min(contributor.parts).start) if contributor.parts else None

    def weight(self, scu: SCU) -> int:
        """Return the number of distinct summaries that contribute to the SCU."""
        return len({self.summary_of(contributor) for contributor in scu.contributors} - {None})


@dataclass(frozen=True, slots=True)
class PeerAnnotation:
    """The SCUs of a pyramid that a peer summary expresses, with their contributors."""

    pyramid: Pyramid
    text: str
    marks: Mapping[int, tuple[Contributor, ...]]  # by the uid of the SCU, or NOT_IN_PYRAMID
    comments: Mapping[int, str] = field(default_factory=dict)  # the coder's comments on some of these uids
    findings: tuple[Finding, ...] = field(default=(), compare=False)
    file: str = field(default="", compare=False)
