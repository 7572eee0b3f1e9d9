"""The reliability data matrix: units in rows, coders in columns, a label or a set in each cell."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ..extras import is_installed, require
from ..options import check_option
from ..results import pluralize
from ..values import Ints, Label, Readings, Value
from .arrays import factorize, run_offsets, sorted_unique
from .cells import MISSING, Cells, Content, Partition, unpack_readings
from .findings import find_lookalikes, find_odd_labels
from .tables import CsvFile, frame_table, map_documents, parse_records, read_frame, read_matrix

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class UnnamedCoder:
    """A coder of counts, whose judgements are not known."""

    number: int


MEMBERS = ("units", "labels")
MAX_COUNT = 1_000_000


@dataclass(frozen=True, eq=False, repr=False)
class ReliabilityData:
    """The answers of several coders to the same units: the input of every coefficient.

    Use `from_frame`, `from_values`, `from_chain_ids`, `from_records`, `from_counts`, `from_csv` or `from_matrix`. A
    value is a label (any hashable) or a frozenset of members: units, or other ids that are not coded themselves. None
    is a unit the coder did not code, which is neither a label nor the empty set. Sets of different documents never
    share a member.

    The cells are integers: see `Cells`.

    >>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 2], [2, 2]], documents=["a", "a", "a"])
    >>> data.to_frame().to_numpy().tolist()
    [[1, 2], [1, 3], [4, 3]]
    >>> [sorted(value) for value in data.values]
    [[0, 1], [0], [1, 2], [2]]
    """

    units: Sequence[Hashable]
    coders: Sequence[Hashable]
    documents: Sequence[Hashable]
    document_of_unit: Ints
    content: Content
    label_places: Mapping[Label, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.document_of_unit.flags.writeable = False

    def __repr__(self) -> str:
        shape = ", ".join(
            pluralize(len(things), noun)
            for things, noun in ((self.units, "unit"), (self.coders, "coder"), (self.documents, "document"))
        )
        return f"<ReliabilityData: {'; '.join([f'{shape}, {pluralize(self.n_values, "value")}', *self.notes])}>"

    def _repr_html_(self) -> str:
        """Return the counts and, where pandas is installed, the first rows of the canonical matrix."""
        rows = self.to_frame().head(10).to_html(na_rep="") if is_installed("pandas") else ""
        return f"<p>{escape(repr(self)[1:-1])}</p>{rows}"

    @classmethod
    def from_frame(cls, frame: "pd.DataFrame", documents: "pd.Series | None" = None, *, members: str = "units") -> Self:
        """Return data from a table: index = units, columns = coders, cell = label, set, or None/NaN (missing).

        A set is a frozenset, set or list; `Readings` are several sets, of which the coder chose none. `documents` is a
        Series from unit to document. Without it an index of two levels is of documents and units, a unit is named by
        both, and a member of a set is a unit of the same document; with one level everything is one document.
        `members="labels"` takes the members of sets for labels that mean the same in every document (several categories
        of one unit), not for units.

        Raises ValueError, naming the offender, for a unit that comes twice, is in two documents or in none, a cell
        that is neither label nor set, a member that sets of two documents share, and a table with one judgement a row.

        >>> import pandas as pd
        >>> frame = pd.DataFrame({"Ann": ["place", None], "Bob": ["none", "place"]}, index=["A", "B"])
        >>> ReliabilityData.from_frame(frame)
        <ReliabilityData: 2 units, 2 coders, 1 document, 2 values>
        """
        check_option("members", members, MEMBERS)
        return cls.from_values(*read_frame(frame, documents, members), members=members)

    @classmethod
    def from_counts(cls, counts: ArrayLike, categories: Sequence[Label] | None = None) -> Self:
        """Return data from an array (units, categories): how many coders gave a unit each category (Fleiss 1971).

        Who gave what is not known: coefficients that need it (`multi_kappa`, `cohen_kappa`, `beta`), and whatever
        leaves out or compares coders, raise ValueError. Units are named by their row number, and are of one document;
        `categories` by their column number unless they are given, or are the columns of a DataFrame. Raises ValueError
        for an array of another shape and for what is no count.

        >>> data = ReliabilityData.from_counts([[3, 0], [2, 1], [0, 2]], ["yes", "no"])
        >>> data
        <ReliabilityData: 3 units, 3 coders, 1 document, 2 values>
        >>> round(fleiss_kappa(data).value, 4)
        0.55
        """
        if categories is None:
            categories = list(getattr(counts, "columns", ())) or None
        table = np.asarray(counts)
        if table.ndim != 2:
            raise ValueError("the counts must be an array with two dimensions: units and categories")
        names = list(range(table.shape[1])) if categories is None else list(categories)
        if len(names) != table.shape[1]:
            raise ValueError(f"{table.shape[1]} columns of counts, {len(names)} categories")
        for row, column in np.argwhere(~((table >= 0) & (table <= MAX_COUNT) & (table == np.floor(table)))).tolist():
            raise ValueError(f"unit {row}, category {names[column]!r}: {table[row, column]} is no count")
        whole = table.astype(np.int64)
        n_coders = int(whole.sum(axis=1).max(initial=0))
        rows = [np.repeat(np.arange(len(names)), of_unit).tolist() for of_unit in whole]
        values = [[names[k] for k in given] + [None] * (n_coders - len(given)) for given in rows]
        coders = [UnnamedCoder(number) for number in range(n_coders)]
        return cls.from_values(range(len(rows)), coders, values, [None] * len(rows))

    @classmethod
    def from_values(
        cls,
        units: Sequence[Hashable],
        coders: Sequence[Hashable],
        values: Iterable[Sequence[Value | None]],
        documents: Sequence[Hashable],
        *,
        members: str = "units",
    ) -> Self:
        """Return data from rows: for each unit one value per coder (None = missing), and the unit's document.

        `members` as in `from_frame`. Raises ValueError, naming the offender, as `from_frame` does, and for a row of the
        wrong length.

        >>> ReliabilityData.from_values(["A", "B"], ["Ann", "Bob"], [["place", "none"], [None, "place"]], ["a", "a"])
        <ReliabilityData: 2 units, 2 coders, 1 document, 2 values>
        """
        check_option("members", members, MEMBERS)
        rows = list(values)
        if not len(units) == len(rows) == len(documents):
            raise ValueError(f"{len(units)} units, {len(rows)} rows of values, {len(documents)} documents")
        _check_unique(units, coders, documents)
        content = Cells.from_values(units, coders, rows, members)
        names, document_of_unit = factorize(documents)
        data = cls(tuple(units), tuple(coders), names, document_of_unit, content)
        check_members(data)
        return data

    @classmethod
    def from_chain_ids(cls, ids: ArrayLike, documents: "Sequence[Hashable] | Ints") -> Self:
        """Return data from an integer array (units, coders) of chain ids, -1 for missing.

        The value of a unit is the set of the units of its document to which the coder gave the same id.
        `documents` names the document of each unit; an array of integers is the fastest. Units and coders are
        named by their row and column number. Raises ValueError for an array of another shape or with other
        negative numbers, and where there is not one document per row.

        >>> ReliabilityData.from_chain_ids([[7, 1], [7, -1], [8, 1]], ["a", "a", "a"])
        <ReliabilityData: 3 units, 2 coders, 1 document, 3 values>
        """
        table = np.asarray(ids)
        if table.ndim != 2 or (table.size and not np.issubdtype(table.dtype, np.integer)):
            raise ValueError("the ids must be an array of integers with two dimensions: units and coders")
        if len(documents) != len(table):
            raise ValueError(f"{len(table)} rows of ids, {len(documents)} documents")
        if table.size and table.min() < MISSING:
            row, column = np.argwhere(table < MISSING)[0].tolist()
            raise ValueError(f"unit {row}, coder {column}: id {table[row, column]} is neither -1 nor an id")
        names, document_of_unit = factorize(documents)
        content = Partition.from_ids(table.astype(np.int64, copy=False), document_of_unit, len(names))
        return cls(range(len(table)), range(table.shape[1]), names, document_of_unit, content)

    @classmethod
    def from_records(
        cls,
        records: "pd.DataFrame",
        *,
        document: str | None = None,
        unit: str | Sequence[str] = "unit",
        coder: str = "coder",
        label: str | None = None,
        chain: str | None = None,
    ) -> Self:
        """Return data from a table with one judgement a row.

        Parameters
        ----------
        records : DataFrame
        document, unit, coder : str
            The columns that name text, unit and coder. `unit` may be several columns, such as document and number:
            its names are then tuples. Without `document` the column of this name is taken, and where there is none
            everything is one document.
        label, chain : str, optional
            The columns of categories and of chain ids; left out, those of these names, if there are such. The value of
            a row with a chain id is the set of the units of the document to which the coder gave the same id; of
            another row it is the label. A row with neither says only that the unit and the coder exist.

        Raises
        ------
        ValueError
            For a column that is not there, a judgement that comes twice, a unit in two documents, a row without a unit
            or coder, and fractions as names, which are names that were read as numbers (1.10 is then 1.1). The message
            names the row.

        Notes
        -----
        Names and labels are taken as they are: 1 and "1" are two. See `notes` for what looks like a mistake.

        Examples
        --------
        >>> import pandas as pd
        >>> records = pd.DataFrame({"unit": ["A", "B", "A", "B"], "coder": ["Ann", "Ann", "Bob", "Bob"],
        ...                         "chain": [1, 1, 1, 2]})
        >>> [sorted(value) for value in ReliabilityData.from_records(records).values]
        [['A', 'B'], ['A'], ['B']]
        """
        read = partial(frame_table, records, label or "label")
        return cls(*parse_records(read, document, unit, coder, label, chain))

    @classmethod
    def from_csv(
        cls,
        path: str | Path,
        *,
        document: str | None = None,
        unit: str | Sequence[str] = "unit",
        coder: str = "coder",
        label: str | None = None,
        chain: str | None = None,
    ) -> Self:
        """Return data from a CSV file with a header and one judgement a line.

        Parameters
        ----------
        path : str or Path
            A file in UTF-8, or with a byte order mark in UTF-16; compressed if it ends in .gz. Its columns are parted
            by commas, semicolons or tabs, as the header has them.
        document, unit, coder, label, chain : str, optional
            The columns, as in `from_records`.

        Raises
        ------
        ValueError
            As `from_records` does, and for what is no table. The message names the file and the line.

        Notes
        -----
        Names and labels are text as it stands, so that 1.1 and 1.10 are two; an empty cell is missing, and nothing else
        is. Where a coefficient needs numbers (`alpha` with "ordinal", "interval" or "ratio", weighted kappas) the
        labels are read as numbers. See `notes` for what looks like a mistake.

        Examples
        --------
        >>> from tempfile import NamedTemporaryFile
        >>> with NamedTemporaryFile("w", suffix=".csv") as file:
        ...     _ = file.write("unit,coder,label\\nA,Ann,place\\nA,Bob,none\\nB,Ann,none\\nB,Bob,none\\n")
        ...     file.flush()
        ...     ReliabilityData.from_csv(file.name)
        <ReliabilityData: 2 units, 2 coders, 1 document, 2 values>
        """
        try:
            fields = parse_records(lambda n: CsvFile(path, n).columns(n), document, unit, coder, label, chain)
            return cls(*fields[:-1], {name: f"{path}: {place}" for name, place in fields[-1].items()})
        except ValueError as error:
            raise ValueError(f"{path}: {error}")

    @classmethod
    def from_matrix(
        cls,
        path: str | Path,
        *,
        document: str | None = None,
        unit: str | None = None,
        raw: bool = False,
        members: str = "units",
    ) -> Self:
        """Return data from a CSV file with a row for each unit and a column for each coder.

        Parameters
        ----------
        path : str or Path
            A file as in `from_csv`.
        document, unit : str, optional
            What the columns are called that name text and unit: they are the first ones. Left out, they are "text" or
            "document", in any case, and "unit". Where there is no column of documents everything is one document.
        raw : bool
            By default an apostrophe before = + - @, a tab or a carriage return, which keeps spreadsheets from computing
            a cell, is taken away; raw: nothing is.
        members : {"units", "labels"}
            What the members of sets are: see `from_frame`.

        Raises
        ------
        ValueError
            For columns of other names, a row without document or unit or with other cells than the header, a unit that
            comes twice, and what is not a set. The message names the file and the line.

        Notes
        -----
        A cell is a label, a set `{a|b}` of units of the document or of others, readings `{a|b||c}` (a and b together,
        or c), or empty (missing). A backslash takes the meaning from a `|`, from itself, and from the beginning of a
        label that could be taken for a set. Names are text as it stands; a unit is named by document and unit.

        Examples
        --------
        >>> from tempfile import NamedTemporaryFile
        >>> with NamedTemporaryFile("w", suffix=".csv") as file:
        ...     _ = file.write("text,unit,Ann,Bob\\nwalk,A,{A|B},{A}\\nwalk,B,{A|B},none\\n")
        ...     file.flush()
        ...     ReliabilityData.from_matrix(file.name).to_frame().to_numpy().tolist()
        [[1, 2], [1, 3]]
        """
        check_option("members", members, MEMBERS)
        try:
            values, places = read_matrix(path, document, unit, raw=raw, members=members)
            data = cls.from_values(*values, members=members)
        except ValueError as error:
            raise ValueError(f"{path}: {error}")
        return replace(data, label_places={label: f"{path}: {place}" for label, place in places.items()})

    @cached_property
    def cache(self) -> dict[Hashable, Any]:
        """Computed sums over documents, by their options: data never change, and the sums are small."""
        return {}

    @cached_property
    def cells(self) -> Cells:
        """The values as labels and sets, in integers."""
        return self.content.to_cells()

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Suspicious entries: labels such as NA, and names that look alike.

        >>> ReliabilityData.from_values("AB", ["Ann", "Ann "], [["x", "x"], ["x", "NA"]], ["text"] * 2).notes[1]
        "coders 'Ann ' and 'Ann' are two: they differ only in outer blanks"
        """
        named = {"coder": self.coders, "document": self.documents, "unit": self.units}
        lookalikes = (note for noun, names in named.items() for note in find_lookalikes(noun, names))
        return *find_odd_labels(self.labels), *lookalikes

    @property
    def codes(self) -> Ints:
        """For each unit and coder the code of the value, -1 where it is missing."""
        return self.cells.codes

    @property
    def labels(self) -> tuple[Label, ...]:
        """The distinct labels; the code of one is its place here."""
        return self.cells.labels if isinstance(self.content, Cells) else ()  # other forms are of sets alone

    @property
    def has_sets(self) -> bool:
        """Whether any value is a set."""
        return not isinstance(self.content, Cells) or len(self.content.starts) > 1

    @property
    def members(self) -> str:
        """The kind of the members of sets: "units", or "labels" where sets are labels of all documents."""
        return "labels" if any(isinstance(label, frozenset) for label in self.labels) else "units"

    @property
    def n_values(self) -> int:
        """The number of distinct values."""
        return len(self.labels) + len(self.cells.starts) - 1

    @cached_property
    def values(self) -> tuple[Value, ...]:
        """The distinct values in the order of their integers in `to_frame`, which count from 1.

        Sets come first, compared member by member in the order of the units, a set that ends after one that
        goes on: the order of Passonneau 2004, Table 2. Labels follow in the order of first appearance.
        """
        return tuple(self.value(code) for code in self._canonical_order)

    def value(self, code: int) -> Value:
        """Return the label or set that a cell of `codes` stands for."""
        if code < len(self.labels):
            return self.labels[code]
        members, count, bits = self.cells.set_at(code - len(self.labels))
        names = list(map(self.member_name, members))
        return frozenset(names) if count == 1 else Readings(unpack_readings(count, names, bits))

    def member_name(self, member: int) -> Hashable:
        """Return the unit, or the other id, that a number in `cells.members` stands for."""
        n_units = len(self.units)
        return self.units[member] if member < n_units else self.cells.others[member - n_units]

    def of_documents(self, documents: Iterable[Hashable]) -> Self:
        """Return the data of some of the documents. Raises ValueError for an unknown one.

        >>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 2], [2, 2]], ["a", "a", "b"])
        >>> data.of_documents(["b"])
        <ReliabilityData: 1 unit, 2 coders, 1 document, 1 value>
        """
        chosen = dict.fromkeys(documents)
        for document in chosen:
            if document not in self.documents:
                raise ValueError(f"there is no document {document!r}")
        of_unit = [self.documents[number] for number in self.document_of_unit.tolist()]
        rows = [row for row, document in enumerate(of_unit) if document in chosen]
        values = [*map(self.value, range(self.n_values)), None]  # the last is read by -1, missing
        table = [[values[code] for code in self.codes[row].tolist()] for row in rows]
        units, names = [self.units[row] for row in rows], [of_unit[row] for row in rows]
        return type(self).from_values(units, self.coders, table, names, members=self.members)

    def clusters(self, coder: Hashable) -> dict[Hashable, list[frozenset[Hashable]]]:
        """Return the distinct sets that a coder gave, by document: a side of a coreference score.

        Units with a label, and those that the coder did not code, are in none; several readings are one set, of all
        their members. Raises ValueError for an unknown coder.

        >>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 2], [2, 2]], ["a", "a", "b"])
        >>> {text: [sorted(cluster) for cluster in found] for text, found in data.clusters(1).items()}
        {'a': [[0], [1]], 'b': [[2]]}
        """
        if coder not in self.coders:
            raise ValueError(f"there is no coder {coder!r} among {list(self.coders)}")
        codes = self.codes[:, self.coders.index(coder)]
        found: dict[Hashable, dict[Any, None]] = {document: {} for document in self.documents}
        for code, document in dict.fromkeys(zip(codes.tolist(), self.document_of_unit.tolist(), strict=True)):
            if code >= len(self.labels):
                value = self.value(code)
                found[self.documents[document]][value.members if isinstance(value, Readings) else value] = None
        return {document: list(sets) for document, sets in found.items()}

    def to_frame(self) -> "pd.DataFrame":
        """Return the canonical matrix: for each unit and coder the integer of the value, or <NA> (missing)."""
        require("pandas", "a DataFrame")
        import pandas as pd

        index = pd.Index(list(self.units), tupleize_cols=False)
        columns = pd.Index(list(self.coders), tupleize_cols=False)
        frame = pd.DataFrame(self.canonical_numbers, index=index, columns=columns).astype("Int64")
        return frame.mask(self.codes == MISSING)

    @property
    def canonical_numbers(self) -> Ints:
        """The integers of the canonical matrix, (units, coders); 0 where the value is missing."""
        number = np.zeros(self.n_values + 1, dtype=np.int64)  # the last place is read by -1, missing
        number[self._canonical_order] = np.arange(1, self.n_values + 1)
        return number[self.codes]

    @cached_property
    def _canonical_order(self) -> list[int]:
        end = len(self.units) + len(self.cells.others)

        def key(s: int) -> tuple[list[int], int, list[int]]:
            members, count, bits = self.cells.set_at(s)
            return [*members, end], count, bits

        sets = sorted(range(len(self.cells.starts) - 1), key=key)
        return [len(self.labels) + s for s in sets] + list(range(len(self.labels)))


def check_members(data: ReliabilityData) -> None:
    """Raise ValueError if a member belongs to two documents."""
    cells, n = data.cells, len(data.documents)
    rows, columns = np.nonzero(cells.codes >= len(cells.labels))
    if not len(rows) or n == 1:
        return
    key = (cells.codes[rows, columns] - len(cells.labels)) * n + data.document_of_unit[rows]
    sets, documents = np.divmod(sorted_unique(key), n)
    sizes = np.diff(cells.starts)[sets]
    members = np.concatenate(
        (cells.members[np.repeat(cells.starts[sets], sizes) + run_offsets(sizes)], np.arange(len(data.units)))
    )
    documents = np.concatenate((np.repeat(documents, sizes), data.document_of_unit))
    members, documents = np.divmod(sorted_unique(members * n + documents), n)
    twice = np.flatnonzero(members[1:] == members[:-1])
    if len(twice):
        first, second = (data.documents[d] for d in documents[twice[0] : twice[0] + 2].tolist())
        member = int(members[twice[0]])
        hint = "" if member < len(data.units) else '; of labels that documents share say members="labels"'
        raise ValueError(f"{data.member_name(member)!r} is in documents {first!r} and {second!r}{hint}")


def check_known_coders(data: ReliabilityData) -> None:
    """Raise ValueError for counts, whose coders are unknown."""
    if any(isinstance(coder, UnnamedCoder) for coder in data.coders):
        raise ValueError("these data are counts: which coder gave what is not known, and this needs it")


def _check_unique(units: Sequence[Hashable], coders: Sequence[Hashable], documents: Sequence[Hashable]) -> None:
    map_documents(units, documents)
    for noun, names in (("unit", units), ("coder", coders)):
        for name, n in Counter(names).items():
            if n > 1:
                raise ValueError(f"{noun} {name!r} comes twice")
