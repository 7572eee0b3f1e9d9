"""The benchmarks run. Their speed is not tested."""

import importlib
import json
import shutil
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agreement.measures import cards, consensus
from benchmarks import adjudication, alt_test, ambiguity, load, server
from benchmarks.environment import processes
from benchmarks.environment.command import marks_of
from benchmarks.environment.serving import Server, chromium
from benchmarks.measures import agree, main
from tests.shared.skipping import skip_or_fail_in_ci


def make_page(folder: Path, *names: str) -> Path:
    """Return a page with the marks of benchmarks."""
    page = folder / "page.md"
    page.write_text("\n".join(["# Page", *(mark for name in names for mark in marks_of(name))]), encoding="utf-8")
    return page


@pytest.mark.slow
def test_measures_benchmark_prints_goal_figures_as_json(capsys):
    main(["--json", "--scale", "0.001"])
    found = json.loads(capsys.readouterr().out)
    assert {"alpha_1m_seconds", "alpha_1m_peak_mb", "csv_1m_seconds", "ratio_to_nltk_30k"} <= found.keys()
    assert found["alpha_1m_seconds"] > 0
    assert (found["ratio_to_nltk_30k"] is None) == bool(found["why"])


def test_peer_with_different_result_is_rejected():
    agree(0.5, 0.5)
    agree(None, 0.5)
    with pytest.raises(RuntimeError, match=r"the peer computes 0\.5, and we 0\.6"):
        agree(0.5, 0.6)


@pytest.fixture
def migrated_before(monkeypatch, migrated_file) -> None:
    """Give benchmarks a migrated SQLite database, as migrations take most of their time."""
    run, run_on_server = processes.run_in, Server.run

    def run_on_a_copy(environment: Mapping[str, str], work: Callable[..., Any], *arguments: object) -> Any:
        shutil.copyfile(migrated_file, Path(environment["DATA_DIR"]) / "coindex.sqlite3")
        return run(environment, work, *arguments)

    def run_on_a_copy_of_server(own: Server, *command: str) -> None:
        if "migrate" in command:
            shutil.copyfile(migrated_file, Path(own.environment["DATA_DIR"]) / "coindex.sqlite3")
        run_on_server(own, *command)

    monkeypatch.setattr(processes, "run_in", run_on_a_copy)
    monkeypatch.setattr(Server, "run", run_on_a_copy_of_server)


# The smallest sizes of each command that no other test here starts.
SMALLEST = {
    "bounds": ["--smallest", "--database=sqlite"],
    "coverage": ["--runs=2"],
    "dashboard": ["--sizes=2", "--repeats=1", "--databases=sqlite", "--pages=overview"],
    "forecasts": ["--runs=2", "--power-runs=2"],
    "formats": ["--texts=1"],
    "server": ["--requests=1", "--seconds=0.2", "--database=sqlite"],
    "workbench": ["--smallest"],
}
STARTED_BELOW = {"adjudication", "alt_test", "ambiguity", "load", "measures"}


def test_every_benchmark_command_is_tested():
    commands = {path.stem for path in Path(server.__file__).parent.glob("*.py") if "def main(" in path.read_text()}
    assert commands == SMALLEST.keys() | STARTED_BELOW


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALLEST)
def test_benchmark_runs_on_its_smallest_size(name, migrated_before, capsys):
    if name == "workbench" and chromium() is None:
        skip_or_fail_in_ci("no Chromium on this machine (Debian's package: chromium)")
    module = importlib.import_module(f"benchmarks.{name}")
    with ThreadPoolExecutor(1) as thread:  # Playwright takes one browser a thread, and other tests have theirs
        thread.submit(module.main, SMALLEST[name]).result()
    assert capsys.readouterr().out


def test_ratios_to_plain_application_are_compared_with_goals():
    ways = {"key": {"p50_ms": 6.0}, "plain": {"p50_ms": 2.0}}
    mixed = {"ours": {"ops_per_s": 30.0}, "plain": {"ops_per_s": 100.0}}
    found = server.ratios(dict.fromkeys(server.REQUESTS, ways), mixed)
    assert (found["save_one"], found["mixed"]) == (3.0, 0.3)
    assert {name for name in server.GOALS if server.is_met(name, found[name])} == {"save_one", "list_50"}
    assert server.judged("save_one", {"ratios": found}) == ("3.00", "3.5")
    assert server.judged("read", {"ratios": found}) == ("3.00", "1.7, missed")
    assert server.judged("mixed", {"ratios": found}) == ("0.30", "0.4, missed")


@pytest.mark.slow
def test_adjudication_benchmark_measures_gold_drafts(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(adjudication, "LONG", (200, 3))
    page = make_page(tmp_path, "adjudication")
    adjudication.main(["--json", "--runs", "4", "--write", str(page)])
    figures = json.loads(capsys.readouterr().out)
    assert figures["moves_per_markable_10"] < 0.03 < figures["moves_per_markable_of_a_coder_10"]
    assert figures["moves_per_markable_20"] < 0.08 < figures["moves_per_markable_of_a_coder_20"]
    assert 0 < figures["decisions_share_10"] < 0.25
    assert figures["draft_seconds_5000"] > 0
    assert "| 10 % | 0.0" in page.read_text(encoding="utf-8")


def test_decision_count_includes_cards_and_moved_rows():
    codings = [[0, 0, 0, 3, 4], [0, 0, 0, 3, 3], [0, 0, 0, 3, 3]]
    data = adjudication.as_data(codings)
    draft = consensus(data)
    # one card: that of the last two, of which one coder parts the last. It is accepted, or the last put elsewhere.
    assert adjudication.count_decisions([0, 0, 0, 3, 3], data, draft) == 1
    assert adjudication.count_decisions([0, 0, 0, 3, 4], data, draft) == 1
    # what no coder separates is two parts where the truth separates it
    assert adjudication.count_decisions([0, 0, 1, 3, 3], data, draft) == 2
    assert adjudication.count_moves([0, 0, 1, 3, 4], adjudication.entities_of(draft)) == pytest.approx(2 / 5)


def test_row_on_two_cards_counts_as_one_decision():
    data = adjudication.as_data([[2, 2, 0, 0], [1, 1, 0, 0], [2, 0, 2, 0]])
    draft = consensus(data)
    rows = [{row.units for row in (*card.rows, *card.elsewhere) if row.contested} for card in cards(data, draft)]
    assert rows == [{(1,), (2,)}] * 2
    assert adjudication.count_decisions([0, 0, 1, 1], data, draft) == 1
    data = adjudication.as_data([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 1, 1]])
    draft = consensus(data)
    assert [row.units for card in cards(data, draft) for row in card.rows if row.contested] == [(1,)]
    assert adjudication.count_decisions([0, 1, 1, 1], data, draft) == 1


@pytest.mark.slow
def test_load_benchmark_saves_without_errors(migrated_before, capsys):
    assert load.main(["--json", "--coders=3", "--seconds=6", "--think=0.05", "--database=sqlite"]) == 0
    found = json.loads(capsys.readouterr().out)["sqlite"]
    assert (found["errors"], found["sign_in_n"]) == (0, 3)
    assert found["save_n"] > found["submit_n"] > 0
    assert found["reopen_n"] > 0
    table = "\n".join(load.report({"sqlite": found, "postgresql": {"why": "no PostgreSQL"}}))
    assert f"| save a judgement | {found['save_n']} | " in table
    assert "postgresql: no PostgreSQL" in table


def test_alt_test_benchmark_covers_all_kinds_and_sizes(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(alt_test, "CALIBRATION_TEXTS", 20)
    page = make_page(tmp_path, "alt_test", "ambiguity")
    alt_test.main(["--json", "--runs", "2", "--write", str(page)])
    found = json.loads(capsys.readouterr().out)
    assert {f"null_{kind}_{texts}" for kind in ("labels", "chains") for texts in (10, 30)} <= found.keys()
    assert all(0 <= share <= 1 for share in found.values())
    assert page.read_text(encoding="utf-8").count("| chains, MASI |") == 8


@pytest.mark.slow
def test_simulated_candidates_differ_by_given_amount():
    data = alt_test.simulate_categories(np.random.default_rng(0), 3000, 0.1)
    differences = [row.difference for row in alt_test.alt_test(data, 0, resamples=1999).rows]
    assert differences == pytest.approx([0.1] * 3, abs=0.01)


def test_ambiguity_benchmark_compares_model_and_camps(capsys):
    ambiguity.main(["--json", "--runs", "1"])
    found = json.loads(capsys.readouterr().out)
    for kind in ("labels", "confused", "chains"):
        assert found[f"auc_camps_{kind}_3"] == 0.5  # three coders are no camps
        assert found[f"auc_model_{kind}_18"] > found[f"auc_camps_{kind}_18"]
        assert found[f"better_{kind}_18"] == "model"


@pytest.mark.parametrize(("scores", "area"), [([3, 2, 1, 0], 1), ([0, 1, 2, 3], 0), ([1, 1, 1, 1], 0.5)])
def test_area_under_curve_measures_rank_of_ambiguous_units(scores, area):
    assert ambiguity.area_under_curve(np.array([True, True, False, False]), np.array(scores, float)) == area
