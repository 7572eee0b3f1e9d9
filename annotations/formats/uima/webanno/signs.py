"""Signs of WebAnno TSV 3, and how what looks like one is written."""

import re

TEXT_ESCAPE = re.compile(r"\\([\\tnfrb\x01-\x07\x0e-\x1f])")
TEXT_SPECIAL = re.compile(r"[\\\t\n\f\r\x08\x01-\x07\x0e-\x1f]")
VALUE_ESCAPE = re.compile(r"\\(->|[\\\[\]|_;tn*])")
VALUE_SPECIAL = re.compile(r"->|[\\\[\]|_;\t\n*]")
LETTERS = {"t": "\t", "n": "\n", "f": "\f", "r": "\r", "b": "\b"}
ESCAPES = {character: letter for letter, character in LETTERS.items()}
# Where no annotation stands, and where one stands that says nothing.
NONE, NO_VALUE = "_", "*"


def fill_gap(gap: int, inner: bool) -> str:
    """Return what is put where a file holds no text: between sentences a line end first."""
    return "\n" + " " * (gap - 1) if inner and gap else " " * gap


def unescape_text(text: str) -> str:
    return TEXT_ESCAPE.sub(lambda match: LETTERS.get(match[1], match[1]), text)


def escape_text(text: str) -> str:
    return TEXT_SPECIAL.sub(lambda match: "\\" + ESCAPES.get(match.group(), match.group()), text)


def unescape_value(value: str) -> str:
    if "\\" not in value:
        return value
    return VALUE_ESCAPE.sub(lambda match: {"t": "\t", "n": "\n"}.get(match[1], match[1]), value)


def escape_value(value: str) -> str:
    """Return a value, its line ends made one: no reader takes a carriage return."""
    value = value.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    return VALUE_SPECIAL.sub(lambda match: "\\" + {"\t": "t", "\n": "n"}.get(match.group(), match.group()), value)
