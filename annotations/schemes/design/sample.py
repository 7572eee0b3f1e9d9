"""A sample text for trying a scheme: the data for the coding page, without rows in the database."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from annotations.formats import plain
from annotations.formats.model.keys import markable_key
from annotations.formats.model.scheme import SchemeSpec
from annotations.formats.model.scheme_json import scheme_to_json
from annotations.formats.model.spans import Span
from annotations.schemes.constraints import constraints_of

# It has a name, an ambiguous pronoun, a plural with two antecedents, a bridging phrase and a pronoun for a clause.
# Phrases are in [brackets].
MARKED = (
    "[Ann] met [Bob] at [the old harbour]. [The harbour master] greeted [them]. "
    "[He] had left [his keys] in [the office], and [this] annoyed [Ann]."
)
SLUG = "sample"
DOCUMENT = plain.parse(MARKED, f"{SLUG}.txt")
CONTENT = DOCUMENT.content
PHRASES: list[Span] = [mark.parts[0] for mark in DOCUMENT.marks]
VERBS: list[Span] = [match.span() for match in re.finditer(r"\b(met|greeted|had left|annoyed)\b", CONTENT)]
SENTENCES: list[Span] = [match.span() for match in re.finditer(r"\w[^.]+\.", CONTENT)]


def _markables(spec: SchemeSpec) -> Iterator[tuple[str, Sequence[Span]]]:
    """Yield levels and their markables: phrases on the first coded one, verbs on the second, else sentences."""
    coded = list(spec.coded_levels)
    for level in spec.levels:
        index = coded.index(level.key) if level.coded else None
        yield level.key, PHRASES if index == 0 else VERBS if index == 1 else SENTENCES


def sample_state(spec: SchemeSpec, answers: str, user: str) -> dict[str, Any]:
    """Return the initial data of the coding page, with the sample text and no answers."""
    return {
        "practice": True,
        "project": {"slug": SLUG, "title": "Preview"},
        "user": user,
        "text": {
            "slug": SLUG,
            "title": "Sample text",
            "content": CONTENT,
            "language": "en",
            "direction": "ltr",
            "segments": [
                {"kind": "sentence", "start": start, "end": end, "label": "", "speaker": ""} for start, end in SENTENCES
            ],
        },
        "scheme": {**scheme_to_json(spec, answers), "constraints": constraints_of(spec)},
        "markables": sorted(
            (
                {
                    "key": markable_key(level, [span]),
                    "level": level,
                    "label": "",
                    "parts": [span],
                    "head": [],
                    "own": False,
                }
                for level, spans in _markables(spec)
                for span in spans
            ),
            key=lambda markable: (markable["parts"][0][0], -markable["parts"][0][1], markable["key"]),
        ),
        "coding": {"status": "open", "version": 0, "seconds": 0},
        "judgements": {},
    }
