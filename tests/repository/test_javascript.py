"""The JavaScript of the coding page, tested in Node where there is one."""

import json
import shutil
import subprocess

import pytest

from tests.conftest import ROOT
from tests.shared.skipping import skip_or_fail_in_ci

TESTS = sorted((ROOT / "tests" / "js").rglob("*.test.mjs"))


@pytest.mark.parametrize("path", TESTS, ids=[path.stem.removesuffix(".test") for path in TESTS])
def test_coding_page_modules_pass_node_tests(path):
    node = shutil.which("node")
    if node is None:
        skip_or_fail_in_ci("no Node on this machine")
    run = subprocess.run([node, "--test", str(path)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def test_lock_file_holds_digests_and_no_addresses():
    packages = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    for name, package in packages.items():
        assert "resolved" not in package, name
        assert not name or package["integrity"].startswith("sha512-"), name
