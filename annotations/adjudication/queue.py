"""The queue of an adjudicator: cards with open decisions of a draft, and each coder's answers.

Queues of texts are built here, queues of agreed pyramids in `annotations.adjudication.pyramid_queue`.
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

# Units in the rows of cards; more cards follow once these are decided.
MAX_UNITS = 10_000
# Markables on a card of one question.
ROWS_OF_QUESTION = 20
# Units accepted unseen that are checked at a time, and at most in a text.
SAMPLE_SIZE, MAX_CHECKS = 10, 1000

type Decisions = Mapping[str, Decision]


class Kind(StrEnum):
    """The subject of a card: an entity of the draft, a unit in none, a question, or uncontested units."""

    ENTITY = "entity"
    UNIT = "unit"
    QUESTION = "question"
    CHECK = "check"


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a coder or the draft for a unit: entities, by number in the queue, or a label.

    Entities of a pyramid are SCUs. If no contributor has exactly the unit's words, `units` has contributors that
    share some, each with the number of its SCU.
    """

    entities: tuple[int, ...] = ()
    label: str | None = None
    units: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """Units that no coder separates. `answers` are in the order of columns; None: not marked.

    `elsewhere`: the draft has them in another entity than the card's. `undecided`: the draft has no answer to accept,
    because coders are tied or nobody gives what the scheme asks for.
    """

    units: tuple[str, ...]
    answers: tuple[Answer | None, ...]
    draft: Answer | None
    contested: bool
    elsewhere: bool = False
    undecided: bool = False


@dataclass(frozen=True, slots=True)
class QueueCard:
    """Rows that are decided together. `entity` is a number in the queue, `question` is set on a card of questions."""

    kind: Kind
    rows: tuple[Row, ...]
    entity: int | None = None
    question: str = ""
    disagreement: float = 0.0


@dataclass(frozen=True, slots=True)
class Column:
    """A coder whose answers the draft used; `operation` identifies the version of the coding."""

    letter: str
    name: str
    operation: str
    decisions: Decisions
    descriptions: Mapping[str, Description] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Queue:
    """All cards of a text in order; none without a draft.

    `entities` are first the draft's, `drafted` in number, then further chains of coders, each with its markables in
    text order. For a pyramid, `scus` describes them. `sample` counts all units that could be checked; `left_off` counts
    the cards beyond the bound.
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
    """Return the queue of the gold of a text from the answers that its draft used. checks: number of units to check."""
    [state] = gold_states([gold])
    if state.draft is None:
        return Queue(state)
    columns, drafted = read_columns(gold, state.draft), read_draft(gold, state.draft)
    return _Builder(project, read_scheme(project.pk), state, columns, drafted).build(checks)


def sample_units(draft: UUID, payload: Mapping[str, Any]) -> list[str]:
    """Return the uncontested units of a draft that have an answer, in the random order of their checks."""
    # Order by a hash keyed by the draft's operation, which nobody can know before the draft is made.
    contested = {markable for markable, _ in payload["contested"]}
    units = [
        judgement["markable"]
        for judgement in payload["judgements"]
        if judgement["markable"] not in contested and (judgement["category"] is not None or judgement.get("attributes"))
    ]
    return sorted(units, key=lambda key: hashlib.sha256(f"{draft} {key}".encode()).digest())


def follow_keys(keys: Sequence[str], log: Iterable[tuple[str, Mapping[str, Any]]]) -> list[str | None]:
    """Return the keys of markables after corrections and moves; None if the words are gone."""
    new_keys: list[str | None] = list(keys)
    for kind, payload in log:
        if (rename := renaming(kind, payload)) is not None:
            new_keys = [key and rename(key) for key in new_keys]
    return new_keys


@dataclass(frozen=True, slots=True)
class DraftContent:
    """A draft's decisions in the current text, its sample, its SCUs, and the current keys of its markables."""

    decisions: Decisions
    sample: Sequence[str]
    descriptions: Mapping[str, Description]
    today: Mapping[str, str]


def read_draft(gold: Coding, draft: Draft) -> DraftContent:
    """Return the content of a draft. One query."""
    # the draft, and later changes of keys and automatic changes of answers
    kinds = (Operation.Kind.DRAFT, Operation.Kind.MOVE, Operation.Kind.CORRECT, Operation.Kind.MERGE)
    log = gold.operations.filter(sequence__gte=draft.sequence, kind__in=kinds).order_by("sequence")
    [(uuid, sequence, kind, payload), *later] = log.values_list("uuid", "sequence", "kind", "payload")
    changes = [(kind, payload) for _, _, kind, payload in later]
    sample = [key for key in follow_keys(sample_units(uuid, payload), changes) if key is not None]
    content = replay_until([(sequence, kind, payload), *(entry[1:] for entry in later)], sequence)
    keys = [row["markable"] for row in payload["judgements"]]
    corrections = [change for change in changes if change[0] == Operation.Kind.CORRECT]
    moved = zip(follow_keys(keys, corrections), follow_keys(keys, changes), strict=True)
    today = {key: current for key, current in moved if key is not None and current is not None}
    return DraftContent(content.decisions, sample, content.descriptions, today)


def read_columns(gold: Coding, draft: Draft) -> tuple[Column, ...]:
    """Return the columns of the coders, in an order that discloses no names. Two queries."""
    bases = bases_of_drafts(draft.codings, [gold.text_id])
    bases_of = {
        coding: (sequence, str(uuid), name)
        for coding, sequence, uuid, name in bases.values_list("coding", "sequence", "uuid", "coding__coder__username")
    }
    logs = read_logs_of(bases_of)
    return tuple(
        Column(letters(number), bases_of[coding][2], bases_of[coding][1], replayed.decisions, replayed.descriptions)
        for number, coding in enumerate(shuffle_codings(gold.text_id, bases_of))
        for replayed in [replay_until(logs[coding], bases_of[coding][0])]
    )


def add_cards(
    queue: Queue, cards: Sequence[QueueCard], sample: Sequence[str], row_of: Callable[[str], Row], checks: int
) -> Queue:
    """Return the queue with the cards that the bound allows; if none is left off, with units to check."""
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
    """The cards of a text, and the numbers of the entities on them."""

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
        lacking = {hole.markables[0]: Decision(hole.markables[0]) for hole in state.holes}
        self.markables = _markables_of([*codings, drafted.decisions, lacking], scheme)
        in_text = sorted(self.markables, key=lambda key: (*text_order(self.markables[key]), key))
        self.place = {key: index for index, key in enumerate(in_text)}
        known = [self._known(coding) for coding in codings]
        self.columns = tuple(replace(column, decisions=own) for column, own in zip(columns, known, strict=True))
        self.draft = self._known(drafted.decisions)
        self.undecided = self._undecided_items(project.answers, scheme.constraints)
        rules = Rules(project.answers, scheme.constraints, self.markables, keys=scheme.keys)
        data, draft, self.said = answers_of_draft(rules, known, self.draft)
        self.values = draft.values
        self.cards = cards(data, draft, coded=all_coded(data))
        # Contested at the time of the draft: categories that it left open change how its chains are read now.
        self.contested = {row.item.markable for row in state.contested if row.item.question == CATEGORY}
        self.numbers: dict[frozenset[Any], int] = {}
        for key in self._in_order(self.values):
            self._answer(self.values[key])
        self.drafted_entities = len(self.numbers)

    def build(self, checks: int) -> Queue:
        """Return the queue with its cards in order, at most as many as the bound allows."""
        chain_cards = [card for card in map(self._card, self.cards) if any(row.contested for row in card.rows)]
        covered = {unit for card in chain_cards for row in card.rows if row.contested for unit in row.units}
        all_cards = [*chain_cards, *self._questions(covered)]
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
        """Return the decisions on coded levels that the scheme still has, with known targets."""
        return {
            key: decision
            for key, decision in decisions.items()
            if key in self.markables
            and self.markables[key].level.coded
            and all(target in self.markables for target in decision.targets())
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
            chains = sorted(value.sets, key=lambda members: [self.place[key] for key in self._in_order(members)])
            return Answer(tuple(self._number(members) for members in chains))
        if isinstance(value, frozenset):
            return Answer((self._number(value),))
        return Answer(label=str(value))

    def _number(self, entity: frozenset[Any]) -> int:
        return self.numbers.setdefault(entity, len(self.numbers))

    def _questions(self, covered: Collection[str]) -> list[QueueCard]:
        """Return the cards of contested or missing answers that no chain card covers, by question."""
        units: dict[str, list[str]] = defaultdict(list)
        for item in (*(row.item for row in self.state.contested), *self.state.uncontested_holes):
            key, question = item.markable, item.question
            if key in self.markables and not (question == CATEGORY and key in covered):
                units[question].append(key)
        question_cards = []
        for question in sorted(units, key=lambda name: (name != CATEGORY, name)):
            keys = self._in_order(set(units[question]))
            for part in batched(keys, ROWS_OF_QUESTION):
                rows = tuple(self._row_of_unit(key, question, contested=True) for key in part)
                question_cards.append(QueueCard(Kind.QUESTION, rows, question=question))
        return question_cards

    def _undecided_items(self, answers: str, constraints: Constraints) -> set[Item]:
        """Return the items without an answer of the draft where the scheme asks for one or coders are tied."""
        judged = {
            key: self.draft.get(key, Decision(key))
            for key, row in self.markables.items()
            if row.level.coded and (key in self.draft or not row.level.coders_mark)
        }
        holes = holes_in(constraints, answers, judged)
        lacking = {Item(key, hole.question) for hole in holes for key in hole.markables}
        return lacking | {row.item for row in self.state.contested if self._is_tied(row.item, constraints)}

    def _is_tied(self, item: Item, constraints: Constraints) -> bool:
        """Return whether the draft leaves a question open, rather than deciding that it has no answer."""
        assert self.state.draft is not None
        method, decision = self.state.draft.method, self.draft.get(item.markable, Decision(item.markable))
        nothing = answer_to(None, item.question)
        if method == Method.CODER or (item.markable in self.draft and answer_to(decision, item.question) != nothing):
            return False
        if item.question == CATEGORY:
            given = (row.decisions.get(item.markable) for row in self.columns)
            n_marked = sum(row is not None and _is_judged(constraints, row) for row in given)
            return item.markable not in self.draft and (method != Method.MOST or 2 * n_marked >= len(self.columns))
        attribute = constraints["attributes"].get(item.question)
        if method == Method.EMPTY or (attribute is not None and attribute["of"] == Subject.ENTITY):
            return True
        codings = [row.decisions[item.markable] for row in self.columns if item.markable in row.decisions]
        votes = [answer_to(row, item.question) for row in codings if row.category == decision.category]
        others = Counter(map(str, (row for row in votes if row != nothing)))
        n_nothing = votes.count(nothing)
        return bool(others) and (method == Method.AGREED or n_nothing <= max(others.values()))

    def _row_of_unit(self, key: str, question: str = CATEGORY, *, contested: bool = False) -> Row:
        """Return the row of a unit that is on no chain card.

        Coders who mark it agree with the draft, unless its chain was contested when the draft was made.
        """
        draft = self._answer(self.values.get(key))
        answers = tuple((draft or Answer()) if key in column.decisions else None for column in self.columns)
        if contested and question == CATEGORY and key in self.said:
            answers = tuple(map(self._answer, self.said[key]))
        return Row((key,), answers, draft, contested, undecided=Item(key, question) in self.undecided)


def _is_judged(constraints: Constraints, decision: Decision) -> bool:
    """Return whether the decision judges the markable, and does not only mark it."""
    level = decision.markable.partition(":")[0]
    return decision.category is not None or not categories_on(constraints, level)


def _markables_of(codings: Iterable[Decisions], scheme: ProjectScheme) -> dict[str, Markable]:
    """Return the markables that decisions name, by key. They are built from their keys, as some were deleted."""
    levels = {level.key: level for level in scheme.levels}
    named = {key for coding in codings for row in coding.values() for key in (row.markable, *row.targets())}
    return {
        key: Markable(level=levels[split.level], key=key, start=split.parts[0][0], end=split.parts[-1][1])
        for key in named
        if (split := split_key(key)) is not None and split.level in levels
    }
