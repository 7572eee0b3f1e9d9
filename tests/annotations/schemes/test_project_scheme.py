from dataclasses import replace

from django.db import transaction

from annotations.formats.model.scheme import LevelSpec, RelationSpec, SchemeSpec
from annotations.models import Project
from annotations.projects.creation import create_project
from annotations.projects.scheme_rows import delete_others, stamp_scheme, write_scheme
from annotations.schemes.project_scheme import read_scheme, set_coder_marked_levels
from annotations.schemes.ready_made import SCHEMES
from tests.shared.growth import assert_grows_with_input


def scheme_of_many_levels(n: int) -> SchemeSpec:
    keys = tuple(f"level-{number}" for number in range(n))
    levels = tuple(LevelSpec(key, key) for key in keys)
    return SchemeSpec(levels, (), (RelationSpec("any", "any", from_levels=keys, to_levels=keys),))


def test_reading_relation_of_many_levels_takes_linear_time(db):
    projects = {}
    for n in (150, 600):
        projects[n] = Project.objects.create(slug=f"p{n}", title="P", answers="pointers")
        write_scheme(projects[n], scheme_of_many_levels(n))
        assert read_scheme(projects[n].pk).spec == scheme_of_many_levels(n)

    def read_again(n: int) -> None:
        stamp_scheme(projects[n])
        read_scheme(projects[n].pk)

    assert_grows_with_input(read_again, 600)


def test_changes_invalidate_cached_scheme(project):
    assert not read_scheme(project.pk).spec.levels[0].coders_mark
    set_coder_marked_levels(project, project.levels.filter(coded=True))
    marked = read_scheme(project.pk).spec
    assert any(level.coders_mark for level in marked.levels)
    write_scheme(project, replace(marked, levels=(*marked.levels, LevelSpec("aside", "aside"))))
    assert read_scheme(project.pk).spec.levels[-1].key == "aside"
    delete_others(project, marked)
    assert read_scheme(project.pk).spec == marked


def test_cached_scheme_takes_one_query(project, django_assert_num_queries):
    scheme = read_scheme(project.pk)
    with django_assert_num_queries(1):
        assert read_scheme(project.pk) is scheme


def test_rolled_back_change_is_not_cached(project):
    before = read_scheme(project.pk).spec
    with transaction.atomic():
        set_coder_marked_levels(project, project.levels.filter(coded=True))
        assert read_scheme(project.pk).spec != before
        transaction.set_rollback(True)
    assert read_scheme(project.pk).spec == before


def test_deleted_project_has_empty_scheme(db):
    project = create_project("walk", "Walk", SCHEMES["clusters"])
    pk = project.pk
    assert read_scheme(pk).levels
    project.delete()
    assert read_scheme(pk).spec == SchemeSpec((), ())
