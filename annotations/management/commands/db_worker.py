"""The worker of django-tasks-db, which outlives a restart of the database."""

import logging
import time
from typing import Any

from django.db import InterfaceError, OperationalError, connections
from django_tasks_db.management.commands import db_worker

logger = logging.getLogger(__name__)

SECONDS_BETWEEN = 1.0


class Command(db_worker.Command):
    def handle(self, **options: Any) -> None:
        """Work, and begin again where the database went away. A batch ends then: who has started it waits for it."""
        while True:
            try:
                return super().handle(**options)
            except (OperationalError, InterfaceError) as error:
                if options["batch"]:
                    raise
                logger.warning("The database does not answer, the worker tries again: %s", error)
                connections.close_all()
                time.sleep(SECONDS_BETWEEN)
