"""The table of codings: the documents of a project, and who has coded them in which state, as columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agreement.data.answers.contents import TextContent, TextEntry
from agreement.data.codings.documents import document_key, row_key
from agreement.data.codings.gold import GOLD
from agreement.data.storage.versions import VERSION_SIZE, Version, digest_version
from agreement.measures.data.arrays import run_offsets
from agreement.measures.values import Bools, Ints

# So many changes of the table are told from each other.
MOST_STEPS = 16
# A coding: `coder` is a place in `CodingTable.names`, `number` its version, `uuid` that of its last operation as text.
CODING = np.dtype([("pk", "<i8"), ("coder", "<i4"), ("submitted", "?"), ("number", "<i8"), ("uuid", "S36")])
# All that the answers of a coding depend on: `coder` is a digest of the name, and of whether that is an adjudicator.
_STATE = np.dtype([("pk", "<i8"), ("coder", "S16"), ("submitted", "?"), ("number", "<i8"), ("uuid", "S36")])


@dataclass(frozen=True, slots=True)
class Heading:
    """What is known of a document besides its answers: as in `TextEntry`."""

    slug: str
    title: str
    round: str
    place: int
    occasion: int
    reason: str
    is_one_of_several: bool

    def entry(self, content: TextContent) -> TextEntry:
        """Return the document with what was answered in it."""
        further = (self.place, self.occasion, self.reason, self.is_one_of_several)
        return TextEntry(self.slug, self.title, self.round, content, *further)


class CodingRow(NamedTuple):
    """A coding as it is now, of the document `text`. `reason` is one of REASONS_LEFT_OUT, or empty where it counts.

    `number` is the version of the coding, `uuid` that of its last operation, or empty.
    """

    pk: int
    text: int
    coder: str
    submitted: bool
    reason: str
    number: int
    uuid: str


class Progress(NamedTuple):
    """How many texts have codings, how many codings there are, and how many are submitted."""

    n_texts: int
    n_codings: int
    n_submitted: int


@dataclass(frozen=True, slots=True, eq=False)
class Documents:
    """The documents that are coded, by key, in the order of `Extract.texts`, and the place of each.

    `is_counted` says which are no practice and no repeats, and `n_texts` of how many texts these are.
    """

    headings: Mapping[int, Heading]
    places: Mapping[int, int]
    is_counted: Bools
    n_texts: int

    @classmethod
    def of(cls, headings: Mapping[int, Heading]) -> Documents:
        """Return the documents with these headings."""
        is_counted = np.array([not one.reason for one in headings.values()], dtype=np.bool_)
        texts = {row_key(key) for key, one in headings.items() if not one.reason}
        return cls(headings, {key: place for place, key in enumerate(headings)}, is_counted, len(texts))

    def with_new(self, headings: Mapping[int, Heading]) -> Documents:
        """Return the documents with others among them."""
        together = {**self.headings, **headings}
        return Documents.of(dict(sorted(together.items(), key=lambda one: (one[1].slug, one[0]))))

    def find(self, text: int, round_: str, occasion: int) -> int | None:
        """Return the key of the document of a text in a round; None where there is none."""
        number = 0
        while (heading := self.headings.get(key := document_key(text, number))) is not None:
            if (heading.round, heading.occasion) == (round_, occasion):
                return key
            number += 1
        return None


_numbers = count()


@dataclass(frozen=True, slots=True, eq=False)
class CodingTable:
    """The codings of documents: `codings` has those of the first document, ordered by coder, then of the next.

    `sizes` has how many each document has, and `names` are the coders, in order. `rounds` has the place of each round
    among those that are coded. `managers` are the members who manage and code, `adjudicators` those who adjudicate.
    `given` has how many markables came with a text, where any did. `gold_left_out` has how much gold does not count, by
    reason, where gold was read. `coders` are the keys of users. `number` is that of no other table; `steps` has the
    numbers of some tables before, each with the documents that alone have changed in the next.
    """

    documents: Documents
    codings: NDArray[np.void]
    sizes: Ints
    names: tuple[str, ...]
    rounds: Mapping[str, int] = field(default_factory=dict)
    managers: tuple[str, ...] = ()
    adjudicators: frozenset[str] = frozenset()
    given: Mapping[int, int] = field(default_factory=dict)
    gold_left_out: Mapping[str, int] = field(default_factory=dict)
    coders: tuple[int, ...] = ()
    steps: tuple[tuple[int, frozenset[int]], ...] = ()
    number: int = field(default_factory=_numbers.__next__)

    @property
    def headings(self) -> Mapping[int, Heading]:
        """What is known of each document besides its codings."""
        return self.documents.headings

    @property
    def progress(self) -> Progress:
        """How far the codings are of documents that are no practice and no repeats."""
        counted = np.repeat(self.documents.is_counted, self.sizes)
        submitted = int(np.count_nonzero(self.codings["submitted"] & counted))
        return Progress(self.documents.n_texts, int(np.count_nonzero(counted)), submitted)

    def rows_of(self, documents: Iterable[int]) -> dict[int, list[CodingRow]]:
        """Return the codings of some documents, by the names of coders."""
        keys = list(documents)
        rows: dict[int, list[CodingRow]] = {key: [] for key in keys}
        found, sizes = self._select(keys)
        of = np.repeat(np.array(keys, dtype=np.int64), sizes).tolist()
        columns = [found[name].tolist() for name in CODING.names or ()]
        for key, pk, number, submitted, version, uuid in zip(of, *columns, strict=True):
            coder = self.names[number]
            reason = self.reason_of(coder, self.headings[key], submitted=submitted)
            rows[key].append(CodingRow(pk, key, coder, submitted, reason, version, uuid.decode()))
        return rows

    def find_open(self, documents: Iterable[int]) -> dict[int, int]:
        """Return the codings of some documents that are not submitted, by key, each with its document."""
        keys = list(documents)
        found, sizes = self._select(keys)
        of = np.repeat(np.array(keys, dtype=np.int64), sizes).tolist()
        return {
            pk: document
            for pk, document, submitted in zip(found["pk"].tolist(), of, found["submitted"].tolist(), strict=True)
            if not submitted
        }

    def _select(self, documents: Sequence[int]) -> tuple[NDArray[np.void], Ints]:
        """Return the codings of some documents, and how many each has."""
        places = np.array([self.documents.places[key] for key in documents], dtype=np.int64)
        sizes = self.sizes[places]
        begins = (np.cumsum(self.sizes) - self.sizes)[places]
        return self.codings[np.repeat(begins, sizes) + run_offsets(sizes)], sizes

    def reason_of(self, coder: str, heading: Heading, *, submitted: bool) -> str:
        """Return why a coding does not count; empty where it does. Who adjudicates has seen the work of the others."""
        if coder == GOLD:
            return ""
        return ("adjudicators" if coder in self.adjudicators else heading.reason) or ("" if submitted else "open")

    def versions_of(self, documents: Iterable[int], scheme: Version) -> dict[int, Version]:
        """Return the version of each of some documents, a digest of all that its answers depend on."""
        keys = list(documents)
        found, sizes = self._select(keys)
        names = [digest_version((name, name in self.adjudicators)) for name in self.names]
        states = np.zeros(len(found), _STATE)
        states["coder"] = np.array(names, _STATE["coder"])[found["coder"]]
        for name in ("pk", "submitted", "number", "uuid"):
            states[name] = found[name]
        together, begin, versions = memoryview(states.view(np.uint8)), 0, dict[int, Version]()
        for key, end in zip(keys, (np.cumsum(sizes) * _STATE.itemsize).tolist(), strict=True):
            about = f"{self.headings[key].reason} {self.given.get(row_key(key), 0)} ".encode()
            state = b"".join((scheme, about, together[begin:end]))
            versions[key], begin = blake2b(state, digest_size=VERSION_SIZE).digest(), end
        return versions

    def with_rows(self, rows: Mapping[int, Sequence[CodingRow]], new: Mapping[int, Heading]) -> CodingTable:
        """Return the table with other codings of some documents, of which some may be new; the same without any."""
        if not rows:
            return self
        documents, sizes = self.documents, self.sizes.copy()
        if new:
            documents, sizes = documents.with_new(new), np.zeros(len(self.sizes) + len(new), dtype=np.int64)
            sizes[[documents.places[key] for key in self.headings]] = self.sizes
        ends, parts, last = np.cumsum(sizes), list[NDArray[np.void]](), 0
        for place, key in sorted((documents.places[key], key) for key in rows):
            parts += [self.codings[last : ends[place] - sizes[place]], _columns(rows[key], self.names)]
            last = ends[place]
            sizes[place] = len(rows[key])
        codings = np.concatenate([*parts, self.codings[last:]])
        steps = (*self.steps, (self.number, frozenset(rows)))[-MOST_STEPS:]
        return replace(self, documents=documents, codings=codings, sizes=sizes, steps=steps, number=next(_numbers))

    def with_gold(self, gold: Mapping[int, CodingRow], left_out: Mapping[str, int]) -> CodingTable:
        """Return those documents that have gold, with it behind the codings of coders."""
        keys = [key for key in self.headings if key in gold]
        rows = [[*of_document, gold[key]] for key, of_document in self.rows_of(keys).items()]
        names = (*self.names, GOLD)
        return replace(
            self,
            documents=Documents.of({key: self.headings[key] for key in keys}),
            codings=_columns([one for of_document in rows for one in of_document], names),
            sizes=np.array([len(of_document) for of_document in rows], dtype=np.int64),
            names=names,
            gold_left_out=left_out,
            steps=(),
            number=next(_numbers),
        )

    def changed_since(self, number: int) -> frozenset[int] | None:
        """Return the documents in which alone a table before was another one; None where more may be."""
        if number == self.number:
            return frozenset()
        numbers = [step for step, _ in self.steps]
        if number not in numbers:
            return None
        return frozenset[int]().union(*(changed for _, changed in self.steps[numbers.index(number) :]))


def _columns(rows: Sequence[CodingRow], names: Sequence[str]) -> NDArray[np.void]:
    numbers = {name: number for number, name in enumerate(names)}
    return np.array([(one.pk, numbers[one.coder], one.submitted, one.number, one.uuid) for one in rows], CODING)
