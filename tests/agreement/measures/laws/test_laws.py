"""What must not change a coefficient, and what it must be."""

import json
from dataclasses import asdict
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.measures import (
    SET_DISTANCES,
    DocumentSums,
    alpha,
    combine,
    contributions,
    document_sums,
    fleiss_kappa,
)
from tests.agreement.measures.strategies import data_of, one_document, tables
from tests.shared.cases import examples

OPTIONS = st.fixed_dictionaries(
    {
        "distance": st.sampled_from(SET_DISTANCES),
        "exclude_unit": st.sampled_from(["none", "observed", "both"]),
        "empty": st.sampled_from(["subset", "disjoint"]),
    }
)
few = examples(40)


@few
@given(tables(), OPTIONS, st.permutations(range(4)))
def test_the_order_of_coders_changes_no_digit(drawn, options, order):
    table, documents = drawn
    permuted = {u: [row[i] for i in order if i < len(row)] for u, row in table.items()}
    assert alpha(data_of(permuted, documents), **options) == alpha(data_of(table, documents), **options)


@few
@given(tables(), OPTIONS, st.randoms(use_true_random=False))
def test_the_order_of_units_and_documents_changes_no_digit(drawn, options, random):
    table, documents = drawn
    units = list(table)
    random.shuffle(units)
    shuffled = {u: table[u] for u in units}
    assert alpha(data_of(shuffled, documents), **options) == alpha(data_of(table, documents), **options)


@few
@given(tables(), OPTIONS)
def test_other_names_change_no_digit(drawn, options):
    table, documents = drawn

    def renamed(value):
        if isinstance(value, frozenset):
            return frozenset(("new", member) for member in value)
        return value and "label " + value

    other = {("new", u): [renamed(v) for v in row] for u, row in table.items()}
    where = {("new", u): ("document", d) for u, d in documents.items()}
    assert alpha(data_of(other, where), **options) == alpha(data_of(table, documents), **options)


@few
@given(tables(), OPTIONS)
def test_coders_who_agree_have_alpha_one_or_none(drawn, options):
    table, documents = drawn
    same = {u: [row[0]] * 3 for u, row in table.items()}
    result = alpha(data_of(same, documents), **options)
    assert result.value in (1.0, None)
    assert (result.value is None) == bool(result.note)
    assert fleiss_kappa(data_of(same, documents)).value in (pytest.approx(1.0), None)


@few
@given(tables(), OPTIONS)
def test_unpairable_unit_changes_nothing(drawn, options):
    table, documents = drawn
    pairable = {u: row for u, row in table.items() if sum(v is not None for v in row) > 1}
    some, every = (alpha(data_of(t, documents), **options) for t in (pairable, table))
    assert (some.value, some.observed, some.expected) == (every.value, every.observed, every.expected)
    assert sum(every.left_out.values()) == len(table) - len(pairable)


@few
@given(tables(), OPTIONS, st.randoms(use_true_random=False))
def test_sums_kept_per_document_give_the_digits_of_the_whole(drawn, options, random):
    table, documents = drawn
    kept = []
    for document in dict.fromkeys(documents.values()):
        part = {u: row for u, row in table.items() if documents[u] == document}
        [sums] = document_sums(data_of(part, documents), **options)
        kept.append(DocumentSums(**json.loads(json.dumps(asdict(sums)))))
    random.shuffle(kept)
    whole = alpha(data_of(table, documents), **options)
    if kept:
        assert combine(kept) == whole
    else:
        assert whole.note == "there is no data"


def prefixes(n_coders, length):
    """Return partial chains: each value is the members of one long chain before the unit, with some left out."""
    random = Random(7)
    table: dict[int | str, list[object]] = {m: [] for m in range(length)}
    for _ in range(n_coders):
        chain = [m for m in range(length) if random.random() < 0.9]
        for m in range(length):
            table[m].append(frozenset(x for x in chain if x < m) if m in chain else frozenset([m, "turn"]))
    return table


@pytest.mark.parametrize("exclude_unit", ["none", "both"])
def test_long_overlapping_sets_beside_small_ones_are_compared_exactly(exclude_unit, monkeypatch):
    table = prefixes(3, 40)
    documents = dict.fromkeys(table, "long")
    for i, row in enumerate([["a", "a", None], [frozenset("xy"), frozenset("x"), frozenset("xyz")]]):
        table[f"short {i}"] = row
        documents[f"short {i}"] = "short"
    data = data_of(table, documents)
    by_products = alpha(data, "masi", exclude_unit=exclude_unit)
    monkeypatch.setattr("agreement.measures.sums.overlaps._is_dense", lambda members, *rest: members < 0)
    assert alpha(data, "masi", exclude_unit=exclude_unit) == by_products


def test_sums_of_other_parameters_are_refused():
    data = one_document([["a", "b"]])
    with pytest.raises(ValueError, match="'text' were made with other parameters"):
        combine([*document_sums(data, "jaccard"), *document_sums(data, "dice")])


def test_sums_of_a_callable_are_refused():
    with pytest.raises(ValueError, match="must be a name"):
        document_sums(one_document([["a", "b"]]), lambda a, b: 1.0)  # type: ignore[arg-type]


def test_coders_of_different_documents_count_once():
    data = data_of({1: ["a", "b", None], 2: [None, "a", "a"]}, {1: "one", 2: "two"})
    assert alpha(data).n_coders == 3
    assert [sums.coders for sums in document_sums(data)] == [("A", "B"), ("B", "C")]


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([], "no data"),
        ([["a"], ["b"]], "no unit is coded by two coders"),
        ([["a", None], [None, None]], "no unit is coded by two coders"),
        ([["a", "a"], ["a", "a"]], "only one value"),
        ([["a", "a"], [None, "b"]], "only one value"),
        ([[frozenset(), frozenset()]], "only one value"),
    ],
)
def test_alpha_without_a_possible_disagreement_is_undefined_and_says_why(rows, why):
    data = one_document(rows)
    result = alpha(data, "masi")
    assert result.value is None
    assert why in result.note
    assert alpha(data, lambda a, b: 1.0).note == result.note
    assert all(part.share == 0.0 for part in contributions(data))


def test_alpha_of_singletons_without_their_units_is_undefined():
    data = one_document({u: [frozenset(u)] * 2 for u in "abc"})
    result = alpha(data, "passonneau", exclude_unit="both")
    assert result.value is None
    assert "distance 0" in result.note
    assert alpha(data, "passonneau").value == 1.0


def test_one_chain_of_all_units_differs_from_unit_to_unit_once_the_units_are_removed():
    data = one_document({u: [frozenset("abc")] * 2 for u in "abc"})
    assert alpha(data, "jaccard").value is None
    assert alpha(data, "jaccard", exclude_unit="both").value == 1.0


@pytest.mark.parametrize(
    ("rows", "missing", "why"),
    [
        ([], "drop", "no data"),
        ([["a"], ["b"]], "drop", "fewer than two coders"),
        ([["a", None], [None, "b"]], "drop", "coded by all coders"),
        ([["a", None], [None, "b"]], "available", "coded by two coders"),
        ([["a", "a"], [None, "b"]], "drop", "only one value"),
    ],
)
def test_k_without_a_possible_disagreement_is_undefined_and_says_why(rows, missing, why):
    result = fleiss_kappa(one_document(rows), missing=missing)
    assert result.value is None
    assert why in result.note


def test_k_says_how_many_units_it_left_out():
    result = fleiss_kappa(one_document([["a", "a"], ["b", "a"], ["a", None]]), missing="drop")
    assert (result.n_units, result.left_out) == (2, {"not coded by all coders": 1})
    result = fleiss_kappa(one_document([["a", "a"], ["b", "a"], ["a", None], [None, None]]), missing="available")
    assert (result.n_units, result.n_judgements, result.left_out) == (3, 5, {"coded by no coder": 1})


@pytest.mark.parametrize(
    ("option", "given"),
    [("distance", "euclid"), ("exclude_unit", True), ("empty", "none"), ("thirds", "third")],
)
@pytest.mark.parametrize("function", [alpha, contributions, document_sums])
def test_an_unknown_option_is_named_with_what_it_may_be(function, option, given):
    data = one_document([["a", "b"]])
    with pytest.raises(ValueError, match=f"{option} is .*{given}.* must be one of '"):
        function(data, **{option: given})


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -1.0])
def test_a_callable_that_is_no_distance_is_refused(number):
    with pytest.raises(ValueError, match="the distance between 'a' and 'b' is"):
        alpha(one_document([["a", "b"]]), lambda a, b: number)


def test_contributions_of_units_show_who_disagrees():
    parts = contributions(one_document({"A": [1, 5], "B": [2, 2], "C": [3, 4]}), "interval")
    assert [part.share for part in parts] == pytest.approx([16 / 17, 0, 1 / 17])
