"""The matrix of units and coders as a table and as documents."""

import json
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.formats import FORMATS, Answer, Bundle, Document, FormatError, Links, Mark, Place
from annotations.formats.tables.matrix import (
    MAX_CODERS,
    Matrix,
    Row,
    from_documents,
    read_csv,
    read_json,
    write_csv,
    write_json,
)
from tests.shared.cases import examples
from tests.shared.documents import plain_of
from tests.shared.growth import assert_grows_with_input

MATRIX = Matrix(
    ("ann", "bob"),
    (
        Row("walk", "a", (frozenset({"b", "a"}), "none")),
        Row("walk", "b,c", (None, frozenset())),
        Row("run", "=a", ("{x", "\\y")),
        Row("run", "b", (frozenset({"a|b", "c\\", "}"}), None)),
        Row("run", "c", (frozenset([frozenset("ab"), frozenset("c")]), frozenset([frozenset(), frozenset("a")]))),
    ),
)
MATRIX_TABLE = """\
text,unit,ann,bob
walk,a,{a|b},none
walk,"b,c",,{}
run,'=a,\\{x,\\\\y
run,b,{a\\|b|c\\\\|}},
run,c,{a|b||c},{||a}
"""
MATRIX_JSON = """\
[
{"text": "walk", "unit": "a", "values": {"ann": ["a", "b"], "bob": "none"}},
{"text": "walk", "unit": "b,c", "values": {"ann": null, "bob": []}},
{"text": "run", "unit": "=a", "values": {"ann": "{x", "bob": "\\\\y"}},
{"text": "run", "unit": "b", "values": {"ann": ["a|b", "c\\\\", "}"], "bob": null}},
{"text": "run", "unit": "c", "values": {"ann": [["a", "b"], ["c"]], "bob": [[], ["a"]]}}
]
"""


def matrix(text: str | bytes, raw: bool = False) -> Matrix:
    return read_csv(Bundle.of("data/m.csv", text if isinstance(text, bytes) else text.encode()), raw=raw)


def matrix_json(text: str | bytes) -> Matrix:
    return read_json(Bundle.of("data/m.json", text if isinstance(text, bytes) else text.encode()))


def refused(read: Callable[[str | bytes], object], text: str | bytes) -> FormatError:
    with pytest.raises(FormatError) as caught:
        read(text)
    assert caught.value.file.startswith("data/")
    return caught.value


def test_matrix_has_units_as_rows_and_coders_as_columns():
    assert write_csv(MATRIX).decode() == MATRIX_TABLE
    assert matrix(MATRIX_TABLE) == MATRIX
    assert write_json(MATRIX).decode() == MATRIX_JSON
    assert matrix_json(write_json(MATRIX)) == MATRIX
    nobody = Matrix((), ())
    assert matrix(write_csv(nobody)) == matrix_json(write_json(nobody)) == nobody


def test_json_rows_may_lack_coders_of_any_name():
    expected = Matrix(("note", "text"), (Row("a", "b", (frozenset("c"), "d,e")),))
    assert matrix("Text;unit;note;text\na;b;{c};d,e\n") == expected
    found = matrix_json(f'[{ROW}: {{"x": "a"}}}}, {{"text": "t", "unit": "v", "values": {{"y": "b"}}}}]')
    assert found == Matrix(("x", "y"), (Row("t", "u", ("a", None)), Row("t", "v", (None, "b"))))
    assert [row.line for row in found.rows] == [1, 1]


def test_formulas_get_apostrophe_unless_raw():
    formulas = Matrix(("=c",), (Row("=t", "=u", ("=v",)),))
    assert write_csv(formulas) == b"text,unit,'=c\n'=t,'=u,'=v\n"
    assert write_csv(formulas, raw=True) == b"text,unit,=c\n=t,=u,=v\n"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "this table has no header"),
        ("unit,text,ann\n", 1, "the columns of a matrix are text, unit, and one for each coder"),
        ("text\n", 1, "the columns of a matrix are text, unit, and one for each coder"),
        ("text,unit,,ann\n", 1, "a coder has no name"),
        ("text,unit,ann,ann\n", 1, "the coder 'ann' appears twice"),
        ("text,unit,ann\na,b,c\n,b,c\n", 3, "column 'text' is empty"),
        ("text,unit,ann\na,,c\n", 2, "column 'unit' is empty, and the row says something of it"),
        ("text,unit,ann\na,,{}\na,,\n", 3, "column 'unit' appears twice: '' of 'a'"),
        ("text,unit,ann\na,b,c\na,b,d\n", 3, "column 'unit' appears twice: 'b' of 'a'"),
        ("text,unit,ann\na,b,{c\n", 2, "column 'ann' begins a set that is not closed: '{c'"),
        ("text,unit,ann\na,b,{c|}\n", 2, "column 'ann' has an empty member"),
        ("text,unit,ann\na,b,{c\\}\n", 2, "column 'ann' ends in a backslash"),
        ("text,unit,ann\na,b,{c||c}\n", 2, "column 'ann' has a reading twice, or only one"),
        ("text,unit,ann\na,b,{c|||d}\n", 2, "column 'ann' has an empty member"),
        ("text,unit,ann\na,b\n", 2, "this row has 2 cells, the header has 3"),
    ],
)
def test_error_names_line_and_column(text, line, message):
    error = refused(matrix, text)
    assert message in error.message
    assert error.line == line


ROW = '{"text": "t", "unit": "u", "values"'


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("{}", 1, "a list of objects is expected"),
        ("[1]", 1, "an object is expected here"),
        ('[{"text": "t", "unit": "u"}]', 1, "'values' is an object with a value for each coder"),
        (f"[\n{ROW}: []}}]", 2, "'values' is an object with a value for each coder"),
        (f'[\n{ROW}: {{"x": 1}}}}]', 2, "'x' is a list of strings"),
        (f'[\n{ROW}: {{"x": [["a"]]}}}}]', 2, "'x' has a reading twice, or only one"),
        (f'[\n{ROW}: {{"x": [["a"], "b"]}}}}]', 2, "'x' is a string"),
        (f'[\n{ROW}: {{"x": [""]}}}}]', 2, "'x' has an empty member"),
        (f'[\n{ROW}: {{"x": "\\u0000"}}}}]', 2, "'x' holds a NUL"),
        (f'[\n{ROW}: {{"": "a"}}}}]', 2, "'values' has a coder without a name"),
        (f'[\n{ROW}: {{"x": "a", "x": "b"}}}}]', 2, "a key appears twice in one object"),
        (f'[\n{ROW}: {{}}, "coder": "x"}}]', 2, "'coder' is not known"),
        ('[\n{"unit": "u", "values": {}}]', 2, "'text' is missing or empty"),
        (f"[\n{ROW}: {{}}}},\n{ROW}: {{}}}}]", 3, "'unit' appears twice: 'u' of 't'"),
        ("[" * 100_000, 1, "nest too deep"),
    ],
)
def test_error_in_json_names_line(text, line, message):
    error = refused(matrix_json, text)
    assert message in error.message
    assert error.line == line


def documents(text: str, key: str = "matrix-csv") -> list[Document]:
    return FORMATS[key].read(Bundle.of("data/m.csv", text.encode()))


DOCUMENTS = """\
text,unit,ann,bob
run,phrase:0-4,,none
walk,phrase:0-4,{Anna},phrase
walk,"phrase:10-13,15-17",{Anna|\\\\p:0-1},{phrase:0-4|turn:0-17}
walk,phrase:20-24,{},
"""


def test_matrix_is_split_into_documents_by_text_and_coder():
    ann, run, walk = documents(DOCUMENTS)
    assert [(doc.name, doc.coder, doc.links, doc.without_text) for doc in (ann, run, walk)] == [
        ("walk", "ann", Links.INDICES, True),
        ("run", "bob", Links.NONE, True),
        ("walk", "bob", Links.POINTERS, True),
    ]
    assert [mark.answer.indices for mark in ann.marks] == [("Anna",), ("Anna", "p:0-1"), ()]
    turn, phrase = Place("turn", ((0, 17),)), Place("phrase", ((0, 4),))
    assert [(mark.place, mark.answer) for mark in walk.marks][:2] == [(turn, None), (phrase, Answer(category="phrase"))]
    assert walk.marks[2].answer == Answer(pointers=(phrase, turn))
    assert [mark.line for mark in walk.marks] == [4, 3, 4]
    [file] = FORMATS["matrix-json"].write(documents(DOCUMENTS))
    for key, text in (("matrix-csv", DOCUMENTS), ("matrix-json", file.data.decode())):
        [again] = FORMATS[key].write(documents(text, key))
        assert again.data.decode() == text


@pytest.mark.parametrize("key", ["matrix-csv", "matrix-json"])
def test_coder_without_markables_has_row_without_unit(key):
    [document] = documents("text,unit,ann\nwalk,phrase:0-4,a\n")
    nobody = replace(document, coder="bob", marks=[document.marks[0].with_answer(None)])
    assert write_csv(from_documents([document, nobody])) == b"text,unit,ann,bob\nwalk,,,{}\nwalk,phrase:0-4,a,\n"
    [file] = FORMATS[key].write([document, nobody])
    found = FORMATS[key].read(Bundle.of(file.path, file.data))
    assert [(doc.coder, doc.name, len(doc.marks)) for doc in found] == [("ann", "walk", 1), ("bob", "walk", 0)]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("text,unit,ann\nw,a,b\n", 2, "column 'unit' holds no key of a markable, such as phrase:12-18: 'a'"),
        ("text,unit,ann\nw,p:0-1,{p:1-0}\n", 2, "column 'ann' holds no key of a markable, such as phrase:12-18"),
        ("text,unit,ann\nw,p:0-1,{p:2-3|A}\n", 2, "column 'ann' names antecedents and entities"),
        ("text,unit,ann\nw,p:0-1,{p:2-3}\nw,p:4-5,{A}\n", 3, "column 'ann' names antecedents and entities"),
        (f"text,unit,ann\nw,p:0-1,{{{'i' * 201}}}\n", 2, "column 'ann' names an entity by more than 200 characters"),
    ],
)
def test_unsupported_values_are_refused(text, line, message):
    with pytest.raises(FormatError, match=re.escape(f"data/m.csv:{line}: {message}")):
        documents(text)


WORDS = st.text(st.sampled_from("ab'=+-@\t\r\n\",;|\\{}: 0é😀\u2028\x0b\x85"), min_size=1, max_size=6)
VALUES = st.none() | WORDS | st.frozensets(WORDS, max_size=3)
SLOW = examples(100)


@st.composite
def matrices(draw: st.DrawFn) -> Matrix:
    coders = draw(st.lists(WORDS, min_size=1, max_size=3, unique=True))
    units = draw(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=4, unique=True))
    return Matrix(tuple(coders), tuple(Row(*unit, tuple(draw(VALUES) for _ in coders)) for unit in units))


@SLOW
@given(matrices(), st.booleans())
def test_matrices_are_read_back_and_written_equal(found, raw):
    data = write_csv(found, raw=raw)
    assert matrix(data, raw=raw) == found
    assert write_csv(matrix(data, raw=raw), raw=raw) == data
    assert matrix_json(write_json(found)) == found


INDICES = st.frozensets(WORDS | st.sampled_from(["p:0-1", "\\p:0-1", "\\\\p:0-1", "p:00-1", "\\"]), max_size=3)


@SLOW
@given(st.lists(INDICES, min_size=1, max_size=3), st.sampled_from(["matrix-csv", "matrix-json"]))
def test_entities_may_have_any_name(indices, key):
    names = [tuple(sorted(each)) for each in indices]
    marks = [Mark(((2 * n, 2 * n + 1),), "p", answer=Answer(indices=each)) for n, each in enumerate(names)]
    document = Document("walk", "", "", marks, links=Links.INDICES, without_text=True, coder="ann")
    [file] = FORMATS[key].write([document])
    [back] = FORMATS[key].read(Bundle.of(file.path, file.data))
    assert plain_of(back) == plain_of(document)


@pytest.mark.slow
def test_checking_columns_takes_linear_time():
    def refuse(n):
        header = ",".join(["text", "unit", *(f"c{number}" for number in range(n)), "c0"])
        assert f"a matrix has at most {MAX_CODERS} coders" in refused(matrix, f"{header}\n").message

    assert_grows_with_input(refuse, 1_000_000)


def test_number_of_coders_in_json_is_bounded():
    most = {"text": "a", "unit": "u", "values": {f"c{number}": "x" for number in range(MAX_CODERS)}}
    assert len(matrix_json(json.dumps([most])).coders) == MAX_CODERS
    more = json.dumps([most, {"text": "a", "unit": "v", "values": {"more": "x"}}])
    assert f"a matrix has at most {MAX_CODERS} coders" in refused(matrix_json, more).message
