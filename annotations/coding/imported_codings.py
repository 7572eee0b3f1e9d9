"""Codings filled from files or drafts, in bulk, with the operations that record it in their logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any
from uuid import uuid4

from django.utils import timezone

from annotations.coding.decisions import ROW_FIELDS, Decision, Description, row_values
from annotations.coding.judgements import ANSWER_FIELDS, POINTER_FIELDS, answer_rows, pointer_rows
from annotations.coding.operations import begin_round_of
from annotations.core.database.bulk import insert, reserve_keys
from annotations.models import SCU, AttributeAnswer, Coding, Index, Judgement, Operation, Pointer, User
from annotations.projects.people.model_coders import mark_codings_of_models
from annotations.schemes.project_scheme import SchemeKeys


@dataclass(frozen=True, slots=True)
class ImportedCoding:
    """An untouched coding, saved or not, with the content from a file or draft.

    The decisions have passed `Rules.check`. `markables` and `scheme` map the keys in decisions to primary keys.
    `submitted` is False if the coder will continue; `details` are further fields of the payload; `user` is None for a
    draft of gold without an owner.
    """

    coding: Coding
    user: User | None
    decisions: Sequence[Decision]
    markables: Mapping[str, int]
    scheme: SchemeKeys
    descriptions: Sequence[Description] = ()
    submitted: bool = True
    kind: Operation.Kind = Operation.Kind.IMPORT
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def n_operations(self) -> int:
        """Return the number of operations of `log` without building them."""
        return 1 + self.submitted

    def log(self) -> list[tuple[Operation.Kind, dict[str, Any]]]:
        """Return the kinds and payloads of the operations for the log."""
        payload = {**self.details, "judgements": [decision.payload() for decision in self.decisions]}
        if self.descriptions:
            payload["scus"] = [description.payload() for description in self.descriptions]
        submit_entry = [(Operation.Kind.SUBMIT, dict[str, Any]())] if self.submitted else []
        return [(self.kind, payload), *submit_entry]


def import_codings(imports: Sequence[ImportedCoding]) -> None:
    """Fill and submit untouched codings and log it, in a fixed number of statements. Call it inside a transaction."""
    unsaved = [imported.coding for imported in imports if imported.coding.pk is None]
    saved = [imported.coding for imported in imports if imported.coding.pk is not None]
    now = timezone.now()
    for imported in imports:
        if imported.submitted:
            imported.coding.status = Coding.Status.SUBMITTED
            imported.coding.viewed_at = now  # the importer has the file
            if imported.user is not None and imported.user.pk == imported.coding.coder_id:
                imported.coding.last_active = now
        imported.coding.version += imported.n_operations
    for coding, scheme_version in {
        imported.coding.round_id: (imported.coding, imported.scheme.version) for imported in imports
    }.values():
        begin_round_of(coding, scheme_version)
    if unsaved:
        mark_codings_of_models(unsaved[0].text.project_id, unsaved)
    Coding.objects.bulk_create(unsaved)
    Coding.objects.bulk_update(saved, ["status", "version", "viewed_at", "last_active"])
    keys = iter(reserve_keys(Judgement, sum(len(imported.decisions) for imported in imports)))
    keyed = [(next(keys), imported, decision) for imported in imports for decision in imported.decisions]
    insert(
        Judgement,
        ["id", "coding", "markable", "category", *ROW_FIELDS, "scheme_version"],
        (
            (
                key,
                imported.coding.pk,
                imported.markables[decision.markable],
                imported.scheme.categories[decision.category] if decision.category is not None else None,
                *row_values(decision),
                imported.scheme.version,
            )
            for key, imported, decision in keyed
        ),
    )
    pointers = (pointer_rows(key, decision, imported.markables, imported.scheme) for key, imported, decision in keyed)
    insert(Pointer, POINTER_FIELDS, chain.from_iterable(pointers))
    answers = (answer_rows(key, decision, imported.scheme) for key, imported, decision in keyed if decision.attributes)
    insert(AttributeAnswer, ANSWER_FIELDS, chain.from_iterable(answers))
    insert(Index, ["judgement", "entity"], ((key, entity) for key, _, decision in keyed for entity in decision.indices))
    SCU.objects.bulk_create(
        SCU(coding=imported.coding, key=description.scu, label=description.label, comment=description.comment)
        for imported in imports
        for description in imported.descriptions
        if description.label or description.comment
    )
    insert(
        Operation,
        ["coding", "sequence", "uuid", "kind", "payload", "scheme_version", "user", "applied_at"],
        (
            (imported.coding.pk, sequence, uuid4(), kind, payload, imported.scheme.version, user, now)
            for imported in imports
            for user in [imported.user.pk if imported.user is not None else None]
            for sequence, (kind, payload) in enumerate(
                imported.log(), start=imported.coding.version - imported.n_operations + 1
            )
        ),
    )
