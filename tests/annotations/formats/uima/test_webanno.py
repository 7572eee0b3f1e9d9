import re
from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.formats import Answer, Bundle, Document, FormatError, Links, Mark, Place, Stretch
from annotations.formats.conll import conll2012
from annotations.formats.losses.reduction import reduce_document
from annotations.formats.model.features import Feature
from annotations.formats.syntax.units import Units
from annotations.formats.uima import webanno
from annotations.formats.uima.layers import MARKABLE, MAX_FINDINGS
from annotations.formats.uima.webanno import reading
from tests.shared.cases import examples
from tests.shared.documents import codes, indices, plain_of, pointers, relations, words

DKPRO = "de.tudarmstadt.ukp.dkpro.core.api"
CHAIN = f"#T_CH={DKPRO}.coref.type.CoreferenceLink|referenceType|referenceRelation"
# A comma stands for a tab, so that the columns can be seen.
SMALL = f"""\
#FORMAT=WebAnno TSV 3.3
{CHAIN}


#Text=😀 Anna lost her dog .
1-1,0-2,😀,_,_,
1-2,3-7,Anna,nam[1],*->1-1,
1-3,8-12,lost,_,_,
1-4,13-16,her,pr[1]|np[2],coref->1-2|*->2-1,
1-5,17-20,dog,np[2],*->2-1,
1-6,21-22,.,_,_,

#Text=It was old .
2-1,23-25,It,*[2],*->2-2,
2-2,26-29,was,_,_,
2-3,30-33,old,_,_,
2-4,34-35,.,_,_,
"""
RELATED = """\
#FORMAT=WebAnno TSV 3.3
#T_SP=webanno.custom.Referent|entity|name
#T_RL=webanno.custom.Coref|type|BT_webanno.custom.Referent


#Text=her dog ran to it
1-1,0-3,her,person[1]|animal[2],_,coref,1-5[0_2],
1-2,4-7,dog,animal[2],Rex[2],_,_,
1-3,8-11,ran,_,_,_,_,
1-4,12-14,to,_,_,_,_,
1-5,15-17,it,animal,*,_,_,
"""


def file_of(text: str) -> bytes:
    return text.replace(",", "\t").encode()


def read(text: str | bytes, **options: str) -> Document:
    data = text if isinstance(text, bytes) else file_of(text)
    [document] = webanno.read(Bundle.of("dir/walk.tsv", data), **options)
    for mark in document.marks:
        assert all(0 <= start < end <= len(document.content) for start, end in mark.parts)
    return document


def refused(text: str | bytes) -> FormatError:
    with pytest.raises(FormatError) as caught:
        read(text)
    assert caught.value.file == "dir/walk.tsv"
    return caught.value


def spans_of(rows: str, layers: str = "#T_SP=webanno.custom.Span|value", text: str = "aa bb cc") -> str:
    return f"#FORMAT=WebAnno TSV 3.3\n{layers}\n\n\n#Text={text}\n{rows}\n"


def test_links_with_same_number_become_entity():
    document = read(SMALL)
    assert (document.name, document.links, document.findings) == ("walk", Links.INDICES, [])
    assert document.content == "😀 Anna lost her dog .\nIt was old ."
    assert indices(document) == [("Anna", ("1",)), ("her dog", ("2",)), ("her", ("1",)), ("It", ("2",))]
    assert [mark.parts for mark in document.marks] == [((2, 6),), ((12, 19),), ((12, 15),), ((22, 24),)]
    assert [mark.answer.category for mark in document.marks] == ["nam", "np", "pr", ""]
    assert [mark.line for mark in document.marks] == [7, 9, 9, 14]
    assert {mark.answer.category for mark in read(SMALL, categories="links").marks} == {""}
    other = read(SMALL.replace("np[2],*->2-1,\n1-6", "np[2],*->2-3,\n1-6"))
    assert indices(other)[1:4] == [("her", ("1", "2")), ("dog", ("2",)), ("It", ("2",))]


def test_units_convert_utf_16_offsets_both_ways():
    units = Units("a😀b👩🏽‍🚀")
    assert [units.point(unit) for unit in range(-1, 13)] == [None, 0, 1, None, 2, 3, None, 4, None, 5, 6, None, 7, None]
    assert [units.unit(point) for point in range(8)] == [0, 1, 3, 4, 6, 8, 9, 11]
    assert Units("abc").point(3) == 3


def test_columns_of_chain_follow_header():
    other = SMALL.replace("referenceType|referenceRelation", "referenceRelation|referenceType")
    other = re.sub(r",([a-z*]+\[\d\](?:\|\S+?)?),(\S+->\S+?),", r",\2,\1,", other)
    assert ",*->1-1,nam[1]," in other
    assert plain_of(read(other)) == plain_of(read(SMALL))


def test_equal_numbers_of_two_layers_are_different_chains():
    text = SMALL.replace(CHAIN, f"{CHAIN}\n#T_CH=webanno.custom.OtherLink|referenceType|referenceRelation")
    text = re.sub("^([12].*)$", r"\1_,_,", text, flags=re.M).replace("lost,_,_,_,_,", "lost,_,_,*[1],*->1-1,")
    assert indices(read(text))[:2] == [("Anna", ("1",)), ("lost", ("OtherLink-1",))]


def test_span_with_two_types_keeps_first():
    document = read(SMALL.replace("*->2-1,\n1-5", "*->2-3,\n1-5"))
    assert document.marks[1].answer == Answer(category="pr", indices=("1", "2"))
    assert codes(document) == ["several-types"]


def test_relations_become_pointers():
    document = read(RELATED)
    assert document.links == Links.POINTERS
    assert pointers(document) == [("her dog", []), ("her", []), ("it", ["her dog"])]
    assert {mark.answer.category for mark in document.marks} == {""}
    assert document.findings == []
    text = RELATED.replace("coref,1-5[0_2]", "coref|ana,1-5[0_2]|1-5[0_1]")
    assert pointers(read(text))[2] == ("it", ["her dog", "her"])


@pytest.mark.parametrize(
    ("source", "targets", "code"),
    [
        ("1-5[0_1]", ["her"], ""),
        ("1-5[00_01]", ["her"], ""),
        ("1-5", ["her"], "ambiguous-reference"),
        ("1-4", [], "unknown-reference"),
        ("9-9", [], "unknown-reference"),
        ("1-5[7_2]", [], "unknown-reference"),
        ("1-5[0_9]", [], "unknown-reference"),
        ("1-1[2_2]", [], "points-to-itself"),
    ],
)
def test_relation_finds_its_spans_by_number(source, targets, code):
    document = read(RELATED.replace("1-5[0_2]", source))
    assert pointers(document) == [("her dog", []), ("her", []), ("it", targets)]
    assert [(finding.code, finding.line) for finding in document.findings[:1]] == ([(code, 7)] if code else [])


def test_option_reads_bridging_relations_as_pointers():
    text = RELATED.replace(",coref,", ",bridge:other,")
    document = read(text)
    assert (document.links, document.findings) == (Links.NONE, [])
    assert relations(document) == [("it", [("bridge:other", [["her dog"]])])]
    assert pointers(read(text, relations="all"))[2] == ("it", ["her dog"])
    assert relations(read(text, relations="all")) == []


def test_option_reads_only_coref_relations_as_pointers():
    assert pointers(read(RELATED, relations="names"))[2] == ("it", ["her dog"])
    appositions = read(RELATED.replace(",coref,", ",appos,"), relations="names")
    assert relations(appositions) == [("it", [("appos", [["her dog"]])])]
    assert all(not targets for _, targets in pointers(appositions))
    # Without a type the name of the layer says what it is.
    nameless = RELATED.replace(",coref,", ",*,").replace("custom.Coref", "custom.PartOf")
    assert relations(read(nameless, relations="names")) == [("it", [("PartOf", [["her dog"]])])]


def test_relation_to_ignored_layer_is_left_out():
    layers = "#T_SP=a.First|kind\n#T_SP=a.Second|kind\n#T_RL=a.Bridging|type|BT_a.Second"
    rows = "1-1,0-2,aa,x,_,_,_,\n1-2,3-5,bb,_,y,bridging,1-3,\n1-3,6-8,cc,_,y,_,_,"
    document = read(spans_of(rows, layers))
    assert [words(document, mark) for mark in document.marks] == ["aa"]
    assert codes(document) == ["layer-left-out", "relations-left-out"]


def test_further_features_become_attributes():
    layers = "#T_SP=a.Mention|kind|gender|how_many"
    text = spans_of("1-1,0-2,aa,person[1],f[1],*[1],\n1-2,3-5,bb,person[1]|*[2],f[1]|*[2],*[1]|3[2],", layers)
    first, second = read(text).marks
    assert first.answer == Answer(category="person", attributes=(("gender", "f"),))
    assert second.answer == Answer(attributes=(("how_many", "3"),))
    assert read(text, categories="links").marks[0].answer == Answer(attributes=(("gender", "f"),))
    as_attributes = read(text, categories="attributes").marks[0].answer
    assert as_attributes == Answer(attributes=(("gender", "f"), ("kind", "person")))


def test_relations_with_equal_readings_form_joint_reading():
    layer = "#T_RL=webanno.custom.{}|type|reading|BT_webanno.custom.Markable"
    layers = "\n".join(["#T_SP=webanno.custom.Markable", layer.format("Coref"), layer.format("OtherRelation")])
    said = "*,coref,1,1-3,bridging,*,1-3,"
    rows = f"1-1,0-2,aa,{said}\n1-2,3-5,bb,{said}\n1-3,6-8,cc,*,_,_,_,_,_,_,"
    aa, bb, cc = read(spans_of(rows, layers)).marks
    assert cc.answer.readings == ((aa.place, bb.place),)
    assert cc.answer.relations == (("bridging", ((aa.place,), (bb.place,))),)
    refused(spans_of(rows.replace("coref,1,1-3", "coref,1|2,1-3", 1), layers))


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("1-1,0-2,aa,x[1]|y[2],Rex[2],\n1-2,3-5,bb,x[1],_,", ["aa bb x ", "aa y Rex"]),
        ("1-1,0-2,aa,x,Rex,\n1-2,3-5,bb,x,*,", ["aa x Rex", "bb x "]),
        ("1-1,0-2,aa,\\*,_,\n1-2,3-5,bb,*,_,", ["aa * ", "bb  "]),
        ("1-1,0-2,aa,x\\\\[1],_,\n1-2,3-5,bb,x\\\\[1],_,", ["aa bb x\\ "]),
    ],
    ids=["of the number", "of the place without numbers", "escaped star", "escaped backslash before a bracket"],
)
def test_values_belong_to_spans_by_number(rows, expected):
    document = read(spans_of(rows, "#T_SP=webanno.custom.Markable|category|name"))
    found = [f"{words(document, mark)} {mark.answer.category} {mark.answer.name}" for mark in document.marks]
    assert found == expected


def test_first_feature_of_spans_becomes_category():
    layers = f"#T_SP={DKPRO}.lexmorph.type.pos.POS|PosValue\n#T_SP=webanno.custom.Span|value|more"
    document = read(spans_of("1-1,0-2,aa,NN,person[1],_,\n1-2,3-5,bb,NN,person[1],x[1],", layers))
    expected = Answer(category="person", attributes=(("more", "x"),))
    assert [(words(document, mark), mark.answer) for mark in document.marks] == [("aa bb", expected)]
    assert (document.links, document.findings) == (Links.NONE, [])


def test_first_span_layer_is_read_and_others_reported():
    layer = f"#T_SP={DKPRO}.ner.type.NamedEntity|value"
    document = read(spans_of("1-1,0-2,aa,PER,x,y,", f"{layer}\n#T_SP=a.One|v\n#T_SP=a.Two|v"))
    assert [mark.answer.category for mark in document.marks] == ["x"]
    named, two = document.findings
    assert ("NamedEntity" in named.message, "a.Two" in two.message) == (True, True)
    assert [mark.answer.category for mark in read(spans_of("1-1,0-2,aa,PER,", layer)).marks] == ["PER"]


def test_option_chooses_chains_relations_or_spans():
    text = SMALL.replace(CHAIN, f"#T_SP=a.Span|v\n{CHAIN}\n#T_RL=a.Coref|type|BT_a.Span")
    text = re.sub(r"^([12]-.*?,.*?,)(.*?),(.*)$", r"\1\2,_,\3_,_,", text, flags=re.M)
    text = text.replace("lost,_,_,_,_,_,", "lost,x,_,_,ana,2-1,").replace("It,_,", "It,x,")
    assert [mark.answer.category for mark in read(text, layers="spans").marks] == ["x", "x"]
    assert pointers(read(text, layers="relations")) == [("lost", []), ("It", ["lost"])]
    assert codes(read(text, layers="relations")) == ["chains-left-out"]
    assert read(text).links == Links.INDICES
    assert codes(read(text)) == ["layer-left-out", "relations-left-out"]


def test_slots_become_pointers():
    layers = (
        "#T_SP=a.Host|v|ROLE_a.Host:antecedents_a.HostLink|a.Host\n"
        "#T_SP=a.Other|ROLE_a.Other:links_a.OtherLink|uima.tcas.Annotation"
    )
    rows = "1-1,0-2,aa,x,_,*,_,_,\n1-2,3-5,bb,y[3],_[3],*,_,_,\n1-3,6-8,cc,z,ante;*,1-1;1-2[3],_,_,"
    document = read(spans_of(rows, layers))
    assert pointers(document) == [("aa", []), ("bb", []), ("cc", ["aa", "bb"])]
    rows = "1-1,0-2,aa,x[3],_,*,_,_,\n1-2,3-5,bb,_,_,_,_,_,\n1-3,6-8,cc,_,_,_,p,1-1[3],"
    assert pointers(read(spans_of(rows, layers))) == [("aa", []), ("cc", ["aa"])]


PARTS = "1-1,0-2,aa,_,\n1-1.1,0-1,a,x,\n1-1.2,1-2,a,y[1],\n1-2,3-5,bb,y[1],\n1-3,6-8,cc,_,\n1-3.1,6-7,c,y[1],"


@pytest.mark.parametrize(
    ("rows", "marks", "told"),
    [
        (PARTS, "0-1 x|1-7 y", []),
        ("1-1,0-2,aa,_,\n1-1.1,0-0,,x[1]|y[2],\n1-2,3-5,bb,z,", "3-5 z", [("empty-span", 7), ("empty-span", 7)]),
        ("1-1,0-2,aa,x[1],\n1-2,3-5,bb,_,\n1-3,6-8,cc,x[1],", "0-8 x", [("gap", 8)]),
        ("1-1,0-2,aa,x[1]|y[2],\n1-2,3-5,bb,_,", "0-2 x", [("duplicate-markable", 6)]),
        ("1-1,0-2,aa,x[1],\n1-2,3-5,bb,x[1],\n\n#Text=dd\n2-1,9-11,dd,x[1],", "0-11 x", []),
    ],
    ids=["parts of tokens", "on nothing", "a token left out", "on the same words", "over sentences"],
)
def test_spans_cover_tokens_and_subtokens(rows, marks, told):
    document = read(spans_of(rows))
    found = [f"{mark.parts[0][0]}-{mark.parts[-1][1]} {mark.answer.category}" for mark in document.marks]
    assert (found, {len(mark.parts) for mark in document.marks}) == (marks.split("|"), {1})
    assert [(finding.code, finding.line) for finding in document.findings] == told
    assert len(document.segments) == 1 + rows.count("#Text")


def test_backslashes_escape_values():
    value = r"\\\[1\]\|\_\->\;\t\n\*\x"
    document = read(spans_of("1-1\t0-2\taa\t" + value + "\t").encode())
    assert document.marks[0].answer.category == "\\[1]|_->;\t\n*\\x"


def test_text_keeps_white_space_and_escapes():
    text = spans_of("1-1,0-1,a,_,\n1-2,3-5,b\\,_,\n1-3,7-8,c,_,", text="a\\t b\\\\\\r\n#Text=c ")
    document = read(text)
    assert document.content == "a\t b\\\r\nc "
    assert document.segments == [Stretch("sentence", 0, 8)]


def test_old_versions_escape_text_as_in_java():
    text = spans_of("1-1,0-2,😀,_,\n1-2,3-4,ü,_,", text='\\uD83D\\uDE00 \\u00fc\\"')
    for version in ("3.0", "3.1"):
        assert read(text.replace("TSV 3.3", f"TSV {version}")).content == '😀 ü"'
    assert refused(text.replace("TSV 3.3", "TSV 3.2")).line == 6
    error = refused(text.replace("TSV 3.3", "TSV 3.1").replace("\\uDE00", ""))
    assert (error.line, error.message) == (5, "an escape \\u… is half a character")
    error = refused(text.replace("TSV 3.3", "TSV 3.1").replace("\\u00fc", "\\u0000"))
    assert (error.line, error.message) == (5, "a NUL character is not allowed in a text")


@pytest.mark.parametrize(("begin", "between"), [(2, ""), (3, "\n"), (4, "\n "), (6, "\n   ")])
def test_offsets_determine_space_between_sentences(begin, between):
    document = read(spans_of(f"1-1,0-2,aa,_,\n\n#Text=bb\n2-1,{begin}-{begin + 2},bb,_,", text="aa"))
    assert document.content == f"aa{between}bb"
    assert document.segments == [Stretch("sentence", 0, 2), Stretch("sentence", begin, begin + 2)]
    assert read(spans_of("1-1,3-5,aa,x,", text="aa")).content == "   aa"


def test_comments_and_trailing_tabs_are_ignored():
    commented = SMALL.replace("\n\n\n", "\n#Summary1=(human1) words\n#\n\n\n#Sentence.id=s1\n")
    without = "\n".join(line.rstrip(",") for line in SMALL.split("\n")).rstrip("\n")
    for text in (commented, without):
        assert plain_of(read(text)) == plain_of(read(SMALL))


def test_exported_markable_layer_is_read_with_chains():
    aa, bb = "1-1,0-2,aa,m1[1],*[1],true[1],why?[1],np[1],*->1-1,", "1-2,3-5,bb,*[2],true[2],*[2],*[2],_,_,"
    layers = f"#T_SP=webanno.custom.Markable|label|uncoded|optional|note\n{CHAIN}"
    document = read(spans_of(f"{aa}\n{bb}\n1-3,6-8,cc,_,_,_,_,*[1],*->1-2,", layers))
    assert [(words(document, mark), mark.label, mark.answer) for mark in document.marks] == [
        ("aa", "m1", Answer(category="np", indices=("1",), optional=True, note="why?")),
        ("bb", "", None),
        ("cc", "", Answer(indices=("1",))),
    ]
    for layer in ("#T_SP=a.Span|", "#T_SP=a.Span"):
        assert len(read(spans_of("1-1,0-2,aa,*,", layer)).marks) == 1


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "the first line is not '#FORMAT=WebAnno TSV 3.0', 3.1, 3.2 or 3.3"),
        ("\n" + SMALL, 1, "the first line is not"),
        (SMALL.replace("TSV 3.3", "TSV 3.4"), 1, "the first line is not"),
        (SMALL.replace("TSV 3.3", "TSV 2"), 1, "the first line is not"),
        (SMALL[: SMALL.index("#Text")], 1, "there is no sentence in this file"),
        (SMALL.replace("|referenceRelation", ""), 2, "a chain layer has the columns referenceType and"),
        (SMALL.replace(CHAIN, f"{CHAIN}\n{CHAIN}"), 3, "this layer has no name, or that of an earlier one"),
        (SMALL.replace(CHAIN, "#T_SP=|x|y"), 2, "this layer has no name"),
        (RELATED.replace("BT_", ""), 3, "the last column of a relation layer is its base layer, BT_…"),
        (RELATED.replace("|name", "|ROLE_x"), 2, "a slot, ROLE_…, is followed by the layer that it leads to"),
        (SMALL.replace("#Text=It was old .\n", ""), 13, "a token is outside a sentence ('#Text=' comes first)"),
        (SMALL.replace("_,_,\n\n#Text=It", "_,_,\n#Text=It"), 12, "a sentence begins before a blank line"),
        (SMALL.replace("dog .\n", "dog .\n\n"), 5, "no token follows this text of a sentence"),
        (SMALL + "\n#Text=more", 19, "no token follows this text of a sentence"),
        (SMALL.replace("2-1,23-25", "2-1,20-22"), 14, "the sentence begins at 20, but the one before it ends at 22"),
        (SMALL.replace("2-1,23-25", "2-1,999999998-999999999"), 14, "begins 999999976 characters after"),
        (SMALL.replace("2-1,23-25", "2-1,9999999999-9"), 14, "the second column is not where a token begins and ends"),
        (SMALL.replace("1-2,3-7", "1-2,2-6"), 7, "the words of the token 1-2 do not stand at 2-6 of the text"),
        (SMALL.replace("1-1,0-2,😀", "1-1,0-1,😀"), 6, ""),
        (SMALL.replace("1-2,3-7", "1-2"), 7, "the second column is not where a token begins and ends, as in 0-4"),
        (SMALL.replace("1-2,3-7", "1-2,3"), 7, "the second column is not where"),
        (SMALL.replace("1-2,3-7", "1-2,٣-7"), 7, "the second column is not where"),
        (SMALL.replace("1-2,3-7", "1-,3-7"), 7, "the first column is not the number of a token, as in 1-2 or 1-2.1"),
        (SMALL.replace("1-2,3-7", "1-2.,3-7"), 7, "the first column is not"),
        (SMALL.replace("1-3,8-12", "1-2,8-12"), 8, "the token 1-2 appears twice"),
        (SMALL.replace("1-3,8-12", "1-3,7-7"), 8, "the token 1-3 is empty or begins before the last has ended"),
        (SMALL.replace("1-3,8-12", "1-3,6-12"), 8, "the token 1-3 is empty or begins before the last has ended"),
        (SMALL.replace("1-3,8-12", "1-1.1,8-12"), 8, "1-1.1 is no part of the token before it"),
        (SMALL.replace("1-3,8-12", "1-2.1,2-5"), 8, "1-2.1 is no part of the token before it"),
        (SMALL.replace("Anna,nam", "Anne,nam"), 7, "the words of the token 1-2 do not stand at 3-7 of the text"),
        (SMALL.replace("2-4,34-35", "2-4,90-91"), 17, "the words of the token 2-4 do not stand at 90-91"),
        (SMALL.replace("Anna,nam[1],*->1-1,", "Anna"), 7, "the header declares 2 columns of annotations, this"),
        (SMALL.replace("Anna,nam[1],", "Anna,,"), 7, "a column is empty ('_' says that nothing stands there)"),
        (SMALL.replace("Anna,nam[1],", "Anna,x,x,nam[1],"), 7, "the header declares 2 columns of annotations"),
        (SMALL.replace("nam[1],*->1-1", "nam,*->1-1"), 7, "this is no link of a chain, as in pr[1] and coref->1-2"),
        (SMALL.replace("nam[1],*->1-1", "nam[2],*->1-1"), 7, "this is no link of a chain"),
        (SMALL.replace("nam[1],*->1-1", "nam[1],*"), 7, "this is no link of a chain"),
        (SMALL.replace("nam[1],*->1-1", "_,*->1-1"), 7, "this is no link of a chain"),
        (SMALL.replace("nam[1],*->1-1", "nam[1]|x[2],*->1-1"), 7, "two columns of a layer hold 2 and 1 annotations"),
        (RELATED.replace("coref,1-5[0_2]", "coref|x,1-5[0_2]"), 7, "two columns of a layer hold 2 and 1 annotations"),
        (RELATED.replace("1-5[0_2]", "1-5[0_2_3]"), 7, "this is not a token to which a relation leads"),
        (RELATED.replace("1-5[0_2]", "she"), 7, "this is not a token to which a relation leads, as in 3-4 or"),
        (spans_of(f"1-1,0-2,aa,{'x' * 51},", f"#T_SP={MARKABLE}|label"), 6, "a markable's label has more than 50"),
    ],
)  # fmt: skip
def test_error_names_file_and_line(text, line, message):
    error = refused(text)
    assert message in error.message
    assert str(error).startswith(f"dir/walk.tsv:{line}: ")


def test_findings_and_annotations_are_bounded(monkeypatch):
    document = read(spans_of("1-1,0-2,aa," + "|".join(f"x[{number}]" for number in range(5000)) + ","))
    assert (len(document.marks), len(document.findings)) == (1, MAX_FINDINGS + 1)
    assert document.findings[-1].code == "more"
    for cell in ("\\" * 100_000 + "|x", "[1" * 50_000, "x[1]" * 30_000, "x;" * 50_000):
        assert len(read(spans_of(f"1-1,0-2,aa,{cell},")).marks) == 1
    assert refused(SMALL.replace("*->1-1", "->1-" * 50_000)).line == 7
    rows = "".join(f"\n#Text=a\n{n + 1}-1,{n * 901}-{n * 901 + 1},a,_,\n" for n in range(300))
    assert "characters after the one before it" in refused(f"#FORMAT=WebAnno TSV 3.3\n#T_SP=a.b|v\n\n{rows}").message
    monkeypatch.setattr(reading, "MAX_ANNOTATIONS", 6)
    assert len(read(spans_of("1-1,0-2,aa,x[0]|x[1]|x[2],")).findings) > 0
    error = refused(spans_of("1-1,0-2,aa," + "|".join(["x"] * 7) + ","))
    assert "more than 6 annotations" in error.message
    assert error.line is not None


ANNA = Answer(category="refers", indices=("1",))


def walk(content: str, *marks: Mark, sentences=(), links=Links.NONE) -> Document:
    return Document("walk", "", content, list(marks), [Stretch("sentence", *span) for span in sentences], links)


def written_and_read(document: Document) -> Document:
    [file] = webanno.write([document])
    [back] = webanno.read(Bundle.of(file.path, file.data))
    return back


def written(document: Document) -> str:
    kept, losses = reduce_document(document, webanno.FORMAT.supported_features)
    assert losses == []
    [file] = webanno.write([kept])
    assert file.path == "walk.tsv"
    assert plain_of(written_and_read(kept)) == plain_of(kept)
    return file.data.decode()


def test_only_chains_are_written_if_sufficient():
    marks = {(2, 6): "1", (12, 19): "2", (12, 15): "1", (22, 24): "23"}
    document = walk(
        "😀 Anna lost her dog.  It was old.\n",
        *(Mark((span,), answer=Answer(category="refers", indices=tuple(names))) for span, names in marks.items()),
        sentences=[(0, 20), (22, 33)],
        links=Links.INDICES,
    )
    lines = f"""\
#FORMAT=WebAnno TSV 3.3
{CHAIN}


#Text=😀 Anna lost her dog.{"  "}
1-1,0-2,😀,_,_,
1-2,3-7,Anna,refers[1],*->1-1,
1-3,8-12,lost,_,_,
1-4,13-16,her,refers[1]|refers[2],*->1-2|*->2-1,
1-5,17-20,dog,refers[2],*->2-1,
1-6,20-21,.,_,_,

#Text=It was old.
#Text=
2-1,23-25,It,refers[2]|refers[3],*->2-2|*->3-1,
2-2,26-29,was,_,_,
2-3,30-34,old.,_,_,
"""
    assert written(document) == file_of(lines).decode()


def test_pointers_are_written_as_relations_between_spans():
    her_dog, her = Place("", ((0, 7),)), Place("", ((0, 3),))
    document = walk(
        "her dog\nran to it",
        Mark(her_dog.parts, label="m1", answer=Answer(category="none", note="a|b\nc_[1]")),
        Mark(her.parts),
        Mark(((8, 11),), answer=Answer(category="none", optional=True, unsure=True)),
        Mark(((15, 17),), answer=Answer(category="phrase", pointers=(her_dog, her), name="the dog")),
        sentences=[(0, 7), (8, 17)],
        links=Links.POINTERS,
    )
    lines = """\
#FORMAT=WebAnno TSV 3.3
#T_SP=webanno.custom.Markable|label|category|uncoded|optional|unsure|note|name
#T_RL=webanno.custom.Coref|type|BT_webanno.custom.Markable


#Text=her dog
1-1,0-3,her,m1[1]|*[2],none[1]|*[2],*[1]|true[2],*[1]|*[2],*[1]|*[2],NOTE[1]|*[2],*[1]|*[2],coref|coref,2-3[4_1]|2-3[4_2],
1-2,4-7,dog,m1[1],none[1],*[1],*[1],*[1],NOTE[1],*[1],_,_,

#Text=ran to it
2-1,8-11,ran,*[3],none[3],*[3],true[3],true[3],*[3],*[3],_,_,
2-2,12-14,to,_,_,_,_,_,_,_,_,_,
2-3,15-17,it,*[4],phrase[4],*[4],*[4],*[4],*[4],the dog[4],_,_,
"""
    assert written(document) == file_of(lines.replace("NOTE", r"a\|b\nc\_\[1\]")).decode()


def test_markable_without_index_is_written_as_span():
    marks = [Mark(((0, 1),), answer=ANNA), Mark(((2, 3),), answer=Answer(category="none"))]
    text = written(walk("a b", *marks, sentences=[(0, 3)], links=Links.INDICES))
    assert text.endswith("1-1\t0-1\ta\t_\trefers[1]\t*->1-1\t\n1-2\t2-3\tb\tnone[1]\t_\t_\t\n")


def test_white_space_at_edges_is_written_as_subtoken():
    marks = [Mark((span,), answer=Answer(category="x")) for span in ((1, 4), (1, 2), (5, 7))]
    text = written(walk("a b\tc\nd", *marks, sentences=[(0, 5), (6, 7)]))
    assert text.split("\n")[4:] == [
        "#Text=a b\\tc",
        "1-1\t0-1\ta\t_\t",
        "1-1.1\t1-2\t \tx[1]|x[2]\t",
        "1-2\t2-3\tb\tx[1]\t",
        "1-2.1\t3-4\t\\t\tx[1]\t",
        "1-3\t4-5\tc\t_\t",
        "1-3.1\t5-6\t\\n\tx[3]\t",
        "",
        "#Text=d",
        "2-1\t6-7\td\tx[3]\t",
        "",
    ]


def test_leading_white_space_is_trimmed_and_reported():
    document = walk("\n\ta b", *(Mark(((0, end),), answer=Answer(category="x")) for end in (3, 2)))
    kept, [loss] = reduce_document(document, webanno.FORMAT.supported_features)
    assert (loss.feature, len(loss.examples)) == (Feature.LEADING, 3)
    back = written_and_read(kept)
    assert kept.content == back.content == "  a b"
    assert [mark.parts for mark in back.marks] == [((2, 3),)]


@pytest.mark.parametrize("between", ["", "\n", " ", "\n\n", "\n ", " \n", "\t", "\r\n", "\u00a0", "\u2028", "\n  \n"])
def test_white_space_between_and_after_sentences_is_kept(between):
    end = 2 + len(between)
    mark = Mark(((end, end + 1),), answer=Answer(category="x"))
    written(walk(f"a😀{between}b.{between}", mark, sentences=[(0, 2), (end, end + 2)]))


@examples(100)
@given(st.text(st.sampled_from("\\[]|_->;\t\n\r* x1"), max_size=12))
def test_values_are_read_back(value):
    document = walk("a b", Mark(((0, 3),), answer=Answer(category="x", note=value)))
    assert [mark.answer.note for mark in written_and_read(document).marks] == [re.sub("\r\n?", "\n", value)]


@examples(100)
@given(st.text(st.sampled_from("\\tnrfb u0041\t\r\n\x0b\x0c\u2028x😀"), max_size=12))
def test_random_texts_are_read_back(text):
    kept, _ = reduce_document(walk(f"a{text}z"), webanno.FORMAT.supported_features)
    assert written_and_read(kept).content == kept.content


@pytest.fixture
def gum(samples) -> bytes:
    return (samples / "gum" / "GUM_news_iodine.webanno.tsv").read_bytes()


def test_gum_has_same_chains_as_conll_file(samples, gum):
    def chains(document):
        entities: dict[str, set[Place]] = defaultdict(set)
        for mark in document.marks:
            for index in mark.answer.indices:
                entities[index].add(mark.place)
        return sorted(sorted(each) for each in entities.values() if len(each) > 1)

    document = read(gum)
    [other] = conll2012.read(Bundle.of("iodine.conll", (samples / "gum" / "GUM_news_iodine.conll").read_bytes()))
    # The one has its sentences on lines, the other has none.
    assert document.content.replace("\n", " ") == other.content
    assert [mark.parts for mark in document.marks] == [mark.parts for mark in other.marks]
    kept, _ = reduce_document(document, conll2012.FORMAT.supported_features)
    assert chains(kept) == chains(other)
    assert len(chains(other)) == 49


def test_gum_has_pointers_and_bridging_relations(gum):
    document = read(gum)
    assert (len(document.marks), len(document.segments), document.findings) == (312, 41, [])
    targets = [(mark, target) for mark in document.marks for target in mark.answer.pointers]
    assert len(targets) == 163
    assert len({mark.place for mark, target in targets if target.parts > mark.parts}) == 2
    assert dict(pointers(document)[:40])["February 23 , 2006"] == ["Thursday"]
    bridging = [(name, len(readings)) for mark in document.marks for name, readings in mark.answer.relations]
    assert {name for name, _ in bridging} == {"bridge:def", "bridge:other"}
    assert sum(number for _, number in bridging) == 20
    assert all({"entity", "infstat"} <= dict(mark.answer.attributes).keys() for mark in document.marks)
    assert sum(len(mark.answer.pointers) for mark in read(gum, relations="all").marks) == 183


def test_words_like_formulas_are_kept():
    content = "=1+1 @cmd +A1 -2 '=x"
    mark = Mark(((0, 4),), answer=Answer(indices=("1",), note="=HYPERLINK(1)", name="@anna"))
    document = walk(content, mark, links=Links.INDICES)
    rows = [line.split("\t") for line in webanno.write([document])[0].data.decode().splitlines() if line[:2] == "1-"]
    assert [row[2] for row in rows] == content.split()
    found = written_and_read(document)
    assert found.content == content
    assert [(mark.answer.note, mark.answer.name) for mark in found.marks] == [("=HYPERLINK(1)", "@anna")]
