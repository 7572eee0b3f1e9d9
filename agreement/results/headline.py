"""Data for the summary card of the overview: agreement, items to look at, recent activity."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Count, QuerySet, TextField
from django.db.models.functions import Cast, Substr
from django.utils import timezone

from agreement.data.pyramids import DocsetInfo, PyramidAnnotation, Pyramids, read_pyramids, read_word_spans
from agreement.data.texts import read_snippets
from agreement.measures.uncertainty.intervals import Interval
from agreement.reports.coders.profiles import count_days, estimate_paces
from agreement.reports.items import Items, compute_items, find_highest, nonzero_relations
from agreement.reports.overall import CAUTION, RELIABLE, TENTATIVE, build_overview
from agreement.reports.request import AnalysisRequest
from agreement.reports.wording import RELATION_LABELS, item_address, read_settings
from annotations.models import Coding, Operation, Project
from annotations.planning.work.progress import read_progress
from annotations.planning.work.remaining import count_remaining

MAX_TEXTS = 5  # texts searched for SCUs, those with the largest share first
N_ITEMS = 5
N_DAYS = 28
MAX_CODERS = 12
LATEST = 5
EVENT_VERBS = {"submit": "submitted", "reopen": "reopened", "import": "imported"}


@dataclass(frozen=True, slots=True)
class DisputedScu:
    """An SCU with its share of the disagreement; `n_alike` of the coders have an SCU of the same words."""

    docset: DocsetInfo
    coder: str
    label: str
    weight: int
    share: float
    n_alike: int
    n_coders: int
    words: frozenset[int]


def list_disputed_scus(pyramids: Pyramids, items: Items, most: int) -> list[DisputedScu]:
    """Return up to `most` disputed SCUs, none that shares over half of its or a chosen SCU's words. One query."""
    share_of_text = np.bincount(items.text, weights=items.share_of(...), minlength=len(items.texts))
    places = [int(place) for place in np.argsort(-share_of_text, kind="stable")[:MAX_TEXTS] if share_of_text[place] > 0]
    words = read_word_spans([items.texts[place].pk for place in places])
    found: list[DisputedScu] = []
    for place in places:
        rows, text = np.flatnonzero(items.text == place), items.texts[place].pk
        share = dict(zip(items.unit[rows].tolist(), items.share_of(rows).tolist(), strict=True))
        annotations = [pyramid for pyramid in pyramids.own if pyramid.submitted and pyramid.docset.text == text]
        found += _scus_of_docset(annotations, words[text], share)
    found.sort(key=lambda scu: (-scu.share, scu.docset.slug, scu.label.casefold(), scu.coder))
    chosen: list[DisputedScu] = []
    for scu in found:
        if len(chosen) == most or scu.share <= 0:
            break
        if not any(2 * len(scu.words & other.words) > min(len(scu.words), len(other.words)) for other in chosen):
            chosen.append(scu)
    return chosen


def _scus_of_docset(
    annotations: list[PyramidAnnotation], words: Mapping[int, tuple[int, int]], share: Mapping[int, float]
) -> list[DisputedScu]:
    units, spans = list(words), list(words.values())
    scus = [
        (pyramid, key, frozenset(units[place] for place in places))
        for pyramid in annotations
        for key, places in pyramid.word_places(spans).items()
        if places
    ]
    alike: dict[frozenset[int], set[str]] = defaultdict(set)
    for pyramid, _, own in scus:
        alike[own].add(pyramid.coder)
    found = []
    for pyramid, key, own in scus:
        of_words, numbers = sum(share.get(unit, 0.0) for unit in own), (len(alike[own]), len(annotations))
        label, weight = pyramid.labels[key], pyramid.pyramid.weights[key]
        found.append(DisputedScu(pyramid.docset, pyramid.coder, label, weight, of_words, *numbers, own))
    return found


class Event(NamedTuple):
    """An action of a user on a coding."""

    user: str
    action: str
    text: str
    coder: str
    moment: datetime


class Day(NamedTuple):
    """The operations of a day, and the height of its bar in percent of the busiest day."""

    day: date
    operations: int
    height: float

    @property
    def top(self) -> float:
        """The distance of the bar from the top, in percent."""
        return 100 - self.height


def build_headline(project: Project) -> dict[str, Any]:
    """Return the context of the summary card, computed with the project's own parameters."""
    request = AnalysisRequest(project).read_values({})
    overview = build_overview(request.extract, request.parameters, read_progress(project))
    items, disputed, n_docsets = [], list[DisputedScu](), 0
    if overview.report.parameters.units == "words":
        pyramids = read_pyramids(project)
        n_docsets = len(pyramids.docsets)
        disputed = list_disputed_scus(pyramids, compute_items(request.extract, request.parameters), N_ITEMS)
    else:
        items = find_highest(request.extract, request.parameters)
    snippets = read_snippets([item.unit for item in items])
    since = timezone.localdate() - timedelta(days=N_DAYS - 1)
    attention = []
    for item in items:
        relations = [(RELATION_LABELS[name], count) for name, count in nonzero_relations(item.relations).items()]
        snippet = snippets[item.unit]
        address = item_address(project.slug, item.text, snippet.key, request.query)
        attention.append((snippet, item.text, address, item.share, relations))
    return {
        "overview": overview,
        "report": overview.report,
        "caution": CAUTION,
        "convention": read_settings(request).sentence,
        "disputed_scus": disputed,
        "several_docsets": n_docsets > 1,
        "scale": _scale(overview.report.interval),
        "attention": attention,
        "activity": read_activity(project, since, N_DAYS),
        **_pace(request, since),
    }


def _pace(request: AnalysisRequest, since: date) -> dict[str, Any]:
    """Return the pace of coders without practice, and expected end dates; empty for pyramids."""
    if request.extract.units:
        return {}
    counts = count_days(request.project, request.project_answers)
    whole, *rounds = estimate_paces(counts.rounds, count_remaining(request.project), timezone.localdate())
    days = [since + timedelta(days=number) for number in range(N_DAYS)]
    recent = {coder: Counter({day: n for day, n in of.items() if day >= since}) for coder, of in counts.coders.items()}
    highest = max((max(of.values(), default=0) for of in recent.values()), default=0) or 1  # one scale for all bars
    bars = [
        {
            "coder": coder,
            "total": of.total(),
            "days": [Day(day, of[day], round(100 * of[day] / highest, 1)) for day in days],
        }
        for coder, of in sorted(recent.items(), key=lambda item: (-item[1].total(), item[0]))
        if of.total()
    ]
    return {
        "pace": whole,
        "round_paces": rounds,
        "coder_bars": bars[:MAX_CODERS],
        "coders_more": len(bars[MAX_CODERS:]),
        "n_days": N_DAYS,
        "has_training": any(text.reason == "practice" for text in request.project_answers.texts),
    }


def _scale(interval: Interval) -> dict[str, Any] | None:
    """Return the positions of the interval and marks in percent of a line from 0 to 1; None without a value."""
    value, low, high = interval.value, interval.low, interval.high
    if value is None:
        return None
    ends = value, value if low is None else low, value if high is None else high, TENTATIVE, RELIABLE
    at, left, right, tentative, reliable = (round(100 * min(max(number, 0.0), 1.0), 2) for number in ends)
    marks = [(tentative, ".667"), (reliable, ".8")]
    return {"low": left, "width": max(right - left, 0.5), "value": at, "marks": marks}


def read_activity(project: Project, since: date, days: int) -> dict[str, Any]:
    """Return the latest submissions, reopenings and imports, and the operations per day. Two queries."""
    operations = Operation.objects.filter(coding__text__project=project, coding__by_model=False)
    operations = operations.exclude(coding__kind=Coding.Kind.GOLD).exclude(kind__in=Operation.MANAGING_KINDS)
    columns = ("user__username", "kind", "coding__text__title", "coding__coder__username", "applied_at")
    # The subquery finds the rows by an index, before their payloads are read.
    order = "-applied_at", "-pk"
    newest = operations.filter(kind__in=EVENT_VERBS).order_by(*order).values("pk")[:LATEST]
    latest: QuerySet[Any, Any] = Operation.objects.filter(pk__in=newest).order_by(*order).values_list(*columns)
    # Grouped by minute in UTC: SQLite has no time zones, and would ask Python for the day of each row.
    minute = Substr(Cast("applied_at", TextField()), 1, len("2000-01-31 12:30"))
    recent = operations.filter(applied_at__gte=timezone.make_aware(datetime.combine(since, time.min))).order_by()
    of_day = Counter[date]()
    for moment, number in recent.annotate(minute=minute).values_list("minute").annotate(number=Count("pk")):
        of_day[timezone.localdate(datetime.fromisoformat(moment).replace(tzinfo=UTC))] += number
    shown = [since + timedelta(days=number) for number in range(days)]
    maximum = max(of_day[day] for day in shown) or 1
    return {
        "latest": [Event(user, EVENT_VERBS[kind], *row) for user, kind, *row in latest],
        "days": [Day(day, of_day[day], round(100 * of_day[day] / maximum, 1)) for day in shown],
        "operations": sum(of_day[day] for day in shown),
    }
