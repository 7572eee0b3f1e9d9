"""The pages of rounds: the list, a round with its texts, training results, and the feedback on training."""

from collections import defaultdict
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse

from annotations.adjudication.drafts import gold_of_rounds
from annotations.adjudication.error_estimate import estimate_errors
from annotations.adjudication.ownership import codings_to_gold, open_gold
from annotations.adjudication.readiness import GoldIsEarly, describe_early
from annotations.adjudication.states import State
from annotations.core.text import pluralize
from annotations.models import Coding, Project, Round, Text
from annotations.models.people.rights import Right
from annotations.models.project import may, may_change
from annotations.planning.forms import DecisionForm, NewRoundForm, RoundForm, RoundTextsForm
from annotations.planning.rounds import (
    add_texts,
    change_round,
    create_round,
    delete_round,
    describe_rounds,
    figures_of_rounds,
    refuse_deletion,
    refuse_own_training,
    refuse_pool,
    remove_texts,
)
from annotations.planning.training import (
    arrange_results,
    decide_on_coder,
    feedback_on,
    take_next_attempt,
    training_result,
    training_results,
)
from annotations.planning.work.next_coding import work_after
from annotations.projects.letters import sees_names
from annotations.projects.permissions import CodingChoice, coding_token, own_coding
from annotations.projects.rounds import COUNTED_KINDS, TRAINING_KINDS, round_for, rounds_of
from annotations.projects.viewing import record_view
from annotations.web.access import project_action, project_form, project_page, show, signed_in_user
from annotations.web.forms.gold import DraftForm
from annotations.web.shared import (
    Question,
    address_with,
    ask,
    gold_address,
    is_confirmed,
    page_of,
    refused_at,
    refused_to,
)

STEPS = {"up": -1, "down": 1}


@project_form(Right.READ_TEXTS, post=Right.MANAGE)
def rounds(request: HttpRequest, project: Project) -> HttpResponse:
    """List the rounds of the project in order, with their figures; create a round on POST."""
    form = NewRoundForm(project, request.POST if request.method == "POST" else None)
    if form.is_valid():
        with refused_at(form):
            round_ = create_round(project, **form.cleaned_data)
            messages.success(request, f"Made the round {round_}.")
            return redirect("round", project.slug, round_.name)
    context = {
        "rounds": page_of(request, describe_rounds(project)),
        "deletes": may_change(project, Right.MANAGE_WORK),
        # Users who code may not know the progress of others.
        "sees_work": may(project, Right.SEE_RESULTS),
    }
    return show(request, project, "annotations/planning/rounds.html", context, form=form)


@project_page(Right.READ_TEXTS)
def one_round(request: HttpRequest, project: Project, name: str) -> HttpResponse:
    """Show a round with its texts, and the forms that change them."""
    return _show_round(request, project, round_for(project, name))


def _show_round(
    request: HttpRequest,
    project: Project,
    round_: Round,
    form: RoundForm | None = None,
    texts: RoundTextsForm | None = None,
) -> HttpResponse:
    sees_gold = may(project, Right.ADJUDICATE) and project.answers != Project.Answers.SCUS
    gold = gold_of_rounds(project, [round_]) if sees_gold else []
    index = next((index for index, row in enumerate(gold) if row.text.slug == request.GET.get("text")), 0)
    shown_gold = page_of(request, gold, name="gold", at=index)
    # The codings of adjudicators that can become gold, by text.
    to_gold: dict[int, list[str]] = defaultdict(list)
    if sees_gold:
        codings = codings_to_gold(project, round_, signed_in_user(request))
        for text, name in codings.values_list("text", "coder__username"):
            to_gold[text].append(name)
    context = {
        "list_address": reverse("round", args=[project.slug, round_.name]),
        "round": round_,
        "figures": figures_of_rounds(project)[round_.pk],
        "texts": page_of(request, round_.texts.defer("content"), name="texts"),
        "form": form or RoundForm.of_round(round_),
        "texts_form": texts or RoundTextsForm(round_),
        "may_repeat": may_change(project, Right.MANAGE_WORK) and round_.kind in COUNTED_KINDS,
        "of_summaries": project.answers == Project.Answers.SCUS,
        "changes_texts": project.answers != Project.Answers.SCUS and not round_.is_closed,
        "sees_work": may(project, Right.SEE_RESULTS),
        "sees_training": may(project, Right.ADJUDICATE),
        "sees_gold": sees_gold,
        "edits_gold": may_change(project, Right.ADJUDICATE) and not round_.is_closed,
        "shown_gold": shown_gold,
        "gold": [(row, to_gold.get(row.text.pk, ())) for row in shown_gold],
        "errors": estimate_errors([row.gold.coding for row in gold if row.gold is not None]).get(round_.pk),
        "drafts_again": any(row.gold and row.gold.draft and row.gold.state is not State.CLOSED for row in gold),
        "draft_form": DraftForm(),
    }
    status = 400 if any(bound is not None and bound.errors for bound in (form, texts)) else 200
    return show(request, project, "annotations/planning/round.html", context, status=status)


@project_action(Right.MANAGE)
def change(request: HttpRequest, project: Project, name: str) -> HttpResponse:
    """Change the name, kind, dates and texts of a round; confirm if that changes which codings count."""
    round_ = round_for(project, name)
    form = RoundForm.of_round(round_, request.POST)
    texts = RoundTextsForm(round_, request.POST) if "with_texts" in request.POST else None
    if not form.is_valid() or (texts is not None and not texts.is_valid()):
        return _show_round(request, project, round_, form, texts)
    kind = form.cleaned_data["kind"]
    was_counted, is_counted = round_.kind in COUNTED_KINDS, kind in COUNTED_KINDS
    submitted = _submitted_work(project, round_) if was_counted != is_counted else ""
    asks = bool(submitted) and not is_confirmed(request)
    message = f"Saved the round {form.cleaned_data['name']}."
    with refused_at(form), transaction.atomic():
        if texts is not None:
            message = " ".join(filter(None, (message, _save_texts(project, round_, texts.chosen))))
        refuse_own_training(project, round_, form.cleaned_data)
        changed = change_round(round_, **form.cleaned_data)
        transaction.set_rollback(asks)  # report errors before asking for confirmation
    if form.errors:
        return _show_round(request, project, round_for(project, name), form, texts)
    if asks:
        effect = "are part of figures" if is_counted else "stay out of figures unless they are included there"
        lines = [f"{submitted}: they {effect}."]
        back = reverse("round", args=[project.slug, name])
        return ask(request, project, Question(f"Make {name} a round of {kind}?", lines, "Change", back, "rounds"))
    messages.success(request, message)
    return redirect("round", project.slug, changed.name)


def _save_texts(project: Project, round_: Round, chosen: set[Text]) -> str:
    """Replace the texts of a round by the chosen ones; return a sentence on the changes, empty if there are none."""
    dropped = [text for text in round_.texts.defer("content") if text not in chosen]
    if dropped:
        refuse_pool(project, round_)
    removed, added = remove_texts(round_, dropped), add_texts(round_, chosen)
    return f"{pluralize(added, 'text')} added, {removed} removed." if added or removed else ""


def _submitted_work(project: Project, round_: Round) -> str:
    """Return a phrase for the submitted codings, empty if none; it hides the number from users who may not see it."""
    if not may(project, Right.SEE_RESULTS):
        return "Submitted codings"
    submitted = figures_of_rounds(project)[round_.pk].submitted
    return pluralize(submitted, "submitted coding") if submitted else ""


@project_action(Right.MANAGE)
def order(request: HttpRequest, project: Project, name: str) -> HttpResponse:
    """Move a round up or down."""
    round_ = round_for(project, name)
    position = rounds_of(project).index(round_) + 1
    change_round(round_, place=position + STEPS.get(request.POST.get("move", ""), 0))
    return redirect(_list(project, round_))


@project_action(Right.MANAGE)
def close(request: HttpRequest, project: Project, name: str) -> HttpResponse:
    """Close a round after a manager's confirmation, or open it again."""
    round_ = round_for(project, name)
    if "open" in request.POST:
        change_round(round_, closed=False)
        messages.success(request, f"Opened the round {round_}.")
        return redirect(_list(project, round_))
    if not is_confirmed(request):
        lines = [
            "Nothing is coded, submitted or reopened in it until it is opened again.",
            "Figures and exports stay as they are.",
        ]
        figures = figures_of_rounds(project)[round_.pk]
        n_open = figures.codings - figures.submitted
        if n_open and may(project, Right.SEE_RESULTS):
            lines.insert(1, f"Not submitted: {pluralize(n_open, 'coding')}.")
        back = _list(project, round_)
        return ask(request, project, Question(f"Close the round {round_}?", lines, "Close", back, "rounds"))
    change_round(round_, closed=True)
    messages.success(request, f"Closed the round {round_}.")
    return redirect(_list(project, round_))


def _list(project: Project, round_: Round) -> str:
    """Return the address of the list page that shows the round."""
    rounds = rounds_of(project)
    # The round may have been deleted since.
    return address_with(reverse("rounds", args=[project.slug]), rounds.index(round_) if round_ in rounds else 0)


@project_action(Right.MANAGE_WORK)
def delete(request: HttpRequest, project: Project, name: str) -> HttpResponse:
    """Delete a round without codings, with its gold, after a manager's confirmation."""
    round_ = round_for(project, name)
    back = _list(project, round_)
    try:
        if not is_confirmed(request):
            refuse_deletion(round_)
            lines = ["Its texts stay in the other rounds that they are in."]
            gold = Coding.objects.filter(round=round_, kind=Coding.Kind.GOLD)
            if may(project, Right.ADJUDICATE) and (number := gold.count()):
                lines.append(f"Gold of {pluralize(number, 'text')} is deleted with it.")
            question = Question(f"Delete the round {round_}?", lines, "Delete", back, "rounds", danger=True)
            return ask(request, project, question)
        delete_round(round_)
    except ValidationError as error:
        question = Question(f"The round {round_} cannot be deleted now", error.messages, "", back, "rounds")
        return ask(request, project, question)
    messages.success(request, f"Deleted the round {name}.")
    return redirect(back)


@project_page()
def training(request: HttpRequest, project: Project, name: str) -> HttpResponse:
    """Show the results of a training round: all to users who decide gold, to coders their own."""
    return _show_training(request, project, round_for(project, name, TRAINING_KINDS))


def _show_training(
    request: HttpRequest, project: Project, round_: Round, form: DecisionForm | None = None
) -> HttpResponse:
    sees_all = may(project, Right.ADJUDICATE)
    user = signed_in_user(request)
    results = training_results(round_, None if sees_all else [user.pk])
    own = next((result for result in results if result.coder.pk == user.pk), None)
    if not sees_all and own is None:
        raise Http404("There is no such round.")
    own_attempts = own.attempts if own is not None else ()
    decides = may_change(project, Right.DECIDE_TRAINING)
    context: dict[str, Any] = {
        "list_address": reverse("training", args=[project.slug, round_.name]),
        "round": round_,
        "matrix": arrange_results(results, request.GET.get("page"), request.GET.get("texts")) if sees_all else None,
        "decisions": page_of(
            request, [row for result in results for row in result.decisions] if sees_all else [], name="decisions"
        ),
        "own": own,
        "own_step": own.next_step if own is not None else "",
        "own_obstacle": own.obstacle if own is not None else "",
        "own_rows": page_of(request, [(attempt, coding_token(attempt.coding)) for attempt in own_attempts], name="own"),
        "may_try": own is not None and project.archived_at is None and own.may_try,
        "form": (form or DecisionForm(project)) if decides else None,
        "sees_all": sees_all,
    }
    status = 400 if form is not None and form.errors else 200
    return show(request, project, "annotations/projects/coders/training.html", context, status=status)


@project_action(Right.DECIDE_TRAINING)
def decide(request: HttpRequest, project: Project, name: str) -> HttpResponse:
    """Record a manager's decision on a coder."""
    round_ = round_for(project, name, TRAINING_KINDS)
    form = DecisionForm(project, request.POST)
    if not form.is_valid():
        return _show_training(request, project, round_, form)
    with refused_at(form):
        decision = decide_on_coder(round_, **form.cleaned_data, by=signed_in_user(request))
        messages.success(request, f"{decision.coder}: {decision.get_outcome_display()}.")
        return redirect("training", project.slug, round_.name)
    return _show_training(request, project, round_, form)


@project_action()
def take_next(request: HttpRequest, project: Project, name: str) -> HttpResponse:
    """Assign the coder a further text of the training round and open it."""
    round_ = round_for(project, name, TRAINING_KINDS)
    with refused_to(request):
        coding = take_next_attempt(round_, signed_in_user(request))
        address = reverse("code", args=[project.slug, coding.text.slug])
        return redirect(f"{address}?{urlencode({'round': round_.name})}")
    return redirect("project", project.slug)


@project_page()
def feedback(request: HttpRequest, project: Project, text: str, token: str) -> HttpResponse:
    """Show coders their submitted work of a training round beside the gold of the text."""
    coding = own_coding(signed_in_user(request), project, text, choice=CodingChoice(token=token))
    return _show_feedback(request, project, coding, own=True)


@project_page(Right.ADJUDICATE)
def comparison(request: HttpRequest, project: Project, name: str, text: str, coder: str) -> HttpResponse:
    """Show a coder's submitted training work beside the gold of the text, to users who decide gold."""
    codings = Coding.objects.first_occasions(round_for(project, name, TRAINING_KINDS))
    codings = codings.select_related("text", "coder", "round")
    coding = get_object_or_404(codings, text__slug=text, coder__username=coder)
    return _show_feedback(request, project, coding, own=False)


def _show_feedback(request: HttpRequest, project: Project, coding: Coding, *, own: bool) -> HttpResponse:
    """Show a coding beside gold, and record the view."""
    coding.round.project = project
    feedback_ = feedback_on(coding) if coding.status == Coding.Status.SUBMITTED else None
    if feedback_ is None:
        raise Http404("There is no gold to see beside this coding.")
    record_view(Coding.objects.of_coders().filter(pk=coding.pk), None if own else request.user)
    result = training_result(coding.round, coding.coder)
    work = work_after(project, signed_in_user(request), coding) if own and project.archived_at is None else None
    context = {
        "coding": coding,
        "feedback": feedback_,
        "own": own,
        "attempt": next(attempt for attempt in result.attempts if attempt.coding.pk == coding.pk),
        "result": result,
        "may_try": own and project.archived_at is None and result.may_try,
        "work": work,
        "repeated": [work.next.text_id] if work is not None and work.next is not None else (),
    }
    return show(request, project, "annotations/projects/coders/feedback.html", context)


@project_action(Right.ADJUDICATE)
def gold(request: HttpRequest, project: Project, name: str, text: str) -> HttpResponse:
    """Open the gold of a text, which the user then owns; ask for confirmation if coders have yet to submit."""
    row = get_object_or_404(project.texts.defer("content"), slug=text)
    get_object_or_404(Round, project=project, name=name)
    try:
        coding = open_gold(project, row, name, signed_in_user(request), early=is_confirmed(request))
    except GoldIsEarly as error:
        lines = [
            *describe_early(error.texts, names=sees_names(project)),
            "What they submit later you can draft from then. This is asked once for the text.",
        ]
        back = gold_address(project.slug, name, row.slug)
        return ask(request, project, Question("Begin gold before all have submitted?", lines, "Begin", back, "rounds"))
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
        return redirect("round", project.slug, name)
    address = reverse("code-gold", args=[project.slug, row.slug])
    return redirect(f"{address}?{urlencode({'round': coding.round.name})}")
