"""How results are shown: as a table in a notebook or a paper, and as a chart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from math import nan
from typing import Any

import numpy as np

from .extras import is_installed, require
from .values import Floats

BACKENDS = ("matplotlib", "plotly")
LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        # in the fonts that LaTeX has by itself these are other signs
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        # an empty line would end the paragraph, and a caption has one
        "\n": " ",
        "\r": " ",
        "\N{MINUS SIGN}": "$-$",
    }
)


@dataclass(frozen=True)
class Point:
    """A point of a chart: its name, its value (None where undefined), and the ends of its interval if there is one."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None


class Display:
    """What results have that can be shown: a table in notebooks by itself, `to_latex` and `plot`."""

    @property
    def axis(self) -> str:
        """What the axis of a chart is of."""
        return "value"

    def _rows(self) -> Mapping[str, object]:
        """Return what the table shows, a line each; those without a value are left out."""
        raise NotImplementedError

    def _points(self) -> Sequence[Point]:
        raise NotImplementedError

    def _cells(self) -> Sequence[Sequence[str]]:
        return [[name, str(text)] for name, text in self._rows().items() if text != ""]

    def _repr_html_(self) -> str:
        rows = (
            f"<tr><th>{escape(name)}</th>{''.join(f'<td>{escape(text)}</td>' for text in texts)}</tr>"
            for name, *texts in self._cells()
        )
        return f"<table>{''.join(rows)}</table>"

    def to_latex(self) -> str:
        r"""Return the table that a notebook shows as a `tabular` for LaTeX with the package booktabs."""
        cells = self._cells()
        body = "".join(f"  {latex_row(row)} \\\\\n" for row in cells)
        columns = "l" + "r" * (len(cells[0]) - 1 if cells else 1)
        return f"\\begin{{tabular}}{{{columns}}}\n  \\toprule\n{body}  \\bottomrule\n\\end{{tabular}}\n"

    def plot(self, ax: Any = None, *, backend: str | None = None) -> Any:
        """Draw the value, or each of the values, as a point with its interval. See `plot`."""
        return draw(self._points(), self.axis, ax, backend)


def plot(results: Mapping[str, Display], ax: Any = None, *, backend: str | None = None) -> Any:
    """Draw several results below each other: of each the value as a point, with its interval where there is one.

    `backend` is "matplotlib", which draws into `ax` or a figure of its own and returns the Axes, or "plotly", which
    returns a Figure; by default it is Matplotlib if it is installed, else Plotly. Undefined values have a name and no
    point. Raises ValueError for another backend, and ImportError, naming the extra, where what draws is not installed.

    >>> rows = [["a", "a"], ["b", "b"], ["a", "b"]]
    >>> figure = plot({"alpha": alpha(rows), "pi": scott_pi(rows)}, backend="plotly")
    >>> [f"{value:.2f}" for value in figure.data[0].x], list(figure.layout.yaxis.ticktext)
    (['0.44', '0.33'], ['alpha', 'pi'])
    """
    points = []
    for name, result in results.items():
        own = result._points()
        points += [replace(one, name=name if len(own) == 1 else f"{name}, {one.name}") for one in own]
    axes = {result.axis for result in results.values()}
    return draw(points, axes.pop() if len(axes) == 1 else "value", ax, backend)


def draw(points: Sequence[Point], axis: str, ax: Any = None, backend: str | None = None) -> Any:
    """Draw points below each other, as `plot` does."""
    if backend is None:
        backend = "plotly" if ax is None and not is_installed("matplotlib") and is_installed("plotly") else "matplotlib"
    if backend not in BACKENDS:
        raise ValueError(f"backend is {backend!r}; it is one of {', '.join(BACKENDS)}")
    if ax is not None and backend != "matplotlib":
        raise ValueError(f"ax is an Axes of Matplotlib, and the backend {backend}")
    require(backend, "a chart")
    return _draw_matplotlib(points, axis, ax) if backend == "matplotlib" else _draw_plotly(points, axis)


def latex_row(cells: Sequence[str]) -> str:
    r"""Return a row of LaTeX. Brackets or a star at its beginning would be an option of the \\\\ before it."""
    line = " & ".join(cell.translate(LATEX) for cell in cells)
    return f"{{}}{line}" if line.startswith(("[", "*")) else line


def _reaches(points: Sequence[Point]) -> tuple[Floats, Floats, Floats]:
    """Return the values, and how far the intervals go below and above them; NaN where there is none."""
    found = [[nan if x is None else x for x in (one.value, one.low, one.high)] for one in points]
    values, low, high = np.array(found, dtype=np.float64).reshape(-1, 3).T
    return values, values - low, high - values


def _draw_matplotlib(points: Sequence[Point], axis: str, ax: Any) -> Any:
    from matplotlib import pyplot

    if ax is None:
        _, ax = pyplot.subplots(figsize=(6.4, 1 + 0.4 * len(points)), layout="constrained")
    values, below, above = _reaches(points)
    places = range(len(points))
    ax.errorbar(values, places, xerr=[below, above], fmt="o", capsize=3)
    ax.set_yticks(places, [one.name for one in points])
    ax.set_ylim(len(points) - 0.5, -0.5)
    ax.set_xlabel(axis)
    return ax


def _draw_plotly(points: Sequence[Point], axis: str) -> Any:
    from plotly import graph_objects

    values, below, above = _reaches(points)
    places = list(range(len(points)))
    reach = {"type": "data", "symmetric": False, "array": above, "arrayminus": below}
    figure = graph_objects.Figure(graph_objects.Scatter(x=values, y=places, mode="markers", error_x=reach))
    figure.update_xaxes(title=axis)
    names = [one.name for one in points]
    figure.update_yaxes(tickvals=places, ticktext=names, range=[len(points) - 0.5, -0.5], automargin=True)
    figure.update_layout(height=140 + 40 * len(points))
    return figure
