"""How long a manager waits for the dashboard of a large project: python -m benchmarks.dashboard --json, or make bench.

A project of 1,000 texts, 3 coders and 80 markables a text, 240,000 judgements. The dashboard is the part of the
overview with the figure, its interval, the items that need attention and the activity, and the page of agreement with
every distance and interval; each is asked for as a browser does, through views, templates and the database. First:
nothing is remembered. Unchanged: asked for again. After one text: a coder has changed one answer in between.
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


def measured(texts: int, repeats: int) -> dict[str, Any]:
    """The times on the database of the settings: each page alone, and the dashboard, which is the slower of its two."""
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection
    from django.test import Client
    from django.test.utils import setup_test_environment

    from agreement.extract import forget
    from annotations.models import Coding, User
    from benchmarks.projects import answer_otherwise, fill

    call_command("migrate", verbosity=0)
    setup_test_environment()
    project = fill(texts, CODERS, MARKABLES)
    with connection.cursor() as cursor:  # as PostgreSQL does by itself soon after so many new rows
        cursor.execute("analyze")
    client = Client()
    client.force_login(User.objects.get(username="manager"))
    coding = Coding.objects.filter(text__project=project).first()
    assert coding is not None

    def waited(address: str) -> float:
        begin = time.perf_counter()
        answer = client.get(f"/projects/{project.slug}/{address}")
        assert answer.status_code == 200, answer.status_code
        return (time.perf_counter() - begin) * 1000

    waited(PAGES["agreement"])  # templates and imports
    found: dict[str, dict[str, float]] = {}
    for name, address in {**PAGES, **OTHERS}.items():
        times: dict[str, list[float]] = {key: [] for key in GOALS}
        for number in range(repeats):
            forget()
            times["first_ms"].append(waited(address))
            times["unchanged_ms"].append(waited(address))
            answer_otherwise(coding, number)
            times["after_one_text_ms"].append(waited(address))
        found[name] = {key: round(statistics.median(of), 1) for key, of in times.items()}
    dashboard = {key: max(found[name][key] for name in PAGES) for key in GOALS}
    return {**dashboard, "pages": found}


def in_a_process(database: str, texts: int, repeats: int) -> dict[str, Any]:
    """The times in a process of its own, on a database of its own."""
    return run_on(database, "benchmarks.dashboard", ["--here", f"--texts={texts}", f"--repeats={repeats}"])


def report(found: dict[str, Any], texts: int) -> str:
    """The figures as a page of the documentation."""
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
    for database, of_database in found.items():
        lines += ["", f"## {database}", ""]
        if "why" in of_database:
            lines.append(of_database["why"])
            continue
        lines += ["| page | first | unchanged | after one text |", "| --- | ---: | ---: | ---: |"]
        rows = {"**dashboard**": of_database, **of_database["pages"]}
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
        print(json.dumps(measured(options.texts, options.repeats)))
        return
    found = {name: in_a_process(name, options.texts, options.repeats) for name in NAMES}
    if options.write:
        options.write.write_text(report(found, options.texts), encoding="utf-8")
    print(json.dumps(found, indent=1) if options.json else report(found, options.texts))


if __name__ == "__main__":
    main()
