"""The project of scored peers, shared by the tests of a module."""

import pytest

from annotations.models import Project
from tests.shared.scored import harbour


@pytest.fixture(scope="module")
def harbour_rows(module_rows, request):
    """Make the project with the OPTIONS of the module."""
    return harbour(**getattr(request.module, "OPTIONS", {})).pk


@pytest.fixture
def project(harbour_rows, charlie):
    return Project.objects.get(pk=harbour_rows)
