"""How fast the server answers scripts and pages: python -m benchmarks.server --json, or make bench.

`make run` on a free port of this machine, on SQLite and on PostgreSQL. Asked are, by keys of the API on connections
that are kept: one coding of 100 judgements (read, one saved, 100 saved), a list of 50 texts, and eight coders at once.
Beside it a plain application (benchmarks/plain.py), asked in turns, on the same rows of the same database.
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

from benchmarks import coders
from benchmarks.databases import NAMES, run_on
from benchmarks.measures import machine
from benchmarks.serving import ROOT, Made, Server
from benchmarks.traffic import KINDS, Coder, Connection, together

MODULE = "benchmarks.server"
GOALS: dict[str, float | None] = {
    "read_p50_ms": 4,
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
# Pages and scripts are asked far more often than people ask; how often one may is another matter.
ENVIRONMENT = {"API_REQUESTS_A_MINUTE": "1000000000"}


class Plain(Server):
    """The plain application, with as many processes and threads."""

    def command(self) -> list[str]:
        bound = ["--bind", f"127.0.0.1:{self.port}", "--workers", "2", "--threads", "8", "--preload"]
        return [sys.executable, "-m", "gunicorn", "benchmarks.plain", *bound, "--log-level", "error"]


@dataclass(frozen=True)
class Asked:
    """One way to ask for something, and the server that is asked."""

    name: str
    server: Server
    ask: Callable[[], None]


def in_turns(asked: Sequence[Asked], requests: int) -> dict[str, dict[str, float]]:
    """The median time of each, and what the processors worked for it. In turns, so that none has a better moment."""
    block = max(requests // 8, 1)
    times: dict[str, list[float]] = {one.name: [] for one in asked}
    busy = dict.fromkeys(times, 0.0)
    for one in asked:
        for _ in range(3):
            one.ask()
    while min(map(len, times.values())) < requests:
        for one in asked:
            before = one.server.busy()
            for _ in range(block):
                begin = time.perf_counter()
                one.ask()
                times[one.name].append(time.perf_counter() - begin)
            busy[one.name] += one.server.busy() - before
    return {
        name: {"p50_ms": milliseconds(statistics.median(of)), "cpu_ms": milliseconds(busy[name] / len(of))}
        for name, of in times.items()
    }


def milliseconds(seconds: float) -> float:
    """Rounded to hundredths."""
    return round(seconds * 1000, 2)


def percentile(times: Sequence[float], share: float) -> float:
    """The time within which that share of them was."""
    return sorted(times)[min(int(share * len(times)), len(times) - 1)]


def fixed_loop() -> float:
    """Milliseconds for a million additions in Python, the best of five: how fast the machine is at this moment."""
    found = []
    for _ in range(5):
        begin = time.perf_counter()
        total = 0
        for number in range(1_000_000):
            total += number
        found.append(time.perf_counter() - begin)
    return milliseconds(min(found))


# What is measured


def measured(requests: int, seconds: float, logged: int, starts: int) -> dict[str, Any]:
    """All figures of the database of the settings, which is empty."""
    data, database = os.environ["DATA_DIR"], os.environ.get("DATABASE_URL")
    server = Made(data, database=database, given=ENVIRONMENT)
    plain = Plain(data, database=database)
    try:
        first = server.start()
        server.stop()
        made = coders.fill(logged)
        cold = []
        for _ in range(starts):
            server.stop()
            cold.append(server.start())
        plain.start("/texts/")
        found = figures(server, plain, made, requests)
        idle = {"ours": server.megabytes(), "plain": plain.megabytes()}
        found |= mixed(server, plain, made, seconds)
    finally:
        server.kill()
        plain.kill()
    return {
        "first_run_s": round(first, 2),
        "cold_start_s": round(statistics.median(cold), 2),
        "idle_mb": {name: round(of, 1) if of else None for name, of in idle.items()},
        "fixed_loop_ms": fixed_loop(),
        **found,
    }


def by_key(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def by_session(session: str) -> dict[str, str]:
    token = "b" * 32
    return {"Cookie": f"sessionid={session}; csrftoken={token}", "X-CSRFToken": token}


def ours(server: Server, made: dict[str, Any], text: int, headers: dict[str, str], coder: int = 0) -> Coder:
    """A coder at the API of Coindex."""
    project = "/api/v1/projects/bench/texts/"
    coding = f"{project}text-{text:02}/coding/"
    version = made["codings"][text][coder][1]
    return Coder(Connection(server.port, headers), coding, f"{coding}operations/", project, made["judgements"], version)


def theirs(server: Server, made: dict[str, Any], text: int, coder: int = 0) -> Coder:
    """A coder at the plain application."""
    pk, version = made["codings"][text][coder]
    coding = f"/codings/{pk}/"
    return Coder(Connection(server.port, {}), coding, coding, "/texts/", made["judgements"], version)


def figures(server: Server, plain: Server, made: dict[str, Any], requests: int) -> dict[str, Any]:
    """One client: each request by key, by session and of the plain application."""
    draw = random.Random(1)
    key, session = by_key(made["keys"][0]), by_session(made["session"])
    one, hundred = ours(server, made, coders.ONE, key), ours(server, made, coders.HUNDRED, key)
    signed_in = ours(server, made, coders.MIXED, session)
    long, long_plain = ours(server, made, coders.LONG, key), theirs(plain, made, coders.LONG_PLAIN)
    one_plain, hundred_plain = theirs(plain, made, coders.ONE_PLAIN), theirs(plain, made, coders.HUNDRED_PLAIN)
    turns: dict[str, dict[str, tuple[Server, Callable[[], None]]]] = {
        "read": {
            "key": (server, one.read),
            "session": (server, signed_in.read),
            "plain": (plain, one_plain.read),
        },
        "save_one": {
            "key": (server, lambda: one.save_one(draw)),
            "session": (server, lambda: signed_in.save_one(draw)),
            "plain": (plain, lambda: one_plain.save_one(draw)),
        },
        "save_one_after_10000": {
            "key": (server, lambda: long.save_one(draw)),
            "plain": (plain, lambda: long_plain.save_one(draw)),
        },
        "read_after_10000": {"key": (server, long.read), "plain": (plain, long_plain.read)},
        "save_100": {"key": (server, hundred.save_all), "plain": (plain, hundred_plain.save_all)},
        "list_50": {"key": (server, one.list), "session": (server, signed_in.list), "plain": (plain, one_plain.list)},
    }
    found = {name: in_turns([Asked(way, *of) for way, of in ways.items()], requests) for name, ways in turns.items()}
    made["codings"][coders.MIXED][0] = (made["codings"][coders.MIXED][0][0], signed_in.version)
    return {"requests": found}


def mixed(server: Server, plain: Server, made: dict[str, Any], seconds: float) -> dict[str, Any]:
    """Eight clients at once, of either server."""
    keys = made["keys"]
    sides = {
        "ours": (server, [ours(server, made, coders.MIXED, by_key(key), number) for number, key in enumerate(keys)]),
        "plain": (plain, [theirs(plain, made, coders.MIXED_PLAIN, number) for number in range(len(keys))]),
    }
    found = {}
    for name, (asked, clients) in sides.items():
        before = asked.busy()
        rate = together(clients, seconds)
        busy = asked.busy() - before
        errors = [error for client in clients for error in client.errors]
        waited = {kind: [time for client in clients for time in client.waited[kind]] for kind in KINDS}
        found[name] = {
            "ops_per_s": round(rate, 1),
            "errors": len(errors),
            "first_error": errors[0] if errors else "",
            "cpu_ms": milliseconds(busy / max(sum(map(len, waited.values())), 1)),
            **{f"{kind}_p50_ms": milliseconds(percentile(of, 0.5)) for kind, of in waited.items() if of},
            **{f"{kind}_p99_ms": milliseconds(percentile(of, 0.99)) for kind, of in waited.items() if of},
        }
    return {"mixed": found}


# How it is shown


def with_goals(found: dict[str, Any]) -> dict[str, Any]:
    """The figures that have a goal, of one database, by name."""
    if "why" in found:
        return found
    asked, together_ = found["requests"], found["mixed"]["ours"]
    return {
        "read_p50_ms": asked["read"]["key"]["p50_ms"],
        "save_one_p50_ms": asked["save_one"]["key"]["p50_ms"],
        "save_one_p50_ms_after_10000": asked["save_one_after_10000"]["key"]["p50_ms"],
        "save_100_p50_ms": asked["save_100"]["key"]["p50_ms"],
        "list_50_p50_ms": asked["list_50"]["key"]["p50_ms"],
        "mixed_ops_per_s": together_["ops_per_s"],
        "mixed_errors": together_["errors"],
        "write_p99_ms": together_.get("save_p99_ms"),
        "cold_start_s": found["cold_start_s"],
        "idle_rss_mb": found["idle_mb"]["ours"],
    }


def report(found: dict[str, Any]) -> str:
    """The figures as a page of the documentation."""
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
    for database, of in found.items():
        lines += ["", f"## {database}", ""]
        lines += [of["why"]] if "why" in of else [*single(of), "", *at_once(of), "", *starting(of)]
    return "\n".join(lines) + "\n"


REQUESTS = {
    "read": ("read a coding of 100 judgements", "read_p50_ms"),
    "read_after_10000": ("the same after 10,000 operations", ""),
    "save_one": ("save one judgement", "save_one_p50_ms"),
    "save_one_after_10000": ("the same after 10,000 operations", "save_one_p50_ms_after_10000"),
    "save_100": ("save 100 judgements with pointers", "save_100_p50_ms"),
    "list_50": ("list 50 texts", "list_50_p50_ms"),
}


def single(of: dict[str, Any]) -> list[str]:
    """The table of one client."""
    lines = [
        "| | goal | by key | work | by session | plain | work |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, (label, goal) in REQUESTS.items():
        key, session, plain = (of["requests"][name].get(way) for way in ("key", "session", "plain"))
        cells = [
            f"{GOALS[goal]:g}" if goal else "",
            *(f"{key[figure]:.1f}" for figure in ("p50_ms", "cpu_ms")),
            f"{session['p50_ms']:.1f}" if session else "",
            *(f"{plain[figure]:.1f}" for figure in ("p50_ms", "cpu_ms")),
        ]
        lines.append(f"| {label} | {' | '.join(cells)} |")
    return lines


def at_once(of: dict[str, Any]) -> list[str]:
    """The table of eight clients."""
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
        one = of["mixed"][name]
        times = [one.get(f"{kind}_{share}_ms") for kind in ("read", "save") for share in ("p50", "p99")]
        cells = [f"{one['ops_per_s']:.0f}", str(one["errors"]), f"{one['cpu_ms']:.1f}"]
        cells += ["" if time is None else f"{time:.0f}" for time in times]
        lines.append(f"| {label} | {' | '.join(cells)} |")
    return lines


def starting(of: dict[str, Any]) -> list[str]:
    """How it starts, what it takes, and how fast the machine was meanwhile."""
    idle = "not known on this system" if of["idle_mb"]["ours"] is None else f"{of['idle_mb']['ours']:.0f} MB"
    return [
        f"From `make run` to the first page: {of['cold_start_s']:.1f} s (the goal is {GOALS['cold_start_s']:g}),",
        f"on an empty database {of['first_run_s']:.1f} s. After the requests of one client all its processes take",
        f"{idle} (PSS), the worker's among them.",
        f"A million additions in Python took {of['fixed_loop_ms']:.0f} ms.",
    ]


def commit() -> str:
    """What is measured, as far as git tells."""
    asked = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return asked.stdout.strip() or "unknown"


def all_figures(options: argparse.Namespace) -> dict[str, Any]:
    """Of each database, in a process of its own."""
    amounts = {name: getattr(options, name) for name in ("requests", "seconds", "logged", "starts")}
    given = ["--here", *(f"--{name}={amount}" for name, amount in amounts.items())]
    return {name: run_on(name, MODULE, given) for name in options.database or NAMES}


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
        print(json.dumps(measured(options.requests, options.seconds, options.logged, options.starts)))
        return
    found = all_figures(options)
    if options.write:
        options.write.write_text(report(found), encoding="utf-8")
    if options.json:
        print(json.dumps({name: with_goals(of) for name, of in found.items()} | {"about": about(found)}, indent=1))
    else:
        print(report(found))


def about(found: dict[str, Any]) -> dict[str, Any]:
    """What the figures are to be read beside."""
    return {
        "goals": GOALS,
        "commit": commit(),
        "machine": machine(),
        "fixed_loop_ms": {name: of.get("fixed_loop_ms") for name, of in found.items()},
        "first_run_s": {name: of.get("first_run_s") for name, of in found.items()},
        "plain": {name: {key: of.get(key) for key in ("requests", "mixed")} for name, of in found.items()},
    }


if __name__ == "__main__":
    main()
