"""Agreement of a CSV file, on the command line: python -m agreement.measures judgements.csv"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from agreement.measures.coefficients.alpha import alphas
from agreement.measures.coefficients.kappas import fleiss_kappa
from agreement.measures.data.reliability_data import MEMBERS, ReliabilityData
from agreement.measures.options import DISTANCES, EMPTY, EXCLUDE_UNIT, SET_DISTANCES, THIRDS
from agreement.measures.results import format_defined
from agreement.measures.uncertainty.bootstrap import bootstrap
from agreement.measures.uncertainty.default_interval import interval
from agreement.measures.uncertainty.intervals import Interval


def main(arguments: Sequence[str] | None = None) -> int:
    """Print alpha with each distance, and K of categories, with intervals. Returns 2 for input that cannot be used."""
    options = _parser().parse_args(arguments)
    conventions = {"exclude_unit": options.exclude_unit, "empty": options.empty, "thirds": options.thirds}
    try:
        data = _data(options)
        distances = options.distance or (SET_DISTANCES if data.has_sets or data.members == "labels" else ("nominal",))
        estimate: Callable[..., Any] = partial(interval, level=options.level)
        if options.n is not None:
            estimate = partial(bootstrap, n=options.n, seed=options.seed, level=options.level)
        intervals = {f"alpha, {name}": one for name, one in estimate(data, alphas, distances, **conventions).items()}
        if not data.has_sets:
            intervals["K"] = estimate(data, fleiss_kappa)
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201
        return 2
    print(_json(intervals) if options.json else _text(intervals))  # noqa: T201
    return 0


def _data(options: argparse.Namespace) -> ReliabilityData:
    if options.matrix:
        return ReliabilityData.from_matrix(options.file, raw=options.raw, members=options.members)
    return ReliabilityData.from_csv(
        options.file,
        document=options.document,
        unit=options.unit.split(","),
        coder=options.coder,
        label=options.label,
        chain=options.chain,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m agreement.measures", description=__doc__)
    parser.add_argument("file", type=Path, help="CSV (or .tsv) with a header and one judgement per line")
    columns = parser.add_argument_group("columns")
    columns.add_argument("--document", metavar="COLUMN", help="the text (default: document, if there is one)")
    columns.add_argument("--unit", metavar="COLUMN", default="unit", help="the unit; several columns with commas")
    columns.add_argument("--coder", metavar="COLUMN", default="coder")
    columns.add_argument("--chain", metavar="COLUMN", help="a chain's id: units with equal ids are the value")
    columns.add_argument("--label", metavar="COLUMN", help="a category: the value where there is no chain")
    parser.add_argument("--matrix", action="store_true", help="the file is a matrix: document, unit, a column a coder")
    parser.add_argument("--members", choices=MEMBERS, default="units", help="what the members of its sets are")
    parser.add_argument("--raw", action="store_true", help="its cells have no apostrophes for spreadsheets")
    parser.add_argument("--distance", action="append", choices=DISTANCES, help="may be given several times")
    parser.add_argument("--exclude-unit", choices=EXCLUDE_UNIT, default="none")
    parser.add_argument("--empty", choices=EMPTY, default="subset")
    parser.add_argument("--thirds", choices=THIRDS, default="exact")
    parser.add_argument(
        "--replicates", dest="n", type=int, help="take percentiles of so many bootstrap samples, not the jackknife"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the bootstrap")
    parser.add_argument("--level", type=float, default=0.95, help="of the intervals (default: 0.95)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _text(intervals: dict[str, Interval]) -> str:
    lines = []
    for name, one in intervals.items():
        line = f"{name:<20} {format_defined(one.value):>9}"
        if one.low is not None and one.high is not None:
            line += f"   {one.level:.0%} {one.low:7.4f} to {one.high:7.4f}"
        lines.append(f"{line}   {one.note}".rstrip())
    used = next(iter(intervals.values()))
    lines.append("")
    lines.append(repr(used.result).strip("<>").partition(": ")[2])
    lines.append(f"intervals: {used.describe_method()}")
    return "\n".join(lines)


def _json(intervals: dict[str, Interval]) -> str:
    return json.dumps({name: one.to_dict() for name, one in intervals.items()}, indent=2, default=str)


if __name__ == "__main__":
    sys.exit(main())
