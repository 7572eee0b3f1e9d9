from typing import Any

from django.apps import AppConfig
from django.core.management import call_command
from django.db.models.signals import post_migrate


class AnnotationsConfig(AppConfig):
    name = "annotations"
    verbose_name = "Annotation"

    def ready(self) -> None:
        """Let `migrate` make the table of the shared cache, where the settings put it into the database."""
        post_migrate.connect(make_cache_table, sender=self)


def make_cache_table(using: str, **_: Any) -> None:
    """Make the tables of caches in this database that are not there yet."""
    call_command("createcachetable", database=using, verbosity=0)
