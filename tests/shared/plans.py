"""A project with enough texts and coders to plan."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any

from annotations.formats import plain
from annotations.models import Membership, Project
from annotations.planning.plans.designs.terms import PlanParameters
from annotations.planning.plans.plans import PlanRequest
from annotations.projects.creation import create_project
from annotations.projects.people.members import add_member
from annotations.schemes.ready_made import SCHEMES
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument
from tests.shared.projects import person

CODERS = ("ann", "ben", "cem", "dee")


def bring_texts(project: Project, names: Iterable[str]) -> None:
    """Add texts of two markables each."""
    marked = {f"{name}.txt": f"#title: {name.title()}\n[a cup](a) and [it](b)\n" for name in names}
    import_documents(project, [SourceDocument(plain.parse(marked[file], file), None) for file in marked])


def make_large_project() -> Project:
    """Make a project of twelve texts and four coders, which Charlie manages."""
    project = create_project("large", "Large", SCHEMES["poesio-artstein-2005"])
    add_member(project, person("charlie"), Membership.Role.MANAGER)
    for name in CODERS:
        add_member(project, person(name), Membership.Role.CODER)
    bring_texts(project, [f"t{number:02}" for number in range(12)])
    return project


def plan_request(round_name: str = "", due_on: date | None = None, **parameters: Any) -> PlanRequest:
    """Return a request for two coders a text, by the seed 7, or what else is said."""
    return PlanRequest(PlanParameters(**{"seed": 7, **parameters}), round_name, due_on=due_on)
