"""Words and sentences of running text, for formats that are written word by word and go to parsers and trainers."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from annotations.formats.model.spans import Span, lie_in, merge_spans

ATTACHED = re.compile(r"\w[,;!?](?=\s|$)")
# The full stop after an abbreviation such as U.S. may be of its word.
FULL_STOP = re.compile(r"[^\W\d_]{2}\.\s*$", re.MULTILINE)
PUNCTUATION = "!-/:-@\\[-`{-~\u00ab\u00bb\u2010-\u2027\u2030-\u205e\u3001-\u301f\uff01-\uff0f"
ALONE = re.compile(rf"(?<!\S)[{PUNCTUATION}]+(?!\S)")
# These follow their word at once in running text of every language; French has a space before others.
COMMA_OR_STOP_ALONE = re.compile(r"(?<!\S)[,.](?!\S)")
JOINER = "\u200d"


class Cuts(NamedTuple):
    """Where the words of a text are cut, and where its sentences begin, in order."""

    cuts: tuple[int, ...]
    breaks: tuple[int, ...]


def find_cuts(content: str, marked: Iterable[Span], *, has_sentences: bool) -> Cuts:
    """Return the cuts of a text.

    marked: the parts of all markables and least words of all coders: words are cut at their edges, and no sentence
    begins within one. A text that came in words keeps them; has_sentences: it has sentences of its own too.
    """
    marked = list(marked)
    cuts = {edge for span in marked for edge in span}
    if is_in_words(content, has_sentences=has_sentences):
        return Cuts(tuple(sorted(cuts)), ())
    breaks = set[int]()
    for sentence in _sentences(content):
        breaks.add(sentence[0][0])
        cuts.update(edge for span in sentence for edge in span if not _is_within_character(content, edge))
    merged = merge_spans(marked, gap=-1)
    outside = (place for place in breaks if not lie_in([(place - 1, place + 1)], merged))
    return Cuts(tuple(sorted(cuts)), () if has_sentences else tuple(sorted(outside)))


def is_in_words(content: str, *, has_sentences: bool) -> bool:
    """Return whether white space parts words from punctuation already; a few may end in a mark, as `Yahoo!` does."""
    if not has_sentences and ALONE.search(content) is None:
        return False
    attached = len(ATTACHED.findall(content)) + len(FULL_STOP.findall(content))
    return attached <= len(COMMA_OR_STOP_ALONE.findall(content))


def _sentences(content: str) -> Iterator[list[Span]]:
    """Yield the words of each sentence; none goes beyond its line."""
    from syntok.segmenter import analyze  # loaded where words are looked for

    start = 0
    for line in content.split("\n"):
        for paragraph in analyze(line):
            for sentence in paragraph:
                words = [(start + token.offset, start + token.offset + len(token.value)) for token in sentence]
                if words:
                    yield words
        start += len(line) + 1


def _is_within_character(content: str, place: int) -> bool:
    """Return whether a mark on a character follows, or two are joined to one, as in emoji."""
    around = content[max(0, place - 1) : place + 1]
    return JOINER in around or unicodedata.category(content[place : place + 1] or " ").startswith("M")
