"""What the attacks share: the world of the roles, plain or poisoned."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
from django.test import Client
from pytest_django import Settings

from annotations.models import User
from tests.attacks.hostile import poisoned
from tests.role_asking import World
from tests.role_world import PASSWORD


@pytest.fixture
def quiet() -> Iterator[None]:
    """Refusals by the hundred are not told."""
    logging.disable(logging.ERROR)
    yield
    logging.disable(logging.NOTSET)


@pytest.fixture
def quick(settings: Settings) -> None:
    """Passwords are hashed slowly on purpose, and not here."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def world(db, quiet, quick) -> World:
    return World()


@pytest.fixture
def hostile(db, quiet, quick) -> World:
    return poisoned()


@pytest.fixture
def visitor(db, quick) -> Client:
    """Somebody who is not signed in, where Alice could be."""
    User.objects.create_user("alice", password=PASSWORD)
    return Client()
