"""What coders say of a text, as a draft of its gold: judgements, and what is contested. Pure: no queries."""

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

# The label of what is judged on a level without categories.
NO_CATEGORY = ""


class Method(StrEnum):
    """Of what a draft is made: of what most coders say, all of them, one of them, or of nothing."""

    MOST = "most"
    AGREED = "agreed"
    CODER = "coder"
    EMPTY = "empty"


@dataclass(frozen=True, slots=True, order=True)
class Item:
    """A markable and a question: “category”, with the chain, or the key of an attribute or relation."""

    markable: str
    question: str


def item_order(item: Item) -> tuple[int, int, str, bool, str]:
    """Return a sort key: text order, and of a markable the category first."""
    return *key_order(item.markable), item.question != CATEGORY, item.question


@dataclass(frozen=True, slots=True)
class Proposal:
    """A draft: its decisions and contested items in text order. A markable of a coder may have no answers."""

    decisions: tuple[Decision, ...]
    contested: tuple[Item, ...]
    descriptions: tuple[Description, ...] = ()  # of the SCUs of an agreed pyramid


type Value = Hashable | None
# An answer to an attribute, and the markable at which it is given.
type PlacedAnswer = tuple[str, tuple[AnswerValue, ...]]


def propose(
    rules: Rules, codings: Sequence[Mapping[str, Decision]], method: Method, coder: int | None = None
) -> Proposal:
    """Return a draft of what coders say of a text; `coder` is the place of one in `codings`, for its method."""
    # Chains are those of `consensus`. The category is the most frequent one of those who say the same of the chain,
    # other answers are the most frequent ones of those who give that category. Ties and what the scheme does not allow
    # are left open; notes and doubts are not taken over. The order of the codings changes nothing.
    return _Draft(rules, codings, method, coder).proposal()


def answers_of_draft(
    rules: Rules, codings: Sequence[Mapping[str, Decision]], draft: Mapping[str, Decision]
) -> tuple[ReliabilityData, Consensus, dict[str, list[Value]]]:
    """Return what coders say of chains, the same of a draft, and by unit the values of the coders (None: nothing)."""
    answers = _Answers(rules, [*codings, draft])
    *of_coders, of_draft = answers.values
    data = _as_data(answers.order, of_coders)
    units = set(data.units)
    values: dict[Hashable, Value] = {key: of_draft.get(key) for key in draft if key in units}
    said = {str(unit): [one.get(str(unit)) for one in of_coders] for unit in data.units}
    return data, Consensus(values, (), 0), said


def all_coded(data: ReliabilityData) -> NDArray[np.bool_]:
    """Return that every coder coded each document, also who marked nothing: all have submitted it."""
    return np.ones((len(data.documents), len(data.coders)), dtype=np.bool_)


def free_key(wanted: Iterable[str], used: Collection[str]) -> str:
    """Return the first of the wanted keys that is not used; where all are, the first number that is not."""
    numbers = (str(n) for n in range(1, len(used) + 2))
    return next(key for key in (*wanted, *numbers) if key not in used)


def _as_data(order: Sequence[str], values: Sequence[Mapping[str, Value]]) -> ReliabilityData:
    units = [key for key in order if any(key in of_coder for of_coder in values)]
    rows = [[of_coder.get(key) for of_coder in values] for key in units]
    return ReliabilityData.from_values(units, range(len(values)), rows, [0] * len(units))


class _Answers:
    """What codings say of chains: of each the value of every markable that it judges."""

    def __init__(self, rules: Rules, codings: Sequence[Mapping[str, Decision]]) -> None:
        self.rules = rules
        categories, relations = rules.constraints["categories"], rules.constraints["relations"]
        self.pointing = {
            key for key, one in categories.items() if one["identity"] and relations[one["identity"]]["to_levels"]
        }
        self.codings = [{key: one for key, one in coding.items() if self._is_judged(one)} for coding in codings]
        named = {key for coding in self.codings for one in coding.values() for key in (one.markable, *one.targets())}
        self.order = sorted(named, key=lambda key: (*text_order(rules.markable(key)), key))
        self.values = [self._values(coding) for coding in self.codings]
        self._let_referring_categories_stand_alone()

    def _is_judged(self, decision: Decision) -> bool:
        """Return whether a coder has said what the markable is; else it is marked at most."""
        return decision.category is not None or not self._has_categories(decision.markable)

    def _has_categories(self, key: str) -> bool:
        return bool(categories_on(self.rules.constraints, self.rules.markable(key).level.key))

    def _values(self, coding: Mapping[str, Decision]) -> dict[str, Value]:
        """Return what a coder says of each markable: its chain, or its category where nothing joins it to others."""
        labels = {key: one.category or NO_CATEGORY for key, one in coding.items()}
        if self.rules.answers == Project.Answers.INDICES:
            indices = {key: one.indices for key, one in coding.items()}
            return dict(index_labels(self.order, indices, "missing", categories=labels, readings="matched"))
        pointers = {key: list(map(_as_pointer, one.pointers)) for key, one in coding.items() if one.pointers}
        return dict(chain_labels(self.order, labels, pointers, top="chain", readings="matched", plural="entity"))

    def _let_referring_categories_stand_alone(self) -> None:
        """Part what somebody calls new: make a chain of one where the category can be in a chain and links nothing."""
        takes_index = {key for key, one in self.rules.constraints["categories"].items() if one["takes_index"]}
        referring = self.pointing | takes_index
        said = list(zip(self.codings, self.values, strict=True))
        for coding, values in said:
            referring |= {str(one.category) for key, one in coding.items() if _is_chain(values.get(key))}
        for coding, values in said:
            for key, one in coding.items():
                if one.category in referring and not _is_chain(values[key]):
                    values[key] = frozenset((key,))


class _Draft(_Answers):
    def __init__(
        self, rules: Rules, codings: Sequence[Mapping[str, Decision]], method: Method, coder: int | None
    ) -> None:
        super().__init__(rules, codings)
        self.method = method
        # by their places, those whose answers the draft is made of, and not only compared with
        self.voters = range(len(codings)) if coder is None else [coder]
        self.voting = [self.codings[number] for number in self.voters]
        self.place = {key: number for number, key in enumerate(self.order)}
        questions = rules.constraints["relations"] | rules.constraints["attributes"]
        # what is asked no longer, so that nobody can decide about it
        self.retired = {key for key, one in questions.items() if one["retired"]}
        attributes = rules.constraints["attributes"]
        self.of_entity = {key for key, one in attributes.items() if one["of"] == Subject.ENTITY}
        data = _as_data(self.order, self.values)
        self.consensus = consensus(data, str(method), coder=coder, coded=all_coded(data))
        self.drafted = {str(key): value for key, value in self.consensus.values.items()}
        self.contested = {Item(str(key), CATEGORY) for key in self.consensus.contested}

    def proposal(self) -> Proposal:
        entity_answers = self._answers_of_entities()
        decisions = {key: self._decide(key, entity_answers.get(key, {})) for key in self.drafted}
        self.contested |= {Item(key, CATEGORY) for key, one in decisions.items() if self._is_contested(one)}
        if self.method is Method.EMPTY:
            self.contested |= {
                Item(key, question)
                for coding in self.codings
                for key, one in coding.items()
                for question, _ in (*one.attributes, *one.relations)
                if question not in self.retired
            }
        for decision in list(decisions.values()):
            for key in decision.targets():
                decisions.setdefault(key, Decision(key))
        # what came with the text is there without a decision
        wanted = (
            one
            for one in decisions.values()
            if one != Decision(one.markable) or not self.rules.markable(one.markable).predefined
        )
        return Proposal(
            tuple(sorted(wanted, key=lambda one: self.place[one.markable])),
            tuple(sorted(self.contested, key=item_order)),
        )

    def _votes(self, key: str, *, of_all: bool = False) -> list[Decision]:
        """Return the decisions on a markable by those who vote, or by all."""
        return [coding[key] for coding in (self.codings if of_all else self.voting) if key in coding]

    def _choose[Answer: Hashable](self, votes: Iterable[Answer]) -> Answer | None:
        """Return the most frequent vote; None where there is none, or several are: where all have to agree, two."""
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
        votes = [one for one in self._votes(key) if one.category == category]
        takes_index = category is not None and self.rules.constraints["categories"][category]["takes_index"]
        base = Decision(
            key,
            category=category,
            indices=indices if takes_index else (),
            name=self._choose(one.name for one in votes) or "",
            head=self._choose(one.head for one in votes) or (),
            optional=bool(self._choose(one.optional for one in votes)),
        )
        return self._answer_further(base, pointers if category in self.pointing else (), votes, entity_answers)

    def _category(self, key: str, value: Value, *, points: bool) -> str | None:
        if value is None:
            return None
        if not _is_set(value):
            return str(value) if value != NO_CATEGORY else None
        given = [self.codings[one][key].category for one in self.voters if _is_set(self.values[one].get(key))]
        chosen = self._choose(given)
        if points and chosen is not None and chosen not in self.pointing:
            return self._choose(one for one in given if one in self.pointing) or chosen
        return chosen

    def _answer_further(
        self, base: Decision, pointers: Readings, votes: Sequence[Decision], entity_answers: Mapping[str, AnswerValue]
    ) -> Decision:
        """Return the decision with all further answers that the scheme allows; the others stay open, and contested."""
        key = base.markable
        if not self._allows(base):
            self.contested.add(Item(key, CATEGORY))
            return Decision(key)
        decision = self._extend(base, CATEGORY, replace(base, pointers=pointers))
        of_category = [one for one in self._votes(key, of_all=True) if one.category == base.category]
        for relation in sorted({name for one in of_category for name, _ in one.relations} - self.retired):
            readings = self._settle(relation, partial(_readings, relation=relation), votes, of_category)
            if readings:
                related = replace(decision, relations=(*decision.relations, (relation, readings)))
                decision = self._extend(decision, relation, related)
        wanted = dict(entity_answers)
        answered = {name for one in of_category for name, _ in one.attributes}
        for attribute in sorted(answered - self.retired - self.of_entity):
            answer = self._settle(attribute, partial(_answer, attribute=attribute), votes, of_category)
            if answer:
                [wanted[attribute]] = answer
        return self._with_attributes(decision, wanted)

    def _settle[Answer: Hashable](
        self, question: str, answer: Callable[[Decision], Answer], votes: Sequence[Decision], of_all: Sequence[Decision]
    ) -> Answer | None:
        """Return the most frequent answer of those who vote, which is contested unless all give it."""
        chosen = self._choose(map(answer, votes))
        if chosen is None or {*map(answer, of_all)} != {chosen}:
            self.contested.add(Item(of_all[0].markable, question))
        return chosen

    def _extend(self, decision: Decision, question: str, extended: Decision) -> Decision:
        """Return the decision with a further answer, if the scheme allows it; else its question is contested."""
        if extended == decision or self._allows(extended):
            return extended
        self.contested.add(Item(decision.markable, question))
        return decision

    def _with_attributes(self, decision: Decision, wanted: Mapping[str, AnswerValue]) -> Decision:
        """Return the decision with these answers: one to which another leads comes after it."""
        left = dict(wanted)
        while left:
            for attribute, answer in left.items():
                answered = dict(decision.attributes) | {attribute: answer}
                candidate = replace(decision, attributes=tuple(sorted(answered.items())))
                if self._allows(candidate):
                    decision = candidate
                    del left[attribute]
                    break
            else:
                self.contested |= {Item(decision.markable, attribute) for attribute in left}
                return decision
        return decision

    def _allows(self, decision: Decision) -> bool:
        """Return whether the scheme allows the decision today, so that nobody has to give a retired answer."""
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
        found: dict[str, dict[str, AnswerValue]] = {}
        for attribute in sorted(self.of_entity - self.retired):
            shared = [self._share_answers(*one, attribute) for one in zip(self.codings, self.values, strict=True)]
            if not any(shared):
                continue
            for members in entities.values():
                given = [_answer_in(of_coder, members) for of_coder in shared]
                if not any(given):
                    continue
                answers = [answer for one in self.voters if (answer := given[one]) is not None]
                chosen = self._choose(answer for _, answer in answers)
                places = Counter(key for key, answer in answers if chosen is None or answer == chosen)
                place = max(places, key=lambda key: (places[key], -self.place[key]), default=members[0])
                if chosen is None or any(answer is not None and answer[1] != chosen for answer in given):
                    self.contested.add(Item(place, attribute))
                if chosen is not None:
                    [found.setdefault(place, {})[attribute]] = chosen
        return found

    def _share_answers(
        self, coding: Mapping[str, Decision], values: Mapping[str, Value], attribute: str
    ) -> dict[str, PlacedAnswer]:
        """Return what a coder answers of the entity of each markable, and at which of its markables."""
        of_chain: dict[Value, PlacedAnswer] = {}
        for key in filter(coding.__contains__, self.order):
            if answer := _answer(coding[key], attribute):
                of_chain.setdefault(_chain(key, values), (key, answer))
        keys = coding if of_chain else ()
        return {key: of_chain[chain] for key in keys if (chain := _chain(key, values)) in of_chain}

    def _is_contested(self, decision: Decision) -> bool:
        """Return whether somebody gives another category, or nobody's was taken."""
        if decision.category is None:
            return self._has_categories(decision.markable)
        return any(one.category != decision.category for one in self._votes(decision.markable, of_all=True))

    @cached_property
    def _pointers(self) -> dict[str, Readings]:
        """The readings of the identity relation, by the markables that point."""
        if self.rules.answers != Project.Answers.POINTERS:
            return {}
        if self.method is Method.CODER:
            return {key: one.pointers for key, one in self.voting[0].items() if one.pointers}
        pointers: list[dict[Hashable, list[Hashable]]] = [
            {key: [*map(_as_pointer, one.pointers)] for key, one in coding.items() if one.pointers}
            for coding in self.voting
        ]
        found = antecedents(self.consensus, pointers)
        return {
            str(unit): tuple(sorted((self._in_order(reading) for reading in readings), key=self._places))
            for unit, readings in found.items()
        }

    @cached_property
    def _indices(self) -> dict[str, tuple[str, ...]]:
        """The indices of markables: of each entity that which its coders give most often, if no other has it."""
        if self.rules.answers != Project.Answers.INDICES:
            return {}
        if self.method is Method.CODER:
            return {key: one.indices for key, one in self.voting[0].items()}
        members: dict[frozenset[Hashable], list[str]] = {}
        for key, value in self.drafted.items():
            for entity in self._entities(value):
                members.setdefault(entity, []).append(key)
        names: dict[frozenset[Hashable], str] = {}
        used: set[str] = set()
        for entity, keys in members.items():
            counts = Counter(index for key in keys for one in self._votes(key) for index in one.indices)
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
    """Return the chain of a markable; what is in none or several is by itself."""
    value = values.get(key)
    return value if isinstance(value, frozenset) else key


def _answer_in(answers: Mapping[str, PlacedAnswer], members: Sequence[str]) -> PlacedAnswer | None:
    """Return what a coder answers most often of an entity, and at which of its members."""
    here = {key: answers[key] for key in members if key in answers}
    if not here:
        return None
    counts = Counter(answer for _, answer in here.values())
    [(chosen, _)] = counts.most_common(1)
    places = [place for place, answer in here.values() if answer == chosen]
    return next(
        (place for place in places if place in members), next(key for key in here if here[key][1] == chosen)
    ), chosen


def _is_set(value: Value) -> bool:
    return isinstance(value, frozenset | Ambiguity)


def _is_chain(value: Value) -> bool:
    """Return whether the value joins a markable to others."""
    members: Collection[Hashable] = value.members if isinstance(value, Ambiguity) else ()
    return len(value if isinstance(value, frozenset) else members) > 1


def _readings(decision: Decision, relation: str) -> Readings:
    return sort_readings(dict(decision.relations).get(relation, ()))


def _answer(decision: Decision, attribute: str) -> tuple[AnswerValue, ...]:
    """Return the answer to an attribute; nothing where there is none. Several values have no order."""
    answer = dict(decision.attributes).get(attribute)
    if answer is None:
        return ()
    return (tuple(sorted(answer)) if isinstance(answer, tuple) else answer,)
