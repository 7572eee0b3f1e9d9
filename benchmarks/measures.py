"""How fast the measures are, and beside whom: `make bench`, or python -m benchmarks.measures --json.

Each figure is of a process of its own: the median time of some runs after the imports, on data that are in memory
(or in a file), and the peak of memory over what the imports took. Peers get the same data in the form that they take.
"""

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from benchmarks.data.documents import as_sets, documents, prefixes, write_csv

if TYPE_CHECKING:
    from agreement.measures import DocumentSums

REPLICATES = 1000
TIMEOUT = 300  # seconds, for one figure of a peer
MEMORY = 8 << 30  # bytes, for one figure of a peer
GROWTH = (10_000, 100_000, 1_000_000, 10_000_000, 20_000_000)
PEERS = (1_000, 3_000, 10_000, 30_000)
OVERLAPPING = (10_000, 100_000, 300_000)
TEXTS = (1_000, 4_000)
OF_TEXT = (80, 3)  # markables and coders of each of so many texts: 240 judgements
PACKAGES = ("numpy", "pandas", "scipy", "nltk", "krippendorff", "simpledorff")
ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Figure:
    """Seconds and megabytes of one task, or why there is none; `processor` is the part of the time that it ran."""

    seconds: float | None
    peak_mb: float | None
    why: str = ""
    processor: float | None = None

    def __str__(self) -> str:
        return self.why if self.seconds is None else f"{shown(self.seconds)}, {self.peak_mb:.0f} MB"


def shown(seconds: float | None) -> str:
    """Return a time in a unit that fits."""
    if seconds is None:
        return ""
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def cells(figure: Figure, judgements: int) -> str:
    """Return time, peak and time per judgement, as cells of a table."""
    return f"{shown(figure.seconds)} | {figure.peak_mb:.0f} MB | {(figure.seconds or 0) / judgements * 1e6:.2f} µs"


# Tasks: each imports what it needs, prepares its data, and returns what is to be timed.


def arrays(judgements: int, coders: int) -> Callable[[], object]:
    """Return the task of alpha with all set distances and their bootstrap, from integer arrays."""
    from agreement.measures import ReliabilityData, alphas, bootstrap

    ids, document = documents(judgements, coders)
    return lambda: bootstrap(ReliabilityData.from_chain_ids(ids, document), alphas, n=REPLICATES)


def arrays_both(judgements: int, coders: int) -> Callable[[], object]:
    """Return the same task with the unit taken out of its sets, also in expected disagreement."""
    from agreement.measures import ReliabilityData, alphas, bootstrap

    ids, document = documents(judgements, coders)
    return lambda: bootstrap(ReliabilityData.from_chain_ids(ids, document), alphas, n=REPLICATES, exclude_unit="both")


def one_distance(judgements: int, coders: int) -> Callable[[], object]:
    """Return the task of alpha with MASI from integer arrays, without intervals, as peers compute it."""
    from agreement.measures import ReliabilityData, alpha

    ids, document = documents(judgements, coders)
    return lambda: alpha(ReliabilityData.from_chain_ids(ids, document), "masi").value


def python_sets(judgements: int, coders: int) -> Callable[[], object]:
    """Return the task of alpha with MASI, without intervals, from Python sets."""
    from agreement.measures import ReliabilityData, alpha

    ids, document = documents(judgements, coders)
    rows, texts = as_sets(ids, document), document.tolist()
    return lambda: alpha(ReliabilityData.from_values(range(len(rows)), range(coders), rows, texts), "masi").value


def overlapping(judgements: int, coders: int) -> Callable[[], object]:
    """Return the task of alpha with MASI from overlapping Python sets, with the unit taken out everywhere."""
    from agreement.measures import ReliabilityData, alpha

    rows, texts = prefixes(judgements, coders)

    def run() -> object:
        data = ReliabilityData.from_values(range(len(rows)), range(coders), rows, texts)
        return alpha(data, "masi", exclude_unit="both").value

    return run


def csv_file(judgements: int, coders: int) -> Callable[[], object]:
    """Return the task from a CSV file to the printed table, with the bootstrap."""
    import pandas as pd  # the import is not what is measured

    from agreement.measures.__main__ import main

    path = Path(tempfile.mkdtemp()) / f"judgements-{pd.__version__}.csv"
    write_csv(path, *documents(judgements, coders))

    def run() -> object:
        with redirect_stdout(StringIO()) as out:
            assert main([str(path), "--replicates", str(REPLICATES)]) == 0
        return out.getvalue()

    return run


def sums_of_texts(judgements: int, coders: int) -> Callable[[], object]:
    """Return the task of the sums of each of many texts, with all set distances, from integer arrays."""
    from agreement.measures import ReliabilityData, documents_sums

    ids, document = documents(judgements, coders, markables=OF_TEXT[0])
    return lambda: documents_sums(ReliabilityData.from_chain_ids(ids, document))


def combination(judgements: int, coders: int) -> Callable[[], object]:
    """Return the task of alpha with all set distances from the sums of texts."""
    from agreement.measures import combine

    sums = cast(Mapping[str, Sequence["DocumentSums"]], sums_of_texts(judgements, coders)())
    return lambda: [combine(of_distance) for of_distance in sums.values()]


def bootstrap_of_texts(judgements: int, coders: int) -> Callable[[], object]:
    """Return the task of the bootstrap of all set distances from the sums of texts."""
    from agreement.measures import bootstrap_sums

    sums = cast(Mapping[str, Sequence["DocumentSums"]], sums_of_texts(judgements, coders)())
    return lambda: bootstrap_sums(sums, n=REPLICATES)


def jackknife_of_texts(judgements: int, coders: int) -> Callable[[], object]:
    """Return the task of the jackknife of all set distances from the sums of texts."""
    from agreement.measures import jackknife_sums

    sums = cast(Mapping[str, Sequence["DocumentSums"]], sums_of_texts(judgements, coders)())
    return lambda: [jackknife_sums(of_distance) for of_distance in sums.values()]


def nltk(judgements: int, coders: int) -> Callable[[], object]:
    """Return the task of alpha with MASI in NLTK."""
    from nltk.metrics import masi_distance
    from nltk.metrics.agreement import AnnotationTask

    rows = as_sets(*documents(judgements, coders))
    triples = [(str(coder), str(unit), value) for unit, row in enumerate(rows) for coder, value in enumerate(row)]
    return lambda: AnnotationTask(triples, distance=masi_distance).alpha()


def krippendorff(judgements: int, coders: int) -> Callable[[], object]:
    """Return the task of nominal alpha of numbers that stand for the sets: this peer has no set distance."""
    from krippendorff import alpha

    numbers: dict[frozenset[int], int] = {}
    rows = as_sets(*documents(judgements, coders))
    table = np.array([[numbers.setdefault(value, len(numbers)) for value in row] for row in rows]).T
    return lambda: float(alpha(reliability_data=table, level_of_measurement="nominal"))


def simpledorff(judgements: int, coders: int) -> Callable[[], object]:
    """Return the task of alpha with MASI in simpledorff, which takes the distance as an argument."""
    import pandas as pd
    from nltk.metrics import masi_distance
    from simpledorff import calculate_krippendorffs_alpha_for_df

    rows = as_sets(*documents(judgements, coders))
    records = [(unit, coder, value) for unit, row in enumerate(rows) for coder, value in enumerate(row)]
    frame = pd.DataFrame(records, columns=["unit", "coder", "value"])
    return lambda: calculate_krippendorffs_alpha_for_df(
        frame, experiment_col="unit", annotator_col="coder", class_col="value", metric_fn=masi_distance
    )


TASKS: dict[str, Callable[[int, int], Callable[[], object]]] = {
    task.__name__: task
    for task in (
        *(arrays, arrays_both, one_distance, python_sets, overlapping, csv_file),
        *(sums_of_texts, combination, bootstrap_of_texts, jackknife_of_texts),
        *(nltk, krippendorff, simpledorff),
    )
}
# Threads of the library of linear algebra that wait for each other count as processor time.
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
# What is timed of many texts: the task, with what a table says of it.
OF_MANY_TEXTS = {
    "sums_of_texts": "`documents_sums`",
    "combination": "`combine`",
    "bootstrap_of_texts": f"`bootstrap_sums`, {REPLICATES:,} replicates",
    "jackknife_of_texts": "`jackknife_sums`",
}


def work(task: str, judgements: int, coders: int, runs: int) -> dict[str, float | str | None]:
    """Run a task in this process; return median seconds, peak megabytes above the start, and the value."""
    TASKS[task](2 * coders, coders)()  # everything is imported
    before = memory(reset=True)
    timed = TASKS[task](judgements, coders)
    memory(reset=True)  # the data count, and not what it took to make them up
    seconds, processor = [], []
    found: object = None
    for _ in range(runs):
        start, started = time.perf_counter(), time.process_time()
        found = timed()
        seconds.append(time.perf_counter() - start)
        processor.append(time.process_time() - started)
    value = found if isinstance(found, float) else None
    return {
        "seconds": statistics.median(seconds),
        "processor_seconds": statistics.median(processor),
        "peak_mb": (memory() - before) / 1024,
        "value": value,
    }


def memory(*, reset: bool = False) -> int:
    """Return the most memory that this process had, in kilobytes; on Linux since the last reset."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    [line] = [line for line in status.read_text().splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1])


def measure(task: str, judgements: int, coders: int = 2, runs: int = 5) -> tuple[Figure, float | None]:
    """Run a task in a process of its own, and return its figure and the computed value."""
    command = [sys.executable, "-m", "benchmarks.measures", "--work", task, str(judgements), str(coders), str(runs)]
    limit = (lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))) if task in PACKAGES else None
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=os.environ | (ONE_THREAD if task in OF_MANY_TEXTS else {}),
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
            preexec_fn=limit,
        )
    except subprocess.TimeoutExpired:
        return Figure(None, None, f"over {TIMEOUT} s"), None
    if done.returncode:
        if "MemoryError" in done.stderr:
            return Figure(None, None, f"over {MEMORY >> 30} GB"), None
        if task in PACKAGES and "ModuleNotFoundError" in done.stderr:
            return Figure(None, None, "not installed"), None
        raise RuntimeError(f"{task} of {judgements} judgements failed:\n{done.stderr}")
    found = json.loads(done.stdout)
    return Figure(found["seconds"], found["peak_mb"], processor=found["processor_seconds"]), found["value"]


def key_figures(scale: float) -> dict[str, float | str | None]:
    """Return the figures that have a goal."""
    million, thirty = round(1_000_000 * scale), round(30_000 * scale)
    alpha, _ = measure("arrays", million)
    file, _ = measure("csv_file", million, runs=3)
    peer, theirs = measure("nltk", thirty, runs=1)
    own, ours = measure("one_distance", thirty)
    agree(theirs, ours)
    return {
        "alpha_1m_seconds": alpha.seconds,
        "alpha_1m_peak_mb": alpha.peak_mb,
        "csv_1m_seconds": file.seconds,
        "csv_1m_peak_mb": file.peak_mb,
        "nltk_30k_seconds": peer.seconds,
        "alpha_30k_seconds": own.seconds,
        "ratio_to_nltk_30k": peer.seconds / own.seconds if peer.seconds and own.seconds else None,
        "why": peer.why,
        **figures_of_texts(measure_texts(scale)),
    }


type FiguresOfTexts = Mapping[int, Mapping[str, Figure]]


def measure_texts(scale: float) -> FiguresOfTexts:
    """Return what is timed of so many texts, by their number and by task."""
    markables, coders = OF_TEXT
    return {
        texts: {task: measure(task, round(texts * scale) * markables * coders, coders)[0] for task in OF_MANY_TEXTS}
        for texts in TEXTS
    }


def figures_of_texts(figures: FiguresOfTexts) -> dict[str, float | None]:
    """Return the figures of many texts by their names in the JSON."""
    found = {}
    for texts, of_tasks in figures.items():
        for task, figure in of_tasks.items():
            found[f"{task}_{texts}_processor_seconds"] = figure.processor
            found[f"{task}_{texts}_peak_mb"] = figure.peak_mb
    return found


def report_texts(figures: FiguresOfTexts) -> Iterator[str]:
    """Yield the section on the sums of many texts."""
    markables, coders = OF_TEXT
    yield "## Sums of many texts"
    yield ""
    size = f"{markables} markables with {coders} coders, {markables * coders} judgements each"
    yield f"Texts of {size}, all six set distances: the"
    yield "sums of each text, from integer arrays, and what is made of sums. Processor time of one thread, which other"
    yield "programs change least; memory is the peak, with the sums that the process keeps."
    yield ""
    yield f"| {' | '.join(['', *(f'{texts:,} texts' for texts in figures)])} |"
    yield f"|---|{'---:|' * len(figures)}"
    for task, label in OF_MANY_TEXTS.items():
        found = [of_tasks[task] for of_tasks in figures.values()]
        yield f"| {' | '.join([label, *(f'{shown(one.processor)}, {one.peak_mb:.0f} MB' for one in found)])} |"


def agree(theirs: float | None, ours: float | None) -> None:
    """Raise RuntimeError if the peer computes another value: then its speed means nothing."""
    if theirs is not None and ours is not None and abs(theirs - ours) > 1e-9:
        raise RuntimeError(f"the peer computes {theirs}, and we {ours}")


def report(scale: float) -> Iterator[str]:
    """Yield the lines of the whole table in Markdown."""
    yield "# Benchmarks"
    yield ""
    yield "Written by `make bench`; do not edit. Synthetic documents from a fixed seed: 100 markables each, chains of 3"
    yield "in the mean, 10 % of each coder's answers changed. Times are medians of processes of their own, after the"
    yield "imports; memory is the peak above that of the imports, the data among it."
    yield ""
    yield f"Machine: {machine()}. {versions()}."
    yield ""
    yield "## One million judgements, and growth"
    yield ""
    yield f"All six set distances at once, each with a bootstrap of {REPLICATES:,} replicates over documents, from"
    yield "integer arrays; then the same with the unit taken out of its sets in observed and expected disagreement."
    yield ""
    yield '| judgements | coders | time | peak | per judgement | `exclude_unit="both"` |'
    yield "|---:|---:|---:|---:|---:|---:|"
    for judgements, coders in [*((n, 2) for n in GROWTH), (1_000_000, 3), (1_000_000, 5)]:
        n = round(judgements * scale)
        figure, _ = measure("arrays", n, coders, runs=5 if n <= 1_000_000 else 3)
        both, _ = measure("arrays_both", n, coders, runs=5 if n <= 1_000_000 else 3)
        yield f"| {n:,} | {coders} | {cells(figure, n)} | {shown(both.seconds)} |"
    yield ""
    yield "## From a file"
    yield ""
    million = round(1_000_000 * scale)
    file, _ = measure("csv_file", million, runs=3)
    yield f"`python -m agreement.measures` on a CSV file of {million:,} lines, from the open file to the printed table"
    yield f"with intervals: {file}."
    yield ""
    yield from report_texts(measure_texts(scale))
    yield ""
    yield "## Beside others"
    yield ""
    yield "Alpha with MASI of the same data without intervals, two coders; `krippendorff` has no set distance and"
    yield "computes nominal alpha of numbers that stand for the sets. Values are compared to 1e-9 before times are."
    yield ""
    yield "| judgements | here, from arrays | here, from Python sets | NLTK | simpledorff | krippendorff (nominal) |"
    yield "|---:|---:|---:|---:|---:|---:|"
    ratio = ""
    limits: dict[str, str] = {}
    for judgements in PEERS:
        n = round(judgements * scale)
        own, ours = measure("one_distance", n)
        sets, again = measure("python_sets", n)
        agree(again, ours)
        found = []
        for peer in ("nltk", "simpledorff", "krippendorff"):
            figure, theirs = Figure(None, None, "–"), None
            if peer not in limits:
                figure, theirs = measure(peer, n, runs=1)
            if figure.why:
                limits[peer] = figure.why
            if peer != "krippendorff":
                agree(theirs, ours)
            if peer == "nltk" and own.seconds and figure.seconds:
                ratio = f"At {n:,} judgements NLTK takes {figure.seconds / own.seconds:,.0f} times as long."
            found.append(figure)
        yield f"| {n:,} | {own} | {sets} | {' | '.join(map(str, found))} |"
    yield ""
    yield ratio
    yield ""
    yield "## Sets that overlap"
    yield ""
    yield 'Partial chains (what precedes in the chain), MASI, `exclude_unit="both"`, two coders, from Python sets: sets'
    yield "of one coder overlap, so that the general way is taken. It is linear in the pairs of sets that overlap."
    yield ""
    yield "| judgements | time | peak | per judgement |"
    yield "|---:|---:|---:|---:|"
    for judgements in OVERLAPPING:
        n = round(judgements * scale)
        figure, _ = measure("overlapping", n, runs=3)
        yield f"| {n:,} | {cells(figure, n)} |"


def machine() -> str:
    """Return processor, cores, memory and system, without names."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    model = next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine()
    )
    gigabytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    return f"{model}, {os.cpu_count()} cores, {gigabytes:.0f} GB, {platform.system()}"


def versions() -> str:
    """Return the versions of Python and of the compared packages."""
    found = [f"Python {platform.python_version()}"]
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"{package} not installed")
    return ", ".join(found)


def main(arguments: list[str] | None = None) -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="only the figures that have a goal, as one JSON object")
    parser.add_argument("--write", type=Path, help="write the table to this file too")
    parser.add_argument("--scale", type=float, default=1.0, help="multiply all sizes, to try it out")
    parser.add_argument("--work", nargs=4, metavar=("TASK", "JUDGEMENTS", "CODERS", "RUNS"), help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.work:
        task, judgements, coders, runs = asked.work
        print(json.dumps(work(task, int(judgements), int(coders), int(runs))))
    elif asked.json:
        print(json.dumps(key_figures(asked.scale) | {"machine": machine(), "versions": versions()}, indent=2))
    else:
        lines = []
        for line in report(asked.scale):
            print(line, flush=True)
            lines.append(line)
        if asked.write:
            asked.write.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
