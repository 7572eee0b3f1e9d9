"""A task that never ends and blocks all threads and signals."""

import os
from itertools import chain

from django.tasks import task


@task()
def hang(sign: str) -> None:
    """Make a file and add up for hours, in one call of C: when the file is there, signals are not heard any more."""
    sum(chain(map(os.open, [sign], [os.O_CREAT]), range(10**14)))
