"""Questions of coders: asked about a text, answered by managers, read by nobody else."""

import re

import pytest

from annotations.models import Coding, Project, Question, Reply
from annotations.projects.anonymization import forget_person
from annotations.texts import questions
from annotations.texts.correction import correct_text
from annotations.texts.correction_plan import plan_correction
from annotations.texts.questions import ask, reply_to, resolve_question

URL = "/projects/tea/questions/"
DIALOG = "/projects/tea/texts/tea/questions/"
FLAGS = "/projects/tea/agreement/flags/"


@pytest.fixture
def question(text, alice, keys):
    return ask(text, alice, "Is *it* the kettle?", keys["c"])


def address(question, action=""):
    return f"{URL}{question.uuid}/{action}"


def reloaded(question):
    return Question.objects.get(pk=question.pk)


def test_coder_asks_about_markable_or_text(signed_in, alice, text, keys):
    client = signed_in(alice)
    page = client.get(DIALOG, {"markable": keys["c"]}).content.decode()
    assert f'value="{keys["c"]}" checked' in page
    reply = client.post(DIALOG, {"markable": keys["c"], "about": keys["c"], "body": " Is *it* hot? "})
    assert "Sent to the managers." in reply.content.decode()
    assert "Is <em>it</em> hot?" in reply.content.decode()
    client.post(DIALOG, {"body": "What is this?"})
    rows = Question.objects.all()
    found = [(row.text, row.coder, row.key, row.body, row.needs_answer) for row in rows]
    assert found == [(text, alice, keys["c"], "Is *it* hot?", True), (text, alice, "", "What is this?", True)]


def test_wrong_questions_are_refused(signed_in, alice, project):
    client = signed_in(alice)
    markables = ("phrase:0-99999", "ghost:0-2", "phrase", "x" * 501)
    for sent in (
        *({"body": body} for body in ("", "  ", "x" * 5001, "a\x00b")),
        *({"body": "Why?", "markable": markable} for markable in markables),
    ):
        reply = client.post(DIALOG, sent)
        assert (reply.status_code, "errorlist" in reply.content.decode()) == (400, True)
    assert not Question.objects.exists()


def test_open_questions_and_replies_are_limited(text, alice, question, monkeypatch):
    monkeypatch.setattr(questions, "MAX_OPEN", 1)
    monkeypatch.setattr(questions, "MAX_REPLIES", 1)
    with pytest.raises(questions.ValidationError, match="open questions"):
        ask(text, alice, "And?")
    reply_to(question, alice, "And?")
    with pytest.raises(questions.ValidationError, match="at most 1 replies"):
        reply_to(question, alice, "And?")
    resolve_question(question, alice)
    ask(text, alice, "And?")


def test_answer_is_new_to_coder_until_read(signed_in, alice, people, question):
    manager, coder = signed_in(people["manager"]), signed_in(alice)
    assert "1 question of coders waits for an answer" in manager.get("/projects/tea/").content.decode()
    assert "1 question to answer" in manager.get("/").content.decode()
    assert "to answer" not in coder.get("/").content.decode()
    manager.post(address(question), {"body": "*Yes*."})
    assert (reloaded(question).needs_answer, reloaded(question).has_news) == (False, True)
    assert "1 question to answer" not in manager.get("/").content.decode()
    assert "1 new answer" in coder.get("/").content.decode()
    assert "waits for an answer" not in manager.get("/projects/tea/").content.decode()
    assert "1 of your questions has a new answer" in coder.get("/projects/tea/").content.decode()
    assert "A question of yours has a new answer" in coder.get("/projects/tea/texts/tea/code/").content.decode()
    assert "new answer" in coder.get(URL).content.decode()
    for page in (coder.get(DIALOG), coder.get(address(question))):
        assert "<em>Yes</em>" in page.content.decode()
    manager.post(address(question, "read/"))  # it is not the manager's to read
    assert reloaded(question).has_news
    coder.post(address(question, "read/"))
    assert not reloaded(question).has_news
    assert "new answer" not in coder.get("/projects/tea/").content.decode()


def test_reply_of_coder_reopens_resolved_question(signed_in, alice, people, question):
    manager, coder = signed_in(people["manager"]), signed_in(alice)
    manager.post(address(question), {"body": "Yes.", "resolve": "1"})
    resolved = reloaded(question)
    assert (resolved.resolved_by, resolved.needs_answer, resolved.has_news) == (people["manager"], False, True)
    assert "Is <em>it</em>" not in coder.get(URL).content.decode()
    assert "Is <em>it</em>" in coder.get(URL, {"state": "resolved"}).content.decode()
    coder.post(address(question), {"body": "And here?"})
    opened = reloaded(question)
    assert (opened.resolved_at, opened.resolved_by, opened.needs_answer) == (None, None, True)
    assert "resolved already" not in coder.post(address(question, "resolve/"), follow=True).content.decode()
    assert "resolved already" in coder.post(address(question, "resolve/"), follow=True).content.decode()
    assert not reloaded(question).has_news or reloaded(question).resolved_by == alice


def test_resolving_redirects_only_within_site(signed_in, people, question):
    client = signed_in(people["manager"])
    for following in ("https://example.org/", "//example.org/", "javascript:alert(1)", FLAGS):
        reply = client.post(address(question, "resolve/"), {"next": following})
        assert reply["Location"] == (following if following == FLAGS else address(question))


@pytest.mark.parametrize("opened", [False, True])
def test_thread_opens_only_for_its_coder_and_answering_roles(signed_in, people, bob, question, opened):
    Project.objects.update(results_open=opened)
    clients = {name: signed_in(user) for name, user in people.items()} | {"bob": signed_in(bob)}
    readers = {"coder", "manager", "adjudicator", *(["manager-coder"] if opened else [])}
    for name, client in clients.items():
        assert client.get(address(question)).status_code == (200 if name in readers else 404), name
        assert client.post(address(question), {"body": "x"}).status_code == (302 if name in readers else 404), name
    for name in ("viewer", "bob"):
        assert "kettle" not in clients[name].get(URL).content.decode()
        assert clients[name].get("/api/v1/projects/tea/questions/").json()["results"] == []
    told = "waits for an answer" in clients["manager-coder"].get("/projects/tea/").content.decode()
    assert not told or opened


def test_published_answer_hides_coder_and_original_question(signed_in, alice, bob, people, question):
    reply_to(question, people["manager"], "Yes.")
    manager = signed_in(people["manager"])
    page = manager.get(address(question)).content.decode()
    assert "Is *it* the kettle?</textarea>" in page
    sent = {"public_question": "What is *it*?", "public_answer": "The **kettle**."}
    manager.post(address(question, "publish/"), sent)
    page = signed_in(bob).get(URL).content.decode()
    assert "What is <em>it</em>?" in page
    assert "The <strong>kettle</strong>." in page
    assert "alice" not in page
    assert "Is <em>it</em>" not in page
    assert signed_in(bob).get(address(question)).status_code == 404
    refused = manager.post(address(question, "publish/"), {"public_question": "x"}, follow=True)
    assert "Not published: A published answer has a question and an answer." in refused.content.decode()
    manager.post(address(question, "publish/"), {"withdraw": "1"})
    assert "<strong>kettle</strong>" not in signed_in(bob).get(URL).content.decode()
    assert signed_in(alice).post(address(question, "publish/"), sent).status_code == 403


def test_flags_page_filters_questions_by_kind_and_state(signed_in, people, text, bob, question):
    resolve_question(ask(text, bob, "Skip *this*?"), people["manager"])
    client = signed_in(people["adjudicator"])
    page = client.get(FLAGS).content.decode()
    assert "Is <em>it</em>" in page
    assert "Skip <em>" not in page
    assert '<span class="thread-words">it</span>' in page
    assert "alice, <time" in page
    assert "Skip <em>this</em>" in client.get(FLAGS, {"kind": "questions", "state": "resolved"}).content.decode()
    assert "Is <em>it</em>" not in client.get(FLAGS, {"kind": "flags"}).content.decode()
    client.post(address(question, "resolve/"))
    assert "No open questions" in client.get(FLAGS, {"kind": "questions"}).content.decode()


@pytest.mark.slow
def test_question_pages_are_limited_and_take_few_queries(signed_in, alice, people, text, django_assert_max_num_queries):
    asked = [ask(text, alice, f"Question {number}?") for number in range(30)]
    replies = [reply_to(question, people["manager"], "Yes.") for question in asked]
    Reply.objects.bulk_create(
        Reply(question=reply.question, author=reply.author, body="Yes.", created_at=reply.created_at)
        for reply in replies
        for _ in range(11)
    )
    for client, page, most in (
        (signed_in(alice), URL, 11),
        (signed_in(people["manager"]), FLAGS, 14),
        (signed_in(alice), DIALOG, 12),
    ):
        with django_assert_max_num_queries(most):
            assert client.get(page).content.decode().count("<article") == (10 if page == DIALOG else 25)
    assert signed_in(alice).get(URL, {"page": 2}).content.decode().count("<article") == 5


def test_replies_after_page_view_stay_new(signed_in, alice, people, question):
    def state_of(page):
        return re.search(r'name="state" value="([^"]*)"', page.content.decode())[1]

    client, manager = signed_in(alice), people["manager"]
    reply_to(question, manager, "Yes.")
    for come in (lambda: reply_to(question, manager, "No."), lambda: resolve_question(question, manager)):
        state = state_of(client.get(address(question)))
        come()
        client.post(address(question, "read/"), {"state": state})
        assert reloaded(question).has_news
    client.post(address(question, "read/"), {"state": state_of(client.get(DIALOG))})
    assert not reloaded(question).has_news


def test_reply_of_coder_during_answer_still_needs_answer(signed_in, alice, people, question):
    manager = signed_in(people["manager"])
    state = re.search(r'name="state" value="([^"]*)"', manager.get(address(question)).content.decode())[1]
    reply_to(question, alice, "And that?")
    reply = manager.post(address(question), {"body": "Yes.", "resolve": "1", "state": state}, follow=True)
    assert "The coder has written since you opened the page" in reply.content.decode()
    found = reloaded(question)
    assert (found.needs_answer, found.has_news, found.resolved_at) == (True, True, None)
    state = re.search(r'name="state" value="([^"]*)"', reply.content.decode())[1]
    manager.post(address(question), {"body": "That, too.", "resolve": "1", "state": state})
    assert reloaded(question).resolved_by == people["manager"]


def test_outdated_page_asks_about_words_it_shows(signed_in, alice, charlie, text, codings, keys):
    for old, new in (("kettle", "big kettle"), ("hot", "very hot")):
        text.refresh_from_db()
        content = text.content.replace(old, new)
        correct_text(text, content, charlie, plan_correction(text, content).tag)
    client = signed_in(alice)
    for seen, key in (("0", keys["c"]), ("x", text.markables.get(label="c").key)):
        reply = client.get(DIALOG, {"markable": key, "seen": seen})
        assert "“it”" in reply.content.decode()
        assert 'name="seen" value="2"' in reply.content.decode()
    client.post(DIALOG, {"markable": keys["c"], "about": keys["c"], "seen": "1", "body": "Why?"})
    client.post(DIALOG, {"markable": keys["c"], "about": keys["c"], "seen": "0", "body": "Is it?"})
    client.post(DIALOG, {"markable": keys["a"], "about": keys["a"], "body": "As it is now?"})
    api = "/api/v1/projects/tea/questions/"
    sent = {"text": "tea", "markable": keys["c"], "version": 0, "body": "Is it?"}
    assert client.post(api, sent, content_type="application/json").status_code == 201
    assert (
        list(Question.objects.filter(body="Is it?").values_list("key", flat=True))
        == [text.markables.get(label="c").key] * 2
    )
    assert Question.objects.get(body="As it is now?").key == keys["a"]


def test_thread_shows_pseudonym_of_deleted_coder(signed_in, alice, people, question):
    reply_to(question, alice, "And?")
    name = forget_person(alice).pseudonym
    page = signed_in(people["manager"]).get(address(question)).content.decode()
    assert name in page
    assert "alice" not in page
    assert (Question.objects.get().coder.username, Reply.objects.get().author.username) == (name, name)


def test_question_stays_after_text_is_unassigned(signed_in, alice, question):
    Coding.objects.of_people().filter(coder=alice).delete()
    page = signed_in(alice).get(address(question)).content.decode()
    assert "Is <em>it</em>" in page
    assert "Open the text" not in page
