"""What coders do in tests: judge, close gold, or write from another connection."""

from collections.abc import Callable
from threading import Thread
from uuid import uuid4

from django.db import connections

from annotations.coding import operations, status
from annotations.models import Coding


def change(kind: str = "judge", **payload: object) -> operations.Change:
    return operations.Change(uuid4(), kind, payload)


def judgement(markable: str, category: str | None, *pointers: str, **more: object) -> operations.Change:
    """Return the change by which one markable is judged."""
    return change(markable=markable, category=category, pointers=list(pointers), **more)


def judge(coding: Coding, markable: str, category: str | None, *pointers: str, **more: object) -> int:
    """Judge one markable as the coding's coder."""
    return judge_all(coding, [judgement(markable, category, *pointers, **more)])


def judge_all(coding: Coding, judgements: list[operations.Change]) -> int:
    """Judge several markables as the coding's coder, in one step: much quicker than one by one."""
    coding.refresh_from_db(fields=["version"])
    return operations.apply(coding, coding.coder, coding.version, judgements)


def judge_rest(coding: Coding, category: str = "none") -> int:
    """Give this category to the markables that came with the text and have none yet: gold closes without a hole."""
    given = coding.text.markables.filter(predefined=True, level__coded=True)
    rest = given.exclude(judgements__in=coding.judgements.exclude(category=None))
    return judge_all(coding, [judgement(key, category) for key in rest.values_list("key", flat=True)])


def close_gold(gold: Coding) -> int:
    """Close gold as older versions did, which asked for no answers."""
    return status.set_status(gold, gold.coder, Coding.Status.SUBMITTED)


def in_another_connection(do: Callable[[], int]) -> int:
    """Call `do` at once in another connection, as another process would, and return its result."""
    found: list[int] = []

    def work() -> None:
        try:
            found.append(do())
        finally:
            connections.close_all()

    thread = Thread(target=work)
    thread.start()
    thread.join()
    [result] = found
    return result
