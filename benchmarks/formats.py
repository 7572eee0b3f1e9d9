"""Measure import and export of a large project: python -m benchmarks.formats --json, or make bench.

1,000 texts with 80 markables each, coded by 3 coders: 3,000 CoNLL-2012 files with 240,000 judgements, seven words a
markable. Import: from the files on the disk to the committed rows of an empty project. Export: from the rows to a zip.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import multiprocessing
import platform
import resource
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.data.corpora import write_corpus
from benchmarks.environment import databases
from benchmarks.measures import machine

if TYPE_CHECKING:
    from annotations.formats import Document
    from annotations.models import Project
    from annotations.transfers.importing.files.sources import Source

MODULE = "benchmarks.formats"
TEXTS, CODERS, MARKABLES = 1000, 3, 80
# The other formats and the peer are measured with a tenth of the texts.
SHARE = 10
HEADLINE = "conll2012"


def timed(name: str, work: Callable[[], object]) -> dict[str, float]:
    """Return the seconds that the work takes, and those in which this process did not wait for database or disk."""
    start, cpu_start = time.perf_counter(), time.process_time()
    work()
    return {
        f"{name}_seconds": round(time.perf_counter() - start, 3),
        f"{name}_own_seconds": round(time.process_time() - cpu_start, 3),
    }


def from_folder(folder: Path) -> list[Source]:
    """Return the files of the corpus as the command that imports them reads them."""
    from annotations.transfers.importing.files.sources import Source

    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return [Source(str(file.relative_to(folder)), file.read_bytes(), in_folder=True) for file in files]


def from_zip(path: Path) -> list[Source]:
    """Return the files of an export as the page that imports them reads them."""
    from annotations.transfers.importing.files.sources import open_sources

    return open_sources([(path.name, path.read_bytes())])


def import_files(project: Project, format_key: str, sources: list[Source]) -> None:
    """Import the files. Raise RuntimeError if one is refused, which would make the figure worthless."""
    from annotations.transfers.importing.dispatch import import_sources
    from annotations.transfers.importing.options import ImportOptions

    report = import_sources(project, format_key, sources, "parent", ImportOptions(create=True, join=True))
    if report.failures or not report.codings:
        raise RuntimeError(f"{format_key}: {report}; {report.failures[:1]}")


def _import_archive(project: Project, format_key: str, path: Path) -> None:
    import_files(project, format_key, from_zip(path))


def export_project(project: Project, format_key: str, path: Path) -> None:
    """Export the project to a zip on the disk."""
    from annotations.transfers.exporting.dispatch import export_files

    with path.open("wb") as out:
        export_files(project, format_key, out)


def create_empty_project(slug: str) -> Project:
    """Create an empty project with the scheme of clusters."""
    from annotations.projects.creation import create_project
    from annotations.schemes.ready_made import SCHEMES

    return create_project(slug, slug, SCHEMES["clusters"])


def set_up_django() -> None:
    """Set up Django with an empty database."""
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def measure(texts: int) -> dict[str, Any]:
    """Return the figures of the main format on the configured database."""
    set_up_django()
    with tempfile.TemporaryDirectory() as folder:
        files, archive = Path(folder) / "files", Path(folder) / "export.zip"
        write_corpus(files, texts, CODERS, MARKABLES)
        project = create_empty_project("headline")
        import_times = timed("import", lambda: import_files(project, HEADLINE, from_folder(files)))
        return import_times | timed("export", lambda: export_project(project, HEADLINE, archive))


def measure_formats(texts: int) -> dict[str, Any]:
    """Return the figures of every format that can be written, each importing its own export."""
    set_up_django()
    from annotations.formats import FORMATS
    from annotations.transfers.importing.dispatch import import_sources

    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder) / "files"
        write_corpus(files, texts, CODERS, MARKABLES)
        project = create_empty_project("all")
        import_files(project, HEADLINE, from_folder(files))
        for key, format_ in FORMATS.items():
            if format_.write is None:
                continue
            archive = Path(folder) / f"{key}.zip"
            export_times = timed("export", partial(export_project, project, key, archive))
            other = create_empty_project(f"from-{key}")
            if format_.names_coders:  # tables, which contain no texts
                import_sources(other, HEADLINE, from_folder(files / "coder1"), "nobody")
            import_times = timed("import", partial(_import_archive, other, key, archive))
            figures[key] = {"label": format_.label, **import_times, **export_times}
    return figures


# What is imported and exported in memory that does not grow: texts alone, a file a coder and text, and one file of all.
STREAMED = ("text", "conll2012", "jsonlines")
SENTENCE = "the cat sat on the mat and looked at it for a long time before it went away again"


def write_many(path: Path, format_key: str, texts: int) -> None:
    """Write a zip of many small texts of 60 words; but for texts alone ten markables each, by one coder."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        if format_key == "jsonlines":
            with archive.open("ann/all.jsonl", "w") as lines:
                for number in range(texts):
                    clusters = [[[place, place] for place in range(first, 60, 12)] for first in (1, 7)]
                    record = {"doc_key": f"t{number:06}", "sentences": [_small_text(number)], "clusters": clusters}
                    lines.write(f"{json.dumps(record)}\n".encode())
            return
        for number in range(texts):
            words = _small_text(number)
            if format_key == "text":
                archive.writestr(f"t{number:06}.txt", " ".join(words))
                continue
            chains = [f"({place % 12})" if place % 6 == 1 else "-" for place in range(len(words))]
            rows = [
                f"t 0 {place} {word} - - - - - - - - {chain}"
                for place, (word, chain) in enumerate(zip(words, chains, strict=True))
            ]
            lines_of_text = ["#begin document (t); part 000", *rows, "", "#end document", ""]
            archive.writestr(f"ann/t{number:06}.conll", "\n".join(lines_of_text))


def _small_text(number: int) -> list[str]:
    words = SENTENCE.split()
    return [*(words[(number + place) % len(words)] for place in range(60)), str(number)]


def measure_streams(texts: int) -> dict[str, Any]:
    """Return peak memory and times of checking, importing and exporting many small texts, each in a process."""
    set_up_django()
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for format_key in STREAMED:
            path = Path(folder) / f"{format_key}.zip"
            context = multiprocessing.get_context("spawn")
            for work, of in ((write_many, (path, format_key, texts)), (_stream, (path, format_key))):
                with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as process:
                    result = process.submit(work, *of).result()
            figures[format_key] = result
    return figures


def _stream(path: Path, format_key: str) -> dict[str, float]:
    """Return the figures of one format in this process, which has done nothing else."""
    set_up_django()
    from annotations.transfers.exporting.dispatch import export_files
    from annotations.transfers.importing.dispatch import import_sources
    from annotations.transfers.importing.files.sources import open_sources
    from annotations.transfers.importing.options import ImportOptions

    project = create_empty_project(f"many-{format_key}")
    coder_from = "nobody" if format_key == "text" else "parent"

    def bring(trial: bool) -> None:
        with path.open("rb") as archive:
            sources = open_sources([(path.name, archive)])
            report = import_sources(
                project, format_key, sources, coder_from, ImportOptions(create=True, join=True, trial=trial)
            )
        if report.failures:
            raise RuntimeError(f"{format_key}: {report.failures[0]}")

    def export() -> None:
        with path.with_suffix(".out").open("wb") as out:
            export_files(project, format_key, out)

    figures: dict[str, float] = {"idle_mb": _peak_mb()}
    figures |= timed("check", lambda: bring(True)) | timed("import", lambda: bring(False))
    if format_key != "text":  # without codings nothing is exported
        figures |= timed("export", export)
    return figures | {"peak_mb": _peak_mb()}


def _peak_mb() -> float:
    """Return the most memory that this process has had so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (2**20 if sys.platform == "darwin" else 2**10), 1)


def peer(texts: int) -> dict[str, Any]:
    """Return the times for XMI files in memory, read and written by dkpro-cassis alone and by our format."""
    set_up_django()
    import warnings
    from importlib.metadata import version
    from io import BytesIO

    import cassis

    from annotations.formats import FORMATS, Bundle
    from annotations.formats.losses.reduction import reduce_document

    xmi, conll = FORMATS["xmi"], FORMATS[HEADLINE]
    write = xmi.write
    assert write is not None
    with tempfile.TemporaryDirectory() as folder:
        write_corpus(Path(folder), texts, CODERS, MARKABLES)
        sources = from_folder(Path(folder))
    documents = [conll.read(Bundle.of(source.name.replace("/", "-"), source.data))[0] for source in sources]
    reduced = [reduce_document(document, xmi.supported_features)[0] for document in documents]
    files = {file.path: file.data for file in write(reduced)}
    type_system = next(data for path, data in files.items() if not path.endswith(".xmi"))
    xmi_files = {path: data for path, data in files.items() if path.endswith(".xmi")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `type` is called `type_` in Python
        types = cassis.load_typesystem(BytesIO(type_system))
    loaded: list[cassis.Cas] = []
    documents_read: list[Document] = []

    def load() -> None:
        loaded.extend(cassis.load_cas_from_xmi(BytesIO(data), types) for data in xmi_files.values())

    def read_here() -> None:
        for path, data in xmi_files.items():
            documents_read.extend(xmi.read(Bundle(path, {path: data, "TypeSystem.xml": type_system})))

    cassis_times = timed("read", load) | timed("write", lambda: [cas.to_xmi() for cas in loaded])
    format_times = timed("read", read_here) | timed("write", lambda: write(documents_read))
    return {"version": version("dkpro-cassis"), "files": len(xmi_files), "cassis": cassis_times, "here": format_times}


def report(figures: dict[str, Any], texts: int) -> str:
    """Return the figures as a page of the documentation."""
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
        figures_of = figures[database]
        lines.append(
            f"| {database} | {figures_of['why']} | |"
            if "why" in figures_of
            else f"| {database} | {_cells(figures_of)} |"
        )
    if "formats" in figures:
        lines += [
            "",
            "## Every format",
            "",
            f"A tenth of that, {share * CODERS * MARKABLES:,} judgements, on SQLite: the project is exported, and the",
            "export imported into another one.",
            "",
            "| format | import | export |",
            "| --- | ---: | ---: |",
            *(f"| {figures_of['label']} | {_cells(figures_of)} |" for figures_of in figures["formats"].values()),
        ]
    if "streams" in figures:
        lines += _stream_lines(figures["streams"])
    peer_figures = figures["peer"]
    lines += [
        "",
        "## Beside dkpro-cassis",
        "",
        f"{peer_figures['files']:,} XMI files of {MARKABLES} markables each, from bytes to objects and back, without a",
        "database. XMI is read and written by dkpro-cassis here too: what comes on top is that files are checked",
        "before it sees them, and that its objects become documents and these its objects.",
        "",
        "| | read | write |",
        "| --- | ---: | ---: |",
        f"| dkpro-cassis {peer_figures['version']} alone | {_cells(peer_figures['cassis'], 'read', 'write')} |",
        f"| Coindex with it | {_cells(peer_figures['here'], 'read', 'write')} |",
    ]
    return "\n".join(lines) + "\n"


def _stream_lines(by_number: dict[str, Any]) -> list[str]:
    return [
        "",
        "## Many texts",
        "",
        "Zips of small texts, 60 words each: texts alone, a CoNLL-2012 file for each with ten markables, and one file",
        "of JSON lines. *Peak*: the most resident memory of the process that checks, imports and exports; one that",
        "does nothing has what is in brackets.",
        "",
        "| database | texts | format | peak, MB | check | import | export |",
        "| --- | ---: | --- | ---: | ---: | ---: | ---: |",
        *(
            f"| {database} | {int(number):,} | {key} | {_stream_cells(of)} |"
            for number, databases_ in by_number.items()
            for database, formats in databases_.items()
            for key, of in ({} if "why" in formats else formats).items()
        ),
    ]


def _stream_cells(figures: dict[str, Any]) -> str:
    exported = _cells(figures, "export") if "export_seconds" in figures else ""
    memory = f"{figures['peak_mb']:.0f} ({figures['idle_mb']:.0f})"
    return f"{memory} | {_cells(figures, 'check', 'import')} | {exported}"


def _cells(figures: dict[str, Any], *names: str) -> str:
    return " | ".join(
        f"{figures[f'{name}_seconds']:.2f} ({figures[f'{name}_own_seconds']:.2f})"
        for name in names or ("import", "export")
    )


def all_figures(texts: int, every: bool, many: Sequence[int]) -> dict[str, Any]:
    """Return all figures, each measured in a new process; those with a goal by the name of the database."""
    share = f"--texts={max(texts // SHARE, 1)}"
    figures = {
        name: databases.run_on(name, MODULE, ["--here=headline", f"--texts={texts}"]) for name in databases.NAMES
    }
    figures["peer"] = databases.run_on("sqlite", MODULE, ["--here=peer", share])
    if every:
        figures["formats"] = databases.run_on("sqlite", MODULE, ["--here=formats", share])
    figures["streams"] = {
        str(number): {
            name: databases.run_on(name, MODULE, ["--here=streams", f"--texts={number}"]) for name in databases.NAMES
        }
        for number in many
    }
    return figures


def main(arguments: list[str] | None = None) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--write", type=Path, metavar="FILE", help="write them as a page of the documentation")
    parser.add_argument("--all", action="store_true", help="also every other format, with a tenth of the texts")
    parser.add_argument("--texts", type=int, default=TEXTS)
    parser.add_argument(
        "--many", type=int, nargs="*", default=[1000], help="numbers of small texts of which the memory is measured"
    )
    parser.add_argument("--here", choices=sorted(TASKS), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.here:
        print(json.dumps(TASKS[options.here](options.texts)))
        return
    figures = all_figures(options.texts, options.all, options.many)
    if options.write:
        options.write.write_text(report(figures, options.texts), encoding="utf-8")
    print(json.dumps(figures, indent=1) if options.json else report(figures, options.texts))


TASKS: dict[str, Callable[[int], dict[str, Any]]] = {
    "headline": measure,
    "formats": measure_formats,
    "peer": peer,
    "streams": measure_streams,
}

if __name__ == "__main__":
    main()
