"""Report -> Plotly figure: plain data, pure. Colours and type are the page's, which puts them in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from operator import sub
from typing import Any

from agreement.results.tables import format_value

type Figure = dict[str, Any]
type Number = float | int | None

ROW = 26  # pixels for a row of dots or cells
HEAD = 90  # pixels for an axis and its title
PANEL = 76  # pixels for a row of small multiples, of which its name and the gap below leave a share to bars
PANEL_SHARE = 0.85
MARGIN_OF_SHARES = 0.02
WIDEST_LABEL = 40
MOST_IN_WORDS = 24  # columns of a heat map that have room for figures
PATTERNS = ("", "/", ".", "x", "-", "|", "+", "\\")
# Besides its colour each line has a marker of its own.
MARKERS = ("circle", "square", "diamond", "cross", "x", "triangle-up", "star", "hexagon", "pentagon", "bowtie")


@dataclass(frozen=True, slots=True)
class Dot:
    """A value with its interval."""

    label: str
    value: Number
    low: Number = None
    high: Number = None


def dot_plot(rows: Sequence[Dot], unit: str, marks: Sequence[float] = (), *, share: bool = False) -> Figure:
    """Return dots with whiskers, one row each, the first on top; `marks` are lines across.

    share: values are from 0 to 1, and the axis shows nothing beyond.
    """
    defined = [row for row in rows if row.value is not None]
    trace = {
        "type": "scatter",
        "mode": "markers",
        "x": [row.value for row in defined],
        "y": list(range(len(defined))),
        "customdata": [[escape_markup(row.label), format_interval(row)] for row in defined],
        "hovertemplate": "%{customdata[0]}: %{x:.3f}%{customdata[1]}<extra></extra>",
        "error_x": {**_whiskers(defined), "thickness": 2, "width": 0},
        "marker": {"size": 10},
    }
    return {
        "data": [trace],
        "layout": {
            "height": HEAD + ROW * max(len(defined), 2),
            "xaxis": {"title": {"text": unit}} | (_share_range() if share else {}),
            "yaxis": _named_axis([row.label for row in defined], downwards=True),
            "shapes": [_line_at("x", mark) for mark in marks],
        },
    }


def _whiskers(rows: Sequence[Dot]) -> dict[str, Any]:
    """Return how far intervals reach beyond their values; half an interval is none."""
    reach = [
        (0.0, 0.0) if row.low is None or row.high is None else (value - row.low, row.high - value)
        for row in rows
        for value in [float(row.value or 0)]
    ]
    array, minus = [high for _, high in reach], [low for low, _ in reach]
    return {"type": "data", "symmetric": False, "array": array, "arrayminus": minus}


def _line_at(axis: str, mark: float) -> dict[str, Any]:
    """Return a dotted line across, at a value of an axis."""
    other = "y" if axis == "x" else "x"
    ends = {f"{axis}0": mark, f"{axis}1": mark, f"{other}0": 0, f"{other}1": 1, f"{other}ref": "paper"}
    return {"type": "line", **ends, "line": {"dash": "dot", "width": 1}}


def heat_map(
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[Number]],
    unit: str,
    axes: tuple[str, str] = ("", ""),
    addresses: Sequence[str] | Sequence[Sequence[str]] = (),
) -> Figure:
    """Return a heat map with the value in each cell; None stays empty. `axes` are what rows and columns are.

    `addresses` are where a click on a row leads, or on each of its cells.

    Colours begin at 0, or below where a value is, and end at 1 or with the largest: the same colour is the same value
    on every page. The page puts in its scale of one hue, and in each cell the colour of letters that is read best.
    """
    defined = [value for row in values for value in row if value is not None]
    whole = all(isinstance(value, int) for value in defined)  # counts
    trace = {
        "type": "heatmap",
        "x": list(range(len(columns))),
        "y": list(range(len(rows))),
        "z": [list(row) for row in values],
        "zmin": min(0, *defined, 0),
        "zmax": max(1, *defined, 1),
        "text": [["" if value is None else _cell_text(value, whole) for value in row] for row in values],
        "texttemplate": "%{text}" if len(columns) <= MOST_IN_WORDS else "",
        "customdata": [[escape_markup(f"{row} – {column}") for column in columns] for row in rows],
        "hovertemplate": f"%{{customdata}}: %{{z:{',' if whole else '.3f'}}}<extra></extra>",
        "hoverongaps": False,
        "xgap": 1,
        "ygap": 1,
        "colorbar": {"title": {"text": unit, "side": "right"}, "thickness": 12},
        **_leading_to(addresses),
    }
    return {
        "data": [trace],
        "layout": {
            "height": HEAD + 40 + max(ROW * len(rows), 60),
            "xaxis": {**_named_axis(columns), **_axis_title(axes[1]), "showgrid": False},
            "yaxis": {**_named_axis(rows, downwards=True), **_axis_title(axes[0]), "showgrid": False},
        },
    }


def _leading_to(addresses: Sequence[object]) -> dict[str, Any]:
    """Return where clicks on the points of a trace lead, for the page's script."""
    return (
        {"meta": {"addresses": [list(one) if isinstance(one, tuple) else one for one in addresses]}}
        if addresses
        else {}
    )


def _cell_text(value: float, whole: bool) -> str:
    return f"{value:,}" if whole else f"{value:.2f}"


def _axis_title(title: str) -> dict[str, Any]:
    # with a distance of its own a title stands beyond the labels, however long they are
    return {"title": {"text": escape_markup(title), "standoff": 12}} if title else {}


def line_chart(
    stages: Sequence[str], series: Mapping[str, Sequence[Number]], unit: str, *, share: bool = False
) -> Figure:
    """Return a line for each name, each with a marker of its own; gaps where there is no value.

    share: values are from 0 to 1, and the axis shows nothing beyond.
    """
    traces = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": escape_markup(name),
            "x": list(range(len(stages))),
            "y": list(values),
            "customdata": [escape_markup(stage) for stage in stages],
            "marker": {"symbol": MARKERS[number % len(MARKERS)], "size": 8},
            "hovertemplate": "%{fullData.name}, %{customdata}: %{y:.3f}<extra></extra>",
        }
        for number, (name, values) in enumerate(series.items())
    ]
    values_axis = {"title": {"text": unit}} | (_share_range() if share else {})
    layout = {"height": 320, "xaxis": _named_axis(stages), "yaxis": values_axis, "showlegend": True}
    return {"data": traces, "layout": layout}


def _share_range() -> dict[str, Any]:
    """Return what keeps the range that is chosen for an axis of shares between 0 and 1, with room for half a dot."""
    return {"autorangeoptions": {"clipmin": -MARGIN_OF_SHARES, "clipmax": 1 + MARGIN_OF_SHARES}}


def band_chart(points: Sequence[Dot], x: str, unit: str, marks: Sequence[float] = ()) -> Figure:
    """Return a line through values at the numbers that label them, with whiskers; `marks` are lines across."""
    defined = [point for point in points if point.value is not None]
    places = [float(point.label) for point in defined]
    values = [float(point.value or 0) for point in defined]
    whiskers = _whiskers(defined)
    trace = {
        "type": "scatter",
        "mode": "lines+markers",
        "x": places,
        "y": values,
        "customdata": [format_interval(point) for point in defined],
        "hovertemplate": f"%{{x}} {escape_markup(x)}: %{{y:.3f}}%{{customdata}}<extra></extra>",
        "error_y": {**whiskers, "thickness": 1.5, "width": 3},
        "marker": {"size": 8},
    }
    step = -(-int(max(places, default=1)) // 12)  # whole numbers
    # A wide interval of few texts would press all others flat.
    lowest = max(min([*map(sub, values, whiskers["arrayminus"]), 0.0]), -1.0)
    return {
        "data": [trace],
        "layout": {
            "height": 320,
            "xaxis": {"title": {"text": escape_markup(x)}, "zeroline": False, "tick0": 0, "dtick": step},
            "yaxis": {"title": {"text": unit}, "range": [lowest - 0.05, 1.05]},
            "shapes": [_line_at("y", mark) for mark in marks],
        },
    }


def forecast_chart(
    known: Sequence[tuple[float, float]],
    foretold: Sequence[tuple[float, float]],
    names: tuple[str, str],
    target: float,
    x: str,
    unit: str,
) -> Figure:
    """Return a line through what is known and a dashed one through what is foretold; `target` is a line across.

    known and foretold: points (x, y), of which the last known one is the first foretold.
    """
    traces = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": escape_markup(name),
            "x": [place for place, _ in points],
            "y": [value for _, value in points],
            "line": {"dash": dash},
            "marker": {"symbol": symbol, "size": 8},
            "hovertemplate": f"%{{x:,}} {escape_markup(x)}: ±%{{y:.3f}}<extra>%{{fullData.name}}</extra>",
        }
        for name, points, dash, symbol in zip(
            names, (known, foretold), ("solid", "dash"), ("circle", "circle-open"), strict=True
        )
    ]
    line = {"type": "line", "y0": target, "y1": target, "x0": 0, "x1": 1, "xref": "paper", "line": {"dash": "dot"}}
    # what three texts give would press all others flat
    here = known[-1][1] if known else 0.0
    highest = min(max(value for _, value in (*known, *foretold)), max(3 * here, 2 * target))
    return {
        "data": traces,
        "layout": {
            "height": 340,
            "xaxis": {"title": {"text": escape_markup(x)}, "zeroline": False, "rangemode": "tozero"},
            "yaxis": {"title": {"text": unit}, "range": [0, highest * 1.05]},
            "shapes": [line],
            "showlegend": True,
        },
    }


def stacked_bars(labels: Sequence[str], series: Mapping[str, Sequence[float]], unit: str) -> Figure:
    """Return horizontal bars of parts that make a whole; each part has a pattern besides its colour."""
    traces = [
        {
            "type": "bar",
            "orientation": "h",
            "name": escape_markup(name),
            "y": list(range(len(labels))),
            "x": list(values),
            "customdata": [escape_markup(label) for label in labels],
            "marker": {"pattern": {"shape": PATTERNS[number % len(PATTERNS)], "solidity": 0.25}},
            "hovertemplate": "%{customdata}, %{fullData.name}: %{x:.1%}<extra></extra>",
        }
        for number, (name, values) in enumerate(series.items())
    ]
    return {
        "data": traces,
        "layout": {
            "height": HEAD + 40 + ROW * max(len(labels), 2),
            "barmode": "stack",
            "xaxis": {"title": {"text": unit}, "tickformat": ".0%", "range": [0, 1]},
            "yaxis": _named_axis(labels, downwards=True),
            "showlegend": True,
        },
    }


def bar_chart(labels: Sequence[str], series: Mapping[str, Sequence[float]], x: str, unit: str) -> Figure:
    """Return upright bars of shares side by side; each series has a pattern besides its colour."""
    traces = [
        {
            "type": "bar",
            "name": escape_markup(name),
            "x": list(range(len(labels))),
            "y": list(values),
            "customdata": [escape_markup(label) for label in labels],
            "marker": {"pattern": {"shape": PATTERNS[number % len(PATTERNS)], "solidity": 0.25}},
            "hovertemplate": f"%{{fullData.name}}, {escape_markup(x)} %{{customdata}}: %{{y:.1%}}<extra></extra>",
        }
        for number, (name, values) in enumerate(series.items())
    ]
    return {
        "data": traces,
        "layout": {
            "height": 320,
            "barmode": "group",
            "xaxis": {**_named_axis(labels), **_axis_title(x), "showgrid": False},
            "yaxis": {"title": {"text": unit}, "tickformat": ".0%", "rangemode": "tozero"},
            "showlegend": True,
        },
    }


@dataclass(frozen=True, slots=True)
class Step:
    """A bar along a text, of the items at some positions: what is there, its height, and where a click leads."""

    first: int
    last: int
    words: str
    value: float
    address: str

    @property
    def positions(self) -> str:
        """The positions in words."""
        return str(self.first) if self.first == self.last else f"{self.first} to {self.last}"


def position_chart(steps: Sequence[Step], unit: str) -> Figure:
    """Return a bar for each step along a text, as wide as the positions that it has."""
    trace = {
        "type": "bar",
        "x": [(one.first + one.last) / 2 for one in steps],
        "y": [one.value for one in steps],
        "width": [one.last - one.first + 1 for one in steps],
        "customdata": [[one.positions, shorten(one.words)] for one in steps],
        "hovertemplate": "%{customdata[0]}: %{y:.3f}, %{customdata[1]}<extra></extra>",
        **_leading_to([one.address for one in steps]),
    }
    return {
        "data": [trace],
        "layout": {
            "height": 220,
            "bargap": 0,
            "xaxis": {"title": {"text": "items of the text, in its order"}, "zeroline": False, "showgrid": False},
            "yaxis": {"title": {"text": unit}, "range": [0, 1]},
        },
    }


def small_multiples(days: Sequence[str], series: Mapping[str, Sequence[int]]) -> Figure:
    """Return bars by day, a row of its own for each name, all to one scale; days are dates in ISO form."""
    n, highest = len(series), max((max(values, default=0) for values in series.values()), default=0)
    traces: list[Figure] = []
    layout: Figure = {"height": HEAD + PANEL * n, "showlegend": False, "annotations": []}
    layout["xaxis"] = {"type": "date", "anchor": f"y{n}" if n > 1 else "y", "showgrid": False}
    if days:  # a lone day would be as wide as its hours
        layout["xaxis"]["range"] = [_day_after(days[0], -1), _day_after(days[-1], 1)]
    for number, (name, values) in enumerate(series.items(), start=1):
        axis, top = "" if number == 1 else str(number), 1 - (number - 1) / n
        bottom = top - PANEL_SHARE / n
        traces.append(
            {
                "type": "bar",
                "name": escape_markup(name),
                "x": list(days),
                "y": list(values),
                "xaxis": "x",
                "yaxis": f"y{axis}",
                "hovertemplate": "%{fullData.name}, %{x|%-d %B %Y}: %{y}<extra></extra>",
            }
        )
        layout[f"yaxis{axis}"] = {
            "domain": [bottom, bottom + (top - bottom) * PANEL_SHARE],
            "range": [0, highest],
            "nticks": 3,
        }
        layout["annotations"].append(
            {
                "text": shorten(name),
                "x": 0,
                "y": top,
                "xref": "paper",
                "yref": "paper",
                "xanchor": "left",
                "yanchor": "top",
                "showarrow": False,
            }
        )
    return {"data": traces, "layout": layout}


def _day_after(day: str, number: int) -> str:
    return (date.fromisoformat(day) + timedelta(days=number)).isoformat()


def strip_plot(words: Sequence[str], shares: Sequence[float], unit: str) -> Figure:
    """Return a dot for each item, the largest share first."""
    trace = {
        "type": "scatter",
        "mode": "markers",
        "x": list(range(1, len(shares) + 1)),
        "y": list(shares),
        "customdata": [shorten(word) for word in words],
        "hovertemplate": "%{customdata}: %{y:.1%}<extra></extra>",
        "marker": {"size": 7},
    }
    return {
        "data": [trace],
        "layout": {
            "height": 220,
            "xaxis": {"title": {"text": "items, by share"}},
            "yaxis": {"title": {"text": unit}, "tickformat": ".0%", "rangemode": "tozero"},
        },
    }


@dataclass(frozen=True, slots=True)
class Point:
    """Something with a figure by each of two measurements."""

    label: str
    x: float
    y: float


def scatter_plot(points: Sequence[Point], x: str, y: str) -> Figure:
    """Return points by two figures of one scale; the dotted line is where both are equal."""
    ends = [end([value for point in points for value in (point.x, point.y)], default=0.0) for end in (min, max)]
    margin = max(0.05 * (ends[1] - ends[0]), 0.02)
    reach = [ends[0] - margin, ends[1] + margin]
    trace = {
        "type": "scatter",
        "mode": "markers",
        "x": [point.x for point in points],
        "y": [point.y for point in points],
        "customdata": [escape_markup(point.label) for point in points],
        "hovertemplate": "%{customdata}: %{x:.3f}, %{y:.3f}<extra></extra>",
        "marker": {"size": 10},
    }
    equal = {"type": "line", "x0": reach[0], "y0": reach[0], "x1": reach[1], "y1": reach[1], "line": {"dash": "dot"}}
    return {
        "data": [trace],
        "layout": {
            "height": 380,
            "xaxis": {"title": {"text": escape_markup(x)}, "range": reach},
            "yaxis": {"title": {"text": escape_markup(y)}, "range": reach},
            "shapes": [equal],
        },
    }


def upset_plot(coders: Sequence[str], members: Mapping[frozenset[str], Sequence[str]]) -> Figure:
    """Return a bar for each combination of coders, of the members that exactly they share, with dots that name them.

    `members` has by combination the members that exactly those coders have.
    """
    combinations = sorted(members, key=lambda one: (-len(members[one]), -len(one), sorted(one)))
    places = list(range(len(combinations)))
    step = -(-max(map(len, members.values()), default=1) // 6)  # whole members, and room for their numbers
    bars_ = {
        "type": "bar",
        "x": places,
        "y": [len(members[one]) for one in combinations],
        "customdata": [", ".join(shorten(word) for word in members[one]) for one in combinations],
        "hovertemplate": "%{y}: %{customdata}<extra></extra>",
        "xaxis": "x",
        "yaxis": "y",
    }
    grid = [(place, coder) for place in places for coder in coders]
    dots_ = {
        "type": "scatter",
        "mode": "markers",
        "x": [place for place, _ in grid],
        "y": [list(coders).index(coder) for _, coder in grid],
        "marker": {
            "size": 13,
            "symbol": ["circle" if coder in combinations[place] else "circle-open" for place, coder in grid],
        },
        "hoverinfo": "skip",
        "xaxis": "x",
        "yaxis": "y2",
    }
    return {
        "data": [bars_, dots_],
        "layout": {
            "height": 170 + ROW * len(coders),
            "xaxis": {"showticklabels": False, "showgrid": False, "zeroline": False, "anchor": "y2"},
            "yaxis": {"title": {"text": "members"}, "domain": [0.5, 1], "dtick": step, "rangemode": "tozero"},
            "yaxis2": {**_named_axis(coders, downwards=True), "domain": [0, 0.42], "showgrid": False},
            "showlegend": False,
        },
    }


def format_interval(row: Dot) -> str:
    """Return the ends of a dot's interval in words; empty where it has none."""
    if row.low is None or row.high is None:
        return ""
    return f" ({format_value(row.low, 'figure')} to {format_value(row.high, 'figure')})"


def _named_axis(labels: Sequence[str], *, downwards: bool = False) -> dict[str, Any]:
    """Return an axis of places 0, 1, ... with names: long names are cut, and two that are cut alike stay two."""
    axis: dict[str, Any] = {
        "tickmode": "array",
        "tickvals": list(range(len(labels))),
        "ticktext": [shorten(label) for label in labels],
        "zeroline": False,
    }
    return axis | {"autorange": "reversed"} if downwards else axis


def shorten(label: str) -> str:
    return escape_markup(label if len(label) <= WIDEST_LABEL else f"{label[: WIDEST_LABEL - 1]}…")


def escape_markup(label: str) -> str:
    """Return a label of which Plotly makes no markup: it reads a little HTML in texts."""
    return label.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
