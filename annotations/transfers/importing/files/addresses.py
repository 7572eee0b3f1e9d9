"""The addresses that texts get from the names of their files, in any script; the folders of coders in exports."""

import re
import unicodedata
from urllib.parse import unquote

from anyascii import anyascii
from django.utils.text import slugify

from annotations.models.text import TEXT_SLUG_LENGTH

# Windows takes no folder of these names, nor one that ends in a dot; hidden files are not read. Usernames have no `%`.
RESERVED = re.compile(r"(?:con|prn|aux|nul|(?:com|lpt)[0-9¹²³])(?:\.|\Z)", re.IGNORECASE)
FIRST_OR_LAST_DOT = re.compile(r"\A\.|\.\Z")


def compose(name: str) -> str:
    """Return the name with composed characters (NFC); some systems take the names of files apart."""
    return unicodedata.normalize("NFC", name)


def slugs_of_name(name: str) -> list[str]:
    """Return the slug of a text of that name, then those of earlier versions, which left out dots and other scripts."""
    latin = anyascii(compose(name))
    slugs = [
        slugify(spelling, allow_unicode=False)[:TEXT_SLUG_LENGTH].strip("-_")
        for spelling in (latin.replace(".", "-"), latin, name)
    ]
    if not slugs[0]:
        slugs[0] = "-".join(["text", *(f"{ord(character):x}" for character in name)])[:TEXT_SLUG_LENGTH].strip("-")
    return [slug for slug in dict.fromkeys(slugs) if slug]


def folder_of(coder: str) -> str:
    """Return the folder of a coder, which every system can have: `%` and a number stand for a character that it cannot.

    These are a dot at either end, and the first letter of a reserved name.
    """
    name = FIRST_OR_LAST_DOT.sub("%2E", coder)
    return f"%{ord(name[0]):02X}{name[1:]}" if RESERVED.match(name) else name


def coder_of(folder: str) -> str:
    """Return the coder whose folder it is."""
    coder = unquote(folder)
    return coder if coder and folder_of(coder) == folder else folder
