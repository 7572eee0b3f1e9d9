"""What coders answered, in terms of a draft: which of its entities a coder's chain is."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from ..values import Value, unite_readings
from .votes import DocumentAnswers

type Entity = frozenset[Hashable]


def project_chains(answers: DocumentAnswers, coder: int, entities: Sequence[Sequence[Entity]]) -> dict[Entity, Entity]:
    """Return of each chain of a coder, by their number, the entity that it is; of some chains none.

    `entities` has those of each unit. A chain is one entity at most, and an entity one chain: pairs that share more
    units come first, of these the smaller ones, of these the ones that share the earlier unit.
    """
    shared: dict[tuple[Entity, Entity], int] = {}
    for row, of_unit in zip(answers.codes, entities, strict=True):
        if of_unit:
            for chain in answers.order_sets(answers.set_of(row[coder])):
                for entity in of_unit:
                    shared[chain, entity] = shared.get((chain, entity), 0) + 1
    entity_of: dict[Entity, Entity] = {}
    projected: set[Entity] = set()
    for chain, entity in sorted(shared, key=lambda pair: (-shared[pair], len(pair[0]) + len(pair[1]))):
        if chain not in entity_of and entity not in projected:
            entity_of[chain] = entity
            projected.add(entity)
    return entity_of


def project_answers(answers: DocumentAnswers, draft: Mapping[Hashable, Value | None]) -> list[list[Value | None]]:
    """Return for each unit and coder the answer with the coder's chains as the entities that they are in the draft.

    A chain that is no entity of the draft stays as it is, and so do labels; None is missing.
    """
    entities = [answers.order_sets(draft.get(unit)) for unit in answers.units]
    columns: list[list[Value | None]] = []
    for coder in range(len(answers.coded)):
        entity_of = project_chains(answers, coder, entities)
        known: dict[int, Value | None] = {}
        column: list[Value | None] = []
        for row in answers.codes:
            code = row[coder]
            if code not in known:
                chains = answers.order_sets(answers.set_of(code))
                known[code] = (
                    unite_readings(entity_of.get(one, one) for one in chains) if chains else answers.value(code)
                )
            column.append(known[code])
        columns.append(column)
    return [list(row) for row in zip(*columns, strict=True)]
