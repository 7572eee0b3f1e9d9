"""The pages of results that only show them."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from agreement.sections.pages import registry
from agreement.web.views.page import draws_charts, show_page


@login_required
@draws_charts
@require_safe
def agreement(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the coefficient asked for, with its interval, and beside it alpha with every distance."""
    return show_page(request, slug, registry.AGREEMENT)


@login_required
@draws_charts
@require_safe
def grid(request: HttpRequest, slug: str) -> HttpResponse:
    """Show every chain construction by every distance."""
    return show_page(request, slug, registry.GRID)


@login_required
@draws_charts
@require_safe
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what each single choice does to the number."""
    return show_page(request, slug, registry.COMPARE)


@login_required
@require_safe
def difference(request: HttpRequest, slug: str) -> HttpResponse:
    """Show how two rounds, groups of coders or categories differ."""
    return show_page(request, slug, registry.DIFFERENCE)


@login_required
@draws_charts
@require_safe
def groups(request: HttpRequest, slug: str) -> HttpResponse:
    """Show agreement within and between groups of coders."""
    return show_page(request, slug, registry.GROUPS)


@login_required
@require_safe
def methods(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a paragraph for a paper."""
    return show_page(request, slug, registry.METHODS)


@login_required
@require_safe
def data(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what coders answered, and the integers of their values."""
    return show_page(request, slug, registry.DATA)


@login_required
@require_safe
def allows(request: HttpRequest, slug: str) -> HttpResponse:
    """Show which measures, views and exports the project's scheme allows, and which not."""
    return show_page(request, slug, registry.ALLOWS)


@login_required
@draws_charts
@require_safe
def coders(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the matrix of pairs, each coder against the rest, and their profiles."""
    return show_page(request, slug, registry.CODERS)


@login_required
@draws_charts
@require_safe
def pair(request: HttpRequest, slug: str, first: str, second: str) -> HttpResponse:
    """Show every measure of two coders, how they differ, and on which categories."""
    return show_page(request, slug, registry.PAIR, first=first, second=second)


@login_required
@draws_charts
@require_safe
def coreference(request: HttpRequest, slug: str) -> HttpResponse:
    """Show coreference scores of two coders, over all texts and in each."""
    return show_page(request, slug, registry.COREFERENCE)


@login_required
@draws_charts
@require_safe
def models(request: HttpRequest, slug: str) -> HttpResponse:
    """Show one model beside the people who are chosen."""
    return show_page(request, slug, registry.MODELS)


@login_required
@draws_charts
@require_safe
def gold(request: HttpRequest, slug: str) -> HttpResponse:
    """Show each coder, group and imported system against gold."""
    return show_page(request, slug, registry.GOLD)


@login_required
@draws_charts
@require_safe
def course(request: HttpRequest, slug: str) -> HttpResponse:
    """Show agreement, each coder's and all, and the time a judgement takes, stage by stage."""
    return show_page(request, slug, registry.COURSE)


@login_required
@draws_charts
@require_safe
def planning(request: HttpRequest, slug: str) -> HttpResponse:
    """Show how many texts are enough for an interval, a bound and a difference."""
    return show_page(request, slug, registry.PLANNING)


@login_required
@draws_charts
@require_safe
def scores(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the scores of every peer by every coder, and of every system."""
    return show_page(request, slug, registry.SCORES)


@login_required
@draws_charts
@require_safe
def study(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the scores of the same peers by the own pyramids of two coders."""
    return show_page(request, slug, registry.STUDY)


@login_required
@require_safe
def scus(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the SCUs of two coders of one docset: matched and related, or the subsumption table."""
    return show_page(request, slug, registry.SCUS)


@login_required
@draws_charts
@require_safe
def peers(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what several coders found in the same peers against the agreed pyramid, and where they differ."""
    return show_page(request, slug, registry.PEERS)
