"""The simulations behind the intervals run, come back, and find intervals that cover."""

import pytest

from benchmarks import coverage
from benchmarks.environment.command import marks_of
from tests.conftest import ROOT

MARKS = marks_of("coverage")


def measured(what, size, runs):
    [row] = [coverage.measure(*one, runs) for one in coverage.settings() if one[:2] == (what, size)]
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
def test_intervals_cover(what, size):
    """Of 100 corpora; with the seed fixed this is the same at each run."""
    row = measured(what, size, 100)
    assert row.coverage >= 0.86
    assert row.median_width < 1


def test_a_simulation_comes_back():
    assert measured("chains, MASI", "3 texts", 3) == measured("chains, MASI", "3 texts", 3)


def test_the_documents_show_every_simulation_and_its_goal_is_met():
    page = (ROOT / "docs" / "measures.md").read_text(encoding="utf-8")
    table = page.partition(MARKS[0])[2].partition(MARKS[1])[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if "0." in line]
    assert [tuple(row[:2]) for row in rows] == [setting[:2] for setting in coverage.settings()]
    for what, size, _, found, *_ in rows:
        documents = 0 if what.startswith("one text") else int(size.split()[0])
        least, most = (0.90, 0.99) if documents >= 10 else (0.86, 1)
        assert least <= float(found) <= most, (what, size)
