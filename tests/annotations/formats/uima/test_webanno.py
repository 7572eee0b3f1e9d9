"""WebAnno TSV 3: what is read, what is written, and what is refused."""

import random
from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.formats import FORMATS, Answer, Bundle, Document, FormatError, Links, Mark, Place, Stretch
from annotations.formats.conll import conll2012
from annotations.formats.losses.reduction import reduce_document
from annotations.formats.model.features import Feature
from annotations.formats.syntax.units import Units
from annotations.formats.uima import webanno
from annotations.formats.uima.layers import MARKABLE, MOST_FINDINGS
from annotations.formats.uima.webanno import reading
from tests.shared.cases import examples
from tests.shared.documents import codes, indices, plain_of, pointers, relations, words

CHAIN = "#T_CH=de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink|referenceType|referenceRelation"
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


def read_or_refused(data: str | bytes) -> Document | None:
    """Return the document; return None if it is refused with a line."""
    try:
        return read(data)
    except FormatError as error:
        if error.line is None:
            raise
        return None


def spans_of(rows: str, layers: str = "#T_SP=webanno.custom.Span|value", text: str = "aa bb cc") -> str:
    return f"#FORMAT=WebAnno TSV 3.3\n{layers}\n\n\n#Text={text}\n{rows}\n"


def test_links_with_one_number_are_one_entity():
    document = read(SMALL)
    assert document.links == Links.INDICES
    assert document.name == "walk"
    assert indices(document) == [("Anna", ("1",)), ("her dog", ("2",)), ("her", ("1",)), ("It", ("2",))]
    assert [mark.answer.category for mark in document.marks] == ["nam", "np", "pr", ""]
    assert [mark.line for mark in document.marks] == [7, 9, 9, 14]
    assert document.findings == []


def test_offsets_count_utf16_units():
    document = read(SMALL)
    assert document.content == "😀 Anna lost her dog .\nIt was old ."
    assert [mark.parts for mark in document.marks] == [((2, 6),), ((12, 19),), ((12, 15),), ((22, 24),)]


def test_units_and_points_are_counted_both_ways():
    units = Units("a😀b👩🏽‍🚀")
    assert [units.point(unit) for unit in range(-1, 13)] == [None, 0, 1, None, 2, 3, None, 4, None, 5, 6, None, 7, None]
    assert [units.unit(point) for point in range(8)] == [0, 1, 3, 4, 6, 8, 9, 11]
    assert Units("abc").point(3) == 3


def test_offsets_that_count_code_points_are_refused():
    message = "the words of the token 1-2 do not stand at 2-6 of the text (offsets count UTF-16 units)"
    error = refused(SMALL.replace("1-2,3-7", "1-2,2-6"))
    assert (error.message, error.line) == (message, 7)


def test_an_offset_inside_a_character_is_refused():
    assert refused(SMALL.replace("1-1,0-2,😀", "1-1,0-1,😀")).line == 6


def test_columns_of_a_chain_follow_the_header():
    other = SMALL.replace("referenceType|referenceRelation", "referenceRelation|referenceType")
    for one, two in (
        ("nam[1]", "*->1-1"),
        ("pr[1]|np[2]", "coref->1-2|*->2-1"),
        ("np[2]", "*->2-1"),
        ("*[2]", "*->2-2"),
    ):
        other = other.replace(f",{one},{two},", f",{two},{one},")
    assert other != SMALL
    assert plain_of(read(other)) == plain_of(read(SMALL))


def test_two_words_of_one_link_number_are_one_markable_and_others_are_not():
    text = SMALL.replace("np[2],*->2-1,\n1-6", "np[2],*->2-3,\n1-6")
    assert indices(read(text))[1:4] == [("her", ("1", "2")), ("dog", ("2",)), ("It", ("2",))]


def test_chains_of_one_number_in_two_layers_are_two():
    text = SMALL.replace(CHAIN, f"{CHAIN}\n#T_CH=webanno.custom.OtherLink|referenceType|referenceRelation")
    text = "\n".join(f"{line}_,_," if line[:1] in ("1", "2") else line for line in text.split("\n"))
    text = text.replace("lost,_,_,_,_,", "lost,_,_,*[1],*->1-1,")
    assert indices(read(text))[:2] == [("Anna", ("1",)), ("lost", ("OtherLink-1",))]


def test_a_span_that_is_called_two_things_keeps_the_first():
    text = SMALL.replace("pr[1]|np[2],coref->1-2|*->2-1", "pr[1]|np[2],coref->1-2|*->2-3").replace(
        "dog,np[2]", "dog,np[2]"
    )
    document = read(text)
    assert document.marks[1].answer == Answer(category="pr", indices=("1", "2"))
    assert codes(document) == ["several-types"]


def test_what_links_are_called_can_be_passed_over():
    assert {mark.answer.category for mark in read(SMALL, categories="links").marks} == {""}


def test_relations_point_from_the_source_to_the_row_they_stand_on():
    document = read(RELATED)
    assert document.links == Links.POINTERS
    assert pointers(document) == [("her dog", []), ("her", []), ("it", ["her dog"])]
    assert {mark.answer.category for mark in document.marks} == {""}
    assert document.findings == []


@pytest.mark.parametrize("source", ["1-5[0_1]", "1-5[00_01]"])
def test_a_relation_names_its_ends_by_number(source):
    assert pointers(read(RELATED.replace("1-5[0_2]", source)))[2] == ("it", ["her"])


def test_several_relations_to_one_word_are_parted_by_bars():
    text = RELATED.replace("coref,1-5[0_2]", "coref|ana,1-5[0_2]|1-5[0_1]")
    assert pointers(read(text))[2] == ("it", ["her dog", "her"])


def test_a_relation_without_numbers_to_a_word_with_two_spans_is_reported():
    document = read(RELATED.replace("1-5[0_2]", "1-5"))
    assert pointers(document)[2] == ("it", ["her"])
    assert codes(document) == ["ambiguous-reference"]


@pytest.mark.parametrize("source", ["1-4", "9-9", "1-5[7_2]", "1-5[0_9]"])
def test_a_relation_to_nothing_is_left_out_and_reported(source):
    document = read(RELATED.replace("1-5[0_2]", source))
    assert pointers(document) == [("her dog", []), ("her", []), ("it", [])]
    assert (document.findings[0].code, document.findings[0].line) == ("unknown-reference", 7)


def test_a_relation_to_itself_is_left_out_and_reported():
    document = read(RELATED.replace("1-5[0_2]", "1-1[2_2]"))
    assert codes(document) == ["points-to-itself"]
    assert all(not targets for _, targets in pointers(document))


def test_bridging_is_a_relation_of_its_own_unless_all_relations_point():
    text = RELATED.replace(",coref,", ",bridge:other,")
    document = read(text)
    assert document.links == Links.NONE
    assert relations(document) == [("it", [("bridge:other", [["her dog"]])])]
    assert document.findings == []
    assert pointers(read(text, relations="all"))[2] == ("it", ["her dog"])
    assert relations(read(text, relations="all")) == []


def test_relations_by_their_names_point_where_they_are_called_coref():
    assert pointers(read(RELATED, relations="names"))[2] == ("it", ["her dog"])
    appositions = read(RELATED.replace(",coref,", ",appos,"), relations="names")
    assert relations(appositions) == [("it", [("appos", [["her dog"]])])]
    assert all(not targets for _, targets in pointers(appositions))
    # Without a type the name of the layer says what it is.
    nameless = RELATED.replace(",coref,", ",*,").replace("custom.Coref", "custom.PartOf")
    assert relations(read(nameless, relations="names")) == [("it", [("PartOf", [["her dog"]])])]


def test_a_relation_to_a_layer_that_is_not_read_is_left_out_and_reported():
    layers = "#T_SP=a.First|kind\n#T_SP=a.Second|kind\n#T_RL=a.Bridging|type|BT_a.Second"
    rows = "1-1,0-2,aa,x,_,_,_,\n1-2,3-5,bb,_,y,bridging,1-3,\n1-3,6-8,cc,_,y,_,_,"
    document = read(spans_of(rows, layers))
    assert [words(document, mark) for mark in document.marks] == ["aa"]
    assert codes(document) == ["layer-left-out", "relations-left-out"]


def test_features_besides_the_category_are_answers_to_attributes():
    layers = "#T_SP=a.Mention|kind|gender|how_many"
    text = spans_of("1-1,0-2,aa,person[1],f[1],*[1],\n1-2,3-5,bb,person[1]|*[2],f[1]|*[2],*[1]|3[2],", layers)
    one, other = read(text).marks
    assert one.answer == Answer(category="person", attributes=(("gender", "f"),))
    assert other.answer == Answer(attributes=(("how_many", "3"),))
    assert read(text, categories="links").marks[0].answer == Answer(attributes=(("gender", "f"),))
    as_attributes = read(text, categories="attributes").marks[0].answer
    assert as_attributes == Answer(attributes=(("gender", "f"), ("kind", "person")))


def test_relations_with_equal_readings_are_meant_together():
    layers = (
        "#T_SP=webanno.custom.Markable\n"
        "#T_RL=webanno.custom.Coref|type|reading|BT_webanno.custom.Markable\n"
        "#T_RL=webanno.custom.OtherRelation|type|reading|BT_webanno.custom.Markable"
    )
    rows = (
        "1-1,0-2,aa,*,coref,1,1-3,bridging,*,1-3,\n1-2,3-5,bb,*,coref,1,1-3,bridging,*,1-3,\n1-3,6-8,cc,*,_,_,_,_,_,_,"
    )
    aa, bb, cc = read(spans_of(rows, layers)).marks
    assert cc.answer.readings == ((aa.place, bb.place),)
    assert cc.answer.relations == (("bridging", ((aa.place,), (bb.place,))),)
    refused(spans_of(rows.replace("coref,1,1-3", "coref,1|2,1-3", 1), layers))


def test_a_value_is_of_the_span_of_its_number_not_of_its_place():
    layers = "#T_SP=webanno.custom.Markable|category|name"
    document = read(spans_of("1-1,0-2,aa,x[1]|y[2],Rex[2],\n1-2,3-5,bb,x[1],_,", layers))
    assert [(words(document, mark), mark.answer.category, mark.answer.name) for mark in document.marks] == [
        ("aa bb", "x", ""),
        ("aa", "y", "Rex"),
    ]


def test_without_numbers_values_in_one_place_are_of_one_span():
    layers = "#T_SP=webanno.custom.Markable|category|name"
    document = read(spans_of("1-1,0-2,aa,x,Rex,\n1-2,3-5,bb,x,*,", layers))
    assert [(words(document, mark), mark.answer.name) for mark in document.marks] == [("aa", "Rex"), ("bb", "")]


def test_spans_alone_have_their_first_feature_as_category():
    layers = (
        "#T_SP=de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS|PosValue\n#T_SP=webanno.custom.Span|value|more"
    )
    document = read(spans_of("1-1,0-2,aa,NN,person[1],_,\n1-2,3-5,bb,NN,person[1],x[1],", layers))
    expected = Answer(category="person", attributes=(("more", "x"),))
    assert [(words(document, mark), mark.answer) for mark in document.marks] == [("aa bb", expected)]
    assert document.links == Links.NONE
    assert document.findings == []


def test_of_several_layers_of_spans_the_first_is_read_and_the_others_are_named():
    layers = "#T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|value\n#T_SP=a.One|v\n#T_SP=a.Two|v"
    document = read(spans_of("1-1,0-2,aa,PER,x,y,", layers))
    assert [mark.answer.category for mark in document.marks] == ["x"]
    assert [finding.message for finding in document.findings] == [
        "the 1 spans of the layer de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity are left out",
        "the 1 spans of the layer a.Two are left out",
    ]


def test_named_entities_are_read_where_there_is_nothing_else():
    layers = "#T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|value"
    assert [mark.answer.category for mark in read(spans_of("1-1,0-2,aa,PER,", layers)).marks] == ["PER"]


def test_chains_or_relations_or_spans_can_be_asked_for():
    text = SMALL.replace(CHAIN, f"#T_SP=a.Span|v\n{CHAIN}\n#T_RL=a.Coref|type|BT_a.Span")
    rows = [line.split(",") for line in text.split("\n")]
    rows = [
        [*row[:3], "x" if row[2] in ("lost", "It") else "_", *row[3:5], "_", "_", ""] if len(row) > 5 else row
        for row in rows
    ]
    text = "\n".join(",".join(row) for row in rows).replace("lost,x,_,_,_,_,", "lost,x,_,_,ana,2-1,")
    assert [mark.answer.category for mark in read(text, layers="spans").marks] == ["x", "x"]
    assert pointers(read(text, layers="relations")) == [("lost", []), ("It", ["lost"])]
    assert codes(read(text, layers="relations")) == ["chains-left-out"]
    assert read(text).links == Links.INDICES
    assert codes(read(text)) == ["layer-left-out", "relations-left-out"]


def test_slots_point_from_their_span_to_those_that_play_a_role():
    layers = (
        "#T_SP=a.Host|v|ROLE_a.Host:antecedents_a.HostLink|a.Host\n"
        "#T_SP=a.Other|ROLE_a.Other:links_a.OtherLink|uima.tcas.Annotation"
    )
    rows = "1-1,0-2,aa,x,_,*,_,_,\n1-2,3-5,bb,y[3],_[3],*,_,_,\n1-3,6-8,cc,z,ante;*,1-1;1-2[3],_,_,"
    document = read(spans_of(rows, layers))
    assert pointers(document) == [("aa", []), ("bb", []), ("cc", ["aa", "bb"])]
    rows = "1-1,0-2,aa,x[3],_,*,_,_,\n1-2,3-5,bb,_,_,_,_,_,\n1-3,6-8,cc,_,_,_,p,1-1[3],"
    assert pointers(read(spans_of(rows, layers))) == [("aa", []), ("cc", ["aa"])]


def test_parts_of_tokens_hold_spans_of_their_own():
    rows = "1-1,0-2,aa,_,\n1-1.1,0-1,a,x,\n1-1.2,1-2,a,y[1],\n1-2,3-5,bb,y[1],\n1-3,6-8,cc,_,\n1-3.1,6-7,c,y[1],"
    document = read(spans_of(rows))
    assert [(mark.parts, mark.answer.category) for mark in document.marks] == [(((0, 1),), "x"), (((1, 7),), "y")]
    assert [(segment.start, segment.end) for segment in document.segments] == [(0, 8)]


def test_a_span_that_stands_on_nothing_is_left_out_and_reported():
    document = read(spans_of("1-1,0-2,aa,_,\n1-1.1,0-0,,x[1]|y[2],\n1-2,3-5,bb,z,"))
    assert [words(document, mark) for mark in document.marks] == ["bb"]
    assert codes(document) == ["empty-span", "empty-span"]
    assert document.findings[0].line == 7


def test_a_span_over_sentences_takes_in_what_is_between():
    document = read(spans_of("1-1,0-2,aa,x[1],\n\n#Text=bb\n2-1,3-5,bb,x[1],", text="aa"))
    assert [mark.parts for mark in document.marks] == [((0, 5),)]
    assert document.content == "aa\nbb"


def test_a_span_that_leaves_a_token_out_takes_it_in_and_is_reported_once():
    document = read(spans_of("1-1,0-2,aa,x[1],\n1-2,3-5,bb,_,\n1-3,6-8,cc,x[1],"))
    assert [words(document, mark) for mark in document.marks] == ["aa bb cc"]
    assert [(finding.code, finding.line) for finding in document.findings] == [("gap", 8)]


def test_two_spans_on_the_same_words_are_one():
    document = read(spans_of("1-1,0-2,aa,x[1]|y[2],\n1-2,3-5,bb,_,"))
    assert [(words(document, mark), mark.answer.category) for mark in document.marks] == [("aa", "x")]
    assert codes(document) == ["duplicate-markable"]


def test_values_are_escaped_with_backslashes():
    value = r"\\\[1\]\|\_\->\;\t\n\*\x"
    document = read(spans_of("1-1\t0-2\taa\t" + value + "\t").encode())
    assert document.marks[0].answer.category == "\\[1]|_->;\t\n*\\x"


def test_an_escaped_star_is_a_value_and_a_bare_one_is_none():
    assert [mark.answer.category for mark in read(spans_of(r"1-1,0-2,aa,\*," + "\n1-2,3-5,bb,*,")).marks] == ["*", ""]


def test_an_escaped_backslash_before_a_bracket_does_not_escape_it():
    document = read(spans_of("1-1,0-2,aa,x\\\\[1],\n1-2,3-5,bb,x\\\\[1],"))
    assert [(words(document, mark), mark.answer.category) for mark in document.marks] == [("aa bb", "x\\")]


def test_the_text_is_taken_with_its_white_space_and_escapes():
    text = spans_of("1-1,0-1,a,_,\n1-2,3-5,b\\,_,\n1-3,7-8,c,_,", text="a\\t b\\\\\\r\n#Text=c ")
    document = read(text)
    assert document.content == "a\t b\\\r\nc "
    assert document.segments == [Stretch("sentence", 0, 8)]


def test_up_to_version_3_1_text_is_escaped_as_in_java():
    text = spans_of("1-1,0-2,😀,_,\n1-2,3-4,ü,_,", text='\\uD83D\\uDE00 \\u00fc\\"')
    for version in ("3.0", "3.1"):
        assert read(text.replace("TSV 3.3", f"TSV {version}")).content == '😀 ü"'
    assert refused(text.replace("TSV 3.3", "TSV 3.2")).line == 6
    error = refused(text.replace("TSV 3.3", "TSV 3.1").replace("\\uDE00", ""))
    assert (error.line, error.message) == (5, "an escape \\u… is half a character")
    error = refused(text.replace("TSV 3.3", "TSV 3.1").replace("\\u00fc", "\\u0000"))
    assert (error.line, error.message) == (5, "a NUL character is not allowed in a text")


@pytest.mark.parametrize(("begin", "between"), [(2, ""), (3, "\n"), (4, "\n "), (6, "\n   ")])
def test_what_lies_between_sentences_is_a_line_end_and_blanks(begin, between):
    document = read(spans_of(f"1-1,0-2,aa,_,\n\n#Text=bb\n2-1,{begin}-{begin + 2},bb,_,", text="aa"))
    assert document.content == f"aa{between}bb"
    assert document.segments == [Stretch("sentence", 0, 2), Stretch("sentence", begin, begin + 2)]


def test_what_lies_before_the_first_sentence_is_blanks():
    assert read(spans_of("1-1,3-5,aa,x,", text="aa")).content == "   aa"


def test_comments_and_names_of_sentences_are_passed_over():
    text = SMALL.replace("\n\n\n", "\n#Summary1=(human1) words\n#\n\n\n#Sentence.id=s1\n")
    assert plain_of(read(text)) == plain_of(read(SMALL))


def test_lines_may_end_without_a_tab_and_the_file_without_a_line_end():
    text = "\n".join(line.rstrip(",") for line in SMALL.split("\n")).rstrip("\n")
    assert plain_of(read(text)) == plain_of(read(SMALL))


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_and_a_byte_order_mark_change_nothing(end):
    assert read(b"\xef\xbb\xbf" + file_of(SMALL).replace(b"\n", end.encode())) == read(SMALL)


def test_the_layer_that_is_written_here_is_read_with_chains():
    layers = f"#T_SP=webanno.custom.Markable|label|uncoded|optional|note\n{CHAIN}"
    rows = (
        "1-1,0-2,aa,m1[1],*[1],true[1],why?[1],np[1],*->1-1,\n"
        "1-2,3-5,bb,*[2],true[2],*[2],*[2],_,_,\n"
        "1-3,6-8,cc,_,_,_,_,*[1],*->1-2,"
    )
    document = read(spans_of(rows, layers))
    assert [(words(document, mark), mark.label, mark.answer) for mark in document.marks] == [
        ("aa", "m1", Answer(category="np", indices=("1",), optional=True, note="why?")),
        ("bb", "", None),
        ("cc", "", Answer(indices=("1",))),
    ]


@pytest.mark.parametrize("layer", ["#T_SP=a.Span|", "#T_SP=a.Span"])
def test_a_layer_without_features_has_a_column(layer):
    document = read(spans_of("1-1,0-2,aa,*,", layer))
    assert [words(document, mark) for mark in document.marks] == ["aa"]


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
def test_an_error_names_file_and_line(text, line, message):
    error = refused(text)
    assert message in error.message
    assert error.line == line
    assert str(error).startswith(f"dir/walk.tsv:{line}: ")


def test_bytes_that_are_not_utf_8_and_nuls_are_named_with_line_and_column():
    error = refused(file_of(SMALL).replace(b"lost her", b"lost h\xff"))
    assert (error.line, error.column) == (5, 20)
    error = refused(SMALL.replace("Anna,nam", "Anna,n\0m"))
    assert (error.line, error.column) == (7, 15)
    assert refused(SMALL.encode("utf-16")).line == 1


def test_a_file_cut_anywhere_is_read_or_refused_and_never_with_half_a_sentence():
    data = file_of(SMALL)
    for length in range(len(data)):
        document = read_or_refused(data[:length])
        assert document is None or document.content in (
            "😀 Anna lost her dog .",
            "😀 Anna lost her dog .\nIt was old .",
        )


def test_a_file_without_a_line_is_read_or_refused():
    for text in (SMALL, RELATED):
        lines = text.split("\n")
        for left_out in range(len(lines)):
            read_or_refused("\n".join(lines[:left_out] + lines[left_out + 1 :]))


def test_many_annotations_on_one_token_are_read_and_findings_are_bounded():
    document = read(spans_of("1-1,0-2,aa," + "|".join(f"x[{number}]" for number in range(5000)) + ","))
    assert len(document.marks) == 1
    assert len(document.findings) == MOST_FINDINGS + 1
    assert document.findings[-1].code == "more"


def test_a_file_has_no_more_annotations_than_can_be_read_in_time(monkeypatch):
    monkeypatch.setattr(reading, "MOST_ANNOTATIONS", 6)
    stacked = "|".join(f"x[{number}]" for number in range(3))
    assert len(read(spans_of(f"1-1,0-2,aa,{stacked},")).findings) > 0
    error = refused(spans_of("1-1,0-2,aa," + "|".join(["x"] * 7) + ","))
    assert "more than 6 annotations stand on the tokens" in error.message
    assert error.line is not None


def test_gigantic_cells_are_read_or_refused():
    for cell in ("\\" * 100_000 + "|x", "[1" * 50_000, "x[1]" * 30_000, "x;" * 50_000):
        assert len(read(spans_of(f"1-1,0-2,aa,{cell},")).marks) == 1
    assert refused(SMALL.replace("*->1-1", "->1-" * 50_000)).line == 7


def test_gaps_do_not_add_up_to_more_than_the_file_is_long():
    rows = "".join(f"\n#Text=a\n{n + 1}-1,{n * 901}-{n * 901 + 1},a,_,\n" for n in range(300))
    assert "characters after the one before it" in refused(f"#FORMAT=WebAnno TSV 3.3\n#T_SP=a.b|v\n\n{rows}").message


ANNA = Answer(category="refers", indices=("1",))
INDEXED = Document(
    "walk",
    "",
    "😀 Anna lost her dog.  It was old.\n",
    [
        Mark(((2, 6),), answer=ANNA),
        Mark(((12, 19),), answer=Answer(category="refers", indices=("2",))),
        Mark(((12, 15),), answer=ANNA),
        Mark(((22, 24),), answer=Answer(category="refers", indices=("2", "3"))),
    ],
    [Stretch("sentence", 0, 20), Stretch("sentence", 22, 33)],
    Links.INDICES,
)


def written(document: Document) -> str:
    kept, losses = reduce_document(document, webanno.FORMAT.supported_features)
    assert losses == []
    [file] = webanno.write([kept])
    assert file.path == "walk.tsv"
    [back] = webanno.read(Bundle.of(file.path, file.data))
    assert plain_of(back) == plain_of(kept)
    return file.data.decode()


def test_chains_are_written_alone_where_they_say_all():
    assert (
        written(INDEXED)
        == file_of(
            f"""\
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
        ).decode()
    )


def test_pointers_are_written_as_relations_between_spans():
    her = Place("", ((0, 3),))
    document = Document(
        "walk",
        "",
        "her dog\nran to it",
        [
            Mark(((0, 7),), label="m1", answer=Answer(category="none", note="a|b\nc_[1]")),
            Mark(her.parts),
            Mark(((8, 11),), answer=Answer(category="none", optional=True, unsure=True)),
            Mark(((15, 17),), answer=Answer(category="phrase", pointers=(Place("", ((0, 7),)), her), name="the dog")),
        ],
        [Stretch("sentence", 0, 7), Stretch("sentence", 8, 17)],
        Links.POINTERS,
    )
    assert (
        written(document)
        == file_of("""\
#FORMAT=WebAnno TSV 3.3
#T_SP=webanno.custom.Markable|label|category|uncoded|optional|unsure|note|name
#T_RL=webanno.custom.Coref|type|BT_webanno.custom.Markable


#Text=her dog
1-1,0-3,her,m1[1]|*[2],none[1]|*[2],*[1]|true[2],*[1]|*[2],*[1]|*[2],a\\|b\\nc\\_\\[1\\][1]|*[2],*[1]|*[2],coref|coref,2-3[4_1]|2-3[4_2],
1-2,4-7,dog,m1[1],none[1],*[1],*[1],*[1],a\\|b\\nc\\_\\[1\\][1],*[1],_,_,

#Text=ran to it
2-1,8-11,ran,*[3],none[3],*[3],true[3],true[3],*[3],*[3],_,_,
2-2,12-14,to,_,_,_,_,_,_,_,_,_,
2-3,15-17,it,*[4],phrase[4],*[4],*[4],*[4],*[4],the dog[4],_,_,
""").decode()
    )


def test_a_mark_without_an_index_is_a_span_beside_the_chains():
    text = written(
        Document(
            "walk",
            "",
            "a b",
            [Mark(((0, 1),), answer=ANNA), Mark(((2, 3),), answer=Answer(category="none"))],
            [Stretch("sentence", 0, 3)],
            Links.INDICES,
        )
    )
    assert text.endswith("1-1\t0-1\ta\t_\trefers[1]\t*->1-1\t\n1-2\t2-3\tb\tnone[1]\t_\t_\t\n")


def test_white_space_at_the_edge_of_a_mark_is_a_part_of_the_token_before_it():
    text = written(
        Document(
            "walk",
            "",
            "a b\tc\nd",
            [
                Mark(((1, 4),), answer=Answer(category="x")),
                Mark(((1, 2),), answer=Answer(category="x")),
                Mark(((5, 7),), answer=Answer(category="x")),
            ],
            [Stretch("sentence", 0, 5), Stretch("sentence", 6, 7)],
        )
    )
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


def test_before_the_first_word_a_mark_begins_with_it_and_white_space_is_blanks():
    document = Document(
        "w", "", "\n\ta b", [Mark(((0, 3),), answer=Answer(category="x")), Mark(((0, 2),), answer=Answer(category="x"))]
    )
    kept, [loss] = reduce_document(document, webanno.FORMAT.supported_features)
    assert loss.feature == Feature.LEADING
    assert loss.examples == (r"w: '\n\t'", "w: “\n\ta” (0-3)", "w: “\n\t” (0-2)")
    assert kept.content == "  a b"
    [file] = webanno.write([kept])
    [back] = webanno.read(Bundle.of(file.path, file.data))
    assert back.content == "  a b"
    assert [mark.parts for mark in back.marks] == [((2, 3),)]


@pytest.mark.parametrize("between", ["", "\n", " ", "\n\n", "\n ", " \n", "\t", "\r\n", "\u00a0", "\u2028", "\n  \n"])
def test_white_space_between_and_after_sentences_is_kept(between):
    content = f"a😀{between}b.{between}"
    end = 2 + len(between)
    sentences = [Stretch("sentence", 0, 2), Stretch("sentence", end, end + 2)]
    written(Document("walk", "", content, [Mark(((end, end + 1),), answer=Answer(category="x"))], sentences))


def test_carriage_returns_in_notes_become_line_ends():
    document = Document("walk", "", "a", [Mark(((0, 1),), answer=Answer(category="x", note="a\r\nb\rc"))])
    [file] = webanno.write([document])
    [back] = webanno.read(Bundle.of(file.path, file.data))
    assert back.marks[0].answer.note == "a\nb\nc"


@examples(100)
@given(st.text(st.sampled_from("\\[]|_->;\t\n* x1"), max_size=12))
def test_every_value_is_read_back(value):
    document = Document("walk", "", "a b", [Mark(((0, 3),), answer=Answer(category="x", note=value))])
    [file] = webanno.write([document])
    [back] = webanno.read(Bundle.of(file.path, file.data))
    assert [mark.answer.note for mark in back.marks] == [value]


@examples(100)
@given(st.text(st.sampled_from("\\tnrfb u0041\t\r\n\x0b\x0c\u2028x😀"), max_size=12))
def test_every_text_is_read_back(text):
    document = Document("walk", "", f"a{text}z", [])
    kept, _ = reduce_document(document, webanno.FORMAT.supported_features)
    [file] = webanno.write([kept])
    [back] = webanno.read(Bundle.of(file.path, file.data))
    assert back.content == kept.content


@pytest.mark.parametrize("file", ["gum/GUM_news_iodine.webanno.tsv", "webanno/testSimpleChain.reference.tsv"])
def test_samples_are_written_and_read_back(samples, file):
    document = read((samples / file).read_bytes())
    kept, losses = reduce_document(document, webanno.FORMAT.supported_features)
    assert losses == []
    assert plain_of(kept) == plain_of(document)
    [again] = webanno.write([kept])
    assert plain_of(read(again.data)) == plain_of(document)


def test_the_simple_chain_of_webanno_is_read_exactly(samples):
    document = read((samples / "webanno" / "testSimpleChain.reference.tsv").read_bytes())
    assert document.content == "This is a test ."
    assert indices(document) == [("This", ("1",)), ("is", ("1",)), ("a", ("1",))]
    assert document.marks[0].answer == Answer(indices=("1",))
    assert document.findings == []


def test_chains_of_gum_are_the_entities_of_its_conll_file(samples):
    document = read((samples / "gum" / "GUM_news_iodine.webanno.tsv").read_bytes())
    [other] = conll2012.read(Bundle.of("iodine.conll", (samples / "gum" / "GUM_news_iodine.conll").read_bytes()))
    # The one has its sentences on lines, the other has none.
    assert document.content.replace("\n", " ") == other.content
    assert [mark.parts for mark in document.marks] == [mark.parts for mark in other.marks]
    entities: dict[str, set[Place]] = defaultdict(set)
    for mark in other.marks:
        for index in mark.answer.indices:
            entities[index].add(mark.place)
    chains: dict[str, set[Place]] = defaultdict(set)
    kept, _ = reduce_document(document, conll2012.FORMAT.supported_features)
    for mark in kept.marks:
        for index in mark.answer.indices:
            chains[index].add(mark.place)
    assert sorted(map(sorted, chains.values())) == sorted(sorted(each) for each in entities.values() if len(each) > 1)
    assert len(chains) == 49


def test_gum_says_which_antecedent_and_bridges_by_relations_of_their_own(samples):
    document = read((samples / "gum" / "GUM_news_iodine.webanno.tsv").read_bytes())
    assert len(document.marks) == 312
    assert len(document.segments) == 41
    assert sum(len(mark.answer.pointers) for mark in document.marks) == 163
    found = dict(pointers(document)[:40])
    assert found["February 23 , 2006"] == ["Thursday"]
    assert document.findings == []
    bridging = [(name, len(readings)) for mark in document.marks for name, readings in mark.answer.relations]
    assert {name for name, _ in bridging} == {"bridge:def", "bridge:other"}
    assert sum(number for _, number in bridging) == 20
    assert all({"entity", "infstat"} <= dict(mark.answer.attributes).keys() for mark in document.marks)
    whole = read((samples / "gum" / "GUM_news_iodine.webanno.tsv").read_bytes(), relations="all")
    assert sum(len(mark.answer.pointers) for mark in whole.marks) == 183


def test_a_cataphor_of_gum_points_later(samples):
    document = read((samples / "gum" / "GUM_news_iodine.webanno.tsv").read_bytes())
    later = [mark for mark in document.marks if any(target.parts > mark.parts for target in mark.answer.pointers)]
    assert len(later) == 2


def test_damaged_real_files_give_a_result_or_a_format_error(samples):
    whole = (samples / "gum" / "GUM_news_iodine.webanno.tsv").read_bytes()[:20_000]
    chance = random.Random(33)
    for _ in range(60):
        damaged = bytearray(whole)
        for _ in range(3):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        read_or_refused(bytes(damaged[: chance.randrange(len(damaged))]))


def test_words_that_a_spreadsheet_would_compute_are_kept_as_they_are():
    words_of_text = ["=1+1", "@cmd", "+A1", "-2", "'=x"]
    content = " ".join(words_of_text)
    answer = Answer(indices=("1",), note="=HYPERLINK(1)", name="@anna")
    document = Document("walk", "", content, [Mark(((0, 4),), answer=answer)], links=Links.INDICES)
    [file] = FORMATS["webanno"].write([document])
    rows = [line.split("\t") for line in file.data.decode().splitlines() if line.startswith("1-")]
    assert [row[2] for row in rows] == words_of_text
    [found] = FORMATS["webanno"].read(Bundle.of(file.path, file.data))
    assert found.content == content
    assert [(mark.answer.note, mark.answer.name) for mark in found.marks] == [("=HYPERLINK(1)", "@anna")]
