"""Groups of coders, such as experts and naive ones, models that code, and gold, which is read for comparisons alone."""

from collections import defaultdict
from collections.abc import Collection, Mapping

from annotations.models import Coding, ModelCoder, Project, Round
from annotations.models.coding import INDEPENDENT_KINDS, CodingQuerySet
from annotations.models.project import may_see_models

# The names of its coders by group, in the order of the groups' names.
type Groups = Mapping[str, tuple[str, ...]]
# In place of the name of a coder: no account can be called so.
GOLD = "(gold)"
# Why gold does not count; the first that fits holds. "uncoded": no coder has a coding of the text in the round.
REASONS_GOLD_LEFT_OUT = ("practice", "open", "uncoded")


def read_groups(project: Project) -> Groups:
    """Return the members of each group by name: no former ones, and models for who may know of them alone."""
    groups: dict[str, list[str]] = defaultdict(list)
    rows = project.memberships.exclude(group="").order_by()
    if not may_see_models(project):
        rows = rows.filter(model=None)
    for group, name in sorted(rows.values_list("group", "user__username")):
        groups[group].append(name)
    return {group: tuple(names) for group, names in groups.items()}


def count_codings_of_models(project: Project, texts: Collection[str] = (), rounds: Collection[str] = ()) -> int:
    """Return how many codings of models there are, of all or some texts and rounds; none for who may not know."""
    if not read_model_names(project):
        return 0
    codings = codings_of_models(project)
    codings = codings.filter(text__slug__in=texts) if texts else codings
    return (codings.filter(round__name__in=rounds) if rounds else codings).count()


def codings_of_models(project: Project) -> CodingQuerySet:
    """Return the codings that models have begun."""
    codings = Coding.objects.of_coders().filter(text__project=project, by_model=True, kind__in=INDEPENDENT_KINDS)
    return codings.order_by().begun()


def read_model_names(project: Project) -> frozenset[str]:
    """Return the names of the models that code. A query; for whoever does not know of models there are none."""
    if not may_see_models(project):
        return frozenset()
    models = ModelCoder.objects.filter(membership__project=project)
    return frozenset(models.values_list("membership__user__username", flat=True))


def why_gold_is_left_out(status: str, round_kind: str) -> str:
    """Return why gold is nothing to compare results with, one of REASONS_GOLD_LEFT_OUT; empty where it counts."""
    if round_kind == Round.Kind.TRAINING:  # its gold teaches: texts were chosen for that, and coders were shown it
        return "practice"
    return "" if status == Coding.Status.SUBMITTED else "open"


def has_gold(project: Project) -> bool:
    """Return whether there is any gold, whether it counts or not. A query."""
    return Coding.objects.filter(text__project=project, kind=Coding.Kind.GOLD).exists()
