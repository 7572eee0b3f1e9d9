"""The datasheet of a project."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from agreement.sections.pages import registry
from agreement.web.views.page import show_page


@login_required
@require_safe
def datasheet(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what is known of the project for those who use its corpus."""
    return show_page(request, slug, registry.DATASHEET)
