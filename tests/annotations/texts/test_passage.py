"""Texts as nested spans with badges."""

from annotations.texts.passage import Badge, Highlight, Stretch, blocks, draw

WORDS = "abcdefghij"


def drawn(highlights, content=WORDS, segments=()):
    """Return the text as a line with brackets for spans, and badges."""
    signs = {"open": "[", "close": "]"}
    rows = draw(content, segments, highlights).rows
    return "|".join("".join(signs.get(piece.kind, piece.text) for piece in row.pieces) for row in rows)


def mark(start, end, *badges, coded=True, **more):
    return Highlight(f"{start}-{end}", [[start, end]], badges=[Badge(text) for text in badges], coded=coded, **more)


def test_spans_nest_and_badges_follow_words():
    assert drawn([mark(0, 6, "1"), mark(2, 4, "2")]) == "[ab[cd2]ef1]ghij"


def test_crossing_span_is_split():
    assert drawn([mark(0, 4), mark(2, 6, "2")]) == "[ab[cd]][ef2]ghij"


def test_span_over_two_lines_has_one_anchor_and_badge():
    passage = draw("one two\nthree four", (), [Highlight("x", [[4, 13]], anchor="x", badges=[Badge("1")])])
    pieces = [piece for row in passage.rows for piece in row.pieces]
    assert [piece.anchor for piece in pieces if piece.kind == "open"] == ["x", ""]
    assert [piece.kind for piece in pieces].count("badge") == 1
    assert drawn([mark(4, 13, "1")], "one two\nthree four") == "one [two]|[three1] four"


def test_discontinuous_markable_has_span_for_each_part():
    assert drawn([Highlight("x", [[0, 2], [4, 6]], badges=[Badge("1")])]) == "[ab]cd[ef1]ghij"


def test_turn_has_badge_in_margin():
    turns = [Stretch("turn", 0, 4, "1", "M"), Stretch("turn", 5, 10, "2", "S")]
    passage = draw("abcd\nfghij", turns, [mark(0, 4, "3", coded=False), mark(5, 7)])
    assert [(row.label, [badge.text for badge in row.badges], row.is_turn) for row in passage.rows] == [
        ("1", ["3"], True),
        ("2", [], True),
    ]
    assert [piece.kind for piece in passage.rows[0].pieces] == ["words"]


def test_blocks_cover_all_words():
    content = "Title\n\n  first line\nsecond\n\nthird"
    found = blocks(content, [Stretch("header", 0, 5)])
    assert [content[block.start : block.end] for block in found] == ["Title", "  first line", "second", "third"]
    assert [block.kind for block in found] == ["header", "rest", "paragraph", "rest"]


def test_outer_spans_have_deeper_underlines():
    passage = draw(WORDS, (), [mark(0, 9), mark(1, 8), mark(2, 7), mark(3, 6)])
    opens = [piece.classes for piece in passage.rows[0].pieces if piece.kind == "open"]
    assert opens == ["depth-4", "depth-3", "depth-2", "depth-1"]
    assert "is-deep" in passage.classes
