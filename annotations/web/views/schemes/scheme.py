"""The page of the scheme and the guidelines of a project."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from annotations.core.text import pluralize
from annotations.models import Coding, Project
from annotations.models.people.rights import Right
from annotations.models.project import may, may_change
from annotations.projects.people.members import BLIND_ROLES
from annotations.projects.permissions import project_for
from annotations.schemes.design.starting_points import DESIGNED, STARTING_POINTS
from annotations.schemes.design.wording import SchemeWording
from annotations.schemes.project_scheme import read_scheme
from annotations.web import markdown
from annotations.web.confirmation import Question, ask, is_confirmed
from annotations.web.forms.projects import (
    AboutForm,
    ExchangeSchemeForm,
    ProjectFieldsForm,
    PyramidOptionsForm,
)
from annotations.web.refusals import refused_at
from annotations.web.views import signed_in_user


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def exchange(request: HttpRequest, slug: str) -> HttpResponse:
    """Give a project without texts another ready-made scheme."""
    project = project_for(request.user, slug, Right.MANAGE, changes=True)
    form = ExchangeSchemeForm(project, request.POST if request.method == "POST" else None)
    if form.is_valid():
        with refused_at(form):
            form.save()
            messages.success(request, f"The scheme is {STARTING_POINTS[form.cleaned_data['scheme']].label} now.")
            return redirect("scheme", project.slug)
    context = {
        "project": project,
        "form": form,
        "schemes": STARTING_POINTS.values(),
        "has_texts": project.texts.exists() or project.docsets.exists(),
    }
    return render(request, "annotations/schemes/exchange_scheme.html", context, status=400 if form.errors else 200)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def scheme(request: HttpRequest, slug: str) -> HttpResponse:
    """Show scheme and guidelines. Managers can change these, open the results, and set the options of pyramids."""
    project = project_for(request.user, slug, Right.MANAGE if request.method == "POST" else Right.VIEW_PROJECT)
    sent = request.POST if request.method == "POST" else None
    is_about = "about" in request.POST or project.answers in DESIGNED
    form = None if project.answers in DESIGNED else PyramidOptionsForm(project, None if is_about else sent)
    about_form = AboutForm(project, sent if is_about else None)
    sent_form = about_form if is_about or form is None else form
    if request.method == "POST" and sent_form.is_valid():
        question = _opening(project, about_form) if sent_form is about_form else _options_change(project, sent_form)
        if question is not None and not is_confirmed(request):
            return ask(request, project, question)
        if sent_form is about_form:
            about_form.save_as(signed_in_user(request))
        else:
            sent_form.save()
        messages.success(request, f"Saved. {_effect(sent_form)}".strip())
        return redirect("scheme", project.slug)
    if sent_form.errors:
        project.refresh_from_db()  # the page shows the stored values, the form the invalid ones
    levels, spec = list(project.levels.all()), read_scheme(project.pk).spec
    words = SchemeWording(spec)
    context = {
        "project": project,
        "form": form,
        "about_form": about_form,
        "manages": may_change(project, Right.MANAGE),
        "sees_results": may(project, Right.SEE_RESULTS),
        "levels": levels,
        "may_exchange": project.answers not in DESIGNED and may_exchange(project),
        "designed": project.answers in DESIGNED,
        "may_edit": project.answers in DESIGNED and may_change(project, Right.MANAGE),
        "categories": [(one, words.antecedents(one), words.levels([one.level])) for one in spec.categories],
        "several_levels": any(one.level for one in spec.categories),
        "relations": [
            (one, words.levels(one.from_levels), words.targets(one), words.asked(one))
            for one in spec.relations
            if not one.identity
        ],
        "attributes": [(one, words.subject(one), words.answer(one), words.asked(one)) for one in spec.attributes],
        "guidelines_html": markdown.render(project.guidelines),
    }
    return render(request, "annotations/schemes/scheme.html", context)


def may_exchange(project: Project) -> bool:
    """Return whether the user for whom the project was read may give it another ready-made scheme as a whole."""
    return may_change(project, Right.MANAGE) and not (project.texts.exists() or project.docsets.exists())


def _opening(project: Project, form: AboutForm) -> Question | None:
    """Return the question before the results are opened to coders; None where they are not."""
    if "results_open" not in form.changed_data or not form.cleaned_data["results_open"]:
        return None
    codings = Coding.objects.filter(text__project=project)
    coders = project.memberships.filter(role__in=BLIND_ROLES, model=None).count()
    n_open = codings.filter(status=Coding.Status.OPEN).count()
    lines = [
        f"{pluralize(coders, 'coder')} will see all figures, and the answers of "
        f"{pluralize(codings.count(), 'coding')} with names.",
        "The results can be closed again, but what was seen was seen.",
        "No coder can reopen a submission alone while they are open.",
    ]
    if n_open and may(project, Right.MANAGE_WORK):
        lines.append(f"{pluralize(n_open, 'coding')} not submitted: whoever still works on one is no longer blind.")
    return Question("Open the results to coders?", lines, "Open the results", *_scheme_page(project))


def _effect(form: ProjectFieldsForm) -> str:
    """Return what coders notice of what was saved, empty for nothing."""
    if "results_open" in form.changed_data:
        return f"The results are {'open' if form.cleaned_data['results_open'] else 'closed'} to coders now."
    if isinstance(form, AboutForm) and "guidelines" not in form.changed_data:
        return ""
    return "Coders see the change when they open a text."


def _options_change(project: Project, form: ProjectFieldsForm) -> Question | None:
    """Return the question before the rules for coders change; None while no coding has begun, or nothing changes."""
    codings = Coding.objects.filter(text__project=project)
    # Who is blind to the others' work does not hear whether they have begun.
    tells = may(project, Right.MANAGE_WORK)
    begun = codings.begun() if tells else codings
    if not {*form.changed_data} - {"seen"} or not begun.exists():
        return None
    n_submitted = begun.filter(status=Coding.Status.SUBMITTED).count()
    lines = [
        f"Begun by the rules as they are: {pluralize(begun.count(), 'coding')}, {n_submitted} submitted."
        if tells
        else f"Assigned by the rules as they are: {pluralize(begun.count(), 'coding')}.",
        "These answers stay as they are; new answers follow the new rules.",
        "Coders see the change when they open a text.",
    ]
    return Question("Change the rules for coders?", lines, "Change", *_scheme_page(project))


def _scheme_page(project: Project) -> tuple[str, str]:
    return reverse("scheme", args=[project.slug]), "scheme"
