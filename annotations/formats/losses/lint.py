"""Checks of documents of any format. Each finding has file and line, and a fix if there is one."""

from collections import Counter
from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import chain

from annotations.formats.model.document import Document, Mark, text_order
from annotations.formats.model.findings import Finding
from annotations.formats.model.scheme import SchemeSpec
from annotations.formats.model.spans import lie_in
from annotations.formats.syntax.tokens import has_white_space_edge

MAX_SHOWN_LENGTH = 40


def lint(document: Document, scheme: SchemeSpec) -> list[Finding]:
    """Return the findings on the markables of a document by kind, in text order within a kind."""
    checks = (_check_crossing, _check_heads, _check_white_space, _check_chains)
    return [*chain.from_iterable(check(document) for check in checks), *_check_categories(document, scheme)]


def _finding(document: Document, mark: Mark, code: str, message: str, fix: str = "") -> Finding:
    start, end = mark.parts[0][0], mark.parts[-1][1]
    words = document.content[start : min(end, start + MAX_SHOWN_LENGTH)]
    short = words if end - start <= MAX_SHOWN_LENGTH else f"{words}…"
    return Finding(code, f"“{short}” {message}", document.file, mark.line, fix)


def _check_crossing(document: Document) -> Iterator[Finding]:
    # A heap of the ends of earlier markables that have not ended.
    ends: list[int] = []
    for mark in sorted(document.marks, key=text_order):
        start, end = mark.parts[0][0], mark.parts[-1][1]
        while ends and ends[0] <= start:
            heappop(ends)
        # Longer markables come first, so an open markable that ends earlier also began earlier.
        if ends and ends[0] < end:
            yield _finding(document, mark, "crossing", "crosses an earlier markable without lying in it")
        heappush(ends, end)


def _check_heads(document: Document) -> Iterator[Finding]:
    for mark in document.marks:
        if mark.head and not lie_in(mark.head, mark.parts):
            message = "has least words (MIN) that are not its own"
            yield _finding(document, mark, "head-outside", message, "name some of its words, or none")


def _check_white_space(document: Document) -> Iterator[Finding]:
    # There is nearly always none, and one check of all markables takes half the time.
    if not has_white_space_edge(document.content, [part for mark in document.marks for part in mark.parts]):
        return
    for mark in document.marks:
        for start, end in mark.parts:
            if has_white_space_edge(document.content, [(start, end)]):
                words = document.content[start:end]
                left, right = len(words) - len(words.lstrip()), len(words.rstrip())
                fix = f"{start + left}-{start + right}" if right else "leave it out"
                yield _finding(document, mark, "white-space", "begins or ends on white space", fix)
                break


def _check_chains(document: Document) -> Iterator[Finding]:
    mentions = [(index, mark) for mark in document.marks if mark.answer for index in mark.answer.indices]
    counts = Counter(index for index, _ in mentions)
    for index, mark in mentions:
        if counts[index] == 1:
            yield _finding(document, mark, "chain-of-one", f"is alone in the entity {index}")


def _check_categories(document: Document, scheme: SchemeSpec) -> Iterator[Finding]:
    known = {category.key for category in scheme.categories}
    for mark in document.marks:
        if mark.answer and mark.answer.category and mark.answer.category not in known:
            message = f"has the category {mark.answer.category!r}, which is not in the scheme"
            yield _finding(document, mark, "category-unknown", message, f"one of {', '.join(sorted(known))}")
