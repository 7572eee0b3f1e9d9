"""Coders, and groups of them, against the agreed pyramids of docsets, with what coders agree among themselves."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from agreement.data.documents import Document
from agreement.data.groups import Groups, read_groups
from agreement.data.project_answers import ProjectAnswers
from agreement.data.pyramids.agreed_pyramids import REASONS_DOCSET_LEFT_OUT, AgreedPyramid, read_agreed_pyramids
from agreement.data.pyramids.pyramids import EveryPyramid, PyramidAnnotation, read_every_pyramid, read_word_spans
from agreement.measures import Interval, ScoreInterval, share_interval
from agreement.measures.values import Ints
from agreement.reports.coders.timing import read_project_work
from agreement.reports.overall.course import divide_evenly, order_by_time
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

# What intervals are over.
DOCSET = "docset"


@dataclass(frozen=True, slots=True)
class Matching:
    """What of agreed pyramids coders have and the other way round: `matched` of `agreed`, and of `own`.

    recall: matched over agreed. precision: matched over own. f1: twice matched over both. Intervals are over docsets.
    """

    agreed: int
    own: int
    matched: int
    recall: ScoreInterval
    precision: ScoreInterval
    f1: ScoreInterval

    @classmethod
    def of_docsets(cls, agreed: Ints, own: Ints, matched: Ints) -> Matching:
        """Return the figures of what is counted in each docset."""
        recall, precision, f1 = (
            share_interval(found.tolist(), total.tolist(), by=DOCSET)
            for found, total in ((matched, agreed), (matched, own), (2 * matched, agreed + own))
        )
        return cls(int(agreed.sum()), int(own.sum()), int(matched.sum()), recall, precision, f1)

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that the API and the command give."""
        figures = {
            name: {end: getattr(getattr(self, name), end) for end in ("value", "low", "high", "note")}
            for name in ("recall", "precision", "f1")
        }
        return {"agreed": self.agreed, "own": self.own, "matched": self.matched, **figures}


@dataclass(frozen=True, slots=True)
class AgainstAgreed:
    """One coder, or a group of them pooled, against the agreed pyramids of the docsets that they have submitted.

    `words` are counted once for each SCU that they are in; those that match are in both of two SCUs that match.
    `n_identical` of the matched SCUs have the same words. Of `n_drafted` docsets the agreed pyramid was drafted from
    theirs alone.
    """

    name: str
    coders: tuple[str, ...]
    n_docsets: int
    scus: Matching
    words: Matching
    n_identical: int
    n_drafted: int
    differences: Mapping[str, int]

    def as_dict(self, *, in_full: bool) -> dict[str, Any]:
        """Return the fields that the API and the command give."""
        return {
            "name": self.name,
            "n_docsets": self.n_docsets,
            "scus": self.scus.as_dict(),
            "words": self.words.as_dict(),
            "n_identical": self.n_identical,
            "n_drafted": self.n_drafted if in_full else None,
            "differences": dict(self.differences),
        }


@dataclass(frozen=True, slots=True)
class DocsetAgainstAgreed:
    """The pyramids of coders beside the agreed one in one document: what is counted, by coder."""

    text: Document
    n_scus: int
    coders: Mapping[str, MatchCounts]

    def f1(self, coder: str) -> float | None:
        """Return the F1 of the SCUs of a coder; None where the coder has no pyramid here."""
        counts = self.coders.get(coder)
        return 2 * counts.matched / (counts.agreed + counts.own) if counts else None

    @property
    def mean_f1(self) -> float:
        """The mean of the F1 of its coders."""
        values = [value for coder in self.coders if (value := self.f1(coder)) is not None]
        return sum(values) / len(values)


@dataclass(frozen=True, slots=True)
class PyramidPeriod:
    """Some docsets of about one time: the F1 of each coder in them, of SCUs and of words."""

    n_docsets: int
    last: Document
    scus: Mapping[str, float | None]
    words: Mapping[str, float | None]


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
    """Every coder with a pyramid of a docset whose agreed pyramid is submitted against that.

    `n_scus` are those of the agreed pyramids, and `n_empty` SCUs of these and of coders have no words: they are in no
    figure. `scus` are those of the agreed pyramids that some coder lacks. `differences` are by coder.
    `docsets_left_out` are by reason. `n_by_authors` pyramids are of who made the agreed one. `methods` has the drafts
    of the agreed pyramids, by method.
    """

    parameters: Parameters
    fingerprint: str
    n_scus: int
    n_empty: int
    coders: tuple[AgainstAgreed, ...]
    groups: tuple[AgainstAgreed, ...]
    agreement: Interval | None
    docsets: tuple[DocsetAgainstAgreed, ...]
    periods: tuple[PyramidPeriod, ...]
    scus: tuple[AgreedScu, ...]
    differences: Mapping[str, Sequence[LocatedDifference]]
    docsets_left_out: Mapping[str, int]
    codings_left_out: Mapping[str, int]
    n_by_authors: int
    methods: Mapping[str, int]

    @property
    def n_drafted(self) -> int:
        """Of how many docsets the agreed pyramid was drafted from that of one coder who is compared."""
        return sum(one.n_drafted for one in self.coders)

    def as_dict(self, called: Mapping[str, str], *, in_full: bool = True, names: bool = True) -> dict[str, Any]:
        """Return the fields that the API and the command give; coders are named as they are `called`.

        in_full: also groups, and docsets that are not compared, of which coders are not told. names: the reader sees
        whose pyramid was a draft; beside letters it would tell whose they are.
        """
        one = self.agreement
        return {
            "parameters": self.parameters.query(),
            "fingerprint": self.fingerprint,
            "n_docsets": len(self.docsets),
            "n_scus": self.n_scus,
            "n_empty": self.n_empty,
            "coders": [coder.as_dict(in_full=names) | {"name": called[coder.name]} for coder in self.coders],
            "groups": [group.as_dict(in_full=names) for group in self.groups] if in_full else [],
            "agreement": {
                "value": one.value if one else None,
                "low": one.low if one else None,
                "high": one.high if one else None,
                "n_units": one.result.n_units if one else 0,
                "note": (one.note or one.result.note) if one else "no coder has a docset with an agreed pyramid",
            },
            "docsets": [
                {
                    "docset": docset.text.slug,
                    "round": docset.text.round,
                    "n_scus": docset.n_scus,
                    "coders": [
                        {
                            "name": called[name],
                            "own": counts.own,
                            "matched": counts.matched,
                            "identical": counts.identical,
                            "f1": docset.f1(name),
                        }
                        for name, counts in docset.coders.items()
                    ],
                }
                for docset in self.docsets
            ],
            "periods": [
                {
                    "n_docsets": period.n_docsets,
                    "last": period.last.slug,
                    "coders": [
                        {"name": called[name], "scus_f1": period.scus[name], "words_f1": period.words[name]}
                        for name in period.scus
                    ],
                }
                for period in self.periods
            ],
            "n_drafted": self.n_drafted,
            "methods": dict(self.methods),
            "docsets_left_out": {one: self.docsets_left_out.get(one, 0) for one in REASONS_DOCSET_LEFT_OUT}
            if in_full
            else {},
            "codings_left_out": dict(self.codings_left_out),
            "n_by_authors": self.n_by_authors,
        }


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
    docsets = tuple(
        DocsetAgainstAgreed(one.text, len(one.agreed.scus), {name: own.counts for name, own in one.found.items()})
        for one in compared
    )
    differences = {coder: list(_differences_of(coder, compared)) for coder in coders}
    return AgreedReport(
        parameters=parameters,
        fingerprint=_fingerprint(selected.restrict(texts), of_text.values()),
        n_scus=sum(len(one.agreed.scus) for one in of_text.values()),
        n_empty=sum(one.agreed.n_empty for one in of_text.values())
        + sum(own.n_empty for one in compared for own in one.own.values()),
        coders=tuple(_against_agreed(coder, [coder], compared, differences) for coder in coders),
        groups=tuple(_against_agreed(name, one, compared, differences) for name, one in groups.items() if one),
        agreement=compute_interval(selected, parameters, texts) if texts else None,
        docsets=docsets,
        periods=tuple(_periods(docsets, coders, source.work)),
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


def _periods(
    docsets: Sequence[DocsetAgainstAgreed], coders: Sequence[str], work: Mapping[tuple[int, str], Activity]
) -> Iterator[PyramidPeriod]:
    of_text = {one.text.pk: one for one in docsets}
    ordered = order_by_time([one.text for one in docsets], work)
    before = 0
    for size in divide_evenly(len(ordered)):
        texts, before = ordered[before:size], size
        in_period = [of_text[text.pk].coders for text in texts]
        counts = {coder: [one[coder] for one in in_period if coder in one] for coder in coders}
        yield PyramidPeriod(
            len(texts),
            texts[-1],
            {coder: _f1([(one.matched, one.agreed + one.own) for one in own]) for coder, own in counts.items()},
            {
                coder: _f1([(one.matched_words, one.agreed_words + one.own_words) for one in own])
                for coder, own in counts.items()
            },
        )


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
