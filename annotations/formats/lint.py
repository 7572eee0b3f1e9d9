"""What is odd in a document, whatever its format: each with file and line, and a fix where there is one."""

from collections import defaultdict
from collections.abc import Iterator

from annotations.formats.document import Document, Finding, Mark, in_text_order
from annotations.formats.scheme import SchemeSpec


def lint(document: Document, scheme: SchemeSpec) -> list[Finding]:
    """Markables that cross, heads outside their markable, edges on white space, entities of one markable,
    categories outside the scheme; in the order of the text, kind by kind."""
    found = []
    for check in (_crossing, _heads, _white_space, _alone):
        found += list(check(document))
    found += _categories(document, scheme)
    return found


def _finding(document: Document, mark: Mark, code: str, message: str, fix: str = "") -> Finding:
    words = document.content[mark.parts[0][0] : mark.parts[-1][1]]
    short = words if len(words) <= 40 else f"{words[:40]}…"
    return Finding(code, f"“{short}” {message}", document.file, mark.line, fix)


def _crossing(document: Document) -> Iterator[Finding]:
    around: list[Mark] = []
    for mark in sorted(document.marks, key=in_text_order):
        start, end = mark.parts[0][0], mark.parts[-1][1]
        around = [other for other in around if other.parts[-1][1] > start]
        if any(other.parts[0][0] < start and other.parts[-1][1] < end for other in around):
            yield _finding(document, mark, "crossing", "crosses an earlier markable without lying in it")
        around.append(mark)


def _heads(document: Document) -> Iterator[Finding]:
    for mark in document.marks:
        inside = all(any(start <= one and other <= end for start, end in mark.parts) for one, other in mark.head)
        if not inside:
            yield _finding(document, mark, "head-outside", "has least words (MIN) that are not its own")


def _white_space(document: Document) -> Iterator[Finding]:
    for mark in document.marks:
        for start, end in mark.parts:
            words = document.content[start:end]
            if words != words.strip():
                left, right = len(words) - len(words.lstrip()), len(words.rstrip())
                fix = f"{start + left}-{start + right}" if right else "leave it out"
                yield _finding(document, mark, "white-space", "begins or ends on white space", fix)
                break


def _alone(document: Document) -> Iterator[Finding]:
    members: dict[str, list[Mark]] = defaultdict(list)
    for mark in document.marks:
        for index in mark.answer.indices if mark.answer else ():
            members[index].append(mark)
    for index, marks in members.items():
        if len(marks) == 1:
            yield _finding(document, marks[0], "chain-of-one", f"is alone in the entity {index}")


def _categories(document: Document, scheme: SchemeSpec) -> Iterator[Finding]:
    known = {category.key for category in scheme.categories}
    for mark in document.marks:
        if mark.answer and mark.answer.category and mark.answer.category not in known:
            message = f"has the category {mark.answer.category!r}, which is not in the scheme"
            yield _finding(document, mark, "category-unknown", message, f"one of {', '.join(sorted(known))}")
