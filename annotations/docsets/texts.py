"""The texts of summaries and peers, as far as a user may read them."""

from collections.abc import Iterable
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
    """Return the model summaries; none for a user who codes only peers. One query."""
    texts = Text.objects.visible_to(user).filter(docset=docset, role=Text.Role.MODELS).order_by()
    segments = Segment.objects.filter(text__in=texts, kind=Segment.Kind.SUMMARY).order_by("start")
    rows = segments.values_list(
        "label", "start", "end", "text__content", "text__language", "text__direction", "text__slug"
    )
    return [
        SummaryText(label, content[start:end], language, direction, slug)
        for label, start, end, content, language, direction, slug in rows
    ]


def find_peers(docset: Docset, user: User, search: str = "", *, blind: bool) -> list[Text]:
    """Return the peers that the user may read and whose names have all words, by title, without content. One query."""
    peers = list(Text.objects.visible_to(user).filter(docset=docset, role=Text.Role.PEER).defer("content"))
    for peer in peers if blind else ():
        hide_name(peer, user.pk)
    words = search.casefold().split()
    found = [peer for peer in peers if all(word in f"{peer.title}\n{peer.slug}".casefold() for word in words)]
    return sorted(found, key=lambda peer: (peer.title, peer.slug))


def read_peers(peers: Iterable[Text]) -> list[SummaryText]:
    """Return what there is to read of these peers. One query."""
    by_key = {peer.pk: peer for peer in peers}
    contents = dict(Text.objects.filter(pk__in=by_key).values_list("pk", "content"))
    return [
        SummaryText(peer.title, contents[pk], peer.language, peer.direction, peer.slug, peer.system)
        for pk, peer in by_key.items()
        if pk in contents
    ]
