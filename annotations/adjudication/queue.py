"""The queue of an adjudicator: what of a draft has to be decided, card by card, and what each coder says of it.

Queues of texts are made here, those of agreed pyramids in `annotations.adjudication.pyramid_queue` of the same parts.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import batched
from typing import Any
from uuid import UUID

from agreement.measures import Card, CardRow, Readings, cards
from annotations.adjudication.decisions.changes import bases_of_drafts, read_logs_of, replay_until
from annotations.adjudication.decisions.log import Draft, Step, answer_to, deciding_steps, renaming
from annotations.adjudication.proposal import Item, Method, all_coded, answers_of_draft
from annotations.adjudication.states import GoldState, gold_states
from annotations.coding.decisions import Decision, Description
from annotations.coding.required_answers import holes_in
from annotations.coding.rules import Rules, text_order
from annotations.core.text import letters
from annotations.formats.model.keys import split_key
from annotations.formats.model.scheme import CATEGORY, Subject
from annotations.models import Coding, Markable, Operation, Project
from annotations.projects.letters import shuffle_codings
from annotations.schemes.constraints import Constraints, categories_on
from annotations.schemes.project_scheme import ProjectScheme, read_scheme

# Units that the rows of cards may have; more cards come when these are decided.
MAX_UNITS = 10_000
# Of one question so many markables are on a card.
ROWS_OF_QUESTION = 20
# So many units of what a draft accepts unseen are checked at a time, and may be checked of a text.
SAMPLE_SIZE, MAX_CHECKS = 10, 1000

type Decisions = Mapping[str, Decision]


class Kind(StrEnum):
    """What a card is about: an entity of the draft, a unit in none, a question, or what nobody contests."""

    ENTITY = "entity"
    UNIT = "unit"
    QUESTION = "question"
    CHECK = "check"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a coder or the draft says of a unit: its entities, by their numbers in the queue, or a label.

    Of a pyramid entities are SCUs. Where no contributor has just the words of the unit, `units` are those that have
    some, each with the number of its SCU.
    """

    entities: tuple[int, ...] = ()
    label: str | None = None
    units: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """Units that no coder separates. `answers` are those of the coders in the order of columns; None: not marked.

    `elsewhere`: the draft has them in another entity than that of the card. `undecided`: it has no answer to accept, as
    coders are as many for one as for another, or nobody gives what the scheme asks for.
    """

    units: tuple[str, ...]
    answers: tuple[Answer | None, ...]
    draft: Answer | None
    contested: bool
    elsewhere: bool = False
    undecided: bool = False


@dataclass(frozen=True, slots=True)
class QueueCard:
    """What is decided together. `entity` is the number of one in the queue, `question` that of a card of questions."""

    kind: Kind
    rows: tuple[Row, ...]
    entity: int | None = None
    question: str = ""
    disagreement: float = 0.0


@dataclass(frozen=True, slots=True)
class Column:
    """A coder whose answers the draft rests on: `operation` names the version of their coding."""

    letter: str
    name: str
    operation: str
    decisions: Decisions
    descriptions: Mapping[str, Description] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Queue:
    """All that an adjudicator looks at in a text, in order. Without a draft there is nothing.

    `entities` are those of the draft, so many as `drafted` says, then chains of coders that are none of these, each
    with its markables in text order. Of a pyramid `scus` says which they are: those of the draft with their keys.
    `sample` has all units that could be checked; `left_off` counts cards that are beyond the bound.
    """

    state: GoldState
    columns: tuple[Column, ...] = ()
    entities: tuple[tuple[str, ...], ...] = ()
    drafted: int = 0
    cards: tuple[QueueCard, ...] = ()
    draft: Decisions | None = None
    steps: Sequence[Step] = ()
    sample: int = 0
    left_off: int = 0
    scus: tuple[Description, ...] = ()


def build_queue(project: Project, gold: Coding, checks: int = SAMPLE_SIZE) -> Queue:
    """Return the queue of the gold of a text, of the answers that its draft rests on. checks: units to check."""
    [state] = gold_states([gold])
    if state.draft is None:
        return Queue(state)
    columns, drafted = read_columns(gold, state.draft), read_draft(gold, state.draft)
    return _Builder(project, read_scheme(project.pk), state, columns, drafted).build(checks)


def sample_units(draft: UUID, payload: Mapping[str, Any]) -> list[str]:
    """Return what the draft answers and nobody contests, in the random order in which it is checked."""
    # The order is that of a hash keyed by the draft's operation: nobody knows it before the draft is made.
    contested = {markable for markable, _ in payload["contested"]}
    units = [
        one["markable"]
        for one in payload["judgements"]
        if one["markable"] not in contested and (one["category"] is not None or one.get("attributes"))
    ]
    return sorted(units, key=lambda key: hashlib.sha256(f"{draft} {key}".encode()).digest())


def follow_keys(keys: Sequence[str], log: Iterable[tuple[str, Mapping[str, Any]]]) -> list[str | None]:
    """Return the keys that markables have after corrections and moves; None where their words are gone."""
    found: list[str | None] = list(keys)
    for kind, payload in log:
        if (rename := renaming(kind, payload)) is not None:
            found = [key and rename(key) for key in found]
    return found


@dataclass(frozen=True, slots=True)
class DraftContent:
    """The decisions of a draft by the text of today, its sample, SCUs, and the keys that its markables have today."""

    decisions: Decisions
    sample: Sequence[str]
    descriptions: Mapping[str, Description]
    today: Mapping[str, str]


def read_draft(gold: Coding, draft: Draft) -> DraftContent:
    """Return the content of a draft. One query."""
    # besides the draft, what changes keys and what changes answers without their coders
    kinds = (Operation.Kind.DRAFT, Operation.Kind.MOVE, Operation.Kind.CORRECT, Operation.Kind.MERGE)
    log = gold.operations.filter(sequence__gte=draft.sequence, kind__in=kinds).order_by("sequence")
    [(uuid, sequence, kind, payload), *later] = log.values_list("uuid", "sequence", "kind", "payload")
    changes = [(kind, payload) for _, _, kind, payload in later]
    sample = [key for key in follow_keys(sample_units(uuid, payload), changes) if key is not None]
    content = replay_until([(sequence, kind, payload), *(one[1:] for one in later)], sequence)
    keys = [one["markable"] for one in payload["judgements"]]
    corrections = [one for one in changes if one[0] == Operation.Kind.CORRECT]
    moved = zip(follow_keys(keys, corrections), follow_keys(keys, changes), strict=True)
    today = {key: now for key, now in moved if key is not None and now is not None}
    return DraftContent(content.decisions, sample, content.descriptions, today)


def read_columns(gold: Coding, draft: Draft) -> tuple[Column, ...]:
    """Return the columns of the coders, in an order that tells nothing of names. Two queries."""
    bases = bases_of_drafts(draft.codings, [gold.text_id])
    found = {
        coding: (sequence, str(uuid), name)
        for coding, sequence, uuid, name in bases.values_list("coding", "sequence", "uuid", "coding__coder__username")
    }
    logs = read_logs_of(found)
    return tuple(
        Column(letters(number), found[coding][2], found[coding][1], replayed.decisions, replayed.descriptions)
        for number, coding in enumerate(shuffle_codings(gold.text_id, found))
        for replayed in [replay_until(logs[coding], found[coding][0])]
    )


def add_cards(
    queue: Queue, cards: Sequence[QueueCard], sample: Sequence[str], row_of: Callable[[str], Row], checks: int
) -> Queue:
    """Return the queue with no more cards than the bound allows; once none is left off, with units to check."""
    shown: list[QueueCard] = []
    n_units = 0
    for card in cards:
        n_units += sum(len(row.units) for row in card.rows)
        if n_units > MAX_UNITS and shown:
            break
        shown.append(card)
    left_off = len(cards) - len(shown)
    to_check = tuple(map(row_of, sample[: min(checks, MAX_CHECKS)]))
    if to_check and not left_off:
        shown.append(QueueCard(Kind.CHECK, to_check))
    return replace(queue, cards=tuple(shown), sample=len(sample), left_off=left_off)


class _Builder:
    """The cards of a text, and the numbers of the entities that they name."""

    def __init__(
        self,
        project: Project,
        scheme: ProjectScheme,
        state: GoldState,
        columns: Sequence[Column],
        drafted: DraftContent,
    ) -> None:
        self.state, self.drafted = state, drafted
        codings = [column.decisions for column in columns]
        lacking = {one.markables[0]: Decision(one.markables[0]) for one in state.holes}
        self.markables = _markables_of([*codings, drafted.decisions, lacking], scheme)
        in_text = sorted(self.markables, key=lambda key: (*text_order(self.markables[key]), key))
        self.place = {key: place for place, key in enumerate(in_text)}
        known = [self._known(coding) for coding in codings]
        self.columns = tuple(replace(column, decisions=of) for column, of in zip(columns, known, strict=True))
        self.draft = self._known(drafted.decisions)
        self.undecided = self._undecided_items(project.answers, scheme.constraints)
        rules = Rules(project.answers, scheme.constraints, self.markables, keys=scheme.keys)
        data, draft, self.said = answers_of_draft(rules, known, self.draft)
        self.values = draft.values
        self.cards = cards(data, draft, coded=all_coded(data))
        # What was contested when the draft was made: where it left a category open, its chains are read otherwise now.
        self.contested = {one.item.markable for one in state.contested if one.item.question == CATEGORY}
        self.numbers: dict[frozenset[Any], int] = {}
        for key in self._in_order(self.values):
            self._answer(self.values[key])
        self.drafted_entities = len(self.numbers)

    def build(self, checks: int) -> Queue:
        """Return the queue, its cards in order, no more of them than the bound allows."""
        of_chains = [card for card in map(self._card, self.cards) if any(row.contested for row in card.rows)]
        covered = {unit for card in of_chains for row in card.rows if row.contested for unit in row.units}
        all_cards = [*of_chains, *self._questions(covered)]
        queue = Queue(
            self.state,
            self.columns,
            tuple(tuple(self._in_order(entity)) for entity in self.numbers),
            self.drafted_entities,
            draft=self.draft,
            steps=deciding_steps(self.state.coding),
        )
        sample = [key for key in self.drafted.sample if key in self.markables]
        return add_cards(queue, all_cards, sample, self._row_of_unit, checks)

    def _known(self, decisions: Decisions) -> dict[str, Decision]:
        """Return the decisions on markables of levels that the scheme still has, and on which one answers."""
        return {
            key: one
            for key, one in decisions.items()
            if key in self.markables
            and self.markables[key].level.coded
            and all(target in self.markables for target in one.targets())
        }

    def _in_order(self, keys: Iterable[Any]) -> list[str]:
        return sorted(map(str, keys), key=self.place.__getitem__)

    def _card(self, card: Card) -> QueueCard:
        rows = [self._row(row, card.coders) for row in card.rows]
        rows += [self._row(row, card.coders, elsewhere=True) for row in card.elsewhere]
        rows.sort(key=lambda row: self.place[row.units[0]])
        kind, number = (Kind.UNIT, None) if card.entity is None else (Kind.ENTITY, self._number(card.entity))
        return QueueCard(kind, tuple(rows), number, disagreement=card.disagreement)

    def _row(self, row: CardRow, coders: Sequence[Any], *, elsewhere: bool = False) -> Row:
        given = dict(zip(coders, row.answers, strict=True))
        answers = tuple(self._answer(given.get(number)) for number in range(len(self.columns)))
        units = tuple(map(str, row.units))
        contested = row.contested and not self.contested.isdisjoint(units)
        undecided = any(Item(key, CATEGORY) in self.undecided for key in units)
        return Row(units, answers, self._answer(row.draft), contested, elsewhere, undecided)

    def _answer(self, value: Any) -> Answer | None:
        if value is None:
            return None
        if isinstance(value, Readings):
            chains = sorted(value.sets, key=lambda one: [self.place[key] for key in self._in_order(one)])
            return Answer(tuple(self._number(one) for one in chains))
        if isinstance(value, frozenset):
            return Answer((self._number(value),))
        return Answer(label=str(value))

    def _number(self, entity: frozenset[Any]) -> int:
        return self.numbers.setdefault(entity, len(self.numbers))

    def _questions(self, covered: Collection[str]) -> list[QueueCard]:
        """Return the cards of what is contested or lacking and on no card yet, those of one question together."""
        units: dict[str, list[str]] = defaultdict(list)
        for item in (*(one.item for one in self.state.contested), *self.state.uncontested_holes):
            key, question = item.markable, item.question
            if key in self.markables and not (question == CATEGORY and key in covered):
                units[question].append(key)
        found = []
        for question in sorted(units, key=lambda name: (name != CATEGORY, name)):
            keys = self._in_order(set(units[question]))
            for part in batched(keys, ROWS_OF_QUESTION):
                rows = tuple(self._row_of_unit(key, question, contested=True) for key in part)
                found.append(QueueCard(Kind.QUESTION, rows, question=question))
        return found

    def _undecided_items(self, answers: str, constraints: Constraints) -> set[Item]:
        """Return the items to which the draft has no answer, although the scheme asks for one or coders give some."""
        judged = {
            key: self.draft.get(key, Decision(key))
            for key, one in self.markables.items()
            if one.level.coded and (key in self.draft or not one.level.coders_mark)
        }
        holes = holes_in(constraints, answers, judged)
        found = {Item(key, hole.question) for hole in holes for key in hole.markables}
        return found | {one.item for one in self.state.contested if self._is_tied(one.item, constraints)}

    def _is_tied(self, item: Item, constraints: Constraints) -> bool:
        """Return whether the draft leaves a question open and does not mean that it has no answer."""
        assert self.state.draft is not None
        method, decision = self.state.draft.method, self.draft.get(item.markable, Decision(item.markable))
        nothing = answer_to(None, item.question)
        if method == Method.CODER or (item.markable in self.draft and answer_to(decision, item.question) != nothing):
            return False
        if item.question == CATEGORY:
            given = (one.decisions.get(item.markable) for one in self.columns)
            n_marked = sum(one is not None and _is_judged(constraints, one) for one in given)
            return item.markable not in self.draft and (method != Method.MOST or 2 * n_marked >= len(self.columns))
        attribute = constraints["attributes"].get(item.question)
        if method == Method.EMPTY or (attribute is not None and attribute["of"] == Subject.ENTITY):
            return True
        codings = [one.decisions[item.markable] for one in self.columns if item.markable in one.decisions]
        votes = [answer_to(one, item.question) for one in codings if one.category == decision.category]
        others = Counter(map(str, (one for one in votes if one != nothing)))
        n_nothing = votes.count(nothing)
        return bool(others) and (method == Method.AGREED or n_nothing <= max(others.values()))

    def _row_of_unit(self, key: str, question: str = CATEGORY, *, contested: bool = False) -> Row:
        """Return the row of a unit that is on no card of a chain.

        Who marks it agrees with the draft, except where the chain was contested when the draft was made.
        """
        draft = self._answer(self.values.get(key))
        answers = tuple((draft or Answer()) if key in column.decisions else None for column in self.columns)
        if contested and question == CATEGORY and key in self.said:
            answers = tuple(map(self._answer, self.said[key]))
        return Row((key,), answers, draft, contested, undecided=Item(key, question) in self.undecided)


def _is_judged(constraints: Constraints, decision: Decision) -> bool:
    """Return whether a decision says what the markable is; else it is marked at most."""
    level = decision.markable.partition(":")[0]
    return decision.category is not None or not categories_on(constraints, level)


def _markables_of(codings: Iterable[Decisions], scheme: ProjectScheme) -> dict[str, Markable]:
    """Return the markables that decisions name, by their keys, which say where they are: some were deleted since."""
    levels = {level.key: level for level in scheme.levels}
    named = {key for coding in codings for one in coding.values() for key in (one.markable, *one.targets())}
    return {
        key: Markable(level=levels[place.level], key=key, start=place.parts[0][0], end=place.parts[-1][1])
        for key in named
        if (place := split_key(key)) is not None and place.level in levels
    }
