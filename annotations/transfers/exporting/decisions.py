"""Decisions on gold as files."""

from __future__ import annotations

import json
from collections.abc import Sequence

from annotations.adjudication.decisions.listing import DescribedDecision
from annotations.formats.syntax.table import write_table

COLUMNS = (
    *("text", "round", "markable", "words", "question", "source", "coders", "reason", "section", "note"),
    *("decided_by", "decided_at", "changed", "answer"),
)
CONTENT_TYPES = {"csv": "text/csv; charset=utf-8", "json": "application/json"}


def write_decisions(decisions: Sequence[DescribedDecision], format_key: str) -> bytes:
    """Return the decisions as a CSV file, or as a list in JSON."""
    records = [one.record() for one in decisions]
    if format_key == "json":
        return f"{json.dumps(records, ensure_ascii=False, indent=1)}\n".encode()
    rows = (
        {
            **record,
            "coders": ", ".join(record["coders"]),
            "decided_by": record["decided_by"] or "",
            "changed": "yes" if record["changed"] else "no",
        }
        for record in records
    )
    return write_table([COLUMNS, *([row[name] for name in COLUMNS] for row in rows)], raw=False)
