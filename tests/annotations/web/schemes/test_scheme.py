"""The page Scheme and guidelines."""

import pytest

from annotations.models import Coding, Membership, Project
from annotations.projects.creation import create_project
from annotations.projects.people.members import add_member
from annotations.schemes.project_scheme import set_coder_marked_levels
from annotations.schemes.ready_made import STARTING_POINTS
from annotations.web.forms.projects import AboutForm, PyramidOptionsForm
from tests.shared.pyramids import docset, pyramid_project

URL = "/projects/tea/scheme/"


def test_every_member_sees_categories_levels_and_guidelines(signed_in, people, project):
    Project.objects.update(guidelines="Read *twice*.")
    shown = ("<em>twice</em>", "segment", "place", "targets of pointers only", "pointers to antecedents")
    for role in ("manager", "adjudicator", "viewer", "coder"):
        page = signed_in(people[role]).get(URL).content.decode()
        assert all(words in page for words in shown)
        assert "coders create markables" not in page
    set_coder_marked_levels(project, project.levels.filter(key="phrase"))
    assert "coders create markables" in signed_in(people["coder"]).get(URL).content.decode()


def test_empty_scheme_leads_managers_to_designer(signed_in, alice, charlie, db):
    project = create_project("own", "Own", STARTING_POINTS["empty"], manager=charlie)
    add_member(project, alice, Membership.Role.CODER)
    for user, leads in ((charlie, True), (alice, False)):
        page = signed_in(user).get("/projects/own/scheme/").content.decode()
        assert "Nothing is asked yet" in page
        assert ('class="button" href="/projects/own/scheme/edit/"' in page) == leads


def test_manager_opens_results_to_coders_and_closes_them(signed_in, alice, charlie, project):
    manager, coder = signed_in(charlie), signed_in(alice)
    said = {"about": "1", "title": "Tea", "guidelines": "Read *twice*."}
    assert coder.get("/projects/tea/agreement/").status_code == 403
    question = manager.post(URL, {**said, "results_open": "on"}).content.decode()
    assert "2 coders will see all figures, and the answers of 2 codings with names." in question
    assert "2 codings not submitted" in question
    assert coder.get("/projects/tea/agreement/").status_code == 403
    assert manager.post(URL, {**said, "results_open": "on", "confirmed": "1"}).status_code == 302
    assert coder.get("/projects/tea/agreement/").status_code == 200
    assert "<em>twice</em>" in coder.get(URL).content.decode()
    manager.post(URL, said)
    assert coder.get("/projects/tea/agreement/").status_code == 403


def test_options_of_begun_pyramids_change_once_confirmed(signed_in, charlie, alice, db):
    project = pyramid_project("ferry")
    add_member(project, charlie, Membership.Role.MANAGER)
    manager, url = signed_in(charlie), "/projects/ferry/scheme/"
    assert manager.post(url, {"words_exclusive": "on"}).status_code == 302  # nobody has begun
    docset(project, alice)
    Coding.objects.of_people().update(version=1)
    question = manager.post(url, {}).content.decode()
    assert "Begun by the rules as they are: 1 coding, 0 submitted." in question
    project.refresh_from_db()
    assert project.words_exclusive
    assert manager.post(url, {"confirmed": "1"}).status_code == 302
    project.refresh_from_db()
    assert not project.words_exclusive


def test_about_form_changes_only_its_own_fields(signed_in, charlie, project):
    level = project.levels.get(key="phrase")
    manager = signed_in(charlie)
    set_coder_marked_levels(project, [level])
    manager.post(URL, {"about": "1", "title": "Coffee", "guidelines": "", "slug": "coffee", "answers": "indices"})
    level.refresh_from_db()
    project.refresh_from_db()
    assert level.coders_mark
    assert (project.title, project.slug, project.answers) == ("Coffee", "tea", "pointers")
    page = manager.post(URL, {"about": "1", "title": ""}).content.decode()
    assert "errorlist" in page
    project.refresh_from_db()
    assert project.title == "Coffee"


@pytest.mark.parametrize(
    ("form", "sent", "others"),
    [
        (PyramidOptionsForm, {"one_contributor": "on"}, {"results_open": False, "guidelines": "New."}),
        (AboutForm, {"title": "Ferry"}, {"one_contributor": False, "words_exclusive": False}),
    ],
)
def test_form_writes_only_its_own_fields(db, form, sent, others):
    project = pyramid_project("ferry", results_open=True)
    filled = form(project, sent)
    assert filled.is_valid()
    Project.objects.update(**others)
    filled.save()
    project = Project.objects.get()
    assert {name: getattr(project, name) for name in others} == others
    assert form(project, sent).fields.keys().isdisjoint(others)
