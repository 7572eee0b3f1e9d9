"""States of codings, reminders of coders, and progress in pages, files and API."""

import csv
from datetime import UTC, date, datetime, timedelta

import pytest
from django.utils import timezone

from annotations.coding.active_time import active_seconds_by_day, active_time
from annotations.coding.status import reopen_coding, reopen_own_coding, submit_coding
from annotations.models import Coding, Operation, Plan
from annotations.planning.rounds import create_round
from annotations.planning.work.assignments import assign_texts
from annotations.planning.work.states import MAX_REMINDERS, read_states, reminders_of, with_states
from tests.shared.coding import judge
from tests.shared.projects import person

PAGE = "/projects/large/"
TODAY = date(2026, 11, 24)


@pytest.fixture
def states(large):
    """Assign Ann a text in each state, t00 to t05, and Ben one; return a function that reads Ann's states."""
    assign_texts(large, large.texts.all()[:6], [person("ann")])
    assign_texts(large, large.texts.all()[:1], [person("ben")])
    codings = list(Coding.objects.of_people().filter(coder__username="ann").select_related("text", "coder"))
    _, begun, complete, reopened, released, submitted = codings
    for coding, number in ((begun, 1), (complete, 2), (reopened, 2), (submitted, 1), (released, 1)):
        for markable in coding.text.markables.all()[:number]:
            judge(coding, markable.key, "none")
    for coding in (reopened, submitted):
        submit_coding(coding, coding.coder)
    reopen_coding(reopened, person("charlie"), "Look at =cups")
    Coding.objects.of_people().filter(pk=released.pk).update(released_at=timezone.now())

    def read(today=TODAY):
        of_ann = [state for state in read_states(Coding.objects.of_people().all(), today) if state.coder == "ann"]
        order = {coding.text_id: place for place, coding in enumerate(codings)}
        return sorted(of_ann, key=lambda state: order[state.text])

    return read


def due(large, day):
    Plan.objects.update_or_create(round=large.rounds.get(), defaults={"design": "all", "due_on": day})


def test_coding_has_one_state_and_is_overdue_until_submitted(large, states):
    names = ["assigned", "begun", "complete", "reopened", "released", "submitted"]
    assert [state.state for state in states()] == names
    due(large, TODAY)
    assert not any(state.overdue for state in states())
    assert [state.overdue for state in states(TODAY + timedelta(days=1))] == [True, True, True, True, False, False]
    large.rounds.update(closed_at=timezone.now())
    assert not any(state.overdue for state in states(TODAY + timedelta(days=1)))


def test_coding_is_complete_again_after_coder_reopens_it(large, states):
    own = Coding.objects.of_people().get(text__slug="t02", coder__username="ann")
    submit_coding(own, own.coder)
    reopen_own_coding(own, own.coder)
    assert states()[2].state == "complete"


def test_reminders_list_open_work_by_due_date(large, states):
    def reminders(today=TODAY):
        own = with_states(Coding.objects.of_people().filter(coder__username="ann")).in_order_of_rounds()
        return reminders_of(own.select_related("text", "round"), today)

    shown = [(reminder.coding.text.slug, reminder.state, reminder.reason) for reminder in reminders().shown]
    assert shown == [("t03", "reopened", "Look at =cups"), ("t01", "begun", ""), ("t02", "complete", "")]
    due(large, TODAY + timedelta(days=7))
    assert [(reminder.coding.text.slug, reminder.days, reminder.overdue) for reminder in reminders().shown] == [
        (slug, 7, False) for slug in ("t03", "t00", "t01", "t02")
    ]
    assert all(reminder.overdue for reminder in reminders(TODAY + timedelta(days=8)).shown)
    second = create_round(large, "second", copied=large.rounds.get())
    Plan.objects.create(round=second, design="all", due_on=TODAY + timedelta(days=1))
    assign_texts(large, large.texts.all(), [person("ann")], second)
    assert [reminder.days for reminder in reminders().shown] == [1] * MAX_REMINDERS
    assert reminders().more == 12 + 4 - MAX_REMINDERS


def test_coder_sees_own_reminders_on_project_page(signed_in, large, states):
    due(large, timezone.localdate() - timedelta(days=1))
    page = signed_in(person("ann")).get(PAGE).content.decode()
    assert page.count("overdue</span> since") == 4
    assert "<q>Look at =cups</q>" in page
    assert "To do" not in signed_in(person("cem")).get(PAGE).content.decode()


def test_matrix_shows_states_in_words_by_page_and_round(signed_in, large, states, charlie, monkeypatch):
    client = signed_in(charlie)
    page = client.get(PAGE).content.decode()
    shown = {"assigned": 0, "begun": 1, "complete": 2, "reopened": 2, "released": 1, "submitted": 1}
    for number, (state, decided) in enumerate(shown.items()):
        assert f'aria-label="T0{number} by ann: {state}, {decided} of 2"' in page
    assert "0 of 2</td>" in page, "of the text t00 none of two codings is submitted"
    monkeypatch.setattr("annotations.planning.work.progress.PAGE_SIZE", 5)
    second = client.get(f"{PAGE}?page=2").content.decode()
    assert 'aria-label="T05 by ann' in second
    assert 'aria-label="T00 by ann' not in second
    assign_texts(large, large.texts.all()[11:], [person("dee")], create_round(large, "second"))
    third = client.get(f"{PAGE}?round=second").content.decode()
    assert 'aria-label="T11, round second, by dee: assigned, 0 of 2"' in third
    assert "by ann" not in third
    wrong = client.get(f"{PAGE}?round=third")
    assert wrong.status_code == 400
    assert "There is no round &#x27;third&#x27;; there are main, second." in wrong.content.decode()


def rows_of(response):
    assert response["Content-Type"].startswith("text/csv")
    return list(csv.DictReader(response.content.decode().splitlines()))


def test_progress_file_has_row_for_each_coding_and_unassigned_text(signed_in, large, states, charlie):
    client = signed_in(charlie)
    rows = rows_of(client.get(f"{PAGE}progress/?table=progress"))
    found = [" ".join(row[name] for name in ("text", "coder", "state")) for row in rows[:3]]
    assert found == ["t00 ann assigned", "t00 ben assigned", "t01 ann begun"]
    assert len(rows) == 7 + 6
    assert rows[-1]["coder"] == ""
    for query, status in (("table=x", 400), ("table=hours&round=x", 400), ("", 400)):
        assert client.get(f"{PAGE}progress/?{query}").status_code == status


def test_hours_are_listed_by_coder_text_and_day(signed_in, large, states, charlie, settings):
    settings.TIME_ZONE = "UTC"
    begun = Coding.objects.of_people().get(text__slug="t01", coder__username="ann")
    midnight = datetime(2026, 11, 24, tzinfo=UTC)
    for seconds in (-150, -30, 60, 90, 9000, 9100):
        judge(begun, begun.text.markables.first().key, "none")
        last = Operation.objects.filter(coding=begun).latest("sequence")
        moment = midnight + timedelta(seconds=seconds)
        Operation.objects.filter(pk=last.pk).update(applied_at=moment, made_at=None)
    Operation.objects.filter(coding=begun, sequence=1).update(applied_at=midnight - timedelta(days=2), made_at=None)
    rows = [row for row in rows_of(signed_in(charlie).get(f"{PAGE}progress/?table=hours")) if row["text"] == "t01"]
    assert {row["coder"] for row in rows} == {"ann"}
    seconds = [(row["day"], row["active_seconds"]) for row in rows]
    assert seconds == [("2026-11-22", "0"), ("2026-11-23", "120"), ("2026-11-24", "220")]
    assert rows[-1]["hours"] == "0.061"
    of_api = signed_in(charlie).get("/api/v1/projects/large/hours/?round=main").json()
    day = {"coder": "ann", "round": "main", "text": "t01", "day": "2026-11-23", "active_seconds": 120}
    assert day in of_api["days"]
    assert "five minutes" in of_api["rule"]


def test_hours_exclude_work_on_gold(signed_in, large, states, charlie):
    Coding.objects.of_people().filter(text__slug="t01", coder__username="ann").update(kind=Coding.Kind.GOLD)
    days = signed_in(charlie).get("/api/v1/projects/large/hours/").json()["days"]
    assert {day["text"] for day in days} == {"t02", "t03", "t04", "t05"}


def test_seconds_of_days_add_up_to_active_time():
    times = [datetime(2026, 11, 23, 23, 50, tzinfo=UTC) + timedelta(seconds=131 * number) for number in range(40)]
    times += [times[-1] + timedelta(hours=2)]
    assert sum(active_seconds_by_day(times).values()) == active_time(times).total_seconds()


def test_api_lists_state_and_due_date_of_codings(signed_in, large, states, charlie):
    due(large, date(2026, 1, 1))
    rows = signed_in(charlie).get("/api/v1/projects/large/codings/?coder=ann").json()["results"]
    found = [(row["text"], row["state"], row["overdue"]) for row in rows[3:5]]
    assert found == [("t03", "reopened", True), ("t04", "released", False)]
    assert {row["due_on"] for row in rows} == {"2026-01-01"}
