"""A project's first page: own texts for a coder, everybody's progress for those who see all work."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotations.coding.status import submit_coding
from annotations.models import Text
from annotations.planning.work.assignments import assign_texts
from tests.shared.coding import judge

URL = "/projects/tea/"


def test_a_coder_sees_the_own_progress_and_what_is_next(signed_in, alice, codings, keys):
    client = signed_in(alice)
    assert "Start Tea" in client.get(URL).content.decode()
    judge(codings["alice"], keys["a"], "none")
    page = client.get(URL).content.decode()
    assert "1 of 6" in page
    assert "Continue Tea" in page


def test_a_judgement_that_lacks_its_antecedent_is_not_counted(signed_in, alice, codings, keys):
    judge(codings["alice"], keys["c"], "phrase")
    assert "0 of 6" in signed_in(alice).get(URL).content.decode()
    judge(codings["alice"], keys["c"], "phrase", keys["a"])
    assert "1 of 6" in signed_in(alice).get(URL).content.decode()


def test_a_coder_sees_no_other_coder(signed_in, alice, codings, keys):
    judge(codings["bob"], keys["a"], "none")
    page = signed_in(alice).get(URL).content.decode()
    assert "bob" not in page
    assert "0 of 6" in page


@pytest.mark.parametrize("role", ["manager", "adjudicator", "viewer"])
def test_those_who_see_all_work_see_everybodys_progress(signed_in, people, codings, keys, role):
    judge(codings["alice"], keys["a"], "none")
    page = signed_in(people[role]).get(URL).content.decode()
    assert "alice" in page
    assert "bob" in page
    assert "1/6" in page
    assert "0/6" in page


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
def test_the_page_costs_the_same_queries_at_any_size(signed_in, project, alice, charlie, name):
    client = signed_in({"alice": alice, "charlie": charlie}[name])

    def cost():
        with CaptureQueriesContext(connection) as queries:
            assert client.get(URL).status_code == 200
        return len(queries)

    before = cost()
    for number in range(5):
        Text.objects.create(project=project, slug=f"t{number}", title="T", content="x")
    assign_texts(project, project.texts.all(), [alice])
    assert cost() == before <= 14  # PostgreSQL is told not to compile
