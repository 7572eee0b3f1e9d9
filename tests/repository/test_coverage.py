"""The simulations of intervals: coverage, reproducibility and documentation."""

import pytest

from benchmarks import coverage
from benchmarks.environment.command import marks_of
from tests.conftest import ROOT

MARKS = marks_of("coverage")


def simulate(what, size, runs):
    [row] = [coverage.measure(*setting, runs) for setting in coverage.settings() if setting[:2] == (what, size)]
    return row


@pytest.mark.slow
@pytest.mark.parametrize(
    ("what", "size"),
    [
        ("categories, many errors", "5 texts"),
        ("categories, few errors", "10 texts"),
        ("chains, MASI", "10 texts"),
        ("categories, in two rounds", "10 texts"),
        ("one text, masi, 10% errors", "50 markables"),
        ("B-cubed F1 of two coders", "10 texts"),
        ("difference, same texts, MASI", "10 texts"),
        ("difference, other texts, nominal", "5 and 5 texts"),
        ("correlation of scores, pearson", "16 peers"),
    ],
)
def test_simulated_intervals_reach_coverage(what, size):
    """Simulate 100 corpora with a fixed seed."""
    row = simulate(what, size, 100)
    assert row.coverage >= 0.86
    assert row.median_width < 1


def test_simulation_is_reproducible():
    assert simulate("chains, MASI", "3 texts", 3) == simulate("chains, MASI", "3 texts", 3)


def test_documented_coverage_is_complete_and_meets_goal():
    page = (ROOT / "docs" / "measures.md").read_text(encoding="utf-8")
    table = page.partition(MARKS[0])[2].partition(MARKS[1])[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if "0." in line]
    assert [tuple(row[:2]) for row in rows] == [setting[:2] for setting in coverage.settings()]
    for what, size, _, found, *_ in rows:
        documents = 0 if what.startswith("one text") else int(size.split()[0])
        least, most = (0.90, 0.99) if documents >= 10 else (0.86, 1)
        assert least <= float(found) <= most, (what, size)
