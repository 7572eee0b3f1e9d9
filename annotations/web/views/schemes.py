"""The pages of a project's scheme and guidelines: their content and versions, and scheme files."""

import json
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from annotations.core.text import pluralize
from annotations.formats import FormatError
from annotations.formats.model.scheme import SchemeSpec
from annotations.formats.model.scheme_json import SchemeShapeError, scheme_from_json, scheme_to_json
from annotations.models import Coding, GuidelinesVersion, Project
from annotations.models.people.rights import Right
from annotations.models.project import may, may_change
from annotations.projects.creation import exchange_scheme
from annotations.projects.guidelines import bound_difference, difference, guidelines_news, record_reading
from annotations.projects.people.members import BLIND_ROLES
from annotations.revision.completeness import (
    CodingLeft,
    codings_of,
    incomplete_judgements,
    judged_before,
    judgements_of_texts,
    words_of,
)
from annotations.revision.saving import SchemeMoved, SchemeRefused, save_scheme, scheme_tag
from annotations.revision.undoing import merging_versions, undo_merges
from annotations.revision.versions import describe_versions, list_versions
from annotations.schemes.changes import plan_change, project_to_change
from annotations.schemes.design.wording import SchemeWording
from annotations.schemes.project_scheme import read_scheme
from annotations.schemes.ready_made import DESIGNED, STARTING_POINTS
from annotations.transfers.scheme_files import export_scheme, read_uploaded_scheme
from annotations.web import markdown
from annotations.web.access import project_action, project_form, project_page, show, signed_in_user
from annotations.web.forms.projects import AboutForm, ExchangeSchemeForm, ProjectFieldsForm, PyramidOptionsForm
from annotations.web.shared import Question, ask, is_confirmed, page_of, refused_at

PAGE_SIZE = 25
MAX_LISTED = 50
IMPORT_PAGE = "annotations/schemes/import_scheme.html"
MAX_JSON_LENGTH = 2_000_000


@project_form(Right.MANAGE, changes=True)
def exchange(request: HttpRequest, project: Project) -> HttpResponse:
    """Replace the scheme of a project without texts by another ready-made one."""
    form = ExchangeSchemeForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        chosen = STARTING_POINTS[form.cleaned_data["scheme"]]
        with refused_at(form):
            exchange_scheme(project, chosen, coders_mark=form.cleaned_data["coders_mark"])
            messages.success(request, f"The scheme is {chosen.label} now.")
            return redirect("scheme", project.slug)
    context = {"schemes": STARTING_POINTS.values(), "has_texts": project.texts.exists() or project.docsets.exists()}
    return show(request, project, "annotations/schemes/exchange_scheme.html", context, form=form)


@project_form(Right.VIEW_PROJECT, post=Right.MANAGE)
def scheme(request: HttpRequest, project: Project) -> HttpResponse:
    """Show scheme and guidelines. Managers can change the guidelines, open the results and set pyramid options."""
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
        "form": form,
        "about_form": about_form,
        "sees_results": may(project, Right.SEE_RESULTS),
        "levels": levels,
        "may_exchange": project.answers not in DESIGNED and may_exchange(project),
        "designed": project.answers in DESIGNED,
        "may_edit": project.answers in DESIGNED and may_change(project, Right.MANAGE),
        "categories": [
            (category, words.antecedents(category), words.levels([category.level])) for category in spec.categories
        ],
        "several_levels": any(category.level for category in spec.categories),
        "relations": [
            (relation, words.levels(relation.from_levels), words.targets(relation), words.asked(relation))
            for relation in spec.relations
            if not relation.identity
        ],
        "attributes": [
            (attribute, words.subject(attribute), words.answer(attribute), words.asked(attribute))
            for attribute in spec.attributes
        ],
        "guidelines_html": markdown.render(project.guidelines),
    }
    return show(request, project, "annotations/schemes/scheme.html", context)


def may_exchange(project: Project) -> bool:
    """Return whether the user may replace the whole scheme of the project by a ready-made one."""
    return may_change(project, Right.MANAGE) and not (project.texts.exists() or project.docsets.exists())


def _opening(project: Project, form: AboutForm) -> Question | None:
    """Return the question before the results are opened to coders; None if the form does not open them."""
    if "results_open" not in form.changed_data or not form.cleaned_data["results_open"]:
        return None
    codings = Coding.objects.of_people().filter(text__project=project)
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
    """Return a sentence on what coders notice of the save, empty for nothing."""
    if "results_open" in form.changed_data:
        return f"The results are {'open' if form.cleaned_data['results_open'] else 'closed'} to coders now."
    if isinstance(form, AboutForm) and "guidelines" not in form.changed_data:
        return ""
    return "Coders see the change when they open a text."


def _options_change(project: Project, form: ProjectFieldsForm) -> Question | None:
    """Return the question before the rules for coders change; None if nothing changes or no coding has begun."""
    codings = Coding.objects.of_people().filter(text__project=project)
    # Users who are blind to others' work must not learn whether it has begun.
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


@project_page()
def versions(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the versions of the scheme with their changes."""
    shown = page_of(request, list_versions(project), size=PAGE_SIZE)
    undoes = may_change(project, Right.MANAGE_WORK)
    context = {
        "shown": shown,
        "entries": describe_versions(project, list(shown)),
        "merging": merging_versions(project, [version.number for version in shown]) if undoes else (),
    }
    return show(request, project, "annotations/schemes/scheme_versions.html", context)


@project_action(Right.MANAGE_WORK)
def undo(request: HttpRequest, project: Project, number: int) -> HttpResponse:
    """Restore the answers that a version merged, after confirmation."""
    page = reverse("scheme-versions", args=[project.slug])
    if not is_confirmed(request):
        lines = [
            "What it merged is offered again, and judgements have it again that had it before.",
            "Judgements that their coders have given since stay as they are.",
            "This makes a new version; nothing is taken out of the log.",
        ]
        heading = f"Undo the merges of version {number}?"
        return ask(request, project, Question(heading, lines, "Undo the merges", page, "scheme"))
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
    """Filter of the judgements to list: made before a version of the scheme; without a version, incomplete ones."""

    before = forms.IntegerField(required=False, min_value=2)

    def __init__(self, latest: int, *args: Any) -> None:
        super().__init__(*args)
        self.fields["before"].validators.append(MaxValueValidator(latest))


@project_page()
def to_complete(request: HttpRequest, project: Project) -> HttpResponse:
    """Show codings with missing required answers, or with answers from before a version; coders see only their own."""
    form = BeforeForm(project.scheme_version, request.GET)
    before = form.cleaned_data["before"] if form.is_valid() else None
    judgements = judgements_of_texts(project, request.user)
    listed = judged_before(judgements, before) if before else incomplete_judgements(judgements)
    shown = page_of(request, codings_of(listed), size=MAX_LISTED)
    rows = [CodingLeft(*row) for row in shown]
    words = words_of(listed, [row.pk for row in rows])
    context = {
        "before": before,
        "shown": shown,
        "rows": [(row, words.get(row.pk, [])) for row in rows],
        "full_query": f"before={before}" if before else "",
        "reopens": may_change(project, Right.MANAGE_WORK),
        "reads": may(project, Right.SEE_RESULTS),
    }
    return show(request, project, "annotations/schemes/to_complete.html", context, form=form)


class SchemeFileForm(forms.Form):
    file = forms.FileField(
        label="Scheme",
        help_text="A scheme exported here (JSON), annotation schemes of MMAX2 (XML or a zip), annotation.conf of brat "
        "(alone or in a zip with visual.conf), or layers of INCEpTION or WebAnno (JSON, a type system, a project).",
    )


class SchemeConfirmationForm(forms.Form):
    """A scheme whose preview was seen, and the tag of the scheme that it replaces."""

    scheme = forms.CharField(widget=forms.HiddenInput, max_length=MAX_JSON_LENGTH)
    tag = forms.CharField(widget=forms.HiddenInput, max_length=100)


@project_page()
def export(request: HttpRequest, project: Project) -> HttpResponse:
    """Return the scheme of the project as a file."""
    try:
        return export_scheme(project, request.GET.get("format", "json")).as_response()
    except FormatError as error:
        return HttpResponse(error.message, status=400, content_type="text/plain; charset=utf-8")


@project_form(Right.MANAGE, changes=True)
def import_(request: HttpRequest, project: Project) -> HttpResponse:
    """Preview a scheme file, and apply it after confirmation."""
    if "scheme" in request.POST:
        return _save(request, project)
    form = SchemeFileForm(request.POST, request.FILES) if request.method == "POST" else SchemeFileForm()
    if form.is_valid():
        with refused_at(form):
            read = read_uploaded_scheme(form.cleaned_data["file"])
        if not form.errors:
            return _preview(request, project, read.spec, read.answers, [str(loss) for loss in read.losses])
    return show(request, project, IMPORT_PAGE, form=form)


def _preview(
    request: HttpRequest, project: Project, spec: SchemeSpec, answers: str, losses: list[str], status: int = 200
) -> HttpResponse:
    """Show the scheme of a file with its problems, its effects and its import losses."""
    project = project_to_change(request.user, project.slug, spec, answers)
    data = scheme_to_json(spec.with_pointing(), answers)
    try:
        scheme_from_json(data)
    except SchemeShapeError as error:
        problems, change = [str(problem) for problem in error.problems], None
    else:
        change = plan_change(project, spec, answers=answers)
        problems = [str(problem) for problem in change.problems]
    context = {
        "scheme": data,
        "losses": losses,
        "problems": problems,
        "change": change,
        "form": SchemeFileForm(),
        "confirmation": SchemeConfirmationForm(
            initial={"scheme": json.dumps(data, ensure_ascii=False), "tag": scheme_tag(project)}
        ),
    }
    return show(request, project, IMPORT_PAGE, context, status=status)


def _save(request: HttpRequest, project: Project) -> HttpResponse:
    form = SchemeConfirmationForm(request.POST)
    try:
        if not form.is_valid():
            raise ValueError("no scheme was sent")
        spec, answers = scheme_from_json(json.loads(form.cleaned_data["scheme"]))
    except (ValueError, RecursionError):
        messages.error(request, "The scheme could not be read. Upload its file again.")
        return redirect("import-scheme", project.slug)
    project = project_to_change(request.user, project.slug, spec, answers)
    try:
        save_scheme(project, spec, signed_in_user(request), answers=answers, expected=form.cleaned_data["tag"])
    except SchemeRefused:
        return _preview(request, project, spec, answers, [], status=400)
    except SchemeMoved:
        messages.error(request, "Somebody has changed the scheme meanwhile. Look at what would change now.")
        return _preview(request, project, spec, answers, [], status=409)
    messages.success(request, "The project has the scheme of the file now.")
    return redirect("scheme", project.slug)


class VersionsForm(forms.Form):
    before = forms.IntegerField(min_value=1, label="Version")
    after = forms.IntegerField(min_value=1, label="with version")


class ReadingForm(forms.Form):
    number = forms.IntegerField(min_value=1)


@project_page()
def guidelines(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the guidelines and the list of their versions."""
    versions = GuidelinesVersion.objects.filter(project=project).select_related("author").defer("body")
    shown = page_of(request, versions, size=PAGE_SIZE)
    latest = versions.first() if shown.has_previous() else next(iter(shown), None)
    number = latest.number if latest else 0
    context = {
        "shown": shown,
        "latest": number,
        "news": guidelines_news(project, signed_in_user(request)),
        "guidelines_html": markdown.render(project.guidelines),
        "form": VersionsForm(initial={"before": max(number - 1, 1), "after": number}) if number > 1 else None,
    }
    return show(request, project, "annotations/guidelines/guidelines.html", context)


@project_page()
def guidelines_version(request: HttpRequest, project: Project, number: int) -> HttpResponse:
    """Show one version of the guidelines."""
    row = _version(project, number)
    earlier = GuidelinesVersion.objects.filter(project=project, number__lt=number).values_list("number", flat=True)
    context = {"version": row, "html": markdown.render(row.body), "earlier": earlier.first()}
    return show(request, project, "annotations/guidelines/version.html", context)


@project_page()
def compare_guidelines(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the difference between two versions of the guidelines."""
    form = VersionsForm(request.GET)
    if not form.is_valid():
        return show(request, project, "annotations/guidelines/difference.html", form=form)
    before, after = sorted((form.cleaned_data["before"], form.cleaned_data["after"]))
    old, new = _version(project, before), _version(project, after)
    context = {
        "old": old,
        "new": new,
        "difference": bound_difference(difference(old.body, new.body)),
        "news": guidelines_news(project, signed_in_user(request)),
    }
    return show(request, project, "annotations/guidelines/difference.html", context, form=form)


@project_action()
def read_guidelines(request: HttpRequest, project: Project) -> HttpResponse:
    """Record that the user has read a version of the guidelines."""
    form = ReadingForm(request.POST)
    if form.is_valid():
        record_reading(project, signed_in_user(request), form.cleaned_data["number"])
    return redirect("guidelines", project.slug)


def _version(project: Project, number: int) -> GuidelinesVersion:
    row = GuidelinesVersion.objects.filter(project=project, number=number).select_related("author").first()
    if row is None:
        raise Http404("There is no such version.")
    return row
