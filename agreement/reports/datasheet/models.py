"""Which models coded, and how much: they are no people, and are named."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

from django.db.models import Count

from annotations.models import Coding, ModelCoder, Project
from annotations.models.coding import INDEPENDENT_KINDS
from annotations.models.project import may_see_models


@dataclass(frozen=True, slots=True)
class ModelDescription:
    """A model that has coded: which it is, and how many codings it has begun and submitted."""

    name: str
    version: str
    hash: str
    date: date | None
    n_codings: int
    n_submitted: int

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that the API and the command give."""
        return asdict(self)


def describe_models(project: Project) -> tuple[ModelDescription, ...]:
    """Return the models that have begun a coding, by name. Two queries; none for who may not know of models."""
    if not may_see_models(project):
        return ()
    codings = Coding.with_models.filter(text__project=project, by_model=True, kind__in=INDEPENDENT_KINDS).begun()
    rows = codings.order_by().values_list("coder", "status").annotate(n=Count("pk"))
    counts = {(coder, status): n for coder, status, n in rows}
    models = ModelCoder.objects.filter(membership__project=project).order_by("membership__user__username")
    found = []
    for model in models.select_related("membership__user"):
        user = model.membership.user
        submitted = counts.get((user.pk, Coding.Status.SUBMITTED), 0)
        n = sum(count for (coder, _), count in counts.items() if coder == user.pk)
        if n:
            found.append(ModelDescription(user.username, model.version, model.hash, model.date, n, submitted))
    return tuple(found)
