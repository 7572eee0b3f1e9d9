"""Delete expired data, such as ended sessions and finished tasks."""

from typing import Any

from django.core.management.base import BaseCommand

from annotations.transfers.pruning import prune


class Command(BaseCommand):
    help = "Delete what is over, such as ended sessions and finished tasks. The worker does it once a day."

    def handle(self, **options: Any) -> None:
        for name, number in prune().items():
            self.stdout.write(f"{name}: {number}")
