"""Active time computed from the times of changes."""

import random
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.db import connection, transaction

from annotations.coding import operations
from annotations.coding.active_time import active_time, count_active_time, read_worked_days
from annotations.models import Coding, Operation, Text
from tests.annotations.coding.conftest import count_steps
from tests.shared.coding import change, judge

NINE = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def at(*minutes):
    return [NINE + timedelta(minutes=minute) for minute in minutes]


@pytest.mark.parametrize(
    ("times", "expected"), [((0, 1, 4, 60, 62), 6), ((0, 5), 5), ((0, 5.1), 0), ((), 0), ((3,), 0)]
)
def test_pauses_longer_than_five_minutes_do_not_count(times, expected):
    assert active_time(at(*times)) == timedelta(minutes=expected)


def test_late_work_counts_at_its_own_time(codings, alice, keys):
    coding = codings["alice"]
    for label, made_at in zip("abc", at(0, 2, 3), strict=True):
        sent = change(markable=keys[label], category="none")
        operations.apply(
            coding, alice, coding.version, [operations.Change(sent.uuid, sent.kind, sent.payload, made_at=made_at)]
        )
        coding.refresh_from_db()
    assert coding.active_time == timedelta(minutes=3)


@pytest.mark.parametrize("seed", range(4))
def test_active_time_of_coding_equals_computation_from_log(codings, keys, seed):
    draw, coding = random.Random(seed), codings["alice"]
    times = []
    for step in range(30):
        times.append(NINE + timedelta(minutes=3 * step + draw.choice([0, 0, 1, -8, 20])))
        sent = change(markable=keys[draw.choice("abc")], category="none")
        timed = operations.Change(sent.uuid, sent.kind, sent.payload, made_at=times[-1])
        coding.version = operations.apply(coding, coding.coder, coding.version, [timed])
        coding.refresh_from_db()
        assert (coding.active_time, coding.last_active) == (active_time(times), max(times))
    count_active_time(Coding.objects.of_people().all())
    coding.refresh_from_db()
    assert (coding.active_time, coding.last_active) == (active_time(times), max(times))


def test_time_in_future_counts_as_server_time(codings, keys):
    coding = codings["alice"]
    sent = change(markable=keys["a"], category="none")
    ahead = operations.Change(sent.uuid, sent.kind, sent.payload, made_at=datetime(9999, 1, 1, tzinfo=UTC))
    coding.version = operations.apply(coding, coding.coder, 0, [ahead])
    coding.version = operations.apply(coding, coding.coder, 1, [change(markable=keys["b"], category="none")])
    coding.refresh_from_db()
    assert timedelta() < coding.active_time < timedelta(minutes=1)


def test_correction_by_manager_adds_no_active_time(codings, keys, charlie):
    coding = codings["alice"]
    judge(coding, keys["a"], "none")
    coding.refresh_from_db()
    before = coding.last_active
    operations.log_correction([coding], charlie, {"edits": []}, 1)
    coding.refresh_from_db()
    assert (coding.active_time, coding.last_active) == (timedelta(), before)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite counts the steps of a query")
def test_worked_days_take_linear_time(project, alice, bob):
    steps = {n: steps_of(project, n, [alice, bob]) for n in (20, 80)}
    assert steps[80] < 5 * steps[20]


def steps_of(project, n, coders) -> int:
    """Return the database steps, in hundreds, of reading the worked days of n texts by each coder."""
    with transaction.atomic():
        round_ = project.rounds.get(name="main")
        texts = Text.objects.bulk_create(Text(project=project, slug=f"n{i}", title="N", content="N") for i in range(n))
        codings = Coding.objects.bulk_create(
            Coding(text=text, coder=coder, round=round_, version=9) for text in texts for coder in coders
        )
        said = {"kind": "judge", "payload": {}, "made_at": NINE}
        Operation.objects.bulk_create(
            Operation(coding=coding, user=coding.coder, sequence=i + 1, uuid=uuid4(), **said)
            for coding in codings
            for i in range(9)
        )
        days: list[object] = []
        steps = count_steps(lambda: days.extend(read_worked_days(project)))
        transaction.set_rollback(True)
    assert len(days) == len(codings)
    return steps
