"""The page of a long list that the address asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse

PAGE_SIZE = 50
SEARCH_LENGTH = 100


def page_of[T](
    request: HttpRequest, rows: Sequence[T] | QuerySet[Any, T], *, name: str = "page", size: int = 0, at: int = 0
) -> Page[T]:
    """Return the page of the rows that the address asks for by this name: the first or last where there is no such.

    size: how many rows; 0: PAGE_SIZE. Where the address asks for none, it is the page of the row of the place `at`.
    """
    size = size or PAGE_SIZE
    return Paginator(rows, size).get_page(request.GET.get(name, at // size + 1))


def search_of(request: HttpRequest) -> str:
    """Return the words that the address searches a list for."""
    return request.GET.get("q", "").strip()[:SEARCH_LENGTH].replace("\0", "")


def address_with(address: str, place: int, name: str = "page") -> str:
    """Return the address of the page of a list that has the row of this place, from 0; `name` is as of `page_of`."""
    number = place // PAGE_SIZE + 1
    return f"{address}?{urlencode({name: number})}" if number > 1 else address


def preview_address(request: HttpRequest, address: str) -> str:
    """Return where a form is shown with a preview of what was sent: its fields stand in the address."""
    query = request.POST.copy()
    for name in ("csrfmiddlewaretoken", "preview"):
        query.pop(name, None)
    return f"{address}?{query.urlencode()}"


def gold_address(project: str, round_name: str, text: str) -> str:
    """Return where a round's page shows the gold of a text: on the page of the list that has it."""
    return f"{reverse('round', args=[project, round_name])}?{urlencode({'text': text})}#gold"
