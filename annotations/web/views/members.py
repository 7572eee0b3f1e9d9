"""The pages of the members, models and invitations of a project."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods

from annotations.core.text import pluralize
from annotations.mail.queue import is_enabled
from annotations.models import Coding, Invitation, Membership, Project, Token, User
from annotations.models.people.rights import MANAGING_ROLES, ROLES_SEEING_ALL_WORK, Right
from annotations.models.project import may, may_see_models
from annotations.projects.people import invitations
from annotations.projects.people.accounts import make_reset_link, resettable_members
from annotations.projects.people.forms import GroupForm, InvitationForm, MemberForm, ModelForm
from annotations.projects.people.members import (
    activity_of_members,
    add_member,
    members_shown,
    remove_membership,
    set_group,
)
from annotations.projects.people.model_coders import add_model, find_model, make_key, models_of, withdraw_keys
from annotations.projects.permissions import project_with_models
from annotations.web.access import project_action, project_form, show, signed_in_user
from annotations.web.shared import Question, address_with, ask, is_confirmed, page_of, refused_at, refused_to

INVITATION_IDS = "invitation_%s"  # two forms of the page have a field named role


@never_cache
@project_form(Right.MANAGE)
@sensitive_variables("links")
def members(request: HttpRequest, project: Project) -> HttpResponse:
    """Show and add members and invitations. The links of invitations are shown once."""
    is_invitation, is_group = "invite" in request.POST, "set_group" in request.POST
    form = MemberForm(None if is_invitation or is_group else request.POST or None)
    group_form = GroupForm(project, request.POST if is_group else None)
    invitation_form = InvitationForm(request.POST if is_invitation else None, auto_id=INVITATION_IDS)
    links: list[tuple[str, str]] = []
    if group_form.is_valid():
        group = group_form.cleaned_data["group"]
        number = set_group(project, (membership.pk for membership in group_form.cleaned_data["members"]), group)
        where = f"in the group “{group}”" if group else "in no group"
        messages.success(request, f"{pluralize(number, 'member')} {'is' if number == 1 else 'are'} {where} now.")
        return redirect(request.get_full_path())
    if form.is_valid():
        question = _role_question(project, form.cleaned_data["username"], form.cleaned_data["role"])
        if question is not None and not is_confirmed(request):
            return ask(request, project, question)
        with refused_at(form, "role"):
            membership = add_member(project, form.cleaned_data["username"], form.cleaned_data["role"])
            messages.success(request, f"{membership.user} is now {membership.get_role_display()}.")
            return redirect(_list(membership))
    if invitation_form.is_valid():
        with refused_at(invitation_form):
            links = _invite(request, project, invitation_form.cleaned_data)
            if addresses := invitation_form.cleaned_data.get("addresses"):
                messages.success(request, f"{pluralize(len(addresses), 'invitation')} will be sent by e-mail.")
            invitation_form = InvitationForm(auto_id=INVITATION_IDS)
    memberships = page_of(request, members_shown(project))
    groups = members_shown(project).select_related(None).exclude(group="").values_list("group", flat=True)
    invitation_rows = page_of(
        request, Invitation.objects.filter(project=project).select_related("used_by"), name="invitations"
    )
    sees_work = may(project, Right.MANAGE_WORK)
    activity = activity_of_members(project) if sees_work else {}
    context = {
        "form": form,
        "group_form": group_form,
        "groups": list(dict.fromkeys([*Membership.GROUPS, *sorted(set(groups.order_by().distinct()))])),
        "shown": memberships,
        "ticked": set(request.POST.getlist("members")),
        "invitation_form": invitation_form,
        "links": links,
        "now": timezone.now(),
        "memberships": [(membership, activity.get(membership.user_id)) for membership in memberships],
        "sees_work": sees_work,
        "sees_models": sees_work and may_see_models(project),
        "resettable": resettable_members(project, signed_in_user(request)) if sees_work else (),
        "invitations": invitation_rows,
        "undelivered": invitations.undelivered(list(invitation_rows)) if is_enabled() else (),
    }
    return show(request, project, "annotations/projects/people/members.html", context)


@sensitive_variables("secret", "links")
@transaction.atomic
def _invite(request: HttpRequest, project: Project, fields: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Create invitations by name and by address; return the names with links. Raise ValidationError by field."""
    links, user, role, days = [], signed_in_user(request), fields["role"], fields["days"]
    for name in fields["whom"]:
        _, secret = invitations.invite(project, role, user, days=days, note=name, max_uses=fields["max_uses"])
        links.append((name, request.build_absolute_uri(reverse("invitation", args=[secret]))))
    if addresses := fields.get("addresses"):
        invitations.invite_by_mail(project, role, user, addresses, days=days)
    return links


@project_action(Right.MANAGE)
def remove_member(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """Remove a member, after a manager's confirmation; their codings stay."""
    membership = get_object_or_404(members_shown(project).select_related("project"), pk=pk)
    back = _list(membership)
    if not is_confirmed(request):
        return ask(request, project, _removal_question(membership, tells=may(project, Right.MANAGE_WORK)))
    with refused_to(request):
        remove_membership(membership)
        messages.success(request, f"{membership.user} was removed. Their codings are kept.")
        if membership.user_id == request.user.pk:
            return redirect("home")
    return redirect(back)


def _list(membership: Membership) -> str:
    """Return the address of the list page that shows the member."""
    before = Membership.objects.filter(project=membership.project_id, user__username__lt=membership.user.username)
    return address_with(reverse("members", args=[membership.project.slug]), before.count())


def _role_question(project: Project, user: User, role: str) -> Question | None:
    """Return the question before a member's role changes; None if it stays the same or the user is not a member."""
    membership = Membership.objects.filter(project=project, user=user).first()
    if membership is None or membership.role == role:
        return None
    before, after = membership.get_role_display(), Membership.Role(role).label
    lines = [f"{user} is {before} now and becomes {after}."]
    if role in ROLES_SEEING_ALL_WORK and membership.role not in ROLES_SEEING_ALL_WORK:
        codings = Coding.objects.of_people().filter(text__project=project, occasion=1).exclude(coder=user)
        codings = codings if may(project, Right.MANAGE_WORK) else codings.assigned()
        n_others = pluralize(codings.count(), "coding")
        lines.append(f"{user} then sees {n_others} of others and cannot code blind any more.")
    if role in (Membership.Role.CODER, Membership.Role.MANAGER_CODER) and membership.role in ROLES_SEEING_ALL_WORK:
        until = "until the results are open; what was seen was seen"
        lines.append(f"{user} sees nothing of other coders any more, {until}.")
    if membership.role in MANAGING_ROLES and role not in MANAGING_ROLES:
        lines.append(f"{user} can no longer manage the project.")
    elif role in MANAGING_ROLES and membership.role not in MANAGING_ROLES:
        lines.append(f"{user} can change and delete everything in the project.")
    return Question(f"Make {user} {after}?", lines, "Change the role", _list(membership), "members")


def _removal_question(membership: Membership, *, tells: bool) -> Question:
    """Return the question before a member is removed; without `tells`, hide the member's progress."""
    of_project = Coding.objects.of_people().once_for(membership.user).filter(text__project=membership.project_id)
    codings = of_project.filter(coder=membership.user_id)
    codings = codings if tells else codings.assigned()
    n_open = codings.filter(status=Coding.Status.OPEN).count()
    lines = [
        f"{membership.user} ({membership.get_role_display()}) has no access from the next request on.",
        f"Kept: {pluralize(codings.count(), 'coding')}{f', {n_open} not submitted' if tells else ''}.",
    ]
    if n_open and tells:
        lines.append("No one else can continue these; assign the texts to another coder.")
    return Question(f"Remove {membership.user}?", lines, "Remove", _list(membership), "members", danger=True)


@project_action(Right.MANAGE)
def withdraw_invitation(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """Delete an unused invitation."""
    if not invitations.withdraw(project, pk):
        raise Http404
    messages.success(request, "Invitation revoked.")
    later = Invitation.objects.filter(project=project, pk__gt=pk).count()
    return redirect(address_with(reverse("members", args=[project.slug]), later, "invitations"))


@never_cache
@project_action(Right.MANAGE_WORK)
@sensitive_variables("link")
def reset_link(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    """Show a link that lets a member set a new password. It is shown once."""
    membership = get_object_or_404(Membership.objects.select_related("user", "project"), project=project, pk=pk)
    with refused_to(request):
        link = request.build_absolute_uri(make_reset_link(membership, signed_in_user(request)))
        context = {"member": membership.user, "link": link}
        return show(request, project, "annotations/projects/people/reset_link.html", context)
    return redirect(_list(membership))


KEY_DAYS = 90  # validity of a key made on this page


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_variables("key")
def models(request: HttpRequest, slug: str) -> HttpResponse:
    """Show and add models, and create and revoke their API keys. A key is shown once."""
    project = project_with_models(request.user, slug)
    form, key, key_owner = ModelForm(), "", None
    if "make_key" in request.POST:
        key_owner = find_model(project, request.POST["make_key"])
        key = make_key(key_owner, KEY_DAYS)[1]
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
    users = [model_row.membership.user_id for model_row in shown]
    expiries = dict(Token.objects.filter(user__in=users).values_list("user", "expires_at"))
    context: dict[str, Any] = {
        "form": form,
        "key": key,
        "key_of": key_owner,
        "groups": Membership.GROUPS,
        "shown": shown,
        "models": [(model_row, expiries.get(model_row.membership.user_id)) for model_row in shown],
    }
    return show(request, project, "annotations/projects/people/models.html", context)
