"""Sums of data in parts, each computed by an executor."""

from collections.abc import Callable, Generator, Hashable, Iterable
from concurrent.futures import BrokenExecutor, Executor, Future, as_completed
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from sys import modules

from ..data.inputs import Data, as_data
from ..options import SumOptions
from ..sums.tables import tabulate
from ..sums.text_sums import TextSums
from .files import from_table, read_judgements
from .judgements import Columns, Judgements

type Part = str | Path | Data | Callable[[], str | Path | Data]
type _Compute = Callable[[Part], _Sums]
type _Outcome = tuple[int, str, _Sums | Exception]

# How many executors may break, one after the other, until the rest is given up.
MAX_EXECUTORS = 4


@dataclass(frozen=True, eq=False)
class PartReport:
    """The report of a part: its documents and pairable judgements, or why it was left out.

    `notes` says what looks like a mistake in the names of its units.
    """

    name: str
    n_documents: int = 0
    n_judgements: int = 0
    error: Exception | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class _Sums:
    """The sums of a part and the types of its columns, as the executor returns them, and the index of the part."""

    sums: TextSums
    kinds: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    place: int = 0
    name: str = ""


def over(
    parts: Iterable[Part],
    options: SumOptions,
    executor: Executor | Callable[[], Executor] | None = None,
    *,
    columns: Columns | None = None,
    report: Callable[[PartReport], object] | None = None,
    skip_errors: bool = False,
) -> TextSums:
    """Return the sums of all documents of data in parts: the same digits in any order and with any executor.

    A part is the path of a file (.parquet, .csv or .tsv) or a DataFrame with one judgement a row, whose columns are
    `columns`, and where a unit is what has one name in one document; or what other functions take as data:
    ReliabilityData, or a table with units in rows and coders in columns; or a callable without arguments that returns
    one of these, and is called where it is computed, as `partial(ReliabilityData.from_csv, path)`. Each document is
    wholly in one part.

    `executor` is any `concurrent.futures.Executor`: of processes, or `dask.distributed.Client(address).get_executor()`.
    It is handed all parts: give paths or callables where data would not fit into memory. Without one parts are computed
    here, one after the other. A callable that makes an executor (`partial(ProcessPoolExecutor, 4)`) is called again
    where one breaks, because a process was killed: what it had not computed is computed again, three times at most.

    `report` is called with each part once it is computed, in whatever order. What a part raises is raised, unless
    `skip_errors`: then the part is left out, and `report` is called with its error; for what two parts cannot both
    have, which is seen when all are computed, a second time with the later one.

    Documents, coders and labels are in the order of their names (`TextSums.sort`), and the digits are those of all data
    at once. `combine` makes alpha of them; `interval_sums`, `jackknife_sums` and `bootstrap_sums` give its intervals.

    Raises ValueError for a document that is in two parts, for parts whose columns hold text in one and numbers in the
    other, what reading a part raises, and BrokenExecutor for processes that were killed again and again.

    >>> ids, other = [[1, 1], [1, 2], [1, 1], [2, 1]], [[1, 2], [2, 2]]
    >>> parts = [ReliabilityData.from_chain_ids(other, "bb"), ReliabilityData.from_chain_ids(ids, "aacc")]
    >>> sums = over(parts, SumOptions(("nominal", "masi")))
    >>> sums.documents, combine(sums["masi"]).n_judgements
    (['a', 'b', 'c'], 12)
    >>> over(reversed(parts), sums.options) == sums
    True
    """
    computed: dict[int, _Sums] = {}
    conflicts = _Conflicts()
    tell = report or (lambda _: None)
    compute = partial(_compute_part, options, columns or Columns())
    with closing(_compute(parts, compute, executor)) as outcomes:  # what is not begun is cancelled if one is an error
        for place, name, outcome in outcomes:
            if isinstance(outcome, Exception):
                error: Exception | None = outcome
                told = PartReport(name, error=error)
            else:
                part = computed[place] = replace(outcome, place=place, name=name)
                error = None if skip_errors else conflicts.find(part)
                rows = part.sums.rows
                told = PartReport(name, len(rows), int(rows["n_judgements"].sum()), notes=part.notes)
            if error is not None and (not skip_errors or isinstance(error, ImportError)):
                raise error
            tell(told)
    sums = []
    for _, part in sorted(computed.items()):
        error = conflicts.find(part) if skip_errors else None
        if error is None:
            sums.append(part.sums)
        else:
            tell(PartReport(part.name, error=error))
    return TextSums.concatenate([TextSums.without_texts(options), *sums]).sort()


class _Conflicts:
    """Conflicts between parts: a document in two parts, or columns of different types."""

    def __init__(self) -> None:
        self._of_kind: dict[str, _Sums] = {}
        self._of_document: dict[Hashable, _Sums] = {}

    def find(self, part: _Sums) -> ValueError | None:
        """Return the conflict of a part with earlier ones, if there is one."""
        for role, kind in part.kinds.items():
            earlier = self._of_kind.setdefault(role, part) if kind else part
            if kind != earlier.kinds[role]:
                held = (f"{holder.kinds[role]} in {holder.name}" for holder in _in_order(earlier, part))
                return ValueError(f"the column of the {role} has {' and '.join(held)}")
        documents = part.sums.documents
        elsewhere = self._of_document.keys() & documents
        if elsewhere:
            document = next(document for document in documents if document in elsewhere)
            names = " and ".join(holder.name for holder in _in_order(self._of_document[document], part))
            return ValueError(f"document {document!r} is in two parts: {names}")
        self._of_document.update(dict.fromkeys(documents, part))
        return None


def _in_order(*parts: _Sums) -> list[_Sums]:
    return sorted(parts, key=lambda part: part.place)


def _compute_part(options: SumOptions, columns: Columns, part: Part) -> _Sums:
    """Return the sums of a part, where the executor runs it."""
    given = part() if callable(part) else part
    judgements = _read(given, columns)
    if not isinstance(judgements, Judgements):
        return _Sums(tabulate(as_data(judgements), options))
    try:
        data = judgements.to_data(numbers=options.of(options.distances[0]).ordered)
        return _Sums(tabulate(data, options), judgements.kinds, judgements.unit_notes)
    except ValueError as error:
        raise ValueError(f"{given}: {error}" if isinstance(given, str | Path) else str(error)) from error


def _read(part: str | Path | Data, columns: Columns) -> Data | Judgements:
    """Return the judgements of a file or table with one judgement a row; return other data unchanged."""
    if isinstance(part, str | Path):
        return read_judgements(part, columns)
    pandas = modules.get("pandas")
    named = {columns.document, *columns.units, columns.coder}
    if pandas is not None and isinstance(part, pandas.DataFrame) and named <= set(part.columns):
        return from_table(part, columns)
    return part


def _compute(
    parts: Iterable[Part], compute: _Compute, executor: Executor | Callable[[], Executor] | None
) -> Generator[_Outcome, None, None]:
    """Yield the index, the name and the outcome of each part, in the order of completion."""
    if executor is None:
        for place, part in enumerate(parts):
            yield place, _name_part(place, part), _try(partial(compute, part))
        return
    pending = dict(enumerate(parts))
    if isinstance(executor, Executor):
        yield from _compute_by(executor, pending, compute)
    else:
        for _ in range(MAX_EXECUTORS):
            with executor() as own:
                yield from _compute_by(own, pending, compute)
            if not pending:
                break
    if pending:
        names = [_name_part(place, part) for place, part in pending.items()]
        some = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        raise BrokenExecutor(f"processes were killed (too little memory?) before they had computed {some}")


def _compute_by(executor: Executor, pending: dict[int, Part], compute: _Compute) -> Generator[_Outcome, None, None]:
    """Yield the outcome of each part and remove it from `pending`; parts of a broken executor remain."""
    futures: dict[Future[_Sums], int] = {}
    try:
        for place, part in pending.items():
            futures[executor.submit(compute, part)] = place
    except BrokenExecutor:
        pass  # some are handed over, and will say the same
    try:
        for future in as_completed(futures):
            place = futures.pop(future)
            computed = _try(future.result)
            if not isinstance(computed, BrokenExecutor):
                yield place, _name_part(place, pending.pop(place)), computed
    finally:
        for future in futures:
            future.cancel()


def _try(compute: Callable[[], _Sums]) -> _Sums | Exception:
    """Return the sums, or the exception."""
    try:
        return compute()
    except Exception as error:
        return error


def _name_part(place: int, part: Part) -> str:
    return str(part) if isinstance(part, str | Path) else f"part {place + 1}"
