"""Comments, flags and mappings that managers and adjudicators write."""

from collections.abc import Mapping as Mapped

from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404
from django.utils import timezone

from agreement.models import REASON_LENGTH, Flag, Mapping, Remark
from annotations.models import Markable, Project, User


def get_item(project: Project, text: str, key: str) -> Markable:
    """Return the item with that key. Raises Http404."""
    units = Markable.objects.filter(text__project=project, text__slug=text, key=key)
    if project.answers != Project.Answers.SCUS:  # in pyramids, words are units, too
        units = units.filter(level__coded=True)
    unit = units.select_related("text").defer("text__content").first()
    if unit is None:
        raise Http404("Item not found.")
    return unit


def add_remark(markable: Markable, author: User, body: str) -> Remark:
    """Add a comment to an item."""
    return Remark.objects.create(markable=markable, author=author, body=body.strip())


def withdraw_remark(markable: Markable, pk: int, user: User) -> None:
    """Delete a user's own comment on an item. Raises Http404 if there is none."""
    remark = Remark.objects.filter(pk=pk, markable=markable, author=user).first()
    if remark is None:
        raise Http404("Comment not found.")
    remark.delete()


def set_flag(markable: Markable, user: User, on: bool, reason: str = "") -> None:
    """Flag an item for the guidelines, or delete its flag. Flagging reopens a resolved flag."""
    if not on:
        Flag.objects.filter(markable=markable).delete()
        return
    own = {"author": user, "reason": reason.strip()[:REASON_LENGTH]}
    resolved = Flag.objects.filter(markable=markable, resolved_at__isnull=False)
    resolved.update(**own, created_at=timezone.now(), resolved_at=None, resolved_by=None)
    Flag.objects.get_or_create(markable=markable, defaults=own)


def flags_of(project: Project) -> QuerySet[Flag]:
    """Return the flags of a project by a subquery: with a join, SQLite would scan all its markables."""
    return Flag.objects.filter(Exists(Markable.objects.filter(pk=OuterRef("markable"), text__project=project)))


def open_flags(project: Project) -> QuerySet[Flag]:
    """Return the flags of a project that nobody has resolved."""
    return flags_of(project).filter(resolved_at__isnull=True)


def resolve_flag(markable: Markable, user: User) -> bool:
    """Resolve the open flag of an item; return false if there is none."""
    flags = Flag.objects.filter(markable=markable, resolved_at__isnull=True)
    return bool(flags.update(resolved_at=timezone.now(), resolved_by=user))


def save_mapping(project: Project, name: str, classes: Mapped[str, str], author: User) -> Mapping:
    """Save a named mapping, in place of one with the same name."""
    own = {"classes": dict(classes), "author": author}
    return Mapping.objects.update_or_create(project=project, name=name, defaults=own)[0]
