"""The rights of each role, and the kinds of users that have them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from django.contrib.auth.models import AnonymousUser

from annotations.models.user import User


@dataclass(frozen=True, slots=True)
class Member:
    """A user who is not a superuser, by primary key alone, as compiled queries need it."""

    pk: int
    is_superuser: bool = False


type Person = User | AnonymousUser | Member


class Right(StrEnum):
    VIEW_PROJECT = "view"
    SEE_RESULTS = "see results"
    DISCUSS = "discuss items"
    MANAGE = "manage"


ROLES_SEEING_ALL_WORK = ("manager", "adjudicator", "viewer")

RIGHTS: dict[str, frozenset[Right]] = {
    "manager": frozenset({Right.VIEW_PROJECT, Right.SEE_RESULTS, Right.DISCUSS, Right.MANAGE}),
    "adjudicator": frozenset({Right.VIEW_PROJECT, Right.SEE_RESULTS, Right.DISCUSS}),
    "viewer": frozenset({Right.VIEW_PROJECT, Right.SEE_RESULTS}),
    "coder": frozenset({Right.VIEW_PROJECT}),
}
