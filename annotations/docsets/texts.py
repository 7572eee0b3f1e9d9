"""The summaries and peers of a docset, as a person may read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotations.models import Docset, Segment, Text
from annotations.words import words_of

if TYPE_CHECKING:
    from annotations.permissions import Person


@dataclass(frozen=True, slots=True)
class Read:
    """A summary to be read: a model summary, or a peer with its address and what wrote it."""

    name: str
    content: str
    language: str
    direction: str
    slug: str = ""
    system: str = ""

    @property
    def words(self) -> int:
        return len(words_of(self.content))


def summaries_seen(docset: Docset, user: Person) -> list[Read]:
    """The model summaries; none for who codes peers alone. Two queries."""
    text = Text.objects.visible_to(user).filter(docset=docset, role=Text.Role.MODELS).first()
    if text is None:
        return []
    stretches = Segment.objects.filter(text=text, kind=Segment.Kind.SUMMARY).order_by("start")
    rows = stretches.values_list("label", "start", "end")
    return [Read(label, text.content[start:end], text.language, text.direction) for label, start, end in rows]


def peers_seen(docset: Docset, user: Person) -> list[Read]:
    """The peers that the user may read, by title. One query."""
    peers = Text.objects.visible_to(user).filter(docset=docset, role=Text.Role.PEER).order_by("title", "slug")
    return [Read(*row) for row in peers.values_list("title", "content", "language", "direction", "slug", "system")]
