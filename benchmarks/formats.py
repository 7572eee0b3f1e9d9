"""Measure import and export of a large project: docs/benchmarks-formats.md."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotations.formats import FORMATS, plain
from annotations.formats.model.document import Answer
from benchmarks.data.documents import marked_text
from benchmarks.environment.command import conditions, make_parser, publish, table
from benchmarks.environment.processes import DATABASES, migrate, run_on

if TYPE_CHECKING:
    from annotations.models import Project
    from annotations.transfers.importing.files.sources import Source

TEXTS, CODERS, MARKABLES = 1000, 3, 80
# The other formats are measured with a tenth of the texts.
SHARE = 10
HEADLINE = "conll2012"
WORDS = 7  # as in LitBank
SINGLETONS = 0.2  # share of markables that are alone in their entity
ENTITIES = 12  # shared entities of a text; the first are the most frequent
CHANGED = 0.1  # share of a coder's markables whose entity differs from the shared one


def write_corpus(folder: Path, texts: int, coders: int, markables: int) -> None:
    """Write a folder for each coder with a file for each text."""
    draw, write = random.Random(1), FORMATS["conll2012"].write
    assert write is not None
    folders = [folder / f"coder{coder + 1}" for coder in range(coders)]
    for coder_folder in folders:
        coder_folder.mkdir(parents=True)
    for number in range(texts):
        text = marked_text(markables, seed=number, words=WORDS)
        document = plain.parse(text, f"text-{number:04}.txt")
        shared = [draw_entity(draw, position) for position in range(markables)]
        for coder_folder in folders:
            entities = [
                draw_entity(draw, position) if draw.random() < CHANGED else entity
                for position, entity in enumerate(shared)
            ]
            answers = [Answer(indices=(entity,)) for entity in entities]
            marks = [mark.with_answer(answer) for mark, answer in zip(document.marks, answers, strict=True)]
            [file] = write([replace(document, marks=marks)])
            (coder_folder / file.path).write_bytes(file.data)


def draw_entity(draw: random.Random, position: int) -> str:
    """Draw the entity of a markable: a new one, or one of a few, of which the first are the most frequent."""
    if draw.random() < SINGLETONS:
        return str(1000 + position)
    return str(min(int(draw.expovariate(0.3)), ENTITIES - 1))


def timed(name: str, work: Callable[[], object]) -> dict[str, float]:
    """Return the seconds of the work, and the processor seconds of this process."""
    start, cpu_start = time.perf_counter(), time.process_time()
    work()
    return {
        f"{name}_seconds": round(time.perf_counter() - start, 3),
        f"{name}_own_seconds": round(time.process_time() - cpu_start, 3),
    }


def from_folder(folder: Path) -> list[Source]:
    """Return the files of the corpus as the import command reads them."""
    from annotations.transfers.importing.files.sources import Source

    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return [Source(str(file.relative_to(folder)), file.read_bytes(), in_folder=True) for file in files]


def from_zip(path: Path) -> list[Source]:
    """Return the files of an export as the import page reads them."""
    from annotations.transfers.importing.files.sources import open_sources

    return open_sources([(path.name, path.open("rb"))])


def import_files(
    project: Project, format_key: str, read: Callable[[Path], list[Source]], path: Path, *, coder_from: str = "parent"
) -> None:
    """Read and import files. Raise RuntimeError if one is refused, which would make the figure worthless."""
    from annotations.transfers.importing.documents import import_sources
    from annotations.transfers.importing.options import ImportOptions

    report = import_sources(project, format_key, read(path), coder_from, ImportOptions(create=True, join=True))
    if report.failures or not (report.codings or coder_from == "nobody"):
        raise RuntimeError(f"{format_key}: {report}; {report.failures[:1]}")


def export_project(project: Project, format_key: str, path: Path) -> None:
    """Export the project to a zip on disk."""
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
    """Return the figures of every format that can be written; each imports its own export."""
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
            target = create_empty_project(f"from-{key}")
            if format_.names_coders:  # tables, which contain no texts
                import_files(target, HEADLINE, from_folder, files / "coder1", coder_from="nobody")
            import_times = timed("import", partial(import_files, target, key, from_zip, archive))
            figures[key] = {"label": format_.label, **import_times, **export_times}
    return figures


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


def cells(figures: dict[str, Any]) -> list[str]:
    """Return the seconds of import and export, with the processor seconds of the process in brackets."""
    names = ("import", "export")
    return [f"{figures[f'{name}_seconds']:.2f} ({figures[f'{name}_own_seconds']:.2f})" for name in names]


def main(arguments: list[str] | None = None) -> None:
    parser = make_parser("formats", __doc__)
    parser.add_argument("--all", action="store_true", help="also every other format, with a tenth of the texts")
    parser.add_argument("--texts", type=int, default=TEXTS)
    options = parser.parse_args(arguments)
    figures: dict[str, Any] = {name: run_on(name, measure, options.texts) for name in DATABASES}
    if options.all:
        figures["formats"] = run_on("sqlite", measure_formats, max(options.texts // SHARE, 1))
    publish(options, figures, report(figures))


if __name__ == "__main__":
    main()
