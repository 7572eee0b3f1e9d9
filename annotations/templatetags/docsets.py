"""What templates of docsets need."""

from django import template

from annotations.docset_progress import Work
from annotations.models import Project

register = template.Library()


@register.simple_tag
def page_of(work: Work, project: Project) -> str:
    """The address at which its coder goes on with a coding of summaries."""
    return work.page(project)


@register.simple_tag
def reopening(work: Work, project: Project) -> str:
    """The address at which a manager gives it back."""
    return work.reopening(project)
