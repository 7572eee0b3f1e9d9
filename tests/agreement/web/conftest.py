"""A project of two texts by three coders, managed by Charlie."""

import pytest

from annotations.models import Project
from tests.shared.agreeing import WALK, answer, coded_project


@pytest.fixture(scope="module")
def walk_rows(module_rows) -> int:
    return answer(coded_project("walk", "poesio-artstein-2005", WALK, WALK + ".", coders=("alice", "bob", "carol"))).pk


@pytest.fixture
def walk(walk_rows, charlie) -> Project:
    return Project.objects.get(pk=walk_rows)
