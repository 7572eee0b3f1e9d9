"""The benchmarks run; how fast they are is not for a test to say."""

import json

import numpy as np
import pytest

from agreement.measures import ReliabilityData, alpha, consensus
from annotations.formats import FORMATS, Bundle, plain
from benchmarks import adjudication, bounds, databases, formats, server
from benchmarks.corpora import write_corpus
from benchmarks.documents import as_sets, documents, prefixes
from benchmarks.measures import agree, main, work
from benchmarks.workbench import COLUMNS, SIZES, marked_text, report
from tests.shared.cases import only_in_full

OWN = ["arrays", "arrays_both", "one_distance", "python_sets", "overlapping", "csv_file"]


@pytest.mark.parametrize("task", OWN)
def test_a_task_is_timed_and_its_memory_measured(task):
    found = work(task, 600, 3, runs=1)
    assert found["seconds"] > 0
    assert found["peak_mb"] >= 0


def test_arrays_and_sets_are_the_same_documents():
    ids, document = documents(900, 3)
    from_sets = ReliabilityData.from_values(range(len(ids)), range(3), as_sets(ids, document), document.tolist())
    from_ids = ReliabilityData.from_chain_ids(ids, document)
    assert alpha(from_sets, "masi").value == pytest.approx(alpha(from_ids, "masi").value)
    assert from_ids.n_values == from_sets.n_values


def test_documents_are_as_they_are_described():
    ids, document = documents(20_000, 2)
    assert (ids == documents(20_000, 2)[0]).all()
    assert np.bincount(document).tolist() == [100] * 100
    chains = len({(d, i) for d, i in zip(document.tolist(), ids[:, 0].tolist(), strict=True)})
    assert 2.5 < len(ids) / chains < 3.5


def test_prefixes_of_chains_contain_each_other():
    rows, _ = prefixes(200, 2)
    assert all(unit in value for unit, row in enumerate(rows) for value in row)
    assert max(len(value) for row in rows for value in row) > 2


@pytest.mark.slow
def test_the_figures_with_a_goal_are_one_object(capsys):
    main(["--json", "--scale", "0.001"])
    found = json.loads(capsys.readouterr().out)
    assert {"alpha_1m_seconds", "alpha_1m_peak_mb", "csv_1m_seconds", "ratio_to_nltk_30k"} <= found.keys()
    assert found["alpha_1m_seconds"] > 0
    assert (found["ratio_to_nltk_30k"] is None) == bool(found["why"])


def test_the_text_of_the_coding_page_has_as_many_markables_and_words_as_it_says():
    document = plain.parse(marked_text(100), "size.txt")
    assert len(document.marks) == 100
    assert len(document.content.split()) == 2000


def test_the_table_of_the_coding_page_has_a_line_for_each_size():
    names = [f"{column}_ms_{size}" for column in COLUMNS for size in SIZES]
    figures = dict.fromkeys(names, 12.0) | {"own_script_bytes": 80_000, "total_bytes": 1}
    table = report(figures | {f"total_bytes_{size}": 1 for size in SIZES})
    assert [line.split("|")[1].strip() for line in table.splitlines() if " ms |" in line] == ["100", "1,000", "5,000"]


def test_a_peer_that_computes_another_number_is_no_peer():
    agree(0.5, 0.5)
    agree(None, 0.5)
    with pytest.raises(RuntimeError, match=r"the peer computes 0\.5, and we 0\.6"):
        agree(0.5, 0.6)


def test_the_corpus_has_as_many_files_and_markables_as_it_says(tmp_path):
    write_corpus(tmp_path, texts=3, coders=2, markables=80)
    files = sorted(tmp_path.rglob("*.conll"))
    assert [str(file.relative_to(tmp_path)) for file in files] == [
        f"coder{coder}/text-000{text}.conll" for coder in (1, 2) for text in range(3)
    ]
    read = [FORMATS["conll2012"].read(Bundle.of(file.name, file.read_bytes()))[0] for file in files]
    assert {len(document.marks) for document in read} == {80}
    assert [document.content for document in read[:3]] == [document.content for document in read[3:]]
    assert [document.marks for document in read[:3]] != [document.marks for document in read[3:]]


@pytest.mark.slow
@only_in_full("it takes as long as fifty other tests")
def test_import_and_export_are_timed_on_each_database_and_beside_a_peer(capsys):
    formats.main(["--json", "--texts", "2"])
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {*databases.NAMES, "peer"}
    assert found["sqlite"]["import_seconds"] > 0
    assert found["sqlite"]["export_seconds"] > 0
    for name in databases.NAMES[1:]:
        assert "why" in found[name] or found[name].keys() == found["sqlite"].keys()
    assert found["peer"]["cassis"].keys() == found["peer"]["here"].keys()


@pytest.mark.slow
def test_every_format_that_is_written_is_timed():
    found = databases.run_on("sqlite", formats.MODULE, ["--here=formats", "--texts=2"])
    assert set(found) == {key for key, format_ in FORMATS.items() if format_.write}
    times = {"import_seconds": 1.0, "import_own_seconds": 1.0, "export_seconds": 1.0, "export_own_seconds": 1.0}
    beside = {"read_seconds": 1.0, "read_own_seconds": 1.0, "write_seconds": 1.0, "write_own_seconds": 1.0}
    figures = {
        "sqlite": times,
        "postgresql": {"why": "no PostgreSQL"},
        "peer": {"version": "1", "files": 6, "cassis": beside, "here": beside},
        "formats": found,
    }
    table = formats.report(figures, texts=20)
    assert all(f"| {format_.label} | " in table for key, format_ in FORMATS.items() if key in found)
    assert "| postgresql | no PostgreSQL | |" in table


@pytest.mark.slow
@only_in_full("it takes as long as fifty other tests")
def test_the_server_is_timed_beside_a_plain_application(capsys, tmp_path):
    page = tmp_path / "server.md"
    small = ["--requests=8", "--seconds=1", "--logged=150", "--starts=1", "--database=sqlite"]
    server.main(["--json", "--write", str(page), *small])
    found = json.loads(capsys.readouterr().out)
    assert set(found["sqlite"]) == set(server.GOALS)
    assert found["sqlite"]["mixed_errors"] == 0
    assert all(figure > 0 for name, figure in found["sqlite"].items() if name != "mixed_errors")
    plain = found["about"]["plain"]["sqlite"]
    assert all(ways["plain"]["p50_ms"] > 0 for ways in plain["requests"].values())
    assert plain["mixed"]["plain"]["errors"] == 0
    table = page.read_text(encoding="utf-8")
    assert all(f"| {label} | " in table for label, _ in server.REQUESTS.values())
    assert "Plain" in table


def test_the_page_of_bounds_has_a_row_for_each_figure_and_says_where_there_is_no_database():
    bounds.read_header(bounds.COLUMNS[1])
    figures = {
        "missed": {"bytes": 107_000, "ms": 11.2, "memory_bytes": 500_000, "answers": 40, "all_s": 0.5},
        "states": {"long": 2.8, "short": 3.5},
        "moves": {"refused_ms": 124.0, "most": 4, "most_ms": 363.0},
        "columns": {"250": 0.32, "1000": 1.13},
    }
    page = bounds.report({"sqlite": figures, "postgresql": {"why": "no PostgreSQL"}})
    assert "| missed: the first answer | 107 kB | no PostgreSQL |" in page
    assert "| as many moves as are taken | 4: 363 ms | no PostgreSQL |" in page


def test_drafts_of_gold_are_measured_against_the_truth(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(adjudication, "LONG", (200, 3))
    page = tmp_path / "adjudication.md"
    adjudication.main(["--json", "--runs", "4", "--write", str(page)])
    figures = json.loads(capsys.readouterr().out)
    assert figures["moves_per_markable_10"] < 0.03 < figures["moves_per_markable_of_a_coder_10"]
    assert figures["moves_per_markable_20"] < 0.08 < figures["moves_per_markable_of_a_coder_20"]
    assert 0 < figures["decisions_share_10"] < 0.25
    assert figures["draft_seconds_5000"] > 0
    assert "| 10 % | 0.0" in page.read_text(encoding="utf-8")


def test_decisions_are_the_contested_cards_and_the_parts_that_have_to_be_put_elsewhere():
    codings = [[0, 0, 0, 3, 4], [0, 0, 0, 3, 3], [0, 0, 0, 3, 3]]
    data = adjudication.as_data(codings)
    draft = consensus(data)
    # one card: that of the last two, of which one coder parts one
    assert adjudication.count_decisions([0, 0, 0, 3, 3], data, draft) == 1
    assert adjudication.count_decisions([0, 0, 0, 3, 4], data, draft) == 2
    # what no coder separates is two parts where the truth separates it
    assert adjudication.count_decisions([0, 0, 1, 3, 3], data, draft) == 2
    assert adjudication.count_moves([0, 0, 1, 3, 4], adjudication.entities_of(draft)) == pytest.approx(2 / 5)
