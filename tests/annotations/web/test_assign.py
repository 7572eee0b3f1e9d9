"""Giving coders texts."""

import pytest

from annotations.coding.status import submit_coding
from annotations.models import Coding, Text
from tests.conftest import make_project

URL = "/projects/tea/assign/"


@pytest.fixture
def second(project, text):
    return Text.objects.create(project=project, slug="two", title="Two", content="x")


def test_each_coder_chosen_gets_each_text_chosen(signed_in, charlie, alice, bob, second, text):
    client = signed_in(charlie)
    answer = client.post(URL, {"texts": [text.pk, second.pk], "coders": [alice.pk, bob.pk]})
    assert answer.url == "/projects/tea/"
    assert Coding.objects.count() == 4
    assert "2 assignments created." in client.get("/projects/tea/").content.decode()


def test_those_who_do_not_code_are_not_offered(signed_in, people, second):
    page = signed_in(people["manager"]).get(URL).content.decode()
    for name in ("alice", "bob", "adam"):
        assert name in page
    assert "vera" not in page
    assert f'value="{people["outsider"].pk}"' not in page.partition('name="coders"')[2]


def test_wrong_choices_are_told_and_nothing_is_assigned(signed_in, people, second, text):
    client, coder = signed_in(people["manager"]), people["coder"].pk
    foreign = make_project("other").texts.get().pk
    wrong = [
        {"texts": [foreign], "coders": [coder]},
        {"texts": [second.pk], "coders": [people["outsider"].pk]},
        {"texts": [second.pk], "coders": [people["viewer"].pk]},
        {"texts": ["x"], "coders": [coder]},
        {"texts": ["\x00"], "coders": [coder]},
        {"texts": [10**30], "coders": [coder]},
        {"texts": [], "coders": [coder]},
        {"texts": [second.pk]},
    ]
    for form in wrong:
        answer = client.post(URL, form)
        assert answer.status_code == 200, form
        assert "errorlist" in answer.content.decode(), form
    assert not Coding.objects.filter(text=second).exists()


def test_assigning_again_keeps_the_work(signed_in, charlie, alice, text, codings):
    submit_coding(codings["alice"], alice)
    signed_in(charlie).post(URL, {"texts": [text.pk], "coders": [alice.pk]})
    codings["alice"].refresh_from_db()
    assert codings["alice"].status == "submitted"
