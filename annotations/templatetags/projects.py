"""What the project pages share."""

from typing import Any

from django import template
from django.urls import reverse

from annotations.models import Project
from annotations.permissions import Right, may

register = template.Library()

TABS = (
    ("overview", "Overview", "project", Right.BE_HERE),
    ("agreement", "Agreement", "agreement", Right.SEE_RESULTS),
    ("items", "Items", "items", Right.SEE_RESULTS),
    ("scheme", "Scheme", "scheme", Right.BE_HERE),
    ("members", "Members", "members", Right.MANAGE),
    ("assign", "Assign", "assign", Right.MANAGE),
    ("import", "Import", "import", Right.MANAGE),
)


@register.inclusion_tag("annotations/tabs.html")
def project_tabs(project: Project, current: str) -> dict[str, Any]:
    """The tabs of a project that the person may open; `current` is the key of the open one."""
    return {
        "tabs": [
            {"label": label, "address": reverse(name, args=[project.slug]), "current": key == current}
            for key, label, name, right in TABS
            if may(project, right)
        ]
    }
