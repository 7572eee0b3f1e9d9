"""Differences between two rounds, groups of coders, categories or projects."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from agreement.data.reading import read_answers
from agreement.measures import alpha, collapse, difference, permutation_test
from agreement.reports.basis import select_categories, select_data
from agreement.reports.coders import differences
from agreement.reports.coders.differences import OTHERS, compare_parts
from agreement.reports.parameters import Parameters
from agreement.reports.request import resolve
from annotations.models import Project
from annotations.planning.rounds import move_to_round
from tests.shared.agreeing import WALK, answer, coded_project, convention

pytestmark = pytest.mark.slow

API = "/api/v1/projects/walk/agreement/compare/"
FOUR = ("alice", "bob", "carol", "dora")


@pytest.fixture(autouse=True)
def few_permutations(monkeypatch):
    """Reduce the number of permutations to save time."""
    monkeypatch.setattr(differences, "PERMUTATIONS", 200)


@pytest.fixture(scope="module")
def walk_rows(module_rows):
    """Make a project of eight texts in two rounds, the same number in each, and one of four texts."""
    texts = [f"{WALK} {number}" for number in range(8)]
    project = answer(coded_project("walk", "poesio-artstein-2005", *texts, coders=FOUR))
    move_to_round(project, project.texts.filter(slug__in=["text-1", "text-3", "text-5", "text-7"]), "pilot-2")
    move_to_round(project, project.texts.filter(slug__in=["text-2", "text-4", "text-6", "text-8"]), "pilot-10")
    answer(coded_project("other", "poesio-artstein-2005", *texts[:4]))
    return project


@pytest.fixture
def walk(walk_rows, charlie):
    return Project.objects.get(pk=walk_rows.pk)


def data_of(project, **asked):
    return select_data(*resolve(read_answers(project), convention(project, **asked)))


def category_of(project, name):
    data = select_categories(*resolve(read_answers(project), convention(project)))
    return collapse(data, {label: OTHERS for label in data.labels if label != name})


def expected_of(project, by, first, second):
    """Return the two data sets of a comparison and the coefficient, built without the report."""
    if by == "category":
        return category_of(project, first), category_of(project, second), alpha
    field = {"round": "rounds", "group": "coders"}[by]
    a, b = (data_of(project, **{field: name}) for name in (first, second))
    return a, b, lambda data: alpha(data, "passonneau")


PARTS = [
    ("round", "pilot-2", "pilot-10", False),
    ("group", "alice,bob", "carol,dora", True),
    ("category", "place", "phrase", True),
]


@pytest.mark.parametrize(("by", "first", "second", "paired"), PARTS)
def test_figures_equal_library(signed_in, charlie, walk, by, first, second, paired):
    *data, coefficient = expected_of(walk, by, first, second)
    expected, permuted = difference(*data, coefficient), permutation_test(*data, coefficient, n=200)
    found = compare_parts(read_answers(walk), convention(walk), by, first, second)
    assert found.paired == expected.paired == paired
    for name in ("difference", "low", "high", "p_value"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name), abs=1e-9), name
    assert found.permutation_p_value == pytest.approx(permuted.p_value, abs=1e-9)
    api = signed_in(charlie).get(API, {"by": by, "first": first, "second": second}).json()
    assert [api[name] for name in ("names", "low", "high")] == [list(found.names), found.low, found.high]
    assert api["difference"] == pytest.approx(api["first"] - api["second"])


def test_command_compares_two_projects(walk):
    out = StringIO()
    asked = {"by": "project", "first": "walk", "second": "other"}
    call_command("agreement", "walk", report="compare", format="json", **asked, stdout=out)
    found = json.loads(out.getvalue())
    assert (found["paired"], found["names"]) == (False, ["walk", "other"])
    assert found["difference"] == pytest.approx(found["first"] - found["second"])


def test_comparing_projects_needs_access_to_both(signed_in, charlie, walk, mallory):
    other = {"by": "project", "first": "walk", "second": "other"}
    assert signed_in(charlie).get(API, other).status_code == 200
    walk.memberships.create(user=mallory, role="manager")
    assert signed_in(mallory).get(API, other).status_code == 404


@pytest.mark.parametrize("name", ["\0", "ghost", "a b", "x" * 300])
def test_unknown_project_gets_404(signed_in, charlie, walk, name):
    for asked in ({"first": name, "second": "walk"}, {"first": "walk", "second": name}):
        assert signed_in(charlie).get(API, {"by": "project", **asked}).status_code == 404


def test_single_text_has_no_permutation_test(db):
    project = answer(coded_project("single", "poesio-artstein-2005", WALK))
    assert compare_parts(read_answers(project), Parameters(), "category", "place", "none").permutation_p_value is None


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"by": "coder", "first": "a", "second": "b"}, "by"),
        ({"by": "round", "first": "pilot-2"}, "second"),
        ({"by": "round", "first": "pilot-2", "second": "pilot-3"}, "second"),
        ({"by": "round", "first": "pilot-2", "second": "pilot-2"}, "second"),
        ({"by": "group", "first": "alice,eve", "second": "bob,carol"}, "first"),
        ({"by": "category", "first": "place", "second": "lake"}, "second"),
    ],
)
def test_error_names_field_of_impossible_comparison(signed_in, charlie, walk, asked, field):
    answer_ = signed_in(charlie).get(API, asked)
    assert (answer_.status_code, list(answer_.json()["errors"])) == (400, [field])
    with pytest.raises(CommandError):
        call_command("agreement", "walk", "--report", "compare", *(f"--{k}={v}" for k, v in asked.items()))
