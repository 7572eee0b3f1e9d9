"""The scheme of a project as it is read from the database."""

from annotations.formats.model.scheme import LevelSpec, RelationSpec, SchemeSpec
from annotations.models import Project
from annotations.projects.scheme_rows import write_scheme
from annotations.schemes.project_scheme import read_scheme
from tests.shared.growth import assert_grows_with_input


def between_all_levels(n: int) -> SchemeSpec:
    keys = tuple(f"level-{number}" for number in range(n))
    levels = tuple(LevelSpec(key, key) for key in keys)
    return SchemeSpec(levels, (), (RelationSpec("any", "any", from_levels=keys, to_levels=keys),))


def test_a_relation_between_many_levels_is_read_in_linear_time(db):
    projects = {}
    for n in (150, 600):
        projects[n] = Project.objects.create(slug=f"p{n}", title="P", answers="pointers")
        write_scheme(projects[n], between_all_levels(n))
        assert read_scheme(projects[n].pk).spec == between_all_levels(n)
    assert_grows_with_input(lambda n: read_scheme(projects[n].pk), 600)
