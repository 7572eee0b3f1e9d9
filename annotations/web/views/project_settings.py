"""The page of the settings of a project: say what its datasheet says, archive it, open it again, copy it, delete it."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from annotations.core.text import pluralize
from annotations.models import Coding, Project, Transfer
from annotations.models.people.rights import Right
from annotations.models.project import may, may_change
from annotations.models.transfers.transfer import ARCHIVE
from annotations.projects.permissions import project_for
from annotations.projects.state import set_archived
from annotations.texts.changes import delete_project, project_deletion_figures
from annotations.texts.cloning import clone_project
from annotations.web.confirmation import Question, ask, is_confirmed
from annotations.web.forms.projects import CloneForm, DatasheetForm
from annotations.web.forms.texts import DeletionForm
from annotations.web.views import signed_in_user


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what can be done with the project as a whole, and save what its datasheet says."""
    project = project_for(request.user, slug, Right.MANAGE)
    form = DatasheetForm(project, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, "Saved. The datasheet says so.")
        return redirect("project-settings", project.slug)
    if form.errors:
        project.refresh_from_db()  # the page shows the stored values, the form the invalid ones
    context = {
        "project": project,
        "form": form if may_change(project, Right.MANAGE) else None,
        "deletes": may(project, Right.MANAGE_WORK),
        "creates": signed_in_user(request).has_perm("annotations.add_project"),
    }
    return render(request, "annotations/projects/settings.html", context, status=400 if form.errors else 200)


@login_required
@require_POST
def archive(request: HttpRequest, slug: str) -> HttpResponse:
    """Archive the project, once a manager has confirmed it."""
    project = project_for(request.user, slug, Right.MANAGE, archived=True)
    if not is_confirmed(request):
        return ask(request, project, _archiving(project))
    set_archived(project, archived=True)
    messages.success(request, f"“{project}” is archived. It can be opened again here.")
    return redirect("project-settings", project.slug)


def _archiving(project: Project) -> Question:
    codings = Coding.objects.filter(text__project=project)
    lines = [
        "Members can read what they read now; nobody can change anything, by page or API.",
        "It leaves the list of projects, and is found there under “Archived”.",
        "Invitations let nobody in until it is open again.",
    ]
    n_open = codings.filter(status=Coding.Status.OPEN).count()
    if n_open and may(project, Right.MANAGE_WORK):
        lines.insert(1, f"{pluralize(n_open, 'coding')} not submitted: their coders cannot go on.")
    page = reverse("project-settings", args=[project.slug])
    return Question(f"Archive “{project}”?", lines, "Archive", page, "settings")


@login_required
@require_POST
def unarchive(request: HttpRequest, slug: str) -> HttpResponse:
    """Open an archived project again."""
    project = project_for(request.user, slug, Right.MANAGE, archived=True)
    if set_archived(project, archived=False):
        messages.success(request, f"“{project}” is open again.")
    return redirect("project-settings", project.slug)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def clone(request: HttpRequest, slug: str) -> HttpResponse:
    """Copy the project; the user manages the copy."""
    project = project_for(request.user, slug, Right.MANAGE, archived=True)
    user = signed_in_user(request)
    if not user.has_perm("annotations.add_project"):
        raise PermissionDenied("You are not allowed to create projects.")
    form = CloneForm(project, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        fields = form.cleaned_data
        try:
            copied = clone_project(project, fields["slug"], fields["title"], user, texts=fields["texts"])
        except ValidationError as error:
            form.add_error(None, error.messages)
        else:
            messages.success(request, f"“{copied}” is a copy of “{project}”.")
            return redirect("project", copied.slug)
    context = {"project": project, "form": form}
    return render(request, "annotations/projects/clone.html", context, status=400 if form.errors else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest, slug: str) -> HttpResponse:
    """Delete the project with all that is in it, once a manager has seen what that is and entered its title."""
    project = project_for(request.user, slug, Right.MANAGE_WORK, archived=True)
    sees_gold = may(project, Right.ADJUDICATE)
    figures = project_deletion_figures(project, gold=sees_gold)
    form = DeletionForm(project, figures, request.POST if request.method == "POST" else None, always=True)
    if request.method == "POST" and form.is_valid():
        try:
            deleted = delete_project(project, form.cleaned_data["seen"], gold=sees_gold)
        except ValidationError as error:
            messages.error(request, " ".join(error.messages))
            return redirect("delete-project", project.slug)
        messages.success(request, f"Deleted “{project}”: {', '.join(deleted.lines)}.")
        return redirect("home")
    exported = Transfer.objects.filter(project=project, format=ARCHIVE, state=Transfer.State.DONE).order_by("-pk")
    context = {"project": project, "figures": figures, "form": form, "latest": exported.first()}
    return render(request, "annotations/projects/delete.html", context, status=400 if form.errors else 200)
