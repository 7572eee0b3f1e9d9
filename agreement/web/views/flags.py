"""The flags and comments of a project, to work through while the guidelines are edited."""

from __future__ import annotations

from collections import defaultdict
from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Max
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from agreement import discussion
from agreement.data.snippets import read_snippets
from agreement.models import Flag, Remark
from agreement.web.views.items import back_to_item, with_html
from annotations.models import Markable, Project, User
from annotations.models.rights import Right
from annotations.projects.permissions import project_for

PAGE_SIZE = 25
# Of more comments on one item the page shows the latest; all of them stand on the item.
MOST_COMMENTS = 10
STATES = {"open": "Open flags", "comments": "Comments without a flag", "resolved": "Resolved flags"}


@login_required
@require_safe
def flags(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the flagged or discussed items in their context, with what was said of each."""
    project = project_for(request.user, slug, Right.DISCUSS)
    state = request.GET.get("state", "open")
    state = state if state in STATES else "open"
    shown = Paginator(_items_of(project, state), PAGE_SIZE).get_page(request.GET.get("page"))
    markables = list(shown.object_list)
    flag_of = {
        one.markable_id: one
        for one in Flag.objects.filter(markable__in=markables).select_related("author", "resolved_by")
    }
    rows_of_texts = Markable.objects.filter(pk__in=markables).values_list("pk", "text__slug", "text__title")
    texts = {pk: (slug, title) for pk, slug, title in rows_of_texts}
    comments: dict[int, list[Remark]] = defaultdict(list)
    for one in Remark.objects.filter(markable__in=markables).select_related("author"):
        comments[one.markable_id].append(one)
    snippets = read_snippets(markables)
    rows = [
        {
            "snippet": snippets[pk],
            "text": texts[pk][0],
            "title": texts[pk][1],
            "flag": flag_of.get(pk),
            "comments": with_html(comments[pk][-MOST_COMMENTS:]),
            "more": max(len(comments[pk]) - MOST_COMMENTS, 0),
        }
        for pk in markables
    ]
    context = {
        "project": project,
        "rows": rows,
        "shown": shown,
        "state": state,
        "states": [(name, label, name == state) for name, label in STATES.items()],
        "full_query": f"state={state}",
    }
    return render(request, "agreement/flags.html", context)


@login_required
@require_POST
def resolve(request: HttpRequest, slug: str, text: str, key: str) -> HttpResponse:
    """Resolve the flag of an item, which stays readable."""
    project = project_for(request.user, slug, Right.DISCUSS)
    markable = discussion.get_item(project, text, key)
    if discussion.resolve_flag(markable, cast(User, request.user)):
        messages.success(request, "Flag resolved.")
    else:
        messages.info(request, "There is no open flag on this item.")
    if request.POST.get("from") == "flags":
        return redirect(reverse("flags", args=[slug]))
    return back_to_item(request, slug, text, key)


def _items_of(project: Project, state: str) -> list[int]:
    """Return the markables of a list: open flags oldest first, resolved ones and comments latest first."""
    if state == "comments":
        commented = Markable.objects.filter(text__project=project, remarks__isnull=False, flag__isnull=True)
        latest = commented.annotate(latest=Max("remarks__created_at")).order_by("-latest", "pk")
        return list(latest.values_list("pk", flat=True))
    if state == "open":
        found = discussion.open_flags(project).order_by("created_at", "pk")
    else:
        resolved = Flag.objects.filter(markable__text__project=project, resolved_at__isnull=False)
        found = resolved.order_by("-resolved_at", "pk")
    return list(found.values_list("markable_id", flat=True))
