"""The installed program: its version, and whether compiled libraries can be loaded. Free of Django."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

# Modules with compiled parts, by package.
COMPILED = {
    "argon2-cffi": "argon2.low_level",
    "google-re2": "re2",
    "lxml": "lxml.etree",
    "numpy": "numpy",
    "pandas": "pandas",
    "psycopg": "psycopg",
    "scipy": "scipy.stats",
}


@cache
def program_version() -> str:
    """Return the version of the installed wheel or of the checkout."""
    try:
        return version("coindex")
    except PackageNotFoundError:
        file = Path(__file__).resolve().parents[3] / "pyproject.toml"
        project: dict[str, str] = tomllib.loads(file.read_text(encoding="utf-8"))["project"]
        return project["version"]


def broken_libraries() -> Mapping[str, str]:
    """Return the packages whose compiled parts cannot be loaded, with the error messages."""
    broken = {}
    for package, module in COMPILED.items():
        try:
            import_module(module)
        except Exception as error:  # a library built for another system may fail in any way
            broken[package] = str(error).partition("\n")[0] or type(error).__name__
    return broken
