"""The keys of the members of documents: how files and addresses name markables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import batched

from agreement.data.documents import Document, shift_of
from agreement.data.judgements import MAX_TEXTS_IN_QUERY
from annotations.models import Markable


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
