"""Submit a coding, and reopen it."""

from __future__ import annotations

from annotations.coding import operations
from annotations.models import Coding, User


def submit_coding(coding: Coding, user: User) -> int:
    """Submit the coding; from then on markables without a judgement count as `Project.unmarked` says."""
    return operations.set_status(coding, user, Coding.Status.SUBMITTED)


def reopen_coding(coding: Coding, user: User) -> int:
    """Reopen the coding for its coder."""
    return operations.set_status(coding, user, Coding.Status.OPEN)
