"""A task that never ends, and keeps the interpreter for itself: no other thread and no signal gets a turn."""

from django.tasks import task


@task()
def hang() -> None:
    """Add up for hours."""
    sum(range(10**14))
