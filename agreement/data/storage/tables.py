"""What was computed of each text, in tables that are brought up to date row by row."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Buffer, Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress, count, repeat
from operator import attrgetter, eq, is_not
from threading import Lock
from typing import Protocol, Self

import numpy as np

from agreement.data.storage.store import TableStore, is_stored, is_worth_storing
from agreement.data.storage.versions import Version, find_versions, join_versions, split_versions
from agreement.measures.values import Ints

# Tables of a project in the memory of a process, and the bytes of their rows.
MOST_TABLES = 128
MOST_BYTES = 256_000_000
# In place of a row, where a table has none.
NOWHERE = -1
_KEY = attrgetter("pk")


class TextVersion(Protocol):
    """A document in a state that its version names, which rows are computed of; equal are those of one state."""

    @property
    def pk(self) -> int:
        """The key of the document."""

    @property
    def version(self) -> Version | None:
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
    """Rows, and the contents that they were computed of: one of a document at most."""

    contents: list[TextVersion]
    rows: R

    @cached_property
    def place_of(self) -> dict[int, int]:
        """The place of the row of each document."""
        return dict(zip(map(_KEY, self.contents), count()))

    @cached_property
    def nbytes(self) -> int:
        """The bytes that the rows take."""
        return self.rows.nbytes

    def find(self, contents: list[TextVersion]) -> Ints:
        """Return the place of the row of each content; NOWHERE for those of which the table has none."""
        if contents == self.contents:
            return np.arange(len(contents))
        if len(contents) == len(self.contents):  # mostly they are the very same but for few
            others = list(compress(count(), map(is_not, contents, self.contents)))
            places = np.arange(len(contents))
            places[others] = self._find_each([contents[place] for place in others])
            return places
        return self._find_each(contents)

    def _find_each(self, contents: list[TextVersion]) -> Ints:
        places = list(map(self.place_of.get, map(_KEY, contents), repeat(NOWHERE)))
        # NOWHERE is the place of another document
        is_same = map(eq, map(self.contents.__getitem__, places), contents)
        return np.where(np.fromiter(is_same, np.bool_, len(contents)), places, NOWHERE)

    def select(self, places: Ints) -> R:
        """Return the rows at these places. Raises LookupError where one is NOWHERE."""
        if (places == NOWHERE).any():
            raise LookupError("the table has no row of a text: it is not among those that there are")
        is_whole = len(places) == len(self.contents) and bool((places == np.arange(len(places))).all())
        return self.rows if is_whole else self.rows.select(places)

    def exchange(self, contents: Sequence[TextVersion], new: R) -> _Table[R]:
        """Return the table with new rows of some of its documents, which are in these states now."""
        together = list(self.contents)
        places = np.array([self.place_of[content.pk] for content in contents], dtype=np.int64)
        for place, content in zip(places.tolist(), contents, strict=True):
            together[place] = content
        if (np.diff(places) < 0).any():
            order = np.argsort(places)
            places, new = places[order], new.select(order)
        exchanged = _Table(together, self.rows.exchange(places, new))
        exchanged.__dict__["place_of"] = self.place_of  # the same documents
        return exchanged


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
        places = table.find(contents) if table else np.full(len(contents), NOWHERE)
        missing = np.flatnonzero(places == NOWHERE).tolist()
        if missing:
            new = [contents[place] for place in missing]
            here = present()
            if table and self._lacks_only(table, new, here):
                table = table.exchange(new, compute(missing))
            else:
                table = self._merge(table, new, compute(missing), here)
            places = table.find(contents)
            if shared:
                self._save(name, table, len(missing))
        assert table is not None
        with self._lock:
            self._tables[key] = table  # type: ignore[assignment]
            self._tables.move_to_end(key)
            self._drop_oldest()
        return table.select(places)

    def _drop_oldest(self) -> None:
        """Drop the tables that were not read for longest, where there are too many; the newest one stays."""
        taken = sum(table.nbytes for table in self._tables.values())
        while len(self._tables) > MOST_TABLES or (taken > MOST_BYTES and len(self._tables) > 1):
            taken -= self._tables.popitem(last=False)[1].nbytes

    @staticmethod
    def _lacks_only[R: TextRows](table: _Table[R], new: list[TextVersion], here: list[TextVersion]) -> bool:
        """Return whether the table has the documents that there are, in their order, and states before `new` of these.

        Rows of other states than those that there are would not fit to the new ones: the scheme may have changed.
        """
        keys = {content.pk for content in new}
        if len(table.contents) != len(here) or not len(keys) == len(new) < len(here):
            return False
        places = list(compress(count(), map(is_not, table.contents, here)))
        of_others = [here[place].pk for place in places if table.contents[place].pk == here[place].pk]
        return len(places) == len(of_others) and keys == set(of_others)

    @staticmethod
    def _merge[R: TextRows](
        table: _Table[R] | None, contents: list[TextVersion], rows: R, here: list[TextVersion]
    ) -> _Table[R]:
        """Return the table with rows of contents that it lacks, in the order of the contents that there are.

        The rows of documents that there are no longer are dropped.
        """
        known, together = list[TextVersion](), rows
        if table is not None:
            places, new = table.find(here), {content.pk for content in contents}
            kept = [place for place, content in enumerate(here) if places[place] != NOWHERE and content.pk not in new]
            known = [here[place] for place in kept]
            together = type(rows).concatenate([table.select(places[kept]), rows]) if kept else rows
        joined = _Table([*known, *contents], together)
        places = joined.find(here)
        found = places != NOWHERE
        if np.count_nonzero(found) < len(joined.contents):  # some are there no longer
            return joined
        return _Table(list(compress(here, found.tolist())), joined.select(places[found]))

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
