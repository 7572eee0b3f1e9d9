"""UIMA CAS as XMI and as JSON: what is read, what is written, and what is refused."""

import json
import random
import re

import cassis
import pytest

from annotations.formats import Answer, Bundle, Document, File, FormatError, Links, Mark, Place, Stretch
from annotations.formats.losses.reduction import reduce_document
from annotations.formats.uima import cas
from annotations.formats.uima.layers import Layers, Relation, Span, build_marks
from tests.shared.documents import codes, indices, plain_of, pointers

# The library says so for each type system that has such a feature.
pytestmark = pytest.mark.filterwarnings("ignore:Trying to add feature")

COREF = "de.tudarmstadt.ukp.dkpro.core.api.coref.type"
TEXT = "😀 Anna lost her 👩🏽‍🚀dog. It ran."
# Where the words stand, in UTF-16 units.
ANNA, HER_DOG, HER, IT = (3, 7), (13, 27), (13, 16), (29, 31)

TYPES = """\
<typeSystemDescription xmlns="http://uima.apache.org/resourceSpecifier"><types>
<typeDescription><name>de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink</name>
<supertypeName>uima.tcas.Annotation</supertypeName><features>
<featureDescription><name>next</name>
<rangeTypeName>de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink</rangeTypeName></featureDescription>
<featureDescription><name>referenceType</name><rangeTypeName>uima.cas.String</rangeTypeName></featureDescription>
</features></typeDescription>
<typeDescription><name>de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceChain</name>
<supertypeName>uima.cas.AnnotationBase</supertypeName><features>
<featureDescription><name>first</name>
<rangeTypeName>de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink</rangeTypeName></featureDescription>
</features></typeDescription>
<typeDescription><name>webanno.custom.Span</name><supertypeName>uima.tcas.Annotation</supertypeName><features>
<featureDescription><name>kind</name><rangeTypeName>uima.cas.String</rangeTypeName></featureDescription>
<featureDescription><name>antecedents</name><rangeTypeName>uima.cas.FSArray</rangeTypeName>
<elementType>webanno.custom.SpanLink</elementType></featureDescription>
</features></typeDescription>
<typeDescription><name>webanno.custom.SpanLink</name><supertypeName>uima.cas.TOP</supertypeName><features>
<featureDescription><name>role</name><rangeTypeName>uima.cas.String</rangeTypeName></featureDescription>
<featureDescription><name>target</name><rangeTypeName>webanno.custom.Span</rangeTypeName></featureDescription>
</features></typeDescription>
<typeDescription><name>webanno.custom.Relation</name><supertypeName>uima.tcas.Annotation</supertypeName><features>
<featureDescription><name>Governor</name><rangeTypeName>webanno.custom.Span</rangeTypeName></featureDescription>
<featureDescription><name>Dependent</name><rangeTypeName>webanno.custom.Span</rangeTypeName></featureDescription>
<featureDescription><name>type</name><rangeTypeName>uima.cas.String</rangeTypeName></featureDescription>
</features></typeDescription>
<typeDescription><name>NoPackage</name><supertypeName>uima.tcas.Annotation</supertypeName></typeDescription>
</types></typeSystemDescription>
"""


def test_of_several_layers_of_relations_those_whose_names_say_so_point_to_antecedents():
    spans = [Span("webanno.custom.Mention", start, start + 1) for start in range(4)]

    def read_relations(*layers, **options):
        relations = [
            Relation(f"webanno.custom.{layer}", kind, spans[number + 1], spans[0])
            for number, (layer, kind) in enumerate(layers)
        ]
        marks, _ = build_marks(Layers("walk.xmi", list(spans), relations=relations), **options)
        return [(len(mark.answer.pointers), set(dict(mark.answer.relations))) for mark in marks[1:]]

    several = [("Coreference", ""), ("PartOf", ""), ("Bridging", "part")]
    assert read_relations(*several) == [(1, set()), (0, {"PartOf"}), (0, {"part"})]
    assert read_relations(*several, relations="all") == [(1, set())] * 3
    unnamed = [("Links", "coref"), ("PartOf", ""), ("Bridging", "")]
    assert read_relations(*unnamed) == [(1, set()), (1, set()), (0, {"Bridging"})]


def at(place: tuple[int, int]) -> str:
    return f'sofa="1" begin="{place[0]}" end="{place[1]}"'


def link(number: int, place: tuple[int, int], following: int = 0, kind: str = "") -> str:
    after = f' next="{following}"' if following else ""
    called = f' referenceType="{kind}"' if kind else ""
    return f'<coref:CoreferenceLink xmi:id="{number}" {at(place)}{after}{called}/>'


def chain(number: int, first: int) -> str:
    return f'<coref:CoreferenceChain xmi:id="{number}" sofa="1" first="{first}"/>'


def span(number: int, place: tuple[int, int], more: str = "") -> str:
    return f'<custom:Span xmi:id="{number}" {at(place)} {more}/>'


CHAINS = [
    link(10, ANNA, 11, "nam"),
    link(11, HER, kind="pr"),
    chain(12, 10),
    link(20, HER_DOG, 21),
    link(21, IT),
    chain(22, 20),
]


def xmi(*elements: str, text: str = TEXT, members: str | None = None) -> str:
    """Return an XMI file with one element a line from line 3 on. All elements but arrays and slots are members."""
    numbers = re.findall(r'xmi:id="(\d+)" sofa=', "".join(elements)) if members is None else members.split()
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            '<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" xmi:version="2.0"'
            ' xmlns:coref="http:///de/tudarmstadt/ukp/dkpro/core/api/coref/type.ecore"'
            ' xmlns:tcas="http:///uima/tcas.ecore" xmlns:none="http:///uima/noNamespace.ecore"'
            ' xmlns:custom="http:///webanno/custom.ecore">',
            *elements,
            f'<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text/plain" sofaString="{text}"/>',
            f'<cas:View sofa="1" members="{" ".join(numbers)}"/>',
            "</xmi:XMI>",
        ]
    )


def checked(document: Document) -> Document:
    for mark in document.marks:
        assert all(0 <= start < end <= len(document.content) for start, end in mark.parts)
    assert len({mark.place for mark in document.marks}) == len(document.marks)
    return document


def read(text: str | bytes, types: str | None = TYPES, **options: str) -> Document:
    files = {"dir/walk.xmi": text if isinstance(text, bytes) else text.encode()}
    if types is not None:
        files["dir/TypeSystem.xml"] = types.encode()
    [document] = cas.read_xmi(Bundle("dir/walk.xmi", files), **options)
    return checked(document)


def read_json(data: object, **options: str) -> Document:
    source = data if isinstance(data, bytes) else json.dumps(data).encode()
    [document] = cas.read_json(Bundle.of("dir/walk.json", source), **options)
    return checked(document)


def refused(text: str | bytes, types: str | None = TYPES) -> FormatError:
    with pytest.raises(FormatError) as caught:
        read(text, types)
    return caught.value


def refused_json(data: object) -> FormatError:
    with pytest.raises(FormatError) as caught:
        read_json(data)
    assert caught.value.file == "dir/walk.json"
    return caught.value


def as_json(*elements: str, members: str | None = None) -> dict[str, object]:
    """Return the same CAS in JSON, made by the library."""
    types = cassis.load_typesystem(TYPES)
    loaded = cassis.load_cas_from_xmi(xmi(*elements, members=members), types)
    return json.loads(loaded.to_json())


def test_lists_of_links_are_entities():
    document = read(xmi(*CHAINS))
    assert document.name == "walk"
    assert document.content == TEXT
    assert document.links == Links.INDICES
    assert indices(document) == [("Anna", ("1",)), ("her 👩🏽‍🚀dog", ("2",)), ("her", ("1",)), ("It", ("2",))]
    assert [mark.answer.category for mark in document.marks] == ["nam", "", "pr", ""]
    assert [mark.line for mark in document.marks] == [3, 6, 4, 7]
    assert document.findings == []


def test_offsets_count_utf16_units():
    assert [mark.parts for mark in read(xmi(*CHAINS)).marks] == [((2, 6),), ((12, 23),), ((12, 15),), ((25, 27),)]


def test_json_is_read_as_xmi_is():
    document = read_json(as_json(*CHAINS))
    assert plain_of(document) == plain_of(read(xmi(*CHAINS)))
    assert [mark.line for mark in document.marks] == [None] * 4


def test_json_may_have_its_structures_by_number():
    data = as_json(*CHAINS)
    structures = data["%FEATURE_STRUCTURES"]
    assert isinstance(structures, list)
    data["%FEATURE_STRUCTURES"] = {str(each.pop("%ID")): each for each in structures}
    assert plain_of(read_json(data)) == plain_of(read(xmi(*CHAINS)))


def test_offsets_of_links_in_no_index_are_converted_too():
    document = read(xmi(*CHAINS, members="12 22"))
    assert plain_of(document) == plain_of(read(xmi(*CHAINS)))


def test_two_links_in_one_place_are_one_markable_in_two_chains():
    document = read(xmi(*CHAINS, link(30, HER), chain(31, 30)))
    assert dict(indices(document))["her"] == ("1", "3")
    document = read(xmi(*CHAINS, link(30, HER), link(31, ANNA, 30), chain(32, 31)))
    assert indices(document)[0] == ("Anna", ("1", "3"))


def test_two_links_of_one_chain_in_one_place_are_one_markable_and_told():
    document = read(xmi(link(10, ANNA, 11), link(11, ANNA), chain(12, 10)))
    assert indices(document) == [("Anna", ("1",))]
    assert [finding.code for finding in document.findings] == ["duplicate-markable"]


def test_chains_of_custom_types_are_read():
    types = TYPES.replace("coref.type.Coreference", "coref.type.Simple").replace("CoreferenceLink", "SimpleLink")
    text = xmi(*CHAINS).replace("CoreferenceLink", "SimpleLink").replace("CoreferenceChain", "SimpleChain")
    assert plain_of(read(text, types)) == plain_of(read(xmi(*CHAINS)))


@pytest.mark.parametrize(
    ("elements", "lost"),
    [
        ([link(10, ANNA, 11), link(11, HER, 10), chain(12, 10)], 1),
        ([link(10, ANNA, 10), chain(12, 10)], 1),
        ([link(10, ANNA, 11), link(11, HER, 11), chain(12, 10)], 1),
    ],
)
def test_a_list_that_runs_in_a_circle_is_cut_and_reported(elements, lost):
    document = read(xmi(*elements))
    assert {index for _, found in indices(document) for index in found} == {"1"}
    assert codes(document) == ["chain-joins"] * lost


def test_a_circle_that_no_chain_leads_to_is_a_chain():
    document = read(xmi(link(10, ANNA, 11), link(11, HER, 10)))
    assert indices(document) == [("Anna", ("1",)), ("her", ("1",))]
    assert codes(document) == ["link-without-chain", "chain-joins"]


def test_a_chain_that_leads_to_the_links_of_another_ends_there():
    document = read(xmi(*CHAINS, link(30, (8, 12), 11), chain(31, 30)))
    assert indices(document)[1] == ("lost", ("3",))
    assert dict(indices(document))["her"] == ("1",)
    assert codes(document) == ["chain-joins"]
    assert document.findings[0].line == 4


def test_links_without_a_chain_are_chains_of_their_own():
    document = read(xmi(link(11, HER), link(10, ANNA, 11), link(20, IT)))
    assert indices(document) == [("Anna", ("1",)), ("her", ("1",)), ("It", ("2",))]
    assert codes(document) == ["link-without-chain", "link-without-chain"]


def test_a_link_on_nothing_is_left_out_and_reported():
    document = read(xmi(link(10, (3, 3), 11), link(11, HER), chain(12, 10)))
    assert indices(document) == [("her", ("1",))]
    assert codes(document) == ["empty-span"]
    assert document.findings[0].line == 3


def test_a_long_list_is_followed_without_recursion():
    number = 3000
    links = [link(10 + each, ANNA if each % 2 else HER, 11 + each) for each in range(number)]
    document = read(xmi(*links, link(10 + number, IT), chain(5, 10)))
    assert indices(document) == [("Anna", ("1",)), ("her", ("1",)), ("It", ("1",))]


def test_many_chains_that_share_a_long_list_are_read_in_time():
    number = 1500
    links = [link(10_000 + each, ANNA, 10_001 + each) for each in range(number)]
    chains = [chain(20_000 + each, 10_000) for each in range(number)]
    document = read(xmi(*links, link(10_000 + number, IT), *chains))
    assert indices(document) == [("Anna", ("1",)), ("It", ("1",))]
    assert len(document.findings) == 1001


RELATIONS = [
    span(10, ANNA, 'kind="person"'),
    span(11, HER),
    span(12, IT),
    f'<custom:Relation xmi:id="13" {at(ANNA)} Governor="11" Dependent="10" type="coref"/>',
    f'<custom:Relation xmi:id="14" {at(HER)} Governor="12" Dependent="11" type="bridge:def"/>',
]


def test_relations_point_from_governor_to_dependent():
    document = read(xmi(*RELATIONS))
    assert document.links == Links.POINTERS
    assert pointers(document) == [("Anna", []), ("her", ["Anna"]), ("It", [])]
    assert {mark.answer.category for mark in document.marks} == {""}
    _, her, it = document.marks
    assert it.answer.relations == (("bridge:def", ((her.place,),)),)
    assert document.findings == []
    assert pointers(read(xmi(*RELATIONS), relations="all"))[2] == ("It", ["her"])


def test_a_relation_without_an_end_is_left_out_and_reported():
    document = read(xmi(*RELATIONS[:3], RELATIONS[3].replace('Governor="11" ', "")))
    assert pointers(document) == [("Anna", []), ("her", []), ("It", [])]
    assert codes(document) == ["unknown-reference"]
    assert document.findings[0].line == 6


def test_slots_point_to_what_plays_a_role():
    elements = [
        span(10, ANNA),
        span(11, HER),
        span(12, IT, 'antecedents="20 21"'),
        '<custom:SpanLink xmi:id="20" role="ante" target="10"/>',
        '<custom:SpanLink xmi:id="21" target="11"/>',
    ]
    document = read(xmi(*elements))
    assert pointers(document) == [("Anna", []), ("her", []), ("It", ["Anna", "her"])]
    assert plain_of(read_json(as_json(*elements))) == plain_of(document)


def test_spans_alone_have_their_first_string_as_category():
    document = read(xmi(span(10, ANNA, 'kind="person"'), span(11, HER)))
    assert document.links == Links.NONE
    assert [mark.answer for mark in document.marks] == [Answer(category="person"), Answer()]


def test_features_of_every_kind_are_answers_to_attributes():
    kinds = {"type": "String", "topics": "StringArray", "age": "Integer", "size": "Double", "old": "Boolean"}
    features = "".join(
        f"<featureDescription><name>{name}</name><rangeTypeName>uima.cas.{kind}</rangeTypeName></featureDescription>"
        for name, kind in kinds.items()
    )
    types = TYPES.replace("<featureDescription><name>antecedents", f"{features}<featureDescription><name>antecedents")
    values = 'kind="person" type="proper" age="3" size="1.5" old="true"'
    array = "<topics>war</topics><topics>peace</topics>"
    elements = [span(10, ANNA, values).replace("/>", f">{array}</custom:Span>"), span(11, HER)]
    anna, her = read(xmi(*elements), types).marks
    expected = (("age", 3), ("old", "true"), ("size", 1.5), ("topics", ("war", "peace")), ("type", "proper"))
    assert anna.answer == Answer(category="person", attributes=expected)
    assert her.answer == Answer()


def test_plain_annotations_and_those_of_the_uima_package_are_no_markables():
    document = read(xmi(f'<tcas:Annotation xmi:id="10" {at(ANNA)}/>'))
    assert document.marks == []
    assert document.findings == []


def test_samples_with_emoji_are_read_with_their_exact_text(samples):
    folder = samples / "cas"
    [names] = cas.bundle_type_systems([f"cas/{file.name}" for file in folder.iterdir()], (".xmi",))
    assert names == ("cas/emoji.xmi", "cas/emoji-typesystem.xml")
    [document] = cas.read_xmi(Bundle(names[0], {name: (samples / name).read_bytes() for name in names}))
    text = "🥳 This 👳🏻\u200d♀️ is ✆ a 🧔🏾\u200d♂️ test 👻"
    assert plain_of(document) == Document("emoji", "", text, [], [], Links.NONE, findings=())
    [other] = cas.read_json(Bundle.of("emoji.json", (folder / "emoji.json").read_bytes()))
    assert plain_of(other) == plain_of(document)
    for format_ in (cas.XMI_FORMAT, cas.JSON_FORMAT):
        kept, losses = reduce_document(document, format_.supported_features)
        assert losses == []
        assert plain_of(back(format_.write([kept]))) == plain_of(kept)


def test_words_keep_their_offsets_in_samples_that_are_written(samples):
    [document] = cas.read_json(Bundle.of("emoji.json", (samples / "cas" / "emoji.json").read_bytes()))
    kept, _ = reduce_document(document, cas.CARRIES)
    given = json.loads((samples / "cas" / "emoji.json").read_text())["%FEATURE_STRUCTURES"]
    [file] = cas.write_json([kept])
    made = json.loads(file.data)["%FEATURE_STRUCTURES"]
    places = [(each["begin"], each["end"]) for each in given if each["%TYPE"] == "uima.tcas.Annotation"]
    assert [(each["begin"], each["end"]) for each in made if each["%TYPE"].endswith(".Token")] == places


def test_the_text_is_that_of_the_initial_view_or_of_the_only_one():
    other = '<cas:Sofa xmi:id="2" sofaNum="2" sofaID="other" sofaString="abc"/>'
    assert read(xmi(*CHAINS, other)).content == TEXT
    alone = xmi(*CHAINS).replace("_InitialView", "target")
    assert plain_of(read(alone)) == plain_of(read(xmi(*CHAINS)))
    error = refused(alone.replace("<cas:Sofa", f"{other}\n<cas:Sofa", 1))
    assert error.message == "there are 2 texts, none of them initial, in this file"
    assert refused(xmi(text="")).message == "there is no text in this file"
    assert refused(xmi().replace(' sofaString="', ' other="')).message == "there is no text in this file"


def test_white_space_of_the_text_is_exact():
    assert read(xmi(text="a&#9;b&#13;&#10;c &amp; d&#10;")).content == "a\tb\r\nc & d\n"


def test_a_text_without_a_type_system_is_read_with_dkpro_cores_types():
    document = read(xmi(*CHAINS, span(30, ANNA)), types=None)
    assert indices(document) == indices(read(xmi(*CHAINS)))
    assert codes(document) == ["no-type-system", "unknown-type"]
    assert document.findings[1].message == "1 of the type webanno.custom.Span are left out"


def test_json_without_types_is_read_with_dkpro_cores_types():
    data = as_json(*CHAINS)
    data["%TYPES"] = {}
    assert plain_of(read_json(data)) == plain_of(read(xmi(*CHAINS)))


def test_the_type_system_is_found_beside_or_above_the_text():
    names = [
        "a/TypeSystem.xml",
        "a/b/one.xmi",
        "a/b/two.XMI",
        "a/b/two-typesystem.xml",
        "c/three.xmi",
        "d/full-typesystem-2.xml",
        "d/TYPESYSTEM.XML",
        "d/e/four.xmi",
        "d/notes.xml",
    ]
    assert cas.bundle_type_systems(names, (".xmi",)) == [
        ("a/b/one.xmi", "a/b/two-typesystem.xml"),
        ("a/b/two.XMI", "a/b/two-typesystem.xml"),
        ("c/three.xmi",),
        ("d/e/four.xmi", "d/TYPESYSTEM.XML"),
    ]
    assert cas.bundle_type_systems(["TypeSystem.xml", "x/y/one.xmi"], (".xmi",)) == [("x/y/one.xmi", "TypeSystem.xml")]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", None, "this is not well-formed XML"),
        ("<a/>", 1, "this is not XMI: the outermost element is not xmi:XMI"),
        (xmi(*CHAINS).replace("</xmi:XMI>", ""), 11, "this is not well-formed XML"),
        (xmi(link(10, (3, 4000))), 3, "the annotation 10 does not stand between 0 and 36 of the text"),
        (xmi(link(10, (7, 3))), 3, "the annotation 10 does not stand between"),
        (xmi(link(10, (1, 3))), 3, "or cuts a character (offsets count UTF-16 units)"),
        (xmi(link(10, (0, 1))), 3, "the annotation 10 does not stand between"),
        (xmi(link(10, ANNA).replace('end="7"', 'end="-7"')), 3, "the annotation 10 does not stand between"),
        (xmi(link(10, ANNA).replace('end="7"', 'end="7.0"')), 3, "the annotation 10 does not stand between"),
        (xmi(link(10, ANNA).replace('end="7"', "")), 3, "the annotation 10 does not stand between"),
        (xmi(link(10, ANNA).replace('end="7"', f'end="{"7" * 5000}"')), 3, "the annotation 10 does not stand"),
        (xmi(link(10, ANNA).replace('sofa="1"', 'sofa="9"')), 3, "the annotation 10 stands in a text that is not in"),
        (xmi(link(10, ANNA), link(10, IT)), 4, "the number 10 is given twice"),
        (xmi(link(1, ANNA)), 3, "the number 1 is given twice"),
        (xmi(link(10, ANNA).replace('xmi:id="10" ', "")), 3, "something has no number, or a number of more than nine"),
        (xmi(link(10, ANNA).replace('"10"', '"9999999999"')), 3, "something has no number, or a number of more than"),
        (xmi(link(10, ANNA), members="10 10"), 5, "a view names a member twice"),
        (xmi(link(10, ANNA).replace("coref:", "custom:")), 3, "the type 'webanno.custom.CoreferenceLink' is not in"),
        (xmi(link(10, ANNA).replace("coref:CoreferenceLink", "none:CoreferenceLink")), 3, "the type 'CoreferenceLink'"),
        (xmi("<other/>"), 3, "something has no number"),
        (xmi('<other xmi:id="10"/>'), 3, "this element is of no UIMA type"),
        (xmi(link(10, ANNA, 99)), None, "something refers to 99, which is not there"),
        (xmi(link(10, ANNA), members="99"), None, "something refers to 99, which is not there"),
        (xmi(link(10, ANNA).replace("referenceType", "x").replace("/>", ' x="y"/>')), 3, "Link has no feature 'x' in"),
        (xmi(link(10, ANNA).replace("/>", ' next="ten"/>')), None, "this is no CAS that can be read"),
        (xmi(link(10, ANNA)).replace('sofaNum="1" ', ""), None, "something refers to 'sofaNum', which is not there"),
        (
            xmi(link(10, ANNA).replace("/>", "><a><b><c/></b></a></coref:CoreferenceLink>")),
            3,
            "Link has no feature 'a'",
        ),
    ],
)
def test_an_error_names_file_and_line(text, line, message):
    error = refused(text)
    assert message in error.message
    assert error.line == line or (line is None and error.line in (None, 1))
    assert error.file == "dir/walk.xmi"
    assert len(str(error)) < 400


def test_two_texts_of_one_name_are_refused():
    twice = '<cas:Sofa xmi:id="2" sofaNum="2" sofaID="_InitialView" sofaString="abc"/>'
    assert refused(xmi(*CHAINS, twice)).message == "a text has no name, or that of another"
    many = [f'<cas:Sofa xmi:id="{100 + n}" sofaNum="{n}" sofaID="v{n}" sofaString="a"/>' for n in range(101)]
    assert refused(xmi(*many)).message == "there are more than 100 texts in this file"


def test_an_annotation_in_the_view_of_another_text_is_refused():
    other = '<cas:Sofa xmi:id="2" sofaNum="2" sofaID="other" sofaString="abc"/>\n<cas:View sofa="2" members="10"/>'
    assert refused(xmi(*CHAINS, other)).message == "10 is in the view of another text than its own"


@pytest.mark.parametrize(
    "declaration",
    [
        '<!DOCTYPE x [<!ENTITY a "aaaa">]>',
        '<!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;&a;"><!ENTITY c "&b;&b;&b;">]>',
        '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
    ],
)
def test_entities_are_refused_in_the_text_and_in_the_type_system(declaration):
    text = xmi(*CHAINS)
    start = text.index("\n") + 1
    assert refused(text[:start] + declaration + text[start:]).line == 1
    error = refused(text, declaration + TYPES)
    assert (error.file, error.line) == ("dir/TypeSystem.xml", 1)


def test_elements_that_nest_deep_are_refused():
    assert refused(xmi("<a>" * 100_000 + "</a>" * 100_000)).line is not None


def types_of(*types: str) -> str:
    return f"<typeSystemDescription><types>{''.join(types)}</types></typeSystemDescription>"


def type_of(name: str, above: str, *features: str) -> str:
    listed = "".join(
        f"<featureDescription><name>{feature}</name><rangeTypeName>uima.cas.String</rangeTypeName></featureDescription>"
        for feature in features
    )
    return (
        f"<typeDescription><name>{name}</name><supertypeName>{above}</supertypeName>"
        f"<features>{listed}</features></typeDescription>"
    )


@pytest.mark.parametrize(
    ("types", "message"),
    [
        ("", "this is not well-formed XML"),
        ("<a/>", "there is no type in this type system"),
        (types_of(type_of("a.B", "a.C"), type_of("a.C", "a.B")), "a type inherits from itself"),
        (types_of(type_of("a.B", "a.B")), "a type inherits from itself"),
        (types_of(type_of("a.B", "a.Unknown")), "something refers to 'a.Unknown', which is not there"),
        (types_of(type_of("a.B", "uima.cas.TOP"), type_of("a.B", "uima.cas.TOP")), "the type a.B is described twice"),
        (types_of(type_of("a-B", "uima.cas.TOP")), "'a-B' cannot be the name of a type"),
        (types_of(type_of("", "uima.cas.TOP")), "'' cannot be the name of a type"),
        (types_of(*(type_of(f"a.B{n}", "uima.cas.TOP") for n in range(2001))), "there are more than 2000 types"),
        (types_of(type_of("a.B", "uima.cas.TOP", *(f"f{n}" for n in range(400)))), "the types have too many features"),
        (
            types_of(
                type_of("a.B", "uima.cas.TOP", *(f"f{n}" for n in range(50))),
                *(type_of(f"a.C{n}", "a.B") for n in range(100)),
            ),
            "the types have too many features",
        ),
    ],
)
def test_type_systems_that_are_refused(types, message):
    error = refused(xmi(), types)
    assert message in error.message
    assert error.file == "dir/TypeSystem.xml"


@pytest.mark.parametrize("name", ["a=1, b", "a b", "a.b", "1a", "", "a'", "__init__", "a\nb", "(x)"])
def test_names_of_features_that_are_no_names_are_refused_before_they_become_code(name):
    error = refused(xmi(), types_of(type_of("a.B", "uima.tcas.Annotation", name)))
    assert "cannot be the name of a feature" in error.message
    data = as_json()
    data["%TYPES"] = {"a.B": {"%SUPER_TYPE": "uima.tcas.Annotation", name: {"%RANGE": "uima.cas.String"}}}
    assert "cannot be the name of a feature" in refused_json(data).message


def test_names_of_features_cannot_be_hidden_in_types_within_types():
    inner = type_of("a.C", "uima.tcas.Annotation")
    hidden = type_of("a.B", "uima.tcas.Annotation", "good").replace(
        "</name><range", f"</name>{inner}<name>a=1, b</name><range"
    )
    assert "within another" in refused(xmi(), types_of(hidden)).message
    assert "within another" in refused(xmi(), hidden.replace("typeDescription>", "typeDescription>", 1)).message


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "this is not JSON"),
        (b"[]", "this is no CAS in JSON"),
        (b"{}", "this is no CAS in JSON"),
        (b'{"text": "a", "entities": []}', "this is no CAS in JSON"),
        (b'{"%TYPES": {}}', "this is no CAS in JSON"),
        (b"[" * 200_000, "this JSON nests too deep or holds a number that is too long"),
        (b'{"a":' * 200_000, "this JSON nests too deep"),
        (b"9" * 10_000, "this JSON nests too deep or holds a number that is too long"),
        (b"\xff\xfe{\0}\0", "this is not UTF-8"),
    ],
)
def test_json_that_is_refused(data, message):
    assert message in refused_json(data).message


def test_json_that_is_not_well_formed_is_refused_with_its_line():
    error = refused_json(b'{"%TYPES":\n {},,}')
    assert (error.line, error.column) == (2, 5)


def changed(data: dict[str, object], number: int, **values: object) -> dict[str, object]:
    """Return the CAS with other values in one structure; None takes a value away."""
    structures = data["%FEATURE_STRUCTURES"]
    assert isinstance(structures, list)
    made = [
        {key: value for key, value in (each | values).items() if value is not None} if each["%ID"] == number else each
        for each in structures
    ]
    return data | {"%FEATURE_STRUCTURES": made}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"begin": -1}, "the annotation 10 does not stand between 0 and 36"),
        ({"begin": "3"}, "this is no CAS that can be read"),
        ({"begin": True}, "the annotation 10 does not stand between"),
        ({"begin": 3.0}, "the annotation 10 does not stand between"),
        ({"begin": [3]}, "the annotation 10 does not stand between"),
        ({"end": 10**12}, "the annotation 10 does not stand between"),
        ({"end": 1}, "the annotation 10 does not stand between"),
        ({"@sofa": 7}, "the annotation 10 stands in a text that is not in this file"),
        ({"@sofa": {}}, "the annotation 10 stands in a text that is not in this file"),
        ({"@sofa": None}, "this is no CAS that can be read"),
        ({"%ID": 11}, "the number 11 is given twice"),
        ({"%ID": "x"}, "something has no number"),
        ({"%ID": [1]}, "something has no number"),
        ({"%TYPE": None}, "'None' is no type of this file"),
        ({"%TYPE": 5}, "'5' is no type of this file"),
        ({"%TYPE": "CoreferenceLink"}, "'CoreferenceLink' is no type of this file"),
        ({"%TYPE": "a.Unknown"}, "Type with name [a.Unknown] not found"),
        ({"unknown": 1}, "this is no CAS that can be read"),
        ({"referenceType": "a\0b"}, "a NUL character is not allowed in a text"),
        ({"referenceType": "a\ud800b"}, "half a character (a lone surrogate) is not allowed in a text"),
        ({"referenceType": 7}, None),
        ({"@next": 10}, None),
        ({"@next": [1]}, "this is no CAS that can be read"),
        ({"@next": 1}, None),
    ],
)
def test_structures_in_json_that_are_refused(values, message):
    data = changed(as_json(*CHAINS), 10, **values)
    if message is None:
        read_json(data)
    else:
        assert message in refused_json(data).message


@pytest.mark.parametrize("text", ["a\0b", "\ud83d", 5, None])
def test_texts_in_json_that_are_refused(text):
    assert "text" in refused_json(changed(as_json(), 1, sofaString=text)).message


def test_views_and_structures_in_json_that_are_refused():
    data = as_json(*CHAINS)
    assert (
        "which is not there"
        in refused_json(data | {"%VIEWS": {"_InitialView": {"%SOFA": 1, "%MEMBERS": [99]}}}).message
    )
    twice = {"_InitialView": {"%SOFA": 1, "%MEMBERS": [10, 10]}}
    assert refused_json(data | {"%VIEWS": twice}).message == "a view names a member twice"
    assert refused_json(data | {"%VIEWS": {"a": 1}}).message == "a view has no list of members"
    assert "no CAS that can be read" in refused_json(data | {"%VIEWS": 1}).message
    assert refused_json(data | {"%FEATURE_STRUCTURES": [1]}).message == "a feature structure is no object"
    assert "has no %SUPER_TYPE" in refused_json(data | {"%TYPES": {"a.B": {}}}).message
    assert "has no %SUPER_TYPE" in refused_json(data | {"%TYPES": {"a.B": 1}}).message


@pytest.mark.parametrize("seed", range(10))
def test_damaged_files_give_a_result_or_a_format_error(seed):
    chance = random.Random(seed)
    for data, reader in (
        (xmi(*CHAINS, *RELATIONS[3:4]).encode(), read),
        (json.dumps(as_json(*CHAINS)).encode(), read_json),
    ):
        for _ in range(15):
            damaged = bytearray(data)
            for _ in range(chance.randint(1, 3)):
                damaged[chance.randrange(len(damaged))] = chance.choice(b'0123456789"<>{}[],:x \0\xff')
            try:
                reader(bytes(damaged))
            except FormatError as error:
                if not error.message:
                    raise


def back(files: list[File]) -> Document:
    data = {file.path: file.data for file in files}
    format_ = cas.JSON_FORMAT if files[0].path.endswith(".json") else cas.XMI_FORMAT
    [names] = format_.bundles(data, format_.suffixes)
    [document] = format_.read(Bundle(names[0], {name: data[name] for name in names}))
    return checked(document)


INDEXED = Document(
    "walk",
    "",
    "😀 Anna lost\nher dog",
    [
        Mark(((2, 6),), answer=Answer(category="refers", indices=("1",))),
        Mark(((12, 19),), answer=Answer(category="refers", indices=("2",))),
        Mark(((12, 15),), answer=Answer(indices=("1",))),
    ],
    [Stretch("sentence", 0, 11, speaker="M"), Stretch("sentence", 12, 19)],
    Links.INDICES,
    "A <walk>",
    "en",
    "ltr",
)


def test_chains_are_written_as_lists_of_links():
    files = cas.write_xmi([INDEXED])
    assert [file.path for file in files] == ["walk.xmi", "TypeSystem.xml"]
    assert [line.strip() for line in files[0].data.decode().split("\n")[3:]] == [
        '<type:DocumentMetaData xmi:id="2" sofa="1" begin="0" end="20" language="en" documentTitle="A &lt;walk&gt;"'
        ' documentId="walk"/>',
        '<type:MetaDataStringField xmi:id="3" sofa="1" begin="0" end="20" key="direction" value="ltr"/>',
        '<type0:Token xmi:id="4" sofa="1" begin="0" end="2"/>',
        '<type0:Token xmi:id="5" sofa="1" begin="3" end="7"/>',
        '<type0:Token xmi:id="6" sofa="1" begin="8" end="12"/>',
        '<type0:Token xmi:id="7" sofa="1" begin="13" end="16"/>',
        '<type0:Token xmi:id="8" sofa="1" begin="17" end="20"/>',
        '<type0:Sentence xmi:id="9" sofa="1" begin="0" end="12"/>',
        '<custom:Segment xmi:id="10" sofa="1" begin="0" end="12" kind="sentence" speaker="M"/>',
        '<type0:Sentence xmi:id="11" sofa="1" begin="13" end="20"/>',
        '<type1:CoreferenceLink xmi:id="12" sofa="1" begin="3" end="7" next="13" referenceType="refers"/>',
        '<type1:CoreferenceLink xmi:id="13" sofa="1" begin="13" end="16"/>',
        '<type1:CoreferenceChain xmi:id="14" sofa="1" first="12"/>',
        '<type1:CoreferenceLink xmi:id="15" sofa="1" begin="13" end="20" referenceType="refers"/>',
        '<type1:CoreferenceChain xmi:id="16" sofa="1" first="15"/>',
        '<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text/plain"'
        ' sofaString="😀 Anna lost&#10;her dog"/>',
        '<cas:View sofa="1" members="2 3 4 5 6 7 8 9 10 11 12 13 14 15 16"/>',
        "</xmi:XMI>",
        "",
    ]


@pytest.mark.parametrize("write", [cas.write_xmi, cas.write_json])
def test_what_is_written_is_read_back(write):
    assert plain_of(back(write([INDEXED]))) == plain_of(INDEXED)
    assert back(write([INDEXED])).findings == []


@pytest.mark.parametrize("write", [cas.write_xmi, cas.write_json])
def test_pointers_to_several_antecedents_and_other_levels_are_written_as_relations(write):
    turn, it = Place("turn", ((0, 5),)), Place("phrase", ((6, 8),))
    document = Document(
        "walk",
        "",
        "a 😀 b\nit c\n",
        [
            Mark(turn.parts, "turn", "1"),
            Mark(
                it.parts,
                "phrase",
                "m1",
                (),
                Answer(category="none", optional=True, unsure=True, note="why?\nso", name="the <it>"),
            ),
            Mark(((9, 10),), "phrase", "", (), Answer(category="segment", pointers=(turn, it))),
        ],
        [Stretch("sentence", 0, 5), Stretch("turn", 0, 5, "1", "M"), Stretch("sentence", 6, 10)],
        Links.POINTERS,
    )
    kept, losses = reduce_document(document, cas.CARRIES)
    assert losses == []
    assert plain_of(back(write([kept]))) == plain_of(document)


def test_the_library_reads_what_is_written():
    files = {file.path: file.data for file in cas.write_xmi([INDEXED])}
    loaded = cassis.load_cas_from_xmi(
        files["walk.xmi"].decode().partition("\n")[2], cassis.load_typesystem(files["TypeSystem.xml"].decode())
    )
    chains = loaded.select(f"{COREF}.CoreferenceChain")
    assert [each.first.get_covered_text() for each in chains] == ["Anna", "her dog"]
    assert chains[0].first.next.get_covered_text() == "her"
    assert loaded.document_language == "en"
    assert loaded.typecheck() == []


def test_several_documents_share_a_type_system():
    files = cas.write_xmi([INDEXED, INDEXED.__class__("other", "", "a", [])])
    assert [file.path for file in files] == ["walk.xmi", "other.xmi", "TypeSystem.xml"]
    assert cas.bundle_type_systems([file.path for file in files], (".xmi",)) == [
        ("other.xmi", "TypeSystem.xml"),
        ("walk.xmi", "TypeSystem.xml"),
    ]


def test_two_exports_are_equal_bytes():
    assert cas.write_xmi([INDEXED]) == cas.write_xmi([INDEXED])
    assert cas.write_json([INDEXED]) == cas.write_json([INDEXED])


def test_characters_that_xml_cannot_hold_are_replaced_in_notes():
    document = Document("walk", "", "a", [Mark(((0, 1),), answer=Answer(category="x", note="a\x01b\x00c"))])
    assert back(cas.write_xmi([document])).marks[0].answer.note == "a\ufffdb\ufffdc"
