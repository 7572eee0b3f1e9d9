"""Imported packages are declared in pyproject.toml, in the extra of the importing folder."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.conftest import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OWN = {"coindex", "config", "annotations", "agreement", "tests", "benchmarks", "scripts", "examples"}
# The extras of pyproject.toml that are installed where a folder's modules run.
EXTRAS = {
    "coindex": ["client"],
    "config": [],
    "annotations": ["client"],  # by which a model codes in the demo, where it is installed
    "agreement": ["cluster", "matplotlib", "parquet"],
    "examples": ["client"],
    "scripts": ["dev", "site"],
    "tests": ["dev", "client", "cluster", "matplotlib", "parquet"],
    "benchmarks": ["dev", "bench"],
}


def normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def declared(extras: list[str]) -> set[str]:
    """Return the names of the distributions that are declared for everybody and for these extras."""
    lines = PROJECT["dependencies"] + [line for extra in extras for line in PROJECT["optional-dependencies"][extra]]
    return {normalized(re.split(r"[\[><=~! ;]", line)[0]) for line in lines}


def imported(path: Path) -> Iterator[str]:
    """Yield the packages that a module imports at any place."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0]


@pytest.mark.slow
@pytest.mark.parametrize("folder", EXTRAS)
def test_imported_packages_are_declared(folder):
    distributions = packages_distributions()
    there = declared(EXTRAS[folder])
    missing = {}
    for path in sorted((ROOT / folder).rglob("*.py")):
        for package in set(imported(path)) - OWN - set(sys.stdlib_module_names):
            # What is not installed here is called as its distribution is.
            if there.isdisjoint(map(normalized, distributions.get(package, [package]))):
                missing[package] = str(path.relative_to(ROOT))
    assert missing == {}
