"""Drafts of gold from the codings of a text: judgements and contested items. Pure: no queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from agreement.measures import Consensus, ReliabilityData, antecedents, chain_labels, consensus, index_labels
from agreement.measures import Readings as Ambiguity
from annotations.coding.decisions import Decision, Description, OperationRejected
from annotations.coding.readings import Readings, sort_readings
from annotations.coding.rules import Rules, retired_answers, text_order
from annotations.formats.model.keys import key_order
from annotations.formats.model.scheme import CATEGORY, AnswerValue, Subject
from annotations.models import Project
from annotations.schemes.constraints import categories_on

# The label of a judged markable on a level without categories.
NO_CATEGORY = ""


class Method(StrEnum):
    """The source of a draft: the majority of coders, their agreement, one coder, or nothing."""

    MOST = "most"
    AGREED = "agreed"
    CODER = "coder"
    EMPTY = "empty"


@dataclass(frozen=True, slots=True, order=True)
class Item:
    """A markable and a question: “category”, including the chain, or the key of an attribute or relation."""

    markable: str
    question: str


def item_order(item: Item) -> tuple[int, int, str, bool, str]:
    """Return a sort key: text order, and for each markable the category first."""
    return *key_order(item.markable), item.question != CATEGORY, item.question


@dataclass(frozen=True, slots=True)
class Proposal:
    """A draft: its decisions and contested items in text order. A markable of a coder may have no answers."""

    decisions: tuple[Decision, ...]
    contested: tuple[Item, ...]
    descriptions: tuple[Description, ...] = ()  # of the SCUs of an agreed pyramid


type Value = Hashable | None
# An answer to an attribute, and the markable where it was given.
type PlacedAnswer = tuple[str, tuple[AnswerValue, ...]]


def propose(
    rules: Rules, codings: Sequence[Mapping[str, Decision]], method: Method, coder: int | None = None
) -> Proposal:
    """Return a draft from the codings of a text; `coder` is an index of `codings`, for the method “coder”."""
    # Chains come from `consensus`. The category is the most frequent one among coders with the same chain, other
    # answers the most frequent ones among coders with that category. Ties and answers that the scheme forbids stay
    # open; notes and doubts are not copied. The order of codings does not matter.
    return _Draft(rules, codings, method, coder).proposal()


def answers_of_draft(
    rules: Rules, codings: Sequence[Mapping[str, Decision]], draft: Mapping[str, Decision]
) -> tuple[ReliabilityData, Consensus, dict[str, list[Value]]]:
    """Return the coders' chain values, the draft's, and each unit's values by coder; None: no value."""
    answers = _Answers(rules, [*codings, draft])
    *coder_values, draft_values = answers.values
    data = _as_data(answers.order, coder_values)
    units = set(data.units)
    values: dict[Hashable, Value] = {key: draft_values.get(key) for key in draft if key in units}
    said = {str(unit): [own.get(str(unit)) for own in coder_values] for unit in data.units}
    return data, Consensus(values, (), 0), said


def all_coded(data: ReliabilityData) -> NDArray[np.bool_]:
    """Return the mask of documents and coders, all true: every coder submitted, even without markables."""
    return np.ones((len(data.documents), len(data.coders)), dtype=np.bool_)


def free_key(wanted: Iterable[str], used: Collection[str]) -> str:
    """Return the first of the wanted keys that is not used, or else the first unused number."""
    numbers = (str(n) for n in range(1, len(used) + 2))
    return next(key for key in (*wanted, *numbers) if key not in used)


def _as_data(order: Sequence[str], values: Sequence[Mapping[str, Value]]) -> ReliabilityData:
    units = [key for key in order if any(key in coder_values for coder_values in values)]
    rows = [[coder_values.get(key) for coder_values in values] for key in units]
    return ReliabilityData.from_values(units, range(len(values)), rows, [0] * len(units))


class _Answers:
    """The chain values of codings: for each coding, a value for each judged markable."""

    def __init__(self, rules: Rules, codings: Sequence[Mapping[str, Decision]]) -> None:
        self.rules = rules
        categories, relations = rules.constraints["categories"], rules.constraints["relations"]
        self.pointing = {
            key for key, spec in categories.items() if spec["identity"] and relations[spec["identity"]]["to_levels"]
        }
        self.codings = [{key: row for key, row in coding.items() if self._is_judged(row)} for coding in codings]
        named = {key for coding in self.codings for row in coding.values() for key in (row.markable, *row.targets())}
        self.order = sorted(named, key=lambda key: (*text_order(rules.markable(key)), key))
        self.values = [self._values(coding) for coding in self.codings]
        self._let_referring_categories_stand_alone()

    def _is_judged(self, decision: Decision) -> bool:
        """Return whether the coder judged the markable, and did not only mark it."""
        return decision.category is not None or not self._has_categories(decision.markable)

    def _has_categories(self, key: str) -> bool:
        return bool(categories_on(self.rules.constraints, self.rules.markable(key).level.key))

    def _values(self, coding: Mapping[str, Decision]) -> dict[str, Value]:
        """Return a coder's value for each markable: its chain, or its category if it is linked to none."""
        labels = {key: decision.category or NO_CATEGORY for key, decision in coding.items()}
        if self.rules.answers == Project.Answers.INDICES:
            indices = {key: decision.indices for key, decision in coding.items()}
            return dict(index_labels(self.order, indices, "missing", categories=labels, readings="matched"))
        pointers = {key: list(map(_as_pointer, row.pointers)) for key, row in coding.items() if row.pointers}
        return dict(chain_labels(self.order, labels, pointers, top="chain", readings="matched", plural="entity"))

    def _let_referring_categories_stand_alone(self) -> None:
        """Make a category that can be in a chain a chain of one where it links nothing: a new entity."""
        takes_index = {key for key, spec in self.rules.constraints["categories"].items() if spec["takes_index"]}
        referring = self.pointing | takes_index
        pairs = list(zip(self.codings, self.values, strict=True))
        for coding, values in pairs:
            referring |= {str(row.category) for key, row in coding.items() if _is_chain(values.get(key))}
        for coding, values in pairs:
            for key, decision in coding.items():
                if decision.category in referring and not _is_chain(values[key]):
                    values[key] = frozenset((key,))


class _Draft(_Answers):
    def __init__(
        self, rules: Rules, codings: Sequence[Mapping[str, Decision]], method: Method, coder: int | None
    ) -> None:
        super().__init__(rules, codings)
        self.method = method
        # indices of the codings that the draft is made of; the others are only compared
        self.voters = range(len(codings)) if coder is None else [coder]
        self.voting = [self.codings[number] for number in self.voters]
        self.place = {key: number for number, key in enumerate(self.order)}
        questions = rules.constraints["relations"] | rules.constraints["attributes"]
        # retired questions, which nobody can decide any more
        self.retired = {key for key, spec in questions.items() if spec["retired"]}
        attributes = rules.constraints["attributes"]
        self.of_entity = {key for key, spec in attributes.items() if spec["of"] == Subject.ENTITY}
        data = _as_data(self.order, self.values)
        self.consensus = consensus(data, str(method), coder=coder, coded=all_coded(data))
        self.drafted = {str(key): value for key, value in self.consensus.values.items()}
        self.contested = {Item(str(key), CATEGORY) for key in self.consensus.contested}

    def proposal(self) -> Proposal:
        entity_answers = self._answers_of_entities()
        decisions = {key: self._decide(key, entity_answers.get(key, {})) for key in self.drafted}
        self.contested |= {Item(key, CATEGORY) for key, row in decisions.items() if self._is_contested(row)}
        if self.method is Method.EMPTY:
            self.contested |= {
                Item(key, question)
                for coding in self.codings
                for key, decision in coding.items()
                for question, _ in (*decision.attributes, *decision.relations)
                if question not in self.retired
            }
        for decision in list(decisions.values()):
            for key in decision.targets():
                decisions.setdefault(key, Decision(key))
        # a predefined markable exists without a decision
        wanted = (
            decision
            for decision in decisions.values()
            if decision != Decision(decision.markable) or not self.rules.markable(decision.markable).predefined
        )
        return Proposal(
            tuple(sorted(wanted, key=lambda row: self.place[row.markable])),
            tuple(sorted(self.contested, key=item_order)),
        )

    def _votes(self, key: str, *, of_all: bool = False) -> list[Decision]:
        """Return the decisions on a markable by the voting coders, or by all coders."""
        return [coding[key] for coding in (self.codings if of_all else self.voting) if key in coding]

    def _choose[Answer: Hashable](self, votes: Iterable[Answer]) -> Answer | None:
        """Return the most frequent vote; None without votes, on a tie, or if votes differ with AGREED."""
        counts = Counter(votes).most_common(2)
        if not counts or (len(counts) > 1 and (self.method is Method.AGREED or counts[0][1] == counts[1][1])):
            return None
        return counts[0][0]

    def _decide(self, key: str, entity_answers: Mapping[str, AnswerValue]) -> Decision:
        value = self.drafted[key]
        pointers, indices = self._pointers.get(key, ()), self._indices.get(key, ())
        category = self._category(key, value, points=bool(pointers))
        if value is None or (category is None and self._has_categories(key)):
            return Decision(key)
        votes = [vote for vote in self._votes(key) if vote.category == category]
        takes_index = category is not None and self.rules.constraints["categories"][category]["takes_index"]
        base = Decision(
            key,
            category=category,
            indices=indices if takes_index else (),
            name=self._choose(vote.name for vote in votes) or "",
            head=self._choose(vote.head for vote in votes) or (),
            optional=bool(self._choose(vote.optional for vote in votes)),
        )
        return self._answer_further(base, pointers if category in self.pointing else (), votes, entity_answers)

    def _category(self, key: str, value: Value, *, points: bool) -> str | None:
        if value is None:
            return None
        if not _is_set(value):
            return str(value) if value != NO_CATEGORY else None
        given = [self.codings[n][key].category for n in self.voters if _is_set(self.values[n].get(key))]
        chosen = self._choose(given)
        if points and chosen is not None and chosen not in self.pointing:
            return self._choose(own for own in given if own in self.pointing) or chosen
        return chosen

    def _answer_further(
        self, base: Decision, pointers: Readings, votes: Sequence[Decision], entity_answers: Mapping[str, AnswerValue]
    ) -> Decision:
        """Return the decision with all further answers that the scheme allows; others stay open and contested."""
        key = base.markable
        if not self._allows(base):
            self.contested.add(Item(key, CATEGORY))
            return Decision(key)
        decision = self._extend(base, CATEGORY, replace(base, pointers=pointers))
        of_category = [row for row in self._votes(key, of_all=True) if row.category == base.category]
        for relation in sorted({name for row in of_category for name, _ in row.relations} - self.retired):
            readings = self._settle(relation, partial(_readings, relation=relation), votes, of_category)
            if readings:
                related = replace(decision, relations=(*decision.relations, (relation, readings)))
                decision = self._extend(decision, relation, related)
        wanted = dict(entity_answers)
        answered = {name for row in of_category for name, _ in row.attributes}
        for attribute in sorted(answered - self.retired - self.of_entity):
            answer = self._settle(attribute, partial(_answer, attribute=attribute), votes, of_category)
            if answer:
                [wanted[attribute]] = answer
        return self._with_attributes(decision, wanted)

    def _settle[Answer: Hashable](
        self, question: str, answer: Callable[[Decision], Answer], votes: Sequence[Decision], of_all: Sequence[Decision]
    ) -> Answer | None:
        """Return the voters' most frequent answer; it is contested unless all coders give it."""
        chosen = self._choose(map(answer, votes))
        if chosen is None or {*map(answer, of_all)} != {chosen}:
            self.contested.add(Item(of_all[0].markable, question))
        return chosen

    def _extend(self, decision: Decision, question: str, extended: Decision) -> Decision:
        """Return the decision with a further answer if the scheme allows it; otherwise its question is contested."""
        if extended == decision or self._allows(extended):
            return extended
        self.contested.add(Item(decision.markable, question))
        return decision

    def _with_attributes(self, decision: Decision, wanted: Mapping[str, AnswerValue]) -> Decision:
        """Return the decision with these answers; an answer that depends on another comes after it."""
        pending = dict(wanted)
        while pending:
            for attribute, answer in pending.items():
                answered = dict(decision.attributes) | {attribute: answer}
                candidate = replace(decision, attributes=tuple(sorted(answered.items())))
                if self._allows(candidate):
                    decision = candidate
                    del pending[attribute]
                    break
            else:
                self.contested |= {Item(decision.markable, attribute) for attribute in pending}
                return decision
        return decision

    def _allows(self, decision: Decision) -> bool:
        """Return whether the current scheme allows the decision, without retired answers."""
        try:
            self.rules.check(decision)
        except OperationRejected:
            return False
        return not any(retired_answers(self.rules.constraints, decision))

    def _answers_of_entities(self) -> dict[str, dict[str, AnswerValue]]:
        """Return the answers to attributes of entities, each at the member where most coders gave it."""
        entities: dict[Value, list[str]] = {}
        for key, value in self.drafted.items():
            if value is not None:
                entities.setdefault(value if isinstance(value, frozenset) else key, []).append(key)
        chosen_at: dict[str, dict[str, AnswerValue]] = {}
        for attribute in sorted(self.of_entity - self.retired):
            shared = [self._share_answers(*pair, attribute) for pair in zip(self.codings, self.values, strict=True)]
            if not any(shared):
                continue
            for members in entities.values():
                given = [_answer_in(of_coder, members) for of_coder in shared]
                if not any(given):
                    continue
                answers = [answer for n in self.voters if (answer := given[n]) is not None]
                chosen = self._choose(answer for _, answer in answers)
                votes = Counter(key for key, answer in answers if chosen is None or answer == chosen)
                member = max(votes, key=lambda key: (votes[key], -self.place[key]), default=members[0])
                if chosen is None or any(answer is not None and answer[1] != chosen for answer in given):
                    self.contested.add(Item(member, attribute))
                if chosen is not None:
                    [chosen_at.setdefault(member, {})[attribute]] = chosen
        return chosen_at

    def _share_answers(
        self, coding: Mapping[str, Decision], values: Mapping[str, Value], attribute: str
    ) -> dict[str, PlacedAnswer]:
        """Return a coder's answer for the entity of each markable, with the markable that has it."""
        by_chain: dict[Value, PlacedAnswer] = {}
        for key in filter(coding.__contains__, self.order):
            if answer := _answer(coding[key], attribute):
                by_chain.setdefault(_chain(key, values), (key, answer))
        keys = coding if by_chain else ()
        return {key: by_chain[chain] for key in keys if (chain := _chain(key, values)) in by_chain}

    def _is_contested(self, decision: Decision) -> bool:
        """Return whether a coder gives another category, or no category was chosen."""
        if decision.category is None:
            return self._has_categories(decision.markable)
        return any(vote.category != decision.category for vote in self._votes(decision.markable, of_all=True))

    @cached_property
    def _pointers(self) -> dict[str, Readings]:
        """The readings of the identity relation, by the markables that point."""
        if self.rules.answers != Project.Answers.POINTERS:
            return {}
        if self.method is Method.CODER:
            return {key: row.pointers for key, row in self.voting[0].items() if row.pointers}
        pointers: list[dict[Hashable, list[Hashable]]] = [
            {key: [*map(_as_pointer, row.pointers)] for key, row in coding.items() if row.pointers}
            for coding in self.voting
        ]
        readings_of = antecedents(self.consensus, pointers)
        return {
            str(unit): tuple(sorted((self._in_order(reading) for reading in readings), key=self._places))
            for unit, readings in readings_of.items()
        }

    @cached_property
    def _indices(self) -> dict[str, tuple[str, ...]]:
        """The indices of markables: each entity has its coders' most frequent index that no other entity has."""
        if self.rules.answers != Project.Answers.INDICES:
            return {}
        if self.method is Method.CODER:
            return {key: answer.indices for key, answer in self.voting[0].items()}
        members: dict[frozenset[Hashable], list[str]] = {}
        for key, value in self.drafted.items():
            for entity in self._entities(value):
                members.setdefault(entity, []).append(key)
        names: dict[frozenset[Hashable], str] = {}
        used: set[str] = set()
        for entity, keys in members.items():
            counts = Counter(index for key in keys for vote in self._votes(key) for index in vote.indices)
            best = min(sorted(counts.keys() - used), key=lambda index: -counts[index], default=None)
            if counts and best is None:
                best = free_key((), used)
            if best is not None:
                names[entity] = best
                used.add(best)
        return {
            key: tuple(names[entity] for entity in self._entities(value) if entity in names)
            for key, value in self.drafted.items()
        }

    def _entities(self, value: Value) -> list[frozenset[Hashable]]:
        if isinstance(value, Ambiguity):
            return sorted(value.sets, key=self._places)
        return [value] if isinstance(value, frozenset) else []

    def _in_order(self, keys: Iterable[Hashable]) -> tuple[str, ...]:
        return tuple(sorted(map(str, keys), key=self.place.__getitem__))

    def _places(self, keys: Iterable[Hashable]) -> list[int]:
        return sorted(self.place[str(key)] for key in keys)


def _as_pointer(reading: Sequence[str]) -> str | Set[str]:
    return reading[0] if len(reading) == 1 else frozenset(reading)


def _chain(key: str, values: Mapping[str, Value]) -> Value:
    """Return the chain of a markable; a markable in no chain or several is its own."""
    value = values.get(key)
    return value if isinstance(value, frozenset) else key


def _answer_in(answers: Mapping[str, PlacedAnswer], members: Sequence[str]) -> PlacedAnswer | None:
    """Return a coder's most frequent answer for an entity, and the member where it was given."""
    answered = {key: answers[key] for key in members if key in answers}
    if not answered:
        return None
    counts = Counter(answer for _, answer in answered.values())
    [(chosen, _)] = counts.most_common(1)
    sources = [member for member, answer in answered.values() if answer == chosen]
    return next(
        (member for member in sources if member in members), next(key for key in answered if answered[key][1] == chosen)
    ), chosen


def _is_set(value: Value) -> bool:
    return isinstance(value, frozenset | Ambiguity)


def _is_chain(value: Value) -> bool:
    """Return whether the value links a markable to others."""
    members: Collection[Hashable] = value.members if isinstance(value, Ambiguity) else ()
    return len(value if isinstance(value, frozenset) else members) > 1


def _readings(decision: Decision, relation: str) -> Readings:
    return sort_readings(dict(decision.relations).get(relation, ()))


def _answer(decision: Decision, attribute: str) -> tuple[AnswerValue, ...]:
    """Return the answer to an attribute as a tuple, empty if there is none. Several values are sorted."""
    answer = dict(decision.attributes).get(attribute)
    if answer is None:
        return ()
    return (tuple(sorted(answer)) if isinstance(answer, tuple) else answer,)
