"""The rights of each role, and the types of users."""

from enum import StrEnum

from django.contrib.auth.models import AnonymousUser

from annotations.models.people.user import User

type Person = User | AnonymousUser


class Right(StrEnum):
    VIEW_PROJECT = "view"
    READ_TEXTS = "read all texts"
    SEE_RESULTS = "see results"
    DISCUSS = "discuss items"
    MANAGE = "manage"
    MANAGE_WORK = "manage the work of coders"
    ADJUDICATE = "decide what is gold"
    DECIDE_TRAINING = "decide who has passed training"
    COMPARE_WITH_GOLD = "compare work with gold"


ROLES_SEEING_ALL_WORK = ("manager", "adjudicator", "viewer")
# The roles of managers: a project has at least one manager.
MANAGING_ROLES = ("manager", "manager-coder")

_READING = {Right.VIEW_PROJECT, Right.READ_TEXTS, Right.SEE_RESULTS}
RIGHTS: dict[str, frozenset[Right]] = {
    "manager": frozenset(Right),
    "adjudicator": frozenset(_READING | {Right.DISCUSS, Right.ADJUDICATE, Right.COMPARE_WITH_GOLD}),
    "viewer": frozenset(_READING),
    "coder": frozenset({Right.VIEW_PROJECT}),
    # Sees of others only what a coder sees, and manages everything that does not disclose their work.
    "manager-coder": frozenset({Right.VIEW_PROJECT, Right.READ_TEXTS, Right.MANAGE}),
}


def rights_of(role: str, *, results_open: bool) -> frozenset[Right]:
    """Return the rights of a role in a project. Open results give coders the rights that blindness withheld."""
    if not results_open:
        return RIGHTS[role]
    # Coding roles see where gold differs from their own work, but no other gold or scores from it.
    if role == "manager-coder":
        return RIGHTS["manager"] - {Right.ADJUDICATE, Right.DECIDE_TRAINING}
    return RIGHTS[role] | _READING | ({Right.COMPARE_WITH_GOLD} if role == "coder" else set())
