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

# Placeholders for a missing value; no key of a value equals them.
NOT_ASKED, NO_LABEL = "not asked", "no label"
# The category of a unit that was marked but not judged, and the set of a mark that is in no set.
NO_CATEGORY = NO_SET = -1

# A document: its numbers of units, other members, codings and sets, and a digest of the keys of its members.
DOCUMENT = np.dtype([("units", "<i4"), ("others", "<i4"), ("codings", "<i4"), ("sets", "<i4"), ("digest", "V32")])
# A unit, or a markable that is only pointed at: its key, the number of its level, and whether every coder is given it.
MEMBER = np.dtype([("key", "<i8"), ("level", "<i4"), ("given", "?")])
# A coding: its primary key, its numbers of marks and links, and a digest of its answers. `unasked` and `unanswered`
# count the judgements where a question was not asked or has no answer. `coder` and `reason` are numbers.
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
# A unit that a coder marked: its position in the document, ascending; the number of its category, or NO_CATEGORY if not
# judged; whether the answer is complete for its category; whether it was judged under a scheme version that was not
# read, so that the answer is missing whatever an unmarked unit means; and the number of its set in the document: its
# whole chain, also at the end of the chain, or the union of its classes; NO_SET if it is in no set.
MARK = np.dtype([("unit", "<i4"), ("category", "<i4"), ("complete", "?"), ("other_version", "?"), ("set", "<i4")])
# A link from a judgement (`of`: its position among the marks of the coding) to a member of the document or a class of
# the coding, by number. Links of one reading are meant together; different readings are alternatives.
LINK = np.dtype([("of", "<i4"), ("to", "<i4"), ("reading", "<i4")])
MARK_SET = np.dtype([("size", "<i4")])  # the members of a set; no two sets of a document are equal
ELEMENT = np.dtype([("member", "<i4")])  # a member of a set: its position in the document, ascending

type Rows = NDArray[np.void]

KINDS = (DOCUMENT, MEMBER, CODING, MARK, LINK, MARK_SET, ELEMENT)


def ranges(starts: Ints, sizes: Ints) -> Ints:
    """Return the concatenated ranges of positions with these starts and sizes."""
    return np.repeat(starts, sizes) + run_offsets(sizes)


def starts_of(sizes: Ints) -> Ints:
    """Return the first position of each of several consecutive runs."""
    return np.cumsum(sizes) - sizes


def sum_runs(chosen: Bools, sizes: Ints) -> Ints:
    """Return the number of chosen elements in each of several consecutive runs."""
    sums = np.concatenate(([0], np.cumsum(chosen)))
    return np.diff(sums[np.concatenate(([0], np.cumsum(sizes)))])


def take_runs(rows: Rows, sizes: Ints, chosen: Ints) -> Rows:
    """Return the rows of the chosen runs; `sizes` has the rows of each run. A single stretch of runs is not copied."""
    begins = run_starts(chosen - np.arange(len(chosen)))
    ends = starts_of(sizes) + sizes
    first, last = chosen[begins], chosen[np.append(begins[1:], len(chosen)) - 1] if len(chosen) else chosen
    slices = [rows[a:b] for a, b in zip((ends - sizes)[first].tolist(), ends[last].tolist(), strict=True)]
    return slices[0] if len(slices) == 1 else np.concatenate([rows[:0], *slices])


class KeyIndex:
    """An index from keys to their positions, or to the given positions."""

    def __init__(self, keys: Ints, places: Ints | None = None) -> None:
        order = np.argsort(keys, kind="stable")
        self.keys = np.append(keys[order], np.iinfo(np.int64).max)  # a sentinel that is never looked up
        self.places = np.append(order if places is None else places[order], -1)

    def find(self, wanted: Ints) -> Ints:
        """Return the position of each key, -1 for unknown keys."""
        found = np.searchsorted(self.keys, wanted)
        return np.where(self.keys[found] == wanted, self.places[found], -1)


@dataclass(frozen=True, slots=True)
class CodingAnswers:
    """The row, marks and links of a coding, the members of its document, and the positions of coding and document."""

    place: int
    document: int
    coding: np.void
    marks: Rows
    links: Rows
    members: Rows


@dataclass(frozen=True, eq=False)
class AnswerColumns:
    """The answers in documents, as one table for each of KINDS.

    Members, codings and sets are ordered by document, marks and links by coding, and elements by set. The members of a
    document are its units and then its others, both in text order. `indices` has the names of the classes of each
    coding, if coders index. If `has_sets` is false, the sets of marks have not been computed. An attribute such as
    `coding_of_mark` has positions, here the position of the coding of each mark.
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
        """The position of the first unit of each document among the units of all documents."""
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
        """The members of all documents that are only pointed at."""
        return self.members[ranges(starts_of(self.n_members) + self.documents["units"], self.documents["others"])]

    @cached_property
    def unit_of_mark(self) -> Ints:
        """The position of each mark's unit among the units of all documents."""
        units: Ints = self.first_unit[self.document_of_mark] + self.marks["unit"]
        return units

    def number_members(self, documents: Ints, places: Ints) -> Ints:
        """Return the overall numbers of members from positions in documents: all units first, then all others."""
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
        """The number of judgements in each coding under scheme versions that were not read."""
        return sum_runs(self.marks["other_version"], self.codings["marks"])

    @cached_property
    def is_answer(self) -> Bools:
        """Whether each coding is an answer: it has a judgement or is submitted."""
        is_answer: Bools = (self.n_judgements > 0) | self.codings["submitted"]
        return is_answer

    @cached_property
    def n_readings(self) -> Ints:
        """The number of readings of each mark; a mark with two or more is ambiguous."""
        return count_readings(self.mark_of_link, self.links["reading"].astype(np.int64), len(self.marks))

    @property
    def readings(self) -> Ints | None:
        """The reading of each link; None if each link is a reading of its own."""
        reading = self.links["reading"].astype(np.int64)
        return None if np.array_equal(reading, number_alternatives(self.mark_of_link)[: len(reading)]) else reading

    @property
    def sizes(self) -> Ints:
        """The number of rows of each document in each table: (documents, KINDS)."""
        n, codings, sets = len(self.documents), self.documents["codings"], self.documents["sets"]
        marks, links = (np.bincount(self.document_of_coding, self.codings[name], n) for name in ("marks", "links"))
        elements = np.bincount(np.repeat(np.arange(n), sets), self.sets["size"], n)
        sizes = (np.ones(n, dtype=np.int64), self.n_members, codings, marks, links, sets, elements)
        return np.stack(sizes, axis=1).astype("<i8")

    @property
    def bounds(self) -> list[list[int]]:
        """The first row of each document in each table, followed by the lengths of the tables."""
        ends = np.concatenate((np.zeros((1, len(KINDS)), np.int64), np.cumsum(self.sizes, axis=0)))
        bounds: list[list[int]] = ends.tolist()
        return bounds

    @classmethod
    def merge(cls, sources: Sequence["AnswerColumns"], chosen: Sequence[tuple[int, int]]) -> "AnswerColumns":
        """Return the chosen documents, at least one, each by source and position in the source; each is copied once."""
        bounds = [source.bounds for source in sources]
        runs = list[tuple[int, list[int], list[int]]]()
        for source, place in chosen:
            begin, end = bounds[source][place : place + 2]
            if runs and runs[-1][0] == source and runs[-1][2] == begin:  # adjacent in the source, too
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
        """Return these documents, in this order, with all of their codings or only the kept ones."""
        sizes = self.documents["codings"][documents]
        codings = ranges(starts_of(self.documents["codings"])[documents], sizes)
        if kept is not None:
            chosen = kept[codings]
            sizes = np.bincount(np.repeat(np.arange(len(documents)), sizes)[chosen], minlength=len(documents))
            codings = codings[chosen]
        return self.gather(documents, codings, sizes)

    def gather(self, documents: Ints, codings: Ints, sizes: Ints) -> "AnswerColumns":
        """Return documents with these codings, `sizes` for each document; codings may come from another round."""
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
        """Return the answers with only the first reading, or first class (`first_class`), of each judgement."""
        if self.indices:
            width = int(self.links["to"].max(initial=0)) + 1
            first = find_first_classes(self.mark_of_link, self.coding_of_link * width + self.links["to"])
        else:
            first = self.links["reading"] == 0
        codings = self.codings.copy()
        codings["links"] = np.bincount(self.coding_of_link[first], minlength=len(codings))
        return replace(self, codings=codings, links=self.links[first], has_sets=False)

    def with_digests(self, categories: Sequence[str], *, readings: bool = False) -> "AnswerColumns":
        """Return the answers with a digest of each coding, without names; `readings` adds the readings of links."""
        codings = self.codings.copy()
        sizes = self.documents["units"][self.document_of_coding].tolist()
        digests = [
            _digest_coding(coding, n_units, categories, readings=readings)
            for coding, n_units in zip(self.each_coding(), sizes, strict=True)
        ]
        codings["digest"] = np.frombuffer(b"".join(digests), CODING["digest"])
        return replace(self, codings=codings)

    def each_coding(self, documents: Ints | None = None) -> Iterator[CodingAnswers]:
        """Yield the answers of each coding, or of the codings of some documents."""
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
        """Return each document as bytes, table sizes first, and its index names as JSON; no names of people."""
        heads = self.sizes
        documents = []
        for head, (begin, end) in zip(heads, pairwise(self.bounds), strict=True):
            rows = [table[a:b].tobytes() for table, a, b in zip(self.tables, begin, end, strict=True)]
            names = json.dumps(self.indices[begin[2] : end[2]]) if self.indices else ""
            documents.append((b"".join([head.tobytes(), *rows]), names))
        return documents

    @classmethod
    def from_bytes(cls, documents: Sequence[tuple[bytes, str]]) -> "AnswerColumns":
        """Return the documents from the bytes and names of `to_bytes`."""
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
    """Return a digest that is equal for equal answers on equal members, whatever the primary keys."""
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
    # a mark on a unit that every coder is given adds nothing
    marked = one.marks["unit"][~is_judgement]
    arrays.append(marked[~one.members["given"][marked]])
    for array in arrays:
        digest.update(array.astype("<i8").tobytes())
    others = one.marks["unit"][one.marks["other_version"]]
    if len(others):
        digest.update(b"other versions" + others.astype("<i8").tobytes())
    return digest.digest()
