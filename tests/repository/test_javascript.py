"""The JavaScript of the coding page, tested in Node where there is one."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

TESTS = sorted((Path(__file__).parent / "js").glob("*.test.mjs"))


@pytest.mark.parametrize("path", TESTS, ids=[path.stem.removesuffix(".test") for path in TESTS])
def test_modules_of_the_coding_page(path):
    node = shutil.which("node")
    if node is None:
        if os.environ.get("CI"):
            pytest.fail("no Node on this machine")
        pytest.skip("no Node on this machine")
    run = subprocess.run([node, "--test", str(path)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
