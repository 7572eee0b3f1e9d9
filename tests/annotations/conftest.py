import pytest
from django.test import Client


@pytest.fixture
def manager(signed_in, charlie, project) -> Client:
    """Return Charlie's client; Charlie manages the project of the dialogue."""
    return signed_in(charlie)
