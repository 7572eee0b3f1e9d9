"""Measure how well ambiguous units are told from slips, by simulation: docs/benchmarks-models.md."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from agreement.measures import ReliabilityData, ambiguity
from agreement.measures.models.reading_groups import split_into_camps
from agreement.measures.values import Bools, Floats, Ints
from benchmarks.environment.command import conditions, make_parser, publish, table

RUNS, CODERS = 100, (3, 6, 18)
AMBIGUOUS, SHARE, SKILL = 0.1, (0.3, 0.7), (0.6, 0.95)
WIDE_SHARE, CONFUSED = (0.15, 0.85), 0.7
UNITS, CATEGORIES = 300, 4
TEXTS, MENTIONS, ENTITIES, ALONE, SINGLE = 4, 60, 15, 0.35, 0.3

type Random = np.random.Generator
type Simulate = Callable[[Random, int], tuple[ReliabilityData, Bools]]


def choose_readings(
    random: Random, readings: Ints, skill: Floats, share: tuple[float, float] = SHARE
) -> tuple[Ints, Bools, Bools]:
    """Return the reading each coder takes, the slips, and the ambiguous units; `readings` is (2, units)."""
    units, coders = readings.shape[1], len(skill)
    ambiguous = random.random((units,)) < AMBIGUOUS
    second = random.random((units, coders)) < random.uniform(*share, (units,))[:, None]
    taken = np.where(ambiguous[:, None] & second, readings[1][:, None], readings[0][:, None])
    return taken, random.random((units, coders)) >= skill, ambiguous


def simulate_categories(
    random: Random, coders: int, share: tuple[float, float] = SHARE, confused: float = 0.0
) -> tuple[ReliabilityData, Bools]:
    """Return categories and the ambiguous units; the share `confused` of slips is the next category."""
    first = random.choice(CATEGORIES, UNITS, p=random.dirichlet(np.full(CATEGORIES, 3.0)))
    readings = np.stack([first, (first + random.integers(1, CATEGORIES, UNITS)) % CATEGORIES])
    taken, slips, ambiguous = choose_readings(random, readings, random.uniform(*SKILL, coders), share)
    near = random.random(taken.shape) < confused
    wrong = (taken + np.where(near, 1, random.integers(1, CATEGORIES, taken.shape))) % CATEGORIES
    rows = np.where(slips, wrong, taken).tolist()
    return ReliabilityData.from_values(range(UNITS), range(coders), rows, [None] * UNITS), ambiguous


def simulate_chains(random: Random, coders: int) -> tuple[ReliabilityData, Bools]:
    """Return chains and the ambiguous mentions."""
    n = TEXTS * MENTIONS
    first = np.where(random.random(n) < ALONE, ENTITIES + np.arange(n), draw_entities(random, (n,)))
    skill = random.uniform(*SKILL, coders)
    readings = np.stack([first, draw_others(random, first[:, None])[:, 0]])
    taken, slips, ambiguous = choose_readings(random, readings, skill)
    chains = np.where(slips, draw_others(random, taken), taken)
    return ReliabilityData.from_chain_ids(chains, np.repeat(np.arange(TEXTS), MENTIONS)), ambiguous


def draw_entities(random: Random, shape: tuple[int, ...]) -> Ints:
    """Return entities drawn by Zipf's law."""
    weights = 1 / np.arange(1, ENTITIES + 1)
    return random.choice(ENTITIES, shape, p=weights / weights.sum())


def draw_others(random: Random, chains: Ints) -> Ints:
    """Return different chains (mentions, coders): the mention alone, or another entity."""
    alone = ENTITIES + np.arange(len(chains))[:, None]
    drawn = draw_entities(random, chains.shape)
    while (equal := drawn == chains).any():
        drawn = np.where(equal, draw_entities(random, chains.shape), drawn)
    return np.where((random.random(chains.shape) < SINGLE) & (chains != alone), alone, drawn)


def area_under_curve(ambiguous: Bools, scores: Floats) -> float:
    """Return the probability that an ambiguous unit scores higher than another one; ties count half."""
    from scipy.stats import rankdata

    n = int(ambiguous.sum())
    ranks = rankdata(scores)[ambiguous].sum()
    return float((ranks - n * (n + 1) / 2) / (n * (len(ambiguous) - n)))


def score(data: ReliabilityData) -> dict[str, Floats]:
    """Return the scores of the units by method: the rules of camps and of second readings, and the model."""
    result = ambiguity(data)
    units = sorted(result.units, key=lambda unit: int(str(unit.unit)))  # in the order of the data, by number
    return {
        "camps": split_into_camps(data.codes).astype(np.float64),
        "camps_of_readings": np.array([unit.camps for unit in units], dtype=np.float64),
        "second_reading": np.array([len(unit.groups[1]) if len(unit.groups) > 1 else 0 for unit in units], np.float64),
        "model": np.array([unit.posterior for unit in units]),
    }


KINDS: dict[str, tuple[str, Simulate]] = {
    "labels": ("categories", simulate_categories),
    "confused": ("categories, confused", partial(simulate_categories, share=WIDE_SHARE, confused=CONFUSED)),
    "chains": ("chains", simulate_chains),
}


def measure(runs: int) -> dict[str, float | str]:
    """Return the areas under the curve, the better of model and camps, and the precision and recall of the model."""
    figures: dict[str, float | str] = {}
    for kind, (_, simulate) in KINDS.items():
        for coders in CODERS:
            random = np.random.default_rng([coders, *kind.encode()])
            areas: dict[str, list[float]] = {}
            flags = np.zeros(3)
            while len(areas.get("model", [])) < runs:
                data, ambiguous = simulate(random, coders)
                if not 0 < ambiguous.sum() < len(ambiguous):
                    continue
                scores = score(data)
                for way, of_units in scores.items():
                    areas.setdefault(way, []).append(area_under_curve(ambiguous, of_units))
                flagged = scores["model"] >= 0.5
                flags += [(flagged & ambiguous).sum(), flagged.sum(), ambiguous.sum()]
            means = {way: round(float(np.mean(of_way)), 4) for way, of_way in areas.items()}
            figures |= {f"auc_{way}_{kind}_{coders}": area for way, area in means.items()}
            figures[f"better_{kind}_{coders}"] = "model" if means["model"] > means["camps"] else "camps"
            figures[f"precision_{kind}_{coders}"] = round(float(flags[0] / max(flags[1], 1)), 4)
            figures[f"recall_{kind}_{coders}"] = round(float(flags[0] / flags[2]), 4)
    return figures


def report(figures: dict[str, float | str], runs: int) -> Iterator[str]:
    """Yield the lines of the table."""
    yield from (f"Means of {runs} simulations a row. {conditions()}", "")
    ways = ("auc_camps", "auc_camps_of_readings", "auc_second_reading", "auc_model", "precision", "recall")
    rows = [
        (name, coders, *(f"{figures[f'{way}_{kind}_{coders}']:.3f}" for way in ways))
        for kind, (name, _) in KINDS.items()
        for coders in CODERS
    ]
    header = ("camps", "camps of readings", "second reading", "model", "flagged rightly", "found")
    yield from table(("values", "coders", *header), rows)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = make_parser("ambiguity", __doc__)
    parser.add_argument("--runs", type=int, default=RUNS, help="simulations a row (default: %(default)s)")
    options = parser.parse_args(arguments)
    figures = measure(options.runs)
    publish(options, figures, report(figures, options.runs))


if __name__ == "__main__":
    main()
