"""Words and sentences of running text in exports."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.formats import Document
from annotations.formats.syntax.tokens import find_cuts, is_in_words, tokenize
from tests.shared.cases import examples
from tests.shared.growth import assert_grows_with_input


def sentences_of(content: str, *marked: tuple[int, int], has_sentences: bool = False) -> list[str]:
    cuts, breaks = find_cuts(content, marked, has_sentences=has_sentences)
    tokens = tokenize(Document("walk", "", content, [], cuts=cuts, breaks=breaks))
    return [" ".join(tokens.words[place] for place in sentence) for sentence in tokens.by_sentence()]


@pytest.mark.parametrize(
    ("content", "sentences"),
    [
        ("Anna's dog didn't bark. It ate (at 5), OK?", ["Anna 's dog did n't bark .", "It ate ( at 5 ) , OK ?"]),
        ("Mr. Smith left.\nHe ran", ["Mr . Smith left .", "He ran"]),
        ("Zoe\u0308 fr\u00e4gt: Wo? Da!", ["Zoe\u0308 fr\u00e4gt : Wo ?", "Da !"]),
        ("\u05d6\u05d4 \u05d8\u05e7, \u05db\u05df.", ["\u05d6\u05d4 \u05d8\u05e7 , \u05db\u05df ."]),
        ("A \U0001f469\u200d\U0001f467 go.", ["A \U0001f469\u200d\U0001f467 go ."]),
    ],
)  # fmt: skip
def test_punctuation_contractions_and_sentences_are_split(content, sentences):
    assert sentences_of(content) == sentences


def test_markables_split_words_but_not_sentences():
    content = "He saw the well-known. Then Anna ran."
    assert sentences_of(content, (11, 13), (15, 27)) == ["He saw the we ll - known . Then Anna ran ."]
    assert sentences_of(content, (11, 22)) == ["He saw the well - known .", "Then Anna ran ."]


@pytest.mark.parametrize("content", [
    "Mr. O'Neil does n't like U.S. dogs , he said .", "( a , b )", "a - b", "Ja !\nNein , nie .",
    "Anna ca n't sell well-known Yahoo! tickets to her , and/or U.S. firms .", "Anna , of cc-by Acme Inc.",
])  # fmt: skip
def test_tokenized_text_keeps_its_words(content):
    assert is_in_words(content, has_sentences=False)
    assert sentences_of(content) == content.split("\n")


@pytest.mark.parametrize("content", [
    "Anna ran, he said.", "Anna ran.", "Why? - Because!", "one two", "He - well - ran.", "Quoi ? Non ! Oui.",
    "Er kam , sah, siegte.",
])  # fmt: skip
def test_running_text_is_not_tokenized(content):
    assert not is_in_words(content, has_sentences=False)


@given(st.text(max_size=60))
@examples(300)
def test_cuts_lose_no_characters(text):
    cuts, breaks = find_cuts(text, [], has_sentences=False)
    assert all(0 <= place <= len(text) for place in (*cuts, *breaks))
    assert list(cuts) == sorted(set(cuts))
    assert "".join(tokenize(Document("walk", "", text, [], cuts=cuts, breaks=breaks)).words) == "".join(text.split())


@pytest.mark.slow
@pytest.mark.parametrize(
    "filling", ["word. Then, more! ", "a", "a.", "(", "-", "'s", "1,", "A.B. ", "\n", "\u0301", "\u200d"]
)
def test_finding_cuts_takes_linear_time(filling):
    def find(n: int) -> None:
        content = filling * (n // len(filling))
        find_cuts(content, [(place, place + 1) for place in range(0, n // 2, 7)], has_sentences=False)

    assert_grows_with_input(find, 200_000)
