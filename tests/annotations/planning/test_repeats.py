"""Repeats: draws, automatic repeats, order, withdrawal and figures."""

import json
import re
from dataclasses import replace
from datetime import timedelta
from io import StringIO

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotations.coding.decisions import OperationRejected
from annotations.coding.status import reopen_coding, submit_coding
from annotations.models import Coding, Operation, Project, Question, RepeatPlan, Round
from annotations.planning.plans.plans import apply_plan
from annotations.planning.pool import take_next_text
from annotations.planning.repeats import RepeatRequest, apply_repeats, draw_due_repeats, view_repeats, withdraw_repeats
from annotations.planning.rounds import change_round, create_round, figures_of_rounds
from annotations.planning.work.assignments import assign_texts
from annotations.planning.work.progress import read_progress, read_progress_matrix
from annotations.planning.work.remaining import count_remaining
from annotations.projects.people.members import activity_of_members, remove_membership
from annotations.projects.rounds import put_into_round
from annotations.texts.questions import ask, reply_to, resolve_question
from tests.shared.coding import judge
from tests.shared.plans import plan_request
from tests.shared.projects import person

HALF = RepeatRequest(share=0.5, seed=7)


def submit(coding, days_ago=10):
    for markable in coding.text.markables.all():
        judge(coding, markable.key, "none")
    submit_coding(coding, coding.coder)
    Operation.objects.filter(coding=coding).update(applied_at=timezone.now() - timedelta(days=days_ago))


@pytest.fixture
def half_done(large) -> Project:
    """Assign all twelve texts to Ann and two to Ben; Ann has submitted six, Ben two."""
    assign_texts(large, large.texts.all(), [person("ann")])
    assign_texts(large, large.texts.all()[:2], [person("ben")])
    for coding in Coding.objects.of_people().filter(text__slug__lt="t06").select_related("text", "coder"):
        submit(coding)
    return large


def repeated(name="ann"):
    return set(Coding.objects.of_people().filter(coder__username=name, occasion=2).values_list("text__slug", flat=True))


def repeats_of(view, name):
    return next(row for row in view.coders if row.coder == name)


def test_seed_draws_share_of_submitted_texts_of_each_coder(half_done):
    view = view_repeats(half_done, HALF)
    ann, ben, cem = (repeats_of(view, name) for name in ("ann", "ben", "cem"))
    assert (ann.submitted, ann.eligible, len(ann.new), ann.other_open_texts) == (6, 6, 3, 6)
    assert (ben.eligible, len(ben.new), ben.other_open_texts, cem.new) == (2, 1, 0, ())
    assert not repeated()
    assert view_repeats(half_done, HALF) == view
    others = {view_repeats(half_done, RepeatRequest(share=0.5, seed=seed)).coders[0].new for seed in range(20)}
    assert len(others) > 5
    apply_repeats(half_done, HALF)
    assert repeated() == set(ann.new)
    assert {coding.version for coding in Coding.objects.of_people().filter(occasion=2)} == {0}
    plan = RepeatPlan.objects.get()
    assert (plan.share, plan.number, plan.days, plan.seed) == (0.5, None, 7, 7)


def test_second_run_changes_nothing_and_later_run_adds_due_texts(half_done):
    apply_repeats(half_done, HALF)
    before = repeated()
    assert apply_repeats(half_done, HALF).n_new == 0
    assert repeated() == before
    for coding in open_of_ann():
        submit(coding, days_ago=8 if coding.text.slug < "t10" else 1)
    assert repeats_of(view_repeats(half_done, HALF), "ann").eligible == 10
    apply_repeats(half_done, HALF)
    assert len(repeated()) == 5
    assert before < repeated()
    # Ann may not see them before they are a week old.
    assert repeated() < {f"t{number:02}" for number in range(10)}


def open_of_ann():
    own = Coding.objects.of_people().filter(coder__username="ann", status="open", occasion=1)
    return own.select_related("text")


def submit_all_of_ann():
    """Submit all open texts of Ann, 30 days ago."""
    for coding in open_of_ann():
        submit(coding, days_ago=30)


def test_due_texts_are_repeated_automatically(half_done):
    apply_repeats(half_done, HALF)
    before = repeated()
    assert draw_due_repeats() == 0
    submit_all_of_ann()
    assert draw_due_repeats() == 3
    assert draw_due_repeats() == 0
    assert before < repeated()
    assert len(repeated()) == 6
    assert repeated("ben") == {"t00"} or repeated("ben") == {"t01"}


@pytest.mark.parametrize(
    "end",
    [
        lambda large: withdraw_repeats(large, large.rounds.get()),
        lambda large: change_round(large.rounds.get(), closed=True),
        lambda large: change_round(large.rounds.get(), kind="recheck"),
        lambda large: Project.objects.update(results_open=True),
        lambda large: Project.objects.update(archived_at=timezone.now()),
        lambda large: apply_repeats(large, replace(HALF, coders=("ann",), automatic=False)),
        lambda large: remove_membership(large.memberships.get(user__username="ann")),
    ],
)
def test_automatic_repeats_end_with_plan_round_or_membership(half_done, end):
    apply_repeats(half_done, replace(HALF, coders=("ann",)))
    submit_all_of_ann()
    end(half_done)
    before = repeated() | repeated("ben")
    assert draw_due_repeats() == 0
    assert repeated() | repeated("ben") == before


def test_automatic_repeats_are_for_chosen_coders_only(half_done, charlie, signed_in):
    apply_repeats(half_done, replace(HALF, coders=("ann",)))
    submit_all_of_ann()
    assert draw_due_repeats() == 3
    assert not repeated("ben")
    page = signed_in(charlie).get("/projects/large/rounds/main/repeats/").content.decode()
    assert "Texts that become due are shown again automatically" in page
    chosen = re.findall(r'name="coders" value="(\d+)"[^>]* checked', page)
    assert chosen == [str(person("ann").pk)]


def test_refused_round_is_logged_and_repeated_later(half_done, monkeypatch, caplog):
    apply_repeats(half_done, HALF)
    submit_all_of_ann()

    def refuse(*_):
        raise ValidationError("It is closed.")

    with monkeypatch.context() as patched, caplog.at_level("INFO", "annotations.planning.repeats"):
        patched.setattr("annotations.planning.repeats.apply_repeats", refuse)
        assert draw_due_repeats() == 0
    assert "It is closed." in caplog.text
    assert draw_due_repeats() == 3


def test_repeats_are_mixed_with_open_texts(half_done):
    for number, coding in enumerate(Coding.objects.of_people().filter(coder__username="ann").order_by("-text__slug")):
        Coding.objects.of_people().filter(pk=coding.pk).update(place=number + 1)
    apply_repeats(half_done, RepeatRequest(number=6, seed=1))
    own = Coding.objects.of_people().visible_to(person("ann")).filter(coder=person("ann")).in_order_of_rounds()
    occasions = [coding.occasion for coding in own if coding.status == "open"]
    assert sorted(occasions) == [1] * 6 + [2] * 6
    assert occasions not in ([1] * 6 + [2] * 6, [2] * 6 + [1] * 6)


def test_texts_with_questions_or_requests_are_not_repeated(half_done):
    ann = person("ann")
    texts = list(half_done.texts.order_by("slug"))
    asked = ask(texts[0], ann, "Why?")
    pilot = create_round(half_done, "again", kind="recheck")
    assign_texts(half_done, [texts[1]], [ann], pilot)
    Coding.objects.of_people().filter(coder=ann, text=texts[2], round__name="main").update(reopen_request="please")
    everything = RepeatRequest(share=1, round_name="main")
    assert set(repeats_of(view_repeats(half_done, everything), "ann").new) <= {"t03", "t04", "t05"}
    resolve_question(asked, ann)
    apply_repeats(half_done, everything)
    assert repeated() == {"t00", "t03", "t04", "t05"}
    # The thread is out of her sight, also when somebody writes in it.
    reply_to(asked, person("charlie"), "So.", resolve=True)
    assert not Question.objects.asked_by(ann).exists()
    assert not Question.objects.get().has_news


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (RepeatRequest(), "one of the two"),
        (RepeatRequest(share=0.5, number=2), "one of the two"),
        (RepeatRequest(share=0.0), "above 0"),
        (RepeatRequest(share=float("nan")), "above 0"),
        (RepeatRequest(number=0), "from 1 to"),
        (RepeatRequest(number=1, days=-1), "from 0 to"),
        (RepeatRequest(number=1, coders=("charlie",)), "no coders of these names"),
        (RepeatRequest(number=1, round_name="ghost"), "no round 'ghost'"),
    ],
)
def test_wrong_request_is_refused_with_reason(half_done, request_, reason):
    with pytest.raises(ValidationError, match=reason):
        apply_repeats(half_done, request_)
    assert not repeated()


def test_open_results_closed_and_training_rounds_have_no_repeats(half_done):
    round_ = half_done.rounds.get()
    change_round(round_, kind="training")
    with pytest.raises(ValidationError, match="where nothing counts: choose a pilot or main round"):
        view_repeats(half_done, RepeatRequest(number=1, round_name="main"))
    Round.objects.filter(pk=round_.pk).update(kind="main")
    change_round(round_, closed=True)
    with pytest.raises(ValidationError, match="is closed"):
        view_repeats(half_done, RepeatRequest(number=1, round_name="main"))
    Project.objects.update(results_open=True)
    half_done.refresh_from_db()
    with pytest.raises(ValidationError, match="Close the results first"):
        apply_repeats(half_done, HALF)


def test_repeats_change_no_figure_of_progress(half_done, charlie):
    def numbers():
        rows = read_progress_matrix(half_done, charlie, "", None, timezone.localdate()).rows
        return (
            figures_of_rounds(half_done),
            [[cell and (cell.coder, cell.state, cell.decided) for cell in row.cells] for row in rows],
            read_progress(half_done),
            count_remaining(half_done),
            {name: (row.assigned, row.submitted) for name, row in activity_of_members(half_done).items()},
        )

    before = numbers()
    apply_repeats(half_done, HALF)
    assert numbers() == before


def test_repeats_take_no_place_in_pool_or_plan(half_done):
    Coding.objects.of_people().filter(coder__username="ben").delete()
    apply_repeats(half_done, RepeatRequest(share=1))
    apply_plan(half_done, plan_request(k=2, pool=True))
    assert take_next_text(half_done, person("ben")).occasion == 1
    apply_plan(half_done, plan_request(k=2))
    firsts = Coding.objects.of_people().filter(occasion=1)
    assert {text.codings.of_people().filter(pk__in=firsts).count() for text in half_done.texts.all()} == {2}


def test_withdrawal_removes_repeats_not_begun(half_done):
    apply_repeats(half_done, HALF)
    first = Coding.objects.of_people().filter(coder__username="ann", occasion=1, text__slug__in=repeated()).first()
    with pytest.raises(OperationRejected, match="is shown the text again"):
        reopen_coding(first, person("charlie"))
    begun = Coding.objects.of_people().filter(coder__username="ann", occasion=2).first()
    judge(begun, begun.text.markables.first().key, "none")
    withdraw_repeats(half_done, half_done.rounds.get())
    assert repeated() == {begun.text.slug}
    assert not repeated("ben")


def test_command_and_api_draw_same_repeats(half_done, charlie, signed_in):
    out = StringIO()
    call_command("repeat_texts", "large", "--share", "0.5", "--seed", "7", "--format", "json", stdout=out)
    view = view_repeats(half_done, HALF).as_dict()
    assert json.loads(out.getvalue()) == view
    client, address = signed_in(charlie), "/api/v1/projects/large/repeats/"
    sent = {"share": 0.5, "seed": 7}
    assert client.post(address, sent, content_type="application/json").json() == view
    assert not repeated()
    client.post(address, sent | {"apply": True}, content_type="application/json")
    assert repeated() == set(view["coders"][0]["new"])
    out = StringIO()
    call_command("repeat_texts", "large", "--number", "1", "--apply", stdout=out)
    assert "shows 0 texts again" in out.getvalue()
    with pytest.raises(CommandError, match="Nothing was changed"):
        call_command("repeat_texts", "large", "--number", "0")


def test_page_previews_applies_and_withdraws_repeats(half_done, charlie, signed_in):
    client, address = signed_in(charlie), "/projects/large/rounds/main/repeats/"
    assert "Nothing is shown again yet" in client.get(address).content.decode()
    fields = {"share": "50", "days": "7", "seed": "7"}
    shown = client.post(address, fields | {"preview": "1"}, follow=True).content.decode()
    assert "4 texts to show again" in shown
    assert ">alone</span>" in shown
    assert client.post(address, {"share": "50", "number": "2", "days": "7"}).status_code == 400
    shown = client.post(address, fields, follow=True).content.decode()
    assert "4 texts shown again. Nobody is told which." in shown
    assert len(repeated()) == 3
    shown = client.post(address, {"withdraw": "1"}, follow=True).content.decode()
    assert "4 texts unassigned" in shown
    change_round(half_done.rounds.get(), closed=True)
    assert "is closed" in client.get(address).content.decode()


def test_drawing_repeats_takes_five_queries(half_done, django_assert_num_queries):
    view_repeats(half_done, HALF)
    with django_assert_num_queries(5):
        view_repeats(half_done, HALF)


def test_page_of_recheck_round_explains_why_it_has_no_repeats(half_done, charlie, signed_in):
    client, round_ = signed_in(charlie), create_round(half_done, "again", kind="recheck")
    put_into_round(round_, half_done.texts.all())
    page = client.get("/projects/large/rounds/again/repeats/").content.decode()
    assert "choose a pilot or main round" in page
    assert "Repeat automatically" not in page
    assert "/again/repeats/" not in client.get("/projects/large/assign/?round=again").content.decode()
    assert "/main/repeats/" in client.get("/projects/large/assign/?round=main").content.decode()
    assert "Repeat automatically" in client.get("/projects/large/rounds/main/repeats/").content.decode()


def test_page_lists_coders_in_pages_and_filters_by_name(half_done, signed_in, charlie, monkeypatch):
    monkeypatch.setattr("annotations.web.shared.PAGE_SIZE", 2)
    monkeypatch.setattr("annotations.core.http.fields.MAX_CHOICES", 3)
    monkeypatch.setattr("annotations.templatetags.paging.MAX_NAMES", 1)
    client, address = signed_in(charlie), "/projects/large/rounds/main/repeats/"
    asked = {"share": "50", "days": "0", "seed": "7"}

    def coders(**query):
        page = client.get(address, asked | query).content.decode()
        return re.findall(r'<tr><th scope="row">([^<]*)</th>', page)

    assert [coders(), coders(page="2"), coders(coders="ben ann")] == [["ann", "ben"], ["cem", "dee"], ["ann", "ben"]]
    assert re.search(r'class="prose">[^<]+ and 2 more</td>', client.get(address, asked).content.decode())
    page = client.get(address, asked | {"coders": "ghost"}).content.decode()
    assert "ghost is not one of the available choices" in page
    client.post(address, asked | {"coders": "ann"})
    assert repeated()
    assert re.search(r'<textarea name="coders"[^>]*>\s*ann</textarea>', client.get(address).content.decode())
