"""Fixtures of the attacks: the world of the roles and a visitor."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
from django.test import Client

from annotations.models import User
from tests.access.role_asking import World
from tests.access.role_world import PASSWORD


@pytest.fixture
def quiet() -> Iterator[None]:
    """Turn off the log of refusals, of which these tests cause hundreds."""
    logging.disable(logging.ERROR)
    yield
    logging.disable(logging.NOTSET)


@pytest.fixture(scope="module")
def plain_world(module_rows: None) -> World:
    """Make one world for the tests of a module, each of which takes back what it changes."""
    return World()


@pytest.fixture
def world(plain_world: World, db: None, quiet: None) -> World:
    return plain_world


@pytest.fixture
def visitor(db) -> Client:
    """Make Alice's account and return a client that is not signed in."""
    User.objects.create_user("alice", password=PASSWORD)
    return Client()
