"""Measure the accuracy and the speed of gold drafts: docs/benchmarks-adjudication.md."""

import random
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import partial
from typing import cast

import numpy as np
from pandas import factorize
from scipy.optimize import linear_sum_assignment

from agreement.measures import Card, Consensus, ReliabilityData, cards, ceaf_m, consensus
from benchmarks.environment.command import conditions, make_parser, publish, table
from benchmarks.environment.processes import seconds_of

RUNS = 20
MARKABLES, CODERS = 300, 3
NOISES = (10, 20)
ALONE, JOINING = 0.35, 0.7
LONG, REPEATS = (5000, 5), 5

type Chains = list[int]


def simulate(markables: int, coders: int, noise: float, seed: int) -> tuple[Chains, list[Chains]]:
    """Return the true chain of each markable, and each coder's chains."""
    source = random.Random(seed)
    entities = range(max(markables // 4, 1))
    weights = [1 / (rank + 1) for rank in entities]
    truth = [-1 - i if source.random() < ALONE else source.choices(entities, weights)[0] for i in range(markables)]
    return truth, [_code(truth, noise, fuse=coder % 2 == 1, source=source) for coder in range(coders)]


def _code(truth: Chains, noise: float, *, fuse: bool, source: random.Random) -> Chains:
    chains = list(truth)
    if fuse:
        longer = [chain for chain, size in Counter(truth).items() if size > 1]
        first, second = source.sample(longer, 2)
        chains = [first if chain == second else chain for chain in chains]
    coded = list(chains)
    for index in range(len(chains)):
        if source.random() < noise:
            joins = source.random() < JOINING
            coded[index] = chains[source.randrange(len(chains))] if joins else -1 - len(chains) - index
    return coded


def as_data(codings: Sequence[Chains]) -> ReliabilityData:
    """Return codings as reliability data of one document."""
    numbers = np.stack([factorize(np.array(coding))[0] for coding in codings], axis=1)
    return ReliabilityData.from_chain_ids(numbers, np.zeros(len(numbers), dtype=np.int64))


def clusters(chains: Chains) -> list[set[int]]:
    """Return the markables of each chain."""
    members: dict[int, set[int]] = {}
    for markable, chain in enumerate(chains):
        members.setdefault(chain, set()).add(markable)
    return list(members.values())


def entities_of(draft: Consensus) -> list[frozenset[int]]:
    """Return the clusters of a draft whose units are numbers."""
    return list(dict.fromkeys(cast(frozenset[int], value) for value in draft.values.values()))


def count_moves(truth: Chains, clusters_: Sequence[Set[int]]) -> float:
    """Return the share of markables to move to turn the clusters into the true ones."""
    return 1 - ceaf_m(clusters(truth), clusters_).recall


@dataclass(frozen=True)
class Parts:
    """The parts of a row by true chain: the numbers in the right entity of the draft, and elsewhere."""

    in_place: int
    elsewhere: int


type Row = tuple[int, ...]


def find_parts(truth: Chains, contested: Sequence[Card], draft: Consensus) -> dict[Row, Parts]:
    """Return the parts of each row on a card; an entity on no card is one row."""
    entities = entities_of(draft)
    rows = dict.fromkeys(cast(Row, row.units) for card in contested for row in card.rows)
    shown = {unit for units in rows for unit in units}
    rows |= dict.fromkeys(tuple(sorted(entity)) for entity in entities if shown.isdisjoint(entity))
    entity_of = {unit: number for number, entity in enumerate(entities) for unit in entity}
    chains = {chain: number for number, chain in enumerate(dict.fromkeys(truth))}
    chains_of_row = {units: {chains[truth[unit]] for unit in units} for units in rows}
    parts = np.zeros((len(entities), len(chains)), dtype=np.int64)
    for units, separate in chains_of_row.items():
        for chain in separate:
            parts[entity_of[units[0]], chain] += 1
    # match draft entities with true chains so that most parts are right
    right = dict(zip(*(numbers.tolist() for numbers in linear_sum_assignment(parts, maximize=True)), strict=True))
    in_place = {units: int(right.get(entity_of[units[0]]) in separate) for units, separate in chains_of_row.items()}
    return {units: Parts(in_place[units], len(separate) - in_place[units]) for units, separate in chains_of_row.items()}


def count_decisions(truth: Chains, data: ReliabilityData, draft: Consensus) -> int:
    """Return the number of keys that turn the draft into the truth.

    Enter accepts all open rows of a card; each row to be moved takes one more key, even if uncontested. A row on
    several cards is open only on the first; a card without a right open row needs no Enter.
    """
    contested = cards(data, draft)
    parts = find_parts(truth, contested, draft)
    decided: set[Row] = set()
    accepted = 0
    for card in contested:
        rows = {cast(Row, row.units) for row in (*card.rows, *card.elsewhere) if row.contested} - decided
        accepted += any(parts[units].in_place for units in rows)
        decided |= rows
    return accepted + sum(row.elsewhere for row in parts.values())


def measure(runs: int) -> dict[str, float]:
    """Return the figures with goals; for comparison, the moves of single coders and of unanimous drafts."""
    figures: dict[str, float] = {}
    for noise in NOISES:
        drafts, single, agreed, decisions = [], [], [], []
        for seed in range(runs):
            truth, codings = simulate(MARKABLES, CODERS, noise / 100, seed)
            data = as_data(codings)
            draft = consensus(data)
            drafts.append(count_moves(truth, entities_of(draft)))
            agreed.append(count_moves(truth, entities_of(consensus(data, "agreed"))))
            single += [count_moves(truth, clusters(coding)) for coding in codings]
            decisions.append(count_decisions(truth, data, draft) / MARKABLES)
        figures[f"moves_per_markable_{noise}"] = round(statistics.mean(drafts), 4)
        figures[f"moves_per_markable_of_a_coder_{noise}"] = round(statistics.mean(single), 4)
        figures[f"moves_per_markable_agreed_{noise}"] = round(statistics.mean(agreed), 4)
        figures[f"decisions_share_{noise}"] = round(statistics.mean(decisions), 4)
        long = simulate(*LONG, noise / 100, 0)[1]
        times = [seconds_of(partial(consensus, as_data(long)), time.process_time) for _ in range(REPEATS)]  # new data
        figures[f"draft_seconds_5000_{noise}"] = round(min(times), 3)
    figures["draft_seconds_5000"] = max(figures[f"draft_seconds_5000_{noise}"] for noise in NOISES)
    return figures


def report(figures: dict[str, float]) -> Iterator[str]:
    """Yield the lines of the table."""
    yield from (conditions(), "")
    rows = [
        (
            f"{noise} %",
            *(f"{figures[f'moves_per_markable{which}_{noise}']:.3f}" for which in ("", "_of_a_coder", "_agreed")),
            f"{100 * figures[f'decisions_share_{noise}']:.1f} %",
            f"{figures[f'draft_seconds_5000_{noise}']:.2f}",
        )
        for noise in NOISES
    ]
    header = ("noise", "moves: what most say", "one coder", "what all say", "decisions", "seconds")
    yield from table(header, rows, texts=0)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = make_parser("adjudication", __doc__)
    parser.add_argument("--runs", type=int, default=RUNS, help="how many texts are simulated for each noise")
    options = parser.parse_args(arguments)
    figures = measure(options.runs)
    publish(options, figures, report(figures))


if __name__ == "__main__":
    main()
