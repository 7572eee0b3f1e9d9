"""How fast a corpus in files becomes alpha, beside the sums alone: docs/benchmarks-corpus.md."""

import os
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from agreement.measures import Columns, Result, SumOptions, combine, documents_sums, over
from agreement.measures.corpora.files import read_judgements
from benchmarks.data.documents import documents
from benchmarks.environment.command import conditions, make_parser, publish, table
from benchmarks.environment.processes import in_new_process, peak_mb, seconds_of
from benchmarks.measures import ONE_THREAD

CODERS, MARKABLES, OF_FILE = 3, 80, 500_000
SIZE, REPEATS = 2_000_000, 5
# How the columns document, unit, coder and chain are made of the numbers of document d, unit u in it, coder c, chain h.
IN_TEXT = ("'text-' || d", "'m' || u", "'model-' || c", "'e' || h")
FORMS = {
    "text": IN_TEXT,
    "numbers": ("d", "u", "c", "h"),
    "long": ("'text-' || d", "'text-' || d || '-m' || u", "'model-' || c", "'text-' || d || '-e' || h"),
    "csv": IN_TEXT,
}
LABELS = {
    "text": "text",
    "numbers": "whole numbers",
    "long": "text; unit and chain with the document in their name",
    "csv": "text, CSV",
}


def write_files(folder: Path, judgements: int, form: str) -> list[Path]:
    """Write a corpus of so many judgements, and return its files."""
    import duckdb
    import pandas as pd

    ids, document = documents(judgements, CODERS, markables=MARKABLES)
    columns = ("document", "unit", "coder", "chain")
    selected = ", ".join(f"{one} as {name}" for one, name in zip(FORMS[form], columns, strict=True))
    files = []
    for number, chosen in enumerate(np.array_split(np.arange(document[-1] + 1), -(-judgements // OF_FILE))):
        units = np.flatnonzero((document >= chosen[0]) & (document <= chosen[-1]))
        numbers = {
            "d": np.repeat(document[units], CODERS),
            "u": np.repeat(units % MARKABLES, CODERS),
            "c": np.tile(np.arange(CODERS), len(units)),
            "h": ids[units].ravel(),
        }
        files.append(folder / f"{number:04}.{'csv' if form == 'csv' else 'parquet'}")
        with duckdb.connect() as connection:
            connection.register("rows", pd.DataFrame(numbers))
            connection.execute(f"copy (select {selected} from rows) to '{files[-1]}'")
    return files


def files_to_alpha(files: Sequence[Path], executor: Executor | None = None) -> list[Result]:
    """Return alpha with each distance."""
    return [combine(sums) for sums in over(files, SumOptions(), executor).values()]


def measure_alone(files: Sequence[Path], repeats: int) -> dict[str, float]:
    """Return the times of this process from files to alpha, and of the sums alone, for 10 million judgements."""
    files_to_alpha(files)  # everything is imported
    peak = peak_mb()
    data, judgements = [], 0
    for path in files:
        read = read_judgements(path, Columns())
        judgements += len(read)
        data.append(read.to_data())

    def sum_arrays() -> None:
        for one in data:
            one.cache.clear()
            documents_sums(one)

    sum_arrays()
    tasks = (partial(files_to_alpha, files), sum_arrays)
    times = [[seconds_of(task, time.process_time) for task in tasks] for _ in range(repeats)]
    seconds, kernel = (statistics.median(column) for column in zip(*times, strict=True))
    return {
        "seconds_per_10m": round(seconds / judgements * 1e7, 2),
        "kernel_seconds_per_10m": round(kernel / judgements * 1e7, 2),
        "ratio_to_kernel": round(statistics.median(a / b for a, b in times), 2),
        "peak_mb": round(peak),
    }


def measure_processes(files: Sequence[Path], repeats: int) -> dict[str, float]:
    """Return how many times as fast two processes are as one, both started, and the processor time that stays here."""
    start = partial(ProcessPoolExecutor, mp_context=get_context("spawn"))
    with start(1) as one, start(2) as two:
        for pool in (one, two):
            list(pool.map(warm_up, [files[0]] * 4))
        tasks = [partial(files_to_alpha, files, pool) for pool in (one, two)]
        times = [[seconds_of(task) for task in tasks] for _ in range(repeats)]
        own = min(seconds_of(tasks[1], time.process_time) for _ in range(repeats))
    alone, both = (min(column) for column in zip(*times, strict=True))
    return {"two_processes_speedup": round(alone / both, 2), "own_seconds": own}


def warm_up(path: Path) -> None:
    """Import everything and read a file; long enough for each process to get one."""
    files_to_alpha([path])
    time.sleep(0.5)


def measure(judgements: int, repeats: int) -> dict[str, Any]:
    """Return all figures."""
    forms = {}
    for form in LABELS:
        with tempfile.TemporaryDirectory() as folder:
            # CSV says nothing new at a size at which it takes long
            files = write_files(Path(folder), judgements if form != "csv" else judgements // 4, form)
            forms[form] = in_new_process(measure_alone, files, repeats, environment=os.environ | ONE_THREAD)
    with tempfile.TemporaryDirectory() as folder:
        files = write_files(Path(folder), judgements, "text")
        processes = measure_processes(files, repeats)
    adding_up = round(processes.pop("own_seconds") / judgements * 1e7, 2)
    own = {**processes, "adding_up_seconds_per_10m": adding_up, "judgements": judgements}
    return {**forms["text"], **own, "forms": forms}


def report(figures: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of the table, and what is said of several processes."""
    yield from (conditions("numpy", "pandas", "duckdb"), "")
    yield from (f"{figures['judgements']:,} judgements, of CSV a quarter:", "")
    rows = [
        (
            LABELS[form],
            f"{row['seconds_per_10m']:.1f} s",
            f"{row['kernel_seconds_per_10m']:.2f} s",
            f"{row['ratio_to_kernel']:.1f}",
            f"{row['peak_mb']:.0f} MB",
        )
        for form, row in figures["forms"].items()
    ]
    header = ("names in the columns", "files to alpha, 10 million", "sums alone", "ratio", "memory")
    yield from (*table(header, rows), "")
    times, load = figures["two_processes_speedup"], os.getloadavg()[0]
    own = figures["adding_up_seconds_per_10m"]
    yield f"Two processes are {times:.1f} times as fast as one, on {os.cpu_count()} cores with a load of {load:.0f};"
    yield f"{own:.2f} s of the work for 10 million judgements stay with the process that adds up."


def main(arguments: list[str] | None = None) -> None:
    """Print the figures."""
    parser = make_parser("corpus", __doc__)
    parser.add_argument("--judgements", type=int, default=SIZE, help=f"the size of the corpus (default: {SIZE:,})")
    parser.add_argument("--repeats", type=int, default=REPEATS)
    options = parser.parse_args(arguments)
    figures = measure(options.judgements, options.repeats)
    publish(options, figures, report(figures))


if __name__ == "__main__":
    main()
