"""Comparison of a model with people: its agreement, the alternative annotator test, and its differences by item."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from agreement.data.documents import Document, original_of
from agreement.data.given_answers import GivenAnswer
from agreement.data.project_answers import ProjectAnswers
from agreement.data.texts import Snippet
from agreement.measures import AltTest, ScoreInterval, alt_test, mean_interval, share_interval
from agreement.measures.data.cells import MISSING
from agreement.measures.data.components import merge_documents
from agreement.measures.data.subsets import select_coders, select_units
from agreement.measures.models.alt_test import LeftOutHuman as TestedHuman
from agreement.measures.models.alt_test import find_advantages
from agreement.measures.values import Bools, Floats, Ints
from agreement.reports import basis
from agreement.reports.coders.differences import measure_between
from agreement.reports.fields import Flat, GroupInterval, LeftOut, OtherVersions, PageOnly, copy_fields
from agreement.reports.parameters import InvalidParameter, Parameters
from agreement.reports.request import cached_report, resolve
from annotations.core.processes.progress import Progress, reported
from annotations.core.text import pluralize

DEFAULTS = {"epsilon": 0.1, "q": 0.05}
TIE = 1e-9  # smaller differences of scores are rounding errors
MAX_PEOPLE = 30  # people who are compared one by one


@dataclass(frozen=True, slots=True)
class LeftOutHuman(TestedHuman):
    """The test of the model in the place of one person."""

    human: str
    difference: Annotated[float | None, "of the scores, the mean over texts"]
    p_value: Annotated[float | None, "over texts"]
    adjusted: Annotated[float | None, "for several people"]
    published_p_value: Annotated[float | None, "of the published test, over items"]
    low: Annotated[float | None, "of its 95% interval over texts"]
    high: float | None
    advantage_low: Annotated[float | None, "of its 95% interval over texts"]
    advantage_high: float | None
    note: PageOnly[str]


@dataclass(frozen=True, slots=True)
class AltTestFigures(AltTest):
    """The alternative annotator test over texts, and the published test over items."""

    candidate: PageOnly[Hashable]
    rows: tuple[LeftOutHuman, ...]
    winning_rate: Annotated[float | None, "the share of people it may replace"]
    exact: Annotated[bool, "whether all signs were tried"]
    left_out: Annotated[Mapping[str, int], "items, by reason"]
    parameters: PageOnly[Mapping[str, str]]
    passed: Annotated[bool | None, "whether that is a half or more"] = None
    published_passed: bool | None = None

    def describe(self, *, rates: bool = True) -> str:
        """Return a line on the data, levels and limits of the test; `rates`: begin with its rates."""
        named = {
            "winning rate": self.winning_rate,
            "winning rate of the published test": self.published_winning_rate,
            "advantage probability": self.advantage_probability,
        }
        known = [f"{name} {rate:.4f}" for name, rate in named.items() if rates and rate is not None]
        used = f"{pluralize(self.n_units, 'unit')} of {pluralize(self.n_texts, 'text')}"
        left_out = [f"{number} {reason}" for reason, number in self.left_out.items()]
        levels = f"epsilon {self.epsilon:g}, q {self.q:g}"
        return f"{'; '.join(filter(None, [', '.join(known), used, *left_out, levels, self.note]))}."


@dataclass(frozen=True, slots=True)
class AltTestReport:
    """The test of a candidate against each of the other chosen coders, with an interval for each."""

    parameters: Parameters
    candidate: str
    test: Flat[AltTestFigures]
    codings_left_out: LeftOut
    judgements_of_other_versions: OtherVersions = None


@cached_report
def compute_alt_test(
    extract: ProjectAnswers, parameters: Parameters, candidate: str, epsilon: str, q: str
) -> AltTestReport:
    """Return the test of a candidate against the other chosen coders; epsilon and q are texts as typed."""
    levels = read_level("epsilon", epsilon), read_level("q", q)
    if candidate not in extract.coders:
        known = ", ".join(extract.coders) or "nobody"
        raise InvalidParameter("candidate", f"name one of those who are compared and have answers: {known}.")
    if len(extract.coders) < 3:
        too_few = "it takes two other coders at least, better three, and there are not so many."
        raise InvalidParameter("candidate", too_few)
    options, data = basis.comparison(parameters), merge_documents(basis.select_data(extract, parameters), original_of)
    test = alt_test(data, candidate, epsilon=levels[0], q=levels[1], **vars(options))
    coders = list(data.coders)
    humans = [place for place, name in enumerate(coders) if name != candidate]
    advantages, rows = find_advantages(data, coders.index(candidate), humans, options), []
    for number, row in enumerate(test.rows):
        apart = difference_interval(np.subtract(*advantages.scores_by_text(number)))
        compared = advantages.compared[:, number]
        better = (advantages.candidate - advantages.human)[compared, number] >= -TIE
        _, text = np.unique(advantages.documents[compared], return_inverse=True)
        total = np.bincount(text)
        won = share_interval(np.bincount(text[better], minlength=len(total)).tolist(), total.tolist())
        ends = {"low": apart.low, "high": apart.high, "advantage_low": won.low, "advantage_high": won.high}
        rows.append(copy_fields(LeftOutHuman, row, **ends, note=apart.note or won.note))
    figures, left_out = copy_fields(AltTestFigures, test, rows=tuple(rows)), basis.count_left_out(extract, parameters)
    return AltTestReport(parameters, candidate, figures, left_out, basis.count_other_versions(extract, parameters))


def read_level(name: str, typed: str) -> float:
    """Return the typed epsilon or q as a number, the default if empty. Raises InvalidParameter."""
    try:
        number = float(typed or DEFAULTS[name])
    except ValueError:
        number = -1.0
    if not 0 <= number < 1 or (name == "q" and not number):
        least = "above 0" if name == "q" else "from 0"
        raise InvalidParameter(name, f"{typed!r} is not a number {least} and below 1, such as {DEFAULTS[name]:g}.")
    return number


def difference_interval(differences: Floats) -> ScoreInterval:
    """Return the mean over texts of score differences, from -1 to 1, with the interval of `mean_interval`."""
    if len(differences) > 1 and float(np.ptp(differences)) <= TIE:
        value = float(differences.mean())
        return ScoreInterval(value, None, None, len(differences), note="no interval: it is the same in each text")
    scaled = mean_interval(((differences + 1) / 2).tolist())
    mean, low, high = (None if end is None else 2 * end - 1 for end in (scaled.value, scaled.low, scaled.high))
    return replace(scaled, value=mean, low=low, high=high, note=scaled.note.replace("peer", "text"))


@dataclass(frozen=True, slots=True)
class AgreementWithPeople:
    """Alpha among people, or of one coder with people."""

    coder: Annotated[str, "empty: of all people with each other"]
    interval: Flat[GroupInterval]


@dataclass(frozen=True, slots=True)
class CategoryOfModel:
    """The scores of the model and of people on the items of a category or text: means over texts of means of items."""

    name: Annotated[str, "what most people say; empty: no answer is that of most"]
    n_items: int
    n_texts: int
    candidate_score: float
    people_score: float
    difference: float
    low: float | None
    high: float | None
    note: PageOnly[str]


@dataclass(frozen=True, eq=False)
class ComparedItems:
    """The items that the model and at least two people have coded, one row each, in the order of the data."""

    texts: Sequence[Document]
    unit: Ints
    text: Ints
    original: Ints  # the keys of their texts, whatever the round
    candidate: Floats  # the model's scores: the mean of 1 - distance to people
    people: Floats  # the scores of people: the mean over each person and the others
    n_people: Ints  # the number of people who coded the item
    agree: Bools  # whether all people gave the same value
    category: Ints  # the position in `names` of the most frequent answer of people; -1 if there is none
    names: Sequence[str]

    @property
    def missed(self) -> Ints:
        """The rows in which people agree and the model differs, the farthest first, ties with most people first."""
        rows = np.flatnonzero(self.agree & (self.candidate < 1 - TIE))
        return rows[np.lexsort((rows, -self.n_people[rows], self.candidate[rows].round(9)))]

    def by_category(self) -> list[CategoryOfModel]:
        """Return the categories, from the model's worst difference from people to its best."""
        places = [*enumerate(self.names), (-1, "")]
        parts = [self._part(name, rows) for place, name in places if (rows := self.category == place).any()]
        return sorted(parts, key=lambda part: (part.difference, part.name))

    def by_text(self) -> list[tuple[Document, CategoryOfModel]]:
        """Return the texts, from the model's worst difference from people to its best."""
        order = np.argsort(self.text, kind="stable")
        rows = np.split(order, np.searchsorted(self.text[order], np.arange(1, len(self.texts))))
        parts = [(text, self._part(text.slug, own)) for text, own in zip(self.texts, rows, strict=False) if len(own)]
        return sorted(parts, key=lambda row: (row[1].difference, row[1].name))

    def _part(self, name: str, rows: Bools | Ints) -> CategoryOfModel:
        _, text = np.unique(self.original[rows], return_inverse=True)
        counts = np.bincount(text)
        candidate, people = (np.bincount(text, weights=side[rows]) / counts for side in (self.candidate, self.people))
        found = difference_interval(candidate - people)
        assert found.value is not None, "there is a text"
        return copy_fields(
            CategoryOfModel,
            found,
            name=name,
            n_items=int(counts.sum()),
            n_texts=len(counts),
            candidate_score=float(candidate.mean()),
            people_score=float(people.mean()),
            difference=found.value,
        )


@dataclass(frozen=True, slots=True)
class MissedItem:
    """An item on which all people agree but the model differs."""

    text: str
    round: str
    key: str
    words: str
    people: Annotated[str, "what they say, in words"]
    model: Annotated[str, "what it says, in words"]
    distance: Annotated[float, "of its value from those of people, the mean"]
    n_people: int
    document: PageOnly[Document]
    snippet: PageOnly[Snippet]
    given: PageOnly[Sequence[GivenAnswer]]


@dataclass(frozen=True, slots=True)
class ModelTest:
    """The alternative annotator test over texts, and the published test over items."""

    figures: Flat[AltTestFigures]
    judgements_of_other_versions: OtherVersions


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReport:
    """The comparison of one model with the chosen people."""

    parameters: Parameters
    candidate: str
    people: tuple[str, ...]
    among_people: AgreementWithPeople
    agreements: Annotated[
        tuple[AgreementWithPeople, ...],
        "of the model with people, and of each person with the others; of many the first 30",
    ]
    codings_left_out: LeftOut
    alt_test: ModelTest
    categories: Annotated[tuple[CategoryOfModel, ...], "the one in which it is farthest behind first"]
    models: Annotated[tuple[str, ...], "those that have answers"]
    items: Annotated[Sequence[MissedItem], "in pages, the farthest first"] = ()
    # The number of people beyond those in `agreements`.
    n_more_people: PageOnly[int]
    # Its missed rows are described as `items`, page by page.
    compared: PageOnly[ComparedItems]


@dataclass(frozen=True, slots=True)
class Compared:
    """A model, empty if none has answers, and the people compared with it; `models` are all models with answers."""

    candidate: str
    people: tuple[str, ...]
    models: tuple[str, ...]

    def select(self, parameters: Parameters) -> Parameters:
        """Return the parameters that choose these coders. Raises InvalidParameter if there are too few."""
        if not self.candidate:
            raise InvalidParameter("candidate", "no model has answers that count yet.")
        if len(self.people) < 2:
            raise InvalidParameter("coders", "a model is compared with two people at least, and there are not so many.")
        return replace(parameters, coders=",".join((*self.people, self.candidate)))


def choose_compared(answers: ProjectAnswers, parameters: Parameters, models: Collection[str], asked: str) -> Compared:
    """Return the requested or the first model, and the chosen people or all people. Raises InvalidParameter."""
    counted = answers.select(parameters.selection("include"))
    known = tuple(name for name in counted.coders if name in models)
    if asked and asked not in known:
        there = f"those that have are {', '.join(known)}" if known else "none has"
        raise InvalidParameter("candidate", f"there is no model {asked!r} with answers; {there}.")
    selected = answers.select(parameters.selection("include"), parameters.selection("coders"))
    chosen, people = (tuple(name for name in of.coders if name not in models) for of in (selected, counted))
    return Compared(asked or next(iter(known), ""), chosen or people, known)


def compare_model(
    answers: ProjectAnswers,
    parameters: Parameters,
    models: Collection[str],
    options: Mapping[str, str],
    progress: Progress | None = None,
) -> ModelReport:
    """Return the comparison of a model with the chosen people; `options` are as typed. Raises InvalidParameter."""
    asked, epsilon, q = (options.get(name, "") for name in ("candidate", "epsilon", "q"))
    compared = choose_compared(answers, parameters, models, asked)
    candidate, people, own = compared.candidate, compared.people, compared.select(parameters)
    test = compute_alt_test(answers, own, candidate, epsilon, q)
    alpha = replace(own, coefficient="alpha", distance=basis.effective_distance(own))
    of_people = basis.compute_interval(*resolve(answers, replace(alpha, coders=",".join(people))))
    agreements = []
    for coder in reported((candidate, *people[:MAX_PEOPLE]), progress):
        between = measure_between(answers, alpha, [coder], [name for name in people if name != coder])
        assert between is not None, "alpha is of all values"
        agreements.append(AgreementWithPeople(coder, between))
    items = compare_items(answers, own, candidate)
    return ModelReport(
        parameters=test.parameters,
        candidate=candidate,
        people=people,
        among_people=AgreementWithPeople("", GroupInterval.of(of_people)),
        agreements=tuple(agreements),
        codings_left_out=test.codings_left_out,
        alt_test=ModelTest(test.test, test.judgements_of_other_versions),
        categories=tuple(items.by_category()),
        models=compared.models,
        n_more_people=max(len(people) - MAX_PEOPLE, 0),
        compared=items,
    )


@cached_report
def compare_items(extract: ProjectAnswers, parameters: Parameters, candidate: str) -> ComparedItems:
    """Return the items of the model and of the chosen people."""
    data = basis.select_data(extract, parameters)
    columns = [list(data.coders).index(candidate), *(n for n, name in enumerate(data.coders) if name != candidate)]
    chosen = select_coders(data, columns)
    given = chosen.codes != MISSING
    used = given[:, 0] & (given[:, 1:].sum(axis=1) >= 2)
    compared = select_units(chosen, used)
    advantages = find_advantages(compared, 0, list(range(1, len(columns))), basis.comparison(parameters))
    codes = compared.codes[:, 1:]
    agreed = codes.max(axis=1, initial=MISSING)
    names, category = _most_given(extract, parameters, columns[1:], used)
    texts = basis.pick_texts(extract, parameters)
    originals = np.array([text.text_pk for text in texts], dtype=np.int64)
    return ComparedItems(
        texts=texts,
        unit=np.array(compared.units, dtype=np.int64),
        text=compared.document_of_unit,
        original=originals[compared.document_of_unit],
        candidate=np.nanmean(advantages.candidate, axis=1) if len(codes) else np.zeros(0),
        people=np.nanmean(advantages.human, axis=1) if len(codes) else np.zeros(0),
        n_people=(codes != MISSING).sum(axis=1),
        agree=((codes == MISSING) | (codes == agreed[:, None])).all(axis=1),
        category=category,
        names=names,
    )


def _most_given(
    extract: ProjectAnswers, parameters: Parameters, people: Sequence[int], used: Bools
) -> tuple[list[str], Ints]:
    """Return the names of answers, and people's most frequent answer to each item; -1 if tied, missing or uncounted."""
    if extract.kind == "numbers" or not extract.countable:
        return [], np.full(int(used.sum()), -1)
    categories = basis.select_categories(extract, parameters)
    names = [extract.describe(label) for label in categories.labels]
    codes = categories.codes[used][:, people]
    counts = np.zeros((len(codes), len(names) + 1), dtype=np.int64)
    for column in codes.T:
        np.add.at(counts, (np.arange(len(codes)), column), 1)
    counts[:, -1] = 0  # the column of missing answers, whose code is -1
    most = counts.max(axis=1)
    is_tied = (counts == most[:, None]).sum(axis=1) > 1
    return names, np.where(is_tied | (most == 0), -1, counts.argmax(axis=1))
