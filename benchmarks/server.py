"""Measure how fast the server answers scripts and pages: python -m benchmarks.server --json, or make bench.

`make run` on a free port of this machine, on SQLite and on PostgreSQL. The requests use API keys on persistent
connections: one coding of 100 judgements (read, one saved, 100 saved), a list of 50 texts, and eight coders at once. A
plain application (benchmarks/plain.py) on the same rows of the same database alternates with them.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.data import coders
from benchmarks.environment.databases import NAMES, run_on
from benchmarks.environment.serving import ROOT, MakeRunServer, Server
from benchmarks.environment.traffic import KINDS, Coder, Connection, run_together
from benchmarks.measures import machine

MODULE = "benchmarks.server"
GOALS: dict[str, float | None] = {
    "read_p50_ms": 4,
    "read_after_10000_operations": 1.2,
    "save_one_p50_ms": 5,
    "save_one_p50_ms_after_10000": 5,
    "save_100_p50_ms": 12,
    "list_50_p50_ms": 10,
    "mixed_ops_per_s": 300,
    "mixed_errors": 0,
    "write_p99_ms": 250,
    "cold_start_s": 2,
    "idle_rss_mb": None,
}
# The benchmark sends far more requests than people do; rate limits are another matter.
ENVIRONMENT = {"API_REQUESTS_A_MINUTE": "1000000000"}


class Plain(Server):
    """The plain application, with as many processes and threads."""

    def command(self) -> list[str]:
        options = ["--bind", f"127.0.0.1:{self.port}", "--workers", "2", "--threads", "8", "--preload"]
        return [sys.executable, "-m", "gunicorn", "benchmarks.plain", *options, "--log-level", "error"]


@dataclass(frozen=True)
class RequestVariant:
    """A kind of request, and the server that answers it."""

    name: str
    server: Server
    ask: Callable[[], None]


def alternate(variants: Sequence[RequestVariant], requests: int) -> dict[str, dict[str, float]]:
    """Return the median time of each variant and its processor time. They alternate, so that conditions are equal."""
    block = max(requests // 8, 1)
    times: dict[str, list[float]] = {variant.name: [] for variant in variants}
    cpu_seconds = dict.fromkeys(times, 0.0)
    for variant in variants:
        for _ in range(3):
            variant.ask()
    while min(map(len, times.values())) < requests:
        for variant in variants:
            cpu_before = variant.server.processor_seconds()
            for _ in range(block):
                start = time.perf_counter()
                variant.ask()
                times[variant.name].append(time.perf_counter() - start)
            cpu_seconds[variant.name] += variant.server.processor_seconds() - cpu_before
    return {
        name: {
            "p50_ms": milliseconds(statistics.median(variant_times)),
            "cpu_ms": milliseconds(cpu_seconds[name] / len(variant_times)),
        }
        for name, variant_times in times.items()
    }


def milliseconds(seconds: float) -> float:
    """Return the time in milliseconds, rounded to hundredths."""
    return round(seconds * 1000, 2)


def percentile(times: Sequence[float], share: float) -> float:
    """Return the time within which that share of the requests was answered."""
    return sorted(times)[min(int(share * len(times)), len(times) - 1)]


def fixed_loop() -> float:
    """Return the milliseconds for a million additions in Python, best of five: the present speed of the machine."""
    durations = []
    for _ in range(5):
        start = time.perf_counter()
        total = 0
        for number in range(1_000_000):
            total += number
        durations.append(time.perf_counter() - start)
    return milliseconds(min(durations))


# Measurements


def measure(requests: int, seconds: float, logged: int, starts: int) -> dict[str, Any]:
    """Return all figures on the configured database, which must be empty."""
    data, database = os.environ["DATA_DIR"], os.environ.get("DATABASE_URL")
    server = MakeRunServer(data, database=database, variables=ENVIRONMENT)
    plain = Plain(data, database=database)
    try:
        first_start = server.start()
        server.stop()
        data_set = coders.fill(logged)
        cold_starts = []
        for _ in range(starts):
            server.stop()
            cold_starts.append(server.start())
        plain.start("/texts/")
        results = single_client(server, plain, data_set, requests)
        idle = {"ours": server.megabytes(), "plain": plain.megabytes()}
        results |= eight_clients(server, plain, data_set, seconds)
    finally:
        server.kill()
        plain.kill()
    return {
        "first_run_s": round(first_start, 2),
        "cold_start_s": round(statistics.median(cold_starts), 2),
        "idle_mb": {name: round(megabytes, 1) if megabytes else None for name, megabytes in idle.items()},
        "fixed_loop_ms": fixed_loop(),
        **results,
    }


def key_headers(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def session_headers(session: str) -> dict[str, str]:
    token = "b" * 32
    return {"Cookie": f"sessionid={session}; csrftoken={token}", "X-CSRFToken": token}


def coindex_coder(
    server: Server, data_set: dict[str, Any], text: int, headers: dict[str, str], coder: int = 0
) -> Coder:
    """Return a coder who uses the API of Coindex."""
    project = "/api/v1/projects/bench/texts/"
    coding = f"{project}text-{text:02}/coding/"
    version = data_set["codings"][text][coder][1]
    return Coder(
        Connection(server.port, headers), coding, f"{coding}operations/", project, data_set["judgements"], version
    )


def plain_coder(server: Server, data_set: dict[str, Any], text: int, coder: int = 0) -> Coder:
    """Return a coder who uses the plain application."""
    pk, version = data_set["codings"][text][coder]
    coding = f"/codings/{pk}/"
    return Coder(Connection(server.port, {}), coding, coding, "/texts/", data_set["judgements"], version)


def single_client(server: Server, plain: Server, data_set: dict[str, Any], requests: int) -> dict[str, Any]:
    """Return the figures of one client: each request by key, by session and to the plain application."""
    draw = random.Random(1)
    key, session = key_headers(data_set["keys"][0]), session_headers(data_set["session"])
    single, hundred = (
        coindex_coder(server, data_set, coders.ONE, key),
        coindex_coder(server, data_set, coders.HUNDRED, key),
    )
    signed_in = coindex_coder(server, data_set, coders.MIXED, session)
    long, long_plain = (
        coindex_coder(server, data_set, coders.LONG, key),
        plain_coder(plain, data_set, coders.LONG_PLAIN),
    )
    one_plain, hundred_plain = (
        plain_coder(plain, data_set, coders.ONE_PLAIN),
        plain_coder(plain, data_set, coders.HUNDRED_PLAIN),
    )
    turns: dict[str, dict[str, tuple[Server, Callable[[], None]]]] = {
        "read": {
            "key": (server, single.read),
            "session": (server, signed_in.read),
            "plain": (plain, one_plain.read),
        },
        "save_one": {
            "key": (server, lambda: single.save_one(draw)),
            "session": (server, lambda: signed_in.save_one(draw)),
            "plain": (plain, lambda: one_plain.save_one(draw)),
        },
        "save_one_after_10000": {
            "key": (server, lambda: long.save_one(draw)),
            "plain": (plain, lambda: long_plain.save_one(draw)),
        },
        # In turns with a coding that has only just begun, so that what slows both down slows neither's share.
        "read_after_10000": {
            "key": (server, long.read),
            "fresh": (server, single.read),
            "plain": (plain, long_plain.read),
        },
        "save_100": {"key": (server, hundred.save_all), "plain": (plain, hundred_plain.save_all)},
        "list_50": {
            "key": (server, single.list),
            "session": (server, signed_in.list),
            "plain": (plain, one_plain.list),
        },
    }
    results = {
        name: alternate([RequestVariant(channel, *variant) for channel, variant in ways.items()], requests)
        for name, ways in turns.items()
    }
    data_set["codings"][coders.MIXED][0] = (data_set["codings"][coders.MIXED][0][0], signed_in.version)
    return {"requests": results}


def eight_clients(server: Server, plain: Server, data_set: dict[str, Any], seconds: float) -> dict[str, Any]:
    """Return the figures of eight clients at once, for each of the two servers."""
    keys = data_set["keys"]
    sides = {
        "ours": (
            server,
            [
                coindex_coder(server, data_set, coders.MIXED, key_headers(key), number)
                for number, key in enumerate(keys)
            ],
        ),
        "plain": (plain, [plain_coder(plain, data_set, coders.MIXED_PLAIN, number) for number in range(len(keys))]),
    }
    results = {}
    for name, (side_server, clients) in sides.items():
        cpu_before = side_server.processor_seconds()
        rate = run_together(clients, seconds)
        cpu_seconds = side_server.processor_seconds() - cpu_before
        errors = [error for client in clients for error in client.errors]
        times_by_kind = {kind: [time for client in clients for time in client.durations[kind]] for kind in KINDS}
        results[name] = {
            "ops_per_s": round(rate, 1),
            "errors": len(errors),
            "first_error": errors[0] if errors else "",
            "cpu_ms": milliseconds(cpu_seconds / max(sum(map(len, times_by_kind.values())), 1)),
            **{
                f"{kind}_p50_ms": milliseconds(percentile(times, 0.5)) for kind, times in times_by_kind.items() if times
            },
            **{
                f"{kind}_p99_ms": milliseconds(percentile(times, 0.99))
                for kind, times in times_by_kind.items()
                if times
            },
        }
    return {"mixed": results}


# Reports


def share_of_fresh(ways: dict[str, dict[str, float]]) -> float:
    """Return how many times as long it takes to read a coding with a long log as one that has just begun."""
    return round(ways["key"]["p50_ms"] / ways["fresh"]["p50_ms"], 2)


def figures_with_goals(figures_of_database: dict[str, Any]) -> dict[str, Any]:
    """Return the figures with a goal of one database, by name."""
    if "why" in figures_of_database:
        return figures_of_database
    requests, mixed_figures = figures_of_database["requests"], figures_of_database["mixed"]["ours"]
    return {
        "read_p50_ms": requests["read"]["key"]["p50_ms"],
        "read_after_10000_operations": share_of_fresh(requests["read_after_10000"]),
        "save_one_p50_ms": requests["save_one"]["key"]["p50_ms"],
        "save_one_p50_ms_after_10000": requests["save_one_after_10000"]["key"]["p50_ms"],
        "save_100_p50_ms": requests["save_100"]["key"]["p50_ms"],
        "list_50_p50_ms": requests["list_50"]["key"]["p50_ms"],
        "mixed_ops_per_s": mixed_figures["ops_per_s"],
        "mixed_errors": mixed_figures["errors"],
        "write_p99_ms": mixed_figures.get("save_p99_ms"),
        "cold_start_s": figures_of_database["cold_start_s"],
        "idle_rss_mb": figures_of_database["idle_mb"]["ours"],
    }


def report(figures_by_database: dict[str, Any]) -> str:
    """Return the figures as a page of the documentation."""
    import django

    lines = [
        "# How fast the server answers",
        "",
        "Written by `make bench`; do not edit.",
        "",
        f"`make run`, whose two processes have eight threads each. {coders.TEXTS} texts, {coders.CODERS} coders,",
        f"{coders.MARKABLES} markables and {coders.MARKABLES * coders.WORDS_PER_MARKABLE:,} words a text.",
        "*By key* is how scripts ask, *by session* how pages do; one client on a connection that is kept. Medians in",
        "milliseconds, and the *work*: those for which processors worked for the server, without PostgreSQL's own.",
        "*Plain*: a Django application that reads and writes the same rows without sign-in, rules or checks",
        "(`benchmarks/plain.py`), asked in turns with ours.",
        "",
        f"Machine: {machine()}. Python {platform.python_version()}, Django {django.__version__}. Commit {commit()}.",
    ]
    for database, database_figures in figures_by_database.items():
        lines += ["", f"## {database}", ""]
        lines += (
            [database_figures["why"]]
            if "why" in database_figures
            else [
                *single_client_table(database_figures),
                "",
                "Reading after 10,000 operations takes "
                f"{share_of_fresh(database_figures['requests']['read_after_10000']):.2f} times as long as reading a "
                "coding that has",
                f"just begun, in turns with it (the goal is {GOALS['read_after_10000_operations']:g}).",
                "",
                *eight_clients_table(database_figures),
                "",
                *start_up_lines(database_figures),
            ]
        )
    return "\n".join(lines) + "\n"


REQUESTS = {
    "read": ("read a coding of 100 judgements", "read_p50_ms"),
    "read_after_10000": ("the same after 10,000 operations", ""),
    "save_one": ("save one judgement", "save_one_p50_ms"),
    "save_one_after_10000": ("the same after 10,000 operations", "save_one_p50_ms_after_10000"),
    "save_100": ("save 100 judgements with pointers", "save_100_p50_ms"),
    "list_50": ("list 50 texts", "list_50_p50_ms"),
}


def single_client_table(database_figures: dict[str, Any]) -> list[str]:
    """Return the table of one client."""
    lines = [
        "| | goal | by key | work | by session | plain | work |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, (label, goal) in REQUESTS.items():
        key, session, plain = (
            database_figures["requests"][name].get(channel) for channel in ("key", "session", "plain")
        )
        cells = [
            f"{GOALS[goal]:g}" if goal else "",
            *(f"{key[figure]:.1f}" for figure in ("p50_ms", "cpu_ms")),
            f"{session['p50_ms']:.1f}" if session else "",
            *(f"{plain[figure]:.1f}" for figure in ("p50_ms", "cpu_ms")),
        ]
        lines.append(f"| {label} | {' | '.join(cells)} |")
    return lines


def eight_clients_table(database_figures: dict[str, Any]) -> list[str]:
    """Return the table of eight clients."""
    lines = [
        f"{coders.CODERS} clients at once, each by a key of its own: of 100 requests 70 read, 25 save one judgement,",
        "and 5 list the texts.",
        f"The goal is {GOALS['mixed_ops_per_s']:g} answers a second without an error, and saving within "
        f"{GOALS['write_p99_ms']:g} ms for 99 of 100.",
        "",
        "| | answers a second | errors | work | read, p50 | p99 | save, p50 | p99 |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, label in (("ours", "Coindex"), ("plain", "plain")):
        side = database_figures["mixed"][name]
        times = [side.get(f"{kind}_{share}_ms") for kind in ("read", "save") for share in ("p50", "p99")]
        cells = [f"{side['ops_per_s']:.0f}", str(side["errors"]), f"{side['cpu_ms']:.1f}"]
        cells += ["" if time is None else f"{time:.0f}" for time in times]
        lines.append(f"| {label} | {' | '.join(cells)} |")
    return lines


def start_up_lines(figures: dict[str, Any]) -> list[str]:
    """Return the lines on start-up, memory, and the speed of the machine."""
    idle = "not known on this system" if figures["idle_mb"]["ours"] is None else f"{figures['idle_mb']['ours']:.0f} MB"
    return [
        f"From `make run` to the first page: {figures['cold_start_s']:.1f} s (the goal is {GOALS['cold_start_s']:g}),",
        f"on an empty database {figures['first_run_s']:.1f} s. After the requests of one client all its processes take",
        f"{idle} (PSS), the worker's among them.",
        f"A million additions in Python took {figures['fixed_loop_ms']:.0f} ms.",
    ]


def commit() -> str:
    """Return the measured commit, if git knows it."""
    process = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return process.stdout.strip() or "unknown"


def all_figures(options: argparse.Namespace) -> dict[str, Any]:
    """Return the figures of each database, measured in a new process each."""
    amounts = {name: getattr(options, name) for name in ("requests", "seconds", "logged", "starts")}
    arguments = ["--here", *(f"--{name}={amount}" for name, amount in amounts.items())]
    return {name: run_on(name, MODULE, arguments) for name in options.database or NAMES}


def main(arguments: list[str] | None = None) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the figures that have a goal as JSON")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write them as a page of the documentation")
    parser.add_argument("--requests", type=int, default=200, help="of one kind by one client")
    parser.add_argument("--seconds", type=float, default=10, help="of eight clients at once")
    parser.add_argument("--logged", type=int, default=10_000, help="operations in the long log")
    parser.add_argument("--starts", type=int, default=3, help="of which the median is taken")
    parser.add_argument("--database", choices=NAMES, action="append", help="of this alone")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.here:
        print(json.dumps(measure(options.requests, options.seconds, options.logged, options.starts)))
        return
    figures_by_database = all_figures(options)
    if options.write:
        options.write.write_text(report(figures_by_database), encoding="utf-8")
    if options.json:
        print(
            json.dumps(
                {name: figures_with_goals(database_figures) for name, database_figures in figures_by_database.items()}
                | {"about": conditions(figures_by_database)},
                indent=1,
            )
        )
    else:
        print(report(figures_by_database))


def conditions(figures_by_database: dict[str, Any]) -> dict[str, Any]:
    """Return the conditions under which the figures were measured."""
    return {
        "goals": GOALS,
        "commit": commit(),
        "machine": machine(),
        "fixed_loop_ms": {
            name: database_figures.get("fixed_loop_ms") for name, database_figures in figures_by_database.items()
        },
        "first_run_s": {
            name: database_figures.get("first_run_s") for name, database_figures in figures_by_database.items()
        },
        "plain": {
            name: {key: database_figures.get(key) for key in ("requests", "mixed")}
            for name, database_figures in figures_by_database.items()
        },
    }


if __name__ == "__main__":
    main()
