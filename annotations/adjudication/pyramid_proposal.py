"""What coders' pyramids say together, as a draft of the agreed one, and what of it is contested. Pure: no queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from agreement.measures import Overlap, Readings, ReliabilityData, consensus, match_sets
from annotations.adjudication.proposal import Item, Method, Value, all_coded, free_key
from annotations.coding.decisions import Description
from annotations.coding.markables.markables import MAX_PARTS
from annotations.coding.pyramids.pyramid_rules import (
    Contributor,
    PyramidOptions,
    Span,
    held_words,
    pyramid_violations,
    summary_index,
)
from annotations.formats.model.keys import markable_key, split_key
from annotations.formats.model.scheme import CATEGORY

# Words of the summaries, by their places.
type Words = frozenset[int]


@dataclass(frozen=True, slots=True)
class PyramidContent:
    """A pyramid: its contributors in text order, and labels and comments of SCUs by their keys."""

    contributors: Sequence[Contributor]
    descriptions: Mapping[str, Description]


@dataclass(frozen=True, slots=True)
class Summaries:
    """The model summaries of a docset and their words, as spans in text order, and the options of the project."""

    spans: Sequence[Span]
    words: Sequence[Span]
    options: PyramidOptions

    def words_of(self, key: str) -> Words:
        """Return the words that a contributor holds."""
        place = split_key(key)
        return frozenset(held_words(self.words, place.parts if place is not None else ()))


@dataclass(frozen=True, slots=True)
class PyramidProposal:
    """A draft: contributors in text order, the SCUs that they are in, and the contributors that are contested."""

    contributors: tuple[Contributor, ...]
    descriptions: tuple[Description, ...]
    contested: tuple[Item, ...]


def propose_pyramid(
    summaries: Summaries, codings: Sequence[PyramidContent], method: Method, coder: int | None = None
) -> PyramidProposal:
    """Return a draft of what the pyramids of coders say; `coder` is the place of one, for its method."""
    # The SCUs are the sets of words of `consensus`. Within a summary the words of an SCU are one contributor, or, where
    # the project allows several, what `consensus` makes of those of the coders. An SCU has key and label of the coder's
    # SCU that is most like it by Jaccard. A contributor is contested unless all coders have it, with the same words, in
    # the matching SCU. So is what coders have and the draft lacks, unless a contested contributor has words of it.
    # Comments, and SCUs and contributors without words, are not taken over. The order of codings changes nothing.
    return _Draft(summaries, codings, method, coder).proposal()


def find_sets(codings: Sequence[Sequence[Words]], method: Method, coder: int | None = None) -> list[Words]:
    """Return the sets of words that coders make together, in text order; each coding is the sets of a coder."""
    # Where sets of a coder share words, matching sets of coders have a common anchor, a unit with a negative number.
    is_overlapping = any(sum(map(len, sets)) > len(frozenset().union(*sets)) for sets in codings)
    anchored = _with_anchors(codings) if is_overlapping else codings
    units = sorted({word for sets in anchored for one in sets for word in one})
    columns = [_values(sets) for sets in anchored]
    rows = [[values.get(unit) for values in columns] for unit in units]
    data = ReliabilityData.from_values(units, range(len(codings)), rows, [0] * len(units))
    found: dict[frozenset[Hashable], None] = {}
    for value in consensus(data, str(method), coder=coder, coded=all_coded(data)).values.values():
        if isinstance(value, frozenset | Readings):
            found.update(dict.fromkeys(value.sets if isinstance(value, Readings) else [value]))
    sets = (frozenset(int(str(word)) for word in one) for one in found)
    return sorted((words for one in sets if (words := frozenset(word for word in one if word >= 0))), key=sorted)


def _values(sets: Iterable[Words]) -> dict[int, Value]:
    """Return of each word the set that it is in; where it is in several, as readings."""
    of_word: dict[int, list[Words]] = {}
    for one in sets:
        for word in one:
            of_word.setdefault(word, []).append(one)
    return {word: Readings(of) if len(set(of)) > 1 else of[0] for word, of in of_word.items()}


def _with_anchors(codings: Sequence[Sequence[Words]]) -> list[list[Words]]:
    """Return the sets with anchors: one for those that match the same set of the most typical coder, or are equal."""
    ordered = [sorted(sets, key=sorted) for sets in codings]

    def typicality(sets: Sequence[Words]) -> tuple[float, list[list[int]]]:
        return sum(sum(one.jaccard for one in _match(sets, other)) for other in ordered), [*map(sorted, sets)]

    medoid = max(ordered, key=typicality)
    numbers: dict[tuple[Words, int], int] = {}
    anchored = []
    for sets in ordered:
        matched = {int(str(one.first)): int(str(one.second)) for one in _match(sets, medoid)}
        seen = Counter[Words]()
        with_anchor = []
        for place, words in enumerate(sets):
            number = matched.get(place)
            if number is None:
                number = numbers.setdefault((words, seen[words]), len(medoid) + len(numbers))
                seen[words] += 1
            with_anchor.append(words | {-1 - number})
        anchored.append(with_anchor)
    return anchored


def _match(first: Sequence[Words], second: Sequence[Words]) -> list[Overlap]:
    """Return which sets, by their places, match."""
    return [one for one in match_sets(dict(enumerate(first)), dict(enumerate(second))) if one.matched]


def match_scus(first: Mapping[str, Words], second: Mapping[str, Words]) -> dict[str, str]:
    """Return of each SCU of a pyramid, by their keys, the one of another pyramid that it matches; of some none."""
    keys, others = list(first), list(second)
    found = _match([*first.values()], [*second.values()])
    return {keys[int(str(one.first))]: others[int(str(one.second))] for one in found}


@dataclass(frozen=True, slots=True)
class HeldWords:
    """A contributor of a coder in one of its SCUs, and the words that it holds."""

    key: str
    scu: str
    words: Words


class WordPyramid:
    """A pyramid by words. Where words belong to one SCU, a word that is in several counts for the first of them."""

    def __init__(self, pyramid: PyramidContent, summaries: Summaries) -> None:
        self.labels = {key: one.label for key, one in pyramid.descriptions.items()}
        held = [
            HeldWords(one.key, scu, words)
            for one in pyramid.contributors
            if (words := summaries.words_of(one.key))
            for scu in one.scus
        ]
        of_scu: dict[str, set[int]] = {}
        for one in held:
            of_scu.setdefault(one.scu, set()).update(one.words)
        ordered = sorted(of_scu, key=lambda scu: (sorted(of_scu[scu]), self.labels.get(scu, ""), scu))
        order = {scu: place for place, scu in enumerate(ordered)}
        held.sort(key=lambda one: order[one.scu])
        self.held = list(_take_words(held)) if summaries.options.words_exclusive else held
        self.scus: dict[str, Words] = {}
        for one in self.held:
            self.scus[one.scu] = self.scus.get(one.scu, frozenset()) | one.words


def _take_words(held: Iterable[HeldWords]) -> Iterator[HeldWords]:
    """Yield contributors with the words that none before has."""
    taken: set[int] = set()
    for one in held:
        if words := one.words - taken:
            yield HeldWords(one.key, one.scu, words)
            taken |= words


def key_of_words(words: Words, summaries: Summaries, like: str) -> str:
    """Return the key of a contributor with these words alone, of the level of another: their runs, the longest."""
    places = sorted(words)
    runs: list[list[int]] = [[places[0], places[0]]]
    for before, place in pairwise(places):
        if place == before + 1:
            runs[-1][1] = place
        else:
            runs.append([place, place])
    longest = sorted(runs, key=lambda run: (run[0] - run[1], run))[:MAX_PARTS]
    parts = [[summaries.words[first][0], summaries.words[last][1]] for first, last in sorted(longest)]
    level = split_key(like)
    assert level is not None
    return markable_key(level.level, parts)


@dataclass(frozen=True, slots=True)
class _Group:
    """Words of one SCU of the draft, by its number, that are a contributor."""

    scu: int
    words: Words


class _Draft:
    def __init__(
        self, summaries: Summaries, codings: Sequence[PyramidContent], method: Method, coder: int | None
    ) -> None:
        self.summaries, self.method = summaries, method
        self.codings = [WordPyramid(one, summaries) for one in codings]
        # by their places, those of whom the draft is made
        self.voters = range(len(codings)) if coder is None else [coder]
        self.voting = [self.codings[number] for number in self.voters]
        self.parts = {one.key: one.parts for coding in codings for one in coding.contributors}
        self.scus = find_sets([[*one.scus.values()] for one in self.codings], method, coder) if codings else []
        drafted = {str(place): words for place, words in enumerate(self.scus)}
        self.matched = [{key: int(n) for key, n in match_scus(one.scus, drafted).items()} for one in self.codings]

    def proposal(self) -> PyramidProposal:
        names = self._name_scus()
        scus_of_key: dict[str, dict[str, None]] = {}
        for key, group in zip(self._keys, self._groups, strict=True):
            scus_of_key.setdefault(key, {})[names[group.scu].scu] = None
        contributors = (Contributor(key, self._parts_of(key), tuple(scus)) for key, scus in scus_of_key.items())
        contested = self._contested_keys()
        return PyramidProposal(
            tuple(sorted(contributors, key=lambda one: self._order(one.key))),
            tuple(names),
            tuple(Item(key, CATEGORY) for key in sorted(contested, key=self._order)),
        )

    def _parts_of(self, key: str) -> Sequence[Sequence[int]]:
        place = split_key(key)
        assert place is not None
        return place.parts

    def _order(self, key: str) -> tuple[Sequence[Sequence[int]], str]:
        return [list(part) for part in self._parts_of(key)], key

    @cached_property
    def _groups(self) -> list[_Group]:
        """The words of each contributor of the draft."""
        return [
            _Group(scu, group)
            for scu, words in enumerate(self.scus)
            for in_summary in self._by_summary(words)
            for group in self._split(scu, in_summary)
        ]

    def _by_summary(self, words: Words) -> list[Words]:
        found: dict[int | None, set[int]] = {}
        for word in sorted(words):
            found.setdefault(summary_index([self.summaries.words[word]], self.summaries.spans), set()).add(word)
        return [frozenset(of_summary) for place, of_summary in found.items() if place is not None]

    def _split(self, scu: int, words: Words) -> list[Words]:
        """Return the contributors of an SCU in one summary."""
        if self.summaries.options.one_contributor:
            return [words]
        codings = [self._said_of(self.codings[one], self.matched[one], scu, words) for one in self.voters]
        if len({frozenset(Counter(sets).items()) for sets in codings}) == 1:
            return sorted(set(codings[0]), key=sorted)
        groups = find_sets(codings, Method.AGREED if self.method is Method.AGREED else Method.MOST)
        left = words.difference(*groups)
        return [*groups, left] if left else groups

    def _said_of(self, coding: WordPyramid, matched: Mapping[str, int], scu: int, words: Words) -> list[Words]:
        """Return which of some words a coder has in one contributor: of the SCU that matches, then of others."""
        own = [one.words & words for one in coding.held if matched.get(one.scu) == scu and one.words & words]
        left = words.difference(*own)
        others = dict.fromkeys(one.words & left for one in coding.held if one.words & left)
        return [*own, *others]

    @cached_property
    def _keys(self) -> list[str]:
        """The key of each group: that of a coder's contributor with the same words, unless it would break a rule."""
        counts: dict[Words, Counter[str]] = {}
        for coding in self.voting:
            for key, words in {(one.key, one.words) for one in coding.held}:
                counts.setdefault(words, Counter())[key] += 1
        keys = []
        for group in self._groups:
            given = counts.get(group.words, Counter())
            usable = [key for key in given if self.summaries.words_of(key) == group.words]
            keys.append(min(usable, key=lambda key: (-given[key], self._order(key)), default=self._key_of(group.words)))
        while broken := self._broken(keys):
            keys = [
                self._key_of(group.words) if key in broken else key
                for key, group in zip(keys, self._groups, strict=True)
            ]
        return keys

    def _broken(self, keys: Sequence[str]) -> set[str]:
        """Return coders' contributors that share a character with others, where words belong to one SCU."""
        contributors = [Contributor(key, self._parts_of(key), ("",)) for key in dict.fromkeys(keys)]
        rules = PyramidOptions(one_contributor=False, words_exclusive=self.summaries.options.words_exclusive)
        own = {self._key_of(group.words) for group in self._groups}
        violations = pyramid_violations(contributors, rules, summaries=self.summaries.spans)
        return {key for one in violations for key in one.contributors} - own

    def _key_of(self, words: Words) -> str:
        return key_of_words(words, self.summaries, next(iter(self.parts)))

    def _name_scus(self) -> list[Description]:
        """Return key and label of each SCU of the draft, those of the coder's SCU that overlaps best."""
        found: list[list[tuple[float, str, str]]] = [[] for _ in self.scus]
        for coding in self.voting:
            for one in match_sets(dict(coding.scus), {str(n): words for n, words in enumerate(self.scus)}):
                key = str(one.first)
                found[int(str(one.second))].append((-one.jaccard, coding.labels.get(key, ""), key))
        used: set[str] = set()
        names = []
        for candidates in found:
            best = [one for one in candidates if one[0] == min(candidates)[0]]
            counts = Counter(label for _, label, _ in best if label)
            label = min(counts, key=lambda one: (-counts[one], one), default="")
            ordered = [key for *_, key in sorted(candidates, key=lambda one: (one[0], one[1] != label, one[2]))]
            key = free_key(ordered, used)
            used.add(key)
            names.append(Description(key, label))
        return names

    def _contested_keys(self) -> set[str]:
        said = [
            {(matched[one.scu], one.words) for one in coding.held if one.scu in matched}
            for coding, matched in zip(self.codings, self.matched, strict=True)
            if coding.held
        ]
        contested = [
            (key, group)
            for key, group in zip(self._keys, self._groups, strict=True)
            if not all((group.scu, group.words) in of_coder for of_coder in said)
        ]
        keys = {key for key, _ in contested}
        words = set[int]().union(*(group.words for _, group in contested))
        for key, lacking in self._lacking(words):
            if not words & lacking:
                keys.add(key)
                words |= lacking
        return keys

    def _lacking(self, contested: set[int]) -> list[tuple[str, Words]]:
        """Return what coders have and the draft lacks, without contested words: what most have comes first."""
        drafted = {(group.scu, group.words) for group in self._groups}
        counts: Counter[tuple[str, Words]] = Counter()
        for coding, matched in zip(self.codings, self.matched, strict=True):
            counts.update({
                (one.key, one.words)
                for one in coding.held
                if (matched.get(one.scu), one.words) not in drafted and not one.words & contested
            })  # fmt: skip
        return sorted(counts, key=lambda one: (-counts[one], -len(one[1]), self._order(one[0])))
