"""The codings of a project as they are now: the documents that are coded, by whom, and the stamp of a project."""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple
from uuid import uuid4

from django.core.cache import caches
from django.db.models import Aggregate, Count, Func, Max, QuerySet, StringAgg, Subquery, Sum, TextField, Value
from django.db.models.functions import Cast, Coalesce

from agreement.data.documents import NEXT_DOCUMENT, Document
from agreement.data.gold import GOLD, why_gold_is_left_out
from agreement.models import FiguresVersion
from annotations.models import Coding, Membership, Operation, Project, Round, RoundText, Text, User
from annotations.models.coding import INDEPENDENT_KINDS

CODER, MODEL = Coalesce("coder__username", Value("")), Coalesce("model__pk", Value(0))
CODINGS = "text_id", "round_id", "occasion", "pk", CODER, "status", "version", "corrections", "kind", "by_model"
# A text, a round, an occasion, and a digest of all that the answers in the document depend on.
type DocumentKey = tuple[int, int, int, bytes]


class CodingRow(NamedTuple):
    """A coding of a document. `reason` is one of REASONS_LEFT_OUT, or empty where it counts."""

    coder: str
    pk: int
    submitted: bool
    reason: str
    version: int


@dataclass(frozen=True, slots=True)
class Codings:
    """The documents in the order of the addresses of texts, and the codings of each, ordered by coder.

    managers: the members who manage and code
    gold: the text and round of all gold that has begun, by a draft or a decision
    gold_left_out: how much gold does not count, by reason, where gold was read
    """

    documents: tuple[Document, ...]
    rows: tuple[tuple[CodingRow, ...], ...]
    keys: tuple[DocumentKey, ...]
    managers: tuple[str, ...]
    gold: tuple[tuple[str, str], ...]
    gold_left_out: Mapping[str, int]


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


def list_codings(
    of_project: ProjectRows, scheme: str, origin: str = "", *, gold: bool = False, models: bool = False
) -> Codings:
    """Return the codings that coders make independently of each other, and why some of them do not count.

    scheme: what in the scheme the reading of answers depends on. origin: that of the stamp. models: also the codings of
    models, which count as those of people do. gold: only documents that have gold that counts, which is behind the
    codings of coders.
    """
    texts, rounds, members, codings = (
        json.loads(f"[{rows or ''}]")
        for rows in (of_project.texts, of_project.rounds, of_project.members, of_project.codings)
    )
    titles, round_of = {pk: (slug, title) for pk, slug, title in texts}, {row[1]: row for row in rounds}
    names = {role: {name for _, name, of_role, *_ in members if of_role == role} for role in Membership.Role.values}
    coded = defaultdict[tuple[int, int, int], list[CodingRow]](list)
    golden, begun = dict[tuple[int, int, int], CodingRow](), list[tuple[int, int, int]]()
    versions = defaultdict[int, list[tuple[int, int]]](list)
    for text, round_, occasion, pk, coder, status, version, corrections, kind, by_model in codings:
        key, round_kind, submitted = (text, round_, occasion), round_of[round_][3], status == Coding.Status.SUBMITTED
        is_read = kind in INDEPENDENT_KINDS and (models or not by_model)
        if is_read:
            reason = "adjudicators" if coder in names["adjudicator"] else _why_left_out(round_kind, occasion)
            row = CodingRow(coder, pk, submitted, reason or ("" if submitted else "open"), version)
            coded[key].append(row)
        if is_read or gold or models:
            versions[text].append((pk, version))
        if kind == Coding.Kind.GOLD:
            golden[key] = CodingRow(GOLD, pk, submitted, why_gold_is_left_out(status, round_kind), version)
            begun += [key] if version > corrections else []

    def order(key: tuple[int, int, int]) -> tuple[Any, ...]:
        return titles[key[0]], round_of[key[1]], key[2]

    # ordered here: databases differ in how they order names
    coded_rounds = sorted(round_of[pk] for pk in {round_ for _, round_, _ in coded})
    documents, rows, keys = list[Document](), list[tuple[CodingRow, ...]](), list[DocumentKey]()
    for text, group in groupby(sorted(coded, key=order), key=itemgetter(0)):
        of_text = list(group)
        for number, key in enumerate(of_text):
            gold_row = golden.get(key)
            if gold and (gold_row is None or gold_row.reason):
                continue
            own = (*sorted(coded[key]), *([gold_row] if gold and gold_row else []))
            _, round_, occasion = key
            _, _, name, kind = round_of[round_]
            place, reason = coded_rounds.index(round_of[round_]), _why_left_out(kind, occasion)
            pk, several = text + number * NEXT_DOCUMENT, len(of_text) > 1
            about = sorted(versions[text]), [(row.pk, row.version, row.submitted) for row in own]
            digest = hashlib.blake2b(f"{scheme}{about}".encode(), digest_size=16)
            keys.append((*key, digest.digest()))
            known_by = f"{origin} {digest.hexdigest()}"
            documents.append(Document(pk, *titles[text], name, place, occasion, reason, several, known_by))
            rows.append(own)
    left_out = (row.reason or "uncoded" for key, row in golden.items() if gold and (row.reason or key not in coded))
    return Codings(
        tuple(documents),
        tuple(rows),
        tuple(keys),
        tuple(sorted(names["manager-coder"])),
        tuple((titles[text][0], round_of[round_][2]) for text, round_, _ in sorted(begun, key=order)),
        Counter(left_out),
    )


def _why_left_out(round_kind: str, occasion: int) -> str:
    """Return why the codings of a document in a round do not count, all of them; empty where they do."""
    if round_kind == Round.Kind.TRAINING:
        return "practice"
    return "repeats" if round_kind == Round.Kind.RECHECK or occasion > 1 else ""


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
    codings = _join(Coding.with_gold.filter(text__project=project), "text__project", *CODINGS)
    return ProjectRows(*_read(project, _columns(project) | {"codings_in_json": codings}))


def _read(project: Project, columns: dict[str, Subquery]) -> tuple[Any, ...]:
    rows = Project.objects.filter(pk=project.pk).order_by().annotate(**columns).values_list(*columns)
    return rows.first() or (None,) * len(columns)  # of a project that is deleted nothing


def _columns(project: Project) -> dict[str, Subquery]:
    members = Membership.objects.filter(project=project)
    coders = Coding.with_gold.filter(text__project=project, coder__isnull=False).order_by().values("coder")
    return {
        "texts_in_json": _join(Text.objects.filter(project=project), "project", "pk", "slug", "title"),
        "rounds_in_json": _join(Round.objects.filter(project=project), "project", "position", "pk", "name", "kind"),
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
