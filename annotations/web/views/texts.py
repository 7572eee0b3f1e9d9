"""The pages of the texts of a project: the list, a text to read, and the forms to add, change and delete texts."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from annotations.core.text import is_storable, pluralize
from annotations.models import Coding, Project, Text
from annotations.models.people.rights import Right
from annotations.models.project import is_blind_manager, may, may_change
from annotations.planning.work.assignments import unassign as unassign_coder
from annotations.projects.rounds import find_round, rounds_of
from annotations.projects.viewing import record_view
from annotations.texts.changes import delete_text as delete_with_work
from annotations.texts.changes import deletion_figures, move_text, sort_by_title
from annotations.texts.correction import correct_text as correct_with_markables
from annotations.texts.correction_plan import excerpts, plan_correction
from annotations.texts.listing import DEFAULT_SORT, TextQuery, list_texts
from annotations.texts.versions import ReadText
from annotations.transfers import orders
from annotations.web.access import project_action, project_form, project_page, show, signed_in_user
from annotations.web.forms.texts import (
    CorrectionForm,
    DeletionForm,
    PasteTextForm,
    TextForm,
    TextQueryForm,
    UploadTextsForm,
)
from annotations.web.shared import is_confirmed, page_of, refused_at, refused_to
from annotations.web.views.transfers import may_order

MAX_DIFFERENCES = 200  # listed differences of two coders; the text highlights all of them
MAX_CHANGES = 200  # listed markables whose words a correction changes
# The choices of an import of texts without codings.
TEXTS_ONLY: Mapping[str, Any] = MappingProxyType(
    {"coder_from": "nobody", "predefined": True, "create": False, "options": {}}
)
STEPS = {"up": -1, "down": 1}
# Sort key, label, class, and key of the explanation.
COLUMNS = (
    ("title", "Text", "", "text"),
    ("round", "Round", "texts-minor", "round"),
    ("words", "Words", "num texts-minor", "text-words"),
    ("markables", "Markables", "num texts-minor", "text-markables"),
    ("submitted", "Coders", "", "text-codings"),
)


@project_page(Right.READ_TEXTS)
def texts(request: HttpRequest, project: Project) -> HttpResponse:
    """List the texts of the project with their coders and progress."""
    if project.answers == Project.Answers.SCUS:
        return redirect("docsets", project.slug)
    return show(request, project, "annotations/texts/texts.html", _list_context(request, project))


@project_form(Right.MANAGE)
def add_texts(request: HttpRequest, project: Project) -> HttpResponse:
    """Order an import of uploaded files or a pasted text without codings; show the list if the form is invalid."""
    if project.answers == Project.Answers.SCUS or request.method != "POST":
        return redirect("project-texts", project.slug)
    form: UploadTextsForm | PasteTextForm
    if "paste" in request.POST:
        form, name = PasteTextForm(request.POST), "paste"
    else:
        form, name = UploadTextsForm(project, request.POST, request.FILES), "upload"
    if form.is_valid() and may_order(request, form):
        transfer = orders.order_import(project, signed_in_user(request), *form.order, TEXTS_ONLY)
        return redirect("transfer", transfer.pk)
    context = _list_context(request, project) | {
        name: form,
        "adds": True,
        "list_address": reverse("project-texts", args=[project.slug]),
    }
    return show(request, project, "annotations/texts/texts.html", context, status=400)


def _list_context(request: HttpRequest, project: Project) -> dict[str, Any]:
    rounds = [round_.name for round_ in rounds_of(project)]
    form = TextQueryForm(rounds, request.GET)
    query = form.query
    shown = list_texts(project, signed_in_user(request), query, request.GET.get("page"))
    return {
        "form": form,
        "query": query,
        "shown": shown,
        "several_rounds": len(rounds) > 1,
        "columns": [_column(query, *column) for column in COLUMNS if column[0] != "round" or len(rounds) > 1],
        "own_order": _address(query, DEFAULT_SORT),
        "full_query": _address(query, query.sort),
        "upload": UploadTextsForm(project),
        "paste": PasteTextForm(),
        "adds": not shown.paginator.count and query.is_whole,
    }


def _column(query: TextQuery, key: str, label: str, css_class: str, explanation: str) -> dict[str, Any]:
    """Return the head of a column, whose link sorts by it; in reverse if the list is already sorted by it."""
    descends = query.sort == f"-{key}"
    sorted_as = ("descending" if descends else "ascending") if query.sort_key == key else ""
    return {
        "label": label,
        "class": css_class,
        "explanation": explanation,
        "sort": sorted_as,
        "address": _address(query, f"-{key}" if query.sort == key else key),
    }


def _address(query: TextQuery, sort: str) -> str:
    fields = {"q": query.search, "round": query.round, "sort": "" if sort == DEFAULT_SORT else sort}
    return urlencode({name: value for name, value in fields.items() if value})


@project_page(Right.READ_TEXTS)
def text(request: HttpRequest, project: Project, text: str) -> HttpResponse:
    """Show a text with its markables, with the answers of a coder, or with two coders side by side."""
    row = _text_of(project, text)
    if row.docset is not None:
        return _page_of(project, row)
    codings = list(
        Coding.objects.of_coders()
        .visible_to(request.user, models=True)
        .filter(text=row, kind=Coding.Kind.TEXT)
        .with_progress()
        .select_related("coder", "text", "round")
        .defer("text__content")
        .order_by("coder__username", "round__position", "round_id", "occasion")
    )
    chosen = [
        _coding_of(codings, request.GET[name], request.GET.get(of_round, ""))
        for name, of_round in (("coder", "round"), ("beside", "beside_round"))
        if request.GET.get(name)
    ]
    record_view(Coding.objects.of_coders().filter(pk__in=[coding.pk for coding in chosen]), request.user)
    labels = project.answers == Project.Answers.CATEGORIES or request.GET.get("categories") == "1"
    several = len({coding.round_id for coding in codings}) > 1
    shown = page_of(request, codings, name="versions", at=codings.index(chosen[0]) if chosen else 0)
    context = {
        "text": row,
        "manages_work": may_change(project, Right.MANAGE_WORK),
        "is_blind": is_blind_manager(project),
        "not_begun": page_of(request, [coding for coding in codings if not coding.is_begun], name="unassign"),
        "shown": shown,
        "coders": [_coder_links(chosen, coding, several=several) for coding in shown],
        "several_rounds": several,
        "labels": labels,
        "chosen": [f"{coding.coder}, {coding.round}" if several else coding.coder.get_username() for coding in chosen],
        "full_query": _version_query(chosen, several=several),
    }
    context |= _versions(ReadText(project, row), chosen, labels=labels)
    return show(request, project, "annotations/texts/text.html", context)


def _page_of(project: Project, row: Text) -> HttpResponse:
    """Redirect to the page of a text, or of its docset if it has one."""
    if row.docset is not None:
        return redirect("docset", project.slug, row.docset.slug)
    return redirect("text", project.slug, row.slug)


def _text_of(project: Project, slug: str) -> Text:
    """Return a text of the project by its slug. Raise Http404."""
    texts = Text.objects.filter(project=project, slug=slug).select_related("docset", "project")
    if not is_storable(slug) or (text := texts.first()) is None:
        raise Http404("There is no such text.")
    return text


def _coding_of(codings: list[Coding], coder: str, round_name: str) -> Coding:
    """Return the coder's coding in that round; without a round, the latest. Raise Http404."""
    of_coder = (coding for coding in reversed(codings) if coding.coder.get_username() == coder)
    coding = next((coding for coding in of_coder if round_name in ("", coding.round.name)), None)
    if coding is None:
        raise Http404("Coding not found.")
    return coding


def _versions(reading: ReadText, chosen: list[Coding], *, labels: bool) -> dict[str, Any]:
    """Return the context of the text: a column for each coder, and their differences."""
    if not chosen:
        return {"columns": [(None, reading.passage(None))]}
    first = reading.version(chosen[0])
    if len(chosen) == 1 or chosen[0] == chosen[1]:
        return {"columns": [(first.coding, reading.passage(first, labels=labels))], "notes": reading.notes(first)}
    second = reading.version(chosen[1], beside=first)
    highlighted, differences = reading.different_keys(first, second), reading.differences(first, second)
    return {
        "columns": [
            (first.coding, reading.passage(first, highlighted, "a", labels=labels)),
            (second.coding, reading.passage(second, highlighted, "b", labels=labels)),
        ],
        "compared": True,
        "difference_count": len(differences),
        "coded_count": sum(markable.coded for markable in reading.markables),
        "differences": differences[:MAX_DIFFERENCES],
    }


def _coder_links(chosen: list[Coding], coding: Coding, *, several: bool) -> dict[str, Any]:
    """Return a coding with the addresses that show it alone and beside the first chosen coding."""
    return {
        "coding": coding,
        "is_read": coding in chosen[:1],
        "is_beside": coding in chosen[1:],
        "alone": _version_query([coding], several=several),
        "beside": _version_query([chosen[0], coding], several=several) if chosen and coding != chosen[0] else "",
    }


def _version_query(chosen: list[Coding], *, several: bool) -> str:
    """Return the query of the page that shows these codings; with their rounds if the text has several."""
    query: dict[str, str] = {}
    for (name, of_round), coding in zip((("coder", "round"), ("beside", "beside_round")), chosen, strict=False):
        query |= {name: coding.coder.get_username()} | ({of_round: coding.round.name} if several else {})
    return urlencode(query)


@project_form(Right.MANAGE, changes=True)
def edit_text(request: HttpRequest, project: Project, text: str) -> HttpResponse:
    """Change the title and the round of a text."""
    row = _text_of(project, text)
    title = row.title
    form = TextForm(row, request.POST if request.method == "POST" else None)
    if form.is_valid():
        with refused_at(form, "round"):
            form.save()
            messages.success(request, f"Saved “{row.title}”.")
            return redirect("text", project.slug, row.slug)
    return show(request, project, "annotations/texts/edit_text.html", {"text": row, "title": title}, form=form)


@project_form(Right.MANAGE_WORK, changes=True)
def correct_text(request: HttpRequest, project: Project, text: str) -> HttpResponse:
    """Correct the words of a text in all codings, after the user has seen which markables move."""
    row = _text_of(project, text)
    form = CorrectionForm(row, request.POST if request.method == "POST" else None)
    context: dict[str, Any] = {"text": row}
    if form.is_valid():
        content, seen = form.cleaned_data["content"], form.cleaned_data["plan"]
        with refused_at(form):
            plan = plan_correction(row, content)
            if is_confirmed(request) and not plan.obstacles and seen == plan.tag:
                done = correct_with_markables(row, content, signed_in_user(request), seen)
                messages.success(request, f"Corrected “{row.title}”: {pluralize(len(done.edits), 'place')}.")
                return _page_of(project, row)
            form.show_plan(plan)
            context |= {"plan": plan, "excerpts": excerpts(row.content, plan), "changes": plan.changes[:MAX_CHANGES]}
    return show(request, project, "annotations/texts/correct_text.html", context, form=form)


@project_form(Right.MANAGE_WORK, changes=True)
def delete_text(request: HttpRequest, project: Project, text: str) -> HttpResponse:
    """Delete a text with all its codings, after confirmation."""
    row = _text_of(project, text)
    if row.role == Text.Role.MODELS and row.docset is not None:
        return redirect("delete-docset", project.slug, row.docset.slug)
    sees_gold = may(project, Right.ADJUDICATE)
    figures = deletion_figures(Text.objects.filter(pk=row.pk), gold=sees_gold)
    form = DeletionForm(row, figures, request.POST if request.method == "POST" else None)
    if form.is_valid():
        with refused_to(request):
            deleted = delete_with_work(row, form.cleaned_data["seen"], gold=sees_gold)
            messages.success(request, f"Deleted “{row.title}”: {', '.join(deleted.lines)}.")
            return _page_of(project, row) if row.docset is not None else redirect("project-texts", project.slug)
        return redirect("delete-text", project.slug, row.slug)
    return show(request, project, "annotations/texts/delete_text.html", {"text": row, "figures": figures}, form=form)


@project_action(Right.MANAGE_WORK)
def unassign(request: HttpRequest, project: Project, text: str, coder: str) -> HttpResponse:
    """Delete the unstarted assignments of a text to a coder."""
    row = _text_of(project, text)
    if not row.codings.of_people().filter(coder__username=coder).exists():
        raise Http404("There is no such assignment.")
    with refused_to(request):
        name = request.POST.get("round", "")
        unassign_coder(row, coder, request.POST.get("kind", ""), find_round(project, name) if name else None)
        messages.success(request, f"Unassigned “{row.title}” from {coder}.")
    return _page_of(project, row)


@project_action(Right.MANAGE)
def order_texts(request: HttpRequest, project: Project) -> HttpResponse:
    """Move a text up or down, or sort all texts by title."""
    if request.POST.get("by") == "title":
        sort_by_title(project)
        messages.success(request, f"{pluralize(project.texts.count(), 'text')} sorted by title.")
    else:
        move_text(_text_of(project, request.POST.get("text", "")), STEPS.get(request.POST.get("move", ""), 0))
    page = request.POST.get("page", "")
    address = reverse("project-texts", args=[project.slug])
    return redirect(f"{address}?page={page}" if page.isascii() and page.isdigit() else address)
