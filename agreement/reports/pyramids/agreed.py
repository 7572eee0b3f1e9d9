"""Coders, and groups of them, against the agreed pyramids of docsets, with what coders agree among themselves."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

import numpy as np

from agreement.data.documents import Document
from agreement.data.groups import Groups, read_groups
from agreement.data.project_answers import ProjectAnswers
from agreement.data.pyramids.agreed_pyramids import REASONS_DOCSET_LEFT_OUT, AgreedPyramid, read_agreed_pyramids
from agreement.data.pyramids.pyramids import EveryPyramid, PyramidAnnotation, read_every_pyramid, read_word_spans
from agreement.measures import share_interval
from agreement.measures.values import Ints
from agreement.reports.coders.timing import read_project_work
from agreement.reports.fields import AgreementBesideGold, PageOnly
from agreement.reports.gold.report import rename
from agreement.reports.overall.course import divide_evenly, order_by_time
from agreement.reports.pyramids.matching import (
    KINDS,
    PyramidByWords,
    PyramidComparison,
    ScuDifference,
    compare_pyramids,
)
from agreement.reports.request.basis import compute_interval, pick_texts
from agreement.reports.request.parameters import Parameters
from agreement.reports.request.resolution import resolve
from annotations.coding.active_time import Activity
from annotations.coding.pyramids.pyramid_rules import Span
from annotations.core.processes.progress import Progress
from annotations.models import Project

# What intervals are over.
DOCSET = "docset"


@dataclass(frozen=True, slots=True)
class OverDocsets:
    """A figure with its interval over docsets."""

    value: float | None
    low: Annotated[float | None, "of the 95% interval, over docsets"]
    high: float | None
    note: Annotated[str, "Why there is no interval."]


@dataclass(frozen=True, slots=True)
class Matching:
    """What of agreed pyramids coders have and the other way round; f1 is twice matched over both."""

    agreed: Annotated[int, "of the agreed pyramids"]
    own: Annotated[int, "of the coder"]
    matched: int
    recall: Annotated[OverDocsets, "matched over agreed"]
    precision: Annotated[OverDocsets, "matched over own"]
    f1: OverDocsets

    @classmethod
    def of_docsets(cls, agreed: Ints, own: Ints, matched: Ints) -> Matching:
        """Return the figures of what is counted in each docset."""
        shares = (
            share_interval(found.tolist(), total.tolist(), by=DOCSET)
            for found, total in ((matched, agreed), (matched, own), (2 * matched, agreed + own))
        )
        figures = (OverDocsets(one.value, one.low, one.high, one.note) for one in shares)
        return cls(int(agreed.sum()), int(own.sum()), int(matched.sum()), *figures)


@dataclass(frozen=True, slots=True)
class AgainstAgreed:
    """A coder, or a group of them pooled, against the agreed pyramids of the docsets that they have submitted."""

    name: Annotated[str, "of the coder or group; a letter for who does not see names"]
    coders: PageOnly[tuple[str, ...]]
    n_docsets: int
    scus: Annotated[Matching, "SCUs, matched one to one"]
    words: Annotated[Matching, "words, once for each SCU; matched are those in both of two SCUs that match"]
    n_identical: Annotated[int, "of the matched SCUs those with the same words"]
    n_drafted: Annotated[
        int | None, "docsets whose agreed pyramid was drafted from this one alone; null for who does not see names"
    ]
    differences: Annotated[Mapping[str, int], f"by kind: {', '.join(KINDS)}"]


@dataclass(frozen=True, slots=True)
class CoderInDocset:
    """A coder's pyramid beside the agreed one in one document."""

    name: str
    own: Annotated[int, "SCUs of the coder"]
    matched: int
    identical: int
    f1: float


@dataclass(frozen=True, slots=True)
class AgreedDocset:
    """The pyramids of coders beside the agreed one in one document."""

    docset: str
    round: str
    label: PageOnly[str]
    n_scus: Annotated[int, "of the agreed pyramid"]
    coders: tuple[CoderInDocset, ...]

    @property
    def mean_f1(self) -> float:
        """The mean of the F1 of its coders."""
        return sum(one.f1 for one in self.coders) / len(self.coders)


@dataclass(frozen=True, slots=True)
class CoderInAgreedPeriod:
    """A coder in some docsets of about one time."""

    name: str
    scus_f1: float | None
    words_f1: float | None


@dataclass(frozen=True, slots=True)
class AgreedPeriod:
    """Some docsets of about one time: the F1 of each coder in them, of SCUs and of words."""

    n_docsets: int
    last: Annotated[str, "address of the docset that was worked on last of them"]
    label: PageOnly[str]
    coders: tuple[CoderInAgreedPeriod, ...]


@dataclass(frozen=True, slots=True)
class LocatedDifference:
    """A difference between a coder's pyramid and the agreed one, with its docset and the labels of both SCUs."""

    text: Document
    difference: ScuDifference
    agreed: str
    own: str


@dataclass(frozen=True, slots=True)
class FrequentDifference:
    """How often pyramids differ in one of KINDS, by how many coders, in how many docsets, and an example."""

    kind: str
    number: int
    coders: tuple[str, ...]
    n_docsets: int
    example: LocatedDifference


@dataclass(frozen=True, slots=True)
class AgreedScu:
    """An SCU of an agreed pyramid: of `n_coders` how many have one that matches, lack it, and have fused it."""

    text: Document
    label: str
    weight: int
    n_coders: int
    n_matched: int
    n_missing: int
    n_fused: int


@dataclass(frozen=True, slots=True)
class AgreedReport:
    """Coders against the agreed pyramids of docsets."""

    parameters: Parameters
    fingerprint: Annotated[str, "equal for equal pyramids"]
    n_docsets: int
    n_scus: Annotated[int, "of the agreed pyramids"]
    n_empty: Annotated[int, "SCUs without words: they are in no figure"]
    coders: tuple[AgainstAgreed, ...]
    groups: Annotated[tuple[AgainstAgreed, ...], "none for who codes"]
    agreement: Annotated[AgreementBesideGold, "of the coders in the same docsets"]
    docsets: tuple[AgreedDocset, ...]
    periods: Annotated[tuple[AgreedPeriod, ...], "in order of the last work on each docset"]
    n_drafted: Annotated[int, "docsets whose agreed pyramid was drafted from one coder's alone"]
    methods: Annotated[Mapping[str, int], "agreed pyramids by the method of their draft; empty: without one"]
    docsets_left_out: Annotated[
        Mapping[str, int], f"by reason: {', '.join(REASONS_DOCSET_LEFT_OUT)}; empty for who codes"
    ]
    codings_left_out: Annotated[Mapping[str, int], "by reason"]
    n_by_authors: Annotated[int, "pyramids left out: of who made the agreed one"]
    # SCUs of agreed pyramids that some coder lacks, and differences by coder.
    scus: PageOnly[tuple[AgreedScu, ...]]
    differences: PageOnly[Mapping[str, Sequence[LocatedDifference]]]

    def for_reader(self, called: Mapping[str, str], *, in_full: bool, names: bool) -> AgreedReport:
        """Return the report with coders named as they are `called`.

        in_full: also groups, and docsets that are not compared, of which coders are not told. names: the reader sees
        whose pyramid was a draft; beside letters it would tell whose they are.
        """
        coders, groups = (
            of if names else tuple(replace(one, n_drafted=None) for one in of) for of in (self.coders, self.groups)
        )
        left_out = {one: self.docsets_left_out.get(one, 0) for one in REASONS_DOCSET_LEFT_OUT}
        return replace(
            self,
            coders=rename(coders, called),
            groups=groups if in_full else (),
            docsets=tuple(replace(one, coders=rename(one.coders, called)) for one in self.docsets),
            periods=tuple(replace(one, coders=rename(one.coders, called)) for one in self.periods),
            docsets_left_out=left_out if in_full else {},
        )


@dataclass(frozen=True, slots=True)
class AgreedSource:
    """What is compared: the answers of the whole project, all its pyramids, and the words of their summaries.

    `agreed` are by the primary keys of texts, `words` in text order. `documents` are those that the reader may read of;
    None for all.
    """

    answers: ProjectAnswers
    pyramids: EveryPyramid
    agreed: Mapping[int, AgreedPyramid]
    words: Mapping[int, Sequence[Span]]
    groups: Groups = field(default_factory=dict)
    work: Mapping[tuple[int, str], Activity] = field(default_factory=dict)
    documents: Collection[int] | None = None


def read_agreed_source(
    project: Project, answers: ProjectAnswers, documents: Collection[int] | None = None
) -> AgreedSource:
    """Return what the pyramids of coders are compared with, and by what. The number of queries is fixed.

    documents: those that the reader may read of; None for all.
    """
    agreed = read_agreed_pyramids(project)
    spans = read_word_spans([one.text for one in agreed.values() if not one.reason])
    return AgreedSource(
        answers,
        read_every_pyramid(project),
        agreed,
        {text: [*of_text.values()] for text, of_text in spans.items()},
        read_groups(project),
        read_project_work(project, answers).activities,
        documents,
    )


def compare_with_agreed(source: AgreedSource, parameters: Parameters, progress: Progress | None = None) -> AgreedReport:
    """Return every coder that the parameters choose against agreed pyramids. Raises InvalidParameter.

    The selections are those of every page; pyramids are compared by their words, whatever is counted for agreement.
    """
    selected, parameters = resolve(source.answers, parameters)
    chosen, n_by_authors = _choose_pyramids(source, selected, pick_texts(selected, parameters))
    compared = list(_compare_documents(source, chosen, progress))
    coders = sorted({coder for one in compared for coder in one.own})
    texts = tuple(one.text for one in compared)
    of_text = {one.text.text_pk: one for one in compared}
    groups = {name: [one for one in of_group if one in coders] for name, of_group in source.groups.items()}
    differences = {coder: list(_differences_of(coder, compared)) for coder in coders}
    against = tuple(_against_agreed(coder, [coder], compared, differences) for coder in coders)
    return AgreedReport(
        parameters=parameters,
        fingerprint=_fingerprint(selected.restrict(texts), of_text.values()),
        n_docsets=len(compared),
        n_scus=sum(len(one.agreed.scus) for one in of_text.values()),
        n_empty=sum(one.agreed.n_empty for one in of_text.values())
        + sum(own.n_empty for one in compared for own in one.own.values()),
        coders=against,
        groups=tuple(_against_agreed(name, one, compared, differences) for name, one in groups.items() if one),
        agreement=AgreementBesideGold.of(compute_interval(selected, parameters, texts))
        if texts
        else AgreementBesideGold.missing("no coder has a docset with an agreed pyramid"),
        docsets=tuple(map(_describe_docset, compared)),
        periods=tuple(_periods(compared, coders, source.work)),
        n_drafted=sum(one.n_drafted or 0 for one in against),
        scus=tuple(_list_agreed_scus(compared)),
        differences=differences,
        docsets_left_out=_count_docsets_left_out(source, parameters, texts),
        codings_left_out=selected.count_left_out(parameters.selection("texts"), parameters.selection("rounds")),
        n_by_authors=n_by_authors,
        methods=Counter(source.agreed[text].method for text in of_text),
    )


def count_differences(differences: Mapping[str, Sequence[LocatedDifference]]) -> list[FrequentDifference]:
    """Return how often the pyramids of some coders differ in each of KINDS, the most frequent first."""
    found: dict[str, list[tuple[str, LocatedDifference]]] = {}
    for coder, of_coder in differences.items():
        for one in of_coder:
            found.setdefault(one.difference.kind, []).append((coder, one))
    ordered = sorted(found.items(), key=lambda item: (-len(item[1]), list(KINDS).index(item[0])))
    return [
        FrequentDifference(
            kind,
            len(several),
            tuple(dict.fromkeys(coder for coder, _ in several)),
            len({one.text.text_pk for _, one in several}),
            several[0][1],
        )
        for kind, several in ordered
    ]


@dataclass(frozen=True, eq=False)
class _Chosen:
    """A document whose agreed pyramid counts, with the pyramids of coders that do."""

    text: Document
    agreed: PyramidAnnotation
    drafted_from: str
    own: Mapping[str, PyramidAnnotation]


@dataclass(frozen=True, eq=False)
class _Compared:
    """A document: the agreed pyramid, those of coders, and what these are beside it."""

    text: Document
    annotation: PyramidAnnotation
    agreed: PyramidByWords
    drafted_from: str
    own: Mapping[str, PyramidByWords]
    found: Mapping[str, PyramidComparison]


def _choose_pyramids(
    source: AgreedSource, answers: ProjectAnswers, texts: Sequence[Document]
) -> tuple[list[_Chosen], int]:
    """Return what of these documents is compared, and how many pyramids are left out: of who made the agreed one."""
    chosen, n_by_authors = list[_Chosen](), 0
    for text, rows in zip(texts, answers.rows_by_text(texts), strict=True):
        about = source.agreed.get(text.text_pk)
        if about is None or about.reason or not (source.documents is None or text.pk in source.documents):
            continue
        codings = dict(rows)
        n_by_authors += len(codings.keys() & about.authors)
        own = {
            coder: annotation
            for coder, coding in codings.items()
            # what was deleted since the answers were read is not there
            if coder not in about.authors and (annotation := source.pyramids.by_coding.get(coding)) is not None
        }
        agreed = source.pyramids.by_coding.get(about.coding)
        if own and agreed is not None:
            chosen.append(_Chosen(text, agreed, about.drafted_from, own))
    return chosen, n_by_authors


def _compare_documents(
    source: AgreedSource, chosen: Sequence[_Chosen], progress: Progress | None
) -> Iterator[_Compared]:
    by_words: dict[int, PyramidByWords] = {}
    for done, one in enumerate(chosen):
        if progress:
            progress(done, len(chosen))
        key, words = one.text.text_pk, source.words.get(one.text.text_pk, ())
        if key not in by_words:
            by_words[key] = PyramidByWords(one.agreed, words)
        own = {coder: PyramidByWords(annotation, words) for coder, annotation in one.own.items()}
        found = {coder: compare_pyramids(by_words[key], pyramid) for coder, pyramid in own.items()}
        yield _Compared(one.text, one.agreed, by_words[key], one.drafted_from, own, found)


def _against_agreed(
    name: str,
    coders: Sequence[str],
    compared: Sequence[_Compared],
    differences: Mapping[str, Sequence[LocatedDifference]],
) -> AgainstAgreed:
    counts = [[one.found[coder].counts for coder in coders if coder in one.found] for one in compared]
    several = [of_document for of_document in counts if of_document]

    def total(part: str) -> Ints:
        sums = [sum(getattr(one, part) for one in of_document) for of_document in several]
        return np.array(sums, dtype=np.int64)

    kinds = Counter(one.difference.kind for coder in coders for one in differences[coder])
    return AgainstAgreed(
        name,
        tuple(coders),
        len(several),
        Matching.of_docsets(total("agreed"), total("own"), total("matched")),
        Matching.of_docsets(total("agreed_words"), total("own_words"), total("matched_words")),
        int(total("identical").sum()),
        sum(one.drafted_from in one.found and one.drafted_from in coders for one in compared),
        {kind: kinds[kind] for kind in KINDS},
    )


def _describe_docset(compared: _Compared) -> AgreedDocset:
    counts = {name: own.counts for name, own in compared.found.items()}
    coders = tuple(
        CoderInDocset(name, one.own, one.matched, one.identical, 2 * one.matched / (one.agreed + one.own))
        for name, one in counts.items()
    )
    text = compared.text
    return AgreedDocset(text.slug, text.round, text.label, len(compared.agreed.scus), coders)


def _periods(
    compared: Sequence[_Compared], coders: Sequence[str], work: Mapping[tuple[int, str], Activity]
) -> Iterator[AgreedPeriod]:
    of_text = {one.text.pk: one for one in compared}
    ordered = order_by_time([one.text for one in compared], work)
    before = 0
    for size in divide_evenly(len(ordered)):
        texts, before = ordered[before:size], size
        in_period = [of_text[text.pk].found for text in texts]
        counts = {coder: [one[coder].counts for one in in_period if coder in one] for coder in coders}
        figures = tuple(
            CoderInAgreedPeriod(
                coder,
                _f1([(one.matched, one.agreed + one.own) for one in own]),
                _f1([(one.matched_words, one.agreed_words + one.own_words) for one in own]),
            )
            for coder, own in counts.items()
        )
        yield AgreedPeriod(len(texts), texts[-1].slug, texts[-1].label, figures)


def _f1(counts: Sequence[tuple[int, int]]) -> float | None:
    """Return twice what matches over what both have, of several docsets; None of none."""
    total = sum(both for _, both in counts)
    return 2 * sum(matched for matched, _ in counts) / total if total else None


def _differences_of(coder: str, compared: Sequence[_Compared]) -> Iterator[LocatedDifference]:
    for one in compared:
        if coder in one.found:
            agreed, own = one.agreed.labels, one.own[coder].labels
            for difference in one.found[coder].differences:
                names = agreed.get(difference.agreed, ""), own.get(difference.own, "")
                yield LocatedDifference(one.text, difference, *names)


def _list_agreed_scus(compared: Sequence[_Compared]) -> list[AgreedScu]:
    """Return the SCUs of agreed pyramids that some coder lacks, those that most lack first, then by weight."""
    found = []
    for one in compared:
        kinds = Counter(
            (difference.agreed, difference.kind) for own in one.found.values() for difference in own.differences
        )
        for key in one.agreed.scus:
            missing, fused = kinds[key, "missing"], kinds[key, "fused"]
            if missing or fused:
                n = len(one.found)
                weight = one.annotation.pyramid.weights[key]
                label = one.agreed.labels[key]
                found.append(AgreedScu(one.text, label, weight, n, n - missing - fused, missing, fused))
    return sorted(found, key=lambda one: (one.n_matched / one.n_coders, -one.n_coders, -one.weight))


def _count_docsets_left_out(
    source: AgreedSource, parameters: Parameters, compared: Sequence[Document]
) -> Mapping[str, int]:
    """Return of how many of the chosen docsets nothing is compared, by reason."""
    chosen, texts = parameters.selection("texts"), {text.text_pk for text in compared}
    reasons = Counter[str]()
    for docset in source.pyramids.docsets:
        if docset.text not in texts and (not chosen or docset.slug in chosen):
            about = source.agreed.get(docset.text)
            reasons["missing" if about is None else about.reason or "uncoded"] += 1
    return reasons


def _fingerprint(extract: ProjectAnswers, compared: Collection[_Compared]) -> str:
    """Return a short name for exactly these answers and agreed pyramids, whatever coders and texts are called."""
    pyramids = []
    for one in compared:
        annotation = one.annotation
        parts_of: dict[str, list[list[list[int]]]] = {scu: [] for scu in annotation.labels}
        for own in annotation.contributors:
            for scu in own.scus or ("",):
                parts_of.setdefault(scu, []).append([list(part) for part in own.parts])
        agreed = sorted([sorted(parts), annotation.labels.get(scu, "")] for scu, parts in parts_of.items())
        pyramids.append([extract.restrict([one.text]).fingerprint, agreed])
    about = [extract.fingerprint, sorted(pyramids)]
    return hashlib.sha256(json.dumps(about, ensure_ascii=False).encode()).hexdigest()[:16]
