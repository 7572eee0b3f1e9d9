"""Which codings of a document count."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from agreement.data.answers.contents import TextEntry
from agreement.data.codings.gold import GOLD

# Why a coding does not count unless it is included by this name; the first that fits holds.
REASONS_LEFT_OUT = ("adjudicators", "practice", "repeats", "open")
# Why a coding does not count whatever is included: gold is no coder's coding.
IS_GOLD = "gold"


@dataclass(frozen=True, slots=True)
class CodingLeftOut:
    """A coding that does not count, and why: one of REASONS_LEFT_OUT, or IS_GOLD. Empty ones that are open are none."""

    text: str
    coder: str
    reason: str
    round: str = ""


@dataclass(frozen=True, slots=True)
class OtherVersions:
    """A coding that counts but for its judgements: all `n` are of versions of the scheme that were not read."""

    text: str
    coder: str
    n: int
    round: str = ""


class TextSelection(NamedTuple):
    """What a selection has of a document: the document, unless all of it is left out, and the codings left out."""

    of: TextEntry
    entry: tuple[TextEntry, ...]
    left_out: tuple[CodingLeftOut, ...] = ()
    other_versions: tuple[OtherVersions, ...] = ()


def select_codings(text: TextEntry, chosen: frozenset[str], counted: frozenset[str]) -> TextSelection:
    """Return what the codings of these coders that count have of a document. A part of it is found once."""
    sets = text.content.summary.coder_sets
    if not chosen and text.reason in counted and sets.coders == sets.assigned and sets.reasons <= counted:
        return TextSelection(text, (text,))
    key = ("codings", chosen, counted)
    known: TextSelection | None = text.content.cache.get(key)
    if known is not None and known.of is text:
        return known
    of_chosen = [one for one in text.content.codings if not chosen or one.coder in chosen]
    left_out = tuple(
        CodingLeftOut(text.slug, one.coder, one.reason, text.round)
        for one in of_chosen
        if one.reason not in counted and one.is_answer
    )
    entry, other_versions = tuple[TextEntry, ...](), tuple[OtherVersions, ...]()
    if text.reason in counted:
        of_counted = [one for one in of_chosen if one.reason in counted]
        other_versions = tuple(
            OtherVersions(text.slug, one.coder, one.n_other_versions, text.round)
            for one in of_counted
            if one.n_other_versions and not one.is_answer
        )
        selected = text.content.select([one for one in of_counted if one.is_answer])
        entry = (text if selected is text.content else replace(text, content=selected),)
    found = text.content.cache[key] = TextSelection(text, entry, left_out, other_versions)
    return found


def filter_coders[One: (CodingLeftOut, OtherVersions)](
    found: tuple[One, ...], chosen: frozenset[str]
) -> tuple[One, ...]:
    """Return what is of the chosen coders, and gold, which is nobody's."""
    return tuple(one for one in found if one.coder in chosen or one.coder == GOLD) if chosen else found
