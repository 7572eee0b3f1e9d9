"""Groups of coders, models that code, and gold, which is read only for comparisons."""

from collections import defaultdict
from collections.abc import Collection, Mapping

from annotations.models import Coding, ModelCoder, Project, Round
from annotations.models.coding import INDEPENDENT_KINDS, CodingQuerySet
from annotations.models.project import may_see_models

type Groups = Mapping[str, tuple[str, ...]]
GOLD = "(gold)"  # in place of the name of a coder; no account can have this name
# Reasons why gold does not count; the first match wins. "uncoded": no coder has a coding of the text in the round.
REASONS_GOLD_LEFT_OUT = ("practice", "open", "uncoded")


def read_groups(project: Project) -> Groups:
    """Return the names of the current members of each group, sorted; models only if the user may see them."""
    groups: dict[str, list[str]] = defaultdict(list)
    rows = project.memberships.exclude(group="").order_by()
    if not may_see_models(project):
        rows = rows.filter(model=None)
    for group, name in sorted(rows.values_list("group", "user__username")):
        groups[group].append(name)
    return {group: tuple(names) for group, names in groups.items()}


def count_codings_of_models(project: Project, texts: Collection[str] = (), rounds: Collection[str] = ()) -> int:
    """Return the number of codings of models in these texts and rounds (empty: all); 0 if the user may not see them."""
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
    """Return the names of the models that code; empty if the user may not see models. One query."""
    if not may_see_models(project):
        return frozenset()
    models = ModelCoder.objects.filter(membership__project=project)
    return frozenset(models.values_list("membership__user__username", flat=True))


def why_gold_is_left_out(status: str, round_kind: str) -> str:
    """Return why gold does not count, one of REASONS_GOLD_LEFT_OUT; empty if it counts."""
    if round_kind == Round.Kind.TRAINING:  # its texts were chosen for teaching, and coders saw the gold
        return "practice"
    return "" if status == Coding.Status.SUBMITTED else "open"


def has_gold(project: Project) -> bool:
    """Return whether the project has any gold, counted or not. One query."""
    return Coding.objects.filter(text__project=project, kind=Coding.Kind.GOLD).exists()
