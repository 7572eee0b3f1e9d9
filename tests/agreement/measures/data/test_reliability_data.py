"""The reliability data matrix."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from agreement.measures import ReliabilityData, alpha
from tests.agreement.measures.strategies import data_of, one_document, tables
from tests.shared.cases import examples

AB, A, B = frozenset("AB"), frozenset("A"), frozenset("B")


def decoded(data):
    """Return the canonical matrix with the values that its integers stand for."""
    frame = data.to_frame()
    return {
        unit: [None if number is pd.NA else data.values[number - 1] for number in row]
        for unit, row in zip(frame.index, frame.astype(object).to_numpy().tolist(), strict=True)
    }


@examples(40)
@given(tables())
def test_canonical_matrix_keeps_all_values(drawn):
    table, documents = drawn
    data = data_of(table, documents)
    assert decoded(data) == table
    assert len(set(data.values)) == len(data.values) == data.n_values


@examples(40)
@given(tables())
def test_data_from_frame_equal_data_from_values(drawn):
    table, documents = drawn
    data = data_of(table, documents)
    frame = pd.DataFrame(index=list(table), columns=list(data.coders), dtype=object)
    for unit, row in table.items():
        for coder, value in zip(data.coders, row, strict=True):
            frame.at[unit, coder] = value
    from_frame = ReliabilityData.from_frame(frame, pd.Series(documents, dtype=object))
    assert decoded(from_frame) == table
    assert from_frame.documents == data.documents
    assert alpha(from_frame, "masi") == alpha(data, "masi")


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT])
def test_missing_markers_of_pandas_are_missing_values(missing):
    frame = pd.DataFrame({"Ann": [AB, missing], "Bob": ["none", frozenset()]}, index=["A", "B"], dtype=object)
    assert decoded(ReliabilityData.from_frame(frame)) == {"A": [AB, "none"], "B": [None, frozenset()]}


def test_frame_of_numbers_with_gaps_has_integer_labels():
    data = ReliabilityData.from_frame(pd.DataFrame({"Ann": [1, np.nan, 2], "Bob": [1, 2, 3]}))
    assert decoded(data) == {0: [1, 1], 1: [None, 2], 2: [2, 3]}


def test_sets_are_numbered_after_supersets_and_before_labels():
    data = one_document({"A": ["none", A], "B": [B, AB], "C": ["place", frozenset(["turn"])]})
    assert data.values == (AB, A, B, frozenset(["turn"]), "none", "place")
    apart = one_document([[frozenset(), "none", None]])
    assert apart.values == (frozenset(), "none")
    assert alpha(apart).n_judgements == 2


def test_data_can_be_pickled_and_are_read_only():
    data = one_document({("text", 1): [AB, A], ("text", 2): [AB, "none"]})
    assert decoded(pickle.loads(pickle.dumps(data))) == decoded(data)
    assert list(data.to_frame().index) == [("text", 1), ("text", 2)]
    with pytest.raises(ValueError, match="read-only"):
        data.codes[0, 0] = 0


def test_repr_shows_counts_and_html_escapes_names():
    assert repr(one_document([["a", "b"]])) == "<ReliabilityData: 1 unit, 2 coders, 1 document, 2 values>"
    shown = one_document({"<A>": [AB, "none"], "B": [AB, None]})._repr_html_()
    assert "ReliabilityData: 2 units, 2 coders, 1 document, 2 values" in shown
    assert "&lt;A&gt;" in shown


@pytest.mark.parametrize("kind", [np.int32, np.uint16, np.uint64])
def test_chain_ids_may_be_any_integers(kind):
    data = ReliabilityData.from_chain_ids(np.array([[1, 1], [1, 2]], dtype=kind), np.array([7, 7], dtype=kind))
    assert data.values == ({0, 1}, {0}, {1})
    assert data.documents == (7,)


def test_chain_ids_and_document_numbers_may_be_large():
    ids = np.array([[10**15, 5], [10**15, 6], [-1, 5], [10**15, 5]])
    data = ReliabilityData.from_chain_ids(ids, np.array([10**12, 10**12, 10**12, 3]))
    assert decoded(data) == {0: [{0, 1}, {0, 2}], 1: [{0, 1}, {1}], 2: [None, {0, 2}], 3: [{3}, {3}]}


def test_documents_can_be_selected():
    data = ReliabilityData.from_chain_ids([[1, 1], [1, 2], [1, 1]], ["x", "y", "x"])
    assert decoded(data.of_documents(["x"])) == {0: [{0, 2}] * 2, 2: [{0, 2}] * 2}
    with pytest.raises(ValueError, match="there is no document 'z'"):
        data.of_documents("z")


def values(units, rows, documents, coders=("Ann", "Bob")):
    return ReliabilityData.from_values(units, coders, rows, documents)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ABA", [["x", "y"]] * 3, "ttt"), "unit 'A' comes twice"),
        (("ABA", [["x", "y"]] * 3, "ttu"), "unit 'A' is in two documents: 't' and 'u'"),
        (("A", [["x", "y"]], "t", ["Ann", "Ann"]), "coder 'Ann' comes twice"),
        (("AB", [["x", "y"], ["x", {"A": 1}]], "tt"), "unit 'B', coder 'Bob': a dict is neither label nor set"),
        (("AB", [["x", "y"], ["x", [["A"]]]], "tt"), "unit 'B', coder 'Bob': a list is a set of things that cannot be"),
        (("AB", [["x", "y"], ["x"]], "tt"), "unit 'B' has 1 values for 2 coders"),
        (("AB", [["x", "y"]], "tt"), "2 units, 1 rows of values, 2 documents"),
    ],
)
def test_error_names_wrong_values(arguments, message):
    with pytest.raises(ValueError, match=message):
        values(*arguments)


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        (pd.Series(["t", "u"], index=["A", "A"]), "unit 'A' is in two documents: 't' and 'u'"),
        (pd.Series(["t"], index=["B"]), "unit 'A' is in no document"),
    ],
)
def test_frame_documents_must_name_each_unit_once(documents, message):
    frame = pd.DataFrame({"Ann": ["x"], "Bob": ["y"]}, index=["A"])
    with pytest.raises(ValueError, match=message):
        ReliabilityData.from_frame(frame, documents)


@pytest.mark.parametrize(
    "rows",
    [
        [[AB, "x"], [AB, "x"]],  # one chain across two documents
        [[A | {"turn"}, "x"], [B | {"turn"}, "x"]],  # a turn in two documents
        [[AB, "x"], ["x", "y"]],  # a unit of another document in a chain
    ],
)
def test_error_names_member_of_two_documents(rows):
    with pytest.raises(ValueError, match=r"'(A|B|turn)' is in documents 't' and 'u'"):
        values("AB", rows, "tu")


def test_error_for_shared_members_suggests_members_labels():
    rows = [[{"p", "q"}, {"p"}], [{"p"}, {"q"}]]
    with pytest.raises(ValueError, match="'t' and 'u'; of labels that documents share say members=\"labels\""):
        ReliabilityData.from_values("AB", ["Ann", "Bob"], rows, "tu")
    data = ReliabilityData.from_values("AB", ["Ann", "Bob"], rows, "tu", members="labels")
    assert alpha(data, "jaccard").observed == pytest.approx(3 / 4)


def test_empty_sets_and_labels_may_be_in_several_documents():
    assert alpha(values("AB", [[frozenset(), "x"], [frozenset(), "x"]], "tu")).n_values == 2


@pytest.mark.parametrize(
    ("ids", "documents", "message"),
    [
        *((wrong, ["t"], "array of integers with two dimensions") for wrong in ([1, 2], [["a", "b"]], [[0.5, 1.0]])),
        ([[1, 1], [-2, 1]], ["t", "t"], "unit 1, coder 0: id -2 is neither"),
        ([[1, 1]], ["t", "t"], "1 rows of ids, 2 documents"),
    ],
)
def test_wrong_chain_ids_are_refused(ids, documents, message):
    with pytest.raises(ValueError, match=message):
        ReliabilityData.from_chain_ids(ids, documents)
