"""Template filters and tags for figures, tables and charts."""

from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from agreement.reports.request import TABLE_PAGE
from agreement.reports.wording import label_coder
from agreement.results.figures.charts import Chart
from agreement.results.tables import TABLE_FORMATS, Kind, Table, format_value
from annotations.web import markdown

register = template.Library()
register.filter("markdown", markdown.render)
register.filter("as_coder", label_coder)


@register.filter
def figure(value: float | None) -> SafeString:
    """Return a rounded coefficient in a <data> element with every digit, or "undefined" for None."""
    return format_html('<span class="{}">undefined</span>', "quiet") if value is None else _data(value, "figure")


@register.filter
def probability(p: float) -> SafeString:
    """Return a rounded p-value, such as "p = 0.012", or "p < 0.001"."""
    return _data(p, "probability", "p " if format_value(p, "probability").startswith("<") else "p = ")


@register.filter
def percent(share: float) -> SafeString:
    """Return a share from 0 to 1 as whole percent, with one decimal below ten."""
    return _data(share, "percent")


def _data(value: float, kind: Kind, before: str = "") -> SafeString:
    return format_html('<data value="{}">{}</data>', repr(value), f"{before}{format_value(value, kind)}")


@register.filter
def cell(value: object, kind: Kind) -> SafeString:
    """Return a cell of a table: rounded for the eye, with every digit in the <data> element."""
    if value is None:
        return format_html('<span class="{}">{}</span>', "muted", "–")
    if isinstance(value, str):
        return format_html("{}", value)
    assert isinstance(value, int | float)
    if value == 0 and kind == "count":
        return format_html('<data value="0" class="{}">0</data>', "quiet")
    return _data(value, kind)


@register.filter
def is_prose(value: object) -> bool:
    """Return whether a cell has a long text, which needs a wide column."""
    return isinstance(value, str) and len(value) >= 25


@register.inclusion_tag("agreement/parts/table.html", takes_context=True)
def table(context: dict[str, Any], key: str) -> dict[str, Any]:
    """Show a table of the page, or the requested part of a long one, with its downloads and its chart."""
    whole: Table | None = context["tables"].get(key)
    if whole is None:
        return {"table": None}
    charts = [
        chart
        for chart in context["charts"].values()
        if chart.table == key and not (chart.is_empty or chart.is_too_large)
    ]
    number = f"{TABLE_PAGE}{key}"
    part, shown = whole.on_page(context["request"].GET.get(number))
    return {
        "table": part,
        "n_hidden": len(whole.columns) - len(part.columns),
        "shown": shown,
        "number": number,
        "request": context["request"],
        "chart": next(iter(charts), None),
        **_downloads(context),
    }


@register.inclusion_tag("agreement/parts/chart.html", takes_context=True)
def chart(context: dict[str, Any], key: str) -> dict[str, Any]:
    """Show a chart of the page with its downloads and those of its table; nothing if it has no data."""
    chart: Chart | None = context["charts"].get(key)
    if chart is None or chart.is_empty:
        return {"chart": None}
    return {"chart": chart, "table": context["tables"].get(chart.table), **_downloads(context)}


def _downloads(context: dict[str, Any]) -> dict[str, Any]:
    return {
        "formats": TABLE_FORMATS,
        "address": f"?{context['full_query']}&as=" if context["full_query"] else "?as=",
        "file": context["project"].slug,
    }
