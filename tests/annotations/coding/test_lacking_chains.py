"""Progress of a coding without a required answer about a chain."""

import pytest

from annotations.models import Coding
from annotations.planning.work.remaining import count_remaining
from tests.shared.coding import judge
from tests.shared.schemes import BRIDGING, change_rows, coding_of, rich_project


@pytest.fixture
def coding(alice) -> Coding:
    """Return a coding with all answers except the gender of a chain of two."""
    project = rich_project("rich", BRIDGING, alice)
    change_rows(project.attributes.filter(key="gender"), required=True)
    coding = coding_of(project)
    first, second, *others = (
        coding.text.markables.filter(level__coded=True).order_by("start").values_list("key", flat=True)
    )
    judge(coding, first, "place")
    judge(coding, second, "phrase", first)
    for key in others:
        judge(coding, key, "none")
    return coding


def test_chain_without_required_answer_is_left_to_decide(coding, signed_in, alice):
    page = signed_in(alice).get("/projects/rich/").content.decode()
    assert "5 of 6</progress>" in page
    [left] = count_remaining(coding.text.project).values()
    assert left.markables == 1
    key = coding.text.markables.filter(level__coded=True).order_by("start")[1].key
    judge(coding, key, "phrase", coding.text.markables.get(label="a").key, attributes={"gender": "n"})
    assert "6 of 6</progress>" in signed_in(alice).get("/projects/rich/").content.decode()
    [left] = count_remaining(coding.text.project).values()
    assert left.markables == 0
