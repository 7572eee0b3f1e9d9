"""The tables in Django's admin, for staff: it keeps the rules of the pages, and changes no work of coders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

from django import forms
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.forms import AdminPasswordChangeForm
from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from annotations.models import Category, Coding, Level, Membership, Project, Relation, Text, User
from annotations.models.people.rights import MANAGING_ROLES
from annotations.projects.anonymization import forget_person, pseudonym_of
from annotations.projects.guidelines import record_guidelines
from annotations.projects.locks import lock_project
from annotations.projects.people.accounts import finish_reset
from annotations.projects.people.members import add_member, remove_membership
from annotations.projects.viewing import record_open_results


class AccountPasswordForm(AdminPasswordChangeForm[User]):
    """A password that staff sets for somebody: it ends what a link for a password ends, too."""

    def save(self, commit: bool = True) -> User:
        user = super().save(commit)
        finish_reset(user)
        return user


@admin.register(User)
class AccountAdmin(UserAdmin[User]):
    """Accounts. Only superusers give rights; others change the accounts of those who have no more rights than they."""

    change_password_form = AccountPasswordForm
    RIGHTS = ("is_staff", "is_superuser", "groups", "user_permissions")

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[str, ...]:
        fields = tuple(super().get_readonly_fields(request, obj))
        return fields if _is_superuser(request) else fields + self.RIGHTS

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        users = super().get_queryset(request)
        return users if _is_superuser(request) else users.filter(is_superuser=False)

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Return whether the user may change accounts; who sets a password can sign in with it, and has its rights."""
        if not super().has_change_permission(request, obj):
            return False
        if obj is None or _is_superuser(request):
            return True
        rights = obj.get_all_permissions()
        return not obj.is_superuser and isinstance(request.user, User) and rights <= request.user.get_all_permissions()

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Return whether the user may forget people, but for themself and those whose accounts they may not change."""
        return (
            super().has_delete_permission(request, obj)
            and obj != request.user
            and (obj is None or self.has_change_permission(request, obj))
        )

    def save_model(self, request: HttpRequest, obj: User, form: forms.ModelForm[User], change: bool) -> None:
        """Save the account; an address that somebody else entered is used when its owner has confirmed it."""
        if "email" in form.changed_data:
            obj.email_confirmed_at = None
        super().save_model(request, obj, form, change)

    # To delete somebody here is to forget them: their work stays.

    def get_deleted_objects(
        self, objs: QuerySet[User] | Sequence[User], request: HttpRequest
    ) -> tuple[list[str], dict[str, int], set[str], list[str]]:
        """Return what the page says before a person is forgotten, and why somebody cannot be."""
        effects, refusals = [], []
        for user in objs:
            if not self.has_delete_permission(request, user):
                refusals.append(f"{user}: not by you")
                continue
            try:
                with transaction.atomic():
                    forgotten = forget_person(user)
                    transaction.set_rollback(True)
            except ValidationError as error:
                refusals += error.messages
            else:
                effects.append(f"{user}: {forgotten}")
        return effects, {"accounts": len(effects)}, set(), refusals

    def log_deletions(self, request: HttpRequest, queryset: QuerySet[User]) -> list[LogEntry]:
        """Log who is going to be forgotten, under the pseudonym."""
        people: Any = [User(pk=user.pk, username=pseudonym_of(user)) for user in queryset]
        return super().log_deletions(request, people)

    def delete_model(self, request: HttpRequest, obj: User) -> None:  # noqa: ARG002 - Django's signature
        forget_person(obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[User]) -> None:  # noqa: ARG002 - Django's
        for user in queryset:
            forget_person(user)


admin.site.unregister(Group)


@admin.register(Group)
class GroupOfRightsAdmin(GroupAdmin):
    """Groups, which give rights to their members: for superusers."""

    def has_add_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:  # noqa: ARG002 - Django's
        return _is_superuser(request)

    has_change_permission = has_delete_permission = has_add_permission


def _is_superuser(request: HttpRequest) -> bool:
    return request.user.is_active and request.user.is_superuser


class LookedAtOnly:
    """Rows that are shown and not written here."""

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002 - Django's
        return False

    has_change_permission = has_delete_permission = has_add_permission


class SchemeInline[Row: Model](LookedAtOnly, admin.TabularInline[Row, Project]):
    """Rows of a project's scheme: only its own page checks a change and keeps a version of it."""

    extra = 0


class LevelInline(SchemeInline[Level]):
    model = Level


class CategoryInline(SchemeInline[Category]):
    model = Category


class RelationInline(SchemeInline[Relation]):
    model = Relation


class MembershipForm(forms.ModelForm[Membership]):
    """A member and their role. To let somebody else in, delete the one and add the other."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            self.fields["user"].disabled = True


class MembershipFormSet(forms.BaseInlineFormSet[Membership, Project, forms.ModelForm[Membership]]):
    """The members of a project, written by the functions that the pages use."""

    def clean(self) -> None:
        """Raise ValidationError if a page would refuse any of the changes: they are tried and taken back."""
        super().clean()
        if any(self.errors):
            return
        with transaction.atomic():
            try:
                for form in self._changes():
                    self._write(form)
            finally:
                transaction.set_rollback(True)

    def save(self, commit: bool = True) -> list[Membership]:  # noqa: ARG002 - Django's signature; the admin commits
        """Write the changes, and list them for the admin's history."""
        self.new_objects: list[Membership] = []
        self.changed_objects: list[tuple[Membership, list[str]]] = []
        self.deleted_objects: list[Membership] = []
        for form in self._changes():
            membership = self._write(form)
            if membership is None:
                self.deleted_objects.append(form.instance)
            elif form in self.extra_forms:
                self.new_objects.append(membership)
            else:
                self.changed_objects.append((membership, form.changed_data))
        return [*self.new_objects, *(membership for membership, _ in self.changed_objects)]

    def _changes(self) -> Iterator[forms.ModelForm[Membership]]:
        """Yield the forms that change something: who becomes manager comes before who ceases to be one."""
        changed = [form for form in self.forms if form.has_changed() and form not in self.deleted_forms]
        yield from sorted(changed, key=lambda form: form.cleaned_data["role"] not in MANAGING_ROLES)
        yield from (form for form in self.deleted_forms if form.instance.pk)

    def _write(self, form: forms.ModelForm[Membership]) -> Membership | None:
        """Carry out what the form says; return the member's new role, or None if the form deletes the member."""
        if form in self.deleted_forms:
            remove_membership(form.instance)
            return None
        return add_member(self.instance, form.cleaned_data["user"], form.cleaned_data["role"])


class MembershipInline(admin.TabularInline[Membership, Project]):
    model = Membership
    form = MembershipForm
    formset = MembershipFormSet
    fields = ["user", "role"]
    extra = 0
    autocomplete_fields = ["user"]


@admin.register(Project)
class ProjectAdmin(admin.ModelAdmin[Project]):
    """Projects. They are made on their own page, with a scheme and a manager."""

    list_display = ["title", "slug", "answers", "results_open"]
    search_fields = ["title", "slug"]
    readonly_fields = ["answers", "scheme"]
    inlines = [MembershipInline, LevelInline, CategoryInline, RelationInline]

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002 - Django's signature
        return False

    def save_model(self, request: HttpRequest, obj: Project, form: Any, change: bool) -> None:  # noqa: ARG002 - Django's signature
        """Write what the form has of the project, and a version of its guidelines if these changed."""
        record_open_results(obj)
        obj.save(update_fields=list(form.fields))
        record_guidelines(obj, cast(User, request.user))

    @admin.display(description="scheme")
    def scheme(self, project: Project) -> str:
        return format_html(
            '<a href="{}">Change it on the page Scheme</a>, which keeps its versions. Here it is only shown.',
            reverse("scheme", args=[project.slug]),
        )

    def has_change_permission(self, request: HttpRequest, obj: Project | None = None) -> bool:
        return super().has_change_permission(request, obj) and (obj is None or obj.archived_at is None)


@admin.register(Text)
class TextAdmin(admin.ModelAdmin[Text]):
    """Texts. They come in by imports; one that is coded stays where it is."""

    list_display = ["title", "slug", "project", "language"]
    list_filter = ["project"]
    search_fields = ["title", "slug"]
    readonly_fields = ["project", "role", "docset", "content"]

    def save_model(self, request: HttpRequest, obj: Text, form: Any, change: bool) -> None:
        """Write the text under the lock of its project: figures name it."""
        lock_project(obj.project_id)
        super().save_model(request, obj, form, change)

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002 - Django's signature
        return False

    def has_change_permission(self, request: HttpRequest, obj: Text | None = None) -> bool:
        return super().has_change_permission(request, obj) and (obj is None or obj.project.archived_at is None)

    def has_delete_permission(self, request: HttpRequest, obj: Text | None = None) -> bool:
        return super().has_delete_permission(request, obj) and (obj is None or obj.project.archived_at is None)


@admin.register(Coding)
class CodingAdmin(LookedAtOnly, admin.ModelAdmin[Coding]):
    """Codings, to be looked at. As none is deleted here, no project or text is that has one."""

    list_display = ["text", "coder", "status", "version"]
    list_filter = ["text__project", "status"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Coding]:
        return super().get_queryset(request).exclude(kind=Coding.Kind.GOLD).filter(by_model=False)
