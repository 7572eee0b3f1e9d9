"""What must not change alpha, and what it says if it is undefined."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.measures import SET_DISTANCES, alpha, combine, contributions, document_sums, fleiss_kappa
from tests.agreement.measures import exact
from tests.agreement.measures.checks import assert_result
from tests.agreement.measures.strategies import OPTIONS, data_of, one_document, rearrange, tables
from tests.shared.cases import examples


@examples(120)
@given(
    tables() | tables(readings=True),
    st.sampled_from(SET_DISTANCES),
    OPTIONS,
    st.permutations(range(4)),
    st.randoms(use_true_random=False),
)
def test_alpha_ignores_order_and_names(drawn, name, options, order, random):
    table, documents = drawn
    other = rearrange(table, documents, order, random.sample(list(table), len(table)))
    assert alpha(data_of(*other), name, **options) == alpha(data_of(table, documents), name, **options)


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
def test_alpha_of_long_overlapping_sets_is_exact(exclude_unit):
    table = prefixes(3, 40)
    documents = dict.fromkeys(table, "long")
    for i, row in enumerate([["a", "a", None], [frozenset("xy"), frozenset("x"), frozenset("xyz")]]):
        table[f"short {i}"] = row
        documents[f"short {i}"] = "short"
    found = alpha(data_of(table, documents), "masi", exclude_unit=exclude_unit)
    assert_result(found, exact.alpha(table, "masi", exclude_unit))


def test_sums_refuse_mixed_parameters_and_callables():
    data = one_document([["a", "b"]])
    with pytest.raises(ValueError, match="'text' were made with other parameters"):
        combine([*document_sums(data, "jaccard"), *document_sums(data, "dice")])
    with pytest.raises(ValueError, match="must be a name"):
        document_sums(data, lambda a, b: 1.0)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([], "no data"),
        ([["a"], ["b"]], "no unit is coded by two coders"),
        ([["a", "a"], [None, "b"]], "only one value"),
        ([[frozenset(), frozenset()]], "only one value"),
    ],
)
def test_note_of_undefined_alpha_is_same_for_every_distance(rows, why):
    data = one_document(rows)
    result = alpha(data, "masi")
    assert result.value is None
    assert why in result.note
    assert alpha(data, lambda a, b: 1.0).note == result.note
    assert all(part.share == 0.0 for part in contributions(data))


def test_excluding_unit_can_make_alpha_undefined_or_defined():
    singletons = one_document({u: [frozenset(u)] * 2 for u in "abc"})
    undefined = alpha(singletons, "passonneau", exclude_unit="both")
    assert undefined.value is None
    assert "distance 0" in undefined.note
    assert alpha(singletons, "passonneau").value == 1.0
    chain = one_document({u: [frozenset("abc")] * 2 for u in "abc"})
    assert (alpha(chain, "jaccard").value, alpha(chain, "jaccard", exclude_unit="both").value) == (None, 1.0)


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([], "no data"),
        ([["a"], ["b"]], "fewer than two coders"),
        ([["a", None], [None, "b"]], "coded by all coders"),
        ([["a", "a"], [None, "b"]], "only one value"),
    ],
)
def test_undefined_k_of_dropped_units_has_note(rows, why):
    result = fleiss_kappa(one_document(rows), missing="drop")
    assert result.value is None
    assert why in result.note


def test_k_counts_excluded_units():
    result = fleiss_kappa(one_document([["a", "a"], ["b", "a"], ["a", None]]), missing="drop")
    assert (result.n_units, result.left_out) == (2, {"not coded by all coders": 1})
    result = fleiss_kappa(one_document([["a", "a"], ["b", "a"], ["a", None], [None, None]]), missing="available")
    assert (result.n_units, result.n_judgements, result.left_out) == (3, 5, {"coded by no coder": 1})


@pytest.mark.parametrize(
    ("option", "given"),
    [("distance", "euclid"), ("exclude_unit", True), ("empty", "none"), ("thirds", "third")],
)
@pytest.mark.parametrize("function", [alpha, contributions, document_sums])
def test_error_names_choices_of_unknown_option(function, option, given):
    with pytest.raises(ValueError, match=f"{option} is .*{given}.* must be one of '"):
        function(one_document([["a", "b"]]), **{option: given})


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -1.0])
def test_alpha_refuses_callable_that_is_no_distance(number):
    with pytest.raises(ValueError, match="the distance between 'a' and 'b' is"):
        alpha(one_document([["a", "b"]]), lambda a, b: number)


def test_contributions_show_share_of_each_unit():
    parts = contributions(one_document({"A": [1, 5], "B": [2, 2], "C": [3, 4]}), "interval")
    assert [part.share for part in parts] == pytest.approx([16 / 17, 0, 1 / 17])
