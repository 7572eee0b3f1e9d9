"""Measure how long a manager waits for the dashboard of a large project: python -m benchmarks.dashboard --json.

A project of 1,000 texts, 3 coders and 80 markables a text, 240,000 judgements. The dashboard is the part of the
overview with the figure, its interval, the items that need attention and the activity, and the page of agreement with
every distance and interval; each is requested as by a browser, through views, templates and the database. First: the
cache is empty. Unchanged: requested again. After one text: a coder has changed one answer in between.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import time
from pathlib import Path
from typing import Any

from benchmarks.databases import NAMES, run_on

TEXTS, CODERS, MARKABLES = 1000, 3, 80
GOALS = {"first_ms": 1500, "unchanged_ms": 200, "after_one_text_ms": 300}
PAGES = {"overview": "agreement/headline/", "agreement": "agreement/"}
OTHERS = {
    "items": "agreement/items/",
    "texts": "agreement/texts/",
    "coders": "agreement/coders/",
    "categories": "agreement/categories/",
}


def measure(texts: int, repeats: int) -> dict[str, Any]:
    """Return the times on the configured database: of each page, and of the dashboard, the slower of its pages."""
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection
    from django.test import Client
    from django.test.utils import setup_test_environment

    from agreement.data.extract import clear_cache
    from annotations.models import Coding, User
    from benchmarks.projects import change_answer, fill

    call_command("migrate", verbosity=0)
    setup_test_environment()
    project = fill(texts, CODERS, MARKABLES)
    with connection.cursor() as cursor:  # PostgreSQL does so itself soon after so many new rows
        cursor.execute("analyze")
    client = Client()
    client.force_login(User.objects.get(username="manager"))
    coding = Coding.objects.filter(text__project=project).first()
    assert coding is not None

    def request_time(address: str) -> float:
        start = time.perf_counter()
        response = client.get(f"/projects/{project.slug}/{address}")
        assert response.status_code == 200, response.status_code
        return (time.perf_counter() - start) * 1000

    request_time(PAGES["agreement"])  # templates and imports
    figures: dict[str, dict[str, float]] = {}
    for name, address in {**PAGES, **OTHERS}.items():
        times: dict[str, list[float]] = {key: [] for key in GOALS}
        for number in range(repeats):
            clear_cache()
            times["first_ms"].append(request_time(address))
            times["unchanged_ms"].append(request_time(address))
            change_answer(coding, number)
            times["after_one_text_ms"].append(request_time(address))
        figures[name] = {key: round(statistics.median(values), 1) for key, values in times.items()}
    dashboard = {key: max(figures[name][key] for name in PAGES) for key in GOALS}
    return {**dashboard, "pages": figures}


def run_in_process(database: str, texts: int, repeats: int) -> dict[str, Any]:
    """Return the times, measured in a new process on a new database."""
    return run_on(database, "benchmarks.dashboard", ["--here", f"--texts={texts}", f"--repeats={repeats}"])


def report(figures: dict[str, Any], texts: int) -> str:
    """Return the figures as a page of the documentation."""
    import django

    judgements = texts * CODERS * MARKABLES
    lines = [
        "# Benchmark of the dashboard",
        "",
        f"{texts:,} texts, {CODERS} coders, {MARKABLES} markables a text: {judgements:,} judgements, by pointers.",
        "Medians, in milliseconds, of whole requests: session, access, queries, figures, intervals, page. *First*: the",
        "process remembers nothing. *Unchanged*: asked for again. *After one text*: one answer was changed in between.",
        "The dashboard is the slower of overview and agreement; its goals are 1,500, 200 and 300 ms.",
        "",
        f"Python {platform.python_version()}, Django {django.__version__}, {os.cpu_count()} cores.",
    ]
    for database, database_figures in figures.items():
        lines += ["", f"## {database}", ""]
        if "why" in database_figures:
            lines.append(database_figures["why"])
            continue
        lines += ["| page | first | unchanged | after one text |", "| --- | ---: | ---: | ---: |"]
        rows = {"**dashboard**": database_figures, **database_figures["pages"]}
        lines += [f"| {name} | {' | '.join(f'{row[key]:.0f}' for key in GOALS)} |" for name, row in rows.items()]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write them as a page of the documentation")
    parser.add_argument("--texts", type=int, default=TEXTS)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here:
        print(json.dumps(measure(options.texts, options.repeats)))
        return
    figures = {name: run_in_process(name, options.texts, options.repeats) for name in NAMES}
    if options.write:
        options.write.write_text(report(figures, options.texts), encoding="utf-8")
    print(json.dumps(figures, indent=1) if options.json else report(figures, options.texts))


if __name__ == "__main__":
    main()
