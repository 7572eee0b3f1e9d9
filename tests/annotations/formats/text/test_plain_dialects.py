import pytest

from annotations.formats import Links
from tests.annotations.formats.dialects import Dialect, check_dialect

TEXT = "Anna saw her dog. She waved."
CHAINS = {"1": ["Anna", "her", "She"], "2": ["her dog"]}


def plain(content: str | bytes, text: str = TEXT, **expected) -> Dialect:
    return Dialect(files={"walk.txt": content}, text=text, **expected)


MARKED = {
    "brackets alone": plain(
        "[Anna] saw [[her] dog]. [She] waved.\n", markables=["Anna", "her dog", "her", "She"], links=Links.NONE
    ),
    "indices": plain("[Anna](=1) saw [[her](=1) dog](=2). [She](=1) waved.", chains=CHAINS),
    "indices as papers write them": plain(
        "[Anna]1 saw [[her]1 dog]2. [She]_1 waved.",
        text="Anna1 saw her1 dog2. She_1 waved.",
        markables=["Anna", "her1 dog", "her", "She"],
        findings=("4 brackets have a number behind them, which stays in the text ([Anna](=1) is an index)",),
    ),
    "links of Markdown": plain(
        "[Anna](https://anna.example) saw her dog. [She](https://she.example) waved.",
        markables=["Anna", "She"],
        findings=("2 markables have an address as their name",),
    ),
    "a bracket that says something": plain("Anna saw [sic] her dog.", text="Anna saw sic her dog.", markables=["sic"]),
    "line ends of Windows and a byte order mark": plain(
        b"\xef\xbb\xbf#title: Walk\r\n[Anna](=1) saw her dog.\r\n[She](=1) waved.\r\n",
        text=TEXT.replace(". ", ".\n"),
        chains=[["Anna", "She"]],
    ),
    "turns": plain(
        "#turns: turn\n1 A: [Anna](=1) saw her dog.\n2 B: [She](=1) waved.",
        text=TEXT.replace(". ", ".\n"),
        chains=[["Anna", "She"]],
        markables=["Anna saw her dog.", "Anna", "She waved.", "She"],
    ),
}
WORDS = {
    "as it is": plain(f"{TEXT}\n \n", links=Links.NONE, markables=[]),
    "brackets and headers are words": plain("#title: x\n[Anna](=1)", text="#title: x\n[Anna](=1)", markables=[]),
    "line ends of Windows and a byte order mark": plain(
        b"\xef\xbb\xbfAnna saw.\r\n\r\nShe waved.\r\n", text="Anna saw.\n\nShe waved."
    ),
    "line ends of old Macs": plain("Anna saw.\rShe waved.", text="Anna saw.\nShe waved."),
    "Latin-1": plain("Zoë vit là-bas".encode("latin-1"), refused="it looks like cp1252 (“là-bas”, which cp1250"),
}
CASES = [
    pytest.param(key, dialect, id=f"{key}, {name}")
    for key, dialects in (("plain", MARKED), ("text", WORDS))
    for name, dialect in dialects.items()
]


@pytest.mark.parametrize(("format_key", "dialect"), CASES)
def test_dialect_is_read_or_refused(format_key, dialect):
    check_dialect(format_key, dialect)
