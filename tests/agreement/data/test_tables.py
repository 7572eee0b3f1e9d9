"""Tables in the memory of a process are bounded in number and bytes."""

from dataclasses import dataclass

import numpy as np
import pytest

from agreement.data.storage import tables
from agreement.data.storage.records import TextRecords
from agreement.data.storage.tables import TextTables


@dataclass(frozen=True)
class Content:
    pk: int
    version = (1, 1)
    is_outdated = False

    @property
    def root(self):
        return self


def read(kept, name, computed):
    """Read a table of one text with a thousand bytes under a name, and note where it was computed."""

    def compute(places):
        computed.append(name)
        return TextRecords.of([1], [1000], [], name=np.zeros(1000, dtype=np.int8))

    contents = [Content(1)]
    kept.read((name,), TextRecords, contents, compute, present=lambda: contents, shared=False)


@pytest.mark.parametrize(
    ("bound", "value", "n_kept"), [("MOST_TABLES", 2, 2), ("MOST_BYTES", 3500, 3), ("MOST_BYTES", 10, 1)]
)
def test_those_not_read_for_longest_go_first(monkeypatch, bound, value, n_kept):
    monkeypatch.setattr(tables, bound, value)
    kept, computed = TextTables(), []
    for name in "abcd":
        read(kept, name, computed)
        read(kept, "a", computed)
    assert len(kept) == n_kept
    computed.clear()
    read(kept, "a", computed)
    assert computed == []  # it was read all the time
    read(kept, "b", computed)
    assert computed == ["b"]
