"""Agreement of a CSV file, on the command line: python -m agreement.measures judgements.csv"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from agreement.measures.coefficients.alpha import alphas
from agreement.measures.coefficients.kappas import fleiss_kappa
from agreement.measures.data.reliability_data import ReliabilityData
from agreement.measures.options import DISTANCES, EMPTY, EXCLUDE_UNIT, SET_DISTANCES, THIRDS
from agreement.measures.results import format_defined, pluralize
from agreement.measures.uncertainty.bootstrap import bootstrap
from agreement.measures.uncertainty.intervals import Interval


def main(arguments: Sequence[str] | None = None) -> int:
    """Print alpha with each distance, and K of categories, with intervals. Returns 2 for input that cannot be used."""
    options = _parser().parse_args(arguments)
    conventions = {"exclude_unit": options.exclude_unit, "empty": options.empty, "thirds": options.thirds}
    try:
        data = _data(options)
        sampling = {"n": options.n, "seed": options.seed, "level": options.level}
        distances = options.distance or (SET_DISTANCES if data.has_sets else ("nominal",))
        by_distance = bootstrap(data, alphas, distances, **sampling, **conventions)
        intervals = {f"alpha, {name}": each for name, each in by_distance.items()}
        if not data.has_sets:
            intervals["K"] = bootstrap(data, fleiss_kappa, **sampling)
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201
        return 2
    print(_json(intervals) if options.json else _text(intervals))  # noqa: T201
    return 0


def _data(options: argparse.Namespace) -> ReliabilityData:
    if options.matrix:
        return ReliabilityData.from_matrix(options.file, raw=options.raw)
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
    parser.add_argument("--raw", action="store_true", help="its cells have no apostrophes for spreadsheets")
    parser.add_argument("--distance", action="append", choices=DISTANCES, help="may be given several times")
    parser.add_argument("--exclude-unit", choices=EXCLUDE_UNIT, default="none")
    parser.add_argument("--empty", choices=EMPTY, default="subset")
    parser.add_argument("--thirds", choices=THIRDS, default="exact")
    parser.add_argument("--replicates", dest="n", type=int, default=2000, help="of the bootstrap (default: 2000)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--level", type=float, default=0.95, help="of the intervals (default: 0.95)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _text(intervals: dict[str, Interval]) -> str:
    lines = []
    for name, interval in intervals.items():
        line = f"{name:<20} {format_defined(interval.value):>9}"
        if interval.low is not None and interval.high is not None:
            line += f"   {interval.level:.0%} {interval.low:7.4f} to {interval.high:7.4f}"
        lines.append(f"{line}   {interval.result.note}".rstrip())
    used = next(iter(intervals.values()))
    lines.append("")
    lines.append(repr(used.result).strip("<>").partition(": ")[2])
    lines.append(f"intervals from {pluralize(used.n, 'bootstrap replicate')} of {pluralize(used.n_groups, used.by)}")
    return "\n".join(lines)


def _json(intervals: dict[str, Interval]) -> str:
    names = ("value", "observed", "expected", "n_units", "n_coders", "n_judgements", "n_values", "note")
    return json.dumps(
        {
            name: {
                **{field: getattr(interval.result, field) for field in names},
                "left_out": dict(interval.result.left_out),
                "parameters": dict(interval.result.parameters),
                "low": interval.low,
                "high": interval.high,
                "level": interval.level,
                "standard_error": interval.standard_error,
                "by": interval.by,
                "replicates": interval.n,
                "seed": interval.seed,
            }
            for name, interval in intervals.items()
        },
        indent=2,
    )


if __name__ == "__main__":
    sys.exit(main())
