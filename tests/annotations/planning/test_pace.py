"""Pace of coders and predicted end of the work."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.db.models import F
from django.utils import timezone

from annotations.coding.status import submit_coding
from annotations.models import Coding, Operation, Project
from annotations.planning.rounds import change_round, create_round
from annotations.planning.work.assignments import assign_texts
from annotations.planning.work.pace import MIN_WORKED_DAYS, WORKED_DAYS, Pace, estimate_pace, read_coder_paces
from annotations.planning.work.progress import read_progress_matrix
from tests.shared.coding import judge
from tests.shared.projects import person

TODAY = date(2026, 3, 20)


def ago(*days):
    return [TODAY - timedelta(days=number) for number in days]


def test_pace_counts_judgements_by_calendar_day_and_predicts_end():
    # twelve judgements from four days ago until today, one day without any
    pace = estimate_pace(ago(4, 4, 4, 3, 3, 3, 1, 1, 1, 0, 0, 0), 30, TODAY)
    assert pace == Pace(12, TODAY - timedelta(days=4), 5, 30, date(2026, 4, 2))  # 30 by 2.4 is 12.5 days
    assert pace.per_day == 2.4


def test_only_the_last_days_with_work_count():
    older = ago(*range(10, 10 + WORKED_DAYS))
    recent = ago(*range(1, 1 + WORKED_DAYS))
    assert estimate_pace([*older * 9, *recent], 1, TODAY) == estimate_pace(recent, 1, TODAY)


def test_idle_week_slows_pace():
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
def test_pace_is_empty_without_recent_work(days, left):
    assert MIN_WORKED_DAYS == 2
    assert estimate_pace(days, left, TODAY) is None


@pytest.fixture
def worked(large, settings) -> Project:
    """Let Ann judge three of twelve texts, each on another day: three judgements of two markables, 90 seconds apart."""
    settings.TIME_ZONE = "UTC"
    assign_texts(large, large.texts.all(), [person("ann"), person("ben")])
    codings = (
        Coding.objects.of_people().filter(coder=person("ann")).order_by("text__slug").select_related("text", "coder")
    )
    for coding, day in zip(codings[:3], (9, 4, 2), strict=True):
        first, second = coding.text.markables.order_by("start")
        for number, markable in enumerate((first, second, first)):
            judge(coding, markable.key, "none")
            moment = datetime(2026, 3, 20 - day, 12, tzinfo=UTC) + timedelta(seconds=90 * number)
            Operation.objects.filter(coding=coding, sequence=number + 1).update(applied_at=moment, made_at=None)
    return large


def test_coder_has_pace_per_hour_and_finish_date(worked, charlie):
    totals = {total.name: total for total in read_progress_matrix(worked, charlie, "", None, TODAY).totals}
    ann, ben = totals["ann"], totals["ben"]
    assert (ann.left, ben.left) == (18, 24)
    # Six markables in three times three minutes: the third change of each text is no new one.
    assert ann.pace.per_hour == pytest.approx(6 / 9 * 60)
    assert ann.pace.pace == estimate_pace(ago(9, 9, 4, 4, 2, 2), 18, TODAY)
    assert ben.pace is None
    assert ann.pace.pace.finish == TODAY + timedelta(days=30)  # 18 at 6 in ten days


def test_pace_of_a_round_counts_its_own_open_work(worked, charlie):
    second = create_round(worked, "second", copied=worked.rounds.get())
    assign_texts(worked, worked.texts.all(), [person("ann")], second)

    def ann(round_name=""):
        return read_progress_matrix(worked, charlie, round_name, None, TODAY).totals[0]

    assert (ann("second").left, ann("second").pace) == (24, None)
    assert (ann().left, ann().pace.pace.judgements) == (18 + 24, 6)
    change_round(worked.rounds.get(name="main"), closed=True)
    assert ann().left == 24
    for coding in Coding.objects.of_people().filter(round=second).select_related("text", "coder"):
        submit_coding(coding, coding.coder)
    assert ann().left == 0
    assert ann().pace.pace is None


def test_pace_uses_last_part_of_long_log(worked, monkeypatch, django_assert_num_queries):
    whole = read_coder_paces(worked, {"ann": 18}, TODAY)["ann"]
    monkeypatch.setattr("annotations.coding.active_time.MAX_RECENT", 6)
    with django_assert_num_queries(1):
        last = read_coder_paces(worked, {"ann": 18}, TODAY)["ann"]
    assert (whole.pace.judgements, last.pace.judgements) == (6, 4)
    assert last.pace == estimate_pace(ago(4, 4, 2, 2), 18, TODAY)
    assert read_coder_paces(worked, {"ann": 18}, TODAY + timedelta(days=60)) == {}


def test_page_shows_pace_of_coders(worked, charlie, signed_in):
    today = timezone.localdate()
    Operation.objects.update(applied_at=F("applied_at") + (today - TODAY))
    page = signed_in(charlie).get("/projects/large/").content.decode()
    assert '<td class="num">40</td>' in page
    assert f"{today + timedelta(days=30):%Y}</time>" in page
