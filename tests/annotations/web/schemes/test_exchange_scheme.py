"""Exchanging the scheme of a project without texts."""

from annotations.models import Category, Project
from annotations.projects.creation import create_project
from annotations.schemes.project_scheme import read_scheme
from annotations.schemes.ready_made import SCHEMES

URL = "/projects/tea/scheme/exchange/"


def scheme_of(project):
    """Return the parts of the project's scheme."""
    levels = list(project.levels.values_list("key", "label", "coded", "coders_mark", "position"))
    names = [field.name for field in Category._meta.concrete_fields if field.name not in ("id", "project")]
    categories = list(project.categories.values_list(*names))
    relations = read_scheme(project.pk).spec.relations
    return levels, categories, relations, project.answers, project.unmarked, project.preset


def test_exchanged_scheme_equals_scheme_of_new_project(manager, project):
    project.texts.all().delete()
    assert URL in manager.get("/projects/tea/scheme/edit/").content.decode()
    assert URL not in manager.get("/projects/tea/scheme/").content.decode()
    for key, scheme in SCHEMES.items():
        assert manager.post(URL, {"scheme": key}).url == "/projects/tea/scheme/"
        assert scheme_of(Project.objects.get(slug="tea")) == scheme_of(create_project(f"a-{key}", "Fresh", scheme))


def test_project_with_texts_keeps_its_scheme(manager, project):
    before = scheme_of(project)
    assert URL not in manager.get("/projects/tea/scheme/edit/").content.decode()
    assert "The project has texts" in manager.get(URL).content.decode()
    reply = manager.post(URL, {"scheme": "muc-ident"})
    assert "in a project without texts only" in reply.content.decode()
    assert scheme_of(Project.objects.get(slug="tea")) == before


def test_exchange_may_let_coders_create_markables(manager, project):
    project.texts.all().delete()
    manager.post(URL, {"scheme": "pyramid"})
    assert URL in manager.get("/projects/tea/scheme/").content.decode()
    manager.post(URL, {"scheme": "muc-ident", "coders_mark": "on"})
    assert project.levels.get(key="phrase").coders_mark
    assert manager.post(URL, {"scheme": "ghost"}).status_code == 400
