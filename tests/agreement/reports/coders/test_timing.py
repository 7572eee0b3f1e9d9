"""Times of judgements and judgements per day, against a log written by hand."""

from datetime import UTC, date, datetime, timedelta
from uuid import uuid4

import pytest
from django.http import QueryDict

from agreement.data.reading import read_answers
from agreement.reports.coders import profiles as timing
from agreement.reports.coders.profiles import count_days
from agreement.reports.parameters import Parameters
from agreement.results.coders.coders import Coders
from agreement.results.course import Course
from agreement.results.figures import sections
from annotations.coding.active_time import read_work
from annotations.coding.status import reopen_coding
from annotations.models import Coding, Operation, Project
from annotations.planning.rounds import move_to_round
from annotations.planning.work.remaining import Remaining, count_remaining
from annotations.texts.correction import correct_text
from annotations.texts.correction_plan import plan_correction
from tests.shared.agreeing import coding_of
from tests.shared.coding import judge
from tests.shared.letters import sorted_out
from tests.shared.work import work_by_text

MONDAY = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
CORRECTION = {"edits": [{"start": 0, "end": 0, "old": "", "new": "Oh, ", "segments": []}]}
FIVE = {"text-1": {"alice": "ppgpp", "bob": "ppppp"}, "text-2": {"alice": "pg", "bob": "pp"}}


@pytest.fixture(scope="module")
def rows(module_rows):
    """Make a project with known times of operations."""
    project = sorted_out(FIVE)
    set_times(project, "text-1", "alice", 0, 10, 30, 30 + 301, 30 + 301 + 60, 400)  # then the submission
    set_times(project, "text-1", "bob", 0, 5, 10, 15, 20, 25)
    set_times(project, "text-2", "alice", 86_400, 86_408, 86_420)
    set_times(project, "text-2", "bob", *[2 * 86_400] * 3)
    return project


@pytest.fixture
def project(rows, charlie):
    return Project.objects.get(pk=rows.pk)


def set_times(project, text, coder, *seconds):
    """Set the times of a coding's operations, in seconds after nine o'clock on the Monday."""
    coding = coding_of(text, coder, text__project=project)
    for operation, after in zip(coding.operations.order_by("sequence"), seconds, strict=True):
        moment = MONDAY + timedelta(seconds=after)
        Operation.objects.filter(pk=operation.pk).update(applied_at=moment, made_at=None)


def test_judgement_time_is_gap_before_it_without_pauses(project, charlie, django_assert_num_queries):
    with django_assert_num_queries(1):
        read_work(project)
    times = work_by_text(project).judgement_times
    pk = project.texts.get(slug="text-1").pk
    assert [time.seconds for time in times[pk, "alice"]] == [None, 10, 20, None, 60]
    coding = coding_of("text-1", "alice")
    reopen_coding(coding, charlie)
    judge(coding, coding.text.markables.order_by("start")[1].key, "group")
    set_times(project, "text-1", "alice", 0, 10, 30, 331, 391, 400, 86_400, 86_400)
    Operation.objects.filter(coding=coding, sequence=7).update(user=coding.coder)  # one's own reopening
    Operation.objects.filter(coding=coding, sequence=8).update(applied_at=MONDAY + timedelta(seconds=86_405))
    again = work_by_text(project).judgement_times[pk, "alice"]
    assert [time.seconds for time in again] == [None, 15, 20, None, 60]
    assert {time.day for time in again} == {date(2026, 3, 2)}  # a judgement is of the day on which it was first made


def test_text_correction_keeps_judgement_times(project, charlie):
    text, coding = project.texts.get(slug="text-1"), coding_of("text-1", "alice")
    reopen_coding(coding, charlie)
    content = f"Oh, {text.content}"
    correct_text(text, content, charlie, plan_correction(text, content).tag)
    judge(coding, coding.text.markables.order_by("start")[0].key, "group")
    assert len(work_by_text(project).judgement_times[text.pk, "alice"]) == 5


def test_text_correction_by_coder_is_no_coding_time(project):
    before, coding = work_by_text(project), coding_of("text-2", "alice")
    corrected = Operation.objects.create(
        coding=coding, sequence=9, uuid=uuid4(), kind="correct", payload=CORRECTION, user=coding.coder
    )
    Operation.objects.filter(pk=corrected.pk).update(applied_at=MONDAY + timedelta(seconds=86_404))
    after = work_by_text(project)
    assert after == before
    assert [time.seconds for time in after.judgement_times[coding.text_id, "alice"]] == [None, 8]


def test_markable_without_category_has_no_judgement_time(project):
    pk = project.texts.get(slug="text-2").pk
    first = Operation.objects.get(coding__text=pk, coding__coder__username="alice", sequence=1)
    Operation.objects.filter(pk=first.pk).update(payload={**first.payload, "category": None})
    assert [time.seconds for time in work_by_text(project).judgement_times[pk, "alice"]] == [8]
    second = Operation.objects.get(coding=first.coding, sequence=2)
    judged = {**second.payload, "markable": first.payload["markable"]}
    Operation.objects.filter(pk=second.pk).update(payload=judged)
    [judgement] = work_by_text(project).judgement_times[pk, "alice"]
    assert (judgement.day, judgement.seconds) == (date(2026, 3, 3), 8)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({}, {"alice": (4, 9.5, 15.0, 30.0), "bob": (5, 5.0, 5.0, 5.0)}),
        ({"texts": "text-2"}, {"alice": (1, 8.0, 8.0, 8.0), "bob": (1, 0.0, 0.0, 0.0)}),
        ({"coders": "alice"}, {"alice": (4, 9.5, 15.0, 30.0)}),
    ],
)
def test_summary_has_median_and_quartiles_of_each_coder(project, asked, expected):
    found = read_answers(project)
    rows = timing.summarize_times(found, Parameters(**asked), timing.read_project_work(project, found).judgement_times)
    assert {row.coder: (row.n, row.first_quartile, row.median, row.third_quartile) for row in rows} == expected


def test_judgements_of_open_codings_count_on_first_day(project):
    Coding.objects.of_people().filter(coder__username="bob").update(status="open")
    found, times = read_answers(project), work_by_text(project).judgement_times
    days = timing.count_by_day(found, Parameters(), times)
    assert days.days == (date(2026, 3, 2), date(2026, 3, 3), date(2026, 3, 4))
    assert days.coders == {"alice": (5, 2, 0), "bob": (5, 0, 2)}
    assert timing.count_by_day(found, Parameters(texts="text-2"), times).coders == {"alice": (2, 0), "bob": (0, 2)}
    assert timing.count_by_day(found, Parameters(coders="alice"), times).coders == {"alice": (5, 2)}


def test_pages_show_times_and_latest_days(project, monkeypatch):
    monkeypatch.setattr(sections, "MAX_DAYS", 2)

    def build(page, key, *, whole=False):
        content = page.show(page.request(project, QueryDict(), "charlie", {}, whole_tables=whole))
        return [next((part for part in side if part.key == key), None) for side in (content.tables, content.charts)]

    table, chart = build(Coders(), "times")
    assert [list(row) for row in table.rows] == [["alice", 4, 9.5, 15.0, 30.0], ["bob", 5, 5.0, 5.0, 5.0]]
    assert chart.figure["data"][0]["x"] == [15, 5]
    assert chart.alternative.startswith("alice: 15.0 s, half of them 9.5 s to 30.0 s. bob: ")
    table, chart = build(Course(), "days")
    assert [list(row) for row in table.rows] == [["2026-03-03", 2, 0], ["2026-03-04", 0, 2]]
    assert "The last 2 of 3 days" in table.note
    assert [(trace["name"], trace["y"]) for trace in chart.figure["data"]] == [("alice", [2, 0]), ("bob", [0, 2])]
    assert "alice 2, bob 2 in 2 days with work" in chart.alternative
    monkeypatch.setattr(sections, "MAX_CODERS", 1)
    _, chart = build(Course(), "days")
    assert chart.alternative.endswith("alice 2 in 2 days with work. The 1 of 2 coders with most.")
    table, _ = build(Course(), "days", whole=True)
    assert [row[0] for row in table.rows] == ["2026-03-02", "2026-03-03", "2026-03-04"]
    Operation.objects.all().delete()
    for page, key in ((Coders(), "times"), (Course(), "days")):
        assert build(page, key) == [None, None]


@pytest.mark.parametrize("apart", [1, 127, 128, 500])
def test_count_by_day_spans_distant_days(project, apart):
    for coder in ("alice", "bob"):
        set_times(project, "text-1", coder, *[-apart * 86_400] * 6)
    first = MONDAY.date() - timedelta(days=apart)
    assert count_days(project, read_answers(project)).coders == {
        "alice": {first: 5, date(2026, 3, 3): 2},
        "bob": {first: 5, date(2026, 3, 4): 2},
    }


def test_round_has_pace_of_its_texts(project):
    move_to_round(project, project.texts.filter(slug="text-2"), "pilot")
    today = date(2026, 3, 4)

    def paces():
        return timing.estimate_paces(count_days(project, read_answers(project)).rounds, count_remaining(project), today)

    [whole] = paces()
    assert (whole.left, whole.pace) == (Remaining(), None)
    coding = coding_of("text-2", "bob")
    coding.judgements.all().delete()
    assert count_remaining(project) == {}  # it is submitted
    reopen_coding(coding, coding.coder)
    whole, pilot = paces()
    assert (whole.name, whole.left, pilot.name, pilot.left) == (None, Remaining(2, 1), "pilot", Remaining(2, 1))
    assert (whole.pace.judgements, whole.pace.days, whole.pace.finish) == (14, 3, date(2026, 3, 5))
    assert (pilot.pace.judgements, pilot.pace.days, pilot.pace.finish) == (4, 2, date(2026, 3, 5))
