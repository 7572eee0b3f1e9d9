"""What adjudication has to decide: the contested entities of a draft, with what each coder says of their units."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

from numpy.typing import ArrayLike

from ..data.inputs import Data, as_data
from ..values import Value
from .consensus import Consensus, find_contested
from .votes import DocumentAnswers, Entity, project_answers, split_documents


@dataclass(frozen=True)
class CardRow:
    """Units that no coder separates, in text order: one decision is for all of them.

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
        """How many coders give each answer: the options to choose from, most votes first."""
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
    """Return what has to be decided of a draft, document by document, in the order in which to decide it.

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
    """Return the cards of a document in the order in which to decide them."""
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
        said[key] = tuple(one for one, coded in zip(answer, answers.coded, strict=True) if coded)
    return [
        CardRow(tuple(units), said[key], draft.get(units[0]), units[0] in contested) for key, units in units_of.items()
    ]
