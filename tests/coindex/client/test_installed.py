"""The client without the program: it needs httpx, and pandas where a table is asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.conftest import ROOT

WITHOUT = """
import sys
class Missing:
    def find_spec(self, name, *_):
        if name.partition(".")[0] in {missing}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Missing())
"""
OF_THE_PROGRAM = {"django", "rest_framework", "annotations", "agreement", "config", "scripts"}


def run(code: str, missing: set[str]) -> subprocess.CompletedProcess[str]:
    script = WITHOUT.format(missing=missing) + code
    return subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60)


def test_client_imports_without_program_and_pandas():
    ran = run(
        "from coindex.client import Client; Client('http://127.0.0.1:9', 'key').close()", OF_THE_PROGRAM | {"pandas"}
    )
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.parametrize(
    ("code", "missing", "says"),
    [
        ("import coindex.client", "httpx", "coindex.client needs httpx (extra client): pip install httpx"),
        (
            "from coindex.client.frames import frame_of; frame_of([{'a': 1}])",
            "pandas",
            "A DataFrame needs pandas: pip install pandas. Without it iterate over the rows.",
        ),
    ],
)
def test_error_names_missing_package(code, missing, says):
    ran = run(code, {missing})
    assert ran.returncode == 1
    assert ran.stderr.splitlines()[-1] == f"ImportError: {says}"
