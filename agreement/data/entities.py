"""Which entities judgements are of, for what coders say of an entity and not of one markable."""

from __future__ import annotations

import numpy as np

from agreement.data.columns import AnswerColumns, KeyIndex, ranges, starts_of
from agreement.measures.data.answers import find_chains
from agreement.measures.data.arrays import run_starts, sorted_unique
from agreement.measures.values import Ints

# Judgements, and beside each an entity that it is of.
type Entities = tuple[Ints, Ints]


def find_entities(kind: str, columns: AnswerColumns, marks: Ints) -> Entities:
    """Return the entities of judgements: of these marks, ascending.

    An entity is a chain or an index; what is ambiguous is of several. What is meant together is an entity of its own,
    as is what is in no chain.
    """
    width = int(columns.n_members.max(initial=0)) + 1
    node = columns.coding_of_mark[marks] * width + columns.marks["unit"][marks]
    of_link = columns.coding_of_link
    source = of_link * width + columns.marks["unit"][columns.mark_of_link]
    target = columns.links["to"].astype(np.int64)
    if kind == "indices":
        most = int(target.max(initial=0)) + 1
        place = KeyIndex(node).find(source)
        known = place >= 0
        judgement, entity = place[known], (of_link * most + target)[known]
        alone = np.setdiff1d(np.arange(len(node)), judgement)
        return np.concatenate((judgement, alone)), np.concatenate((entity, len(columns.codings) * most + alone))
    target = of_link * width + target
    reading = columns.links["reading"].astype(np.int64)
    several = int(reading.max(initial=0)) + 1
    _, place, together = np.unique(source * several + reading, return_inverse=True, return_counts=True)
    single = together[place] == 1
    source, target = source[single], target[single]
    nodes = sorted_unique(np.concatenate((node, source, target)))
    of, chain = find_chains(np.searchsorted(nodes, source), np.searchsorted(nodes, target), len(nodes))
    judgement = KeyIndex(node).find(nodes)[of]
    return judgement[judgement >= 0], chain[judgement >= 0]


def share_answers(entities: Entities, of: Ints, value: Ints) -> tuple[Ints, Ints]:
    """Return the answers of each judgement when an entity has those of its first judgement that has any.

    `of` and `value` are the judgements that have answers, ascending, and these. A judgement of several entities has the
    answers of all of them, each once.
    """
    judgement, entity = entities
    answers = np.bincount(of, minlength=int(judgement.max(initial=-1)) + 1)
    answering = np.flatnonzero(answers[judgement] > 0)
    order = answering[np.lexsort((judgement[answering], entity[answering]))]
    speakers = order[run_starts(entity[order])]
    place = KeyIndex(entity[speakers]).find(entity)
    known = place >= 0
    speaker = judgement[speakers][place[known]]
    sizes = answers[speaker]
    values = value[ranges(starts_of(answers)[speaker], sizes)]
    width = int(value.max(initial=0)) + 1
    shared = sorted_unique(np.repeat(judgement[known], sizes) * width + values)
    return shared // width, shared % width
