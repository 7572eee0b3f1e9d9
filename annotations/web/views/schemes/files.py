"""The scheme of a project as a file: downloaded, and uploaded with a preview of what it changes."""

from __future__ import annotations

import json

from django import forms
from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from annotations.formats import FormatError
from annotations.formats.model.scheme import SchemeSpec
from annotations.formats.model.scheme_json import SchemeShapeError, scheme_from_json, scheme_to_json
from annotations.formats.schemes import read_scheme
from annotations.formats.schemes.scheme_file import MOST_UNPACKED_BYTES
from annotations.models import Project
from annotations.models.people.rights import Right
from annotations.projects.permissions import project_for
from annotations.revision.saving import SchemeMoved, SchemeRefused, save_scheme, scheme_tag
from annotations.schemes.changes import asks_otherwise, plan_change
from annotations.transfers.scheme_files import export_scheme
from annotations.web.views import signed_in_user

IMPORT_PAGE = "annotations/schemes/import_scheme.html"
LONGEST_JSON = 2_000_000


class SchemeFileForm(forms.Form):
    """A file with a scheme."""

    file = forms.FileField(
        label="Scheme",
        help_text="A scheme exported here (JSON), annotation schemes of MMAX2 (XML or a zip), annotation.conf of brat "
        "(alone or in a zip with visual.conf), or layers of INCEpTION or WebAnno (JSON, a type system, a project).",
    )

    def clean_file(self) -> UploadedFile:  # type: ignore[type-arg]
        file: UploadedFile = self.cleaned_data["file"]  # type: ignore[type-arg]
        if (file.size or 0) > MOST_UNPACKED_BYTES:
            raise forms.ValidationError(f"The limit is {MOST_UNPACKED_BYTES // 1_000_000} MB.")
        return file


class SchemeConfirmationForm(forms.Form):
    """A scheme whose preview was seen, and the tag of the one that it replaces."""

    scheme = forms.CharField(widget=forms.HiddenInput, max_length=LONGEST_JSON)
    tag = forms.CharField(widget=forms.HiddenInput, max_length=100)


@require_safe
def export(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the scheme of the project as a file."""
    project = project_for(request.user, slug, Right.VIEW_PROJECT)
    try:
        download = export_scheme(project, request.GET.get("format", "json"))
    except FormatError as error:
        return HttpResponse(error.message, status=400, content_type="text/plain; charset=utf-8")
    headers = {"Content-Disposition": f'attachment; filename="{download.name}"'}
    return HttpResponse(download.data, content_type=download.content_type, headers=headers)


@require_http_methods(["GET", "HEAD", "POST"])
def import_(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what the scheme of a file would change, and change it once that is confirmed."""
    project = project_for(request.user, slug, Right.MANAGE, changes=True)
    if "scheme" in request.POST:
        return _save(request, project)
    form = SchemeFileForm(request.POST, request.FILES) if request.method == "POST" else SchemeFileForm()
    context = {"project": project, "form": form}
    if request.method == "POST" and form.is_valid():
        file = form.cleaned_data["file"]
        try:
            read = read_scheme(file.read(), file.name)
        except FormatError as error:
            form.add_error("file", str(error))
        else:
            return _preview(request, project, read.spec, read.answers, [str(loss) for loss in read.losses])
    return render(request, IMPORT_PAGE, context, status=400 if form.errors else 200)


def _preview(
    request: HttpRequest, project: Project, spec: SchemeSpec, answers: str, losses: list[str], status: int = 200
) -> HttpResponse:
    """Show the scheme with what is wrong with it, what it does, and what of the file is lost."""
    _refuse_without_right(request, project, spec, answers)
    data = scheme_to_json(spec.with_pointing(), answers)
    try:
        scheme_from_json(data)
    except SchemeShapeError as error:
        problems, change = [str(problem) for problem in error.problems], None
    else:
        change = plan_change(project, spec, answers=answers)
        problems = [str(problem) for problem in change.problems]
    context = {
        "project": project,
        "scheme": data,
        "losses": losses,
        "problems": problems,
        "change": change,
        "form": SchemeFileForm(),
        "confirmation": SchemeConfirmationForm(
            initial={"scheme": json.dumps(data, ensure_ascii=False), "tag": scheme_tag(project)}
        ),
    }
    return render(request, IMPORT_PAGE, context, status=status)


def _refuse_without_right(request: HttpRequest, project: Project, spec: SchemeSpec, answers: str) -> None:
    """Once there are texts, only managers who see all work may change what coders are asked."""
    if project.texts.exists() and asks_otherwise(project, spec, answers):
        project_for(request.user, project.slug, Right.MANAGE_WORK)


def _save(request: HttpRequest, project: Project) -> HttpResponse:
    form = SchemeConfirmationForm(request.POST)
    try:
        if not form.is_valid():
            raise ValueError("no scheme was sent")
        spec, answers = scheme_from_json(json.loads(form.cleaned_data["scheme"]))
    except (ValueError, RecursionError):
        messages.error(request, "The scheme could not be read. Upload its file again.")
        return redirect("import-scheme", project.slug)
    _refuse_without_right(request, project, spec, answers)
    try:
        save_scheme(project, spec, signed_in_user(request), answers=answers, expected=form.cleaned_data["tag"])
    except SchemeRefused:
        return _preview(request, project, spec, answers, [], status=400)
    except SchemeMoved:
        messages.error(request, "Somebody has changed the scheme meanwhile. Look at what would change now.")
        project.refresh_from_db()
        return _preview(request, project, spec, answers, [], status=409)
    messages.success(request, "The project has the scheme of the file now.")
    return redirect("scheme", project.slug)
