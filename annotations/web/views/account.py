"""The page of one's own account: the keys with which one's scripts use the API."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST

from annotations.forms import TokenForm
from annotations.models import Token
from annotations.tokens import make_token
from annotations.views import person


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_variables("secret")
def account(request: HttpRequest) -> HttpResponse:
    """One's keys, and a form for another. A new key is shown in the answer that makes it, and never again."""
    form, secret = TokenForm(request.POST or None), None
    if request.method == "POST" and form.is_valid():
        fields = form.cleaned_data
        _, secret = make_token(person(request), fields["name"], fields["scope"], int(fields["days"]))
        form = TokenForm()
    tokens = Token.objects.filter(user=person(request))
    context = {"form": form, "secret": secret, "tokens": tokens, "now": timezone.now()}
    return render(request, "annotations/account.html", context)


@login_required
@require_POST
def revoke_token(request: HttpRequest, pk: int) -> HttpResponse:
    """End a key of one's own."""
    token = get_object_or_404(Token, user=person(request), pk=pk)
    token.delete()
    messages.success(request, f"The key {token} works no more.")
    return redirect("account")
