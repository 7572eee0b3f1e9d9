"""The API of questions: listed, asked, answered."""

import pytest

from annotations.models import Question
from annotations.texts.questions import ask

URL = "/api/v1/projects/tea/questions/"


def send(client, address, **body):
    return client.post(address, body, content_type="application/json")


@pytest.fixture
def question(text, alice, keys):
    return ask(text, alice, "Is *it* the kettle?", keys["c"])


def test_question_is_asked_and_answered(signed_in, alice, people, text, keys):
    coder, manager = signed_in(alice), signed_in(people["manager"])
    made = send(coder, URL, text="tea", markable=keys["c"], body="Why?")
    assert made.status_code == 201
    row = made.json()
    assert (row["text"], row["markable"], row["coder"], row["needs_answer"]) == ("tea", keys["c"], "alice", True)
    answered = send(manager, f"{URL}{row['id']}/replies/", body="So.", resolve=True)
    assert answered.status_code == 201
    assert [(reply["author"], reply["body"]) for reply in answered.json()["replies"]] == [("charlie", "So.")]
    assert coder.get(f"{URL}{row['id']}/").json() == answered.json()
    assert answered.json()["resolved_by"] == "charlie"


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"text": "tea", "body": "Why?", "markable": "phrase:0-99999"}, "markable"),
        ({"text": "tea", "body": "Why?", "coder": "bob"}, "coder"),
    ],
)
def test_wrong_questions_are_refused_by_field(signed_in, alice, project, sent, field):
    reply = send(signed_in(alice), URL, **sent)
    assert reply.status_code == 400
    assert field in str(reply.json())
    assert not Question.objects.exists()


def test_coders_list_own_questions_and_managers_all(signed_in, alice, bob, people, text, question):
    ask(text, bob, "Mine?")
    listed = {
        name: [row["coder"] for row in signed_in(person).get(URL).json()["results"]]
        for name, person in (("alice", alice), ("bob", bob), ("manager", people["manager"]))
    }
    assert listed == {"alice": ["alice"], "bob": ["bob"], "manager": ["alice", "bob"]}
    client = signed_in(people["manager"])
    send(client, f"{URL}{question.uuid}/replies/", body="Yes.", resolve=True)
    for query, names in (
        ("resolved=true", ["alice"]),
        ("resolved=false", ["bob"]),
        ("needs_answer=true", ["bob"]),
        ("has_news=true", ["alice"]),
    ):
        assert [row["coder"] for row in client.get(f"{URL}?{query}").json()["results"]] == names, query
    assert client.get(f"{URL}?coder=alice").status_code == 400


def test_list_of_questions_takes_few_queries(signed_in, alice, text, django_assert_max_num_queries):
    for number in range(20):
        ask(text, alice, f"Question {number}?")
    client = signed_in(alice)
    with django_assert_max_num_queries(6):
        assert len(client.get(URL).json()["results"]) == 20
