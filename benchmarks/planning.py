"""Measure how long a plan takes, and how even it is: python -m benchmarks.planning --json.

Texts have from some ten to some hundred markables (log-normal, median 55), in three genres. A text goes to k coders. At
random: k coders are drawn for each text, as a script of five lines would do it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import statistics
import time
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from annotations.planning.plans.designs.proposing import propose
from annotations.planning.plans.designs.terms import PlanCoder, PlanParameters, PlanText

SEED = 7
# Texts, coders, coders a text. The first is the one with goals.
SIZES = [(1000, 20, 3), (100, 5, 2), (30, 7, 3), (2000, 50, 3), (10_000, 20, 2)]
GOALS = "under 2 s, everybody within 2 % of equal work, pairs within 2 texts of each other, connected"

type Assigned = dict[str, tuple[str, ...]]


def make_texts(n: int) -> list[PlanText]:
    """Return texts with numbers of markables as corpora have them."""
    source = random.Random(SEED)
    return [PlanText(f"text-{i:05}", int(source.lognormvariate(4, 0.6)) + 1, f"genre-{i % 3}") for i in range(n)]


def assign_at_random(texts: list[PlanText], coders: list[PlanCoder], k: int) -> Assigned:
    """Return k coders drawn for each text, each set of them as likely as any other."""
    source, names = random.Random(SEED), [coder.name for coder in coders]
    return {text.name: tuple(sorted(source.sample(names, k))) for text in texts}


def assign_by_plan(texts: list[PlanText], coders: list[PlanCoder], k: int) -> Assigned:
    return propose(texts, coders, PlanParameters(k=k, seed=SEED)).assignments


def describe(texts: list[PlanText], coders: list[PlanCoder], assigned: Assigned) -> dict[str, float | int]:
    """Return how many per cent the work of coders is from equal at most, and how many texts pairs share."""
    work = dict.fromkeys((coder.name for coder in coders), 0)
    shared = dict.fromkeys(combinations(sorted(work), 2), 0)
    for text in texts:
        for name in assigned[text.name]:
            work[name] += text.work
        for pair in combinations(assigned[text.name], 2):
            shared[pair] += 1
    equal = sum(work.values()) / len(work)
    return {
        "work_percent": round(100 * max(abs(value - equal) for value in work.values()) / equal, 2),
        "fewest_shared": min(shared.values()),
        "most_shared": max(shared.values()),
    }


def measure(repeats: int, sizes: Sequence[tuple[int, int, int]] = SIZES) -> dict[str, dict[str, Any]]:
    """Return the figures of each size, of plan and random assignment."""
    ways: dict[str, Callable[[list[PlanText], list[PlanCoder], int], Assigned]] = {
        "plan": assign_by_plan,
        "at random": assign_at_random,
    }
    figures: dict[str, dict[str, Any]] = {}
    for n, v, k in sizes:
        texts, coders = make_texts(n), [PlanCoder(f"coder-{i:02}") for i in range(v)]
        row = figures[f"{n:,} texts, {v} coders, {k} a text"] = {}
        for name, assign in ways.items():
            times = []
            for _ in range(repeats):
                start = time.perf_counter()
                assigned = assign(texts, coders, k)
                times.append(time.perf_counter() - start)
            row[name] = {"seconds": round(statistics.median(times), 3), **describe(texts, coders, assigned)}
    return figures


def report(figures: dict[str, dict[str, Any]]) -> str:
    """Return the figures as a page of the documentation."""
    lines = [
        "# Benchmark of plans",
        "",
        "Who codes which text, beside k coders drawn at random for each text. Texts have from some ten to some hundred",
        "markables, in three genres. *Work*: how far the work of a coder is from equal at most. *Shared*: how many",
        "texts two coders share, of the pair with the fewest and of that with the most. Seconds are medians.",
        f"Goals of the first row: {GOALS}.",
        "",
        f"Python {platform.python_version()}, {os.cpu_count()} cores.",
        "",
        "| | | seconds | work | shared |",
        "| --- | --- | ---: | ---: | ---: |",
    ]
    for size, ways in figures.items():
        for name, row in ways.items():
            shared = f"{row['fewest_shared']} to {row['most_shared']}"
            lines.append(f"| {size} | {name} | {row['seconds']:.2f} | {row['work_percent']:.2f} % | {shared} |")
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write them as a page of the documentation")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--smallest", action="store_true", help="the smallest size alone, to see that it runs")
    options = parser.parse_args(arguments)
    figures = measure(options.repeats, [min(SIZES)] if options.smallest else SIZES)
    if options.write:
        options.write.write_text(report(figures), "utf-8")
    print(json.dumps(figures, indent=2) if options.json else report(figures))


if __name__ == "__main__":
    main()
