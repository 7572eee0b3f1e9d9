import pytest

from annotations.models import Membership, Project, Text
from annotations.planning.work.assignments import assign_texts
from annotations.projects.creation import create_project
from annotations.projects.listing import steps_to_do
from annotations.projects.people.members import add_member
from annotations.schemes.ready_made import SCHEMES
from tests.shared.projects import make_project


def seen_by(project, user):
    """Return the project as read by its pages."""
    return Project.objects.visible_to(user).get(pk=project.pk)


def done(project, user):
    return [step.label for step in steps_to_do(seen_by(project, user)) if step.done]


def test_checklist_ends_when_all_steps_are_done(charlie, alice, django_assert_num_queries):
    project = make_project()
    add_member(project, charlie, Membership.Role.MANAGER)
    project.guidelines = ""
    project.save()
    assert done(project, charlie) == ["Scheme", "Texts"]
    add_member(project, alice, Membership.Role.CODER)
    assert done(project, charlie) == ["Scheme", "Texts", "People"]
    assign_texts(project, Text.objects.filter(project=project), [alice])
    assert done(project, charlie) == ["Scheme", "Texts", "People", "Assignments"]
    seen = seen_by(project, charlie)
    with django_assert_num_queries(1):
        assert len(steps_to_do(seen)) == 5
    project.guidelines = "Mark every pronoun."
    project.save()
    assert steps_to_do(seen_by(project, charlie)) == []


@pytest.mark.parametrize("scheme", ["poesio-artstein-2005", "pyramid"])
def test_new_project_shows_checklist_with_working_links(signed_in, charlie, scheme):
    project = create_project("walk", "Walk", SCHEMES[scheme], manager=charlie)
    client = signed_in(charlie)
    page = client.get("/projects/walk/").content.decode()
    assert "Set up the project" in page
    for step in steps_to_do(seen_by(project, charlie)):
        assert f'href="{step.address}"' in page
        assert client.get(step.address).status_code == 200


def test_checklist_is_for_managers_only(signed_in, alice, charlie):
    project = create_project("walk", "Walk", SCHEMES["poesio-artstein-2005"], manager=charlie)
    for role in (Membership.Role.CODER, Membership.Role.ADJUDICATOR):
        add_member(project, alice, role)
        assert steps_to_do(seen_by(project, alice)) == []
        assert "Set up the project" not in signed_in(alice).get("/projects/walk/").content.decode()
