"""Reading and writing CoNLL-U files with coreference in MISC."""

import re
from dataclasses import replace

import pytest

from annotations.formats import Answer, Bundle, Document, FormatError, Links, Mark, Stretch
from annotations.formats.conll import conll2012, conllu
from annotations.formats.losses.reduction import reduce_document
from annotations.formats.model.features import Feature
from annotations.formats.model.text import MAX_INDEX_LENGTH, MAX_LABEL_LENGTH, MAX_SPEAKER_LENGTH
from tests.shared.documents import plain_of

HEADER = "# global.Entity = eid-etype-head-other\n"


def row(number: str, form: str, misc: str = "_") -> str:
    return "\t".join([number, form, *["_"] * 7, misc]) + "\n"


def rows(*miscs: str) -> str:
    """Return a sentence of the words w1, w2, ... with these last columns; after HEADER the first is in line 2."""
    return "".join(row(str(number), f"w{number}", misc) for number, misc in enumerate(miscs, start=1))


def sentence(*lines: str) -> str:
    """Return a sentence after the header. Each line has number, form and optional last column."""
    return HEADER + "".join(row(*line.split(" ")) for line in lines) + "\n"


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


def read_back(document: Document) -> Document:
    """Write and read the document, and assert that all supported features are equal."""
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


def test_text_markables_and_sentences_are_read():
    document = read(SMALL)
    assert (document.name, document.file) == ("walk", "dir/walk.conllu")
    assert (document.content, document.links) == ("Anna took her dog. It barked", Links.INDICES)
    assert chains(document) == [("Anna", ("e1",)), ("her dog", ("e2",)), ("her", ("e1",)), ("It", ("e2",))]
    assert [mark.line for mark in document.marks] == [6, 8, 8, 14]
    assert findings(document) == {"field": 6}
    assert document.segments == [Stretch("sentence", 0, 18, "", "M"), Stretch("sentence", 19, 28, "", "Bob B.")]
    said = read("# speaker = M\n" + row("1", "Yes") + "\n" + row("1", "No"))
    assert [segment.speaker for segment in said.segments] == ["M", ""]


def test_spaces_are_read_from_file():
    text = (
        row("1", "a", r"SpacesBefore=\s\t|SpacesAfter=\s\s")
        + row("2", "b", r"SpacesAfter=\r\n\p\\n")
        + row("3", "c", "SpaceAfter=No")
        + row("4", "d", r"SpaceAfter=No|SpacesAfter=\t")
        + row("5", "e f", r"SpacesInToken=e\s\sf|SpacesAfter=\n")
    )
    assert read(text).content == " \ta  b\r\n|\\ncd\te  f\n"
    document = read(row("1", "a"))
    assert (document.content, document.findings) == ("a", [])
    assert read(row("1", "a", r"SpacesAfter=\s")).content == "a "


def test_paragraph_begins_new_line_unless_spaces_are_given():
    def text(last: str) -> str:
        return "# newpar\n" + row("1", "a") + "\n" + row("1", "b", last) + "\n# newpar id = 2\n" + row("1", "c")

    def paragraphs(document):
        return [(each.start, each.end) for each in document.segments if each.kind == "paragraph"]

    found = [read(text(each)).content for each in ("_", "SpaceAfter=No", r"SpacesAfter=\s\s")]
    assert found == ["a b\nc", "a b\nc", "a b  c"]
    assert paragraphs(read(text("_"))) == [(0, 3), (4, 5)]
    assert paragraphs(read(row("1", "a") + "\n# newpar\n" + row("1", "b"))) == [(2, 3)]


@pytest.mark.parametrize(("language", "direction"), [("he", "rtl"), ("old (Greek)", "down")])
def test_title_language_and_direction_are_read_from_comments(language, direction):
    comments = f"# meta::title = A = B\n# meta::language = {language}\n# meta::direction = {direction}\n"
    document = read("# newdoc\n" + comments + row("1", "a"))
    assert (document.title, document.language, document.direction) in [("A = B", "he", "rtl"), ("A = B", "", "")]
    assert bool(document.language) == (language == "he")


def test_multi_word_token_is_read_with_surface_form():
    document = read(sentence("1 w", "2-3 won't SpaceAfter=No", "2 wo SpaceAfter=No", "3 n't", "4 go"))
    assert document.content == "w won'tgo"


def test_mention_in_fused_token_covers_token():
    document = read(sentence("1-2 zum", "1 zu", "2 dem Entity=(e1--1(e2--1", "3 Hund Entity=e2)e1)"))
    assert chains(document) == [("zum Hund", ("e1", "e2"))]
    assert [words(document, mark.head) for mark in document.marks] == ["zum"]
    assert findings(document) == {"inside-word": 4}
    document = read(sentence("1-2 du", "1 de Entity=(e1", "2 le Entity=e1)"))
    assert (chains(document), document.findings) == ([("du", ("e1",))], [])


def test_mentions_cover_words_that_spell_token():
    lines = ["1-3 dámelo", "1 dá", "2 me Entity=(e1--1)", "2.1 _ Entity=(e4--1)", "3 lo Entity=(e2--1(e3--2"]
    document = read(sentence(*lines, "4 ya Entity=e2)e3)"))
    assert document.content == "d\u00e1melo ya"
    assert chains(document) == [("me", ("e1",)), ("lo ya", ("e2", "e3"))]
    assert [words(document, mark.head) for mark in document.marks] == ["me", "lo"]
    assert findings(document) == {"empty-nodes": 5}


def test_empty_nodes_of_mention_have_no_characters():
    lines = [
        "0.1 _ Entity=(e1--2",
        "1 a Entity=(e2",
        "1.1 _ Entity=e2)(e3--3",
        "1.2 _ Entity=(e4)",
        "2 b Entity=e1)e3)",
    ]
    text = sentence(*lines, "2.1 _ Entity=(e5") + row("0.1", "_", "Entity=e5)") + row("1", "c")
    document = read(text)
    assert document.content == "a b c"
    assert chains(document) == [("a b", ("e1",)), ("a", ("e2",)), ("b", ("e3",))]
    assert [words(document, mark.head) for mark in document.marks] == ["a", "", "b"]
    assert findings(document) == {"empty-nodes": 5}
    assert document.findings[0].message.startswith("2 mentions")


def test_head_on_empty_node_is_left_out():
    document = read(sentence("0.1 _ Entity=(e1--1", "1 a Entity=e1)"))
    assert (document.marks[0].head, findings(document)) == ((), {"head-outside": 2})


def test_unnamed_documents_are_named_after_file():
    found = read_all("# newdoc id = one\n" + HEADER + rows("Entity=(1)") + "\n# newdoc\n" + rows("Entity=(1)"))
    # The header holds for the documents after it too.
    assert [(each.name, each.content, each.findings) for each in found] == [("one", "w1", []), ("walk 2", "w1", [])]


def test_documents_may_have_different_orders_of_fields():
    header = "# newdoc id = two\n# global.Entity = GRP-etype-infstat-salience-centering-minspan-link-identity\n"
    text = "# newdoc id = one\n" + HEADER + rows("Entity=(e1-person-2", "Entity=e1)") + "\n" + header
    two_rows = rows("Entity=(1-person-new-sssss-cf1*-1,3-coref-New_York", "_", "Entity=1)")
    one, two = read_all(text + two_rows, categories="etype")
    assert [(words(one, mark.head), mark.answer.category) for mark in one.marks] == [("w2", "person")]
    assert [(mark.answer.indices, mark.answer.category) for mark in two.marks] == [(("1",), "person")]
    assert words(two, two.marks[0].head) == "w1 … w3"


def test_fields_and_brackets_of_early_releases_are_read():
    text = "# global.Entity = entity-GRP-infstat-MIN-coref_type-identity\n"
    document = read(text + rows("Entity=(person-7-new-2-coref", "Entity=person-7)"), categories="etype")
    assert chains(document) == [("w1 w2", ("7",))]
    assert (words(document, document.marks[0].head), document.marks[0].answer.category) == ("w2", "person")


def test_files_without_header_have_fields_of_corefud():
    document = read(rows("_", "Entity=(e1-person-2", "Entity=e1)(e2)"))
    assert words(document, document.marks[0].head) == "w3"
    assert findings(document) == {"no-header": 2, "field": 2}


@pytest.mark.parametrize(
    ("brackets", "expected", "told"),
    [
        ("(1(2 (3)1)(4(5) 4)(6)2)", "w1 w2 w3=2, w1 w2=1, w2 w3=4, w2=3|5, w3=6", {}),
        ("(1--3(1--1 1) 1)", "w1 w2 w3=1 w3, w1 w2=1 w1", {}),
        ("(1 (2 / 1) 2)", "w1 w2 w1=1, w2 w1 w2=2", {}),
        ("(e1[1/3]--3-x e1[1/3]) _ (e1[2/3]--3-x) _ (e1[3/3]--3-x)", "w1 w2 … w4 … w6=e1 w4", {}),
        ("(e1[1/2]) (e1[2/2])", "w1 w2=e1", {}),
        ("(1[1/2] (1 1[1/2]) 1) _ (1[2/2])", "w1 w2 w3 … w6=1, w2 w3 w4=1", {}),
        ("(1) (2)(3)(2)", "w1=1, w2=2|3", {"duplicate": 3}),
        ("(1--3-x:y,minspan:1%2C3 _ 1)(2--1-minspan:_)", "w1 w2 w3=1 w1 … w3, w3=2", {}),
        ("(1--1-chars:0_1,minchars:0_1 1)", "w1 w2=1 w1", {}),
        (f"(1--1-label:{'x' * (MAX_LABEL_LENGTH + 1)})", "w1=1 w1", {"long-label": 2}),
        *((f"(1--{head} _ 1)", "w1 w2 w3=1", {"head-outside": 2}) for head in ("4", "0", "x", "1,5", "1,,2", "9" * 30)),
    ],
)
def test_brackets_nest_cross_and_have_gaps_and_heads(brackets, expected, told):
    sentences = [
        rows(*(f"Entity={cell}" if cell != "_" else cell for cell in each.split())) for each in brackets.split(" / ")
    ]
    document = read(HEADER + "\n".join(sentences))
    found = [
        f"{words(document, mark.parts)}={'|'.join(mark.answer.indices)} {words(document, mark.head)}".rstrip()
        for mark in document.marks
    ]
    assert (", ".join(found), findings(document)) == (expected, told)
    assert not any(mark.label for mark in document.marks)


@pytest.mark.parametrize("written", ["x&#45;&#40;y&#41;%2C&#128512;", "&#0;", "&#55357;", "&#9999999;", "&#x41;"])
def test_valid_escapes_in_names_are_decoded(written):
    [mark] = read(HEADER + rows(f"Entity=({written})")).marks
    expected = "x-(y),😀" if written.startswith("x") else written
    assert mark.answer.indices == (expected,)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ("(49) (1) (53)|SplitAnte=49<53,1<53 (53)", ["49", "1", "53|49|1", "53"]),
        ("(3) (3)|SplitAnte=1<3,2<3 (1) (2)", ["3|1|2", "3", "1", "2"]),
    ],
)
def test_first_mention_has_chains_of_split_antecedents(cells, expected):
    document = read(HEADER + rows(*(f"Entity={cell}" for cell in cells.split())))
    assert ["|".join(found) for _, found in chains(document)] == expected


def test_unknown_split_antecedents_are_left_out():
    document = read(HEADER + rows("Entity=(1)", "Entity=(2)|SplitAnte=1<2,9<2,1<8,2<2"))
    assert chains(document) == [("w1", ("1",)), ("w2", ("2", "1"))]
    assert findings(document) == {"unknown-entity": 3}
    assert document.findings[0].message.startswith("3 times")


def test_bridging_links_point_to_nearest_earlier_mention():
    text = rows("Entity=(1)", "Bridge=1<2:part,3<2|Entity=(2)", "Entity=(1)", "Bridge=1<3|Entity=(3)", "Entity=(3)")
    first, two, second, three, _ = read(HEADER + text).marks
    assert two.answer.relations == (("bridging", ((three.place,),)), ("part", ((first.place,),)))
    assert three.answer.relations == (("bridging", ((second.place,),)),)
    document = read(HEADER + rows("Entity=(1)", "Bridge=9<2,2<2,1<8|Entity=(2)"))
    assert findings(document) == {"unknown-bridging": 3}
    assert not any(mark.answer.relations for mark in document.marks)


def test_only_first_mention_at_word_has_relations():
    other = Mark(parts=((0, 2),), answer=Answer(category="", indices=("1",)))
    part = (("part", ((other.place,),)),)
    longer, shorter = (Mark(parts=((3, end),), answer=Answer(category="", indices=("2",))) for end in (8, 5))
    for with_part, lost in ((longer, []), (shorter, [Feature.TARGETS])):
        told = replace(with_part, answer=replace(with_part.answer, relations=part))
        document = document_of("w1 w2 w3", other, *(told if mark is with_part else mark for mark in (longer, shorter)))
        _, losses = reduce_document(document, conllu.FORMAT.supported_features)
        assert [loss.feature for loss in losses] == lost
        [found] = [mark.answer.relations for mark in read_back(document).marks if mark.parts == with_part.parts]
        assert found == (() if lost else part)


def test_option_reads_entity_types_as_categories():
    text = HEADER + rows("Entity=(1-person-1)", "Entity=(2-_-1)", "Entity=(3--1)", "Entity=(4-art work-1)")
    assert [mark.answer.category for mark in read(text).marks] == ["", "", "", ""]
    assert [mark.answer.category for mark in read(text, categories="etype").marks] == ["person", "", "", "art-work"]


def test_ignored_fields_of_mentions_are_counted():
    text = "# global.Entity = GRP-etype-infstat-MIN-link\n" + rows("Entity=(1-person-new-1-ana)(2-place-_-1-_)", "_")
    told = read(text).findings
    counts = {"etype": "2 values", "infstat": "1 value", "link": "1 value"}
    assert [each.message for each in told] == [f"{count} of the field {field!r}" for field, count in counts.items()]
    assert all(finding.left_out for finding in told)
    assert len(read(text, categories="etype").findings) == 2


def test_field_other_holds_labels_notes_and_attributes():
    other = "chain:the&#32;dog,label:m&#45;4,note:why%2C oh: why?,optional,unsure,gender:f"
    [mark] = read(HEADER + rows(f"Entity=(1--1-{other},minspan:_)")).marks
    assert mark.label == "m-4"
    said = {"optional": True, "unsure": True, "note": "why, oh: why?", "name": "the dog"}
    assert mark.answer == Answer(indices=("1",), attributes=(("gender", "f"),), **said)


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
        ("# newdoc id = " + "x" * (MAX_INDEX_LENGTH + 1) + "\n" + rows("_"), 1, "a document's name has more than 200"),
        ("# speaker = " + "x" * (MAX_SPEAKER_LENGTH + 1) + "\n" + rows("_"), 1, "a speaker's name has more than 100"),
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
        (HEADER + rows(f"Entity=({'x' * (MAX_INDEX_LENGTH + 1)})"), 2, "an entity's name has more than 200"),
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
def test_error_names_file_and_line(text, line, message):
    error = refused(text)
    assert message in error.message
    assert str(error).startswith(f"dir/walk.conllu:{line}: ")
    assert len(str(error)) < 300


@pytest.mark.parametrize("cell", ["(", "x", "(-", "([", "([1/", "(&#45;", "(1"])
def test_long_column_is_refused(cell):
    error = refused(HEADER + rows(f"Entity=({cell[1:] * 200_000 if cell[1:] else cell * 10**6}"))
    assert error.line == 2
    assert len(str(error)) < 300


@pytest.mark.slow
def test_thousands_of_markables_are_read():
    in_one_place = read(HEADER + rows("Entity=" + "".join(f"({index})" for index in range(20_000))))
    assert len(in_one_place.marks[0].answer.indices) == 20_000
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


def test_small_document_is_written_as_expected():
    assert write(WALK) == WRITTEN
    read_back(WALK)


def cells(*marks: Mark) -> list[str]:
    """Return the last column of each word of "a b c d" with these markables."""
    return [line.split("\t")[9] for line in write(document_of("a b c d", *marks)).splitlines() if line[:1].isdigit()]


def test_mention_with_a_gap_is_written_in_parts():
    mark = entity("1", parts=[(0, 3), (6, 7)], head=((2, 3),))
    assert cells(mark) == ["Entity=(1[1/2]--2", "Entity=1[1/2])", "_", "Entity=(1[2/2]--2)"]


def test_closing_brackets_are_written_before_opening_ones():
    spans = {"1": (0, 3), "2": (2, 5), "3": (2, 3), "4": (2, 7), "5": (4, 5)}
    marks = [entity(name, parts=[span]) for name, span in spans.items()]
    assert cells(*marks) == ["Entity=(1", "Entity=1)(4(2(3)", "Entity=(5)2)", "Entity=4)"]


@pytest.mark.parametrize("chains_of", ["1 2|1", "1|2|3", "1 1|2|3", "1|2|3 1|2|3"])
def test_further_chains_are_not_written_as_split_antecedents(chains_of):
    marks = [entity(*each.split("|"), parts=[(2 * n, 2 * n + 1)]) for n, each in enumerate(chains_of.split())]
    document = document_of("a b c", *marks)
    assert "SplitAnte" not in write(document)
    assert chains(read_back(document)) == chains(document)


def test_split_antecedents_of_split_antecedents_are_read_back():
    names = ["1", "2", "312", "431", "34"]
    document = document_of("a b c d e", *(entity(*each, parts=[(2 * n, 2 * n + 1)]) for n, each in enumerate(names)))
    assert write(document).count("SplitAnte=") == 2
    read_back(document)


@pytest.mark.parametrize("name", ["a-b", "(z)", "x|y", "=1", "1[1/2]", "&#45;", "%2C", "a<b,c", "\u00a0", "_", "é:;"])
def test_names_of_entities_are_read_back(name):
    marks = entity(name, parts=[(0, 3)]), entity(name, parts=[(0, 1), (4, 5)])
    assert not any(re.search(r"[\s<]|\|(?!Spa)", cell) for cell in cells(*marks))
    read_back(document_of("a b c d", *marks))


@pytest.mark.parametrize(
    "mentions",
    [
        [[(0, 5), (12, 13)], [(2, 7), (10, 11)]],
        [[(0, 3), (10, 15)], [(4, 7), (12, 15)]],
        [[(0, 1), (6, 7), (14, 15)], [(2, 3), (8, 9), (12, 13)]],
        [[(0, 1), (14, 15)], [(2, 3), (12, 13)], [(4, 5), (10, 11)]],
        [[(0, 7), (14, 15)], [(2, 9)]],
    ],
)
def test_interleaved_mentions_with_gaps_are_read_back(mentions):
    read_back(document_of("a b c d e f g h", *(entity("1", parts=parts) for parts in mentions)))


@pytest.mark.parametrize(
    "spaces", ["", " ", "  ", "\n", "\t\r\n", "\u00a0", "\u2028", "\x0b\x0c\x1c\x85", " \\|", "\x01\x7f"]
)
def test_spaces_are_read_back(spaces):
    for content in (f"a{spaces}b", f"{spaces}a b", f"a b{spaces}"):
        document = document_of(content, entity("1", parts=[(content.index("b"), content.index("b") + 1)]))
        assert read_back(document).content == content


def test_white_space_at_edges_is_trimmed_and_reported():
    marks = [
        entity("1", "2", parts=[(1, 4)], head=((1, 3),)),
        entity("1", parts=[(4, 7), (9, 10)], head=((9, 10),)),
        entity("2", parts=[(10, 12)], head=((10, 12),)),
    ]
    document = document_of("a b  c d  e ", *marks, segments=[Stretch("sentence", 0, 11)])
    _, losses = reduce_document(document, conllu.FORMAT.supported_features)
    assert [(loss.feature, loss.count) for loss in losses] == [(Feature.EDGES, 3)]
    found = [(mark.parts, mark.head) for mark in read_back(document).marks]
    assert found == [(((2, 3),), ((2, 3),)), (((5, 6),), ()), (((10, 11),), ((10, 11),))]


@pytest.mark.parametrize(("head", "expected"), [((0, 3), ((2, 3),)), ((0, 1), ())])
def test_head_is_clipped_to_markable(head, expected):
    document = document_of("a b c", entity("1", parts=[(2, 5)], head=(head,)))
    assert read_as("walk", write(document)).marks[0].head == expected


def test_line_ends_in_titles_and_speakers_become_spaces():
    document = document_of("a", segments=[Stretch("sentence", 0, 1, speaker="M\n1\tx")], title="T\n\nU")
    found = read_as("walk", write(document))
    assert (found.title, found.segments[0].speaker) == ("T U", "M 1 x")


def test_gum_is_read_with_its_text_mentions_and_chains(samples):
    file = samples / "gum" / "GUM_news_iodine.conllu"
    [document], text = conllu.read(Bundle.of(file.name, file.read_bytes())), file.read_text()
    sentences = [each for each in document.segments if each.kind == "sentence"]
    assert [document.content[each.start : each.end] for each in sentences] == re.findall(r"# text = (.*)", text)
    assert document.content.count("\n") + 1 == len(re.findall(r"^# newpar$", text, re.M)) == 17
    assert document.title == "Australian children suffering from iodine deficiency"
    opened = re.findall(r"\bEntity=([^|\n]*)", text)
    ours = [index for mark in document.marks for index in mark.answer.indices]
    assert len(ours) == sum(cell.count("(") for cell in opened) == 312
    found = [(words(document, mark.parts), words(document, mark.head), *mark.answer.indices) for mark in document.marks]
    assert found[:2] == [("Australian children", "children", "1"), ("iodine deficiency", "deficiency", "2")]
    assert found[4] == ("February 23, 2006", "23", "4")
    assert all(mark.head for mark in document.marks)
    assert findings(document) == {"field": 28}
    assert sum(len(readings) for mark in document.marks for _, readings in mark.answer.relations) == 20
    [other] = conll2012.read(Bundle.of("iodine.conll", file.with_suffix(".conll").read_bytes()))
    assert sorted(ours) == sorted(index.split("-")[1] for mark in other.marks for index in mark.answer.indices)


STANDARD_COLUMNS = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC"


@pytest.mark.parametrize("columns", [STANDARD_COLUMNS, f"{STANDARD_COLUMNS} IDENTITY"])
def test_header_of_columns_does_not_change_reading(columns):
    assert read(f"# global.columns = {columns}\n" + row("1", "Anna", "Entity=(e1)")).content == "Anna"
