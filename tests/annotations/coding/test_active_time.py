"""Time at work, from the times of changes."""

from datetime import UTC, datetime, timedelta

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
