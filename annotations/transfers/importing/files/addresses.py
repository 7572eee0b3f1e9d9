"""The slugs of texts from file names in any script, and the folders of coders in exports."""

import re
import unicodedata
from urllib.parse import unquote

from anyascii import anyascii
from django.utils.text import slugify

from annotations.models.text import TEXT_SLUG_LENGTH

# Windows refuses these folder names and a final dot; hidden folders are not read. Usernames have no `%`.
RESERVED = re.compile(r"(?:con|prn|aux|nul|(?:com|lpt)[0-9¹²³])(?:\.|\Z)", re.IGNORECASE)
FIRST_OR_LAST_DOT = re.compile(r"\A\.|\.\Z")


def compose(name: str) -> str:
    """Return the name with composed characters (NFC), as some systems decompose file names."""
    return unicodedata.normalize("NFC", name)


def slugs_of_name(name: str) -> list[str]:
    """Return the slug for the name of a text, then the slugs of earlier versions, without dots and other scripts."""
    latin = anyascii(compose(name))
    slugs = [
        slugify(spelling, allow_unicode=False)[:TEXT_SLUG_LENGTH].strip("-_")
        for spelling in (latin.replace(".", "-"), latin, name)
    ]
    if not slugs[0]:
        slugs[0] = "-".join(["text", *(f"{ord(character):x}" for character in name)])[:TEXT_SLUG_LENGTH].strip("-")
    return [slug for slug in dict.fromkeys(slugs) if slug]


def folder_of(coder: str) -> str:
    """Return a coder's folder name that is valid on every system; `%` and a number replace invalid characters.

    Invalid characters are a dot at either end, and the first letter of a reserved name.
    """
    name = FIRST_OR_LAST_DOT.sub("%2E", coder)
    return f"%{ord(name[0]):02X}{name[1:]}" if RESERVED.match(name) else name


def coder_of(folder: str) -> str:
    """Return the coder of a folder."""
    coder = unquote(folder)
    return coder if coder and folder_of(coder) == folder else folder
