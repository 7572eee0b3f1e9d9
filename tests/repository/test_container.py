"""The container's commands and bounds: what the Dockerfile and docker-compose.yml start is started here.

Where there is a container engine, it builds the image, too.
"""

import hashlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPMessage
from pathlib import Path

import pytest
import yaml

from scripts import pin_images
from tests.conftest import ROOT
from tests.faults.proxy import free_port
from tests.shared.skipping import skip_or_fail_in_ci

pytestmark = pytest.mark.slow

HOST = "coindex.example"
DEADLINE = 180
TOKEN = "t" * 40
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
SERVICES = COMPOSE["services"]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
# What runs the program.
PROGRAMS = ("migrate", "web", "worker", "worker-small", "backup")


def find_engine() -> str | None:
    """Return the name of a running container engine, or None."""
    for name in ("docker", "podman"):
        program = shutil.which(name)
        if program and subprocess.run([program, "info"], capture_output=True, timeout=60).returncode == 0:
            return program
    return None


ENGINE = find_engine()


def words_of(instruction: str) -> list[str]:
    """Return the command that an instruction of the Dockerfile gives as a list."""
    found: list[str] = json.loads(re.findall(rf"{instruction}\b[^\[\n]*(?:\\\n[^\[\n]*)?(\[.*\])", DOCKERFILE)[-1])
    return found


class Services:
    """The commands of services in a folder of data, with their secrets in files and a database of their own."""

    def __init__(self, data: Path) -> None:
        self.data = data
        secrets = {"secret_key": "s" * 60, "database_url": f"sqlite:///{data / 'coindex.sqlite3'}"}
        for name, value in secrets.items():
            (data / name).write_text(value, encoding="utf-8")
        given = {
            name: str(data / Path(value).name)
            for name, value in SERVICES["web"]["environment"].items()
            if "_FILE" in name
        }
        left_out = ("LOCAL", "DEBUG", "SECRET_KEY", "DATABASE_URL", "DJANGO_SETTINGS_MODULE")
        self.environment = {name: value for name, value in os.environ.items() if name not in left_out} | given
        self.environment |= {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "ALLOWED_HOSTS": HOST}
        self.environment |= {"BEHIND_PROXY": "1", "METRICS_TOKEN": TOKEN, "DATA_DIR": str(data)}
        self.environment |= {"BACKUP_DIR": str(data / "backups"), "STATIC_ROOT": str(data / "static")}

    def run(self, command: list[str], check: bool = False) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(command, cwd=ROOT, env=self.environment, capture_output=True, text=True, timeout=600)
        assert not check or done.returncode == 0, f"{command}: {done.stderr[-2000:]}"
        return done

    @contextmanager
    def running(self, command: list[str], grace: str = "30s") -> Iterator[subprocess.Popen[str]]:
        """Run the command until the block ends; assert that it ends within its grace, and without an error."""
        process = subprocess.Popen(command, cwd=ROOT, env=self.environment, stderr=subprocess.PIPE, text=True)
        try:
            yield process
        finally:
            process.send_signal(signal.SIGCONT)
            process.terminate()
            _, said = process.communicate(timeout=int(grace.removesuffix("s")))
        assert process.returncode == 0, said


@pytest.fixture
def services(migrated_folder: Path) -> Services:
    return Services(migrated_folder)


def wait_until(happens: Callable[[], object], pause: float = 0.1) -> None:
    deadline = time.monotonic() + DEADLINE
    while not happens():
        assert time.monotonic() < deadline
        time.sleep(pause)


def ask(port: int, path: str, **headers: str) -> tuple[int, HTTPMessage, str]:
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path, headers={"Host": HOST} | headers)
    reply = connection.getresponse()
    return reply.status, reply.headers, reply.read().decode()


def find_counts() -> set[Path]:
    """Return the files in which processes count what they have answered."""
    return set(Path(tempfile.gettempdir()).glob("coindex-metrics-*/counter_*.db"))


def test_two_web_processes_answer_health_check_pages_and_metrics(services):
    port = free_port()
    https, bearer = {"X-Forwarded-Proto": "https"}, {"Authorization": f"Bearer {TOKEN}"}
    services.run(["python", "manage.py", "collectstatic", "--no-input"], check=True)
    before, n_asked = find_counts(), 0
    with services.running([word.replace("0.0.0.0:8000", f"127.0.0.1:{port}") for word in words_of("CMD")]) as server:
        wait_until(lambda: not socket.socket().connect_ex(("127.0.0.1", port)))
        children: set[str] = set()
        deadline = time.monotonic() + DEADLINE
        # One process may be ready, and answer everything, long before the other.
        while len(children) < 2 or not children <= {path.stem.rpartition("_")[2] for path in find_counts()}:
            assert time.monotonic() < deadline
            assert ask(port, "/healthz")[0] == 200
            n_asked += 1
            children = set(Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split())
        told = [ask(port, "/metrics", **bearer) for _ in range(12)]
        count = r'coindex_requests_total{method="GET",status="200",view="healthz"} (\S+)'
        assert {status for status, _, _ in told} == {200}
        assert {float(re.search(count, text)[1]) for _, _, text in told} == {float(n_asked)}
        own = find_counts() - before
        assert services.run([word.replace(":8000", f":{port}") for word in words_of("HEALTHCHECK")]).returncode == 0
        status, headers, page = ask(port, "/sign-in/", **https)
        assert (status, headers["Strict-Transport-Security"]) == (200, "max-age=31536000")
        assert ask(port, "/sign-in/")[0] == 301
        assert ask(port, "/sign-in/", Host="evil.example", **https)[0] == 400
        style = page.split('href="/static/css/base/base.')[1].split('"')[0]
        status, headers, _ = ask(port, f"/static/css/base/base.{style}", **https)
        assert (status, "immutable" in headers["Cache-Control"]) == (200, True)
    assert own
    assert not [path for path in own if path.exists()]
    assert services.run([word.replace(":8000", f":{port}") for word in words_of("HEALTHCHECK")]).returncode == 1


def test_worker_health_check_detects_stopped_worker(services):
    service = SERVICES["worker"]
    check = service["healthcheck"]["test"][1:]
    dead = services.run(check)
    assert (dead.returncode, "no worker of this machine" in dead.stderr) == (1, True)
    with services.running(service["command"], service["stop_grace_period"]) as worker:
        workers = services.data / "workers"
        wait_until(lambda: workers.is_dir() and list(workers.iterdir()))
        assert services.run(check).returncode == 0
        [sign] = workers.iterdir()
        worker.send_signal(signal.SIGSTOP)
        long_ago = time.time() - 16 * 60
        os.utime(sign, (long_ago, long_ago))
        assert services.run(check).returncode == 1
    assert services.run(check).returncode == 1


def test_backup_health_check_passes_after_backup(services):
    service = SERVICES["backup"]
    check = service["healthcheck"]["test"][1:]
    assert services.run(check).returncode == 1
    command = [re.sub(r"\$\{\w+:-(.*)\}", r"\1", word) for word in service["command"]]
    with services.running(command, service["stop_grace_period"]):
        backups = services.data / "backups"
        wait_until(lambda: list(backups.glob("*.zip")))
        assert services.run(check).returncode == 0
    services.run(["python", "manage.py", "restore_drill"], check=True)


@pytest.mark.skipif(ENGINE is None, reason="no container engine here")
def test_built_image_runs_without_privileges(tmp_path):
    subprocess.run([str(ENGINE), "build", "--tag", "coindex-test", "."], cwd=ROOT, check=True, timeout=1200)
    given = {"SECRET_KEY": "s" * 60, "ALLOWED_HOSTS": HOST, "DATABASE_URL": "sqlite:////tmp/coindex.sqlite3"}
    variables = [part for name, value in given.items() for part in ("--env", f"{name}={value}")]
    bounds = ["--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL", "--network", "none"]
    command = [str(ENGINE), "run", "--rm", *bounds, *variables, "coindex-test", "python", "manage.py", "check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_image_holds_program_and_does_not_run_as_root():
    copied = re.findall(r"^COPY (\S+) \1$", DOCKERFILE, re.MULTILINE)
    assert len(copied) == DOCKERFILE.count("\nCOPY ")
    folders = {"config", "annotations", "agreement", "coindex", "examples", "docs", "static", "templates"}
    assert {path.split("/")[0] for path in copied} == {"requirements", "manage.py", "pyproject.toml", *folders}
    allowed = {line[1:].split("/")[0] for line in (ROOT / ".dockerignore").read_text().splitlines() if line[0] == "!"}
    assert allowed == {path.split("/")[0] for path in copied}
    assert re.findall(r"^USER (.*)$", DOCKERFILE, re.MULTILINE) == ["10001:10001"]
    assert DOCKERFILE.index("\nUSER") < DOCKERFILE.index("\nCMD")


def test_compose_file_is_valid():
    command = [
        sys.executable,
        "-m",
        "check_jsonschema",
        "--builtin-schema",
        "vendor.compose-spec",
        "docker-compose.yml",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert set(SERVICES) == {"db", *PROGRAMS, "proxy"}


@pytest.mark.parametrize("name", SERVICES)
def test_service_has_limits_and_no_privileges(name):
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "cap_add" not in service
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["pids_limit"] <= 200
    assert service["cpus"] <= 2
    assert re.fullmatch(r"\$\{\w+:-\d+[mg]\}", service["mem_limit"])
    assert all(re.search(r":size=\d+[mg]\b", mount) for mount in service["tmpfs"])
    assert set(service["logging"]["options"]) == {"max-size", "max-file"}
    assert name in ("db", "proxy") or "user" not in service  # the image says who
    assert not service.get("user", "1").startswith(("0", "root"))
    if name not in ("migrate", "proxy"):
        assert service["restart"] == "unless-stopped"
        assert not service.get("healthcheck", {"test": words_of("HEALTHCHECK")}).get("disable")


@pytest.mark.parametrize("name", PROGRAMS)
def test_services_wait_for_dependencies_and_write_only_volumes(name):
    service, after = SERVICES[name], "migrate"
    state = "completed_successfully"
    if name == "migrate":
        after, state = "db", "healthy"
    assert service["depends_on"] == {after: {"condition": f"service_{state}"}}
    assert service["volumes"] == ["files:/data", *(["backups:/backups"] if name == "backup" else [])]
    assert not [key for key in service["environment"] if key in ("SECRET_KEY", "DATABASE_URL")]


def test_only_web_and_proxy_join_outside_network():
    assert COMPOSE["networks"]["inside"] == {"internal": True}
    outside = {name for name, service in SERVICES.items() if "outside" in service["networks"]}
    assert outside == {"web", "proxy"}
    assert "inside" not in SERVICES["proxy"]["networks"]
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert published == {"web": ["127.0.0.1:${PORT:-8000}:8000"], "proxy": ["80:8080", "443:8443"]}
    assert {"database", "files", "backups"} == set(COMPOSE["volumes"])


def test_make_pin_writes_newest_digest_of_each_image(tmp_path, monkeypatch):
    for name in pin_images.FILES:
        shutil.copy(ROOT / name, tmp_path / name)
    before = {name: (tmp_path / name).read_text(encoding="utf-8") for name in pin_images.FILES}
    # Stands for Docker's command, and has the digests of a registry: of an image that it does not know there is none.
    docker = tmp_path / "docker"
    docker.write_text(
        '#!/bin/sh\n[ $5 = --format ] || exit 2\n[ -n "$KNOWN" ] || { echo no such image >&2; exit 1; }\n'
        "printf 'sha256:%s\\n' \"$(printf '%s' \"$4$KNOWN\" | sha256sum | cut -d' ' -f1)\"\n"
    )
    docker.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(SystemExit, match=r"its digest cannot be looked up\. no such image"):
        pin_images.main(tmp_path)
    assert {name: (tmp_path / name).read_text(encoding="utf-8") for name in pin_images.FILES} == before
    for known in ("once", "later"):
        monkeypatch.setenv("KNOWN", known)
        pin_images.main(tmp_path)
        found = yaml.safe_load((tmp_path / "docker-compose.yml").read_text(encoding="utf-8"))["services"]
        for image in ("postgres:17", "nginx:1.28"):
            digest = hashlib.sha256(f"{image}{known}".encode()).hexdigest()
            assert [service["image"] for service in found.values()].count(f"{image}@sha256:{digest}") == 1
        assert found["web"]["image"] == "coindex"
        pinned = (tmp_path / "Dockerfile").read_text(encoding="utf-8")
        assert re.search(r"^FROM python:3\.13-slim@sha256:[0-9a-f]{64}$", pinned, re.MULTILINE)


UNITS = sorted((ROOT / "deploy" / "systemd").iterdir())


def test_systemd_units_are_valid(tmp_path):
    """Replace the folder of the program; systemd-analyze reports errors without failing."""
    if shutil.which("systemd-analyze") is None:
        skip_or_fail_in_ci("systemd-analyze is missing: install systemd")
    for unit in UNITS:
        text = unit.read_text(encoding="utf-8").replace("/opt/coindex/.venv/bin", str(Path(sys.executable).parent))
        (tmp_path / unit.name).write_text(re.sub(r"^(User|Group)=.*", r"\1=root", text, flags=re.MULTILINE))
    command = ["systemd-analyze", "verify", "--man=no", *(str(tmp_path / unit.name) for unit in UNITS)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert not [line for line in done.stderr.splitlines() if "coindex" in line], done.stderr


def test_units_run_same_commands_as_containers():
    text = "".join(unit.read_text(encoding="utf-8") for unit in UNITS)
    for part in (
        "manage.py db_worker --no-reload",
        "--queue-name default",
        "manage.py scheduled_backup",
        "gunicorn config.wsgi --config",
    ):
        assert part in text
    assert text.count("NoNewPrivileges=yes") == text.count("ProtectSystem=strict") == 4
