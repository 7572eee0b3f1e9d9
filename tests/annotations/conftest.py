"""Fixtures of the tests of annotations."""

import pytest
from django.test import Client

from annotations.models import Project
from tests.shared.projects import make_shared_project


@pytest.fixture
def manager(signed_in, charlie, project) -> Client:
    """Return the client of Charlie, who manages the project of the dialogue."""
    return signed_in(charlie)


@pytest.fixture(scope="module")
def module_project(module_rows: None) -> Project:
    """Make the project of the dialogue once for a module whose tests all have it: each takes back what it changes."""
    return make_shared_project()


@pytest.fixture
def project(request: pytest.FixtureRequest, alice, bob, charlie) -> Project:
    if "module_project" in request.fixturenames:
        return Project.objects.get(slug="tea")
    return make_shared_project()
