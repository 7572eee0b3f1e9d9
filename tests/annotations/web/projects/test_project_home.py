"""A project's first page: own texts for a coder, everybody's progress for those who see all work."""

import pytest

from annotations.coding.status import submit_coding
from annotations.models import Text
from annotations.planning.work.assignments import assign_texts
from tests.shared.coding import judge
from tests.shared.projects import person

URL = "/projects/tea/"


def test_a_coder_sees_the_own_progress_and_what_is_next(signed_in, alice, codings, keys):
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


def test_those_who_see_all_work_see_everybodys_progress(signed_in, people, codings, keys):
    judge(codings["alice"], keys["a"], "none")
    for role in ("manager", "adjudicator", "viewer"):
        page = signed_in(people[role]).get(URL).content.decode()
        assert all(words in page for words in ("alice", "bob", "1/6", "0/6"))


def test_only_a_manager_can_give_back(signed_in, people, codings, alice):
    submit_coding(codings["alice"], alice)
    address = "/projects/tea/texts/tea/codings/alice/reopen/"
    assert address in signed_in(people["manager"]).get(URL).content.decode()
    assert address not in signed_in(people["viewer"]).get(URL).content.decode()


def test_an_adjudicator_who_codes_finds_the_own_coding(signed_in, people, project):
    assign_texts(project, project.texts.all(), [people["adjudicator"]])
    assert "/projects/tea/texts/tea/code/" in signed_in(people["adjudicator"]).get(URL).content.decode()
    assert "/projects/tea/texts/tea/code/" not in signed_in(people["manager"]).get(URL).content.decode()


@pytest.mark.parametrize("name", ["alice", "charlie"])
def test_the_page_costs_the_same_queries_at_any_size(signed_in, project, name, django_assert_max_num_queries):
    client = signed_in(person(name))
    with django_assert_max_num_queries(14) as before:  # PostgreSQL is told not to compile
        assert client.get(URL).status_code == 200
    for number in range(5):
        Text.objects.create(project=project, slug=f"t{number}", title="T", content="x")
    assign_texts(project, project.texts.all(), [person("alice")])
    with django_assert_max_num_queries(len(before)):
        client.get(URL)
