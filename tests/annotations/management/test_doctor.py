"""manage.py doctor: what is wrong, and how it is mended."""

import json
import platform
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from annotations.core.processes.heartbeat import LOST_AFTER, beating, worker_name
from annotations.core.processes.installed import program_version
from annotations.core.processes.serving import hold_data
from annotations.management.commands import doctor
from annotations.models import Judgement
from annotations.transfers.backups import TIME_FORMAT
from tests.shared.coding import judge
from tests.shared.migrations import unapply_last

GIGABYTE = 10**9


@pytest.fixture
def well(db, settings, tmp_path):
    """Make an installation with nothing wrong, with a living worker and a backup of this morning."""
    settings.LOCAL = True
    settings.DATA_DIR, settings.MEDIA_ROOT = tmp_path, tmp_path / "files"
    settings.BACKUP_DIR, settings.WORKERS_DIR = tmp_path / "backups", tmp_path / "workers"
    settings.BACKUP_DIR.mkdir()
    settings.ALLOWED_HOSTS = ["coindex.example"]
    back_up_at(settings, datetime.now(UTC) - timedelta(hours=6))
    with hold_data(tmp_path), beating(settings.WORKERS_DIR, "host.1.a", 900):
        yield settings


def back_up_at(settings, when: datetime) -> None:
    for path in settings.BACKUP_DIR.iterdir():
        path.unlink()
    (settings.BACKUP_DIR / f"coindex-{when:{TIME_FORMAT}}Z.zip").touch()


def examined(*given: str) -> tuple[int, dict[str, list[dict[str, str]]]]:
    """Return the exit status, and the problems of each check that found some."""
    out, status = StringIO(), 0
    try:
        call_command("doctor", "--json", *given, stdout=out)
    except SystemExit as end:
        status = int(end.code or 0)
    told = json.loads(out.getvalue())
    assert told["well"] is (status == 0)
    assert {check["name"] for check in told["checks"]} == (set(given[1:]) if given else set(doctor.CHECKS))
    return status, {check["name"]: check["problems"] for check in told["checks"] if check["problems"]}


def complaint(name: str) -> str:
    """Return what the one check says that complains, and assert that it says how to mend it."""
    status, found = examined()
    assert (status, set(found)) == (1, {name})
    assert all(problem["remedy"] for problem in found[name])
    return " ".join(problem["what"] for problem in found[name])


def test_where_nothing_is_wrong_it_says_so_and_leaves_nothing(well, tmp_path, django_assert_num_queries):
    before = set(tmp_path.rglob("*")) | {tmp_path / "files"}
    assert examined() == (0, {})
    assert set(tmp_path.rglob("*")) == before
    with django_assert_num_queries(0):
        assert examined("--only", "backups") == (0, {})
    call_command("doctor", stdout=(out := StringIO()))
    assert f"versions: well (Coindex {program_version()}, Python {platform.python_version()}, " in out.getvalue()
    assert f"disk: well ({tmp_path}, " in out.getvalue()
    assert out.getvalue().endswith("No problems found.\n")


def test_it_says_in_words_what_is_wrong_and_what_to_do(well):
    back_up_at(well, datetime.now(UTC) - timedelta(days=2))
    with pytest.raises(SystemExit) as end:
        call_command("doctor", stdout=(out := StringIO()))
    assert end.value.code == 1
    said = out.getvalue()
    assert "backups: wrong\n  The newest backup in" in said
    assert "scheduled_backup" in said
    assert said.endswith("1 thing to mend.\n")


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("SECRET_KEY", "x", "security.W009"),
        ("DEBUG", True, "security.W018"),
        ("SECURE_SSL_REDIRECT", False, "security.W008"),
        ("SESSION_COOKIE_SECURE", False, "security.W012"),
        ("ALLOWED_HOSTS", ["*"], "answers to every name"),
    ],
)
def test_settings_that_are_not_for_a_server(well, name, value, says):
    well.LOCAL = False
    # A variable that the tests of browsers need is none for a server; it may be set here.
    well.SILENCED_SYSTEM_CHECKS = [*well.SILENCED_SYSTEM_CHECKS, "async.E001"]
    well.SECRET_KEY = "k0" + "abcdefghij" * 6
    well.SECURE_SSL_REDIRECT = well.SESSION_COOKIE_SECURE = well.CSRF_COOKIE_SECURE = True
    well.SECURE_HSTS_SECONDS, well.SECURE_HSTS_PRELOAD, well.SECURE_HSTS_INCLUDE_SUBDOMAINS = 1000, True, True
    assert examined("--only", "settings") == (0, {})
    setattr(well, name, value)
    status, found = examined("--only", "settings")
    assert (status, says in found["settings"][0]["what"]) == (1, True)


def test_a_database_that_is_not_migrated_and_what_cannot_be_looked_at_then(well):
    unapply_last("annotations")
    assert "1 migration not applied" in complaint("database")
    with pytest.raises(SystemExit):
        call_command("doctor", stdout=(out := StringIO()))
    assert "logs: not checked: the database is not usable" in out.getvalue()


def test_a_database_that_does_not_answer(well, monkeypatch):
    def refused(*args: object) -> None:
        raise doctor.DatabaseError("connection refused\nmore")

    monkeypatch.setattr(doctor, "read_migration_state", refused)
    assert complaint("database") == "The database does not answer: connection refused."


def test_a_folder_that_cannot_be_written(well, tmp_path):
    """A file is in its place: who is root may write everywhere else."""
    well.MEDIA_ROOT = tmp_path / "file"
    well.MEDIA_ROOT.touch()
    assert "file cannot be written" in complaint("disk")


def test_a_full_disk_is_found_by_writing(well):
    """What the kernel says of /dev/full is what it says of a full disk, but no folder can be made there."""

    class Full:
        def __init__(self, **_: object) -> None:
            self.file = Path("/dev/full").open("wb")  # noqa: SIM115 - closed at exit

        def __enter__(self):
            return self.file

        def __exit__(self, *_: object) -> None:
            self.file.close()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(doctor, "NamedTemporaryFile", Full)
        assert "No space left on device" in complaint("disk")


@pytest.mark.parametrize(("free", "total", "is_wrong"), [(400e6, 2e9, True), (4e9, 100e9, True), (6e9, 100e9, False)])
def test_a_disk_that_is_nearly_full(well, monkeypatch, free, total, is_wrong):
    usage = type("Usage", (), {"free": free, "total": total})
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _: usage)
    assert examined("--only", "disk")[0] == is_wrong


def test_static_files_that_are_not_collected(well, tmp_path):
    well.LOCAL, well.STATIC_ROOT = False, tmp_path / "static"
    well.STORAGES = well.STORAGES | {"staticfiles": {"BACKEND": "config.storage.ManifestStorage"}}
    status, found = examined("--only", "static")
    assert (status, "not collected, such as" in found["static"][0]["what"]) == (1, True)


def test_no_worker(well):
    for path in well.WORKERS_DIR.iterdir():
        path.unlink()
    DBTaskResult.objects.create(**TASK)
    assert "No worker has reported within 15 minutes; 1 task in the queue." in complaint("worker")


TASK: dict[str, object] = {"args_kwargs": {"args": [], "kwargs": {}}, "task_path": "a.b", "backend_name": "default"}
TASK |= {"status": "READY", "run_after": datetime(2026, 1, 1, tzinfo=UTC)}


def test_a_task_that_no_worker_takes(well):
    DBTaskResult.objects.create(**TASK)
    assert examined() == (0, {})
    DBTaskResult.objects.update(enqueued_at=timezone.now() - timedelta(minutes=3))
    assert "no worker has taken it" in complaint("worker")
    # Where another one is worked on it waits for its turn.
    DBTaskResult.objects.create(
        **TASK | {"status": "RUNNING", "started_at": timezone.now(), "worker_ids": ["host.1.a"]}
    )
    assert examined() == (0, {})


def test_a_task_whose_worker_has_died(well):
    begun = timezone.now() - LOST_AFTER - timedelta(seconds=5)
    task = DBTaskResult.objects.create(**TASK | {"status": "RUNNING", "started_at": begun, "worker_ids": ["host.1.a"]})
    assert examined() == (0, {})  # it is long, and its worker lives
    task.worker_ids = [worker_name()]
    task.save()
    assert "1 task of workers that have died" in complaint("worker")


def test_a_backup_of_the_day_before_yesterday_and_none_at_all(well):
    back_up_at(well, datetime.now(UTC) - timedelta(hours=26))
    assert "The newest backup" in complaint("backups")
    for path in well.BACKUP_DIR.iterdir():
        path.unlink()
    assert "There is no backup" in complaint("backups")


def test_a_backup_of_the_future(well):
    now = datetime.now(UTC)
    (well.BACKUP_DIR / f"coindex-{now + timedelta(days=400):{TIME_FORMAT}}Z.zip").touch()
    assert "1 backup of the future" in complaint("backups")
    back_up_at(well, now + timedelta(hours=1))
    _, found = examined("--only", "backups")
    assert [problem["what"][:18] for problem in found["backups"]] == ["1 backup of the fu", "There is no backup"]


def test_what_was_changed_beside_the_log(well, codings, keys):
    judge(codings["alice"], keys["a"], "none")
    assert examined() == (0, {})
    Judgement.objects.update(unsure=True)
    assert "is not what its log says" in complaint("logs")


def test_the_clocks_are_compared_where_the_database_has_its_own(well, monkeypatch):
    now = timezone.now()
    monkeypatch.setattr(doctor.timezone, "now", lambda: now + timedelta(minutes=3))
    status, found = examined("--only", "clock")
    if connection.vendor == "postgresql":
        assert (status, "differ by 1" in found["clock"][0]["what"]) == (1, True)
    else:
        assert (status, found) == (0, {})


def test_a_database_of_a_newer_version(well):
    MigrationRecorder(connection).record_applied("annotations", "9999_later")
    assert complaint("database").startswith("The database is of a newer version")


def test_a_library_that_is_not_for_this_machine(well, monkeypatch):
    monkeypatch.setattr(doctor, "broken_libraries", lambda: {"numpy": "wrong ELF class"})
    assert complaint("versions") == "numpy cannot be loaded: wrong ELF class."


def test_a_mail_server_that_does_not_answer(well):
    server = {"host": "127.0.0.1", "port": 1, "timeout": 5}
    well.MAILERS = {"default": {"BACKEND": "django.core.mail.backends.smtp.EmailBackend", "OPTIONS": server}}
    assert complaint("mail").startswith("The mail server does not answer as it should: ")


def test_static_files_that_are_not_installed(well, monkeypatch):
    monkeypatch.setattr(doctor, "find", lambda name: None)
    assert complaint("static").endswith("not there, such as css/base/base.css.")
