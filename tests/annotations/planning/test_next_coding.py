"""Who codes what next."""

from types import SimpleNamespace

import pytest

from annotations.planning.work.next_coding import next_coding


def coding(name, decided, to_decide, status="open", *, begun=None, round_id=1, entities=False):
    return SimpleNamespace(
        pk=name,
        status=status,
        decided=decided,
        to_decide=to_decide,
        is_begun=decided > 0 if begun is None else begun,
        round_id=round_id,
        asks_of_entities=entities,
    )


def ids(value):
    return "-".join(one.pk for one in value) if isinstance(value, list) else str(value)


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
        ([coding("a", 0, 0)], None),
        ([coding("a", 0, 0), coding("b", 0, 1)], "b"),
    ],
    ids=ids,
)
def test_begun_texts_come_first_then_new_ones_then_complete_ones(codings, expected):
    found = next_coding(iter(codings), coders_mark=False)
    assert (found.pk if found else None) == expected


@pytest.mark.parametrize(
    ("codings", "expected"),
    [
        ([coding("a", 0, 0), coding("b", 0, 3)], "a"),
        ([coding("a", 0, 0), coding("b", 0, 0, begun=True)], "b"),
        ([coding("a", 0, 3), coding("b", 2, 2)], "b"),
        ([coding("a", 2, 2, "submitted"), coding("b", 0, 0)], "b"),
    ],
    ids=ids,
)
def test_texts_without_markables_come_in_order_where_coders_mark(codings, expected):
    assert next_coding(codings, coders_mark=True).pk == expected


def test_training_comes_first_and_locked_texts_never():
    codings = [coding("pilot", 0, 3), coding("begun", 1, 3), coding("training", 0, 3, round_id=2)]
    assert next_coding(codings, coders_mark=False, locked={"pilot"}).pk == "begun"
    assert next_coding(codings, coders_mark=False, locked={"pilot"}, training={2}).pk == "training"
    assert next_coding(codings[:1], coders_mark=True, locked={"pilot"}) is None


def test_decided_text_is_begun_where_entities_require_answers():
    codings = [coding("new", 0, 3, entities=True), coding("decided", 3, 3, entities=True)]
    assert next_coding(codings, coders_mark=False).pk == "decided"
