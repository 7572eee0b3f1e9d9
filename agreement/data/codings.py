"""The current codings of a project: the coded documents with their coders, and the stamp of the project."""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import uuid4

from django.core.cache import caches
from django.db.models import Aggregate, Count, Func, Max, QuerySet, StringAgg, Subquery, Sum, TextField, Value
from django.db.models.functions import Cast, Coalesce

from agreement.data.coders import GOLD, why_gold_is_left_out
from agreement.data.documents import NEXT_DOCUMENT, Document
from agreement.models import FiguresVersion
from annotations.models import Coding, Membership, Operation, Project, Round, RoundText, Text, User
from annotations.models.coding import INDEPENDENT_KINDS

CODER, MODEL = Coalesce("coder__username", Value("")), Coalesce("model__pk", Value(0))
CODINGS = "round_id", "occasion", "pk", CODER, "status", "version", "corrections", "kind", "by_model"
# Raise this when columns change their form or rows are read differently: stored and cached answers become invalid.
FORM = 1
# A text, a round, an occasion, and a digest of everything that determines the answers in the document.
type DocumentKey = tuple[int, int, int, bytes]


class CodingRow(NamedTuple):
    """A coding of a document. `reason` is one of REASONS_LEFT_OUT, or empty if the coding counts."""

    coder: str
    pk: int
    submitted: bool
    reason: str
    version: int


class CodedDocument(NamedTuple):
    """A document and its codings, ordered by coder."""

    document: Document
    rows: tuple[CodingRow, ...]
    key: DocumentKey


class TextCodings(NamedTuple):
    """The documents of a text and their codings, listed from `source`: slug, title and rows of codings."""

    source: tuple[str, str, str]
    documents: list[CodedDocument]
    gold: list[tuple[str, str]]
    gold_left_out: list[str]


@dataclass(frozen=True, slots=True)
class Codings:
    """The documents of a project with their codings, in the order of the slugs of texts."""

    documents: tuple[CodedDocument, ...]
    managers: tuple[str, ...]  # the members who manage and code
    gold: tuple[tuple[str, str], ...]  # the text and round of each gold coding with a draft or a decision
    gold_left_out: Mapping[str, int]  # the number of gold codings that do not count, by reason, if gold was read
    of_texts: Mapping[int, TextCodings]  # the documents by text, valid while `listed_under` is unchanged
    listed_under: str  # everything else that determines the list


class Stamp(NamedTuple):
    """A stamp that changes with the texts, rounds, members and codings of a project, and with their names."""

    digest: str  # of all of these rows
    operation: int  # the last operation of any project when the digest first occurred
    uuid: str | None  # the UUID of this operation
    origin: str  # equal if nothing was undone between two stamps: codings with equal versions are then equal


class ProjectRows(NamedTuple):
    """Rows of a project as comma-separated JSON, and the number of manual refreshes of its figures."""

    texts: str
    rounds: str
    members: str
    coders: str
    refreshed: int | None


@dataclass(frozen=True, slots=True)
class Reading:
    """A choice of the answers to read: counted units, scheme versions (empty: all), gold and models."""

    project: Project
    units: str
    versions: frozenset[int]
    gold: bool  # only documents with gold that counts, listed behind the codings of coders
    models: bool  # also codings of models

    @property
    def key(self) -> Hashable:
        return self.project.pk, self.units, self.versions, self.gold, self.models

    @property
    def name(self) -> str:
        """The name under which answers are stored."""
        return " ".join(filter(None, [self.units, "gold" if self.gold else "", "models" if self.models else ""]))


def list_codings(
    reading: Reading, rows: ProjectRows, scheme_version: Hashable, origin: str = "", before: Codings | None = None
) -> Codings:
    """Return the independent codings of coders, with the reason why a coding does not count. One query.

    Unchanged texts are taken from `before`. scheme_version: a key of the parts of the scheme on which answers depend.
    """
    texts, rounds, members = (json.loads(f"[{joined or ''}]") for joined in rows[:3])
    listing = _Listing(
        f"{FORM} {rows.refreshed or 0} {scheme_version}",
        origin,
        rounds={row[1]: (place, *row[2:]) for place, row in enumerate(sorted(rounds))},
        adjudicators=sorted(name for _, name, role, *_ in members if role == Membership.Role.ADJUDICATOR),
        gold=reading.gold,
        models=reading.models,
    )
    listed_under = repr(listing)
    known = before.of_texts if before and before.listed_under == listed_under else {}
    codings = Coding.objects.filter(text__project=reading.project).order_by().values("text")
    codings_of = dict(codings.annotate(joined=_in_one_text(*CODINGS)).values_list("text", "joined"))
    of_texts = dict[int, TextCodings]()
    for slug, title, pk in sorted((slug, title, pk) for pk, slug, title in texts if pk in codings_of):
        source, found = (slug, title, codings_of[pk]), known.get(pk)
        of_texts[pk] = found if found and found.source == source else listing.list_text(pk, source)
    listed = of_texts.values()
    return Codings(
        documents=tuple(document for of_text in listed for document in of_text.documents),
        managers=tuple(sorted(name for _, name, role, *_ in members if role == Membership.Role.MANAGER_CODER)),
        gold=tuple(gold for of_text in listed for gold in of_text.gold),
        gold_left_out=Counter(reason for of_text in listed for reason in of_text.gold_left_out),
        of_texts=of_texts,
        listed_under=listed_under,
    )


@dataclass(frozen=True, slots=True)
class _Listing:
    """The data besides codings that determine the documents of a text; `rounds`: position, name and kind by key."""

    scheme: str
    origin: str
    rounds: Mapping[int, tuple[int, str, str]]
    adjudicators: Sequence[str]
    gold: bool
    models: bool

    def list_text(self, text: int, source: tuple[str, str, str]) -> TextCodings:
        """Return the documents of a text, by round and occasion."""
        slug, title, codings = source
        found = TextCodings(source, [], [], [])
        coded = defaultdict[tuple[int, int], list[CodingRow]](list)
        golden, begun = dict[tuple[int, int], CodingRow](), list[tuple[int, int]]()
        versions = list[tuple[int, int]]()
        for round_, occasion, pk, coder, status, version, corrections, kind, by_model in json.loads(f"[{codings}]"):
            if round_ not in self.rounds:  # created after the rounds were read: the next stamp will differ
                continue
            (*_, round_kind), submitted = self.rounds[round_], status == Coding.Status.SUBMITTED
            is_read = kind in INDEPENDENT_KINDS and (self.models or not by_model)
            if is_read:
                is_adjudicator = coder in self.adjudicators
                reason = "adjudicators" if is_adjudicator else _why_left_out(round_kind, occasion)
                row = CodingRow(coder, pk, submitted, reason or ("" if submitted else "open"), version)
                coded[round_, occasion].append(row)
            if is_read or self.gold or self.models:
                versions.append((pk, version))
            if kind == Coding.Kind.GOLD:
                reason = why_gold_is_left_out(status, round_kind)
                golden[round_, occasion] = CodingRow(GOLD, pk, submitted, reason, version)
                begun += [(round_, occasion)] if version > corrections else []

        def order(key: tuple[int, int]) -> tuple[Any, ...]:
            return self.rounds[key[0]], key[1]

        found.gold.extend((slug, self.rounds[round_][1]) for round_, _ in sorted(begun, key=order))
        for number, (round_, occasion) in enumerate(sorted(coded, key=order)):
            gold = golden.get((round_, occasion))
            if self.gold and (gold is None or gold.reason):
                continue
            own = (*sorted(coded[round_, occasion]), *([gold] if self.gold and gold else []))
            place, name, kind = self.rounds[round_]
            about = sorted(versions), [(row.pk, row.version, row.submitted) for row in own]
            digest = hashlib.blake2b(f"{self.scheme}{about}".encode(), digest_size=16)
            pk, several, reason = text + number * NEXT_DOCUMENT, len(coded) > 1, _why_left_out(kind, occasion)
            known_by = f"{self.origin} {digest.hexdigest()}"
            document = Document(pk, slug, title, name, place, occasion, reason, several, known_by)
            found.documents.append(CodedDocument(document, own, (text, round_, occasion, digest.digest())))
        if self.gold:
            found.gold_left_out.extend(
                row.reason or "uncoded" for key, row in golden.items() if row.reason or key not in coded
            )
        return found


def _why_left_out(round_kind: str, occasion: int) -> str:
    """Return why all codings of a round's documents on this occasion do not count; empty if they count."""
    if round_kind == Round.Kind.TRAINING:
        return "practice"
    return "repeats" if round_kind == Round.Kind.RECHECK or occasion > 1 else ""


def read_stamp(project: Project) -> tuple[Stamp, ProjectRows]:
    """Return the stamp of a project, which is the last one if nothing has changed, and its rows. One query.

    Each write of an answer raises the version of its coding. Moving a text to another round creates a `RoundText`.
    Other changes of answers, such as a manual repair, must refresh the figures (`FiguresVersion`).
    If the operation of the last stamp no longer exists, a transaction was undone or a backup restored.
    A version may then recur with other answers, so that the stamp gets a new origin.
    """
    key = f"stamp:{project.pk}"
    seen: Stamp | None = caches["process"].get(key)
    operations, uuid = Operation.objects.order_by("-pk"), Cast("uuid", TextField())
    columns = _columns(project) | {
        "known_of_codings": _summarize(
            Coding.objects.filter(text__project=project), "text__project", Sum("version"), Max("created_at")
        ),
        "known_of_rounds": _summarize(RoundText.objects.filter(round__project=project), "round__project"),
        "seen_uuid": Subquery(operations.filter(pk=seen.operation if seen else 0).values(one=uuid)),
        "last_operation": Subquery(operations.values("pk")[:1]),
        "last_uuid": Subquery(operations.values(one=uuid)[:1]),
    }
    row = Project.objects.filter(pk=project.pk).order_by().annotate(**columns).values_list(*columns).first()
    *found, seen_uuid, operation, last_uuid = row or (None,) * len(columns)  # a deleted project has no row
    rows = ProjectRows(*found[: len(ProjectRows._fields)])
    digest = hashlib.blake2b("\x1d".join(map(str, found)).encode(), digest_size=16).hexdigest()
    origin = uuid4().hex
    if seen is not None and seen.uuid == seen_uuid:
        if seen.digest == digest:
            return seen, rows
        origin = seen.origin
    stamp = Stamp(digest, operation or 0, last_uuid, origin)
    caches["process"].set(key, stamp, timeout=None)
    return stamp, rows


def _columns(project: Project) -> dict[str, Subquery]:
    members = Membership.objects.filter(project=project)
    coders = Coding.objects.filter(text__project=project, coder__isnull=False).order_by().values("coder")
    return {
        "texts_in_json": _join(Text.objects.filter(project=project), "project", "pk", "slug", "title"),
        "rounds_in_json": _join(Round.objects.filter(project=project), "project", "position", "pk", "name", "kind"),
        "members_in_json": _join(members, "project", "user_id", "user__username", "role", "group", MODEL),
        # includes former members
        "coders_in_json": _join(User.objects.filter(pk__in=coders).annotate(of=Value(1)), "of", "pk", "username"),
        "refreshed": Subquery(FiguresVersion.objects.filter(project=project).values("number")),
    }


def _summarize(rows: QuerySet[Any], group: str, *more: Aggregate) -> Subquery:
    """Return numbers that change when a row is added or deleted, and `more` aggregates of the rows."""
    known = _Row(Count("pk"), Sum("pk"), Max("pk"), *more)
    return Subquery(rows.order_by().values(group).annotate(known=known).values("known"))


def _join(rows: QuerySet[Any], group: str, *columns: str | Coalesce) -> Subquery:
    """Return all rows as one text; another order of rows only means that figures are computed again."""
    return Subquery(rows.order_by().values(group).annotate(joined=_in_one_text(*columns)).values("joined"))


def _in_one_text(*columns: str | Coalesce) -> StringAgg:
    return StringAgg(_Row(*columns), Value(","), output_field=TextField())


class _Row(Func):
    """The columns of a row as the text of a JSON array."""

    function, output_field = "JSON_ARRAY", TextField()

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """Return the function of PostgreSQL, whose JSON must be cast to text."""
        return self.as_sql(compiler, connection, template="JSON_BUILD_ARRAY(%(expressions)s)::text", **context)
