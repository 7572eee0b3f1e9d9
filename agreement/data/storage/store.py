"""The rows of the database that have what was computed of texts, and when they are written and deleted."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable
from dataclasses import dataclass
from itertools import accumulate

from django.db import transaction
from django.db.models.functions import Length
from django.utils import timezone

from agreement.models import StoredSums
from annotations.core.database.locks import DatabaseBusy, refuse_busy_database, try_sqlite_write_lock

# To be raised where the same answers come to have other sums: stored tables are then computed again. Where one table
# comes to have other rows, it takes another name.
FORM = 2
# Tables of a project that are stored: under one set of options those of ten coders, each two of them, all but each and
# of the pages are some 70.
MOST_STORED = 128
# and the bytes that all of them take: of 5,000 texts the items under one set of options take some 12 MB.
MOST_BYTES = 256_000_000
# Fewer texts are read as quickly as what is stored of them.
LEAST_TEXTS = 50
# Where fewer than one text in so many has changed, reading them again costs less than to write the table.
LEAST_SHARE = 50


@dataclass(frozen=True, slots=True)
class TableStore:
    """The stored tables of a project, of answers that were read in one way: its `reading`."""

    project: int
    reading: str

    def load(self, name: tuple[Hashable, ...]) -> bytes | None:
        """Return what was stored under a name, as bytes. One query."""
        row = StoredSums.objects.filter(project=self.project, key=self._key(name)).values_list("content", flat=True)
        content = row.first()
        return None if content is None else bytes(content)

    def load_several(self, names: list[tuple[Hashable, ...]]) -> dict[tuple[Hashable, ...], bytes]:
        """Return what was stored under each name that has anything. One query."""
        by_key = {self._key(name): name for name in names}
        rows = StoredSums.objects.filter(project=self.project, key__in=by_key).values_list("key", "content")
        return {by_key[key]: bytes(content) for key, content in rows}

    def save(self, name: tuple[Hashable, ...], content: bytes) -> bool:
        """Store bytes under a name, and delete the oldest tables where there are too many. Return whether it was done.

        Nobody waits for it: where somebody else writes to SQLite it is left for the next look. Of two who write at once
        the last one stands: each row of a table says of which version it is, so that an older table is only less use.
        """
        row = StoredSums(project_id=self.project, key=self._key(name), content=content, stored_at=timezone.now())
        try:
            with try_sqlite_write_lock() as is_free:
                if not is_free:
                    return False
                with refuse_busy_database(), transaction.atomic():
                    StoredSums.objects.bulk_create(
                        [row],
                        update_conflicts=True,
                        unique_fields=["project", "key"],
                        update_fields=["content", "stored_at"],
                    )
                    rows = StoredSums.objects.filter(project=self.project).order_by("-stored_at", "-pk")
                    sizes = list(rows.values_list("pk", Length("content")))
                    until = accumulate(size for _, size in sizes)
                    old = [
                        pk
                        for place, ((pk, _), size) in enumerate(zip(sizes, until, strict=True))
                        if place >= MOST_STORED or (place and size > MOST_BYTES)
                    ]
                    if old:
                        StoredSums.objects.filter(pk__in=old).delete()
        except DatabaseBusy:
            return False
        return True

    def _key(self, name: tuple[Hashable, ...]) -> str:
        return hashlib.blake2b(repr((FORM, self.reading, name)).encode(), digest_size=16).hexdigest()


def is_stored(n_texts: int) -> bool:
    """Return whether tables of so many texts are stored at all."""
    return n_texts >= LEAST_TEXTS


def is_worth_storing(n_new: int, n_texts: int) -> bool:
    """Return whether so many new rows of a table are worth writing all of it."""
    return is_stored(n_texts) and n_new * LEAST_SHARE >= n_texts
