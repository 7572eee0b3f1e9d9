"""The pages on which managers see how reliable the data is, and where not."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from agreement import passage, reports
from agreement.extract import Extract, contents_of, extract
from agreement.forms import ParametersForm
from agreement.parameters import Parameters, WrongParameter, asked_for, opening, presets_for
from agreement.reports import ItemReport
from annotations.models import Project, Segment, Text
from annotations.permissions import Right, project_for

ITEMS_A_PAGE = 100


def _asked(project: Project, query: QueryDict) -> tuple[Extract, Parameters, WrongParameter | None]:
    """The project's answers and the parameters of the address, or the opening ones with what is wrong."""
    extracted = extract(project)
    asked = {name: str(value) for name, value in query.items() if name != "page"}
    try:
        parameters = asked_for(asked, project.preset, project.answers)
        return extracted, reports.effective(extracted, parameters), None
    except WrongParameter as wrong:
        return extracted, reports.effective(extracted, opening(project.preset, project.answers)), wrong


@login_required
@require_safe
def agreement(request: HttpRequest, slug: str) -> HttpResponse:
    """The coefficient asked for, over all texts and in each, and the grid of all."""
    project = project_for(request.user, slug, Right.SEE_RESULTS)
    extracted, parameters, wrong = _asked(project, request.GET)
    presets = [
        (preset, reports.report(extracted, preset.parameters).result, urlencode(preset.parameters.query()))
        for preset in presets_for(project.answers)
    ]
    context = {
        "project": project,
        "form": ParametersForm(project.answers, parameters),
        "wrong": wrong,
        "report": reports.report(extracted, parameters),
        "grid": [
            (label, [(cell, urlencode(cell.query()), result) for cell, result in row])
            for label, row in reports.grid(extracted, parameters)
        ],
        "presets": presets,
        "query": urlencode(parameters.query()),
    }
    return render(request, "agreement/agreement.html", context, status=400 if wrong else 200)


@login_required
@require_safe
def headline(request: HttpRequest, slug: str) -> HttpResponse:
    """The figure with which the project's overview opens, as a part of that page."""
    project = project_for(request.user, slug, Right.SEE_RESULTS)
    extracted, parameters, _ = _asked(project, QueryDict())
    return render(
        request,
        "agreement/headline.html",
        {"project": project, "report": reports.report(extracted, parameters)},
    )


@login_required
@require_safe
def items(request: HttpRequest, slug: str) -> HttpResponse:
    """The units by their share of the observed disagreement."""
    project = project_for(request.user, slug, Right.SEE_RESULTS)
    extracted, parameters, wrong = _asked(project, request.GET)
    found = reports.items(extracted, parameters, contents_of(project))
    page = Paginator(found, ITEMS_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "project": project,
        "form": ParametersForm(project.answers, parameters),
        "wrong": wrong,
        "page": page,
        "query": urlencode(parameters.query()),
    }
    return render(request, "agreement/items.html", context, status=400 if wrong else 200)


@login_required
@require_safe
def item(request: HttpRequest, slug: str, text: str, key: str) -> HttpResponse:
    """One unit: every coder's chain in the text, and the relation of every pair of coders."""
    project = project_for(request.user, slug, Right.SEE_RESULTS)
    extracted, parameters, wrong = _asked(project, request.GET)
    found = reports.item(extracted, parameters, text, key)
    if found is None:
        raise Http404("There is no such unit.")
    contents = contents_of(project)
    ranked = reports.items(extracted, parameters, contents)
    place = next((number for number, one in enumerate(ranked) if (one.text, one.key) == (text, key)), None)
    context = {
        "project": project,
        "wrong": wrong,
        "item": found,
        "parameters": parameters,
        "words": reports.words_of(contents[found.text.pk], found.unit),
        "ranked": ranked[place] if place is not None else None,
        "place": place + 1 if place is not None else None,
        "total": len(ranked),
        "previous": ranked[place - 1] if place else None,
        "next": ranked[place + 1] if place is not None and place + 1 < len(ranked) else None,
        "query": urlencode(parameters.query()),
        **_in_the_text(found, contents[found.text.pk]),
    }
    return render(request, "agreement/item.html", context, status=400 if wrong else 200)


def _in_the_text(found: ItemReport, content: str) -> dict[str, Any]:
    """Every coder's chain in words, and the text with the numbers of the coders at the members."""
    units = {unit.pk: unit for unit in found.text.units}
    coders = []
    holders: dict[int, list[int]] = {found.unit.pk: []}
    for number, (coder, value) in enumerate(found.values.items(), start=1):
        members = []
        if isinstance(value, frozenset):
            members = [unit for pk, unit in units.items() if pk in value]
            for unit in members:
                holders.setdefault(unit.pk, []).append(number)
        chain = [(unit, reports.words_of(content, unit)) for unit in members]
        coders.append((number, coder, value, chain if isinstance(value, frozenset) else None))
    turns = Segment.objects.filter(text=found.text.pk, kind=Segment.Kind.TURN).values_list(
        "start", "end", "label", "speaker"
    )
    parts = {pk: [(start, end) for start, end in units[pk].parts] for pk in holders if units[pk].coded}
    text = Text.objects.defer("content").get(pk=found.text.pk)
    return {
        "text": text,
        "coders": coders,
        "lines": passage.lines(content, turns, parts, holders, found.unit.pk),
    }
