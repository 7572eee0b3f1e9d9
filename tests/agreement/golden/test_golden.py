"""Every figure of page, API and command is as it was when the files beside this test were written.

    GOLDEN=write .venv/bin/python -m pytest tests/agreement/golden     writes them anew
    GOLDEN=write .venv/bin/python -m pytest tests/agreement/golden -k chronicle     those of one project

Of numbers with every digit a billionth may change; what pages print has to be the same.
"""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime, timedelta
from itertools import count, islice
from zlib import crc32

import pytest
from django.db import connection
from django.template import defaultfilters
from django.utils import timezone
from django.utils.timesince import timesince
from pytest_django import Settings

from annotations.models import Project
from tests.agreement.golden.projects import PROJECTS, Golden
from tests.agreement.golden.recording import Recorder, signed_in
from tests.agreement.golden.storing import FOLDER, differences, dump, load

TODAY = datetime(2026, 3, 2, 12, tzinfo=UTC)
# When the files were written: how long ago something was, pages say by Django's own clock.
WRITTEN = datetime(2026, 11, 29, 6, tzinfo=UTC)
MOST_SHOWN = 40
# Up to so much a page computes itself.
BOUND = "MAX_IMMEDIATE_COST"
WRITES = os.environ.get("GOLDEN") == "write"

pytestmark = [pytest.mark.slow, pytest.mark.django_db]


@pytest.fixture
def frozen(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    """Let it be the same day whenever the test runs; one moment comes after the other."""
    ticks = count()
    monkeypatch.setattr(timezone, "now", lambda: TODAY + timedelta(microseconds=next(ticks)))
    monkeypatch.setattr(defaultfilters, "timesince", lambda since: timesince(since, WRITTEN))
    settings.API_REQUESTS_A_MINUTE = 10**6
    settings.SECRET_KEY = "golden"  # by which coders are given letters


@pytest.mark.parametrize("name", PROJECTS)
def test_all_figures_of_a_project_are_as_they_were(name: str, frozen: None) -> None:
    begin_numbers(name)
    golden = PROJECTS[name]
    make(golden)
    folder = FOLDER / name
    found = Recorder(name, golden.asked).record(golden.manager)
    if WRITES:
        folder.mkdir(parents=True, exist_ok=True)
        for face, said in found.items():
            (folder / f"{face}.json").write_text(dump(said), encoding="utf-8")
    differing = [
        f"{face}: {one}" for face, said in found.items() for one in differences(load(folder / f"{face}.json"), said)
    ]
    shown = "\n".join(islice(differing, MOST_SHOWN))
    assert not differing, f"{len(differing)} differences from {folder}, the first of them:\n{shown}"


@pytest.mark.parametrize("name", ["chronicle", "dialogue", "summaries"])
def test_pages_say_the_same_when_a_worker_computes(name: str, frozen: None, monkeypatch: pytest.MonkeyPatch) -> None:
    begin_numbers(name)
    golden = PROJECTS[name]
    make(golden)
    signed_in(golden.manager).get(f"/projects/{name}/agreement/")  # so that the modules of pages are imported
    bounds = [
        module for path, module in sys.modules.items() if path.startswith("agreement.") and hasattr(module, BOUND)
    ]
    assert bounds, f"no module of agreement has {BOUND}: say here how a worker is made to compute everything"
    for module in bounds:
        monkeypatch.setattr(module, BOUND, -1)
    found = Recorder(name, golden.asked).record_pages(golden.manager)
    assert found.pop("api/tasks/"), "no worker has computed anything"
    expected = load(FOLDER / name / "pages.json")
    differing = list(differences({path: expected[path] for path in found}, found))
    assert not differing, "\n".join(differing[:MOST_SHOWN])


def make(golden: Golden) -> None:
    golden.make()
    if connection.vendor == "postgresql":  # which counts rows by itself once they are committed, and plans by that
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")


def begin_numbers(name: str) -> None:
    """Let the project have a number of its own on each database.

    The process remembers nothing of another one under it, and the letters of coders are drawn by it.
    """
    number = 10**6 + crc32(name.encode()) % 10**6
    Project.objects.create(pk=number, slug="before", answers=Project.Answers.CATEGORIES, preset="kappa").delete()
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT setval(pg_get_serial_sequence('annotations_project', 'id'), %s)", [number])


def test_each_file_is_of_a_project() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(PROJECTS)
