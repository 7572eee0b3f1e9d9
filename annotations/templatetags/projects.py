"""What the project pages share."""

from typing import Any

from django import template
from django.urls import reverse

from annotations.models import Project
from annotations.permissions import Right, may

register = template.Library()

TABS = (
    ("overview", "Overview", "project", Right.BE_HERE),
    ("docsets", "Docsets", "docsets", Right.BE_HERE),
    ("agreement", "Agreement", "agreement", Right.SEE_RESULTS),
    ("items", "Items", "items", Right.SEE_RESULTS),
    ("coders", "Coders", "coders", Right.SEE_RESULTS),
    ("categories", "Categories", "categories", Right.SEE_RESULTS),
    ("texts", "Texts", "texts", Right.SEE_RESULTS),
    ("course", "Over time", "course", Right.SEE_RESULTS),
    ("scores", "Scores", "scores", Right.SEE_RESULTS),
    ("study", "Study", "study", Right.SEE_RESULTS),
    ("scus", "SCUs", "scus", Right.SEE_RESULTS),
    ("peers", "Peers", "peers", Right.SEE_RESULTS),
    ("scheme", "Scheme", "scheme", Right.BE_HERE),
    ("members", "Members", "members", Right.MANAGE),
    ("assign", "Assign", "assign", Right.MANAGE),
    ("transfers", "Imports and exports", "transfers", Right.SEE_RESULTS),
)
# Pages that only pyramids have, and those that say nothing of them: their units have one category, and docsets are
# assigned on their own pages.
OF_PYRAMIDS = ("docsets", "scores", "study", "scus", "peers")
NOT_OF_PYRAMIDS = ("categories", "assign")


@register.inclusion_tag("annotations/tabs.html")
def project_tabs(project: Project, current: str, query: str = "") -> dict[str, Any]:
    """The tabs of a project that the person may open; `current` is the key of the open one.

    `query` is how agreement is computed, which the tabs on results keep.
    """
    left_out = NOT_OF_PYRAMIDS if project.answers == Project.Answers.SCUS else OF_PYRAMIDS
    return {
        "tabs": [
            {
                "label": label,
                "address": reverse(name, args=[project.slug])
                + (f"?{query}" if query and right is Right.SEE_RESULTS else ""),
                "current": key == current,
            }
            for key, label, name, right in TABS
            if may(project, right) and key not in left_out
        ]
    }
