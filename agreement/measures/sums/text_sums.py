"""What each of many texts adds to alpha, in arrays: to be chosen from, put together and added up."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import index
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from ..data.arrays import run_offsets
from ..options import Options, SumOptions
from ..results import pluralize
from ..values import Ints, Label
from .overlaps import ReadingKind


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
    """Return the places of names in the order of `sort_key`; where all are text, which is soon done.

    >>> sort_places(["b", 10, 9, "a"])
    [2, 1, 3, 0]
    """
    if all(type(name) is str for name in names):
        return sorted(range(len(names)), key=names.__getitem__)  # type: ignore[arg-type]
    return sorted(range(len(names)), key=lambda place: sort_key(names[place]))


type LabelPair = tuple[Label, Label]
type Entries = NDArray[np.void]

# The numbers of a text that are the same for each distance, as in DocumentSums.
COUNTS = (
    "n_units",
    "n_left_out",
    "n_judgements",
    "n_sets",
    "has_empty_set",
    "empty",
    "nonempty",
    "overlapping",
)
# What a text has any number of, in arrays that go text by text: those who coded it; the labels given in it, how often;
# each two labels that met on a unit, with what weight; and the kinds of several readings, how often.
ENTRIES = {
    "coded": np.dtype([("text", "<i8"), ("coder", "<i8")]),
    "labelled": np.dtype([("text", "<i8"), ("label", "<i8"), ("count", "<i8")]),
    "met": np.dtype([("text", "<i8"), ("low", "<i8"), ("high", "<i8"), ("weight", "<f8")]),
    "ambiguous": np.dtype([("text", "<i8"), ("readings", "<i8"), ("empty", "<i8"), ("count", "<i8")]),
}


def row_type(n_distances: int) -> np.dtype[np.void]:
    """Return the type of the numbers of a text, those of each distance in arrays."""
    of_distances = [("observed", "<f8", (n_distances,)), ("overlap_distance", "<f8", (n_distances,))]
    return np.dtype([*((name, "<i8") for name in COUNTS), *of_distances])


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
        for array in (self.rows, *self._entries().values()):
            array.flags.writeable = False

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

        `observed` and `overlap_distance` are by distance.
        """
        rows = np.zeros(len(documents), row_type(len(options.distances)))
        for name in COUNTS:
            rows[name] = columns[name]
        for name in ("observed", "overlap_distance"):
            for place, distance in enumerate(options.distances):
                rows[name][:, place] = columns[name][distance]
        arrays = {name: build_entries(name, *entries.get(name, ())) for name in ENTRIES}
        return cls(options, documents, coders, labels, rows, **arrays)

    @classmethod
    def without_texts(cls, options: SumOptions) -> "TextSums":
        """Return the sums of no text."""
        nothing = {name: np.zeros(0, entry) for name, entry in ENTRIES.items()}
        return cls(options, (), (), (), np.zeros(0, row_type(len(options.distances))), **nothing)

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

        coded = [(d, coders.setdefault(c, len(coders))) for d, part in enumerate(parts) for c in part.coders]
        labelled = [(d, code(label), n) for d, part in enumerate(parts) for label, n in part.labels]
        met = [(d, code(a), code(b), weight) for d, part in enumerate(parts) for (a, b), weight in part.label_pairs]
        ambiguous = [(d, *one) for d, part in enumerate(parts) for one in part.readings]
        numbers = [
            (*(getattr(part, name) for name in COUNTS), (part.observed,), (part.overlap_distance,)) for part in parts
        ]
        return cls(
            options=SumOptions((distance,), **rest),
            documents=[part.document for part in parts],
            coders=tuple(coders),
            labels=tuple(labels),
            rows=np.array(numbers, row_type(1)),
            coded=np.array(coded, ENTRIES["coded"]),
            labelled=np.array(labelled, ENTRIES["labelled"]),
            met=np.array(met, ENTRIES["met"]),
            ambiguous=np.array(ambiguous, ENTRIES["ambiguous"]),
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
        _check_distinct(documents)
        coders: dict[Hashable, int] = {}
        labels: dict[Label, int] = {}
        entries: dict[str, list[Entries]] = {name: [] for name in ENTRIES}
        first = 0
        for part in several:
            places = {"coder": _places(part.coders, coders), "label": _places(part.labels, labels)}
            for name, array in part._entries().items():
                entries[name].append(_renumber(array, places["coder"], places["label"], first))
            first += len(part.documents)
        return cls(
            options,
            documents,
            tuple(coders),
            tuple(labels),
            np.concatenate([part.rows for part in several]),
            **{name: np.concatenate(arrays) for name, arrays in entries.items()},
        )

    @classmethod
    def collect(cls, rows: Sequence[tuple["TextSums", int]]) -> "TextSums":
        """Return the sums of some texts, each a row of some sums: at least one. Raises ValueError as `concatenate`.

        >>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 2], [1, 1], [2, 1]], ["a", "a", "b", "b"])
        >>> sums = documents_sums(data)
        >>> TextSums.collect([(sums, 1), (sums.select([0]), 0)]) == sums.select([1, 0])
        True
        """
        parts: dict[int, tuple[TextSums, list[int]]] = {}
        for place, (sums, _) in enumerate(rows):
            parts.setdefault(id(sums), (sums, []))[1].append(place)
        chosen = [sums.select([rows[place][1] for place in places]) for sums, places in parts.values()]
        order = np.concatenate([places for _, places in parts.values()])
        return cls.concatenate(chosen).select(np.argsort(order))

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
        rows = np.zeros(len(self.rows), row_type(len(distances)))
        for name in COUNTS:
            rows[name] = self.rows[name]
        places = [self.options.distances.index(distance) for distance in distances]
        for name in ("observed", "overlap_distance"):
            rows[name] = self.rows[name][:, places]
        return replace(self, options=options, rows=rows)

    def sort(self) -> "TextSums":
        """Return the same sums in an order of texts, coders and labels that depends on their names alone."""
        ordered = self.select(sort_places(self.documents))
        coders, labels = sorted(self.coders, key=sort_key), sorted(self.labels, key=sort_key)
        coder_places, label_places = _places(self.coders, _number(coders)), _places(self.labels, _number(labels))
        arrays = {name: _renumber(a, coder_places, label_places, 0) for name, a in ordered._entries().items()}
        arrays["met"] = _lower_first(arrays["met"])
        sorted_arrays: dict[str, Any] = {
            name: array[np.argsort(array, order=array.dtype.names)] for name, array in arrays.items()
        }
        return replace(ordered, coders=tuple(coders), labels=tuple(labels), **sorted_arrays)

    def bounds(self, name: str) -> Ints:
        """Return where the entries of each text begin in an array, and where the last one ends."""
        if name not in self._bounds:
            texts = getattr(self, name)["text"]
            self._bounds[name] = np.searchsorted(texts, np.arange(len(self.documents) + 1))
        return self._bounds[name]

    def entries_of(self, name: str, row: int) -> list[tuple[Any, ...]]:
        """Return the entries of one text, each without the text."""
        first, last = self.bounds(name)[row : row + 2].tolist()
        return [entry[1:] for entry in getattr(self, name)[first:last].tolist()]

    @cached_property
    def _bounds(self) -> dict[str, Ints]:
        return {}

    def _entries(self) -> dict[str, Entries]:
        return {name: getattr(self, name) for name in ENTRIES}

    def _select_entries(self, name: str, chosen: Ints) -> Entries:
        array: Entries = getattr(self, name)
        if not len(array):
            return array
        bounds = self.bounds(name)
        starts, sizes = bounds[chosen], np.diff(bounds)[chosen]
        selected: Entries = array[np.repeat(starts, sizes) + run_offsets(sizes)]
        selected["text"] = np.repeat(np.arange(len(chosen)), sizes)
        return selected


@dataclass(frozen=True, eq=False, repr=False)
class DistanceSums(Sequence[DocumentSums]):
    """The sums of texts with one distance: a sequence of `DocumentSums`, each made when it is asked for."""

    texts: TextSums
    distance: str

    @classmethod
    def from_sequence(cls, sums: Iterable[DocumentSums]) -> "DistanceSums":
        """Return sums that are such already, or are given one by one. Raises ValueError for different parameters."""
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

    def leave_out(self, row: int) -> "DistanceSums":
        """Return the sums of all texts but one, by its place."""
        return DistanceSums(self.texts.select(np.delete(np.arange(len(self)), row)), self.distance)

    def __add__(self, others: Sequence[DocumentSums]) -> "DistanceSums":
        """Return the sums of other texts after these. Raises ValueError as `TextSums.concatenate`."""
        parts = [self, DistanceSums.from_sequence(others)]
        texts = TextSums.concatenate(part.texts.select_distances([part.distance]) for part in parts)
        return DistanceSums(texts, self.distance)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(one == its for one, its in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<DistanceSums: {pluralize(len(self), 'text')}, {self.distance}>"

    def _build(self, row: int) -> DocumentSums:
        texts = self.texts
        coders, labels = texts.coders, texts.labels
        place = texts.options.distances.index(self.distance)
        numbers = dict(zip(texts.rows.dtype.names or (), texts.rows[row].tolist(), strict=True))
        numbers["has_empty_set"] = bool(numbers["has_empty_set"])
        numbers["observed"] = float(texts.rows["observed"][row, place])
        numbers["overlap_distance"] = float(texts.rows["overlap_distance"][row, place])
        return DocumentSums(
            document=texts.documents[row],
            parameters=self.options.parameters(),
            coders=tuple(coders[coder] for (coder,) in texts.entries_of("coded", row)),
            labels=tuple((labels[label], count) for label, count in texts.entries_of("labelled", row)),
            label_pairs=tuple(((labels[a], labels[b]), weight) for a, b, weight in texts.entries_of("met", row)),
            readings=tuple(texts.entries_of("ambiguous", row)),
            **numbers,
        )


def build_entries(name: str, *columns: Any) -> Entries:
    """Return entries from their columns; without any there are none."""
    entries = np.zeros(len(columns[0]) if columns else 0, ENTRIES[name])
    for field, column in zip(ENTRIES[name].names or (), columns, strict=False):
        entries[field] = column
    return entries


def reading_counts(sums: TextSums) -> tuple[list[ReadingKind], Ints]:
    """Return the kinds of several readings in ascending order, and the judgements of each, (texts, kinds)."""
    found, places = np.unique(sums.ambiguous[["readings", "empty"]], return_inverse=True)
    counts = np.zeros((len(sums.documents), len(found)), dtype=np.int64)
    np.add.at(counts, (sums.ambiguous["text"], places), sums.ambiguous["count"])
    return [(k, empty) for k, empty in found.tolist()], counts


def _check_distinct(documents: Sequence[Hashable]) -> None:
    if len(set(documents)) < len(documents):
        seen: set[Hashable] = set()
        for document in documents:
            if document in seen:
                raise ValueError(f"document {document!r} is in two parts")
            seen.add(document)


def _number(names: Iterable[Hashable]) -> dict[Hashable, int]:
    return {name: place for place, name in enumerate(names)}


def _places(names: Sequence[Hashable], numbers: dict[Hashable, int]) -> Ints:
    """Return the number of each name; those without one are numbered on."""
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)


def _renumber(entries: Entries, coders: Ints, labels: Ints, first: int) -> Entries:
    """Return entries with other numbers of coders and labels, and of texts so many more."""
    new = entries.copy()
    new["text"] += first
    for field in new.dtype.names or ():
        if field == "coder":
            new[field] = coders[entries[field]]
        elif field in ("label", "low", "high"):
            new[field] = labels[entries[field]]
    return new


def _lower_first(met: Entries) -> Entries:
    """Return pairs of labels with the lower number first."""
    ordered = met.copy()
    ordered["low"], ordered["high"] = np.minimum(met["low"], met["high"]), np.maximum(met["low"], met["high"])
    return ordered
