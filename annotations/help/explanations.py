"""Explanations of numbers, settings and columns, from `docs/explanations.toml`; `{% info KEY %}` shows one."""

import tomllib
from dataclasses import dataclass

from django.conf import settings
from django.urls import reverse


@dataclass(frozen=True, slots=True)
class Explanation:
    """`place` is a manual and the anchor of a section, as in glossary#alpha; `range` is only for numbers."""

    sentence: str
    place: str
    range: str = ""

    @property
    def address(self) -> str:
        return address_of(self.place)


def address_of(place: str) -> str:
    """Return the URL of a section of a manual, such as glossary#alpha."""
    manual, _, anchor = place.partition("#")
    return f"{reverse('help-manual', args=[manual])}#{anchor}"


def explanation(key: str) -> Explanation:
    """Return the explanation of a key; the ends of intervals share theirs. Raise KeyError."""
    for end in ("_low", "_high"):
        if key.endswith(end):
            key = end.removeprefix("_")
    return EXPLANATIONS[key]


_FILE = tomllib.loads((settings.BASE_DIR / "docs" / "explanations.toml").read_text(encoding="utf-8"))
# Pages show the sentence of a setting themselves, and link to a section of a manual.
PLACES_OF_SETTINGS: dict[str, str] = _FILE["settings"]
FILTER_PLACE = "dashboards#settings-and-filter"
EXPLANATIONS = {
    key: Explanation(entry["sentence"], entry["place"], _FILE["ranges"].get(entry.get("range"), entry.get("range", "")))
    for key, entry in _FILE["explanations"].items()
}
