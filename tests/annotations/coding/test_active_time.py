"""Time at work, from the times of changes."""

import random
from datetime import UTC, datetime, timedelta

import pytest
from django.core.cache import caches

from annotations.coding import active_time as module
from annotations.coding import operations
from annotations.coding.active_time import active_seconds, active_time
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
