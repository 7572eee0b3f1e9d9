"""The version of a document is another one as soon as anything is on what its answers depend."""

from dataclasses import replace

import numpy as np
import pytest

from agreement.data.codings.documents import document_key
from agreement.data.codings.table import CODING, CodingTable, Documents, Heading
from agreement.data.storage.versions import digest_version

SCHEME = digest_version("a scheme")
TEA, SEA = document_key(1, 0), document_key(2, 0)


def heading(slug, reason=""):
    return Heading(slug, slug, "main", 0, 1, reason, is_one_of_several=False)


def table(*codings, names=("ann", "ben"), adjudicators=(), given=(), reason=""):
    """Return two documents: what is said of the first, and one coding of the second."""
    documents = Documents.of({TEA: heading("tea", reason), SEA: heading("sea")})
    rows = np.array([*codings, (9, 0, True, 4, "n")], CODING)
    sizes = np.array([len(codings), 1])
    return CodingTable(documents, rows, sizes, names, adjudicators=frozenset(adjudicators), given=dict(given))


CODINGS = [(3, 0, True, 7, "u"), (5, 1, False, 2, "")]
BEFORE = table(*CODINGS)


@pytest.mark.parametrize(
    "after",
    [
        table((4, 0, True, 7, "u"), CODINGS[1]),
        table((3, 0, False, 7, "u"), CODINGS[1]),
        table((3, 0, True, 8, "u"), CODINGS[1]),
        table((3, 0, True, 7, "v"), CODINGS[1]),
        table(CODINGS[0]),
        table(*CODINGS, (6, 1, True, 1, "w")),
        table(*CODINGS, names=("ann", "bea")),
        table(*CODINGS, adjudicators=["ben"]),
        table(*CODINGS, given={1: 12}),
        table(*CODINGS, reason="practice"),
    ],
    ids=["key", "submitted", "number", "operation", "fewer", "more", "name", "adjudicator", "given", "practice"],
)
def test_what_answers_of_a_document_depend_on_is_in_its_version_alone(after):
    before, now = (one.versions_of([TEA, SEA], SCHEME) for one in (BEFORE, after))
    assert before[TEA] != now[TEA]
    assert before[SEA] == now[SEA]


def test_a_version_is_the_same_in_any_process_and_order_of_coders_and_documents():
    swapped = table(*((pk, 1 - coder, *rest) for pk, coder, *rest in CODINGS), names=("ben", "ann"))
    expected = BEFORE.versions_of([TEA], SCHEME)[TEA]
    assert swapped.versions_of([SEA, TEA], SCHEME)[TEA] == expected
    assert replace(BEFORE, number=0).versions_of([TEA], SCHEME) == {TEA: expected}


def test_another_scheme_is_another_version_of_all_documents():
    before, now = (BEFORE.versions_of([TEA, SEA], scheme) for scheme in (SCHEME, digest_version("another")))
    assert not {*before.values()} & {*now.values()}


def test_without_documents_and_codings_there_is_no_version():
    nothing = CodingTable(Documents.of({}), np.zeros(0, CODING), np.zeros(0, dtype=np.int64), ())
    assert nothing.versions_of([], SCHEME) == {}
