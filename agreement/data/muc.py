"""What MUC-6 matches by: the least words of markables, and which are optional. Rows of the database -> plain data."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from agreement.measures import KeyMarkable
from annotations.models import Judgement, Project, Text

type ReadMarkedTexts = Callable[[Sequence[int], str, str], Mapping[int, MarkedText]]


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text with what one coder, the key, and another, the response, marked in it: by the markables' primary keys."""

    content: str
    key: dict[Hashable, KeyMarkable] = field(default_factory=dict)
    response: dict[Hashable, tuple[int, int]] = field(default_factory=dict)


def marked_texts_reader(project: Project) -> ReadMarkedTexts | None:
    """Return the function that reads the marked texts of two coders; None where nothing can be called optional."""
    return read_marked_texts if project.categories.filter(takes_optional=True).exists() else None


def read_marked_texts(texts: Sequence[int], key: str, response: str) -> dict[int, MarkedText]:
    """Return the texts by primary key. Two queries."""
    contents = Text.objects.filter(pk__in=texts).values_list("pk", "content")
    marked = {pk: MarkedText(content) for pk, content in contents}
    judgements = Judgement.objects.filter(coding__text__in=texts, coding__coder__username__in=(key, response))
    for coder, text, markable, start, end, head, own_head, optional in judgements.order_by().values_list(
        "coding__coder__username",
        "coding__text_id",
        "markable_id",
        "markable__start",
        "markable__end",
        "markable__head",
        "head",
        "optional",
    ):
        of_text = marked[text]
        if coder == response:
            of_text.response[markable] = start, end
        else:
            least = own_head or head
            minimum = of_text.content[least[0][0] : least[-1][1]] if least else None
            of_text.key[markable] = KeyMarkable(start, end, minimum, optional)
    return marked
