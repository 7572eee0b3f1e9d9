import contextlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.formats import Answer, Bundle, Document, FormatError, Links, Mark, Place, Stretch, muc
from annotations.formats.losses.reduction import reduce_document
from annotations.formats.model.features import Feature
from annotations.formats.model.links import find_chains
from annotations.formats.model.slips import WAY
from annotations.formats.model.text import MAX_LABEL_LENGTH
from tests.shared.cases import examples
from tests.shared.documents import INDEXING, plain_of
from tests.shared.growth import assert_grows_with_input

FILE = "anna/walk.sgm"


def read_all(text: str | bytes, **options: str) -> list[Document]:
    return muc.read(Bundle.of(FILE, text.encode() if isinstance(text, str) else text), **options)


def read(text: str | bytes, **options: str) -> Document:
    [document] = read_all(text, **options)
    return document


def refused(text: str | bytes) -> tuple[int | None, int | None, str]:
    """Return line, column and message of the error."""
    with pytest.raises(FormatError) as caught:
        read_all(text)
    assert caught.value.file == FILE
    return caught.value.line, caught.value.column, caught.value.message.removesuffix(f"{WAY}the mention")


def said(mark: Mark) -> Answer:
    assert mark.answer is not None
    return mark.answer


def words(document: Document, parts: tuple[tuple[int, int], ...]) -> str:
    return " … ".join(document.content[start:end] for start, end in parts)


def links(document: Document) -> list[tuple[str, str]]:
    """Return the words of each markable with the words of its antecedents."""
    return [
        (words(document, mark.parts), " + ".join(words(document, target.parts) for target in said(mark).pointers))
        for mark in document.marks
    ]


def heads(document: Document) -> list[str]:
    return [words(document, mark.head) for mark in document.marks]


def found(document: Document) -> list[tuple[str, int | None]]:
    return [(finding.code, finding.line) for finding in document.findings]


def written(document: Document) -> str:
    kept, _ = reduce_document(document, muc.FORMAT.supported_features)
    [file] = muc.write([kept])
    assert file.path == f"{document.name}.sgm"
    return file.data.decode()


def pointing(*marks: Mark, content: str = "Anna saw her dog and it saw her", **fields) -> Document:
    return Document("walk", "", content, marks, links=Links.POINTERS, **fields)


def mark(start: int, end: int, *targets: tuple[int, int], **fields: object) -> Mark:
    answer = Answer(pointers=tuple(Place("", (target,)) for target in targets), optional=bool(fields.pop("opt", False)))
    return Mark(((start, end),), answer=answer, **fields)


def test_text_is_read_between_tags():
    document = read('<DOC>\n<TXT>\n<p>\n<COREF ID="1">𝒳na</COREF> saw\r\n <b>her</b>.\n</TXT>\n</DOC>\n')
    assert document.content == "\n\n\n𝒳na saw\r\n her.\n\n"
    assert [mark.parts for mark in document.marks] == [((3, 6),)]
    assert (document.name, document.file, document.links) == ("walk", FILE, Links.POINTERS)


@pytest.mark.parametrize(
    ("text", "content", "told"),
    [
        ("<DOC>AT&T &amp; Co &lt;b&gt; &amp;lt; 3 < 4 <- a<3 &x;</DOC>", "AT&T & Co <b> &lt; 3 < 4 <- a<3 &x;", []),
        ("<DOC>&quot; &unknown;</DOC>", "&quot; &unknown;", []),
        ("<!DOCTYPE DOC SYSTEM 'a'>\n<?xml?><DOC>Anna<!-- <COREF ID=1>x</COREF> --> ran</DOC>", "Anna ran", []),
        ("preamble <DOC>a</DOC> <corpus>", "a", [("text-outside", None)]),
    ],
)
def test_other_markup_is_read_as_text(text, content, told):
    document = read(text)
    assert (document.content, document.marks, found(document)) == (content, [], told)


@pytest.mark.parametrize(
    ("status", "is_optional"), [('STATUS="OPT"', True), ('STAT="OPT"', True), ("status=opt", True), ("", False)]
)
def test_markables_may_nest_point_forward_and_be_optional(status, is_optional):
    text = f'<COREF ID="a" REF="c" {status}>She</COREF> saw <COREF ID="b"><COREF ID="c">Anna</COREF> Lee</COREF>'
    document = read(text)
    assert links(document) == [("She", "Anna"), ("Anna Lee", ""), ("Anna", "")]
    assert [mark.line for mark in document.marks] == [1, 1, 1]
    assert [mark.answer.optional for mark in document.marks] == [is_optional, False, False]


def test_tags_may_differ_in_case_order_and_quotes():
    document = read("<doc>\n<coref ref=1 Type=ident id='2'>a</coref> <Coref\nMIN='b' ID=1\t>b</cOREF ></Doc>")
    assert (links(document), heads(document), document.findings) == ([("a", "b"), ("b", "")], ["", "b"], [])
    quoted = '<COREF ID="&quot;1&quot;" MIN="AT&amp;T">AT&amp;T Co</COREF> <COREF ID="2" REF=\'"1"\'>it</COREF>'
    document = read(quoted)
    assert links(document) == [("AT&T Co", ""), ("it", "AT&T Co")]
    assert (heads(document), document.findings) == (["AT&T", ""], [])


def test_ids_become_labels_unless_consecutive_numbers():
    document = read("<COREF ID=1>a</COREF> <COREF ID=101>b</COREF> <COREF ID=3>c</COREF> <COREF ID=x.4>d</COREF>")
    assert [mark.label for mark in document.marks] == ["", "101", "", "x.4"]
    name = "x" * (MAX_LABEL_LENGTH + 1)
    document = read(f"<COREF ID={name}>a</COREF> <COREF ID=2 REF={name}>b</COREF>")
    assert ([mark.label for mark in document.marks], links(document)) == (["", ""], [("a", ""), ("b", "a")])


def test_documents_of_file_are_named_by_number():
    first = "<DOC><DOCNO> 11-7 </DOCNO><TXT>a</TXT></DOC>\n\n"
    documents = read_all(f"{first}<DOC id=x><DOCID>\n12\n</DOCID>b</DOC>\n<DOC><TXT>c</TXT></DOC>")
    expected = {"11-7": ["11-7", "a"], "12": ["12", "b"], "walk 3": ["c"]}
    assert {document.name: document.content.split() for document in documents} == expected
    assert {document.file for document in documents} == {FILE}


NEWS = """\
<DOC>
<DOCNO> 7 </DOCNO>
<HL> <COREF ID="1">Port</COREF> Bid
@ By <COREF ID="2">Ann</COREF> </HL>
<DD> <COREF ID="3">11/02</COREF> </DD>
<DD> <COREF ID="4">Friday</COREF> </DD>
<SO> <COREF ID="5" REF="1">HARBOUR</COREF> </SO>
<DATELINE> <COREF ID="6">BAY</COREF> </DATELINE>
<TXT>
<p>
<COREF ID="7" REF="5" TYPE="IDENT">It</COREF> rose.
@ <COREF ID="8" REF="7">Pier</COREF> 410
<p> <s>Then @ <COREF ID="9" REF="8">it</COREF> fell.</s> <s>Ha.</s>
</TXT>
<TRAILER> <COREF ID="10" REF="9">NYT</COREF> </TRAILER>
</DOC>
"""


def test_headers_paragraphs_and_sentences_become_segments():
    document = read(NEWS)
    assert [(each.kind, each.label, document.content[each.start : each.end]) for each in document.segments] == [
        ("header", "DOCNO", "7"),
        ("header", "HL", "Port Bid\n@ By Ann"),
        ("header", "DD", "11/02"),
        ("header", "DD", "Friday"),
        ("header", "SO", "HARBOUR"),
        ("header", "DATELINE", "BAY"),
        ("paragraph", "", "It rose.\n@ Pier 410"),
        ("paragraph", "", "Then @ it fell. Ha."),
        ("sentence", "", "Then @ it fell."),
        ("sentence", "", "Ha."),
        ("header", "TRAILER", "NYT"),
    ]


def test_markables_outside_coded_zones_are_left_out():
    document = read(NEWS)
    assert links(document) == [("Port", ""), ("Ann", ""), ("Friday", ""), ("BAY", ""), ("It", "Port"), ("it", "It")]
    assert found(document) == [("zone", 5), ("zone", 7), ("zone", 12), ("zone", 15)]
    assert document.findings[1].message.startswith("COREF 5 ")
    kept = read(NEWS, zones="keep")
    assert (len(kept.marks), kept.findings) == (10, [])
    bodiless = read("<DOC><SO><COREF ID=1>a</COREF></SO>\n@ <COREF ID=2>b</COREF></DOC>")
    assert (len(bodiless.marks), bodiless.findings) == (2, [])


@pytest.mark.parametrize("dates", ["<DD>{}</DD>", "<DD>a</DD><DD>b</DD><DD>{}</DD>", "<DD>{}</DD><DD>b</DD>"])
def test_only_second_date_is_coded(dates):
    document = read(f"<DOC>{dates.format('<COREF ID=1>x</COREF>')}<TEXT>c</TEXT></DOC>")
    assert found(document) == [("zone", 1)]


def test_circular_links_of_left_out_markables_are_dropped():
    ring = "<COREF ID=1 REF=2>a</COREF><COREF ID=2 REF=1>b</COREF>"
    inside = "<COREF ID=3 REF=1>c</COREF> <COREF ID=4 REF=3>d</COREF>"
    assert links(read(f"<DOC><SO>{ring}</SO><TXT>{inside}</TXT></DOC>")) == [("c", ""), ("d", "c")]
    across = "<SO><COREF ID=1 REF=2>a</COREF></SO><TXT><COREF ID=2 REF=1>c</COREF></TXT>"
    assert links(read(f"<DOC>{across}</DOC>")) == [("c", "")]


@pytest.mark.parametrize(
    ("least", "text", "expected", "codes"),
    [
        ("dog", "the old dog", "dog", []),
        ("dogs", "the old dog", "", ["min-outside"]),
        ("dog", "dogged dog", "dog", []),
        ("og", "the old dog", "og", []),
        ("dog", "dog and dog", "dog", ["min-twice"]),
        ("old  dog", "the old\n dog", "old\n dog", []),
        ("cat|dog", "the old dog", "dog", []),
        ("dog|old", "the old dog", "dog", []),
        ("a|b", "a|b and b", "a|b", []),
        ("|", "the old dog", "", ["min-outside"]),
        ("(3)", "part (3)", "(3)", []),
        (" dog ", "the old dog", "dog", []),
        ("x" * 2000, "the old dog", "", ["min-outside"]),
    ],
)
def test_min_becomes_head(least, text, expected, codes):
    document = read(f'dog <COREF ID="1" MIN="{least}">{text}</COREF> dog')
    assert (heads(document), [finding.code for finding in document.findings]) == ([expected], codes)


@pytest.mark.parametrize(
    ("given", "expected"), [("4-6", (4, 6)), *((wrong, (0, 2)) for wrong in ("1-3", "4-7", "4-60", "x"))]
)
def test_head_is_minspan_or_first_match_of_min(given, expected):
    assert read(f'<COREF ID=1 MIN="it" MINSPAN="{given}">it, it</COREF>').marks[0].head == (expected,)
    assert read('<COREF ID=1 MIN="it">city (it) or it</COREF>').marks[0].head == ((6, 8),)


@pytest.mark.parametrize(
    ("text", "codes", "expected"),
    [
        ("<COREF ID=1 REF=7>a</COREF>", ["ref-unknown"], [("a", "")]),
        ("<COREF ID=1 REF=1>a</COREF>", ["ref-self"], [("a", "")]),
        ("<COREF>a</COREF>", ["no-id"], [("a", "")]),
        ("<COREF ID=1 STATUS=MAYBE>a</COREF>", ["status"], [("a", "")]),
        ("<COREF ID=1 WHO=me>a</COREF>", ["attribute"], [("a", "")]),
        ("<COREF ID=1> </COREF>a", ["no-words"], []),
        ("<COREF ID=1>a</COREF><COREF ID=2 REF=1 TYPE=PART>b</COREF>", ["type"], [("a", ""), ("b", "")]),
        ("<COREF ID=1><COREF ID=2 REF=1>a</COREF></COREF>", ["duplicate"], [("a", "")]),
    ],
)
def test_irregular_markables_are_read_and_reported(text, codes, expected):
    document = read(f"\n{text}")
    assert links(document) == expected
    assert found(document) == [(code, 2) for code in codes]


def test_refs_point_to_first_markable_of_same_document():
    document = read("<COREF ID=x>a</COREF>\n<COREF ID=x>b</COREF> <COREF ID=3 REF=x>c</COREF>")
    assert links(document) == [("a", ""), ("b", ""), ("c", "a")]
    assert [mark.label for mark in document.marks] == ["x", "", ""]
    assert [finding.line for finding in document.findings] == [2]
    first, second = read_all("<DOC><COREF ID=1>a</COREF></DOC><DOC><COREF ID=2 REF=1>b</COREF></DOC>")
    assert (links(first), links(second), found(second)) == ([("a", "")], [("b", "")], [("ref-unknown", 1)])


def test_markables_on_same_words_are_merged_with_links():
    text = "<COREF ID=1>a</COREF> <COREF ID=2>b</COREF> "
    document = read(f"{text}<COREF ID=3 REF=1><COREF ID=4 REF=2 MIN=c>c</COREF></COREF> <COREF ID=5 REF=4>d</COREF>")
    assert links(document) == [("a", ""), ("b", ""), ("c", "a + b"), ("d", "c")]
    assert (heads(document), found(document)) == (["", "", "c", ""], [("duplicate", 1)])


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("a\n <COREF ID=1>b", 2, 2, "this <COREF> is never closed"),
        ("a\r<COREF ID=1>b", 2, 1, "this <COREF> is never closed"),
        ("a\n</COREF>", 2, 1, "</COREF> closes nothing"),
        ("<DOC>\n<HL><COREF ID=1>b</HL></COREF></DOC>", 2, 5, "this COREF is not closed before </HL>"),
        ("<DOC><COREF ID=1>a\n<HL>b</COREF></HL></DOC>", 2, 6, "the COREF of line 1 crosses another tag"),
        ("<DOC>a\n<TXT>b</DOC>", 2, 1, "this <TXT> is never closed"),
        ("<DOC><HL>a\n</TXT></DOC>", 2, 1, "</TXT> stands where the <HL> of line 1 is open"),
        ("<DOC>a\n</TXT></DOC>", 2, 1, "</TXT> closes nothing"),
        ("\n<DOC>a", 2, None, "the file ends inside this document: </DOC> is missing"),
        ("<DOC>a\n<DOC>b", 2, 1, "a document begins before the one of line 1 has ended"),
        ("a\n</DOC>", 2, 1, "a document ends here that has not begun"),
        ("<DOC>a</DOC>\n</DOC>", 2, 1, "a document ends here that has not begun"),
        ("<COREF ID=1>b</COREF>\n<DOC>a</DOC>", 1, 1, "a COREF is outside <DOC>"),
        ("\n<DOC> <p> </DOC>", 2, None, "there is no text in this document"),
        ("", 1, None, "there is no text in this document"),
        ("<!-- <DOC> -->", 1, None, "there is no document in this file"),
        ("a\n<COREF ID='1>b</COREF>", 2, 1, "the tag <COREF is not closed by > (a plain < is written &lt;)"),
        ("a\n<COREF ID=1", 2, 1, "the tag <COREF is not closed by > (a plain < is written &lt;)"),
        ("a <COREF", 1, 3, "the tag <COREF is not closed by > (a plain < is written &lt;)"),
        ("a <b c", 1, 3, "the tag <b is not closed by > (a plain < is written &lt;)"),
        ("a\n<COREF ID=1 id=2>b</COREF>", 2, 1, "the tag <COREF has the attribute ID twice"),
        ("a\n <!-- b", 2, 2, "what begins here is never closed by -->"),
        ("a <!DOCTYPE b", 1, 3, "what begins here is never closed by >"),
        ("<DOC><DOCNO>7</DOCNO></DOC>\n" * 2, 2, None, "the document 7 appears twice (also in line 1)"),
        ("a\n\0", 2, 1, "a NUL character is not allowed in a text"),
    ],
)
def test_invalid_files_are_refused_with_position(text, line, column, message):
    assert refused(text) == (line, column, message)


@pytest.mark.parametrize("tag", ["<COREF ID=1>", "<HL>"])
def test_too_deep_nesting_is_refused(tag):
    assert refused("<DOC>" + tag * 100_000)[2].endswith("nest deeper than 50")


@pytest.mark.parametrize(
    "text",
    [
        lambda n: "<" * (3 * n),
        lambda n: "<a@" * n,
        lambda n: "<a b='" * (n // 2),
        lambda n: "<COREF" + " " * (3 * n),
        lambda n: "<COREF " + "a=b " * n,
        lambda n: "<COREF ID=1 MIN='" + "x|" * n + "'>" + "a " * n + "</COREF>",
        lambda n: "".join(f"<COREF ID={k} MIN='a b'>" for k in range(50)) + "a " * (n // 5) + "</COREF>" * 50,
        lambda n: (
            "<DOC><SO>"
            + "".join(f"<COREF ID={k} REF={k + 1}>a</COREF>" for k in range(n // 25))
            + "</SO><TXT>"
            + "".join(f"<COREF ID=b{k} REF=0>a</COREF> " for k in range(n // 25))
            + "</TXT></DOC>"
        ),
        lambda n: "<p>" * (n // 2) + "a",
        lambda n: "<TXT>" + "@\n" * n + "</TXT>",
    ],
    ids=range(10),
)
def test_reading_hostile_files_takes_linear_time(text):
    def read_or_refuse(n):
        with contextlib.suppress(FormatError):
            read_all(text(n))

    assert_grows_with_input(read_or_refuse, 100_000)


def test_small_document_is_written_as_expected():
    document = pointing(
        mark(0, 4, label="A"),
        mark(9, 16, head=((13, 16),)),
        mark(9, 12, (0, 4)),
        mark(21, 23, (9, 16), opt=True),
        segments=[Stretch("sentence", 0, 16), Stretch("turn", 0, 31, "1.1")],
    )
    assert written(document) == (
        '<DOC><TXT><TURN LABEL="1.1"><s><COREF ID="A">Anna</COREF> saw <COREF ID="2" MIN="dog">'
        '<COREF ID="3" TYPE="IDENT" REF="A">her</COREF> dog</COREF></s> and '
        '<COREF ID="4" TYPE="IDENT" REF="2" STATUS="OPT">it</COREF> saw her</TURN></TXT></DOC>\n'
    )
    spaces = Document("other", "", "\r\n\tAnna  saw\rher\n\n ", [])
    assert written(spaces) == "<DOC><TXT>\r\n\tAnna  saw\rher\n\n </TXT></DOC>\n"
    assert [file.path for file in muc.write([document, spaces])] == ["walk.sgm", "other.sgm"]


def test_sgml_markup_is_escaped():
    marks = [Mark(((0, 18),), head=((9, 18),), label='"<a>"', answer=Answer())]
    text = written(Document("walk", "", 'AT&T <b> "x" &amp;', marks))
    assert text == (
        '<DOC><TXT><COREF ID="&quot;&lt;a&gt;&quot;" MIN="&quot;x&quot; &amp;amp;">'
        'AT&amp;T &lt;b&gt; "x" &amp;amp;</COREF></TXT></DOC>\n'
    )
    assert plain_of(read(text)).marks == marks


def test_numeric_label_is_written_as_id():
    document = pointing(mark(0, 4), mark(9, 12, label="1"), mark(21, 23, (0, 4)))
    assert re.findall('<COREF ID="(.+?)"', written(document)) == ["4", "1", "3"]


def test_ambiguous_head_is_written_with_minspan():
    document = pointing(mark(0, 10, head=((8, 10),)), mark(11, 13, head=((11, 12),)), content="it was, it at")
    text = written(document)
    assert '<COREF ID="1" MIN="it" MINSPAN="8-10">' in text
    assert '<COREF ID="2" MIN="a">' in text
    assert heads(read(text)) == ["it", "a"]


def test_markables_in_at_sign_lines_are_written_outside_body():
    document = Document("walk", "", "Anna\n@ her", [Mark(((7, 10),), answer=Answer())])
    assert written(document) == '<DOC>Anna\n@ <COREF ID="1">her</COREF></DOC>\n'


def test_crossed_header_is_written_inside_markable():
    document = pointing(mark(0, 8), segments=[Stretch("header", 0, 4, "HL")])
    text = written(document)
    assert text.startswith('<DOC><COREF ID="1"><HEADER LABEL="HL">Anna</HEADER> saw</COREF>')
    assert read(text).segments == document.segments


def test_header_zones_are_written_back(samples):
    text = written(read((samples / "muc" / "harbour.sgm").read_bytes()))
    for zone in ("<HL><COREF", "<DD>11/02/95</DD>", '<DD><COREF ID="2">', "<DATELINE><COREF", "\n<TXT>\n", "</TXT>"):
        assert zone in text
    assert text.index("</DATELINE>") < text.index("<TXT>") < text.index("<p>")


def test_body_is_written_between_headers_and_trailers():
    kept, _ = reduce_document(read(NEWS), muc.FORMAT.supported_features)
    text = written(kept)
    assert text.index("</DATELINE>") < text.index("<TXT>") < text.index("</TXT>") < text.index("<TRAILER>")
    assert plain_of(read(text)) == plain_of(kept)


def refs(*marks: Mark) -> list[int | None]:
    """Return for each mark the number of the mark that its REF names, counted from 1."""
    back = read(written(pointing(*marks, content="ab cd ef gh ij kl mn")))
    places = [mark.place for mark in back.marks]
    return [places.index(said(mark).pointers[0]) + 1 if said(mark).pointers else None for mark in back.marks]


A, B, C, D = (0, 2), (3, 5), (6, 8), (9, 11)


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        ([mark(*A), mark(*B, A), mark(*C, A)], [None, 1, 2]),
        ([mark(*A), mark(*B, A, opt=True), mark(*C, A)], [None, 1, 1]),
        ([mark(*A), mark(*B, A, opt=True), mark(*C, B)], [None, 1, 1]),
        ([mark(*A, opt=True), mark(*B, A)], [None, 1]),
        ([mark(*A, opt=True), mark(*B, A, opt=True), mark(*C, A)], [None, 1, 2]),
        ([mark(*A, B), mark(*B)], [2, None]),
        ([mark(*A, B), mark(*B, C), mark(*C)], [3, 1, None]),
        ([mark(*A, B), mark(*B, A)], [2, 1]),
        ([mark(*A), mark(*B), mark(*C, A)], [None, None, 1]),
        ([mark(*A), mark(*B), mark(*C, A, B)], [None, None, 2]),
        ([mark(*A), mark(*B, A), mark(*C), mark(*D, C)], [None, 1, None, 3]),
    ],
)
def test_ref_names_nearest_required_markable(marks, expected):
    assert refs(*marks) == expected


@examples(100)
@given(st.data())
def test_nearest_refs_keep_chains(data):
    count = data.draw(st.integers(1, 7), label="marks")
    spans = [(3 * number, 3 * number + 2) for number in range(count)]
    marks = []
    for span in spans:
        others = [other for other in spans if other != span]
        targets = data.draw(st.lists(st.sampled_from(others), max_size=1) if others else st.just([]), label="targets")
        marks.append(mark(*span, *targets, opt=data.draw(st.booleans(), label="optional")))
    document = pointing(*marks, content="ab cd ef gh ij kl mn")
    kept, _ = reduce_document(document, muc.FORMAT.supported_features)
    before, after = (
        [[mark.place for mark in chain] for chain in find_chains(each.marks)]
        for each in (document, read(written(document)))
    )
    assert after == before
    optional = {mark.place for mark in marks if said(mark).optional}
    for new, old in zip(kept.marks, marks, strict=True):
        assert len(said(new).pointers) == len(said(old).pointers)
        for target in said(new).pointers:
            [chain] = [chain for chain in after if new.place in chain]
            earlier = chain[: chain.index(new.place)]
            required = [place for place in earlier if place not in optional]
            assert target == (required or earlier or [target])[-1]


def test_markable_of_several_entities_joins_nearest():
    marks = [Mark((span,), answer=Answer(indices=indices)) for span, indices in ((A, "x"), (B, "y"), (C, "xy"))]
    document = Document("walk", "", "ab cd ef", marks, links=Links.INDICES)
    assert links(read(written(document))) == [("ab", ""), ("cd", ""), ("ef", "cd")]


def test_distant_antecedents_are_reported_as_losses():
    document = pointing(mark(*A), mark(*B, A), mark(*C, A), content="ab cd ef")
    _, [loss] = reduce_document(document, muc.FORMAT.supported_features)
    assert (loss.feature, loss.count, loss.examples) == (Feature.ANTECEDENTS, 1, ("walk: “ef” (6-8)",))
    assert reduce_document(document, frozenset(Feature) - {Feature.ANTECEDENTS}) == (document, [])


def test_uncoded_target_becomes_coded():
    document = pointing(Mark((A,)), mark(*B, A), Mark((C,)), content="ab cd ef")
    kept, [loss] = reduce_document(document, muc.FORMAT.supported_features)
    assert [mark.answer for mark in kept.marks] == [Answer(), Answer(pointers=(Place("", (A,)),))]
    assert loss.feature == Feature.UNCODED


def test_non_referring_markables_are_reported_as_losses():
    answers = [*(Answer(category="refers", indices=(index,)) for index in "112"), Answer(category="none")]
    marks = [Mark((span,), answer=answer) for span, answer in zip([A, B, C, D], answers, strict=True)]
    document = Document("walk", "", "ab cd ef gh", marks, links=Links.INDICES, scheme=INDEXING)
    _, [loss] = reduce_document(document, muc.FORMAT.supported_features)
    assert (loss.count, loss.examples) == (1, ("walk: “gh” (9-11)",))


def test_sample_is_read(samples):
    document = read((samples / "muc" / "harbour.sgm").read_bytes())
    operator = "the city's largest dock operator"
    authority = f"The Lowell Bay Port Authority, {operator},"
    assert document.findings == []
    assert links(document) == [
        ("Port Authority", ""),
        ("11/03/95", ""),
        ("LOWELL BAY", ""),
        (authority, "Port Authority"),
        (operator, authority),
        ("it", authority),
        ("$1.2 million in cash", ""),
        ("AT&T of New York", ""),
        ("the old pier that the company rents", ""),
        ("the company", "AT&T of New York"),
        ("Ms. Fribble", ""),
        ("president", "Ms. Fribble"),
        ("chairman of the harbour board", "Ms. Fribble"),
        ("She", "Ms. Fribble"),
        ("the sum", "$1.2 million in cash"),
        ("its", ""),
        ("the pier", "the old pier that the company rents"),
    ]
    least = ["Authority", "operator", "$1.2 million", "AT&T", "pier", "Fribble", "chairman"]
    assert [head for head in heads(document) if head] == least
    optional = [words(document, mark.parts) for mark in document.marks if mark.answer.optional]
    assert optional == ["president", "chairman of the harbour board"]
    assert [mark.line for mark in document.marks] == [3, 6, 8, 11, 11, 12, 12, 12, 12, 12, 14, 14, 14, 14, 14, 18, 18]
    assert document.content.startswith("\n 951103-0042 \n Port Authority Weighs Offer\n@ By a staff reporter \n")
    assert document.content.endswith("the pier's lease.\n\n")
