"""manage.py doctor."""

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
def healthy(db, settings, tmp_path):
    """Make an installation without problems, with a running worker and a recent backup."""
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


def run_doctor(*given: str) -> tuple[int, dict[str, list[dict[str, str]]]]:
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
    """Return the problems of the only failing check, and assert that each has a remedy."""
    status, found = run_doctor()
    assert (status, set(found)) == (1, {name})
    assert all(problem["remedy"] for problem in found[name])
    return " ".join(problem["what"] for problem in found[name])


def test_doctor_finds_no_problems_and_leaves_no_files(healthy, tmp_path, django_assert_num_queries):
    before = set(tmp_path.rglob("*")) | {tmp_path / "files"}
    assert run_doctor() == (0, {})
    assert set(tmp_path.rglob("*")) == before
    with django_assert_num_queries(0):
        assert run_doctor("--only", "backups") == (0, {})
    call_command("doctor", stdout=(out := StringIO()))
    assert f"versions: well (Coindex {program_version()}, Python {platform.python_version()}, " in out.getvalue()
    assert f"disk: well ({tmp_path}, " in out.getvalue()
    assert out.getvalue().endswith("No problems found.\n")


def test_doctor_prints_problem_and_remedy(healthy):
    back_up_at(healthy, datetime.now(UTC) - timedelta(days=2))
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
def test_doctor_finds_unsafe_settings(healthy, name, value, says):
    healthy.LOCAL = False
    # A variable that the tests of browsers need is none for a server; it may be set here.
    healthy.SILENCED_SYSTEM_CHECKS = [*healthy.SILENCED_SYSTEM_CHECKS, "async.E001"]
    healthy.SECRET_KEY = "k0" + "abcdefghij" * 6
    healthy.SECURE_SSL_REDIRECT = healthy.SESSION_COOKIE_SECURE = healthy.CSRF_COOKIE_SECURE = True
    healthy.SECURE_HSTS_SECONDS, healthy.SECURE_HSTS_PRELOAD, healthy.SECURE_HSTS_INCLUDE_SUBDOMAINS = 1000, True, True
    assert run_doctor("--only", "settings") == (0, {})
    setattr(healthy, name, value)
    status, found = run_doctor("--only", "settings")
    assert (status, says in found["settings"][0]["what"]) == (1, True)


def test_doctor_finds_missing_migration_and_skips_logs(healthy):
    unapply_last("annotations")
    assert "1 migration not applied" in complaint("database")
    with pytest.raises(SystemExit):
        call_command("doctor", stdout=(out := StringIO()))
    assert "logs: not checked: the database is not usable" in out.getvalue()


def test_doctor_finds_unreachable_database(healthy, monkeypatch):
    def refused(*args: object) -> None:
        raise doctor.DatabaseError("connection refused\nmore")

    monkeypatch.setattr(doctor, "read_migration_state", refused)
    assert complaint("database") == "The database does not answer: connection refused."


def test_doctor_finds_unwritable_folder(healthy, tmp_path):
    """A file takes the place of the folder, because root may write everywhere else."""
    healthy.MEDIA_ROOT = tmp_path / "file"
    healthy.MEDIA_ROOT.touch()
    assert "file cannot be written" in complaint("disk")


def test_doctor_finds_full_disk_by_writing(healthy):
    """/dev/full raises the error of a full disk, but cannot hold a folder."""

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
def test_doctor_finds_nearly_full_disk(healthy, monkeypatch, free, total, is_wrong):
    usage = type("Usage", (), {"free": free, "total": total})
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _: usage)
    assert run_doctor("--only", "disk")[0] == is_wrong


def test_doctor_finds_uncollected_static_files(healthy, tmp_path):
    healthy.LOCAL, healthy.STATIC_ROOT = False, tmp_path / "static"
    healthy.STORAGES = healthy.STORAGES | {"staticfiles": {"BACKEND": "config.storage.ManifestStorage"}}
    status, found = run_doctor("--only", "static")
    assert (status, "not collected, such as" in found["static"][0]["what"]) == (1, True)


def test_doctor_finds_missing_worker(healthy):
    for path in healthy.WORKERS_DIR.iterdir():
        path.unlink()
    DBTaskResult.objects.create(**TASK)
    assert "No worker has reported within 15 minutes; 1 task in the queue." in complaint("worker")


TASK: dict[str, object] = {"args_kwargs": {"args": [], "kwargs": {}}, "task_path": "a.b", "backend_name": "default"}
TASK |= {"status": "READY", "run_after": datetime(2026, 1, 1, tzinfo=UTC)}


def test_doctor_finds_task_that_no_worker_takes(healthy):
    DBTaskResult.objects.create(**TASK)
    assert run_doctor() == (0, {})
    DBTaskResult.objects.update(enqueued_at=timezone.now() - timedelta(minutes=3))
    assert "no worker has taken it" in complaint("worker")
    # It waits while another task runs.
    DBTaskResult.objects.create(
        **TASK | {"status": "RUNNING", "started_at": timezone.now(), "worker_ids": ["host.1.a"]}
    )
    assert run_doctor() == (0, {})


def test_doctor_finds_task_of_dead_worker(healthy):
    begun = timezone.now() - LOST_AFTER - timedelta(seconds=5)
    task = DBTaskResult.objects.create(**TASK | {"status": "RUNNING", "started_at": begun, "worker_ids": ["host.1.a"]})
    assert run_doctor() == (0, {})  # it is long, and its worker lives
    task.worker_ids = [worker_name()]
    task.save()
    assert "1 task of workers that have died" in complaint("worker")


def test_doctor_finds_old_or_missing_backup(healthy):
    back_up_at(healthy, datetime.now(UTC) - timedelta(hours=26))
    assert "The newest backup" in complaint("backups")
    for path in healthy.BACKUP_DIR.iterdir():
        path.unlink()
    assert "There is no backup" in complaint("backups")


def test_doctor_finds_backup_with_future_date(healthy):
    now = datetime.now(UTC)
    (healthy.BACKUP_DIR / f"coindex-{now + timedelta(days=400):{TIME_FORMAT}}Z.zip").touch()
    assert "1 backup of the future" in complaint("backups")
    back_up_at(healthy, now + timedelta(hours=1))
    _, found = run_doctor("--only", "backups")
    assert [problem["what"][:18] for problem in found["backups"]] == ["1 backup of the fu", "There is no backup"]


def test_doctor_finds_changes_outside_log(healthy, codings, keys):
    judge(codings["alice"], keys["a"], "none")
    assert run_doctor() == (0, {})
    Judgement.objects.update(unsure=True)
    assert "is not what its log says" in complaint("logs")


def test_doctor_compares_clock_with_database_server(healthy, monkeypatch):
    now = timezone.now()
    monkeypatch.setattr(doctor.timezone, "now", lambda: now + timedelta(minutes=3))
    status, found = run_doctor("--only", "clock")
    if connection.vendor == "postgresql":
        assert (status, "differ by 1" in found["clock"][0]["what"]) == (1, True)
    else:
        assert (status, found) == (0, {})


def test_doctor_finds_database_of_newer_version(healthy):
    MigrationRecorder(connection).record_applied("annotations", "9999_later")
    assert complaint("database").startswith("The database is of a newer version")


def test_doctor_finds_broken_library(healthy, monkeypatch):
    monkeypatch.setattr(doctor, "broken_libraries", lambda: {"numpy": "wrong ELF class"})
    assert complaint("versions") == "numpy cannot be loaded: wrong ELF class."


def test_doctor_finds_unreachable_mail_server(healthy):
    server = {"host": "127.0.0.1", "port": 1, "timeout": 5}
    healthy.MAILERS = {"default": {"BACKEND": "django.core.mail.backends.smtp.EmailBackend", "OPTIONS": server}}
    assert complaint("mail").startswith("The mail server does not answer as it should: ")


def test_doctor_finds_missing_static_files(healthy, monkeypatch):
    monkeypatch.setattr(doctor, "find", lambda name: None)
    assert complaint("static").endswith("not there, such as css/base/base.css.")
