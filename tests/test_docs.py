"""The documents say what the code does."""

import doctest
import re
from pathlib import Path

import pytest

from agreement import measures
from agreement.measures import conformance
from agreement.measures.options import DISTANCES

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def test_the_example_runs_as_it_is_printed(monkeypatch):
    monkeypatch.chdir(ROOT)
    found = doctest.testfile(str(DOCS / "from-csv-to-paragraph.md"), module_relative=False)
    assert found.attempted > 10
    assert found.failed == 0


def test_the_table_of_published_figures_is_what_the_code_computes():
    begin, end = conformance.MARKS
    written = (DOCS / "measures.md").read_text().partition(begin)[2].partition(end)[0].strip()
    assert written == conformance.table(), "run python -m agreement.measures.conformance --write docs/measures.md"


def test_the_published_figures_that_do_not_follow_are_those_that_are_known():
    differ = [(row.source, row.published, row.computed) for row in conformance.rows() if row.reproduces is False]
    assert differ == [
        ("Passonneau 2004, Table 2, nominal, unit removed", ".45", "0.523810"),
        ("Passonneau 2004, Table 2, distance, unit not removed", ".74", "0.762376"),
        ("Passonneau 2006, Figure 3, masi", "6/27", "7/27"),
        ("the same, Table 1, spans, nominal", ".0", "-0.4444"),
        ("Warrens 2012, example 2a, multi-kappa", ".645", "0.675325"),
    ]


@pytest.mark.parametrize(
    ("published", "computed", "same"),
    [
        (".45", "0.449541", True),
        (".45", "0.523810", False),
        (".5174", "0.517375", True),
        ("-.44", "-0.4444", True),
        ("-.44", "-0.4512", False),
        ("2/3", "2/3", True),
        ("6/27", "7/27", False),
        (".64", "", None),
    ],
)
def test_a_computed_figure_is_the_published_one_if_it_rounds_to_it(published, computed, same):
    assert conformance.Row("paper", published, computed, "").reproduces is same


def test_the_table_is_written_between_its_marks(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("before\n" + "\nold\n".join(conformance.MARKS) + "\nafter\n")
    conformance.main(["--write", str(page)])
    assert page.read_text() == f"before\n{conformance.MARKS[0]}\n{conformance.table()}\n{conformance.MARKS[1]}\nafter\n"
    page.write_text("no marks")
    with pytest.raises(SystemExit, match=r"the marks .* are not in it"):
        conformance.main(["--write", str(page)])


def test_the_measures_are_all_described():
    text = (DOCS / "measures.md").read_text()
    functions = {name for name in measures.__all__ if callable(getattr(measures, name)) and name.islower()}
    functions -= {"combine", "document_sums", "from_counts", "distance"}  # for programs that keep sums of their own
    assert functions == {name for name in functions if f"`{name}`" in text or f"`{name}(" in text}
    assert set(DISTANCES) == {name for name in DISTANCES if f"`{name}`" in text}


@pytest.mark.parametrize("name", sorted(path.name for path in DOCS.glob("*.md")))
def test_links_between_pages_lead_somewhere(name):
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", (DOCS / name).read_text()):
        assert (DOCS / target).exists(), target
