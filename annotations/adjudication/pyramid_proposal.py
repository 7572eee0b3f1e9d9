"""Drafts of agreed pyramids from the pyramids of coders, with contested contributors. Pure: no queries."""

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

# Indices of words in the summaries.
type Words = frozenset[int]


@dataclass(frozen=True, slots=True)
class PyramidContent:
    """A pyramid: its contributors in text order, and labels and comments of SCUs by key."""

    contributors: Sequence[Contributor]
    descriptions: Mapping[str, Description]


@dataclass(frozen=True, slots=True)
class Summaries:
    """The model summaries of a docset and their words, as spans in text order, with the options of the project."""

    spans: Sequence[Span]
    words: Sequence[Span]
    options: PyramidOptions

    def words_of(self, key: str) -> Words:
        """Return the indices of the words of a contributor."""
        split = split_key(key)
        return frozenset(held_words(self.words, split.parts if split is not None else ()))


@dataclass(frozen=True, slots=True)
class PyramidProposal:
    """A draft: contributors in text order, the SCUs that they are in, and the contested contributors."""

    contributors: tuple[Contributor, ...]
    descriptions: tuple[Description, ...]
    contested: tuple[Item, ...]


def propose_pyramid(
    summaries: Summaries, codings: Sequence[PyramidContent], method: Method, coder: int | None = None
) -> PyramidProposal:
    """Return a draft from the pyramids of coders; `coder` is an index of `codings`, for the method “coder”."""
    # The SCUs are the sets of words of `consensus`. Within a summary the words of an SCU are one contributor. If the
    # project allows several, they are the `consensus` of the coders' contributors. Key and label come from the coder's
    # SCU that is most similar by Jaccard. A contributor is contested unless all coders have it, with equal words, in
    # the matching SCU. So is a coder's contributor that the draft lacks, unless a contested one shares words. Comments,
    # empty SCUs and empty contributors are not copied. The order of codings does not matter.
    return _Draft(summaries, codings, method, coder).proposal()


def find_sets(codings: Sequence[Sequence[Words]], method: Method, coder: int | None = None) -> list[Words]:
    """Return the consensus of the coders' sets of words, in text order; each coding has the sets of one coder."""
    # If a coder's sets share words, matching sets of coders get a common anchor: a unit with a negative number.
    is_overlapping = any(sum(map(len, sets)) > len(frozenset().union(*sets)) for sets in codings)
    anchored = _with_anchors(codings) if is_overlapping else codings
    units = sorted({word for sets in anchored for words in sets for word in words})
    columns = [_values(sets) for sets in anchored]
    rows = [[values.get(unit) for values in columns] for unit in units]
    data = ReliabilityData.from_values(units, range(len(codings)), rows, [0] * len(units))
    found: dict[frozenset[Hashable], None] = {}
    for value in consensus(data, str(method), coder=coder, coded=all_coded(data)).values.values():
        if isinstance(value, frozenset | Readings):
            found.update(dict.fromkeys(value.sets if isinstance(value, Readings) else [value]))
    sets = (frozenset(int(str(word)) for word in words) for words in found)
    return sorted((words for units in sets if (words := frozenset(word for word in units if word >= 0))), key=sorted)


def _values(sets: Iterable[Words]) -> dict[int, Value]:
    """Return the set of each word, or readings if it is in several sets."""
    sets_of: dict[int, list[Words]] = {}
    for words in sets:
        for word in words:
            sets_of.setdefault(word, []).append(words)
    return {word: Readings(its) if len(set(its)) > 1 else its[0] for word, its in sets_of.items()}


def _with_anchors(codings: Sequence[Sequence[Words]]) -> list[list[Words]]:
    """Return the sets with anchors, shared by equal sets and by sets that match the same set of the medoid coder."""
    ordered = [sorted(sets, key=sorted) for sets in codings]

    def typicality(sets: Sequence[Words]) -> tuple[float, list[list[int]]]:
        return sum(sum(match.jaccard for match in _match(sets, other)) for other in ordered), [*map(sorted, sets)]

    medoid = max(ordered, key=typicality)
    numbers: dict[tuple[Words, int], int] = {}
    anchored = []
    for sets in ordered:
        matched = {int(str(match.first)): int(str(match.second)) for match in _match(sets, medoid)}
        seen = Counter[Words]()
        with_anchor = []
        for index, words in enumerate(sets):
            number = matched.get(index)
            if number is None:
                number = numbers.setdefault((words, seen[words]), len(medoid) + len(numbers))
                seen[words] += 1
            with_anchor.append(words | {-1 - number})
        anchored.append(with_anchor)
    return anchored


def _match(first: Sequence[Words], second: Sequence[Words]) -> list[Overlap]:
    """Return the pairs of matching sets, by their indices."""
    return [pair for pair in match_sets(dict(enumerate(first)), dict(enumerate(second))) if pair.matched]


def match_scus(first: Mapping[str, Words], second: Mapping[str, Words]) -> dict[str, str]:
    """Return the matching SCU of another pyramid for each SCU that has one, by key."""
    keys, others = list(first), list(second)
    pairs = _match([*first.values()], [*second.values()])
    return {keys[int(str(pair.first))]: others[int(str(pair.second))] for pair in pairs}


@dataclass(frozen=True, slots=True)
class HeldWords:
    """A coder's contributor in one of its SCUs, with its words."""

    key: str
    scu: str
    words: Words


class WordPyramid:
    """A pyramid by words. If words belong to one SCU only, a word in several counts for the first."""

    def __init__(self, pyramid: PyramidContent, summaries: Summaries) -> None:
        self.labels = {key: row.label for key, row in pyramid.descriptions.items()}
        held = [
            HeldWords(contributor.key, scu, words)
            for contributor in pyramid.contributors
            if (words := summaries.words_of(contributor.key))
            for scu in contributor.scus
        ]
        words_of: dict[str, set[int]] = {}
        for contributor in held:
            words_of.setdefault(contributor.scu, set()).update(contributor.words)
        ordered = sorted(words_of, key=lambda scu: (sorted(words_of[scu]), self.labels.get(scu, ""), scu))
        order = {scu: n for n, scu in enumerate(ordered)}
        held.sort(key=lambda row: order[row.scu])
        self.held = list(_take_words(held)) if summaries.options.words_exclusive else held
        self.scus: dict[str, Words] = {}
        for contributor in self.held:
            self.scus[contributor.scu] = self.scus.get(contributor.scu, frozenset()) | contributor.words


def _take_words(held: Iterable[HeldWords]) -> Iterator[HeldWords]:
    """Yield contributors without the words of earlier ones."""
    taken: set[int] = set()
    for contributor in held:
        if words := contributor.words - taken:
            yield HeldWords(contributor.key, contributor.scu, words)
            taken |= words


def key_of_words(words: Words, summaries: Summaries, like: str) -> str:
    """Return the key of a contributor with exactly these words, on the level of `like`. Only the longest runs fit."""
    indices = sorted(words)
    runs: list[list[int]] = [[indices[0], indices[0]]]
    for previous, index in pairwise(indices):
        if index == previous + 1:
            runs[-1][1] = index
        else:
            runs.append([index, index])
    longest = sorted(runs, key=lambda run: (run[0] - run[1], run))[:MAX_PARTS]
    parts = [[summaries.words[first][0], summaries.words[last][1]] for first, last in sorted(longest)]
    level = split_key(like)
    assert level is not None
    return markable_key(level.level, parts)


@dataclass(frozen=True, slots=True)
class _Group:
    """Words of one SCU of the draft, by its number, that form a contributor."""

    scu: int
    words: Words


class _Draft:
    def __init__(
        self, summaries: Summaries, codings: Sequence[PyramidContent], method: Method, coder: int | None
    ) -> None:
        self.summaries, self.method = summaries, method
        self.codings = [WordPyramid(content, summaries) for content in codings]
        # indices of the codings that the draft is made of
        self.voters = range(len(codings)) if coder is None else [coder]
        self.voting = [self.codings[number] for number in self.voters]
        self.parts = {contributor.key: contributor.parts for coding in codings for contributor in coding.contributors}
        self.scus = find_sets([[*row.scus.values()] for row in self.codings], method, coder) if codings else []
        drafted = {str(n): words for n, words in enumerate(self.scus)}
        self.matched = [{key: int(n) for key, n in match_scus(row.scus, drafted).items()} for row in self.codings]

    def proposal(self) -> PyramidProposal:
        names = self._name_scus()
        scus_of_key: dict[str, dict[str, None]] = {}
        for key, group in zip(self._keys, self._groups, strict=True):
            scus_of_key.setdefault(key, {})[names[group.scu].scu] = None
        contributors = (Contributor(key, self._parts_of(key), tuple(scus)) for key, scus in scus_of_key.items())
        contested = self._contested_keys()
        return PyramidProposal(
            tuple(sorted(contributors, key=lambda row: self._order(row.key))),
            tuple(names),
            tuple(Item(key, CATEGORY) for key in sorted(contested, key=self._order)),
        )

    def _parts_of(self, key: str) -> Sequence[Sequence[int]]:
        split = split_key(key)
        assert split is not None
        return split.parts

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
        by_index: dict[int | None, set[int]] = {}
        for word in sorted(words):
            by_index.setdefault(summary_index([self.summaries.words[word]], self.summaries.spans), set()).add(word)
        return [frozenset(group) for index, group in by_index.items() if index is not None]

    def _split(self, scu: int, words: Words) -> list[Words]:
        """Return the contributors of an SCU in one summary, by their words."""
        if self.summaries.options.one_contributor:
            return [words]
        codings = [self._said_of(self.codings[n], self.matched[n], scu, words) for n in self.voters]
        if len({frozenset(Counter(sets).items()) for sets in codings}) == 1:
            return sorted(set(codings[0]), key=sorted)
        groups = find_sets(codings, Method.AGREED if self.method is Method.AGREED else Method.MOST)
        ungrouped = words.difference(*groups)
        return [*groups, ungrouped] if ungrouped else groups

    def _said_of(self, coding: WordPyramid, matched: Mapping[str, int], scu: int, words: Words) -> list[Words]:
        """Return the coder's grouping of the words: first by contributors of the matching SCU, then by others."""
        own = [row.words & words for row in coding.held if matched.get(row.scu) == scu and row.words & words]
        ungrouped = words.difference(*own)
        others = dict.fromkeys(row.words & ungrouped for row in coding.held if row.words & ungrouped)
        return [*own, *others]

    @cached_property
    def _keys(self) -> list[str]:
        """The key of each group: a coder's key for equal words, unless it would break a rule."""
        counts: dict[Words, Counter[str]] = {}
        for coding in self.voting:
            for key, words in {(contributor.key, contributor.words) for contributor in coding.held}:
                counts.setdefault(words, Counter())[key] += 1
        keys = []
        for group in self._groups:
            votes = counts.get(group.words, Counter())
            usable = [key for key in votes if self.summaries.words_of(key) == group.words]
            keys.append(min(usable, key=lambda key: (-votes[key], self._order(key)), default=self._key_of(group.words)))
        while broken := self._broken(keys):
            keys = [
                self._key_of(group.words) if key in broken else key
                for key, group in zip(keys, self._groups, strict=True)
            ]
        return keys

    def _broken(self, keys: Sequence[str]) -> set[str]:
        """Return coders' contributors that share a character with others although words belong to one SCU."""
        contributors = [Contributor(key, self._parts_of(key), ("",)) for key in dict.fromkeys(keys)]
        rules = PyramidOptions(one_contributor=False, words_exclusive=self.summaries.options.words_exclusive)
        own = {self._key_of(group.words) for group in self._groups}
        violations = pyramid_violations(contributors, rules, summaries=self.summaries.spans)
        return {key for violation in violations for key in violation.contributors} - own

    def _key_of(self, words: Words) -> str:
        return key_of_words(words, self.summaries, next(iter(self.parts)))

    def _name_scus(self) -> list[Description]:
        """Return key and label of each SCU of the draft, from the coder's SCU that overlaps most."""
        candidates_of: list[list[tuple[float, str, str]]] = [[] for _ in self.scus]
        for coding in self.voting:
            for overlap in match_sets(dict(coding.scus), {str(n): words for n, words in enumerate(self.scus)}):
                key = str(overlap.first)
                candidates_of[int(str(overlap.second))].append((-overlap.jaccard, coding.labels.get(key, ""), key))
        used: set[str] = set()
        names = []
        for candidates in candidates_of:
            best = [row for row in candidates if row[0] == min(candidates)[0]]
            counts = Counter(label for _, label, _ in best if label)
            label = min(counts, key=lambda name: (-counts[name], name), default="")
            ordered = [key for *_, key in sorted(candidates, key=lambda row: (row[0], row[1] != label, row[2]))]
            key = free_key(ordered, used)
            used.add(key)
            names.append(Description(key, label))
        return names

    def _contested_keys(self) -> set[str]:
        groups_of = [
            {(matched[row.scu], row.words) for row in coding.held if row.scu in matched}
            for coding, matched in zip(self.codings, self.matched, strict=True)
            if coding.held
        ]
        contested = [
            (key, group)
            for key, group in zip(self._keys, self._groups, strict=True)
            if not all((group.scu, group.words) in own for own in groups_of)
        ]
        keys = {key for key, _ in contested}
        words = set[int]().union(*(group.words for _, group in contested))
        for key, lacking in self._lacking(words):
            if not words & lacking:
                keys.add(key)
                words |= lacking
        return keys

    def _lacking(self, contested: set[int]) -> list[tuple[str, Words]]:
        """Return coders' contributors that the draft lacks, without contested words; the most frequent first."""
        drafted = {(group.scu, group.words) for group in self._groups}
        counts: Counter[tuple[str, Words]] = Counter()
        for coding, matched in zip(self.codings, self.matched, strict=True):
            counts.update({
                (held.key, held.words)
                for held in coding.held
                if (matched.get(held.scu), held.words) not in drafted and not held.words & contested
            })  # fmt: skip
        return sorted(counts, key=lambda row: (-counts[row], -len(row[1]), self._order(row[0])))
