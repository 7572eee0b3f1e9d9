"""Views of results: any page, a table as a file, parts that load later, and forms that save."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.core.cache import caches
from django.core.cache.utils import make_template_fragment_key
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.csp import csp_override
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from agreement import discussion
from agreement.data.reading import read_state
from agreement.models import Computation
from agreement.reports import wording
from agreement.reports.basis import SECONDS_REMEMBERED, count_left_out, count_other_versions
from agreement.reports.parameters import MODELS, InvalidParameter
from agreement.reports.request import TABLE_PAGE, AnalysisRequest, parse_query
from agreement.results import computations
from agreement.results.categories import format_mapping, parse_mapping
from agreement.results.computations import PageSections, ResultPage, is_lost, leave_long_reading, write_table
from agreement.results.headline import build_headline
from agreement.web.discussion import discussion_of
from agreement.web.forms import SHOWN, MappingForm, ParametersForm, PyramidForm, read_form
from annotations.core.text import pluralize
from annotations.models import Project, User
from annotations.models.people.rights import Right
from annotations.models.project import may, may_change
from annotations.models.round import MAIN
from annotations.planning.forms import MoveToRoundForm
from annotations.planning.rounds import move_to_round
from annotations.projects.permissions import project_for
from annotations.projects.viewing import results_for
from annotations.web.shared import page_of, refused_at

# Time without a sign of a worker after which the page says how to start one.
PATIENCE = timedelta(seconds=10)
# Plotly adds inline styles to the page.
draws_charts = csp_override(cast(Any, settings.CHARTS_CSP))
# The fragments of a page that frame.html caches.
KEPT = ("breadcrumbs", "content")
# Attributes of a request that templates use.
OF_THE_REQUEST = ("error", "parameters", "query", "full_query", "options", "models")


def page_view(page: ResultPage[Any]) -> Callable[..., HttpResponse]:
    """Return the view of a page, which also sends its tables as files."""

    @require_safe
    def view(request: HttpRequest, slug: str, **address: str) -> HttpResponse:
        project = page.project_for(request.user, slug)
        if SHOWN in request.GET:
            return redirect(f"{request.path}?{read_form(request.GET)}")
        show = _send_table if "as" in request.GET else _show_page
        try:
            with leave_long_reading():
                return show(request, project, page, address)
        except computations.StillComputing as still:
            if "as" in request.GET:
                return HttpResponse(str(still), status=503, headers={"Retry-After": str(computations.RETRY_AFTER)})
            reading = {"project": project, "page": page, "waiting": still.waiting}
            return render(request, "agreement/reading.html", reading)

    return draws_charts(view) if page.draws_charts else view


def _show_page(request: HttpRequest, project: Project, page: ResultPage[Any], address: dict[str, str]) -> HttpResponse:
    query = page.read_fields(project, request.GET)
    if query is not request.GET:
        values = {name: value for name, value in parse_query(query).items() if value}
        return redirect(f"{request.path}?{urlencode(values)}")
    state = _read_state(request, page, project) if page.is_kept else ""
    kept = {name: caches["pages"].get(make_template_fragment_key(name, [state])) for name in KEPT} if state else {}
    if kept and None not in kept.values():
        return render(request, page.template, {"project": project, "kept_parts": kept})
    analysis = page.request(project, query, request.user.get_username(), address, whole_tables=False)
    sections = page.shown(analysis)
    everything = {
        "project": project,
        "manages": may_change(project, Right.MANAGE),
        **{name: getattr(analysis, name) for name in OF_THE_REQUEST},
        "waiting": sections.waiting,
        "as_of": sections.as_of,
        "tables": {table.key: table for table in sections.tables},
        "charts": {chart.key: chart for chart in sections.charts},
        **_controls(page, analysis, sections),
        **sections.context,
    }
    if page.name == "categories":
        everything["mappings"] = page_of(request, everything["mappings"], name=f"{TABLE_PAGE}mappings")
    if page.name == "item" and may(project, Right.DISCUSS):
        everything |= discussion_of(everything["item"].unit)
    # a page is not cached while a worker computes parts of it, or if its state changed meanwhile
    lasts = state and not (sections.waiting or sections.as_of or analysis.error)
    if lasts and _read_state(request, page, project) == state:
        everything |= {"page_state": state, "seconds_kept": SECONDS_REMEMBERED}
    return render(request, page.template, everything, status=400 if analysis.error else 200)


def _read_state(request: HttpRequest, page: ResultPage[Any], project: Project) -> str:
    """Return the cache key of a page: its reader's role, its URL, and the state of the project and the page."""
    role = project.role  # type: ignore[attr-defined]
    return repr((role, request.get_full_path(), read_state(project), page.kept_state(project)))


def _controls(page: ResultPage[Any], analysis: AnalysisRequest, sections: PageSections) -> dict[str, Any]:
    if not page.uses_answers:
        return {"choices": PyramidForm(sections.context["fields"], analysis.options)}
    settings = wording.read_settings(analysis)
    return {
        "form": ParametersForm(analysis, settings),
        "facts": settings.facts.values(),
        "nouns": wording.nouns_for(analysis.extract),
        "question": analysis.extract.question,
        "coders": analysis.extract.coders,
        "has_chains": analysis.extract.has_chains,
        "question_left_out": wording.describe_unanswered(analysis.extract, analysis.parameters),
        "not_counted": wording.list_left_out(count_left_out(analysis.extract, analysis.parameters)),
        "versions_left_out": wording.describe_versions(
            analysis.extract.versions, count_other_versions(analysis.extract, analysis.parameters)
        ),
        "models_left_out": ""
        if MODELS in analysis.parameters.selection("include")
        else wording.describe_models_left_out(analysis.n_codings_of_models),
        "terms": wording.name_terms(analysis.extract.question),
    }


def _send_table(request: HttpRequest, project: Project, page: ResultPage[Any], address: dict[str, str]) -> HttpResponse:
    analysis = page.request(project, request.GET, request.user.get_username(), address, whole_tables=True)
    sections = page.shown(analysis)
    try:
        return write_table(analysis, sections, request.GET["as"], request.GET.get("table", ""))
    except InvalidParameter as error:
        return HttpResponseBadRequest(str(error), content_type="text/plain; charset=utf-8")


@require_safe
def headline(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the summary card of the overview: agreement, items to look at, recent activity."""
    project = results_for(request.user, slug)
    try:
        with leave_long_reading():
            return render(request, "agreement/parts/headline.html", {"project": project, **build_headline(project)})
    except computations.StillComputing as still:
        return render(request, "agreement/parts/headline.html", {"project": project, "waiting": still.waiting})


@require_safe
def computation(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show the progress of a computation; reload the page once it is finished or its worker has died."""
    project = results_for(request.user, slug)
    current = Computation.objects.filter(project=project, pk=pk).defer("result").first()
    if current is None:
        raise Http404("Computation not found.")
    alone = not current.total and timezone.now() - current.created_at > PATIENCE
    answer = render(request, "agreement/parts/waiting.html", {"project": project, "waiting": current, "alone": alone})
    if current.finished_at or is_lost(current):
        answer["HX-Refresh"] = "true"
    return answer


@require_POST
def save_mapping(request: HttpRequest, slug: str) -> HttpResponse:
    """Save a named mapping of categories."""
    project = project_for(request.user, slug, Right.MANAGE)
    form = MappingForm(request.POST)
    names = list(project.categories.values_list("key", flat=True))
    try:
        classes = parse_mapping(request.POST.get("merge", ""), names)
    except InvalidParameter as error:
        messages.error(request, f"Mapping not saved. {error}")
        return redirect("categories", project.slug)
    if not form.is_valid() or not classes:
        messages.error(request, "Mapping not saved: it needs a name and at least one merged category.")
        return redirect("categories", project.slug)
    mapping = discussion.save_mapping(project, form.cleaned_data["name"], classes, cast(User, request.user))
    messages.success(request, f"Mapping saved as {mapping}.")
    query = urlencode(request.GET.dict() | {"merge": format_mapping(mapping.classes)})
    return redirect(reverse("categories", args=[project.slug]) + f"?{query}")


@require_http_methods(["GET", "HEAD", "POST"])
def set_round(request: HttpRequest, slug: str) -> HttpResponse:
    """Assign texts to a round."""
    project = project_for(request.user, slug, Right.MANAGE, changes=True)
    form = MoveToRoundForm(project, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        name = form.cleaned_data["round"] or MAIN
        with refused_at(form):
            n = move_to_round(project, form.cleaned_data["texts"], name)
            messages.success(request, f"{pluralize(n, 'text')} in round {name} now.")
            return redirect("texts", project.slug)
    return render(request, "agreement/round.html", {"project": project, "form": form})
