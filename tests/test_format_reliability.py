"""Reading and writing reliability data."""

import csv
import io
import json
import random
import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agreement.measures import ReliabilityData
from annotations.formats import Bundle, FormatError, Place
from annotations.formats.reliability import (
    Judged,
    Matrix,
    Row,
    key_of,
    place_of,
    read_csv,
    read_json,
    read_matrix,
    read_matrix_json,
    write_csv,
    write_json,
    write_matrix,
    write_matrix_json,
)

JUDGED = [
    Judged("walk", "phrase:0-4", "ann", "refers", indices=("Anna",)),
    Judged("walk", "phrase:10-17,20-22", "ann", "refers", indices=("Anna", "a|b", "c\\d"), unsure=True),
    Judged("walk", "phrase:10-17,20-22", "bob", "phrase", pointers=("phrase:0-4", "turn:0-9"), note='say "it",\nnow'),
    Judged("run", "phrase:0-4", "bob", "none", optional=True, name="=A1"),
    Judged("run", "phrase:0-4", "@cy"),
]
TABLE = """\
text,unit,coder,label,value,optional,unsure,note,name
walk,phrase:0-4,ann,refers,Anna,,,,
walk,"phrase:10-17,20-22",ann,refers,Anna|a\\|b|c\\\\d,,1,,
walk,"phrase:10-17,20-22",bob,phrase,phrase:0-4|turn:0-9,,,"say ""it"",
now",
run,phrase:0-4,bob,none,,1,,,'=A1
run,phrase:0-4,'@cy,,,,,,
"""
OBJECTS = """\
[
{"text": "walk", "unit": "phrase:0-4", "coder": "ann", "label": "refers", "indices": ["Anna"]},
{"text": "run", "unit": "phrase:0-4", "coder": "bob", "label": "", "pointers": ["turn:0-9"], "optional": true, "note": "ü"}
]
"""  # noqa: E501
MATRIX = Matrix(
    ("ann", "bob"),
    (
        Row("walk", "a", (frozenset({"b", "a"}), "none")),
        Row("walk", "b,c", (None, frozenset())),
        Row("run", "=a", ("{x", "\\y")),
        Row("run", "b", (frozenset({"a|b", "c\\", "}"}), None)),
    ),
)
MATRIX_TABLE = """\
text,unit,ann,bob
walk,a,{a|b},none
walk,"b,c",,{}
run,'=a,\\{x,\\\\y
run,b,{a\\|b|c\\\\|}},
"""


def table(text: str | bytes, raw: bool = False) -> list[Judged]:
    return read_csv(Bundle.of("data/j.csv", text if isinstance(text, bytes) else text.encode()), raw=raw)


def objects(text: str | bytes) -> list[Judged]:
    return read_json(Bundle.of("data/j.json", text if isinstance(text, bytes) else text.encode()))


def matrix(text: str | bytes, raw: bool = False) -> Matrix:
    return read_matrix(Bundle.of("data/m.csv", text if isinstance(text, bytes) else text.encode()), raw=raw)


def matrix_json(text: str | bytes) -> Matrix:
    return read_matrix_json(Bundle.of("data/m.json", text if isinstance(text, bytes) else text.encode()))


def refused(read: Callable[[str | bytes], object], text: str | bytes) -> FormatError:
    with pytest.raises(FormatError) as caught:
        read(text)
    assert caught.value.file.startswith("data/")
    return caught.value


# Keys.


@pytest.mark.parametrize("key", ["phrase:0-4", "a-b_1:0-1,2-3", "phrase:12-18,20-25"])
def test_a_key_names_level_and_parts(key):
    place = place_of(key)
    assert key_of(place) == key


def test_a_key_has_its_parts_in_code_points():
    assert place_of("turn:0-4,9-12") == Place("turn", ((0, 4), (9, 12)))


@pytest.mark.parametrize(
    "key",
    ["", "phrase", "phrase:", ":0-4", "phrase:4-0", "phrase:4-4", "phrase:00-4", "phrase:0-4,4-6", "phrase:5-6,0-4",
     "phrase:0-4,", "a b:0-1", "phrase:0-4 ", "phrase:٠-٤", "phrase:0-9999999999", "é:0-1", "phrase:-1-4"],
)  # fmt: skip
def test_what_is_written_otherwise_is_no_key(key):
    assert place_of(key) is None


# Judgements as a table.


def test_judgements_are_written_one_a_row():
    assert write_csv(JUDGED).decode() == TABLE


def test_a_table_is_read_with_the_line_of_each_row():
    found = table(TABLE)
    assert found == JUDGED
    assert [row.line for row in found] == [2, 3, 4, 6, 7]


def test_columns_that_need_not_be_there_are_left_out_where_all_are_empty():
    assert write_csv(JUDGED[:1]).decode() == "text,unit,coder,label,value\nwalk,phrase:0-4,ann,refers,Anna\n"
    assert write_csv([]).decode() == "text,unit,coder,label,value\n"
    assert table("text,unit,coder,label,value\n") == []


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_the_separator_is_that_of_the_header(separator):
    row = separator.join(['"a,b;c\td"', "phrase:0-4", "x", "y,;"[: 1 + (separator == "\t") * 2]])
    found = table(f"text{separator}unit{separator}coder{separator}label\n{row}\n")
    assert [(each.text, each.unit, each.coder) for each in found] == [("a,b;c\td", "phrase:0-4", "x")]
    quoted = separator.join(f'"{name}"' for name in ("text", "unit", "coder", "label"))
    assert table(f"{quoted}\n{row}\n") == found


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_and_a_byte_order_mark_change_nothing(end):
    text = "text,unit,coder,label\na,p:0-1,x,y\na,p:2-3,x,z\n".replace("\n", end)
    found = table(b"\xef\xbb\xbf" + text.encode())
    assert [(row.unit, row.category, row.line) for row in found] == [("p:0-1", "y", 2), ("p:2-3", "z", 3)]


def test_columns_may_come_in_any_order_case_and_by_the_names_of_the_library():
    found = table("Chain,Coder, unit ,DOCUMENT,category\n7|8,ann,p:0-1,walk,refers\n")
    assert found == [Judged("walk", "p:0-1", "ann", "refers", indices=("7", "8"))]


def test_rows_without_a_word_are_passed_over():
    assert len(table("text,unit,coder,label\n\n,,,\na,p:0-1,x,y\n\n,,,\n")) == 1


@pytest.mark.parametrize(("word", "means"), [("1", True), ("TRUE", True), ("yes", True), ("0", False), ("No", False)])
def test_flags_are_said_in_several_ways(word, means):
    [row] = table(f"text,unit,coder,label,unsure\na,p:0-1,x,y,{word}\n")
    assert row.unsure is means


@pytest.mark.parametrize(
    ("cell", "pointers", "indices"),
    [
        ("p:0-1", ("p:0-1",), ()),
        ("p\\:0-1", (), ("p:0-1",)),
        ("\\p:0-1", (), ("p:0-1",)),
        ("p:0-1|A|p:2-3", ("p:0-1", "p:2-3"), ("A",)),
        ("A|A", (), ("A",)),
        ("A\\|B", (), ("A|B",)),
        ("A\\\\|B", (), ("A\\", "B")),
        (" A | B", (), (" A ", " B")),
        ("->p", (), ("->p",)),
        ("p:x", (), ("p:x",)),
        ("", (), ()),
    ],
)
def test_a_value_is_a_set_of_entities_or_antecedents(cell, pointers, indices):
    [row] = table(f"text,unit,coder,value\na,q:0-1,x,{cell}\n")
    assert (row.pointers, row.indices) == (pointers, indices)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@x", "'@x"),
        ("\tx", '"\'\tx"'),
        ("\rx", '"\'\rx"'),
        ("'=x", "''=x"),
        ("''-", "'''-"),
        ("'x", "'x"),
        ("'", "'"),
        ("x=1", "x=1"),
        (" =1", '" =1"'),
    ],
)
def test_cells_that_a_spreadsheet_would_compute_are_written_with_an_apostrophe(name, written):
    rows = [Judged("a", "p:0-1", "x", name=name)]
    data = write_csv(rows)
    assert data.decode().split("\n", 1)[1] == f"a,p:0-1,x,,,{written}\n"
    assert table(data) == rows


@pytest.mark.parametrize("name", ["=1+1", "-1", "@x", "\tx", "\rx", "'=x", "''-", "'x"])
def test_the_raw_table_holds_cells_as_they_are(name):
    rows = [Judged("a", "p:0-1", "x", name=name)]
    data = write_csv(rows, raw=True)
    assert next(reversed(list(csv.reader(io.StringIO(data.decode(), newline="")))))[-1] == name
    assert table(data, raw=True) == rows


def test_every_cell_is_neutralised_and_those_of_the_matrix_too():
    row = Judged("=t", "p:0-1", "=c", "=l", indices=("=i",), note="=n", name="=m")
    cells = write_csv([row]).decode().splitlines()[1].split(",")
    assert cells == ["'=t", "p:0-1", "'=c", "'=l", "'=i", "'=n", "'=m"]
    written = write_matrix(Matrix(("=c",), (Row("=t", "=u", ("=v",)),))).decode()
    assert written == "text,unit,'=c\n'=t,'=u,'=v\n"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "this table has no header"),
        ("\n\n", 1, "this table has no header"),
        ("unit,coder,label\n", 1, "there is no column 'text'"),
        ("\ntext,coder,label\n", 2, "there is no column 'unit'"),
        ("text;unit;label\n", 1, "there is no column 'coder'"),
        ("text,unit,coder\n", 1, "there is neither a column 'label' nor 'value'"),
        ("text,unit,coder,label,Label\n", 1, "the column 'label' stands twice"),
        ("text,unit,coder,label,category\n", 1, "the column 'label' stands twice"),
        ("text,unit,coder,label,\n", 1, "there is no use for a column ''; known are text, unit, coder, label, value"),
        ("text,unit,coder,label,valeu\n", 1, "there is no use for a column 'valeu'"),
        ("text,unit,coder,label\na,p:0-1,x\n", 2, "this row has 3 cells, the header has 4"),
        ("text,unit,coder,label\na,p:0-1,x,y,z\n", 2, "this row has 5 cells, the header has 4"),
        ("text,unit,coder,label\n,p:0-1,x,y\n", 2, "column 'text' is empty"),
        ("text,unit,coder,label\na,,x,y\n", 2, "column 'unit' is empty"),
        ("text,unit,coder,label\na,p:0-1,,y\n", 2, "column 'coder' is empty"),
        ("text,unit,coder,label\na,p:1-0,x,y\n", 2, "column 'unit' holds no key of a markable, such as phrase:12-18"),
        ("text,unit,coder,value\na,p:0-1,x,p:1-0\n", 2, "column 'value' holds no key of a markable"),
        ("text,unit,coder,value\na,p:0-1,x,A||B\n", 2, "column 'value' has an empty member"),
        ("text,unit,coder,value\na,p:0-1,x,|\n", 2, "column 'value' has an empty member"),
        ("text,unit,coder,value\na,p:0-1,x,A\\\n", 2, "column 'value' ends in a backslash"),
        (f"text,unit,coder,value\na,p:0-1,x,{'i' * 201}\n", 2, "names an entity by more than 200 characters"),
        ("text,unit,coder,label,optional\na,p:0-1,x,y,maybe\n", 2, "column 'optional' says 1 or nothing, not 'maybe'"),
        (
            "text,unit,coder,label\na,p:0-1,x,y\nb,p:0-1,x,y\na,p:0-1,x,z\n",
            4,
            "column 'unit' stands twice: 'x' judged 'p:0-1' of 'a' already in line 2",
        ),
        ('text,unit,coder,label\na,p:0-1,x,"y\n\n', 2, "this is not a row of a table"),
        ('text,unit,coder,label\na,p:0-1,x,"y"z\n', 2, "this is not a row of a table"),
        ('"text,unit', 1, "this is not a row of a table"),
        ("text,unit,coder,label\na,p:0-1,x,\0\n", 2, "a NUL character"),
        (b"text,unit,coder,label\na,p:0-1,x,\xe9\n", 2, "this is not UTF-8: byte 0xE9"),
        ("text,unit,coder,label\n".encode("utf-16"), 1, "this is not UTF-8: byte 0xFF"),
        (f"text,unit,coder,label\na,p:0-1,x,{'y' * 200_000}\n", 2, "this is not a row of a table: field larger"),
    ],
)
def test_an_error_of_a_table_names_file_line_and_column(text, line, message):
    error = refused(table, text)
    assert message in error.message
    assert error.line == line
    assert str(error).startswith(f"data/j.csv:{line}:")


def test_the_library_reads_the_raw_table(tmp_path):
    rows = [
        Judged("walk", f"p:{number}-{number + 1}", coder, "refers", indices=(index,))
        for coder, indices in [("ann", "AAB"), ("bob", "ABB")]
        for number, index in enumerate(indices)
    ]
    path = tmp_path / "j.csv"
    path.write_bytes(write_csv(rows, raw=True))
    data = ReliabilityData.from_csv(path, document="text", unit=("text", "unit"), chain="value")
    assert data.to_frame().to_numpy().tolist() == [[1, 2], [1, 3], [4, 3]]


# Judgements as JSON.


def test_judgements_are_written_one_a_line():
    rows = [JUDGED[0], Judged("run", "phrase:0-4", "bob", pointers=("turn:0-9",), optional=True, note="ü")]
    assert write_json(rows).decode() == OBJECTS
    assert write_json([]).decode() == "[\n]\n"


def test_a_list_is_read_with_the_line_of_each_object():
    found = objects(OBJECTS)
    assert write_json(found).decode() == OBJECTS
    assert [row.line for row in found] == [2, 3]
    assert objects(write_json(JUDGED)) == JUDGED


@pytest.mark.parametrize("text", ["[]", " [ ] ", "[\n\n]\n"])
def test_an_empty_list_has_no_judgement(text):
    assert objects(text) == []


RECORD = '{"text": "a", "unit": "p:0-1", "coder": "x"'


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "a list of objects is expected"),
        ("\n{}", 2, "a list of objects is expected"),
        ("[", 1, "this is not JSON: Expecting value"),
        ("[\n1,]", 2, "an object is expected here"),
        (f"[\n{RECORD}}},\n]", 3, "this is not JSON: Expecting value"),
        (f"[\n{RECORD}}}\n{RECORD}}}]", 3, "a comma or the end of the list is expected here"),
        (f"[{RECORD}}}", 1, "a comma or the end of the list is expected here"),
        (f"[\n{RECORD}}}]\n]", 3, "the list ends here, the file does not"),
        (f"[\n{RECORD}", 2, "this is not JSON: Expecting ',' delimiter"),
        ('[{"text": "a"}]', 1, "'unit' is missing or empty"),
        ('[{"text": "", "unit": "p:0-1"}]', 1, "'text' is missing or empty"),
        ('[{"text": 1}]', 1, "'text' is a string"),
        (f'[{RECORD}, "label": null}}]', 1, "'label' is a string"),
        (f'[{RECORD}, "value": "A"}}]', 1, "'value' is not known; known are text, unit, coder, label, pointers"),
        (f'[{RECORD}, "indices": "A"}}]', 1, "'indices' is a list of strings"),
        (f'[{RECORD}, "indices": ["A", 1]}}]', 1, "'indices' is a string"),
        (f'[{RECORD}, "indices": [""]}}]', 1, "'indices' has an empty member"),
        (f'[{RECORD}, "pointers": ["A"]}}]', 1, "'value' holds no key of a markable"),
        (f'[{RECORD}, "optional": 1}}]', 1, "'optional' is true or false"),
        (f'[{RECORD}, "note": "a", "note": "b"}}]', 1, "a key stands twice in one object"),
        (f'[{RECORD}, "note": NaN}}]', 1, "NaN is not JSON"),
        (f'[{RECORD}, "note": "\\ud800"}}]', 1, "'note' holds a NUL or half a character"),
        (f'[{RECORD}, "\\ud800": 1}}]', 1, "is not known"),
        (f'[{RECORD}, "note": "\\u0000"}}]', 1, "'note' holds a NUL or half a character"),
        (f"[\n{'9' * 10_000}]", 2, "this is not JSON as it is read here"),
        (f"[\n{RECORD}}},\n{RECORD}}}]", 3, "stands twice: 'x' judged 'p:0-1' of 'a' already in line 2"),
        ("[" * 1_000_000, 1, "lists or objects nest too deep"),
        ('[{"a":' * 500_000, 1, "lists or objects nest too deep"),
        ("[\0]", 1, "a NUL character"),
        (b"[\xff]", 1, "this is not UTF-8"),
    ],
)
def test_an_error_of_a_list_names_file_and_line(text, line, message):
    error = refused(objects, text)
    assert message in error.message
    assert error.line == line
    str(error).encode()


# The canonical matrix.


def test_a_matrix_is_written_units_by_coders():
    assert write_matrix(MATRIX).decode() == MATRIX_TABLE
    assert matrix(MATRIX_TABLE) == MATRIX
    assert (
        write_matrix_json(MATRIX).decode()
        == """\
{"coders": ["ann", "bob"], "rows": [
{"text": "walk", "unit": "a", "values": [["a", "b"], "none"]},
{"text": "walk", "unit": "b,c", "values": [null, []]},
{"text": "run", "unit": "=a", "values": ["{x", "\\\\y"]},
{"text": "run", "unit": "b", "values": [["a|b", "c\\\\", "}"], null]}
]}
"""
    )
    assert matrix_json(write_matrix_json(MATRIX)) == MATRIX


def test_a_matrix_may_be_parted_by_semicolons_and_have_a_coder_called_as_a_column():
    assert matrix("Text;unit;note;text\na;b;{c};d,e\n") == Matrix(
        ("note", "text"), (Row("a", "b", (frozenset("c"), "d,e")),)
    )


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "this table has no header"),
        ("unit,text,ann\n", 1, "the columns of a matrix are text, unit, and one for each coder"),
        ("text,unit\n", 1, "the columns of a matrix are text, unit, and one for each coder"),
        ("text,unit,ann,\n", 1, "a coder has no name"),
        ("text,unit,ann,ann\n", 1, "the coder 'ann' stands twice"),
        ("text,unit,ann\na,b,c\n,b,c\n", 3, "column 'text' is empty"),
        ("text,unit,ann\na,,c\n", 2, "column 'unit' is empty"),
        ("text,unit,ann\na,b,c\na,b,d\n", 3, "column 'unit' stands twice: 'b' of 'a'"),
        ("text,unit,ann\na,b,{c\n", 2, "column 'ann' begins a set that is not closed: '{c'"),
        ("text,unit,ann\na,b,{c|}\n", 2, "column 'ann' has an empty member"),
        ("text,unit,ann\na,b,{c\\}\n", 2, "column 'ann' ends in a backslash"),
        ("text,unit,ann\na,b\n", 2, "this row has 2 cells, the header has 3"),
    ],
)
def test_an_error_of_a_matrix_names_file_line_and_column(text, line, message):
    error = refused(matrix, text)
    assert message in error.message
    assert error.line == line


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "an object is expected here"),
        ("{}", "'coders' is missing or empty"),
        ('{"coders": ["a", "a"]}', "the coder 'a' stands twice"),
        ('{"coders": ["a"], "rows": {}}', "'rows' is a list"),
        ('{"coders": ["a"], "rows": [1]}', "row 1: an object is expected here"),
        ('{"coders": ["a"], "rows": [{"text": "t", "unit": "u"}]}', "row 1: 'values' is a list of 1"),
        ('{"coders": ["a"], "rows": [{"values": [1]}]}', "row 1: 'values' is a list of strings"),
        ('{"coders": ["a"], "rows": [{"values": ["l"]}]}', "row 1: 'text' is missing or empty"),
        ('{"coders": ["a"]} {}', "the JSON ends here, the file does not"),
        ('{"coders": ["a"], "units": []}', "'units' is not known"),
        ("[" * 100_000, "nest too deep"),
        (
            '{"coders": ["a"], "rows": [{"text": "t", "unit": "u", "values": [null]},'
            ' {"text": "t", "unit": "u", "values": [null]}]}',
            "row 2: 'unit' stands twice",
        ),
    ],
)
def test_an_error_of_a_matrix_in_json_names_its_row(text, message):
    assert message in refused(matrix_json, text).message


# Much data.


def test_many_judgements_are_read_and_written_in_time_that_grows_with_them():
    rows = [
        Judged(f"t{text}", f"phrase:{number}-{number + 1}", coder, "refers", indices=(str(number % 50),))
        for text in range(10)
        for number in range(500)
        for coder in ("ann", "bob")
    ]
    started = time.process_time()
    assert table(write_csv(rows)) == rows
    assert objects(write_json(rows)) == rows
    assert time.process_time() - started < 10


def test_a_cell_of_a_megabyte_is_refused():
    assert refused(table, "text,unit,coder,label\n" + '"' * 10**6).line == 2
    assert refused(table, "a" * 10**6).line == 1
    assert refused(table, "," * 10**6).line == 1


# Random data.

WORDS = st.text(st.sampled_from("ab'=+-@\t\r\n\",;|\\{}: 0é😀\u2028\x0b\x85"), min_size=1, max_size=6)
KEYS = st.sampled_from(["p:0-1", "p:0-1,3-4", "turn:0-9"])
ROWS = st.lists(
    st.builds(
        Judged,
        WORDS,
        KEYS,
        WORDS,
        st.just("") | WORDS,
        st.lists(KEYS, max_size=2, unique=True).map(tuple),
        st.lists(WORDS | KEYS | st.sampled_from(["p:9-1", "p:00-1"]), max_size=3, unique=True).map(tuple),
        st.booleans(),
        st.booleans(),
        st.just("") | WORDS,
        st.just("") | WORDS,
    ),
    max_size=4,
    unique_by=lambda row: (row.text, row.unit, row.coder),
)
VALUES = st.none() | WORDS | st.frozensets(WORDS, max_size=3)


@st.composite
def matrices(draw: st.DrawFn) -> Matrix:
    coders = draw(st.lists(WORDS, min_size=1, max_size=3, unique=True))
    units = draw(st.lists(st.tuples(WORDS, WORDS), max_size=4, unique=True))
    return Matrix(tuple(coders), tuple(Row(*unit, tuple(draw(VALUES) for _ in coders)) for unit in units))


SLOW = settings(deadline=None, max_examples=100)


@SLOW
@given(ROWS, st.booleans())
def test_what_is_written_is_read_back(rows, raw):
    assert table(write_csv(rows, raw=raw), raw=raw) == rows
    assert objects(write_json(rows)) == rows


@SLOW
@given(ROWS)
def test_no_cell_begins_as_a_formula(rows):
    for line in csv.reader(io.StringIO(write_csv(rows).decode(), newline="")):
        assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in line)


@SLOW
@given(matrices(), st.booleans())
def test_what_is_written_of_a_matrix_is_read_back(found, raw):
    assert matrix(write_matrix(found, raw=raw), raw=raw) == found
    assert matrix_json(write_matrix_json(found)) == found


@SLOW
@given(ROWS, matrices(), st.integers(0, 2**32))
def test_spoiled_files_are_read_or_refused(rows, found, seed):
    chance = random.Random(seed)
    for read, data in [
        (table, write_csv(rows)),
        (objects, write_json(rows)),
        (matrix, write_matrix(found)),
        (matrix_json, write_matrix_json(found)),
    ]:
        spoiled = bytearray(data)
        for _ in range(chance.randint(1, 3)):
            at = chance.randrange(len(spoiled) + 1)
            length = chance.choice([1, 1, 5, 40])
            match chance.randrange(3):
                case 0:
                    del spoiled[at : at + length]
                case 1:
                    spoiled[at:at] = chance.choice([b"\0", b"\xff", b'"', b",", b"\n", b"{", b"]", b"\\", b"\r", b"'"])
                case 2:
                    spoiled[at:at] = spoiled[at : at + length]
        try:
            read(bytes(spoiled))
        except FormatError as error:
            assert error.message  # noqa: PT017


@SLOW
@given(st.text(st.sampled_from('[]{}",:\\ua1e9-.\n tf'), max_size=30))
def test_any_json_is_read_or_refused(text):
    for read in (objects, matrix_json):
        try:
            read(text)
        except FormatError as error:
            assert error.message  # noqa: PT017
            continue


def test_what_the_standard_library_reads_of_the_json_is_the_same():
    [first, *_] = json.loads(write_json(JUDGED))
    assert first == {"text": "walk", "unit": "phrase:0-4", "coder": "ann", "label": "refers", "indices": ["Anna"]}
