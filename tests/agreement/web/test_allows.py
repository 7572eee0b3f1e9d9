"""The page of what a scheme allows."""

import pytest

from agreement.reports.parameters import COEFFICIENT_LABELS, COEFFICIENTS
from agreement.results.allows import check_scheme, find_problems
from annotations.models import Category, Level
from annotations.projects.scheme_rows import stamp_scheme
from annotations.schemes.project_scheme import read_scheme
from tests.shared.agreeing import KINDS, WALK, answer, coded_project, table
from tests.shared.schemes import change_rows

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
    verdicts = check_scheme(read_scheme(project.pk).spec, project.answers)
    for of, key in TABLES.items():
        rows = [[one.name, "yes" if one.allowed else "no", one.why] for one in verdicts if one.topic == of]
        assert table(page, key) == rows
    assert "notice warning" not in page


def test_scores_of_chains_are_not_for_categories(signed_in, charlie):
    coded_project("walk", "sortal-classes", WALK)
    rows = {row[0]: row[1:] for row in table(signed_in(charlie).get(URL).content.decode(), "measures")}
    [scores] = [row for name, row in rows.items() if "MUC" in name]
    assert scores == ["no", "Without chains there is nothing to score."]
    for key in COEFFICIENTS:
        allowed = [row[0] for name, row in rows.items() if f", {COEFFICIENT_LABELS[key]}, " in f", {name}, "]
        assert allowed == ([] if key == "alpha" else ["yes"]), key


def test_a_problem_of_the_scheme_is_told(signed_in, charlie):
    project = coded_project("walk", "poesio-artstein-2005", WALK)
    change_rows(Level.objects.all(), coded=False)
    page = signed_in(charlie).get(URL).content.decode()
    assert "No level is coded: there is nothing to judge." in page
    Category.objects.all().delete()
    stamp_scheme(project)
    page = signed_in(charlie).get(URL).content.decode()
    for problem in find_problems(read_scheme(project.pk).spec, project.answers):
        assert problem in page
    assert page.count("notice warning") == 2
