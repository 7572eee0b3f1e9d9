"""Groups of coders, such as experts and naive ones: a property of membership."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from annotations.models import Project
from annotations.models.project import may_see_models

# The names of its coders by group, in the order of the groups' names.
type Groups = Mapping[str, tuple[str, ...]]


def read_groups(project: Project) -> Groups:
    """Return the members of each group of coders, by name. Who is no member any more is in none.

    Models are in groups for those alone who may know of them.
    """
    groups: dict[str, list[str]] = defaultdict(list)
    rows = project.memberships.exclude(group="").order_by()
    if not may_see_models(project):
        rows = rows.filter(model=None)
    for group, name in sorted(rows.values_list("group", "user__username")):
        groups[group].append(name)
    return {group: tuple(names) for group, names in groups.items()}
