"""Reading and writing JSON lines in the style of OntoNotes."""

import json
from dataclasses import replace

import pytest

from annotations.formats import Answer, Bundle, Document, FormatError, Links, Mark, Stretch, jsonlines
from annotations.formats.losses.reduction import reduce_document
from annotations.formats.model.features import Feature
from annotations.formats.model.text import MAX_INDEX_LENGTH, MAX_SPEAKER_LENGTH
from tests.shared.documents import codes, indices, plain_of

SMALL = {
    "doc_key": "walk",
    "sentences": [["Anna", "took", "her", "dog", "."], ["It", "barked"]],
    "speakers": [["M", "M", "M", "M", "M"], ["-", "-"]],
    "clusters": [[[2, 3], [5, 5]], [[0, 0], [2, 2]]],
}
JOINED = "Anna took her dog .\nIt barked"


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


def write(*documents: Document, **options: str) -> list[dict]:
    [file] = jsonlines.write(documents, **options)
    assert file.path == "documents.jsonlines"
    return [json.loads(line) for line in file.data.decode().splitlines()]


def read_back(document: Document) -> Document:
    """Write and read the document, and assert that all supported features are equal."""
    kept, _ = reduce_document(document, jsonlines.FORMAT.supported_features)
    [file] = jsonlines.write([kept])
    [found] = jsonlines.read(Bundle.of(file.path, file.data))
    assert plain_of(found) == plain_of(kept)
    return found


def entity(names: str, parts: tuple[tuple[int, int], ...]) -> Mark:
    """Return a markable of entities with one-letter names."""
    return Mark(parts, answer=Answer(indices=tuple(names)))


def test_line_becomes_text_with_markables_in_order():
    document = read(SMALL)
    assert (document.name, document.file, document.links) == ("walk", "dir/walks.jsonl", Links.INDICES)
    assert document.content == "Anna took her dog .\nIt barked"
    assert indices(document) == [("Anna", ("1",)), ("her dog", ("2",)), ("her", ("1",)), ("It", ("2",))]
    assert [mark.parts for mark in document.marks] == [((0, 4),), ((10, 17),), ((10, 13),), ((20, 22),)]
    assert {mark.line for mark in document.marks} == {1}
    assert document.segments == [Stretch("sentence", 0, 19, speaker="M"), Stretch("sentence", 20, 29)]
    assert document.findings == []
    for other in ({"char_clusters": [[[0, 1]]]}, {"mentions": "none"}):
        assert indices(read(SMALL | other)) == indices(document)


@pytest.mark.parametrize(
    ("line", "options", "content", "expected"),
    [
        (SMALL | {"clusters": [[[4, 5]], [[6, 6]]]}, {}, JOINED, [".\nIt 1", "barked 2"]),
        (SMALL | {"clusters": [[[2, 4], [5, 6]]]}, {"offsets": "exclusive"}, JOINED, ["her dog 1", "It 1"]),
        ({"tokens": ["Anna", "sang"], "clusters": [[[0, 0]]]}, {}, "Anna sang", ["Anna 1"]),
        (
            {"text": "😀 A. She", "clusters": [[[2, 3], [5, 8]]]},
            {"offsets": "characters"},
            "😀 A. She",
            ["A 1", "She 1"],
        ),
        (SMALL | {"clusters": [[[5, 5]], [[0, 0], [5, 5]], [[0, 0]]]}, {}, JOINED, ["Anna 1|2", "It 3|1"]),
        ({"sentences": [["Anna"]]}, {}, "Anna", []),
    ],
    ids=["words of the whole text", "without the last", "one list", "characters", "several clusters", "no clusters"],
)
def test_offsets_count_words_or_characters(line, options, content, expected):
    document = read(line, **options)
    assert document.content == content
    assert [f"{word} {'|'.join(chains)}" for word, chains in indices(document)] == expected
    assert document.links == (Links.INDICES if expected else Links.NONE)


def test_given_text_keeps_its_spacing():
    text = " Anna  took her dog.\n\nIt\u00a0barked\t"
    document = read(SMALL | {"text": text})
    assert document.content == text
    assert indices(document)[:2] == [("Anna", ("1",)), ("her dog", ("2",))]
    assert [(each.start, each.end) for each in document.segments] == [(1, 20), (22, 31)]


@pytest.mark.parametrize(
    "text", ["", "Anna took her dog.", "Anna took her dog. It barked.", "She took her dog. It barked"]
)
def test_given_text_with_other_words_is_ignored(text):
    document = read(SMALL | {"text": text})
    assert (document.content, codes(document)) == (JOINED, ["other-words"])


def test_white_space_words_have_no_characters():
    clusters = [[[0, 1], [2, 3]], [[4, 4], [3, 5]], [[2, 2]]]
    document = read({"sentences": [[" ", "a", "", "b"], ["\n"], ["c"]], "clusters": clusters})
    assert document.content == "a b\nc"
    assert indices(document) == [("a", ("1",)), ("b\nc", ("2",)), ("b", ("1",))]
    assert [(finding.line, finding.message[:10]) for finding in document.findings] == [(1, "2 mentions")]
    assert [(each.start, each.end) for each in document.segments] == [(0, 3), (4, 5)]


def test_duplicate_mention_of_cluster_is_merged():
    document = read(SMALL | {"clusters": [[[0, 0], [0, 0], [2, 2]], []]})
    assert indices(document) == [("Anna", ("1",)), ("her", ("1",))]
    assert codes(document) == ["duplicate"]


def test_anaphor_has_chains_of_split_antecedents():
    line = {
        "sentences": [["John", "has", "a", "car"], ["Mary", "has", "another"], ["John", "washed", "both", "there"]],
        "mentions": [[0, 0], [2, 3], [4, 4], [6, 6], [7, 7], [9, 9], [10, 10]],
        "clusters": [[0, 4], [1], [2]],
        "plurals": [[5, 1], [5, 3]],
    }
    found = {"John": ("1",), "a car": ("2",), "Mary": ("3",), "another": ("4",), "both": ("2", "4"), "there": ()}
    assert (len(indices(read(line))), dict(indices(read(line)))) == (7, found)
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
    ("key", "value"),
    [
        ("attributes", [{}]),
        ("attributes", {"0": {}}),
        ("attributes", ["f", {}, {}, {}]),
        ("mentions", None),
        ("mentions", "four"),
    ],
)
def test_invalid_attributes_are_left_out(key, value):
    document = read(FURTHER | {key: value})
    assert codes(document)[0] == "attributes"
    assert [mark.answer for mark in document.marks] == [Answer(indices=("1",))]
    line = {key: value for key, value in FURTHER.items() if key != "attributes"} | {"relations": [[[0, 0, 3, 3, "X"]]]}
    assert [mark.answer for mark in read(line).marks] == [Answer(indices=("1",))]


@pytest.mark.parametrize(
    ("speakers", "said", "told"),
    [
        ([["A", "B"], ["_", "C"]], ["A", ""], []),
        (["A", "B"], ["A", "B"], []),
        ([[], [None]], ["", ""], []),
        ([[7], ["*"]], ["7", ""], []),
        (["A"], ["", ""], ["speakers"]),
        ("A", ["", ""], ["speakers"]),
        ([["A"], ["B"], ["C"]], ["", ""], ["speakers"]),
    ],
)
def test_sentence_has_speaker_of_its_first_word(speakers, said, told):
    document = read(SMALL | {"speakers": speakers})
    assert ([segment.speaker for segment in document.segments], codes(document)) == (said, told)


def test_texts_are_named_by_key_or_by_file_and_line():
    line = {"sentences": [["a"]]}
    keys = ["nw/wsj/00/wsj_0001_0", "/.", "", None, "Über uns"]
    found = [document.name for document in read_all("", *(line | {"doc_key": key} for key in keys), " ", line)]
    assert found == ["nw-wsj-00-wsj_0001_0", "walks-3", "walks-4", "walks-5", "Über-uns", "walks-8"]
    named = read_all(*(line | {"doc_key": key} for key in ("nw", "nw-3", "nw")))
    assert [document.name for document in named] == ["nw", "nw-3", "nw-3-3"]
    assert [finding.line for document in named for finding in document.findings] == [3]


def test_other_keys_may_have_any_values():
    line = json.dumps(SMALL)[:-1] + ', "score": 1.5e999, "deep": {"a": [1, {"b": null}]}, "ok": true}'
    assert indices(read(line)) == indices(read(SMALL))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"doc_key": 1}, "doc_key is not a string"),
        ({"doc_key": "x" * (MAX_INDEX_LENGTH + 1)}, "doc_key has more than 200 characters"),
        ({"sentences": None}, "there are no 'sentences' in this line"),
        ({"sentences": "Anna"}, "'sentences' is not a list"),
        ({"sentences": ["Anna"]}, "sentences[0] is not a list"),
        ({"sentences": [["Anna"], ["took", 1]]}, "sentences[1][1] is not a string"),
        ({"sentences": []}, "there is no word in this text"),
        ({"sentences": [[" "], []]}, "there is no word in this text"),
        ({"sentences": [["A\0"]]}, "sentences[0][0] has a NUL or half a surrogate pair in it"),
        ({"sentences": [["A\ud83d"]]}, "sentences[0][0] has a NUL or half a surrogate pair in it"),
        ({"speakers": ["\udc00", ""]}, "a speaker's name has a NUL or half a surrogate pair in it"),
        ({"speakers": ["x" * (MAX_SPEAKER_LENGTH + 1), ""]}, "a speaker's name has more than 100 characters"),
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
def test_error_names_the_line(change, message):
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
def test_invalid_json_is_refused_with_line_and_column(line, column, message):
    error = refused(json.dumps(SMALL), line)
    assert message in error.message
    assert (error.line, error.column) == (2, column)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (SMALL, "there is no 'text'"),
        ({"text": "Anna", "clusters": [[[0, 5]]]}, "[0, 5], does not stand in the text's 4 characters"),
        ({"text": "Anna", "clusters": [[[2, 2]]]}, "[2, 2], does not stand"),
        ("", "there is no text in this file"),
        (" \t", "there is no text in this file"),
    ],
)
def test_character_offsets_need_valid_text(line, message):
    assert message in refused(line, offsets="characters").message


def test_repeated_clusters_and_plurals_are_read():
    mentions, plurals = [[n, n] for n in range(500)], [[n % 500, 0] for n in range(50_000)]
    line = {"sentences": [["w"] * 500], "mentions": mentions, "clusters": [[0]] * 50_000, "plurals": plurals}
    document = read(line)
    assert len(document.marks[0].answer.indices) == 50_000
    assert {len(mark.answer.indices) for mark in document.marks[1:]} == {1}


WALK = Document(
    "walk",
    "",
    "Anna  took (her)\ndog.\nIt barked\u2028",
    [entity(names, (span,)) for names, span in (("1", (0, 4)), ("2", (11, 20)), ("12", (12, 15)), ("2", (22, 24)))],
    [Stretch("sentence", 0, 21, speaker="Ms. Ü"), Stretch("sentence", 22, 31)],
    Links.INDICES,
)
WRITTEN = (
    '{"doc_key": "walk", "sentences": [["Anna", "took", "(", "her", ")", "dog", "."], ["It", "barked"]], '
    '"speakers": [["Ms. Ü", "Ms. Ü", "Ms. Ü", "Ms. Ü", "Ms. Ü", "Ms. Ü", "Ms. Ü"], ["-", "-"]], '
    '"clusters": [[[0, 0], [3, 3]], [[2, 5], [3, 3], [7, 7]]], "text": "Anna  took (her)\\ndog.\\nIt barked\\u2028"}\n'
)


def test_small_document_is_written_as_expected():
    [file] = jsonlines.write([WALK])
    assert (file.path, file.data.decode()) == ("documents.jsonlines", WRITTEN)
    assert [line["doc_key"] for line in write(WALK, replace(WALK, name="run"))] == ["walk", "run"]


@pytest.mark.parametrize(
    ("offsets", "cluster"),
    {
        "inclusive": [[2, 5], [3, 3], [7, 7]],
        "exclusive": [[2, 6], [3, 4], [7, 8]],
        "characters": [[11, 20], [12, 15], [22, 24]],
    }.items(),
)
def test_each_kind_of_offsets_is_written_and_read_back(offsets, cluster):
    assert write(WALK, offsets=offsets)[0]["clusters"][1] == cluster
    [file] = jsonlines.write([WALK], offsets=offsets)
    [found] = jsonlines.read(Bundle.of(file.path, file.data), offsets=offsets)
    assert plain_of(found) == plain_of(WALK)


def test_entities_are_numbered_in_text_order():
    document = replace(WALK, marks=[entity("b", ((0, 4),)), entity("ab", ((12, 15),))])
    assert indices(read_back(document)) == [("Anna", ("1",)), ("her", ("1", "2"))]


def test_white_space_at_edges_is_trimmed_and_reported():
    document = replace(WALK, marks=[entity("1", ((0, 5),)), entity("1", ((16, 20),))])
    kept, losses = reduce_document(document, jsonlines.FORMAT.supported_features)
    assert [(loss.feature, loss.count) for loss in losses] == [(Feature.EDGES, 2)]
    [line] = write(kept)
    assert line["clusters"] == [[[0, 0], [3, 3]]]
    assert line.keys() == {"doc_key", "sentences", "speakers", "clusters", "text"}
    assert [mark.parts for mark in read_back(kept).marks] == [((0, 4),), ((17, 20),)]


def test_line_ends_in_text_do_not_break_lines():
    content = "a\x01\x0b\x0c\x1c\x85\u2028\u2029\r\n\x7f b"
    document = replace(WALK, content=content, marks=[entity("1", ((0, 2),))], segments=[])
    [file] = jsonlines.write([document])
    assert len(file.data.decode().splitlines()) == 1
    assert read_back(document).content == content
