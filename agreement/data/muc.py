"""What MUC-6 matches by: the least words of markables, and which are optional. Rows of the database -> plain data."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from agreement.measures import KeyMarkable
from annotations.models import Judgement, Markable, Project, Text

type Members = Collection[Hashable]
type ReadMarkedTexts = Callable[[Sequence[int], str, str, Members, Members], Mapping[int, MarkedText]]


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text with what one coder, the key, and another, the response, marked in it: by the markables' primary keys."""

    content: str
    key: dict[Hashable, KeyMarkable] = field(default_factory=dict)
    response: dict[Hashable, tuple[int, int]] = field(default_factory=dict)


def marked_texts_reader(project: Project) -> ReadMarkedTexts | None:
    """Return the function that reads the marked texts of two coders; None where nothing can be called optional."""
    return read_marked_texts if project.categories.filter(takes_optional=True).exists() else None


def read_marked_texts(
    texts: Sequence[int], key: str, response: str, of_key: Members, of_response: Members
) -> dict[int, MarkedText]:
    """Return the texts by primary key. Three queries.

    A markable is of a side if its coder judged it, or if it is among `of_key` or `of_response`, the members of the
    side's clusters: also what a coder only points to is in a cluster.
    """
    contents = Text.objects.filter(pk__in=texts).values_list("pk", "content")
    marked = {pk: MarkedText(content) for pk, content in contents}
    judgements = Judgement.objects.filter(
        coding__text__in=texts, coding__coder__username__in=(key, response)
    ).order_by()
    judged = {
        (coder, markable): (head, optional)
        for coder, markable, head, optional in judgements.values_list(
            "coding__coder__username", "markable_id", "head", "optional"
        )
    }
    markables = Markable.objects.filter(text__in=texts).order_by()
    for pk, text, start, end, head in markables.values_list("pk", "text_id", "start", "end", "head"):
        of_text = marked[text]
        own_head, optional = judged.get((key, pk), ([], False))
        if (key, pk) in judged or pk in of_key:
            minimum = _least_words(of_text.content, start, end, own_head or head)
            of_text.key[pk] = KeyMarkable(start, end, minimum, optional)
        if (response, pk) in judged or pk in of_response:
            of_text.response[pk] = start, end
    return marked


def _least_words(content: str, start: int, end: int, head: Sequence[Sequence[int]]) -> str | None:
    """Return the words from the first to the last part of a head; None where these are no words of the markable."""
    if not head:
        return None
    first, last = min(part[0] for part in head), max(part[1] for part in head)
    words = content[first:last]
    # a bar would be an alternative
    return words if start <= first < last <= end and words.strip() and "|" not in words else None
