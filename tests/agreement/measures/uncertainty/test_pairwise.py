"""One coefficient of each two coders."""

import math

import pytest
from hypothesis import given

from agreement.measures import Pairwise, alpha, cohen_kappa, pairwise
from tests.agreement.measures.strategies import data_of, one_document, tables
from tests.shared.cases import examples


@examples(40)
@given(tables())
def test_pair_value_equals_value_of_two_coders_alone(drawn):
    table, documents = drawn
    data = data_of(table, documents)
    found = pairwise(data, alpha, "masi", exclude_unit="both")
    for (a, b), result in found.results.items():
        i, j = data.coders.index(a), data.coders.index(b)
        alone = data_of({u: [row[i], row[j]] for u, row in table.items()}, documents)
        expected = alpha(alone, "masi", exclude_unit="both")
        assert (result.value, result.n_judgements) == (expected.value, expected.n_judgements)
    assert len(found.results) == math.comb(len(data.coders), 2)


def test_table_of_pairs_is_symmetric_with_empty_diagonal():
    rows = [["x", "x", "y"], ["y", "y", "y"], ["x", "x", "x"]]
    found = pairwise(one_document(rows, ["Ann", "Bob", "Cid"]), cohen_kappa)
    frame = found.to_frame()
    assert frame.loc["Ann", "Bob"] == frame.loc["Bob", "Ann"] == 1.0
    assert found["Bob", "Ann"] is found["Ann", "Bob"]
    assert all(math.isnan(frame.loc[coder, coder]) for coder in frame.index)
    assert found.mean == pytest.approx((1 + 2 * found.results["Ann", "Cid"].value) / 3)
    assert repr(found) == f"<kappa of 3 pairs of coders, mean {found.mean:.4f}>"
    assert "Bob" in found._repr_html_()


def test_mean_shows_number_of_defined_pairs():
    found = pairwise([["x", "x", None], ["y", "x", None], ["x", None, "y"]], alpha)
    assert found.n_defined < len(found.results)
    assert f"mean {found.mean:.4f} of {found.n_defined} that have one" in repr(found)


def test_mean_excludes_undefined_pairs():
    found = pairwise(one_document([["x", "x", None], ["y", "y", None]]), cohen_kappa)
    assert (found.results["A", "B"].value, found.results["A", "C"].value, found.mean) == (1.0, None, 1.0)
    assert pairwise(one_document([["x"]]), alpha) == Pairwise(("A",), {})
    assert pairwise(one_document([["x"]]), alpha).mean is None
