"""Measure the coverage of intervals, with a fixed seed; --write updates the table of docs/measures.md."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.random import Generator

from agreement import measures
from benchmarks.environment.command import make_parser, publish, table

CODERS, UNITS, CATEGORIES = 3, 30, 4
RUNS = 200
LEVEL = 0.95
# The share of wrong answers in a text is this factor times 1 - x, with x drawn from Beta(6, 2).
NOMINAL = {"many errors": 1.0, "some errors": 0.186, "few errors": 0.0606, "hardly any errors": 0.0201}
DOCUMENTS = (3, 5, 10, 30, 100)
MARKABLES = (50, 150)
ERRORS = (0.03, 0.10, 0.25)
PEERS = (6, 16)
TEXTS = (5, 10, 30)
TEXTS_IN_ROUNDS = (5, 10, 20)
# for normal scores (Pearson 1907; Greiner 1909)
CORRELATION = 0.85
TRUE_CORRELATIONS = {
    "pearson": CORRELATION,
    "spearman": 6 / np.pi * np.arcsin(CORRELATION / 2),
    "kendall": 2 / np.pi * np.arcsin(CORRELATION),
}

type Found = tuple[float | None, float | None, float | None]  # value, low, high


class Row(NamedTuple):
    """A kind of corpus: the value to cover, the share of intervals that do, and their median width."""

    what: str
    size: str
    value: float
    coverage: float | None
    median_width: float | None
    without: float  # the share of corpora without an interval, which do not count
    runs: int


def labels(random: Generator, documents: int, hard: float, rounds: int = 1) -> measures.ReliabilityData:
    """Return categories: each text has base rates and a difficulty; a coder errs by drawing from the base rates."""
    rates = random.dirichlet(np.full(CATEGORIES, 2.0), documents)
    wrong = hard * (1 - random.beta(6, 2, documents))
    document = np.repeat(np.arange(documents), UNITS)
    bounds = rates.cumsum(axis=1)[document]

    def draw() -> np.ndarray:
        drawn = (random.random(len(document))[:, None] > bounds).sum(axis=1)
        return np.minimum(drawn, CATEGORIES - 1)

    truth = draw()
    rows, names = [], []
    for round_ in range(rounds):
        table = [np.where(random.random(len(truth)) < wrong[document], draw(), truth) for _ in range(CODERS)]
        rows += np.stack(table, axis=1).tolist()
        names += [(text, round_) for text in document.tolist()]
    return measures.ReliabilityData.from_values(range(len(rows)), range(CODERS), rows, names)


def chains(random: Generator, wrong: np.ndarray, markables: int) -> measures.ReliabilityData:
    """Return chains: coders copy the true antecedents of each text, except a share that they draw at random."""
    ids = []
    for share in wrong:
        antecedents = draw_antecedents(random, markables)
        copies = [
            np.where(random.random(markables) < share, draw_antecedents(random, markables), antecedents)
            for _ in range(CODERS)
        ]
        ids.append(np.stack([follow(copy) for copy in copies], axis=1))
    document = np.repeat(np.arange(len(wrong)), markables)
    return measures.ReliabilityData.from_chain_ids(np.concatenate(ids), document)


def draw_antecedents(random: Generator, markables: int) -> np.ndarray:
    """Return for each markable an antecedent shortly before it, or itself if it begins a chain (half of them)."""
    positions = np.arange(markables)
    earlier = np.maximum(positions - random.geometric(0.2, markables), 0)
    return np.where(random.random(markables) < 1 / 2, positions, earlier)


def follow(antecedents: np.ndarray) -> np.ndarray:
    """Return the chain of each markable, as the number of its first member."""
    first = antecedents.copy()
    for position, antecedent in enumerate(antecedents.tolist()):
        first[position] = first[antecedent]
    return first


def hard_texts(random: Generator, documents: int) -> measures.ReliabilityData:
    """Return chains in texts of different difficulty."""
    return chains(random, 1 - random.beta(6, 2, documents), UNITS)


def of_alpha(simulate: Callable[[Generator], measures.ReliabilityData], random: Generator, **options: Any) -> Found:
    """Return alpha of a new corpus and its interval."""
    result = measures.interval(simulate(random), measures.alpha, level=LEVEL, **options)
    return result.value, result.low, result.high


def of_difference(random: Generator, documents: int, paired: bool) -> Found:
    """Return the difference of alpha in two rounds and its interval; the second has half the errors."""
    first = labels(random, documents, 1.0)
    if paired:
        shares = 1 - random.beta(6, 2, documents)
        state = random.bit_generator.state
        first = chains(random, shares, UNITS)
        random.bit_generator.state = state
        second = chains(random, shares / 2, UNITS)
    else:
        table = labels(random, documents, 0.5)
        second = measures.ReliabilityData(
            table.units, table.coders, [("second", d) for d in table.documents], table.document_of_unit, table.content
        )
    result = measures.difference(first, second, measures.alpha, *(["masi"] if paired else []), level=LEVEL)
    return result.value, result.low, result.high


def of_score(random: Generator, documents: int) -> Found:
    """Return the B-cubed F1 of two coders and its interval over texts."""
    data = hard_texts(random, documents)
    f1 = measures.score_interval(data.clusters(0), data.clusters(1), measures.b_cubed, level=LEVEL).f1
    return f1.value, f1.low, f1.high


def of_share(random: Generator, documents: int) -> Found:
    """Return the share of units on which two coders agree, and its interval over texts."""
    data = labels(random, documents, 0.5)
    equal = data.codes[:, 0] == data.codes[:, 1]
    n_equal, total = (np.bincount(data.document_of_unit, flag, documents) for flag in (equal, np.ones(len(equal))))
    share = measures.share_interval(n_equal.tolist(), total.tolist(), level=LEVEL)
    return share.value, share.low, share.high


def of_correlation(random: Generator, peers: int, name: str) -> Found:
    """Return the correlation of two normal scores of peers, and its interval."""
    x, noise = random.normal(size=(2, peers))
    scores = x, CORRELATION * x + np.sqrt(1 - CORRELATION**2) * noise
    result = getattr(measures.score_correlation_interval(*scores, level=LEVEL), name)
    assert result.value == getattr(measures.score_correlation(*scores), name)
    return result.value, result.low, result.high


def settings() -> Iterator[tuple[str, str, Callable[[Generator], Found]]]:
    """Yield the simulations: name, size, and a function that makes one corpus."""
    chains_options = {"distance": "masi", "exclude_unit": "both"}
    of_alphas: list[tuple[str, tuple[int, ...], Callable[..., measures.ReliabilityData], Mapping[str, Any]]] = [
        *((f"categories, {name}", DOCUMENTS, partial(labels, hard=hard), {}) for name, hard in NOMINAL.items()),
        ("chains, MASI", DOCUMENTS, hard_texts, chains_options),
        (
            "categories, in two rounds",
            TEXTS_IN_ROUNDS,
            partial(labels, hard=1.0, rounds=2),
            {"original": itemgetter(0)},
        ),
    ]
    for what, sizes, simulate, options in of_alphas:
        for n in sizes:
            yield what, f"{n} texts", partial(of_alpha, partial(simulate, documents=n), **options)
    for distance, errors in (("masi", ERRORS), ("passonneau", (0.10,)), ("nominal", (0.10,))):
        for markables in MARKABLES:
            for error in errors:
                simulate_alpha = partial(
                    of_alpha,
                    partial(chains, wrong=np.array([error]), markables=markables),
                    **(chains_options | {"distance": distance}),
                )
                yield f"one text, {distance}, {error:.0%} errors", f"{markables} markables", simulate_alpha
    of_texts: list[tuple[str, str, Callable[..., Found]]] = [
        ("B-cubed F1 of two coders", "{n} texts", of_score),
        ("share of equal answers", "{n} texts", of_share),
        ("difference, same texts, MASI", "{n} texts", partial(of_difference, paired=True)),
        ("difference, other texts, nominal", "{n} and {n} texts", partial(of_difference, paired=False)),
    ]
    for what, size, of_corpus in of_texts:
        for n in TEXTS:
            yield what, size.format(n=n), partial(of_corpus, documents=n)
    for n in PEERS:
        for name in TRUE_CORRELATIONS:
            yield f"correlation of scores, {name}", f"{n} peers", partial(of_correlation, peers=n, name=name)


def measure(what: str, size: str, simulate: Callable[[Generator], Found], runs: int) -> Row:
    """Return the coverage of the value, which is known or else the mean of other corpora."""
    random = np.random.default_rng(crc32(f"{what}, {size}".encode()))
    value = TRUE_CORRELATIONS.get(what.rpartition(" ")[2])
    if value is None:
        value = float(np.mean([value for value, _, _ in (simulate(random) for _ in range(runs)) if value is not None]))
    bounds = [(low, high) for _, low, high in (simulate(random) for _ in range(runs)) if low is not None]
    low, high = np.array(bounds, dtype=np.float64).reshape(-1, 2).T
    covered = float(np.mean((low <= value) & (value <= high))) if len(low) else None
    width = float(np.median(high - low)) if len(low) else None
    return Row(what, size, value, covered, width, 1 - len(low) / runs, runs)


def report(rows: list[Row]) -> Iterator[str]:
    """Yield the lines of the table."""
    yield from (f"{rows[0].runs:,} corpora a row; {LEVEL:.0%} intervals.", "")
    cells = [
        (
            row.what,
            row.size,
            f"{row.value:.3f}",
            *("–" if x is None else f"{x:.3f}" for x in (row.coverage, row.median_width)),
            f"{row.without:.1%}" if row.without else "",
        )
        for row in rows
    ]
    yield from table(("what", "size", "value", "coverage", "median width", "without an interval"), cells)


def main(arguments: list[str] | None = None) -> None:
    parser = make_parser("coverage", __doc__)
    parser.add_argument("--runs", type=int, default=RUNS, help=f"corpora a row (default: {RUNS})")
    parser.add_argument("--only", default="", help="rows whose name has this in it")
    options = parser.parse_args(arguments)
    rows = [measure(*setting, options.runs) for setting in settings() if options.only in setting[0]]
    publish(options, [row._asdict() for row in rows], report(rows))


if __name__ == "__main__":
    main()
