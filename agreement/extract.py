"""The one bridge: rows of the database -> reliability data.

What was read of a text is kept in memory under the versions of its codings, so that a text is read again, and its
statistics are computed again, only after somebody has changed it.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from threading import Lock
from typing import Any

import numpy as np
from django.db.models import Exists, OuterRef, QuerySet, StringAgg, Subquery, TextField, Value
from django.db.models.functions import Cast, Concat

from agreement.contributors import words_of_scus
from agreement.measures import Answers, ReliabilityData, indexed_values, labelled_values, pointed_values
from agreement.measures.cells import offsets
from agreement.measures.values import Bools, Ints
from annotations.models import Category, Coding, Index, Judgement, Markable, Operation, Pointer, Project
from annotations.models.coding import CODED

# How many projects a process remembers: one of 240,000 judgements takes some 20 MB.
REMEMBERED = 8
# Above so many changed texts all of the project are read: databases bound the parameters of a query.
FEW = 500
TRIES = 5


@dataclass(frozen=True, slots=True)
class Work:
    """What one coder answered in one text, in integers.

    `unit` has the places of the judged units, ascending, `category` that of each one's category in the scheme, and
    `complete` says whether the answer has all that its category asks for. `link_of` is a place in `unit`, `link_to`
    that of a target among the text's members, or of an index among `indices`.
    """

    coder: str
    submitted: bool
    unit: Ints
    category: Ints
    complete: Bools
    link_of: Ints
    link_to: Ints
    indices: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class TextAnswers:
    """What the coders said of one text: its units in text order, what is only pointed at, and each coder's work.

    `kept` holds what was computed of this text alone. A text that changes is another object.
    """

    pk: int
    units: tuple[int, ...]
    others: tuple[int, ...]
    keys: tuple[str, ...]
    categories: tuple[str, ...]
    work: tuple[Work, ...]
    kept: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    @property
    def n_judgements(self) -> int:
        return sum(len(one.unit) for one in self.work)

    @cached_property
    def digest(self) -> bytes:
        """Equal for equal answers, whatever the keys of the rows."""
        digest = hashlib.sha256("\n".join(self.keys).encode())
        for one in self.work:
            used = np.bincount(one.category, minlength=len(self.categories)) > 0
            category = (np.cumsum(used) - 1)[one.category]
            names = [self.categories[number] for number in np.flatnonzero(used).tolist()]
            head = [one.coder, one.submitted, len(self.units), names, one.indices, len(one.unit), len(one.link_of)]
            digest.update(json.dumps(head, ensure_ascii=False).encode())
            for array in (one.unit, category, one.complete, one.link_of, one.link_to):
                digest.update(array.astype("<i8").tobytes())
        return digest.digest()


@dataclass(frozen=True, slots=True)
class Place:
    """A text of a project: its address, title and round, and what was answered there."""

    slug: str
    title: str
    round: str
    answers: TextAnswers

    @property
    def pk(self) -> int:
        return self.answers.pk


@dataclass(frozen=True, eq=False)
class Extract:
    """All answers of a project. `coders` are those who answered anything, by name; texts in that of their addresses.

    `answers` is how its values are made: pyramids index. `units` is what is counted of these, empty for markables as
    they are judged. `kept` holds what was computed of these answers: an extract of others is another object.
    """

    answers: str
    unmarked: str
    categories: tuple[str, ...]
    coders: tuple[str, ...]
    texts: tuple[Place, ...]
    units: str = ""
    kept: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    @cached_property
    def fingerprint(self) -> str:
        """A short name for exactly these answers: equal for equal data, whatever the database."""
        about = [self.answers, self.unmarked, *([self.units] if self.units else [])]
        digest = hashlib.sha256(json.dumps(about).encode())
        for text in self.texts:
            digest.update(json.dumps(text.slug).encode())
            digest.update(text.answers.digest)
        return digest.hexdigest()[:16]

    def place(self, slug: str) -> Place | None:
        """The text with that address."""
        return next((text for text in self.texts if text.slug == slug), None)


@dataclass(frozen=True, slots=True)
class _Scheme:
    """The categories by key, and what each asks for."""

    keys: tuple[str, ...]
    number: Mapping[int, int]
    points: Bools
    indexes: Bools


@dataclass(frozen=True, slots=True)
class _Row:
    """A coding as it is now."""

    pk: int
    text: int
    coder: str
    submitted: bool
    version: Hashable


type _Versions = tuple[Hashable, ...]

# By project and what is counted.
type _Key = tuple[int, str]

_remembered: OrderedDict[_Key, dict[int, tuple[_Versions, TextAnswers]]] = OrderedDict()
_extracts: OrderedDict[_Key, tuple[Hashable, Extract]] = OrderedDict()
_lock = Lock()


def extract(project: Project, units: str = "") -> Extract:
    """The answers of every coder of the project. Three queries, and four more where something has changed.

    units: what is counted of pyramids, "words" or "spans"; empty: words. Agreed pyramids and peers are left out.
    """
    pyramids = project.answers == Project.Answers.SCUS
    units = (units or "words") if pyramids else ""
    key = project.pk, units
    scheme, of_scheme = _scheme(project)
    for _ in range(TRIES):
        codings = _codings(project)
        now = {text: (of_scheme, *(row.version for row in rows)) for text, rows in codings.rows.items()}
        with _lock:
            known = dict(_remembered.get(key, {}))
        changed = [text for text in now if text not in known or known[text][0] != now[text]]
        if not changed:
            break
        reading = _read_words if units == "words" else _read
        read = reading(project, scheme, [row for text in changed for row in codings.rows[text]], changed)
        # a coder may have saved between two of the queries: then what was read is of no one moment
        if read is not None and _codings(project) == codings:
            known |= {text: (now[text], read[text]) for text in changed}
            break
    else:
        raise Busy("The answers change faster than they can be read; try again.")
    known = {text: known[text] for text in now}
    with _lock:
        _remember(_remembered, key, known)
        before = _extracts.get(key)
    state = (project.answers, project.unmarked, tuple(codings.places.items()), tuple(now.values()))
    if before is not None and before[0] == state:
        return before[1]
    coders = sorted({one.coder for _, text in known.values() for one in text.work if len(one.unit)})
    places = tuple(Place(*about, known[text][1]) for text, about in codings.places.items())
    answers = Project.Answers.INDICES.value if pyramids else project.answers
    found = Extract(answers, project.unmarked, scheme.keys, tuple(coders), places, units)
    with _lock:
        _remember(_extracts, key, (state, found))
    return found


class Busy(Exception):
    """Coders save so often that no one moment of the project could be read."""


@dataclass(frozen=True, slots=True)
class _Codings:
    """The texts that are coded, by their addresses, and the codings of each, by the names of the coders."""

    places: dict[int, tuple[str, str, str]]
    rows: dict[int, list[_Row]]


def _codings(project: Project) -> _Codings:
    # the last operation besides its number: a restored database may count on from an older state
    last = Operation.objects.filter(coding=OuterRef("pk"), sequence=OuterRef("version")).values("uuid")
    about = ("text_id", "text__slug", "text__title", "text__round", "coder__username")
    places: dict[int, tuple[str, str, str]] = {}
    rows: dict[int, list[_Row]] = defaultdict(list)
    found = Coding.objects.filter(text__project=project, kind__in=CODED).order_by()
    for pk, text, slug, title, round_, coder, status, version, uuid in found.values_list(
        "pk", *about, "status", "version", Subquery(last)
    ):
        places[text] = (slug, title, round_)
        rows[text].append(_Row(pk, text, coder, status == Coding.Status.SUBMITTED, (pk, coder, status, version, uuid)))
    # ordered here: databases differ in how they order names
    order = sorted(places, key=lambda text: places[text][0])
    return _Codings(
        {text: places[text] for text in order},
        {text: sorted(rows[text], key=lambda row: row.coder) for text in order},
    )


def reliability_data(
    extracted: Extract,
    *,
    chains: str,
    top: str,
    unmarked: str,
    texts: Sequence[Place] | None = None,
    coders: Sequence[str] | None = None,
) -> ReliabilityData:
    """The matrix of units x coders of the texts: units are markables, documents are texts.

    chains and top: as in `chain_labels`, where the scheme asks for pointers. unmarked: what a markable means that
    a coder left out of a text handed in. An answer that lacks the antecedent or index its category asks for is an
    error of the data and has no value. `texts` and `coders` restrict the data to some of them.
    """
    coders = extracted.coders if coders is None else coders
    answers = _answers([place.answers for place in (extracted.texts if texts is None else texts)], extracted, coders)
    if extracted.answers == Project.Answers.INDICES:
        return indexed_values(answers, unmarked=unmarked)
    return pointed_values(answers, mode=chains, top=top, unmarked=unmarked)


def category_data(extracted: Extract, texts: Sequence[Place], coders: Sequence[str]) -> ReliabilityData:
    """The categories alone, complete or not: the matrix of units x coders, with what nobody answered missing."""
    answers = _answers([place.answers for place in texts], extracted, coders, complete_only=False)
    return labelled_values(answers)


def forget() -> None:
    """Drop all that is kept in memory, as a restart does."""
    with _lock:
        _remembered.clear()
        _extracts.clear()


def _remember[V](kept: OrderedDict[_Key, V], key: _Key, value: V) -> None:
    kept[key] = value
    kept.move_to_end(key)
    while len(kept) > REMEMBERED:
        kept.popitem(last=False)


def _scheme(project: Project) -> tuple[_Scheme, Hashable]:
    """The categories, and what in the scheme the reading of answers depends on."""
    categories = Category.objects.filter(project=project).order_by()
    # ordered here: databases differ in how they order names
    given = sorted(categories.values_list("pk", "key", "points_to_id", "takes_index"), key=lambda row: row[1])
    coded = tuple(project.levels.order_by("pk").values_list("pk", "coded"))
    scheme = _Scheme(
        keys=tuple(key for _, key, *_ in given),
        number={pk: number for number, (pk, *_) in enumerate(given)},
        points=np.array([level is not None for *_, level, _ in given], dtype=np.bool_),
        indexes=np.array([index for *_, index in given], dtype=np.bool_),
    )
    return scheme, (project.answers, tuple(given), coded)


def _read(project: Project, scheme: _Scheme, rows: list[_Row], texts: list[int]) -> dict[int, TextAnswers] | None:
    """Read the answers of some texts; None where they do not fit together.

    Three queries, whatever the size: a row of theirs is a whole coding.
    """
    members = _read_members(project, texts)
    number = _Numbers.of(members.values())
    coding = {row.pk: place for place, row in enumerate(rows)}
    named = project.answers in (Project.Answers.INDICES, Project.Answers.SCUS)
    here = {"coding__text__project": project} if len(texts) > FEW else {"coding__text__in": texts}
    there = {f"judgement__{name}": value for name, value in here.items()}
    said = Judgement.objects.filter(category__isnull=False, **here).values_list("coding_id")
    judged = _pairs(said, coding, "markable_id", "category_id")
    unit, category = number.of_markables(judged.first), _looked_up(judged.second, scheme.number)
    order = np.lexsort((unit, judged.coding))
    coding_of, unit, category = judged.coding[order], unit[order], category[order]
    indices: list[list[str]] = [[] for _ in rows]
    if named:
        links = _indices(Index.objects.filter(judgement__category__isnull=False, **there), coding, indices)
    else:
        pointers = Pointer.objects.filter(judgement__category__isnull=False, **there)
        links = _pairs(pointers.values_list("judgement__coding_id"), coding, "judgement__markable_id", "target_id")
    place, wanted = coding_of * number.width + unit, links.coding * number.width + number.of_markables(links.first)
    link_of = np.minimum(np.searchsorted(place, wanted), max(len(place) - 1, 0))
    link_to = links.second if named else number.of_markables(links.second)
    if (unit < 0).any() or (link_to < 0).any() or (len(wanted) and not np.array_equal(place[link_of], wanted)):
        return None
    order = np.lexsort((link_to, link_of))
    link_of, link_to = link_of[order], link_to[order]
    linked = np.zeros(len(unit), dtype=np.bool_)
    linked[link_of] = True
    needs, cannot = (scheme.indexes, scheme.points) if named else (scheme.points, scheme.indexes)
    complete = (linked | ~needs[category]) & ~cannot[category]
    begins = np.searchsorted(coding_of, np.arange(len(rows) + 1))
    cuts = zip(begins.tolist(), np.searchsorted(link_of, begins).tolist(), strict=True)
    work: dict[int, list[Work]] = defaultdict(list)
    for row, names, ((a, c), (b, d)) in zip(rows, indices, pairwise(cuts), strict=True):
        mine = unit[a:b], category[a:b], complete[a:b], link_of[c:d] - a, link_to[c:d]
        work[row.text].append(Work(row.coder, row.submitted, *mine, tuple(names)))
    return {text: TextAnswers(text, *members[text], scheme.keys, tuple(work[text])) for text in texts}


def _read_words(project: Project, scheme: _Scheme, rows: list[_Row], texts: list[int]) -> dict[int, TextAnswers]:
    """Read pyramids, whose units are the words of the summaries: the SCUs of a word are those of its contributors.

    Two queries. Who codes only part of the words has said of the others that they are in no SCU once it is handed in.
    """
    here = {"text__project": project} if len(texts) > FEW else {"text__in": texts}
    words: dict[int, list[tuple[int, int, int, str]]] = {text: [] for text in texts}
    given = Markable.objects.filter(level__coded=False, **here).order_by("start")
    for text, pk, key, start, end in given.values_list("text_id", "pk", "key", "start", "end"):
        if text in words:
            words[text].append((start, end, pk, key))
    there = {f"judgement__coding__{name}": value for name, value in here.items()}
    said: dict[int, list[tuple[Any, str]]] = defaultdict(list)
    named = Index.objects.filter(judgement__category__isnull=False, **there).order_by("pk")
    for coding, parts, scu in named.values_list("judgement__coding_id", "judgement__markable__parts", "entity"):
        said[coding].append((parts, scu))
    number = scheme.keys.index(next(key for key, takes in zip(scheme.keys, scheme.indexes, strict=True) if takes))
    work: dict[int, list[Work]] = defaultdict(list)
    for row in rows:
        found = words_of_scus([(start, end) for start, end, *_ in words[row.text]], said[row.pk])
        unit = np.array(sorted(found), dtype=np.int64)
        names = tuple(sorted({scu for scus in found.values() for scu in scus}))
        place = {scu: number for number, scu in enumerate(names)}
        links = [(at, place[scu]) for at, word in enumerate(unit.tolist()) for scu in sorted(found[word])]
        pairs = np.array(links, dtype=np.int64).reshape(-1, 2)
        category, complete = np.full(len(unit), number), np.ones(len(unit), dtype=np.bool_)
        work[row.text].append(Work(row.coder, row.submitted, unit, category, complete, pairs[:, 0], pairs[:, 1], names))
    return {
        text: TextAnswers(
            text, tuple(pk for *_, pk, _ in of), (), tuple(key for *_, key in of), scheme.keys, tuple(work[text])
        )
        for text, of in words.items()
    }


type _Members = tuple[tuple[int, ...], tuple[int, ...], tuple[str, ...]]


def _read_members(project: Project, texts: list[int]) -> dict[int, _Members]:
    """The units of each text in text order, its other members, and the keys of both."""
    found: dict[int, list[tuple[bool, int, int, str, int]]] = {text: [] for text in texts}
    here = {"text__project": project} if len(texts) > FEW else {"text__in": texts}
    markables = Markable.objects.in_use().filter(**here).order_by()
    if project.answers == Project.Answers.SCUS:
        # What only an adjudicator marked, for the agreed pyramid, is no unit of the coders.
        theirs = Judgement.objects.filter(markable=OuterRef("pk"), coding__kind__in=CODED)
        markables = markables.filter(Exists(theirs), level__coded=True)
    for text, pk, key, start, end, coded in markables.values_list(
        "text_id", "pk", "key", "start", "end", "level__coded"
    ):
        if text in found:
            found[text].append((not coded, start, -end, key, pk))
    members = {}
    for text, of_text in found.items():
        of_text.sort()
        units = tuple(pk for other, *_, pk in of_text if not other)
        others = tuple(pk for other, *_, pk in of_text if other)
        members[text] = (units, others, tuple(key for *_, key, _ in of_text))
    return members


@dataclass(frozen=True, slots=True)
class _Numbers:
    """Markables as places among the members of their text, of which there are less than `width`."""

    markables: Ints
    places: Ints
    width: int

    @classmethod
    def of(cls, texts: Iterable[_Members]) -> _Numbers:
        members = [units + others for units, others, _ in texts]
        markables = np.array([pk for text in members for pk in text], dtype=np.int64)
        places = offsets(np.array([len(text) for text in members], dtype=np.int64))
        order = np.argsort(markables)
        return cls(markables[order], places[order], max(map(len, members), default=0) + 1)

    def of_markables(self, markables: Ints) -> Ints:
        """The place of each; -1 for one that is not a member."""
        found = np.minimum(np.searchsorted(self.markables, markables), max(len(self.markables) - 1, 0))
        return np.where(self.markables[found] == markables, self.places[found], -1) if len(markables) else markables


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Two columns of numbers, each row of a coding."""

    coding: Ints
    first: Ints
    second: Ints


def _pairs(rows: QuerySet[Any, Any], coding: Mapping[int, int], first: str, second: str) -> _Pairs:
    """Two columns of the rows, which are grouped by coding: databases hand out long strings faster than many rows."""
    both = Concat(Cast(first, TextField()), Value(" "), Cast(second, TextField()), output_field=TextField())
    found = rows.annotate(pairs=StringAgg(both, Value(" "), output_field=TextField())).order_by()
    return _parsed([(coding[pk], text) for pk, text in found if pk in coding])


def _indices(rows: QuerySet[Index], coding: Mapping[int, int], names: list[list[str]]) -> _Pairs:
    """The markables of each index, and the number of the index in its coding; `names` are filled in."""
    markables = Cast("judgement__markable_id", TextField())
    found = (
        rows.values_list("judgement__coding_id", "entity")
        .annotate(markables=StringAgg(markables, Value(" "), output_field=TextField()))
        .order_by()
    )
    parts = []
    for pk, entity, text in sorted(found):
        if pk in coding:
            of_coding = names[coding[pk]]
            parts.append((coding[pk], text.replace(" ", f" {len(of_coding)} ") + f" {len(of_coding)}"))
            of_coding.append(entity)
    return _parsed(parts)


def _parsed(parts: list[tuple[int, str]]) -> _Pairs:
    numbers = np.fromstring(" ".join(text for _, text in parts), dtype=np.int64, sep=" ").reshape(-1, 2)
    sizes = np.array([(text.count(" ") + 1) // 2 for _, text in parts], dtype=np.int64)
    codings = np.array([number for number, _ in parts], dtype=np.int64)
    return _Pairs(np.repeat(codings, sizes), numbers[:, 0], numbers[:, 1])


def _looked_up(keys: Ints, number: Mapping[int, int]) -> Ints:
    distinct, place = np.unique(keys, return_inverse=True)
    return np.array([number[key] for key in distinct.tolist()], dtype=np.int64)[place]


def _answers(
    texts: Sequence[TextAnswers], extracted: Extract, coders: Sequence[str], *, complete_only: bool = True
) -> Answers:
    """The answers of some of the coders in some of the texts, one after the other."""
    column = {coder: number for number, coder in enumerate(coders)}
    sizes = np.array([(len(text.units), len(text.others)) for text in texts], dtype=np.int64).reshape(-1, 2)
    first_unit, first_other = np.cumsum(sizes, axis=0).T - sizes.T
    n_units = int(sizes[:, 0].sum())
    works = [(t, one) for t, text in enumerate(texts) for one in text.work if one.coder in column]
    text_of = np.array([t for t, _ in works], dtype=np.int64)
    coder_of = np.array([column[one.coder] for _, one in works], dtype=np.int64)
    judged = np.array([len(one.unit) for _, one in works], dtype=np.int64)
    linked = np.array([len(one.link_of) for _, one in works], dtype=np.int64)
    handed_in = np.zeros((len(texts), len(coders)), dtype=np.bool_)
    handed_in[text_of, coder_of] = [one.submitted for _, one in works]
    link_to = _joined([one.link_to for _, one in works])
    if extracted.answers != Project.Answers.INDICES:
        text = np.repeat(text_of, linked)
        other = link_to - sizes[text, 0]
        link_to = np.where(other < 0, first_unit[text] + link_to, n_units + first_other[text] + other)
    category = _joined([one.category for _, one in works])
    complete = np.concatenate([np.zeros(0, dtype=np.bool_), *(one.complete for _, one in works)])
    return Answers(
        units=[pk for text in texts for pk in text.units],
        others=[pk for text in texts for pk in text.others],
        coders=tuple(coders),
        documents=[text.pk for text in texts],
        labels=extracted.categories,
        document_of_unit=np.repeat(np.arange(len(texts)), sizes[:, 0]),
        unit=_joined([one.unit for _, one in works]) + np.repeat(first_unit[text_of], judged),
        coder=np.repeat(coder_of, judged),
        label=np.where(complete, category, -1) if complete_only else category,
        link_of=_joined([one.link_of for _, one in works]) + np.repeat(np.cumsum(judged) - judged, linked),
        link_to=link_to,
        handed_in=handed_in,
    )


def _joined(arrays: list[Ints]) -> Ints:
    return np.concatenate([np.zeros(0, dtype=np.int64), *arrays])
