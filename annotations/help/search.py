"""The search in the sections of the manuals: all words of the query must occur; titles weigh most."""

import re
from dataclasses import dataclass

from annotations.help.manuals import NAMES, Manual, Section, manual

MAX_QUERY_LENGTH = 100
MAX_WORDS = 8
MAX_RESULTS = 30
EXCERPT_LENGTH = 240
# Weights of a word in the title of the manual, in the heading and in the text; START_FACTOR multiplies the weight if
# the query word begins a word of the text.
MANUAL_WEIGHT, HEADING_WEIGHT, TEXT_WEIGHT = 2, 10, 1
START_FACTOR = 2


@dataclass(frozen=True, slots=True)
class Match:
    """A section with all words; `excerpt` has pieces, each with a flag for matched words."""

    manual: Manual
    section: Section
    excerpt: list[tuple[str, bool]]


def search(query: str) -> list[Match]:
    """Return the best matches for the query, best first; ties keep the order of the manuals."""
    words = list(dict.fromkeys(re.findall(r"\w+", query[:MAX_QUERY_LENGTH].casefold())))[:MAX_WORDS]
    if not words:
        return []
    scored = [
        (score, Match(manual_, section, _cut_excerpt(section.text, words)))
        for manual_ in map(manual, NAMES)
        for section in manual_.sections
        if (score := _score(manual_, section, words))
    ]
    scored.sort(key=lambda pair: -pair[0])
    return [match for _, match in scored[:MAX_RESULTS]]


def _score(manual_: Manual, section: Section, words: list[str]) -> int:
    """Return the score of the section; 0 if it lacks a word."""
    total = 0
    fields = ((manual_.title, MANUAL_WEIGHT), (section.title, HEADING_WEIGHT), (section.text, TEXT_WEIGHT))
    for word in words:
        score = 0
        for field, weight in fields:
            text = field.casefold()
            if word in text:
                score += weight * (START_FACTOR if re.search(rf"\b{re.escape(word)}", text) else 1)
        if not score or not (word in section.title.casefold() or word in section.text.casefold()):
            return 0
        total += score
    return total


def _cut_excerpt(text: str, words: list[str]) -> list[tuple[str, bool]]:
    """Return the text around the first match, in pieces."""
    pattern = re.compile("|".join(map(re.escape, words)), re.IGNORECASE)
    first = pattern.search(text)
    start = max(first.start() - EXCERPT_LENGTH // 3, 0) if first else 0
    start = text.rfind(" ", 0, start) + 1 if start else 0
    end = len(text) if start + EXCERPT_LENGTH >= len(text) else text.rfind(" ", start, start + EXCERPT_LENGTH)
    end = end if end > start else start + EXCERPT_LENGTH
    excerpt = ("… " if start else "") + text[start:end] + (" …" if end < len(text) else "")
    pieces, position = [], 0
    for match in pattern.finditer(excerpt):
        pieces += [(excerpt[position : match.start()], False), (match[0], True)]
        position = match.end()
    return [piece for piece in [*pieces, (excerpt[position:], False)] if piece[0]]
