"""Agreement and work over time, and the events of a project."""

from datetime import UTC, date, datetime, timedelta
from itertools import combinations

import pytest

from agreement.data.reading import read_answers
from agreement.measures import alpha, fleiss_kappa, interval
from agreement.reports.coders import profiles
from agreement.reports.parameters import InvalidParameter, Parameters
from agreement.results import course
from agreement.results.headline import LATEST, read_activity
from annotations.coding.active_time import Activity
from annotations.coding.status import reopen_coding, submit_coding
from annotations.formats import plain
from annotations.models import Coding, Operation, Project
from annotations.planning.rounds import move_to_round
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument
from tests.shared.agreeing import coded_project, coding_of
from tests.shared.coding import judge
from tests.shared.letters import THREE, same, sorted_out, table_of
from tests.shared.work import work_by_text

MONDAY = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
DAY = timedelta(days=1)
CODERS = ("alice", "bob", "carol")


@pytest.fixture(scope="module")
def open_rows(module_rows):
    """Make a project without submissions."""
    return sorted_out(THREE, "open", handed_in=False)


@pytest.fixture
def project(open_rows, charlie):
    return Project.objects.get(pk=open_rows.pk)


@pytest.fixture
def three(three):
    return read_answers(three)


def key_of(answers, slug):
    return next(text.pk for text in answers.texts if text.slug == slug)


def make_activities(found, days, operations=None, seconds=0.0):
    """Return activities of coders who finish each text so many days after the Monday."""
    return {
        (key_of(found, slug), coder): Activity(seconds, (operations or {}).get(slug, 1), MONDAY, MONDAY + day * DAY)
        for slug, day in days.items()
        for coder in ("alice", "bob")
    }


def slugs(stages):
    return {stage.label: [text.slug for text in stage.texts] for stage in stages}


def test_text_belongs_to_week_of_its_last_coder(three):
    work = make_activities(three, {"text-1": 13, "text-2": 0, "text-3": 6})
    # Bob ended the second a fortnight later
    work[key_of(three, "text-2"), "bob"] = Activity(0, 1, MONDAY, MONDAY + 14 * DAY)
    stages = course.compute_stages(three, Parameters(), "week", work)
    assert slugs(stages) == {"2026, week 10": ["text-3"], "2026, week 11": ["text-1"], "2026, week 12": ["text-2"]}
    assert list(slugs(stages)) == sorted(slugs(stages))


def test_weeks_are_iso_weeks_in_local_time(three, settings):
    new_year = datetime(2027, 1, 1, tzinfo=UTC)  # a Friday
    early = datetime(2026, 3, 8, 23, 0, tzinfo=UTC)  # Monday, eight in the morning, in Tokyo
    for zone, moment, label in (("UTC", new_year, "2026, week 53"), ("Asia/Tokyo", early, "2026, week 11")):
        settings.TIME_ZONE = zone
        work = {(key_of(three, "text-1"), "alice"): Activity(0, 1, moment, moment)}
        assert slugs(course.compute_stages(three, Parameters(), "week", work)) == {label: ["text-1"]}


def test_rounds_are_sorted_by_position(three_rows, three):
    for slug, name in {"text-1": "pilot-10", "text-2": "pilot-2"}.items():
        move_to_round(three_rows, three_rows.texts.filter(slug=slug), name)
    found = read_answers(three_rows)
    stages = course.compute_stages(found, Parameters(), "round", make_activities(found, {"text-1": 0, "text-2": 1}))
    assert slugs(stages) == {"pilot-2": ["text-2"], "pilot-10": ["text-1"], "main": ["text-3"]}
    assert list(slugs(stages)) == ["main", "pilot-10", "pilot-2"]


def test_operations_group_texts_in_order_of_finishing(db):
    answers = {f"text-{n + 1}": {"alice": "pg", "bob": "pp"} for n in range(9)}
    found = read_answers(sorted_out(answers))
    days = {slug: -number for number, slug in enumerate(answers)}  # the last was finished first
    work = make_activities(found, days, dict.fromkeys(answers, 5))
    stages = course.compute_stages(found, Parameters(), "operations", work)
    assert [slug for of_stage in slugs(stages).values() for slug in of_stage] == list(reversed(answers))
    # nine texts of ten operations each: the second to begin in the first eighth, of 11.25, is with the first
    ends = [int(stage.label.removesuffix(" operations")) for stage in stages]
    assert (ends, ends[0], ends[-1]) == (sorted(set(ends)), 20, 90)
    assert len(stages) <= course.BINS


def test_large_text_does_not_merge_all_stages(three):
    work = make_activities(three, {"text-1": 0, "text-2": 1, "text-3": 2}, {"text-1": 1, "text-2": 1000, "text-3": 1})
    stages = course.compute_stages(three, Parameters(), "operations", work)
    assert [slug for of_stage in slugs(stages).values() for slug in of_stage] == ["text-1", "text-2", "text-3"]
    assert [stage.label for stage in stages] == ["2,002 operations", "2,004 operations"]


@pytest.mark.parametrize("by", ["week", "operations"])
def test_text_without_work_is_in_no_stage(three, by):
    assert course.compute_stages(three, Parameters(), by, {}) == []
    [stage] = course.compute_stages(three, Parameters(), by, make_activities(three, {"text-2": 0}))
    assert [text.slug for text in stage.texts] == ["text-2"]


@pytest.mark.parametrize("by", ["", "month", "Week"])
def test_unknown_grouping_is_wrong_parameter(three, by):
    with pytest.raises(InvalidParameter) as wrong:
        course.compute_stages(three, Parameters(), by, {})
    assert wrong.value.field == "by"


def test_stage_has_coefficient_and_interval_of_its_texts(three):
    work = make_activities(three, {"text-1": 0, "text-2": 1, "text-3": 7})
    first, second = course.compute_stages(three, Parameters(), "week", work)
    two = table_of({slug: THREE[slug] for slug in ("text-1", "text-2")})
    same(first.interval, interval(two, alpha))
    assert (first.interval.by, first.interval.low) == ("document", None)
    same(second.interval, interval(table_of({"text-3": THREE["text-3"]}), alpha))
    assert (second.interval.by, second.interval.low) == ("component", None)
    [whole] = course.compute_stages(three, Parameters(), "week", make_activities(three, dict.fromkeys(THREE, 0)))
    same(whole.interval, interval(table_of(THREE), alpha))
    assert whole.interval.low is not None
    values = {
        pair: alpha(table_of({slug: THREE[slug] for slug in ("text-1", "text-2")}, pair)).value
        for pair in combinations(CODERS, 2)
    }
    for coder in CODERS:
        own = [value for pair, value in values.items() if coder in pair]
        assert first.against_rest[coder] == pytest.approx(sum(own) / 2)
    assert second.against_rest["carol"] is None
    assert second.against_rest["alice"] == second.against_rest["bob"] == second.interval.value


def test_seconds_per_judgement_ignore_texts_without_time(three):
    work = {
        (text.pk, "bob"): Activity(seconds, 9, MONDAY, MONDAY)
        for text, seconds in zip(three.texts, (60.0, 30.0, 0.0), strict=True)
    }
    # 90 seconds for three judgements of each of the first two texts; the third has no time, and does not count
    for texts, seconds in ((three.texts, 15), (three.texts[1:2], 10), (three.texts[2:], None)):
        found = profiles.seconds_per_judgement(three, texts, work)
        assert (found["bob"], found["alice"]) == (seconds, None)


def set_times(coding, *minutes):
    """Set the times of a coding's operations, in minutes after nine o'clock on the Monday."""
    for operation, minute in zip(coding.operations.order_by("sequence"), minutes, strict=True):
        Operation.objects.filter(pk=operation.pk).update(applied_at=MONDAY + timedelta(minutes=minute))


def test_activity_counts_operations_of_coder_only(project, charlie):
    coding = coding_of("text-1", "alice", text__project=project)
    submit_coding(coding, coding.coder)
    reopen_coding(coding, charlie)
    set_times(coding, 0, 1, 2, 62, 63, 300)
    activities = work_by_text(project).activities
    # four judgements and submitting; an hour's pause does not count, and reopening is Charlie's
    assert activities[coding.text_id, "alice"] == Activity(180.0, 5, MONDAY, MONDAY + timedelta(minutes=63))
    assert (coding.text_id, "charlie") not in activities


def test_imported_coding_has_no_activity(charlie):
    project = coded_project("walk", "passonneau-2004")
    for coder in ("alice", "bob"):
        import_documents(project, [SourceDocument(plain.parse("[Anna](a=1) took [her](h=1) dog", "tea.txt"), coder)])
    assert Operation.objects.filter(kind="import").count() == 2
    coding = coding_of("tea", "bob", text__project=project)
    assert work_by_text(project).activities == {}
    reopen_coding(coding, charlie)
    assert work_by_text(project).activities == {}
    judge(coding, coding.text.markables.first().key, "none")
    assert list(work_by_text(project).activities) == [(coding.text_id, "bob")]


def test_activity_scales_days_to_busiest_day(project):
    of_project = Operation.objects.filter(coding__text__project=project)
    of_project.update(applied_at=MONDAY - DAY)
    chosen = list(of_project.values_list("pk", flat=True))
    for number, day in ((4, 0), (1, 2), (3, 9)):
        Operation.objects.filter(pk__in=[chosen.pop() for _ in range(number)]).update(applied_at=MONDAY + day * DAY)
    found = read_activity(project, MONDAY.date(), 4)
    assert [(day.day, day.operations, day.height, day.top) for day in found["days"]] == [
        (date(2026, 3, 2), 4, 100, 0),
        (date(2026, 3, 3), 0, 0, 100),
        (date(2026, 3, 4), 1, 25, 75),
        (date(2026, 3, 5), 0, 0, 100),
    ]
    assert found["operations"] == 5


def test_events_are_sorted_latest_first_without_judgements(project, charlie):
    codings = Coding.objects.of_people().filter(text__project=project).select_related("coder", "text")
    codings = list(codings.order_by("text__slug", "coder__username")[:5])
    for number, coding in enumerate(codings):
        submit_coding(coding, coding.coder)
        coding.operations.filter(kind="submit").update(applied_at=MONDAY + number * DAY)
    reopen_coding(codings[0], charlie)
    Operation.objects.filter(kind="reopen").update(applied_at=MONDAY + 9 * DAY)
    found = read_activity(project, MONDAY.date(), 1)["latest"]
    assert len(found) == LATEST
    newest = codings[0]
    assert (found[0].user, found[0].action, found[0].coder) == ("charlie", "reopened", newest.coder.username)
    assert found[0].text == newest.text.title
    assert [(event.user, event.action, event.moment) for event in found[1:]] == [
        (codings[n].coder.username, "submitted", MONDAY + n * DAY) for n in (4, 3, 2, 1)
    ]


def test_running_coefficient_covers_texts_so_far(three):
    """Alice and Bob, nominal, by hand: observed 1/3 each time, expected 22/30, 90/132, 198/306."""
    work = make_activities(three, {"text-2": 0, "text-3": 1, "text-1": 2})
    points = course.compute_running(three, Parameters(coders="alice,bob"), work)
    found = [(point.n_texts, point.last.slug, point.result.n_units) for point in points]
    assert found == [(1, "text-2", 3), (2, "text-3", 6), (3, "text-1", 9)]
    assert [point.result.value for point in points] == pytest.approx([6 / 11, 23 / 45, 16 / 33], abs=1e-12)
    texts = ("text-2", "text-3", "text-1")
    whole = interval(table_of({slug: THREE[slug] for slug in texts}, ("alice", "bob")), alpha)
    assert (points[-1].low, points[-1].high) == pytest.approx((whole.low, whole.high), abs=1e-12)


def test_running_kappa_has_no_interval(three):
    work = make_activities(three, {"text-1": 0})
    points = course.compute_running(three, Parameters("fleiss_kappa"), work)
    assert [point.last.slug for point in points] == ["text-2", "text-3", "text-1"]
    assert {(point.low, point.high) for point in points} == {(None, None)}
    assert points[-1].result.value == pytest.approx(fleiss_kappa(table_of(THREE)).value, abs=1e-12)
