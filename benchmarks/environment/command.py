"""Common parts of the benchmarks' commands: options, tables, and writing into documents."""

import argparse
import json
import os
import platform
import subprocess
from collections.abc import Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def make_parser(name: str, description: str | None) -> argparse.ArgumentParser:
    """Return a parser with the common options of benchmarks."""
    parser = argparse.ArgumentParser(
        prog=f"python -m benchmarks.{name}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the tables between the marks of a page")
    parser.set_defaults(name=name)
    return parser


def publish(options: argparse.Namespace, figures: object, lines: Iterable[str]) -> None:
    """Print figures as JSON, else their tables as Markdown; --write also puts these between the marks of a page."""
    content = "\n".join(lines) if options.write or not options.json else ""
    if options.write:
        write_between(options.write, marks_of(options.name), content)
    print(json.dumps(figures, indent=1) if options.json else content)


def marks_of(name: str) -> tuple[str, str]:
    """Return the marks between which a page has the tables of a benchmark."""
    mark = name.replace("_", "-")
    return f"<!-- {mark}: begin -->", f"<!-- {mark}: end -->"


def write_between(path: Path, marks: tuple[str, str], content: str) -> None:
    """Replace the text between the marks of a file."""
    begin, end = marks
    head, _, remainder = path.read_text(encoding="utf-8").partition(begin)
    _, separator, tail = remainder.partition(end)
    if not separator:
        raise SystemExit(f"{path}: the marks {begin} and {end} are not in it")
    path.write_text(f"{head}{begin}\n{content}\n{end}{tail}", encoding="utf-8")


def table(header: Sequence[str], rows: Iterable[Sequence[object]], texts: int = 1) -> list[str]:
    """Return the lines of a Markdown table; the first `texts` columns are texts, the others numbers."""
    aligned = [*["---"] * texts, *["---:"] * (len(header) - texts)]
    return [f"| {' | '.join(map(str, cells))} |" for cells in (header, aligned, *rows)]


def conditions(*packages: str) -> str:
    """Return a sentence on the machine, the versions of Python and packages, and the commit, if git knows it."""
    command = ["git", "describe", "--always", "--dirty"]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return f"Machine: {machine()}. {versions(*packages)}. Commit {process.stdout.strip() or 'unknown'}."


def machine() -> str:
    """Return processor, cores, memory and system, without host names."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    name = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())
    gigabytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    return f"{name}, {os.cpu_count()} cores, {gigabytes:.0f} GB, {platform.system()}"


def versions(*packages: str) -> str:
    """Return the versions of Python and of packages."""
    names = [f"Python {platform.python_version()}"]
    for package in packages:
        try:
            names.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            names.append(f"{package} not installed")
    return ", ".join(names)
