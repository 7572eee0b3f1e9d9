"""The rows that say who has coded which texts of a project, and a stamp that changes with them."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

from django.db.models import Func, IntegerField, Max, QuerySet, StringAgg, Subquery, TextField, Value
from django.db.models.functions import Cast, Coalesce

from agreement.models import FiguresVersion
from annotations.core.database.compiled_queries import compiled_query
from annotations.models import Coding, Membership, Operation, Project, Round, Text

CODER = Coalesce("coder__username", Value(""))
CODINGS = "text_id", "round_id", "occasion", "pk", CODER, "status", "version", "corrections", "kind", "by_model"


class Stamp(NamedTuple):
    """A digest of the rows of a project, and the last operation of whatever project when it was read."""

    digest: str
    operation: int = 0
    uuid: str | None = None


class ProjectRows(NamedTuple):
    """The codings (CODINGS), texts, rounds and members of a project: rows in JSON with commas between them.

    `refreshed` says how often figures were refreshed by hand.
    """

    codings: str
    texts: str
    rounds: str
    members: str
    refreshed: int


def read_stamp(project: Project, seen: Stamp | None = None) -> tuple[Stamp, ProjectRows, bool]:
    """Return the stamp of a project, its rows, and whether all is as it was `seen` before. One query.

    Each write of an answer raises the version of its coding. Where that is not all that answers depend on, or after a
    repair by hand, figures are refreshed (`FiguresVersion`). Where the last operation that was seen is gone, a
    transaction was undone or a backup restored, and a version may have come again with other answers.
    """
    # of a project that is deleted nothing
    rows = _read_rows(project.pk, seen.operation if seen else 0) or [(None,) * 9]
    *found, seen_uuid, operation, uuid = rows[0]
    digest = hashlib.blake2b(repr(found).encode(), digest_size=16).hexdigest()
    is_as_before = seen is not None and (seen.digest, seen.uuid) == (digest, seen_uuid)
    return Stamp(digest, operation or 0, uuid), ProjectRows._make([*found[:4], found[4] or 0]), is_as_before


@compiled_query(IntegerField(), IntegerField())
def _read_rows(project: int, seen: int) -> QuerySet[Project, tuple[Any, ...]]:
    operations, uuid = Operation.objects.order_by("-pk"), Cast("uuid", TextField())
    codings = Coding.with_gold.filter(text__project=project)
    columns = {
        "codings_in_json": _join(codings, "text__project", *CODINGS),
        "texts_in_json": _join(Text.objects.filter(project=project), "project", "pk", "slug", "title"),
        "rounds_in_json": _join(Round.objects.filter(project=project), "project", "pk", "position", "name", "kind"),
        "members_in_json": _join(
            Membership.objects.filter(project=project), "project", "user_id", "user__username", "role", "group"
        ),
        "refreshed": Subquery(FiguresVersion.objects.filter(project=project).values("number")),
        "newest": Subquery(codings.order_by().values("text__project").annotate(new=Max("created_at")).values("new")),
        "seen_uuid": Subquery(operations.filter(pk=seen).values(one=uuid)),
        "last_operation": Subquery(operations.values("pk")[:1]),
        "last_uuid": Subquery(operations.values(one=uuid)[:1]),
    }
    return Project.objects.filter(pk=project).order_by().annotate(**columns).values_list(*columns)


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
