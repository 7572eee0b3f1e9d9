"""Template tags for docsets."""

from django import template

from annotations.docsets.progress import CodingProgress
from annotations.models import Project

register = template.Library()


@register.simple_tag
def page_of(coding: CodingProgress, project: Project) -> str:
    """Return the address of the page on which its coder codes a coding of summaries."""
    return coding.address(project)


@register.simple_tag
def own_reopening(coding: CodingProgress, project: Project) -> str:
    """Return the address of the page on which its coder reopens a coding of summaries."""
    return coding.own_reopen_address(project)


@register.simple_tag
def reopening(coding: CodingProgress, project: Project) -> str:
    """Return the address to which a manager posts to reopen the coding."""
    return coding.reopen_address(project)
