"""The coefficient in each text, and what becomes of that of all texts without it."""

from __future__ import annotations

from agreement.reports.overall import overall
from agreement.reports.request.request import AnalysisRequest
from agreement.sections.computations import compute_or_enqueue
from agreement.sections.content import PageSections, paginate
from agreement.sections.deferred.texts import SORTS, build_texts, sort_texts
from agreement.sections.figures.positions import build_tenths

PAGE_SIZE = 25


def build(request: AnalysisRequest) -> PageSections:
    """Return the texts of one page, or all of them."""
    texts = request.compute(lambda parameters, options: sort_texts(request, parameters, options.get("sort") or "text"))
    shown, rows = paginate(request, texts, PAGE_SIZE)
    if request.page is None:  # the intervals of all texts take long
        sections = compute_or_enqueue(request, "texts")
    else:
        content = build_texts(request, rows)
        sections = PageSections(content.tables, content.charts)
    current = request.options.get("sort") or "text"
    tenths = build_tenths(request, rows)
    return sections.extended(
        tenths.tables,
        tenths.charts,
        shown=shown,
        sorts=[(name, request.address_with(sort=name), name == current) for name in SORTS],
        report=overall.compute_report(request.extract, request.parameters),
    )
