"""The page of what a scheme allows."""

import pytest

from agreement.reports.lint import lint, problems
from agreement.views.explorer import scheme_of
from annotations.models import Category, Level
from tests.agreeing import KINDS, LOOKERS, ODD, WALK, WRONG, answer, coded_project, costs, links, table

URL = "/projects/walk/scheme/allows/"
TABLES = {"measure": "measures", "view": "views", "export": "exports"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("answered", [False, True])
def test_every_kind_of_scheme_is_told_what_it_allows_and_why(signed_in, charlie, kind, answered):
    project = coded_project("walk", kind, WALK)
    if answered:
        answer(project)
    reply = signed_in(charlie).get(URL)
    assert reply.status_code == 200
    page = reply.content.decode()
    verdicts = lint(scheme_of(project))
    for of, key in TABLES.items():
        rows = [[one.name, "yes" if one.allowed else "no", one.why] for one in verdicts if one.kind == of]
        assert table(page, key) == rows
    assert "notice warning" not in page


def test_scores_of_chains_are_not_for_categories(signed_in, charlie):
    coded_project("walk", "sortal-classes", WALK)
    rows = {row[0]: row[1:] for row in table(signed_in(charlie).get(URL).content.decode(), "measures")}
    [scores] = [row for name, row in rows.items() if "MUC" in name]
    assert scores == ["no", "Without chains there is nothing to score."]
    assert rows["K, multi-kappa, AC1"][0] == "yes"


def test_a_problem_of_the_scheme_is_told(signed_in, charlie):
    project = coded_project("walk", "poesio-artstein-2005", WALK)
    Level.objects.update(coded=False)
    page = signed_in(charlie).get(URL).content.decode()
    assert "No level is coded: there is nothing to judge." in page
    Category.objects.all().delete()
    page = signed_in(charlie).get(URL).content.decode()
    for problem in problems(scheme_of(project)):
        assert problem in page
    assert page.count("notice warning") == 3


def test_it_leads_back_to_the_scheme(signed_in, charlie):
    coded_project("walk", "clusters", WALK)
    page = signed_in(charlie).get(URL).content.decode()
    assert 'class="button" href="/projects/walk/scheme/"' in page
    assert len(links(page, "as=csv")) == 3


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_wrong_parameter_gets_400_and_its_name(signed_in, charlie, name, value):
    coded_project("walk", "clusters", WALK)
    reply = signed_in(charlie).get(URL, {name: value})
    page = reply.content.decode()
    assert reply.status_code == 400
    assert f"<p>{name}: " in page
    assert table(page, "measures")


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("name", ["distance", "page", "x"])
def test_odd_values_do_no_harm(signed_in, charlie, name, odd):
    coded_project("walk", "clusters", WALK)
    reply = signed_in(charlie).get(URL, {name: odd})
    assert reply.status_code in (200, 400)
    assert b"<script>1" not in reply.content


@pytest.mark.parametrize(("role", "status"), LOOKERS)
def test_who_sees_results_sees_what_the_scheme_allows(signed_in, people, role, status):
    assert signed_in(people[role]).get("/projects/tea/scheme/allows/").status_code == status


def test_it_is_only_read(signed_in, charlie):
    coded_project("walk", "clusters", WALK)
    assert signed_in(charlie).post(URL).status_code == 405


def test_it_costs_the_same_queries_at_any_size(signed_in, charlie):
    small, large = costs(signed_in(charlie), "scheme/allows/")
    assert small == large <= 12
