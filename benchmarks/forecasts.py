"""Compare forecast and observed widths and power: python -m benchmarks.forecasts --write docs/measures.md."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from zlib import crc32

import numpy as np
from numpy.random import Generator

from agreement import measures
from benchmarks.coverage import NOMINAL, hard_texts, labels
from benchmarks.environment.command import make_parser, publish, table

RUNS, POWER_RUNS = 200, 1_000
FEW, MANY = (10, 20), 40
BOUND, APART = 0.55, 0.1
CHAINS = {"distance": "masi", "exclude_unit": "both"}

type Simulate = Callable[..., measures.ReliabilityData]


def width_ratio(
    random: Generator, simulate: Simulate, few: int, many: int, distance: str = "nominal", exclude_unit: str = "none"
) -> float | None:
    """Return the interval width forecast from few texts over that of many others; None if one has no interval."""
    measure = partial(measures.alpha, distance=distance, exclude_unit=exclude_unit)
    foretold = measures.forecast(simulate(random, documents=few), measure).margin(many)
    seen = measures.interval(simulate(random, documents=many), measure)
    if foretold is None or seen.low is None or seen.high is None:
        return None
    return 2 * foretold / (seen.high - seen.low)


def observed_power(random: Generator, texts: int, runs: int) -> tuple[float, float]:
    """Return the power forecast from all corpora, and the share of corpora whose interval is above the bound."""
    corpora = [measures.document_sums(labels(random, texts, 1.0)) for _ in range(runs)]
    lows = [measures.interval_sums(corpus).low for corpus in corpora]
    is_above = [low is not None and low > BOUND for low in lows]
    return float(_forecast_together(corpora).power_above(BOUND, texts) or 0), float(np.mean(is_above))


def observed_power_of_difference(random: Generator, texts: int, runs: int) -> tuple[float, float]:
    """Return the power forecast from all corpora for a difference, and the share of pairs told apart."""
    corpora, n_apart = [], 0
    for _ in range(runs):
        first, second = labels(random, texts, 1.0), labels(random, texts, 1.0)
        corpora += [measures.document_sums(first), measures.document_sums(second)]
        names = [("second", d) for d in second.documents]
        renamed = measures.ReliabilityData(second.units, second.coders, names, second.document_of_unit, second.content)
        difference = measures.difference(first, renamed, measures.alpha)
        # both corpora are of one kind: a true difference of APART would shift the interval by that much
        if difference.low is not None and difference.high is not None:
            n_apart += not difference.low + APART <= 0 <= difference.high + APART
    whole = _forecast_together(corpora)
    return float(whole.power_of_difference(APART, texts) or 0), n_apart / runs


def _forecast_together(corpora: Sequence[Sequence[measures.DocumentSums]]) -> measures.Forecast:
    """Return the forecast of all documents of several corpora."""
    together = [replace(sums, document=(i, sums.document)) for i, corpus in enumerate(corpora) for sums in corpus]
    return measures.forecast_interval(measures.interval_sums(together))


type Row = tuple[str, int, str, str, str] | tuple[str, int, str, str]


def width_rows(runs: int) -> Iterator[Row]:
    """Yield the rows on widths: the median ratio, and the median distance of single ratios from 1."""
    kinds: dict[str, tuple[Simulate, dict[str, str]]] = {
        f"categories, {name}": (partial(labels, hard=hard), {}) for name, hard in NOMINAL.items()
    }
    kinds["chains, MASI"] = (hard_texts, CHAINS)
    for name, (simulate, options) in kinds.items():
        for few in FEW:
            random = np.random.default_rng(crc32(f"{name}, {few}".encode()))
            ratios = [width_ratio(random, simulate, few, MANY, **options) for _ in range(runs)]
            defined = np.array([ratio for ratio in ratios if ratio is not None])
            without = f"{1 - len(defined) / runs:.1%}" if len(defined) < runs else ""
            yield name, few, f"{np.median(defined):.3f}", f"{np.median(np.abs(defined - 1)):.3f}", without


def power_rows(runs: int) -> Iterator[Row]:
    """Yield the rows on power: the forecast and the observed share."""
    observed = {"a difference of .1": observed_power_of_difference, "alpha .62 above .55": observed_power}
    for what, measure in observed.items():
        for texts in (10, 20, 40):
            random = np.random.default_rng(crc32(f"{what}, {texts}".encode()))
            foretold, seen = measure(random, texts, runs)
            yield what, texts, f"{foretold:.3f}", f"{seen:.3f}"


def main(arguments: list[str] | None = None) -> None:
    parser = make_parser("forecasts", __doc__)
    parser.add_argument("--runs", type=int, default=RUNS, help=f"corpora a row of widths (default: {RUNS})")
    parser.add_argument("--power-runs", type=int, default=POWER_RUNS, help=f"of power (default: {POWER_RUNS})")
    options = parser.parse_args(arguments)
    widths, powers = list(width_rows(options.runs)), list(power_rows(options.power_runs))
    lines = [
        f"{options.runs:,} corpora a row; the width of {MANY} texts, foretold over seen in others.",
        "",
        *table(("what", "foretold from texts", "median ratio", "median distance from 1", "without"), widths),
        "",
        f"{options.power_runs:,} corpora a row; categories, many errors.",
        "",
        *table(("what is shown", "texts", "power foretold", "share seen"), powers),
    ]
    publish(options, {"widths": widths, "powers": powers}, lines)


if __name__ == "__main__":
    main()
