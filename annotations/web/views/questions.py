"""The questions of coders: the list of the user's own, threads, and the dialog of the coding page."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from annotations.formats.model.keys import parse_key
from annotations.models import Coding, Project, Question
from annotations.models.coding import AGREED_KINDS
from annotations.models.people.rights import Right
from annotations.models.project import may
from annotations.projects.permissions import own_coding
from annotations.texts.forms import PublicAnswerForm, QuestionForm, ReplyForm
from annotations.texts.keywords import covered_text
from annotations.texts.questions import (
    Seen,
    Thread,
    ask,
    find_question,
    key_now,
    public_answers,
    publish,
    read_threads,
    record_question_read,
    reply_to,
    resolve_question,
    thread_state,
)
from annotations.web import markdown
from annotations.web.access import project_action, project_form, project_page, show, signed_in_user
from annotations.web.shared import page_of, refused_at

PAGE_SIZE = 25
# The dialog of the coding page shows the latest threads about the text, each with its latest replies.
DIALOG_THREADS = 10
DIALOG_REPLIES = 3
STATES = {"open": "Open", "resolved": "Resolved"}


@project_page()
def questions(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the user's own questions and the answers published to all coders."""
    user = signed_in_user(request)
    state = request.GET.get("state", "open")
    state = state if state in STATES else "open"
    resolved = state == "resolved"
    own = Question.objects.asked_by(user).filter(text__project=project, resolved_at__isnull=not resolved)
    # Open questions: first questions with news, then the oldest. Resolved questions: the latest first.
    order = ("-resolved_at", "pk") if resolved else ("-has_news", "created_at", "pk")
    ordered = own.select_related("resolved_by").order_by(*order)
    shown = page_of(request, ordered, size=PAGE_SIZE)
    context = {
        "shown": shown,
        "rows": describe_threads(read_threads(list(shown), project, user), 0),
        "state": state,
        "states": [(name, label, name == state) for name, label in STATES.items()],
        "public": [
            {"question": markdown.render(row.public_question), "answer": markdown.render(row.public_answer), "row": row}
            for row in public_answers(project)
        ],
        "full_query": f"state={state}",
        "discusses": may(project, Right.DISCUSS),
    }
    return show(request, project, "annotations/questions/questions.html", context)


@project_form()
def question(request: HttpRequest, project: Project, question: UUID) -> HttpResponse:
    """Show the thread of a question to its coder and to adjudicators and managers; all can reply."""
    user = signed_in_user(request)
    row = find_question(project, user, question)
    form = ReplyForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        with refused_at(form):
            resolves, seen = "resolve" in request.POST, request.POST.get("state", "")
            reply = reply_to(row, user, form.cleaned_data["body"], resolve=resolves, read=seen)
            if reply.question.needs_answer and user.pk != row.coder_id:
                messages.info(request, "Sent. The coder has written since you opened the page.")
            else:
                messages.success(request, "Sent and resolved." if resolves else "Sent.")
            return redirect("question", project.slug, row.uuid)
    answers = may(project, Right.DISCUSS)
    [thread] = describe_threads(read_threads([row], project, user))
    last = next((reply.body for reply in reversed(thread["replies"]) if reply.author_id != row.coder_id), "")
    # the published texts, else the question and the last answer
    public = {"public_question": row.public_question or row.body, "public_answer": row.public_answer or last}
    context = {
        "thread": thread,
        "answers": answers,
        "public_form": PublicAnswerForm(initial=public) if answers else None,
        "code": _code_address(project, row) if row.coder_id == user.pk else "",
    }
    return show(request, project, "annotations/questions/question.html", context, form=form)


def _code_address(project: Project, row: Question) -> str:
    """Return the address of the coder's coding page of the text; "" if the text is no longer assigned."""
    codings = Coding.objects.of_people().filter(text=row.text_id, coder=row.coder_id)
    kind = codings.values_list("kind", flat=True).first()
    if kind is None:
        return ""
    return reverse("code-agreed" if kind in AGREED_KINDS else "code", args=[project.slug, row.text.slug])


@project_action()
def resolve(request: HttpRequest, project: Project, question: UUID) -> HttpResponse:
    """Resolve a question, which stays readable; a reply reopens it."""
    row = find_question(project, signed_in_user(request), question)
    if resolve_question(row, signed_in_user(request)):
        messages.success(request, "Question resolved.")
    else:
        messages.info(request, "This question is resolved already.")
    following = request.POST.get("next", "")
    if url_has_allowed_host_and_scheme(following, {request.get_host()}, require_https=request.is_secure()):
        return redirect(following)
    return redirect("question", project.slug, row.uuid)


@project_action()
def read(request: HttpRequest, project: Project, question: UUID) -> HttpResponse:
    """Record that the coder has read the news of the thread."""
    row = find_question(project, signed_in_user(request), question)
    record_question_read(row, signed_in_user(request), request.POST.get("state", ""))
    return redirect("question", project.slug, row.uuid)


@project_action(Right.DISCUSS)
def publish_answer(request: HttpRequest, project: Project, question: UUID) -> HttpResponse:
    """Publish an answer to all coders of the project, or withdraw it."""
    row = find_question(project, signed_in_user(request), question)
    form = PublicAnswerForm(request.POST)
    withdraws = "withdraw" in request.POST
    try:
        if not withdraws and not form.is_valid():
            raise ValidationError([message for errors in form.errors.values() for message in errors])
        fields = {} if withdraws else form.cleaned_data
        publish(row, fields.get("public_question", ""), fields.get("public_answer", ""))
    except ValidationError as error:
        messages.error(request, f"Not published: {' '.join(error.messages)}")
    else:
        messages.success(request, "Published to all coders." if any(fields.values()) else "Not published any more.")
    return redirect("question", project.slug, row.uuid)


@project_form()
def text_questions(request: HttpRequest, project: Project, text: str, agreed: bool = False) -> HttpResponse:
    """Return the dialog of the coding page: the coder's questions about a text, and a form to ask one."""
    user = signed_in_user(request)
    coding = own_coding(user, project, text, agreed=agreed)
    form = QuestionForm(request.POST if request.method == "POST" else None)
    fields = request.POST if request.method == "POST" else request.GET
    seen = Seen(coding, _version(fields.get("seen", ""), coding.version))
    asked = False
    if form.is_valid():
        with refused_at(form):
            ask(coding.text, user, form.cleaned_data["body"], form.cleaned_data["markable"], seen=seen)
            form, asked = QuestionForm(), True
    own = Question.objects.asked_by(user).filter(text=coding.text_id).select_related("resolved_by")
    latest = list(own.order_by("-has_news", "-created_at", "-pk")[:DIALOG_THREADS])
    key = key_now(fields.get("about" if request.method == "POST" else "markable", ""), seen)
    markable = parse_key(key)
    context = {
        "asked": asked,
        "version": coding.version,
        "key": key if markable else "",
        "words": covered_text(coding.text.content, markable.parts) if markable else "",
        "address": request.path,
        "rows": describe_threads(read_threads(latest, project, user), DIALOG_REPLIES),
        "more": own.count() > DIALOG_THREADS,
    }
    return show(request, project, "annotations/questions/dialog.html", context, form=form)


def _version(sent: str, latest: int) -> int:
    """Return the version of the coding that the page shows; the latest if the page does not say."""
    return int(sent) if sent.isascii() and sent.isdigit() and len(sent) < 10 else latest


def describe_threads(threads: Iterable[Thread], most_replies: int | None = None) -> list[dict[str, Any]]:
    """Return the context of threads, with their Markdown rendered; only the latest replies if limited."""
    described = []
    for thread in threads:
        earlier = 0 if most_replies is None else max(len(thread.replies) - most_replies, 0)
        described.append(
            {
                "question": thread.question,
                "keyword": thread.keyword,
                "html": markdown.render(thread.question.body),
                "replies": thread.replies,
                "state": thread_state(thread.question, len(thread.replies)),
                "shown": [
                    {"row": row, "html": markdown.render(row.body), "asks": row.author_id == thread.question.coder_id}
                    for row in thread.replies[earlier:]
                ],
                "earlier": earlier,
            }
        )
    return described
