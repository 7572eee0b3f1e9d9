"""One coefficient without a part of the data."""

import pytest
from hypothesis import given

from agreement.measures import LeaveOneOut, alpha, fleiss_kappa, leave_one_out
from tests.agreement.measures.strategies import data_of, one_document, tables
from tests.shared.cases import examples


@examples(40)
@given(tables())
def test_value_without_coder_or_document_equals_value_of_rest(drawn):
    table, documents = drawn
    data = data_of(table, documents)
    for c, part in enumerate(leave_one_out(data, alpha, "jaccard", by="coder").parts):
        rest = data_of({u: row[:c] + row[c + 1 :] for u, row in table.items()}, documents)
        assert part.result.value == pytest.approx(alpha(rest, "jaccard").value)
    for part in leave_one_out(data, fleiss_kappa, by="document").parts:
        rest = data_of({u: row for u, row in table.items() if documents[u] != part.name}, documents)
        assert part.result.value == pytest.approx(fleiss_kappa(rest).value)


@examples(40)
@given(tables())
def test_judgements_of_excluded_category_are_missing(drawn):
    table, documents = drawn
    data = data_of(table, documents)
    found = leave_one_out(data, by="category")
    assert [part.name for part in found.parts] == list(data.labels)
    for part in found.parts:
        rest = {u: [None if v == part.name else v for v in row] for u, row in table.items()}
        assert part.result.value == pytest.approx(alpha(data_of(rest, documents)).value)


def test_excluding_deviating_coder_raises_value():
    rows = [["x", "x", "y"], ["y", "y", "x"], ["x", "x", "x"], ["y", "y", "y"]]
    found = leave_one_out(one_document(rows, ["Ann", "Bob", "Cid"]))
    assert max(found.parts, key=lambda part: part.change).name == "Cid"
    assert found.parts[2].change == pytest.approx(1.0 - found.result.value)
    assert "without Cid 1.0000" in repr(found)
    assert "without Cid" in found._repr_html_()


def test_undefined_value_has_no_change():
    found = leave_one_out(one_document([["x", "y"], ["y", "y"]]), by="coder")
    assert isinstance(found, LeaveOneOut)
    assert [part.change for part in found.parts] == [None, None]
    with pytest.raises(ValueError, match="by is 'text'; it must be one of 'coder', 'document', 'category'"):
        leave_one_out(one_document([["x", "y"]]), by="text")
