"""Models that code: accounts, descriptions, API keys. Their codings come by API key or by import."""

import datetime
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404

from annotations.models import Coding, Membership, ModelCoder, Project, Token, User
from annotations.models.coding import DECIDED_KINDS
from annotations.projects.locks import lock_project
from annotations.projects.people.members import add_member
from annotations.projects.people.tokens import create_token

# The default group of models.
GROUP = "model"


@dataclass(frozen=True, slots=True)
class ModelDescription:
    """The name and description of a model; empty fields are unknown."""

    name: str
    version: str = ""
    hash: str = ""
    date: datetime.date | None = None


@transaction.atomic
def add_model(
    project: Project,
    name: str,
    *,
    version: str = "",
    hash: str = "",
    date: datetime.date | None = None,
    group: str = GROUP,
) -> ModelCoder:
    """Make a model a coder, with an account that cannot sign in. Raise ValidationError by field; ProjectArchived."""
    lock_project(project.pk)
    user = User(username=name)
    user.set_unusable_password()
    try:
        user.clean_fields(exclude=["password"])
    except ValidationError as error:
        raise ValidationError({"name": error.messages}) from None
    if User.objects.filter(username__iexact=name).exists():
        raise ValidationError({"name": [f"There is an account {name!r} already: choose another name for the model."]})
    user.save()
    membership = add_member(project, user, Membership.Role.CODER)
    membership.group = group
    membership.full_clean()
    membership.save()
    model = ModelCoder(membership=membership, version=version, hash=hash, date=date)
    model.full_clean()
    model.save()
    return model


def get_or_create_model(project: Project, description: ModelDescription) -> ModelCoder:
    """Return the model with that name, in any case, or add it. Raise ValidationError if its description differs."""
    described = asdict(description)
    model = models_of(project).filter(membership__user__username__iexact=described.pop("name")).first()
    if model is None:
        return add_model(project, description.name, **described)
    for field, value in described.items():
        known = getattr(model, field)
        if value and value != known:
            has = f"has the {field} {known}" if known else f"has no {field}"
            way = "another model takes another name, and this one's is left out"
            raise ValidationError({field: [f"{model.membership.user} {has} here, not {value}: {way}."]})
    return model


@transaction.atomic
def make_key(model: ModelCoder, days: int) -> tuple[Token, str]:
    """Replace the API keys of a model by a new one; return it and its secret, which is not stored."""
    lock_project(model.membership.project_id)
    user = model.membership.user
    Token.objects.filter(user=user).delete()
    return create_token(user, f"{user} codes", Token.Scope.ANNOTATE, days)


@transaction.atomic
def withdraw_keys(model: ModelCoder) -> int:
    """Delete the API keys of a model, and return their number."""
    lock_project(model.membership.project_id)
    return Token.objects.filter(user=model.membership.user).delete()[0]


def models_of(project: Project) -> QuerySet[ModelCoder]:
    """Return the models of the project, by name."""
    return ModelCoder.objects.filter(membership__project=project).select_related("membership__user")


def find_model(project: Project, name: str) -> ModelCoder:
    """Return the model with that name in the project. Raise Http404."""
    if (model := models_of(project).filter(membership__user__username=name).first()) is None:
        raise Http404("There is no such model.")
    return model


def mark_codings_of_models(project: int, codings: Sequence[Coding]) -> None:
    """Set `by_model` of unsaved codings of the project. One query if there are any."""
    coders = {coding.coder_id for coding in codings}
    models = ModelCoder.objects.filter(membership__project=project, membership__user__in=coders)
    users = set(models.values_list("membership__user", flat=True)) if coders else ()
    for coding in codings:
        coding.by_model = coding.coder_id in users and coding.kind not in DECIDED_KINDS
