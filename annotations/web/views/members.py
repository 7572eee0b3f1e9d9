"""The page of the members and invitations of a project."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST

from annotations.models import Invitation, Membership
from annotations.models.rights import Right
from annotations.projects import invitations
from annotations.projects.members import add_member, remove_membership
from annotations.projects.permissions import project_for
from annotations.web.forms.members import InvitationForm, MemberForm
from annotations.web.views import signed_in_user


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_variables("secret")
def members(request: HttpRequest, slug: str) -> HttpResponse:
    """Show and add members and invitations. The link of an invitation is shown once."""
    project = project_for(request.user, slug, Right.MANAGE)
    is_invitation = "invite" in request.POST
    form = MemberForm(None if is_invitation else request.POST or None)
    invitation_form = InvitationForm(request.POST if is_invitation else None)
    link = None
    if request.method == "POST" and not is_invitation and form.is_valid():
        try:
            membership = add_member(project, form.cleaned_data["username"], form.cleaned_data["role"])
        except ValidationError as error:
            form.add_error("role", error)
        else:
            messages.success(request, f"{membership.user} is now {membership.get_role_display()}.")
            return redirect("members", project.slug)
    if is_invitation and invitation_form.is_valid():
        fields = invitation_form.cleaned_data
        _, secret = invitations.invite(
            project, fields["role"], signed_in_user(request), days=int(fields["days"]), note=fields["whom"]
        )
        link = request.build_absolute_uri(reverse("invitation", args=[secret]))
        invitation_form = InvitationForm()
    context = {
        "project": project,
        "form": form,
        "invitation_form": invitation_form,
        "link": link,
        "now": timezone.now(),
        "memberships": Membership.objects.filter(project=project).select_related("user"),
        "invitations": Invitation.objects.filter(project=project).select_related("used_by"),
    }
    return render(request, "annotations/projects/members.html", context)


@login_required
@require_POST
def remove_member(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Remove a member; their codings stay."""
    project = project_for(request.user, slug, Right.MANAGE)
    membership = get_object_or_404(Membership.objects.select_related("user"), project=project, pk=pk)
    try:
        remove_membership(membership)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
        return redirect("members", project.slug)
    messages.success(request, f"{membership.user} was removed. Their codings are kept.")
    if membership.user_id == request.user.pk:
        return redirect("home")
    return redirect("members", project.slug)


@login_required
@require_POST
def withdraw_invitation(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Delete an invitation that is not used."""
    project = project_for(request.user, slug, Right.MANAGE)
    if not invitations.withdraw(project, pk):
        raise Http404
    messages.success(request, "Invitation revoked.")
    return redirect("members", project.slug)
