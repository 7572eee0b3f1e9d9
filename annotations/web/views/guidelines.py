"""The guidelines of a project: the text, its versions, and the difference between two."""

from __future__ import annotations

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from annotations.models import GuidelinesVersion, Project
from annotations.models.people.rights import Right
from annotations.models.project import may_change
from annotations.projects.guidelines import bound_difference, difference, guidelines_news, record_reading
from annotations.projects.permissions import project_for
from annotations.web import markdown
from annotations.web.paging import page_of
from annotations.web.views import signed_in_user

PAGE_SIZE = 25


class VersionsForm(forms.Form):
    """Two versions to compare, by number."""

    before = forms.IntegerField(min_value=1, label="Version")
    after = forms.IntegerField(min_value=1, label="with version")


class ReadingForm(forms.Form):
    """The version that was read."""

    number = forms.IntegerField(min_value=1)


@require_safe
def guidelines(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the guidelines and the list of their versions."""
    project = project_for(request.user, slug)
    versions = GuidelinesVersion.objects.filter(project=project).select_related("author").defer("body")
    shown = page_of(request, versions, size=PAGE_SIZE)
    latest = versions.first() if shown.has_previous() else next(iter(shown), None)
    number = latest.number if latest else 0
    context = {
        "project": project,
        "shown": shown,
        "latest": number,
        "news": guidelines_news(project, signed_in_user(request)),
        "guidelines_html": markdown.render(project.guidelines),
        "form": VersionsForm(initial={"before": max(number - 1, 1), "after": number}) if number > 1 else None,
        "manages": may_change(project, Right.MANAGE),
    }
    return render(request, "annotations/guidelines/guidelines.html", context)


@require_safe
def version(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show one version of the guidelines."""
    project = project_for(request.user, slug)
    row = _version(project, number)
    earlier = GuidelinesVersion.objects.filter(project=project, number__lt=number).values_list("number", flat=True)
    context = {"project": project, "version": row, "html": markdown.render(row.body), "earlier": earlier.first()}
    return render(request, "annotations/guidelines/version.html", context)


@require_safe
def compare(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the difference between two versions of the guidelines."""
    project = project_for(request.user, slug)
    form = VersionsForm(request.GET)
    if not form.is_valid():
        return render(request, "annotations/guidelines/difference.html", {"project": project, "form": form}, status=400)
    before, after = sorted((form.cleaned_data["before"], form.cleaned_data["after"]))
    old, new = _version(project, before), _version(project, after)
    context = {
        "project": project,
        "form": form,
        "old": old,
        "new": new,
        "difference": bound_difference(difference(old.body, new.body)),
        "news": guidelines_news(project, signed_in_user(request)),
    }
    return render(request, "annotations/guidelines/difference.html", context)


@require_POST
def read(request: HttpRequest, slug: str) -> HttpResponse:
    """Record that the user has read a version of the guidelines."""
    project = project_for(request.user, slug)
    form = ReadingForm(request.POST)
    if form.is_valid():
        record_reading(project, signed_in_user(request), form.cleaned_data["number"])
    return redirect("guidelines", project.slug)


def _version(project: Project, number: int) -> GuidelinesVersion:
    row = GuidelinesVersion.objects.filter(project=project, number=number).select_related("author").first()
    if row is None:
        raise Http404("There is no such version.")
    return row
