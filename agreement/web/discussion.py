"""Views of comments on items, flags and questions of coders, from which the guidelines are edited."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Max, Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from agreement import discussion
from agreement.data.documents import row_key
from agreement.data.texts import read_snippets
from agreement.models import Flag, Remark
from agreement.reports.wording import LABELS
from agreement.web.forms import FlagForm, RemarkForm
from annotations.models import Markable, Project, Question, User
from annotations.models.people.rights import Right
from annotations.projects.permissions import project_for
from annotations.texts.questions import read_threads
from annotations.web.views.questions import describe_threads

PAGE_SIZE = 25
# The latest comments on an item, or replies to a question, that a page shows.
MAX_COMMENTS = 10
KINDS = LABELS["discussion"]
STATES = {"open": "Open", "resolved": "Resolved"}


@require_safe
def flags(request: HttpRequest, slug: str) -> HttpResponse:
    """Show flagged or discussed items and questions of coders, in context, with their comments or replies."""
    project = project_for(request.user, slug, Right.DISCUSS)
    kind, state = request.GET.get("kind", "all"), request.GET.get("state", "open")
    kind = "comments" if state == "comments" else kind  # old URLs have comments as a state
    kind, state = kind if kind in KINDS else "all", state if state in STATES else "open"
    shown = Paginator(_entries(project, kind, state), PAGE_SIZE).get_page(request.GET.get("page"))
    counts = {name: rows.count() for name, rows in _of_state(project, state).items()}
    context = {
        "project": project,
        "rows": _rows(project, cast(User, request.user), list(shown.object_list)),
        "shown": shown,
        "kind": kind,
        "state": state,
        "kinds": [(name, label, counts.get(name)) for name, label in KINDS.items()],
        "states": STATES,
    }
    return render(request, "agreement/flags.html", context)


def _entries(project: Project, kind: str, state: str) -> list[tuple[str, int]]:
    """Return the entries of a list by kind and key: open ones oldest first, others latest first."""
    if kind == "comments":
        commented = Markable.objects.filter(text__project=project, remarks__isnull=False, flag__isnull=True)
        latest = commented.annotate(latest=Max("remarks__created_at")).order_by("-latest", "pk")
        return [("flags", pk) for pk in latest.values_list("pk", flat=True)]
    time = "resolved_at" if state == "resolved" else "created_at"
    found = list[tuple[datetime, str, int]]()
    for name, key in (("flags", "markable_id"), ("questions", "pk")):
        if kind in ("all", name):
            found += ((at, name, pk) for at, pk in _of_state(project, state)[name].values_list(time, key))
    return [(name, pk) for _, name, pk in sorted(found, reverse=state == "resolved")]


def _of_state(project: Project, state: str) -> dict[str, QuerySet[Any]]:
    rows = {"flags": discussion.flags_of(project), "questions": Question.objects.filter(text__project=project)}
    return {name: query.filter(resolved_at__isnull=state == "open").order_by() for name, query in rows.items()}


def _rows(project: Project, user: User, page: Sequence[tuple[str, int]]) -> list[dict[str, Any]]:
    items = _items([pk for name, pk in page if name == "flags"])
    keys = [pk for name, pk in page if name == "questions"]
    questions = list(Question.objects.filter(pk__in=keys).select_related("coder", "resolved_by")) if keys else []
    described = describe_threads(read_threads(questions, project, user), MAX_COMMENTS) if questions else []
    threads = {thread["question"].pk: {"thread": thread} for thread in described}
    rows = ((items if name == "flags" else threads).get(pk) for name, pk in page)
    return [row for row in rows if row is not None]


def _items(markables: Sequence[int]) -> dict[int, dict[str, Any]]:
    rows = Markable.objects.filter(pk__in=markables).select_related("text", "flag__author", "flag__resolved_by")
    comments = Prefetch("remarks", Remark.objects.select_related("author"))
    snippets = read_snippets(markables)
    return {
        item.pk: {
            "snippet": snippets[item.pk],
            "text": item.text.slug,
            "title": item.text.title,
            "flag": getattr(item, "flag", None),
            "comments": [*item.remarks.all()][-MAX_COMMENTS:],
            "more": max(len(item.remarks.all()) - MAX_COMMENTS, 0),
        }
        for item in rows.defer("text__content").prefetch_related(comments)
    }


@require_POST
def resolve(request: HttpRequest, slug: str, text: str, key: str) -> HttpResponse:
    """Resolve the flag of an item; the flag stays readable."""
    markable = discussion.get_item(project_for(request.user, slug, Right.DISCUSS), text, key)
    if discussion.resolve_flag(markable, cast(User, request.user)):
        messages.success(request, "Flag resolved.")
    else:
        messages.info(request, "There is no open flag on this item.")
    if request.POST.get("from") == "flags":
        return redirect(reverse("flags", args=[slug]))
    return back_to_item(request, slug, text, key)


def discussion_of(item: int) -> dict[str, Any]:
    """Return the comments and the flag of an item, with the forms to add to them."""
    unit = row_key(item)
    return {
        "remarks": Remark.objects.filter(markable=unit).select_related("author"),
        "flag": Flag.objects.filter(markable=unit).select_related("author", "resolved_by").first(),
        "flag_form": FlagForm(),
        "remark_form": RemarkForm(),
    }


@require_POST
def remark(request: HttpRequest, slug: str, text: str, key: str) -> HttpResponse:
    """Add a comment to an item."""
    markable = discussion.get_item(project_for(request.user, slug, Right.DISCUSS), text, key)
    form = RemarkForm(request.POST)
    if form.is_valid():
        discussion.add_remark(markable, cast(User, request.user), form.cleaned_data["body"])
    else:
        messages.error(request, f"Comment not saved: {form.errors['body'].as_text()}")
    return back_to_item(request, slug, text, key)


@require_POST
def withdraw(request: HttpRequest, slug: str, text: str, key: str, pk: int) -> HttpResponse:
    """Delete the user's own comment on an item."""
    markable = discussion.get_item(project_for(request.user, slug, Right.DISCUSS), text, key)
    discussion.withdraw_remark(markable, pk, cast(User, request.user))
    return back_to_item(request, slug, text, key)


@require_POST
def flag(request: HttpRequest, slug: str, text: str, key: str) -> HttpResponse:
    """Flag an item for the guidelines, or remove its flag."""
    markable = discussion.get_item(project_for(request.user, slug, Right.DISCUSS), text, key)
    form = FlagForm(request.POST)
    if form.is_valid():
        on = request.POST.get("on") == "1"
        discussion.set_flag(markable, cast(User, request.user), on, form.cleaned_data["reason"])
    else:
        messages.error(request, f"Flag not saved: {form.errors['reason'].as_text()}")
    return back_to_item(request, slug, text, key)


def back_to_item(request: HttpRequest, slug: str, text: str, key: str) -> HttpResponse:
    """Redirect to the item with the same parameters and options."""
    query = request.GET.urlencode()
    return redirect(reverse("item", args=[slug, text, key]) + (f"?{query}" if query else "") + "#discussion")
