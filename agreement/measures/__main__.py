"""Agreement of files, on the command line: of judgements.csv, or 'corpus/*.parquet'."""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from glob import has_magic
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from .coefficients.alpha import alphas
from .coefficients.kappas import fleiss_kappa
from .corpora.files import PARQUET, find_files
from .corpora.judgements import Columns
from .corpora.parts import PartReport, over
from .data.findings import find_lookalikes, find_odd_labels
from .data.reliability_data import MEMBERS, ReliabilityData
from .extras import require
from .options import DISTANCES, EMPTY, EXCLUDE_UNIT, SET_DISTANCES, THIRDS, SumOptions
from .results import format_defined, pluralize
from .sums.text_sums import TextSums
from .uncertainty.bootstrap import bootstrap, bootstrap_sums
from .uncertainty.intervals import Interval
from .uncertainty.jackknife import interval, interval_sums


def main(arguments: Sequence[str] | None = None) -> int:
    """Print alpha with each distance, and K of categories, with intervals. Returns 2 for input that cannot be used."""
    options = _parser().parse_args(arguments)
    corpus = None
    try:
        if _is_corpus(options):
            corpus = _sum_corpus(options)
            intervals, notes = _corpus_intervals(options, corpus.sums), corpus.notes
        else:
            data = _data(options)
            intervals, notes = _file_intervals(options, data), data.notes
    except (ValueError, OSError, ImportError, BrokenExecutor) as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201
        return 2
    print((_json if options.json else _text)(intervals, corpus, notes))  # noqa: T201
    return 1 if corpus is not None and corpus.left_out else 0


def _file_intervals(options: argparse.Namespace, data: ReliabilityData) -> dict[str, Interval]:
    """Return the intervals of one file that is read as a whole."""
    conventions = {"exclude_unit": options.exclude_unit, "empty": options.empty, "thirds": options.thirds}
    distances = options.distance or (SET_DISTANCES if data.has_sets or data.members == "labels" else ("nominal",))
    estimate: Callable[..., Any] = partial(interval, level=options.level)
    if options.n is not None:
        estimate = partial(bootstrap, n=options.n, seed=options.seed, level=options.level)
    intervals = {f"alpha, {name}": figure for name, figure in estimate(data, alphas, distances, **conventions).items()}
    if not data.has_sets:
        intervals["K"] = estimate(data, fleiss_kappa)
    return intervals


def _is_corpus(options: argparse.Namespace) -> bool:
    """Return whether the files are read one by one: several files, a pattern, Parquet, or an executor."""
    [first, *others] = options.files
    asked = options.workers is not None or options.cluster is not None or options.on_error is not None
    return bool(asked or others or first.endswith(PARQUET) or (has_magic(first) and not Path(first).exists()))


@dataclass(frozen=True)
class _CorpusSums:
    """The sums of a corpus, the files included and excluded, and suspicious names."""

    sums: TextSums
    n_files: int
    left_out: tuple[PartReport, ...]
    notes: tuple[str, ...]


def _sum_corpus(options: argparse.Namespace) -> _CorpusSums:
    """Return the sums of the files, with progress on a terminal: rate, time left, and each file that is left out."""
    if options.matrix:
        raise ValueError("a corpus has one judgement a row: no --matrix")
    files, units = find_files(options.files), (options.unit or "unit").split(",")
    distances = tuple(options.distance or SET_DISTANCES)
    sum_options = SumOptions(distances, options.exclude_unit, options.empty, options.thirds)
    columns = Columns(options.document or "document", units, options.coder, options.chain, options.label)
    skip_errors = options.on_error == "skip"
    require("tqdm", "the progress of a corpus")
    from tqdm import tqdm

    left_out: list[PartReport] = []
    notes: list[str] = []
    n_judgements = 0
    with (
        _open_executor(options.workers, options.cluster) as executor,
        tqdm(total=len(files), unit=" files", disable=True if options.quiet else None, file=sys.stderr) as bar,
    ):

        def tell(part: PartReport) -> None:
            nonlocal n_judgements
            if part.error is not None:
                left_out.append(part)
                tqdm.write(f"left out: {part.error}", file=sys.stderr)
            n_judgements += part.n_judgements
            notes.extend(f"{part.name}: {note}" for note in part.notes)
            bar.set_postfix_str(f"{n_judgements:,} judgements", refresh=False)
            bar.update(bar.n < len(files))  # a part that is left out in the end comes a second time

        sums = over(files, sum_options, executor, columns=columns, report=tell, skip_errors=skip_errors)
    names = (("coder", sums.coders), ("document", sums.documents))
    notes += [note for noun, given in names for note in find_lookalikes(noun, given)]
    return _CorpusSums(sums, len(files) - len(left_out), tuple(left_out), (*find_odd_labels(sums.labels), *notes))


@contextmanager
def _open_executor(workers: int | None, cluster: str | None) -> Iterator[Executor | Callable[[], Executor] | None]:
    """Yield an executor for `over`: a pool of processes, a Dask cluster by its address, or None for this process."""
    if cluster is not None:
        require("distributed", "a Dask cluster")
        from distributed import Client

        with Client(cluster) as client:  # type: ignore[no-untyped-call]
            yield client.get_executor()
    elif workers is not None:
        # processes that begin anew have no threads of this one
        yield partial(ProcessPoolExecutor, workers, mp_context=get_context("spawn"))
    else:
        yield None


def _corpus_intervals(options: argparse.Namespace, sums: TextSums) -> dict[str, Interval]:
    if not options.distance and not sums.rows["n_sets"].any():
        sums = sums.select_distances(["nominal"])
    if options.n is not None:
        intervals = bootstrap_sums(sums, n=options.n, seed=options.seed, level=options.level)
    else:
        intervals = interval_sums(sums, level=options.level)
    return {f"alpha, {name}": figure for name, figure in intervals.items()}


def _data(options: argparse.Namespace) -> ReliabilityData:
    if options.matrix:
        columns = {"document": options.document, "unit": options.unit}
        return ReliabilityData.from_matrix(options.files[0], **columns, raw=options.raw, members=options.members)
    return ReliabilityData.from_csv(
        options.files[0],
        document=options.document,
        unit=(options.unit or "unit").split(","),
        coder=options.coder,
        label=options.label,
        chain=options.chain,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"python -m {__package__}", description=__doc__)
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="CSV with a header and one judgement per line, its columns parted by commas, semicolons or tabs; several"
        " files, a pattern such as 'corpus/*.csv', or Parquet are a corpus: each document is wholly in one file, and a"
        " unit has one name in its document",
    )
    columns = parser.add_argument_group("columns")
    columns.add_argument("--document", metavar="COLUMN", help="the text (default: document, if there is one)")
    columns.add_argument("--unit", metavar="COLUMN", help="the unit (default: unit); several columns with commas")
    columns.add_argument("--coder", metavar="COLUMN", default="coder")
    columns.add_argument("--chain", metavar="COLUMN", help="a chain's id: units with equal ids are the value")
    columns.add_argument("--label", metavar="COLUMN", help="a category: the value where there is no chain")
    corpus = parser.add_argument_group("corpora")
    where = corpus.add_mutually_exclusive_group()
    where.add_argument("--workers", type=_positive, metavar="N", help="so many processes (default: this one)")
    where.add_argument("--cluster", metavar="ADDRESS", help="a Dask cluster that has the files, by its scheduler")
    corpus.add_argument(
        "--on-error", choices=("stop", "skip"), help="at a file that cannot be used (default: stop); skipping returns 1"
    )
    corpus.add_argument("--quiet", action="store_true", help="show no progress (without a terminal there is none)")
    parser.add_argument(
        "--matrix", action="store_true", help="the file is a matrix: document (if any), unit, a column a coder"
    )
    parser.add_argument("--members", choices=MEMBERS, default="units", help="what the members of its sets are")
    parser.add_argument("--raw", action="store_true", help="its cells have no apostrophes for spreadsheets")
    parser.add_argument("--distance", action="append", choices=DISTANCES, help="may be given several times")
    parser.add_argument("--exclude-unit", choices=EXCLUDE_UNIT, default="none")
    parser.add_argument("--empty", choices=EMPTY, default="subset")
    parser.add_argument("--thirds", choices=THIRDS, default="exact")
    parser.add_argument(
        "--bootstrap",
        "--replicates",
        dest="n",
        metavar="N",
        type=int,
        help="take percentiles of so many bootstrap samples, not the jackknife",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the bootstrap")
    parser.add_argument("--level", type=float, default=0.95, help="of the intervals (default: 0.95)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return number


def _text(intervals: dict[str, Interval], corpus: _CorpusSums | None, notes: Sequence[str]) -> str:
    lines = []
    for name, figure in intervals.items():
        line = f"{name:<20} {format_defined(figure.value):>9}"
        if figure.low is not None and figure.high is not None:
            line += f"   {figure.level:.0%} {figure.low:z7.4f} to {figure.high:z7.4f}"
        lines.append(f"{line}   {figure.note}".rstrip())
    used = next(iter(intervals.values()))
    lines += ["", repr(used.result).strip("<>").partition(": ")[2], f"intervals: {used.describe_method()}"]
    if corpus is not None:
        left_out = f"; {len(corpus.left_out)} left out" if corpus.left_out else ""
        documents = pluralize(len(corpus.sums.documents), "document")
        lines.append(f"corpus: {documents} in {pluralize(corpus.n_files, 'file')}{left_out}")
    return "\n".join([*lines, *(f"note: {note}" for note in notes)])


def _json(intervals: dict[str, Interval], corpus: _CorpusSums | None, notes: Sequence[str]) -> str:
    answer: dict[str, Any] = {name: figure.to_dict() for name, figure in intervals.items()}
    if notes:
        answer["notes"] = notes
    if corpus is not None:
        left_out = [{"file": part.name, "error": str(part.error)} for part in corpus.left_out]
        n_documents = len(corpus.sums.documents)
        answer["corpus"] = {"documents": n_documents, "files": corpus.n_files, "files_left_out": left_out}
    return json.dumps(answer, indent=2, default=str)


if __name__ == "__main__":
    sys.exit(main())
