"""What tests share: Alice and Bob code, Charlie manages, Mallory is an outsider."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Thread
from uuid import uuid4

import pytest
from django.core.cache import cache
from django.db import connections
from django.db.backends.postgresql.operations import DatabaseOperations
from django.test import Client
from pytest_django import Settings

from annotations import actions, operations
from annotations.formats import plain
from annotations.importing import Coded, import_documents
from annotations.models import Coding, Membership, Project, Text, User
from annotations.schemes import SCHEMES

SAMPLES = Path(__file__).resolve().parent.parent.parent / "shared" / "samples"

DIALOGUE = """\
#title: Tea
#turns: turn
1 M: put [the kettle](a) on [the stove](b)
2 S: is [it](c) hot?
3 M: [it](d) will be, give [it](e) a minute
4 S: [that](f) is fine
"""


# What asks for one of these is at a database; the last two are of tests/faults, whose databases are no test databases.
DATABASES = frozenset({"db", "transactional_db", "live_server", "django_db_setup", "prepared", "restartable"})
# Of the browser's tests those in which windows, the network and the worker meet the database.
BROWSER_AND_DATABASE = ("test_saving", "test_transfers", "test_blindness")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--only-database", action="store_true", help="leave out the tests for which the kind of database is nothing"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With --only-database: on a second database, what touches none and how pages look has been tested already."""
    if not config.getoption("only_database"):
        return
    left_out = [
        item
        for item in items
        if _of_pages_alone(item)
        or (not DATABASES.intersection(getattr(item, "fixturenames", ())) and not item.get_closest_marker("django_db"))
    ]
    config.hook.pytest_deselected(items=left_out)
    gone = set(left_out)
    items[:] = [item for item in items if item not in gone]


def _of_pages_alone(item: pytest.Item) -> bool:
    return item.path.parent.name == "browser" and item.path.stem not in BROWSER_AND_DATABASE


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None) -> None:
    """After a test that commits, PostgreSQL empties the tables by DELETE: TRUNCATE makes every table's file anew."""

    def emptied(operations: DatabaseOperations, _: object, tables: list[str], **options: bool) -> list[str]:
        return [f"DELETE FROM {operations.quote_name(table)};" for table in tables]

    DatabaseOperations.sql_flush = emptied  # type: ignore[method-assign, assignment]


@pytest.fixture(autouse=True)
def tasks_at_once(settings: Settings) -> None:
    """What a worker does is done while it is ordered."""
    settings.TASKS = {"default": {"BACKEND": "django.tasks.backends.immediate.ImmediateBackend"}}


@pytest.fixture(autouse=True)
def nothing_asked_before() -> None:
    """How often somebody has asked the API is counted in the cache, by keys that tests have again and again."""
    cache.clear()


@pytest.fixture(autouse=True)
def any_number_of_attempts(settings: Settings) -> None:
    """Tests sign in without a request, which the bound on failures needs; its own tests turn it on."""
    settings.AXES_ENABLED = False


@pytest.fixture(scope="session")
def kept_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("files")


@pytest.fixture(autouse=True)
def own_files(settings: Settings, kept_files: Path) -> None:
    """Uploads and exports of tests are not among those of the program."""
    settings.MEDIA_ROOT = kept_files


@pytest.fixture
def samples() -> Path:
    if not SAMPLES.is_dir():
        pytest.skip(f"the sample files are not here ({SAMPLES})")
    return SAMPLES


def person(name: str) -> User:
    return User.objects.create(username=name)


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


def make_project(slug: str = "tea", scheme: str = "poesio-artstein-2005", marked: str = DIALOGUE) -> Project:
    """A project with one text, "tea"."""
    project = actions.create_project(slug, slug.title(), SCHEMES[scheme])
    document = plain.parse(marked, "tea.txt")
    import_documents(project, [Coded(document, None)])
    return project


@pytest.fixture
def project(alice, bob, charlie) -> Project:
    """The dialogue, given to Alice and Bob to code and managed by Charlie."""
    project = make_project()
    actions.add_member(project, charlie, Membership.Role.MANAGER)
    for coder in (alice, bob):
        actions.add_member(project, coder, Membership.Role.CODER)
    actions.assign(project, project.texts.all(), [alice, bob])
    return project


@pytest.fixture
def text(project) -> Text:
    return project.texts.get()


@pytest.fixture
def codings(text) -> dict[str, Coding]:
    return {coding.coder.username: coding for coding in text.codings.select_related("coder")}


def change(kind: str = "judge", **payload: object) -> operations.Change:
    return operations.Change(uuid4(), kind, payload)


def judge(coding: Coding, markable: str, category: str | None, *pointers: str, **more: object) -> int:
    """The coding's coder judges one markable."""
    coding.refresh_from_db(fields=["version"])
    decision = change(markable=markable, category=category, pointers=list(pointers), **more)
    return operations.apply(coding, coding.coder, coding.version, [decision])


def in_another_connection(do: Callable[[], int]) -> int:
    """Do it as another process would, at this moment."""
    found: list[int] = []

    def work() -> None:
        try:
            found.append(do())
        finally:
            connections.close_all()

    thread = Thread(target=work)
    thread.start()
    thread.join()
    [result] = found
    return result


@pytest.fixture
def people(project, alice, charlie, mallory) -> dict[str, User]:
    """Somebody in each role, and an outsider."""
    actions.add_member(project, person("vera"), Membership.Role.VIEWER)
    actions.add_member(project, person("adam"), Membership.Role.ADJUDICATOR)
    return {
        "manager": charlie,
        "adjudicator": User.objects.get(username="adam"),
        "viewer": User.objects.get(username="vera"),
        "coder": alice,
        "outsider": mallory,
    }


@pytest.fixture
def keys(text) -> dict[str, str]:
    """The keys of the dialogue's markables by their labels: a to f, and the turns 1 to 4."""
    return dict(text.markables.values_list("label", "key"))


@pytest.fixture
def signed_in():
    """A function that gives a client in which the person is signed in."""

    def sign_in(user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return sign_in
