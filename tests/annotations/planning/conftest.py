import pytest

from annotations.models import Project
from tests.shared.plans import make_large_project


@pytest.fixture
def large(db) -> Project:
    return make_large_project()
