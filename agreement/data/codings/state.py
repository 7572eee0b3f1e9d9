"""Whether anything has changed in the codings of a project: one query, whose cost does not grow with its texts.

What coders do is in the log of operations, which only grows, and a coding that is new has a higher key than those
before. Whatever else changes codings is done under the lock of the project, whose stamp is another one then. So what
has come since a look is found behind the last keys of that look.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from django.db import connection
from django.db.models import BigIntegerField, IntegerField, StringAgg, Subquery, TextField
from django.db.models import Value as Constant
from django.db.models.functions import Cast, Concat
from django.db.models.query import QuerySet

from agreement.data.codings.reading import read_changed_codings, read_codings
from agreement.data.codings.table import CodingTable
from annotations.core.database.compiled_queries import ListParameter, compiled_query
from annotations.core.database.writers import find_writers
from annotations.models import Coding, Membership, Operation, Project, ProjectStamp, Round, User

# In place of a key, where there is no row.
NO_KEY = 0
# Where more has come since the last look, all codings are read.
MOST_READ = 5_000
# How often, and how long in seconds, one waits for those who are writing when a process looks for the first time.
WAITS, WAIT = 10, 0.003


@dataclass(frozen=True, slots=True)
class _Place:
    """The last operation and the last coding, of whatever project, with what tells them from others of the same keys.

    Where they are there no longer the database is another one, or an older one was restored.
    """

    operation: int = NO_KEY
    uuid: str | None = None
    coding: int = NO_KEY
    created_at: datetime | None = None


NOWHERE = _Place()
# How far keys were settled at the last look of this process. They are of all projects.
_settled: dict[Literal["place"], _Place] = {}


@dataclass(frozen=True, slots=True)
class Mark:
    """The last keys at a moment, and who was writing then and is not done: they may have lower keys."""

    place: _Place
    writers: frozenset[str]

    def without_done(self) -> Mark:
        """Return the mark as it is now: a query, where somebody was writing."""
        return replace(self, writers=self.writers & _writers()) if self.writers else self


@dataclass(frozen=True, slots=True)
class _Look:
    """What there is besides the log, the last keys, and what is found at those that were asked for."""

    rest: tuple[Any, ...]
    last: _Place
    found: tuple[str | None, datetime | None]

    def finds(self, place: _Place) -> bool:
        """Return whether that place is there, as it was."""
        return self.found == (place.uuid, place.created_at)


@dataclass(frozen=True, slots=True)
class KnownCodings:
    """The codings of a project as they were read, and what there was besides them.

    All that has a key up to `settled` was seen, and nothing lower will come; None where that is not known. Behind it
    some was seen, too: `mark` is how far, and as soon as it has no writers any more that is settled at the next look.
    Of one `line` are codings that differ by the log alone: nothing was deleted in between, and no text renamed.
    """

    table: CodingTable
    rest: tuple[Any, ...]
    settled: _Place | None
    mark: Mark | None = None
    line: object = field(default_factory=object)

    @property
    def coders(self) -> list[int]:
        """The keys of the users who code; at least one number."""
        return [*self.table.coders, NO_KEY]


def mark_codings(project: Project, known: KnownCodings | None) -> Mark | None:
    """Return how far keys are settled: to be asked for before the snapshot of a look. On SQLite all are, and None is.

    Where coders are just now saving it waits for them, some milliseconds at most. Where somebody writes for long, keys
    are settled as far as they were at the last look of this process, at whatever project.
    """
    if connection.vendor != "postgresql":
        return None
    mark = known.mark.without_done() if known and known.mark else None
    if known and known.settled:
        return mark if mark and not mark.writers else Mark(known.settled, frozenset())
    mark = mark or Mark(_look_at(project.pk, NOWHERE, [NO_KEY]).last, _writers())
    if mark.writers and (settled := _settled.get("place")):
        return Mark(settled, frozenset())
    for _ in range(WAITS):
        if not mark.writers:
            break
        time.sleep(WAIT)
        mark = mark.without_done()
    return mark


def read_known_codings(project: Project, known: KnownCodings | None, mark: Mark | None) -> KnownCodings:
    """Return the codings of a project: those that are known where nothing has changed, and else the least that has.

    One query where nothing has changed; some more where somebody has answered, and where all is read. `known` and
    `mark` are of the time before the snapshot that this is read in.
    """
    if known and known.settled:
        look = _look_at(project.pk, known.settled, known.coders)
        if look.rest == known.rest and look.finds(known.settled):
            if look.last == known.settled:
                return known
            table = _read_changes(project, known, known.settled)
            if table is not None:
                return _follow(known, table, look, mark.place if mark else look.last)
    table = read_codings(project)
    look = _look_at(project.pk, mark.place if mark else NOWHERE, [*table.coders, NO_KEY])
    if mark is None:
        return KnownCodings(table, look.rest, look.last)
    if not look.finds(mark.place):  # of a database that was restored nothing is settled
        return KnownCodings(table, look.rest, None, Mark(look.last, _writers()))
    if mark.writers:
        return KnownCodings(table, look.rest, None, mark)
    return _follow(KnownCodings(table, look.rest, None), table, look, mark.place)


def _follow(known: KnownCodings, table: CodingTable, look: _Look, settled: _Place) -> KnownCodings:
    """Return the codings as they were read at a look, where keys are settled so far."""
    _settled["place"] = settled
    if settled == look.last:
        mark = None
    elif known.mark is None or known.mark.place == settled:
        mark = Mark(look.last, _writers())
    else:
        mark = known.mark
    return replace(known, table=table, settled=settled, mark=mark)


def _read_changes(project: Project, known: KnownCodings, settled: _Place) -> CodingTable | None:
    """Return the codings with what has come since; None where more has changed than can be read by itself."""
    operations = Operation.objects.filter(pk__gt=settled.operation).order_by("pk").values_list("coding_id", flat=True)
    codings = Coding.with_gold.filter(pk__gt=settled.coding).order_by("pk").values_list("pk", flat=True)
    # of whatever project: those of others are few, and left out where the rows are read
    changed = [*operations[: MOST_READ + 1], *codings[: MOST_READ + 1]]
    if len(changed) > MOST_READ:
        return None
    return read_changed_codings(project, known.table, dict.fromkeys(changed))


def _writers() -> frozenset[str]:
    return find_writers(Coding, Operation)


def _look_at(project: int, place: _Place, coders: Sequence[int]) -> _Look:
    """Return what there is now, and what is at a place; of a project that is deleted nothing."""
    rows = _state_rows(project, place.operation, place.coding, list(coders))
    if not rows:
        return _Look((), NOWHERE, (None, None))
    [(*rest, uuid, created_at, operation, last_uuid, coding, last_created_at)] = rows
    last = _Place(operation or NO_KEY, last_uuid, coding or NO_KEY, last_created_at)
    return _Look(tuple(rest), last, (uuid, created_at))


@compiled_query(IntegerField(), BigIntegerField(), BigIntegerField(), ListParameter(BigIntegerField()))
def _state_rows(project: int, operation: int, coding: int, coders: list[int]) -> QuerySet[Project, tuple[Any, ...]]:
    """Return one row."""
    rounds = Round.objects.filter(project=project).order_by().values("project")
    roles = [Membership.Role.ADJUDICATOR, Membership.Role.MANAGER_CODER]
    members = Membership.objects.filter(project=project, role__in=roles).order_by().values("project")
    people = User.objects.filter(pk__in=coders).order_by().annotate(one=Constant(1)).values("one")
    operations, codings = Operation.objects.order_by("-pk"), Coding.with_gold.order_by("-pk")
    uuid = Cast("uuid", TextField())
    columns = {
        "stamp_number": Subquery(ProjectStamp.objects.filter(project=project).values("number")),
        "round_names": Subquery(rounds.annotate(names=_joined("pk", "position", "name", "kind")).values("names")),
        "member_names": Subquery(members.annotate(names=_joined("user_id", "role")).values("names")),
        "people_names": Subquery(people.annotate(names=_joined("pk", "username")).values("names")),
        "uuid": Subquery(operations.filter(pk=operation).order_by().values(one=uuid)),
        "coding_created_at": Subquery(codings.filter(pk=coding).order_by().values("created_at")),
        "last_operation": Subquery(operations.values("pk")[:1]),
        "last_uuid": Subquery(operations.values(one=uuid)[:1]),
        "last_coding": Subquery(codings.values("pk")[:1]),
        "last_created_at": Subquery(codings.values("created_at")[:1]),
    }
    return Project.objects.filter(pk=project).order_by().annotate(**columns).values_list(*columns)


def _joined(*columns: str) -> StringAgg:
    """Return columns of all rows in one text. In another order it is another text, and all is read."""
    parts = [Cast(column, TextField()) for column in columns]
    with_blanks = [one for part in parts for one in (part, Constant("\x1f"))]
    return StringAgg(Concat(*with_blanks, output_field=TextField()), Constant("\x1e"), output_field=TextField())
