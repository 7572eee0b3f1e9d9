"""Reading plain text with [markables]."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.formats import Answer, Bundle, Document, FormatError, Mark, Stretch, plain
from annotations.formats.model.text import LONGEST_INDEX, LONGEST_LABEL
from tests.shared.cases import examples

DIALOGUE = """\
#title: Tea
#turns: turn
1 M: put [the kettle](a) on [the stove](b)

2 S: is [it](c=1|2) hot?
2a is it?
"""


def read(text: str | bytes) -> Document:
    [document] = plain.read(Bundle.of("dir/walk.txt", text.encode() if isinstance(text, str) else text))
    return document


def indices_of(mark: Mark) -> tuple[str, ...] | None:
    return mark.answer.indices if mark.answer else None


def marks(text: str) -> list[tuple[str, str, tuple[str, ...] | None]]:
    """Return the words, the label and the indices of each markable."""
    document = read(text)
    return [
        (" ".join(document.content[start:end] for start, end in mark.parts), mark.label, indices_of(mark))
        for mark in document.marks
    ]


def refused(text: str | bytes) -> FormatError:
    with pytest.raises(FormatError) as caught:
        read(text)
    assert caught.value.file == "dir/walk.txt"
    return caught.value


def test_the_example_of_the_grammar_reads_as_it_says():
    text = "#title: A short walk\n[Anna](A=1) took [[her](C=1) dog](B=2) for a walk. [It](D=2|3) was \\[sic\\] fun.\n"
    assert plain.__doc__
    assert all(line in plain.__doc__ for line in text.splitlines())
    document = read(text)
    assert document.title == "A short walk"
    assert document.name == "walk"
    assert document.content == "Anna took her dog for a walk. It was [sic] fun."
    assert marks(text) == [
        ("Anna", "A", ("1",)),
        ("her dog", "B", ("2",)),
        ("her", "C", ("1",)),
        ("It", "D", ("2", "3")),
    ]


@pytest.mark.parametrize(
    ("after", "label", "indices"),
    [
        ("", "", None),
        ("(A)", "A", None),
        ("(A=)", "A", ()),
        ("(A=1)", "A", ("1",)),
        ("(A=1|2)", "A", ("1", "2")),
        ("(A=2|1|2)", "A", ("2", "1")),
        ("(A=|1|)", "A", ("1",)),
        ("(=1)", "", ("1",)),
        ("(=)", "", ()),
        ("(ä-9.x=é|ß)", "ä-9.x", ("é", "ß")),
        (f"(A={'x' * LONGEST_INDEX})", "A", ("x" * LONGEST_INDEX,)),
        (f"({'x' * LONGEST_LABEL}=1)", "x" * LONGEST_LABEL, ("1",)),
    ],
)
def test_a_name_and_indices_may_follow_a_markable(after, label, indices):
    assert marks(f"see [it]{after}.") == [("it", label, indices)]
    assert read(f"see [it]{after}.").content == "see it."


@pytest.mark.parametrize(
    ("written", "content"),
    [
        (r"\[a\]", "[a]"),
        (r"a\\b", r"a\b"),
        (r"\\[a]", r"\a"),
        (r"\\\[a", r"\[a"),
        (r"[a]\(b)", "a(b)"),
        (r"[a] (b)", "a (b)"),
        (r"(a) b)", "(a) b)"),
        (r"a\b", r"a\b"),
        ("a\\", "a\\"),
        (r"a\)", r"a\)"),
        ("a # b", "a # b"),
        ("# a", "# a"),
        ("#A: b", "#A: b"),
        ("a\n#title: b", "a\n#title: b"),
        ("\n\na\n\n\nb\n \n\n", "\n\na\n\n\nb"),
        (" a  b ", " a  b "),
        ("a\tb", "a\tb"),
    ],
)
def test_a_backslash_takes_the_meaning_and_all_else_stays(written, content):
    assert read(written).content == content


def test_escapes_count_as_one_character_in_offsets():
    document = read(r"\[\[ [b\]] \\ [c]")
    assert document.content == r"[[ b] \ c"
    assert [mark.parts for mark in document.marks] == [((3, 5),), ((8, 9),)]


def test_brackets_nest_over_lines_and_the_outer_comes_first():
    text = "[a [b\nc](=2) [d]\ne](=1) [f]"
    document = read(text)
    assert marks(text) == [("a b\nc d\ne", "", ("1",)), ("b\nc", "", ("2",)), ("d", "", None), ("f", "", None)]
    assert [mark.line for mark in document.marks] == [1, 1, 2, 3]


def test_a_markable_that_ends_in_the_last_line_end_lies_in_the_text():
    document = read("a [b\n]\n")
    [mark] = document.marks
    assert mark.parts == ((2, 4),)
    assert document.content == "a b\n"


@pytest.mark.parametrize(
    "words",
    ["שלום עולם", "مرحبا", "漢字かな", "👩🏽‍🚀🇩🇪", "e\u0301a\u0308", "\u202eabc\u202c", "𐎀𐎁", "\u2028x", "\x85y"],
)
def test_offsets_count_code_points(words):
    text = f"{words} [{words}](A=1) [x]"
    document = read(text)
    length = len(words)
    assert document.content == f"{words} {words} x"
    assert [mark.parts for mark in document.marks] == [
        ((length + 1, 2 * length + 1),),
        ((2 * length + 2, 2 * length + 3),),
    ]


def test_headers_say_title_language_and_direction():
    document = read("#title:  Von [hier](=1): a # b  \n#language: he\n#direction:rtl\nשלום")
    assert (document.title, document.language, document.direction) == ("Von [hier](=1): a # b", "he", "rtl")
    assert document.content == "שלום"


def test_without_headers_they_are_empty():
    document = read("hi")
    assert (document.title, document.language, document.direction) == ("", "", "")


def test_turns_are_segments_and_markables_of_their_level():
    document = read(DIALOGUE)
    assert document.content == "put the kettle on the stove\nis it hot?\nis it?"
    assert document.segments == [
        Stretch("turn", 0, 27, "1", "M"),
        Stretch("turn", 28, 38, "2", "S"),
        Stretch("turn", 39, 45, "2a", ""),
    ]
    assert document.marks == [
        Mark(((0, 27),), "turn", "1", line=3),
        Mark(((4, 14),), "", "a", line=3),
        Mark(((18, 27),), "", "b", line=3),
        Mark(((28, 38),), "turn", "2", line=5),
        Mark(((31, 33),), "", "c", answer=Answer(indices=("1", "2")), line=5),
        Mark(((39, 45),), "turn", "2a", line=6),
    ]


@pytest.mark.parametrize(
    ("turn", "label", "speaker", "content"),
    [
        ("1 M: go: now", "1", "M", "go: now"),
        ("1 go now", "1", "", "go now"),
        ("1 M:go", "1", "", "M:go"),
        ("1 to be: or", "1", "", "to be: or"),
        ("1.2\tM:\tgo", "1.2", "M", "go"),
        ("1 S1: [go](a)", "1", "S1", "go"),
        ("1 [M]: go", "1", "", "M: go"),
        (r"1 \[go", "1", "", "[go"),
        ("1 Ψ: 👍", "1", "Ψ", "👍"),
        ("M: go", "M:", "", "go"),
    ],
)
def test_a_turn_has_a_label_and_may_have_a_speaker(turn, label, speaker, content):
    document = read("#turns: turn\n" + turn)
    assert document.content == content
    assert document.segments == [Stretch("turn", 0, len(content), label, speaker)]


def test_a_markable_may_be_the_whole_turn():
    document = read("#turns: turn\n1 M: [go]\n")
    assert {(mark.level, mark.parts) for mark in document.marks} == {("", ((0, 2),)), ("turn", ((0, 2),))}


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("a\nb [c", 2, 3, "the bracket [ is never closed"),
        ("[a [b] c", 1, 1, "the bracket [ is never closed"),
        ("[a\n[b", 1, 1, "the bracket [ is never closed"),
        ("a\n b]", 2, 3, "the bracket ] closes nothing"),
        ("[a]]", 1, 4, "the bracket ] closes nothing"),
        ("ää [] b", 1, 4, "a markable without words"),
        ("a [[]b]", 1, 4, "a markable without words"),
        ("#title: x\n[a](b c)", 2, 4, "after ] comes a name"),
        ("[a](", 1, 4, "after ] comes a name"),
        ("[a](A=1", 1, 4, "after ] comes a name"),
        ("[a](A=1=2)", 1, 4, "after ] comes a name"),
        ("[a](A|B)", 1, 4, "after ] comes a name"),
        (f"[a]({'x' * (LONGEST_LABEL + 1)})", 1, 4, "after ] comes a name"),
        (f"[a](=1|{'x' * (LONGEST_INDEX + 1)})", 1, 4, "an index has at most 200 characters"),
        ("a [b](B)\n  [c](B)", 2, 3, "the name B is given twice"),
        ("a [[b]]", 1, 3, "two markables stand on the same words"),
        ("a\n[[b](B)](C)", 2, 1, "two markables stand on the same words"),
        ("[" * 1001, 1, 1001, "brackets nest deeper than 1000"),
        ("#titel: x\na", 1, 1, "unknown header 'titel'; known are title, language, direction, turns"),
        ("#title: x\n#author: y\na", 2, 1, "unknown header 'author'"),
        ("#direction: up\n#title: x\na", 1, 1, "direction is ltr or rtl"),
        ("#direction:\na", 1, 1, "direction is ltr or rtl"),
        ("#turns: turn\n1 M: a\n2", 3, 1, "a turn is 'LABEL SPEAKER: words' or 'LABEL words'"),
        ("#turns: turn\n1 M: ", 2, 1, "a turn is 'LABEL SPEAKER: words' or 'LABEL words'"),
        ("#turns: turn\n 1 M: a", 2, 1, "a turn is 'LABEL SPEAKER: words' or 'LABEL words'"),
        ("#turns: turn\n1 M: a [b\n2 M: c]", 2, 8, "the bracket is not closed in its turn"),
        ("#turns: turn\n1 M: a\n1 S: b", 3, 1, "the name 1 is given twice"),
        ("#turns: turn\n1 M: [a](1)", 2, 1, "the name 1 is given twice"),
        (f"#turns: turn\n{'x' * (LONGEST_LABEL + 1)} a", 2, 1, "a turn's label has more than 50 characters"),
        ("", 1, None, "there is no text in this file"),
        ("\n \n\t\n", 1, None, "there is no text in this file"),
        ("#title: x\n", 1, None, "there is no text in this file"),
        ("#turns: turn\n", 1, None, "there is no text in this file"),
        ("äb\na\0", 2, 2, "a NUL character is not allowed in a text"),
        ("äb\nä".encode() + b"\xff", 2, 2, "this is not UTF-8: byte 0xFF cannot stand here"),
        (b"\xef\xbb\xbfab\r\nc\xe4", 2, 2, "this is not UTF-8: byte 0xE4 cannot stand here"),
        (b"\xff\xfea\0", 1, 1, "this is not UTF-8: byte 0xFF cannot stand here"),
        (b"a\xed\xa0\x80", 1, 2, "this is not UTF-8: byte 0xED cannot stand here"),
    ],
)
def test_an_error_names_file_line_and_column(text, line, column, message):
    error = refused(text)
    assert message in error.message
    assert (error.line, error.column) == (line, column)
    place = f"dir/walk.txt:{line}:{column}: " if column else f"dir/walk.txt:{line}: "
    assert str(error).startswith(place)


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_and_a_byte_order_mark_change_nothing(end):
    assert read(b"\xef\xbb\xbf" + DIALOGUE.replace("\n", end).encode()) == read(DIALOGUE)


def test_brackets_may_nest_a_thousand_deep():
    text = "".join(f"[{n % 10}" for n in range(1000)) + "]" * 1000
    document = read(text)
    assert [mark.parts for mark in document.marks] == [((n, 1000),) for n in range(1000)]


@pytest.mark.parametrize(
    "text",
    [
        "#title: a" + " " * 10**6 + "b\nc",
        "#title:" + " " * 10**6 + "\nc",
        "#turns: turn\n1 " + " " * 10**6 + "c",
        "#turns: turn\n1 M" + "M" * 10**6,
        "a " * 500_000,
        "\\" * 10**6,
    ],
    ids=["blanks in a header", "blanks as header", "blanks in a turn", "a speaker", "words", "backslashes"],
)
def test_a_megabyte_is_read_without_going_over_it_again_and_again(text):
    assert read(text).content


@pytest.mark.parametrize("text", ["#turns: turn\n" + "x" * 10**6, "[" * 10**6, "[a](" + "=" * 10**6])
def test_a_megabyte_is_refused_without_going_over_it_again_and_again(text):
    assert refused(text).line


# Random texts: written by the writer here, they are read back equal.

LETTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0\r\n")
WORDS = st.text(st.one_of(st.sampled_from("[]()\\#=:| aé"), LETTERS), max_size=8)
LABELS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"], exclude_characters="()=|"), max_size=5)
INDICES = st.none() | st.lists(LABELS.filter(bool), max_size=3, unique=True).map(tuple)
Piece = str | tuple[list["Piece"], str, tuple[str, ...] | None]
PIECES: st.SearchStrategy[list[Piece]] = st.recursive(
    st.lists(WORDS, max_size=3), lambda inner: st.lists(WORDS | st.tuples(inner, LABELS, INDICES), max_size=4)
)


class Writer:
    """Writes pieces in the format, and what a reader should find."""

    def __init__(self) -> None:
        self.written = ""
        self.content = ""
        self.labels: set[str] = set()
        self.marks: dict[tuple[int, int], tuple[str, tuple[str, ...] | None]] = {}

    def write(self, pieces: list[Piece]) -> None:
        for piece in pieces:
            if isinstance(piece, str):
                self.content += piece
                self.written += "".join(f"\\{c}" if c in "[](\\" else c for c in piece)
            else:
                self._mark(*piece)

    def _mark(self, pieces: list[Piece], label: str, indices: tuple[str, ...] | None) -> None:
        start, before = len(self.content), self.written
        self.written += "["
        self.write(pieces)
        place = (start, len(self.content))
        if place in self.marks or not self.content[start:].strip():
            # A second one there, or one without words, cannot be written: what is in it is.
            self.written = before + self.written[len(before) + 1 :]
            return
        label = "" if label in self.labels else label
        self.labels.add(label)
        self.marks[place] = (label, indices)
        coded = "" if indices is None else "=" + "|".join(indices)
        self.written += f"]({label}{coded})" if label or coded else "]"


@examples(100)
@given(st.lists(PIECES, min_size=1, max_size=4))
def test_random_texts_are_read_back(lines):
    writer = Writer()
    writer.write(["x"])
    for line in lines:
        writer.write([*line, "\n"])
    writer.write(["x"])
    document = read(writer.written)
    assert document.content == writer.content
    assert {mark.parts[0]: (mark.label, indices_of(mark)) for mark in document.marks} == writer.marks
    order = [(mark.parts[0][0], -mark.parts[0][1]) for mark in document.marks]
    assert order == sorted(order)


@examples(100)
@given(st.text(st.sampled_from("[]()=|\\#: \nab1é\0\r"), max_size=40), st.booleans())
def test_any_text_gives_a_result_or_a_format_error(text, turns):
    check_read("#turns: turn\n1 M: " + text if turns else text)


@examples(100)
@given(st.data())
def test_a_damaged_file_gives_a_result_or_a_format_error(data):
    damaged = bytearray(DIALOGUE.encode())
    for _ in range(data.draw(st.integers(1, 4), label="flips")):
        damaged[data.draw(st.integers(0, len(damaged) - 1), label="place")] = data.draw(st.integers(0, 255))
    check_read(bytes(damaged[: data.draw(st.integers(0, len(damaged)), label="cut")]))


def check_read(text: str | bytes) -> None:
    """Assert that the file gives a sound result or a FormatError with a line."""
    try:
        document = read(text)
    except FormatError as error:
        line = error.line
    else:
        line = 1
        for mark in document.marks:
            assert all(0 <= start < end <= len(document.content) for start, end in mark.parts)
        assert document.content.strip()
    assert line


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[ ] x", "1:1: a markable without words"),
        ("[x]() y", "1:4: after ] comes a name"),
        ("#title: a\n#title: b\nx", "2:1: the header 'title' is given twice"),
    ],
)
def test_what_looks_like_a_slip_is_refused(text, message):
    with pytest.raises(FormatError, match=re.escape(message)):
        plain.parse(text, "slip.txt")
