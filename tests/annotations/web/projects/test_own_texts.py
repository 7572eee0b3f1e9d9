"""A coder's own texts in a project with training, and what managers see."""

import re
from datetime import timedelta

import pytest
from django.core import mail
from django.utils import timezone

from annotations.adjudication.ownership import open_gold
from annotations.coding.status import reopen_own_coding, submit_coding
from annotations.mail.delivery import Delivery
from annotations.models import Attribute, Coding, Mail, Membership, Project, Round, Text
from annotations.planning.rounds import add_texts, change_round, create_round
from annotations.planning.training import decide_on_coder, training_results
from annotations.planning.work.assignments import assign_texts
from annotations.planning.work.states import read_states
from annotations.projects.people.accounts import set_address
from annotations.projects.people.members import add_member
from annotations.schemes.project_scheme import set_coder_marked_levels
from tests.shared.coding import judge
from tests.shared.projects import DIALOGUE, make_project
from tests.shared.schemes import BRIDGING, change_rows, coding_of, rich_project

LOCKED = "You have not passed the training round training: no further text of it has gold. Your manager decides"


@pytest.fixture
def project(alice, charlie):
    """Return a project whose pilot requires training; both have a text, which Alice is to code."""
    project = make_project("tea", "poesio-artstein-2005", DIALOGUE)
    add_member(project, alice, Membership.Role.CODER)
    add_member(project, charlie, Membership.Role.MANAGER)
    pilot = create_round(project, "pilot", kind="pilot")
    training = create_round(project, "training", kind="training", pass_measure="category", pass_mark=0.8)
    change_round(pilot, required_round=training)
    [text] = project.texts.all()
    for round_ in (pilot, training):
        add_texts(round_, [text])
        assign_texts(project, [text], [alice], round_)
    gold = open_gold(project, text, "training", charlie)
    for key in keys_of(text):
        judge(gold, key, "place")
    submit_coding(gold, charlie)
    return project


def keys_of(text):
    return text.markables.filter(level__coded=True).values_list("key", flat=True)


def code(round_name, category):
    """Let Alice answer everything in a round with the category, and submit."""
    coding = Coding.objects.of_people().select_related("text__project", "coder", "round").get(round__name=round_name)
    for key in keys_of(coding.text):
        judge(coding, key, category)
    submit_coding(coding, coding.coder)


def page(client):
    answer = client.get("/projects/tea/")
    assert answer.status_code == 200
    return answer.content.decode()


def blue_button(html):
    return re.findall(r'<a class="button primary" href="([^"]*)"', html)


def links_in_table(html):
    return re.findall(r'<th scope="row"><a href="([^"]*)"', html)


TRAINING = "/projects/tea/texts/tea/code/?round=training"
PILOT = "/projects/tea/texts/tea/code/?round=pilot"


def test_training_comes_first_and_locked_texts_give_reason(signed_in, alice, project):
    client = signed_in(alice)
    html = page(client)
    assert "You train in the round training" in html
    assert "locked until training is passed" in html
    assert (blue_button(html), links_in_table(html)) == ([TRAINING], [TRAINING])
    assert "Submit, open next text" not in client.get(TRAINING).content.decode()
    assert client.get(PILOT).status_code == 302  # what is not linked is refused


def test_passed_training_unlocks_next_text(signed_in, alice, charlie, project):
    code("training", "place")
    html = page(signed_in(alice))
    assert (blue_button(html), "You train" in html, "locked until" in html) == ([PILOT], False, False)
    assert "/reopen/" not in html
    assert LOCKED not in html
    managers = page(signed_in(charlie))
    assert "decide how alice goes on" not in managers
    assert "Reopen Tea" not in managers  # nobody reopens what was beside its gold
    code("pilot", "place")
    assert "Nothing is left to code." in page(signed_in(alice))
    assert "Reopen Tea, round pilot, for alice" in page(signed_in(charlie))


def test_coder_and_manager_see_failed_training(signed_in, alice, charlie, project):
    code("training", "none")
    html = page(signed_in(alice))
    assert LOCKED in html
    assert blue_button(html) == []
    assert "alice has not passed the training round training" in page(signed_in(charlie))
    [result] = signed_in(alice).get("/api/v1/projects/tea/rounds/training/training/").json()["results"]
    assert result["next_step"] == "ask"
    training = project.rounds.get(name="training")
    decide_on_coder(training, alice, "failed", "Read section 2 again.", charlie)
    assert "not passed the training round training: Read section 2 again." in page(signed_in(alice))
    assert "decide how alice goes on" not in page(signed_in(charlie))
    decide_on_coder(training, alice, "passed", "It was hard.", charlie)
    assert blue_button(page(signed_in(alice))) == [PILOT]


def test_managers_get_mail_when_last_training_text_is_failed(
    mail_server, django_capture_on_commit_callbacks, charlie, project
):
    set_address(charlie, "charlie@example.org")
    for category, subjects in (("place", []), ("none", ["Training in “Tea”: a coder waits for your decision"])):
        Coding.objects.of_people().filter(round__name="training").update(status="open")
        with django_capture_on_commit_callbacks(execute=True):
            code("training", category)
        Mail.objects.filter(state="waiting").update(next_try_at=timezone.now() - timedelta(seconds=1))
        Delivery().send_due()
        assert [message.subject for message in mail.outbox] == subjects
    assert "/rounds/training/training/" in mail.outbox[0].body


def test_manager_sees_coders_without_training_text(signed_in, alice, charlie, project):
    Coding.objects.of_people().filter(round__name="training").delete()
    html, managers = page(signed_in(alice)), page(signed_in(charlie))
    assert "You have no text of the training round training yet" in html
    assert "alice has texts that require the training round training, and no text of it: assign one, or" in managers
    assert 'href="/projects/tea/assign/?round=training"' in managers
    assert "not passed" not in html + managers
    Round.objects.filter(name="training").update(closed_at=timezone.now())
    assert "no text of it: open it and assign one, or decide how alice goes on" in page(signed_in(charlie))


def test_coder_and_manager_see_why_no_training_text_is_left(signed_in, alice, charlie, project):
    code("training", "none")
    coder, manager, usual = signed_in(alice), signed_in(charlie), {"attempts": None, "closed_at": None}
    for fields, reason in (
        ({}, "no further text of it has gold"),
        ({"attempts": 1}, "no further text counts"),
        ({"closed_at": timezone.now()}, "the round is closed"),
        ({"pass_measure": "", "pass_mark": None}, "it has no pass rule"),
    ):
        Round.objects.filter(name="training").update(**(usual | fields))
        assert f"You have not passed the training round training: {reason}. Your manager" in page(coder)
        assert f"alice has not passed the training round training: {reason}. Decide" in page(manager)
        results = coder.get("/projects/tea/rounds/training/training/").content.decode()
        assert f"You have not passed yet. {reason.capitalize()}: your manager decides how you go on." in results


def test_managers_see_missing_gold_and_coders_reopened_gold(signed_in, alice, charlie, project):
    gold = Coding.objects.get(kind="gold")
    missing = "Training round training: 1 assigned text without submitted gold, “Tea”."
    assert missing not in page(signed_in(charlie))
    code("training", "place")
    reopen_own_coding(gold, charlie)
    managers = page(signed_in(charlie))
    assert missing in managers
    assert "1 coder has submitted, and sees no gold." in managers
    assert 'href="/projects/tea/rounds/training/#gold"' in managers
    assert "Its gold is being changed: you go on once it is decided again." in page(signed_in(alice))
    results = signed_in(alice).get("/projects/tea/rounds/training/training/").content.decode()
    assert "The gold of your text is being changed." in results
    assert "not passed" not in results
    Coding.objects.filter(pk=gold.pk).delete()
    assert "You go on once its gold is decided." in page(signed_in(alice))
    Coding.objects.of_people().filter(round__name="training").update(status="open")
    managers = page(signed_in(charlie))
    assert missing in managers
    assert "submitted, and" not in managers


def test_submission_shows_gold_before_next_text(signed_in, alice, charlie, project):
    other = project.texts.create(slug="milk", title="Milk", content="Milk.", position=2)
    training = project.rounds.get(name="training")
    add_texts(training, [other])
    Coding.objects.create(text=other, round=training, kind="gold", status="submitted", coder=charlie)
    change_round(project.rounds.get(name="pilot"), required_round=None)
    client = signed_in(alice)
    for key in keys_of(project.texts.get(slug="tea")):
        judge(Coding.objects.of_people().select_related("text__project").get(round__name="training"), key, "none")
    html = client.get(TRAINING).content.decode()
    assert "Submit, open next text" not in html
    [token] = re.findall(r'name="coding" value="([^"]*)"', html)
    answer = client.post("/projects/tea/texts/tea/submit/", {"coding": token, "next": "1"}, follow=True)
    html = answer.content.decode()
    assert "Tea beside gold" in html
    assert "Take the next text" in html
    assert "and next text" not in html
    decide_on_coder(training, alice, "passed", "It was hard.", charlie)
    html = client.get(answer.request["PATH_INFO"]).content.decode()
    assert "score 0.000" in html
    assert "a manager decided that you have passed the round" in html
    assert blue_button(html) == [PILOT]
    code("pilot", "place")
    assert blue_button(client.get(answer.request["PATH_INFO"]).content.decode()) == []


def test_open_results_keep_table_and_blue_button(signed_in, alice, project):
    code("training", "place")
    Project.objects.update(results_open=True)
    html = page(signed_in(alice))
    assert blue_button(html) == [PILOT]
    assert html.count("<caption>Your texts</caption>") == 1
    assert "Assigned to you" not in html
    code("pilot", "place")
    html = page(signed_in(alice))
    assert blue_button(html) == []
    assert "Ask to reopen Tea" in html


def test_text_lacking_required_entity_answers_stays_next(signed_in, alice):
    project = rich_project("tea", BRIDGING, alice)
    change_rows(Attribute.objects.filter(project=project, of="entity"), required=True)
    coding = coding_of(project)
    second = Text.objects.create(project=project, slug="z", title="Z", content="Milk is cold.", position=9)
    assign_texts(project, [second], [coding.coder])
    for key in keys_of(coding.text):
        judge(coding, key, "place")
    html = page(signed_in(coding.coder))
    assert "decided, not submitted" not in html
    assert blue_button(html) == [f"/projects/tea/texts/{coding.text.slug}/code/"]
    states = read_states(Coding.objects.of_people().all(), timezone.localdate())
    [state] = [state for state in states if state.decided]
    assert (state.decided == state.to_decide, state.state) == (True, "begun")


def test_submitted_texts_with_unjudged_markables_are_not_done(signed_in, alice, project):
    Coding.objects.of_people().filter(round__name="training").delete()
    change_round(project.rounds.get(name="pilot"), required_round=None)
    Coding.objects.of_people().update(status="submitted")
    html = page(signed_in(alice))
    assert "to complete" in html
    assert "Nothing is left to code" not in html
    assert "Those marked “to complete” have markables that you have not judged." in html
    said = signed_in(alice).get("/projects/tea/scheme/to-complete/").content.decode()
    assert "Markables without a judgement are not listed here" in said


def test_assignments_page_warns_of_adjudicators_who_code(signed_in, charlie, bob, project):
    address, said = (
        "/projects/tea/assign/?round=pilot",
        "bob is an adjudicator: their codings count in no draft of gold",
    )
    add_member(project, bob, Membership.Role.ADJUDICATOR)
    client = signed_in(charlie)
    assert said not in client.get(address).content.decode()
    plan = f"{address}&design=all&part=preview&part-{bob.pk}=on"
    assert said in client.get(plan).content.decode()
    assign_texts(project, project.texts.all(), [bob], project.rounds.get(name="pilot"))
    assert said in client.get(address).content.decode()


def test_next_step_of_training_depends_on_texts_and_gold(alice, charlie, project):
    training = project.rounds.get(name="training")

    def step():
        training.refresh_from_db()
        [result] = training_results(training, [alice.pk])
        return result.next_step

    assert step() == "code"
    gold = Coding.objects.get(kind="gold")
    Coding.objects.filter(pk=gold.pk).update(status="open")
    code("training", "none")
    assert step() == "wait"
    # no gold comes in a closed round: a manager has to decide
    Round.objects.filter(pk=training.pk).update(closed_at=timezone.now())
    assert step() == "ask"
    Round.objects.filter(pk=training.pk).update(closed_at=None)
    Coding.objects.filter(pk=gold.pk).update(status="submitted")
    assert step() == "ask"
    other = project.texts.create(slug="milk", title="Milk", content="Milk.", position=2)
    add_texts(training, [other])
    Coding.objects.create(text=other, round=training, kind="gold", status="submitted", coder=charlie)
    assert step() == "try"
    change_round(training, attempts=1)
    assert step() == "ask"


@pytest.mark.parametrize("coders_mark", [False, True])
def test_texts_without_markables_open_only_if_coders_mark(signed_in, alice, charlie, coders_mark):
    project = make_project("tea", "poesio-artstein-2005", DIALOGUE)
    for person, role in ((alice, "coder"), (charlie, "manager")):
        add_member(project, person, role)
    text = project.texts.get()
    first = Text.objects.create(project=project, slug="a", title="A", content="Milk is cold.", position=0)
    if coders_mark:
        set_coder_marked_levels(project, project.levels.filter(coded=True))
    assign_texts(project, [first, text], [alice])
    client = signed_in(alice)
    html = client.get("/projects/tea/texts/a/code/").content.decode()
    assert ('id="submit"' in html) == coders_mark
    assert ("there is nothing to code or submit" in html) != coders_mark
    note = "1 text without markables, “A”: as coders may not mark, nothing can be coded there."
    for address in ("/projects/tea/assign/", "/projects/tea/assign/?design=all&part=preview&round=main"):
        assert (note in signed_in(charlie).get(address).content.decode()) != coders_mark, address
    html = page(client)
    assert blue_button(html) == [f"/projects/tea/texts/{'a' if coders_mark else 'tea'}/code/"]
    assert ("no markables yet" in html) != coders_mark
    client.post("/projects/tea/texts/tea/submit/")
    next_texts = blue_button(page(client))
    assert next_texts == (["/projects/tea/texts/a/code/"] if coders_mark else [])
    assert ("the texts that are open have no markables yet" in page(client)) != coders_mark


def test_coder_cannot_reopen_submission_after_seeing_gold(signed_in, alice, charlie, project):
    code("training", "place")
    client = signed_in(alice)
    reopening = "/projects/tea/texts/tea/reopen/?round=training"
    assert "/reopen/" not in client.get(TRAINING).content.decode()
    assert "it is not reopened" in client.get(reopening, follow=True).content.decode()
    asked = {"status": "open", "reason": "A slip."}
    address = "/api/v1/projects/tea/texts/tea/coding/?round=training"
    assert client.patch(address, asked, "application/json", headers={"If-Match": "*"}).json()["code"] == "gold_shown"
    assert Coding.objects.of_people().get(round__name="training").reopen_request == ""
