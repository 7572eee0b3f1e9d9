"""The queue of an agreed pyramid: SCUs of its draft that coders have otherwise, and what each coder says."""

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
    """Return the queue of an agreed pyramid, of the pyramids that its draft rests on. checks: units to check."""
    [state] = gold_states([agreed])
    if state.draft is None:
        return Queue(state)
    columns, drafted = read_columns(agreed, state.draft), read_draft(agreed, state.draft)
    summaries = read_summaries(project, agreed.text)
    return PyramidQueueBuilder(summaries, state, columns, drafted).build(deciding_steps(agreed), checks)


def pyramid_of(decisions: Decisions, descriptions: Mapping[str, Description]) -> PyramidContent:
    """Return the pyramid that a log comes to."""
    found = [
        (place.parts, key, decision.indices)
        for key, decision in decisions.items()
        if decision.indices and (place := split_key(key)) is not None
    ]
    contributors = [Contributor(key, parts, scus) for parts, key, scus in sorted(found, key=lambda one: one[:2])]
    return PyramidContent(contributors, descriptions)


class _Pyramid:
    """A pyramid by words, and which numbers the queue has for its SCUs."""

    def __init__(self, pyramid: WordPyramid, number_of: Callable[[str], int]) -> None:
        self.pyramid, self.number_of = pyramid, number_of
        self.at_word: dict[int, list[HeldWords]] = defaultdict(list)
        for one in pyramid.held:
            for word in one.words:
                self.at_word[word].append(one)

    def said_of(self, words: Words) -> list[HeldWords]:
        """Return what has just these words; where nothing has, what has some of them, in text order."""
        near = dict.fromkeys(one for word in sorted(words) for one in self.at_word[word])
        return [one for one in near if one.words == words] or list(near)

    def answer_on(self, words: Words, now: Words) -> Answer | None:
        """Return what is said of words; None where none of them is marked. `now` are those that the unit has today."""
        found = self.said_of(words)
        if not found:
            return None
        numbers = sorted({self.number_of(one.scu) for one in found})
        others = dict.fromkeys((one.key, self.number_of(one.scu)) for one in found if one.words != now)
        return Answer(tuple(numbers), units=tuple(others))


class PyramidQueueBuilder:
    """The queue of what was read. Pure.

    Rows are contributors of the draft, and contested ones of coders that it lacks; those of which every coder says the
    same are one row. A coder's answer is the SCUs of the draft that theirs match, of the contributor with just these
    words, or else of those that share some. Cards are SCUs with contested contributors, the larger share of
    disagreement first, then the contested contributors in no SCU of the draft.
    """

    def __init__(
        self, summaries: Summaries, state: GoldState, columns: Sequence[Column], drafted: DraftContent
    ) -> None:
        self.summaries, self.state, self.columns, self.drafted = summaries, state, columns, drafted
        self.draft = WordPyramid(pyramid_of(drafted.decisions, drafted.descriptions), summaries)
        codings = [WordPyramid(pyramid_of(one.decisions, one.descriptions), summaries) for one in columns]
        self.scus = [Description(key, self.draft.labels.get(key, "")) for key in self.draft.scus]
        self.entities = [self._keys_of(self.draft, key, drafted.today) for key in self.draft.scus]
        self.own = {key: number for number, key in enumerate(self.draft.scus)}
        self.by_words: dict[Words, int] = {}
        self.used = {*self.draft.scus}
        self.coders = [_Pyramid(one, self._number_scus(one).__getitem__) for one in codings]
        self.of_draft = _Pyramid(self.draft, self.own.__getitem__)
        self.contested = {one.item.markable for one in state.contested}
        # the words of contributors that rows may have, by their keys of today: those that the draft gives them
        self.words = {drafted.today[one.key]: one.words for one in self.draft.held if one.key in drafted.today}
        in_draft = {*self.words}
        self.words |= {key: summaries.words_of(key) for key in self.contested - in_draft}
        ordered = sorted(self.words, key=lambda key: (sorted(self.words[key]), key))
        self.units = {key: self._unit(key, is_drafted=key in in_draft) for key in ordered}

    def _keys_of(self, pyramid: WordPyramid, scu: str, today: Mapping[str, str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(today.get(one.key, one.key) for one in pyramid.held if one.scu == scu))

    def _number_scus(self, coding: WordPyramid) -> dict[str, int]:
        """Return the numbers of a coder's SCUs: those of the draft that they match, or further ones."""
        matched = match_scus(coding.scus, self.draft.scus)
        return {
            scu: self.own[matched[scu]] if scu in matched else self._number_of_words(coding, scu) for scu in coding.scus
        }

    def _number_of_words(self, coding: WordPyramid, scu: str) -> int:
        """Return the number of an SCU that the draft has not: of several coders one, where it has the same words."""
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
        answers = tuple(one.answer_on(words, now) for one in self.coders)
        draft = self.of_draft.answer_on(words, now) if is_drafted else None
        return Row((key,), answers, draft, key in self.contested)

    def _rows(self) -> list[Row]:
        """Return the rows in text order: contributors that no coder separates are one."""
        found: dict[object, list[str]] = {}
        for key, unit in self.units.items():
            given = [one for one in unit.answers if one is not None]
            is_alone = not given or any(one.units for one in given)
            # by the coders' own SCUs those are told apart that are in SCUs which match none of the draft
            scus = tuple(tuple(held.scu for held in one.said_of(self.words[key])) for one in self.coders)
            together = (unit.answers, scus, unit.draft, unit.contested)
            found.setdefault(key if is_alone else together, []).append(key)
        return [replace(self.units[keys[0]], units=tuple(keys)) for keys in found.values()]

    def build(self, steps: Sequence[Step], checks: int) -> Queue:
        """Return the queue, its cards in order, no more of them than the bound allows."""
        rows = self._rows()
        of_scus: list[tuple[list[Row], list[Row]]] = [([], []) for _ in self.own]
        for row in rows:
            own = row.draft.entities if row.draft is not None else ()
            for number in own:
                of_scus[number][0].append(row)
            said = {number for one in row.answers if one is not None for number in one.entities}
            for number in sorted(said.difference(own)):
                if number < len(of_scus):
                    of_scus[number][1].append(row)
        cards = [
            self._card(number, own, elsewhere)
            for number, (own, elsewhere) in enumerate(of_scus)
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
            draft={today[key]: one for key, one in self.drafted.decisions.items() if key in today},
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
        """Return the answers of those who have a pyramid."""
        return [answer for answer, of in zip(row.answers, self.coders, strict=True) if of.pyramid.held]

    def _not_drafted(self, row: Row) -> Row:
        """Return the row of a contributor that the draft lacks, undecided unless that is what most coders say."""
        method = self.state.draft.method if self.state.draft is not None else ""
        given = self._given(row)
        most_lack_it = method == Method.MOST and 2 * given.count(None) > len(given)
        return replace(row, undecided=method != Method.CODER and not most_lack_it)

    def _disagreement(self, rows: Sequence[Row]) -> float:
        """Return the share of answers that differ from the draft."""
        different = sum(len(row.units) * sum(one != row.draft for one in self._given(row)) for row in rows)
        total = sum(len(row.units) * len(self._given(row)) for row in rows)
        return different / total if total else 0.0
