"""The container, without a container engine: the Dockerfile's steps are carried out in a clean environment.

What cannot be shown so: that the base image has what it should, and that the engine isolates. Where there is an engine,
it builds the image, too.
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
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from scripts import pin_images
from tests.conftest import ROOT
from tests.shared.environments import install, make_environment
from tests.shared.skipping import skip_or_fail_in_ci

pytestmark = pytest.mark.slow

HOST = "coindex.example"
INSTALL = "python -m pip install "


def find_engine() -> str | None:
    """Return the program of a container engine that runs, if there is one."""
    for name in ("docker", "podman"):
        program = shutil.which(name)
        if program and subprocess.run([program, "info"], capture_output=True, timeout=60).returncode == 0:
            return program
    return None


ENGINE = find_engine()


def steps() -> list[tuple[str, str]]:
    """Return the instructions of the Dockerfile with their arguments, and join continued lines."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(instruction, " ".join(rest.split())) for instruction, _, rest in (line.partition(" ") for line in lines)]


def argument(instruction: str) -> str:
    """Return the argument of the last instruction of this kind, which is the one that counts."""
    return [rest for name, rest in steps() if name == instruction][-1]


class Image:
    """What the steps leave in a folder: /app, /data, /backups and /srv/static are folders in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.app = root / "app"
        self.app.mkdir(parents=True)
        self.python = make_environment(root / "environment")
        self.environment = {"PATH": f"{self.python.parent}:{os.environ['PATH']}", "HOME": str(root)}

    def here(self, text: str) -> str:
        for place in ("/data", "/backups", "/srv/static"):
            text = text.replace(place, f"{self.root}{place}")
        return text.replace("10001:10001", f"{os.getuid()}:{os.getgid()}")

    def carry_out(self, instruction: str, rest: str) -> None:
        if instruction == "ENV":
            self.environment |= dict(one.split("=", 1) for one in self.here(rest).split())
            # In the image packages are compiled when they are installed, here those that are imported, and kept.
            self.environment.pop("PYTHONDONTWRITEBYTECODE", None)
        elif instruction == "COPY":
            source, to = rest.split()
            target = self.app / to
            target.parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(ROOT / source, target)
        elif rest.startswith(INSTALL):
            done = install(self.python, *rest.removeprefix(INSTALL).split())
            assert done.returncode == 0, done.stderr[-2000:]
        elif instruction == "RUN":
            self.run(["sh", "-c", self.here(rest)], check=True)

    def run(self, command: list[str], check: bool = False, **given: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            command, cwd=self.app, env=self.environment | given, capture_output=True, text=True, timeout=600
        )
        assert not check or done.returncode == 0, f"{command}: {done.stderr[-2000:]}"
        return done


@pytest.fixture(scope="module")
def image(tmp_path_factory) -> Image:
    image = Image(tmp_path_factory.mktemp("image"))
    for step in steps():
        image.carry_out(*step)
    return image


@pytest.fixture(scope="module")
def compose() -> dict:
    found: dict = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
    return found


@pytest.fixture
def settings_of_service(image, compose, tmp_path) -> dict[str, str]:
    """Return the environment of a service, with its secrets in files of ours and a database of its own."""
    secrets = {"secret_key": "s" * 60, "database_url": f"sqlite:///{tmp_path / 'coindex.sqlite3'}"}
    for name, value in secrets.items():
        (tmp_path / name).write_text(value, encoding="utf-8")
    found = {"ALLOWED_HOSTS": HOST, "BEHIND_PROXY": "1"}
    for name, value in compose["services"]["web"]["environment"].items():
        if name.endswith("_FILE"):
            found[name] = str(tmp_path / Path(value).name)
    return found


@contextmanager
def serving(image: Image, given: dict[str, str], port: int) -> Iterator[subprocess.Popen[str]]:
    command = [one.replace("0.0.0.0:8000", f"127.0.0.1:{port}") for one in json.loads(argument("CMD"))]
    server = subprocess.Popen(command, cwd=image.app, env=image.environment | given, stderr=subprocess.PIPE, text=True)
    try:
        deadline = time.monotonic() + 60
        while socket.socket().connect_ex(("127.0.0.1", port)):
            assert server.poll() is None, server.stderr.read() if server.stderr else ""
            assert time.monotonic() < deadline, "the server does not come up"
            time.sleep(0.1)
        yield server
    finally:
        server.terminate()
        server.communicate(timeout=30)


def probe(image: Image, given: dict[str, str], port: int) -> subprocess.CompletedProcess[str]:
    """Run the health check of the Dockerfile."""
    command = json.loads(argument("HEALTHCHECK").split("CMD ")[1])
    return image.run([one.replace(":8000", f":{port}") for one in command], **given)


def answer(port: int, path: str, **headers: str) -> tuple[int, dict[str, str], str]:
    from http.client import HTTPConnection

    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path, headers={"Host": HOST} | headers)
    reply = connection.getresponse()
    return reply.status, {name.lower(): value for name, value in reply.getheaders()}, reply.read().decode()


def test_what_the_steps_make_migrates_serves_and_answers_its_health_check(image, compose, settings_of_service):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    given = settings_of_service
    with serving(image, given, port):
        assert answer(port, "/healthz")[0] == 200  # the first request waits for the program to be read
        early = probe(image, given, port)
        assert (early.returncode, "migrations are not applied" in early.stderr) == (1, True)
        image.run(compose["services"]["migrate"]["command"], check=True, **given)
        assert probe(image, given, port).returncode == 0
        status, headers, page = answer(port, "/sign-in/", **{"X-Forwarded-Proto": "https"})
        assert status == 200
        assert "max-age=31536000" in headers["strict-transport-security"]
        assert answer(port, "/sign-in/")[0] == 301
        assert answer(port, "/sign-in/", Host="evil.example", **{"X-Forwarded-Proto": "https"})[0] == 400
        style = page.split('href="/static/css/base/base.')[1].split('"')[0]
        status, headers, _ = answer(port, f"/static/css/base/base.{style}", **{"X-Forwarded-Proto": "https"})
        assert (status, "immutable" in headers["cache-control"]) == (200, True)
    assert probe(image, given, port).returncode == 1


def folders_of_metrics() -> list[Path]:
    """Return the folders of temporary files in which processes count what they have answered."""
    folders = Path(tempfile.gettempdir()).glob("coindex-metrics-*")
    return [folder for folder in folders if any(folder.glob("counter_*.db"))]


def processes_with_metrics() -> set[str]:
    """Return the numbers of the processes that have counted an answer."""
    return {path.stem.rpartition("_")[2] for folder in folders_of_metrics() for path in folder.glob("counter_*.db")}


@pytest.mark.usefixtures("migrated_folder")
def test_two_processes_answer_with_the_same_metrics_and_write_nowhere_but_into_tmp(image, compose, settings_of_service):
    given = settings_of_service | {"METRICS_TOKEN": "t" * 40}
    image.run(compose["services"]["migrate"]["command"], check=True, **given)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    count = r'coindex_requests_total{method="GET",status="200",view="healthz"} (\S+)'
    with serving(image, given, port) as server:
        requests = 0
        children: list[str] = []
        deadline = time.monotonic() + 60
        # One process may be ready, and answer everything, long before the other.
        while time.monotonic() < deadline and not (len(children) == 2 and set(children) <= processes_with_metrics()):
            assert answer(port, "/healthz")[0] == 200
            requests += 1
            children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()
        told = [answer(port, "/metrics", Authorization=f"Bearer {'t' * 40}") for _ in range(12)]
        own = folders_of_metrics()
        assert len(children) == 2
        assert set(children) <= processes_with_metrics()  # both have answered
    assert {status for status, _, _ in told} == {200}
    assert {float(re.search(count, text)[1]) for _, _, text in told} == {float(requests)}
    assert not [folder for folder in own if folder.exists()]
    assert not (image.root / ".gunicorn").exists()
    assert answer_is_refused(port)


def answer_is_refused(port: int) -> bool:
    return bool(socket.socket().connect_ex(("127.0.0.1", port)))


@pytest.mark.usefixtures("migrated_folder")
def test_the_health_check_of_the_worker_says_whether_it_lives(image, compose, settings_of_service):
    given = settings_of_service | {"DATA_DIR": str(image.root / "data")}
    image.run(compose["services"]["migrate"]["command"], check=True, **given)
    service = compose["services"]["worker"]
    check = service["healthcheck"]["test"][1:]
    dead = image.run(check, **given)
    assert (dead.returncode, "no worker of this machine" in dead.stderr) == (1, True)
    worker = subprocess.Popen(service["command"], cwd=image.app, env=image.environment | given, stderr=subprocess.PIPE)
    try:
        deadline = time.monotonic() + 60
        while image.run(check, **given).returncode:
            assert time.monotonic() < deadline, "it gives no sign of life"
            time.sleep(1)  # each check starts the program
        [sign] = (image.root / "data" / "workers").iterdir()
        worker.send_signal(signal.SIGSTOP)
        long_ago = time.time() - 16 * 60
        os.utime(sign, (long_ago, long_ago))
        assert image.run(check, **given).returncode == 1
    finally:
        worker.send_signal(signal.SIGCONT)
        worker.terminate()
        _, said = worker.communicate(timeout=int(service["stop_grace_period"].removesuffix("s")))
    assert worker.returncode == 0, said
    assert image.run(check, **given).returncode == 1


@pytest.mark.usefixtures("migrated_folder")
def test_the_backup_service_writes_and_its_health_check_finds_it(image, compose, settings_of_service):
    given = settings_of_service | {"DATA_DIR": str(image.root / "data")}
    service = compose["services"]["backup"]
    image.run(compose["services"]["migrate"]["command"], check=True, **given)
    assert image.run(service["healthcheck"]["test"][1:], **given).returncode == 1
    command = [re.sub(r"\$\{\w+:-(.*)\}", r"\1", one) for one in service["command"]]
    running = subprocess.Popen(command, cwd=image.app, env=image.environment | given, stdout=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while image.run(service["healthcheck"]["test"][1:], **given).returncode:
            assert time.monotonic() < deadline, "it writes none"
            time.sleep(1)
    finally:
        running.terminate()
    assert running.wait(int(service["stop_grace_period"].removesuffix("s"))) == 0
    image.run(["python", "manage.py", "restore_drill"], check=True, **given)


@pytest.mark.skipif(ENGINE is None, reason="no container engine here: the other tests carry out the steps themselves")
def test_an_engine_builds_the_image_and_what_is_in_it_runs_without_rights_or_a_file_system_to_write():
    subprocess.run([str(ENGINE), "build", "--tag", "coindex-test", "."], cwd=ROOT, check=True, timeout=1200)
    given = {"SECRET_KEY": "s" * 60, "ALLOWED_HOSTS": HOST, "DATABASE_URL": "sqlite:////tmp/coindex.sqlite3"}
    variables = [part for name, value in given.items() for part in ("--env", f"{name}={value}")]
    bounds = ["--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL", "--network", "none"]
    command = [str(ENGINE), "run", "--rm", *bounds, *variables, "coindex-test", "python", "manage.py", "check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_without_its_secret_the_program_does_not_start(image, settings_of_service):
    given = {name: value for name, value in settings_of_service.items() if name != "SECRET_KEY_FILE"}
    done = image.run(["python", "manage.py", "check"], **given)
    assert done.returncode != 0
    assert "SECRET_KEY" in done.stderr


def test_the_image_holds_the_program_and_nothing_else(image):
    there = {path.name for path in image.app.iterdir()} - {"__pycache__"}
    assert there == {
        "requirements",
        "manage.py",
        "pyproject.toml",
        "config",
        "annotations",
        "agreement",
        "coindex",
        "examples",
        "docs",
        "static",
        "templates",
    }
    allowed = {line[1:].split("/")[0] for line in (ROOT / ".dockerignore").read_text().splitlines() if line[0] == "!"}
    assert there == allowed


def test_the_image_does_not_run_as_root():
    assert argument("USER") == "10001:10001"
    names = [name for name, _ in steps()]
    assert names.index("USER") < names.index("CMD")


def test_the_compose_file_is_one(compose):
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
    assert set(compose["services"]) == {"db", "migrate", "web", "worker", "worker-small", "backup", "proxy"}


@pytest.mark.parametrize("name", ["db", "migrate", "web", "worker", "worker-small", "backup", "proxy"])
def test_every_service_is_bounded_and_can_gain_no_rights(compose, name):
    service = compose["services"][name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert "cap_add" not in service
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["pids_limit"] <= 200
    assert service["cpus"] <= 2
    assert re.fullmatch(r"\$\{\w+:-\d+[mg]\}", service["mem_limit"])
    assert all(re.search(r":size=\d+[mg]\b", one) for one in service["tmpfs"])
    assert set(service["logging"]["options"]) == {"max-size", "max-file"}
    assert name in ("db", "proxy") or "user" not in service  # the image says who
    assert not service.get("user", "1").startswith(("0", "root"))


@pytest.mark.parametrize("name", ["db", "web", "worker", "worker-small", "backup"])
def test_what_goes_on_running_is_started_again_and_looked_after(compose, name):
    service = compose["services"][name]
    assert service["restart"] == "unless-stopped"
    check = service.get("healthcheck", {"test": argument("HEALTHCHECK")})
    assert not check.get("disable")


def test_only_web_and_proxy_are_outside_the_network_of_the_database(compose):
    assert compose["networks"]["inside"] == {"internal": True}
    outside = {name for name, service in compose["services"].items() if "outside" in service["networks"]}
    assert outside == {"web", "proxy"}
    assert "inside" not in compose["services"]["proxy"]["networks"]
    published = {name: service["ports"] for name, service in compose["services"].items() if "ports" in service}
    assert published == {"web": ["127.0.0.1:${PORT:-8000}:8000"], "proxy": ["80:8080", "443:8443"]}


def test_backups_lie_in_a_volume_of_their_own(compose):
    holders = {
        name for name, service in compose["services"].items() if "backups:/backups" in service.get("volumes", [])
    }
    assert holders == {"backup"}
    assert {"database", "files", "backups"} == set(compose["volumes"])


IMAGE = re.compile(r"[\w./-]+:[\w.-]+(@sha256:[0-9a-f]{64})?")


def test_images_have_a_tag_and_a_digest_or_none_that_is_made_up(compose):
    """`make pin` writes digests: only a registry knows them."""
    given = {argument("FROM")} | {one["image"] for one in compose["services"].values() if one["image"] != "coindex"}
    assert len(given) == 3
    assert all(IMAGE.fullmatch(one) for one in given)


def test_make_pin_writes_the_digest_of_each_image_behind_its_tag_and_a_newer_one_in_its_place(tmp_path, monkeypatch):
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
            assert [one["image"] for one in found.values()].count(f"{image}@sha256:{digest}") == 1
        assert found["web"]["image"] == "coindex"
        pinned = (tmp_path / "Dockerfile").read_text(encoding="utf-8")
        assert re.search(r"^FROM python:3\.13-slim@sha256:[0-9a-f]{64}$", pinned, re.MULTILINE)


UNITS = sorted((ROOT / "deploy" / "systemd").iterdir())


def test_systemd_understands_its_units(tmp_path):
    """The program stands in another folder here; what is wrong with a unit is said and does not make it fail."""
    if shutil.which("systemd-analyze") is None:
        skip_or_fail_in_ci("systemd-analyze is missing: install systemd")
    for one in UNITS:
        text = one.read_text(encoding="utf-8").replace("/opt/coindex/.venv/bin", str(Path(sys.executable).parent))
        (tmp_path / one.name).write_text(re.sub(r"^(User|Group)=.*", r"\1=root", text, flags=re.MULTILINE))
    command = ["systemd-analyze", "verify", "--man=no", *(str(tmp_path / one.name) for one in UNITS)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert not [line for line in done.stderr.splitlines() if "coindex" in line], done.stderr


def test_the_units_run_what_the_containers_run(compose):
    text = "".join(unit.read_text(encoding="utf-8") for unit in UNITS)
    for part in (
        "manage.py db_worker --no-reload",
        "--queue-name default",
        "manage.py scheduled_backup",
        "gunicorn config.wsgi --config",
    ):
        assert part in text
    assert text.count("NoNewPrivileges=yes") == text.count("ProtectSystem=strict") == 4


@pytest.mark.parametrize("name", ["migrate", "web", "worker", "worker-small"])
def test_what_runs_the_program_can_write_only_its_files_and_is_given_secrets_as_files(compose, name):
    service = compose["services"][name]
    assert service["volumes"] == ["files:/data"]
    assert not [key for key in service["environment"] if key in ("SECRET_KEY", "DATABASE_URL")]


def test_web_and_worker_wait_for_the_migrations_and_these_for_the_database(compose):
    services = compose["services"]
    assert services["migrate"]["depends_on"] == {"db": {"condition": "service_healthy"}}
    for name in ("web", "worker", "worker-small", "backup"):
        assert services[name]["depends_on"] == {"migrate": {"condition": "service_completed_successfully"}}
    assert services["web"]["ports"] == ["127.0.0.1:${PORT:-8000}:8000"]
    assert "ports" not in services["db"]
