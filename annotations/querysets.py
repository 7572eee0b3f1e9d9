"""Every read that has a name. What serves a person starts from `visible_to(user)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import models
from django.db.models import CharField, Count, Exists, OuterRef, Q, Subquery, Value

from annotations.permissions import Right, is_member, may, sees_all_work

if TYPE_CHECKING:
    from annotations.models import Coding, Markable, Project, Text, Transfer  # noqa: F401 - named in strings below
    from annotations.permissions import Person


class ProjectQuerySet(models.QuerySet["Project"]):
    def visible_to(self, user: Person) -> ProjectQuerySet:
        """The projects that the user is a member of, each with the user's `role`; the site's superusers manage all."""
        from annotations.models import Membership

        if user.is_superuser:
            return self.annotate(role=Value(Membership.Role.MANAGER.value, output_field=CharField()))
        mine = Membership.objects.filter(project=OuterRef("pk"), user=user.pk)
        return self.annotate(role=Subquery(mine.values("role")[:1])).filter(role__isnull=False)

    def with_sizes(self) -> ProjectQuerySet:
        """Each project with how many texts it has."""
        return self.annotate(text_count=Count("texts", distinct=True))


class TextQuerySet(models.QuerySet["Text"]):
    def visible_to(self, user: Person) -> TextQuerySet:
        """All texts of a project for those who see all work, else the texts that the user is to code."""
        from annotations.models import Coding

        if user.is_superuser:
            return self
        own = Coding.objects.filter(text=OuterRef("pk"), coder=user.pk)
        return self.filter(sees_all_work(user, "project") | (Q(Exists(own)) & is_member(user, "project")))


class CodingQuerySet(models.QuerySet["Coding"]):
    def visible_to(self, user: Person) -> CodingQuerySet:
        """All codings of a project for those who see all work, else the user's own."""
        if user.is_superuser:
            return self
        own = Q(coder=user.pk) & is_member(user, "text__project")
        return self.filter(sees_all_work(user, "text__project") | own)

    def with_progress(self) -> CodingQuerySet:
        """Each coding with how many markables it has `to_decide` and how many are `decided`."""
        from annotations.models import Judgement, Markable

        given = Markable.objects.filter(text=OuterRef("text"), level__coded=True).filter(
            Q(predefined=True)
            | Exists(Judgement.objects.filter(coding=OuterRef(OuterRef("pk")), markable=OuterRef("pk")))
        )
        decided = Judgement.objects.filter(coding=OuterRef("pk")).filter(complete())
        return self.annotate(to_decide=count_of(given), decided=count_of(decided))


class MarkableQuerySet(models.QuerySet["Markable"]):
    def in_use(self) -> MarkableQuerySet:
        """Without those that some coder marked and every coder has deleted again."""
        from annotations.models import Judgement

        return self.filter(Q(predefined=True) | Exists(Judgement.objects.filter(markable=OuterRef("pk"))))

    def seen_in(self, coding: int, text: int) -> MarkableQuerySet:
        """What the coder of this coding of this text sees: the markables given with it and those the coder marked."""
        from annotations.models import Judgement

        own = Judgement.objects.filter(coding=coding, markable=OuterRef("pk"))
        return self.filter(Q(predefined=True) | Exists(own), text=text)


class TransferQuerySet(models.QuerySet["Transfer"]):
    def visible_to(self, user: Person) -> TransferQuerySet:
        """Those of the projects whose results the user sees, and the user's own that have no project."""
        if user.is_superuser:
            return self
        return self.filter(sees_all_work(user, "project") | Q(project=None, user=user.pk))

    def shown_in(self, project: Project) -> TransferQuerySet:
        """Those of the project that the person for whom it was read may look at, the latest first."""
        from annotations.models.transfer import ARCHIVE

        found = self.filter(project=project).select_related("project", "user").order_by("-pk")
        if may(project, Right.MANAGE):
            return found
        return found.filter(kind=self.model.Kind.EXPORT).exclude(format=ARCHIVE)


def complete() -> Q:
    """A judgement that says all its category asks for: a category that points has an antecedent, and so on."""
    from annotations.models import Index, Pointer

    pointed = Exists(Pointer.objects.filter(judgement=OuterRef("pk")))
    indexed = Exists(Index.objects.filter(judgement=OuterRef("pk")))
    return (
        Q(category__isnull=False)
        & (Q(category__points_to__isnull=True) | Q(pointed))
        & (Q(category__takes_index=False) | Q(indexed))
    )


def count_of(rows: models.QuerySet[Any]) -> Subquery:
    """A correlated count that does not multiply with other joins."""
    counted = rows.order_by().annotate(one=Value(1)).values("one").annotate(number=Count("pk")).values("number")
    return Subquery(counted, output_field=models.IntegerField())
