"""With what a project's overview opens: the figure, what to look at, what happened."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.http import QueryDict
from django.utils import timezone

from agreement.data.activity import Day, count_remaining, read_activity, read_progress
from agreement.data.pyramids import read_pyramids
from agreement.data.snippets import read_snippets
from agreement.measures.uncertainty.intervals import Interval
from agreement.reports.coders.timing import Times, estimate_paces, read_project_work
from agreement.reports.items.items import ItemFilters, compute_items, nonzero_relations
from agreement.reports.overview import CAUTION, RELIABLE, TENTATIVE, build_overview
from agreement.reports.pyramids.attention import list_disputed_scus
from agreement.reports.request import AnalysisRequest
from agreement.sections.addresses import item_address
from agreement.sections.labels import RELATION_LABELS
from agreement.sections.settings import read_settings
from annotations.models import Project

N_ITEMS = 5
N_DAYS = 28
MOST_CODERS = 12


def build_headline(project: Project) -> dict[str, Any]:
    """Return what the template of the card needs, by the project's own parameters."""
    request = AnalysisRequest.from_query(project, QueryDict())
    overview = build_overview(request.extract, request.parameters, read_progress(project))
    items = compute_items(request.extract, request.parameters)
    of_words = overview.report.parameters.units == "words"
    pyramids = read_pyramids(project) if of_words else None
    rows = items.select(ItemFilters())[:N_ITEMS]
    rows = rows[:0] if of_words else rows[items.share[rows] > 0]
    snippets = read_snippets(items.unit[rows].tolist())
    since = timezone.localdate() - timedelta(days=N_DAYS - 1)
    return {
        "overview": overview,
        "report": overview.report,
        "caution": CAUTION,
        "convention": read_settings(request).sentence,
        "disputed_scus": list_disputed_scus(pyramids, items, N_ITEMS) if pyramids else [],
        "several_docsets": pyramids is not None and len(pyramids.docsets) > 1,
        "scale": _scale(overview.report.interval),
        "attention": [
            (
                snippets[int(items.unit[row])],
                items.texts[items.text[row]],
                item_address(
                    project.slug, items.texts[items.text[row]], snippets[int(items.unit[row])].key, request.query
                ),
                float(items.share[row]),
                [
                    (RELATION_LABELS[name], count)
                    for name, count in nonzero_relations(items.relations[row].tolist()).items()
                ],
            )
            for row in rows.tolist()
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
    practice = {text.pk for text in request.project_answers.texts if text.reason == "practice"}
    work = read_project_work(request.project, request.project_answers).judgement_times
    times = {key: of_coder for key, of_coder in work.items() if key[0] not in practice}
    today = timezone.localdate()
    whole, *rounds = estimate_paces(request.project_answers, times, count_remaining(request.project), today)
    bars = _coder_bars(times, since)
    return {
        "pace": whole,
        "round_paces": rounds,
        "coder_bars": bars[:MOST_CODERS],
        "coders_more": len(bars[MOST_CODERS:]),
        "n_days": N_DAYS,
    }


def _coder_bars(times: Times, since: date) -> list[CoderBars]:
    """Return the coders who judged anything since a day, those with most judgements first, all to one scale."""
    counts: dict[str, Counter[date]] = {}
    for (_, coder), judgements in times.items():
        counts.setdefault(coder, Counter()).update(one.day for one in judgements if one.day >= since)
    days = [since + timedelta(days=number) for number in range(N_DAYS)]
    highest = max((max(one.values(), default=0) for one in counts.values()), default=0) or 1
    bars = [
        CoderBars(coder, tuple(Day(day, one[day], round(100 * one[day] / highest, 1)) for day in days), one.total())
        for coder, one in counts.items()
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
