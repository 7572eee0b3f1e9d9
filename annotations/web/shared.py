"""Helpers shared by the pages: pagination, confirmation questions, refusals and news."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from annotations.models import Project, User
from annotations.projects.guidelines import guidelines_news
from annotations.texts.questions import count_unanswered, questions_with_news

PAGE_SIZE = 50
SEARCH_LENGTH = 100
CONFIRMED = "confirmed"


def page_of[T](
    request: HttpRequest, rows: Sequence[T] | QuerySet[Any, T], *, name: str = "page", size: int = 0, at: int = 0
) -> Page[T]:
    """Return the page of rows that the address names in the parameter `name`; the first or last if it is invalid."""
    # `size` 0 is PAGE_SIZE. If the address has no number, return the page of the row with the index `at`.
    size = size or PAGE_SIZE
    return Paginator(rows, size).get_page(request.GET.get(name, at // size + 1))


def search_of(request: HttpRequest) -> str:
    """Return the search words of the address."""
    return request.GET.get("q", "").strip()[:SEARCH_LENGTH].replace("\0", "")


def address_with(address: str, place: int, name: str = "page") -> str:
    """Return the address of the list page with the row of index `place`; `name` is the parameter of `page_of`."""
    number = place // PAGE_SIZE + 1
    return f"{address}?{urlencode({name: number})}" if number > 1 else address


def preview_address(request: HttpRequest, address: str) -> str:
    """Return the address that shows a form with a preview; its query holds the sent fields."""
    query = request.POST.copy()
    for name in ("csrfmiddlewaretoken", "preview"):
        query.pop(name, None)
    return f"{address}?{query.urlencode()}"


def gold_address(project: str, round_name: str, text: str) -> str:
    """Return the address of the gold of a text on the page of its round."""
    return f"{reverse('round', args=[project, round_name])}?{urlencode({'text': text})}#gold"


@dataclass(frozen=True, slots=True)
class Question:
    """A question before a step: a heading, a line for each effect, the button, and the way back."""

    heading: str
    lines: Sequence[str]
    action: str  # empty if the step is impossible; the lines say why
    cancel: str
    tab: str = "overview"
    danger: bool = False


def is_confirmed(request: HttpRequest) -> bool:
    """Return whether the user has confirmed the question."""
    return CONFIRMED in request.POST


def ask(request: HttpRequest, project: Project, question: Question, form: forms.Form | None = None) -> HttpResponse:
    """Return the page of the question, which sends the fields of the request again with the fields of `form`."""
    own = {CONFIRMED, "csrfmiddlewaretoken", *(form.fields if form else ())}
    sent = [(name, value) for name, values in request.POST.lists() for value in values if name not in own]
    context = {"project": project, "question": question, "sent": sent, "form": form, "confirmed": CONFIRMED}
    return render(request, "forms/confirm.html", context, status=400 if form and form.errors else 200)


@contextmanager
def refused_at(form: forms.BaseForm, field: str | None = None) -> Iterator[None]:
    """Add the block's ValidationError to its fields in the form, else to `field`; continue after the block."""
    try:
        yield
    except ValidationError as error:
        if hasattr(error, "error_dict"):
            for name, texts in error.message_dict.items():
                form.add_error(name if name in form.fields else field, texts)
        else:
            form.add_error(field, error.messages)


@contextmanager
def refused_to(request: HttpRequest) -> Iterator[None]:
    """Show the block's ValidationError as a message on the next page; continue after the block."""
    try:
        yield
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))


def news_for(project: Project, user: User, *, codes: bool) -> dict[str, Any]:
    """Return the context of `annotations/projects/news.html`; guidelines and answers are only for users who code."""
    return {
        "news": guidelines_news(project, user) if codes else None,
        "n_news": questions_with_news(project, user).count() if codes else 0,
        "n_unanswered": count_unanswered(project),
    }
