"""Data from tables with one judgement per row, and from files."""

import json
import subprocess
import sys
from functools import partial

import pandas as pd
import pytest
from hypothesis import given

from agreement.measures import ReliabilityData, alpha, alphas, bootstrap, fleiss_kappa, interval
from agreement.measures.__main__ import main
from tests.agreement.measures.checks import values_of
from tests.agreement.measures.strategies import data_of, tables
from tests.conftest import ROOT
from tests.shared.cases import examples

RECORDS = """document,unit,coder,chain,label
one,A,Ann,1,
one,A,Bob,x,
one,B,Ann,1,
one,B,Bob,y,
two,C,Ann,1,
two,C,Bob,,none
two,D,Ann,,None
two,D,Bob,,
"""


def test_chain_ids_are_local_to_coder_and_document(written):
    data = ReliabilityData.from_csv(written(RECORDS))
    assert values_of(data) == {
        "A": [frozenset("AB"), frozenset("A")],
        "B": [frozenset("AB"), frozenset("B")],
        "C": [frozenset("C"), "none"],
        "D": ["None", None],
    }
    assert (data.coders, data.documents) == (("Ann", "Bob"), ("one", "two"))


@examples(40)
@given(tables(sets=False))
def test_records_of_labels_equal_their_table(drawn):
    table, documents = drawn
    coders = "ABCD"[: len(next(iter(table.values()), []))]
    rows = [
        {"document": documents[u], "unit": u, "coder": coder, "label": value}
        for u, row in table.items()
        for coder, value in zip(coders, row, strict=True)
    ]
    records = pd.DataFrame(rows, columns=["document", "unit", "coder", "label"], dtype=object)
    data, expected = ReliabilityData.from_records(records), data_of(table, documents)
    assert values_of(data) == values_of(expected)
    for coefficient in (alpha, fleiss_kappa):
        assert coefficient(data) == coefficient(expected)


@pytest.mark.parametrize("kind", [int, str])
def test_records_of_chain_ids_equal_their_array(kind):
    ids = [[0, 0], [0, 1], [5, 1], [0, 0], [0, 3]]
    texts = [3, 3, 3, 1, 1]
    rows = [
        {"document": kind(text), "unit": kind(u), "coder": kind(c), "chain": kind(ids[u][c])}
        for u, text in enumerate(texts)
        for c in range(2)
    ]
    found = alphas(ReliabilityData.from_records(pd.DataFrame(rows)), exclude_unit="both")
    assert found == alphas(ReliabilityData.from_chain_ids(ids, texts), exclude_unit="both")


NAMES = ["NA", "None", "null", "nan", "-1"]
LABELS = "".join(f"{i},{coder},{name}\n" for i, name in enumerate(NAMES) for coder in ("Ann", "Bob"))


@pytest.mark.parametrize(
    ("text", "columns", "expected"),
    [
        (
            "text,n,coder,label\none,1,Ann,x\none,1,Bob,x\ntwo,1,Ann,y\ntwo,1,Bob,x\n",
            {"document": "text", "unit": ["text", "n"]},
            {("one", "1"): ["x", "x"], ("two", "1"): ["y", "x"]},
        ),
        (
            "who\titem\tclass\nAnn\t1\tx\nBob\t1\ty\n",
            {"unit": "item", "coder": "who", "label": "class"},
            {"1": ["x", "y"]},
        ),
        (
            f"unit,coder,label\n{LABELS}9,Ann,",
            {},
            {str(i): [name] * 2 for i, name in enumerate(NAMES)} | {"9": [None, None]},
        ),
        (
            "unit,coder,chain\n1,1,-1\n2,1,-1\n1,2,-2\n2,2,-1\n",
            {},
            {"1": [{"1", "2"}, {"1"}], "2": [{"1", "2"}, {"2"}]},
        ),
        ("\ufeffunit,coder,label\n1,Ann,x\n", {}, {"1": ["x"]}),
        ("unit,coder,label\n", {}, {}),
    ],
    ids=[
        "unit of two columns",
        "named columns",
        "only empty is missing",
        "negative chains",
        "byte order mark",
        "empty",
    ],
)
def test_file_columns_may_be_named_and_cells_stay_text(written, text, columns, expected):
    path = written(text, "table.tsv" if "\t" in text else "table.csv")
    assert values_of(ReliabilityData.from_csv(path, **columns)) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "unit,coder,label\nA,Ann,x\nA,Ann,y\n",
            "line 3: unit 'A', coder 'Ann': the judgement comes twice, first in line 2",
        ),
        ("document,unit,coder,label\none,A,Ann,x\ntwo,A,Bob,x\n", "unit 'A' is in two documents: '(one|two)' and '"),
        ("unit,coder,label\nA,Ann,x\nA,,y\n", "line 3: there is no coder"),
        ("unit,coder,label\n,Ann,x\n", "line 2: there is no unit"),
        ("unit,coder\nA,Ann\n", "there is neither a column 'chain' nor a column 'label' among"),
        ("unit,label\nA,x\n", "there is no column 'coder' among"),
        ("unit,coder,label\nA,Ann,x,y,z\nB,Ann,x\n", "line 2: 5 cells where the header has 3"),
        ('unit,coder,label\nA,"A\nn",x\nB,Ann\n', "line 4: 2 cells where the header has 3"),
        ("unit,coder,label,label\nA,Ann,x,y\n", "there are two columns 'label'"),
        ("sep=;\nunit,coder\nA,Ann\n", r"there is neither .* among \['unit,coder'\]"),
        ("", "there is no header"),
        (b"unit,coder,label\nA,Ann,caf\xe9\n", "line 2: byte 0xE9 is not UTF-8: save the file as UTF-8"),
    ],
)
def test_error_names_file_and_line(written, text, message):
    path = written(text)
    with pytest.raises(ValueError, match=message) as raised:
        ReliabilityData.from_csv(path)
    assert str(raised.value).startswith(f"{path}: ")


def test_requested_column_must_exist():
    with pytest.raises(ValueError, match="there is no column 'text' among"):
        ReliabilityData.from_records(pd.DataFrame({"unit": [1], "coder": [1], "label": [1]}), document="text")


CHAINS = "document,unit,coder,chain\n" + "".join(
    f"{text},{text}{unit},{coder},{chain}\n"
    for text in ("one", "two", "six")
    for unit in range(4)
    for coder, chain in (("Ann", unit // 2), ("Bob", unit // (4 if text == "six" else 3)))
)


@pytest.mark.parametrize(
    ("arguments", "estimate", "how"),
    [
        ([], interval, "jackknife, log scale, over 3 documents"),
        (["--replicates", "50"], partial(bootstrap, n=50), "percentile bootstrap, 50 replicates of 3 documents"),
    ],
)
def test_command_prints_alpha_with_interval(written, capsys, arguments, estimate, how):
    path = written(CHAINS)
    assert main([str(path), "--exclude-unit", "both", *arguments]) == 0
    out = capsys.readouterr().out
    expected = estimate(ReliabilityData.from_csv(path), alpha, "masi", exclude_unit="both")
    [line] = [line.split() for line in out.splitlines() if line.startswith("alpha, masi ")]
    assert line[2:] == f"{expected.value:.4f} 95% {expected.low:.4f} to {expected.high:.4f}".split()
    assert "12 units, 2 coders, 24 judgements" in out
    assert how in out


def test_command_explains_missing_interval_and_prints_json(written, capsys):
    path = written("unit,coder,label\n1,Ann,x\n1,Bob,x\n2,Ann,y\n2,Bob,x\n")
    assert main([str(path)]) == 0
    assert "no interval: it takes 8 components, and there are 2" in capsys.readouterr().out
    assert main([str(path), "--json", "--replicates", "10"]) == 0
    found = json.loads(capsys.readouterr().out)
    data = ReliabilityData.from_csv(path)
    assert found["alpha, nominal"]["value"] == alpha(data).value
    assert (found["K"]["value"], found["K"]["by"]) == (fleiss_kappa(data).value, "unit")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.csv"], "missing.csv"),
        (["{}", "--replicates", "1"], "n is 1"),
        (["{}", "--distance", "ratio"], "line 2: 'x' is no number, and the distance 'ratio' is of numbers"),
    ],
)
def test_command_names_unusable_argument(written, capsys, arguments, message):
    path = written("unit,coder,label\n1,Ann,x\n1,Bob,y\n")
    assert main([argument.format(path) for argument in arguments]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.slow
def test_module_runs_as_command(written):
    command = [sys.executable, "-m", "agreement.measures", str(written(CHAINS)), "--replicates", "2"]
    found = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    assert found.stdout.startswith("alpha, nominal")
