"""A configuration of gunicorn: SQLite's database may grow to as many pages as the file most-pages says.

The program itself runs as it is; a connection keeps no such bound beyond its end, so each is told.
"""

import os
from pathlib import Path
from typing import Any

MAX_PAGES = "most-pages"


def post_worker_init(worker: Any) -> None:
    """Limit the size of the database in each process that answers."""
    from django.db.backends.signals import connection_created  # gunicorn reads this before it reads the program

    connection_created.connect(_bound)


def _bound(connection: Any, **_: Any) -> None:
    path = Path(os.environ["DATA_DIR"], MAX_PAGES)
    if path.exists() and connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA max_page_count = {int(path.read_text())}")
