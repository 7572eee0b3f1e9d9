from types import SimpleNamespace

import pytest

from annotations.planning.work.next_coding import next_coding


def coding(written, **more):
    """Parse a coding such as `a 1/3`: its name, decided markables and all markables.

    A plus means begun without decided markables, a dot means submitted.
    """
    name, figures = written.split()
    decided, to_decide = map(int, figures.strip("+.").split("/"))
    status = "submitted" if figures.endswith(".") else "open"
    begun = decided > 0 or figures.endswith("+")
    fields = {"status": status, "is_begun": begun, "round_id": 1, "asks_of_entities": False}
    return SimpleNamespace(pk=name, decided=decided, to_decide=to_decide, **{**fields, **more})


def codings(written, **more):
    return [coding(each, **more) for each in filter(None, written.split(", "))]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("", None),
        ("a 0/3, b 0/3", "a"),
        ("a 0/3, b 1/3", "b"),
        ("a 0/3, b 2/3, c 1/3", "b"),
        ("a 3/3, b 0/3", "b"),
        ("a 3/3., b 3/3", "b"),
        ("a 1/3., b 0/3", "b"),
        ("a 1/3.", None),
        ("a 0/0", None),
        ("a 0/0, b 0/1", "b"),
    ],
)
def test_begun_texts_come_first_then_new_ones_then_complete_ones(written, expected):
    found = next_coding(iter(codings(written)), coders_mark=False)
    assert (found.pk if found else None) == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [("a 0/0, b 0/3", "a"), ("a 0/0, b 0/0+", "b"), ("a 0/3, b 2/2", "b"), ("a 2/2., b 0/0", "b")],
)
def test_texts_without_markables_come_in_order_if_coders_mark(written, expected):
    assert next_coding(codings(written), coders_mark=True).pk == expected


def test_training_comes_first_and_locked_texts_never():
    found = [*codings("pilot 0/3, begun 1/3"), coding("training 0/3", round_id=2)]
    assert next_coding(found, coders_mark=False, locked={"pilot"}).pk == "begun"
    assert next_coding(found, coders_mark=False, locked={"pilot"}, training={2}).pk == "training"
    assert next_coding(found[:1], coders_mark=True, locked={"pilot"}) is None


def test_decided_text_is_begun_where_entities_require_answers():
    found = codings("new 0/3, decided 3/3", asks_of_entities=True)
    assert next_coding(found, coders_mark=False).pk == "decided"
