"""Reading and writing DUCView's pyramids and peer annotations."""

import random
import re
from collections.abc import Collection

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from annotations.formats import Bundle, FormatError
from annotations.formats.ducview import (
    MAX_MOVED,
    MAX_TEXT_LENGTH,
    find_losses,
    read,
    read_peer,
    read_pyramid,
    write_peer,
    write_pyramid,
)
from annotations.formats.model.pyramid import (
    NOT_IN_PYRAMID,
    SCU,
    Contributor,
    ContributorPart,
    PeerAnnotation,
    Pyramid,
    Summary,
)
from annotations.formats.syntax.headers import find_summaries, join_summaries
from tests.shared.cases import examples
from tests.shared.documents import spoiled
from tests.shared.growth import assert_grows_with_input

RAIN = join_summaries([("one", "Rain fell for days.\nRivers rose."), ("two", "It rained & rained.")])
TWICE = Contributor((ContributorPart(61, 67), ContributorPart(52, 58)), "It...rained", "twice\nsaid")
RAINED = SCU(1, 'It "rained"', (Contributor((ContributorPart(8, 17),), "Rain fell"), TWICE), "a < b")
ROSE = SCU(7, "Rivers rose", (Contributor((ContributorPart(22, 34), ContributorPart(18, 26)), "for days...Rivers"),))
PYRAMID = Pyramid(RAIN.text, RAIN.boundary, RAIN.summaries, (RAINED, ROSE))
IT_RAINED = Contributor((ContributorPart(0, 9),), "It rained")
DOGS = Contributor((ContributorPart(11, 22),), "Dogs barked")
PEER = PeerAnnotation(PYRAMID, "It rained.\nDogs barked.", {1: (IT_RAINED,), 0: (DOGS,)}, {7: "not said"})
DTD = """\
 <!ELEMENT pyramid (startDocumentRegEx?, text, scu*)>
 <!ELEMENT startDocumentRegEx (#PCDATA)>
 <!ELEMENT text (line*)>
 <!ELEMENT line (#PCDATA)>
 <!ELEMENT scu (contributor+)>
 <!ATTLIST scu uid CDATA #REQUIRED label CDATA #REQUIRED comment CDATA #IMPLIED>
 <!ELEMENT contributor (part+)>
 <!ATTLIST contributor label CDATA #REQUIRED comment CDATA #IMPLIED>
 <!ELEMENT part EMPTY>
 <!ATTLIST part label CDATA #REQUIRED start CDATA #REQUIRED end CDATA #REQUIRED>
"""
BODY = """\
<pyramid>
<startDocumentRegEx><![CDATA[^--- .+$]]></startDocumentRegEx>
 <text>
  <line>--- one</line>
  <line>Rain fell for days.</line>
  <line>Rivers rose.</line>
  <line>--- two</line>
  <line>It rained &amp; rained.</line>
 </text>
 <scu uid="1" label="It &quot;rained&quot;" comment="a &lt; b">
  <contributor label="Rain fell">
   <part label="Rain fell" start="8" end="17"/>
  </contributor>
  <contributor label="It...rained" comment="twice&#10;said">
   <part label="rained" start="61" end="67"/>
   <part label="rained" start="52" end="58"/>
  </contributor>
 </scu>
</pyramid>
"""


def pyr(scus: str, text: str = "--- A\nRain fell, it fell.\n--- B\nIt rained.", head: str = "") -> bytes:
    """Return a pyramid with the text in line 3 and the SCUs from line 4."""
    lines = "".join(f"<line>{line}</line>" for line in text.split("\n"))
    return f'<?xml version="1.0"?>\n<pyramid>{head}\n<text>{lines}</text>\n{scus}\n</pyramid>'.encode()


def scu(*parts: tuple[str, int, int], uid: str = "1") -> str:
    found = "".join(f'<part label="{label}" start="{start}" end="{end}"/>' for label, start, end in parts)
    return f'<scu uid="{uid}" label="L"><contributor label="C">\n{found}</contributor></scu>'


def pan(peers: str, text: str = "<text><line>It fell.</line></text>") -> bytes:
    """Return a peer annotation with its SCUs from line 4."""
    pyramid = pyr(scu(("Rain", 6, 10))).decode().split("?>\n")[1].replace("\n", "")
    return f"<peerAnnotation>\n{pyramid}<annotation>\n{text}\n{peers}\n</annotation></peerAnnotation>".encode()


def pyramid_of(data: bytes | str) -> Pyramid:
    return read_pyramid(Bundle.of("duc/d1.pyr", data.encode() if isinstance(data, str) else data))


def peer_of(data: bytes) -> PeerAnnotation:
    return read_peer(Bundle.of("duc/p1.pan", data))


def refused(data: bytes | str) -> FormatError:
    with pytest.raises(FormatError) as caught:
        read(Bundle.of("duc/d1.pyr", data.encode() if isinstance(data, str) else data))
    assert caught.value.file == "duc/d1.pyr"
    return caught.value


def words(pyramid: Pyramid) -> list[list[str]]:
    """Return the words of each contributor of the first SCU."""
    return [[pyramid.text[part.start : part.end] for part in each.parts] for each in pyramid.scus[0].contributors]


def pyramid_with(*scus: SCU) -> Pyramid:
    return Pyramid(RAIN.text, RAIN.boundary, RAIN.summaries, scus)


def contributor(*spans: tuple[int, int], label: str = "C") -> Contributor:
    return Contributor(tuple(ContributorPart(*span) for span in spans), label)


def codes(found: Pyramid | PeerAnnotation) -> list[tuple[str, int | None]]:
    return [(finding.code, finding.line) for finding in found.findings]


@pytest.mark.parametrize(
    ("name", "weights"), [("strike.coder1.pyr", [4, 3, 2, 2, 2, 1]), ("strike.coder2.pyr", [4, 4, 2])]
)
def test_samples_have_expected_weights(samples, name, weights):
    data = (samples / "ducview" / name).read_bytes()
    pyramid = pyramid_of(data)
    assert (pyramid.findings, pyramid.boundary) == ((), "--- model [0-9]+")
    assert [pyramid.weight(each) for each in pyramid.scus] == weights
    assert [each.name for each in pyramid.summaries] == ["model 1", "model 2", "model 3", "model 4"]
    assert pyramid.content(pyramid.summaries[3]) == (
        "The board's request to the union came late.\nTwo million was lost.\nThe mayor said both sides were at fault."
    )
    labels = [part.get("label") for part in etree.fromstring(data).iter("part")]
    parts = [part for each in pyramid.scus for contributor in each.contributors for part in contributor.parts]
    assert [pyramid.text[part.start : part.end] for part in parts] == labels
    assert len(labels) == 14


def test_sample_peer_is_read(samples):
    annotation = peer_of((samples / "ducview" / "peer1.pan").read_bytes())
    assert annotation.findings == ()
    assert annotation.pyramid == pyramid_of((samples / "ducview" / "strike.coder1.pyr").read_bytes())
    assert annotation.text == "The board asked the union for help after nine days. Prices rose."
    assert annotation.marks == {
        1: (contributor((0, 34), label="The board asked the union for help"),),
        2: (contributor((41, 50), label="nine days"),),
        NOT_IN_PYRAMID: (contributor((52, 63), label="Prices rose"),),
    }


@pytest.mark.parametrize("name", ["strike.coder1.pyr", "strike.coder2.pyr", "peer1.pan"])
def test_samples_are_read_back(samples, name):
    assert_read_back(read(Bundle.of(name, (samples / "ducview" / name).read_bytes())))


def assert_read_back(found):
    """Assert that the written file is valid by its DTD and is read back and written equal."""
    write, read_again = (write_pyramid, pyramid_of) if isinstance(found, Pyramid) else (write_peer, peer_of)
    data = write(found)
    root = etree.fromstring(data)
    assert root.getroottree().docinfo.internalDTD.validate(root)
    assert find_losses(found) == []
    assert read_again(data) == found
    assert write(read_again(data)) == data
    return read_again(data)


def test_pyramid_is_written_as_in_ducview():
    expected = f'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE pyramid [\n{DTD}]>\n{BODY}'
    assert write_pyramid(pyramid_with(RAINED)).decode() == expected
    assert pyramid_of(expected) == pyramid_with(RAINED)
    assert '<part label="days.Rivers" start="22" end="34"/>' in write_pyramid(PYRAMID).decode()
    assert_read_back(PYRAMID)
    unlabelled = pyramid_with(SCU(1, "L", (contributor((8, 12), (13, 17), label=""),)))
    assert pyramid_of(write_pyramid(unlabelled)).scus[0].contributors[0].label == "Rain...fell"


def test_peer_annotation_lists_scus_by_weight():
    written = write_peer(PEER).decode()
    head, _, rest = written.partition("</pyramid>\n")
    declared = "<!DOCTYPE peerAnnotation [\n <!ELEMENT peerAnnotation (pyramid, annotation)>\n"
    assert head.startswith(f'<?xml version="1.0" encoding="UTF-8"?>\n{declared}')
    expected = """\
<annotation>
 <text>
  <line>It rained.</line>
  <line>Dogs barked.</line>
 </text>
 <peerscu uid="1" label="(2) It &quot;rained&quot;">
  <contributor label="It rained">
   <part label="It rained" start="0" end="9"/>
  </contributor>
 </peerscu>
 <peerscu uid="7" label="(1) Rivers rose" comment="not said">
 </peerscu>
 <peerscu uid="0" label="All non-matching SCUs go here">
  <contributor label="Dogs barked">
   <part label="Dogs barked" start="11" end="22"/>
  </contributor>
 </peerscu>
</annotation>
</peerAnnotation>
"""
    assert rest == expected
    assert_read_back(PEER)


def test_offsets_are_written_in_utf_16_units():
    base = join_summaries([("one", "😀 rain"), ("two", "a 😀")])
    scu = SCU(1, "L", (contributor((8, 9), (10, 14), (25, 26)),))
    pyramid = Pyramid(base.text, base.boundary, base.summaries, (scu,))
    parts = re.findall('<part label="(.*)" start="(.*)" end="(.*)"/>', write_pyramid(pyramid).decode())
    assert parts == [("😀", "8", "10"), ("rain", "11", "15"), ("😀", "26", "28")]
    assert_read_back(pyramid)


def test_losses_are_reported():
    rain = contributor((8, 12), label="Rain")
    scus = SCU(1, "bell\7", (rain,)), SCU(2, "empty"), SCU(3, "hollow", (Contributor(()),))
    pyramid = Pyramid(RAIN.text.replace("days", "d\x01ys"), RAIN.boundary, RAIN.summaries, scus)
    annotation = PeerAnnotation(pyramid, "\ud800", {2: (contributor((0, 1)),)}, {1: "\0"})
    assert find_losses(annotation) == [
        "SCU 2 (empty) has no contributor and is left out",
        "SCU 3 (hollow) has no contributor and is left out",
        "contributors to SCU 2 are left out",
        "4 characters that XML cannot hold become U+FFFD",
    ]
    found = peer_of(write_peer(annotation))
    assert (found.text, found.marks, found.comments) == ("\ufffd", {}, {1: "\ufffd"})
    assert found.pyramid.text == RAIN.text.replace("days", "d\ufffdys")
    assert [each.label for each in found.pyramid.scus] == ["bell\ufffd"]


@pytest.mark.parametrize("expression", ["a]]>b", "a\rb", "", "[<&]", "a\nb"])
def test_boundaries_are_read_back(expression):
    pyramid = Pyramid("--- x\ny", expression, (Summary("x", 6, 7),))
    assert pyramid_of(write_pyramid(pyramid)).boundary == expression


DASHES = "--- A\nRain\n---\nfell -- down\n---- A\n"


@pytest.mark.parametrize(
    ("text", "expression", "expected", "wrong"),
    [
        (
            "#4\n\n------\n D07.H.G\n------\n\nRain fell.\n\n------\n D07.H.H\n------\n\nIt rained.\n",
            r"[-]*\n D[0-9]*\.H\.[A-Z]\n[-]*\n",
            {"D07.H.G": "Rain fell.", "D07.H.H": "It rained."},
            "",
        ),
        (
            "---\nD1 A\n---\nRain fell.\nMuch of it.\n---\nD1 B\n---\nIt rained a lot.\n",
            "",
            {"D1 A": "Rain fell.\nMuch of it.", "D1 B": "It rained a lot."},
            "is missing; lines that begin with --- are read as headers",
        ),
        (" Rain fell ", "", {"summary 1": "Rain fell"}, "is missing; the text is read as one summary"),
        (DASHES, "(?=-)", {"A": "Rain", "summary 2": "fell -- down", "A (3)": ""}, "is not run: RE2 refuses it"),
        (DASHES, "=== .*", {"A": "Rain", "summary 2": "fell -- down", "A (3)": ""}, "finds nothing; lines that begin"),
    ],
)
def test_summaries_are_named_by_their_headers(text, expression, expected, wrong):
    found, why = find_summaries(text, expression)
    assert {each.name: text[each.start : each.end] for each in found} == expected
    assert why.startswith(wrong) if wrong else why == ""


ONE_LINE = [
    "It rained.",
    "Rain fell for days on end in the hills, and the rivers rose until the lower town stood under water.",
    "Floods",
    "The town was flooded by rain; nobody was hurt, as all had left their houses in time",
]


def in_summaries(text: str, boundary: str = "", contributed: Collection[int] = ()) -> list[str]:
    return [text[each.start : each.end] for each in find_summaries(text, boundary, contributed)[0]]


@pytest.mark.parametrize("count", range(1, 5))
@pytest.mark.parametrize("last", ["", "\n---", "\n---\n"])
def test_lines_between_rules_are_summaries(count, last):
    found = in_summaries("---\n" + "\n---\n".join(ONE_LINE[:count]) + last)
    assert found == ONE_LINE[:count] + [""] * bool(last)


def test_headers_contain_no_contributor():
    text = "-----\nRain fell\n-----\nIt rained for days.\n-----\nMore\n-----\nIt rained."
    assert in_summaries(text) == ["It rained for days.", "It rained."]
    all_four = ["Rain fell", "It rained for days.", "More", "It rained."]
    assert in_summaries(text, contributed=[text.index("fell")]) == all_four
    found = pyramid_of(pyr(scu(("fell", 11, 15), ("rained", 25, 31)), text))
    assert [found.content(each) for each in found.summaries] == all_four
    assert "no-summary" not in dict(codes(found))


def test_joined_summaries_have_unique_headers():
    pyramid = join_summaries([("M  1", "--- x\na ---- b"), ("M 1", "\n c\n"), ("", ""), ("---", "d")])
    assert pyramid.text.startswith("----- M 1\n--- x\n")
    assert [each.name for each in pyramid.summaries] == ["M 1", "M 1 (2)", "summary 3", "---"]
    assert [pyramid.content(each) for each in pyramid.summaries] == ["--- x\na ---- b", "c", "", "d"]


def test_weight_counts_each_summary_once_without_headers():
    spans = [(8, 12), (13, 17), (49, 51), (0, 3)]
    scu = SCU(1, "L", tuple(contributor(span) for span in spans))
    pyramid = pyramid_with(scu, SCU(2, "M"))
    assert [pyramid.weight(each) for each in pyramid.scus] == [2, 0]
    assert [code for code, _ in codes(pyramid_of(write_pyramid(pyramid_with(scu))))] == ["no-summary"]


def test_contributor_belongs_to_summary_of_earliest_part():
    found = pyramid_of(pyr(scu(("It", 32, 34), ("Rain", 6, 10))))
    assert found.summary_of(found.scus[0].contributors[0]) == Summary("A", 6, 25)
    assert codes(found) == [("boundary", 2), ("several-summaries", 4)]


def test_white_space_matters_in_texts_but_not_in_labels():
    found = pyramid_of(pyr(scu(("fell,it\nfell.---B", 11, 31)), head="<startDocumentRegEx>--- .</startDocumentRegEx>"))
    assert words(found) == [["fell, it fell.\n--- B"]]
    assert pyramid_of(pyr("", "\n a &#x27;&amp;\n\n")).text == "\n a '&\n\n"


PLAIN = "--- A\nRain fell, it fell.\n--- B\nIt rained."


@pytest.mark.parametrize(
    ("text", "parts", "starts", "moved"),
    [
        (PLAIN, [("Rain fell", 7, 16), ("It rained", 34, 43)], [6, 32], 2),
        (PLAIN, [("Rain fell", 900, 909)], [6], 1),
        (PLAIN, [("Rain fell", 0, 9)], [6], 1),
        (PLAIN, [("Rain fell", 35, 44)], [6], 1),
        ("--- A\nRain fell.\n--- B\nThe rain: Rain.", [("Rain", 24, 28)], [33], 1),
        ("--- A\n😀😀 Rain fell", [("Rain", 9, 13), ("fell", 14, 18)], [9, 14], 0),
        ("--- A\n😀😀 Rain fell", [("Rain", 11, 15), ("fell", 16, 20)], [9, 14], 0),
        ("--- A\n😀 ab fell", [("fell", 12, 16), ("😀", 6, 7)], [11, 6], 1),
    ],
    ids=["beside", "behind", "before", "in another", "in both", "code points", "UTF-16 units", "half a character"],
)
def test_misplaced_part_is_moved_to_only_match(text, parts, starts, moved):
    found = pyramid_of(pyr(scu(*parts), text))
    assert words(found) == [[label for label, *_ in parts]]
    assert [part.start for part in found.scus[0].contributors[0].parts] == starts
    assert [line for code, line in codes(found) if code == "offsets"] == [5] * moved


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (("fell", 7, 11), "these words do not stand at 7-11, and in several places"),
        (("snow", 6, 10), "these words do not stand at 6-10, and nowhere else"),
        (("", 6, 10), "these words do not stand at 6-10, and nowhere else"),
        (("snow", 10, 6), "these words do not stand at 10-6, and nowhere else"),
    ],
)
def test_misplaced_part_without_single_match_is_refused(part, message):
    error = refused(pyr(scu(part)))
    assert error.message.startswith(message)
    assert error.line == 5


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        (b"", 1, "this is not well-formed XML"),
        (b"<pyramid>", 1, "this is not well-formed XML"),
        (b"\0", 1, "a NUL character"),
        (b"<x/>", 1, "<pyramid> or <peerAnnotation> is expected, not <x>"),
        (b"\n<Pyramid><scu/></Pyramid>", 2, "this is a pyramid of PyrEval"),
        (b"SCU\t1\t4\tRain", 1, "this is a list of SCUs without the summaries"),
        (b"<pyramid/>", 1, "<text> is expected once and appears 0 times"),
        (pyr("<text/>"), 2, "<text> is expected once and appears 2 times"),
        (pyr("", head="<startDocumentRegEx/><startDocumentRegEx/>"), 2, "<startDocumentRegEx> appears twice"),
        (pyr("").replace(b"It rained", b"It <b>rained</b>"), 3, "a line holds words alone"),
        (pyr(scu(("Rain", 6, 10)) + "\n" + scu(("Rain", 6, 10))), 6, "the uid 1 appears twice"),
        (pyr(scu(("Rain", 6, 10), uid="0")), 4, "uid 0 is for what stands outside the pyramid"),
        (pyr(scu(("Rain", 6, 10), uid="one")), 4, "uid is a number of at most 9 digits, not 'one'"),
        (pyr(scu(("Rain", 6, 10), uid="9" * 5000)), 4, "uid is a number of at most 9 digits"),
        (pyr(scu(("Rain", 6, 10), uid="٣")), 4, "uid is a number of at most 9 digits, not '٣'"),
        (pyr(scu(("Rain", -6, 10))), 5, "start is a number of at most 9 digits, not '-6'"),
        (pyr('<scu label="L"/>'), 4, "<scu> has no uid"),
        (pyr('<scu uid="1"/>'), 4, "<scu> has no label"),
        (pyr(scu(("Rain", 6, 10)).replace('label="C"', "")), 4, "<contributor> has no label"),
        (pyr(scu(("Rain", 6, 10)).replace('label="Rain"', "")), 5, "<part> has no label"),
        (pyr(scu(("Rain", 6, 10)).replace('end="10"', "")), 5, "<part> has no end"),
        (pyr(scu()), 4, "this contributor has no part"),
        (b"<peerAnnotation/>", 1, "<pyramid> is expected once and appears 0 times"),
        (pan('<peerscu uid="0" label=""/>').replace(b"annotation>", b"note>"), 1, "<annotation> is expected once"),
        (pan("", ""), 2, "<text> is expected once and appears 0 times"),
        (pan('<peerscu uid="0" label=""/>\n<peerscu uid="0" label=""/>'), 5, "the uid 0 appears twice"),
        (pan('<peerscu uid="1"/>'), 4, "<peerscu> has no label"),
        (pan(scu(("It", 0, 2), uid="5").replace("scu", "peerscu")), 4, "the pyramid has no SCU 5, yet the peer has"),
        (pan(scu(("me", 0, 2), uid="0").replace("scu", "peerscu")), 5, "these words do not stand at 0-2, and nowhere"),
        (pyr("", "&b;").replace(b"<pyramid>", b'<!DOCTYPE a [<!ENTITY b "b">]><pyramid>'), 1, "declares entities"),
        ("<pyramid>" + "<a>" * 230 + "</a>" * 230 + "</pyramid>", 1, "deeper"),
    ],
)
def test_error_names_file_and_line(data, line, message):
    error = refused(data)
    assert message in error.message
    assert error.line == line


def test_pyramids_and_peers_are_not_confused():
    with pytest.raises(FormatError, match=r"p1\.pan: this is a pyramid"):
        peer_of(pyr(""))
    with pytest.raises(FormatError, match=r"d1\.pyr: this is a peer annotation"):
        pyramid_of(pan('<peerscu uid="0" label="x"/>'))


OTHER = '<peerscu uid="1" label="(1) M"/>'


@pytest.mark.parametrize(
    ("peers", "comments", "told"),
    [
        ('<peerscu uid="1" label="(1) L" comment="no"/><peerscu uid="0" label="x"/>', {1: "no"}, []),
        (f'{OTHER}\n<peerscu uid="5" label="(1) N" comment="no"/>', {}, [("other-label", 4), ("unknown-scu", 5)]),
    ],
)
def test_peer_without_contributors_is_read(peers, comments, told):
    found = peer_of(pan(peers))
    assert (found.marks, found.comments) == ({}, comments)
    assert codes(found) == [("boundary", 2), *told]


def test_weight_in_label_of_peer_scu_is_ignored():
    data = pan('<peerscu uid="1" label="(1) (3) L"/>').replace(b'label="L"', b'label="(3) L"')
    assert codes(peer_of(data)) == [("boundary", 2)]


def test_declared_latin_1_is_read():
    data = pyr(scu(("Schönes", 6, 13)), "--- A\nSchönes").decode()
    declared = data.replace('"1.0"', '"1.0" encoding="ISO-8859-1"').encode("latin-1")
    assert words(pyramid_of(declared)) == [["Schönes"]]
    assert refused(declared.replace(b"ISO-8859-1", b"UTF-8")).line == 3
    assert "encoding" in refused(declared.replace(b"ISO-8859-1", b"nonsense")).message
    error = refused(data.encode("latin-1"))
    assert (error.line, error.column) == (3, 34)
    assert "byte 0xF6" in error.message


@pytest.mark.parametrize("expression", ["(-+)+$", "(a|a)*$", "(.*a){30}", "-*-*-*-*-*-*-*-*-*x", "[a-]+[a-]+[a-]+x"])
def test_hostile_expression_takes_linear_time(expression):
    def read(n):
        text = "--- A\n" + "a" * n + "\n" + "-" * (n // 2)
        found = pyramid_of(pyr("", text, f"<startDocumentRegEx>{expression}</startDocumentRegEx>"))
        assert [each.name for each in found.summaries] == ["A", "summary 2"]
        assert codes(found) == [("boundary", 2)]

    assert_grows_with_input(read, 100_000)


def test_too_long_texts_are_refused():
    assert f"more than {MAX_TEXT_LENGTH:,} characters" in refused(pyr("", "a" * (MAX_TEXT_LENGTH + 1))).message
    assert len(pyramid_of(pyr("", "a" * MAX_TEXT_LENGTH)).text) == MAX_TEXT_LENGTH


def test_refusing_misplaced_parts_takes_linear_time():
    def refuse(n):
        text = "--- A\n" + "ab" * n + "c"
        error = refused(pyr(scu(*[("abc", 8, 11)] * (MAX_MOVED + 1)), text))
        assert error.message == f"more than {MAX_MOVED} parts do not say what stands at their offsets"
        many = pyr(scu(*[("ab", 6, 2 * n)] * (2 * n // 5)), text)
        assert "in several places" in refused(many).message

    assert_grows_with_input(refuse, 50_000)


TEXTS = st.text(st.sampled_from("ab \n-&<]'\"é😀\u2028\r\t.#"), max_size=12)
LABELS = st.text(st.sampled_from('ab \n-&<"é😀\t\r(1).'), max_size=8)


@st.composite
def contributors(draw: st.DrawFn, text: str) -> tuple[Contributor, ...]:
    if not text:
        return ()
    offsets = st.integers(0, len(text))
    spans = st.tuples(offsets, offsets).filter(lambda pair: pair[0] != pair[1]).map(sorted)
    parts = st.lists(spans.map(lambda pair: ContributorPart(*pair)), min_size=1, max_size=3).map(tuple)
    return tuple(draw(st.lists(st.builds(Contributor, parts, LABELS.filter(bool), LABELS), min_size=1, max_size=3)))


@st.composite
def pyramids(draw: st.DrawFn) -> Pyramid:
    """Draw summaries of any content, and SCUs with parts anywhere in the text."""
    base = join_summaries(draw(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=3)))
    uids = draw(st.lists(st.integers(1, 10**9 - 1), max_size=3, unique=True))
    scus = [SCU(uid, draw(LABELS), draw(contributors(base.text)), draw(LABELS)) for uid in uids]
    return Pyramid(base.text, base.boundary, base.summaries, tuple(scus))


@st.composite
def peers(draw: st.DrawFn) -> PeerAnnotation:
    pyramid, text = draw(pyramids()), draw(TEXTS)
    uids = st.sampled_from([0, *(each.uid for each in pyramid.scus)])
    marks = {uid: draw(contributors(text)) for uid in draw(st.lists(uids, max_size=3))}
    comments = draw(st.dictionaries(uids, LABELS.filter(bool), max_size=2))
    return PeerAnnotation(pyramid, text, {uid: found for uid, found in marks.items() if found}, comments)


SLOW = examples(60)


@SLOW
@given(pyramids())
def test_pyramids_are_read_back(pyramid):
    found = assert_read_back(pyramid)
    assert {code for code, _ in codes(found)} <= {"no-summary", "several-summaries"}
    assert all(pyramid.content(each) == pyramid.content(each).strip() for each in pyramid.summaries)


@SLOW
@given(peers())
def test_peers_are_read_back(annotation):
    found = assert_read_back(annotation)
    assert not {code for code, _ in codes(found)} & {"offsets", "other-label", "unknown-scu"}


@SLOW
@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4))
def test_joined_summaries_are_found_again(contents):
    pyramid = join_summaries(contents)
    assert [pyramid.content(each) for each in pyramid.summaries] == [content.strip() for _, content in contents]


def read_or_refused(data: bytes) -> None:
    try:
        found = read(Bundle.of("a.pan", data))
    except FormatError as error:
        assert (error.file, bool(error.message)) == ("a.pan", True)  # noqa: PT017
        return
    pyramid = found if isinstance(found, Pyramid) else found.pyramid
    parts = [part for each in pyramid.scus for contributor in each.contributors for part in contributor.parts]
    assert all(0 <= part.start < part.end <= len(pyramid.text) for part in parts)


@SLOW
@given(peers(), st.integers(0, 2**32))
def test_spoiled_files_are_read_or_refused(annotation, seed):
    read_or_refused(spoiled(write_peer(annotation), random.Random(seed)))


@pytest.mark.parametrize("name", ["strike.coder2.pyr", "peer1.pan"])
def test_spoiled_samples_are_read_or_refused(samples, name):
    data = (samples / "ducview" / name).read_bytes()
    chance = random.Random(2006)
    for _ in range(150):
        read_or_refused(spoiled(data, chance))
        read_or_refused(data[: chance.randrange(len(data))])
