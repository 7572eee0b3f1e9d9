"""The answers of coders in documents as columns: tables of members, codings, marks, links and sets, by document."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from agreement.data.links import count_readings, find_first_classes, number_alternatives, share_reading
from agreement.measures.data.arrays import run_offsets, run_starts
from agreement.measures.values import Bools, Ints

# What stands in place of a value. No key of a value is like these.
NOT_ASKED, NO_LABEL = "not asked", "no label"
# In place of a category, where the coder marked the unit without judging it; of a set, where a mark is in none.
NO_CATEGORY = NO_SET = -1

# A document: how many units, other members, codings and sets it has, and what is equal for equal keys of its members.
DOCUMENT = np.dtype([("units", "<i4"), ("others", "<i4"), ("codings", "<i4"), ("sets", "<i4"), ("digest", "V32")])
# A unit, or a markable that is only pointed at: its key, its level by number, and whether every coder is given it.
MEMBER = np.dtype([("key", "<i8"), ("level", "<i4"), ("given", "?")])
# A coding: its primary key, how many marks and links it has, and what is equal for equal answers. Of `unasked`
# judgements a question was not asked, and `unanswered` have no answer to it. `coder` and `reason` are numbers.
CODING = np.dtype(
    [
        ("key", "<i8"),
        ("coder", "<i4"),
        ("submitted", "?"),
        ("reason", "i1"),
        ("marks", "<i4"),
        ("links", "<i4"),
        ("unasked", "<i4"),
        ("unanswered", "<i4"),
        ("digest", "V32"),
    ]
)
# A unit that a coder marked, by its place in the document, ascending; its category by number, NO_CATEGORY where it was
# not judged; whether the answer has all that its category asks for; whether it was judged under another version of the
# scheme than those that were read, so that the answer is missing, whatever silence means; and its whole chain, or the
# union of its classes, as a set of the document, also where it only ends a chain; NO_SET where it is in none.
MARK = np.dtype([("unit", "<i4"), ("category", "<i4"), ("complete", "?"), ("other_version", "?"), ("set", "<i4")])
# A link of a judgement, which is a place among the marks of its coding: to a member of the document, or to a class of
# its coding, by number. Links of one reading are meant together; those of others are alternatives.
LINK = np.dtype([("of", "<i4"), ("to", "<i4"), ("reading", "<i4")])
# A set: how many members it has. No two sets of a document are equal.
MARK_SET = np.dtype([("size", "<i4")])
# A member of a set, by its place in the document, ascending.
ELEMENT = np.dtype([("member", "<i4")])

type Rows = NDArray[np.void]

KINDS = (DOCUMENT, MEMBER, CODING, MARK, LINK, MARK_SET, ELEMENT)


def ranges(starts: Ints, sizes: Ints) -> Ints:
    """Return the places from each start on, as many as its size."""
    return np.repeat(starts, sizes) + run_offsets(sizes)


def starts_of(sizes: Ints) -> Ints:
    """Return where each of several runs begins."""
    return np.cumsum(sizes) - sizes


def sum_runs(chosen: Bools, sizes: Ints) -> Ints:
    """Return how many are chosen of each of several runs."""
    sums = np.concatenate(([0], np.cumsum(chosen)))
    return np.diff(sums[np.concatenate(([0], np.cumsum(sizes)))])


def take_runs(rows: Rows, sizes: Ints, chosen: Ints) -> Rows:
    """Return the rows of the chosen runs, of which each has so many rows; runs that stay together are not copied."""
    begins = run_starts(chosen - np.arange(len(chosen)))
    ends = starts_of(sizes) + sizes
    first, last = chosen[begins], chosen[np.append(begins[1:], len(chosen)) - 1] if len(chosen) else chosen
    slices = [rows[a:b] for a, b in zip((ends - sizes)[first].tolist(), ends[last].tolist(), strict=True)]
    return slices[0] if len(slices) == 1 else np.concatenate([rows[:0], *slices])


class KeyIndex:
    """Where keys stand: at their own places, or at these."""

    def __init__(self, keys: Ints, places: Ints | None = None) -> None:
        order = np.argsort(keys, kind="stable")
        # behind the keys one that nobody looks for
        self.keys = np.append(keys[order], np.iinfo(np.int64).max)
        self.places = np.append(order if places is None else places[order], -1)

    def find(self, wanted: Ints) -> Ints:
        """Return the place of each key; -1 of those that are not there."""
        found = np.searchsorted(self.keys, wanted)
        return np.where(self.keys[found] == wanted, self.places[found], -1)


@dataclass(frozen=True, slots=True)
class CodingAnswers:
    """The answers of one coding: its row, marks and links, the members of its document, and the places of both."""

    place: int
    document: int
    coding: np.void
    marks: Rows
    links: Rows
    members: Rows


@dataclass(frozen=True, eq=False)
class AnswerColumns:
    """Answers of documents: a table of each of KINDS.

    Members, codings, marks, links and sets stand in the order of their documents, marks and links in that of their
    codings, elements in that of their sets; members are the units of a document and then its others, both in text
    order. `indices` are the names of the classes of each coding, where coders index. Where `has_sets` is false nobody
    has looked for the sets of marks. Names such as `coding_of_mark` are of places: that of the coding of each mark.
    """

    documents: Rows
    members: Rows
    codings: Rows
    marks: Rows = field(default_factory=lambda: np.zeros(0, MARK))
    links: Rows = field(default_factory=lambda: np.zeros(0, LINK))
    sets: Rows = field(default_factory=lambda: np.zeros(0, MARK_SET))
    elements: Rows = field(default_factory=lambda: np.zeros(0, ELEMENT))
    indices: tuple[tuple[str, ...], ...] = field(default=(), kw_only=True)
    has_sets: bool = field(default=False, kw_only=True)

    def with_marks(self, coding: Ints, **fields: Ints | Bools) -> "AnswerColumns":
        """Return the answers with these marks, ordered by coding and unit."""
        codings, marks = self.codings.copy(), np.zeros(len(coding), MARK)
        codings["marks"], marks["set"] = np.bincount(coding, minlength=len(codings)), NO_SET
        for name, column in fields.items():
            marks[name] = column
        return replace(self, codings=codings, marks=marks)

    def with_links(self, of: Ints, to: Ints, reading: Ints) -> "AnswerColumns":
        """Return the answers with these links, ordered by mark."""
        codings, links, coding = self.codings.copy(), np.zeros(len(of), LINK), self.coding_of_mark[of]
        codings["links"] = np.bincount(coding, minlength=len(codings))
        links["of"], links["to"], links["reading"] = of - starts_of(codings["marks"])[coding], to, reading
        return replace(self, codings=codings, links=links)

    @cached_property
    def n_members(self) -> Ints:
        n_members: Ints = self.documents["units"].astype(np.int64) + self.documents["others"]
        return n_members

    @cached_property
    def first_unit(self) -> Ints:
        """The place of the first unit of each document among the units of all documents."""
        return starts_of(self.documents["units"])

    @cached_property
    def document_of_coding(self) -> Ints:
        return np.repeat(np.arange(len(self.documents)), self.documents["codings"])

    @cached_property
    def coding_of_mark(self) -> Ints:
        return np.repeat(np.arange(len(self.codings)), self.codings["marks"])

    @cached_property
    def coding_of_link(self) -> Ints:
        return np.repeat(np.arange(len(self.codings)), self.codings["links"])

    @cached_property
    def mark_of_link(self) -> Ints:
        marks: Ints = starts_of(self.codings["marks"])[self.coding_of_link] + self.links["of"]
        return marks

    @cached_property
    def document_of_mark(self) -> Ints:
        return self.document_of_coding[self.coding_of_mark]

    @cached_property
    def document_of_unit(self) -> Ints:
        return np.repeat(np.arange(len(self.documents)), self.documents["units"])

    @cached_property
    def units(self) -> Rows:
        return self.members[ranges(starts_of(self.n_members), self.documents["units"])]

    @cached_property
    def others(self) -> Rows:
        """What is only pointed at, in all documents."""
        return self.members[ranges(starts_of(self.n_members) + self.documents["units"], self.documents["others"])]

    @cached_property
    def unit_of_mark(self) -> Ints:
        """The place of the unit of each mark, among the units of all documents."""
        units: Ints = self.first_unit[self.document_of_mark] + self.marks["unit"]
        return units

    def number_members(self, documents: Ints, places: Ints) -> Ints:
        """Return the numbers of members, by their places in these documents: units first, then all others."""
        n_units, n_others = (self.documents[name].astype(np.int64) for name in ("units", "others"))
        other = places - n_units[documents]
        of_others = n_units.sum() + starts_of(n_others)[documents] + other
        return np.where(other < 0, self.first_unit[documents] + places, of_others)

    @property
    def tables(self) -> tuple[Rows, ...]:
        """All tables, in the order of KINDS."""
        return self.documents, self.members, self.codings, self.marks, self.links, self.sets, self.elements

    @cached_property
    def is_judgement(self) -> Bools:
        is_judgement: Bools = self.marks["category"] != NO_CATEGORY
        return is_judgement

    @cached_property
    def n_judgements(self) -> Ints:
        return sum_runs(self.is_judgement, self.codings["marks"])

    @cached_property
    def n_other_versions(self) -> Ints:
        """How many judgements of each coding are of other versions of the scheme."""
        return sum_runs(self.marks["other_version"], self.codings["marks"])

    @cached_property
    def is_answer(self) -> Bools:
        """Which coders have answered: to submit a text without a judgement is an answer, too."""
        is_answer: Bools = (self.n_judgements > 0) | self.codings["submitted"]
        return is_answer

    @cached_property
    def n_readings(self) -> Ints:
        """How many readings each mark has: with two or more it is ambiguous."""
        return count_readings(self.mark_of_link, self.links["reading"].astype(np.int64), len(self.marks))

    @property
    def readings(self) -> Ints | None:
        """The reading of each link; None where each link is a reading of its own."""
        reading = self.links["reading"].astype(np.int64)
        return None if np.array_equal(reading, number_alternatives(self.mark_of_link)[: len(reading)]) else reading

    @property
    def sizes(self) -> Ints:
        """How many rows each document has in each of the tables: (documents, KINDS)."""
        n, codings, sets = len(self.documents), self.documents["codings"], self.documents["sets"]
        marks, links = (np.bincount(self.document_of_coding, self.codings[name], n) for name in ("marks", "links"))
        elements = np.bincount(np.repeat(np.arange(n), sets), self.sets["size"], n)
        sizes = (np.ones(n, dtype=np.int64), self.n_members, codings, marks, links, sets, elements)
        return np.stack(sizes, axis=1).astype("<i8")

    @property
    def bounds(self) -> list[list[int]]:
        """Where each document begins in each of the tables, and behind the last one where it ends."""
        ends = np.concatenate((np.zeros((1, len(KINDS)), np.int64), np.cumsum(self.sizes, axis=0)))
        bounds: list[list[int]] = ends.tolist()
        return bounds

    @classmethod
    def merge(cls, sources: Sequence["AnswerColumns"], chosen: Sequence[tuple[int, int]]) -> "AnswerColumns":
        """Return documents, at least one, each by the number of its source and its place there; each is copied once."""
        bounds = [source.bounds for source in sources]
        runs = list[tuple[int, list[int], list[int]]]()
        for source, place in chosen:
            begin, end = bounds[source][place : place + 2]
            if runs and runs[-1][0] == source and runs[-1][2] == begin:  # it stands behind the one before there, too
                _, begin, _ = runs.pop()
            runs.append((source, begin, end))
        tables = []
        for number, kind in enumerate(KINDS):
            rows, width = [memoryview(source.tables[number].view("u1")) for source in sources], kind.itemsize
            parts = [rows[source][begin[number] * width : end[number] * width] for source, begin, end in runs]
            tables.append(np.frombuffer(b"".join(parts), kind))
        indices = tuple(names for source, begin, end in runs for names in sources[source].indices[begin[2] : end[2]])
        return cls(*tables, indices=indices, has_sets=all(source.has_sets for source in sources))

    def select(self, documents: Ints, kept: Bools | None = None) -> "AnswerColumns":
        """Return some of the documents, in this order, with all of their codings or those that are kept."""
        sizes = self.documents["codings"][documents]
        codings = ranges(starts_of(self.documents["codings"])[documents], sizes)
        if kept is not None:
            chosen = kept[codings]
            sizes = np.bincount(np.repeat(np.arange(len(documents)), sizes)[chosen], minlength=len(documents))
            codings = codings[chosen]
        return self.gather(documents, codings, sizes)

    def gather(self, documents: Ints, codings: Ints, sizes: Ints) -> "AnswerColumns":
        """Return documents with these codings, of which each document has so many, also those of another round."""
        of_sets = self.documents["sets"]
        sets = ranges(starts_of(of_sets)[documents], of_sets[documents])
        found = AnswerColumns(
            self.documents[documents],
            take_runs(self.members, self.n_members, documents),
            self.codings[codings],
            take_runs(self.marks, self.codings["marks"], codings),
            take_runs(self.links, self.codings["links"], codings),
            self.sets[sets],
            take_runs(self.elements, self.sets["size"], sets),
            indices=tuple(self.indices[place] for place in codings.tolist()) if self.indices else (),
            has_sets=self.has_sets and np.array_equal(self.document_of_coding[codings], np.repeat(documents, sizes)),
        )
        found.documents["codings"] = sizes
        return found

    def with_first_readings(self) -> "AnswerColumns":
        """Return the answers with the first reading of each judgement alone, or its first class (`first_class`)."""
        if self.indices:
            width = int(self.links["to"].max(initial=0)) + 1
            first = find_first_classes(self.mark_of_link, self.coding_of_link * width + self.links["to"])
        else:
            first = self.links["reading"] == 0
        codings = self.codings.copy()
        codings["links"] = np.bincount(self.coding_of_link[first], minlength=len(codings))
        return replace(self, codings=codings, links=self.links[first], has_sets=False)

    def with_digests(self, categories: Sequence[str], *, readings: bool = False) -> "AnswerColumns":
        """Return the answers with a digest of each coding, without names. readings: also of the readings of links."""
        codings = self.codings.copy()
        sizes = self.documents["units"][self.document_of_coding].tolist()
        digests = [
            _digest_coding(coding, n_units, categories, readings=readings)
            for coding, n_units in zip(self.each_coding(), sizes, strict=True)
        ]
        codings["digest"] = np.frombuffer(b"".join(digests), CODING["digest"])
        return replace(self, codings=codings)

    def each_coding(self, documents: Ints | None = None) -> Iterator[CodingAnswers]:
        """Return the answers of each coding, or of those of some documents."""
        begins = [starts_of(sizes) for sizes in (self.n_members, self.codings["marks"], self.codings["links"])]
        sizes = self.documents["codings"]
        chosen = np.arange(len(sizes)) if documents is None else documents
        for place in ranges(starts_of(sizes)[chosen], sizes[chosen]).tolist():
            coding, document = self.codings[place], int(self.document_of_coding[place])
            member, mark, link = begins[0][document], begins[1][place], begins[2][place]
            yield CodingAnswers(
                place,
                document,
                coding,
                self.marks[mark : mark + coding["marks"]],
                self.links[link : link + coding["links"]],
                self.members[member : member + self.n_members[document]],
            )

    def to_bytes(self) -> list[tuple[bytes, str]]:
        """Return each document as bytes, sizes of tables first, and the names of its indices as JSON; of no people."""
        heads = self.sizes
        documents = []
        for head, (begin, end) in zip(heads, pairwise(self.bounds), strict=True):
            rows = [table[a:b].tobytes() for table, a, b in zip(self.tables, begin, end, strict=True)]
            names = json.dumps(self.indices[begin[2] : end[2]]) if self.indices else ""
            documents.append((b"".join([head.tobytes(), *rows]), names))
        return documents

    @classmethod
    def from_bytes(cls, documents: Sequence[tuple[bytes, str]]) -> "AnswerColumns":
        """Return the documents that bytes and names were made of."""
        head, widths = 8 * len(KINDS), [kind.itemsize for kind in KINDS]
        sizes = np.frombuffer(b"".join([content[:head] for content, _ in documents]), "<i8").reshape(-1, len(KINDS))
        ends = head + np.cumsum(sizes * widths, axis=1)
        tables = []
        for kind, begin, end in zip(KINDS, (ends - sizes * widths).T.tolist(), ends.T.tolist(), strict=True):
            rows = [content[a:b] for (content, _), a, b in zip(documents, begin, end, strict=True)]
            tables.append(np.frombuffer(b"".join(rows), kind))
        indices = tuple(tuple(own) for _, names in documents if names for own in json.loads(names))
        return cls(*tables, indices=indices, has_sets=True)


def _digest_coding(one: CodingAnswers, n_units: int, categories: Sequence[str], *, readings: bool) -> bytes:
    """Return what is equal for equal answers to equal members, whatever the keys of the rows."""
    is_judgement = one.marks["category"] != NO_CATEGORY
    judged = one.marks[is_judgement]
    used = np.bincount(judged["category"], minlength=len(categories)) > 0
    names = [categories[number] for number in np.flatnonzero(used).tolist()]
    head = [bool(one.coding["submitted"]), n_units, names, len(judged), len(one.links)]
    digest = hashlib.sha256(json.dumps(head, ensure_ascii=False).encode())
    category, link_of = (np.cumsum(used) - 1)[judged["category"]], (np.cumsum(is_judgement) - 1)[one.links["of"]]
    reading = one.links["reading"].astype(np.int64)
    arrays = [judged["unit"], category, judged["complete"], link_of, one.links["to"]]
    arrays += [reading] if readings or share_reading(link_of, reading).any() else []
    # what every coder is given needs no mark
    marked = one.marks["unit"][~is_judgement]
    arrays.append(marked[~one.members["given"][marked]])
    for array in arrays:
        digest.update(array.astype("<i8").tobytes())
    others = one.marks["unit"][one.marks["other_version"]]
    if len(others):
        digest.update(b"other versions" + others.astype("<i8").tobytes())
    return digest.digest()
