"""Drafts of the gold of a round."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from annotations.adjudication.drafts import MAX_TEXTS, DraftRequest, draft_gold, gold_of_rounds
from annotations.adjudication.proposal import Method
from annotations.core.text import pluralize
from annotations.models import Round
from annotations.models.rights import Right
from annotations.projects.permissions import project_for
from annotations.web.confirmation import Question, ask, is_confirmed
from annotations.web.forms.gold import DraftForm


@login_required
@require_POST
def draft(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Draft the gold of the texts of a round that somebody has submitted; asked once where others have not yet."""
    project = project_for(request.user, slug, Right.ADJUDICATE)
    round_ = get_object_or_404(Round, project=project, name=name)
    form = DraftForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Choose of what the gold is drafted.")
        return redirect("round", project.slug, name)
    rows = gold_of_rounds(project, [round_])
    early = [one for one in rows if one.gold is None and 0 < one.submitted < one.assigned]
    if early and not is_confirmed(request):
        lines = [f"{one.text.title}: {one.submitted} of {one.assigned} coders have submitted it." for one in early[:10]]
        more = [f"And {pluralize(len(early) - 10, 'other text')}."] if len(early) > 10 else []
        lines += [*more, "What the others submit later is not in the draft."]
        back = reverse("round", args=[project.slug, name])
        return ask(request, project, Question("Draft gold before all have submitted?", lines, "Draft", back, "rounds"))
    try:
        report = draft_gold(
            project, DraftRequest(Method(form.cleaned_data["method"]), round_name=name), at_most=MAX_TEXTS
        )
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        messages.success(request, f"{report}.")
    return redirect("round", project.slug, name)
