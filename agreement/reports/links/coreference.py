"""Coreference scores between two coders: each score over all texts and in each, on the chains that they marked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any

import numpy as np

from agreement.data.documents import Document, original_of
from agreement.data.project_answers import ProjectAnswers
from agreement.data.reliability import reliability_data
from agreement.data.texts.muc import ReadMarkedTexts
from agreement.measures import (
    Result,
    Score,
    ScoreInterval,
    b_cubed,
    blanc,
    ceaf_e,
    ceaf_m,
    conll_average,
    lea,
    link_kappa,
    match_muc6,
    muc,
)
from agreement.measures.coreference.scores import TextCounts, count_texts
from agreement.measures.uncertainty.score_intervals import score_intervals_of_counts
from agreement.reports.request.basis import (
    cached,
    compute_result,
    count_left_out,
    count_other_versions,
    other_versions_field,
    pick_texts,
)
from agreement.reports.request.parameters import InvalidParameter, Parameters
from agreement.reports.request.resolution import resolve

SCORES: dict[str, Callable[..., Score]] = {
    "muc": muc,
    "b_cubed": b_cubed,
    "ceaf_m": ceaf_m,
    "ceaf_e": ceaf_e,
    "lea": lea,
    "blanc": blanc,
    "conll_average": conll_average,
}
NO_CHAINS = "neither coder has anything that it counts"

# The chains of a coder by text.
type Clusters = dict[Hashable, list[frozenset[Hashable]]]


@dataclass(frozen=True, slots=True)
class ScoreFigures:
    """One score: None where neither coder has anything that it counts, as `note` says; it also says what a mean lacks.

    `interval` is that of F1 over texts, where the score is over several.
    """

    recall: float | None
    precision: float | None
    f1: float | None
    note: str = ""
    interval: ScoreInterval | None = None

    @property
    def notes(self) -> str:
        """What there is to say of the score and of its interval."""
        return "; ".join(filter(None, [self.note, self.interval.note if self.interval else ""]))

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that the API and the command give."""
        fields: dict[str, Any] = {"recall": self.recall, "precision": self.precision, "f1": self.f1}
        if self.note:
            fields["note"] = self.note
        if self.interval:
            fields["f1_interval"] = {name: getattr(self.interval, name) for name in ("low", "high", "note")}
        return fields


@dataclass(frozen=True, slots=True)
class TextScores:
    """The scores in one text, or over all of them where `slug` is empty; kappa of links, and alpha of the two."""

    slug: str
    title: str
    scores: Mapping[str, ScoreFigures]
    link_kappa: Result
    alpha: Result

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that the API and the command give."""
        kappa: dict[str, Any] = {"value": self.link_kappa.value}
        if self.link_kappa.note:
            kappa["note"] = self.link_kappa.note
        fields = {name: one.as_dict() for name, one in self.scores.items()} | {"link_kappa": kappa}
        return {"slug": self.slug, **fields} if self.slug else fields


@dataclass(frozen=True, slots=True)
class CoreferenceReport:
    """Two coders: `first` is the key, recall is that of the response of `second`.

    `n_in_several` is how many mentions of the two are in several chains, of which each is scored in one.
    """

    parameters: Parameters
    fingerprint: str
    first: str
    second: str
    matched_by_muc6: bool
    n_in_several: int
    overall: TextScores
    texts: tuple[TextScores, ...]
    codings_left_out: Mapping[str, int]
    other_versions: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that the API and the command give."""
        return {
            "first": self.first,
            "second": self.second,
            "parameters": self.parameters.query(),
            "fingerprint": self.fingerprint,
            "matched_by_muc6": self.matched_by_muc6,
            "n_in_several": self.n_in_several,
            "codings_left_out": dict(self.codings_left_out),
            **other_versions_field(self.other_versions),
            "overall": self.overall.as_dict(),
            "texts": [one.as_dict() for one in self.texts],
        }


def compare_chains(
    extract: ProjectAnswers,
    parameters: Parameters,
    first: str,
    second: str,
    read_marked: ReadMarkedTexts | None = None,
) -> CoreferenceReport:
    """Return every score of the chains of two coders, in the texts that both have coded. Raises InvalidParameter.

    Mentions are what is in a chain of the coder; what only one of them has in a chain is found by nobody.
    read_marked: returns by text the markables of key and response in the text, where they match by the rules of MUC-6.
    """
    extract, parameters = select_pair(extract, parameters, first, second)
    return cached(
        extract,
        ("coreference", parameters, first, second, read_marked is not None),
        lambda: _compare_chains(extract, parameters, first, second, read_marked),
    )


def select_pair(
    extract: ProjectAnswers, parameters: Parameters, first: str, second: str
) -> tuple[ProjectAnswers, Parameters]:
    """Return the answers of two coders, and the parameters as they work on them. Raises InvalidParameter."""
    if not extract.has_chains:
        raise InvalidParameter("first", "coders of this project make no chains that could be compared.")
    extract, parameters = resolve(extract, replace(parameters, coders=_check_pair(extract, first, second)))
    for field, name in (("first", first), ("second", second)):
        if name not in extract.coders:
            raise InvalidParameter(field, f"nothing of {name!r} counts here; include= counts more codings.")
    return extract, parameters


def _check_pair(extract: ProjectAnswers, first: str, second: str) -> str:
    """Return the two coders as a selection. Raises InvalidParameter."""
    for field, name in (("first", first), ("second", second)):
        if not name:
            raise InvalidParameter(field, "name two coders, first and second.")
        if name not in extract.known_coders:
            alike = [known for known in extract.known_coders if known.casefold() == name.casefold()]
            hint = f"; there is {alike[0]!r}" if alike else ""
            raise InvalidParameter(field, f"there is no {name!r} in this project{hint}.")
    if first == second:
        raise InvalidParameter("second", "choose another coder than the first.")
    return f"{first},{second}"


def _compare_chains(
    extract: ProjectAnswers,
    parameters: Parameters,
    first: str,
    second: str,
    read_marked: ReadMarkedTexts | None,
) -> CoreferenceReport:
    chosen = pick_texts(extract, parameters)
    texts = common_texts(extract, chosen, first, second)
    key, response = pair_clusters(extract, find_clusters(extract, texts), texts, first, second, read_marked)
    counts = {name: count_texts(score, key, response) for name, score in SCORES.items()}
    row = {name: {text: number for number, text in enumerate(one.texts)} for name, one in counts.items()}
    # what a text says of both is alpha, whatever coefficient is asked for
    as_alpha = replace(parameters, coefficient="alpha")
    return CoreferenceReport(
        parameters=parameters,
        fingerprint=extract.fingerprint,
        first=first,
        second=second,
        matched_by_muc6=read_marked is not None,
        n_in_several=count_in_several(extract, texts, (first, second)),
        overall=TextScores(
            "",
            "",
            {name: overall_figures(one) for name, one in counts.items()},
            link_kappa(key, response, duplicates="first"),
            compute_result(extract, as_alpha),
        ),
        texts=tuple(
            TextScores(
                text.slug,
                text.label,
                {name: _text_figures(one, row[name].get(text.pk)) for name, one in counts.items()},
                link_kappa(key[text.pk], response[text.pk], duplicates="first"),
                compute_result(extract, as_alpha, [text]),
            )
            for text in texts
        ),
        codings_left_out=count_left_out(extract, parameters),
        other_versions=count_other_versions(extract, parameters),
    )


def common_texts(answers: ProjectAnswers, texts: Sequence[Document], first: str, second: str) -> list[Document]:
    """Return the texts in which both coders have a coding: what one was not given is no miss."""
    if not {first, second} <= {*answers.coders}:
        return []
    columns = [answers.coders.index(name) for name in (first, second)]
    both = answers.has_answered[answers.find_places(texts)][:, columns].all(axis=1)
    return list(compress(texts, both.tolist()))


def find_clusters(extract: ProjectAnswers, texts: Sequence[Document]) -> dict[str, Clusters]:
    """Return the chains of each coder by text, each markable in one.

    Of several indices it is the chain whose other members come first in the text (`first_class`), and of several
    readings the one whose antecedents come first, so that names change nothing.

    What is plural is an entity of its own, beside those of its antecedents.

    A markable without antecedent or index is in a chain only where something of the coder points to it, also where the
    scheme says that it refers to itself alone: what does not refer is no mention. Markables that the coder left out are
    in no chain.
    """
    chosen = extract.restrict(texts)
    of_first = replace(chosen, columns=chosen.columns.with_first_readings(), singletons=(), cache={})
    data = reliability_data(of_first, chains="full", top="chain", unmarked="missing", plural="entity")
    return {str(coder): data.clusters(coder) for coder in data.coders}


def count_in_several(answers: ProjectAnswers, texts: Sequence[Document], coders: Collection[str]) -> int:
    """Return how many mentions of some coders have several indices or readings."""
    columns = answers.restrict(texts).columns
    of_coders = np.isin(columns.codings["coder"], [place for place, name in enumerate(answers.names) if name in coders])
    return int((columns.is_judgement & (columns.n_readings > 1) & of_coders[columns.coding_of_mark]).sum())


def clusters_in(clusters: Mapping[str, Clusters], coder: str, texts: Sequence[Document]) -> Clusters:
    """Return the chains of one coder in these texts."""
    of_coder = clusters.get(coder, {})
    return {text.pk: of_coder.get(text.pk, []) for text in texts}


def pair_clusters(
    answers: ProjectAnswers,
    clusters: Mapping[str, Clusters],
    texts: Sequence[Document],
    first: str,
    second: str,
    read_marked: ReadMarkedTexts | None = None,
) -> tuple[Clusters, Clusters]:
    """Return the chains of two coders in these texts, with the same names for the same markables.

    Where `read_marked` is given, markables match by the rules of MUC-6.
    """
    key, response = clusters_in(clusters, first, texts), clusters_in(clusters, second, texts)
    if read_marked:
        members = [{one for of_text in side.values() for chain in of_text for one in chain} for side in (key, response)]
        for pk, marked in read_marked(answers, texts, first, second, *members).items():
            alignment = match_muc6(marked.content, marked.key, marked.response, key[pk], response[pk])
            key[pk] = [frozenset(one) for one in alignment.key]
            response[pk] = [frozenset(one) for one in alignment.response]
    return key, response


def score_clusters(
    score: Callable[..., Score], key: Clusters, response: Clusters, *, with_interval: bool = False
) -> ScoreFigures:
    """Return a score of the response against the key, counts added over texts before they are divided."""
    return overall_figures(count_texts(score, key, response), with_interval=with_interval)


def overall_figures(counted: TextCounts, *, with_interval: bool = True) -> ScoreFigures:
    if not counted.counts.any():
        return ScoreFigures(None, None, None, NO_CHAINS)
    found = counted.score
    interval = score_intervals_of_counts(counted.merge(original_of)).f1 if with_interval else None
    return ScoreFigures(found.recall, found.precision, found.f1, found.note, interval)


def _text_figures(counted: TextCounts, row: int | None) -> ScoreFigures:
    if row is None or not counted.counts[row].any():
        return ScoreFigures(None, None, None, NO_CHAINS)
    found = counted.finish(counted.counts[row])
    return ScoreFigures(found.recall, found.precision, found.f1, found.note)
