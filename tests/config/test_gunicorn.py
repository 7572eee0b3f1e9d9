"""The metrics folder at start and exit of gunicorn."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

START_AND_END = """
import os
from config import gunicorn
print(os.environ["PROMETHEUS_MULTIPROC_DIR"], os.path.isdir(os.environ["PROMETHEUS_MULTIPROC_DIR"]))
gunicorn.on_exit(None)
"""


def start_and_end(**variables: str) -> tuple[Path, bool]:
    """Return the folder and whether it existed while gunicorn ran."""
    environment = {name: value for name, value in os.environ.items() if name != "PROMETHEUS_MULTIPROC_DIR"}
    run = [sys.executable, "-c", START_AND_END]
    done = subprocess.run(run, cwd=ROOT, env=environment | variables, check=True, capture_output=True, text=True)
    folder, was_there = done.stdout.rsplit(maxsplit=1)
    return Path(folder), was_there == "True"


def test_own_metrics_folder_is_deleted_on_exit():
    folder, was_there = start_and_end()
    assert (was_there, folder.exists()) == (True, False)


@pytest.mark.parametrize("exists", [False, True])
def test_given_metrics_folder_loses_only_old_counts(tmp_path, exists):
    given = tmp_path / "counts"
    if exists:
        given.mkdir()
        for name in ("counter_1.db", "notes.txt"):
            (given / name).touch()
    assert start_and_end(PROMETHEUS_MULTIPROC_DIR=str(given)) == (given, True)
    assert [path.name for path in given.iterdir()] == (["notes.txt"] if exists else [])
