import contextlib

import pytest

from annotations.formats import Bundle, FormatError, Links, Stretch
from annotations.formats.conll import conll2012
from annotations.formats.model.document import Document
from annotations.formats.model.text import MAX_INDEX_LENGTH, MAX_SPEAKER_LENGTH
from tests.shared.documents import indices
from tests.shared.growth import assert_grows_with_input

SMALL = """\
#begin document (walk); part 000
walk\t0\t0\tAnna\tNNP\t*\t-\t-\t-\tnarrator\t*\t(0)
walk\t0\t1\ttook\tVBD\t*\t-\t-\t-\tnarrator\t*\t-
walk\t0\t2\ther\tPRP\t*\t-\t-\t-\tnarrator\t*\t(1|(0)
walk\t0\t3\tdog\tNN\t*\t-\t-\t-\tnarrator\t*\t1)

walk\t0\t0\tIt\tPRP\t*\t-\t-\t-\tBob B.\t*\t(1)|(2)
walk\t0\t1\tbarked\tVBD\t*\t-\t-\t-\tBob B.\t*\t-

#end document
"""


def read(text: str | bytes) -> list[Document]:
    return conll2012.read(Bundle.of("dir/walk.conll", text.encode() if isinstance(text, str) else text))


def file_of(*cells: str, separator: str = "\t") -> str:
    """Return a document of one sentence: words w0, w1, ... with these chain columns, the first in line 2."""
    rows = [separator.join(("walk", "0", str(n), f"w{n}", "-", cell)) for n, cell in enumerate(cells)]
    return "\n".join(["#begin document (walk); part 000", *rows, "", "#end document", ""])


def refused(text: str | bytes) -> FormatError:
    with pytest.raises(FormatError) as caught:
        read(text)
    assert caught.value.file == "dir/walk.conll"
    return caught.value


def test_text_markables_and_sentences_are_read():
    [document] = read(SMALL)
    assert (document.name, document.file) == ("walk", "dir/walk.conll")
    assert document.content == "Anna took her dog\nIt barked"
    assert [mark.parts for mark in document.marks] == [((0, 4),), ((10, 17),), ((10, 13),), ((18, 20),)]
    assert indices(document) == [("Anna", ("0",)), ("her dog", ("1",)), ("her", ("0",)), ("It", ("1", "2"))]
    assert [mark.line for mark in document.marks] == [2, 4, 4, 7]
    assert document.segments == [Stretch("sentence", 0, 17, "", "narrator"), Stretch("sentence", 18, 27, "", "Bob B.")]


@pytest.mark.parametrize(
    ("segments", "said"),
    [
        ([(0, 4, "Anna"), (4, 9, "Bob")], ["Anna", "Bob", "-", "-"]),  # Bob's begins at the blank before its word
        ([(0, 17, "Anna"), (5, 9, "Bob")], ["Anna", "Bob", "Anna", "Anna"]),  # Bob's is within Anna's
        ([(0, 17, "Anna"), (5, 9, "")], ["Anna", "Anna", "Anna", "Anna"]),
    ],
)
def test_speaker_of_sentence_is_written_with_each_word(segments, said):
    stretches = [Stretch("sentence", start, end, speaker=speaker) for start, end, speaker in segments]
    [file] = conll2012.write([Document("walk", "", "Anna took her dog", [], stretches, Links.INDICES)])
    rows = [line.split("\t") for line in file.data.decode().splitlines() if "\t" in line]
    assert [row[9] for row in rows] == said


@pytest.mark.parametrize("none", ["-", "_", "*", ""])
def test_placeholder_is_not_read_as_speaker(none):
    [document] = read(SMALL.replace("narrator", none))
    assert [segment.speaker for segment in document.segments] == ["", "Bob B."]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["(0", "(1)", "0)"], [("w0 w1 w2", ("0",)), ("w1", ("1",))]),
        (["(0|(0", "0)", "0)"], [("w0 w1 w2", ("0",)), ("w0 w1", ("0",))]),
        (["(0", "(0", "0)|0)"], [("w0 w1 w2", ("0",)), ("w1 w2", ("0",))]),
        (["(0", "(0", "0)", "0)"], [("w0 w1 w2 w3", ("0",)), ("w1 w2", ("0",))]),
        (["(0", "(0)", "0)"], [("w0 w1 w2", ("0",)), ("w1", ("0",))]),
        (["(0|(0)", "0)"], [("w0 w1", ("0",)), ("w0", ("0",))]),
        (["(0", "(1", "0)", "1)"], [("w0 w1 w2", ("0",)), ("w1 w2 w3", ("1",))]),
        (["(0|(7", "7)|0)"], [("w0 w1", ("7", "0"))]),
        (["(0)|(7)", "-"], [("w0", ("0", "7"))]),
        (["(0)|(0)", "-"], [("w0", ("0",))]),
        (["(0(1", "1)0)"], [("w0 w1", ("1", "0"))]),
        (["(person-1-Daniel_B.", "person-1-Daniel_B.)"], [("w0 w1", ("person-1-Daniel_B.",))]),
        (["(0)", "-", "(0)", "*", "_"], [("w0", ("0",)), ("w2", ("0",))]),
    ],
)
def test_bracket_closes_last_open_markable_of_chain(cells, expected):
    assert indices(read(file_of(*cells))[0]) == expected


def test_duplicate_markable_of_chain_is_merged():
    [document] = read(file_of("(0|(0|(1", "-", "0)|0)|1)", "(2)|(2)"))
    assert indices(document) == [("w0 w1 w2", ("0", "1")), ("w3", ("2",))]
    assert [(finding.line, "twice" in finding.message) for finding in document.findings] == [(2, True), (5, True)]


def test_empty_last_column_may_hold_chains():
    row = "b\t0\t{}\tw{}\t_\t_\t_\t_\t_\t_\t_\t_\t{}"
    rows = [row.format(n, n, cell) for n, cell in enumerate(["(3", "", "3)", ""])]
    [document] = read("\n".join(["#begin document (b); part 0", *rows, "", "#end document"]))
    assert indices(document) == [("w0 w1 w2", ("3",))]


def test_three_column_file_needs_no_end():
    text = "# begin document GUM_x\n0\tIn\t_\n1\tiodine\t(a-2(s-3-Iodine)\n2\tlack\ta-2)\n"
    [document] = read(text)
    assert document.content == "In iodine lack"
    assert indices(document) == [("iodine lack", ("a-2",)), ("iodine", ("s-3-Iodine",))]
    assert read(text + "# end document\n")[0].content == "In iodine lack"


def test_parts_and_documents_become_texts():
    second = SMALL.replace("part 000", "part 001").replace("Anna", "Otto")
    found = read(SMALL + second + SMALL.replace("(walk)", "(run)"))
    assert [document.name for document in found] == ["walk 0", "walk 1", "run 0"]
    assert found[1].content.startswith("Otto took")
    assert found[0].content == found[2].content
    assert [mark.line for mark in found[1].marks] == [12, 14, 14, 17]
    unnamed = SMALL.replace("(walk); part 000", "")
    assert [document.name for document in read(unnamed + SMALL.replace("(walk)", "(run)"))] == ["walk 0", "run 0"]


@pytest.mark.parametrize("comment", ["# a comment", "#", "# begins document"])
def test_comments_between_lines_are_ignored(comment):
    lines = SMALL.split("\n")
    commented = "\n".join([comment, lines[0], comment, *lines[1:3], comment, *lines[3:]])
    assert indices(read(commented)[0]) == indices(read(SMALL)[0])


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "there is no '#begin document'"),
        ("\n\n", 1, "there is no '#begin document'"),
        ("# only a comment\n", 1, "there is no '#begin document'"),
        (SMALL.split("\n", 1)[1], 1, "a token is outside a document"),
        (SMALL + "walk\t0\t0\tmore\t-\t-\n", 11, "a token is outside a document"),
        (SMALL + "#end document\n", 11, "a document ends here that has not begun"),
        (SMALL.replace("#end document\n", "") + SMALL, 10, "begins before the one of line 1 has ended"),
        (SMALL.replace("#end document\n", ""), 10, "the file ends inside the document that begins in line 1"),
        (SMALL + SMALL, 11, "document (walk) part 0 appears twice (also in line 1)"),
        ("#begin document (a); part 0\n#end document\n", 1, "this document has no token"),
        (file_of("-", "(5", "-"), 3, "the bracket (5 is never closed"),
        (file_of("(5", "(5", "5)"), 2, "the bracket (5 is never closed"),
        (file_of("-", "-", "5)"), 4, "the bracket 5) closes nothing"),
        (file_of("(5)", "5)"), 3, "the bracket 5) closes nothing"),
        (file_of("-", "(1|2"), 3, "this is not a list of chain brackets"),
        (file_of("0", "-"), 2, "this is not a list of chain brackets"),
        (file_of("()"), 2, "this is not a list of chain brackets"),
        (file_of("-|(1)"), 2, "this is not a list of chain brackets"),
        (file_of("(1) x"), 2, "this is not a list of chain brackets"),
        (file_of(f"({'x' * (MAX_INDEX_LENGTH + 1)})"), 2, "a chain's name has more than 200 characters"),
        (SMALL.replace("Bob B.", "B" * (MAX_SPEAKER_LENGTH + 1)), 7, "a speaker's name has more than 100"),
        (file_of("-", "-").replace("w1", "w 1"), 3, "the word column is empty or holds white space"),
        (file_of("-", "-").replace("w1", "\u00a0"), 3, "the word column is empty or holds white space"),
        ("#begin document (a)\na\tb\n", 2, "this is not a list of chain brackets: 'b'"),
        ("#begin document (a)\na\t0\tb\t-\n", 2, "this document has no words"),
        ("#begin document (cut); part 000\ncut\t0\t0\n", 2, "this document has no words"),
        ("#begin document (a)\nword\n", 2, "this line has 1"),
        ("#begin document (a)\n0\tb\t_\na\t0\t0\tb\t-\t-\n", 3, "this line has 6 columns, the first had 3"),
        ("#begin document (a)\na\t0\t0\tb\t-\t-\n0\tb\t_\n", 3, "this line has 3 columns, the first had 6"),
        (SMALL.replace("#end", "# " + "x" * 1000 + "\n#end"), 10, "a comment line has more than 1000 characters"),
    ],
)
def test_error_names_file_and_line(text, line, message):
    error = refused(text)
    assert message in error.message
    assert error.line == line
    assert str(error).startswith(f"dir/walk.conll:{line}: ")


def test_truncated_file_is_refused():
    whole = SMALL.rindex("#end document") + len("#end document")
    for length in range(SMALL.index("Anna"), whole):
        assert refused(SMALL[:length]).line is not None
    assert read(SMALL[:whole]) == read(SMALL)


def test_long_lines_are_read_or_refused():
    long = "x" * 10**6
    for cell in ("(" + long, long, "|" * 10**5 + "x"):
        assert refused(file_of(cell)).line == 2
    assert len(str(refused(file_of("-", long + ")")))) < 300
    for line in ("#begin document (" + ";" * 10**6, "#" + " " * 10**6, "#begin document " + "a " * 500_000):
        assert "comment line" in refused(line).message
    [document] = read(file_of("(1)").replace("w0", long))
    assert document.marks[0].parts == ((0, 10**6),)


def test_markables_of_chain_nest_3000_deep():
    [document] = read(file_of(*["(0"] * 3_000, *["0)"] * 3_000))
    assert document.marks[0].parts[0][1] == len(document.content)
    assert len(document.marks) == 3_000


OF_WALK = ["Anna", "saw", "her", "dog"]
CHAINS_OF_WALK = ["(0)", "-", "(0", "0)"]
DIALECTS = {
    "words and chains": lambda n: f"{OF_WALK[n]}\t{CHAINS_OF_WALK[n]}",
    "number, word, chains": lambda n: f"{n}\t{OF_WALK[n]}\t{CHAINS_OF_WALK[n]}",
    "word, tag, chains": lambda n: f"{OF_WALK[n]}\tX{n}\t{CHAINS_OF_WALK[n]}",
    "document, number, word, chains": lambda n: f"walk {n} {OF_WALK[n]} {CHAINS_OF_WALK[n]}",
    "number, word, tag, chains": lambda n: f"{n} {OF_WALK[n]} X{n} {CHAINS_OF_WALK[n]}",
    "word first, of five": lambda n: f"{OF_WALK[n]}\t0\t{n}\t_\t{CHAINS_OF_WALK[n]}",
    "word, lemma, tag, name, chains": lambda n: f"{OF_WALK[n]}\tx{n}\tX{n}\t{'O' if n else 'PER'}\t{CHAINS_OF_WALK[n]}",
    "the shared task": lambda n: f"walk\t0\t{n}\t{OF_WALK[n]}\t-\t-\t-\t-\t-\t-\t*\t{CHAINS_OF_WALK[n]}",
}


@pytest.mark.parametrize("line", DIALECTS.values(), ids=DIALECTS)
@pytest.mark.parametrize("begin", ["(walk);", "(walk); part 000", "(walk)", "walk"])
def test_word_column_is_found_in_any_order(line, begin):
    [document] = read("\n".join([f"#begin document {begin}", *map(line, range(4)), "", "#end document", ""]))
    assert document.content == "Anna saw her dog"
    assert indices(document) == [("Anna", ("0",)), ("her dog", ("0",))]


def test_option_sets_word_column():
    lines = "".join(f"{OF_WALK[n]}\t{OF_WALK[n].upper()}\t{n}\tX\t{CHAINS_OF_WALK[n]}\n" for n in range(4))
    bundle = Bundle.of("walk.conll", f"#begin document (walk);\n{lines}#end document\n".encode())
    [told] = conll2012.read(bundle)[0].findings
    assert str(told) == "walk.conll:2: the words are those of column 1 of 5 (word=N reads others)"
    [document] = conll2012.read(bundle, word="2")
    assert (document.content, document.findings) == ("ANNA SAW HER DOG", [])
    with pytest.raises(FormatError, match="there is no column 5 before that of the chains"):
        conll2012.read(bundle, word="5")


def document_of(*lines: str, name: str = "walk") -> str:
    return "\n".join([f"#begin document ({name});", *lines, "#end document", ""])


@pytest.mark.parametrize("lines", [
    ["We\t(1)", "like\t-", "#metoo\t(2", "#\t-", "it\t2)"],
    ["#metoo\t(1)", "#\t-", "rules\t-"],
    ["We PRP (1)", "# sentence two", "#metoo NN (2)", "# (see below) .", "#sad JJ -", "It PRP -"],
    ["We PRP (1)", "#metoo NN (2|(3)", "# a tab\there -", "#sad JJ 2)", "It PRP -"],
])  # fmt: skip
def test_word_first_files_may_have_words_with_hash(lines):
    tokens = [line.replace("\t", " ").split() for line in lines if not line.startswith(("# s", "# (", "# a"))]
    [document] = read(document_of(*lines))
    assert document.content == " ".join(token[0] for token in tokens)
    assert len(document.marks) == sum(token[-1].count("(") for token in tokens)


@pytest.mark.parametrize("comment", ["# a (1)", "# b -", "#\tc\t-", "#\t\t", "# walk\t-"])
def test_hash_marks_comments_in_other_files(comment):
    for first, last in (("0\tAnna\t(0)", "1\tsaw\t-"), ("0 Anna (0)", "1 saw -")):
        assert read(document_of(first, comment, last)) == read(document_of(first, "# x", last))
    lines = SMALL.split("\n")
    assert indices(read("\n".join([*lines[:3], "#\t" * 11 + "(1)", *lines[3:]]))[0]) == indices(read(SMALL)[0])


WORD_FIRST = document_of("Anna\tNNP\t(1)", "sees\tVBZ\t-", name="first")


@pytest.mark.parametrize("other", ["1984\tCD\t(1)", "7\tCD\t-\n8\tNN\t-", "1-2\tX\t-"])
@pytest.mark.parametrize("order", [1, -1])
def test_documents_of_file_share_word_column(other, order):
    documents = read("".join([WORD_FIRST, document_of(*other.split("\n"), name="second")][::order]))
    expected = " ".join(line.split("\t")[0] for line in other.split("\n"))
    assert [document.content for document in documents][::order] == ["Anna sees", expected]


def test_documents_of_file_may_differ_in_dialect():
    documents = read(document_of("0\tAnna\t(0)", "1\tsaw\t-", name="short") + SMALL)
    assert [document.content for document in documents] == ["Anna saw", "Anna took her dog\nIt barked"]


@pytest.mark.parametrize(
    "row", ["walk 0 1-{} {} X - {}", "walk 0 w{} {} X {}", "walk 0 {}.1 {} X {}", "walk_{0} 0 {0} {1} X {2}"]
)
def test_words_in_fourth_column_are_found(row):
    lines = [row.format(n, OF_WALK[n], CHAINS_OF_WALK[n]).replace(" ", "\t") for n in range(4)]
    several = "".join(document_of(*lines, name=name) for name in ("a", "b"))
    for document in [*read(document_of(*lines)), *read(several)]:
        assert (document.content, document.findings) == ("Anna saw her dog", [])


@pytest.mark.parametrize("word", ["0", "abc", "-1", "1.5", "\u00b2"])
def test_invalid_word_column_is_refused(word):
    with pytest.raises(FormatError, match=r"^walk\.conll: word="):
        conll2012.read(Bundle.of("walk.conll", SMALL.encode()), word=word)


def test_reading_hashes_takes_linear_time():
    def read_hashes(n):
        [document] = read(document_of("a\t-", *["#\t-", "#b\t(1)", f"# {'(' * 9}"] * n))
        assert len(document.marks) == n

    assert_grows_with_input(read_hashes, 20_000)


@pytest.mark.parametrize("cell", ["(", "(a", "a", "|", "a)", "(a)"])
def test_reading_cell_after_hash_takes_linear_time(cell):
    def read_or_refuse(n):
        with contextlib.suppress(FormatError):
            read(document_of("a\t-", f"#\t{cell * n}x"))

    assert_grows_with_input(read_or_refuse, 100_000)


@pytest.mark.slow
def test_reading_small_documents_takes_linear_time():
    def read_many(n):
        text = "".join(f"#begin document (d{number});\na\t-\n#end document\n" for number in range(n))
        assert len(read(text)) == n

    assert_grows_with_input(read_many, 60_000)
