"""Rows of the database -> the table of codings, in few queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import batched
from typing import Any, NamedTuple

import numpy as np
from django.db.models import BooleanField, Func, OuterRef, QuerySet, Subquery, TextField, Value
from django.db.models.functions import Cast, Coalesce

from agreement.data.codings.documents import document_key, row_key
from agreement.data.codings.gold import GOLD, why_gold_is_left_out
from agreement.data.codings.table import CODING, CodingRow, CodingTable, Documents, Heading
from agreement.data.joined import count_numbers, joined, parse_numbers
from agreement.measures.data.arrays import run_offsets
from annotations.core.database.queries import count_subquery
from annotations.models import Coding, Markable, Membership, Operation, Project, Round, Text
from annotations.models.coding import INDEPENDENT_KINDS

# So many keys are asked for at a time: databases bound the parameters of a query.
MOST_KEYS = 500


class _Group(NamedTuple):
    """The codings of a coder in a round that have one status: keys, texts, versions and last operations, as text."""

    coder_key: int
    coder: str
    status: str
    occasion: int
    position: int
    round_key: int
    round: str
    kind: str
    pks: str
    texts: str
    numbers: str
    uuids: str

    @property
    def of_round(self) -> tuple[int, int, str, str]:
        """The round, in the order of rounds."""
        return self.position, self.round_key, self.round, self.kind


def read_codings(project: Project, *, models: bool = False) -> CodingTable:
    """Return the codings that coders make independently of each other, and which of them do not count.

    models: also the codings of models, which count as those of people do. Three queries.
    """
    members = project.memberships.filter(role__in=[Membership.Role.ADJUDICATOR, Membership.Role.MANAGER_CODER])
    roles = dict(members.values_list("user__username", "role"))
    adjudicators = {name for name, role in roles.items() if role == Membership.Role.ADJUDICATOR}
    groups = _read_groups(Coding.with_models.all() if models else Coding.objects.all(), project)
    texts = {pk: (slug, title, given) for pk, slug, title, given in _texts_with_given(project)}
    rounds, names = sorted({one.of_round for one in groups}), sorted({one.coder for one in groups})
    sizes = count_numbers([one.pks for one in groups])
    of_groups = [
        (rounds.index(one.of_round), one.occasion, names.index(one.coder), one.status == Coding.Status.SUBMITTED)
        for one in groups
    ]
    round_, occasion, coder, submitted = np.repeat(np.array(of_groups, dtype=np.int64).reshape(-1, 4), sizes, axis=0).T
    keys, places = np.unique(parse_numbers([one.texts for one in groups]), return_inverse=True)
    # ordered here: databases differ in how they order names
    ordered = sorted(keys.tolist(), key=lambda text: texts[text][0])
    rank = np.empty(len(keys), dtype=np.int64)
    rank[np.searchsorted(keys, ordered)] = np.arange(len(keys))
    shape = len(keys), len(rounds), int(occasion.max(initial=0)) + 1
    found, document = np.unique(np.ravel_multi_index((rank[places], round_, occasion), shape), return_inverse=True)
    text, of_round, of_occasion = np.unravel_index(found, shape)
    n_documents = np.bincount(text, minlength=len(keys))
    headings: dict[int, Heading] = {}
    columns = text, of_round, of_occasion, run_offsets(n_documents), n_documents[text] > 1
    for place, place_of_round, number_of_occasion, number, is_one_of_several in zip(
        *(column.tolist() for column in columns), strict=True
    ):
        (slug, title, _), (*_, name, kind) = texts[ordered[place]], rounds[place_of_round]
        reason = _reason_of(kind, number_of_occasion)
        headings[document_key(ordered[place], number)] = Heading(
            slug, title, name, place_of_round, number_of_occasion, reason, is_one_of_several
        )
    codings = np.zeros(len(document), CODING)
    codings["pk"] = parse_numbers([one.pks for one in groups])
    codings["coder"], codings["submitted"] = coder, submitted
    codings["number"] = parse_numbers([one.numbers for one in groups])
    codings["uuid"] = [uuid for one in groups for uuid in one.uuids.split(" ")]
    return CodingTable(
        Documents.of(headings),
        codings[np.lexsort((coder, document))],
        np.bincount(document, minlength=len(headings)),
        tuple(names),
        {name: place for place, (_, _, name, _) in enumerate(rounds)},
        tuple(sorted(roles.keys() - adjudicators)),
        frozenset(adjudicators),
        {pk: given for pk, (_, _, given) in texts.items() if given},
        coders=tuple(sorted({one.coder_key for one in groups})),
    )


def _read_groups(codings: QuerySet[Coding], project: Project) -> list[_Group]:
    """Return codings with a row for each coder, round and status: long strings are faster to read than many rows."""
    rows: QuerySet[Any, Any] = codings.filter(text__project=project, kind__in=INDEPENDENT_KINDS).order_by()
    of_round = ("round__position", "round_id", "round__name", "round__kind")
    rows = rows.values_list("coder_id", "coder__username", "status", "occasion", *of_round)
    uuids = joined(Coalesce(_last_uuid(), Value("")))
    return [
        _Group(*row)
        for row in rows.annotate(pks=joined("pk"), texts=joined("text_id"), numbers=joined("version"), uuids=uuids)
    ]


def _texts_with_given(project: Project) -> QuerySet[Text, Any]:
    """Return the key, address and title of each text, and how many markables came with it.

    An import may give some to texts that are coded already. Markables are counted by the index of those.
    """
    given = count_subquery(Markable.objects.filter(IsTrue("predefined"), text=OuterRef("pk")))
    return Text.objects.filter(project=project).order_by().values_list("pk", "slug", "title", given)


class IsTrue(Func):
    """A field is true: Django compares an expression with 1 on SQLite, as it does in the condition of an index."""

    template = "%(expressions)s"
    output_field = BooleanField()


def _reason_of(kind: str, occasion: int) -> str:
    """Return why codings of a document do not count, all of them; empty where they do."""
    if kind == Round.Kind.TRAINING:
        return "practice"
    return "repeats" if kind == Round.Kind.RECHECK or occasion > 1 else ""


def _last_uuid() -> Subquery:
    """Return the last operation besides its number: a restored database may count on from an older state."""
    last = Operation.objects.filter(coding=OuterRef("pk"), sequence=OuterRef("version"))
    return Subquery(last.values(one=Cast("uuid", TextField())))


def read_changed_codings(project: Project, table: CodingTable, keys: Iterable[int]) -> CodingTable | None:
    """Return the table with these codings as they are now.

    None where more changes than the documents that they are of: with a coder or round that the table does not have, or
    a further document of a text. A query for some hundreds.
    """
    changed: dict[int, list[CodingRow]] = {}
    new: dict[int, Heading] = {}
    columns = ("pk", "text_id", "text__slug", "text__title", "round__name", "round__kind", "occasion")
    of_coding = ("coder_id", "coder__username", "status", "version")
    for batch in batched(keys, MOST_KEYS):
        codings = Coding.objects.filter(pk__in=batch, text__project=project, kind__in=INDEPENDENT_KINDS).order_by()
        found = codings.values_list(*columns, *of_coding, _last_uuid())
        for pk, text, slug, title, round_, kind, occasion, coder_key, coder, status, version, uuid in found:
            if coder_key not in table.coders or round_ not in table.rounds:
                return None
            document = table.documents.find(text, round_, occasion)
            if document is None:
                document = document_key(text, 0)
                reason = _reason_of(kind, occasion)
                heading = Heading(slug, title, round_, table.rounds[round_], occasion, reason, is_one_of_several=False)
                if document in table.headings or new.setdefault(document, heading) != heading:
                    return None
            submitted = status == Coding.Status.SUBMITTED
            reason = table.reason_of(coder, new.get(document) or table.headings[document], submitted=submitted)
            row = CodingRow(pk, document, coder, submitted, reason, version, uuid or "")
            rows = changed.get(document)
            if rows is None:
                rows = [] if document in new else table.rows_of([document])[document]
            if row not in rows:
                others = [one for one in rows if one.pk != pk]
                changed[document] = sorted([*others, row], key=lambda one: one.coder)
    return table.with_rows(changed, new)


def list_gold(project: Project) -> tuple[tuple[str, str], ...]:
    """Return the text and round of all gold that has begun, by a draft or a decision. One query."""
    gold = Coding.with_gold.begun().filter(text__project=project, kind=Coding.Kind.GOLD)
    return tuple(gold.order_by("text__slug", "round__position", "pk").values_list("text__slug", "round__name"))


def read_gold(project: Project, table: CodingTable) -> CodingTable:
    """Return those documents that have gold that counts, with it besides the codings of coders. One query."""
    documents = {(row_key(key), one.round): key for key, one in table.headings.items() if one.occasion == 1}
    columns = ("pk", "text_id", "round__name", "round__kind", "status", "version", _last_uuid())
    gold = Coding.with_gold.filter(text__project=project, kind=Coding.Kind.GOLD).order_by("pk")
    rows, left_out = dict[int, CodingRow](), Counter[str]()
    for pk, text, round_, kind, status, version, uuid in gold.values_list(*columns):
        key = documents.get((text, round_))
        reason = why_gold_is_left_out(status, kind) or ("" if key is not None else "uncoded")
        if reason or key is None:
            left_out[reason] += 1
        else:
            rows[key] = CodingRow(pk, key, GOLD, submitted=True, reason="", number=version, uuid=uuid or "")
    return table.with_gold(rows, left_out)
