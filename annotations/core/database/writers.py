"""Who is writing to tables at a moment.

PostgreSQL gives out keys before the rows that have them can be seen: of two who write at once, the one with the lower
key may be done later. Whoever reads a log by its keys has to know whether somebody may still bring a lower one. SQLite
lets one connection write at a time, so that its keys are in the order in which rows are seen.
"""

from __future__ import annotations

from django.db import connection, models

WRITERS = """
    SELECT virtualtransaction FROM pg_locks
    WHERE locktype = 'relation' AND mode = 'RowExclusiveLock' AND pid <> pg_backend_pid()
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND relation = ANY (%s::regclass[])
"""


def find_writers(*tables: type[models.Model]) -> frozenset[str]:
    """Return the transactions that have written to any of these tables and are not done; on SQLite none.

    Others than this one. A transaction has this lock before it is given a key.
    """
    if connection.vendor != "postgresql":
        return frozenset()
    with connection.cursor() as cursor:
        cursor.execute(WRITERS, [[connection.ops.quote_name(table._meta.db_table) for table in tables]])
        return frozenset(transaction for (transaction,) in cursor.fetchall())
