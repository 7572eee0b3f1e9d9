import json
import re
from dataclasses import replace

import cassis
import pytest

from annotations.formats import Answer, Bundle, Document, File, FormatError, Links, Mark, Stretch
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


def type_of(name: str, above: str, **features: str) -> str:
    """Return the description of a type with features by their ranges."""
    listed = "".join(
        f"<featureDescription><name>{feature}</name><rangeTypeName>{kind}</rangeTypeName></featureDescription>"
        for feature, kind in features.items()
    )
    return (
        f"<typeDescription><name>{name}</name><supertypeName>{above}</supertypeName>"
        f"<features>{listed}</features></typeDescription>"
    )


def types_of(*types: str) -> str:
    return f"<typeSystemDescription><types>{''.join(types)}</types></typeSystemDescription>"


ANNOTATION, STRING, SPAN = "uima.tcas.Annotation", "uima.cas.String", "webanno.custom.Span"
LINK = f"{COREF}.CoreferenceLink"
SPAN_TYPE = type_of(SPAN, ANNOTATION, kind=STRING, antecedents="uima.cas.FSArray").replace(
    "FSArray</rangeTypeName>", "FSArray</rangeTypeName><elementType>webanno.custom.SpanLink</elementType>"
)
TYPES = types_of(
    type_of(LINK, ANNOTATION, next=LINK, referenceType=STRING),
    type_of(f"{COREF}.CoreferenceChain", "uima.cas.AnnotationBase", first=LINK),
    SPAN_TYPE,
    type_of("webanno.custom.SpanLink", "uima.cas.TOP", role=STRING, target=SPAN),
    type_of("webanno.custom.Relation", ANNOTATION, Governor=SPAN, Dependent=SPAN, type=STRING),
    type_of("NoPackage", ANNOTATION),
).replace("Description>", 'Description xmlns="http://uima.apache.org/resourceSpecifier">', 1)


@pytest.mark.parametrize(
    ("layers", "options", "expected"),
    [
        ("Coreference: PartOf: Bridging:part", {}, ["->", "PartOf", "part"]),
        ("Coreference: PartOf: Bridging:part", {"relations": "all"}, ["->"] * 3),
        ("Links:coref PartOf: Bridging:", {}, ["->", "->", "Bridging"]),
    ],
)
def test_names_of_relation_layers_determine_pointers(layers, options, expected):
    spans = [Span("webanno.custom.Mention", start, start + 1) for start in range(4)]
    named = [layer.split(":") for layer in layers.split()]
    relations = [
        Relation(f"webanno.custom.{name}", kind, spans[n], spans[0]) for n, (name, kind) in enumerate(named, 1)
    ]
    marks, _ = build_marks(Layers("walk.xmi", list(spans), relations=relations), **options)
    answers = [mark.answer for mark in marks[1:]]
    assert [
        name for answer in answers for name in ("->",) * len(answer.pointers) + tuple(dict(answer.relations))
    ] == expected


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


CHAINS = [link(10, ANNA, 11, "nam"), link(11, HER, kind="pr"), chain(12, 10)]
CHAINS += [link(20, HER_DOG, 21), link(21, IT), chain(22, 20)]


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


def test_lists_of_links_become_entities():
    document = read(xmi(*CHAINS))
    assert (document.name, document.content, document.links) == ("walk", TEXT, Links.INDICES)
    assert indices(document) == [("Anna", ("1",)), ("her 👩🏽‍🚀dog", ("2",)), ("her", ("1",)), ("It", ("2",))]
    assert [mark.parts for mark in document.marks] == [((2, 6),), ((12, 23),), ((12, 15),), ((25, 27),)]
    assert [mark.answer.category for mark in document.marks] == ["nam", "", "pr", ""]
    assert [mark.line for mark in document.marks] == [3, 6, 4, 7]
    assert document.findings == []


def test_json_is_read_like_xmi():
    document, data = read_json(as_json(*CHAINS)), as_json(*CHAINS)
    assert [mark.line for mark in document.marks] == [None] * 4
    structures = data["%FEATURE_STRUCTURES"]
    assert isinstance(structures, list)
    by_number = {str(each["%ID"]): {key: each[key] for key in each if key != "%ID"} for each in structures}
    others = [read_json(data | other) for other in ({"%TYPES": {}}, {"%FEATURE_STRUCTURES": by_number})]
    for found in (document, *others, read(xmi(*CHAINS, members="12 22"))):
        assert plain_of(found) == plain_of(read(xmi(*CHAINS)))


def test_chains_of_custom_types_are_read():
    types = TYPES.replace("coref.type.Coreference", "coref.type.Simple").replace("CoreferenceLink", "SimpleLink")
    text = xmi(*CHAINS).replace("CoreferenceLink", "SimpleLink").replace("CoreferenceChain", "SimpleChain")
    assert plain_of(read(text, types)) == plain_of(read(xmi(*CHAINS)))


LOST = (8, 12)


@pytest.mark.parametrize(
    ("elements", "expected", "told"),
    [
        ([*CHAINS, link(30, HER), chain(31, 30)], "Anna 1, her dog 2, her 1|3, It 2", []),
        ([*CHAINS, link(30, HER), link(31, ANNA, 30), chain(32, 31)], "Anna 1|3, her dog 2, her 1|3, It 2", []),
        ([link(10, ANNA, 11), link(11, ANNA), chain(12, 10)], "Anna 1", ["duplicate-markable"]),
        ([link(10, ANNA, 11), link(11, HER, 10), chain(12, 10)], "Anna 1, her 1", ["chain-joins"]),
        ([link(10, ANNA, 10), chain(12, 10)], "Anna 1", ["chain-joins"]),
        ([link(10, ANNA, 11), link(11, HER, 11), chain(12, 10)], "Anna 1, her 1", ["chain-joins"]),
        ([link(10, ANNA, 11), link(11, HER, 10)], "Anna 1, her 1", ["link-without-chain", "chain-joins"]),
        ([*CHAINS, link(30, LOST, 11), chain(31, 30)], "Anna 1, lost 3, her dog 2, her 1, It 2", ["chain-joins"]),
        ([link(11, HER), link(10, ANNA, 11), link(20, IT)], "Anna 1, her 1, It 2", ["link-without-chain"] * 2),
        ([link(10, (3, 3), 11), link(11, HER), chain(12, 10)], "her 1", ["empty-span"]),
    ],
)
def test_shared_and_circular_lists_are_read(elements, expected, told):
    document = read(xmi(*elements))
    found = [f"{words.replace('👩🏽‍🚀', '')} {'|'.join(chains)}" for words, chains in indices(document)]
    assert (", ".join(found), codes(document)) == (expected, told)
    assert all(finding.line for finding in document.findings)


def test_long_list_is_read():
    links = [link(10 + each, ANNA if each % 2 else HER, 11 + each) for each in range(3000)]
    document = read(xmi(*links, link(3010, IT), chain(5, 10)))
    assert indices(document) == [("Anna", ("1",)), ("her", ("1",)), ("It", ("1",))]


def test_chains_sharing_long_list_are_read():
    links = [link(10_000 + each, ANNA, 10_001 + each) for each in range(1500)]
    document = read(xmi(*links, link(11_500, IT), *(chain(20_000 + each, 10_000) for each in range(1500))))
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
    _, her, it = document.marks
    assert (document.links, document.findings) == (Links.POINTERS, [])
    assert pointers(document) == [("Anna", []), ("her", ["Anna"]), ("It", [])]
    assert {mark.answer.category for mark in document.marks} == {""}
    assert it.answer.relations == (("bridge:def", ((her.place,),)),)
    assert pointers(read(xmi(*RELATIONS), relations="all"))[2] == ("It", ["her"])
    document = read(xmi(*RELATIONS[:3], RELATIONS[3].replace('Governor="11" ', "")))
    assert pointers(document) == [("Anna", []), ("her", []), ("It", [])]
    assert [(finding.code, finding.line) for finding in document.findings] == [("unknown-reference", 6)]


def test_features_become_attributes():
    kinds = {"type": "String", "topics": "StringArray", "age": "Integer", "size": "Double", "old": "Boolean"}
    features = {name: f"uima.cas.{kind}" for name, kind in kinds.items()}
    types = TYPES.replace(SPAN_TYPE, type_of(SPAN, ANNOTATION, kind=STRING, **features))
    values = 'kind="person" type="proper" age="3" size="1.5" old="true"'
    array = "<topics>war</topics><topics>peace</topics>"
    tagged = span(10, ANNA, values).replace("/>", f">{array}</custom:Span>")
    anna, her = read(xmi(tagged, span(11, HER), f'<tcas:Annotation xmi:id="12" {at(IT)}/>'), types).marks
    expected = (("age", 3), ("old", "true"), ("size", 1.5), ("topics", ("war", "peace")), ("type", "proper"))
    assert (anna.answer, her.answer) == (Answer(category="person", attributes=expected), Answer())


def test_sample_with_emoji_is_read(samples):
    folder = samples / "cas"
    [names] = cas.bundle_type_systems([f"cas/{file.name}" for file in folder.iterdir()], (".xmi",))
    assert names == ("cas/emoji.xmi", "cas/emoji-typesystem.xml")
    [document] = cas.read_xmi(Bundle(names[0], {name: (samples / name).read_bytes() for name in names}))
    text = "🥳 This 👳🏻\u200d♀️ is ✆ a 🧔🏾\u200d♂️ test 👻"
    assert plain_of(document) == Document("emoji", "", text, [], [], Links.NONE, findings=())
    [other] = cas.read_json(Bundle.of("emoji.json", (folder / "emoji.json").read_bytes()))
    assert plain_of(other) == plain_of(document)
    # Words keep their offsets where it is written.
    [file] = cas.write_json([reduce_document(other, cas.CARRIES)[0]])
    given, made = (
        {(fs["begin"], fs["end"]) for fs in json.loads(data)["%FEATURE_STRUCTURES"] if fs["%TYPE"].endswith(kind)}
        for data, kind in (((folder / "emoji.json").read_bytes(), "tcas.Annotation"), (file.data, ".Token"))
    )
    assert given == made


def test_text_is_read_from_initial_or_only_view():
    other = '<cas:Sofa xmi:id="2" sofaNum="2" sofaID="other" sofaString="abc"/>'
    assert read(xmi(*CHAINS, other)).content == TEXT
    assert read(xmi(text="a&#9;b&#13;&#10;c &amp; d&#10;")).content == "a\tb\r\nc & d\n"
    alone = xmi(*CHAINS).replace("_InitialView", "target")
    assert plain_of(read(alone)) == plain_of(read(xmi(*CHAINS)))
    assert "2 texts" in refused(alone.replace("<cas:Sofa", f"{other}\n<cas:Sofa", 1)).message
    for text in (xmi(text=""), xmi().replace(' sofaString="', ' other="')):
        assert refused(text).message == "there is no text in this file"
    assert "name" in refused(xmi(*CHAINS, other.replace("other", "_InitialView"))).message
    many = [f'<cas:Sofa xmi:id="{100 + n}" sofaNum="{n}" sofaID="v{n}" sofaString="a"/>' for n in range(101)]
    assert "more than 100 texts" in refused(xmi(*many)).message
    view = '<cas:View sofa="2" members="10"/>'
    assert "another text than its own" in refused(xmi(*CHAINS, f"{other}\n{view}")).message


def test_file_without_type_system_has_types_of_dkpro_core():
    document = read(xmi(*CHAINS, span(30, ANNA)), types=None)
    assert indices(document) == indices(read(xmi(*CHAINS)))
    assert codes(document) == ["no-type-system", "unknown-type"]
    assert document.findings[1].message.startswith("1 of the type webanno.custom.Span")


@pytest.mark.parametrize(
    ("files", "bundles"),
    [
        (
            "a/TypeSystem.xml a/b/one.xmi a/b/two.XMI a/b/two-typesystem.xml c/three.xmi",
            ["a/b/one.xmi a/b/two-typesystem.xml", "a/b/two.XMI a/b/two-typesystem.xml", "c/three.xmi"],
        ),
        ("d/full-typesystem-2.xml d/TYPESYSTEM.XML d/e/four.xmi d/notes.xml", ["d/e/four.xmi d/TYPESYSTEM.XML"]),
        ("TypeSystem.xml x/y/one.xmi", ["x/y/one.xmi TypeSystem.xml"]),
        ("walk.xmi other.xmi TypeSystem.xml", ["other.xmi TypeSystem.xml", "walk.xmi TypeSystem.xml"]),
    ],
)
def test_type_system_is_found_in_same_or_parent_folder(files, bundles):
    assert [" ".join(each) for each in cas.bundle_type_systems(files.split(), (".xmi",))] == bundles


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
        (xmi(link(10, ANNA).replace("/>", "><a><b/></a></coref:CoreferenceLink>")), 3, "Link has no feature 'a'"),
        (xmi("<a>" * 100_000 + "</a>" * 100_000), 3, "depth"),
    ],
)
def test_error_names_file_and_line(text, line, message):
    error = refused(text)
    assert message in error.message
    assert error.line == line or (line is None and error.line in (None, 1))
    assert error.file == "dir/walk.xmi"
    assert len(str(error)) < 400


def test_xml_entities_are_refused():
    declaration, text = '<!DOCTYPE x [<!ENTITY a "aaaa">]>', xmi(*CHAINS)
    assert refused(text.replace("\n", f"\n{declaration}", 1)).line == 1
    error = refused(text, declaration + TYPES)
    assert (error.file, error.line) == ("dir/TypeSystem.xml", 1)


def features(number: int) -> dict[str, str]:
    return {f"f{n}": STRING for n in range(number)}


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
        (types_of(type_of("a.B", "uima.cas.TOP", **features(400))), "the types have too many features"),
        (
            types_of(type_of("a.B", "uima.cas.TOP", **features(50)), *(type_of(f"a.C{n}", "a.B") for n in range(100))),
            "the types have too many features",
        ),
    ],
)
def test_invalid_type_systems_are_refused(types, message):
    error = refused(xmi(), types)
    assert message in error.message
    assert error.file == "dir/TypeSystem.xml"


@pytest.mark.parametrize("name", ["a=1, b", "a b", "a.b", "1a", "", "a'", "__init__", "a\nb", "(x)"])
def test_feature_names_with_code_are_refused(name):
    """Cassis would run such names as code."""
    error = refused(xmi(), types_of(type_of("a.B", ANNOTATION, **{name: STRING})))
    assert "cannot be the name of a feature" in error.message
    data = as_json() | {"%TYPES": {"a.B": {"%SUPER_TYPE": ANNOTATION, name: {"%RANGE": STRING}}}}
    assert "cannot be the name of a feature" in refused_json(data).message


def test_nested_types_are_refused():
    inner = f"</name>{type_of('a.C', ANNOTATION)}<name>a=1, b</name><range"
    hidden = type_of("a.B", ANNOTATION, good=STRING).replace("</name><range", inner)
    assert "within another" in refused(xmi(), types_of(hidden)).message
    assert "within another" in refused(xmi(), hidden).message


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "this is not JSON"),
        (b'{"%TYPES":\n {},,}', ":2:5: this is not JSON"),
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
def test_invalid_json_is_refused(data, message):
    assert message in str(refused_json(data))


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
def test_invalid_structures_in_json_are_refused(values, message):
    data = changed(as_json(*CHAINS), 10, **values)
    if message is None:
        read_json(data)
    else:
        assert message in refused_json(data).message


@pytest.mark.parametrize("text", ["a\0b", "\ud83d", 5, None])
def test_invalid_texts_in_json_are_refused(text):
    assert "text" in refused_json(changed(as_json(), 1, sofaString=text)).message


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"%VIEWS": {"_InitialView": {"%SOFA": 1, "%MEMBERS": [99]}}}, "which is not there"),
        ({"%VIEWS": {"_InitialView": {"%SOFA": 1, "%MEMBERS": [10, 10]}}}, "a view names a member twice"),
        ({"%VIEWS": {"a": 1}}, "a view has no list of members"),
        ({"%VIEWS": 1}, "no CAS that can be read"),
        ({"%FEATURE_STRUCTURES": [1]}, "a feature structure is no object"),
        ({"%TYPES": {"a.B": {}}}, "has no %SUPER_TYPE"),
        ({"%TYPES": {"a.B": 1}}, "has no %SUPER_TYPE"),
    ],
)
def test_invalid_views_in_json_are_refused(changes, message):
    assert message in refused_json(as_json(*CHAINS) | changes).message


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


def test_cassis_reads_written_files():
    files = {file.path: file.data for file in cas.write_xmi([INDEXED])}
    assert list(files) == ["walk.xmi", "TypeSystem.xml"]
    types = cassis.load_typesystem(files["TypeSystem.xml"].decode())
    loaded = cassis.load_cas_from_xmi(files["walk.xmi"].decode().partition("\n")[2], types)
    chains = loaded.select(f"{COREF}.CoreferenceChain")
    assert [each.first.get_covered_text() for each in chains] == ["Anna", "her dog"]
    assert chains[0].first.next.get_covered_text() == "her"
    assert loaded.document_language == "en"
    assert loaded.typecheck() == []


def test_exports_share_type_system_and_are_reproducible():
    documents = [INDEXED, replace(INDEXED, name="other", marks=[])]
    assert [file.path for file in cas.write_xmi(documents)] == ["walk.xmi", "other.xmi", "TypeSystem.xml"]
    assert [file.path for file in cas.write_json(documents)] == ["walk.json", "other.json"]
    for write in (cas.write_xmi, cas.write_json):
        assert write(documents) == write(documents)


def test_characters_not_allowed_in_xml_are_replaced():
    document = Document("walk", "", "a", [Mark(((0, 1),), answer=Answer(category="x", note="a\x01b\x00c"))])
    assert back(cas.write_xmi([document])).marks[0].answer.note == "a\ufffdb\ufffdc"
