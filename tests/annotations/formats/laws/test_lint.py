"""Warnings about suspicious markables in a document of any format."""

import pytest

from annotations.formats import Answer, Document, Links, Mark
from annotations.formats.losses.lint import lint
from annotations.formats.model.scheme import CategorySpec, LevelSpec, SchemeSpec
from tests.shared.growth import assert_grows_with_input

SCHEME = SchemeSpec((LevelSpec("mention", "mention"),), (CategorySpec("refers", "refers", takes_index=True),))
CONTENT = "Anna took her  dog out."
ANNA, HER = (0, 4), (10, 13)


def mark(*parts: tuple[int, int], line: int = 1, **said: object) -> Mark:
    head = said.pop("head", ())
    assert isinstance(head, tuple)
    return Mark(parts, head=head, answer=Answer(**said), line=line)  # type: ignore[arg-type]


def found(*marks: Mark, content: str = CONTENT) -> list[str]:
    document = Document("walk", "anna/walk.ann", content, marks, links=Links.INDICES)
    return [str(finding) for finding in lint(document, SCHEME)]


@pytest.mark.parametrize(
    ("marks", "said"),
    [
        ([mark((0, 9)), mark((5, 13), line=7), mark((5, 9), line=8)], "7: “took her” crosses"),
        ([mark((0, 13)), mark((5, 9)), mark((10, 18), line=3)], "3: “her  dog” crosses"),
        (
            [mark((5, 13), head=((5, 9),)), mark((15, 22), line=4, head=((0, 4),))],
            "4: “dog out” has least words (MIN) that are not its own",
        ),
        ([mark((4, 9), line=2)], "2: “ took” begins or ends on white space (5-9)"),
        ([mark((13, 15), line=4)], "4: “  ” begins or ends on white space (leave it out)"),
        ([mark((10, 14), line=3)], "3: “her ” begins or ends on white space (10-13)"),
        ([mark(ANNA, indices=("1",)), mark(HER, indices=("1", "2"), line=5)], "5: “her” is alone in the entity 2"),
        ([mark(ANNA, category="refers"), mark(HER, category="other", line=6)], "6: “her” has the category 'other'"),
    ],
)
def test_lint_reports_file_and_line(marks, said):
    [told] = found(*marks)
    assert told.startswith(f"anna/walk.ann:{said}")


def test_lint_accepts_nested_markables_and_cuts_long_words():
    nested = [mark((5, 18)), mark((5, 13)), mark((10, 13)), mark((15, 18))]
    touching = [mark((0, 4)), *nested, mark((18, 19)), mark((19, 22))]
    assert found(*touching, content="Anna took her  dog-out.") == []
    [told] = found(mark((0, 90), indices=("1",)), content="a" * 100)
    assert told.startswith(f"anna/walk.ann:1: “{'a' * 40}…” is alone in the entity 1")


@pytest.mark.slow
def test_lint_of_deep_nesting_takes_linear_time():
    def lint(number):
        nested = [mark((each, 3 * number - each)) for each in range(number)]
        crossing = [mark((each, number + each + 1)) for each in range(number)]
        content = "x" * (3 * number)
        assert found(*nested, content=content) == []
        assert len(found(*crossing, content=content)) == number - 1

    assert_grows_with_input(lint, 100_000)
