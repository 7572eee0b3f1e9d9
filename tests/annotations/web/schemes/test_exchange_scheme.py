"""Exchanging the scheme of a project without texts."""

import pytest

from annotations.models import Category, Project
from annotations.projects.creation import create_project
from annotations.schemes.project_scheme import read_scheme
from annotations.schemes.ready_made import SCHEMES

URL = "/projects/tea/scheme/exchange/"


@pytest.fixture
def client(signed_in, charlie, project):
    return signed_in(charlie)


def scheme_of(project):
    """Return the scheme of the project with all that belongs to it."""
    levels = list(project.levels.values_list("key", "label", "coded", "coders_mark", "position"))
    names = [field.name for field in Category._meta.concrete_fields if field.name not in ("id", "project")]
    categories = list(project.categories.values_list(*names))
    relations = read_scheme(project.pk).spec.relations
    return levels, categories, relations, project.answers, project.unmarked, project.preset


@pytest.mark.parametrize("key", SCHEMES)
def test_afterwards_the_scheme_is_that_of_a_project_made_with_it(client, project, key):
    project.texts.all().delete()
    assert URL in client.get("/projects/tea/scheme/edit/").content.decode()
    assert URL not in client.get("/projects/tea/scheme/").content.decode()
    assert client.post(URL, {"scheme": key}).url == "/projects/tea/scheme/"
    assert scheme_of(Project.objects.get(slug="tea")) == scheme_of(create_project("fresh", "Fresh", SCHEMES[key]))


def test_with_texts_it_stays(client, project):
    before = scheme_of(project)
    assert URL not in client.get("/projects/tea/scheme/edit/").content.decode()
    assert "The project has texts" in client.get(URL).content.decode()
    reply = client.post(URL, {"scheme": "muc-ident"})
    assert "in a project without texts only" in reply.content.decode()
    assert scheme_of(Project.objects.get(slug="tea")) == before


def test_a_project_of_pyramids_has_no_designer_and_offers_it_on_the_page_of_the_scheme(client, project):
    project.texts.all().delete()
    client.post(URL, {"scheme": "pyramid"})
    assert URL in client.get("/projects/tea/scheme/").content.decode()


def test_coders_create_markables_where_that_is_chosen(client, project):
    project.texts.all().delete()
    client.post(URL, {"scheme": "muc-ident", "coders_mark": "on"})
    assert project.levels.get(key="phrase").coders_mark
    assert client.post(URL, {"scheme": "ghost"}).status_code == 400
