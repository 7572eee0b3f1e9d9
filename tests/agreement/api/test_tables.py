"""GET /api/v1/projects/SLUG/agreement/tables/: what pages show, for scripts."""

from io import StringIO

import pandas as pd
import pytest

from agreement.results import computations
from annotations.coding.status import submit_coding
from annotations.projects.people.members import add_member
from tests.conftest import judge
from tests.shared.pyramids import pyramid_project

URL, PAGE = "/api/v1/projects/tea/agreement/tables/", "/projects/tea/agreement/"


@pytest.fixture
def judged(codings, keys):
    for coder, antecedent in (("alice", "a"), ("bob", "b")):
        judge(codings[coder], keys["c"], "phrase", keys[antecedent])
        judge(codings[coder], keys["a"], "none")
        submit_coding(codings[coder], codings[coder].coder)


def test_the_pages_of_a_project_are_named(signed_in, charlie, project):
    found = signed_in(charlie).get(URL).json()
    assert {"coders", "texts", "categories", "course", "pair"} <= {one["page"] for one in found}
    assert all(one["about"].endswith(".") for one in found)
    assert "scores" not in {one["page"] for one in found}
    add_member(pyramid_project(), charlie, "viewer")
    assert "scores" in {one["page"] for one in signed_in(charlie).get(URL.replace("tea", "ferry")).json()}


@pytest.mark.slow
def test_every_table_of_every_page_can_be_had(signed_in, charlie, judged):
    client = signed_in(charlie)
    pages = [one["page"] for one in client.get(URL).json()]
    number = 0
    for page in pages:
        two = {"first": "alice", "second": "bob"} if page == "pair" else {}
        for table in client.get(f"{URL}{page}/", two).json():
            taken = client.get(f"{URL}{page}/{table['key']}/", {"form": "csv", **two})
            frame = pd.read_csv(StringIO(taken.content.decode()))
            assert list(frame.columns) == [column["name"] for column in table["columns"]]
            assert len(frame) == table["rows"]
            number += 1
    assert number >= 15


@pytest.mark.parametrize("form", ["csv", "json", "latex", "markdown", None])
def test_a_table_is_the_one_of_the_page_to_the_last_byte(signed_in, charlie, judged, form):
    client = signed_in(charlie)
    of_page = client.get(f"{PAGE}coders/", {"as": form or "json", "table": "each", "distance": "masi"})
    of_api = client.get(f"{URL}coders/each/", ({"form": form} if form else {}) | {"distance": "masi"})
    assert (of_api.content, of_api["Content-Type"]) == (of_page.content, of_page["Content-Type"])


@pytest.mark.parametrize(
    "address",
    [
        "coders/each/?form=xls",
        "coders/each/?distance=ghost",
        "coders/each/?ghost=1",
        "coders/ghost/",
        "coders/?distance=ghost",
    ],
)
def test_wrong_questions_are_problems(signed_in, charlie, judged, address):
    answer = signed_in(charlie).get(f"{URL}{address}")
    assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json")


@pytest.mark.parametrize("address", ["ghost/", "ghost/each/", "pair/", "scores/"])
def test_pages_that_are_not_there(signed_in, charlie, judged, address):
    assert signed_in(charlie).get(f"{URL}{address}").status_code == 404


def test_who_asks_while_it_is_computed_is_told_to_come_again(signed_in, charlie, judged, settings, monkeypatch):
    settings.TASKS = {"default": {"BACKEND": "django.tasks.backends.dummy.DummyBackend", "QUEUES": []}}
    monkeypatch.setattr(computations, "MAX_IMMEDIATE_COST", 0)
    answer = signed_in(charlie).get(f"{URL}grid/grid/")
    assert (answer.status_code, answer.json()["code"], answer["Retry-After"]) == (503, "still_computing", "5")
    [task] = signed_in(charlie).get("/api/v1/projects/tea/tasks/").json()
    assert (task["kind"], task["state"]) == ("grid", "waiting")
