"""Measure what the pages of agreement of large projects cost: python -m benchmarks.dashboard --json.

Projects of 3 coders and 80 markables a text: of 1,000 texts, 240,000 judgements, and of 5,000; `--sizes 1000,20000`
measures others. The overview is the part of that page with the figure, its interval, the items that need attention and
the activity, and the page of agreement is with every distance and interval; each is requested as by a browser, through
views, templates and the database. Times are of the processor, of the process and of its connection at PostgreSQL, so
that others at work on the machine do not count. Nothing stored: neither the process nor the database has read answers.
First: the process has just begun, and the answers are stored. Unchanged: requested again, after a worker has computed
what the page waits for. After one text: a coder has changed one answer in between. Growth is the median time at the
largest size, over that at the smallest. Each page has a process of its own, whose most memory is `peak_mb`; what a
worker computes is computed in another one.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from benchmarks.environment.databases import NAMES, run_on

SIZES, CODERS, MARKABLES = (1000, 5000), 3, 80
TIMES = {
    "nothing_stored_ms": "nothing stored",
    "first_ms": "first",
    "unchanged_ms": "unchanged",
    "after_one_text_ms": "after one text",
}
GROWTHS = {"growth_unchanged": "unchanged_ms", "growth_after_one_text": "after_one_text_ms"}
PAGES = {
    "overview": "agreement/headline/",
    "agreement": "agreement/",
    "items": "agreement/items/",
    "texts": "agreement/texts/",
    "coders": "agreement/coders/",
    "categories": "agreement/categories/",
}


def fill_database(texts: int) -> None:
    """Create the project on the configured database, in a process whose memory does not count."""
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection

    from benchmarks.data.projects import fill

    call_command("migrate", verbosity=0)
    fill(texts, CODERS, MARKABLES)
    with connection.cursor() as cursor:  # PostgreSQL does so itself soon after so many new rows
        cursor.execute("analyze")


def measure_page(page: str, repeats: int, *, stored: bool) -> dict[str, float]:
    """Return the times of a page in milliseconds and the most memory in MB, or the time with nothing stored."""
    import django

    django.setup()
    from django.test import Client

    from agreement.data import reading
    from agreement.models import StoredAnswers
    from agreement.results import computations
    from annotations.models import Coding, Project, User
    from benchmarks.data.projects import change_answer

    computations.FRESH = timedelta(0)  # otherwise what a worker computes would be of a minute ago
    project, client = Project.objects.get(), Client()
    client.force_login(User.objects.get(username="manager"))
    address = f"/projects/{project.slug}/{PAGES[page]}"

    def request_time() -> float:
        start = processor_time()
        response = client.get(address, HTTP_HOST="localhost")  # the test environment would copy every context
        assert response.status_code == 200, response.status_code
        return (processor_time() - start) * 1000

    if not stored:
        StoredAnswers.objects.all().delete()
        return {"nothing_stored_ms": round(request_time(), 1)}
    request_time()  # templates and imports
    codings = list(Coding.objects.filter(text__project=project).order_by("pk")[: repeats * 2])
    times: dict[str, list[float]] = {key: [] for key in TIMES if key != "nothing_stored_ms"}
    for number in range(repeats):
        reading.forget_answers()
        times["first_ms"].append(request_time())
        let_worker_finish()
        request_time()
        for coding in codings[2 * number : 2 * number + 2]:
            times["unchanged_ms"].append(request_time())
            change_answer(coding, number % MARKABLES)
            times["after_one_text_ms"].append(request_time())
            let_worker_finish()
            request_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    medians = {key: round(statistics.median(values), 1) for key, values in times.items()}
    return medians | {"peak_mb": round(peak / (1024 if sys.platform == "linux" else 1024**2))}


def let_worker_finish() -> None:
    """Compute what pages have asked a worker for, in another process, as a worker does."""
    from agreement.models import Computation

    if Computation.objects.filter(finished_at=None).exists():
        _run_part("--work")


def work() -> None:
    """Compute what pages have asked a worker for."""
    import django

    django.setup()
    from agreement.models import Computation
    from agreement.results.computations import compute

    for computation in Computation.objects.filter(finished_at=None):
        compute.call(computation.pk)


def processor_time() -> float:
    """Return the seconds of this process, and of its connection at a PostgreSQL on this machine."""
    from django.db import connection

    spent = time.process_time()
    if connection.vendor == "postgresql":
        connection.ensure_connection()
        schedule = Path(f"/proc/{connection.connection.info.backend_pid}/schedstat")
        spent += int(schedule.read_text().split()[0]) / 1e9 if schedule.exists() else 0.0
    return spent


def measure(texts: int, repeats: int, names: Sequence[str]) -> dict[str, Any]:
    """Return the times of each page on the configured database, each measured in a process of its own."""
    _run_part("--fill", f"--sizes={texts}")
    pages: dict[str, dict[str, float]] = {}
    for page in names:
        pages[page] = _run_part(f"--page={page}", "--nothing-stored")
        pages[page] |= _run_part(f"--page={page}", f"--repeats={repeats}")
    return {"peak_mb": max(times["peak_mb"] for times in pages.values()), "pages": pages}


def _run_part(*arguments: str) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.dashboard", *arguments]
    process = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    result: dict[str, float] = json.loads(process.stdout.splitlines()[-1])
    return result


def run_in_process(database: str, texts: int, repeats: int, names: Sequence[str]) -> dict[str, Any]:
    """Return the times, measured on a new database."""
    own = ["--here", f"--sizes={texts}", f"--repeats={repeats}", f"--pages={','.join(names)}"]
    return run_on(database, "benchmarks.dashboard", own)


def run_sizes(database: str, sizes: Sequence[int], repeats: int, names: Sequence[str]) -> dict[str, Any]:
    """Return what was measured at each size, and how the worst page grows from the smallest to the largest."""
    figures: dict[str, Any] = {str(size): run_in_process(database, size, repeats, names) for size in sizes}
    if missing := next((one for one in figures.values() if "why" in one), None):
        return dict(missing)
    small, large = (figures[str(size)] for size in (min(sizes), max(sizes)))
    growth = {
        page: {name: round(times[key] / small["pages"][page][key], 2) for name, key in GROWTHS.items()}
        for page, times in large["pages"].items()
    }
    return {
        **{name: max(of_page[name] for of_page in growth.values()) for name in GROWTHS},
        "first_ms": max(times["first_ms"] for times in large["pages"].values()),
        "peak_mb": large["peak_mb"],
        "growth": growth,
        "sizes": figures,
    }


def report(figures: dict[str, Any]) -> str:
    """Return the figures as a page of the documentation."""
    import django

    lines = [
        "# Benchmark of the dashboard",
        "",
        f"Projects of {CODERS} coders and {MARKABLES} markables a text, by pointers: 240 judgements a text. Medians,",
        "in milliseconds of the processor, of whole requests: session, access, queries, figures, intervals, page.",
        "*Nothing stored*: neither the process nor the database has read answers; measured once. *First*: the",
        "process has just begun, the answers are stored. *Unchanged*: asked for again, after a worker has computed",
        "what the page waits for. *After one text*: one answer was changed in between. Growth is the time with most",
        "texts over that with fewest; memory is the most that a process had that showed this page alone, in MB.",
        "",
        f"Python {platform.python_version()}, Django {django.__version__}, {os.cpu_count()} cores.",
    ]
    for database, of_database in figures.items():
        lines += ["", f"## {database}", ""]
        if "why" in of_database:
            lines.append(of_database["why"])
            continue
        lines += [
            f"| texts | page | {' | '.join(TIMES.values())} | memory |",
            f"| ---: | --- |{' ---: |' * (len(TIMES) + 1)}",
        ]
        for size, of_size in of_database["sizes"].items():
            for name, row in of_size["pages"].items():
                cells = " | ".join(f"{row[key]:.0f}" for key in TIMES)
                lines.append(f"| {int(size):,} | {name} | {cells} | {row['peak_mb']:.0f} |")
        lines += ["", "| growth | unchanged | after one text |", "| --- | ---: | ---: |"]
        lines += [
            f"| {name} | {row['growth_unchanged']:.2f} | {row['growth_after_one_text']:.2f} |"
            for name, row in of_database["growth"].items()
        ]
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write them as a page of the documentation")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="numbers of texts, with commas")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--databases", default=",".join(NAMES), help=f"of {', '.join(NAMES)}, with commas")
    parser.add_argument("--pages", default=",".join(PAGES), help=f"of {', '.join(PAGES)}, with commas")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--fill", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--page", choices=PAGES, help=argparse.SUPPRESS)
    parser.add_argument("--nothing-stored", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    sizes, names = [int(size) for size in options.sizes.split(",")], options.pages.split(",")
    if options.fill:
        fill_database(sizes[0])
        print("{}")
        return
    if options.work:
        work()
        print("{}")
        return
    if options.page:
        print(json.dumps(measure_page(options.page, options.repeats, stored=not options.nothing_stored)))
        return
    if options.here:
        print(json.dumps(measure(sizes[0], options.repeats, names)))
        return
    figures = {name: run_sizes(name, sizes, options.repeats, names) for name in options.databases.split(",")}
    if options.write:
        options.write.write_text(report(figures), encoding="utf-8")
    print(json.dumps(figures, indent=1) if options.json else report(figures))


if __name__ == "__main__":
    main()
