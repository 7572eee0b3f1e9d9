"""Tables give each text its own rows, whatever was read before, and are bounded in number and bytes."""

from dataclasses import dataclass
from random import Random

import numpy as np
import pytest

from agreement.data.storage import tables
from agreement.data.storage.records import TextRecords
from agreement.data.storage.tables import TextTables


@dataclass(frozen=True)
class Content:
    pk: int
    number: int = 0
    is_outdated = False

    @property
    def version(self):
        return self.pk, self.number

    @property
    def root(self):
        return self


def compute_rows(contents):
    """Return as many records of each content as its number says, with its key and number."""
    sizes = [one.number % 3 for one in contents]
    named = [(one.pk, one.number) for one, size in zip(contents, sizes, strict=True) for _ in range(size)]
    pk, number = np.array(named, dtype=np.int64).reshape(-1, 2).T
    return TextRecords.of([one.pk for one in contents], sizes, ["name"], name=pk * 0, pk=pk, number=number)


def read_asked(kept, asked, present):
    def compute(places):
        return compute_rows([asked[place] for place in places])

    return kept.read(("rows",), TextRecords, asked, compute, present=lambda: present, shared=False)


@pytest.mark.parametrize("seed", range(20))
def test_each_text_has_its_own_rows_in_the_order_of_who_reads(seed):
    chance, kept = Random(seed), TextTables()
    present = [Content(pk) for pk in range(1, 8)]

    for _ in range(60):
        match chance.randrange(6):
            case 0:  # a text that is new
                present.insert(chance.randrange(len(present) + 1), Content(100 + chance.randrange(900)))
                present = list({one.pk: one for one in present}.values())
            case 1 if len(present) > 2:
                present.pop(chance.randrange(len(present)))
            case 2:
                chance.shuffle(present)
        for place in chance.sample(range(len(present)), chance.randrange(min(3, len(present)))):
            present[place] = Content(present[place].pk, present[place].number + 1)
        asked = chance.choice([present, chance.sample(present, chance.randrange(1, len(present) + 1))])
        found = read_asked(kept, asked, present)
        expected = compute_rows(asked)
        assert list(found.documents) == list(expected.documents)
        for field in ("pk", "number"):
            assert found[field].tolist() == expected[field].tolist()


@pytest.mark.parametrize("change", [lambda texts: texts[:2] + texts[3:], lambda texts: texts[::-1]])
def test_after_the_next_change_a_table_has_the_texts_that_there_are_in_their_order(change):
    kept, texts = TextTables(), [Content(pk, 1) for pk in range(1, 6)]
    read_asked(kept, texts, texts)
    first, *others = change(texts)
    changed = [Content(first.pk, 2), *others]
    found = read_asked(kept, changed, changed)
    assert list(found.documents) == [one.pk for one in changed]
    assert read_asked(kept, changed, changed) is found  # no row has to be left out, or put elsewhere


def test_rows_of_a_scheme_that_has_changed_do_not_stand_beside_new_ones():
    kept = TextTables()

    def read_counts(asked, present, n_categories):
        def compute(places):
            n, counts = len(places), np.full((len(places), n_categories), n_categories)
            return TextRecords.of([asked[place].pk for place in places], [1] * n, [""], name=np.zeros(n, int), n=counts)

        found = kept.read(("counts",), TextRecords, asked, compute, present=lambda: present, shared=False)
        return found["n"].tolist()

    before, after = ([Content(pk, number) for pk in range(1, 6)] for number in (1, 2))
    assert read_counts(before, before, 4) == [[4] * 4] * 5
    assert read_counts(after[1:3], after, 2) == [[2] * 2] * 2
    assert read_counts(after, after, 2) == [[2] * 2] * 5


def test_no_rows_stand_for_a_text_that_is_not_among_those_there_are():
    kept, texts = TextTables(), [Content(1, 1), Content(2, 1)]
    read_asked(kept, texts, texts)
    with pytest.raises(LookupError, match="not among those that there are"):
        read_asked(kept, [*texts, Content(3, 1)], [Content(2, 1), Content(3, 1)])


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
