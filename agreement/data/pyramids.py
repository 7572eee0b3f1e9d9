"""The pyramids of a project and what peer summaries were found to say: rows of the database -> plain data."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property

from django.http import Http404

from agreement.contributors import words_of_scus
from agreement.measures import Pyramid
from annotations.models import SCU, Coding, Judgement, Markable, Project, Segment, Text
from annotations.pyramids import Contributor, Span, summary_of
from annotations.scus import AGAINST, PYRAMIDS


@dataclass(frozen=True, slots=True)
class About:
    """A docset: its address and title, and the names and stretches of its model summaries in text order."""

    pk: int
    slug: str
    title: str
    text: int = 0
    summaries: tuple[str, ...] = ()
    stretches: tuple[Span, ...] = ()


@dataclass(frozen=True, eq=False)
class Built:
    """A pyramid as it is now: a coder's own, or the agreed one. `labels` has every SCU by its key, in their order."""

    docset: About
    coder: str
    agreed: bool
    handed_in: bool
    contributors: tuple[Contributor, ...]
    labels: Mapping[str, str]

    @cached_property
    def summaries_of(self) -> dict[str, list[int]]:
        """For each SCU the places of the summaries that its contributors are in, those outside all left out."""
        found: dict[str, list[int]] = {key: [] for key in self.labels}
        for one in self.contributors:
            place = summary_of(one.parts, self.docset.stretches)
            for key in one.scus:
                if place is not None:
                    found[key].append(place)
        return found

    @cached_property
    def pyramid(self) -> Pyramid:
        """What scores are computed from; a summary without any SCU counts in the mean."""
        contributing: dict[Hashable, list[int]] = dict(self.summaries_of.items())
        return Pyramid(contributing, range(len(self.docset.summaries)))

    def words_of(self, words: list[Span]) -> dict[str, set[int]]:
        """For each SCU the places of its words among the words of the summaries."""
        found: dict[str, set[int]] = {key: set() for key in self.labels}
        pairs = ((one.parts, key) for one in self.contributors for key in one.scus)
        for place, keys in words_of_scus(words, pairs).items():
            for key in keys:
                found[key].add(place)
        return found


@dataclass(frozen=True, slots=True)
class Peer:
    """A peer summary."""

    docset: About
    slug: str
    title: str
    system: str


@dataclass(frozen=True, eq=False)
class Held:
    """A peer summary that a coder holds against a pyramid: their own, or the agreed one.

    `counts` says how often the peer expresses each SCU of the pyramid that it has, `outside` how many content units it
    has besides. `astray` marks name no SCU that the pyramid has, any more or at all: they count in no score.
    """

    peer: Peer
    coder: str
    agreed: bool
    handed_in: bool
    begun: bool
    against: Built | None
    counts: Mapping[str, int]
    outside: int
    astray: int


@dataclass(frozen=True, eq=False)
class Pyramids:
    """The docsets of a project, by their addresses; pyramids and peers are of the one that was asked for, or of all."""

    docsets: tuple[About, ...]
    built: tuple[Built, ...]
    held: tuple[Held, ...]
    n_peers: int

    @property
    def own(self) -> list[Built]:
        """The coders' own pyramids that have any SCU, by docset and coder."""
        return [one for one in self.built if not one.agreed and one.labels]


def require_pyramids(project: Project) -> None:
    """Raise Http404 where the project is of another kind: it has no such pages."""
    if project.answers != Project.Answers.SCUS:
        raise Http404("There are no pyramids in this project.")


def read(project: Project, docset: str = "") -> Pyramids:
    """What the coders made of the docsets, or of the one with that address. Six queries, whatever the size."""
    docsets = sorted(project.docsets.values_list("pk", "slug", "title"), key=lambda row: row[1])
    asked = [row[0] for row in docsets if not docset or row[1] == docset]
    texts = {
        row[0]: row
        for row in Text.objects.filter(docset__in=asked)
        .order_by("pk")
        .values_list("pk", "docset_id", "role", "slug", "title", "system")
    }
    models = {of: pk for pk, of, role, *_ in texts.values() if role == Text.Role.MODELS}
    stretches: dict[int, list[tuple[str, Span]]] = defaultdict(list)
    for text, label, start, end in (
        Segment.objects.filter(text__docset__in=asked, kind=Segment.Kind.SUMMARY)
        .order_by("start")
        .values_list("text_id", "label", "start", "end")
    ):
        stretches[text].append((label or f"summary {len(stretches[text]) + 1}", (start, end)))
    about = {
        pk: _about(pk, slug, title, models.get(pk, 0), stretches[models.get(pk, 0)]) for pk, slug, title in docsets
    }
    rows = Coding.objects.filter(text__docset__in=asked).order_by()
    of_texts = rows.values_list("pk", "text_id", "kind", "coder__username", "status")
    # a text that was brought after the texts were read waits for the next time
    codings = sorted((row for row in of_texts if row[1] in texts), key=lambda row: (texts[row[1]][3], row[3], row[2]))
    marks, labels = _marks(asked), _labels(asked)
    built: dict[tuple[int, str, str], Built] = {}
    for pk, text, kind, coder, status in codings:
        if kind in PYRAMIDS:
            here = about[texts[text][1]]
            own = "" if kind == Coding.Kind.AGREED else coder
            built[here.pk, kind, own] = _built(here, coder, kind, status, marks[pk], labels[pk])
    held = []
    for pk, text, kind, coder, status in codings:
        if kind in AGAINST:
            _, of, _, slug, title, system = texts[text]
            pyramid = AGAINST[Coding.Kind(kind)]
            against = built.get((of, pyramid, coder if pyramid == Coding.Kind.PYRAMID else ""))
            peer = Peer(about[of], slug, title, system)
            held.append(_held(peer, coder, kind, status, marks[pk], against))
    n_peers = sum(role == Text.Role.PEER for _, _, role, *_ in texts.values())
    held.sort(key=lambda one: (one.peer.docset.slug, one.peer.slug, one.agreed, one.coder))
    return Pyramids(tuple(about.values()), tuple(built.values()), tuple(held), n_peers)


def words_and_content(docset: About) -> tuple[list[Span], str]:
    """The words of the model summaries of a docset, in text order, and their text. Two queries."""
    words = Markable.objects.filter(text=docset.text, level__coded=False).order_by("start")
    return list(words.values_list("start", "end")), Text.objects.values_list("content", flat=True).get(pk=docset.text)


@dataclass(frozen=True, slots=True)
class _Mark:
    """A stretch that a coder marked: `said` is None where nothing was said of it, else whether it takes an SCU."""

    key: str
    parts: list[list[int]]
    said: bool | None
    scus: tuple[str, ...]


def _marks(docsets: list[int]) -> dict[int, list[_Mark]]:
    """What was marked in each coding, in text order."""
    rows = (
        Judgement.objects.filter(coding__text__docset__in=docsets, markable__level__coded=True)
        .order_by("markable__start", "-markable__end", "markable__key", "indices__pk")
        .values_list("coding_id", "pk", "markable__key", "markable__parts", "category__takes_index", "indices__entity")
    )
    found: dict[int, dict[int, _Mark]] = defaultdict(dict)
    for coding, pk, key, parts, said, scu in rows:
        before = found[coding].get(pk)
        named = (*(before.scus if before else ()), *([scu] if scu is not None else []))
        found[coding][pk] = _Mark(key, parts, said, named)
    return defaultdict(list, {coding: list(of.values()) for coding, of in found.items()})


def _labels(docsets: list[int]) -> dict[int, dict[str, str]]:
    """What is said of the SCUs of each pyramid."""
    found: dict[int, dict[str, str]] = defaultdict(dict)
    for coding, key, label in (
        SCU.objects.filter(coding__text__docset__in=docsets).order_by("pk").values_list("coding_id", "key", "label")
    ):
        found[coding][key] = label
    return found


def _about(pk: int, slug: str, title: str, text: int, summaries: list[tuple[str, Span]]) -> About:
    return About(pk, slug, title, text, tuple(name for name, _ in summaries), tuple(span for _, span in summaries))


def _built(docset: About, coder: str, kind: str, status: str, marks: list[_Mark], labels: dict[str, str]) -> Built:
    contributors = tuple(Contributor(one.key, one.parts, one.scus) for one in marks if one.said and one.scus)
    keys = dict.fromkeys([*(key for one in contributors for key in one.scus), *labels])
    named = {key: labels.get(key) or f"({key})" for key in keys}
    return Built(docset, coder, kind == Coding.Kind.AGREED, status == Coding.Status.SUBMITTED, contributors, named)


def _held(peer: Peer, coder: str, kind: str, status: str, marks: list[_Mark], against: Built | None) -> Held:
    there = against.labels if against else {}
    counts = Counter(key for one in marks if one.said for key in one.scus if key in there)
    return Held(
        peer=peer,
        coder=coder,
        agreed=kind == Coding.Kind.PEER_AGREED,
        handed_in=status == Coding.Status.SUBMITTED,
        begun=bool(marks) or status == Coding.Status.SUBMITTED,
        against=against,
        counts=dict(counts),
        outside=sum(one.said is False for one in marks),
        astray=sum(one.said is not False and not (one.said and any(key in there for key in one.scus)) for one in marks),
    )
