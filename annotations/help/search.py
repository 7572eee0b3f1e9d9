"""A search in the sections of the manuals: all words of the query have to occur; titles count most."""

import re
from dataclasses import dataclass

from annotations.help.manuals import NAMES, Manual, Section, manual

MAX_QUERY_LENGTH = 100
MAX_WORDS = 8
MAX_RESULTS = 30
EXCERPT_LENGTH = 240
# What a word counts in the title of the manual, in the heading and in the text, and one that begins a word beside one
# within it.
MANUAL_WEIGHT, HEADING_WEIGHT, TEXT_WEIGHT = 2, 10, 1
START_FACTOR = 2


@dataclass(frozen=True, slots=True)
class Match:
    """A section that has all words; `excerpt` is in pieces, each with whether it is one of the words."""

    manual: Manual
    section: Section
    excerpt: list[tuple[str, bool]]


def search(query: str) -> list[Match]:
    """Return the best sections for the query, best first; equally good ones stay in the order of the manuals."""
    words = list(dict.fromkeys(re.findall(r"\w+", query[:MAX_QUERY_LENGTH].casefold())))[:MAX_WORDS]
    if not words:
        return []
    found = [
        (score, Match(one, section, _cut_excerpt(section.text, words)))
        for one in map(manual, NAMES)
        for section in one.sections
        if (score := _score(one, section, words))
    ]
    found.sort(key=lambda pair: -pair[0])
    return [match for _, match in found[:MAX_RESULTS]]


def _score(one: Manual, section: Section, words: list[str]) -> int:
    """Return how well the section fits; 0 where it lacks a word."""
    total = 0
    places = ((one.title, MANUAL_WEIGHT), (section.title, HEADING_WEIGHT), (section.text, TEXT_WEIGHT))
    for word in words:
        score = 0
        for place, weight in places:
            text = place.casefold()
            if word in text:
                score += weight * (START_FACTOR if re.search(rf"\b{re.escape(word)}", text) else 1)
        if not score or not (word in section.title.casefold() or word in section.text.casefold()):
            return 0
        total += score
    return total


def _cut_excerpt(text: str, words: list[str]) -> list[tuple[str, bool]]:
    """Return the surroundings of the first word that occurs, in pieces."""
    pattern = re.compile("|".join(map(re.escape, words)), re.IGNORECASE)
    first = pattern.search(text)
    start = max(first.start() - EXCERPT_LENGTH // 3, 0) if first else 0
    start = text.rfind(" ", 0, start) + 1 if start else 0
    end = len(text) if start + EXCERPT_LENGTH >= len(text) else text.rfind(" ", start, start + EXCERPT_LENGTH)
    end = end if end > start else start + EXCERPT_LENGTH
    excerpt = ("… " if start else "") + text[start:end] + (" …" if end < len(text) else "")
    pieces, place = [], 0
    for match in pattern.finditer(excerpt):
        pieces += [(excerpt[place : match.start()], False), (match[0], True)]
        place = match.end()
    return [piece for piece in [*pieces, (excerpt[place:], False)] if piece[0]]
