"""Measure the speed of the measures against other packages: `make bench`, or python -m benchmarks.measures --json."""

import resource
import signal
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import partial
from io import StringIO
from pathlib import Path

import numpy as np

from agreement.measures import ReliabilityData, alpha, alphas, bootstrap
from agreement.measures.__main__ import main as measure_file
from benchmarks.data.documents import as_sets, documents, write_csv
from benchmarks.environment.command import conditions, machine, make_parser, publish, table, versions
from benchmarks.environment.processes import in_new_process

REPLICATES = 1000
TIMEOUT = 300  # seconds for one figure of another package
MEMORY = 8 << 30  # bytes for one figure of another package
GROWTH = (10_000, 100_000, 1_000_000, 10_000_000, 20_000_000)
PEERS = (1_000, 3_000, 10_000, 30_000)
PACKAGES = ("numpy", "pandas", "scipy", "nltk", "krippendorff", "simpledorff")


@dataclass(frozen=True)
class Figure:
    """Seconds and megabytes of one task, or the reason why there are none."""

    seconds: float | None
    peak_mb: float | None
    why: str = ""

    def __str__(self) -> str:
        return self.why if self.seconds is None else f"{shown(self.seconds)}, {self.peak_mb:.0f} MB"


def shown(seconds: float | None) -> str:
    """Return a time in a suitable unit."""
    if seconds is None:
        return ""
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


# Tasks: each prepares its data, and returns the function to time.


def arrays(judgements: int, coders: int, exclude_unit: str = "none") -> Callable[[], object]:
    """Return the task of alpha with all set distances and their bootstrap, from integer arrays."""
    ids, document = documents(judgements, coders)
    return lambda: bootstrap(
        ReliabilityData.from_chain_ids(ids, document), alphas, n=REPLICATES, exclude_unit=exclude_unit
    )


def one_distance(judgements: int, coders: int) -> Callable[[], object]:
    """Return the task of alpha with MASI from integer arrays, without intervals, as other packages compute it."""
    ids, document = documents(judgements, coders)
    return lambda: alpha(ReliabilityData.from_chain_ids(ids, document), "masi").value


def python_sets(judgements: int, coders: int) -> Callable[[], object]:
    """Return the task of alpha with MASI, without intervals, from Python sets."""
    ids, document = documents(judgements, coders)
    rows, texts = as_sets(ids, document), document.tolist()
    return lambda: alpha(ReliabilityData.from_values(range(len(rows)), range(coders), rows, texts), "masi").value


def csv_file(judgements: int, coders: int) -> Callable[[], object]:
    """Return the task from a CSV file to the printed table, with the bootstrap."""
    import pandas as pd  # exclude the import from the time

    path = Path(tempfile.mkdtemp()) / f"judgements-{pd.__version__}.csv"
    write_csv(path, *documents(judgements, coders))

    def run() -> object:
        with redirect_stdout(StringIO()) as out:
            assert measure_file([str(path), "--replicates", str(REPLICATES)]) == 0
        return out.getvalue()

    return run


def nltk(judgements: int, coders: int) -> Callable[[], object]:
    """Return the task of alpha with MASI in NLTK."""
    from nltk.metrics import masi_distance
    from nltk.metrics.agreement import AnnotationTask

    rows = as_sets(*documents(judgements, coders))
    triples = [(str(coder), str(unit), value) for unit, row in enumerate(rows) for coder, value in enumerate(row)]
    return lambda: AnnotationTask(triples, distance=masi_distance).alpha()


def krippendorff(judgements: int, coders: int) -> Callable[[], object]:
    """Return the task of nominal alpha on numbers for the sets: this package has no set distance."""
    from krippendorff import alpha as nominal_alpha

    numbers: dict[frozenset[int], int] = {}
    rows = as_sets(*documents(judgements, coders))
    values = np.array([[numbers.setdefault(value, len(numbers)) for value in row] for row in rows]).T
    return lambda: float(nominal_alpha(reliability_data=values, level_of_measurement="nominal"))


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
    "arrays": arrays,
    "arrays_both": partial(arrays, exclude_unit="both"),
    "one_distance": one_distance,
    "python_sets": python_sets,
    "csv_file": csv_file,
    "nltk": nltk,
    "krippendorff": krippendorff,
    "simpledorff": simpledorff,
}


def work(task: str, judgements: int, coders: int, runs: int) -> tuple[Figure, float | None]:
    """Run a task in this process; return its figure, with memory above the start, and the computed value."""
    if task in PACKAGES:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        signal.alarm(TIMEOUT)  # kills the process
    TASKS[task](2 * coders, coders)()  # import everything before timing
    before = memory(reset=True)
    timed = TASKS[task](judgements, coders)
    memory(reset=True)  # count the data, but not their generation
    seconds = []
    result: object = None
    for _ in range(runs):
        start = time.perf_counter()
        result = timed()
        seconds.append(time.perf_counter() - start)
    figure = Figure(statistics.median(seconds), (memory() - before) / 1024)
    return figure, result if isinstance(result, float) else None


def memory(*, reset: bool = False) -> int:
    """Return the peak memory of this process in kilobytes; on Linux since the last reset."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    [line] = [line for line in status.read_text().splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1])


def measure(task: str, judgements: int, coders: int = 2, runs: int = 5) -> tuple[Figure, float | None]:
    """Run a task in a new process, and return its figure and the computed value."""
    run = partial(in_new_process, work, task, judgements, coders, runs)
    if task not in PACKAGES:
        return run()
    try:
        return run()
    except BrokenProcessPool:
        why = f"over {TIMEOUT} s"
    except MemoryError:
        why = f"over {MEMORY >> 30} GB"
    except ModuleNotFoundError:
        why = "not installed"
    return Figure(None, None, why), None


def key_figures(scale: float) -> dict[str, float | str | None]:
    """Return the figures with a goal."""
    million, thirty = round(1_000_000 * scale), round(30_000 * scale)
    arrays_figure, _ = measure("arrays", million)
    file, _ = measure("csv_file", million, runs=3)
    peer, theirs = measure("nltk", thirty, runs=1)
    own, ours = measure("one_distance", thirty)
    agree(theirs, ours)
    return {
        "alpha_1m_seconds": arrays_figure.seconds,
        "alpha_1m_peak_mb": arrays_figure.peak_mb,
        "csv_1m_seconds": file.seconds,
        "csv_1m_peak_mb": file.peak_mb,
        "nltk_30k_seconds": peer.seconds,
        "alpha_30k_seconds": own.seconds,
        "ratio_to_nltk_30k": peer.seconds / own.seconds if peer.seconds and own.seconds else None,
        "why": peer.why,
    }


def agree(theirs: float | None, ours: float | None) -> None:
    """Raise RuntimeError if another package computes another value, which makes its speed meaningless."""
    if theirs is not None and ours is not None and abs(theirs - ours) > 1e-9:
        raise RuntimeError(f"the peer computes {theirs}, and we {ours}")


def report(scale: float) -> Iterator[str]:
    """Yield the lines of all tables."""
    yield from (conditions(*PACKAGES), "", "### One million judgements, and growth", "")
    rows: list[tuple[object, ...]] = []
    for judgements, coders in [*((n, 2) for n in GROWTH), (1_000_000, 3), (1_000_000, 5)]:
        n = round(judgements * scale)
        figure, both = (measure(task, n, coders, 5 if n <= 1_000_000 else 3)[0] for task in ("arrays", "arrays_both"))
        rate = f"{(figure.seconds or 0) / n * 1e6:.2f} µs"
        rows.append((f"{n:,}", coders, shown(figure.seconds), f"{figure.peak_mb:.0f} MB", rate, shown(both.seconds)))
    yield from table(("judgements", "coders", "time", "peak", "per judgement", '`exclude_unit="both"`'), rows, texts=0)
    million = round(1_000_000 * scale)
    file, _ = measure("csv_file", million, runs=3)
    yield from ("", f"A CSV file of {million:,} lines: {file}.", "")
    yield from ("### Beside others", "", *report_peers(scale))


def report_peers(scale: float) -> list[str]:
    """Return the table of other packages; a package that reached a limit is not run on larger data."""
    rows, limits, ratio = [], set[str](), ""
    for judgements in PEERS:
        n = round(judgements * scale)
        own, ours = measure("one_distance", n)
        sets, value = measure("python_sets", n)
        agree(value, ours)
        peers = dict.fromkeys(("nltk", "simpledorff", "krippendorff"), Figure(None, None, "–"))
        for peer in peers.keys() - limits:
            peers[peer], theirs = measure(peer, n, runs=1)
            if peers[peer].why:
                limits.add(peer)
            if peer != "krippendorff":
                agree(theirs, ours)
        if own.seconds and peers["nltk"].seconds:
            ratio = f"At {n:,} judgements NLTK takes {peers['nltk'].seconds / own.seconds:,.0f} times as long."
        rows.append((f"{n:,}", own, sets, *peers.values()))
    header = ("here, from arrays", "here, from Python sets", "NLTK", "simpledorff", "krippendorff (nominal)")
    return [*table(("judgements", *header), rows, texts=0), "", ratio]


def main(arguments: list[str] | None = None) -> None:
    parser = make_parser("measures", __doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="multiply all sizes, to try it out")
    options = parser.parse_args(arguments)
    figures = (
        key_figures(options.scale) | {"machine": machine(), "versions": versions(*PACKAGES)} if options.json else {}
    )
    publish(options, figures, report(options.scale))


if __name__ == "__main__":
    main()
