"""Measure how long a plan takes, and how even it is: docs/benchmarks-planning.md."""

import random
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations
from typing import Any

from annotations.planning.plans.designs.proposing import propose
from annotations.planning.plans.designs.terms import PlanCoder, PlanParameters, PlanText
from benchmarks.environment.command import conditions, make_parser, publish, table
from benchmarks.environment.processes import seconds_of

SEED = 7
# Texts, coders, coders a text. The first is the one with goals.
SIZES = [(1000, 20, 3), (100, 5, 2), (30, 7, 3), (2000, 50, 3), (10_000, 20, 2)]

type Assigned = dict[str, tuple[str, ...]]


def make_texts(n: int) -> list[PlanText]:
    """Return texts with numbers of markables as corpora have them."""
    source = random.Random(SEED)
    return [PlanText(f"text-{i:05}", int(source.lognormvariate(4, 0.6)) + 1, f"genre-{i % 3}") for i in range(n)]


def assign_at_random(texts: list[PlanText], coders: list[PlanCoder], k: int) -> Assigned:
    """Return k coders drawn for each text, each set of them as likely as any other."""
    source, names = random.Random(SEED), [coder.name for coder in coders]
    return {text.name: tuple(sorted(source.sample(names, k))) for text in texts}


def describe(texts: list[PlanText], coders: list[PlanCoder], assigned: Assigned) -> dict[str, float | int]:
    """Return how many per cent the work of coders is from equal at most, and how many texts pairs share."""
    work: Counter[str] = Counter()
    for text in texts:
        work.update(dict.fromkeys(assigned[text.name], text.work))
    equal = sum(work.values()) / len(coders)
    pairs = Counter(pair for names in assigned.values() for pair in combinations(names, 2))
    shared = [pairs[pair] for pair in combinations(sorted(coder.name for coder in coders), 2)]
    return {
        "work_percent": round(100 * max(abs(work[coder.name] - equal) for coder in coders) / equal, 2),
        "fewest_shared": min(shared),
        "most_shared": max(shared),
    }


def measure(repeats: int, sizes: Sequence[tuple[int, int, int]]) -> dict[str, dict[str, Any]]:
    """Return the figures of each size, of plan and random assignment."""
    ways: dict[str, Callable[..., Assigned]] = {
        "plan": lambda texts, coders, k: propose(texts, coders, PlanParameters(k=k, seed=SEED)).assignments,
        "at random": assign_at_random,
    }
    figures: dict[str, dict[str, Any]] = {}
    for n, v, k in sizes:
        texts, coders = make_texts(n), [PlanCoder(f"coder-{i:02}") for i in range(v)]
        figures[f"{n:,} texts, {v} coders, {k} a text"] = {
            name: {
                "seconds": round(
                    statistics.median(seconds_of(partial(assign, texts, coders, k)) for _ in range(repeats)), 3
                ),
                **describe(texts, coders, assign(texts, coders, k)),
            }
            for name, assign in ways.items()
        }
    return figures


def report(figures: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Yield the lines of the table."""
    yield from (conditions(), "")
    rows = [
        (
            size,
            name,
            f"{row['seconds']:.2f}",
            f"{row['work_percent']:.2f} %",
            f"{row['fewest_shared']} to {row['most_shared']}",
        )
        for size, ways in figures.items()
        for name, row in ways.items()
    ]
    yield from table(("", "", "seconds", "work", "shared"), rows, texts=2)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = make_parser("planning", __doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--smallest", action="store_true", help="the smallest size alone, to see that it runs")
    options = parser.parse_args(arguments)
    figures = measure(options.repeats, [min(SIZES)] if options.smallest else SIZES)
    publish(options, figures, report(figures))


if __name__ == "__main__":
    main()
