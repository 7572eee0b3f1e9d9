"""What tests share: Alice and Bob code, Charlie manages, Mallory is an outsider."""

from __future__ import annotations

import functools
import gc
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any, NoReturn
from uuid import uuid4

import pytest
from _pytest.python import pytest_pyfunc_call as call_test
from django.contrib.auth.management import create_permissions
from django.contrib.contenttypes.management import create_contenttypes
from django.core.cache import caches
from django.core.cache.backends.locmem import LocMemCache
from django.db import connection, connections, transaction
from django.db.backends.base.operations import BaseDatabaseOperations
from django.db.models.signals import post_migrate
from django.test import Client, override_settings
from hypothesis import settings as hypothesis_settings
from pytest_django import DjangoDbBlocker, Settings

from annotations.coding import operations, status
from annotations.formats import plain
from annotations.models import Coding, Membership, Project, Text, User
from annotations.planning.work.assignments import assign_texts
from annotations.projects.creation import create_project
from annotations.projects.people.members import add_member
from annotations.schemes.ready_made import SCHEMES
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument
from tests.shared import migrated
from tests.shared.cases import Selection, register_profiles

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"
SAMPLES = ROOT.parent / "shared" / "samples"

DIALOGUE = """\
#title: Tea
#turns: turn
1 M: put [the kettle](a) on [the stove](b)
2 S: is [it](c) hot?
3 M: [it](d) will be, give [it](e) a minute
4 S: [that](f) is fine
"""


# All tests of these folders have the marker; other tests have it by a decorator.
MARKERS_OF_FOLDERS = {
    "browser": "browser",
    "engines": "browser",
    "faults": "faults",
    "access": "slow",
    "attacks": "slow",
    "examples": "slow",
}
OF_BROWSERS = frozenset(folder for folder, marker in MARKERS_OF_FOLDERS.items() if marker == "browser")
LONG_MARKERS = ("browser", "faults", "slow")
# What asks for one of these is at a database; the last two are of tests/faults, whose databases are no test databases.
DATABASES = frozenset({"db", "transactional_db", "live_server", "django_db_setup", "prepared", "restartable"})
# What pages show and what reports compute of answers that are read is the same on each database, unless several
# connections are about it; the queries behind it are tried by the tests of the other folders.
PAGES = frozenset({"web", "sections", "reports"})
# So is what the command of agreement prints; the API of agreement writes, too.
READERS = frozenset({"agreement", "management"})
# Programs of people see of a server what its API says, which is tried on each database itself; the library, the texts
# of help and the repository know of no database.
OF_NO_DATABASE = frozenset({"coindex", "examples", "measures", "help", "repository"})
# Cases of a parametrised test mostly go the same way: another kind of database and the quick suite meet the first, with
# --full all; but all of what saves answers, of what tables refuse, and of databases and programs that fail.
WITH_FIRST_CASES = frozenset({"quick", "database"})
WITH_ALL_CASES = frozenset({"coding", "core", "models", "faults"})
# Of the browser's tests those in which several windows and the network meet the database.
BROWSER_AND_DATABASE = ("test_saving", "test_blindness")
# Folders that are not even imported for a part of the tests: long ones, what each sees and may send, and those above.
LEFT_OUT = {
    **dict.fromkeys(("quick", "once"), frozenset(MARKERS_OF_FOLDERS)),
    "database": frozenset({"access", "attacks", "engines"}) | OF_NO_DATABASE,
}

# Tables of the models there are, which no test changes.
OF_MODELS = frozenset({"django_content_type", "auth_permission"})

# Passwords are hashed slowly on purpose, and not in tests.
QUICK_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

register_profiles()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--only",
        choices=PARTS,
        help="'quick': short tests, and of a parametrised one the first case; 'database': tests for which the kind of"
        " database may matter; 'once': the other short ones; 'often': all but these others, which CI runs once",
    )
    parser.addoption(
        "--full", action="store_true", help="try all cases of long parametrisations, and properties by more examples"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Set the options that parametrisations need, before the modules of tests are imported."""
    Selection.full = config.getoption("full")
    if Selection.full and not config.getoption("--hypothesis-profile"):
        hypothesis_settings.load_profile("full")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    left_out = LEFT_OUT.get(config.getoption("only"), frozenset())
    return (collection_path.is_relative_to(TESTS) and collection_path.name in left_out) or None


@pytest.hookimpl(tryfirst=True)  # before pytest selects by markers
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests by their folders, sort them, and deselect what the options leave out.

    Modules that take long come first: else one process works on the last of them while the others have none.
    """
    for item in items:
        if marker := MARKERS_OF_FOLDERS.get(_folder_of(item)):
            item.add_marker(marker)
    if part := config.getoption("only"):
        _deselect(config, items, lambda item: not PARTS[part](item))
    if part in WITH_FIRST_CASES and not Selection.full:
        further = _further_cases(item for item in items if not WITH_ALL_CASES & _folders_of(item))
        _deselect(config, items, further.__contains__)
    long = {item.path for item in items if _is_long(item)}
    items.sort(key=lambda item: item.path not in long)


def _deselect(config: pytest.Config, items: list[pytest.Item], leave_out: Callable[[pytest.Item], bool]) -> None:
    config.hook.pytest_deselected(items=[item for item in items if leave_out(item)])
    items[:] = [item for item in items if not leave_out(item)]


def _further_cases(items: Iterable[pytest.Item]) -> set[pytest.Item]:
    """Return the cases of parametrised tests but for the first of each."""
    seen = set()
    further = set()
    for item in items:
        test = item.nodeid.partition("[")[0]
        if test in seen:
            further.add(item)
        seen.add(test)
    return further


def _make_caller(n_variables: int) -> Callable[..., Any]:
    """Return a function that calls another with arguments by name, and has very many variables of its own.

    Python takes memory for calls in pieces of 16 KB and gives each back as soon as it is empty, or in larger ones for
    larger calls. Within the piece of this call there is room for those of a test: else one that is thousands of times
    at the end of a piece, as in walks to all addresses, would ask the system for memory each time, a tenth of its time.
    """
    names = " = ".join(f"_{number}" for number in range(n_variables))
    code = f"def call(function, arguments):\n    return function(**arguments)\n    {names} = None\n"
    namespace: dict[str, Any] = {}
    exec(code, namespace)
    caller: Callable[..., Any] = namespace["call"]
    return caller


# 128 KB, in a piece of 256 KB.
_call = _make_caller(16_000)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool:
    """Let pytest call the test, with room for the calls that it makes."""
    _call(call_test, {"pyfuncitem": pyfuncitem})
    return True


def pytest_collection_finish() -> None:
    """Let the garbage collector pass over the thousands of tests that were collected: they live until the end."""
    gc.freeze()


def _folder_of(item: pytest.Item) -> str:
    """Return the folder of `tests/` that the test is in, at whatever depth."""
    return item.nodeid.split("/", 2)[1]  # tens of thousands are asked for


def _folders_of(item: pytest.Item) -> frozenset[str]:
    """Return the folders of `tests/` that the test is in, wherever the repository lies."""
    return _folders_on(item.nodeid.partition("::")[0])


@functools.cache
def _folders_on(file: str) -> frozenset[str]:
    return frozenset(file.split("/")[1:-1])


def _is_long(item: pytest.Item) -> bool:
    return any(map(item.get_closest_marker, LONG_MARKERS))


def _meets_database(item: pytest.Item) -> bool:
    """Return whether another kind of database may matter for the test: it does not for the look of pages."""
    if _folder_of(item) in OF_BROWSERS and item.path.stem not in BROWSER_AND_DATABASE:
        return False
    if item.get_closest_marker("one_database") or OF_NO_DATABASE & _folders_of(item):
        return False
    fixtures = DATABASES.intersection(getattr(item, "fixturenames", ()))
    marker = item.get_closest_marker("django_db")
    if PAGES & _folders_of(item) or _folders_of(item) >= READERS:
        return "transactional_db" in fixtures or bool(marker and marker.kwargs.get("transaction"))
    return bool(fixtures) or marker is not None


PARTS: dict[str, Callable[[pytest.Item], bool]] = {
    "quick": lambda item: not _is_long(item),
    "database": _meets_database,
    "once": lambda item: not (_meets_database(item) or _is_long(item)),
    "often": lambda item: _meets_database(item) or _is_long(item),
}


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None) -> None:
    """Let test databases be quick: nobody needs them after a power failure.

    After a test that commits, the tables are emptied by DELETE, as TRUNCATE makes each file anew on PostgreSQL,
    but for those that say which models there are: to find out what is missing there takes longest.
    PostgreSQL compiles no queries: it takes tables to be large that tests have filled and emptied many times.
    """

    def deletions(operations: BaseDatabaseOperations, _: object, tables: list[str], **options: bool) -> list[str]:
        return [f"DELETE FROM {operations.quote_name(table)};" for table in tables if table not in OF_MODELS]

    type(connection.ops).sql_flush = deletions  # type: ignore[method-assign, assignment]
    if connection.vendor == "sqlite":
        connection.settings_dict["OPTIONS"]["init_command"] += "PRAGMA synchronous=OFF;"
    else:
        connection.settings_dict["OPTIONS"]["options"] = "-c synchronous_commit=off -c jit=off"


@pytest.fixture(scope="session")
def django_db_keepdb(request: pytest.FixtureRequest, django_db_modify_db_settings: None) -> bool:
    """Return whether there is a database already: as --reuse-db says, or a copy of one that was migrated before."""
    return bool(request.config.getoption("reuse_db")) or (
        not request.config.getoption("create_db") and migrated.lay_out()
    )


@pytest.fixture(scope="session")
def django_db_setup(django_db_keepdb: bool, django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> None:
    """Keep what migrations have made, and let nobody ask after each test that commits which models there are."""
    if not django_db_keepdb:
        with django_db_blocker.unblock():
            migrated.keep()
    post_migrate.disconnect(create_contenttypes)
    post_migrate.disconnect(create_permissions, dispatch_uid="django.contrib.auth.management.create_permissions")


@pytest.fixture(scope="session")
def media_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of uploads and exports."""
    return tmp_path_factory.mktemp("files")


def quick_settings(media_root: Path) -> dict[str, object]:
    """Return settings by which nothing waits, and no files of the program are touched."""
    return {
        "MEDIA_ROOT": media_root,
        "WORKERS_DIR": media_root.parent / f"workers-of-{media_root.name}",
        "TASKS": {"default": {"BACKEND": "django.tasks.backends.immediate.ImmediateBackend", "QUEUES": []}},
        # Tests sign in without a request, which the bound on failures needs.
        "AXES_ENABLED": False,
        "PASSWORD_HASHERS": QUICK_HASHERS,
        # Otherwise each client looks through all static files when it starts.
        "WHITENOISE_AUTOREFRESH": True,
    }


@pytest.fixture(autouse=True)
def settings_of_tests(settings: Settings, media_root: Path) -> None:
    """Let nothing wait, and touch no files of the program. Tests of these settings set them themselves."""
    for name, value in quick_settings(media_root).items():
        setattr(settings, name, value)


@pytest.fixture(autouse=True)
def tables_without_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a worker in this process sample no tables: SQLite would plan the queries of later tests by what is gone."""
    monkeypatch.setattr("annotations.management.commands.db_worker.sample_tables", lambda: None)


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    """Forget how often somebody has used the API, and what was read: tests have the same keys again and again."""
    for cache in caches.all(initialized_only=True):
        if isinstance(cache, LocMemCache):  # a table is as it was before the test
            cache.clear()


def skip_or_fail_in_ci(reason: str) -> NoReturn:
    """Skip the test, which needs something that this machine does not have; fail where CI runs it."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def samples() -> Path:
    """Return the folder of real corpora, which are not in the repository."""
    if not SAMPLES.is_dir():
        skip_or_fail_in_ci(f"the sample files are not here: {SAMPLES}")
    return SAMPLES


@pytest.fixture(scope="module")
def module_rows(django_db_setup: None, django_db_blocker: DjangoDbBlocker, media_root: Path) -> Iterator[None]:
    """Let fixtures of a module make rows for all of its tests; what a test changes of them is taken back after it.

    Not for modules in which a test commits.
    """
    with django_db_blocker.unblock(), override_settings(**quick_settings(media_root)), transaction.atomic():
        yield
        transaction.set_rollback(True)


def person(name: str) -> User:
    return User.objects.get_or_create(username=name)[0]


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
    """Make a project with one text, "tea"."""
    project = create_project(slug, slug.title(), SCHEMES[scheme])
    document = plain.parse(marked, "tea.txt")
    import_documents(project, [SourceDocument(document, None)])
    return project


def make_shared_project() -> Project:
    """Make the project of the dialogue, which Alice and Bob have to code and Charlie manages."""
    project = make_project()
    alice, bob, charlie = map(person, ("alice", "bob", "charlie"))
    # Hundreds of tests have this project: the checks of `add_member` have tests of their own.
    roles = {charlie: Membership.Role.MANAGER, alice: Membership.Role.CODER, bob: Membership.Role.CODER}
    Membership.objects.bulk_create(Membership(project=project, user=user, role=roles[user]) for user in roles)
    assign_texts(project, project.texts.all(), [alice, bob])
    return project


@pytest.fixture
def project(alice, bob, charlie) -> Project:
    """Make the project of the dialogue."""
    return make_shared_project()


@pytest.fixture
def text(project) -> Text:
    return project.texts.get()


@pytest.fixture
def codings(text) -> dict[str, Coding]:
    return {coding.coder.username: coding for coding in text.codings.of_people().select_related("coder")}


def change(kind: str = "judge", **payload: object) -> operations.Change:
    return operations.Change(uuid4(), kind, payload)


def judgement(markable: str, category: str | None, *pointers: str, **more: object) -> operations.Change:
    """Return the change by which one markable is judged."""
    return change(markable=markable, category=category, pointers=list(pointers), **more)


def judge(coding: Coding, markable: str, category: str | None, *pointers: str, **more: object) -> int:
    """Judge one markable as the coding's coder."""
    return judge_all(coding, [judgement(markable, category, *pointers, **more)])


def judge_all(coding: Coding, judgements: list[operations.Change]) -> int:
    """Judge several markables as the coding's coder, in one step: much quicker than one by one."""
    coding.refresh_from_db(fields=["version"])
    return operations.apply(coding, coding.coder, coding.version, judgements)


def judge_rest(coding: Coding, category: str = "none") -> int:
    """Give this category to the markables that came with the text and have none yet: gold closes without a hole."""
    given = coding.text.markables.filter(predefined=True, level__coded=True)
    rest = given.exclude(judgements__in=coding.judgements.exclude(category=None))
    return judge_all(coding, [judgement(key, category) for key in rest.values_list("key", flat=True)])


def close_gold(gold: Coding) -> int:
    """Close gold as older versions did, which asked for no answers."""
    return status.set_status(gold, gold.coder, Coding.Status.SUBMITTED)


def in_another_connection(do: Callable[[], int]) -> int:
    """Call `do` at once in another connection, as another process would, and return its result."""
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
    """Return somebody in each role, and an outsider."""
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
def keys(text) -> dict[str, str]:
    """Return the keys of the dialogue's markables by their labels: a to f, and the turns 1 to 4."""
    return dict(text.markables.values_list("label", "key"))


MAIL_SERVER = {
    "MAILERS": {"default": {"BACKEND": "django.core.mail.backends.locmem.EmailBackend"}},
    "SITE_URL": "https://coindex.example",
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
