"""What the command line does with a corpus: processes or a cluster, progress, and files that cannot be used."""

import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from ..data.findings import find_lookalikes, find_odd_labels
from ..extras import require
from ..options import SumOptions
from ..sums.text_sums import TextSums
from .judgements import Columns
from .parts import PartReport, over


@dataclass(frozen=True)
class CorpusSums:
    """The sums of the documents of a corpus, the number of files that they are of, and the files left out.

    `notes` says what looks like a mistake in names.
    """

    sums: TextSums
    n_files: int
    left_out: tuple[PartReport, ...]
    notes: tuple[str, ...] = ()


def sum_files(
    files: Sequence[Path],
    options: SumOptions,
    columns: Columns,
    *,
    workers: int | None = None,
    cluster: str | None = None,
    skip_errors: bool = False,
    quiet: bool = False,
) -> CorpusSums:
    """Return the sums of files, with progress on a terminal: rate, time left, and each file that is left out.

    Raises ImportError, naming the extra, where a package is missing, OSError for a cluster that does not answer, and as
    `over` does.
    """
    require("tqdm", "the progress of a corpus")
    from tqdm import tqdm

    left_out: list[PartReport] = []
    notes: list[str] = []
    n_judgements = 0
    with (
        open_executor(workers, cluster) as executor,
        tqdm(total=len(files), unit=" files", disable=True if quiet else None, file=sys.stderr) as bar,
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

        sums = over(files, options, executor, columns=columns, report=tell, skip_errors=skip_errors)
    names = (("coder", sums.coders), ("document", sums.documents))
    notes += [note for noun, given in names for note in find_lookalikes(noun, given)]
    return CorpusSums(sums, len(files) - len(left_out), tuple(left_out), (*find_odd_labels(sums.labels), *notes))


@contextmanager
def open_executor(
    workers: int | None = None, cluster: str | None = None
) -> Iterator[Executor | Callable[[], Executor] | None]:
    """Give what `over` takes: of so many processes, of the Dask cluster at an address, or None for this process."""
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
