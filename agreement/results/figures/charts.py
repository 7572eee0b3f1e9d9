"""Charts of pages: a figure with its subject, what it says in words, and the table that has it all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from agreement.results.figures.plots import Dot, Figure, dot_plot, format_interval
from agreement.results.tables import format_value

MOST_POINTS = 4000  # more are no picture any more, and a page is not to grow with them
POINTS_OF_CELL = 3  # as a cell of a heat map has its names
POINTS_OF_LINE = 8  # as each has a name and its style


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture: its subject as title, what it says in words, and the key of the table that has it all."""

    key: str
    title: str
    figure: Figure
    alternative: str
    table: str

    @property
    def script(self) -> str:
        """The id of the element that holds the figure."""
        return f"figure-{self.key}"

    @property
    def is_empty(self) -> bool:
        """Whether no trace has a value on both axes or in a cell: a box with axes alone shows nothing."""
        for trace in self.figure["data"]:
            parts = [chain(*trace["z"])] if "z" in trace else [trace["x"], trace["y"]]
            if all(set(part) - {None} for part in parts):
                return False
        return True

    @property
    def is_too_large(self) -> bool:
        """Whether it has more points than a page draws: its table has them."""
        points = 0
        for trace in self.figure["data"]:
            lines = POINTS_OF_LINE + max(len(trace["x"]), len(trace["y"]))
            points += POINTS_OF_CELL * sum(map(len, trace["z"])) if "z" in trace else lines
        return points > MOST_POINTS


def dots_chart(
    key: str, title: str, rows: Sequence[Dot], unit: str, marks: Sequence[float] = (), *, share: bool = False
) -> Chart:
    """Return a chart of dots that says in words what they show; its table has the same key."""
    return Chart(key, title, dot_plot(rows, unit, marks, share=share), describe_dots(rows), key)


def describe_dots(rows: Sequence[Dot]) -> str:
    """Return what dots show, in words: all of a few, the ends of many."""
    defined = [row for row in rows if row.value is not None]
    if not defined:
        return "There is nothing to show yet."
    if len(defined) <= 8:
        words = [f"{row.label} {format_value(row.value, 'figure')}{format_interval(row)}" for row in defined]
        return f"{'; '.join(words)}."
    low, high = (end(defined, key=lambda row: float(row.value or 0)) for end in (min, max))
    ends = [f"{format_value(row.value, 'figure')} ({row.label})" for row in (low, high)]
    return f"{len(defined)} values, from {' to '.join(ends)}."
