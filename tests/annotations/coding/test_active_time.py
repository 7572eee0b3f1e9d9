"""Time at work, from the times of changes."""

from datetime import UTC, datetime, timedelta

from annotations import operations
from annotations.timing import seconds_at_work, time_at_work
from tests.conftest import change

NINE = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def at(*minutes):
    return [NINE + timedelta(minutes=minute) for minute in minutes]


def test_pauses_do_not_count():
    assert time_at_work(at(0, 1, 4, 60, 62)) == timedelta(minutes=6)


def test_five_minutes_are_still_a_thought():
    assert time_at_work(at(0, 5)) == timedelta(minutes=5)
    assert time_at_work(at(0, 5.1)) == timedelta()


def test_one_change_or_none_took_no_time():
    assert time_at_work([]) == time_at_work(at(3)) == timedelta()


def test_work_that_was_sent_late_counts_when_it_was_done(codings, alice, keys):
    coding = codings["alice"]
    for label, made_at in zip("abc", at(0, 2, 3), strict=True):
        one = change(markable=keys[label], category="none")
        operations.apply(
            coding, alice, coding.version, [operations.Change(one.uuid, one.kind, one.payload, made_at=made_at)]
        )
        coding.refresh_from_db()
    assert seconds_at_work(coding) == 180
