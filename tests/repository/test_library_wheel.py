"""The library's wheel: its content, reproducible builds, and use in an empty environment."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from agreement.measures import conformance
from tests.conftest import ROOT
from tests.shared.environments import install, make_environment, write_versions

LIBRARY = ROOT / "agreement" / "measures"
README = LIBRARY / "README.md"
DEADLINE = 600
PROJECT = tomllib.loads((LIBRARY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PROGRAM = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MODULES = sorted(LIBRARY.rglob("*.py"))


def declared(project: dict[str, Any]) -> list[str]:
    """Return the lines of dependencies, also of extras."""
    return [*project["dependencies"], *chain.from_iterable(project["optional-dependencies"].values())]


def build_wheel(folder: Path, **variables: str) -> Path:
    """Build the wheel as `make wheel` does, from a copy of what it is made of, and return its path."""
    source = folder / "agreement" / "measures"
    shutil.copytree(LIBRARY, source, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "LICENSE", folder)
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder / "dist")]
    environment = os.environ | {"SOURCE_DATE_EPOCH": "1790000000"} | variables
    subprocess.run(command, cwd=source, env=environment, check=True, capture_output=True)
    [wheel] = (folder / "dist").glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("library"))


@pytest.mark.slow
def test_library_wheel_is_reproducible(wheel, tmp_path):
    assert build_wheel(tmp_path, TZ="Asia/Tokyo", LC_ALL="C").read_bytes() == wheel.read_bytes()


@pytest.mark.slow
def test_library_wheel_holds_sources_licence_and_type_marker(wheel):
    with zipfile.ZipFile(wheel) as archive:
        held = {name: archive.read(name) for name in archive.namelist() if name.startswith("coindex_measures/")}
        rest = {name.split("/")[0] for name in archive.namelist()} - {"coindex_measures"}
    here = {f"coindex_measures/{path.relative_to(LIBRARY).as_posix()}": path.read_bytes() for path in MODULES}
    assert held == here | {
        "coindex_measures/py.typed": b"",
        "coindex_measures/LICENSE": (ROOT / "LICENSE").read_bytes(),
    }
    assert rest == {f"coindex_measures-{PROJECT['version']}.dist-info"}


@pytest.mark.parametrize("path", MODULES, ids=[path.relative_to(LIBRARY).as_posix() for path in MODULES])
def test_library_modules_import_only_library_and_dependencies(path):
    packages_declared = {re.split(r"[\[><=]", line)[0] for line in declared(PROJECT)}
    above = len(path.relative_to(LIBRARY).parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            packages = {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            packages = {str(node.module).split(".")[0]}
        else:
            assert getattr(node, "level", 0) <= above
            continue
        assert packages - set(sys.stdlib_module_names) <= packages_declared


def test_library_versions_match_program():
    assert PROJECT["version"] == PROGRAM["version"]
    assert PROJECT["requires-python"] == PROGRAM["requires-python"]
    assert set(declared(PROJECT)) <= set(declared(PROGRAM))


def test_readme_table_of_published_figures_is_current():
    begin, end = conformance.MARKS
    written = README.read_text(encoding="utf-8").partition(begin)[2].partition(end)[0].strip()
    assert written == conformance.table(), "run python -m agreement.measures.conformance --write its README.md"


@pytest.fixture(scope="module")
def installation(wheel, tmp_path_factory) -> Path:
    """Install the wheel in an empty environment, with the NumPy and SciPy that are tested, and return its folder."""
    folder = tmp_path_factory.mktemp("installed")
    python = make_environment(folder / "environment")
    done = install(python, "--constraint", str(write_versions(folder)), str(wheel))
    assert done.returncode == 0, done.stderr[-2000:]
    return folder


def run(folder: Path, command: list[str], **given: str) -> subprocess.CompletedProcess[str]:
    binaries = folder / "environment" / "bin"
    environment = {"PATH": str(binaries), "HOME": str(folder)} | given
    return subprocess.run(
        command,
        executable=str(binaries / command[0]),
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )


@pytest.mark.slow
def test_installed_library_gives_same_results(installation):
    code = "import coindex_measures; print(float(coindex_measures.alpha([[1, 1], [2, 1]])))"
    done = run(installation, ["python", "-W", "error", "-c", code])
    assert (done.stdout, done.stderr) == ("0.0\n", "")
    done = run(installation, ["python", "-m", "coindex_measures.conformance"])
    assert done.stdout == f"{conformance.table()}\n"
    done = run(installation, ["python", "-m", "doctest", str(README)])
    assert (done.returncode, done.stdout) == (0, "")
    code = "from importlib.util import find_spec; print([n for n in ('agreement', 'django', 'pandas') if find_spec(n)])"
    assert run(installation, ["python", "-c", code]).stdout == "[]\n"


@pytest.mark.slow
def test_installed_command_reads_matrix_and_judgements(installation):
    (installation / "matrix.csv").write_text("document,unit,Ann,Bob\nwalk,A,x,x\nwalk,B,y,x\nwalk,C,y,y\n")
    done = run(installation, ["coindex-measures", "matrix.csv", "--matrix"])
    assert (done.returncode, done.stdout.split()[:3]) == (0, ["alpha,", "nominal", "0.4444"]), done.stderr
    table = "unit,coder,label\nA,Ann,x\nA,Bob,x\nB,Ann,y\nB,Bob,x\nC,Ann,y\nC,Bob,y\n"
    (installation / "judgements.csv").write_text(table)
    done = run(installation, ["coindex-measures", "judgements.csv"])
    assert (done.returncode, done.stdout.split()[:3]) == (0, ["alpha,", "nominal", "0.4444"]), done.stderr
