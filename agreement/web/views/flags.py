"""The flags, comments and questions of a project, to work through while the guidelines are edited."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Max
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from agreement import discussion
from agreement.data.texts.snippets import read_snippets
from agreement.models import Flag, Remark
from agreement.web.views.items import back_to_item, with_html
from annotations.models import Markable, Project, Question, User
from annotations.models.people.rights import Right
from annotations.projects.permissions import project_for
from annotations.texts.questions import read_threads
from annotations.web import markdown
from annotations.web.views.questions import describe_threads

PAGE_SIZE = 25
# Of more comments on one item, or replies to a question, the page shows the latest.
MOST_COMMENTS = 10
KINDS = {
    "all": "Flags and questions",
    "flags": "Flags",
    "questions": "Questions",
    "comments": "Comments without a flag",
}
STATES = {"open": "Open", "resolved": "Resolved"}


@login_required
@require_safe
def flags(request: HttpRequest, slug: str) -> HttpResponse:
    """Show flagged or discussed items, and questions of coders, in their context, with what was said of each."""
    project = project_for(request.user, slug, Right.DISCUSS)
    kind, state = _selection(request.GET)
    shown = Paginator(_entries(project, kind, state), PAGE_SIZE).get_page(request.GET.get("page"))
    page = list(shown.object_list)
    context = {
        "project": project,
        "rows": _rows(project, cast(User, request.user), page),
        "shown": shown,
        "kind": kind,
        "state": state,
        "kinds": [
            (urlencode({"kind": name, "state": state}), label, name == kind, _count(project, name, state))
            for name, label in KINDS.items()
        ],
        "states": [(urlencode({"kind": kind, "state": name}), label, name == state) for name, label in STATES.items()],
        "full_query": urlencode({"kind": kind, "state": state}),
        "guidelines_html": markdown.render(project.guidelines),
    }
    return render(request, "agreement/flags.html", context)


def _selection(query: QueryDict) -> tuple[str, str]:
    """Return the kind and the state that an address asks for; before there were questions, comments were a state."""
    kind, state = query.get("kind", "all"), query.get("state", "open")
    kind = "comments" if state == "comments" else kind
    return kind if kind in KINDS else "all", state if state in STATES else "open"


type Entry = tuple[str, int]


def _entries(project: Project, kind: str, state: str) -> list[Entry]:
    """Return what a list has, each as its kind and key: what is open the oldest first, all else the latest first."""
    if kind == "comments":
        commented = Markable.objects.filter(text__project=project, remarks__isnull=False, flag__isnull=True)
        latest = commented.annotate(latest=Max("remarks__created_at")).order_by("-latest", "pk")
        return [("item", pk) for pk in latest.values_list("pk", flat=True)]
    time = "resolved_at" if state == "resolved" else "created_at"
    found: list[tuple[datetime, str, int]] = []
    if kind in ("all", "flags"):
        flagged = _of_state(discussion.flags_of(project), state)
        found += [(at, "item", pk) for at, pk in flagged.values_list(time, "markable_id")]
    if kind in ("all", "questions"):
        asked = _of_state(Question.objects.filter(text__project=project), state)
        found += [(at, "question", pk) for at, pk in asked.values_list(time, "pk")]
    found.sort(reverse=state == "resolved")
    return [(what, pk) for _, what, pk in found]


def _of_state(rows: Any, state: str) -> Any:
    return rows.filter(resolved_at__isnull=state == "open").order_by()


def _count(project: Project, kind: str, state: str) -> int | None:
    """Return how many flags or questions of the state there are, which a link says."""
    if kind == "flags":
        return int(_of_state(discussion.flags_of(project), state).count())
    if kind == "questions":
        return int(_of_state(Question.objects.filter(text__project=project), state).count())
    return None


def _rows(project: Project, user: User, page: Sequence[Entry]) -> list[dict[str, Any]]:
    """Return the entries of a page for the template, in their order, by a fixed number of queries."""
    items = _items([pk for what, pk in page if what == "item"])
    keys = [pk for what, pk in page if what == "question"]
    questions = list(Question.objects.filter(pk__in=keys).select_related("coder", "resolved_by")) if keys else []
    described = describe_threads(read_threads(questions, project, user), MOST_COMMENTS) if questions else []
    threads = {one["question"].pk: {"thread": one} for one in described}
    rows = ((items if what == "item" else threads).get(pk) for what, pk in page)
    return [row for row in rows if row is not None]


def _items(markables: Sequence[int]) -> dict[int, dict[str, Any]]:
    """Return flagged or discussed items with their words, flag and comments."""
    if not markables:
        return {}
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
    return {
        pk: {
            "snippet": snippets[pk],
            "text": texts[pk][0],
            "title": texts[pk][1],
            "flag": flag_of.get(pk),
            "comments": with_html(comments[pk][-MOST_COMMENTS:]),
            "more": max(len(comments[pk]) - MOST_COMMENTS, 0),
        }
        for pk in markables
    }


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
