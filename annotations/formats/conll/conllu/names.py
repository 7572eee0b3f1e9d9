"""Names in CoNLL-U files, and how what has a meaning in them is written."""

import re

COLUMNS = 10
DEFAULT_FIELDS = "eid-etype-head-other"
META = {"meta::title": "title", "meta::language": "language", "meta::direction": "direction"}
REFERENCE = re.compile(r"&#([0-9]{1,7});|%2C")
MEANT = re.compile(r"[\s\x00-\x20\x7f&%=|,<>()\[\]-]")
SPACE = re.compile(r"\\([stnrp\\])")
SPACES = {" ": r"\s", "\t": r"\t", "\n": r"\n", "\r": r"\r", "|": r"\p", "\\": r"\\"}
SPACED = {escape[1]: character for character, escape in SPACES.items()}


def unescaped(value: str) -> str:
    def character(found: re.Match[str]) -> str:
        if found[1] is None:
            return ","
        code = int(found[1])
        # What is no character of a text stays as it is written.
        return chr(code) if 0 < code < 0xD800 or 0xE000 <= code < 0x110000 else found[0]

    return REFERENCE.sub(character, value) if "&" in value or "%" in value else value


def escaped(value: str) -> str:
    return MEANT.sub(lambda found: "%2C" if found[0] == "," else f"&#{ord(found[0])};", value)


def spaced(value: str) -> str:
    """The white space that SpacesAfter and the like say."""
    return SPACE.sub(lambda found: SPACED[found[1]], value)


def unspaced(spaces: str) -> str:
    """White space as SpacesAfter and the like say it."""
    return "".join(SPACES.get(space, space) for space in spaces)
