"""What other packages compute: python peers.py PEER [UNITS], for an interpreter that has the package.

It prints the figures of the data below as JSON, by the names that the library has for them; with a number of units the
processor time of nominal alpha of so many units with three coders instead. It knows nothing of the library.
"""

import json
import random
import sys
import time
from collections.abc import Callable, Hashable
from importlib import import_module

type Rows = list[list[Hashable]]
type Alpha = Callable[[Rows], float]

# Units in rows, coders in columns: ten of numbers without a gap, the same with gaps, two coders of sets.
NUMBERS: Rows = [list(map(int, row)) for row in ["111", "223", "333", "332", "222", "123", "444", "112", "222", "434"]]
GAPS: Rows = [
    [None if (unit + coder) % 5 == 4 else value for coder, value in enumerate(row)] for unit, row in enumerate(NUMBERS)
]
TWO: Rows = [row[:2] for row in NUMBERS]
SETS: Rows = [
    [frozenset(members) for members in pair.split()]
    for pair in ("ab ab", "ab abc", "c c", "cd de", "e a", "abc abc", "d cd")
]


def nltk() -> tuple[dict[str, float], Alpha]:
    """Return the figures of NLTK, and its nominal alpha."""
    task = import_module("nltk.metrics.agreement").AnnotationTask
    distances = import_module("nltk.metrics.distance")

    def given(rows: Rows, **options: object) -> object:
        triples = [
            (f"coder {c}", f"unit {u}", value)
            for u, row in enumerate(rows)
            for c, value in enumerate(row)
            if value is not None
        ]
        return task(triples, **options)

    three, two = given(NUMBERS), given(TWO)
    figures = {
        "observed_agreement": two.avg_Ao(),
        "bennett_s": two.S(),
        "scott_pi": two.pi(),
        "cohen_kappa": two.kappa(),
        "multi_kappa": three.multi_kappa(),
        "alpha, nominal": three.alpha(),
        "alpha, gaps, nominal": given(GAPS).alpha(),
        "alpha, interval": given(NUMBERS, distance=distances.interval_distance).alpha(),
        "alpha, jaccard": given(SETS, distance=distances.jaccard_distance).alpha(),
        "alpha, masi": given(SETS, distance=distances.masi_distance).alpha(),
    }
    return figures, lambda rows: given(rows).alpha()


def krippendorff() -> tuple[dict[str, float], Alpha]:
    """Return the figures of krippendorff, and its nominal alpha."""
    numpy = import_module("numpy")
    alpha = import_module("krippendorff").alpha

    def of(rows: Rows, level: str) -> float:
        table = numpy.array([[numpy.nan if value is None else value for value in row] for row in rows], dtype=float)
        return float(alpha(reliability_data=table.T, level_of_measurement=level))

    levels = ("nominal", "ordinal", "interval", "ratio")
    figures = {f"alpha, {level}": of(NUMBERS, level) for level in levels}
    figures |= {f"alpha, gaps, {level}": of(GAPS, level) for level in levels}
    return figures, lambda rows: of(rows, "nominal")


def simpledorff() -> tuple[dict[str, float], Alpha]:
    """Return the figures of simpledorff, and its nominal alpha."""
    frame = import_module("pandas").DataFrame
    compute = import_module("simpledorff").calculate_krippendorffs_alpha_for_df

    def of(rows: Rows, **options: object) -> float:
        records = [(u, c, value) for u, row in enumerate(rows) for c, value in enumerate(row) if value is not None]
        table = frame(records, columns=["unit", "coder", "label"])
        return float(compute(table, experiment_col="unit", annotator_col="coder", class_col="label", **options))

    figures = {
        "alpha, nominal": of(NUMBERS),
        "alpha, gaps, nominal": of(GAPS),
        "alpha, jaccard": of(SETS, metric_fn=lambda a, b: 1 - len(a & b) / len(a | b)),
    }
    return figures, of


def irrcac() -> tuple[dict[str, float], Alpha]:
    """Return the figures of irrCAC, and its nominal alpha."""
    frame = import_module("pandas").DataFrame
    cac = import_module("irrCAC.raw").CAC

    def given(rows: Rows, weights: str = "identity") -> object:
        return cac(frame(rows, columns=[f"coder {c}" for c in range(len(rows[0]))]), weights=weights, digits=12)

    def value(found: dict[str, dict[str, float]]) -> float:
        return float(found["est"]["coefficient_value"])

    three, two = given(NUMBERS), given(TWO)
    figures = {
        "bennett_s": value(two.bp()),
        "cohen_kappa": value(two.conger()),
        "multi_kappa": value(three.conger()),
        "fleiss_kappa": value(three.fleiss()),
        "gwet_ac1": value(three.gwet()),
        "alpha, nominal": value(three.krippendorff()),
        "alpha, gaps, nominal": value(given(GAPS).krippendorff()),
        "alpha, interval": value(given(NUMBERS, "quadratic").krippendorff()),
    }
    return figures, lambda rows: value(given(rows).krippendorff())


PEERS = {"irrCAC": irrcac, "krippendorff": krippendorff, "nltk": nltk, "simpledorff": simpledorff}


def rows_of(units: int) -> Rows:
    """Return so many units with three coders, of whom each gives another of five categories once in five times."""
    chance = random.Random(1)
    truth = [chance.randrange(5) for _ in range(units)]
    return [[chance.randrange(5) if chance.random() < 0.2 else category for _ in range(3)] for category in truth]


def main(peer: str, units: int = 0) -> None:
    """Print the figures, or the time."""
    figures, alpha = PEERS[peer]()
    if units:
        rows = rows_of(units)
        begun = time.process_time()
        figures = {"alpha": alpha(rows), "seconds": time.process_time() - begun}
    print(json.dumps(figures))  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
