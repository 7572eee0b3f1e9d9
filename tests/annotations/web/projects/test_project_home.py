"""The overview of a project."""

import pytest

from annotations.coding.status import submit_coding
from annotations.models import Text
from annotations.planning.work.assignments import assign_texts
from tests.shared.coding import judge
from tests.shared.projects import person

URL = "/projects/tea/"


def test_coder_sees_own_progress_and_next_text(signed_in, alice, codings, keys):
    client = signed_in(alice)
    assert "Start Tea" in client.get(URL).content.decode()
    judge(codings["bob"], keys["a"], "none")
    judge(codings["alice"], keys["c"], "phrase")  # it lacks an antecedent
    page = client.get(URL).content.decode()
    assert "0 of 6" in page
    assert "bob" not in page
    judge(codings["alice"], keys["c"], "phrase", keys["a"])
    page = client.get(URL).content.decode()
    assert "1 of 6" in page
    assert "Continue Tea" in page


def test_other_roles_see_progress_of_all_coders(signed_in, people, codings, keys):
    judge(codings["alice"], keys["a"], "none")
    for role in ("manager", "adjudicator", "viewer"):
        page = signed_in(people[role]).get(URL).content.decode()
        assert all(words in page for words in ("alice", "bob", "1/6", "0/6"))


def test_only_managers_can_reopen_codings(signed_in, people, codings, alice):
    submit_coding(codings["alice"], alice)
    address = "/projects/tea/texts/tea/codings/alice/reopen/"
    assert address in signed_in(people["manager"]).get(URL).content.decode()
    assert address not in signed_in(people["viewer"]).get(URL).content.decode()


def test_coding_adjudicator_finds_own_coding(signed_in, people, project):
    assign_texts(project, project.texts.all(), [people["adjudicator"]])
    assert "/projects/tea/texts/tea/code/" in signed_in(people["adjudicator"]).get(URL).content.decode()
    assert "/projects/tea/texts/tea/code/" not in signed_in(people["manager"]).get(URL).content.decode()


@pytest.mark.parametrize("name", ["alice", "charlie"])
def test_page_takes_fixed_number_of_queries(signed_in, project, name, django_assert_max_num_queries):
    client = signed_in(person(name))
    with django_assert_max_num_queries(14) as before:  # PostgreSQL is told not to compile
        assert client.get(URL).status_code == 200
    for number in range(5):
        Text.objects.create(project=project, slug=f"t{number}", title="T", content="x")
    assign_texts(project, project.texts.all(), [person("alice")])
    with django_assert_max_num_queries(len(before)):
        client.get(URL)
