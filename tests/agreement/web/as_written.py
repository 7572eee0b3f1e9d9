"""Comparison of the tables of pages with tables.json.

GOLDEN=write .venv/bin/python -m pytest tests/agreement/web     writes the file again; read its diff
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

FILE = Path(__file__).with_name("tables.json")
# Tables and columns that depend on the time of the test.
OF_TIME = frozenset({"times", "seconds", "days"})

type Rows = list[dict[str, Any]]


def assert_stored_tables(page: str, tables: dict[str, Rows]) -> None:
    """Assert that each table of a page has the rows in the file."""
    found = {
        key: [{name: value for name, value in row.items() if name not in OF_TIME} for row in rows]
        for key, rows in tables.items()
        if key not in OF_TIME
    }
    written = json.loads(FILE.read_text("utf-8"))
    if os.environ.get("GOLDEN") == "write":
        written[page] = found
        lines = [f"{json.dumps(key)}: {json.dumps(written[key], ensure_ascii=False)}" for key in sorted(written)]
        FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    assert found.keys() == written[page].keys()
    for key, rows in found.items():
        assert rows == [{name: _nearly(value) for name, value in row.items()} for row in written[page][key]], key


def _nearly(value: object) -> object:
    return pytest.approx(value, rel=1e-9, abs=1e-12) if isinstance(value, float) else value
