"""The words of markables: read for what a page shows, not kept with the answers."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import batched

from agreement.data.documents import Document, row_key, shift_of
from agreement.data.judgements import MAX_TEXTS_IN_QUERY
from annotations.core.database import bulk
from annotations.models import Markable, Text
from annotations.texts.keywords import Keyword, covered_text, keyword_in_context

# Characters of a text that are shown on either side of a word.
CONTEXT_WIDTH = 24


@dataclass(frozen=True, slots=True)
class Snippet:
    """A unit for people to read, and what stands around it. `keyword` has the same in three pieces."""

    unit: int
    key: str
    label: str
    words: str
    context: str
    keyword: Keyword


def read_snippets(units: Collection[int]) -> dict[int, Snippet]:
    """Return these units. Two queries, where a database takes so many keys at once."""
    return read_snippets_and_texts(units)[0]


def read_snippets_and_texts(units: Collection[int]) -> tuple[dict[int, Snippet], dict[int, str]]:
    """Return the same, and the content of each text that has one of them."""
    markables = {
        markable.pk: markable
        for some in batched({row_key(unit) for unit in units}, bulk.MAX_KEYS)
        for markable in Markable.objects.filter(pk__in=some).only("key", "label", "parts", "text_id")
    }
    texts = Text.objects.filter(pk__in={markable.text_id for markable in markables.values()})
    contents, snippets = dict(texts.values_list("pk", "content")), dict[int, Snippet]()
    for unit in units:
        if markable := markables.get(row_key(unit)):
            content, parts = contents[markable.text_id], markable.parts
            words, context = covered_text(content, parts), text_in_context(content, parts)
            keyword = keyword_in_context(content, parts)
            snippets[unit] = Snippet(unit, markable.key, markable.label, words, context, keyword)
    return snippets, contents


def read_keys(texts: Sequence[Document]) -> dict[int, str]:
    """Return the key of each markable of some documents, by the keys that members have there. A query for 500 texts."""
    shifts = defaultdict[int, list[int]](list)
    for text in texts:
        shifts[text.text_pk].append(shift_of(text.pk))
    found: dict[int, str] = {}
    for some in batched(shifts, MAX_TEXTS_IN_QUERY):
        rows = Markable.objects.filter(text__in=some).order_by()
        for text_pk, pk, key in rows.values_list("text_id", "pk", "key").iterator(10_000):
            found |= {pk + shift: key for shift in shifts[text_pk]}
    return found


def text_in_context(content: str, parts: Sequence[Sequence[int]]) -> str:
    """Return the words of a markable and a few around it, cut at white space."""
    start, end = parts[0][0], parts[-1][1]
    first, last = max(start - CONTEXT_WIDTH, 0), min(end + CONTEXT_WIDTH, len(content))
    before = content[first:start].partition(" ")[2] if first else content[:start]
    after = content[end:last].rpartition(" ")[0] if last < len(content) else content[end:]
    before = before.rpartition("\n")[2]  # not the summary or turn before
    after = after.partition("\n")[0]
    return " ".join(f"{before}{content[start:end]}{after}".split())
