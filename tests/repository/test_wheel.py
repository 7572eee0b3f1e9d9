"""The wheel: its content, reproducible builds, and use in an empty environment."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
import zipfile
from pathlib import Path

import pytest

from annotations.core.processes.installed import program_version
from annotations.help.manuals import NAMES
from tests.conftest import ROOT
from tests.shared.environments import install, make_environment, write_versions

pytestmark = pytest.mark.slow

DEADLINE = 300
# The manuals for coders, whose pictures are in the wheel.
WITH_PICTURES = ("coding", "design", "pyramids")
APP = "coindex/app/"


def build_wheel(folder: Path, **variables: str) -> Path:
    """Build the wheel as `make wheel` does, from a copy of what it is made of, and return its path."""
    source = folder / "source"
    ignored = shutil.ignore_patterns(".*", "__pycache__", "node_modules", "var", "tests", "dist")
    shutil.copytree(ROOT, source, ignore=ignored)
    shutil.copy(ROOT / ".gitignore", source)
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder / "dist")]
    environment = os.environ | {"SOURCE_DATE_EPOCH": "1790000000"} | variables
    subprocess.run(command, cwd=source, env=environment, check=True, capture_output=True)
    [wheel] = (folder / "dist").glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def names(wheel) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_wheel_is_reproducible_and_small(wheel, tmp_path):
    assert build_wheel(tmp_path, TZ="Asia/Tokyo", LC_ALL="C").read_bytes() == wheel.read_bytes()
    assert wheel.stat().st_size < 3_000_000


def test_wheel_installs_only_the_package(names):
    assert {name.split("/")[0] for name in names} == {"coindex", f"coindex-{program_version()}.dist-info"}
    beside = {name.removeprefix("coindex/") for name in names if name.startswith("coindex/")}
    launcher = {path.relative_to(ROOT / "coindex").as_posix() for path in (ROOT / "coindex").rglob("*.py")}
    assert {name for name in beside if not name.startswith("app/")} == {*launcher, "py.typed"}


def test_wheel_holds_program_without_developer_files(names):
    app = {name.removeprefix(APP) for name in names if name.startswith(APP)}
    assert {name.split("/")[0] for name in app} == {
        *("agreement", "annotations", "config", "docs", "manage.py", "scripts", "static", "templates")
    }
    for folder in ("agreement", "annotations", "config", "static", "templates"):
        here = {path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob("*.*") if path.is_file()}
        missing = {name for name in here - app if not name.endswith((".pyc", ".d.ts"))}
        assert missing == set()
    assert {name for name in app if name.startswith("scripts/")} == {
        "scripts/__init__.py", "scripts/pages.py", "scripts/serve.py"
    }  # fmt: skip
    assert not [
        name for name in app if re.search(r"(^|/)(tests?/|test_|conftest)|\.pyc$|\.d\.ts$|node_modules|benchmark", name)
    ]


def test_wheel_holds_manuals_and_pictures_for_coders(names):
    docs = {name.removeprefix(f"{APP}docs/") for name in names if name.startswith(f"{APP}docs/")}
    pictures = {
        picture
        for name in WITH_PICTURES
        for picture in re.findall(
            r"images/[\w-]+\.(?:png|svg)", (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
        )
    }
    assert docs == {"explanations.toml", *(f"{name}.md" for name in NAMES), *pictures}


class Installation:
    """The wheel in an environment of its own, used by somebody whose home is empty."""

    def __init__(self, folder: Path, wheel: Path) -> None:
        self.folder, self.bin = folder, folder / "environment" / "bin"
        self.environment = {"PATH": f"{self.bin}:{os.environ['PATH']}", "HOME": str(folder)}
        python = make_environment(self.bin.parent)
        done = install(python, "--constraint", str(write_versions(folder)), str(wheel))
        assert done.returncode == 0, done.stderr[-2000:]

    def run(self, command: list[str], **given: str) -> str:
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment | given, capture_output=True, text=True, timeout=DEADLINE
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout


@pytest.fixture(scope="module")
def installation(wheel, tmp_path_factory) -> Installation:
    return Installation(tmp_path_factory.mktemp("installed"), wheel)


def read(address: str) -> bytes:
    with urllib.request.urlopen(address, timeout=DEADLINE) as answer:
        content: bytes = answer.read()
    return content


def test_installed_demo_reproduces_published_agreement(installation):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    demo = subprocess.Popen(
        ["coindex", "demo", "--port", str(port)],
        cwd=installation.folder,
        env=installation.environment,
        executable=str(installation.bin / "coindex"),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        deadline = time.monotonic() + DEADLINE
        while socket.socket().connect_ex(("127.0.0.1", port)):
            assert demo.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.1)
        address = f"http://127.0.0.1:{port}"
        page = read(f"{address}/sign-in/").decode()
        for path in {*re.findall(r'(?:href|src)="(/static/[^"]+)"', page), "/static/plotly/plotly.min.js"}:
            assert read(f"{address}{path}"), path
        assert b'<img src="/help/images/coding.png/"' in read(f"{address}/help/coding/")
        assert b"(A picture that is not installed here: " in read(f"{address}/help/managing/")
        told = installation.run(["coindex", "agreement", "news", "--demo"])
        assert re.search(r"^all texts +0\.7434 ", told, re.MULTILINE)
        assert installation.run(["coindex", "doctor", "--demo"]).endswith("No problems found.\n")
    finally:
        demo.send_signal(signal.SIGINT)
        said, _ = demo.communicate(timeout=DEADLINE)
    assert demo.returncode == 0
    data = installation.folder / ".local" / "share" / "coindex" / "demo"
    if sys.platform == "linux":
        assert said.startswith(f"The data is in {data}.\n")
    assert "first account" not in said
    # Nothing was written beside the program but what Python compiles.
    changed = [path for path in installation.bin.parent.rglob("*") if path.name in ("var", "secret-key", "static-root")]
    assert changed == []


def test_program_packages_are_not_importable(installation):
    found = "[name for name in ('annotations', 'config', 'scripts') if find_spec(name)]"
    code = f"import coindex; from importlib.util import find_spec; print({found})"
    assert installation.run(["python", "-c", code]) == "[]\n"
