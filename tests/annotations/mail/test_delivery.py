"""The queue of mails: sending, retries and opt-outs."""

import re
from datetime import timedelta
from smtplib import SMTPDataError, SMTPRecipientsRefused, SMTPServerDisconnected

import pytest
from django.core.mail.backends.locmem import EmailBackend
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from annotations.coding.status import reopen_coding, submit_coding
from annotations.docsets.creation import add_peer, create_docset
from annotations.mail import delivery
from annotations.mail.delivery import DELAYS, MAX_SECONDS, Delivery
from annotations.mail.queue import PATIENCE, notify, queue
from annotations.models import Coding, Mail, Project, Text
from annotations.planning.work.assignments import assign_peers, assign_texts
from annotations.projects.anonymization import forget_person
from annotations.projects.locks import set_archived
from annotations.projects.people.accounts import set_address, set_muted_mails
from annotations.projects.people.members import add_member
from annotations.projects.people.peer_names import coded_title
from annotations.texts.questions import ask, reply_to
from annotations.transfers.pruning import prune
from config.settings import TASKS
from tests.shared.coding import change
from tests.shared.pyramids import SUMMARIES, models_of, pyramid_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def reachable(codings, mail_server, alice):  # what is there already is no news
    set_address(alice, "alice@example.org")
    return alice


def send():
    """Send all waiting mails as if they were due."""
    Mail.objects.filter(state="waiting").update(next_try_at=timezone.now() - timedelta(seconds=1))
    return Delivery().send_due()


def new_text(project, title="Milk\nBcc: eve@example.org"):
    slug = f"text-{project.texts.count()}"
    return Text.objects.create(project=project, slug=slug, title=title, content="Rain.")


def test_texts_assigned_within_minutes_share_a_mail(mailoutbox, reachable, project, codings):
    for title in ("Milk", "Sugar"):
        assign_texts(project, [new_text(project, title)], [reachable])
    mail = Mail.objects.get()
    assert timezone.now() < mail.next_try_at < timezone.now() + PATIENCE
    assert Delivery().send_due() == 0
    assert send() == 1
    [message] = mailoutbox
    assert (message.to, message.subject) == (["alice@example.org"], "2 texts to code in “Tea”")
    assert all(part in message.body for part in ("- Milk\n", "- Sugar\n", "https://coindex.example/projects/tea/"))
    assert send() == 0, "sent once"
    mail.refresh_from_db()
    assert (mail.state, mail.context) == ("sent", {})


def test_repeated_assignment_sends_no_mail(reachable, project, text, codings):
    assign_texts(project, [text], [reachable])
    assert not Mail.objects.exists()


@pytest.mark.parametrize("because", ["submitted", "archived", "left", "unassigned", "turned off", "no address"])
def test_outdated_mails_are_dropped(mailoutbox, reachable, project, because):
    text = new_text(project)
    assign_texts(project, [text], [reachable])
    coding = Coding.objects.of_people().get(text=text)
    match because:
        case "submitted":
            submit_coding(coding, reachable)
        case "archived":
            set_archived(project, archived=True)
        case "left":
            project.memberships.filter(user=reachable).delete()
        case "unassigned":
            coding.delete()
        case "turned off":
            set_muted_mails(reachable, ["assigned"])
        case "no address":
            set_address(reachable, "")
    assert send() == 0
    assert (Mail.objects.get().state, mailoutbox) == ("dropped", [])


def test_mail_on_reopened_submission_hides_reason(mailoutbox, reachable, codings, charlie):
    coding = Coding.objects.of_people().get(pk=codings["alice"].pk)
    submit_coding(coding, reachable)
    reopen_coding(coding, charlie, "“it” refers to the kettle")
    send()
    assert mailoutbox[0].subject == "1 text reopened in “Tea”"
    assert "kettle" not in mailoutbox[0].body


def test_line_break_in_title_adds_no_header(mailoutbox, reachable, project):
    Project.objects.filter(pk=project.pk).update(title="Tea\nBcc: eve@example.org")
    assign_texts(project, [new_text(project)], [reachable])
    send()
    assert "\n" not in mailoutbox[0].subject
    assert mailoutbox[0].recipients() == ["alice@example.org"]
    assert "Bcc" not in mailoutbox[0].message()
    assert "“Tea Bcc: eve@example.org”" in mailoutbox[0].body, "nor a line of the mail"


def test_mail_to_peer_coder_has_coded_names(mailoutbox, reachable, charlie):
    project = pyramid_project("ferry")
    add_member(project, reachable, "coder")
    docset = create_docset(project, "sinking", "Sinking", SUMMARIES)
    assign_texts(project, [models_of(docset)], [reachable])
    peer = add_peer(docset, "swimmers", "Famous system", "The ferry sank.")
    assign_peers(docset, [peer], [reachable], agreed=False)
    send()
    assert coded_title(reachable.pk, peer.pk) in mailoutbox[0].body
    assert "Famous" not in mailoutbox[0].body


def test_mail_on_answer_links_to_question(mailoutbox, reachable, text, codings, charlie):
    question = ask(text, reachable, "Is *it* the kettle?")
    reply_to(question, reachable, "Or the stove?")
    send()
    assert mailoutbox == []
    reply_to(question, charlie, "The kettle.")
    send()
    assert mailoutbox[0].subject == "Answers on 1 text in “Tea”"
    assert f"https://coindex.example/projects/tea/questions/{question.uuid}/" in mailoutbox[0].body
    assert "kettle" not in mailoutbox[0].body


class BrokenBackend(EmailBackend):
    def send_messages(self, messages):
        raise SMTPServerDisconnected("down")


def test_mails_fail_after_retries_if_server_is_down(reachable, project, text, mail_server):
    mail_server.MAILERS = {"default": {"BACKEND": f"{__name__}.BrokenBackend"}}
    for kind in ("assigned", "answered"):
        notify(reachable, kind, project, [text])
    worker = Delivery()
    Mail.objects.update(next_try_at=timezone.now())
    assert worker.send_due() == 0
    assert worker.send_due() == 0, "not before a minute has passed"
    assert sorted(Mail.objects.values_list("tries", flat=True)) == [0, 1], "the other one waits for the server"
    for _ in range(2 * len(DELAYS) + 2):
        send()
    assert set(Mail.objects.values_list("state", "tries")) == {("failed", len(DELAYS))}


class RefusingBackend(EmailBackend):
    """A server that raises an error for mails to Alice."""

    error: Exception = SMTPRecipientsRefused({"alice@example.org": (550, b"No such user")})

    def send_messages(self, messages):
        if messages[0].to == ["alice@example.org"]:
            raise self.error
        return super().send_messages(messages)


@pytest.mark.parametrize(
    "error", [RefusingBackend.error, SMTPDataError(554, b"Spam"), ValueError("Invalid address")], ids=lambda e: str(e)
)
def test_refused_mail_does_not_block_other_mails(
    mailoutbox, reachable, bob, project, text, mail_server, monkeypatch, error
):
    mail_server.MAILERS = {"default": {"BACKEND": f"{__name__}.RefusingBackend"}}
    monkeypatch.setattr(RefusingBackend, "error", error)
    set_address(bob, "bob@example.org")
    for user in (reachable, bob):
        notify(user, "answered", project, [text])
    assert send() == 1
    assert [message.to for message in mailoutbox] == [["bob@example.org"]]
    assert Mail.objects.get(user=reachable).state == "waiting"
    for _ in range(len(DELAYS)):
        send()
    assert Mail.objects.get(user=reachable).state == "failed"


def test_closing_server_gets_no_mails_for_a_while(reachable, project, text, mail_server, monkeypatch):
    mail_server.MAILERS = {"default": {"BACKEND": f"{__name__}.RefusingBackend"}}
    monkeypatch.setattr(RefusingBackend, "error", SMTPRecipientsRefused({"a": (421, b"Closing")}))
    notify(reachable, "answered", project, [text])
    Mail.objects.update(next_try_at=timezone.now())
    worker = Delivery()
    worker.send_due()
    Mail.objects.update(next_try_at=timezone.now())
    assert (worker.send_due(), Mail.objects.get().tries) == (0, 1)


class Clock:
    """A clock that the slow server advances."""

    now = 0.0

    @classmethod
    def monotonic(cls):
        return cls.now


class SlowBackend(EmailBackend):
    def send_messages(self, messages):
        Clock.now += MAX_SECONDS * 0.6
        return super().send_messages(messages)


def test_slow_server_limits_mails_per_run(reachable, project, mail_server, mailoutbox, monkeypatch):
    mail_server.MAILERS = {"default": {"BACKEND": f"{__name__}.SlowBackend"}}
    monkeypatch.setattr(delivery, "time", Clock)
    for number in range(5):
        queue("error", address=f"{number}@example.org", message="m", error="e", request_id="r", time="t")
    assert Delivery().send_due() == 2
    assert Delivery().send_due() == 2


def test_password_mails_are_sent_first(reachable, project, text, mailoutbox):
    notify(reachable, "answered", project, [text])
    Mail.objects.update(next_try_at=timezone.now() - timedelta(hours=1))
    reachable.set_password("correct horse battery")
    queue("password", user=reachable)
    assert Delivery().send_due() == 2
    assert [message.subject for message in mailoutbox] == ["Set another password", "Answers on 1 text in “Tea”"]


def test_mail_claimed_by_another_worker_is_not_sent(mailoutbox, reachable, project, text, monkeypatch):
    notify(reachable, "answered", project, [text])
    claim = delivery._claim

    def claim_after_another(mail):
        assert claim(Mail.objects.get())
        return claim(mail)

    monkeypatch.setattr(delivery, "_claim", claim_after_another)
    assert send() == 0
    assert not mailoutbox


def test_signed_link_turns_mails_off(client, mailoutbox, reachable, project, text):
    notify(reachable, "answered", project, [text])
    send()
    message = mailoutbox[0]
    link = message.extra_headers["List-Unsubscribe"].strip("<>")
    assert link in message.body
    path = link.removeprefix("https://coindex.example")
    assert "answers to your questions" in client.get(path).content.decode()
    reachable.refresh_from_db()
    assert reachable.muted_mails == []
    assert client.post(path).status_code == 200
    reachable.refresh_from_db()
    assert reachable.muted_mails == ["answered"]
    assert client.post(path[:-2] + "x/").status_code == 404
    notify(reachable, "answered", project, [text])
    assert Mail.objects.filter(state="waiting").count() == 0


def test_mail_programs_unsubscribe_by_one_click(mailoutbox, reachable, project, text):
    notify(reachable, "answered", project, [text])
    send()
    headers = mailoutbox[0].message()
    assert headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    path = headers["List-Unsubscribe"].strip("<>").removeprefix("https://coindex.example")
    provider = Client(enforce_csrf_checks=True)
    answer = provider.post(path, {"List-Unsubscribe": "One-Click"}, headers={"Origin": "https://mail.example"})
    reachable.refresh_from_db()
    assert (answer.status_code, reachable.muted_mails) == (200, ["answered"])


def test_worker_sends_due_mails(mailoutbox, reachable, project, text, mail_server, monkeypatch):
    mail_server.TASKS = TASKS
    monkeypatch.setattr("django_tasks_db.management.commands.db_worker.close_old_connections", lambda: None)
    notify(reachable, "answered", project, [text])
    Mail.objects.update(next_try_at=timezone.now())
    call_command("db_worker", "--batch", "--no-startup-delay", "--interval=0", verbosity=0)
    assert [re.sub(r"@.*", "", message.to[0]) for message in mailoutbox] == ["alice"]


def test_no_mails_are_queued_without_mail_server(alice, project):
    set_address(alice, "alice@example.org")
    notify(alice, "answered", project, [new_text(project)])
    assert not Mail.objects.exists()


def test_queued_mails_of_deleted_user_are_deleted(reachable, project, codings):
    notify(reachable, "answered", project, [new_text(project)])
    Mail.objects.create(kind="invitation", address="Alice@example.org", key="k", next_try_at=timezone.now())
    change(codings["alice"])
    forget_person(reachable)
    reachable.refresh_from_db()
    assert not Mail.objects.exists()
    assert (reachable.email, reachable.email_confirmed_at) == ("", None)


@pytest.mark.parametrize(("days", "n_sent"), [(2, 1), (4, 0)])
def test_mails_queued_for_days_are_not_sent(reachable, project, text, mailoutbox, days, n_sent):
    notify(reachable, "answered", project, [text])
    Mail.objects.update(created_at=timezone.now() - timedelta(days=days))
    assert (send(), len(mailoutbox)) == (n_sent, n_sent)


def test_old_mails_are_pruned(reachable):
    long_ago = timezone.now() - timedelta(days=31)
    for key, finished_at in (("old", long_ago), ("waiting", None)):
        Mail.objects.create(kind="x", user=reachable, key=key, next_try_at=long_ago, finished_at=finished_at)
    assert prune()["mails"] == 1
    assert Mail.objects.get().key == "waiting"
