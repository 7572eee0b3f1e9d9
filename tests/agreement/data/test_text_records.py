"""Records of texts, of which a text has any number, are chosen, exchanged, put together and stored."""

import numpy as np
import pytest

from agreement.data.storage.records import NO_NAME, TextRecords, narrow
from agreement.measures.sums.storage import pack


def records_of(texts):
    """Return records from {document: [(name, number), ...]}; a name may be None."""
    rows = [row for of_text in texts.values() for row in of_text]
    names = sorted({name for name, _ in rows if name is not None})
    return TextRecords.of(
        list(texts),
        [len(of_text) for of_text in texts.values()],
        names,
        name=np.array([NO_NAME if name is None else names.index(name) for name, _ in rows], dtype=np.int32),
        number=np.array([number for _, number in rows], dtype=np.float64),
    )


def texts_of(found):
    """Return what `records_of` makes records from."""
    texts = {document: [] for document in found.documents}
    for place, (name, number) in zip(
        found.text.tolist(), zip(found["name"].tolist(), found["number"].tolist(), strict=True), strict=True
    ):
        texts[found.documents[place]].append((None if name == NO_NAME else found.names[name], number))
    return texts


TEXTS = {1: [("ann", 1.0), (None, 2.0)], 2: [], 3: [("bob", 3.0), ("ann", 4.0), ("bob", 5.0)], 4: [("cid", 6.0)]}


def test_records_come_back_from_their_bytes():
    assert texts_of(TextRecords.from_bytes(records_of(TEXTS).to_bytes())) == TEXTS


def test_damaged_bytes_are_no_records():
    stored = records_of(TEXTS).to_bytes()
    with pytest.raises(ValueError, match="damaged"):
        TextRecords.from_bytes(stored[:-1])


@pytest.mark.parametrize("rows", [[0, 1, 2, 3], [2], [3, 1, 0], []])
def test_some_texts_are_chosen_in_any_order(rows):
    documents = list(TEXTS)
    chosen = [documents[row] for row in rows]
    found = records_of(TEXTS).select(np.array(rows, dtype=np.int64))
    assert list(texts_of(found).items()) == [(document, TEXTS[document]) for document in chosen]


@pytest.mark.parametrize(
    "new", [{2: [("dan", 7.0), ("ann", 8.0)]}, {1: [], 4: [("ann", 9.0)]}, {3: [(None, 1.0)]}, TEXTS]
)
def test_texts_are_exchanged_also_for_those_with_other_names(new):
    places = np.array([list(TEXTS).index(document) for document in new], dtype=np.int64)
    assert texts_of(records_of(TEXTS).exchange(places, records_of(new))) == TEXTS | new


def test_parts_with_other_names_are_put_together():
    parts = [{document: of_text} for document, of_text in TEXTS.items()]
    assert texts_of(TextRecords.concatenate([records_of(part) for part in parts])) == TEXTS


def test_sums_are_by_text_and_name_without_records_of_others():
    found = records_of(TEXTS)
    assert found.tabulate(["bob", "ann"], "number").tolist() == [[0, 1], [0, 0], [8, 4], [0, 0]]
    chosen = found["number"] > 3
    assert found.tabulate(["bob", "ann"], "number", chosen).tolist() == [[0, 0], [0, 0], [5, 4], [0, 0]]


@pytest.mark.parametrize(
    ("ends", "kind"), [((-128, 127), "int8"), ((0, 128), "int16"), ((-32769, 0), "int32"), ((0, 2**31), "int64")]
)
def test_numbers_take_the_smallest_type_that_holds_them(ends, kind):
    assert narrow(np.array(ends)).tolist() == [*ends]
    assert narrow(np.array(ends)).dtype == kind
    assert narrow(np.zeros(0, dtype=np.int64)).dtype == "int8"


def test_a_larger_number_than_all_before_is_exchanged_and_stored():
    def counted(documents, counts):
        counts = np.array(counts, dtype=np.int64)
        return TextRecords.of(
            documents, [1] * len(documents), ["ann"], name=np.zeros(len(counts), dtype=np.int8), counts=narrow(counts)
        )

    found = counted([1, 2], [[1, 2], [3, 4]]).exchange(np.array([1]), counted([2], [[5, 70_000]]))
    assert found["counts"].tolist() == [[1, 2], [5, 70_000]]
    stored = TextRecords.from_bytes(found.to_bytes())
    assert (stored["counts"].tolist(), stored.nbytes) == (found["counts"].tolist(), 2 * 1 + 4 * 4)


def test_names_that_no_record_has_any_longer_are_not_stored():
    found = records_of(TEXTS).exchange(np.array([2]), records_of({3: [("dan", 1.0), (None, 2.0)]}))
    stored = TextRecords.from_bytes(found.to_bytes())
    assert list(stored.names) == ["ann", "cid", "dan"]
    assert texts_of(stored) == texts_of(found)


def test_the_form_of_one_array_with_all_fields_is_computed_again():
    """Tables were stored so for a day before the next release."""
    records = np.zeros(2, np.dtype([("name", "<i4"), ("number", "<f8")]))
    sizes = np.array([1, 1], dtype="<i8")
    stored = pack({"fields": records.dtype.descr}, {"documents": [1, 2], "names": ["ann"]}, [sizes, records])
    with pytest.raises(ValueError, match="unpack"):
        TextRecords.from_bytes(stored)
