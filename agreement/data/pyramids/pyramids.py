"""The pyramids of a project and what peer summaries were found to say: rows of the database -> plain data."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property

from django.http import Http404

from agreement.data.pyramids.words import scus_by_word
from agreement.measures import Pyramid
from annotations.coding.pyramids.pyramid_rules import Contributor, Span, contributing_summaries
from annotations.coding.pyramids.scus import PYRAMID_KINDS, PYRAMID_OF_PEER_KIND
from annotations.core.database.snapshots import read_snapshot
from annotations.models import SCU, Coding, Judgement, Markable, Project, Segment, Text
from annotations.projects.rounds import COUNTED_KINDS


@dataclass(frozen=True, slots=True)
class DocsetInfo:
    """A docset: its address and title, and the names and stretches of its model summaries in text order."""

    pk: int
    slug: str
    title: str
    text: int = 0
    summaries: tuple[str, ...] = ()
    stretches: tuple[Span, ...] = ()


@dataclass(frozen=True, eq=False)
class PyramidAnnotation:
    """A pyramid as it is now: a coder's own, or the agreed one. `labels` has every SCU by its key, in their order."""

    docset: DocsetInfo
    coder: str
    agreed: bool
    submitted: bool
    contributors: tuple[Contributor, ...]
    labels: Mapping[str, str]

    @cached_property
    def summaries_of(self) -> dict[str, list[int]]:
        """The places of the summaries that the contributors of each SCU are in; those outside all are left out."""
        return contributing_summaries(self.contributors, self.docset.stretches, self.labels)

    @cached_property
    def pyramid(self) -> Pyramid:
        """The pyramid that scores are computed from; a summary without any SCU counts in the mean."""
        contributing: dict[Hashable, list[int]] = dict(self.summaries_of.items())
        return Pyramid(contributing, range(len(self.docset.summaries)))

    def word_places(self, words: list[Span]) -> dict[str, set[int]]:
        """Return for each SCU the places of its words among the words of the summaries."""
        places: dict[str, set[int]] = {key: set() for key in self.labels}
        pairs = ((one.parts, key) for one in self.contributors for key in one.scus)
        for place, keys in scus_by_word(words, pairs).items():
            for key in keys:
                places[key].add(place)
        return places


@dataclass(frozen=True, slots=True)
class Peer:
    """A peer summary."""

    docset: DocsetInfo
    slug: str
    title: str
    system: str


@dataclass(frozen=True, eq=False)
class PeerMarks:
    """A peer summary as a coder marked it by the SCUs of a pyramid: their own, or the agreed one.

    `counts` says how often the peer expresses each SCU of the pyramid that it has, `n_outside` how many content units
    it has besides. `n_orphaned` marks name no SCU that the pyramid has, any more or at all: they count in no score.
    """

    peer: Peer
    coder: str
    agreed: bool
    submitted: bool
    started: bool
    reference: PyramidAnnotation | None
    counts: Mapping[str, int]
    n_outside: int
    n_orphaned: int


@dataclass(frozen=True, eq=False)
class Pyramids:
    """The docsets of a project, by their addresses; pyramids and peers are of the chosen one, or of all."""

    docsets: tuple[DocsetInfo, ...]
    annotations: tuple[PyramidAnnotation, ...]
    peer_marks: tuple[PeerMarks, ...]
    n_peers: int

    @property
    def own(self) -> list[PyramidAnnotation]:
        """The coders' own pyramids that have any SCU, by docset and coder."""
        return [one for one in self.annotations if not one.agreed and one.labels]


def require_pyramids(project: Project) -> None:
    """Raise Http404 where the project is of another kind: it has no such pages."""
    if project.answers != Project.Answers.SCUS:
        raise Http404("There are no pyramids in this project.")


def read_pyramids(project: Project, docset: str = "") -> Pyramids:
    """Return what the coders made of the docsets, or of the one with that address. Six queries, whatever the size."""
    with read_snapshot():
        return _read_pyramids(project, docset)


@dataclass(frozen=True, eq=False)
class EveryPyramid:
    """The docsets of a project, by their addresses, and the pyramids of all rounds by the keys of their codings."""

    docsets: tuple[DocsetInfo, ...]
    by_coding: Mapping[int, PyramidAnnotation]


def read_every_pyramid(project: Project) -> EveryPyramid:
    """Return all pyramids of a project, agreed ones among them. Six queries, whatever the size."""
    with read_snapshot():
        docsets = _read_docsets(project, "")
        codings = Coding.objects.filter(text__docset__in=docsets.chosen, kind__in=PYRAMID_KINDS).order_by()
        rows = list(codings.values_list("pk", "text__docset", "kind", "coder__username", "status"))
        marks, labels = _read_marks(docsets.chosen, PYRAMID_KINDS), _read_labels(docsets.chosen)
        infos = docsets.infos
    return EveryPyramid(
        tuple(infos.values()),
        {
            pk: _pyramid_annotation(infos[docset], coder, kind, status, marks[pk], labels[pk])
            for pk, docset, kind, coder, status in rows
            if docset in infos
        },
    )


@dataclass(frozen=True, slots=True)
class _Docsets:
    """The docsets by their keys, those whose content is read (`chosen`), and the texts of these."""

    infos: dict[int, DocsetInfo]
    chosen: list[int]
    texts: dict[int, tuple[int, int, str, str, str, str]]


def _read_docsets(project: Project, docset: str) -> _Docsets:
    """Return the docsets, with the texts of all or of the one with that address. Three queries."""
    docsets = sorted(project.docsets.values_list("pk", "slug", "title"), key=lambda row: row[1])
    chosen = [row[0] for row in docsets if not docset or row[1] == docset]
    texts = {
        row[0]: row
        for row in Text.objects.filter(docset__in=chosen)
        .order_by("pk")
        .values_list("pk", "docset_id", "role", "slug", "title", "system")
    }
    models = {docset_pk: pk for pk, docset_pk, role, *_ in texts.values() if role == Text.Role.MODELS}
    stretches: dict[int, list[tuple[str, Span]]] = defaultdict(list)
    for text, label, start, end in (
        Segment.objects.filter(text__docset__in=chosen, kind=Segment.Kind.SUMMARY)
        .order_by("start")
        .values_list("text_id", "label", "start", "end")
    ):
        stretches[text].append((label or f"summary {len(stretches[text]) + 1}", (start, end)))
    infos = {
        pk: _docset_info(pk, slug, title, models.get(pk, 0), stretches[models.get(pk, 0)])
        for pk, slug, title in docsets
    }
    return _Docsets(infos, chosen, texts)


def _read_pyramids(project: Project, docset: str) -> Pyramids:
    docsets = _read_docsets(project, docset)
    infos, chosen, texts = docsets.infos, docsets.chosen, docsets.texts
    codings = sorted(
        # what is practice, or coded to be compared with an earlier round, is no result
        Coding.objects.filter(text__docset__in=chosen, round__kind__in=COUNTED_KINDS)
        .order_by()
        .values_list("pk", "text_id", "kind", "coder__username", "status"),
        key=lambda row: (texts[row[1]][3], row[3], row[2]),
    )
    marks, labels = _read_marks(chosen), _read_labels(chosen)
    annotations: dict[tuple[int, str, str], PyramidAnnotation] = {}
    for pk, text, kind, coder, status in codings:
        if kind in PYRAMID_KINDS:
            info = infos[texts[text][1]]
            owner = "" if kind == Coding.Kind.AGREED else coder
            annotations[info.pk, kind, owner] = _pyramid_annotation(info, coder, kind, status, marks[pk], labels[pk])
    peer_marks = []
    for pk, text, kind, coder, status in codings:
        if kind in PYRAMID_OF_PEER_KIND:
            _, docset_pk, _, slug, title, system = texts[text]
            pyramid = PYRAMID_OF_PEER_KIND[Coding.Kind(kind)]
            owner = coder if pyramid == Coding.Kind.PYRAMID else ""
            reference = annotations.get((docset_pk, pyramid, owner))
            peer = Peer(infos[docset_pk], slug, title, system)
            peer_marks.append(_peer_marks(peer, coder, kind, status, marks[pk], reference))
    n_peers = sum(role == Text.Role.PEER for _, _, role, *_ in texts.values())
    peer_marks.sort(key=lambda one: (one.peer.docset.slug, one.peer.slug, one.agreed, one.coder))
    return Pyramids(tuple(infos.values()), tuple(annotations.values()), tuple(peer_marks), n_peers)


def read_summary_words(docset: DocsetInfo) -> tuple[list[Span], str]:
    """Return the words of the model summaries of a docset, in text order, and their text. Two queries."""
    words = Markable.objects.filter(text=docset.text, level__coded=False).order_by("start")
    return list(words.values_list("start", "end")), Text.objects.values_list("content", flat=True).get(pk=docset.text)


def read_word_spans(texts: Collection[int]) -> dict[int, dict[int, Span]]:
    """Return the words of the model summaries of some texts, each by its key, in text order. One query."""
    words = Markable.objects.filter(text__in=texts, level__coded=False).order_by("start")
    spans: dict[int, dict[int, Span]] = {text: {} for text in texts}
    for text, pk, start, end in words.values_list("text_id", "pk", "start", "end"):
        spans[text][pk] = (start, end)
    return spans


@dataclass(frozen=True, slots=True)
class _Mark:
    """A stretch that a coder marked: `in_scu` is None where it has no category, else whether that takes an SCU."""

    key: str
    parts: list[list[int]]
    in_scu: bool | None
    scus: tuple[str, ...]


def _read_marks(docsets: list[int], kinds: Collection[str] = ()) -> dict[int, list[_Mark]]:
    """Return what was marked in each coding, in text order; of some kinds of codings, or of all."""
    of_kinds = {"coding__kind__in": kinds} if kinds else {}
    rows = (
        Judgement.objects.filter(coding__text__docset__in=docsets, markable__level__coded=True, **of_kinds)
        .order_by("markable__start", "-markable__end", "markable__key", "indices__pk")
        .values_list("coding_id", "pk", "markable__key", "markable__parts", "category__takes_index", "indices__entity")
    )
    marks: dict[int, dict[int, _Mark]] = defaultdict(dict)
    for coding, pk, key, parts, in_scu, scu in rows:
        before = marks[coding].get(pk)
        scus = (*(before.scus if before else ()), *([scu] if scu is not None else []))
        marks[coding][pk] = _Mark(key, parts, in_scu, scus)
    return defaultdict(list, {coding: list(of_coding.values()) for coding, of_coding in marks.items()})


def _read_labels(docsets: list[int]) -> dict[int, dict[str, str]]:
    """Return the labels of the SCUs of each pyramid."""
    labels: dict[int, dict[str, str]] = defaultdict(dict)
    for coding, key, label in (
        SCU.objects.filter(coding__text__docset__in=docsets).order_by("pk").values_list("coding_id", "key", "label")
    ):
        labels[coding][key] = label
    return labels


def _docset_info(pk: int, slug: str, title: str, text: int, summaries: list[tuple[str, Span]]) -> DocsetInfo:
    return DocsetInfo(pk, slug, title, text, tuple(name for name, _ in summaries), tuple(span for _, span in summaries))


def _pyramid_annotation(
    docset: DocsetInfo, coder: str, kind: str, status: str, marks: list[_Mark], labels: dict[str, str]
) -> PyramidAnnotation:
    contributors = tuple(Contributor(one.key, one.parts, one.scus) for one in marks if one.in_scu and one.scus)
    keys = dict.fromkeys([*(key for one in contributors for key in one.scus), *labels])
    return PyramidAnnotation(
        docset=docset,
        coder=coder,
        agreed=kind == Coding.Kind.AGREED,
        submitted=status == Coding.Status.SUBMITTED,
        contributors=contributors,
        labels={key: labels.get(key) or f"({key})" for key in keys},
    )


def _peer_marks(
    peer: Peer, coder: str, kind: str, status: str, marks: list[_Mark], reference: PyramidAnnotation | None
) -> PeerMarks:
    labels = reference.labels if reference else {}
    counts = Counter(key for one in marks if one.in_scu for key in one.scus if key in labels)
    return PeerMarks(
        peer=peer,
        coder=coder,
        agreed=kind == Coding.Kind.PEER_AGREED,
        submitted=status == Coding.Status.SUBMITTED,
        started=bool(marks) or status == Coding.Status.SUBMITTED,
        reference=reference,
        counts=dict(counts),
        n_outside=sum(one.in_scu is False for one in marks),
        n_orphaned=sum(
            one.in_scu is not False and not (one.in_scu and any(key in labels for key in one.scus)) for one in marks
        ),
    )
