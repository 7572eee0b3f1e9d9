"""Reading and writing CoNLL-U files with coreference in MISC."""

import re
from dataclasses import replace

import pytest

from annotations.formats import Answer, Bundle, Document, FormatError, Links, Mark, Stretch
from annotations.formats.conll import conll2012, conllu
from annotations.formats.losses.reduction import reduce_document
from annotations.formats.model.features import Feature
from annotations.formats.model.text import LONGEST_INDEX, LONGEST_LABEL, LONGEST_SPEAKER
from tests.shared.documents import plain_of

HEADER = "# global.Entity = eid-etype-head-other\n"


def row(number: str, form: str, misc: str = "_") -> str:
    return "\t".join([number, form, *["_"] * 7, misc]) + "\n"


def rows(*miscs: str) -> str:
    """Return a sentence of the words w1, w2, ... with these last columns; after HEADER the first is in line 2."""
    return "".join(row(str(number), f"w{number}", misc) for number, misc in enumerate(miscs, start=1))


SMALL = (
    "# newdoc id = a/walk\n"
    + HEADER
    + "# sent_id = a\n# speaker = M\n# text = Anna took her dog.\n"
    + row("1", "Anna", "Entity=(e1-person-1)")
    + row("2", "took")
    + row("3", "her", "Entity=(e2-animal-2-giv:new,x(e1-person-1)")
    + row("4", "dog", "Entity=e2)|SpaceAfter=No")
    + row("5", ".")
    + "\n# sent_id = b\n# speaker = Bob B.\n"
    + row("1", "It", "Entity=(e2-animal-1)")
    + row("2", "barked")
    + "\n"
)


def read_all(text: str | bytes, **options: str) -> list[Document]:
    return conllu.read(Bundle.of("dir/walk.conllu", text.encode() if isinstance(text, str) else text), **options)


def read(text: str | bytes, **options: str) -> Document:
    [document] = read_all(text, **options)
    return document


def refused(text: str | bytes) -> FormatError:
    with pytest.raises(FormatError) as caught:
        read_all(text)
    assert caught.value.file == "dir/walk.conllu"
    return caught.value


def words(document: Document, parts: tuple[tuple[int, int], ...]) -> str:
    return " … ".join(document.content[start:end] for start, end in parts)


def chains(document: Document) -> list[tuple[str, tuple[str, ...]]]:
    """Return the words of each markable with its entities."""
    return [(words(document, mark.parts), mark.answer.indices) for mark in document.marks if mark.answer]


def findings(document: Document) -> dict[str, int | None]:
    """Return the code of each finding with its line."""
    return {finding.code: finding.line for finding in document.findings}


def write(document: Document) -> str:
    [file] = conllu.write([document])
    assert file.path == f"{document.name}.conllu"
    return file.data.decode()


def back(document: Document) -> Document:
    """Write the document, read it again and assert that all that the format supports is equal."""
    kept, _ = reduce_document(document, conllu.FORMAT.supported_features)
    found = read_as(kept.name, write(kept))
    assert plain_of(found) == plain_of(kept)
    return found


def read_as(name: str, text: str) -> Document:
    [document] = conllu.read(Bundle.of(f"{name}.conllu", text.encode()))
    return document


def document_of(content: str, *marks: Mark, **others) -> Document:
    return Document("walk", "", content, marks, links=Links.INDICES, **others)


def entity(*indices: str, parts, **others) -> Mark:
    heads = {key: others.pop(key) for key in ("head", "label") if key in others}
    return Mark(tuple(parts), answer=Answer(indices=indices, **others), **heads)


def test_a_file_gives_its_text_with_markables_in_text_order():
    document = read(SMALL)
    assert document.name == "walk"
    assert document.file == "dir/walk.conllu"
    assert document.content == "Anna took her dog. It barked"
    assert document.links == Links.INDICES
    assert chains(document) == [("Anna", ("e1",)), ("her dog", ("e2",)), ("her", ("e1",)), ("It", ("e2",))]
    assert [mark.line for mark in document.marks] == [6, 8, 8, 14]
    assert findings(document) == {"field": 6}


def test_sentences_have_their_speakers():
    assert read(SMALL).segments == [
        Stretch("sentence", 0, 18, speaker="M"),
        Stretch("sentence", 19, 28, speaker="Bob B."),
    ]


def test_a_speaker_is_of_one_sentence_only():
    document = read("# speaker = M\n" + row("1", "Yes") + "\n" + row("1", "No"))
    assert [segment.speaker for segment in document.segments] == ["M", ""]


def test_spaces_are_those_that_the_file_says():
    text = (
        row("1", "a", r"SpacesBefore=\s\t|SpacesAfter=\s\s")
        + row("2", "b", r"SpacesAfter=\r\n\p\\n")
        + row("3", "c", "SpaceAfter=No")
        + row("4", "d", r"SpaceAfter=No|SpacesAfter=\t")
        + row("5", "e f", r"SpacesInToken=e\s\sf|SpacesAfter=\n")
    )
    assert read(text).content == " \ta  b\r\n|\\ncd\te  f\n"


def test_the_last_blank_is_not_of_the_text_unless_it_is_said():
    assert read(row("1", "a")).content == "a"
    assert read(row("1", "a", r"SpacesAfter=\s")).content == "a "


def test_a_paragraph_begins_a_new_line_unless_the_spaces_are_said():
    def text(last: str) -> str:
        return "# newpar\n" + row("1", "a") + "\n" + row("1", "b", last) + "\n# newpar id = 2\n" + row("1", "c")

    assert read(text("_")).content == "a b\nc"
    assert read(text("SpaceAfter=No")).content == "a b\nc"
    assert read(text(r"SpacesAfter=\s\s")).content == "a b  c"
    assert [each for each in read(text("_")).segments if each.kind == "paragraph"] == [
        Stretch("paragraph", 0, 3),
        Stretch("paragraph", 4, 5),
    ]


def test_what_stands_before_the_first_paragraph_is_in_none():
    document = read(row("1", "a") + "\n# newpar\n" + row("1", "b"))
    assert [(each.start, each.end) for each in document.segments if each.kind == "paragraph"] == [(2, 3)]


def test_title_language_and_direction_stand_in_comments():
    comments = "# meta::title = A = B\n# meta::language = he\n# meta::direction = rtl\n"
    document = read("# newdoc\n" + comments + row("1", "a"))
    assert (document.title, document.language, document.direction) == ("A = B", "he", "rtl")


def test_a_language_or_direction_that_is_none_is_passed_over():
    document = read("# meta::language = old (Greek)\n# meta::direction = down\n" + row("1", "a"))
    assert (document.language, document.direction) == ("", "")


def test_of_a_multi_word_token_the_surface_form_is_the_text():
    text = HEADER + row("1", "w") + row("2-3", "won't", "SpaceAfter=No") + row("2", "wo", "SpaceAfter=No")
    document = read(text + row("3", "n't") + row("4", "go"))
    assert document.content == "w won'tgo"


def test_mentions_on_words_that_do_not_make_up_their_multi_word_token_are_on_all_of_it():
    text = HEADER + row("1-2", "zum") + row("1", "zu") + row("2", "dem", "Entity=(e1--1(e2--1")
    document = read(text + row("3", "Hund", "Entity=e2)e1)") + "\n")
    assert chains(document) == [("zum Hund", ("e1", "e2"))]
    assert [words(document, mark.head) for mark in document.marks] == ["zum"]
    assert findings(document) == {"inside-word": 4}


def test_mentions_on_the_words_that_make_up_a_multi_word_token_are_on_these():
    text = HEADER + row("1-3", "d\u00e1melo") + row("1", "d\u00e1") + row("2", "me", "Entity=(e1--1)")
    text += row("2.1", "_", "Entity=(e4--1)")
    document = read(text + row("3", "lo", "Entity=(e2--1(e3--2") + row("4", "ya", "Entity=e2)e3)") + "\n")
    assert document.content == "d\u00e1melo ya"
    assert chains(document) == [("me", ("e1",)), ("lo ya", ("e2", "e3"))]
    assert [words(document, mark.head) for mark in document.marks] == ["me", "lo"]
    assert findings(document) == {"empty-nodes": 5}


def test_a_mention_of_all_words_of_a_multi_word_token_is_nothing_odd():
    document = read(HEADER + row("1-2", "du") + row("1", "de", "Entity=(e1") + row("2", "le", "Entity=e1)"))
    assert chains(document) == [("du", ("e1",))]
    assert document.findings == []


def test_empty_nodes_are_words_of_a_mention_without_characters():
    text = (
        HEADER
        + row("0.1", "_", "Entity=(e1--2")
        + row("1", "a", "Entity=(e2")
        + row("1.1", "_", "Entity=e2)(e3--3")
        + row("1.2", "_", "Entity=(e4)")
        + row("2", "b", "Entity=e1)e3)")
        + row("2.1", "_", "Entity=(e5")
        + "\n"
        + row("0.1", "_", "Entity=e5)")
        + row("1", "c")
    )
    document = read(text)
    assert document.content == "a b c"
    assert chains(document) == [("a b", ("e1",)), ("a", ("e2",)), ("b", ("e3",))]
    assert [words(document, mark.head) for mark in document.marks] == ["a", "", "b"]
    assert findings(document) == {"empty-nodes": 5}
    assert "2 mentions stand on empty nodes alone" in document.findings[0].message


def test_a_head_that_is_an_empty_node_is_left_out():
    document = read(HEADER + row("0.1", "_", "Entity=(e1--1") + row("1", "a", "Entity=e1)"))
    assert document.marks[0].head == ()
    assert findings(document) == {"head-outside": 2}


def test_several_documents_have_the_names_of_the_file():
    text = "# newdoc id = one\n" + HEADER + rows("Entity=(1)") + "\n# newdoc\n" + rows("Entity=(1)")
    found = read_all(text)
    assert [document.name for document in found] == ["one", "walk 2"]
    assert [document.content for document in found] == ["w1", "w1"]
    # The header holds for the documents after it too.
    assert [document.findings for document in found] == [[], []]


def test_each_document_may_have_its_own_order_of_fields():
    header = "# global.Entity = GRP-etype-infstat-salience-centering-minspan-link-identity\n"
    text = (
        "# newdoc id = one\n"
        + HEADER
        + rows("Entity=(e1-person-2", "Entity=e1)")
        + "\n# newdoc id = two\n"
        + header
        + rows("Entity=(1-person-new-sssss-cf1*-1,3-coref-New_York", "_", "Entity=1)")
    )
    one, two = read_all(text, categories="etype")
    assert [(words(one, mark.head), mark.answer.category) for mark in one.marks] == [("w2", "person")]
    assert [(mark.answer.indices, mark.answer.category) for mark in two.marks] == [(("1",), "person")]
    assert words(two, two.marks[0].head) == "w1 … w3"


def test_names_and_closing_brackets_of_early_releases_are_known():
    text = "# global.Entity = entity-GRP-infstat-MIN-coref_type-identity\n"
    document = read(text + rows("Entity=(person-7-new-2-coref", "Entity=person-7)"), categories="etype")
    assert chains(document) == [("w1 w2", ("7",))]
    assert words(document, document.marks[0].head) == "w2"
    assert document.marks[0].answer.category == "person"


def test_without_a_header_the_fields_are_those_of_corefud():
    document = read(rows("_", "Entity=(e1-person-2", "Entity=e1)(e2)"))
    assert words(document, document.marks[0].head) == "w3"
    assert findings(document) == {"no-header": 2, "field": 2}
    assert "eid-etype-head-other" in document.findings[0].fix


def test_a_file_without_entities_needs_no_header():
    assert read(row("1", "a")).findings == []


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_and_a_byte_order_mark_change_nothing(end):
    assert read(b"\xef\xbb\xbf" + SMALL.replace("\n", end).encode()) == read(SMALL)


def test_brackets_follow_each_other_without_a_separator_in_any_order():
    document = read(HEADER + rows("Entity=(1(2", "Entity=(3)1)(4(5)", "Entity=4)(6)2)"))
    assert chains(document) == [
        ("w1 w2 w3", ("2",)),
        ("w1 w2", ("1",)),
        ("w2 w3", ("4",)),
        ("w2", ("3", "5")),
        ("w3", ("6",)),
    ]


def test_an_entity_in_itself_closes_the_inner_one_first():
    document = read(HEADER + rows("Entity=(1--3(1--1", "Entity=1)", "Entity=1)"))
    assert [(words(document, mark.parts), words(document, mark.head)) for mark in document.marks] == [
        ("w1 w2 w3", "w3"),
        ("w1 w2", "w1"),
    ]


def test_mentions_may_cross_others_and_the_ends_of_sentences():
    document = read(HEADER + rows("Entity=(1", "Entity=(2") + "\n" + rows("Entity=1)", "Entity=2)"))
    assert chains(document) == [("w1 w2 w1", ("1",)), ("w2 w1 w2", ("2",))]


def test_a_mention_may_have_gaps():
    text = rows("Entity=(e1[1/3]--3-x", "Entity=e1[1/3])", "_", "Entity=(e1[2/3]--3-x)", "_", "Entity=(e1[3/3]--3-x)")
    document = read(HEADER + text)
    assert chains(document) == [("w1 w2 … w4 … w6", ("e1",))]
    assert words(document, document.marks[0].head) == "w4"
    assert len(document.marks) == 1


def test_parts_that_follow_each_other_are_one():
    document = read(HEADER + rows("Entity=(e1[1/2])", "Entity=(e1[2/2])"))
    assert chains(document) == [("w1 w2", ("e1",))]


def test_parts_may_cross_a_continuous_mention_of_the_same_entity():
    document = read(HEADER + rows("Entity=(1[1/2]", "Entity=(1", "Entity=1[1/2])", "Entity=1)", "_", "Entity=(1[2/2])"))
    assert chains(document) == [("w1 w2 w3 … w6", ("1",)), ("w2 w3 w4", ("1",))]


def test_a_second_mention_in_the_same_place_is_merged_and_told():
    document = read(HEADER + rows("Entity=(1)", "Entity=(2)(3)(2)"))
    assert chains(document) == [("w1", ("1",)), ("w2", ("2", "3"))]
    assert findings(document) == {"duplicate": 3}


@pytest.mark.parametrize("written", ["x&#45;&#40;y&#41;%2C&#128512;", "&#0;", "&#55357;", "&#9999999;", "&#x41;"])
def test_escapes_in_names_are_characters_where_they_can_be(written):
    [mark] = read(HEADER + rows(f"Entity=({written})")).marks
    expected = "x-(y),😀" if written.startswith("x") else written
    assert mark.answer.indices == (expected,)


def test_split_antecedents_are_chains_of_the_first_mention():
    text = rows("Entity=(49)", "Entity=(1)", "Entity=(53)|SplitAnte=49<53,1<53", "Entity=(53)")
    assert chains(read(HEADER + text))[2:] == [("w3", ("53", "49", "1")), ("w4", ("53",))]


def test_split_antecedents_may_come_later_and_stand_at_a_later_mention():
    text = rows("Entity=(3)", "Entity=(3)|SplitAnte=1<3,2<3", "Entity=(1)", "Entity=(2)")
    assert chains(read(HEADER + text))[:2] == [("w1", ("3", "1", "2")), ("w2", ("3",))]


def test_split_antecedents_that_are_nowhere_are_left_out():
    document = read(HEADER + rows("Entity=(1)", "Entity=(2)|SplitAnte=1<2,9<2,1<8,2<2"))
    assert chains(document) == [("w1", ("1",)), ("w2", ("2", "1"))]
    assert findings(document) == {"unknown-entity": 3}
    assert document.findings[0].message.startswith("3 times")


def test_bridging_links_are_relations_to_the_nearest_mention_before_by_their_subtypes():
    text = rows("Entity=(1)", "Bridge=1<2:part,3<2|Entity=(2)", "Entity=(1)", "Bridge=1<3|Entity=(3)", "Entity=(3)")
    first, two, second, three, _ = read(HEADER + text).marks
    assert two.answer.relations == (("bridging", ((three.place,),)), ("part", ((first.place,),)))
    assert three.answer.relations == (("bridging", ((second.place,),)),)


def test_of_two_mentions_of_an_entity_that_begin_at_one_word_only_the_first_has_a_relation_in_a_file():
    other = Mark(parts=((0, 2),), answer=Answer(category="", indices=("1",)))
    part = (("part", ((other.place,),)),)
    longer, shorter = (Mark(parts=((3, end),), answer=Answer(category="", indices=("2",))) for end in (8, 5))
    for with_part in (longer, shorter):
        told = replace(with_part, answer=replace(with_part.answer, relations=part))
        document = document_of("w1 w2 w3", other, *(told if one is with_part else one for one in (longer, shorter)))
        kept, losses = reduce_document(document, conllu.FORMAT.supported_features)
        assert [loss.feature for loss in losses] == ([] if with_part is longer else [Feature.TARGETS])
        assert [mark.answer.relations for mark in back(document).marks if mark.parts == with_part.parts] == [
            part if with_part is longer else ()
        ]
        assert plain_of(read(write(kept))) == plain_of(kept)


def test_bridging_links_to_nothing_are_left_out_and_told():
    document = read(HEADER + rows("Entity=(1)", "Bridge=9<2,2<2,1<8|Entity=(2)"))
    assert findings(document) == {"unknown-bridging": 3}
    assert not any(mark.answer.relations for mark in document.marks)


def test_what_other_says_is_an_answer():
    [mark] = read(HEADER + rows("Entity=(1--1-gender:f,note:so)")).marks
    assert (mark.answer.attributes, mark.answer.note) == ((("gender", "f"),), "so")


def test_entity_types_are_categories_only_if_asked_for():
    text = HEADER + rows("Entity=(1-person-1)", "Entity=(2-_-1)", "Entity=(3--1)", "Entity=(4-art work-1)")
    assert [mark.answer.category for mark in read(text).marks] == ["", "", "", ""]
    assert [mark.answer.category for mark in read(text, categories="etype").marks] == ["person", "", "", "art-work"]


def test_fields_of_mentions_that_are_not_read_are_counted_by_name():
    text = "# global.Entity = GRP-etype-infstat-MIN-link\n" + rows("Entity=(1-person-new-1-ana)(2-place-_-1-_)", "_")
    told = [str(finding).partition(": ")[2] for finding in read(text).findings]
    assert told == [
        "2 values of the field 'etype' (left out; categories=etype reads them)",
        "1 value of the field 'infstat' (left out)",
        "1 value of the field 'link' (left out)",
    ]
    assert all(finding.left_out for finding in read(text).findings)
    assert [finding.message for finding in read(text, categories="etype").findings] == [
        "1 value of the field 'infstat'",
        "1 value of the field 'link'",
    ]


@pytest.mark.parametrize("value", ["4", "0", "x", "1,5", "1,,2", "9" * 30])
def test_a_head_that_is_not_in_its_mention_is_left_out_and_told(value):
    document = read(HEADER + rows(f"Entity=(1--{value}", "_", "Entity=1)"))
    assert document.marks[0].head == ()
    assert findings(document) == {"head-outside": 2}


def test_minspan_in_other_goes_before_the_head():
    document = read(HEADER + rows("Entity=(1--3-x:y,minspan:1%2C3", "_", "Entity=1)(2--1-minspan:_)"))
    assert [words(document, mark.head) for mark in document.marks] == ["w1 … w3", ""]
    assert document.findings == []


def test_other_holds_what_our_own_files_say():
    other = "chain:the&#32;dog,label:m&#45;4,note:why%2C oh: why?,optional,unsure"
    [mark] = read(HEADER + rows(f"Entity=(1--1-{other},minspan:_)")).marks
    assert mark.label == "m-4"
    assert mark.answer == Answer(indices=("1",), optional=True, unsure=True, note="why, oh: why?", name="the dog")


def test_a_label_that_is_too_long_is_left_out():
    document = read(HEADER + rows(f"Entity=(1--1-label:{'x' * (LONGEST_LABEL + 1)})"))
    assert document.marks[0].label == ""
    assert findings(document) == {"long-label": 2}


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "there is no word in this file"),
        ("# text = x\n\n", 1, "there is no word in this file"),
        ("# newdoc id = a\n# newdoc id = b\n" + rows("_"), 1, "this document has no word"),
        (rows("_") + "\n# newdoc id = b\n", 3, "this document has no word"),
        (HEADER + row("0.1", "_", "Entity=(1)"), 2, "this document has no word"),
        (rows("_") + "# newdoc id = b\n" + rows("_"), 2, "a document begins inside a sentence"),
        ("# newdoc id = b\n" + rows("_") + "\n# newdoc id = b\n" + rows("_"), 4, "b appears twice (also in line 1)"),
        ("# newdoc id = " + "x" * (LONGEST_INDEX + 1) + "\n" + rows("_"), 1, "a document's name has more than 200"),
        ("# speaker = " + "x" * (LONGEST_SPEAKER + 1) + "\n" + rows("_"), 1, "a speaker's name has more than 100"),
        ("# global.Entity = head-other\n" + rows("_"), 1, "names neither an entity (eid or GRP) nor a type (etype)"),
        ("1\tw\n", 1, "10 columns parted by tabs, this one has 2"),
        ("1 w _ _ _ _ _ _ _ _\n", 1, "10 columns parted by tabs, this one has 1"),
        (row("x", "w"), 1, "the first column is no number of a word: 'x'"),
        (row("1-", "w"), 1, "the first column is no number of a word"),
        (row("٣", "w"), 1, "the first column is no number of a word"),
        (row("9" * 5000, "w"), 1, "the first column is no number of a word"),
        (rows("_") + row("3", "w"), 2, "this is word 3, but word 2 comes next"),
        (rows("_") + rows("_"), 2, "this is word 1, but word 2 comes next"),
        (row("1", " "), 1, "the form of this word is empty"),
        (row("1", "w", "SpacesInToken="), 1, "the form of this word is empty"),
        (row("1-2", "ab") + row("1", "a") + "\n", 1, "the sentence ends inside this multi-word token"),
        (row("1-2", "ab") + row("1", "a"), 1, "the sentence ends inside this multi-word token"),
        (row("1-2", "ab") + row("2-3", "a"), 2, "a multi-word token 2-3 cannot stand after word 0"),
        (row("1-3", "ab") + row("1", "a") + row("2-3", "b"), 3, "a multi-word token 2-3 cannot stand after word 1"),
        (row("2-1", "ab"), 1, "a multi-word token 2-1 cannot stand after word 0"),
        (row("1-2", "ab", "Entity=(1)"), 1, "a multi-word token has no entities of its own"),
        (HEADER + rows("Entity=(1", "_"), 2, "the bracket (1 is never closed"),
        (HEADER + rows("Entity=(1", "Entity=(1", "Entity=1)"), 2, "the bracket (1 is never closed"),
        (HEADER + rows("Entity=(1") + "\n# newdoc\n" + rows("Entity=1)"), 2, "the bracket (1 is never closed"),
        (HEADER + rows("_", "Entity=1)"), 3, "the bracket 1) closes nothing"),
        (HEADER + rows("Entity=(1)1)"), 2, "the bracket 1) closes nothing"),
        (HEADER + rows("Entity=(1[1/2]", "Entity=1)"), 3, "the bracket 1) closes nothing"),
        (HEADER + rows("Entity="), 2, "these are not the brackets of entities: ''"),
        (HEADER + rows("Entity=_"), 2, "these are not the brackets of entities: '_'"),
        (HEADER + rows("Entity=()"), 2, "these are not the brackets of entities"),
        (HEADER + rows("Entity=(1)x"), 2, "these are not the brackets of entities: 'x'"),
        (HEADER + rows("Entity=(-person-1)"), 2, "a bracket opens without the name of an entity"),
        ("# global.Entity = etype-eid\n" + rows("Entity=(1)"), 2, "a bracket opens without the name of an entity"),
        (HEADER + rows(f"Entity=({'x' * (LONGEST_INDEX + 1)})"), 2, "an entity's name has more than 200"),
        (HEADER + rows("Entity=(1[1/2])"), 2, "only 1 of 2 parts of 1 are there"),
        (HEADER + rows("Entity=(1[2/2])"), 2, "part 2 of 2 of 1 comes without the part before it"),
        (HEADER + rows("Entity=(1[1/3])", "Entity=(1[3/3])"), 3, "part 3 of 3 of 1 comes without the part before it"),
        (HEADER + rows("Entity=(1[0/2])"), 2, "there is no part 0 of 2"),
        (HEADER + rows("Entity=(1[3/2])"), 2, "there is no part 3 of 2"),
        (HEADER + rows("Entity=(1)|Entity=(2)"), 2, "Entity appears twice in the last column"),
        (HEADER + rows("Entity=(1)|SplitAnte=1"), 2, "this is not ANTECEDENT<ANAPHOR: '1'"),
        (HEADER + rows("Entity=(1)|SplitAnte=2<1,"), 2, "this is not ANTECEDENT<ANAPHOR: ''"),
    ],
)
def test_an_error_names_file_and_line(text, line, message):
    error = refused(text)
    assert message in error.message
    assert error.line == line
    assert str(error).startswith(f"dir/walk.conllu:{line}: ")
    assert len(str(error)) < 300


def test_bytes_that_are_not_utf_8_are_named_with_line_and_column():
    error = refused(SMALL.encode().replace(b"\ttook", b"\tt\xffok"))
    assert (error.line, error.column) == (7, 4)


def test_utf_16_and_nul_are_refused():
    assert refused(SMALL.encode("utf-16")).line == 1
    error = refused(SMALL.replace("\ttook", "\tt\0ok"))
    assert (error.line, error.column) == (7, 4)


def test_a_file_cut_anywhere_is_read_or_refused():
    lines = set()
    for length in range(len(SMALL)):
        try:
            assert read_all(SMALL[:length])
        except FormatError as error:
            lines.add(error.line)
    assert lines == {1, 2, 6, 7, 8, 9, 10, 14, 15}


@pytest.mark.parametrize(
    "cell",
    [
        "(" * 10**6,
        "x" * 10**6,
        "(" + "-" * 10**6 + ")",
        "(" + "[" * 10**6 + "]",
        "(" + "[1/" * 300_000 + "]",
        "(" + "&#45;" * 200_000 + ")",
        "(1" * 20_000,
    ],
    ids=["openings", "letters", "hyphens", "brackets", "parts", "escapes", "never closed"],
)
def test_a_megabyte_in_one_column_is_refused_at_once(cell):
    error = refused(HEADER + rows("Entity=" + cell))
    assert error.line == 2
    assert len(str(error)) < 300


@pytest.mark.slow
def test_many_markables_are_read_without_going_over_them_again_and_again():
    number = 20_000
    in_one_place = read(HEADER + rows("Entity=" + "".join(f"({index})" for index in range(number))))
    assert len(in_one_place.marks[0].answer.indices) == number
    nested = read(HEADER + rows(*["Entity=(1"] * 5_000, *["Entity=1)"] * 5_000))
    assert len(nested.marks) == 5_000
    empty = "".join(row(f"1.{node}", "_", "Entity=(1") for node in range(5_000))
    rest = "".join(row(str(word), "w", "Entity=1)") for word in range(2, 5_002))
    assert len(read(HEADER + row("1", "w") + empty + rest).marks) == 5_000


WALK = document_of(
    "Anna and Bob met.\n\nThey (both) sang.",
    entity("Anna & Bob", parts=[(0, 12)], head=((0, 4), (9, 12)), note="a, b-c"),
    entity("1", parts=[(0, 4)]),
    entity("2", parts=[(9, 12)]),
    entity("3", "1", "2", parts=[(19, 23)], head=((19, 23),), unsure=True),
    entity("4", "3", parts=[(31, 35)], optional=True),
    segments=[Stretch("sentence", 0, 17, speaker="M"), Stretch("sentence", 19, 36)],
    title="A walk",
)
WRITTEN = """\
# newdoc id = walk
# global.Entity = eid-etype-head-other
# meta::title = A walk
# sent_id = walk-1
# speaker = M
# text = Anna and Bob met.
1\tAnna\t_\t_\t_\t_\t_\t_\t_\tEntity=(Anna&#32;&#38;&#32;Bob--1-minspan:1%2C3,note:a%2C&#32;b&#45;c(1)
2\tand\t_\t_\t_\t_\t_\t_\t_\t_
3\tBob\t_\t_\t_\t_\t_\t_\t_\tEntity=(2)Anna&#32;&#38;&#32;Bob)
4\tmet.\t_\t_\t_\t_\t_\t_\t_\tSpacesAfter=\\n\\n

# sent_id = walk-2
# text = They (both) sang.
1\tThey\t_\t_\t_\t_\t_\t_\t_\tEntity=(3--1-unsure)|SplitAnte=1<3,2<3
2\t(both)\t_\t_\t_\t_\t_\t_\t_\t_
3\tsang\t_\t_\t_\t_\t_\t_\t_\tEntity=(4--1-minspan:_,optional)(3--1-minspan:_,optional)|SpaceAfter=No
4\t.\t_\t_\t_\t_\t_\t_\t_\t_

"""


def test_the_bytes_of_a_small_document():
    assert write(WALK) == WRITTEN
    back(WALK)


def test_a_mention_with_a_gap_is_written_in_parts_with_the_same_fields():
    mark = entity("1", parts=[(0, 3), (6, 7)], head=((2, 3),))
    cells = [line.split("\t")[9] for line in write(document_of("a b c d", mark)).splitlines() if line[:1].isdigit()]
    assert cells == ["Entity=(1[1/2]--2", "Entity=1[1/2])", "_", "Entity=(1[2/2]--2)"]


def test_what_closes_stands_before_what_opens_and_single_words_between_or_after():
    marks = [entity("1", parts=[(0, 3)]), entity("2", parts=[(2, 5)]), entity("3", parts=[(2, 3)])]
    marks += [entity("4", parts=[(2, 7)]), entity("5", parts=[(4, 5)])]
    cells = [line.split("\t")[9] for line in write(document_of("a b c d", *marks)).splitlines() if line[:1].isdigit()]
    assert cells == ["Entity=(1", "Entity=1)(4(2(3)", "Entity=(5)2)", "Entity=4)"]


@pytest.mark.parametrize(
    "marks",
    [
        [entity("1", parts=[(0, 1)]), entity("2", "1", parts=[(2, 3)])],
        [entity("1", "2", "3", parts=[(0, 1)])],
        [entity("1", parts=[(0, 1)]), entity("1", "2", "3", parts=[(2, 3)])],
        [entity("1", "2", "3", parts=[(0, 1)]), entity("1", "2", "3", parts=[(2, 3)])],
    ],
    ids=["one antecedent", "nothing before", "two new ones", "no new one"],
)
def test_what_is_no_split_antecedent_is_several_mentions_in_one_place(marks):
    document = document_of("a b c", *marks)
    assert "SplitAnte" not in write(document)
    assert chains(back(document)) == chains(document)


def test_split_antecedents_of_split_antecedents_are_read_back():
    marks = [entity("1", parts=[(0, 1)]), entity("2", parts=[(2, 3)]), entity("3", "1", "2", parts=[(4, 5)])]
    marks += [entity("4", "3", "1", parts=[(6, 7)]), entity("3", "4", parts=[(8, 9)])]
    document = document_of("a b c d e", *marks)
    assert write(document).count("SplitAnte=") == 2
    back(document)


@pytest.mark.parametrize("name", ["a-b", "(z)", "x|y", "=1", "1[1/2]", "&#45;", "%2C", "a<b,c", "\u00a0", "_", "é:;"])
def test_any_name_of_an_entity_is_written_so_that_it_is_read_back(name):
    document = document_of("a b c d", entity(name, parts=[(0, 3)]), entity(name, parts=[(0, 1), (4, 5)]))
    cells = [line.split("\t")[9] for line in write(document).splitlines() if line[:1].isdigit()]
    assert not any(re.search(r"[\s<]|\|(?!Spa)", cell) for cell in cells)
    back(document)


CROSSED = [
    [[(0, 5), (12, 13)], [(2, 7), (10, 11)]],
    [[(0, 3), (10, 15)], [(4, 7), (12, 15)]],
    [[(0, 1), (6, 7), (14, 15)], [(2, 3), (8, 9), (12, 13)]],
    [[(0, 1), (14, 15)], [(2, 3), (12, 13)], [(4, 5), (10, 11)]],
    [[(0, 7), (14, 15)], [(2, 9)]],
]


@pytest.mark.parametrize("mentions", CROSSED)
def test_mentions_with_gaps_in_each_other_are_told_apart(mentions):
    document = document_of("a b c d e f g h", *(entity("1", parts=parts) for parts in mentions))
    found = read_as("walk", write(document))
    assert plain_of(found).marks == plain_of(document).marks


@pytest.mark.parametrize("spaces", ["", " ", "  ", "\n", "\t\r\n", "\u00a0", "\u2028", "\x0b\x0c\x1c\x85", " \\|"])
def test_any_spaces_are_kept(spaces):
    for content in (f"a{spaces}b", f"{spaces}a b", f"a b{spaces}"):
        if content.split():
            mark = entity("1", parts=[(content.index("b"), content.index("b") + 1)])
            kept, _ = reduce_document(document_of(content, mark), conllu.FORMAT.supported_features)
            assert kept.content == content
            back(kept)


def test_control_characters_are_kept():
    back(document_of("a\x01\x7f b", entity("1", parts=[(0, 3)])))


def test_white_space_at_the_edges_of_markables_and_least_words_is_trimmed_and_reported():
    marks = [
        entity("1", "2", parts=[(1, 4)], head=((1, 3),)),
        entity("1", parts=[(4, 7), (9, 10)], head=((9, 10),)),
        entity("2", parts=[(10, 12)], head=((10, 12),)),
    ]
    document = document_of("a b  c d  e ", *marks, segments=[Stretch("sentence", 0, 11)])
    kept, losses = reduce_document(document, conllu.FORMAT.supported_features)
    assert [(loss.feature, loss.count) for loss in losses] == [(Feature.EDGES, 3)]
    found = back(kept)
    assert [(mark.parts, mark.head) for mark in found.marks] == [
        (((2, 3),), ((2, 3),)),
        (((5, 6),), ()),
        (((10, 11),), ((10, 11),)),
    ]
    assert "chars" not in write(kept)


def test_characters_that_earlier_versions_wrote_are_passed_over():
    document = read(HEADER + rows("Entity=(1--1-chars:0_1,minchars:0_1", "Entity=1)"))
    assert (document.marks[0].parts, document.marks[0].head) == (((0, 5),), ((0, 2),))
    assert findings(document) == {}


def test_least_words_outside_their_markable_are_not_written():
    document = document_of("a b c", entity("1", parts=[(2, 5)], head=((0, 3),)))
    assert read_as("walk", write(document)).marks[0].head == ((2, 3),)
    document = document_of("a b c", entity("1", parts=[(2, 5)], head=((0, 1),)))
    assert read_as("walk", write(document)).marks[0].head == ()


def test_the_spaces_of_a_title_and_a_speaker_stay_in_one_line():
    document = document_of("a", segments=[Stretch("sentence", 0, 1, speaker="M\n1\tx")], title="T\n\nU")
    found = read_as("walk", write(document))
    assert (found.title, found.segments[0].speaker) == ("T U", "M 1 x")


def test_every_line_has_ten_columns_or_is_a_comment_or_empty():
    for line in WRITTEN.splitlines():
        assert not line or line.startswith("# ") or line.count("\t") == 9


@pytest.fixture
def iodine(samples) -> tuple[str, Document]:
    file = samples / "gum" / "GUM_news_iodine.conllu"
    [document] = conllu.read(Bundle.of(file.name, file.read_bytes()))
    return file.read_text(), document


def test_gum_is_read_to_the_text_that_its_comments_give(iodine):
    text, document = iodine
    sentences = [each for each in document.segments if each.kind == "sentence"]
    assert [document.content[each.start : each.end] for each in sentences] == re.findall(r"# text = (.*)", text)
    assert document.content.count("\n") + 1 == len(re.findall(r"^# newpar$", text, re.M)) == 17
    assert document.title == "Australian children suffering from iodine deficiency"


def test_gum_is_read_with_every_mention_and_its_least_words(iodine):
    text, document = iodine
    cells = re.findall(r"\bEntity=([^|\n]*)", text)
    assert sum(len(mark.answer.indices) for mark in document.marks) == sum(cell.count("(") for cell in cells) == 312
    assert [(words(document, mark.parts), words(document, mark.head), *mark.answer.indices) for mark in
            document.marks[:6]] == [
        ("Australian children", "children", "1"),
        ("iodine deficiency", "deficiency", "2"),
        ("iodine", "iodine", "3"),
        ("Thursday", "Thursday", "4"),
        ("February 23, 2006", "23", "4"),
        ("2006", "2006", "5"),
    ]  # fmt: skip
    assert all(mark.head for mark in document.marks)
    assert findings(document) == {"field": 28}
    assert sum(len(readings) for mark in document.marks for _, readings in mark.answer.relations) == 20


def test_gum_has_the_chains_of_its_conll_file(iodine, samples):
    """That file has one line a word too, so the mentions of each entity must begin in the same order."""
    file = samples / "gum" / "GUM_news_iodine.conll"
    [other] = conll2012.read(Bundle.of(file.name, file.read_bytes()))
    theirs = [index.split("-")[1] for mark in other.marks for index in mark.answer.indices]
    ours = [index for mark in iodine[1].marks for index in mark.answer.indices]
    assert sorted(ours) == sorted(theirs)


def test_gum_is_written_and_read_back(iodine):
    kept, losses = reduce_document(iodine[1], conllu.FORMAT.supported_features)
    assert {loss.feature: loss.count for loss in losses} == {Feature.SEGMENTS: 17}
    found = back(replace(kept, name="iodine"))
    assert [mark.parts for mark in found.marks] == [mark.parts for mark in iodine[1].marks]


STANDARD_COLUMNS = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC"


@pytest.mark.parametrize("separator", ["\t", "   "])
def test_the_exploded_form_of_universal_anaphora_is_refused_by_its_name(separator):
    cells = ["1", "Anna", *"_" * 8, "(EntityID=1|MarkableID=markable_1|Min=1)", "_"]
    error = refused(f"# global.columns = {STANDARD_COLUMNS} IDENTITY BRIDGING\n{separator.join(cells)}\n\n")
    assert error.line == 2
    assert "the further columns IDENTITY BRIDGING, as the exploded form of Universal Anaphora" in error.message


@pytest.mark.parametrize("columns", [STANDARD_COLUMNS, f"{STANDARD_COLUMNS} IDENTITY"])
def test_ten_columns_are_read_whatever_columns_are_named(columns):
    lines = "1\tAnna\t_\t_\t_\t_\t_\t_\t_\tEntity=(e1)\n\n"
    assert read(f"# global.columns = {columns}\n{lines}").content == "Anna"
