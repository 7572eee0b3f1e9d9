"""The canonical matrix from a file."""

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from agreement.measures import Readings, ReliabilityData, alpha
from agreement.measures.__main__ import main as command
from annotations.formats.tables.matrix import Matrix, Row, write_csv
from tests.agreement.measures.checks import values_of
from tests.shared.cases import examples
from tests.shared.growth import assert_grows_with_input

MATRIX = """text,unit,Ann,Bob,'+Cy
one,A,{A|B},{A},none
one,B,{A|B},,"{a,b|\\|}"
two,A,{},\\{x},'=1
two,"B,C",{A},none,\\\\y
"""


def of(document, *members):
    return frozenset((document, member) for member in members)


def test_matrix_cells_are_labels_sets_or_missing(written):
    data = ReliabilityData.from_matrix(written(MATRIX))
    assert values_of(data) == {
        ("one", "A"): [of("one", "A", "B"), of("one", "A"), "none"],
        ("one", "B"): [of("one", "A", "B"), None, of("one", "a,b", "|")],
        ("two", "A"): [frozenset(), "{x}", "=1"],
        ("two", "B,C"): [of("two", "A"), "none", "\\y"],
    }
    assert data.coders == ("Ann", "Bob", "+Cy")
    assert data.documents == ("one", "two")


def test_matrix_sets_may_have_labels_as_members(written, capsys):
    path = written("text,unit,Ann,Bob\none,A,{joy|fear},{joy}\ntwo,A,{joy},none\ntwo,B,{a\\|b},{joy|fear}\n")
    data = ReliabilityData.from_matrix(path, members="labels")
    assert data.members == "labels"
    assert values_of(data) == {
        ("one", "A"): [frozenset(["joy", "fear"]), frozenset(["joy"])],
        ("two", "A"): [frozenset(["joy"]), "none"],
        ("two", "B"): [frozenset(["a|b"]), frozenset(["joy", "fear"])],
    }
    assert command([str(path), "--matrix", "--members", "labels"]) == 0
    assert f"alpha, masi {alpha(data, 'masi').value:18.4f}" in capsys.readouterr().out
    with pytest.raises(ValueError, match="members is 'words'"):
        ReliabilityData.from_matrix(path, members="words")


def test_two_bars_separate_readings(written):
    path = written("text,unit,Ann,Bob\none,A,{A|B||C},{A|B}\none,B,{||A},{A\\||B}\ntwo,A,{A||B||C},{A}\n")
    assert values_of(ReliabilityData.from_matrix(path)) == {
        ("one", "A"): [Readings([of("one", "A", "B"), of("one", "C")]), of("one", "A", "B")],
        ("one", "B"): [Readings([[], of("one", "A")]), of("one", "A|", "B")],
        ("two", "A"): [Readings([of("two", unit) for unit in "ABC"]), of("two", "A")],
    }


def test_raw_matrix_keeps_apostrophes(written):
    data = ReliabilityData.from_matrix(written(MATRIX), raw=True)
    assert data.coders[-1] == "'+Cy"
    assert values_of(data)["two", "A"][-1] == "'=1"


@pytest.mark.parametrize("changed", [MATRIX.replace("\n", "\r\n"), f"\ufeff{MATRIX}", f"{MATRIX}three,,{{}},,\n"])
def test_matrix_ignores_line_ends_byte_order_mark_and_empty_texts(written, changed):
    found, expected = (ReliabilityData.from_matrix(written(content)) for content in (changed, MATRIX))
    assert values_of(found) == values_of(expected)


def test_tabs_separate_columns_of_tsv(written):
    data = ReliabilityData.from_matrix(written("text\tunit\tAnn\nx\tA\t{A,B|C}\n", "m.tsv"))
    assert values_of(data) == {("x", "A"): [of("x", "A,B", "C")]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "there is no header"),
        ("text\n", "none of ['text'] is called 'unit': name it by unit=... (--unit)"),
        ("item,Ann,Bob\n1,A,A\n", "none of ['item', 'Ann'] is called 'unit': name it by unit=... (--unit)"),
        ("page,unit,Ann\n1,A,A\n", "the column 'page' stands before the unit: name it by document=... (--document)"),
        ("unit,Ann,label\n1,A,A\n", "the column 'label' is behind the first two, where each column is a coder"),
        ("text,unit,Ann,\na,b,c,d\n", "a column has no name"),
        ("text,unit,Ann,Ann\na,b,c,d\n", "coder 'Ann' comes twice"),
        ("text,unit,Ann\na,b,c\na,b,d\n", "unit ('a', 'b') comes twice"),
        ("text,unit,Ann\na,b\n", "line 2: 2 cells where the header has 3"),
        ("text,unit,Ann\na,b,c,d\n", "line 2: 4 cells where the header has 3"),
        ("text,unit,Ann\na,b,c\n,b,c\n", "line 3: there is no document"),
        ("text,unit,Ann\na,,c\n", "line 2: there is no unit"),
        ("text,unit,Ann\na,,{c}\n", "line 2: there is no unit"),
        ("text,unit,Ann\na,b,{c\n", "line 2, coder 'Ann': this is not a set: '{c'"),
        ("text,unit,Ann\na,b,{c|}\n", "line 2, coder 'Ann': this is not a set: '{c|}'"),
        ("text,unit,Ann\na,b,{c\\}\n", "line 2, coder 'Ann': this is not a set"),
        ("text,unit,Ann\na,b,{c|||d}\n", "line 2, coder 'Ann': this is not a set: '{c|||d}'"),
        ("text,unit,Ann\na,b,{c||c}\n", "line 2, coder 'Ann': a reading comes twice: '{c||c}'"),
        (b"text,unit,Ann\na,b,\xff\n", "line 2: byte 0xFF is not UTF-8"),
        ('text,unit,Ann\na,b,"c\nd"\na,b,"c\n', "line 4: unexpected end of data"),
        (f"text,unit,Ann\na,b,{'c' * 200_000}\n", "line 2: field larger than field limit"),
    ],
)
def test_error_names_file_and_line(written, text, message):
    path = written(text)
    with pytest.raises(ValueError, match=r"table\.csv: ") as caught:
        ReliabilityData.from_matrix(path)
    assert message in str(caught.value)


def test_matrix_may_have_no_units(written):
    data = ReliabilityData.from_matrix(written("text,unit,Ann\n"))
    assert (data.coders, data.units, alpha(data).value) == (("Ann",), (), None)


def test_command_reads_matrix(written, capsys):
    assert command([str(written(MATRIX)), "--matrix", "--distance", "masi", "--replicates", "10"]) == 0
    assert capsys.readouterr().out.startswith("alpha, masi")
    assert command([str(written("text,unit,A\na,b,{\n")), "--matrix", "--raw"]) == 2
    assert "this is not a set" in capsys.readouterr().err


WORDS = st.text(st.sampled_from("ab'=+-@\t\r\n\",;|\\{}: 0é😀\u2028\x0b\x85"), min_size=1, max_size=6)


@examples(100, HealthCheck.function_scoped_fixture)
@given(st.data(), st.booleans())
def test_library_reads_matrix_written_by_formats(written, data, raw):
    coders = data.draw(st.lists(WORDS, min_size=1, max_size=3, unique=True))
    units = data.draw(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=4, unique=True))
    values = st.none() | WORDS | st.frozensets(WORDS, max_size=3)
    rows = [Row(*unit, tuple(data.draw(values) for _ in coders)) for unit in units]
    found = ReliabilityData.from_matrix(written(write_csv(Matrix(tuple(coders), tuple(rows)), raw=raw)), raw=raw)
    assert found.coders == tuple(coders)
    assert values_of(found) == {
        (row.text, row.unit): [of(row.text, *value) if isinstance(value, frozenset) else value for value in row.values]
        for row in rows
    }


def test_time_to_read_matrix_is_linear(written):
    members = "|".join(f"u{number}" for number in range(100))

    def read(n_texts):
        rows = "".join(f"t{text},u{unit},{{{members}}},none\n" for text in range(n_texts) for unit in range(100))
        data = ReliabilityData.from_matrix(written(f"text,unit,Ann,Bob\n{rows}"))
        assert data.to_frame().shape == (100 * n_texts, 2)

    assert_grows_with_input(read, 100)


def test_time_to_refuse_unclosed_set_is_linear(written):
    def refuse(n):
        with pytest.raises(ValueError, match="this is not a set"):
            ReliabilityData.from_matrix(written("text,unit,Ann\na,b,{" + "a|" * n + "\\\n"))

    assert_grows_with_input(refuse, 60_000)
