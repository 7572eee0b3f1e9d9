"""How long coders work: from the times at which they changed something."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import pairwise

from django.db.models.functions import Coalesce

from annotations.models import Coding

LONGEST_THOUGHT = timedelta(minutes=5)


def time_at_work(moments: Iterable[datetime]) -> timedelta:
    """The time between changes that follow each other within five minutes; what is longer was a pause."""
    gaps = (later - earlier for earlier, later in pairwise(sorted(moments)))
    return sum((gap for gap in gaps if gap <= LONGEST_THOUGHT), timedelta())


def seconds_at_work(coding: Coding) -> int:
    """The time its coder has spent on the coding. Times are those of the coder's machine where it told them."""
    own = coding.operations.filter(user=coding.coder_id).annotate(moment=Coalesce("made_at", "applied_at"))
    return round(time_at_work(own.values_list("moment", flat=True)).total_seconds())
