"""The manuals, the glossary and their search; readable without signing in."""

from django.contrib.auth.decorators import login_not_required
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotations.help.manuals import GROUPS, docs_folder, manual, neighbours
from annotations.help.search import MAX_QUERY_LENGTH, search

PICTURES = {".png": "image/png", ".svg": "image/svg+xml"}


@login_not_required
@require_safe
def index(request: HttpRequest) -> HttpResponse:
    query = request.GET.get("q", "").replace("\x00", "")[:MAX_QUERY_LENGTH].strip()
    context = {"groups": _groups(), "query": query, "matches": search(query), "max_length": MAX_QUERY_LENGTH}
    return render(request, "annotations/help/index.html", context)


@login_not_required
@require_safe
def page(request: HttpRequest, name: str) -> HttpResponse:
    try:
        shown = manual(name)
    except KeyError:
        raise Http404("There is no such manual.") from None
    before, after = neighbours(name)
    context = {"groups": _groups(), "manual": shown, "before": before, "after": after, "max_length": MAX_QUERY_LENGTH}
    return render(request, "annotations/help/manual.html", context)


@login_not_required
@require_safe
def image(_: HttpRequest, name: str) -> FileResponse:
    """Return a picture of a manual."""
    path = next((path for path in (docs_folder() / "images").iterdir() if path.name == name), None)
    if path is None or path.suffix not in PICTURES:
        raise Http404("There is no such picture.")
    return FileResponse(path.open("rb"), content_type=PICTURES[path.suffix])


def _groups() -> list[tuple[str, list[object]]]:
    return [(title, [manual(name) for name in names]) for title, names in GROUPS]
