"""Keys and offset conventions of JSON lines in the dialects of public corpora and programs."""

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from annotations.formats.jsonlines.lines import Json, Line
from annotations.formats.syntax.units import Units, cuts_word

NAMES = ("doc_key", "document_id", "doc_id", "id")
WORDS = ("sentences", "tokens", "cased_words")
CLUSTERS, PRECO, WL_COREF, RUCOCO, BOOKCOREF = "clusters", "mention_clusters", "span_clusters", "entities", "characters"
INCLUSIVE, EXCLUSIVE, FROM_ONE = "inclusive", "exclusive", "from-1"
CHARACTERS, LAST_CHARACTER, UTF_16 = "characters", "characters-inclusive", "utf-16"
# A finding requires at least one odd mention in this many.
ODD_SHARE = 10


class Convention(NamedTuple):
    """A way to count offsets: the number of the first unit, and the amount added to the last offset of a mention."""

    label: str
    in_words: bool
    first: int = 0
    added: int = 0

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Return `[start, end)` from 0."""
        return first - self.first, last - self.first + self.added


CONVENTIONS = {
    INCLUSIVE: Convention("words, the last one included (OntoNotes)", True, added=1),
    EXCLUSIVE: Convention("words, the end not included", True),
    FROM_ONE: Convention("words counted from 1, the last one included", True, first=1, added=1),
    CHARACTERS: Convention("characters of “text”, the end not included", False),
    LAST_CHARACTER: Convention("characters of “text”, the last one included", False, added=1),
    UTF_16: Convention("UTF-16 units of “text” (JavaScript, Java), the end not included", False),
}


class RawMention(NamedTuple):
    """The offsets of a mention, the start and length of the range that they count in, and its words in the file."""

    first: int
    last: int
    base: int
    length: int
    words: str = ""


class Spans:
    """The units that offsets count: the words or the characters of a text."""

    def __init__(self, words: Sequence[str], content: str, *, in_words: bool) -> None:
        self.content = content
        self.units = words if in_words else content
        self.has_letter = [any(map(str.isalnum, word)) for word in words] if in_words else []

    @cached_property
    def solid(self) -> str:
        return "".join("".join(self.units).split())

    @cached_property
    def before(self) -> array[int]:
        """The number of characters of the solid text before each word or character."""
        return array("Q", accumulate((len("".join(unit.split())) for unit in self.units), initial=0))

    def is_equal(self, start: int, end: int, words: str) -> bool:
        """Return whether a span has these words, apart from white space."""
        words = "".join(words.split())
        start, end = self.before[start], self.before[end]
        return end - start == len(words) and self.solid[start:end] == words

    def is_odd(self, start: int, end: int) -> bool:
        """Return whether a mention begins or ends with a sign or a blank, or inside a word."""
        if self.has_letter:
            return not (self.has_letter[start] and self.has_letter[end - 1])
        return cuts_word(self.content, start, end)


@dataclass(slots=True)
class Evidence:
    """Counts over a file's mentions read by one convention, to judge how well each convention fits."""

    convention: str
    mentions: int = 0
    of_one_word: int = 0
    said: int = 0
    has_text: bool = False
    impossible: set[str] = field(default_factory=set)
    odd: Counter[str] = field(default_factory=Counter)
    matching: Counter[str] = field(default_factory=Counter)

    def add(self, mentions: Sequence[RawMention], spans: Spans, *, has_text: bool) -> None:
        self.mentions += len(mentions)
        self.said += sum(bool(mention.words) for mention in mentions)
        self.has_text |= has_text
        units = None if CONVENTIONS[self.convention].in_words else Units(spans.content)
        for name in alternatives(self.convention):
            for mention in mentions:
                place = to_span(name, mention, units)
                if place is None:
                    self.impossible.add(name)
                    continue
                self.odd[name] += spans.is_odd(*place)
                if mention.words:
                    self.matching[name] += spans.is_equal(*place, mention.words)
                if name == self.convention:
                    self.of_one_word += place[1] - place[0] == 1

    def doubts(self) -> Iterator[tuple[str, str, bool]]:
        """Yield each doubt about the convention: a message, a fix, and whether something is left out."""
        others = [name for name in alternatives(self.convention) if name != self.convention]
        if self.said:
            same = self.matching[self.convention]
            best = max(others, key=lambda name: self.matching[name])
            message = f"{self.said - same} of {self.said} mentions are other words than the file says"
            if self.matching[best] > same:
                yield message, f"{self.matching[best]} of them are the same with offsets={best}", False
                return
            if same:
                if same < self.said:
                    yield message, "read as numbered", False
                return
            yield f"{self.said} mentions have a third value that is not their words", "left out", True
        others = [name for name in others if name not in self.impossible]
        if self.mentions and not self.of_one_word and EXCLUSIVE in others:
            ways = f"offsets={EXCLUSIVE}" + f" or offsets={CHARACTERS}" * self.has_text
            yield f"none of the {self.mentions} mentions is one word", f"if ends are not included, say {ways}", False
            return
        odd = self.odd[self.convention]
        best = min(others, key=lambda name: self.odd[name], default="")
        if best and odd * ODD_SHARE >= self.mentions and odd > 2 * self.odd[best]:
            where = "with a sign" if CONVENTIONS[self.convention].in_words else "inside a word or with a blank"
            message = f"{odd} of {self.mentions} mentions begin or end {where}"
            yield message, f"with offsets={best} {self.odd[best]} would: say which is right", False


def alternatives(convention: str) -> list[str]:
    """Return the conventions that count the same units as this one."""
    return [name for name, other in CONVENTIONS.items() if other.in_words == CONVENTIONS[convention].in_words]


def to_span(convention: str, mention: RawMention, units: Units | None) -> tuple[int, int] | None:
    """Return the span of a mention in words or characters, `[start, end)` from 0; None if it is invalid."""
    span: tuple[int | None, int | None] = CONVENTIONS[convention].span(mention.first, mention.last)
    if convention == UTF_16 and units is not None:
        span = units.point(mention.first), units.point(mention.last)
    start, end = span
    if start is None or end is None or not 0 <= start < end <= mention.length:
        return None
    return start + mention.base, end + mention.base


class Layout(NamedTuple):
    """The keys of a line's words and clusters, and the convention of their offsets."""

    words: str  # a key, or empty
    clusters: str  # a key, or empty
    convention: str
    by_sentence: bool = False  # mentions are [sentence, first, last]
    reason: str = ""  # for the convention, if the dialect is not OntoNotes
    is_certain: bool = False  # the user or the file names the convention


def find_layout(line: Line, offsets: str, clusters: str) -> Layout:
    """Return the layout of a line. offsets, clusters: options of the user, or empty."""
    record = line.record
    words = next((key for key in WORDS if record.get(key) is not None), "")
    key = clusters if clusters in record else "" if clusters else _clusters_key(record, words)
    by_sentence = words == "sentences" and _counts_in_sentences(record, key)
    said = offsets or record.get("offsets")
    if isinstance(said, str) and said in CONVENTIONS:
        if by_sentence and not CONVENTIONS[said].in_words:
            ways = f"offsets={INCLUSIVE} or offsets={EXCLUSIVE}"
            raise line.error(f'"{key}" of [sentence, first, last] count words, not with offsets={said}: say {ways}')
        return Layout(words, key, said, by_sentence, is_certain=True)
    convention, reason = INCLUSIVE, ""
    if by_sentence and key == PRECO:
        convention = EXCLUSIVE
        reason = f'"{PRECO}" of [sentence, start, end] have ends that are not included, as in PreCo'
    elif by_sentence:
        reason = f'"{key}" are read as [sentence, first word, last word]'
    elif words == "cased_words":
        convention, reason = EXCLUSIVE, 'mentions of "cased_words" have ends that are not included, as in wl-coref'
    elif not words:
        convention, reason = CHARACTERS, f'without words "{key}" count the characters of "text"'
    return Layout(words, key, convention, by_sentence, reason if key else "")


def _clusters_key(record: Mapping[str, Json], words: str) -> str:
    """Return the key of the clusters; empty if the line is not coded."""
    if CLUSTERS in record:
        return CLUSTERS
    if words == "sentences" and PRECO in record and _counts_in_sentences(record, PRECO):
        return PRECO
    if words == "cased_words" and WL_COREF in record:
        return WL_COREF
    if not words and "text" in record and _is_of_clusters(record.get(RUCOCO)):
        return RUCOCO
    return BOOKCOREF if named_clusters(record) else ""


def named_clusters(record: Mapping[str, Json]) -> list[tuple[str, Json]]:
    characters = record.get(BOOKCOREF)
    if isinstance(characters, dict):
        return [(name, mentions) for name, mentions in characters.items() if isinstance(mentions, list)]
    named: list[tuple[str, Json]] = []
    for entity in characters if isinstance(characters, list) else ():
        if isinstance(entity, dict) and isinstance(name := entity.get("name"), str):
            mentions = next((entity[key] for key in ("cluster", "mentions") if isinstance(entity.get(key), list)), None)
            if mentions is not None:
                named.append((name, mentions))
    return named


def _is_of_clusters(value: Json) -> bool:
    """Return whether a value is a list of lists of lists, as clusters are."""
    if not isinstance(value, list) or not all(isinstance(cluster, list) for cluster in value):
        return False
    return all(isinstance(mention, list) for cluster in value if isinstance(cluster, list) for mention in cluster)


def _counts_in_sentences(record: Mapping[str, Json], key: str) -> bool:
    """Return whether mentions are [sentence, first, last]; all of them must be, except in PreCo."""
    value, sentences = record.get(key), record.get("sentences")
    if not isinstance(value, list) or not isinstance(sentences, list):
        return False
    mentions = [mention for cluster in value if isinstance(cluster, list) for mention in cluster]
    if key == PRECO:
        return not mentions or any(isinstance(mention, list) and len(mention) == 3 for mention in mentions)
    return bool(mentions) and all(_fits_sentence(mention, sentences) for mention in mentions)


def _fits_sentence(mention: Json, sentences: list[Json]) -> bool:
    match mention:
        case [int(number), int(first), int(last)] if bool not in map(type, mention) and 0 <= number < len(sentences):
            words = sentences[number]
            return isinstance(words, list) and 0 <= first <= last <= len(words)
    return False
