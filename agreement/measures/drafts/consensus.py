"""The draft from which adjudication begins: the consensus of coders, contested units, and pointers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from operator import eq

from numpy.typing import ArrayLike

from ..data.cells import MISSING
from ..data.inputs import Data, as_data
from ..data.reliability_data import check_known_coders
from ..options import check_option
from ..results import pluralize
from ..values import Readings, Value, unite_readings
from .votes import (
    DocumentAnswers,
    Entity,
    Profile,
    count_objective,
    find_clusters,
    number_by_appearance,
    project_answers,
    project_chains,
    split_documents,
)

METHODS = ("most", "agreed", "coder", "empty")

type Values = dict[Hashable, Value | None]
# Is it enough that so many of so many coders say something?
type Rule = Callable[[int, int], bool]
type FindClusters = Callable[[Sequence[Profile], Sequence[Sequence[int]]], list[int]]
type Reading = frozenset[Hashable]
type CoderPointers = Mapping[Hashable, Collection[Hashable | Set[Hashable]]]


@dataclass(frozen=True, repr=False)
class Consensus:
    """A draft of gold: the value of each unit in it, in text order.

    A value is a label, a set of units and other members (an entity), `Readings` where a unit is in several, or None
    where coders are undecided. `contested` has the units that have to be looked at, in text order: those that are
    undecided, and those of which some coder who coded the document says anything else than the draft, chains being
    taken for the entities that they are. `objective` is the sum, over all pairs that the draft joins, of coders who
    join it minus coders who part it.
    """

    values: Mapping[Hashable, Value | None]
    contested: tuple[Hashable, ...]
    objective: int

    def __repr__(self) -> str:
        undecided = sum(value is None for value in self.values.values())
        return (
            f"<consensus on {pluralize(len(self.values), 'unit')}: {undecided} undecided,"
            f" {len(self.contested)} contested, objective {self.objective}>"
        )


def consensus(data: Data, method: str = "most", *, coder: Hashable = None, coded: ArrayLike | None = None) -> Consensus:
    """Return a draft from the answers of several coders, document by document.

    method "most": a unit is in the draft if more than half of the coders who coded its document marked it. Each coder
    who did gives a label, or a set; the most frequent answer holds, and a tie is undecided. Units with a set are
    clustered so that the sum over pairs in one cluster, of coders who join the pair minus coders who part it, is as
    large as a local search can make it: correlation clustering (Bansal, Blum & Chawla 2004). A coder joins two units
    if each is in the other's value, and parts them if both have a set and that is not so; of a unit with a label, or
    not marked, a coder says nothing. The search begins with the coder whose chains have the largest such sum, moves
    what no coder separates in text order, and merges clusters. A unit to which more than half of those who give it a
    set give `Readings` is placed after the others: in each entity where more than half have it.
    "agreed": what all say. A unit is in the draft if all coders who coded the document marked it; it has a label if all
    give that one, is together with what no coder separates from it if all give a set, and else is undecided.
    "coder": what that coder says. "empty": nothing.

    A coder coded a document by giving a value to any of its units. `coded`, an array of booleans (documents, coders),
    adds coders who marked nothing in a document: each of them votes against every unit.

    The order of the coders and their names change nothing; units must stand in text order. Sets are whole chains, the
    unit among them (mode="full"); of ambiguous units take readings="matched", and plural="entity". Time grows with
    judgements and with the entities on which chains are spread, never with pairs.

    Raises ValueError for an unknown method or coder, a method without the coder or a coder without the method, counts,
    `coded` of another shape, and a set that does not have its own unit in it.

    >>> data = ReliabilityData.from_chain_ids([[1, 1, 1], [1, 1, 1], [1, 2, 2], [2, 2, 2]], ["text"] * 4)
    >>> draft = consensus(data)
    >>> [sorted(value) for value in draft.values.values()]
    [[0, 1], [0, 1], [2, 3], [2, 3]]
    >>> draft
    <consensus on 4 units: 0 undecided, 1 contested, objective 4>
    >>> draft.contested
    (2,)
    """
    check_option("method", method, METHODS)
    data = as_data(data)
    check_known_coders(data)
    if (coder is not None) != (method == "coder"):
        raise ValueError('give `coder` with method="coder", and only with it')
    if method == "coder" and coder not in data.coders:
        raise ValueError(f"there is no coder {coder!r} among {list(data.coders)}")
    values: Values = {}
    contested: list[Hashable] = []
    objective = 0
    for answers in split_documents(data, coded):
        if method == "most":
            draft = _find_values(answers, _most, find_clusters)
        elif method == "agreed":
            draft = _find_values(answers, eq, lambda profiles, _: number_by_appearance(profiles))
        elif method == "coder":
            column = data.coders.index(coder)
            given = {unit: row[column] for unit, row in zip(answers.units, answers.codes, strict=True)}
            draft = {unit: answers.values[code] for unit, code in given.items() if code != MISSING}
        else:
            draft = {}
        values |= draft
        contested += find_contested(answers, draft, project_answers(answers, draft))
        joined = answers.find_classes([answers.as_set(draft.get(unit)) for unit in answers.units])
        objective += count_objective(joined.of_node, joined.adjacent, answers.profiles, answers.adjacent)
    order = {unit: place for place, unit in enumerate(data.units)}
    return Consensus(
        {unit: values[unit] for unit in data.units if unit in values},
        tuple(sorted(contested, key=order.__getitem__)),
        objective,
    )


def find_contested(
    answers: DocumentAnswers, draft: Mapping[Hashable, Value | None], projected: Sequence[Sequence[Value | None]]
) -> list[Hashable]:
    """Return the contested units of a document. `projected` is the result of `project_answers`."""
    return [
        unit
        for unit, row in zip(answers.units, projected, strict=True)
        if (unit in draft and draft[unit] is None)
        or any(answer != draft.get(unit) for answer, coded in zip(row, answers.coded, strict=True) if coded)
    ]


def _most(n: int, of: int) -> bool:
    return 2 * n > of


def _find_values(answers: DocumentAnswers, rule: Rule, find: FindClusters) -> Values:
    """Return the values with the agreement that the rule asks for, with chains clustered."""
    values: Values = {}
    chained: list[Hashable] = []
    for unit, row in zip(answers.units, answers.codes, strict=True):
        given = [code for code in row if code != MISSING]
        if not given or not rule(len(given), sum(answers.coded)):
            continue
        counts = Counter(min(code, answers.n_labels) for code in given)
        (code, n), *rest = counts.most_common()
        values[unit] = None
        if rest and (rule is eq or rest[0][1] == n):
            continue
        if code < answers.n_labels:
            values[unit] = answers.values[code]
        else:
            chained.append(unit)
    return values | _find_entities(answers, rule, find, chained)


def _find_entities(answers: DocumentAnswers, rule: Rule, find: FindClusters, units: Sequence[Hashable]) -> Values:
    """Return the entity of each unit: a cluster, or several clusters where coders agree on an ambiguity.

    What is ambiguous would hold clusters together, and is placed when the others are clustered. Where coders agree on
    no two clusters for it, it is clustered with the others after all.
    """
    rows = dict(zip(answers.units, answers.codes, strict=True))
    n_sets, n_readings = Counter[Hashable](), Counter[Hashable]()
    for unit in units:
        sets = [answers.set_of(code) for code in rows[unit] if code >= answers.n_labels]
        n_sets[unit], n_readings[unit] = len(sets), sum(isinstance(value, Readings) for value in sets)
    ambiguous = {unit for unit in units if rule(n_readings[unit], n_sets[unit])}
    clusters = _cluster(answers, find, [unit for unit in units if unit not in ambiguous])
    places = _find_places(answers, rule, clusters, ambiguous)
    settled = {unit for unit, numbers in places.items() if len(numbers) > 1}
    if settled != ambiguous:
        clusters = _cluster(answers, find, [unit for unit in units if unit not in settled])
        places = _find_places(answers, rule, clusters, settled)
    members = [set(nodes) for nodes in clusters]
    place_of = {node: (number,) for number, nodes in enumerate(clusters) for node in nodes} | places
    for unit in filter(settled.__contains__, units):
        if not place_of[unit]:
            place_of[unit] = (len(members),)
            members.append(set())
        for number in place_of[unit]:
            members[number].add(unit)
    entities = [frozenset(nodes) for nodes in members]
    return {unit: unite_readings(entities[number] for number in place_of[unit]) for unit in units}


def _cluster(answers: DocumentAnswers, find: FindClusters, units: Sequence[Hashable]) -> list[list[Hashable]]:
    """Return the clusters of units in text order, and of other members."""
    nodes = [*units, *list(answers.nodes)[len(answers.units) :]]
    numbers = find([answers.profiles[answers.nodes[node]] for node in nodes], answers.adjacent)
    clusters: dict[int, list[Hashable]] = {}
    for node, number in zip(nodes, numbers, strict=True):
        clusters.setdefault(number, []).append(node)
    return list(clusters.values())


def _find_places(
    answers: DocumentAnswers, rule: Rule, clusters: Sequence[Sequence[Hashable]], units: Set[Hashable]
) -> dict[Hashable, tuple[int, ...]]:
    """Return for each unit the clusters to which coders agree that it belongs, if any."""
    if not units:
        return {}
    number_of = {frozenset(nodes): number for number, nodes in enumerate(clusters)}
    entity_of_unit = {node: (entity,) for entity in number_of for node in entity}
    entities = [entity_of_unit.get(unit, ()) for unit in answers.units]
    votes: dict[Hashable, Counter[int]] = {unit: Counter() for unit in units}
    n_sets = Counter[Hashable]()
    for coder in range(len(answers.coded)):
        entity_of = project_chains(answers, coder, entities)
        for unit, row in zip(answers.units, answers.codes, strict=True):
            if unit in units and row[coder] >= answers.n_labels:
                chains = answers.order_sets(answers.values[row[coder]])
                votes[unit].update({number_of[entity_of[chain]] for chain in chains if chain in entity_of})
                n_sets[unit] += 1
    return {
        unit: tuple(sorted(number for number, n in counts.items() if rule(n, n_sets[unit])))
        for unit, counts in votes.items()
    }


@dataclass(frozen=True)
class CardRow:
    """Units that no coder separates, in text order; one decision covers all of them.

    `answers` has what each coder of the card says, in the order of its coders: a label; the entity of the draft that
    the coder's chain is, or the chain itself where it is none; `Readings` of such; or None, not marked. `draft` is what
    the draft says in the same terms, None also where it is undecided.
    """

    units: tuple[Hashable, ...]
    answers: tuple[Value | None, ...]
    draft: Value | None
    contested: bool

    @property
    def votes(self) -> Mapping[Value | None, int]:
        """The number of coders by answer, most votes first: the options of the decision."""
        return dict(Counter(self.answers).most_common())


@dataclass(frozen=True)
class Card:
    """An entity of the draft with a contested unit, or a contested unit that is in no entity (`entity` is None).

    `rows` are its units in text order; those that are not contested are there for the picture. `elsewhere` are units
    that some coder put into the entity and the draft did not. `coders` are those who coded the document, and
    `disagreement` is the share of their answers on the units of the card that differ from the draft.
    """

    document: Hashable
    entity: Entity | None
    coders: tuple[Hashable, ...]
    rows: tuple[CardRow, ...]
    elsewhere: tuple[CardRow, ...]
    disagreement: float


def cards(data: Data, draft: Consensus, *, coded: ArrayLike | None = None) -> tuple[Card, ...]:
    """Return the decisions that a draft needs, document by document, in the order of deciding.

    Entities with a contested unit come first, those with the larger share of disagreement before others; then
    contested units that are in no entity: which have a label, or none, or are undecided. Equal shares are in text
    order. `data` and `coded` are those of which the draft was made. Raises ValueError for a unit of the draft that the
    data have not, and for `coded` of another shape than (documents, coders).

    >>> data = ReliabilityData.from_chain_ids([[1, 1, 1], [1, 1, 1], [1, 2, 2], [2, 2, 2]], ["text"] * 4)
    >>> for card in cards(data, consensus(data)):
    ...     print(sorted(card.entity), card.disagreement)
    ...     for row in card.rows:
    ...         print(row.units, [(sorted(answer), n) for answer, n in row.votes.items()])
    [2, 3] 0.16666666666666666
    (2,) [([2, 3], 2), ([0, 1], 1)]
    (3,) [([2, 3], 3)]
    """
    data = as_data(data)
    unknown = draft.values.keys() - set(data.units)
    if unknown:
        raise ValueError(f"{min(unknown, key=repr)!r} of the draft is no unit of the data")
    found: list[Card] = []
    for answers in split_documents(data, coded):
        found += _build_cards(answers, draft.values, data.coders)
    return tuple(found)


def _build_cards(
    answers: DocumentAnswers, draft: Mapping[Hashable, Value | None], all_coders: Iterable[Hashable]
) -> list[Card]:
    coders = tuple(coder for coder, coded in zip(all_coders, answers.coded, strict=True) if coded)
    rows = _build_rows(answers, draft)
    of_entities: dict[Entity, tuple[list[CardRow], list[CardRow]]] = {}
    for row in rows:
        for entity in answers.order_sets(row.draft):
            of_entities.setdefault(entity, ([], []))[0].append(row)
    for row in rows:
        own = answers.order_sets(row.draft)
        for entity in dict.fromkeys(entity for answer in row.answers for entity in answers.order_sets(answer)):
            if entity in of_entities and entity not in own:
                of_entities[entity][1].append(row)
    of_units: list[tuple[Entity | None, list[CardRow], list[CardRow]]] = [
        (None, [row], []) for row in rows if not answers.order_sets(row.draft)
    ]
    cards = []
    for held, inside, elsewhere in [*((entity, *parts) for entity, parts in of_entities.items()), *of_units]:
        if any(row.contested for row in inside):
            differing = sum(len(row.units) * sum(answer != row.draft for answer in row.answers) for row in inside)
            share = differing / (len(coders) * sum(len(row.units) for row in inside))
            cards.append(Card(answers.document, held, coders, tuple(inside), tuple(elsewhere), share))
    return sorted(cards, key=lambda card: (card.entity is None, 0 if card.entity is None else -card.disagreement))


def _build_rows(answers: DocumentAnswers, draft: Mapping[Hashable, Value | None]) -> list[CardRow]:
    projected = project_answers(answers, draft)
    contested = set(find_contested(answers, draft, projected))
    units_of: dict[Hashable, list[Hashable]] = {}
    said: dict[Hashable, tuple[Value | None, ...]] = {}
    for unit, codes, answer in zip(answers.units, answers.codes, projected, strict=True):
        chained = any(code >= answers.n_labels for code in codes)
        # units of which no coder says that they are together are rows of their own
        key = (*answers.profiles[answers.nodes[unit]], *codes, draft.get(unit)) if chained else (unit,)
        units_of.setdefault(key, []).append(unit)
        said[key] = tuple(value for value, coded in zip(answer, answers.coded, strict=True) if coded)
    return [
        CardRow(tuple(units), said[key], draft.get(units[0]), units[0] in contested) for key, units in units_of.items()
    ]


def antecedents(draft: Consensus, pointers: Iterable[CoderPointers]) -> dict[Hashable, list[Reading]]:
    """Return pointers that produce the entities of a draft: the readings of each pointing unit, as in `chain_labels`.

    `pointers` has those of each coder, as `chain_labels` takes them. Of an entity each unit but one points to one
    other, along pointers of coders: those of more coders first, then in text order, then the nearest target, if it
    precedes before others. What they leave apart is joined by pointers that no coder made, to the nearest unit of the
    entity that precedes. A unit in several entities points into each of them, as alternatives, and nothing points to
    it. A unit that more than half of the coders who let it point give a plural reading keeps the most frequent one, and
    the entity begins with it. Of several members that are no units, and so do not point, only the first can be reached.

    With top="chain", readings="matched" and plural="entity" `chain_labels` makes of these pointers the values of the
    draft, but for a unit alone, which has its category.

    >>> data = ReliabilityData.from_chain_ids([[1, 1, 1], [1, 1, 1], [1, 2, 1]], ["text"] * 3)
    >>> antecedents(consensus(data), [{1: {0}, 2: {0}}, {1: {0}}, {1: {0}, 2: {1}}])
    {1: [frozenset({0})], 2: [frozenset({1})]}
    """
    votes = _Votes(pointers, draft)
    firm = {unit for unit, value in draft.values.items() if isinstance(value, frozenset)}
    several = {unit: value for unit, value in draft.values.items() if isinstance(value, Readings)}
    entities = dict.fromkeys(
        entity
        for value in draft.values.values()
        for entity in (votes.order_entities(value) if isinstance(value, Readings) else (value,))
        if isinstance(entity, frozenset)
    )
    found: dict[Hashable, list[Reading]] = {}
    for entity in entities:
        found |= _Tree(entity - several.keys(), firm, votes).point()
    for unit, value in several.items():
        targets = [votes.choose(unit, entity - several.keys()) for entity in votes.order_entities(value)]
        found[unit] = [frozenset((target,)) for target in targets if target is not None]
    return {unit: found[unit] for unit in draft.values if found.get(unit)}


class _Votes:
    """The number of coders by pointer, and the order of units in the text."""

    def __init__(self, pointers: Iterable[CoderPointers], draft: Consensus) -> None:
        self.place = {unit: number for number, unit in enumerate(draft.values)}
        self.targets: dict[Hashable, Counter[Hashable]] = {}
        plural: dict[Hashable, Counter[Reading]] = {}
        pointing: Counter[Hashable] = Counter()
        for of_coder in pointers:
            for unit, readings in of_coder.items():
                sets = {frozenset(value) if isinstance(value, Set) else frozenset((value,)) for value in readings}
                pointing[unit] += bool(sets)
                for reading in sets:
                    if len(reading) == 1:
                        self.targets.setdefault(unit, Counter()).update(reading)
                    else:
                        plural.setdefault(unit, Counter())[reading] += 1
        # of each unit that most of those who let it point give a plural reading, the one that most give
        self.plural = {
            unit: min(counts, key=lambda reading: (-counts[reading], self._places(reading)))
            for unit, counts in plural.items()
            if 2 * counts.total() > pointing[unit]
        }

    def order_entities(self, value: Readings) -> list[Entity]:
        return sorted(value.sets, key=self._places)

    def rank(self, unit: Hashable, target: Hashable) -> tuple[bool, int]:
        """Return a sort key: preceding targets first, near targets before far ones."""
        distance = self.place[unit] - self.place.get(target, -1)
        return distance < 0, abs(distance)

    def choose(self, unit: Hashable, targets: Collection[Hashable]) -> Hashable | None:
        """Return the target of most coders for a unit, the nearest among equals; None without any."""
        votes = self.targets.get(unit, Counter())
        return min(targets, key=lambda target: (-votes[target], *self.rank(unit, target)), default=None)

    def _places(self, nodes: Iterable[Hashable]) -> list[int]:
        return sorted(self.place.get(node, -1) for node in nodes)


class _Tree:
    """The pointers of an entity: each unit points to at most one other, and all paths end at one member."""

    def __init__(self, members: Set[Hashable], firm: Set[Hashable], votes: _Votes) -> None:
        self.votes = votes
        self.units = sorted(members & firm, key=votes.place.__getitem__)
        # what is no unit, such as a turn, does not point
        self.others = sorted(members - firm, key=repr)
        self.plural = None if self.others else next((unit for unit in self.units if unit in votes.plural), None)
        self.target: dict[Hashable, Hashable] = {}
        # a way from each member to the end of its pointers, cut short as it is used
        self.way = {member: member for member in (*self.units, *self.others)}

    def point(self) -> dict[Hashable, list[Reading]]:
        wanted = [
            (-n, self.votes.place[unit], self.votes.rank(unit, target), unit, target)
            for unit in self.units
            for target, n in self.votes.targets.get(unit, Counter()).items()
            if target in self.way
        ]
        for *_, unit, target in sorted(wanted, key=lambda row: row[:3]):
            if unit not in self.target and unit != self.plural:
                self._join(unit, target)
        last = self._find_last()
        for number, unit in enumerate(self.units):
            if unit not in self.target and unit != last:
                preceding = reversed(self.units[:number])
                self._join(unit, next((node for node in preceding if self._may_join(unit, node, last)), last))
        found = {unit: [frozenset((target,))] for unit, target in self.target.items()}
        if self.plural is not None:
            found[self.plural] = [self.votes.plural[self.plural]]
        return found

    def _find_last(self) -> Hashable:
        """Return the member at which all paths end."""
        if self.others:
            # of equally frequent ones the one that the first unit leads to, whatever its name
            leading = Counter(end for unit in self.units if (end := self._end(unit)) in self.others)
            return max((*leading, *self.others), key=lambda end: leading[end])
        return self.plural if self.plural is not None else next(unit for unit in self.units if unit not in self.target)

    def _may_join(self, unit: Hashable, target: Hashable, last: Hashable) -> bool:
        """Return whether a target leads, or can lead, to the last member and not back to the unit."""
        end = self._end(target)
        return end == last or (end != unit and end not in self.others)

    def _join(self, unit: Hashable, target: Hashable) -> None:
        end = self._end(target)
        if end != unit:
            self.target[unit], self.way[unit] = target, end

    def _end(self, member: Hashable) -> Hashable:
        while self.way[member] != member:
            self.way[member] = self.way[self.way[member]]
            member = self.way[member]
        return member
