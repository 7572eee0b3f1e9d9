"""Reading and writing JSON lines in the style of OntoNotes."""

import json
from dataclasses import replace

import pytest

from annotations.formats import Answer, Bundle, Document, FormatError, Links, Mark, Stretch, jsonlines
from annotations.formats.conll import conll2012
from annotations.formats.losses.reduction import reduce_document
from annotations.formats.model.features import Feature
from annotations.formats.model.text import LONGEST_INDEX, LONGEST_SPEAKER
from tests.shared.documents import codes, plain_of

SMALL = {
    "doc_key": "walk",
    "sentences": [["Anna", "took", "her", "dog", "."], ["It", "barked"]],
    "speakers": [["M", "M", "M", "M", "M"], ["-", "-"]],
    "clusters": [[[2, 3], [5, 5]], [[0, 0], [2, 2]]],
}


def read_all(*lines: str | dict, **options: str) -> list[Document]:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    return jsonlines.read(Bundle.of("dir/walks.jsonl", text.encode()), **options)


def read(line: str | dict, **options: str) -> Document:
    [document] = read_all(line, **options)
    return document


def refused(*lines: str | dict, **options: str) -> FormatError:
    with pytest.raises(FormatError) as caught:
        read_all(*lines, **options)
    assert caught.value.file == "dir/walks.jsonl"
    assert len(str(caught.value)) < 300
    return caught.value


def words(document: Document) -> list[tuple[str, tuple[str, ...]]]:
    return [
        (" … ".join(document.content[start:end] for start, end in mark.parts), mark.answer.indices)
        for mark in document.marks
        if mark.answer
    ]


def write(*documents: Document, **options: str) -> list[dict]:
    [file] = jsonlines.write(documents, **options)
    assert file.path == "documents.jsonlines"
    return [json.loads(line) for line in file.data.decode().splitlines()]


def back(document: Document) -> Document:
    """Write the document, read it again and assert that all that the format supports is equal."""
    kept, _ = reduce_document(document, jsonlines.FORMAT.supported_features)
    [file] = jsonlines.write([kept])
    [found] = jsonlines.read(Bundle.of(file.path, file.data))
    assert plain_of(found) == plain_of(kept)
    return found


def entity(*indices: str, parts) -> Mark:
    return Mark(tuple(parts), answer=Answer(indices=indices))


def test_a_line_gives_a_text_with_markables_in_text_order():
    document = read(SMALL)
    assert document.name == "walk"
    assert document.file == "dir/walks.jsonl"
    assert document.content == "Anna took her dog .\nIt barked"
    assert words(document) == [("Anna", ("1",)), ("her dog", ("2",)), ("her", ("1",)), ("It", ("2",))]
    assert [mark.parts for mark in document.marks] == [((0, 4),), ((10, 17),), ((10, 13),), ((20, 22),)]
    assert {mark.line for mark in document.marks} == {1}
    assert document.segments == [Stretch("sentence", 0, 19, speaker="M"), Stretch("sentence", 20, 29)]
    assert document.links == Links.INDICES
    assert document.findings == []


def test_offsets_count_words_of_the_whole_text_and_the_last_one_is_included():
    document = read(SMALL | {"clusters": [[[4, 5]], [[6, 6]]]})
    assert words(document) == [(".\nIt", ("1",)), ("barked", ("2",))]


def test_offsets_may_exclude_the_end():
    document = read(SMALL | {"clusters": [[[2, 4], [5, 6]]]}, offsets="exclusive")
    assert words(document) == [("her dog", ("1",)), ("It", ("1",))]


def test_offsets_may_be_characters_of_a_text():
    line = {"doc_key": "a", "text": "😀 Anna sang.\nShe won.", "clusters": [[[2, 6], [13, 16]]]}
    document = read(line, offsets="characters")
    assert document.content == line["text"]
    assert words(document) == [("Anna", ("1",)), ("She", ("1",))]
    assert document.segments == []


def test_a_text_keeps_the_spacing_of_its_words():
    text = " Anna  took her dog.\n\nIt\u00a0barked\t"
    document = read(SMALL | {"text": text})
    assert document.content == text
    assert words(document)[:2] == [("Anna", ("1",)), ("her dog", ("2",))]
    assert [(each.start, each.end) for each in document.segments] == [(1, 20), (22, 31)]


@pytest.mark.parametrize(
    "text", ["", "Anna took her dog.", "Anna took her dog. It barked.", "She took her dog. It barked"]
)
def test_a_text_of_other_words_is_not_used(text):
    document = read(SMALL | {"text": text})
    assert document.content == "Anna took her dog .\nIt barked"
    assert [finding.code for finding in document.findings] == ["other-words"]


def test_words_may_be_one_list():
    document = read({"tokens": ["Anna", "sang"], "clusters": [[[0, 0]]]})
    assert document.content == "Anna sang"
    assert document.segments == []
    assert words(document) == [("Anna", ("1",))]


def test_a_line_without_clusters_is_a_text_that_is_not_coded():
    document = read({"doc_key": "a", "sentences": [["Anna"]]})
    assert (document.links, document.marks) == (Links.NONE, [])


def test_words_of_white_space_have_no_characters():
    line = {
        "sentences": [[" ", "a", "", "b"], ["\n"], ["c"]],
        "clusters": [[[0, 1], [2, 3]], [[4, 4], [3, 5]], [[2, 2]]],
    }
    document = read(line)
    assert document.content == "a b\nc"
    assert words(document) == [("a", ("1",)), ("b\nc", ("2",)), ("b", ("1",))]
    assert [str(finding) for finding in document.findings] == [
        "dir/walks.jsonl:1: 2 mentions have no word in them (left out)"
    ]
    assert [(each.start, each.end) for each in document.segments] == [(0, 3), (4, 5)]


def test_a_span_in_several_clusters_is_in_several_chains():
    document = read(SMALL | {"clusters": [[[5, 5]], [[0, 0], [5, 5]], [[0, 0]]]})
    assert words(document) == [("Anna", ("1", "2")), ("It", ("3", "1"))]


def test_a_mention_twice_in_a_cluster_is_one_and_told():
    document = read(SMALL | {"clusters": [[[0, 0], [0, 0], [2, 2]], []]})
    assert words(document) == [("Anna", ("1",)), ("her", ("1",))]
    assert [finding.code for finding in document.findings] == ["duplicate"]


def test_split_antecedents_are_chains_of_their_anaphor():
    line = {
        "doc_key": "nw",
        "sentences": [["John", "has", "a", "car"], ["Mary", "has", "another"], ["John", "washed", "both", "there"]],
        "mentions": [[0, 0], [2, 3], [4, 4], [6, 6], [7, 7], [9, 9], [10, 10]],
        "clusters": [[0, 4], [1], [2]],
        "plurals": [[5, 1], [5, 3]],
    }
    assert words(read(line)) == [
        ("John", ("1",)),
        ("a car", ("2",)),
        ("Mary", ("3",)),
        ("another", ("4",)),
        ("John", ("1",)),
        ("both", ("2", "4")),
        ("there", ()),
    ]


def test_an_anaphor_in_a_cluster_is_made_of_its_split_antecedents():
    line = SMALL | {"mentions": [[0, 0], [3, 3], [4, 4]], "clusters": [[0], [1], [[4, 4]]], "plurals": [[2, 0], [2, 1]]}
    anna, dog, they = read(line).marks
    assert they.answer == Answer(indices=("3",), relations=(("split", ((anna.place, dog.place),)),))


FURTHER = SMALL | {
    "mentions": [[0, 0], [3, 3], [4, 4], [5, 5]],
    "attributes": [{"gender": "f", "age": 30, "size": 1.5, "topics": ["war", "peace"]}, {"known": True}, None, {}],
    "relations": [[3, 0, "bridging", 1], [3, 1, "bridging", 1], [3, 0, "bridging", 2], [1, 0, "of"], [1, 3, "of"]],
    "clusters": [[[0, 0]]],
}


def test_mentions_have_attributes_and_relations():
    anna, dog, it, ran = read(FURTHER).marks
    assert dict(anna.answer.attributes) == {"gender": "f", "age": 30, "size": "1.5", "topics": ("war", "peace")}
    assert anna.answer.indices == ("1",)
    assert dog.answer == Answer(relations=(("of", ((anna.place,), (ran.place,))),), attributes=(("known", "true"),))
    assert it.answer is None
    assert ran.answer == Answer(relations=(("bridging", ((anna.place, dog.place), (anna.place,))),))


@pytest.mark.parametrize(
    "change",
    [
        {"attributes": [{}]},
        {"attributes": {"0": {}}},
        {"attributes": ["f", {}, {}, {}]},
        {"mentions": None},
        {"mentions": "four"},
    ],
)
def test_attributes_of_another_shape_are_left_out_and_reported(change):
    document = read(FURTHER | change)
    assert codes(document)[0] == "attributes"
    assert [mark.answer for mark in document.marks] == [Answer(indices=("1",))]


def test_relations_without_attributes_are_those_of_another_corpus():
    line = {key: value for key, value in FURTHER.items() if key != "attributes"} | {"relations": [[[0, 0, 3, 3, "X"]]]}
    assert [mark.answer for mark in read(line).marks] == [Answer(indices=("1",))]


def test_mentions_that_no_cluster_names_by_number_are_passed_over():
    assert len(read(SMALL | {"mentions": "none"}).marks) == 4


@pytest.mark.parametrize(
    ("speakers", "said"),
    [
        ([["A", "B"], ["_", "C"]], ["A", ""]),
        (["A", "B"], ["A", "B"]),
        ([[], [None]], ["", ""]),
        ([[7], ["*"]], ["7", ""]),
    ],
)
def test_a_sentence_is_said_by_the_speaker_of_its_first_word(speakers, said):
    document = read(SMALL | {"speakers": speakers})
    assert [segment.speaker for segment in document.segments] == said
    assert document.findings == []


@pytest.mark.parametrize("speakers", [["A"], "A", [["A"], ["B"], ["C"]]])
def test_speakers_that_do_not_fit_are_left_out(speakers):
    document = read(SMALL | {"speakers": speakers})
    assert [segment.speaker for segment in document.segments] == ["", ""]
    assert [finding.code for finding in document.findings] == ["speakers"]


def test_texts_are_named_by_their_keys_as_slugs_or_by_file_and_line():
    line = {"sentences": [["a"]]}
    keys = ["nw/wsj/00/wsj_0001_0", "/.", "", None, "Über uns"]
    found = read_all("", *(line | {"doc_key": key} for key in keys), " ", line)
    assert [document.name for document in found] == [
        "nw-wsj-00-wsj_0001_0",
        "walks-3",
        "walks-4",
        "walks-5",
        "Über-uns",
        "walks-8",
    ]


def test_a_name_that_is_taken_gets_its_line():
    line = {"doc_key": "nw", "sentences": [["a"]]}
    found = read_all(line, line | {"doc_key": "nw-3"}, line)
    assert [document.name for document in found] == ["nw", "nw-3", "nw-3-3"]
    assert [str(finding) for finding in found[2].findings] == [
        "dir/walks.jsonl:3: doc_key nw is in line 1 too (called nw-3-3)"
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_and_a_byte_order_mark_change_nothing(end):
    data = b"\xef\xbb\xbf" + end.join([json.dumps(SMALL), json.dumps(SMALL | {"doc_key": "b"}), ""]).encode()
    found = jsonlines.read(Bundle.of("dir/walks.jsonl", data))
    assert found == read_all(SMALL, SMALL | {"doc_key": "b"})


def test_other_keys_may_hold_anything():
    line = json.dumps(SMALL)[:-1] + ', "score": 1.5e999, "deep": {"a": [1, {"b": null}]}, "ok": true}'
    assert words(read(line)) == words(read(SMALL))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"doc_key": 1}, "doc_key is not a string"),
        ({"doc_key": "x" * (LONGEST_INDEX + 1)}, "doc_key has more than 200 characters"),
        ({"sentences": None}, "there are no 'sentences' in this line"),
        ({"sentences": "Anna"}, "'sentences' is not a list"),
        ({"sentences": ["Anna"]}, "sentences[0] is not a list"),
        ({"sentences": [["Anna"], ["took", 1]]}, "sentences[1][1] is not a string"),
        ({"sentences": []}, "there is no word in this text"),
        ({"sentences": [[" "], []]}, "there is no word in this text"),
        ({"sentences": [["A\0"]]}, "sentences[0][0] has a NUL or half a surrogate pair in it"),
        ({"sentences": [["A\ud83d"]]}, "sentences[0][0] has a NUL or half a surrogate pair in it"),
        ({"speakers": ["\udc00", ""]}, "a speaker's name has a NUL or half a surrogate pair in it"),
        ({"speakers": ["x" * (LONGEST_SPEAKER + 1), ""]}, "a speaker's name has more than 100 characters"),
        ({"text": 1}, "'text' is not a string"),
        ({"text": "\0"}, "'text' has a NUL"),
        ({"clusters": {"a": 1}}, "'clusters' is not a list"),
        ({"clusters": [3]}, "clusters[0] is not a list"),
        ({"clusters": [[], ["a"]]}, "clusters[1][0] is not a list"),
        ({"clusters": [[[0, 0], [1]]]}, "clusters[0][1] is not a first and a last offset"),
        ({"clusters": [[[0, "1"]]]}, "clusters[0][0] is not of whole numbers"),
        ({"clusters": [[[0, 1.0]]]}, "clusters[0][0] is not of whole numbers"),
        ({"clusters": [[[True, 1]]]}, "clusters[0][0] is not of whole numbers"),
        ({"clusters": [[[None, 1]]]}, "clusters[0][0] is not of whole numbers"),
        ({"clusters": [[[-1, 1]]]}, "clusters[0][0], [-1, 1], does not stand in the text's 7 words"),
        ({"clusters": [[[6, 7]]]}, "clusters[0][0], [6, 7], does not stand in the text's 7 words"),
        ({"clusters": [[[3, 2]]]}, "clusters[0][0], [3, 2], does not stand in the text's 7 words"),
        ({"clusters": [[0]]}, "'mentions' is not a list"),
        ({"clusters": [[1]], "mentions": [[0, 0]]}, "clusters[0][0] is not the number of a mention"),
        ({"clusters": [[-1]], "mentions": [[0, 0]]}, "clusters[0][0] is not the number of a mention"),
        ({"clusters": [[0]], "mentions": [[0, 9]]}, "mentions[0], [0, 9], does not stand in the text's 7 words"),
        ({"plurals": [[0, 1]], "mentions": [[0, 0]]}, "plurals[0] is not the number of a mention"),
        ({"plurals": [[0]], "mentions": [[0, 0]]}, "plurals[0] is not an anaphor and its antecedent"),
        ({"plurals": [0], "mentions": [[0, 0]]}, "plurals[0] is not a list"),
        (FURTHER | {"attributes": [{"a": {}}, {}, {}, {}]}, "attributes[0], 'a', is not a string, a number or a list"),
        (FURTHER | {"attributes": [{"a": [1]}, {}, {}, {}]}, "attributes[0], 'a', is not a string"),
        (FURTHER | {"relations": [[0, 1]]}, "relations[0] is not a mention, another one and what the first is to it"),
        (FURTHER | {"relations": [[0, 1, ""]]}, "relations[0] is not a mention"),
        (FURTHER | {"relations": [[0, 4, "of"]]}, "relations[0] is not the number of a mention"),
        (FURTHER | {"relations": [[0, 1, "of", "1"]]}, "relations[0]: its reading is not a whole number"),
        (FURTHER | {"relations": [0]}, "relations[0] is not a list"),
    ],
)
def test_what_is_wrong_in_a_line_is_said_with_its_number(change, message):
    error = refused(SMALL, "", SMALL | {"doc_key": "b"} | change)
    assert message in error.message
    assert error.line == 3


@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        ('{"doc_key": "a",', 17, "this is not JSON"),
        ("{'doc_key': 'a'}", 2, "this is not JSON"),
        ('{"a": 1} {"b": 2}', 10, "this is not JSON: Extra data"),
        ('{"a": "\t"}', 8, "this is not JSON: Invalid control character"),
        ("{", 2, "this is not JSON"),
        ("[1, 2]", None, "a line is one JSON object"),
        ("null", None, "a line is one JSON object"),
        ('{"a": NaN}', None, "NaN is not JSON"),
        ('{"a": [-Infinity]}', None, "-Infinity is not JSON"),
        ('{"a": 1, "b": {"c": 1, "c": 1}}', None, "the key 'c' appears twice in one object"),
        ('{"clusters": [], "doc_key": "a", "clusters": []}', None, "the key 'clusters' appears twice"),
        ('{"a": 123456789012345678901}', None, "a number of 21 digits is too long"),
        ('{"a": ' + "9" * 10**6 + "}", None, "a number of 1000000 digits is too long"),
        ("[" * 10**6, None, "nested too deeply"),
        ('{"a":' * 10**5, None, "nested too deeply"),
        ('{"doc_key": "a", "x": ' + "[" * 10**5 + "]" * 10**5 + "}", None, "nested too deeply"),
    ],
)
def test_what_is_not_json_is_refused_with_line_and_column(line, column, message):
    error = refused(json.dumps(SMALL), line)
    assert message in error.message
    assert (error.line, error.column) == (2, column)


def test_a_file_without_a_line_is_refused():
    for lines in ([""], ["", " \t"]):
        error = refused(*lines)
        assert (error.line, error.message) == (1, "there is no text in this file")


def test_characters_need_a_text_that_has_them():
    assert "there is no 'text'" in refused(SMALL, offsets="characters").message
    line = {"text": "Anna", "clusters": [[[0, 5]]]}
    assert "[0, 5], does not stand in the text's 4 characters" in refused(line, offsets="characters").message
    line = {"text": "Anna", "clusters": [[[2, 2]]]}
    assert "[2, 2], does not stand" in refused(line, offsets="characters").message


def test_other_encodings_are_refused():
    for data in (json.dumps(SMALL).encode("utf-16"), b'{"doc_key": "\xe9"}', b'{"doc_key": "\0"}'):
        with pytest.raises(FormatError) as caught:
            jsonlines.read(Bundle.of("a.jsonl", data))
        assert caught.value.line == 1


def test_a_line_cut_anywhere_is_refused():
    whole = json.dumps(SMALL)
    for length in range(1, len(whole)):
        assert refused(whole[:length]).line == 1


def test_many_mentions_clusters_and_plurals_are_read_without_multiplying():
    clusters = [[0]] * 50_000
    line = {
        "sentences": [["w"] * 500],
        "mentions": [[number, number] for number in range(500)],
        "clusters": clusters,
        "plurals": [[number % 500, 0] for number in range(50_000)],
    }
    document = read(line)
    assert len(document.marks[0].answer.indices) == 50_000
    assert {len(mark.answer.indices) for mark in document.marks[1:]} == {1}


WALK = Document(
    "walk",
    "",
    "Anna  took (her)\ndog.\nIt barked\u2028",
    [
        entity("1", parts=[(0, 4)]),
        entity("2", parts=[(11, 20)]),
        entity("1", "2", parts=[(12, 15)]),
        entity("2", parts=[(22, 24)]),
    ],
    [Stretch("sentence", 0, 21, speaker="Ms. Ü"), Stretch("sentence", 22, 31)],
    Links.INDICES,
)
WRITTEN = (
    '{"doc_key": "walk", "sentences": [["Anna", "took", "(", "her", ")", "dog", "."], ["It", "barked"]], '
    '"speakers": [["Ms. Ü", "Ms. Ü", "Ms. Ü", "Ms. Ü", "Ms. Ü", "Ms. Ü", "Ms. Ü"], ["-", "-"]], '
    '"clusters": [[[0, 0], [3, 3]], [[2, 5], [3, 3], [7, 7]]], "text": "Anna  took (her)\\ndog.\\nIt barked\\u2028"}\n'
)


def test_the_bytes_of_a_small_document():
    [file] = jsonlines.write([WALK])
    assert (file.path, file.data.decode()) == ("documents.jsonlines", WRITTEN)
    back(WALK)


@pytest.mark.parametrize("offsets", ["inclusive", "exclusive", "characters"])
def test_each_kind_of_offsets_is_written_as_it_is_read(offsets):
    [file] = jsonlines.write([WALK], offsets=offsets)
    [found] = jsonlines.read(Bundle.of(file.path, file.data), offsets=offsets)
    assert plain_of(found) == plain_of(WALK)


def test_the_kinds_of_offsets_differ():
    clusters = {kind: write(WALK, offsets=kind)[0]["clusters"] for kind in ("inclusive", "exclusive", "characters")}
    assert clusters["inclusive"][1] == [[2, 5], [3, 3], [7, 7]]
    assert clusters["exclusive"][1] == [[2, 6], [3, 4], [7, 8]]
    assert clusters["characters"][1] == [[11, 20], [12, 15], [22, 24]]


def test_several_documents_are_lines_of_one_file():
    lines = write(WALK, replace(WALK, name="run"))
    assert [line["doc_key"] for line in lines] == ["walk", "run"]
    assert lines[0]["clusters"] == lines[1]["clusters"]


def test_entities_are_numbered_in_text_order():
    document = replace(WALK, marks=[entity("b", parts=[(0, 4)]), entity("a", "b", parts=[(12, 15)])])
    assert words(back(document)) == [("Anna", ("1",)), ("her", ("1", "2"))]


def test_markables_of_one_chain_may_cross():
    back(replace(WALK, marks=[entity("1", parts=[(0, 10)]), entity("1", parts=[(6, 15)])]))


def test_white_space_at_the_edges_of_markables_is_trimmed_and_reported():
    document = replace(WALK, marks=[entity("1", parts=[(0, 5)]), entity("1", parts=[(16, 20)])])
    kept, losses = reduce_document(document, jsonlines.FORMAT.supported_features)
    assert [(loss.feature, loss.count) for loss in losses] == [(Feature.EDGES, 2)]
    [line] = write(kept)
    assert line["clusters"] == [[[0, 0], [3, 3]]]
    assert line.keys() == {"doc_key", "sentences", "speakers", "clusters", "text"}
    assert [mark.parts for mark in back(kept).marks] == [((0, 4),), ((17, 20),)]


def test_clusters_in_characters_that_earlier_versions_wrote_are_not_read():
    line = SMALL | {"char_clusters": [[[0, 1]]]}
    assert words(read(line)) == words(read(SMALL))


def test_no_line_is_broken_by_a_character_of_the_text():
    content = "a\x01\x0b\x0c\x1c\x85\u2028\u2029\r\n\x7f b"
    document = replace(WALK, content=content, marks=[entity("1", parts=[(0, 2)])], segments=[])
    [file] = jsonlines.write([document])
    assert len(file.data.decode().splitlines()) == 1
    assert back(document).content == content


def test_ezcoref_goes_from_conll_to_json_lines_and_back(samples):
    files = sorted((samples / "ezcoref" / "conll2012" / "coder1").glob("*.conll"))
    documents = [document for file in files for document in conll2012.read(Bundle.of(file.name, file.read_bytes()))]
    assert len(documents) == 8
    kept = [reduce_document(document, jsonlines.FORMAT.supported_features)[0] for document in documents]
    [file] = jsonlines.write(kept)
    found = jsonlines.read(Bundle.of(file.path, file.data))
    assert [plain_of(document) for document in found] == [plain_of(document) for document in kept]
    assert sum(len(document.marks) for document in found) == sum(len(document.marks) for document in documents) > 100
