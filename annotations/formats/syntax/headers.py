"""Find and make the headers of summaries in the text of a pyramid."""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate, count

from annotations.formats.model.pyramid import Pyramid, Summary
from annotations.formats.syntax.expressions import MAX_MATCH_LENGTH, ExpressionError, find_matches

BOX = re.compile(r"-{3,}\s*")
DASHES = re.compile(r"-{3,}")
# Rules of three dashes may separate summaries or surround names; longer rules surround names.
SHORT_RULE = 3
MAX_NAME_LENGTH = 80
SENTENCE_ENDS = (".", "!", "?", "。")
# The maximum number of dashes that begin our headers; if a text has more in a row, headers have a number instead.
MAX_DASHES = 50
NUMBERED = re.compile(r"---(\d+)", re.ASCII)
NUMBERED_HEADER = re.compile(r"---\d+--- (?=\S)", re.ASCII)


def join_summaries(contents: Iterable[tuple[str, str]]) -> Pyramid:
    """Return a pyramid without SCUs for summaries given as (name, content), with headers that occur nowhere else.

    White space around a content stays in the text but is not part of its summary. The expression of the pyramid finds
    only its headers; a text that is too long to be searched keeps the expression for DUCView.
    """
    names_and_texts = [(" ".join(name.split()) or f"summary {i}", text) for i, (name, text) in enumerate(contents, 1)]
    mark = _mark([part for pair in names_and_texts for part in pair])
    headers = [f"{mark} {name}" for name, _ in names_and_texts]
    text = "\n".join(f"{header}\n{content}" for header, (_, content) in zip(headers, names_and_texts, strict=True))
    summaries, place = [], 0
    for header, name, (_, content) in zip(headers, _names(headers), names_and_texts, strict=True):
        place += len(header)
        summaries.append(_summary(name, text, place, place + 1 + len(content)))
        place += len(content) + 2
    is_found = all(len(header) <= MAX_MATCH_LENGTH for header in headers)
    return Pyramid(text, f"^{mark} .+$" if is_found else "", tuple(summaries))


def _mark(texts: Sequence[str]) -> str:
    """Return a beginning of headers that no text contains: more dashes than any text has, or else a number."""
    longest = max((len(dashes) for text in texts for dashes in DASHES.findall(text)), default=2)
    if longest < MAX_DASHES:
        return "-" * (longest + 1)
    numbers = {number for text in texts for number in NUMBERED.findall(text)}
    return next(f"---{number}---" for number in count(1) if str(number) not in numbers)


def find_summaries(text: str, boundary: str, contributed: Collection[int] = ()) -> tuple[tuple[Summary, ...], str]:
    """Return the summaries of a text, by an expression for headers, and the fault of the expression; empty for none.

    If the expression is missing, refused or finds nothing, lines that begin with three dashes are headers. If there
    are no such lines, the text is one summary. contributed: the offsets at which parts of contributors begin, which are
    never in a header.
    """
    try:
        headers = find_matches(boundary, text) if boundary else []
        wrong = "" if headers else "finds nothing" if boundary else "is missing"
    except ExpressionError as error:
        headers, wrong = [], f"is not run: {error}"
    headers = headers or list(_dashed_lines(text, sorted(contributed)))
    if not headers:
        return (_summary("summary 1", text, 0, len(text)),), f"{wrong}; the text is read as one summary"
    ends = [start for start, _ in headers[1:]] + [len(text)]
    names = _names(text[start:end] for start, end in headers)
    summaries = [_summary(name, text, start, end) for name, (_, start), end in zip(names, headers, ends, strict=True)]
    return tuple(summaries), wrong and f"{wrong}; lines that begin with --- are read as headers"


def _dashed_lines(text: str, contributed: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the spans of lines that begin with three dashes, and of boxes. contributed: as for `find_summaries`."""
    lines = text.split("\n")
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    boxes = _find_boxes(lines)
    if any(bisect_left(contributed, starts[box + 1]) < bisect_left(contributed, starts[box + 2]) for box in boxes):
        boxes = set()  # these rules separate summaries
    number = 0
    while number < len(lines):
        height = 3 if number in boxes else 1
        if lines[number].startswith("---"):
            yield starts[number], starts[number + height] - 1
        number += height


def _find_boxes(lines: Sequence[str]) -> set[int]:
    """Return the first lines of boxes: a line of dashes, a name and a line of dashes, which may be one header."""
    has_short_boxes = _has_short_boxes(lines)
    boxes = set()
    number = 0
    while number < len(lines) - 2:
        is_rule = BOX.fullmatch(lines[number]) and (has_short_boxes or len(lines[number].rstrip()) > SHORT_RULE)
        if is_rule and BOX.fullmatch(lines[number + 2]):
            boxes.add(number)
            number += 2
        number += 1
    return boxes


def _has_short_boxes(lines: Sequence[str]) -> bool:
    """Return whether every other block between rules is a name: a short line, shorter than the next block."""
    stretches: list[list[str]] = []
    for line in lines:
        if BOX.fullmatch(line):
            stretches.append([])
        elif stretches and line.strip():
            stretches[-1].append(line.strip())
    names, contents = stretches[::2], stretches[1::2]
    return len(names) == len(contents) and all(
        len(name) == 1
        and len(name[0]) <= MAX_NAME_LENGTH
        and len(name[0]) < sum(map(len, content))
        and not name[0].endswith(SENTENCE_ENDS)
        for name, content in zip(names, contents, strict=True)
    )


def _summary(name: str, text: str, start: int, end: int) -> Summary:
    """Return the summary between two headers, without the white space around it."""
    content = text[start:end]
    stripped = content.strip()
    start += len(content) - len(content.lstrip()) if stripped else 0
    return Summary(name, start, start + len(stripped))


def _names(headers: Iterable[str]) -> Iterator[str]:
    """Yield the names in the headers, without dashes and made unique."""
    seen = set[str]()
    for number, header in enumerate(headers, start=1):
        lines = [line.strip() for line in header.split("\n") if not BOX.fullmatch(line.strip())]
        name = " ".join(" ".join(lines).split())
        if name.startswith("---"):
            numbered = NUMBERED_HEADER.match(name)
            name = name[numbered.end() :] if numbered else BOX.sub("", name, count=1)
        name = name or f"summary {number}"
        while name in seen:
            name += f" ({number})"
        seen.add(name)
        yield name
