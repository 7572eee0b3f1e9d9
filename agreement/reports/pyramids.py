"""Comparison of coders and groups with the agreed pyramids of docsets, by their words."""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, NamedTuple, Self

import numpy as np

from agreement.data import pyramids as data
from agreement.data.coders import read_groups
from agreement.data.documents import Document
from agreement.data.project_answers import ProjectAnswers
from agreement.measures import match_sets, share_interval
from agreement.measures.values import Ints
from agreement.reports.basis import compute_interval, count_left_out, pick_texts
from agreement.reports.coders.profiles import read_project_work
from agreement.reports.fields import AgreementBesideGold, PageOnly, copy_fields
from agreement.reports.gold import MANAGER, Reader, split_by_time
from agreement.reports.parameters import Parameters
from agreement.reports.request import resolve
from agreement.reports.wording import LABELS
from annotations.coding.active_time import Activity
from annotations.coding.markables.markables import Parts
from annotations.coding.pyramids.pyramid_rules import Span, held_words
from annotations.core.processes.progress import Progress, reported
from annotations.models import Project

KINDS = LABELS["pyramid_differences"]


@dataclass(frozen=True, slots=True)
class HeldWords:
    """The words of a contributor in one of its SCUs, by position."""

    scu: str
    parts: Parts
    words: frozenset[int]


class PyramidByWords:
    """A pyramid as sets of words. Its `n_empty` SCUs without words are in no figure."""

    def __init__(self, annotation: data.PyramidAnnotation, words: Sequence[Span]) -> None:
        places = annotation.word_places(list(words))
        self.annotation = annotation
        self.scus: dict[str, frozenset[int]] = {key: frozenset(own) for key, own in places.items() if own}
        self.n_empty = len(places) - len(self.scus)
        self.contributors = [
            HeldWords(scu, contributor.parts, held)
            for contributor in annotation.contributors
            if (held := frozenset(held_words(words, contributor.parts)))
            for scu in contributor.scus
        ]

    @cached_property
    def scus_of_word(self) -> dict[int, list[str]]:
        found: dict[int, list[str]] = defaultdict(list)
        for key, words in self.scus.items():
            for word in words:
                found[word].append(key)
        return found

    def holder_of(self, words: frozenset[int], besides: str | None = None) -> str:
        """Return the SCU with most of these words, provided that it has at least half of them, else an empty text."""
        counts = Counter(key for word in words for key in self.scus_of_word.get(word, ()) if key != besides)
        key, most = min(counts.items(), key=lambda item: (-item[1], item[0]), default=("", 0))
        return key if 2 * most >= len(words) else ""


class MatchCounts(NamedTuple):
    """The counts of a coder's pyramid and the agreed one: SCUs, and words, each once for every SCU of the word."""

    agreed: int = 0
    own: int = 0
    matched: int = 0
    identical: int = 0  # matched SCUs with the same words
    agreed_words: int = 0
    own_words: int = 0
    matched_words: int = 0  # words in both SCUs of a match

    @classmethod
    def total(cls, counts: Iterable[Self]) -> Self:
        """Return the sums of several counts."""
        return cls(*map(sum, zip(cls(), *counts, strict=True)))


@dataclass(frozen=True, slots=True)
class ScuDifference:
    """A difference of a coder's pyramid from the agreed one: one of KINDS, and the SCUs of both, or empty."""

    kind: str
    agreed: str
    own: str
    parts: Parts = ()  # of the contributor, if the difference is about one


@dataclass(frozen=True, eq=False)
class PyramidComparison:
    """A coder's pyramid compared with the agreed one. `partners` maps SCUs of the agreed one to the coder's."""

    own: PyramidByWords
    counts: MatchCounts
    partners: Mapping[str, str]
    differences: tuple[ScuDifference, ...]


def compare_pyramids(agreed: PyramidByWords, own: PyramidByWords) -> PyramidComparison:
    """Return the matches of a coder's SCUs with agreed SCUs (`match_sets`), and the differences."""
    matches = [match for match in match_sets(agreed.scus, own.scus) if match.matched]
    partners = {str(match.first): str(match.second) for match in matches}
    counts = MatchCounts(
        agreed=len(agreed.scus),
        own=len(own.scus),
        matched=len(matches),
        identical=sum(match.relation == "identity" for match in matches),
        agreed_words=sum(map(len, agreed.scus.values())),
        own_words=sum(map(len, own.scus.values())),
        matched_words=sum(match.shared for match in matches),
    )
    return PyramidComparison(own, counts, partners, tuple(_compare_scus(agreed, own, partners)))


def _compare_scus(agreed: PyramidByWords, own: PyramidByWords, partners: Mapping[str, str]) -> Iterator[ScuDifference]:
    """Yield the differences of SCUs without a partner, then the differences of contributors in matched SCUs."""
    matched = {second: first for first, second in partners.items()}
    for key, words in agreed.scus.items():
        if key not in partners:
            holder = own.holder_of(words)
            yield ScuDifference("fused" if holder else "missing", key, holder)
    for key, words in own.scus.items():
        if key not in matched:
            holder = agreed.holder_of(words)
            yield ScuDifference("split" if holder else "extra", holder, key)
    for part, partner, taker in _contributors_apart(agreed, own, partners):
        if not taker or taker in matched:  # else the unmatched SCU with the contributor is itself a difference
            kind = "shorter" if taker is None else "elsewhere" if taker else "omitted"
            yield ScuDifference(kind, part.scu, taker or partner, part.parts)
    for part, partner, taker in _contributors_apart(own, agreed, matched):
        # if another agreed SCU has the contributor, the difference is already yielded for that SCU
        if not taker:
            yield ScuDifference("longer" if taker is None else "added", partner, part.scu, part.parts)


def _contributors_apart(
    side: PyramidByWords, other: PyramidByWords, partners: Mapping[str, str]
) -> Iterator[tuple[HeldWords, str, str | None]]:
    """Yield contributors not wholly in the partner of their SCU, with the partner and the SCU that has them instead."""
    for contributor in side.contributors:
        if contributor.scu in partners:
            partner = partners[contributor.scu]
            shared = len(contributor.words & other.scus[partner])
            if shared < len(contributor.words):  # None: the partner has some of the words
                yield contributor, partner, None if shared else other.holder_of(contributor.words, besides=partner)


@dataclass(frozen=True, slots=True)
class OverDocsets:
    """A figure with its interval over docsets."""

    value: float | None
    low: Annotated[float | None, "of the 95% interval, over docsets"]
    high: float | None
    note: Annotated[str, "Why there is no interval."]


@dataclass(frozen=True, slots=True)
class Matching:
    """The match of coders' pyramids with agreed pyramids; f1 is twice matched over the sum of agreed and own."""

    agreed: Annotated[int, "of the agreed pyramids"]
    own: Annotated[int, "of the coder"]
    matched: int
    recall: Annotated[OverDocsets, "matched over agreed"]
    precision: Annotated[OverDocsets, "matched over own"]
    f1: OverDocsets

    @classmethod
    def of_docsets(cls, agreed: Ints, own: Ints, matched: Ints) -> Self:
        """Return the figures from the counts of each docset."""
        pairs = (matched, agreed), (matched, own), (2 * matched, agreed + own)
        shares = (share_interval(found.tolist(), total.tolist(), by="docset") for found, total in pairs)
        figures = (copy_fields(OverDocsets, share) for share in shares)
        return cls(int(agreed.sum()), int(own.sum()), int(matched.sum()), *figures)


@dataclass(frozen=True, slots=True)
class AgainstAgreed:
    """A coder, or a pooled group of coders, against the agreed pyramids of their submitted docsets."""

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
    """The comparison of a coder's pyramid with the agreed one in one document."""

    name: str
    own: Annotated[int, "SCUs of the coder"]
    matched: int
    identical: int
    f1: float


@dataclass(frozen=True, slots=True)
class AgreedDocset:
    """The comparison of coders' pyramids with the agreed one in one document."""

    docset: str
    round: str
    label: PageOnly[str]
    n_scus: Annotated[int, "of the agreed pyramid"]
    coders: tuple[CoderInDocset, ...]

    @property
    def mean_f1(self) -> float:
        return sum(coder.f1 for coder in self.coders) / len(self.coders)


@dataclass(frozen=True, slots=True)
class CoderInAgreedPeriod:
    """The figures of a coder in the docsets of a period."""

    name: str
    scus_f1: float | None
    words_f1: float | None


@dataclass(frozen=True, slots=True)
class AgreedPeriod:
    """A period of consecutively finished docsets: the F1 of each coder, of SCUs and of words."""

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
    """An SCU of an agreed pyramid, with the numbers of all coders, and of coders who match, miss or fuse it."""

    text: Document
    label: str
    weight: int
    n_coders: int
    n_matched: int
    n_missing: int
    n_fused: int


@dataclass(frozen=True, slots=True)
class AgreedReport:
    """The comparison of coders with the agreed pyramids of docsets."""

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
        Mapping[str, int], f"by reason: {', '.join(data.REASONS_DOCSET_LEFT_OUT)}; empty for who codes"
    ]
    codings_left_out: Annotated[Mapping[str, int], "by reason"]
    n_by_authors: Annotated[int, "pyramids left out: of who made the agreed one"]
    # Agreed SCUs that some coder misses or fuses, and differences by coder.
    scus: PageOnly[tuple[AgreedScu, ...]]
    differences: PageOnly[Mapping[str, Sequence[LocatedDifference]]]


def compare_with_agreed(
    project: Project,
    answers: ProjectAnswers,
    parameters: Parameters,
    reader: Reader = MANAGER,
    progress: Progress | None = None,
) -> AgreedReport:
    """Return the comparison of the chosen coders with agreed pyramids, as the reader may see it."""
    selected, parameters = resolve(answers, parameters)
    agreed, (all_docsets, pyramids) = data.read_agreed_pyramids(project), data.read_every_pyramid(project)
    compared, n_by_authors = _compare_documents(selected, parameters, agreed, pyramids, reader, progress)
    coders = sorted({coder for docset in compared for coder in docset.found})
    texts = tuple(docset.text for docset in compared)
    of_text = {docset.text.text_pk: docset for docset in compared}
    called = {coder: coder if reader.sees_names else reader.called[coder] for coder in coders}
    all_groups = {} if reader.codes else read_groups(project)
    groups = {name: [coder for coder in members if coder in coders] for name, members in all_groups.items()}
    against = [_against_agreed(called[coder], [coder], compared) for coder in coders]
    of_groups = [_against_agreed(name, members, compared) for name, members in groups.items() if members]
    n_drafted = sum(row.n_drafted or 0 for row in against)
    if not reader.sees_names:  # it would reveal the coders behind letters
        against, of_groups = ([replace(row, n_drafted=None) for row in rows] for rows in (against, of_groups))
    docsets = []
    for docset in compared:
        counts = {name: own.counts for name, own in docset.found.items()}
        in_docset = (
            CoderInDocset(called[name], n.own, n.matched, n.identical, 2 * n.matched / (n.agreed + n.own))
            for name, n in counts.items()
        )
        text = docset.text
        docsets.append(AgreedDocset(text.slug, text.round, text.label, len(docset.agreed.scus), tuple(in_docset)))
    # the chosen docsets without a comparison
    chosen = parameters.selection("texts")
    left_out = Counter(
        "missing" if about is None else about.reason or "uncoded"
        for docset in all_docsets
        if docset.text not in of_text and (not chosen or docset.slug in chosen)
        for about in [agreed.get(docset.text)]
    )
    return AgreedReport(
        parameters=parameters,
        fingerprint=_fingerprint(selected.restrict(texts), of_text.values()),
        n_docsets=len(compared),
        n_scus=sum(len(docset.agreed.scus) for docset in of_text.values()),
        n_empty=sum(docset.agreed.n_empty for docset in of_text.values())
        + sum(found.own.n_empty for docset in compared for found in docset.found.values()),
        coders=tuple(against),
        groups=tuple(of_groups),
        agreement=AgreementBesideGold.of(compute_interval(selected, parameters, texts))
        if texts
        else AgreementBesideGold.missing("no coder has a docset with an agreed pyramid"),
        docsets=tuple(docsets),
        periods=tuple(_periods(compared, read_project_work(project, answers).activities, called)),
        n_drafted=n_drafted,
        methods=Counter(docset.about.method for docset in of_text.values()),
        docsets_left_out={why: left_out[why] for why in data.REASONS_DOCSET_LEFT_OUT} if not reader.codes else {},
        codings_left_out=count_left_out(selected, parameters),
        n_by_authors=n_by_authors,
        scus=tuple(_list_agreed_scus(compared)),
        differences={called[name]: [item for text in compared for item in text.differences(name)] for name in coders},
    )


@dataclass(frozen=True, eq=False)
class _Compared:
    """A document, with its agreed pyramid and the comparison of each coder's pyramid."""

    text: Document
    about: data.AgreedPyramid
    agreed: PyramidByWords
    found: Mapping[str, PyramidComparison]

    def differences(self, coder: str) -> Iterator[LocatedDifference]:
        """Yield the coder's differences from the agreed pyramid."""
        if coder in self.found:
            agreed, own = self.agreed.annotation.labels, self.found[coder].own.annotation.labels
            for item in self.found[coder].differences:
                yield LocatedDifference(self.text, item, agreed.get(item.agreed, ""), own.get(item.own, ""))


def _compare_documents(
    answers: ProjectAnswers,
    parameters: Parameters,
    agreed_of: Mapping[int, data.AgreedPyramid],
    pyramids: Mapping[int, data.PyramidAnnotation],
    reader: Reader,
    progress: Progress | None,
) -> tuple[list[_Compared], int]:
    """Return the compared documents, and the number of pyramids left out because their coder made the agreed one."""
    compared, by_words, n_by_authors = list[_Compared](), dict[int, PyramidByWords](), 0
    words = data.read_word_spans([text for text, about in agreed_of.items() if not about.reason])
    texts = pick_texts(answers, parameters)
    for text, rows in reported(list(zip(texts, answers.rows_by_text(texts), strict=True)), progress):
        about = agreed_of.get(text.text_pk)
        if about is None or about.reason or not reader.may_read(text):
            continue
        n_by_authors += sum(coder in about.authors for coder, _ in rows)
        # codings deleted since the answers were read have no pyramid
        own = {coder: pyramids[coding] for coder, coding in rows if coder not in about.authors and coding in pyramids}
        if own and about.coding in pyramids:
            spans = [*words[text.text_pk].values()]
            if text.text_pk not in by_words:
                by_words[text.text_pk] = PyramidByWords(pyramids[about.coding], spans)
            agreed = by_words[text.text_pk]
            found = {coder: compare_pyramids(agreed, PyramidByWords(pyramid, spans)) for coder, pyramid in own.items()}
            compared.append(_Compared(text, about, agreed, found))
    return compared, n_by_authors


def _against_agreed(name: str, coders: Sequence[str], compared: Sequence[_Compared]) -> AgainstAgreed:
    several = [found for text in compared if (found := [text.found[coder] for coder in coders if coder in text.found])]
    counts = np.array([MatchCounts.total(pair.counts for pair in found) for found in several], dtype=np.int64)
    agreed, own, matched, identical, *words = counts.reshape(-1, len(MatchCounts._fields)).T
    kinds = Counter(item.kind for found in several for comparison in found for item in comparison.differences)
    return AgainstAgreed(
        name,
        tuple(coders),
        len(several),
        Matching.of_docsets(agreed, own, matched),
        Matching.of_docsets(*words),
        int(identical.sum()),
        sum(text.about.drafted_from in text.found and text.about.drafted_from in coders for text in compared),
        {kind: kinds[kind] for kind in KINDS},
    )


def _periods(
    compared: Sequence[_Compared], work: Mapping[tuple[int, str], Activity], called: Mapping[str, str]
) -> Iterator[AgreedPeriod]:
    of_text = {docset.text.pk: docset for docset in compared}
    for texts in split_by_time([docset.text for docset in compared], work):
        figures = []
        for coder, name in called.items():
            found = [of_text[text.pk].found for text in texts]
            total = MatchCounts.total(own[coder].counts for own in found if coder in own)
            counts = total[:3], total[4:]  # of SCUs, and of words
            f1 = (2 * matched / (agreed + own) if agreed + own else None for agreed, own, matched in counts)
            figures.append(CoderInAgreedPeriod(name, *f1))
        yield AgreedPeriod(len(texts), texts[-1].slug, texts[-1].label, tuple(figures))


def _list_agreed_scus(compared: Sequence[_Compared]) -> list[AgreedScu]:
    """Return the agreed SCUs that some coder misses or fuses, lowest share of matches first, then by coders, weight."""
    scus = []
    for docset in compared:
        kinds = Counter((found.agreed, found.kind) for own in docset.found.values() for found in own.differences)
        for key in docset.agreed.scus:
            missing, fused, n = kinds[key, "missing"], kinds[key, "fused"], len(docset.found)
            if missing or fused:
                own, counts = docset.agreed.annotation, (n, n - missing - fused, missing, fused)
                scus.append(AgreedScu(docset.text, own.labels[key], own.pyramid.weights[key], *counts))
    return sorted(scus, key=lambda scu: (scu.n_matched / scu.n_coders, -scu.n_coders, -scu.weight))


def _fingerprint(extract: ProjectAnswers, compared: Collection[_Compared]) -> str:
    """Return a short digest of these answers and agreed pyramids, whatever the names of coders and texts."""
    pyramids = []
    for docset in compared:
        annotation, parts_of = docset.agreed.annotation, defaultdict[str, list[list[list[int]]]](list)
        for own in annotation.contributors:
            for scu in own.scus:
                parts_of[scu].append([list(part) for part in own.parts])
        agreed = sorted([sorted(parts_of[scu]), label] for scu, label in annotation.labels.items())
        pyramids.append([extract.restrict([docset.text]).fingerprint, agreed])
    about = [extract.fingerprint, sorted(pyramids)]
    return hashlib.sha256(json.dumps(about, ensure_ascii=False).encode()).hexdigest()[:16]
