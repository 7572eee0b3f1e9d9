"""Fixtures of the tests of imports and exports."""

import pytest

from annotations.models import Project
from annotations.projects.creation import create_project
from annotations.schemes.ready_made import SCHEMES


@pytest.fixture
def tales(db) -> Project:
    """Return a project of chains, without texts."""
    return create_project("tales", "Tales", SCHEMES["clusters"])
