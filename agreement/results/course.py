"""Agreement and work over time, stage by stage, as tables and charts."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, combinations

from django.utils import timezone
from rest_framework.serializers import ChoiceField

from agreement.data.documents import Document, original_of
from agreement.data.project_answers import ProjectAnswers
from agreement.measures import ORDERED_DISTANCES, Interval, Result, interval_sums
from agreement.reports import basis
from agreement.reports.coders import profiles
from agreement.reports.overall import RELIABLE, TENTATIVE
from agreement.reports.parameters import Parameters, check_choice
from agreement.reports.request import AnalysisRequest, resolve
from agreement.results.computations import PageSections, ResultPage, count_judgements, register
from agreement.results.figures.charts import Chart, Dot, band_chart, dots_chart, line_chart
from agreement.results.figures.sections import build_days
from agreement.results.tables import ENDS, Column, Table, figure_columns, format_value, with_ends
from annotations.coding.active_time import Activity
from annotations.core.processes.progress import Progress
from annotations.core.text import pluralize

# The activity of each coder in each document.
type Work = Mapping[tuple[int, str], Activity]

GROUPINGS = {"round": "round", "week": "week", "operations": "number of operations"}
BINS = 8
EVERY = "the table has every value."


@dataclass(frozen=True, slots=True)
class Stage:
    """The texts of one period: the coefficient, each coder against the others, and seconds per judgement."""

    label: str
    texts: tuple[Document, ...]
    interval: Interval
    against_rest: Mapping[str, float | None]
    seconds: Mapping[str, float | None]


def compute_stages(
    extract: ProjectAnswers, parameters: Parameters, by: str, work: Work, progress: Progress | None = None
) -> list[Stage]:
    """Return the stages of the project, the earliest first; `work` dates the texts. Raises InvalidParameter."""
    check_choice("by", by, GROUPINGS)
    extract, parameters = resolve(extract, parameters)
    groups = _group_texts(basis.pick_texts(extract, parameters), by, work)
    stages = []
    for number, (label, texts) in enumerate(groups):
        report = partial(progress, number, len(groups)) if progress else None
        against_rest = _compare_coders(extract, parameters, texts, report)
        interval = basis.compute_interval(extract, parameters, texts)
        seconds = profiles.seconds_per_judgement(extract, texts, work)
        stages.append(Stage(label, tuple(texts), interval, against_rest, seconds))
    return stages


@dataclass(frozen=True, slots=True)
class RunningPoint:
    """The coefficient of the first `n_texts` texts up to `last`; only alpha has `low` and `high`."""

    n_texts: int
    last: Document
    result: Result
    low: float | None = None
    high: float | None = None


def compute_running(extract: ProjectAnswers, parameters: Parameters, work: Work) -> list[RunningPoint]:
    """Return the coefficient as texts are finished, at MAX_POINTS points at most. Raises InvalidParameter."""
    extract, parameters = resolve(extract, parameters)
    texts, points = profiles.order_by_time(basis.pick_texts(extract, parameters), work), list[RunningPoint]()
    # ordered distances have no sums of texts
    has_sums = parameters.is_alpha and parameters.distance not in ORDERED_DISTANCES
    sums = basis.compute_sums(extract, parameters, texts)[parameters.distance] if has_sums else None
    for size in profiles.divide_evenly(len(texts)):
        of_size = texts[:size]
        n_texts, last = len({text.text_pk for text in of_size}), of_size[-1]
        if not parameters.is_alpha:
            points.append(RunningPoint(n_texts, last, basis.compute_result(extract, parameters, of_size)))
            continue
        if sums is None:
            interval = basis.compute_interval(extract, parameters, of_size)
        else:
            interval = interval_sums(sums[:size], original=original_of)
        points.append(RunningPoint(n_texts, last, interval.result, interval.low, interval.high))
    return points


def _group_texts(texts: Sequence[Document], by: str, work: Work) -> list[tuple[str, list[Document]]]:
    groups: dict[str, list[Document]] = defaultdict(list)
    if by == "round":
        for text in texts:
            groups[text.round].append(text)
        return sorted(groups.items(), key=lambda item: item[1][0].place)
    # a text belongs to the week of its last work; texts without work are left out
    finished = profiles.find_last(work)
    timed = [text for text in profiles.order_by_time(texts, work) if text.pk in finished]
    if by == "operations":
        return _group_by_operations(timed, work)
    for text in timed:
        year, week, _ = timezone.localtime(finished[text.pk]).isocalendar()
        groups[f"{year}, week {week}"].append(text)
    return list(groups.items())


def _group_by_operations(texts: Sequence[Document], work: Work) -> list[tuple[str, list[Document]]]:
    operations: Counter[int] = Counter()
    for (pk, _), activity in work.items():
        operations[pk] += activity.operations
    ends = list(accumulate(operations[text.pk] for text in texts))
    groups: dict[int, list[tuple[Document, int]]] = defaultdict(list)
    for text, end in zip(texts, ends, strict=True):
        groups[(end - operations[text.pk]) * BINS // max(ends[-1], 1)].append((text, end))
    return [(f"{group[-1][1]:,} operations", [text for text, _ in group]) for group in groups.values()]


def _compare_coders(
    extract: ProjectAnswers, parameters: Parameters, texts: Sequence[Document], report: Callable[[], None] | None
) -> dict[str, float | None]:
    """Return the mean coefficient of each coder over pairs with a common text; with many coders, few have one."""
    coefficient, data_of = basis.coefficient_function(parameters), basis.data_by_coders(extract, parameters, texts)
    number = {coder: place for place, coder in enumerate(extract.coders)}
    together: set[tuple[int, int]] = set()
    for rows in extract.rows_by_text(texts):
        together.update(combinations(sorted({number[coder] for coder, _ in rows if coder in number}), 2))
    values: dict[str, list[float]] = {coder: [] for coder in extract.coders}
    for first, second in sorted(together):
        if report:
            report()
        pair = extract.coders[first], extract.coders[second]
        value = coefficient(data_of(pair)).value
        if value is not None:
            for coder in pair:
                values[coder].append(value)
    return {coder: sum(of_coder) / len(of_coder) if of_coder else None for coder, of_coder in values.items()}


@register
class Course(ResultPage[PageSections]):
    """Agreement overall and of each coder, and the time per judgement, by period; judgements per day."""

    name, title = "course", "Trend"
    template = "agreement/overall/course.html"
    is_kept = True
    position, tab = 130, 150
    takes = {"by": ChoiceField(list(GROUPINGS), help_text="How texts are grouped.")}

    def cost(self, request: AnalysisRequest) -> int:
        """Return the number of judgements in all pairs: each is in a pair with every other coder."""
        return count_judgements(request) * max(len(request.extract.coders) - 1, 1)

    def compute(self, request: AnalysisRequest) -> PageSections:
        work, by = self._read(request)
        stages = compute_stages(request.extract, request.parameters, by, work, request.progress)
        running = _build_running(compute_running(request.extract, request.parameters, work))
        coders = request.extract.coders
        n_left = len(basis.pick_texts(request.extract, request.parameters)) - sum(len(stage.texts) for stage in stages)
        charts = _charts(stages, coders) if stages else []
        return PageSections([*_tables(stages, coders, n_left), *running.tables], [*charts, *running.charts])

    def show(self, request: AnalysisRequest) -> PageSections:
        check_choice("by", request.options.get("by") or "round", GROUPINGS)
        _, by = self._read(request)
        days = build_days(request)
        return self.sections(request).extended(
            days.tables,
            days.charts,
            choices=[(label, request.address_with(by=name), name == by) for name, label in GROUPINGS.items()],
        )

    def _read(self, request: AnalysisRequest) -> tuple[Work, str]:
        """Return the work of coders and the grouping of texts: by default week, or round if all work was imported."""
        work = profiles.read_project_work(request.project, request.project_answers).activities
        return work, request.options.get("by") or ("week" if work else "round")


def _tables(stages: Sequence[Stage], coders: Sequence[str], n_left: int) -> list[Table]:
    """Return the tables of the periods; `n_left` texts are in no period."""
    left = f"Left out: {pluralize(n_left, 'text')} without work in the log, such as imported ones." if n_left else ""
    columns = [
        Column("stage", "Period", cell="label"),
        Column("texts", "Texts", "count", cell=lambda row: len(row.texts)),
        *figure_columns(Column("value", "Value", "figure"), "interval"),
        Column("units", "Units", "count", cell="interval.result.n_units"),
    ]
    period, lines = Column("stage", "Period"), "Rising lines suggest training effects, falling lines drift."
    against = [Column(name, name, "figure", explanation="mean_of_pairs") for name in coders]
    seconds = [Column(name, name, "seconds", explanation="seconds") for name in coders]
    work = "Working time without pauses of over five minutes, divided by the judgements in the texts of the period."
    values = [(stage.label, *(stage.against_rest[name] for name in coders)) for stage in stages]
    times = [(stage.label, *(stage.seconds[name] for name in coders)) for stage in stages]
    return [
        Table.of("stages", "By period", columns, stages, left),
        Table("coders", "Each coder and the others", [period, *against], values, lines),
        Table("seconds", "Time per judgement", [period, *seconds], times, work),
    ]


def _charts(stages: Sequence[Stage], coders: Sequence[str]) -> list[Chart]:
    labels = [stage.label for stage in stages]
    dots = [Dot(stage.label, *with_ends(stage.interval)) for stage in stages]
    against = {name: [stage.against_rest[name] for stage in stages] for name in coders}
    seconds = {name: [stage.seconds[name] for stage in stages] for name in coders}
    title, title_of_times = "Each coder and the others, by period", "Seconds per judgement, by period"
    words, words_on_times = f"{title}; {EVERY}", f"Seconds per judgement of each coder, by period; {EVERY}"
    return [
        dots_chart("stages", "Agreement by period, with 95% CI", dots, "value", (TENTATIVE, RELIABLE)),
        Chart("coders", title, line_chart(labels, against, "value"), words, "coders"),
        Chart("seconds", title_of_times, line_chart(labels, seconds, "seconds"), words_on_times, "seconds"),
    ]


def _build_running(points: Sequence[RunningPoint]) -> PageSections:
    """Return the coefficient as texts are added, with a chart if there are at least two values."""
    columns = [
        Column("texts", "Texts", "count"),
        Column("last", "Last text", cell="last.label"),
        Column("value", "Value", "figure", cell="result.value"),
        *ENDS,
        Column("units", "Units", "count", cell="result.n_units"),
    ]
    title = "Agreement as texts are added"
    note = "In order of the last work on each text; imported ones come first. Alpha has a 95% CI from three texts on."
    table = Table.of("running", title, columns, points, note)
    dots = [Dot(str(point.n_texts), point.result.value, point.low, point.high) for point in points]
    defined = [dot for dot in dots if dot.value is not None]
    if len(defined) < 2:
        return PageSections([table], [])
    first, last = defined[0], defined[-1]
    words = (
        f"{format_value(first.value, 'figure')} with {pluralize(int(first.label), 'text')},"
        f" {format_value(last.value, 'figure')} with {last.label}."
    )
    figure = band_chart(dots, "texts", "value", (TENTATIVE, RELIABLE))
    with_ci = ", with 95% CI" if any(dot.low is not None for dot in dots) else ""
    return PageSections([table], [Chart("running", title + with_ci, figure, words, "running")])
