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
def test_canonical_matrix_says_what_was_put_in(drawn):
    table, documents = drawn
    data = data_of(table, documents)
    assert decoded(data) == table
    assert len(set(data.values)) == len(data.values) == data.n_values


@examples(40)
@given(tables())
def test_frame_gives_the_same_data_as_its_values(drawn):
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
def test_every_missing_mark_of_pandas_is_missing(missing):
    frame = pd.DataFrame({"Ann": [AB, missing], "Bob": ["none", frozenset()]}, index=["A", "B"], dtype=object)
    assert decoded(ReliabilityData.from_frame(frame)) == {"A": [AB, "none"], "B": [None, frozenset()]}


def test_numbers_with_gaps_are_labels_with_gaps():
    data = ReliabilityData.from_frame(pd.DataFrame({"Ann": [1, np.nan, 2], "Bob": [1, 2, 3]}))
    assert decoded(data) == {0: [1, 1], 1: [None, 2], 2: [2, 3]}


def test_labels_are_numbered_after_sets_and_a_set_after_its_supersets():
    data = one_document({"A": ["none", A], "B": [B, AB], "C": ["place", frozenset(["turn"])]})
    assert data.values == (AB, A, B, frozenset(["turn"]), "none", "place")
    apart = one_document([[frozenset(), "none", None]])
    assert apart.values == (frozenset(), "none")
    assert alpha(apart).n_judgements == 2


def test_data_survive_pickling_and_cannot_be_changed():
    data = one_document({("text", 1): [AB, A], ("text", 2): [AB, "none"]})
    assert decoded(pickle.loads(pickle.dumps(data))) == decoded(data)
    assert list(data.to_frame().index) == [("text", 1), ("text", 2)]
    with pytest.raises(ValueError, match="read-only"):
        data.codes[0, 0] = 0


def test_data_show_their_counts_and_a_notebook_the_matrix():
    assert repr(one_document([["a", "b"]])) == "<ReliabilityData: 1 unit, 2 coders, 1 document, 2 values>"
    shown = one_document({"<A>": [AB, "none"], "B": [AB, None]})._repr_html_()
    assert "ReliabilityData: 2 units, 2 coders, 1 document, 2 values" in shown
    assert "&lt;A&gt;" in shown


@pytest.mark.parametrize("kind", [np.int32, np.uint16, np.uint64])
def test_chain_ids_may_be_any_integers(kind):
    data = ReliabilityData.from_chain_ids(np.array([[1, 1], [1, 2]], dtype=kind), np.array([7, 7], dtype=kind))
    assert data.values == ({0, 1}, {0}, {1})
    assert data.documents == (7,)


def test_chain_ids_may_be_large_and_documents_far_apart():
    ids = np.array([[10**15, 5], [10**15, 6], [-1, 5], [10**15, 5]])
    data = ReliabilityData.from_chain_ids(ids, np.array([10**12, 10**12, 10**12, 3]))
    assert decoded(data) == {0: [{0, 1}, {0, 2}], 1: [{0, 1}, {1}], 2: [None, {0, 2}], 3: [{3}, {3}]}


def test_some_documents_are_data_of_their_own():
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
def test_what_is_wrong_with_values_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        values(*arguments)


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        (pd.Series(["t", "u"], index=["A", "A"]), "unit 'A' is in two documents: 't' and 'u'"),
        (pd.Series(["t"], index=["B"]), "unit 'A' is in no document"),
    ],
)
def test_documents_of_a_frame_name_each_unit_once(documents, message):
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
def test_member_of_two_documents_is_named(rows):
    with pytest.raises(ValueError, match=r"'(A|B|turn)' is in documents 't' and 'u'"):
        values("AB", rows, "tu")


def test_sets_of_labels_taken_for_units_are_refused_with_what_to_say():
    rows = [[{"p", "q"}, {"p"}], [{"p"}, {"q"}]]
    with pytest.raises(ValueError, match="'t' and 'u'; of labels that documents share say members=\"labels\""):
        ReliabilityData.from_values("AB", ["Ann", "Bob"], rows, "tu")
    data = ReliabilityData.from_values("AB", ["Ann", "Bob"], rows, "tu", members="labels")
    assert alpha(data, "jaccard").observed == pytest.approx(3 / 4)


def test_empty_set_and_labels_may_be_in_several_documents():
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
