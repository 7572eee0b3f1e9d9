"""Measure what one request may cost at most: python -m benchmarks.bounds, or make bench.

On an empty database, inside one process: what a page hears that has missed much, a coding with a long log beside a
short one, a markable that thousands point to and that is moved again and again, and the header of a wide matrix.
And what every page costs its manager in a project of many texts and many coders, of whom few code the same text.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

from benchmarks.data import coders
from benchmarks.environment.databases import NAMES, run_on
from benchmarks.environment.pages import measure_pages
from benchmarks.measures import machine
from benchmarks.server import commit, milliseconds

MODULE = "benchmarks.bounds"
MISSED, FEWEST_MISSED = 20_000, 1_000
MOVES, POINTERS = 100, 5_000
COLUMNS = (250, 1000)  # of a matrix, which has 1,000 at most
TEXTS, CODERS, FEWEST_OF_BOTH = 5_000, 500, 12
CODERS_OF_A_TEXT, MARKABLES = 3, 4
TIMES = 15


def median_ms(work: Callable[[], object]) -> float:
    """Return the median time of the work in milliseconds."""
    times = []
    for _ in range(TIMES):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return milliseconds(statistics.median(times))


def measure(n_missed: int) -> dict[str, Any]:
    """Return all figures on the configured database, which must be empty."""
    figures = measure_codings(n_missed)
    return figures | {"columns": {str(number): median_ms(partial(read_header, number)) for number in COLUMNS}}


def measure_codings(n_missed: int) -> dict[str, Any]:
    """Fill the database and return the figures that need it."""
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    data_set = coders.fill(n_missed)
    from annotations.coding.state import coding_state
    from annotations.models import Coding

    long, short = (
        Coding.objects.select_related("text__project", "coder").get(pk=data_set["codings"][number][0][0])
        for number in (coders.LONG, coders.ONE)
    )
    states = {
        name: median_ms(partial(coding_state, coding, coding.text.project))
        for name, coding in (("long", long), ("short", short))
    }
    return {"missed": missed(long), "states": states, "moves": moved()}


def missed(coding: Any) -> dict[str, float]:
    """Return what the answers cost that tell a page of everything since the first version."""
    from annotations.coding import operations
    from annotations.models import Operation

    key = Operation.objects.filter(coding=coding, kind="judge").values_list("payload__markable", flat=True)[0]
    late = operations.Change(uuid4(), "judge", {"markable": key, "category": "none"})

    def ask(version: int) -> operations.VersionConflict | None:
        try:
            operations.apply(coding, coding.coder, version, [late])
        except operations.VersionConflict as conflict:
            return conflict
        return None

    first = ask(0)
    assert first is not None
    one = median_ms(lambda: ask(0))
    tracemalloc.start()
    ask(0)
    memory = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    start, answers, version = time.perf_counter(), 0, 0
    while conflict := ask(version):
        answers, version = answers + 1, conflict.version
    return {
        "bytes": len(json.dumps(first.missed, default=str)),
        "ms": one,
        "memory_bytes": memory,
        "answers": answers,
        "all_s": round(time.perf_counter() - start, 2),
    }


def moved() -> dict[str, Any]:
    """Return what a request costs that moves a markable again and again to which thousands point."""
    from django.db import connection

    from annotations.coding import operations
    from annotations.coding.decisions import OperationRejected
    from annotations.formats import plain
    from annotations.models import Coding, Membership, User
    from annotations.planning.work.assignments import assign_texts
    from annotations.projects.creation import create_project
    from annotations.projects.people.members import add_member
    from annotations.schemes.project_scheme import set_coder_marked_levels
    from annotations.schemes.ready_made import SCHEMES
    from annotations.transfers.importing.documents import import_documents
    from annotations.transfers.importing.files.source_document import SourceDocument

    project = create_project("moves", "Moves", SCHEMES["poesio-artstein-2005"])
    coder = User.objects.create(username="mover")
    add_member(project, coder, Membership.Role.CODER)
    text = plain.parse("x" * 200 + " a" * POINTERS, "long.txt")
    import_documents(project, [SourceDocument(text, None)])
    set_coder_marked_levels(project, project.levels.filter(coded=True))
    assign_texts(project, project.texts.all(), [coder])
    coding = Coding.objects.get(coder=coder)
    version = 0
    starts = range(201, 201 + 2 * POINTERS, 2)
    payloads = [
        {"markable": f"phrase:{at}-{at + 1}", "category": "phrase", "pointers": ["phrase:0-1"]} for at in starts
    ]
    for at in range(0, POINTERS, operations.MAX_OPERATIONS):
        batch = payloads[at : at + operations.MAX_OPERATIONS]
        changes = [operations.Change(uuid4(), "judge", payload) for payload in batch]
        version = operations.apply(coding, coder, version, changes)

    with connection.cursor() as cursor:  # PostgreSQL does so itself soon after so many new rows
        cursor.execute("analyze")

    def move(first: int, number: int) -> float:
        changes = [
            operations.Change(uuid4(), "move", {"markable": f"phrase:0-{at}", "to": f"phrase:0-{at + 1}"})
            for at in range(first, first + number)
        ]
        start = time.perf_counter()
        try:
            operations.apply(coding, coder, version, changes)
        except OperationRejected as rejection:
            if rejection.code != "too_many_operations":
                raise
        return milliseconds(time.perf_counter() - start)

    refused = move(1, MOVES)
    most = operations.MAX_MOVED_POINTERS // POINTERS
    return {"refused_ms": refused, "most": most, "most_ms": move(1, most)}


def read_header(columns: int) -> None:
    """Read a matrix of so many coders and no units."""
    from annotations.formats.model.format import Bundle
    from annotations.formats.tables.matrix import read_csv

    header = ",".join(["text", "unit", *(f"coder{number}" for number in range(columns))])
    read_csv(Bundle.of("wide.csv", f"{header}\n".encode()))


def measure_large_project(texts: int, n_coders: int) -> dict[str, dict[str, float]]:
    """Return the costs of each page of a project on the configured database, which must be empty."""
    import django

    django.setup()
    return measure_pages(partial(fill_large_project, texts, n_coders), "manager")


def fill_large_project(texts: int, n_coders: int) -> dict[str, object]:
    """Make the project and return what addresses of its pages are made of."""
    from django.core.management import call_command
    from django.db import connection

    from benchmarks.data.projects import fill

    call_command("migrate", verbosity=0)
    project = fill(texts, n_coders, MARKABLES, each=CODERS_OF_A_TEXT)
    with connection.cursor() as cursor:  # PostgreSQL does so itself soon after so many new rows
        cursor.execute("analyze")
    first, second = project.memberships.filter(role="coder").order_by("pk")[:2]
    return {
        "slug": project.slug,
        "text": "text-0000",
        "name": project.rounds.get().name,
        "key": "phrase:0-4",
        "first": first.user.username,
        "second": second.user.username,
    }


def report(figures: dict[str, Any], n_missed: int = MISSED) -> str:
    """Return the figures as a page of the documentation."""
    narrow, wide = COLUMNS
    lines = [
        "# What one request costs at most",
        "",
        "Written by `make bench`; do not edit.",
        "",
        "Inside one process, without the network: medians, and of moves one request.",
        f"*Missed*: a page that has seen nothing of {n_missed:,} operations and saves; it hears of them in parts.",
        f"*Read*: a coding of {coders.MARKABLES} judgements whose log has {n_missed:,} operations, beside one that was",
        f"judged once. *Moves*: of a markable to which {POINTERS:,} others point; {MOVES} in one request are refused.",
        f"*Header*: a matrix of {narrow} and of {wide:,} coders.",
        "",
        f"Machine: {machine()}. Python {platform.python_version()}. Commit {commit()}.",
        "",
        f"| | {' | '.join(figures)} |",
        f"| --- |{' ---: |' * len(figures)}",
    ]
    rows: list[tuple[str, Callable[[dict[str, Any]], str]]] = [
        ("missed: the first answer", lambda one: f"{one['missed']['bytes'] / 1000:.0f} kB"),
        ("the time for it", lambda one: f"{one['missed']['ms']:.0f} ms"),
        ("the memory for it", lambda one: f"{one['missed']['memory_bytes'] / 1e6:.1f} MB"),
        ("answers until all is told", lambda one: f"{one['missed']['answers']}"),
        ("the time for all of them", lambda one: f"{one['missed']['all_s']:.1f} s"),
        ("read after a long log", lambda one: f"{one['states']['long']:.1f} ms"),
        ("read after a short one", lambda one: f"{one['states']['short']:.1f} ms"),
        (f"{MOVES} moves, until they are refused", lambda one: f"{one['moves']['refused_ms']:.0f} ms"),
        ("as many moves as are taken", lambda one: f"{one['moves']['most']}: {one['moves']['most_ms']:.0f} ms"),
        (f"header of {narrow} columns", lambda one: f"{one['columns'][str(narrow)]:.2f} ms"),
        (f"header of {wide:,} columns", lambda one: f"{one['columns'][str(wide)]:.2f} ms"),
    ]
    for label, cell in rows:
        cells = [one["why"] if "why" in one else cell(one) for one in figures.values()]
        lines.append(f"| {label} | {' | '.join(cells)} |")
    return "\n".join([*lines, *report_pages(figures)]) + "\n"


def report_pages(figures: dict[str, Any]) -> list[str]:
    """Return the lines of the tables of pages, the dearest first."""
    lines = [
        "",
        f"## Every page of a project of {TEXTS:,} texts and {CODERS} coders",
        "",
        f"Each text has {MARKABLES} markables and {CODERS_OF_A_TEXT} coders, drawn from all. Its manager asks for",
        "every address that takes GET, each in a process that has just begun. *Request*: seconds of the processor",
        "until the answer. *Worker*: of what the page hands to a worker. *Memory*: the most that was added to it,",
        "with the worker's work. *Size*: of the page, with its figures.",
    ]
    for database, of_database in figures.items():
        if not (pages := of_database.get("pages")):
            continue
        lines += [
            "",
            f"| {database} | request, s | worker, s | memory, MB | size, kB |",
            "| --- | ---: | ---: | ---: | ---: |",
        ]
        for address, page in sorted(pages.items(), key=lambda one: (-one[1]["s"], one[0])):
            worker = f"{page['worker_s']:.1f}" if "worker_s" in page else ""
            memory = page.get("worker_mb", page["mb"])
            lines.append(f"| `{address}` | {page['s']:.2f} | {worker} | {memory:.0f} | {page['bytes'] / 1000:.0f} |")
    return lines


def main(arguments: list[str] | None = None) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write them as a page of the documentation")
    parser.add_argument("--database", choices=NAMES, action="append", help="of this alone")
    parser.add_argument("--smallest", action="store_true", help="a short log and a small project, to see that it runs")
    parser.add_argument("--here", choices=("requests", "pages"), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    n_missed = FEWEST_MISSED if options.smallest else MISSED
    if options.here:
        sizes = (FEWEST_OF_BOTH, FEWEST_OF_BOTH) if options.smallest else (TEXTS, CODERS)
        print(json.dumps(measure(n_missed) if options.here == "requests" else measure_large_project(*sizes)))
        return
    smallest = ["--smallest"] if options.smallest else []
    figures = {name: run_on(name, MODULE, ["--here=requests", *smallest]) for name in options.database or NAMES}
    for name, of_database in figures.items():
        if "why" not in of_database:
            of_database["pages"] = run_on(name, MODULE, ["--here=pages", *smallest])
    page = report(figures, n_missed)
    if options.write:
        options.write.write_text(page, encoding="utf-8")
    print(json.dumps(figures, indent=1) if options.json else page)


if __name__ == "__main__":
    main()
