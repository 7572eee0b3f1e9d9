"""The pages of gold: drafts of a round, decisions, and the comparison of a coder's answers with gold."""

from collections.abc import Mapping, Sequence

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.http import urlencode

from annotations.adjudication.decisions.listing import (
    CONTENT_TYPES,
    DecisionFilters,
    count_decisions,
    describe_decisions,
    list_decisions,
    write_decisions,
)
from annotations.adjudication.drafts import MAX_TEXTS, DraftRequest, draft_gold, gold_of_rounds
from annotations.adjudication.ownership import codings_to_gold, reassign_gold
from annotations.adjudication.proposal import Method
from annotations.adjudication.readiness import EarlyText, describe_early, find_early, is_early
from annotations.adjudication.states import GoldState, State, gold_states
from annotations.core.text import pluralize
from annotations.models import Coding, Project, Round
from annotations.models.people.rights import Right
from annotations.planning.own_gold import codings_beside_gold, compare_with_gold
from annotations.projects.letters import sees_names
from annotations.projects.rounds import rounds_of
from annotations.web.access import project_action, project_form, project_page, show, signed_in_user
from annotations.web.forms.gold import DraftForm, HandOnForm
from annotations.web.shared import Question, ask, gold_address, is_confirmed, page_of, refused_at, refused_to

MAX_CHIPS = 20  # more rounds are shown as a drop-down list
TEXTS_PAGE_SIZE = 10  # texts on a page of the comparison with gold: each has a row for each difference


@project_action(Right.ADJUDICATE)
def draft(request: HttpRequest, project: Project, name: str) -> HttpResponse:
    """Draft the gold of a round's submitted texts, also again; ask for confirmation if coders have yet to submit."""
    round_ = get_object_or_404(Round, project=project, name=name)
    form = DraftForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Choose of what the gold is drafted.")
        return redirect("round", project.slug, name)
    again = form.cleaned_data["again"]
    rows = gold_of_rounds(project, [round_])
    # Texts that already have gold were confirmed when it began.
    new = [row for row in rows if row.gold is None and row.submissions.submitted]
    early = [EarlyText(row.text, row.submissions) for row in new if is_early(round_, row.submissions)]
    begun = [row for row in rows if again and row.gold and row.gold.state is not State.CLOSED]
    if (early or begun) and not is_confirmed(request):
        lines = describe_early(early, names=sees_names(project))
        lines += ["What the others submit later is not in the draft."] if early else []
        heading = "Draft gold before all have submitted?"
        if begun:
            heading = "Draft gold again?"
            lines.insert(0, "What was decided stays as it is; what was not is drafted anew of what is submitted now.")
        back = reverse("round", args=[project.slug, name])
        return ask(request, project, Question(heading, lines, "Draft again" if begun else "Draft", back, "rounds"))
    with refused_to(request):
        order = DraftRequest(Method(form.cleaned_data["method"]), round_name=name, again=again)
        messages.success(request, f"{draft_gold(project, order, at_most=MAX_TEXTS)}.")
    return redirect("round", project.slug, name)


@project_action(Right.ADJUDICATE)
def from_coding(request: HttpRequest, project: Project, name: str, text: str) -> HttpResponse:
    """Make gold of an adjudicator's submitted coding, after confirmation."""
    round_ = get_object_or_404(Round, project=project, name=name)
    row = get_object_or_404(project.texts.defer("content"), slug=text)
    coding = get_object_or_404(
        codings_to_gold(project, round_, signed_in_user(request)), text=row, coder__username=request.POST.get("coder")
    )
    back = gold_address(project.slug, name, row.slug)
    states = gold_states(list(Coding.objects.filter(text=row, round=round_, kind=Coding.Kind.GOLD)))
    if any(state.state is State.CLOSED for state in states):
        messages.error(request, f"The gold of “{row}” is closed: reopen it first.")
        return redirect(back)
    by = coding.coder.get_username()
    order = DraftRequest(Method.CODER, coder=by, texts=(row.slug,), round_name=name, adjudicator=by, again=True)
    with refused_to(request):
        if not is_confirmed(request):
            return ask(request, project, _gold_question(project, coding, states, back))
        if draft_gold(project, order).drafted:
            messages.success(request, f"The answers of {coding.coder} are the gold of “{row}”. Submit it to close it.")
        else:
            messages.error(request, f"The gold of “{row}” is closed or came from a file: it stays as it is.")
    return redirect(back)


def _gold_question(project: Project, coding: Coding, states: Sequence[GoldState], back: str) -> Question:
    """Return the question before an adjudicator's coding becomes gold."""
    lines = [
        f"Its {pluralize(coding.judgements.count(), 'answer')} become gold, which {coding.coder} goes on with. What "
        "coders answer otherwise is contested until it is decided.",
        "The coding itself stays as it is, with its log, and counts in no figure of coders, as before.",
        "The gold there is keeps what was decided; everything else is replaced by these answers."
        if states
        else "There is no gold of this text yet.",
        "This is not undone. Gold can be drafted again from what coders say, and each answer can be changed.",
    ]
    early = [] if states else find_early(project, [(coding.text, coding.round)])
    lines += describe_early(early, names=sees_names(project))
    return Question(
        f"Make gold of “{coding.text}” from the coding of {coding.coder}?", lines, "Make gold", back, "rounds"
    )


@project_form(Right.ADJUDICATE, changes=True)
def hand_on(request: HttpRequest, project: Project, name: str, text: str) -> HttpResponse:
    """Reassign the gold of a text to a manager or adjudicator, or leave it to the first who opens it."""
    round_ = get_object_or_404(Round, project=project, name=name)
    gold = get_object_or_404(
        Coding.objects.select_related("text", "coder").defer("text__content"),
        **{"round": round_, "kind": Coding.Kind.GOLD, "text__slug": text, "text__project": project},
    )
    form = HandOnForm(gold, request.POST if request.method == "POST" else None)
    back = gold_address(project.slug, name, text)
    if form.is_valid():
        username = form.cleaned_data["adjudicator"]
        with refused_at(form):
            reassign_gold(project, gold.text, name, signed_in_user(request), username)
            messages.success(request, f"Handed the gold of “{gold.text}” on to {username or 'whoever opens it first'}.")
            return redirect(back)
    context = {"round": round_, "gold": gold, "back": back}
    return show(request, project, "annotations/gold/hand_on.html", context, form=form)


@project_page(Right.ADJUDICATE)
def decisions(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the decisions on gold, with counts by reason and guideline section that serve as filters."""
    round_name, refused = request.GET.get("round", ""), []
    try:
        filters = DecisionFilters.from_query(project, request.GET)
        all_decisions = list_decisions(project, round_name)
    except ValidationError as error:
        filters, round_name, refused = DecisionFilters(), "", error.messages
        all_decisions = list_decisions(project)
    shown = page_of(request, [decision for decision in all_decisions if filters.admits(decision)])
    of_round = {"round": round_name} if round_name else {}
    rounds = rounds_of(project)
    query = of_round | filters.as_query()
    context = {
        "refused": refused,
        "shown": shown,
        "rows": describe_decisions(project, list(shown)),
        "choices": {name: _choices(counts, query, name) for name, counts in count_decisions(all_decisions).items()},
        "n_decisions": len(all_decisions),
        "round_name": round_name,
        "rounds": rounds,
        "most_chips": MAX_CHIPS,
        "round_choices": [(round_.name, round_.name) for round_ in rounds],
        "file_query": f"{urlencode(query)}&" if query else "",
        "is_filtered": query != of_round,
        "sees_names": sees_names(project),
    }
    return show(request, project, "annotations/gold/decisions.html", context, status=400 if refused else 200)


def _choices(counts: Sequence[tuple[str, str, int]], query: Mapping[str, str], name: str) -> list[dict[str, object]]:
    """Return the values of a filter, each with its number of decisions and the address that sets or clears it."""
    chosen = query.get(name, "")
    others = {key: value for key, value in query.items() if key != name}
    return [
        {
            "label": label,
            "number": number,
            "address": f"?{urlencode(others if value == chosen else others | {name: value})}",
            "chosen": value == chosen,
        }
        for value, label, number in counts
    ]


@project_page(Right.ADJUDICATE)
def decisions_file(request: HttpRequest, project: Project) -> HttpResponse:
    """Return decisions on gold as CSV or JSON, of the project or a round, filtered."""
    format_key = request.GET.get("format", "csv")
    try:
        if format_key not in CONTENT_TYPES:
            raise ValidationError(f"Choose a format: {' or '.join(CONTENT_TYPES)}.")
        filters = DecisionFilters.from_query(project, request.GET)
        all_decisions = list_decisions(project, request.GET.get("round", ""))
    except ValidationError as error:
        return HttpResponseBadRequest(" ".join(error.messages), content_type="text/plain; charset=utf-8")
    described = describe_decisions(project, [decision for decision in all_decisions if filters.admits(decision)])
    response = HttpResponse(write_decisions(described, format_key), content_type=CONTENT_TYPES[format_key])
    response["Content-Disposition"] = f'attachment; filename="{project.slug}-decisions.{format_key}"'
    return response


@project_page(Right.COMPARE_WITH_GOLD)
def own_gold(request: HttpRequest, project: Project) -> HttpResponse:
    """Show where gold differs from the user's own answers, and why, once the results are open."""
    codings = codings_beside_gold(project, signed_in_user(request))
    shown = page_of(request, codings, size=TEXTS_PAGE_SIZE)
    context = {
        "shown": shown,
        "texts": compare_with_gold(project, list(shown)),
        "several_rounds": len({coding.round_id for coding in shown}) > 1,
    }
    return show(request, project, "annotations/gold/own.html", context)
