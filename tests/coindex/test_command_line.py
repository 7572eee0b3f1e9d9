"""The command `coindex`."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from coindex import command_line, shortcuts
from coindex.command_line import COMMANDS, main
from coindex.place import NOT_OF_DEMO, Place, Unusable
from tests.conftest import ROOT
from tests.faults.proxy import free_port

DEADLINE = 120


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        (["agrement"], "There is no command `agrement`. Did you mean `agreement`?"),
        (["--demo", "xyz"], "There is no command `xyz`. `coindex --help` lists them."),
        (["--dat", "x"], "unrecognized arguments: --dat x"),
        (["--port", "0"], "'0' is not a number from 1 to 65535"),
        (["demo", "--port", "65536"], "'65536' is not a number from 1 to 65535"),
        (["--port", "eight"], "'eight' is not a number"),
        (["demo", "news"], "unrecognized arguments: news"),
        (["--data"], "argument --data: expected one argument"),
    ],
)
def test_wrong_command_line_names_error_and_does_nothing(typed, says, monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "data"))
    try:
        status = main(typed)
    except SystemExit as end:
        status = int(end.code or 0)
    assert status == 2
    assert says in capsys.readouterr().err
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("typed", ["-h", "--help", "help"])
def test_help_lists_commands_and_data_folder(typed, monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "data"))
    assert main([typed]) == 0
    told = capsys.readouterr().out
    assert set(re.findall(r"^  coindex ([a-z-]+)", told, re.MULTILINE)) == set(COMMANDS)
    assert str(tmp_path / "data") in told


def test_windows_users_are_told_to_use_wsl(monkeypatch, capsys):
    monkeypatch.setattr(command_line.sys, "platform", "win32")
    assert main(["demo"]) == 1
    assert "use it in WSL" in capsys.readouterr().err


def test_data_folder_comes_from_option_variable_or_user(monkeypatch, tmp_path):
    monkeypatch.delenv("DATA_DIR", raising=False)
    monkeypatch.setattr("platformdirs.user_data_dir", lambda name, **_: str(tmp_path / "share" / name))
    assert Place.find(None, demo=False).data == tmp_path / "share" / "coindex"
    assert Place.find(None, demo=True).data == tmp_path / "share" / "coindex" / "demo"
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "of-variable"))
    assert Place.find(None, demo=False).data == tmp_path / "of-variable"
    monkeypatch.chdir(tmp_path)
    assert Place.find("given", demo=True).data == tmp_path / "given" / "demo"


@pytest.fixture
def own_process(monkeypatch) -> None:
    """Restore the environment and the path after the test."""
    monkeypatch.setattr(os, "environ", dict(os.environ))
    monkeypatch.setattr(sys, "path", [*sys.path])


@pytest.mark.usefixtures("own_process")
def test_demo_ignores_settings_of_environment(tmp_path):
    for name in NOT_OF_DEMO:
        os.environ[name] = os.environ[f"{name}_FILE"] = "x"
    os.environ |= {"LOCAL": "0", "DJANGO_SETTINGS_MODULE": "shop.settings"}
    Place.find(str(tmp_path), demo=True).enter()
    assert not [name for name in os.environ for other in NOT_OF_DEMO if name.startswith(other)]
    assert os.environ["LOCAL"] == "1"
    assert os.environ["DATA_DIR"] == str(tmp_path / "demo")
    assert os.environ["DJANGO_SETTINGS_MODULE"] == "config.settings"
    assert Path(sys.path[0]) == ROOT


@pytest.mark.usefixtures("own_process")
def test_description_hides_database_password(tmp_path):
    os.environ["DATABASE_URL"] = "postgres://u:secret@db.example:5432/coindex"
    place = Place.find(str(tmp_path), demo=False)
    place.enter()
    assert os.environ["DATABASE_URL"].startswith("postgres://")
    assert place.describe() == f"The data is in {tmp_path} and in the database db.example/coindex."
    assert place.has_database


@pytest.mark.usefixtures("own_process")
def test_unusable_data_folder_raises_error(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    with pytest.raises(Unusable, match=r"file/data cannot be made: Not a directory\. Choose another folder by --data"):
        Place(tmp_path / "file" / "data", demo=False).enter()
    monkeypatch.setattr(os, "access", lambda *_: False)  # who is root may write everywhere
    with pytest.raises(Unusable, match=r"cannot be written\. Choose another folder by --data, or change its owner"):
        Place(tmp_path / "data", demo=False).enter()


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["tea.zip"], "import_project"),
        (["tea.zip", "--slug", "milk"], "import_project"),
        (["conll2012", "corpus"], "import_codings"),
        (["ducview", "corpus"], "import_codings"),
        (["--project=tea", "conll2012", "corpus"], "import_codings"),
        (["conll2021", "corpus", "--project", "tea"], "import_codings"),
        ([], "import_project"),
    ],
)
def test_arguments_choose_between_codings_and_archive(arguments, meant):
    assert shortcuts.command_of("import", arguments) == meant
    assert shortcuts.command_of("export", arguments) == meant.replace("import", "export")


def coindex(data: Path, *arguments: str) -> tuple[int, str]:
    """Run the command and return its status and its output."""
    done = subprocess.run(
        command(data, *arguments), cwd=data.parent, env=environment(), capture_output=True, text=True, timeout=DEADLINE
    )
    return done.returncode, done.stdout + done.stderr


def command(data: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "coindex", *arguments, "--data", str(data)]


def environment() -> dict[str, str]:
    left_out = ("LOCAL", "DATA_DIR", "DATABASE_URL", "DJANGO_SETTINGS_MODULE")
    return {name: value for name, value in os.environ.items() if name not in left_out} | {"PYTHONPATH": str(ROOT)}


@pytest.fixture
def data(tmp_path, migrated_file) -> Path:
    (tmp_path / "data").mkdir()
    return shutil.copyfile(migrated_file, tmp_path / "data" / "coindex.sqlite3").parent


def test_missing_demo_is_reported(tmp_path, capsys):
    assert main(["agreement", "news", "--demo", "--data", str(tmp_path)]) == 1
    assert capsys.readouterr().err == "There is no demo yet: `coindex demo` makes it.\n"


@pytest.mark.slow
def test_exports_can_be_imported_again(data, tmp_path):
    (tmp_path / "walk.txt").write_text("[Anna](A=1) took [[her](B=1) dog](C=2) for a walk. [It](D=2) was fun.\n")
    given = ["plain", "walk.txt", "--project", "pilot", "--coder", "anna", "--create"]
    status, said = coindex(data, "import", *given)
    assert status == 0, said
    assert coindex(data, "export", "jsonlines", "pilot.jsonl.zip", "--project", "pilot", "--unfinished")[0] == 0
    assert coindex(data, "export", "pilot", "pilot.zip")[0] == 0
    status, said = coindex(data, "import", "pilot.zip", "--slug", "again")
    assert (status, said.startswith("again: 1 text")) == (0, True)
    assert coindex(data, "agreement", "again", "--format", "json")[0] == 0
    status, said = coindex(data, "backup")
    assert (status, len(list((data / "backups").glob("*.zip")))) == (0, 1)
    status, said = coindex(data, "agreement", "ghost")
    assert (status, "There is no project 'ghost'." in said) == (1, True)


@pytest.fixture
def running_server(data) -> Iterator[tuple[subprocess.Popen[str], int, list[str]]]:
    """Serve the data; yield the process, its port and its first lines of output."""
    port = free_port()
    server = subprocess.Popen(
        command(data, "--port", str(port)), cwd=data.parent, env=environment(), stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    try:
        said: list[str] = []
        while not said or "first-account" not in said[-1]:
            said.append(server.stdout.readline())
            assert said[-1], said
        yield server, port, said
    finally:
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=DEADLINE)


@pytest.mark.slow
def test_server_runs_until_ctrl_c_and_refuses_second_start(running_server, data):
    server, port, said = running_server
    address = f"http://127.0.0.1:{port}"
    assert said[:2] == [f"The data is in {data}.\n", f"Coindex is at {address}/ (stop with Ctrl+C)\n"]
    with urllib.request.urlopen(said[-1].strip(), timeout=DEADLINE) as page:
        assert "Make the first account" in page.read().decode()
    status, told = coindex(data)
    assert (status, f"already running on the data in {data}, at {address}/. Stop it first." in told) == (1, True)
    status, told = coindex(data.parent / "other", "--port", str(port))
    assert (status, f"Port {port} is in use" in told) == (1, True)
    deadline = time.monotonic() + DEADLINE
    while "worker: well" not in (told := coindex(data, "doctor", "--only", "worker")[1]):
        assert time.monotonic() < deadline, told
    server.send_signal(signal.SIGINT)
    server.wait(DEADLINE)
    assert server.returncode == 0
    with socket.socket() as client:
        assert client.connect_ex(("127.0.0.1", port))
    assert "not checked: Coindex is not running" in coindex(data, "doctor", "--only", "worker")[1]


@pytest.mark.slow
def test_doctor_without_data_runs_other_checks(tmp_path):
    status, said = coindex(tmp_path / "new", "doctor")
    assert (status, "There is no data in" in said, "database" in said) == (0, True, False)
    for name in ("versions: well (Coindex ", "settings: well", "disk: well", "static: well", "mail: well"):
        assert name in said
