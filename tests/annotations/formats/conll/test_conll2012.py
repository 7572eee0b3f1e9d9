"""Reading CoNLL-2012 files."""

import random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from annotations.formats import Bundle, FormatError, Links, Stretch
from annotations.formats.conll import conll2012
from annotations.formats.model.document import Document
from annotations.formats.model.text import LONGEST_INDEX, LONGEST_SPEAKER
from tests.shared.cases import examples
from tests.shared.documents import indices
from tests.shared.growth import assert_grows_with_input

Span = tuple[int, int]

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


def words(document: Document) -> list[tuple[str, tuple[str, ...]]]:
    """Return the words of each markable with its chains."""
    return [
        (" ".join(document.content[start:end] for start, end in mark.parts), mark.answer.indices if mark.answer else ())
        for mark in document.marks
    ]


def chains(text: str | bytes) -> list[tuple[str, tuple[str, ...]]]:
    [document] = read(text)
    return words(document)


def refused(text: str | bytes) -> FormatError:
    with pytest.raises(FormatError) as caught:
        read(text)
    assert caught.value.file == "dir/walk.conll"
    return caught.value


def read_or_refused(text: str | bytes) -> None:
    """Assert that the file gives a sound result or a FormatError with a line."""
    try:
        found = read(text)
    except FormatError as error:
        place = (error.file, error.line)
    else:
        check_offsets(found)
        return
    assert place[0] == "dir/walk.conll"
    assert place[1] is not None


def check_offsets(documents: list[Document]) -> None:
    """Assert that every markable and sentence begins and ends with a word, inside the text."""
    for document in documents:
        assert document.content == document.content.strip("\n")
        for start, end in [part for mark in document.marks for part in mark.parts]:
            assert 0 <= start < end <= len(document.content)
            assert document.content[start - 1 : start] in ("", " ", "\n")
            assert document.content[end : end + 1] in ("", " ", "\n")
            assert not document.content[start:end][0].isspace()
        for segment in document.segments:
            assert "\n" not in document.content[segment.start : segment.end]


def test_a_file_gives_its_text_with_markables_in_text_order():
    [document] = read(SMALL)
    assert document.name == "walk"
    assert document.file == "dir/walk.conll"
    assert document.content == "Anna took her dog\nIt barked"
    assert [mark.parts for mark in document.marks] == [((0, 4),), ((10, 17),), ((10, 13),), ((18, 20),)]
    assert words(document) == [("Anna", ("0",)), ("her dog", ("1",)), ("her", ("0",)), ("It", ("1", "2"))]


def test_a_markable_knows_the_line_in_which_it_opens():
    assert [mark.line for mark in read(SMALL)[0].marks] == [2, 4, 4, 7]


@pytest.mark.parametrize(
    ("segments", "said"),
    [
        ([(0, 4, "Anna"), (4, 9, "Bob")], ["Anna", "Bob", "-", "-"]),  # Bob's begins at the blank before its word
        ([(0, 17, "Anna"), (5, 9, "Bob")], ["Anna", "Bob", "Anna", "Anna"]),  # Bob's is within Anna's
        ([(0, 17, "Anna"), (5, 9, "")], ["Anna", "Anna", "Anna", "Anna"]),
    ],
)
def test_all_words_of_a_sentence_are_written_with_its_speaker(segments, said):
    stretches = [Stretch("sentence", start, end, speaker=speaker) for start, end, speaker in segments]
    [file] = conll2012.write([Document("walk", "", "Anna took her dog", [], stretches, Links.INDICES)])
    rows = [line.split("\t") for line in file.data.decode().splitlines() if "\t" in line]
    assert [row[9] for row in rows] == said


def test_sentences_are_segments_with_their_speaker():
    [document] = read(SMALL)
    found = [(s.kind, document.content[s.start : s.end], s.speaker) for s in document.segments]
    assert found == [("sentence", "Anna took her dog", "narrator"), ("sentence", "It barked", "Bob B.")]


@pytest.mark.parametrize("none", ["-", "_", "*", ""])
def test_a_column_that_says_nothing_gives_no_speaker(none):
    [document] = read(SMALL.replace("narrator", none))
    assert [segment.speaker for segment in document.segments] == ["", "Bob B."]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["(0", "(1)", "0)"], [("w0 w1 w2", ("0",)), ("w1", ("1",))]),
        (["(0|(0", "0)", "0)"], [("w0 w1 w2", ("0",)), ("w0 w1", ("0",))]),
        (["(0", "(0", "0)|0)"], [("w0 w1 w2", ("0",)), ("w1 w2", ("0",))]),
        (["(0", "(0)", "0)"], [("w0 w1 w2", ("0",)), ("w1", ("0",))]),
        (["(0|(0)", "0)"], [("w0 w1", ("0",)), ("w0", ("0",))]),
        (["(0", "(1", "0)", "1)"], [("w0 w1 w2", ("0",)), ("w1 w2 w3", ("1",))]),
        (["(0|(7", "7)|0)"], [("w0 w1", ("7", "0"))]),
        (["(0)|(7)", "-"], [("w0", ("0", "7"))]),
        (["(0)|(0)", "-"], [("w0", ("0",))]),
        (["(0(1", "1)0)"], [("w0 w1", ("1", "0"))]),
        (["(person-1-Daniel_B.", "person-1-Daniel_B.)"], [("w0 w1", ("person-1-Daniel_B.",))]),
        (["(0)", "-", "(0)"], [("w0", ("0",)), ("w2", ("0",))]),
    ],
)
def test_brackets_of_one_name_close_the_last_that_is_open(cells, expected):
    assert chains(file_of(*cells)) == expected


def test_a_markable_that_stands_twice_in_a_chain_is_one_and_told():
    [document] = read(file_of("(0|(0|(1", "-", "0)|0)|1)", "(2)|(2)"))
    assert words(document) == [("w0 w1 w2", ("0", "1")), ("w3", ("2",))]
    assert [str(finding) for finding in document.findings] == [
        "dir/walk.conll:2: the chain 0 has the words from line 2 on twice (they are one markable)",
        "dir/walk.conll:5: the chain 2 has the words from line 5 on twice (they are one markable)",
    ]


@pytest.mark.parametrize("none", ["", "-", "_", "*"])
def test_an_empty_last_column_and_an_underscore_say_no_chain(none):
    assert chains(file_of("(0)", none, "(1)", none)) == [("w0", ("0",)), ("w2", ("1",))]


def test_an_underscore_column_before_an_empty_last_one_is_not_taken_for_it():
    row = "b\t0\t{}\tw{}\t_\t_\t_\t_\t_\t_\t_\t_\t{}"
    rows = [row.format(n, n, cell) for n, cell in enumerate(["(3", "", "3)", ""])]
    text = "\n".join(["#begin document (b); part 0", *rows, "", "#end document"])
    assert chains(text) == [("w0 w1 w2", ("3",))]


def test_three_columns_are_number_word_and_chains_and_need_no_end():
    text = "# begin document GUM_x\n0\tIn\t_\n1\tiodine\t(a-2(s-3-Iodine)\n2\tlack\ta-2)\n"
    [document] = read(text)
    assert document.content == "In iodine lack"
    assert words(document) == [("iodine lack", ("a-2",)), ("iodine", ("s-3-Iodine",))]
    assert read(text + "# end document\n")[0].content == "In iodine lack"


def test_columns_may_be_parted_by_several_blanks():
    text = file_of("(0", "-", "0)|(1)", separator="    ")
    assert chains(text) == [("w0 w1 w2", ("0",)), ("w2", ("1",))]


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_and_a_byte_order_mark_change_nothing(end):
    assert read(b"\xef\xbb\xbf" + SMALL.replace("\n", end).encode()) == read(SMALL)


def test_words_outside_the_basic_plane_count_as_one_code_point_each():
    text = SMALL.replace("Anna", "👩🏽‍🚀é").replace("took", "拿了")
    [document] = read(text)
    assert document.content.startswith("👩🏽‍🚀é 拿了 her dog")
    assert words(document)[1:3] == [("her dog", ("1",)), ("her", ("0",))]


def test_parts_and_documents_of_one_file_are_texts_of_their_own():
    second = SMALL.replace("part 000", "part 001").replace("Anna", "Otto")
    other = SMALL.replace("(walk)", "(run)")
    found = read(SMALL + second + other)
    assert [document.name for document in found] == ["walk 0", "walk 1", "run 0"]
    assert found[1].content.startswith("Otto took")
    assert found[0].content == found[2].content
    assert [mark.line for mark in found[1].marks] == [12, 14, 14, 17]


def test_a_document_of_a_file_with_several_may_have_no_name():
    unnamed = SMALL.replace("(walk); part 000", "")
    assert unnamed.startswith("#begin document \n")
    found = read(unnamed + SMALL.replace("(walk)", "(run)"))
    assert [document.name for document in found] == ["walk 0", "run 0"]


@pytest.mark.parametrize("comment", ["# a comment", "#", "# begins document"])
def test_comments_between_lines_are_passed_over(comment):
    lines = SMALL.split("\n")
    commented = "\n".join([comment, lines[0], comment, *lines[1:3], comment, *lines[3:]])
    assert words(read(commented)[0]) == words(read(SMALL)[0])


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
        (file_of(f"({'x' * (LONGEST_INDEX + 1)})"), 2, "a chain's name has more than 200 characters"),
        (SMALL.replace("Bob B.", "B" * (LONGEST_SPEAKER + 1)), 7, "a speaker's name has more than 100"),
        (file_of("-", "-").replace("w1", " "), 3, "the word column is empty or holds white space"),
        (file_of("-", "-").replace("w1", "w 1"), 3, "the word column is empty or holds white space"),
        (file_of("-", "-").replace("w1", "\u00a0"), 3, "the word column is empty or holds white space"),
        ("#begin document (a)\na\tb\n", 2, "this is not a list of chain brackets: 'b'"),
        ("#begin document (a)\na\t0\tb\t-\n", 2, "this document has no words"),
        ("#begin document (a)\nword\n", 2, "this line has 1"),
        ("#begin document (a)\n0\tb\t_\na\t0\t0\tb\t-\t-\n", 3, "this line has 6 columns, the first had 3"),
        ("#begin document (a)\na\t0\t0\tb\t-\t-\n0\tb\t_\n", 3, "this line has 3 columns, the first had 6"),
        (SMALL.replace("#end", "# " + "x" * 1000 + "\n#end"), 10, "a comment line has more than 1000 characters"),
    ],
)
def test_an_error_names_file_and_line(text, line, message):
    error = refused(text)
    assert message in error.message
    assert error.line == line
    assert str(error).startswith(f"dir/walk.conll:{line}: ")


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "byte order mark"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"], ids=["LF", "CRLF", "CR"])
def test_bytes_that_are_not_utf_8_are_named_with_line_and_column(mark, end):
    data = mark + SMALL.encode().replace(b"her", "hé".encode() + b"\xc3").replace(b"\n", end)
    error = refused(data)
    assert (error.line, error.column) == (4, 12)
    assert "byte 0xC3" in error.message


def test_a_file_in_another_encoding_is_refused_where_the_first_letter_differs():
    error = refused(SMALL.replace("her", "ihr großer").encode("latin-1"))
    assert (error.line, error.column) == (4, 17)
    assert "byte 0xDF" in error.message


def test_utf_16_is_refused():
    assert refused(SMALL.encode("utf-16")).line == 1


def test_a_nul_is_named_with_line_and_column():
    error = refused(SMALL.replace("her", "h\0r"))
    assert (error.line, error.column) == (4, 11)


def test_a_file_cut_after_its_first_word_is_refused_and_never_read_in_half():
    whole = SMALL.rindex("#end document") + len("#end document")
    for length in range(SMALL.index("Anna"), whole):
        assert refused(SMALL[:length]).line is not None
    assert read(SMALL[:whole]) == read(SMALL)


def test_a_file_cut_before_its_first_word_is_read_or_refused():
    for length in range(SMALL.index("Anna")):
        read_or_refused(SMALL[:length])


def test_a_file_without_a_line_is_read_or_refused():
    lines = SMALL.split("\n")
    for left_out in range(len(lines)):
        read_or_refused("\n".join(lines[:left_out] + lines[left_out + 1 :]))


def test_a_megabyte_of_comment_is_refused_without_going_over_it_again_and_again():
    for line in ("#begin document (" + ";" * 10**6, "#" + " " * 10**6, "#begin document " + "a " * 500_000):
        assert "comment line" in refused(line).message


def test_a_megabyte_in_one_column_is_read_or_refused():
    long = "x" * 10**6
    assert refused(file_of("(" + long)).line == 2
    assert refused(file_of(long)).line == 2
    assert refused(file_of("|" * 10**5 + "x")).line == 2
    error = refused(file_of("-", long + ")"))
    assert error.line == 3
    assert len(str(error)) < 300
    [document] = read(file_of("(1)").replace("w0", long))
    assert document.marks[0].parts == ((0, 10**6),)


def test_many_markables_are_read():
    number = 20_000
    [document] = read(file_of(*["(0)"] * number))
    assert len(document.marks) == number
    depth = 3_000
    [document] = read(file_of(*["(0"] * depth, *["0)"] * depth))
    assert document.marks[0].parts[0][1] == len(document.content)
    assert len(document.marks) == depth


# Random documents: written by the writer here, they are read back equal.

WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=6).filter(
    lambda word: not any(character.isspace() for character in word)
)
NAMES = st.text("abc019-_.Äב", min_size=1, max_size=4)


@st.composite
def sentences_and_chains(draw) -> tuple[list[list[str]], dict[str, set[Span]]]:
    sentences = draw(st.lists(st.lists(WORDS, min_size=1, max_size=6), min_size=1, max_size=4))
    last = sum(len(sentence) for sentence in sentences) - 1
    ends = st.tuples(st.integers(0, last), st.integers(0, last)).map(lambda pair: (min(pair), max(pair)))
    drawn = draw(st.dictionaries(NAMES, st.sets(ends, min_size=1, max_size=5), max_size=4))
    return sentences, {name: without_crossing(spans) for name, spans in drawn.items()}


def without_crossing(spans: set[Span]) -> set[Span]:
    """Return the spans of one chain without later ones that cross earlier ones, which cannot be written."""
    kept: set[Span] = set()
    for first, last in sorted(spans):
        if not any(a < first <= b < last for a, b in kept):
            kept.add((first, last))
    return kept


def written(sentences: list[list[str]], chains: dict[str, set[Span]], end: str) -> str:
    lines, number = ["#begin document (drawn); part 000"], 0
    for sentence in sentences:
        for word in sentence:
            cell = [
                *(f"({name}" for name, spans in chains.items() for a, b in spans if a == number < b),
                *(f"({name})" for name, spans in chains.items() if (number, number) in spans),
                *(f"{name})" for name, spans in chains.items() for a, b in spans if a < number == b),
            ]
            lines.append("\t".join(["drawn", "0", str(number), word, "-", "|".join(cell) or "-"]))
            number += 1
        lines.append("")
    return end.join([*lines, "#end document", ""])


@examples(100)
@given(sentences_and_chains(), st.sampled_from(["\n", "\r\n", "\r"]))
def test_random_documents_are_read_back(drawn, end):
    sentences, chains = drawn
    assume({"_"} != {*"".join(word for sentence in sentences for word in sentence)})  # its words are taken out
    [document] = read(written(sentences, chains, end))
    assert document.content == "\n".join(" ".join(sentence) for sentence in sentences)
    tokens = [word for sentence in sentences for word in sentence]
    starts = [sum(len(word) + 1 for word in tokens[:number]) for number in range(len(tokens))]
    expected: dict[Span, set[str]] = {}
    for name, spans in chains.items():
        for first, last in spans:
            place = (starts[first], starts[last] + len(tokens[last]))
            expected.setdefault(place, set()).add(name)
    assert {mark.parts[0]: set(mark.answer.indices) for mark in document.marks} == expected
    assert len(document.marks) == len(expected)
    found = [document.content[segment.start : segment.end] for segment in document.segments]
    assert found == [" ".join(sentence) for sentence in sentences]


@examples(100)
@given(st.data())
def test_a_damaged_file_gives_a_result_or_a_format_error(data):
    damaged = bytearray((SMALL + SMALL.replace("(walk)", "(run)")).encode())
    for _ in range(data.draw(st.integers(1, 4), label="flips")):
        place = data.draw(st.integers(0, len(damaged) - 1), label="place")
        damaged[place] = data.draw(st.sampled_from(b"\0\t\n\r #()|-_0129;ax\x80\xc3\xff"), label="byte")
    cut = data.draw(st.integers(0, len(damaged)), label="cut")
    for piece in (damaged, damaged[:cut], damaged[cut:]):
        read_or_refused(bytes(piece))


def test_all_ezcoref_files_are_read(samples):
    files = sorted((samples / "ezcoref" / "conll2012").rglob("*.conll"))
    assert len(files) == 40
    contents: dict[str, set[str]] = {}
    for file in files:
        documents = conll2012.read(Bundle.of(str(file), file.read_bytes()))
        check_offsets(documents)
        [document] = documents
        assert document.name == file.stem
        assert document.marks
        contents.setdefault(document.name, set()).add(document.content)
    assert {name: len(found) for name, found in contents.items()} == dict.fromkeys(contents, 1)
    assert len(contents) == 8


@pytest.mark.parametrize("coder", range(1, 6))
def test_ezcoref_has_the_offsets_of_its_brat_files(samples, coder):
    folder = samples / "ezcoref"
    for standoff in sorted((folder / "brat" / f"coder{coder}").glob("*.ann")):
        entities = [line.split("\t") for line in standoff.read_text().splitlines() if line.startswith("T")]
        places = [(place.split()[1:], text) for _, place, text in entities]
        expected = sorted((int(start), int(end), text) for (start, end), text in places)
        file = folder / "conll2012" / f"coder{coder}" / f"{standoff.stem}.conll"
        [document] = conll2012.read(Bundle.of(file.name, file.read_bytes()))
        found = sorted((*mark.parts[0], document.content[slice(*mark.parts[0])]) for mark in document.marks)
        assert found == expected, standoff.stem


def test_the_first_markables_of_a_masque_are_where_brat_has_them(samples):
    file = samples / "ezcoref" / "conll2012" / "coder1" / "masque-3.conll"
    [document] = conll2012.read(Bundle.of(file.name, file.read_bytes()))
    found = [(*mark.parts[0], document.content[slice(*mark.parts[0])]) for mark in document.marks[:4]]
    assert found == [
        (0, 5, "There"),
        (10, 54, "a sharp turn at every twenty or thirty yards"),
        (26, 54, "every twenty or thirty yards"),
        (74, 88, "a novel effect"),
    ]


def test_litbank_is_read_with_the_offsets_of_its_brat_file(samples):
    folder = samples / "litbank"
    [document] = conll2012.read(Bundle.of("bleak.conll", (folder / "1023_bleak_house_brat.conll").read_bytes()))
    check_offsets([document])
    assert document.content == (folder / "1023_bleak_house_brat.txt").read_text().strip("\n")
    assert words(document)[:2] == [("Chancery", ("0",)), ("London", ("1",))]


def test_gum_is_read(samples):
    [document] = conll2012.read(Bundle.of("iodine.conll", (samples / "gum" / "GUM_news_iodine.conll").read_bytes()))
    check_offsets([document])
    assert words(document)[:3] == [
        ("Australian children", ("person-1",)),
        ("iodine deficiency", ("abstract-2",)),
        ("iodine", ("substance-3-Iodine",)),
    ]
    assert len(document.content.split()) == 1071


def test_damaged_real_files_give_a_result_or_a_format_error(samples):
    file = samples / "ezcoref" / "conll2012" / "coder1" / "masque-3.conll"
    whole = file.read_bytes()
    chance = random.Random(2012)
    for _ in range(100):
        damaged = bytearray(whole)
        for _ in range(3):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        read_or_refused(bytes(damaged[: chance.randrange(len(damaged))]))


def test_cut_in_the_first_token_is_not_taken_for_the_short_form():
    with pytest.raises(FormatError, match=r"cut\.conll:2: this document has no words"):
        conll2012.read(Bundle.of("cut.conll", b"#begin document (cut); part 000\ncut\t0\t0\n"))


OF_WALK = ["Anna", "saw", "her", "dog"]
CHAINS_OF_WALK = ["(0)", "-", "(0", "0)"]
DIALECTS = {
    "words and chains": lambda n: f"{OF_WALK[n]}\t{CHAINS_OF_WALK[n]}",
    "number, word, chains": lambda n: f"{n}\t{OF_WALK[n]}\t{CHAINS_OF_WALK[n]}",
    "word, tag, chains": lambda n: f"{OF_WALK[n]}\tX{n}\t{CHAINS_OF_WALK[n]}",
    "document, number, word, chains": lambda n: f"walk {n} {OF_WALK[n]} {CHAINS_OF_WALK[n]}",
    "number, word, tag, chains": lambda n: f"{n} {OF_WALK[n]} X{n} {CHAINS_OF_WALK[n]}",
    "word first, of five": lambda n: f"{OF_WALK[n]}\t0\t{n}\t_\t{CHAINS_OF_WALK[n]}",
    "word, lemma, tag, name, chains": lambda n: (
        f"{OF_WALK[n]}\t{OF_WALK[n].lower()}\tX{n}\t{'O' if n else 'PER'}\t{CHAINS_OF_WALK[n]}"
    ),
    "the shared task": lambda n: f"walk\t0\t{n}\t{OF_WALK[n]}\t-\t-\t-\t-\t-\t-\t*\t{CHAINS_OF_WALK[n]}",
}


@pytest.mark.parametrize("line", DIALECTS.values(), ids=DIALECTS)
@pytest.mark.parametrize("begin", ["(walk);", "(walk); part 000", "(walk)", "walk"])
def test_every_dialect_has_the_same_words_and_chains(line, begin):
    lines = "\n".join(line(number) for number in range(4))
    [document] = conll2012.read(
        Bundle.of("walk.conll", f"#begin document {begin}\n{lines}\n\n#end document\n".encode())
    )
    assert document.content == "Anna saw her dog"
    assert indices(document) == [("Anna", ("0",)), ("her dog", ("0",))]


def test_another_column_than_the_usual_is_told_and_may_be_named():
    lines = "".join(f"{OF_WALK[n]}\t{OF_WALK[n].upper()}\t{n}\tX\t{CHAINS_OF_WALK[n]}\n" for n in range(4))
    bundle = Bundle.of("walk.conll", f"#begin document (walk);\n{lines}#end document\n".encode())
    [document] = conll2012.read(bundle)
    assert [str(finding) for finding in document.findings] == [
        "walk.conll:2: the words are those of column 1 of 5 (word=N reads others)"
    ]
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
def test_words_that_begin_with_a_hash_are_words_where_words_come_first(lines):
    tokens = [line.replace("\t", " ").split() for line in lines if not line.startswith(("# s", "# (", "# a"))]
    [document] = read(document_of(*lines))
    assert document.content == " ".join(token[0] for token in tokens)
    assert len(document.marks) == sum(token[-1].count("(") for token in tokens)


@pytest.mark.parametrize("comment", ["# a (1)", "# b -", "#\tc\t-", "#\t\t", "# walk\t-"])
def test_a_comment_stays_one_where_numbers_or_names_come_first(comment):
    short = ["0\tAnna\t(0)", "1\tsaw\t-"]
    for separator in ("\t", " "):
        lines = [line.replace("\t", separator) for line in short]
        assert read(document_of(lines[0], comment, lines[1])) == read(document_of(lines[0], "# x", lines[1]))
    lines = SMALL.split("\n")
    assert words(read("\n".join([*lines[:3], "#\t" * 11 + "(1)", *lines[3:]]))[0]) == words(read(SMALL)[0])


WORD_FIRST = document_of("Anna\tNNP\t(1)", "sees\tVBZ\t-", name="first")


@pytest.mark.parametrize("other", ["1984\tCD\t(1)", "7\tCD\t-\n8\tNN\t-", "1-2\tX\t-"])
@pytest.mark.parametrize("order", [1, -1])
def test_the_word_column_is_that_of_all_documents_of_a_file(other, order):
    documents = read("".join([WORD_FIRST, document_of(*other.split("\n"), name="second")][::order]))
    expected = " ".join(line.split("\t")[0] for line in other.split("\n"))
    assert [document.content for document in documents][::order] == ["Anna sees", expected]


def test_documents_of_three_columns_and_of_the_shared_task_stand_in_one_file():
    documents = read(document_of("0\tAnna\t(0)", "1\tsaw\t-", name="short") + SMALL)
    assert [document.content for document in documents] == ["Anna saw", "Anna took her dog\nIt barked"]


READ_BY_0_1_0 = {
    "numbers with the sentence": lambda n: f"walk\t0\t1-{n}\t{OF_WALK[n]}\tX\t-\t-\t-\t-\t-\t*\t{CHAINS_OF_WALK[n]}",
    "numbers with a letter": lambda n: f"walk\t0\tw{n}\t{OF_WALK[n]}\tX\t{CHAINS_OF_WALK[n]}",
    "numbers of parts": lambda n: f"walk\t0\t{n}.1\t{OF_WALK[n]}\tX\t{CHAINS_OF_WALK[n]}",
    "numbered names": lambda n: f"walk_{n}\t0\t{n}\t{OF_WALK[n]}\tX\t{CHAINS_OF_WALK[n]}",
}  # fmt: skip


@pytest.mark.parametrize("line", READ_BY_0_1_0.values(), ids=READ_BY_0_1_0)
def test_what_had_its_words_in_the_fourth_column_still_has(line):
    several = "".join(document_of(*map(line, range(4)), name=name) for name in ("a", "b"))
    for document in [*read(document_of(*map(line, range(4)))), *read(several)]:
        assert document.content == "Anna saw her dog"
        assert document.findings == []


@pytest.mark.parametrize("word", ["0", "abc", "-1", "1.5", "\u00b2"])
def test_a_column_that_is_no_number_from_one_is_refused(word):
    with pytest.raises(FormatError, match=r"^walk\.conll: word=.*: columns are numbered from 1$"):
        conll2012.read(Bundle.of("walk.conll", SMALL.encode()), word=word)


def test_hashes_are_read_in_time_that_grows_with_them():
    def read_hashes(n: int) -> None:
        [document] = read(document_of("a\t-", *["#\t-", "#b\t(1)", f"# {'(' * 9}"] * n))
        assert len(document.marks) == n

    assert_grows_with_input(read_hashes, 20_000)


@pytest.mark.parametrize("cell", ["(", "(a", "a", "|", "a)", "(a)"])
def test_a_long_cell_after_a_hash_is_read_or_refused_in_time_that_grows_with_it(cell):
    assert_grows_with_input(lambda n: read_or_refused(document_of("a\t-", f"#\t{cell * n}x")), 100_000)


@pytest.mark.slow
def test_columns_of_many_small_documents_are_found_in_time_that_grows_with_them():
    def read_many(n: int) -> None:
        text = "".join(f"#begin document (d{number});\na\t-\n#end document\n" for number in range(n))
        assert len(conll2012.read(Bundle.of("many.conll", text.encode()))) == n

    assert_grows_with_input(read_many, 60_000)
