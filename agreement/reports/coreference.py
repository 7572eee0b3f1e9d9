"""Coreference scores between two coders: each score over all texts and in each, on the chains that they marked."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agreement.data.answers import Extract, TextEntry
from agreement.data.extract import reliability_data
from agreement.data.muc import MarkedText, ReadMarkedTexts
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
    score_interval,
)
from agreement.measures.coreference.scores import count_texts
from agreement.reports.basis import cached, compute_result, pick_texts, resolve
from agreement.reports.parameters import InvalidParameter, Parameters

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
    """One score: None where neither coder has anything that it counts, as `note` says.

    `interval` is that of F1 over texts, where the score is over several.
    """

    recall: float | None
    precision: float | None
    f1: float | None
    note: str = ""
    interval: ScoreInterval | None = None

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
    """Two coders: `first` is the key, recall is that of the response of `second`."""

    parameters: Parameters
    fingerprint: str
    first: str
    second: str
    matched_by_muc6: bool
    overall: TextScores
    texts: tuple[TextScores, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that the API and the command give."""
        return {
            "first": self.first,
            "second": self.second,
            "parameters": self.parameters.query(),
            "fingerprint": self.fingerprint,
            "matched_by_muc6": self.matched_by_muc6,
            "overall": self.overall.as_dict(),
            "texts": [one.as_dict() for one in self.texts],
        }


def compare_chains(
    extract: Extract,
    parameters: Parameters,
    first: str,
    second: str,
    read_marked: ReadMarkedTexts | None = None,
) -> CoreferenceReport:
    """Return every score of the chains of two coders, in the texts that both have coded. Raises InvalidParameter.

    Mentions are what is in a chain of the coder; what only one of them has in a chain is found by nobody.
    read_marked: returns by text the markables of key and response in the text, where they match by the rules of MUC-6.
    """
    if extract.kind == "categories":
        raise InvalidParameter("first", "coders of this project make no chains that could be compared.")
    extract, parameters = resolve(extract, replace(parameters, coders=_check_pair(extract, first, second)))
    for field, name in (("first", first), ("second", second)):
        if name not in extract.coders:
            raise InvalidParameter(field, f"nothing of {name!r} counts here; include= counts more codings.")
    return cached(
        extract,
        ("coreference", parameters, first, second),
        lambda: _compare_chains(extract, parameters, first, second, read_marked),
    )


def _check_pair(extract: Extract, first: str, second: str) -> str:
    """Return the two coders as a selection. Raises InvalidParameter."""
    for field, name in (("first", first), ("second", second)):
        if not name:
            raise InvalidParameter(field, "name two coders, first and second.")
        if name not in extract.known_coders:
            raise InvalidParameter(field, f"there is no {name!r} in what is coded here.")
    if first == second:
        raise InvalidParameter("second", "choose another coder than the first.")
    return f"{first},{second}"


def _compare_chains(
    extract: Extract,
    parameters: Parameters,
    first: str,
    second: str,
    read_marked: ReadMarkedTexts | None,
) -> CoreferenceReport:
    texts = common_texts(pick_texts(extract, parameters), first, second)
    clusters = find_clusters(extract, texts)
    key, response = (clusters_in(clusters, name, texts) for name in (first, second))
    if read_marked:
        for pk, marked in read_marked([text.pk for text in texts], first, second).items():
            key[pk], response[pk] = _match(marked, key[pk], response[pk])
    return CoreferenceReport(
        parameters=parameters,
        fingerprint=extract.fingerprint,
        first=first,
        second=second,
        matched_by_muc6=read_marked is not None,
        overall=_score("", "", key, response, compute_result(extract, parameters)),
        texts=tuple(
            _score(
                text.slug,
                text.title,
                {text.pk: key[text.pk]},
                {text.pk: response[text.pk]},
                compute_result(extract, parameters, [text]),
            )
            for text in texts
        ),
    )


def common_texts(texts: Sequence[TextEntry], first: str, second: str) -> list[TextEntry]:
    """Return the texts in which both coders have a coding: what one was not given is no miss."""
    return [text for text in texts if {first, second} <= {work.coder for work in text.answers.coder_answers}]


def find_clusters(extract: Extract, texts: Sequence[TextEntry]) -> dict[str, Clusters]:
    """Return the chains of each coder by text, each markable in one: of several antecedents or indices the first holds.

    A markable without antecedent or index is in a chain only where something of the coder points to it; markables that
    the coder left out are in none.
    """
    chosen = [replace(text, answers=text.answers.with_first_links()) for text in texts]
    data = reliability_data(extract, chains="full", top="chain", unmarked="missing", texts=chosen)
    return {str(coder): data.clusters(coder) for coder in data.coders}


def clusters_in(clusters: Mapping[str, Clusters], coder: str, texts: Sequence[TextEntry]) -> Clusters:
    """Return the chains of one coder in these texts."""
    of_coder = clusters.get(coder, {})
    return {text.pk: of_coder.get(text.pk, []) for text in texts}


def _match(
    marked: MarkedText, key: list[frozenset[Hashable]], response: list[frozenset[Hashable]]
) -> tuple[list[frozenset[Hashable]], list[frozenset[Hashable]]]:
    """Return the clusters of both sides with the names of the key's markables, by the rules of MUC-6."""
    alignment = match_muc6(marked.content, marked.key, marked.response, key, response)
    return [frozenset(one) for one in alignment.key], [frozenset(one) for one in alignment.response]


def _score(slug: str, title: str, key: Clusters, response: Clusters, alpha: Result) -> TextScores:
    scores = {name: score_clusters(score, key, response, with_interval=not slug) for name, score in SCORES.items()}
    return TextScores(slug, title, scores, link_kappa(key, response, duplicates="first"), alpha)


def score_clusters(
    score: Callable[..., Score], key: Clusters, response: Clusters, *, with_interval: bool = False
) -> ScoreFigures:
    """Return a score of the response against the key, counts added over texts before they are divided."""
    counted = count_texts(score, key, response)
    if not counted.counts.any():
        return ScoreFigures(None, None, None, NO_CHAINS)
    found = counted.score
    interval = score_interval(key, response, score).f1 if with_interval else None
    return ScoreFigures(found.recall, found.precision, found.f1, "", interval)
