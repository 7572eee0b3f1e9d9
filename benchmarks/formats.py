"""How long import and export of a large project take: python -m benchmarks.formats --json, or make bench.

1,000 texts with 80 markables each, coded by 3 coders: 3,000 CoNLL-2012 files with 240,000 judgements, seven words a
markable. Import: from the files on the disk to the committed rows of an empty project. Export: from the rows to a zip.
"""

from __future__ import annotations

import argparse
import json
import platform
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import databases
from benchmarks.corpora import write_corpus
from benchmarks.measures import machine

if TYPE_CHECKING:
    from annotations.formats import Document
    from annotations.importing import Source
    from annotations.models import Project

MODULE = "benchmarks.formats"
TEXTS, CODERS, MARKABLES = 1000, 3, 80
# The size at which the other formats and the peer are measured: a tenth.
SHARE = 10
HEADLINE = "conll2012"


def timed(name: str, work: Callable[[], object]) -> dict[str, float]:
    """How long the work takes, and how much of that this process computed and did not wait for database or disk."""
    begin, busy = time.perf_counter(), time.process_time()
    work()
    return {
        f"{name}_seconds": round(time.perf_counter() - begin, 3),
        f"{name}_own_seconds": round(time.process_time() - busy, 3),
    }


def from_folder(folder: Path) -> list[Source]:
    """The files of the corpus, as the command that imports them finds them."""
    from annotations.importing import Source

    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return [Source(str(file.relative_to(folder)), file.read_bytes(), found=True) for file in files]


def from_zip(path: Path) -> list[Source]:
    """The files of an export, as the page that imports them finds them."""
    from annotations.importing import sources_of

    return sources_of([(path.name, path.read_bytes())])


def brought_in(project: Project, format_key: str, sources: list[Source]) -> None:
    """Import the files; one that is refused would make the figure worthless."""
    from annotations.importing import import_brought, read_sources

    report = import_brought(project, read_sources(format_key, sources, "parent"), create=True)
    if report.failures or not report.codings:
        raise RuntimeError(f"{format_key}: {report}; {report.failures[:1]}")


def _brought_back(project: Project, format_key: str, path: Path) -> None:
    brought_in(project, format_key, from_zip(path))


def taken_out(project: Project, format_key: str, path: Path) -> None:
    """Export into a zip on the disk."""
    from annotations.exporting import export

    with path.open("wb") as out:
        export(project, format_key, out)


def fresh(slug: str) -> Project:
    """An empty project of clusters."""
    from annotations.actions import create_project
    from annotations.schemes import SCHEMES

    return create_project(slug, slug, SCHEMES["clusters"])


def prepared() -> None:
    """Django with an empty database of its own."""
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def measured(texts: int) -> dict[str, Any]:
    """The headline on the database of the settings."""
    prepared()
    with tempfile.TemporaryDirectory() as made:
        files, archive = Path(made) / "files", Path(made) / "export.zip"
        write_corpus(files, texts, CODERS, MARKABLES)
        project = fresh("headline")
        came = timed("import", lambda: brought_in(project, HEADLINE, from_folder(files)))
        return came | timed("export", lambda: taken_out(project, HEADLINE, archive))


def measured_all(texts: int) -> dict[str, Any]:
    """Every format that is written, each with its own export read again, on the database of the settings."""
    prepared()
    from annotations.formats import FORMATS
    from annotations.importing import import_brought, read_sources

    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as made:
        files = Path(made) / "files"
        write_corpus(files, texts, CODERS, MARKABLES)
        project = fresh("all")
        brought_in(project, HEADLINE, from_folder(files))
        for key, format_ in FORMATS.items():
            if format_.write is None:
                continue
            archive = Path(made) / f"{key}.zip"
            went = timed("export", partial(taken_out, project, key, archive))
            other = fresh(f"from-{key}")
            if format_.names_coders:  # tables, which hold no texts
                import_brought(other, read_sources(HEADLINE, from_folder(files / "coder1"), "nobody"))
            came = timed("import", partial(_brought_back, other, key, archive))
            found[key] = {"label": format_.label, **came, **went}
    return found


def peer(texts: int) -> dict[str, Any]:
    """XMI files of as many marks read in memory and written again, by dkpro-cassis alone and by the format on it."""
    prepared()
    import warnings
    from importlib.metadata import version
    from io import BytesIO

    import cassis

    from annotations.formats import FORMATS, Bundle
    from annotations.formats.losses import carried

    xmi, conll = FORMATS["xmi"], FORMATS[HEADLINE]
    write = xmi.write
    assert write is not None
    with tempfile.TemporaryDirectory() as made:
        write_corpus(Path(made), texts, CODERS, MARKABLES)
        sources = from_folder(Path(made))
    drawn = [conll.read(Bundle.of(source.name.replace("/", "-"), source.data))[0] for source in sources]
    written = {file.path: file.data for file in write([carried(document, xmi.carries)[0] for document in drawn])}
    described = next(data for path, data in written.items() if not path.endswith(".xmi"))
    marked = {path: data for path, data in written.items() if path.endswith(".xmi")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `type` is called `type_` in Python
        types = cassis.load_typesystem(BytesIO(described))
    loaded: list[cassis.Cas] = []
    read: list[Document] = []

    def load() -> None:
        loaded.extend(cassis.load_cas_from_xmi(BytesIO(data), types) for data in marked.values())

    def read_here() -> None:
        for path, data in marked.items():
            read.extend(xmi.read(Bundle(path, {path: data, "TypeSystem.xml": described})))

    found = timed("read", load) | timed("write", lambda: [cas.to_xmi() for cas in loaded])
    here = timed("read", read_here) | timed("write", lambda: write(read))
    return {"version": version("dkpro-cassis"), "files": len(marked), "cassis": found, "here": here}


def report(found: dict[str, Any], texts: int) -> str:
    """The figures as a page of the documentation."""
    import django

    share, judgements = max(texts // SHARE, 1), texts * CODERS * MARKABLES
    lines = [
        "# Benchmark of import and export",
        "",
        "Written by `make bench`; do not edit.",
        "",
        f"{texts:,} texts, {CODERS} coders, {MARKABLES} markables a text: {judgements:,} judgements in CoNLL-2012",
        "files, a folder a coder, made up from a fixed seed, seven words a markable. *Import*: from the files on the",
        "disk to the committed rows of an empty project, with every check. *Export*: from the rows to a zip on the",
        "disk. In seconds; in brackets those in which the process itself computed and did not wait for disk,",
        "database or the second process that shares the work. The goals are 8 and 2 s.",
        "",
        f"Machine: {machine()}. Python {platform.python_version()}, Django {django.__version__}.",
        "",
        "| database | import | export |",
        "| --- | ---: | ---: |",
    ]
    for database in databases.NAMES:
        of = found[database]
        lines.append(f"| {database} | {of['why']} | |" if "why" in of else f"| {database} | {_cells(of)} |")
    if "formats" in found:
        lines += [
            "",
            "## Every format",
            "",
            f"A tenth of that, {share * CODERS * MARKABLES:,} judgements, on SQLite: the project is exported, and the",
            "export imported into another one.",
            "",
            "| format | import | export |",
            "| --- | ---: | ---: |",
            *(f"| {of['label']} | {_cells(of)} |" for of in found["formats"].values()),
        ]
    beside = found["peer"]
    lines += [
        "",
        "## Beside dkpro-cassis",
        "",
        f"{beside['files']:,} XMI files of {MARKABLES} markables each, from bytes to objects and back, without a",
        "database. XMI is read and written by dkpro-cassis here too: what comes on top is that files are checked",
        "before it sees them, and that its objects become documents and these its objects.",
        "",
        "| | read | write |",
        "| --- | ---: | ---: |",
        f"| dkpro-cassis {beside['version']} alone | {_cells(beside['cassis'], 'read', 'write')} |",
        f"| Coindex with it | {_cells(beside['here'], 'read', 'write')} |",
    ]
    return "\n".join(lines) + "\n"


def _cells(figures: dict[str, Any], *names: str) -> str:
    return " | ".join(
        f"{figures[f'{name}_seconds']:.2f} ({figures[f'{name}_own_seconds']:.2f})"
        for name in names or ("import", "export")
    )


def all_figures(texts: int, every: bool) -> dict[str, Any]:
    """Each in a process of its own, those with a goal by the name of the database."""
    share = f"--texts={max(texts // SHARE, 1)}"
    found = {name: databases.run_on(name, MODULE, ["--here=headline", f"--texts={texts}"]) for name in databases.NAMES}
    found["peer"] = databases.run_on("sqlite", MODULE, ["--here=peer", share])
    if every:
        found["formats"] = databases.run_on("sqlite", MODULE, ["--here=formats", share])
    return found


def main(arguments: list[str] | None = None) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write them as a page of the documentation")
    parser.add_argument("--all", action="store_true", help="also every other format, with a tenth of the texts")
    parser.add_argument("--texts", type=int, default=TEXTS)
    parser.add_argument("--here", choices=sorted(TASKS), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.here:
        print(json.dumps(TASKS[options.here](options.texts)))
        return
    found = all_figures(options.texts, options.all)
    if options.write:
        options.write.write_text(report(found, options.texts), encoding="utf-8")
    print(json.dumps(found, indent=1) if options.json else report(found, options.texts))


TASKS: dict[str, Callable[[int], dict[str, Any]]] = {
    "headline": measured,
    "formats": measured_all,
    "peer": peer,
}

if __name__ == "__main__":
    main()
