"""The tabs of a project, and additions of other apps to its pages, registered in `AppConfig.ready()`."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from annotations.models import Project
from annotations.models.people.rights import Right
from annotations.models.project import may, may_change, may_see_models

PYRAMIDS = (Project.Answers.SCUS.value,)
NO_PYRAMIDS = tuple(kind for kind in Project.Answers.values if kind not in PYRAMIDS)

# The purpose of a tab, by which tabs are grouped: annotating, reading results, moving data.
type Group = Literal["annotate", "results", "data"]

# The groups in their order; the last needs no heading.
GROUPS: dict[Group, str] = {"annotate": "Annotate", "results": "Results", "data": ""}

# Places on pages where other applications add content.
type Slot = Literal["export", "overview", "overview_head", "scheme", "unanswered"]


@dataclass(frozen=True, slots=True)
class Tab:
    """A tab of a project, with its route, its right, and its kinds of answers; tabs are sorted by `position`."""

    key: str
    label: str
    route: str
    right: Right
    position: int
    answers: tuple[str, ...] = tuple(Project.Answers.values)
    group: Group = "annotate"
    unless: Right | None = None  # users with this right have another tab for the same
    changes: bool = False  # the page is a form, which archived projects do not have
    about_models: bool = False  # only for users who may know of models


_tabs: dict[str, Tab] = {
    tab.key: tab
    for tab in (
        Tab("overview", "Overview", "project", Right.VIEW_PROJECT, 10),
        Tab("project-texts", "Texts", "project-texts", Right.READ_TEXTS, 15, NO_PYRAMIDS),
        Tab("docsets", "Docsets", "docsets", Right.VIEW_PROJECT, 20, PYRAMIDS),
        Tab("members", "People", "members", Right.MANAGE, 30),
        Tab("assign", "Assignments", "assign", Right.MANAGE, 40, NO_PYRAMIDS, changes=True),
        Tab("rounds", "Rounds", "rounds", Right.READ_TEXTS, 35),
        Tab("scheme", "Scheme and guidelines", "scheme", Right.VIEW_PROJECT, 50),
        Tab("questions", "Questions", "questions", Right.VIEW_PROJECT, 60, unless=Right.DISCUSS),
        Tab("transfers", "Import and export", "transfers", Right.SEE_RESULTS, 300, group="data"),
        Tab("settings", "Settings", "project-settings", Right.MANAGE, 310, group="data"),
    )
}
_fragments: dict[Slot, list[str]] = defaultdict(list)


def register_tabs(*tabs: Tab) -> None:
    _tabs.update({tab.key: tab for tab in tabs})


def tabs_for(project: Project) -> dict[Group, list[Tab]]:
    """Return the tabs of the project that its reader may open, by group, in order."""
    tabs = sorted(_tabs.values(), key=lambda tab: tab.position)
    allowed = [tab for tab in tabs if project.answers in tab.answers and _may_open(project, tab)]
    groups = {group: [tab for tab in allowed if tab.group == group] for group in GROUPS}
    return {group: tabs for group, tabs in groups.items() if tabs}


def _may_open(project: Project, tab: Tab) -> bool:
    if tab.changes and not may_change(project, tab.right):
        return False
    if tab.about_models and not may_see_models(project):
        return False
    return may(project, tab.right) and not (tab.unless is not None and may(project, tab.unless))


def register_fragment(slot: Slot, template: str) -> None:
    """Include a template in a slot of the pages of projects."""
    if template not in _fragments[slot]:
        _fragments[slot].append(template)


def fragments_for(slot: Slot) -> Sequence[str]:
    return tuple(_fragments[slot])
