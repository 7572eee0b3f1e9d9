"""Fixtures of the tests of annotations."""

import pytest
from django.test import Client


@pytest.fixture
def manager(signed_in, charlie, project) -> Client:
    """Return the client of Charlie, who manages the project of the dialogue."""
    return signed_in(charlie)
