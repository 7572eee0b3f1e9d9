"""A text of three coders, and gold drafted of their answers, on which they may be as many for one as for another."""

from __future__ import annotations

from typing import Any

from annotations.adjudication.drafts import DraftRequest, draft_gold
from annotations.adjudication.proposal import Method
from annotations.coding.status import submit_coding
from annotations.models import Coding, Membership, Project
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.members import add_member
from tests.shared.coding import change, judge_all
from tests.shared.projects import person
from tests.shared.schemes import BRIDGING, rich_project

CODERS = ("alice", "bob", "carol")
LABELS = "abcdef"
OTHERS = {label: {"category": "place", "attributes": {"gender": "n"}} for label in LABELS}
type Said = dict[str, dict[str, Any]]

LINKED = {"category": "none", "relations": {"bridging": [["a"]]}}

THREE_CATEGORIES: tuple[Said, ...] = (
    {"b": {"category": "place"}},
    {"b": {"category": "none"}},
    {"b": {"category": "phrase", "pointers": ["a"]}},
)
THREE_KINDS: tuple[Said, ...] = (
    {"b": LINKED | {"attributes": {"how": "part"}}},
    {"b": LINKED | {"attributes": {"how": "own"}}},
    {"b": {"category": "none"}},
)


def bridging_project() -> Project:
    """Make a project of the dialogue with bridging, assigned to three coders and managed by Charlie."""
    project = rich_project("tea-holes", BRIDGING)
    add_member(project, person("charlie"), Membership.Role.MANAGER)
    for name in CODERS:
        add_member(project, person(name), Membership.Role.CODER)
        assign_texts(project, project.texts.all(), [person(name)])
    return project


def keys_of(project: Project) -> dict[str, str]:
    return dict(project.texts.get().markables.values_list("label", "key"))


def answer(coding: Coding, said: Said) -> None:
    """Let the coder of a coding answer so at markables, by their labels."""
    keys = keys_of(coding.text.project)
    changes = []
    for label, fields in said.items():
        relations = fields.get("relations", {})
        pointed = {
            "pointers": [keys[target] for target in fields.get("pointers", [])],
            "relations": {key: [[keys[target] for target in its] for its in said] for key, said in relations.items()},
        }
        changes.append(change(markable=keys[label], **(fields | pointed)))
    judge_all(coding, changes)


def drafted(project: Project, *answers: Said, method: Method = Method.MOST) -> Coding:
    """Return gold in Charlie's hands of what the coders submitted: these answers, else that all is a neuter place."""
    for name, said in zip(CODERS, answers, strict=True):
        coding = (
            Coding.objects.of_people()
            .select_related("coder", "text__project")
            .get(text__project=project, coder__username=name)
        )
        answer(coding, {label: fields for label, fields in (OTHERS | said).items() if fields})
        submit_coding(coding, coding.coder)
    draft_gold(project, DraftRequest(method, adjudicator="charlie"))
    return Coding.objects.select_related("text__project", "coder", "round").get(kind="gold")
