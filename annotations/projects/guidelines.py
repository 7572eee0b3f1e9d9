"""The versions of a project's guidelines, their readers, and the difference between two versions."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby, pairwise, takewhile
from operator import itemgetter
from typing import Literal

from django.db import transaction
from django.db.models import OuterRef, Subquery
from django.utils import timezone
from django.utils.html import escape

from annotations.core.differences import Run, TooManyDifferences, compare_lists
from annotations.core.text import common_length, one_line
from annotations.help.manuals import make_markdown, plain_text
from annotations.models import GuidelinesReading, GuidelinesVersion, Project, User
from annotations.projects.locks import lock_project

# Larger differences are shown as one: lines of texts, and words of a run of lines.
MAX_LINES = 1000
MAX_WORDS = 500
MAX_WORDS_IN_ALL = 10_000
MAX_HEADINGS, MAX_HEADING = 200, 200
CONTEXT_LINES = 3
# The maximum size of a difference on a page in characters, and the approximate markup of a line and a piece.
MAX_SHOWN = 400_000
LINE_MARKUP, PIECE_MARKUP = 250, 11

WORDS = re.compile(r"\n|[^\S\n]+|\w+|[^\w\s]")


@transaction.atomic
def record_guidelines(project: Project, author: User | None) -> GuidelinesVersion | None:
    """Record a version of the guidelines, read by its author; None if only line ends or outer white space changed."""
    lock_project(project.pk)
    latest = GuidelinesVersion.objects.filter(project=project).first()
    if _plain(project.guidelines) == _plain(latest.body if latest else ""):
        return None
    version = GuidelinesVersion.objects.create(
        project=project,
        number=latest.number + 1 if latest else 1,
        author=author,
        body=project.guidelines,
        created_at=timezone.now(),
    )
    if author is not None:
        record_reading(project, author, version.number)
    return version


def guidelines_headings(guidelines: str) -> list[str]:
    """Return the distinct headings of guidelines in their order, to choose a section from."""
    tokens = make_markdown().parse(guidelines)
    titles = (one_line(plain_text(text)) for opening, text in pairwise(tokens) if opening.type == "heading_open")
    return list(dict.fromkeys(title[:MAX_HEADING] for title in titles if title))[:MAX_HEADINGS]


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").strip()


@dataclass(frozen=True, slots=True)
class GuidelinesNews:
    """Guidelines that a member has not read: the latest version, and the last version read; None: none."""

    number: int
    read: int | None


def guidelines_news(project: Project, user: User) -> GuidelinesNews | None:
    """Return the unread version; None if all is read, there is none, or the project is archived. One query."""
    if project.archived_at is not None:
        return None
    read = GuidelinesReading.objects.filter(project=OuterRef("project"), user=user.pk).values("number")
    latest = GuidelinesVersion.objects.filter(project=project).values_list("number", Subquery(read)).first()
    return None if latest is None or (latest[1] or 0) >= latest[0] else GuidelinesNews(*latest)


def record_reading(project: Project, user: User, number: int) -> None:
    """Record that the user has read this version, at most the latest, unless a later one is recorded already."""
    latest = GuidelinesVersion.objects.filter(project=project).values_list("number", flat=True).first()
    if latest is None:
        return
    reading, created = GuidelinesReading.objects.get_or_create(
        project=project, user=user, defaults={"number": min(number, latest)}
    )
    if not created:
        later = GuidelinesReading.objects.filter(pk=reading.pk, number__lt=min(number, latest))
        later.update(number=min(number, latest))


type Edit = Literal["same", "removed", "added"]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a difference: whether it is in one text or both, and its words, marked if in one only."""

    edit: Edit
    pieces: Sequence[tuple[bool, str]] = ()
    skipped: int = 0  # number of omitted unchanged lines; such a line has no words


def difference(before: str, after: str) -> list[Line]:
    """Return the lines of two texts: removed, added, and the unchanged ones around them."""
    old, new = (_plain(text).split("\n") if _plain(text) else [] for text in (before, after))
    first = common_length(old, new)
    last = common_length(old[first:][::-1], new[first:][::-1])
    lines = _same(old[:first])
    n_left = MAX_WORDS_IN_ALL
    for run in _compare(old[first : len(old) - last], new[first : len(new) - last], MAX_LINES):
        if run.equal:
            lines += _same(run.old)
            continue
        words: Sequence[Run[str]] = ()
        if run.old and run.new:
            limit = min(MAX_WORDS, n_left)
            words = _compare(WORDS.findall("\n".join(run.old)), WORDS.findall("\n".join(run.new)), limit)
            n_left -= min(limit, sum(len(part.old) + len(part.new) for part in words if not part.equal))
        if len(words) > 1:
            # The removed lines, then the added ones, each with its own words marked.
            lines += _lines("removed", [(not part.equal, word) for part in words for word in part.old])
            lines += _lines("added", [(not part.equal, word) for part in words for word in part.new])
        else:
            lines += _whole("removed", run.old) + _whole("added", run.new)
    return list(_with_context(lines + _same(old[len(old) - last :])))


@dataclass(frozen=True, slots=True)
class ShownDifference:
    """The first lines of a difference, and the numbers of removed and added lines that are omitted after them."""

    lines: Sequence[Line]
    removed: int = 0
    added: int = 0
    cut: bool = False  # whether the last line is cut

    @property
    def is_whole(self) -> bool:
        """Whether all changes are shown."""
        return not (self.cut or self.removed or self.added)


def bound_difference(lines: Sequence[Line]) -> ShownDifference:
    """Return the lines that fit on a page; the last one may be cut."""
    room = MAX_SHOWN
    for number, line in enumerate(lines):
        room -= LINE_MARKUP
        pieces = []
        for marked, words in line.pieces:
            fitting = _fitting(words, room - PIECE_MARKUP)
            room -= PIECE_MARKUP + len(escape(fitting))
            pieces.append((marked, fitting))
            if len(fitting) < len(words):
                room = 0
                break
        if room <= 0:
            edits = Counter(line.edit for line in lines[number + 1 :])
            cut = Line(line.edit, pieces, line.skipped)
            return ShownDifference(
                [*lines[:number], cut], edits["removed"], edits["added"], pieces != list(line.pieces)
            )
    return ShownDifference(lines)


def _fitting(words: str, length: int) -> str:
    """Return the beginning of the words that fits into this number of characters of a page."""
    if len(escape(words)) <= length:
        return words
    lengths = accumulate(len(escape(character)) for character in words)
    return words[: sum(1 for _ in takewhile(lambda total: total <= length, lengths))]


def _compare(old: Sequence[str], new: Sequence[str], most: int) -> list[Run[str]]:
    """Return the runs of both lists; a single differing run if more than `most` entries differ."""
    try:
        return compare_lists(old, new, most)
    except TooManyDifferences:
        return [Run(False, old, new)]


def _same(lines: Sequence[str]) -> list[Line]:
    return [Line("same", [(False, line)]) for line in lines]


def _whole(edit: Edit, lines: Sequence[str]) -> list[Line]:
    return [Line(edit, [(True, line)] if line else []) for line in lines]


def _lines(edit: Edit, words: Sequence[tuple[bool, str]]) -> list[Line]:
    """Return the words as lines, with adjacent words of one kind joined."""
    lines: list[list[tuple[bool, str]]] = [[]]
    for marked, word in words:
        if word == "\n":
            lines.append([])
        else:
            lines[-1].append((marked, word))
    return [
        Line(edit, [(marked, "".join(word for _, word in run)) for marked, run in groupby(line, key=itemgetter(0))])
        for line in lines
    ]


def _with_context(lines: Sequence[Line]) -> Iterator[Line]:
    """Yield the lines; of long unchanged runs only the lines next to a change."""
    start = 0
    for same, group in groupby(lines, key=lambda line: line.edit == "same"):
        stretch = list(group)
        end = start + len(stretch)
        before = 0 if start == 0 else CONTEXT_LINES
        after = 0 if end == len(lines) else CONTEXT_LINES
        if same and len(stretch) > before + after + 1:
            yield from stretch[:before]
            yield Line("same", skipped=len(stretch) - before - after)
            yield from stretch[len(stretch) - after :]
        else:
            yield from stretch
        start = end
