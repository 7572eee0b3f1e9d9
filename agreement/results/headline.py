"""With what a project's overview opens: the figure, what to look at, what happened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.http import QueryDict
from django.utils import timezone

from agreement.data.activity import Day, count_remaining, read_activity, read_progress
from agreement.data.pyramids.pyramids import read_pyramids
from agreement.data.texts.snippets import read_snippets
from agreement.measures.uncertainty.intervals import Interval
from agreement.reports.coders.days import count_days
from agreement.reports.coders.timing import estimate_paces
from agreement.reports.items.highest import find_highest
from agreement.reports.items.items import compute_items, nonzero_relations
from agreement.reports.overall.overview import CAUTION, RELIABLE, TENTATIVE, build_overview
from agreement.reports.pyramids.attention import list_disputed_scus
from agreement.reports.request.request import AnalysisRequest
from agreement.results.labels.addresses import item_address
from agreement.results.labels.labels import RELATION_LABELS
from agreement.results.labels.settings import read_settings
from annotations.models import Project

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
