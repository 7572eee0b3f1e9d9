"""Judgements as tables and as documents."""

import csv
import io
import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.measures import ReliabilityData
from annotations.formats import FORMATS, Answer, Bundle, Document, FormatError, Links, Place
from annotations.formats.model.keys import markable_key, parse_key
from annotations.formats.tables.judgements import JudgementRow, read_csv, read_json, write_csv, write_json
from tests.shared.cases import examples
from tests.shared.growth import assert_grows_with_input

JUDGED = [
    JudgementRow("walk", "phrase:0-4", "ann", "refers", indices=("Anna",)),
    JudgementRow("walk", "phrase:10-17,20-22", "ann", "refers", indices=("Anna", "a|b", "c\\d"), unsure=True),
    JudgementRow(
        "walk", "phrase:10-17,20-22", "bob", "phrase", pointers=(("phrase:0-4",), ("turn:0-9",)), note='say "it",\nnow'
    ),
    JudgementRow("run", "phrase:0-4", "bob", "none", optional=True, name="=A1"),
    JudgementRow("run", "phrase:0-4", "@cy", head="0-1,3-4"),
    JudgementRow("run", "", "dan"),
]
TABLE = """\
text,unit,coder,label,value,optional,unsure,note,name,head
walk,phrase:0-4,ann,refers,Anna,,,,,
walk,"phrase:10-17,20-22",ann,refers,Anna|a\\|b|c\\\\d,,1,,,
walk,"phrase:10-17,20-22",bob,phrase,phrase:0-4|turn:0-9,,,"say ""it"",
now",,
run,phrase:0-4,bob,none,,1,,,'=A1,
run,phrase:0-4,'@cy,,,,,,,"0-1,3-4"
run,,dan,,,,,,,
"""
OBJECTS = """\
[
{"text": "walk", "unit": "phrase:0-4", "coder": "ann", "label": "refers", "indices": ["Anna"]},
{"text": "run", "unit": "phrase:0-4", "coder": "bob", "label": "", "pointers": ["turn:0-9"], "optional": true, "note": "ü"}
]
"""  # noqa: E501
LABELS = "text,unit,coder,label"


def table(text: str | bytes, raw: bool = False) -> list[JudgementRow]:
    return read_csv(Bundle.of("data/j.csv", text if isinstance(text, bytes) else text.encode()), raw=raw)


def objects(text: str | bytes) -> list[JudgementRow]:
    return read_json(Bundle.of("data/j.json", text if isinstance(text, bytes) else text.encode()))


def refused(read: Callable[[str | bytes], object], text: str | bytes) -> FormatError:
    with pytest.raises(FormatError) as caught:
        read(text)
    assert caught.value.file.startswith("data/")
    return caught.value


@pytest.mark.parametrize("key", ["phrase:0-4", "a-b_1:0-1,2-3", "phrase:12-18,20-25"])
def test_key_names_level_and_parts(key):
    assert markable_key(*parse_key(key)) == key
    assert parse_key("turn:0-4,9-12") == Place("turn", ((0, 4), (9, 12)))


@pytest.mark.parametrize(
    "key",
    ["", "phrase", "phrase:", ":0-4", "phrase:4-0", "phrase:4-4", "phrase:00-4", "phrase:0-4,4-6", "phrase:5-6,0-4",
     "phrase:0-4,", "a b:0-1", "phrase:0-4 ", "phrase:٠-٤", "phrase:0-9999999999", "é:0-1", "phrase:-1-4"],
)  # fmt: skip
def test_invalid_keys_are_not_parsed(key):
    assert parse_key(key) is None


def test_table_has_one_judgement_a_row():
    assert write_csv(JUDGED).decode() == TABLE
    assert (table(TABLE), [row.line for row in table(TABLE)]) == (JUDGED, [2, 3, 4, 6, 7, 8])
    # Columns that need not be there are left out where all of their cells are empty.
    assert write_csv(JUDGED[:1]).decode() == "text,unit,coder,label,value\nwalk,phrase:0-4,ann,refers,Anna\n"
    assert write_csv([]).decode() == "text,unit,coder,label,value\n"
    assert table("text,unit,coder,label,value\n") == []


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_separator_is_found_in_header(separator):
    row = separator.join(['"a,b;c\td"', "phrase:0-4", "x", "y,;"[: 1 + (separator == "\t") * 2]])
    found = table(f"text{separator}unit{separator}coder{separator}label\n\n{separator * 3}\n{row}\n")
    assert [(each.text, each.unit, each.coder) for each in found] == [("a,b;c\td", "phrase:0-4", "x")]
    quoted = separator.join(f'"{name}"' for name in ("text", "unit", "coder", "label"))
    assert table(f"{quoted}\n{row}\n") == found
    named = table(
        separator.join(["Chain", "Coder", " unit ", "DOCUMENT", "category\n"])
        + separator.join(["7|8", "ann", "p:0-1", "walk", "refers\n"])
    )
    assert named == [JudgementRow("walk", "p:0-1", "ann", "refers", indices=("7", "8"))]


@pytest.mark.parametrize(("word", "means"), [("1", True), ("TRUE", True), ("yes", True), ("0", False), ("No", False)])
def test_flags_have_several_spellings(word, means):
    [row] = table(f"text,unit,coder,label,unsure\na,p:0-1,x,y,{word}\n")
    assert row.unsure is means


@pytest.mark.parametrize(
    ("cell", "pointers", "indices"),
    [
        ("p:0-1", (("p:0-1",),), ()),
        ("p\\:0-1", (), ("p:0-1",)),
        ("\\p:0-1", (), ("p:0-1",)),
        ("p:0-1|A|p:2-3", (("p:0-1",), ("p:2-3",)), ("A",)),
        ("p:0-1+p:2-3|p:4-5", (("p:0-1", "p:2-3"), ("p:4-5",)), ()),
        ("p\\:0-1+p:2-3", (), ("p:0-1+p:2-3",)),
        ("A|A", (), ("A",)),
        ("A\\|B", (), ("A|B",)),
        ("A\\\\|B", (), ("A\\", "B")),
        (" A | B", (), (" A ", " B")),
        ("->p", (), ("->p",)),
        ("p:x", (), ("p:x",)),
        ("", (), ()),
    ],
)
def test_value_is_read_as_entities_or_antecedents(cell, pointers, indices):
    [row] = table(f"text,unit,coder,value\na,q:0-1,x,{cell}\n")
    assert (row.pointers, row.indices) == (pointers, indices)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        *((name, f"'{name}") for name in ("=1+1", "+1", "-1", "@x", "'=x", "''-")),
        *((name, name) for name in ("'x", "'", "x=1")),
        *(("\tx", '"\'\tx"'), ("\rx", '"\'\rx"'), (" =1", '" =1"')),
    ],
)
def test_formulas_get_apostrophe_unless_raw(name, written):
    rows = [JudgementRow("a", "p:0-1", "x", name=name)]
    data = write_csv(rows)
    assert data.decode().split("\n", 1)[1] == f"a,p:0-1,x,,,{written}\n"
    assert table(data) == rows
    raw = write_csv(rows, raw=True)
    assert list(csv.reader(io.StringIO(raw.decode(), newline="")))[-1][-1] == name
    assert table(raw, raw=True) == rows


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "this table has no header"),
        ("\n\n", 1, "this table has no header"),
        ("unit,coder,label\n", 1, "there is no column 'text'"),
        ("\ntext,coder,label\n", 2, "there is no column 'unit'"),
        ("text;unit;label\n", 1, "there is no column 'coder'"),
        ("text,unit,coder\n", 1, "there is neither a column 'label' nor 'value'"),
        ("text,unit,coder,label,Label\n", 1, "the column 'label' appears twice"),
        ("text,unit,coder,label,category\n", 1, "the column 'label' appears twice"),
        ("text,unit,coder,,label\n", 1, "there is no use for a column ''; known are text, unit, coder, label, value"),
        (f"{LABELS},time,sure\na,p:0-1,x,,,1\nb,p:0-1,x,,3,1\n", 1, "the columns 'sure' (2 values), 'time' (1 values)"),
        (f"text,unit,coder,label{',x' * 30}\n", 1, "'x' (0 values), 10 more; known are text, unit"),
        ("text,unit,ann,bob\na,p:0-1,x,y\n", 1, "a table with a column a coder is a matrix (matrix-csv)"),
        ("text,unit,coder,label,valeu\n", 1, "there is no use for a column 'valeu'"),
        ("text,unit,coder,label\na,p:0-1,x\n", 2, "this row has 3 cells, the header has 4"),
        ("text,unit,coder,label\na,p:0-1,x,y,z\n", 2, "this row has 5 cells, the header has 4"),
        ("text,unit,coder,label\n,p:0-1,x,y\n", 2, "column 'text' is empty"),
        ("text,unit,coder,label\na,,x,y\n", 2, "column 'unit' is empty, and the row says something of it"),
        ("text,unit,coder,label,head\na,,x,,0-1\n", 2, "column 'unit' is empty, and the row says something of it"),
        ("text,unit,coder,label,head\na,p:0-1,x,y,1-0\n", 2, "column 'head' holds no parts, such as 12-18: '1-0'"),
        ("text,unit,coder,label\na,p:0-1,,y\n", 2, "column 'coder' is empty"),
        ("text,unit,coder,label\na,p:1-0,x,y\n", 2, "column 'unit' holds no key of a markable, such as phrase:12-18"),
        ("text,unit,coder,value\na,p:0-1,x,p:1-0\n", 2, "column 'value' holds no key of a markable"),
        ("text,unit,coder,value\na,p:0-1,x,A||B\n", 2, "column 'value' has an empty member"),
        ("text,unit,coder,value\na,p:0-1,x,|\n", 2, "column 'value' has an empty member"),
        ("text,unit,coder,value\na,p:0-1,x,A\\\n", 2, "column 'value' ends in a backslash"),
        (f"text,unit,coder,value\na,p:0-1,x,{'i' * 201}\n", 2, "names an entity by more than 200 characters"),
        ("text,unit,coder,label,optional\na,p:0-1,x,y,maybe\n", 2, "column 'optional' says 1 or nothing, not 'maybe'"),
        (f"{LABELS}\na,p:0-1,x,y\nb,p:0-1,x,y\na,p:0-1,x,z\n", 4, "'x' judged 'p:0-1' of 'a' already in line 2"),
        ('text,unit,coder,label\na,p:0-1,x,"y\n\n', 2, "this is not a row of a table"),
        ('text,unit,coder,label\na,p:0-1,x,"y"z\n', 2, "this is not a row of a table"),
        ('"text,unit', 1, "this is not a row of a table"),
        ("text,unit,coder,label\na,p:0-1,x,\0\n", 2, "a NUL character"),
        (b"text,unit,coder,label\na,p:0-1,x,\xe9\n", 2, "this is not UTF-8: byte 0xE9"),
        ("text,unit,coder,label\n".encode("utf-16"), 1, "this is not UTF-8: byte 0xFF"),
        (f"text,unit,coder,label\na,p:0-1,x,{'y' * 200_000}\n", 2, "this is not a row of a table: field larger"),
    ],
)
def test_error_of_a_table_names_file_line_and_column(text, line, message):
    error = refused(table, text)
    assert message in error.message
    assert str(error).startswith(f"data/j.csv:{line}:")


@pytest.mark.parametrize("raw", [True, False])
def test_library_reads_guarded_and_raw_tables(tmp_path, raw):
    rows = [
        JudgementRow("walk", f"-p:{number}-{number + 1}", coder, "refers", indices=(index,))
        for coder, indices in [("@ann", ["=A", "=A", "'=A"]), ("bob", ["A", "B", "B"])]
        for number, index in enumerate(indices)
    ]
    path = tmp_path / "j.csv"
    path.write_bytes(write_csv(rows, raw=raw))
    data = ReliabilityData.from_csv(path, document="text", unit=("text", "unit"), chain="value")
    assert data.to_frame().to_numpy().tolist() == [[1, 2], [1, 3], [4, 3]]


def test_json_has_one_judgement_a_line():
    rows = [JUDGED[0], JudgementRow("run", "phrase:0-4", "bob", pointers=(("turn:0-9",),), optional=True, note="ü")]
    assert write_json(rows).decode() == OBJECTS
    assert (objects(OBJECTS), [row.line for row in objects(OBJECTS)]) == (rows, [2, 3])
    assert objects(write_json(JUDGED)) == JUDGED
    assert len(json.loads(write_json(JUDGED))) == len(JUDGED)
    for empty in (write_json([]), "[]", " [ ] ", "[\n\n]\n"):
        assert objects(empty) == []


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
        ('[{"text": "a"}]', 1, "'coder' is missing or empty"),
        ('[{"text": "", "unit": "p:0-1"}]', 1, "'text' is missing or empty"),
        ('[{"text": 1}]', 1, "'text' is a string"),
        (f'[{RECORD}, "label": null}}]', 1, "'label' is a string"),
        (f'[{RECORD}, "value": "A"}}]', 1, "'value' is not known; known are text, unit, coder, label, pointers"),
        (f'[{RECORD}, "indices": "A"}}]', 1, "'indices' is a list of strings"),
        (f'[{RECORD}, "indices": ["A", 1]}}]', 1, "'indices' is a string"),
        (f'[{RECORD}, "indices": [""]}}]', 1, "'indices' has an empty member"),
        (f'[{RECORD}, "pointers": ["A"]}}]', 1, "'value' holds no key of a markable"),
        (f'[{RECORD}, "optional": 1}}]', 1, "'optional' is true or false"),
        (f'[{RECORD}, "note": "a", "note": "b"}}]', 1, "a key appears twice in one object"),
        (f'[{RECORD}, "note": NaN}}]', 1, "NaN is not JSON"),
        (f'[{RECORD}, "note": "\\ud800"}}]', 1, "'note' holds a NUL or half a character"),
        (f'[{RECORD}, "\\ud800": 1}}]', 1, "is not known"),
        (f'[{RECORD}, "note": "\\u0000"}}]', 1, "'note' holds a NUL or half a character"),
        (f"[\n{'9' * 10_000}]", 2, "this is not JSON as it is read here"),
        (f"[\n{RECORD}}},\n{RECORD}}}]", 3, "appears twice: 'x' judged 'p:0-1' of 'a' already in line 2"),
        ("[" * 1_000_000, 1, "lists or objects nest too deep"),
        ('[{"a":' * 500_000, 1, "lists or objects nest too deep"),
        ("[\0]", 1, "a NUL character"),
        (b"[\xff]", 1, "this is not UTF-8"),
    ],
)
def test_error_of_a_list_names_file_and_line(text, line, message):
    error = refused(objects, text)
    assert message in error.message
    assert error.line == line
    str(error).encode()


@pytest.mark.slow
def test_reading_and_writing_judgements_takes_linear_time():
    def write_and_read(n):
        rows = [
            JudgementRow(f"t{text}", f"phrase:{number}-{number + 1}", coder, "refers", indices=(str(number % 50),))
            for text in range(10)
            for number in range(n)
            for coder in ("ann", "bob")
        ]
        assert table(write_csv(rows)) == rows
        assert objects(write_json(rows)) == rows

    assert_grows_with_input(write_and_read, 500)


@pytest.mark.parametrize(("text", "line"), [(f"LABELS\n{'"' * 10**6}", 2), ("a" * 10**6, 1), ("," * 10**6, 1)])
def test_too_long_cell_is_refused(text, line):
    assert refused(table, text.replace("LABELS", LABELS)).line == line


def documents(text: str) -> list[Document]:
    return FORMATS["judgements-csv"].read(Bundle.of("data/j.csv", text.encode()))


def test_table_is_split_into_documents_by_text_and_coder():
    found = documents(TABLE)
    assert [(document.name, document.coder, document.links, len(document.marks)) for document in found] == [
        ("walk", "ann", Links.INDICES, 2),
        ("walk", "bob", Links.POINTERS, 3),
        ("run", "bob", Links.NONE, 1),
        ("run", "@cy", Links.NONE, 1),
        ("run", "dan", Links.NONE, 0),
    ]
    for document in found:
        assert (document.without_text, document.content, document.file) == (True, "", "data/j.csv")


def test_targets_and_unanswered_rows_become_markables():
    [document] = documents("text,unit,coder,label,value\nwalk,phrase:10-13,ann,phrase,phrase:0-4|turn:0-17\n")
    assert [(mark.place, mark.answer is None, mark.line) for mark in document.marks] == [
        (Place("turn", ((0, 17),)), True, 2),
        (Place("phrase", ((0, 4),)), True, 2),
        (Place("phrase", ((10, 13),)), False, 2),
    ]
    [document] = documents(f"{LABELS},head\nw,p:0-4,x,,0-1\nw,p:5-6,x,none,\n")
    assert [(mark.answer, mark.head) for mark in document.marks] == [(None, ((0, 1),)), (Answer(category="none"), ())]


@pytest.mark.parametrize(
    "rows", ["w,p:0-1,x,A\nw,p:2-3,x,p:0-1\n", "w,p:2-3,x,p:0-1\nw,p:0-1,x,A\n", "w,p:0-1,y,\nw,p:2-3,x,p:0-1|A\n"]
)
def test_mixed_antecedents_and_entities_are_refused(rows):
    with pytest.raises(FormatError, match=r"^data/j\.csv:3: column 'value' names antecedents and entities"):
        documents(f"text,unit,coder,value\n{rows}")


def test_option_reads_and_writes_raw_cells():
    [document] = documents(f"{LABELS},note\nw,p:0-1,x,none,'=1\n")
    format_ = FORMATS["judgements-csv"]
    assert document.marks[0].answer.note == "=1"
    [file] = format_.write([document], cells="raw")
    assert file.data == b"text,unit,coder,label,value,note\nw,p:0-1,x,none,,=1\n"
    assert format_.read(Bundle.of(file.path, file.data), cells="raw")[0].marks == document.marks
    assert b"'=1" in format_.write([document])[0].data


WORDS = st.text(st.sampled_from("ab'=+-@\t\r\n\",;|\\{}: 0é😀\u2028\x0b\x85"), min_size=1, max_size=6)
UNITS = st.sampled_from(["p:0-1", "p:0-1,3-4", "turn:0-9"])
READING = st.lists(UNITS, min_size=1, max_size=2, unique=True).map(tuple)
READINGS = st.lists(READING, max_size=2, unique=True).map(tuple)
SOME_READINGS = st.lists(READING, min_size=1, max_size=2, unique=True).map(tuple)
KEYS = st.sampled_from(["gender", "Gender", "a-b"])
ROWS = st.lists(
    st.builds(
        JudgementRow,
        WORDS,
        UNITS,
        WORDS,
        st.just("") | WORDS,
        READINGS,
        st.sampled_from(["", "", "0-1", "0-1,3-4"]),
        indices=st.lists(WORDS | UNITS | st.sampled_from(["p:9-1", "p:00-1"]), max_size=3, unique=True).map(tuple),
        optional=st.booleans(),
        unsure=st.booleans(),
        note=st.just("") | WORDS,
        name=st.just("") | WORDS,
        relations=st.dictionaries(KEYS, SOME_READINGS, max_size=2).map(lambda each: tuple(sorted(each.items()))),
        attributes=st.dictionaries(KEYS, WORDS, max_size=2).map(lambda each: tuple(sorted(each.items()))),
    ),
    max_size=4,
    unique_by=lambda row: (row.text, row.unit, row.coder),
)
SLOW = examples(100)


@SLOW
@given(ROWS, st.booleans())
def test_judgements_are_read_back_and_written_equal(rows, raw):
    data = write_csv(rows, raw=raw)
    assert table(data, raw=raw) == rows
    assert write_csv(table(data, raw=raw), raw=raw) == data
    assert objects(write_json(rows)) == rows
    assert write_json(objects(write_json(rows))) == write_json(rows)


@SLOW
@given(ROWS)
def test_no_cell_begins_like_formula(rows):
    for line in csv.reader(io.StringIO(write_csv(rows).decode(), newline="")):
        assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in line)


@SLOW
@given(st.text(st.sampled_from('[]{}",:\\ua1e9-.\n tf'), max_size=30))
def test_random_json_is_read_or_refused(text):
    try:
        objects(text)
    except FormatError as error:
        assert error.file == "data/j.json"  # noqa: PT017
