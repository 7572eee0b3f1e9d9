"""The texts of summaries and peers, as far as a user may read them."""

from __future__ import annotations

from dataclasses import dataclass

from annotations.docsets.tokenization import token_spans
from annotations.models import Docset, Segment, Text
from annotations.models.rights import Person


@dataclass(frozen=True, slots=True)
class SummaryText:
    """The text of a model summary, or of a peer with its slug and system."""

    name: str
    content: str
    language: str
    direction: str
    slug: str = ""
    system: str = ""

    @property
    def words(self) -> int:
        """The number of words."""
        return len(token_spans(self.content))


def visible_summaries(docset: Docset, user: Person) -> list[SummaryText]:
    """Return the model summaries; none for a user who codes only peers. Two queries."""
    text = Text.objects.visible_to(user).filter(docset=docset, role=Text.Role.MODELS).first()
    if text is None:
        return []
    segments = Segment.objects.filter(text=text, kind=Segment.Kind.SUMMARY).order_by("start")
    rows = segments.values_list("label", "start", "end")
    return [SummaryText(label, text.content[start:end], text.language, text.direction) for label, start, end in rows]


def visible_peers(docset: Docset, user: Person) -> list[SummaryText]:
    """Return the peers that the user may read, by title. One query."""
    peers = Text.objects.visible_to(user).filter(docset=docset, role=Text.Role.PEER).order_by("title", "slug")
    return [
        SummaryText(*row) for row in peers.values_list("title", "content", "language", "direction", "slug", "system")
    ]
