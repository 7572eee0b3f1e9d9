from collections.abc import Callable

import pytest
from django.db import connection

from annotations.models import Coding, Membership, User
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.members import add_member
from tests.shared.projects import make_project


def start_coding(coder: User, slug: str, scheme: str, marked: str) -> Coding:
    """Return the person's new coding of the only text of a new project."""
    project = make_project(slug, scheme, marked)
    add_member(project, coder, Membership.Role.CODER)
    assign_texts(project, project.texts.all(), [coder])
    return Coding.objects.of_people().get(text__project=project)


def count_steps(work: Callable[[], object]) -> int:
    """Return the number of SQLite instructions of the work, in hundreds."""
    steps: list[int] = []
    connection.connection.set_progress_handler(lambda: steps.append(1), 100)
    try:
        work()
    finally:
        connection.connection.set_progress_handler(None, 0)
    return len(steps)


@pytest.fixture
def coding(codings) -> Coding:
    """Return Alice's coding of the dialogue."""
    return codings["alice"]
