"""Reading and writing DUCView's pyramids and peer annotations."""

import random
from collections.abc import Collection

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from annotations.formats import Bundle, FormatError
from annotations.formats.ducview import (
    LONGEST_TEXT,
    MOST_MOVED,
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
from tests.shared.growth import assert_grows_with_input

RAIN = join_summaries([("one", "Rain fell for days.\nRivers rose."), ("two", "It rained & rained.")])
RAINED = SCU(
    1,
    'It "rained"',
    (
        Contributor((ContributorPart(8, 17),), "Rain fell"),
        Contributor((ContributorPart(61, 67), ContributorPart(52, 58)), "It...rained", "twice\nsaid"),
    ),
    "a < b",
)
ROSE = SCU(7, "Rivers rose", (Contributor((ContributorPart(22, 34), ContributorPart(18, 26)), "for days...Rivers"),))
PYRAMID = Pyramid(RAIN.text, RAIN.boundary, RAIN.summaries, (RAINED, ROSE))
PEER = PeerAnnotation(
    PYRAMID,
    "It rained.\nDogs barked.",
    {
        1: (Contributor((ContributorPart(0, 9),), "It rained"),),
        0: (Contributor((ContributorPart(11, 22),), "Dogs barked"),),
    },
    {7: "not said"},
)
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


def codes(found: Pyramid | PeerAnnotation) -> list[tuple[str, int | None]]:
    return [(finding.code, finding.line) for finding in found.findings]


@pytest.mark.parametrize(
    ("name", "weights"), [("strike.coder1.pyr", [4, 3, 2, 2, 2, 1]), ("strike.coder2.pyr", [4, 4, 2])]
)
def test_the_samples_have_their_weights_and_their_labels_stand_at_their_offsets(samples, name, weights):
    data = (samples / "ducview" / name).read_bytes()
    pyramid = pyramid_of(data)
    assert pyramid.findings == ()
    assert pyramid.boundary == "--- model [0-9]+"
    assert [pyramid.weight(each) for each in pyramid.scus] == weights
    assert [each.name for each in pyramid.summaries] == ["model 1", "model 2", "model 3", "model 4"]
    assert pyramid.content(pyramid.summaries[3]) == (
        "The board's request to the union came late.\nTwo million was lost.\nThe mayor said both sides were at fault."
    )
    labels = [part.get("label") for part in etree.fromstring(data).iter("part")]
    parts = [part for each in pyramid.scus for contributor in each.contributors for part in contributor.parts]
    assert [pyramid.text[part.start : part.end] for part in parts] == labels
    assert len(labels) == {"strike.coder1.pyr": 14, "strike.coder2.pyr": 14}[name]


def test_the_second_coder_of_the_sample_has_contributors_of_two_parts(samples):
    pyramid = pyramid_of((samples / "ducview" / "strike.coder2.pyr").read_bytes())
    assert [len(contributor.parts) for contributor in pyramid.scus[0].contributors] == [2, 2, 1, 2]
    assert pyramid.scus[0].contributors[3] == Contributor(
        (ContributorPart(358, 390), ContributorPart(391, 400)), "The board's request to the union...came late"
    )


def test_the_peer_of_the_sample_expresses_two_scus_and_one_that_the_pyramid_has_not(samples):
    annotation = peer_of((samples / "ducview" / "peer1.pan").read_bytes())
    assert annotation.findings == ()
    assert annotation.pyramid == pyramid_of((samples / "ducview" / "strike.coder1.pyr").read_bytes())
    assert annotation.text == "The board asked the union for help after nine days. Prices rose."
    assert annotation.marks == {
        1: (Contributor((ContributorPart(0, 34),), "The board asked the union for help"),),
        2: (Contributor((ContributorPart(41, 50),), "nine days"),),
        NOT_IN_PYRAMID: (Contributor((ContributorPart(52, 63),), "Prices rose"),),
    }


@pytest.mark.parametrize("name", ["strike.coder1.pyr", "strike.coder2.pyr", "peer1.pan"])
def test_the_samples_are_written_and_read_back_equal(samples, name):
    found = read(Bundle.of(name, (samples / "ducview" / name).read_bytes()))
    data = write_pyramid(found) if isinstance(found, Pyramid) else write_peer(found)
    assert find_losses(found) == []
    assert read(Bundle.of(name, data)) == found
    root = etree.fromstring(data)
    assert root.getroottree().docinfo.internalDTD.validate(root)


def test_a_pyramid_is_written_as_ducview_writes_it():
    pyramid = Pyramid(
        RAIN.text,
        RAIN.boundary,
        RAIN.summaries,
        (SCU(1, RAINED.label, (RAINED.contributors[0], contributor(61, 67, 52, 58)), "a < b"),),
    )
    expected = f'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE pyramid [\n{DTD}]>\n{BODY}'
    assert write_pyramid(pyramid).decode() == expected
    assert pyramid_of(expected) == pyramid


def contributor(*offsets: int) -> Contributor:
    parts = tuple(ContributorPart(start, end) for start, end in zip(offsets[::2], offsets[1::2], strict=True))
    return Contributor(parts, "It...rained", "twice\nsaid")


def test_a_peer_annotation_names_every_scu_the_heaviest_first_and_uid_0():
    written = write_peer(PEER).decode()
    assert written.startswith(
        '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE peerAnnotation [\n'
        " <!ELEMENT peerAnnotation (pyramid, annotation)>\n"
    )
    assert (
        written[written.index("</pyramid>") :]
        == """\
</pyramid>
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
    )
    assert peer_of(written.encode()) == PEER


def test_a_part_over_a_line_end_says_its_words_without_it():
    written = write_pyramid(PYRAMID).decode()
    assert PYRAMID.text[22:34] == "days.\nRivers"
    assert '<part label="days.Rivers" start="22" end="34"/>' in written
    assert pyramid_of(written) == PYRAMID


def test_the_order_of_parts_is_kept_and_parts_of_two_scus_may_overlap():
    found = pyramid_of(write_pyramid(PYRAMID))
    assert found.scus[0].contributors[1].parts == (ContributorPart(61, 67), ContributorPart(52, 58))
    assert found.scus[1].contributors[0].parts == (ContributorPart(22, 34), ContributorPart(18, 26))


def test_offsets_are_written_in_utf_16_units():
    base = join_summaries([("one", "😀 rain"), ("two", "a 😀")])
    parts = (ContributorPart(8, 9), ContributorPart(10, 14), ContributorPart(25, 26))
    pyramid = Pyramid(base.text, base.boundary, base.summaries, (SCU(1, "L", (Contributor(parts, "C"),)),))
    assert [base.text[part.start : part.end] for part in parts] == ["😀", "rain", "😀"]
    written = write_pyramid(pyramid).decode()
    assert '<part label="😀" start="8" end="10"/>' in written
    assert '<part label="rain" start="11" end="15"/>' in written
    assert '<part label="😀" start="26" end="28"/>' in written
    assert pyramid_of(written) == pyramid


def test_a_label_that_nobody_gave_is_that_of_the_parts():
    bare = Pyramid(
        RAIN.text,
        RAIN.boundary,
        RAIN.summaries,
        (SCU(1, "L", (Contributor((ContributorPart(8, 12), ContributorPart(13, 17))),)),),
    )
    assert pyramid_of(write_pyramid(bare)).scus[0].contributors[0].label == "Rain...fell"


def test_what_a_file_cannot_hold_is_reported_and_left_out_or_replaced():
    scus = (
        SCU(1, "bell\7", (Contributor((ContributorPart(8, 12),), "Rain"),)),
        SCU(2, "empty"),
        SCU(3, "hollow", (Contributor(()),)),
    )
    text = RAIN.text.replace("days", "d\x01ys")
    annotation = PeerAnnotation(
        Pyramid(text, RAIN.boundary, RAIN.summaries, scus),
        "\ud800",
        {2: (Contributor((ContributorPart(0, 1),)),)},
        {1: "\0"},
    )
    assert find_losses(annotation) == [
        "SCU 2 (empty) has no contributor and is left out",
        "SCU 3 (hollow) has no contributor and is left out",
        "contributors to SCU 2 are left out",
        "4 characters that XML cannot hold become U+FFFD",
    ]
    found = peer_of(write_peer(annotation))
    assert found.text == "\ufffd"
    assert found.marks == {}
    assert found.comments == {1: "\ufffd"}
    assert found.pyramid.text == RAIN.text.replace("days", "d\ufffdys")
    assert [each.label for each in found.pyramid.scus] == ["bell\ufffd"]


@pytest.mark.parametrize("expression", ["a]]>b", "a\rb", "", "[<&]", "a\nb"])
def test_any_boundary_is_written_and_read_back(expression):
    pyramid = Pyramid("--- x\ny", expression, (Summary("x", 6, 7),))
    assert pyramid_of(write_pyramid(pyramid)).boundary == expression


def test_summaries_are_named_by_their_headers_and_stand_without_white_space_around():
    text = "#4\n\n------\n D07.H.G\n------\n\nRain fell.\n\n------\n D07.H.H\n------\n\nIt rained.\n"
    summaries, wrong = find_summaries(text, r"[-]*\n D[0-9]*\.H\.[A-Z]\n[-]*\n")
    assert wrong == ""
    assert [(each.name, text[each.start : each.end]) for each in summaries] == [
        ("D07.H.G", "Rain fell."),
        ("D07.H.H", "It rained."),
    ]
    assert find_summaries(text, "") == (summaries, "is missing; lines that begin with --- are read as headers")


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
def test_summaries_of_one_line_between_bare_rules_are_summaries(count, last):
    summaries = ONE_LINE[:count]
    found = in_summaries("---\n" + "\n---\n".join(summaries) + last)
    assert found == summaries + [""] * bool(last)


def test_names_between_bare_rules_are_headers_where_each_is_shorter_than_its_summary():
    text = "---\nD1 A\n---\nRain fell.\nMuch of it.\n---\nD1 B\n---\nIt rained a lot.\n"
    found, _ = find_summaries(text, "")
    assert [(each.name, text[each.start : each.end]) for each in found] == [
        ("D1 A", "Rain fell.\nMuch of it."),
        ("D1 B", "It rained a lot."),
    ]


def test_no_header_holds_a_contributor():
    text = "-----\nRain fell\n-----\nIt rained for days.\n-----\nMore\n-----\nIt rained."
    assert in_summaries(text) == ["It rained for days.", "It rained."]
    all_four = ["Rain fell", "It rained for days.", "More", "It rained."]
    assert in_summaries(text, contributed=[text.index("fell")]) == all_four
    found = pyramid_of(pyr(scu(("fell", 11, 15), ("rained", 25, 31)), text))
    assert [found.content(each) for each in found.summaries] == all_four
    assert "no-summary" not in dict(codes(found))


@pytest.mark.parametrize(
    ("expression", "wrong"),
    [
        (
            "(?=-)",
            "is not run: RE2 refuses it: invalid perl operator: (?=; lines that begin with --- are read as headers",
        ),
        ("=== .*", "finds nothing; lines that begin with --- are read as headers"),
    ],
)
def test_lines_of_dashes_are_headers_where_the_expression_is_of_no_use(expression, wrong):
    found, why = find_summaries("--- A\nRain\n---\nfell -- down\n---- A\n", expression)
    assert [each.name for each in found] == ["A", "summary 2", "A (3)"]
    assert [(each.start, each.end) for each in found] == [(6, 10), (15, 27), (34, 34)]
    assert why == wrong


def test_a_text_without_headers_is_one_summary():
    found, why = find_summaries(" Rain fell ", "")
    assert found == (Summary("summary 1", 1, 10),)
    assert why == "is missing; the text is read as one summary"


def test_summaries_are_joined_by_headers_that_stand_nowhere_else():
    contents = [("M  1", "--- x\na ---- b"), ("M 1", "\n c\n"), ("", ""), ("---", "d")]
    pyramid = join_summaries(contents)
    assert pyramid.text.startswith("----- M 1\n--- x\n")
    assert [each.name for each in pyramid.summaries] == ["M 1", "M 1 (2)", "summary 3", "---"]
    assert [pyramid.content(each) for each in pyramid.summaries] == ["--- x\na ---- b", "c", "", "d"]


def test_a_weight_counts_each_summary_once_and_no_header():
    parts = [(8, 12), (13, 17), (49, 51), (0, 3)]
    pyramid = Pyramid(
        RAIN.text,
        RAIN.boundary,
        RAIN.summaries,
        (SCU(1, "L", tuple(Contributor((ContributorPart(*part),), "C") for part in parts)), SCU(2, "M")),
    )
    assert [pyramid.weight(each) for each in pyramid.scus] == [2, 0]
    found = pyramid_of(write_pyramid(Pyramid(pyramid.text, pyramid.boundary, pyramid.summaries, pyramid.scus[:1])))
    assert [finding.code for finding in found.findings] == ["no-summary"]


def test_a_contributor_belongs_to_the_summary_of_its_earliest_part():
    found = pyramid_of(pyr(scu(("It", 32, 34), ("Rain", 6, 10))))
    assert found.summary_of(found.scus[0].contributors[0]) == Summary("A", 6, 25)
    assert codes(found) == [("boundary", 2), ("several-summaries", 4)]


def test_a_file_without_an_expression_is_read_with_a_finding():
    found = pyramid_of(pyr(scu(("Rain", 6, 10))))
    assert [str(finding) for finding in found.findings] == [
        "duc/d1.pyr:2: the expression that finds summaries is missing; lines that begin with --- are read as headers"
    ]
    assert [each.name for each in found.summaries] == ["A", "B"]
    assert found.file == "duc/d1.pyr"


def test_lines_may_be_empty_and_hold_blanks_and_entities():
    found = pyramid_of(pyr("", "\n a &#x27;&amp;\n\n"))
    assert found.text == "\n a '&\n\n"


def test_line_ends_and_a_byte_order_mark_change_nothing():
    data = pyr(scu(("It rained", 32, 41)))
    assert pyramid_of(b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n")) == pyramid_of(data)


def test_white_space_of_labels_does_not_matter():
    found = pyramid_of(pyr(scu(("fell,it\nfell.---B", 11, 31)), head="<startDocumentRegEx>--- .</startDocumentRegEx>"))
    assert words(found) == [["fell, it fell.\n--- B"]]


def test_a_part_that_stands_elsewhere_is_moved_to_the_only_place_in_its_summary():
    found = pyramid_of(pyr(scu(("Rain fell", 7, 16), ("It rained", 34, 43))))
    assert words(found) == [["Rain fell", "It rained"]]
    moved = [finding for finding in found.findings if finding.code == "offsets"]
    assert [(finding.line, finding.fix) for finding in moved] == [(5, "moved to 6-15"), (5, "moved to 32-41")]


@pytest.mark.parametrize("start", [900, 0, 35])
def test_a_part_outside_its_summary_is_moved_to_the_only_place_in_the_text(start):
    found = pyramid_of(pyr(scu(("Rain fell", start, start + 9))))
    assert words(found) == [["Rain fell"]]


def test_a_part_whose_words_stand_in_both_summaries_is_moved_within_its_own():
    text = "--- A\nRain fell.\n--- B\nThe rain: Rain."
    assert [part.start for part in pyramid_of(pyr(scu(("Rain", 24, 28)), text)).scus[0].contributors[0].parts] == [33]


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (("fell", 7, 11), "these words do not stand at 7-11, and in several places: 'fell'"),
        (("snow", 6, 10), "these words do not stand at 6-10, and nowhere else: 'snow'"),
        (("", 6, 10), "these words do not stand at 6-10, and nowhere else: ''"),
        (("snow", 10, 6), "these words do not stand at 10-6, and nowhere else"),
    ],
)
def test_a_part_whose_words_are_not_found_once_is_refused(part, message):
    error = refused(pyr(scu(part)))
    assert error.message.startswith(message)
    assert error.line == 5


def test_offsets_in_utf_16_units_and_in_code_points_are_told_apart_by_the_labels():
    text = "--- A\n😀😀 Rain fell"
    for start in (9, 11):
        found = pyramid_of(pyr(scu(("Rain", start, start + 4), ("fell", start + 5, start + 9)), text))
        assert words(found) == [["Rain", "fell"]]
        assert codes(found) == [("boundary", 2)]


def test_an_offset_within_a_character_is_none():
    found = pyramid_of(pyr(scu(("fell", 12, 16), ("😀", 6, 7)), "--- A\n😀 ab fell"))
    assert words(found) == [["fell", "😀"]]
    assert codes(found) == [("boundary", 2), ("offsets", 5)]


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
        (
            pan(scu(("It", 0, 2), uid="5").replace("scu", "peerscu")),
            4,
            "the pyramid has no SCU 5, yet the peer has contributors to it",
        ),
        (
            pan(scu(("me", 0, 2), uid="0").replace("scu", "peerscu")),
            5,
            "these words do not stand at 0-2, and nowhere else",
        ),
    ],
)  # fmt: skip
def test_an_error_names_file_and_line(data, line, message):
    error = refused(data)
    assert message in error.message
    assert error.line == line


def test_a_pyramid_is_no_peer_annotation_and_none_a_pyramid():
    with pytest.raises(FormatError, match=r"p1\.pan: this is a pyramid, a peer annotation is expected"):
        peer_of(pyr(""))
    with pytest.raises(FormatError, match=r"d1\.pyr: this is a peer annotation, a pyramid is expected"):
        pyramid_of(pan('<peerscu uid="0" label="x"/>'))


def test_an_scu_without_contributors_and_unknown_elements_are_found_and_passed_over():
    found = pyramid_of(pyr('<scu uid="3" label="L"/>\n<extra/>'))
    assert [(finding.code, finding.line) for finding in found.findings] == [
        ("unknown-element", 5),
        ("boundary", 2),
        ("no-contributor", 4),
    ]
    assert found.scus == (SCU(3, "L"),)


def test_a_peer_has_no_mark_for_an_empty_scu_and_keeps_its_comment():
    found = peer_of(pan('<peerscu uid="1" label="(1) L" comment="no"/><peerscu uid="0" label="x"/>'))
    assert (found.marks, found.comments) == ({}, {1: "no"})
    assert codes(found) == [("boundary", 2)]


def test_a_peer_that_names_scus_by_other_labels_or_knows_others_is_read_with_findings():
    found = peer_of(pan('<peerscu uid="1" label="(1) M"/>\n<peerscu uid="5" label="(1) N" comment="no"/>'))
    assert codes(found) == [("boundary", 2), ("other-label", 4), ("unknown-scu", 5)]
    assert found.comments == {}


def test_a_label_that_itself_begins_with_a_number_in_brackets_is_the_same_label():
    data = pan('<peerscu uid="1" label="(1) (3) L"/>').replace(b'label="L"', b'label="(3) L"')
    assert codes(peer_of(data)) == [("boundary", 2)]


def test_the_score_that_newer_programs_write_is_passed_over():
    data = pan('<peerscu uid="0" label="x"/>').replace(b"</peerA", b"<score><totalscu>1</totalscu></score></peerA")
    assert codes(peer_of(data)) == [("boundary", 2)]


def test_latin_1_is_read_where_it_is_declared():
    data = pyr(scu(("Schönes", 6, 13)), "--- A\nSchönes").decode().replace('"1.0"', '"1.0" encoding="ISO-8859-1"')
    assert words(pyramid_of(data.encode("latin-1"))) == [["Schönes"]]


def test_latin_1_without_a_declaration_is_refused_with_its_place():
    error = refused(pyr("", "--- A\nSchönes").decode().encode("latin-1"))
    assert (error.line, error.column) == (3, 34)
    assert "byte 0xF6" in error.message
    assert "XML that does not declare its encoding (such as ISO-8859-1) must be UTF-8" in error.message


def test_what_is_not_in_the_declared_encoding_is_refused():
    data = pyr("", "--- A\nSchönes").decode().replace('"1.0"', '"1.0" encoding="UTF-8"').encode("latin-1")
    assert refused(data).line == 3
    assert "encoding" in refused(data.replace(b"UTF-8", b"nonsense")).message


def test_entities_are_refused():
    bomb = '<!DOCTYPE pyramid [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;">]>'
    data = pyr("", "&b;").decode().replace("<pyramid>", f"{bomb}<pyramid>")
    assert "declares entities is not read" in refused(data).message
    outside = '<!DOCTYPE pyramid [<!ENTITY a SYSTEM "file:///etc/hostname">]>'
    assert "declares entities" in refused(pyr("", "&a;").decode().replace("<pyramid>", f"{outside}<pyramid>")).message


@pytest.mark.parametrize("expression", ["(-+)+$", "(a|a)*$", "(.*a){30}", "-*-*-*-*-*-*-*-*-*x", "[a-]+[a-]+[a-]+x"])
def test_an_expression_that_would_run_for_ever_ends(expression):
    def read(n):
        text = "--- A\n" + "a" * n + "\n" + "-" * (n // 2)
        found = pyramid_of(pyr("", text, f"<startDocumentRegEx>{expression}</startDocumentRegEx>"))
        assert [each.name for each in found.summaries] == ["A", "summary 2"]
        assert codes(found) == [("boundary", 2)]

    assert_grows_with_input(read, 100_000)


def test_long_texts_are_refused():
    assert f"more than {LONGEST_TEXT:,} characters" in refused(pyr("", "a" * (LONGEST_TEXT + 1))).message
    assert len(pyramid_of(pyr("", "a" * LONGEST_TEXT)).text) == LONGEST_TEXT


def test_many_parts_that_stand_elsewhere_are_refused_in_bounded_time():
    def refuse(n):
        text = "--- A\n" + "ab" * n + "c"
        error = refused(pyr(scu(*[("abc", 8, 11)] * (MOST_MOVED + 1)), text))
        assert error.message == f"more than {MOST_MOVED} parts do not say what stands at their offsets"
        many = pyr(scu(*[("ab", 6, 2 * n)] * (2 * n // 5)), text)
        assert "in several places" in refused(many).message

    assert_grows_with_input(refuse, 50_000)


def test_deep_nesting_is_refused():
    assert refused("<pyramid>" + "<a>" * 100_000).message
    assert "deeper" in refused("<pyramid>" + "<a>" * 230 + "</a>" * 230 + "</pyramid>").message


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
def test_what_is_written_of_a_pyramid_is_read_back(pyramid):
    assert find_losses(pyramid) == []
    data = write_pyramid(pyramid)
    root = etree.fromstring(data)
    assert root.getroottree().docinfo.internalDTD.validate(root)
    found = pyramid_of(data)
    assert found == pyramid
    assert {code for code, _ in codes(found)} <= {"no-summary", "several-summaries"}
    assert write_pyramid(found) == data


@SLOW
@given(peers())
def test_what_is_written_of_a_peer_is_read_back(annotation):
    assert find_losses(annotation) == []
    data = write_peer(annotation)
    root = etree.fromstring(data)
    assert root.getroottree().docinfo.internalDTD.validate(root)
    found = peer_of(data)
    assert found == annotation
    assert not {code for code, _ in codes(found)} & {"offsets", "other-label", "unknown-scu"}


@SLOW
@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4))
def test_every_summary_that_is_joined_is_found_again(contents):
    pyramid = join_summaries(contents)
    assert [pyramid.content(each) for each in pyramid.summaries] == [content.strip() for _, content in contents]


def spoiled(data: bytes, chance: random.Random) -> bytes:
    found = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at, length = chance.randrange(len(found) + 1), chance.choice([1, 1, 3, 80])
        match chance.randrange(4):
            case 0:
                del found[at : at + length]
            case 1:
                found[at:at] = found[at : at + length]
            case 2:
                found[at:at] = bytes([chance.choice(b'<>&"/0159 -\n\xe9\0')])
            case 3 if at < len(found):
                found[at] ^= 1 << chance.randrange(8)
    return bytes(found)


def read_or_refused(data: bytes) -> None:
    try:
        found = read(Bundle.of("a.pan", data))
    except FormatError as error:
        assert error.file == "a.pan"  # noqa: PT017
        assert error.message  # noqa: PT017
        return
    pyramid = found if isinstance(found, Pyramid) else found.pyramid
    for each in pyramid.scus:
        for contributor in each.contributors:
            assert all(0 <= part.start < part.end <= len(pyramid.text) for part in contributor.parts)


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
