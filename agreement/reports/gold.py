"""Comparison of coders, groups and imported systems with gold, with intervals, and the agreement among coders."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress, pairwise
from typing import Annotated, Any, Self

import numpy as np

from agreement.data.coders import GOLD, REASONS_GOLD_LEFT_OUT, read_groups
from agreement.data.documents import Document
from agreement.data.project_answers import ProjectAnswers
from agreement.data.texts import matches_by_muc6, read_markings
from agreement.measures import ReliabilityData, share_interval
from agreement.measures.coreference.scores import TextCounts, count_texts
from agreement.measures.data.subsets import select_coders, select_units
from agreement.measures.values import Bools, Ints
from agreement.reports import basis, coreference
from agreement.reports.coders.coders import count_confused, gives_names
from agreement.reports.coders.profiles import divide_evenly, order_by_time, read_project_work
from agreement.reports.coreference import SCORES, Clusters, ScoreFigures, clusters_in, find_clusters
from agreement.reports.fields import AgreementBesideGold, Flat, PageOnly, copy_fields
from agreement.reports.parameters import Parameters
from agreement.reports.request import read_with_gold, resolve
from agreement.reports.wording import LABELS
from annotations.coding.active_time import Activity
from annotations.core.processes.progress import Progress, reported
from annotations.models import Project

TREND_SCORE = "conll_average"
KINDS = LABELS["gold_errors"]


@dataclass(frozen=True, slots=True)
class Difference:
    """A unit in which a coder differs from gold: a kind, one of KINDS, and both answers, empty if missing."""

    text: Document
    unit: int
    kind: str
    gold: str
    answer: str


class ChainErrors:
    """The errors in a coder's chains compared with gold, from the sizes of chains and of their intersections."""

    def __init__(self, gold: Clusters, answer: Clusters) -> None:
        self.gold, self.answer = _number_chains(gold), _number_chains(answer)
        self.sizes = [Counter(side.values()) for side in (self.gold, self.answer)]
        self.shared = Counter((chain, self.answer[unit]) for unit, chain in self.gold.items() if unit in self.answer)

    def kind_of(self, text: int, unit: int) -> str:
        """Return the kind of error in a unit's chains; empty if they are equal or missing. Singletons are no chains."""
        first, second = self.gold.get((text, unit)), self.answer.get((text, unit))
        n_first, n_second = self.sizes[0][first] if first else 0, self.sizes[1][second] if second else 0
        if first is None or second is None or n_first < 2 or n_second < 2:
            return "" if n_first < 2 and n_second < 2 else "alone" if n_second < 2 else "chain"
        shared = self.shared[first, second]
        if shared == n_first:
            return "" if shared == n_second else "merged"
        return "split" if shared == n_second else "mixed"


def _number_chains(clusters: Clusters) -> dict[tuple[Hashable, Hashable], tuple[Hashable, int]]:
    return {
        (text, unit): (text, number)
        for text, chains in clusters.items()
        for number, chain in enumerate(chains)
        for unit in chain
    }


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader of comparisons: managers see all names, other readers see letters and their own name."""

    sees_names: bool = True
    name: str = ""
    codes: bool = False  # a coder: sees only figures of others, in the coder's own documents
    called: Mapping[str, str] = field(default_factory=dict)  # the displayed names of coders, if names are hidden
    documents: frozenset[int] | None = None  # the reader's own; None for all

    def may_read(self, text: Document) -> bool:
        """Return whether the reader may see comparisons in the document."""
        return self.documents is None or text.pk in self.documents


MANAGER = Reader()


def split_by_time(texts: Sequence[Document], work: Mapping[tuple[int, str], Activity]) -> list[tuple[Document, ...]]:
    """Return the texts in order of completion, in periods of about equal size."""
    ordered = order_by_time(texts, work)
    return [ordered[start:end] for start, end in pairwise([0, *divide_evenly(len(ordered))])]


@dataclass(frozen=True, slots=True)
class Frequent[D]:
    """A kind of difference from gold: its frequency, its number of coders, an example and all differences."""

    number: int
    n_coders: int
    example: D
    differences: Sequence[D]


def count_alike[D](differences: Mapping[str, Sequence[D]], key: Callable[[D], Any]) -> list[Frequent[D]]:
    """Return the differences of coders grouped by kind, the most frequent kind first, ties by the key of the kind."""
    alike, coders = defaultdict[Any, list[D]](list), defaultdict[Any, set[str]](set)
    for coder, of_coder in differences.items():
        for difference in of_coder:
            alike[key(difference)].append(difference)
            coders[key(difference)].add(coder)
    kinds = sorted(alike, key=lambda kind: (-len(alike[kind]), kind))
    return [Frequent(len(alike[kind]), len(coders[kind]), alike[kind][0], alike[kind]) for kind in kinds]


@dataclass(frozen=True, slots=True)
class Share:
    """A share of items with its interval over texts."""

    found: int
    total: int
    value: float | None
    low: Annotated[float | None, "of the 95% interval, over texts"]
    high: float | None
    note: Annotated[str, "Why there is no interval."]


@dataclass(frozen=True, slots=True)
class NamedShare:
    """The share of a coder."""

    name: Annotated[str, "of the coder, or a letter"]
    share: Flat[Share]


@dataclass(frozen=True, slots=True)
class AgainstGold:
    """A coder, or a pooled group of coders, against gold, which is the key of the scores."""

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
    """The figures of a coder in the texts of a period."""

    name: str
    accuracy: float | None
    conll_f1: float | None


@dataclass(frozen=True, slots=True)
class GoldPeriod:
    """A period of consecutively finished texts: the accuracy of each coder, and the F1 of `TREND_SCORE`."""

    n_texts: int
    last: Annotated[str, "address of the text that was worked on last of them"]
    label: PageOnly[str]
    coders: tuple[CoderInPeriod, ...]


@dataclass(frozen=True, slots=True)
class QuestionAccuracy:
    """The accuracy of each coder in the answers to a question other than the category."""

    question: Annotated[str, "key of an attribute or relation"]
    label: PageOnly[str]
    coders: tuple[NamedShare, ...]


@dataclass(frozen=True, slots=True)
class GoldReport:
    """The comparison of coders with gold."""

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
    # Counts of gold's answers (rows) against each coder's answers (columns), in the order of `names`.
    names: PageOnly[tuple[str, ...]]
    confusion: PageOnly[Mapping[str, Ints]]
    differences: PageOnly[Mapping[str, Sequence[Difference]]]
    has_chains: PageOnly[bool]


def compare_with_gold(
    project: Project,
    answers: ProjectAnswers,
    with_gold: ProjectAnswers,
    parameters: Parameters,
    reader: Reader = MANAGER,
    progress: Progress | None = None,
    *,
    details: bool = True,
) -> GoldReport:
    """Return the comparison of the chosen coders with gold, as the reader may see it. Raises InvalidParameter."""
    # details: the slow parts, which are scores of chains, errors and further questions
    selected, parameters = resolve(answers, parameters)
    compared = _Comparison.of(with_gold, parameters, reader)
    whole, texts, coders = compared.extract, compared.texts, compared.coders
    called = {coder: coder if reader.sees_names else reader.called[coder] for coder in coders}
    if has_chains := details and whole.has_chains:
        compared = _score_chains(project, compared, progress)
    of_texts = {text.pk for text in texts}
    agreed = [text for text in basis.pick_texts(selected, parameters) if text.pk in of_texts]
    # free-text values from texts that the reader may not see must not be listed
    data = compared.categories
    labels = [data.labels[code] for code in np.unique(data.codes[data.codes >= 0]).tolist()]
    used = {name for label in labels for name in basis.names_of(label)}
    names = tuple(name for name in whole.countable if not whole.question or name in used)
    given = [gives_names(data.labels, names)[codes] for codes in data.codes.T]
    ones = np.ones(len(data.units), dtype=np.int64)
    all_groups = {} if reader.codes else read_groups(project)
    groups = {name: [coder for coder in members if coder in coders] for name, members in all_groups.items()}
    shares = []
    for question in whole.questions if details and not whole.question else ():
        chains = "none" if question.kind == "targets" else "full"
        own = replace(parameters, unmarked="missing", chains=chains, without="")
        asked = _Comparison.of(read_with_gold(project, answers, parameters, question.key), own, reader)
        found = (NamedShare(called[name], asked.share(of, "equal", "answered")) for name, of in asked.counts.items())
        shares.append(QuestionAccuracy(question.key, question.label, tuple(found)))
    return GoldReport(
        parameters=parameters,
        fingerprint=whole.restrict(texts).fingerprint,
        n_texts=len({text.text_pk for text in texts}),
        n_items=int((compared.gold >= 0).sum()),
        n_contested=int(compared.contested.sum()),
        coders=tuple(compared.against_gold(called[coder], [coder]) for coder in coders),
        groups=tuple(compared.against_gold(name, members) for name, members in groups.items() if members),
        questions=tuple(shares),
        agreement=AgreementBesideGold.of(basis.compute_interval(selected, parameters, agreed))
        if agreed
        else AgreementBesideGold.missing("no coder has coded a text with gold"),
        periods=tuple(compared.periods(read_project_work(project, answers).activities, called)),
        names=names,
        confusion={
            called[coder]: count_confused(given[-1], own, ones) for coder, own in zip(coders, given[:-1], strict=True)
        },
        differences={called[coder]: list(compared.differences(coder)) for coder in coders if details},
        gold_left_out={} if reader.codes else {why: whole.gold_left_out.get(why, 0) for why in REASONS_GOLD_LEFT_OUT},
        codings_left_out=basis.count_left_out(selected, parameters),
        matched_by_muc6=compared.matched_by_muc6,
        n_in_several=coreference.count_in_several(whole, texts, (*coders, GOLD)) if has_chains else 0,
        has_chains=has_chains,
    )


@dataclass(frozen=True)
class _Comparison:
    """The answers of coders and gold on the same units; the last column is gold."""

    extract: ProjectAnswers
    texts: tuple[Document, ...]
    coders: tuple[str, ...]
    categories: ReliabilityData
    values: ReliabilityData  # the values that the parameters compare
    document: Ints  # the position of each unit's text
    clusters: Mapping[str, Clusters] = field(default_factory=dict)  # the chains of gold and coders
    scores: Mapping[str, Mapping[str, TextCounts]] = field(default_factory=dict)  # the counts of each coder, by score
    matched_by_muc6: bool = False

    @classmethod
    def of(cls, with_gold: ProjectAnswers, parameters: Parameters, reader: Reader) -> Self:
        """Return the comparison in the chosen texts, without units that most coders give a category in `without`."""
        # `with_gold` has no texts without gold, and no coders who coded only such texts
        chosen = [coder for coder in parameters.coders.split(",") if coder in with_gold.known_coders]
        own = replace(
            parameters,
            coefficient="alpha",  # other coefficients may allow only two coders, and gold would be a third
            distance="nominal",
            coders=",".join([*chosen, GOLD]) if parameters.coders else "",
            texts="",
            rounds="",
            without="",
            question=with_gold.question.key if with_gold.question else "",
        )
        selected, own = resolve(with_gold, own)
        own = replace(own, texts=parameters.texts, rounds=parameters.rounds)
        # the texts with answers of both gold and a coder
        both = selected.has_answered.sum(axis=1) > 1
        both &= selected.has_answered[:, selected.coders.index(GOLD)] if GOLD in selected.coders else False
        chosen_texts = (text for text in basis.pick_texts(selected, own) if both[selected.places[text.pk]])
        texts = tuple(text for text in chosen_texts if reader.may_read(text))
        answered = selected.has_answered[selected.find_places(texts)].any(axis=0)
        coders = tuple(coder for coder in compress(selected.coders, answered.tolist()) if coder != GOLD)
        columns = [selected.coders.index(coder) for coder in (*coders, *([GOLD] if coders else []))]
        values = select_coders(basis.select_data(selected, own, texts), columns)
        categories = select_coders(basis.select_categories(selected, own, texts), columns)
        if parameters.without and coders:
            of_coders = select_coders(categories, list(range(len(coders))))
            kept = ~basis.mostly_labelled(of_coders, parameters.selection("without"))
            values, categories = select_units(values, kept), select_units(categories, kept)
        place = {text.pk: number for number, text in enumerate(texts)}
        numbers = np.array([place[int(str(document))] for document in categories.documents], dtype=np.int64)
        return cls(selected, texts, coders, categories, values, numbers[categories.document_of_unit])

    @cached_property
    def answers(self) -> Ints:
        """The codes that are tested for equality: of the targets of a relation, else of the category."""
        return self.values.codes if self.extract.kind == "targets" else self.categories.codes

    @cached_property
    def gold(self) -> Ints:
        return self.answers[:, -1] if self.coders else np.zeros(0, dtype=np.int64)

    @cached_property
    def contested(self) -> Bools:
        codes = self.values.codes[:, : len(self.coders)]
        differs: Bools = ((codes >= 0) & (codes != codes.max(axis=1, initial=-1, keepdims=True))).any(axis=1)
        return differs

    @cached_property
    def number_of_text(self) -> Ints:
        return np.unique([document.text_pk for document in self.texts], return_inverse=True)[1]

    def has_work(self, coder: str) -> Bools:
        places, column = self.extract.find_places(self.texts), self.extract.coders.index(coder)
        has_work: Bools = self.extract.has_answered[places, column]
        return has_work

    @cached_property
    def counts(self) -> dict[str, dict[str, Ints]]:
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

    def share(self, counts: Mapping[str, Ints], found: str, total: str) -> Share:
        """Return the share of the count `found` in the count `total`, with its interval over texts."""
        both = counts[found], counts[total]
        of_texts = (np.bincount(self.number_of_text, weights).astype(np.int64).tolist() for weights in both)
        return copy_fields(Share, share_interval(*of_texts), found=int(both[0].sum()), total=int(both[1].sum()))

    def against_gold(self, name: str, coders: Sequence[str]) -> AgainstGold:
        counts = [self.counts[coder] for coder in coders]
        total = {part: np.sum([of_coder[part] for of_coder in counts], axis=0) for part in counts[0]}
        scores, scored = {}, [self.scores[coder] for coder in coders if self.scores]
        for score in SCORES if scored else ():
            parts = [of_coder[score] for of_coder in scored]
            texts = [text for part in parts for text in part.texts]
            pooled = TextCounts(texts, np.concatenate([part.counts for part in parts]), parts[0].finish)
            scores[score] = coreference.overall_figures(pooled)
        return AgainstGold(
            name,
            tuple(coders),
            len(np.unique(self.number_of_text[total["work"] > 0])),
            self.share(total, "equal", "answered"),
            int(total["missed"].sum()),
            int(total["extra"].sum()),
            self.share(total, "overruled", "contested"),
            scores,
        )

    def periods(self, work: Mapping[tuple[int, str], Activity], called: Mapping[str, str]) -> Iterator[GoldPeriod]:
        place = {text.pk: number for number, text in enumerate(self.texts)}
        for texts in split_by_time(self.texts, work):
            numbers, coders = [place[text.pk] for text in texts], []
            keys = {text.pk for text in texts}
            for coder, counts in self.counts.items():
                total, equal = (int(counts[part][numbers].sum()) for part in ("answered", "equal"))
                f1 = None
                if self.scores:
                    scored = self.scores[coder][TREND_SCORE]
                    rows = [number for number, text in enumerate(scored.texts) if text in keys]
                    f1 = coreference.figures_of(scored, scored.counts[rows].sum(axis=0)).f1
                coders.append(CoderInPeriod(called[coder], equal / total if total else None, f1))
            last = texts[-1]
            yield GoldPeriod(len({text.text_pk for text in texts}), last.slug, last.label, tuple(coders))

    def differences(self, coder: str) -> Iterator[Difference]:
        """Yield a coder's differences from gold, in the order of units; chains are compared if categories are equal."""
        data, has_work = self.categories, self.has_work(coder)[self.document]
        gold, answer = data.codes[:, -1], data.codes[:, self.coders.index(coder)]
        errors = ChainErrors(*(clusters_in(self.clusters, name, self.texts) for name in (GOLD, coder)))
        differs = has_work & (gold != answer)
        for row in np.flatnonzero(differs | (has_work & (gold >= 0)) if self.scores else differs).tolist():
            text, unit, codes = self.texts[self.document[row]], int(str(data.units[row])), (gold[row], answer[row])
            if differs[row]:
                kind = "extra" if codes[0] < 0 else "missed" if codes[1] < 0 else "category"
            else:
                kind = errors.kind_of(text.pk, unit)
            if kind:
                names = ("" if code < 0 else self.extract.describe(data.labels[code]) for code in codes)
                yield Difference(text, unit, kind, *names)


def _score_chains(project: Project, compared: _Comparison, progress: Progress | None) -> _Comparison:
    answers, texts, coders = compared.extract, compared.texts, compared.coders
    clusters = find_clusters(answers, texts) if coders else {}
    muc6 = read_markings(answers, texts, (GOLD, *coders)) if coders and matches_by_muc6(project) else None
    counts: dict[str, dict[str, TextCounts]] = {}
    for coder in reported(coders, progress):
        common = coreference.common_texts(answers, texts, GOLD, coder)
        key, response = coreference.pair_clusters(clusters, common, GOLD, coder, muc6)
        counts[coder] = {name: count_texts(score, key, response) for name, score in SCORES.items()}
    return replace(compared, clusters=clusters, scores=counts, matched_by_muc6=bool(muc6))
