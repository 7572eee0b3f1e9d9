"""What the pages of results share: how a page is shown, and how one of its tables is downloaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.views.decorators.csp import csp_override

from agreement.data.pyramids.pyramids import require_pyramids
from agreement.reports.request.basis import count_other_versions
from agreement.reports.request.parameters import MODELS, InvalidParameter
from agreement.reports.request.request import AnalysisRequest
from agreement.reports.wording import describe_models_left_out, describe_versions, nouns_for
from agreement.sections.content import PageSections
from agreement.sections.downloads import RETRY_AFTER, StillComputing, write_table
from agreement.sections.labels.settings import describe_unanswered, list_settings, name_terms, read_settings
from agreement.sections.pages.registry import ResultPage
from agreement.web.forms import SHOWN, ParametersForm, PyramidForm, read_form
from annotations.models.people.rights import Right
from annotations.models.project import may_change

# Plotly writes styles into the page.
draws_charts = csp_override(cast(Any, settings.CHARTS_CSP))

type Context = Callable[[AnalysisRequest, PageSections], dict[str, Any]]


def show_page(
    request: HttpRequest, slug: str, page: ResultPage, context: Context | None = None, **address: str
) -> HttpResponse:
    """Return the page, or the one of its tables that the address asks for. `context` adds to that of the template."""
    project = page.project_for(request.user, slug)
    if not page.uses_answers:
        require_pyramids(project)
    if SHOWN in request.GET:
        return redirect(f"{request.path}?{read_form(request.GET)}")
    download = "as" in request.GET
    analysis = page.request(project, request.GET, request.user.get_username(), whole_tables=download)
    sections = page.show(analysis, **address)
    if download:
        return _download_table(request, analysis, sections)
    everything = {
        "project": project,
        "manages": may_change(project, Right.MANAGE),
        "error": analysis.error,
        "parameters": analysis.parameters,
        "query": analysis.query,
        "full_query": analysis.full_query,
        "options": analysis.options,
        "models": analysis.models,
        "waiting": sections.waiting,
        "as_of": sections.as_of,
        "tables": {table.key: table for table in sections.tables},
        "charts": {chart.key: chart for chart in sections.charts},
        **_controls(page, analysis, sections),
        **sections.context,
        **(context(analysis, sections) if context else {}),
    }
    status = 400 if analysis.error else 200
    return render(request, page.template, everything, status=status)


def _controls(page: ResultPage, analysis: AnalysisRequest, sections: PageSections) -> dict[str, Any]:
    if not page.uses_answers:
        return {"choices": PyramidForm(sections.context["fields"], analysis.options)}
    return {
        "form": ParametersForm(analysis, read_settings(analysis)),
        "facts": list_settings(analysis),
        "nouns": nouns_for(analysis.extract),
        "question": analysis.extract.question,
        "question_left_out": describe_unanswered(analysis.extract, analysis.parameters),
        "versions_left_out": describe_versions(
            analysis.extract.versions, count_other_versions(analysis.extract, analysis.parameters)
        ),
        "models_left_out": ""
        if MODELS in analysis.parameters.selection("include")
        else describe_models_left_out(analysis.n_codings_of_models),
        "terms": name_terms(analysis.extract.question),
    }


def _download_table(request: HttpRequest, analysis: AnalysisRequest, sections: PageSections) -> HttpResponse:
    try:
        file = write_table(analysis, sections, request.GET["as"], request.GET.get("table", ""))
    except StillComputing as waiting:
        return HttpResponse(str(waiting), status=503, headers={"Retry-After": str(RETRY_AFTER)})
    except InvalidParameter as error:
        return HttpResponseBadRequest(str(error), content_type="text/plain; charset=utf-8")
    return HttpResponse(file.content, content_type=file.content_type, headers=file.headers)
