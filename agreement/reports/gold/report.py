"""Coders, groups of them and imported systems against gold, with intervals, and what coders agree among themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import compress
from typing import Annotated

import numpy as np

from agreement.data.documents import Document
from agreement.data.gold import GOLD, REASONS_GOLD_LEFT_OUT
from agreement.data.groups import Groups, read_groups
from agreement.data.project_answers import ProjectAnswers
from agreement.data.question import Question
from agreement.data.texts.muc import marked_texts_reader, read_markings
from agreement.measures import ReliabilityData, share_interval
from agreement.measures.coreference.scores import TextCounts, count_texts
from agreement.measures.data.subsets import select_coders, select_units
from agreement.measures.values import Bools, Ints
from agreement.reports.coders.coders import count_confused, gives_names
from agreement.reports.coders.profiles import read_project_work
from agreement.reports.fields import AgreementBesideGold, Flat, PageOnly, copy_fields
from agreement.reports.gold.errors import ChainErrors, Difference, ErrorKind
from agreement.reports.gold.readers import rename, rename_each, split_by_time
from agreement.reports.links.coreference import (
    SCORES,
    Clusters,
    ScoreFigures,
    clusters_in,
    common_texts,
    count_in_several,
    figures_of,
    find_clusters,
    overall_figures,
    pair_clusters,
)
from agreement.reports.request.basis import (
    cached,
    compute_interval,
    mostly_labelled,
    names_of,
    pick_texts,
    select_categories,
    select_data,
)
from agreement.reports.request.parameters import Parameters
from agreement.reports.request.request import read_with_gold
from agreement.reports.request.resolution import resolve
from annotations.coding.active_time import Activity
from annotations.core.processes.progress import Progress
from annotations.models import Project

TREND_SCORE = "conll_average"


@dataclass(frozen=True, slots=True)
class Share:
    """A share of items with its interval over texts."""

    found: int
    total: int
    value: float | None
    low: Annotated[float | None, "of the 95% interval, over texts"]
    high: float | None
    note: Annotated[str, "Why there is no interval."]

    @classmethod
    def of_documents(cls, found: Ints, total: Ints, text: Ints) -> Share:
        """Return the share of what is counted in each document, each of the text with that number."""
        one = share_interval(*(np.bincount(text, counts).astype(np.int64).tolist() for counts in (found, total)))
        return copy_fields(cls, one, found=int(found.sum()), total=int(total.sum()))


@dataclass(frozen=True, slots=True)
class NamedShare:
    """The share of a coder."""

    name: Annotated[str, "of the coder, or a letter"]
    share: Flat[Share]


@dataclass(frozen=True, slots=True)
class AgainstGold:
    """A coder, or a group of them pooled, against gold, which is the key of the scores."""

    name: Annotated[str, "of the coder or group; a letter for who does not see names"]
    coders: PageOnly[tuple[str, ...]]
    n_texts: int
    accuracy: Annotated[Share, "of the items that both answered, those with the answer of gold"]
    missed: Annotated[int, "items that gold alone answers, in texts that the coder has coded"]
    extra: Annotated[int, "items that the coder alone answers"]
    overruled: Annotated[Share, "of the contested items, those in which gold has another value"]
    scores: Annotated[Mapping[str, ScoreFigures], "by name; none where coders make no chains"]

    @property
    def trend_score(self) -> ScoreFigures:
        """The score that is followed over time."""
        return self.scores[TREND_SCORE]


@dataclass(frozen=True, slots=True)
class CoderInPeriod:
    """A coder in some texts of about one time."""

    name: str
    accuracy: float | None
    conll_f1: float | None


@dataclass(frozen=True, slots=True)
class GoldPeriod:
    """Some texts of about one time: the accuracy of each coder in them, and the F1 of `TREND_SCORE`."""

    n_texts: int
    last: Annotated[str, "address of the text that was worked on last of them"]
    label: PageOnly[str]
    coders: tuple[CoderInPeriod, ...]


@dataclass(frozen=True, slots=True)
class QuestionAccuracy:
    """The accuracy of each coder in the answers to a question besides the category."""

    question: Annotated[str, "key of an attribute or relation"]
    label: PageOnly[str]
    coders: tuple[NamedShare, ...]


@dataclass(frozen=True, slots=True)
class GoldReport:
    """Coders against gold."""

    parameters: Parameters
    fingerprint: Annotated[str, "Equal for equal answers and gold."]
    n_texts: int
    n_items: Annotated[int, "that gold answers"]
    n_contested: Annotated[int, "items in which not all coders have the same value, whether or not gold answers them"]
    matched_by_muc6: bool
    n_in_several: Annotated[int, "mentions with several indices or readings, each of which is scored by one"]
    coders: tuple[AgainstGold, ...]
    groups: tuple[AgainstGold, ...]
    questions: tuple[QuestionAccuracy, ...]
    agreement: Annotated[AgreementBesideGold, "of the coders, without gold, in the same texts"]
    periods: tuple[GoldPeriod, ...]
    gold_left_out: Annotated[Mapping[str, int], "texts, by reason"]
    codings_left_out: Annotated[Mapping[str, int], "by reason"]
    # How often an answer of gold (rows) meets one of each coder, in the order of `names`.
    names: PageOnly[tuple[str, ...]]
    confusion: PageOnly[Mapping[str, Ints]]
    differences: PageOnly[Mapping[str, Sequence[Difference]]]
    has_chains: PageOnly[bool]

    def total_confusion(self, coder: str = "") -> Ints:
        """Return the confusion of one coder, or of all together."""
        chosen = [one for name, one in self.confusion.items() if coder in ("", name)]
        return sum(chosen, start=np.zeros((len(self.names),) * 2, dtype=np.int64))

    def for_reader(self, called: Mapping[str, str], *, in_full: bool) -> GoldReport:
        """Return the report with coders named as they are `called`.

        in_full: also groups, and gold that does not count, of which coders are not told.
        """
        return replace(
            self,
            coders=rename(self.coders, called),
            groups=self.groups if in_full else (),
            questions=rename_each(self.questions, called),
            periods=rename_each(self.periods, called),
            gold_left_out={one: self.gold_left_out.get(one, 0) for one in REASONS_GOLD_LEFT_OUT} if in_full else {},
            confusion={called[name]: counts for name, counts in self.confusion.items()},
            differences={called[name]: found for name, found in self.differences.items()},
        )


@dataclass(frozen=True, slots=True)
class GoldSource:
    """What is compared: the answers of coders, the same with gold, and what else is read for it.

    `answers` and `with_gold` are of the whole project. `read_question` returns the answers to a question, with gold.
    `documents` are those that the reader may read of; None for all.
    """

    project: Project
    answers: ProjectAnswers
    with_gold: ProjectAnswers
    read_question: Callable[[str], ProjectAnswers]
    groups: Groups = field(default_factory=dict)
    work: Mapping[tuple[int, str], Activity] = field(default_factory=dict)
    documents: frozenset[int] | None = None


def read_gold_source(
    project: Project,
    answers: ProjectAnswers,
    parameters: Parameters,
    with_gold: ProjectAnswers | None = None,
    documents: frozenset[int] | None = None,
) -> GoldSource:
    """Return what the answers of a project to the question of the parameters are compared with, and by what.

    with_gold: where it is read already. documents: those that the reader may read of; None for all.
    """
    if with_gold is None:
        with_gold = read_with_gold(project, answers, parameters)
    read_question = partial(read_with_gold, project, answers, parameters)
    work = read_project_work(project, answers).activities
    return GoldSource(project, answers, with_gold, read_question, read_groups(project), work, documents)


def compare_with_gold(
    source: GoldSource, parameters: Parameters, progress: Progress | None = None, *, details: bool = True
) -> GoldReport:
    """Return every coder that the parameters choose against gold. Raises InvalidParameter.

    The selections are those of every page; the values that are contested are those that the parameters compare.
    details: also scores of chains, errors and further questions, which take long.
    """
    selected, parameters = resolve(source.answers, parameters)
    units = _Comparison.of(source.with_gold, parameters, source.documents)
    whole, texts, coders = units.extract, units.texts, units.coders

    def compute() -> GoldReport:
        chains = _score_chains(source.project, units, progress) if details and whole.has_chains else None
        compared = replace(units, chains=chains)
        of_texts = {text.pk for text in texts}
        agreed = [text for text in pick_texts(selected, parameters) if text.pk in of_texts]
        # of words that coders write, what is in texts that are not read of would be among the values
        data = compared.categories
        labels = [data.labels[code] for code in np.unique(data.codes[data.codes >= 0]).tolist()]
        used = {name for label in labels for name in names_of(label)}
        names = tuple(one for one in whole.countable if not whole.question or one in used)
        given = [gives_names(data.labels, names)[codes] for codes in data.codes.T]
        each = np.ones(len(data.units), dtype=np.int64)
        groups = {name: [one for one in of_group if one in coders] for name, of_group in source.groups.items()}
        questions = whole.questions if details and not whole.question else ()
        return GoldReport(
            parameters=parameters,
            fingerprint=whole.restrict(texts).fingerprint,
            n_texts=len({text.text_pk for text in texts}),
            n_items=int((compared.gold >= 0).sum()),
            n_contested=int(compared.contested.sum()),
            coders=tuple(compared.against_gold(coder, [coder]) for coder in coders),
            groups=tuple(compared.against_gold(name, one) for name, one in groups.items() if one),
            questions=tuple(_measure_question(source, parameters, one) for one in questions),
            agreement=AgreementBesideGold.of(compute_interval(selected, parameters, agreed))
            if agreed
            else AgreementBesideGold.missing("no coder has coded a text with gold"),
            periods=tuple(compared.periods(source.work)),
            names=names,
            confusion={one: count_confused(given[-1], own, each) for one, own in zip(coders, given[:-1], strict=True)},
            differences={coder: list(compared.differences(coder)) for coder in coders if details},
            gold_left_out=whole.gold_left_out,
            codings_left_out=selected.count_left_out(parameters.selection("texts"), parameters.selection("rounds")),
            matched_by_muc6=chains is not None and chains.matched_by_muc6,
            n_in_several=count_in_several(whole, texts, (*coders, GOLD)) if chains else 0,
            has_chains=chains is not None,
        )

    key = ("gold", parameters, tuple(source.groups.items()), source.documents, selected.state, details)
    return cached(whole, key, compute)


@dataclass(frozen=True, slots=True)
class _Chains:
    """The chains of gold and coders, and what each text adds to each score of each coder."""

    clusters: Mapping[str, Clusters]
    counts: Mapping[str, Mapping[str, TextCounts]]
    matched_by_muc6: bool


@dataclass(frozen=True)
class _Comparison:
    """The answers of coders and gold on the same units: the last column is that of gold.

    `document` is of each unit the place of its text, and `values` are what the parameters compare.
    """

    extract: ProjectAnswers
    texts: tuple[Document, ...]
    coders: tuple[str, ...]
    categories: ReliabilityData
    values: ReliabilityData
    document: Ints
    chains: _Chains | None = None

    @classmethod
    def of(cls, with_gold: ProjectAnswers, parameters: Parameters, documents: frozenset[int] | None) -> _Comparison:
        """Return the units of the chosen texts; what most coders give a category that is left out is none."""
        # who has coded no text with gold is not known here, nor are texts without it
        chosen = [one for one in parameters.coders.split(",") if one in with_gold.known_coders]
        own = replace(
            parameters,
            coefficient="alpha",  # another one may be of two coders, and gold would be a third
            distance="nominal",
            coders=",".join([*chosen, GOLD]) if parameters.coders else "",
            texts="",
            rounds="",
            without="",
            question=with_gold.question.key if with_gold.question else "",
        )
        selected, own = resolve(with_gold, own)
        own = replace(own, texts=parameters.texts, rounds=parameters.rounds)
        # of these gold and somebody else have answered something
        both = selected.has_answered.sum(axis=1) > 1
        both &= selected.has_answered[:, selected.coders.index(GOLD)] if GOLD in selected.coders else False
        texts = tuple(
            text
            for text in pick_texts(selected, own)
            if both[selected.places[text.pk]] and (documents is None or text.pk in documents)
        )
        answered = selected.has_answered[selected.find_places(texts)].any(axis=0)
        coders = tuple(coder for coder in compress(selected.coders, answered.tolist()) if coder != GOLD)
        columns = [selected.coders.index(one) for one in (*coders, *([GOLD] if coders else []))]
        values = select_coders(select_data(selected, own, texts), columns)
        categories = select_coders(select_categories(selected, own, texts), columns)
        if parameters.without and coders:
            of_coders = select_coders(categories, list(range(len(coders))))
            kept = ~mostly_labelled(of_coders, parameters.selection("without"))
            values, categories = select_units(values, kept), select_units(categories, kept)
        place = {text.pk: number for number, text in enumerate(texts)}
        numbers = np.array([place[int(str(one))] for one in categories.documents], dtype=np.int64)
        return cls(selected, texts, coders, categories, values, numbers[categories.document_of_unit])

    @cached_property
    def answers(self) -> Ints:
        """What is equal or not where answers are compared: of a relation its targets, else the category."""
        return self.values.codes if self.extract.kind == "targets" else self.categories.codes

    @cached_property
    def gold(self) -> Ints:
        """What gold answers, -1 where nothing."""
        return self.answers[:, -1] if self.coders else np.zeros(0, dtype=np.int64)

    @cached_property
    def contested(self) -> Bools:
        """Which units have different values of coders."""
        codes = self.values.codes[:, : len(self.coders)]
        given = codes >= 0
        lowest = np.where(given, codes, np.iinfo(np.int64).max).min(axis=1, initial=np.iinfo(np.int64).max)
        differs: Bools = (given & (codes != lowest[:, np.newaxis])).any(axis=1)
        return differs

    @cached_property
    def number_of_text(self) -> Ints:
        """The number of the text that each document is of."""
        numbers: Ints = np.unique([document.text_pk for document in self.texts], return_inverse=True)[1]
        return numbers

    def has_work(self, coder: str) -> Bools:
        """Return in which of the texts a coder has a coding that counts."""
        places, column = self.extract.find_places(self.texts), self.extract.coders.index(coder)
        has_work: Bools = self.extract.has_answered[places, column]
        return has_work

    @cached_property
    def counts(self) -> dict[str, dict[str, Ints]]:
        """What is counted of each coder in each document, by name."""
        return {coder: self._count(column, self.has_work(coder)) for column, coder in enumerate(self.coders)}

    def _count(self, column: int, work: Bools) -> dict[str, Ints]:
        answer, value, of_gold = self.answers[:, column], self.values.codes[:, column], self.values.codes[:, -1]
        here, both = work[self.document], (answer >= 0) & (self.gold >= 0)
        contested = self.contested & (value >= 0) & (of_gold >= 0)
        units = {
            "answered": both,
            "equal": both & (answer == self.gold),
            "missed": here & (self.gold >= 0) & (answer < 0),
            "extra": here & (self.gold < 0) & (answer >= 0),
            "contested": contested,
            "overruled": contested & (value != of_gold),
        }
        counts = {name: np.bincount(self.document[of], minlength=len(self.texts)) for name, of in units.items()}
        return {"work": work.astype(np.int64), **counts}

    def share(self, found: Ints, total: Ints) -> Share:
        """Return the share of what is counted in each document."""
        return Share.of_documents(found, total, self.number_of_text)

    def against_gold(self, name: str, coders: Sequence[str]) -> AgainstGold:
        """Return the figures of some coders together."""
        counts = [self.counts[coder] for coder in coders]
        total = {part: np.sum([of_coder[part] for of_coder in counts], axis=0) for part in counts[0]}
        scores, scored = {}, [self.chains.counts[coder] for coder in coders] if self.chains else []
        for score in SCORES if scored else ():
            parts = [of_coder[score] for of_coder in scored]
            texts = [text for part in parts for text in part.texts]
            pooled = TextCounts(texts, np.concatenate([part.counts for part in parts]), parts[0].finish)
            scores[score] = overall_figures(pooled)
        return AgainstGold(
            name,
            tuple(coders),
            len(np.unique(self.number_of_text[total["work"] > 0])),
            self.share(total["equal"], total["answered"]),
            int(total["missed"].sum()),
            int(total["extra"].sum()),
            self.share(total["overruled"], total["contested"]),
            scores,
        )

    def periods(self, work: Mapping[tuple[int, str], Activity]) -> Iterator[GoldPeriod]:
        """Yield the figures of each coder over time."""
        place = {text.pk: number for number, text in enumerate(self.texts)}
        for texts in split_by_time(self.texts, work):
            numbers, coders = [place[text.pk] for text in texts], []
            keys = {text.pk for text in texts}
            for coder, counts in self.counts.items():
                total, equal = (int(counts[part][numbers].sum()) for part in ("answered", "equal"))
                f1 = None
                if self.chains:
                    scored = self.chains.counts[coder][TREND_SCORE]
                    rows = [number for number, text in enumerate(scored.texts) if text in keys]
                    f1 = figures_of(scored, scored.counts[rows].sum(axis=0)).f1
                coders.append(CoderInPeriod(coder, equal / total if total else None, f1))
            last = texts[-1]
            yield GoldPeriod(len({text.text_pk for text in texts}), last.slug, last.label, tuple(coders))

    def differences(self, coder: str) -> Iterator[Difference]:
        """Yield where a coder differs from gold, in the order of the data; in chains where the category is the same."""
        data, has_work = self.categories, self.has_work(coder)[self.document]
        gold, answer = data.codes[:, -1], data.codes[:, self.coders.index(coder)]
        clusters = self.chains.clusters if self.chains else {}
        errors = ChainErrors(*(clusters_in(clusters, one, self.texts) for one in (GOLD, coder)))
        differs = has_work & (gold != answer)
        for row in np.flatnonzero(differs | (has_work & (gold >= 0)) if self.chains else differs).tolist():
            text, unit, codes = self.texts[self.document[row]], int(str(data.units[row])), (gold[row], answer[row])
            if differs[row]:
                kind = "extra" if codes[0] < 0 else "missed" if codes[1] < 0 else "category"
            else:
                kind = errors.kind_of(text.pk, unit)
            if kind:
                names = ("" if code < 0 else self.extract.describe(data.labels[code]) for code in codes)
                yield Difference(text, unit, ErrorKind(kind, *names))


def _score_chains(project: Project, compared: _Comparison, progress: Progress | None) -> _Chains:
    answers, texts, coders = compared.extract, compared.texts, compared.coders
    clusters = find_clusters(answers, texts) if coders else {}
    muc6 = read_markings(answers, texts, (GOLD, *coders)) if coders and marked_texts_reader(project) else None
    counts: dict[str, dict[str, TextCounts]] = {}
    for done, coder in enumerate(coders):
        if progress:
            progress(done, len(coders))
        common = common_texts(answers, texts, GOLD, coder)
        key, response = pair_clusters(answers, clusters, common, GOLD, coder, muc6.of_pair if muc6 else None)
        counts[coder] = {name: count_texts(score, key, response) for name, score in SCORES.items()}
    return _Chains(clusters, counts, bool(muc6))


def _measure_question(source: GoldSource, parameters: Parameters, question: Question) -> QuestionAccuracy:
    """Return the accuracy of the same coders in the same texts, in the answers to another question."""
    answers = source.read_question(question.key)
    own = replace(parameters, unmarked="missing", chains="none" if question.kind == "targets" else "full", without="")
    compared = _Comparison.of(answers, own, source.documents)
    shares = [NamedShare(name, compared.share(of["equal"], of["answered"])) for name, of in compared.counts.items()]
    return QuestionAccuracy(question.key, question.label, tuple(shares))
