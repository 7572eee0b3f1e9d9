"""Dialects of JSON lines of public corpora and programs."""

import json

import pytest

from annotations.formats import Bundle, Document, FormatError, jsonlines
from annotations.formats.detection import detect_format
from tests.annotations.formats.dialects import Dialect, check_dialect, words_of

SENTENCES = [["Anna", "saw", "the", "dog", "."], ["She", "waved"]]
WORDS = [word for sentence in SENTENCES for word in sentence]
JOINED = "Anna saw the dog .\nShe waved"
TEXT = "Anna saw the dog. She waved."
EMOJI = "😀😀 Anna saw the dog. She waved."
COUPLE = "Anna met Ben. They waved."
# What is read of each dialect: the words of each chain.
RIGHT = [["Anna", "She"], ["the dog"]]
WRONG = [["Anna saw", "She waved"], ["the dog ."]]
CHARACTERS = [[[0, 4], [18, 21]], [[9, 16]]]
STRINGS = [["Anna", "She"], ["the dog"]]
EXCLUSIVE = [[[0, 1], [5, 6]], [[2, 4]]]
INCLUSIVE = [[[0, 0], [5, 5]], [[2, 3]]]
KEY = "mention_clusters"
SAID = [[["0", "4", "Anna", "A"], ["18", "21", "She", "A"]], [["9", "16", "the dog", "D"]]]
NOVEL = {"doc_id": "1_0", "reader": SAID}


def read_all(*records: dict | str, file: str = "walk.jsonl", **options: str) -> list[Document]:
    lines = (record if isinstance(record, str) else json.dumps(record, ensure_ascii=False) for record in records)
    return jsonlines.read(Bundle.of(file, "\n".join(lines).encode()), **options)


def chains(document: Document) -> list[list[str]]:
    """Return the words of each chain, both in text order."""
    found: dict[str, list[str]] = {}
    for mark in document.marks:
        for index in mark.answer.indices if mark.answer else ():
            found.setdefault(index, []).append(words_of(document, mark))
    return list(found.values())


def said(document: Document) -> str:
    return "; ".join(map(str, document.findings))


S, W = {"sentences": SENTENCES}, {"sentences": [["w"], ["."]]}
FROM_1 = [[[1, 1], [6, 6]], [[3, 4]]]
IN_SENTENCES = [[[0, 0, 0], [1, 0, 0]], [[0, 2, 3]]]
CASED = {"cased_words": WORDS, "sent_id": [0] * 5 + [1] * 2}
CUT = [[[0, 3], [18, 20]], [[9, 15]]]
IN_EMOJI = {"text": EMOJI, "clusters": [[[5, 9], [23, 26]]]}
HALF = [["na s", "e w"]]
OTHER_WORDS = "2 of 2 mentions are other words than the file says (2 of them are the same with offsets=utf-16)"
INSIDE = "3 of 3 mentions begin or end inside a word or with a blank (with offsets=characters-inclusive 0 would"
TYPED = {"clusters": [[[0, 0, "PER"], [5, 5, "PER"]], [[2, 3, "ANI"]]]}
SAME = {"clusters": INCLUSIVE, "ner": [[[0, 0, "PER"]], []], "mentions": [[0, 0], [2, 2]]}
RUCOCO = {"entities": [[[0, 4]], [[9, 12]], [[14, 18]]], "includes": [[], [], [0, 1]], "text": COUPLE}
ZOE = TEXT.replace("She", "Zoe")


@pytest.mark.parametrize(
    ("record", "options", "right", "findings"),
    [
        # OntoNotes, as nearly all programs write it.
        (S | {"clusters": INCLUSIVE}, {}, RIGHT, ()),
        ({"tokens": WORDS, "clusters": INCLUSIVE}, {}, RIGHT, ()),
        # Ends that are not included, which no key says.
        (S | {"clusters": EXCLUSIVE}, {}, WRONG, ("none of the 3 mentions is one word",)),
        (S | {"clusters": EXCLUSIVE[:1]}, {}, WRONG[:1], ("say offsets=exclusive",)),
        (S | {"clusters": EXCLUSIVE}, {"offsets": "exclusive"}, RIGHT, ()),
        (S | {"clusters": EXCLUSIVE, "offsets": "exclusive"}, {}, RIGHT, ()),
        # Words from 1.
        (S | {"clusters": FROM_1}, {}, [["saw", "waved"], ["dog ."]], ("1 of 3 mentions begin or end with a sign",)),
        (S | {"clusters": FROM_1}, {"offsets": "from-1"}, RIGHT, ()),
        # PreCo, whose mentions begin with the number of their sentence; BenCoref says that it is like it, and is not.
        (S | {"mention_clusters": [[[0, 0, 1], [1, 0, 1]], [[0, 2, 4]]]}, {}, RIGHT, ("as in PreCo",)),
        (S | {"mention_clusters": IN_SENTENCES}, {"offsets": "inclusive"}, RIGHT, ()),
        (S | {"coref": IN_SENTENCES}, {"clusters": "coref"}, RIGHT, ("[sentence, first word, last word]",)),
        # wl-coref, and what it predicts.
        (CASED | {"clusters": EXCLUSIVE}, {}, RIGHT, ("as in wl-coref",)),
        (
            CASED | {"word_clusters": [[0, 5]], "span_clusters": EXCLUSIVE},
            {},
            RIGHT,
            ("as in wl-coref", 'not read: "word_clusters" (1 span)'),
        ),
        # fastcoref and LingMess.
        ({"text": TEXT, "clusters": CHARACTERS, "clusters_strings": STRINGS}, {}, RIGHT, ("count the characters",)),
        ({"text": TEXT, "clusters": CUT}, {}, [["Ann", "Sh"], ["the do"]], ("count the characters", INSIDE)),
        # Programs in JavaScript count UTF-16 units.
        (IN_EMOJI, {}, HALF, ("count the characters", "with offsets=utf-16 0 would")),
        (IN_EMOJI | {"clusters_strings": STRINGS[:1]}, {}, HALF, ("count the characters", OTHER_WORDS)),
        (IN_EMOJI, {"offsets": "utf-16"}, RIGHT[:1], ()),
        # RuCoCo: an object a file, with the parts of split antecedents.
        (RUCOCO, {}, [["Anna"], ["Ben"], ["They"]], ('"entities" count the characters',)),
        # KoCoNovel: offsets in strings, words, names, and four versions of the chains.
        (NOVEL | {"text": TEXT}, {"clusters": "reader"}, RIGHT, ("count the characters",)),
        (
            NOVEL | {"text": ZOE, "omniscient": SAID},
            {"clusters": "reader"},
            [["Anna", "Zoe"], ["the dog"]],
            ("count the characters", '"omniscient" (3 spans)', "1 of 3 mentions are other words than the file says"),
        ),
        # BookCoref names entities.
        (S | {"clusters": INCLUSIVE, "characters": [{"name": "A", "cluster": INCLUSIVE[0]}]}, {}, RIGHT, ()),
        # Types of mentions, and what else holds spans.
        (S | TYPED, {}, RIGHT, ("3 mentions have a third value that is not their words (left out)",)),
        (S | SAME, {}, RIGHT, ('not read: "ner" (1 span), "mentions" (1 span) (left out)',)),
    ],
)
def test_dialect_is_read_with_findings(record, options, right, findings):
    content = record.get("text", JOINED.replace("\n", " ") if "tokens" in record else JOINED)
    files = {"walk.jsonl": json.dumps(record, ensure_ascii=False)}
    check_dialect("jsonlines", Dialect(files=files, text=content, chains=right, options=options, findings=findings))
    assert right in (RIGHT, RIGHT[:1]) or findings


@pytest.mark.parametrize(
    ("record", "options", "message"),
    [
        (S | {"clusters": INCLUSIVE}, {"offsets": "exclusive"}, "it would with offsets=inclusive"),
        (S | {"clusters": [[[5, 7]]]}, {}, "it would with offsets=exclusive or offsets=from-1"),
        ({"cased_words": WORDS, "clusters": INCLUSIVE}, {}, "with offsets=exclusive; it would with offsets=inclusive"),
        (S | {KEY: [[[0, 0, 0]]]}, {}, "[0, 0], does not stand in the sentence's 5 words with offsets=ex"),
        (S | {KEY: [[[2, 0, 1]]]}, {}, "is in the sentence 2, of 2"),
        (S | {KEY: [[[0, 0, 1]]]}, {"offsets": "utf-16"}, "say offsets=inclusive or"),
        ({"text": TEXT, "clusters": INCLUSIVE}, {"offsets": "inclusive"}, "there are no 'sentences' in this line"),
        (NOVEL, {}, "and no 'text'; there are \"reader\" (3 spans), and clusters=KEY says which are read"),
        ({"text": TEXT, "clusters": [["Anna", "She"]]}, {}, "clusters[0][0] is not a list"),
        ({"text": TEXT, "entities": [[[0, 4]]], "includes": [[1]]}, {}, "includes[0][0] is not the number of another"),
        ({"text": TEXT, "entities": [[[0, 4]]], "includes": []}, {}, "'includes' has 0 entries for 1 clusters"),
        ({"cased_words": WORDS, "sent_id": [0, 0]}, {}, "'sent_id' has 2 entries for 7 words"),
        ([{"sentences": 3}], {}, "a line is one JSON object"),
    ],
)
def test_invalid_records_are_refused_with_hint(record, options, message):
    with pytest.raises(FormatError) as caught:
        read_all(record if isinstance(record, dict) else json.dumps(record), **options)
    assert message in caught.value.message
    assert caught.value.line == 1


@pytest.mark.parametrize(
    ("keys", "shown"),
    [
        ({"predicted_clusters": INCLUSIVE}, '"predicted_clusters" (3 spans)'),
        ({"mention_clusters": EXCLUSIVE}, '"mention_clusters" (3 spans)'),
        ({"mentions": INCLUSIVE[0]}, '"mentions" (2 spans)'),
        ({"clusters_strings": [["Anna", "She"]], "clusters_of": []}, '"clusters_strings" (no spans)'),
        ({"label": [[0, 4, "PER"]], "spans": [{"start": 0, "end": 4}] * 2}, '"spans" (2 spans), "label" (1 span)'),
    ],
)
def test_chains_under_unknown_keys_are_reported(keys, shown):
    [document] = read_all(S | keys)
    [finding] = document.findings
    assert finding.message == f'no "clusters"; there are {shown}'
    assert finding.left_out
    assert not document.is_uncoded


def test_option_sets_key_of_clusters():
    record = S | {"clusters": [], "predicted_clusters": INCLUSIVE}
    [document] = read_all(record, clusters="predicted_clusters")
    assert (chains(document), document.findings) == (RIGHT, [])
    [document] = read_all(record, clusters="gold")
    assert said(document).startswith('walk.jsonl:1: no "gold"; there are "predicted_clusters" (3 spans)')


@pytest.mark.parametrize("record", [{"sentences": SENTENCES}, {"text": TEXT}, {"cased_words": WORDS}])
def test_line_without_clusters_is_uncoded_text(record):
    coded = S | {"clusters": []}
    assert [document.is_uncoded for document in read_all(record, coded)] == [True, False]


def test_entities_have_names_of_characters():
    characters = [{"name": "Anna K.", "cluster": INCLUSIVE[0]}, {"name": "Zoe", "cluster": [[6, 6]]}]
    [document] = read_all(S | {"clusters": INCLUSIVE, "characters": characters})
    assert [mark.answer.name for mark in document.marks] == ["Anna K.", "", "Anna K."]
    assert "1 of the 'characters' are not one of the clusters: Zoe" in said(document)
    [document] = read_all(S | {"characters": {"Anna K.": INCLUSIVE[0]}})
    assert [(mark.answer.indices, mark.answer.name) for mark in document.marks] == [(("1",), "Anna K.")] * 2
    [document] = read_all(NOVEL | {"text": TEXT}, clusters="reader")
    assert [mark.answer.name for mark in document.marks] == ["A", "D", "A"]


def test_included_entities_become_split_relation():
    record = {"text": COUPLE + " Anna left.", "entities": [[[0, 4], [26, 30]], [[9, 12]], [[14, 18]], []]}
    [document] = read_all(record | {"includes": [[], [], [1, 0], [0]]})
    anna, ben, they, _ = document.marks
    assert they.answer.relations == (("split", ((ben.place, anna.place),)),)
    assert "1 of the 'includes' are of clusters without a mention of their own (left out)" in said(document)


def test_mentions_without_text_use_text_of_project():
    [document] = read_all(NOVEL, clusters="reader")
    assert (document.name, document.without_text) == ("1_0", True)
    assert [mark.parts for mark in document.marks] == [((0, 4),), ((9, 16),), ((18, 21),)]
    assert "that of the project is taken" in said(document)


def test_flat_word_list_has_sentences_and_speakers():
    record = {"cased_words": WORDS, "sent_id": [0] * 5 + [1] * 2, "speaker": ["A"] * 5 + ["B"] * 2, "clusters": []}
    [document] = read_all(record)
    assert [(each.start, each.end, each.speaker) for each in document.segments] == [(0, 18, "A"), (19, 28, "B")]


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("as_list", [False, True])
def test_json_file_may_be_object_or_list(indent, as_list):
    record = {"entities": CHARACTERS, "includes": [[], []], "text": TEXT}
    content = json.dumps([record, record | {"id": "b"}] if as_list else record, indent=indent)
    found = read_all(content, file="walk.json")
    assert [chains(document) for document in found] == [RIGHT] * (1 + as_list)
    assert detect_format([("walk.json", content.encode())]) == "jsonlines"
    with pytest.raises(FormatError, match=r"walk\.json:\d+"):
        read_all(content[:-1], file="walk.json")


@pytest.mark.parametrize(
    "record", [S | {"clusters": INCLUSIVE}, S | {"mention_clusters": []}, {"cased_words": WORDS, "clusters": []}]
)
def test_format_is_detected_by_keys_of_chains(record):
    assert detect_format([("walk.json", json.dumps(record).encode())]) == "jsonlines"


def test_option_leaves_out_invalid_mentions_and_documents():
    found = read_all(
        S | {"clusters": [*INCLUSIVE, [[5, 7], ["x"], [-1, 0]]]},
        "{",
        {"sentences": 3, "clusters": []},
        S | {"clusters": [[0, 9]], "mentions": [[0, 0], [9, 9]], "plurals": [[0, 7]]},
        slips="leave-out",
    )
    assert [chains(document) for document in found] == [RIGHT, [["Anna"]]]
    findings = [finding for document in found for finding in document.findings]
    told = [(finding.line, finding.code, finding.left_out) for finding in findings]
    assert told == [(line, "slips", True) for line in (1, 4, 2, 3)]
    assert findings[0].message.startswith("3 slips: clusters[2][0], [5, 7]")
    assert findings[2].fix == "its document is left out"
    with pytest.raises(FormatError, match=r"walk\.jsonl:1:2: this is not JSON"):
        read_all("{", "[", slips="leave-out")


@pytest.mark.parametrize("number", [str(2**31 - 1), str(2**53), "1" + "0" * 400, "-1", "1e400", "1" + "0" * 5000])
@pytest.mark.parametrize(
    "line",
    [
        '{"sentences": [["a"]], "clusters": [[[0, N]]]}',
        '{"sentences": [["a"]], "clusters": [[[N, 1]]]}',
        '{"sentences": [["a"]], "mention_clusters": [[[N, 0, 1]]]}',
        '{"sentences": [["a"]], "clusters": [[N]], "mentions": [[0, 0]]}',
        '{"cased_words": ["a"], "sent_id": [N], "clusters": []}',
        '{"text": "a", "clusters": [[[0, N]]]}',
        '{"text": "a", "clusters": [[["0", "N"]]]}',
        '{"text": "a", "entities": [[[0, 1]]], "includes": [[N]]}',
        '{"sentences": [["a"]], "clusters": [[[0, 0]]], "mentions": [[0, 0]], "plurals": [[0, N]]}',
    ],
)
def test_invalid_numbers_are_refused_with_line(line, number):
    with pytest.raises(FormatError) as caught:
        read_all(line.replace("N", number))
    assert caught.value.line == 1
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "record",
    [
        W | {"clusters": [[[0, 0]]] * 10_000, "includes": [[]] + [[0]] * 9_999},
        {
            "text": "w " * 10_000,
            "entities": [[[2 * n, 2 * n + 1] for n in range(10_000)], [[19_998, 19_999]]],
            "includes": [[], [0] * 10_000],
        },
        W | {"clusters": [[[0, 0]]] * 10_000, "characters": [{"name": "A", "cluster": [[0, 0]]}] * 10_000},
        {"text": "w" + "." * 500_000, "clusters": [[[0, 500_000, "w"]] * 10_000]},
        {"sentences": [["." * 500_000, "w"]], "clusters": [[[0, 1, "w"]] * 10_000]},
    ],
)
def test_long_lists_are_read(record):
    assert read_all(record)[0].marks


def test_ambiguous_offsets_are_written_with_their_kind():
    [document] = read_all(S | {"clusters": [[[2, 3]]], "offsets": "inclusive"})
    for offsets in ("inclusive", "exclusive", "characters"):
        [file] = jsonlines.write([document], offsets=offsets)
        assert json.loads(file.data)["offsets"] == offsets
        [found] = jsonlines.read(Bundle.of(file.path, file.data))
        assert (chains(found), found.findings) == ([["the dog"]], [])
