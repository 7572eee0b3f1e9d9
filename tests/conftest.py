"""Fixtures and markers of all tests: Alice and Bob code, Charlie manages, Mallory is an outsider."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.cache import caches
from django.core.cache.backends.locmem import LocMemCache
from django.db import connection, transaction
from django.test import Client, override_settings
from pytest_django import DjangoDbBlocker, Settings

from annotations.models import Coding, Membership, Project, Text, User
from annotations.projects.people.members import add_member
from tests.shared.cases import register_profiles
from tests.shared.projects import make_shared_project, person
from tests.shared.settings import MAIL_SERVER, quick_settings
from tests.shared.skipping import skip_or_fail_in_ci

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT.parent / "shared" / "samples"

# All tests of these folders are slow; other slow tests have a decorator.
SLOW_FOLDERS = frozenset({"access", "attacks", "browser", "engines", "examples", "faults"})
# Tests of these folders meet a database only by queries that other tests try on each kind of database.
ONE_DATABASE_FOLDERS = frozenset(
    {"access", "attacks", "browser", "coindex", "engines", "examples", "formats", "help", "measures"}
    | {"reports", "repository", "web"}
)
# A test that asks for one of these fixtures uses a database; the last is the database of killed programs.
DATABASE_FIXTURES = frozenset({"db", "transactional_db", "prepared", "restartable"})

register_profiles()


@pytest.hookimpl(tryfirst=True)  # before pytest selects by markers
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests by their folders, and put the slow ones first, so that no process ends with them alone."""
    for item in items:
        folders = frozenset(item.path.relative_to(ROOT / "tests").parts[:-1])
        if folders & SLOW_FOLDERS:
            item.add_marker("slow")
        uses_database = item.get_closest_marker("django_db") or DATABASE_FIXTURES & set(item.fixturenames)
        if uses_database and not folders & ONE_DATABASE_FOLDERS:
            item.add_marker("db")
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None) -> None:
    """Do not wait for the disk: no test database has to survive a power failure."""
    if connection.vendor == "sqlite":
        connection.settings_dict["OPTIONS"]["init_command"] += "PRAGMA synchronous=OFF;"
    else:
        connection.settings_dict["OPTIONS"]["options"] = "-c synchronous_commit=off -c jit=off"


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a migrated SQLite database without rows."""
    folder = tmp_path_factory.mktemp("migrated")
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    subprocess.run(
        [sys.executable, "manage.py", "migrate", "--verbosity", "0"],
        cwd=ROOT,
        env=environment | {"LOCAL": "1", "DATA_DIR": str(folder)},
        check=True,
    )
    return folder / "coindex.sqlite3"


@pytest.fixture
def migrated_folder(tmp_path: Path, migrated_file: Path) -> Path:
    """Return the folder of the test, as a folder of data with a migrated database."""
    shutil.copyfile(migrated_file, tmp_path / "coindex.sqlite3")
    return tmp_path


@pytest.fixture(scope="session")
def media_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of uploads and exports."""
    return tmp_path_factory.mktemp("files")


@pytest.fixture(autouse=True)
def settings_of_tests(settings: Settings, media_root: Path) -> None:
    for name, value in quick_settings(media_root).items():
        setattr(settings, name, value)


@pytest.fixture(autouse=True)
def tables_without_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not run ANALYZE in this process: SQLite would plan the queries of later tests by rows that are gone."""
    monkeypatch.setattr("annotations.management.commands.db_worker.sample_tables", lambda: None)


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    """Empty the caches in memory: tests use the same keys."""
    for cache in caches.all(initialized_only=True):
        if isinstance(cache, LocMemCache):  # a table is as it was before the test
            cache.clear()


@pytest.fixture(scope="session")
def samples() -> Path:
    """Return the folder of real corpora, which are not in the repository."""
    if not SAMPLES.is_dir():
        skip_or_fail_in_ci(f"the sample files are not here: {SAMPLES}")
    return SAMPLES


@pytest.fixture(scope="module")
def module_rows(django_db_setup: None, django_db_blocker: DjangoDbBlocker, media_root: Path) -> Iterator[None]:
    """Let fixtures of a module create rows for all of its tests, none of which commits."""
    with django_db_blocker.unblock(), override_settings(**quick_settings(media_root)), transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture
def alice(db) -> User:
    return person("alice")


@pytest.fixture
def bob(db) -> User:
    return person("bob")


@pytest.fixture
def charlie(db) -> User:
    return person("charlie")


@pytest.fixture
def mallory(db) -> User:
    return person("mallory")


@pytest.fixture
def project(alice, bob, charlie) -> Project:
    return make_shared_project()


@pytest.fixture
def text(project) -> Text:
    return project.texts.get()


@pytest.fixture
def codings(text) -> dict[str, Coding]:
    return {coding.coder.username: coding for coding in text.codings.of_people().select_related("coder")}


@pytest.fixture
def keys(text) -> dict[str, str]:
    """Return the keys of the dialogue's markables by their labels: a to f, and the turns 1 to 4."""
    return dict(text.markables.values_list("label", "key"))


@pytest.fixture
def people(project, alice, charlie, mallory) -> dict[str, User]:
    """Return a member in each role, and an outsider."""
    add_member(project, person("vera"), Membership.Role.VIEWER)
    add_member(project, person("adam"), Membership.Role.ADJUDICATOR)
    add_member(project, person("maya"), Membership.Role.MANAGER_CODER)
    return {
        "manager": charlie,
        "adjudicator": User.objects.get(username="adam"),
        "viewer": User.objects.get(username="vera"),
        "coder": alice,
        "manager-coder": User.objects.get(username="maya"),
        "outsider": mallory,
    }


@pytest.fixture
def mail_server(settings: Settings) -> Settings:
    """Let there be a mail server, whose mails are in `mailoutbox`."""
    for name, value in MAIL_SERVER.items():
        setattr(settings, name, value)
    return settings


@pytest.fixture
def signed_in():
    """Return a function that returns a client in which the person is signed in."""

    def sign_in(user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return sign_in
