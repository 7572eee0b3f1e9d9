"""Measure import and export of a large project: docs/benchmarks-formats.md."""

from __future__ import annotations

import json
import os
import random
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotations.formats import FORMATS, plain
from annotations.formats.model.document import Answer
from benchmarks.data.documents import marked_text
from benchmarks.environment.command import conditions, make_parser, publish, table
from benchmarks.environment.processes import DATABASES, migrate, peak_mb, run_in, run_on

if TYPE_CHECKING:
    from annotations.models import Project
    from annotations.transfers.importing.files.sources import Source

TEXTS, CODERS, MARKABLES = 1000, 3, 80
# The other formats are measured with a tenth of the texts.
SHARE = 10
HEADLINE = "conll2012"
# Of what the memory is measured: texts alone, a file a coder and text, and one file of all.
STREAMED = ("text", "conll2012", "jsonlines")
SENTENCE = "the cat sat on the mat and looked at it for a long time before it went away again"

WORDS = 7  # as in LitBank
SINGLETONS = 0.2  # share of markables that are the only one of their entity
ENTITIES = 12  # other entities of a text; the first are the most frequent
CHANGED = 0.1  # share of a coder's markables with another entity than in the shared start


def write_corpus(folder: Path, texts: int, coders: int, markables: int) -> None:
    """Write a folder for each coder with a file for each text."""
    draw, write = random.Random(1), FORMATS["conll2012"].write
    assert write is not None
    folders = [folder / f"coder{coder + 1}" for coder in range(coders)]
    for of_coder in folders:
        of_coder.mkdir(parents=True)
    for number in range(texts):
        text = marked_text(markables, seed=number, words=WORDS)
        document = plain.parse(text, f"text-{number:04}.txt")
        shared = [draw_entity(draw, position) for position in range(markables)]
        for of_coder in folders:
            entities = [
                draw_entity(draw, position) if draw.random() < CHANGED else entity
                for position, entity in enumerate(shared)
            ]
            answers = [Answer(indices=(entity,)) for entity in entities]
            marks = [mark.with_answer(answer) for mark, answer in zip(document.marks, answers, strict=True)]
            [file] = write([replace(document, marks=marks)])
            (of_coder / file.path).write_bytes(file.data)


def draw_entity(draw: random.Random, position: int) -> str:
    """Draw the entity of the markable at a position: one of its own, or one of a few, the first most frequently."""
    if draw.random() < SINGLETONS:
        return str(1000 + position)
    return str(min(int(draw.expovariate(0.3)), ENTITIES - 1))


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

    return open_sources([(path.name, path.open("rb"))])


def import_files(
    project: Project,
    format_key: str,
    read: Callable[[Path], list[Source]],
    path: Path,
    *,
    coder_from: str = "parent",
    trial: bool = False,
) -> None:
    """Read and import files. Raise RuntimeError if one is refused, which would make the figure worthless."""
    from annotations.transfers.importing.documents import import_sources
    from annotations.transfers.importing.options import ImportOptions

    options = ImportOptions(create=True, join=True, trial=trial)
    report = import_sources(project, format_key, read(path), coder_from, options)
    if report.failures or not (report.codings or coder_from == "nobody"):
        raise RuntimeError(f"{format_key}: {report}; {report.failures[:1]}")


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


def measure(texts: int) -> dict[str, Any]:
    """Return the figures of the main format on the configured database."""
    migrate()
    with tempfile.TemporaryDirectory() as folder:
        files, archive = Path(folder) / "files", Path(folder) / "export.zip"
        write_corpus(files, texts, CODERS, MARKABLES)
        project = create_empty_project("headline")
        import_times = timed("import", partial(import_files, project, HEADLINE, from_folder, files))
        return import_times | timed("export", partial(export_project, project, HEADLINE, archive))


def measure_formats(texts: int) -> dict[str, Any]:
    """Return the figures of every format that can be written, each importing its own export."""
    migrate()
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder) / "files"
        write_corpus(files, texts, CODERS, MARKABLES)
        project = create_empty_project("all")
        import_files(project, HEADLINE, from_folder, files)
        for key, format_ in FORMATS.items():
            if format_.write is None:
                continue
            archive = Path(folder) / f"{key}.zip"
            export_times = timed("export", partial(export_project, project, key, archive))
            other = create_empty_project(f"from-{key}")
            if format_.names_coders:  # tables, which contain no texts
                import_files(other, HEADLINE, from_folder, files / "coder1", coder_from="nobody")
            import_times = timed("import", partial(import_files, other, key, from_zip, archive))
            figures[key] = {"label": format_.label, **import_times, **export_times}
    return figures


def write_many(path: Path, format_key: str, texts: int) -> None:
    """Write a zip of many small texts of 60 words; but for texts alone ten markables each, by one coder."""
    words = SENTENCE.split()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        small = (
            [*(words[(number + place) % len(words)] for place in range(60)), str(number)] for number in range(texts)
        )
        if format_key == "jsonlines":
            clusters = [[[place, place] for place in range(first, 60, 12)] for first in (1, 7)]
            with archive.open("ann/all.jsonl", "w") as lines:
                for number, text in enumerate(small):
                    record = {"doc_key": f"t{number:06}", "sentences": [text], "clusters": clusters}
                    lines.write(f"{json.dumps(record)}\n".encode())
            return
        for number, text in enumerate(small):
            if format_key == "text":
                archive.writestr(f"t{number:06}.txt", " ".join(text))
                continue
            chains = [f"({place % 12})" if place % 6 == 1 else "-" for place in range(len(text))]
            rows = [f"t 0 {place} {text[place]} - - - - - - - - {chain}" for place, chain in enumerate(chains)]
            lines_of_text = ["#begin document (t); part 000", *rows, "", "#end document", ""]
            archive.writestr(f"ann/t{number:06}.conll", "\n".join(lines_of_text))


def measure_streams(texts: int) -> dict[str, Any]:
    """Return peak memory and times of checking, importing and exporting many small texts, each in a process."""
    migrate()
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for format_key in STREAMED:
            path = Path(folder) / f"{format_key}.zip"
            write_many(path, format_key, texts)
            figures[format_key] = run_in(os.environ, stream, path, format_key)
    return figures


def stream(path: Path, format_key: str) -> dict[str, float]:
    """Return the figures of one format in this process, which has done nothing else."""
    project = create_empty_project(f"many-{format_key}")
    coder_from = "nobody" if format_key == "text" else "parent"
    bring = partial(import_files, project, format_key, from_zip, path, coder_from=coder_from)
    figures: dict[str, float] = {"idle_mb": round(peak_mb(), 1)}
    figures |= timed("check", partial(bring, trial=True)) | timed("import", bring)
    if format_key != "text":  # without codings nothing is exported
        figures |= timed("export", partial(export_project, project, format_key, path.with_suffix(".out")))
    return figures | {"peak_mb": round(peak_mb(), 1)}


def report(figures: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of the tables."""
    yield from (conditions("django"), "")
    rows = [
        (database, *((figures[database]["why"], "") if "why" in figures[database] else cells(figures[database])))
        for database in DATABASES
    ]
    yield from table(("database", "import", "export"), rows)
    if "formats" in figures:
        yield from ("", "### Every format", "")
        yield from table(
            ("format", "import", "export"),
            [(of_format["label"], *cells(of_format)) for of_format in figures["formats"].values()],
        )
    if figures["streams"]:
        yield from ("", "### Many texts", "")
        rows = [
            (
                database,
                f"{int(number):,}",
                key,
                f"{of_format['peak_mb']:.0f} ({of_format['idle_mb']:.0f})",
                *cells(of_format, "check", "import", "export"),
            )
            for number, of_databases in figures["streams"].items()
            for database, formats in of_databases.items()
            if "why" not in formats
            for key, of_format in formats.items()
        ]
        yield from table(("database", "texts", "format", "peak, MB", "check", "import", "export"), rows)


def cells(figures: dict[str, Any], *names: str) -> list[str]:
    """Return the seconds of each piece of work, and in brackets those in which the process itself computed."""
    return [
        f"{figures[f'{name}_seconds']:.2f} ({figures[f'{name}_own_seconds']:.2f})"
        if f"{name}_seconds" in figures
        else ""
        for name in names or ("import", "export")
    ]


def main(arguments: list[str] | None = None) -> None:
    """Print the figures."""
    parser = make_parser("formats", __doc__)
    parser.add_argument("--all", action="store_true", help="also every other format, with a tenth of the texts")
    parser.add_argument("--texts", type=int, default=TEXTS)
    parser.add_argument(
        "--many", type=int, nargs="*", default=[1000], help="numbers of small texts of which the memory is measured"
    )
    options = parser.parse_args(arguments)
    figures: dict[str, Any] = {name: run_on(name, measure, options.texts) for name in DATABASES}
    if options.all:
        figures["formats"] = run_on("sqlite", measure_formats, max(options.texts // SHARE, 1))
    figures["streams"] = {
        str(number): {name: run_on(name, measure_streams, number) for name in DATABASES} for number in options.many
    }
    publish(options, figures, report(figures))


if __name__ == "__main__":
    main()
