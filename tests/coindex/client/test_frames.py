"""Tables of rows: columns of what a field has by keys, and the columns of none."""

from __future__ import annotations

from coindex.client.answers import JudgementRow
from coindex.client.frames import frame_of


def test_what_a_field_has_by_keys_has_a_column_for_each():
    rows = [{"a": 1, "attributes": {"gender": "f"}}, {"a": 2}, {"a": 3, "attributes": {"number": 2}, "b.c": [1]}]
    frame = frame_of(rows, ["a", "attributes"])
    assert frame.columns.tolist() == ["a", "attributes.gender", "b.c", "attributes.number"]
    assert frame["attributes.gender"].tolist()[0] == "f"
    assert frame["attributes.gender"].isna().tolist() == [False, True, True]


def test_a_table_of_no_rows_has_the_columns():
    frame = frame_of([], list(JudgementRow.__annotations__))
    assert frame.empty
    assert frame.columns.tolist()[:7] == ["text", "coder", "kind", "round", "occasion", "markable", "category"]
