"""The worker of django-tasks-db, made to survive a restart of the database."""

import logging
import time
from typing import Any

from django.db import InterfaceError, OperationalError, connections
from django_tasks_db.management.commands import db_worker

from annotations.core.memory import relaxed_garbage_collection

logger = logging.getLogger(__name__)

SECONDS_BETWEEN = 1.0


class Command(db_worker.Command):
    @relaxed_garbage_collection()
    def handle(self, **options: Any) -> None:
        """Run, and start again when the database connection is lost. A batch ends then, as its caller waits for it."""
        while True:
            try:
                return super().handle(**options)
            except (OperationalError, InterfaceError) as error:
                if options["batch"]:
                    raise
                logger.warning("The database does not answer, the worker tries again: %s", error)
                connections.close_all()
                time.sleep(SECONDS_BETWEEN)
