"""Template tags that the project pages share."""

from collections.abc import Sequence
from typing import Any

from django import template
from django.urls import reverse

from annotations.models import Project
from annotations.projects.navigation import GROUPS, Slot, fragments_for, tabs_for

register = template.Library()


@register.inclusion_tag("annotations/projects/tabs.html")
def project_tabs(project: Project, current: str, query: str = "") -> dict[str, Any]:
    """Return the tabs of a project that the user may open; those of results keep the `query` of agreement."""
    return {
        "groups": [
            (
                group,
                GROUPS[group],
                [
                    {
                        "label": tab.label,
                        "address": reverse(tab.route, args=[project.slug])
                        + (f"?{query}" if query and group == "results" else ""),
                        "current": tab.key == current,
                    }
                    for tab in tabs
                ],
            )
            for group, tabs in tabs_for(project).items()
        ]
    }


@register.simple_tag
def fragments(slot: Slot) -> Sequence[str]:
    """Return the templates that other applications include in a place of a page."""
    return fragments_for(slot)
