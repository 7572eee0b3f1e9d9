"""Time at work, from the times of changes."""

import itertools
import random
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.core.cache import caches
from django.db import connection, transaction

from annotations.coding import active_time as module
from annotations.coding import operations
from annotations.coding.active_time import active_seconds, active_time, read_worked_days
from annotations.models import Coding, Operation, Text
from tests.conftest import change

NINE = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def at(*minutes):
    return [NINE + timedelta(minutes=minute) for minute in minutes]


def test_pauses_do_not_count():
    assert active_time(at(0, 1, 4, 60, 62)) == timedelta(minutes=6)


def test_five_minutes_are_still_a_thought():
    assert active_time(at(0, 5)) == timedelta(minutes=5)
    assert active_time(at(0, 5.1)) == timedelta()


def test_one_change_or_none_took_no_time():
    assert active_time([]) == active_time(at(3)) == timedelta()


def test_work_that_was_sent_late_counts_when_it_was_done(codings, alice, keys):
    coding = codings["alice"]
    for label, made_at in zip("abc", at(0, 2, 3), strict=True):
        one = change(markable=keys[label], category="none")
        operations.apply(
            coding, alice, coding.version, [operations.Change(one.uuid, one.kind, one.payload, made_at=made_at)]
        )
        coding.refresh_from_db()
    assert active_seconds(coding) == 180


@pytest.mark.parametrize("seed", range(4))
def test_what_is_remembered_is_what_the_log_says(codings, keys, seed):
    draw, coding = random.Random(seed), codings["alice"]
    times = []
    for step in range(12):
        times.append(NINE + timedelta(minutes=3 * step + draw.choice([0, 0, 1, -8, 20])))
        one = change(markable=keys[draw.choice("abc")], category="none")
        coding.refresh_from_db()
        timed = operations.Change(one.uuid, one.kind, one.payload, made_at=times[-1])
        operations.apply(coding, coding.coder, coding.version, [timed])
        if draw.random() < 0.7:
            assert active_seconds(coding) == active_time(times).total_seconds()
    coding.operations.filter(sequence=12).update(uuid=change().uuid, made_at=NINE)  # another log of the same length
    assert active_seconds(coding) == active_time([*times[:-1], NINE]).total_seconds()


def test_what_was_read_of_a_log_is_not_read_again(codings, keys, monkeypatch):
    coding, lengths, read = codings["alice"], [], module._changes_from
    monkeypatch.setattr(module, "_changes_from", lambda *place: lengths.append(len(rows := read(*place))) or rows)
    for number in range(1, 4):
        batch = [change(markable=keys[label], category="none") for label in "abcd"]
        operations.apply(coding, coding.coder, coding.version, batch)
        coding.refresh_from_db()
        active_seconds(coding)
        assert lengths.pop() == (4 if number == 1 else 5)
    active_seconds(coding)
    assert lengths == [1]
    caches["process"].clear()
    active_seconds(coding)
    assert lengths == [1, 12]


def test_a_clock_that_was_ahead_once_does_not_make_each_reading_begin_anew(codings, keys, monkeypatch):
    coding, lengths, read = codings["alice"], [], module._changes_from
    one = change(markable=keys["a"], category="none")
    operations.apply(
        coding,
        coding.coder,
        0,
        [operations.Change(one.uuid, one.kind, one.payload, made_at=datetime(9999, 1, 1, tzinfo=UTC))],
    )
    monkeypatch.setattr(module, "_changes_from", lambda *place: lengths.append(len(rows := read(*place))) or rows)
    for version in range(1, 4):
        operations.apply(coding, coding.coder, version, [change(markable=keys["b"], category="none")])
        assert active_seconds(coding) < 60
    assert lengths == [2, 2, 2]


@pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite counts the steps of a query")
def test_hours_of_four_times_as_many_texts_take_four_times_as_long(project, alice, bob):
    steps = {n: steps_of(project, n, [alice, bob]) for n in (20, 80)}
    assert steps[80] < 5 * steps[20]


def steps_of(project, n, coders) -> int:
    """Return how many hundreds of steps the hours of n texts, coded by each of the coders, take in the database."""
    with transaction.atomic():
        round_ = project.rounds.get(name="main")
        texts = Text.objects.bulk_create(
            [Text(project=project, slug=f"n{i}", title="N", content="N") for i in range(n)]
        )
        codings = Coding.objects.bulk_create(
            [Coding(text=text, coder=coder, round=round_, version=9) for text in texts for coder in coders]
        )
        Operation.objects.bulk_create(
            [
                Operation(
                    coding=one, user=one.coder, sequence=i + 1, uuid=uuid4(), kind="judge", payload={}, made_at=NINE
                )
                for one in codings
                for i in range(9)
            ]
        )
        count = itertools.count()
        connection.connection.set_progress_handler(lambda: next(count) < 0, 100)
        days = read_worked_days(project)
        connection.connection.set_progress_handler(None, 0)
        transaction.set_rollback(True)
    assert len(days) == len(codings)
    return next(count)


@pytest.mark.parametrize("clock", ["in order", "back at times"])
def test_a_process_that_knows_nothing_reads_no_more_of_a_long_log_than_came_since_the_time_was_stored(
    codings, keys, monkeypatch, clock
):
    coding, lengths, read = codings["alice"], [], module._changes_from
    monkeypatch.setattr(module, "STORED_EVERY", 20)
    draw, times = random.Random(1), []
    for number in range(75):
        back = draw.choice([0, 0, 0, 9]) if clock != "in order" else 0
        times.append(NINE + timedelta(minutes=number - back))
        one = change(markable=keys[draw.choice("abc")], category="none")
        timed = operations.Change(one.uuid, one.kind, one.payload, made_at=times[-1])
        coding.version = operations.apply(coding, coding.coder, coding.version, [timed])
    caches["process"].clear()
    monkeypatch.setattr(module, "_changes_from", lambda *place: lengths.append(len(rows := read(*place))) or rows)
    assert active_seconds(coding) == active_time(times).total_seconds()
    assert lengths[0] <= 20
    if clock == "in order":
        assert len(lengths) == 1
        coding.operations.filter(sequence=60).update(uuid=change().uuid)  # another log
        caches["process"].clear()
        assert active_seconds(coding) == active_time(times).total_seconds()
        assert lengths[1:] == [16, 75]
