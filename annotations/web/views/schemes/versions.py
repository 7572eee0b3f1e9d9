"""The versions of the scheme of a project, what they left to complete, and what undoes their merges."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.core.validators import MaxValueValidator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from annotations.models.people.rights import Right
from annotations.models.project import may, may_change
from annotations.projects.permissions import project_for
from annotations.revision.completeness import (
    CodingLeft,
    codings_of,
    incomplete_judgements,
    judged_before,
    judgements_of_texts,
    words_of,
)
from annotations.revision.saving import SchemeRefused
from annotations.revision.undoing import merging_versions, undo_merges
from annotations.revision.versions import describe_versions, list_versions
from annotations.web.confirmation import Question, ask, is_confirmed
from annotations.web.views import signed_in_user

PAGE_SIZE = 25
LONGEST_LIST = 50


@require_safe
def versions(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the versions of the scheme, with what each of them changed."""
    project = project_for(request.user, slug)
    shown = Paginator(list_versions(project), PAGE_SIZE).get_page(request.GET.get("page"))
    undoes = may_change(project, Right.MANAGE_WORK)
    context = {
        "project": project,
        "shown": shown,
        "entries": describe_versions(project, list(shown)),
        "merging": merging_versions(project, [one.number for one in shown]) if undoes else (),
    }
    return render(request, "annotations/schemes/scheme_versions.html", context)


@require_POST
def undo(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Give judgements back what a version merged, once that is confirmed."""
    project = project_for(request.user, slug, Right.MANAGE_WORK)
    page = reverse("scheme-versions", args=[project.slug])
    if not is_confirmed(request):
        lines = [
            "What it merged is offered again, and judgements have it again that had it before.",
            "Judgements that their coders have given since stay as they are.",
            "This makes a new version; nothing is taken out of the log.",
        ]
        return ask(
            request,
            project,
            Question(f"Undo the merges of version {number}?", lines, "Undo the merges", page, "scheme"),
        )
    try:
        new = undo_merges(project, number, signed_in_user(request))
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    except SchemeRefused as error:
        messages.error(request, f"The merges are not undone. {' '.join(map(str, error.change.problems))}")
    else:
        messages.success(request, f"The merges of version {number} are undone. The scheme has version {new} now.")
    return redirect(page)


class BeforeForm(forms.Form):
    """Which judgements are listed: those from before a version; without one, those that lack an answer."""

    before = forms.IntegerField(required=False, min_value=2)

    def __init__(self, latest: int, *args: Any) -> None:
        super().__init__(*args)
        self.fields["before"].validators.append(MaxValueValidator(latest))


@require_safe
def to_complete(request: HttpRequest, slug: str) -> HttpResponse:
    """Show which codings lack answers that are required by now, or have some from before a version of the scheme.

    Who is blind to others sees their own.
    """
    project = project_for(request.user, slug)
    form = BeforeForm(project.scheme_version, request.GET)
    before = form.cleaned_data["before"] if form.is_valid() else None
    judgements = judgements_of_texts(project, request.user)
    found = judged_before(judgements, before) if before else incomplete_judgements(judgements)
    shown = Paginator(codings_of(found), LONGEST_LIST).get_page(request.GET.get("page"))
    rows = [CodingLeft(*row) for row in shown]
    words = words_of(found, [row.pk for row in rows])
    context = {
        "project": project,
        "form": form,
        "before": before,
        "shown": shown,
        "rows": [(row, words.get(row.pk, [])) for row in rows],
        "full_query": f"before={before}" if before else "",
        "reopens": may_change(project, Right.MANAGE_WORK),
        "reads": may(project, Right.SEE_RESULTS),
    }
    return render(request, "annotations/schemes/to_complete.html", context, status=200 if form.is_valid() else 400)
