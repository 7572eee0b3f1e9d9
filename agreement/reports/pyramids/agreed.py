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
from agreement.data.pyramids.pyramids import EveryPyramid, read_every_pyramid, read_word_spans
from agreement.measures import share_interval
from agreement.measures.values import Ints
from agreement.reports.coders.profiles import read_project_work
from agreement.reports.fields import AgreementBesideGold, PageOnly, copy_fields
from agreement.reports.gold.readers import Frequent, count_alike, rename, rename_each, split_by_time
from agreement.reports.pyramids.matching import (
    KINDS,
    MatchCounts,
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
            share_interval(found.tolist(), total.tolist(), by="docset")
            for found, total in ((matched, agreed), (matched, own), (2 * matched, agreed + own))
        )
        figures = (copy_fields(OverDocsets, one) for one in shares)
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
            docsets=rename_each(self.docsets, called),
            periods=rename_each(self.periods, called),
            docsets_left_out=left_out if in_full else {},
            differences={called[name]: found for name, found in self.differences.items()},
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
    compared, n_by_authors = _compare_documents(source, selected, pick_texts(selected, parameters), progress)
    coders = sorted({coder for one in compared for coder in one.found})
    texts = tuple(one.text for one in compared)
    of_text = {one.text.text_pk: one for one in compared}
    groups = {name: [one for one in of_group if one in coders] for name, of_group in source.groups.items()}
    against = tuple(_against_agreed(coder, [coder], compared) for coder in coders)
    return AgreedReport(
        parameters=parameters,
        fingerprint=_fingerprint(selected.restrict(texts), of_text.values()),
        n_docsets=len(compared),
        n_scus=sum(len(one.agreed.scus) for one in of_text.values()),
        n_empty=sum(one.agreed.n_empty for one in of_text.values())
        + sum(found.own.n_empty for one in compared for found in one.found.values()),
        coders=against,
        groups=tuple(_against_agreed(name, one, compared) for name, one in groups.items() if one),
        agreement=AgreementBesideGold.of(compute_interval(selected, parameters, texts))
        if texts
        else AgreementBesideGold.missing("no coder has a docset with an agreed pyramid"),
        docsets=tuple(map(_describe_docset, compared)),
        periods=tuple(_periods(compared, coders, source.work)),
        n_drafted=sum(one.n_drafted or 0 for one in against),
        methods=Counter(one.about.method for one in of_text.values()),
        docsets_left_out=_count_docsets_left_out(source, parameters, of_text),
        codings_left_out=selected.count_left_out(parameters.selection("texts"), parameters.selection("rounds")),
        n_by_authors=n_by_authors,
        scus=tuple(_list_agreed_scus(compared)),
        differences={name: [one for text in compared for one in text.differences(name)] for name in coders},
    )


def count_differences(differences: Mapping[str, Sequence[LocatedDifference]]) -> list[Frequent[LocatedDifference]]:
    """Return how often the pyramids of some coders differ in each of KINDS, the most frequent first."""
    kinds = list(KINDS)
    return count_alike(differences, lambda one: kinds.index(one.difference.kind))


@dataclass(frozen=True, eq=False)
class _Compared:
    """A document: the agreed pyramid, and those of coders beside it."""

    text: Document
    about: AgreedPyramid
    agreed: PyramidByWords
    found: Mapping[str, PyramidComparison]

    def differences(self, coder: str) -> Iterator[LocatedDifference]:
        """Yield in what the coder differs from the agreed pyramid."""
        if coder in self.found:
            agreed, own = self.agreed.labels, self.found[coder].own.labels
            for one in self.found[coder].differences:
                yield LocatedDifference(self.text, one, agreed.get(one.agreed, ""), own.get(one.own, ""))


def _compare_documents(
    source: AgreedSource, answers: ProjectAnswers, texts: Sequence[Document], progress: Progress | None
) -> tuple[list[_Compared], int]:
    """Return what of these documents is compared, and how many pyramids are left out: of who made the agreed one."""
    compared, by_words, n_by_authors = list[_Compared](), dict[int, PyramidByWords](), 0
    pyramids = source.pyramids.by_coding
    for done, (text, rows) in enumerate(zip(texts, answers.rows_by_text(texts), strict=True)):
        if progress:
            progress(done, len(texts))
        about = source.agreed.get(text.text_pk)
        if about is None or about.reason or not (source.documents is None or text.pk in source.documents):
            continue
        n_by_authors += sum(coder in about.authors for coder, _ in rows)
        # what was deleted since the answers were read is not there
        own = {coder: pyramids[coding] for coder, coding in rows if coder not in about.authors and coding in pyramids}
        if own and about.coding in pyramids:
            words = source.words.get(text.text_pk, ())
            if text.text_pk not in by_words:
                by_words[text.text_pk] = PyramidByWords(pyramids[about.coding], words)
            agreed = by_words[text.text_pk]
            found = {coder: compare_pyramids(agreed, PyramidByWords(one, words)) for coder, one in own.items()}
            compared.append(_Compared(text, about, agreed, found))
    return compared, n_by_authors


def _against_agreed(name: str, coders: Sequence[str], compared: Sequence[_Compared]) -> AgainstAgreed:
    several = [found for one in compared if (found := [one.found[coder] for coder in coders if coder in one.found])]
    counts = np.array([MatchCounts.total(one.counts for one in found) for found in several], dtype=np.int64)
    agreed, own, matched, identical, *words = counts.reshape(-1, len(MatchCounts._fields)).T
    kinds = Counter(one.kind for found in several for comparison in found for one in comparison.differences)
    return AgainstAgreed(
        name,
        tuple(coders),
        len(several),
        Matching.of_docsets(agreed, own, matched),
        Matching.of_docsets(*words),
        int(identical.sum()),
        sum(one.about.drafted_from in one.found and one.about.drafted_from in coders for one in compared),
        {kind: kinds[kind] for kind in KINDS},
    )


def _describe_docset(compared: _Compared) -> AgreedDocset:
    text, counts = compared.text, {name: own.counts for name, own in compared.found.items()}
    coders = tuple(
        CoderInDocset(name, one.own, one.matched, one.identical, 2 * one.matched / (one.agreed + one.own))
        for name, one in counts.items()
    )
    return AgreedDocset(text.slug, text.round, text.label, len(compared.agreed.scus), coders)


def _periods(
    compared: Sequence[_Compared], coders: Sequence[str], work: Mapping[tuple[int, str], Activity]
) -> Iterator[AgreedPeriod]:
    of_text = {one.text.pk: one for one in compared}
    for texts in split_by_time([one.text for one in compared], work):
        figures = []
        for coder in coders:
            found = [of_text[text.pk].found for text in texts]
            total = MatchCounts.total(one[coder].counts for one in found if coder in one)
            of_scus = _f1(total.matched, total.agreed + total.own)
            of_words = _f1(total.matched_words, total.agreed_words + total.own_words)
            figures.append(CoderInAgreedPeriod(coder, of_scus, of_words))
        yield AgreedPeriod(len(texts), texts[-1].slug, texts[-1].label, tuple(figures))


def _f1(matched: int, both: int) -> float | None:
    """Return twice what matches over what both have; None of nothing."""
    return 2 * matched / both if both else None


def _list_agreed_scus(compared: Sequence[_Compared]) -> list[AgreedScu]:
    """Return the SCUs of agreed pyramids that some coder lacks, those that most lack first, then by weight."""
    scus = []
    for one in compared:
        kinds = Counter((found.agreed, found.kind) for own in one.found.values() for found in own.differences)
        for key in one.agreed.scus:
            missing, fused, n = kinds[key, "missing"], kinds[key, "fused"], len(one.found)
            if missing or fused:
                weight = one.agreed.annotation.pyramid.weights[key]
                matched = n - missing - fused
                scus.append(AgreedScu(one.text, one.agreed.labels[key], weight, n, matched, missing, fused))
    return sorted(scus, key=lambda one: (one.n_matched / one.n_coders, -one.n_coders, -one.weight))


def _count_docsets_left_out(
    source: AgreedSource, parameters: Parameters, compared: Collection[int]
) -> Mapping[str, int]:
    """Return of how many of the chosen docsets nothing is compared, by reason."""
    chosen = parameters.selection("texts")
    left_out = [
        source.agreed.get(one.text)
        for one in source.pyramids.docsets
        if one.text not in compared and (not chosen or one.slug in chosen)
    ]
    return Counter("missing" if about is None else about.reason or "uncoded" for about in left_out)


def _fingerprint(extract: ProjectAnswers, compared: Collection[_Compared]) -> str:
    """Return a short name for exactly these answers and agreed pyramids, whatever coders and texts are called."""
    pyramids = []
    for one in compared:
        annotation = one.agreed.annotation
        parts_of: dict[str, list[list[list[int]]]] = {scu: [] for scu in annotation.labels}
        for own in annotation.contributors:
            for scu in own.scus or ("",):
                parts_of.setdefault(scu, []).append([list(part) for part in own.parts])
        agreed = sorted([sorted(parts), annotation.labels.get(scu, "")] for scu, parts in parts_of.items())
        pyramids.append([extract.restrict([one.text]).fingerprint, agreed])
    about = [extract.fingerprint, sorted(pyramids)]
    return hashlib.sha256(json.dumps(about, ensure_ascii=False).encode()).hexdigest()[:16]
