"""How long judgements take and how many are made on which day: tables, and charts of them."""

from __future__ import annotations

from agreement.reports.coders.timing import CoderTimes, count_by_day, read_project_work, summarize_times
from agreement.reports.request.request import AnalysisRequest
from agreement.results.content import PageSections
from agreement.results.figures.charts import Chart, Dot, dot_plot, small_multiples
from agreement.results.tables import Column, Table, format_value

MOST_DAYS = 60  # on the page, the latest; the file of the table has all
MOST_CODERS = 20  # with most judgements, in the chart


def build_times(request: AnalysisRequest) -> PageSections:
    """Return median and quartiles of the time that each coder's judgements took."""
    times = read_project_work(request.project, request.project_answers).judgement_times
    rows = summarize_times(request.extract, request.parameters, times)
    if not rows:
        return PageSections()
    unit = "contributor" if request.extract.units else "judgement"
    title = f"Time per {unit}, median and quartiles"
    columns = [
        Column("coder", "Coder"),
        Column("judgements", f"{unit.capitalize()}s", "count", explanation="timed", cell="n"),
        Column("first_quartile", "First quartile", "seconds"),
        Column("median", "Median", "seconds"),
        Column("third_quartile", "Third quartile", "seconds"),
    ]
    note = f"Working time before the changes of each {unit}, added up; gaps of over five minutes are pauses."
    figure = dot_plot([Dot(row.coder, row.median, row.first_quartile, row.third_quartile) for row in rows], "seconds")
    figure["layout"]["xaxis"]["rangemode"] = "tozero"
    words = " ".join(map(_describe_times, rows))
    chart = Chart("times", title, figure, words, "times")
    return PageSections([Table.of("times", title, columns, rows, note)], [chart])


def _describe_times(row: CoderTimes) -> str:
    first, median, third = (format_value(x, "seconds") for x in (row.first_quartile, row.median, row.third_quartile))
    return f"{row.coder}: {median}, half of them {first} to {third}."


def build_days(request: AnalysisRequest) -> PageSections:
    """Return how many markables each coder judged on which day."""
    times = read_project_work(request.project, request.project_answers).judgement_times
    counts = count_by_day(request.extract, request.parameters, times)
    if not counts.days:
        return PageSections()
    first = max(len(counts.days) - MOST_DAYS, 0)
    latest, hidden = counts.days[first:], 0 if request.page is None else first
    unit = "contributors" if request.extract.units else "judgements"
    title = f"{unit.capitalize()} per day, by coder"
    rest = f" The last {len(latest)} of {len(counts.days)} days; files have all." if hidden else ""
    columns = [Column(coder, coder, "count", explanation="judgements_of_day") for coder in counts.coders]
    rows = [[day.isoformat(), *of_day] for day, *of_day in zip(counts.days, *counts.coders.values(), strict=True)]
    note = "What is judged again later counts on the first day. Imported judgements have no day." + rest
    table = Table("days", title, [Column("day", "Day"), *columns], rows[hidden:], note)
    by_work = sorted(counts.coders, key=lambda coder: -sum(counts.coders[coder]))[:MOST_CODERS]
    series = {coder: of_coder[first:] for coder, of_coder in counts.coders.items() if coder in by_work}
    totals = ", ".join(f"{coder} {sum(values):,}" for coder, values in series.items())
    drawn = f" The {len(series)} of {len(counts.coders)} coders with most." if len(series) < len(counts.coders) else ""
    words = f"{latest[0].isoformat()} to {latest[-1].isoformat()}: {totals} in {len(latest)} days with work.{drawn}"
    figure = small_multiples([day.isoformat() for day in latest], series)
    return PageSections([table], [Chart("days", title, figure, words, "days")])
