"""Charts as Plotly figures in plain data, each with a description in words. The page sets colours and fonts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import chain
from operator import sub
from typing import Any

from agreement.results.tables import format_value

type Figure = dict[str, Any]
type Number = float | int | None

MAX_POINTS = 4000  # more points are unreadable, and would make the page large
POINTS_OF_CELL = 3  # a cell of a heat map also has names
POINTS_OF_LINE = 8  # a line also has a name and a style
ROW = 26  # pixels for a row of dots or cells
HEAD = 90  # pixels for an axis and its title
PANEL = 76  # pixels for a row of small multiples: the bars, their name and a gap below
PANEL_SHARE = 0.85
MARGIN_OF_SHARES = 0.02
WIDEST_LABEL = 40
MAX_IN_WORDS = 24  # columns of a heat map that have room for figures
LINE_ACROSS: dict[str, Any] = {"type": "line", "line": {"dash": "dot", "width": 1}}
PATTERNS = ("", "/", ".", "x", "-", "|", "+", "\\")
# Each line has its own marker as well as its colour.
MARKERS = ("circle", "square", "diamond", "cross", "x", "triangle-up", "star", "hexagon", "pentagon", "bowtie")


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart with its title, its description in words, and the key of the table with all values."""

    key: str
    title: str
    figure: Figure
    alternative: str
    table: str

    @property
    def script(self) -> str:
        return f"figure-{self.key}"

    @property
    def is_empty(self) -> bool:
        """Whether no trace has a value on both axes or in a cell."""
        parts = ([chain(*trace["z"])] if "z" in trace else [trace["x"], trace["y"]] for trace in self.figure["data"])
        return not any(all(set(part) - {None} for part in of_trace) for of_trace in parts)

    @property
    def is_too_large(self) -> bool:
        """Whether the chart has more points than a page draws."""
        points = 0
        for trace in self.figure["data"]:
            lines = POINTS_OF_LINE + max(len(trace["x"]), len(trace["y"]))
            points += POINTS_OF_CELL * sum(map(len, trace["z"])) if "z" in trace else lines
        return points > MAX_POINTS


@dataclass(frozen=True, slots=True)
class Dot:
    """A value with its interval."""

    label: str
    value: Number
    low: Number = None
    high: Number = None


def dot_plot(rows: Sequence[Dot], unit: str, marks: Sequence[float] = (), *, share: bool = False) -> Figure:
    """Return a plot of dots with whiskers, the first on top; `marks` are lines across, a `share` is from 0 to 1."""
    defined = [row for row in rows if row.value is not None]
    trace = _trace(
        "scatter",
        [row.value for row in defined],
        range(len(defined)),
        "%{customdata[0]}: %{x:.3f}%{customdata[1]}",
        mode="markers",
        customdata=[[escape_markup(row.label), format_interval(row)] for row in defined],
        error_x={**_whiskers(defined), "thickness": 2, "width": 0},
        marker={"size": 10},
    )
    values, names = _titled(unit, share=share), _named_axis([row.label for row in defined], downwards=True)
    shapes = [{**LINE_ACROSS, "x0": mark, "x1": mark, "y0": 0, "y1": 1, "yref": "paper"} for mark in marks]
    return _figure([trace], HEAD + ROW * max(len(defined), 2), values, names, shapes=shapes)


def _figure(traces: list[Figure], height: int, xaxis: Figure, yaxis: Figure, **layout: object) -> Figure:
    return {"data": traces, "layout": {"height": height, "xaxis": xaxis, "yaxis": yaxis, **layout}}


def _trace(kind: str, x: Iterable[object], y: Iterable[object], hover: str, beside: str = "", **more: object) -> Figure:
    """Return a trace with the template `hover` for the tooltip of a point, and `beside` next to it."""
    return {"type": kind, "x": list(x), "y": list(y), "hovertemplate": f"{hover}<extra>{beside}</extra>", **more}


def _titled(title: str, *, share: bool = False, **more: object) -> Figure:
    """Return an axis with a title; the axis of a `share` is clipped at 0 and 1, with room for half a dot."""
    ends = {"clipmin": -MARGIN_OF_SHARES, "clipmax": 1 + MARGIN_OF_SHARES}
    return {"title": {"text": title}, **({"autorangeoptions": ends} if share else {}), **more}


def _whiskers(rows: Sequence[Dot]) -> dict[str, Any]:
    """Return the error bars of intervals around their values; an interval without both ends has none."""
    reach = [
        (0.0, 0.0) if row.low is None or row.high is None else (value - row.low, row.high - value)
        for row in rows
        for value in [float(row.value or 0)]
    ]
    array, minus = [high for _, high in reach], [low for low, _ in reach]
    return {"type": "data", "symmetric": False, "array": array, "arrayminus": minus}


def heat_map(
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[Number]],
    unit: str,
    axes: tuple[str, str] = ("", ""),
    addresses: Sequence[str] | Sequence[Sequence[str]] = (),
) -> Figure:
    """Return a heat map with the value in each cell; None is empty. `axes` are the titles of rows and columns.

    `addresses` are the links of rows, or of single cells. Colours begin at 0 or a lower value and end at 1 or a higher
    one. So a colour has one meaning on every page. The page adds the colour scale and the fonts.
    """
    defined = [value for row in values for value in row if value is not None]
    whole = all(isinstance(value, int) for value in defined)  # counts
    links: Figure = {"meta": {"addresses": list(addresses)}} if addresses else {}
    trace = _trace(
        "heatmap",
        range(len(columns)),
        range(len(rows)),
        f"%{{customdata}}: %{{z:{',' if whole else '.3f'}}}",
        z=[list(row) for row in values],
        # the same colour means the same value on every page
        zmin=min(0, *defined, 0),
        zmax=max(1, *defined, 1),
        text=[["" if value is None else f"{value:{',' if whole else 'z.2f'}}" for value in row] for row in values],
        texttemplate="%{text}" if len(columns) <= MAX_IN_WORDS else "",
        customdata=[[escape_markup(f"{row} – {column}") for column in columns] for row in rows],
        hoverongaps=False,
        xgap=1,
        ygap=1,
        colorbar={"title": {"text": unit, "side": "right"}, "thickness": 12},
        **links,
    )
    xaxis = {**_named_axis(columns, axes[1]), "showgrid": False}
    yaxis = {**_named_axis(rows, axes[0], downwards=True), "showgrid": False}
    return _figure([trace], HEAD + 40 + max(ROW * len(rows), 60), xaxis, yaxis)


def line_chart(
    stages: Sequence[str], series: Mapping[str, Sequence[Number]], unit: str, *, share: bool = False
) -> Figure:
    """Return a line with its own marker for each name, with gaps for None; a `share` is from 0 to 1."""
    traces = [
        _trace(
            "scatter",
            range(len(stages)),
            values,
            "%{fullData.name}, %{customdata}: %{y:.3f}",
            mode="lines+markers",
            name=escape_markup(name),
            customdata=list(map(escape_markup, stages)),
            marker={"symbol": MARKERS[number % len(MARKERS)], "size": 8},
        )
        for number, (name, values) in enumerate(series.items())
    ]
    return _figure(traces, 320, _named_axis(stages), _titled(unit, share=share), showlegend=True)


def band_chart(points: Sequence[Dot], x: str, unit: str, marks: Sequence[float] = ()) -> Figure:
    """Return a line with whiskers through dots, whose labels are their x values; `marks` are lines across."""
    defined = [point for point in points if point.value is not None]
    places, whiskers = [float(point.label) for point in defined], _whiskers(defined)
    values = [float(point.value or 0) for point in defined]
    trace = _trace(
        "scatter",
        places,
        values,
        f"%{{x}} {escape_markup(x)}: %{{y:.3f}}%{{customdata}}",
        mode="lines+markers",
        customdata=list(map(format_interval, defined)),
        error_y={**whiskers, "thickness": 1.5, "width": 3},
        marker={"size": 8},
    )
    step = -(-int(max(places, default=1)) // 12)  # whole numbers
    # A wide interval of few texts would flatten all others.
    lowest = max(min([*map(sub, values, whiskers["arrayminus"]), 0.0]), -1.0)
    xaxis = _titled(escape_markup(x), zeroline=False, tick0=0, dtick=step)
    shapes = [{**LINE_ACROSS, "y0": mark, "y1": mark, "x0": 0, "x1": 1, "xref": "paper"} for mark in marks]
    return _figure([trace], 320, xaxis, _titled(unit, range=[lowest - 0.05, 1.05]), shapes=shapes)


def forecast_chart(
    known: Sequence[tuple[float, float]],
    foretold: Sequence[tuple[float, float]],
    names: tuple[str, str],
    target: float,
    x: str,
    unit: str,
) -> Figure:
    """Return a solid line of known points, a dashed line of foretold ones, and a line across at `target`."""
    styles = (names[0], known, "solid", "circle"), (names[1], foretold, "dash", "circle-open")
    traces = [
        _trace(
            "scatter",
            [place for place, _ in points],
            [value for _, value in points],
            f"%{{x:,}} {escape_markup(x)}: ±%{{y:.3f}}",
            "%{fullData.name}",
            mode="lines+markers",
            name=escape_markup(name),
            line={"dash": dash},
            marker={"symbol": symbol, "size": 8},
        )
        for name, points, dash, symbol in styles
    ]
    line = {"type": "line", "y0": target, "y1": target, "x0": 0, "x1": 1, "xref": "paper", "line": {"dash": "dot"}}
    # the wide interval of three texts would flatten all others
    here = known[-1][1] if known else 0.0
    highest = min(max(value for _, value in (*known, *foretold)), max(3 * here, 2 * target))
    xaxis = _titled(escape_markup(x), zeroline=False, rangemode="tozero")
    return _figure(traces, 340, xaxis, _titled(unit, range=[0, highest * 1.05]), shapes=[line], showlegend=True)


def stacked_bars(labels: Sequence[str], series: Mapping[str, Sequence[float]], unit: str) -> Figure:
    """Return horizontal bars of the parts of a whole; each part has a pattern as well as its colour."""
    traces = _bars(labels, series, "%{customdata}, %{fullData.name}: %{x:.1%}", orientation="h")
    xaxis, names = _titled(unit, tickformat=".0%", range=[0, 1]), _named_axis(labels, downwards=True)
    return _figure(traces, HEAD + 40 + ROW * max(len(labels), 2), xaxis, names, barmode="stack", showlegend=True)


def bar_chart(labels: Sequence[str], series: Mapping[str, Sequence[float]], x: str, unit: str) -> Figure:
    """Return upright bars of shares side by side; each series has a pattern as well as its colour."""
    traces = _bars(labels, series, f"%{{fullData.name}}, {escape_markup(x)} %{{customdata}}: %{{y:.1%}}")
    xaxis, yaxis = {**_named_axis(labels, x), "showgrid": False}, _titled(unit, tickformat=".0%", rangemode="tozero")
    return _figure(traces, 320, xaxis, yaxis, barmode="group", showlegend=True)


def _bars(labels: Sequence[str], series: Mapping[str, Sequence[float]], hover: str, **orientation: str) -> list[Figure]:
    names, places, traces = list(map(escape_markup, labels)), range(len(labels)), []
    for number, (name, values) in enumerate(series.items()):
        pattern = {"shape": PATTERNS[number % len(PATTERNS)], "solidity": 0.25}
        about: dict[str, Any] = {"name": escape_markup(name), "customdata": names, "marker": {"pattern": pattern}}
        x, y = (values, places) if orientation else (places, values)
        traces.append(_trace("bar", x, y, hover, **orientation, **about))
    return traces


@dataclass(frozen=True, slots=True)
class Step:
    """A bar of items at some positions of a text: their number, their mean, and the highest item's row and words."""

    first: int
    last: int
    n: int
    mean: float
    highest: int
    words: str = ""
    address: str = ""

    @property
    def positions(self) -> str:
        return str(self.first) if self.first == self.last else f"{self.first} to {self.last}"


def position_chart(steps: Sequence[Step], unit: str) -> Figure:
    """Return a bar for each step along a text, as wide as its positions."""
    trace = _trace(
        "bar",
        [(step.first + step.last) / 2 for step in steps],
        [step.mean for step in steps],
        "%{customdata[0]}: %{y:.3f}, %{customdata[1]}",
        width=[step.last - step.first + 1 for step in steps],
        customdata=[[step.positions, shorten(step.words)] for step in steps],
        meta={"addresses": [step.address for step in steps]},
    )
    xaxis = _titled("items of the text, in its order", zeroline=False, showgrid=False)
    return _figure([trace], 220, xaxis, _titled(unit, range=[0, 1]), bargap=0)


def small_multiples(days: Sequence[str], series: Mapping[str, Sequence[int]]) -> Figure:
    """Return bars by day, with a row for each name and one scale for all; days are ISO dates."""
    n, highest = len(series), max((max(values, default=0) for values in series.values()), default=0)
    traces, axes, names = list[Figure](), dict[str, Any](), list[Figure]()
    xaxis: Figure = {"type": "date", "anchor": f"y{n}" if n > 1 else "y", "showgrid": False}
    if days:  # a single day would get an axis of hours
        first, last = date.fromisoformat(days[0]), date.fromisoformat(days[-1])
        xaxis["range"] = [(first - timedelta(days=1)).isoformat(), (last + timedelta(days=1)).isoformat()]
    for number, (name, values) in enumerate(series.items(), start=1):
        axis, top = "" if number == 1 else str(number), 1 - (number - 1) / n
        bottom, hover = top - PANEL_SHARE / n, "%{fullData.name}, %{x|%-d %B %Y}: %{y}"
        traces.append(_trace("bar", days, values, hover, name=escape_markup(name), xaxis="x", yaxis=f"y{axis}"))
        domain = [bottom, bottom + (top - bottom) * PANEL_SHARE]
        axes[f"yaxis{axis}"] = {"domain": domain, "range": [0, highest], "nticks": 3}
        place = {"x": 0, "y": top, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "top"}
        names.append({"text": shorten(name), **place, "showarrow": False})
    layout = {"height": HEAD + PANEL * n, "showlegend": False, "annotations": names, "xaxis": xaxis, **axes}
    return {"data": traces, "layout": layout}


def strip_plot(words: Sequence[str], shares: Sequence[float], unit: str) -> Figure:
    """Return a dot for each item, the largest share first."""
    dots: Figure = {"mode": "markers", "customdata": list(map(shorten, words)), "marker": {"size": 7}}
    trace = _trace("scatter", range(1, len(shares) + 1), shares, "%{customdata}: %{y:.1%}", **dots)
    return _figure([trace], 220, _titled("items, by share"), _titled(unit, tickformat=".0%", rangemode="tozero"))


def scatter_plot(points: Sequence[tuple[str, float, float]], x: str, y: str) -> Figure:
    """Return named points by two figures of one scale; both are equal on the dotted line."""
    low, high = (end([value for _, *values in points for value in values], default=0.0) for end in (min, max))
    margin = max(0.05 * (high - low), 0.02)
    reach = [low - margin, high + margin]
    trace = _trace(
        "scatter",
        [first for _, first, _ in points],
        [second for *_, second in points],
        "%{customdata}: %{x:.3f}, %{y:.3f}",
        mode="markers",
        customdata=[escape_markup(label) for label, *_ in points],
        marker={"size": 10},
    )
    equal = {"type": "line", "x0": reach[0], "y0": reach[0], "x1": reach[1], "y1": reach[1], "line": {"dash": "dot"}}
    xaxis, yaxis = (_titled(escape_markup(title), range=reach) for title in (x, y))
    return _figure([trace], 380, xaxis, yaxis, shapes=[equal])


def upset_plot(coders: Sequence[str], members: Mapping[frozenset[str], Sequence[str]]) -> Figure:
    """Return a bar of the shared members for each combination of coders, with dots that show the coders."""
    combinations = sorted(members, key=lambda group: (-len(members[group]), -len(group), sorted(group)))
    places = range(len(combinations))
    step = -(-max(map(len, members.values()), default=1) // 6)  # whole numbers, with room for their labels
    words = [", ".join(map(shorten, members[group])) for group in combinations]
    sizes = [len(members[group]) for group in combinations]
    bars = _trace("bar", places, sizes, "%{y}: %{customdata}", customdata=words, xaxis="x", yaxis="y")
    grid = [(place, row, coder in combinations[place]) for place in places for row, coder in enumerate(coders)]
    dots = {
        "type": "scatter",
        "mode": "markers",
        "x": [place for place, _, _ in grid],
        "y": [row for _, row, _ in grid],
        "marker": {"size": 13, "symbol": ["circle" if filled else "circle-open" for *_, filled in grid]},
        "hoverinfo": "skip",
        "xaxis": "x",
        "yaxis": "y2",
    }
    xaxis = {"showticklabels": False, "showgrid": False, "zeroline": False, "anchor": "y2"}
    yaxis = _titled("members", domain=[0.5, 1], dtick=step, rangemode="tozero")
    names = {**_named_axis(coders, downwards=True), "domain": [0, 0.42], "showgrid": False}
    return _figure([bars, dots], 170 + ROW * len(coders), xaxis, yaxis, yaxis2=names, showlegend=False)


def format_interval(row: Dot) -> str:
    """Return the ends of a dot's interval in words; empty where it has none."""
    if row.low is None or row.high is None:
        return ""
    return f" ({format_value(row.low, 'figure')} to {format_value(row.high, 'figure')})"


def _named_axis(labels: Sequence[str], title: str = "", *, downwards: bool = False) -> dict[str, Any]:
    """Return an axis with names at 0, 1, ...: long names are cut, and names that are cut alike stay apart."""
    ticks = {"tickmode": "array", "tickvals": list(range(len(labels))), "ticktext": list(map(shorten, labels))}
    axis = {**ticks, "zeroline": False} | ({"autorange": "reversed"} if downwards else {})
    # the standoff keeps the title clear of labels of any length
    return axis | ({"title": {"text": escape_markup(title), "standoff": 12}} if title else {})


def shorten(label: str) -> str:
    return escape_markup(label if len(label) <= WIDEST_LABEL else f"{label[: WIDEST_LABEL - 1]}…")


def escape_markup(label: str) -> str:
    """Return a label with its markup escaped: Plotly reads some HTML in texts."""
    return label.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def dots_chart(
    key: str, title: str, rows: Sequence[Dot], unit: str, marks: Sequence[float] = (), *, share: bool = False
) -> Chart:
    """Return a chart of dots with a description in words; its table has the same key."""
    return Chart(key, title, dot_plot(rows, unit, marks, share=share), describe_dots(rows), key)


def describe_dots(rows: Sequence[Dot]) -> str:
    """Return dots in words: all values if they are few, else the lowest and the highest."""
    defined = [row for row in rows if row.value is not None]
    if not defined:
        return "There is nothing to show yet."
    if len(defined) <= 8:
        words = [f"{row.label} {format_value(row.value, 'figure')}{format_interval(row)}" for row in defined]
        return f"{'; '.join(words)}."
    rows = [end(defined, key=lambda row: float(row.value or 0)) for end in (min, max)]
    ends = [f"{format_value(row.value, 'figure')} ({row.label})" for row in rows]
    return f"{len(defined)} values, from {' to '.join(ends)}."
