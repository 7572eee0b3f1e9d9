"""Tables of rows: columns of nested fields and of empty tables."""

from __future__ import annotations

from coindex.client.answers import JudgementRow
from coindex.client.frames import frame_of


def test_nested_field_gets_column_for_each_key():
    rows = [{"a": 1, "attributes": {"gender": "f"}}, {"a": 2}, {"a": 3, "attributes": {"number": 2}, "b.c": [1]}]
    frame = frame_of(rows, ["a", "attributes"])
    assert frame.columns.tolist() == ["a", "attributes.gender", "b.c", "attributes.number"]
    assert frame["attributes.gender"].tolist()[0] == "f"
    assert frame["attributes.gender"].isna().tolist() == [False, True, True]


def test_empty_table_has_columns():
    frame = frame_of([], list(JudgementRow.__annotations__))
    assert frame.empty
    assert frame.columns.tolist()[:7] == ["text", "coder", "kind", "round", "occasion", "markable", "category"]
