"""Sums as bytes: what is stored is read for ever, and nothing else is taken for it."""

from base64 import b64decode, b64encode

import numpy as np
import pytest

from agreement.measures import ReliabilityData, TextSums, documents_sums
from agreement.measures.sums.storage import MARK
from tests.agreement.measures.strategies import data_of

NAMES = ["text", "Straße \x00 \ud83d".encode("utf-16", "surrogatepass").decode("utf-16", "replace"), 7, 1.5, None, True]


def some_sums():
    table = {1: ["a", frozenset("xy")], 2: ["b", "a"], 3: [frozenset(), None]}
    return documents_sums(data_of(table, {1: "one", 2: "two", 3: "two"}), ["nominal", "masi"], exclude_unit="both")


def test_sums_that_version_1_stored_are_read():
    assert TextSums.from_bytes(b64decode(VERSION_1)) == some_sums()
    assert b64encode(some_sums().to_bytes()).decode() == VERSION_1


def test_stored_sums_have_the_names_and_numbers_that_they_had():
    rows = [[label, label] for label in ("a", "b", ("deep", None), frozenset({"p", "q"}), "c", 7)]
    data = ReliabilityData.from_values(range(len(rows)), [("coder", 1), 2], rows, NAMES)
    sums = TextSums.from_bytes(documents_sums(data).to_bytes())
    assert sums == documents_sums(data)
    assert [(type(name), name) for name in sums.documents] == [(type(name), name) for name in NAMES]
    counts = documents_sums(ReliabilityData.from_counts([[2, 1], [0, 3]]))
    assert TextSums.from_bytes(counts.to_bytes()) == counts
    numbered = documents_sums(ReliabilityData.from_chain_ids([[1, 1]], [np.int64(3)]))
    assert TextSums.from_bytes(numbered.to_bytes()).documents == [3]


def test_a_name_that_cannot_be_stored_is_named():
    with pytest.raises(ValueError, match=r"b'bytes' cannot be stored: a name is text, a number, or a tuple or set"):
        documents_sums(ReliabilityData.from_values([1], "AB", [["a", "b"]], [b"bytes"])).to_bytes()


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda stored: b"", "no stored sums"),
        (lambda stored: b"x" + stored[1:], "no stored sums"),
        (lambda stored: stored[:-1], "damaged"),
        (lambda stored: stored + b"x", "damaged"),
        (lambda stored: stored[:-9] + b"\x01" + stored[-8:], "damaged"),
        (lambda stored: MARK + b"\x02" + stored[len(MARK) + 1 :], "version 2, and this library reads 1: compute"),
    ],
)
def test_bytes_that_are_no_sums_of_this_version_are_refused(damage, message):
    with pytest.raises(ValueError, match=message):
        TextSums.from_bytes(damage(some_sums().to_bytes()))


VERSION_1 = (
    "Y29pbmRleCBzdW1zAQAAAJzDpLoMAgAAAAAAAMQAAAAAAAAAeyJvcHRpb25zIjp7ImRpc3RhbmNlcyI6WyJub21pbmFsIiwibWFz"
    "aSJdLCJleGNsdWRlX3VuaXQiOiJib3RoIiwiZW1wdHkiOiJzdWJzZXQiLCJ0aGlyZHMiOiJleGFjdCJ9LCJuYW1lcyI6eyJkb2N1"
    "bWVudHMiOlsib25lIiwidHdvIl0sImNvZGVycyI6WyJBIiwiQiJdLCJsYWJlbHMiOlsiYSIsImIiXX0sImxlbmd0aHMiOlsyLDQs"
    "MywwLDBdfQEAAAAAAAAAAAAAAAAAAAACAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAAAAA"
    "AAAAQAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAACAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAEA"
    "AAAAAAAAAQAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAABAAAAAAAAAAAAAAAA"
    "AAAAAQAAAAAAAAABAAAAAAAAAAEAAAAAAAAAAQAAAAAAAAA="
)
