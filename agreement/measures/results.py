"""Results of coefficients, and their display: a table in a notebook or a paper, and a chart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from html import escape
from math import erfc, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from .extras import is_installed, require
from .values import Floats

BACKENDS = ("matplotlib", "plotly")
LATEX = str.maketrans(
    {sign: rf"\{sign}" for sign in "&%$#_{}"}
    | {
        "\\": r"\textbackslash{}",
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
    """Display of results: a table in notebooks, `to_latex` and `plot`."""

    @property
    def axis(self) -> str:
        """The label of the axis of a chart."""
        return "value"

    def _rows(self) -> Mapping[str, object]:
        """Return the rows of the table, without empty values."""
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
    """Draw several results below each other, each as a point with its interval, if any.

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
        points += [replace(point, name=name if len(own) == 1 else f"{name}, {point.name}") for point in own]
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
    r"""Return a row of LaTeX, protected from the \\\\ before it, which takes a bracket or star as its option."""
    line = " & ".join(cell.translate(LATEX) for cell in cells)
    return f"{{}}{line}" if line.startswith(("[", "*")) else line


def _reaches(points: Sequence[Point]) -> tuple[Floats, Floats, Floats]:
    """Return the values, and the distances to the ends of their intervals, NaN where there is none."""
    found = [[nan if x is None else x for x in (point.value, point.low, point.high)] for point in points]
    values, low, high = np.array(found, dtype=np.float64).reshape(-1, 3).T
    return values, values - low, high - values


def _draw_matplotlib(points: Sequence[Point], axis: str, ax: Any) -> Any:
    from matplotlib import pyplot

    if ax is None:
        _, ax = pyplot.subplots(figsize=(6.4, 1 + 0.4 * len(points)), layout="constrained")
    values, below, above = _reaches(points)
    places = range(len(points))
    ax.errorbar(values, places, xerr=[below, above], fmt="o", capsize=3)
    ax.set_yticks(places, [point.name for point in points])
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
    names = [point.name for point in points]
    figure.update_yaxes(tickvals=places, ticktext=names, range=[len(points) - 0.5, -0.5], automargin=True)
    figure.update_layout(height=140 + 40 * len(points))
    return figure


TOO_FEW_CODERS = "coded by fewer than two coders"
NOT_BY_ALL = "not coded by all coders"
NOT_CODED = "coded by no coder"


class Figure(Display):
    """Base of results with a `value` and a `note`: conversion to a number or dictionary, and display.

    `float(result)` raises ValueError with the note where the value is None, and a format such as `f"{result:.3f}"` is
    that of the value, or "undefined".
    """

    if TYPE_CHECKING:  # fields of some, properties of others

        @property
        def value(self) -> float | None: ...

        @property
        def note(self) -> str: ...

    def __float__(self) -> float:
        if self.value is None:
            raise ValueError(self.note or "the value is undefined")
        return self.value

    def __format__(self, specification: str) -> str:
        if not specification:
            return str(self)
        return "undefined" if self.value is None else format(self.value, specification)

    def to_dict(self) -> dict[str, object]:
        """Return the fields as a dictionary of numbers, texts, lists and dictionaries, for JSON or a table."""
        return {field.name: to_plain(getattr(self, field.name)) for field in fields(self)}  # type: ignore[arg-type]

    def _rows(self) -> Mapping[str, object]:
        return {"value": format_defined(self.value), "note": self.note}

    def _points(self) -> Sequence[Point]:
        return [Point("value", self.value)]


def to_plain(value: object) -> object:
    """Return the value with results and mappings as dictionaries, and tuples as lists."""
    if isinstance(value, Figure):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {key: to_plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [to_plain(item) for item in value]
    return value


@dataclass(frozen=True)
class Result(Figure):
    """A coefficient with its data counts, parameters and notes.

    `value` is None where the coefficient is undefined, and `note` then says why. `observed` and `expected`
    are what the coefficient is made of: disagreement for alpha and beta, agreement for all others. The counts are
    of what was used; `left_out` gives the number of units left out for each reason.

    >>> Result("alpha", 0.5, 0.25, 0.5, n_units=4, n_coders=2, n_values=2, n_judgements=8)
    <alpha = 0.5000: 4 units, 2 coders, 8 judgements, 2 values>
    """

    coefficient: str
    value: float | None
    observed: float | None
    expected: float | None
    n_units: int
    n_coders: int
    n_values: int
    n_judgements: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)
    note: str = ""

    def __repr__(self) -> str:
        text = f"{self.coefficient} {format_equality(self.value)}: {self._counts()}"
        for reason, count in self.left_out.items():
            text += f"; {count} {reason}"
        if self.note:
            text += f"; {self.note}"
        return f"<{text}>"

    def _counts(self) -> str:
        counts = {"unit": self.n_units, "coder": self.n_coders, "judgement": self.n_judgements, "value": self.n_values}
        return ", ".join(pluralize(count, noun) for noun, count in counts.items())

    def _rows(self) -> dict[str, object]:
        return {
            self.coefficient: format_defined(self.value),
            "observed": format_value(self.observed),
            "expected": format_value(self.expected),
            "used": self._counts(),
            **{f"units {reason}": count for reason, count in self.left_out.items()},
            **self.parameters,
            "note": self.note,
        }

    def _points(self) -> Sequence[Point]:
        return [Point(self.coefficient, self.value)]


@dataclass(frozen=True)
class CategoryKappa(Figure):
    """K of one category against all others; None where no disagreement is expected."""

    category: object
    value: float | None
    n_judgements: int

    @property
    def note(self) -> str:
        """The reason for a missing value."""
        return "" if self.value is not None else "chance would agree as well"


@dataclass(frozen=True, repr=False)
class KappaResult(Result):
    """A kappa with its standard errors, where they are known.

    `standard_error` is for intervals; `standard_error_null` holds if coders agree by chance only, and `z` is the value
    over it. `categories` is the kappa of each category. None, or nothing, where the source gives no formula; `z_note`
    says why a formula that there is gives no z.
    """

    standard_error: float | None = None
    standard_error_null: float | None = None
    categories: tuple[CategoryKappa, ...] = ()
    z_note: str = ""

    def __repr__(self) -> str:
        text = super().__repr__()
        return f"{text[:-1]}; {self.z_note}>" if self.z_note else text

    @property
    def z(self) -> float | None:
        """The value in standard errors of chance agreement."""
        if self.value is None or not self.standard_error_null:
            return None
        return self.value / self.standard_error_null

    @property
    def p_value(self) -> float | None:
        """The probability of a z as far from 0, on either side, if coders agreed by chance only."""
        return None if self.z is None else erfc(abs(self.z) / sqrt(2))

    def to_dict(self) -> dict[str, object]:
        """Return the fields, z and p as a dictionary."""
        return {**super().to_dict(), "z": self.z, "p_value": self.p_value}

    def _rows(self) -> dict[str, object]:
        rows = super()._rows()
        note = rows.pop("note")
        rows["standard error"] = format_value(self.standard_error)
        rows["standard error by chance"] = format_value(self.standard_error_null)
        rows["z"] = self.z_note if self.z is None else f"{self.z:.2f}"
        rows["p"] = "" if self.p_value is None else f"{self.p_value:.4g}"
        for row in self.categories:
            rows[f"{self.coefficient} of {row.category}"] = format_defined(row.value)
        return rows | {"note": note}

    def _points(self) -> Sequence[Point]:
        of_categories = (Point(f"{self.coefficient} of {row.category}", row.value) for row in self.categories)
        return [*super()._points(), *of_categories]


def format_equality(value: float | None) -> str:
    """Return the value after an equals sign, or "undefined" for None."""
    return "undefined" if value is None else f"= {value:z.4f}"


def format_defined(value: float | None) -> str:
    """Return the value with four decimals, or "undefined" for None."""
    return "undefined" if value is None else f"{value:z.4f}"


def format_value(value: float | None) -> str:
    """Return the value with four decimals, or nothing for None."""
    return "" if value is None else f"{value:z.4f}"


def format_bounds(low: float | None, high: float | None) -> str:
    """Return the ends of an interval, or nothing where there is none."""
    return "" if low is None else f"{format_value(low)} to {format_value(high)}"


def nonzero_counts(reasons: Mapping[str, int]) -> dict[str, int]:
    """Return the reasons with a count above 0."""
    return {reason: count for reason, count in reasons.items() if count}


def pluralize(count: int, noun: str) -> str:
    """Return the number with its noun: 1 unit, 2 units."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
