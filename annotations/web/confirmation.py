"""A far-reaching step asks once: a page says what will happen, and sends what was asked for again, confirmed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotations.models import Project

CONFIRMED = "confirmed"


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked before a step: a heading, a line for each thing that will happen, the button, and the way back.

    Without the button, `action`, the lines say what keeps the step from being taken.
    """

    heading: str
    lines: Sequence[str]
    action: str
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
