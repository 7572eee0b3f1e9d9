"""The texts of summaries and peers, as far as a user may read them."""

from __future__ import annotations

from dataclasses import dataclass

from annotations.coding.markables.tokenization import token_spans
from annotations.models import Docset, Segment, Text, User
from annotations.models.people.rights import Person
from annotations.projects.people.peer_names import hide_name


@dataclass(frozen=True, slots=True)
class SummaryText:
    """A model summary or a peer, with the slug of its text, and of a peer the system."""

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
    return [
        SummaryText(label, text.content[start:end], text.language, text.direction, text.slug)
        for label, start, end in rows
    ]


def visible_peers(docset: Docset, user: User, *, blind: bool) -> list[SummaryText]:
    """Return the peers that the user may read, by title. One query.

    With `blind`, they have the names under which the user sees them, and no system.
    """
    peers = list(Text.objects.visible_to(user).filter(docset=docset, role=Text.Role.PEER))
    for peer in peers if blind else ():
        hide_name(peer, user.pk)
    peers.sort(key=lambda peer: (peer.title, peer.slug))
    return [
        SummaryText(peer.title, peer.content, peer.language, peer.direction, peer.slug, peer.system) for peer in peers
    ]
