"""Measure the cost of the agreement pages of large projects: docs/benchmarks-dashboard.md."""

import os
import statistics
import time
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from benchmarks.environment.command import conditions, make_parser, publish, table
from benchmarks.environment.processes import DATABASES, analyze, migrate, peak_mb, run_in, run_on

SIZES, CODERS, MARKABLES = (1000, 5000), 3, 80
TIMES = {
    "nothing_stored_ms": "nothing stored",
    "first_ms": "first",
    "unchanged_ms": "unchanged",
    "after_one_text_ms": "after one text",
}
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
    from benchmarks.data.projects import fill

    migrate()
    fill(texts, CODERS, MARKABLES)
    analyze()


def measure_page(page: str, repeats: int) -> dict[str, float]:
    """Return the times of a page in ms and the peak memory in MB; for 0 repeats, the time without stored answers."""
    from django.test import Client

    from agreement.data import reading
    from agreement.models import StoredAnswers
    from agreement.results import computations
    from annotations.models import Coding, Project, User
    from benchmarks.data.projects import change_answer

    computations.FRESH = timedelta(0)  # otherwise results of a worker could be a minute old
    project, client = Project.objects.get(), Client()
    client.force_login(User.objects.get(username="manager"))
    address = f"/projects/{project.slug}/{PAGES[page]}"

    def request_time() -> float:
        start = processor_time()
        response = client.get(address, HTTP_HOST="localhost")  # the test environment would copy every context
        assert response.status_code == 200, response.status_code
        return (processor_time() - start) * 1000

    if not repeats:
        StoredAnswers.objects.all().delete()
        return {"nothing_stored_ms": round(request_time(), 1)}
    request_time()  # templates and imports
    codings = list(Coding.objects.of_people().filter(text__project=project).order_by("pk")[: repeats * 2])
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
    return {key: round(statistics.median(values), 1) for key, values in times.items()} | {"peak_mb": round(peak_mb())}


def let_worker_finish() -> None:
    """Run the computations that pages have queued, in another process like a worker."""
    from agreement.models import Computation

    if Computation.objects.filter(finished_at=None).exists():
        run_in(os.environ, work)


def work() -> None:
    """Run the computations that pages have queued."""
    from agreement.models import Computation
    from agreement.results.computations import compute

    for computation in Computation.objects.filter(finished_at=None):
        compute.call(computation.pk)


def processor_time() -> float:
    """Return the processor seconds of this process, and of its connection in a PostgreSQL on this machine."""
    from django.db import connection

    spent = time.process_time()
    if connection.vendor == "postgresql":
        connection.ensure_connection()
        schedule = Path(f"/proc/{connection.connection.info.backend_pid}/schedstat")
        spent += int(schedule.read_text().split()[0]) / 1e9 if schedule.exists() else 0.0
    return spent


def measure(texts: int, repeats: int, names: Sequence[str]) -> dict[str, Any]:
    """Return the figures of each page on the configured database, each measured in a new process."""
    run_in(os.environ, fill_database, texts)
    pages = {page: run_in(os.environ, measure_page, page, 0) for page in names}
    for page, times in pages.items():
        times |= run_in(os.environ, measure_page, page, repeats)
    return {"peak_mb": max(times["peak_mb"] for times in pages.values()), "pages": pages}


def report(figures: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of the tables of each database."""
    yield conditions("django")
    for database, of_database in figures.items():
        yield from ("", f"## {database}", "")
        if missing := next((of_size["why"] for of_size in of_database.values() if "why" in of_size), ""):
            yield missing
            continue
        rows = [
            (f"{int(size):,}", name, *(f"{row[key]:.0f}" for key in (*TIMES, "peak_mb")))
            for size, of_size in of_database.items()
            for name, row in of_size["pages"].items()
        ]
        yield from table(("texts", "page", *TIMES.values(), "memory"), rows, texts=2)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = make_parser("dashboard", __doc__)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="numbers of texts, with commas")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--databases", default=",".join(DATABASES), help=f"of {', '.join(DATABASES)}, with commas")
    parser.add_argument("--pages", default=",".join(PAGES), help=f"of {', '.join(PAGES)}, with commas")
    options = parser.parse_args(arguments)
    sizes, names = [int(size) for size in options.sizes.split(",")], options.pages.split(",")
    figures = {
        name: {str(size): run_on(name, measure, size, options.repeats, names) for size in sizes}
        for name in options.databases.split(",")
    }
    publish(options, figures, report(figures))


if __name__ == "__main__":
    main()
