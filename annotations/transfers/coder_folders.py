"""The folders of coders in exports, and the coders whose they are."""

from __future__ import annotations

import re
from urllib.parse import unquote

# Windows takes no folder of these names, nor one that ends in a dot; hidden files are not read. Usernames have no `%`.
RESERVED = re.compile(r"(?:con|prn|aux|nul|(?:com|lpt)[0-9¹²³])(?:\.|\Z)", re.IGNORECASE)
FIRST_OR_LAST_DOT = re.compile(r"\A\.|\.\Z")


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
