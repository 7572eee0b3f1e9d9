"""What pages share: pages of long lists, questions before a far-reaching step, refusals, and news."""

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
    """Return the page of the rows that the address asks for by this name: the first or last where there is no such."""
    # size: how many rows; 0: PAGE_SIZE. Where the address asks for none, it is the page of the row of the place `at`.
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


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked before a step: a heading, a line for each thing that will happen, the button, and the way back."""

    heading: str
    lines: Sequence[str]
    action: str  # empty: the lines say what keeps the step from being taken
    cancel: str
    tab: str = "overview"
    danger: bool = False


def is_confirmed(request: HttpRequest) -> bool:
    """Return whether the page of the question has been answered."""
    return CONFIRMED in request.POST


def ask(request: HttpRequest, project: Project, question: Question, form: forms.Form | None = None) -> HttpResponse:
    """Return the page of the question. It sends the fields of the request again, with those of `form`."""
    own = {CONFIRMED, "csrfmiddlewaretoken", *(form.fields if form else ())}
    sent = [(name, value) for name, values in request.POST.lists() for value in values if name not in own]
    context = {"project": project, "question": question, "sent": sent, "form": form, "confirmed": CONFIRMED}
    return render(request, "forms/confirm.html", context, status=400 if form and form.errors else 200)


@contextmanager
def refused_at(form: forms.BaseForm, field: str | None = None) -> Iterator[None]:
    """Show what the block refuses at the fields of the form, else at this one or above, and go on after the block."""
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
    """Show what the block refuses as a message on the next page, and go on after the block."""
    try:
        yield
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))


def news_for(project: Project, user: User, *, codes: bool) -> dict[str, Any]:
    """Return what `annotations/projects/news.html` shows. Guidelines and answers are for those who code."""
    return {
        "news": guidelines_news(project, user) if codes else None,
        "n_news": questions_with_news(project, user).count() if codes else 0,
        "n_unanswered": count_unanswered(project),
    }
