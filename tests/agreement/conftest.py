"""Fixtures that run the worker and ask page, API and command for the same figure."""

import json
import re
from io import StringIO

import pytest
from django.core.management import call_command

from agreement.results import agreement, computations
from annotations.models import Project
from config.settings import TASKS
from tests.shared.agreeing import on_one_page
from tests.shared.letters import THREE, sorted_out


@pytest.fixture(scope="module")
def three_rows(module_rows) -> Project:
    """Make the project of THREE, "three", with everything submitted."""
    return sorted_out(THREE, "three")


@pytest.fixture
def three(three_rows, db) -> Project:
    return Project.objects.get(pk=three_rows.pk)


@pytest.fixture
def run_worker(settings, monkeypatch):
    """Make every computation wait for the worker, and return a function that runs the worker."""
    settings.TASKS = TASKS
    monkeypatch.setattr(computations, "MAX_IMMEDIATE_COST", 0)
    monkeypatch.setattr(agreement, "MAX_TEXTS_DRAWN_AT_ONCE", 1)
    # a worker begins with a connection of its own, but here it works in the transaction of the test
    monkeypatch.setattr("django_tasks_db.management.commands.db_worker.close_old_connections", lambda: None)
    return lambda: call_command("db_worker", "--batch", "--no-startup-delay", "--interval=0", verbosity=0)


@pytest.fixture
def ask_all(signed_in, charlie):
    """Return a function that compares page, API and command and returns the answer of the API."""

    def ask_all(slug, **asked):
        client = signed_in(charlie)
        page = client.get(f"/projects/{slug}/agreement/", asked).content.decode()
        shown = re.search(r'id="value"><data value="([^"]+)"', page)
        api = on_one_page(client.get(f"/api/v1/projects/{slug}/agreement/", asked).json())
        printed = StringIO()
        call_command("agreement", slug, format="json", stdout=printed, **asked)
        assert json.loads(printed.getvalue()) == api
        assert shown is not None
        assert float(shown[1]) == api["value"]
        return api

    return ask_all
