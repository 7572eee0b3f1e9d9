"""Progress, cancellation and completion of jobs."""

from contextlib import nullcontext

import pytest
from django.db import transaction

from annotations.core.processes.progress import Cancelled, progress_recorder, report_completion
from annotations.models import Transfer
from tests.shared.coding import in_another_connection
from tests.shared.projects import person

STATE = Transfer.State


@pytest.fixture
def running(transactional_db) -> Transfer:
    return Transfer.objects.create(
        user=person("charlie"), kind="restore", format="project", choices={}, state=STATE.RUNNING, total=1
    )


def rows(transfer: Transfer):
    return Transfer.objects.filter(pk=transfer.pk, state=STATE.RUNNING)


def numbers(transfer: Transfer) -> tuple[int, int]:
    transfer.refresh_from_db()
    return transfer.done, transfer.total


def test_progress_is_written_at_intervals_and_at_completion(running):
    progress = progress_recorder(rows(running))
    progress(1, 9)
    progress(2, 9)
    assert numbers(running) == (1, 9)
    report_completion(progress, 9)
    assert numbers(running) == (9, 9)
    report_completion(progress_recorder(rows(running)), 0)  # also of nothing it can be said that it is complete
    assert numbers(running) == (1, 1)
    report_completion(None, 3)  # who asked for no reports gets none


@pytest.mark.parametrize("in_transaction", [False, True])
def test_cancelled_job_stops_at_next_report(running, in_transaction):
    progress = progress_recorder(rows(running))
    in_another_connection(lambda: rows(running).update(state=STATE.FAILED))
    with transaction.atomic() if in_transaction else nullcontext(), pytest.raises(Cancelled):
        progress(1, 9)


def test_progress_is_not_written_inside_transaction(running):
    """A cancellation need not wait for the end of the transaction."""
    with transaction.atomic():
        progress_recorder(rows(running))(1, 9)
    assert numbers(running) == (0, 1)
    with transaction.atomic():
        report_completion(progress_recorder(rows(running)), 9)
        transaction.set_rollback(True)
    assert numbers(running) == (0, 1)  # what is taken back is not called complete
