"""The project of scored peers, made once a module."""

import pytest

from annotations.models import Project
from tests.shared.scored import harbour


@pytest.fixture(scope="module")
def harbour_rows(module_rows, request):
    """Make the project as the module says in OPTIONS."""
    return harbour(**getattr(request.module, "OPTIONS", {})).pk


@pytest.fixture
def project(harbour_rows, charlie):
    return Project.objects.get(pk=harbour_rows)
