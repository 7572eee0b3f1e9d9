"""Where the pages of a project lead: its tabs, where a new project opens, and what other applications add to pages.

The applications above this one register what they have in their `AppConfig.ready()`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from annotations.models import Project
from annotations.models.project import may
from annotations.models.rights import Right

# Of pyramids, and of all other projects.
PYRAMIDS = (Project.Answers.SCUS.value,)
NO_PYRAMIDS = tuple(kind for kind in Project.Answers.values if kind not in PYRAMIDS)

# Places of pages that other applications add to.
type Slot = Literal["overview", "overview_head", "scheme"]


@dataclass(frozen=True, slots=True)
class Tab:
    """A tab of a project: the name of its route, the right it takes, and the kinds of answers that have such a page.

    Tabs stand in the order of `position`.
    """

    key: str
    label: str
    route: str
    right: Right
    position: int
    answers: tuple[str, ...] = tuple(Project.Answers.values)


@dataclass(frozen=True, slots=True)
class Landing:
    """The page that a new project opens with, and what it is told there."""

    route: str
    message: str


_tabs: dict[str, Tab] = {
    tab.key: tab
    for tab in (
        Tab("overview", "Overview", "project", Right.VIEW_PROJECT, 10),
        Tab("project-texts", "Texts", "project-texts", Right.SEE_RESULTS, 15, NO_PYRAMIDS),
        Tab("docsets", "Docsets", "docsets", Right.VIEW_PROJECT, 20, PYRAMIDS),
        Tab("scheme", "Scheme", "scheme", Right.VIEW_PROJECT, 200),
        Tab("members", "Members", "members", Right.MANAGE, 210),
        Tab("assign", "Assign", "assign", Right.MANAGE, 220, NO_PYRAMIDS),
        Tab("transfers", "Imports and exports", "transfers", Right.SEE_RESULTS, 230),
    )
}
_fragments: dict[Slot, list[str]] = defaultdict(list)
_landings: dict[str, Landing] = {
    **dict.fromkeys(NO_PYRAMIDS, Landing("project", "Project created. Next: import texts.")),
    **dict.fromkeys(PYRAMIDS, Landing("docsets", "Project created. Next: add the summaries of a docset.")),
}


def register_tabs(*tabs: Tab) -> None:
    """Add tabs to the pages of projects."""
    _tabs.update({tab.key: tab for tab in tabs})


def tabs_for(project: Project) -> list[Tab]:
    """Return the tabs that the project has and its member may open, in their order."""
    tabs = sorted(_tabs.values(), key=lambda tab: tab.position)
    return [tab for tab in tabs if project.answers in tab.answers and may(project, tab.right)]


def register_fragment(slot: Slot, template: str) -> None:
    """Include a template in a place of the pages of projects."""
    if template not in _fragments[slot]:
        _fragments[slot].append(template)


def fragments_for(slot: Slot) -> Sequence[str]:
    """Return the templates that a place includes."""
    return tuple(_fragments[slot])


def register_landing(answers: Sequence[str], landing: Landing) -> None:
    """Let new projects of some kinds of answers open with another page."""
    _landings.update(dict.fromkeys(answers, landing))


def landing_for(project: Project) -> Landing:
    """Return the page that a new project opens with."""
    return _landings[project.answers]
