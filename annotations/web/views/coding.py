"""The coding page, and the submission and reopening of codings."""

from dataclasses import asdict
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotations.adjudication.ownership import GoldOfOther, gold_coding
from annotations.coding.decisions import OperationRejected
from annotations.coding.gold import gold_at_once, shows_gold_once_submitted, was_gold_shown
from annotations.coding.required_answers import AnswersMissing
from annotations.coding.state import coding_state, corrections_of
from annotations.coding.status import (
    GOLD_SHOWN,
    decline_reopening,
    has_nothing_to_code,
    may_reopen_own,
    reason_of_reopening,
    reopen_coding,
    reopen_own_coding,
    request_reopening,
    submit_coding,
)
from annotations.core.text import pluralize
from annotations.models import Coding, Project
from annotations.models.coding import AGREED_KINDS
from annotations.models.people.rights import Right
from annotations.planning.forms import ReasonForm, RequestForm
from annotations.planning.training import feedback_on, refuse_untrained
from annotations.planning.work.next_coding import work_after
from annotations.projects.guidelines import guidelines_news
from annotations.projects.permissions import CodingChoice, coding_token, own_coding, project_for
from annotations.revision.versions import merged_answers
from annotations.texts.questions import questions_with_news
from annotations.web import markdown
from annotations.web.access import project_action, show, signed_in_user
from annotations.web.shared import Question, ask, is_confirmed

MAX_EDITS = 3  # listed places of a correction


@require_safe
def code(request: HttpRequest, slug: str, text: str, agreed: bool = False, gold: bool = False) -> HttpResponse:
    """Show the coding page of the user's own coding or of gold; in projects of summaries, the pyramid page."""
    project = project_for(request.user, slug, _right(gold=gold))
    coding = _find_coding(request, project, text, _choice(request), agreed=agreed, gold=gold)
    if isinstance(coding, HttpResponse):
        return coding
    texts = list(questions_with_news(project, signed_in_user(request)).values_list("text", flat=True))
    state = coding_state(coding, project)
    if gold:
        state["gold"] = True
    elif gold_at_once(coding) is not None:
        # the coder's comparisons with the gold so far, and the address for further ones
        coding.round.project = project
        address, feedback = reverse("api-feedback", args=[project.slug, coding.text.slug]), feedback_on(coding)
        state["feedback"] = {"address": address, "items": [asdict(item) for item in feedback.items] if feedback else []}
    corrections = corrections_of(coding)
    merges = merged_answers(project, state["scheme"]["constraints"])
    workbench = "pyramid" if project.answers == Project.Answers.SCUS else "coding"
    context = {
        "text": coding.text,
        "coding": coding,
        "coding_state": state,
        # how corrections and merges affect answers that are not sent yet
        "changes": {"corrections": corrections, "merges": merges} if corrections or merges else None,
        "guidelines_html": markdown.render(project.guidelines),
        "news": guidelines_news(project, signed_in_user(request)),
        "n_news": len(texts),
        "has_news_here": coding.text_id in texts,
        "agreed": "-gold" if gold else "-agreed" if agreed else "",
        "gold": gold,
        "token": coding_token(coding),
        "script": f"js/{workbench}/main.js",
    }
    if corrections and corrections[-1]["sequence"] == coding.version:
        context["corrected"] = corrections[-1]["edits"][:MAX_EDITS]
    context["nothing_to_code"] = coding.status == Coding.Status.OPEN and has_nothing_to_code(coding)
    if project.archived_at is not None or coding.round.is_closed or context["nothing_to_code"]:
        # The scripts can change an open coding; this one is read-only.
        state["coding"]["status"] = "archived"
    elif coding.status == Coding.Status.SUBMITTED:
        context |= {"may_reopen": not was_gold_shown(coding), "alone": may_reopen_own(coding)}
    else:
        context["reason"] = reason_of_reopening(coding)
        # Gold comes before the next text.
        is_next = not shows_gold_once_submitted(coding)
        context["following"] = is_next and work_after(project, signed_in_user(request), coding).next is not None
    return show(request, project, f"annotations/workbench/{workbench}.html", context)


@require_POST
def submit(request: HttpRequest, slug: str, text: str, agreed: bool = False, gold: bool = False) -> HttpResponse:
    """Submit the coder's own coding; open the next open one if `next` is sent. Gold returns to its round."""
    project = project_for(request.user, slug, _right(gold=gold))
    choice = CodingChoice(token=request.POST.get("coding", ""))
    coding = _find_coding(request, project, text, choice, agreed=agreed, gold=gold)
    if isinstance(coding, HttpResponse):
        return coding
    try:
        submit_coding(coding, signed_in_user(request))
    except OperationRejected as rejection:
        messages.error(request, str(rejection))
        if rejection.code == "handed_on":  # the gold has another owner now
            return redirect("project", project.slug)
        fragment = f"#{rejection.missing[0].markable}" if isinstance(rejection, AnswersMissing) else ""
        return redirect(f"{_address(project, coding)}{fragment}")
    messages.success(request, f"Submitted “{coding.text}”.")
    if shows_gold_once_submitted(coding):
        return redirect("feedback", project.slug, coding.text.slug, coding_token(coding))
    following = work_after(project, signed_in_user(request), coding).next if "next" in request.POST else None
    if following is not None:
        return redirect(_address(project, following))
    return redirect("round", project.slug, coding.round.name) if gold else redirect("project", project.slug)


def _right(*, gold: bool) -> Right:
    return Right.ADJUDICATE if gold else Right.VIEW_PROJECT


def _find_coding(
    request: HttpRequest,
    project: Project,
    text: str,
    choice: CodingChoice,
    *,
    agreed: bool,
    gold: bool,
    trained: bool = True,
) -> Coding | HttpResponse:
    """Return the user's coding, or a redirect that refuses it; `trained`: check training too. Raise Http404."""
    user = signed_in_user(request)
    try:
        if gold:
            coding = gold_coding(user, project, text, choice=choice)
        else:
            coding = own_coding(user, project, text, agreed=agreed, choice=choice)
        if trained:
            refuse_untrained(coding)
    except GoldOfOther as rejection:
        messages.error(request, str(rejection))
        return redirect("round", project.slug, rejection.gold.round.name)
    except OperationRejected as rejection:
        messages.info(request, str(rejection))
        return redirect("project", project.slug)
    return coding


def _choice(request: HttpRequest) -> CodingChoice:
    """Return the user's choice among several codings of the text, from the address."""
    return CodingChoice(request.GET.get("round", ""), request.GET.get("coding", ""))


def _address(project: Project, coding: Coding) -> str:
    """Return the address of the coding page, with the round if the coder has several codings of the text."""
    if coding.kind == Coding.Kind.GOLD:
        address = reverse("code-gold", args=[project.slug, coding.text.slug])
        return f"{address}?{urlencode({'round': coding.round.name})}"
    address = reverse("code-agreed" if coding.kind in AGREED_KINDS else "code", args=[project.slug, coding.text.slug])
    of_text = Coding.objects.of_coders().visible_to(coding.coder).filter(text=coding.text_id, coder=coding.coder_id)
    of_text = of_text.filter(kind=coding.kind)
    return f"{address}?{urlencode({'round': coding.round.name})}" if of_text.count() > 1 else address


@require_http_methods(["GET", "HEAD", "POST"])
def reopen_own(request: HttpRequest, slug: str, text: str, agreed: bool = False, gold: bool = False) -> HttpResponse:
    """Reopen the coder's own submission until somebody has viewed it; after that, request it from the managers."""
    project = project_for(request.user, slug, _right(gold=gold), changes=True)
    user = signed_in_user(request)
    coding = _find_coding(request, project, text, _choice(request), agreed=agreed, gold=gold, trained=False)
    if isinstance(coding, HttpResponse):
        return coding
    address = _address(project, coding)
    if coding.status != Coding.Status.SUBMITTED:
        messages.info(request, f"“{coding.text}” is open.")
        return redirect(address)
    if was_gold_shown(coding):
        messages.info(request, GOLD_SHOWN)
        return redirect(address)
    # `ask` tells which button the page showed: if somebody has viewed the coding since, ask for a reason first.
    asks = "ask" in request.POST
    form = RequestForm(request.POST if asks else None, initial={"reason": coding.reopen_request})
    try:
        if request.method == "POST" and not asks:
            reopen_own_coding(coding, user)
            messages.success(request, f"Reopened “{coding.text}”.")
            return redirect(address)
        if asks and form.is_valid():
            request_reopening(coding, user, form.cleaned_data["reason"])
            messages.success(request, "Sent to the managers.")
            return redirect("project", project.slug)
    except OperationRejected as rejection:
        messages.error(request, str(rejection))
        return redirect(request.get_full_path())
    context = {"coding": coding, "alone": may_reopen_own(coding), "address": address}
    return show(request, project, "annotations/projects/coders/reopen_own.html", context, form=form)


@project_action(Right.MANAGE_WORK)
def reopen(request: HttpRequest, project: Project, text: str, coder: str, agreed: bool = False) -> HttpResponse:
    """Reopen a coding for its coder after confirmation, or decline the coder's request."""
    codings = Coding.objects.of_coders().filter(text__project=project, text__slug=text, coder__username=coder)
    codings = codings.filter(kind__in=AGREED_KINDS) if agreed else codings.exclude(kind__in=AGREED_KINDS)
    codings = codings.latest_first(request.GET.get("round", ""))
    coding = codings.select_related("text__docset", "coder", "round").first()
    if coding is None:
        raise Http404("Coding not found.")
    docset = coding.text.docset
    back = reverse("docset", args=[project.slug, docset.slug]) if docset else reverse("project", args=[project.slug])
    form = ReasonForm(request.POST if is_confirmed(request) else None)
    try:
        if "decline" in request.POST:
            decline_reopening(coding, signed_in_user(request))
            messages.success(request, f"Declined: “{coding.text}” of {coding.coder} stays submitted.")
        elif not (is_confirmed(request) and form.is_valid()):
            return ask(request, project, _reopening_question(coding, back), form)
        else:
            reopen_coding(coding, signed_in_user(request), form.cleaned_data["reason"])
            messages.success(request, f"Reopened “{coding.text}” for {coding.coder}.")
    except OperationRejected as rejection:
        messages.error(request, str(rejection))
    return redirect(back)


def _reopening_question(coding: Coding, back: str) -> Question:
    """Return the question before a coding is reopened."""
    lines = [
        f"{coding.coder} can change {pluralize(coding.judgements.count(), 'answer')} and submits again.",
        "Until then the coding is left out of figures and exports, unless open codings are included.",
    ]
    if coding.kind == Coding.Kind.AGREED:
        peers = Coding.objects.of_coders().begun().filter(text__docset=coding.text.docset, kind=Coding.Kind.PEER_AGREED)
        lines.append(f"Peers scored against it keep their SCUs: {pluralize(peers.count(), 'coding')}.")
    if coding.reopen_request:
        lines.append(f"{coding.coder} asks for it: {coding.reopen_request}")
    return Question(f"Reopen “{coding.text}” for {coding.coder}?", lines, "Reopen", back)
