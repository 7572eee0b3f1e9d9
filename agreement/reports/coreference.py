"""Coreference between two coders: scores of chains, overall and by text, and kappa of a relation's links."""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, compress
from typing import Annotated, Self

import numpy as np

from agreement.data.columns import NO_CATEGORY, NOT_ASKED, CodingAnswers
from agreement.data.documents import Document, original_of
from agreement.data.project_answers import ProjectAnswers, Question
from agreement.data.reliability import reliability_data
from agreement.data.texts import Markings, read_keys, read_markings
from agreement.measures import Score, b_cubed, blanc, ceaf_e, ceaf_m, conll_average, lea, link_kappa, match_muc6, muc
from agreement.measures.coreference.matching import Side
from agreement.measures.coreference.scores import TextCounts, count_texts
from agreement.measures.uncertainty.score_intervals import score_intervals_of_counts
from agreement.measures.values import Bools, Floats, Ints
from agreement.reports import basis
from agreement.reports.fields import Flat, LeftOut, OtherVersions, PageOnly, WhereThere, copy_fields
from agreement.reports.parameters import InvalidParameter, Parameters
from agreement.reports.request import cached_report, resolve
from annotations.formats.model.keys import parse_key

SCORES: dict[str, Callable[..., Score]] = {
    score.__name__: score for score in (muc, b_cubed, ceaf_m, ceaf_e, lea, blanc, conll_average)
}
NO_CHAINS = "neither coder has anything that it counts"

# The chains of a coder by text.
type Clusters = dict[Hashable, list[frozenset[Hashable]]]


@dataclass(frozen=True, slots=True)
class F1Interval:
    """The interval of an F1."""

    low: float | None
    high: float | None
    note: Annotated[str, "Why there is no interval."]


@dataclass(frozen=True, slots=True)
class ScoreFigures:
    """A score; null if neither coder has anything that the score counts."""

    recall: float | None
    precision: float | None
    f1: float | None
    note: Annotated[WhereThere[str], "Why there is no score, or what a mean is of."] = ""
    f1_interval: Annotated[WhereThere[F1Interval | None], "95%, over texts; only over all texts."] = None

    @property
    def notes(self) -> str:
        return "; ".join(filter(None, [self.note, self.f1_interval.note if self.f1_interval else ""]))

    @property
    def value(self) -> float | None:
        return self.f1

    @property
    def low(self) -> float | None:
        return self.f1_interval.low if self.f1_interval else None

    @property
    def high(self) -> float | None:
        return self.f1_interval.high if self.f1_interval else None


@dataclass(frozen=True, slots=True)
class LinkKappa:
    """The kappa of links of two coders."""

    value: float | None
    note: WhereThere[str]


@dataclass(frozen=True, slots=True)
class ScoresOfPair:
    """Every coreference score of two coders."""

    muc: ScoreFigures
    b_cubed: ScoreFigures
    ceaf_m: ScoreFigures
    ceaf_e: ScoreFigures
    lea: ScoreFigures
    blanc: ScoreFigures
    conll_average: ScoreFigures
    link_kappa: LinkKappa
    title: PageOnly[str]
    alpha: PageOnly[float | None]

    @property
    def scores(self) -> dict[str, ScoreFigures]:
        return {name: getattr(self, name) for name in SCORES}


@dataclass(frozen=True, slots=True)
class ScoresOfText:
    """The scores in one text."""

    slug: str
    scores: Flat[ScoresOfPair]


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreferenceReport:
    """The scores of two coders, with `first` as the key and `second` as the response."""

    first: str
    second: str
    parameters: Parameters
    fingerprint: str
    matched_by_muc6: Annotated[bool, "Whether markables match by the rules of MUC-6."]
    n_in_several: Annotated[
        int, "Mentions of the two coders with several indices or readings, each of which is scored by one."
    ]
    codings_left_out: LeftOut
    judgements_of_other_versions: OtherVersions
    overall: ScoresOfPair
    texts: tuple[ScoresOfText, ...]


def compare_chains(
    extract: ProjectAnswers, parameters: Parameters, first: str, second: str, *, muc6: bool = False
) -> CoreferenceReport:
    """Return every score of the chains of two coders in their common texts; `muc6`: match markables as in MUC-6."""
    extract, parameters = select_pair(extract, parameters, first, second)
    # texts are described by alpha, whatever coefficient is asked for
    as_alpha = replace(parameters, coefficient="alpha")

    def of_texts(
        title: str, figures: dict[str, ScoreFigures], key: Side, response: Side, texts: Sequence[Document] | None = None
    ) -> ScoresOfPair:
        links = link_kappa(key, response, duplicates="first")
        alpha = basis.compute_result(extract, as_alpha, texts).value
        return ScoresOfPair(**figures, link_kappa=LinkKappa(links.value, links.note), title=title, alpha=alpha)

    def compute() -> CoreferenceReport:
        texts = common_texts(extract, basis.pick_texts(extract, parameters), first, second)
        markings = read_markings(extract, texts, (first, second)) if muc6 else None
        key, response = pair_clusters(find_clusters(extract, texts), texts, first, second, markings)
        counts = {name: count_texts(score, key, response) for name, score in SCORES.items()}
        added = {name: dict(zip(count.texts, count.counts, strict=True)) for name, count in counts.items()}
        of_each = []
        for text in texts:
            figures = {name: figures_of(count, added[name].get(text.pk)) for name, count in counts.items()}
            scores = of_texts(text.label, figures, key[text.pk], response[text.pk], [text])
            of_each.append(ScoresOfText(text.slug, scores))
        overall = {name: overall_figures(count) for name, count in counts.items()}
        return CoreferenceReport(
            first=first,
            second=second,
            parameters=parameters,
            fingerprint=extract.fingerprint,
            matched_by_muc6=muc6,
            n_in_several=count_in_several(extract, texts, (first, second)),
            codings_left_out=basis.count_left_out(extract, parameters),
            judgements_of_other_versions=basis.count_other_versions(extract, parameters),
            overall=of_texts("all texts", overall, key, response),
            texts=tuple(of_each),
        )

    return basis.cached(extract, ("coreference", parameters, first, second, muc6), compute)


def select_pair(
    extract: ProjectAnswers, parameters: Parameters, first: str, second: str
) -> tuple[ProjectAnswers, Parameters]:
    """Return the answers of two coders, and the parameters resolved for them. Raises InvalidParameter."""
    if not extract.has_chains:
        raise InvalidParameter("first", "coders of this project make no chains that could be compared.")
    names = {"first": first, "second": second}
    for field, name in names.items():
        if not name:
            raise InvalidParameter(field, "name two coders, first and second.")
        if name not in extract.known_coders:
            alike = [known for known in extract.known_coders if known.casefold() == name.casefold()]
            hint = f"; there is {alike[0]!r}" if alike else ""
            raise InvalidParameter(field, f"there is no {name!r} in this project{hint}.")
    if first == second:
        raise InvalidParameter("second", "choose another coder than the first.")
    extract, parameters = resolve(extract, replace(parameters, coders=f"{first},{second}"))
    for field, name in names.items():
        if name not in extract.coders:
            raise InvalidParameter(field, f"nothing of {name!r} counts here; include= counts more codings.")
    return extract, parameters


def common_texts(answers: ProjectAnswers, texts: Sequence[Document], first: str, second: str) -> list[Document]:
    """Return the texts that both coders have coded: a text that one coder was not given is no miss."""
    if not {first, second} <= {*answers.coders}:
        return []
    columns = [answers.coders.index(name) for name in (first, second)]
    both = answers.has_answered[answers.find_places(texts)][:, columns].all(axis=1)
    return list(compress(texts, both.tolist()))


def find_clusters(extract: ProjectAnswers, texts: Sequence[Document]) -> dict[str, Clusters]:
    """Return the chains of each coder by text, with each markable in one chain.

    With several indices, a markable is in the chain whose other members come first in the text (`first_class`).
    With several readings, it is in the chain of the first antecedents. Names therefore change nothing.

    A plural is an entity of its own, separate from the entities of its antecedents.

    A markable without antecedent or index is in a chain only if the coder points to it from another markable. This
    holds for singletons of the scheme, too: a markable that does not refer is no mention. Markables that the coder left
    out are in no chain.
    """
    chosen = extract.restrict(texts)
    of_first = replace(chosen, columns=chosen.columns.with_first_readings(), singletons=(), cache={})
    data = reliability_data(of_first, chains="full", top="chain", unmarked="missing", plural="entity")
    return {str(coder): data.clusters(coder) for coder in data.coders}


def count_in_several(answers: ProjectAnswers, texts: Sequence[Document], coders: Collection[str]) -> int:
    """Return the number of mentions of these coders with several indices or readings."""
    columns = answers.restrict(texts).columns
    of_coders = np.isin(columns.codings["coder"], [place for place, name in enumerate(answers.names) if name in coders])
    return int((columns.is_judgement & (columns.n_readings > 1) & of_coders[columns.coding_of_mark]).sum())


def clusters_in(clusters: Mapping[str, Clusters], coder: str, texts: Sequence[Document]) -> Clusters:
    """Return the chains of one coder in these texts."""
    of_coder = clusters.get(coder, {})
    return {text.pk: of_coder.get(text.pk, []) for text in texts}


def pair_clusters(
    clusters: Mapping[str, Clusters],
    texts: Sequence[Document],
    first: str,
    second: str,
    markings: Markings | None = None,
) -> tuple[Clusters, Clusters]:
    """Return the chains of two coders in these texts; with `markings`, markables match by the rules of MUC-6."""
    key, response = clusters_in(clusters, first, texts), clusters_in(clusters, second, texts)
    if markings:
        members = [{unit for chains in side.values() for chain in chains for unit in chain} for side in (key, response)]
        for pk, content, of_key, of_response in markings.of_pair(texts, first, second, *members):
            alignment = match_muc6(content, of_key, of_response, key[pk], response[pk])
            key[pk] = [frozenset(chain) for chain in alignment.key]
            response[pk] = [frozenset(chain) for chain in alignment.response]
    return key, response


def overall_figures(counted: TextCounts) -> ScoreFigures:
    """Return the score from the summed counts of all texts, with its interval."""
    figures = figures_of(counted, counted.counts.sum(axis=0))
    if figures.f1 is None:
        return figures
    found = score_intervals_of_counts(counted.merge(original_of)).f1
    return replace(figures, f1_interval=copy_fields(F1Interval, found))


def figures_of(counted: TextCounts, counts: Floats | None) -> ScoreFigures:
    """Return the score from summed counts; its figures are None if the counts are missing or zero."""
    if counts is None or not counts.any():
        return ScoreFigures(None, None, None, NO_CHAINS)
    return copy_fields(ScoreFigures, counted.finish(counts))


@dataclass(frozen=True, slots=True)
class LinkKappaOfPair:
    """Cohen's kappa of two coders over all possible links, each of which a coder gives or not."""

    first: str
    second: str
    n_units: Annotated[int, "markables of which both were asked"]
    n_links: Annotated[int, "links that there could be"]
    both: int
    only_first: int
    only_second: int
    value: float | None

    @classmethod
    def of(cls, first: str, second: str, counts: Ints) -> Self:
        """Return the kappa of two coders from these counts; its value is None if chance alone gives full agreement."""
        n_units, n_links, both, only_first, only_second = map(int, counts)
        apart = only_first + only_second
        neither = n_links - both - apart
        chance = (both + only_first) * (only_first + neither) + (both + only_second) * (only_second + neither)
        value = 1 - n_links * apart / chance if chance else None
        return cls(first, second, n_units, n_links, both, only_first, only_second, value)


@cached_report
def compute_link_kappas(extract: ProjectAnswers, parameters: Parameters) -> list[LinkKappaOfPair]:
    """Return the link kappa of each pair of coders; empty unless a relation is asked for. Raises InvalidParameter."""
    question = extract.question
    if question is None or extract.kind != "targets":
        return []
    units = np.array(basis.select_data(extract, parameters).units, dtype=np.int64)
    texts, counts = basis.pick_texts(extract, parameters), dict[tuple[str, str], Ints]()
    for text, possible in zip(texts, _count_targets(extract, texts, question), strict=True):
        codings = sorted(extract.codings_in([text]), key=lambda coding: coding[1])
        asked = [_find_asked(extract, coding, units, len(possible)) for *_, coding in codings]
        for (a, (_, first, own)), (b, (_, second, other)) in combinations(enumerate(codings), 2):
            found = _compare(own, other, asked[a] & asked[b], possible)
            counts[first, second] = counts.get((first, second), 0) + found
    return [LinkKappaOfPair.of(*pair, found) for pair, found in sorted(counts.items()) if found[0]]


def _find_asked(answers: ProjectAnswers, coding: CodingAnswers, units: Ints, n: int) -> Bools:
    """Return which of a document's units are compared and were asked the question in this coding."""
    not_asked = answers.categories.index(NOT_ASKED) if NOT_ASKED in answers.categories else NO_CATEGORY
    asked = np.zeros(n, dtype=np.bool_)
    asked[coding.marks["unit"][~np.isin(coding.marks["category"], [NO_CATEGORY, not_asked])]] = True
    asked &= np.isin(coding.members["key"][:n], units)
    return asked


def _compare(a: CodingAnswers, b: CodingAnswers, asked: Bools, possible: Ints) -> Ints:
    """Return the numbers of units, of possible links, and of links by both coders, only the first, only the second."""
    width = len(a.members)
    of_each = [
        np.unique(side.marks["unit"][side.links["of"]].astype(np.int64) * width + side.links["to"]) for side in (a, b)
    ]
    first, second = (links[asked[links // width]] for links in of_each)
    both = len(np.intersect1d(first, second))
    # a given link counts as possible, even if the scheme has changed since
    of_unit = np.bincount(np.union1d(first, second) // width, minlength=len(asked))
    n_links = int(np.maximum(possible, of_unit)[asked].sum())
    return np.array([asked.sum(), n_links, both, len(first) - both, len(second) - both], dtype=np.int64)


def _count_targets(answers: ProjectAnswers, texts: Sequence[Document], question: Question) -> list[Ints]:
    """Return the number of possible targets of each unit on the relation's levels; only earlier ones unless `later`."""
    chosen, keys = answers.restrict(texts).columns, read_keys(texts)
    levels = [place for place, level in enumerate(answers.levels) if level in question.to_levels]
    ends, counts = np.cumsum(chosen.n_members).tolist(), []
    for end, size, n_units in zip(ends, chosen.n_members.tolist(), chosen.documents["units"].tolist(), strict=True):
        members = chosen.members[end - size : end]
        target = np.isin(members["level"], levels)
        own = target[:n_units].astype(np.int64)
        if question.later:
            counts.append(target.sum() - own)
            continue
        order = np.array([_text_place(keys[key]) for key in members["key"].tolist()], dtype=np.int64)
        counts.append(np.searchsorted(np.sort(order[target]), order[:n_units], side="right") - own)
    return counts


def _text_place(key: str) -> int:
    """Return a sort key by text order; a markable precedes shorter markables at the same start."""
    place = parse_key(key)
    if place is None:
        raise ValueError(f"{key!r} is no key of a markable")
    return (place.parts[0][0] << 32) - place.parts[-1][1]
