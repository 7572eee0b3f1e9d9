"""Addresses of pages that several tables lead to."""

from __future__ import annotations

from urllib.parse import urlencode

from django.urls import reverse

from agreement.data.documents import Document


def item_address(project: str, text: Document, key: str, query: str) -> str:
    """Return the address of an item, with the round where the text has several documents."""
    of_round = urlencode({"round": text.round}) if text.is_one_of_several else ""
    return f"{reverse('item', args=[project, text.slug, key])}?{'&'.join(filter(None, (query, of_round)))}"


def selection_of(text: Document) -> dict[str, str]:
    """Return the parameters that choose the document: the text, with the round where it has several documents."""
    return {"texts": text.slug} | ({"rounds": text.round} if text.is_one_of_several else {})
