"""The page for a new project."""

import pytest
from django.contrib.auth.models import Permission

from annotations.models import Project

URL = "/projects/new/"
FORM = {"title": "Walks", "slug": "walks", "scheme": "muc-ident", "guidelines": "# Read"}


@pytest.fixture
def maker(alice, signed_in):
    """Return the client of Alice, who may make projects."""
    alice.user_permissions.add(Permission.objects.get(codename="add_project"))
    return signed_in(alice)


def test_new_project_has_scheme_and_creator_as_manager(maker, alice):
    assert maker.post(URL, FORM).url == "/projects/walks/"
    project = Project.objects.get()
    assert (project.slug, project.title, project.guidelines) == ("walks", "Walks", "# Read")
    assert [category.key for category in project.categories.all()] == ["ident", "none"]
    assert project.memberships.get().user == alice
    page = maker.get("/projects/walks/scheme/allows/").content.decode()
    assert "Project created" in page
    assert 'href="/projects/walks/import/"' in page


def test_wrong_fields_create_no_project(maker, project):
    for changes, says in (
        ({"slug": "tea"}, "already exists"),
        ({"slug": "new"}, "reserved"),
        ({"slug": "a b"}, "valid"),
        ({"slug": ""}, "required"),
        ({"title": ""}, "required"),
        ({"title": "x" * 201}, "at most 200"),
        ({"title": "a\x00b"}, "Null characters"),
        ({"guidelines": "a\x00b"}, "Null characters"),
        ({"scheme": "ghost"}, "not one of the available choices"),
    ):
        answer = maker.post(URL, FORM | changes)
        assert (answer.status_code, says in answer.content.decode()) == (200, True), changes
    assert Project.objects.count() == 1
