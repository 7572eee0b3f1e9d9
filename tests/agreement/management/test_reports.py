"""manage.py agreement --report: every result in every form, as the page shows it and the API gives it."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.http import QueryDict
from django.urls import reverse

from agreement.results.computations import ResultPage
from agreement.results.registry import ENDPOINTS, PAGES, REPORTS
from annotations.models import Project, User
from annotations.projects.viewing import results_for
from tests.agreement.web.test_models import add_coded_model, project_of
from tests.shared.agreeing import decide_gold
from tests.shared.scored import harbour

# What a report has to be asked.
ASKED = {
    "alt-test": {"candidate": "alice"},
    "compare": {"by": "group", "first": "alice,bob", "second": "carol,dora"},
    "coreference": {"first": "alice", "second": "bob"},
    "item": {"text": "text-1", "key": "phrase:3-5"},
    "pair": {"first": "alice", "second": "bob"},
    "peers": {"docset": "sinking"},
    "scores": {"docset": "sinking", "mean": "interpolate"},
    "scus": {"docset": "sinking", "first": "ben", "second": "ann"},
    "study": {"first": "ben", "second": "ann", "mean": "interpolate"},
}


@pytest.fixture(scope="module")
def rows(module_rows) -> int:
    """Make a project of texts with gold and a model, and one of pyramids."""
    project = project_of("walk", 3)
    add_coded_model(project, "gpt")
    decide_gold(project, "alice")
    harbour()
    return project.pk


@pytest.fixture
def project(rows, charlie) -> Project:
    return Project.objects.get(pk=rows)


def slug_of(name: str) -> str:
    return "walk" if REPORTS[name].uses_answers else "harbour"


def printed(name: str, form: str) -> str:
    out = StringIO()
    options = [f"--{option}={value}" for option, value in ASKED.get(name, {}).items()]
    call_command("agreement", slug_of(name), f"--report={name}", f"--format={form}", *options, stdout=out)
    return out.getvalue()


@pytest.mark.parametrize("name", [one.report_name or one.name for one in ENDPOINTS])
def test_the_json_is_what_the_api_gives(signed_in, charlie, project, name):
    page = REPORTS[name]
    assert isinstance(page, ResultPage)
    asked = ASKED.get(name, {})
    address = reverse(page.api_route, args=[slug_of(name), *(asked[part] for part in page.address)])
    query = {option: value for option, value in asked.items() if option not in page.address}
    given: Any = signed_in(charlie).get(address, query).json()
    if page.rows is not None:
        given = {part: value for part, value in given.items() if part not in ("next", "previous")}
        given = given["results"] if page.rows == "" else given
    assert json.loads(printed(name, "json")) == given


@pytest.mark.parametrize("name", [one.report_name or one.name for one in PAGES if not one.api])
def test_the_json_of_what_the_api_has_not_is_tables(project, name):
    said = json.loads(printed(name, "json"))
    if name not in ("categories", "methods"):  # which have fields of their own
        assert all(table["rows"] or table["caption"] for table in said.values())
        assert said


@pytest.mark.parametrize("form", ["table", "csv"])
@pytest.mark.parametrize("name", sorted(REPORTS))
def test_every_result_is_printed_with_the_tables_of_its_page(project, name, form):
    if name == "methods" and form == "csv":  # a paragraph is no table
        return
    out = printed(name, form)
    assert out.strip()
    page, asked = REPORTS[name], ASKED.get(name, {})
    if isinstance(page, ResultPage) and name != "item":
        address = {part: asked[part] for part in page.address}
        query = QueryDict("&".join(f"{key}={value}" for key, value in asked.items() if key not in address))
        seen = results_for(User.objects.get(username="charlie"), slug_of(name))
        sections = page.shown(page.request(seen, query, "charlie", address, whole_tables=True))
        assert [table.caption for table in sections.tables if table.rows and table.caption not in out] == []


def test_an_item_that_is_not_there_is_an_error(project):
    with pytest.raises(CommandError, match="Item not found"):
        call_command("agreement", "walk", "--report=item", "--text=text-1", "--key=ghost")
