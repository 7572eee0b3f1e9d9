"""Rows of the database -> the answers of coders, in few queries."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import batched, count, pairwise
from typing import Any, NamedTuple

import numpy as np
from django.db.models import (
    BigIntegerField,
    BooleanField,
    Count,
    Exists,
    F,
    Func,
    IntegerField,
    OuterRef,
    QuerySet,
    StringAgg,
    Subquery,
    TextField,
    Value,
)
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Coalesce

from agreement.data.answers import CoderAnswers, TextAnswers, TextContent, TextEntry
from agreement.data.documents import NEXT_DOCUMENT, document_key, row_key, shift_of
from agreement.data.gold import GOLD, why_gold_is_left_out
from agreement.data.links import share_reading, tidy_readings
from agreement.data.scu_words import scus_by_word
from agreement.measures.data.arrays import run_offsets
from agreement.measures.values import Bools, Ints
from annotations.core.database.compiled_queries import compiled_query
from annotations.models import (
    Attribute,
    Category,
    Coding,
    Index,
    Judgement,
    Level,
    Markable,
    Membership,
    Operation,
    Pointer,
    Project,
    Relation,
    Round,
    Text,
)
from annotations.models.coding import INDEPENDENT_KINDS, pointing_categories

# Above so many changed texts all of the project are read: databases bound the parameters of a query.
MAX_TEXTS_IN_QUERY = 500
# So many codings are read at a time.
READ_AT_ONCE = 2_000
# So many changes of the table of codings are told from each other.
MOST_STEPS = 16
# In place of the key of a category, where a markable has none.
NO_CATEGORY = 0
# Targets come as key + reading * this, so that the first reading of a judgement, mostly the only one, costs nothing.
NEXT_READING = 1 << 44
# PostgreSQL would take an integer without a field for one of four bytes.
TARGET_AND_READING = F("target_id") + Cast("reading", BigIntegerField()) * Value(
    NEXT_READING, output_field=BigIntegerField()
)


@dataclass(frozen=True, slots=True)
class Categories:
    """The categories by key, and what each asks for; `singletons` are keys and `labels` names as in `Extract`.

    `other_relations` are the primary keys of those relations of the scheme whose pointers make no chains. `asks_more`
    says whether the scheme asks anything besides categories and chains.
    """

    keys: tuple[str, ...]
    labels: Mapping[str, str]
    singletons: tuple[str, ...]
    number: Mapping[int, int]
    points: Bools
    indexes: Bools
    other_relations: tuple[int, ...] = ()
    asks_more: bool = False


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
        """Return the document with what was answered in it. Of equal ones there is one object."""
        known: tuple[Heading, TextEntry] | None = content.cache.get("entry")
        if known is not None and known[0] is self:
            return known[1]
        further = (self.place, self.occasion, self.reason, self.is_one_of_several)
        entry = TextEntry(self.slug, self.title, self.round, content, *further)
        content.cache["entry"] = self, entry
        return entry


@dataclass(frozen=True, slots=True)
class CodingRow:
    """A coding as it is now, of the document `text`. `reason` is one of REASONS_LEFT_OUT, or empty where it counts.

    `number` is the version of the coding; `version` has all that its answers depend on.
    """

    pk: int
    text: int
    coder: str
    submitted: bool
    reason: str
    version: str
    number: int = 0

    @classmethod
    def of(cls, pk: int, text: int, coder: str, status: str, number: int, uuid: str | None, reason: str) -> CodingRow:
        """Return the coding in a state; `reason` is that of its document, or of its coder."""
        submitted = status == Coding.Status.SUBMITTED
        reason = reason or ("" if submitted else "open")
        return cls(pk, text, coder, submitted, reason, f"{pk} {coder} {status} {number} {uuid} {reason}", number)


class Progress(NamedTuple):
    """How many texts have codings, how many codings there are, and how many are submitted."""

    n_texts: int
    n_codings: int
    n_submitted: int


NOTHING_CODED = Progress(0, 0, 0)
_numbers = count()


@dataclass(frozen=True, slots=True, eq=False)
class CodingTable:
    """The documents that are coded, in the order of `Extract.texts`, and the codings of each, by the names of coders.

    `headings` says of each what `TextEntry` says besides the answers, `managers` are the members who manage and code,
    `adjudicators` those who adjudicate. `given` has how many markables came with a text, where any did.
    `gold_left_out` has how much gold does not count, by reason, where gold was read. `coders` are the keys of users.
    `progress` counts the codings of documents that are no practice and no repeats. `number` is that of no other table;
    `steps` has the numbers of some tables before, each with the documents that alone have changed in the next.
    """

    headings: dict[int, Heading]
    rows: dict[int, list[CodingRow]]
    managers: tuple[str, ...]
    adjudicators: frozenset[str] = frozenset()
    given: Mapping[int, int] = field(default_factory=dict)
    gold_left_out: Mapping[str, int] = field(default_factory=dict)
    coders: tuple[int, ...] = ()
    progress: Progress = NOTHING_CODED
    steps: tuple[tuple[int, frozenset[int]], ...] = ()
    number: int = field(default_factory=_numbers.__next__)

    def with_rows(self, rows: Mapping[int, list[CodingRow]]) -> CodingTable:
        """Return the table with other codings of some of its documents; the same where there are none."""
        if not rows:
            return self
        steps = (*self.steps, (self.number, frozenset(rows)))[-MOST_STEPS:]
        counted = [document for document in rows if not self.headings[document].reason]
        before, after = ([row for one in counted for row in of[one]] for of in (self.rows, rows))
        progress = Progress(
            self.progress.n_texts,  # a document that the table has has a coding, and none is deleted
            self.progress.n_codings + len(after) - len(before),
            self.progress.n_submitted + _count_submitted(after) - _count_submitted(before),
        )
        return replace(self, rows={**self.rows, **rows}, steps=steps, number=next(_numbers), progress=progress)

    def changed_since(self, number: int) -> frozenset[int] | None:
        """Return the documents in which alone a table before was another one; None where more may be."""
        if number == self.number:
            return frozenset()
        numbers = [step for step, _ in self.steps]
        if number not in numbers:
            return None
        return frozenset[int]().union(*(changed for _, changed in self.steps[numbers.index(number) :]))

    def version_of(self, document: int) -> tuple[Hashable, ...]:
        """Return on what the answers in a document depend besides the scheme."""
        return (self.given.get(row_key(document), 0), *(row.version for row in self.rows[document]))

    def with_gold(self, project: Project) -> CodingTable:
        """Return those documents that have gold that counts, with it besides the codings of coders. One query."""
        documents = {
            (row_key(key), one.round): key for key, one in reversed(self.headings.items()) if one.occasion == 1
        }
        columns = ("pk", "text_id", "round__name", "round__kind", "status", "version", _last_uuid())
        gold = Coding.with_gold.filter(text__project=project, kind=Coding.Kind.GOLD).order_by("pk")
        rows, left_out = dict[int, list[CodingRow]](), Counter[str]()
        for pk, text, round_, kind, status, version, uuid in gold.values_list(*columns):
            key = documents.get((text, round_))
            reason = why_gold_is_left_out(status, kind) or ("" if key is not None else "uncoded")
            if reason or key is None:
                left_out[reason] += 1
                continue
            own = CodingRow(pk, key, GOLD, submitted=True, reason="", version=f"{pk} {GOLD} {status} {version} {uuid}")
            rows[key] = [*self.rows[key], own]
        headings = {key: heading for key, heading in self.headings.items() if key in rows}
        return replace(
            self,
            headings=headings,
            rows={key: rows[key] for key in headings},
            gold_left_out=left_out,
            steps=(),
            number=next(_numbers),
        )


def read_codings(project: Project, *, models: bool = False) -> CodingTable:
    """Return the codings that coders make independently of each other, and which of them do not count.

    models: also the codings of models, which count as those of people do.
    """
    of_round = ("round__position", "round_id", "round__name", "round__kind", "occasion", "coder_id")
    names = ("text_id", "text__slug", "text__title", "coder__username")
    rows_counted = Coding.with_models if models else Coding.objects
    codings = rows_counted.filter(text__project=project, kind__in=INDEPENDENT_KINDS).order_by()
    roles = dict(
        project.memberships.filter(role__in=[Membership.Role.ADJUDICATOR, Membership.Role.MANAGER_CODER]).values_list(
            "user__username", "role"
        )
    )
    adjudicators = {name for name, role in roles.items() if role == Membership.Role.ADJUDICATOR}
    # read some at a time, with one object for equal rounds and names: there are many codings
    rounds, shared, coder_keys, found = dict[Any, _RoundOf](), dict[str, str](), set[int](), list[tuple[Any, ...]]()
    columns = codings.values_list(*of_round, "pk", *names, "status", "version", _last_uuid())
    for *round_key, coder_key, pk, text, slug, title, coder, status, version, uuid in columns.iterator(READ_AT_ONCE):
        one = rounds.setdefault(tuple(round_key), _RoundOf(*round_key))
        words = (shared.setdefault(word, word) for word in (slug, title, coder, status))
        coder_keys.add(coder_key)
        found.append((one, pk, text, *words, version, uuid))
    coders = tuple(sorted(coder_keys))
    # ordered here: databases differ in how they order names
    order = sorted({(slug, text, title, round_) for round_, _, text, slug, title, *_ in found})
    places = {key: place for place, key in enumerate(sorted({one.key for _, _, _, one in order}))}
    numbers = Counter(text for _, text, _, _ in order)
    keys: dict[tuple[int, _RoundOf], int] = {}
    headings: dict[int, Heading] = {}
    seen: Counter[int] = Counter()
    for slug, text, title, one in order:
        key = keys[text, one] = document_key(text, seen[text])
        seen[text] += 1
        reason = _reason_of(one.kind, one.occasion)
        headings[key] = Heading(slug, title, one.name, places[one.key], one.occasion, reason, numbers[text] > 1)
    rows: dict[int, list[CodingRow]] = {key: [] for key in headings}
    for round_, pk, text, _, _, coder, status, version, uuid in found:
        key = keys[text, round_]
        # Who adjudicates has seen the work of the others.
        reason = "gold" if coder in adjudicators else headings[key].reason
        rows[key].append(CodingRow.of(pk, key, coder, status, version, uuid, reason))
    return CodingTable(
        headings,
        {key: sorted(of_document, key=lambda row: row.coder) for key, of_document in rows.items()},
        tuple(sorted(roles.keys() - adjudicators)),
        frozenset(adjudicators),
        _count_given(project),
        coders=coders,
        progress=_count_progress(headings, rows),
    )


def _count_progress(headings: Mapping[int, Heading], rows: Mapping[int, list[CodingRow]]) -> Progress:
    counted = [key for key, heading in headings.items() if not heading.reason]
    codings = [row for key in counted for row in rows[key]]
    return Progress(len({row_key(key) for key in counted}), len(codings), _count_submitted(codings))


def _count_submitted(codings: Iterable[CodingRow]) -> int:
    return sum(one.submitted for one in codings)


def _last_uuid() -> Subquery:
    """Return the last operation besides its number: a restored database may count on from an older state."""
    last = Operation.objects.filter(coding=OuterRef("pk"), sequence=OuterRef("version"))
    return Subquery(last.values(one=Cast("uuid", TextField())))


def _count_given(project: Project) -> dict[int, int]:
    """Return how many markables came with each text. An import may give some to texts that are coded already."""
    # Read by the index of those.
    texts = Text.objects.filter(project=project).order_by().values("pk")
    given = Markable.objects.filter(_IsTrue("predefined"), text__in=texts).order_by()
    return dict(given.values_list("text_id").annotate(number=Count("pk")))


def read_changed_codings(
    project: Project, table: CodingTable, keys: Iterable[int]
) -> dict[int, list[CodingRow]] | None:
    """Return the codings of those documents in which some of these are others than in the table.

    None where one of them is of a document or coder that the table does not have. A query for some hundreds.
    """
    changed: dict[int, list[CodingRow]] = {}
    columns = ("pk", "text_id", "round__name", "occasion", "coder_id", "coder__username", "status", "version")
    for batch in batched(keys, MAX_TEXTS_IN_QUERY):
        codings = Coding.objects.filter(pk__in=batch, text__project=project, kind__in=INDEPENDENT_KINDS).order_by()
        found = codings.values_list(*columns, _last_uuid())
        for pk, text, round_, occasion, coder_key, coder, status, version, uuid in found:
            document = _find_document(table, text, round_, occasion)
            if document is None or coder_key not in table.coders:
                return None
            reason = "gold" if coder in table.adjudicators else table.headings[document].reason
            row = CodingRow.of(pk, document, coder, status, version, uuid, reason)
            rows = changed.get(document, table.rows[document])
            if row not in rows:
                others = [one for one in rows if one.pk != pk]
                changed[document] = sorted([*others, row], key=lambda one: one.coder)
    return changed


def _find_document(table: CodingTable, text: int, round_: str, occasion: int) -> int | None:
    number = 0
    while (heading := table.headings.get(key := document_key(text, number))) is not None:
        if (heading.round, heading.occasion) == (round_, occasion):
            return key
        number += 1
    return None


class _RoundOf(NamedTuple):
    """The round of a coding, and the occasion within it; in the order of rounds."""

    position: int
    pk: int
    name: str
    kind: str
    occasion: int

    @property
    def key(self) -> tuple[int, int]:
        """By which rounds are ordered."""
        return self.position, self.pk


def _reason_of(kind: str, occasion: int) -> str:
    """Return why codings of a document do not count, all of them; empty where they do."""
    if kind == Round.Kind.TRAINING:
        return "practice"
    return "repeats" if kind == Round.Kind.RECHECK or occasion > 1 else ""


def read_categories(project: Project) -> tuple[Categories, Hashable]:
    """Return the categories, and what in the scheme the reading of answers depends on."""
    # ordered here: databases differ in how they order names
    found = sorted(_category_rows(project.pk), key=lambda row: row[1])
    rows = [row[:-3] for row in found]  # no answer depends on a label
    # in a pyramid, what is in no SCU is alone
    always = project.answers == Project.Answers.SCUS
    coded = tuple(_level_rows(project.pk))
    indexed = Categories(
        keys=tuple(key for _, key, *_ in rows),
        labels=name_categories({key: label for _, key, *_, label, _, _ in found}),
        singletons=tuple(key for _, key, singleton, *_ in rows if singleton or always),
        number={pk: number for number, (pk, *_) in enumerate(rows)},
        points=np.array([points for *_, points, _ in rows], dtype=np.bool_),
        indexes=np.array([index for *_, index in rows], dtype=np.bool_),
    )
    # A relation that is not one of identity makes no chain. Few schemes have one, and they are asked for nothing more.
    others: tuple[int, ...] = ()
    if any(row[-1] for row in found):
        others = tuple(project.relations.filter(identity=False).order_by("pk").values_list("pk", flat=True))
    # without categories it can only ask more
    asks_more = not found or any(row[-2] for row in found) or bool(others)
    return replace(indexed, other_relations=others, asks_more=asks_more), (project.answers, tuple(rows), coded, others)


@compiled_query(IntegerField())
def _category_rows(project: int) -> QuerySet[Category, tuple[Any, ...]]:
    pointing = Exists(pointing_categories().filter(pk=OuterRef("pk")))
    columns = ("pk", "key", "singleton", pointing, "takes_index")
    other = Exists(Relation.objects.filter(project=OuterRef("project"), identity=False).order_by())
    attributes = Exists(Attribute.objects.filter(project=OuterRef("project")).order_by())
    return Category.objects.filter(project=project).order_by().values_list(*columns, "label", attributes, other)


@compiled_query(IntegerField())
def _level_rows(project: int) -> QuerySet[Level, tuple[Any, ...]]:
    """Return which levels are coded."""
    return Level.objects.filter(project=project).order_by("pk").values_list("pk", "coded")


class _IsTrue(Func):
    """A field is true: Django compares an expression with 1 on SQLite, as it does in the condition of an index."""

    template = "%(expressions)s"
    output_field = BooleanField()


def name_categories(labels: Mapping[str, str]) -> dict[str, str]:
    """Return what each category is called, by key: its label, with the key behind it where two have the same label."""
    used = Counter(labels.values())
    return {key: label if used[label] == 1 else f"{label} ({key})" for key, label in labels.items()}


def read_answers(
    project: Project,
    categories: Categories,
    rows: list[CodingRow],
    texts: list[int],
    versions: frozenset[int] = frozenset(),
    *,
    all_marks: bool = False,
) -> dict[int, TextAnswers]:
    """Return the answers of some texts; `versions`: only those last given under one of these versions of the scheme.

    all_marks: codings of gold or of models are among the rows, and what they alone have marked is a unit, too.

    Three queries, with `versions` four, whatever the size: a row of theirs is a whole coding.
    """
    members = _read_members(project, [*{row_key(text) for text in texts}], all_marks=all_marks)
    index = MemberIndex.of(members.values())
    coding = {row.pk: place for place, row in enumerate(rows)}
    indexing = project.answers in (Project.Answers.INDICES, Project.Answers.SCUS)
    selection = {f"coding__{name}": value for name, value in select_texts(project, texts).items()}
    link_selection = {f"judgement__{name}": value for name, value in selection.items()}
    judgements = Judgement.objects.filter(**selection).values_list("coding_id")
    # a markable may have no category: it is marked, not judged
    marks = read_pairs(judgements, coding, "markable_id", Coalesce("category_id", NO_CATEGORY))
    marked = index.of_markables(marks.first)
    order = np.lexsort((marked, marks.coding))
    marking, marked, category = marks.coding[order], marked[order], marks.second[order]
    kept = np.ones(len(marked), dtype=np.bool_)
    if versions:
        rows_of_others = judgements.exclude(scheme_version__in=versions)
        others = read_pairs(rows_of_others, coding, "markable_id", "scheme_version")
        other = others.coding * index.width + index.of_markables(others.first)
        kept = ~np.isin(marking * index.width + marked, other)
        link_selection["judgement__scheme_version__in"] = versions
    is_of_versions = np.bincount(marking[kept], minlength=len(rows)).astype(np.bool_) | (not versions)
    judged = kept & (category != NO_CATEGORY)
    coding_of, unit, category = marking[judged], marked[judged], look_up(category[judged], categories.number)
    indices: list[list[str]] = [[] for _ in rows]
    if indexing:
        entities = Index.objects.filter(judgement__category__isnull=False, **link_selection)
        links = _read_indices(entities, coding, indices)
    else:
        pointers = Pointer.objects.filter(judgement__category__isnull=False, **link_selection)
        if categories.other_relations:
            pointers = pointers.exclude(relation__in=categories.other_relations)
        rows_of_pointers = pointers.values_list("judgement__coding_id")
        links = read_pairs(rows_of_pointers, coding, "judgement__markable_id", TARGET_AND_READING)
    linked_unit = links.coding * index.width + index.of_markables(links.first)
    link_of = np.searchsorted(coding_of * index.width + unit, linked_unit)
    reading, second = np.divmod(links.second, NEXT_READING)
    link_to = second if indexing else index.of_markables(second)
    # two indices are alternatives
    link_of, link_to, reading = tidy_readings(link_of, link_to, link_to if indexing else reading)
    linked = np.zeros(len(unit), dtype=np.bool_)
    linked[link_of] = True
    required, impossible = categories.points, categories.indexes
    if indexing:
        required, impossible = impossible, required
    complete = (linked | ~required[category]) & ~impossible[category]
    begins = np.searchsorted(coding_of, np.arange(len(rows) + 1))
    begins_of_links = np.searchsorted(link_of, begins)
    begins_of_marks = np.searchsorted(marking, np.arange(len(rows) + 1)).tolist()
    cuts = zip(begins.tolist(), begins_of_links.tolist(), begins_of_marks, strict=True)
    is_plural = np.diff(np.searchsorted(np.flatnonzero(share_reading(link_of, reading)), begins_of_links)) > 0
    answers: dict[int, list[CoderAnswers]] = defaultdict(list)
    for row, names, counts, plural, ((a, c, e), (b, d, f)) in zip(
        rows, indices, is_of_versions.tolist(), is_plural.tolist(), pairwise(cuts), strict=True
    ):
        n_units = len(members[row_key(row.text)].units)
        own = marked[e:f]
        answers[row.text].append(
            CoderAnswers(
                coder=row.coder,
                submitted=row.submitted and counts,
                reason=row.reason,
                marked=own[own < n_units],
                unit=unit[a:b],
                category=category[a:b],
                complete=complete[a:b],
                link_of=link_of[c:d] - a,
                link_to=link_to[c:d],
                indices=tuple(names),
                reading=reading[c:d] if plural else None,
                coding=row.pk,
                other_versions=own[~kept[e:f] & (own < n_units)],
            )
        )
    return {text: _text_answers(text, members[row_key(text)], categories, answers[text]) for text in texts}


def _text_answers(key: int, members: _Members, categories: Categories, answers: Sequence[CoderAnswers]) -> TextAnswers:
    """Return the answers of a document, whose units and other members have keys of their own."""
    shift = shift_of(key)
    return TextAnswers(
        pk=key,
        units=tuple(pk + shift for pk in members.units) if shift else members.units,
        others=tuple(pk + shift for pk in members.others) if shift else members.others,
        keys=members.keys,
        categories=categories.keys,
        given=members.given,
        coder_answers=tuple(answers),
    )


def read_word_answers(
    project: Project, categories: Categories, rows: list[CodingRow], texts: list[int]
) -> dict[int, TextAnswers]:
    """Return the answers of pyramids whose units are the words of the summaries, with the SCUs of their contributors.

    Two queries. Who codes only part of the words has said of the others that they are in no SCU once it is submitted.
    """
    selection = select_texts(project, texts)
    words: dict[int, list[tuple[int, int, int, str]]] = {text: [] for text in texts}
    markables = Markable.objects.filter(level__coded=False, **selection).order_by("start")
    for text, pk, key, start, end in markables.values_list("text_id", "pk", "key", "start", "end"):
        if text in words:
            words[text].append((start, end, pk, key))
    link_selection = {f"judgement__coding__{name}": value for name, value in selection.items()}
    contributors: dict[int, list[tuple[Any, str]]] = defaultdict(list)
    entities = Index.objects.filter(judgement__category__isnull=False, **link_selection).order_by("pk")
    for coding, parts, scu in entities.values_list("judgement__coding_id", "judgement__markable__parts", "entity"):
        contributors[coding].append((parts, scu))
    indexing = int(np.flatnonzero(categories.indexes)[0])
    answers: dict[int, list[CoderAnswers]] = defaultdict(list)
    for row in rows:
        scus = scus_by_word([(start, end) for start, end, *_ in words[row.text]], contributors[row.pk])
        unit = np.array(sorted(scus), dtype=np.int64)
        names = tuple(sorted({scu for of_word in scus.values() for scu in of_word}))
        place = {scu: number for number, scu in enumerate(names)}
        links = [(at, place[scu]) for at, word in enumerate(unit.tolist()) for scu in sorted(scus[word])]
        pairs = np.array(links, dtype=np.int64).reshape(-1, 2)
        category, complete = np.full(len(unit), indexing), np.ones(len(unit), dtype=np.bool_)
        answers[row.text].append(
            CoderAnswers(
                coder=row.coder,
                submitted=row.submitted,
                reason=row.reason,
                marked=unit,
                unit=unit,
                category=category,
                complete=complete,
                link_of=pairs[:, 0],
                link_to=pairs[:, 1],
                indices=names,
                coding=row.pk,
            )
        )
    return {
        text: TextAnswers(
            pk=text,
            units=tuple(pk for *_, pk, _ in of_text),
            others=(),
            keys=tuple(key for *_, key in of_text),
            categories=categories.keys,
            given=np.ones(len(of_text), dtype=np.bool_),
            coder_answers=tuple(answers[text]),
        )
        for text, of_text in words.items()
    }


@dataclass(frozen=True, slots=True)
class _Members:
    """The markables of a text, as in TextAnswers."""

    units: tuple[int, ...]
    others: tuple[int, ...]
    keys: tuple[str, ...]
    given: Bools


def select_texts(project: Project, texts: list[int]) -> dict[str, Any]:
    """Return the filter of what is of some documents; of many all of the project is read."""
    keys = {row_key(text) for text in texts}
    return {"text__project": project} if len(keys) > MAX_TEXTS_IN_QUERY else {"text__in": keys}


def _read_members(project: Project, texts: list[int], *, all_marks: bool = False) -> dict[int, _Members]:
    """Return the members of each text, in the order of `Markable`; or also what gold or models alone have marked."""
    markables = Markable.objects.all() if all_marks else Markable.objects.in_use()
    markables = markables.filter(**select_texts(project, texts)).order_by()
    if project.answers == Project.Answers.SCUS:
        # What only an adjudicator marked, for the agreed pyramid, is no unit of the coders.
        of_coders = Judgement.objects.filter(markable=OuterRef("pk"), coding__kind__in=INDEPENDENT_KINDS)
        of_coders = of_coders if all_marks else of_coders.filter(coding__by_model=False)
        markables = markables.filter(Exists(of_coders), level__coded=True)
    grouped = markables.values_list("text_id").annotate(
        markable_keys=_joined("key"),
        pks=_joined("pk"),
        starts=_joined("start"),
        ends=_joined("end"),
        coded=_joined(Cast("level__coded", IntegerField())),
        given=_joined(Cast("predefined", IntegerField())),
    )
    members = {text: _Members((), (), (), np.zeros(0, dtype=np.bool_)) for text in texts}
    rows = [row for row in grouped if row[0] in members]
    # no key has a blank: a level's is a slug
    keys = [key for _, of_text, *_ in rows for key in of_text.split()]
    pk, start, end, coded, given = (_parse_numbers([row[column] for row in rows]) for column in range(2, 7))
    sizes = _count_numbers([row[2] for row in rows])
    text = np.repeat(np.arange(len(rows)), sizes)
    order = _order_members(keys, (-end, start, 1 - coded, text))
    pks, keys, is_given = pk[order].tolist(), [keys[place] for place in order.tolist()], given[order].astype(np.bool_)
    stops = np.cumsum(sizes)
    n_units = np.bincount(text[coded == 1], minlength=len(rows))
    cuts = np.column_stack((stops - sizes, stops - sizes + n_units, stops)).tolist()
    for (of_text, *_), (begin, others, stop) in zip(rows, cuts, strict=True):
        members[of_text] = _Members(
            units=tuple(pks[begin:others]),
            others=tuple(pks[others:stop]),
            keys=tuple(keys[begin:stop]),
            given=is_given[begin:others],
        )
    return members


def _order_members(keys: Sequence[str], columns: Sequence[Ints]) -> Ints:
    """Return the order of markables by columns, of which the last comes first; what is equal in all is by key."""
    order = np.lexsort(columns)
    equal = np.flatnonzero(np.all([np.diff(column[order]) == 0 for column in columns], axis=0))
    tied = order[np.union1d(equal, equal + 1)].tolist()
    rank = np.zeros(len(keys), dtype=np.int64)
    rank[sorted(tied, key=keys.__getitem__)] = np.arange(len(tied))
    return np.lexsort((rank, *columns)) if tied else order


@dataclass(frozen=True, slots=True)
class MemberIndex:
    """Markables as places among the members of their text, of which there are less than `width`."""

    markables: Ints
    places: Ints
    width: int

    @classmethod
    def of(cls, texts: Iterable[_Members | TextAnswers]) -> MemberIndex:
        """Return the index of the members of some texts."""
        members = [text.units + text.others for text in texts]
        # documents of one text have the same members at the same places
        markables = np.array([pk for text in members for pk in text], dtype=np.int64) % NEXT_DOCUMENT
        places = run_offsets(np.array([len(text) for text in members], dtype=np.int64))
        order = np.argsort(markables)
        return cls(markables[order], places[order], max(map(len, members), default=0) + 1)

    def of_markables(self, markables: Ints) -> Ints:
        """Return the place of each."""
        return self.places[np.searchsorted(self.markables, markables)]


@dataclass(frozen=True, slots=True)
class LinkedRows:
    """Two columns of numbers, each row of a coding."""

    coding: Ints
    first: Ints
    second: Ints


def read_pairs(rows: QuerySet[Any, Any], coding: Mapping[int, int], first: str, second: str | Combinable) -> LinkedRows:
    """Return two columns of the rows. They come grouped by coding: long strings are faster to read than many rows."""
    grouped = rows.annotate(firsts=_joined(first), seconds=_joined(second)).order_by()
    found = [(coding[pk], *columns) for pk, *columns in grouped if pk in coding]
    firsts, seconds = [one for _, one, _ in found], [one for *_, one in found]
    codings = np.array([number for number, *_ in found], dtype=np.int64)
    of_row = np.repeat(codings, _count_numbers(firsts))
    return LinkedRows(of_row, _parse_numbers(firsts), _parse_numbers(seconds))


def _joined(column: str | Combinable) -> StringAgg:
    """Return the values of a column in a group, between blanks. Those of two columns come in the same order."""
    return StringAgg(Cast(column, TextField()), Value(" "), output_field=TextField())


def _count_numbers(joined: Sequence[str]) -> Ints:
    return np.array([text.count(" ") + 1 for text in joined], dtype=np.int64)


def _parse_numbers(joined: Sequence[str]) -> Ints:
    return np.fromstring(" ".join(joined), dtype=np.int64, sep=" ")


def _read_indices(rows: QuerySet[Index], coding: Mapping[int, int], names: list[list[str]]) -> LinkedRows:
    """Return the markables of each index, and the number of the index in its coding; `names` are filled in."""
    grouped = (
        rows.values_list("judgement__coding_id", "entity")
        .annotate(markables=_joined("judgement__markable_id"))
        .order_by()
    )
    found = [row for row in sorted(grouped) if row[0] in coding]
    numbers = []
    for pk, entity, _ in found:
        of_coding = names[coding[pk]]
        numbers.append(len(of_coding))
        of_coding.append(entity)
    joined = [text for *_, text in found]
    rows_of = np.array([(coding[pk], number) for (pk, *_), number in zip(found, numbers, strict=True)], dtype=np.int64)
    of_row, index = np.repeat(rows_of.reshape(-1, 2), _count_numbers(joined), axis=0).T
    return LinkedRows(of_row, _parse_numbers(joined), index)


def look_up(keys: Ints, number: Mapping[int, int]) -> Ints:
    distinct, place = np.unique(keys, return_inverse=True)
    return np.array([number[key] for key in distinct.tolist()], dtype=np.int64)[place]
