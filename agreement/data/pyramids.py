"""The pyramids of a project, including agreed ones, and the SCUs found in peer summaries, as plain data."""

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import TextField
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast
from django.http import Http404

from agreement.data.coders import why_gold_is_left_out
from agreement.measures import Pyramid
from annotations.coding.pyramids.pyramid_rules import Contributor, Span, contributing_summaries, held_words
from annotations.coding.pyramids.scus import PYRAMID_KINDS, PYRAMID_OF_PEER_KIND
from annotations.core.database.queries import read_snapshot
from annotations.models import SCU, Coding, Judgement, Markable, Operation, Project, Segment, Text
from annotations.projects.rounds import COUNTED_KINDS

# Reasons why a docset is not compared; the first match wins. "missing": it has no agreed pyramid; "practice" and "open"
# as for gold; "uncoded": no coder has a pyramid that counts.
REASONS_DOCSET_LEFT_OUT = ("missing", "practice", "open", "uncoded")


@dataclass(frozen=True, slots=True)
class DocsetInfo:
    """A docset: its slug and title, and the names and spans of its model summaries in text order."""

    pk: int
    slug: str
    title: str
    text: int = 0
    summaries: tuple[str, ...] = ()
    stretches: tuple[Span, ...] = ()


@dataclass(frozen=True, eq=False)
class PyramidAnnotation:
    """The current pyramid of a coder, or the agreed one. `labels` has the label of every SCU by key, in their order."""

    docset: DocsetInfo
    coder: str
    agreed: bool
    submitted: bool
    contributors: tuple[Contributor, ...]
    labels: Mapping[str, str]

    @cached_property
    def summaries_of(self) -> dict[str, list[int]]:
        """The positions of the summaries with contributors of each SCU; contributors outside summaries are left out."""
        return contributing_summaries(self.contributors, self.docset.stretches, self.labels)

    @cached_property
    def pyramid(self) -> Pyramid:
        """The pyramid that scores are computed from; a summary without any SCU counts in the mean."""
        contributing: dict[Hashable, list[int]] = dict(self.summaries_of.items())
        return Pyramid(contributing, range(len(self.docset.summaries)))

    def word_places(self, words: list[Span]) -> dict[str, set[int]]:
        """Return the positions of each SCU's words among the words of the summaries."""
        places: dict[str, set[int]] = {key: set() for key in self.labels}
        for contributor in self.contributors:
            for key in contributor.scus:
                places[key].update(held_words(words, contributor.parts))
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
    """A coder's marks of the SCUs of a pyramid, the coder's own or the agreed one, in a peer summary."""

    peer: Peer
    coder: str
    agreed: bool
    submitted: bool
    started: bool
    reference: PyramidAnnotation | None
    counts: Mapping[str, int]  # how often the peer expresses each SCU of the pyramid; unexpressed SCUs are absent
    n_outside: int  # content units that are in no SCU
    n_orphaned: int  # marks of SCUs that the pyramid does not have, which count in no score


@dataclass(frozen=True, eq=False)
class Pyramids:
    """All docsets of a project, by slug; the pyramids and peers of the chosen docset, or of all docsets."""

    docsets: tuple[DocsetInfo, ...]
    annotations: tuple[PyramidAnnotation, ...]
    peer_marks: tuple[PeerMarks, ...]
    n_peers: int

    @property
    def own(self) -> list[PyramidAnnotation]:
        """The coders' own pyramids with at least one SCU, by docset and coder."""
        return [one for one in self.annotations if not one.agreed and one.labels]


def require_pyramids(project: Project) -> None:
    """Raise Http404 if the project is no pyramid project."""
    if project.answers != Project.Answers.SCUS:
        raise Http404("There are no pyramids in this project.")


def read_every_pyramid(project: Project) -> tuple[tuple[DocsetInfo, ...], dict[int, PyramidAnnotation]]:
    """Return the docsets, and all pyramids, including agreed ones, by primary key of the coding. Six queries."""
    rows = _read_rows(project, kind__in=PYRAMID_KINDS)
    return tuple(rows.docsets.values()), {coding.pk: rows.annotation(coding) for coding in rows.codings}


def read_pyramids(project: Project, docset: str = "") -> Pyramids:
    """Return the docsets, with pyramids and peers of the docset with this slug, or of all. Six queries at any size."""
    rows = _read_rows(project, docset, round__kind__in=COUNTED_KINDS)  # practice and comparisons are no results
    annotations: dict[tuple[int | None, str, str], PyramidAnnotation] = {}
    for coding in rows.codings:
        if coding.kind in PYRAMID_KINDS:
            owner = "" if coding.kind == Coding.Kind.AGREED else coding.coder.username
            annotations[rows.texts[coding.text_id].docset_id, coding.kind, owner] = rows.annotation(coding)
    peer_marks = []
    for coding in rows.codings:
        if coding.kind in PYRAMID_OF_PEER_KIND:
            pyramid = PYRAMID_OF_PEER_KIND[Coding.Kind(coding.kind)]
            owner = coding.coder.username if pyramid == Coding.Kind.PYRAMID else ""
            reference = annotations.get((rows.texts[coding.text_id].docset_id, pyramid, owner))
            peer_marks.append(rows.peer_marks(coding, reference))
    peer_marks.sort(key=lambda one: (one.peer.docset.slug, one.peer.slug, one.agreed, one.coder))
    n_peers = sum(text.role == Text.Role.PEER for text in rows.texts.values())
    return Pyramids(tuple(rows.docsets.values()), tuple(annotations.values()), tuple(peer_marks), n_peers)


class _Mark(NamedTuple):
    """A span that a coder marked; `in_scu` says whether its category takes an SCU, None without a category."""

    key: str
    parts: list[list[int]]
    in_scu: bool | None
    scus: list[str]


@dataclass(frozen=True, eq=False)
class _Rows:
    """Docsets and texts by primary key, and codings, with the marks and SCU labels of each coding."""

    docsets: dict[int, DocsetInfo]
    texts: dict[int, Text]
    codings: list[Coding]
    marks: Mapping[int, Mapping[int, _Mark]]
    labels: Mapping[int, Mapping[str, str]]

    def docset_of(self, coding: Coding) -> DocsetInfo:
        return self.docsets[self.texts[coding.text_id].docset_id or 0]

    def annotation(self, coding: Coding) -> PyramidAnnotation:
        """Return the pyramid of a coding."""
        marks, labels = self.marks[coding.pk].values(), self.labels[coding.pk]
        contributors = [Contributor(one.key, one.parts, tuple(one.scus)) for one in marks if one.in_scu and one.scus]
        keys = dict.fromkeys([*(key for one in contributors for key in one.scus), *labels])
        return PyramidAnnotation(
            docset=self.docset_of(coding),
            coder=coding.coder.username,
            agreed=coding.kind == Coding.Kind.AGREED,
            submitted=coding.status == Coding.Status.SUBMITTED,
            contributors=tuple(contributors),
            labels={key: labels.get(key) or f"({key})" for key in keys},
        )

    def peer_marks(self, coding: Coding, reference: PyramidAnnotation | None) -> PeerMarks:
        """Return the marks of a coding of a peer, counted by the SCUs of this pyramid."""
        text, marks = self.texts[coding.text_id], self.marks[coding.pk].values()
        submitted, labels = coding.status == Coding.Status.SUBMITTED, reference.labels if reference else {}
        known = [[key for key in one.scus if one.in_scu and key in labels] for one in marks]
        return PeerMarks(
            peer=Peer(self.docset_of(coding), text.slug, text.title, text.system),
            coder=coding.coder.username,
            agreed=coding.kind == Coding.Kind.PEER_AGREED,
            submitted=submitted,
            started=bool(marks) or submitted,
            reference=reference,
            counts=Counter(chain.from_iterable(known)),
            n_outside=sum(one.in_scu is False for one in marks),
            n_orphaned=sum(one.in_scu is not False and not keys for one, keys in zip(marks, known, strict=True)),
        )


def _read_rows(project: Project, docset: str = "", **selection: Any) -> _Rows:
    """Return all docsets, and the selected codings of the docset with this slug, or of all docsets."""
    with read_snapshot():
        docsets = sorted(project.docsets.values_list("pk", "slug", "title"), key=lambda row: row[1])
        chosen = [pk for pk, slug, _ in docsets if docset in ("", slug)]
        texts = {text.pk: text for text in Text.objects.filter(docset__in=chosen).order_by("pk").defer("content")}
        models = {text.docset_id: pk for pk, text in texts.items() if text.role == Text.Role.MODELS}
        summaries: dict[int, list[tuple[str, Span]]] = defaultdict(list)
        segments = Segment.objects.filter(text__docset__in=chosen, kind=Segment.Kind.SUMMARY).order_by("start")
        for text, label, start, end in segments.values_list("text_id", "label", "start", "end"):
            summaries[text].append((label or f"summary {len(summaries[text]) + 1}", (start, end)))
        infos = {}
        for pk, slug, title in docsets:
            own = summaries[text := models.get(pk, 0)]
            infos[pk] = DocsetInfo(
                pk, slug, title, text, tuple(name for name, _ in own), tuple(span for _, span in own)
            )
        rows = Coding.objects.of_people().filter(text__docset__in=chosen, **selection).select_related("coder")
        codings = sorted(rows.order_by(), key=lambda row: (texts[row.text_id].slug, row.coder.username, row.kind))
        of_codings = {f"coding__{name}": value for name, value in selection.items()}
        judgements = Judgement.objects.filter(
            coding__text__docset__in=chosen, markable__level__coded=True, **of_codings
        ).order_by("markable__start", "-markable__end", "markable__key", "indices__pk")
        marks: dict[int, dict[int, _Mark]] = defaultdict(dict)
        columns = ("coding_id", "pk", "markable__key", "markable__parts", "category__takes_index", "indices__entity")
        for coding, pk, key, parts, in_scu, scu in judgements.values_list(*columns):
            mark = marks[coding].setdefault(pk, _Mark(key, parts, in_scu, []))
            mark.scus.extend([] if scu is None else [scu])
        labels: dict[int, dict[str, str]] = defaultdict(dict)
        scus = SCU.objects.filter(coding__text__docset__in=chosen).order_by("pk")
        for coding, key, label in scus.values_list("coding_id", "key", "label"):
            labels[coding][key] = label
    return _Rows(infos, texts, codings, marks, labels)


def read_summary_words(docset: DocsetInfo) -> tuple[list[Span], str]:
    """Return the words of the model summaries of a docset, in text order, and the text. Two queries."""
    [words] = read_word_spans([docset.text]).values()
    return [*words.values()], Text.objects.values_list("content", flat=True).get(pk=docset.text)


def read_word_spans(texts: Collection[int]) -> dict[int, dict[int, Span]]:
    """Return the words of the model summaries of some texts, by primary key, in text order. One query."""
    words = Markable.objects.filter(text__in=texts, level__coded=False).order_by("start")
    spans: dict[int, dict[int, Span]] = {text: {} for text in texts}
    for text, pk, start, end in words.values_list("text_id", "pk", "start", "end"):
        spans[text][pk] = (start, end)
    return spans


@dataclass(frozen=True, slots=True)
class AgreedPyramid:
    """The agreed pyramid of a docset, from its coding and its operation log."""

    coding: int
    text: int  # the model summaries of the docset
    reason: str  # "practice" or "open"; empty if it counts
    authors: frozenset[str]  # its owner, and everybody who worked on it
    method: str = ""  # the method of its draft
    drafted_from: str = ""  # the coder whose pyramid was the only source of the draft


def read_agreed_pyramids(project: Project) -> dict[int, AgreedPyramid]:
    """Return the agreed pyramids of a project by the primary keys of their texts. Three or four queries."""
    agreed = Coding.objects.of_people().filter(text__project=project, kind=Coding.Kind.AGREED).order_by()
    # ordering a draft, or correcting the text, decides nothing
    working = Operation.objects.filter(coding__in=agreed.values("pk"), user__isnull=False).order_by()
    working = working.exclude(kind__in=[Operation.Kind.DRAFT, Operation.Kind.CORRECT])
    authors = defaultdict[int, set[str]](set)
    for coding, name in working.values_list("coding", "user__username").distinct():
        authors[coding].add(name)
    drafts, columns = _read_drafts(project), ("pk", "text_id", "coder__username", "status", "round__kind")
    return {
        text: AgreedPyramid(
            pk, text, why_gold_is_left_out(status, kind), frozenset({coder, *authors[pk]}), *drafts.get(pk, ("", ""))
        )
        for pk, text, coder, status, kind in agreed.values_list(*columns)
    }


def agreed_state(project: Project) -> list[Hashable]:
    """Return the state of docsets and agreed pyramids, equal if none of them has changed. Two queries."""
    agreed = Coding.objects.of_people().filter(text__project=project, kind=Coding.Kind.AGREED)
    docsets = project.docsets.order_by("pk").values_list("pk", "slug")
    return [*docsets, *agreed.order_by("pk").values_list("pk", "status", "version", "coder_id", "round__kind")]


def _read_drafts(project: Project) -> dict[int, tuple[str, str]]:
    """Return the method of each agreed pyramid's draft, and the coder whose pyramid was its only source."""
    drafts = Operation.objects.filter(
        coding__text__project=project, coding__kind=Coding.Kind.AGREED, kind=Operation.Kind.DRAFT
    )
    method_text, coder_text = (Cast(KeyTextTransform(name, "payload"), TextField()) for name in ("method", "coder"))
    found = {
        coding: (method or "", coder)
        for coding, method, coder in drafts.order_by("sequence").values_list("coding", method_text, coder_text)
    }
    # a draft names its source coding, at a version, by the last operation of the coding
    uuids = {UUID(coder) for _, coder in found.values() if coder}
    named = Operation.objects.filter(uuid__in=uuids, coding__text__project=project).order_by()
    names = {str(uuid): name for uuid, name in named.values_list("uuid", "coding__coder__username")}
    return {coding: (method, names.get(coder or "", "")) for coding, (method, coder) in found.items()}
