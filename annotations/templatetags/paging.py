"""The pages of a long list, as links below it."""

from collections.abc import Sequence
from typing import Any

from django import template
from django.core.paginator import Page
from django.utils.safestring import SafeString

from annotations.core.http.fields import BoundedSelect, are_many, render_suggestions

register = template.Library()

PART = "part"  # by which a script asks for a part of a page; links are to whole ones
MAX_NAMES = 20


@register.inclusion_tag("pages.html", takes_context=True)
def pages(
    context: dict[str, Any], shown: Page[Any], name: str = "page", what: str = "", at: str = ""
) -> dict[str, Any]:
    """Return the links to the pages before and after this one; all else that the address asks for stays."""
    # name: what the address calls the number of the page. what: which of several lists this is. at: the id where the
    # next page begins. `list_address` of the context: where the page answers what was sent to another address.
    query = context["request"].GET.copy()
    for other in (name, PART):
        query.pop(other, None)
    kept = query.urlencode()
    address = context.get("list_address", "")
    return {
        "shown": shown,
        "start": f"{address}?{kept}&{name}=" if kept else f"{address}?{name}=",
        "what": what,
        "label": f"Pages: {what}" if what else "Pages",
        "end": f"#{at}" if at else "",
    }


@register.filter
def some(names: Sequence[str]) -> str:
    """Return the first of the names, and how many more there are."""
    more = len(names) - MAX_NAMES
    return ", ".join(names[:MAX_NAMES]) + (f" and {more} more" if more > 0 else "")


@register.simple_tag
def choose(
    name: str, at: str, choices: Sequence[str | tuple[str, str]], chosen: str, everything: str = ""
) -> SafeString:
    """Return the control, with the id `at`, that chooses a name or value; `everything` is the label of no choice."""
    pairs = [(choice, choice) if isinstance(choice, str) else choice for choice in choices]
    if are_many(pairs):  # so many are no choices of a list, all of which Django would look at
        return render_suggestions(name, chosen, pairs, {"id": at}, everything)
    listed = [*([("", everything)] if everything else []), *pairs]
    return BoundedSelect(choices=listed).render(name, chosen, {"id": at})
