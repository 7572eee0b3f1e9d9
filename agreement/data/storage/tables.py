"""What was computed of each text, in tables that are brought up to date row by row."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Buffer, Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress, count
from operator import is_not
from threading import Lock
from typing import Protocol, Self

import numpy as np

from agreement.data.storage.store import TableStore, is_stored, is_worth_storing
from agreement.data.storage.versions import find_versions, join_versions, split_versions
from agreement.measures.values import Ints

# Tables of a project in the memory of a process, and the bytes of their rows.
MOST_TABLES = 128
MOST_BYTES = 256_000_000


class TextVersion(Protocol):
    """A document in a state that its version names, which rows are computed of; equal are those of one state."""

    @property
    def pk(self) -> int:
        """The key of the document."""

    @property
    def version(self) -> tuple[int, int] | None:
        """The state of its codings and of the scheme; None where nothing is stored of it."""

    @property
    def root(self) -> TextVersion:
        """The document with all of its answers, of which this one may have a part."""

    @property
    def is_outdated(self) -> bool:
        """Whether its answers are newer than the version says."""

    def __hash__(self) -> int:
        """Return a hash by which equal ones are found."""


class TextRows(Protocol):
    """Something that has a row for each text, such as `TextSums`."""

    @property
    def documents(self) -> Sequence[Hashable]:
        """The keys of the documents."""

    @property
    def nbytes(self) -> int:
        """The bytes that the rows take."""

    def select(self, rows: Ints) -> Self:
        """Return some of the rows, in this order."""

    def exchange(self, rows: Ints, new: Self) -> Self:
        """Return the rows with those of `new` at some places, in ascending order, of the same documents."""

    @classmethod
    def concatenate(cls, parts: Sequence[Self]) -> Self:
        """Return the rows of all parts."""

    def to_bytes(self) -> bytes:
        """Return all of it as bytes."""

    @classmethod
    def from_bytes(cls, stored: Buffer) -> Self:
        """Return what was made bytes of. Raises ValueError for bytes of another form."""


@dataclass(frozen=True)
class _Table[R: TextRows]:
    """Rows, and the contents that they were computed of."""

    contents: list[TextVersion]
    rows: R

    @cached_property
    def places(self) -> dict[TextVersion, int]:
        """The place of the row of each content."""
        return {content: place for place, content in enumerate(self.contents)}

    @cached_property
    def nbytes(self) -> int:
        """The bytes that the rows take."""
        return self.rows.nbytes

    def select(self, contents: list[TextVersion]) -> R:
        """Return the rows of some contents, all of which the table has."""
        if contents == self.contents:
            return self.rows
        return self.rows.select(np.array([self.places[content] for content in contents], dtype=np.int64))

    def replace(self, contents: list[TextVersion], places: Sequence[int], new: R) -> _Table[R]:
        """Return the table of as many contents that has new rows at some places, and these rows at the others."""
        return _Table(contents, self.rows.exchange(np.array(places, dtype=np.int64), new))


class TextTables:
    """The tables of a project: of answers that are read in one way, by name."""

    def __init__(self, store: TableStore | None = None) -> None:
        self.store = store
        self._tables: OrderedDict[Hashable, _Table[TextRows]] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._tables)

    def __bool__(self) -> bool:
        return True

    def read[R: TextRows](
        self,
        name: tuple[Hashable, ...],
        form: type[R],
        contents: list[TextVersion],
        compute: Callable[[list[int]], R],
        *,
        present: Callable[[], list[TextVersion]],
        shared: bool,
    ) -> R:
        """Return the rows of some contents, at least one: those that the table lacks are computed, by their places.

        `present` returns all contents that there are now: the rows of others are dropped where some are added.
        `shared`: the table is read from the database where this process has none, and written there.
        """
        key = (form, name)
        with self._lock:
            table: _Table[R] | None = self._tables.get(key)  # type: ignore[assignment]
        if table is None and shared:
            table = self._load(name, form, present())
        if table is not None and len(table.contents) == len(contents):
            missing = list(compress(count(), map(is_not, table.contents, contents)))
            if 0 < len(missing) < len(contents) and self._are_new(table, contents, missing):
                table = table.replace(contents, missing, compute(missing))
                if shared:
                    self._save(name, table, len(missing))
                missing = []
            elif missing:
                missing = self._find_missing(table, contents)
        else:
            missing = self._find_missing(table, contents)
        if missing:
            new = _Table([contents[place] for place in missing], compute(missing))
            table = self._merge(table, new, present())
            if shared:
                self._save(name, table, len(missing))
        assert table is not None
        with self._lock:
            self._tables[key] = table  # type: ignore[assignment]
            self._tables.move_to_end(key)
            self._drop_oldest()
        return table.select(contents)

    def _drop_oldest(self) -> None:
        """Drop the tables that were not read for longest, where there are too many; the newest one stays."""
        taken = sum(table.nbytes for table in self._tables.values())
        while len(self._tables) > MOST_TABLES or (taken > MOST_BYTES and len(self._tables) > 1):
            taken -= self._tables.popitem(last=False)[1].nbytes

    @staticmethod
    def _find_missing[R: TextRows](table: _Table[R] | None, contents: list[TextVersion]) -> list[int]:
        if table is None:
            return list(range(len(contents)))
        return [place for place, content in enumerate(contents) if content not in table.places]

    @staticmethod
    def _are_new[R: TextRows](table: _Table[R], contents: list[TextVersion], places: Sequence[int]) -> bool:
        """Return whether at these places there are later states of the same documents."""
        return all(table.contents[place].pk == contents[place].pk for place in places)

    @staticmethod
    def _merge[R: TextRows](table: _Table[R] | None, new: _Table[R], present: list[TextVersion]) -> _Table[R]:
        """Return a table with new rows, in the order of the contents that there are."""
        known = [content for content in present if table and content in table.places]
        rows = new.rows
        if table and known:
            rows = type(rows).concatenate([table.select(known), rows])
        joined = _Table([*known, *new.contents], rows)
        here = [content for content in present if content in joined.places]
        order = here if len(here) == len(joined.contents) else joined.contents
        return _Table(order, joined.select(order))

    def _load[R: TextRows](
        self, name: tuple[Hashable, ...], form: type[R], present: list[TextVersion]
    ) -> _Table[R] | None:
        """Return those rows of the stored table that are of the versions that there are now."""
        stored = self.store.load((form.__name__, *name)) if self.store and is_stored(len(present)) else None
        if stored is None:
            return None
        try:
            versions, rest = split_versions(stored)
            rows = form.from_bytes(rest)
        except ValueError:  # stored by another version of the program
            return None
        found, places = find_versions(rows.documents, versions, [(one.pk, one.version) for one in present])
        if not len(found):
            return None
        contents = present if len(found) == len(present) else [present[place] for place in found.tolist()]
        is_whole = len(places) == len(rows.documents) and bool((np.diff(places) == 1).all())
        return _Table(contents, rows if is_whole else rows.select(places))

    def _save[R: TextRows](self, name: tuple[Hashable, ...], table: _Table[R], n_new: int) -> None:
        if self.store is None or not is_worth_storing(n_new, len(table.contents)):
            return
        versions = [one.version for one in table.contents if one.version and not one.root.is_outdated]
        if len(versions) < len(table.contents):
            return
        content = join_versions(versions, table.rows.to_bytes())
        self.store.save((type(table.rows).__name__, *name), content)
