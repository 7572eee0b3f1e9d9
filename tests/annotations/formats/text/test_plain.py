import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.formats import Answer, Bundle, Document, FormatError, Mark, Stretch, plain
from annotations.formats.model.text import MAX_INDEX_LENGTH, MAX_LABEL_LENGTH
from tests.shared.cases import examples
from tests.shared.documents import spoiled
from tests.shared.growth import assert_grows_with_input

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


def test_documented_example_is_read():
    text = "#title: A short walk\n[Anna](A=1) took [[her](C=1) dog](B=2) for a walk. [It](D=2|3) was \\[sic\\] fun.\n"
    assert plain.__doc__
    assert all(line in plain.__doc__ for line in text.splitlines())
    document = read(text)
    assert (document.title, document.name) == ("A short walk", "walk")
    assert document.content == "Anna took her dog for a walk. It was [sic] fun."
    expected = {"Anna": ("A", ("1",)), "her dog": ("B", ("2",)), "her": ("C", ("1",)), "It": ("D", ("2", "3"))}
    assert marks(text) == [(words, *said) for words, said in expected.items()]


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
        (f"(A={'x' * MAX_INDEX_LENGTH})", "A", ("x" * MAX_INDEX_LENGTH,)),
        (f"({'x' * MAX_LABEL_LENGTH}=1)", "x" * MAX_LABEL_LENGTH, ("1",)),
    ],
)
def test_label_and_indices_may_follow_markable(after, label, indices):
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
def test_backslash_escapes_markup(written, content):
    assert read(written).content == content


@pytest.mark.parametrize(
    ("text", "content", "parts"),
    [
        (r"\[\[ [b\]] \\ [c]", r"[[ b] \ c", [(3, 5), (8, 9)]),
        ("a [b\n]\n", "a b\n", [(2, 4)]),
        ("[a [b\nc](=2) [d]\ne](=1) [f]", "a b\nc d\ne f", [(0, 9), (2, 5), (6, 7), (10, 11)]),
    ],
)
def test_nested_brackets_are_read_from_outside(text, content, parts):
    document = read(text)
    assert (document.content, [mark.parts for mark in document.marks]) == (content, [(part,) for part in parts])
    assert [mark.line for mark in document.marks] in ([1, 1], [1], [1, 1, 2, 3])


@pytest.mark.parametrize(
    "words",
    ["שלום עולם", "مرحبا", "漢字かな", "👩🏽‍🚀🇩🇪", "e\u0301a\u0308", "\u202eabc\u202c", "𐎀𐎁", "\u2028x", "\x85y"],
)
def test_offsets_count_code_points(words):
    document, length = read(f"{words} [{words}](A=1) [x]"), len(words)
    assert document.content == f"{words} {words} x"
    second, third = document.marks
    assert second.parts + third.parts == ((length + 1, 2 * length + 1), (2 * length + 2, 2 * length + 3))


def test_headers_set_title_language_and_direction():
    document = read("#title:  Von [hier](=1): a # b  \n#language: he\n#direction:rtl\nשלום")
    assert (document.title, document.language, document.direction) == ("Von [hier](=1): a # b", "he", "rtl")
    assert document.content == "שלום"
    bare = read("שלום")
    assert (bare.title, bare.language, bare.direction, bare.content) == ("", "", "", "שלום")


def test_turns_become_segments_and_markables():
    document = read(DIALOGUE)
    assert document.content == "put the kettle on the stove\nis it hot?\nis it?"
    turns = {("1", "M"): (0, 27), ("2", "S"): (28, 38), ("2a", ""): (39, 45)}
    assert document.segments == [Stretch("turn", *span, *said) for said, span in turns.items()]
    assert document.marks == [
        Mark(((0, 27),), "turn", "1", line=3),
        Mark(((4, 14),), "", "a", line=3),
        Mark(((18, 27),), "", "b", line=3),
        Mark(((28, 38),), "turn", "2", line=5),
        Mark(((31, 33),), "", "c", answer=Answer(indices=("1", "2")), line=5),
        Mark(((39, 45),), "turn", "2a", line=6),
    ]
    whole = {(mark.level, mark.parts) for mark in read("#turns: turn\n1 M: [go]\n").marks}
    assert whole == {("", ((0, 2),)), ("turn", ((0, 2),))}


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
def test_turn_has_label_and_optional_speaker(turn, label, speaker, content):
    document = read("#turns: turn\n" + turn)
    assert document.content == content
    assert document.segments == [Stretch("turn", 0, len(content), label, speaker)]


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("a\nb [c", 2, 3, "the bracket [ is never closed"),
        ("[a [b] c", 1, 1, "the bracket [ is never closed"),
        ("[a\n[b", 1, 1, "the bracket [ is never closed"),
        ("a\n b]", 2, 3, "the bracket ] closes nothing"),
        ("[a]]", 1, 4, "the bracket ] closes nothing"),
        ("ää [] b", 1, 4, "a markable without words"),
        ("[ ] x", 1, 1, "a markable without words"),
        ("[x]() y", 1, 4, "after ] comes a name"),
        ("#title: a\n#title: b\nx", 2, 1, "the header 'title' is given twice"),
        ("a [[]b]", 1, 4, "a markable without words"),
        ("#title: x\n[a](b c)", 2, 4, "after ] comes a name"),
        ("[a](", 1, 4, "after ] comes a name"),
        ("[a](A=1", 1, 4, "after ] comes a name"),
        ("[a](A=1=2)", 1, 4, "after ] comes a name"),
        ("[a](A|B)", 1, 4, "after ] comes a name"),
        (f"[a]({'x' * (MAX_LABEL_LENGTH + 1)})", 1, 4, "after ] comes a name"),
        (f"[a](=1|{'x' * (MAX_INDEX_LENGTH + 1)})", 1, 4, "an index has at most 200 characters"),
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
        (f"#turns: turn\n{'x' * (MAX_LABEL_LENGTH + 1)} a", 2, 1, "a turn's label has more than 50 characters"),
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
def test_error_names_file_line_and_column(text, line, column, message):
    error = refused(text)
    assert message in error.message
    assert str(error).startswith(f"dir/walk.txt:{line}:{column}: " if column else f"dir/walk.txt:{line}: ")


def test_brackets_may_nest_1000_deep():
    document = read("".join(f"[{n % 10}" for n in range(1000)) + "]" * 1000)
    assert [mark.parts for mark in document.marks] == [((n, 1000),) for n in range(1000)]


@pytest.mark.parametrize(
    ("head", "piece", "tail", "is_read"),
    [
        ("#title: a", " ", "b\nc", True),
        ("#title:", " ", "\nc", True),
        ("#turns: turn\n1 ", " ", "c", True),
        ("#turns: turn\n1 M", "M", "", True),
        ("", "a ", "", True),
        ("", "\\", "", True),
        ("#turns: turn\n", "x", "", False),
        ("", "[", "", False),
        ("[a](", "=", "", False),
    ],
)
def test_reading_text_takes_linear_time(head, piece, tail, is_read):
    def read_or_refuse(n):
        text = f"{head}{piece * n}{tail}"
        assert read(text).content if is_read else refused(text).line

    assert_grows_with_input(read_or_refuse, 10**6)


LETTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0\r\n")
WORDS = st.text(st.one_of(st.sampled_from("[]()\\#=:| aé"), LETTERS), max_size=8)
LABELS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"], exclude_characters="()=|"), max_size=5)
INDICES = st.none() | st.lists(LABELS.filter(bool), max_size=3, unique=True).map(tuple)
Piece = str | tuple[list["Piece"], str, tuple[str, ...] | None]
PIECES: st.SearchStrategy[list[Piece]] = st.recursive(
    st.lists(WORDS, max_size=3), lambda inner: st.lists(WORDS | st.tuples(inner, LABELS, INDICES), max_size=4)
)


class Writer:
    """Writer of random plain text that also records the expected document."""

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
    writer.write(["x", *(piece for line in lines for piece in (*line, "\n")), "x"])
    document = read(writer.written)
    assert document.content == writer.content
    assert {mark.parts[0]: (mark.label, indices_of(mark)) for mark in document.marks} == writer.marks
    order = [(mark.parts[0][0], -mark.parts[0][1]) for mark in document.marks]
    assert order == sorted(order)


@examples(100)
@given(st.text(st.sampled_from("[]()=|\\#: \nab1é\0\r"), max_size=40), st.booleans())
def test_random_files_are_read_or_refused(text, turns):
    check_read("#turns: turn\n1 M: " + text if turns else text)
    check_read(spoiled(DIALOGUE.encode(), random.Random(text)))


def check_read(text: str | bytes) -> None:
    """Assert that the file is read as a valid document or refused with a line."""
    try:
        document = read(text)
    except FormatError as error:
        assert error.line  # noqa: PT017
        return
    assert all(0 <= start < end <= len(document.content) for mark in document.marks for start, end in mark.parts)
    assert document.content.strip()
