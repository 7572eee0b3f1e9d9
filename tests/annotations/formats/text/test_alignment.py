"""Alignment of copies of a text by characters other than white space."""

import re
import unicodedata
from contextlib import suppress

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
def test_alignment_keeps_characters_of_markables(data):
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
def test_skeleton_has_position_of_each_character(text):
    skeleton = skeleton_of(text)
    assert len(skeleton.characters) == len(skeleton.starts) == len(skeleton.ends)
    assert list(skeleton.starts) == sorted(skeleton.starts)
    assert all(0 <= start < end <= len(text) for start, end in zip(skeleton.starts, skeleton.ends, strict=True))


@pytest.mark.parametrize(
    ("here", "there", "message"),
    [
        ("Zoe ran", "Zoe\u0301 ran", "word 1 is 'Zoe' (U+0065) here, 'Zoe\u0301' (U+0065 U+0301) there"),
        ("Zo\u00e9 ran", "Zoe ran", "word 1 is 'Zo\u00e9' (U+00E9) here, 'Zoe' (U+0065) there"),
        ("ab c", "a d", "word 1 is 'ab' (U+0062) here, word 2 'd' (U+0064) there"),
        ("x" * 99, "y", f"word 1 is '{'x' * 40}' (U+0078) here, 'y' (U+0079) there"),
    ],
)
def test_error_shows_differing_characters_with_code_points(here, there, message):
    with pytest.raises(FormatError, match=f"^{re.escape(f'walk.x: the text differs from anna.x: {message}')}$"):
        align(document(here), there, "anna.x")


BEGINNING = "Anna took her dog for a long walk."
WALK = f"{BEGINNING} It was late, and both were very tired."
DOGS = WALK.replace("dog", "dogs")


def of_words(content: str, *words: str) -> Document:
    return document(content, *((content.index(each), content.index(each) + len(each)) for each in words))


def words_of(aligned: Document) -> list[str]:
    return [aligned.content[start:end] for mark in aligned.marks for start, end in mark.parts]


@pytest.mark.parametrize(
    ("there", "left_out"),
    [
        (WALK.replace("her dog", "her ' dog"), {"her dog"}),
        (WALK.replace("dog", "dogs"), {"her dog", "dog"}),
        (WALK.replace("dog", "doc"), {"her dog", "dog"}),
        (WALK.replace("dog", "dog’s"), set()),
        (WALK.replace("dog", "do\u0301g"), {"her dog", "dog"}),
        (WALK.replace("her", "here"), {"her dog", "her"}),
        (WALK.replace("long", "(long)"), {"a long walk"}),
        (f"Once {WALK}", set()),
        (WALK.replace("Anna", "“Anna”"), {"Anna"}),
        (WALK.replace("tired.", "tired!"), set()),
        (WALK.replace("dog", "dig").removesuffix("were very tired."), {"her dog", "dog", "very tired"}),
    ],
)
def test_markables_with_differing_characters_are_left_out(there, left_out):
    words = ["Anna", "her dog", "her", "dog", "a long walk", "very tired"]
    copy = of_words(WALK, *words)
    aligned = align(copy, there, "anna.x", near=True)
    assert words_of(aligned) == [each for each in words if each not in left_out]
    told = {finding.code: finding for finding in aligned.findings}
    assert "aligned-near" in told
    counted = f"{len(left_out)} markable{'s' * (len(left_out) > 1)}"
    if left_out:
        assert (told["near"].message.startswith(f"{counted} at "), told["near"].left_out) == (True, True)
    with pytest.raises(FormatError) as caught:
        align(copy, there, "anna.x")
    assert str(caught.value).endswith(f"align=near aligns the rest{f' and leaves out {counted}' if left_out else ''}")


@pytest.mark.parametrize(
    ("there", "extent"),
    [
        (WALK.replace("tired.", "tired’."), "1 of 58 characters differs"),
        (WALK.replace("tired.", "tired!"), "1 of 58 characters differs"),
        (WALK.replace("tired.", "tiger."), "3 of 58 characters differ"),
        (DOGS.removesuffix("very tired."), "1 of 49 characters differs and it ends 10 characters later"),
        (f"{DOGS} They slept.", "1 of 58 characters differs and it ends 10 characters earlier"),
    ],
)
def test_difference_at_end_is_not_truncation(there, extent):
    [told] = align(of_words(WALK, "Anna"), there, "anna.x", near=True).findings
    assert told.message.rpartition("; ")[2] == extent


@given(st.data())
@examples(200)
def test_near_alignment_keeps_characters_of_markables(data):
    signs = data.draw(st.lists(SIGNS, min_size=30, max_size=60))
    additions = data.draw(st.dictionaries(st.integers(0, len(signs) - 1), st.just("x"), max_size=3))
    edges = [0]
    for sign in signs:
        edges.append(edges[-1] + len(sign))
    spans = [(start, edges[number + size]) for size in (1, 3) for number, start in enumerate(edges[:-size])]
    copy = document("".join(signs), *spans)
    there = "".join(f"{additions.get(number, '')}{sign}" for number, sign in enumerate(signs))
    aligned = align(copy, there, "anna", near=True)
    left_out = sum(int(finding.message.split()[0]) for finding in aligned.findings if finding.code == "near")
    assert len(aligned.marks) == len(spans) - left_out
    assert not any("x" in words for words in words_of(aligned))
    assert set(words_of(aligned)) <= {copy.content[start:end] for start, end in spans}
    assert bool(left_out) <= bool(additions)


@pytest.mark.parametrize(
    ("here_ends", "place"),
    [
        (True, "word 9 is the end here, 'It' (U+0049) there; it ends 31 characters earlier"),
        (False, "word 9 is 'It' (U+0049) here, the end there; it ends 31 characters later"),
    ],
)
def test_either_copy_may_be_truncated(here_ends, place):
    here, there = (BEGINNING, WALK) if here_ends else (WALK, BEGINNING)
    aligned = align(of_words(here, "Anna", "her dog"), there, "anna.x")
    assert words_of(aligned) == ["Anna", "her dog"]
    assert aligned.segments == [Stretch("sentence", 0, len(BEGINNING))]
    [told] = aligned.findings
    assert (told.message, told.left_out) == (f"the text differs from anna.x: {place}", here_ends)


def test_markables_after_end_are_left_out_only_by_option():
    copy = of_words(WALK, "Anna", "her dog", "both")
    with pytest.raises(FormatError, match=r"align=near aligns the rest and leaves out 1 markable$"):
        align(copy, BEGINNING, "anna.x")
    aligned = align(copy, BEGINNING, "anna.x", near=True)
    assert words_of(aligned) == ["Anna", "her dog"]
    assert [finding.code for finding in aligned.findings] == ["aligned-near", "near"]


@pytest.mark.parametrize("near", [True, False])
@pytest.mark.parametrize(
    ("there", "way"),
    [
        ("Otto slept all day long, and nobody woke him up, not even for his dinner.", "more than 5 insertions and "),
        (WALK.replace("Anna", "Anne"), "; 1 of 58 characters differs, and each markable touches that"),
    ],
)
def test_too_different_copies_are_refused(there, way, near):
    with pytest.raises(FormatError) as caught:
        align(of_words(WALK, "Anna"), there, "anna.x", near=near)
    assert way in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("filling", ["Anna saw. ", "a", "\u0301\u0316"])
@pytest.mark.parametrize("others", ["b" * 200, "b" * 2000])
def test_aligning_near_copies_takes_linear_time(filling, others):
    def both(n: int) -> None:
        content = filling * (n // len(filling))
        other = "".join(f"{content[: n // 300]}{each}" for each in others) if len(others) < 300 else others + content
        with suppress(FormatError):
            align(document(content), other, "anna", near=True)

    assert_grows_with_input(both, 400_000)


@pytest.mark.slow
@pytest.mark.parametrize("filling", ["Anna saw. ", "a", "\u00e9", "a\u0301\u0316", "\ufeff \n", "\u0301\u0316"])
def test_aligning_texts_takes_linear_time(filling):
    def both(n: int) -> None:
        content = filling * (n // len(filling))
        words = f"a{content}"
        aligned = align(document(f"{words} a", (0, 1)), f" {words}\r\na", "anna")
        assert len(aligned.marks) == 1
        with pytest.raises(FormatError):
            align(document(f"{words}x"), f"{words}y", "anna")

    assert_grows_with_input(both, 400_000)
