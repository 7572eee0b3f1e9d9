"""Pyramids: content units (SCUs), their contributors in the model summaries, and those in a peer summary."""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field

from annotations.formats.model.findings import Finding

# The uid under which a peer's contributors stand that express no SCU of the pyramid.
NOT_IN_PYRAMID = 0


@dataclass(frozen=True, slots=True)
class Summary:
    """A model summary: the stretch `[start, end)` of the pyramid's text, without its header and white space around."""

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
    """Words that express an SCU. parts: in any order, as the coder chose them; they may overlap those of others."""

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
    """The SCUs of one docset as one coder sees them."""

    text: str  # all model summaries with their headers
    # The regular expression that finds the headers, of a stranger: nothing but `syntax.expressions` may run it.
    boundary: str
    summaries: tuple[Summary, ...]
    scus: tuple[SCU, ...] = ()
    findings: tuple[Finding, ...] = field(default=(), compare=False)
    file: str = field(default="", compare=False)

    def content(self, summary: Summary) -> str:
        return self.text[summary.start : summary.end]

    def summary_at(self, offset: int) -> Summary | None:
        """Return the summary in which the offset lies, or None where it lies in a header or before the first."""
        number = bisect_right(self.summaries, offset, key=lambda summary: summary.start) - 1
        return self.summaries[number] if number >= 0 and offset < self.summaries[number].end else None

    def summary_of(self, contributor: Contributor) -> Summary | None:
        """Return the summary in which the contributor's earliest part begins."""
        return self.summary_at(min(contributor.parts).start) if contributor.parts else None

    def weight(self, scu: SCU) -> int:
        """Return how many of the summaries contribute to the SCU, each counted once."""
        return len({self.summary_of(contributor) for contributor in scu.contributors} - {None})


@dataclass(frozen=True, slots=True)
class PeerAnnotation:
    """Which SCUs of a pyramid a peer summary expresses, and where."""

    pyramid: Pyramid
    text: str
    marks: Mapping[int, tuple[Contributor, ...]]  # by the uid of the SCU that is expressed, or NOT_IN_PYRAMID
    comments: Mapping[int, str] = field(default_factory=dict)  # what the coder says of some of these uids
    findings: tuple[Finding, ...] = field(default=(), compare=False)
    file: str = field(default="", compare=False)
