"""The command on a corpus: what it prints, where it computes, and what it does with a file that cannot be used."""

import json
import os
import pty
import subprocess
import sys
import termios
from contextlib import redirect_stdout, suppress
from io import StringIO

import pytest
from distributed import LocalCluster

from agreement.measures import ReliabilityData, alphas, bootstrap, interval
from agreement.measures.__main__ import main
from tests.agreement.measures.corpora.corpora import frame_of, write_csv, write_parquet
from tests.conftest import ROOT

ROWS = [
    (f"text {t}", unit, f"model {c}", f"e{(unit * (t + 1) + c * (unit % 3 == t % 3)) % 4}", None)
    for t in range(6)
    for unit in range(8)
    for c in range(3)
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder of three Parquet files, of two texts each."""
    folder = tmp_path_factory.mktemp("corpus")
    for number in range(3):
        rows = [row for row in ROWS if int(row[0][-1]) % 3 == number]
        write_parquet(folder / f"part-{number}.parquet", frame_of(rows))
    return folder


@pytest.fixture(scope="module")
def corpus(folder):
    return f"{folder}/*.parquet"


@pytest.fixture(scope="module")
def printed(corpus):
    """Return what the command prints of the corpus as JSON."""
    with redirect_stdout(StringIO()) as out:
        assert main([corpus, "--json"]) == 0
    return out.getvalue()


def digits(printed):
    """Return value and interval of each distance, of the printed JSON."""
    found = json.loads(printed)
    assert found.pop("corpus") == {"documents": 6, "files": 3, "files_left_out": []}
    return {name: (figure["value"], figure["low"], figure["high"]) for name, figure in found.items()}


@pytest.mark.parametrize(
    ("arguments", "estimate"),
    [([], interval), (["--workers", "2"], interval), (["--bootstrap", "50"], lambda *given: bootstrap(*given, n=50))],
)
def test_command_on_files_equals_library_on_all_data(corpus, capsys, arguments, estimate):
    assert main([corpus, "--json", *arguments]) == 0
    answer = capsys.readouterr()
    whole = ReliabilityData.from_records(frame_of(ROWS), unit=["document", "unit"])
    expected = {f"alpha, {name}": found for name, found in estimate(whole, alphas).items()}
    assert digits(answer.out) == {name: (found.value, found.low, found.high) for name, found in expected.items()}
    assert answer.err == ""  # no progress where there is no terminal


def test_dask_cluster_computes_same_figures(corpus, printed, capsys):
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        assert main([corpus, "--json", "--cluster", cluster.scheduler_address]) == 0
    assert digits(capsys.readouterr().out) == digits(printed)


def test_command_prints_counts_and_uses_nominal_distance_for_labels(corpus, tmp_path, capsys):
    assert main([corpus]) == 0
    assert capsys.readouterr().out.splitlines()[-3:] == [
        "48 units, 3 coders, 144 judgements, 53 values",
        "intervals: jackknife, log scale, over 6 documents",
        "corpus: 6 documents in 3 files",
    ]
    rows = [(*row[:3], None, row[3]) for row in ROWS]
    assert main([str(write_csv(tmp_path / "labels.csv", frame_of(rows))), "--workers", "1"]) == 0
    assert capsys.readouterr().out.startswith("alpha, nominal")


def damage(kind, tmp_path):
    """Write a file that cannot be used; return its name."""
    frame = frame_of([("text 9", 1, "model 0", "e1", None), ("text 9", 1, "model 1", "e1", None)])
    changed = {
        "no column": frame.drop(columns="coder"),
        "no chain": frame.drop(columns="chain"),
        "chain of lists": frame.assign(chain=[["e1"], ["e2"]]),
        "chain of fractions": frame.assign(chain=[1.5, 2.0]),
        "labels for chains": frame.rename(columns={"chain": "label"}),
        "document of numbers": frame.assign(document=[9, 9]),
        "no document": frame.assign(document=["text 9", None]),
        "twice": frame.assign(coder="model 0"),
        "document elsewhere": frame.assign(document="text 3"),
    }
    name = tmp_path / "zzz.parquet"
    if kind in changed:
        write_parquet(name, changed[kind])
    elif kind == "cut short":
        name.write_bytes(write_parquet(name, frame).read_bytes()[:-20])
    elif kind == "empty":
        name.touch()
    elif kind == "unreadable":
        name.symlink_to(name)
    else:
        end, content = CONTENTS[kind]
        name = tmp_path / f"zzz.{end}"
        name.write_bytes(content)
    return name


CONTENTS = {
    "a quote that is open": ("csv", b'document,unit,coder,chain\na,1,x,e1\na,1,y,"e1\n'),
    "empty CSV": ("tsv", b""),
    "not UTF-8": ("csv", b"document,unit,coder,chain\na,1,x,\xe9\n"),
    "not compressed": ("csv.gz", b"document,unit,coder,chain\n"),
    "no coder": ("csv", b"document,unit,coder,chain\na,1,x,e1\na,1,,e1\n"),
    "another name": ("txt", b""),
}
DAMAGES = {
    "no column": "there is no column 'coder' among ['document', 'unit', 'chain']",
    "no chain": "there is neither a column 'chain' nor a column 'label'",
    "chain of lists": "column 'chain' is of type VARCHAR[]: take text or whole numbers",
    "chain of fractions": "column 'chain': it has 1.5: take text or whole numbers",
    "labels for chains": "the column of the label has nothing in {folder}/part-0.parquet and text in {file}",
    "document of numbers": "the column of the document has text in {folder}/part-0.parquet and numbers in {file}",
    "no document": "row 2: there is no document",
    "twice": "row 2: document 'text 9', unit 1, coder 'model 0': the judgement comes twice, first in row 1",
    "document elsewhere": "document 'text 3' is in two parts: {folder}/part-0.parquet and {file}",
    "cut short": "No magic bytes found at end of file",
    "empty": "too small to be a Parquet file",
    "unreadable": "Too many levels of symbolic links: '{file}'",
    "a quote that is open": "zzz.csv: line 3: unexpected end of data",
    "no coder": "zzz.csv: line 3: there is no coder",
    "empty CSV": "there is no header",
    "not UTF-8": "line 2: byte 0xE9 is not UTF-8",
    "not compressed": "Not a gzipped file",
    "another name": "it is called neither .parquet, .pq, .csv, .tsv, .csv.gz nor .tsv.gz",
}


@pytest.mark.parametrize("kind", DAMAGES)
def test_error_names_bad_file_which_option_skips(folder, printed, tmp_path, capsys, kind):
    good, name = json.loads(printed), damage(kind, tmp_path)
    files = [str(path) for path in sorted(folder.iterdir())]
    message = DAMAGES[kind].format(file=name, folder=folder)
    assert main([*files, str(name), "--json"]) == 2
    answer = capsys.readouterr()
    assert answer.out == ""
    assert message in answer.err
    assert str(name) in answer.err
    assert main([*files, str(name), "--json", "--on-error", "skip"]) == 1
    answer = capsys.readouterr()
    assert message in answer.err
    found = json.loads(answer.out)
    [left_out] = found["corpus"].pop("files_left_out")
    assert left_out["file"] == str(name)
    assert message in left_out["error"]
    del good["corpus"]["files_left_out"]
    assert found == good


def test_error_names_wrong_argument_or_missing_package(corpus, tmp_path, capsys, monkeypatch):
    for arguments, message in [
        ([str(tmp_path / "*.csv")], "there is no file"),
        ([corpus, "--distance", "masi", "--distance", "ratio"], "the distance 'ratio' is of numbers"),
        ([corpus, "--matrix"], "a corpus has one judgement a row: no --matrix"),
        ([corpus, "--distance", "interval"], "the distance 'interval' is of numbers, and a set is none"),
    ]:
        assert main(arguments) == 2
        assert message in capsys.readouterr().err
    for package, arguments, extra in [
        ("duckdb", [corpus], "pip install duckdb"),
        ("duckdb", [corpus, "--on-error", "skip"], "pip install duckdb"),
        ("distributed", [corpus, "--cluster", "tcp://127.0.0.1:1"], "pip install distributed"),
    ]:
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, package, None)
            assert main(arguments) == 2
        assert extra in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("quiet", [[], ["--quiet"]])
def test_terminal_shows_progress_unless_quiet(corpus, quiet):
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 100))
    command = [sys.executable, "-m", "agreement.measures", corpus, *quiet]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL, stderr=theirs)
    os.set_blocking(ours, False)
    seen = ""
    with suppress(BlockingIOError):
        while True:
            seen += os.read(ours, 100_000).decode()
    assert ("3/3" in seen, "144 judgements" in seen) == (not quiet, not quiet)
