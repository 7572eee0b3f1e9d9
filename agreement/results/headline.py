"""With what a project's overview opens: the figure, what to look at, what happened."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np
from django.http import QueryDict
from django.utils import timezone

from agreement.data.activity import Day, count_remaining, read_activity, read_progress
from agreement.data.pyramids.pyramids import DocsetInfo, PyramidAnnotation, Pyramids, read_pyramids, read_word_spans
from agreement.data.texts.snippets import read_snippets
from agreement.measures.uncertainty.intervals import Interval
from agreement.reports.coders.timing import count_days, estimate_paces
from agreement.reports.items.items import Items, compute_items, find_highest, nonzero_relations
from agreement.reports.overall.overview import CAUTION, RELIABLE, TENTATIVE, build_overview
from agreement.reports.request.request import AnalysisRequest
from agreement.results.labels.labels import RELATION_LABELS, item_address
from agreement.results.labels.settings import read_settings
from annotations.models import Project

MAX_TEXTS = 5  # that are looked into, those with the largest share first


@dataclass(frozen=True, slots=True)
class DisputedScu:
    """An SCU of a coder: the share of the disagreement that its words have, and how many coders have its very words.

    `n_coders` made pyramids of the docset, this coder among them; `n_alike` counts this coder too.
    """

    docset: DocsetInfo
    coder: str
    label: str
    weight: int
    share: float
    n_alike: int
    n_coders: int


def list_disputed_scus(pyramids: Pyramids, items: Items, most: int) -> list[DisputedScu]:
    """Return the SCUs of submitted pyramids by the disagreement on their words, items being words. One query.

    Of SCUs that have most of their words in common only the first is listed.
    """
    share_of_text = np.bincount(items.text, weights=items.share_of(...), minlength=len(items.texts))
    places = [int(place) for place in np.argsort(-share_of_text, kind="stable")[:MAX_TEXTS] if share_of_text[place] > 0]
    words = read_word_spans([items.texts[place].pk for place in places])
    found: list[tuple[float, DisputedScu, frozenset[int]]] = []
    for place in places:
        rows = np.flatnonzero(items.text == place)
        share = dict(zip(items.unit[rows].tolist(), items.share_of(rows).tolist(), strict=True))
        text = items.texts[place].pk
        annotations = [one for one in pyramids.own if one.submitted and one.docset.text == text]
        found += _scus_of_docset(annotations, words[text], share)
    found.sort(key=lambda one: (-one[0], one[1].docset.slug, one[1].label.casefold(), one[1].coder))
    chosen: list[tuple[DisputedScu, frozenset[int]]] = []
    for score, scu, units in found:
        if len(chosen) == most or score <= 0:
            break
        if not any(len(units & other) * 2 > min(len(units), len(other)) for _, other in chosen):
            chosen.append((scu, units))
    return [scu for scu, _ in chosen]


def _scus_of_docset(
    annotations: list[PyramidAnnotation], words: Mapping[int, tuple[int, int]], share: Mapping[int, float]
) -> list[tuple[float, DisputedScu, frozenset[int]]]:
    """Return each coder's SCUs with the share of their words and these words."""
    units, spans = list(words), list(words.values())
    alike: dict[frozenset[int], set[str]] = defaultdict(set)
    scus: list[tuple[PyramidAnnotation, str, frozenset[int]]] = []
    for one in annotations:
        for key, places in one.word_places(spans).items():
            if places:
                own = frozenset(units[place] for place in places)
                alike[own].add(one.coder)
                scus.append((one, key, own))
    found = []
    for one, key, own in scus:
        score = sum(share.get(unit, 0.0) for unit in own)
        labelled = DisputedScu(
            one.docset, one.coder, one.labels[key], one.pyramid.weights[key], score, len(alike[own]), len(annotations)
        )
        found.append((score, labelled, own))
    return found


N_ITEMS = 5
N_DAYS = 28
MOST_CODERS = 12


def build_headline(project: Project) -> dict[str, Any]:
    """Return what the template of the card needs, by the project's own parameters."""
    request = AnalysisRequest(project).read_query(QueryDict())
    overview = build_overview(request.extract, request.parameters, read_progress(project))
    of_words = overview.report.parameters.units == "words"
    pyramids = read_pyramids(project) if of_words else None
    items = [] if of_words else find_highest(request.extract, request.parameters)
    snippets = read_snippets([one.unit for one in items])
    since = timezone.localdate() - timedelta(days=N_DAYS - 1)
    return {
        "overview": overview,
        "report": overview.report,
        "caution": CAUTION,
        "convention": read_settings(request).sentence,
        "disputed_scus": list_disputed_scus(pyramids, compute_items(request.extract, request.parameters), N_ITEMS)
        if pyramids
        else [],
        "several_docsets": pyramids is not None and len(pyramids.docsets) > 1,
        "scale": _scale(overview.report.interval),
        "attention": [
            (
                snippets[one.unit],
                one.text,
                item_address(project.slug, one.text, snippets[one.unit].key, request.query),
                one.share,
                [(RELATION_LABELS[name], count) for name, count in nonzero_relations(one.relations).items()],
            )
            for one in items
        ],
        "activity": read_activity(project, since, N_DAYS),
        **_pace(request, since),
    }


@dataclass(frozen=True, slots=True)
class CoderBars:
    """A coder's judgements of each of the last days, and of all of them together."""

    coder: str
    days: tuple[Day, ...]
    total: int


def _pace(request: AnalysisRequest, since: date) -> dict[str, Any]:
    """Return how fast coders work, without practice, and when they are done at that pace.

    Nothing of pyramids, whose end nobody knows.
    """
    if request.extract.units:
        return {}
    days = count_days(request.project, request.project_answers)
    whole, *rounds = estimate_paces(days.rounds, count_remaining(request.project), timezone.localdate())
    bars = _coder_bars(days.coders, since)
    return {
        "pace": whole,
        "round_paces": rounds,
        "coder_bars": bars[:MOST_CODERS],
        "coders_more": len(bars[MOST_CODERS:]),
        "n_days": N_DAYS,
        "has_training": any(text.reason == "practice" for text in request.project_answers.texts),
    }


def _coder_bars(counts: Mapping[str, Counter[date]], since: date) -> list[CoderBars]:
    """Return the coders who judged anything since a day, those with most judgements first, all to one scale."""
    days = [since + timedelta(days=number) for number in range(N_DAYS)]
    recent = {coder: Counter({day: n for day, n in of.items() if day >= since}) for coder, of in counts.items()}
    highest = max((max(one.values(), default=0) for one in recent.values()), default=0) or 1
    bars = [
        CoderBars(coder, tuple(Day(day, one[day], round(100 * one[day] / highest, 1)) for day in days), one.total())
        for coder, one in recent.items()
        if one.total()
    ]
    return sorted(bars, key=lambda one: (-one.total, one.coder))


def _scale(interval: Interval) -> dict[str, Any] | None:
    """Return where the interval and the marks lie on a line from 0 to 100, which stands for 0 to 1."""
    value, low, high = interval.value, interval.low, interval.high
    if value is None:
        return None

    def at(number: float) -> float:
        return round(100 * min(max(number, 0.0), 1.0), 2)

    left, right = at(value if low is None else low), at(value if high is None else high)
    return {
        "low": left,
        "width": max(right - left, 0.5),
        "value": at(value),
        "marks": [(at(TENTATIVE), ".667"), (at(RELIABLE), ".8")],
    }
