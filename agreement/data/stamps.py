"""What tells that something of a project has changed since figures were computed."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

from django.core.cache import caches
from django.db.models import Aggregate, Count, Func, Max, QuerySet, StringAgg, Subquery, Sum, TextField
from django.db.models import Value as Constant
from django.db.models.functions import Cast, Coalesce

from agreement.models import FiguresVersion
from annotations.models import Coding, Membership, Operation, Project, Round, RoundText, Text


class Stamp(NamedTuple):
    """A digest of the texts, rounds and members of a project, with their names, and of what changes with its codings.

    `operation` and `uuid` are of the last operation of whatever project when the digest was found first.
    """

    digest: str
    operation: int
    uuid: str | None


def read_stamp(project: Project) -> Stamp:
    """Return the stamp of a project, the same as before where nothing has changed since. One query.

    Each write of an answer raises the version of its coding, and a text that goes to another round is put into it anew.
    Where that is not all that answers depend on, or after a repair by hand, figures are refreshed (`FiguresVersion`).
    Where the operation of the stamp that was read before is not there any more, a transaction was undone or a backup
    restored, and a version may have come again with other answers.
    """
    key = f"stamp:{project.pk}"
    seen: Stamp | None = caches["process"].get(key)
    operations, uuid = Operation.objects.order_by("-pk"), Cast("uuid", TextField())
    model = Coalesce("model__pk", Constant(0))
    columns = {
        "stamp_of_codings": _summarize(
            Coding.with_gold.filter(text__project=project), "text__project", Sum("version"), Max("created_at")
        ),
        "stamp_of_moved": _summarize(RoundText.objects.filter(round__project=project), "round__project"),
        "stamp_of_texts": _join(Text.objects.filter(project=project), "project", "pk", "slug", "title"),
        "stamp_of_rounds": _join(Round.objects.filter(project=project), "project", "pk", "position", "name", "kind"),
        "stamp_of_people": _join(
            Membership.objects.filter(project=project), "project", "user_id", "user__username", "role", "group", model
        ),
        "stamp_of_refreshed": Subquery(FiguresVersion.objects.filter(project=project).values("number")),
        "seen_uuid": Subquery(operations.filter(pk=seen.operation if seen else 0).values(one=uuid)),
        "last_operation": Subquery(operations.values("pk")[:1]),
        "last_uuid": Subquery(operations.values(one=uuid)[:1]),
    }
    rows = Project.objects.filter(pk=project.pk).order_by().annotate(**columns).values_list(*columns)
    # of a project that is deleted nothing
    *found, seen_uuid, operation, last_uuid = rows.first() or [None] * len(columns)
    digest = hashlib.blake2b("\x1d".join(map(str, found)).encode(), digest_size=16).hexdigest()
    if seen is not None and (seen.digest, seen.uuid) == (digest, seen_uuid):
        return seen
    stamp = Stamp(digest, operation or 0, last_uuid)
    caches["process"].set(key, stamp)
    return stamp


def _summarize(rows: QuerySet[Any], group: str, *more: Aggregate) -> Subquery:
    """Return what changes when one of the rows is added or deleted, and more of them."""
    known = _Row(Count("pk"), Sum("pk"), Max("pk"), *more)
    return Subquery(rows.order_by().values(group).annotate(known=known).values("known"))


def _join(rows: QuerySet[Any], group: str, *columns: str | Coalesce) -> Subquery:
    """Return columns of all rows in one text. In another order it is another text, and figures are computed again."""
    joined = StringAgg(_Row(*columns), Constant("\x1e"), output_field=TextField())
    return Subquery(rows.order_by().values(group).annotate(joined=joined).values("joined"))


class _Row(Func):
    """Columns that are never null as one text."""

    template, arg_joiner = "%(expressions)s", " || '\x1f' || "
    output_field = TextField()
