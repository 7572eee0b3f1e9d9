"""The reliability data matrix."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.measures import SET_DISTANCES, ReliabilityData, alpha, alphas
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
def test_the_canonical_matrix_says_what_was_put_in(drawn):
    table, documents = drawn
    data = data_of(table, documents)
    assert decoded(data) == table
    assert len(set(data.values)) == len(data.values) == data.n_values


@examples(40)
@given(tables())
def test_a_frame_gives_the_same_data_as_its_values(drawn):
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


def counts(found):
    return found.n_units, found.n_coders, found.n_judgements, found.n_values, found.left_out, found.note


@examples(40)
@given(st.lists(st.tuples(st.sampled_from("xyz"), st.lists(st.integers(-1, 2), min_size=3, max_size=3))))
def test_chain_ids_stand_for_the_units_of_the_document_with_the_same_id(rows):
    documents = [document for document, _ in rows]
    ids = np.array([row for _, row in rows], dtype=int).reshape(len(rows), 3)
    table = {
        u: [
            None
            if ids[u, c] == -1
            else frozenset(v for v in range(len(rows)) if documents[v] == documents[u] and ids[v, c] == ids[u, c])
            for c in range(3)
        ]
        for u in range(len(rows))
    }
    data = ReliabilityData.from_chain_ids(ids, documents)
    assert decoded(data) == table
    by_values = ReliabilityData.from_values(range(len(rows)), range(3), list(table.values()), documents)
    for exclude_unit in ("none", "observed", "both"):
        fast, slow = (alphas(each, exclude_unit=exclude_unit) for each in (data, by_values))
        for name in SET_DISTANCES:
            assert counts(fast[name]) == counts(slow[name])
            assert fast[name].value == pytest.approx(slow[name].value, abs=1e-12)
            assert fast[name].expected == pytest.approx(slow[name].expected, abs=1e-12)


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT])
def test_any_mark_of_pandas_for_missing_is_missing(missing):
    frame = pd.DataFrame({"Ann": [AB, missing], "Bob": ["none", frozenset()]}, index=["A", "B"], dtype=object)
    assert decoded(ReliabilityData.from_frame(frame)) == {"A": [AB, "none"], "B": [None, frozenset()]}


def test_numbers_with_gaps_are_labels_with_gaps():
    data = ReliabilityData.from_frame(pd.DataFrame({"Ann": [1, np.nan, 2], "Bob": [1, 2, 3]}))
    assert decoded(data) == {0: [1, 1], 1: [None, 2], 2: [2, 3]}


def test_the_empty_set_a_label_and_missing_stay_apart():
    data = one_document([[frozenset(), "none", None]])
    assert data.values == (frozenset(), "none")
    assert alpha(data).n_judgements == 2


def test_labels_are_numbered_after_sets_and_a_set_after_those_that_go_on():
    data = one_document({"A": ["none", A], "B": [B, AB], "C": ["place", frozenset(["turn"])]})
    assert data.values == (AB, A, B, frozenset(["turn"]), "none", "place")


def test_units_may_be_tuples():
    data = one_document({("text", 1): ["a", "b"], ("text", 2): ["a", "a"]})
    assert list(data.to_frame().index) == [("text", 1), ("text", 2)]


def test_data_survive_pickling():
    data = one_document({"A": [AB, A], "B": [AB, "none"]})
    assert decoded(pickle.loads(pickle.dumps(data))) == decoded(data)


def test_data_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        one_document([["a", "b"]]).codes[0, 0] = 0


def test_repr_says_how_much_there_is():
    assert repr(one_document([["a", "b"]])) == "<ReliabilityData: 1 unit, 2 coders, 1 document, 2 values>"


def test_a_notebook_shows_the_counts_and_the_matrix():
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


def test_a_unit_that_comes_twice_is_named():
    with pytest.raises(ValueError, match="unit 'A' comes twice"):
        values("ABA", [["x", "y"]] * 3, ["t"] * 3)


def test_a_unit_in_two_documents_is_named():
    with pytest.raises(ValueError, match="unit 'A' is in two documents: 't' and 'u'"):
        values("ABA", [["x", "y"]] * 3, "ttu")
    frame = pd.DataFrame({"Ann": ["x"], "Bob": ["y"]}, index=["A"])
    with pytest.raises(ValueError, match="unit 'A' is in two documents: 't' and 'u'"):
        ReliabilityData.from_frame(frame, pd.Series(["t", "u"], index=["A", "A"]))


def test_a_unit_in_no_document_is_named():
    frame = pd.DataFrame({"Ann": ["x"], "Bob": ["y"]}, index=["A"])
    with pytest.raises(ValueError, match="unit 'A' is in no document"):
        ReliabilityData.from_frame(frame, pd.Series(["t"], index=["B"]))


def test_a_coder_that_comes_twice_is_named():
    with pytest.raises(ValueError, match="coder 'Ann' comes twice"):
        values("A", [["x", "y"]], "t", coders=["Ann", "Ann"])


@pytest.mark.parametrize(
    ("cell", "what"),
    [({"A": 1}, "a dict is neither label nor set"), ([["A"]], "a list is a set of things that cannot be")],
)
def test_a_value_that_is_not_hashable_is_named_with_its_unit_and_coder(cell, what):
    with pytest.raises(ValueError, match=f"unit 'B', coder 'Bob': {what}"):
        values("AB", [["x", "y"], ["x", cell]], "tt")


def test_a_row_of_the_wrong_length_is_named():
    with pytest.raises(ValueError, match="unit 'B' has 1 values for 2 coders"):
        values("AB", [["x", "y"], ["x"]], "tt")


def test_a_missing_row_or_document_is_noticed():
    with pytest.raises(ValueError, match="2 units, 1 rows of values, 2 documents"):
        values("AB", [["x", "y"]], "tt")


@pytest.mark.parametrize(
    "rows",
    [
        [[AB, "x"], [AB, "x"]],  # one chain across two documents
        [[A | {"turn"}, "x"], [B | {"turn"}, "x"]],  # a turn in two documents
        [[AB, "x"], ["x", "y"]],  # a unit of another document in a chain
    ],
)
def test_a_member_of_two_documents_is_named(rows):
    with pytest.raises(ValueError, match=r"'(A|B|turn)' is in documents 't' and 'u'"):
        values("AB", rows, "tu")


def test_sets_of_labels_taken_for_units_are_refused_with_what_to_say():
    rows = [[{"p", "q"}, {"p"}], [{"p"}, {"q"}]]
    with pytest.raises(ValueError, match="'t' and 'u'; of labels that documents share say members=\"labels\""):
        ReliabilityData.from_values("AB", ["Ann", "Bob"], rows, "tu")
    data = ReliabilityData.from_values("AB", ["Ann", "Bob"], rows, "tu", members="labels")
    assert alpha(data, "jaccard").observed == pytest.approx(3 / 4)


def test_the_empty_set_and_labels_may_be_in_several_documents():
    assert alpha(values("AB", [[frozenset(), "x"], [frozenset(), "x"]], "tu")).n_values == 2


@pytest.mark.parametrize("ids", [[1, 2], [["a", "b"]], [[0.5, 1.0]]])
def test_chain_ids_of_another_shape_or_kind_are_refused(ids):
    with pytest.raises(ValueError, match="array of integers with two dimensions"):
        ReliabilityData.from_chain_ids(ids, ["t"])


def test_a_negative_chain_id_is_named():
    with pytest.raises(ValueError, match="unit 1, coder 0: id -2 is neither"):
        ReliabilityData.from_chain_ids([[1, 1], [-2, 1]], ["t", "t"])


def test_chain_ids_need_a_document_for_each_row():
    with pytest.raises(ValueError, match="1 rows of ids, 2 documents"):
        ReliabilityData.from_chain_ids([[1, 1]], ["t", "t"])
