"""Names in CoNLL-U files, and how what has a meaning in them is written."""

import re

COLUMNS = 10
DEFAULT_FIELDS = "eid-etype-head-other"
TYPES_ALONE = "etype"
# What `other` says besides answers to attributes.
OTHER = ("minspan", "label", "chain", "note", "optional", "unsure")
# The relation of a bridging link without a subtype.
BRIDGING = "bridging"
META = {"meta::title": "title", "meta::language": "language", "meta::direction": "direction"}
REFERENCE = re.compile(r"&#([0-9]{1,7});|%2C")
SPECIAL = re.compile(r"[\s\x00-\x20\x7f&%=|,<>()\[\]-]")
SPACE_ESCAPE = re.compile(r"\\([stnrp\\])")
SPACE_ESCAPES = {" ": r"\s", "\t": r"\t", "\n": r"\n", "\r": r"\r", "|": r"\p", "\\": r"\\"}
SPACE_CHARACTERS = {escape[1]: character for character, escape in SPACE_ESCAPES.items()}


def unescape(value: str) -> str:
    def character(match: re.Match[str]) -> str:
        if match[1] is None:
            return ","
        code = int(match[1])
        # What is no character of a text stays as it is written.
        return chr(code) if 0 < code < 0xD800 or 0xE000 <= code < 0x110000 else match[0]

    return REFERENCE.sub(character, value) if "&" in value or "%" in value else value


def escape(value: str) -> str:
    return SPECIAL.sub(lambda match: "%2C" if match[0] == "," else f"&#{ord(match[0])};", value)


def unescape_space(value: str) -> str:
    """Return the white space that SpacesAfter and the like say."""
    return SPACE_ESCAPE.sub(lambda match: SPACE_CHARACTERS[match[1]], value)


def escape_space(spaces: str) -> str:
    """Return white space as SpacesAfter and the like say it."""
    return "".join(SPACE_ESCAPES.get(space, space) for space in spaces)
