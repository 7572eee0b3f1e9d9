"""The container, without a container engine: the Dockerfile's steps are carried out in a clean environment.

What cannot be shown so: that the base image has what it should, and that the engine isolates.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from tests.conftest import ROOT

pytestmark = pytest.mark.slow

HOST = "coindex.example"
# The packages of the image are kept until others are locked: to install them takes longest.
INSTALL = "python -m pip install"
PACKAGES = ROOT / ".venv-container"
INSTALLED = PACKAGES / "installed"


def steps() -> list[tuple[str, str]]:
    """Return the instructions of the Dockerfile with their arguments, and join continued lines."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(instruction, " ".join(rest.split())) for instruction, _, rest in (line.partition(" ") for line in lines)]


def argument(instruction: str) -> str:
    """Return the argument of the last instruction of this kind, which is the one that counts."""
    return [rest for name, rest in steps() if name == instruction][-1]


def packages() -> str:
    """Return what the packages of the image depend on."""
    steps_that_install = [rest for _, rest in steps() if rest.startswith(INSTALL)]
    return "\n".join(
        [sys.version, *steps_that_install, (ROOT / "requirements" / "run.txt").read_text(encoding="utf-8")]
    )


class Image:
    """What the steps leave in a folder: /app, /data and /srv/static are folders in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.app = root / "app"
        self.app.mkdir(parents=True)
        self.installed = INSTALLED.exists() and INSTALLED.read_text(encoding="utf-8") == packages()
        if not self.installed:
            subprocess.run([sys.executable, "-m", "venv", "--clear", PACKAGES], check=True)
        self.environment = {"PATH": f"{PACKAGES / 'bin'}:{os.environ['PATH']}", "HOME": str(root)}
        # How packages are found here is the machine's affair.
        self.environment |= {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_"))}

    def here(self, text: str) -> str:
        for place in ("/data", "/srv/static"):
            text = text.replace(place, f"{self.root}{place}")
        return text.replace("10001:10001", f"{os.getuid()}:{os.getgid()}")

    def carry_out(self, instruction: str, rest: str) -> None:
        if instruction == "ENV":
            self.environment |= dict(one.split("=", 1) for one in self.here(rest).split())
        elif instruction == "COPY":
            source, to = rest.split()
            target = self.app / to
            target.parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(ROOT / source, target)
        elif rest.startswith(INSTALL):
            if not self.installed:
                self.run(["sh", "-c", self.here(rest)], check=True)
                INSTALLED.write_text(packages(), encoding="utf-8")
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
def serving(image: Image, given: dict[str, str], port: int) -> Iterator[None]:
    command = [one.replace("0.0.0.0:8000", f"127.0.0.1:{port}") for one in json.loads(argument("CMD"))]
    server = subprocess.Popen(command, cwd=image.app, env=image.environment | given, stderr=subprocess.PIPE, text=True)
    try:
        deadline = time.monotonic() + 60
        while socket.socket().connect_ex(("127.0.0.1", port)):
            assert server.poll() is None, server.stderr.read() if server.stderr else ""
            assert time.monotonic() < deadline, "the server does not come up"
            time.sleep(0.1)
        yield
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
        style = page.split('href="/static/css/base.')[1].split('"')[0]
        status, headers, _ = answer(port, f"/static/css/base.{style}", **{"X-Forwarded-Proto": "https"})
        assert (status, "immutable" in headers["cache-control"]) == (200, True)
    assert probe(image, given, port).returncode == 1
    worker = [*compose["services"]["worker"]["command"], "--batch"]
    image.run(worker, check=True, **given)


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
    assert set(compose["services"]) == {"db", "migrate", "web", "worker"}


@pytest.mark.parametrize("name", ["migrate", "web", "worker"])
def test_what_runs_the_program_can_write_only_its_files_and_gain_no_rights(compose, name):
    service = compose["services"][name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["volumes"] == ["files:/data"]
    assert not [key for key in service["environment"] if key in ("SECRET_KEY", "DATABASE_URL")]


def test_web_and_worker_wait_for_the_migrations_and_these_for_the_database(compose):
    services = compose["services"]
    assert services["migrate"]["depends_on"] == {"db": {"condition": "service_healthy"}}
    for name in ("web", "worker"):
        assert services[name]["depends_on"] == {"migrate": {"condition": "service_completed_successfully"}}
    assert services["web"]["ports"] == ["127.0.0.1:${PORT:-8000}:8000"]
    assert "ports" not in services["db"]
