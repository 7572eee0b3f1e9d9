"""What each of many texts adds to alpha, in arrays: to be chosen from, put together and added up."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import index
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from ..options import Options, SumOptions
from ..results import pluralize
from ..values import Ints, Label
from .overlaps import ReadingKind, list_entries

type LabelPair = tuple[Label, Label]
type Entries = NDArray[np.void]

# The numbers of a text that are the same for each distance, as in DocumentSums, and those of each distance.
COUNTS = ("n_units", "n_left_out", "n_judgements", "n_sets", "has_empty_set", "empty", "nonempty", "overlapping")
OF_DISTANCES = ("observed", "overlap_distance")
# What a text has any number of, in arrays that go text by text: those who coded it; the labels given in it, how often;
# each two labels that met on a unit, with what weight; and the kinds of several readings, how often.
ENTRIES = {
    "coded": np.dtype([("text", "<i8"), ("coder", "<i8")]),
    "labelled": np.dtype([("text", "<i8"), ("label", "<i8"), ("count", "<i8")]),
    "met": np.dtype([("text", "<i8"), ("low", "<i8"), ("high", "<i8"), ("weight", "<f8")]),
    "ambiguous": np.dtype([("text", "<i8"), ("readings", "<i8"), ("empty", "<i8"), ("count", "<i8")]),
}


def sort_key(name: Hashable) -> tuple[str, Any]:
    """Return by what names are put in order, whatever they are: by type, then numbers by size and text by letters.

    >>> sorted([10, "b", 9, ("b", 1), "a"], key=sort_key)
    [9, 10, 'a', 'b', ('b', 1)]
    """
    if isinstance(name, np.generic):
        name = name.item()
    if isinstance(name, str):
        return "str", str(name)
    if isinstance(name, int | float):
        return "number", name
    if isinstance(name, tuple):
        return "tuple", tuple(map(sort_key, name))
    if isinstance(name, frozenset):
        return "frozenset", sorted(map(sort_key, name))
    return type(name).__name__, repr(name)


def sort_places(names: Sequence[Hashable]) -> list[int]:
    """Return the places of names in the order of `sort_key`."""
    return sorted(range(len(names)), key=lambda place: sort_key(names[place]))


def row_type(n_distances: int) -> np.dtype[np.void]:
    """Return the type of the numbers of a text, those of each distance in arrays."""
    return np.dtype([*((name, "<i8") for name in COUNTS), *((name, "<f8", (n_distances,)) for name in OF_DISTANCES)])


@dataclass(frozen=True)
class DocumentSums:
    """What one document adds to alpha: plain numbers, to be kept and combined later.

    Counts are of pairable units and their judgements. `observed` is the sum over units of the distances of
    all ordered pairs of judgements, divided by the number of coders less one. The rest serves expected
    disagreement, after excluding the units if the parameters say "both": `labels` gives the number of judgements
    with each label, `empty` and `nonempty` those with a set; `overlapping` is the number of ordered pairs of
    different judgements whose sets share a member and `overlap_distance` the sum of their distances. The ordinal
    distance depends on all documents, so `observed` is 0 there and `label_pairs` says how much each two labels
    met. `readings` gives the number of readings, 1 or 0 for an empty one among them, and the number of judgements that
    are such; these are not in `nonempty`, and `overlap_distance` has with them what their kinds have in common anyway.
    """

    document: Hashable
    parameters: Mapping[str, str]
    n_units: int
    n_left_out: int
    n_judgements: int
    coders: tuple[Hashable, ...]
    n_sets: int
    has_empty_set: bool
    observed: float
    labels: Sequence[tuple[Label, int]]
    empty: int
    nonempty: int
    overlapping: int
    overlap_distance: float
    label_pairs: Sequence[tuple[LabelPair, float]] = ()
    readings: Sequence[tuple[int, int, int]] = ()


@dataclass(frozen=True, eq=False, repr=False)
class TextSums(Mapping[str, "DistanceSums"]):
    """What each of many texts adds to alpha with one or several distances: a mapping from the names of these.

    `rows` is a structured array with the numbers of each text, and `coded`, `labelled`, `met` and `ambiguous` say what
    a text has any number of (ENTRIES), text by text; coders and labels are places in `coders` and `labels`. `combine`,
    `interval_sums`, `jackknife_sums` and `bootstrap_sums` work on these arrays and make no object of a text.

    >>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 2], [1, 1], [2, 1]], ["a", "a", "b", "b"])
    >>> sums = documents_sums(data, ["nominal", "masi"])
    >>> sums
    <TextSums: 2 texts, nominal, masi>
    >>> sums.rows["n_judgements"].tolist(), sums["masi"][1].n_judgements
    ([4, 4], 4)
    """

    options: SumOptions
    documents: Sequence[Hashable]
    coders: Sequence[Hashable]
    labels: Sequence[Label]
    rows: Entries
    coded: Entries
    labelled: Entries
    met: Entries
    ambiguous: Entries

    def __post_init__(self) -> None:
        for name in ("rows", *ENTRIES):
            getattr(self, name).flags.writeable = False

    @classmethod
    def from_columns(
        cls,
        options: SumOptions,
        documents: Sequence[Hashable],
        coders: Sequence[Hashable],
        labels: Sequence[Label],
        columns: Mapping[str, Any],
        **entries: Sequence[Any],
    ) -> "TextSums":
        """Return sums from the columns of `rows`, and those of each array of entries.

        `observed` and `overlap_distance` are by distance; what is not given is 0.
        """
        rows = np.zeros(len(documents), row_type(len(options.distances)))
        for name, column in columns.items():
            if name in COUNTS:
                rows[name] = column
            for place, distance in enumerate(options.distances if name in OF_DISTANCES else ()):
                rows[name][:, place] = column[distance]
        arrays = {}
        for name, fields in ENTRIES.items():
            of_fields = list(entries.get(name, ()))
            arrays[name] = np.zeros(len(of_fields[0]) if of_fields else 0, fields)
            for field, column in zip(fields.names or (), of_fields, strict=False):
                arrays[name][field] = column
        return cls(options, documents, coders, labels, rows, **arrays)

    @classmethod
    def without_texts(cls, options: SumOptions) -> "TextSums":
        """Return the sums of no text."""
        return cls.from_columns(options, (), (), (), {})

    @classmethod
    def from_documents(cls, sums: Iterable[DocumentSums]) -> "TextSums":
        """Return sums that a program has one by one. Raises ValueError for different parameters.

        >>> sums = document_sums(ReliabilityData.from_chain_ids([[1, 1], [1, 2]], ["a", "b"]))
        >>> TextSums.from_documents(list(sums))["nominal"] == sums
        True
        """
        parts = list(sums)
        if not parts:
            return cls.without_texts(SumOptions(("nominal",)))
        parameters = parts[0].parameters
        for part in parts:
            if part.parameters != parameters:
                raise ValueError(f"the sums of document {part.document!r} were made with other parameters")
        rest = dict(parameters)
        distance = rest.pop("distance")
        coders: dict[Hashable, int] = {}
        labels: dict[Label, int] = {}

        def code(label: Label) -> int:
            return labels.setdefault(label, len(labels))

        entries: dict[str, list[Any]] = {
            "coded": [(d, coders.setdefault(c, len(coders))) for d, part in enumerate(parts) for c in part.coders],
            "labelled": [(d, code(label), n) for d, part in enumerate(parts) for label, n in part.labels],
            "met": [(d, code(a), code(b), w) for d, part in enumerate(parts) for (a, b), w in part.label_pairs],
            "ambiguous": [(d, *kind) for d, part in enumerate(parts) for kind in part.readings],
        }
        columns: dict[str, Any] = {name: [getattr(part, name) for part in parts] for name in COUNTS}
        columns |= {name: {distance: [getattr(part, name) for part in parts]} for name in OF_DISTANCES}
        return cls.from_columns(
            SumOptions((distance,), **rest),
            [part.document for part in parts],
            tuple(coders),
            tuple(labels),
            columns,
            **{name: [*zip(*own, strict=True)] for name, own in entries.items()},
        )

    @classmethod
    def concatenate(cls, parts: Iterable["TextSums"]) -> "TextSums":
        """Return the sums of the texts of all parts, in their order; at least one.

        Raises ValueError for parts that were made with different options, and for a document that is in two.

        >>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 2], [1, 1], [2, 1]], ["a", "a", "b", "b"])
        >>> sums = documents_sums(data)
        >>> TextSums.concatenate([sums.select([0]), sums.select([1])]) == sums
        True
        """
        several = list(parts)
        if len(several) == 1:
            return several[0]
        options = several[0].options
        for part in several:
            if part.options != options:
                raise ValueError(f"sums made with {part.options} cannot be put together with those of {options}")
        documents = [document for part in several for document in part.documents]
        if len(set(documents)) < len(documents):
            times = Counter(documents)
            raise ValueError(f"document {next(name for name in documents if times[name] > 1)!r} is in two parts")
        coders: dict[Hashable, int] = {}
        labels: dict[Label, int] = {}
        entries: dict[str, list[Entries]] = {name: [] for name in ENTRIES}
        first = 0
        for part in several:
            coder_places, label_places = _places(part.coders, coders), _places(part.labels, labels)
            for name in ENTRIES:
                entries[name].append(_renumber(getattr(part, name), coder_places, label_places, first))
            first += len(part.documents)
        return cls(
            options,
            documents,
            tuple(coders),
            tuple(labels),
            np.concatenate([part.rows for part in several]),
            **{name: np.concatenate(arrays) for name, arrays in entries.items()},
        )

    def __getitem__(self, distance: str) -> "DistanceSums":
        if distance not in self.options.distances:
            raise KeyError(distance)
        return DistanceSums(self, distance)

    def __iter__(self) -> Iterator[str]:
        return iter(self.options.distances)

    def __len__(self) -> int:
        return len(self.options.distances)

    def __repr__(self) -> str:
        return f"<TextSums: {', '.join((pluralize(len(self.documents), 'text'), *self))}>"

    def select(self, rows: Sequence[int] | Ints) -> "TextSums":
        """Return the sums of some texts, by their places, in this order."""
        chosen = np.asarray(rows, dtype=np.int64)
        if len(chosen) == len(self.documents) and (chosen == np.arange(len(chosen))).all():
            return self
        arrays: dict[str, Any] = {name: self._select_entries(name, chosen) for name in ENTRIES}
        documents = [self.documents[row] for row in chosen.tolist()]
        return replace(self, documents=documents, rows=self.rows[chosen], **arrays)

    def select_distances(self, distances: Sequence[str]) -> "TextSums":
        """Return the sums of some of the distances, in this order."""
        if tuple(distances) == self.options.distances:
            return self
        options = replace(self.options, distances=tuple(distances))
        places = [self.options.distances.index(distance) for distance in distances]
        rows = np.zeros(len(self.rows), row_type(len(distances)))
        for name in (*COUNTS, *OF_DISTANCES):
            rows[name] = self.rows[name] if name in COUNTS else self.rows[name][:, places]
        return replace(self, options=options, rows=rows)

    def sort(self) -> "TextSums":
        """Return the sums with texts, coders and labels in an order that depends on their names alone."""
        ordered = self.select(sort_places(self.documents))
        coders, labels = sort_places(self.coders), sort_places(self.labels)
        arrays: dict[str, Any] = {}
        for name in ENTRIES:
            array = _renumber(getattr(ordered, name), np.argsort(coders), np.argsort(labels), 0)
            if name == "met":
                array["low"], array["high"] = np.sort((array["low"], array["high"]), axis=0)
            arrays[name] = array[np.argsort(array, order=array.dtype.names)]
        names = tuple(self.coders[coder] for coder in coders), tuple(self.labels[label] for label in labels)
        return replace(ordered, coders=names[0], labels=names[1], **arrays)

    def entries_of(self, name: str, row: int) -> list[tuple[Any, ...]]:
        """Return the entries of one text, each without the text."""
        first, last = self._bounds[name][row : row + 2].tolist()
        return [entry[1:] for entry in getattr(self, name)[first:last].tolist()]

    @cached_property
    def _bounds(self) -> dict[str, Ints]:
        """Where the entries of each text begin in each array, and where the last one ends."""
        places = np.arange(len(self.documents) + 1)
        return {name: np.searchsorted(getattr(self, name)["text"], places) for name in ENTRIES}

    def _select_entries(self, name: str, chosen: Ints) -> Entries:
        array: Entries = getattr(self, name)
        if not len(array):
            return array
        texts, entries = list_entries(self._bounds[name], chosen)
        selected: Entries = array[entries]
        selected["text"] = texts
        return selected


@dataclass(frozen=True, eq=False, repr=False)
class DistanceSums(Sequence[DocumentSums]):
    """The sums of texts with one distance: a sequence of `DocumentSums`, each made when it is asked for."""

    texts: TextSums
    distance: str

    @classmethod
    def from_sequence(cls, sums: Iterable[DocumentSums]) -> "DistanceSums":
        """Return the sums of a sequence of `DocumentSums`. Raises ValueError for different parameters."""
        if isinstance(sums, DistanceSums):
            return sums
        texts = TextSums.from_documents(sums)
        return cls(texts, texts.options.distances[0])

    @property
    def options(self) -> Options:
        """How two values are compared."""
        return self.texts.options.of(self.distance)

    @property
    def n_units(self) -> Ints:
        """The number of pairable units of each text."""
        n_units: Ints = self.texts.rows["n_units"]
        return n_units

    def __len__(self) -> int:
        return len(self.texts.documents)

    @overload
    def __getitem__(self, place: int) -> DocumentSums: ...

    @overload
    def __getitem__(self, place: slice) -> "DistanceSums": ...

    def __getitem__(self, place: int | slice) -> "DocumentSums | DistanceSums":
        rows = range(len(self))[place]
        if isinstance(rows, range):
            return DistanceSums(self.texts.select(rows), self.distance)
        return self._build(index(rows))

    def __add__(self, others: Sequence[DocumentSums]) -> "DistanceSums":
        """Return the sums of other texts after these. Raises ValueError as `TextSums.concatenate`."""
        parts = [self, DistanceSums.from_sequence(others)]
        texts = TextSums.concatenate(part.texts.select_distances([part.distance]) for part in parts)
        return DistanceSums(texts, self.distance)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(own == its for own, its in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<DistanceSums: {pluralize(len(self), 'text')}, {self.distance}>"

    def _build(self, row: int) -> DocumentSums:
        texts = self.texts
        coders, labels, place = texts.coders, texts.labels, texts.options.distances.index(self.distance)
        numbers: dict[str, Any] = {name: int(texts.rows[name][row]) for name in COUNTS}
        numbers |= {name: float(texts.rows[name][row, place]) for name in OF_DISTANCES}
        numbers["has_empty_set"] = bool(numbers["has_empty_set"])
        return DocumentSums(
            document=texts.documents[row],
            parameters=self.options.parameters(),
            coders=tuple(coders[coder] for (coder,) in texts.entries_of("coded", row)),
            labels=tuple((labels[label], count) for label, count in texts.entries_of("labelled", row)),
            label_pairs=tuple(((labels[a], labels[b]), weight) for a, b, weight in texts.entries_of("met", row)),
            readings=tuple(texts.entries_of("ambiguous", row)),
            **numbers,
        )


def reading_counts(sums: TextSums) -> tuple[list[ReadingKind], Ints]:
    """Return the kinds of several readings in ascending order, and the judgements of each, (texts, kinds)."""
    found, places = np.unique(sums.ambiguous[["readings", "empty"]], return_inverse=True)
    counts = np.zeros((len(sums.documents), len(found)), dtype=np.int64)
    np.add.at(counts, (sums.ambiguous["text"], places), sums.ambiguous["count"])
    return [(k, empty) for k, empty in found.tolist()], counts


def _places(names: Sequence[Hashable], numbers: dict[Hashable, int]) -> Ints:
    """Return the number of each name; new names get the next numbers."""
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)


def _renumber(entries: Entries, coders: Ints, labels: Ints, first: int) -> Entries:
    """Return entries with new numbers of coders and labels, and an offset of texts."""
    new = entries.copy()
    new["text"] += first
    for field in new.dtype.names or ():
        if field == "coder":
            new[field] = coders[entries[field]]
        elif field in ("label", "low", "high"):
            new[field] = labels[entries[field]]
    return new
