"""What units and their values are called: markables and chains, or the words and content units of pyramids."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Nouns:
    """A unit, and the set that is its value."""

    unit: str
    chain: str

    @property
    def units(self) -> str:
        return f"{self.unit}s"

    @property
    def chains(self) -> str:
        return f"{self.chain}s"


NOUNS = {"": Nouns("markable", "chain"), "words": Nouns("word", "SCU"), "spans": Nouns("contributor", "SCU")}


def nouns_for(units: str) -> Nouns:
    """Return the nouns of what is counted, as in `Extract.units`."""
    return NOUNS[units]
