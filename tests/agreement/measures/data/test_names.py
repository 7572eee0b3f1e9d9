"""Names are text: every reader of a table gives the same units, coders, documents and labels."""

import csv
import io
import json

import pandas as pd
import pytest

from agreement.measures import Columns, ReliabilityData, SumOptions, alpha, cohen_kappa, combine, fleiss_kappa, over
from agreement.measures.__main__ import main
from annotations.formats.model.findings import FormatError
from annotations.formats.model.format import Bundle
from annotations.formats.tables import judgements, matrix
from tests.agreement.measures import exact
from tests.agreement.measures.corpora.corpora import write_parquet

NAMES = ("1.1", "1.10", "007", "7", "1e3", "1000", "NA", "nan", "None", "-", " x", "x", "a;b", "a,b", "é", "e\u0301")
DOCUMENTS = ("1.1", "1.10", "01")
CODERS = ("1", "01", " 1")
# A label in four is of a coder alone.
ROWS = [
    (document, unit, coder, NAMES[(n + d + (c * n % 4 == 3)) % len(NAMES)])
    for d, document in enumerate(DOCUMENTS)
    for n, unit in enumerate(NAMES)
    for c, coder in enumerate(CODERS)
]
UNITS = list(dict.fromkeys(row[:2] for row in ROWS))
CELLS = {row[:3]: row[3] for row in ROWS}
TABLE = {unit: [CELLS[*unit, coder] for coder in CODERS] for unit in UNITS}
LONG = [("document", "unit", "coder", "label"), *ROWS]
WIDE = [("text", "unit", *CODERS), *((*unit, *values) for unit, values in TABLE.items())]
WRITINGS = [(",", "utf-8"), (",", "utf-8-sig"), (";", "utf-8-sig"), ("\t", "utf-16"), ("|", "utf-8", "sep=|\n")]


def table_bytes(rows, separator, encoding, first=""):
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=separator, lineterminator="\n").writerows(rows)
    return (first + text.getvalue()).encode(encoding)


def judged(data):
    """Return all that data say, as TABLE has it."""
    documents = [data.documents[number] for number in data.document_of_unit]
    units = [
        unit if isinstance(unit, tuple) else (document, unit)
        for document, unit in zip(documents, data.units, strict=True)
    ]
    return {unit: [data.value(code) for code in codes] for unit, codes in zip(units, data.codes.tolist(), strict=True)}


def read_long(path):
    return ReliabilityData.from_csv(path, unit=["document", "unit"])


@pytest.mark.parametrize("writing", WRITINGS)
def test_all_readers_of_table_keep_same_names(tmp_path, capsys, writing):
    long, wide = tmp_path / "long.csv", tmp_path / "wide.csv"
    long.write_bytes(table_bytes(LONG, *writing))
    wide.write_bytes(table_bytes(WIDE, *writing))
    frame = pd.DataFrame(ROWS, columns=LONG[0])
    parquet = write_parquet(tmp_path / "long.parquet", frame)
    for data in (
        read_long(long),
        ReliabilityData.from_records(frame, unit=["document", "unit"]),
        ReliabilityData.from_matrix(wide),
    ):
        assert (judged(data), data.coders, data.documents) == (TABLE, CODERS, DOCUMENTS)
    expected = float(exact.alpha(TABLE, "nominal")[0])
    for part in (long, parquet, frame):
        sums = over([part], SumOptions(("nominal",)))
        names = sorted(sums.documents), sorted(sums.coders), sorted(sums.labels)
        assert names == (sorted(DOCUMENTS), sorted(CODERS), sorted(set(CELLS.values())))
        assert combine(sums["nominal"]).value == pytest.approx(expected, abs=1e-12)
    for arguments in ([long, "--unit", "document,unit"], [long, "--workers", "1"], [parquet], [wide, "--matrix"]):
        assert main([*map(str, arguments), "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["alpha, nominal"]["value"] == pytest.approx(expected, abs=1e-12)
        assert "coders ' 1' and '1' are two: they differ only in outer blanks" in "; ".join(found["notes"])


@pytest.mark.parametrize("writing", WRITINGS[:3])
def test_project_formats_and_library_read_same_names(writing):
    """Their units are keys of markables, and of a matrix alone any text."""
    keyed = [(row[0], f"phrase:{n}-{n + 1}", *row[2:]) for n, row in enumerate(ROWS)]
    table = table_bytes([("text", "unit", "coder", "label"), *keyed], *writing)
    rows = judgements.read_csv(Bundle.of("long.csv", table), raw=True)
    assert [(row.text, row.coder, row.category) for row in rows] == [(row[0], *row[2:]) for row in ROWS]
    found = matrix.read_csv(Bundle.of("wide.csv", table_bytes(WIDE, *writing)), raw=True)
    assert found.coders == CODERS
    assert {(row.text, row.unit): list(row.values) for row in found.rows} == TABLE


def test_error_names_encoding_of_table():
    with pytest.raises(FormatError, match="say encoding=utf-16"):
        matrix.read_csv(Bundle.of("wide.csv", table_bytes(WIDE, "\t", "utf-16")))


SECTIONS = """document,unit,coder,chain
1.1,p,A,x
1.1,q,A,x
1.1,p,B,x
1.1,q,B,y
1.10,r,A,x
1.10,s,A,x
1.10,r,B,x
1.10,s,B,x
"""


@pytest.mark.parametrize("arguments", [[], ["--workers", "1"]])
def test_sections_1_1_and_1_10_are_different_documents(tmp_path, capsys, arguments):
    path = tmp_path / "doc.csv"
    path.write_text(SECTIONS)
    assert main([str(path), "--distance", "masi", "--json", *arguments]) == 0
    assert json.loads(capsys.readouterr().out)["alpha, masi"]["value"] == pytest.approx(31 / 59)


MATRIX = "item,anna,ben,carl\n1,A,A,B\n2,B,B,\n3,A,,A\n4,C,C,C\n"
OF_ONE_PAGE = "page," + MATRIX.replace("\n", "\nx,").removesuffix("x,")


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        (MATRIX, ["--unit", "item"]),
        (MATRIX.replace("item", "unit").replace(",", ";"), []),
        (OF_ONE_PAGE, ["--unit", "item", "--document", "page"]),
        (OF_ONE_PAGE.replace("page", "Text"), ["--unit", "item"]),
    ],
)
def test_matrix_columns_are_found_by_name(tmp_path, capsys, text, arguments):
    path = tmp_path / "wide.csv"
    path.write_text(text)
    assert main([str(path), "--matrix", "--json", *arguments]) == 0
    assert json.loads(capsys.readouterr().out)["alpha, nominal"]["value"] == pytest.approx(8 / 11)


NUMBERS = [("9", "10"), ("2", "2"), ("10", "10"), ("9", "2.0"), ("1e1", "9")]


def written(path, pairs):
    rows = [(f"u{n}", coder, pair[c]) for n, pair in enumerate(pairs) for c, coder in enumerate("AB")]
    path.write_bytes(table_bytes([("unit", "coder", "label"), *rows], ";", "utf-8"))
    return path


ORDERED = {
    "ordinal": lambda data: alpha(data, "ordinal"),
    "interval": lambda data: alpha(data, "interval"),
    "ratio": lambda data: alpha(data, "ratio"),
    "weighted": lambda data: cohen_kappa(data, "quadratic"),
    "categories": lambda data: cohen_kappa(data, "linear", categories=[2, 9, 10]),
}


@pytest.mark.parametrize("name", ORDERED)
def test_numeric_distances_parse_text_labels(tmp_path, name):
    numbers = [[float(label) for label in pair] for pair in NUMBERS]
    data = ReliabilityData.from_csv(written(tmp_path / "numbers.csv", NUMBERS))
    assert ORDERED[name](data) == ORDERED[name](numbers)
    assert alpha(data).value == pytest.approx(float(exact.alpha(dict(enumerate(NUMBERS)), "nominal")[0]))


@pytest.mark.parametrize("name", ORDERED)
def test_error_names_line_of_word_among_numbers(tmp_path, name):
    path = written(tmp_path / "numbers.csv", [*NUMBERS, ("2", "NA")])
    with pytest.raises(ValueError, match=r"numbers\.csv: line 13: 'NA' is no number"):
        ORDERED[name](ReliabilityData.from_csv(path))
    if name in ("ordinal", "interval", "ratio"):
        columns = Columns("coder", "unit", "coder")
        with pytest.raises(ValueError, match=r"numbers\.csv: line 13: 'NA' is no number"):
            over([path], SumOptions((name,)), columns=columns)


def test_fractional_names_are_refused():
    frame = pd.DataFrame({"unit": [1.1, 1.1], "coder": ["A", "B"], "label": ["x", "x"]})
    with pytest.raises(ValueError, match=r"column 'unit' has 1\.1: take text \(dtype=str\) or whole numbers"):
        ReliabilityData.from_records(frame)


def test_error_for_unit_in_two_documents_names_option(tmp_path):
    path = tmp_path / "judgements.csv"
    path.write_text("text,unit,coder,label\none,u1,A,x\ntwo,u1,B,x\n")
    with pytest.raises(ValueError, match=r"unit=\['text', 'unit'\] \(--unit text,unit\)"):
        ReliabilityData.from_csv(path, document="text")
    assert len(ReliabilityData.from_csv(path, document="text", unit=["text", "unit"]).units) == 2


@pytest.mark.parametrize(
    ("rows", "note"),
    [
        ([["x", "NA"], ["x", "x"]], "label 'NA' counts as a category"),
        ([["x", "nan"], ["None", "x"]], "labels 'None', 'nan' count as categories"),
        ([["x", " "], ["x", "x"]], "label ' ' counts as a category"),
        ([[1, "1"], [2, "2"]], "labels '1' and 1 are two: they differ only in their type (1 more)"),
        ([["x", "x "], ["x", "y"]], "labels 'x ' and 'x' are two: they differ only in outer blanks"),
        ([["é", "e\u0301"], ["x", "x"]], r"labels 'e\u0301' and '\xe9' are two: they differ only in how letters"),
    ],
)
@pytest.mark.parametrize("coefficient", [alpha, fleiss_kappa, lambda rows: alpha(rows, lambda a, b: 1.0)])
def test_odd_labels_have_a_note(rows, note, coefficient):
    result = coefficient(rows)
    assert result.value is not None
    assert note in result.note


def test_labels_of_schemes_have_no_note():
    assert alpha([["none", "0"], ["1.1", "1.10"], ["0", 7], ["none", "none"]]).note == ""
