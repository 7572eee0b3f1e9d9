"""Measure how often the alternative annotator test rejects, by simulation: docs/benchmarks-models.md."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np

from agreement.measures import ReliabilityData, alt_test
from benchmarks.environment.command import conditions, make_parser, publish, table

RUNS, LEVEL = 2000, 0.05
SIZES = (10, 30)
HUMANS, UNITS, CATEGORIES = 3, 20, 4
ADVANTAGE = 0.1
# Ranges of the accuracy by text, for categories and for chains, and the deviation of a coder within a text.
DIFFICULTY, DIFFICULTY_OF_CHAINS, OWN = (0.5, 0.7), (0.7, 0.9), 0.1
# The entities of a text of chains, and the share of wrong answers that belong to none of them.
ENTITIES, ALONE = 5, 0.3
# The grid of accuracy differences for calibrating the score of chains to +-.1, and the size of its simulations.
RATES, CALIBRATION_TEXTS = (-0.3, -0.2, -0.1, 0.0, 0.1, 0.2), 10_000

type Random = np.random.Generator
type Simulate = Callable[[Random, int, float], ReliabilityData]


def simulate_categories(random: Random, texts: int, advantage: float) -> ReliabilityData:
    """Return categories in which the candidate's expected score exceeds each human's by exactly the advantage.

    Two coders with accuracies a and b agree with probability ab + (1 - a)(1 - b)/(k - 1), so that a change of
    a by c changes the score by c(b - (1 - b)/(k - 1)).
    """
    difficulty = random.uniform(*DIFFICULTY, texts)
    accuracy = difficulty[:, None] + random.uniform(-OWN, OWN, (texts, HUMANS + 1))
    accuracy[:, 0] += advantage / (difficulty - (1 - difficulty) / (CATEGORIES - 1))
    shape = (texts, UNITS, HUMANS + 1)
    right = random.random(shape) < accuracy[:, None, :]
    wrong = random.integers(1, CATEGORIES, shape)
    labels = np.where(right, 0, wrong)  # the true category is always 0, as distances ignore its identity
    rows, text = labels.reshape(-1, HUMANS + 1).tolist(), np.repeat(np.arange(texts), UNITS).tolist()
    return ReliabilityData.from_values(range(texts * UNITS), range(HUMANS + 1), rows, text)


def simulate_chains(random: Random, texts: int, better: float) -> ReliabilityData:
    """Return chains in which the candidate's accuracy exceeds that of each human by `better`, which may be negative."""
    difficulty = random.uniform(*DIFFICULTY_OF_CHAINS, texts)
    accuracy = difficulty[:, None] + random.uniform(-OWN, OWN, (texts, HUMANS + 1))
    accuracy[:, 0] += better
    shape = (texts, UNITS, HUMANS + 1)
    entity = np.broadcast_to(random.integers(0, ENTITIES, shape[:2])[:, :, None], shape)
    right = random.random(shape) < accuracy[:, None, :]
    wrong = (entity + random.integers(1, ENTITIES, shape)) % ENTITIES
    single = ENTITIES + np.broadcast_to(np.arange(UNITS)[None, :, None], shape)
    answers = np.where(right, entity, np.where(random.random(shape) < ALONE, single, wrong))
    return ReliabilityData.from_chain_ids(answers.reshape(-1, HUMANS + 1), np.repeat(np.arange(texts), UNITS))


@cache
def mean_difference(better: float) -> float:
    """Return the candidate's score minus the mean score of the humans, in a large simulation of chains."""
    data = simulate_chains(np.random.default_rng(1), CALIBRATION_TEXTS, better)
    rows = alt_test(data, 0, distance="masi", resamples=1).rows
    return float(np.mean([row.difference for row in rows if row.difference is not None]))


class Setting(NamedTuple):
    """A simulation: the candidate's advantage in `simulate`, and epsilon of the test."""

    name: str
    simulate: Simulate
    distance: str
    advantage: float
    epsilon: float


def settings() -> list[Setting]:
    """Return the settings of the rows of the table."""
    # the accuracy differences at which the candidate's score is worse or better by the advantage
    differences = [mean_difference(rate) for rate in RATES]
    worse, better = np.interp((-ADVANTAGE, ADVANTAGE), differences, RATES).tolist()
    # the true difference at the interpolated rate, so that the null hypothesis holds exactly
    bound = -mean_difference(worse)
    labels, chains = (simulate_categories, "nominal"), (simulate_chains, "masi")
    return [
        Setting("null_labels", *labels, 0.0, 0.0),
        Setting("worse_labels", *labels, -ADVANTAGE, ADVANTAGE),
        Setting("power_labels", *labels, ADVANTAGE, 0.0),
        Setting("power_equal_labels", *labels, 0.0, ADVANTAGE),
        Setting("null_chains", *chains, 0.0, 0.0),
        Setting("worse_chains", *chains, worse, bound),
        Setting("power_chains", *chains, better, 0.0),
        Setting("power_equal_chains", *chains, 0.0, ADVANTAGE),
    ]


def measure(setting: Setting, texts: int, runs: int) -> dict[str, float]:
    """Return the shares of significant p-values, here and in the published test, and of wins over any human."""
    random = np.random.default_rng([texts, *setting.name.encode()])
    own, published, any_won = [], [], []
    for _ in range(runs):
        data = setting.simulate(random, texts, setting.advantage)
        test = alt_test(data, 0, distance=setting.distance, epsilon=setting.epsilon, resamples=1999)
        own += [row.p_value is not None and row.p_value <= LEVEL for row in test.rows]
        published += [row.published_p_value is not None and row.published_p_value <= LEVEL for row in test.rows]
        any_won.append(any(row.won for row in test.rows))
    name = f"{setting.name}_{texts}"
    return {
        name: round(float(np.mean(own)), 4),
        f"published_{name.replace('null', 'equal')}": round(float(np.mean(published)), 4),
        f"any_human_{name.replace('null', 'equal')}": round(float(np.mean(any_won)), 4),
    }


WHAT = {
    "null": "as good as a human, epsilon 0",
    "worse": "worse by epsilon = .1",
    "power": "better by .1, epsilon 0",
    "power_equal": "as good as a human, epsilon .1",
}


def report(figures: dict[str, float], runs: int) -> Iterator[str]:
    """Yield the lines of the table."""
    yield from (f"{runs:,} simulated corpora a row. {conditions()}", "")
    rows = []
    for kind, case, texts in product(("labels", "chains"), WHAT, SIZES):
        name = f"{case}_{kind}_{texts}"
        suffix = name.replace("null", "equal")
        shares = [f"{figures[key]:.3f}" for key in (name, f"published_{suffix}", f"any_human_{suffix}")]
        rows.append(("categories" if kind == "labels" else "chains, MASI", WHAT[case], texts, *shares))
    yield from table(("values", "the candidate", "texts", "over texts", "published", "any human"), rows, texts=2)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = make_parser("alt_test", __doc__)
    parser.add_argument("--runs", type=int, default=RUNS, help="corpora a row (default: %(default)s)")
    options = parser.parse_args(arguments)
    figures: dict[str, float] = {}
    for setting, texts in product(settings(), SIZES):
        figures |= measure(setting, texts, options.runs)
    publish(options, figures, report(figures, options.runs))


if __name__ == "__main__":
    main()
