from typing import Any

from django.apps import AppConfig
from django.core.management import call_command
from django.db.models.signals import post_migrate


class AnnotationsConfig(AppConfig):
    name = "annotations"
    verbose_name = "Annotation"

    def ready(self) -> None:
        """Let `migrate` make the table of the shared cache, if the database has it, and register kinds of mails."""
        post_migrate.connect(make_cache_table, sender=self)
        # They import models, which are there by now.
        from annotations.coding.status import coding_submitted
        from annotations.mail import queue
        from annotations.planning.training import tell_managers
        from annotations.planning.work import work_mails
        from annotations.projects import mails
        from annotations.projects.people import accounts

        for module in (accounts, mails, work_mails, queue):
            module.register_kinds()
        coding_submitted.connect(tell_managers)


def make_cache_table(using: str, **_: Any) -> None:
    """Make the tables of caches in this database that are not there yet."""
    call_command("createcachetable", database=using, verbosity=0)
