"""Copies of one text, aligned by their characters without white space."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.formats import Answer, Document, FormatError, Links, Mark, Stretch
from annotations.formats.model.alignment import align, skeleton_of
from tests.shared.cases import examples
from tests.shared.growth import assert_grows_with_input

SIGNS = st.sampled_from(["a", "b", "\u00e9", "\u1112\u1161\u11ab", "\U0001f600", "\u05e9", "'", ".", "\u1e69"])
GAPS = st.sampled_from(["", " ", "\n", "\r\n", "\ufeff", "\u200b", "\u00a0  "])


def document(content: str, *spans: tuple[int, int]) -> Document:
    marks = [Mark((span,), answer=Answer(indices=("1",))) for span in spans]
    return Document("walk", "walk.x", content, marks, [Stretch("sentence", 0, len(content))], Links.INDICES)


@given(st.data())
@examples(200)
def test_the_characters_of_a_markable_stay_whatever_stands_between_and_however_they_are_composed(data):
    signs = data.draw(st.lists(SIGNS, min_size=1, max_size=12))
    copies, edges = [], []
    for form in ("NFC", "NFD"):
        content, places = "", []
        for sign in signs:
            content += data.draw(GAPS)
            written = unicodedata.normalize(form, sign)
            places.append((len(content), len(content) + len(written)))
            content += written
        copies.append(content + data.draw(GAPS))
        edges.append(places)
    first = data.draw(st.integers(0, len(signs) - 1))
    last = data.draw(st.integers(first, len(signs) - 1))
    one, other = copies
    moved = align(document(other, (edges[1][first][0], edges[1][last][1])), one, "anna")
    assert moved.content == one
    assert [mark.parts for mark in moved.marks] == [((edges[0][first][0], edges[0][last][1]),)]
    if one != other:
        assert [(each.start, each.end) for each in moved.segments] == [(edges[0][0][0], edges[0][-1][1])]
    assert len(moved.findings) == (one != other)


@given(st.text(max_size=40))
@examples(200)
def test_a_skeleton_names_the_place_of_each_of_its_characters(text):
    skeleton = skeleton_of(text)
    assert len(skeleton.characters) == len(skeleton.starts) == len(skeleton.ends)
    assert list(skeleton.starts) == sorted(skeleton.starts)
    for start, end in zip(skeleton.starts, skeleton.ends, strict=True):
        assert 0 <= start < end <= len(text)


@pytest.mark.parametrize(
    ("here", "there", "message"),
    [
        ("Zoe ran", "Zoe\u0301 ran", "word 1 is 'Zoe' (U+0065) here, 'Zoe\u0301' (U+0065 U+0301) there"),
        ("Zo\u00e9 ran", "Zoe ran", "word 1 is 'Zo\u00e9' (U+00E9) here, 'Zoe' (U+0065) there"),
        ("a b", "a", "word 2 is 'b' (U+0062) here, the end there"),
        ("ab c", "a d", "word 1 is 'ab' (U+0062) here, word 2 'd' (U+0064) there"),
        ("x" * 99, "y", f"word 1 is '{'x' * 40}' (U+0078) here, 'y' (U+0079) there"),
    ],
)
def test_other_characters_are_shown_with_their_code_points(here, there, message):
    with pytest.raises(FormatError) as caught:
        align(document(here), there, "anna.x")
    assert str(caught.value) == f"walk.x: the text differs from anna.x: {message}"


@pytest.mark.slow
@pytest.mark.parametrize("filling", ["Anna saw. ", "a", "\u00e9", "a\u0301\u0316", "\ufeff \n", "\u0301\u0316"])
def test_texts_are_aligned_in_time_that_grows_with_them(filling):
    def both(n: int) -> None:
        content = filling * (n // len(filling))
        words = f"a{content}"
        aligned = align(document(f"{words} a", (0, 1)), f" {words}\r\na", "anna")
        assert len(aligned.marks) == 1
        with pytest.raises(FormatError):
            align(document(f"{words}x"), f"{words}y", "anna")

    assert_grows_with_input(both, 400_000)
