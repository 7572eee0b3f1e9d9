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


@pytest.fixture
def written(tmp_path):
    """Return a function that writes a file and returns its path."""

    def write(text, name="judgements.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def values_of(data):
    return {
        unit: [None if code < 0 else data.value(code) for code in row]
        for unit, row in zip(data.units, data.codes.tolist(), strict=True)
    }


def test_chains_are_of_one_coder_and_one_document_and_labels_stand_where_there_is_none(written):
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
def test_labels_are_the_same_data_as_their_table(drawn):
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
def test_chain_ids_are_the_same_data_as_their_array(kind):
    ids = [[0, 0], [0, 1], [5, 1], [0, 0], [0, 3]]
    texts = [3, 3, 3, 1, 1]
    rows = [
        {"document": kind(text), "unit": kind(u), "coder": kind(c), "chain": kind(ids[u][c])}
        for u, text in enumerate(texts)
        for c in range(2)
    ]
    found = alphas(ReliabilityData.from_records(pd.DataFrame(rows)), exclude_unit="both")
    assert found == alphas(ReliabilityData.from_chain_ids(ids, texts), exclude_unit="both")


def test_a_unit_may_be_named_by_several_columns(written):
    text = "text,n,coder,label\none,1,Ann,x\none,1,Bob,x\ntwo,1,Ann,y\ntwo,1,Bob,x\n"
    data = ReliabilityData.from_csv(written(text), document="text", unit=["text", "n"])
    assert values_of(data) == {("one", "1"): ["x", "x"], ("two", "1"): ["y", "x"]}


def test_columns_may_have_other_names(written):
    text = "who\titem\tclass\nAnn\t1\tx\nBob\t1\ty\n"
    data = ReliabilityData.from_csv(written(text, "j.tsv"), unit="item", coder="who", label="class")
    assert values_of(data) == {"1": ["x", "y"]}


def test_only_an_empty_field_is_missing(written):
    names = ["NA", "None", "null", "nan", "-1"]
    lines = [f"{i},{coder},{name}" for i, name in enumerate(names) for coder in ("Ann", "Bob")]
    data = ReliabilityData.from_csv(written("\n".join(["unit,coder,label", *lines, "9,Ann,"])))
    assert data.labels == tuple(names)
    assert values_of(data)["9"] == [None, None]


def test_a_negative_chain_id_in_a_file_is_a_name_like_any_other(written):
    data = ReliabilityData.from_csv(written("unit,coder,chain\n1,1,-1\n2,1,-1\n1,2,-2\n2,2,-1\n"))
    assert values_of(data) == {"1": [{"1", "2"}, {"1"}], "2": [{"1", "2"}, {"2"}]}


def test_a_byte_order_mark_is_no_part_of_a_name(written):
    assert ReliabilityData.from_csv(written("\ufeffunit,coder,label\n1,Ann,x\n")).units == ("1",)


def test_an_empty_table_is_no_data(written):
    assert alpha(ReliabilityData.from_csv(written("unit,coder,label\n"))).note == "there is no data"


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
    ],
)
def test_what_is_wrong_in_a_file_is_named_with_its_line(written, text, message):
    path = written(text)
    with pytest.raises(ValueError, match=message) as raised:
        ReliabilityData.from_csv(path)
    assert str(raised.value).startswith(f"{path}: ")


def test_a_file_in_another_encoding_is_refused(tmp_path):
    path = tmp_path / "latin.csv"
    path.write_bytes("unit,coder,label\nA,Ann,café\n".encode("latin-1"))
    with pytest.raises(ValueError, match=r"latin.csv: line 2: byte 0xE9 is not UTF-8: save the file as UTF-8"):
        ReliabilityData.from_csv(path)


def test_a_column_that_was_asked_for_must_be_there():
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
def test_the_command_prints_alpha_with_each_set_distance_and_its_interval(written, capsys, arguments, estimate, how):
    path = written(CHAINS)
    assert main([str(path), "--exclude-unit", "both", *arguments]) == 0
    out = capsys.readouterr().out
    data = ReliabilityData.from_csv(path)
    expected = estimate(data, alpha, "masi", exclude_unit="both")
    [line] = [line for line in out.splitlines() if line.startswith("alpha, masi ")]
    assert line.split() == [
        "alpha,",
        "masi",
        f"{expected.value:.4f}",
        "95%",
        f"{expected.low:.4f}",
        "to",
        f"{expected.high:.4f}",
    ]
    assert "12 units, 2 coders, 24 judgements" in out
    assert how in out


def test_the_command_says_why_there_is_no_interval(written, capsys):
    assert main([str(written("unit,coder,label\n1,Ann,x\n1,Bob,x\n2,Ann,y\n2,Bob,x\n"))]) == 0
    assert "no interval: it takes 8 components, and there are 2" in capsys.readouterr().out


def test_the_command_prints_json_with_all_digits(written, capsys):
    path = written("unit,coder,label\n1,Ann,x\n1,Bob,x\n2,Ann,y\n2,Bob,x\n")
    assert main([str(path), "--json", "--replicates", "10"]) == 0
    found = json.loads(capsys.readouterr().out)
    data = ReliabilityData.from_csv(path)
    assert found["alpha, nominal"]["value"] == alpha(data).value
    assert found["K"]["value"] == fleiss_kappa(data).value
    assert found["K"]["by"] == "unit"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.csv"], "missing.csv"),
        (["{}", "--replicates", "1"], "n is 1"),
        (["{}", "--distance", "ratio"], "line 2: 'x' is no number, and the distance 'ratio' is of numbers"),
    ],
)
def test_the_command_says_what_it_cannot_use(written, capsys, arguments, message):
    path = written("unit,coder,label\n1,Ann,x\n1,Bob,y\n")
    assert main([argument.format(path) for argument in arguments]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.slow
def test_the_module_can_be_run(written):
    root = ROOT
    found = subprocess.run(
        [sys.executable, "-m", "agreement.measures", str(written(CHAINS)), "--replicates", "2"],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    )
    assert found.stdout.startswith("alpha, nominal")
