"""The queue of an agreed pyramid: SCUs of its draft that coders dispute, with each coder's answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from annotations.adjudication.decisions.log import Step, deciding_steps
from annotations.adjudication.drafts import read_summaries
from annotations.adjudication.proposal import Method, free_key
from annotations.adjudication.pyramid_proposal import (
    HeldWords,
    PyramidContent,
    Summaries,
    WordPyramid,
    Words,
    match_scus,
)
from annotations.adjudication.queue import (
    SAMPLE_SIZE,
    Answer,
    Column,
    Decisions,
    DraftContent,
    Kind,
    Queue,
    QueueCard,
    Row,
    add_cards,
    read_columns,
    read_draft,
)
from annotations.adjudication.states import GoldState, gold_states
from annotations.coding.decisions import Description
from annotations.coding.pyramids.pyramid_rules import Contributor
from annotations.formats.model.keys import split_key
from annotations.models import Coding, Project


def build_pyramid_queue(project: Project, agreed: Coding, checks: int = SAMPLE_SIZE) -> Queue:
    """Return the queue of an agreed pyramid from the pyramids that its draft used. checks: number of units to check."""
    [state] = gold_states([agreed])
    if state.draft is None:
        return Queue(state)
    columns, drafted = read_columns(agreed, state.draft), read_draft(agreed, state.draft)
    summaries = read_summaries(project, agreed.text)
    return PyramidQueueBuilder(summaries, state, columns, drafted).build(deciding_steps(agreed), checks)


def pyramid_of(decisions: Decisions, descriptions: Mapping[str, Description]) -> PyramidContent:
    """Return the pyramid that a replayed log contains."""
    rows = [
        (split.parts, key, decision.indices)
        for key, decision in decisions.items()
        if decision.indices and (split := split_key(key)) is not None
    ]
    contributors = [Contributor(key, parts, scus) for parts, key, scus in sorted(rows, key=lambda row: row[:2])]
    return PyramidContent(contributors, descriptions)


class _Pyramid:
    """A pyramid by words, with the numbers of its SCUs in the queue."""

    def __init__(self, pyramid: WordPyramid, number_of: Callable[[str], int]) -> None:
        self.pyramid, self.number_of = pyramid, number_of
        self.at_word: dict[int, list[HeldWords]] = defaultdict(list)
        for contributor in pyramid.held:
            for word in contributor.words:
                self.at_word[word].append(contributor)

    def said_of(self, words: Words) -> list[HeldWords]:
        """Return contributors with exactly these words, else contributors that share some, in text order."""
        sharing = dict.fromkeys(held for word in sorted(words) for held in self.at_word[word])
        return [row for row in sharing if row.words == words] or list(sharing)

    def answer_on(self, words: Words, now: Words) -> Answer | None:
        """Return the answer for words; None if no word is marked. `now` are the current words of the unit."""
        contributors = self.said_of(words)
        if not contributors:
            return None
        numbers = sorted({self.number_of(row.scu) for row in contributors})
        others = dict.fromkeys((row.key, self.number_of(row.scu)) for row in contributors if row.words != now)
        return Answer(tuple(numbers), units=tuple(others))


class PyramidQueueBuilder:
    """Build the queue of a pyramid. Pure.

    Rows are contributors of the draft, and coders' contested ones that it lacks; contributors with equal answers are
    one row. A coder's answer is the draft's SCUs that match the coder's, for the contributor with exactly these words,
    or else for all that share some. Cards are SCUs with contested contributors, the most disputed first, then contested
    contributors in no SCU of the draft.
    """

    def __init__(
        self, summaries: Summaries, state: GoldState, columns: Sequence[Column], drafted: DraftContent
    ) -> None:
        self.summaries, self.state, self.columns, self.drafted = summaries, state, columns, drafted
        self.draft = WordPyramid(pyramid_of(drafted.decisions, drafted.descriptions), summaries)
        codings = [WordPyramid(pyramid_of(row.decisions, row.descriptions), summaries) for row in columns]
        self.scus = [Description(key, self.draft.labels.get(key, "")) for key in self.draft.scus]
        self.entities = [self._keys_of(self.draft, key, drafted.today) for key in self.draft.scus]
        self.own = {key: number for number, key in enumerate(self.draft.scus)}
        self.by_words: dict[Words, int] = {}
        self.used = {*self.draft.scus}
        self.coders = [_Pyramid(row, self._number_scus(row).__getitem__) for row in codings]
        self.of_draft = _Pyramid(self.draft, self.own.__getitem__)
        self.contested = {row.item.markable for row in state.contested}
        # the words of possible rows by current key; contributors of the draft have their words in the draft
        self.words = {drafted.today[row.key]: row.words for row in self.draft.held if row.key in drafted.today}
        in_draft = {*self.words}
        self.words |= {key: summaries.words_of(key) for key in self.contested - in_draft}
        ordered = sorted(self.words, key=lambda key: (sorted(self.words[key]), key))
        self.units = {key: self._unit(key, is_drafted=key in in_draft) for key in ordered}

    def _keys_of(self, pyramid: WordPyramid, scu: str, today: Mapping[str, str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(today.get(row.key, row.key) for row in pyramid.held if row.scu == scu))

    def _number_scus(self, coding: WordPyramid) -> dict[str, int]:
        """Return the numbers of a coder's SCUs: the numbers of matching SCUs of the draft, or further ones."""
        matched = match_scus(coding.scus, self.draft.scus)
        return {
            scu: self.own[matched[scu]] if scu in matched else self._number_of_words(coding, scu) for scu in coding.scus
        }

    def _number_of_words(self, coding: WordPyramid, scu: str) -> int:
        """Return the number of an SCU that the draft lacks; SCUs with equal words share a number."""
        words = coding.scus[scu]
        if words not in self.by_words:
            key = free_key([scu], self.used)
            self.used.add(key)
            self.by_words[words] = len(self.entities)
            self.scus.append(Description(key, coding.labels.get(scu, "")))
            self.entities.append(self._keys_of(coding, scu, {}))
        return self.by_words[words]

    def _unit(self, key: str, *, is_drafted: bool) -> Row:
        words, now = self.words[key], self.summaries.words_of(key)
        answers = tuple(coder.answer_on(words, now) for coder in self.coders)
        draft = self.of_draft.answer_on(words, now) if is_drafted else None
        return Row((key,), answers, draft, key in self.contested)

    def _rows(self) -> list[Row]:
        """Return the rows in text order; contributors with equal answers are one row."""
        together_with: dict[object, list[str]] = {}
        for key, unit in self.units.items():
            given = [answer for answer in unit.answers if answer is not None]
            is_alone = not given or any(answer.units for answer in given)
            # the coders' own SCUs separate contributors whose SCUs match none of the draft
            scus = tuple(tuple(held.scu for held in coder.said_of(self.words[key])) for coder in self.coders)
            together = (unit.answers, scus, unit.draft, unit.contested)
            together_with.setdefault(key if is_alone else together, []).append(key)
        return [replace(self.units[keys[0]], units=tuple(keys)) for keys in together_with.values()]

    def build(self, steps: Sequence[Step], checks: int) -> Queue:
        """Return the queue with its cards in order, at most as many as the bound allows."""
        rows = self._rows()
        rows_of: list[tuple[list[Row], list[Row]]] = [([], []) for _ in self.own]
        for row in rows:
            own = row.draft.entities if row.draft is not None else ()
            for number in own:
                rows_of[number][0].append(row)
            named = {number for answer in row.answers if answer is not None for number in answer.entities}
            for number in sorted(named.difference(own)):
                if number < len(rows_of):
                    rows_of[number][1].append(row)
        cards = [
            self._card(number, own, elsewhere)
            for number, (own, elsewhere) in enumerate(rows_of)
            if any(row.contested for row in own)
        ]
        cards.sort(key=lambda card: -card.disagreement)
        lacking = [self._not_drafted(row) for row in rows if row.contested and row.draft is None]
        cards += [QueueCard(Kind.UNIT, (row,), disagreement=self._disagreement([row])) for row in lacking]
        today = self.drafted.today
        queue = Queue(
            self.state,
            tuple(self.columns),
            tuple(self.entities),
            len(self.own),
            draft={today[key]: row for key, row in self.drafted.decisions.items() if key in today},
            steps=steps,
            scus=tuple(self.scus),
        )
        sample = [key for key in self.drafted.sample if key in self.units]
        return add_cards(queue, cards, sample, lambda key: replace(self.units[key], contested=False), checks)

    def _card(self, number: int, own: Sequence[Row], elsewhere: Sequence[Row]) -> QueueCard:
        others = [replace(row, elsewhere=True) for row in elsewhere]
        rows = sorted([*own, *others], key=lambda row: sorted(self.words[row.units[0]]))
        return QueueCard(Kind.ENTITY, tuple(rows), number, disagreement=self._disagreement(own))

    def _given(self, row: Row) -> list[Answer | None]:
        """Return the answers of the coders who have a pyramid."""
        return [answer for answer, coder in zip(row.answers, self.coders, strict=True) if coder.pyramid.held]

    def _not_drafted(self, row: Row) -> Row:
        """Return the row of a contributor that the draft lacks; it is undecided unless most coders lack it, too."""
        method = self.state.draft.method if self.state.draft is not None else ""
        given = self._given(row)
        most_lack_it = method == Method.MOST and 2 * given.count(None) > len(given)
        return replace(row, undecided=method != Method.CODER and not most_lack_it)

    def _disagreement(self, rows: Sequence[Row]) -> float:
        """Return the share of answers that differ from the draft."""
        different = sum(len(row.units) * sum(given != row.draft for given in self._given(row)) for row in rows)
        total = sum(len(row.units) * len(self._given(row)) for row in rows)
        return different / total if total else 0.0
