"""What a draft that is made again keeps of gold: the judgements of all that people have decided or touched. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from annotations.adjudication.decisions.log import GoldLog
from annotations.adjudication.proposal import Item, Proposal, item_order
from annotations.coding.decisions import Decision
from annotations.coding.readings import map_targets
from annotations.formats.model.keys import split_key
from annotations.formats.model.scheme import CATEGORY


def keep_decided(
    proposal: Proposal, log: GoldLog, gold: Mapping[str, Decision], came_with_text: Collection[str]
) -> Proposal:
    """Return the proposal with the judgements of gold, by key, on the markables that were decided or touched.

    What was decided is among what is contested. So is what points at a markable of which the gold says something else
    than the proposal; a markable that was removed is no target. `came_with_text` are the keys of given markables.
    """
    decided = log.decisions()
    theirs = log.touched | {item.markable for item in decided}
    kept = {key: gold[key] for key in theirs if key in gold}
    removed = {key for key in theirs if key not in gold and key not in came_with_text}
    proposed = {one.markable: one for one in proposal.decisions}
    contested = {*proposal.contested, *decided}
    result = dict(kept)
    for key, decision in proposed.items():
        if key in theirs:
            continue
        result[key] = _without_targets(decision, removed)
        others = {target for target in decision.targets() if target in theirs}
        if any(proposed.get(target, Decision(target)) != kept.get(target, Decision(target)) for target in others):
            contested.add(Item(key, CATEGORY))
    for decision in kept.values():
        for target in decision.targets():
            if target not in came_with_text:
                result.setdefault(target, Decision(target))
    contested = {item for item in contested if item.markable not in removed or item in decided}
    return Proposal(
        tuple(sorted(result.values(), key=lambda one: _place(one.markable))),
        tuple(sorted(contested, key=item_order)),
    )


def _without_targets(decision: Decision, removed: Collection[str]) -> Decision:
    def remaining(target: str) -> str | None:
        return None if target in removed else target

    relations = ((key, map_targets(readings, remaining)) for key, readings in decision.relations)
    return replace(
        decision,
        pointers=map_targets(decision.pointers, remaining),
        relations=tuple((key, readings) for key, readings in relations if readings),
    )


def _place(key: str) -> tuple[int, int, str]:
    place = split_key(key)
    return (place.parts[0][0], -place.parts[-1][1], key) if place else (0, 0, key)
