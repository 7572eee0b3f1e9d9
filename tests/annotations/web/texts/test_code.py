"""The coding page: what the server promises to the scripts on it."""

import json
import re

from annotations.coding.status import submit_coding
from annotations.models import Category, Coding, Membership, Project, User
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.members import add_member
from tests.conftest import judge, make_project
from tests.shared.schemes import change_rows

URL = "/projects/tea/texts/tea/code/"
EVIL = "</script><script>alert(1)</script>"


def state_of(page):
    """Return the JSON that the page carries."""
    found = re.search(r'<script id="coding-state" type="application/json">(.*?)</script>', page, re.DOTALL)
    return json.loads(found[1])


def test_the_page_carries_the_same_state_as_the_api(signed_in, alice, codings, keys):
    judge(codings["alice"], keys["c"], "phrase", keys["a"], note="<b>&amp;")
    client = signed_in(alice)
    state = state_of(client.get(URL).content.decode())
    assert state == client.get("/api/v1/projects/tea/texts/tea/coding/").json()
    assert state["judgements"][keys["c"]]["note"] == "<b>&amp;"


def test_nothing_in_the_data_can_end_the_script_it_stands_in(signed_in, db):
    evil = User.objects.create(username=EVIL)
    project = make_project("tea", marked=f"{EVIL} said [it](x) and [{EVIL}](y)")
    Project.objects.update(title=EVIL, guidelines=EVIL)
    change_rows(Category.objects.filter(key="none"), label=EVIL)
    project.texts.update(title=EVIL)
    project.texts.get().markables.update(label=EVIL)
    add_member(project, evil, Membership.Role.CODER)
    assign_texts(project, project.texts.all(), [evil])
    coding = Coding.objects.of_people().get()
    judge(coding, coding.text.markables.first().key, "none", note=EVIL)
    page = signed_in(evil).get(URL).content.decode()
    assert EVIL not in page
    assert "alert(1)</script>" not in page
    state = state_of(page)
    assert EVIL in state["text"]["content"]
    assert {EVIL} == {state["user"], state["text"]["title"], *(one["label"] for one in state["markables"])}
    assert state["scheme"]["categories"][-1]["label"] == EVIL
    assert [judgement["note"] for judgement in state["judgements"].values()] == [EVIL]


def test_the_page_tells_where_operations_go(signed_in, alice, codings):
    page = signed_in(alice).get(URL).content.decode()
    assert "/api/v1/projects/tea/texts/tea/coding/operations/" in page


def test_guidelines_are_shown_as_safe_html(signed_in, alice, codings):
    Project.objects.update(guidelines="*Careful* <script>alert(1)</script>")
    page = signed_in(alice).get(URL).content.decode()
    assert "<em>Careful</em>" in page
    assert "<script>alert(1)" not in page


def test_a_coding_handed_in_can_be_read_but_not_handed_in_again(signed_in, alice, codings):
    address = "/projects/tea/texts/tea/submit/"
    client = signed_in(alice)
    assert address in client.get(URL).content.decode()
    submit_coding(codings["alice"], alice)
    page = client.get(URL).content.decode()
    assert address not in page
    assert state_of(page)["coding"]["status"] == "submitted"


def test_the_page_runs_no_inline_script_and_its_policy_forbids_any(signed_in, alice, codings):
    answer = signed_in(alice).get(URL)
    assert "script-src 'self';" in answer["Content-Security-Policy"]
    for attributes in re.findall(r"<script([^>]*)>", answer.content.decode()):
        assert "src=" in attributes or "application/json" in attributes
