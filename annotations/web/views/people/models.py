"""The page of the models that code in a project."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods

from annotations.models import Membership, Token
from annotations.models.people.rights import Right
from annotations.models.project import may_change
from annotations.projects.people.forms import ModelForm
from annotations.projects.people.model_coders import add_model, find_model, make_key, models_of, withdraw_keys
from annotations.projects.permissions import project_with_models
from annotations.web.paging import page_of
from annotations.web.refusals import refused_at

# How long a key works that is made on the page.
KEY_DAYS = 90


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_variables("key")
def models(request: HttpRequest, slug: str) -> HttpResponse:
    """Show and add models, and make and end their API keys. A key is shown once."""
    project = project_with_models(request.user, slug)
    form, key, of = ModelForm(), "", None
    if "make_key" in request.POST:
        of = find_model(project, request.POST["make_key"])
        key = make_key(of, KEY_DAYS)[1]
    elif "withdraw_key" in request.POST:
        model = find_model(project, request.POST["withdraw_key"])
        withdraw_keys(model)
        messages.success(request, f"{model.membership.user} has no key now, and codes no more until it has another.")
        return redirect(request.get_full_path())
    elif request.method == "POST":
        form = ModelForm(request.POST)
        if form.is_valid():
            with refused_at(form):
                add_model(project, **form.cleaned_data)
                messages.success(request, f"{form.cleaned_data['name']} is a coder now. Make a key for its client.")
                return redirect(request.get_full_path())
    shown = page_of(request, models_of(project))
    users = [one.membership.user_id for one in shown]
    expiries = dict(Token.objects.filter(user__in=users).values_list("user", "expires_at"))
    context: dict[str, Any] = {
        "project": project,
        "form": form,
        "key": key,
        "key_of": of,
        "groups": Membership.GROUPS,
        "shown": shown,
        "models": [(one, expiries.get(one.membership.user_id)) for one in shown],
        "manages": may_change(project, Right.MANAGE),
    }
    return render(request, "annotations/projects/people/models.html", context)
