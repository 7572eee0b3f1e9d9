"""The addresses that texts get from the names of their files, in any script."""

from __future__ import annotations

import unicodedata

from anyascii import anyascii
from django.utils.text import slugify

from annotations.models.text import TEXT_SLUG_LENGTH


def compose(name: str) -> str:
    """Return the name with composed characters (NFC); some systems take the names of files apart."""
    return unicodedata.normalize("NFC", name)


def slugs_of_name(name: str) -> list[str]:
    """Return the slug of a text of that name, and after it the one that it had before other scripts were transcribed.

    A name without a letter or digit in any script is called by the code points of its characters.
    """
    slugs = [
        slugify(latin, allow_unicode=False)[:TEXT_SLUG_LENGTH].strip("-_") for latin in (anyascii(compose(name)), name)
    ]
    if not slugs[0]:
        slugs[0] = "-".join(["text", *(f"{ord(character):x}" for character in name)])[:TEXT_SLUG_LENGTH].strip("-")
    return [slug for slug in dict.fromkeys(slugs) if slug]
