"""What is odd in a document, whatever its format."""

import pytest

from annotations.formats import Answer, Document, Links, Mark
from annotations.formats.losses.lint import lint
from annotations.formats.model.scheme import CategorySpec, LevelSpec, SchemeSpec
from tests.shared.growth import assert_grows_with_input

SCHEME = SchemeSpec((LevelSpec("mention", "mention"),), (CategorySpec("refers", "refers", takes_index=True),))
CONTENT = "Anna took her  dog out."
TOUCHING = "Anna took her  dog-out."


def mark(*parts: tuple[int, int], line: int = 1, **said: object) -> Mark:
    head = said.pop("head", ())
    assert isinstance(head, tuple)
    return Mark(parts, head=head, answer=Answer(**said), line=line)  # type: ignore[arg-type]


def found(*marks: Mark, content: str = CONTENT) -> list[str]:
    document = Document("walk", "anna/walk.ann", content, marks, links=Links.INDICES)
    return [str(finding) for finding in lint(document, SCHEME)]


def test_nothing_is_odd_in_markables_that_nest_touch_or_stand_apart():
    nested = [mark((5, 18)), mark((5, 13)), mark((10, 13)), mark((15, 18))]
    assert found(mark((0, 4)), *nested, mark((18, 19)), mark((19, 22)), content=TOUCHING) == []


def test_markables_that_cross_are_named_with_file_and_line():
    assert found(mark((0, 9)), mark((5, 13), line=7), mark((5, 9), line=8)) == [
        "anna/walk.ann:7: “took her” crosses an earlier markable without lying in it"
    ]


def test_a_markable_crosses_one_that_lies_further_out_than_the_last():
    assert found(mark((0, 13)), mark((5, 9)), mark((10, 18), line=3)) == [
        "anna/walk.ann:3: “her  dog” crosses an earlier markable without lying in it"
    ]


def test_least_words_outside_their_markable_are_named_with_what_can_be_done():
    assert found(mark((5, 13), head=((5, 9),)), mark((15, 22), line=4, head=((0, 4),))) == [
        "anna/walk.ann:4: “dog out” has least words (MIN) that are not its own (name some of its words, or none)"
    ]


def test_a_markable_that_begins_or_ends_on_white_space_is_named_with_the_place_meant():
    assert found(mark((4, 9), line=2), mark((10, 14), line=3), mark((13, 15), line=4))[1:] == [
        "anna/walk.ann:2: “ took” begins or ends on white space (5-9)",
        "anna/walk.ann:3: “her ” begins or ends on white space (10-13)",
        "anna/walk.ann:4: “  ” begins or ends on white space (leave it out)",
    ]


def test_an_entity_of_one_markable_is_named():
    assert found(mark((0, 4), indices=("1",)), mark((10, 13), indices=("1", "2"), line=5)) == [
        "anna/walk.ann:5: “her” is alone in the entity 2"
    ]


def test_a_category_that_the_scheme_lacks_is_named_with_those_it_has():
    assert found(mark((0, 4), category="refers"), mark((10, 13), category="other", line=6)) == [
        "anna/walk.ann:6: “her” has the category 'other', which is not in the scheme (one of refers)"
    ]


def test_long_markables_are_shown_in_short():
    [said] = found(mark((0, 90), indices=("1",)), content="a" * 100)
    assert said == f"anna/walk.ann:1: “{'a' * 40}…” is alone in the entity 1"


@pytest.mark.slow
def test_markables_a_hundred_thousand_deep_are_gone_over_in_time():
    def lint(number):
        nested = [mark((each, 3 * number - each)) for each in range(number)]
        crossing = [mark((each, number + each + 1)) for each in range(number)]
        content = "x" * (3 * number)
        assert found(*nested, content=content) == []
        assert len(found(*crossing, content=content)) == number - 1

    assert_grows_with_input(lint, 100_000)
