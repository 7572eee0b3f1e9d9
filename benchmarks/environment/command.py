"""What the command lines of simulations have in common, whose tables stand between marks of the documents."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path


def write_between(path: Path, marks: tuple[str, str], content: str) -> None:
    """Write text between the marks of a file, in the place of what is there."""
    begin, end = marks
    head, _, rest = path.read_text(encoding="utf-8").partition(begin)
    _, separator, tail = rest.partition(end)
    if not separator:
        raise SystemExit(f"{path}: the marks {begin} and {end} are not in it")
    path.write_text(f"{head}{begin}\n{content}\n{end}{tail}", encoding="utf-8")


def run_simulations[Figures: Mapping[str, object]](
    module: str,
    description: str | None,
    marks: tuple[str, str],
    runs: int,
    measure: Callable[[int], Figures],
    report: Callable[[Figures, int], str],
    arguments: Sequence[str] | None,
) -> None:
    """Measure and print the table, or JSON, and with --write put the table between the marks of a Markdown file.

    `runs` is how many simulations a row has where nobody says it; `measure` takes it, and `report` makes the table.
    """
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=description)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write them between the marks of a page")
    parser.add_argument("--runs", type=int, default=runs, help=f"how many simulations a row (default: {runs})")
    options = parser.parse_args(arguments)
    figures = measure(options.runs)
    table = report(figures, options.runs)
    if options.write:
        write_between(options.write, marks, table)
    print(json.dumps(figures, indent=2) if options.json else table)
