"""Who codes what next."""

from types import SimpleNamespace

import pytest

from annotations.planning.work.next_coding import next_coding


def coding(name, decided, to_decide, status="open"):
    return SimpleNamespace(name=name, status=status, decided=decided, to_decide=to_decide)


@pytest.mark.parametrize(
    ("codings", "expected"),
    [
        ([], None),
        ([coding("a", 0, 3), coding("b", 0, 3)], "a"),
        ([coding("a", 0, 3), coding("b", 1, 3)], "b"),
        ([coding("a", 0, 3), coding("b", 2, 3), coding("c", 1, 3)], "b"),
        ([coding("a", 3, 3), coding("b", 0, 3)], "b"),
        ([coding("a", 3, 3, "submitted"), coding("b", 3, 3)], "b"),
        ([coding("a", 1, 3, "submitted"), coding("b", 0, 3)], "b"),
        ([coding("a", 1, 3, "submitted")], None),
        ([coding("a", 0, 0)], "a"),
        ([coding("a", 0, 0), coding("b", 0, 1)], "b"),
    ],
    ids=lambda value: "-".join(one.name for one in value) if isinstance(value, list) else str(value),
)
def test_what_is_begun_comes_first_then_what_is_not_then_what_waits_to_be_handed_in(codings, expected):
    found = next_coding(iter(codings))
    assert (found.name if found else None) == expected
