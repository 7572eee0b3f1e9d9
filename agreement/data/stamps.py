"""The rows that say who has coded which texts of a project, and a stamp that changes with them."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple
from uuid import uuid4

from django.core.cache import caches
from django.db.models import Aggregate, Count, Func, Max, QuerySet, StringAgg, Subquery, Sum, TextField, Value
from django.db.models.functions import Cast, Coalesce

from agreement.models import FiguresVersion
from annotations.models import Coding, Membership, Operation, Project, Round, RoundText, Text, User

CODER, MODEL = Coalesce("coder__username", Value("")), Coalesce("model__pk", Value(0))
CODINGS = "text_id", "round_id", "occasion", "pk", CODER, "status", "version", "corrections", "kind", "by_model"


class Stamp(NamedTuple):
    """A digest of the texts, rounds and members of a project, with their names, and of what changes with its codings.

    `operation` and `uuid` are of the last operation of whatever project when the digest was found first. Of stamps with
    the same `origin` nothing was undone in between: what has an equal version is equal.
    """

    digest: str
    operation: int
    uuid: str | None
    origin: str


class ProjectRows(NamedTuple):
    """The texts, rounds, members, coders and codings (CODINGS) of a project: rows in JSON with commas between them.

    `refreshed` says how often figures were refreshed by hand.
    """

    texts: str
    rounds: str
    members: str
    coders: str
    refreshed: int | None
    codings: str


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
    columns = _columns(project) | {
        "known_of_codings": _summarize(
            Coding.with_gold.filter(text__project=project), "text__project", Sum("version"), Max("created_at")
        ),
        "known_of_rounds": _summarize(RoundText.objects.filter(round__project=project), "round__project"),
        "seen_uuid": Subquery(operations.filter(pk=seen.operation if seen else 0).values(one=uuid)),
        "last_operation": Subquery(operations.values("pk")[:1]),
        "last_uuid": Subquery(operations.values(one=uuid)[:1]),
    }
    *found, seen_uuid, operation, last_uuid = _read(project, columns)
    digest = hashlib.blake2b("\x1d".join(map(str, found)).encode(), digest_size=16).hexdigest()
    origin = uuid4().hex
    if seen is not None and seen.uuid == seen_uuid:
        if seen.digest == digest:
            return seen
        origin = seen.origin
    stamp = Stamp(digest, operation or 0, last_uuid, origin)
    caches["process"].set(key, stamp, timeout=None)
    return stamp


def read_rows(project: Project) -> ProjectRows:
    """Return the rows of a project that say who has coded what. One query."""
    codings = Coding.with_gold.filter(text__project=project)
    columns = _columns(project) | {"codings_in_json": _join(codings, "text__project", *CODINGS)}
    return ProjectRows(*_read(project, columns))


def _read(project: Project, columns: dict[str, Subquery]) -> tuple[Any, ...]:
    rows = Project.objects.filter(pk=project.pk).order_by().annotate(**columns).values_list(*columns)
    return rows.first() or (None,) * len(columns)  # of a project that is deleted nothing


def _columns(project: Project) -> dict[str, Subquery]:
    members = Membership.objects.filter(project=project)
    coders = Coding.with_gold.filter(text__project=project, coder__isnull=False).order_by().values("coder")
    return {
        "texts_in_json": _join(Text.objects.filter(project=project), "project", "pk", "slug", "title"),
        "rounds_in_json": _join(Round.objects.filter(project=project), "project", "pk", "position", "name", "kind"),
        "members_in_json": _join(members, "project", "user_id", "user__username", "role", "group", MODEL),
        # of those who are no members any more, too
        "coders_in_json": _join(User.objects.filter(pk__in=coders).annotate(of=Value(1)), "of", "pk", "username"),
        "refreshed": Subquery(FiguresVersion.objects.filter(project=project).values("number")),
    }


def _summarize(rows: QuerySet[Any], group: str, *more: Aggregate) -> Subquery:
    """Return numbers that change when one of the rows is added or deleted, and `more` aggregates of the rows."""
    known = _Row(Count("pk"), Sum("pk"), Max("pk"), *more)
    return Subquery(rows.order_by().values(group).annotate(known=known).values("known"))


def _join(rows: QuerySet[Any], group: str, *columns: str | Coalesce) -> Subquery:
    """Return all rows in one text. In another order it is another text, and figures are computed again."""
    joined = StringAgg(_Row(*columns), Value(","), output_field=TextField())
    return Subquery(rows.order_by().values(group).annotate(joined=joined).values("joined"))


class _Row(Func):
    """Columns as an array in JSON, in text."""

    function, output_field = "JSON_ARRAY", TextField()

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """Return the function of PostgreSQL, whose JSON is no text."""
        return self.as_sql(compiler, connection, template="JSON_BUILD_ARRAY(%(expressions)s)::text", **context)
