import pytest

from annotations.formats import Document, Mark, Stretch
from annotations.formats.syntax.tokens import add_sentences, tokenize


@pytest.mark.parametrize(
    "content", ["a", "one two\nthree", " one", "one ", "one  two", "one\u00a0two\x1cthree\u2029four", " ", "\n\n", ""]
)
def test_tokens_have_positions_of_words(content):
    tokens = tokenize(Document("walk", "walk.txt", content, []))
    spans = zip(tokens.starts, tokens.ends, strict=True)
    assert [content[start:end] for start, end in spans] == list(tokens.words) == content.split()


def test_markables_heads_and_segments_split_tokens():
    marks = [Mark(((0, 9),), head=((6, 7),))]
    document = Document("walk", "walk.txt", "abcdefghij kl", marks, [Stretch("turn", 0, 12)])
    assert tokenize(document).words == ["abcdef", "g", "hi", "j", "k", "l"]


def test_sentences_are_added_once():
    document = Document("walk", "walk.txt", "one two\nthree", [])
    cut = add_sentences(document)
    assert cut.segments == [Stretch("sentence", 0, 7), Stretch("sentence", 8, 13)]
    assert add_sentences(cut) is cut


def test_sentences_follow_segments_of_each_document():
    turns = [Stretch("turn", 0, 3, speaker="A"), Stretch("turn", 4, 13, speaker="B")]
    for segments in ([], turns, []):
        found = add_sentences(Document("walk", "walk.txt", "one two\nthree", [], segments))
        said = [(part.start, part.end, part.speaker) for part in found.segments if part.kind == "sentence"]
        assert said == ([(0, 3, "A"), (4, 13, "B")] if segments else [(0, 7, ""), (8, 13, "")])
