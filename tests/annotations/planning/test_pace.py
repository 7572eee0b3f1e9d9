"""How fast the work goes, and when it is done."""

from datetime import date, timedelta

import pytest

from annotations.planning.pace import FEWEST_WORKED_DAYS, WORKED_DAYS, Pace, estimate_pace

TODAY = date(2026, 3, 20)


def ago(*days):
    return [TODAY - timedelta(days=number) for number in days]


def test_the_pace_is_judgements_by_days_of_the_calendar_and_the_end_is_when_the_rest_is_made():
    # twelve judgements from four days ago until today, one day without any
    pace = estimate_pace(ago(4, 4, 4, 3, 3, 3, 1, 1, 1, 0, 0, 0), 30, TODAY)
    assert pace == Pace(12, TODAY - timedelta(days=4), 5, 30, date(2026, 4, 2))  # 30 by 2.4 is 12.5 days
    assert pace.per_day == 2.4


def test_only_the_last_days_with_work_count():
    older = ago(*range(10, 10 + WORKED_DAYS))
    recent = ago(*range(1, 1 + WORKED_DAYS))
    assert estimate_pace([*older * 9, *recent], 1, TODAY) == estimate_pace(recent, 1, TODAY)


def test_an_idle_week_slows_the_pace_down():
    assert estimate_pace(ago(9, 8), 10, TODAY).finish > estimate_pace(ago(2, 1), 10, TODAY).finish


@pytest.mark.parametrize(
    ("days", "left"),
    [
        ([], 5),
        (ago(*[1] * 9), 5),  # one day
        (ago(40, 39, 38), 5),  # too long ago
        (ago(3, 2, 1), 0),
        (ago(20, 1), 10_000_000),
    ],
)
def test_where_nothing_can_be_said_there_is_none(days, left):
    assert FEWEST_WORKED_DAYS == 2
    assert estimate_pace(days, left, TODAY) is None
