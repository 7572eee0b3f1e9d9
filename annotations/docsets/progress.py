"""How far the codings of docsets are: what the pages and the API show of each docset to the person who asks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.db.models import Count, Exists, OuterRef, QuerySet
from django.urls import reverse

from annotations.importing.report import number
from annotations.models import SCU, Coding, Docset, Index, Judgement, Markable, Project, Segment, Text
from annotations.models.coding import KINDS_OF_AGREED
from annotations.permissions import Right, may
from annotations.querysets import count_of
from annotations.scus import PYRAMIDS

if TYPE_CHECKING:
    from annotations.permissions import Person


@dataclass(frozen=True, slots=True)
class Work:
    """A coding of summaries: whose, of what, and how many SCUs and contributors it has."""

    docset: str
    text: str
    title: str
    coder: str
    kind: str
    handed_in: bool
    scus: int
    contributors: int

    @property
    def is_pyramid(self) -> bool:
        return self.kind in PYRAMIDS

    @property
    def is_agreed(self) -> bool:
        return self.kind in KINDS_OF_AGREED

    @property
    def begun(self) -> bool:
        return bool(self.scus or self.contributors)

    @property
    def what(self) -> str:
        """What is coded, in words."""
        match self.kind:
            case Coding.Kind.PYRAMID:
                return "Pyramid"
            case Coding.Kind.AGREED:
                return "Agreed pyramid"
            case Coding.Kind.PEER_AGREED:
                return f"{self.title}, against the agreed pyramid"
        return self.title

    @property
    def said(self) -> str:
        """How far it is, in words."""
        return f"{number(self.scus, 'SCU')}, {number(self.contributors, 'contributor')}" if self.begun else "not begun"

    def page(self, project: Project) -> str:
        """The address at which its coder goes on with it."""
        return reverse("code-agreed" if self.is_agreed else "code", args=[project.slug, self.text])

    def reopening(self, project: Project) -> str:
        """The address at which a manager gives it back."""
        name = "reopen-agreed" if self.is_agreed else "reopen"
        return reverse(name, args=[project.slug, self.text, self.coder])


@dataclass(slots=True)
class Overview:
    """A docset as a person sees it: to a coder only the own codings and what they are of."""

    slug: str
    title: str
    summaries: int
    words: int
    peers: int
    works: list[Work] = field(default_factory=list)

    @property
    def pyramids(self) -> list[Work]:
        return [work for work in self.works if work.kind == Coding.Kind.PYRAMID]

    @property
    def agreed(self) -> Work | None:
        return next((work for work in self.works if work.kind == Coding.Kind.AGREED), None)

    @property
    def of_peers(self) -> list[Work]:
        return [work for work in self.works if not work.is_pyramid]

    @property
    def peers_handed_in(self) -> int:
        return sum(work.handed_in for work in self.of_peers)


def overviews(project: Project, user: Person) -> list[Overview]:
    """The docsets of the project that the user sees, by title. Four queries."""
    found = _counted(docsets_seen(project, user), user)
    for work in works(codings_seen(project, user)):
        found[work.docset].works.append(work)
    return list(found.values())


def overview_of(docset: Docset, project: Project, user: Person) -> Overview:
    """The same of one docset. Four queries."""
    [overview] = _counted(Docset.objects.filter(pk=docset.pk), user).values()
    overview.works = works(codings_seen(project, user).filter(text__docset=docset))
    return overview


def _counted(docsets: QuerySet[Docset], user: Person) -> dict[str, Overview]:
    of_models = Segment.objects.filter(text__docset=OuterRef("pk"), kind=Segment.Kind.SUMMARY)
    words = Markable.objects.filter(text__docset=OuterRef("pk"), text__role=Text.Role.MODELS, level__coded=False)
    peers = Text.objects.visible_to(user).filter(docset=OuterRef("pk"), role=Text.Role.PEER)
    rows = docsets.annotate(summaries=count_of(of_models), words=count_of(words), peers=count_of(peers))
    return {
        slug: Overview(slug, title, *counts)
        for slug, title, *counts in rows.order_by("title", "slug").values_list(
            "slug", "title", "summaries", "words", "peers"
        )
    }


@dataclass(frozen=True, slots=True)
class Row:
    """What is coded of a docset, and by each coder of a table how far: nothing where it is not theirs."""

    what: str
    cells: list[Work | None]


def table(overview: Overview, coders: Iterable[str]) -> list[Row]:
    """The codings of a docset, a row for each pyramid and peer that is coded, a cell for each of the coders."""
    found: dict[tuple[str, str], dict[str, Work]] = defaultdict(dict)
    for work in overview.works:
        found[work.text, work.kind][work.coder] = work
    coders = list(coders)
    return [Row(next(iter(of.values())).what, [of.get(coder) for coder in coders]) for of in found.values()]


def coders_in(found: Iterable[Overview]) -> list[str]:
    return sorted({work.coder for overview in found for work in overview.works})


def docsets_seen(project: Project, user: Person) -> QuerySet[Docset]:
    """All docsets for those who see all work, else those in which the user has something to code."""
    docsets = Docset.objects.filter(project=project)
    if may(project, Right.SEE_RESULTS):
        return docsets
    return docsets.filter(Exists(Coding.objects.filter(text__docset=OuterRef("pk"), coder=user.pk)))


def codings_seen(project: Project, user: Person) -> QuerySet[Coding]:
    """The codings of summaries that the user sees."""
    return Coding.objects.visible_to(user).filter(text__project=project, text__docset__isnull=False)


def works(codings: QuerySet[Coding]) -> list[Work]:
    """How far these codings are: pyramids first, then by text and coder. Three queries."""
    made = Judgement.objects.filter(coding=OuterRef("pk"), markable__level__coded=True)
    named: dict[int, int] = defaultdict(int)
    named |= _by_coding(Index.objects.filter(judgement__coding__in=codings), "judgement__coding", "entity")
    contributes = Index.objects.filter(judgement__coding=OuterRef("coding"), entity=OuterRef("key"))
    for coding, count in _by_coding(
        SCU.objects.filter(~Exists(contributes), coding__in=codings), "coding", "key"
    ).items():
        named[coding] += count
    rows = codings.annotate(contributors=count_of(made)).values_list(
        "pk", "text__docset__slug", "text__slug", "text__title", "coder__username", "kind", "status", "contributors"
    )
    found = [
        Work(docset, text, title, coder, kind, status == Coding.Status.SUBMITTED, named[pk], contributors)
        for pk, docset, text, title, coder, kind, status, contributors in rows.order_by("text__title", "text__slug")
    ]
    return sorted(found, key=lambda work: (ORDER.index(work.kind), work.title, work.text, work.coder))


ORDER: list[str] = [
    Coding.Kind.PYRAMID,
    Coding.Kind.AGREED,
    Coding.Kind.PEER,
    Coding.Kind.PEER_AGREED,
    Coding.Kind.TEXT,
]


def next_of(found: Iterable[Work], coder: str) -> Work | None:
    """What the coder goes on with: of what is not handed in the first that is begun, else the first."""
    open_ones = [work for work in found if work.coder == coder and not work.handed_in]
    return next((work for work in open_ones if work.begun), open_ones[0] if open_ones else None)


def _by_coding(rows: QuerySet[Any], coding: str, what: str) -> dict[int, int]:
    counted = rows.order_by().values(coding).annotate(number=Count(what, distinct=True))
    return dict(counted.values_list(coding, "number"))
